//! `heldout.stats`: aggregates over runs and tasks, and their intervals.

use heldout_core::Seed;
use heldout_eval::aggregate::{iqm, mean, median, optimality_gap, probability_of_improvement, profile};
use heldout_eval::bootstrap::{MOST_RESAMPLES, intervals_until};
use heldout_eval::stratum::Interval;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::convert::refused;
use crate::interrupt::Interrupt;

/// Names of the aggregates, for messages.
const AGGREGATES: &str = "`mean`, `median`, `iqm`, `optimality_gap`";

/// The runs of each task: a row is a run, a column a task.
fn strata(name: &str, matrix: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<Vec<f64>>> {
    let matrix = matrix.as_array();
    if matrix.is_empty() {
        let (rows, columns) = matrix.dim();
        return Err(refused(format!("`{name}` is {rows} x {columns}, must have at least one run and one task")));
    }
    if let Some(value) = matrix.iter().find(|x| !x.is_finite()) {
        return Err(refused(format!("`{name}` holds `{value}`, must hold finite numbers")));
    }
    Ok(matrix.columns().into_iter().map(|column| column.to_vec()).collect())
}

fn checked(resamples: usize) -> PyResult<usize> {
    if !(1..=MOST_RESAMPLES).contains(&resamples) {
        return Err(refused(format!("`resamples` is {resamples}, must be 1 to {MOST_RESAMPLES}")));
    }
    Ok(resamples)
}

/// `value`, if it is a number that can be computed with.
fn finite(name: &str, value: f64) -> PyResult<f64> {
    if value.is_finite() { Ok(value) } else { Err(refused(format!("`{name}` is `{value}`, must be finite"))) }
}

/// The thresholds of a profile, if all of them are.
fn finite_all(thresholds: Vec<f64>) -> PyResult<Vec<f64>> {
    match thresholds.iter().find(|x| !x.is_finite()) {
        Some(value) => Err(refused(format!("`thresholds` holds `{value}`, must hold finite numbers"))),
        None => Ok(thresholds),
    }
}

fn pair(found: Option<Vec<Interval>>) -> Option<(f64, f64)> {
    found.and_then(|all| all.first().map(|i| (i.low, i.high)))
}

/// The intervals of what `statistic` computes from `groups`; Ctrl-C is heard meanwhile.
fn intervals(
    py: Python<'_>,
    groups: &[Vec<Vec<f64>>],
    seed: u64,
    resamples: usize,
    statistic: impl Fn(&[Vec<Vec<f64>>]) -> Option<Vec<f64>> + Send,
) -> PyResult<Option<Vec<Interval>>> {
    let resamples = checked(resamples)?;
    Interrupt::here(py, |stop| intervals_until(groups, Seed(seed), resamples, stop, statistic))
}

type Aggregate = fn(&[Vec<f64>], f64) -> Option<f64>;

fn aggregate_named(name: &str) -> PyResult<Aggregate> {
    Ok(match name {
        "mean" => |scores, _| mean(scores),
        "median" => |scores, _| median(scores),
        "iqm" => |scores, _| iqm(scores),
        "optimality_gap" => optimality_gap,
        other => return Err(refused(format!("there is no aggregate `{other}`; there are {AGGREGATES}"))),
    })
}

/// An aggregate of a matrix of runs by tasks.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn aggregate(name: &str, matrix: PyReadonlyArray2<'_, f64>, target: f64) -> PyResult<Option<f64>> {
    Ok(aggregate_named(name)?(&strata("scores", &matrix)?, finite("target", target)?))
}

/// The 95 % interval of an aggregate; `None` of a single run.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn aggregate_interval(
    py: Python<'_>,
    name: &str,
    matrix: PyReadonlyArray2<'_, f64>,
    target: f64,
    resamples: usize,
    seed: u64,
) -> PyResult<Option<(f64, f64)>> {
    let (aggregate, target) = (aggregate_named(name)?, finite("target", target)?);
    let strata = strata("scores", &matrix)?;
    let statistic = |drawn: &[Vec<Vec<f64>>]| Some(vec![aggregate(&drawn[0], target)?]);
    Ok(pair(intervals(py, &[strata], seed, resamples, statistic)?))
}

fn as_many(left: &[Vec<f64>], right: &[Vec<f64>]) -> PyResult<()> {
    if left.len() != right.len() {
        return Err(refused(format!("`x` has {} tasks and `y` has {}, must have as many", left.len(), right.len())));
    }
    Ok(())
}

/// The probability that a run of `x` is above one of `y`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn improvement(x: PyReadonlyArray2<'_, f64>, y: PyReadonlyArray2<'_, f64>) -> PyResult<Option<f64>> {
    let (left, right) = (strata("x", &x)?, strata("y", &y)?);
    as_many(&left, &right)?;
    Ok(probability_of_improvement(&left, &right))
}

/// The 95 % interval of that probability.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn improvement_interval(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    resamples: usize,
    seed: u64,
) -> PyResult<Option<(f64, f64)>> {
    let (left, right) = (strata("x", &x)?, strata("y", &y)?);
    as_many(&left, &right)?;
    let statistic = |drawn: &[Vec<Vec<f64>>]| Some(vec![probability_of_improvement(&drawn[0], &drawn[1])?]);
    Ok(pair(intervals(py, &[left, right], seed, resamples, statistic)?))
}

/// The share of runs above each threshold.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn performance_profile(
    matrix: PyReadonlyArray2<'_, f64>,
    thresholds: Vec<f64>,
) -> PyResult<Option<Vec<f64>>> {
    Ok(profile(&strata("scores", &matrix)?, &finite_all(thresholds)?))
}

/// The 95 % intervals of a performance profile.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
pub(crate) fn performance_profile_interval(
    py: Python<'_>,
    matrix: PyReadonlyArray2<'_, f64>,
    thresholds: Vec<f64>,
    resamples: usize,
    seed: u64,
) -> PyResult<Option<Vec<(f64, f64)>>> {
    let strata = strata("scores", &matrix)?;
    let thresholds = finite_all(thresholds)?;
    let statistic = |drawn: &[Vec<Vec<f64>>]| profile(&drawn[0], &thresholds);
    let found = intervals(py, &[strata], seed, resamples, statistic)?;
    Ok(found.map(|all| all.into_iter().map(|i| (i.low, i.high)).collect()))
}
