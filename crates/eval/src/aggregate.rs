//! Aggregates over tasks and runs: what a suite says of an agent beside its single scores.
//!
//! Scores come as one list per task, holding one number per run: the matrix that rliable (Agarwal et al. 2021, *Deep
//! Reinforcement Learning at the Edge of the Statistical Precipice*) takes, but tasks may differ in their number of
//! runs. Where all have as many, the numbers are those of rliable. Sums run in a fixed order, so that a number is the
//! same to the bit wherever it is computed.

/// Scores of the runs of each task.
pub type Scores = [Vec<f64>];

/// The share that the interquartile mean drops at each end, in quarters.
const QUARTER: usize = 4;

/// The mean of `values`, exact where all are equal; `None` if there are none.
#[must_use]
pub fn average(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    Some(first + values.iter().map(|x| x - first).sum::<f64>() / values.len() as f64)
}

/// The middle of `values`, or the mean of the two in the middle; `None` if there are none.
#[must_use]
pub fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { upper } else { sorted[half - 1] + (upper - sorted[half - 1]) / 2.0 })
}

fn task_means(scores: &Scores) -> Option<Vec<f64>> {
    scores.iter().map(|runs| average(runs)).collect()
}

/// The mean over tasks of the mean over runs; `None` if a task has no run or there is no task.
#[must_use]
pub fn mean(scores: &Scores) -> Option<f64> {
    average(&task_means(scores)?)
}

/// The median over tasks of the mean over runs; `None` if a task has no run or there is no task.
#[must_use]
pub fn median(scores: &Scores) -> Option<f64> {
    middle(&task_means(scores)?)
}

/// The interquartile mean: of all runs of all tasks, without the lowest and the highest quarter (each rounded down to
/// whole runs); `None` if there are no runs.
#[must_use]
pub fn iqm(scores: &Scores) -> Option<f64> {
    let mut all: Vec<f64> = scores.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let cut = all.len() / QUARTER;
    average(&all[cut..all.len() - cut])
}

/// How far runs fall short of `target`, those above it counting as at it: the mean over tasks; `None` if a task has no
/// run or there is no task.
#[must_use]
pub fn optimality_gap(scores: &Scores, target: f64) -> Option<f64> {
    let short = |runs: &Vec<f64>| average(&runs.iter().map(|&x| target - x.min(target)).collect::<Vec<_>>());
    average(&scores.iter().map(short).collect::<Option<Vec<_>>>()?)
}

/// The probability that a run of `left` scores above a run of `right` on the same task, ties counting half: the mean
/// over tasks; `None` if the tasks are not as many or one has no run.
#[must_use]
pub fn probability_of_improvement(left: &Scores, right: &Scores) -> Option<f64> {
    if left.len() != right.len() {
        return None;
    }
    let one = |(x, y): (&Vec<f64>, &Vec<f64>)| {
        let pairs = x.iter().flat_map(|a| y.iter().map(move |b| (a, b)));
        // In halves, which are exact: a win is two of them.
        let halves: u64 = pairs.map(|(a, b)| u64::from(a > b) + u64::from(a >= b)).sum();
        let all = x.len() * y.len();
        (all > 0).then(|| halves as f64 / (2 * all) as f64)
    };
    average(&left.iter().zip(right).map(one).collect::<Option<Vec<_>>>()?)
}

/// A performance profile: for each of `thresholds` the share of runs that score above it, the mean over tasks; `None`
/// if a task has no run or there is no task.
#[must_use]
pub fn profile(scores: &Scores, thresholds: &[f64]) -> Option<Vec<f64>> {
    let above = |tau: f64, runs: &Vec<f64>| {
        let n = runs.iter().filter(|&&x| x > tau).count();
        (!runs.is_empty()).then(|| n as f64 / runs.len() as f64)
    };
    let at = |&tau: &f64| average(&scores.iter().map(|runs| above(tau, runs)).collect::<Option<Vec<_>>>()?);
    thresholds.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_tasks() -> Vec<Vec<f64>> {
        vec![vec![0.0, 0.5, 1.0, 0.5], vec![2.0, 0.25, 0.75, 1.0]]
    }

    #[test]
    fn aggregates_of_a_matrix_are_those_computed_by_hand() {
        let scores = two_tasks();
        // Task means 0.5 and 1.0.
        assert_eq!(mean(&scores), Some(0.75));
        assert_eq!(median(&scores), Some(0.75));
        // Sorted: 0, .25, .5, .5, .75, 1, 1, 2; the middle four are .5, .5, .75, 1.
        assert_eq!(iqm(&scores), Some(0.6875));
        // Short of 1 by 1, .5, 0, .5 and 0, .75, .25, 0.
        assert_eq!(optimality_gap(&scores, 1.0), Some(0.375));
        assert_eq!(profile(&scores, &[-1.0, 0.5, 1.0, 2.0]), Some(vec![1.0, 0.5, 0.125, 0.0]));
    }

    #[test]
    fn improvement_counts_ties_half_and_averages_tasks() {
        let (left, right) = (vec![vec![1.0, 2.0], vec![0.0]], vec![vec![1.0, 1.5], vec![0.5, 1.0]]);
        // Task 1: 1 ties 1 and loses to 1.5, 2 wins twice: 2.5 of 4. Task 2: none of 2.
        assert_eq!(probability_of_improvement(&left, &right), Some(0.3125));
        assert_eq!(probability_of_improvement(&right, &left), Some(0.6875));
        assert_eq!(probability_of_improvement(&left, &left[..1]), None);
    }

    #[test]
    fn a_constant_is_kept_to_the_last_bit() {
        let scores = vec![vec![0.1; 7], vec![0.1; 3]];
        for aggregate in [mean(&scores), median(&scores), iqm(&scores)] {
            assert_eq!(aggregate, Some(0.1));
        }
        assert_eq!(optimality_gap(&scores, 0.1), Some(0.0));
    }

    #[test]
    fn nothing_has_no_aggregate() {
        for empty in [vec![], vec![vec![]], vec![vec![1.0], vec![]]] {
            assert_eq!(mean(&empty), None);
            assert_eq!(optimality_gap(&empty, 1.0), None);
            assert_eq!(profile(&empty, &[0.0]), None);
        }
        assert_eq!(iqm(&[]), None);
        assert_eq!(middle(&[3.0, 1.0]), Some(2.0));
        assert_eq!(middle(&[3.0, 1.0, 7.0]), Some(3.0));
    }
}
