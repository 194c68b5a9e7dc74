//! Numbers as text.

use crate::stratum::Measured;

/// A number with as many places as it deserves.
pub(super) fn number(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    unsigned_zero(format!("{value:.places$}"))
}

/// A share in percent, with one place unless it is whole.
pub(super) fn points(share: f64) -> String {
    let text = unsigned_zero(format!("{:.1}", share * 100.0));
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A share in points of the scale, with the noun.
pub(super) fn in_points(share: f64) -> String {
    let number = points(share);
    let noun = if number.trim_start_matches('-') == "1" { "point" } else { "points" };
    format!("{number} {noun}")
}

/// A zero has no sign.
pub(super) fn unsigned_zero(text: String) -> String {
    let zero = text.chars().all(|c| "-0.".contains(c));
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// A number and its interval, as cells of tables show it.
pub(super) fn measured(measured: Option<Measured>) -> String {
    shown(measured, number)
}

/// A share and its interval in percent.
pub(super) fn percent(measured: Option<Measured>) -> String {
    shown(measured, |x| unsigned_zero(format!("{:.1}", x * 100.0)))
}

fn shown(measured: Option<Measured>, format: impl Fn(f64) -> String) -> String {
    let Some(Measured { value, interval }) = measured else { return "–".to_owned() };
    let interval = interval.map_or("no interval".to_owned(), |i| format!("{} to {}", format(i.low), format(i.high)));
    format!("{} ({interval})", format(value))
}

/// An interval in a sentence.
pub(super) fn between(measured: Measured) -> String {
    measured.interval.map_or("no interval: one episode".to_owned(), |i| {
        format!("95 % interval {} to {}", points(i.low), points(i.high))
    })
}

/// `1 task`, `2 tasks`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stratum::Interval;

    fn about(value: f64) -> Measured {
        Measured { value, interval: Some(Interval { low: value - 0.01, high: value + 0.01 }) }
    }

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        assert_eq!([1234.5, 123.45, 12.345, 1.2345, -0.0001].map(number), ["1234", "123.5", "12.35", "1.234", "0.000"]);
        assert_eq!([1.0, 0.998, -0.0001].map(points), ["100", "99.8", "0"]);
        assert_eq!([0.01, -0.01, 0.011, 0.0].map(in_points), ["1 point", "-1 point", "1.1 points", "0 points"]);
        assert_eq!(measured(None), "–");
        assert_eq!(percent(Some(about(0.5))), "50.0 (49.0 to 51.0)");
        assert_eq!(percent(Some(Measured { value: 0.5, interval: None })), "50.0 (no interval)");
    }
}
