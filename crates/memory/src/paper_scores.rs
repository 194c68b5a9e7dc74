//! The scoring procedure of the memory paper (Fortunato et al. 2019, appendix B.1).
//!
//! The paper smooths each seed's rewards over training, takes the moment at which the *train* curve is highest, and
//! reads the hold-out curves at that moment. Hold-out scores never choose the moment. Its smoothing is of one episode after
//! another; a point of our curves is the mean of several, and counts as that many episodes of this reward.

use heldout_core::{Scoring, Snapshot, Training};

/// Smoothing of `PsychLab` tasks and the procedural maze (appendix B.1).
pub(crate) const FAST: f64 = 0.05;
/// Smoothing of all other tasks (appendix B.1).
pub(crate) const SLOW: f64 = 0.001;
/// Points of the rolling mean (appendix B.1).
const WINDOW: usize = 10;

/// The procedure, for reports.
pub(crate) const SCORING: Scoring = Scoring {
    caption: "As the paper scores its agents (appendix B.1): the curves of each seed are smoothed exponentially, by 0.05 per \
              episode in PsychLab's tasks and the procedural maze and by 0.001 in all others, then averaged over ten points; a \
              seed is read where its curve of training is highest, and what is held out is read at that same moment and \
              chooses nothing. The smoothing begins at the first point: after few episodes the slow one is still near it.",
    snapshot: |id, training| snapshot(training, alpha(id)),
};

/// The smoothing that the paper gives a task, by its id; small variants have that of their parents.
#[must_use]
pub(crate) fn alpha(id: &str) -> f64 {
    let name = id.split_once('/').map_or(id, |(_, name)| name);
    let name = name.rsplit_once("-v").map_or(name, |(name, _)| name);
    let fast = ["arbitrary-visuomotor-mapping", "continuous-recognition", "change-detection", "what-then-where"];
    let name = name.strip_suffix("-mini").unwrap_or(name);
    if fast.contains(&name) || name == "explore-goal-locations" { FAST } else { SLOW }
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
    values.windows(WINDOW).map(|window| window.iter().sum::<f64>() / WINDOW as f64).collect()
}

/// The moment at which the train curve is highest, the earliest if there are several, and the scores there; `None` if a series
/// is shorter than a window or the series are not of equal length.
#[must_use]
pub(crate) fn snapshot(training: &Training, alpha: f64) -> Option<Snapshot> {
    // What so many episodes in a row of one reward leave of what was before.
    let alpha = 1.0 - libm::pow(1.0 - alpha, training.episodes.max(1) as f64);
    let curve = |rewards: &[f64]| rolled(&smoothed(rewards, alpha));
    let train = curve(&training.train);
    let window = (0..train.len()).reduce(|best, i| if train[i] > train[best] { i } else { best })?;
    if training.held_out.iter().any(|series| series.len() != training.train.len()) {
        return None;
    }
    let held_out = training.held_out.iter().map(|series| curve(series)[window]).collect();
    Some(Snapshot { moments: window..window + WINDOW, train: train[window], held_out })
}
