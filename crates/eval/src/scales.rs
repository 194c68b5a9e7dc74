//! Scales: what a score of a task is to be measured against, measured once and apart from any run.
//!
//! The *floor* of a task and condition is the best of `random` and its shortcuts (scripted policies that lack the ability
//! that the task is about); *probes*, which have a part of it, are measured beside them and are never a floor. The *ceiling*
//! is the oracle's score, or a published one of comparable rules where that is better, or what the rules allow at the most
//! where there is no oracle. All are kept as data beside the protocol, with version,
//! seed, number of episodes and standard error. Where the ceiling is within noise of the floor there is no scale.
//!
//! Problems that are made for whoever plays them have no common scale: there random, shortcuts and oracle play the agent's
//! own problems in the same evaluation, and what they score is kept beside its records ([`crate::records::SCALES`]).

use heldout_core::{Entry, PolicyInfo};
use heldout_envs::find;
use serde::{Deserialize, Serialize};

use crate::entrant::Entrant;
use crate::protocol::{Protocol, ProtocolError, RECREATION, Task, read};
use crate::published;
use crate::records::{Header, Recorded};
use crate::results::{Cell, ORACLE, RANDOM};

/// Episodes of each policy, task and condition unless told.
pub const EPISODES: u64 = 1_000;

/// How many standard errors a difference may be from zero and still count as none.
pub(crate) const NOISE: f64 = 2.0;

/// Episodes whose mean is kept beside that of all, so that whoever plays them again sees whether the code still is that of
/// the scale.
pub const FIRST: usize = 3;

/// What one policy scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Which policy.
    pub policy: String,
    /// Its mean.
    pub mean: f64,
    /// The standard error of the mean; `None` of one episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Over how many episodes; none of what was published.
    pub episodes: u64,
    /// The mean of the first [`FIRST`] of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<f64>,
}

/// The scale of one condition of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// The task.
    pub task: String,
    /// The condition.
    pub condition: String,
    /// What is scored.
    pub metric: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// What random play scores.
    pub random: Score,
    /// What the task's shortcuts score, in the order of the entry's policies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortcuts: Vec<Score>,
    /// What players score that have a part of the ability, likewise: never a floor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Score>,
    /// What the oracle scores, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Score>,
    /// The best published score, where the paper's rules are comparable with ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Score>,
    /// The best score that the rules allow, where there is no oracle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Score>,
}

impl Scale {
    fn better(&self, a: &Score, b: &Score) -> bool {
        if self.higher_is_better { a.mean > b.mean } else { a.mean < b.mean }
    }

    /// The best of random play and the shortcuts.
    #[must_use]
    pub fn floor(&self) -> &Score {
        self.shortcuts.iter().fold(&self.random, |best, score| if self.better(score, best) { score } else { best })
    }

    /// The oracle, or whoever is published to have done better: an oracle that takes known ways need not be the best. The
    /// rules' maximum where there is no oracle; `None` where they have none.
    #[must_use]
    pub fn ceiling(&self) -> Option<&Score> {
        let own = self.oracle.as_ref().or(self.maximum.as_ref());
        let best = [own, self.published.as_ref()].into_iter().flatten();
        best.reduce(|best, score| if self.better(score, best) { score } else { best })
    }

    /// The scores that count as 0 and 1; `None` where the ceiling is not above the floor by more than noise.
    #[must_use]
    pub fn ends(&self) -> Option<(f64, f64)> {
        let (floor, ceiling) = (self.floor(), self.ceiling()?);
        let error = floor.error.unwrap_or(0.0).hypot(ceiling.error.unwrap_or(0.0));
        let apart = (ceiling.mean - floor.mean).abs();
        (self.better(ceiling, floor) && apart > NOISE * error).then_some((floor.mean, ceiling.mean))
    }

    /// Every score of it that was played.
    pub fn played(&self) -> impl Iterator<Item = &Score> {
        [&self.random].into_iter().chain(&self.shortcuts).chain(&self.probes).chain(&self.oracle)
    }
}

/// The scales of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    /// Which protocol.
    pub protocol: String,
    /// Version of heldout that measured them.
    pub heldout: String,
    /// The first run seed.
    pub seed: u64,
    /// One for each condition of each task, in the protocol's order.
    #[serde(rename = "scale", default)]
    pub scales: Vec<Scale>,
}

/// The names of an entry's policies that a scale is made of: `random`, its shortcuts and probes, `oracle`.
pub(crate) fn names(entry: &Entry) -> Vec<&'static str> {
    let policies = entry.policies();
    let mut names: Vec<&'static str> = vec![RANDOM];
    names.extend(policies.iter().filter(|p: &&PolicyInfo| p.shortcut).map(|p| p.name));
    names.extend(policies.iter().filter(|p| p.probe).map(|p| p.name));
    names.extend(policies.iter().filter(|p| p.name == ORACLE).map(|p| p.name));
    names.dedup();
    names
}

/// Everyone whose play the scales of `protocols` are made of; who has no part in a task does not enter it.
#[must_use]
pub fn entrants(protocols: &[Protocol]) -> Vec<Entrant> {
    let mut all: Vec<&'static str> = Vec::new();
    for task in protocols.iter().flat_map(|protocol| &protocol.tasks) {
        for name in find(&task.id).map(names).unwrap_or_default() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    all.into_iter().map(Entrant::of_scale).collect()
}

/// What one policy scored, of which there may be several files; `None` if there is none.
fn together(files: &[&Recorded], metric: &str) -> Option<Cell> {
    let (recorded, others) = files.split_first()?;
    let mut cell = Cell::new((*recorded).clone(), metric);
    for other in others {
        cell.add(&Cell::new((*other).clone(), metric), metric);
    }
    Some(cell)
}

/// What each of those that a scale of `task` is made of scored.
pub(crate) fn players(task: &Task, records: &[&Recorded]) -> Vec<(String, Cell)> {
    let names = find(&task.id).map(names).unwrap_or_default().into_iter();
    let of = |name: &str| {
        let own: Vec<&Recorded> = records.iter().filter(|recorded| recorded.header.agent == name).copied().collect();
        Some((name.to_owned(), together(&own, &task.metric)?))
    };
    names.filter_map(of).collect()
}

/// The score of one policy, of which there may be several files; `None` if no record has it.
fn score(files: &[&Recorded], metric: &str) -> Option<Score> {
    let recorded = files.first()?;
    let cell = together(files, metric)?;
    let seed = *recorded.header.seeds.first()?;
    let first = cell.scored(metric, |record| record.episode < FIRST as u64 && record.seed == seed);
    let (mean, error, episodes) = (cell.stratum.mean()?, cell.stratum.error(), cell.recorded.records.len() as u64);
    let policy = recorded.header.agent.clone();
    Some(Score { policy, mean: short(mean), error: error.map(short), episodes, first: first.mean().map(short) })
}

/// A number with as many places as scales are kept with.
fn short(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// What the rules allow at the most of a metric that is a share.
fn maximum(recorded: &Recorded, task: &Task) -> Option<Score> {
    let share = recorded.header.shares.contains(&task.metric);
    let mean = if task.higher_is_better { 1.0 } else { 0.0 };
    share.then(|| Score { policy: "the rules' maximum".to_owned(), mean, error: None, episodes: 0, first: None })
}

/// Whether everybody that a scale of `task` is made of played to the end.
pub(crate) fn whole(task: &Task, records: &[&Recorded]) -> bool {
    let played = |name: &&str| {
        let mut own = records.iter().filter(|recorded| recorded.header.agent == **name).peekable();
        own.peek().is_some() && own.all(|recorded| recorded.complete())
    };
    find(&task.id).is_ok_and(|entry| names(entry).iter().all(played))
}

/// The scale of a task's condition from the records of whoever it is made of; `None` without `random`.
pub(crate) fn scale(protocol: &Protocol, task: &Task, condition: &str, records: &[&Recorded]) -> Option<Scale> {
    let entry = find(&task.id).ok()?;
    let of =
        |policy: &str| records.iter().filter(|recorded| recorded.header.agent == policy).copied().collect::<Vec<_>>();
    let of_score = |policy: &str| score(&of(policy), &task.metric);
    let policies = entry.policies();
    let all = |which: fn(&PolicyInfo) -> bool| {
        policies.iter().filter(|policy| which(policy)).filter_map(|policy| of_score(policy.name)).collect()
    };
    let oracle = of_score(ORACLE);
    let without = of(RANDOM).first().copied().filter(|_| !names(entry).contains(&ORACLE));
    Some(Scale {
        task: task.name.clone(),
        condition: condition.to_owned(),
        metric: task.metric.clone(),
        higher_is_better: task.higher_is_better,
        random: of_score(RANDOM)?,
        shortcuts: all(|policy| policy.shortcut),
        probes: all(|policy| policy.probe),
        published: comparable(protocol, task, condition),
        maximum: without.and_then(|recorded| maximum(recorded, task)),
        oracle,
    })
}

impl Task {
    /// The same task, scored by another metric.
    fn by(&self, metric: &str) -> Self {
        Self { metric: metric.to_owned(), ..self.clone() }
    }
}

impl Scales {
    /// Reads the text of a file of scales.
    ///
    /// # Errors
    ///
    /// If the text does not describe scales.
    pub fn parse(file: &str, text: &str) -> Result<Self, ProtocolError> {
        read(file, text, |_| ())
    }

    /// The scale of a condition.
    #[must_use]
    pub fn find(&self, task: &str, condition: &str) -> Option<&Scale> {
        self.scales.iter().find(|scale| scale.task == task && scale.condition == condition)
    }

    /// Those that the records of [`entrants`] under `protocol` give; a condition that lacks `random` has none.
    #[must_use]
    pub fn of(protocol: &Protocol, records: &[Recorded], seed: u64) -> Self {
        Self::with(protocol, records, seed, &[])
    }

    /// The same, each followed by what the same players have in the metrics of `also`, where the records have them.
    #[must_use]
    pub fn with(protocol: &Protocol, records: &[Recorded], seed: u64, also: &[String]) -> Self {
        let mut scales = Vec::new();
        for task in &protocol.tasks {
            for condition in &task.conditions {
                let here = |header: &Header| {
                    [&header.protocol, &header.task, &header.condition] == [&protocol.name, &task.name, &condition.name]
                };
                let own: Vec<&Recorded> = records.iter().filter(|recorded| here(&recorded.header)).collect();
                scales.extend(scale(protocol, task, &condition.name, &own));
                for metric in also.iter().filter(|metric| **metric != task.metric) {
                    scales.extend(scale(protocol, &task.by(metric), &condition.name, &own));
                }
            }
        }
        let heldout = env!("CARGO_PKG_VERSION").to_owned();
        Self { protocol: protocol.name.clone(), heldout, seed, scales }
    }

    /// As the text of a file, one line a score.
    #[must_use]
    pub fn toml(&self) -> String {
        let string = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let score = |score: &Score| {
            let mut text = format!("{{ policy = {}, mean = {:?}", string(&score.policy), score.mean);
            text += &score.error.map_or(String::new(), |error| format!(", error = {error:?}"));
            text += &format!(", episodes = {}", score.episodes);
            text += &score.first.map_or(String::new(), |first| format!(", first = {first:?}"));
            text + " }"
        };
        let mut text = format!(
            "# Measured by `heldout scales {}`; see there.\nprotocol = {}\nheldout = {}\nseed = {}\n",
            self.protocol,
            string(&self.protocol),
            string(&self.heldout),
            self.seed
        );
        for scale in &self.scales {
            text += &format!(
                "\n[[scale]]\ntask = {}\ncondition = {}\nmetric = {}\nhigher_is_better = {}\nrandom = {}\n",
                string(&scale.task),
                string(&scale.condition),
                string(&scale.metric),
                scale.higher_is_better,
                score(&scale.random)
            );
            let lists = [("shortcuts", &scale.shortcuts), ("probes", &scale.probes)];
            for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
                let all: Vec<String> = list.iter().map(|s| format!("  {},\n", score(s))).collect();
                text += &format!("{name} = [\n{}]\n", all.concat());
            }
            let others = [("oracle", &scale.oracle), ("published", &scale.published), ("maximum", &scale.maximum)];
            for (name, other) in others {
                text += &other.as_ref().map_or(String::new(), |s| format!("{name} = {}\n", score(s)));
            }
        }
        text
    }

    /// The conditions whose ceiling is within noise of their floor, which have no scale therefore, each with the two.
    pub fn refused(&self) -> impl Iterator<Item = String> {
        self.scales.iter().filter(|scale| scale.ends().is_none()).map(|scale| {
            let ceiling =
                scale.ceiling().map_or("there is none".to_owned(), |c| format!("{} of `{}`", c.mean, c.policy));
            let floor = scale.floor();
            format!(
                "{} / {}: the ceiling ({ceiling}) is within noise of the floor ({} of `{}`)",
                scale.task, scale.condition, floor.mean, floor.policy
            )
        })
    }

    /// As a Markdown table: each player in each condition, the floor in bold, the best published score beside them. A condition
    /// that nobody could be measured in says so.
    #[must_use]
    pub fn markdown(&self, protocol: &Protocol) -> String {
        let mut names: Vec<(&str, &str)> = Vec::new();
        let shortcuts = self.scales.iter().flat_map(|scale| scale.shortcuts.iter().map(|score| (score, "")));
        let probes = self.scales.iter().flat_map(|scale| scale.probes.iter().map(|score| (score, " (probe)")));
        for (score, what) in shortcuts.chain(probes) {
            if !names.contains(&(score.policy.as_str(), what)) {
                names.push((&score.policy, what));
            }
        }
        let mut titles: Vec<String> = ["task", "condition", "metric", "`random`"].map(str::to_owned).to_vec();
        titles.extend(names.iter().map(|(name, what)| format!("`{name}`{what}")));
        titles.extend(["`oracle`", "best published", "episodes"].map(str::to_owned));
        let mut text = format!("## {}\n\n{}. ", self.protocol, protocol.title);
        text += &format!(
            "heldout {}, first seed {}; means ± standard errors, the floor in bold; episodes of each player.\n\n",
            self.heldout, self.seed
        );
        text += &format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
        for task in &protocol.tasks {
            for condition in &task.conditions {
                let here = |scale: &&Scale| [&scale.task, &scale.condition] == [&task.name, &condition.name];
                let mut own = self.scales.iter().filter(here).peekable();
                if own.peek().is_none() {
                    let mut row = vec![task.name.clone(), condition.name.clone(), "no problem".to_owned()];
                    row.resize(titles.len() - 1, "–".to_owned());
                    text += &format!("| {} | 0 |\n", row.join(" | "));
                }
                for scale in own {
                    text += &format!("| {} |\n", row(protocol, task, scale, &names).join(" | "));
                }
            }
        }
        text
    }
}

/// A scale as a row of the table, whose players between random and oracle are `names`.
fn row(protocol: &Protocol, task: &Task, scale: &Scale, names: &[(&str, &str)]) -> Vec<String> {
    const NONE: &str = "–";
    let floor = scale.floor();
    let shown = |score: &Score| {
        let error = score.error.map_or(String::new(), |e| format!(" ± {e:.4}"));
        let number = format!("{:.4}{error}", score.mean);
        if score == floor { format!("**{number}**") } else { number }
    };
    let mut row =
        vec![scale.task.clone(), scale.condition.clone(), format!("`{}`", scale.metric), shown(&scale.random)];
    let others = || scale.shortcuts.iter().chain(&scale.probes);
    row.extend(names.iter().map(|(name, _)| others().find(|s| s.policy == *name).map_or(NONE.to_owned(), shown)));
    row.push(scale.oracle.as_ref().map_or(NONE.to_owned(), shown));
    let best = best_published(protocol, &task.by(&scale.metric), &scale.condition);
    row.push(best.map_or(NONE.to_owned(), |best| best.text));
    row.push(scale.random.episodes.to_string());
    row
}

/// A published number in the metric's own unit, whose it is, and both as printed.
struct Printed {
    value: f64,
    model: String,
    text: String,
}

/// The best published score of a task whose original is open, so that ours has the same rules.
fn comparable(protocol: &Protocol, task: &Task, condition: &str) -> Option<Score> {
    let best = best_published(protocol, task, condition).filter(|_| !task.tags.iter().any(|tag| tag == RECREATION))?;
    Some(Score {
        policy: format!("{} (published)", best.model),
        mean: best.value,
        error: None,
        episodes: 0,
        first: None,
    })
}

/// The best number that the papers print for the task's metric under a condition.
fn best_published(protocol: &Protocol, task: &Task, condition: &str) -> Option<Printed> {
    let mut best: Option<Printed> = None;
    for file in protocol.published.iter().filter_map(|family| published::find(family).ok()) {
        for table in file.tables.iter().filter(|table| table.protocol == protocol.name) {
            for row in table.rows.iter().filter(|row| row.task == task.name && row.condition == condition) {
                if table.metric_of(row) != task.metric || row.column.is_some() {
                    continue;
                }
                let cells = table.models.iter().zip(&row.printed.0);
                for (model, number) in cells.filter_map(|(model, number)| Some((model, number.as_ref()?))) {
                    // Random play and people are no agents that learnt.
                    if number.suspect || ["Random", "Human", "Expert"].contains(&model.as_str()) {
                        continue;
                    }
                    let (unit, per) = if table.percent { (" %", 100.0) } else { ("", 1.0) };
                    let value = number.value / per;
                    let better = |old: f64| if task.higher_is_better { value > old } else { value < old };
                    if best.as_ref().is_none_or(|old| better(old.value)) {
                        let text = format!("{}{unit} ({model})", number.text);
                        best = Some(Printed { value, model: model.clone(), text });
                    }
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(policy: &str, mean: f64) -> Score {
        Score { policy: policy.to_owned(), mean, error: Some(0.01), episodes: 100, first: Some(mean) }
    }

    fn scale(higher_is_better: bool) -> Scale {
        Scale {
            task: "t".to_owned(),
            condition: "c".to_owned(),
            metric: "success".to_owned(),
            higher_is_better,
            random: score("random", 0.2),
            shortcuts: vec![score("blind", 0.6), score("noop", 0.1)],
            probes: vec![score("binds2", 0.9)],
            oracle: Some(score("oracle", 1.0)),
            published: None,
            maximum: None,
        }
    }

    #[test]
    fn amendment_42_the_ceiling_is_the_better_of_oracle_and_published() {
        let with = |higher: bool, mean: f64| Scale { published: Some(score("MRA (published)", mean)), ..scale(higher) };
        assert_eq!(with(true, 1.5).ceiling().unwrap().policy, "MRA (published)");
        assert_eq!(with(true, 0.9).ceiling().unwrap().policy, "oracle");
        assert_eq!(with(false, 0.9).ceiling().unwrap().policy, "MRA (published)");
        assert_eq!(scale(true).ceiling().unwrap().policy, "oracle");
        // The maze's rules are published, and an agent is printed to have done better than our oracle; a re-creation's are not.
        let memory = Protocol::find("memory").unwrap();
        let best = |task: &str| comparable(&memory, memory.task(task).unwrap(), "train").map(|best| best.mean);
        assert!(
            best("explore-goal-locations").is_some_and(|mean| mean > 650.0),
            "{:?}",
            best("explore-goal-locations")
        );
        assert_eq!(best("visible-goal-with-buildings"), None);
        let kept = memory.scales.as_ref().unwrap().find("explore-goal-locations", "train").unwrap();
        assert_eq!(kept.ceiling().map(|ceiling| ceiling.mean), best("explore-goal-locations"));
        assert!(kept.oracle.as_ref().unwrap().mean < kept.ceiling().unwrap().mean, "the oracle is no ceiling");
        let card = find(&memory.task("explore-goal-locations").unwrap().id).unwrap().about.card;
        assert!(card.contains("The oracle is no ceiling here."));
    }

    fn without_oracle() -> Scale {
        let maximum = Score { error: None, episodes: 0, first: None, ..score("the rules' maximum", 1.0) };
        Scale { oracle: None, maximum: Some(maximum), ..scale(true) }
    }

    #[test]
    fn a_ceiling_within_noise_of_its_floor_is_refused() {
        assert_eq!(scale(true).ends(), Some((0.6, 1.0)));
        // Two standard errors of a difference of two means that each have one of 0.01: 0.0283.
        let near = |mean: f64| Scale { oracle: Some(score("oracle", mean)), ..scale(true) };
        assert_eq!(near(0.62).ends(), None);
        assert_eq!(near(0.63).ends(), Some((0.6, 0.63)));
        assert_eq!(near(0.3).ends(), None, "an oracle below a shortcut is no ceiling");
        assert_eq!(scale(false).ends(), None);
        // Where less is better the scale runs the other way.
        let less = Scale { oracle: Some(score("oracle", -1.0)), ..scale(false) };
        assert_eq!(less.ends(), Some((0.1, -1.0)));
        assert_eq!(without_oracle().ends(), Some((0.6, 1.0)));
        assert_eq!(Scale { maximum: None, ..without_oracle() }.ends(), None);
        let all =
            Scales { protocol: "p".into(), heldout: "0.1.0".into(), seed: 0, scales: vec![near(0.61), near(1.0)] };
        let refused: Vec<String> = all.refused().collect();
        let said = "t / c: the ceiling (0.61 of `oracle`) is within noise of the floor (0.6 of `blind`)";
        assert_eq!(refused, [said]);
    }

    #[test]
    fn amendment_05_the_floor_is_the_best_player_without_the_ability_and_no_probe() {
        assert_eq!(scale(true).floor().policy, "blind");
        assert_eq!(scale(false).floor().policy, "noop");
        let alone = Scale { shortcuts: vec![score("noop", 0.1)], ..scale(true) };
        assert_eq!(alone.floor().policy, "random");
        assert!(alone.played().any(|score| score.policy == "binds2"), "a probe is played");
    }

    #[test]
    fn scales_are_read_as_they_are_written() {
        let scales = Scales {
            protocol: "p".to_owned(),
            heldout: "0.1.0".to_owned(),
            seed: 3,
            scales: vec![scale(true), without_oracle()],
        };
        assert_eq!(Scales::parse("p.scales.toml", &scales.toml()).unwrap(), scales);
    }
}
