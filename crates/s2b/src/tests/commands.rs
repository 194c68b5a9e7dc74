//! The subcommands, called as the command line calls them.

use std::collections::BTreeMap;
use std::path::Path;

use heldout_core::{Call, CommandError, Host, MakeError, Playing, Said};
use serde_json::{Map, json};

use super::near;
use crate::FAMILY;

/// A command line that nothing is asked of: these commands only say.
struct Silent;

impl Host for Silent {
    fn write(&mut self, _: &Path, _: &[u8]) -> Result<(), CommandError> {
        unreachable!()
    }

    fn begin(&mut self, _: u64, _: &'static str) {}

    fn tick(&mut self) {}

    fn end(&mut self) {}

    fn play(&mut self, _: &Playing<'_>) -> Result<Vec<f32>, CommandError> {
        unreachable!()
    }
}

/// Calls `s2b NAME` with `--name value` pairs.
fn call(name: &str, given: &[(&'static str, &str)]) -> Result<Said, String> {
    let command = FAMILY.commands.iter().find(|c| c.path == ["s2b", name]).unwrap();
    let mut values: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (name, value) in given {
        assert!(command.arguments.iter().any(|a| a.name == *name), "`{name}` is unknown");
        values.entry(name).or_default().push((*value).to_owned());
    }
    for argument in command.arguments {
        if let Some(default) = argument.default {
            values.entry(argument.name).or_insert_with(|| vec![default.to_owned()]);
        }
    }
    let find = |id: &str| Err(MakeError::Unknown { id: id.to_owned(), nearest: Vec::new() });
    (command.run)(&mut Call { values, overrides: Map::new(), find, host: &mut Silent }).map_err(|e| e.to_string())
}

#[test]
fn languages_of_several_spaces_are_shown() {
    let said = call("language", &[("values", "5,5,5"), ("values", "2, 3,5"), ("vocabulary", "6")]).unwrap();
    assert_eq!((&said.json["speaker"], &said.json["seed"]), (&json!("posdis"), &json!(0)));
    let languages = said.json["languages"].as_array().unwrap();
    for (language, (values, topsim)) in languages.iter().zip([([5, 5, 5], 0.9421), ([2, 3, 5], 0.9664)]) {
        assert_eq!((&language["values"], &language["vocabulary"]), (&json!(values), &json!(6)));
        // The exact values of check 23, whose messages are a token longer.
        near("topsim", language["topsim"].as_f64().unwrap(), topsim, 5e-5);
        near("posdis", language["posdis"].as_f64().unwrap(), 1.0, 1e-12);
        assert!(said.text.contains(&format!("{values:?}")), "{}", said.text);
    }
    assert_eq!((languages.len(), said.text.lines().count()), (2, 5));
    // As many tokens as needed, unless told.
    let bag = call("language", &[("speaker", "bag-of-symbols"), ("values", "4,4")]).unwrap();
    assert_eq!(bag.json["languages"][0]["vocabulary"], 8);
    near("bosdis", bag.json["languages"][0]["bosdis"].as_f64().unwrap(), 1.0, 1e-12);
}

#[test]
fn stimuli_are_scored_over_spaces() {
    let said = call("disentanglement", &[("values", "3,3"), ("samples", "2"), ("spaces", "3")]).unwrap();
    let settings = ["values", "samples", "points", "batch", "spaces", "seed"].map(|key| said.json[key].clone());
    assert_eq!(json!(settings), json!([[3, 3], 2, null, null, 3, 0]));
    assert!(said.text.contains("2 looks per value, 3 spaces, every stimulus once"), "{}", said.text);
    for score in ["factor_vae", "mig", "modularity"] {
        let mean = said.json[score]["mean"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&mean) && said.text.contains(&format!("{mean:.4}")), "{score}: {}", said.text);
    }
    // Axes of their own for every factor: each code speaks of one alone.
    near("modularity", said.json["modularity"]["mean"].as_f64().unwrap(), 1.0, 1e-9);
    for (batch, given) in [(64, vec![("points", "100")]), (10, vec![("points", "100"), ("batch", "10")])] {
        let given: Vec<_> = given.into_iter().chain([("spaces", "1"), ("values", "3,3")]).collect();
        let said = call("disentanglement", &given).unwrap();
        assert_eq!((&said.json["points"], &said.json["batch"]), (&json!(100), &json!(batch)));
        assert!(said.text.contains(&format!("100 points in batches of {batch} with")), "{}", said.text);
    }
}

#[test]
fn errors_name_the_value_and_what_is_allowed() {
    for (command, given, words) in [
        ("language", vec![("speaker", "nobody")], vec!["`--speaker` is `nobody`", "`posdis`", "`random`"]),
        ("language", vec![("values", "5")], vec!["`--values` is `5`", "2 to 8 numbers from 2 to 16"]),
        ("language", vec![("values", "5,x")], vec!["`--values` is `5,x`", "such as `5,5,3`"]),
        ("language", vec![("values", "16,16,16,2")], vec!["8192 meanings", "at most 4096"]),
        ("language", vec![("vocabulary", "1")], vec!["`--vocabulary` is `1`", "2 to 200"]),
        ("language", vec![("vocabulary", "4")], vec!["`--vocabulary` is `4`", "at least 5"]),
        ("language", vec![("seed", "-1")], vec!["`--seed` is `-1`"]),
        ("disentanglement", vec![("values", "5,5,3")], vec!["`--values` is `5,5,3`", "the same for every dimension"]),
        ("disentanglement", vec![("samples", "65")], vec!["`--samples` is `65`", "1 to 64"]),
        ("disentanglement", vec![("points", "1")], vec!["`--points` is `1`", "2 to 1000000"]),
        ("disentanglement", vec![("spaces", "0")], vec!["`--spaces` is `0`", "1 to 100000"]),
        ("disentanglement", vec![("batch", "10")], vec!["`--batch` is `10`", "`--points`"]),
    ] {
        let error = call(command, &given).map(|_| ()).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{command}: {error}");
    }
}
