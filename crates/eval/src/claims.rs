//! What the papers claim, put to the records.
//!
//! A claim is a sentence, and its comparisons are tested one by one. Every one is a sum of mean scores, each with its
//! factor: left minus right, or the slope of the least-squares line over conditions or tasks, which is the mean change
//! from one to the next.
//!
//! | test | agrees | disagrees |
//! |---|---|---|
//! | `above` | the difference is above 0 (two-sided) | it is below 0 (two-sided) |
//! | `rises`, `falls` | the slope has the sign (two-sided) | it has the other |
//! | `near` | it is within the margin (two one-sided tests) | it is outside (two-sided) |
//! | `not-above`, `not-rises`, `fails` | it is below the margin (one-sided) | it is above (one-sided) |
//!
//! A claim may make a hundred comparisons, so each is decided at the 5 % level after Holm's correction over all
//! comparisons of the protocol that the records can test, the same one counting once. A claim that needs all of them
//! agrees if all agree and disagrees if one disagrees; one that needs most or any, accordingly; otherwise it is undecided.
//!
//! A claim is put to the records only if they hold an agent that it is about; `random` and `oracle` are what agents are
//! compared with.
//!
//! One task is compared in the metric's own unit, unless the comparison says `normalised`. Several tasks are compared by
//! the mean of their normalised scores, over those tasks that every side has.

use std::collections::BTreeSet;

use heldout_core::Entry;
use heldout_envs::find;
use serde::Serialize;

use crate::comparison::{Asked, Claim, Hypothesis, Needs, Test, conditions, tasks};
use crate::results::{Cell, Measured, ORACLE, Place, RANDOM, Scale, Suite, part_of};
use crate::stratum::{Contrast, Stratum, contrast};

/// How often a comparison without a difference may be decided, all comparisons of a protocol together.
pub const LEVEL: f64 = 0.05;

/// What the records say to a claim or a comparison.
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
    /// The claim in words.
    pub text: String,
    /// Where the paper says so.
    pub source: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Agents that it names and that were not run.
    pub absent: Vec<String>,
    /// Its comparisons.
    pub comparisons: Vec<Compared>,
}

/// A comparison and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// It in words.
    pub text: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Left minus right, the mean change from one to the next, or the score that is at the floor.
    pub difference: Option<Measured>,
    /// The chance of it if the claim, or its opposite, were not so, after Holm's correction.
    pub p: Option<f64>,
    /// Why it could not be tested; empty if it was.
    pub problem: String,
}

impl Judged {
    /// Its comparisons with this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.comparisons.iter().filter(|compared| compared.verdict == verdict).count()
    }
}

/// What a comparison came to before it is corrected.
struct Tested {
    difference: Measured,
    p: f64,
    /// Whether the records lean to the claim.
    leans: bool,
}

/// Judges the claims of the suite's protocol that an agent of the suite is concerned by.
#[must_use]
pub fn judge(suite: &Suite) -> Vec<Judged> {
    let concerned: Vec<(&Claim, Vec<Hypothesis>)> = suite
        .protocol
        .claims
        .iter()
        .map(|claim| (claim, claim.hypotheses()))
        .filter(|(_, hypotheses)| concerns(suite, hypotheses))
        .collect();
    // The same comparison in two claims is tested once.
    let mut unique: Vec<&Hypothesis> = Vec::new();
    for hypothesis in concerned.iter().flat_map(|(_, hypotheses)| hypotheses) {
        if !unique.contains(&hypothesis) {
            unique.push(hypothesis);
        }
    }
    let tested: Vec<Result<Tested, String>> = unique.iter().map(|hypothesis| test(suite, hypothesis)).collect();
    let mut corrected = holm(&tested.iter().flatten().map(|tested| tested.p).collect::<Vec<_>>()).into_iter();
    let found: Vec<Compared> = unique
        .iter()
        .zip(tested)
        .map(|(hypothesis, tested)| {
            let p = tested.is_ok().then(|| corrected.next()).flatten();
            compared(hypothesis, tested, p)
        })
        .collect();
    let judged = |(claim, hypotheses): &(&Claim, Vec<Hypothesis>)| {
        let place = |hypothesis: &Hypothesis| unique.iter().position(|other| *other == hypothesis);
        let comparisons: Vec<Compared> = hypotheses.iter().filter_map(place).map(|i| found[i].clone()).collect();
        let mut absent: Vec<String> = Vec::new();
        for agent in agents(hypotheses).filter(|agent| suite.agent(agent).is_none()) {
            if !absent.iter().any(|known| known == agent) {
                absent.push(agent.to_owned());
            }
        }
        let verdict = verdict(claim.needs, &comparisons);
        Judged { text: claim.text.clone(), source: claim.source.clone(), verdict, absent, comparisons }
    };
    concerned.iter().map(judged).collect()
}

fn agents(hypotheses: &[Hypothesis]) -> impl Iterator<Item = &str> {
    hypotheses.iter().flat_map(|hypothesis| &hypothesis.sides).map(|side| side.agent.as_str())
}

/// Whether an agent that the claim is about was run: not who comes with the tasks and is what others are compared with.
fn concerns(suite: &Suite, hypotheses: &[Hypothesis]) -> bool {
    let entries = suite.protocol.tasks.iter().filter_map(|task| find(&task.id).ok());
    let known: BTreeSet<&str> = entries.flat_map(Entry::policies).map(|policy| policy.name).collect();
    let reference = |agent: &str| agent == RANDOM || agent == ORACLE || known.contains(agent);
    let only_references = agents(hypotheses).all(reference);
    agents(hypotheses).any(|agent| (only_references || !reference(agent)) && suite.agent(agent).is_some())
}

fn verdict(needs: Needs, comparisons: &[Compared]) -> Verdict {
    let count = |verdict| comparisons.iter().filter(|compared| compared.verdict == verdict).count();
    let (all, agree, disagree) = (comparisons.len(), count(Verdict::Agree), count(Verdict::Disagree));
    let tested = comparisons.iter().filter(|compared| compared.difference.is_some()).count();
    let (agrees, disagrees) = match needs {
        Needs::All => (agree == all, disagree > 0),
        Needs::Tested => (tested > 0 && agree == tested, disagree > 0),
        Needs::Most => (2 * agree > all, 2 * disagree >= all),
        Needs::Any => (agree > 0, disagree == all),
    };
    match (agrees, disagrees) {
        (true, _) => Verdict::Agree,
        (_, true) => Verdict::Disagree,
        _ => Verdict::Undecided,
    }
}

/// Holm's correction: the smallest p-value counts as often as there are values, the next once less, and so on.
fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut corrected, mut highest) = (vec![0.0; values.len()], 0.0_f64);
    for (rank, i) in order.into_iter().enumerate() {
        highest = highest.max(values[i] * (values.len() - rank) as f64).min(1.0);
        corrected[i] = highest;
    }
    corrected
}

fn compared(hypothesis: &Hypothesis, tested: Result<Tested, String>, p: Option<f64>) -> Compared {
    let (difference, leans, problem) = match tested {
        Ok(Tested { difference, leans, .. }) => (Some(difference), leans, String::new()),
        Err(problem) => (None, false, problem),
    };
    let verdict = match (p.is_some_and(|p| p <= LEVEL), leans) {
        (true, true) => Verdict::Agree,
        (true, false) => Verdict::Disagree,
        (false, _) => Verdict::Undecided,
    };
    Compared { text: hypothesis.words(), verdict, difference, p, problem }
}

/// Puts one comparison to the records, or says why that cannot be done.
fn test(suite: &Suite, hypothesis: &Hypothesis) -> Result<Tested, String> {
    for side in &hypothesis.sides {
        if suite.agent(&side.agent).is_none() {
            return Err(format!("`{}` was not run", side.agent));
        }
    }
    let contrast = measure(suite, hypothesis)?;
    let (p, leans) = decide(hypothesis.test, hypothesis.margin, contrast).ok_or("one episode alone has no interval")?;
    Ok(Tested { difference: contrast.measured(), p, leans })
}

/// The p-value of the direction that the records lean to, and whether that is the claim's.
fn decide(test: Test, margin: f64, contrast: Contrast) -> Option<(f64, bool)> {
    let (above, below) = (|x| contrast.p_above(x), |x| contrast.p_below(x));
    let two_sided = |up: f64, down: f64| (2.0 * up.min(down)).min(1.0);
    Some(match test {
        Test::Above | Test::Rises => (two_sided(above(0.0)?, below(0.0)?), contrast.value > 0.0),
        Test::Falls => (two_sided(above(0.0)?, below(0.0)?), contrast.value < 0.0),
        Test::Near => {
            let inside = above(-margin)?.max(below(margin)?);
            let outside = two_sided(above(margin)?, below(-margin)?);
            (inside.min(outside), inside < outside)
        }
        Test::NotAbove | Test::NotRises | Test::Fails => {
            let (under, over) = (below(margin)?, above(margin)?);
            (under.min(over), under < over)
        }
    })
}

/// The sum of scores that a comparison is about, or why there is none.
fn measure(suite: &Suite, hypothesis: &Hypothesis) -> Result<Contrast, String> {
    let sides = &hypothesis.sides;
    let normalised = hypothesis.normalised || sides.iter().any(|side| side.single().is_none());
    let found: Vec<Vec<(usize, Vec<Stratum>)>> =
        sides.iter().map(|side| strata(suite, side, normalised)).collect::<Result<_, _>>()?;
    // Means over tasks are over those tasks that every side has.
    let several = sides.iter().all(|side| side.single().is_none());
    let shared = |task: usize| !several || found.iter().all(|side| side.iter().any(|(t, _)| *t == task));
    let mut terms: Vec<(f64, &Stratum)> = Vec::new();
    for (side, factor) in found.iter().zip(factors(hypothesis.test, sides.len())) {
        let kept: Vec<&Vec<Stratum>> = side.iter().filter(|(task, _)| shared(*task)).map(|(_, s)| s).collect();
        if kept.is_empty() {
            return Err("no task has normalised scores on every side".to_owned());
        }
        for of_task in &kept {
            let each = factor / (kept.len() * of_task.len()) as f64;
            terms.extend(of_task.iter().map(|stratum| (each, stratum)));
        }
    }
    contrast(&terms).ok_or_else(|| "there are no scores".to_owned())
}

/// What each side counts: a difference, a slope, or the score itself.
fn factors(test: Test, sides: usize) -> Vec<f64> {
    match test {
        Test::Fails => vec![1.0],
        Test::Above | Test::NotAbove | Test::Near => vec![1.0, -1.0],
        Test::Falls | Test::Rises | Test::NotRises => {
            let middle = (sides as f64 - 1.0) / 2.0;
            let offsets = || (0..sides).map(|i| i as f64 - middle);
            let squares: f64 = offsets().map(|x| x * x).sum();
            offsets().map(|x| x / squares).collect()
        }
    }
}

/// The scores of one side: task by task, condition by condition.
fn strata(suite: &Suite, side: &Asked, normalised: bool) -> Result<Vec<(usize, Vec<Stratum>)>, String> {
    let agent = suite.agent(&side.agent).ok_or("the agent was not run")?;
    let single = side.single().is_some();
    let nothing = |what: &str| format!("`{}` has no {what} under condition `{}`", side.agent, side.condition);
    let mut found = Vec::new();
    for (task, of) in tasks(&suite.protocol, side) {
        let places: Vec<Place> = conditions(of, &side.condition).into_iter().map(|c| (task, c, agent)).collect();
        // Of several conditions, those that there are: a test made from an agent's experience may have no problems.
        let places: Vec<Place> = places.into_iter().filter(|place| suite.cells.contains_key(place)).collect();
        if places.is_empty() && single {
            return Err(nothing("records"));
        }
        let mut own = Vec::new();
        for place in places {
            let stratum = match &side.metric {
                Some(metric) => Some(asked(suite, place, &suite.cells[&place], metric)?),
                None => suite.stratum(place, if normalised { Scale::Task } else { Scale::Raw }),
            };
            own.extend(stratum.filter(|s| !s.scores().is_empty()));
        }
        if own.is_empty() && single {
            return Err(nothing(if normalised { "normalised score" } else { "score" }));
        }
        if !own.is_empty() {
            found.push((task, own));
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

#[cfg(test)]
mod tests {
    use heldout_core::{Rng, Seed};

    use super::*;
    use crate::stratum::{Scored, normal};

    #[test]
    fn holms_correction_is_that_computed_by_hand() {
        let near = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        // 4 x 0.005, 3 x 0.01, 2 x 0.03; 1 x 0.04 is less than the one before.
        near(holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
        near(holm(&[0.6, 0.9]), &[1.0, 1.0]);
        near(holm(&[0.02, 0.02]), &[0.04, 0.04]);
        near(holm(&[0.05]), &[0.05]);
        near(holm(&[]), &[]);
    }

    /// In how many of 500 trials two agents whose scores come from one law are told apart.
    fn told_apart(name: &str, scores: impl Fn(&mut Rng) -> Stratum) -> usize {
        let mut rng = Seed(14).stream(name).rng();
        let apart = |_: &usize| {
            let (left, right) = (scores(&mut rng), scores(&mut rng));
            let contrast = contrast(&[(1.0, &left), (-1.0, &right)]).expect("there are scores");
            let (p, _) = decide(Test::Above, 0.0, contrast).expect("there is more than one");
            holm(&[p])[0] <= LEVEL
        };
        (0..500).filter(apart).count()
    }

    #[test]
    fn identical_agents_are_seldom_told_apart() {
        let share = |rng: &mut Rng, p: f64| f64::from(u8::from(f64::from(rng.below(1 << 20)) < p * f64::from(1 << 20)));
        let runs = |n: usize, of: &dyn Fn() -> f64| Stratum::of_scores(&(0..n).map(|_| of()).collect::<Vec<_>>());
        let mut all = Vec::new();
        for n in [3, 5, 10] {
            all.push((
                format!("normal, {n} runs"),
                told_apart(&format!("normal {n}"), |rng| {
                    let rng = std::cell::RefCell::new(rng);
                    runs(n, &|| normal(&mut rng.borrow_mut()))
                }),
            ));
            for p in [0.05, 0.5, 0.95] {
                all.push((
                    format!("{n} runs of 50 episodes that succeed with {p}"),
                    told_apart(&format!("share {n} {p}"), |rng| {
                        let rng = std::cell::RefCell::new(rng);
                        runs(n, &|| (0..50).map(|_| share(&mut rng.borrow_mut(), p)).sum::<f64>() / 50.0)
                    }),
                ));
            }
        }
        all.push((
            "normal, one run of 50 episodes".into(),
            told_apart("normal episodes", |rng| {
                Stratum::of_episodes((0..50).map(|_| Scored::plain(normal(rng))).collect(), None)
            }),
        ));
        for p in [0.05, 0.5, 0.95] {
            all.push((
                format!("one run of 50 episodes that succeed with {p}"),
                told_apart(&format!("episodes {p}"), |rng| {
                    let episodes = (0..50).map(|_| Scored::plain(share(rng, p))).collect();
                    Stratum::of_episodes(episodes, Some([0.0, 1.0]))
                }),
            ));
        }
        // 5 % and three standard errors of 500 trials.
        for (what, apart) in &all {
            assert!(*apart <= 40, "{what}: {apart} of 500");
        }
        let mean = all.iter().map(|(_, apart)| *apart as f64).sum::<f64>() / all.len() as f64;
        assert!(mean > 5.0, "a test that never decides passes as well: {mean}");
    }

    #[test]
    fn many_comparisons_of_identical_agents_seldom_decide_any() {
        // 20 comparisons of each of 500 pairs of agents.
        let mut rng = Seed(14).stream("family").rng();
        let decided = |_: &usize| {
            let p = |_| {
                let mut draw = || Stratum::of_scores(&[0; 5].map(|_| normal(&mut rng)));
                let (left, right) = (draw(), draw());
                let contrast = contrast(&[(1.0, &left), (-1.0, &right)]).expect("there are scores");
                decide(Test::Above, 0.0, contrast).expect("there is more than one").0
            };
            holm(&(0..20).map(p).collect::<Vec<_>>()).iter().any(|p| *p <= LEVEL)
        };
        let apart = (0..500).filter(decided).count();
        assert!(apart <= 40, "{apart} of 500");
    }

    #[test]
    fn agents_that_differ_are_told_apart() {
        let of = |mean: f64| Stratum::of_scores(&[-0.1, 0.0, 0.1].map(|x| mean + x));
        let (left, right) = (of(1.0), of(0.0));
        let contrast = contrast(&[(1.0, &left), (-1.0, &right)]).expect("there are scores");
        let (p, leans) = decide(Test::Above, 0.0, contrast).expect("there is more than one");
        // Welch: t = 1 / sqrt(2 * 0.01 / 3) = 12.247 with 4 degrees of freedom.
        assert!((p - 0.000_255).abs() < 1e-5 && leans, "{p}");
    }
}
