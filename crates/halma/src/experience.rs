//! What an agent has experienced: counters of the relations it met, and of the panels it acted from.
//!
//! Only valid moves that go somewhere count. A copy keeps its counters across episodes; a trial's end is no transition.

use std::collections::BTreeMap;

use heldout_core::{Crc, ExperienceError, Seed};
use serde::{Deserialize, Serialize};

use crate::concepts::{
    AFFORDANCES, AffordanceRule, CausalRule, RELATIONS, Relation, affordance_index, afforded, caused, seen,
};
use crate::dynamic_tests::{TestConfig, dynamic_tests};
use crate::maze::{CELLS, Cell, Direction, Maze, place};
use crate::observation::{Entries, Signature};
use crate::option::Move;

/// First bytes of experience; the last one is the version of the format. A CRC-32 of all that follows comes next.
const MAGIC: [u8; 4] = *b"HEX\x03";
/// Where the counters of caused relations begin in a copy's array.
const CAUSED: usize = RELATIONS;
/// Where the counters of affordances begin.
const AFFORDED: usize = 2 * RELATIONS;
/// Where the counters of cells begin, a hundred to a maze.
const VISITS: usize = 2 * RELATIONS + AFFORDANCES;

/// Number of counters of a set of mazes.
pub(crate) fn counters(mazes: usize) -> usize {
    VISITS + CELLS * mazes
}

fn count(counter: &mut u32) {
    *counter = counter.saturating_add(1);
}

/// What counts as caused by a move, and as consumed by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CountRules {
    /// `kb_c_rule`.
    pub(crate) caused: CausalRule,
    /// `kb_a_rule`.
    pub(crate) afforded: AffordanceRule,
}

/// One valid move, from `cell` of maze number `maze`.
pub(crate) fn note(
    counts: &mut [u32],
    (maze, cell): (u32, Cell),
    (before, action, after): (&Entries, Move, &Entries),
    rules: CountRules,
) {
    if action.length == 0 {
        return;
    }
    seen(before).for_each(|r| count(&mut counts[r.index()]));
    caused(before, action, after, rules.caused).for_each(|r| count(&mut counts[CAUSED + r.index()]));
    for (digit, d) in afforded(before, action, after, rules.afforded) {
        count(&mut counts[AFFORDED + affordance_index(digit, d)]);
    }
    count(&mut counts[VISITS + maze as usize * CELLS + cell.index()]);
}

/// Valid moves made from one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visits {
    pub(crate) maze: u32,
    #[serde(with = "place")]
    pub(crate) cell: Cell,
    /// The ten integers seen there.
    pub(crate) signature: Signature,
    pub(crate) count: u32,
}

/// What an agent has experienced in a set of mazes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Experience {
    /// Checksum of the mazes.
    set: u32,
    /// What was counted.
    pub(crate) rules: CountRules,
    /// How often each relation was seen in a panel.
    pub(crate) seen: Vec<u32>,
    /// How often each relation was caused by a move.
    pub(crate) caused: Vec<u32>,
    /// How often each digit was consumed by a move in its direction.
    pub(crate) afforded: Vec<u32>,
    /// Valid moves made from each cell.
    pub(crate) visits: Vec<Visits>,
}

/// Checksum of a set of mazes.
pub(crate) fn checksum(mazes: &[Maze]) -> u32 {
    let mut crc = Crc::new();
    for maze in mazes {
        crc.bytes(&[maze.start().index() as u8, maze.goal().index() as u8]);
        crc.bytes(maze.sides());
    }
    crc.value()
}

impl Experience {
    /// What a copy's counters say.
    pub(crate) fn of(mazes: &[Maze], entries: &[Entries], rules: CountRules, counts: &[u32]) -> Self {
        let visits = mazes.iter().enumerate().flat_map(|(maze, m)| {
            m.cells().map(move |cell| {
                let at = maze * CELLS + cell.index();
                Visits { maze: maze as u32, cell, signature: entries[at].signature(), count: counts[VISITS + at] }
            })
        });
        Self {
            set: checksum(mazes),
            rules,
            seen: counts[..CAUSED].to_vec(),
            caused: counts[CAUSED..AFFORDED].to_vec(),
            afforded: counts[AFFORDED..VISITS].to_vec(),
            visits: visits.collect(),
        }
    }

    /// Writes the counters of a copy that plays `mazes` and counts by `rules`.
    pub(crate) fn write(&self, mazes: &[Maze], rules: CountRules, counts: &mut [u32]) -> Result<(), ExperienceError> {
        let cells = mazes.iter().zip(0..).flat_map(|(m, maze)| m.cells().map(move |cell| (maze, cell)));
        if self.set != checksum(mazes) || !cells.eq(self.visits.iter().map(|v| (v.maze, v.cell))) {
            return Err(foreign("it was made in other mazes"));
        }
        self.rules.check(rules, "it was counted under another value of")?;
        counts[..CAUSED].copy_from_slice(&self.seen);
        counts[CAUSED..AFFORDED].copy_from_slice(&self.caused);
        counts[AFFORDED..VISITS].copy_from_slice(&self.afforded);
        for v in &self.visits {
            counts[VISITS + v.maze as usize * CELLS + v.cell.index()] = v.count;
        }
        Ok(())
    }

    /// Bytes that [`Experience::from_bytes`] takes, in any process.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let body = postcard::to_stdvec(self).expect("plain data can be serialised");
        [&MAGIC[..], &Crc::of(&body).to_le_bytes(), &body].concat()
    }

    /// The experience that bytes of [`Experience::to_bytes`] hold.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, ExperienceError> {
        let (head, body) = bytes.split_at_checked(8).ok_or_else(|| foreign("it is too short"))?;
        if head[..3] != MAGIC[..3] {
            return Err(foreign("it does not begin as experience of HALMA does"));
        }
        if head[3] != MAGIC[3] {
            let (found, read) = (head[3], MAGIC[3]);
            return Err(foreign(&format!("its format is version {found}, this build reads {read}")));
        }
        if head[4..] != Crc::of(body).to_le_bytes() {
            return Err(foreign("it is damaged"));
        }
        let (experience, rest): (Self, _) =
            postcard::take_from_bytes(body).map_err(|e| foreign(&format!("it is damaged: {e}")))?;
        let whole = experience.seen.len() == RELATIONS
            && experience.caused.len() == RELATIONS
            && experience.afforded.len() == AFFORDANCES
            && rest.is_empty();
        if whole { Ok(experience) } else { Err(foreign("it is damaged")) }
    }

    /// Adds what another copy has experienced in the same mazes.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), ExperienceError> {
        let here = self.visits.iter().map(|v| (v.maze, v.cell));
        if self.set != other.set || !here.eq(other.visits.iter().map(|v| (v.maze, v.cell))) {
            return Err(foreign("the two were made in different mazes"));
        }
        self.rules.check(other.rules, "the two were counted under different values of")?;
        let add = |into: &mut [u32], from: &[u32]| {
            for (into, from) in into.iter_mut().zip(from) {
                *into = into.saturating_add(*from);
            }
        };
        add(&mut self.seen, &other.seen);
        add(&mut self.caused, &other.caused);
        add(&mut self.afforded, &other.afforded);
        for (into, from) in self.visits.iter_mut().zip(&other.visits) {
            into.count = into.count.saturating_add(from.count);
        }
        Ok(())
    }

    /// How often a relation was seen in a panel.
    pub(crate) fn seen(&self, relation: Relation) -> u32 {
        self.seen[relation.index()]
    }

    /// How often a relation was caused by a move.
    pub(crate) fn caused(&self, relation: Relation) -> u32 {
        self.caused[relation.index()]
    }

    /// How often a digit was consumed by a move in its direction.
    pub(crate) fn afforded(&self, digit: u8, direction: Direction) -> u32 {
        self.afforded[affordance_index(i32::from(digit), direction)]
    }

    /// Valid moves made from each panel: the sum over all cells of all mazes that show the same ten integers.
    pub(crate) fn company(&self) -> BTreeMap<Signature, u64> {
        let mut company = BTreeMap::new();
        for v in &self.visits {
            *company.entry(v.signature).or_default() += u64::from(v.count);
        }
        company
    }
}

impl CountRules {
    /// Checks that two counted by the same rules; if not, `problem` and the key that they differ by.
    fn check(self, other: Self, problem: &str) -> Result<(), ExperienceError> {
        let key = match (self.caused == other.caused, self.afforded == other.afforded) {
            (true, true) => return Ok(()),
            (false, _) => "kb_c_rule",
            (true, false) => "kb_a_rule",
        };
        Err(foreign(&format!("{problem} `{key}`")))
    }
}

fn foreign(problem: &str) -> ExperienceError {
    ExperienceError::Foreign { problem: problem.to_owned() }
}

/// Takes any bytes for experience, with their checksum set right, and makes tests of it. Gives whether it was experience.
#[doc(hidden)]
#[must_use]
pub fn fuzz_experience(bytes: &[u8]) -> bool {
    let mut bytes = bytes.to_vec();
    if let Some((head, body)) = bytes.split_at_mut_checked(8) {
        head[4..].copy_from_slice(&Crc::of(body).to_le_bytes());
    }
    let Ok(mut experience) = Experience::from_bytes(&bytes) else { return false };
    let _ = experience.merge(&experience.clone());
    assert!(Experience::from_bytes(&experience.to_bytes()).as_ref() == Ok(&experience), "what is written is read");
    let config = TestConfig { n_test_mazes: 1, ..TestConfig::default() };
    let _ = dynamic_tests(&experience, &config, Seed(0));
    true
}
