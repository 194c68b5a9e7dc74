//! Twin delayed deterministic policy gradients (Fujimoto et al. 2018) over option tokens, for HALMA.
//!
//! An option is said symbol by symbol: a direction, then primitives until a 0 ends it. The actor learns what two critics find
//! good, by one of two gradients: straight through the choices that Gumbel's noise makes, as if they were shares (`gumbel`), or
//! by how much better each of some options is than the others (`score`). Critics learn towards the smaller of two targets, whose
//! action is one that the target actor says by chance: that is the smoothing.

pub(crate) mod network;

use heldout_core::{Rng, Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};

pub use self::network::Kind;
use self::network::{ActionDecoder, Choose, Encoder, Grammar, Said, ValueDecoder};
use crate::nn::{Adam, Device, Moments, Optimiser, Params, Tensor, clip, gumbel, tensor, values};
use crate::parts::checkpoint::{Saved, unpack};
use crate::parts::collect::{Collector, Place, Playing, Problems, Unroll};
use crate::parts::inputs::{Inputs, Last, Rows};
use crate::parts::ring::{Ring, RingSizes};
use crate::parts::schedule::{due, linear};
use crate::player::{Moment, Player, PlayerError};
use crate::ppo::PlayMode;
use crate::train::{Counters, Learner, Step, TrainError};

/// How the actor learns from the critics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// Gradients pass through the choices.
    #[default]
    Gumbel,
    /// Options that are better than others of the same row become likelier.
    Score,
}

/// Whether the critics look for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Critics {
    /// Each with an encoder of its own.
    #[default]
    Separate,
    /// Two decoders of values behind one encoder.
    Shared,
}

/// All that a run of TD3 is told; by default what HALMA's paper says, with the rulings of what it leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Steps to train for, where `episodes` is 0.
    pub steps: u64,
    /// Episodes to train for; 0: steps.
    pub episodes: u64,
    /// Environments that are played at once.
    pub copies: usize,
    /// Updates for each step after the warm-up.
    pub updates_per_step: f64,
    /// Steps before the first update.
    pub warm_up: u64,
    /// The network.
    pub network: Kind,
    /// Numbers of every layer.
    pub width: usize,
    /// How the actor learns from the critics.
    pub actor: Actor,
    /// Options that are compared with each other, where the actor learns by scores.
    pub samples: usize,
    /// What the entropy of the actor's options counts.
    pub entropy: f64,
    /// Whether the critics look for themselves.
    pub critics: Critics,
    /// The learning rate of the actor.
    pub lr_actor: f64,
    /// The learning rate of the critics.
    pub lr_critic: f64,
    /// Adam's addition to the root.
    pub epsilon: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Steps of an update; with a memory stretches of steps.
    pub batch: usize,
    /// Steps of a stretch.
    pub stretch: usize,
    /// Steps at the beginning of a stretch that only bring the memory to where it was.
    pub skip: usize,
    /// Updates of the critics for one of the actor and of all targets.
    pub delay: u64,
    /// How far targets go toward what they follow.
    pub tau: f64,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// What rewards are multiplied by in losses.
    pub reward_scale: f64,
    /// Steps that are kept.
    pub replay: usize,
    /// Share of options that are the policy's own at first; the others are uniform.
    pub greedy_first: f64,
    /// The same in the end.
    pub greedy_last: f64,
    /// Steps over which it grows.
    pub greedy_steps: u64,
    /// How the trained policy plays.
    pub play: PlayMode,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            steps: 360_000,
            episodes: 2_000,
            copies: 1,
            updates_per_step: 1.0,
            warm_up: 1_000,
            network: Kind::Mlp,
            width: 128,
            actor: Actor::Gumbel,
            samples: 4,
            entropy: 0.0,
            critics: Critics::Separate,
            lr_actor: 1e-4,
            lr_critic: 1e-3,
            epsilon: 1e-8,
            norm: 10.0,
            batch: 128,
            stretch: 32,
            skip: 8,
            delay: 5,
            tau: 0.005,
            gamma: 0.95,
            reward_scale: 0.1,
            replay: 10_000,
            greedy_first: 0.1,
            greedy_last: 0.95,
            greedy_steps: 100_000,
            play: PlayMode::Greedy,
        }
    }
}

/// Refuses numbers of a config that are out of range.
pub(crate) fn check(least: &[(&str, usize)], positive: &[(&str, f64)], shares: &[(&str, f64)]) -> Result<(), String> {
    if let Some((name, _)) = least.iter().find(|(_, n)| *n == 0) {
        return Err(format!("`{name}` is 0, must be at least 1"));
    }
    if let Some((name, x)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
        return Err(format!("`{name}` is {x}, must be greater than 0"));
    }
    match shares.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
        Some((name, x)) => Err(format!("`{name}` is {x}, must be 0 to 1")),
        None => Ok(()),
    }
}

impl Config {
    /// # Errors
    ///
    /// If a number is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        check(
            &[
                ("steps", self.steps as usize),
                ("copies", self.copies),
                ("batch", self.batch),
                ("stretch", self.stretch),
                ("delay", self.delay as usize),
            ],
            &[
                ("updates_per_step", self.updates_per_step),
                ("lr_actor", self.lr_actor),
                ("lr_critic", self.lr_critic),
                ("epsilon", self.epsilon),
                ("norm", self.norm),
            ],
            &[
                ("gamma", self.gamma),
                ("tau", self.tau),
                ("greedy_first", self.greedy_first),
                ("greedy_last", self.greedy_last),
            ],
        )?;
        if !(self.entropy.is_finite() && self.entropy >= 0.0) {
            return Err(format!("`entropy` is {}, must be at least 0", self.entropy));
        }
        if !self.reward_scale.is_finite() {
            return Err(format!("`reward_scale` is {}, must be a number", self.reward_scale));
        }
        if self.samples < 2 {
            return Err(format!("`samples` is {}, must be at least 2", self.samples));
        }
        if self.width == 0 || !self.width.is_multiple_of(4) {
            return Err(format!("`width` is {}, must be a multiple of 4", self.width));
        }
        if self.skip >= self.stretch {
            return Err(format!("`skip` is {}, must be below the {} steps of a stretch", self.skip, self.stretch));
        }
        let least = self.copies * 2 * (self.stretch() + STATES_EVERY);
        if self.replay < least {
            return Err(format!("`replay` is {}, must be at least {least} for {} copies", self.replay, self.copies));
        }
        Ok(())
    }

    /// The share of options that are the policy's own after so many steps.
    pub(crate) fn greedy_share(&self, env_steps: u64) -> f64 {
        linear(self.greedy_first, self.greedy_last, env_steps, self.greedy_steps)
    }

    /// Steps that are drawn together.
    fn stretch(&self) -> usize {
        if self.network.remembers() { self.stretch } else { 1 }
    }

    /// Those of them that nothing is learnt from.
    fn skip(&self) -> usize {
        if self.network.remembers() { self.skip } else { 0 }
    }
}

/// Steps between two at which the states of memories are kept.
const STATES_EVERY: usize = 16;
/// Vector steps of a block.
const BLOCK: usize = 64;

/// What does not change while a policy is learnt.
#[derive(Clone)]
struct Plan {
    config: Config,
    spec: Spec,
    inputs: Inputs,
    grammar: Grammar,
}

/// Who acts.
struct Policy {
    encoder: Encoder,
    decoder: ActionDecoder,
}

/// Who judges: one or two encoders, and two decoders.
struct Judges {
    encoders: Vec<Encoder>,
    values: [ValueDecoder; 2],
}

impl Plan {
    fn new(config: &Config, spec: &Spec) -> Result<Self, String> {
        let inputs = config.network.inputs(spec)?;
        let grammar = Grammar::of(&inputs.sizes)?;
        Ok(Self { config: config.clone(), spec: spec.clone(), inputs, grammar })
    }

    fn policy(&self, params: &mut Params) -> Result<Policy, String> {
        let Config { network, width, .. } = self.config;
        let encoder = Encoder::new(params, "actor", &self.inputs, network, width)?;
        let decoder = ActionDecoder::new(params, "actor.option", self.grammar, width);
        Ok(Policy { encoder, decoder })
    }

    fn judges(&self, params: &mut Params) -> Result<Judges, String> {
        let Config { network, width, critics, .. } = self.config;
        let mut encoders = Vec::new();
        let mut decoders = Vec::new();
        for i in 0..2 {
            let name = format!("critic.{i}");
            if i == 0 || critics == Critics::Separate {
                encoders.push(Encoder::new(params, &name, &self.inputs, network, width)?);
            }
            decoders.push(ValueDecoder::new(params, &format!("{name}.value"), self.grammar, width));
        }
        let values = decoders.try_into().map_err(|_| "two decoders")?;
        Ok(Judges { encoders, values })
    }
}

impl Judges {
    /// Which encoder a decoder stands behind.
    fn behind(&self, decoder: usize) -> usize {
        decoder.min(self.encoders.len() - 1)
    }

    /// What options are worth to one of the two.
    fn worth(&self, which: usize, params: &Params, e: &[Tensor<2>], choices: &[Tensor<2>]) -> Tensor<1> {
        self.values[which].forward(params, e[self.behind(which)].clone(), choices)
    }

    /// The smaller of what two find options worth, as numbers.
    fn smaller(&self, params: &Params, e: &[Tensor<2>], choices: &[Tensor<2>]) -> Vec<f32> {
        let [a, b] = [0, 1].map(|which| values(self.worth(which, params, e, choices)));
        a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect()
    }
}

/// Where no memory begins an episode, 0 where one does.
pub(crate) fn keep(starts: &[bool]) -> Vec<f32> {
    starts.iter().map(|&s| f32::from(u8::from(!s))).collect()
}

/// A run of TD3.
pub struct Td3 {
    plan: Plan,
    seed: Seed,
    policy: Policy,
    judges: Judges,
    actor: Params,
    critic: Params,
    target_actor: Params,
    target_critic: Params,
    adam: [Adam; 2],
    collector: Collector,
    /// Of each copy the memories of the actor and of the critics, one after the other.
    memory: Vec<f32>,
    ring: Ring,
    updates: u64,
    turns: u64,
}

/// What is kept of a run beside weights, environments and what was played.
#[derive(Serialize, Deserialize)]
struct Kept {
    updates: u64,
    turns: u64,
    steps_of_adam: [u64; 2],
}

/// What was drawn to learn from.
struct Batch {
    unroll: Unroll,
    states: Vec<f32>,
    /// What each step that is learnt from counts; they sum up to 1.
    counts: Vec<f32>,
    /// Rows of these steps, without those at the beginning of a stretch.
    learnt: std::ops::Range<usize>,
}

impl Td3 {
    /// Begins a run.
    ///
    /// # Errors
    ///
    /// If the environment is none that TD3 can learn, or a number of the config is out of range.
    pub fn new(
        config: &Config,
        env: Box<dyn VecEnv>,
        problems: Problems,
        seed: Seed,
        device: &Device,
    ) -> Result<Self, TrainError> {
        config.check().map_err(TrainError::Config)?;
        let plan = Plan::new(config, env.spec()).map_err(TrainError::Unfit)?;
        let mut actor = Params::new(seed, device);
        let policy = plan.policy(&mut actor).map_err(TrainError::Unfit)?;
        // Critics begin as others than the actor.
        let mut critic = Params::new(seed.stream("critic"), device);
        let judges = plan.judges(&mut critic).map_err(TrainError::Unfit)?;
        let copies = env.len();
        let playing = Playing { inputs: plan.inputs.clone(), words: None, bootstrap_truncated: true, problems, seed };
        // HALMA's paper has moving means over as many episodes as there are mazes.
        let collector = Collector::new(env, playing)?.by_problems();
        let state = policy.encoder.state() + judges.encoders.iter().map(Encoder::state).sum::<usize>();
        let ring = Ring::new(RingSizes {
            copies,
            rows: config.replay / copies,
            width: plan.inputs.width,
            pictures: plan.inputs.pictures.iter().map(crate::parts::inputs::Picture::bytes).collect(),
            action: plan.spec.action_width(),
            state,
            stride: if config.network.remembers() { STATES_EVERY } else { 1 },
        });
        Ok(Self {
            seed,
            target_actor: actor.frozen(),
            target_critic: critic.frozen(),
            adam: [&actor, &critic].map(|params| Adam::new(params, config.epsilon)),
            memory: vec![0.0; copies * state],
            plan,
            policy,
            judges,
            actor,
            critic,
            collector,
            ring,
            updates: 0,
            turns: 0,
        })
    }

    /// The weights of now: the actor's, the critics', and those of their targets.
    #[cfg(test)]
    pub(crate) fn lists(&self) -> [&Params; 4] {
        [&self.actor, &self.critic, &self.target_actor, &self.target_critic]
    }

    /// The same in the same order, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn lists_mut(&mut self) -> [&mut Params; 4] {
        [&mut self.actor, &mut self.critic, &mut self.target_actor, &mut self.target_critic]
    }

    /// What critics would learn towards in the next update, and of the same steps what they paid and whether what follows counts.
    #[cfg(test)]
    pub(crate) fn taught(&self) -> [Vec<f32>; 3] {
        let batch = self.draw();
        [self.targets(&batch), batch.unroll.reward, batch.unroll.cont]
    }

    /// The options that the policy finds best at rows of now, without a memory.
    #[cfg(test)]
    pub(crate) fn greedy(&self, rows: &Rows) -> Vec<i32> {
        let e = self.policy.encoder.forward(&self.actor.frozen(), rows, &[], &[]).e;
        let said = self.policy.decoder.forward(&self.actor.frozen(), e, Choose::Greedy);
        let wide = self.plan.grammar.length + 1;
        let mut actions = vec![0; rows.count * wide];
        for (row, action) in actions.chunks_exact_mut(wide).enumerate() {
            Grammar::write(&said.symbols, row, action);
        }
        actions
    }

    /// The actor's memories of now, and what they come to be from the oldest state that is kept of each copy's last rows.
    #[cfg(test)]
    pub(crate) fn memories(&self) -> (Vec<f32>, Vec<f32>) {
        let (unroll, states) = self.ring.latest(STATES_EVERY);
        let state = self.part(&states, 0);
        let all = self.policy.encoder.forward(&self.actor.frozen(), &unroll.rows, &state, &keep(&unroll.start));
        let after = values(all.states.expect("it remembers"));
        let size = self.policy.encoder.state() * unroll.copies;
        (self.part(&self.memory, 0), after[after.len() - size..].to_vec())
    }

    /// The part of each copy's states that belongs to the actor (0) or to an encoder of the critics.
    fn part(&self, states: &[f32], whose: usize) -> Vec<f32> {
        let size = self.policy.encoder.state();
        let all = size * (1 + self.judges.encoders.len());
        states.chunks_exact(all.max(1)).flat_map(|own| own[whose * size..][..size].iter().copied()).collect()
    }

    fn greedy_share(&self) -> f64 {
        self.plan.config.greedy_share(self.collector.played().env_steps)
    }

    /// Every copy plays one step.
    pub(crate) fn play(&mut self) -> Result<Unroll, TrainError> {
        let share = self.greedy_share();
        let mut rng = self.seed.stream("act").derive(self.turns).rng();
        let copies = self.collector.copies();
        let own: Vec<bool> = (0..copies).map(|_| rng.chance(share)).collect();
        let remembers = self.plan.config.network.remembers();
        let before = self.memory.clone();
        let states: Vec<Vec<f32>> = (0..=self.judges.encoders.len()).map(|whose| self.part(&before, whose)).collect();
        let (policy, judges, grammar) = (&self.policy, &self.judges, self.plan.grammar);
        let (actor, critic) = (self.actor.frozen(), self.critic.frozen());
        let mut after = Vec::new();
        let wide = grammar.length + 1;
        let unroll = self.collector.collect(1, |rows, starts, actions| {
            // Without a memory nothing depends on what nobody asks for.
            let said = (remembers || own.contains(&true)).then(|| {
                let keep = keep(starts);
                let encoded = policy.encoder.forward(&actor, rows, &states[0], &keep);
                after.extend(encoded.states.map(values));
                if remembers {
                    let all = judges.encoders.iter().zip(&states[1..]);
                    after.extend(all.filter_map(|(e, s)| e.forward(&critic, rows, s, &keep).states.map(values)));
                }
                policy.decoder.forward(&actor, encoded.e, Choose::Greedy)
            });
            for (copy, action) in actions.chunks_exact_mut(wide).enumerate() {
                match &said {
                    Some(said) if own[copy] => Grammar::write(&said.symbols, copy, action),
                    _ => {
                        for (step, symbol) in action.iter_mut().enumerate() {
                            *symbol = rng.below(grammar.choices(step) as u32) as i32;
                        }
                    }
                }
                Grammar::canonical(action);
            }
        })?;
        let size = self.policy.encoder.state();
        if remembers {
            let of = |copy: usize| after.iter().flat_map(move |all| all[copy * size..][..size].iter().copied());
            self.memory = (0..copies).flat_map(of).collect();
        }
        self.ring.add(&unroll, &before);
        self.turns += 1;
        Ok(unroll)
    }

    fn draw(&self) -> Batch {
        let config = &self.plan.config;
        let (n, length, skip) = (config.batch, config.stretch(), config.skip());
        let mut rng = self.seed.stream("replay").derive(self.updates).rng();
        let (unroll, states) = self.ring.draw(n, length, &mut rng);
        let learnt = skip * n..length * n;
        let valid = unroll.valid[learnt.clone()].iter().filter(|v| **v).count().max(1) as f32;
        let counts = unroll.valid[learnt.clone()].iter().map(|&v| if v { 1.0 / valid } else { 0.0 }).collect();
        Batch { unroll, states, counts, learnt }
    }

    /// What an encoder makes of the rows that are learnt from, or of the rows after them.
    fn encode(&self, whose: usize, params: &Params, batch: &Batch, after: bool) -> Tensor<2> {
        let encoder = if whose == 0 { &self.policy.encoder } else { &self.judges.encoders[whose - 1] };
        let (unroll, n) = (&batch.unroll, batch.unroll.copies);
        let ahead = if after { n } else { 0 };
        let wanted = batch.learnt.start + ahead..batch.learnt.end + ahead;
        // A memory is followed from the beginning of the stretch.
        let first = if self.plan.config.network.remembers() { 0 } else { wanted.start };
        let rows = unroll.rows.gather(&(first..wanted.end).collect::<Vec<_>>());
        let state = self.part(&batch.states, whose);
        let e = encoder.forward(params, &rows, &state, &keep(&unroll.start[first..wanted.end])).e;
        let [_, width] = e.dims();
        e.slice([wanted.start - first..wanted.end - first, 0..width])
    }

    /// Numbers that critics learn towards.
    fn targets(&self, batch: &Batch) -> Vec<f32> {
        let config = &self.plan.config;
        let mut noise = self.noise("target", batch.learnt.len());
        let e = self.encode(0, &self.target_actor, batch, true);
        let said = self.policy.decoder.forward(&self.target_actor, e, Choose::Sample(&mut noise));
        let seen: Vec<_> =
            (0..self.judges.encoders.len()).map(|i| self.encode(1 + i, &self.target_critic, batch, true)).collect();
        let worth = self.judges.smaller(&self.target_critic, &seen, &said.choices);
        let (scale, gamma) = (config.reward_scale as f32, config.gamma as f32);
        let at = |(i, worth): (usize, f32)| {
            let at = batch.learnt.start + i;
            scale * batch.unroll.reward[at] + gamma * batch.unroll.cont[at] * worth
        };
        worth.into_iter().enumerate().map(at).collect()
    }

    /// Gumbel's noise for `rows` rows of this update.
    fn noise(&self, purpose: &str, rows: usize) -> impl FnMut(usize) -> Vec<f32> + use<> {
        let mut rng: Rng = self.seed.stream("gumbel").stream(purpose).derive(self.updates).rng();
        move |choices| gumbel::noise(rows * choices, &mut rng)
    }

    /// Learns from one draw: the losses and what else is told.
    pub(crate) fn update(&mut self) -> Vec<(&'static str, f64)> {
        let config = self.plan.config.clone();
        let device = self.actor.device().clone();
        let batch = self.draw();
        let rows = batch.learnt.len();
        let wide = self.plan.grammar.length + 1;
        let target = tensor(self.targets(&batch), [rows], &device);
        let counts = tensor(batch.counts.clone(), [rows], &device);
        let done = &batch.unroll.action[batch.learnt.start * wide..batch.learnt.end * wide];
        let choices = self.plan.grammar.one_hots(&self.plan.grammar.read(done), &device);
        let seen: Vec<_> =
            (0..self.judges.encoders.len()).map(|i| self.encode(1 + i, &self.critic, &batch, false)).collect();
        let worths = [0, 1].map(|which| self.judges.worth(which, &self.critic, &seen, &choices));
        let worth = values(worths[0].clone()).iter().map(|q| f64::from(*q)).sum::<f64>() / rows as f64;
        let errors = worths.map(|q| (q - target.clone()).powi_scalar(2));
        let [one, other] = errors;
        let loss = ((one + other) * counts.clone()).sum();
        let mut gradients = self.critic.gradients(&loss);
        let norm = clip(&mut gradients, config.norm);
        self.adam[1].step(&mut self.critic, &gradients, config.lr_critic);
        self.updates += 1;
        let mut told = vec![("train/critic_loss", number(&loss)), ("train/critic_grad_norm", norm), ("train/q", worth)];
        if self.updates.is_multiple_of(config.delay) {
            let (loss, entropy) = self.actor_loss(&batch, &counts);
            told.extend([("train/actor_loss", number(&loss)), ("train/entropy", number(&entropy))]);
            let mut gradients = self.actor.gradients(&(loss - entropy * config.entropy));
            told.push(("train/actor_grad_norm", clip(&mut gradients, config.norm)));
            self.adam[0].step(&mut self.actor, &gradients, config.lr_actor);
            self.target_actor.approach(&self.actor, config.tau);
            self.target_critic.approach(&self.critic, config.tau);
        }
        told
    }

    /// What the actor loses, and the entropy of what it says.
    fn actor_loss(&self, batch: &Batch, counts: &Tensor<1>) -> (Tensor<1>, Tensor<1>) {
        let config = &self.plan.config;
        let device = self.actor.device();
        let e = self.encode(0, &self.actor, batch, false);
        let frozen = self.critic.frozen();
        match config.actor {
            Actor::Gumbel => {
                let mut noise = self.noise("actor", batch.learnt.len());
                let said = self.policy.decoder.forward(&self.actor, e, Choose::Through(&mut noise));
                // Only the first critic is asked.
                let seen = [self.encode(1, &frozen, batch, false)];
                let worth = self.judges.values[0].forward(&self.critic.fixed(), seen[0].clone(), &said.choices);
                ((worth * counts.clone()).sum() * -1.0, (said.entropy(device) * counts.clone()).sum())
            }
            Actor::Score => {
                let samples = config.samples;
                let mut noise = self.noise("actor", batch.learnt.len() * samples);
                let many = |x: Tensor<2>| Tensor::cat(vec![x; samples], 0);
                let said = self.policy.decoder.forward(&self.actor, many(e), Choose::Sample(&mut noise));
                let seen: Vec<_> =
                    (0..self.judges.encoders.len()).map(|i| many(self.encode(1 + i, &frozen, batch, false))).collect();
                let better = better_than_the_others(&self.judges.smaller(&frozen, &seen, &said.choices), samples);
                let all = better.len();
                let counts = Tensor::cat(vec![counts.clone() / samples as f32; samples], 0);
                let gain = said.log_prob(device) * tensor(better, [all], device);
                ((gain * counts.clone()).sum() * -1.0, (said.entropy(device) * counts).sum())
            }
        }
    }
}

/// By how much each of `samples` options of a row is worth more than the mean of the others; sample after sample, row after row.
pub(crate) fn better_than_the_others(worth: &[f32], samples: usize) -> Vec<f32> {
    let rows = worth.len() / samples;
    let of = |i: usize| {
        let sum: f32 = (0..samples).map(|s| worth[s * rows + i % rows]).sum();
        worth[i] - (sum - worth[i]) / (samples - 1) as f32
    };
    (0..worth.len()).map(of).collect()
}

fn number(x: &Tensor<1>) -> f64 {
    f64::from(values(x.clone())[0])
}

/// Means of what updates told, in the order in which it was told first.
#[derive(Default)]
pub(crate) struct Means(Vec<(&'static str, f64, u32)>);

impl Means {
    pub(crate) fn add(&mut self, told: Vec<(&'static str, f64)>) {
        for (name, x) in told {
            match self.0.iter_mut().find(|(own, _, _)| *own == name) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + x, *count + 1),
                None => self.0.push((name, x, 1)),
            }
        }
    }

    pub(crate) fn tell(&self, step: &mut Step) {
        self.0.iter().for_each(|(name, sum, count)| step.scalar(name, sum / f64::from(*count)));
    }
}

/// Tells of the episodes that ended, and of the last of them, as many as moving means are over.
pub(crate) fn tell_episodes(collector: &mut Collector, step: &mut Step) {
    for (name, mean) in collector.stats.take() {
        step.scalar(&format!("episode/{name}"), mean);
    }
    for name in collector.stats.names() {
        if let Some(mean) = collector.stats.moving(name) {
            step.scalar(&format!("recent/{name}"), mean);
        }
    }
}

impl Learner for Td3 {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let mut means = Means::default();
        for _ in 0..BLOCK {
            self.play()?;
            let config = &self.plan.config;
            let due = due(self.collector.played().env_steps, config.warm_up, config.updates_per_step);
            while self.updates < due && self.ring.ready(self.plan.config.stretch()) {
                means.add(self.update());
            }
        }
        let mut step = Step::default();
        tell_episodes(&mut self.collector, &mut step);
        means.tell(&mut step);
        step.scalar("train/greedy_share", self.greedy_share());
        Ok(step)
    }

    fn counters(&self) -> Counters {
        let played = self.collector.played();
        Counters { env_steps: played.env_steps, episodes: played.episodes, updates: self.updates }
    }

    fn moving(&self, metric: &str) -> Option<f64> {
        self.collector.stats.moving(metric)
    }

    fn player(&self) -> Box<dyn Player> {
        let mut scratch = Params::blank(self.actor.device());
        let policy = self.plan.policy(&mut scratch).expect("it was built before");
        Box::new(Acting::new(self.plan.clone(), policy, self.actor.frozen()))
    }

    fn weights(&self) -> &Params {
        &self.actor
    }

    fn experience(&mut self) -> Result<Option<Vec<u8>>, TrainError> {
        Ok(self.collector.experience()?)
    }

    fn save(&self) -> Result<Saved, TrainError> {
        let mut saved = Saved::default();
        let targets = [&self.target_actor, &self.target_critic];
        for ((params, target), adam) in [&self.actor, &self.critic].into_iter().zip(targets).zip(&self.adam) {
            saved.add_params("", params);
            saved.add_params("target.", target);
            saved.add_like("adam.first.", params, &adam.moments().first);
            saved.add_like("adam.second.", params, &adam.moments().second);
        }
        let steps_of_adam = [0, 1].map(|i: usize| self.adam[i].moments().steps);
        saved.set_json(&Kept { updates: self.updates, turns: self.turns, steps_of_adam });
        saved.set_play(&self.collector.save()?, &(&self.memory, &self.ring));
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let (place, (memory, ring)): (Place, (Vec<f32>, Ring)) = saved.play()?;
        if memory.len() != self.memory.len() || !ring.fits(&self.ring) {
            return Err(TrainError::Damaged("what was kept is of another run".to_owned()));
        }
        let mut found = Vec::new();
        for params in [&self.actor, &self.critic] {
            let [own, target, first, second] =
                ["", "target.", "adam.first.", "adam.second."].map(|prefix| saved.like(prefix, params));
            found.push((own?, target?, first?, second?));
        }
        self.collector.load(place)?;
        let lists = [(&mut self.actor, &mut self.target_actor), (&mut self.critic, &mut self.target_critic)];
        let all = lists.into_iter().zip(&mut self.adam).zip(kept.steps_of_adam);
        for ((((params, targets), adam), steps), (own, target, first, second)) in all.zip(found) {
            own.into_iter().enumerate().for_each(|(i, numbers)| params.set(i, numbers));
            target.into_iter().enumerate().for_each(|(i, numbers)| targets.set(i, numbers));
            adam.set_moments(Moments { first, second, steps });
        }
        (self.memory, self.ring) = (memory, ring);
        (self.updates, self.turns) = (kept.updates, kept.turns);
        Ok(())
    }
}

/// A policy of TD3 with frozen weights.
pub struct Acting {
    plan: Plan,
    policy: Policy,
    params: Params,
    memory: Vec<f32>,
    last: Last,
    steps: Vec<u64>,
}

impl Acting {
    fn new(plan: Plan, policy: Policy, params: Params) -> Self {
        Self { plan, policy, params, memory: Vec::new(), last: Last::default(), steps: Vec::new() }
    }

    /// The policy of a config with these weights.
    ///
    /// # Errors
    ///
    /// If they are not of a network that this environment asks for.
    pub fn open(config: &Config, spec: &Spec, weights: &[u8], device: &Device) -> Result<Self, TrainError> {
        let plan = Plan::new(config, spec).map_err(TrainError::Unfit)?;
        let mut params = Params::blank(device);
        let policy = plan.policy(&mut params).map_err(TrainError::Unfit)?;
        for (i, numbers) in unpack(weights, &params)?.into_iter().enumerate() {
            params.set(i, numbers);
        }
        Ok(Self::new(plan, policy, params.frozen()))
    }

    fn say(&self, rows: &Rows, moment: &Moment<'_>) -> (Said, Option<Vec<f32>>) {
        let encoded = self.policy.encoder.forward(&self.params, rows, &self.memory, &keep(moment.starts));
        let mut chance: Vec<Rng> = moment
            .seeds
            .iter()
            .zip(&self.steps)
            .map(|(seed, &step)| seed.stream("player").derive(step).rng())
            .collect();
        let mut noise =
            |choices: usize| chance.iter_mut().flat_map(|rng| gumbel::noise(choices, rng)).collect::<Vec<_>>();
        let choose = match self.plan.config.play {
            PlayMode::Greedy => Choose::Greedy,
            PlayMode::Sample => Choose::Sample(&mut noise),
        };
        (self.policy.decoder.forward(&self.params, encoded.e, choose), encoded.states.map(values))
    }
}

impl Player for Acting {
    fn seats(&self) -> &[bool] {
        &[true]
    }

    fn told(&self) -> Vec<String> {
        self.plan.inputs.told(&self.plan.spec)
    }

    fn act(&mut self, moment: &Moment<'_>, actions: &mut [i32]) -> Result<(), PlayerError> {
        let copies = moment.starts.len();
        if self.steps.len() != copies {
            self.memory = vec![0.0; copies * self.policy.encoder.state()];
            self.last.actions = vec![0; actions.len()];
            self.steps = vec![0; copies];
        }
        for (step, &starts) in self.steps.iter_mut().zip(moment.starts) {
            *step = if starts { 0 } else { *step + 1 };
        }
        self.last.rewards = moment.rewards.to_vec();
        self.last.metrics = moment.metrics.to_vec();
        self.last.starts = moment.starts.to_vec();
        let rows = self.plan.inputs.read(moment.observation, copies, &self.last, None);
        let (said, memory) = self.say(&rows, moment);
        if let Some(memory) = memory {
            self.memory = memory;
        }
        for (copy, action) in actions.chunks_exact_mut(self.plan.grammar.length + 1).enumerate() {
            Grammar::write(&said.symbols, copy, action);
        }
        self.last.actions.copy_from_slice(actions);
        Ok(())
    }
}
