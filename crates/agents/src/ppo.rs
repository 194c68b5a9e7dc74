//! Proximal policy optimisation (Schulman et al. 2017), for every environment with one agent; with lilGym's factored
//! actions and stop forcing (Wu et al. 2023).
//!
//! One block: every copy plays `rows` steps by the weights of now; then the rows are gone through `epochs` times in
//! minibatches, each a step of Adam. With a memory, a minibatch is whole copies, and the memory is computed again from
//! where the block began.

mod network;

use std::sync::Arc;

use heldout_core::{Rng, Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};

use self::network::{General, Lilgym, Memory, Network};
use crate::nn::{Adam, Device, Moments, Optimiser, Params, Tensor, clip, tensor, values};
use crate::parts::checkpoint::{Saved, unpack};
use crate::parts::collect::{Collector, Place, Playing, Problems, Unroll};
use crate::parts::heads::{Factored, Head};
use crate::parts::inputs::{Inputs, Last, Previous, Rows};
use crate::parts::schedule::linear;
use crate::parts::targets::{gae, standardise};
use crate::player::{Moment, Player, PlayerError};
use crate::text::{Bert, Text, Vocabulary, frozen};
use crate::train::{Counters, Learner, Step, TrainError};

/// Which network is learnt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whatever the environment shows, through layers of the kind of each field.
    #[default]
    General,
    /// The paper's for lilGym.
    Lilgym,
}

/// Where the value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Critic {
    /// From what the policy sees and reads.
    #[default]
    Shared,
    /// From eyes and a reader of its own.
    Separate,
}

/// How a trained policy plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayMode {
    /// The likeliest action.
    Greedy,
    /// At random, as likely as the policy has it.
    #[default]
    Sample,
}

/// All that a run of PPO is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Steps to train for.
    pub steps: u64,
    /// Episodes to train for, in place of steps; 0: steps.
    pub episodes: u64,
    /// Environments that are played at once.
    pub copies: usize,
    /// Steps of each in a block.
    pub rows: usize,
    /// How often a block is gone through.
    pub epochs: usize,
    /// In how many parts.
    pub minibatches: usize,
    /// The learning rate of the first block; it falls to zero over the budget.
    pub lr: f64,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// How far advantages look ahead.
    pub lambda: f64,
    /// How far the policy, and the value, may move in one block.
    pub clip: f64,
    /// Weight of the value's loss.
    pub value: f64,
    /// Weight of the entropy.
    pub entropy: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Adam's addition to the root.
    pub epsilon: f64,
    /// Which network.
    pub network: Kind,
    /// How it reads sentences.
    pub text: Text,
    /// The directory of the encoder that reads them; empty: where the user has it.
    pub text_path: String,
    /// What its value shares with its policy.
    pub critic: Critic,
    /// Whether it has a memory.
    pub lstm: bool,
    /// Whether the last action and reward are inputs.
    pub previous: bool,
    /// What the reward is multiplied by as an input.
    pub input_reward_scale: f64,
    /// What the reward is multiplied by in losses.
    pub reward_scale: f64,
    /// Whether an episode that was cut short is worth what its last row is worth.
    pub bootstrap_truncated: bool,
    /// How the trained policy plays.
    pub play: PlayMode,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            episodes: 0,
            copies: 16,
            rows: 128,
            epochs: 4,
            minibatches: 4,
            lr: 2.5e-4,
            gamma: 0.99,
            lambda: 0.95,
            clip: 0.2,
            value: 0.5,
            entropy: 0.01,
            norm: 0.5,
            epsilon: 1e-5,
            network: Kind::General,
            text: Text::Scratch,
            text_path: String::new(),
            critic: Critic::Shared,
            lstm: false,
            previous: false,
            input_reward_scale: 1.0,
            reward_scale: 1.0,
            bootstrap_truncated: true,
            play: PlayMode::Sample,
        }
    }
}

/// What does not change while a policy is learnt, and all that acting by it needs.
struct Plan {
    config: Config,
    spec: Spec,
    inputs: Inputs,
    words: Option<Vocabulary>,
    head: Head,
}

impl Plan {
    fn new(config: &Config, spec: &Spec, words: Option<Vocabulary>) -> Result<Self, TrainError> {
        let encoder = frozen(config.text, &config.text_path)?;
        Self::with(config, spec, words, encoder).map_err(TrainError::Unfit)
    }

    fn with(
        config: &Config,
        spec: &Spec,
        words: Option<Vocabulary>,
        encoder: Option<Arc<Bert>>,
    ) -> Result<Self, String> {
        let [agent] = spec.agents.as_slice() else {
            return Err(format!("ppo plays environments with one agent, this one has {}", spec.agents.len()));
        };
        let previous = Previous {
            action_and_reward: config.previous,
            reward_scale: config.input_reward_scale as f32,
            metrics: Vec::new(),
        };
        let (head, without): (Head, &[&str]) = match config.network {
            Kind::General => (Head::Components(agent.action.sizes().iter().map(|&n| n as usize).collect()), &[]),
            Kind::Lilgym if config.lstm || config.previous => {
                return Err("the network `lilgym` has no memory: `lstm` and `previous` must be false".to_owned());
            }
            Kind::Lilgym => {
                let sizes = agent.action.sizes();
                let factored = (sizes.len() == 1).then(|| Factored::of(sizes[0] as usize)).flatten();
                let factored = factored.ok_or_else(|| {
                    format!(
                        "{} is neither TOWER's 13 actions nor SCATTER's 2661 on the grid of 19 x 5: `ppo` learns other spaces",
                        agent.action
                    )
                })?;
                (Head::Factored(factored), &["action_mask", "legal_actions"])
            }
        };
        let mut inputs = Inputs::new(spec, 0, &previous, without)?;
        if config.network == Kind::Lilgym {
            inputs = inputs.with_objects(spec).with_encoder(encoder);
        }
        let words = (inputs.has_text() && inputs.encoder().is_none()).then(|| words.unwrap_or_default());
        Ok(Self { config: config.clone(), spec: spec.clone(), inputs, words, head })
    }

    fn network(&self, params: &mut Params) -> Result<Network, String> {
        let words = self.words.as_ref().map_or(0, Vocabulary::len);
        Ok(match self.config.network {
            Kind::General => {
                Network::General(Box::new(General::new(params, &self.inputs, &self.head, words, self.config.lstm)?))
            }
            Kind::Lilgym => {
                let separate = self.config.critic == Critic::Separate;
                Network::Lilgym(Box::new(Lilgym::new(params, &self.inputs, &self.head, words, separate)?))
            }
        })
    }
}

/// What the policy makes of the rows of one step.
struct Thought {
    logits: Vec<f32>,
    values: Vec<f32>,
}

fn think(network: &Network, params: &Params, rows: &Rows, starts: &[bool], memory: &mut Vec<f32>) -> Thought {
    let size = network.memory();
    let copies = rows.count;
    let keep: Vec<f32> = starts.iter().map(|&s| f32::from(u8::from(!s))).collect();
    let before = (size > 0)
        .then(|| Memory { state: tensor(std::mem::take(memory), [copies, size], params.device()), keep: &keep });
    let out = network.forward(params, rows, before);
    if let Some(after) = out.memory {
        *memory = values(after);
    }
    Thought { logits: values(out.logits), values: values(out.value) }
}

/// A run of PPO.
pub struct Ppo {
    plan: Plan,
    seed: Seed,
    params: Params,
    network: Network,
    adam: Adam,
    collector: Collector,
    memory: Vec<f32>,
    updates: u64,
    blocks: u64,
}

/// What is kept of a run beside weights and environments.
#[derive(Serialize, Deserialize)]
struct Kept {
    updates: u64,
    blocks: u64,
    steps_of_adam: u64,
}

/// A block that was played, and what the policy made of it at the time.
pub(crate) struct Block {
    pub(crate) unroll: Unroll,
    /// Memory before the first row.
    memory: Vec<f32>,
    pub(crate) log_prob: Vec<f32>,
    values: Vec<f32>,
}

impl Ppo {
    /// Begins a run; `words` are those of the training problems, where they are told in sentences.
    ///
    /// # Errors
    ///
    /// If the environment is none that PPO can learn, or a number of the config is out of range.
    pub fn new(
        config: &Config,
        env: Box<dyn VecEnv>,
        problems: Problems,
        words: Option<Vocabulary>,
        seed: Seed,
        device: &Device,
    ) -> Result<Self, TrainError> {
        config.check().map_err(TrainError::Config)?;
        let plan = Plan::new(config, env.spec(), words)?;
        let mut params = Params::new(seed, device);
        let network = plan.network(&mut params).map_err(TrainError::Unfit)?;
        let adam = Adam::new(&params, config.epsilon);
        let playing = Playing {
            inputs: plan.inputs.clone(),
            words: plan.words.clone(),
            bootstrap_truncated: config.bootstrap_truncated,
            problems,
            seed,
        };
        let copies = env.len();
        let collector = Collector::new(env, playing)?;
        let memory = vec![0.0; copies * network.memory()];
        Ok(Self { plan, seed, params, network, adam, collector, memory, updates: 0, blocks: 0 })
    }

    /// The weights of now, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn weights_mut(&mut self) -> &mut Params {
        &mut self.params
    }

    /// The logarithms of the probabilities that the weights of now give to what was done in a block.
    #[cfg(test)]
    pub(crate) fn log_probs(&self, block: &Block) -> Vec<f32> {
        let places: Vec<usize> = (0..block.log_prob.len()).collect();
        let rows = block.unroll.rows.gather(&places);
        let out = self.network.forward(&self.params, &rows, None);
        let device = self.params.device();
        let [log_prob, _] = self.plan.head.evaluate(&out.logits, &rows.legal, &block.unroll.action, device);
        values(log_prob)
    }

    /// How what the rows of a block are worth, in sum, changes with every weight.
    #[cfg(test)]
    pub(crate) fn value_gradients(&self, block: &Block) -> crate::nn::Gradients {
        let out = self.network.forward(&self.params, &block.unroll.rows, None);
        self.params.gradients(&out.value.sum())
    }

    /// Plays a block by the weights of now.
    pub(crate) fn play(&mut self) -> Result<Block, TrainError> {
        let frozen = self.params.frozen();
        let (memory, head, network) = (self.memory.clone(), &self.plan.head, &self.network);
        let (mut log_prob, mut log_stop, mut worth) = (Vec::new(), Vec::new(), Vec::new());
        let mut rng = self.seed.stream("act").derive(self.blocks).rng();
        let now = &mut self.memory;
        let width = self.plan.spec.action_width();
        let mut unroll = self.collector.collect(self.plan.config.rows, |rows, starts, actions| {
            let thought = think(network, &frozen, rows, starts, now);
            let logits = thought.logits.chunks_exact(head.logits());
            for (copy, (logits, action)) in logits.zip(actions.chunks_exact_mut(width)).enumerate() {
                let chosen = head.choose(logits, rows.legal_of(copy), Some(&mut rng), action);
                log_prob.push(chosen.log_prob);
                log_stop.push(chosen.log_first);
            }
            worth.extend(thought.values);
        })?;
        // What the row after the last is worth, without going on.
        let last = unroll.rows.last(unroll.copies);
        let starts = unroll.start[unroll.start.len() - unroll.copies..].to_vec();
        worth.extend(think(network, &frozen, &last, &starts, &mut self.memory.clone()).values);
        // Where the rules stopped in the policy's place, stopping is what it learns from.
        for at in (0..log_prob.len()).filter(|&at| unroll.forced[at]) {
            unroll.action[at * width..(at + 1) * width].fill(0);
            log_prob[at] = log_stop[at];
        }
        unroll.reward.iter_mut().for_each(|r| *r *= self.plan.config.reward_scale as f32);
        self.blocks += 1;
        Ok(Block { unroll, memory, log_prob, values: worth })
    }

    /// The rows of each minibatch of one epoch: any that are steps, or with a memory those of whole copies.
    fn minibatches(&self, unroll: &Unroll, rng: &mut Rng) -> Vec<Vec<usize>> {
        let parts = self.plan.config.minibatches;
        let (copies, steps) = (unroll.copies, unroll.steps());
        let mut all: Vec<usize> = match self.network.memory() {
            0 => (0..steps * copies).filter(|&at| unroll.valid[at]).collect(),
            _ => (0..copies).collect(),
        };
        rng.shuffle(&mut all);
        let size = (all.len() / parts).max(1);
        let chunks = all.chunks_exact(size).take(parts);
        match self.network.memory() {
            0 => chunks.map(<[usize]>::to_vec).collect(),
            _ => chunks.map(|own| (0..steps).flat_map(|t| own.iter().map(move |c| t * copies + c)).collect()).collect(),
        }
    }

    /// The learning rate of a block that begins now.
    fn rate(&self) -> f64 {
        let (config, played) = (&self.plan.config, self.collector.played());
        match config.episodes {
            0 => linear(config.lr, 0.0, played.env_steps, config.steps),
            episodes => linear(config.lr, 0.0, played.episodes, episodes),
        }
    }

    fn learn(&mut self, block: &Block, lr: f64, step: &mut Step) {
        let config = self.plan.config.clone();
        let unroll = &block.unroll;
        let discounts: Vec<f32> = unroll.cont.iter().map(|c| c * config.gamma as f32).collect();
        let mut advantages =
            gae(unroll.copies, &unroll.reward, &discounts, &unroll.valid, &block.values, config.lambda as f32);
        let targets: Vec<f32> = advantages.iter().zip(&block.values).map(|(a, v)| a + v).collect();
        standardise(&mut advantages, &unroll.valid);
        let mut sums = [0.0; 4];
        let mut count = 0;
        for epoch in 0..config.epochs {
            let number = self.blocks * config.epochs as u64 + epoch as u64;
            let mut rng = self.seed.stream("minibatch").derive(number).rng();
            for places in self.minibatches(unroll, &mut rng) {
                let losses = self.update(block, &places, &advantages, &targets, lr);
                sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
                count += 1;
            }
        }
        let names = ["train/policy_loss", "train/value_loss", "train/entropy", "train/grad_norm"];
        for (name, sum) in names.into_iter().zip(sums) {
            step.scalar(name, sum / f64::from(count.max(1)));
        }
        step.scalar("train/lr", lr);
    }

    fn update(&mut self, block: &Block, places: &[usize], advantages: &[f32], targets: &[f32], lr: f64) -> [f64; 4] {
        let config = &self.plan.config;
        let (unroll, device) = (&block.unroll, self.params.device());
        let n = places.len();
        let of = |numbers: &[f32]| tensor(places.iter().map(|&at| numbers[at]).collect(), [n], device);
        let keep: Vec<f32> = places.iter().map(|&at| f32::from(u8::from(!unroll.start[at]))).collect();
        let size = self.network.memory();
        let memory = (size > 0).then(|| {
            let own = &places[..n / unroll.steps()];
            let state = own.iter().flat_map(|&c| block.memory[c * size..][..size].iter().copied()).collect();
            Memory { state: tensor(state, [own.len(), size], device), keep: &keep }
        });
        let rows = unroll.rows.gather(places);
        let out = self.network.forward(&self.params, &rows, memory);
        let width = self.plan.spec.action_width();
        let actions: Vec<i32> =
            places.iter().flat_map(|&at| unroll.action[at * width..][..width].iter().copied()).collect();
        let [log_prob, entropy] = self.plan.head.evaluate(&out.logits, &rows.legal, &actions, device);
        // Rows that are no steps count nothing.
        let valid: Vec<f32> = places.iter().map(|&at| f32::from(u8::from(unroll.valid[at]))).collect();
        let total = valid.iter().sum::<f32>().max(1.0);
        let valid = tensor(valid, [n], device);
        let mean = |x: Tensor<1>| (x * valid.clone()).sum() / total;

        let policy_loss = mean(policy_loss(log_prob - of(&block.log_prob), of(advantages), config.clip as f32));
        let value_loss = mean(value_loss(out.value, of(&block.values), of(targets), config.clip as f32));

        let entropy = mean(entropy);
        let loss = policy_loss.clone() + value_loss.clone() * config.value - entropy.clone() * config.entropy;
        let mut gradients = self.params.gradients(&loss);
        let norm = clip(&mut gradients, config.norm);
        self.adam.step(&mut self.params, &gradients, lr);
        self.updates += 1;
        let number = |x: Tensor<1>| f64::from(values(x)[0]);
        [number(policy_loss), number(value_loss), number(entropy), norm]
    }
}

/// What the policy loses at each row; as [`clipped_loss`](crate::parts::targets::clipped_loss), for gradients to follow.
pub(crate) fn policy_loss(log_ratio: Tensor<1>, advantage: Tensor<1>, clip: f32) -> Tensor<1> {
    let ratio = log_ratio.clamp_max(50.0).exp();
    let near = ratio.clone().clamp(1.0 - clip, 1.0 + clip);
    (ratio * advantage.clone()).min_pair(near * advantage) * -1.0
}

/// What the value loses at each row; as [`clipped_value_loss`](crate::parts::targets::clipped_value_loss).
pub(crate) fn value_loss(value: Tensor<1>, old: Tensor<1>, target: Tensor<1>, clip: f32) -> Tensor<1> {
    let close = old.clone() + (value.clone() - old).clamp(-clip, clip);
    (value - target.clone()).powi_scalar(2).max_pair((close - target).powi_scalar(2)) * 0.5
}

impl Config {
    pub(crate) fn check(&self) -> Result<(), String> {
        let least = [
            ("steps", self.steps as usize),
            ("copies", self.copies),
            ("rows", self.rows),
            ("epochs", self.epochs),
            ("minibatches", self.minibatches),
        ];
        if let Some((name, _)) = least.iter().find(|(_, n)| *n == 0) {
            return Err(format!("`{name}` is 0, must be at least 1"));
        }
        let positive = [("lr", self.lr), ("norm", self.norm), ("epsilon", self.epsilon), ("clip", self.clip)];
        if let Some((name, x)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
            return Err(format!("`{name}` is {x}, must be greater than 0"));
        }
        let shares = [("gamma", self.gamma), ("lambda", self.lambda)];
        if let Some((name, x)) = shares.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
            return Err(format!("`{name}` is {x}, must be 0 to 1"));
        }
        let weights = [("value", self.value), ("entropy", self.entropy)];
        if let Some((name, x)) = weights.iter().find(|(_, x)| !(x.is_finite() && *x >= 0.0)) {
            return Err(format!("`{name}` is {x}, must be at least 0"));
        }
        let scales = [("reward_scale", self.reward_scale), ("input_reward_scale", self.input_reward_scale)];
        if let Some((name, x)) = scales.iter().find(|(_, x)| !x.is_finite()) {
            return Err(format!("`{name}` is {x}, must be a number"));
        }
        if self.network != Kind::Lilgym && (self.text, self.critic) != (Text::Scratch, Critic::Shared) {
            let reads = (self.text != Text::Scratch).then(|| format!("`text` is `{}`", self.text.name()));
            let told = reads.unwrap_or_else(|| "`critic` is `separate`".to_owned());
            return Err(format!("{told}: only agents with the network `lilgym` have that"));
        }
        if self.text == Text::Scratch && !self.text_path.is_empty() {
            return Err(format!("`text_path` is `{}`, but `text` is `scratch`: no encoder is read", self.text_path));
        }
        let (parts, name) =
            if self.lstm { (self.copies, "copies") } else { (self.copies * self.rows, "rows of a block") };
        if self.minibatches > parts {
            return Err(format!("`minibatches` is {}, must be at most the {parts} {name}", self.minibatches));
        }
        Ok(())
    }
}

impl Learner for Ppo {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let mut step = Step::default();
        let lr = self.rate();
        let block = self.play()?;
        for (name, mean) in self.collector.stats.take() {
            step.scalar(&format!("episode/{name}"), mean);
        }
        self.learn(&block, lr, &mut step);
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
        let plan = Plan {
            config: self.plan.config.clone(),
            spec: self.plan.spec.clone(),
            inputs: self.plan.inputs.clone(),
            words: self.plan.words.clone(),
            head: self.plan.head.clone(),
        };
        let mut scratch = Params::blank(self.params.device());
        let network = plan.network(&mut scratch).expect("it was built before");
        Box::new(Acting::new(plan, network, self.params.frozen()))
    }

    fn weights(&self) -> &Params {
        &self.params
    }

    fn experience(&mut self) -> Result<Option<Vec<u8>>, TrainError> {
        Ok(self.collector.experience()?)
    }

    fn save(&self) -> Result<Saved, TrainError> {
        let mut saved = Saved::default();
        saved.add_params("", &self.params);
        let moments = self.adam.moments();
        saved.add_like("adam.first.", &self.params, &moments.first);
        saved.add_like("adam.second.", &self.params, &moments.second);
        let kept = Kept { updates: self.updates, blocks: self.blocks, steps_of_adam: moments.steps };
        saved.set_json(&kept);
        saved.set_play(&self.collector.save()?, &self.memory);
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let numbers = saved.like("", &self.params)?;
        let first = saved.like("adam.first.", &self.params)?;
        let second = saved.like("adam.second.", &self.params)?;
        let (place, memory): (Place, Vec<f32>) = saved.play()?;
        if memory.len() != self.memory.len() {
            return Err(TrainError::Damaged(format!(
                "the memory has {} numbers, must have {}",
                memory.len(),
                self.memory.len()
            )));
        }
        self.collector.load(place)?;
        for (i, numbers) in numbers.into_iter().enumerate() {
            self.params.set(i, numbers);
        }
        self.adam.set_moments(Moments { first, second, steps: kept.steps_of_adam });
        (self.memory, self.updates, self.blocks) = (memory, kept.updates, kept.blocks);
        Ok(())
    }
}

/// A policy of PPO with frozen weights.
pub struct Acting {
    plan: Plan,
    network: Network,
    params: Params,
    memory: Vec<f32>,
    last: Last,
    steps: Vec<u64>,
}

impl Acting {
    fn new(plan: Plan, network: Network, params: Params) -> Self {
        Self { plan, network, params, memory: Vec::new(), last: Last::default(), steps: Vec::new() }
    }

    /// The policy of a config with these weights, in the order of the network's list.
    ///
    /// # Errors
    ///
    /// If they are not of a network that this environment asks for.
    pub fn open(
        config: &Config,
        spec: &Spec,
        words: Option<Vocabulary>,
        weights: &[u8],
        device: &Device,
    ) -> Result<Self, TrainError> {
        let plan = Plan::new(config, spec, words)?;
        let mut params = Params::blank(device);
        let network = plan.network(&mut params).map_err(TrainError::Unfit)?;
        for (i, numbers) in unpack(weights, &params)?.into_iter().enumerate() {
            params.set(i, numbers);
        }
        Ok(Self::new(plan, network, params.frozen()))
    }
}

impl Player for Acting {
    fn seats(&self) -> &[bool] {
        &[true]
    }

    fn act(&mut self, moment: &Moment<'_>, actions: &mut [i32]) -> Result<(), PlayerError> {
        let copies = moment.starts.len();
        if self.steps.len() != copies {
            self.memory = vec![0.0; copies * self.network.memory()];
            self.last.actions = vec![0; actions.len()];
            self.steps = vec![0; copies];
        }
        self.last.rewards = moment.rewards.to_vec();
        self.last.metrics = moment.metrics.to_vec();
        self.last.starts = moment.starts.to_vec();
        let rows = self.plan.inputs.read(moment.observation, copies, &self.last, self.plan.words.as_ref());
        let thought = think(&self.network, &self.params, &rows, moment.starts, &mut self.memory);
        let width = self.plan.spec.action_width();
        let logits = thought.logits.chunks_exact(self.plan.head.logits());
        for (copy, (logits, action)) in logits.zip(actions.chunks_exact_mut(width)).enumerate() {
            self.steps[copy] = if moment.starts[copy] { 0 } else { self.steps[copy] + 1 };
            let mut rng = moment.seeds[copy].stream("player").derive(self.steps[copy]).rng();
            let rng = (self.plan.config.play == PlayMode::Sample).then_some(&mut rng);
            self.plan.head.choose(logits, rows.legal_of(copy), rng, action);
        }
        self.last.actions.copy_from_slice(actions);
        Ok(())
    }
}
