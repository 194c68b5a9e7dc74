//! The problem space: sampling paths, deceptive branches, and balanced, disjoint sets of mazes.

use std::collections::BTreeSet;

use heldout_core::{Rng, Seed};
use serde::{Deserialize, Serialize};

use crate::maze::{Cell, Direction, Maze, SIDE, Symmetry, Walls};
use crate::observation::Entries;

/// Tries to fit a branch before it is dropped.
const BRANCH_TRIES: usize = 200;
/// Tries to place a path of one offset on its side of the split before another offset is drawn.
const PATH_TRIES: usize = 64;
/// Longest branch of the geometric law: two cells short of the longest path in the grid.
const LONGEST_BRANCH: u32 = 18;

/// Which problems are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// The mazes to learn on.
    #[default]
    Train,
    /// Held-out mazes with deeper branches and digits in other handwriting.
    Test,
}

/// What the optimal path is uniform over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathSampling {
    /// The offsets from start to goal, then the paths of the offset.
    #[default]
    UniformOffset,
    /// All shapes of paths: the literal text.
    UniformShape,
}

/// How the depth of a branch is distributed about its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DepthLaw {
    /// Uniform on 1 to twice the mean less one.
    #[default]
    Uniform,
    Geometric,
}

/// Everything that decides which mazes a set holds, beside its size and seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// What the path is uniform over.
    pub(crate) path_sampling: PathSampling,
    /// What walls are made of.
    pub(crate) walls: Walls,
    /// Branches of a maze.
    pub(crate) branches: u32,
    /// Mean depth of a branch.
    pub(crate) depth: u32,
    /// How depths are distributed.
    pub(crate) depths: DepthLaw,
    /// Probability that a branch turns at a cell.
    pub(crate) turn_probability: f64,
}

/// Number of monotone paths with `a` moves along one axis and `b` along the other: the binomial of `a + b` over `a`.
pub(crate) fn paths_of(a: u32, b: u32) -> u32 {
    // Each partial product is a binomial itself, so the division leaves no rest.
    (1..=u64::from(a.min(b))).fold(1, |n, i| n * (u64::from(a.max(b)) + i) / i) as u32
}

/// The offsets from start to goal in a grid of `side` cells: all but none.
pub(crate) fn offsets(side: i32) -> impl Iterator<Item = (i32, i32)> {
    let most = side - 1;
    (-most..=most).flat_map(move |dy| (-most..=most).map(move |dx| (dx, dy))).filter(|&offset| offset != (0, 0))
}

/// Draws the offset from start to goal.
pub(crate) fn draw_offset(sampling: PathSampling, rng: &mut Rng) -> (i32, i32) {
    let weight = |(dx, dy): (i32, i32)| match sampling {
        PathSampling::UniformOffset => 1,
        PathSampling::UniformShape => paths_of(dx.unsigned_abs(), dy.unsigned_abs()),
    };
    let mut left = rng.below(offsets(SIDE).map(weight).sum());
    for offset in offsets(SIDE) {
        match left.checked_sub(weight(offset)) {
            Some(rest) => left = rest,
            None => return offset,
        }
    }
    unreachable!("the draw is below the sum of the weights")
}

/// Draws one of the monotone paths of an offset.
pub(crate) fn draw_shape((dx, dy): (i32, i32), rng: &mut Rng) -> Vec<Direction> {
    let across = if dx < 0 { Direction::Left } else { Direction::Right };
    let along = if dy < 0 { Direction::Down } else { Direction::Up };
    let mut path = vec![across; dx.unsigned_abs() as usize];
    path.resize(path.len() + dy.unsigned_abs() as usize, along);
    rng.shuffle(&mut path);
    path
}

/// Draws one of the cells from which a path of the offset stays inside the grid.
///
/// # Panics
///
/// If no path of the offset fits into the grid.
pub(crate) fn draw_start((dx, dy): (i32, i32), rng: &mut Rng) -> Cell {
    let mut along = |d: i32| rng.between(0.max(-d), (SIDE - 1).min(SIDE - 1 - d));
    let (x, y) = (along(dx), along(dy));
    Cell::new(x, y).expect("the offset fits into the grid")
}

/// The side of the split that a placed path belongs to.
///
/// Decided by a hash of the path that its turns and reflections share: whatever the sizes and seeds of two sets, no test
/// maze has the path of a training maze, nor an image of it.
pub(crate) fn side_of(start: Cell, path: &[Direction]) -> Split {
    let key = |s: &Symmetry| {
        let first = Seed(0).stream("halma/split").derive(s.cell(start).index() as u64);
        path.iter().fold(first, |hash, &d| hash.derive(s.direction(d) as u64))
    };
    let canonical = Symmetry::ALL.iter().map(key).fold(Seed(u64::MAX), Seed::min);
    if canonical.0 & 1 == 0 { Split::Train } else { Split::Test }
}

/// Draws the moves of a branch of `depth` cells.
fn draw_branch(depth: u32, law: &Law, rng: &mut Rng) -> Vec<Direction> {
    let mut direction = Direction::at(rng.below(4));
    let mut moves = Vec::with_capacity(depth as usize);
    for i in 0..depth {
        if i > 0 && rng.chance(law.turn_probability) {
            direction = direction.turned(if rng.below(2) == 0 { 1 } else { 3 });
        }
        moves.push(direction);
    }
    moves
}

/// Draws the depth of a branch.
pub(crate) fn draw_depth(law: &Law, rng: &mut Rng) -> u32 {
    match law.depths {
        DepthLaw::Uniform => 1 + rng.below(2 * law.depth - 1),
        DepthLaw::Geometric => {
            let stop = 1.0 / f64::from(law.depth);
            (1..LONGEST_BRANCH).find(|_| rng.chance(stop)).unwrap_or(LONGEST_BRANCH)
        }
    }
}

/// Adds one branch of a drawn depth at a drawn cell among `from`, such that `fits` holds; whether there was one.
pub(crate) fn grow(
    maze: &mut Maze,
    from: &[Cell],
    law: &Law,
    rng: &mut Rng,
    mut fits: impl FnMut(&Maze) -> bool,
) -> bool {
    let depth = draw_depth(law, rng);
    for _ in 0..BRANCH_TRIES {
        let at = *rng.pick(from);
        if maze.add_branch(at, &draw_branch(depth, law, rng), law.walls).is_ok() {
            if fits(maze) {
                return true;
            }
            maze.pop_branch();
        }
    }
    false
}

/// One maze by the law, before balancing.
fn draw_maze(law: &Law, split: Split, rng: &mut Rng) -> Maze {
    let mut maze = loop {
        let offset = draw_offset(law.path_sampling, rng);
        let placed = (0..PATH_TRIES).find_map(|_| {
            let (path, start) = (draw_shape(offset, rng), draw_start(offset, rng));
            (side_of(start, &path) == split).then_some((start, path))
        });
        if let Some((start, path)) = placed {
            break Maze::path(start, &path).expect("a shuffle of two directions is monotone");
        }
    };
    let cells: Vec<Cell> = maze.path_cells().collect();
    for _ in 0..law.branches {
        grow(&mut maze, &cells, law, rng, |_| true);
    }
    maze
}

/// How often each colour occurs: `[wall and crossing, goal]`, each in the order of directions.
pub(crate) type Colours = [[u32; 4]; 2];

/// How often each colour occurs in the panels of all cells of a maze.
pub(crate) fn colours(maze: &Maze) -> Colours {
    let mut counts = Colours::default();
    let ways = maze.ways();
    for cell in maze.cells() {
        let entries = Entries::of(maze, &ways, cell);
        for d in Direction::ALL {
            let i = d as usize;
            counts[0][i] += u32::from(entries.wall(d) != 0) + u32::from(entries.crossing(d) != 0);
            counts[1][i] += u32::from(entries.toward(d) > 0);
        }
    }
    counts
}

/// Sum over both groups of the chi-square distance from equal counts.
fn imbalance(counts: &Colours) -> f64 {
    let chi = |group: &[u32; 4]| {
        let mean = f64::from(group.iter().sum::<u32>()) / 4.0;
        let square = |&n: &u32| (f64::from(n) - mean) * (f64::from(n) - mean);
        if mean > 0.0 { group.iter().map(square).sum::<f64>() / mean } else { 0.0 }
    };
    counts.iter().map(chi).sum()
}

/// `mazes` mazes of one split: no two with one placed path, colours balanced within their groups.
///
/// A longer set of the same seed begins with the shorter one.
pub(crate) fn maze_set(law: &Law, split: Split, mazes: u32, seed: Seed) -> Vec<Maze> {
    let label = if split == Split::Train { "train" } else { "test" };
    let seed = seed.stream("halma/mazes").stream(label);
    let mut taken = BTreeSet::new();
    let mut counts = Colours::default();
    let mut set = Vec::with_capacity(mazes as usize);
    for i in 0..u64::from(mazes) {
        let mut rng = seed.derive(i).rng();
        let (image, key) = loop {
            let maze = draw_maze(law, split, &mut rng);
            let own = colours(&maze);
            // The colours of an image are those of the maze, moved with their directions.
            let after = |s: Symmetry| {
                let mut counts = counts;
                for (group, own) in counts.iter_mut().zip(&own) {
                    for d in Direction::ALL {
                        group[s.direction(d) as usize] += own[d as usize];
                    }
                }
                counts
            };
            let mut order = Symmetry::ALL.map(|s| (imbalance(&after(s)), s));
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let free = order.into_iter().find_map(|(_, s)| {
                let path: Vec<Direction> = maze.shape().iter().map(|&d| s.direction(d)).collect();
                let key = (s.cell(maze.start()), path);
                (!taken.contains(&key)).then_some((s, key))
            });
            if let Some((s, key)) = free {
                counts = after(s);
                break (maze.image(s), key);
            }
        };
        taken.insert(key);
        set.push(image);
    }
    set
}
