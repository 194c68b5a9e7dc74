//! Scales: what a score of a task is to be measured against, measured once and apart from any run.
//!
//! The *floor* of a task and condition is the best of `random` and its shortcuts (scripted policies that lack the ability
//! that the task is about), the *ceiling* the oracle's score. Both are played by the scripted policies themselves and kept
//! as data with version, seed, number of episodes and standard error.

use std::collections::BTreeMap;

use heldout_core::{Entry, PolicyInfo};
use heldout_envs::find;
use serde::{Deserialize, Serialize};

use crate::entrant::Entrant;
use crate::protocol::{Protocol, ProtocolError, RECREATION, Task, read};
use crate::published;
use crate::records::Recorded;
use crate::results::{Cell, ORACLE, RANDOM};

/// Episodes of each policy, task and condition unless told.
pub const EPISODES: u64 = 1_000;

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
    /// Over how many episodes.
    pub episodes: u64,
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
    /// What the oracle scores.
    pub oracle: Score,
    /// The best published score, where the paper's rules are comparable with ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Score>,
}

impl Scale {
    /// The best of random play and the shortcuts.
    #[must_use]
    pub fn floor(&self) -> &Score {
        let better = |a: &Score, b: &Score| if self.higher_is_better { a.mean > b.mean } else { a.mean < b.mean };
        self.shortcuts.iter().fold(&self.random, |best, score| if better(score, best) { score } else { best })
    }

    /// The oracle, or whoever is published to have done better: an oracle that takes known ways need not be the best.
    #[must_use]
    pub fn ceiling(&self) -> &Score {
        let better = |a: &Score, b: &Score| if self.higher_is_better { a.mean > b.mean } else { a.mean < b.mean };
        self.published.as_ref().filter(|published| better(published, &self.oracle)).unwrap_or(&self.oracle)
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

/// The names of an entry's policies that a scale is made of: `random`, its shortcuts, `oracle`.
fn names(entry: &Entry) -> Vec<&'static str> {
    let policies = entry.policies();
    let mut names: Vec<&'static str> = vec![RANDOM];
    names.extend(policies.iter().filter(|p: &&PolicyInfo| p.shortcut).map(|p| p.name));
    names.push(ORACLE);
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

/// The score of one file of records; `None` if no record has it.
fn score(recorded: &Recorded) -> Option<Score> {
    let stratum = Cell::new(recorded.clone(), &recorded.header.metric).stratum;
    let (mean, error, episodes) = (stratum.mean()?, stratum.error(), stratum.episodes() as u64);
    Some(Score { policy: recorded.header.agent.clone(), mean, error, episodes })
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

    /// Those that the records of [`entrants`] under `protocol` give; a condition that lacks `random` or `oracle` has none.
    #[must_use]
    pub fn of(protocol: &Protocol, records: &[Recorded], seed: u64) -> Self {
        let mut scores: BTreeMap<(&str, &str, &str), Score> = BTreeMap::new();
        for recorded in records.iter().filter(|r| r.header.protocol == protocol.name) {
            let header = &recorded.header;
            if let Some(score) = score(recorded) {
                scores.insert((&header.task, &header.condition, &header.agent), score);
            }
        }
        let mut scales = Vec::new();
        for task in &protocol.tasks {
            for condition in &task.conditions {
                let of = |policy: &str| scores.get(&(task.name.as_str(), condition.name.as_str(), policy)).cloned();
                let (Some(random), Some(oracle)) = (of(RANDOM), of(ORACLE)) else { continue };
                let known = find(&task.id).map(names).unwrap_or_default();
                let shortcuts = known.into_iter().filter(|name| ![RANDOM, ORACLE].contains(name)).filter_map(of);
                scales.push(Scale {
                    task: task.name.clone(),
                    condition: condition.name.clone(),
                    metric: task.metric.clone(),
                    higher_is_better: task.higher_is_better,
                    random,
                    shortcuts: shortcuts.collect(),
                    oracle,
                    published: comparable(protocol, task, &condition.name),
                });
            }
        }
        let heldout = env!("CARGO_PKG_VERSION").to_owned();
        Self { protocol: protocol.name.clone(), heldout, seed, scales }
    }

    /// As a Markdown table: each player in each condition, the floor in bold, the best published score beside them.
    #[must_use]
    pub fn markdown(&self, protocol: &Protocol) -> String {
        let mut names: Vec<&str> = Vec::new();
        for score in self.scales.iter().flat_map(|scale| &scale.shortcuts) {
            if !names.contains(&score.policy.as_str()) {
                names.push(&score.policy);
            }
        }
        let mut head = vec!["task", "condition", "metric", "random"];
        head.extend(&names);
        head.extend(["oracle", "best published"]);
        let code = |text: &str| {
            if ["task", "condition", "metric", "best published"].contains(&text) {
                text.to_owned()
            } else {
                format!("`{text}`")
            }
        };
        let titles: Vec<String> = head.iter().map(|text| code(text)).collect();
        let mut text = format!("## {}\n\n{}. ", self.protocol, protocol.title);
        text += &format!(
            "heldout {}, first seed {}; means ± standard errors, the floor in bold.\n\n",
            self.heldout, self.seed
        );
        text += &format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
        for scale in &self.scales {
            let floor = scale.floor();
            let shown = |score: &Score| {
                let error = score.error.map_or(String::new(), |e| format!(" ± {e:.4}"));
                let number = format!("{:.4}{error}", score.mean);
                if score == floor { format!("**{number}**") } else { number }
            };
            let mut row =
                vec![scale.task.clone(), scale.condition.clone(), format!("`{}`", scale.metric), shown(&scale.random)];
            row.extend(
                names.iter().map(|name| {
                    scale.shortcuts.iter().find(|score| score.policy == *name).map_or("–".to_owned(), shown)
                }),
            );
            row.push(shown(&scale.oracle));
            let best = protocol.task(&scale.task).and_then(|task| best_published(protocol, task, &scale.condition));
            row.push(best.map_or("–".to_owned(), |best| best.text));
            text += &format!("| {} |\n", row.join(" | "));
        }
        text
    }
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
    Some(Score { policy: format!("{} (published)", best.model), mean: best.value, error: None, episodes: 0 })
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
        Score { policy: policy.to_owned(), mean, error: Some(0.01), episodes: 100 }
    }

    fn scale(higher_is_better: bool) -> Scale {
        Scale {
            task: "t".to_owned(),
            condition: "c".to_owned(),
            metric: "success".to_owned(),
            higher_is_better,
            random: score("random", 0.2),
            shortcuts: vec![score("blind", 0.6), score("noop", 0.1)],
            oracle: score("oracle", 1.0),
            published: None,
        }
    }

    #[test]
    fn amendment_42_the_ceiling_is_the_better_of_oracle_and_published() {
        let with = |higher: bool, mean: f64| Scale { published: Some(score("MRA (published)", mean)), ..scale(higher) };
        assert_eq!(with(true, 1.5).ceiling().policy, "MRA (published)");
        assert_eq!(with(true, 0.9).ceiling().policy, "oracle");
        assert_eq!(with(false, 0.9).ceiling().policy, "MRA (published)");
        assert_eq!(scale(true).ceiling().policy, "oracle");
        // The maze's rules are published, and an agent is printed to have done better than our oracle; a re-creation's are not.
        let memory = Protocol::find("memory").unwrap();
        let best = |task: &str| comparable(&memory, memory.task(task).unwrap(), "train").map(|best| best.mean);
        assert!(
            best("explore-goal-locations").is_some_and(|mean| mean > 650.0),
            "{:?}",
            best("explore-goal-locations")
        );
        assert_eq!(best("visible-goal-with-buildings"), None);
    }

    #[test]
    fn the_floor_is_the_best_player_without_the_ability() {
        assert_eq!(scale(true).floor().policy, "blind");
        assert_eq!(scale(false).floor().policy, "noop");
        let alone = Scale { shortcuts: vec![score("noop", 0.1)], ..scale(true) };
        assert_eq!(alone.floor().policy, "random");
    }

    #[test]
    fn scales_are_read_as_they_are_written() {
        let scales =
            Scales { protocol: "p".to_owned(), heldout: "0.1.0".to_owned(), seed: 3, scales: vec![scale(true)] };
        let text = toml::to_string(&scales).unwrap();
        assert_eq!(toml::from_str::<Scales>(&text).unwrap(), scales);
    }
}
