//! Trainings that are stopped, go on elsewhere, or are given more.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Folder, fails, heldout, stdout, tree};

const GRID: [&str; 12] = [
    "train",
    "ppo",
    "--env",
    "example/grid-v1",
    "--set",
    "copies=8",
    "--set",
    "rows=32",
    "--set",
    "evaluate_episodes=2",
    "--set",
    "save_every=256",
];

fn json(out: &str, file: &str) -> Value {
    serde_json::from_slice(&tree(out)[Path::new(file)]).unwrap()
}

#[cfg(unix)]
#[test]
fn agents_check_52_ctrl_c_saves_all_runs_that_are_trained_at_once() {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    let folder = Folder::new();
    let out = folder.path("out");
    // A terminal's Ctrl-C reaches every process of its group.
    let child = Command::new(env!("CARGO_BIN_EXE_heldout"))
        .args([&GRID[..], &["--out", &out, "--seeds", "2", "--jobs", "2", "--steps", "10000000"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let saved = |seed: u64| Path::new(&out).join(format!("seed-{seed}/state/learner.json")).exists();
    while !(saved(0) && saved(1)) {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("to go on:"), "{told}");
    // Each saved where it stood: the log ends there, and nobody holds the directories any more.
    for seed in ["seed-0", "seed-1"] {
        let kept = String::from_utf8(tree(&out)[&Path::new(seed).join("state/learner.json")].clone()).unwrap();
        let log = tree(&out)[&Path::new(seed).join("log.jsonl")].len();
        assert!(kept.contains(&format!("\"log\": {log}")), "{log}: {kept}");
    }
    stdout(&[&GRID[..], &["--out", &out, "--seeds", "2", "--steps", "1000", "--resume"]].concat());
}

#[test]
fn a_run_that_goes_on_elsewhere_says_so() {
    let folder = Folder::new();
    let out = folder.path("out");
    let words = |steps| [&GRID[..], &["--out", &out, "--steps", steps, "--resume"]].concat();
    stdout(&words("1000"));
    let path = Path::new(&out).join("seed-0/run.json");
    let begun = std::fs::read_to_string(&path).unwrap();
    let isa = json(&out, "seed-0/run.json")["backend"]["isa"].as_str().unwrap().to_owned();
    std::fs::write(&path, begun.replace(&format!("\"isa\": \"{isa}\""), "\"isa\": \"other\"")).unwrap();
    let output = heldout(&words("2000"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("was begun by") && told.contains("other"), "{told}");
    for file in ["run.json", "done.json"] {
        let others = json(&out, &format!("seed-0/{file}"))["also_computed_by"].clone();
        assert!(others[0].as_str().unwrap().ends_with(&isa) && others[1].is_null(), "{file}: {others}");
    }
    // It plays, and goes on again, told once.
    stdout(&["run", "example/grid-v1", "--policy", &out, "--episodes", "2"]);
    stdout(&words("3000"));
    assert_eq!(json(&out, "seed-0/run.json")["also_computed_by"].as_array().unwrap().len(), 1);
    // One that goes on where it was begun says nothing.
    std::fs::remove_dir_all(&out).unwrap();
    stdout(&words("1000"));
    let output = heldout(&words("2000"));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("begun by"));
    assert_eq!(json(&out, "seed-0/run.json").get("also_computed_by"), None);
}

#[test]
fn more_episodes_are_gone_on_with_and_scores_outlive_a_stop() {
    let folder = Folder::new();
    let out = folder.path("out");
    let words = |episodes| [&GRID[..], &["--out", &out, "--episodes", episodes, "--resume"]].concat();
    stdout(&words("30"));
    let done = json(&out, "seed-0/done.json");
    assert!(done["scores"]["train"].is_number(), "{done}");
    assert!(stdout(&words("30")).contains("done"));
    stdout(&words("200"));
    assert!(json(&out, "seed-0/done.json")["counters"]["episodes"].as_u64().unwrap() >= 200);
    // As if it had been killed between its last save and the file that says it is done.
    let done = json(&out, "seed-0/done.json");
    std::fs::remove_file(Path::new(&out).join("seed-0/done.json")).unwrap();
    stdout(&words("200"));
    assert_eq!(json(&out, "seed-0/done.json")["scores"], done["scores"]);
}

#[test]
fn what_training_has_is_the_first_of_the_splits() {
    let folder = Folder::new();
    let out = folder.path("out");
    let words = |id, more: &[&'static str]| {
        let all =
            ["train", "ppo", "--env", id, "--out", &out, "--steps", "300", "--set", "copies=8", "--set", "rows=32"];
        [&all[..], &["--set", "evaluate_episodes=1"], more].concat()
    };
    for (id, split) in [("s2b/recall-v1", "all"), ("s2b/listener-v1", "combinatorial2"), ("example/grid-v1", "train")] {
        stdout(&words(id, &[]));
        assert_eq!(json(&out, "seed-0/run.json")["env"]["split"], split, "{id}");
        std::fs::remove_dir_all(&out).unwrap();
    }
    for (id, set, split) in [
        ("s2b/recall-v1", "env.split=query", "all"),
        ("s2b/listener-v1", "env.split=combinatorial2_shuffled", "combinatorial2"),
    ] {
        let told = format!("is not what training has (`\"{split}\"`)");
        fails(&heldout(&words(id, &["--set", set])), 2, &[&told, "allow_held_out"]);
    }
}
