//! Scripted walkers in the arenas.

use heldout_core::{Policy, Rng, Scripted, View};

use super::layout::{Building, Layout};
use super::{Arena, Task};
use crate::memory::body::{RADIUS, TICKS_PER_STEP, TURN};
use crate::memory::controls::Walk;
use crate::memory::honest::{Explorer, Senses, wander};
use crate::memory::pilot::{Chart, choose};
use crate::memory::view::Observation;

/// Cells of a chart along a metre.
const FINE: usize = 4;
/// Metres kept from walls beside the walker's own radius.
const MARGIN: f64 = 0.02;
/// Metres of a cell of the chart that the honest walker draws.
const COARSE: f64 = 0.5;

/// All policies but `random`.
pub(super) fn all<T: Task>() -> Vec<Scripted<Arena<T>>> {
    let honest = if T::KIND.visible {
        "Draws a map of its own from what it sees and its pose, sweeps the arena until it sees the goal, then walks there."
    } else {
        "Draws a map of its own from what it sees and its pose, sweeps the arena until it is paid, then walks back there."
    };
    vec![
        Scripted::of::<Oracle>("oracle", "Walks the shortest way to the goal; knows the arena and the goal."),
        Scripted::of::<Honest>("honest", honest),
        Scripted::of::<Memoryless>("memoryless", "Walks to a goal in view, else ahead, and turns where it is narrow."),
        Scripted::of::<Noop>("noop", "Looks left and right in turn: no action does nothing."),
    ]
}

/// Walks the shortest way.
#[derive(Debug, Default)]
pub struct Oracle;

/// The floor of `layout`, measured from the goal.
fn chart(layout: &Layout) -> Chart {
    let mut chart = Chart::new(layout.side as usize * FINE, 1.0 / FINE as f64);
    let inner = layout.bounds().grown(-RADIUS);
    for z in 0..chart.cells() {
        for x in 0..chart.cells() {
            let [mx, mz] = chart.middle(x, z);
            let clear = |b: &Building| !b.rect.grown(RADIUS + MARGIN).contains(mx, mz);
            let open = inner.contains(mx, mz) && layout.buildings().iter().all(clear);
            chart.set_open(x, z, open);
        }
    }
    let goal = layout.goal.rect();
    let middle = |at: i32| (f64::from(at) + 0.5) / FINE as f64;
    chart.measure(|x, z| goal.contains(middle(x), middle(z)));
    chart
}

impl<T: Task> Policy<Arena<T>> for Oracle {
    type Memory = Option<Chart>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Arena<T>) -> Option<Chart> {
        None
    }

    fn act(&self, _: &Arena<T>, view: View<'_, Arena<T>>, memory: &mut Option<Chart>, _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        if state.dead > 0 {
            return Walk::Forward;
        }
        let layout = &state.layout;
        let chart = memory.get_or_insert_with(|| chart(layout));
        let Some(lead) = chart.lead([state.body.x, state.body.z]) else { return Walk::Forward };
        let (bounds, goal) = (layout.bounds(), layout.goal.rect());
        choose(
            state.body,
            |body, walk| {
                let controls = walk.controls();
                for _ in 0..TICKS_PER_STEP {
                    if !goal.contains(body.x, body.z) {
                        let near = layout.around(body.x, body.z);
                        body.tick(&controls, &bounds, near.iter().map(|b| &b.rect));
                    }
                }
            },
            |body| {
                if goal.contains(body.x, body.z) { 0.0 } else { chart.left(&lead, [body.x, body.z]) }
            },
        )
    }
}

/// Needs numbers with the pose.
fn needs<T: Task>(rules: &Arena<T>, pose: bool) -> Result<(), String> {
    let config = &rules.rules().config;
    if config.observation == Observation::Pixels {
        return Err("`observation` is `pixels`, must be `symbolic` for a policy that reads numbers".to_owned());
    }
    if pose && !config.pose {
        return Err("`pose` is `false`, must be `true` for a policy that draws a map".to_owned());
    }
    Ok(())
}

/// How an observation of an arena is to be read. The side is not in it: the largest there is bounds the map.
const fn senses<T: Task>() -> Senses {
    Senses {
        unit: 10.0,
        cell: COARSE,
        tile: 1.0,
        half: 0.2,
        turn: TURN * TICKS_PER_STEP as f64,
        near: 0.75,
        visible: T::KIND.visible,
    }
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub struct Honest;

impl<T: Task> Policy<Arena<T>> for Honest {
    type Memory = Explorer;

    fn check(rules: &Arena<T>) -> Result<(), String> {
        needs(rules, true)
    }

    fn remember(&self, _: &Arena<T>) -> Explorer {
        Explorer::new(senses::<T>())
    }

    fn act(&self, _: &Arena<T>, view: View<'_, Arena<T>>, memory: &mut Explorer, rng: &mut Rng) -> Walk {
        memory.act(view.row.f32(0), rng)
    }
}

/// Reacts to what is in view.
#[derive(Debug, Default)]
pub struct Memoryless;

impl<T: Task> Policy<Arena<T>> for Memoryless {
    type Memory = ();

    fn check(rules: &Arena<T>) -> Result<(), String> {
        needs(rules, false)
    }

    fn remember(&self, _: &Arena<T>) {}

    fn act(&self, _: &Arena<T>, view: View<'_, Arena<T>>, (): &mut (), rng: &mut Rng) -> Walk {
        wander(view.row.f32(0), &senses::<T>(), rng)
    }
}

/// Looks left and right in turn.
#[derive(Debug, Default)]
pub struct Noop;

impl<T: Task> Policy<Arena<T>> for Noop {
    type Memory = bool;

    fn remember(&self, _: &Arena<T>) -> bool {
        false
    }

    fn act(&self, _: &Arena<T>, _: View<'_, Arena<T>>, right: &mut bool, _: &mut Rng) -> Walk {
        let walk = if *right { Walk::LookRight } else { Walk::LookLeft };
        *right = !*right;
        walk
    }
}
