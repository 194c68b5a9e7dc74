//! The command line as people use it: what it prints, where, and with which exit code.

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

/// Fails with exit code 2, nothing on standard output, and one line that holds each of `parts`.
fn refused(arguments: &[&str], parts: &[&str]) {
    let output = heldout(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{arguments:?} does not say `{part}`: {errors}");
    }
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("heldout-cli-{}-{name}", std::process::id()))
}

#[test]
fn list_shows_every_id_with_splits_and_policies() {
    let text = stdout(&["list"]);
    let list = json(&["list", "--json"]);
    for entry in list.as_array().unwrap() {
        assert!(text.contains(entry["id"].as_str().unwrap()));
        assert!(entry["policies"].as_array().unwrap().iter().any(|p| p == "random"));
    }
    let grid = list.as_array().unwrap().iter().find(|e| e["id"] == "example/grid-v1").unwrap();
    assert_eq!(grid["splits"]["split"], serde_json::json!(["train", "heldout"]));
    assert_eq!(grid["policies"], serde_json::json!(["oracle", "greedy", "random"]));
    assert!(text.contains("split: train, heldout") && text.contains("policies: oracle, greedy, random"));
}

#[test]
fn info_is_the_card() {
    assert!(stdout(&["info", "example/grid-v1"]).starts_with("# example/grid-v1\n"));
    let info = json(&["info", "example/signal-v1", "--json"]);
    assert_eq!(info["config"]["doors"], 3);
    assert_eq!(info["spec"]["agents"][1]["name"], "walker");
}

#[test]
fn run_prints_one_object() {
    let arguments = ["run", "example/grid-v1", "--policy", "oracle", "--episodes", "50", "--seed", "7", "--json"];
    let run = json(&arguments);
    let keys: Vec<_> = run.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "version", "policy", "episodes", "seed", "config", "sources", "metrics"]);
    assert_eq!(run["id"], "example/grid-v1");
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(run["episodes"], 50);
    assert_eq!(run["seed"], 7);
    assert_eq!(run["config"]["split"], "train");
    let success = |run: &Value, key: &str| run["metrics"]["success"][key].as_f64().unwrap();
    assert_eq!((success(&run, "mean"), success(&run, "high")), (1.0, 1.0));
    // Wilson's interval of 50 of 50, were all levels different ones; some came twice.
    assert!((0.85..0.928).contains(&success(&run, "low")), "{}", success(&run, "low"));
    let all =
        json(&["run", "example/grid-v1", "--policy", "oracle", "--episodes", "all", "--set", "levels=50", "--json"]);
    assert!((success(&all, "low") - 0.928_652).abs() < 1e-6, "{}", success(&all, "low"));
    let (length, bounds) = (&run["metrics"]["length"], |k: &str| run["metrics"]["return"][k].as_f64().unwrap());
    assert!(bounds("low") < bounds("mean") && bounds("mean") < bounds("high"));
    assert!(length["mean"].as_f64().unwrap() >= 1.0);
    // Same seed, same bytes, whatever the threads; another seed, other bytes.
    let again = |more: &[&str]| stdout(&[&arguments[..], more].concat());
    assert_eq!(again(&["--threads", "1"]), again(&["--threads", "3"]));
    assert_ne!(again(&[]), stdout(&["run", "example/grid-v1", "--policy", "oracle", "--episodes", "50", "--json"]));
}

#[test]
fn run_plays_a_finite_set_exhaustively() {
    let run = json(&["run", "example/grid-v1", "--episodes", "all", "--set", "levels=17", "--json"]);
    assert_eq!(run["episodes"], 17);
    refused(&["run", "example/signal-v1", "--episodes", "all"], &["example/signal-v1", "no finite problem set"]);
}

#[test]
fn run_in_words() {
    let text = stdout(&["run", "example/signal-v1", "--policy", "guide=oracle,walker=oracle", "--episodes", "1"]);
    assert!(text.starts_with("example/signal-v1 "), "{text}");
    assert!(text.contains("accuracy") && text.contains("unknown from one episode"), "{text}");
}

#[test]
fn settings_take_toml_values_strings_and_presets() {
    let config = |set: &[&str]| {
        let mut arguments = vec!["run", "example/grid-v1", "--episodes", "1", "--json"];
        for setting in set {
            arguments.extend(["--set", setting]);
        }
        json(&arguments)["config"].clone()
    };
    assert_eq!(config(&["split=heldout"])["split"], "heldout");
    assert_eq!(config(&["split=\"heldout\""])["split"], "heldout");
    let slippery = config(&["slip=0.25", "preset=slippery"]);
    assert_eq!((slippery["slip"].as_f64(), slippery["max_steps"].as_u64()), (Some(0.25), Some(100)));
    assert_eq!(config(&["image=true"])["image"], true);
}

#[test]
fn bad_input_is_named() {
    refused(&["run", "example/gird-v1"], &["`example/gird-v1`", "`example/grid-v1`"]);
    refused(&["info", "grid"], &["`example/grid-v1`"]);
    refused(&["bench", "nothing/at-all-v9"], &["nearest"]);
    let run = |more: &[&'static str]| [&["run", "example/grid-v1"], more].concat();
    refused(&run(&["--policy", "best"]), &["`best`", "`oracle`", "`greedy`", "`random`"]);
    refused(&run(&["--set", "lvels=3"]), &["lvels", "levels"]);
    refused(&run(&["--set", "levels=many"]), &["levels", "many"]);
    refused(&run(&["--set", "levels=0"]), &["`levels` is `0`", "1 to 65536"]);
    refused(&run(&["--set", "slip=nan"]), &["slip=nan", "is not a finite number"]);
    refused(&run(&["--set", "levels"]), &["`--set levels`", "key=value"]);
    refused(&run(&["--set", "a..b=1"]), &["`a..b` is not a key"]);
    refused(&run(&["--set", "preset=icy"]), &["`icy`", "`slippery`"]);
    refused(&run(&["--set", "split=test"]), &["test", "train", "heldout"]);
    refused(&run(&["--episodes", "0"]), &["0", "from 1"]);
    refused(&run(&["--episodes", "few"]), &["few"]);
    refused(&run(&["--episodes", "10000000000"]), &["10000000000", "1 to 10000000"]);
    refused(&run(&["--set", "levels=1979-05-27"]), &["levels", "1979-05-27"]);
    refused(&run(&["--set", "levels=[1.0, inf]"]), &["`inf` is not a finite number"]);
    refused(&run(&["--policy", ""]), &["``", "`oracle`"]);
    refused(&run(&["--policy", "agent=oracle=best"]), &["`oracle=best`"]);
    refused(&run(&["--seed", "-1"]), &["-1"]);
    refused(&run(&["--threads", "0"]), &["`threads` is `0`"]);
    refused(&["bench", "example/grid-v1", "--seconds", "0"], &["`--seconds` is `0`"]);
    refused(&["bench", "example/grid-v1", "--envs", "0"], &["`envs` is `0`"]);
    let image = ["bench", "example/grid-v1", "--envs", "1048576", "--set", "image=true"];
    refused(&image, &["`--envs 1048576`", "4294967296"]);
    refused(&["dance"], &["dance"]);
}

#[test]
fn render_makes_pictures_and_films() {
    let path = temporary("frame.png");
    let shown = path.to_str().unwrap();
    stdout(&["render", "example/grid-v1", "--out", shown, "--set", "image=true", "--steps", "2"]);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    // Width and height: the agent's picture enlarged twice beside the one for people, under titles.
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((word(16), word(20)), (2 * 84 + 224 + 18, 240 + 14 + 12));
    std::fs::remove_file(&path).unwrap();

    let path = temporary("film.gif");
    let shown = path.to_str().unwrap();
    let film = |policy: &str| {
        stdout(&["render", "example/signal-v1", "--out", shown, "--policy", policy, "--agent", "walker"]);
        std::fs::read(&path).unwrap()
    };
    let bytes = film("oracle");
    assert_eq!(&bytes[..6], b"GIF89a");
    assert_eq!(bytes, film("oracle"), "the same episode gives the same bytes");
    assert_ne!(bytes, film("random"));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn render_refuses_what_it_cannot_write() {
    let render = |out: &str, more: &[&str], parts: &[&str]| {
        refused(&[&["render", "example/grid-v1", "--out", out], more].concat(), parts);
    };
    render("x.jpg", &[], &["`--out x.jpg`", "`.png` or `.gif`"]);
    let missing = temporary("missing");
    render(missing.join("x.png").to_str().unwrap(), &[], &["cannot write", "missing"]);
    assert!(!missing.exists());
    render("x.png", &["--view", "agent"], &["no picture in its observation"]);
    render("x.png", &["--problem", "64"], &["no problem 64", "0 to 63"]);
    render("x.png", &["--agent", "nobody"], &["`nobody`", "agent"]);
    assert!(!PathBuf::from("x.png").exists());
}

#[test]
fn bench_prints_a_list() {
    let arguments = ["bench", "example/signal-v1", "--seconds", "0.05", "--envs", "8", "--threads", "2", "--json"];
    let list = json(&arguments);
    let row = list[0].as_object().unwrap();
    let keys: Vec<_> = row.keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "policy", "envs", "threads", "steps_per_second", "steps_per_cpu_second"]);
    assert!(row["steps_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!((row["envs"].as_u64(), row["threads"].as_u64()), (Some(8), Some(2)));
    assert!(stdout(&["bench", "example/grid-v1", "--seconds", "0.05", "--envs", "4"]).contains("example/grid-v1"));
}

#[test]
fn s2b_measures_languages_and_stimuli() {
    let posdis = json(&["s2b", "language", "--speaker", "posdis", "--values", "5,5,5", "--values", "2,3,5", "--json"]);
    let near = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < 1e-3, "{value}, must be {expected}");
    };
    near(&posdis["languages"][0]["posdis"], 1.0);
    near(&posdis["languages"][0]["topsim"], 0.9421);
    near(&posdis["languages"][1]["bosdis"], 0.4519);
    let bag = json(&["s2b", "language", "--speaker", "bag-of-symbols", "--json"]);
    near(&bag["languages"][0]["bosdis"], 1.0);
    let full = json(&["s2b", "disentanglement", "--spaces", "5", "--json"]);
    near(&full["factor_vae"]["mean"], 1.0);
    let fixed = &["s2b", "disentanglement", "--samples", "1", "--points", "128", "--batch", "128", "--json"];
    near(&json(fixed)["modularity"]["mean"], 0.666);
    assert!(stdout(&["s2b", "language"]).contains("topsim"));
    refused(&["s2b", "language", "--speaker", "loud"], &["`posdis`", "loud"]);
    refused(&["s2b", "language", "--values", "5,99"], &["2 to 16"]);
    refused(&["s2b", "language", "--speaker", "bag-of-symbols", "--vocabulary", "6"], &["at least 15"]);
}
