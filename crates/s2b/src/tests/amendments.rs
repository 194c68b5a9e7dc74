//! The amendments to the spec of S2B: shortcuts, the metrics and variants that shut them out, masks.

use super::{EPISODES, Game, Listener, Played, batch, find, five_sigma, near, play, rules, states, uniform};
use crate::codec::Act;
use crate::game::{LISTENER, SPEAKER};
use crate::split::{Halves, Split, held_out_meanings};
use heldout_core::{ActionSpace, Environment, Reset, Seed};
use serde_json::{Value, json};

const LISTENER_ID: &str = "s2b/listener-v1";
const GAME_ID: &str = "s2b/game-v1";
const RECALL_ID: &str = "s2b/recall-v1";

/// The settings that shortcuts were measured under: the tables' smallest, and the default.
fn conditions() -> [(&'static str, Value); 3] {
    [("table2", json!({"preset": "table2"})), ("table3, O1 S1", json!({"preset": "table3"})), ("default", json!({}))]
}

fn with(mut config: Value, key: &str, value: impl Into<Value>) -> Value {
    config[key] = value.into();
    config
}

/// Plays `policy` as the listener of either environment; the tokens of the game's speaker are random.
fn listens(policy: &str, config: &Value, episodes: usize) -> Played {
    let played = play(LISTENER_ID, config, &[policy], episodes);
    println!(
        "{policy} {config}: zsct {:.4} of {}, present {:.4}, absent and held out {:.4}, by difference {:.4} {:.4}",
        played.zsct(),
        played.sum("query_games"),
        played.weighed("zsct_present", "present_games"),
        played.weighed("zsct_absent_held_out", "absent_held_out_games"),
        played.weighed("zsct_by_difference_1", "difference_1_games"),
        played.weighed("zsct_by_difference_2", "difference_2_games"),
    );
    played
}

#[test]
fn amendment_03_reflex_gains_from_the_stimulus_alone() {
    for ((name, config), measured) in conditions().into_iter().zip([0.746, 0.635, 0.644]) {
        let reflex = listens("reflex", &config, 2 * EPISODES);
        near(name, reflex.zsct(), measured, 0.03);
    }
    // Where test values are drawn anew, a stimulus alone says nothing.
    let shuffled = listens("reflex", &json!({"split": "combinatorial2_shuffled"}), EPISODES);
    near("shuffled", shuffled.zsct(), 0.5, five_sigma(0.5, shuffled.sum("query_games")));
    // It hears nothing, so the speaker may say anything.
    let [one, other] = ["posdis", "random"].map(|speaker| play(GAME_ID, &json!({}), &[speaker, "reflex"], 50));
    assert!(one.all("query_correct").eq(other.all("query_correct")));
}

#[test]
fn amendment_04_blind_gains_from_stimuli_and_memory() {
    for ((name, config), measured) in conditions().into_iter().zip([0.917, 0.913, 0.888]) {
        let blind = listens("blind", &config, EPISODES);
        assert!(blind.zsct() > measured - 0.02 && blind.zsct() < 0.95, "{name}: {}", blind.zsct());
    }
    let [one, other] = ["posdis", "random"].map(|speaker| play(GAME_ID, &json!({}), &[speaker, "blind"], 50));
    assert!(one.all("query_correct").eq(other.all("query_correct")));
    // It is a shortcut, it may not look at the state, and it plays where no message could be understood.
    for id in [LISTENER_ID, GAME_ID] {
        let infos = find(id).unwrap().default_batch().policies();
        let shortcuts: Vec<_> = infos.iter().filter(|p| p.shortcut).map(|p| (p.name, p.privileged)).collect();
        assert_eq!(shortcuts, [("reflex", false), ("blind", false), ("rote", false)]);
    }
    let silent = json!({"speaker": "random", "message_length": 1, "vocabulary": 2});
    assert!(listens("blind", &silent, 100).zsct() > 0.8);
}

/// Under `balanced` a query target has recurred in more than a third of the games, and its feedback has told its message;
/// what was shown under other messages is eliminated besides.
#[test]
fn rote_gains_from_whole_messages_where_targets_recur() {
    for (name, config) in conditions() {
        let config = with(config, "query_balance", "balanced");
        let rote = listens("rote", &config, 2 * EPISODES);
        let expected = rote_expected(&config);
        println!("{name}: {expected:.4} expected");
        near(name, rote.zsct(), expected, five_sigma(expected, rote.sum("query_games")) + 0.005);
        // It is far from who understands two of the three parts of a message.
        assert!(rote.zsct() < listens("binds2", &config, EPISODES).zsct() - 0.05, "{name}");
    }
}

/// The share of query games that `rote` decides rightly under `balanced`, over all structures, by counting: with `k` of
/// `n` held-out meanings asked for so far, it knows the message in `k / n` of the games; else it is right wherever the
/// target is there, and in `k / (n - 1)` of the others.
fn rote_expected(config: &Value) -> f64 {
    let config = find(LISTENER_ID).unwrap().configure(config.as_object().unwrap()).unwrap();
    let space = rules::<Listener>(config).rulebook.settings.space;
    let values = space.min_values..=space.max_values;
    let (mut games, mut right) = (0.0, 0.0);
    for a in values.clone() {
        for b in values.clone() {
            for c in values.clone() {
                let n = held_out_meanings(&[a, b, c]) as usize;
                // How likely `k` are known before the next game.
                let mut known = vec![0.0; n + 1];
                known[0] = 1.0;
                for _ in 0..n {
                    let mut next = vec![0.0; n + 1];
                    for (k, &p) in known.iter().enumerate() {
                        let heard = k as f64 / n as f64;
                        let rejects = (k as f64 / (n as f64 - 1.0)).min(1.0);
                        right += p * (heard + (1.0 - heard) * 0.5 * (1.0 + rejects));
                        next[k] += p * heard;
                        if k < n {
                            next[k + 1] += p * (1.0 - heard);
                        }
                    }
                    known = next;
                }
                games += n as f64;
            }
        }
    }
    right / games
}

/// Where every held-out meaning is asked for once, no message of the query phase was heard before: `rote` is `blind`.
#[test]
fn rote_gains_nothing_where_every_message_is_new() {
    for (name, config) in conditions() {
        let [rote, blind] = ["rote", "blind"].map(|policy| listens(policy, &config, EPISODES));
        if name == "default" {
            // Of several looks some are misread: one that it was taught is then not taken for a held-out one.
            near(name, rote.zsct(), blind.zsct(), 0.002);
        } else {
            assert!(rote.all("query_correct").eq(blind.all("query_correct")), "{name}");
        }
    }
}

/// A language without parts is learnt as well as one with them, whoever speaks it.
#[test]
fn rote_hears_no_parts_of_messages() {
    let balanced = json!({"query_balance": "balanced"});
    let [posdis, holistic] =
        ["posdis", "holistic"].map(|s| listens("rote", &with(balanced.clone(), "speaker", s), EPISODES));
    assert!(posdis.all("query_correct").eq(holistic.all("query_correct")));
    assert!(holistic.zsct() > 0.75, "{}", holistic.zsct());
    let [one, other] = ["posdis", "holistic"].map(|speaker| play(GAME_ID, &balanced, &[speaker, "rote"], 100));
    assert!(one.all("query_correct").eq(other.all("query_correct")));
    // Where no message means anything, it learns nothing: it knows again what was another's.
    let random = listens("rote", &with(balanced, "speaker", "random"), EPISODES);
    near("random speaker", random.zsct(), 0.5, 0.03);
}

#[test]
fn amendment_05_probes_understand_a_part() {
    for (policy, (low, high)) in [("binds1", (0.78, 0.88)), ("binds2", (0.92, 0.98))] {
        for (name, config) in conditions() {
            let probe = listens(policy, &config, EPISODES);
            assert!((low..high).contains(&probe.zsct()), "{policy}, {name}: {}", probe.zsct());
        }
    }
    // With one look a value, what they take for the target is never missed.
    for policy in ["binds1", "binds2"] {
        let probe = listens(policy, &json!({"preset": "table3"}), 200);
        assert_eq!(probe.weighed("zsct_present", "present_games"), 1.0);
        let infos = find(LISTENER_ID).unwrap().default_batch().policies();
        assert!(infos.iter().any(|p| p.name == policy && p.probe && !p.shortcut));
    }
}

#[test]
fn amendment_06_recall_without_memory() {
    let played = play(RECALL_ID, &json!({}), &["memoryless"], EPISODES);
    let right = played.share("shot2_correct", "games_per_shot");
    println!("recall, memoryless: {right:.4}, by episode {:.4}", played.mean("shot2_accuracy"));
    near("shot 2", played.mean("shot2_accuracy"), 0.649, 0.02);
    let infos = find(RECALL_ID).unwrap().default_batch().policies();
    assert!(infos.iter().any(|p| p.name == "memoryless" && p.shortcut && !p.privileged));
}

/// Whoever hears no message is at one half; whole messages are another matter, which `rote` shows.
#[test]
fn amendment_11_a_balanced_query_shuts_out_who_hears_no_message() {
    for policy in ["reflex", "blind"] {
        // 20,000 games and more in all.
        let (mut games, mut right) = (0.0, 0.0);
        for ((name, config), episodes) in conditions().into_iter().zip([1500, 600, 300]) {
            let played = listens(policy, &with(config, "query_balance", "balanced"), episodes);
            let own = played.sum("query_games");
            near(&format!("{policy}, {name}"), played.zsct(), 0.5, five_sigma(0.5, own));
            (games, right) = (games + own, right + played.sum("query_correct"));
        }
        assert!(games >= 20_000.0, "{games}");
        near(policy, right / games, 0.5, five_sigma(0.5, games));
    }
    for (config, expected) in [(json!({"preset": "table3"}), 0.821), (json!({"preset": "table2"}), 0.754)] {
        let played = listens("binds1", &with(config.clone(), "query_balance", "balanced"), 2 * EPISODES);
        near("binds1", played.zsct(), expected, five_sigma(expected, played.sum("query_games")) + 0.005);
        let oracle = listens("oracle", &with(config, "query_balance", "balanced"), 100);
        assert_eq!(oracle.zsct(), 1.0);
    }
}

#[test]
fn amendment_11_balanced_targets_and_stand_ins_are_drawn_alike() {
    let shape = |balance: &str| json!({"min_values": 3, "max_values": 3, "samples": 1, "query_balance": balance});
    let [balanced, original]: [Listener; 2] = ["balanced", "original"].map(|b| rules(shape(b)));
    let (mut targets, mut pairs) = (vec![0; 7], vec![0; 42]);
    for (mut state, plain) in states(&balanced, 2000).zip(states(&original, 2000)) {
        assert_eq!(state.support_targets(), plain.support_targets(), "the support phase is the same");
        assert_eq!(state.query_targets().len(), plain.query_targets().len(), "as many as before");
        let held_out = state.halves.query().to_vec();
        let place = |meaning| held_out.iter().position(|&m| m == meaning).expect("it is held out");
        loop {
            if state.round() == 0 && state.now.query {
                let (target, shown) = (place(state.now.target.meaning), place(state.now.stimulus(0).meaning));
                targets[target] += 1;
                if state.now.answer == 1 {
                    assert_ne!(target, shown);
                    pairs[target * 6 + shown - usize::from(shown > target)] += 1;
                }
            }
            if balanced.step(&mut state, &[Act::NOTHING], &mut [0.0]).ended() {
                break;
            }
        }
    }
    uniform("targets", &targets);
    uniform("targets and stand-ins", &pairs);
}

#[test]
fn amendment_11_says_where_it_cannot_be() {
    let refused = |overrides: Value| {
        let config = serde_json::from_value(with(overrides, "query_balance", "balanced")).unwrap();
        Listener::new(&config, ()).unwrap_err().to_string()
    };
    assert_eq!(refused(json!({"distractors": 1})), "`distractors` is `1`, must be 0 if `query_balance` is `balanced`");
    assert_eq!(
        refused(json!({"dims": 2})),
        "`query_balance` is `balanced`, must be `original` where `dims` is 2 and `min_values` is 2: a space may have 1 \
         held-out meaning, and `balanced` needs 2"
    );
    let _: Listener = rules(json!({"dims": 2, "min_values": 4, "query_balance": "balanced"}));
    let _: Game = rules(json!({"max_values": 2, "query_balance": "balanced"}));
    let unknown: Result<crate::config::ListenerConfig, _> = serde_json::from_value(json!({"query_balance": "even"}));
    let message = unknown.unwrap_err().to_string();
    assert!(message.contains("`original` or `balanced`"), "{message}");
    for values in [&[2, 2][..], &[2, 2, 2], &[3, 3, 3], &[4, 4, 4], &[5, 5, 3], &[4, 2, 3], &[2, 3, 2, 3]] {
        let mut halves = Halves::default();
        halves.redraw(Split::Combinatorial2, &crate::space::Structure::new(values), Seed(0));
        assert_eq!(held_out_meanings(values) as usize, halves.query().len(), "{values:?}");
    }
}

/// The protocol of the family plays balanced games in all its tasks.
#[test]
fn amendment_11_has_a_protocol() {
    let (_, text) = crate::FAMILY.protocols.iter().find(|(name, _)| *name == "s2b-balanced").unwrap();
    let tasks = text.matches("[[task]]").count();
    assert!(tasks > 0 && text.matches("query_balance = \"balanced\"").count() >= tasks);
}

#[test]
fn amendment_12_query_games_are_told_apart_by_what_is_shown() {
    for overrides in [json!({}), json!({"distractors": 2}), json!({"dims": 4, "max_values": 3, "message_length": 4})] {
        let rules: Listener = rules(overrides.clone());
        let spec = rules.spec();
        let dims = overrides["dims"].as_u64().unwrap_or(3) as usize;
        let mut rng = Seed(5).rng();
        let mut metrics = vec![f32::NAN; spec.metrics.len()];
        for mut state in states(&rules, 100) {
            // Games and right decisions: present, absent and held out, absent by difference.
            let (mut present, mut held_out, mut by) = ([0.0; 2], [0.0; 2], vec![[0.0; 2]; dims + 1]);
            loop {
                let now = state.now;
                let slots = overrides["distractors"].as_u64().unwrap_or(0) as usize + 1;
                let decision = rng.below(slots as u32 + 1) as u8;
                if state.round() == 1 && now.query {
                    let count = [1.0, f32::from(u8::from(decision == now.answer))];
                    let add = |to: &mut [f32; 2]| to.iter_mut().zip(count).for_each(|(to, n)| *to += n);
                    if usize::from(now.answer) < slots {
                        add(&mut present);
                    } else {
                        // Of the listener's stimuli the stand-in is the one that the speaker is not shown.
                        let distractors = &state.speaker_sees[dims..];
                        let seen = |i: usize| &state.listener_sees[i * dims..(i + 1) * dims];
                        let stand_in = (0..slots).find(|&i| distractors.chunks(dims).all(|d| d != seen(i))).unwrap();
                        let meaning = now.stimulus(stand_in).meaning;
                        let differs = |&i: &usize| meaning.value(i) != now.target.meaning.value(i);
                        add(&mut by[(0..dims).filter(differs).count()]);
                        if state.halves.held_out(meaning) {
                            add(&mut held_out);
                        }
                    }
                }
                if rules.step(&mut state, &[Act::decide(decision)], &mut [0.0]).ended() {
                    break;
                }
            }
            rules.metrics(&state, &mut metrics);
            let metric = |name: &str| metrics[spec.metric(name).unwrap()];
            let share = |[games, right]: [f32; 2]| right / games.max(1.0);
            assert_eq!((metric("present_games"), metric("zsct_present")), (present[0], share(present)));
            assert_eq!(metric("absent_held_out_games"), held_out[0]);
            assert_eq!(metric("zsct_absent_held_out"), share(held_out));
            assert_eq!(by[0], [0.0; 2], "a stand-in is not the target");
            for (difference, &absent) in by.iter().enumerate().skip(1) {
                let games = if present[0] == 0.0 { 0.0 } else { absent[0] };
                assert_eq!(metric(&format!("difference_{difference}_games")), games);
                let expected = if games == 0.0 { 0.0 } else { 0.5 * (share(present) + share(absent)) };
                assert_eq!(metric(&format!("zsct_by_difference_{difference}")), expected);
            }
        }
        let weight = |name: &str| spec.metrics[spec.metric(name).unwrap()].weight;
        assert_eq!(weight("zsct_present"), Some("present_games"));
        assert_eq!(weight("zsct_absent_held_out"), Some("absent_held_out_games"));
        for difference in 1..=dims {
            let games = format!("difference_{difference}_games");
            assert_eq!(weight(&format!("zsct_by_difference_{difference}")), Some(games.as_str()));
        }
        assert!(spec.metric(&format!("zsct_by_difference_{}", dims + 1)).is_none());
    }
}

/// A constant answer has exactly one half at every difference; `blind` is told from a listener by held-out stand-ins.
#[test]
fn amendment_12_only_held_out_stand_ins_tell_blind_from_a_listener() {
    let (mut env, mut buffers) = batch(LISTENER_ID, &json!({}), 200);
    for answer in [0, 1] {
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        let spec = env.spec().clone();
        let mut ended = 0;
        for _ in 0..2000 {
            env.step(&[answer; 200], buffers.output()).unwrap();
            for (status, metrics) in buffers.status.iter().zip(buffers.metrics.chunks(spec.metrics.len())) {
                let at = |name: &str| metrics[spec.metric(name).unwrap()];
                if status.ended() && at("difference_1_games") > 0.0 {
                    assert_eq!(at("zsct_by_difference_1"), 0.5);
                    ended += 1;
                }
            }
        }
        assert!(ended > 200);
    }
    let blind = listens("blind", &json!({"preset": "table2"}), 2 * EPISODES);
    near("difference 1", blind.weighed("zsct_by_difference_1", "difference_1_games"), 0.890, 0.03);
    // A stand-in that is held out was asked for before in half of the games, by symmetry.
    let games = blind.sum("absent_held_out_games");
    near("held out", blind.weighed("zsct_absent_held_out", "absent_held_out_games"), 0.5, five_sigma(0.5, games));
    let oracle = listens("oracle", &json!({"preset": "table2"}), 100);
    assert_eq!(oracle.weighed("zsct_absent_held_out", "absent_held_out_games"), 1.0);
}

#[test]
fn amendment_13_recalls_oracle_knows_values_of_several_looks() {
    for samples in [2, 4, 16] {
        let played = play(RECALL_ID, &json!({"samples": samples}), &["oracle"], 200);
        let [first, second] = ["shot1_accuracy", "shot2_accuracy"].map(|shot| played.mean(shot));
        println!("recall, oracle, samples {samples}: {first:.4} {second:.4}");
        assert!(second > 0.97, "samples {samples}: {second}");
        assert!(first > 0.8, "samples {samples}: {first}");
    }
    let refused =
        |overrides: Value, policy| batch(RECALL_ID, &overrides, 1).0.seat(0, policy, Seed(0)).unwrap_err().to_string();
    let rank = refused(json!({"samples": 4}), "rank");
    assert!(rank.contains("`samples` is `4`, must be 1"), "{rank}");
    assert!(refused(json!({"representation": "ohe"}), "rank").contains("`representation` is `ohe`, must be `scs`"));
    assert!(refused(json!({}), "ohe-decoder").contains("`representation` is `scs`, must be `ohe`"));
}

/// The mask of one integer is called as Gymnasium and its learners call it; that of several keeps its own name.
#[test]
fn amendment_14_masks_are_called_by_the_kind_of_action() {
    for (id, overrides) in [
        (LISTENER_ID, json!({})),
        (LISTENER_ID, json!({"actions": "combined"})),
        (GAME_ID, json!({})),
        (GAME_ID, json!({"actions": "sentences"})),
        (GAME_ID, json!({"actions": "combined"})),
        (GAME_ID, json!({"listener_query": true})),
        (RECALL_ID, json!({})),
    ] {
        let (mut env, mut buffers) = batch(id, &overrides, 2);
        let spec = env.spec().clone();
        buffers.poison(0x55);
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
        for (agent, about) in spec.agents.iter().enumerate() {
            let width: u32 = about.action.sizes().iter().sum();
            let (own, other) = match about.action {
                ActionSpace::Discrete(_) => ("action_mask", "legal_actions"),
                ActionSpace::MultiDiscrete(_) => ("legal_actions", "action_mask"),
            };
            let field = spec.field(own).unwrap();
            assert_eq!(spec.observation[field].shape_for(agent), Some(&[width as usize][..]), "{id} {overrides}");
            let rows = buffers.rows();
            let mask = &rows.row(agent).f32(field)[..width as usize];
            assert!(mask.contains(&1.0) && mask.iter().all(|&x| x == 0.0 || x == 1.0), "{id} {overrides}");
            if let Some(field) = spec.field(other) {
                assert_eq!(spec.observation[field].shape_for(agent), None, "{id} {overrides}");
                assert!(rows.row(agent).f32(field).iter().all(|&x| x == 0.0), "{id} {overrides}");
            }
        }
    }
}

#[test]
fn amendment_15_scrambled_queries_take_the_messages_away() {
    let scrambled = json!({"samples": 1, "shots": 1, "scramble_query": true});
    let plain = listens("oracle", &json!({"samples": 1, "shots": 1}), 200);
    let played = listens("oracle", &scrambled, 200);
    assert!(played.all("support_correct").eq(plain.all("support_correct")), "the support phase is the same");
    near("oracle", played.zsct(), 0.5, 0.05);
    // What needs no message loses nothing.
    let [kept, lost] = [false, true].map(|s| listens("blind", &with(scrambled.clone(), "scramble_query", s), 200));
    assert!(kept.all("query_correct").eq(lost.all("query_correct")));
    // Random tokens take the place of those said, before and at the decision; feedback shows what was said.
    let rules: Game = rules(json!({"scramble_query": true, "rounds": 2, "message_length": 2}));
    let tokens = rules.spec().field("message_tokens").unwrap();
    let mut heard = [0_u32; 6];
    for mut state in states(&rules, 60) {
        loop {
            let say = rules.decode(SPEAKER, &[3, 0]).unwrap();
            let status = rules.step(&mut state, &[say, Act::NOTHING], &mut [0.0; 2]);
            let mut buffers = heldout_core::Buffers::new(rules.spec(), 1);
            for agent in [SPEAKER, LISTENER] {
                rules.observe(&state, agent, buffers.output().rows.row(agent));
            }
            let row = |agent| buffers.rows().row(agent).i32(tokens).to_vec();
            let round = state.round();
            if round > 0 {
                assert_eq!(row(SPEAKER), [3, 0], "the speaker sees its own message");
                let [first, second] = row(LISTENER)[..] else { panic!("two tokens") };
                assert_eq!(second, 0, "the end stays where it was");
                if state.now.query && round <= 2 {
                    heard[first as usize - 1] += 1;
                } else {
                    assert_eq!(first, i32::from(state.permutation[3]));
                }
            }
            if status.ended() {
                break;
            }
        }
    }
    uniform("tokens", &heard);
}
