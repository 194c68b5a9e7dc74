//! What the report says of one agent, in sentences. The words follow from the verdicts by fixed rules.

use super::document::plain;
use super::words::{between, count, in_points, points};
use crate::stratum::Measured;
use crate::verdict::{Gap, More, Position, Sample, Verdict};

/// Conditions that are named as those where most is lost.
const NAMED: usize = 3;

/// How much of the scale the gap with families weighed alike must differ by to be worth a sentence.
const TOLD: f64 = 0.01;

/// One held-out condition against the training of its task.
#[derive(Clone, Debug)]
pub(super) struct Drop {
    /// Where: task and condition.
    pub(super) place: String,
    pub(super) gap: Gap,
    pub(super) margin: f64,
}

/// What there is to tell of one agent.
pub(super) struct Story<'a> {
    pub(super) agent: &'a str,
    /// Whether it was trained; else it is scripted.
    pub(super) trained: bool,
    /// The families it played, if it did not play them all.
    pub(super) alone: Option<String>,
    /// Over the tasks that have both halves, and their number.
    pub(super) gap: Option<(Gap, usize)>,
    /// The same with families counting alike, where there are several.
    pub(super) alike: Option<Gap>,
    /// Over held-out conditions of tasks without a training condition, their number, and how much was asked.
    pub(super) apart: Option<(Measured, usize, Sample)>,
    /// Held-out conditions against the training of the same task.
    pub(super) drops: Vec<Drop>,
    /// Where its score is above the ceiling, and what it is there.
    pub(super) above: Vec<(String, Measured)>,
    /// How much of the scale counts as nothing.
    pub(super) margin: f64,
}

impl Story<'_> {
    /// All of it.
    pub(super) fn tell(&self) -> String {
        let name = format!("**{}**", plain(self.agent));
        let mut text = match (&self.gap, &self.apart) {
            (None, None) => {
                return format!(
                    "{name} cannot be placed between floor and ceiling: none of its held-out scores has a scale \
                     (`heldout scales` measures one). What it scored is in the tables."
                );
            }
            (Some((gap, tasks)), apart) => {
                let mut text = format!("{name} {}", self.of_gap(gap, *tasks));
                if let Some(apart) = apart {
                    text += &format!(" Where there is nothing but what is held out, it {}", self.of_score(apart));
                }
                text
            }
            (None, Some(apart)) => format!("{name} {}", self.of_score(apart)),
        };
        if let Some(gap) = self.alike.as_ref().filter(|alike| self.differs(alike)) {
            let verdict = Verdict::of(gap, self.margin).name();
            text += &format!(
                " With families weighed alike the gap is {} ({}): {verdict}.",
                in_points(gap.gap.value),
                between(gap.gap)
            );
        }
        text += &self.by_condition();
        if let Some((place, score)) = self.above.first() {
            let more = if self.above.len() > 1 { format!(" and {} more", self.above.len() - 1) } else { String::new() };
            text += &format!(
                " It is above the ceiling in {place}{more} ({} %, {}): the scale does not reach that far, or the score is \
                 not what it says.",
                points(score.value),
                between(*score)
            );
        }
        text
    }

    /// Whether the gap with families weighed alike tells something else than the plain one.
    fn differs(&self, alike: &Gap) -> bool {
        let Some((plain, _)) = &self.gap else { return true };
        let verdicts = [plain, alike].map(|gap| Verdict::of(gap, self.margin));
        let floor = matches!(verdicts[0], Verdict::Floor | Verdict::BelowFloor);
        verdicts[0] != verdicts[1] || (!floor && (plain.gap.value - alike.gap.value).abs() >= TOLD)
    }

    fn training(&self) -> &'static str {
        if self.trained { "in training" } else { "under the training conditions" }
    }

    /// Where: nothing of who played everything.
    fn scope(&self) -> String {
        self.alone.as_ref().map_or(String::new(), |families| format!(" in {families} alone"))
    }

    fn of_gap(&self, gap: &Gap, tasks: usize) -> String {
        let (training, scope, margin) = (self.training(), self.scope(), points(self.margin));
        let from_to = format!(
            "from {} % {training} to {} % on what is held out ({}), a gap of {} ({})",
            points(gap.train.value),
            points(gap.held_out.value),
            count(tasks, "task"),
            in_points(gap.gap.value),
            between(gap.gap)
        );
        let at = format!("{} %, {}; {}", points(gap.train.value), between(gap.train), count(tasks, "task"));
        let told = match Verdict::of(gap, self.margin) {
            Verdict::Generalises => {
                format!("generalises{scope}: {from_to}. None of that interval is above the margin of {margin}.")
            }
            Verdict::Breaks => {
                format!("breaks{scope}: {from_to}. All of that interval is beyond the margin of {margin}.")
            }
            Verdict::Floor => {
                format!("is at the floor{scope} {training} ({at}): there is nothing that could generalise.")
            }
            Verdict::BelowFloor => format!(
                "is below the floor{scope} {training} ({at}): it does worse than whoever lacks the ability, and there is \
                 nothing that could generalise."
            ),
            Verdict::TrainingUndecided => {
                format!("is undecided{scope}: whether it is above the floor {training} is not clear ({at}).")
            }
            Verdict::Undecided => {
                format!("is undecided{scope}: {from_to}. The margin of {margin} lies within that interval.")
            }
        };
        told + &More::to_decide(gap, self.margin).map_or(String::new(), |more| format!(" {}", would_tell(more)))
    }

    fn of_score(&self, &(score, conditions, sample): &(Measured, usize, Sample)) -> String {
        let scope = self.scope();
        let at = format!("{} %, {}; {}", points(score.value), between(score), count(conditions, "held-out condition"));
        match Position::of(score, self.margin) {
            Position::BelowFloor => format!("is below the floor{scope} ({at})."),
            Position::Floor => format!("is at the floor{scope} ({at})."),
            Position::Between => format!("is above the floor and below the ceiling{scope} ({at})."),
            Position::CeilingOrBelow => format!("is above the floor{scope}, and may be at the ceiling ({at})."),
            Position::Ceiling => format!("is at the ceiling{scope} ({at})."),
            Position::AboveCeiling => format!("is above the ceiling{scope} ({at})."),
            Position::FloorOrAbove | Position::Unknown => {
                let more = would_tell(More::of(score, self.margin, sample));
                format!("is undecided{scope}: whether it is above the floor is not clear ({at}). {more}")
            }
        }
    }

    /// How many held-out conditions have which verdict, and where most is lost.
    fn by_condition(&self) -> String {
        if self.drops.len() < 2 {
            return String::new();
        }
        let of = |wanted: Verdict| self.drops.iter().filter(|d| Verdict::of(&d.gap, d.margin) == wanted).count();
        let told = [
            (of(Verdict::Generalises), "it generalises in"),
            (of(Verdict::Breaks), "it breaks in"),
            (of(Verdict::Floor) + of(Verdict::BelowFloor), "it is at the floor, or below, even in training in"),
            (of(Verdict::Undecided) + of(Verdict::TrainingUndecided), "it is undecided in"),
        ];
        let told: Vec<String> = told.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{words} {n}")).collect();
        let mut worst: Vec<&Drop> =
            self.drops.iter().filter(|d| Verdict::of(&d.gap, d.margin) == Verdict::Breaks).collect();
        worst.sort_by(|a, b| b.gap.gap.value.total_cmp(&a.gap.gap.value));
        let named: Vec<String> = worst
            .iter()
            .take(NAMED)
            .map(|d| format!("{} ({} % after {} %)", d.place, points(d.gap.held_out.value), points(d.gap.train.value)))
            .collect();
        let most = if named.is_empty() { String::new() } else { format!("; most is lost in {}", named.join(", ")) };
        format!(
            " Of {} with a training condition, {}{most}.",
            count(self.drops.len(), "held-out condition"),
            told.join(", ")
        )
    }
}

/// What would decide it, in a sentence.
fn would_tell(more: More) -> String {
    let enough = |n: usize, what: &str| {
        format!("About {} would tell, if the numbers stay as they are.", count(n, &format!("more {what}")))
    };
    match more {
        More::Episodes(n) => enough(n, "episode").replace(" would tell", " of each condition would tell"),
        More::Runs(n) => enough(n, "training seed"),
        More::OnlyRuns => "Every problem there is was asked: only other training seeds would tell.".to_owned(),
        More::Hardly => "It lies so near the margin that asking more will hardly tell.".to_owned(),
    }
}
