//! Trainings for the memory suite: many tasks under one label, and the paper's scores of their curves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use heldout_agents::Checkpoint;
use heldout_core::Training;
use heldout_eval::curves::{Curve, Moment};
use heldout_eval::records::Recorded;
use serde_json::Value;

use crate::common::{Folder, fails, heldout, set, stdout};

const MAPPING: &str = "arbitrary-visuomotor-mapping";

/// The cells of the row of a report's table that begins with these.
fn row(markdown: &str, cells: &[&str]) -> Vec<String> {
    let begins = format!("| {} |", cells.join(" | "));
    let line = markdown.lines().find(|line| line.starts_with(&begins));
    let line = line.unwrap_or_else(|| panic!("{begins}: {markdown}"));
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
}

/// Changes every score that `of` says of the curves of a training.
fn change(out: &str, of: impl Fn(&str, usize) -> Option<f64>) {
    let path = Path::new(out).join(MAPPING).join("seed-0/curves.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = text.lines().enumerate().map(|(point, line)| {
        let mut line: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
        for (name, score) in &mut line {
            if let Some(other) = of(name, point) {
                *score = other.into();
            }
        }
        serde_json::to_string(&line).unwrap() + "\n"
    });
    std::fs::write(&path, changed.collect::<String>()).unwrap();
}

#[test]
fn agents_check_38_the_scores_of_a_training_are_read_where_training_alone_is_best() {
    let folder = Folder::new();
    let out = folder.path("out");
    let keys = ["copies=4", "rows=25", "evaluate_every=100", "evaluate_episodes=1", "save_every=2000"];
    let words = ["train", "impala-mra", "--protocol", "memory-mini", "--task", MAPPING, "--steps", "2400"];
    stdout(&[&words[..], &set(&keys), &["--seeds", "2", "--out", &out]].concat());

    // What the learner wrote is what an evaluation's curves are read from.
    let curves = Curve::read_all(Path::new(&out)).unwrap();
    let [curve] = &curves[..] else { panic!("{curves:?}") };
    assert_eq!([&curve.agent, &curve.protocol, &curve.task], ["LSTM+MEM+CPC", "memory-mini", MAPPING]);
    assert_eq!(curve.series(), ["holdout_extrapolate", "holdout_interpolate", "train"]);
    let seeds: Vec<Option<u64>> = curve.runs.keys().copied().collect();
    assert_eq!(seeds, [Some(0), Some(1)]);

    // The seven steps, called as a report calls them.
    let id = "memory/arbitrary-visuomotor-mapping-mini-v1";
    let scoring = heldout_envs::family(id).unwrap().measures.scoring.expect("the paper says how");
    let training = |moments: &BTreeMap<u64, Moment>| {
        let series = |name: &str| moments.values().map(|moment| moment.scores[name]).collect::<Vec<f64>>();
        let held_out = ["holdout_interpolate", "holdout_extrapolate"].map(series).into();
        Training { train: series("train"), held_out, episodes: 1 }
    };
    let found = |moments: &BTreeMap<u64, Moment>| {
        let snapshot = (scoring.snapshot)(id, &training(moments)).expect("two dozen points");
        (*moments.keys().nth(snapshot.moments.end - 1).unwrap(), snapshot)
    };
    let expected: Vec<u64> = curve.runs.values().map(|moments| found(moments).0).collect();
    for moments in curve.runs.values() {
        assert_eq!(moments.len(), 24);
        let told = training(moments);
        let other = Training { held_out: vec![told.train.iter().map(|x| 100.0 - x).collect(); 2], ..told.clone() };
        let [one, other] = [told, other].map(|training| (scoring.snapshot)(id, &training).unwrap());
        assert_eq!((one.moments, one.train), (other.moments, other.train), "what is held out moves nothing");
    }

    // The evaluation finds the curves by itself, and its report shows where each seed was read.
    let report = |name: &str| {
        let scores = folder.path(name);
        let words = ["eval", "memory-mini", "--task", MAPPING, "--policy", &out, "--episodes", "1", "--out", &scores];
        stdout(&words);
        let kept = std::fs::read_to_string(Path::new(&scores).join("curves.jsonl")).unwrap();
        assert!(!kept.contains(&folder.0.display().to_string()), "curves hold no paths");
        assert_eq!(Curve::read_all(Path::new(&scores)).unwrap()[0].runs.len(), 2);
        let markdown = std::fs::read_to_string(Path::new(&scores).join("report.md")).unwrap();
        let of = |condition: &str| {
            row(&markdown[markdown.find("### Scores of training").unwrap()..], &[MAPPING, condition, "LSTM+MEM+CPC"])
        };
        [of("train (training)"), of("holdout\\_interpolate (held out)"), of("holdout\\_extrapolate (held out)")]
    };
    let steps = |cells: &[String]| cells.last().unwrap().split(", ").map(|s| s.parse().unwrap()).collect::<Vec<u64>>();
    let before = report("before");
    assert!(before.iter().all(|cells| steps(cells) == expected), "{before:?}, {expected:?}");
    // Held-out scores that are best where training is not: the same moments, the same training score, other held-out ones.
    change(&out, |name, point| name.starts_with("holdout").then_some(if point < 5 { 900.0 } else { 7.0 }));
    let after = report("after");
    assert_eq!(before[0], after[0]);
    assert!(after.iter().all(|cells| steps(cells) == expected), "{after:?}");
    assert!(before[1][3] != after[1][3] && before[2][3] != after[2][3], "{after:?}");
    // Training scores do choose: with the best at the end, seed 0 is read there.
    change(&out, |name, point| (name == "train").then_some(point as f64));
    let last = *curve.runs[&Some(0)].keys().last().unwrap();
    assert_eq!(steps(&report("chosen")[0]), [last, expected[1]]);
}

/// The label and the policies of every task that was recorded below `scores`.
fn seated(scores: &str) -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let mut tasks: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for recorded in Recorded::read_all(Path::new(scores)).unwrap() {
        assert!(recorded.complete());
        let own = tasks.entry(recorded.header.task.clone()).or_default();
        own.0.insert(recorded.header.agent.clone());
        own.1.extend((0..recorded.header.seeds.len()).map(|run| recorded.header.player(run).to_owned()));
    }
    tasks
}

/// Asserts that every task was played under `label` by the checkpoint that was trained for it.
fn by_their_own(out: &str, scores: &str, label: &str, tasks: usize) {
    let found = seated(scores);
    assert_eq!(found.len(), tasks, "{:?}", found.keys());
    let mut hashes = BTreeSet::new();
    for (task, (labels, policies)) in found {
        let own = Checkpoint::open(&Path::new(out).join(&task).join("seed-0")).unwrap();
        assert_eq!(labels, BTreeSet::from([label.to_owned()]), "{task}");
        assert_eq!(policies, BTreeSet::from([format!("{} sha256:{}", own.run.agent, &own.sha256[..12])]), "{task}");
        hashes.insert(own.sha256);
    }
    assert_eq!(hashes.len(), tasks, "each task has a policy of its own");
}

#[test]
fn thirteen_checkpoints_of_one_agent_play_the_small_tasks_under_one_label() {
    let folder = Folder::new();
    let (out, scores) = (folder.path("out"), folder.path("scores"));
    let keys = ["copies=4", "rows=10", "hidden=16", "slots=16", "evaluate_every=100000", "save_every=100000"];
    let words = ["train", "impala-lstm-mem", "--protocol", "memory-mini", "--steps", "120", "--out", &out];
    stdout(&[&words[..], &set(&keys)].concat());
    let words = ["eval", "memory-mini", "--policy", &out, "--episodes", "1", "--out", &scores];
    stdout(&words);
    by_their_own(&out, &scores, "LSTM+MEM", 13);
}

#[test]
fn thirteen_checkpoints_of_one_agent_play_the_full_tasks_under_one_label() {
    let folder = Folder::new();
    // One of them sees pictures, of the size that its profile has.
    let seen: [(&str, &[&str], usize); 2] = [("symbolic", &[], 13), ("pixels", &["--task", "change-detection"], 1)];
    for (observation, tasks, all) in seen {
        let (out, scores) = (folder.path(observation), folder.path(&format!("{observation}-scores")));
        let seen = format!("env.observation={observation}");
        let keys = ["copies=2", "rows=10", "hidden=16", "evaluate_every=100000", "save_every=100000", &seen];
        let words = ["train", "impala-lstm", "--protocol", "memory", "--steps", "40", "--out", &out];
        stdout(&[&words[..], tasks, &set(&keys)].concat());
        let words = ["eval", "memory", "--policy", &out, "--episodes", "1", "--seeds", "1", "--out", &scores];
        stdout(&words);
        by_their_own(&out, &scores, "LSTM", all);
    }
    // What plays under one label is one model.
    let out = folder.path("symbolic");
    let words =
        ["train", "impala-lstm", "--protocol", "memory-mini", "--task", "spot-diff", "--steps", "40", "--out", &out];
    stdout(&[&words[..], &["--seed", "1"], &set(&["copies=2", "rows=12", "cpc=true"])].concat());
    let words = ["eval", "memory", "--policy", &out, "--episodes", "1", "--out", &folder.path("none")];
    fails(&heldout(&words), 2, &["holds runs of `impala-lstm` that are `LSTM` and that are `LSTM+CPC`"]);
}
