//! What the tests of HALMA share.

mod builds;
#[cfg(feature = "files")]
mod commands;
mod dynamic_tests;
mod dynamics;
mod forged;
mod kind;
mod maze;
mod observation;
mod oracle;
mod shortcuts;
mod words;

use crate::environment::Halma;
use crate::generate::{DepthLaw, Law, PathSampling};
use crate::maze::{Cell, Direction, Maze, Walls};
use heldout_core::{Batch, Buffers, Environment, Options, Reset, Seed, Status, VecEnv};

/// The two environments.
pub(crate) type Symbolic = Halma<crate::symbolic::Symbolic>;
pub(crate) type Visual = Halma<crate::visual::Visual>;

/// The law of training mazes.
pub(crate) const TRAIN_LAW: Law = Law {
    path_sampling: PathSampling::UniformOffset,
    walls: Walls::Thin,
    branches: 5,
    depth: 2,
    depths: DepthLaw::Uniform,
    turn_probability: 2.0 / 3.0,
};

/// The law of test mazes.
pub(crate) const TEST_LAW: Law = Law { depth: 5, ..TRAIN_LAW };

/// The value that chi-square exceeds with probability 0.001 (Wilson and Hilferty's approximation).
pub(crate) fn chi_square_critical(freedom: u32) -> f64 {
    let n = f64::from(freedom);
    let z = 3.0902; // The standard Gaussian exceeds this with probability 0.001.
    let root = 1.0 - 2.0 / (9.0 * n) + z * (2.0 / (9.0 * n)).sqrt();
    n * root * root * root
}

/// A cell.
pub(crate) fn cell(x: i32, y: i32) -> Cell {
    Cell::new(x, y).unwrap()
}

/// A path in letters.
pub(crate) fn moves(letters: &str) -> Vec<Direction> {
    letters.chars().map(|c| Direction::of_letter(c).unwrap()).collect()
}

/// A maze drawn by hand.
pub(crate) fn maze(start: (i32, i32), path: &str, branches: &[((i32, i32), &str)]) -> Maze {
    let mut maze = Maze::path(cell(start.0, start.1), &moves(path)).unwrap();
    for ((x, y), letters) in branches {
        maze.add_branch(cell(*x, *y), &moves(letters), Walls::Thin).unwrap();
    }
    maze
}

/// A file of problems that goes when it is dropped.
pub(crate) struct ProblemFile(std::path::PathBuf);

impl ProblemFile {
    pub(crate) fn new(name: &str, set: &crate::problems::TestSet) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-halma-{}-{name}.json", std::process::id()));
        std::fs::write(&path, set.to_json()).unwrap();
        Self(path)
    }

    /// A file of mazes drawn by hand.
    pub(crate) fn of(name: &str, mazes: Vec<Maze>) -> Self {
        use crate::problems::{Problem, TestSet};
        let problems = mazes.into_iter().map(|maze| Problem { maze, targets: Vec::new(), foreign: 0 }).collect();
        Self::new(name, &TestSet::new("by hand", "a test", problems))
    }

    /// Its path, as a config has it.
    pub(crate) fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for ProblemFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What one episode came to.
#[derive(Clone, Debug)]
pub(crate) struct Episode {
    pub(crate) problem: u32,
    pub(crate) status: Status,
    values: Vec<f32>,
    names: Vec<String>,
}

impl Episode {
    pub(crate) fn get(&self, metric: &str) -> f32 {
        self.values[self.names.iter().position(|n| n == metric).unwrap()]
    }
}

/// Plays every problem once, or `episodes` if given, with a scripted policy.
pub(crate) fn play<E: Environment<Variant = ()>>(
    config: &E::Config,
    policy: &str,
    episodes: Option<usize>,
    seed: u64,
) -> (Vec<Episode>, Batch<E>) {
    let mut env = Batch::<E>::new(config, (), 1, Options::default()).unwrap();
    let problems = env.spec().problems.unwrap() as usize;
    let len = problems.min(100);
    if len > 1 {
        env = Batch::<E>::new(config, (), len, Options::default()).unwrap();
    }
    let wanted = episodes.unwrap_or(problems);
    let mut buffers = Buffers::new(env.spec(), len);
    env.seat(0, policy, Seed(seed)).unwrap();
    let names: Vec<String> = env.spec().metrics.iter().map(|m| m.name.clone()).collect();
    let width = names.len();
    let mut actions = vec![0; len * env.spec().action_width()];
    let mut done = Vec::new();
    // One problem after the other, a batch at a time.
    let mut next = 0;
    while done.len() < wanted {
        let these: Vec<Option<u32>> = (0..len).map(|i| Some(((next + i) % problems) as u32)).collect();
        let reset =
            Reset { seeds: heldout_core::Seeding::Root(Seed(seed).derive(next as u64)), problems: &these, mask: None };
        env.reset(reset, buffers.output()).unwrap();
        next += len;
        let mut open = vec![true; len];
        while open.contains(&true) {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
            for i in 0..len {
                if open[i] && buffers.status[i].ended() {
                    open[i] = false;
                    let values = buffers.metrics[i * width..(i + 1) * width].to_vec();
                    let (status, names) = (buffers.status[i], names.clone());
                    done.push(Episode { problem: these[i].unwrap(), status, values, names });
                }
            }
        }
    }
    done.truncate(wanted);
    (done, env)
}

/// The mean of a metric.
pub(crate) fn mean(episodes: &[Episode], metric: &str) -> f64 {
    episodes.iter().map(|e| f64::from(e.get(metric))).sum::<f64>() / episodes.len() as f64
}
