//! Scripted policies.

use heldout_core::{Policy, Rng, Scripted, View};

use crate::action::Action;
use crate::blind::Blind;
use crate::environment::LilGym;
use crate::planner::Plan;

/// Draws after which a random policy gives up looking for a valid action.
const MOST_DRAWS: u32 = 10_000;

pub(crate) fn all() -> Vec<Scripted<LilGym>> {
    let planner = "Searches for the shortest edit that reaches the goal, then stops.";
    vec![
        Scripted::of::<Planner>("oracle", planner),
        Scripted::of::<Planner>("planner", planner),
        Scripted::of::<Blind>(
            "blind",
            "Does not read: clears the boxes to make a sentence false, makes a fixed list of additions to make it true.",
        )
        .shortcut(),
        Scripted::of::<Noop>("noop", "Stops at once.").shortcut(),
        Scripted::of::<RandomValid>("random", "Uniformly random over the actions that are valid in the state."),
    ]
}

/// Uniformly random over the valid actions.
#[derive(Debug, Default)]
struct RandomValid;

impl Policy<LilGym> for RandomValid {
    type Memory = ();
    /// Which actions are valid is not in every observation.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &LilGym) {}

    fn act(&self, rules: &LilGym, view: View<'_, LilGym>, (): &mut (), rng: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        for _ in 0..MOST_DRAWS {
            let action = rules.numbers.action(rng.below(rules.numbers.flat()));
            if rules.is_valid(&state.scene, action) {
                return action;
            }
        }
        Action::Stop
    }
}

/// Stops at once.
#[derive(Debug, Default)]
struct Noop;

impl Policy<LilGym> for Noop {
    type Memory = ();

    fn remember(&self, _: &LilGym) {}

    fn act(&self, _: &LilGym, _: View<'_, LilGym>, (): &mut (), _: &mut Rng) -> Action {
        Action::Stop
    }
}

/// Follows the planner.
#[derive(Debug, Default)]
struct Planner;

impl Policy<LilGym> for Planner {
    /// The plan, and how much of it is done.
    type Memory = Option<(Plan, usize)>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &LilGym) -> Self::Memory {
        None
    }

    fn act(&self, rules: &LilGym, view: View<'_, LilGym>, memory: &mut Self::Memory, _: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        if memory.is_none() {
            *memory = rules.plan(state, view.stop).map(|plan| (plan, 0));
        }
        // Broken off: nobody waits for the action.
        let Some((plan, done)) = memory else { return Action::Stop };
        let next = plan.edits.as_ref().and_then(|edits| edits.get(*done)).copied();
        *done += 1;
        next.unwrap_or(Action::Stop)
    }
}
