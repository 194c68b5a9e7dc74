//! Scripted walkers in the grid worlds.

use heldout_core::{Policy, Rng, Scripted, View};

use super::{CELL, GoalMini, Move, PATCH, POSE, POSE_UNIT, REWARD, SIGHT};
use crate::maze::plan::{MOST_CELLS, MOST_SIDE, index_in};
use crate::walker::policies::needs_pose;

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<GoalMini>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Takes a shortest way to the goal; knows the world and the goal."),
        Scripted::of::<Honest>(
            "honest",
            "Draws a map of its own from what it sees and its pose, sweeps it until it has found the goal, then returns to it.",
        ),
        Scripted::of::<Memoryless>("memoryless", "Goes to a goal in sight, else anywhere that is open."),
        Scripted::of::<ToAndFro>("noop", "Goes east and west in turn: no action does nothing."),
    ]
}

/// The number of a cell in the largest world.
fn index(x: i32, z: i32) -> Option<usize> {
    index_in(MOST_SIDE as u8, x, z)
}

/// The first move of a shortest way over open cells from `from` to a cell that `wanted` holds for.
fn first_move(from: (i32, i32), open: impl Fn(i32, i32) -> bool, wanted: impl Fn(i32, i32) -> bool) -> Option<Move> {
    let mut by: Vec<Option<Move>> = vec![None; MOST_CELLS];
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&(x, z)) = queue.get(next) {
        next += 1;
        if (x, z) != from && wanted(x, z) {
            return index(x, z).and_then(|i| by[i]);
        }
        for m in Move::ALL {
            let (dx, dz) = m.step();
            let to = (x + dx, z + dz);
            let Some(i) = index(to.0, to.1) else { continue };
            if to != from && open(to.0, to.1) && by[i].is_none() {
                by[i] = if (x, z) == from { Some(m) } else { index(x, z).and_then(|i| by[i]) };
                queue.push(to);
            }
        }
    }
    None
}

/// Takes a shortest way.
#[derive(Debug, Default)]
pub(crate) struct Oracle;

impl Policy<GoalMini> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &GoalMini) {}

    fn act(&self, _: &GoalMini, view: View<'_, GoalMini>, (): &mut (), _: &mut Rng) -> Move {
        let state = view.state.expect("the oracle is privileged");
        let [x, z] = state.at.map(i32::from);
        let goal = state.world.goal.map(i32::from);
        let first = first_move((x, z), |x, z| state.world.is_open(x, z), |x, z| [x, z] == goal);
        first.unwrap_or(Move::North)
    }
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Known {
    open: bool,
    walked: bool,
}

/// What the honest walker remembers.
#[derive(Clone, Debug)]
pub(crate) struct Explored {
    cells: Vec<Known>,
    goal: Option<(i32, i32)>,
    /// Where the last move was to lead.
    ahead: Option<(i32, i32)>,
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub(crate) struct Honest;

impl Policy<GoalMini> for Honest {
    type Memory = Explored;

    fn check(rules: &GoalMini) -> Result<(), String> {
        needs_pose(rules.config.pose)
    }

    fn remember(&self, _: &GoalMini) -> Explored {
        Explored { cells: vec![Known::default(); MOST_CELLS], goal: None, ahead: None }
    }

    fn act(&self, _: &GoalMini, view: View<'_, GoalMini>, notes: &mut Explored, rng: &mut Rng) -> Move {
        let row = view.row.f32(0);
        let [x, z] = [0, 1].map(|i| (row[POSE + i] * POSE_UNIT).round() as i32);
        if row[REWARD] > 0.0 {
            notes.goal = notes.ahead;
        }
        for ((dx, dz), cell) in patch().zip(row.chunks_exact(CELL)) {
            if let Some(i) = index(x + dx, z + dz)
                && cell[0] > 0.0
            {
                notes.cells[i].open = cell[1] == 0.0;
                if cell[5] > 0.0 {
                    notes.goal = Some((x + dx, z + dz));
                }
            }
        }
        notes.cells[index(x, z).expect("a pose lies in the world")].walked = true;
        let known = |x, z| index(x, z).map_or(Known::default(), |i| notes.cells[i]);
        let open = |x, z| known(x, z).open;
        let back = notes.goal.and_then(|goal| first_move((x, z), open, |x, z| (x, z) == goal));
        let sweep = || first_move((x, z), open, |x, z| !known(x, z).walked);
        let chosen = back.or_else(sweep).unwrap_or_else(|| *rng.pick(&Move::ALL));
        let (dx, dz) = chosen.step();
        notes.ahead = Some((x + dx, z + dz));
        chosen
    }
}

/// The cells of a patch, as an observation lists them.
fn patch() -> impl Iterator<Item = (i32, i32)> {
    (-SIGHT..=SIGHT).rev().flat_map(|dz| (-SIGHT..=SIGHT).map(move |dx| (dx, dz)))
}

/// Goes to what is in sight.
#[derive(Debug, Default)]
pub(crate) struct Memoryless;

impl Policy<GoalMini> for Memoryless {
    type Memory = ();

    fn remember(&self, _: &GoalMini) {}

    fn act(&self, _: &GoalMini, view: View<'_, GoalMini>, (): &mut (), rng: &mut Rng) -> Move {
        let row = view.row.f32(0);
        let cell = |x: i32, z: i32| {
            let (dx, dz) = (x, PATCH as i32 - 1 - z);
            let inside = (0..PATCH as i32).contains(&x) && (0..PATCH as i32).contains(&z);
            inside.then(|| &row[(dz as usize * PATCH + dx as usize) * CELL..][..CELL])
        };
        let open = |x, z| cell(x, z).is_some_and(|c| c[0] > 0.0 && c[1] == 0.0);
        let goal = first_move((SIGHT, SIGHT), open, |x, z| cell(x, z).is_some_and(|c| c[5] > 0.0));
        goal.unwrap_or_else(|| {
            let free = |m: &Move| open(SIGHT + m.step().0, SIGHT + m.step().1);
            let mut moves = Move::ALL;
            rng.shuffle(&mut moves);
            moves.into_iter().find(free).unwrap_or(Move::North)
        })
    }
}

/// Goes to and fro.
#[derive(Debug, Default)]
pub(crate) struct ToAndFro;

impl Policy<GoalMini> for ToAndFro {
    type Memory = bool;

    fn remember(&self, _: &GoalMini) -> bool {
        false
    }

    fn act(&self, _: &GoalMini, _: View<'_, GoalMini>, west: &mut bool, _: &mut Rng) -> Move {
        let chosen = if *west { Move::West } else { Move::East };
        *west = !*west;
        chosen
    }
}
