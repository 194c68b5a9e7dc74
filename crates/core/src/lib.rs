//! The contract of a heldout environment, and the one engine that steps batches of it.
//!
//! An environment is two things kept apart. Its *rules* ([`Environment`]) are immutable, built once from a config and
//! shared by every copy in a batch. All that changes is in its *state*, the generator included. Saving is therefore
//! serialising a state, restoring resumes the same future, and two equal states stay equal under equal actions.
//!
//! The engine ([`Batch`]) owns the states of many copies and writes what they produce, struct of arrays, into memory
//! that the caller owns ([`Output`]). Callers that do not know the environment's type hold a [`VecEnv`]: the type is
//! erased once a batch, so the call is virtual once a step and the inner loop is static. A single environment is a batch
//! of one.
//!
//! # Invariants
//!
//! - One seed and one sequence of actions give one trajectory: whatever the batch size, the number of threads, the
//!   platform and the build.
//! - Seeds are derived, never added. What an agent does never changes which problems it is given.
//! - A step allocates nothing, restarts included.
//! - A call that fails changes nothing.
//! - A restored state is checked, not trusted: one that the rules could not have made is refused.
//!
//! # Deliberately absent
//!
//! No I/O, no clock, no environment variables, no hash containers, no registry of names: those belong to the crates
//! above. No plug-in system: a family is data and small traits.

#![forbid(unsafe_code)]

mod batch;
mod buffers;
pub mod card;
pub mod check;
mod command;
mod digest;
mod entry;
mod environment;
mod kind;
mod measures;
mod order;
mod policy;
mod rng;
pub mod room;
mod rows;
mod spec;
pub mod transcript;
mod vec_env;

pub use batch::Batch;
pub use buffers::Buffers;
pub use command::{Acquired, Argument, Call, Command, CommandError, Host, Playing, Said};
pub use digest::{Crc, hexadecimal};
pub use entry::{About, Entry, Family, MakeError, Preset, Rules};
pub use environment::{ConfigError, Environment, ExperienceError, Frame, Lack, Start, Status};
pub use kind::{
    Asked, AskedCondition, Kind, KindError, Measured, Player, Prepared, ProblemSet, Sample, Speaker, Stimuli, Told,
};
pub use measures::{Cause, Causes, Heat, Measure, Measures, Parts, Scoring, Series, Snapshot, Training};
pub use order::shuffled;
pub use policy::{Policy, PolicyInfo, Random, Scripted, Stop, View, policy_infos};
pub use rng::{Rng, Seed};
pub use rows::{FieldMut, FieldRef, Row, RowRef, Rows, RowsRef};
pub use spec::{
    ActionSpace, AgentSpec, Dtype, Field, MAX_ACTION_WIDTH, MAX_AGENTS, MAX_FIELDS, Metric, Scope, Source, Spec,
};
pub use vec_env::{Autoreset, BatchError, Last, Options, Output, Reset, Seeding, VecEnv};

/// The recipe for a family is compiled and run by `cargo test`.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
