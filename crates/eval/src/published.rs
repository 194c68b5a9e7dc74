//! The papers' result tables, as data.
//!
//! A cell that the text at hand has lost is absent; one that cannot be right says why. Neither is guessed.

use serde::{Deserialize, Serialize};

/// Name and text of every file of `crates/eval/published`.
pub static FILES: [(&str, &str); 4] = [
    ("halma", include_str!("../published/halma.toml")),
    ("s2b", include_str!("../published/s2b.toml")),
    ("memory", include_str!("../published/memory.toml")),
    ("lilgym", include_str!("../published/lilgym.toml")),
];

/// The tables of one family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The papers.
    pub source: String,
    /// Their tables.
    #[serde(rename = "table")]
    pub tables: Vec<Table>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its printed number.
    pub name: String,
    /// What it shows, in our words.
    pub caption: String,
    /// The protocol that asks the same.
    pub protocol: String,
    /// What its cells measure unless they say otherwise.
    pub metric: String,
    /// Whether it prints percent where our metric is a share.
    #[serde(default)]
    pub percent: bool,
    /// What the errors of its cells are.
    #[serde(default)]
    pub error: Option<String>,
    /// Its rows.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What the paper calls it.
    pub model: String,
    /// Its numbers.
    pub cells: Vec<Cell>,
}

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Task of the protocol; `*` for all of them together.
    pub task: String,
    /// Condition of the task.
    pub condition: String,
    /// What it measures, where that is not the table's metric.
    #[serde(default)]
    pub metric: Option<String>,
    /// The printed column, where task and condition do not tell.
    #[serde(default)]
    pub column: Option<String>,
    /// The number.
    pub value: f64,
    /// Its error, where one is printed.
    #[serde(default)]
    pub error: Option<f64>,
    /// Why it cannot be right.
    #[serde(default)]
    pub suspect: Option<String>,
}

/// A file of published tables that is not as it should be.
#[derive(Debug, thiserror::Error)]
#[error("published scores `{file}`: {problem}")]
pub struct PublishedError {
    /// Which file.
    pub file: String,
    /// What is wrong.
    pub problem: String,
}

/// The tables of `family`.
///
/// # Errors
///
/// If there are none.
pub fn find(family: &str) -> Result<Published, PublishedError> {
    let bad = |problem: String| PublishedError { file: family.to_owned(), problem };
    let known = FILES.map(|(name, _)| name);
    let (_, text) = FILES
        .iter()
        .find(|(name, _)| *name == family)
        .ok_or_else(|| bad(format!("there is no such file; there are {known:?}")))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| bad(error.to_string()))?;
    serde_path_to_error::deserialize(table).map_err(|error| bad(format!("`{}`: {}", error.path(), error.inner())))
}

impl Table {
    /// What a cell measures.
    #[must_use]
    pub fn metric_of<'a>(&'a self, cell: &'a Cell) -> &'a str {
        cell.metric.as_deref().unwrap_or(&self.metric)
    }
}
