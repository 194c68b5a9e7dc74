//! `heldout train`, and playing by what it leaves behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heldout_agents::nn::{Device, Init, Params};
use heldout_agents::parts::checkpoint::{About, about, pack};
use heldout_agents::parts::collect::Problems;
use heldout_agents::{AGENTS, Agent, Profile};
use heldout_core::{Options, Seed};
use heldout_envs::find;
use serde_json::{Map, Value};

use crate::common::{Folder, SHORT, begin, fails, heldout, protocol, set, state, stdout, tree};

/// Enough blocks for several saves, few enough for a test.
const SMALL: [&str; 8] = ["--steps", "6000", "--set", "copies=8", "--set", "rows=32", "--set", "evaluate_episodes=4"];

fn train<'a>(agent: &'a str, place: [&'a str; 2], out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["train", agent], &place[..], &["--out", out], &SMALL, more].concat()
}

/// All files but those that tell the time.
fn timeless(out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = tree(out);
    files.retain(|path, _| !path.starts_with("seed-0/events") && !path.to_string_lossy().contains("events"));
    for (path, bytes) in &mut files {
        if path.ends_with("done.json") || path.ends_with("learner.json") {
            let text = String::from_utf8(bytes.clone()).unwrap();
            // Seconds, the bytes of the events, and the checksum over them.
            let told = |line: &&str| !["_seconds\"", "\"events\""].iter().any(|w| line.contains(w)) && line.len() != 64;
            *bytes = text.lines().filter(told).collect::<Vec<_>>().join("\n").into_bytes();
        }
    }
    files
}

fn same(found: &BTreeMap<PathBuf, Vec<u8>>, expected: &BTreeMap<PathBuf, Vec<u8>>) {
    let names = found.keys().chain(expected.keys());
    let differ: Vec<_> = names.filter(|name| found.get(*name) != expected.get(*name)).collect();
    assert!(differ.is_empty(), "{differ:?} differ");
}

#[test]
fn agents_check_47_one_run_whatever_the_threads_and_the_jobs() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let outs = ["a", "b", "c"].map(|name| folder.path(name));
    let more: [&[&str]; 3] = [&["--threads", "1"], &["--threads", "2"], &["--jobs", "2"]];
    for (out, more) in outs.iter().zip(more) {
        // Minibatches that are large enough for products to be spread over threads.
        let large = ["--seeds", "2", "--set", "rows=128", "--set", "minibatches=2"];
        stdout(&train("ppo-lstm", ["--protocol", &short], out, &[&large, more].concat()));
    }
    let expected = timeless(&outs[0]);
    assert!(
        expected.keys().any(|path| path.ends_with("grid/seed-1/state/learner.safetensors")),
        "{:?}",
        expected.keys()
    );
    same(&timeless(&outs[1]), &expected);
    same(&timeless(&outs[2]), &expected);
    let [one, other] = [0, 1].map(|seed| &expected[Path::new(&format!("grid/seed-{seed}/policy.safetensors"))]);
    assert!(one != other, "two seeds learn two things");
    let curves = String::from_utf8(expected[Path::new("curves.jsonl")].clone()).unwrap();
    let line: Value = serde_json::from_str(curves.lines().next().unwrap()).unwrap();
    assert_eq!((&line["agent"], &line["task"], &line["seed"]), (&"PPO+LSTM".into(), &"grid".into(), &0.into()));
    assert!(line["train"].is_number() && line["test"].is_number(), "{line}");
}

#[cfg(unix)]
#[test]
fn agents_check_48_52_a_run_that_was_killed_or_stopped_is_the_run_that_was_left_alone() {
    let folder = Folder::new();
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let place = ["--env", "example/grid-v1"];
    let more = ["--set", "save_every=500"];
    stdout(&train("ppo", place, &whole, &more));
    let expected = timeless(&whole);
    for signal in ["-KILL", "-INT"] {
        let arguments = train("ppo", place, &part, &more);
        let child = begin(&arguments);
        while !Path::new(&part).join("seed-0/state/learner.json").exists() {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        if signal == "-INT" && !Path::new(&part).join("seed-0/done.json").exists() {
            assert_eq!(output.status.code(), Some(0));
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(told.contains("to go on:") && told.contains("--resume"), "{told}");
        }
        stdout(&[&arguments[..], &["--resume"]].concat());
        same(&timeless(&part), &expected);
        std::fs::remove_dir_all(&part).unwrap();
    }
    let told = stdout(&[&train("ppo", place, &whole, &more)[..], &["--resume"]].concat());
    assert!(told.contains("seed 0: done"), "{told}");
    same(&timeless(&whole), &expected);
}

/// What a run of at least thirty updates leaves behind: the same by one thread and by two, and if it was killed after
/// its first save, which comes with some thirteen, and went on.
fn one_run(words: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = Folder::new();
    let outs = ["one", "two", "part"].map(|name| folder.path(name));
    let train = |out: &str, threads: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heldout"));
        command.args(words).args(["--out", out]).args(more).env("RAYON_NUM_THREADS", threads);
        command
    };
    let finish = |mut command: Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    finish(train(&outs[0], "1", &[]));
    finish(train(&outs[1], "2", &[]));
    let expected = timeless(&outs[0]);
    same(&timeless(&outs[1]), &expected);
    let log = String::from_utf8(expected[Path::new("seed-0/log.jsonl")].clone()).unwrap();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert!(last["updates"].as_u64().unwrap() >= 30, "{last}");

    let mut child = train(&outs[2], "1", &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let saved = Path::new(&outs[2]).join("seed-0/state/learner.json");
    while !saved.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, kept) = state(&outs[2]);
    assert!(kept["counters"]["updates"].as_u64().unwrap() >= 12, "{kept}");
    finish(train(&outs[2], "2", &["--resume"]));
    same(&timeless(&outs[2]), &expected);
    expected
}

#[test]
fn agents_check_46_47_48_the_agent_of_lilgym_is_one_run_with_what_selection_keeps() {
    // Six updates a block, and a look at every block.
    let keys = ["copies=8", "rows=12", "minibatches=3", "epochs=2", "save_every=100", "evaluate_every=150"];
    let looks = ["selection=0.01", "selection_every=1", "selection_metric=return", "play=sample"];
    let words = ["train", "ppo-sf", "--env", "lilgym/tower-scratch-v1", "--steps", "300"];
    let words = [&words[..], &set(&keys), &set(&looks), &set(&["evaluate_episodes=2"])].concat();
    let files = one_run(&words);
    for name in ["best.safetensors", "vocabulary.json", "state/learner.safetensors"] {
        assert!(files.contains_key(&Path::new("seed-0").join(name)), "{name}: {:?}", files.keys());
    }
}

#[test]
fn agents_check_46_47_48_what_is_learnt_from_pictures_is_one_run() {
    // Some forty pictures an update, which convolutions take in groups of eight.
    let seen = ["env.observation=pixels", "env.trials=1", "evaluate_episodes=1", "evaluate_every=600"];
    let keys = ["copies=8", "rows=5", "minibatches=1", "epochs=1", "save_every=500"];
    let words = ["train", "ppo", "--env", "memory/spot-diff-mini-v1", "--steps", "1200"];
    let files = one_run(&[&words[..], &set(&seen), &set(&keys)].concat());
    let run: Value = serde_json::from_slice(&files[Path::new("seed-0/run.json")]).unwrap();
    assert_eq!(run["shown"]["observation"][0]["name"], "pixels");
}

#[test]
fn agents_check_46_47_48_recurrent_replay_is_one_run_alone_and_with_two() {
    // Some 500 steps a block: the first save comes with the second of them.
    let keys = ["copies=8", "train_every=32", "replay_min=200", "replay=4000", "batch=4"];
    let looks = ["save_every=600", "evaluate_every=1000", "evaluate_episodes=1"];
    let space = ["env.min_values=2", "env.max_values=2", "env.vocabulary=3", "env.samples=1", "env.shots=1"];
    for (agent, id) in [("r2d2-lstm-rec", "s2b/listener-v1"), ("r2d2-lstm", "s2b/game-v1")] {
        let words = ["train", agent, "--env", id, "--steps", "1400"];
        let files = one_run(&[&words[..], &set(&keys), &set(&looks), &set(&space)].concat());
        assert!(files.contains_key(Path::new("seed-0/state/rows.bin")), "{:?}", files.keys());
    }
}

#[test]
fn agents_check_46_47_48_the_memory_recall_agent_is_one_run_whatever_the_threads_the_jobs_and_the_kills() {
    // 160 steps an update, of which the first two hundred are remembered.
    let keys = ["copies=8", "rows=20", "slots=200", "save_every=2000", "evaluate_every=3000", "evaluate_episodes=1"];
    let id = "memory/arbitrary-visuomotor-mapping-mini-v1";
    let words = ["train", "impala-mra", "--env", id, "--steps", "4960"];
    let files = one_run(&[&words[..], &set(&keys)].concat());
    assert!(files.contains_key(Path::new("seed-0/state/rows.bin")), "{:?}", files.keys());

    let folder = Folder::new();
    let outs = ["one", "jobs"].map(|name| folder.path(name));
    for (out, more) in outs.iter().zip([["--threads", "1"], ["--jobs", "2"]]) {
        let words = ["train", "impala-mra", "--env", id, "--steps", "640", "--seeds", "2", "--out", out];
        stdout(&[&words[..], &set(&keys), &more].concat());
    }
    let expected = timeless(&outs[0]);
    same(&timeless(&outs[1]), &expected);
    let [one, other] = [0, 1].map(|seed| &expected[Path::new(&format!("seed-{seed}/policy.safetensors"))]);
    assert!(one != other, "two seeds learn two things");
}

#[test]
fn agents_check_52_what_is_asked_for_wrongly_is_named() {
    let folder = Folder::new();
    let (out, short) = (folder.path("out"), protocol(&folder, "short.toml", SHORT));
    let grid = ["--env", "example/grid-v1"];
    let refused = |arguments: &[&str], parts: &[&str]| {
        fails(&heldout(arguments), 2, parts);
        assert!(!Path::new(&out).exists(), "{arguments:?} wrote something");
    };
    refused(&train("pqo", grid, &out, &[]), &["no agent `pqo`", "`ppo-lstm`"]);
    refused(&train("ppo", grid, &out, &["--set", "learning_rate=1"]), &["`learning_rate` is no key", "nearest"]);
    refused(&train("ppo", grid, &out, &["--set", "copies=zero"]), &["`copies` is `\"zero\"`"]);
    refused(&train("ppo", grid, &out, &["--set", "gamma=1.5"]), &["`gamma` is 1.5, must be 0 to 1"]);
    refused(&train("ppo", grid, &out, &["--set", "minibatches=100000"]), &["`minibatches` is 100000"]);
    refused(&train("ppo", grid, &out, &["--set", "env.sise=7"]), &["sise"]);
    refused(&train("ppo", grid, &out, &["--set", "env.split=heldout"]), &["`env.split`", "allow_held_out"]);
    let maze = ["--env", "halma/symbolic-v1"];
    let untold = train("td3-effect", maze, &out, &["--set", "env.experience=false"]);
    refused(&untold, &["`env.experience` is false, must be true"]);
    refused(&train("ppo", ["--env", "example/signal-v1"], &out, &[]), &["one agent"]);
    refused(&train("ppo-sf", grid, &out, &[]), &["`ppo-sf` learns lilgym"]);
    refused(&train("ppo", ["--protocol", &short], &out, &["--task", "gird"]), &["no task `gird`", "`grid`"]);
    refused(&train("ppo", grid, &out, &["--stop-at", "return"]), &["METRIC>=NUMBER"]);
    refused(&train("ppo", grid, &out, &["--stop-at", "sucess>=1"]), &["`sucess`", "`success`"]);
    refused(&train("ppo", grid, &out, &["--stop-at", "bumped>=0"]), &["`bumped`", "metrics of episodes"]);
    refused(&train("ppo", grid, &out, &["--set", "selection=0.1", "--set", "selection_metric=won"]), &["`won`"]);
    let one = ["--set", "selection=0.1", "--set", "env.levels=1"];
    refused(&train("ppo", grid, &out, &one), &["`selection` is 0.1", "no two problems"]);
    let tower = ["--env", "lilgym/tower-scratch-v1"];
    refused(&train("ppo-sf", tower, &out, &["--set", "lstm=true"]), &["`lstm`", "no memory"]);
    refused(&["train", "ppo", "--out", &out], &["--protocol", "--env"]);
}

#[test]
fn agents_check_52_budgets_and_runs_that_are_there() {
    let folder = Folder::new();
    let out = folder.path("out");
    let grid = ["--env", "example/grid-v1"];
    stdout(&train("ppo", grid, &out, &["--set", "env.split=heldout", "--set", "allow_held_out=true"]));
    let run: Value = serde_json::from_slice(&tree(&out)[Path::new("seed-0/run.json")]).unwrap();
    assert_eq!((&run["config"]["allow_held_out"], &run["env"]["split"]), (&true.into(), &"heldout".into()));
    let short = protocol(&folder, "short.toml", SHORT);
    let scores = folder.path("scores");
    stdout(&["eval", &short, "--policy", &out, "--out", &scores, "--episodes", "2"]);
    let told = tree(&scores).into_iter().filter(|(path, _)| path.starts_with("records"));
    let told: Vec<String> = told.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    assert!(!told.is_empty() && told.iter().all(|text| text.contains("held-out problems allowed in training")));
    let curves = String::from_utf8(tree(&out)[Path::new("curves.jsonl")].clone()).unwrap();
    assert!(curves.lines().all(|line| line.contains("\"train\":")), "{curves}");
    fails(&heldout(&train("ppo", grid, &out, &[])), 2, &["holds a run", "--resume"]);
    fails(&heldout(&train("ppo", grid, &out, &["--resume"])), 2, &["begun with", "env.split"]);

    // Enough is enough, and a budget that grows is gone on with.
    let out = folder.path("early");
    stdout(&train("ppo", grid, &out, &["--stop-at", "length>=1"]));
    let done: Value = serde_json::from_slice(&tree(&out)[Path::new("seed-0/done.json")]).unwrap();
    assert_eq!(done["end"], "stop_at");
    assert!(done["counters"]["env_steps"].as_u64().unwrap() < 6_000);
    let out = folder.path("longer");
    let told = |steps: &str| {
        let arguments = [&train("ppo", grid, &out, &[])[..], &["--resume", "--steps", steps]].concat();
        // The later of two budgets holds.
        let arguments: Vec<&str> = arguments.iter().copied().filter(|word| *word != "6000").collect();
        let first = arguments.iter().position(|word| *word == "--steps").unwrap();
        stdout(&[&arguments[..first], &arguments[first + 1..]].concat())
    };
    assert!(told("2000").contains("steps"));
    assert!(told("2000").contains("done"));
    let points = || String::from_utf8(tree(&out)[Path::new("seed-0/log.jsonl")].clone()).unwrap().lines().count();
    let before = points();
    assert!(told("9000").contains("steps"), "it goes on");
    assert!(points() > 2 * before);
    // What was begun with another budget still plays, and was saved on the way.
    stdout(&["run", "example/grid-v1", "--policy", &out, "--episodes", "2"]);

    // Episodes are a budget as well, over which the learning rate falls.
    let out = folder.path("episodes");
    let words = train("ppo", grid, &out, &["--episodes", "30"]);
    let words: Vec<&str> = words.into_iter().filter(|word| !["--steps", "6000"].contains(word)).collect();
    stdout(&words);
    let log = String::from_utf8(tree(&out)[Path::new("seed-0/log.jsonl")].clone()).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rate = |line: &Value| line["train/lr"].as_f64().unwrap();
    assert_eq!(rate(&lines[0]), 1e-3, "the first block learns at the full rate");
    assert!(lines.windows(2).all(|two| rate(&two[1]) <= rate(&two[0])) && rate(lines.last().unwrap()) > 0.0);
    assert!(lines.last().unwrap()["episodes"].as_u64().unwrap() >= 30);
}

#[test]
fn curves_of_runs_before_are_kept_and_an_agent_is_shown_what_it_asks_for_while_it_learns() {
    let folder = Folder::new();
    let (out, short) = (folder.path("out"), protocol(&folder, "short.toml", SHORT));
    for seed in ["0", "1"] {
        stdout(&train("ppo", ["--protocol", &short], &out, &["--seed", seed]));
    }
    let curves = String::from_utf8(tree(&out)[Path::new("curves.jsonl")].clone()).unwrap();
    for seed in ["\"seed\":0", "\"seed\":1"] {
        assert!(curves.contains(seed), "{curves}");
    }
    // The protocol shows objects; a view goes before it, as in an evaluation.
    let objects = SHORT
        .replace("example/grid-v1", "lilgym/tower-scratch-v1")
        .replace("split = \"heldout\"", "split = \"dev\", observation = \"objects\"");
    let path = protocol(&folder, "pictures.toml", &objects);
    let out = folder.path("pictures");
    let more = ["--set", "env.observation=image", "--set", "minibatches=2", "--set", "epochs=1"];
    stdout(
        &[
            &["train", "ppo-lilgym", "--protocol", &path, "--out", &out, "--steps", "64"][..],
            &more,
            &["--set", "copies=4", "--set", "rows=8", "--set", "evaluate_episodes=2", "--set", "selection_every=1"],
        ]
        .concat(),
    );
    assert!(Path::new(&out).join("grid/seed-0/best.safetensors").is_file());
    let shown = stdout(&["eval", &path, "--policy", &out, "--out", &folder.path("scores"), "--episodes", "4"]);
    assert!(shown.contains("PPO scratch"), "{shown}");
}

#[test]
fn agents_check_50_a_checkpoint_plays_wherever_a_policy_does() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    stdout(&train("ppo", ["--protocol", &short], &out, &["--seeds", "2"]));
    let policies = [out.clone(), format!("{out}/grid"), format!("{out}/grid/seed-1")];
    let text = stdout(&["run", "example/grid-v1", "--policy", &policies[2], "--episodes", "5"]);
    assert!(text.contains("policy ppo, 5 episodes"), "{text}");
    stdout(&["render", "example/grid-v1", "--policy", &policies[0], "--out", &folder.path("film.gif")]);

    let evals = ["one", "two", "resumed"].map(|name| folder.path(name));
    let eval = |out: &str, more: &[&str]| {
        stdout(&[&["eval", &short, "--policy", &policies[0], "--out", out][..], more].concat())
    };
    let shown = eval(&evals[0], &["--threads", "1"]);
    assert!(shown.contains("PPO") && shown.contains("test (held out)"), "{shown}");
    eval(&evals[1], &["--threads", "2"]);
    eval(&evals[2], &["--seeds", "1"]);
    eval(&evals[2], &["--resume", "--seeds", "2"]);
    let records = |out: &str| {
        let mut files = tree(out);
        files.retain(|path, _| path.extension().is_some_and(|e| e == "jsonl"));
        files
    };
    let expected = records(&evals[0]);
    assert!(!expected.is_empty() && records(&evals[1]) == expected && records(&evals[2]) == expected);
    for (path, bytes) in &expected {
        let text = String::from_utf8_lossy(bytes);
        let who = if path.starts_with("records") { ["ppo sha256:", "flex "] } else { ["\"PPO\"", "\"grid\""] };
        assert!(who.iter().all(|part| text.contains(part)), "{}", text.lines().next().unwrap());
        assert!(!text.contains(&folder.0.display().to_string()), "records and curves hold no paths");
    }
    assert!(expected.contains_key(Path::new("curves.jsonl")), "{:?}", expected.keys());
    // It was not trained on this, which is no failure where others play it.
    let other = SHORT
        .replace("example/grid-v1", "memory/spot-diff-mini-v1")
        .replace("split = \"heldout\"", "level = \"train\"");
    let other = protocol(&folder, "other.toml", &other.replace("metric = \"success\"", "metric = \"return\""));
    let output =
        heldout(&["eval", &other, "--policy", &policies[0], "--policy", "random", "--out", &folder.path("other")]);
    let [text, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success() && !text.contains("PPO") && text.contains("random"), "{text}");
    assert!(told.contains("none of the tasks that are asked is for `PPO`"), "{told}");
}

#[test]
fn agents_check_36_what_is_damaged_or_foreign_is_refused_by_name() {
    let folder = Folder::new();
    let out = folder.path("out");
    stdout(&train("ppo", ["--env", "example/grid-v1"], &out, &[]));
    let dir = Path::new(&out).join("seed-0");
    let play = || heldout(&["run", "example/grid-v1", "--policy", &out, "--episodes", "1"]);
    let weights = std::fs::read(dir.join("policy.safetensors")).unwrap();
    let run = std::fs::read_to_string(dir.join("run.json")).unwrap();
    let with = |name: &str, bytes: &[u8], parts: &[&str]| {
        let before = std::fs::read(dir.join(name)).unwrap();
        std::fs::write(dir.join(name), bytes).unwrap();
        fails(&play(), 2, &[&[name][..], parts].concat());
        std::fs::write(dir.join(name), before).unwrap();
    };
    let mut flipped = weights.clone();
    *flipped.last_mut().unwrap() ^= 1;
    with("policy.safetensors", &flipped, &["checksum"]);
    with("policy.safetensors", &weights[..weights.len() / 2], &["cut short"]);
    with("policy.safetensors", b"no weights at all", &["no safetensors file"]);
    with("run.json", run.replace("heldout-run 1", "heldout-run 9").as_bytes(), &["`format` is `heldout-run 9`"]);
    with("run.json", run.replace("\"ppo\"", "\"pqo\"").as_bytes(), &["`agent` is `pqo`", "`ppo-lstm`"]);
    let other = run.replace("\"lstm\": false", "\"lstm\": true");
    fails(&with_run(&dir, &other, play), 2, &["policy.safetensors", "another run"]);
    assert!(play().status.success(), "all is as it was");
    fails(&heldout(&["run", "example/signal-v1", "--policy", &out]), 2, &["trained on `example/grid-v1`"]);
    let pictures = heldout(&["run", "example/grid-v1", "--set", "image=true", "--policy", &out, "--episodes", "1"]);
    fails(&pictures, 2, &["`ppo` learnt `example/grid-v1`", "observation field `image` was not there in training"]);
    std::fs::remove_file(dir.join("policy.safetensors")).unwrap();
    fails(&play(), 2, &["policy.safetensors", "nothing was saved"]);
    let empty = folder.path("empty");
    std::fs::create_dir(&empty).unwrap();
    fails(&heldout(&["run", "example/grid-v1", "--policy", &empty]), 2, &["holds no run"]);

    // A state that cannot be gone on from is left as it is.
    let state = dir.join("state/rows.bin");
    let mut bytes = std::fs::read(&state).unwrap();
    bytes[10] ^= 1;
    std::fs::write(&state, &bytes).unwrap();
    std::fs::remove_file(dir.join("done.json")).unwrap();
    let before = tree(&out);
    let resumed = heldout(&[&train("ppo", ["--env", "example/grid-v1"], &out, &[])[..], &["--resume"]].concat());
    fails(&resumed, 2, &["rows.bin", "checksum"]);
    assert!(tree(&out) == before);
}

/// The names and shapes of what an agent learns in `example/grid-v1`.
fn network(agent: &str) -> Vec<(String, Vec<usize>)> {
    let (agent, id) = (Agent::find(agent).unwrap(), "example/grid-v1");
    let env = find(id).unwrap().make(&Map::new(), 1, Options::default()).unwrap();
    let told = agent.told(Profile::Small, id, env.spec(), &Map::new()).unwrap();
    let learner = agent.learner(&told, env, Problems::All, None, Seed(0), &Device::flex()).unwrap();
    learner.weights().entries().iter().map(|p| (p.name.clone(), p.shape.clone())).collect()
}

/// A file of weights that are all zero, with these names and shapes.
fn packed(list: &[(String, Vec<usize>)], about: &About) -> Vec<u8> {
    let mut params = Params::new(Seed(0), &Device::flex());
    for (name, shape) in list {
        params.add(name.clone(), shape, Init::Constant(0.0));
    }
    pack(&params, about.clone())
}

#[test]
fn agents_check_36_weights_of_another_network_agent_or_run_are_each_refused_in_words_of_their_own() {
    let folder = Folder::new();
    let out = folder.path("out");
    let words = ["train", "ppo", "--env", "example/grid-v1", "--out", &out, "--steps", "100"];
    stdout(&[&words[..], &set(&["copies=4", "rows=8", "evaluate_episodes=1"])].concat());
    let before = tree(&out);
    let path = Path::new(&out).join("seed-0/policy.safetensors");
    let told = about(&std::fs::read(&path).unwrap()).unwrap();
    let play = |weights: &[u8]| {
        std::fs::write(&path, weights).unwrap();
        heldout(&["run", "example/grid-v1", "--policy", &out, "--episodes", "1"])
    };
    let own = network("ppo");
    assert!(play(&packed(&own, &told)).status.success(), "weights of the right names and shapes are played");
    let refused = |list: &[(String, Vec<usize>)], about: &About, parts: &[&str]| {
        fails(&play(&packed(list, about)), 2, parts);
    };

    let mut wide = own.clone();
    wide.iter_mut().find(|(name, _)| name == "policy.bias").unwrap().1 = vec![5];
    refused(&wide, &told, &["policy.safetensors", "`policy.bias` is [5] of F32, must be [4] of F32"]);
    let fewer: Vec<_> = own.iter().filter(|(name, _)| name != "value.1.bias").cloned().collect();
    refused(&fewer, &told, &["policy.safetensors", "has no tensor `value.1.bias`"]);
    let more = [own.clone(), vec![("another.weight".to_owned(), vec![2, 3])]].concat();
    refused(&more, &told, &["policy.safetensors", "has a tensor `another.weight`, which the network has not"]);

    // A network with a memory says so itself, or is known by what it lacks a place for.
    let lstm = network("ppo-lstm");
    refused(&lstm, &told, &["policy.safetensors", "has a tensor `core.", "which the network has not"]);
    let other = About { agent: "ppo-lstm".to_owned(), ..told.clone() };
    refused(&lstm, &other, &["policy.safetensors", "`agent` is `ppo-lstm`, of this run it must be `ppo`"]);
    let other = About { run: "0".repeat(64), ..told.clone() };
    refused(&own, &other, &["policy.safetensors", "was written by another run than its `run.json`"]);
    let other = About { format: "heldout-weights 9".to_owned(), ..told };
    let format = "`format` is `heldout-weights 9`, must be `heldout-weights 1`";
    refused(&own, &other, &["policy.safetensors", format]);

    std::fs::write(&path, &before[Path::new("seed-0/policy.safetensors")]).unwrap();
    assert!(tree(&out) == before, "nothing else was written");
}

fn with_run(dir: &Path, text: &str, play: impl Fn() -> std::process::Output) -> std::process::Output {
    let before = std::fs::read(dir.join("run.json")).unwrap();
    std::fs::write(dir.join("run.json"), text).unwrap();
    let output = play();
    std::fs::write(dir.join("run.json"), before).unwrap();
    output
}

#[test]
fn the_dynamic_tests_of_a_trained_agent_are_made_from_what_it_experienced() {
    let folder = Folder::new();
    let (out, scores) = (folder.path("out"), folder.path("scores"));
    stdout(&["train", "ppo", "--protocol", "quick", "--task", "halma-symbolic", "--steps", "3000", "--out", &out]);
    assert!(Path::new(&out).join("halma-symbolic/seed-0/experience.bin").is_file());
    let run: Value = serde_json::from_slice(&tree(&out)[Path::new("halma-symbolic/seed-0/run.json")]).unwrap();
    assert_eq!(run["config"]["gamma"].to_string(), "0.99", "numbers are told as they were");
    let played =
        heldout(&["eval", "quick", "--task", "halma-symbolic", "--policy", &out, "--out", &scores, "--episodes", "5"]);
    let told = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(!told.contains("tells nothing of that"), "{told}");
}

/// Small enough for a test, large enough for products to be spread over threads.
const OPTIONS: [&str; 16] = [
    "--steps",
    "900",
    "--set",
    "copies=4",
    "--set",
    "warm_up=400",
    "--set",
    "updates_per_step=0.06",
    "--set",
    "replay=800",
    "--set",
    "evaluate_episodes=1",
    "--set",
    "save_every=200",
    "--set",
    "evaluate_every=700",
];

#[cfg(unix)]
#[test]
fn agents_check_47_48_td3_is_one_run_whatever_the_threads_and_however_often_it_is_killed() {
    let folder = Folder::new();
    for agent in ["td3-mlp", "td3-lstm"] {
        let outs = ["one", "two", "part"].map(|name| folder.path(&format!("{agent}-{name}")));
        let train = |out: &str, more: &[&str]| {
            let words = ["train", agent, "--env", "halma/symbolic-v1", "--set", "env.mazes=5", "--out", out];
            [&words[..], &OPTIONS, more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let run = |words: &[String]| stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
        run(&train(&outs[0], &["--threads", "1"]));
        run(&train(&outs[1], &["--threads", "2"]));
        let expected = timeless(&outs[0]);
        same(&timeless(&outs[1]), &expected);
        let words = train(&outs[2], &[]);
        let mut child = begin(&words.iter().map(String::as_str).collect::<Vec<_>>());
        while !Path::new(&outs[2]).join("seed-0/state/learner.json").exists() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        run(&train(&outs[2], &["--resume"]));
        same(&timeless(&outs[2]), &expected);
        let updates = String::from_utf8(expected[Path::new("seed-0/log.jsonl")].clone()).unwrap();
        let last: Value = serde_json::from_str(updates.lines().last().unwrap()).unwrap();
        assert!(last["updates"].as_u64().unwrap() >= 30, "{last}");
    }
}

/// Every agent that no other test of check 47 trains, with batches large enough for products to be spread over threads.
#[test]
fn agents_check_47_every_other_agent_is_one_run_whatever_the_threads() {
    let folder = Folder::new();
    let others = AGENTS.iter().map(|agent| agent.name);
    for name in others.filter(|name| !["ppo-lstm", "td3-mlp", "td3-lstm"].contains(name)) {
        let (id, steps, own): (_, _, &[&str]) = match name {
            "td3-cnn" | "td3-cnn-transformer" => ("halma/visual-v1", "120", &["warm_up=100", "env.mazes=3"]),
            name if name.starts_with("td3-") => ("halma/symbolic-v1", "200", &["warm_up=160", "env.mazes=3"]),
            name if name.starts_with("r2d2-") => ("s2b/listener-v1", "300", &["copies=4", "replay_min=160", "batch=8"]),
            "ppo-lilgym" | "ppo-sf" => ("lilgym/tower-scratch-v1", "256", &["copies=8", "rows=32", "selection=0"]),
            "ppo" => ("example/grid-v1", "2048", &["copies=8", "rows=128", "minibatches=2"]),
            // From pictures: what sees them is spread over threads by other code.
            "impala-mra" | "impala-lstm-mem-rec" => {
                ("memory/arbitrary-visuomotor-mapping-mini-v1", "800", &["env.observation=pixels"])
            }
            _ => ("memory/arbitrary-visuomotor-mapping-mini-v1", "800", &[]),
        };
        let outs = ["1", "2"].map(|threads| {
            let out = folder.path(&format!("{name}-{threads}"));
            let words = ["train", name, "--env", id, "--steps", steps, "--threads", threads, "--out", &out];
            let own = set(own);
            let few = set(&["evaluate_episodes=1", "save_every=100000", "evaluate_every=100000"]);
            stdout(&[&words[..], &own, &few].concat());
            out
        });
        let expected = timeless(&outs[0]);
        same(&timeless(&outs[1]), &expected);
        let done = &expected[Path::new("seed-0/log.jsonl")];
        let last: Value = serde_json::from_str(String::from_utf8_lossy(done).lines().last().unwrap()).unwrap();
        assert!(last["updates"].as_u64().unwrap() > 0, "{name}: {last}");
    }
}

#[test]
fn the_column_of_an_agent_in_halmas_table_is_made_from_its_own_experience() {
    let folder = Folder::new();
    for agent in ["td3-mlp", "td3-effect"] {
        let (out, scores) = (folder.path(&format!("{agent}-out")), folder.path(&format!("{agent}-scores")));
        // Exploring alone leads to some of the tests.
        let more = ["--steps", "30000", "--set", "warm_up=29900", "--set", "evaluate_every=20000"];
        let more = [&more[..], &["--set", "evaluate_episodes=1"]].concat();
        let little = ["--set", "save_every=40000", "--set", "width=8", "--set", "greedy_last=0.1"];
        let words = ["train", agent, "--protocol", "halma-table1", "--out", &out];
        stdout(&[&words[..], &more, &little].concat());
        assert!(Path::new(&out).join("symbolic/seed-0/experience.bin").is_file());
        assert!(!Path::new(&out).join("visual").exists(), "it cannot learn panels");
        let run: Value = serde_json::from_slice(&tree(&out)[Path::new("symbolic/seed-0/run.json")]).unwrap();
        assert_eq!(run["env"]["experience"], true);
        // Its curves have what needs no experience.
        let curves = String::from_utf8(tree(&out).remove(Path::new("curves.jsonl")).unwrap()).unwrap();
        let first: Value = serde_json::from_str(curves.lines().next().unwrap()).unwrap();
        let named: Vec<&str> = first.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(named[named.len() - 2..], ["T", "RT"], "{first}");
        let words = ["eval", "halma-table1", "--policy", &out, "--out", &scores, "--episodes", "2", "--seeds", "1"];
        let told = stdout(&words);
        let label = if agent == "td3-mlp" { "MLP" } else { "Q effect" };
        assert!(told.contains(label) && !told.contains("visual"), "{told}");
        let records = tree(&scores).into_iter().filter(|(path, _)| path.starts_with("records"));
        let records: Vec<String> = records.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        let with = |part: &str| records.iter().any(|text| text.contains(part));
        assert!(with("\"T\"") && with("\"RT\"") && with("the experience that came with the agent"), "{records:?}");
    }
}

#[test]
fn the_agents_are_listed() {
    let text = stdout(&["train", "--list"]);
    for name in ["ppo ", "ppo-lstm", "ppo-lilgym", "ppo-sf", "td3-mlp", "td3-cnn-transformer", "td3-effect"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
    }
    let all: Value = serde_json::from_str(&stdout(&["train", "--list", "--json"])).unwrap();
    assert_eq!(all[1]["label"], "PPO+LSTM");
}

#[test]
fn agents_check_50_two_agents_are_trained_together_and_play_with_others() {
    let folder = Folder::new();
    let out = folder.path("out");
    let set = ["--set", "copies=4", "--set", "batch=4", "--set", "replay_min=200", "--set", "evaluate_episodes=2"];
    let place = ["--protocol", "s2b-table1", "--task", "shots-1", "--out", &out, "--steps", "1500", "--seeds", "2"];
    stdout(&[&["train", "r2d2-lstm"], &place[..], &set].concat());
    let scores = folder.path("scores");
    let mixed = format!("speaker={out},listener=nearest");
    let both = ["--policy", &out, "--policy", &mixed, "--policy", "random"];
    stdout(&[&["eval", "s2b-table1", "--out", &scores, "--episodes", "3"], &both[..]].concat());
    let records: Vec<String> = tree(&scores)
        .into_iter()
        .filter(|(path, _)| path.starts_with("records"))
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect();
    assert!(records.iter().any(|text| text.contains("speaker=r2d2-lstm sha256:") && text.contains("listener=nearest")));
    assert!(records.iter().all(|text| !text.contains(&out)), "records hold no paths");
    // Their language is measured, and how easily it is acquired.
    let language = folder.path("language");
    stdout(&["eval", "s2b-language", "--out", &language, "--episodes", "2", "--policy", &out, "--policy", "oracle"]);
    let measured = tree(&language).into_iter().any(|(path, bytes)| {
        path.starts_with("records") && String::from_utf8(bytes).unwrap().contains("r2d2-lstm sha256:")
    });
    assert!(measured, "the language of a trained speaker");
    // Another protocol's task is asked of it where it sets the same, and only there.
    let headers = |folder: &str| -> Vec<Value> {
        let records = tree(folder).into_iter().filter(|(path, _)| path.starts_with("records"));
        let first = records.map(|(_, bytes)| {
            let text = String::from_utf8(bytes).unwrap();
            serde_json::from_str::<Value>(text.lines().next().unwrap()).unwrap()
        });
        first.filter(|header| header["agent"] == "LSTM").collect()
    };
    let tasks = |folder: &str| -> BTreeSet<String> {
        headers(folder).iter().map(|header| header["task"].as_str().unwrap().to_owned()).collect()
    };
    // Its records say how it was trained.
    let trained = headers(&language)[0]["trained"].clone();
    assert_eq!((&trained["task"], &trained["config"]["copies"]), (&"shots-1".into(), &4.into()), "{trained}");
    assert_eq!((&trained["config"]["sad"], &trained["profile"]), (&"bit".into(), &"small".into()), "{trained}");
    assert_eq!(tasks(&language), BTreeSet::from(["shots-1".to_owned()]));
    let elsewhere = ["eval", "s2b-language", "--task", "shots-2", "--out", &scores, "--policy", &out];
    fails(&heldout(&elsewhere), 2, &["none of the tasks that are asked is for `LSTM`"]);
    let speaker = format!("speaker={out}");
    let eoa = ["s2b", "eoa", "--policy", &speaker, "--episodes", "1", "--epochs", "2", "--json", "--set", "samples=4"];
    // It is asked in the game that it was trained for.
    fails(&heldout(&eoa), 2, &["was trained where `shots` is 1, here it is 4: `--set shots=1`"]);
    let eoa = [&eoa[..], &["--set", "shots=1"]].concat();
    let told: Value = serde_json::from_str(&stdout(&eoa)).unwrap();
    assert_eq!(told["speakers"].as_array().unwrap().len(), 2, "one for each seed");
    let posdis = ["s2b", "eoa", "--policy", "posdis", "--episodes", "1", "--epochs", "2", "--json"];
    assert!(serde_json::from_str::<Value>(&stdout(&posdis)).unwrap()["accuracy"].is_number());
    fails(&heldout(&["s2b", "eoa", "--policy", "posdit"]), 2, &["`posdit`", "`posdis`"]);
    let other = ["--protocol", "s2b-table1", "--task", "shots-2", "--out", &out, "--steps", "300"];
    stdout(&[&["train", "r2d2-lstm"], &other[..], &set].concat());
    let both = folder.path("both");
    stdout(&["eval", "s2b-language", "--out", &both, "--episodes", "1", "--policy", &out]);
    assert_eq!(tasks(&both), BTreeSet::from(["shots-1".to_owned(), "shots-2".to_owned()]));
    // A listener was never taught to speak.
    let listener = folder.path("listener");
    let alone = ["train", "r2d2-lstm", "--env", "s2b/listener-v1", "--out", &listener, "--steps", "300"];
    stdout(&[&alone[..], &set].concat());
    fails(&heldout(&["s2b", "eoa", "--policy", &listener]), 2, &["s2b/game-v1"]);
}
