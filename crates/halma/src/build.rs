//! Building a maze around a relation: a stop from which a wall is `hi` away and a crossing `lo`.

use heldout_core::Rng;

use crate::concepts::{Relation, seen};
use crate::dynamic_tests::Surroundings;
use crate::generate::{DepthLaw, Law, PathSampling, Split, grow, side_of};
use crate::maze::{Cell, Direction, Maze, Walls};
use crate::observation::Entries;
use crate::problems::{Problem, Target, shows};

/// Builds of which the purest is kept.
const BUILDS: usize = 200;
/// Attempts at one build: far beyond what any relation needs that can be built at all.
const ATTEMPTS: usize = 4_000;
/// Depths drawn for the branches of one maze: where a deep one does not fit, a shallow one often does.
const DEPTHS: usize = 25;
/// Most cells before the stop.
const PREFIX: u32 = 3;
/// Most moves each way between two relations.
const LINK: u32 = 2;
/// Most moves after the relation.
const TAIL: u32 = 5;

/// The law of the branches beside the relation's own.
const LAW: Law = Law {
    path_sampling: PathSampling::UniformOffset,
    walls: Walls::Thin,
    branches: 5,
    depth: 5,
    depths: DepthLaw::Uniform,
    turn_probability: 2.0 / 3.0,
};

/// What is to be built.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The relation that is asked for first.
    pub(crate) relation: Relation,
    /// How many relations are asked for, if they fit into one maze: the others are drawn from those of the same test.
    pub(crate) targets: usize,
    /// What may be seen beside them.
    pub(crate) surroundings: &'a Surroundings<'a>,
    /// Whether the entries of a stop at which a relation is asked for will do.
    pub(crate) fit: &'a dyn Fn(&Entries) -> bool,
}

/// A problem that asks for what is `wanted`, not `taken` before, and of the test side.
///
/// Of up to 200 builds the first is taken whose other stops show nothing foreign, else the one that shows least. What
/// does not fit into one maze is left out, the last relation first.
pub(crate) fn build(wanted: Wanted<'_>, taken: impl Fn(&Problem) -> bool, rng: &mut Rng) -> Option<Problem> {
    (1..=wanted.targets).rev().find_map(|targets| build_all(Wanted { targets, ..wanted }, &taken, rng))
}

fn build_all(wanted: Wanted<'_>, taken: impl Fn(&Problem) -> bool, rng: &mut Rng) -> Option<Problem> {
    let mut best: Option<Problem> = None;
    for _ in 0..BUILDS {
        let built = (0..ATTEMPTS).find_map(|_| verified(wanted, rng).filter(|problem| !taken(problem)));
        let Some(problem) = built else { break };
        if best.as_ref().is_none_or(|best| problem.foreign < best.foreign) {
            best = Some(problem);
        }
        if best.as_ref().is_some_and(|best| best.foreign == 0) {
            break;
        }
    }
    best
}

/// One attempt, if it came to a maze of the test side whose targets are met as they should be.
fn verified(wanted: Wanted<'_>, rng: &mut Rng) -> Option<Problem> {
    let (maze, targets) = attempt(wanted.relation, (wanted.targets, wanted.surroundings.class), rng)?;
    let ways = maze.ways();
    let fits = |target: &Target| (wanted.fit)(&Entries::of(&maze, &ways, target.cell));
    if side_of(maze.start(), maze.shape()) != Split::Test || !targets.iter().all(fits) {
        return None;
    }
    let asked = |relation: Relation, cell: Cell| targets.contains(&Target { relation, cell });
    let foreign_at = |cell: Cell| {
        let entries = Entries::of(&maze, &ways, cell);
        seen(&entries).filter(|&r| !asked(r, cell) && wanted.surroundings.is_foreign(r)).count() as u32
    };
    let foreign = stops(&maze).map(foreign_at).sum();
    Some(Problem { maze, targets, foreign })
}

/// The cells at which one who explores stops: the start, crossings, corners and the goal.
pub(crate) fn stops(maze: &Maze) -> impl Iterator<Item = Cell> + '_ {
    let turns = |i: usize| i == 0 || i == maze.shape().len() || maze.shape()[i - 1] != maze.shape()[i];
    maze.path_cells().enumerate().filter(move |&(i, c)| turns(i) || maze.is_crossing(c)).map(|(_, c)| c)
}

/// One maze that asks for `relation` and, after it, for as many of `others` as make `targets` in all; `None` if chance
/// did not fit them into the grid.
pub(crate) fn attempt(
    relation: Relation,
    (targets, others): (usize, &[Relation]),
    rng: &mut Rng,
) -> Option<(Maze, Vec<Target>)> {
    let along = relation.direction;
    let across = along.turned(if rng.below(2) == 0 { 1 } else { 3 });
    let mut cell = Cell::new(rng.between(0, 9), rng.between(0, 9))?;
    let prefix = rng.below(PREFIX + 1);
    let start = cell.moved(across, -(prefix as i32))?;
    let mut path = vec![across; prefix as usize];
    let mut asked: Vec<Target> = Vec::new();
    let mut turning: Vec<bool> = Vec::new();
    for i in 0..targets {
        let relation = match asked.last() {
            None => relation,
            // The path goes two ways only.
            Some(before) => {
                let next = *rng.pick(others);
                let (way, other) =
                    (before.relation.direction, perpendicular(before.relation.direction, [along, across]));
                if ![way, other].contains(&next.direction) {
                    return None;
                }
                // Arriving across, so that the next relation is seen from a corner.
                let mut link = vec![other; 1 + rng.below(LINK) as usize];
                if next.direction == other {
                    link.extend(vec![way; 1 + rng.below(LINK) as usize]);
                }
                for d in &link {
                    cell = cell.moved(*d, 1)?;
                }
                path.extend(link);
                next
            }
        };
        let turns = rng.below(2) == 0;
        let length = if turns { relation.lo } else { relation.hi };
        asked.push(Target { relation, cell });
        turning.push(turns);
        path.extend(vec![relation.direction; usize::from(length)]);
        if i + 1 < targets {
            cell = cell.moved(relation.direction, length.into())?;
        }
    }
    let (last, turns) = (asked.last()?.relation.direction, *turning.last()?);
    let across = perpendicular(last, [along, across]);
    // Where the path turns off before the wall, it must go on; where it runs to the wall, it may end there.
    let tail = if turns { 1 + rng.below(TAIL) } else { rng.below(TAIL + 1) };
    path.extend((0..tail).map(|i| if i == 0 || rng.below(2) == 0 { across } else { last }));
    let mut maze = Maze::path(start, &path).ok()?;
    let all = |m: &Maze| asked.iter().all(|target| shows(m, target.cell, target.relation));
    for (i, (Target { relation, cell }, turns)) in asked.iter().zip(turning).enumerate() {
        let (hi, lo, along) = (relation.hi, relation.lo, relation.direction);
        let crossing = cell.moved(along, lo.into())?;
        if turns {
            maze.add_branch(crossing, &vec![along; usize::from(hi - lo)], LAW.walls).ok()?;
        } else {
            // Those after this one are still to be given their crossings.
            let so_far = |m: &Maze| asked[..=i].iter().all(|target| shows(m, target.cell, target.relation));
            if !grow(&mut maze, &[crossing], &LAW, rng, |m| m.is_crossing(crossing) && so_far(m)) {
                return None;
            }
        }
    }
    let within = |c: Cell, Target { relation, cell }: &Target| {
        let distance = c.distance(*cell);
        distance < i32::from(relation.lo) && cell.moved(relation.direction, distance) == Some(c)
    };
    let cells: Vec<Cell> = maze.path_cells().filter(|&c| !asked.iter().any(|target| within(c, target))).collect();
    for _ in 0..DEPTHS {
        if maze.branches().len() >= LAW.branches as usize {
            break;
        }
        grow(&mut maze, &cells, &LAW, rng, all);
    }
    all(&maze).then_some((maze, asked))
}

/// The other of the two ways of a path.
fn perpendicular(way: Direction, [along, across]: [Direction; 2]) -> Direction {
    if way == along { across } else { along }
}
