//! Who plays, what they see, and playing by what was learnt.

use heldout_core::Spec;

use super::config::{Config, Sad};
use super::network::{Memory, Network};
use crate::nn::{Device, Params, values};
use crate::parts::checkpoint::unpack;
use crate::parts::inputs::{Inputs, Last, Previous, Rows};
use crate::player::{Moment, Player, PlayerError};
use crate::train::TrainError;

/// Combinations of components that are still told apart as one choice.
const JOINT: usize = 64;

/// What does not change while a policy is learnt.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) config: Config,
    pub(super) spec: Spec,
    pub(super) inputs: Inputs,
    /// Choices of each agent: all combinations, where an action has components.
    pub(super) choices: Vec<usize>,
    seats: Vec<bool>,
}

impl Plan {
    pub(super) fn new(config: &Config, spec: &Spec) -> Result<Self, String> {
        let agents = spec.agents.len();
        if agents > 2 {
            return Err(format!("r2d2 plays environments with one or two agents, this one has {agents}"));
        }
        // What was done and paid last is an input wherever the environment does not say it itself.
        let told = spec.field("previous_reward").is_some();
        let previous = Previous { action_and_reward: !told, reward_scale: 1.0, metrics: Vec::new() };
        let sizes = |agent: usize| spec.agents[agent].action.sizes();
        let choices: Vec<usize> = (0..agents).map(|a| sizes(a).iter().map(|&n| n as usize).product()).collect();
        let room = match (agents, config.sad) {
            (1, _) | (_, Sad::Off) => 0,
            (_, Sad::Bit) => choices[1],
            (_, Sad::Raw) => choices[0].max(choices[1]),
        };
        let inputs =
            if agents == 1 { Inputs::new(spec, 0, &previous, &[])? } else { Inputs::team(spec, &previous, room)? };
        for (agent, own) in inputs.each().enumerate() {
            if own.sizes.len() > 1 && (own.has_mask() || choices[agent] > JOINT) {
                return Err(format!(
                    "r2d2 learns one choice of some, not {} at once: choose a view such as `actions = \"sentences\"`",
                    own.sizes.len()
                ));
            }
        }
        if inputs.has_text() || !inputs.pictures.is_empty() {
            return Err("r2d2 learns from vectors, not from pictures or text".to_owned());
        }
        Ok(Self { config: config.clone(), spec: spec.clone(), inputs, choices, seats: vec![true; agents] })
    }

    pub(super) fn network(&self, params: &mut Params) -> Result<Network, String> {
        Network::new(params, &self.inputs, &self.choices, &self.spec, &self.config)
    }

    pub(super) fn agents(&self) -> usize {
        self.choices.len()
    }

    /// Numbers of a row's mask.
    pub(super) fn legal(&self) -> usize {
        if self.inputs.has_mask() { self.choices.iter().sum() } else { 0 }
    }

    /// Which choices of an agent are legal at a row, where rows say so.
    pub(super) fn legal_of<'a>(&self, rows: &'a Rows, row: usize, agent: usize) -> Option<&'a [bool]> {
        let begin: usize = self.choices[..agent].iter().sum();
        Some(&rows.legal_of(row)?[begin..][..self.choices[agent]])
    }

    /// Which choice the integers of a copy are for an agent.
    pub(super) fn choice(&self, action: &[i32], agent: usize) -> usize {
        let sizes = self.spec.agents[agent].action.sizes();
        let own = &action[self.spec.action_span(agent)];
        own.iter().zip(sizes).fold(0, |choice, (&i, &n)| choice * n as usize + i as usize)
    }

    /// Writes a choice of an agent among the integers of a copy.
    pub(super) fn write(&self, choice: usize, agent: usize, action: &mut [i32]) {
        let sizes = self.spec.agents[agent].action.sizes();
        let mut left = choice;
        for (slot, &n) in action[self.spec.action_span(agent)].iter_mut().zip(sizes).rev() {
            *slot = (left % n as usize) as i32;
            left /= n as usize;
        }
    }

    /// Writes into rows what agents are told of each other: what each would best have done at the step before, `best`, beside what
    /// it did, `done`, a choice of each agent of each copy; nothing where an episode begins.
    pub(super) fn tell(&self, rows: &mut Rows, best: &[usize], done: &[usize], starts: &[bool]) {
        let (own, room) = self.inputs.own();
        if room == 0 {
            return;
        }
        for (copy, _) in starts.iter().enumerate().filter(|(_, start)| !**start) {
            for agent in 0..2 {
                let partner = copy * 2 + 1 - agent;
                let end = (copy * 2 + agent + 1) * own;
                let told = &mut rows.vectors[end - room..end];
                if agent == 1 && self.config.sad == Sad::Bit {
                    told[0] = f32::from(u8::from(best[partner] == done[partner]));
                } else {
                    told[best[partner]] = 1.0;
                }
            }
        }
    }
}

/// The first of the choices that are worth most among those that are legal.
pub(super) fn best(q: &[f32], legal: Option<&[bool]>) -> usize {
    let open = |a: usize| legal.is_none_or(|legal| legal[a]);
    let legal = (0..q.len()).filter(|&a| open(a));
    legal.reduce(|best, a| if q[a] > q[best] { a } else { best }).unwrap_or(0)
}

/// Whether each body goes on with its episode: 1, or 0 at its first row.
pub(super) fn keeps(starts: &[bool], agents: usize) -> Vec<f32> {
    starts.iter().flat_map(|&start| std::iter::repeat_n(f32::from(u8::from(!start)), agents)).collect()
}

/// A policy of R2D2 with frozen weights: always what is worth most.
pub struct Acting {
    plan: Plan,
    network: Network,
    params: Params,
    memory: Memory,
    last: Last,
}

impl Acting {
    pub(super) fn new(plan: Plan, network: Network, params: Params) -> Self {
        Self { plan, network, params, memory: Memory::default(), last: Last::default() }
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

    /// What is best at the rows of a moment, a choice of each agent of each copy; the memory goes on.
    fn choose(&mut self, rows: &mut Rows, starts: &[bool]) -> Vec<usize> {
        let (copies, agents, width) = (starts.len(), self.plan.agents(), self.plan.spec.action_width());
        let done: Vec<usize> = (0..copies * agents)
            .map(|body| self.plan.choice(&self.last.actions[body / agents * width..][..width], body % agents))
            .collect();
        // Whoever plays now leaves nothing to chance.
        self.plan.tell(rows, &done, &done, starts);
        let keep = keeps(starts, agents);
        let out = self.network.forward(&self.params, rows, &self.memory, &keep);
        self.memory.follow(&out, &keep);
        let worths: Vec<Vec<f32>> = out.q.into_iter().map(values).collect();
        let of = |body: usize| {
            let (copy, agent) = (body / agents, body % agents);
            let n = self.plan.choices[agent];
            best(&worths[agent][copy * n..][..n], self.plan.legal_of(rows, copy, agent))
        };
        (0..copies * agents).map(of).collect()
    }
}

impl Player for Acting {
    fn seats(&self) -> &[bool] {
        &self.plan.seats
    }

    fn act(&mut self, moment: &Moment<'_>, actions: &mut [i32]) -> Result<(), PlayerError> {
        let (copies, agents, width) = (moment.starts.len(), self.plan.agents(), self.plan.spec.action_width());
        if self.memory.slots.len() != copies * agents {
            self.memory = Memory::empty(copies * agents, &self.network);
            self.last.actions = vec![0; actions.len()];
        }
        if let Some(done) = moment.done {
            self.last.actions.copy_from_slice(done);
        }
        self.last.rewards = moment.rewards.to_vec();
        self.last.metrics = moment.metrics.to_vec();
        self.last.starts = moment.starts.to_vec();
        let mut rows = self.plan.inputs.read(moment.observation, copies, &self.last, None);
        let chosen = self.choose(&mut rows, moment.starts);
        for (body, choice) in chosen.into_iter().enumerate() {
            self.plan.write(choice, body % agents, &mut actions[body / agents * width..][..width]);
        }
        self.last.actions.copy_from_slice(actions);
        Ok(())
    }
}
