//! Verdicts: what may be said of an agent, by fixed rules from intervals alone.
//!
//! Scores are on a scale on which 0 is the floor (the best player without the ability) and 1 the ceiling. The *margin* is
//! how much of that scale counts as nothing.
//!
//! An agent *generalises* if it is above the floor in training and the gap from training to held out is at most the margin,
//! and it *breaks* if the gap is more than the margin, in both cases with the whole interval of the gap. If the interval
//! reaches across the margin it is *undecided*. Who is at the floor in training has nothing that could generalise. Where
//! there is nothing but what is held out, the score itself is placed by the same law.

use serde::Serialize;

use crate::stratum::{Measured, Stratum};

/// How much of the way from floor to ceiling counts as nothing, unless the protocol says otherwise.
pub const MARGIN: f64 = 0.10;

/// How many times as much there may be to ask before it is called hopeless.
const MOST: f64 = 100.0;

/// What chance drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Episodes of one policy.
    Episodes,
    /// Runs: policies that were trained alike.
    Runs,
}

/// How much was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// What chance drew.
    pub unit: Unit,
    /// How many of them in each condition: as many or more in one half of the conditions.
    pub each: usize,
    /// Whether all problems there are were asked, so that more episodes tell nothing new.
    pub whole: bool,
}

impl Sample {
    /// That of `strata`: runs where any of them has several.
    #[must_use]
    pub fn of<'a>(strata: impl Iterator<Item = &'a Stratum>) -> Self {
        let all: Vec<&Stratum> = strata.collect();
        let unit = if all.iter().any(|s| s.runs() > 1) { Unit::Runs } else { Unit::Episodes };
        let size = |s: &&Stratum| if unit == Unit::Runs { s.runs() } else { s.episodes() };
        let mut sizes: Vec<usize> = all.iter().map(size).collect();
        sizes.sort_unstable();
        let each = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
        Self { unit, each, whole: !all.is_empty() && all.iter().all(|s| s.is_whole()) }
    }
}

/// Train and held-out side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Score in training.
    pub train: Measured,
    /// Score on what is held out.
    pub held_out: Measured,
    /// Train minus held-out.
    pub gap: Measured,
    /// How much was asked.
    pub sample: Sample,
}

/// The train strata and the held-out strata of each task.
pub type Halves = Vec<(Vec<Stratum>, Vec<Stratum>)>;

impl Gap {
    /// That of several tasks, each counting the same, whatever its number of conditions; `None` if there are none.
    #[must_use]
    pub fn of(halves: &Halves) -> Option<Self> {
        Self::alike(std::slice::from_ref(halves))
    }

    /// That of several groups of tasks, each group counting the same.
    #[must_use]
    pub fn alike(groups: &[Halves]) -> Option<Self> {
        let sum = |left: f64, right: f64| {
            let mut terms: Vec<(f64, &Stratum)> = Vec::new();
            for halves in groups {
                for (train, held_out) in halves {
                    for (strata, factor) in [(train, left), (held_out, right)] {
                        let factor = factor / (groups.len() * halves.len() * strata.len()) as f64;
                        terms.extend(strata.iter().filter(|_| factor != 0.0).map(|s| (factor, s)));
                    }
                }
            }
            crate::stratum::contrast(&terms).map(crate::stratum::Contrast::measured)
        };
        let strata = groups.iter().flatten().flat_map(|(train, held_out)| train.iter().chain(held_out));
        let sample = Sample::of(strata);
        Some(Self { train: sum(1.0, 0.0)?, held_out: sum(0.0, 1.0)?, gap: sum(1.0, -1.0)?, sample })
    }
}

/// Where a score lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// More than the margin below the floor.
    BelowFloor,
    /// No more than the margin above the floor.
    Floor,
    /// The interval reaches across the margin of the floor.
    FloorOrAbove,
    /// Above the floor and below the ceiling.
    Between,
    /// Above the floor; the interval reaches across the margin of the ceiling.
    CeilingOrBelow,
    /// No more than the margin below the ceiling.
    Ceiling,
    /// More than the margin above the ceiling.
    AboveCeiling,
    /// One episode alone.
    Unknown,
}

impl Position {
    /// That of a score.
    #[must_use]
    pub fn of(score: Measured, margin: f64) -> Self {
        let Some(interval) = score.interval else { return Self::Unknown };
        let (low, high) = (interval.low, interval.high);
        if high < -margin {
            Self::BelowFloor
        } else if high <= margin {
            Self::Floor
        } else if low <= margin {
            Self::FloorOrAbove
        } else if low > 1.0 + margin {
            Self::AboveCeiling
        } else if low >= 1.0 - margin {
            Self::Ceiling
        } else if high < 1.0 - margin {
            Self::Between
        } else {
            Self::CeilingOrBelow
        }
    }
}

impl Position {
    /// In a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BelowFloor => "below the floor",
            Self::Floor => "at the floor",
            Self::FloorOrAbove | Self::Unknown => "undecided",
            Self::Between => "between floor and ceiling",
            Self::CeilingOrBelow => "above the floor",
            Self::Ceiling => "at the ceiling",
            Self::AboveCeiling => "above the ceiling",
        }
    }
}

/// What is said of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It loses no more than the margin.
    Generalises,
    /// It loses more than the margin.
    Breaks,
    /// It is at the floor in training.
    Floor,
    /// It is below the floor in training.
    BelowFloor,
    /// Whether it is above the floor in training is not clear.
    TrainingUndecided,
    /// Whether it loses more than the margin is not clear.
    Undecided,
}

impl Verdict {
    /// That of a gap.
    #[must_use]
    pub fn of(gap: &Gap, margin: f64) -> Self {
        match (Position::of(gap.train, margin), gap.gap.interval) {
            (Position::BelowFloor, _) => Self::BelowFloor,
            (Position::Floor, _) => Self::Floor,
            (Position::FloorOrAbove | Position::Unknown, _) => Self::TrainingUndecided,
            (_, Some(interval)) if interval.high <= margin => Self::Generalises,
            (_, Some(interval)) if interval.low > margin => Self::Breaks,
            _ => Self::Undecided,
        }
    }

    /// In a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Generalises => "generalises",
            Self::Breaks => "breaks",
            Self::Floor => "at the floor",
            Self::BelowFloor => "below the floor",
            Self::TrainingUndecided | Self::Undecided => "undecided",
        }
    }
}

/// What would decide it, if the numbers stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum More {
    /// So many more episodes of each condition.
    Episodes(usize),
    /// So many more training seeds.
    Runs(usize),
    /// Other training seeds alone: every problem was asked.
    OnlyRuns,
    /// Hardly anything: it lies at the margin.
    Hardly,
}

impl More {
    /// What would tell on which side of `margin` the number lies.
    #[must_use]
    pub fn of(number: Measured, margin: f64, sample: Sample) -> Self {
        if sample.unit == Unit::Episodes && sample.whole {
            return Self::OnlyRuns;
        }
        let Some(interval) = number.interval else {
            return if sample.unit == Unit::Runs { Self::Runs(1) } else { Self::Episodes(1) };
        };
        let half = (interval.high - interval.low) / 2.0;
        let times = (half / (number.value - margin).abs()).powi(2);
        if times.is_nan() || times > MOST {
            return Self::Hardly;
        }
        let more = ((sample.each as f64 * (times - 1.0)).ceil() as usize).max(1);
        if sample.unit == Unit::Runs { Self::Runs(more) } else { Self::Episodes(more) }
    }

    /// What would decide an undecided gap.
    #[must_use]
    pub fn to_decide(gap: &Gap, margin: f64) -> Option<Self> {
        match Verdict::of(gap, margin) {
            Verdict::Undecided => Some(Self::of(gap.gap, margin, gap.sample)),
            Verdict::TrainingUndecided => Some(Self::of(gap.train, margin, gap.sample)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stratum::Interval;

    fn about(value: f64, half: f64) -> Measured {
        Measured { value, interval: Some(Interval { low: value - half, high: value + half }) }
    }

    fn gap(train: f64, held_out: f64, half: f64) -> Gap {
        let sample = Sample { unit: Unit::Episodes, each: 100, whole: false };
        Gap { train: about(train, half), held_out: about(held_out, half), gap: about(train - held_out, half), sample }
    }

    #[test]
    fn the_whole_interval_decides() {
        let verdict = |train, held_out, half| Verdict::of(&gap(train, held_out, half), MARGIN);
        assert_eq!(verdict(0.9, 0.85, 0.04), Verdict::Generalises);
        assert_eq!(verdict(0.9, 0.95, 0.04), Verdict::Generalises);
        assert_eq!(verdict(0.83, 0.33, 0.39), Verdict::Breaks);
        assert_eq!(verdict(0.83, 0.33, 0.67), Verdict::Undecided);
        assert_eq!(verdict(0.9, 0.82, 0.04), Verdict::Undecided);
        assert_eq!(verdict(0.0, 0.0, 0.05), Verdict::Floor);
        // What little it does in training is no more than nothing: losing all of it is no generalising.
        assert_eq!(verdict(0.08, 0.0, 0.01), Verdict::Floor);
        assert_eq!(verdict(-0.5, -0.5, 0.05), Verdict::BelowFloor);
        assert_eq!(verdict(0.12, 0.12, 0.05), Verdict::TrainingUndecided);
        assert_eq!(verdict(1.5, 1.5, 0.05), Verdict::Generalises);
        let alone = Gap { gap: Measured { value: 0.0, interval: None }, ..gap(0.9, 0.9, 0.01) };
        assert_eq!(Verdict::of(&alone, MARGIN), Verdict::Undecided);
    }

    #[test]
    fn a_score_is_placed_by_the_same_law() {
        let of = |value, half| Position::of(about(value, half), MARGIN);
        assert_eq!(of(-0.5, 0.1), Position::BelowFloor);
        assert_eq!(of(0.02, 0.05), Position::Floor);
        assert_eq!(of(0.1, 0.05), Position::FloorOrAbove);
        assert_eq!(of(0.5, 0.1), Position::Between);
        assert_eq!(of(0.85, 0.1), Position::CeilingOrBelow);
        assert_eq!(of(0.97, 0.05), Position::Ceiling);
        assert_eq!(of(1.5, 0.1), Position::AboveCeiling);
        assert_eq!(Position::of(Measured { value: 0.5, interval: None }, MARGIN), Position::Unknown);
    }

    #[test]
    fn more_is_what_would_shrink_the_interval_to_the_margin() {
        // Half a width of 0.2 at a distance of 0.1: four times as many.
        assert_eq!(More::to_decide(&gap(0.9, 0.7, 0.2), MARGIN), Some(More::Episodes(300)));
        assert_eq!(More::to_decide(&gap(0.9, 0.801, 0.2), MARGIN), Some(More::Hardly));
        assert_eq!(More::to_decide(&gap(0.9, 0.2, 0.1), MARGIN), None);
        let runs = Sample { unit: Unit::Runs, each: 3, whole: true };
        assert_eq!(More::of(about(0.2, 0.2), MARGIN, runs), More::Runs(9));
        let whole = Sample { unit: Unit::Episodes, each: 100, whole: true };
        assert_eq!(More::of(about(0.2, 0.2), MARGIN, whole), More::OnlyRuns);
    }
}
