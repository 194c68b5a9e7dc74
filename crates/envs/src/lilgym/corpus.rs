//! Statements, their programs, and the scenes that episodes begin with.

use std::sync::{Arc, OnceLock};

use heldout_core::{ConfigError, Source};

use super::config::{Appearance, Begin, Config};
use super::language::Program;
use super::planner::Plan;
use super::scene::Scene;

/// The categories of the paper's Table 5: ten semantic, two syntactic.
pub const CATEGORIES: [&str; 12] = [
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
pub struct Statement {
    /// Its name in the corpus.
    pub key: String,
    /// The sentence.
    pub sentence: String,
    /// What it means.
    pub program: Program,
    /// Which of [`CATEGORIES`] it belongs to, as bits.
    pub categories: u16,
}

/// One problem: a statement and where to begin.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in the corpus.
    pub key: String,
    /// Number of its statement.
    pub statement: u32,
    /// Where it begins.
    pub scene: Scene,
    /// What is to be reached.
    pub target: bool,
}

/// The problems of one split.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The problems, in order.
    pub rows: Vec<Row>,
    /// Where all this comes from.
    pub sources: Vec<Source>,
    /// Whether statements have categories.
    pub categorised: bool,
    /// The planner's solutions under the default rules, once somebody asked; a problem has one, whoever plays it.
    pub(super) plans: Vec<OnceLock<Plan>>,
}

impl Corpus {
    /// The statements and problems that `config` names.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or holds what is no problem.
    pub fn load(config: &Config, appearance: Appearance, begin: Begin) -> Result<Arc<Self>, ConfigError> {
        let corpus = if config.data == "builtin" {
            if !config.categories.is_empty() {
                return Err(ConfigError::new(
                    "categories",
                    "has no meaning for the built-in corpus, which has its own",
                ));
            }
            super::builtin::corpus(config, appearance, begin)
        } else {
            Arc::new(Self::read(config, appearance, begin)?.with_room_for_plans())
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
        if corpus.rows.is_empty() {
            return Err(ConfigError::new("split", format!("`{}` has no problems in this corpus", config.split.name())));
        }
        Ok(corpus)
    }

    /// The same, with nothing planned yet.
    pub(super) fn with_room_for_plans(mut self) -> Self {
        self.plans = self.rows.iter().map(|_| OnceLock::new()).collect();
        self
    }

    #[cfg(feature = "files")]
    fn read(config: &Config, appearance: Appearance, begin: Begin) -> Result<Self, ConfigError> {
        super::files::read(config, appearance, begin)
    }

    #[cfg(not(feature = "files"))]
    fn read(config: &Config, _: Appearance, _: Begin) -> Result<Self, ConfigError> {
        Err(ConfigError::value("data", &config.data, "`builtin`: this build reads no files"))
    }

    /// Number of the row called `key`.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<u32> {
        self.rows.iter().position(|row| row.key == key).map(|i| i as u32)
    }

    /// The statement of row `row`.
    #[must_use]
    pub fn statement(&self, row: u32) -> &Statement {
        &self.statements[self.rows[row as usize].statement as usize]
    }
}
