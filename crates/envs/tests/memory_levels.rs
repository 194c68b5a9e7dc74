//! The public names of levels.

use std::collections::BTreeSet;

use heldout_core::Options;
use heldout_envs::memory::level::{NAMES, public_levels, unity_levels, virtual_levels};
use heldout_envs::registry::find;
use serde_json::Map;

/// Every public name loads in its environment, under its own name and under the short one.
#[test]
fn memory_check_01_all_77_names_load() {
    let (unity, all) = (unity_levels(), public_levels());
    assert_eq!(unity.len(), 57);
    let names: BTreeSet<String> = all.iter().map(heldout_envs::memory::level::Public::name).collect();
    assert_eq!((all.len(), names.len()), (77, 77));
    for level in all.iter().chain(&virtual_levels()) {
        let entry = find(&level.id()).unwrap_or_else(|e| panic!("{}: {e}", level.name()));
        assert!(NAMES.contains(&level.level));
        for name in [level.name(), level.level.to_owned()] {
            let overrides = Map::from_iter([("level".to_owned(), name.clone().into())]);
            entry.make(&overrides, 1, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn memory_check_01_an_unknown_name_is_an_error_that_names_it() {
    for level in public_levels() {
        let Ok(entry) = find(&level.id()) else { continue };
        for unknown in ["nowhere", "spot_diff_nowhere", ""] {
            let overrides = Map::from_iter([("level".to_owned(), unknown.into())]);
            let error = entry.make(&overrides, 1, Options::default()).err().expect("no such level").to_string();
            assert!(error.contains(&format!("`{unknown}`")) && error.contains("`holdout_extrapolate`"), "{error}");
        }
    }
}
