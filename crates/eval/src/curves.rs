//! Curves of training, drawn and scored when a directory has them.
//!
//! A file `curves.jsonl` holds one JSON object a line: `step` (how much training), optionally `agent`, `protocol`, `task`,
//! `seed` and `episodes` (how many each score is the mean of), and any other key with a number is a series of that name:
//! `{"agent": "ppo", "task": "maze", "seed": 0, "step": 10000, "train": 0.7, "holdout_interpolate": 0.4}`. An evaluation of
//! trained agents writes it from what they bring ([`crate::entrant::Agent::curves`]).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use heldout_envs::find;
use serde_json::{Map, Value};

use crate::aggregate::middle;
use crate::entrant::{Entrant, Place, Play};
use crate::protocol::{Protocol, Task};
use crate::records::RecordsError;
use crate::results::{ResultsError, optional};
use crate::runner::{EvalError, Evaluation};

/// The file of a directory that holds curves.
pub const FILE: &str = "curves.jsonl";

/// Keys of a line with a number that is no score.
const NUMBERS: [&str; 3] = ["step", "seed", "episodes"];

/// What the policy of one moment of training scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Episodes that every score is the mean of, where that is known.
    pub episodes: Option<u64>,
    /// The scores, by the names of their series: the conditions of the task.
    pub scores: BTreeMap<String, f64>,
}

/// What one agent scored in training on one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Whose curve; empty if the file does not say.
    pub agent: String,
    /// The protocol of the task; empty if the file does not say.
    pub protocol: String,
    /// On which task; empty if the file does not say.
    pub task: String,
    /// The moments of each training seed, by their steps. Lines without a seed are those of one training.
    pub runs: BTreeMap<Option<u64>, BTreeMap<u64, Moment>>,
}

/// One step of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How much training.
    pub step: u64,
    /// The median over seeds.
    pub median: f64,
    /// The lowest seed.
    pub low: f64,
    /// The highest seed.
    pub high: f64,
}

/// One line: a curve of a single moment.
fn line(text: &str) -> Result<(Curve, Option<u64>, u64, Moment), &'static str> {
    let value: Value = serde_json::from_str(text).map_err(|_| "is not JSON")?;
    let object = value.as_object().ok_or("is not an object")?;
    let number = |key: &str| object.get(key).and_then(Value::as_u64);
    let step = number("step").ok_or("has no whole number `step`")?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let scores = object.iter().filter(|(key, _)| !NUMBERS.contains(&key.as_str()));
    let scores = scores.filter_map(|(key, value)| Some((key.clone(), value.as_f64()?))).collect();
    let curve = Curve { agent: text("agent"), protocol: text("protocol"), task: text("task"), runs: BTreeMap::new() };
    Ok((curve, number("seed"), step, Moment { episodes: number("episodes"), scores }))
}

impl Curve {
    /// The curves of a text, in the order in which they begin. A last line that was cut short is left out.
    ///
    /// # Errors
    ///
    /// If a line holds no scores of a step, or other ones than an earlier line of the same step: which, and why.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let mut curves: Vec<Self> = Vec::new();
        for (number, text) in text.split_inclusive('\n').enumerate().filter(|(_, text)| text.ends_with('\n')) {
            let bad = |problem: &str| format!("line {} {problem}", number + 1);
            let (curve, seed, step, moment) = line(text).map_err(bad)?;
            let place = curves.iter().position(|known| known.is_beside(&curve)).unwrap_or_else(|| {
                curves.push(curve);
                curves.len() - 1
            });
            if !curves[place].put(seed, step, moment) {
                return Err(bad("scores a step of a seed for the second time, and otherwise"));
            }
        }
        Ok(curves)
    }

    /// The curves of a directory, in the order in which they begin.
    ///
    /// # Errors
    ///
    /// If there is a file but it does not hold curves. A last line that was cut short is left out.
    pub fn read_all(dir: &Path) -> Result<Vec<Self>, ResultsError> {
        let path = dir.join(FILE);
        let Some(text) = optional(&path)? else { return Ok(Vec::new()) };
        Self::parse(&text).map_err(|problem| ResultsError::File { path, problem })
    }

    /// Whether `other` is of the same agent and task.
    fn is_beside(&self, other: &Self) -> bool {
        [&self.agent, &self.protocol, &self.task] == [&other.agent, &other.protocol, &other.task]
    }

    /// Whether it is of a task of the protocol called `protocol`, as far as it says.
    #[must_use]
    pub fn is_of(&self, protocol: &str, task: &str) -> bool {
        let or_silent = |own: &str, other: &str| own.is_empty() || own == other;
        or_silent(&self.protocol, protocol) && or_silent(&self.task, task)
    }

    /// Takes in a moment; whether it is new, or as it was.
    fn put(&mut self, seed: Option<u64>, step: u64, moment: Moment) -> bool {
        match self.runs.entry(seed).or_default().entry(step) {
            Entry::Vacant(place) => {
                place.insert(moment);
                true
            }
            Entry::Occupied(there) => *there.get() == moment,
        }
    }

    /// Takes in what another file holds of the same agent and task; the number of moments that it tells otherwise, of which
    /// the first ones count.
    fn add(&mut self, other: Self) -> usize {
        let mut differ = 0;
        for (seed, moments) in other.runs {
            for (step, moment) in moments {
                differ += usize::from(!self.put(seed, step, moment));
            }
        }
        differ
    }

    /// Adds the curves of another directory to `all`, and says what of them does not fit.
    pub(crate) fn gather(all: &mut Vec<Self>, more: Vec<Self>) -> Vec<String> {
        let mut problems = Vec::new();
        for curve in more {
            let Some(known) = all.iter_mut().find(|known| known.is_beside(&curve)) else {
                all.push(curve);
                continue;
            };
            let of = format!("the training of `{}` on `{}`", curve.agent, curve.task);
            match known.add(curve) {
                0 => {}
                1 => problems.push(format!("In {of} a moment is told twice with other scores; the first count.")),
                n => problems.push(format!("In {of} {n} moments are told twice with other scores; the first count.")),
            }
        }
        problems
    }

    /// The names of its series.
    #[must_use]
    pub fn series(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.runs.values().flat_map(BTreeMap::values).flat_map(|m| m.scores.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The points of a series: the median over seeds, and from the lowest to the highest. Seeds are seldom scored at the very
    /// same steps, so at each step that any was scored at, each counts with what lies on the straight line between its own.
    #[must_use]
    pub fn points(&self, series: &str) -> Vec<Point> {
        let own = |(&step, moment): (&u64, &Moment)| Some((step, *moment.scores.get(series)?));
        let runs: Vec<Vec<(u64, f64)>> = self.runs.values().map(|run| run.iter().filter_map(own).collect()).collect();
        let steps: BTreeSet<u64> = runs.iter().flatten().map(|(step, _)| *step).collect();
        let point = |step: u64| {
            let scores: Vec<f64> = runs.iter().filter_map(|run| between(run, step)).collect();
            let low = scores.iter().copied().reduce(f64::min)?;
            let high = scores.iter().copied().reduce(f64::max)?;
            Some(Point { step, median: middle(&scores)?, low, high })
        };
        steps.into_iter().filter_map(point).collect()
    }

    /// The text of a file of it: seed after seed, each from its first step to its last.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (seed, moments) in &self.runs {
            for (&step, moment) in moments {
                let mut line = Map::new();
                for (key, value) in [("agent", &self.agent), ("protocol", &self.protocol), ("task", &self.task)] {
                    line.insert(key.to_owned(), value.as_str().into());
                }
                line.extend(seed.map(|seed| ("seed".to_owned(), seed.into())));
                line.insert("step".to_owned(), step.into());
                line.extend(moment.episodes.map(|episodes| ("episodes".to_owned(), episodes.into())));
                line.extend(moment.scores.iter().map(|(name, &score)| (name.clone(), score.into())));
                text += &format!("{}\n", Value::Object(line));
            }
        }
        text
    }

    /// What of a file is left when the curves of `ours` take the place of those it holds of the same agents and tasks: the
    /// other lines, as they are.
    ///
    /// # Errors
    ///
    /// If a line holds no scores of a step.
    pub(crate) fn others<'a>(text: &'a str, ours: &[Self]) -> Result<Vec<&'a str>, String> {
        let mut kept = Vec::new();
        for (number, text) in text.split_inclusive('\n').enumerate().filter(|(_, text)| text.ends_with('\n')) {
            let (curve, ..) = line(text).map_err(|problem| format!("line {} {problem}", number + 1))?;
            if !ours.iter().any(|own| own.agent == curve.agent && curve.is_of(&own.protocol, &own.task)) {
                kept.push(text);
            }
        }
        Ok(kept)
    }
}

/// What a run scores at a step: on the straight line between its points, or what it scored at its first or last one, no farther
/// from that than its points are from each other.
fn between(run: &[(u64, f64)], step: u64) -> Option<f64> {
    let (&(first, _), &(last, _)) = (run.first()?, run.last()?);
    let apart = (last - first).checked_div(run.len() as u64 - 1).unwrap_or(0);
    let after = run.partition_point(|(own, _)| *own < step);
    match (after.checked_sub(1).map(|before| run[before]), run.get(after).copied()) {
        (Some((begin, a)), Some((end, b))) => Some(a + (b - a) * ((step - begin) as f64 / (end - begin) as f64)),
        (Some((end, score)), None) => (step - end <= apart).then_some(score),
        (None, Some((begin, score))) => (begin - step <= apart).then_some(score),
        (None, None) => None,
    }
}

/// What `entrant` brings of its training for a task; `None` if it brings nothing.
fn brought(
    evaluation: &Evaluation,
    protocol: &Protocol,
    task: &Task,
    entrant: &Entrant,
) -> Result<Option<Curve>, EvalError> {
    // Of two who play together nobody scored alone.
    let (Play::Agent(agent), Ok(entry)) = (&entrant.play, find(&task.id)) else { return Ok(None) };
    let (name, set) = (&protocol.name, Some(&task.set));
    let place = Place { entry, protocol: name, task: &task.name, set, run: 0, seed: evaluation.seed };
    if !agent.enters(&place) {
        return Ok(None);
    }
    let label = || entrant.label.clone();
    let runs = agent.curves(&place).map_err(|problem| EvalError::Curves { label: label(), problem })?.runs;
    let curve = Curve { agent: label(), protocol: protocol.name.clone(), task: task.name.clone(), runs };
    Ok((!curve.runs.is_empty()).then_some(curve))
}

/// Keeps the curves that the entrants of an evaluation bring with its records, task by task and entrant by entrant, after
/// those that are there of others.
pub(crate) fn keep(evaluation: &Evaluation) -> Result<(), EvalError> {
    let mut ours = Vec::new();
    for protocol in &evaluation.protocols {
        for task in protocol.tasks.iter().filter(|task| evaluation.asks(&task.name)) {
            for entrant in &evaluation.entrants {
                ours.extend(brought(evaluation, protocol, task, entrant)?);
            }
        }
    }
    if ours.is_empty() {
        return Ok(());
    }
    let path = evaluation.out.join(FILE);
    let there = match heldout_files::text(&path, heldout_files::DATA) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(RecordsError::Read { path, error }.into()),
    };
    let others = Curve::others(&there, &ours).map_err(|problem| EvalError::File { path: path.clone(), problem })?;
    let text = others.concat() + &ours.iter().map(Curve::text).collect::<String>();
    heldout_files::write(&path, text.as_bytes()).map_err(|error| RecordsError::Write { path, error }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "{\"agent\":\"A\",\"protocol\":\"p\",\"task\":\"t\",\"seed\":1,\"step\":20,\"episodes\":8,\"far\":0.5,\"train\":2.0}\n\
                       {\"agent\":\"A\",\"protocol\":\"p\",\"task\":\"t\",\"seed\":0,\"step\":10,\"train\":1.0}\n";

    #[test]
    fn curves_are_read_as_they_are_written_in_the_order_of_seeds_and_steps() {
        let curves = Curve::parse(TWO).unwrap();
        let [curve] = &curves[..] else { panic!("{curves:?}") };
        assert_eq!(curve.series(), ["far", "train"], "what counts is no series");
        let [first, second]: [&str; 2] = TWO.split_inclusive('\n').collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(curve.text(), format!("{second}{first}"));
        // A line that is being written is none yet.
        assert_eq!(Curve::parse(&TWO[..TWO.len() - 1]).unwrap()[0].runs.len(), 1);
        // Twice the same is once; twice another is a mistake.
        assert_eq!(Curve::parse(&TWO.repeat(2)).unwrap(), curves);
        let other = format!("{TWO}{}", second.replace("1.0", "3.0"));
        assert!(Curve::parse(&other).unwrap_err().starts_with("line 3 scores a step of a seed for the second time"));
    }

    #[test]
    fn points_are_medians_over_seeds_from_the_lowest_to_the_highest() {
        let line = |seed: u64, score: f64| format!("{{\"seed\":{seed},\"step\":10,\"train\":{score}}}\n");
        let curves = Curve::parse(&[line(0, 1.0), line(1, 5.0), line(2, 2.0)].concat()).unwrap();
        assert_eq!(curves[0].points("train"), [Point { step: 10, median: 2.0, low: 1.0, high: 5.0 }]);
        assert_eq!(curves[0].points("far"), []);
    }

    #[test]
    fn regression_seeds_scored_at_other_steps_were_points_of_their_own() {
        let line =
            |seed: u64, step: u64, score: f64| format!("{{\"seed\":{seed},\"step\":{step},\"train\":{score}}}\n");
        let of = |lines: &[String]| Curve::parse(&lines.concat()).unwrap()[0].points("train");
        let point = |step, median, low, high| Point { step, median, low, high };
        // Where one has no score, what lies between its own; beyond its ends, no farther than an interval of its own.
        let found = of(&[line(0, 10, 1.0), line(0, 20, 3.0), line(0, 30, 5.0), line(1, 15, 6.0), line(1, 25, 2.0)]);
        let expected = [
            point(10, 3.5, 1.0, 6.0),
            point(15, 4.0, 2.0, 6.0),
            point(20, 3.5, 3.0, 4.0),
            point(25, 3.0, 2.0, 4.0),
            point(30, 3.5, 2.0, 5.0),
        ];
        assert_eq!(found, expected);
        // A seed that ended early is not there later, and one with a single score only at its step.
        let found = of(&[
            line(0, 10, 1.0),
            line(0, 20, 3.0),
            line(0, 31, 5.0),
            line(1, 10, 2.0),
            line(1, 20, 4.0),
            line(2, 10, 3.0),
        ]);
        assert_eq!(found, [point(10, 2.0, 1.0, 3.0), point(20, 3.5, 3.0, 4.0), point(31, 5.0, 5.0, 5.0)]);
    }

    #[test]
    fn what_several_files_tell_is_put_together_and_what_does_not_fit_is_told() {
        let (mut all, more) = (Curve::parse(TWO).unwrap(), Curve::parse(&TWO.replace("2.0", "7.0")).unwrap());
        let told = Curve::gather(&mut all, more);
        assert_eq!(told, ["In the training of `A` on `t` a moment is told twice with other scores; the first count."]);
        assert_eq!(all, Curve::parse(TWO).unwrap());
        assert!(Curve::gather(&mut all, Curve::parse(&TWO.replace("\"p\"", "\"q\"")).unwrap()).is_empty());
        assert_eq!(all.len(), 2, "another protocol's task is another task");
    }

    #[test]
    fn lines_of_other_agents_and_tasks_stay_as_they_are() {
        let ours = Curve::parse(TWO).unwrap();
        let others = [
            "{\"agent\":\"B\",\"task\":\"t\",\"step\":1,\"x\": 3}\n",
            "{\"agent\":\"A\",\"protocol\":\"q\",\"task\":\"t\",\"step\":1}\n",
        ];
        let silent = "{\"agent\":\"A\",\"task\":\"t\",\"step\":1,\"train\":0.5}\n";
        let text = [others[0], TWO, others[1], silent].concat();
        assert_eq!(Curve::others(&text, &ours).unwrap(), others);
        assert_eq!(Curve::others("{}\n", &ours).unwrap_err(), "line 1 has no whole number `step`");
    }
}
