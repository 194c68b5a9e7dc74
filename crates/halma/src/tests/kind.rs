//! The kind of task that HALMA's protocols are made of.

use heldout_core::{Asked, AskedCondition, Entry, Kind, Options, Player, Prepared, ProblemSet, Told};
use serde_json::{Map, Value, json};

use super::{Symbolic, maze, play};
use crate::FAMILY;
use crate::config::SymbolicConfig;
use crate::dynamic_tests::Class;
use crate::experience::{Experience, counters};
use crate::kind::{Dynamic, Gathering};
use crate::maze::Maze;
use crate::problems::TestSet;
use crate::trials::entries_of;

fn entry() -> &'static Entry {
    FAMILY.entry("halma/symbolic-v1").unwrap()
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// An agent that tells this experience.
fn told(experience: &[u8]) -> Player<'_> {
    Player::Agent(Told { experience: Some(experience), ..Told::default() })
}

/// Ten mazes and little experience, so that tests are made at once.
fn asked<'a>(
    keys: &'a Map<String, Value>,
    overrides: &'a Map<String, Value>,
    conditions: &[&'a str],
    player: Player<'a>,
) -> Asked<'a> {
    let conditions = conditions.iter().map(|&name| AskedCondition { name, overrides: overrides.clone() }).collect();
    Asked { entry: entry(), keys, overrides, conditions, episodes: Some(4), cut: false, player, stop: &|| false }
}

fn sets(asked: &Asked<'_>, seed: u64) -> Vec<ProblemSet> {
    given(asked, seed).into_iter().collect::<Result<_, _>>().unwrap()
}

fn given(asked: &Asked<'_>, seed: u64) -> Vec<Result<ProblemSet, String>> {
    match Dynamic.prepare(asked, seed) {
        Ok(Prepared::Problems(sets)) => sets,
        Ok(Prepared::Measured(_)) => panic!("HALMA is played"),
        Err(error) => panic!("{error}"),
    }
}

/// Floors and ceilings are played on the tests of one agent, which is a policy of the task.
#[test]
fn the_reference_is_the_half_random_explorer() {
    assert_eq!(Dynamic.reference(), Some("half"));
    assert!(entry().default_batch().seat(0, "half", heldout_core::Seed(0)).is_ok());
}

/// What a report tells of an agent: the paper's three ratios, and how much of a test it grasped.
#[test]
fn reports_tell_the_ratios_of_the_paper() {
    let told: Vec<&str> = FAMILY.measures.rows.iter().map(|row| row.metric).collect();
    assert_eq!(told, ["rho_a", "rho_g", "rho_p", "grasp"]);
    for entry in FAMILY.entries {
        let env = entry.make(&entry.smallest(), 1, Options::default()).unwrap();
        assert!(told.iter().all(|name| env.spec().metrics.iter().any(|m| m.name == *name)), "{}", entry.id());
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
    assert!(["`experience`", "`th_s`", "`strict_novelty`"].iter().all(|key| allowed.contains(key)), "{allowed}");
    let all = json!({"th_s": 0, "th_c": 7, "th_a": 1, "st1_max_count": 2, "strict_novelty": false, "experience": 5});
    assert_eq!(keys(all), Ok(()));
    for key in ["th_s", "th_c", "th_a", "st1_max_count"] {
        let error = (format!("kind.{key}"), "-1".to_owned(), "must be 0 to 4294967295".to_owned());
        assert_eq!(keys(json!({key: -1})), Err(error));
    }
    let error = ("kind.strict_novelty".to_owned(), "1".to_owned(), "must be `true` or `false`".to_owned());
    assert_eq!(keys(json!({"strict_novelty": 1})), Err(error));
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
            episodes: 10,
            origin: None
        }
    );
    assert_eq!(sets(&Asked { cut: true, ..asked.clone() }, 7)[0].episodes, 4);
    // Random mazes are as many as asked for, of a set of the seed's own.
    assert_eq!(
        made[1],
        ProblemSet {
            overrides: map(&json!({"mazes": 4, "max_opt_len": 3, "split": "test", "maze_seed": 7})),
            file: None,
            episodes: 4,
            origin: None
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

fn gather(overrides: &Map<String, Value>, policy: &str) -> Vec<u8> {
    Gathering { entry: entry(), overrides, policy, episodes: 40, seed: 7, before: None, stop: &|| false }
        .play(|| ())
        .unwrap()
}

/// A test belongs to the agent under test: what another experienced is not asked of it.
#[test]
fn amendment_20_an_agents_own_experience_makes_its_tests() {
    let (keys, overrides) = (map(&json!({"experience": 40})), map(&json!({"mazes": 10})));
    let conditions: Vec<&str> = ["T", "RT"].into_iter().chain(Class::ALL.map(Class::name)).collect();
    let of = |player: Player<'_>| given(&asked(&keys, &overrides, &conditions, player), 7);
    let problems = |player: Player<'_>| {
        let sets = of(player).into_iter().collect::<Result<Vec<_>, _>>().unwrap();
        sets.into_iter().map(|set| (set.overrides, set.file, set.episodes)).collect::<Vec<_>>()
    };
    // A scripted policy plays training itself first.
    for policy in ["half", "random", "stepper", "oracle"] {
        let own = problems(Player::Scripted(policy));
        assert_eq!(own, problems(told(&gather(&overrides, policy))), "{policy}");
        assert_eq!(own, problems(Player::Scripted(&format!("agent={policy}"))), "{policy}");
        assert!(own[2..].iter().any(|set| set.2 > 0), "{policy}");
        let said = of(Player::Scripted(policy))[2].clone().unwrap().origin.unwrap();
        assert_eq!(said, format!("the experience of {policy} in 40 training episodes"));
    }
    assert_ne!(problems(Player::Scripted("half")), problems(Player::Scripted("oracle")));
    // One who experienced nothing has empty tests; one who tells nothing is refused them. T and RT are for all.
    let idle = gather(&overrides, "noop");
    for player in [Player::Scripted("noop"), told(&idle)] {
        let sets = problems(player);
        assert_eq!(sets[..2].iter().map(|set| set.2).collect::<Vec<_>>(), [10, 4]);
        assert!(sets[2..].iter().all(|set| set.1.is_none() && set.2 == 0));
    }
    let said = of(told(&idle))[2].clone().unwrap().origin.unwrap();
    assert!(said.starts_with("the experience that came with the agent (CRC-32 "), "{said}");
    let refused = of(Player::Agent(Told::default()));
    assert_eq!(refused[..2].iter().map(|set| set.clone().unwrap().episodes).collect::<Vec<_>>(), [10, 4]);
    assert!(refused[2..].iter().all(|set| set.as_ref().unwrap_err().contains("`--experience`")));
}

#[test]
fn amendment_22_thresholds_are_keys_of_the_kind() {
    let overrides = map(&json!({"mazes": 10}));
    let made = |keys: Value| {
        let keys = map(&keys);
        sets(&asked(&keys, &overrides, &["ST-1", "ST-2"], Player::Scripted("half")), 7)
    };
    let origin = |set: &ProblemSet| TestSet::from_json(&set.file.as_ref().unwrap().2).unwrap().origin;
    let by_default = origin(&made(json!({"experience": 40}))[0]);
    assert!(by_default.contains("th_s 20, th_c 20, th_a 5, strict_novelty true, st1_max_count 0"), "{by_default}");
    let told = json!({"experience": 40, "th_s": 9, "th_c": 8, "th_a": 7, "strict_novelty": false, "st1_max_count": 6});
    let told = origin(&made(told)[0]);
    assert!(told.contains("th_s 9, th_c 8, th_a 7, strict_novelty false, st1_max_count 6"), "{told}");
    // Nothing is known by a threshold that nothing passes.
    assert!(made(json!({"experience": 40, "th_s": u32::MAX})).iter().all(|set| set.episodes == 0));
}

/// The seven dynamic tests are also given as one mean (Fig. S14); training and random mazes are no part of it.
#[test]
fn amendment_24_the_dynamic_tests_are_merged() {
    for name in Class::ALL.map(Class::name).into_iter().chain(["st1", "aft_2", "ANT"]) {
        assert_eq!(Dynamic.merged(name), Some("ST, AfT, AnT merged"), "{name}");
    }
    assert_eq!(["T", "RT", "ST-3"].map(|name| Dynamic.merged(name)), [None; 3]);
}

#[test]
fn amendment_23_experience_of_other_mazes_is_refused() {
    let (keys, overrides) = (Map::new(), map(&json!({"mazes": 10})));
    let prepare = |bytes: &[u8], overrides: &Map<String, Value>| {
        let asked = asked(&keys, overrides, &["T", "AnT"], told(bytes));
        let sets = given(&asked, 7);
        assert!(sets[0].is_ok(), "T is played all the same");
        sets[1].clone().map(|_| ())
    };
    let own = gather(&overrides, "half");
    assert_eq!(prepare(&own, &overrides), Ok(()));
    for other in [json!({"mazes": 11}), json!({"mazes": 10, "maze_seed": 1}), json!({"mazes": 10, "split": "test"})] {
        let error = prepare(&gather(&map(&other), "half"), &overrides).unwrap_err();
        assert!(error.contains("it was made in other mazes"), "{error}");
    }
    // What T plays is what counts, not what the task says of its conditions together.
    let mut mixed = asked(&keys, &overrides, &["T", "AnT"], told(&own));
    mixed.conditions[0].overrides = map(&json!({"mazes": 12}));
    assert!(given(&mixed, 7)[1].clone().unwrap_err().contains("other mazes"));
    let error = prepare(b"no", &overrides).unwrap_err();
    assert!(error.contains("not experience of this environment"), "{error}");
    // Where no dynamic test is asked for, none is made.
    let without = asked(&keys, &overrides, &["T"], told(b"no"));
    assert!(given(&without, 7)[0].is_ok());
}

/// A maze walked the other way has the same cells: what is in them differs all the same.
#[test]
fn amendment_23_experience_of_the_same_cells_with_another_goal_is_refused() {
    let [there, back] = [maze((0, 0), "RRU", &[]), maze((2, 1), "DLL", &[])];
    assert!(there.cells().eq(back.cells()));
    let rules = SymbolicConfig::default().settings().count_rules();
    let mut counts = vec![0; counters(1)];
    let mut of = |maze: &Maze| {
        let entries: Vec<_> = entries_of(maze).collect();
        let experience = Experience::of(std::slice::from_ref(maze), &entries, rules, &counts);
        let own = experience.write(std::slice::from_ref(&there), rules, &mut counts);
        (experience, own.map_err(|e| e.to_string()))
    };
    let ((mut here, taken), (other, refused)) = (of(&there), of(&back));
    assert_eq!(taken, Ok(()));
    assert!(refused.unwrap_err().contains("it was made in other mazes"));
    assert!(here.merge(&other).unwrap_err().to_string().contains("made in different mazes"));
}

#[test]
fn experience_is_gathered_over_episodes_and_added_to() {
    let overrides = map(&json!({"mazes": 3}));
    let gather = |episodes, before: Option<&[u8]>| {
        let mut heard = 0;
        let gathering = Gathering {
            entry: entry(),
            overrides: &overrides,
            policy: "oracle",
            episodes,
            seed: 1,
            before,
            stop: &|| false,
        };
        let bytes = gathering.play(|| heard += 1).unwrap();
        assert_eq!(heard, episodes);
        Experience::from_bytes(&bytes).unwrap()
    };
    let moves = |experience: &Experience| experience.visits.iter().map(|v| v.count).sum::<u32>();
    // Each of the three mazes once: the oracle makes no invalid move.
    let config = SymbolicConfig { mazes: 3, ..SymbolicConfig::default() };
    let (episodes, _) = play::<Symbolic>(&config, "oracle", None, 0);
    let once = gather(3, None);
    assert_eq!(moves(&once) as f32, episodes.iter().map(|e| e.get("length")).sum::<f32>());
    let twice = gather(3, Some(&once.to_bytes()));
    assert_eq!(moves(&twice), 2 * moves(&once));
}
