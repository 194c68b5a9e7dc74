//! The seam for learners: what an agent that is not scripted is asked, may choose and is recorded as.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heldout_core::{Speaker, Spec, Stimuli};
use heldout_eval::entrant::{Agent, Entrant, Place, no_learners};
use heldout_eval::protocol::Protocol;
use heldout_eval::records::{Header, Recorded, Source};
use heldout_eval::results::{Cell, Results};
use heldout_eval::runner::{EvalError, Evaluation, Outcome, Progress};
use heldout_eval::{Actor, Episodes, Run, Turn};
use serde_json::{Map, Value, json};

use crate::common::{Folder, tree};

/// An agent made of choices: each test changes those that it is about.
#[derive(Clone)]
struct Toy {
    /// Policies that it was trained to.
    runs: usize,
    /// The hash of each.
    hash: fn(usize) -> u64,
    enters: fn(&Place<'_>) -> bool,
    view: Value,
    plays: &'static [&'static str],
    speaks: bool,
}

const TOY: Toy = Toy {
    runs: 1,
    hash: |_| 0,
    enters: |_| true,
    view: Value::Null,
    plays: &["guide", "walker", "agent"],
    speaks: false,
};

/// In the grid it goes where the number of its run says, always; as a guide it names what it sees.
struct ToyActor {
    run: usize,
}

impl Actor for ToyActor {
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
        let width = turn.spec.action_width();
        if turn.spec.agents.len() == 1 {
            turn.actions.fill((self.run % 4) as i32);
            return Ok(());
        }
        // What it says for those it does not play is dropped.
        turn.actions.fill(0);
        let rows = turn.observation.rows();
        for copy in (0..turn.playing.len()).filter(|_| turn.agents[0]) {
            let features = rows.row(copy * turn.spec.agents.len()).f32(0);
            let at = |part: &[f32]| part.iter().position(|&x| x == 1.0).unwrap_or(0) as i32;
            let span = turn.spec.action_span(0);
            turn.actions[copy * width..][span].copy_from_slice(&[at(&features[..4]), at(&features[4..8])]);
        }
        Ok(())
    }
}

/// Says the section of each number, of five.
struct ToySpeaker;

impl Speaker for ToySpeaker {
    fn utter(&self, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String> {
        assert_eq!(stimuli.width, stimuli.length);
        Ok(stimuli.numbers.iter().map(|x| ((f64::from(*x) + 1.0) * 2.5).floor().clamp(0.0, 4.0) as u32 + 1).collect())
    }
}

impl Agent for Toy {
    fn name(&self) -> String {
        "toy".to_owned()
    }

    fn label(&self) -> String {
        "TOY+MEM".to_owned()
    }

    fn identity(&self, place: &Place<'_>) -> String {
        format!("toy sha256:{:012x}", (self.hash)(place.run))
    }

    fn runs(&self, _: &Place<'_>) -> usize {
        self.runs
    }

    fn enters(&self, place: &Place<'_>) -> bool {
        (self.enters)(place)
    }

    fn plays(&self, _: &Place<'_>, agent: &str) -> bool {
        self.plays.contains(&agent)
    }

    fn view(&self, _: &Place<'_>) -> Map<String, Value> {
        self.view.as_object().cloned().unwrap_or_default()
    }

    fn actor(&self, place: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
        Ok(Box::new(ToyActor { run: place.run % self.runs }))
    }

    fn speaker(&self, _: &Place<'_>) -> Option<Arc<dyn Speaker>> {
        self.speaks.then(|| Arc::new(ToySpeaker) as Arc<dyn Speaker>)
    }

    fn backend(&self) -> Option<String> {
        Some("flex avx2".to_owned())
    }

    fn sources(&self, place: &Place<'_>) -> Vec<Source> {
        vec![Source { name: "policy".to_owned(), content: format!("{:012x}", (self.hash)(place.run)) }]
    }
}

/// Two tasks of a grid, the second under two conditions.
const GRIDS: &str = r#"
title = "Grids"
summary = "Two tasks."
seeds = 2
[[task]]
name = "small"
id = "example/grid-v1"
episodes = 40
metric = "success"
[[task.condition]]
name = "train"
held_out = false
[[task]]
name = "more"
id = "example/grid-v1"
kind = "problems"
metric = "success"
set = { levels = 50 }
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "heldout" }
"#;

fn one(id: &str, keys: &str) -> String {
    format!(
        "title = \"One\"\nsummary = \"One task.\"\nseeds = 2\n[[task]]\nname = \"one\"\nid = \"{id}\"\n{keys}\n\
         [[task.condition]]\nname = \"train\"\nheld_out = false\n"
    )
}

fn evaluation(text: &str, entrant: Entrant, out: &Path) -> Evaluation {
    Evaluation {
        protocols: vec![Protocol::parse("mine", "mine.toml", text).unwrap()],
        entrants: vec![entrant],
        tasks: Vec::new(),
        out: out.to_owned(),
        seed: 3,
        seeds: None,
        episodes: None,
        threads: 2,
        resume: false,
        other_build: false,
    }
}

fn of(toy: Toy) -> Entrant {
    Entrant::agent("mine", Arc::new(toy)).unwrap()
}

fn scripted(policy: &str) -> Entrant {
    Entrant::parse(policy, &no_learners).unwrap()
}

fn run(evaluation: &Evaluation) -> Outcome {
    evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap()
}

/// The records of `entrant`, all of which could be made.
fn records(text: &str, entrant: Entrant) -> Vec<Recorded> {
    let folder = Folder::new("seam");
    let outcome = run(&evaluation(text, entrant, &folder.0));
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    assert_eq!(outcome.done, outcome.total);
    Recorded::read_all(&folder.0).unwrap()
}

/// Why the first cell of `entrant` cannot be played.
fn refused(text: &str, entrant: Entrant) -> String {
    let folder = Folder::new("refused");
    run(&evaluation(text, entrant, &folder.0)).failures[0].problem.clone()
}

#[test]
fn seam_s2_each_run_is_played_by_its_own_policy() {
    let text = one("example/grid-v1", "episodes = 40\nmetric = \"success\"");
    // The protocol has two seeds, the agent three policies: three runs.
    let all = records(&text, of(Toy { runs: 3, hash: |run| run as u64, ..TOY }));
    let header = &all[0].header;
    assert_eq!(header.seeds, [3, 4, 5]);
    assert_eq!(header.policy, "toy");
    assert_eq!(header.policies, ["toy sha256:000000000000", "toy sha256:000000000001", "toy sha256:000000000002"]);
    assert_eq!(Cell::new(all[0].clone(), "success").policies().len(), 3);
    for (number, direction) in [(0_usize, 0_usize), (1, 1), (2, 2)] {
        // One policy that goes there always, on the seed of that run.
        struct Always(usize);
        impl Agent for Always {
            fn name(&self) -> String {
                "always".to_owned()
            }
            fn actor(&self, _: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
                Ok(Box::new(ToyActor { run: self.0 }))
            }
        }
        let alone = Entrant::agent("alone", Arc::new(Always(direction))).unwrap();
        let folder = Folder::new("alone");
        run(&Evaluation { seed: 3 + number as u64, seeds: Some(1), ..evaluation(&text, alone, &folder.0) });
        let alone = Recorded::read_all(&folder.0).unwrap();
        assert_eq!(all[0].records[number * 40..(number + 1) * 40], alone[0].records, "run {number}");
    }
    // The caller may ask for fewer, and never gets more than there are.
    for (asked, played) in [(1, 1), (2, 2), (9, 3)] {
        let folder = Folder::new("fewer");
        let toy = of(Toy { runs: 3, hash: |run| run as u64, ..TOY });
        run(&Evaluation { seeds: Some(asked), ..evaluation(&text, toy, &folder.0) });
        assert_eq!(Recorded::read_all(&folder.0).unwrap()[0].header.seeds.len(), played, "{asked}");
    }
    // Seeds whose policies have one hash are one run, as is an agent of one policy on a longer list of episodes.
    for (runs, seeds) in [(1, 2), (3, 3)] {
        let one = records(&text, of(Toy { runs, hash: |_| 9, ..TOY }));
        assert_eq!((one[0].header.seeds.len(), one[0].header.policy.as_str()), (seeds, "toy sha256:000000000009"));
        assert!(one[0].header.policies.is_empty());
        assert_eq!(Cell::new(one[0].clone(), "success").policies(), ["toy sha256:000000000009"]);
    }
}

#[test]
fn seam_s3_what_an_agent_does_not_enter_is_absent() {
    let folder = Folder::new("enters");
    let toy = of(Toy { enters: |place| place.protocol == "mine" && place.task == "more", ..TOY });
    let outcome = run(&evaluation(GRIDS, toy, &folder.0));
    assert!(outcome.failures.is_empty() && outcome.done == outcome.total);
    let tasks: Vec<String> = Recorded::read_all(&folder.0).unwrap().into_iter().map(|r| r.header.task).collect();
    assert_eq!(tasks, ["more", "more"]);
}

#[test]
fn seam_s4_a_view_is_how_it_sees_and_nothing_else() {
    let text = one("example/grid-v1", "episodes = 40\nmetric = \"success\"\nset = { image = false }");
    let plain = records(&text, of(TOY));
    let folder = Folder::new("view");
    run(&evaluation(&text, of(Toy { view: json!({"image": true}), ..TOY }), &folder.0));
    let seen = Recorded::read_all(&folder.0).unwrap();
    assert_eq!((&plain[0].header.config["image"], &seen[0].header.config["image"]), (&json!(false), &json!(true)));
    assert_eq!(plain[0].records, seen[0].records, "the problems are the same");
    // The report finds nothing odd in it, but does in another key.
    let results = Results::read(&[&folder.0]).unwrap();
    assert!(results.notes.is_empty(), "{:?}", results.notes);
    for (key, view) in [("levels", json!({"levels": 3})), ("split", json!({"split": "heldout"}))] {
        let problem = refused(&text, of(Toy { view, ..TOY }));
        assert!(problem.contains(&format!("`toy` asks for `{key}`")), "{problem}");
        assert!(problem.ends_with("views of `example/grid-v1` are `image`"), "{problem}");
    }
}

#[test]
fn seam_s4_an_aid_is_for_scripted_policies_alone() {
    let text = one("memory/explore-goal-locations-mini-v1", "episodes = 6\nset = { pose = false }");
    for policy in ["honest", "window"] {
        let all = records(&text, scripted(policy));
        assert_eq!((all[0].records.len(), &all[0].header.config["pose"]), (12, &json!(true)), "{policy}");
    }
    assert_eq!(records(&text, scripted("memoryless"))[0].header.config["pose"], json!(false));
    let problem = refused(&text, of(Toy { view: json!({"pose": true}), ..TOY }));
    assert!(problem.contains("`toy` asks for `pose` = `true`"), "{problem}");
    // The protocol of the small variants has its floor by them now.
    let protocol = Protocol::find("memory-mini").unwrap();
    let folder = Folder::new("mini");
    let entrants = vec![scripted("window"), scripted("honest")];
    let base = evaluation(&text, of(TOY), &folder.0);
    let outcome = run(&Evaluation { protocols: vec![protocol], entrants, episodes: Some(1), seeds: Some(1), ..base });
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    assert_eq!(outcome.done, 13 * 3 * 2);
}

/// A checkpoint of a toy that lies at any path whose name begins with `toy`.
fn load(path: &Path) -> Result<Arc<dyn Agent>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with("toy") {
        return Err(format!("`{name}` is no toy"));
    }
    Ok(Arc::new(Toy { plays: &["guide"], ..TOY }))
}

#[test]
fn seam_s5_an_agent_beside_a_script_plays_as_the_script_in_its_seat() {
    let text = one("example/signal-v1", "episodes = 150\nmetric = \"accuracy\"");
    for (walker, accuracy) in [("random", 0.6), ("oracle", 1.0)] {
        let ours = records(&text, Entrant::parse(&format!("guide=runs/toy,walker={walker}"), &load).unwrap());
        let theirs = records(&text, scripted(&format!("guide=oracle,walker={walker}")));
        assert_eq!(ours[0].records, theirs[0].records, "{walker}");
        assert_eq!(ours[0].header.policy, format!("guide=toy sha256:000000000000,walker={walker}"));
        let mean = Cell::new(ours[0].clone(), "accuracy").stratum.mean().unwrap();
        assert!((walker == "oracle") == (mean == 1.0) && mean <= accuracy, "{walker}: {mean}");
    }
    // Alone, it has the best partner beside it.
    let alone = records(&text, Entrant::parse("runs/toy", &load).unwrap());
    assert_eq!(alone[0].header.policy, "guide=toy sha256:000000000000,walker=oracle");
    assert_eq!(alone[0].records, records(&text, scripted("oracle"))[0].records);
    for (policy, message) in [
        ("walker=runs/toy,guide=oracle", "`toy` does not play the agent `walker`"),
        ("guide=runs/toy", "agent `walker` is given no policy"),
        ("guide=runs/toy,guide=oracle", "`guide` does not give one policy to one agent"),
    ] {
        let problem = refused(&text, Entrant::parse(policy, &load).unwrap());
        assert!(problem.contains(message), "{problem}\n  must contain\n{message}");
    }
}

#[test]
fn seam_s6_a_run_takes_an_agent_too() {
    let entry = heldout_envs::find("example/signal-v1").unwrap();
    let none = Map::new();
    let play = |entrant: &Entrant| {
        let run = Run { entry, overrides: &none, entrant, episodes: Episodes::Count(100), seed: 5, threads: 1 };
        run.play(|_, _| ()).unwrap()
    };
    let ours = play(&Entrant::unchecked("guide=toys/toy,walker=random", &load).unwrap());
    let theirs = play(&Entrant::unchecked("guide=oracle,walker=random", &load).unwrap());
    assert_eq!(ours, theirs);
    // Its view is under what the caller sets.
    let grid = heldout_envs::find("example/grid-v1").unwrap();
    let entrant = of(Toy { view: json!({"image": true}), ..TOY });
    let set = json!({"levels": 7}).as_object().unwrap().clone();
    let run = Run { entry: grid, overrides: &set, entrant: &entrant, episodes: Episodes::All, seed: 0, threads: 1 };
    assert_eq!(run.overrides().unwrap(), *json!({"image": true, "levels": 7}).as_object().unwrap());
    assert_eq!(run.play(|_, _| ()).unwrap().episodes.len(), 7);
    let error = Entrant::parse("runs/other", &load).unwrap_err().to_string();
    assert!(error.contains("cannot play the checkpoint `runs/other`: `other` is no toy; scripted policies"), "{error}");
}

#[test]
fn seam_s7_records_say_what_played_and_hold_no_path() {
    let text = one("example/grid-v1", "episodes = 3\nmetric = \"success\"");
    let folder = Folder::new("hashes");
    let mut entrant = Entrant::parse("secret-folder/toy", &load).unwrap();
    entrant.play = of(Toy { runs: 2, hash: |run| run as u64 + 1, ..TOY }).play;
    run(&evaluation(&text, entrant, &folder.0));
    let header: Header = Recorded::read_all(&folder.0).unwrap().remove(0).header;
    assert_eq!(header.policies, ["toy sha256:000000000001", "toy sha256:000000000002"]);
    assert_eq!(header.build.features, ["files", "parallel", "backend flex avx2"]);
    let sources: Vec<(&str, &str)> = header.sources.iter().map(|s| (s.name.as_str(), s.content.as_str())).collect();
    assert_eq!(sources, [("policy of seed 3", "000000000001"), ("policy of seed 4", "000000000002")]);
    for (name, bytes) in tree(&folder.0) {
        assert!(
            !name.contains("secret-folder") && !String::from_utf8_lossy(&bytes).contains("secret-folder"),
            "{name}"
        );
    }
    // What an agent computes with makes no other build of the program.
    run(&evaluation(&text, scripted("random"), &folder.0));
    assert!(Results::read(&[&folder.0]).unwrap().notes.is_empty());
}

#[test]
fn seam_s8_the_language_of_an_agent_is_measured() {
    let text = one(
        "s2b/game-v1",
        "kind = \"s2b-language\"\nepisodes = 3\nmetric = \"posdis\"\nset = { min_values = 5, samples = 2 }",
    );
    let all = records(&text, of(Toy { speaks: true, ..TOY }));
    assert_eq!((all[0].header.policy.as_str(), all[0].records.len()), ("toy sha256:000000000000", 6));
    assert!(
        all[0].records.iter().all(|r| r.length == 250 && r.value("posdis").is_some_and(|x| (x - 1.0).abs() < 1e-12))
    );
    let problem = refused(&text, of(TOY));
    assert!(problem.contains("cannot be asked what it says of a stimulus"), "{problem}");
}

#[test]
fn seam_s9_a_checkpoint_is_called_by_its_own_label() {
    let label = |text: &str| Entrant::parse(text, &load).unwrap().label;
    assert_eq!(label("runs/toy"), "TOY+MEM");
    assert_eq!(label("mine@runs/toy"), "mine");
    assert_eq!(label("guide=runs/toy,walker=random"), "guide=TOY+MEM,walker=random");
    assert_eq!(label("random"), "random");
    assert_eq!(Entrant::parse("runs/toy", &load).unwrap().policy, "toy");
}

#[test]
fn a_task_alone_has_the_records_of_the_whole() {
    let (whole, part) = (Folder::new("whole"), Folder::new("part"));
    let base = evaluation(GRIDS, scripted("random"), &whole.0);
    run(&base);
    let chosen = Evaluation { tasks: vec!["more".to_owned()], out: part.0.clone(), ..base.clone() };
    run(&chosen);
    let (whole, part) = (tree(&whole.0), tree(&part.0));
    assert_eq!(part.keys().filter(|name| name.starts_with("records")).count(), 2);
    assert!(part.iter().all(|(name, bytes)| whole[name] == *bytes));
    let unknown = Evaluation { tasks: vec!["mor".to_owned()], ..chosen };
    let error = unknown.run(&AtomicBool::new(false), &|_| ()).unwrap_err();
    assert!(matches!(error, EvalError::Task { .. }));
    assert_eq!(error.to_string(), "no protocol to evaluate has a task `mor`; there are `small`, `more`");
}

/// Every kind of cell that can be extended by episodes, and one of a family's own.
fn extended(seeds: u64, episodes: u64, entrant: Entrant, out: &Path) -> Evaluation {
    let language = one("s2b/game-v1", "kind = \"s2b-language\"\nmetric = \"posdis\"");
    let (_, language) = language.split_once("seeds = 2\n").unwrap();
    let text = format!("{GRIDS}{}", language.replace("\"one\"", "\"language\""));
    Evaluation { seeds: Some(seeds), episodes: Some(episodes), ..evaluation(&text, entrant, out) }
}

#[test]
fn more_seeds_and_episodes_extend_what_is_there() {
    let entrants = [scripted("random"), of(Toy { speaks: true, ..TOY })];
    for entrant in entrants {
        let whole = Folder::new("at-once");
        let total = run(&extended(3, 45, entrant.clone(), &whole.0)).total;
        let expected = tree(&whole.0);
        for steps in [vec![(1, 45)], vec![(3, 10)], vec![(2, 7), (2, 40)], vec![(1, 2), (2, 20), (3, 33)]] {
            let folder = Folder::new("extended");
            for (i, (seeds, episodes)) in steps.iter().enumerate() {
                let step = extended(*seeds, *episodes, entrant.clone(), &folder.0);
                assert!(run(&Evaluation { resume: i > 0, ..step }).failures.is_empty());
            }
            let last = Evaluation { resume: true, ..extended(3, 45, entrant.clone(), &folder.0) };
            // What is recorded is not played again.
            let first = std::sync::Mutex::new(None);
            let hear = |progress: Progress<'_>| {
                if let Progress::Played(done, _) = progress {
                    first.lock().unwrap().get_or_insert(done);
                }
            };
            let outcome = last.run(&AtomicBool::new(false), &hear).unwrap();
            let (seeds, episodes) = *steps.last().unwrap();
            assert_eq!(first.into_inner().unwrap(), Some(4 * seeds * episodes), "{steps:?}");
            assert_eq!((outcome.done, outcome.total), (total, total));
            assert!(expected == tree(&folder.0), "{steps:?}");
        }
    }
}

#[test]
fn an_extension_that_is_stopped_loses_nothing() {
    let whole = Folder::new("at-once");
    run(&extended(2, 45, scripted("random"), &whole.0));
    let expected = tree(&whole.0);
    for after in [170, 200, 300] {
        let folder = Folder::new("stopped");
        run(&extended(2, 20, scripted("random"), &folder.0));
        let known: Vec<String> = lines(&folder.0);
        for _ in 0..2 {
            let again = Evaluation { resume: true, threads: 1, ..extended(2, 45, scripted("random"), &folder.0) };
            let stop = AtomicBool::new(false);
            let hear = |progress: Progress<'_>| {
                if matches!(progress, Progress::Played(done, _) if done >= after) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            assert!(again.run(&stop, &hear).unwrap().interrupted);
            let now = lines(&folder.0);
            assert!(known.iter().all(|line| now.contains(line)), "a record is lost after {after}");
        }
        run(&Evaluation { resume: true, ..extended(2, 45, scripted("random"), &folder.0) });
        assert!(expected == tree(&folder.0), "{after}");
    }
}

/// Every record below `out`, wherever it stands.
fn lines(out: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for (name, bytes) in tree(out).iter().filter(|(name, _)| name.starts_with("records")) {
        // A file and what waits beside it hold records of the same cell.
        let cell = name.trim_end_matches(".waiting");
        all.extend(String::from_utf8_lossy(bytes).lines().skip(1).map(|line| format!("{cell} {line}")));
    }
    all
}

#[test]
fn fewer_seeds_or_episodes_are_refused() {
    let folder = Folder::new("fewer");
    run(&extended(2, 20, scripted("random"), &folder.0));
    let before = tree(&folder.0);
    for (seeds, episodes, message) in [
        (1, 20, "was recorded with 2 seeds, this evaluation has 1"),
        (2, 19, "was recorded with 20 episodes, this evaluation has 19"),
        (1, 30, "was recorded with 2 seeds, this evaluation has 1"),
    ] {
        let fewer = Evaluation { resume: true, ..extended(seeds, episodes, scripted("random"), &folder.0) };
        let error = fewer.run(&AtomicBool::new(false), &|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\n  must contain\n{message}");
        assert!(before == tree(&folder.0), "{message}");
    }
    // A policy of another hash extends nothing.
    let folder = Folder::new("hash");
    run(&extended(1, 20, of(Toy { hash: |_| 1, speaks: true, ..TOY }), &folder.0));
    let other = extended(2, 20, of(Toy { hash: |_| 2, speaks: true, ..TOY }), &folder.0);
    let error = Evaluation { resume: true, ..other }.run(&AtomicBool::new(false), &|_| ()).unwrap_err().to_string();
    assert!(error.contains("`policy` = `\"toy sha256:000000000001\"`, this evaluation has"), "{error}");
    // A further training seed does: the first keeps its records.
    let more = extended(2, 20, of(Toy { runs: 2, hash: |run| run as u64 + 1, speaks: true, ..TOY }), &folder.0);
    assert!(run(&Evaluation { resume: true, ..more }).failures.is_empty());
    assert!(Recorded::read_all(&folder.0).unwrap().iter().all(|r| r.complete() && r.header.policies.len() == 2));
}
