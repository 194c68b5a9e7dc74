//! Numbers that change as training goes on, by counters and never by time.

/// From `first` to `last`, linearly over `span`, and `last` from then on.
#[must_use]
pub fn linear(first: f64, last: f64, at: u64, span: u64) -> f64 {
    let share = if span == 0 { 1.0 } else { (at as f64 / span as f64).min(1.0) };
    first + (last - first) * share
}

/// Updates that are due after so many steps: `per_step` for each beyond the first `warm_up`.
#[must_use]
pub fn due(env_steps: u64, warm_up: u64, per_step: f64) -> u64 {
    (env_steps.saturating_sub(warm_up) as f64 * per_step).floor() as u64
}
