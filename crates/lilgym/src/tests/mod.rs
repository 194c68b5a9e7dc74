//! What the rules, the language, the corpus and the commands promise.

#[cfg(feature = "files")]
mod commands;
mod corpus;
#[cfg(feature = "files")]
mod files;
mod forged;
mod geometry;
mod language;
mod meaning;
mod measures;
mod planner;
mod published;
mod rules;
mod shortcuts;
mod table;

use crate::action::Action;
use crate::config::{Appearance, Begin, Config, Grid, Holdout, Split, Task};
use crate::corpus::{Corpus, Problem, Statement};
use crate::environment::{LilGym, State};
use crate::language::Program;
use crate::scene::{Color, Item, Scene, Shape, Size};
use heldout_core::{Environment as _, Seed, Start, Status};

/// The rules of `task` with one statement, about which every scene is a problem.
fn about(task: Task, config: &Config, program: &str, starts: &[(Scene, bool)]) -> LilGym {
    let mut rules = rules(config, task);
    let program = Program::parse(program).unwrap();
    let statement = Statement { key: "0".to_owned(), sentence: String::new(), program, categories: 0 };
    let problems = starts.iter().enumerate().map(|(row, &(scene, target))| Problem {
        key: row.to_string(),
        statement: 0,
        scene,
        target,
    });
    let corpus = Corpus { statements: vec![statement], problems: problems.collect(), ..Corpus::default() };
    rules.plans = starts.iter().map(|_| std::sync::OnceLock::new()).collect();
    rules.corpus = std::sync::Arc::new(corpus.with_room_for_plans());
    rules
}

fn rules(config: &Config, task: Task) -> LilGym {
    LilGym::new(config, task).unwrap()
}

fn start(rules: &LilGym, problem: u32) -> State {
    rules.start(Start { seed: Seed(3), copy: Seed(3), episode: 0, problem: Some(problem) })
}

fn step(rules: &LilGym, state: &mut State, action: Action) -> (f32, Status) {
    let mut rewards = [f32::NAN];
    let status = rules.step(state, &[action], &mut rewards);
    (rewards[0], status)
}
