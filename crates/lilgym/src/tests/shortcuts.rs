//! The shortcuts: what they look at, and what their additions were fitted on.

use super::{Begin, Config, Grid, Holdout, LilGym, Split, Task, rules};
use crate::blind::additions;
use crate::config::Observation;
use crate::fit::fitted;
use heldout_core::{Batch, Buffers, Options, Reset, Seed, Seeding, VecEnv, policy_infos};

/// Success and return of `policy` over every problem of a split, each once and with a seed of its own.
pub(super) fn score(config: &Config, task: Task, policy: &str) -> (f64, f64) {
    let problems = rules(config, task).corpus.problems.len() as u32;
    let mut env = Batch::<LilGym>::new(config, task, 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let at = env.spec().metric("success").unwrap();
    env.seat(0, policy, Seed(0)).unwrap();
    let mut actions = vec![0; env.spec().action_width()];
    let (mut success, mut total) = (0.0, 0.0);
    for problem in 0..problems {
        // As `heldout run` seeds the episodes of a finite set.
        let seeds = Seeding::Copies(&[Some(Seed(0).derive(problem.into()))]);
        env.reset(Reset { seeds, problems: &[Some(problem)], mask: None }, buffers.output()).unwrap();
        loop {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
            if buffers.status[0].ended() {
                break;
            }
        }
        success += f64::from(buffers.metrics[at]);
        total += f64::from(buffers.metrics[0]);
    }
    (success / f64::from(problems), total / f64::from(problems))
}

#[test]
fn amendment_07_and_08_shortcuts_are_named() {
    let infos = policy_infos::<LilGym>();
    let short: Vec<_> = infos.iter().filter(|info| info.shortcut).map(|info| (info.name, info.privileged)).collect();
    assert_eq!(short, [("blind", false), ("noop", false)]);
}

/// The additions were fitted on the training split alone, as either holdout divides the corpus: fitting anew gives the same.
#[test]
fn amendment_07_additions_are_fitted_on_training() {
    for holdout in [Holdout::Compositional, Holdout::Random] {
        let all = Task::ALL.map(|task| rules(&Config { holdout, ..Config::default() }, task));
        assert_eq!(all.each_ref().map(fitted), all.each_ref().map(|rules| additions(rules).unwrap().to_vec()));
    }
}

/// What is seen of the boxes is enough, in any form, and the sentence counts for nothing: it plays the same without.
#[test]
fn amendment_07_blind_sees_boxes_and_target_alone() {
    for task in [Task::TOWER_FLIPIT, Task::SCATTER_FLIPIT] {
        let told = [Observation::Image, Observation::Full, Observation::Objects].map(|observation| {
            let [shown, hidden] = [false, true].map(|hidden| played(task, observation, hidden));
            assert!(shown == hidden, "{task:?} {observation:?}");
            hidden
        });
        assert!(told[0] == told[2], "{task:?}: a list and a picture show the same");
        assert!(task == Task::SCATTER_FLIPIT || told[0] == told[1]);
    }
}

/// What `blind` does in the first problems of `task`, while the sentence is `hidden` from it or not.
fn played(task: Task, observation: Observation, hidden: bool) -> Vec<i32> {
    let config = Config { observation, split: Split::Dev, ..Config::default() };
    let mut env = Batch::<LilGym>::new(&config, task, 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    env.seat(0, "blind", Seed(0)).unwrap();
    let (mut all, mut actions) = (Vec::new(), vec![0]);
    for problem in 0..200 {
        env.reset(Reset { problems: &[Some(problem)], ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
        loop {
            if hidden {
                let sentence = env.spec().field("sentence").unwrap();
                buffers.output().rows.row(0).u8(sentence).fill(b'x');
            }
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
            all.push(actions[0]);
            if buffers.status[0].ended() {
                break;
            }
        }
        assert_eq!(actions, [0], "it always stops, and never by an invalid action: {task:?} {observation:?} {problem}");
    }
    all
}

/// Cleared boxes make a sentence false, and the horizon is long enough for towers of up to ten blocks.
#[test]
fn amendment_07_blind_clears_the_boxes() {
    for task in [Task::TOWER_FLIPIT, Task::SCATTER_FLIPIT] {
        for observation in [Observation::Image, Observation::Objects] {
            let rules = rules(&Config { observation, split: Split::Dev, ..Config::default() }, task);
            let config = rules.config.clone();
            let mut env = Batch::<LilGym>::new(&config, task, 1, Options::default()).unwrap();
            let mut buffers = Buffers::new(env.spec(), 1);
            let at = env.spec().metric("remove_share").unwrap();
            env.seat(0, "blind", Seed(0)).unwrap();
            let mut actions = vec![0];
            let few =
                |row: &usize| !rules.corpus.problems[*row].target && rules.corpus.problems[*row].scene.len() <= 10;
            for row in (0..rules.corpus.problems.len()).filter(few).take(40) {
                let problems = [Some(row as u32)];
                env.reset(Reset { problems: &problems, ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
                let mut steps = 0;
                loop {
                    env.act(&buffers.rows(), &mut actions).unwrap();
                    env.step(&actions, buffers.output()).unwrap();
                    steps += 1;
                    if buffers.status[0].ended() {
                        break;
                    }
                }
                let removals = rules.corpus.problems[row].scene.len();
                assert_eq!((actions[0], steps), (0, removals + 1), "{task:?} {observation:?} row {row}");
                assert_eq!(buffers.metrics[at], removals as f32 / steps as f32);
            }
        }
    }
}

#[test]
fn amendment_07_blind_is_refused_on_other_grids() {
    let config = Config { grid: Grid::Cells([38, 10]), ..Config::default() };
    let mut env = Batch::<LilGym>::new(&config, Task::SCATTER_SCRATCH, 1, Options::default()).unwrap();
    let error = env.seat(0, "blind", Seed(0)).unwrap_err().to_string();
    assert!(error.contains("`grid` is `[38,10]`, must be `[19,5]` for `blind`"), "{error}");
}

/// A list that was fitted on other data would be no floor of these: a directory is known by what its files hold.
#[cfg(feature = "files")]
#[test]
fn amendment_07_blind_is_refused_on_data_that_it_was_not_fitted_on() {
    use super::commands::{folder, row};
    let rows = serde_json::json!({"1-0": row("1", "true", Some("Black"))});
    let folder = folder("blind", &[("tower_flipit_dev.json", rows)]);
    let data = folder.to_string_lossy().into_owned();
    let config = Config { data: data.clone(), split: Split::Dev, ..Config::default() };
    let mut env = Batch::<LilGym>::new(&config, Task::TOWER_FLIPIT, 1, Options::default()).unwrap();
    let error = env.seat(0, "blind", Seed(0)).unwrap_err().to_string();
    let told = format!("`data` is `{data}`, must be `builtin` or the public files for `blind`");
    assert!(error.contains(&told), "{error}");
    env.seat(0, "noop", Seed(0)).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

/// Random play of a problem says nothing of the next: with one sequence of actions for all, as many would be solved as it
/// happens to suit.
#[test]
fn regression_random_play_differs_between_problems() {
    let config = Config { split: Split::Test, observation: Observation::Objects, ..Config::default() };
    let (success, _) = score(&config, Task::TOWER_FLIPIT, "random");
    assert!((0.1..0.2).contains(&success), "{success}");
}

/// The rows of the cards' tables.
#[test]
#[ignore = "prints what the policies score, which takes minutes"]
fn measure_the_cards() {
    for task in Task::ALL {
        for policy in ["random", "blind", "noop", "oracle"] {
            let told = Split::ALL.map(|split| {
                let config = Config { split, ..Config::default() };
                let of = |(success, total)| [success, total].map(|mean: f64| format!("{mean:.3}"));
                of(score(&config, task, policy))
            });
            let [train, dev, test] = &told;
            println!(
                "{}: | `{policy}` | {} | {} | {} | {} | {} | {} |",
                task.name(),
                train[0],
                dev[0],
                test[0],
                train[1],
                dev[1],
                test[1]
            );
        }
    }
}

/// An immediate STOP solves what holds of empty boxes, and nothing that begins otherwise.
#[test]
fn amendment_08_noop_solves_what_holds_already() {
    for task in Task::ALL {
        let config = Config { split: Split::Test, observation: Observation::Objects, ..Config::default() };
        let corpus = &rules(&config, task).corpus;
        let holds = |row: &u32| {
            let problem = &corpus.problems[*row as usize];
            corpus.statement(*row).program.truth(&problem.scene) == Ok(problem.target)
        };
        let share = (0..corpus.problems.len() as u32).filter(holds).count() as f64 / corpus.problems.len() as f64;
        let (success, total) = score(&config, task, "noop");
        assert!(success == share && (total - (2.0 * share - 1.0)).abs() < 1e-9, "{task:?}");
        assert_eq!(share > 0.0, task.begin == Begin::Scratch);
    }
}
