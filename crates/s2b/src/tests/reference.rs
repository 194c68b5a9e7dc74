//! Acceptance checks 15 to 17, 25 and 26 of S2B: rule-based speakers and listeners, and what they score.

use super::{EPISODES, Game, Listener, batch, five_sigma, meaning, near, play};
use crate::config::GameConfig;
use crate::game::{LISTENER, SPEAKER};
use crate::space::Structure;
use crate::speaker::{SpeakerRule, Tongue};
use heldout_core::{Environment, Reset, Seed};
use serde_json::json;

const LISTENER_ID: &str = "s2b/listener-v1";
const GAME_ID: &str = "s2b/game-v1";

#[test]
fn s2b_check_15_the_posdis_speaker_says_what_table_4_says() {
    let say = |values: [u8; 3], d: u8| {
        let tongue = Tongue { max_values: d, vocabulary: 6, length: 4, message_length: 4 };
        let structure = Structure::new(&[d; 3]);
        let mut rng = Seed(0).rng();
        let said = tongue.utter(SpeakerRule::Posdis, &structure, meaning(&values), Seed(0), &mut rng);
        [said[0], said[1], said[2], said[3]]
    };
    assert_eq!(say([0, 1, 2], 5), [1, 2, 3, 0]);
    assert_eq!(say([1, 3, 4], 5), [2, 4, 5, 0]);
    assert_eq!(say([2, 5, 0], 6), [3, 6, 1, 0]);
    assert_eq!(say([3, 1, 2], 5), [4, 2, 3, 0]);
    assert_eq!(say([4, 3, 4], 5), [5, 4, 5, 0]);
    let refused = |overrides: serde_json::Value| {
        Listener::new(&serde_json::from_value(overrides).unwrap(), ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(json!({"vocabulary": 4})),
        "`vocabulary` is `4`, must be at least 5 (`max_values`) for the speaker `posdis`"
    );
    assert!(refused(json!({"message_length": 2})).contains("`message_length` is `2`, must be at least 3"));
    assert!(refused(json!({"speaker": "bag-of-symbols"})).contains("at least 15"));
}

#[test]
fn s2b_check_16_the_nearest_listener_solves_every_setting_of_table_3() {
    for samples in [1, 4, 16] {
        for (shots, support) in [(1, 0.71), (2, 0.84), (4, 0.91)] {
            let played = play(LISTENER_ID, &json!({"samples": samples, "shots": shots}), &["oracle"], EPISODES);
            println!(
                "samples {samples}, shots {shots}: zsct {:.4} (episodes' mean {:.4}), support {:.4}, {:.1} steps",
                played.zsct(),
                played.mean("zsct_accuracy"),
                played.support(),
                played.mean("length")
            );
            assert!(played.zsct() >= 0.995, "samples {samples}, shots {shots}: {}", played.zsct());
            assert!(samples > 1 || played.zsct() == 1.0, "shots {shots}: {}", played.zsct());
            near(&format!("support, samples {samples}, shots {shots}"), played.support(), support, 0.03);
        }
    }
    let played = play(LISTENER_ID, &json!({"samples": 1, "distractors": 2}), &["oracle"], EPISODES);
    assert_eq!(played.zsct(), 1.0, "two distractors");
    let both = play(GAME_ID, &json!({"samples": 1}), &["oracle", "oracle"], EPISODES);
    assert_eq!(both.zsct(), 1.0, "as two agents");
}

#[test]
fn s2b_check_17_random_and_holistic_pairs_are_at_chance() {
    for id in [LISTENER_ID, GAME_ID] {
        let policies: &[&str] = if id == GAME_ID { &["posdis", "random"] } else { &["random"] };
        let played = play(id, &json!({}), policies, 2 * EPISODES);
        let games = played.sum("query_games") + played.sum("support_games");
        let right = played.sum("query_correct") + played.sum("support_correct");
        println!("{id}: random listener {:.4} of {games} games", right / games);
        near("random listener", right / games, 0.5, 0.01);
        near("random listener", right / games, 0.5, five_sigma(0.5, games));
    }
    for speaker in ["random", "holistic"] {
        let inside = play(LISTENER_ID, &json!({"speaker": speaker}), &["oracle"], EPISODES);
        let agent = play(GAME_ID, &json!({}), &[speaker, "oracle"], EPISODES);
        println!("{speaker} speaker, nearest listener: {:.4}, as agent {:.4}", inside.zsct(), agent.zsct());
        near(speaker, inside.zsct(), 0.5, 0.03);
        near(speaker, agent.zsct(), 0.5, 0.03);
    }
}

/// The Bayesian listener gains most from the support phase; the exact one is right wherever numbers repeat.
#[test]
fn the_other_listeners_score_as_measured() {
    for (samples, shots) in [(1, 1), (4, 2), (4, 4)] {
        let overrides = json!({"samples": samples, "shots": shots});
        let bayes = play(LISTENER_ID, &overrides, &["bayes"], EPISODES);
        println!("bayes, samples {samples}, shots {shots}: zsct {:.4}, support {:.4}", bayes.zsct(), bayes.support());
        assert!(bayes.zsct() >= 0.985, "{}", bayes.zsct());
        assert!((0.88..=0.99).contains(&bayes.support()), "{}", bayes.support());
    }
    for shots in [1, 2, 4] {
        let exact = play(LISTENER_ID, &json!({"samples": 1, "shots": shots}), &["exact-match"], EPISODES);
        println!("exact-match, shots {shots}: zsct {:.4}, support {:.4}", exact.zsct(), exact.support());
        assert_eq!(exact.zsct(), 1.0);
    }
}

/// One-hot stimuli, several rounds, skipped idle steps and flat vectors are read as well.
#[test]
fn the_nearest_listener_reads_every_form_of_the_observation() {
    for overrides in [
        json!({"representation": "ohe"}),
        json!({"samples": 1, "rounds": 3, "message_length": 1}),
        json!({"samples": 1, "rounds": 2}),
        json!({"samples": 1, "skip_idle": true}),
        json!({"samples": 1, "skip_idle": true, "flat": true}),
        json!({"samples": 1, "flat": true}),
        json!({"samples": 1, "latch_message": false}),
        json!({"samples": 1, "permute": false}),
        json!({"samples": 1, "preset": "regym"}),
        json!({"samples": 1, "dims": 2}),
        json!({"samples": 1, "split": "combinatorial2_shuffled"}),
        json!({"samples": 1, "distractors": 2, "full_observation": false}),
    ] {
        let played = play(LISTENER_ID, &overrides, &["oracle"], EPISODES);
        assert_eq!(played.zsct(), 1.0, "{overrides}");
    }
    let parity = play(LISTENER_ID, &json!({"preset": "parity"}), &["oracle"], EPISODES);
    println!("parity: zsct {:.4}, support {:.4}, {:.1} steps", parity.zsct(), parity.support(), parity.mean("length"));
    assert!(parity.zsct() >= 0.995, "{}", parity.zsct());
    let fig6 = play(LISTENER_ID, &json!({"preset": "fig6"}), &["oracle"], EPISODES);
    let random = play(LISTENER_ID, &json!({"preset": "fig6"}), &["random"], EPISODES);
    println!("fig6: oracle {:.4}, random {:.4}", fig6.zsct(), random.zsct());
    near("fig6, random", random.zsct(), 0.25, five_sigma(0.25, random.sum("query_games")));
    assert!(fig6.zsct() > 0.9, "{}", fig6.zsct());
}

#[test]
fn s2b_check_25_recall_is_four_steps_a_meaning_and_its_oracles_are_exact() {
    const ID: &str = "s2b/recall-v1";
    let scs = play(ID, &json!({}), &["oracle"], EPISODES);
    assert!(scs.all("shot2_accuracy").all(|a| a == 1.0));
    println!("recall: shot 1 {:.4}, shot 2 {:.4}", scs.mean("shot1_accuracy"), scs.mean("shot2_accuracy"));
    assert!(scs.mean("shot1_accuracy") < 0.95);
    for (length, games) in scs.all("length").zip(scs.all("games_per_shot")) {
        assert_eq!(length, 4.0 * games);
    }
    let expected = 3.5 * 3.5 * 3.5_f64;
    near("meanings", scs.mean("games_per_shot"), expected, 0.2 * expected);
    let ohe = play(ID, &json!({"representation": "ohe"}), &["ohe-decoder"], EPISODES);
    assert!(ohe.all("shot1_accuracy").chain(ohe.all("shot2_accuracy")).all(|a| a == 1.0));
    let random = play(ID, &json!({}), &["random"], 2 * EPISODES);
    let games = 2.0 * random.sum("games_per_shot");
    let right = random.sum("shot1_correct") + random.sum("shot2_correct");
    println!("recall: random {:.4} of {games} games", right / games);
    near("random", right / games, 0.2, 0.01);
    // The mask is the same in every episode, whatever its structure.
    let (mut env, mut buffers) = batch(ID, &json!({}), EPISODES);
    env.reset(Reset::seed(Seed(2)), buffers.output()).unwrap();
    let mask = env.spec().field("action_mask").unwrap();
    for prompt in [false, true] {
        for i in 0..EPISODES {
            let expected = if prompt { [1.0, 1.0, 1.0, 1.0, 1.0, 0.0] } else { [0.0, 0.0, 0.0, 0.0, 0.0, 1.0] };
            assert_eq!(buffers.rows().row(i).f32(mask), expected);
        }
        env.step(&vec![5; EPISODES], buffers.output()).unwrap();
    }
}

/// A speaker that names the tenth of the axis each number lies in, and a listener that checks it: no binding needed.
fn cheat(permute: bool) -> (f64, f64) {
    const COPIES: usize = EPISODES;
    let overrides = json!({"permute": permute, "samples": 1, "vocabulary": 10});
    let (mut env, mut buffers) = batch(GAME_ID, &overrides, COPIES);
    env.reset(Reset::seed(Seed(8)), buffers.output()).unwrap();
    let spec = env.spec().clone();
    let [stimulus, tokens, round] = ["stimulus", "message_tokens", "round"].map(|f| spec.field(f).unwrap());
    let [games, right] = ["query_games", "query_correct"].map(|m| spec.metric(m).unwrap());
    let width = spec.action_width();
    let digit = |x: f32| ((x + 1.0) * 5.0).min(9.0) as i32 + 1;
    let (mut actions, mut first) = (vec![0; COPIES * width], 0.0);
    let (mut ended, mut played, mut correct) = ([false; COPIES], 0.0, 0.0);
    let mut step = 0;
    while !ended.iter().all(|&e| e) {
        let rows = buffers.rows();
        for (i, actions) in actions.chunks_exact_mut(width).enumerate() {
            let (speaker, listener) = (rows.row(2 * i + SPEAKER), rows.row(2 * i + LISTENER));
            for (action, &x) in actions[..3].iter_mut().zip(speaker.f32(stimulus)) {
                *action = digit(x);
            }
            let same = listener.f32(stimulus).iter().map(|&x| digit(x)).eq(listener.i32(tokens).iter().copied());
            actions[3] = if listener.f32(round)[1] == 1.0 { i32::from(!same) } else { 2 };
        }
        env.step(&actions, buffers.output()).unwrap();
        step += 1;
        for (i, ended) in ended.iter_mut().enumerate() {
            if step == 2 {
                first += f64::from(buffers.rewards[2 * i]);
            }
            if buffers.status[i].ended() && !*ended {
                *ended = true;
                let metrics = &buffers.metrics[i * spec.metrics.len()..];
                played += f64::from(metrics[games]);
                correct += f64::from(metrics[right]);
            }
        }
    }
    (first / COPIES as f64, correct / played)
}

#[test]
fn s2b_check_26_without_permutation_a_fixed_code_needs_no_binding() {
    let (first, zsct) = cheat(false);
    println!("fixed code, identity: first game {first:.4}, query {zsct:.4}");
    assert!(first > 0.99 && zsct > 0.99);
    let (_, zsct) = cheat(true);
    println!("fixed code, permuted: query {zsct:.4}");
    near("under the permutation", zsct, 0.5, 0.03);
}

/// What agents of the game are called and how they act.
#[test]
fn the_game_has_a_speaker_and_a_listener() {
    let rules = Game::new(&GameConfig::default(), ()).unwrap();
    let spec = rules.spec();
    assert_eq!((spec.agents[SPEAKER].name, spec.agents[LISTENER].name), ("speaker", "listener"));
    assert_eq!(spec.agents[SPEAKER].action.sizes(), [7, 7, 7]);
    assert_eq!(spec.agents[LISTENER].action.sizes(), [3]);
}
