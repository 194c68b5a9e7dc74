//! Recurrent replay distributed DQN (Kapturowski et al. 2019), for games in which symbols are learnt within an episode.
//!
//! One block: every copy plays some steps, each with its own share of chance; what it played is kept as sequences, and after
//! every `train_every` steps some of them, the more surprising the more often, are learnt from by double Q-learning over `n`
//! steps. Where nothing that is done changes what follows, rewards of the step itself are all there is to learn (`gamma` 0).

use heldout_core::{Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};

use crate::nn::{
    Adam, Device, Linear, Lstm, Mlp, Moments, Optimiser, Params, Tensor, Then, clip, pick, softplus, tensor, values,
};
use crate::parts::checkpoint::{Saved, unpack};
use crate::parts::collect::{Collector, Place, Playing, Problems};
use crate::parts::inputs::{Inputs, Last, Previous, Rows};
use crate::parts::priority::{exploration, of_surprises};
use crate::parts::replay::{Cut, Replay, Sizes};
use crate::parts::targets::{Ahead, Rescale};
use crate::player::{Moment, Player, PlayerError};
use crate::train::{Counters, Learner, Step, TrainError};

/// How large the network is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// As the paper has it: what is seen through 512, 256 and 128, all through 512, 256 and 256, two memories.
    #[default]
    Paper,
    /// What is seen and what is heard through 64 and 32 each, one memory of 128.
    Small,
}

/// All that a run of R2D2 is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Steps to train for.
    pub steps: u64,
    /// Episodes to train for, in place of steps; 0: steps.
    pub episodes: u64,
    /// Environments that are played at once.
    pub copies: usize,
    /// Steps of all copies between two updates.
    pub train_every: usize,
    /// Rows at the beginning of a sequence that only bring the memory to where it was; 0 with whole episodes.
    pub burn_in: usize,
    /// Rows of a sequence that are learnt from; 0: whole episodes.
    pub trained: usize,
    /// Rows between the beginnings of two sequences.
    pub stride: usize,
    /// Steps that a target looks ahead.
    pub n: usize,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// How values are squeezed.
    pub rescale: Rescale,
    /// Sequences of an update.
    pub batch: usize,
    /// Rows that are kept.
    pub replay: usize,
    /// Steps before the first update.
    pub replay_min: u64,
    /// The power of priorities.
    pub priority: f64,
    /// The power of what rare sequences count.
    pub importance: f64,
    /// The learning rate.
    pub lr: f64,
    /// Adam's addition to the root.
    pub epsilon: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Updates between two copies of the weights that targets come from.
    pub target_every: u64,
    /// How large the network is.
    pub size: Size,
    /// Whether what was seen and heard is told again from the memory, and learnt so.
    pub reconstruct: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            episodes: 0,
            copies: 32,
            train_every: 64,
            burn_in: 10,
            trained: 20,
            stride: 10,
            n: 3,
            gamma: 0.997,
            rescale: Rescale::Identity,
            batch: 32,
            replay: 50_000,
            replay_min: 1_000,
            priority: 0.9,
            importance: 0.6,
            lr: 6.25e-5,
            epsilon: 1e-12,
            norm: 40.0,
            target_every: 2_500,
            size: Size::Paper,
            reconstruct: false,
        }
    }
}

impl Config {
    /// # Errors
    ///
    /// If a number is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        let least = [
            ("steps", self.steps as usize),
            ("copies", self.copies),
            ("train_every", self.train_every),
            ("stride", self.stride),
            ("n", self.n),
            ("batch", self.batch),
            ("target_every", self.target_every as usize),
        ];
        if let Some((name, _)) = least.iter().find(|(_, n)| *n == 0) {
            return Err(format!("`{name}` is 0, must be at least 1"));
        }
        let positive = [("lr", self.lr), ("norm", self.norm), ("epsilon", self.epsilon)];
        if let Some((name, x)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
            return Err(format!("`{name}` is {x}, must be greater than 0"));
        }
        let shares = [("gamma", self.gamma), ("priority", self.priority), ("importance", self.importance)];
        if let Some((name, x)) = shares.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
            return Err(format!("`{name}` is {x}, must be 0 to 1"));
        }
        if self.trained == 0 && self.burn_in > 0 {
            return Err(format!("`burn_in` is {}, must be 0 where sequences are whole episodes", self.burn_in));
        }
        if !(self.burn_in + self.trained).is_multiple_of(self.stride) {
            let rows = self.burn_in + self.trained;
            return Err(format!("`stride` is {}, must divide the {rows} rows of a sequence", self.stride));
        }
        let least = self.copies * (self.burn_in + self.trained + self.stride + 2);
        if self.replay < least {
            return Err(format!("`replay` is {}, must be at least {least} for {} copies", self.replay, self.copies));
        }
        Ok(())
    }

    fn cut(&self) -> Cut {
        match self.trained {
            0 => Cut::Episodes,
            _ => Cut::Every { length: self.burn_in + self.trained, stride: self.stride },
        }
    }
}

/// What the network tells of some rows.
struct Out {
    /// What each action is worth, `[rows, actions]`.
    q: Tensor<2>,
    /// What the last memory put out, `[rows, width]`.
    core: Tensor<2>,
    /// The memories after each step, `[steps, copies, numbers]`.
    states: Tensor<3>,
}

/// From rows to what actions are worth.
struct Network {
    stimulus: Option<(std::ops::Range<usize>, Mlp)>,
    message: Option<(std::ops::Range<usize>, Mlp)>,
    /// Parts of the vector that are neither.
    rest: Vec<std::ops::Range<usize>>,
    joint: Option<Mlp>,
    cores: Vec<Lstm>,
    value: Linear,
    advantage: Linear,
    again: Option<Again>,
    width: usize,
}

/// What was seen and heard, told again.
struct Again {
    inner: Linear,
    stimulus: Linear,
    message: Option<Linear>,
}

impl Network {
    fn new(params: &mut Params, inputs: &Inputs, spec: &Spec, config: &Config) -> Result<Self, String> {
        let [actions] = inputs.sizes[..] else {
            return Err(format!(
                "r2d2 learns one choice of some, not {} at once: choose a view such as `actions = \"sentences\"`",
                inputs.sizes.len()
            ));
        };
        let stimulus = inputs.span_of(spec, "stimulus");
        let message = inputs.span_of(spec, "message");
        let small = config.size == Size::Small;
        let own = |span: &std::ops::Range<usize>| {
            stimulus.as_ref() == Some(span) || (small && message.as_ref() == Some(span))
        };
        let rest: Vec<_> = inputs.spans().into_iter().filter(|span| !own(span)).collect();
        let rest_width = rest.iter().map(ExactSizeIterator::len).sum::<usize>()
            + if inputs.has_mask() { inputs.choices() } else { 0 };
        let sizes: &[usize] = if small { &[64, 32] } else { &[512, 256, 128] };
        let mut own = |name: &str, span: Option<std::ops::Range<usize>>| {
            span.map(|span| (span.clone(), Mlp::torch(params, name, span.len(), sizes)))
        };
        let seen = own("stimulus", stimulus.clone());
        let heard = own("message", message.clone().filter(|_| small));
        let parts = [&seen, &heard];
        let together =
            rest_width + parts.iter().filter_map(|p| p.as_ref()).map(|(_, mlp)| mlp.outputs()).sum::<usize>();
        if together == 0 {
            return Err("there is nothing to see".to_owned());
        }
        let joint = (!small).then(|| Mlp::torch(params, "joint", together, &[512, 256, 256]));
        let widths: &[usize] = if small { &[128] } else { &[256, 128] };
        let mut from = joint.as_ref().map_or(together, Mlp::outputs);
        let mut cores = Vec::new();
        for (i, &hidden) in widths.iter().enumerate() {
            cores.push(Lstm::new(params, &format!("core.{i}"), from, hidden, 0.0));
            from = hidden;
        }
        let value = Linear::torch(params, "value", from, 1);
        let advantage = Linear::torch(params, "advantage", from, actions);
        let again = config.reconstruct.then(|| Again {
            inner: Linear::torch(params, "again.inner", from, 512),
            stimulus: Linear::torch(params, "again.stimulus", 512, stimulus.as_ref().map_or(1, ExactSizeIterator::len)),
            message: message.as_ref().map(|span| Linear::torch(params, "again.message", 512, span.len())),
        });
        if again.is_some() && stimulus.is_none() {
            return Err("there is no `stimulus` to be told again".to_owned());
        }
        Ok(Self { stimulus: seen, message: heard, rest, joint, cores, value, advantage, again, width: inputs.width })
    }

    /// Numbers of the memories of one copy.
    fn state(&self) -> usize {
        self.cores.iter().map(|core| 2 * core.hidden).sum()
    }

    /// The columns of a span of each row.
    fn columns(&self, rows: &Rows, span: &std::ops::Range<usize>, device: &Device) -> Tensor<2> {
        let own = rows.vectors.chunks_exact(self.width).flat_map(|row| row[span.clone()].iter().copied()).collect();
        tensor(own, [rows.count, span.len()], device)
    }

    /// Of rows `[steps, copies]`, from the memories `state` `[copies, numbers]`; they are cleared where `keep` is 0.
    fn forward(&self, params: &Params, rows: &Rows, state: &[f32], keep: &[f32]) -> Out {
        let device = params.device();
        let mut parts = Vec::new();
        for (span, layers) in [&self.stimulus, &self.message].into_iter().flatten() {
            parts.push(layers.forward(params, self.columns(rows, span, device)));
        }
        let mut others: Vec<f32> = Vec::new();
        let choices = rows.legal.len() / rows.count.max(1);
        for (i, row) in rows.vectors.chunks_exact(self.width.max(1)).enumerate() {
            self.rest.iter().for_each(|span| others.extend_from_slice(&row[span.clone()]));
            others.extend(rows.legal[i * choices..][..choices].iter().map(|&b| f32::from(u8::from(b))));
        }
        let wide = others.len() / rows.count.max(1);
        if wide > 0 {
            parts.push(tensor(others, [rows.count, wide], device));
        }
        let mut x = if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 1) };
        if let Some(joint) = &self.joint {
            x = joint.forward(params, x);
        }
        let copies = state.len() / self.state();
        let steps = rows.count / copies;
        let (mut begin, mut states) = (0, Vec::new());
        for core in &self.cores {
            let own = 2 * core.hidden;
            let before: Vec<f32> =
                state.chunks_exact(self.state()).flat_map(|s| s[begin..begin + own].iter().copied()).collect();
            let after = core.forward(params, x, tensor(before, [copies, own], device), keep);
            x = after.clone().slice([0..steps, 0..copies, 0..core.hidden]).reshape([rows.count, core.hidden]);
            states.push(after);
            begin += own;
        }
        let advantage = self.advantage.forward(params, x.clone());
        let q = self.value.forward(params, x.clone()) + advantage.clone() - advantage.mean_dim(1);
        Out { q, core: x, states: Tensor::cat(states, 2) }
    }
}

/// The first of the actions that are worth most among those that are legal.
fn best(q: &[f32], legal: Option<&[bool]>) -> usize {
    let open = |a: usize| legal.is_none_or(|legal| legal[a]);
    let legal = (0..q.len()).filter(|&a| open(a));
    legal.reduce(|best, a| if q[a] > q[best] { a } else { best }).unwrap_or(0)
}

/// What does not change while a policy is learnt.
#[derive(Clone)]
struct Plan {
    config: Config,
    spec: Spec,
    inputs: Inputs,
}

impl Plan {
    fn new(config: &Config, spec: &Spec) -> Result<Self, String> {
        if spec.agents.len() != 1 {
            return Err(format!("r2d2 plays environments with one agent, this one has {}", spec.agents.len()));
        }
        // What was done and paid last is an input wherever the environment does not say it itself.
        let told = spec.field("previous_reward").is_some();
        let previous = Previous { action_and_reward: !told, reward_scale: 1.0, metrics: Vec::new() };
        let inputs = Inputs::new(spec, 0, &previous, &[])?;
        if inputs.has_text() || !inputs.pictures.is_empty() {
            return Err("r2d2 learns from vectors, not from pictures or text".to_owned());
        }
        Ok(Self { config: config.clone(), spec: spec.clone(), inputs })
    }

    fn network(&self, params: &mut Params) -> Result<Network, String> {
        Network::new(params, &self.inputs, &self.spec, &self.config)
    }
}

/// A run of R2D2.
pub struct R2d2 {
    plan: Plan,
    seed: Seed,
    params: Params,
    target: Params,
    network: Network,
    adam: Adam,
    collector: Collector,
    memory: Vec<f32>,
    replay: Replay,
    updates: u64,
    blocks: u64,
}

/// What is kept of a run beside weights, environments and what was played.
#[derive(Serialize, Deserialize)]
struct Kept {
    updates: u64,
    blocks: u64,
    steps_of_adam: u64,
}

/// Updates of one block, as far as there is something to learn from.
const UPDATES: usize = 16;

impl R2d2 {
    /// Begins a run.
    ///
    /// # Errors
    ///
    /// If the environment is none that R2D2 can learn, or a number of the config is out of range.
    pub fn new(config: &Config, env: Box<dyn VecEnv>, seed: Seed, device: &Device) -> Result<Self, TrainError> {
        config.check().map_err(TrainError::Config)?;
        let plan = Plan::new(config, env.spec()).map_err(TrainError::Unfit)?;
        let mut params = Params::new(seed, device);
        let network = plan.network(&mut params).map_err(TrainError::Unfit)?;
        let adam = Adam::new(&params, config.epsilon);
        let playing = Playing {
            inputs: plan.inputs.clone(),
            words: None,
            bootstrap_truncated: true,
            problems: Problems::All,
            seed,
        };
        let copies = env.len();
        let collector = Collector::new(env, playing)?;
        let sizes = Sizes {
            copies,
            rows: config.replay / copies,
            width: plan.inputs.width,
            choices: if plan.inputs.has_mask() { plan.inputs.choices() } else { 0 },
            action: plan.spec.action_width(),
            state: network.state(),
        };
        let replay = Replay::new(sizes, config.cut(), config.priority);
        let memory = vec![0.0; copies * network.state()];
        let target = params.frozen();
        Ok(Self { plan, seed, params, target, network, adam, collector, memory, replay, updates: 0, blocks: 0 })
    }

    /// The weights of now, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn weights_mut(&mut self) -> &mut Params {
        &mut self.params
    }

    /// What each action is worth at the rows of now.
    #[cfg(test)]
    pub(crate) fn worths(&mut self) -> Vec<f32> {
        let (params, network, memory) = (self.params.frozen(), &self.network, self.memory.clone());
        let mut found = Vec::new();
        let looked = self.collector.collect(1, |rows, starts, actions| {
            let keep: Vec<f32> = starts.iter().map(|&s| f32::from(u8::from(!s))).collect();
            found = values(network.forward(&params, rows, &memory, &keep).q);
            actions.fill(0);
        });
        looked.expect("0 is an action");
        found
    }

    /// What the actions at the rows of some sequences are worth from the memories that were kept with them: copy, number of the
    /// row, and the worths.
    #[cfg(test)]
    pub(crate) fn worths_again(&mut self, sequences: usize, seed: Seed) -> Vec<((usize, u64), Vec<f32>)> {
        let drawn = self.replay.draw(sequences, 0.6, &mut seed.rng());
        let keep: Vec<f32> = drawn.start.iter().map(|&s| f32::from(u8::from(!s))).collect();
        let q = values(self.network.forward(&self.params.frozen(), &drawn.rows, &drawn.state, &keep).q);
        let wide = q.len() / drawn.rows.count;
        let of = |(at, q): (usize, &[f32])| {
            let (copy, first) = drawn.from[at % drawn.count];
            ((copy, first + (at / drawn.count) as u64), q.to_vec())
        };
        q.chunks_exact(wide).enumerate().map(of).collect()
    }

    /// Every copy plays so many steps.
    pub(crate) fn play(&mut self, steps: usize) -> Result<(), TrainError> {
        let frozen = self.params.frozen();
        let (network, memory, size) = (&self.network, &mut self.memory, self.network.state());
        let copies = self.collector.copies();
        let mut rng = self.seed.stream("act").derive(self.blocks).rng();
        let mut states = Vec::new();
        let unroll = self.collector.collect(steps, |rows, starts, actions| {
            states.extend_from_slice(memory);
            let keep: Vec<f32> = starts.iter().map(|&s| f32::from(u8::from(!s))).collect();
            let out = network.forward(&frozen, rows, memory, &keep);
            *memory = values(out.states);
            let q = values(out.q);
            let wide = q.len() / copies;
            for (copy, action) in actions.iter_mut().enumerate() {
                let legal = rows.legal_of(copy);
                let chance = rng.chance(exploration(copy, copies));
                let open: Vec<usize> = (0..wide).filter(|&a| legal.is_none_or(|legal| legal[a])).collect();
                *action = if chance && !open.is_empty() {
                    open[rng.below(open.len() as u32) as usize] as i32
                } else {
                    best(&q[copy * wide..][..wide], legal) as i32
                };
            }
        })?;
        debug_assert_eq!(states.len(), steps * copies * size);
        self.replay.add(&unroll, &states);
        self.blocks += 1;
        Ok(())
    }

    /// Learns from one draw; the loss and what else is told.
    fn update(&mut self) -> [f64; 4] {
        let config = self.plan.config.clone();
        let mut rng = self.seed.stream("replay").derive(self.updates).rng();
        let drawn = self.replay.draw(config.batch, config.importance, &mut rng);
        let n = drawn.count;
        let keep: Vec<f32> = drawn.start.iter().map(|&s| f32::from(u8::from(!s))).collect();
        let burn = config.burn_in;
        let head = drawn.rows.gather(&(0..burn * n).collect::<Vec<_>>());
        let tail = drawn.rows.gather(&(burn * n..drawn.rows.count).collect::<Vec<_>>());
        // The memories of the first row that is learnt from, by the weights of now.
        let warmed = |params: &Params, network: &Network| {
            if burn == 0 {
                return drawn.state.clone();
            }
            let states = values(network.forward(params, &head, &drawn.state, &keep[..burn * n]).states);
            states[states.len() - n * network.state()..].to_vec()
        };
        let state = warmed(&self.params.frozen(), &self.network);
        let out = self.network.forward(&self.params, &tail, &state, &keep[burn * n..]);
        let online = values(out.q.clone());
        let wide = online.len() / tail.count;
        let next: Vec<f32> = if config.gamma > 0.0 {
            let state = warmed(&self.target, &self.network);
            let q = values(self.network.forward(&self.target, &tail, &state, &keep[burn * n..]).q);
            let of = |row: usize| q[row * wide + best(&online[row * wide..][..wide], tail.legal_of(row))];
            (0..tail.count).map(of).collect()
        } else {
            vec![0.0; tail.count]
        };
        let (from, steps) = (burn * n, (drawn.steps - burn) * n);
        let ahead = Ahead { n: config.n, gamma: config.gamma, rescale: config.rescale };
        let dead = &drawn.dead[from..];
        let targets = ahead.targets(n, &drawn.reward[from..], &drawn.cont[from..], dead, &next);
        let device = self.params.device().clone();
        let actions: Vec<i64> = drawn.action[from..].iter().map(|&a| i64::from(a)).collect();
        let chosen = pick(out.q.clone().slice([0..steps, 0..wide]), actions, &device);
        let valid: Vec<f32> = dead[..steps].iter().map(|&d| f32::from(u8::from(!d))).collect();
        let total = valid.iter().sum::<f32>().max(1.0);
        let counts: Vec<f32> = valid.iter().enumerate().map(|(at, v)| v * drawn.importance[at % n]).collect();
        let surprise = tensor(targets, [steps], &device) - chosen;
        let found = values(surprise.clone());
        let mut loss = (surprise.powi_scalar(2) * tensor(counts, [steps], &device)).sum() * (0.5 / total);
        let q_loss = f64::from(values(loss.clone())[0]);
        let mut again = 0.0;
        if let Some(more) = self.again(&out.core, &tail, &valid) {
            again = f64::from(values(more.clone())[0]);
            loss = loss + more;
        }
        let mut gradients = self.params.gradients(&loss);
        let norm = clip(&mut gradients, config.norm);
        self.adam.step(&mut self.params, &gradients, config.lr);
        self.updates += 1;
        if self.updates.is_multiple_of(config.target_every) {
            self.target = self.params.frozen();
        }
        let of = |copy: usize| {
            let own: Vec<f32> =
                (0..steps / n).map(|t| t * n + copy).filter(|&at| !dead[at]).map(|at| found[at]).collect();
            of_surprises(&own)
        };
        let priorities: Vec<f64> = (0..n).map(of).collect();
        self.replay.update(&drawn, &priorities);
        let mean = online.iter().map(|q| f64::from(*q)).sum::<f64>() / online.len().max(1) as f64;
        [q_loss, again, norm, mean]
    }

    /// What is lost where the memory cannot tell again what was seen and heard.
    fn again(&self, core: &Tensor<2>, rows: &Rows, valid: &[f32]) -> Option<Tensor<1>> {
        let again = self.network.again.as_ref()?;
        let device = self.params.device();
        let steps = valid.len();
        let [_, width] = core.dims();
        let inner = again.inner.then(&self.params, core.clone().slice([0..steps, 0..width]), Then::Relu);
        let rows = rows.gather(&(0..steps).collect::<Vec<_>>());
        let total = valid.iter().sum::<f32>().max(1.0);
        let weigh = |each: Tensor<2>, valid: Vec<f32>, total: f32| {
            let [_, wide] = each.dims();
            (each * tensor(valid, [steps, 1], device)).sum() / (total * wide as f32)
        };
        let (span, _) = self.network.stimulus.as_ref()?;
        let seen = again.stimulus.forward(&self.params, inner.clone()) - self.network.columns(&rows, span, device);
        let mut loss = weigh(seen.powi_scalar(2), valid.to_vec(), total);
        if let (Some(layer), Some(span)) = (&again.message, self.plan.inputs.span_of(&self.plan.spec, "message")) {
            let heard = self.network.columns(&rows, &span, device);
            let positions = self.plan.spec.field("message_tokens").map_or(1, |f| self.plan.spec.observation[f].len());
            let tokens = span.len() / positions.max(1);
            // A message of nothing but ends was not said.
            let said: Vec<f32> = rows
                .vectors
                .chunks_exact(self.plan.inputs.width)
                .zip(valid)
                .map(|(row, v)| {
                    let silent = row[span.clone()].chunks_exact(tokens.max(1)).all(|one| one[0] == 1.0);
                    if silent { 0.0 } else { *v }
                })
                .collect();
            let count = said.iter().sum::<f32>();
            if count > 0.0 {
                let logits = layer.forward(&self.params, inner);
                loss = loss + weigh(softplus(logits.clone()) - logits * heard, said, count);
            }
        }
        Some(loss)
    }
}

impl Learner for R2d2 {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let mut step = Step::default();
        let every = self.plan.config.train_every;
        let steps = every.div_ceil(self.collector.copies());
        let mut sums = [0.0; 4];
        let mut count = 0;
        for _ in 0..UPDATES {
            self.play(steps)?;
            let played = self.collector.played().env_steps;
            let due = played.saturating_sub(self.plan.config.replay_min) / every as u64;
            while self.updates < due && !self.replay.is_empty() {
                let told = self.update();
                sums.iter_mut().zip(told).for_each(|(sum, x)| *sum += x);
                count += 1;
            }
        }
        for (name, mean) in self.collector.stats.take() {
            step.scalar(&format!("episode/{name}"), mean);
        }
        let names = ["train/q_loss", "train/reconstruction_loss", "train/grad_norm", "train/q"];
        for (name, sum) in names.into_iter().zip(sums).filter(|_| count > 0) {
            step.scalar(name, sum / f64::from(count));
        }
        step.scalar("train/sequences", self.replay.len() as f64);
        step.scalar("train/lr", self.plan.config.lr);
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
        let mut scratch = Params::blank(self.params.device());
        let network = self.plan.network(&mut scratch).expect("it was built before");
        Box::new(Acting::new(self.plan.clone(), network, self.params.frozen()))
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
        saved.add_params("target.", &self.target);
        let moments = self.adam.moments();
        saved.add_like("adam.first.", &self.params, &moments.first);
        saved.add_like("adam.second.", &self.params, &moments.second);
        saved.set_json(&Kept { updates: self.updates, blocks: self.blocks, steps_of_adam: moments.steps });
        saved.set_play(&self.collector.save()?, &(&self.memory, &self.replay));
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let numbers = saved.like("", &self.params)?;
        let target = saved.like("target.", &self.params)?;
        let first = saved.like("adam.first.", &self.params)?;
        let second = saved.like("adam.second.", &self.params)?;
        let (place, (memory, replay)): (Place, (Vec<f32>, Replay)) = saved.play()?;
        if memory.len() != self.memory.len() || !replay.fits(&self.replay) {
            return Err(TrainError::Damaged("what was kept is of another run".to_owned()));
        }
        self.collector.load(place)?;
        let mut before = self.params.clone();
        for (i, (numbers, target)) in numbers.into_iter().zip(target).enumerate() {
            self.params.set(i, numbers);
            before.set(i, target);
        }
        self.target = before.frozen();
        self.adam.set_moments(Moments { first, second, steps: kept.steps_of_adam });
        (self.memory, self.replay) = (memory, replay);
        (self.updates, self.blocks) = (kept.updates, kept.blocks);
        Ok(())
    }
}

/// A policy of R2D2 with frozen weights: always what is worth most.
pub struct Acting {
    plan: Plan,
    network: Network,
    params: Params,
    memory: Vec<f32>,
    last: Last,
}

impl Acting {
    fn new(plan: Plan, network: Network, params: Params) -> Self {
        Self { plan, network, params, memory: Vec::new(), last: Last::default() }
    }

    /// The policy of a config with these weights.
    ///
    /// # Errors
    ///
    /// If they are not of a network that this environment asks for.
    pub fn open(config: &Config, spec: &Spec, weights: &[u8], device: &Device) -> Result<Self, TrainError> {
        let plan = Plan::new(config, spec).map_err(TrainError::Unfit)?;
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
        if self.memory.len() != copies * self.network.state() {
            self.memory = vec![0.0; copies * self.network.state()];
            self.last.actions = vec![0; actions.len()];
        }
        self.last.rewards = moment.rewards.to_vec();
        self.last.metrics = moment.metrics.to_vec();
        self.last.starts = moment.starts.to_vec();
        let rows = self.plan.inputs.read(moment.observation, copies, &self.last, None);
        let keep: Vec<f32> = moment.starts.iter().map(|&s| f32::from(u8::from(!s))).collect();
        let out = self.network.forward(&self.params, &rows, &self.memory, &keep);
        self.memory = values(out.states);
        let q = values(out.q);
        let wide = q.len() / copies;
        for (copy, action) in actions.iter_mut().enumerate() {
            *action = best(&q[copy * wide..][..wide], rows.legal_of(copy)) as i32;
        }
        self.last.actions.copy_from_slice(actions);
        Ok(())
    }
}
