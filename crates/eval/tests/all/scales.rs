//! The scales that are built in are those of this code.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use heldout_core::Options;
use heldout_envs::find;
use heldout_eval::entrant::{Entrant, no_learners};
use heldout_eval::protocol::{Condition, Kind, Protocol, Task, built_in};
use heldout_eval::records::{Failure, Recorded};
use heldout_eval::report;
use heldout_eval::runner::Evaluation;
use heldout_eval::scales::{EPISODES, FIRST, Scales, Score, entrants};

use crate::common::Folder;

/// Whether the protocol plays data that are not built in.
fn needs_data(protocol: &Protocol) -> bool {
    protocol.tasks.iter().any(|task| task.set.get("data").is_some_and(|data| data != "builtin"))
}

/// How many problems a finite set has; `None` if its data are not at hand.
fn problems(task: &Task, condition: &Condition) -> Option<u64> {
    let env = find(&task.id).unwrap().make(&task.overrides(condition), 1, Options::default());
    env.ok().map(|env| u64::from(env.spec().problems.expect("a finite set")))
}

/// Every built-in protocol has its scales, with every condition that can be measured.
#[test]
fn every_protocol_has_scales_of_a_thousand_episodes_or_of_whole_sets() {
    for (name, _) in built_in() {
        let protocol = Protocol::find(name).unwrap();
        let scales = protocol.scales.as_ref().unwrap_or_else(|| panic!("{name} has no scales"));
        for task in &protocol.tasks {
            for condition in &task.conditions {
                let at = format!("{name} / {} / {}", task.name, condition.name);
                let Some(scale) = scales.find(&task.name, &condition.name) else {
                    // Made for whoever plays: it need not exist for whom the scale was measured with.
                    assert!(matches!(task.kind, Kind::Own { .. }), "{at} has no scale");
                    continue;
                };
                assert_eq!((&scale.metric, scale.higher_is_better), (&task.metric, task.higher_is_better), "{at}");
                let all = (task.kind == Kind::Problems).then(|| problems(task, condition));
                for score in scale.played() {
                    let enough = match all {
                        Some(Some(all)) => score.episodes == all,
                        // Of data that are not built in it is only known that all play the same.
                        Some(None) => score.episodes == scale.random.episodes,
                        None => score.episodes >= EPISODES || task.kind != Kind::Episodes,
                    };
                    assert!(enough, "{at}: {} episodes of {}, of {all:?}", score.episodes, score.policy);
                }
            }
        }
    }
}

/// Protocols whose tasks `quick` has too, or that take minutes to prepare.
const BY_HAND: [&str; 4] = ["memory", "halma-table1", "halma-ablation-mazes", "halma-ablation-options"];

/// The first episodes of every player of the scales are played again, and score to the last place what the scale says.
#[test]
fn scales_are_those_of_this_code() {
    let mut played = 0;
    for (name, _) in built_in().filter(|(name, _)| !BY_HAND.contains(name)) {
        let protocol = Protocol::find(name).unwrap();
        if !needs_data(&protocol) && protocol.scales_of.is_none() {
            check(&protocol, Some(FIRST as u64));
            played += 1;
        }
    }
    assert_eq!(played, 11);
    // Under another name the tasks of `memory` are in `quick`.
    let (quick, memory) = (Protocol::find("quick").unwrap().scales.unwrap(), Protocol::find("memory").unwrap());
    for scale in memory.scales.unwrap().scales {
        let same = quick.find(&format!("memory-{}", scale.task), &scale.condition).unwrap();
        assert_eq!((&same.random, &same.shortcuts, &same.oracle), (&scale.random, &scale.shortcuts, &scale.oracle));
    }
}

#[test]
#[ignore = "takes minutes, and needs the public data: name their directory by HELDOUT_LILGYM_DATA"]
fn all_other_scales_are_those_of_this_code() {
    for (name, _) in built_in() {
        let protocol = Protocol::find(name).unwrap();
        if needs_data(&protocol) || BY_HAND.contains(&name) {
            // The first problems of lilGym's rows are too easy to tell who plays from who does not.
            check(&protocol, (!needs_data(&protocol)).then_some(FIRST as u64));
        }
    }
}

/// Plays the scales again: the first episodes, or all.
fn check(protocol: &Protocol, episodes: Option<u64>) {
    let folder = Folder::new("scales");
    let kept = protocol.scales.as_ref().unwrap();
    let all = entrants(std::slice::from_ref(protocol));
    let evaluation =
        Evaluation { seed: kept.seed, seeds: Some(1), episodes, ..evaluation(protocol, all, folder.0.clone()) };
    let outcome = evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap();
    // A listener's shortcut is no speaker, so that it has no part in the scale of languages.
    let refused = |failure: &Failure| failure.problem.starts_with("there is no speaker");
    assert!(outcome.failures.iter().all(refused), "{:?}", outcome.failures);
    let played = Scales::of(protocol, &Recorded::read_all(&folder.0).unwrap(), kept.seed);
    for scale in &kept.scales {
        let at = format!("{} / {} / {}", protocol.name, scale.task, scale.condition);
        let now = played.find(&scale.task, &scale.condition).unwrap_or_else(|| panic!("{at} cannot be played"));
        let first = |scale: &heldout_eval::scales::Scale| {
            let whole = |score: &Score| episodes.is_none().then_some((score.mean, score.episodes));
            scale.played().map(|score| (score.policy.clone(), score.first, whole(score))).collect::<Vec<_>>()
        };
        assert_eq!(first(now), first(scale), "{at}: measure the scale again with `heldout scales`");
        assert_eq!(now.published, scale.published, "{at}");
    }
}

const LISTENER: &str = r#"
title = "A listener"
summary = "One small space."
seeds = 1
[[task]]
name = "listener"
id = "s2b/listener-v1"
episodes = 4
metric = "zsct_accuracy"
set = { dims = 3, min_values = 2, max_values = 3, message_length = 3, vocabulary = 4, samples = 1 }
condition = [{ name = "query", held_out = true }]
"#;

/// Who takes part under `protocol`, written to `out`.
fn evaluation(protocol: &Protocol, entrants: Vec<Entrant>, out: PathBuf) -> Evaluation {
    Evaluation {
        entrants,
        protocols: vec![protocol.clone()],
        out,
        seed: 0,
        seeds: None,
        episodes: None,
        threads: 2,
        tasks: Vec::new(),
        resume: false,
        other_build: false,
    }
}

/// Who has a part of the ability is measured with the others, and shown beside the score as no floor of it.
#[test]
fn amendment_05_probes_are_measured_and_shown_beside_the_floor() {
    let folder = Folder::new("probes");
    let mut protocol = Protocol::parse("listener", "listener.toml", LISTENER).unwrap();
    let run = |protocol: &Protocol, entrants: Vec<Entrant>, out: &str| {
        let evaluation = evaluation(protocol, entrants, folder.0.join(out));
        assert!(evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap().failures.is_empty());
        evaluation.out
    };
    let measured = run(&protocol, entrants(std::slice::from_ref(&protocol)), "measured");
    let scales = Scales::of(&protocol, &Recorded::read_all(&measured).unwrap(), 0);
    let [scale] = &scales.scales[..] else { panic!("one condition") };
    let probes: Vec<&str> = scale.probes.iter().map(|score| &*score.policy).collect();
    assert_eq!(probes, ["binds1", "binds2"]);
    assert!(scale.shortcuts.iter().any(|score| *score == *scale.floor()), "{scale:?}");
    assert_eq!(Scales::parse("listener.scales.toml", &scales.toml()).unwrap().scales, scales.scales);
    let table = scales.markdown(&protocol);
    assert!(table.contains("| `rote` | `binds1` (probe) | `binds2` (probe) | `oracle` |"), "{table}");
    protocol.scales = Some(scales);
    let played = run(&protocol, vec![Entrant::parse("nearest", &no_learners).unwrap()], "played");
    let markdown = report::markdown(&[&played]).unwrap();
    let row = markdown.lines().find(|line| line.starts_with("| listener | query")).unwrap();
    assert!(row.contains("; probes: `binds1` ") && row.contains(", `binds2` "), "{row}");
}

/// Where a condition has no scale, since its problems are made for whoever plays them, the floor of another is played.
#[test]
fn a_condition_without_a_scale_is_played_by_the_floor_of_another() {
    let protocol = Protocol::find("halma-table1").unwrap();
    let mut scales = protocol.scales.unwrap();
    scales.scales.retain(|scale| scale.condition != "ST-1");
    let last = scales.scales.iter().rfind(|scale| scale.task == "visual").unwrap().floor().policy.clone();
    let folder = Folder::new("floors");
    let small = r#"
title = "Small"
summary = "Dynamic tests."
seeds = 1
[[task]]
name = "visual"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 100 }
episodes = 3
metric = "rho_p"
set = { mazes = 20, max_steps = 100 }
condition = [{ name = "T", held_out = false }, { name = "ST-1", held_out = true }]
"#;
    let mut protocol = Protocol::parse("small", "small.toml", small).unwrap();
    protocol.scales = Some(Scales { protocol: "small".to_owned(), ..scales.clone() });
    let shortcut = vec![Entrant::parse("shortcut", &no_learners).unwrap()];
    let evaluation = evaluation(&protocol, shortcut, folder.0.clone());
    assert!(evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap().failures.is_empty());
    let records = Recorded::read_all(&folder.0).unwrap();
    let who = |condition: &str| records.iter().find(|r| r.header.condition == condition).unwrap().header.policy.clone();
    assert_eq!(who("T"), scales.find("visual", "T").unwrap().floor().policy);
    assert_eq!(who("ST-1"), last);
}

/// A floor of minus infinity makes any score the ceiling.
#[test]
fn regression_a_floor_of_minus_infinity_was_accepted() {
    let text = Protocol::find("smoke").unwrap().scales.unwrap().toml();
    let at = text.find("mean = ").unwrap();
    let mean = &text[at..at + text[at..].find(',').unwrap()];
    for (written, told) in [("-inf", "-inf"), ("inf", "inf"), ("nan", "NaN")] {
        let wrong = text.replacen(mean, &format!("mean = {written}"), 1);
        let message = Scales::parse("own.scales.toml", &wrong).unwrap_err().to_string();
        assert!(
            message.contains("mean`") && message.contains(&format!("`{told}` is not a finite number")),
            "{message}"
        );
    }
}
