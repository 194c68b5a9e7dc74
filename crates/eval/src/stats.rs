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
    if values.len() < 2 {
        return Some(Estimate { mean, low: None, high: None });
    }
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::NAN, |t| t.inverse_cdf(0.975));
    let half = if variance == 0.0 { 0.0 } else { quantile * (variance / n).sqrt() };
    Some(Estimate { mean, low: Some(mean - half), high: Some(mean + half) })
}
