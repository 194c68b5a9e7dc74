//! The scoring procedure of the memory paper (Fortunato et al. 2019, appendix B.1) and its reference scores.
//!
//! The paper smooths each seed's rewards over training, takes the moment at which the *train* curve is highest, and
//! reads the hold-out curves at that moment. Hold-out scores never choose the moment.

use serde::Serialize;

use crate::aggregate::average;

/// Smoothing of `PsychLab` tasks and the procedural maze (appendix B.1).
pub const FAST: f64 = 0.05;
/// Smoothing of all other tasks (appendix B.1).
pub const SLOW: f64 = 0.001;
/// Points of the rolling mean (appendix B.1).
pub const WINDOW: usize = 10;
/// A human-normalised score of people.
pub const HUMAN: f64 = 100.0;

/// Names of the three levels, in the order of [`Reference`].
pub const LEVELS: [&str; 3] = ["train", "holdout_interpolate", "holdout_extrapolate"];

/// What random play and people score on one task: train, interpolate, extrapolate (Tables 4 to 16).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// Name of the task.
    pub task: &'static str,
    /// Scores of random play.
    pub random: [f64; 3],
    /// Scores of people.
    pub human: [f64; 3],
    /// Whether the rules of the original are known, so that its human scores mean something here.
    pub comparable: bool,
    /// Smoothing of its rewards.
    pub alpha: f64,
}

/// The mean of the two train files, small and large, of the tasks that have two.
const fn both(small: f64, large: f64) -> f64 {
    f64::midpoint(small, large)
}

const fn psychlab(task: &'static str, random: [f64; 3], human: [f64; 3]) -> Reference {
    Reference { task, random, human, comparable: true, alpha: FAST }
}

const fn unity(task: &'static str, random: [f64; 3], human: [f64; 3]) -> Reference {
    Reference { task, random, human, comparable: false, alpha: SLOW }
}

/// The 13 tasks.
pub const REFERENCES: [Reference; 13] = [
    psychlab("arbitrary-visuomotor-mapping", [0.06, 0.06, 0.06], [50.00, 40.00, 75.00]),
    psychlab("continuous-recognition", [0.04, 0.05, 0.05], [49.40, 39.40, 74.20]),
    psychlab("change-detection", [0.00, 0.00, 0.00], [47.60, 48.80, 46.80]),
    psychlab("what-then-where", [0.02, 0.03, 0.01], [50.00, 50.00, 49.60]),
    unity("spot-diff", [0.05, 0.04, 0.04], [1.0, 1.0, 1.0]),
    unity("spot-diff-passive", [0.03, 0.03, 0.02], [1.0, 1.0, 1.0]),
    unity("spot-diff-multi", [0.01, 0.01, 0.00], [1.0, 1.0, 1.0]),
    unity("spot-diff-motion", [0.02, 0.02, 0.02], [1.0, 1.0, 1.0]),
    unity("visible-goal-with-buildings", [1.08, 0.58, 0.22], [23.60, 23.50, 14.30]),
    unity("invisible-goal-with-buildings", [0.95, 0.53, 0.20], [17.37, 12.40, 4.90]),
    unity("invisible-goal-empty-arena", [0.15, 0.15, 0.03], [4.90, 1.70, 0.30]),
    Reference {
        task: "explore-goal-locations",
        random: [both(7.79, 1.97), 3.89, 1.19],
        human: [both(364.0, 104.0), 198.0, 86.0],
        comparable: true,
        alpha: FAST,
    },
    unity("transitive-inference", [both(1.44, 1.44), 1.42, 1.43], [both(5.40, 6.60), 6.00, 7.20]),
];

/// The human-normalised score: 0 is random play, 100 is people.
#[must_use]
pub fn human_normalised(score: f64, random: f64, human: f64) -> f64 {
    HUMAN * ((score - random) / (human - random))
}

/// Exponentially weighted mean, starting at the first reward.
#[must_use]
pub fn smoothed(rewards: &[f64], alpha: f64) -> Vec<f64> {
    let mut at = rewards.first().copied().unwrap_or_default();
    let next = |&reward: &f64| {
        at += alpha * (reward - at);
        at
    };
    rewards.iter().map(next).collect()
}

/// The mean of each [`WINDOW`] of successive values, the first of them first; empty if there are fewer.
#[must_use]
pub fn rolled(values: &[f64]) -> Vec<f64> {
    values.windows(WINDOW).filter_map(average).collect()
}

/// Rewards of one seed over training; all series are taken at the same moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Training {
    /// Rewards on the train level.
    pub train: Vec<f64>,
    /// Rewards on each hold-out level.
    pub held_out: Vec<Vec<f64>>,
}

/// One seed's scores at the moment when its train curve is highest.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The moment: the number of the window of the rolling mean, the earliest of those that are highest.
    pub window: usize,
    /// The train score.
    pub train: f64,
    /// The hold-out scores.
    pub held_out: Vec<f64>,
}

impl Training {
    /// The moment at which the train curve is highest, and the scores there; `None` if a series is shorter than a window
    /// or the series are not of equal length.
    #[must_use]
    pub fn snapshot(&self, alpha: f64) -> Option<Snapshot> {
        let curve = |rewards: &[f64]| rolled(&smoothed(rewards, alpha));
        let train = curve(&self.train);
        let window = (0..train.len()).reduce(|best, i| if train[i] > train[best] { i } else { best })?;
        if self.held_out.iter().any(|series| series.len() != self.train.len()) {
            return None;
        }
        let held_out = self.held_out.iter().map(|series| curve(series)[window]).collect();
        Some(Snapshot { window, train: train[window], held_out })
    }
}

/// A mean over seeds and its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The mean.
    pub mean: f64,
    /// The standard error; `None` of one seed.
    pub error: Option<f64>,
}

/// The mean of `values` over seeds; `None` if there are none.
#[must_use]
pub fn over_seeds(values: &[f64]) -> Option<Score> {
    let (mean, n) = (average(values)?, values.len() as f64);
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    Some(Score { mean, error: (values.len() > 1).then(|| (squares / (n * (n - 1.0))).sqrt()) })
}

/// The paper's scores of several seeds: train first, then each hold-out level; `None` if a seed has no snapshot or the
/// seeds differ in their levels.
#[must_use]
pub fn paper_scores(seeds: &[Training], alpha: f64) -> Option<Vec<Score>> {
    let snapshots = seeds.iter().map(|seed| seed.snapshot(alpha)).collect::<Option<Vec<_>>>()?;
    let levels = snapshots.first()?.held_out.len();
    if snapshots.iter().any(|s| s.held_out.len() != levels) {
        return None;
    }
    let train = over_seeds(&snapshots.iter().map(|s| s.train).collect::<Vec<_>>());
    let level = |i: usize| over_seeds(&snapshots.iter().map(|s| s.held_out[i]).collect::<Vec<_>>());
    std::iter::once(train).chain((0..levels).map(level)).collect()
}
