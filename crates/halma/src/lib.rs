//! HALMA: rapid problem solving in mazes that are never seen, only told in distances.
//!
//! The agent is told how far it is to the walls, to the next crossings and to the goal, as digits whose colours mean
//! directions. It answers with a direction and an option, a sequence of hops. Understanding what a digit *affords*, how
//! options compose, and how digits change when one moves is what is held out: after training, tests are made from what
//! the agent has experienced, so that they ask for relations between digits that it has never met.
//!
//! The folder reads like the paper: `maze` and `generate` are the problem space (App. A), `observation` and
//! `panel` what is seen (App. C), `option` what can be done, `trials` trials and episodes (Section 3.3), `oracle`
//! how well one can do, `concepts` the concept space (App. B), `experience` and `dynamic_tests` the dynamic tests
//! (Section 3.4, App. D), `stats` the statistics of Fig. S5. `environment` joins them, for either way to see:
//! `symbolic` or `visual`.
//!
//! # Invariants
//!
//! - Both ids share everything but what is seen: same mazes, same dynamics, same rewards under the same seeds.
//! - No two sets of mazes of different splits share a placed path, nor an image of it under a symmetry of the square.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "files"), allow(dead_code, reason = "a build without files has no commands"))]

mod build;
#[cfg(feature = "files")]
mod commands;
mod concepts;
mod config;
mod draw;
mod dynamic_tests;
mod environment;
mod experience;
mod generate;
mod kind;
mod maze;
mod observation;
mod option;
mod oracle;
mod panel;
mod policies;
mod problems;
mod stats;
mod symbolic;
#[cfg(test)]
mod tests;
mod trials;
mod visual;
mod words;

#[doc(hidden)]
pub use experience::fuzz_experience;
#[doc(hidden)]
pub use problems::fuzz_problems;

use heldout_core::{Entry, Family, Measure, Measures, Preset, Rules};

use environment::Halma;
use symbolic::Symbolic;
use visual::Visual;

const TRAINING: Preset = Preset {
    name: "training",
    about: "What a learner trains on: experience is kept for the tests that are made from it.",
    config: r#"{"experience": true}"#,
};

/// HALMA.
pub static FAMILY: Family = Family {
    name: "halma",
    about: "What only HALMA has: experience, dynamic tests, concepts, statistics",
    folder: "halma",
    page: include_str!("../cards/family.md"),
    entries: &[
        Entry::new(&symbolic::ABOUT, &Rules::<Halma<Symbolic>>(())),
        Entry::new(&visual::ABOUT, &Rules::<Halma<Visual>>(())),
    ],
    protocols: &[
        ("halma-table1", include_str!("../protocols/halma-table1.toml")),
        ("halma-ablation-mazes", include_str!("../protocols/halma-ablation-mazes.toml")),
        ("halma-ablation-options", include_str!("../protocols/halma-ablation-options.toml")),
    ],
    scales: &[
        ("halma-table1", include_str!("../protocols/halma-table1.scales.toml")),
        ("halma-ablation-mazes", include_str!("../protocols/halma-ablation-mazes.scales.toml")),
        ("halma-ablation-options", include_str!("../protocols/halma-ablation-options.scales.toml")),
    ],
    published: include_str!("../published.toml"),
    measures: Measures {
        caption: "HALMA's ratios in percent",
        rows: &[
            Measure { metric: "rho_a", name: "invalid moves (rho_a)", share: true },
            Measure { metric: "rho_g", name: "goals reached (rho_g)", share: true },
            Measure { metric: "rho_p", name: "efficiency (rho_p)", share: true },
            Measure { metric: "grasp", name: "relations grasped at first sight (grasp)", share: true },
        ],
        ..Measures::NONE
    },
    kinds: &[&kind::Dynamic],
    #[cfg(feature = "files")]
    commands: &commands::COMMANDS,
    #[cfg(not(feature = "files"))]
    commands: &[],
};
