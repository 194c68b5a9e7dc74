//! What happens in a tick, whichever the task.

use heldout_core::check::{that, within};
use heldout_core::{ActionSpace, ConfigError, Environment, Frame, Row, Scripted, Spec, Start, Status};
use heldout_render::Canvas;
use heldout_render::panel::{Panel, Sight};
use serde::{Deserialize, Serialize};

use super::config::{Config, Projection, Screen};
use super::desk::{Desk, Event, Paint, Side, Timer, Widget, place};
use super::gaze::{DISTANCE, Gaze, LOOK, SCREEN_SIDE};
use super::surface::{Display, LETTER, picture, side_for};
use super::task::{Reveal, Scene, Stimulus, Task, extent, metrics, write_metrics};
use super::{draw, policy};
use crate::level::Level;
use crate::walker::clock::{Clock, LAB_RATE};
use crate::walker::config::{Format, Previous};
use crate::walker::controls::{LabControls, decode};
use crate::walker::raw::Raw;

/// Ticks between two trials.
const INTERVAL: u32 = 1;
/// Floats of a symbolic observation before the stimulus: gaze, cross, disk, and the buttons.
const SEEN: usize = 3 + 2 + BUTTONS;
/// Floats of the buttons: four, each in one of six conditions.
pub(crate) const BUTTONS: usize = Side::ALL.len() * BUTTON_CONDITIONS;
/// Absent, plain, green, red, cue-green, cue-red.
const BUTTON_CONDITIONS: usize = 1 + Paint::CueRed as usize + 1;
/// Half the screen's side over its distance from the eye.
pub(crate) const HALF: f64 = SCREEN_SIDE / 2.0 / DISTANCE;

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Action {
    Noop,
    /// Looks left.
    Left,
    /// Looks right.
    Right,
    /// Looks up.
    Up,
    /// Looks down.
    Down,
}

impl Action {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 5] = [Self::Noop, Self::Left, Self::Right, Self::Up, Self::Down];
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Between two trials.
    Interval,
    /// The cross waits for the gaze.
    Fixation,
    /// The scene with this number.
    Scene(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State<T> {
    /// Where the agent looks.
    pub(crate) gaze: Gaze,
    pub(crate) desk: Desk,
    /// How far the trial is.
    pub(crate) phase: Phase,
    pub(crate) trial: T,
    /// The button that was entered in this trial.
    pub(crate) response: Option<Side>,
    /// Trials that are over.
    pub(crate) trials: u32,
    /// Those of them that were answered right.
    pub(crate) right: u32,
    /// Ticks so far.
    pub(crate) ticks: u32,
    /// How the episode stands.
    pub(crate) status: Status,
    previous: Previous,
}

/// The rules of one task.
#[derive(Debug)]
pub(crate) struct PsychLab<T: Task> {
    task: T,
    pub(crate) trials: u32,
    pub(super) clock: Clock,
    pub(super) format: Format,
    projection: Projection,
    panel: Panel,
    texels: usize,
    spec: Spec,
}

impl<T: Task> Environment for PsychLab<T> {
    type Config = T::Config;
    type State = State<T::Trial>;
    type Action = Action;
    type Variant = ();

    fn new(config: &T::Config, (): ()) -> Result<Self, ConfigError> {
        let Screen { level, format, projection, reticle, seconds } = config.shared()?;
        let level = Level::of(&level, T::NAME)?;
        let (width, height) = format.size();
        let texels = side_for(height);
        let task = T::new(&config.keys(), level, texels)?;
        let (trials, own) = extent(level.scale, T::GROWS, T::SECONDS);
        let clock = Clock::new(seconds, own.into(), LAB_RATE)?;
        // A tick pays at most 1, and a trial takes more than a step.
        let fields = format.fields((SEEN + task.described(), -1.0, 1.0), Action::ALL.len(), 1.0);
        let spec = Spec {
            metrics: metrics::<T>(),
            sources: task.sources(),
            ..Spec::single(fields, ActionSpace::Discrete(Action::ALL.len() as u32), draw::FRAME)
        };
        let panel = Panel::new(width, height, HALF, reticle);
        Ok(Self { task, trials, clock, format, projection, panel, texels, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Action> {
        decode(&Action::ALL, raw)
    }

    fn encode(&self, _: usize, action: Action, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> State<T::Trial> {
        let mut state = State {
            gaze: Gaze::start(&mut start.seed.stream("spawn").rng()),
            desk: Desk::default(),
            phase: Phase::Fixation,
            trial: T::Trial::default(),
            response: None,
            trials: 0,
            right: 0,
            ticks: 0,
            status: Status::Running,
            previous: Previous::default(),
        };
        self.task.start(&mut state.trial, start.seed);
        state.desk.put(Widget::Trigger);
        state
    }

    fn restart(&self, state: &mut State<T::Trial>, start: Start) {
        *state = self.start(start);
    }

    fn check(&self, state: &State<T::Trial>) -> Result<(), String> {
        state.gaze.check()?;
        self.clock.check(state.ticks)?;
        within("trials", state.trials, 0..=self.trials)?;
        within("right", state.right, 0..=state.trials)?;
        let scene = match state.phase {
            Phase::Scene(number) => Some(number),
            _ => None,
        };
        that("trials", state.trials, scene.is_none() || state.trials < self.trials, "less than all during a trial")?;
        self.task.check(&state.trial, state.trials + u32::from(scene.is_some()))?;
        let (buttons, last) = (T::SIDES.iter().map(|&side| Widget::Button(side)), state.trials == self.trials);
        let most = state.ticks;
        match scene.map(|number| (number, self.task.scene(&state.trial, number))) {
            None if state.phase == Phase::Fixation => state.desk.check([Widget::Trigger], None, most)?,
            None => state.desk.check([], (!last).then_some((Timer::Interval, INTERVAL)), most)?,
            Some((number, scene)) => {
                let over = (0..number).any(|earlier| self.task.scene(&state.trial, earlier) == Scene::Choose);
                that("scene", number, !over, "no later than the choice")?;
                match scene {
                    Scene::Show(ticks) | Scene::Blank(ticks) | Scene::Ready(ticks) => {
                        state.desk.check([], Some((Timer::Phase, ticks)), most)?;
                    }
                    Scene::Look => state.desk.check([Widget::Disk], None, most)?,
                    Scene::Choose => state.desk.check(buttons, None, most)?,
                }
            }
        }
        if let Some(side) = state.response {
            let shown = state.desk.has(Widget::Button(side));
            that("response", side.name(), shown, "a button that is on the screen")?;
        }
        state.previous.check(Action::ALL.len(), 1.0)
    }

    fn step(&self, state: &mut State<T::Trial>, actions: &[Action], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.repeat(state, actions[0]);
        state.previous = Previous::new(actions[0] as usize, reward);
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State<T::Trial>, _: usize, row: Row<'_, '_>) {
        self.format.observe(row, state.previous, |canvas| self.picture(state, canvas), |out| self.describe(state, out));
    }

    fn draw(&self, state: &State<T::Trial>, _: usize, frame: Frame<'_>) {
        draw::draw(self, state, &mut Canvas::new(frame.width, frame.height, frame.pixels));
    }

    fn words(&self, state: &State<T::Trial>) -> String {
        let mut words = format!("{}; gaze on {}", self.stage(state), self.looked_at(state));
        if let Phase::Scene(_) = state.phase {
            let answer = self.task.answer(&state.trial);
            words += &format!("; shown {}; right is {}", self.stimulus(state).words(), answer.name());
        }
        if let Some(side) = state.response {
            words += &format!("; entered {}", side.name());
        }
        format!("{words}; right {}", state.right)
    }

    fn metrics(&self, state: &State<T::Trial>, values: &mut [f32]) {
        write_metrics(&self.task, &state.trial, state.trials, state.right, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        policy::all()
    }
}

impl<T: Task> Raw for PsychLab<T> {
    type Controls = LabControls;
    const RATE: u32 = LAB_RATE;
    const ACTIONS: &'static [Action] = &Action::ALL;

    fn controls(action: Action) -> LabControls {
        match action {
            Action::Noop => LabControls::default(),
            Action::Left => LabControls::look(-LOOK, 0),
            Action::Right => LabControls::look(LOOK, 0),
            Action::Up => LabControls::look(0, LOOK),
            Action::Down => LabControls::look(0, -LOOK),
        }
    }

    fn tick(&self, state: &mut State<T::Trial>, controls: &LabControls) -> (f32, Status) {
        state.gaze.turn(controls.turn, controls.tilt);
        let before = state.right;
        for timer in state.desk.elapsed().into_iter().flatten() {
            self.react(state, Event::Elapsed(timer));
        }
        for (widget, event) in state.desk.scan(&state.gaze, self.task.places()).events() {
            if state.desk.has(widget) {
                self.react(state, event);
            }
        }
        state.ticks += 1;
        let away = state.desk.away(&state.gaze);
        let over = state.trials == self.trials || away;
        state.status = if over { Status::Terminated } else { self.clock.status(state.ticks) };
        ((state.right - before) as f32, state.status)
    }

    /// It never walks.
    fn position(&self, _: &State<T::Trial>) -> [f64; 3] {
        [0.0, -32.0, 96.0]
    }

    fn ticks_left(&self, state: &State<T::Trial>) -> u32 {
        self.clock.left(state.ticks)
    }
}

impl<T: Task> PsychLab<T> {
    pub(crate) fn task(&self) -> &T {
        &self.task
    }

    /// The trial and what is to be done, in words.
    pub(super) fn stage(&self, state: &State<T::Trial>) -> String {
        let what = match state.phase {
            Phase::Interval => "interval",
            Phase::Fixation => "look at the cross",
            Phase::Scene(number) => self.task.scene(&state.trial, number).word(),
        };
        format!("trial {} of {}: {what}", (state.trials + 1).min(self.trials), self.trials)
    }

    /// What the gaze is on, in words.
    fn looked_at(&self, state: &State<T::Trial>) -> String {
        let Some(at) = state.gaze.on_screen() else { return "no part of the screen".to_owned() };
        let widgets = Side::ALL.map(Widget::Button).into_iter().chain([Widget::Trigger, Widget::Disk]);
        let on = |&widget: &Widget| state.desk.has(widget) && place(widget, self.task.places()).holds(at);
        match widgets.into_iter().find(on) {
            Some(Widget::Button(side)) => format!("the {} button", side.name()),
            Some(Widget::Trigger) => "the cross".to_owned(),
            Some(Widget::Disk) => "the disk".to_owned(),
            None => "the screen".to_owned(),
        }
    }

    fn react(&self, state: &mut State<T::Trial>, event: Event) {
        match (event, state.phase) {
            (Event::Elapsed(Timer::Interval), _) => {
                state.phase = Phase::Fixation;
                state.desk.put(Widget::Trigger);
            }
            (Event::Hovers(Widget::Trigger, _), _) => {
                state.desk.remove(Widget::Trigger);
                self.task.begin(&mut state.trial, state.trials);
                self.enter(state, 0);
            }
            (Event::Elapsed(Timer::Phase), Phase::Scene(number)) => self.enter(state, number + 1),
            (Event::Hovers(Widget::Disk, _), Phase::Scene(number)) => {
                state.desk.remove(Widget::Disk);
                self.enter(state, number + 1);
            }
            (Event::Hovers(Widget::Button(side), _), _) if state.response.is_none() => self.respond(state, side),
            (Event::Left(Widget::Button(side)), _) if state.response == Some(side) => self.finish(state),
            _ => {}
        }
    }

    /// Begins the scene with this number.
    fn enter(&self, state: &mut State<T::Trial>, number: u8) {
        state.phase = Phase::Scene(number);
        match self.task.scene(&state.trial, number) {
            Scene::Show(ticks) | Scene::Blank(ticks) | Scene::Ready(ticks) => state.desk.set(Timer::Phase, ticks),
            Scene::Look => state.desk.put(Widget::Disk),
            Scene::Choose => {
                for &side in T::SIDES {
                    state.desk.put_button(side, self.task.cue(&state.trial, side));
                }
            }
        }
    }

    /// Records a response and shows whether it is right; it is paid when the gaze leaves.
    fn respond(&self, state: &mut State<T::Trial>, entered: Side) {
        state.response = Some(entered);
        let answer = self.task.answer(&state.trial);
        for &side in T::SIDES {
            if side == entered || T::REVEAL == Reveal::All {
                state.desk.recolour(side, if side == answer { Paint::Green } else { Paint::Red });
            }
        }
    }

    /// Pays the response and ends the trial.
    fn finish(&self, state: &mut State<T::Trial>) {
        let right = state.response.take() == Some(self.task.answer(&state.trial));
        state.right += u32::from(right);
        state.trials += 1;
        self.task.end(&mut state.trial, right);
        state.desk.clear();
        state.phase = Phase::Interval;
        if state.trials < self.trials {
            state.desk.set(Timer::Interval, INTERVAL);
        }
    }

    /// What is shown beside buttons, cross and disk.
    pub(crate) fn stimulus(&self, state: &State<T::Trial>) -> Stimulus {
        match state.phase {
            Phase::Scene(number) => self.task.stimulus(&state.trial, number),
            _ => Stimulus::Nothing,
        }
    }

    /// All that the screen shows.
    pub(crate) fn display(&self, state: &State<T::Trial>) -> Display {
        Display {
            dark: T::DARK,
            letter: LETTER,
            cross: state.desk.has(Widget::Trigger),
            disk: state.desk.has(Widget::Disk),
            buttons: Side::ALL.map(|side| state.desk.paint(side)),
            stimulus: self.stimulus(state),
        }
    }

    /// How the agent looks at the panel.
    pub(crate) fn sight(&self, state: &State<T::Trial>) -> Sight {
        match self.projection {
            Projection::FirstPerson => state.gaze.turned(),
            Projection::Panel2d => state.gaze.flat(),
        }
    }

    /// Paints what the agent sees; the canvas has the size that the config says.
    pub(crate) fn picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &self.panel, self.sight(state), self.texels, canvas);
    }

    /// Paints the panel alone, as large as the canvas is high.
    pub(super) fn flat_picture(&self, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
        let panel = Panel::new(canvas.width(), canvas.height(), HALF, false);
        let (gallery, places) = (self.task.gallery(), self.task.places());
        picture(&self.display(state), gallery, places, &panel, Sight::Whole, self.texels, canvas);
    }

    fn describe(&self, state: &State<T::Trial>, out: &mut [f32]) {
        out.fill(0.0);
        let (u, v) = state.gaze.nearest();
        let on = state.gaze.on_screen().is_some();
        out[..3].copy_from_slice(&[u as f32, v as f32, f32::from(u8::from(on))]);
        // The screen is seen or not as a whole.
        if !on && !state.gaze.sees_middle() {
            describe_buttons([None; 4], &mut out[5..SEEN]);
            return;
        }
        let display = self.display(state);
        out[3] = f32::from(u8::from(display.cross));
        out[4] = f32::from(u8::from(display.disk));
        describe_buttons(display.buttons, &mut out[5..SEEN]);
        self.task.describe(display.stimulus, &mut out[SEEN..]);
    }
}

/// Writes the condition of each button, one-hot; all are zero before.
pub(crate) fn describe_buttons(buttons: [Option<Paint>; 4], out: &mut [f32]) {
    for (paint, out) in buttons.into_iter().zip(out.chunks_exact_mut(BUTTON_CONDITIONS)) {
        out[paint.map_or(0, |paint| 1 + paint as usize)] = 1.0;
    }
}
