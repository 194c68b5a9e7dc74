//! What the papers claim, put to the records.
//!
//! A claim is a comparison. It *agrees* when the difference has the claimed sign and its 95 % interval leaves out zero,
//! *disagrees* when it has the opposite sign and its interval leaves out zero, and is *undecided* otherwise, or when an
//! agent that it names was not run. `near` agrees when the whole interval of the difference lies within the margin, and
//! disagrees when none of it does. `falls` and `rises` look at the mean change from one condition to the next: the slope
//! of the least-squares line through the scores in the order given.
//!
//! One task is compared in the metric's own unit. Several tasks are compared by the mean of their normalised scores,
//! over those tasks that every side has.

use serde::Serialize;

use crate::protocol::{Claim, Side, Test};
use crate::results::{Cell, Measured, Place, Scale, Suite, part_of};
use crate::stratum::{Contrast, Stratum, contrast};

/// What the records say to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// They show it.
    Agree,
    /// They show the opposite.
    Disagree,
    /// They do not tell.
    Undecided,
}

impl Verdict {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Disagree => "disagree",
            Self::Undecided => "undecided",
        }
    }
}

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Left minus right, or the mean change from one condition to the next.
    pub difference: Option<Measured>,
    /// Why it is undecided, or how it was decided.
    pub reason: String,
}

/// One thing to compare: an agent somewhere.
struct Asked<'a> {
    agent: &'a str,
    task: Option<&'a str>,
    tag: Option<&'a str>,
    condition: &'a str,
    metric: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn of(side: &'a Side) -> Self {
        let Side { agent, task, tag, condition, metric } = side;
        Self { agent, task: task.as_deref(), tag: tag.as_deref(), condition, metric: metric.as_deref() }
    }
}

/// Judges one claim of the suite's protocol.
#[must_use]
pub fn judge(suite: &Suite, claim: &Claim) -> Judged {
    match measure(suite, claim) {
        Ok(difference) => decide(claim, difference),
        Err(reason) => Judged { verdict: Verdict::Undecided, difference: None, reason },
    }
}

fn sides(claim: &Claim) -> Vec<Asked<'_>> {
    if let (Some(left), Some(right)) = (&claim.left, &claim.right) {
        return vec![Asked::of(left), Asked::of(right)];
    }
    let (task, tag, metric) = (claim.task.as_deref(), claim.tag.as_deref(), claim.metric.as_deref());
    let agent = claim.agent.as_deref().unwrap_or_default();
    claim.over.iter().map(|condition| Asked { agent, task, tag, condition, metric }).collect()
}

/// The difference that a claim is about, or why there is none.
fn measure(suite: &Suite, claim: &Claim) -> Result<Measured, String> {
    let sides = sides(claim);
    for side in &sides {
        if suite.agent(side.agent).is_none() {
            return Err(format!("agent `{}` was not run", side.agent));
        }
    }
    let found: Vec<Vec<(usize, Stratum)>> = sides.iter().map(|side| strata(suite, side)).collect::<Result<_, _>>()?;
    // Several tasks: those that every side has.
    let tasks: Vec<usize> = found[0].iter().map(|(task, _)| *task).collect();
    let single = sides[0].task.is_some_and(|task| task != "*");
    let shared = |task: &usize| single || found.iter().all(|side| side.iter().any(|(t, _)| t == task));
    let tasks: Vec<usize> = tasks.into_iter().filter(shared).collect();
    let keep = |side: Vec<(usize, Stratum)>| -> Vec<Stratum> {
        side.into_iter().filter(|(t, _)| single || tasks.contains(t)).map(|(_, s)| s).collect()
    };
    let groups: Vec<Vec<Stratum>> = found.into_iter().map(keep).collect();
    if groups.iter().any(Vec::is_empty) {
        return Err("no task has normalised scores on every side".to_owned());
    }
    let factors = if claim.over.is_empty() { vec![1.0, -1.0] } else { slope(groups.len()) };
    let terms = groups.iter().zip(factors).flat_map(|(group, factor)| {
        let factor = factor / group.len() as f64;
        group.iter().map(move |stratum| (factor, stratum))
    });
    let found = contrast(&terms.collect::<Vec<_>>()).map(Contrast::measured);
    found.ok_or_else(|| "there are no scores".to_owned())
}

/// The runs of one side: in the metric's unit of one task, normalised of several.
fn strata(suite: &Suite, side: &Asked<'_>) -> Result<Vec<(usize, Stratum)>, String> {
    let agent = suite.agent(side.agent).ok_or("the agent was not run")?;
    let tasks = suite.protocol.tasks.iter().enumerate();
    let wanted: Vec<usize> = match (side.task, side.tag) {
        (Some("*"), _) => tasks.map(|(i, _)| i).collect(),
        (Some(name), _) => tasks.filter(|(_, t)| t.name == name).map(|(i, _)| i).collect(),
        (None, tag) => {
            tasks.filter(|(_, t)| tag.is_some_and(|tag| t.tags.iter().any(|own| own == tag))).map(|(i, _)| i).collect()
        }
    };
    let single = side.task.is_some_and(|task| task != "*");
    let mut found = Vec::new();
    for task in wanted {
        let conditions = &suite.protocol.tasks[task].conditions;
        let Some(condition) = conditions.iter().position(|c| c.name == side.condition) else { continue };
        let place = (task, condition, agent);
        let Some(cell) = suite.cells.get(&place) else {
            if single {
                return Err(format!("`{}` has no records under condition `{}`", side.agent, side.condition));
            }
            continue;
        };
        let stratum = match side.metric {
            Some(metric) => Some(asked(suite, place, cell, metric)?),
            None if single => suite.stratum(place, Scale::Raw),
            None => suite.stratum(place, Scale::Task),
        };
        match stratum.filter(|s| !s.scores().is_empty()) {
            Some(stratum) => found.push((task, stratum)),
            None if single => {
                return Err(format!("`{}` has no score under condition `{}`", side.agent, side.condition));
            }
            None => {}
        }
    }
    Ok(found)
}

/// The runs of another metric than the scored one, perhaps of a part of the problems.
fn asked(suite: &Suite, place: Place, cell: &Cell, metric: &str) -> Result<Stratum, String> {
    let (name, part) = part_of(metric);
    let found = match part {
        None => cell.scored(name, |_| true),
        Some(part) => {
            let parts = suite.parts(place).ok_or_else(|| format!("the data that `{part}` needs are not at hand"))?;
            if !parts.names().iter().any(|(_, name)| *name == part) {
                return Err(format!("the problems are not labelled by `{part}`"));
            }
            cell.scored(name, |r| r.problem.and_then(|p| parts.holds(part, p)).unwrap_or(false))
        }
    };
    if found.scores().is_empty() {
        return Err(format!("the records have no `{metric}`"));
    }
    Ok(found)
}

/// What each of `n` values at 0, 1, 2 and so on counts in the slope of the least-squares line through them.
fn slope(n: usize) -> Vec<f64> {
    let middle = (n as f64 - 1.0) / 2.0;
    let offsets = || (0..n).map(|i| i as f64 - middle);
    let squares: f64 = offsets().map(|x| x * x).sum();
    offsets().map(|x| if squares > 0.0 { x / squares } else { 0.0 }).collect()
}

fn decide(claim: &Claim, difference: Measured) -> Judged {
    let judged = |verdict, reason: &str| Judged { verdict, difference: Some(difference), reason: reason.to_owned() };
    let Some(interval) = difference.interval else {
        return judged(Verdict::Undecided, "one episode alone has no interval");
    };
    if claim.test == Test::Near {
        let margin = claim.margin.unwrap_or(0.0);
        return if -margin <= interval.low && interval.high <= margin {
            judged(Verdict::Agree, "the interval lies within the margin")
        } else if interval.low > margin || interval.high < -margin {
            judged(Verdict::Disagree, "the interval lies outside the margin")
        } else {
            judged(Verdict::Undecided, "the interval reaches across the margin")
        };
    }
    let claimed = if claim.test == Test::Falls { -1.0 } else { 1.0 };
    if interval.contains(0.0) {
        return judged(Verdict::Undecided, "the interval holds zero");
    }
    if difference.value * claimed > 0.0 {
        judged(Verdict::Agree, "the interval leaves out zero")
    } else {
        judged(Verdict::Disagree, "the interval leaves out zero, on the other side")
    }
}
