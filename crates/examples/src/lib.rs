//! Two small environments that show every part of the contract.
//!
//! `grid` has one agent and a finite, numbered level set; `signal` has two agents that act and see differently.
//! Neither is a benchmark. Read them first when adding one.

#![forbid(unsafe_code)]

mod grid;
mod signal;
#[cfg(test)]
mod tests;

use heldout_core::{Entry, Family, Measures, Rules};

/// The worked examples.
pub static FAMILY: Family = Family {
    name: "example",
    about: "The worked examples have no subcommands.",
    folder: "examples",
    page: include_str!("../cards/family.md"),
    entries: &[
        Entry::new(&grid::ABOUT, &Rules::<grid::Grid>(())),
        Entry::new(&signal::ABOUT, &Rules::<signal::Signal>(())),
    ],
    protocols: &[],
    scales: &[],
    published: "",
    measures: Measures::NONE,
    kinds: &[],
    commands: &[],
};
