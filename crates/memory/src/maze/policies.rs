//! Scripted walkers in the maze.

use heldout_core::{Policy, Rng, Scripted, View};

use super::Maze;
use super::rules::{State, reaches};
use super::runner::CELL;
use super::scene::UNIT;
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::controls::{DEGREES_PER_PIXEL, LAB_LOOK, Walk};
use crate::walker::explorer::{Explorer, Senses, wander};
use crate::walker::pilot::{Chart, choose};
use crate::walker::policies::{SYMBOLS, SYMBOLS_AND_POSE, Swing, needs_pose, needs_symbols};

/// Cells of a chart along a cell of the maze.
const FINE: i32 = 5;

/// How an observation of the maze is to be read.
const SENSES: Senses = Senses {
    unit: UNIT,
    cell: CELL,
    tile: CELL,
    reach: 36.0,
    half: 20.0,
    turn: DEGREES_PER_PIXEL * LAB_LOOK as f64 * TICKS_PER_STEP as f64,
    near: 50.0,
    visible: true,
};

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<Maze>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Runs the shortest way to the goal; knows the maze and the goal."),
        Scripted::of::<Honest>(
            "honest",
            "Draws a map of its own from what it sees and its pose, sweeps the maze until it sees the goal, then runs there.",
        )
        .seeing(SYMBOLS_AND_POSE),
        Scripted::of::<Memoryless>("memoryless", "Runs to a goal in view, else ahead, and turns where it is narrow.")
            .shortcut()
            .seeing(SYMBOLS),
        Scripted::of::<Swing>("noop", "Looks left and right in turn: no action does nothing."),
    ]
}

/// Runs the shortest way.
#[derive(Debug, Default)]
pub(crate) struct Oracle;

/// The floor of the maze, measured from the goal.
fn chart(state: &State) -> Chart {
    let side = i32::from(state.plan.side());
    let cells = (side * FINE) as usize;
    let mut chart = Chart::new(cells, cells, CELL / f64::from(FINE));
    for (x, z) in chart.all() {
        // The outermost fifth of a cell is too near to a wall beside it.
        let near = |at: i32| match at % FINE {
            0 => -1,
            4 => 1,
            _ => 0,
        };
        let (cx, cz, dx, dz) = (x / FINE, z / FINE, near(x), near(z));
        let open = |x, z| state.plan.is_open(x, z);
        chart.set_open(x, z, open(cx, cz) && open(cx + dx, cz) && open(cx, cz + dz) && open(cx + dx, cz + dz));
    }
    let goal = (i32::from(state.goal.x) * FINE + FINE / 2, i32::from(state.goal.z) * FINE + FINE / 2);
    chart.measure(|x, z| (x, z) == goal);
    chart
}

impl Policy<Maze> for Oracle {
    type Memory = Option<Chart>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Maze) -> Option<Chart> {
        None
    }

    fn act(&self, _: &Maze, view: View<'_, Maze>, memory: &mut Option<Chart>, _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        let chart = memory.get_or_insert_with(|| chart(state));
        let Some(lead) = chart.lead([state.runner.x, state.runner.z]) else { return Walk::Forward };
        choose(
            state.runner,
            |runner, walk| {
                let controls = walk.lab_controls();
                for _ in 0..TICKS_PER_STEP {
                    if !reaches(runner, state.goal) {
                        runner.tick(controls, &state.plan);
                    }
                }
            },
            |runner| {
                if reaches(runner, state.goal) { 0.0 } else { chart.left(&lead, [runner.x, runner.z]) }
            },
        )
    }
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub(crate) struct Honest;

impl Policy<Maze> for Honest {
    type Memory = Explorer;

    fn check(rules: &Maze) -> Result<(), String> {
        needs_symbols(rules.config.observation)?;
        needs_pose(rules.config.pose)
    }

    fn remember(&self, _: &Maze) -> Explorer {
        Explorer::new(SENSES)
    }

    fn act(&self, _: &Maze, view: View<'_, Maze>, memory: &mut Explorer, rng: &mut Rng) -> Walk {
        memory.act(view.row.f32(0), rng)
    }
}

/// Reacts to what is in view.
#[derive(Debug, Default)]
pub(crate) struct Memoryless;

impl Policy<Maze> for Memoryless {
    type Memory = ();

    fn check(rules: &Maze) -> Result<(), String> {
        needs_symbols(rules.config.observation)
    }

    fn remember(&self, _: &Maze) {}

    fn act(&self, _: &Maze, view: View<'_, Maze>, (): &mut (), rng: &mut Rng) -> Walk {
        wander(view.row.f32(0), &SENSES, rng)
    }
}
