//! Building a maze around a relation: a stop from which a wall is `hi` away and a crossing `lo`.

use heldout_core::Rng;

use crate::concepts::{Relation, seen};
use crate::dynamic_tests::Surroundings;
use crate::generate::{DepthLaw, Law, PathSampling, Split, grow, side_of};
use crate::maze::{Cell, Maze, Walls};
use crate::observation::Entries;
use crate::problems::{Problem, Target, shows};

/// Builds of which the purest is kept.
const BUILDS: usize = 200;
/// Attempts at one problem: far beyond what any relation needs.
const ATTEMPTS: usize = 4_000;
/// Depths drawn for the branches of one maze: where a deep one does not fit, a shallow one often does.
const DEPTHS: usize = 25;
/// Most cells before the stop.
const PREFIX: u32 = 3;
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

/// A problem that asks for `relation`, in a stop whose entries are `fit`, not `taken` before, and of the test side.
///
/// Of up to 200 builds the first is taken whose other stops show nothing foreign, else the one that shows least.
pub(crate) fn build(
    relation: Relation,
    surroundings: &Surroundings<'_>,
    fit: &dyn Fn(&Entries) -> bool,
    taken: impl Fn(&Problem) -> bool,
    rng: &mut Rng,
) -> Option<Problem> {
    let mut best: Option<Problem> = None;
    let mut builds = 0;
    for _ in 0..ATTEMPTS {
        let Some((maze, cell)) = attempt(relation, rng) else { continue };
        let ways = maze.ways();
        if side_of(maze.start(), maze.shape()) != Split::Test || !fit(&Entries::of(&maze, &ways, cell)) {
            continue;
        }
        let others = stops(&maze).filter(|&c| c != cell).map(|c| Entries::of(&maze, &ways, c));
        let own = Entries::of(&maze, &ways, cell);
        let beside = seen(&own).filter(|&r| r != relation);
        let foreign = others.flat_map(|v| seen(&v).collect::<Vec<_>>()).chain(beside);
        let foreign = foreign.filter(|&r| surroundings.is_foreign(r)).count() as u32;
        let problem = Problem { maze, targets: vec![Target { relation, cell }], foreign };
        if taken(&problem) {
            continue;
        }
        if best.as_ref().is_none_or(|best| foreign < best.foreign) {
            best = Some(problem);
        }
        builds += 1;
        if foreign == 0 || builds == BUILDS {
            break;
        }
    }
    best
}

/// The cells at which one who explores stops: the start, crossings, corners and the goal.
pub(crate) fn stops(maze: &Maze) -> impl Iterator<Item = Cell> + '_ {
    let turns = |i: usize| i == 0 || i == maze.shape().len() || maze.shape()[i - 1] != maze.shape()[i];
    maze.path_cells().enumerate().filter(move |&(i, c)| turns(i) || maze.is_crossing(c)).map(|(_, c)| c)
}

/// One maze with `relation` at the cell that is returned with it; `None` if chance did not fit it into the grid.
pub(crate) fn attempt(relation: Relation, rng: &mut Rng) -> Option<(Maze, Cell)> {
    let (hi, lo, along) = (u32::from(relation.hi), u32::from(relation.lo), relation.direction);
    let across = along.turned(if rng.below(2) == 0 { 1 } else { 3 });
    let stop = Cell::new(rng.between(0, 9), rng.between(0, 9))?;
    let prefix = rng.below(PREFIX + 1);
    let start = stop.moved(across, -(prefix as i32))?;
    let turns = rng.below(2) == 0;
    let mut path = vec![across; prefix as usize];
    path.resize((prefix + if turns { lo } else { hi }) as usize, along);
    // Where the path turns off before the wall, it must go on; where it runs to the wall, it may end there.
    let tail = if turns { 1 + rng.below(TAIL) } else { rng.below(TAIL + 1) };
    path.extend((0..tail).map(|i| if i == 0 || rng.below(2) == 0 { across } else { along }));
    let mut maze = Maze::path(start, &path).ok()?;
    let crossing = stop.moved(along, lo as i32)?;
    if turns {
        maze.add_branch(crossing, &vec![along; (hi - lo) as usize], LAW.walls).ok()?;
    } else {
        let fits = |m: &Maze| m.is_crossing(crossing) && shows(m, stop, relation);
        if !grow(&mut maze, &[crossing], &LAW, rng, fits) {
            return None;
        }
    }
    let within = |c: Cell| c.distance(stop) < lo as i32 && stop.moved(along, c.distance(stop)) == Some(c);
    let cells: Vec<Cell> = maze.path_cells().filter(|&c| !within(c)).collect();
    for _ in 0..DEPTHS {
        if maze.branches().len() >= LAW.branches as usize {
            break;
        }
        grow(&mut maze, &cells, &LAW, rng, |m| shows(m, stop, relation));
    }
    shows(&maze, stop, relation).then_some((maze, stop))
}
