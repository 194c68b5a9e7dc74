//! TD3 over options and Q-learning on what they amount to: sizes, what is said and kept, and what is learnt.

use heldout_core::{Buffers, FieldRef, Options, Reset, Rng, Seed, Seeding, VecEnv};
use heldout_envs::find;
use serde_json::{Value, json};

use super::layers::{differences, given};
use super::learning::{Learnt, SEED, at_least, remembered, score};
use super::toys::{Toy, make};
use super::{near, only};
use crate::effect::{self, Effect};
use crate::nn::{Device, Params, gumbel, tensor, values};
use crate::parts::checkpoint::Saved;
use crate::parts::collect::{Collector, Playing, Problems};
use crate::parts::inputs::Rows;
use crate::parts::ring::{Ring, RingSizes};
use crate::player::{Moment, Player};
use crate::ppo::PlayMode;
use crate::table::{Agent, Own, Profile, Told};
use crate::td3::network::{ActionDecoder, Choose, Encoder, Grammar, ValueDecoder};
use crate::td3::{Actor, Config, Critics, Kind, Td3, better_than_the_others};
use crate::train::Learner;

fn halma(id: &str, set: &Value, copies: usize) -> Box<dyn VecEnv> {
    find(id).unwrap().make(set.as_object().unwrap(), copies, Options::default()).unwrap()
}

/// An agent of the table on HALMA, with little to keep.
fn agent(name: &str, profile: Profile, id: &str, set: &Value) -> Td3 {
    let found = Agent::find(name).unwrap();
    let env = halma(id, set, 1);
    let less = json!({"replay": 2_000, "copies": 1});
    let told = found.told(profile, id, env.spec(), less.as_object().unwrap()).unwrap();
    let Own::Td3(config) = told.own else { panic!("{name} is learnt by TD3") };
    Td3::new(&config, env, Problems::All, Seed(0), &Device::flex()).unwrap()
}

/// An agent of the table in three of HALMA's mazes, by few numbers and two copies.
struct Tiny {
    agent: &'static Agent,
    id: &'static str,
    set: Value,
    told: Told,
}

impl Tiny {
    fn new(name: &str, more: &Value) -> Self {
        let id = if name.starts_with("td3-cnn") { "halma/visual-v1" } else { "halma/symbolic-v1" };
        let agent = Agent::find(name).unwrap();
        let mut set = agent.preset(Profile::Small, id).env;
        set.extend(json!({"max_opt_len": 2, "mazes": 3}).as_object().unwrap().clone());
        let set = Value::Object(set);
        let mut keys = json!({
            "copies": 2, "width": 8, "replay": 400, "warm_up": 80, "updates_per_step": 0.1, "batch": 2, "stretch": 8,
            "skip": 2,
        });
        keys.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let told = agent.told(Profile::Small, id, halma(id, &set, 1).spec(), keys.as_object().unwrap()).unwrap();
        Self { agent, id, set, told }
    }

    fn env(&self) -> Box<dyn VecEnv> {
        halma(self.id, &self.set, 2)
    }

    fn learner(&self) -> Box<dyn Learner> {
        self.agent.learner(&self.told, self.env(), Problems::All, None, Seed(1), &Device::flex()).unwrap()
    }
}

fn count(params: &Params, begins: &str) -> usize {
    params.entries().iter().filter(|p| p.name.starts_with(begins)).map(crate::nn::Param::len).sum()
}

#[test]
fn agents_check_02_the_agents_of_halma_have_as_many_numbers_as_the_papers() {
    let symbolic = ("halma/symbolic-v1", json!({"max_opt_len": 5, "mazes": 5}));
    let visual = ("halma/visual-v1", json!({"max_opt_len": 5, "mazes": 5}));
    for (name, (id, set), actor, critic) in [
        ("td3-mlp", &symbolic, 149_784, 113_025),
        ("td3-lstm", &symbolic, 297_496, 260_737),
        ("td3-transformer", &symbolic, 242_968, 206_209),
        ("td3-transformer-lstm", &symbolic, 390_680, 353_921),
        ("td3-cnn", &visual, 601_720, 564_961),
        ("td3-cnn-transformer", &visual, 365_816, 329_057),
    ] {
        let learner = agent(name, Profile::Paper, id, set);
        let [own, judges, _, _] = learner.lists();
        assert_eq!(own.count(), actor, "{name}");
        assert_eq!([count(judges, "critic.0."), count(judges, "critic.1.")], [critic; 2], "{name}");
        assert_eq!((count(own, "actor.option."), count(judges, "critic.1.value.")), (106_392, 69_633), "{name}");
    }
    // One encoder less where two critics share it.
    let learner = agent("td3-transformer", Profile::Small, symbolic.0, &symbolic.1);
    assert_eq!(learner.lists()[1].count(), 206_209 + 69_633);
}

#[test]
fn halma_check_31_the_agent_with_attention_knows_its_rows_by_their_index() {
    let device = Device::flex();
    // The encoder says itself which row is which where rows do not; rows that do are taken as they are.
    for (form, wide, apart) in [("one_hot", 19, true), ("indexed", 30, false)] {
        let env = halma("halma/symbolic-v1", &json!({"observation": form, "mazes": 2}), 1);
        let inputs = Kind::Transformer.inputs(env.spec()).unwrap();
        let mut params = Params::new(Seed(1), &device);
        let encoder = Encoder::new(&mut params, "e", &inputs, Kind::Transformer, 128).unwrap();
        let mut rng = Rng::new(Seed(2));
        let tokens: Vec<Vec<f32>> = (0..11).map(|_| (0..wide).map(|_| rng.unit() as f32).collect()).collect();
        let seen = |order: &mut dyn Iterator<Item = usize>| {
            let vectors = order.flat_map(|i| tokens[i].clone()).collect();
            let rows = Rows { count: 1, vectors, ..Rows::default() };
            values(encoder.forward(&params, &rows, &[], &[]).e)
        };
        let (straight, turned) = (seen(&mut (0..11)), seen(&mut (0..11).rev()));
        let most = straight.iter().zip(&turned).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(if apart { most > 1e-3 } else { most < 1e-5 }, "{form}: {most}");
    }
}

#[test]
fn agents_check_08_an_option_is_what_halma_takes_it_for() {
    let set = json!({"max_opt_len": 3, "mazes": 3});
    let mut both = [0, 1].map(|_| halma("halma/symbolic-v1", &set, 1));
    let mut buffers = [0, 1].map(|i: usize| Buffers::new(both[i].spec(), 1));
    for (env, buffers) in both.iter_mut().zip(&mut buffers) {
        env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
    }
    let mut rng = Rng::new(Seed(5));
    let mut cut = 0;
    for _ in 0..3_000 {
        let raw: Vec<i32> = (0..4).map(|_| rng.below(4) as i32).collect();
        let mut canonical = raw.clone();
        Grammar::canonical(&mut canonical);
        cut += usize::from(raw != canonical);
        for ((env, buffers), action) in both.iter_mut().zip(&mut buffers).zip([&raw, &canonical]) {
            env.step(action, buffers.output()).unwrap();
        }
        let seen = |b: &Buffers| {
            let FieldRef::F32(symbols) = b.field(0) else { panic!("symbols are numbers") };
            (symbols.to_vec(), b.rewards.clone(), b.metrics.clone(), b.status.clone())
        };
        assert_eq!(seen(&buffers[0]), seen(&buffers[1]), "{raw:?} and {canonical:?}");
    }
    assert!(cut > 500, "{cut}");
}

fn decoder(params: &mut Params) -> (Grammar, ActionDecoder, ValueDecoder) {
    let grammar = Grammar { directions: 4, tokens: 4, length: 3 };
    (grammar, ActionDecoder::new(params, "a", grammar, 8), ValueDecoder::new(params, "v", grammar, 8))
}

#[test]
fn agents_check_08_what_the_decoder_says_after_an_end_is_nothing_and_the_end_itself_is_learnt() {
    let device = Device::flex();
    let mut params = Params::new(Seed(3), &device);
    let (_, actions, worth) = decoder(&mut params);
    let rows = 40;
    let e = given(&mut params, "e", &[rows, 8]);
    // The same noise for the direction and the first token, another for what follows.
    let say = |late: u64| {
        let mut steps = 0;
        let mut noise = |choices: usize| {
            steps += 1;
            let seed = if steps <= 2 { Seed(4) } else { Seed(late) };
            gumbel::noise(rows * choices, &mut seed.derive(steps).rng())
        };
        actions.forward(&params, params.get(e), Choose::Through(&mut noise))
    };
    let said = say(5);
    let mut at_once = vec![0.0; rows];
    for (row, at_once) in at_once.iter_mut().enumerate() {
        let mut action = vec![0; 4];
        Grammar::write(&said.symbols, row, &mut action);
        let mut canonical = action.clone();
        Grammar::canonical(&mut canonical);
        assert_eq!(action, canonical);
        *at_once = f32::from(u8::from(action[1] == 0));
        for (step, choice) in said.choices.iter().enumerate() {
            let one = &values(choice.clone())[row * 4..][..4];
            assert!((0..4).all(|c| one[c] == f32::from(u8::from(c == action[step] as usize))), "{one:?}");
        }
    }
    let ended: f32 = at_once.iter().sum();
    assert!(ended > 2.0 && (ended as usize) < rows - 2, "{ended}");
    // What options that end at once are worth depends on nothing that would have followed, and on the end.
    let [one, other] = [5, 6].map(|late| {
        let said = say(late);
        let worths = worth.forward(&params, params.get(e), &said.choices);
        let all = values(worths.clone());
        (all, params.gradients(&(worths * tensor(at_once.clone(), [rows], &device)).sum()))
    });
    assert_ne!(one.0, other.0, "others go on otherwise");
    assert_eq!(one.1, other.1);
    let head = params.entries().iter().position(|p| p.name == "a.token.bias").unwrap();
    assert!(one.1.0[head].iter().any(|g| g.abs() > 1e-6), "ending is learnt");
}

#[test]
fn agents_check_29_gradients_of_the_decoders_with_symbols_that_stay() {
    let mut params = Params::new(Seed(6), &Device::flex());
    let (grammar, actions, worth) = decoder(&mut params);
    let e = given(&mut params, "e", &[5, 8]);
    let symbols = [vec![0, 1, 2, 3, 1], vec![3, 0, 1, 2, 3], vec![1, 2, 0, 3, 3], vec![2, 2, 2, 1, 0]];
    differences(&params, |params| {
        let said = actions.forward(params, params.get(e), Choose::Forced(&symbols));
        let device = params.device();
        (said.log_prob(device) + said.entropy(device) * 0.3).sum()
    });
    let choices = grammar.one_hots(&symbols, params.device());
    differences(&params, |params| (worth.forward(params, params.get(e), &choices).powi_scalar(2)).sum());
}

#[test]
fn what_an_option_is_better_than_is_the_mean_of_the_others() {
    // Two rows of three samples each.
    let found = better_than_the_others(&[1.0, 10.0, 2.0, 10.0, 6.0, 40.0], 3);
    near(&found, &[-3.0, -15.0, -1.5, -15.0, 4.5, 30.0], 1e-6);
}

fn toy(network: Kind, actor: Actor) -> Config {
    Config {
        episodes: 0,
        copies: 4,
        updates_per_step: 0.25,
        warm_up: 60,
        network,
        actor,
        width: 16,
        lr_actor: 1e-3,
        entropy: 0.02,
        batch: if network.remembers() { 4 } else { 16 },
        stretch: 8,
        skip: 2,
        delay: 2,
        replay: 1_000,
        ..Config::default()
    }
}

fn by_seed(toy: Toy, config: &Config, seed: Seed) -> Td3 {
    Td3::new(config, make(toy, config.copies), Problems::All, seed, &Device::flex()).unwrap()
}

fn learner(toy: Toy, config: &Config) -> Td3 {
    by_seed(toy, config, SEED)
}

#[test]
fn agents_check_19_how_often_the_policy_is_followed() {
    let config = Config::default();
    let shares = [0, 50_000, 100_000, 1_000_000].map(|at| config.greedy_share(at));
    for (found, expected) in shares.iter().zip([0.1, 0.525, 0.95, 0.95]) {
        assert!((found - expected).abs() < 1e-12, "{found}");
        let mut rng = Rng::new(Seed(3));
        let draws = 100_000;
        let own = (0..draws).filter(|_| rng.chance(*found)).count() as f64 / f64::from(draws);
        assert!((own - expected).abs() < 5.0 * (expected * (1.0 - expected) / f64::from(draws)).sqrt(), "{own}");
    }
    // In play: what the policy says is played as often, and by chance as often as its canonical form comes up.
    let share = 0.525;
    let config = Config { greedy_first: share, greedy_last: share, width: 8, ..toy(Kind::Mlp, Actor::Gumbel) };
    let mut td3 = learner(Toy::Option, &config);
    let (mut own, mut steps, mut by_chance) = (0.0, 0.0, 0.0);
    for _ in 0..6_000 {
        let unroll = td3.play().unwrap();
        let rows = unroll.rows.gather(&(0..4).collect::<Vec<_>>());
        let best = td3.greedy(&rows);
        for (done, best) in unroll.action.chunks_exact(3).zip(best.chunks_exact(3)) {
            own += f64::from(u8::from(done == best));
            steps += 1.0;
            by_chance += if best[1] == 0 { 1.0 / 16.0 } else { 1.0 / 64.0 };
        }
    }
    let expected = share + (1.0 - share) * by_chance / steps;
    let found = own / steps;
    assert!((found - expected).abs() < 5.0 * (expected * (1.0 - expected) / steps).sqrt(), "{found} is not {expected}");
}

#[test]
fn halma_check_32_actor_and_targets_change_at_every_fifth_update() {
    let mut td3 = learner(Toy::Option, &Config { delay: 5, ..toy(Kind::Mlp, Actor::Gumbel) });
    (0..100).for_each(|_| drop(td3.play().unwrap()));
    let hashes = |td3: &Td3| td3.lists().map(Params::sha256);
    let mut before = hashes(&td3);
    for update in 1..=10 {
        td3.update();
        let after = hashes(&td3);
        let changed: Vec<bool> = before.iter().zip(&after).map(|(a, b)| a != b).collect();
        let fifth = update % 5 == 0;
        assert_eq!(changed, [fifth, true, fifth, fifth], "update {update}");
        before = after;
    }
    // By half a percent of the way.
    let list = |x: f32| {
        let mut params = Params::new(Seed(0), &Device::flex());
        params.add("x", &[1], crate::nn::Init::Constant(x));
        params
    };
    let mut target = list(1.0).frozen();
    target.approach(&list(3.0), 0.005);
    near(&target.entries()[0].values(), &[1.01], 1e-6);
}

#[test]
fn critics_learn_towards_a_tenth_of_the_reward_and_the_smaller_of_two_worths() {
    // Two to four steps, of which the last may pay 1 and has nothing after it.
    let paths = ["critic.0.value.out.bias", "critic.1.value.out.bias"];
    for (critics, found) in [(Critics::Separate, [2.0, 3.0]), (Critics::Shared, [3.0, 2.0])] {
        let config = Config { critics, batch: 64, ..toy(Kind::Mlp, Actor::Gumbel) };
        assert_eq!((config.reward_scale, config.gamma), (0.1, 0.95));
        let mut td3 = learner(Toy::RecallOption, &config);
        (0..60).for_each(|_| drop(td3.play().unwrap()));
        let [_, critic, _, target] = td3.lists_mut();
        only(critic, &[]);
        only(target, &[(paths[0], &found[..1]), (paths[1], &found[1..])]);
        let [targets, reward, cont] = td3.taught();
        let expected: Vec<f32> = reward.iter().zip(&cont).map(|(r, c)| 0.1 * r + 0.95 * c * 2.0).collect();
        near(&targets, &expected, 1e-6);
        for kind in [(0, 1), (0, 0), (1, 0)] {
            assert!(reward.iter().zip(&cont).any(|(&r, &c)| (r as i32, c as i32) == kind), "{kind:?}");
        }
        // Both are as far from it as they find nothing worth anything.
        let squares = expected.iter().map(|y| f64::from(y * y)).sum::<f64>();
        let (name, loss) = td3.update()[0];
        assert_eq!(name, "train/critic_loss");
        near(&[loss as f32], &[(2.0 * squares / 64.0) as f32], 1e-5);
    }
}

#[test]
fn agents_check_15_of_effects_too_the_weights_that_learn_choose_and_those_that_follow_judge() {
    let config = effect::Config { gamma: 0.9, reward_scale: 0.5, ..q_config(Kind::Mlp, 1_000) };
    let mut learner = Effect::new(&config, make(Toy::Script, 8), Problems::All, SEED, &Device::flex()).unwrap();
    (0..60).for_each(|_| learner.play().unwrap());
    // Choices are worth -1 and 1 by the weights that learn, 13 and 7 by those that follow.
    let [own, target] = learner.lists_mut();
    only(own, &[("q.advantage.bias", &[-1.0, 1.0])]);
    only(target, &[("q.value.bias", &[10.0]), ("q.advantage.bias", &[3.0, -3.0])]);
    let [targets, reward, cont] = learner.taught();
    let expected: Vec<f32> = reward.iter().zip(&cont).map(|(r, c)| 0.5 * r + 0.9 * c * 7.0).collect();
    near(&targets, &expected, 1e-6);
    assert!(cont.contains(&0.0) && cont.contains(&1.0), "{cont:?}");
}

#[test]
fn the_ring_gives_back_what_was_played() {
    // Episodes of 1, 2 and 5 steps; rows are the number of the episode and of the step.
    let env = make(Toy::Script, 2);
    let inputs = Kind::Mlp.inputs(env.spec()).unwrap();
    let playing = Playing { inputs, words: None, bootstrap_truncated: true, problems: Problems::All, seed: Seed(0) };
    let mut collector = Collector::new(env, playing).unwrap();
    let sizes = RingSizes { copies: 2, rows: 20, width: 2, pictures: Vec::new(), action: 1, state: 1, stride: 4 };
    let steps = RingSizes { stride: 1, state: 0, ..sizes.clone() };
    let (mut ring, mut single) = (Ring::new(sizes), Ring::new(steps));
    let mut turn = 0;
    for count in [3, 40, 6] {
        let unroll = collector.collect(count, |_, _, actions| actions.fill(1)).unwrap();
        // The state before a row is the number of the row, of the second copy a hundred more.
        let states: Vec<f32> = (turn..turn + count).flat_map(|row| [row as f32, 100.0 + row as f32]).collect();
        ring.add(&unroll, &states);
        single.add(&unroll, &[]);
        turn += count;
    }
    let bytes = postcard::to_stdvec(&ring).unwrap();
    assert!(ring == postcard::from_bytes(&bytes).unwrap() && ring.fits(&postcard::from_bytes(&bytes).unwrap()));
    // The script of 1 + 2 + 5 steps and their ends takes 11 rows; episodes are numbered on.
    let row = |number: usize| {
        let (episode, within) = (number / 11 * 3, number % 11);
        let (episode, step) = match within {
            0..2 => (episode, within),
            2..5 => (episode + 1, within - 2),
            _ => (episode + 2, within - 5),
        };
        [episode as f32, step as f32]
    };
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..40 {
        let (drawn, states) = ring.draw(3, 6, &mut Rng::new(Seed(number)));
        for (own, &state) in states.iter().enumerate() {
            let first = state as usize % 100;
            assert!(first.is_multiple_of(4) && first >= 49 - 20 && first + 6 < 49, "{first}");
            seen.insert(state as usize);
            for t in 0..=6 {
                let at = t * 3 + own;
                assert_eq!(drawn.rows.vectors[at * 2..][..2], row(first + t), "row {t} after {first}");
                let [episode, step] = row(first + t);
                assert_eq!(drawn.start[at], step == 0.0);
                let ended = [1.0, 2.0, 5.0][episode as usize % 3] == step;
                assert_eq!(drawn.dead[at], ended);
                if t < 6 {
                    let paid = if ended { 0.0 } else { step + 1.0 };
                    assert_eq!((drawn.reward[at], drawn.valid[at]), (paid, !ended));
                }
            }
        }
        let (drawn, _) = single.draw(16, 1, &mut Rng::new(Seed(number)));
        assert!(drawn.valid.iter().all(|v| *v), "what is no step is not drawn alone");
    }
    assert_eq!(seen.len(), 2 * 3, "{seen:?}");
}

/// All that a learner keeps, and what it told on the way.
fn whole(learner: &mut dyn Learner, blocks: usize) -> ([Vec<u8>; 4], Vec<crate::train::Step>) {
    let told = (0..blocks).map(|_| learner.advance().unwrap()).collect();
    (learner.save().unwrap().files("td3", &json!({})), told)
}

#[test]
fn agents_check_46_48_halmas_learners_go_on_to_the_same_bits() {
    // Panels are large: few of them are kept.
    let tiny = |name| Tiny::new(name, &json!({"updates_per_step": 0.12, "replay": 100}));
    let kinds: [Box<dyn Fn() -> Box<dyn Learner>>; 7] = [
        Box::new(|| Box::new(learner(Toy::Option, &toy(Kind::Mlp, Actor::Gumbel)))),
        Box::new(|| Box::new(learner(Toy::Option, &toy(Kind::Mlp, Actor::Score)))),
        Box::new(|| {
            Box::new(learner(
                Toy::RecallOption,
                &Config { critics: Critics::Shared, ..toy(Kind::TransformerLstm, Actor::Score) },
            ))
        }),
        Box::new(|| Box::new(q_learner(Toy::Bandit, Kind::Mlp, 1_000, SEED))),
        Box::new(|| tiny("td3-transformer").learner()),
        Box::new(|| tiny("td3-cnn").learner()),
        Box::new(|| tiny("td3-cnn-transformer").learner()),
    ];
    for (which, make) in kinds.iter().enumerate() {
        let (all, told) = whole(&mut *make(), 3);
        assert!(whole(&mut *make(), 3) == (all.clone(), told.clone()), "{which}: twice");
        let (part, _) = whole(&mut *make(), 1);
        let (saved, _): (Saved, Value) = Saved::of_files(part).unwrap();
        let mut second = make();
        second.load(&saved).unwrap();
        let (rest, after) = whole(&mut *second, 2);
        assert_eq!(told[1..], after[..], "{which}: the logs");
        assert!(rest == all, "{which}: all that is kept");
        assert!(second.counters().updates >= 30, "{which}: {:?}", second.counters());
    }
}

#[test]
fn a_memory_that_was_kept_is_the_one_that_was_played_with() {
    // Without updates the states in the ring, unrolled again, are what the memory came to be.
    let config = Config { warm_up: 1_000_000, ..toy(Kind::Lstm, Actor::Gumbel) };
    let mut td3 = learner(Toy::RecallOption, &config);
    (0..33).for_each(|_| drop(td3.play().unwrap()));
    let (now, again) = td3.memories();
    near(&again, &now, 1e-5);
    assert!(now.iter().any(|x| x.abs() > 0.01));
}

fn q_config(network: Kind, steps: u64) -> effect::Config {
    effect::Config {
        steps,
        episodes: 0,
        copies: 8,
        updates_per_step: 0.125,
        warm_up: 60,
        network,
        width: 32,
        lr: 3e-3,
        batch: 32,
        tau: 0.05,
        gamma: 0.0,
        reward_scale: 1.0,
        replay: 2_000,
        greedy_steps: steps,
        ..effect::Config::default()
    }
}

fn q_learner(toy: Toy, network: Kind, steps: u64, seed: Seed) -> Effect {
    Effect::new(&q_config(network, steps), make(toy, 8), Problems::All, seed, &Device::flex()).unwrap()
}

/// What a learner's policy scores once it has played so many steps.
fn learnt(toy: Toy, learner: &mut dyn Learner, steps: u64) -> f64 {
    while learner.counters().env_steps < steps {
        learner.advance().unwrap();
    }
    score(toy, &mut *learner.player())
}

pub(super) fn best_arm(seed: Seed) -> Learnt {
    at_least(0.95, learnt(Toy::Bandit, &mut q_learner(Toy::Bandit, Kind::Mlp, 1_500, seed), 1_500))
}

pub(super) fn quadrant(seed: Seed) -> Learnt {
    at_least(0.95, learnt(Toy::Picture, &mut q_learner(Toy::Picture, Kind::Cnn, 4_000, seed), 4_000))
}

pub(super) fn cue(seed: Seed) -> Learnt {
    let steps = 6_000;
    let recalled = |network: Kind, steps: u64| {
        let config = Config {
            steps,
            copies: 8,
            updates_per_step: 1.0 / 16.0,
            width: 32,
            batch: if network.remembers() { 16 } else { 64 },
            stretch: 8,
            skip: 0,
            lr_actor: 3e-3,
            lr_critic: 3e-3,
            tau: 0.02,
            gamma: 0.9,
            reward_scale: 1.0,
            greedy_steps: steps,
            replay: 4_000,
            critics: Critics::Shared,
            ..toy(network, Actor::Score)
        };
        learnt(Toy::RecallOption, &mut by_seed(Toy::RecallOption, &config, seed), steps)
    };
    remembered(recalled(Kind::Lstm, steps), recalled(Kind::Mlp, steps / 2))
}

#[test]
fn agents_check_53_the_best_arm_by_q_learning() {
    best_arm(SEED).unwrap();
}

#[test]
fn agents_check_58_the_bright_quadrant_by_the_convolutions_of_halmas_agent() {
    quadrant(SEED).unwrap();
}

#[test]
fn agents_check_55_td3_remembers_a_cue_with_a_memory_and_not_without() {
    cue(SEED).unwrap();
}

/// The share of options that are right, and of those that end at the wrong place, over all that can be asked.
fn options(player: &mut dyn Player) -> [f64; 2] {
    let copies = 600;
    let mut env = make(Toy::Option, copies);
    let mut buffers = Buffers::new(env.spec(), copies);
    let seeds: Vec<Seed> = (0..copies as u64).map(|i| Seed(77).derive(i)).collect();
    let each: Vec<Option<Seed>> = seeds.iter().copied().map(Some).collect();
    env.reset(Reset { seeds: Seeding::Copies(&each), ..Reset::default() }, buffers.output()).unwrap();
    let (rewards, metrics, starts) = (vec![0.0; copies], vec![0.0; buffers.metrics.len()], vec![true; copies]);
    let mut actions = vec![0; copies * 3];
    let moment = Moment {
        observation: &buffers,
        rewards: &rewards,
        metrics: &metrics,
        starts: &starts,
        seeds: &seeds,
        done: None,
    };
    player.act(&moment, &mut actions).unwrap();
    let FieldRef::F32(asked) = buffers.field(0) else { panic!("numbers") };
    let (mut right, mut wrong_end) = (0.0, 0.0);
    for (asked, action) in asked.chunks_exact(10).zip(actions.chunks_exact(3)) {
        let direction = asked[..4].iter().position(|x| *x == 1.0).unwrap() as i32;
        let moves = asked[4..].iter().position(|x| *x == 1.0).unwrap() as i32 + 1;
        let told = if action[1] == 0 { 0 } else { action[1] + action[2] };
        right += f64::from(u8::from(action[0] == direction && told == moves));
        wrong_end += f64::from(u8::from(action[0] == direction && told != moves));
    }
    [right, wrong_end].map(|n| n / copies as f64)
}

/// What is learnt of the toy of options in some 60 seconds.
pub(super) fn options_learnt(actor: Actor, seed: u64, steps: u64) -> [f64; 2] {
    let config = Config {
        steps,
        episodes: 0,
        copies: 8,
        updates_per_step: 0.25,
        warm_up: 500,
        width: 32,
        actor,
        entropy: if actor == Actor::Score { 0.02 } else { 0.05 },
        lr_actor: 1e-3,
        lr_critic: 1e-3,
        delay: 2,
        tau: 0.01,
        batch: 128,
        reward_scale: 1.0,
        gamma: 0.0,
        replay: 20_000,
        greedy_steps: steps,
        play: PlayMode::Greedy,
        ..Config::default()
    };
    let mut td3 = Td3::new(&config, make(Toy::Option, 8), Problems::All, Seed(seed), &Device::flex()).unwrap();
    while td3.counters().env_steps < steps {
        td3.advance().unwrap();
    }
    options(&mut *td3.player())
}

/// Some 60 seconds: `cargo test -p heldout-agents -- --ignored agents_check_54`.
#[test]
#[ignore = "takes a minute"]
fn agents_check_54_options_are_learnt_that_end_where_they_must() {
    let [right, wrong_end] = options_learnt(Actor::Score, 1, 40_000);
    assert!(right >= 0.9 && wrong_end < 0.05, "{right} right, {wrong_end} end at the wrong place");
}

#[test]
fn every_agent_of_halma_learns_a_block_and_plays_by_what_it_saved() {
    for name in ["td3-mlp", "td3-lstm", "td3-transformer", "td3-transformer-lstm", "td3-cnn", "td3-cnn-transformer"] {
        for actor in ["gumbel", "score"] {
            let tiny = Tiny::new(name, &json!({"actor": actor}));
            let mut learner = tiny.learner();
            let step = learner.advance().unwrap();
            assert!(learner.counters().updates >= 4, "{name}: {:?}", learner.counters());
            assert!(step.scalars.iter().all(|(_, x)| x.is_finite()), "{name}: {step:?}");
            assert!(step.scalars.iter().any(|(s, _)| s == "train/actor_loss"), "{name}");
            assert!(learner.experience().unwrap().is_some(), "{name}: an account is kept");
            let weights = crate::parts::checkpoint::pack(
                learner.weights(),
                crate::parts::checkpoint::About {
                    format: crate::parts::checkpoint::FORMAT.to_owned(),
                    ..crate::parts::checkpoint::About::default()
                },
            );
            let mut env = tiny.env();
            let opened = tiny.agent.player(&tiny.told, env.spec(), None, &weights).unwrap();
            let mut players = [learner.player(), opened];
            let mut buffers = Buffers::new(env.spec(), 2);
            env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
            let seeds = [Seed(5), Seed(6)];
            for turn in 0..4 {
                let (rewards, metrics) = (buffers.rewards.clone(), buffers.metrics.clone());
                let mut said = [0, 1].map(|_| vec![0; 2 * 3]);
                for (player, said) in players.iter_mut().zip(&mut said) {
                    let moment = Moment {
                        observation: &buffers,
                        rewards: &rewards,
                        metrics: &metrics,
                        starts: &[turn == 0; 2],
                        seeds: &seeds,
                        done: None,
                    };
                    player.act(&moment, said).unwrap();
                }
                assert_eq!(said[0], said[1], "{name}: turn {turn}");
                env.step(&said[0], buffers.output()).unwrap();
            }
        }
    }
}

/// T's share of goals in each of five mazes after 25,000 steps in them by options of one token, as the agent plays.
fn five_mazes(name: &str, seed: Seed) -> [f64; 5] {
    let id = "halma/symbolic-v1";
    let found = Agent::find(name).unwrap();
    let mut set = found.preset(Profile::Small, id).env;
    set.extend(json!({"max_opt_len": 1, "mazes": 5}).as_object().unwrap().clone());
    let keys = json!({"steps": 25_000, "episodes": 0, "updates_per_step": 0.5});
    let make =
        |copies, autoreset| find(id).unwrap().make(&set, copies, Options { autoreset, ..Options::default() }).unwrap();
    let next = heldout_core::Autoreset::NextStep;
    let told = found.told(Profile::Small, id, make(1, next).spec(), keys.as_object().unwrap()).unwrap();
    let env = make(told.copies(), next);
    let mut learner = found.learner(&told, env, Problems::All, None, seed, &Device::flex()).unwrap();
    while learner.counters().env_steps < told.steps() {
        learner.advance().unwrap();
    }
    let mut env = make(4, heldout_core::Autoreset::Disabled);
    let mut player = learner.player();
    [0, 1, 2, 3, 4].map(|maze| {
        let seed = Seed(9).derive(u64::from(maze));
        crate::select::score(&mut *env, &mut *player, &[maze; 4], "rho_g", seed).unwrap()
    })
}

/// Whether more than nine of ten goals are reached, as the check asks.
pub(super) fn mazes(name: &str, seed: Seed) -> Learnt {
    let each = five_mazes(name, seed);
    let mean = each.iter().sum::<f64>() / 5.0;
    if mean > 0.9 { Ok(()) } else { Err(format!("{name}: {mean}, by maze {each:?}")) }
}

/// Minutes, as the next: `cargo test -p heldout-agents -- --ignored halma_check_33a`.
#[test]
#[ignore = "takes minutes"]
fn halma_check_33a_agents_check_61_five_mazes_are_learnt_by_effects() {
    mazes("td3-effect", Seed(0)).unwrap();
}

#[test]
#[ignore = "takes minutes"]
fn halma_check_33a_agents_check_61_five_mazes_are_learnt_by_options() {
    mazes_by_options(Seed(1)).unwrap();
}

/// By the seeds 0 to 4 of `heldout train`: it misses one maze of five with seed 1, none with the others.
pub(super) fn mazes_by_options(seed: Seed) -> Learnt {
    mazes("td3-mlp", Seed(seed.0 - 1).stream("train"))
}

pub(super) fn mazes_by_effects(seed: Seed) -> Learnt {
    mazes("td3-effect", seed)
}
