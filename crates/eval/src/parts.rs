//! Parts of a problem set: lilGym's problems by what is to be reached and by the kind of statement.

use std::sync::Arc;

use heldout_envs::lilgym::{
    Appearance, Begin, CATEGORIES, Config, Corpus, SCATTER_FLIPIT, SCATTER_SCRATCH, TOWER_FLIPIT, TOWER_SCRATCH,
};
use serde_json::Value;

/// The problem set of one cell.
#[derive(Clone, Debug)]
pub struct Parts(Arc<Corpus>);

impl Parts {
    /// That of an environment and its config; `None` if it has no parts, or its data are not at hand.
    #[must_use]
    pub fn of(id: &str, config: &Value) -> Option<Self> {
        let tasks = [
            (TOWER_SCRATCH.id, Appearance::Tower, Begin::Scratch),
            (TOWER_FLIPIT.id, Appearance::Tower, Begin::Flipit),
            (SCATTER_SCRATCH.id, Appearance::Scatter, Begin::Scratch),
            (SCATTER_FLIPIT.id, Appearance::Scatter, Begin::Flipit),
        ];
        let (_, appearance, begin) = tasks.into_iter().find(|(name, ..)| *name == id)?;
        let config: Config = serde_json::from_value(config.clone()).ok()?;
        Some(Self(Corpus::load(&config, appearance, begin).ok()?))
    }

    /// Names of the parts: by target, then by category where statements have any.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let categories = if self.0.categorised { &CATEGORIES[..] } else { &[] };
        ["target=true", "target=false"].into_iter().chain(categories.iter().copied()).collect()
    }

    /// Whether `problem` belongs to the part called `name`; `None` if there is no such part or problem.
    #[must_use]
    pub fn holds(&self, name: &str, problem: u32) -> Option<bool> {
        let row = self.0.rows.get(problem as usize)?;
        match name {
            "target=true" => Some(row.target),
            "target=false" => Some(!row.target),
            category => {
                let bit = CATEGORIES.iter().position(|c| *c == category).filter(|_| self.0.categorised)?;
                Some(self.0.statements.get(row.statement as usize)?.categories >> bit & 1 == 1)
            }
        }
    }
}

/// A metric and the part of the problems that it is asked of: `success[target=false]`.
#[must_use]
pub fn split(metric: &str) -> (&str, Option<&str>) {
    match metric.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']')),
        None => (metric, None),
    }
}
