//! S2B: meta-referential games, in which symbols must be bound to stimuli within the episode and then recombined.
//!
//! A speaker knows a target, a listener must tell whether it is among its stimuli. Structure, looks and the listener's
//! view of the vocabulary are drawn anew for every episode, so nothing learnt across episodes says what a token means;
//! the *support* games of the episode teach it, and its *query* games ask for combinations that were held out.
//!
//! - `space` and `split`: what can be meant, how it looks, and what is held out;
//! - `episode`: the rules of the games; `codec` their messages and actions;
//! - `games`: the games as an environment, for one agent (`listener`, `s2b/listener-v1`) or two (`game`,
//!   `s2b/game-v1`);
//! - `recall`: `s2b/recall-v1`, the memory task with the same stimuli;
//! - `speaker`, `reference`: rule-based speakers and listeners; `shortcut`: listeners that ignore what is said;
//! - `scale`: which value a number shows, by the numbers alone;
//! - `metrics`: how compositional a language is, how disentangled the stimuli are.

// Tests count allocations by an allocator, which is unsafe by nature.
#![cfg_attr(not(test), forbid(unsafe_code))]

mod codec;
mod commands;
mod config;
mod draw;
mod episode;
mod game;
mod games;
mod kind;
mod listener;
mod metrics;
mod observe;
mod recall;
mod reference;
mod scale;
mod shortcut;
mod space;
mod speaker;
mod split;
#[cfg(test)]
mod tests;
mod words;

pub use metrics::{Compositionality, Matrix, compositionality, compositionality_until};

use heldout_core::{Entry, Family, Measure, Measures, Rules};

use game::Pair;
use games::Games;
use listener::Listener;
use recall::Recall;

/// S2B.
pub static FAMILY: Family = Family {
    name: "s2b",
    about: "What only S2B has: metrics of languages and stimuli",
    folder: "s2b",
    page: include_str!("../cards/family.md"),
    entries: &[
        Entry::new(&listener::ABOUT, &Rules::<Games<Listener>>(())),
        Entry::new(&game::ABOUT, &Rules::<Games<Pair>>(())),
        Entry::new(&recall::ABOUT, &Rules::<Recall>(())),
    ],
    protocols: &[
        ("s2b-table1", include_str!("../protocols/s2b-table1.toml")),
        ("s2b-table2", include_str!("../protocols/s2b-table2.toml")),
        ("s2b-table3", include_str!("../protocols/s2b-table3.toml")),
        ("s2b-balanced", include_str!("../protocols/s2b-balanced.toml")),
        ("s2b-composing", include_str!("../protocols/s2b-composing.toml")),
        ("s2b-fig6", include_str!("../protocols/s2b-fig6.toml")),
        ("s2b-recall", include_str!("../protocols/s2b-recall.toml")),
        ("s2b-language", include_str!("../protocols/s2b-language.toml")),
    ],
    scales: &[
        ("s2b-table1", include_str!("../protocols/s2b-table1.scales.toml")),
        ("s2b-table2", include_str!("../protocols/s2b-table2.scales.toml")),
        ("s2b-table3", include_str!("../protocols/s2b-table3.scales.toml")),
        ("s2b-balanced", include_str!("../protocols/s2b-balanced.scales.toml")),
        ("s2b-composing", include_str!("../protocols/s2b-composing.scales.toml")),
        ("s2b-fig6", include_str!("../protocols/s2b-fig6.scales.toml")),
        ("s2b-recall", include_str!("../protocols/s2b-recall.scales.toml")),
        ("s2b-language", include_str!("../protocols/s2b-language.scales.toml")),
    ],
    published: include_str!("../published.toml"),
    measures: Measures {
        caption: "S2B: accuracies in percent, language metrics as they are",
        rows: &[
            Measure { metric: "support_accuracy", name: "support accuracy", share: true },
            Measure { metric: "zsct_accuracy", name: "zero-shot accuracy", share: true },
            Measure { metric: "zsct_present", name: "zero-shot, target there", share: true },
            Measure { metric: "zsct_absent_held_out", name: "zero-shot, held-out stand-in", share: true },
            Measure { metric: "zsct_by_difference_1", name: "zero-shot, one dimension off", share: true },
            Measure { metric: "zsct_by_difference_2", name: "zero-shot, two dimensions off", share: true },
            Measure { metric: "zsct_by_difference_3", name: "zero-shot, three dimensions off", share: true },
            Measure { metric: "shot1_accuracy", name: "accuracy, shot 1", share: true },
            Measure { metric: "shot2_accuracy", name: "accuracy, shot 2", share: true },
            Measure { metric: "topsim", name: "topographic similarity", share: false },
            Measure { metric: "posdis", name: "positional disentanglement", share: false },
            Measure { metric: "bosdis", name: "bag-of-symbols disentanglement", share: false },
        ],
        ..Measures::NONE
    },
    kinds: &[&kind::Language],
    commands: &commands::COMMANDS,
};
