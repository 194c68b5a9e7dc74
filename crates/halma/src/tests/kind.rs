//! The kind of task that HALMA's protocols are made of.

use heldout_core::{Asked, AskedCondition, Entry, Kind, Player, Prepared, ProblemSet};
use serde_json::{Map, Value, json};

use super::{Symbolic, play};
use crate::FAMILY;
use crate::config::SymbolicConfig;
use crate::dynamic_tests::Class;
use crate::kind::{Dynamic, EXPLORER, Gathering};
use crate::problems::TestSet;

fn entry() -> &'static Entry {
    FAMILY.entry("halma/symbolic-v1").unwrap()
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Ten mazes and little experience, so that tests are made at once.
fn asked<'a>(
    keys: &'a Map<String, Value>,
    overrides: &'a Map<String, Value>,
    conditions: &[&'a str],
    player: Player<'a>,
) -> Asked<'a> {
    let conditions = conditions.iter().map(|&name| AskedCondition { name, overrides: overrides.clone() }).collect();
    Asked { entry: entry(), keys, overrides, conditions, episodes: Some(4), cut: false, player }
}

fn sets(asked: &Asked<'_>, seed: u64) -> Vec<ProblemSet> {
    match Dynamic.prepare(asked, seed) {
        Ok(Prepared::Problems(sets)) => sets,
        Ok(Prepared::Measured(_)) => panic!("HALMA is played"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn keys_and_conditions_are_checked_by_name() {
    let keys = |value| Dynamic.check(&map(&value), &["T"]).map_err(|e| (e.key, e.value, e.allowed));
    assert_eq!(keys(json!({})), Ok(()));
    assert_eq!(keys(json!({"experience": 1})), Ok(()));
    for value in [json!(0), json!(10_000_001), json!("2"), json!(-1)] {
        let error = ("kind.experience".to_owned(), value.to_string(), "must be 1 to 10000000".to_owned());
        assert_eq!(keys(json!({"experience": value})), Err(error));
    }
    let (key, value, allowed) = keys(json!({"episodes": 3})).unwrap_err();
    assert_eq!((key.as_str(), value.as_str()), ("kind.episodes", "3"));
    assert!(allowed.contains("`experience`"), "{allowed}");
    // The paper's names, in any case and with or without the hyphen.
    let all = ["T", "rt", "ST-1", "st2", "AfT-1", "aft_2", "AFT3", "AfT-4", "AnT"];
    assert_eq!(Dynamic.check(&Map::new(), &all), Ok(()));
    let error = Dynamic.check(&Map::new(), &["T", "ST-3"]).unwrap_err();
    assert_eq!((error.key.as_str(), error.value.as_str()), ("condition `ST-3`: name", "ST-3"));
    assert_eq!(error.allowed, "must be one of `T`, `RT`, `ST-1`, `ST-2`, `AfT-1`, `AfT-2`, `AfT-3`, `AfT-4`, `AnT`");
}

#[test]
fn every_condition_becomes_its_problems() {
    let (keys, overrides) = (map(&json!({"experience": 40})), map(&json!({"mazes": 10, "max_opt_len": 3})));
    let names = ["T", "RT", "ST-1", "AfT-1", "AnT"];
    let asked = asked(&keys, &overrides, &names, Player::Scripted("oracle"));
    let made = sets(&asked, 7);
    assert_eq!(made.len(), names.len());
    // The training mazes are all played, unless the caller cuts the set.
    assert_eq!(
        made[0],
        ProblemSet {
            overrides: map(&json!({"mazes": 10, "max_opt_len": 3, "split": "train"})),
            file: None,
            episodes: 10
        }
    );
    assert_eq!(sets(&Asked { cut: true, ..asked.clone() }, 7)[0].episodes, 4);
    // Random mazes are as many as asked for, of a set of the seed's own.
    assert_eq!(
        made[1],
        ProblemSet {
            overrides: map(&json!({"mazes": 4, "max_opt_len": 3, "split": "test", "maze_seed": 7})),
            file: None,
            episodes: 4
        }
    );
    // Dynamic tests are files; one that has nothing to ask for is empty.
    for (set, name) in made[2..].iter().zip(&names[2..]) {
        assert_eq!(set.overrides, overrides);
        match &set.file {
            None => assert_eq!(set.episodes, 0, "{name}"),
            Some((key, called, text)) => {
                assert_eq!((*key, called.as_str()), ("problems", *name));
                let problems = TestSet::from_json(text).unwrap();
                assert_eq!((problems.test.as_str(), problems.problems.len() as u64), (*name, set.episodes));
                assert_eq!(set.episodes, 4);
            }
        }
    }
    assert!(made[2].file.is_some(), "something was seen often enough");
    assert_eq!(made, sets(&asked, 7), "one seed, one set of tests");
    assert_ne!(made[2], sets(&asked, 8)[2]);
    // Without a number told there are 150 mazes.
    assert_eq!(sets(&Asked { episodes: None, ..asked.clone() }, 7)[1].episodes, 150);
    for mazes in [0, 10_001] {
        let error = Dynamic.prepare(&Asked { episodes: Some(mazes), ..asked.clone() }, 7).map(|_| ()).unwrap_err();
        assert!(error.contains(&format!("`{mazes}`")) && error.contains("1 to 10000"), "{error}");
    }
}

/// A test belongs to the agent under test: what another experienced is not asked of it.
#[test]
fn an_agents_own_experience_makes_its_tests() {
    let (keys, overrides) = (map(&json!({"experience": 40})), map(&json!({"mazes": 10})));
    let conditions: Vec<&str> = Class::ALL.map(Class::name).into();
    let of = |player| sets(&asked(&keys, &overrides, &conditions, player), 7);
    let gather = |policy| {
        let gathering =
            Gathering { entry: entry(), overrides: &overrides, policy, episodes: 40, seed: 7, before: None };
        gathering.play(|| ()).unwrap()
    };
    // Scripted policies and agents that tell nothing share the explorer's.
    assert_eq!(Dynamic.shared(Player::Scripted("noop")), Some(EXPLORER));
    assert_eq!(Dynamic.shared(Player::Agent(None)), Some(EXPLORER));
    assert_eq!(of(Player::Scripted("noop")), of(Player::Agent(None)));
    let explored = gather(EXPLORER);
    assert_eq!(of(Player::Agent(None)), of(Player::Agent(Some(&explored))));
    let idle = gather("noop");
    assert_eq!(Dynamic.shared(Player::Agent(Some(&idle))), None);
    assert!(of(Player::Agent(Some(&idle))).iter().all(|set| set.file.is_none() && set.episodes == 0));
    let error = Dynamic.prepare(&asked(&keys, &overrides, &["AnT"], Player::Agent(Some(b"no"))), 7);
    assert!(error.map(|_| ()).unwrap_err().contains("not experience of this environment"));
}

#[test]
fn experience_is_gathered_over_episodes_and_added_to() {
    let overrides = map(&json!({"mazes": 3}));
    let gather = |episodes, before: Option<&[u8]>| {
        let mut heard = 0;
        let gathering =
            Gathering { entry: entry(), overrides: &overrides, policy: "oracle", episodes, seed: 1, before };
        let bytes = gathering.play(|| heard += 1).unwrap();
        assert_eq!(heard, episodes);
        crate::experience::Experience::from_bytes(&bytes).unwrap()
    };
    let moves = |experience: &crate::experience::Experience| experience.visits.iter().map(|v| v.count).sum::<u32>();
    // Each of the three mazes once: the oracle makes no invalid move.
    let config = SymbolicConfig { mazes: 3, ..SymbolicConfig::default() };
    let (episodes, _) = play::<Symbolic>(&config, "oracle", None, 0);
    let once = gather(3, None);
    assert_eq!(moves(&once) as f32, episodes.iter().map(|e| e.get("length")).sum::<f32>());
    let twice = gather(3, Some(&once.to_bytes()));
    assert_eq!(moves(&twice), 2 * moves(&once));
}
