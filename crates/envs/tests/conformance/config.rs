//! Configs: whole, readable back, and strict.

use crate::cases;
use heldout_core::{Entry, MakeError, Options};
use heldout_envs::{entries, find};
use serde_json::{Map, Value, json};

pub(crate) fn ids_are_unique_and_well_formed() {
    let mut ids: Vec<_> = entries().map(Entry::id).collect();
    for id in &ids {
        let (family, name) = id.split_once('/').unwrap_or_else(|| panic!("`{id}` has no family"));
        let (name, version) = name.rsplit_once("-v").unwrap_or_else(|| panic!("`{id}` has no version"));
        let plain =
            |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(plain(family) && plain(name), "`{id}`");
        assert!(version.parse::<u32>().is_ok_and(|v| v > 0), "`{id}`");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), entries().count());
}

pub(crate) fn an_unknown_id_is_answered_by_the_nearest() {
    for (asked, expected) in [
        ("example/grid-v2", "example/grid-v1"),
        ("exmaple/grid-v1", "example/grid-v1"),
        ("grid", "example/grid-v1"),
        ("signal-v1", "example/signal-v1"),
    ] {
        let Err(MakeError::Unknown { id, nearest }) = find(asked) else { panic!("`{asked}` was found") };
        assert_eq!((id.as_str(), nearest[0]), (asked, expected));
    }
}

pub(crate) fn configs_round_trip(entry: &'static Entry) {
    for case in cases(entry) {
        let whole = case.entry.configure(&case.overrides).unwrap();
        let Value::Object(again) = &whole else { panic!("{}: a config is an object", case.name) };
        assert_eq!(case.entry.configure(again).unwrap(), whole, "{}", case.name);
        let defaults = case.entry.defaults();
        let keys = |v: &Value| v.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys(&whole), keys(&defaults), "{}: a config is whole", case.name);
        let text = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), whole, "{}", case.name);
    }
}

pub(crate) fn unknown_keys_and_wrong_values_are_refused_by_name(entry: &'static Entry) {
    let refuse = |value: Value| {
        let Value::Object(overrides) = value else { unreachable!() };
        entry.make(&overrides, 1, Options::default()).map(|_| ()).unwrap_err().to_string()
    };
    let message = refuse(json!({"no_such_key": 1}));
    assert!(message.contains(entry.id()) && message.contains("no_such_key"), "{message}");
    let message = refuse(json!({"preset": "no_such_preset"}));
    assert!(message.contains(entry.id()) && message.contains("no_such_preset"), "{message}");
    for (key, value) in entry.defaults().as_object().unwrap() {
        // No key takes a list of tables.
        let mut overrides = Map::new();
        overrides.insert(key.clone(), json!([{"no": "thing"}]));
        let message = refuse(Value::Object(overrides));
        assert!(message.contains(&format!("`{key}")), "{key} = {value}: {message}");
    }
    let message = refuse(json!({entry.about.split_key: "no_such_split"}));
    let named = entry.about.splits.iter().all(|split| message.contains(split));
    assert!(named && message.contains("no_such_split"), "{message}");
}

/// A list was taken for a table, its values by position; a table for a name; a number beyond 32 bits for none at all.
pub(crate) fn regression_values_of_another_form_were_accepted(entry: &'static Entry) {
    for (key, value) in entry.defaults().as_object().unwrap() {
        let wrong = match value {
            Value::Object(inner) => vec![json!([]), Value::Array(inner.values().take(2).cloned().collect())],
            Value::String(name) => vec![json!({ name: null })],
            Value::Number(_) => vec![json!(1e308), json!(-1e308)],
            // Perhaps a number if it is given.
            Value::Null => vec![json!(1e308), json!([])],
            _ => Vec::new(),
        };
        let inner = value.as_object().into_iter().flatten().filter(|(_, value)| value.is_number());
        for wrong in wrong.into_iter().chain(inner.map(|(inner, _)| json!({ inner: 1e308 }))) {
            let overrides = Map::from_iter([(key.clone(), wrong.clone())]);
            let made = entry.make(&overrides, 1, Options::default()).map(|_| ());
            let message = made.expect_err(&format!("{key} = {wrong}")).to_string();
            assert!(message.contains(&format!("`{key}")), "{key} = {wrong}: {message}");
        }
    }
}

pub(crate) fn the_first_split_is_the_default(entry: &'static Entry) {
    let defaults = entry.defaults();
    assert_eq!(defaults[entry.about.split_key], entry.about.splits[0], "{}", entry.id());
    assert!(entry.about.splits.len() >= 2, "{}: nothing is held out", entry.id());
}

pub(crate) fn every_entry_has_a_floor_and_a_ceiling(entry: &'static Entry) {
    let policies = entry.policies();
    for agent in 0..entry.default_batch().spec().agents.len() {
        for name in ["random", "oracle"] {
            let there = policies.iter().any(|p| p.name == name && p.agent.is_none_or(|a| a == agent));
            assert!(there, "{}: agent {agent} has no policy `{name}`", entry.id());
        }
    }
}
