//! Evaluations: the same records with any threads and after any interruption, and failures that stop nobody else.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use heldout_core::{Autoreset, Buffers, Entry, Options, Reset, Seed, Seeding, Spec};
use heldout_eval::entrant::{Agent, Entrant, Place, no_learners};
use heldout_eval::protocol::Protocol;
use heldout_eval::records::{Failure, Recorded};
use heldout_eval::runner::{EvalError, Evaluation, Outcome, Progress};
use heldout_eval::{Actor, Turn};

use crate::common::{Folder, tree};

/// Every kind of task, several blocks of episodes, one and two agents.
pub(crate) const ALL_KINDS: &str = r#"
title = "All kinds"
summary = "Every kind of task."
seeds = 2
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 70
metric = "success"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "problems"
id = "example/grid-v1"
kind = "problems"
metric = "success"
set = { levels = 40 }
[[task.condition]]
name = "test"
held_out = true
set = { levels = 45 }
[[task]]
name = "signal"
id = "example/signal-v1"
episodes = 33
metric = "accuracy"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 300 }
episodes = 6
metric = "rho_g"
set = { mazes = 20, max_steps = 100 }
[[task.condition]]
name = "T"
held_out = false
[[task.condition]]
name = "RT"
held_out = true
[[task.condition]]
name = "ST-2"
held_out = true
[[task.condition]]
name = "AnT"
held_out = true
[[task]]
name = "language"
id = "s2b/game-v1"
kind = "s2b-language"
episodes = 5
metric = "topsim"
[[task.condition]]
name = "language"
held_out = true
"#;

pub(crate) fn evaluation(text: &str, policies: &[&str], out: &Path, threads: usize) -> Evaluation {
    Evaluation {
        protocols: vec![Protocol::parse("mine", "mine.toml", text).unwrap()],
        entrants: policies.iter().map(|p| Entrant::parse(p, &no_learners).unwrap()).collect(),
        tasks: Vec::new(),
        out: out.to_owned(),
        seed: 3,
        seeds: None,
        episodes: None,
        threads,
        resume: false,
        other_build: false,
    }
}

pub(crate) fn run(evaluation: &Evaluation) -> Outcome {
    evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap()
}

/// Stops once `after` episodes have been played.
fn run_until(evaluation: &Evaluation, after: u64) -> Outcome {
    let stop = AtomicBool::new(false);
    let hear = |progress: Progress<'_>| {
        if matches!(progress, Progress::Played(done, _) if done >= after) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    evaluation.run(&stop, &hear).unwrap()
}

#[test]
fn records_depend_neither_on_threads_nor_on_the_directory() {
    let folders = [1, 2, 7].map(|threads| (threads, Folder::new(&format!("threads-{threads}"))));
    for (threads, folder) in &folders {
        let outcome = run(&evaluation(ALL_KINDS, &["random", "oracle"], &folder.0, *threads));
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
        assert_eq!((outcome.done, outcome.interrupted), (outcome.total, false));
    }
    let first = tree(&folders[0].1.0);
    assert_eq!(first.keys().filter(|name| name.starts_with("records")).count(), 16);
    for (threads, folder) in &folders[1..] {
        assert!(first == tree(&folder.0), "{threads} threads");
    }
    let all = Recorded::read_all(&folders[0].1.0).unwrap();
    assert!(all.iter().all(Recorded::complete));
    let find = |task: &str, condition: &str, agent: &str| {
        let fits =
            |r: &&Recorded| (&*r.header.task, &*r.header.condition, &*r.header.agent) == (task, condition, agent);
        all.iter().find(fits).unwrap_or_else(|| panic!("{task} {condition} {agent}"))
    };
    let grid = find("grid", "train", "oracle");
    assert_eq!((grid.records.len(), grid.header.seeds.as_slice()), (140, &[3, 4][..]));
    assert!(grid.records.iter().all(|r| r.value("success") == Some(1.0)));
    // Both policies are given the same problems; a seed's are its own.
    let problems = find("problems", "test", "random");
    assert_eq!(problems.header.config["levels"], 45);
    let played: Vec<_> = problems.records.iter().map(|r| r.problem.unwrap()).collect();
    assert_eq!(played, [(0..45).collect::<Vec<_>>(), (0..45).collect()].concat());
    let halma = find("halma", "ST-2", "oracle");
    assert!(halma.records.iter().all(|r| r.value("rho_g") == Some(1.0)) && !halma.records.is_empty());
    // What the problems were is in the header, the path to them is not.
    assert_eq!(halma.header.config["problems"], serde_json::Value::Null);
    assert_eq!(halma.header.sources.len(), 2);
    assert_ne!(halma.header.sources[0].content, halma.header.sources[1].content);
    assert_eq!(find("halma", "RT", "oracle").records.len(), 12);
    let language = find("language", "language", "oracle");
    assert!(language.records.iter().all(|r| r.value("posdis").is_some_and(|x| (x - 1.0).abs() < 1e-12)));
}

#[test]
fn an_interrupted_run_is_resumed_to_the_same_bytes() {
    let whole = Folder::new("whole");
    let total = run(&evaluation(ALL_KINDS, &["random"], &whole.0, 2)).total;
    let expected = tree(&whole.0);
    // Of two threads the other may play the last episode before it hears that it is to stop.
    for (after, threads) in [(0, 1), (1, 2), (45, 1), (100, 2), (200, 1), (total - 1, 1)] {
        let folder = Folder::new("part");
        let first = evaluation(ALL_KINDS, &["random"], &folder.0, threads);
        let outcome = run_until(&first, after);
        assert!(outcome.interrupted && outcome.done < total, "{after}: {outcome:?}");
        // Episodes that were finished in order are not lost.
        assert!(first.threads > 1 || outcome.done + 32 > after, "{after}: {outcome:?}");
        let again = Evaluation { resume: true, ..first };
        let outcome = run(&again);
        assert_eq!((outcome.done, outcome.interrupted), (total, false));
        assert!(expected == tree(&folder.0), "stopped after {after}");
        // Resuming what is complete changes nothing.
        run(&again);
        assert!(expected == tree(&folder.0));
    }
}

#[test]
fn a_file_cut_anywhere_after_its_header_is_completed() {
    let folder = Folder::new("cut");
    let first = evaluation(ALL_KINDS, &["random"], &folder.0, 1);
    run(&first);
    let expected = tree(&folder.0);
    let path = folder.0.join("records/mine/grid/train/random.jsonl");
    let bytes = std::fs::read(&path).unwrap();
    let header = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
    for len in [header, header + 1, header + 200, header.midpoint(bytes.len()), bytes.len() - 1] {
        std::fs::write(&path, &bytes[..len]).unwrap();
        run(&Evaluation { resume: true, ..first.clone() });
        assert!(expected == tree(&folder.0), "cut to {len} of {}", bytes.len());
    }
}

#[test]
fn records_in_the_way_stop_the_run_before_it_plays() {
    let folder = Folder::new("way");
    let first = evaluation(ALL_KINDS, &["random"], &folder.0, 1);
    run(&first);
    let before = tree(&folder.0);
    let refused = |evaluation: Evaluation, message: &str| {
        let heard = AtomicBool::new(false);
        let hear = |progress: Progress<'_>| {
            if matches!(progress, Progress::Played(..)) {
                heard.store(true, Ordering::Relaxed);
            }
        };
        let error = evaluation.run(&AtomicBool::new(false), &hear).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\n  must contain\n{message}");
        assert!(!heard.load(Ordering::Relaxed), "{message}");
        assert!(before == tree(&folder.0), "{message}");
    };
    refused(first.clone(), "is already there: continue it with `--resume`");
    let resumed = Evaluation { resume: true, ..first.clone() };
    refused(Evaluation { seed: 4, ..resumed.clone() }, "`seeds` = `[3,4]`, this evaluation has `[4,5]`");
    refused(
        Evaluation { episodes: Some(9), ..resumed.clone() },
        "was recorded with 70 episodes, this evaluation has 9",
    );
    let relabelled = vec![Entrant::parse("random@oracle", &no_learners).unwrap()];
    refused(Evaluation { entrants: relabelled, ..resumed.clone() }, "`policy` = `\"random\"`, this evaluation has");
    // Another policy has files of its own.
    let more = vec![Entrant::parse("random", &no_learners).unwrap(), Entrant::parse("oracle", &no_learners).unwrap()];
    run(&Evaluation { entrants: more, ..resumed });
    let after = tree(&folder.0);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
    assert!(after.len() > before.len());
}

#[test]
fn a_failing_task_does_not_stop_the_others() {
    let text = r#"
title = "Failures"
summary = "One task of six can be played."
seeds = 1
[[task]]
name = "unknown"
id = "memory/no-such-v1"
episodes = 2
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "key"
id = "example/grid-v1"
episodes = 2
[[task.condition]]
name = "train"
held_out = false
set = { colour = "red" }
[[task]]
name = "metric"
id = "example/grid-v1"
episodes = 2
metric = "beauty"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "endless"
id = "example/signal-v1"
kind = "problems"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "file"
id = "halma/symbolic-v1"
episodes = 2
[[task.condition]]
name = "train"
held_out = false
set = { problems = "no-such-file.json" }
[[task]]
name = "sound"
id = "example/grid-v1"
episodes = 2
[[task.condition]]
name = "train"
held_out = false
"#;
    let folder = Folder::new("failing");
    let outcome = run(&evaluation(text, &["oracle", "greedy"], &folder.0, 2));
    let problems: Vec<(&str, &str, &str)> =
        outcome.failures.iter().map(|f| (&*f.task, &*f.agent, &*f.problem)).collect();
    let expected = [
        ("unknown", "there is no environment `memory/no-such-v1`"),
        ("key", "`colour`: unknown field `colour`"),
        ("metric", "`example/grid-v1` has no metric `beauty`; it has `return`, `length`, `success`"),
        ("endless", "`example/signal-v1` has no finite problem set"),
        ("file", "`no-such-file.json`"),
    ];
    for (task, problem) in expected {
        for agent in ["oracle", "greedy"] {
            let found = problems.iter().find(|(t, a, _)| (*t, *a) == (task, agent));
            let (_, _, told) = found.unwrap_or_else(|| panic!("{task} {agent} is not in {problems:?}"));
            // A policy that does not exist there is told first or last, but told.
            assert!(told.contains(problem) || agent == "greedy", "{told}\n  must contain\n{problem}");
        }
    }
    assert_eq!(problems.len(), 10, "{problems:?}");
    let recorded = Recorded::read_all(&folder.0).unwrap();
    assert_eq!(recorded.len(), 2);
    assert!(recorded.iter().all(|r| r.complete() && r.header.task == "sound"));
    assert_eq!(Failure::read_all(&folder.0).unwrap(), outcome.failures);
    // A run of another policy keeps them listed; the same run replaces its own.
    let other = evaluation(text, &["random"], &folder.0, 1);
    run(&other);
    assert_eq!(Failure::read_all(&folder.0).unwrap().len(), 15);
    run(&Evaluation { resume: true, ..other });
    assert_eq!(Failure::read_all(&folder.0).unwrap().len(), 15);
}

/// One task with its id left open.
fn one(id: &str, episodes: u64, set: &str) -> String {
    format!(
        "title = \"One\"\nsummary = \"One task.\"\nseeds = 2\n[[task]]\nname = \"one\"\nid = \"{id}\"\n\
         episodes = {episodes}\nset = {{ {set} }}\n[[task.condition]]\nname = \"train\"\nheld_out = false\n"
    )
}

#[test]
fn a_name_seats_every_agent() {
    for (policy, seated) in [
        ("oracle", "oracle"),
        ("nearest", "speaker=oracle,listener=nearest"),
        ("holistic", "speaker=holistic,listener=oracle"),
        ("speaker=posdis,listener=bayes", "speaker=posdis,listener=bayes"),
        ("speaker=random,listener=random", "random"),
    ] {
        let folder = Folder::new("seats");
        let labelled = format!("pair@{policy}");
        let outcome = run(&evaluation(&one("s2b/game-v1", 2, ""), &[&labelled], &folder.0, 1));
        assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
        let recorded = Recorded::read_all(&folder.0).unwrap();
        assert_eq!((&*recorded[0].header.agent, &*recorded[0].header.policy), ("pair", seated));
    }
    let folder = Folder::new("no-seat");
    let outcome = run(&evaluation(&one("s2b/game-v1", 2, ""), &["greedy"], &folder.0, 1));
    assert!(outcome.failures[0].problem.contains("there is no policy `greedy` here"), "{:?}", outcome.failures);
}

#[test]
fn texts_that_name_no_policy_are_told() {
    for (text, message) in [
        ("orcale", "no environment has a policy `orcale`; there are `"),
        ("out/model.safetensors", "cannot play the checkpoint `out/model.safetensors`: this version has no learners"),
        ("mine@runs/best", "cannot play the checkpoint `runs/best`"),
        ("speaker=runs/best,listener=nearest", "cannot play the checkpoint `runs/best`"),
        ("@random", "has the label ``"),
        ("speaker=posdis,listener=", "no environment has a policy ``"),
    ] {
        let error = Entrant::parse(text, &no_learners).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\n  must contain\n{message}");
    }
    let folder = Folder::new("twice");
    let twice = evaluation(&one("example/grid-v1", 2, ""), &["a b@random", "a/b@oracle"], &folder.0, 1);
    let error = twice.run(&AtomicBool::new(false), &|_| ()).unwrap_err();
    assert!(matches!(error, EvalError::Twice { what: "labels", .. }), "{error}");
}

/// An agent that does whatever its function says of a turn.
struct Does(fn(Turn<'_>) -> Result<(), String>);

impl Agent for Does {
    fn name(&self) -> String {
        "a function".to_owned()
    }

    fn actor(&self, _: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
        struct Acting(fn(Turn<'_>) -> Result<(), String>);
        impl Actor for Acting {
            fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
                (self.0)(turn)
            }
        }
        Ok(Box::new(Acting(self.0)))
    }
}

fn with_agent(text: &str, out: &Path, threads: usize, does: fn(Turn<'_>) -> Result<(), String>) -> Evaluation {
    let agent = Entrant::agent("mine", Arc::new(Does(does))).unwrap();
    Evaluation { entrants: vec![agent], ..evaluation(text, &[], out, threads) }
}

/// The task of [`ALL_KINDS`] whose tests are made from experience.
fn dynamic() -> String {
    let (head, tasks) = ALL_KINDS.split_once("[[task]]").unwrap();
    let task = tasks.split("[[task]]").find(|task| task.contains("halma-dynamic")).unwrap();
    format!("{head}[[task]]{task}")
}

#[test]
fn amendment_20_an_agent_without_experience_is_refused_the_tests_made_from_it() {
    let noop = |turn: Turn<'_>| {
        turn.actions.fill(0);
        Ok(())
    };
    let folder = Folder::new("untold");
    let outcome = run(&with_agent(&dynamic(), &folder.0, 1, noop));
    // T and RT are played, and the refusal says what is missing.
    let [st2, ant] = outcome.failures.as_slice() else { panic!("{:?}", outcome.failures) };
    assert_eq!((st2.condition.as_str(), ant.condition.as_str()), ("ST-2", "AnT"));
    assert!(st2.problem.contains("`--experience`"), "{}", st2.problem);
    let conditions: Vec<_> = Recorded::read_all(&folder.0).unwrap().into_iter().map(|r| r.header.condition).collect();
    assert_eq!(conditions, ["RT", "T"]);

    // With another's experience it is given that one's tests, and the record says so.
    let halves = Folder::new("half");
    run(&evaluation(&dynamic(), &["half"], &halves.0, 1));
    let entry = heldout_envs::find("halma/symbolic-v1").unwrap();
    let told = Folder::new("told");
    let mut evaluation = with_agent(&dynamic(), &told.0, 1, noop);
    evaluation.entrants[0].experience = Some(experience(entry).into());
    let outcome = run(&evaluation);
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    let made_from = |folder: &Folder| {
        let all = Recorded::read_all(&folder.0).unwrap();
        let all = all.into_iter().filter(|r| r.header.condition != "AnT");
        all.map(|r| (r.header.condition, r.header.made_from)).collect::<Vec<_>>()
    };
    let half = "the experience of half in 300 training episodes".to_owned();
    let none = [("RT".to_owned(), None), ("T".to_owned(), None)];
    let st2 = |from| ("ST-2".to_owned(), Some(from));
    assert_eq!(made_from(&halves), [none[0].clone(), st2(half), none[1].clone()]);
    let told = made_from(&told);
    assert!(told[1].1.as_ref().unwrap().starts_with("the experience that came with the agent (CRC-32 "), "{told:?}");
    assert_eq!((&told[0], &told[2]), (&none[0], &none[1]));
}

/// What half-random play experiences in the mazes of [`dynamic`].
fn experience(entry: &'static Entry) -> Vec<u8> {
    let overrides = serde_json::json!({"mazes": 20, "max_steps": 100, "split": "train", "experience": true});
    let mut env = entry.make(overrides.as_object().unwrap(), 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    env.seat(0, "half", Seed(5)).unwrap();
    env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
    let mut actions = vec![0; env.spec().action_width()];
    for _ in 0..20_000 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
    }
    env.experience(0).unwrap().unwrap()
}

/// Scales are measured on one policy's tests, so that floor and ceiling speak of the same problems.
#[test]
fn amendment_20_scales_are_measured_on_the_same_tests() {
    let folder = Folder::new("scales");
    let protocol = Protocol::parse("mine", "mine.toml", &dynamic()).unwrap();
    let entrants = heldout_eval::scales::entrants(std::slice::from_ref(&protocol));
    let evaluation = Evaluation { entrants, ..evaluation(&dynamic(), &[], &folder.0, 2) };
    assert!(run(&evaluation).failures.is_empty());
    let all = Recorded::read_all(&folder.0).unwrap();
    let of: Vec<_> = all.iter().filter(|r| r.header.condition == "ST-2").collect();
    assert!(of.len() >= 4, "random, two shortcuts and the oracle");
    for recorded in &of {
        assert_eq!(recorded.header.sources, of[0].header.sources);
        let half = "the experience of half in 300 training episodes";
        assert_eq!(recorded.header.made_from.as_deref(), Some(half), "{}", recorded.header.agent);
    }
}

#[test]
fn an_agent_that_plays_like_a_script_has_its_records() {
    let text = one("halma/symbolic-v1", 150, "max_steps = 60");
    let (ours, theirs) = (Folder::new("agent"), Folder::new("script"));
    let outcome = run(&with_agent(&text, &ours.0, 2, |turn| {
        turn.actions.fill(0);
        Ok(())
    }));
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    run(&evaluation(&text, &["noop"], &theirs.0, 1));
    let (ours, theirs) = (Recorded::read_all(&ours.0).unwrap(), Recorded::read_all(&theirs.0).unwrap());
    assert_eq!(ours[0].records.len(), 300);
    assert_eq!(ours[0].records, theirs[0].records);
    assert_eq!((&*ours[0].header.agent, &*ours[0].header.policy), ("mine", "a function"));
}

#[test]
fn an_agent_whose_answers_depend_on_its_batch_is_resumed_to_the_same_bytes() {
    // Each copy's move depends on how many copies begin, and on the seeds of all.
    let does: fn(Turn<'_>) -> Result<(), String> = |turn| {
        let begun = turn.starts.iter().filter(|s| **s).count() as u64;
        let mixed = turn.seeds.iter().fold(begun, |sum, seed| sum.wrapping_mul(31).wrapping_add(seed.0));
        let sizes = turn.spec.agents[0].action.sizes();
        for (i, action) in turn.actions.iter_mut().enumerate() {
            *action = (mixed.wrapping_add(i as u64) % u64::from(sizes[i % sizes.len()])) as i32;
        }
        Ok(())
    };
    let text = one("example/grid-v1", 200, "");
    let whole = Folder::new("batch-whole");
    run(&with_agent(&text, &whole.0, 1, does));
    let expected = tree(&whole.0);
    for (after, threads) in [(400, 2), (1, 1), (150, 1), (333, 2)] {
        let folder = Folder::new("batch-part");
        let first = with_agent(&text, &folder.0, threads, does);
        run_until(&first, after);
        run(&Evaluation { resume: true, ..first });
        assert!(expected == tree(&folder.0), "{after} {threads}");
    }
}

/// A recurrent agent reads what its last action was paid, also when another copy has just begun anew.
#[test]
fn an_agent_is_told_what_the_last_step_paid() {
    static TOLD: Mutex<BTreeMap<u64, Vec<(f32, f32)>>> = Mutex::new(BTreeMap::new());
    const SET: &str = "max_steps = 40, max_trials = 3, reward_invalid = -5.0, mazes = 9";
    let text = one("halma/symbolic-v1", 20, SET);
    let folder = Folder::new("told rewards");
    let outcome = run(&with_agent(&text, &folder.0, 1, |turn| {
        let moved = turn.spec.metric("invalid").unwrap();
        let (agents, metrics) = (turn.spec.agents.len(), turn.spec.metrics.len());
        for copy in (0..turn.playing.len()).filter(|&copy| turn.playing[copy]) {
            let said = (turn.rewards[copy * agents], turn.metrics[copy * metrics + moved]);
            assert!(!turn.starts[copy] || said == (0.0, 0.0));
            TOLD.lock().unwrap().entry(turn.seeds[copy].0).or_default().push(said);
        }
        // One to the left, as if there were no walls.
        turn.actions.fill(0);
        turn.actions.chunks_mut(turn.spec.action_width()).for_each(|own| own[1] = 1);
        Ok(())
    }));
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    let told = TOLD.lock().unwrap();
    assert_eq!(told.len(), 40);
    let entry = heldout_envs::find("halma/symbolic-v1").unwrap();
    let overrides = serde_json::json!({"max_steps": 40, "max_trials": 3, "reward_invalid": -5.0, "mazes": 9});
    for (seed, told) in told.iter() {
        let options = Options { autoreset: Autoreset::Disabled, ..Default::default() };
        let mut env = entry.make(overrides.as_object().unwrap(), 1, options).unwrap();
        let mut buffers = Buffers::new(env.spec(), 1);
        let seeds = [Some(Seed(*seed))];
        let reset = Reset { seeds: Seeding::Copies(&seeds), problems: &[None], mask: None };
        env.reset(reset, buffers.output()).unwrap();
        let mut action = vec![0; env.spec().action_width()];
        action[1] = 1;
        let invalid = env.spec().metric("invalid").unwrap();
        let mut expected = vec![(0.0, 0.0)];
        loop {
            env.step(&action, buffers.output()).unwrap();
            if buffers.status[0].ended() {
                break;
            }
            expected.push((buffers.rewards[0], buffers.metrics[invalid]));
        }
        assert_eq!(*told, expected);
    }
}

#[test]
fn an_agent_that_breaks_down_is_a_failure() {
    let folder = Folder::new("broken");
    let text = one("example/grid-v1", 5, "");
    let outcome = run(&with_agent(&text, &folder.0, 1, |_| Err("no idea".to_owned())));
    assert_eq!(outcome.failures[0].problem, "the policy failed: no idea");
    let folder = Folder::new("outside");
    let outcome = run(&with_agent(&text, &folder.0, 1, |turn| {
        turn.actions.fill(99);
        Ok(())
    }));
    assert!(outcome.failures[0].problem.contains("`[99]` is not an action of Discrete"), "{:?}", outcome.failures);
}
