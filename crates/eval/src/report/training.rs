//! What trainings tell by their curves: drawings, and the scores that a paper takes from them.

use std::collections::BTreeMap;

use heldout_core::{Scoring, Training};
use heldout_envs::family;

use super::document::{Document, Figure, NOTHING, Table, code, plain};
use super::plots::{self, Line};
use super::ranking::{Board, Sure, with_error};
use super::words::{count, number};
use crate::curves::{Curve, Point};
use crate::protocol::Condition;
use crate::results::{Results, Scale, Suite};
use crate::scales;
use crate::stratum::{Run, Scored, Stratum, contrast};

/// Writes the curves of a suite's tasks, and the scores that are taken from them.
pub(super) fn write(document: &mut Document, results: &Results, suite: &Suite) {
    let name = &suite.protocol.name;
    let here = |curve: &&Curve| suite.protocol.tasks.iter().any(|task| curve.is_of(name, &task.name));
    let curves: Vec<&Curve> = results.curves.iter().filter(here).collect();
    if curves.is_empty() {
        return;
    }
    document.heading(3, "Learning curves");
    document.figures(curves.iter().map(|curve| drawn(suite, curve)).collect());
    scores(document, suite, &curves);
}

/// The curve of one agent on one task: a line for each condition, in the task's order, and what it is to be compared with.
fn drawn(suite: &Suite, curve: &Curve) -> Figure {
    let task = suite.protocol.tasks.iter().position(|task| task.name == curve.task);
    let place = |series: &str| {
        let conditions = &suite.protocol.tasks[task?].conditions;
        conditions.iter().position(|condition| condition.name == series)
    };
    let mut names = curve.series();
    names.sort_by_key(|name| (place(name).unwrap_or(usize::MAX), *name));
    let mut beside: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for name in names {
        let compared = task.zip(place(name)).and_then(|(task, condition)| compared(suite, task, condition));
        beside.extend(compared.filter(|(who, _)| !beside.contains(who)).map(|(who, _)| who));
        let point = |Point { step, median, low, high }| (step as f64, median, low, high);
        let points = curve.points(name).into_iter().map(point).collect();
        lines.push(Line { name: name.to_owned(), points, level: compared.map(|(_, score)| score) });
    }
    let of = [&curve.agent, &curve.task].into_iter().filter(|t| !t.is_empty()).cloned().collect::<Vec<_>>();
    let title = format!("Training of {}", of.join(" on "));
    let dotted =
        if beside.is_empty() { String::new() } else { format!(" Dotted, in its colour: {}.", beside.join("; ")) };
    let caption = format!(
        "{}: the median over {}; the band runs from the lowest to the highest.{dotted}",
        plain(&title),
        count(curve.runs.len(), "seed")
    );
    Figure { caption, svg: plots::lines(&title, ("steps of training", "score"), &lines) }
}

/// What a curve is compared with: people where a paper has them, else the oracle.
fn compared(suite: &Suite, task: usize, condition: usize) -> Option<(&'static str, f64)> {
    let Condition { human, .. } = &suite.protocol.tasks[task].conditions[condition];
    let oracle = || Some(suite.kept_scale(task, condition)?.oracle.as_ref()?.mean);
    human.map(|score| ("people, as published", score)).or_else(|| oracle().map(|score| ("the oracle", score)))
}

/// What one seed scored where it was read.
struct Read {
    seed: Option<u64>,
    /// The last step of the moments that it was read over.
    step: u64,
    /// Under each condition of [`Agent::conditions`].
    scores: Vec<f64>,
}

/// The trainings of one agent on one task.
struct Agent<'a> {
    name: &'a str,
    task: usize,
    /// What was scored on the way: what was trained on, then the others.
    conditions: Vec<usize>,
    seeds: Vec<Read>,
    /// Seeds whose curves are too short, and how many points these have.
    short: Vec<(Option<u64>, usize)>,
}

impl<'a> Agent<'a> {
    /// What `scoring` reads from a curve; `None` if it has no scores of training.
    fn read(suite: &Suite, task: usize, curve: &'a Curve, scoring: &Scoring) -> Option<Self> {
        let of = &suite.protocol.tasks[task];
        let everywhere = |&condition: &usize| {
            let name = &of.conditions[condition].name;
            curve.runs.values().flat_map(BTreeMap::values).all(|moment| moment.scores.contains_key(name))
        };
        let trained = of.conditions.iter().position(|condition| !condition.held_out).filter(|c| everywhere(c))?;
        let others = (0..of.conditions.len()).filter(|c| *c != trained).filter(everywhere);
        let conditions: Vec<usize> = std::iter::once(trained).chain(others).collect();
        let (mut seeds, mut short) = (Vec::new(), Vec::new());
        for (&seed, moments) in &curve.runs {
            let series = |condition: usize| -> Vec<f64> {
                moments.values().map(|moment| moment.scores[&of.conditions[condition].name]).collect()
            };
            let training = Training {
                train: series(trained),
                held_out: conditions[1..].iter().map(|&condition| series(condition)).collect(),
                episodes: moments.values().find_map(|moment| moment.episodes).unwrap_or(1),
            };
            let found = (scoring.snapshot)(&of.id, &training);
            let step = |last: usize| moments.keys().nth(last).copied();
            match found.and_then(|found| Some((step(found.moments.end.checked_sub(1)?)?, found))) {
                Some((step, found)) => {
                    let scores = std::iter::once(found.train).chain(found.held_out).collect();
                    seeds.push(Read { seed, step, scores });
                }
                None => short.push((seed, moments.len())),
            }
        }
        Some(Self { name: &curve.agent, task, conditions, seeds, short })
    }

    /// The scores of its seeds under the `index`th of its conditions.
    fn stratum(&self, index: usize) -> Stratum {
        // One seed is another training on every task.
        let policy = |seed: Option<u64>| format!("task {}, seed {seed:?}", self.task);
        let run =
            |read: &Read| Run { policy: Some(policy(read.seed)), episodes: vec![Scored::plain(read.scores[index])] };
        Stratum::new(self.seeds.iter().map(run).collect(), None)
    }
}

/// A board of the trainings, on one scale.
fn board<'a>(suite: &'a Suite, read: &[Agent<'_>], scale: Scale) -> Board<'a> {
    let mut agents: Vec<String> = Vec::new();
    let mut strata = BTreeMap::new();
    for own in read.iter().filter(|own| !own.seeds.is_empty()) {
        let agent = agents.iter().position(|name| name == own.name).unwrap_or_else(|| {
            agents.push(own.name.to_owned());
            agents.len() - 1
        });
        for (index, &condition) in own.conditions.iter().enumerate() {
            if let Some((zero, one)) = ends(suite, own.task, condition, scale) {
                strata.insert((own.task, condition, agent), own.stratum(index).between(zero, one));
            }
        }
    }
    let scripted = vec![false; agents.len()];
    Board { suite, agents, scripted, strata, scale, sure: Sure::Error }
}

/// The scores that count as 0 and 1 on `scale`, where these may enter a mean.
fn ends(suite: &Suite, task: usize, condition: usize, scale: Scale) -> Option<(f64, f64)> {
    let at = &suite.protocol.tasks[task].conditions[condition];
    match scale {
        Scale::Raw => None,
        Scale::Human => at.random.zip(at.human).filter(|_| !at.human_is_noise()),
        Scale::Task => suite.kept_scale(task, condition)?.ends(),
    }
}

/// The scores of trainings, where the family of a task says how they are taken.
fn scores(document: &mut Document, suite: &Suite, curves: &[&Curve]) {
    let mut read: Vec<Agent<'_>> = Vec::new();
    let mut captions: Vec<&str> = Vec::new();
    for (task, of) in suite.protocol.tasks.iter().enumerate() {
        let Some(scoring) = family(&of.id).and_then(|family| family.measures.scoring) else { continue };
        let own = curves.iter().filter(|curve| curve.task == of.name);
        let before = read.len();
        read.extend(own.filter_map(|curve| Agent::read(suite, task, curve, &scoring)));
        if read.len() > before && !captions.contains(&scoring.caption) {
            captions.push(scoring.caption);
        }
    }
    if read.is_empty() {
        return;
    }
    document.heading(3, "Scores of training");
    for caption in captions {
        document.paragraph(caption);
    }
    let short: Vec<String> = read.iter().flat_map(|own| left_out(suite, own)).collect();
    if !short.is_empty() {
        document.paragraph("Left out, since their curves have too few points:");
        document.list(short);
    }
    document.table(table(suite, &read));
    let what = "the scores of training";
    let task = board(suite, &read, Scale::Task);
    document.table(task.ranking(what));
    document.table(board(suite, &read, Scale::Human).ranking(what));
    document.figures(task.heat(&task.parts(), what));
}

/// Who is left out, in words.
fn left_out(suite: &Suite, own: &Agent<'_>) -> Vec<String> {
    let task = &suite.protocol.tasks[own.task].name;
    let one = |(seed, points): &(Option<u64>, usize)| {
        let seed = seed.map_or("its training".to_owned(), |seed| format!("seed {seed}"));
        format!("{} on {}: {seed} has {}.", plain(own.name), plain(task), count(*points, "point"))
    };
    own.short.iter().map(one).collect()
}

/// Every agent under every condition: what its seeds score on the average, against what, and where each was read.
fn table(suite: &Suite, read: &[Agent<'_>]) -> Table {
    let mut table = Table::new(
        "Scores of training: mean over seeds ± its standard error, and the last step of the moments at which each seed is read",
        3,
        &["task", "condition", "agent", "score", "percent of scale", "floor", "seeds", "read at"],
    );
    table.words = vec![5];
    for own in read.iter().filter(|own| !own.seeds.is_empty()) {
        let task = &suite.protocol.tasks[own.task];
        for (index, &c) in own.conditions.iter().enumerate() {
            let stratum = own.stratum(index);
            let condition = &task.conditions[c];
            let half = if condition.held_out { "held out" } else { "training" };
            let raw = contrast(&[(1.0, &stratum)]);
            let scaled = ends(suite, own.task, c, Scale::Task).map(|(zero, one)| stratum.between(zero, one));
            let steps: Vec<String> = own.seeds.iter().map(|read| read.step.to_string()).collect();
            table.rows.push(vec![
                plain(&task.name),
                format!("{} ({half})", plain(&condition.name)),
                plain(own.name),
                raw.map_or(NOTHING.to_owned(), |raw| with_error(raw.value, raw.error, number)),
                Sure::Error.percent(scaled.and_then(|scaled| contrast(&[(1.0, &scaled)]))),
                floor(suite.kept_scale(own.task, c), &task.metric),
                own.seeds.len().to_string(),
                steps.join(", "),
            ]);
        }
    }
    table
}

/// The best player without the ability that a condition is about, and its score by the metric that is shown; after it those
/// who have a part of the ability.
pub(super) fn floor(scale: Option<&scales::Scale>, metric: &str) -> String {
    let Some(scale) = scale.filter(|scale| scale.metric == metric) else { return NOTHING.to_owned() };
    let told = |score: &scales::Score| format!("{} {}", code(&score.policy), number(score.mean));
    let probes: Vec<String> = scale.probes.iter().map(told).collect();
    let floor = told(scale.floor());
    if probes.is_empty() { floor } else { format!("{floor}; probes: {}", probes.join(", ")) }
}
