//! HALMA: acceptance checks 20 to 24, how well one can do and how badly.

use super::{Episode, ProblemFile, Symbolic, Visual, maze, mean, play};
use crate::config::{SymbolicConfig, VisualConfig};
use crate::generate::Split;
use crate::maze::Maze;
use crate::oracle::Lengths;
use heldout_core::Environment;

/// Asserts that every episode is as good as it gets.
fn assert_perfect(episodes: &[Episode], mazes: &[Maze]) {
    for episode in episodes {
        assert_eq!(["rho_a", "rho_g", "rho_p"].map(|m| episode.get(m)), [0.0, 1.0, 1.0]);
        let maze = &mazes[episode.problem as usize];
        assert_eq!(episode.get("return"), 10.0 * (100 + maze.start().distance(maze.goal())) as f32);
        assert!(episode.get("length") <= 180.0);
    }
}

#[test]
fn halma_check_20_the_oracle_is_perfect() {
    for split in [Split::Train, Split::Test] {
        for max_opt_len in [1, 3, 5] {
            for observation in ["one_hot", "indexed", "compact"] {
                let mazes = if observation == "one_hot" { 1_000 } else { 100 };
                let config = SymbolicConfig {
                    split,
                    mazes,
                    max_opt_len,
                    observation: serde_json::from_value(observation.into()).unwrap(),
                    ..SymbolicConfig::default()
                };
                let (episodes, env) = play::<Symbolic>(&config, "oracle", None, 0);
                assert_eq!(episodes.len(), mazes as usize);
                assert_perfect(&episodes, &env.rules().trials.mazes);
            }
        }
    }
    // Panels, by the same oracle on the entries of the same states.
    for split in [Split::Train, Split::Test] {
        for max_opt_len in [1, 3, 5] {
            let config = VisualConfig { split, mazes: 100, max_opt_len, ..VisualConfig::default() };
            let (episodes, env) = play::<Visual>(&config, "oracle", None, 0);
            assert_perfect(&episodes, &env.rules().trials.mazes);
        }
    }
}

#[test]
fn halma_check_21_the_oracles_lengths_are_consistent() {
    for split in [Split::Train, Split::Test] {
        let config = SymbolicConfig { split, mazes: 1_000, ..SymbolicConfig::default() };
        let env = Symbolic::new(&config, ()).unwrap();
        let mut sums = [0; 4];
        for maze in &env.trials.mazes {
            let [one, three, five] = [1, 3, 5].map(|m| Lengths::of(maze, 3 * m));
            assert_eq!(three, five);
            assert!(one.explore >= three.explore && one.plan >= three.plan);
            assert!([one, three].iter().all(|l| l.plan <= l.explore));
            let runs = 1 + maze.shape().windows(2).filter(|w| w[0] != w[1]).count();
            assert_eq!(three.plan as usize, runs);
            for (sum, n) in sums.iter_mut().zip([one.explore, one.plan, three.explore, three.plan]) {
                *sum += n;
            }
        }
        println!("{split:?}: explore and plan at m = 1, then at m = 3: {:?}", sums.map(|n| f64::from(n) / 1000.0));
    }
}

#[test]
fn halma_check_22_exploring_again_costs_what_it_must() {
    for max_opt_len in [1, 3, 5] {
        let config = SymbolicConfig { max_opt_len, mazes: 300, ..SymbolicConfig::default() };
        let (episodes, _) = play::<Symbolic>(&config, "explorer", None, 0);
        for episode in episodes {
            assert_eq!((episode.get("rho_a"), episode.get("rho_g")), (0.0, 1.0));
            let ratio = f64::from(episode.get("plan_len")) / f64::from(episode.get("explore_len"));
            let expected = (1.0 + 9.0 * ratio) / 10.0;
            assert!((f64::from(episode.get("rho_p")) - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn halma_check_23_the_example_of_the_paper() {
    // Fig. S4: crossings at 0, 2, 3 and 4 of a run of 5; then D1, R2, D1, with a wall two below.
    let branches = [((1, 5), "U"), ((3, 5), "U"), ((4, 5), "D"), ((5, 5), "U"), ((8, 3), "D")];
    let figure = maze((1, 5), "RRRRRDRRD", &branches);
    for (max_opt_len, explore, plan) in [(1, 7, 5), (3, 7, 4), (5, 7, 4)] {
        assert_eq!(Lengths::of(&figure, 3 * max_opt_len), Lengths { explore, plan });
        let file = ProblemFile::of(&format!("check23-{max_opt_len}"), vec![figure.clone()]);
        let config = SymbolicConfig { problems: Some(file.path()), max_opt_len, ..SymbolicConfig::default() };
        let (episodes, _) = play::<Symbolic>(&config, "oracle", Some(1), 0);
        assert_eq!(episodes[0].get("length"), (explore + 9 * plan) as f32);
        assert_eq!(episodes[0].get("rho_p"), 1.0);
    }
}

#[test]
fn halma_check_24_random_tokens_do_as_badly_as_they_must() {
    // Section 5.3 of the specification: rho_a and rho_g for options of 1, 3 and 5 tokens.
    for (split, expected) in [
        (Split::Train, [(1, 0.55, 0.16), (3, 0.68, 0.085), (5, 0.69, 0.068)]),
        (Split::Test, [(1, 0.55, 0.12), (3, 0.68, 0.081), (5, 0.69, 0.058)]),
    ] {
        for (max_opt_len, rho_a, rho_g) in expected {
            let config = SymbolicConfig { split, max_opt_len, ..SymbolicConfig::default() };
            let (episodes, _) = play::<Symbolic>(&config, "random", Some(1_000), 0);
            let (a, g, p) = (mean(&episodes, "rho_a"), mean(&episodes, "rho_g"), mean(&episodes, "rho_p"));
            println!("{split:?} m = {max_opt_len}: rho_a {a:.3}, rho_g {g:.3}, rho_p {p:.4}");
            assert!((a - rho_a).abs() <= 0.05, "{split:?}, m = {max_opt_len}: rho_a {a}");
            assert!((g - rho_g).abs() <= 0.04, "{split:?}, m = {max_opt_len}: rho_g {g}");
        }
    }
}
