//! A chain of coloured items and the pairs of it that are shown, whether walked to or chosen at once.

use heldout_core::Seed;
use heldout_core::check::{that, within};
use serde::{Deserialize, Serialize};

use super::colour::Colour;
use crate::level::{Drawn, Stimuli};

/// Items of a chain at the most.
pub(crate) const MAX_ITEMS: usize = 8;
/// Reward for the higher item of a pair that is shown to learn from, once per pair.
pub(crate) const DEMO_REWARD: f32 = 1.0;
/// Reward for the higher item of the challenge.
pub(crate) const CHALLENGE_REWARD: f32 = 5.0;

/// Items of a chain.
pub(crate) const fn items(scale: Drawn) -> u32 {
    match scale {
        Drawn::Small => 5,
        Drawn::Large => 7,
        Drawn::Interpolate => 6,
        Drawn::Extrapolate => 8,
    }
}

/// Where an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Left, Self::Right];
}

/// A chain, and how far the demonstration has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chain {
    colours: [Colour; MAX_ITEMS],
    /// Number of items.
    pub(crate) items: u32,
    order: [u8; MAX_ITEMS],
    /// Demonstration pairs that were answered rightly; when all are, the challenge is next.
    pub(crate) done: u32,
    /// Times that the present pair was answered wrongly.
    pub(crate) attempt: u32,
    /// Wrong answers to demonstration pairs.
    pub(crate) wrong: u32,
    /// Whether the challenge was answered rightly, once it was answered.
    pub(crate) answer: Option<bool>,
    sides: Seed,
}

impl Chain {
    /// The chain that `seed` names.
    pub(crate) fn draw(stimuli: Stimuli, scale: Drawn, seed: Seed) -> Self {
        let items = items(scale);
        let mut set = Colour::of_chains(stimuli);
        seed.stream("stimuli").rng().shuffle(&mut set);
        let mut order = std::array::from_fn(|i| i as u8);
        seed.stream("order").rng().shuffle(&mut order[..items as usize - 1]);
        Self {
            colours: std::array::from_fn(|i| set[i]),
            items,
            order,
            done: 0,
            attempt: 0,
            wrong: 0,
            answer: None,
            sides: seed.stream("sides"),
        }
    }

    /// Checks that it could have come so far within so many `answers`.
    pub(crate) fn check(&self, answers: u32) -> Result<(), String> {
        within("items", self.items, items(Drawn::Small)..=items(Drawn::Extrapolate))?;
        within("done", self.done, 0..=self.items - 1)?;
        within("wrong", self.wrong, 0..=answers)?;
        within("attempt", self.attempt, 0..=self.wrong)?;
        that(
            "answer",
            format!("{:?}", self.answer),
            self.answer.is_none() || self.challenge(),
            "none before the last",
        )?;
        let mut pairs = self.order;
        pairs[..self.items as usize - 1].sort_unstable();
        that(
            "order",
            format!("{:?}", self.order),
            pairs.iter().copied().eq(0..MAX_ITEMS as u8),
            "an order of the pairs",
        )
    }

    /// Whether it is `other`, however far the two have come.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let fixed = |chain: &Self| (chain.colours, chain.items, chain.order, chain.sides);
        fixed(self) == fixed(other)
    }

    /// The colours, from the lowest item to the highest.
    pub(crate) fn colours(&self) -> &[Colour] {
        &self.colours[..self.items as usize]
    }

    /// Whether the present pair is the challenge.
    pub(crate) fn challenge(&self) -> bool {
        self.done == self.items - 1
    }

    /// The present pair, from zero for the lowest item: the lower one, then the higher.
    pub(crate) fn pair(&self) -> [usize; 2] {
        if self.challenge() {
            return [1, self.items as usize - 2];
        }
        let lower = self.order[self.done as usize] as usize;
        [lower, lower + 1]
    }

    /// Where the higher item of the present pair is shown.
    ///
    /// Drawn for each pair and attempt alone: wrong answers change nothing of later pairs.
    pub(crate) fn higher(&self) -> Side {
        let seed = self.sides.derive(u64::from(self.done)).derive(u64::from(self.attempt));
        Side::ALL[seed.rng().below(2) as usize]
    }

    /// The colours of the present pair, left and right.
    pub(crate) fn shown(&self) -> [Colour; 2] {
        let [lower, higher] = self.pair().map(|item| self.colours[item]);
        if self.higher() == Side::Left { [higher, lower] } else { [lower, higher] }
    }

    /// Answers the present pair and moves on; the reward.
    pub(crate) fn choose(&mut self, side: Side) -> f32 {
        let right = side == self.higher();
        if self.challenge() {
            self.answer = Some(right);
            return if right { CHALLENGE_REWARD } else { 0.0 };
        }
        if right {
            self.done += 1;
            self.attempt = 0;
            return DEMO_REWARD;
        }
        self.attempt += 1;
        self.wrong += 1;
        0.0
    }

    /// How far the chain has come, in words.
    pub(crate) fn stage(&self) -> String {
        if self.challenge() { "challenge".to_owned() } else { format!("pair {} of {}", self.done + 1, self.items - 1) }
    }

    /// The same with the colours of the pair, which is shown or not, and the higher one.
    pub(crate) fn words(&self, shows: bool) -> String {
        if let Some(right) = self.answer {
            return format!("challenge answered {}; wrong {}", if right { "right" } else { "wrong" }, self.wrong);
        }
        let [left, right] = self.shown().map(Colour::name);
        let higher = if self.higher() == Side::Left { &left } else { &right };
        let pair = if shows { format!("{left} or {right}, {higher} is higher") } else { "nothing shown".to_owned() };
        format!("{}: {pair}; wrong {}", self.stage(), self.wrong)
    }
}
