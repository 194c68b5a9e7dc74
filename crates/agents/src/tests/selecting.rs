//! The loop around a learner: which of its policies is kept, and when it ends by itself.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use heldout_core::Seed;
use serde_json::{Map, Value, json};

use super::toys::{Toy, make};
use crate::nn::Device;
use crate::parts::checkpoint::{About, FORMAT, about, pack};
use crate::parts::collect::Problems;
use crate::player::Player;
use crate::ppo::{Config, Ppo};
use crate::train::{Budget, Clock, End, Ended, Learner, Players, Run, Selection};

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-agents-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What selection finds at each look: the third is best, the fourth no better, and the last is too late.
const SCORES: [f64; 7] = [0.2, 0.1, 0.7, 0.7, 0.3, 0.5, 0.9];

fn learner() -> Ppo {
    let config = Config { steps: 10_000, copies: 4, rows: 16, epochs: 1, minibatches: 1, ..Config::default() };
    Ppo::new(&config, make(Toy::Recall, 4), Problems::All, None, Seed(1), &Device::flex()).unwrap()
}

/// A learner after so many blocks.
fn after(blocks: usize) -> Ppo {
    let mut learner = learner();
    (0..blocks).for_each(|_| drop(learner.advance().unwrap()));
    learner
}

/// Trains from where `dir` stands, with a look at every second block, until `most` looks were taken or the run is over.
fn train(dir: &Path, looks: &Cell<usize>, most: usize, steps: u64) -> Ended {
    let run = Run {
        dir,
        agent: "ppo",
        about: Map::new(),
        free: &[],
        line: Map::new(),
        vocabulary: None,
        budget: Budget { steps, ..Budget::default() },
        resume: true,
    };
    let mut score = |_: Box<dyn Player>| {
        looks.set(looks.get() + 1);
        Ok(SCORES[looks.get() - 1])
    };
    let selection = Selection { every: 2, patience: 3, score: &mut score };
    let clock = Clock { wall: &|| 0.0, cpu: &|| 0.0 };
    let mut evaluate = |_: Players<'_>| Ok(Vec::new());
    let stop = || looks.get() == most;
    run.train(&mut learner(), &mut evaluate, Some(selection), clock, &stop, &mut |_| ()).unwrap()
}

/// How far a policy had come, and the checksum of its numbers.
fn known(file: &[u8]) -> (u64, u64, String) {
    let told = about(file).unwrap();
    (told.env_steps, told.updates, told.numbers)
}

/// The same of a learner of now.
fn of(learner: &Ppo) -> (u64, u64, String) {
    let packed = pack(learner.weights(), About { format: FORMAT.to_owned(), ..About::default() });
    let counters = learner.counters();
    (counters.env_steps, counters.updates, known(&packed).2)
}

#[test]
fn agents_check_51_the_best_by_selection_is_kept_and_patience_ends_a_run() {
    let (whole, looks) = (Folder::new("whole"), Cell::new(0));
    let ended = train(&whole.0, &looks, usize::MAX, 10_000);
    let last = after(12);
    assert_eq!((ended, looks.get()), (Ended::Done(End::Patience, last.counters()), 6));
    // The third look was after six blocks.
    assert_eq!(known(&whole.read("best.safetensors")), of(&after(6)));
    assert_eq!(known(&whole.read("policy.safetensors")), of(&last));
    let done: Value = serde_json::from_slice(&whole.read("done.json")).unwrap();
    assert_eq!((&done["end"], &done["best"]), (&json!("patience"), &json!(0.7)));
    assert_eq!(train(&whole.0, &looks, usize::MAX, 1_000_000), Ended::Before, "it is over, whatever the budget");

    // Patience goes on counting in a run that was stopped.
    let (part, looks) = (Folder::new("part"), Cell::new(0));
    assert_eq!(train(&part.0, &looks, 4, 10_000), Ended::Stopped(after(8).counters()));
    assert_eq!((train(&part.0, &looks, usize::MAX, 10_000), looks.get()), (ended, 6));
    for file in ["best.safetensors", "policy.safetensors", "log.jsonl", "done.json"] {
        assert!(part.read(file) == whole.read(file), "`{file}` differs");
    }
}

#[test]
fn agents_check_51_patience_goes_on_counting_where_a_larger_budget_lets_a_run_go_on() {
    let (short, looks) = (Folder::new("short"), Cell::new(0));
    let steps = after(8).counters().env_steps;
    let ended = train(&short.0, &looks, usize::MAX, steps);
    assert_eq!((ended, looks.get()), (Ended::Done(End::Budget, after(8).counters()), 4));
    assert_eq!(known(&short.read("best.safetensors")), of(&after(6)));
    // Gone on with by a larger budget, it is the run that had it from the beginning.
    let ended = train(&short.0, &looks, usize::MAX, 10_000);
    assert_eq!((ended, looks.get()), (Ended::Done(End::Patience, after(12).counters()), 6));
    assert_eq!(known(&short.read("best.safetensors")), of(&after(6)));
}
