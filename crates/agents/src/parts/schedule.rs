//! Numbers that change as training goes on, by counters and never by time.

/// From `first` to `last`, linearly over `span`, and `last` from then on.
#[must_use]
pub fn linear(first: f64, last: f64, at: u64, span: u64) -> f64 {
    let share = if span == 0 { 1.0 } else { (at as f64 / span as f64).min(1.0) };
    first + (last - first) * share
}
