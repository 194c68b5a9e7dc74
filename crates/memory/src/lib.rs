//! The Memory Tasks Suite: thirteen tasks that need memory, held out by scale and by stimulus.
//!
//! Four tasks are `PsychLab` panels, looked at from a platform; nine are walked through in first person, in `rooms`, in
//! an `arena` or in a `maze`. What they share is in `walker`; every task has a small variant in `mini`. Every task
//! has the levels of `level`: training mixes a small and a large scale, held-out levels lie between and beyond them and
//! use stimuli that training never shows.
//!
//! # Invariants
//!
//! - Rules are simulated every tick, pictures are drawn once per step: the size and the kind of an observation change no
//!   reward and no end.
//! - Train and held-out levels share no stimulus.

#![forbid(unsafe_code)]

mod arena;
mod level;
mod maze;
mod mini;
mod paper_scores;
mod psychlab;
mod rooms;
#[cfg(test)]
mod tests;
mod walker;

use heldout_core::{About, Entry, Family, Measures, Preset, Rules, Series};

pub use walker::raw;

use arena::Arena;
use maze::Maze;
use mini::goal::{self, GoalMini};
use mini::inference::InferenceMini;
use mini::panel::PanelMini;
use mini::spot::SpotMini;
use psychlab::{Change, Mapping, PsychLab, Recognition, WhatThenWhere};
use rooms::{Inference, Spot, Variant};

/// What a full task says of itself.
const fn full(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    let views = &["observation", "width", "height", "previous"];
    About { views, smallest: r#"{"observation": "symbolic"}"#, ..mini(id, card, presets, summary) }
}

/// What a full task says of itself whose episodes go on until the time is over.
const fn timed(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    About { short: r#"{"seconds": 30.0}"#, ..full(id, card, presets, summary) }
}

/// What a full task says of itself whose walker finds its way to a goal.
const fn town(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    About { aids: &["pose"], ..timed(id, card, presets, summary) }
}

/// What a small variant says of itself.
const fn mini(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    let (split_key, splits, views, aids) = ("level", &level::NAMES, &["observation"], &[]);
    About { id, summary, card, split_key, splits, presets, views, aids, smallest: "{}", short: "{}" }
}

/// What a small panel says of itself.
const fn panel(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    About { views: &["observation", "previous"], ..mini(id, card, presets, summary) }
}

/// What a small variant says of itself that walks through a grid.
const fn grid(id: &'static str, card: &'static str, presets: &'static [Preset], summary: &'static str) -> About {
    About { views: &["previous"], aids: &["pose"], short: r#"{"steps": 30}"#, ..mini(id, card, presets, summary) }
}

/// The Memory Tasks Suite.
pub static FAMILY: Family = Family {
    name: "memory",
    about: "The Memory Tasks Suite has no subcommands",
    folder: "memory",
    page: include_str!("../cards/family.md"),
    entries: &[
        Entry::new(
            &timed(
                "memory/arbitrary-visuomotor-mapping-v1",
                include_str!("../cards/arbitrary-visuomotor-mapping.md"),
                psychlab::PRESETS,
                "Remember which of four buttons belongs to each image; there is one image more after every block without a mistake.",
            ),
            &Rules::<PsychLab<Mapping>>(()),
        ),
        Entry::new(
            &timed(
                "memory/continuous-recognition-v1",
                include_str!("../cards/continuous-recognition.md"),
                psychlab::PRESETS,
                "Tell images that have been shown before in the episode from new ones.",
            ),
            &Rules::<PsychLab<Recognition>>(()),
        ),
        Entry::new(
            &timed(
                "memory/change-detection-v1",
                include_str!("../cards/change-detection.md"),
                psychlab::PRESETS,
                "Tell whether one object of an array has changed after a delay.",
            ),
            &Rules::<PsychLab<Change>>(()),
        ),
        Entry::new(
            &timed(
                "memory/what-then-where-v1",
                include_str!("../cards/what-then-where.md"),
                psychlab::PRESETS,
                "Remember a digit, then where it is among four, then choose that place.",
            ),
            &Rules::<PsychLab<WhatThenWhere>>(()),
        ),
        Entry::new(
            &full(
                "memory/spot-diff-v1",
                include_str!("../cards/spot-diff.md"),
                rooms::PRESETS,
                "See two blocks, walk through a corridor whose gates may hold you, and touch the one that has another colour.",
            ),
            &Rules::<Spot>(Variant::Basic),
        ),
        Entry::new(
            &full(
                "memory/spot-diff-passive-v1",
                include_str!("../cards/spot-diff-passive.md"),
                rooms::PRESETS,
                "Spot the block that has another colour, where both are in view from the beginning.",
            ),
            &Rules::<Spot>(Variant::Passive),
        ),
        Entry::new(
            &full(
                "memory/spot-diff-multi-v1",
                include_str!("../cards/spot-diff-multi.md"),
                rooms::PRESETS,
                "Spot the one block of two to seven that has another colour.",
            ),
            &Rules::<Spot>(Variant::Multi),
        ),
        Entry::new(
            &full(
                "memory/spot-diff-motion-v1",
                include_str!("../cards/spot-diff-motion.md"),
                rooms::PRESETS,
                "Spot the one of two moving blocks that moves in another way.",
            ),
            &Rules::<Spot>(Variant::Motion),
        ),
        Entry::new(
            &town(
                "memory/visible-goal-with-buildings-v1",
                include_str!("../cards/visible-goal-with-buildings.md"),
                arena::PRESETS,
                "Find a ball among buildings, then return to it from wherever one is put; held out by quadrant and by size.",
            ),
            &Rules::<Arena>(arena::VISIBLE_BUILDINGS),
        ),
        Entry::new(
            &town(
                "memory/invisible-goal-with-buildings-v1",
                include_str!("../cards/invisible-goal-with-buildings.md"),
                arena::PRESETS,
                "Find an unmarked place among buildings, then return to it; held out by quadrant and by size.",
            ),
            &Rules::<Arena>(arena::INVISIBLE_BUILDINGS),
        ),
        Entry::new(
            &town(
                "memory/invisible-goal-empty-arena-v1",
                include_str!("../cards/invisible-goal-empty-arena.md"),
                arena::PRESETS,
                "Find an unmarked place in an empty arena under a sky with landmarks, then return to it; held out by quadrant and by size.",
            ),
            &Rules::<Arena>(arena::INVISIBLE_EMPTY),
        ),
        Entry::new(
            &town(
                "memory/explore-goal-locations-v1",
                include_str!("../cards/explore-goal-locations.md"),
                arena::PRESETS,
                "Find the goal of a maze, then run back to it from wherever one is put; held out by rows and by size.",
            ),
            &Rules::<Maze>(()),
        ),
        Entry::new(
            &full(
                "memory/transitive-inference-v1",
                include_str!("../cards/transitive-inference.md"),
                rooms::PRESETS,
                "Learn the order of a chain of colours from pairs of neighbours, then judge two that never met.",
            ),
            &Rules::<Inference>(()),
        ),
        Entry::new(
            &panel(
                "memory/arbitrary-visuomotor-mapping-mini-v1",
                include_str!("../cards/arbitrary-visuomotor-mapping-mini.md"),
                psychlab::MINI_PRESETS,
                "Arbitrary visuomotor mapping with one decision a trial.",
            ),
            &Rules::<PanelMini<Mapping>>(()),
        ),
        Entry::new(
            &panel(
                "memory/continuous-recognition-mini-v1",
                include_str!("../cards/continuous-recognition-mini.md"),
                psychlab::MINI_PRESETS,
                "Continuous recognition with one decision a trial.",
            ),
            &Rules::<PanelMini<Recognition>>(()),
        ),
        Entry::new(
            &panel(
                "memory/change-detection-mini-v1",
                include_str!("../cards/change-detection-mini.md"),
                psychlab::MINI_PRESETS,
                "Change detection with one decision a trial and delays of a few steps.",
            ),
            &Rules::<PanelMini<Change>>(()),
        ),
        Entry::new(
            &panel(
                "memory/what-then-where-mini-v1",
                include_str!("../cards/what-then-where-mini.md"),
                psychlab::MINI_PRESETS,
                "What then where with one decision a trial and delays of a few steps.",
            ),
            &Rules::<PanelMini<WhatThenWhere>>(()),
        ),
        Entry::new(
            &mini(
                "memory/spot-diff-mini-v1",
                include_str!("../cards/spot-diff-mini.md"),
                mini::PIXELS,
                "See two blocks, wait, and name the one that has another colour.",
            ),
            &Rules::<SpotMini>(Variant::Basic),
        ),
        Entry::new(
            &mini(
                "memory/spot-diff-passive-mini-v1",
                include_str!("../cards/spot-diff-passive-mini.md"),
                mini::PIXELS,
                "See two blocks, wait, and name the one that has another colour.",
            ),
            &Rules::<SpotMini>(Variant::Passive),
        ),
        Entry::new(
            &mini(
                "memory/spot-diff-multi-mini-v1",
                include_str!("../cards/spot-diff-multi-mini.md"),
                mini::PIXELS,
                "See two to seven blocks and name the one that has another colour.",
            ),
            &Rules::<SpotMini>(Variant::Multi),
        ),
        Entry::new(
            &mini(
                "memory/spot-diff-motion-mini-v1",
                include_str!("../cards/spot-diff-motion-mini.md"),
                mini::PIXELS,
                "See two blocks move, wait, and name the one that moves in another way.",
            ),
            &Rules::<SpotMini>(Variant::Motion),
        ),
        Entry::new(
            &grid(
                "memory/visible-goal-with-buildings-mini-v1",
                include_str!("../cards/visible-goal-with-buildings-mini.md"),
                goal::POSE_PRESET,
                "A grid world with pillars: find a goal that shows from near, then return to it from wherever one is put.",
            ),
            &Rules::<GoalMini>(goal::VISIBLE_BUILDINGS),
        ),
        Entry::new(
            &grid(
                "memory/invisible-goal-with-buildings-mini-v1",
                include_str!("../cards/invisible-goal-with-buildings-mini.md"),
                goal::POSE_PRESET,
                "A grid world with pillars: find an unmarked cell, then return to it from wherever one is put.",
            ),
            &Rules::<GoalMini>(goal::INVISIBLE_BUILDINGS),
        ),
        Entry::new(
            &grid(
                "memory/invisible-goal-empty-arena-mini-v1",
                include_str!("../cards/invisible-goal-empty-arena-mini.md"),
                goal::POSE_PRESET,
                "An empty grid world: find an unmarked cell, then return to it from wherever one is put.",
            ),
            &Rules::<GoalMini>(goal::INVISIBLE_EMPTY),
        ),
        Entry::new(
            &grid(
                "memory/explore-goal-locations-mini-v1",
                include_str!("../cards/explore-goal-locations-mini.md"),
                goal::POSE_PRESET,
                "The procedural maze as a grid world: find its goal, then return to it from wherever one is put.",
            ),
            &Rules::<GoalMini>(goal::EXPLORE),
        ),
        Entry::new(
            &mini(
                "memory/transitive-inference-mini-v1",
                include_str!("../cards/transitive-inference-mini.md"),
                mini::PIXELS,
                "Learn the order of a chain of colours from pairs of neighbours and judge two that never met, without walking.",
            ),
            &Rules::<InferenceMini>(()),
        ),
    ],
    protocols: &[
        ("memory", include_str!("../protocols/memory.toml")),
        ("memory-jb", include_str!("../protocols/memory-jb.toml")),
        ("memory-mini", include_str!("../protocols/memory-mini.toml")),
    ],
    scales: &[
        ("memory", include_str!("../protocols/memory.scales.toml")),
        ("memory-mini", include_str!("../protocols/memory-mini.scales.toml")),
    ],
    published: include_str!("../published.toml"),
    measures: Measures {
        series: &[Series {
            prefix: "arrival_",
            title: "steps to each arrival",
            axes: ("arrival", "steps"),
            caption: "steps from one arrival at the goal to the next. A fall after the first says that the place is \
                      remembered. Bands are 95 % intervals.",
        }],
        scoring: Some(paper_scores::SCORING),
        ..Measures::NONE
    },
    kinds: &[],
    commands: &[],
};
