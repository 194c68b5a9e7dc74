//! The concept space: relations between two digits of one colour, and what shows them.
//!
//! A *relation* is a pair of digits of one type, the greater and the lesser, as in "5 and 3 to the left". It can be
//! *seen* in one panel (a wall at 5 and a crossing at 3), *caused* by a move (5 before, 3 after, 2 moves to the left),
//! or follow from what digits *afford* (5 and 3 have both been consumed by a move). The knowledge bases count these.

use serde::{Deserialize, Serialize};

use crate::maze::Direction;
use crate::observation::{CROSSING, Entries, WALL};
use crate::option::Move;

pub(crate) const LARGEST_DIGIT: u32 = 9;
/// Pairs of different digits.
pub(crate) const PAIRS: usize = 36;
/// Relations: pairs in four types.
pub(crate) const RELATIONS: usize = 4 * PAIRS;
/// Affordances: digits in four types.
pub(crate) const AFFORDANCES: usize = 4 * LARGEST_DIGIT as usize;

/// Two different digits of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Relation {
    pub(crate) hi: u8,
    pub(crate) lo: u8,
    /// The type: which direction's colour both have.
    #[serde(rename = "type")]
    pub(crate) direction: Direction,
}

impl std::fmt::Display for Relation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{}|{})", self.hi, self.lo, self.direction.letter())
    }
}

impl Relation {
    /// The relation of two digits; `None` unless they differ and are 1 to 9.
    pub(crate) fn new(a: i32, b: i32, direction: Direction) -> Option<Self> {
        let digit = 1..=LARGEST_DIGIT as i32;
        let there = a != b && digit.contains(&a) && digit.contains(&b);
        there.then(|| Self { hi: a.max(b) as u8, lo: a.min(b) as u8, direction })
    }

    /// All 144, in lexicographic order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let pairs = (2..=LARGEST_DIGIT as u8).flat_map(|hi| (1..hi).map(move |lo| (hi, lo)));
        pairs.flat_map(|(hi, lo)| Direction::ALL.into_iter().map(move |direction| Self { hi, lo, direction }))
    }

    /// Number of its pair of digits.
    pub(crate) const fn pair(self) -> usize {
        (self.hi as usize - 1) * (self.hi as usize - 2) / 2 + self.lo as usize - 1
    }

    /// Its place in [`Relation::all`].
    pub(crate) const fn index(self) -> usize {
        self.pair() * 4 + self.direction as usize
    }
}

/// Number of an affordance: digit 1 to 9 of a type.
pub(crate) const fn affordance_index(digit: i32, direction: Direction) -> usize {
    (digit as usize - 1) * 4 + direction as usize
}

/// Which changes of digits count as caused by a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CausalRule {
    /// Digits along the axis of the move that change by its length.
    #[default]
    Exact,
    /// Any digit that changes: the literal text.
    Literal,
}

impl CausalRule {
    /// The name in configs.
    pub(crate) const fn name(self) -> &'static str {
        ["exact", "literal"][self as usize]
    }
}

/// Which moves count as consuming a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AffordanceRule {
    /// Digits of any type that are shown before the move and are zero after it: App. D's words.
    Shown,
    /// A move exactly as long as a digit of its direction.
    Consumed,
}

impl AffordanceRule {
    /// The rule of options of at most `reach` moves: where no option is as long as the longest corridor, nothing but
    /// what vanishes could be known of large digits.
    pub(crate) const fn of_reach(reach: u32) -> Self {
        if reach < LARGEST_DIGIT { Self::Shown } else { Self::Consumed }
    }

    /// The name in configs.
    pub(crate) const fn name(self) -> &'static str {
        ["shown", "consumed"][self as usize]
    }
}

/// The relations seen in one panel: a crossing before the wall.
pub(crate) fn seen(entries: &Entries) -> impl Iterator<Item = Relation> {
    let entries = *entries;
    Direction::ALL.into_iter().filter_map(move |d| {
        let (wall, crossing) = (entries.wall(d), entries.crossing(d));
        Relation::new(wall, crossing, d).filter(|_| wall > crossing)
    })
}

/// The relations that a valid move causes between what was and what is.
pub(crate) fn caused(
    before: &Entries,
    action: Move,
    after: &Entries,
    rule: CausalRule,
) -> impl Iterator<Item = Relation> {
    let (before, after) = (*before, *after);
    Direction::ALL.into_iter().flat_map(move |d| {
        let along = d == action.direction || d == action.direction.opposite();
        [WALL, CROSSING].into_iter().filter_map(move |slot| {
            let (a, b) = (i32::from(before.0[slot + d as usize]), i32::from(after.0[slot + d as usize]));
            let holds = match rule {
                CausalRule::Exact => along && (a - b).abs() == i32::from(action.length),
                CausalRule::Literal => true,
            };
            Relation::new(a, b, d).filter(|_| holds)
        })
    })
}

/// The digits that a valid move consumes, each with its type.
pub(crate) fn afforded(
    before: &Entries,
    action: Move,
    after: &Entries,
    rule: AffordanceRule,
) -> impl Iterator<Item = (i32, Direction)> {
    let (before, after) = (*before, *after);
    Direction::ALL.into_iter().flat_map(move |d| {
        let digits = [(before.wall(d), after.wall(d)), (before.crossing(d), after.crossing(d))];
        let consumes = move |(digit, left): (i32, i32)| match rule {
            AffordanceRule::Shown => digit > 0 && left == 0,
            AffordanceRule::Consumed => digit > 0 && d == action.direction && digit == i32::from(action.length),
        };
        // A crossing at the wall is one digit, not two.
        let [wall, crossing] = digits.map(|both| consumes(both).then_some((both.0, d)));
        [wall, crossing.filter(|_| crossing != wall)].into_iter().flatten()
    })
}
