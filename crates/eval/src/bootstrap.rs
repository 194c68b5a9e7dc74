//! Intervals by a stratified bootstrap.
//!
//! # What is drawn
//!
//! A *stratum* is one agent under one condition of one task. It holds runs, and a run is one seed: the score of a run is
//! the mean of its episodes, weighed where the metric has a weight. Runs are drawn with replacement, within each stratum
//! on its own, as rliable does, and the statistic is computed again from the runs drawn; the interval runs from the 2.5th
//! to the 97.5th percentile of what comes out.
//!
//! Where a stratum has one run alone, its episodes are drawn instead: the interval then speaks of other episodes of the
//! same seed. The same where its runs are alike to the episode, as those of a deterministic policy on a finite problem
//! set are: drawing among equals would give an interval of no width, and call certain what was asked only once. A stratum
//! of a single episode has nothing to draw.
//!
//! Two sides of a comparison are drawn independently of each other, runs of equal seed too: that is right for separate
//! agents, and gives too wide an interval rather than too narrow a one where their scores go together.

use heldout_core::{Rng, Seed};
use serde::Serialize;

use crate::aggregate::average;

/// How often is drawn unless told.
pub const RESAMPLES: usize = 2_000;
/// Draws at the most.
pub const MOST_RESAMPLES: usize = 1_000_000;
/// What lies outside a 95 % interval at either end.
const TAIL: f64 = 0.025;

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in it, ends included.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// What one episode scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The score.
    pub value: f64,
    /// What it weighs in the mean of its run.
    pub weight: f64,
}

/// The mean of a run's episodes by their weights; `None` if they weigh nothing.
fn score(mut episodes: impl Iterator<Item = Scored>) -> Option<f64> {
    let first = episodes.next()?;
    // Around the first value, so that the mean of a constant is that constant to the last bit.
    let (mut weight, mut sum) = (first.weight, 0.0);
    for episode in episodes {
        weight += episode.weight;
        sum += episode.weight * (episode.value - first.value);
    }
    (weight > 0.0).then(|| first.value + sum / weight)
}

/// One agent under one condition of one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratum {
    runs: Vec<Vec<Scored>>,
    scores: Vec<f64>,
}

impl Stratum {
    /// Of runs of episodes; a run whose episodes weigh nothing has no score and is left out.
    #[must_use]
    pub fn new(runs: Vec<Vec<Scored>>) -> Self {
        let scored = runs.into_iter().filter_map(|run| Some((score(run.iter().copied())?, run)));
        let (scores, runs) = scored.unzip();
        Self { runs, scores }
    }

    /// Of the scores of runs alone.
    #[must_use]
    pub fn of_scores(scores: &[f64]) -> Self {
        Self::new(scores.iter().map(|&value| vec![Scored { value, weight: 1.0 }]).collect())
    }

    /// The score of each run.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Number of episodes in all runs.
    #[must_use]
    pub fn episodes(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }

    /// The mean of the runs' scores.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        average(&self.scores)
    }

    /// The same with every episode's value changed by `change`.
    #[must_use]
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let run = |run: &Vec<Scored>| run.iter().map(|e| Scored { value: change(e.value), ..*e }).collect();
        Self::new(self.runs.iter().map(run).collect())
    }

    /// Whether there is one run, or many that are all the same.
    fn single(&self) -> bool {
        // A run of one episode says nothing more than its score, and equal scores may well be chance.
        let equal = self.runs.first().is_some_and(|run| run.len() > 1) && self.runs.windows(2).all(|w| w[0] == w[1]);
        self.runs.len() == 1 || equal
    }

    /// Whether drawing could give anything else than what there is.
    fn has_choice(&self) -> bool {
        if self.single() { self.runs[0].len() > 1 } else { self.runs.len() > 1 }
    }

    /// Scores of runs drawn; `None` if what is drawn weighs nothing.
    fn draw(&self, rng: &mut Rng, single: bool, scores: &mut Vec<f64>) -> Option<()> {
        scores.clear();
        if single {
            let run = &self.runs[0];
            scores.push(score((0..run.len()).map(|_| run[rng.below(run.len() as u32) as usize]))?);
        } else {
            let n = self.scores.len() as u32;
            scores.extend((0..n).map(|_| self.scores[rng.below(n) as usize]));
        }
        Some(())
    }
}

/// The scores of the runs of `strata`.
#[must_use]
pub fn scores(strata: &[Stratum]) -> Vec<Vec<f64>> {
    strata.iter().map(|stratum| stratum.scores.clone()).collect()
}

/// The interval of each number that `statistic` computes from groups of strata.
///
/// The statistic is given, for each group, the scores of the runs of each stratum. A draw for which it has no value is
/// left out. `None` if nothing can be drawn, or nothing computed.
pub fn intervals(
    groups: &[&[Stratum]],
    seed: Seed,
    resamples: usize,
    statistic: impl Fn(&[Vec<Vec<f64>>]) -> Option<Vec<f64>>,
) -> Option<Vec<Interval>> {
    let mut drawn: Vec<Vec<Vec<f64>>> = groups.iter().map(|strata| scores(strata)).collect();
    let width = statistic(&drawn)?.len();
    if !groups.iter().flat_map(|strata| strata.iter()).any(Stratum::has_choice) {
        return None;
    }
    let singles: Vec<Vec<bool>> = groups.iter().map(|g| g.iter().map(Stratum::single).collect()).collect();
    let mut columns = vec![Vec::with_capacity(resamples); width];
    for number in 0..resamples {
        let mut rng = seed.derive(number as u64).rng();
        let mut whole = true;
        for ((strata, drawn), singles) in groups.iter().zip(&mut drawn).zip(&singles) {
            for ((stratum, scores), &single) in strata.iter().zip(drawn).zip(singles) {
                whole &= stratum.draw(&mut rng, single, scores).is_some();
            }
        }
        let Some(values) = whole.then(|| statistic(&drawn)).flatten() else { continue };
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    columns
        .into_iter()
        .map(|mut column| {
            column.sort_by(f64::total_cmp);
            Some(Interval { low: percentile(&column, TAIL)?, high: percentile(&column, 1.0 - TAIL)? })
        })
        .collect()
}

/// The interval of one number: see [`intervals`].
pub fn interval(
    groups: &[&[Stratum]],
    seed: Seed,
    resamples: usize,
    statistic: impl Fn(&[Vec<Vec<f64>>]) -> Option<f64>,
) -> Option<Interval> {
    intervals(groups, seed, resamples, |drawn| Some(vec![statistic(drawn)?]))?.first().copied()
}

/// The value below which the share `q` of `sorted` lies, between two of them in proportion.
fn percentile(sorted: &[f64], q: f64) -> Option<f64> {
    let place = q * (sorted.len().checked_sub(1)?) as f64;
    let below = place.floor();
    let (low, high) = (sorted[below as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * (place - below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate;

    fn mean_of(drawn: &[Vec<Vec<f64>>]) -> Option<f64> {
        aggregate::mean(&drawn[0])
    }

    fn plain(values: &[f64]) -> Vec<Scored> {
        values.iter().map(|&value| Scored { value, weight: 1.0 }).collect()
    }

    #[test]
    fn percentiles_interpolate() {
        let sorted = [0.0, 10.0, 20.0, 30.0, 40.0];
        assert_eq!(percentile(&sorted, 0.0), Some(0.0));
        assert_eq!(percentile(&sorted, 0.375), Some(15.0));
        assert_eq!(percentile(&sorted, 1.0), Some(40.0));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn a_run_is_the_weighed_mean_of_its_episodes() {
        let run = vec![Scored { value: 1.0, weight: 1.0 }, Scored { value: 0.0, weight: 3.0 }];
        let nothing = vec![Scored { value: 1.0, weight: 0.0 }];
        let stratum = Stratum::new(vec![run, nothing, plain(&[2.0, 4.0])]);
        assert_eq!(stratum.scores(), [0.25, 3.0]);
        assert_eq!(stratum.episodes(), 4);
        assert_eq!(stratum.map(|x| 2.0 * x + 1.0).scores(), [1.5, 7.0]);
    }

    #[test]
    fn two_runs_give_the_interval_of_the_binomial() {
        // The mean of two draws among 0 and 1 is 0, 0.5 or 1 with probability 1/4, 1/2, 1/4.
        let strata = [Stratum::of_scores(&[0.0, 1.0])];
        let interval = interval(&[&strata], Seed(1), 1000, mean_of);
        assert_eq!(interval, Some(Interval { low: 0.0, high: 1.0 }));
        // Of 40 tasks of that kind the mean has standard deviation sqrt(1/8 / 40) = 0.0559: 0.5 -+ 1.96 of them.
        let strata = vec![Stratum::of_scores(&[0.0, 1.0]); 40];
        let interval = super::interval(&[&strata], Seed(1), 20_000, mean_of).expect("there is something to draw");
        assert!((interval.low - (0.5 - 0.1096)).abs() < 0.013, "{interval:?}");
        assert!((interval.high - (0.5 + 0.1096)).abs() < 0.013, "{interval:?}");
    }

    #[test]
    fn strata_are_drawn_apart() {
        // Tasks differ, runs do not: drawing within strata gives no spread at all.
        let strata = [Stratum::of_scores(&[0.0, 0.0, 0.0]), Stratum::of_scores(&[1.0, 1.0, 1.0])];
        let interval = interval(&[&strata], Seed(2), 500, mean_of);
        assert_eq!(interval, Some(Interval { low: 0.5, high: 0.5 }));
    }

    #[test]
    fn one_run_draws_episodes_and_equal_runs_count_as_one() {
        let once = [Stratum::new(vec![plain(&[0.0, 1.0])])];
        let thrice = [Stratum::new(vec![plain(&[0.0, 1.0]); 3])];
        let expected = Some(Interval { low: 0.0, high: 1.0 });
        assert_eq!(interval(&[&once], Seed(3), 1000, mean_of), expected);
        assert_eq!(interval(&[&thrice], Seed(3), 1000, mean_of), expected);
        // Two runs that differ are runs: each is 0.5, whatever their episodes.
        let differ = [Stratum::new(vec![plain(&[0.0, 1.0]), plain(&[1.0, 0.0])])];
        assert_eq!(interval(&[&differ], Seed(3), 1000, mean_of), Some(Interval { low: 0.5, high: 0.5 }));
    }

    #[test]
    fn a_single_episode_has_no_interval() {
        let strata = [Stratum::new(vec![plain(&[1.0])])];
        assert_eq!(interval(&[&strata], Seed(4), 100, mean_of), None);
        assert_eq!(interval(&[&[]], Seed(4), 100, mean_of), None);
        assert_eq!(interval(&[&[Stratum::default()]], Seed(4), 100, mean_of), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_bits() {
        let strata = [Stratum::of_scores(&[0.3, 0.1, 0.9]), Stratum::of_scores(&[0.7, 0.2, 0.4])];
        let once = interval(&[&strata], Seed(5), 300, mean_of);
        assert_eq!(once, interval(&[&strata], Seed(5), 300, mean_of));
        assert_ne!(once, interval(&[&strata], Seed(6), 300, mean_of));
        // Frozen: a report must reproduce.
        let once = once.expect("there is something to draw");
        assert_eq!((once.low, once.high), (0.216_666_666_666_666_67, 0.649_999_999_999_999_9));
    }

    #[test]
    fn two_groups_are_drawn_independently() {
        let (left, right) = ([Stratum::of_scores(&[0.0, 1.0])], [Stratum::of_scores(&[0.0, 1.0])]);
        let gap = |drawn: &[Vec<Vec<f64>>]| Some(aggregate::mean(&drawn[0])? - aggregate::mean(&drawn[1])?);
        // Were they drawn together, the difference would always be 0. It is -1 with probability 1/16.
        let interval = interval(&[&left, &right], Seed(7), 2000, gap);
        assert_eq!(interval, Some(Interval { low: -1.0, high: 1.0 }));
    }
}
