//! Scripted policies of the four tasks in two rooms.

use heldout_core::{Policy, Rng, Scripted, View};

use super::compare::Notes;
use super::layout::{Layout, Room, TOUCH};
use super::route::Route;
use super::spot::Spot;
use crate::walker::body::{RADIUS, Rect};
use crate::walker::controls::Walk;
use crate::walker::policies::{SYMBOLS, Swing, needs_symbols};

/// Distance that ways keep from what must not be touched, beyond touch.
pub(super) const SHY: f64 = 0.2;
/// Distance that ways keep from blocks that are solid, beyond the walker's radius.
const BESIDE: f64 = 0.05;

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<Spot>> {
    vec![
        Scripted::of::<Oracle>(
            "oracle",
            "Walks a shortest way on a grid of 0.25 m to the block that differs, waiting at the second gate.",
        ),
        Scripted::of::<Honest>(
            "honest",
            "Looks at Room A, remembers, compares in Room B; sees the symbolic observation alone.",
        )
        .seeing(SYMBOLS),
        Scripted::of::<Memoryless>(
            "memoryless",
            "Walks as the oracle does, to a block that it chooses by chance: it knows where blocks are, not which differs.",
        )
        .shortcut(),
        Scripted::of::<Swing>("noop", "Looks left and right in turn."),
    ]
}

/// The way to block `target` of Room B that touches no other.
pub(super) fn route_to(layout: &Layout, target: u32) -> Route {
    let block = &layout.blocks()[target as usize];
    let mut forbidden: Vec<Rect> = Vec::new();
    for (i, other) in layout.blocks().iter().enumerate() {
        forbidden.push(other.swept(Room::A).grown(RADIUS + BESIDE));
        if i as u32 != target {
            forbidden.push(other.swept(Room::B).grown(TOUCH + SHY));
        }
    }
    Route::new((block.x, block.z[1]), &forbidden)
}

/// Goes to the block that differs.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl Policy<Spot> for Oracle {
    type Memory = Option<Route>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Spot) -> Option<Route> {
        None
    }

    fn act(&self, _: &Spot, view: View<'_, Spot>, route: &mut Option<Route>, _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        route.get_or_insert_with(|| route_to(&state.layout, state.layout.changed)).follow(&state.body)
    }
}

/// Goes to a block chosen by chance.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl Policy<Spot> for Memoryless {
    type Memory = Option<Route>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Spot) -> Option<Route> {
        None
    }

    fn act(&self, _: &Spot, view: View<'_, Spot>, route: &mut Option<Route>, rng: &mut Rng) -> Walk {
        let state = view.state.expect("steering is privileged");
        route.get_or_insert_with(|| route_to(&state.layout, rng.below(state.layout.count))).follow(&state.body)
    }
}

/// Remembers Room A.
#[derive(Debug, Default)]
pub(super) struct Honest;

impl Policy<Spot> for Honest {
    type Memory = Notes;

    fn check(rules: &Spot) -> Result<(), String> {
        needs_symbols(rules.format.observation)
    }

    fn remember(&self, rules: &Spot) -> Notes {
        Notes::new(rules.variant)
    }

    fn act(&self, _: &Spot, view: View<'_, Spot>, notes: &mut Notes, rng: &mut Rng) -> Walk {
        notes.act(view.row.f32(0), rng)
    }
}
