//! Acting with what was learnt.

use heldout_core::{Buffers, Seed};

/// What a player is asked: one action of its agents in every copy.
pub struct Moment<'a> {
    /// The observations: one row per agent of each copy.
    pub observation: &'a Buffers,
    /// What the last step paid every agent; zero where an episode begins.
    pub rewards: &'a [f32],
    /// The metrics after the last step; those of every step may be read.
    pub metrics: &'a [f32],
    /// Which copies are at the first step of an episode.
    pub starts: &'a [bool],
    /// Seed of each copy's episode.
    pub seeds: &'a [Seed],
    /// What all agents did at the last step, [`heldout_core::Spec::action_width`] integers a copy; `None`: what this player wrote.
    pub done: Option<&'a [i32]>,
}

/// Why a player cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlayerError(pub String);

/// A policy with frozen weights. What it remembers is kept by copy and cleared where an episode begins; what it leaves to
/// chance comes from the episode's seed and the number of the step, so that an episode goes the same whichever copy plays
/// it.
pub trait Player: Send {
    /// Which agents of the environment it plays.
    fn seats(&self) -> &[bool];

    /// The step metrics that it is told, by their names.
    fn told(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes the actions of its agents, and of no other: as many integers a copy as all agents act with.
    ///
    /// # Errors
    ///
    /// If the moment is not of the environment that it learnt.
    fn act(&mut self, moment: &Moment<'_>, actions: &mut [i32]) -> Result<(), PlayerError>;
}
