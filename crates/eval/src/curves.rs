//! Curves of training, drawn when a directory has them.
//!
//! A file `curves.jsonl` holds one JSON object a line: `step` (how much training), optionally `agent`, `task` and
//! `seed`, and any other key with a number is a series of that name: `{"agent": "ppo", "task": "maze", "seed": 0,
//! "step": 10000, "train": 0.7, "holdout_interpolate": 0.4}`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::aggregate::middle;
use crate::results::{ResultsError, optional};

/// The file of a directory that holds curves.
pub const FILE: &str = "curves.jsonl";

/// What one agent scored in training on one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Whose curve; empty if the file does not say.
    pub agent: String,
    /// On which task; empty if the file does not say.
    pub task: String,
    /// Each series: what every seed scored, by step.
    pub series: BTreeMap<String, BTreeMap<u64, Vec<f64>>>,
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

impl Curve {
    /// The curves of a directory, in the order in which they begin.
    ///
    /// # Errors
    ///
    /// If there is a file but it does not hold curves. A last line that was cut short is left out.
    pub fn read_all(dir: &Path) -> Result<Vec<Self>, ResultsError> {
        let path = dir.join(FILE);
        let Some(text) = optional(&path)? else { return Ok(Vec::new()) };
        let mut curves: Vec<Self> = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate().filter(|(_, line)| line.ends_with('\n')) {
            let bad = |problem: &str| ResultsError::File {
                path: path.clone(),
                problem: format!("line {} {problem}", number + 1),
            };
            let value: Value = serde_json::from_str(line).map_err(|_| bad("is not JSON"))?;
            let object = value.as_object().ok_or_else(|| bad("is not an object"))?;
            let step = object.get("step").and_then(Value::as_u64).ok_or_else(|| bad("has no whole number `step`"))?;
            let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (agent, task) = (text("agent"), text("task"));
            let known = curves.iter().position(|c| c.agent == agent && c.task == task);
            let place = known.unwrap_or(curves.len());
            if known.is_none() {
                curves.push(Self { agent, task, series: BTreeMap::new() });
            }
            for (key, value) in object.iter().filter(|(key, _)| !["step", "seed"].contains(&key.as_str())) {
                if let Some(score) = value.as_f64() {
                    let series = curves[place].series.entry(key.clone()).or_default();
                    series.entry(step).or_default().push(score);
                }
            }
        }
        Ok(curves)
    }

    /// The points of a series: the median over seeds, and from the lowest to the highest.
    #[must_use]
    pub fn points(&self, series: &str) -> Vec<Point> {
        let point = |(&step, scores): (&u64, &Vec<f64>)| {
            let low = scores.iter().copied().reduce(f64::min)?;
            let high = scores.iter().copied().reduce(f64::max)?;
            Some(Point { step, median: middle(scores)?, low, high })
        };
        self.series.get(series).into_iter().flatten().filter_map(point).collect()
    }
}
