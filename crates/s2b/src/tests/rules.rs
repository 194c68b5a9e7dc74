//! Acceptance checks 9 to 14 and 18 to 22 of S2B: games, rewards, masks, actions, observations, determinism.

use super::{EPISODES, Game, Listener, batch, five_sigma, near, play, rules, start, states, uniform};
use crate::codec::{Act, EOS, MAX_LENGTH, Role, message_of, regular, sentence_of, sentences};
use crate::game::{LISTENER, SPEAKER};
use crate::recall::{Answer, Recall};
use heldout_core::{Crc, Environment, Reset, Rng, Seed, Status, VecEnv};
use serde_json::{Value, json};

const LISTENER_ID: &str = "s2b/listener-v1";
const GAME_ID: &str = "s2b/game-v1";

fn message(tokens: &[u8]) -> [u8; MAX_LENGTH] {
    let mut message = [EOS; MAX_LENGTH];
    message[..tokens.len()].copy_from_slice(tokens);
    message
}

#[test]
fn s2b_check_09_an_episode_has_the_steps_its_games_need() {
    for rounds in [1, 2, 3] {
        let rules: Listener = rules(json!({"rounds": rounds}));
        for (i, mut state) in states(&rules, EPISODES).enumerate() {
            let games = (state.support_targets().len() + state.query_targets().len()) as u32;
            let (mut steps, mut decisions, mut rewards) = (0, 0, [0.0]);
            loop {
                decisions += u32::from(state.round() == rounds);
                let status = rules.step(&mut state, &[Act::decide(0)], &mut rewards);
                steps += 1;
                let end = (rounds + 2) * games - 1;
                assert_eq!(status, if steps == end { Status::Terminated } else { Status::Running }, "episode {i}");
                if status.ended() {
                    break;
                }
            }
            assert_eq!(decisions, games);
        }
    }
}

#[test]
fn s2b_check_10_rewards_come_with_decisions_alone_and_are_shared() {
    let rules: Game = rules(json!({}));
    let mut rng = Rng::new(Seed(1));
    for (i, mut state) in states(&rules, EPISODES).enumerate() {
        let games = state.support_targets().len() + state.query_targets().len();
        let perfect = i % 2 == 0;
        let mut sum = 0.0;
        loop {
            let (deciding, query, answer) = (state.round() == 1, state.now.query, state.now.answer);
            let decision = if perfect { answer } else { rng.below(2) as u8 };
            let mut rewards = [f32::NAN; 2];
            let status = rules.step(&mut state, &[Act::say(message(&[1, 2, 3])), Act::decide(decision)], &mut rewards);
            assert_eq!(rewards[0], rewards[1]);
            let expected = match (deciding, decision == answer, query) {
                (false, ..) | (true, false, false) => 0.0,
                (true, true, _) => 1.0,
                (true, false, true) => -2.0,
            };
            assert_eq!(rewards[0], expected);
            sum += rewards[0];
            if status.ended() {
                break;
            }
        }
        assert!(!perfect || sum == games as f32);
    }
}

#[test]
fn s2b_check_11_the_target_is_there_as_often_as_the_ratio_says() {
    for (overrides, expected) in [
        (json!({}), 0.5),
        (json!({"distractors": 3}), 0.8),
        (json!({"distractors": 3, "target_ratio": "original"}), 0.2),
        (json!({"distractors": 3, "target_ratio": 0.6}), 0.6),
        (json!({"distractors": 3, "descriptive": false}), 1.0),
    ] {
        let rules: Listener = rules(overrides.clone());
        let slots = overrides["distractors"].as_u64().unwrap_or(0) as usize + 1;
        let (mut games, mut present, mut positions) = (0, 0, vec![0_u32; slots]);
        for mut state in states(&rules, EPISODES) {
            let mut rewards = [0.0];
            loop {
                if state.round() == 0 {
                    let now = state.now;
                    let meanings: Vec<_> = (0..slots).map(|i| now.stimulus(i).meaning).collect();
                    let place = meanings.iter().position(|&m| m == now.target.meaning);
                    assert_eq!(usize::from(now.answer), place.unwrap_or(slots));
                    let mut distinct = meanings.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    assert_eq!(distinct.len(), slots, "distractors are distinct");
                    let leaks = meanings.iter().any(|&m| state.halves.held_out(m));
                    assert!(now.query || !leaks || now.pool_widened, "a support game shows a held-out meaning");
                    games += 1;
                    present += u32::from(place.is_some());
                    if let Some(place) = place {
                        positions[place] += 1;
                    }
                }
                if rules.step(&mut state, &[Act::NOTHING], &mut rewards).ended() {
                    break;
                }
            }
        }
        let share = f64::from(present) / f64::from(games);
        near(&overrides.to_string(), share, expected, five_sigma(expected, f64::from(games)));
        if slots > 1 {
            uniform("position of the target", &positions);
        }
    }
}

#[test]
fn s2b_check_12_feedback_shows_what_the_speaker_saw() {
    for overrides in [json!({}), json!({"distractors": 2}), json!({"distractors": 2, "full_observation": false})] {
        let (mut env, mut buffers) = batch(GAME_ID, &overrides, EPISODES);
        let spec = env.spec().clone();
        let [stimulus, tokens, round] = ["stimulus", "message_tokens", "round"].map(|f| spec.field(f).unwrap());
        env.seat(SPEAKER, "random", Seed(1)).unwrap();
        env.seat(LISTENER, "random", Seed(1)).unwrap();
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        let mut actions = vec![0; EPISODES * spec.action_width()];
        let mut said = vec![Vec::new(); EPISODES];
        let mut compared = 0;
        for _ in 0..40 {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
            let rows = buffers.rows();
            for (i, said) in said.iter_mut().enumerate() {
                let (speaker, listener) = (rows.row(2 * i + SPEAKER), rows.row(2 * i + LISTENER));
                match listener.f32(round).iter().position(|&x| x == 1.0) {
                    Some(0) => assert!(listener.i32(tokens).iter().all(|&t| t == 0), "a game begins in silence"),
                    Some(1) => *said = listener.i32(tokens).to_vec(),
                    _ => {
                        let bits = |row: &[f32]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                        assert_eq!(bits(listener.f32(stimulus)), bits(speaker.f32(stimulus)));
                        assert_eq!(listener.i32(tokens), *said);
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 10 * EPISODES);
    }
}

#[test]
fn s2b_check_13_looks_of_speaker_and_listener_are_drawn_apart() {
    for (samples, expected) in [(4, 0.25), (1, 1.0)] {
        let rules: Listener = rules(json!({"samples": samples}));
        let (mut present, mut same) = (0, 0);
        for mut state in states(&rules, EPISODES) {
            loop {
                let now = state.now;
                if state.round() == 0 && now.answer == 0 {
                    present += 1;
                    same += u32::from(now.target.sample == now.stimulus(0).sample);
                    assert_eq!(now.target.meaning, now.stimulus(0).meaning);
                }
                if rules.step(&mut state, &[Act::NOTHING], &mut [0.0]).ended() {
                    break;
                }
            }
        }
        let share = f64::from(same) / f64::from(present);
        near("identical stimuli", share, expected, 0.03);
        assert!(samples > 1 || same == present);
    }
}

#[test]
fn s2b_check_14_the_permutation_is_a_bijection_new_in_every_episode() {
    let rules: Game = rules(json!({"listener_query": true}));
    let tokens = rules.spec().field("message_tokens").unwrap();
    let mut images = [[0_u32; 6]; 6];
    for mut state in states(&rules, 6000) {
        let permutation = state.permutation.clone();
        assert_eq!(permutation[0], 0);
        let mut sorted = permutation.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &t)| usize::from(t) == i));
        for (token, &image) in permutation.iter().enumerate().skip(1) {
            images[token - 1][usize::from(image) - 1] += 1;
        }
        // What is said after the end of the sentence is not heard; the answer comes back through the inverse.
        let raw = [2, 0, 5];
        let say = rules.decode(SPEAKER, &raw).unwrap();
        let ask = rules.decode(LISTENER, &[2, i32::from(permutation[4]), i32::from(permutation[1]), 0]).unwrap();
        rules.step(&mut state, &[say, ask], &mut [0.0; 2]);
        let mut buffers = heldout_core::Buffers::new(rules.spec(), 1);
        for agent in [SPEAKER, LISTENER] {
            let mut output = buffers.output();
            rules.observe(&state, agent, output.rows.row(agent));
        }
        assert_eq!(buffers.rows().row(LISTENER).i32(tokens), [i32::from(permutation[2]), 0, 0]);
        assert_eq!(buffers.rows().row(SPEAKER).i32(tokens), [4, 1, 0]);
        let before = state.permutation.clone();
        for _ in 0..10 {
            rules.step(&mut state, &[Act::NOTHING; 2], &mut [0.0; 2]);
        }
        assert_eq!(state.permutation, before);
    }
    for images in images {
        uniform("image of a token", &images);
    }
    let fixed: Game = super::rules(json!({"permute": false}));
    assert!(states(&fixed, 10).all(|s| s.permutation == [0, 1, 2, 3, 4, 5, 6]));
}

/// Sum of the mask of one row, and the mask.
fn mask_of(env: &dyn VecEnv, buffers: &heldout_core::Buffers, row: usize, width: usize) -> (f32, Vec<f32>) {
    let agent = row % env.spec().agents.len();
    let several = env.spec().agents[agent].action.sizes().len() > 1;
    let field = env.spec().field(if several { "legal_actions" } else { "action_mask" }).unwrap();
    let mask = buffers.rows().row(row).f32(field)[..width].to_vec();
    (mask.iter().sum(), mask)
}

#[test]
fn s2b_check_18_masks_say_what_counts_and_the_rest_is_ignored() {
    for (rounds, distractors) in [(1, 0), (2, 0), (1, 2)] {
        let overrides = json!({"rounds": rounds, "distractors": distractors});
        let (mut env, mut buffers) = batch(LISTENER_ID, &overrides, 64);
        env.seat(0, "random", Seed(1)).unwrap();
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        let round = env.spec().field("round").unwrap();
        let mut actions = vec![0; 64];
        for _ in 0..200 {
            for i in 0..64 {
                let (sum, mask) = mask_of(&*env, &buffers, i, distractors + 3);
                let deciding = buffers.rows().row(i).f32(round)[rounds] == 1.0;
                assert_eq!(sum, if deciding { distractors as f32 + 2.0 } else { 1.0 });
                assert_eq!(mask[distractors + 2], f32::from(u8::from(!deciding)));
            }
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
    }
    // Two trajectories that differ in illegal actions alone are the same, observations included.
    for (id, overrides) in [
        (LISTENER_ID, json!({})),
        (GAME_ID, json!({})),
        (GAME_ID, json!({"listener_query": true})),
        (GAME_ID, json!({"actions": "sentences"})),
        (GAME_ID, json!({"actions": "combined"})),
    ] {
        assert_eq!(trajectory(id, &overrides, false), trajectory(id, &overrides, true), "{id} {overrides}");
    }
}

/// Digest of a random legal trajectory, with anything at all done where only doing nothing is legal if `noisy`.
fn trajectory(id: &str, overrides: &Value, noisy: bool) -> u32 {
    let (mut env, mut buffers) = batch(id, overrides, 16);
    let spec = env.spec().clone();
    for agent in 0..spec.agents.len() {
        env.seat(agent, "random", Seed(1)).unwrap();
    }
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let (agents, width) = (spec.agents.len(), spec.action_width());
    let mut actions = vec![0; 16 * width];
    let mut rng = Seed(12).rng();
    let mut crc = Crc::new();
    let query = overrides["listener_query"] == true;
    for _ in 0..300 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        for i in 0..16 {
            for agent in 0..agents {
                let span = spec.action_span(agent);
                let sizes = spec.agents[agent].action.sizes();
                let total: u32 = sizes.iter().sum();
                let (legal, _) = mask_of(&*env, &buffers, i * agents + agent, total as usize);
                if legal == sizes.len() as f32 && noisy && !(query && agent == LISTENER) {
                    for (at, &n) in span.zip(sizes) {
                        actions[i * width + at] = rng.below(n) as i32;
                    }
                }
            }
        }
        env.step(&actions, buffers.output()).unwrap();
        buffers.digest(&mut crc);
    }
    crc.value()
}

#[test]
fn s2b_check_19_the_combined_codec_is_that_of_the_public_code() {
    let cases = [(0, 6, 3, 519), (0, 4, 3, 171), (0, 10, 5, 111_111 * 2 + 1), (3, 10, 5, 111_111 * 5 + 1)];
    for (distractors, vocabulary, message_length, actions) in cases {
        let game: Game = rules(json!({
            "actions": "combined",
            "distractors": distractors,
            "vocabulary": vocabulary,
            "message_length": message_length,
        }));
        let codec = game.rulebook.codec(Role::Listener);
        assert_eq!(codec.sizes(), [actions]);
        for id in 0..actions as i32 {
            let mut raw = [-1];
            codec.encode(&codec.decode(&[id]), &mut raw);
            // Decision 0 with an empty message has its own number, beside that of doing nothing.
            assert_eq!(raw[0], id);
        }
    }
    for token in 1..=6 {
        assert_eq!(message_of(u32::from(token), 6), message(&[token]));
    }
    assert_eq!(message_of(7, 6), message(&[1, 1]));
    assert_eq!(message_of(8, 6), message(&[2, 1]));
    assert_eq!(sentences(6, 3), 259);
    let mut all: Vec<u32> = Vec::new();
    for a in 0..7 {
        for b in 0..7 {
            for c in 0..7 {
                let said = regular(message(&[a, b, c]));
                let id = sentence_of(said, 6);
                assert_eq!(message_of(id, 6), said);
                all.push(id);
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, (0..259).collect::<Vec<_>>());
    let (env, _) = batch(GAME_ID, &json!({"preset": "regym"}), 1);
    assert!(env.spec().agents.iter().all(|a| a.action.sizes() == [519]));
}

#[test]
fn s2b_check_20_observations_have_the_sizes_of_the_table() {
    let flat = |overrides: Value| batch(LISTENER_ID, &overrides, 1).0.spec().observation[0].shape.clone();
    assert_eq!(flat(json!({"flat": true})), [41]);
    assert_eq!(flat(json!({"flat": true, "preset": "parity"})), [1072]);
    assert_eq!(flat(json!({"flat": true, "preset": "regym"})), [1072]);
    for overrides in [json!({}), json!({"actions": "combined"}), json!({"rounds": 3})] {
        let (mut env, mut buffers) = batch(LISTENER_ID, &overrides, 8);
        env.seat(0, "random", Seed(1)).unwrap();
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        let mut actions = vec![0; 8];
        let total: usize =
            env.spec().observation.iter().filter(|f| f.name != "message_tokens").map(heldout_core::Field::len).sum();
        let mut begun = [false; 8];
        let mut decided = [false; 8];
        for step in 0..400 {
            for i in 0..8 {
                let rows = buffers.rows();
                let sum = |name| rows.row(i).f32(env.spec().field(name).unwrap()).iter().sum::<f32>();
                assert_eq!(sum("message"), 3.0);
                for name in ["round", "role", "phase"] {
                    assert_eq!(sum(name), 1.0, "{name} at {step}");
                }
                assert_eq!(sum("previous_action"), f32::from(u8::from(begun[i])), "step {step}");
                assert_eq!(sum("previous_result"), f32::from(u8::from(decided[i])), "step {step}");
                // One-hot tokens and numbered tokens say the same.
                let units = rows.row(i).f32(env.spec().field("message").unwrap());
                let tokens = rows.row(i).i32(env.spec().field("message_tokens").unwrap());
                for (p, &token) in tokens.iter().enumerate() {
                    assert_eq!(units[p * 7 + token as usize], 1.0);
                }
            }
            let round = env.spec().field("round").unwrap();
            let at_decision =
                |i: usize| buffers.rows().row(i).f32(round)[overrides["rounds"].as_u64().unwrap_or(1) as usize];
            let deciding: Vec<bool> = (0..8).map(|i| at_decision(i) == 1.0).collect();
            let ended: Vec<bool> = buffers.status.iter().map(|s| s.ended()).collect();
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
            for i in 0..8 {
                begun[i] = !ended[i];
                decided[i] = !ended[i] && (decided[i] || deciding[i]);
            }
        }
        // The vector is the fields, in order.
        let Value::Object(mut flat) = overrides.clone() else { unreachable!() };
        flat.insert("flat".to_owned(), true.into());
        let (mut flat_env, mut vectors) = batch(LISTENER_ID, &Value::Object(flat), 8);
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        flat_env.reset(Reset::seed(Seed(4)), vectors.output()).unwrap();
        let fields = env.spec().observation.iter().position(|f| f.name == "message_tokens").unwrap();
        for i in 0..8 {
            let rows = buffers.rows();
            let joined: Vec<f32> = (0..fields).flat_map(|f| rows.row(i).f32(f)).copied().collect();
            assert_eq!(vectors.rows().row(i).f32(0), joined);
            assert_eq!(joined.len(), total);
        }
    }
}

#[test]
fn s2b_check_21_what_agents_do_never_changes_what_they_are_given() {
    for overrides in [json!({}), json!({"distractors": 2, "support_passes": 2})] {
        let rules: Game = rules(overrides);
        let mut rng = Seed(1).rng();
        for i in 0..EPISODES as u64 {
            let [mut idle, mut busy] = [rules.start(start(i)), rules.start(start(i))];
            loop {
                assert_eq!(idle.now, busy.now);
                let said = message(&[rng.below(7) as u8, rng.below(7) as u8, rng.below(7) as u8]);
                let acts = [Act::say(said), Act::decide(rng.below(2) as u8)];
                let status = rules.step(&mut busy, &acts, &mut [0.0; 2]);
                assert_eq!(rules.step(&mut idle, &[Act::NOTHING; 2], &mut [0.0; 2]), status);
                if status.ended() {
                    break;
                }
            }
        }
    }
    // The same seed and actions give the same bytes, whatever the number of copies.
    for id in [LISTENER_ID, GAME_ID, "s2b/recall-v1"] {
        let bytes = |len: usize| {
            let (mut env, mut buffers) = batch(id, &json!({}), len);
            env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
            let width = env.spec().action_width();
            (0..400)
                .map(|step| {
                    let actions: Vec<i32> = (0..len * width).map(|i| (step * 7 + (i % width) as i32) % 3).collect();
                    env.step(&actions, buffers.output()).unwrap();
                    env.save(0).unwrap()
                })
                .collect::<Vec<_>>()
        };
        let alone = bytes(1);
        assert!(alone == bytes(1) && alone == bytes(33), "{id}");
    }
}

/// What the checkers of Gymnasium and `PettingZoo` ask for, as far as it is exact here: every observation of every agent has
/// the shape, type and bounds that its space declares, and seeded resets repeat.
#[test]
fn s2b_check_22_spaces_hold_what_is_observed() {
    for id in [LISTENER_ID, GAME_ID, "s2b/recall-v1"] {
        let agents: &[&str] = if id == GAME_ID { &["speaker", "listener"] } else { &["agent"] };
        let (mut env, mut buffers) = batch(id, &json!({}), 3);
        let spec = env.spec().clone();
        assert_eq!(spec.agents.iter().map(|a| a.name).collect::<Vec<_>>(), agents);
        let mut digests = Vec::new();
        for _ in 0..2 {
            env.reset(Reset::seed(Seed(77)), buffers.output()).unwrap();
            let mut rng = Seed(78).rng();
            let mut crc = Crc::new();
            for _ in 0..300 {
                let sizes = spec.agents.iter().flat_map(|a| a.action.sizes()).cycle().take(3 * spec.action_width());
                let actions: Vec<i32> = sizes.map(|&n| rng.below(n) as i32).collect();
                env.step(&actions, buffers.output()).unwrap();
                buffers.digest(&mut crc);
                for (index, field) in spec.observation.iter().enumerate() {
                    for row in 0..3 * agents.len() {
                        let rows = buffers.rows();
                        let inside = |x: f32| x >= field.low && x <= field.high;
                        let fits = match field.dtype {
                            heldout_core::Dtype::F32 => rows.row(row).f32(index).iter().all(|&x| inside(x)),
                            _ => rows.row(row).i32(index).iter().all(|&x| inside(x as f32)),
                        };
                        assert!(fits, "{id}: `{}`", field.name);
                    }
                }
            }
            digests.push(crc.value());
        }
        assert_eq!(digests[0], digests[1], "{id}");
    }
}

/// Without feedback the phase of a game is that of its own number: the public code is one game off.
#[test]
fn regression_the_last_support_game_is_scored_as_support() {
    let rules: Listener = rules(json!({"feedback": false}));
    for mut state in states(&rules, EPISODES) {
        let (support, query) = (state.support_targets().len() as u32, state.query_targets().len() as u32);
        let mut steps = 0;
        loop {
            steps += 1;
            assert_eq!(state.now.query, state.game >= support);
            if rules.step(&mut state, &[Act::NOTHING], &mut [0.0]).ended() {
                break;
            }
        }
        assert_eq!(steps, 2 * (support + query));
    }
}

/// A pool too small for the distractors is widened, and `info` says so.
#[test]
fn short_pools_are_widened_and_reported() {
    let overrides = json!({"max_values": 2, "distractors": 4});
    let rules: Listener = rules(overrides.clone());
    let widened = states(&rules, EPISODES).filter(|s| s.now.pool_widened).count();
    assert!(widened > EPISODES / 2, "four meanings of support cannot give five stimuli");
    let played = play(LISTENER_ID, &overrides, &["oracle"], EPISODES);
    assert!(played.zsct() > 0.95);
    let refused = Listener::new(&serde_json::from_value(json!({"distractors": 7})).unwrap(), ()).unwrap_err();
    assert_eq!(refused.to_string(), "`distractors` is `7`, must be 0 to 6");
}

/// What only an oracle may know is in `info` if asked for, and only then.
#[test]
fn privileged_metrics_must_be_asked_for() {
    let names = |overrides| -> Vec<String> {
        batch(LISTENER_ID, &overrides, 1).0.spec().metrics.iter().map(|m| m.name.clone()).collect()
    };
    let plain = names(json!({}));
    assert!(!plain.iter().any(|n| n.starts_with("values_") || n.starts_with("target_") || n == "answer"));
    let told = names(json!({"privileged": true}));
    for name in ["values_0", "values_2", "target_0", "target_2", "answer"] {
        assert!(told.iter().any(|n| n == name), "{name}");
    }
}

/// A support pool that is too small for a game without target is widened in every game, so that it tells nothing.
#[test]
fn a_widened_pool_does_not_tell_whether_the_target_is_there() {
    let overrides = json!({"max_values": 2, "vocabulary": 3, "distractors": 3, "shots": 1});
    let (mut env, mut buffers) = batch(LISTENER_ID, &overrides, 64);
    env.seat(0, "random", Seed(1)).unwrap();
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let (width, widened, query) = {
        let at = |name| env.spec().metric(name).unwrap();
        (env.spec().metrics.len(), at("pool_widened"), at("query_phase"))
    };
    let mut actions = vec![0; 64];
    for _ in 0..200 {
        for row in buffers.metrics.chunks(width) {
            assert_eq!(row[widened], 1.0 - row[query], "all support games are widened, no query game is");
        }
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
    }
}

/// A learner may have any words; a scripted agent that needs more is refused by name.
#[test]
fn scripted_agents_say_what_they_need() {
    let refused = |overrides: Value, agent, policy| {
        batch(GAME_ID, &overrides, 1).0.seat(agent, policy, Seed(0)).unwrap_err().to_string()
    };
    let bag = refused(json!({}), 0, "bag-of-symbols");
    assert!(bag.contains("`speaker` cannot play `bag-of-symbols`") && bag.contains("at least 15"), "{bag}");
    assert!(refused(json!({"vocabulary": 4}), 0, "posdis").contains("at least 5"));
    assert!(refused(json!({"message_length": 1}), 0, "holistic").contains("`message_length` is `1`"));
    assert!(refused(json!({"message_length": 1}), 1, "nearest").contains("`message_length` is `1`"));
    let (mut env, mut buffers) = batch(GAME_ID, &json!({"message_length": 1, "vocabulary": 2}), 4);
    env.seat(0, "random", Seed(0)).unwrap();
    env.seat(1, "random", Seed(0)).unwrap();
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let mut actions = vec![0; 8];
    for _ in 0..300 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
    }
    let random = json!({"speaker": "random", "message_length": 1, "vocabulary": 2});
    let (mut env, mut buffers) = batch(LISTENER_ID, &random, 4);
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    for _ in 0..300 {
        env.step(&[0; 4], buffers.output()).unwrap();
    }
}

/// Where a value has several looks, the listener is shown one of its own: else `samples` would mean nothing. Told from
/// what both agents see, not from how the game was prepared.
#[test]
fn the_listener_is_not_shown_the_speakers_own_look() {
    for samples in [4, 16] {
        let overrides = json!({"samples": samples, "privileged": true});
        let (mut env, mut buffers) = batch(GAME_ID, &overrides, EPISODES);
        let spec = env.spec().clone();
        let stimulus = spec.field("stimulus").unwrap();
        let [round, answer] = ["round_index", "answer"].map(|m| spec.metric(m).unwrap());
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        let (mut present, mut same) = (0, 0);
        for _ in 0..60 {
            env.step(&vec![0; EPISODES * spec.action_width()], buffers.output()).unwrap();
            let rows = buffers.rows();
            for (i, metrics) in buffers.metrics.chunks(spec.metrics.len()).enumerate() {
                if metrics[round] == 0.0 && metrics[answer] == 0.0 {
                    let [speaker, listener] = [SPEAKER, LISTENER].map(|agent| rows.row(2 * i + agent).f32(stimulus));
                    present += 1;
                    same += u32::from(speaker == listener);
                }
            }
        }
        let (share, expected) = (f64::from(same) / f64::from(present), 1.0 / f64::from(samples));
        near("identical stimuli", share, expected, five_sigma(expected, f64::from(present)));
    }
}

/// Doing nothing at a decision is a wrong decision, in either phase and however actions are numbered.
#[test]
fn doing_nothing_at_the_decision_is_wrong() {
    for overrides in [json!({}), json!({"distractors": 2}), json!({"actions": "combined"}), json!({"feedback": false})]
    {
        let rules: Game = rules(overrides.clone());
        let spec = rules.spec();
        let nothing = spec.agents[LISTENER].action.sizes()[0] as i32 - 1;
        let nothing = rules.decode(LISTENER, &[nothing]).unwrap();
        assert_eq!(nothing, Act::NOTHING, "the last number does nothing");
        let mut metrics = vec![f32::NAN; spec.metrics.len()];
        for mut state in states(&rules, 20) {
            let (mut decisions, mut sum) = ([0.0; 2], 0.0);
            loop {
                let (deciding, query) = (state.round() == 1, state.now.query);
                let mut rewards = [f32::NAN; 2];
                let status = rules.step(&mut state, &[Act::NOTHING, nothing], &mut rewards);
                let expected = if deciding && query { -2.0 } else { 0.0 };
                assert_eq!(rewards, [expected; 2], "{overrides}");
                decisions[usize::from(query)] += f32::from(u8::from(deciding));
                sum += rewards[0];
                if deciding {
                    assert_eq!(state.last_right, Some(false), "{overrides}");
                }
                if status.ended() {
                    break;
                }
            }
            rules.metrics(&state, &mut metrics);
            let metric = |name| metrics[spec.metric(name).unwrap()];
            assert_eq!([metric("support_games"), metric("query_games")], decisions);
            assert_eq!([metric("support_correct"), metric("query_correct")], [0.0; 2]);
            assert_eq!(sum, -2.0 * decisions[1]);
        }
    }
    let recall: Recall = rules(json!({}));
    for mut state in states(&recall, 20) {
        loop {
            let mut reward = [f32::NAN];
            let status = recall.step(&mut state, &[Answer::Nothing], &mut reward);
            assert_eq!(reward, [0.0]);
            if status.ended() {
                break;
            }
        }
        let mut metrics = [f32::NAN; 5];
        recall.metrics(&state, &mut metrics);
        assert_eq!((metrics[0], metrics[1]), (0.0, 0.0));
    }
}

/// The speaker sees the target first and then the very distractors of the listener, none of which means the target.
#[test]
fn the_speaker_is_shown_distractors_beside_the_target() {
    let overrides = json!({"distractors": 3, "samples": 4, "privileged": true});
    let (mut env, mut buffers) = batch(GAME_ID, &overrides, 64);
    let spec = env.spec().clone();
    let stimulus = spec.field("stimulus").unwrap();
    let [round, answer] = ["round_index", "answer"].map(|m| spec.metric(m).unwrap());
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let mut games = 0;
    for _ in 0..120 {
        env.step(&vec![0; 64 * spec.action_width()], buffers.output()).unwrap();
        let rows = buffers.rows();
        for (i, metrics) in buffers.metrics.chunks(spec.metrics.len()).enumerate() {
            if metrics[round] != 0.0 {
                continue;
            }
            games += 1;
            let [speaker, listener] = [SPEAKER, LISTENER]
                .map(|agent| rows.row(2 * i + agent).f32(stimulus).chunks(3).map(<[f32]>::to_vec).collect::<Vec<_>>());
            let places: Vec<_> =
                speaker[1..].iter().map(|seen| listener.iter().position(|other| other == seen)).collect();
            assert!(places.iter().all(Option::is_some), "distractors are the listener's: {speaker:?} {listener:?}");
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 3, "each of them once");
            assert!(!speaker[1..].contains(&speaker[0]), "the target stands first alone");
            // What is left is the target in one of its looks, or its stand-in.
            let left = (0..4).find(|&p| !places.contains(&Some(p))).unwrap();
            assert!(metrics[answer] == 4.0 || metrics[answer] == left as f32);
        }
    }
    assert!(games > 64 * 30);
}

/// Both shots show every meaning, in orders drawn apart: remembering the first order does not help in the second.
#[test]
fn recalls_second_shot_is_not_in_the_firsts_order() {
    let recall: Recall = rules(json!({"min_values": 3, "max_values": 3}));
    let mut places = [0; 27];
    for mut state in states(&recall, 2000) {
        let first = state.order.clone();
        let sorted = |order: &[crate::space::Meaning]| {
            let mut order = order.to_vec();
            order.sort_unstable();
            order
        };
        for _ in 0..2 * first.len() {
            recall.step(&mut state, &[Answer::Nothing], &mut [0.0]);
        }
        assert_eq!(sorted(&first), sorted(&state.order));
        assert_ne!(first, state.order);
        places[state.order.iter().position(|m| *m == first[0]).unwrap()] += 1;
    }
    uniform("where the second shot shows the first stimulus of the first", &places);
}

/// With replacement a shot has as many games as it says, however few meanings there are.
#[test]
fn recall_with_replacement_plays_what_it_says() {
    let (env, mut buffers) = batch("s2b/recall-v1", &json!({"preset": "parity", "max_values": 2}), 20);
    let mut env = env;
    env.seat(0, "random", Seed(0)).unwrap();
    env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    let mut actions = vec![0; 20];
    let games = env.spec().metric("games_per_shot").unwrap();
    let width = env.spec().metrics.len();
    for _ in 0..20 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
    }
    assert!(buffers.status.iter().all(|s| s.ended()), "two shots of five games of two steps");
    assert!(buffers.metrics.chunks(width).all(|row| row[games] == 5.0));
}
