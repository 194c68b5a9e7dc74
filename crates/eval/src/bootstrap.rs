//! Intervals of numbers that are no sums: medians, interquartile means, shares of runs above a threshold.
//!
//! # rliable's
//!
//! [`intervals`] is the stratified bootstrap of rliable (Agarwal et al. 2021): runs are drawn with replacement within each
//! task on its own, the statistic is computed again, and the interval runs from the 2.5th to the 97.5th percentile of what
//! comes out. With few runs it is too narrow, since the runs drawn vary less than runs do.
//!
//! # Ours
//!
//! [`scaled`] draws the same way, but takes from it only how much more or less the statistic varies than the mean does;
//! how much the mean varies is known from the strata, with its degrees of freedom (see [`crate::stratum`]). Strata of the
//! same policies are drawn together, and the score of a single run is moved by the error that its episodes give it.

use heldout_core::{Seed, Stop};

use crate::aggregate::{self, average};
use crate::stratum::{Contrast, Interval, Stratum, normal};

/// How often is drawn unless told.
pub const RESAMPLES: usize = 2_000;
/// Draws at the most.
pub const MOST_RESAMPLES: usize = 1_000_000;
/// What lies outside a 95 % interval at either end.
const TAIL: f64 = 0.025;

/// The scores of the runs of each task, for each of several groups.
type Groups = [Vec<Vec<f64>>];

/// rliable's interval of each number that `statistic` computes from groups of tasks, each with the scores of its runs.
///
/// A draw for which the statistic has no value is left out. `None` if no task has two runs, or nothing can be computed.
pub fn intervals(
    groups: &Groups,
    seed: Seed,
    resamples: usize,
    statistic: impl Fn(&Groups) -> Option<Vec<f64>>,
) -> Option<Vec<Interval>> {
    intervals_until(groups, seed, resamples, &|| false, statistic)
}

/// The same, or `None` once `stop` says so.
pub fn intervals_until(
    groups: &Groups,
    seed: Seed,
    resamples: usize,
    stop: Stop<'_>,
    statistic: impl Fn(&Groups) -> Option<Vec<f64>>,
) -> Option<Vec<Interval>> {
    let width = statistic(groups)?.len();
    if !groups.iter().flatten().any(|runs| runs.len() > 1) {
        return None;
    }
    let mut columns = vec![Vec::with_capacity(resamples); width];
    let mut drawn = groups.to_vec();
    for number in 0..resamples {
        if stop() {
            return None;
        }
        let mut rng = seed.derive(number as u64).rng();
        for (all, drawn) in groups.iter().flatten().zip(drawn.iter_mut().flatten()) {
            for score in drawn.iter_mut() {
                *score = all[rng.below(all.len() as u32) as usize];
            }
        }
        let Some(values) = statistic(&drawn) else { continue };
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    let ends = |mut column: Vec<f64>| {
        column.sort_by(f64::total_cmp);
        Some(Interval { low: percentile(&column, TAIL)?, high: percentile(&column, 1.0 - TAIL)? })
    };
    columns.into_iter().map(ends).collect()
}

/// The interval of each number that `statistic` computes from groups of strata, whose mean or difference of means is
/// `sum`. `None` where that has no interval, or nothing can be computed.
pub fn scaled(
    groups: &[&[Stratum]],
    sum: Contrast,
    seed: Seed,
    resamples: usize,
    statistic: impl Fn(&Groups) -> Option<Vec<f64>>,
) -> Option<Vec<Interval>> {
    let own: Vec<Vec<Vec<f64>>> = groups.iter().map(|g| g.iter().map(Stratum::ordered).collect()).collect();
    let values = statistic(&own)?;
    let (error, upper) = (sum.error?, sum.quantile(1.0 - TAIL)?);
    let strata: Vec<&Stratum> = groups.iter().flat_map(|group| group.iter()).collect();
    // The first stratum with the same runs, which are drawn together.
    let first: Vec<usize> =
        (0..strata.len()).map(|i| (0..i).find(|&j| strata[i].shares_runs(strata[j])).unwrap_or(i)).collect();
    let errors: Vec<f64> = strata.iter().map(|s| s.error().unwrap_or(0.0)).collect();
    let mut drawn = own.clone();
    let mut choices: Vec<Vec<usize>> = vec![Vec::new(); strata.len()];
    let mut columns = vec![Vec::with_capacity(resamples); values.len()];
    let mut means = Vec::with_capacity(resamples);
    for number in 0..resamples {
        let mut rng = seed.derive(number as u64).rng();
        for (i, (all, drawn)) in own.iter().flatten().zip(drawn.iter_mut().flatten()).enumerate() {
            if let ([one], [moved]) = (all.as_slice(), drawn.as_mut_slice()) {
                *moved = one + errors[i] * normal(&mut rng);
                continue;
            }
            if first[i] == i {
                choices[i] = (0..all.len()).map(|_| rng.below(all.len() as u32) as usize).collect();
            }
            drawn.iter_mut().zip(&choices[first[i]]).for_each(|(score, &choice)| *score = all[choice]);
        }
        let sum = drawn.iter().map(|group| aggregate::mean(group)).collect::<Option<Vec<_>>>();
        let Some((values, sum)) = statistic(&drawn).zip(sum) else { continue };
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        means.push(sum.iter().skip(1).fold(sum[0], |left, right| left - right));
    }
    // By how much drawing understates what is known of the mean.
    let (drawn, factor) = (deviation(&means)?, |drawn: f64| if drawn > 0.0 { error / drawn } else { 1.0 });
    let factor = factor(drawn);
    let ends = |(column, value): (Vec<f64>, f64)| {
        let half = upper * factor * deviation(&column)?;
        Some(Interval { low: value - half, high: value + half })
    };
    columns.into_iter().zip(values).map(ends).collect()
}

/// The standard deviation of `values`.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = average(values)?;
    Some((values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.len() as f64).sqrt())
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
    use crate::stratum::{self, Run, Scored, contrast};

    fn mean_of(drawn: &Groups) -> Option<Vec<f64>> {
        Some(vec![aggregate::mean(&drawn[0])?])
    }

    fn one(groups: &Groups, seed: u64, resamples: usize) -> Option<Interval> {
        intervals(groups, Seed(seed), resamples, mean_of).map(|all| all[0])
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
    fn two_runs_give_the_interval_of_the_binomial() {
        // The mean of two draws among 0 and 1 is 0, 0.5 or 1 with probability 1/4, 1/2, 1/4.
        assert_eq!(one(&[vec![vec![0.0, 1.0]]], 1, 1000), Some(Interval { low: 0.0, high: 1.0 }));
        // Of 40 tasks of that kind the mean has standard deviation sqrt(1/8 / 40) = 0.0559: 0.5 -+ 1.96 of them.
        let interval = one(&[vec![vec![0.0, 1.0]; 40]], 1, 20_000).expect("there is something to draw");
        assert!((interval.low - (0.5 - 0.1096)).abs() < 0.013, "{interval:?}");
        assert!((interval.high - (0.5 + 0.1096)).abs() < 0.013, "{interval:?}");
    }

    #[test]
    fn tasks_are_drawn_apart() {
        // Tasks differ, runs do not: drawing within tasks gives no spread at all, whether or not a third one has some.
        let equal = vec![vec![0.0, 0.0, 0.0], vec![1.0, 1.0, 1.0]];
        assert_eq!(one(std::slice::from_ref(&equal), 2, 500), Some(Interval { low: 0.5, high: 0.5 }));
        let with = [equal.clone(), vec![vec![0.0, 1.0, 2.0]]].concat();
        // (0 + 1 + a mean of three draws) / 3: all three lowest, or all three highest, with probability 1/27 each.
        let thirds = Interval { low: 1.0 / 3.0, high: 1.0 };
        assert_eq!(one(&[with], 2, 2000), Some(thirds));
    }

    #[test]
    fn a_single_run_has_nothing_to_draw() {
        assert_eq!(one(&[vec![vec![1.0]]], 4, 100), None);
        assert_eq!(one(&[vec![]], 4, 100), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_bits() {
        let matrix = [vec![vec![0.3, 0.1, 0.9], vec![0.7, 0.2, 0.4]]];
        let once = one(&matrix, 5, 300);
        assert_eq!(once, one(&matrix, 5, 300));
        assert_ne!(once, one(&matrix, 6, 300));
        // Frozen: a report must reproduce.
        let once = once.expect("there is something to draw");
        assert_eq!((once.low, once.high), (0.216_666_666_666_666_67, 0.649_999_999_999_999_9));
    }

    #[test]
    fn two_groups_are_drawn_independently() {
        let groups = [vec![vec![0.0, 1.0]], vec![vec![0.0, 1.0]]];
        let gap = |drawn: &Groups| Some(vec![aggregate::mean(&drawn[0])? - aggregate::mean(&drawn[1])?]);
        // Were they drawn together, the difference would always be 0. It is -1 with probability 1/16.
        let found = intervals(&groups, Seed(7), 2000, gap).map(|all| all[0]);
        assert_eq!(found, Some(Interval { low: -1.0, high: 1.0 }));
    }

    #[test]
    fn a_scaled_interval_of_the_mean_is_the_means_own() {
        let strata = [Stratum::of_scores(&[0.3, 0.1, 0.9]), Stratum::of_scores(&[0.7, 0.2, 0.4])];
        let sum = stratum::mean(&strata).expect("there are runs");
        let found = scaled(&[&strata], sum, Seed(1), 500, mean_of).expect("it can be computed")[0];
        let own = sum.measured().interval.expect("there are two runs");
        assert!((found.low - own.low).abs() < 1e-12 && (found.high - own.high).abs() < 1e-12, "{found:?} {own:?}");
        // One run of many episodes: its own error.
        let episodes = (0..50).map(|i| Scored::plain(f64::from(i % 7))).collect();
        let strata = [Stratum::of_episodes(episodes, None)];
        let sum = stratum::mean(&strata).expect("there are runs");
        let found = scaled(&[&strata], sum, Seed(1), 500, mean_of).expect("it can be computed")[0];
        let own = sum.measured().interval.expect("there are episodes");
        assert!((found.low - own.low).abs() < 1e-12, "{found:?} {own:?}");
    }

    #[test]
    fn strata_of_the_same_policies_are_drawn_together() {
        let of = |scores: [f64; 3]| {
            let names = ["a", "b", "c"].map(|n| Some(n.to_owned()));
            let runs = names.into_iter().zip(scores);
            let runs = runs.map(|(policy, value)| Run { policy, episodes: vec![Scored::plain(value)] });
            Stratum::new(runs.collect(), None)
        };
        let (left, right) = ([of([0.9, 0.5, 0.7])], [of([0.8, 0.4, 0.6])]);
        let gap = |drawn: &Groups| Some(vec![aggregate::median(&drawn[0])? - aggregate::median(&drawn[1])?]);
        let sum = contrast(&[(1.0, &left[0]), (-1.0, &right[0])]).expect("there are runs");
        let found = scaled(&[&left, &right], sum, Seed(3), 300, gap).expect("it can be computed")[0];
        assert!((found.high - found.low).abs() < 1e-9, "{found:?}");
    }
}
