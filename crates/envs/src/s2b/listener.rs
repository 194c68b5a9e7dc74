//! `s2b/listener-v1`: listen to a rule-based speaker whose words are new in every episode.

use heldout_core::{ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;

pub use super::config::ListenerConfig as Config;

use super::codec::{Act, Role};
use super::episode::{Episode, Rules};
use super::reference::{Bayes, ExactMatch, Nearest};
use super::{PRESETS, RandomLegal, Referential, draw, observe};
use crate::registry::About;

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "s2b/listener-v1",
    summary: "Bind a speaker's words to stimuli within the episode, then understand combinations that were held out.",
    card: include_str!("listener.md"),
    split_key: "split",
    splits: &["combinatorial2", "combinatorial2_shuffled"],
    presets: PRESETS,
    smallest: "{}",
};

static ROLES: [Role; 1] = [Role::Listener];

/// The rules, with a rule-based speaker inside.
#[derive(Debug)]
pub struct Listener(Rules);

impl Referential for Listener {
    const LISTENER: usize = 0;

    fn rules(&self) -> &Rules {
        &self.0
    }
}

impl Environment for Listener {
    type Config = Config;
    type State = Episode;
    type Action = Act;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self(Rules::new(config.check()?, &ROLES)))
    }

    fn spec(&self) -> &Spec {
        &self.0.spec
    }

    fn decode(&self, agent: usize, raw: &[i32]) -> Option<Act> {
        self.0.spec.agents[agent].action.contains(raw).then(|| self.0.codecs[Role::Listener as usize].decode(raw))
    }

    fn encode(&self, _: usize, action: Act, raw: &mut [i32]) {
        self.0.codecs[Role::Listener as usize].encode(&action, raw);
    }

    fn start(&self, start: Start) -> Episode {
        self.0.start(start)
    }

    fn restart(&self, state: &mut Episode, start: Start) {
        self.0.restart(state, start);
    }

    fn reserve(&self, state: &mut Episode) {
        self.0.reserve(state);
    }

    fn step(&self, state: &mut Episode, actions: &[Act], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.0.step_with_speaker(state, &actions[0]);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &Episode, agent: usize, row: Row<'_, '_>) {
        self.0.layout.observe(&self.0, state, agent, row);
    }

    fn draw(&self, state: &Episode, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        draw::draw(&self.0, state, Role::Listener, &mut canvas);
    }

    fn metrics(&self, state: &Episode, values: &mut [f32]) {
        observe::metrics(&self.0, state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Nearest>("oracle", "The same as `nearest`: perfect memory, no knowledge of the structure."),
            Scripted::of::<Nearest>("nearest", "Reads each value as the token of the nearest value it was shown."),
            Scripted::of::<Bayes>("bayes", "Weighs every structure that what it was shown allows."),
            Scripted::of::<ExactMatch>("exact-match", "Knows a value only if it has seen that very number."),
            Scripted::of::<RandomLegal>("random", "Uniformly random over the actions that the mask allows."),
        ]
    }
}
