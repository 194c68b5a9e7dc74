//! Cards: what a person must know of an environment, with the tables that follow from its spec and config.
//!
//! A card is hand-written Markdown with fixed headings that says only what is its own. A line `<!-- table: NAME -->` stands
//! for a generated table; where that has a last column *Meaning*, the lines `| ROW | MEANING |` that follow give the
//! meanings of its rows. A line `<!-- part: NAME -->` stands for what several cards of the family say: a part of the family's
//! page ([`Family::page`]), which also gives the meanings of rows that several cards have.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::entry::{Entry, Family};
use crate::spec::Scope;

/// The headings of every card, in order.
pub const HEADINGS: [&str; 10] = [
    "What it measures",
    "Episode",
    "Actions",
    "Observation",
    "Reward and end",
    "Splits",
    "Config",
    "Reference scores",
    "Differences from the sources",
    "Version history",
];

/// The tables of every card.
const TABLES: [&str; 6] = ["actions", "observation", "metrics", "policies", "presets", "config"];

const TABLE: &str = "<!-- table: ";
const PART: &str = "<!-- part: ";
const CLOSE: &str = " -->";

/// A card that cannot stand as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The headings are not the fixed ones.
    #[error("card of `{id}`: heading `{heading}` is missing or out of order")]
    Heading {
        /// The environment.
        id: &'static str,
        /// Which heading.
        heading: &'static str,
    },
    /// A table is not there, or not known.
    #[error("card of `{id}`: there must be one line `<!-- table: {table} -->` for each of the tables {TABLES:?}")]
    Table {
        /// The environment.
        id: &'static str,
        /// Which table.
        table: String,
    },
    /// The family's page has no such part.
    #[error("card of `{id}`: the family's page has no part `{part}`")]
    Part {
        /// The environment.
        id: &'static str,
        /// Which part.
        part: String,
    },
    /// A row has no meaning written.
    #[error("card of `{id}`: table `{table}`: say what {row} means")]
    Meaning {
        /// The environment.
        id: &'static str,
        /// Which table.
        table: &'static str,
        /// The first cell of the row.
        row: String,
    },
    /// A meaning is written of a row that is not there, or that the family's page explains in the same words.
    #[error("card of `{id}`: table `{table}`: {row} is no row of it, or means what the family's page says")]
    Stale {
        /// The environment.
        id: &'static str,
        /// Which table.
        table: &'static str,
        /// The first cell of the row.
        row: String,
    },
}

/// What stands between `marker NAME -->` and the next heading or marker of the family's page.
fn part<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let from = page.find(&format!("{PART}{name}{CLOSE}\n"))?;
    let body = &page[from..];
    let body = &body[body.find('\n')? + 1..];
    let to = ["\n<!-- ", "\n## "].iter().filter_map(|end| body.find(end)).min().unwrap_or(body.len());
    Some(body[..to].trim())
}

/// The names of the parts of a family's page.
pub fn parts(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix(PART)?.strip_suffix(CLOSE))
}

/// The lines `| ROW | MEANING |` below the marker of a table.
fn meanings<'a>(text: &'a str, table: &str) -> Vec<(&'a str, &'a str)> {
    let marker = format!("{TABLE}{table}{CLOSE}");
    let below = text.lines().skip_while(move |line| *line != marker).skip(1);
    let rows = below.take_while(|line| line.starts_with('|'));
    let row = |line: &'a str| line.strip_prefix("| ")?.trim_end().strip_suffix('|')?.split_once(" | ");
    rows.filter_map(row).map(|(key, meaning)| (key.trim(), meaning.trim())).collect()
}

/// The whole card of `entry`, which is one of `family`'s: its tables made, its parts put in.
///
/// # Errors
///
/// If a heading, a table, a part or a meaning is missing, or a meaning is not needed.
pub fn whole(family: &Family, entry: &Entry) -> Result<String, CardError> {
    fill(family, entry, entry.about.card)
}

/// The same with `card` in place of the entry's own.
///
/// # Errors
///
/// As [`whole`].
pub fn fill(family: &Family, entry: &Entry, card: &str) -> Result<String, CardError> {
    let id = entry.id();
    let mut rest = card;
    for heading in HEADINGS {
        let line = format!("\n## {heading}\n");
        let at = rest.find(&line).ok_or(CardError::Heading { id, heading })?;
        rest = &rest[at + line.len() - 1..];
    }
    let mut missing: BTreeSet<&str> = TABLES.into_iter().collect();
    let (mut text, mut own) = (String::new(), false);
    for line in card.lines() {
        let marked = |marker: &str| line.strip_prefix(marker).and_then(|rest| rest.strip_suffix(CLOSE));
        if let Some(name) = marked(TABLE) {
            let bad = || CardError::Table { id, table: name.to_owned() };
            let table = TABLES.into_iter().find(|known| *known == name).ok_or_else(bad)?;
            if !missing.remove(table) {
                return Err(bad());
            }
            text += &Table::of(entry, table).markdown(id, &meanings(card, table), &meanings(family.page, table))?;
            own = true;
        } else if let Some(name) = marked(PART) {
            let shared = part(family.page, name).ok_or_else(|| CardError::Part { id, part: name.to_owned() })?;
            text += shared;
            text.push('\n');
        } else if !(own && line.starts_with('|')) {
            own = false;
            text += line;
            text.push('\n');
        }
    }
    match missing.first() {
        Some(&table) => Err(CardError::Table { id, table: table.to_owned() }),
        None => Ok(text),
    }
}

struct Table {
    name: &'static str,
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Whether a column *Meaning*, written by hand, follows.
    explained: bool,
    /// What stands in place of a table without rows.
    none: &'static str,
}

impl Table {
    fn of(entry: &Entry, name: &'static str) -> Self {
        let env = entry.default_batch();
        let spec = env.spec();
        let agent_name = |agent: usize| spec.agents[agent].name;
        let code = |text: &dyn std::fmt::Display| format!("`{text}`");
        match name {
            "actions" => Self {
                name,
                head: vec!["Agent", "Space"],
                rows: spec.agents.iter().map(|a| vec![code(&a.name), code(&a.action)]).collect(),
                explained: true,
                none: "",
            },
            "observation" => Self {
                name,
                head: vec!["Field", "Type", "Shape", "Bounds"],
                rows: spec
                    .observation
                    .iter()
                    .map(|field| {
                        let shape = if field.agents.is_empty() {
                            format!("{:?}", field.shape)
                        } else {
                            let own = field.agents.iter().enumerate();
                            let own = own.filter_map(|(a, s)| Some(format!("{} {:?}", agent_name(a), s.as_ref()?)));
                            own.collect::<Vec<_>>().join(", ")
                        };
                        let kind = if field.text { "text" } else { field.dtype.name() };
                        vec![code(&field.name), kind.to_owned(), shape, format!("{} to {}", field.low, field.high)]
                    })
                    .collect(),
                explained: true,
                none: "",
            },
            "metrics" => Self {
                name,
                head: vec!["Metric", "When"],
                rows: spec
                    .metrics
                    .iter()
                    .map(|m| {
                        let when = if m.scope == Scope::Step { "each step" } else { "episode's end" };
                        vec![code(&m.name), when.to_owned()]
                    })
                    .collect(),
                explained: true,
                none: "",
            },
            "policies" => Self {
                name,
                head: vec!["Policy", "Agent", "Sees the state", "Shortcut", "What it does"],
                rows: env
                    .policies()
                    .iter()
                    .map(|p| {
                        let agent = p.agent.map_or("any", agent_name);
                        let word = |is: bool| if is { "yes" } else { "no" }.to_owned();
                        let short = if p.probe { "a probe".to_owned() } else { word(p.shortcut) };
                        vec![code(&p.name), agent.to_owned(), word(p.privileged), short, p.about.to_owned()]
                    })
                    .collect(),
                explained: false,
                none: "",
            },
            "presets" => Self {
                name,
                head: vec!["Preset", "Overrides", "What it is for"],
                rows: entry
                    .about
                    .presets
                    .iter()
                    .map(|p| vec![code(&p.name), code(&p.config), p.about.to_owned()])
                    .collect(),
                explained: false,
                none: "There are no presets.",
            },
            _ => Self {
                name,
                head: vec!["Key", "Default"],
                rows: keys("", &entry.defaults())
                    .into_iter()
                    .map(|(key, value)| vec![code(&key), code(&value)])
                    .collect(),
                explained: true,
                none: "",
            },
        }
    }

    /// The table with the meanings of its rows: the card's own, else those of the family's page.
    fn markdown(&self, id: &'static str, own: &[(&str, &str)], shared: &[(&str, &str)]) -> Result<String, CardError> {
        let find = |of: &[(&str, &str)], key: &str| of.iter().find(|(k, _)| *k == key).map(|(_, m)| (*m).to_owned());
        for (key, meaning) in own {
            let there = self.explained && self.rows.iter().any(|row| row[0] == *key);
            if !there || find(shared, key).is_some_and(|same| same == *meaning) {
                return Err(CardError::Stale { id, table: self.name, row: (*key).to_owned() });
            }
        }
        if self.rows.is_empty() {
            return Ok(format!("{}\n", self.none));
        }
        let mut head = self.head.clone();
        if self.explained {
            head.push("Meaning");
        }
        let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for row in &self.rows {
            let mut cells = row.clone();
            if self.explained {
                let meaning = find(own, &row[0]).or_else(|| find(shared, &row[0]));
                let missing = || CardError::Meaning { id, table: self.name, row: row[0].clone() };
                cells.push(meaning.filter(|m| !m.is_empty()).ok_or_else(missing)?);
            }
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        Ok(text)
    }
}

/// The keys of a config with their defaults, tables within tables by dotted names.
fn keys(prefix: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(map) if prefix.is_empty() || !map.is_empty() => map
            .iter()
            .flat_map(|(key, value)| {
                let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                keys(&path, value)
            })
            .collect(),
        other => vec![(prefix.to_owned(), other.to_string())],
    }
}
