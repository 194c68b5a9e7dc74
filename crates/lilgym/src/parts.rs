//! Parts of a problem set: by what is to be reached and by the kind of statement.

use std::sync::Arc;

use heldout_core::Parts;
use serde_json::Value;

use crate::config::{Config, Task};
use crate::corpus::{CATEGORIES, Corpus};

const TARGETS: [(&str, bool); 2] = [("target=true", true), ("target=false", false)];

/// The problem set of an id and its config; `None` if its data are not at hand.
pub(crate) fn of(id: &str, config: &Value) -> Option<Box<dyn Parts>> {
    let config: Config = serde_json::from_value(config.clone()).ok()?;
    Some(Box::new(Problems(Corpus::load(&config, Task::of(id)?).ok()?)))
}

pub(crate) struct Problems(pub(crate) Arc<Corpus>);

impl Parts for Problems {
    /// By target, then by category where statements have any.
    fn names(&self) -> Vec<(&'static str, &'static str)> {
        let categories = if self.0.categorised { &CATEGORIES[..] } else { &[] };
        let targets = TARGETS.map(|(name, _)| ("by-target", name));
        targets.into_iter().chain(categories.iter().map(|name| ("by-category", *name))).collect()
    }

    fn left_out(&self) -> Vec<(&'static str, &'static str)> {
        let reason = ("by-category", "the statements have no labels, because `categories` names no file");
        if self.0.categorised { Vec::new() } else { vec![reason] }
    }

    fn holds(&self, name: &str, problem: u32) -> Option<bool> {
        let target = self.0.problems.get(problem as usize)?.target;
        if let Some((_, of)) = TARGETS.into_iter().find(|(of, _)| *of == name) {
            return Some(target == of);
        }
        let bit = CATEGORIES.iter().position(|c| *c == name).filter(|_| self.0.categorised)?;
        Some(self.0.statement(problem).categories >> bit & 1 == 1)
    }
}
