//! What a family's records tell beside the score, so that a report can show it without knowing the family.

use std::ops::Range;

use serde_json::Value;

/// A metric of the records that a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its name in the records.
    pub metric: &'static str,
    /// What to call it.
    pub name: &'static str,
    /// Whether it is a share, shown in percent.
    pub share: bool,
}

/// One way to fail, told by a step metric of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The step metric.
    pub metric: &'static str,
    /// Its value.
    pub value: u8,
    /// What it means.
    pub name: &'static str,
}

/// How episodes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Causes {
    /// What the table says above itself.
    pub caption: &'static str,
    /// The metric that is 0 in an episode that failed.
    pub success: &'static str,
    /// The ways to fail.
    pub causes: &'static [Cause],
}

/// Metrics numbered from 1 that make a line: the first, second and later of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// What their names begin with, before the number.
    pub prefix: &'static str,
    /// What the picture shows, after task and agent.
    pub title: &'static str,
    /// The names of the axes.
    pub axes: (&'static str, &'static str),
    /// What a reader learns from it.
    pub caption: &'static str,
}

/// A problem set that is asked about by parts.
pub trait Parts: Send + Sync {
    /// The parts: the tag by which a task asks for it, and its name.
    fn names(&self) -> Vec<(&'static str, &'static str)>;

    /// Whether `problem` belongs to the part called `name`; `None` if there is no such part or problem.
    fn holds(&self, name: &str, problem: u32) -> Option<bool>;

    /// Tags that nothing can be broken down by here, each with the reason: a report says that they are left out.
    fn left_out(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
}

/// How often each place of a grid was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heat {
    /// Columns of the grid.
    pub columns: usize,
    /// Rows of the grid.
    pub rows: usize,
    /// How often each was chosen, column by column.
    pub counts: Vec<u64>,
}

/// What one training seed scored on the way; all series are taken at the same moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// Scores under the condition that was trained on.
    pub train: Vec<f64>,
    /// Scores under each of the others.
    pub held_out: Vec<Vec<f64>>,
    /// Episodes that every score is the mean of.
    pub episodes: u64,
}

/// What one training seed scored at the moment that was chosen for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The moments that the scores are taken over, by their numbers.
    pub moments: Range<usize>,
    /// The score under the condition that was trained on.
    pub train: f64,
    /// The scores under each of the others.
    pub held_out: Vec<f64>,
}

/// How a paper scores a training by its curves.
#[derive(Clone, Copy)]
pub struct Scoring {
    /// What it does, in a sentence or two of a report.
    pub caption: &'static str,
    /// The moment at which a training on an id is scored, and the scores; `None` if the series are too short. What is held
    /// out must not move the moment.
    pub snapshot: fn(&str, &Training) -> Option<Snapshot>,
}

/// What a family measures beside its scores.
#[derive(Clone, Copy)]
pub struct Measures {
    /// What the table of [`Measures::rows`] says above itself.
    pub caption: &'static str,
    /// Metrics that stand beside each other in a table.
    pub rows: &'static [Measure],
    /// How episodes fail.
    pub causes: Option<Causes>,
    /// Metrics that make a line.
    pub series: &'static [Series],
    /// The parts of the problem set of an id under a config; `None` if it has none, or its data are not at hand.
    pub parts: fn(&str, &Value) -> Option<Box<dyn Parts>>,
    /// The places that the actions of episodes chose, for an id under a config; `None` if it has no grid.
    pub heat: fn(&str, &Value, &mut dyn Iterator<Item = &[i32]>) -> Option<Heat>,
    /// How trainings are scored by their curves.
    pub scoring: Option<Scoring>,
}

impl Measures {
    /// Nothing beside the score.
    pub const NONE: Self = Self {
        caption: "",
        rows: &[],
        causes: None,
        series: &[],
        parts: |_, _| None,
        heat: |_, _, _| None,
        scoring: None,
    };
}
