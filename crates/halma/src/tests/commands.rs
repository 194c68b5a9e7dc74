//! The subcommands, called as the command line calls them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heldout_core::{Call, CommandError, Host, MakeError, Playing, Said};
use serde_json::{Value, json};

use crate::FAMILY;
use crate::dynamic_tests::TestConfig;
use crate::experience::Experience;
use crate::kind::{EXPERIENCE_EPISODES, EXPLORER};
use crate::problems::TestSet;

/// A command line that writes files and counts.
#[derive(Default)]
struct Terminal {
    total: Option<u64>,
    ticks: u64,
    ended: bool,
}

impl Host for Terminal {
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
        Ok(std::fs::write(path, bytes)?)
    }

    fn begin(&mut self, total: u64, _: &'static str) {
        self.total = Some(total);
    }

    fn tick(&mut self) {
        self.ticks += 1;
    }

    fn end(&mut self) {
        self.ended = true;
    }

    fn play(&mut self, _: &Playing<'_>) -> Result<Vec<f32>, CommandError> {
        unreachable!("HALMA's commands play by themselves")
    }
}

/// Calls `halma NAME` with `--name value` pairs and config overrides.
fn call(name: &str, given: &[(&'static str, &str)], overrides: &Value, host: &mut Terminal) -> Result<Said, String> {
    let command = FAMILY.commands.iter().find(|c| c.path == ["halma", name]).unwrap();
    let mut values: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for argument in command.arguments {
        let told: Vec<String> =
            given.iter().filter(|(n, _)| *n == argument.name).map(|(_, value)| (*value).to_owned()).collect();
        let default = argument.default.filter(|_| told.is_empty()).map(str::to_owned);
        let all: Vec<String> = told.into_iter().chain(default).collect();
        if !all.is_empty() {
            values.insert(argument.name, all);
        }
    }
    assert!(given.iter().all(|(n, _)| values.contains_key(n)), "an argument is unknown");
    let find = |id: &str| FAMILY.entry(id).ok_or_else(|| MakeError::Unknown { id: id.to_owned(), nearest: Vec::new() });
    let overrides = overrides.as_object().unwrap().clone();
    (command.run)(&mut Call { values, overrides, find, host }).map_err(|e| e.to_string())
}

fn said(name: &str, given: &[(&'static str, &str)], overrides: &Value) -> Result<Said, String> {
    call(name, given, overrides, &mut Terminal::default())
}

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-halma-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the help shows as defaults is what the rules have.
#[test]
fn defaults_are_those_of_the_rules() {
    let default = |command: &str, name: &str| {
        let command = FAMILY.commands.iter().find(|c| c.path == ["halma", command]).unwrap();
        command.arguments.iter().find(|a| a.name == name).unwrap().default.unwrap().to_owned()
    };
    assert_eq!(default("experience", "policy"), EXPLORER);
    assert_eq!(default("experience", "episodes"), EXPERIENCE_EPISODES.to_string());
    let config = serde_json::to_value(TestConfig::default()).unwrap();
    for name in ["n-test-mazes", "th-s", "th-c", "th-a", "strict-novelty", "st1-max-count", "targets"] {
        assert_eq!(default("tests", name), config[name.replace('-', "_")].to_string(), "{name}");
    }
}

#[test]
fn experience_is_written_and_leads_to_tests() {
    let folder = Folder::new("commands");
    let (one, two, out) = (folder.file("one"), folder.file("two"), folder.file("tests"));
    let few = json!({"mazes": 10});
    let mut host = Terminal::default();
    let said_one = call("experience", &[("episodes", "40"), ("out", &one)], &few, &mut host).unwrap();
    assert_eq!((host.total, host.ticks, host.ended), (Some(40), 40, true));
    assert_eq!(
        said_one.json,
        json!({"id": "halma/symbolic-v1", "policy": "half", "episodes": 40, "seed": 0, "file": one})
    );
    said("experience", &[("episodes", "1"), ("seed", "5"), ("add", &one), ("out", &two)], &few).unwrap();
    let read = |path: &str| Experience::from_bytes(&std::fs::read(path).unwrap()).unwrap();
    let moves = |e: &Experience| e.visits.iter().map(|v| u64::from(v.count)).sum::<u64>();
    assert!(moves(&read(&two)) > moves(&read(&one)), "experience was added to");

    // A file of an earlier run would be taken for a test of this experience.
    std::fs::create_dir_all(&out).unwrap();
    let stale = Path::new(&out).join("AfT-4.json");
    std::fs::write(&stale, "{}").unwrap();
    let given =
        [("experience", one.as_str()), ("experience", &two), ("out", &out), ("n-test-mazes", "5"), ("seed", "3")];
    let tests = said("tests", &given, &json!({})).unwrap();
    assert_eq!(tests.json["seed"], 3);
    assert_eq!(tests.json["config"]["n_test_mazes"], 5);
    let mut made = 0;
    for (class, row) in tests.json["tests"].as_object().unwrap() {
        let path = Path::new(&out).join(format!("{class}.json"));
        if row["relations"].as_array().unwrap().is_empty() {
            assert_eq!((&row["file"], path.exists()), (&Value::Null, false), "{class}");
        } else {
            let set = TestSet::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!((set.problems.len(), &set.test), (5, class));
            assert_eq!(row["file"], path.display().to_string());
            assert!(tests.text.contains(&path.display().to_string()), "{}", tests.text);
            made += 1;
        }
    }
    assert!(made > 0 && tests.text.starts_with("known: "), "{}", tests.text);
    // Where nothing counts as known there is little to ask for.
    let none = said("tests", &[("experience", &one), ("out", &out), ("th-s", "4000000000")], &json!({})).unwrap();
    assert!(none.text.contains("known: 0 relations seen"), "{}", none.text);
    assert!(!Path::new(&out).join("ST-1.json").exists(), "what is no longer asked is removed");
}

#[test]
fn errors_name_the_value_and_what_is_allowed() {
    let folder = Folder::new("errors");
    let (missing, out) = (folder.file("missing"), folder.file("out"));
    let foreign = folder.file("foreign");
    std::fs::write(&foreign, "no experience").unwrap();
    let none = json!({});
    for (command, given, overrides, words) in [
        ("experience", vec![("id", "memory/none"), ("out", out.as_str())], &none, vec!["memory/none"]),
        ("experience", vec![("policy", "best"), ("episodes", "1"), ("out", &out)], &none, vec!["best", "oracle"]),
        (
            "experience",
            vec![("episodes", "many"), ("out", &out)],
            &none,
            vec!["`--episodes` is `many`", "0 to 10000000"],
        ),
        ("experience", vec![("add", &missing), ("out", &out)], &none, vec!["cannot read", &missing]),
        ("experience", vec![("add", &foreign), ("out", &out)], &none, vec!["not experience"]),
        ("experience", vec![], &none, vec!["`--out` must be given"]),
        ("tests", vec![("out", &out)], &none, vec!["no experience is named"]),
        ("tests", vec![("experience", &foreign), ("out", &out)], &none, vec![&foreign, "not experience"]),
        (
            "tests",
            vec![("experience", &foreign), ("out", &out), ("n-test-mazes", "0")],
            &none,
            vec!["`--n-test-mazes` is `0`", "1 to 10000"],
        ),
        ("concepts", vec![], &none, vec!["`--moves`", "`--maze`"]),
        ("concepts", vec![("moves", "10")], &none, vec!["`--moves` is `10`", "0 to 9"]),
        ("concepts", vec![("maze", "100")], &none, vec!["`--maze` is `100`", "0 to 99"]),
        ("concepts", vec![("maze", "0"), ("cell", "3")], &none, vec!["`--cell` is `3`", "`X,Y`, each 0 to 9"]),
        ("concepts", vec![("moves", "1"), ("cell", "a,b")], &none, vec!["`--cell` is `a,b`"]),
        ("stats", vec![("sets", "0")], &none, vec!["`--sets` is `0`", "1 to 1000"]),
        ("stats", vec![], &json!({"problems": "x.json"}), vec!["`problems` is `x.json`", "must be null"]),
        ("stats", vec![], &json!({"mazes": 0}), vec!["`mazes` is `0`", "1 to 10000"]),
    ] {
        let error = said(command, &given, overrides).map(|_| ()).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{command}: {error}");
    }
    assert!(!Path::new(&out).join("ST-1.json").exists());
    // A failed gathering shows no progress any more.
    let mut host = Terminal::default();
    call("experience", &[("policy", "best"), ("out", &out)], &none, &mut host).unwrap_err();
    assert!(host.ended);
}

#[test]
fn concepts_list_parses_and_relations() {
    let parses = said("concepts", &[("moves", "3")], &json!({})).unwrap();
    assert_eq!(parses.text, "3 moves by at most 5 primitives: 4 parses\n  3\n  1 2\n  2 1\n  1 1 1\n");
    assert_eq!(parses.json["lines"].as_array().unwrap().len(), 5);
    let fewer = said("concepts", &[("moves", "3")], &json!({"max_opt_len": 1})).unwrap();
    assert_eq!(fewer.text, "3 moves by at most 1 primitives: 1 parses\n  3\n");
    assert_eq!(said("concepts", &[("moves", "0")], &json!({})).unwrap().text.lines().nth(1), Some("  0"));
    // The start of a maze drawn by hand: a wall at 5 and a crossing at 3 to the left.
    let drawn = super::ProblemFile::of("concepts", vec![super::maze((5, 5), "LLLLL", &[((2, 5), "U")])]);
    let panel = said("concepts", &[("maze", "0")], &json!({"problems": drawn.path()})).unwrap().text;
    for line in [
        "path LLLLL from 5,5",
        "cell 5,5",
        "  L wall 5, crossing 3",
        "  goal -5 right, 0 up; hint -; 3 of 10 digits shown",
        "S, seen: (5,3|L)",
        "L2: A, consumed: -; C, caused: (5,3|L) (3,1|L)",
        "L3: A, consumed: 3L; C, caused: (5,2|L)",
        "L5: A, consumed: 5L; C, caused: -",
    ] {
        assert!(panel.lines().any(|l| l == line), "{line}\nis not in\n{panel}");
    }
    let there = said("concepts", &[("maze", "0"), ("cell", "2, 5")], &json!({"problems": drawn.path()})).unwrap();
    assert!(there.text.contains("cell 2,5\n") && there.text.contains("hint L"), "{}", there.text);
    let outside = said("concepts", &[("maze", "0"), ("cell", "9,9")], &json!({"problems": drawn.path()}));
    assert!(outside.unwrap_err().contains("`--cell` is `9,9`"));
}

#[test]
fn statistics_are_means_over_sets() {
    let mut host = Terminal::default();
    let said = call("stats", &[("sets", "2")], &json!({"mazes": 20}), &mut host).unwrap();
    assert_eq!((host.total, host.ticks, host.ended), (Some(2), 2, true));
    assert!(said.text.starts_with("2 sets of 20 mazes"), "{}", said.text);
    let Value::Object(rows) = &said.json["statistics"] else { panic!("{}", said.json) };
    let mean = |name: &str| rows[name]["mean"].as_f64().unwrap();
    let panels: f64 = (0..=10).map(|n| mean(&format!("panels with {n} digits"))).sum();
    assert!((panels - mean("panels")).abs() < 1e-9);
    assert!(mean("share of panels with 3 to 6 digits") > 0.8 && mean("digit 1") > mean("digit 5"));
    assert!(said.text.lines().count() == 1 + rows.len() + 1, "a line each, and the log-linearity");
    // Where a digit never occurs there is no logarithm.
    let one = call("stats", &[("sets", "1")], &json!({"mazes": 1}), &mut Terminal::default()).unwrap();
    assert_eq!(one.json["log_linearity"], Value::Null);
    assert!(one.text.trim_end().ends_with('-'), "{}", one.text);
}
