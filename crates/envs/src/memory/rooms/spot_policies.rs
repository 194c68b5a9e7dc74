//! Scripted policies of the four tasks in two rooms.

use heldout_core::{Policy, Rng, Scripted, View};

use super::honest::Notes;
use super::layout::{Layout, Room, TOUCH};
use super::route::Route;
use super::{SpotDiff, SpotTask};
use crate::memory::body::RADIUS;
use crate::memory::{Observation, Rect, Walk};

/// Distance that ways keep from what must not be touched, beyond touch.
pub(super) const SHY: f64 = 0.2;
/// Distance that ways keep from blocks that are solid, beyond the walker's radius.
const BESIDE: f64 = 0.05;

/// All policies but `random`.
pub(super) fn all<T: SpotTask>() -> Vec<Scripted<SpotDiff<T>>> {
    vec![
        Scripted::of::<Oracle>(
            "oracle",
            "Walks a shortest way on a grid of 0.25 m to the block that differs, waiting at the second gate.",
        ),
        Scripted::of::<Honest>(
            "honest",
            "Looks at Room A, remembers, compares in Room B; sees the symbolic observation alone.",
        ),
        Scripted::of::<Memoryless>(
            "memoryless",
            "Walks as the oracle does, to a block that it chooses by chance: it knows where blocks are, not which differs.",
        ),
        Scripted::of::<Noop>("noop", "Looks left and right in turn."),
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
    Route::new((block.x, block.z[1]), forbidden)
}

/// Goes to the block that differs.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl<T: SpotTask> Policy<SpotDiff<T>> for Oracle {
    type Memory = Option<Route>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotDiff<T>) -> Option<Route> {
        None
    }

    fn act(&self, _: &SpotDiff<T>, view: View<'_, SpotDiff<T>>, route: &mut Option<Route>, _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        route.get_or_insert_with(|| route_to(&state.layout, state.layout.changed)).follow(&state.body)
    }
}

/// Goes to a block chosen by chance.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl<T: SpotTask> Policy<SpotDiff<T>> for Memoryless {
    type Memory = Option<Route>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &SpotDiff<T>) -> Option<Route> {
        None
    }

    fn act(&self, _: &SpotDiff<T>, view: View<'_, SpotDiff<T>>, route: &mut Option<Route>, rng: &mut Rng) -> Walk {
        let state = view.state.expect("steering is privileged");
        route.get_or_insert_with(|| route_to(&state.layout, rng.below(state.layout.count))).follow(&state.body)
    }
}

/// Remembers Room A.
#[derive(Debug, Default)]
pub(super) struct Honest;

impl<T: SpotTask> Policy<SpotDiff<T>> for Honest {
    type Memory = Notes;

    fn check(rules: &SpotDiff<T>) -> Result<(), String> {
        symbolic_only(rules.rules().view().observation)
    }

    fn remember(&self, _: &SpotDiff<T>) -> Notes {
        Notes::new(T::KIND)
    }

    fn act(&self, _: &SpotDiff<T>, view: View<'_, SpotDiff<T>>, notes: &mut Notes, rng: &mut Rng) -> Walk {
        notes.act(view.row.f32(0), rng)
    }
}

/// A policy that reads the symbolic vector needs one.
pub(super) fn symbolic_only(observation: Observation) -> Result<(), String> {
    match observation {
        Observation::Symbolic => Ok(()),
        Observation::Pixels => Err("`honest` reads symbols: `observation` is `pixels`, must be `symbolic`".to_owned()),
    }
}

/// Looks left and right in turn.
#[derive(Debug, Default)]
pub(super) struct Noop;

impl<T: SpotTask> Policy<SpotDiff<T>> for Noop {
    type Memory = bool;

    fn remember(&self, _: &SpotDiff<T>) -> bool {
        false
    }

    fn act(&self, _: &SpotDiff<T>, _: View<'_, SpotDiff<T>>, right: &mut bool, _: &mut Rng) -> Walk {
        swing(right)
    }
}

/// Left, then right, then left again.
pub(super) fn swing(right: &mut bool) -> Walk {
    *right = !*right;
    if *right { Walk::LookLeft } else { Walk::LookRight }
}
