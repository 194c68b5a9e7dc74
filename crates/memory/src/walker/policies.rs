//! What scripted policies of many tasks share: the ones that do nothing, and what they ask of an observation.

use heldout_core::{Environment, Policy, Rng, View};

use super::config::Observation;
use super::controls::Walk;

/// Looks left and right in turn: no action of a walker does nothing.
#[derive(Debug, Default)]
pub(crate) struct Swing;

impl<E: Environment<Action = Walk>> Policy<E> for Swing {
    type Memory = bool;

    fn remember(&self, _: &E) -> bool {
        false
    }

    fn act(&self, _: &E, _: View<'_, E>, right: &mut bool, _: &mut Rng) -> Walk {
        swing(right)
    }
}

/// Left, then right, then left again.
pub(crate) fn swing(right: &mut bool) -> Walk {
    *right = !*right;
    if *right { Walk::LookLeft } else { Walk::LookRight }
}

/// Always the first action.
#[derive(Debug, Default)]
pub(crate) struct First;

impl<E: Environment> Policy<E> for First {
    type Memory = ();

    fn remember(&self, _: &E) {}

    fn act(&self, rules: &E, view: View<'_, E>, (): &mut (), _: &mut Rng) -> E::Action {
        rules.decode(view.agent, &[0]).expect("there is a first action")
    }
}

/// The view of a policy that reads numbers: what [`needs_symbols`] asks for.
pub(crate) const SYMBOLS: &str = r#"{"observation": "symbolic"}"#;
/// The view of a policy that draws a map of what numbers say: what [`needs_symbols`] and [`needs_pose`] ask for.
pub(crate) const SYMBOLS_AND_POSE: &str = r#"{"observation": "symbolic", "pose": true}"#;
/// The view of a policy that draws a map where there are no pictures: what [`needs_pose`] asks for.
pub(crate) const POSE: &str = r#"{"pose": true}"#;

/// Refuses pictures, for a policy that reads numbers.
pub(crate) fn needs_symbols(observation: Observation) -> Result<(), String> {
    match observation {
        Observation::Symbolic => Ok(()),
        Observation::Pixels => {
            Err("`observation` is `pixels`, must be `symbolic` for a policy that reads numbers".to_owned())
        }
    }
}

/// Refuses observations without the pose, for a policy that draws a map.
pub(crate) fn needs_pose(pose: bool) -> Result<(), String> {
    if pose { Ok(()) } else { Err("`pose` is `false`, must be `true` for a policy that draws a map".to_owned()) }
}
