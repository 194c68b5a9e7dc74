//! Who plays which agent of an environment: scripted policies are seated in its batch, agents answer turns beside them.

use std::sync::Arc;

use heldout_core::{PolicyInfo, Seed, Spec, VecEnv};

use crate::entrant::{Agent, Entrant, Place, Play, Seated};
use crate::play::{Actor, PARTNER, PlayError, Seats, Turn};

/// Who plays each agent of an environment.
pub(crate) struct Seating {
    /// The scripted policy of each agent, where it has one.
    scripted: Vec<Option<String>>,
    /// The agents that are not scripted, and which of the environment's agents each plays.
    guests: Vec<(Arc<dyn Agent>, Vec<bool>)>,
}

impl Seating {
    /// Seats `entrant`; a plain name of a scripted policy goes to every agent that has one, with `oracle`s beside it.
    pub(crate) fn fitting(
        entrant: &Entrant,
        place: &Place<'_>,
        spec: &Spec,
        policies: &[PolicyInfo],
    ) -> Result<Self, PlayError> {
        match &entrant.play {
            Play::Scripted(text) => Ok(Self::of(&Seats::fitting(text, spec, policies)?)),
            _ => Self::strict(entrant, place, spec),
        }
    }

    /// Seats `entrant`; a plain name of a scripted policy goes to every agent.
    pub(crate) fn strict(entrant: &Entrant, place: &Place<'_>, spec: &Spec) -> Result<Self, PlayError> {
        match &entrant.play {
            Play::Scripted(text) => Ok(Self::of(&Seats::parse(text, spec)?)),
            Play::Agent(agent) => {
                let plays: Vec<bool> = spec.agents.iter().map(|a| agent.plays(place, a.name)).collect();
                if !plays.contains(&true) {
                    let agents: Vec<_> = spec.agents.iter().map(|a| a.name).collect();
                    return Err(PlayError::Actor(format!("`{}` plays none of the agents {agents:?}", agent.name())));
                }
                let scripted = plays.iter().map(|plays| (!plays).then(|| PARTNER.to_owned())).collect();
                Ok(Self { scripted, guests: vec![(Arc::clone(agent), plays)] })
            }
            Play::Mixed(seats) => Self::mixed(seats, place, spec),
        }
    }

    fn of(seats: &Seats) -> Self {
        Self { scripted: seats.names().iter().cloned().map(Some).collect(), guests: Vec::new() }
    }

    fn mixed(seats: &[(String, Seated)], place: &Place<'_>, spec: &Spec) -> Result<Self, PlayError> {
        let mut seating = Self { scripted: vec![None; spec.agents.len()], guests: Vec::new() };
        let mut taken = vec![false; spec.agents.len()];
        for (name, seated) in seats {
            let known = || spec.agents.iter().map(|a| a.name).collect();
            let bad = || PlayError::Seats { part: name.clone(), agents: known() };
            let at = spec.agent(name).ok_or_else(bad)?;
            if std::mem::replace(&mut taken[at], true) {
                return Err(bad());
            }
            match seated {
                Seated::Scripted(policy) => seating.scripted[at] = Some(policy.clone()),
                Seated::Agent(agent) if !agent.plays(place, name) => {
                    return Err(PlayError::Actor(format!("`{}` does not play the agent `{name}`", agent.name())));
                }
                Seated::Agent(agent) => {
                    let there = seating.guests.iter().position(|(known, _)| Arc::ptr_eq(known, agent));
                    let index = there.unwrap_or_else(|| {
                        seating.guests.push((Arc::clone(agent), vec![false; taken.len()]));
                        seating.guests.len() - 1
                    });
                    seating.guests[index].1[at] = true;
                }
            }
        }
        match taken.iter().position(|taken| !taken) {
            Some(agent) => Err(PlayError::Empty { agent: spec.agents[agent].name }),
            None => Ok(seating),
        }
    }

    /// Whether anyone here is not scripted.
    pub(crate) fn has_agents(&self) -> bool {
        !self.guests.is_empty()
    }

    /// Who plays at `place`, as records say it: one for all agents, or each by its own.
    pub(crate) fn text(&self, place: &Place<'_>, spec: &Spec) -> String {
        let identity = |agent: usize| {
            let guest = self.guests.iter().find(|(_, plays)| plays[agent]).map(|(guest, _)| guest.identity(place));
            self.scripted[agent].clone().or(guest).unwrap_or_default()
        };
        Seats::new((0..spec.agents.len()).map(identity).collect()).text(spec)
    }

    /// Seats the scripted policies in `env`, and gives back who answers for the others, if anyone.
    pub(crate) fn sit(&self, env: &mut dyn VecEnv, place: &Place<'_>) -> Result<Option<Box<dyn Actor>>, PlayError> {
        for (agent, policy) in self.scripted.iter().enumerate() {
            if let Some(policy) = policy {
                env.seat(agent, policy, Seed(0))?;
            }
        }
        self.guests(env.spec(), place)
    }

    /// Who answers for the agents that are not scripted, if there are any.
    pub(crate) fn guests(&self, spec: &Spec, place: &Place<'_>) -> Result<Option<Box<dyn Actor>>, PlayError> {
        let sit = |(agent, plays): &(Arc<dyn Agent>, Vec<bool>)| {
            let actor = agent.actor(place, spec).map_err(PlayError::Actor)?;
            Ok(Guest { actor, plays: plays.clone() })
        };
        let guests = self.guests.iter().map(sit).collect::<Result<Vec<_>, PlayError>>()?;
        if guests.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(Guests { guests, answers: Vec::new() })))
    }
}

/// An agent in play beside others.
struct Guest {
    actor: Box<dyn Actor>,
    plays: Vec<bool>,
}

/// The agents at one batch: each is asked, and answers for those that it plays.
struct Guests {
    guests: Vec<Guest>,
    answers: Vec<i32>,
}

impl Actor for Guests {
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
        let Turn { spec, config, observation, rewards, metrics, starts, playing, seeds, done, actions, .. } = turn;
        for Guest { actor, plays } in &mut self.guests {
            self.answers.clear();
            self.answers.extend_from_slice(actions);
            let answers = &mut self.answers[..];
            let agents = plays.as_slice();
            actor.act(Turn {
                spec,
                config,
                observation,
                rewards,
                metrics,
                starts,
                playing,
                seeds,
                done,
                agents,
                actions: answers,
            })?;
            let width = spec.action_width();
            for (own, said) in actions.chunks_exact_mut(width).zip(self.answers.chunks_exact(width)) {
                for agent in (0..plays.len()).filter(|&agent| plays[agent]) {
                    let span = spec.action_span(agent);
                    own[span.clone()].copy_from_slice(&said[span]);
                }
            }
        }
        Ok(())
    }
}

impl Entrant {
    /// Seats itself at the one environment of `place`: its scripted policies in `env`, and whoever answers for the other
    /// agents is given back.
    ///
    /// # Errors
    ///
    /// If it cannot play there.
    pub fn sit(&self, env: &mut dyn VecEnv, place: &Place<'_>) -> Result<Option<Box<dyn Actor>>, PlayError> {
        let spec = env.spec().clone();
        Seating::strict(self, place, &spec)?.sit(env, place)
    }
}
