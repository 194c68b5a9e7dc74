//! How well one can do: the oracle that explores and then plans, and the lengths of its trials.

use heldout_core::Rng;

use crate::maze::{Direction, Maze};
use crate::observation::Entries;
use crate::option::Move;

/// Steps that the oracle needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// In the first trial, stopping wherever there is something to see.
    pub(crate) explore: u32,
    /// In every later trial.
    pub(crate) plan: u32,
}

impl Lengths {
    /// Of `maze`, with options of at most `reach` moves.
    pub(crate) fn of(maze: &Maze, reach: u32) -> Self {
        let options = |run: u32| run.div_ceil(reach);
        let mut lengths = Self { explore: 0, plan: 0 };
        let (mut segment, mut run) = (0, 0);
        let cells = maze.path_cells().skip(1);
        let next = maze.shape().iter().skip(1).map(Some).chain([None]);
        for ((cell, &d), next) in cells.zip(maze.shape()).zip(next) {
            (segment, run) = (segment + 1, run + 1);
            let turns = next != Some(&d);
            if turns || maze.is_crossing(cell) {
                lengths.explore += options(segment);
                segment = 0;
            }
            if turns {
                lengths.plan += options(run);
                run = 0;
            }
        }
        lengths
    }
}

/// The move of one who sees the maze for the first time, toward the next place where there is something to see.
///
/// On the path the rule is exact. Off it, without a hint, it follows the corridor away from where it came from, which
/// `last` says; `rng` settles what remains open.
pub(crate) fn explore(entries: &Entries, last: Option<Direction>, rng: &mut Rng) -> Move {
    let open = |d: &Direction| entries.wall(*d) > 0;
    let ahead = |d: &Direction| open(d) && last.is_none_or(|l| l.opposite() != *d);
    let nearer = |d: &Direction| ahead(d) && entries.toward(*d) > 0;
    let all = Direction::ALL;
    let direction = entries
        .hint()
        .or_else(|| all.into_iter().find(nearer))
        .or_else(|| all.into_iter().find(ahead))
        .or_else(|| all.into_iter().find(open))
        .unwrap_or_else(|| Direction::at(rng.below(4)));
    let limits = [entries.wall(direction), entries.crossing(direction), entries.toward(direction)];
    let length = limits.into_iter().filter(|&n| n > 0).min().unwrap_or(0);
    Move { direction, length: length as u8 }
}

/// What the oracle knows of the maze it is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// Straight runs from the start, as far as they have been explored.
    runs: Vec<(Direction, u32)>,
    /// Whether they lead to the goal.
    known: bool,
    /// The run being executed, and how much of it has been.
    at: (usize, u32),
    /// The goal's offset that the next observation will show, unless the trial has ended.
    expected: Option<(i32, i32)>,
    last: Option<Direction>,
}

impl Notes {
    /// Explores until the goal is reached, then repeats the runs without stopping; both from what it sees alone.
    pub(crate) fn act(&mut self, entries: &Entries, reach: u32, plans: bool, rng: &mut Rng) -> Move {
        if self.expected != Some(entries.goal()) {
            // A new trial, accomplished or not.
            self.begin();
        }
        let action =
            if self.known && plans { self.next_of_plan(reach) } else { self.next_of_exploration(entries, reach, rng) };
        let (dx, dy) = action.direction.step();
        let ((gx, gy), length) = (entries.goal(), i32::from(action.length));
        let left = (gx - dx * length, gy - dy * length);
        if left == (0, 0) {
            // Whatever comes next is seen from the start again.
            self.known = true;
            self.expected = None;
        } else {
            self.expected = Some(left);
        }
        self.last = Some(action.direction);
        action
    }

    fn begin(&mut self) {
        if !self.known {
            self.runs.clear();
        }
        self.at = (0, 0);
        self.last = None;
    }

    fn next_of_plan(&mut self, reach: u32) -> Move {
        let (run, done) = self.at;
        let (direction, length) = self.runs.get(run).copied().unwrap_or((Direction::Left, 0));
        let now = (length - done.min(length)).min(reach);
        self.at = if done + now >= length { (run + 1, 0) } else { (run, done + now) };
        Move { direction, length: now as u8 }
    }

    fn next_of_exploration(&mut self, entries: &Entries, reach: u32, rng: &mut Rng) -> Move {
        let mut action = explore(entries, self.last, rng);
        action.length = u32::from(action.length).min(reach) as u8;
        if !self.known {
            match self.runs.last_mut() {
                Some((direction, length)) if *direction == action.direction => *length += u32::from(action.length),
                _ => self.runs.push((action.direction, u32::from(action.length))),
            }
        }
        action
    }
}
