//! Estimates with their uncertainty: never a bare mean.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The sample mean.
    pub mean: f64,
    /// Lower end of the interval; `None` with fewer than two values.
    pub low: Option<f64>,
    /// Upper end of the interval; `None` with fewer than two values.
    pub high: Option<f64>,
}

/// The mean of `values` with Student's 95 % interval; `None` if there are none.
#[must_use]
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    let first = *values.first()?;
    let n = values.len() as f64;
    // Around the first value, so that the mean of a constant is that constant to the last bit.
    let mean = first + values.iter().map(|x| x - first).sum::<f64>() / n;
    let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    Some(with_interval(mean, values.len(), squares / (n * (n - 1.0))))
}

/// The mean of `values` by their weights: a ratio of sums, with the interval of its first-order variance; `None` if the
/// weights are not of the same number or have no positive sum.
#[must_use]
pub fn weighted_estimate(values: &[f64], weights: &[f64]) -> Option<Estimate> {
    let first = *values.first()?;
    let (n, total) = (values.len() as f64, weights.iter().sum::<f64>());
    if values.len() != weights.len() || total.is_nan() || total <= 0.0 {
        return None;
    }
    let pairs = || values.iter().zip(weights);
    let mean = first + pairs().map(|(x, w)| w * (x - first)).sum::<f64>() / total;
    let squares = pairs().map(|(x, w)| w * w * (x - mean) * (x - mean)).sum::<f64>();
    Some(with_interval(mean, values.len(), squares * n / ((n - 1.0) * total * total)))
}

/// The standard error of the mean of `values`, by their weights if there are any; `None` of fewer than two.
pub(crate) fn standard_error(values: &[f64], weights: Option<&[f64]>) -> Option<f64> {
    let found = match weights {
        Some(weights) => weighted_estimate(values, weights)?,
        None => estimate(values)?,
    };
    let quantile = StudentsT::new(0.0, 1.0, values.len() as f64 - 1.0).ok()?.inverse_cdf(0.975);
    Some((found.high? - found.mean) / quantile)
}

/// `mean` with Student's interval for `n` values and the `variance` of the mean.
fn with_interval(mean: f64, n: usize, variance: f64) -> Estimate {
    if n < 2 {
        return Estimate { mean, low: None, high: None };
    }
    let quantile = StudentsT::new(0.0, 1.0, n as f64 - 1.0).map_or(f64::NAN, |t| t.inverse_cdf(0.975));
    let half = if variance == 0.0 { 0.0 } else { quantile * variance.sqrt() };
    Estimate { mean, low: Some(mean - half), high: Some(mean + half) }
}
