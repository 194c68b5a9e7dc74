//! The rooms as their scripted policies play them: ceilings, floors and what lies between.

use heldout_core::{Buffers, Environment, Seed, Start, Status};

use super::rooms_common::{Episode, mean, play};
use crate::level::NAMES;
use crate::mini::inference::{InferenceMini, InferenceMiniConfig};
use crate::mini::spot::{SpotMini, SpotMiniConfig};
use crate::rooms::Variant;
use crate::rooms::inference::{Inference, InferenceConfig};
use crate::rooms::spot::{Spot, SpotConfig, SpotState};
use crate::walker::config::Observation;

const VARIANTS: [Variant; 4] = [Variant::Basic, Variant::Passive, Variant::Multi, Variant::Motion];

/// What plays one of the four tasks: level, policy, episodes.
type Player = dyn Fn(&str, &str, u64) -> Vec<Episode<SpotState>>;

fn spot(variant: Variant, level: &str, policy: &str, episodes: u64) -> Vec<Episode<SpotState>> {
    let config = SpotConfig { level: level.to_owned(), observation: Observation::Symbolic, ..SpotConfig::default() };
    let played = play::<Spot>(&config, variant, policy, episodes, 5);
    for episode in &played {
        let touched = episode.state.touched.is_some();
        assert_eq!(touched, episode.status == Status::Terminated, "a touch, and nothing else, terminates");
        assert_eq!(episode.total, f64::from(u8::from(episode.state.success())));
    }
    played
}

fn each_spot(mut check: impl FnMut(&str, &Player)) {
    for (variant, name) in VARIANTS.into_iter().zip(["basic", "passive", "multi", "motion"]) {
        check(name, &move |level, policy, episodes| spot(variant, level, policy, episodes));
    }
}

#[test]
fn memory_check_37_the_oracle_always_finds_the_difference() {
    each_spot(|task, play| {
        for level in NAMES {
            let played = play(level, "oracle", 60);
            let failed: Vec<_> = (0..60).filter(|&i| played[i].total < 1.0).collect();
            assert!(failed.is_empty(), "{task} {level}: {failed:?}");
            // The delay and some fifteen seconds more.
            for episode in &played {
                let seconds = f64::from(episode.steps) * 4.0 / 30.0 - f64::from(episode.state.layout.delay);
                assert!((5.0..25.0).contains(&seconds), "{task} {level}: {seconds} s");
            }
        }
    });
}

#[test]
fn memory_check_37_random_walks_find_it_seldom() {
    each_spot(|task, play| {
        for level in ["train", "holdout_interpolate", "holdout_extrapolate"] {
            let random = mean(&play(level, "random", 300));
            // Motion has twice the time of the others, and more than one walk in two comes to Room B: nearly a quarter
            // find the difference, whatever the rules of touch.
            let most = if task == "motion" { 0.25 } else { 0.10 };
            assert!(random <= most, "{task} {level}: {random}");
        }
    });
}

#[test]
fn without_memory_a_block_is_as_good_as_another() {
    each_spot(|task, play| {
        for (level, multi) in [("train", 0.30), ("holdout_interpolate", 0.25), ("holdout_extrapolate", 1.0 / 7.0)] {
            let episodes = 1000;
            let played = play(level, "memoryless", episodes);
            assert!(played.iter().all(|e| e.status == Status::Terminated), "{task} {level}: a block is always touched");
            // The mean over 2, 3, 5 and 6 blocks is exactly 0.30.
            let expected: f64 = if task == "multi" { multi } else { 0.5 };
            let error = (expected * (1.0 - expected) / episodes as f64).sqrt();
            let score = mean(&played);
            assert!((score - expected).abs() < 5.0 * error, "{task} {level}: {score}, not {expected}");
        }
    });
}

#[test]
fn an_honest_memory_does_as_well_as_the_oracle() {
    each_spot(|task, play| {
        for level in NAMES {
            let played = play(level, "honest", 40);
            let failed = played.iter().filter(|e| e.total < 1.0);
            let failed: Vec<_> = failed.map(|e| (e.steps, e.state.touched, e.state.layout)).collect();
            assert!(failed.is_empty(), "{task} {level}: {failed:?}");
        }
    });
}

#[test]
fn looking_left_and_right_leads_nowhere() {
    each_spot(|task, play| {
        let steps = if task == "motion" { 1800 } else { 900 };
        for episode in play("train", "noop", 3) {
            assert_eq!((episode.steps, episode.status, episode.total), (steps, Status::Truncated, 0.0), "{task}");
            let (x, z) = (episode.state.body.x, episode.state.body.z);
            assert_eq!((x, z), (4.0, if task == "passive" { 1.5 } else { 6.0 }), "{task}");
        }
    });
}

fn inference(level: &str) -> InferenceConfig {
    InferenceConfig { level: level.to_owned(), observation: Observation::Symbolic, ..InferenceConfig::default() }
}

/// The length of a chain, where the level fixes it.
const ITEMS: [(&str, u32); 8] = [
    ("holdout_interpolate", 6),
    ("holdout_extrapolate", 8),
    ("train_small", 5),
    ("train_large", 7),
    ("interpolate", 6),
    ("extrapolate", 8),
    ("holdout_small", 5),
    ("holdout_large", 7),
];

#[test]
fn memory_check_34_the_oracle_earns_four_more_than_the_chain_has_items() {
    for (level, items) in ITEMS {
        for episode in play::<Inference>(&inference(level), (), "oracle", 20, 5) {
            let state = &episode.state;
            assert_eq!((episode.total, state.chain.wrong), (f64::from(items + 4), 0), "{level}");
            assert_eq!((state.chain.items, episode.status), (items, Status::Terminated), "{level}");
        }
        // Guesses cost time, not reward.
        for episode in play::<Inference>(&inference(level), (), "honest", 20, 5) {
            assert_eq!((episode.total, episode.status), (f64::from(items + 4), Status::Terminated), "{level}");
        }
    }
}

#[test]
fn without_memory_the_challenge_is_a_coin_flip() {
    for (level, items) in ITEMS {
        let episodes = 150;
        let played = play::<Inference>(&inference(level), (), "memoryless", episodes, 5);
        assert!(played.iter().all(|e| e.status == Status::Terminated), "{level}");
        let (score, expected) = (mean(&played), f64::from(items - 1) + 2.5);
        assert!((score - expected).abs() < 5.0 * 2.5 / (episodes as f64).sqrt(), "{level}: {score}, not {expected}");
        // Each of the pairs is answered wrongly once on average, since each presentation is a coin flip.
        let wrong: u32 = played.iter().map(|e| e.state.chain.wrong).sum();
        let (flips, trials) = (f64::from(wrong), f64::from(items - 1) * episodes as f64);
        assert!((flips - trials).abs() < 5.0 * (2.0 * trials).sqrt(), "{level}: {flips} of {trials}");
    }
}

fn mini(variant: Variant) {
    for level in NAMES {
        let config = |observation| SpotMiniConfig { level: level.to_owned(), observation, ..SpotMiniConfig::default() };
        for (policy, least) in [("oracle", 5.0), ("honest", 5.0), ("memoryless", 0.0), ("noop", 0.0)] {
            for episode in play::<SpotMini>(&config(Observation::Symbolic), variant, policy, 30, 5) {
                assert!((80..=125).contains(&episode.steps), "{level}: {} steps", episode.steps);
                assert_eq!(episode.status, Status::Terminated);
                assert!((least..=5.0).contains(&episode.total), "{policy} on {level}: {}", episode.total);
            }
        }
        // The kind of observation changes nothing of the trials.
        let totals = |observation| -> Vec<f64> {
            play::<SpotMini>(&config(observation), variant, "noop", 10, 9).iter().map(|e| e.total).collect()
        };
        assert_eq!(totals(Observation::Symbolic), totals(Observation::Pixels), "{level}");
        let guesses = play::<SpotMini>(&config(Observation::Symbolic), variant, "memoryless", 400, 5);
        let expected: f64 = guesses.iter().map(|e| 5.0 / f64::from(e.state.layout.count)).sum::<f64>() / 400.0;
        if variant != Variant::Multi {
            assert!((mean(&guesses) - expected).abs() < 5.0 * (5.0 * 0.25 / 400.0_f64).sqrt(), "{level}");
        }
    }
}

#[test]
fn minis_of_spot_the_difference_need_memory_alone() {
    VARIANTS.into_iter().for_each(mini);
}

#[test]
fn the_mini_of_transitive_inference_pays_what_the_walk_pays() {
    for (level, items) in ITEMS {
        let config = InferenceMiniConfig { level: level.to_owned(), ..InferenceMiniConfig::default() };
        let ceiling = f64::from(4 * (items + 4));
        for policy in ["oracle", "honest"] {
            for episode in play::<InferenceMini>(&config, (), policy, 30, 5) {
                assert_eq!((episode.total, episode.status), (ceiling, Status::Terminated), "{policy} on {level}");
                // A step for each answer and one after it, the last excepted.
                let oracle = 2 * 4 * items - 1;
                assert!(if policy == "oracle" { episode.steps == oracle } else { episode.steps >= oracle }, "{level}");
            }
        }
        let guesses = play::<InferenceMini>(&config, (), "memoryless", 300, 5);
        let (score, expected) = (mean(&guesses), 4.0 * (f64::from(items - 1) + 2.5));
        // Few are cut at 200 steps.
        let cut = guesses.iter().filter(|e| e.status == Status::Truncated).count();
        assert!(cut < 30, "{level}: {cut} cut");
        assert!((score - expected).abs() < 5.0 * 5.0 / 300.0_f64.sqrt() + 0.3, "{level}: {score}, not {expected}");
    }
}

/// One ball in the middle of either half.
#[test]
fn the_mini_of_transitive_inference_shows_its_balls_left_and_right() {
    let config = InferenceMiniConfig { observation: Observation::Pixels, ..InferenceMiniConfig::default() };
    let rules = InferenceMini::new(&config, ()).unwrap();
    for episode in 0..20 {
        let state = rules.start(Start { seed: Seed(episode), copy: Seed(0), episode, problem: None });
        let mut buffers = Buffers::new(rules.spec(), 1);
        rules.observe(&state, 0, buffers.output().rows.row(0));
        let rows = buffers.rows();
        let pixels = rows.row(0).u8(0);
        let at = |x: usize, y: usize| &pixels[(y * 48 + x) * 3..][..3];
        let [left, between, right] = [12, 24, 36].map(|x| at(x, 18));
        assert_eq!(between, at(0, 0));
        assert!(left != between && right != between && left != right, "{left:?} {right:?}");
        // Of a radius of 8 pixels.
        assert!(
            [5, 19, 29, 43].into_iter().all(|x| at(x, 18) != between)
                && [2, 22, 26, 46].into_iter().all(|x| at(x, 18) == between)
        );
    }
}
