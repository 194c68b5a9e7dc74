//! Q-learning on what options amount to, beside TD3: another algorithm for HALMA, not one of its paper.
//!
//! With the view `actions = "effect"` an action is a direction and a number of moves. There is nothing to say symbol by symbol
//! then, so one network tells what each of them is worth: double Q-learning (van Hasselt et al. 2016) with the encoders,
//! the replay and the exploration of TD3, and a target that follows at every update.

use heldout_core::{Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};

use crate::nn::gumbel::first_greatest;
use crate::nn::{Adam, Device, Linear, Moments, Optimiser, Params, Tensor, clip, pick, tensor, values};
use crate::parts::checkpoint::{Saved, unpack};
use crate::parts::collect::{Collector, Place, Playing, Problems, Unroll};
use crate::parts::inputs::{Inputs, Last, Picture, Rows};
use crate::parts::ring::{Ring, RingSizes};
use crate::parts::schedule::{due, linear};
use crate::player::{Moment, Player, PlayerError};
use crate::td3::network::Encoder;
use crate::td3::{Kind, Means, check, tell_episodes};
use crate::train::{Counters, Learner, Step, TrainError};

/// All that a run is told.
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
    /// The network; without a memory.
    pub network: Kind,
    /// Numbers of every layer.
    pub width: usize,
    /// The learning rate.
    pub lr: f64,
    /// Adam's addition to the root.
    pub epsilon: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Steps of an update.
    pub batch: usize,
    /// How far the target goes toward what it follows, at every update.
    pub tau: f64,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// What rewards are multiplied by in losses.
    pub reward_scale: f64,
    /// Steps that are kept.
    pub replay: usize,
    /// Share of actions that are the policy's own at first; the others are uniform.
    pub greedy_first: f64,
    /// The same in the end.
    pub greedy_last: f64,
    /// Steps over which it grows.
    pub greedy_steps: u64,
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
            lr: 1e-3,
            epsilon: 1e-8,
            norm: 10.0,
            batch: 128,
            tau: 0.005,
            gamma: 0.95,
            reward_scale: 0.1,
            replay: 100_000,
            greedy_first: 0.1,
            greedy_last: 0.95,
            greedy_steps: 100_000,
        }
    }
}

impl Config {
    /// # Errors
    ///
    /// If a number is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        check(
            &[("steps", self.steps as usize), ("copies", self.copies), ("batch", self.batch)],
            &[
                ("updates_per_step", self.updates_per_step),
                ("lr", self.lr),
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
        if !self.reward_scale.is_finite() {
            return Err(format!("`reward_scale` is {}, must be a number", self.reward_scale));
        }
        if self.width == 0 || !self.width.is_multiple_of(4) {
            return Err(format!("`width` is {}, must be a multiple of 4", self.width));
        }
        if self.network.remembers() {
            return Err("`network` has a memory, which this algorithm does not learn".to_owned());
        }
        let least = 4 * self.copies;
        if self.replay < least {
            return Err(format!("`replay` is {}, must be at least {least} for {} copies", self.replay, self.copies));
        }
        Ok(())
    }
}

/// Vector steps of a block.
const BLOCK: usize = 64;

/// What does not change while a policy is learnt.
#[derive(Clone)]
struct Plan {
    config: Config,
    inputs: Inputs,
    actions: usize,
}

/// From rows to what actions are worth.
struct Network {
    encoder: Encoder,
    value: Linear,
    advantage: Linear,
}

impl Plan {
    fn new(config: &Config, spec: &Spec) -> Result<Self, String> {
        let inputs = config.network.inputs(spec)?;
        let [actions] = inputs.sizes[..] else {
            return Err(format!(
                "td3-effect learns one choice of some, not {} at once: the view is `actions = \"effect\"`",
                inputs.sizes.len()
            ));
        };
        Ok(Self { config: config.clone(), inputs, actions })
    }

    fn network(&self, params: &mut Params) -> Result<Network, String> {
        let Config { network, width, .. } = self.config;
        let encoder = Encoder::new(params, "q", &self.inputs, network, width)?;
        let value = Linear::torch(params, "q.value", width, 1);
        Ok(Network { encoder, value, advantage: Linear::torch(params, "q.advantage", width, self.actions) })
    }
}

impl Network {
    /// What each action is worth at each row.
    fn forward(&self, params: &Params, rows: &Rows) -> Tensor<2> {
        let e = self.encoder.forward(params, rows, &[], &[]).e;
        let advantage = self.advantage.forward(params, e.clone());
        self.value.forward(params, e) + advantage.clone() - advantage.mean_dim(1)
    }

    /// The action that is worth most at each row.
    fn best(&self, params: &Params, rows: &Rows) -> Vec<usize> {
        let q = self.forward(params, rows);
        let [_, actions] = q.dims();
        values(q).chunks_exact(actions).map(first_greatest).collect()
    }
}

/// A run of Q-learning.
pub struct Effect {
    plan: Plan,
    seed: Seed,
    network: Network,
    params: Params,
    target: Params,
    adam: Adam,
    collector: Collector,
    ring: Ring,
    updates: u64,
    turns: u64,
}

/// What is kept of a run beside weights, environments and what was played.
#[derive(Serialize, Deserialize)]
struct Kept {
    updates: u64,
    turns: u64,
    steps_of_adam: u64,
}

impl Effect {
    /// Begins a run.
    ///
    /// # Errors
    ///
    /// If the environment is none that it can learn, or a number of the config is out of range.
    pub fn new(
        config: &Config,
        env: Box<dyn VecEnv>,
        problems: Problems,
        seed: Seed,
        device: &Device,
    ) -> Result<Self, TrainError> {
        config.check().map_err(TrainError::Config)?;
        let plan = Plan::new(config, env.spec()).map_err(TrainError::Unfit)?;
        let mut params = Params::new(seed, device);
        let network = plan.network(&mut params).map_err(TrainError::Unfit)?;
        let copies = env.len();
        let playing = Playing { inputs: plan.inputs.clone(), words: None, bootstrap_truncated: true, problems, seed };
        // HALMA's paper has moving means over as many episodes as there are mazes.
        let collector = Collector::new(env, playing)?.by_problems();
        let ring = Ring::new(RingSizes {
            copies,
            rows: config.replay / copies,
            width: plan.inputs.width,
            pictures: plan.inputs.pictures.iter().map(Picture::bytes).collect(),
            action: 1,
            state: 0,
            stride: 1,
        });
        let (target, adam) = (params.frozen(), Adam::new(&params, config.epsilon));
        Ok(Self { plan, seed, network, params, target, adam, collector, ring, updates: 0, turns: 0 })
    }

    /// The weights of now and those that follow them, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn lists_mut(&mut self) -> [&mut Params; 2] {
        [&mut self.params, &mut self.target]
    }

    /// What the next update would learn towards, and of the same steps what they paid and whether what follows counts.
    #[cfg(test)]
    pub(crate) fn taught(&self) -> [Vec<f32>; 3] {
        let unroll = self.draw();
        [self.targets(&unroll), unroll.reward, unroll.cont]
    }

    fn greedy_share(&self) -> f64 {
        let config = &self.plan.config;
        linear(config.greedy_first, config.greedy_last, self.collector.played().env_steps, config.greedy_steps)
    }

    /// Every copy plays one step.
    pub(crate) fn play(&mut self) -> Result<(), TrainError> {
        let share = self.greedy_share();
        let mut rng = self.seed.stream("act").derive(self.turns).rng();
        let own: Vec<bool> = (0..self.collector.copies()).map(|_| rng.chance(share)).collect();
        let (network, params, actions) = (&self.network, self.params.frozen(), self.plan.actions as u32);
        let unroll = self.collector.collect(1, |rows, _, done| {
            // Nothing depends on what nobody asks for.
            let best = if own.contains(&true) { network.best(&params, rows) } else { Vec::new() };
            for (copy, action) in done.iter_mut().enumerate() {
                *action = if own[copy] { best[copy] as i32 } else { rng.below(actions) as i32 };
            }
        })?;
        self.ring.add(&unroll, &[]);
        self.turns += 1;
        Ok(())
    }

    fn draw(&self) -> Unroll {
        let mut rng = self.seed.stream("replay").derive(self.updates).rng();
        self.ring.draw(self.plan.config.batch, 1, &mut rng).0
    }

    /// Numbers that are learnt towards at the steps of a draw.
    fn targets(&self, unroll: &Unroll) -> Vec<f32> {
        let (n, config, wide) = (unroll.copies, &self.plan.config, self.plan.actions);
        let next = unroll.rows.gather(&(n..2 * n).collect::<Vec<_>>());
        // The weights that learn choose, those that follow judge.
        let best = self.network.best(&self.params.frozen(), &next);
        let worth = values(self.network.forward(&self.target, &next));
        let (scale, gamma) = (config.reward_scale as f32, config.gamma as f32);
        let of = |row: usize| scale * unroll.reward[row] + gamma * unroll.cont[row] * worth[row * wide + best[row]];
        (0..n).map(of).collect()
    }

    /// Learns from one draw.
    fn update(&mut self) -> Vec<(&'static str, f64)> {
        let config = self.plan.config.clone();
        let device = self.params.device().clone();
        let unroll = self.draw();
        let n = config.batch;
        let now = unroll.rows.gather(&(0..n).collect::<Vec<_>>());
        let targets = self.targets(&unroll);
        let done = unroll.action.iter().map(|&a| i64::from(a)).collect();
        let q = pick(self.network.forward(&self.params, &now), done, &device);
        let mean = values(q.clone()).iter().map(|q| f64::from(*q)).sum::<f64>() / n as f64;
        let loss = (q - tensor(targets, [n], &device)).powi_scalar(2).mean();
        let mut gradients = self.params.gradients(&loss);
        let norm = clip(&mut gradients, config.norm);
        self.adam.step(&mut self.params, &gradients, config.lr);
        self.updates += 1;
        self.target.approach(&self.params, config.tau);
        vec![("train/q_loss", f64::from(values(loss)[0])), ("train/grad_norm", norm), ("train/q", mean)]
    }
}

impl Learner for Effect {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let mut means = Means::default();
        for _ in 0..BLOCK {
            self.play()?;
            let config = &self.plan.config;
            let due = due(self.collector.played().env_steps, config.warm_up, config.updates_per_step);
            while self.updates < due && self.ring.ready(1) {
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
        let mut scratch = Params::blank(self.params.device());
        let network = self.plan.network(&mut scratch).expect("it was built before");
        Box::new(Acting { plan: self.plan.clone(), network, params: self.params.frozen() })
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
        saved.set_json(&Kept { updates: self.updates, turns: self.turns, steps_of_adam: moments.steps });
        saved.set_play(&self.collector.save()?, &self.ring);
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let (place, ring): (Place, Ring) = saved.play()?;
        if !ring.fits(&self.ring) {
            return Err(TrainError::Damaged("what was kept is of another run".to_owned()));
        }
        let [own, target, first, second] =
            ["", "target.", "adam.first.", "adam.second."].map(|prefix| saved.like(prefix, &self.params));
        let (own, target, first, second) = (own?, target?, first?, second?);
        self.collector.load(place)?;
        own.into_iter().enumerate().for_each(|(i, numbers)| self.params.set(i, numbers));
        target.into_iter().enumerate().for_each(|(i, numbers)| self.target.set(i, numbers));
        self.adam.set_moments(Moments { first, second, steps: kept.steps_of_adam });
        self.ring = ring;
        (self.updates, self.turns) = (kept.updates, kept.turns);
        Ok(())
    }
}

/// A policy with frozen weights: always what is worth most.
pub struct Acting {
    plan: Plan,
    network: Network,
    params: Params,
}

impl Acting {
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
        Ok(Self { plan, network, params: params.frozen() })
    }
}

impl Player for Acting {
    fn seats(&self) -> &[bool] {
        &[true]
    }

    fn act(&mut self, moment: &Moment<'_>, actions: &mut [i32]) -> Result<(), PlayerError> {
        let last = Last { starts: moment.starts.to_vec(), ..Last::default() };
        let rows = self.plan.inputs.read(moment.observation, moment.starts.len(), &last, None);
        let best = self.network.best(&self.params, &rows);
        actions.iter_mut().zip(best).for_each(|(action, best)| *action = best as i32);
        Ok(())
    }
}
