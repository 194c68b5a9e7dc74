//! The rules of heldout's benchmarks, their scripted policies and cards, and the table that names them.
//!
//! A family is a folder that reads like its paper. An entry of the table ([`registry::ENTRIES`]) ties an id,
//! `family/name-vN`, to the rules, the card and the presets; the command line, the Python package and the tests loop over
//! that table, so adding an environment is its `.rs`, its card, one line there and its golden transcript.
//!
//! # Invariants
//!
//! - Rules are functions of config, seed and actions: no clock, no hash order, no platform libm, no `usize` in a state.
//! - Files and `HELDOUT_*` variables are read in [`heldout_core::Environment::new`] alone, behind the feature `files`.
//! - An observation never shows what only an oracle may see.
//! - A change to what an id does changes its golden transcript, and then its `-vN`.
//!
//! # Deliberately absent
//!
//! Learning, protocols and statistics (`heldout-agents`, `heldout-eval`); wrappers: what an option changes is a key of
//! the config.

#![forbid(unsafe_code)]

pub mod card;
pub mod digits;
pub mod example;
pub mod halma;
pub mod lilgym;
pub mod memory;
pub mod registry;
pub mod s2b;
pub mod transcript;
