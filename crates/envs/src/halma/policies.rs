//! The scripted policies, for whichever way the task is seen.

use heldout_core::{Environment, Policy, Rng, Scripted};

use super::maze::Direction;
use super::observation::View;
use super::option::Move;
use super::oracle::{Notes, explore};
use super::rules::{Rules, State};

/// An environment whose policies act on the eleven entries.
pub trait Entries: Environment<Action = Move, State = State> {
    /// Whether the entries must be taken from the state, since the agent sees pixels.
    const HIDDEN: bool;

    /// The rules.
    fn rules(&self) -> &Rules;

    /// The entries of what is seen.
    fn entries(&self, view: &heldout_core::View<'_, Self>) -> View;

    /// All policies but `random`.
    #[must_use]
    fn scripted() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Explores in the first trial, then repeats the way in straight runs."),
            Scripted::of::<Explorer>("explorer", "Explores in every trial, as the oracle does in the first."),
            Scripted::of::<Half>(
                "half",
                "The explorer with each action random with probability one half: gathers a mixed experience.",
            ),
            Scripted::of::<Noop>("noop", "Never moves."),
        ]
    }
}

/// Explores, then plans.
#[derive(Debug, Default)]
pub struct Oracle;

impl<E: Entries> Policy<E> for Oracle {
    type Memory = Notes;
    const PRIVILEGED: bool = E::HIDDEN;

    fn remember(&self, _: &E) -> Notes {
        Notes::default()
    }

    fn act(&self, env: &E, view: heldout_core::View<'_, E>, notes: &mut Notes, rng: &mut Rng) -> Move {
        notes.act(&env.entries(&view), env.rules().options().reach(), true, rng)
    }
}

/// Explores in every trial.
#[derive(Debug, Default)]
pub struct Explorer;

impl<E: Entries> Policy<E> for Explorer {
    type Memory = Notes;
    const PRIVILEGED: bool = E::HIDDEN;

    fn remember(&self, _: &E) -> Notes {
        Notes::default()
    }

    fn act(&self, env: &E, view: heldout_core::View<'_, E>, notes: &mut Notes, rng: &mut Rng) -> Move {
        notes.act(&env.entries(&view), env.rules().options().reach(), false, rng)
    }
}

/// The explorer with each action random with probability one half.
#[derive(Debug, Default)]
pub struct Half;

impl<E: Entries> Policy<E> for Half {
    /// The direction of the last action, if it was not random.
    type Memory = Option<Direction>;
    const PRIVILEGED: bool = E::HIDDEN;

    fn remember(&self, _: &E) -> Option<Direction> {
        None
    }

    fn act(&self, env: &E, view: heldout_core::View<'_, E>, last: &mut Option<Direction>, rng: &mut Rng) -> Move {
        if rng.below(2) == 0 {
            *last = None;
            return heldout_core::Random.act(env, view, &mut (), rng);
        }
        let entries = env.entries(&view);
        let action = explore(&entries, *last, rng);
        let length = u32::from(action.length).min(env.rules().options().reach()) as u8;
        // After the goal everything is seen from the start, where there is no way back.
        let arrives = entries.distance() == i32::from(length) && entries.toward(action.direction) == entries.distance();
        *last = (!arrives).then_some(action.direction);
        Move { length, ..action }
    }
}

/// Never moves.
#[derive(Debug, Default)]
pub struct Noop;

impl<E: Entries> Policy<E> for Noop {
    type Memory = ();

    fn remember(&self, _: &E) {}

    fn act(&self, _: &E, _: heldout_core::View<'_, E>, (): &mut (), _: &mut Rng) -> Move {
        Move { direction: Direction::Left, length: 0 }
    }
}
