//! Scripted policies: typed by their environment, erased with its batch.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::batch::{Crew, Slot};
use crate::entry::object;
use crate::environment::Environment;
use crate::rng::{Rng, Seed};
use crate::rows::{RowRef, RowsRef};
use crate::spec::MAX_ACTION_WIDTH;

/// What a policy may look at.
pub struct View<'a, E: Environment> {
    /// Which agent it plays.
    pub agent: usize,
    /// What that agent sees.
    pub row: RowRef<'a>,
    /// The whole state, for a policy that declared itself privileged.
    pub state: Option<&'a E::State>,
    /// For a policy that takes long: once it says so, nobody waits for the action. Whatever is answered then is dropped, and
    /// so is the memory.
    pub stop: Stop<'a>,
}

/// Says whether work that takes long is to be broken off: asked again and again, on any thread.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// A way to act in `E`.
pub trait Policy<E: Environment>: Default + Send + Sync + 'static {
    /// What it remembers within an episode.
    type Memory: Send;

    /// Whether it may look at the state. Only oracles are.
    const PRIVILEGED: bool = false;

    /// Checks that it can play under these rules.
    ///
    /// # Errors
    ///
    /// If it cannot: what is wrong, as a sentence that names the value and what is allowed.
    fn check(_rules: &E) -> Result<(), String> {
        Ok(())
    }

    /// Memory at the start of an episode.
    fn remember(&self, rules: &E) -> Self::Memory;

    /// Chooses an action. `rng` is a stream of the policy's own, fixed by the seeds of episode and policy and the number
    /// of the step: asking twice gives the same answer, unless the memory says otherwise.
    fn act(&self, rules: &E, view: View<'_, E>, memory: &mut Self::Memory, rng: &mut Rng) -> E::Action;
}

/// Uniformly random over the action space, component by component.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<E: Environment> Policy<E> for Random {
    type Memory = ();

    fn remember(&self, _: &E) {}

    fn act(&self, rules: &E, view: View<'_, E>, (): &mut (), rng: &mut Rng) -> E::Action {
        let sizes = rules.spec().agents[view.agent].action.sizes();
        let mut raw = [0; MAX_ACTION_WIDTH];
        for (a, &n) in raw.iter_mut().zip(sizes) {
            *a = rng.below(n) as i32;
        }
        rules.decode(view.agent, &raw[..sizes.len()]).expect("every action of the space decodes")
    }
}

/// Name and nature of a scripted policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyInfo {
    /// What the command line calls it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// The one agent it can play, if not any.
    pub agent: Option<usize>,
    /// Whether it looks at the state.
    pub privileged: bool,
    /// Whether it lacks the ability that the task is about: a score means something only above the best of these.
    pub shortcut: bool,
    /// Whether it has a part of that ability: its score is shown beside others, and is never a floor.
    pub probe: bool,
    /// The config overrides that it needs to see what it reads, as a JSON object; empty if it plays under any config.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub view: &'static str,
}

impl PolicyInfo {
    /// The config overrides that it needs to see what it reads.
    ///
    /// # Panics
    ///
    /// If its view is not a JSON object, which is a bug of its family.
    #[must_use]
    pub fn view(&self) -> Map<String, Value> {
        if self.view.is_empty() { Map::new() } else { object(self.view) }
    }
}

/// A named policy of `E`.
pub struct Scripted<E: Environment> {
    pub(crate) info: PolicyInfo,
    pub(crate) check: fn(&E) -> Result<(), String>,
    pub(crate) seat: fn(usize, usize, Seed) -> Box<dyn Seat<E>>,
}

impl<E: Environment> Scripted<E> {
    /// `P` under `name`, for any agent.
    #[must_use]
    pub fn of<P: Policy<E>>(name: &'static str, about: &'static str) -> Self {
        Self {
            info: PolicyInfo {
                name,
                about,
                agent: None,
                privileged: P::PRIVILEGED,
                shortcut: false,
                probe: false,
                view: "",
            },
            check: P::check,
            seat: |agent, len, seed| Box::new(Seated::<E, P>::new(agent, len, seed)),
        }
    }

    /// The same as a shortcut: a policy that lacks the ability that the task is about.
    #[must_use]
    pub fn shortcut(self) -> Self {
        Self { info: PolicyInfo { shortcut: true, ..self.info }, ..self }
    }

    /// The same as a probe: a policy that has a part of the ability that the task is about.
    #[must_use]
    pub fn probe(self) -> Self {
        Self { info: PolicyInfo { probe: true, ..self.info }, ..self }
    }

    /// The same as a policy that needs to see what `view` shows: config overrides as a JSON object, of keys that are among
    /// the entry's [`views`](crate::About::views) or [`aids`](crate::About::aids). An evaluation gives it that view; it
    /// changes what the policy sees, not what it is asked.
    #[must_use]
    pub fn seeing(self, view: &'static str) -> Self {
        Self { info: PolicyInfo { view, ..self.info }, ..self }
    }

    /// `P` under `name`, for `agent` alone.
    #[must_use]
    pub fn for_agent<P: Policy<E>>(name: &'static str, about: &'static str, agent: usize) -> Self {
        let any = Self::of::<P>(name, about);
        Self { info: PolicyInfo { agent: Some(agent), ..any.info }, ..any }
    }
}

/// Names and natures of every policy of `E`.
#[must_use]
pub fn policy_infos<E: Environment>() -> Vec<PolicyInfo> {
    policies::<E>().iter().map(|p| p.info).collect()
}

/// Every policy of `E`; a `random` of the environment's own goes before the uniform one.
pub(crate) fn policies<E: Environment>() -> Vec<Scripted<E>> {
    let mut all = E::policies();
    if all.iter().all(|p| p.info.name != "random" || p.info.agent.is_some()) {
        all.push(Scripted::of::<Random>("random", "Uniformly random over the action space."));
    }
    all
}

/// A policy in play: its type erased, once a batch.
pub(crate) trait Seat<E: Environment>: Send {
    /// Writes its agent's actions for every copy; once a policy has heard `stop` say so, they mean nothing.
    fn act(
        &mut self,
        rules: &E,
        slots: &[Slot<E::State>],
        rows: &RowsRef<'_>,
        actions: &mut [i32],
        crew: &Crew,
        stop: Stop<'_>,
    );

    /// Drops what it remembers of copy `env`.
    fn forget(&mut self, env: usize);
}

struct Seated<E: Environment, P: Policy<E>> {
    policy: P,
    agent: usize,
    seed: Seed,
    minds: Vec<Mind<P::Memory>>,
}

/// One copy's memory of one episode.
struct Mind<M> {
    /// Copy and number of the episode it belongs to.
    episode: (Seed, u64),
    /// Seed of the policy's own chance events in that episode.
    seed: Seed,
    memory: Option<M>,
}

impl<E: Environment, P: Policy<E>> Seated<E, P> {
    fn new(agent: usize, len: usize, seed: Seed) -> Self {
        let mind = || Mind { episode: (Seed(0), 0), seed: Seed(0), memory: None };
        Self { policy: P::default(), agent, seed, minds: (0..len).map(|_| mind()).collect() }
    }
}

impl<E: Environment, P: Policy<E>> Seat<E> for Seated<E, P> {
    fn act(
        &mut self,
        rules: &E,
        slots: &[Slot<E::State>],
        rows: &RowsRef<'_>,
        actions: &mut [i32],
        crew: &Crew,
        stop: Stop<'_>,
    ) {
        let task = Task { policy: &self.policy, rules, rows, agent: self.agent, seed: self.seed, stop };
        crew.enter(|| task.spread(slots, &mut self.minds, actions, 0, crew));
    }

    fn forget(&mut self, env: usize) {
        self.minds[env].memory = None;
    }
}

struct Task<'a, E, P> {
    policy: &'a P,
    rules: &'a E,
    rows: &'a RowsRef<'a>,
    agent: usize,
    seed: Seed,
    stop: Stop<'a>,
}

impl<E: Environment, P: Policy<E>> Task<'_, E, P> {
    fn spread(
        &self,
        slots: &[Slot<E::State>],
        minds: &mut [Mind<P::Memory>],
        actions: &mut [i32],
        first: usize,
        crew: &Crew,
    ) {
        let spec = self.rules.spec();
        let width = spec.action_width();
        if let Some(mid) = crew.split(slots.len()) {
            let (sa, sb) = slots.split_at(mid);
            let (ma, mb) = minds.split_at_mut(mid);
            let (aa, ab) = actions.split_at_mut(mid * width);
            Crew::join(|| self.spread(sa, ma, aa, first, crew), || self.spread(sb, mb, ab, first + mid, crew));
            return;
        }
        let span = spec.action_span(self.agent);
        let agents = spec.agents.len();
        for (i, ((slot, mind), actions)) in slots.iter().zip(minds).zip(actions.chunks_exact_mut(width)).enumerate() {
            let raw = &mut actions[span.clone()];
            if slot.status.ended() {
                // Whatever is done here is ignored: the copy restarts.
                raw.fill(0);
                continue;
            }
            let episode = (slot.copy, slot.episode);
            if slot.steps == 0 || mind.episode != episode || mind.memory.is_none() {
                let seed = slot.start().seed.stream("policy").derive(self.agent as u64).derive(self.seed.0);
                *mind = Mind { episode, seed, memory: Some(self.policy.remember(self.rules)) };
            }
            let row = self.rows.row((first + i) * agents + self.agent);
            let view = View { agent: self.agent, row, state: P::PRIVILEGED.then_some(&slot.state), stop: self.stop };
            let memory = mind.memory.as_mut().expect("remembered above");
            let mut rng = mind.seed.derive(u64::from(slot.steps)).rng();
            let action = self.policy.act(self.rules, view, memory, &mut rng);
            self.rules.encode(self.agent, action, raw);
        }
    }
}
