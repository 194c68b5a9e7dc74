//! States that the rules could not have made are refused, and players that know nothing yet can go on from any other.

use super::{Game, Listener, batch, rules, start};
use crate::codec::Act;
use crate::recall::{Answer, Recall};
use heldout_core::{Environment, Reset, Seed, Status};
use serde_json::{Value, json};

/// What `check` says of `state` with the value at `at` changed.
fn told<E: Environment>(rules: &E, state: &E::State, at: &str, value: Value) -> String {
    assert_eq!(rules.check(state), Ok(()));
    let mut json = serde_json::to_value(state).unwrap();
    *json.pointer_mut(at).unwrap_or_else(|| panic!("there is no {at}")) = value;
    rules.check(&serde_json::from_value(json).unwrap()).unwrap_err()
}

/// Meanings, samples, tokens and decisions outside their tables were looked up.
#[test]
fn regression_forged_games_were_looked_up() {
    let rules: Game = rules(json!({}));
    let mut state = rules.start(start(1));
    rules.step(&mut state, &[Act::NOTHING; 2], &mut [0.0; 2]);
    let forged = [
        ("/now/target/sample", json!(200), "`now` is not what the seed of the episode makes it"),
        ("/now/order/0", json!(9), "`now`"),
        ("/targets/0", json!(0xffff), "`targets`"),
        ("/space/samples/3", json!(0.25), "`space`"),
        ("/permutation/1", json!(200), "`permutation`"),
        ("/game", json!(4000), "`game` is `4000`, must be below"),
        ("/round", json!(9), "`round` is `9`, must be 0 to 2"),
        ("/heard/0", json!(200), "`token` is `200`"),
        ("/heard/1", json!(1), "`message`"),
        ("/previous/1/decision", json!(7), "`decision` is `7`"),
        ("/turns/3/said/2", json!(99), "`said` is `99`"),
        ("/query/right", json!(1), "`right`"),
        ("/query/games", json!(u32::MAX), "`games`"),
        ("/reward", json!(1e30), "`reward`"),
    ];
    for (at, value, problem) in forged {
        let told = told(&rules, &state, at, value);
        assert!(told.contains(problem), "{at}: {told}");
    }
}

/// Orders, shots and dimensions outside their tables were looked up.
#[test]
fn regression_forged_recalls_were_looked_up() {
    let rules: Recall = rules(json!({}));
    let mut state = rules.start(start(1));
    rules.step(&mut state, &[Answer::Nothing], &mut [0.0]);
    let forged = [
        ("/shot", json!(2), "`shot` is `2`, must be below 2"),
        ("/game", json!(4000), "`game`"),
        ("/asked", json!(9), "`asked`"),
        ("/sample", json!(1), "`sample`"),
        ("/order/0", json!(0xffff), "`order`"),
        ("/over", json!(true), "`over`"),
        ("/previous", json!({"Value": 200}), "`previous` is `200`"),
        ("/games/0", json!(u32::MAX), "`games`"),
    ];
    for (at, value, problem) in forged {
        let told = told(&rules, &state, at, value);
        assert!(told.contains(problem), "{at}: {told}");
    }
}

/// Whoever took over at a prompt looked up a stimulus that it had never seen.
#[test]
fn regression_players_of_recall_panicked_after_a_restore_at_a_prompt() {
    for overrides in [json!({}), json!({"samples": 4}), json!({"representation": "ohe"})] {
        for policy in ["oracle", "rank", "ohe-decoder", "memoryless"] {
            let (mut env, mut buffers) = batch("s2b/recall-v1", &overrides, 1);
            if env.seat(0, policy, Seed(1)).is_err() {
                continue;
            }
            env.reset(Reset::seed(Seed(1)), buffers.output()).unwrap();
            env.step(&[0], buffers.output()).unwrap();
            let at_prompt = env.save(0).unwrap();
            env.restore(0, &at_prompt).unwrap();
            let mut actions = [-1];
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
    }
}

/// An episode that was over but told to go on prepared a game after the last.
#[test]
fn regression_an_episode_that_was_over_went_on() {
    for overrides in [json!({}), json!({"feedback": false}), json!({"skip_idle": true})] {
        let rules: Listener = rules(overrides);
        let mut state = rules.start(start(2));
        while rules.step(&mut state, &[Act::decide(0)], &mut [0.0]) == Status::Running {}
        for _ in 0..5 {
            assert_eq!(rules.step(&mut state, &[Act::decide(0)], &mut [0.0]), Status::Terminated);
        }
        assert_eq!(rules.check(&state), Ok(()));
    }
}
