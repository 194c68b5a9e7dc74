//! Scripted policies of transitive inference.

use heldout_core::{Policy, Rng, Scripted, View};

use super::chain::Side;
use super::inference::{BALLS, Inference, InferenceState};
use super::relations::Relations;
use super::route::steer;
use super::spot_policies::{swing, symbolic_only};
use crate::memory::Walk;

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<Inference>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Walks to the higher ball of every pair; knows the order."),
        Scripted::of::<Honest>(
            "honest",
            "Guesses pairs that it cannot know and learns the order from what is shown next; sees the symbolic \
             observation alone.",
        ),
        Scripted::of::<Memoryless>("memoryless", "Walks to either ball by chance; steers by the state."),
        Scripted::of::<Noop>("noop", "Looks left and right in turn."),
    ]
}

/// Walks to the ball on `side`; straight on while there is none.
fn walk(state: &InferenceState, side: Side) -> Walk {
    if state.shows() { steer(&state.body, BALLS[side as usize]) } else { Walk::LookLeft }
}

/// Picks the higher ball.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl Policy<Inference> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Inference) {}

    fn act(&self, _: &Inference, view: View<'_, Inference>, (): &mut (), _: &mut Rng) -> Walk {
        let state = view.state.expect("the oracle is privileged");
        walk(state, state.chain.higher())
    }
}

/// Picks a ball by chance.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl Policy<Inference> for Memoryless {
    /// The choice, until the balls are gone.
    type Memory = Option<Side>;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Inference) -> Option<Side> {
        None
    }

    fn act(&self, _: &Inference, view: View<'_, Inference>, choice: &mut Option<Side>, rng: &mut Rng) -> Walk {
        let state = view.state.expect("steering is privileged");
        if !state.shows() {
            *choice = None;
        }
        walk(state, *choice.get_or_insert_with(|| *rng.pick(&Side::ALL)))
    }
}

/// Learns the order.
#[derive(Debug, Default)]
pub(super) struct Honest;

/// What is known, and the ball that is walked to.
#[derive(Debug, Default)]
pub(super) struct Plan {
    relations: Relations,
    /// The colour of the ball that is walked to, and where it was shown.
    choice: Option<[f32; 3]>,
}

impl Policy<Inference> for Honest {
    type Memory = Plan;

    fn check(rules: &Inference) -> Result<(), String> {
        symbolic_only(rules.view().observation)
    }

    fn remember(&self, _: &Inference) -> Plan {
        Plan::default()
    }

    fn act(&self, _: &Inference, view: View<'_, Inference>, plan: &mut Plan, rng: &mut Rng) -> Walk {
        let row = view.row.f32(0);
        let balls = || row[1..].chunks_exact(7).filter(|slot| slot[0] > 0.0);
        let colour = |slot: &[f32]| [slot[4], slot[5], slot[6]];
        if balls().count() == 2 && plan.choice.is_none() {
            let [left, right] = [&row[1..8], &row[8..15]].map(colour);
            let side = plan.relations.choose([left, right], rng);
            plan.choice = Some(if side == Side::Left { left } else { right });
        }
        // The ball that is walked to stays in view until it is touched: none in view means that the pair was answered.
        let Some(slot) = balls().find(|slot| plan.choice == Some(colour(slot))) else {
            plan.choice = None;
            return Walk::LookLeft;
        };
        let off = libm::atan2(f64::from(slot[1]), f64::from(slot[2])).to_degrees();
        match off {
            off if off < -18.0 => Walk::LookLeft,
            off if off > 18.0 => Walk::LookRight,
            off if off < -6.0 => Walk::ForwardLookLeft,
            off if off > 6.0 => Walk::ForwardLookRight,
            _ => Walk::Forward,
        }
    }
}

/// Looks left and right in turn.
#[derive(Debug, Default)]
pub(super) struct Noop;

impl Policy<Inference> for Noop {
    type Memory = bool;

    fn remember(&self, _: &Inference) -> bool {
        false
    }

    fn act(&self, _: &Inference, _: View<'_, Inference>, right: &mut bool, _: &mut Rng) -> Walk {
        swing(right)
    }
}
