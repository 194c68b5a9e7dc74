//! Scripted policies of transitive inference.

use heldout_core::{Policy, Rng, Scripted, View};

use super::SLOT;
use super::chain::Side;
use super::inference::{BALLS, Inference, InferenceState};
use super::relations::Relations;
use super::route::{ON_THE_SPOT, STRAIGHT_ON, steer};
use crate::walker::controls::Walk;
use crate::walker::pilot::towards;
use crate::walker::policies::{SYMBOLS, Swing, needs_symbols};

/// All policies but `random`.
pub(super) fn all() -> Vec<Scripted<Inference>> {
    vec![
        Scripted::of::<Oracle>("oracle", "Walks to the higher ball of every pair; knows the order."),
        Scripted::of::<Honest>(
            "honest",
            "Guesses pairs that it cannot know and learns the order from what is shown next; sees the symbolic \
             observation alone.",
        )
        .seeing(SYMBOLS),
        Scripted::of::<Memoryless>("memoryless", "Walks to either ball by chance; steers by the state.").shortcut(),
        Scripted::of::<Swing>("noop", "Looks left and right in turn."),
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
        needs_symbols(rules.format.observation)
    }

    fn remember(&self, _: &Inference) -> Plan {
        Plan::default()
    }

    fn act(&self, _: &Inference, view: View<'_, Inference>, plan: &mut Plan, rng: &mut Rng) -> Walk {
        let row = view.row.f32(0);
        let balls = || row[1..].chunks_exact(SLOT).filter(|slot| slot[0] > 0.0);
        let colour = |slot: &[f32]| [slot[4], slot[5], slot[6]];
        if balls().count() == 2 && plan.choice.is_none() {
            let [left, right] = [&row[1..], &row[1 + SLOT..]].map(colour);
            let side = plan.relations.choose([left, right], rng);
            plan.choice = Some(if side == Side::Left { left } else { right });
        }
        // The ball that is walked to stays in view until it is touched: none in view means that the pair was answered.
        let Some(slot) = balls().find(|slot| plan.choice == Some(colour(slot))) else {
            plan.choice = None;
            return Walk::LookLeft;
        };
        let off = libm::atan2(f64::from(slot[1]), f64::from(slot[2])).to_degrees();
        towards(off, STRAIGHT_ON, ON_THE_SPOT)
    }
}
