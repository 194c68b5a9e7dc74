//! Scripted walkers in the grid worlds.

use heldout_core::{Policy, Rng, Scripted, View};

use super::{GoalMini, LOOK, Move, POSE_UNIT, cells, is_near, reward_at};
use crate::maze::plan::{MOST_CELLS, MOST_SIDE, index_in};
use crate::mini::honest::{Honest, Learner, Window};
use crate::walker::policies::{POSE, needs_pose};

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<GoalMini>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Takes a shortest way to the goal; knows the world and the goal."),
        Scripted::of::<Honest<Explorer>>(
            "honest",
            "Draws a map of its own from what it sees and its pose, sweeps it until it has found the goal, then returns to it.",
        )
        .seeing(POSE),
        Scripted::of::<Memoryless>("memoryless", "Goes to a goal in sight, else anywhere that is open.").shortcut(),
        Scripted::of::<Window<Explorer>>("window", "The honest walker with a memory of the last six rows.").shortcut().seeing(POSE),
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

/// What a row says of a cell that is in sight.
#[derive(Clone, Copy)]
struct Seen {
    open: bool,
    goal: bool,
}

/// The cells in sight, the walker's own included.
fn read(visible: bool, row: &[f32]) -> impl Iterator<Item = ((i32, i32), Seen)> {
    let seen = cells(visible).filter_map(move |(cell, numbers)| {
        let numbers = &row[numbers];
        let in_sight = is_near(cell) || numbers[LOOK + usize::from(visible)] > 0.0;
        in_sight.then(|| (cell, Seen { open: numbers[0] == 0.0, goal: visible && numbers[LOOK] > 0.0 }))
    });
    seen.chain([((0, 0), Seen { open: true, goal: false })])
}

/// Sweeps, then remembers.
#[derive(Debug, Default)]
pub(crate) struct Explorer;

/// Column and row.
fn pose(rules: &GoalMini, row: &[f32]) -> (i32, i32) {
    let at = reward_at(rules.variant.visible) + 1;
    let [x, z] = [at, at + 1].map(|i| (row[i] * POSE_UNIT).round() as i32);
    (x, z)
}

impl Learner<GoalMini> for Explorer {
    type Notes = Explored;

    fn check(rules: &GoalMini) -> Result<(), String> {
        needs_pose(rules.config.pose)
    }

    fn blank(_: &GoalMini) -> Explored {
        Explored { cells: vec![Known::default(); MOST_CELLS], goal: None, ahead: None }
    }

    fn see(rules: &GoalMini, row: &[f32], notes: &mut Explored) {
        let visible = rules.variant.visible;
        let (x, z) = pose(rules, row);
        if row[reward_at(visible)] > 0.0 {
            notes.goal = notes.ahead;
        }
        for ((dx, dz), Seen { open, goal }) in read(visible, row) {
            if let Some(i) = index(x + dx, z + dz) {
                notes.cells[i].open = open;
                if goal {
                    notes.goal = Some((x + dx, z + dz));
                }
            }
        }
        notes.cells[index(x, z).expect("a pose lies in the world")].walked = true;
    }

    fn choose(rules: &GoalMini, row: &[f32], notes: &Explored, rng: &mut Rng) -> Move {
        let at = pose(rules, row);
        let known = |x, z| index(x, z).map_or(Known::default(), |i| notes.cells[i]);
        let open = |x, z| known(x, z).open;
        let back = notes.goal.and_then(|goal| first_move(at, open, |x, z| (x, z) == goal));
        let sweep = || first_move(at, open, |x, z| !known(x, z).walked);
        back.or_else(sweep).unwrap_or_else(|| *rng.pick(&Move::ALL))
    }

    fn did(rules: &GoalMini, row: &[f32], action: Move, notes: &mut Explored) {
        let ((x, z), (dx, dz)) = (pose(rules, row), action.step());
        notes.ahead = Some((x + dx, z + dz));
    }
}

/// Goes to what is in sight.
#[derive(Debug, Default)]
pub(crate) struct Memoryless;

impl Policy<GoalMini> for Memoryless {
    type Memory = ();

    fn remember(&self, _: &GoalMini) {}

    fn act(&self, rules: &GoalMini, view: View<'_, GoalMini>, (): &mut (), rng: &mut Rng) -> Move {
        // Somewhere in the largest world: only what is near counts.
        const HERE: i32 = 5;
        let mut around = [None; 2 * HERE as usize * 2 * HERE as usize];
        let at = |x: i32, z: i32| (z * 2 * HERE + x) as usize;
        for ((dx, dz), seen) in read(rules.variant.visible, view.row.f32(0)) {
            around[at(HERE + dx, HERE + dz)] = Some(seen);
        }
        let cell = |x, z| around.get(at(x, z)).copied().flatten();
        let open = |x, z| cell(x, z).is_some_and(|seen: Seen| seen.open);
        let goal = first_move((HERE, HERE), open, |x, z| cell(x, z).is_some_and(|seen| seen.goal));
        goal.unwrap_or_else(|| {
            let free = |m: &Move| open(HERE + m.step().0, HERE + m.step().1);
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
