//! Statements, their programs, and the scenes that episodes begin with.

use std::sync::{Arc, OnceLock};

use heldout_core::{ConfigError, Source};

use crate::config::{Config, Task};
use crate::language::Program;
use crate::planner::Plan;
use crate::scene::Scene;

/// The categories of the paper's Table 5: ten semantic, two syntactic.
pub(crate) const CATEGORIES: [&str; 12] = [
    "Cardinality (hard)",
    "Cardinality (soft)",
    "Existential",
    "Universal",
    "Coordination",
    "Coreference",
    "Spatial Relations",
    "Comparative",
    "Presupposition",
    "Negation",
    "Coordination (syntax)",
    "PP Attachment",
];

/// A sentence and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// Its name in the corpus.
    pub(crate) key: String,
    pub(crate) sentence: String,
    pub(crate) program: Program,
    /// Which of [`CATEGORIES`] it belongs to, as bits.
    pub(crate) categories: u16,
}

/// One problem: a statement and where to begin.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Its name in the corpus.
    pub(crate) key: String,
    /// Number of its statement.
    pub(crate) statement: u32,
    /// Where it begins.
    pub(crate) scene: Scene,
    /// The value that the statement is to be given.
    pub(crate) target: bool,
}

/// The problems of one split.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corpus {
    pub(crate) statements: Vec<Statement>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) sources: Vec<Source>,
    /// Whether statements have categories.
    pub(crate) categorised: bool,
    /// The planner's solutions under the default rules, once somebody asked; a problem has one, whoever plays it.
    pub(crate) plans: Vec<OnceLock<Plan>>,
}

impl Corpus {
    /// The statements and problems that `config` names.
    pub(crate) fn load(config: &Config, task: Task) -> Result<Arc<Self>, ConfigError> {
        let corpus = if config.data == "builtin" {
            if !config.categories.is_empty() {
                let allowed = "empty for the built-in corpus, which has its own";
                return Err(ConfigError::value("categories", &config.categories, allowed));
            }
            crate::builtin::corpus(config, task)
        } else {
            Arc::new(Self::read(config, task)?.with_room_for_plans())
        };
        for statement in &corpus.statements {
            let length = statement.sentence.len();
            if length > config.max_sentence as usize {
                let problem = format!(
                    "is `{}`, but the sentence of row `{}` has {length} bytes",
                    config.max_sentence, statement.key
                );
                return Err(ConfigError::new("max_sentence", problem));
            }
        }
        if corpus.problems.is_empty() {
            return Err(ConfigError::value("split", config.split.name(), "one that has problems in this corpus"));
        }
        Ok(corpus)
    }

    /// The same, with nothing planned yet.
    pub(crate) fn with_room_for_plans(mut self) -> Self {
        self.plans = self.problems.iter().map(|_| OnceLock::new()).collect();
        self
    }

    #[cfg(feature = "files")]
    fn read(config: &Config, task: Task) -> Result<Self, ConfigError> {
        crate::files::read(config, task)
    }

    #[cfg(not(feature = "files"))]
    fn read(config: &Config, _: Task) -> Result<Self, ConfigError> {
        Err(ConfigError::value("data", &config.data, "`builtin`: this build reads no files"))
    }

    /// Number of the problem called `key`.
    #[cfg(feature = "files")]
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.problems.iter().position(|problem| problem.key == key).map(|i| i as u32)
    }

    /// The statement of a problem.
    pub(crate) fn statement(&self, problem: u32) -> &Statement {
        &self.statements[self.problems[problem as usize].statement as usize]
    }
}
