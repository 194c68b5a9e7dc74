//! Scripted walkers in the grid worlds.

use heldout_core::{Policy, Rng, Scripted, View};

use super::{CELL, Mini, Move, PATCH, POSE, POSE_UNIT, REWARD, SIGHT, Task};
use crate::memory::maze::plan::{MOST_CELLS, MOST_SIDE};

/// All policies but `random`.
pub(super) fn all<T: Task>() -> Vec<Scripted<Mini<T>>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Takes a shortest way to the goal; knows the world and the goal."),
        Scripted::of::<Honest>(
            "honest",
            "Draws a map of its own from what it sees and its pose, sweeps it until it has found the goal, then returns to it.",
        ),
        Scripted::of::<Memoryless>("memoryless", "Goes to a goal in sight, else anywhere that is open."),
        Scripted::of::<Noop>("noop", "Goes east and west in turn: no action does nothing."),
    ]
}

/// The first move of a shortest way over open cells from `from` to a cell that `wanted` holds for.
fn first_move(from: (i32, i32), open: impl Fn(i32, i32) -> bool, wanted: impl Fn(i32, i32) -> bool) -> Option<Move> {
    let side = MOST_SIDE as i32;
    let mut by: Vec<Option<Move>> = vec![None; MOST_CELLS];
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&(x, z)) = queue.get(next) {
        next += 1;
        if (x, z) != from && wanted(x, z) {
            return by[(z * side + x) as usize];
        }
        for m in Move::ALL {
            let (dx, dz) = m.step();
            let (tx, tz) = (x + dx, z + dz);
            let inside = (0..side).contains(&tx) && (0..side).contains(&tz);
            if inside && (tx, tz) != from && open(tx, tz) && by[(tz * side + tx) as usize].is_none() {
                by[(tz * side + tx) as usize] = if (x, z) == from { Some(m) } else { by[(z * side + x) as usize] };
                queue.push((tx, tz));
            }
        }
    }
    None
}

/// Takes a shortest way.
#[derive(Debug, Default)]
pub struct Oracle;

impl<T: Task> Policy<Mini<T>> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Mini<T>) {}

    fn act(&self, _: &Mini<T>, view: View<'_, Mini<T>>, (): &mut (), _: &mut Rng) -> Move {
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
pub struct Notes {
    cells: Vec<Known>,
    goal: Option<(i32, i32)>,
    /// Where the last move was to lead.
    ahead: Option<(i32, i32)>,
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub struct Honest;

impl<T: Task> Policy<Mini<T>> for Honest {
    type Memory = Notes;

    fn check(rules: &Mini<T>) -> Result<(), String> {
        if rules.config.pose {
            Ok(())
        } else {
            Err("`pose` is `false`, must be `true` for a policy that draws a map".to_owned())
        }
    }

    fn remember(&self, _: &Mini<T>) -> Notes {
        Notes { cells: vec![Known::default(); MOST_CELLS], goal: None, ahead: None }
    }

    fn act(&self, _: &Mini<T>, view: View<'_, Mini<T>>, notes: &mut Notes, rng: &mut Rng) -> Move {
        let row = view.row.f32(0);
        let [x, z] = [0, 1].map(|i| (row[POSE + i] * POSE_UNIT).round() as i32);
        if row[REWARD] > 0.0 {
            notes.goal = notes.ahead;
        }
        let side = MOST_SIDE as i32;
        let index =
            |x: i32, z: i32| ((0..side).contains(&x) && (0..side).contains(&z)).then_some((z * side + x) as usize);
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
pub struct Memoryless;

impl<T: Task> Policy<Mini<T>> for Memoryless {
    type Memory = ();

    fn remember(&self, _: &Mini<T>) {}

    fn act(&self, _: &Mini<T>, view: View<'_, Mini<T>>, (): &mut (), rng: &mut Rng) -> Move {
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
pub struct Noop;

impl<T: Task> Policy<Mini<T>> for Noop {
    type Memory = bool;

    fn remember(&self, _: &Mini<T>) -> bool {
        false
    }

    fn act(&self, _: &Mini<T>, _: View<'_, Mini<T>>, west: &mut bool, _: &mut Rng) -> Move {
        let chosen = if *west { Move::West } else { Move::East };
        *west = !*west;
        chosen
    }
}
