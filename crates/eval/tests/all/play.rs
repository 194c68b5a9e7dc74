//! A run's result is a function of its config and seed alone.

use heldout_envs::{entries, find};
use heldout_eval::entrant::{Entrant, no_learners};
use heldout_eval::{Episodes, PlayError, Run};
use serde_json::{Map, json};

fn run<'a>(id: &str, entrant: &'a Entrant, overrides: &'a Map<String, serde_json::Value>) -> Run<'a> {
    Run { entry: find(id).unwrap(), overrides, entrant, episodes: Episodes::Count(40), seed: 3, threads: 1 }
}

fn scripted(policy: &str) -> Entrant {
    Entrant::unchecked(policy, &no_learners).unwrap()
}

#[test]
fn threads_and_neighbours_change_nothing() {
    let random = scripted("random");
    for entry in entries() {
        let smallest = entry.smallest();
        let base = || run(entry.id(), &random, &smallest);
        let serial = base().play(|_, _| ()).unwrap();
        assert_eq!(serial.episodes.len(), 40);
        let threaded = Run { threads: 2, ..base() }.play(|_, _| ()).unwrap();
        assert_eq!(serial, threaded, "{}", entry.id());
        // The first episodes of a longer run are those of a shorter one.
        let shorter = Run { episodes: Episodes::Count(7), ..base() }.play(|_, _| ()).unwrap();
        assert_eq!(serial.episodes[..7], shorter.episodes, "{}", entry.id());
        let other = Run { seed: 4, ..base() }.play(|_, _| ()).unwrap();
        assert_ne!(serial, other, "{}", entry.id());
    }
}

#[test]
fn all_plays_each_problem_once() {
    let overrides = json!({"levels": 300}).as_object().unwrap().clone();
    let oracle = scripted("oracle");
    let all = Run { episodes: Episodes::All, ..run("example/grid-v1", &oracle, &overrides) };
    let mut heard = Vec::new();
    let played = all.play(|done, total| heard.push((done, total))).unwrap();
    let problems: Vec<_> = played.episodes.iter().map(|e| e.problem.unwrap()).collect();
    assert_eq!(problems, (0..300).collect::<Vec<_>>());
    assert_eq!(heard.last(), Some(&(300, 300)));
    let success = played.names.iter().position(|n| n == "success").unwrap();
    assert!(played.episodes.iter().all(|e| e.metrics[success] == 1.0));
    let none = Map::new();
    let endless = Run { episodes: Episodes::All, ..run("example/signal-v1", &oracle, &none) };
    assert!(matches!(endless.play(|_, _| ()), Err(PlayError::Endless { .. })));
}

#[test]
fn policies_are_given_by_agent() {
    let none = Map::new();
    let accuracy = |policy: &str| {
        let played = run("example/signal-v1", &scripted(policy), &none).play(|_, _| ()).unwrap();
        let estimates = played.estimates();
        estimates.iter().find(|(name, _)| *name == "accuracy").unwrap().1.value
    };
    assert_eq!(accuracy("oracle"), 1.0);
    assert_eq!(accuracy("walker=oracle,guide=oracle"), 1.0);
    let mute = accuracy("guide=random,walker=oracle");
    assert!(mute < 0.5, "{mute}");
    for (policy, message) in [
        ("guide=oracle", "agent `walker` is given no policy"),
        ("guide=oracle,guide=random", "does not give one policy to one agent"),
        ("guide=oracle,runner=random", "`runner=random` does not give one policy to one agent"),
        ("best", "agent `guide` has no policy `best`; it has `oracle`, `random`"),
    ] {
        let error = run("example/signal-v1", &scripted(policy), &none).play(|_, _| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{policy}: {error}");
    }
}

#[test]
fn no_episodes_and_too_many_are_errors() {
    let none = Map::new();
    let random = scripted("random");
    let run = Run { episodes: Episodes::Count(0), ..run("example/grid-v1", &random, &none) };
    assert!(matches!(run.play(|_, _| ()), Err(PlayError::Count { count: 0 })));
    let run = Run { episodes: Episodes::Count(usize::MAX), ..run };
    assert!(matches!(run.play(|_, _| ()), Err(PlayError::Count { count: usize::MAX })));
}
