//! Recurrent replay distributed DQN (Kapturowski et al. 2019), for games in which symbols are learnt within an episode.
//!
//! One block: every copy plays some steps, each with its own share of chance; what it played is kept as sequences, and after
//! every `train_every` steps some of them, the more surprising the more often, are learnt from by double Q-learning over `n`
//! steps. Where nothing that is done changes what follows, rewards of the step itself are all there is to learn (`gamma` 0).
//!
//! Two agents of one environment learn together: they share what comes before their last layers, and what both do is worth the
//! sum of what each does (value decomposition networks, Sunehag et al. 2018), with one target and one surprise.

mod acting;
mod config;
mod network;

pub use acting::Acting;
pub use config::{Config, Core, Sad, Size};

use heldout_core::{Seed, VecEnv};
use serde::{Deserialize, Serialize};

use crate::nn::{Adam, Device, Gradients, Moments, Optimiser, Params, clip, pick, tensor, values};
use crate::parts::checkpoint::Saved;
use crate::parts::collect::{Collector, Place, Playing, Problems};
use crate::parts::inputs::Rows;
use crate::parts::priority::{exploration, of_surprises};
use crate::parts::replay::{Drawn, Replay, Sizes};
use crate::parts::targets::Ahead;
use crate::player::Player;
use crate::td3::Means;
use crate::train::{Counters, Learner, Step, TrainError};
use acting::{Plan, best, keeps};
use network::{Memory, Network};

/// A run of R2D2.
pub struct R2d2 {
    plan: Plan,
    seed: Seed,
    params: Params,
    target: Params,
    network: Network,
    adam: Adam,
    collector: Collector,
    now: Now,
    replay: Replay,
    updates: u64,
    blocks: u64,
}

/// What agents in play remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Now {
    memory: Memory,
    /// What each agent of each copy would best have done at the step before, and what it did.
    best: Vec<usize>,
    done: Vec<usize>,
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

/// Sequences that were drawn, as the network is given them.
struct Batch {
    drawn: Drawn,
    /// Rows before those that are learnt from, and these.
    head: Rows,
    tail: Rows,
    /// Whether each body goes on with its episode at each row.
    keep: Vec<f32>,
    /// What bodies remembered before the first row.
    memory: Memory,
}

/// What a draw teaches, before anything is learnt from it.
struct Lesson {
    batch: Batch,
    /// What the weights of now lose, and how that changes with them.
    loss: f64,
    gradients: Gradients,
    /// By how much more than the network says each step that is learnt from is worth by what followed.
    surprises: Vec<f32>,
    /// What was not told again costs, and the share of what was seen that was, where it is asked for.
    again: Option<(f64, f64)>,
    /// The mean of what actions are worth.
    worth: f64,
    /// By how much memories that were kept are out of date.
    stale: Option<f64>,
}

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
        let (copies, agents) = (env.len(), plan.agents());
        let collector = Collector::new(env, playing)?;
        let sizes = Sizes {
            copies,
            rows: config.replay / copies,
            width: plan.inputs.width,
            choices: plan.legal(),
            action: plan.spec.action_width(),
            state: agents * network.state(),
            slot: agents * network.slot(),
        };
        let replay = Replay::new(sizes, config.cut(), config.priority);
        let nothing = vec![0; copies * agents];
        let now = Now { memory: Memory::empty(copies * agents, &network), best: nothing.clone(), done: nothing };
        let target = params.frozen();
        Ok(Self { plan, seed, params, target, network, adam, collector, now, replay, updates: 0, blocks: 0 })
    }

    /// The weights of now, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn weights_mut(&mut self) -> &mut Params {
        &mut self.params
    }

    /// What each action of the first agent is worth at the rows of now.
    #[cfg(test)]
    pub(crate) fn worths(&mut self) -> Vec<f32> {
        let (params, network, memory) = (self.params.frozen(), &self.network, self.now.memory.clone());
        let agents = self.plan.agents();
        let mut found = Vec::new();
        let looked = self.collector.collect(1, |rows, starts, actions| {
            found = values(network.forward(&params, rows, &memory, &keeps(starts, agents)).q.remove(0));
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
        let batch = self.batch(drawn);
        let rows = &batch.drawn.rows;
        let q = values(self.network.forward(&self.params.frozen(), rows, &batch.memory, &batch.keep).q.remove(0));
        let wide = q.len() / rows.count;
        let of = |(at, q): (usize, &[f32])| {
            let (copy, first) = batch.drawn.from[at % batch.drawn.count];
            ((copy, first + (at / batch.drawn.count) as u64), q.to_vec())
        };
        q.chunks_exact(wide).enumerate().map(of).collect()
    }

    /// What each agent of each copy would best have done at the step before, and what it did.
    #[cfg(test)]
    pub(crate) fn best_and_done(&self) -> (&[usize], &[usize]) {
        (&self.now.best, &self.now.done)
    }

    /// What each agent of each copy has written down in its episode.
    #[cfg(test)]
    pub(crate) fn slots(&self) -> &[Vec<f32>] {
        &self.now.memory.slots
    }

    /// What some sequences are told was written down before them: copy and number of the first row, and whether an episode begins
    /// there.
    #[cfg(test)]
    pub(crate) fn written_again(&mut self, sequences: usize, seed: Seed) -> Vec<((usize, u64), bool, Vec<f32>)> {
        let drawn = self.replay.draw(sequences, 0.6, &mut seed.rng());
        (0..drawn.count).map(|i| (drawn.from[i], drawn.start[i], drawn.written[i].clone())).collect()
    }

    /// What actions are worth after burning in, and by going through sequences as a whole.
    #[cfg(test)]
    pub(crate) fn burnt_and_whole(&mut self, sequences: usize, seed: Seed) -> (Vec<f32>, Vec<f32>) {
        let drawn = self.replay.draw(sequences, 0.6, &mut seed.rng());
        let batch = self.batch(drawn);
        let params = self.params.frozen();
        let memory = self.warmed(&params, &batch);
        let from = batch.head.count;
        let burnt = values(self.network.forward(&params, &batch.tail, &memory, &batch.keep[from..]).q.remove(0));
        let all = values(self.network.forward(&params, &batch.drawn.rows, &batch.memory, &batch.keep).q.remove(0));
        let whole = all[all.len() - burnt.len()..].to_vec();
        (burnt, whole)
    }

    /// The rows of some sequences, and what the first agent and the second did at them, one beside the other.
    #[cfg(test)]
    pub(crate) fn drawn_rows(&mut self, sequences: usize, seed: Seed) -> (Rows, usize) {
        let drawn = self.replay.draw(sequences, 0.6, &mut seed.rng());
        (drawn.rows, self.plan.inputs.own().0)
    }

    /// What agents are told of each other at one row of a game, where an agent's best choices were `best` and what they did `done`.
    #[cfg(test)]
    pub(crate) fn told(&self, best: [usize; 2], done: [usize; 2]) -> [Vec<f32>; 2] {
        let (own, room) = self.plan.inputs.own();
        let mut rows = Rows { count: 1, vectors: vec![0.0; 2 * own], ..Rows::default() };
        self.plan.tell(&mut rows, &best, &done, &[false]);
        [1, 2].map(|agent| rows.vectors[agent * own - room..agent * own].to_vec())
    }

    /// The weights that targets come from, to be changed by tests.
    #[cfg(test)]
    pub(crate) fn target_mut(&mut self) -> &mut Params {
        &mut self.target
    }

    /// What the next update would learn from.
    #[cfg(test)]
    pub(crate) fn taught(&mut self) -> Taught {
        let lesson = self.lesson();
        let Drawn { action, reward, cont, dead, .. } = &lesson.batch.drawn;
        let from = lesson.batch.head.count;
        let steps = lesson.surprises.len();
        let width = self.plan.spec.action_width();
        Taught {
            loss: lesson.loss,
            accuracy: lesson.again.map(|(_, accuracy)| accuracy),
            stale: lesson.stale,
            action: action[from * width..].to_vec(),
            surprises: lesson.surprises,
            reward: reward[from..].to_vec(),
            cont: cont[from..].to_vec(),
            valid: dead[from..][..steps].iter().map(|dead| !dead).collect(),
            importance: lesson.batch.drawn.importance.clone(),
            gradients: lesson.gradients,
        }
    }

    /// Every copy plays so many steps.
    pub(crate) fn play(&mut self, steps: usize) -> Result<(), TrainError> {
        let frozen = self.params.frozen();
        let (network, plan, now) = (&self.network, &self.plan, &mut self.now);
        let (copies, agents, width) = (self.collector.copies(), plan.agents(), plan.spec.action_width());
        let Config { explore, explore_power, .. } = plan.config;
        let mut rng = self.seed.stream("act").derive(self.blocks).rng();
        let (mut states, mut written) = (Vec::new(), Vec::new());
        let unroll = self.collector.collect(steps, |rows, starts, actions| {
            states.extend_from_slice(&now.memory.state);
            plan.tell(rows, &now.best, &now.done, starts);
            let keep = keeps(starts, agents);
            let mut out = network.forward(&frozen, rows, &now.memory, &keep);
            now.memory.follow(&out, &keep);
            if let Some(columns) = out.columns.take() {
                written.extend(values(columns));
            }
            let worths: Vec<Vec<f32>> = out.q.into_iter().map(values).collect();
            for body in 0..copies * agents {
                let (copy, agent) = (body / agents, body % agents);
                let n = plan.choices[agent];
                let legal = plan.legal_of(rows, copy, agent);
                now.best[body] = best(&worths[agent][copy * n..][..n], legal);
                let chance = rng.chance(exploration(copy, copies, explore, explore_power));
                let open: Vec<usize> = (0..n).filter(|&a| legal.is_none_or(|legal| legal[a])).collect();
                now.done[body] = if chance && !open.is_empty() {
                    open[rng.below(open.len() as u32) as usize]
                } else {
                    now.best[body]
                };
                plan.write(now.done[body], agent, &mut actions[copy * width..][..width]);
            }
        })?;
        self.replay.add(&unroll, &states, &written);
        self.blocks += 1;
        Ok(())
    }

    /// The memory of all bodies of some copies, by their states and by what each copy wrote down.
    fn memory(&self, state: Vec<f32>, written: &[Vec<f32>]) -> Memory {
        let (agents, slot) = (self.plan.agents(), self.network.slot());
        // Rows were written down agent beside agent; each body has its own.
        let own = |written: &[f32], agent: usize| -> Vec<f32> {
            let rows = written.chunks_exact((agents * slot).max(1));
            rows.flat_map(|row| row[agent * slot..][..slot].iter().copied()).collect()
        };
        Memory { state, slots: written.iter().flat_map(|w| (0..agents).map(|agent| own(w, agent))).collect() }
    }

    fn batch(&self, mut drawn: Drawn) -> Batch {
        let (n, agents) = (drawn.count, self.plan.agents());
        let burn = self.plan.config.burn_in;
        let head = drawn.rows.gather(&(0..burn * n).collect::<Vec<_>>());
        let tail = drawn.rows.gather(&(burn * n..drawn.rows.count).collect::<Vec<_>>());
        let keep = keeps(&drawn.start, agents);
        let memory = self.memory(std::mem::take(&mut drawn.state), &drawn.written);
        Batch { drawn, head, tail, keep, memory }
    }

    /// What bodies remember at the first row that is learnt from, by these weights.
    fn warmed(&self, params: &Params, batch: &Batch) -> Memory {
        let mut memory = batch.memory.clone();
        if batch.head.count > 0 {
            let keep = &batch.keep[..batch.head.count * self.plan.agents()];
            let out = self.network.forward(params, &batch.head, &memory, keep);
            memory.follow(&out, keep);
        }
        memory
    }

    /// What the target's weights find the row after each step worth, where the weights of now choose what is done at it; `online`
    /// is what these find all actions of each agent worth.
    fn next(&self, batch: &Batch, online: &[Vec<f32>]) -> Vec<f32> {
        let (tail, agents) = (&batch.tail, self.plan.agents());
        let memory = self.warmed(&self.target, batch);
        let keep = &batch.keep[batch.head.count * agents..];
        let target = self.network.forward(&self.target, tail, &memory, keep).q;
        let target: Vec<Vec<f32>> = target.into_iter().map(values).collect();
        // What a team does is worth the sum of what its agents do.
        let of = |row: usize, agent: usize| {
            let wide = self.plan.choices[agent];
            let greedy = best(&online[agent][row * wide..][..wide], self.plan.legal_of(tail, row, agent));
            target[agent][row * wide + greedy]
        };
        (0..tail.count).map(|row| (0..agents).map(|agent| of(row, agent)).sum()).collect()
    }

    /// How far what actions are worth by memories as they were kept is from what they are worth by memories that were burnt in,
    /// `online`, relative to the latter: at the first row that is learnt from at which memories are kept. `None` where nothing
    /// is burnt in, or sequences have no such row.
    fn stale(&self, batch: &Batch, online: &[Vec<f32>]) -> Option<f64> {
        let Config { burn_in, stride, .. } = self.plan.config;
        let (drawn, n, agents) = (&batch.drawn, batch.drawn.count, self.plan.agents());
        let after = burn_in.next_multiple_of(stride);
        if burn_in == 0 || after > drawn.steps {
            return None;
        }
        let (states, written) = self.replay.kept(drawn, after)?;
        let memory = self.memory(states, &written);
        let rows = drawn.rows.gather(&(after * n..(after + 1) * n).collect::<Vec<_>>());
        let keep = &batch.keep[after * n * agents..][..n * agents];
        let kept = self.network.forward(&self.params.frozen(), &rows, &memory, keep).q;
        let (mut apart, mut whole) = (0.0, 0.0);
        for (agent, kept) in kept.into_iter().map(values).enumerate() {
            let burnt = &online[agent][(after - burn_in) * n * self.plan.choices[agent]..];
            for (kept, burnt) in kept.into_iter().zip(burnt) {
                let (error, burnt) = (f64::from(kept - burnt), f64::from(*burnt));
                (apart, whole) = (apart + error * error, whole + burnt * burnt);
            }
        }
        (whole > 0.0).then(|| (apart / whole).sqrt())
    }

    /// Draws sequences, and sees how far the weights of now are from what these teach.
    fn lesson(&mut self) -> Lesson {
        let config = self.plan.config.clone();
        let mut rng = self.seed.stream("replay").derive(self.updates).rng();
        let drawn = self.replay.draw(config.batch, config.importance, &mut rng);
        let batch = self.batch(drawn);
        let (drawn, tail) = (&batch.drawn, &batch.tail);
        let (n, device) = (drawn.count, self.params.device().clone());
        let from = batch.head.count;
        let keep = &batch.keep[from * self.plan.agents()..];
        let memory = self.warmed(&self.params.frozen(), &batch);
        let out = self.network.forward(&self.params, tail, &memory, keep);
        let online: Vec<Vec<f32>> = out.q.iter().map(|q| values(q.clone())).collect();
        let next = if config.gamma > 0.0 { self.next(&batch, &online) } else { vec![0.0; tail.count] };
        let steps = tail.count - n;
        let ahead = Ahead { n: config.n, gamma: config.gamma, rescale: config.rescale };
        let dead = &drawn.dead[from..];
        let targets = ahead.targets(n, &drawn.reward[from..], &drawn.cont[from..], dead, &next);
        let width = self.plan.spec.action_width();
        let mut chosen = None;
        for (agent, q) in out.q.iter().enumerate() {
            let actions = drawn.action[from * width..].chunks_exact(width);
            let actions: Vec<i64> = actions.map(|action| self.plan.choice(action, agent) as i64).collect();
            let own = pick(q.clone().slice([0..steps, 0..self.plan.choices[agent]]), actions, &device);
            chosen = Some(chosen.map_or(own.clone(), |sum| sum + own));
        }
        let chosen = chosen.expect("an agent at least");
        let valid: Vec<f32> = dead[..steps].iter().map(|&d| f32::from(u8::from(!d))).collect();
        let total = valid.iter().sum::<f32>().max(1.0);
        let counts: Vec<f32> = valid.iter().enumerate().map(|(at, v)| v * drawn.importance[at % n]).collect();
        let surprise = tensor(targets, [steps], &device) - chosen;
        let surprises = values(surprise.clone());
        let mut all = (surprise.powi_scalar(2) * tensor(counts, [steps], &device)).sum() * (0.5 / total);
        let loss = f64::from(values(all.clone())[0]);
        let again = self.network.again(&self.params, &out.core, tail, &valid).map(|more| {
            all = all.clone() + more.loss.clone();
            (f64::from(values(more.loss)[0]), more.accuracy)
        });
        let gradients = self.params.gradients(&all);
        let worths = || online.iter().flatten();
        let worth = worths().map(|q| f64::from(*q)).sum::<f64>() / worths().count().max(1) as f64;
        let stale = self.stale(&batch, &online);
        Lesson { batch, loss, gradients, surprises, again, worth, stale }
    }

    /// Learns from one draw; the loss and what else is told.
    fn update(&mut self) -> Vec<(&'static str, f64)> {
        let Lesson { batch, loss, mut gradients, surprises, again, worth, stale, .. } = self.lesson();
        let config = &self.plan.config;
        let norm = clip(&mut gradients, config.norm);
        self.adam.step(&mut self.params, &gradients, config.lr);
        self.updates += 1;
        if self.updates.is_multiple_of(config.target_every) {
            self.target = self.params.frozen();
        }
        let (n, dead) = (batch.drawn.count, &batch.drawn.dead[batch.head.count..]);
        let of = |copy: usize| {
            let rows = (0..surprises.len() / n).map(|t| t * n + copy);
            let own: Vec<f32> = rows.filter(|&at| !dead[at]).map(|at| surprises[at]).collect();
            of_surprises(&own)
        };
        let priorities: Vec<f64> = (0..n).map(of).collect();
        self.replay.update(&batch.drawn, &priorities);
        let mut told = vec![
            ("train/q_loss", loss),
            ("train/reconstruction_loss", again.map_or(0.0, |(loss, _)| loss)),
            ("train/grad_norm", norm),
            ("train/q", worth),
        ];
        told.extend(again.map(|(_, accuracy)| ("train/reconstruction_accuracy", accuracy)));
        told.extend(stale.map(|apart| ("train/stale", apart)));
        told
    }
}

/// What the next update of a run would learn from, of the steps that are learnt from, one row after another.
#[cfg(test)]
pub(crate) struct Taught {
    pub(crate) loss: f64,
    pub(crate) accuracy: Option<f64>,
    pub(crate) stale: Option<f64>,
    /// The integers of what was done.
    pub(crate) action: Vec<i32>,
    pub(crate) surprises: Vec<f32>,
    pub(crate) reward: Vec<f32>,
    pub(crate) cont: Vec<f32>,
    pub(crate) valid: Vec<bool>,
    /// What each sequence counts.
    pub(crate) importance: Vec<f32>,
    /// Before they are clipped, in the order of the weights.
    pub(crate) gradients: Gradients,
}

impl Learner for R2d2 {
    fn advance(&mut self) -> Result<Step, TrainError> {
        let mut step = Step::default();
        let every = self.plan.config.train_every;
        let steps = every.div_ceil(self.collector.copies());
        let mut means = Means::default();
        for _ in 0..UPDATES {
            self.play(steps)?;
            let played = self.collector.played().env_steps;
            let due = played.saturating_sub(self.plan.config.replay_min) / every as u64;
            while self.updates < due && !self.replay.is_empty() {
                means.add(self.update());
            }
        }
        for (name, mean) in self.collector.stats.take() {
            step.scalar(&format!("episode/{name}"), mean);
        }
        means.tell(&mut step);
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
        saved.set_play(&self.collector.save()?, &(&self.now, &self.replay));
        Ok(saved)
    }

    fn load(&mut self, saved: &Saved) -> Result<(), TrainError> {
        let kept: Kept = saved.json()?;
        let numbers = saved.like("", &self.params)?;
        let target = saved.like("target.", &self.params)?;
        let first = saved.like("adam.first.", &self.params)?;
        let second = saved.like("adam.second.", &self.params)?;
        let (place, (now, replay)): (Place, (Now, Replay)) = saved.play()?;
        let sizes = |now: &Now| [now.memory.state.len(), now.memory.slots.len(), now.best.len(), now.done.len()];
        let slot = self.network.slot().max(1);
        let whole = now.memory.slots.iter().all(|own| own.len().is_multiple_of(slot));
        if sizes(&now) != sizes(&self.now) || !whole || !replay.fits(&self.replay) {
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
        (self.now, self.replay) = (now, replay);
        (self.updates, self.blocks) = (kept.updates, kept.blocks);
        Ok(())
    }
}
