//! Playing policies and the statistics of what they score.
//!
//! An episode is fixed by the run's seed and its own number, not by the copy or thread that happens to play it, so a
//! result never depends on how the work was spread.
//!
//! # Deliberately absent
//!
//! Rules and policies, and whatever only one family knows (the families' crates, listed by `heldout-envs`); clocks and
//! terminals (`heldout`).

#![forbid(unsafe_code)]

pub mod aggregate;
pub mod away;
pub mod bootstrap;
pub mod claims;
pub mod comparison;
pub mod curves;
pub mod entrant;
mod failures;
mod floor;
mod notes;
mod plan;
mod play;
pub mod protocol;
pub mod published;
pub mod records;
pub mod report;
pub mod results;
pub mod runner;
pub mod scales;
mod seating;
pub mod settings;
pub mod stratum;
pub mod verdict;
mod writer;

pub use play::{Actor, Episode, Episodes, PlayError, Played, Run, Seats, Turn};

/// The README's Rust is compiled and run by `cargo test`.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
