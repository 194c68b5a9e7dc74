//! Scripted policies.

use heldout_core::{Policy, Rng, Scripted, View};

use super::action::Action;
use super::planner::{Plan, plan_within};
use super::{LilGym, Task};

/// Draws after which a random policy gives up looking for a valid action.
const MOST_DRAWS: u32 = 10_000;

pub(super) fn all<T: Task>() -> Vec<Scripted<LilGym<T>>> {
    let planner = "Searches for the shortest edit that reaches the goal, then stops.";
    vec![
        Scripted::of::<Planner>("oracle", planner),
        Scripted::of::<Planner>("planner", planner),
        Scripted::of::<Noop>("noop", "Stops at once."),
        Scripted::of::<RandomValid>("random", "Uniformly random over the actions that are valid in the state."),
    ]
}

/// Uniformly random over the valid actions.
#[derive(Debug, Default)]
pub struct RandomValid;

impl<T: Task> Policy<LilGym<T>> for RandomValid {
    type Memory = ();
    /// Which actions are valid is not in every observation.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &LilGym<T>) {}

    fn act(&self, rules: &LilGym<T>, view: View<'_, LilGym<T>>, (): &mut (), rng: &mut Rng) -> Action {
        let (rules, state) = (rules.rules(), view.state.expect("the policy is privileged"));
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
pub struct Noop;

impl<T: Task> Policy<LilGym<T>> for Noop {
    type Memory = ();

    fn remember(&self, _: &LilGym<T>) {}

    fn act(&self, _: &LilGym<T>, _: View<'_, LilGym<T>>, (): &mut (), _: &mut Rng) -> Action {
        Action::Stop
    }
}

/// Follows the planner.
#[derive(Debug, Default)]
pub struct Planner;

impl<T: Task> Policy<LilGym<T>> for Planner {
    /// The plan, and how much of it is done.
    type Memory = Option<(Plan, usize)>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &LilGym<T>) -> Self::Memory {
        None
    }

    fn act(&self, rules: &LilGym<T>, view: View<'_, LilGym<T>>, memory: &mut Self::Memory, _: &mut Rng) -> Action {
        let (rules, state) = (rules.rules(), view.state.expect("the policy is privileged"));
        let (plan, done) = memory.get_or_insert_with(|| {
            let plan = if state.steps == 0 {
                rules.plan(state)
            } else {
                let left = rules.config().horizon.saturating_sub(1 + state.steps);
                plan_within(rules, &rules.statement(state).program, &state.scene, state.target, left)
            };
            (plan, 0)
        });
        let next = plan.edits.as_ref().and_then(|edits| edits.get(*done)).copied();
        *done += 1;
        next.unwrap_or(Action::Stop)
    }
}
