//! The papers' result tables, as data.
//!
//! A cell that the text at hand has lost is absent; one that cannot be right says why. Neither is guessed.

use heldout_envs::FAMILIES;
use serde::Deserialize;

/// The tables of one family.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The papers.
    pub source: String,
    /// Their tables.
    #[serde(rename = "table")]
    pub tables: Vec<Table>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
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
    /// What the paper calls its models.
    pub models: Vec<String>,
    /// Its rows, turned so that each is of one task and condition.
    pub rows: Vec<Row>,
}

/// What the models score in one place.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
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
    /// A number per model, as printed.
    pub printed: Numbers,
    /// Why the numbers with a question mark cannot be right.
    #[serde(default)]
    pub suspect: Option<String>,
}

/// Printed numbers: `0.90 ± 0.00 | - | 12.3 ?`. A dash is a cell that is empty or lost, a question mark one in doubt.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Numbers(pub Vec<Option<Number>>);

/// One printed number.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// Its error, where one is printed.
    pub error: Option<f64>,
    /// Whether it cannot be right.
    pub suspect: bool,
    /// As it is printed, to the last zero.
    pub text: String,
}

impl TryFrom<String> for Numbers {
    type Error = String;

    fn try_from(row: String) -> Result<Self, String> {
        let finite = |text: &str| text.parse().ok().filter(|x: &f64| x.is_finite());
        let number = |cell: &str| {
            let (text, suspect) = cell.strip_suffix('?').map_or((cell, false), |rest| (rest.trim_end(), true));
            let (value, error) =
                text.split_once('±').map_or((text, None), |(value, error)| (value, Some(error.trim())));
            let error = error.map(|text| finite(text).ok_or(())).transpose().ok()?;
            Some(Number { value: finite(value.trim())?, error, suspect, text: text.to_owned() })
        };
        let cell = |cell: &str| match cell.trim() {
            "-" => Ok(None),
            other => number(other).map(Some).ok_or_else(|| format!("`{other}` is not a number as papers print them")),
        };
        row.split('|').map(cell).collect::<Result<_, _>>().map(Self)
    }
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
    let known = || FAMILIES.iter().filter(|f| !f.published.is_empty());
    let names = || known().map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", ");
    let text = known()
        .find(|f| f.name == family)
        .map(|f| f.published)
        .ok_or_else(|| bad(format!("no such family has any; there are those of {}", names())))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| bad(error.to_string()))?;
    let found: Published = serde_path_to_error::deserialize(table)
        .map_err(|error| bad(format!("`{}`: {}", error.path(), error.inner())))?;
    for table in &found.tables {
        for row in &table.rows {
            let place = || format!("{}, {}, {}", table.name, row.task, row.condition);
            let (numbers, doubted) = (&row.printed.0, row.printed.0.iter().flatten().any(|n| n.suspect));
            if numbers.len() != table.models.len() {
                return Err(bad(format!("{}: {} numbers of {} models", place(), numbers.len(), table.models.len())));
            }
            if doubted != row.suspect.is_some() {
                return Err(bad(format!("{}: `suspect` must say why, and of a number with `?` alone", place())));
            }
        }
    }
    Ok(found)
}

impl Published {
    /// The mean of the numbers that the tables give to `model` for a task and condition, since some print several, and its
    /// standard error as printed.
    pub(crate) fn mean(&self, model: &str, task: &str, condition: &str) -> Option<(f64, f64)> {
        let of = |table: &Table| {
            let column = table.models.iter().position(|name| name == model);
            let rows = table.rows.iter().filter(|row| row.task == task && row.condition == condition);
            let numbers = rows.filter_map(|row| row.printed.0[column?].as_ref());
            numbers.map(|number| (number.value, number.error.unwrap_or(0.0))).collect::<Vec<_>>()
        };
        let (values, errors): (Vec<f64>, Vec<f64>) = self.tables.iter().flat_map(of).unzip();
        let error = errors.iter().map(|error| error * error).sum::<f64>().sqrt() / values.len() as f64;
        Some((crate::aggregate::average(&values)?, error))
    }
}

impl Table {
    /// Its models, best first, by the mean of what it prints of all tasks together under each of these conditions; `None` if
    /// it does not print that of every model.
    #[must_use]
    pub fn ranking(&self, conditions: &[String]) -> Option<Vec<String>> {
        let row = |condition: &String| self.rows.iter().find(|row| row.task == "*" && row.condition == *condition);
        let rows = conditions.iter().map(row).collect::<Option<Vec<_>>>()?;
        let mut models: Vec<(f64, &String)> = Vec::new();
        for (i, model) in self.models.iter().enumerate() {
            let printed = rows.iter().map(|row| Some(row.printed.0[i].as_ref()?.value));
            models.push((crate::aggregate::average(&printed.collect::<Option<Vec<f64>>>()?)?, model));
        }
        models.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some(models.into_iter().map(|(_, model)| model.clone()).collect())
    }

    /// What a row measures.
    #[must_use]
    pub fn metric_of<'a>(&'a self, row: &'a Row) -> &'a str {
        row.metric.as_deref().unwrap_or(&self.metric)
    }
}
