//! S2B: meta-referential games, in which symbols must be bound to stimuli within the episode and then recombined.
//!
//! A speaker knows a target, a listener must tell whether it is among its stimuli. Structure, looks and the listener's
//! view of the vocabulary are drawn anew for every episode, so nothing learnt across episodes says what a token means;
//! the *support* games of the episode teach it, and its *query* games ask for combinations that were held out.
//!
//! - [`space`] and [`split`]: what can be meant, how it looks, and what is held out;
//! - [`episode`]: the rules of the games; [`codec`] their messages and actions;
//! - [`listener`], [`game`]: the two environments, `s2b/listener-v1` and `s2b/game-v1`;
//! - [`recall`]: `s2b/recall-v1`, the memory task with the same stimuli;
//! - [`speaker`], [`mod@reference`]: rule-based speakers and listeners;
//! - [`metrics`]: how compositional a language is, how disentangled the stimuli are.

pub mod codec;
pub mod config;
mod draw;
pub mod episode;
pub mod game;
pub mod listener;
pub mod metrics;
mod observe;
pub mod recall;
pub mod reference;
pub mod space;
pub mod speaker;
pub mod split;

use heldout_core::{Environment, Policy, Rng, View};

use crate::registry::Preset;
use codec::{Act, Role};
use episode::{Episode, Rules};
use observe::Part;

/// The configs of the published experiments, for both games.
pub(crate) static PRESETS: &[Preset] = &[
    Preset {
        name: "table1",
        about: "Table 1, two learners: set `shots` to 1 or 2.",
        config: r#"{"samples": 4, "shots": 1}"#,
    },
    Preset {
        name: "table2",
        about: "Table 2: the smallest space, one look a value, one shot.",
        config: r#"{"max_values": 3, "vocabulary": 4, "samples": 1, "shots": 1}"#,
    },
    Preset {
        name: "table3",
        about: "Table 3: set `samples` to 1, 4 or 16 and `shots` to 1, 2 or 4.",
        config: r#"{"samples": 1, "shots": 1}"#,
    },
    Preset {
        name: "fig6",
        about: "Figure 6 as the training code has it: four stimuli, one of them always the target, three one-token \
                messages, two passes, no feedback.",
        config: r#"{"samples": 1, "support_rule": "all", "support_passes": 2, "distractors": 3, "descriptive": false, "message_length": 1, "rounds": 3, "feedback": false}"#,
    },
    Preset {
        name: "regym",
        about: "As the training code sees the games: a decision and a message are one of 519 actions, the channel carries \
                what was said last, and no unit of `round` stands for the feedback.",
        config: r#"{"actions": "combined", "round_shows_feedback": false, "latch_message": false, "speak_any_time": true}"#,
    },
    Preset {
        name: "parity",
        about: "The public code's choices, with its unclipped tails and its ratio of targets, its other defects excepted.",
        config: r#"{"query_rule": "original", "distractor_pool": "listed", "target_ratio": "original", "tail": "none", "latch_message": false, "speak_any_time": true, "actions": "combined", "round_shows_feedback": false}"#,
    },
];

/// An environment of referential games: what its scripted policies need to know of it.
pub trait Referential: Environment<State = Episode, Action = Act> {
    /// Which agent listens.
    const LISTENER: usize;

    /// The rules that both environments share.
    fn rules(&self) -> &Rules;
}

/// Uniformly random over the actions that the mask allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomLegal;

impl<E: Referential> Policy<E> for RandomLegal {
    type Memory = ();

    fn remember(&self, _: &E) {}

    fn act(&self, env: &E, view: View<'_, E>, (): &mut (), rng: &mut Rng) -> Act {
        let layout = &env.rules().layout;
        let role = if view.agent == E::LISTENER { Role::Listener } else { Role::Speaker };
        let mut mask = layout.read(view.row, role, layout.blocks() - 1, Part::ActionMask);
        let sizes = env.spec().agents[view.agent].action.sizes();
        let mut raw = [0; heldout_core::MAX_ACTION_WIDTH];
        for (choice, &n) in raw.iter_mut().zip(sizes) {
            let (own, rest) = mask.split_at(n as usize);
            mask = rest;
            let legal = own.iter().filter(|&&x| x == 1.0).count();
            // An ended block of skipped steps allows nothing.
            let at = rng.below(legal.max(1) as u32) as usize;
            *choice = own.iter().enumerate().filter(|&(_, &x)| x == 1.0).nth(at).map_or(0, |(i, _)| i as i32);
        }
        env.rules().codecs[role as usize].decode(&raw[..sizes.len()])
    }
}
