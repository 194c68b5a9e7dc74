//! Cards: what a person must know of an environment, with the tables that follow from its spec and config.
//!
//! A card is hand-written Markdown with fixed headings. Between `<!-- table: NAME -->` and `<!-- end -->` stands a
//! generated table. Where a table has a last column *Meaning*, that column is written by hand and kept, row by row; a row
//! without a meaning makes the card incomplete.

use std::fmt::Write as _;

use heldout_core::Scope;
use serde_json::Value;

use crate::registry::Entry;

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

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end -->";

/// A card that cannot stand as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The headings are not the fixed ones.
    #[error("card of `{id}`: heading `{heading}` is missing or out of order")]
    Heading {
        /// Whose.
        id: &'static str,
        /// Which heading.
        heading: &'static str,
    },
    /// A table is not where it must be.
    #[error("card of `{id}`: there is no table `{table}` between `<!-- table: {table} -->` and `<!-- end -->`")]
    Table {
        /// Whose.
        id: &'static str,
        /// Which table.
        table: &'static str,
    },
    /// A row has no meaning written.
    #[error("card of `{id}`: table `{table}`: say what `{row}` means")]
    Meaning {
        /// Whose.
        id: &'static str,
        /// Which table.
        table: &'static str,
        /// The first cell of the row.
        row: String,
    },
}

/// `card` with its tables made anew; meanings that nobody has written yet are left empty.
///
/// # Errors
///
/// If a heading or a table is missing.
pub fn refresh(entry: &Entry, card: &str) -> Result<String, CardError> {
    let id = entry.id();
    let mut rest = card;
    for heading in HEADINGS {
        let line = format!("\n## {heading}\n");
        let at = rest.find(&line).ok_or(CardError::Heading { id, heading })?;
        rest = &rest[at + line.len() - 1..];
    }
    let mut card = card.to_owned();
    for name in TABLES {
        let missing = CardError::Table { id, table: name };
        let begin = format!("{BEGIN}{name} -->\n");
        let from = card.find(&begin).ok_or_else(|| missing.clone())? + begin.len();
        let to = from + card[from..].find(END).ok_or(missing)?;
        let table = Table::of(entry, name).markdown(&card[from..to]);
        card.replace_range(from..to, &table);
    }
    Ok(card)
}

/// Checks that nothing in `card` is missing. Whether it is stale, [`refresh`] shows.
///
/// # Errors
///
/// If a heading, a table or a meaning is missing.
pub fn check(entry: &Entry, card: &str) -> Result<(), CardError> {
    let fresh = refresh(entry, card)?;
    for name in TABLES {
        let begin = format!("{BEGIN}{name} -->\n");
        let body = fresh.split_once(&begin).and_then(|(_, rest)| rest.split_once(END)).map_or("", |(body, _)| body);
        if let Some(row) = body.lines().find(|line| line.ends_with("|  |")) {
            let row = first_cell(row).to_owned();
            return Err(CardError::Meaning { id: entry.id(), table: name, row });
        }
    }
    Ok(())
}

struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Whether a column *Meaning*, written by hand, follows.
    explained: bool,
    /// What stands in place of a table without rows.
    none: &'static str,
}

impl Table {
    fn of(entry: &Entry, name: &str) -> Self {
        let env = entry.default_batch();
        let spec = env.spec();
        let agent_name = |agent: usize| spec.agents[agent].name;
        let code = |text: &dyn std::fmt::Display| format!("`{text}`");
        match name {
            "actions" => Self {
                head: vec!["Agent", "Space"],
                rows: spec.agents.iter().map(|a| vec![code(&a.name), code(&a.action)]).collect(),
                explained: true,
                none: "",
            },
            "observation" => Self {
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
                head: vec!["Policy", "Agent", "Sees the state", "What it does"],
                rows: env
                    .policies()
                    .iter()
                    .map(|p| {
                        let agent = p.agent.map_or("any", agent_name);
                        let sees = if p.privileged { "yes" } else { "no" };
                        vec![code(&p.name), agent.to_owned(), sees.to_owned(), p.about.to_owned()]
                    })
                    .collect(),
                explained: false,
                none: "",
            },
            "presets" => Self {
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

    /// The table, with the meanings that stand in the `old` one.
    fn markdown(&self, old: &str) -> String {
        if self.rows.is_empty() {
            return format!("{}\n", self.none);
        }
        // What follows the generated cells is the meaning, whatever it holds.
        let meaning = |key: &str| {
            let row = old.lines().find(|line| first_cell(line) == key);
            let rest = row.and_then(|line| line.trim_end().strip_suffix('|')?.splitn(self.head.len() + 2, '|').last());
            rest.map_or("", str::trim)
        };
        let mut head = self.head.clone();
        if self.explained {
            head.push("Meaning");
        }
        let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for row in &self.rows {
            let mut cells: Vec<&str> = row.iter().map(String::as_str).collect();
            if self.explained {
                cells.push(meaning(&row[0]));
            }
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }
}

fn first_cell(line: &str) -> &str {
    line.split('|').nth(1).unwrap_or("").trim()
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
