//! Sets of problems in files: what dynamic tests are kept as.

use heldout_core::Crc;
use serde::{Deserialize, Serialize};

use crate::concepts::Relation;
use crate::maze::{Cell, Maze, place};

/// What a file of problems says it is.
const FORMAT: &str = "heldout halma problems";
/// Version of the format.
const VERSION: u32 = 3;
/// Relations that one problem asks for at the most.
pub(crate) const MOST_TARGETS: usize = 4;

/// The relation that a problem asks for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    /// Wall and crossing that are seen there.
    pub(crate) relation: Relation,
    /// A cell at which one who follows the path must stop.
    #[serde(with = "place")]
    pub(crate) cell: Cell,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Problem {
    pub(crate) maze: Maze,
    /// What it asks for, in the order of the path, if it was built to ask for something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<Target>,
    /// How often stops of the maze show a relation that is neither known nor asked for by the same test, the targets
    /// at their cells aside.
    #[serde(default)]
    pub(crate) foreign: u32,
}

/// A set of problems with its origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestSet {
    format: String,
    version: u32,
    /// The test that the problems belong to.
    pub(crate) test: String,
    /// How they were made, in the maker's words.
    pub(crate) origin: String,
    pub(crate) problems: Vec<Problem>,
    /// [`TestSet::checksum`].
    check: String,
}

/// What a file of any version says it is.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// A file that holds no problems.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProblemsError {
    /// The file cannot be read.
    #[error("is `{path}`, which cannot be read: {error}")]
    Read {
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
        version: u32,
    },
    /// The file was changed after it was written.
    #[error("is damaged: its checksum is {found}, must be {told}")]
    Damaged {
        /// That of its content.
        found: String,
        /// The one it carries.
        told: String,
    },
    /// A problem asks for what its maze does not show.
    #[error("asks for {problem} in problem {number}, counted from zero")]
    Target { number: usize, problem: String },
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
        let passed = maze.path_cells().zip(maze.shape()).skip_while(|(cell, _)| *cell != self.cell);
        let along = passed.take_while(|(_, d)| **d == direction).count();
        if along < usize::from(lo) {
            return Err(format!("the relation {} at {x},{y}, from where the path must go {lo} along,", self.relation));
        }
        Ok(())
    }
}

/// Whether a relation is seen from a cell: a wall `hi` away and a crossing `lo`.
pub(crate) fn shows(maze: &Maze, cell: Cell, Relation { hi, lo, direction }: Relation) -> bool {
    maze.wall_distance(cell, direction) == i32::from(hi) && maze.crossing_distance(cell, direction) == i32::from(lo)
}

impl TestSet {
    /// `problems` of `test`, made as `origin` says.
    pub(crate) fn new(test: impl Into<String>, origin: impl Into<String>, problems: Vec<Problem>) -> Self {
        let (test, origin) = (test.into(), origin.into());
        let mut set =
            Self { format: FORMAT.to_owned(), version: VERSION, test, origin, problems, check: String::new() };
        set.check = set.checksum();
        set
    }

    /// CRC-32 of all that the file says, but for the checksum itself: as JSON without spaces, its value empty.
    fn checksum(&self) -> String {
        let bare = Self { check: String::new(), ..self.clone() };
        let text = serde_json::to_vec(&bare).expect("plain data can be serialised");
        format!("{:08x}", Crc::of(&text))
    }

    /// The text of a file.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data can be serialised")
    }

    /// The set that a file's text describes.
    pub(crate) fn from_json(text: &str) -> Result<Self, ProblemsError> {
        // Another version may have other keys: what it is comes first.
        let head: Head = serde_json::from_str(text)?;
        if head.format != FORMAT || head.version != VERSION {
            return Err(ProblemsError::Version { format: head.format, version: head.version });
        }
        let set: Self = serde_json::from_str(text)?;
        let found = set.checksum();
        if found != set.check {
            return Err(ProblemsError::Damaged { found, told: set.check });
        }
        if set.problems.is_empty() {
            return Err(ProblemsError::Empty);
        }
        for (number, Problem { maze, targets, .. }) in set.problems.iter().enumerate() {
            let refused = |problem| ProblemsError::Target { number, problem };
            if targets.len() > MOST_TARGETS {
                return Err(refused(format!("{} relations, of which there may be {MOST_TARGETS},", targets.len())));
            }
            targets.iter().try_for_each(|target| target.check(maze)).map_err(refused)?;
        }
        Ok(set)
    }

    /// The set in a file, and the SHA-256 of its bytes.
    #[cfg(feature = "files")]
    pub(crate) fn read(path: &str) -> Result<(Self, String), ProblemsError> {
        use sha2::{Digest, Sha256};
        let text = heldout_files::text(path.as_ref(), heldout_files::DATA);
        let text = text.map_err(|error| ProblemsError::Read { path: path.to_owned(), error })?;
        let hash = heldout_core::hexadecimal(&Sha256::digest(text.as_bytes()));
        Ok((Self::from_json(&text)?, hash))
    }
}

/// Takes any text for a file of problems; with its checksum set right if that alone is wrong. Gives the text of the file, if it
/// was one.
#[doc(hidden)]
#[must_use]
pub fn fuzz_problems(text: &str) -> Option<String> {
    match TestSet::from_json(text) {
        Err(ProblemsError::Damaged { found, told }) if !told.is_empty() => {
            let sealed = text.replace(&told, &found);
            TestSet::from_json(&sealed).is_ok().then_some(sealed)
        }
        read => read.is_ok().then(|| text.to_owned()),
    }
}
