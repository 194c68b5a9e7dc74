//! Scripted policies: how the gaze is turned to a target, and which target that is.

use heldout_core::{Policy, Rng, Scripted, View};

use super::PsychLab;
use super::desk::{Area, Paint, Side, Widget, place};
use super::gaze::{DISTANCE, Gaze, LOOK, SCREEN_SIDE};
use super::rules::{Action, Phase, State};
use super::task::{Scene, Task, Told};
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::controls::DEGREES_PER_PIXEL;
use crate::walker::policies::First;

/// Degrees of a step.
const STRIDE: f64 = DEGREES_PER_PIXEL * (LOOK * TICKS_PER_STEP as i32) as f64;
/// Degrees that a place must lie within its target to count as reached by rounding.
const MARGIN: f64 = 1e-6;

pub(super) fn all<T: Task>() -> Vec<Scripted<PsychLab<T>>> {
    let mut all = vec![
        Scripted::of::<Oracle>(
            "oracle",
            "Turns the gaze to the cross, the disk and the right button, knowing the answer.",
        ),
        Scripted::of::<Memoryless>(
            "memoryless",
            "Steers as the oracle does, with the best choice that needs no memory: the cue if there is one, else a guess.",
        )
        .shortcut(),
        Scripted::of::<First>("noop", "Never turns the gaze."),
    ];
    if T::TOLD == Told::Cue {
        let about = "Steers as the oracle does, to the button that was cued last.";
        all.push(Scripted::of::<LastCue>("last-cue", about).shortcut());
    }
    all
}

/// The action that brings the gaze nearer to a target.
///
/// A step turns it by 6.76 degrees, so that it moves on a lattice: its row at the middle height crosses every target
/// there, and one of its columns passes through each button at the upper or lower edge.
fn toward(gaze: &Gaze, target: &Area) -> Action {
    let level = || if gaze.pitch > 0.0 { Action::Down } else { Action::Up };
    let (u, v) = target.middle();
    if (v - 0.5).abs() < 0.25 {
        // To the middle height first, then across.
        return match gaze.pitch.abs() > STRIDE / 2.0 {
            true => level(),
            false if gaze.yaw > angle(u) => Action::Left,
            false => Action::Right,
        };
    }
    let (low, high) = (angle(target.left) + MARGIN, angle(target.right) - MARGIN);
    if (low..=high).contains(&gaze.yaw) {
        return if v < 0.5 { Action::Up } else { Action::Down };
    }
    if gaze.pitch.abs() > STRIDE / 2.0 {
        // Sideways only at the middle height, away from other buttons.
        return level();
    }
    if gaze.yaw < low { Action::Right } else { Action::Left }
}

/// The angle at which a place of the screen lies, from left to right, in degrees.
fn angle(u: f64) -> f64 {
    libm::atan((u - 0.5) * SCREEN_SIDE / DISTANCE).to_degrees()
}

/// The next action towards what the trial asks for; `choose` is the button.
pub(crate) fn steer<T: Task>(rules: &PsychLab<T>, state: &State<T::Trial>, choose: impl FnOnce() -> Side) -> Action {
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
    if waits && state.gaze.pitch.abs() < STRIDE / 2.0 && state.gaze.yaw.abs() < STRIDE {
        return Action::Noop;
    }
    toward(&state.gaze, &rect)
}

/// Knows the answer.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl<T: Task> Policy<PsychLab<T>> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PsychLab<T>) {}

    fn act(&self, rules: &PsychLab<T>, view: View<'_, PsychLab<T>>, (): &mut (), _: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        steer(rules, state, || rules.task().answer(&state.trial))
    }
}

/// Steers as the oracle does and chooses without memory.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl<T: Task> Policy<PsychLab<T>> for Memoryless {
    /// The choice of the trial with this number.
    type Memory = Option<(u32, Side)>;
    /// To steer; the choice is made of the colours of the buttons alone.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PsychLab<T>) -> Option<(u32, Side)> {
        None
    }

    fn act(
        &self,
        rules: &PsychLab<T>,
        view: View<'_, PsychLab<T>>,
        made: &mut Option<(u32, Side)>,
        rng: &mut Rng,
    ) -> Action {
        let state = view.state.expect("the policy is privileged");
        steer(rules, state, || match *made {
            Some((trial, side)) if trial == state.trials => side,
            _ => {
                let side = rules.task().guess(Side::ALL.map(|side| state.desk.paint(side)), rng);
                *made = Some((state.trials, side));
                side
            }
        })
    }
}

/// Steers as the oracle does and chooses what the last cue named.
#[derive(Debug, Default)]
pub(super) struct LastCue;

impl<T: Task> Policy<PsychLab<T>> for LastCue {
    type Memory = Option<Side>;
    /// To steer; the choice is made of the colours of the buttons alone.
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &PsychLab<T>) -> Option<Side> {
        None
    }

    fn act(&self, rules: &PsychLab<T>, view: View<'_, PsychLab<T>>, last: &mut Option<Side>, _: &mut Rng) -> Action {
        let state = view.state.expect("the policy is privileged");
        let cued = Side::ALL.into_iter().find(|&side| state.desk.paint(side) == Some(Paint::CueGreen));
        *last = cued.or(*last);
        // The first trial of an episode has a cue.
        steer(rules, state, || last.unwrap_or(Side::Top))
    }
}
