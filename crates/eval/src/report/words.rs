//! Numbers as text, and what they say in words. The words follow from the numbers by fixed rules.

use super::document::plain;
use crate::results::{Gap, Measured};
use crate::stratum::Interval;

/// Below this share of the way to the ceiling a score counts as at the floor, above its complement as at the ceiling.
pub(super) const NEAR: f64 = 0.05;

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

/// A zero has no sign.
fn unsigned_zero(text: String) -> String {
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
fn between(interval: Option<Interval>) -> String {
    interval.map_or("no interval: one episode".to_owned(), |i| {
        format!("95 % interval {} to {}", points(i.low), points(i.high))
    })
}

/// `1 task`, `2 tasks`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A drop from training to one held-out condition.
#[derive(Clone, Debug)]
pub(super) struct Drop {
    /// Where: task and condition.
    pub(super) place: String,
    pub(super) gap: Gap,
}

/// How one agent does, in sentences.
pub(super) struct Story<'a> {
    pub(super) agent: &'a str,
    /// Mean over all that is held out, and its number of tasks and conditions.
    pub(super) held_out: Option<(Measured, usize)>,
    /// Over the tasks that have both halves, and their number.
    pub(super) gap: Option<(Gap, usize)>,
    /// Held-out conditions against the training of the same task.
    pub(super) drops: Vec<Drop>,
    /// The held-out condition with the lowest score.
    pub(super) lowest: Option<(String, Measured)>,
}

impl Story<'_> {
    pub(super) fn tell(&self) -> String {
        let name = format!("**{}**", plain(self.agent));
        let Some((held_out, strata)) = self.held_out else {
            return match &self.gap {
                None => format!(
                    "{name} cannot be placed between floor and ceiling: no held-out score has a scale. Run `random` and \
                     `oracle` beside it."
                ),
                Some(_) => name,
            };
        };
        let mut text = format!(
            "{name} {}. On what is held out it comes {} % of the way from floor to ceiling ({}; {}).",
            self.verdict(held_out),
            points(held_out.value),
            between(held_out.interval),
            count(strata, "condition"),
        );
        if let Some((gap, tasks)) = &self.gap
            && gap.train.value >= NEAR
        {
            text += &format!(
                " On the {} that have both it goes from {} % in training to {} % held out, a gap of {} points ({}).",
                count(*tasks, "task"),
                points(gap.train.value),
                points(gap.held_out.value),
                points(gap.gap.value),
                between(gap.gap.interval)
            );
        }
        text += &self.breaks();
        text
    }

    /// How far it generalises, in a word.
    fn verdict(&self, held_out: Measured) -> &'static str {
        let Some((Gap { train, held_out: after, gap }, _)) = self.gap else {
            return if held_out.value < NEAR {
                "is at the floor on what is held out"
            } else if held_out.value > 1.0 - NEAR {
                "is at the ceiling on what is held out"
            } else {
                "is between floor and ceiling on what is held out"
            };
        };
        let certain = gap.interval.is_some_and(|i| i.low > 0.0);
        if train.value < NEAR && held_out.value < NEAR {
            "is at the floor in training already: it has nothing to generalise"
        } else if train.value > 1.0 - NEAR && held_out.value > 1.0 - NEAR {
            "is at the ceiling, and stays there on what is held out"
        } else if !certain || gap.value < NEAR * train.value.abs() {
            "generalises: these runs show no loss, or hardly any"
        } else if after.value < NEAR {
            "does not generalise: what it does in training is lost"
        } else {
            "generalises in part"
        }
    }

    fn breaks(&self) -> String {
        if self.gap.as_ref().is_some_and(|(g, _)| g.train.value < NEAR) {
            return String::new();
        }
        let mut worst: Vec<&Drop> =
            self.drops.iter().filter(|d| d.gap.gap.interval.is_some_and(|i| i.low > 0.0)).collect();
        worst.sort_by(|a, b| b.gap.gap.value.total_cmp(&a.gap.gap.value));
        let told: Vec<String> = worst
            .iter()
            .take(3)
            .map(|d| format!("{} ({} % after {} %)", d.place, points(d.gap.held_out.value), points(d.gap.train.value)))
            .collect();
        match (told.is_empty(), &self.lowest) {
            (false, _) => format!(
                " It breaks in {} of {}, most of all in {}.",
                worst.len(),
                count(self.drops.len(), "held-out condition"),
                told.join(", ")
            ),
            (true, Some((_, lowest))) if lowest.value > 1.0 - NEAR => String::new(),
            (true, Some((place, lowest))) if !self.drops.is_empty() => format!(
                " Under none of {} does the interval show a drop; its lowest score is {} % in {place}.",
                count(self.drops.len(), "held-out condition"),
                points(lowest.value)
            ),
            (true, Some((place, lowest))) => {
                format!(" Its lowest held-out score is {} % in {place}.", points(lowest.value))
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(value: f64) -> Measured {
        Measured { value, interval: Some(Interval { low: value - 0.01, high: value + 0.01 }) }
    }

    fn story(train: f64, held_out: f64) -> String {
        let gap = Gap { train: about(train), held_out: about(held_out), gap: about(train - held_out) };
        let drops = vec![Drop { place: "maze under far".into(), gap }];
        let lowest = Some(("maze under far".to_owned(), about(held_out)));
        Story { agent: "a*b", held_out: Some((about(held_out), 1)), gap: Some((gap, 1)), drops, lowest }.tell()
    }

    #[test]
    fn words_follow_from_the_numbers() {
        assert!(story(0.0, 0.0).contains("nothing to generalise"));
        assert!(story(1.0, 1.0).contains("stays there"));
        assert!(story(0.8, 0.8).contains("generalises: these runs show no loss"));
        assert!(story(0.8, 0.4).contains("generalises in part"));
        assert!(story(0.8, 0.0).contains("does not generalise"));
        let text = story(0.8, 0.4);
        assert!(text.contains("a gap of 40 points (95 % interval 39 to 41)"), "{text}");
        assert!(text.contains("most of all in maze under far (40 % after 80 %)"), "{text}");
        assert!(text.starts_with("**a\\*b** "), "{text}");
    }

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        assert_eq!([1234.5, 123.45, 12.345, 1.2345, -0.0001].map(number), ["1234", "123.5", "12.35", "1.234", "0.000"]);
        assert_eq!([1.0, 0.998, -0.0001].map(points), ["100", "99.8", "0"]);
        assert_eq!(measured(None), "–");
        assert_eq!(percent(Some(about(0.5))), "50.0 (49.0 to 51.0)");
        assert_eq!(percent(Some(Measured { value: 0.5, interval: None })), "50.0 (no interval)");
    }
}
