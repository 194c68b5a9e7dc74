//! What makes a task: its trials, each a sequence of scenes.

use std::fmt::Debug;

use heldout_core::{ConfigError, Metric, Rng, Seed, Source};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::config::{Config, Instant, Screen};
use super::desk::{Paint, Places, Side};
use super::gallery::Gallery;
use crate::level::{Level, Scale};

/// Ticks that something to remember is shown.
pub(crate) const SHOWN: u32 = 25;

/// A part of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scene {
    /// Something to remember, for this many ticks.
    Show(u32),
    /// Nothing, for this many ticks.
    Blank(u32),
    /// A disk in the middle that must be looked at.
    Look,
    /// What the choice is about, before there are buttons.
    Ready(u32),
    Choose,
}

/// An object of change detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Object {
    /// Its place in the grid, row by row.
    pub(crate) cell: u8,
    /// The orientation of an E, in quarter turns clockwise; `None` for a square.
    pub(crate) letter: Option<u8>,
    /// Red, green and blue.
    pub(crate) colour: [u8; 3],
}

/// Most objects of change detection at a time.
pub(crate) const MOST_OBJECTS: usize = 4;

/// Objects of change detection.
pub(crate) type Objects = [Option<Object>; MOST_OBJECTS];

impl Scene {
    /// What the agent is to do.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Show(_) => "remember",
            Self::Blank(_) => "wait",
            Self::Look => "look at the disk",
            Self::Ready(_) => "compare",
            Self::Choose => "choose",
        }
    }
}

/// What is shown beside buttons, cross and disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stimulus {
    Nothing,
    /// The image with this id.
    Image(u16),
    /// Objects in a grid.
    Objects(Objects),
    /// A digit in the middle.
    Digit(u8),
    /// A digit at each edge, in the order of [`Side::ALL`].
    Digits([u8; 4]),
}

impl Stimulus {
    /// What it is, in words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Image(id) => format!("image {id}"),
            Self::Digit(digit) => format!("digit {digit}"),
            Self::Digits([top, bottom, left, right]) => {
                format!("digits {top} top {bottom} bottom {left} left {right} right")
            }
            Self::Objects(objects) => {
                let words = |Object { cell, letter, colour: [red, green, blue] }: Object| {
                    let shape = letter.map_or_else(|| "box".to_owned(), |turns| format!("E{turns}"));
                    format!("{shape} {red:02x}{green:02x}{blue:02x} at {cell}")
                };
                objects.into_iter().flatten().map(words).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// What a player remembers of an instant-choice variant: rows that were shown, each with the button that it named.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Notes {
    pub(crate) shown: Vec<(Vec<f32>, Option<Side>)>,
    /// Whether the last row asked for an answer, so that what was shown before belongs to another trial.
    pub(crate) answered: bool,
}

/// How the buttons are recoloured when the gaze enters one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reveal {
    /// All of them: the truth is shown.
    All,
    /// The one that was entered.
    Entered,
}

/// What the row of an instant choice says of the buttons, beside the stimulus: nothing that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing: they are always there, and look the same.
    Nothing,
    /// That there are buttons: one number.
    Asked,
    /// Which of them the cue names: a number for each.
    Cue,
}

impl Told {
    /// How many numbers it takes.
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Asked => 1,
            Self::Cue => Side::ALL.len(),
        }
    }
}

/// One of the four tasks. What changes of it within an episode is its [`Task::Trial`]; which trials there are depends on
/// the seed of the episode and, in the mapping task, on which answers were right.
pub(crate) trait Task: Debug + Send + Sync + Sized + 'static {
    type Trial: Clone + Debug + Default + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// The keys of the task alone.
    type Keys;
    /// The config of the task.
    type Config: Config<Shared = Screen, Keys = Self::Keys>;
    /// The config of its instant-choice variant.
    type Mini: Config<Shared = Instant, Keys = Self::Keys>;
    /// What its public levels begin with.
    const NAME: &'static str;
    /// Whether the screen is black, not white.
    const DARK: bool = false;
    /// How buttons are recoloured on entry.
    const REVEAL: Reveal;
    /// Its buttons, in the order in which they are put on the screen.
    const SIDES: &'static [Side];
    /// Whether the number of trials is what levels differ in.
    const GROWS: bool = false;
    /// Seconds of an episode.
    const SECONDS: u32 = 300;
    /// Trials of the instant-choice variant, if fewer: its episodes take 50 to 140 steps.
    const MINI_TRIALS: Option<u32> = None;
    /// What a row of the instant-choice variant says of the buttons.
    const TOLD: Told;
    /// Steps of a delay in the instant-choice variant beyond its logarithm.
    const MINI_WAIT: u32 = 0;
    /// What the metric beside trials and right answers is called.
    const METRIC: Option<&'static str> = None;

    /// Prepares the tables; `texels` is the side of the surface that is painted.
    fn new(keys: &Self::Keys, level: Level, texels: usize) -> Result<Self, ConfigError>;

    /// What stimuli are painted from.
    fn gallery(&self) -> &Gallery;

    /// Files that the stimuli come from.
    fn sources(&self) -> Vec<Source>;

    /// Where the buttons are.
    fn places(&self) -> &Places;

    /// Prepares the first trial of an episode.
    fn start(&self, trial: &mut Self::Trial, seed: Seed);

    /// Begins trial number `number`.
    fn begin(&self, trial: &mut Self::Trial, number: u32);

    /// Learns how the trial went.
    fn end(&self, _trial: &mut Self::Trial, _right: bool) {}

    /// Checks that a trial could have come about after so many were `begun`, as far as that follows from its seed.
    fn check(&self, trial: &Self::Trial, begun: u32) -> Result<(), String>;

    /// The scene with this number; the last is [`Scene::Choose`].
    fn scene(&self, trial: &Self::Trial, number: u8) -> Scene;

    /// What a scene shows.
    fn stimulus(&self, trial: &Self::Trial, number: u8) -> Stimulus;

    /// The right button.
    fn answer(&self, trial: &Self::Trial) -> Side;

    /// The colour of a button before the choice.
    fn cue(&self, _trial: &Self::Trial, _side: Side) -> Paint {
        Paint::Plain
    }

    /// Floats of [`Task::describe`].
    fn described(&self) -> usize;

    /// Writes a stimulus as floats; all are zero before.
    fn describe(&self, stimulus: Stimulus, out: &mut [f32]);

    /// Takes in what a row of the instant-choice variant shows, as [`Task::describe`] writes it. `asked` says whether there
    /// are buttons, `cue` which of them is cued.
    fn learn(&self, seen: &[f32], asked: bool, cue: Option<Side>, notes: &mut Notes);

    /// What those notes say is right, if they do.
    fn recall(&self, seen: &[f32], notes: &Notes) -> Option<Side>;

    /// The metric that [`Task::METRIC`] names.
    fn metric(&self, _trial: &Self::Trial) -> f32 {
        0.0
    }

    /// What a player without memory chooses, given the colours of the buttons.
    fn guess(&self, paints: [Option<Paint>; 4], rng: &mut Rng) -> Side {
        let cued = Side::ALL.into_iter().find(|&side| paints[side as usize] == Some(Paint::CueGreen));
        cued.unwrap_or_else(|| *rng.pick(Self::SIDES))
    }
}

/// Trials and seconds of an episode: those of Table 2 by scale where `grows`, else 50 and `seconds`.
pub(crate) fn extent(scale: Scale, grows: bool, seconds: u32) -> (u32, u32) {
    match scale {
        Scale::Interpolate if grows => (40, seconds),
        Scale::Extrapolate if grows => (75, seconds * 3 / 2),
        _ => (50, seconds),
    }
}

/// What is said of trials that their seed does not make.
pub(crate) fn unlike() -> String {
    "`trial` is not what the seed of the episode makes it".to_owned()
}

/// What a task reports.
pub(crate) fn metrics<T: Task>() -> Vec<Metric> {
    let mut metrics =
        vec![Metric::episode("trials"), Metric::episode("correct"), Metric::share("accuracy").weighed_by("trials")];
    metrics.extend(T::METRIC.map(Metric::episode));
    metrics
}

/// Writes what [`metrics`] lists, of so many trials, so many of them right.
pub(crate) fn write_metrics<T: Task>(task: &T, trial: &T::Trial, trials: u32, right: u32, values: &mut [f32]) {
    values[..3].copy_from_slice(&[trials as f32, right as f32, right as f32 / trials.max(1) as f32]);
    if T::METRIC.is_some() {
        values[3] = task.metric(trial);
    }
}

/// The one of a level's delays by its scale: those of small, large, mixed, interpolation and extrapolation.
pub(crate) fn by_scale(scale: Scale, delays: [&'static [u32]; 5]) -> &'static [u32] {
    let [small, large, mixed, interpolate, extrapolate] = delays;
    match scale {
        Scale::Small => small,
        Scale::Large => large,
        Scale::Mixed => mixed,
        Scale::Interpolate => interpolate,
        Scale::Extrapolate => extrapolate,
    }
}
