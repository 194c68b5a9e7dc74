//! The public names of levels.

use std::collections::BTreeSet;

use heldout_core::{Entry, Options};
use serde_json::Map;

use super::find;
use crate::level::{LEVELS, Level, NAMES};
use crate::walker::raw::{names, public_levels, virtual_levels};

/// The environment of a public task.
fn entry(task: &str) -> &'static Entry {
    find(&format!("memory/{}-v1", task.replace('_', "-"))).unwrap_or_else(|e| panic!("{task}: {e}"))
}

/// Every public name loads in its environment, under its own name and under the short one.
#[test]
fn memory_check_01_all_77_names_load() {
    let names: BTreeSet<String> = names().into_iter().collect();
    assert_eq!((public_levels().count(), names.len()), (77, 79));
    for level in public_levels().chain(virtual_levels()) {
        assert!(NAMES.contains(&level.level));
        for name in [level.name(), level.level.to_owned()] {
            let overrides = Map::from_iter([("level".to_owned(), name.clone().into())]);
            entry(level.task.name).make(&overrides, 1, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn memory_check_01_an_unknown_name_is_an_error_that_names_it() {
    for level in public_levels() {
        for unknown in ["nowhere", "spot_diff_nowhere", ""] {
            let overrides = Map::from_iter([("level".to_owned(), unknown.into())]);
            let made = entry(level.task.name).make(&overrides, 1, Options::default());
            let error = made.err().expect("no such level").to_string();
            assert!(error.contains(&format!("`{unknown}`")) && error.contains("`holdout_extrapolate`"), "{error}");
        }
    }
}

/// A level is found under its own name and after the name of its task, and after no other task's.
#[test]
fn memory_check_01_a_public_name_means_its_level() {
    for level in LEVELS {
        for task in ["spot_diff", "transitive_inference", "change_detection"] {
            assert_eq!(Level::of(level.name, task), Ok(level));
            assert_eq!(Level::of(&format!("{task}_{}", level.name), task), Ok(level));
            assert!(Level::of(&format!("{task}{}", level.name), task).is_err());
            assert!(Level::of(&format!("what_then_where_{}", level.name), task).is_err());
        }
    }
}
