//! Sets of problems in files: what dynamic tests are kept as.

use serde::{Deserialize, Serialize};

use super::concepts::Relation;
use super::maze::{Cell, Maze, place};

/// What a file of problems says it is.
const FORMAT: &str = "heldout halma problems";
/// Version of the format.
const VERSION: u32 = 1;

/// The relation that a problem asks for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Wall and crossing that are seen there.
    pub relation: Relation,
    /// A cell at which one who follows the path must stop.
    #[serde(with = "place")]
    pub cell: Cell,
    /// How often stops of the maze show a relation that is neither known nor asked for by the same test: at other stops
    /// any, at the target's cell those beside the target.
    pub foreign: u32,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The maze.
    pub maze: Maze,
    /// What it asks for, if it was built to ask for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// A set of problems with its origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemSet {
    format: String,
    version: u32,
    /// The test that the problems belong to.
    pub test: String,
    /// How they were made, in the maker's words.
    pub origin: String,
    /// The problems.
    pub problems: Vec<Problem>,
}

/// A file that holds no problems.
#[derive(Debug, thiserror::Error)]
pub enum ProblemsError {
    /// The file cannot be read.
    #[error("is `{path}`, which cannot be read: {error}")]
    Read {
        /// Which file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is of another form.
    #[error("is not a set of problems: {0}")]
    Form(#[from] serde_json::Error),
    /// The file is of another kind or version.
    #[error("says it is `{format}` version {version}, must be `{FORMAT}` version {VERSION}")]
    Version {
        /// What it says it is.
        format: String,
        /// Which version.
        version: u32,
    },
    /// A problem asks for what its maze does not show.
    #[error("asks for {problem} in problem {number}, counted from zero")]
    Target {
        /// Which problem.
        number: usize,
        /// What is wrong.
        problem: String,
    },
    /// There is nothing to play.
    #[error("holds no problems")]
    Empty,
}

impl Target {
    /// Checks that the relation is one, and that it is seen from the cell.
    fn check(self, maze: &Maze) -> Result<(), String> {
        let Relation { hi, lo, direction } = self.relation;
        if Relation::new(hi.into(), lo.into(), direction) != Some(self.relation) {
            return Err(format!("the relation {}, whose digits must be 9 >= hi > lo >= 1,", self.relation));
        }
        let (x, y) = (self.cell.x(), self.cell.y());
        if !maze.is_open(self.cell) {
            return Err(format!("a relation at {x},{y}, which is no cell of the maze,"));
        }
        if !shows(maze, self.cell, self.relation) {
            return Err(format!("the relation {}, which is not seen from {x},{y},", self.relation));
        }
        Ok(())
    }
}

/// Whether a relation is seen from a cell: a wall `hi` away and a crossing `lo`.
pub(super) fn shows(maze: &Maze, cell: Cell, Relation { hi, lo, direction }: Relation) -> bool {
    maze.wall_distance(cell, direction) == i32::from(hi) && maze.crossing_distance(cell, direction) == i32::from(lo)
}

impl ProblemSet {
    /// `problems` of `test`, made as `origin` says.
    #[must_use]
    pub fn new(test: impl Into<String>, origin: impl Into<String>, problems: Vec<Problem>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, test: test.into(), origin: origin.into(), problems }
    }

    /// The text of a file.
    ///
    /// # Panics
    ///
    /// Never: plain data can be serialised.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data can be serialised")
    }

    /// The set that a file's text describes.
    ///
    /// # Errors
    ///
    /// If it describes none.
    pub fn from_json(text: &str) -> Result<Self, ProblemsError> {
        let set: Self = serde_json::from_str(text)?;
        if set.format != FORMAT || set.version != VERSION {
            return Err(ProblemsError::Version { format: set.format, version: set.version });
        }
        if set.problems.is_empty() {
            return Err(ProblemsError::Empty);
        }
        for (number, Problem { maze, target }) in set.problems.iter().enumerate() {
            if let Some(target) = target {
                target.check(maze).map_err(|problem| ProblemsError::Target { number, problem })?;
            }
        }
        Ok(set)
    }

    /// The set in a file, and the SHA-256 of its bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or holds no problems.
    #[cfg(feature = "files")]
    pub fn read(path: &str) -> Result<(Self, String), ProblemsError> {
        use sha2::{Digest, Sha256};
        let text =
            std::fs::read_to_string(path).map_err(|error| ProblemsError::Read { path: path.to_owned(), error })?;
        let hash = crate::digits::hexadecimal(&Sha256::digest(text.as_bytes()));
        Ok((Self::from_json(&text)?, hash))
    }
}
