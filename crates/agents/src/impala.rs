//! IMPALA (Espeholt et al. 2018) and the Memory Recall Agent (Fortunato et al. 2019), for every environment with one agent.
//!
//! One thread plays unrolls, another learns from them. Which weights play which unroll is fixed: unroll `u` is played by the
//! weights that `u - lag` updates have made, and update `u` learns from unroll `u`. So what is learnt depends on neither the
//! speed of the threads nor their number; that the weights which play are not those which learn is what V-trace corrects.

mod network;

use heldout_core::{Seed, Spec, VecEnv};
use serde::{Deserialize, Serialize};

use self::network::{CORE, Network, State};
use crate::nn::{Adam, Core, Device, Memory, Moments, Optimiser, Params, RmsProp, Tensor, clip, tensor, values};
use crate::parts::checkpoint::{Saved, unpack};
use crate::parts::collect::{Collector, Place, Played, Playing, Problems, Unroll};
use crate::parts::heads::Head;
use crate::parts::inputs::{Inputs, Last, Previous, Rows};
use crate::parts::schedule::linear;
use crate::parts::targets::vtrace;
use crate::player::{Moment, Player, PlayerError};
use crate::ppo::PlayMode;
use crate::text::Vocabulary;
use crate::train::{Counters, Learner, Step, TrainError};

/// How large what sees is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// As the paper has it: residual sections of 16, 32 and 32 channels.
    #[default]
    Paper,
    /// Of 8, 16 and 16; vectors through 128.
    Small,
}

/// What turns gradients into other weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Adam.
    #[default]
    Adam,
    /// `RMSProp` as `TensorFlow` has it.
    RmsProp,
}

/// All that a run of IMPALA is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "the paper's models differ by what they have and what they have not")]
pub struct Config {
    /// Steps to train for.
    pub steps: u64,
    /// Episodes to train for, in place of steps; 0: steps.
    pub episodes: u64,
    /// Environments that are played at once, and the batch of an update.
    pub copies: usize,
    /// Steps of each in an unroll.
    pub rows: usize,
    /// Updates between the weights that play an unroll and those that learn from it: 0 or 1.
    pub lag: usize,
    /// Groups of copies that act one after the other.
    pub actors: usize,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// The learning rate.
    pub lr: f64,
    /// Whether it falls to zero over the budget.
    pub decay: bool,
    /// What takes the steps.
    pub optimiser: Rule,
    /// The optimiser's addition to the root, or below it.
    pub epsilon: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Weight of the value's loss.
    pub value: f64,
    /// Weight of the entropy.
    pub entropy: f64,
    /// How large what sees is.
    pub size: Size,
    /// Numbers of what is seen.
    pub seen: usize,
    /// What moves with each row.
    pub core: Core,
    /// Numbers of what it puts out.
    pub hidden: usize,
    /// Whether there is an episodic memory.
    pub memory: bool,
    /// Numbers of a key.
    pub key: usize,
    /// Slots of the memory.
    pub slots: usize,
    /// Slots that are read at once.
    pub nearest: usize,
    /// Whether gradients reach the keys of slots.
    pub jumpy: bool,
    /// Whether keys begin as queries do, both of what is seen alone.
    pub tied: bool,
    /// What the learning rate of keys and queries is multiplied by.
    pub address_rate: f64,
    /// Whether what sees pictures begins so that it tells them apart: white is 0, kernels begin as He et al. (2015) have them,
    /// residual parts add nothing at first, and what is left in the end has mean 0 and spread 1 over what is played first, which
    /// the weights before that play. As weights begin otherwise, what tells a cue from another is a fiftieth of what all leave.
    pub centred: bool,
    /// What the learning rate of what sees pictures is multiplied by.
    pub picture_rate: f64,
    /// Whether what comes later is told apart from what comes at other times, by contrastive predictive coding.
    pub cpc: bool,
    /// Rows ahead that it looks.
    pub cpc_steps: usize,
    /// Weight of its loss.
    pub cpc_weight: f64,
    /// Whether what is seen, done and paid is told again, and learnt so.
    pub reconstruct: bool,
    /// How much a picture counts in that.
    pub image_weight: f64,
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
            steps: 10_000_000,
            episodes: 0,
            copies: 16,
            rows: 50,
            lag: 1,
            actors: 1,
            gamma: 0.98,
            lr: 1e-4,
            decay: false,
            optimiser: Rule::Adam,
            epsilon: 1e-4,
            norm: 40.0,
            value: 0.5,
            entropy: 0.01,
            size: Size::Paper,
            seen: 256,
            core: Core::Lstm,
            hidden: 512,
            memory: false,
            key: 128,
            slots: 1024,
            nearest: 10,
            jumpy: true,
            tied: false,
            address_rate: 1.0,
            centred: false,
            picture_rate: 1.0,
            cpc: false,
            cpc_steps: 10,
            cpc_weight: 1.0,
            reconstruct: false,
            image_weight: 1.0,
            input_reward_scale: 1.0,
            reward_scale: 1.0,
            bootstrap_truncated: true,
            play: PlayMode::Sample,
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
            ("rows", self.rows),
            ("actors", self.actors),
            ("seen", self.seen),
            ("hidden", self.hidden),
            ("key", self.key),
            ("slots", self.slots),
            ("nearest", self.nearest),
        ];
        if let Some((name, _)) = least.iter().find(|(_, n)| *n == 0) {
            return Err(format!("`{name}` is 0, must be at least 1"));
        }
        if self.lag > 1 {
            return Err(format!("`lag` is {}, must be 0 or 1", self.lag));
        }
        if !self.copies.is_multiple_of(self.actors) {
            return Err(format!("`actors` is {}, must divide the {} `copies`", self.actors, self.copies));
        }
        if self.cpc && !(1..self.rows).contains(&self.cpc_steps) {
            let (steps, rows) = (self.cpc_steps, self.rows);
            return Err(format!(
                "`cpc_steps` is {steps}, must be at least 1 and less than the {rows} `rows` of an unroll"
            ));
        }
        let positive = [("lr", self.lr), ("norm", self.norm), ("epsilon", self.epsilon)];
        if let Some((name, x)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
            return Err(format!("`{name}` is {x}, must be greater than 0"));
        }
        if !(0.0..=1.0).contains(&self.gamma) {
            return Err(format!("`gamma` is {}, must be 0 to 1", self.gamma));
        }
        let weights = [
            ("value", self.value),
            ("entropy", self.entropy),
            ("address_rate", self.address_rate),
            ("picture_rate", self.picture_rate),
            ("cpc_weight", self.cpc_weight),
            ("image_weight", self.image_weight),
        ];
        if let Some((name, x)) = weights.iter().find(|(_, x)| !(x.is_finite() && *x >= 0.0)) {
            return Err(format!("`{name}` is {x}, must be at least 0"));
        }
        let scales = [("reward_scale", self.reward_scale), ("input_reward_scale", self.input_reward_scale)];
        if let Some((name, x)) = scales.iter().find(|(_, x)| !x.is_finite()) {
            return Err(format!("`{name}` is {x}, must be a number"));
        }
        Ok(())
    }

    /// By which reports know it: what it is put together from, as the paper names its models.
    pub(crate) fn label(&self) -> String {
        let memory = match (self.memory, self.jumpy) {
            (true, true) => "+MEM",
            (true, false) => "+MEM(noJB)",
            (false, _) => "",
        };
        let when = |has: bool, name: &'static str| if has { name } else { "" };
        [self.core.label(), memory, when(self.cpc, "+CPC"), when(self.reconstruct, "+REC")].concat()
    }
}

/// What does not change while a policy is learnt, and all that acting by it needs.
#[derive(Clone)]
struct Plan {
    config: Config,
    spec: Spec,
    inputs: Inputs,
    words: Option<Vocabulary>,
    head: Head,
}

impl Plan {
    fn new(config: &Config, spec: &Spec, words: Option<Vocabulary>) -> Result<Self, String> {
        let [agent] = spec.agents.as_slice() else {
            return Err(format!("impala plays environments with one agent, this one has {}", spec.agents.len()));
        };
        let previous =
            Previous { action_and_reward: true, reward_scale: config.input_reward_scale as f32, metrics: Vec::new() };
        let inputs = Inputs::new(spec, 0, &previous, &[])?;
        let words = inputs.has_text().then(|| words.unwrap_or_default());
        let head = Head::Components(agent.action.sizes().iter().map(|&n| n as usize).collect());
        Ok(Self { config: config.clone(), spec: spec.clone(), inputs, words, head })
    }

    fn network(&self, params: &mut Params) -> Result<Network, String> {
        let words = self.words.as_ref().map_or(0, Vocabulary::len);
        Network::new(params, &self.inputs, self.head.logits(), words, &self.config)
    }

    fn optimiser(&self, params: &Params) -> Box<dyn Optimiser + Send> {
        let config = &self.config;
        let slow = Memory::addresses(CORE);
        let rates = params.entries().iter().map(|p| match &p.name {
            name if slow.contains(name) => config.address_rate,
            name if name.starts_with(network::PICTURE) => config.picture_rate,
            _ => 1.0,
        });
        match config.optimiser {
            Rule::Adam => Box::new(Adam::new(params, config.epsilon).with_rates(rates.collect())),
            Rule::RmsProp => Box::new(RmsProp::new(params, config.epsilon).with_rates(rates.collect())),
        }
    }
}

/// An unroll that was played, and what the policy that played it made of it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Unrolled {
    pub(crate) unroll: Unroll,
    pub(crate) log_prob: Vec<f32>,
    state: State,
    /// How much had been played when it ended.
    played: Played,
}

/// What plays: the environments and what each group of copies remembers.
struct Actor {
    collector: Collector,
    states: Vec<State>,
    unrolls: u64,
}

impl Actor {
    /// Plays an unroll by these weights.
    fn play(&mut self, plan: &Plan, network: &Network, params: &Params, seed: Seed) -> Result<Unrolled, TrainError> {
        let mut rng = seed.stream("act").derive(self.unrolls).rng();
        // Keys are those of the weights that play.
        self.states.iter_mut().for_each(|state| network.refresh(params, state));
        let before = together(self.states.iter().map(|state| network.compact(state)));
        let mut log_prob = Vec::new();
        let states = &mut self.states;
        let width = plan.spec.action_width();
        let unroll = self.collector.collect(plan.config.rows, |rows, starts, actions| {
            let size = rows.count / states.len();
            for (group, state) in states.iter_mut().enumerate() {
                let own: Vec<usize> = (group * size..(group + 1) * size).collect();
                let some = rows.gather(&own);
                let logits = think(network, params, &some, &starts[group * size..][..size], state);
                let actions = actions[group * size * width..].chunks_exact_mut(width);
                for (copy, (logits, action)) in logits.chunks_exact(plan.head.logits()).zip(actions).enumerate() {
                    let chosen = plan.head.choose(logits, some.legal_of(copy), Some(&mut rng), action);
                    log_prob.push(chosen.log_prob);
                }
            }
        })?;
        self.unrolls += 1;
        Ok(Unrolled { unroll, log_prob, state: before, played: self.collector.played() })
    }
}

/// The states of groups as one.
fn together(states: impl Iterator<Item = State>) -> State {
    let mut all = State::default();
    for state in states {
        all.core.extend(state.core);
        all.episodes.extend(state.episodes);
    }
    all
}

/// What actions are chosen by at each row.
fn think(network: &Network, params: &Params, rows: &Rows, starts: &[bool], state: &mut State) -> Vec<f32> {
    let keep = kept(starts);
    let out = network.forward(params, rows, state, &keep);
    state.core = out.core;
    values(out.logits)
}

/// 0 where an episode begins, else 1.
fn kept(starts: &[bool]) -> Vec<f32> {
    starts.iter().map(|&s| f32::from(u8::from(!s))).collect()
}

/// A run of IMPALA.
pub struct Impala {
    plan: Plan,
    seed: Seed,
    params: Params,
    network: Network,
    optimiser: Box<dyn Optimiser + Send>,
    actor: Actor,
    /// What was played and is not learnt from yet.
    waiting: Option<Unrolled>,
    /// How much was played of what is learnt from.
    learnt: Played,
    updates: u64,
    /// Slows the two threads down, to see that it changes nothing: whether it is the one that learns, and which unroll.
    #[cfg(test)]
    pub(crate) delay: Option<fn(bool, u64)>,
}

/// What is kept of a run beside weights and environments.
#[derive(Serialize, Deserialize)]
struct Kept {
    updates: u64,
    unrolls: u64,
    learnt: Played,
    steps_of_optimiser: u64,
}

impl Impala {
    /// Begins a run; `words` are those of the training problems, where they are told in sentences.
    ///
    /// # Errors
    ///
    /// If the environment is none that IMPALA can learn, or a number of the config is out of range.
    pub fn new(
        config: &Config,
        env: Box<dyn VecEnv>,
        problems: Problems,
        words: Option<Vocabulary>,
        seed: Seed,
        device: &Device,
    ) -> Result<Self, TrainError> {
        config.check().map_err(TrainError::Config)?;
        let plan = Plan::new(config, env.spec(), words).map_err(TrainError::Unfit)?;
        let mut params = Params::new(seed, device);
        let network = plan.network(&mut params).map_err(TrainError::Unfit)?;
        let optimiser = plan.optimiser(&params);
        let playing = Playing {
            inputs: plan.inputs.clone(),
            words: plan.words.clone(),
            bootstrap_truncated: config.bootstrap_truncated,
            problems,
            seed,
        };
        let group = env.len() / config.actors;
        let collector = Collector::new(env, playing)?;
        let states = vec![network.nothing(group); config.actors];
        let actor = Actor { collector, states, unrolls: 0 };
        Ok(Self {
            plan,
            seed,
            params,
            network,
            optimiser,
            actor,
            waiting: None,
            learnt: Played::default(),
            updates: 0,
            #[cfg(test)]
            delay: None,
        })
    }

    /// The weights of now, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn weights_mut(&mut self) -> &mut Params {
        &mut self.params
    }

    /// What is waiting to be learnt from.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> Option<&Unrolled> {
        self.waiting.as_ref()
    }

    /// The logarithms of the probabilities that these weights give to what was done in an unroll.
    #[cfg(test)]
    pub(crate) fn log_probs(&self, params: &Params, unrolled: &Unrolled) -> Vec<f32> {
        let mut state = unrolled.state.clone();
        let unroll = &unrolled.unroll;
        let out = self.network.forward(&params.frozen(), &unroll.rows, &mut state, &kept(&unroll.start));
        let n = unroll.reward.len();
        let [_, wide] = out.logits.dims();
        let legal = unroll.rows.legal.len() / unroll.rows.count * n;
        let logits = out.logits.slice([0..n, 0..wide]);
        let [log_prob, _] =
            self.plan.head.evaluate(&logits, &unroll.rows.legal[..legal], &unroll.action, params.device());
        values(log_prob)
    }

    /// What is lost in an unroll by these weights.
    #[cfg(test)]
    pub(crate) fn loss_of(&self, params: &Params, unrolled: &Unrolled, judged: Option<&Judged>) -> Loss {
        loss(&self.plan, &self.network, params, unrolled, judged)
    }

    /// The learning rate of an update that begins now.
    fn rate(&self) -> f64 {
        let config = &self.plan.config;
        match (config.decay, config.episodes) {
            (false, _) => config.lr,
            (true, 0) => linear(config.lr, 0.0, self.learnt.env_steps, config.steps),
            (true, episodes) => linear(config.lr, 0.0, self.learnt.episodes, episodes),
        }
    }
}

/// What V-trace makes of an unroll: what its rows are worth, and how much its actions count. To gradients both are constants.
#[derive(Clone)]
pub(crate) struct Judged {
    targets: Vec<f32>,
    weights: Vec<f32>,
}

/// What an update makes smaller.
pub(crate) struct Loss {
    pub(crate) total: Tensor<1>,
    /// Its parts.
    pub(crate) told: Vec<(&'static str, f64)>,
    #[cfg(test)]
    pub(crate) judged: Judged,
}

/// What is lost in an unroll, judged by the weights of now unless it was judged before.
fn loss(plan: &Plan, network: &Network, params: &Params, unrolled: &Unrolled, judged: Option<&Judged>) -> Loss {
    let config = &plan.config;
    let unroll = &unrolled.unroll;
    let device = params.device().clone();
    let n = unroll.reward.len();
    let mut state = unrolled.state.clone();
    // Keys by the weights that learn.
    network.refresh(params, &mut state);
    let out = network.forward(params, &unroll.rows, &mut state, &kept(&unroll.start));
    let [_, wide] = out.logits.dims();
    let legal = unroll.rows.legal.len() / unroll.rows.count * n;
    let logits = out.logits.clone().slice([0..n, 0..wide]);
    let [log_prob, entropy] = plan.head.evaluate(&logits, &unroll.rows.legal[..legal], &unroll.action, &device);
    let judged = judged.cloned().unwrap_or_else(|| {
        let ratios: Vec<f32> = values(log_prob.clone())
            .iter()
            .zip(&unrolled.log_prob)
            .map(|(now, then)| libm::expf((now - then).min(50.0)))
            .collect();
        let rewards: Vec<f32> = unroll.reward.iter().map(|r| r * config.reward_scale as f32).collect();
        let discounts: Vec<f32> = unroll.cont.iter().map(|c| c * config.gamma as f32).collect();
        let worth = values(out.value.clone());
        let (targets, weights) = vtrace(unroll.copies, &rewards, &discounts, &unroll.valid, &ratios, &worth);
        Judged { targets, weights }
    });
    let valid: Vec<f32> = unroll.valid.iter().map(|&v| f32::from(u8::from(v))).collect();
    let steps = valid.iter().sum::<f32>().max(1.0);
    let valid = tensor(valid, [n], &device);
    // Sums over rows and copies, as IMPALA has them.
    let policy = (log_prob * tensor(judged.weights.clone(), [n], &device) * valid.clone()).sum() * -1.0;
    let apart = tensor(judged.targets.clone(), [n], &device) - out.value.clone().narrow(0, 0, n);
    let value = (apart.powi_scalar(2) * valid.clone()).sum() * 0.5;
    let entropy = (entropy * valid).sum();
    let mut total = policy.clone() + value.clone() * config.value - entropy.clone() * config.entropy;
    let number = |x: &Tensor<1>| f64::from(values(x.clone())[0]);
    let per_step = |x: &Tensor<1>| number(x) / f64::from(steps);
    let mut told = vec![
        ("train/policy_loss", per_step(&policy)),
        ("train/value_loss", per_step(&value)),
        ("train/entropy", per_step(&entropy)),
    ];
    if let Some(ahead) = network.ahead(params, &out, unroll) {
        told.push(("train/cpc_loss", number(&ahead)));
        total = total + ahead * config.cpc_weight;
    }
    if let Some(again) = network.again(params, &out, unroll, config.image_weight) {
        told.push(("train/reconstruction_loss", number(&again)));
        total = total + again;
    }
    Loss {
        total,
        told,
        #[cfg(test)]
        judged,
    }
}

/// Takes one step by what was played; tells the losses.
fn learn(
    plan: &Plan,
    network: &Network,
    params: &mut Params,
    optimiser: &mut dyn Optimiser,
    unrolled: &Unrolled,
    lr: f64,
) -> Vec<(&'static str, f64)> {
    let Loss { total, mut told, .. } = loss(plan, network, params, unrolled, None);
    let mut gradients = params.gradients(&total);
    told.push(("train/grad_norm", clip(&mut gradients, plan.config.norm)));
    optimiser.step(params, &gradients, lr);
    told.push(("train/lr", lr));
    told
}

impl Learner for Impala {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let lr = self.rate();
        let Self { plan, seed, params, network, optimiser, actor, waiting, .. } = self;
        let (plan, network, seed) = (&*plan, &*network, *seed);
        let mut now = params.frozen();
        let unrolled = if let Some(unrolled) = waiting.take() {
            unrolled
        } else {
            let unrolled = actor.play(plan, network, &now, seed)?;
            if plan.config.centred && self.updates == 0 {
                network.centre(params, &unrolled.unroll.rows);
                now = params.frozen();
            }
            unrolled
        };
        #[cfg(test)]
        let delay = self.delay;
        let told = if plan.config.lag == 0 {
            learn(plan, network, params, &mut **optimiser, &unrolled, lr)
        } else {
            let (told, next) = std::thread::scope(|scope| {
                let playing = scope.spawn(|| {
                    #[cfg(test)]
                    if let Some(delay) = delay {
                        delay(false, actor.unrolls);
                    }
                    actor.play(plan, network, &now, seed)
                });
                #[cfg(test)]
                if let Some(delay) = delay {
                    delay(true, self.updates);
                }
                let told = learn(plan, network, params, &mut **optimiser, &unrolled, lr);
                (told, playing.join())
            });
            *waiting = Some(next.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            told
        };
        self.learnt = unrolled.played;
        self.updates += 1;
        let mut step = Step::default();
        for (name, mean) in self.actor.collector.stats.take() {
            step.scalar(&format!("episode/{name}"), mean);
        }
        for (name, x) in told {
            step.scalar(name, x);
        }
        Ok(step)
    }

    fn counters(&self) -> Counters {
        Counters { env_steps: self.learnt.env_steps, episodes: self.learnt.episodes, updates: self.updates }
    }

    fn moving(&self, metric: &str) -> Option<f64> {
        self.actor.collector.stats.moving(metric)
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
        Ok(self.actor.collector.experience()?)
    }

    fn save(&self) -> Result<Saved, TrainError> {
        let mut saved = Saved::default();
        saved.add_params("", &self.params);
        let moments = self.optimiser.moments();
        saved.add_like("optimiser.first.", &self.params, &moments.first);
        saved.add_like("optimiser.second.", &self.params, &moments.second);
        saved.set_json(&Kept {
            updates: self.updates,
            unrolls: self.actor.unrolls,
            learnt: self.learnt,
            steps_of_optimiser: moments.steps,
        });
        let states: Vec<State> = self.actor.states.iter().map(|state| self.network.compact(state)).collect();
        saved.set_play(&self.actor.collector.save()?, &(states, &self.waiting));
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let numbers = saved.like("", &self.params)?;
        let first = match self.plan.config.optimiser {
            Rule::Adam => saved.like("optimiser.first.", &self.params)?,
            Rule::RmsProp => Vec::new(),
        };
        let second = saved.like("optimiser.second.", &self.params)?;
        let (place, (states, waiting)): (Place, (Vec<State>, Option<Unrolled>)) = saved.play()?;
        let group = self.actor.collector.copies() / self.actor.states.len();
        let whole = states.len() == self.actor.states.len() && states.iter().all(|s| self.network.fits(s, group));
        let fits = |w: &Unrolled| {
            let n = self.actor.collector.copies();
            let rows = self.plan.config.rows;
            w.unroll.is_of(n, rows, self.plan.spec.action_width())
                && w.unroll.rows.is_of(&self.plan.inputs)
                && w.log_prob.len() == n * rows
                && self.network.fits(&w.state, n)
        };
        if !whole || !waiting.as_ref().is_none_or(fits) {
            return Err(TrainError::Damaged("what was kept is of another run".to_owned()));
        }
        self.actor.collector.load(place)?;
        for (i, numbers) in numbers.into_iter().enumerate() {
            self.params.set(i, numbers);
        }
        self.optimiser.set_moments(Moments { first, second, steps: kept.steps_of_optimiser });
        (self.actor.states, self.waiting) = (states, waiting);
        (self.updates, self.actor.unrolls, self.learnt) = (kept.updates, kept.unrolls, kept.learnt);
        Ok(())
    }
}

/// A policy of IMPALA with frozen weights.
pub struct Acting {
    plan: Plan,
    network: Network,
    params: Params,
    state: State,
    last: Last,
    steps: Vec<u64>,
}

impl Acting {
    fn new(plan: Plan, network: Network, params: Params) -> Self {
        Self { plan, network, params, state: State::default(), last: Last::default(), steps: Vec::new() }
    }

    /// The policy of a config with these weights.
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
        let plan = Plan::new(config, spec, words).map_err(TrainError::Unfit)?;
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
            self.state = self.network.nothing(copies);
            self.last.actions = vec![0; actions.len()];
            self.steps = vec![0; copies];
        }
        self.last.rewards = moment.rewards.to_vec();
        self.last.metrics = moment.metrics.to_vec();
        self.last.starts = moment.starts.to_vec();
        let rows = self.plan.inputs.read(moment.observation, copies, &self.last, self.plan.words.as_ref());
        let logits = think(&self.network, &self.params, &rows, moment.starts, &mut self.state);
        let width = self.plan.spec.action_width();
        let logits = logits.chunks_exact(self.plan.head.logits());
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
