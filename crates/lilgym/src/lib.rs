//! lilGym: make a sentence true, or false, by adding and removing objects.
//!
//! Four tasks: objects are stacked (TOWER) or lie anywhere (SCATTER), and episodes begin with empty boxes (SCRATCH) or with
//! a scene whose truth is to be flipped (FLIPIT). The reward is exact, because every sentence has a program that decides it
//! (`language`): parsed once, evaluated without allocating, and harmless whatever it says.
//!
//! By default everything behaves as the public implementation does, to the pixel and to the reward
//! (`heldout parity lilgym` replays its recordings); each difference from the paper is a key of the config.

#![forbid(unsafe_code)]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "an item is handled like any other part of a scene")]

mod action;
#[cfg(feature = "files")]
mod annotate;
mod blind;
mod builtin;
mod circle;
#[cfg(feature = "files")]
mod commands;
mod config;
mod corpus;
mod draw;
mod environment;
#[cfg(feature = "files")]
mod files;
#[cfg(any(feature = "files", test))]
mod fit;
mod fuzz;
mod geometry;
mod heat;
mod language;
mod parts;
mod picture;
mod planner;
mod policy;
mod reader;
#[cfg(feature = "files")]
mod recording;
mod rules;
mod scene;
mod structured;
#[cfg(test)]
mod tests;

#[cfg(feature = "files")]
pub use files::fuzz_rows;
pub use fuzz::fuzz_program;
pub use reader::{PlanInfo, ProblemInfo, Reader, StatementInfo, truth};
#[cfg(feature = "files")]
pub use recording::fuzz_recording;

use heldout_core::{About, Entry, Family, Measure, Measures, Preset, Rules};

use config::Task;
use environment::LilGym;

const OBJECTS: Preset = Preset {
    name: "objects",
    about: "A list of objects in place of the picture, for agents without eyes.",
    config: r#"{"observation": "objects"}"#,
};
const FACTORED: Preset = Preset {
    name: "factored",
    about: "Actions as type, place and attributes, and stop forcing, as the paper's agents train.",
    config: r#"{"actions": "factored", "observation": "objects", "stop_forcing": true}"#,
};
const fn paper(config: &'static str) -> Preset {
    Preset { name: "paper", about: "What the paper says where the public code differs.", config }
}
const TOWER: &[Preset] = &[paper(r#"{"horizon": 12, "horizon_reward": -1.0}"#), OBJECTS, FACTORED];
const SCATTER: &[Preset] =
    &[paper(r#"{"horizon": 12, "horizon_reward": -1.0, "cell_search": true}"#), OBJECTS, FACTORED];

const fn about(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    let (split_key, splits, smallest) = ("split", &["train", "dev", "test"], r#"{"observation": "objects"}"#);
    let views = &["observation", "mask", "actions", "max_sentence"];
    About { id, summary, card, split_key, splits, presets, views, aids: &[], smallest, short: "{}" }
}

/// All that only lilGym knows.
pub static FAMILY: Family = Family {
    name: "lilgym",
    about: "What only lilGym has: labels checked, best returns found, results broken down",
    folder: "lilgym",
    page: include_str!("../cards/family.md"),
    entries: &[
        Entry::new(
            &about(
                "lilgym/tower-scratch-v1",
                include_str!("../cards/tower-scratch.md"),
                TOWER,
                "Stack blocks in three empty boxes until a sentence is true.",
            ),
            &Rules::<LilGym>(Task::TOWER_SCRATCH),
        ),
        Entry::new(
            &about(
                "lilgym/tower-flipit-v1",
                include_str!("../cards/tower-flipit.md"),
                TOWER,
                "Change towers of blocks until a sentence about them is no longer true, or becomes true.",
            ),
            &Rules::<LilGym>(Task::TOWER_FLIPIT),
        ),
        Entry::new(
            &about(
                "lilgym/scatter-scratch-v1",
                include_str!("../cards/scatter-scratch.md"),
                SCATTER,
                "Put objects into three empty boxes until a sentence is true.",
            ),
            &Rules::<LilGym>(Task::SCATTER_SCRATCH),
        ),
        Entry::new(
            &about(
                "lilgym/scatter-flipit-v1",
                include_str!("../cards/scatter-flipit.md"),
                SCATTER,
                "Add and remove objects until a sentence about them is no longer true, or becomes true.",
            ),
            &Rules::<LilGym>(Task::SCATTER_FLIPIT),
        ),
    ],
    protocols: &[
        ("lilgym-table2", include_str!("../protocols/lilgym-table2.toml")),
        ("lilgym-table3", include_str!("../protocols/lilgym-table3.toml")),
        ("lilgym-table4", include_str!("../protocols/lilgym-table4.toml")),
        ("lilgym-table5", include_str!("../protocols/lilgym-table5.toml")),
        ("lilgym-table6", include_str!("../protocols/lilgym-table6.toml")),
    ],
    scales: &[
        ("lilgym-table2", include_str!("../protocols/lilgym-table2.scales.toml")),
        ("lilgym-table3", include_str!("../protocols/lilgym-table3.scales.toml")),
        ("lilgym-table4", include_str!("../protocols/lilgym-table4.scales.toml")),
        ("lilgym-table5", include_str!("../protocols/lilgym-table5.scales.toml")),
        ("lilgym-table6", include_str!("../protocols/lilgym-table6.scales.toml")),
    ],
    published: include_str!("../published.toml"),
    measures: Measures {
        caption: "lilGym's rollouts (the paper's Figure 3): shares in percent, and actions per episode",
        rows: &[
            Measure { metric: "success", name: "success", share: true },
            Measure { metric: "no_stop", name: "horizon without STOP", share: true },
            Measure { metric: "invalid", name: "invalid action", share: true },
            Measure { metric: "actions", name: "actions", share: false },
            Measure { metric: "add_share", name: "ADD", share: true },
            Measure { metric: "remove_share", name: "REMOVE", share: true },
        ],
        causes: Some(environment::CAUSES),
        series: &[],
        parts: parts::of,
        heat: heat::of,
        ..Measures::NONE
    },
    kinds: &[],
    #[cfg(feature = "files")]
    commands: &commands::COMMANDS,
    #[cfg(not(feature = "files"))]
    commands: &[],
};
