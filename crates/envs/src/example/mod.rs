//! Two small environments that show every part of the contract.
//!
//! [`grid`] has one agent and a finite, numbered level set; [`signal`] has two agents that act and see differently.
//! Neither is a benchmark. Read them first when adding one.

pub mod grid;
pub mod signal;
