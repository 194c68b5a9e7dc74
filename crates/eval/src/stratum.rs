//! What an agent scored in one place, and what may be concluded from it.
//!
//! # Units of chance
//!
//! A *stratum* is one agent under one condition of one task. It holds *runs*, and a run is one trained policy: a training
//! seed. One policy alone, scripted or a single checkpoint, was asked on a list of episodes, and then episodes are what
//! chance drew; from two runs on, chance drew the runs, whose scores are the means of their episodes.
//!
//! # Intervals
//!
//! Of one stratum: Wilson's where the unit is the episode and its score a share's 0 or 1, Student's over the episodes
//! otherwise, Student's over the runs' scores from two runs on. All are clipped to what the metric can be, and hold the
//! estimate.
//!
//! Of a *contrast*, a weighted sum of strata such as a mean over tasks or a difference: Student's interval of the standard
//! error that the strata give, with Satterthwaite's degrees of freedom. Strata with the same runs (one checkpoint plays
//! training and all that is held out) are summed run by run first, since their chances go together; all others count as
//! independent. A share's variance is that of two more episodes, one of each kind, so that a share of all or nothing is
//! not called certain.

use heldout_core::Rng;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::aggregate::average;

/// What lies outside a 95 % interval.
const OUTSIDE: f64 = 0.05;

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

    /// The same on a scale that may run the other way.
    fn moved(self, slope: f64, shift: f64) -> Self {
        let (a, b) = (self.low * slope + shift, self.high * slope + shift);
        Self { low: a.min(b), high: a.max(b) }
    }

    /// What of it lies within `bounds`, widened to hold `value`.
    fn within(self, bounds: Option<Self>, value: f64) -> Self {
        let bounds = bounds.unwrap_or(Self { low: f64::NEG_INFINITY, high: f64::INFINITY });
        Self { low: self.low.max(bounds.low).min(value), high: self.high.min(bounds.high).max(value) }
    }
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The number.
    pub value: f64,
    /// Its interval; `None` where a single episode leaves none to compute.
    pub interval: Option<Interval>,
}

impl Measured {
    /// The same in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, interval: self.interval.map(|i| i.moved(factor, 0.0)) }
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

impl Scored {
    /// That weighs as much as any other.
    #[must_use]
    pub fn plain(value: f64) -> Self {
        Self { value, weight: 1.0 }
    }
}

/// The mean of a run's episodes by their weights; `None` if they weigh nothing.
fn score(episodes: &[Scored]) -> Option<f64> {
    let first = episodes.first()?;
    // Around the first value, so that the mean of a constant is that constant to the last bit.
    let weight: f64 = episodes.iter().map(|e| e.weight).sum();
    let sum: f64 = episodes.iter().map(|e| e.weight * (e.value - first.value)).sum();
    (weight > 0.0).then(|| first.value + sum / weight)
}

/// The episodes of one trained policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Whose they are, where that is known: runs of one name in several strata are those of one policy.
    pub policy: Option<String>,
    /// What they scored.
    pub episodes: Vec<Scored>,
}

/// One agent under one condition of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Stratum {
    runs: Vec<Run>,
    /// The score of each run, in the metric's own unit.
    scores: Vec<f64>,
    /// What the metric can be.
    bounds: Option<Interval>,
    /// The score that is shown as 0, and how much more is 1.
    zero: f64,
    one: f64,
    /// Whether all problems there are were asked.
    whole: bool,
}

/// The mean of a stratum, how far chance may have moved it, and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    variance: f64,
    df: f64,
}

impl Stratum {
    /// Of runs; one whose episodes weigh nothing has no score and is left out.
    #[must_use]
    pub fn new(runs: Vec<Run>, bounds: Option<[f64; 2]>) -> Self {
        let scored = runs.into_iter().filter_map(|run| Some((score(&run.episodes)?, run)));
        let (scores, runs) = scored.unzip();
        let bounds = bounds.map(|[low, high]| Interval { low, high });
        Self { runs, scores, bounds, zero: 0.0, one: 1.0, whole: false }
    }

    /// Of the scores of runs alone, whose policies are their own.
    #[must_use]
    pub fn of_scores(scores: &[f64]) -> Self {
        let run = |&value: &f64| Run { policy: None, episodes: vec![Scored::plain(value)] };
        Self::new(scores.iter().map(run).collect(), None)
    }

    /// Of the episodes of one policy.
    #[must_use]
    pub fn of_episodes(episodes: Vec<Scored>, bounds: Option<[f64; 2]>) -> Self {
        Self::new(vec![Run { policy: None, episodes }], bounds)
    }

    /// The same, from the metric's own unit to the scale on which `floor` is 0 and `ceiling` 1.
    #[must_use]
    pub fn between(&self, floor: f64, ceiling: f64) -> Self {
        Self { zero: floor, one: ceiling - floor, ..self.clone() }
    }

    /// The same, of all problems there are.
    #[must_use]
    pub fn whole(self, whole: bool) -> Self {
        Self { whole, ..self }
    }

    /// Whether all problems there are were asked.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    fn shown(&self, value: f64) -> f64 {
        (value - self.zero) / self.one
    }

    /// The score of each run.
    #[must_use]
    pub fn scores(&self) -> Vec<f64> {
        self.scores.iter().map(|&score| self.shown(score)).collect()
    }

    /// Number of runs.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Number of episodes in all runs.
    #[must_use]
    pub fn episodes(&self) -> usize {
        self.runs.iter().map(|run| run.episodes.len()).sum()
    }

    /// The mean of the runs' scores.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        average(&self.scores).map(|mean| self.shown(mean))
    }

    /// The mean with its interval.
    #[must_use]
    pub fn measured(&self) -> Option<Measured> {
        contrast(&[(1.0, self)]).map(Contrast::measured)
    }

    /// The standard error of the mean; `None` of a single episode.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.spread().map(|spread| spread.variance.sqrt() / self.one.abs())
    }

    /// How many episodes scored 1 and how many there are, if the unit is the episode and its score 0 or 1.
    fn share(&self) -> Option<(f64, f64)> {
        let [run] = self.runs.as_slice() else { return None };
        if self.bounds != Some(Interval { low: 0.0, high: 1.0 }) {
            return None;
        }
        let told = || run.episodes.iter().filter(|e| e.weight > 0.0);
        let binary = told().all(|e| e.value == 0.0 || e.value == 1.0);
        // Episodes of unlike weight tell as much as fewer of the same weight would.
        let (sum, squares) =
            told().fold((0.0, 0.0), |(sum, squares), e| (sum + e.weight, squares + e.weight * e.weight));
        let n = sum * sum / squares;
        (binary && n > 0.0).then(|| (told().map(|e| e.weight * e.value).sum::<f64>() / sum * n, n))
    }

    /// How far chance may have moved the mean, in the metric's own unit; `None` of a single episode.
    fn spread(&self) -> Option<Spread> {
        if let Some((ones, n)) = self.share() {
            // As of one more episode of each kind: see the module's words.
            let share = (ones + 1.0) / (n + 2.0);
            return Some(Spread { variance: share * (1.0 - share) / (n + 2.0), df: n.max(2.0) - 1.0 });
        }
        match self.runs.as_slice() {
            [] => None,
            [run] => {
                let mean = self.scores[0];
                // An episode that weighs nothing tells nothing.
                let told = || run.episodes.iter().filter(|e| e.weight > 0.0);
                let (n, weight) = (told().count() as f64, told().map(|e| e.weight).sum::<f64>());
                // A ratio of sums: its first-order variance, which is the mean's own where all weigh alike.
                let squares = told().map(|e| (e.weight * (e.value - mean)).powi(2)).sum::<f64>();
                (n > 1.0).then(|| Spread { variance: squares * n / ((n - 1.0) * weight * weight), df: n - 1.0 })
            }
            _ => spread_of(&self.scores),
        }
    }

    /// The policies of its runs, if there are several and all are known: whose chances go together with those of other
    /// strata of the same policies.
    fn policies(&self) -> Option<Vec<&str>> {
        let mut names = self.runs.iter().map(|run| run.policy.as_deref()).collect::<Option<Vec<_>>>()?;
        names.sort_unstable();
        names.dedup();
        (self.runs.len() > 1 && names.len() == self.runs.len()).then_some(names)
    }

    /// The score of the run of `policy`, as shown.
    fn score_of(&self, policy: &str) -> f64 {
        let found = self.runs.iter().position(|run| run.policy.as_deref() == Some(policy));
        found.map_or(f64::NAN, |i| self.shown(self.scores[i]))
    }

    /// The scores of its runs, those of the same policies in the same order in every stratum.
    pub(crate) fn ordered(&self) -> Vec<f64> {
        match self.policies() {
            Some(policies) => policies.iter().map(|policy| self.score_of(policy)).collect(),
            None => self.scores(),
        }
    }

    /// Whether its runs are those of `other`.
    pub(crate) fn shares_runs(&self, other: &Self) -> bool {
        self.policies().is_some_and(|own| other.policies() == Some(own))
    }
}

/// A number of the standard normal distribution.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    // The middle of one of 2^32 equal parts, so that neither end is reached.
    let place = (f64::from(rng.below(u32::MAX)) + 0.5) / f64::from(u32::MAX);
    Normal::standard().inverse_cdf(place)
}

/// The variance of the mean of `values` and its degrees of freedom; `None` of fewer than two.
fn spread_of(values: &[f64]) -> Option<Spread> {
    let (n, mean) = (values.len() as f64, average(values)?);
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (n > 1.0).then(|| Spread { variance: squares / (n * (n - 1.0)), df: n - 1.0 })
}

/// A weighted sum of the means of strata, and how far chance may have moved it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// The sum.
    pub value: f64,
    /// Its standard error; `None` where a single episode leaves none to compute.
    pub error: Option<f64>,
    /// Its degrees of freedom.
    pub df: f64,
    /// What it can be.
    bounds: Option<Interval>,
    /// A single share: its ones, its number of episodes, and how it is shown.
    share: Option<(f64, f64, f64, f64)>,
}

/// The sum of the means of strata, each times its factor; `None` if there are none or one has no runs.
#[must_use]
pub fn contrast(terms: &[(f64, &Stratum)]) -> Option<Contrast> {
    if terms.is_empty() {
        return None;
    }
    let mut value = 0.0;
    let mut spreads: Vec<Option<Spread>> = Vec::new();
    // Strata of the same policies are summed policy by policy.
    let mut blocks: Vec<(Vec<&str>, Vec<f64>)> = Vec::new();
    for (factor, stratum) in terms {
        value += factor * stratum.mean()?;
        if let Some(policies) = stratum.policies() {
            let own = policies.iter().map(|policy| factor * stratum.score_of(policy)).collect::<Vec<_>>();
            match blocks.iter_mut().find(|(names, _)| *names == policies) {
                Some((_, sums)) => sums.iter_mut().zip(own).for_each(|(sum, x)| *sum += x),
                None => blocks.push((policies, own)),
            }
        } else {
            let scale = factor / stratum.one;
            spreads.push(stratum.spread().map(|s| Spread { variance: s.variance * scale * scale, ..s }));
        }
    }
    spreads.extend(blocks.iter().map(|(_, sums)| spread_of(sums)));
    let bounds = terms.iter().try_fold(Interval { low: 0.0, high: 0.0 }, |sum, (factor, stratum)| {
        let own = stratum.bounds?.moved(1.0 / stratum.one, -stratum.zero / stratum.one).moved(*factor, 0.0);
        Some(Interval { low: sum.low + own.low, high: sum.high + own.high })
    });
    let share = match terms {
        [(factor, stratum)] => {
            let slope = factor / stratum.one;
            stratum.share().map(|(ones, n)| (ones, n, slope, -slope * stratum.zero))
        }
        _ => None,
    };
    let (error, df) = match spreads.into_iter().collect::<Option<Vec<Spread>>>() {
        None => (None, 1.0),
        Some(all) => {
            let variance: f64 = all.iter().map(|s| s.variance).sum();
            let parts: f64 = all.iter().map(|s| s.variance * s.variance / s.df).sum();
            // Of constants there is nothing to divide by, and no width to be had.
            (Some(variance.sqrt()), if parts > 0.0 { variance * variance / parts } else { 1.0 })
        }
    };
    Some(Contrast { value, error, df, bounds, share })
}

/// The mean of `strata`, each counting the same.
#[must_use]
pub fn mean(strata: &[Stratum]) -> Option<Contrast> {
    let each = 1.0 / strata.len() as f64;
    let mean = contrast(&strata.iter().map(|stratum| (each, stratum)).collect::<Vec<_>>())?;
    // The mean of a constant is that constant to the last bit.
    let value = average(&strata.iter().map(Stratum::mean).collect::<Option<Vec<_>>>()?)?;
    Some(Contrast { value, ..mean })
}

impl Contrast {
    /// How many standard errors below its value leave out `1 - share` at one end.
    pub(crate) fn quantile(self, share: f64) -> Option<f64> {
        Some(student(self.df)?.inverse_cdf(share))
    }

    /// With its 95 % interval.
    #[must_use]
    pub fn measured(self) -> Measured {
        Measured { value: self.value, interval: self.interval(OUTSIDE) }
    }

    /// The interval outside of which chance leaves `outside`, one half at either end.
    #[must_use]
    pub fn interval(self, outside: f64) -> Option<Interval> {
        let upper = 1.0 - outside / 2.0;
        let found = if let Some((ones, n, slope, shift)) = self.share {
            wilson(ones, n, Normal::standard().inverse_cdf(upper)).moved(slope, shift)
        } else {
            let error = self.error?;
            let half = if error == 0.0 { 0.0 } else { error * student(self.df)?.inverse_cdf(upper) };
            Interval { low: self.value - half, high: self.value + half }
        };
        Some(found.within(self.bounds, self.value))
    }

    /// How probable a value as high as this, or higher, were by chance if the truth were `threshold`.
    #[must_use]
    pub fn p_above(self, threshold: f64) -> Option<f64> {
        let error = match self.share {
            // The error that a share would have there: Wilson's interval turned round.
            Some((_, n, slope, shift)) => {
                let share = ((threshold - shift) / slope).clamp(0.0, 1.0);
                let error = (share * (1.0 - share) / n).sqrt() * slope.abs();
                let z = difference_in_errors(self.value - threshold, error);
                return Some(1.0 - Normal::standard().cdf(z));
            }
            None => self.error?,
        };
        Some(1.0 - student(self.df)?.cdf(difference_in_errors(self.value - threshold, error)))
    }

    /// How probable a value as low as this, or lower, were by chance if the truth were `threshold`.
    #[must_use]
    pub fn p_below(self, threshold: f64) -> Option<f64> {
        let turned = Self { value: -self.value, share: self.share.map(|(o, n, a, b)| (o, n, -a, -b)), ..self };
        turned.p_above(-threshold)
    }
}

/// How many standard errors a difference is; of a difference without error, all or none.
fn difference_in_errors(difference: f64, error: f64) -> f64 {
    if difference == 0.0 {
        0.0
    } else if error == 0.0 {
        difference.signum() * f64::INFINITY
    } else {
        difference / error
    }
}

fn student(df: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, df).ok()
}

/// Wilson's interval of a share of `ones` in `n`.
fn wilson(ones: f64, n: f64, z: f64) -> Interval {
    let share = ones / n;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { low: middle - half, high: middle + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(ones: usize, n: usize) -> Stratum {
        let episodes = (0..n).map(|i| Scored::plain(f64::from(u8::from(i < ones)))).collect();
        Stratum::of_episodes(episodes, Some([0.0, 1.0]))
    }

    fn run(policy: &str, value: f64) -> Run {
        Run { policy: Some(policy.to_owned()), episodes: vec![Scored::plain(value)] }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-5, "{a} {b}");
    }

    #[test]
    fn a_share_of_unlike_weights_is_not_certain_either() {
        let scored = |weight: f64| Scored { value: 1.0, weight };
        // Weights of 3, 2 and 1: as much as 36 / 14 episodes of the same weight.
        let all = Stratum::of_episodes(vec![scored(3.0), scored(2.0), scored(1.0)], Some([0.0, 1.0]));
        let n = 36.0 / 14.0;
        let expected = wilson(n, n, Normal::standard().inverse_cdf(0.975));
        assert_eq!(all.measured().unwrap().interval.unwrap(), expected);
        assert!(expected.low < 0.5);
    }

    #[test]
    fn episodes_of_a_share_have_wilsons_interval() {
        // Newcombe 1998, Table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (ones, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = shares(ones, n).measured().unwrap();
            let interval = found.interval.unwrap();
            near(interval.low, low);
            near(interval.high, high);
            assert!(interval.contains(found.value));
        }
        // The same on a scale, and on one that runs the other way.
        let scaled = shares(1, 29).between(0.5, 1.0).measured().unwrap().interval.unwrap();
        near(scaled.low, (0.0061 - 0.5) * 2.0);
        let turned = shares(1, 29).between(1.0, 0.0).measured().unwrap().interval.unwrap();
        near(turned.low, 1.0 - 0.1718);
    }

    #[test]
    fn episodes_of_a_number_have_students_interval() {
        let episodes = [1.0, 2.0, 3.0, 4.0, 5.0].map(Scored::plain).to_vec();
        let found = Stratum::of_episodes(episodes, None).measured().unwrap();
        // t(0.975, 4) = 2.776445, standard error sqrt(2.5 / 5).
        near(found.interval.unwrap().high, 3.0 + 2.776_445 * 0.5_f64.sqrt());
        // Clipped to what the metric can be.
        let episodes = [0.9, 1.0, 0.5].map(Scored::plain).to_vec();
        let found = Stratum::of_episodes(episodes, Some([0.0, 1.0])).measured().unwrap();
        assert_eq!(found.interval.unwrap().high, 1.0);
    }

    #[test]
    fn from_two_runs_on_runs_are_the_unit() {
        let two = |a: f64, b: f64| {
            Stratum::new(
                vec![
                    Run { policy: None, episodes: vec![Scored::plain(a); 50] },
                    Run { policy: None, episodes: vec![Scored::plain(b); 50] },
                ],
                Some([0.0, 1.0]),
            )
        };
        let interval = two(0.4, 0.6).measured().unwrap().interval.unwrap();
        // t(0.975, 1) = 12.7062, standard error 0.1: clipped.
        assert_eq!((interval.low, interval.high), (0.0, 1.0));
        let same = two(1.0, 1.0).measured().unwrap().interval.unwrap();
        assert_eq!((same.low, same.high), (1.0, 1.0));
    }

    #[test]
    fn a_single_episode_has_no_interval_unless_it_is_a_share() {
        let one = Stratum::of_episodes(vec![Scored::plain(3.0)], None);
        assert_eq!(one.measured(), Some(Measured { value: 3.0, interval: None }));
        assert_eq!(Stratum::of_episodes(vec![], None).measured(), None);
        near(shares(1, 1).measured().unwrap().interval.unwrap().low, 0.2065);
        let weightless = Stratum::of_episodes(vec![Scored { value: 1.0, weight: 0.0 }], None);
        assert_eq!(weightless.measured(), None);
    }

    #[test]
    fn weighed_episodes_are_a_ratio_of_sums() {
        let of = |pairs: &[(f64, f64)]| {
            let episodes = pairs.iter().map(|&(value, weight)| Scored { value, weight }).collect();
            Stratum::of_episodes(episodes, Some([0.0, 1.0]))
        };
        let found = of(&[(0.5, 2.0), (0.75, 4.0), (0.0, 2.0)]);
        assert_eq!(found.mean(), Some(0.5));
        // Squares of w (x - m): 0, 1, 1; times n / (n - 1) / 64.
        near(found.error().unwrap(), (2.0_f64 * 1.5 / 64.0).sqrt());
        // An episode in which nothing was counted changes nothing.
        let padded = of(&[(0.5, 2.0), (0.75, 4.0), (0.0, 2.0), (1.0, 0.0)]);
        assert_eq!(padded.measured(), found.measured());
    }

    #[test]
    fn degrees_of_freedom_are_satterthwaites() {
        // Welch's test of two samples: variances of the means 1 and 4 with 4 and 2 degrees of freedom.
        let left = Stratum::of_scores(&[-2.0, 0.0, 0.0, 2.0 + 1e-300, 0.0].map(|x: f64| x * (5.0_f64 / 2.0).sqrt()));
        let right = Stratum::of_scores(&[-1.0, 0.0, 1.0].map(|x: f64| x * 12.0_f64.sqrt()));
        let found = contrast(&[(1.0, &left), (-1.0, &right)]).unwrap();
        near(found.error.unwrap(), 5.0_f64.sqrt());
        near(found.df, 25.0 / (1.0 / 4.0 + 16.0 / 2.0));
    }

    #[test]
    fn strata_of_the_same_policies_are_summed_policy_by_policy() {
        let train = Stratum::new(vec![run("a", 0.9), run("b", 0.5), run("c", 0.7)], None);
        let after = Stratum::new(vec![run("c", 0.6), run("a", 0.8), run("b", 0.4)], None);
        // Each loses 0.1, whatever it scored: the gap is certain.
        let gap = contrast(&[(1.0, &train), (-1.0, &after)]).unwrap();
        near(gap.value, 0.1);
        assert!(gap.error.unwrap() < 1e-12);
        // Their mean is no surer for being asked twice.
        let both = mean(&[train.clone(), after]).unwrap();
        near(both.error.unwrap(), train.error().unwrap());
        assert_eq!(both.df, 2.0);
        // Of other policies they are independent.
        let others = Stratum::new(vec![run("d", 0.6), run("e", 0.8), run("f", 0.4)], None);
        assert!(contrast(&[(1.0, &train), (-1.0, &others)]).unwrap().error.unwrap() > 0.1);
    }

    #[test]
    fn a_share_of_all_is_not_called_certain_in_a_difference() {
        let gap = contrast(&[(1.0, &shares(50, 50)), (-1.0, &shares(50, 50))]).unwrap();
        let interval = gap.measured().interval.unwrap();
        assert!(interval.low < -0.03 && interval.high > 0.03, "{interval:?}");
    }

    #[test]
    fn chances_turn_intervals_round() {
        for (stratum, threshold) in [(shares(30, 50), 0.5), (Stratum::of_scores(&[0.4, 0.9, 0.7]), 0.5)] {
            let found = contrast(&[(1.0, &stratum)]).unwrap();
            let above = found.p_above(threshold).unwrap();
            near(above + found.p_below(threshold).unwrap(), 1.0);
            // The threshold is the end of the interval that leaves out as much.
            near(found.interval(2.0 * above).unwrap().low, threshold);
        }
        let constant = contrast(&[(1.0, &Stratum::of_scores(&[0.5; 3]))]).unwrap();
        assert_eq!(constant.p_above(0.4), Some(0.0));
        assert_eq!(constant.p_above(0.6), Some(1.0));
    }
}
