//! Agents that learn: their networks, their algorithms, and the loop that trains them.
//!
//! An algorithm is one file that reads from top to bottom (`ppo.rs`): its config with the defaults, what it plays, what it
//! learns from that. What two of them share exactly is in [`parts`], as plain functions of plain numbers; networks are in
//! [`nn`], the only place that knows the tensor library. [`train`] runs any of them within a budget, evaluates, writes and
//! resumes; [`player`] is how a trained policy plays.
//!
//! # Invariants
//!
//! - A run is its config, its seed and the build: the same weights, bit by bit, however many threads compute and however
//!   often it was stopped and resumed.
//! - Chance comes from streams of the seed that are named after their purpose and numbered by counters, never from the
//!   tensor library, and nothing is scheduled by time.
//! - Held-out problems are played for the curves alone; nothing that is learnt depends on them.

#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod effect;
pub mod eoa;
pub mod impala;
pub mod nn;
pub mod parts;
pub mod player;
pub mod ppo;
pub mod r2d2;
pub mod select;
pub mod table;
pub mod td3;
#[cfg(test)]
mod tests;
pub mod text;
pub mod train;

pub use checkpoint::{Checkpoint, RunFile};
pub use table::{AGENTS, Agent, Profile};
