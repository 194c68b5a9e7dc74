//! R2D2: its sizes, what it keeps, and what it learns.

use heldout_core::{Options, Rng, Seed};
use heldout_envs::find;
use serde_json::json;

use super::learning::{Learnt, SEED, WAY, at_least, score};
use super::toys::{Toy, make};
use super::{near, only};
use crate::nn::{Device, Id};
use crate::parts::checkpoint::Saved;
use crate::parts::collect::{Collector, Playing, Problems, Unroll};
use crate::parts::inputs::{Inputs, Previous};
use crate::parts::replay::{Cut, Replay, Sizes};
use crate::r2d2::{Config, Core, R2d2, Size};
use crate::table::{Agent, Profile};
use crate::train::Learner;

/// The smallest space, as Table 2 has it.
fn listener(config: &Config) -> R2d2 {
    let set = json!({"dims": 3, "min_values": 2, "max_values": 3, "message_length": 3, "vocabulary": 4, "samples": 1});
    let env = find("s2b/listener-v1").unwrap().make(set.as_object().unwrap(), 2, Options::default()).unwrap();
    R2d2::new(config, env, Seed(0), &Device::flex()).unwrap()
}

fn small() -> Config {
    let base =
        Config { size: Size::Small, burn_in: 0, trained: 64, whole: true, stride: 32, gamma: 0.0, ..Config::default() };
    Config { lr: 5e-4, epsilon: 1e-8, norm: 5.0, target_every: 200, ..base }
}

#[test]
fn agents_check_02_r2d2_has_as_many_numbers_as_the_papers() {
    assert_eq!(listener(&Config::default()).weights().count(), 1_168_772);
    assert_eq!(listener(&small()).weights().count(), 113_476);
    // As the environment is unless told.
    let env = find("s2b/listener-v1").unwrap().make(&serde_json::Map::new(), 2, Options::default()).unwrap();
    let readme = R2d2::new(&Config::default(), env, Seed(0), &Device::flex()).unwrap();
    assert_eq!(readme.weights().count(), 1_171_844);
}

/// The shape of a parameter of an agent as a profile makes it, in the environment as it is unless told.
fn shapes(agent: &str, profile: Profile, id: &str, names: &[&str]) -> Vec<Vec<usize>> {
    let agent = Agent::find(agent).unwrap();
    let overrides = agent.preset(profile, id).env;
    let make = || find(id).unwrap().make(&overrides, 2, Options::default()).unwrap();
    let told = agent.told(profile, id, make().spec(), json!({"copies": 2}).as_object().unwrap()).unwrap();
    let learner = agent.learner(&told, make(), Problems::All, None, Seed(0), &Device::flex()).unwrap();
    let of = |name: &&str| learner.weights().entries().iter().find(|p| p.name == *name).expect(name).shape.clone();
    names.iter().map(of).collect()
}

#[test]
fn profiles_make_networks_of_the_sizes_that_the_table_has() {
    let listener = "s2b/listener-v1";
    // Of the released code: 64 + 529 numbers into the memory, 519 actions, which the layers after it are told the mask of.
    let regym = shapes("r2d2-lstm", Profile::Regym, listener, &["core.0.input", "advantage.weight"]);
    assert_eq!(regym, [[593, 4 * 512], [512 + 519, 519]]);
    let esbn = shapes(
        "r2d2-esbn",
        Profile::Paper,
        listener,
        &["core.controller.input", "core.core.input", "core.out.weight", "value.weight"],
    );
    assert_eq!(esbn, [[78 + 257, 4 * 256], [78 + 256 + 257, 4 * 512], [512, 256], [256 + 78 + 256 + 257 + 3, 1]]);
    let dcem = shapes(
        "r2d2-dcem",
        Profile::Paper,
        listener,
        &["core.heard.inner.weight", "core.heard.query.weight", "core.core.input", "core.inner.weight", "value.weight"],
    );
    let read = 512 + 6 * 43 + 32 + 32 + 11 + 3;
    assert_eq!(dcem, [[43, 256], [256, 129], [read, 4 * 512], [512, 512], [256 + 3, 1]]);
    let dnc = shapes(
        "r2d2-dnc",
        Profile::Paper,
        listener,
        &["core.controller.0.input", "core.rule.weight", "core.out.weight"],
    );
    assert_eq!(dnc, [[256 + 64, 4 * 128], [128, 2 * 37 + 3 * 32 + 3], [128 + 64, 128]]);
    // Two agents: 552 numbers beside what is seen, and what each is told of the other.
    let game = shapes(
        "r2d2-lstm",
        Profile::Paper,
        "s2b/game-v1",
        &["joint.0.weight", "agent.0.advantage.weight", "agent.1.advantage.weight"],
    );
    assert_eq!(game, [[128 + 552 + 3, 512], [128, 260], [128, 3]]);
    let refused =
        Agent::find("ppo").unwrap().told(Profile::Regym, "example/grid-v1", env_spec().spec(), &serde_json::Map::new());
    assert!(refused.unwrap_err().to_string().contains("`ppo` has no profile `regym`"));
}

#[test]
fn problems_that_are_kept_aside_are_refused_and_not_learnt_from() {
    let (agent, id) = (Agent::find("r2d2-lstm").unwrap(), "s2b/listener-v1");
    let make = || find(id).unwrap().make(&serde_json::Map::new(), 2, Options::default()).unwrap();
    let told =
        agent.told(Profile::Small, id, make().spec(), json!({"selection": 0.1, "copies": 2}).as_object().unwrap());
    let some = Problems::Only(vec![0, 1]);
    let refused = agent.learner(&told.unwrap(), make(), some, None, Seed(0), &Device::flex());
    assert_eq!(refused.err().unwrap().to_string(), "`r2d2-lstm` learns from all problems: `selection` must be 0");
}

fn env_spec() -> Box<dyn heldout_core::VecEnv> {
    find("example/grid-v1").unwrap().make(&serde_json::Map::new(), 1, Options::default()).unwrap()
}

#[test]
fn how_often_copies_explore_is_told_and_checked() {
    let refused = |config: Config| config.check().unwrap_err();
    assert_eq!(refused(Config { explore: 1.5, ..small() }), "`explore` is 1.5, must be 0 to 1");
    assert_eq!(refused(Config { explore_power: -1.0, ..small() }), "`explore_power` is -1, must be at least 0");
    // How often the last of four copies does something else than what is worth most to it.
    let strays = |explore: f64, explore_power: f64| {
        let config = Config { explore, explore_power, copies: 4, ..small() };
        let mut learner = R2d2::new(&config, make(Toy::Bandit, 4), SEED, &Device::flex()).unwrap();
        let stray = |learner: &R2d2| {
            let (best, done) = learner.best_and_done();
            usize::from(best[3] != done[3])
        };
        (0..400).fold(0, |sum, _| {
            learner.play(1).unwrap();
            sum + stray(&learner)
        })
    };
    // One of four arms is the best, so that three quarters of what is left to chance is something else.
    let expected = |found: usize, share: f64| {
        let mean = 400.0 * 0.75 * share;
        assert!((found as f64 - mean).abs() <= 5.0 * (mean * (1.0 - 0.75 * share)).sqrt(), "{found} is not {mean}");
    };
    expected(strays(0.0, 7.0), 0.0);
    expected(strays(0.5, 0.0), 0.5);
    expected(strays(0.5, 1.0), 0.25);
    expected(strays(1.0, 7.0), 1.0);
}

#[test]
fn long_episodes_are_cut_from_their_first_row_with_the_state_of_the_memory() {
    // Episodes of 1, 2 and 5 steps: the last is cut into its first four rows, and the two from the fourth on.
    let sizes = Sizes { copies: 1, rows: 40, width: 2, choices: 0, action: 1, state: 1, slot: 0 };
    let mut replay = Replay::new(sizes, Cut::Episodes { length: 4, stride: 3 }, 1.0);
    let mut row = 0;
    for unroll in collected(Toy::Script, 1, &[3, 1, 7]) {
        let states: Vec<f32> = (0..unroll.steps()).map(|t| (row + t) as f32).collect();
        row += unroll.steps();
        replay.add(&unroll, &states, &[]);
    }
    // Rows 0, 1 are the first episode, 2 to 4 the second, 5 to 10 the third.
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..40 {
        let drawn = replay.draw(1, 0.6, &mut Rng::new(Seed(number)));
        let first = drawn.from[0].1;
        seen.insert((first, drawn.steps));
        assert_eq!(drawn.state, [if first == 8 { 8.0 } else { 0.0 }], "{first}");
        assert_eq!(drawn.dead[drawn.steps], first != 5, "the row after the last");
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [(0, 1), (2, 2), (5, 4), (8, 2)]);
}

#[test]
fn agents_check_11_what_an_action_is_worth_is_what_it_adds_to_the_mean() {
    let mut learner = listener(&small());
    only(learner.weights_mut(), &[("value.bias", &[1.0]), ("advantage.bias", &[1.0, 2.0, 6.0])]);
    near(&learner.worths()[..3], &[-1.0, 0.0, 4.0], 1e-6);
}

#[test]
fn agents_check_15_the_weights_that_learn_choose_and_those_that_follow_judge() {
    let config = Config { n: 1, gamma: 0.9, copies: 4, batch: 8, ..small() };
    let mut learner = R2d2::new(&config, make(Toy::Script, 4), SEED, &Device::flex()).unwrap();
    learner.play(60).unwrap();
    // Choices are worth -1 and 1 by the weights that learn, 13 and 7 by those that follow.
    only(learner.weights_mut(), &[("advantage.bias", &[-1.0, 1.0])]);
    only(learner.target_mut(), &[("value.bias", &[10.0]), ("advantage.bias", &[3.0, -3.0])]);
    let taught = learner.taught();
    let mut seen = [0; 2];
    for at in (0..taught.valid.len()).filter(|&at| taught.valid[at]) {
        let worth = [-1.0, 1.0][taught.action[at] as usize];
        near(&[taught.surprises[at]], &[taught.reward[at] + 0.9 * taught.cont[at] * 7.0 - worth], 1e-6);
        seen[taught.cont[at] as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

fn collected(toy: Toy, copies: usize, steps: &[usize]) -> Vec<Unroll> {
    let env = make(toy, copies);
    let inputs = Inputs::new(env.spec(), 0, &Previous::default(), &[]).unwrap();
    let playing = Playing { inputs, words: None, bootstrap_truncated: true, problems: Problems::All, seed: Seed(3) };
    let mut collector = Collector::new(env, playing).unwrap();
    steps.iter().map(|&steps| collector.collect(steps, |_, _, actions| actions.fill(1)).unwrap()).collect()
}

#[test]
fn whole_episodes_are_kept_from_their_first_row_to_their_last() {
    // Episodes of 1, 2 and 5 steps; rows are the number of the episode and of the step.
    let sizes = Sizes { copies: 2, rows: 16, width: 2, choices: 0, action: 1, state: 0, slot: 0 };
    let mut replay = Replay::new(sizes, Cut::Episodes { length: 64, stride: 32 }, 0.9);
    for unroll in collected(Toy::Script, 2, &[3, 1, 7]) {
        replay.add(&unroll, &[], &[]);
    }
    assert_eq!(replay.len(), 2 * 3);
    let mut seen = [0; 3];
    for number in 0..20 {
        let drawn = replay.draw(4, 0.6, &mut Rng::new(Seed(number)));
        for own in 0..4 {
            let row = |t: usize| &drawn.rows.vectors[(t * 4 + own) * 2..][..2];
            let episode = row(0)[0] as usize;
            seen[episode] += 1;
            let length = [1, 2, 5][episode];
            assert!(drawn.start[own] && drawn.steps >= length);
            for t in 0..=drawn.steps {
                let at = t * 4 + own;
                assert_eq!(drawn.dead[at], t >= length, "step {t} of {length}");
                assert_eq!(row(t), [episode as f32, t.min(length) as f32]);
                if t < length {
                    assert_eq!((drawn.reward[at], drawn.action[at]), (t as f32 + 1.0, 1));
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

#[test]
fn agents_check_17_a_priority_for_what_was_written_over_is_dropped() {
    let sizes = Sizes { copies: 1, rows: 12, width: 2, choices: 0, action: 1, state: 1, slot: 0 };
    let mut replay = Replay::new(sizes, Cut::Every { length: 4, stride: 2 }, 1.0);
    let unrolls = collected(Toy::Script, 1, &[5, 30]);
    let states = |unroll: &Unroll, from: usize| (0..unroll.steps()).map(|t| (from + t) as f32).collect::<Vec<_>>();
    replay.add(&unrolls[0], &states(&unrolls[0], 0), &[]);
    assert_eq!(replay.len(), 1);
    let old = replay.draw(1, 0.6, &mut Rng::new(Seed(1)));
    assert_eq!(old.state, [0.0]);
    replay.add(&unrolls[1], &states(&unrolls[1], 5), &[]);
    let before = replay.clone();
    replay.update(&old, &[1e6]);
    assert!(replay == before, "the sequence is gone");
    for number in 0..20 {
        let drawn = replay.draw(2, 0.6, &mut Rng::new(Seed(number)));
        for (own, state) in drawn.state.iter().enumerate() {
            // The state before row r is r here, and rows tell by their episode and step which they are.
            let row = *state as usize;
            assert!(row >= 35 - 12 && row.is_multiple_of(2), "{row}");
            let expected = &unrolls[1].rows.vectors[(row - 5) * 2..][..2];
            assert_eq!(&drawn.rows.vectors[own * 2..][..2], expected);
        }
        replay.update(&drawn, &[2.0, 3.0]);
    }
}

#[test]
fn agents_check_33_stored_states_say_what_was_worth_what_when_it_was_played() {
    for core in [Core::Lstm, Core::Dnc, Core::Esbn, Core::Dcem] {
        let base = Config { core, size: Size::Small, copies: 4, replay: 4_000, ..Config::default() };
        // Not a multiple of the rows of an episode, so that sequences begin within one.
        let config = Config { burn_in: 3, trained: 6, stride: 3, ..base };
        let mut learner = R2d2::new(&config, make(BINDING, 4), Seed(1), &Device::flex()).unwrap();
        let mut slots = std::collections::BTreeMap::new();
        for row in 0..90 {
            (0..4).for_each(|copy| drop(slots.insert((copy, row), learner.slots()[copy].clone())));
            learner.play(1).unwrap();
        }
        // The memory is empty before row 0. Where sequences that began at different rows meet, they say the same: so by steps all
        // say what was worth what when it was played.
        let mut known = std::collections::BTreeMap::new();
        let mut rebuilt = 0;
        for number in 0..30 {
            for (row, worths) in learner.worths_again(16, Seed(number)) {
                let before: &Vec<f32> = known.entry(row).or_insert_with(|| worths.clone());
                near(&worths, before, 1e-5);
            }
            for (row, starts, written) in learner.written_again(16, Seed(number)) {
                // A row that begins an episode is given what it forgets.
                if !starts {
                    assert_eq!(written, slots[&row], "{core:?}");
                    rebuilt += usize::from(!written.is_empty());
                }
            }
        }
        assert!(known.len() > 300 && known.keys().any(|(_, row)| *row == 0), "{} rows", known.len());
        assert_eq!(rebuilt > 100, matches!(core, Core::Esbn | Core::Dcem), "{core:?}: {rebuilt}");
    }
}

#[test]
fn agents_check_33_burning_in_from_the_first_row_is_playing_by_the_weights_of_now() {
    for core in [Core::Lstm, Core::Dnc, Core::Esbn, Core::Dcem] {
        let base = Config { core, size: Size::Small, copies: 2, replay: 4_000, ..Config::default() };
        // Whole episodes of five rows with three before them, and the same in one go.
        let config = Config { burn_in: 3, trained: 2, stride: 5, ..base };
        let mut learner = R2d2::new(&config, make(BINDING, 2), Seed(1), &Device::flex()).unwrap();
        learner.play(30).unwrap();
        // Other weights than those that were played by.
        let params = learner.weights_mut();
        for i in 0..params.entries().len() {
            let numbers = params.entries()[i].values().iter().map(|x| 1.5 * x).collect();
            params.set(i, numbers);
        }
        let (burnt, whole) = learner.burnt_and_whole(8, Seed(3));
        near(&burnt, &whole, 1e-5);
    }
}

#[test]
fn memories_that_were_kept_are_out_of_date_once_the_weights_are_others() {
    // Memories are kept at every third row: at the first that is learnt from, at a later one, and at none of a sequence.
    for (burn_in, trained, some) in [(3, 6, true), (4, 6, true), (4, 1, false), (0, 9, false)] {
        for core in [Core::Lstm, Core::Dnc, Core::Esbn, Core::Dcem] {
            let base = Config { core, size: Size::Small, copies: 4, batch: 8, replay: 4_000, ..Config::default() };
            let config = Config { burn_in, trained, stride: 3, ..base };
            let mut learner = R2d2::new(&config, make(BINDING, 4), Seed(1), &Device::flex()).unwrap();
            learner.play(90).unwrap();
            let fresh = learner.taught().stale;
            assert_eq!(fresh.is_some(), some, "{burn_in} and {trained}");
            assert!(fresh.is_none_or(|apart| apart < 1e-5), "{core:?}: {fresh:?}");
            let params = learner.weights_mut();
            for i in 0..params.entries().len() {
                let numbers = params.entries()[i].values().iter().map(|x| 1.5 * x).collect();
                params.set(i, numbers);
            }
            let stale = learner.taught().stale;
            assert!(stale.is_none_or(|apart| apart > 1e-3 && apart < 1.0), "{core:?}: {stale:?}");
        }
    }
}

const BINDING: Toy = Toy::Binding { held_out: false, drawn: false, paid: false };

fn toy(steps: u64) -> Config {
    Config { steps, copies: 16, train_every: 32, replay: 20_000, replay_min: 500, lr: 2e-3, gamma: 0.9, ..small() }
}

fn learnt(toy: Toy, config: &Config, seed: Seed) -> f64 {
    let mut learner = R2d2::new(config, make(toy, config.copies), seed, &Device::flex()).unwrap();
    while learner.counters().env_steps < config.steps {
        learner.advance().unwrap();
    }
    score(toy, &mut *learner.player())
}

pub(super) fn best_arm(seed: Seed) -> Learnt {
    at_least(0.95, learnt(Toy::Bandit, &toy(4_000), seed))
}

pub(super) fn cue(seed: Seed) -> Learnt {
    at_least(0.95, learnt(Toy::Recall, &toy(15_000), seed))
}

pub(super) fn way(seed: Seed) -> Learnt {
    at_least(0.9 * WAY, learnt(Toy::Maze, &Config { gamma: 0.95, ..toy(30_000) }, seed))
}

#[test]
fn agents_check_53_r2d2_finds_the_best_arm() {
    best_arm(SEED).unwrap();
}

#[test]
fn agents_check_55_r2d2_remembers_a_cue() {
    cue(SEED).unwrap();
}

#[test]
fn agents_check_56_r2d2_goes_where_it_was_told() {
    way(SEED).unwrap();
}

/// Asserts that a run which is saved and gone on with is the run that was left alone.
pub(super) fn goes_on(make: &dyn Fn() -> R2d2) {
    let (mut whole, mut first) = (make(), make());
    let told: Vec<_> = (0..6).map(|_| whole.advance().unwrap()).collect();
    let before: Vec<_> = (0..3).map(|_| first.advance().unwrap()).collect();
    let all = |r: &R2d2| r.save().unwrap().files("r2d2-lstm", &json!({}));
    let (saved, _): (Saved, serde_json::Value) = Saved::of_files(all(&first)).unwrap();
    let mut second = make();
    second.load(&saved).unwrap();
    let after: Vec<_> = (0..3).map(|_| second.advance().unwrap()).collect();
    assert_eq!(told, [before, after].concat(), "the logs");
    assert_eq!(whole.weights().sha256(), second.weights().sha256());
    assert!(all(&whole) == all(&second), "all that is kept");
    assert!(first.counters().updates >= 13 && second.counters().updates >= 30, "{:?}", second.counters());
}

#[test]
fn agents_check_46_48_r2d2_goes_on_to_the_same_bits() {
    let cut = Config { burn_in: 4, trained: 8, whole: false, stride: 4, n: 2, ..toy(4_000) };
    let few = Config { batch: 4, ..cut.clone() };
    for config in [
        toy(4_000),
        cut,
        Config { core: Core::Dnc, ..few.clone() },
        Config { core: Core::Esbn, reconstruct: true, ..few.clone() },
        Config { core: Core::Dcem, reconstruct: true, ..few.clone() },
        Config { core: Core::Dnc, reconstruct: true, whole: true, burn_in: 0, ..few },
    ] {
        goes_on(&|| R2d2::new(&config, make(BINDING, config.copies), Seed(2), &Device::flex()).unwrap());
    }
}

/// What is learnt of bindings: of pairings that were seen, and of those that never were.
fn bound(core: Core, steps: u64, seed: Seed) -> [f64; 2] {
    let config = Config { core, gamma: 0.0, ..toy(steps) };
    let mut learner = R2d2::new(&config, make(BINDING, config.copies), seed, &Device::flex()).unwrap();
    while learner.counters().env_steps < config.steps {
        learner.advance().unwrap();
    }
    [false, true].map(|held_out| score(Toy::Binding { held_out, drawn: false, paid: false }, &mut *learner.player()))
}

/// Whether symbols are bound to values: as they were in training, and where `unseen` is asked for in pairings that never were.
fn binds(core: Core, steps: u64, asked: bool, seed: Seed) -> Learnt {
    let [seen, unseen] = bound(core, steps, seed);
    if seen >= 0.9 && (!asked || unseen >= 0.8) {
        Ok(())
    } else {
        Err(format!("{seen} of what was seen, {unseen} of what was not"))
    }
}

pub(super) fn lstm_binds(seed: Seed) -> Learnt {
    binds(Core::Lstm, 60_000, false, seed)
}

pub(super) fn dnc_binds(seed: Seed) -> Learnt {
    binds(Core::Dnc, 40_000, false, seed)
}

pub(super) fn esbn_binds(seed: Seed) -> Learnt {
    binds(Core::Esbn, 40_000, true, seed)
}

pub(super) fn dcem_binds(seed: Seed) -> Learnt {
    binds(Core::Dcem, 40_000, true, seed)
}

#[test]
fn agents_check_57_long_short_term_memory_binds() {
    lstm_binds(Seed(1)).unwrap();
}

#[test]
fn agents_check_57_the_differentiable_computer_binds() {
    dnc_binds(Seed(1)).unwrap();
}

#[test]
fn agents_check_57_the_binding_network_binds_what_it_never_saw_together() {
    esbn_binds(Seed(1)).unwrap();
}

#[test]
fn agents_check_57_the_dual_memory_binds_what_it_never_saw_together() {
    dcem_binds(Seed(1)).unwrap();
}

#[test]
fn agents_check_28_what_was_not_said_is_not_told_again() {
    let mut learner = listener(&Config { reconstruct: true, copies: 2, batch: 8, ..small() });
    learner.play(120).unwrap();
    only(learner.weights_mut(), &[]);
    // After what is seen, 3 numbers, come 3 tokens of 4 words and an end each; all ends is nothing said.
    let (rows, wide) = learner.drawn_rows(8, SEED);
    let begins = |row: &[f32]| row[3] == 1.0;
    let silent = rows.vectors.chunks_exact(wide).filter(|row| begins(row)).count();
    assert!(silent > 0 && silent < rows.count, "{silent} of {}", rows.count);
    let taught = learner.taught();
    let own = &taught.gradients.0[Id::of(learner.weights(), "again.message.bias").index()];
    // Every token is found as likely as not. Whatever is said does not begin with an end, and does with one of the words.
    near(&own[..1], &[0.5 / 15.0], 1e-5);
    near(&[own[1..5].iter().sum()], &[(4.0 * 0.5 - 1.0) / 15.0], 1e-5);
}

#[test]
fn what_is_told_nearly_is_told_again() {
    // Three rows show one of six values, a fourth none; a fifth does not count. Sequences are twice as long.
    let base = Config { reconstruct: true, copies: 4, batch: 8, ..small() };
    let config = Config { whole: false, trained: 10, stride: 5, ..base };
    let mut learner = R2d2::new(&config, make(BINDING, 4), SEED, &Device::flex()).unwrap();
    learner.play(60).unwrap();
    for (told, accuracy) in [(0.0, (3.0 * 5.0 + 6.0) / 24.0), (0.04, 21.0 / 24.0), (0.06, 0.0), (0.96, 3.0 / 24.0)] {
        only(learner.weights_mut(), &[("again.stimulus.bias", &[told; 6])]);
        let found = learner.taught().accuracy.unwrap();
        assert!((found - accuracy).abs() < 1e-9, "{told}: {found}");
    }
}

#[test]
fn r2d2_tells_again_what_it_heard() {
    let mut config = small();
    (config.batch, config.lr) = (8, 2e-3);
    (config.reconstruct, config.replay_min, config.copies, config.train_every) = (true, 100, 2, 16);
    let mut learner = listener(&config);
    let steps: Vec<_> = (0..8).map(|_| learner.advance().unwrap()).collect();
    let told = |name: &str| -> Vec<f64> {
        steps.iter().flat_map(|step| step.scalars.iter().filter(|(own, _)| own == name).map(|(_, x)| *x)).collect()
    };
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let ends = |all: &[f64]| (mean(&all[..2]), mean(&all[all.len() - 2..]));
    let (first, last) = ends(&told("train/reconstruction_loss"));
    assert!(first > 0.5 && last < 0.9 * first, "from {first} to {last}");
    let (first, last) = ends(&told("train/reconstruction_accuracy"));
    assert!(first < last && last < 1.0, "from {first} to {last}");
}
