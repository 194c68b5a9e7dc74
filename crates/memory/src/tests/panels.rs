//! What the tests of the `PsychLab` tasks share: raw ticks, and a servo that hits any widget tick by tick.

use crate::psychlab::desk::{Side, Widget, place};
use crate::psychlab::gaze::Gaze;
use crate::psychlab::rules::{Phase, State};
use crate::psychlab::task::Scene;
use crate::psychlab::{PsychLab, Task};
use crate::walker::controls::LabControls;
use crate::walker::raw::Raw;
use heldout_core::{Environment, Seed, Start, Status};

/// The episode with this number of a fixed seed.
pub(crate) fn episode(number: u64) -> Start {
    let copy = Seed(11);
    Start { seed: copy.derive(number), copy, episode: number, problem: None }
}

/// Rules under the default config after `edit`.
pub(crate) fn rules<T: Task>(edit: impl FnOnce(&mut T::Config)) -> PsychLab<T> {
    let mut config = T::Config::default();
    edit(&mut config);
    PsychLab::new(&config, ()).unwrap()
}

/// A turn of at most 20 pixel units towards an angle in degrees.
fn units(error: f64) -> i32 {
    (error / 0.1056).clamp(-20.0, 20.0) as i32
}

/// The raw action of a tick that brings the gaze to the middle of a widget.
pub(crate) fn toward<T: Task>(rules: &PsychLab<T>, gaze: &Gaze, widget: Widget) -> LabControls {
    let (u, v) = place(widget, rules.task().places()).middle();
    let yaw = libm::atan((u - 0.5) * 112.0 / 90.5);
    let pitch = libm::atan((0.5 - v) * 112.0 / 90.5 * libm::cos(yaw));
    LabControls::look(units(yaw.to_degrees() - gaze.yaw), units(pitch.to_degrees() - gaze.pitch))
}

/// What the trial asks the gaze to be on, if the button is `side`.
pub(crate) fn target<T: Task>(rules: &PsychLab<T>, state: &State<T::Trial>, side: Side) -> Widget {
    match state.phase {
        Phase::Scene(number)
            if state.response.is_none() && rules.task().scene(&state.trial, number) == Scene::Choose =>
        {
            Widget::Button(side)
        }
        _ => Widget::Trigger,
    }
}

/// Plays one tick towards what the trial asks for; `choose` is the button.
pub(crate) fn play<T: Task>(rules: &PsychLab<T>, state: &mut State<T::Trial>, side: Side) -> (f32, Status) {
    let turn = toward(rules, &state.gaze, target(rules, state, side));
    rules.tick(state, &turn)
}

/// Plays until a trial has ended; its reward and how the episode stands. The right button is chosen if `right`.
pub(crate) fn trial<T: Task>(rules: &PsychLab<T>, state: &mut State<T::Trial>, right: bool) -> (f32, Status) {
    let before = state.trials;
    let mut total = 0.0;
    for _ in 0..5000 {
        let answer = rules.task().answer(&state.trial);
        let other = *T::SIDES.iter().find(|&&side| side != answer).unwrap();
        let (reward, status) = play(rules, state, if right { answer } else { other });
        total += reward;
        if state.trials > before || status.ended() {
            return (total, status);
        }
    }
    panic!("a trial took more than 5000 ticks: {state:?}");
}
