//! Scripted walkers in the arenas.

use heldout_core::{Policy, Rng, Scripted, View};

use super::layout::{Building, Layout};
use super::scene::UNIT;
use super::{Arena, Variant};
use crate::walker::body::{Body, RADIUS, TURN};
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::controls::Walk;
use crate::walker::explorer::{Explorer, Senses, wander};
use crate::walker::pilot::{Chart, choose};
use crate::walker::policies::{SYMBOLS, SYMBOLS_AND_POSE, Swing, needs_pose, needs_symbols};

/// Cells of a chart along a metre.
const FINE: usize = 4;
/// Metres kept from walls beside the walker's own radius.
const MARGIN: f64 = 0.02;
/// Metres of a cell of the chart that the honest walker draws among buildings.
const COARSE: f64 = 0.5;

/// Metres from a tile's middle, along both axes, within which a body surely touches the tile: 0.2 m beyond its side, and
/// less than 0.3 m from its corner.
const TOUCH: f64 = 0.7;

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<Arena>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Walks the shortest way to the goal; knows the arena and the goal."),
        Scripted::of::<Honest>(
            "honest",
            "Draws a map of its own from what it sees and its pose, sweeps the arena until it sees the goal or is paid, \
             then walks back there.",
        )
        .seeing(SYMBOLS_AND_POSE),
        Scripted::of::<Memoryless>("memoryless", "Walks to a goal in view, else ahead, and turns where it is narrow.")
            .shortcut()
            .seeing(SYMBOLS),
        Scripted::of::<Swing>("noop", "Looks left and right in turn: no action does nothing."),
    ]
}

/// Walks the shortest way.
#[derive(Debug, Default)]
pub(crate) struct Oracle;

/// The floor of `layout`, measured from where in the goal's tile a walker surely has arrived.
fn chart(layout: &Layout, variant: Variant) -> Chart {
    let cells = layout.side as usize * FINE;
    let mut chart = Chart::new(cells, cells, 1.0 / FINE as f64);
    let inner = layout.bounds().grown(-RADIUS);
    chart.open_where(|[x, z]| {
        let clear = |b: &Building| !b.rect.grown(RADIUS + MARGIN).contains(x, z);
        inner.contains(x, z) && layout.buildings().iter().all(clear)
    });
    let goal = if variant.buildings { layout.goal.rect() } else { layout.goal.rect().grown(-RADIUS) };
    let middle = |at: i32| (f64::from(at) + 0.5) / FINE as f64;
    chart.measure(|x, z| goal.contains(middle(x), middle(z)));
    chart
}

impl Policy<Arena> for Oracle {
    type Memory = Option<Chart>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Arena) -> Option<Chart> {
        None
    }

    fn act(&self, rules: &Arena, view: View<'_, Arena>, memory: &mut Option<Chart>, _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        if state.dead > 0 {
            return Walk::Forward;
        }
        let layout = &state.layout;
        let chart = memory.get_or_insert_with(|| chart(layout, rules.variant));
        let Some(lead) = chart.lead([state.body.x, state.body.z]) else { return Walk::Forward };
        let bounds = layout.bounds();
        let there = |body: &Body| rules.variant.arrives(layout.goal, body.x, body.z);
        choose(
            state.body,
            |body, walk| {
                let controls = walk.controls();
                for _ in 0..TICKS_PER_STEP {
                    if !there(body) {
                        let near = layout.around(body.x, body.z);
                        body.tick(&controls, &bounds, near.iter().map(|b| &b.rect));
                    }
                }
            },
            |body| {
                if there(body) { 0.0 } else { chart.left(&lead, [body.x, body.z]) }
            },
        )
    }
}

/// How an observation of an arena is to be read. The side is not in it: the largest there is bounds the map.
fn senses(variant: Variant) -> Senses {
    // In the empty arena the middle of a tile must be met, and is the middle of a cell.
    let (cell, reach) = if variant.buildings { (COARSE, TOUCH) } else { (1.0, 0.5 - RADIUS) };
    Senses {
        unit: UNIT,
        cell,
        tile: 1.0,
        reach,
        half: 0.2,
        turn: TURN * TICKS_PER_STEP as f64,
        near: 0.75,
        visible: variant.visible,
    }
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub(crate) struct Honest;

impl Policy<Arena> for Honest {
    type Memory = Explorer;

    fn check(rules: &Arena) -> Result<(), String> {
        needs_symbols(rules.config.observation)?;
        needs_pose(rules.config.pose)
    }

    fn remember(&self, rules: &Arena) -> Explorer {
        Explorer::new(senses(rules.variant))
    }

    fn act(&self, _: &Arena, view: View<'_, Arena>, memory: &mut Explorer, rng: &mut Rng) -> Walk {
        memory.act(view.row.f32(0), rng)
    }
}

/// Reacts to what is in view.
#[derive(Debug, Default)]
pub(crate) struct Memoryless;

impl Policy<Arena> for Memoryless {
    type Memory = ();

    fn check(rules: &Arena) -> Result<(), String> {
        needs_symbols(rules.config.observation)
    }

    fn remember(&self, _: &Arena) {}

    fn act(&self, rules: &Arena, view: View<'_, Arena>, (): &mut (), rng: &mut Rng) -> Walk {
        wander(view.row.f32(0), &senses(rules.variant), rng)
    }
}
