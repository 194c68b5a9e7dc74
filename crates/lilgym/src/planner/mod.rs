//! The shortest edit that reaches the goal.
//!
//! TOWER is solved exactly (`towers`): a box's contents can be reached from any other's by taking blocks away down to the
//! part they share and stacking the rest, boxes do not interact, and so all scenes can be gone through in the order of
//! their distance.
//!
//! SCATTER (`scatter`) has too many scenes for that. Of the edits that a program cannot tell apart the first stands for all
//! (`canonical`); up to two of these are gone through exactly, then removals alone up to four, and only then does a beam
//! search steer by how far a program is from being satisfied ([`crate::language::Program::shortfall`]). Of several
//! solutions the one with the fewest edits is taken, and among these the first by the numbers of its actions.

mod canonical;
mod scatter;
mod towers;

use std::sync::Arc;

use heldout_core::Stop;

use crate::action::Action;
use crate::config::Appearance;
use crate::environment::{LilGym, State};
use crate::language::Program;
use crate::scene::Scene;
#[cfg(test)]
pub(crate) use canonical::{edits, whole};
use scatter::Search;
use towers::Towers;

/// A solution, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The edits, without the STOP that follows them; `None` if none were found.
    pub(crate) edits: Option<Arc<[Action]>>,
    /// Whether it is proven that nothing shorter, or nothing at all within the horizon, reaches the goal: everything was
    /// gone through.
    pub(crate) proven: bool,
}

impl Plan {
    /// The return of following it: what the edits cost, and 1; without a solution, that of an immediate STOP. To six
    /// decimals, so that it is written as people write it, and a zero without a sign.
    pub(crate) fn value(&self, step_cost: f32) -> f64 {
        let value = |edits: &[Action]| 1.0 - f64::from(step_cost) * edits.len() as f64;
        self.edits.as_deref().map_or(-1.0, |edits| libm::round(value(edits) * 1e6) / 1e6 + 0.0)
    }
}

impl LilGym {
    /// The best that the planner finds for a problem, from its beginning.
    #[cfg(any(feature = "files", test))]
    pub(crate) fn solve(&self, problem: u32) -> Plan {
        self.solve_until(problem, &|| false).expect("nobody stops it")
    }

    /// The same, unless `stop` says so before it is found.
    pub(crate) fn solve_until(&self, problem: u32, stop: Stop<'_>) -> Option<Plan> {
        let plans = if self.default_rules { &self.corpus.plans } else { &self.plans };
        let known = &plans[problem as usize];
        if let Some(plan) = known.get() {
            return Some(plan.clone());
        }
        let own = &self.corpus.problems[problem as usize];
        // What was broken off is not kept.
        let found = plan(self, &self.corpus.statement(problem).program, &own.scene, own.target, stop)?;
        Some(known.get_or_init(|| found).clone())
    }

    /// The best that the planner finds from a state on, unless `stop` says so before.
    pub(crate) fn plan(&self, state: &State, stop: Stop<'_>) -> Option<Plan> {
        if state.steps == 0 && !self.config.permute_boxes {
            return self.solve_until(state.problem, stop);
        }
        let left = self.config.horizon.saturating_sub(1 + state.steps);
        plan_within(self, &self.statement(state).program, &state.scene, state.target, left, stop)
    }
}

/// The shortest edit of `scene` found under which `program` has the value `target`, within the horizon; `None` if `stop`
/// says so before.
pub(crate) fn plan(rules: &LilGym, program: &Program, scene: &Scene, target: bool, stop: Stop<'_>) -> Option<Plan> {
    plan_within(rules, program, scene, target, rules.config.horizon.saturating_sub(1), stop)
}

/// The same, within `most` edits.
fn plan_within(
    rules: &LilGym,
    program: &Program,
    scene: &Scene,
    target: bool,
    most: u32,
    stop: Stop<'_>,
) -> Option<Plan> {
    if program.truth(scene) == Ok(target) {
        return Some(Plan { edits: Some(Arc::new([])), proven: true });
    }
    // Of many copies, those that are left when it is said do not begin.
    if stop() {
        return None;
    }
    let found = match rules.task.appearance {
        Appearance::Tower => Towers::new(rules, scene, stop).solve(program, target, most as usize),
        Appearance::Scatter => Search::new(rules, program, target, stop).solve(scene, most as usize),
    };
    // A search that is broken off finds nothing, which is no answer.
    (!stop()).then_some(found)
}
