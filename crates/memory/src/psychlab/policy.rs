//! Scripted policies: a servo that turns the gaze, and what it is told to choose.

use heldout_core::{Policy, Rng, Scripted, View};

use super::PsychLab;
use super::desk::{Area, Side, Widget, place};
use super::gaze::{DISTANCE, Gaze, SCREEN_SIDE};
use super::rules::{Action, Phase, State};
use super::task::{Scene, Task};
use crate::walker::body::wrap;
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::controls::{DEGREES_PER_PIXEL, LAB_LOOK};
use crate::walker::policies::First;

/// Degrees of a step.
const STRIDE: f64 = DEGREES_PER_PIXEL * (LAB_LOOK * TICKS_PER_STEP as i32) as f64;
/// Degrees that a place must lie within its target to count as reached by rounding.
const MARGIN: f64 = 1e-6;

pub(super) fn all<T: Task>() -> Vec<Scripted<PsychLab<T>>> {
    vec![
        Scripted::of::<Oracle>(
            "oracle",
            "Turns the gaze to the cross, the disk and the right button, knowing the answer.",
        ),
        Scripted::of::<Memoryless>(
            "memoryless",
            "The oracle's servo with the best choice that needs no memory: the cue if there is one, else a guess.",
        ),
        Scripted::of::<First>("noop", "Never turns the gaze."),
    ]
}

/// Turns the gaze to a target.
///
/// A step turns it by 8.45 degrees, so that it moves on a lattice: lines through the target's height cross every target at
/// the middle height, but a button at the upper or lower edge is met only along a column of the lattice that passes
/// through it. If there is none, a full turn, which is no whole number of steps, shifts the lattice.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Servo {
    /// Steps of the full turn that are left.
    turning: u32,
}

impl Servo {
    fn toward(&mut self, gaze: &Gaze, target: &Area) -> Action {
        if self.turning > 0 {
            self.turning -= 1;
            return Action::Right;
        }
        let yaw = wrapped(gaze.yaw);
        let (_, v) = target.middle();
        if (v - 0.5).abs() < 0.25 {
            // To the middle height first, then across.
            return if gaze.pitch.abs() > STRIDE / 2.0 {
                if gaze.pitch > 0.0 { Action::Down } else { Action::Up }
            } else if yaw > angle(target.middle().0) {
                Action::Left
            } else {
                Action::Right
            };
        }
        let (low, high) = (angle(target.left) + MARGIN, angle(target.right) - MARGIN);
        if yaw >= low && yaw <= high {
            return if v < 0.5 { Action::Up } else { Action::Down };
        }
        // The lattice's columns are whole strides away.
        let strides = ((low - yaw) / STRIDE).ceil();
        let reachable = yaw + strides * STRIDE <= high;
        if !reachable {
            if gaze.pitch.abs() < STRIDE / 2.0 {
                // Above the buttons at the left and right edges.
                return Action::Up;
            }
            self.turning = (360.0 / STRIDE) as u32 - 1;
            return Action::Right;
        }
        if gaze.pitch.abs() > STRIDE / 2.0 {
            // Sideways only at the middle height, away from other buttons.
            return if gaze.pitch > 0.0 { Action::Down } else { Action::Up };
        }
        if strides > 0.0 { Action::Right } else { Action::Left }
    }
}

/// The angle at which a place of the screen lies, from left to right, in degrees.
fn angle(u: f64) -> f64 {
    libm::atan((u - 0.5) * SCREEN_SIDE / DISTANCE).to_degrees()
}

/// An angle within half a turn.
fn wrapped(degrees: f64) -> f64 {
    wrap(degrees + 180.0) - 180.0
}

/// The next action towards what the trial asks for; `choose` is the button.
fn act<T: Task>(
    rules: &PsychLab<T>,
    state: &State<T::Trial>,
    servo: &mut Servo,
    choose: impl FnOnce() -> Side,
) -> Action {
    let task = rules.task();
    let middle = Widget::Trigger;
    let target = match state.phase {
        Phase::Interval | Phase::Fixation => middle,
        Phase::Scene(number) => match task.scene(&state.trial, number) {
            // Beyond a button the middle ends the trial.
            Scene::Choose if state.response.is_some() => middle,
            Scene::Choose => Widget::Button(choose()),
            _ => middle,
        },
    };
    let rect = place(target, task.places());
    let waits = matches!(state.phase, Phase::Scene(n) if matches!(task.scene(&state.trial, n), Scene::Show(_) | Scene::Blank(_) | Scene::Ready(_)));
    if waits && servo.turning == 0 && state.gaze.pitch.abs() < STRIDE / 2.0 && (wrapped(state.gaze.yaw)).abs() < STRIDE
    {
        return Action::Noop;
    }
    servo.toward(&state.gaze, &rect)
}

/// Knows the answer.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl<T: Task> Policy<PsychLab<T>> for Oracle {
    type Memory = Servo;
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PsychLab<T>) -> Servo {
        Servo::default()
    }

    fn act(&self, rules: &PsychLab<T>, view: View<'_, PsychLab<T>>, servo: &mut Servo, _: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        act(rules, state, servo, || rules.task().answer(&state.trial))
    }
}

/// Steers as the oracle does and chooses without memory.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

/// The servo, and the choice of the trial with this number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choice {
    servo: Servo,
    made: Option<(u32, Side)>,
}

impl<T: Task> Policy<PsychLab<T>> for Memoryless {
    type Memory = Choice;
    /// To steer; the choice is made of the colours of the buttons alone.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PsychLab<T>) -> Choice {
        Choice::default()
    }

    fn act(&self, rules: &PsychLab<T>, view: View<'_, PsychLab<T>>, choice: &mut Choice, rng: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        let Choice { servo, made } = choice;
        act(rules, state, servo, || match *made {
            Some((trial, side)) if trial == state.trials => side,
            _ => {
                let side = rules.task().guess(Side::ALL.map(|side| state.desk.paint(side)), rng);
                *made = Some((state.trials, side));
                side
            }
        })
    }
}
