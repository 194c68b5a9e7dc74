//! The conformance suite: what the contract promises, of every entry, under its defaults, its splits and its presets.
//!
//! Each promise of each entry is a test of its own, named `ID promise`, so that
//! `cargo test -p heldout-envs -- FAMILY/` runs those of one family.

#![allow(unsafe_code, reason = "a counting allocator is unsafe by nature")]

mod actions;
mod config;
mod determinism;
mod documents;
mod forged;
mod no_allocation;
mod observations;
mod save_restore;
mod views;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heldout_core::{Autoreset, Buffers, Entry, Family, Options, Rng, Seed, Spec, VecEnv};
use heldout_envs::entries;
use libtest_mimic::{Arguments, Trial};
use serde_json::{Map, Value};

/// A promise of every entry: a function that panics where it is broken.
type Promise = fn(&'static Entry);

/// What every entry promises.
const PROMISES: &[(&str, Promise)] = &[
    ("config::configs_round_trip", config::configs_round_trip),
    (
        "config::unknown_keys_and_wrong_values_are_refused_by_name",
        config::unknown_keys_and_wrong_values_are_refused_by_name,
    ),
    (
        "config::regression_values_of_another_form_were_accepted",
        config::regression_values_of_another_form_were_accepted,
    ),
    ("config::the_first_split_is_the_default", config::the_first_split_is_the_default),
    ("config::every_entry_has_a_floor_and_a_ceiling", config::every_entry_has_a_floor_and_a_ceiling),
    ("documents::cards_are_whole", documents::cards_are_whole),
    ("documents::transcripts_are_golden", documents::transcripts_are_golden),
    ("no_allocation::a_step_allocates_nothing", no_allocation::a_step_allocates_nothing),
    (
        "no_allocation::neither_after_a_restore_nor_on_a_masked_reset",
        no_allocation::neither_after_a_restore_nor_on_a_masked_reset,
    ),
    (
        "no_allocation::memory_check_44_long_play_allocates_nothing",
        no_allocation::memory_check_44_long_play_allocates_nothing,
    ),
    ("save_restore::observes_the_same", save_restore::observes_the_same),
    ("save_restore::resumes_the_same_future", save_restore::resumes_the_same_future),
    ("save_restore::resumes_in_a_fresh_process", save_restore::resumes_in_a_fresh_process),
    ("save_restore::experience_outlives_episodes", save_restore::experience_outlives_episodes),
    (
        "save_restore::no_environment_takes_the_state_of_another",
        save_restore::no_environment_takes_the_state_of_another,
    ),
    ("forged::forged_states_are_refused_or_harmless", forged::forged_states_are_refused_or_harmless),
    ("actions::a_bad_action_changes_nothing_and_is_named", actions::a_bad_action_changes_nothing_and_is_named),
    ("actions::the_corners_of_the_space_are_taken", actions::the_corners_of_the_space_are_taken),
    ("determinism::same_seed_same_trajectory", determinism::same_seed_same_trajectory),
    ("determinism::different_seed_different_trajectory", determinism::different_seed_different_trajectory),
    ("determinism::a_batch_equals_its_singles", determinism::a_batch_equals_its_singles),
    ("determinism::threads_change_nothing", determinism::threads_change_nothing),
    (
        "determinism::policies_do_not_depend_on_threads_or_batch",
        determinism::policies_do_not_depend_on_threads_or_batch,
    ),
    ("observations::in_bounds_and_written", observations::in_bounds_and_written),
    ("observations::padding_is_zero", observations::padding_is_zero),
    ("observations::text_is_utf8_and_zero_padded", observations::text_is_utf8_and_zero_padded),
    ("observations::modes_show_the_same_episodes", observations::modes_show_the_same_episodes),
    ("observations::metrics_are_finite_at_any_time", observations::metrics_are_finite_at_any_time),
    ("observations::drawing_fills_the_frame", observations::drawing_fills_the_frame),
    ("views::a_view_changes_no_problem", views::a_view_changes_no_problem),
    ("views::scripted_policies_see_what_they_may", views::scripted_policies_see_what_they_may),
];

/// What the whole promises.
const TOGETHER: &[(&str, fn())] = &[
    ("config::ids_are_unique_and_well_formed", config::ids_are_unique_and_well_formed),
    ("config::an_unknown_id_is_answered_by_the_nearest", config::an_unknown_id_is_answered_by_the_nearest),
    ("documents::nothing_is_left_over", documents::nothing_is_left_over),
    ("documents::cards_that_lack_something_are_refused", documents::cards_that_lack_something_are_refused),
    ("documents::every_part_of_a_page_is_used", documents::every_part_of_a_page_is_used),
    ("documents::the_readme_lists_every_id", documents::the_readme_lists_every_id),
    ("no_allocation::the_counter_counts", no_allocation::the_counter_counts),
];

fn main() -> ExitCode {
    if save_restore::child() {
        return ExitCode::SUCCESS;
    }
    let each = entries().flat_map(|entry| {
        PROMISES.iter().map(move |(name, promise)| {
            Trial::test(format!("{} {name}", entry.id()), move || {
                promise(entry);
                Ok(())
            })
        })
    });
    let together = TOGETHER.iter().map(|(name, promise)| {
        Trial::test(*name, move || {
            promise();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), each.chain(together).collect()).exit_code()
}

/// An entry under a config.
pub(crate) struct Case {
    pub(crate) entry: &'static Entry,
    pub(crate) overrides: Map<String, Value>,
    /// For messages.
    pub(crate) name: String,
}

impl Case {
    pub(crate) fn make(&self, len: usize, options: Options) -> Box<dyn VecEnv> {
        self.entry.make(&self.overrides, len, options).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    pub(crate) fn batch(&self, len: usize) -> (Box<dyn VecEnv>, Buffers) {
        let env = self.make(len, Options::default());
        let buffers = Buffers::new(env.spec(), len);
        (env, buffers)
    }

    /// The same with observations as small as they get.
    pub(crate) fn smallest(mut self) -> Self {
        self.overrides.extend(self.entry.smallest());
        self
    }
}

/// An entry under its defaults, each split and each preset.
pub(crate) fn cases(entry: &'static Entry) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |key: &str, value: &str, mut overrides: Map<String, Value>| {
        if !key.is_empty() {
            overrides.insert(key.to_owned(), value.into());
        }
        cases.push(Case { entry, overrides, name: format!("{} {key} {value}", entry.id()).trim().to_owned() });
    };
    add("", "", Map::new());
    // A split changes which problems are played, not how they look: the smallest observation shows as much.
    for split in &entry.about.splits[1..] {
        add(entry.about.split_key, split, entry.smallest());
    }
    for preset in entry.about.presets {
        add("preset", preset.name, Map::new());
    }
    cases
}

/// Fills `actions` with random ones of `len` copies.
pub(crate) fn random(spec: &Spec, rng: &mut Rng, actions: &mut [i32]) {
    let sizes = spec.agents.iter().flat_map(|a| a.action.sizes());
    for (action, &n) in actions.iter_mut().zip(sizes.cycle()) {
        *action = rng.below(n) as i32;
    }
}

/// Random actions for `len` copies at each of `steps` steps.
pub(crate) fn script(spec: &Spec, len: usize, steps: usize, seed: u64) -> Vec<Vec<i32>> {
    let mut rng = Rng::new(Seed(seed));
    (0..steps)
        .map(|_| {
            let mut actions = vec![0; len * spec.action_width()];
            random(spec, &mut rng, &mut actions);
            actions
        })
        .collect()
}

pub(crate) const MODES: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

/// The folder of a family's crate.
pub(crate) fn folder_of(family: &Family) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(family.folder)
}

/// Where the golden transcript of `entry` is kept.
pub(crate) fn golden_path(entry: &Entry) -> PathBuf {
    let family = heldout_envs::family(entry.id()).expect("an entry has a family");
    folder_of(family).join("tests/golden").join(format!("{}.txt", entry.name()))
}
