//! HALMA: acceptance checks 1 to 10, the problem space and its statistics.

use std::collections::BTreeSet;

use super::{TEST_LAW, TRAIN_LAW, chi_square_critical};
use crate::config::SymbolicConfig;
use crate::experience::checksum;
use crate::generate::{
    DepthLaw, Law, PathSampling, Split, draw_depth, draw_offset, draw_shape, draw_start, maze_set, offsets, paths_of,
    side_of,
};
use crate::maze::{Cell, Direction, Maze, MazeError, SIDE, Walls};
use crate::observation::Entries;
use crate::stats::{PanelCounts, log_linearity, mean_and_deviation};
use heldout_core::{Rng, Seed};

const SEED: Seed = Seed(0);

/// Paths between two cells by dynamic programming, summed over all signed offsets of a grid.
fn brute_force(side: usize) -> u32 {
    let mut ways = vec![vec![1_u32; side]; side];
    for y in 1..side {
        for x in 1..side {
            ways[y][x] = ways[y - 1][x] + ways[y][x - 1];
        }
    }
    let mut total = 0;
    for (y, row) in ways.iter().enumerate() {
        for (x, &n) in row.iter().enumerate() {
            let signs = u32::from(x > 0) + 1;
            total += n * signs * (u32::from(y > 0) + 1) * u32::from((x, y) != (0, 0));
        }
    }
    total
}

/// Number of shapes of optimal paths in a grid of `side` cells.
fn shapes(side: i32) -> u32 {
    offsets(side).map(|(dx, dy)| paths_of(dx.unsigned_abs(), dy.unsigned_abs())).sum()
}

#[test]
fn halma_check_01_counts_the_shapes_of_paths() {
    assert_eq!(shapes(SIDE), 738_980);
    assert_eq!(offsets(SIDE).count(), 360);
    for n in 2..=6 {
        let closed = 4 * paths_of(n, n) - 4 * n - 4;
        assert_eq!(closed, brute_force(n as usize), "side {n}");
        assert_eq!(closed, shapes(n as i32), "side {n}");
    }
    assert_eq!(4 * paths_of(10, 10) - 44, 738_980);
}

#[test]
fn halma_check_02_samples_offsets_and_shapes_uniformly() {
    const DRAWS: usize = 100_000;
    let mut rng = SEED.stream("check 2").rng();
    let all: Vec<_> = offsets(SIDE).collect();
    let mut counts = vec![0_u32; all.len()];
    for _ in 0..DRAWS {
        let offset = draw_offset(PathSampling::UniformOffset, &mut rng);
        counts[all.iter().position(|&o| o == offset).unwrap()] += 1;
    }
    let chi = |counts: &[u32]| {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts.iter().map(|&n| (f64::from(n) - mean) * (f64::from(n) - mean) / mean).sum::<f64>()
    };
    assert!(chi(&counts) < chi_square_critical(359), "chi-square {}", chi(&counts));
    assert!(counts.iter().all(|&n| n > 0));

    let mut seen: Vec<(Vec<Direction>, u32)> = Vec::new();
    for _ in 0..20_000 {
        let shape = draw_shape((3, 3), &mut rng);
        match seen.iter_mut().find(|(s, _)| *s == shape) {
            Some((_, n)) => *n += 1,
            None => seen.push((shape, 1)),
        }
    }
    assert_eq!(seen.len(), 20);
    let counts: Vec<u32> = seen.iter().map(|(_, n)| *n).collect();
    assert!(chi(&counts) < chi_square_critical(19), "chi-square {}", chi(&counts));

    let (mut corners, mut length) = (0, 0);
    for _ in 0..DRAWS {
        let (dx, dy) = draw_offset(PathSampling::UniformShape, &mut rng);
        corners += u32::from(dx.abs() == 9 && dy.abs() == 9);
        length += dx.abs() + dy.abs();
        let start = draw_start((dx, dy), &mut rng);
        assert!(Cell::new(start.x() + dx, start.y() + dy).is_some());
    }
    let (corners, length) = (f64::from(corners) / DRAWS as f64, f64::from(length) / DRAWS as f64);
    assert!((corners - 0.2632).abs() < 0.005, "{corners}");
    assert!((length - 16.18).abs() < 0.05, "{length}");
}

/// Asserts that a maze is a tree inside the grid with a path that never turns away from the goal.
fn check_maze(maze: &Maze) {
    let cells: Vec<Cell> = maze.cells().collect();
    let edges: u32 = cells.iter().map(|&c| maze.degree(c)).sum();
    assert_eq!(edges as usize, 2 * (cells.len() - 1), "edges are one fewer than cells");
    // Connected: every cell but the goal has a first move toward it.
    let ways = maze.ways();
    let lost = cells.iter().filter(|&&c| ways[c.index()].is_none()).count();
    assert_eq!(lost, 1, "every cell leads to the goal");
    for &c in &cells {
        for d in Direction::ALL.into_iter().filter(|&d| maze.is_passage(c, d)) {
            let to = c.moved(d, 1).expect("a passage stays inside the grid");
            assert!(maze.is_passage(to, d.opposite()), "passages go both ways");
        }
    }
    assert_ne!(maze.start(), maze.goal());
    let path: Vec<Cell> = maze.path_cells().collect();
    assert_eq!((path[0], *path.last().unwrap()), (maze.start(), maze.goal()));
    for pair in path.windows(2) {
        assert_eq!(pair[1].distance(maze.goal()) + 1, pair[0].distance(maze.goal()));
        assert_eq!(pair[0].moved(ways[pair[0].index()].unwrap(), 1), Some(pair[1]), "the path is the way");
    }
}

#[test]
fn halma_check_03_mazes_are_trees_with_monotone_paths() {
    let block = Law { walls: Walls::Block, ..TEST_LAW };
    let shape = Law { path_sampling: PathSampling::UniformShape, ..TRAIN_LAW };
    for (law, split) in
        [(TRAIN_LAW, Split::Train), (TEST_LAW, Split::Test), (block, Split::Test), (shape, Split::Train)]
    {
        let all = maze_set(&law, split, 1_000, SEED);
        assert!(all.iter().all(|maze| !maze.branches().is_empty()), "a maze has branches");
        for maze in all {
            check_maze(&maze);
            if law.walls == Walls::Block {
                // Between wall cells, neighbours are connected or not both open.
                for c in maze.cells() {
                    for d in Direction::ALL {
                        let beside = c.moved(d, 1).is_some_and(|n| maze.is_open(n));
                        assert_eq!(beside, maze.is_passage(c, d));
                    }
                }
            }
        }
    }
}

/// Both laws have the mean that they are given; the uniform one ends below twice that, the geometric one at the longest branch.
#[test]
fn halma_both_depth_laws_have_the_mean_depth() {
    for (depths, longest) in [(DepthLaw::Uniform, 9), (DepthLaw::Geometric, 18)] {
        let law = Law { depths, ..TEST_LAW };
        let mut rng = Rng::new(Seed(7));
        let drawn: Vec<u32> = (0..20_000).map(|_| draw_depth(&law, &mut rng)).collect();
        let mean = f64::from(drawn.iter().sum::<u32>()) / drawn.len() as f64;
        assert!((4.8..=5.1).contains(&mean), "{depths:?}: {mean}");
        assert_eq!(drawn.iter().min(), Some(&1));
        assert_eq!(drawn.iter().max(), Some(&longest));
    }
}

#[test]
fn halma_check_04_branches_have_their_mean_depth_and_number() {
    for (law, split, depths, number) in
        [(TRAIN_LAW, Split::Train, 1.9..=2.1, 4.9..=5.0), (TEST_LAW, Split::Test, 4.7..=5.1, 4.6..=5.0)]
    {
        let set = maze_set(&law, split, 1_000, SEED);
        let branches: Vec<usize> = set.iter().flat_map(|m| m.branches().iter().map(|b| b.moves.len())).collect();
        let depth = branches.iter().sum::<usize>() as f64 / branches.len() as f64;
        let mean = branches.len() as f64 / set.len() as f64;
        println!("{split:?}: mean depth {depth}, mean branches {mean}");
        assert!(depths.contains(&depth), "{split:?}: mean depth {depth}");
        assert!(number.contains(&mean), "{split:?}: mean branches {mean}");
    }
}

/// Section 1.5: branches are two cells deep on average in training, and five in tests.
#[test]
fn the_split_says_how_deep_branches_are() {
    let depth = |split| SymbolicConfig { split, ..SymbolicConfig::default() }.settings().law().depth;
    assert_eq!([Split::Train, Split::Test].map(depth), [TRAIN_LAW.depth, TEST_LAW.depth]);
    assert_eq!([TRAIN_LAW.depth, TEST_LAW.depth], [2, 5]);
}

#[test]
fn halma_check_05_hints_lead_to_the_goal() {
    for (law, split) in [(TRAIN_LAW, Split::Train), (TEST_LAW, Split::Test)] {
        for maze in maze_set(&law, split, 300, SEED) {
            let ways = maze.ways();
            for cell in maze.cells() {
                let entries = Entries::of(&maze, &ways, cell);
                let shown = maze.is_crossing(cell) && cell != maze.goal();
                assert_eq!(entries.hint().is_some(), shown);
                if let Some(hint) = entries.hint() {
                    // Walking by the ways from the hinted cell reaches the goal without coming back.
                    let mut at = cell.moved(hint, 1).unwrap();
                    while let Some(d) = ways[at.index()] {
                        at = at.moved(d, 1).unwrap();
                        assert_ne!(at, cell);
                    }
                    assert_eq!(at, maze.goal());
                }
            }
        }
    }
}

#[test]
fn halma_check_06_valid_mazes_are_never_misleading() {
    // Fig. S1 (c): a path shaped like a C.
    let (left, down, right) = (Direction::Left, Direction::Down, Direction::Right);
    let c = [left, left, down, down, right, right];
    let start = Cell::new(5, 7).unwrap();
    assert_eq!(Maze::path(start, &c), Err(MazeError::Detour { at: 0 }));
    assert_eq!(Maze::path(start, &[]), Err(MazeError::Empty));
    assert_eq!(Maze::path(start, &[right; 5]), Err(MazeError::Outside));
    let mut maze = Maze::path(start, &[right, down, down]).unwrap();
    assert_eq!(maze.add_branch(start, &[down, right], Walls::Thin), Err(MazeError::Loop));
    assert_eq!(maze.add_branch(Cell::new(0, 0).unwrap(), &[right], Walls::Thin), Err(MazeError::Detached));
    // Beside a corridor there may be another only where walls are thin. From the start, downwards and then beside the path.
    let beside = [down, down];
    assert_eq!(maze.add_branch(start, &beside, Walls::Block), Err(MazeError::Loop));
    assert_eq!(maze.add_branch(start, &[left, left], Walls::Block), Ok(()));
    assert_eq!(maze.add_branch(start, &beside, Walls::Thin), Ok(()));
    for (law, split) in [(TRAIN_LAW, Split::Train), (TEST_LAW, Split::Test)] {
        for maze in maze_set(&law, split, 300, SEED) {
            let ways = maze.ways();
            for (cell, &d) in maze.path_cells().zip(maze.shape()) {
                if !maze.is_crossing(cell) {
                    let entries = Entries::of(&maze, &ways, cell);
                    let toward = |d: &Direction| entries.wall(*d) > 0 && entries.toward(*d) > 0;
                    assert_eq!(Direction::ALL.into_iter().filter(toward).collect::<Vec<_>>(), [d]);
                }
            }
        }
    }
}

#[test]
fn halma_check_07_sets_are_reproducible_and_disjoint() {
    let train = maze_set(&TRAIN_LAW, Split::Train, 100, SEED);
    assert_eq!(train, maze_set(&TRAIN_LAW, Split::Train, 100, SEED));
    assert_eq!(format!("{:08x}", checksum(&train)), "528fb68f");
    assert_ne!(checksum(&train), checksum(&maze_set(&TRAIN_LAW, Split::Train, 100, Seed(1))));
    assert_eq!(maze_set(&TRAIN_LAW, Split::Train, 30, SEED), train[..30], "a longer set begins with the shorter one");
    let placed = |set: &[Maze]| set.iter().map(|m| (m.start(), m.shape().to_vec())).collect::<BTreeSet<_>>();
    let train = maze_set(&TRAIN_LAW, Split::Train, 1_000, SEED);
    let trained = placed(&train);
    assert_eq!(trained.len(), 1_000, "no two mazes share start and shape");
    for seed in 0..3 {
        let test = maze_set(&TEST_LAW, Split::Test, 1_000, Seed(seed));
        let tested = placed(&test);
        assert_eq!(tested.len(), 1_000);
        assert!(trained.is_disjoint(&tested));
    }
    // Both sides of the split have paths of every offset.
    let mut rng = SEED.stream("check 7").rng();
    for offset in offsets(SIDE) {
        for split in [Split::Train, Split::Test] {
            let there = (0..2_000).any(|_| {
                let (path, start) = (draw_shape(offset, &mut rng), draw_start(offset, &mut rng));
                side_of(start, &path) == split
            });
            assert!(there, "{offset:?} has no path on the side {split:?}");
        }
    }
}

/// The ten training sets of Fig. S5.
fn ten_sets() -> Vec<PanelCounts> {
    (0..10).map(|seed| PanelCounts::of(&maze_set(&TRAIN_LAW, Split::Train, 100, Seed(seed)))).collect()
}

#[test]
fn halma_check_08_most_panels_have_three_to_six_digits() {
    let sets = ten_sets();
    let (share, _) = mean_and_deviation(sets.iter().map(PanelCounts::share_of_three_to_six));
    println!("share of panels with 3 to 6 digits: {share}");
    assert!(share > 0.9, "{share}");
    for set in &sets {
        assert_eq!(set.digits_in_panel[0], 0);
        assert_eq!(set.digits_in_panel[9..], [0, 0]);
    }
}

#[test]
fn halma_check_09_digits_fall_off_log_linearly() {
    let sets = ten_sets();
    let means: Vec<f64> = (1..=9).map(|d| mean_and_deviation(sets.iter().map(|s| f64::from(s.digits[d]))).0).collect();
    println!("mean counts of digits 1 to 9: {means:?}, log-linearity {}", log_linearity(&means));
    assert!(means[0] > 4_000.0, "{means:?}");
    assert!(means[8] < 100.0, "{means:?}");
    assert!(means.windows(2).all(|w| w[0] > w[1]), "{means:?}");
    assert!(log_linearity(&means) > 0.95, "{}", log_linearity(&means));
}

/// Of logarithms 0, 1, 3 a line explains 27 of 28 parts.
#[test]
fn log_linearity_is_the_share_that_a_line_explains() {
    let of = |logs: &[f64]| log_linearity(&logs.iter().map(|&x| libm::exp(x)).collect::<Vec<_>>());
    for (logs, share) in [(&[7.0, 5.0, 3.0, 1.0][..], 1.0), (&[2.0, 4.0, 2.0], 0.0), (&[0.0, 1.0, 3.0], 27.0 / 28.0)] {
        assert!((of(logs) - share).abs() < 1e-12, "{logs:?}: {}", of(logs));
    }
}

#[test]
fn halma_check_10_colours_are_balanced() {
    for (seed, set) in ten_sets().iter().enumerate() {
        println!("set {seed}: largest deviation {}", set.colour_deviation());
        assert!(set.colour_deviation() < 0.02, "set {seed}: {}", set.colour_deviation());
    }
}
