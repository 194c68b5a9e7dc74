//! Amendments 01, 02 and 10: players that lack what HALMA asks for, and the measure that they fail.

use super::{Episode, ProblemFile, Symbolic, Visual, cell, maze, mean, play};
use crate::concepts::Relation;
use crate::config::{Pixels, SymbolicConfig, VisualConfig};
use crate::dynamic_tests::{TestConfig, dynamic_tests};
use crate::generate::Split;
use crate::maze::{Direction, Maze};
use crate::observation::{CROSSING, Entries, GOAL_X};
use crate::option::Move;
use crate::problems::{Problem, Target, TestSet};
use heldout_core::{Batch, Environment, Options, Seed, Start, VecEnv};

/// A condition: its name, its config, and its problems with their file where they are made.
type Condition = (String, SymbolicConfig, Option<(TestSet, ProblemFile)>);

/// T, RT and the dynamic tests that are not empty, at one length of options; with the files that hold the tests.
fn conditions(max_opt_len: u32, mazes: u32, called: &str) -> Vec<Condition> {
    let base = SymbolicConfig { max_opt_len, ..SymbolicConfig::default() };
    let mut all = vec![
        ("T".to_owned(), base.clone(), None),
        ("RT".to_owned(), SymbolicConfig { split: Split::Test, ..base.clone() }, None),
    ];
    let config = TestConfig { n_test_mazes: mazes, ..TestConfig::default() };
    for (class, set) in dynamic_tests(&super::dynamic_tests::half(1, max_opt_len), &config, Seed(0)) {
        let Some(set) = set else { continue };
        let file = ProblemFile::new(&format!("{called}-{max_opt_len}-{}", class.name()), &set);
        let config = SymbolicConfig { problems: Some(file.path()), ..base.clone() };
        all.push((class.name().to_owned(), config, Some((set, file))));
    }
    let made: Vec<&str> = all.iter().skip(2).map(|(name, ..)| &**name).collect();
    // Where options are short, all digits are known by what was shown, so that none is left for AnT.
    let expected = ["ST-1", "ST-2", "AfT-1", "AfT-2", "AfT-3", "AfT-4", "AnT"];
    assert_eq!(made, expected[..if max_opt_len < 3 { 6 } else { 7 }], "max_opt_len {max_opt_len}");
    all
}

fn policy(name: &str) -> heldout_core::PolicyInfo {
    *crate::FAMILY.entries[0].policies().iter().find(|p| p.name == name).unwrap()
}

#[test]
fn amendment_01_a_digit_blind_stepper_reaches_every_goal() {
    assert!(policy("stepper").shortcut && !policy("stepper").privileged);
    for max_opt_len in [1, 5] {
        for (name, config, _) in conditions(max_opt_len, 50, "amendment01") {
            let (episodes, _) = play::<Symbolic>(&config, "stepper", None, 0);
            assert!(episodes.iter().all(|e| (e.get("rho_a"), e.get("rho_g")) == (0.0, 1.0)), "{name}");
            let rho_p = mean(&episodes, "rho_p");
            println!("stepper, m = {max_opt_len}, {name}: rho_p {rho_p:.3}");
            assert!((0.3..0.7).contains(&rho_p), "{name}: {rho_p}");
        }
    }
}

/// What the stepper makes of a view has no digits: views that differ by them alone are one to it.
#[test]
fn amendment_01_the_stepper_cannot_tell_digits_apart() {
    let entries = Entries([5, 0, 1, 9, 2, 0, 0, 3, -7, 4, 3]);
    assert_eq!(entries.signs(), Entries([1, 0, 1, 1, 1, 0, 0, 1, -1, 1, 3]));
    assert_eq!(entries.signs(), Entries([9, 0, 7, 2, 1, 0, 0, 1, -1, 9, 3]).signs());
    assert_ne!(entries.signs(), Entries([5, 0, 1, 9, 2, 0, 0, 3, -7, 4, 2]).signs());
    // On panels it sees colours and the hint: the same as with symbols, whatever the handwriting and the pixels.
    for (split, pixels, resample_panels) in
        [(Split::Train, Pixels::U8, false), (Split::Test, Pixels::F32, false), (Split::Test, Pixels::U8, true)]
    {
        let config = VisualConfig { split, pixels, resample_panels, mazes: 6, ..VisualConfig::default() };
        let env = Visual::new(&config, ()).unwrap();
        let mut buffers = heldout_core::Buffers::new(env.spec(), 1);
        for (number, maze) in env.trials.mazes.iter().enumerate() {
            for at in maze.cells().filter(|&c| c != maze.goal()) {
                let state = super::observation::state_at(&env, number as u32, at);
                env.observe(&state, 0, buffers.output().rows.row(0));
                let mut shown = env.trials.seen(&state).signs();
                shown.0[CROSSING..GOAL_X].fill(0);
                let rows = buffers.rows();
                assert_eq!(crate::environment::Sight::glance(&env.sight, rows.row(0)), shown);
            }
        }
        let symbols = SymbolicConfig { split, mazes: 6, max_opt_len: 1, ..SymbolicConfig::default() };
        let (seen, _) = play::<Visual>(&config, "stepper", None, 0);
        let (told, _) = play::<Symbolic>(&symbols, "stepper", None, 0);
        assert_same(&seen, &told);
    }
}

fn assert_same(a: &[Episode], b: &[Episode]) {
    let told = |e: &Episode| (e.problem, ["length", "return", "rho_a", "rho_g", "rho_p"].map(|m| e.get(m).to_bits()));
    assert_eq!(a.iter().map(told).collect::<Vec<_>>(), b.iter().map(told).collect::<Vec<_>>());
}

#[test]
fn amendment_02_one_who_ignores_crossings_overshoots() {
    assert!(policy("ignorer").shortcut && !policy("ignorer").privileged);
    let entries = Entries([5, 0, 1, 9, 2, 0, 0, 3, -7, 4, 3]);
    assert_eq!(entries.without_crossings(), Entries([5, 0, 1, 9, 0, 0, 0, 0, -7, 4, 3]));
    // A crossing 2 ahead, the goal 3 ahead and the wall 5: it goes 3 at first. Where there is no crossing it explores.
    let forked = maze((0, 0), "RRURU", &[((2, 0), "RRR")]);
    let plain = maze((0, 0), "RRURU", &[]);
    for (name, drawn, best) in [("forked", forked, false), ("plain", plain, true)] {
        let file = ProblemFile::of(&format!("amendment02-{name}"), vec![drawn]);
        let config = SymbolicConfig { problems: Some(file.path()), ..SymbolicConfig::default() };
        let (ignorer, _) = play::<Symbolic>(&config, "ignorer", None, 0);
        let (explorer, _) = play::<Symbolic>(&config, "explorer", None, 0);
        assert_eq!(ignorer[0].get("rho_p") == explorer[0].get("rho_p"), best, "{name}");
    }
    for (name, config, _) in conditions(5, 50, "amendment02") {
        let (episodes, _) = play::<Symbolic>(&config, "ignorer", None, 0);
        let rho_g = mean(&episodes, "rho_g");
        println!("ignorer, {name}: rho_g {rho_g:.3}, rho_p {:.3}", mean(&episodes, "rho_p"));
        assert!(episodes.iter().all(|e| e.get("rho_a") == 0.0) && (0.4..0.9).contains(&rho_g), "{name}: {rho_g}");
    }
}

/// Panels are read from the field of boxes, which must be there.
#[test]
fn amendment_02_the_ignorer_reads_boxes_not_pixels() {
    let config = VisualConfig { mazes: 8, ..VisualConfig::default() };
    let mut env = Batch::<Visual>::new(&config, (), 1, Options::default()).unwrap();
    let refused = env.seat(0, "ignorer", Seed(0)).unwrap_err().to_string();
    assert!(refused.contains("`boxes` is `false`, must be `true`"), "{refused}");
    let (seen, _) = play::<Visual>(&VisualConfig { boxes: true, ..config }, "ignorer", None, 0);
    let symbols = SymbolicConfig { mazes: 8, max_opt_len: 1, ..SymbolicConfig::default() };
    assert_same(&seen, &play::<Symbolic>(&symbols, "ignorer", None, 0).0);
    // Boxes tell all entries.
    let env = Visual::new(&VisualConfig { boxes: true, mazes: 8, ..VisualConfig::default() }, ()).unwrap();
    let mut buffers = heldout_core::Buffers::new(env.spec(), 1);
    for (number, maze) in env.trials.mazes.iter().enumerate() {
        for at in maze.cells() {
            let state = super::observation::state_at(&env, number as u32, at);
            env.observe(&state, 0, buffers.output().rows.row(0));
            assert_eq!(env.told(buffers.rows().row(0)), Some(*env.trials.seen(&state)));
        }
    }
}

#[test]
fn amendment_10_the_oracle_grasps_and_the_stepper_does_not() {
    for max_opt_len in [1, 2, 3, 5] {
        for (name, config, test) in conditions(max_opt_len, 40, "amendment10") {
            let (oracle, _) = play::<Symbolic>(&config, "oracle", None, 0);
            let (stepper, _) = play::<Symbolic>(&config, "stepper", None, 0);
            let Some((set, _)) = test else {
                // Nothing is asked for: such a maze counts for nothing in a mean of grasps.
                assert!(oracle.iter().all(|e| (e.get("grasp"), e.get("targets")) == (0.0, 0.0)), "{name}");
                continue;
            };
            assert!(oracle.iter().all(|e| (e.get("grasp"), e.get("targets")) == (1.0, 1.0)), "{name}");
            for episode in stepper {
                let lo = set.problems[episode.problem as usize].targets[0].relation.lo;
                assert_eq!(episode.get("grasp"), f32::from(u8::from(lo == 1)), "{name}, lo = {lo}");
            }
        }
    }
    let weight = |env: &Symbolic| env.spec().metrics.iter().find(|m| m.name == "grasp").and_then(|m| m.weight);
    assert_eq!(weight(&Symbolic::new(&SymbolicConfig::default(), ()).unwrap()), Some("targets"));
}

/// The grasp after moves in a maze that asks for one relation.
fn grasp(name: &str, (drawn, relation, at): (&Maze, Relation, (i32, i32)), max_opt_len: u32, moves: &str) -> f32 {
    let targets = vec![Target { relation, cell: cell(at.0, at.1) }];
    let set = TestSet::new("by hand", "a test", vec![Problem { maze: drawn.clone(), targets, foreign: 0 }]);
    let file = ProblemFile::new(&format!("amendment10-{name}"), &set);
    let config =
        SymbolicConfig { problems: Some(file.path()), max_opt_len, max_trial_steps: 9, ..SymbolicConfig::default() };
    let env = Symbolic::new(&config, ()).unwrap();
    let mut state = env.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(0) });
    for word in moves.split_whitespace() {
        let (letter, length) = word.split_at(1);
        let direction = Direction::of_letter(letter.chars().next().unwrap()).unwrap();
        env.step(&mut state, &[Move { direction, length: length.parse().unwrap() }], &mut [0.0]);
    }
    let mut values = vec![f32::NAN; env.spec().metrics.len()];
    env.metrics(&state, &mut values);
    values[env.spec().metrics.iter().position(|m| m.name == "grasp").unwrap()]
}

#[test]
fn amendment_10_grasp_is_measured_from_the_first_stop_of_the_first_trial() {
    let relation = Relation { hi: 6, lo: 4, direction: Direction::Right };
    // Two up to a corner, from where a wall is 6 and a crossing 4 to the right.
    let drawn = maze((1, 1), "UURRRRUUR", &[((5, 3), "RR")]);
    let problem = (&drawn, relation, (1, 3));
    for (max_opt_len, moves, expected) in [
        (5, "U2 R4", 1.0),
        (5, "U1 U1 R4", 1.0),
        (2, "U2 R4", 1.0),
        // One option would do, and so nothing else does.
        (5, "U2 R3 R1", 0.0),
        (5, "U2 R6", 0.0),
        (5, "U2 R9 R4", 0.0),
        (5, "U2 R0 R4", 0.0),
        // Options of three moves: two of them, however they share the way.
        (1, "U2 R3 R1", 1.0),
        (1, "U2 R2 R2", 1.0),
        (1, "U2 R1 R1 R2", 0.0),
        // The first stop counts, and there is one.
        (5, "U2 R1 L1 R4", 0.0),
        (5, "U2", 0.0),
        (5, "", 0.0),
        // A first trial that went by without it is over: it ends after nine steps.
        (5, "U0 U0 U0 U0 U0 U0 U0 U0 U0 U2 R4", 0.0),
        (5, "U0 U0 U0 U0 U0 U0 U0 U2 R4", 1.0),
        // What was grasped stays so.
        (5, "U2 R4 L4 R1", 1.0),
    ] {
        assert_eq!(grasp("corner", problem, max_opt_len, moves), expected, "m = {max_opt_len}: {moves}");
    }
    // A start is stopped at from the beginning.
    let drawn = maze((1, 3), "RRRRUUR", &[((5, 3), "RR")]);
    assert_eq!(grasp("start", (&drawn, relation, (1, 3)), 5, "R4"), 1.0);
    assert_eq!(grasp("start", (&drawn, relation, (1, 3)), 5, "R3 R1"), 0.0);
}
