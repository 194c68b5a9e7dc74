//! The scripted policies, for whichever way the task is seen.

use heldout_core::{Policy, Random, Rng, Scripted, View};

use crate::environment::{Halma, Sight};
use crate::maze::Direction;
use crate::observation::Entries;
use crate::option::Move;
use crate::oracle::{Notes, explore};

/// The view of a policy that reads digits where the agent sees panels.
const BOXES: &str = r#"{"boxes": true}"#;

/// All policies but `random`.
pub(crate) fn all<S: Sight>() -> Vec<Scripted<Halma<S>>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Explores in the first trial, then repeats the way in straight runs."),
        Scripted::of::<Explorer>("explorer", "Explores in every trial, as the oracle does in the first."),
        Scripted::of::<Half>(
            "half",
            "The explorer with each action random with probability one half: gathers a mixed experience.",
        ),
        Scripted::of::<Stepper>(
            "stepper",
            "Goes one move at a time along open directions, goal's signs and hints: cannot tell digits apart.",
        )
        .shortcut(),
        Scripted::of::<Ignorer>(
            "ignorer",
            "The explorer that ignores the distances to crossings: goes to the wall, or as far as the goal.",
        )
        .shortcut()
        .seeing(if S::HIDDEN { BOXES } else { "" }),
        Scripted::of::<Noop>("noop", "Never moves."),
    ]
}

/// Explores, then repeats the way if it `PLANS`.
#[derive(Debug, Default)]
struct Walker<const PLANS: bool>;

type Oracle = Walker<true>;
type Explorer = Walker<false>;

impl<S: Sight, const PLANS: bool> Policy<Halma<S>> for Walker<PLANS> {
    type Memory = Notes;
    const PRIVILEGED: bool = S::HIDDEN;

    fn remember(&self, _: &Halma<S>) -> Notes {
        Notes::default()
    }

    fn act(&self, env: &Halma<S>, view: View<'_, Halma<S>>, notes: &mut Notes, rng: &mut Rng) -> Move {
        notes.act(&env.entries(&view), env.trials.options.reach(), PLANS, rng)
    }
}

/// The explorer with each action random with probability one half.
#[derive(Debug, Default)]
struct Half;

impl<S: Sight> Policy<Halma<S>> for Half {
    /// The direction of the last action, if it was not random.
    type Memory = Option<Direction>;
    const PRIVILEGED: bool = S::HIDDEN;

    fn remember(&self, _: &Halma<S>) -> Option<Direction> {
        None
    }

    fn act(&self, env: &Halma<S>, view: View<'_, Halma<S>>, last: &mut Option<Direction>, rng: &mut Rng) -> Move {
        if rng.below(2) == 0 {
            *last = None;
            return Random.act(env, view, &mut (), rng);
        }
        step_of(&env.entries(&view), env.trials.options.reach(), last, rng)
    }
}

/// The next move of one who explores and remembers no more than the direction of the `last` one.
fn step_of(entries: &Entries, reach: u32, last: &mut Option<Direction>, rng: &mut Rng) -> Move {
    let action = explore(entries, *last, rng);
    let length = u32::from(action.length).min(reach) as u8;
    // After the goal everything is seen from the start, where there is no way back.
    let arrives = entries.distance() == i32::from(length) && entries.toward(action.direction) == entries.distance();
    *last = (!arrives).then_some(action.direction);
    Move { length, ..action }
}

/// Goes one move at a time, by what is left of a view without its digits.
#[derive(Debug, Default)]
struct Stepper;

impl<S: Sight> Policy<Halma<S>> for Stepper {
    type Memory = ();

    fn remember(&self, _: &Halma<S>) {}

    fn act(&self, env: &Halma<S>, view: View<'_, Halma<S>>, (): &mut (), rng: &mut Rng) -> Move {
        Move { length: 1, ..explore(&env.sight.glance(view.row), None, rng) }
    }
}

/// Explores without the distances to crossings.
#[derive(Debug, Default)]
struct Ignorer;

impl<S: Sight> Policy<Halma<S>> for Ignorer {
    /// The direction of the last action, unless it led to the goal.
    type Memory = Option<Direction>;

    fn check(env: &Halma<S>) -> Result<(), String> {
        let problem = "`boxes` is `false`, must be `true`: digits are read from the field of boxes, not from pixels";
        if env.tells_digits() { Ok(()) } else { Err(problem.to_owned()) }
    }

    fn remember(&self, _: &Halma<S>) -> Option<Direction> {
        None
    }

    fn act(&self, env: &Halma<S>, view: View<'_, Halma<S>>, last: &mut Option<Direction>, rng: &mut Rng) -> Move {
        let entries = env.told(view.row).unwrap_or_default().without_crossings();
        step_of(&entries, env.trials.options.reach(), last, rng)
    }
}

#[derive(Debug, Default)]
struct Noop;

impl<S: Sight> Policy<Halma<S>> for Noop {
    type Memory = ();

    fn remember(&self, _: &Halma<S>) {}

    fn act(&self, _: &Halma<S>, _: View<'_, Halma<S>>, (): &mut (), _: &mut Rng) -> Move {
        Move { direction: Direction::Left, length: 0 }
    }
}
