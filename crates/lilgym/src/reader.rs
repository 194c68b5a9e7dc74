//! The problems of a task for whoever wants to read them: statements, programs, scenes and plans.

use std::collections::BTreeSet;

use heldout_core::{Environment as _, MakeError, Stop};
use serde_json::{Map, Value};

use crate::config::{Config, Task};
use crate::corpus::{CATEGORIES, Statement};
use crate::environment::LilGym;
use crate::language::Program;
use crate::structured;

/// A sentence and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementInfo {
    /// Its name in the corpus.
    pub key: String,
    /// The English.
    pub sentence: String,
    /// The program that decides it.
    pub program: String,
    /// Which of the paper's categories it belongs to; `None` if nobody labelled the corpus.
    pub categories: Option<Vec<&'static str>>,
}

/// A statement with the scene that episodes about it begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemInfo {
    /// Its name in the corpus.
    pub key: String,
    /// Number of its statement.
    pub statement: usize,
    /// Where it begins, as the public files write scenes.
    pub scene: Value,
    /// The value that the statement is to be given.
    pub target: bool,
}

/// What the planner finds for a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanInfo {
    /// Flat numbers of the actions, STOP included; `None` if no solution was found.
    pub actions: Option<Vec<u32>>,
    /// Whether it is proven that nothing shorter, or nothing at all, reaches the goal.
    pub proven: bool,
    /// What following it returns.
    pub value: f64,
}

/// The problems of one task under one config.
#[derive(Debug)]
pub struct Reader(LilGym);

impl Reader {
    /// Those of the entry `id` under its config with `overrides`.
    ///
    /// # Errors
    ///
    /// If there is no such entry in this family, or the overrides describe no environment.
    ///
    /// # Panics
    ///
    /// Never: what an entry configured is a config.
    pub fn open(id: &str, overrides: &Map<String, Value>) -> Result<Self, MakeError> {
        let unknown = || MakeError::Unknown {
            id: id.to_owned(),
            nearest: crate::FAMILY.entries.iter().map(heldout_core::Entry::id).collect(),
        };
        let entry = crate::FAMILY.entry(id).ok_or_else(unknown)?;
        let config: Config = serde_json::from_value(entry.configure(overrides)?).expect("it was just configured");
        Ok(Self(LilGym::new(&config, Task::of(id).ok_or_else(unknown)?)?))
    }

    /// How many problems there are.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.0.corpus.problems.len()
    }

    /// All statements, in order.
    #[must_use]
    pub fn statements(&self) -> Vec<StatementInfo> {
        let info = |statement: &Statement| StatementInfo {
            key: statement.key.clone(),
            sentence: statement.sentence.clone(),
            program: statement.program.to_string(),
            categories: self.0.corpus.categorised.then(|| {
                let bits = CATEGORIES.iter().enumerate();
                bits.filter(|(bit, _)| statement.categories >> bit & 1 == 1).map(|(_, name)| *name).collect()
            }),
        };
        self.0.corpus.statements.iter().map(info).collect()
    }

    /// The words of all statements, in small letters and without punctuation, each once and sorted.
    #[must_use]
    pub fn vocabulary(&self) -> Vec<String> {
        let words: BTreeSet<String> =
            self.0.corpus.statements.iter().flat_map(|statement| words(&statement.sentence)).collect();
        words.into_iter().collect()
    }

    /// Problem `index`, if there is one.
    #[must_use]
    pub fn problem(&self, index: usize) -> Option<ProblemInfo> {
        let problem = self.0.corpus.problems.get(index)?;
        Some(ProblemInfo {
            key: problem.key.clone(),
            statement: problem.statement as usize,
            scene: structured::value(&problem.scene),
            target: problem.target,
        })
    }

    /// What the planner finds for problem `index`, if there is one and `stop` does not say so before.
    #[must_use]
    pub fn plan(&self, index: usize, stop: Stop<'_>) -> Option<PlanInfo> {
        self.0.corpus.problems.get(index)?;
        let plan = self.0.solve_until(index as u32, stop)?;
        let ids = |edits: &[crate::action::Action]| {
            edits.iter().copied().chain([crate::action::Action::Stop]).map(|edit| self.0.numbers.id(edit)).collect()
        };
        Some(PlanInfo {
            actions: plan.edits.as_deref().map(ids),
            proven: plan.proven,
            value: plan.value(self.0.config.step_cost),
        })
    }
}

/// The words of a sentence, in small letters and without punctuation.
pub(crate) fn words(sentence: &str) -> impl Iterator<Item = String> {
    let words = sentence.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase)
}

/// The value of `program` in a scene as the public files write it.
///
/// # Errors
///
/// If either cannot be read, or the program has no value there: what is wrong, as a sentence.
pub fn truth(program: &str, scene: &Value) -> Result<bool, String> {
    let program = Program::parse(program.trim()).map_err(|error| error.to_string())?;
    let scene = structured::scene(scene)?;
    program.truth(&scene).map_err(|fault| format!("the program has no value: {fault}"))
}
