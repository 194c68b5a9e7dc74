//! `s2b/listener-v1`: listen to a rule-based speaker whose words are new in every episode.

use heldout_core::{About, ConfigError, Scripted, Status};

use crate::codec::{Act, Role};
use crate::config::{ListenerConfig, Settings};
use crate::episode::{Episode, Rulebook};
use crate::games::{Cast, Games, RandomLegal, about};
use crate::reference::{Bayes, Binds1, Binds2, ExactMatch, Nearest};
use crate::shortcut::{Blind, Reflex, Rote};

pub(crate) static ABOUT: About = about(
    "s2b/listener-v1",
    include_str!("../cards/listener.md"),
    "Bind a speaker's words to stimuli within the episode, then understand combinations that were held out.",
);

/// One agent listens to a rule.
#[derive(Debug, Default)]
pub(crate) struct Listener;

impl Cast for Listener {
    type Config = ListenerConfig;

    fn roles(&self) -> &'static [Role] {
        &[Role::Listener]
    }

    fn settings(&self, config: &ListenerConfig) -> Result<Settings, ConfigError> {
        config.check()
    }

    fn step(&self, rulebook: &Rulebook, ep: &mut Episode, acts: &[Act]) -> (f32, Status) {
        rulebook.step_with_speaker(ep, &acts[0])
    }

    fn policies() -> Vec<Scripted<Games<Self>>> {
        vec![
            Scripted::of::<Nearest>("oracle", "The same as `nearest`: perfect memory, no knowledge of the structure."),
            Scripted::of::<Nearest>("nearest", Nearest::ABOUT),
            Scripted::of::<Bayes>("bayes", Bayes::ABOUT),
            Scripted::of::<ExactMatch>("exact-match", ExactMatch::ABOUT),
            Scripted::of::<Binds1>("binds1", Binds1::ABOUT).probe(),
            Scripted::of::<Binds2>("binds2", Binds2::ABOUT).probe(),
            Scripted::of::<Reflex>("reflex", Reflex::ABOUT).shortcut(),
            Scripted::of::<Blind>("blind", Blind::ABOUT).shortcut(),
            Scripted::of::<Rote>("rote", Rote::ABOUT).shortcut(),
            Scripted::of::<RandomLegal>("random", RandomLegal::ABOUT),
        ]
    }
}
