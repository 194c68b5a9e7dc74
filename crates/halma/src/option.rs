//! Actions: a direction and an option, which is a sequence of primitive numbers of moves.

use heldout_core::ActionSpace;
use serde::{Deserialize, Serialize};

use crate::maze::Direction;

/// Directions to choose from.
const DIRECTIONS: u32 = 4;
/// Primitive numbers of moves: 0, 1, 2 and 3.
const PRIMITIVES: u32 = 4;
pub(crate) const LARGEST: u32 = PRIMITIVES - 1;
/// Longest option that an action can carry: one component goes to the direction.
pub(crate) const LONGEST: u32 = heldout_core::MAX_ACTION_WIDTH as u32 - 1;

/// How an action is written in integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    /// A direction and `max_opt_len` tokens.
    #[default]
    Tokens,
    /// One index over directions and zero-free sequences of tokens.
    Canonical,
    /// One index over directions and numbers of moves: no temporal grammar is left to learn.
    Effect,
}

/// What an action does: a number of moves in a direction, all or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) direction: Direction,
    /// How far: 0 to three times the longest option.
    pub(crate) length: u8,
}

/// The options of one config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionSpace {
    /// Tokens of an option, at most [`LONGEST`].
    pub(crate) max_opt_len: u32,
    /// How actions are written.
    pub(crate) encoding: Encoding,
    /// Whether a zero ends the option.
    pub(crate) zero_is_eos: bool,
}

/// Number of zero-free sequences shorter than `length`.
const fn shorter(length: u32) -> u32 {
    (LARGEST.pow(length) - 1) / 2
}

/// The number of a zero-free sequence: by length, then as a number to the base three.
pub(crate) fn prefix_index(tokens: &[u8]) -> u32 {
    let value = tokens.iter().fold(0, |n, &t| n * LARGEST + u32::from(t) - 1);
    shorter(tokens.len() as u32) + value
}

/// The zero-free sequence number `index`, written to the front of `tokens`; its length.
pub(crate) fn prefix_at(index: u32, tokens: &mut [u8]) -> usize {
    let length = (0..tokens.len() as u32).take_while(|&n| shorter(n + 1) <= index).count();
    let mut value = index - shorter(length as u32);
    for token in tokens[..length].iter_mut().rev() {
        *token = (value % LARGEST) as u8 + 1;
        value /= LARGEST;
    }
    length
}

/// Moves that a sequence of tokens amounts to.
pub(crate) fn displacement(tokens: &[u8], zero_is_eos: bool) -> u32 {
    let counted = tokens.iter().take_while(|&&t| t != 0 || !zero_is_eos);
    counted.map(|&t| u32::from(t)).sum()
}

/// Writes the canonical option of `length` moves: threes, then the rest, then zeros.
pub(crate) fn write_canonical(length: u32, tokens: &mut [u8]) {
    let mut left = length;
    for token in tokens {
        *token = left.min(LARGEST) as u8;
        left -= u32::from(*token);
    }
}

impl OptionSpace {
    /// Most moves of one action.
    pub(crate) const fn reach(self) -> u32 {
        LARGEST * self.max_opt_len
    }

    /// Number of sequences of one direction in [`Encoding::Canonical`].
    pub(crate) const fn prefixes(self) -> u32 {
        shorter(self.max_opt_len + 1)
    }

    /// The space of the integers.
    pub(crate) fn action_space(self) -> ActionSpace {
        match self.encoding {
            Encoding::Tokens => {
                let tokens = std::iter::repeat_n(PRIMITIVES, self.max_opt_len as usize);
                ActionSpace::MultiDiscrete(std::iter::once(DIRECTIONS).chain(tokens).collect())
            }
            Encoding::Canonical => ActionSpace::Discrete(DIRECTIONS * self.prefixes()),
            Encoding::Effect => ActionSpace::Discrete(DIRECTIONS * (self.reach() + 1)),
        }
    }

    /// What `raw` does; `None` if it is no action.
    pub(crate) fn decode(self, raw: &[i32]) -> Option<Move> {
        if self.encoding == Encoding::Tokens {
            let (direction, tokens) = raw.split_first()?;
            let direction = *Direction::ALL.get(usize::try_from(*direction).ok()?)?;
            let token = |t: &i32| (0..PRIMITIVES as i32).contains(t);
            if tokens.len() != self.max_opt_len as usize || !tokens.iter().all(token) {
                return None;
            }
            let counted = tokens.iter().take_while(|&&t| t != 0 || !self.zero_is_eos);
            return Some(Move { direction, length: counted.sum::<i32>() as u8 });
        }
        let [index] = raw else { return None };
        let index = u32::try_from(*index).ok()?;
        let each = if self.encoding == Encoding::Canonical { self.prefixes() } else { self.reach() + 1 };
        let direction = *Direction::ALL.get((index / each) as usize)?;
        let length = if self.encoding == Encoding::Canonical {
            let mut tokens = [0; LONGEST as usize];
            let length = prefix_at(index % each, &mut tokens);
            displacement(&tokens[..length], true)
        } else {
            index % each
        };
        Some(Move { direction, length: length as u8 })
    }

    /// Writes the canonical integers of `action`.
    pub(crate) fn encode(self, action: Move, raw: &mut [i32]) {
        let (direction, length) = (action.direction as u32, u32::from(action.length));
        let mut tokens = [0; LONGEST as usize];
        let tokens = &mut tokens[..self.max_opt_len as usize];
        write_canonical(length, tokens);
        match self.encoding {
            Encoding::Tokens => {
                raw[0] = direction as i32;
                for (raw, &token) in raw[1..].iter_mut().zip(&*tokens) {
                    *raw = i32::from(token);
                }
            }
            Encoding::Canonical => {
                let end = tokens.iter().position(|&t| t == 0).unwrap_or(tokens.len());
                raw[0] = (direction * self.prefixes() + prefix_index(&tokens[..end])) as i32;
            }
            Encoding::Effect => raw[0] = (direction * (self.reach() + 1) + length) as i32,
        }
    }
}

/// Every zero-free sequence of at most `max_opt_len` tokens that amounts to `length` moves, shortest first: the parses
/// of a displacement under the temporal grammar.
pub(crate) fn parses(length: u32, max_opt_len: u32) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut level = vec![(Vec::new(), 0)];
    for _ in 0..=max_opt_len {
        found.extend(level.iter().filter(|(_, sum)| *sum == length).map(|(tokens, _)| tokens.clone()));
        level = level
            .iter()
            .flat_map(|(tokens, sum): &(Vec<u8>, u32)| {
                (1..=LARGEST).filter(move |t| sum + t <= length).map(move |t| {
                    let mut longer = tokens.clone();
                    longer.push(t as u8);
                    (longer, sum + t)
                })
            })
            .collect();
    }
    found
}
