//! The scoring procedure of the memory paper (Fortunato et al. 2019, appendix B.1).
//!
//! The paper smooths each seed's rewards over training, takes the moment at which the *train* curve is highest, and
//! reads the hold-out curves at that moment. Hold-out scores never choose the moment.

/// Smoothing of `PsychLab` tasks and the procedural maze (appendix B.1).
pub(crate) const FAST: f64 = 0.05;
/// Smoothing of all other tasks (appendix B.1).
pub(crate) const SLOW: f64 = 0.001;
/// Points of the rolling mean (appendix B.1).
const WINDOW: usize = 10;
/// The smoothing that the paper gives a task, by its name without family and version.
#[must_use]
pub fn alpha(task: &str) -> f64 {
    let fast = ["arbitrary-visuomotor-mapping", "continuous-recognition", "change-detection", "what-then-where"];
    if fast.contains(&task) || task == "explore-goal-locations" { FAST } else { SLOW }
}

/// The mean; `None` of nothing.
fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Exponentially weighted mean, starting at the first reward.
#[must_use]
pub(crate) fn smoothed(rewards: &[f64], alpha: f64) -> Vec<f64> {
    let mut at = rewards.first().copied().unwrap_or_default();
    let next = |&reward: &f64| {
        at += alpha * (reward - at);
        at
    };
    rewards.iter().map(next).collect()
}

/// The mean of each [`WINDOW`] of successive values, the first of them first; empty if there are fewer.
#[must_use]
pub(crate) fn rolled(values: &[f64]) -> Vec<f64> {
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The mean.
    pub mean: f64,
    /// The standard error; `None` of one seed.
    pub error: Option<f64>,
}

/// The mean of `values` over seeds; `None` if there are none.
#[must_use]
pub(crate) fn over_seeds(values: &[f64]) -> Option<Score> {
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
