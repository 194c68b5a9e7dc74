//! What of an action counts.

use super::{Game, batch, rules, start};
use crate::codec::{Act, EOS, MAX_LENGTH, Role};
use crate::game::{LISTENER, SPEAKER};
use heldout_core::{Environment, Reset, Seed};
use serde_json::json;

/// Decision and message are one integer, yet each counts where it may: the message in a round, the decision after it.
#[test]
fn combined_actions_count_where_one_of_their_parts_may() {
    let rules: Game = rules(json!({"actions": "combined"}));
    let mut state = rules.start(start(1));
    let mut tokens = [EOS; MAX_LENGTH];
    tokens[..2].copy_from_slice(&[3, 1]);
    let said = Act::say(tokens);
    rules.step(&mut state, &[said, Act::decide(0)], &mut [0.0; 2]);
    assert_eq!([Role::Speaker, Role::Listener].map(|role| *state.previous(role).unwrap()), [said, Act::NOTHING]);
    let answer = Act::decide(state.now.answer);
    rules.step(&mut state, &[said, answer], &mut [0.0; 2]);
    assert_eq!([Role::Speaker, Role::Listener].map(|role| *state.previous(role).unwrap()), [Act::NOTHING, answer]);
    assert_eq!(state.last_right, Some(true));
}

/// The one-hot vector of an action has a unit for each of the integers that stand for it, and no other.
#[test]
fn actions_are_written_by_their_integers() {
    let mut rng = Seed(7).rng();
    for actions in ["plain", "sentences", "combined"] {
        for listener_query in [false, true] {
            let rules: Game = rules(json!({"actions": actions, "listener_query": listener_query, "distractors": 1}));
            for role in [Role::Speaker, Role::Listener] {
                let codec = rules.rulebook.codec(role);
                let sizes = codec.sizes();
                for _ in 0..200 {
                    let raw: Vec<i32> = sizes.iter().map(|&n| rng.below(n) as i32).collect();
                    let act = codec.decode(&raw);
                    let mut raw = vec![-1; sizes.len()];
                    codec.encode(&act, &mut raw);
                    let units = |(&n, &raw): (&u32, &i32)| (0..n as i32).map(move |i| f32::from(u8::from(i == raw)));
                    let expected: Vec<f32> = sizes.iter().zip(&raw).flat_map(units).collect();
                    let mut out = vec![f32::NAN; codec.width()];
                    codec.write(&act, &mut out);
                    assert_eq!(out, expected, "{actions}, {role:?}, {act:?}");
                }
            }
        }
    }
}

/// The random policy reads the mask of what may be done now, wherever that stands.
#[test]
fn random_agents_act_alike_however_observations_are_laid_out() {
    for overrides in [json!({}), json!({"rounds": 2, "skip_idle": true}), json!({"skip_idle": true, "feedback": false})]
    {
        let played = [false, true].map(|flat| {
            let mut overrides = overrides.clone();
            overrides["flat"] = flat.into();
            let (mut env, mut buffers) = batch("s2b/listener-v1", &overrides, 16);
            env.seat(0, "random", Seed(1)).unwrap();
            env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
            let mut all = Vec::new();
            for _ in 0..60 {
                let mut actions = vec![-1; 16];
                env.act(&buffers.rows(), &mut actions).unwrap();
                env.step(&actions, buffers.output()).unwrap();
                all.push(actions);
            }
            all
        });
        assert_eq!(played[0], played[1], "{overrides}");
        assert!(played[0].iter().flatten().any(|&a| a == 0) && played[0].iter().flatten().any(|&a| a == 1));
    }
}

/// Successive messages spell the utterance; where the speaker may go on, it says the last of them again.
#[test]
fn a_speaker_that_may_speak_at_any_time_repeats_its_last_message() {
    let overrides = json!({
        "rounds": 2, "message_length": 2, "speak_any_time": true, "latch_message": false, "privileged": true,
    });
    let (mut env, mut buffers) = batch("s2b/game-v1", &overrides, 8);
    let spec = env.spec().clone();
    let [round, first, second, third] =
        ["round_index", "target_0", "target_1", "target_2"].map(|metric| spec.metric(metric).unwrap());
    env.seat(SPEAKER, "posdis", Seed(1)).unwrap();
    env.seat(LISTENER, "random", Seed(1)).unwrap();
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let mut actions = vec![-1; 8 * spec.action_width()];
    for _ in 0..60 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        for (metrics, actions) in buffers.metrics.chunks(spec.metrics.len()).zip(actions.chunks(spec.action_width())) {
            let token = |metric: usize| metrics[metric] as i32 + 1;
            let expected = if metrics[round] == 0.0 { [token(first), token(second)] } else { [token(third), 0] };
            assert_eq!(actions[spec.action_span(SPEAKER)], expected, "round {}", metrics[round]);
        }
        env.step(&actions, buffers.output()).unwrap();
    }
}
