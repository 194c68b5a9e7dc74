//! HALMA: acceptance checks 14 to 19, what moves do and how trials and episodes end.

use super::{ProblemFile, Symbolic, Visual, maze, play};
use crate::config::{SymbolicConfig, VisualConfig};
use crate::maze::{Cell, Direction};
use crate::option::{Encoding, Move, OptionSpace, displacement, parses, prefix_at, prefix_index};
use crate::trials::State;
use heldout_core::{Batch, Buffers, Crc, Environment, Options, Reset, Rng, Seed, Start, Status, VecEnv};

fn begin(env: &Symbolic, problem: u32) -> State {
    env.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(problem) })
}

/// A fresh episode's state, put into `cell`.
fn placed(env: &Symbolic, problem: u32, cell: Cell) -> State {
    let mut value = serde_json::to_value(begin(env, problem)).unwrap();
    value["at"] = cell.index().into();
    serde_json::from_value(value).unwrap()
}

fn step(env: &Symbolic, state: &mut State, direction: Direction, length: u8) -> (f32, Status) {
    let mut rewards = [f32::NAN];
    let status = env.step(state, &[Move { direction, length }], &mut rewards);
    (rewards[0], status)
}

fn metric(env: &Symbolic, state: &State, name: &str) -> f32 {
    let mut values = vec![f32::NAN; env.spec().metrics.len()];
    env.metrics(state, &mut values);
    values[env.spec().metric(name).unwrap()]
}

#[test]
fn halma_check_14_a_move_is_valid_up_to_the_wall() {
    let env = Symbolic::new(&SymbolicConfig { mazes: 60, ..SymbolicConfig::default() }, ()).unwrap();
    for (m, maze) in env.trials.mazes.iter().enumerate() {
        for cell in maze.cells().filter(|&c| c != maze.goal()) {
            for direction in Direction::ALL {
                let mut to = cell;
                let mut blocked = false;
                for length in 0..=15 {
                    if length > 0 && !blocked {
                        blocked = !maze.is_passage(to, direction);
                        to = if blocked { to } else { to.moved(direction, 1).unwrap() };
                    }
                    let mut state = placed(&env, m as u32, cell);
                    let (reward, status) = step(&env, &mut state, direction, length);
                    assert_eq!(status, Status::Running);
                    assert_eq!(metric(&env, &state, "invalid"), f32::from(blocked));
                    if blocked {
                        assert_eq!((state.at, reward), (cell, -5.0));
                    } else {
                        let nearer = (cell.distance(maze.goal()) - to.distance(maze.goal())) as f32;
                        let goal = if to == maze.goal() { 100.0 } else { 0.0 };
                        let at = if to == maze.goal() { maze.start() } else { to };
                        assert_eq!((state.at, reward), (at, nearer + goal));
                    }
                }
            }
        }
    }
}

#[test]
fn halma_check_15_options_are_told_by_their_effect() {
    let space = |max_opt_len, encoding| OptionSpace { max_opt_len, encoding, zero_is_eos: true };
    let tokens = space(5, Encoding::Tokens);
    let five = Some(Move { direction: Direction::Right, length: 5 });
    for raw in [[2, 3, 2, 0, 0, 0], [2, 2, 3, 0, 3, 1], [2, 1, 1, 1, 1, 1], [2, 3, 2, 0, 2, 2]] {
        assert_eq!(tokens.decode(&raw), five);
    }
    assert_eq!(tokens.decode(&[2, 0, 3, 3, 3, 3]).unwrap().length, 0);
    let literal = OptionSpace { zero_is_eos: false, ..tokens };
    assert_eq!(literal.decode(&[2, 0, 3, 0, 2, 0]), five);
    assert_eq!(displacement(&[1, 0, 3], true), 1);
    for (m, canonical, effect, raw) in [(1, 16, 16, 16), (3, 160, 40, 256), (5, 1456, 64, 4096)] {
        let (flat, by_effect) = (space(m, Encoding::Canonical), space(m, Encoding::Effect));
        assert_eq!(flat.action_space().sizes(), [canonical]);
        assert_eq!(by_effect.action_space().sizes(), [effect]);
        let tokens = space(m, Encoding::Tokens);
        assert_eq!(tokens.action_space().sizes().iter().product::<u32>(), raw);
        for index in 0..canonical {
            let mut written = vec![0; m as usize];
            let length = prefix_at(index % flat.prefixes(), &mut written);
            // Zero-free, then zeros: options that differ in number differ in tokens.
            assert!(written.iter().enumerate().all(|(i, &t)| (t != 0) == (i < length)));
            assert_eq!(prefix_index(&written[..length]), index % flat.prefixes(), "number to tokens and back");
            let direction = index / flat.prefixes();
            let raw: Vec<i32> = std::iter::once(direction as i32).chain(written.iter().map(|&t| t.into())).collect();
            assert_eq!(flat.decode(&[index as i32]), tokens.decode(&raw), "both mean the same move");
        }
        for encoding in [Encoding::Tokens, Encoding::Canonical, Encoding::Effect] {
            let space = space(m, encoding);
            for direction in Direction::ALL {
                for length in 0..=3 * m as u8 {
                    let action = Move { direction, length };
                    let mut raw = vec![0; space.action_space().width()];
                    space.encode(action, &mut raw);
                    assert_eq!(space.decode(&raw), Some(action));
                }
            }
        }
    }
    // The canonical option of 7 is 3, 3, 1; the parses of 3 are four.
    let mut raw = [0; 6];
    tokens.encode(Move { direction: Direction::Up, length: 7 }, &mut raw);
    assert_eq!(raw, [1, 3, 3, 1, 0, 0]);
    assert_eq!(parses(3, 5), [vec![3], vec![1, 2], vec![2, 1], vec![1, 1, 1]]);
    assert_eq!(parses(3, 1), [[3]]);
    assert_eq!(parses(5, 2), [[2, 3], [3, 2]]);
}

/// Under every encoding the environment does the same.
#[test]
fn halma_encodings_play_the_same_game() {
    let make = |encoding| {
        Batch::<Symbolic>::new(
            &SymbolicConfig { actions: encoding, ..SymbolicConfig::default() },
            (),
            1,
            Options::default(),
        )
        .unwrap()
    };
    let mut envs = [Encoding::Tokens, Encoding::Canonical, Encoding::Effect].map(make);
    let mut buffers = [0, 1, 2].map(|i| Buffers::new(envs[i].spec(), 1));
    for (env, buffers) in envs.iter_mut().zip(&mut buffers) {
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    }
    let mut rng = Rng::new(Seed(2));
    for _ in 0..2_000 {
        let action = Move { direction: Direction::at(rng.below(4)), length: rng.below(6) as u8 };
        for (env, buffers) in envs.iter_mut().zip(&mut buffers) {
            let mut raw = vec![0; env.spec().action_width()];
            env.rules().encode(0, action, &mut raw);
            env.step(&raw, buffers.output()).unwrap();
        }
        assert!(buffers[0] == buffers[1] && buffers[0] == buffers[2]);
    }
}

#[test]
fn halma_check_16_only_stopping_on_the_goal_reaches_it() {
    let file = ProblemFile::of("check16", vec![maze((2, 5), "RR", &[((4, 5), "R")])]);
    let env = Symbolic::new(&SymbolicConfig { problems: Some(file.path()), ..SymbolicConfig::default() }, ()).unwrap();
    let mut state = begin(&env, 0);
    assert_eq!(step(&env, &mut state, Direction::Right, 3).0, 1.0);
    assert_eq!((state.at, metric(&env, &state, "trial_end")), (super::cell(5, 5), 0.0));
    assert_eq!(step(&env, &mut state, Direction::Left, 1).0, 101.0);
    assert_eq!(state.at, super::cell(2, 5), "back at the start");
    assert_eq!(state.trial_final(), Some(super::cell(4, 5)));
    assert_eq!(metric(&env, &state, "trial_success"), 1.0);
    assert_eq!(metric(&env, &state, "trial_len"), 2.0);

    let config = SymbolicConfig { problems: Some(file.path()), goal_on_pass: true, ..SymbolicConfig::default() };
    let env = Symbolic::new(&config, ()).unwrap();
    let mut state = begin(&env, 0);
    assert_eq!(step(&env, &mut state, Direction::Right, 3).0, 102.0);
    assert_eq!(state.at, super::cell(2, 5));
}

/// What a move over the goal counts as experience is the move to it: the wall's digit was not consumed.
#[test]
fn a_move_that_the_goal_ends_is_experienced_as_far_as_it_went() {
    let file = ProblemFile::of("ended", vec![maze((2, 5), "RR", &[((4, 5), "R")])]);
    let config = SymbolicConfig {
        problems: Some(file.path()),
        goal_on_pass: true,
        experience: true,
        ..SymbolicConfig::default()
    };
    let env = Symbolic::new(&config, ()).unwrap();
    let [to, over] = [2, 3].map(|length| {
        let mut state = begin(&env, 0);
        assert_eq!(step(&env, &mut state, Direction::Right, length).0, 102.0);
        env.trials.experience(&state).unwrap()
    });
    assert_eq!(to, over);
    assert_eq!(over.afforded.iter().sum::<u32>(), 0);
}

#[test]
fn halma_check_17_progress_telescopes() {
    let config = SymbolicConfig { reward_invalid: 0.0, reward_goal: 0.0, ..SymbolicConfig::default() };
    let env = Symbolic::new(&config, ()).unwrap();
    let mut rng = Rng::new(Seed(3));
    let mut trials = 0;
    for problem in 0..100 {
        let mut state = begin(&env, problem);
        let maze = &env.trials.mazes[problem as usize];
        let mut sum = 0.0;
        loop {
            let (reward, status) = step(&env, &mut state, Direction::at(rng.below(4)), rng.below(4) as u8);
            sum += reward;
            if metric(&env, &state, "trial_end") == 1.0 {
                if metric(&env, &state, "trial_success") == 1.0 {
                    assert_eq!(sum, maze.start().distance(maze.goal()) as f32);
                    trials += 1;
                }
                sum = 0.0;
            }
            if status.ended() {
                break;
            }
        }
    }
    assert!(trials > 50, "the test saw {trials} accomplished trials");
}

#[test]
fn halma_check_18_hopeless_agents_end_where_they_must() {
    let env = Symbolic::new(&SymbolicConfig::default(), ()).unwrap();
    for (length, rho_a, total) in [(15, 1.0, -2_500.0), (0, 0.0, 0.0)] {
        let mut state = begin(&env, 0);
        let (mut ends, mut sum) = (Vec::new(), 0.0);
        for n in 1.. {
            let (reward, status) = step(&env, &mut state, Direction::Left, length);
            sum += reward;
            if metric(&env, &state, "trial_end") == 1.0 {
                assert_eq!(metric(&env, &state, "trial_success"), 0.0);
                assert_eq!(metric(&env, &state, "trial_len"), 200.0);
                ends.push(n);
            }
            if status.ended() {
                assert_eq!((status, n), (Status::Truncated, 500));
                break;
            }
        }
        assert_eq!((ends, sum), (vec![200, 400], total));
        let values = ["rho_a", "rho_g", "rho_p", "bootstrap"].map(|name| metric(&env, &state, name));
        assert_eq!(values, [rho_a, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn halma_check_19_trials_terminate_and_steps_truncate() {
    let (episodes, _) = play::<Symbolic>(&SymbolicConfig::default(), "oracle", None, 0);
    assert!(episodes.iter().all(|e| e.status == Status::Terminated && e.get("trials") == 10.0));
    let (episodes, _) = play::<Symbolic>(&SymbolicConfig::default(), "noop", Some(5), 0);
    assert!(episodes.iter().all(|e| e.status == Status::Truncated && e.get("length") == 500.0));
    let (episodes, _) = play::<Symbolic>(&SymbolicConfig::default(), "random", Some(300), 0);
    assert!(
        episodes
            .iter()
            .all(|e| e.get("trials") <= 10.0 && (e.status == Status::Terminated) == (e.get("trials") == 10.0))
    );

    let file = ProblemFile::of("check19", vec![maze((2, 5), "RR", &[])]);
    let with = |change: fn(&mut SymbolicConfig)| {
        let mut config = SymbolicConfig { problems: Some(file.path()), ..SymbolicConfig::default() };
        change(&mut config);
        config
    };
    // Both on one step: terminated only.
    let (episodes, _) = play::<Symbolic>(&with(|c| c.max_steps = 10), "oracle", Some(1), 0);
    assert_eq!((episodes[0].status, episodes[0].get("length")), (Status::Terminated, 10.0));
    let (episodes, _) = play::<Symbolic>(&with(|c| c.max_steps = 9), "oracle", Some(1), 0);
    assert_eq!((episodes[0].status, episodes[0].get("rho_g")), (Status::Truncated, 0.9));
    // Failed trials count, or do not.
    let (episodes, _) = play::<Symbolic>(&with(|c| c.max_trial_steps = 1), "noop", Some(1), 0);
    assert_eq!((episodes[0].status, episodes[0].get("length")), (Status::Terminated, 10.0));
    let config = with(|c| (c.max_trial_steps, c.count_failed_trials) = (1, false));
    let (episodes, _) = play::<Symbolic>(&config, "noop", Some(1), 0);
    assert_eq!((episodes[0].status, episodes[0].get("length")), (Status::Truncated, 500.0));
    // The last observation is that of the cell reached, not of the start; learners are told where not to bootstrap.
    for across in [true, false] {
        let config = SymbolicConfig { bootstrap_across_trials: across, ..with(|_| ()) };
        let env = Symbolic::new(&config, ()).unwrap();
        let mut state = begin(&env, 0);
        for trial in 1..=10 {
            let (_, status) = step(&env, &mut state, Direction::Right, 2);
            let last = trial == 10;
            assert_eq!(status.ended(), last);
            assert_eq!(state.at, if last { super::cell(4, 5) } else { super::cell(2, 5) });
            assert_eq!(metric(&env, &state, "bootstrap"), f32::from(across && !last));
            assert_eq!(metric(&env, &state, "trial_index"), (trial - 1) as f32);
        }
    }
}

/// Both ids are one task: the same rewards, ends and metrics under the same seeds and actions.
#[test]
fn halma_symbols_and_panels_are_one_task() {
    let symbolic = SymbolicConfig { mazes: 20, max_opt_len: 3, ..SymbolicConfig::default() };
    let visual = VisualConfig { mazes: 20, max_opt_len: 3, ..VisualConfig::default() };
    let mut one = Batch::<Symbolic>::new(&symbolic, (), 2, Options::default()).unwrap();
    let mut two = Batch::<Visual>::new(&visual, (), 2, Options::default()).unwrap();
    let (mut ones, mut twos) = (Buffers::new(one.spec(), 2), Buffers::new(two.spec(), 2));
    one.reset(Reset::seed(Seed(6)), ones.output()).unwrap();
    two.reset(Reset::seed(Seed(6)), twos.output()).unwrap();
    assert_eq!(one.rules().trials.mazes, two.rules().trials.mazes);
    let mut rng = Rng::new(Seed(2));
    for _ in 0..3_000 {
        let actions: Vec<i32> = (0..8).map(|_| rng.below(4) as i32).collect();
        one.step(&actions, ones.output()).unwrap();
        two.step(&actions, twos.output()).unwrap();
        assert_eq!((&ones.rewards, &ones.status, &ones.metrics), (&twos.rewards, &twos.status, &twos.metrics));
        assert_eq!(one.state(0), two.state(0));
    }
}

/// The observation at the end of a trial is shown at the step that ended it, and only there.
#[test]
fn halma_trial_final_shows_the_end_of_a_trial() {
    let file = ProblemFile::of("final", vec![maze((2, 5), "RRU", &[])]);
    let config = serde_json::json!({"problems": file.path(), "observation": "compact", "trial_final_obs": true});
    let config: SymbolicConfig = serde_json::from_value(config).unwrap();
    let mut env = Batch::<Symbolic>::new(&config, (), 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let look = |buffers: &Buffers| {
        let rows = buffers.rows();
        (rows.row(0).i32(0).to_vec(), rows.row(0).i32(1).to_vec())
    };
    env.reset(Reset::seed(Seed(0)), buffers.output()).unwrap();
    let (start, none) = look(&buffers);
    assert_eq!((start[8], start[9], none), (2, 1, vec![0; 11]));
    env.step(&[2, 2, 0, 0, 0, 0], buffers.output()).unwrap();
    assert_eq!(look(&buffers).1, [0; 11]);
    env.step(&[1, 1, 0, 0, 0, 0], buffers.output()).unwrap();
    let (now, last) = look(&buffers);
    assert_eq!(now, start, "the next trial has begun");
    assert_eq!(last, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], "one below is open, the goal is here");
    env.step(&[2, 0, 0, 0, 0, 0], buffers.output()).unwrap();
    assert_eq!(look(&buffers).1, [0; 11]);
}

/// A file that holds no problems is refused by name.
#[test]
fn halma_bad_problem_files_are_refused() {
    let path = std::env::temp_dir().join(format!("heldout-halma-{}-bad.json", std::process::id()));
    let refuse = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let config = SymbolicConfig { problems: Some(path.display().to_string()), ..SymbolicConfig::default() };
        let error = Symbolic::new(&config, ()).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.starts_with("`problems` "), "{error}");
        error
    };
    assert!(refuse("{}").contains("format"));
    let set = |version: u32, problems: &str, check: &str| {
        format!(
            r#"{{"format": "heldout halma problems", "version": {version}, "test": "x", "origin": "y", "problems": [{problems}], "check": "{check}"}}"#
        )
    };
    assert!(refuse(&set(2, "", "")).contains("version 2"));
    assert!(refuse(&set(3, "", "00000000")).contains("is damaged: its checksum is"));
    let empty = r#"{"format":"heldout halma problems","version":3,"test":"x","origin":"y","problems":[],"check":""}"#;
    assert!(refuse(&set(3, "", &format!("{:08x}", Crc::of(empty.as_bytes())))).contains("no problems"));
    let maze = |path: &str| format!(r#"{{"maze": {{"start": [0, 0], "path": "{path}", "branches": []}}}}"#);
    assert!(refuse(&set(3, &maze("RUL"), "")).contains("away from the goal"));
    assert!(refuse(&set(3, &maze("D"), "")).contains("leaves the grid"));
    assert!(refuse(&set(3, &maze("X"), "")).contains("`X` is no direction"));
    let missing = SymbolicConfig { problems: Some("/nowhere/at/all.json".to_owned()), ..SymbolicConfig::default() };
    assert!(Symbolic::new(&missing, ()).unwrap_err().to_string().contains("/nowhere/at/all.json"));
}
