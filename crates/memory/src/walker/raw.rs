//! Levels by their public names, ticked with raw controls: what the `dm_env` interface is made of.
//!
//! An environment takes discrete actions and repeats each for four ticks. Here a caller sets the controls of the engine
//! that the level comes from and says how many ticks they hold, so that the published interfaces can be had to the tick:
//! four sticky doubles for the Unity levels, seven sticky integers for the Lab ones.
//!
//! The rules are the environment's own (`Raw` adds nothing to them), and so are the seeds: episode `k` of a level under
//! a seed is episode `k` of a single environment that was reset with that seed.

mod tasks;

use heldout_core::{ConfigError, Environment, FieldMut, Rows, Seed, Start, Status};
use serde_json::{Map, Value, json};

use super::body::{Body, EYE};
use super::clock::{self, Clock, UNITY_RATE};
use super::controls::{Controls, RawControls, Walk};

pub use super::controls::{Control, ControlError};
pub(crate) use tasks::{public_levels, virtual_levels};

/// Rules that are ticked with the raw controls of their engine.
pub(crate) trait Raw: Environment {
    type Controls: RawControls;
    /// Ticks in a second.
    const RATE: u32;
    /// The discrete actions, in the order of their integers.
    const ACTIONS: &'static [Self::Action];

    /// What a discrete action stands for.
    fn controls(action: Self::Action) -> Self::Controls;

    /// Advances one tick: the reward, and how the episode stands. Not to be called once it has ended.
    fn tick(&self, state: &mut Self::State, controls: &Self::Controls) -> (f32, Status);

    /// Where the eye is: east, up and north in metres (Unity), or east, north and up in units (Lab).
    fn position(&self, state: &Self::State) -> [f64; 3];

    /// Ticks that are left until the episode is cut.
    fn ticks_left(&self, state: &Self::State) -> u32;

    /// Advances the ticks of one step.
    fn repeat(&self, state: &mut Self::State, action: Self::Action) -> (f32, Status) {
        let controls = Self::controls(action);
        clock::repeat(|| self.tick(state, &controls))
    }
}

/// The tasks of the Unity engine: a body that is walked with the eight actions.
pub(crate) trait Walked: Environment<Action = Walk> {
    /// Advances one tick.
    fn walk(&self, state: &mut Self::State, controls: &Controls) -> (f32, Status);

    fn body(state: &Self::State) -> &Body;

    /// Ticks that are left.
    fn left(&self, state: &Self::State) -> u32;
}

impl<E: Walked> Raw for E {
    type Controls = Controls;
    const RATE: u32 = UNITY_RATE;
    const ACTIONS: &'static [Walk] = &Walk::ALL;

    fn controls(action: Walk) -> Controls {
        action.controls()
    }

    fn tick(&self, state: &mut E::State, controls: &Controls) -> (f32, Status) {
        self.walk(state, controls)
    }

    fn position(&self, state: &E::State) -> [f64; 3] {
        let body = E::body(state);
        [body.x, EYE, body.z]
    }

    fn ticks_left(&self, state: &E::State) -> u32 {
        self.left(state)
    }
}

/// What cannot be opened or done.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// No such level.
    #[error("there is no level `{name}`; the nearest are {}", nearest.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The nearest names there are, best first.
        nearest: Vec<String>,
    },
    /// A key that the opening itself sets, or one of the wrong form.
    #[error("config of `{name}`: `{key}`: {problem}")]
    Form {
        /// The level.
        name: String,
        /// Path of the key.
        key: String,
        /// What is wrong there.
        problem: String,
    },
    /// A config that does not describe a level.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A control that cannot be taken.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// A tick without an episode that goes on.
    #[error("the episode is over: begin another")]
    Over,
}

/// How a level is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Fixes every episode.
    pub seed: u64,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Seconds until an episode is cut; `None` for the level's own.
    pub seconds: Option<f64>,
    /// Whether looking up and down are exchanged, as in the published program for people.
    pub invert_pitch: bool,
    /// Other keys of the environment's config.
    pub config: Map<String, Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, width: 96, height: 72, seconds: None, invert_pitch: false, config: Map::new() }
    }
}

/// Config keys that [`Settings`] fix.
const FIXED: [&str; 6] = ["level", "observation", "width", "height", "previous", clock::KEY];

/// One level with its current episode, whatever its rules.
pub trait RawLevel: Send + Sync {
    /// What there is to set.
    fn controls(&self) -> Vec<Control>;

    /// The values as they stand, in the order of [`RawLevel::controls`].
    fn values(&self) -> Vec<f64>;

    /// All values for each discrete action, in the order of the action's integers.
    fn discrete(&self) -> Vec<Vec<f64>>;

    /// Ticks in a second.
    fn ticks_per_second(&self) -> u32;

    /// Begins an episode, with all controls at zero.
    fn begin(&mut self, episode: u64);

    /// Sets the controls that are named; the others keep their values.
    ///
    /// # Errors
    ///
    /// If there is no such control or a value is not one of its own; nothing is set then.
    fn change(&mut self, changes: &[(&str, f64)]) -> Result<(), RawError>;

    /// Advances up to `ticks`, fewer if the episode ends: the sum of the rewards, and how the episode stands.
    ///
    /// # Errors
    ///
    /// If the episode is over.
    fn advance(&mut self, ticks: u32) -> Result<(f64, Status), RawError>;

    /// How the episode stands.
    fn status(&self) -> Status;

    /// Where the avatar is: east, up and north in metres (Unity), or east, north and up in units (Lab).
    fn position(&self) -> [f64; 3];

    /// The sum of the episode's rewards.
    fn score(&self) -> f64;

    /// Ticks that are left until the episode is cut.
    fn ticks_left(&self) -> u32;

    /// Width and height of the picture.
    fn size(&self) -> (usize, usize);

    /// Paints what the agent sees: RGB, row by row from the top.
    ///
    /// # Panics
    ///
    /// If `pixels` has not three bytes for each pixel of [`RawLevel::size`].
    fn picture(&self, pixels: &mut [u8]);
}

/// A level of rules `E`.
struct Opened<E: Raw> {
    rules: E,
    state: E::State,
    copy: Seed,
    controls: E::Controls,
    invert_pitch: bool,
    status: Status,
    score: f64,
    size: (usize, usize),
}

impl<E: Raw> Opened<E> {
    fn open(
        variant: E::Variant,
        name: &str,
        mut config: Map<String, Value>,
        settings: &Settings,
    ) -> Result<Box<dyn RawLevel>, RawError> {
        if let Some(seconds) = settings.seconds {
            // Checked before it is JSON, which has neither infinities nor NaN.
            Clock::new(settings.seconds, seconds, E::RATE)?;
            config.insert(clock::KEY.into(), json!(seconds));
        }
        let config: E::Config = serde_path_to_error::deserialize(Value::Object(config)).map_err(|e| {
            RawError::Form { name: name.to_owned(), key: e.path().to_string(), problem: e.inner().to_string() }
        })?;
        let rules = E::new(&config, variant)?;
        // As a batch of one that was reset with this seed has it.
        let copy = Seed(settings.seed).derive(0);
        let state = rules.start(start(copy, 0));
        let size = (settings.width as usize, settings.height as usize);
        let (controls, invert_pitch) = (E::Controls::default(), settings.invert_pitch);
        Ok(Box::new(Self { rules, state, copy, controls, invert_pitch, status: Status::Running, score: 0.0, size }))
    }
}

fn start(copy: Seed, episode: u64) -> Start {
    Start { seed: copy.derive(episode), copy, episode, problem: None }
}

impl<E: Raw> RawLevel for Opened<E> {
    fn controls(&self) -> Vec<Control> {
        E::Controls::CONTROLS.to_vec()
    }

    fn values(&self) -> Vec<f64> {
        self.controls.values()
    }

    fn discrete(&self) -> Vec<Vec<f64>> {
        E::ACTIONS.iter().map(|&action| E::controls(action).values()).collect()
    }

    fn ticks_per_second(&self) -> u32 {
        E::RATE
    }

    fn begin(&mut self, episode: u64) {
        self.rules.restart(&mut self.state, start(self.copy, episode));
        self.controls = E::Controls::default();
        self.status = Status::Running;
        self.score = 0.0;
    }

    fn change(&mut self, changes: &[(&str, f64)]) -> Result<(), RawError> {
        Ok(self.controls.change(changes)?)
    }

    fn advance(&mut self, ticks: u32) -> Result<(f64, Status), RawError> {
        if self.status.ended() {
            return Err(RawError::Over);
        }
        let controls = if self.invert_pitch { self.controls.inverted() } else { self.controls };
        let mut sum = 0.0;
        for _ in 0..ticks {
            let (reward, status) = self.rules.tick(&mut self.state, &controls);
            sum += f64::from(reward);
            self.score += f64::from(reward);
            self.status = status;
            if status.ended() {
                break;
            }
        }
        Ok((sum, self.status))
    }

    fn status(&self) -> Status {
        self.status
    }

    fn position(&self) -> [f64; 3] {
        self.rules.position(&self.state)
    }

    fn score(&self) -> f64 {
        self.score
    }

    fn ticks_left(&self) -> u32 {
        self.rules.ticks_left(&self.state)
    }

    fn size(&self) -> (usize, usize) {
        self.size
    }

    fn picture(&self, pixels: &mut [u8]) {
        // The picture is the only field: the settings ask for pixels, and for nothing of the step before.
        let fields = &self.rules.spec().observation;
        let mut rows = Rows::new(fields, [FieldMut::U8(pixels)]);
        self.rules.observe(&self.state, 0, rows.row(0));
    }
}

/// Every name that [`open`] takes: the 77 public ones, then the two that mix the training levels of their task.
#[must_use]
pub fn names() -> Vec<String> {
    public_levels().chain(virtual_levels()).map(|public| public.name()).collect()
}

/// Opens the level that is publicly called `name`, at the beginning of its first episode.
///
/// # Errors
///
/// If there is no such level, or the settings do not describe one.
pub fn open(name: &str, settings: &Settings) -> Result<Box<dyn RawLevel>, RawError> {
    let public = public_levels().chain(virtual_levels()).find(|public| public.name() == name);
    let public = public.ok_or_else(|| RawError::Unknown { name: name.to_owned(), nearest: nearest(name) })?;
    if let Some(key) = FIXED.into_iter().find(|key| settings.config.contains_key(*key)) {
        let problem = "is one of the settings, not of the other keys".to_owned();
        return Err(RawError::Form { name: name.to_owned(), key: key.to_owned(), problem });
    }
    let mut config = settings.config.clone();
    config.insert("level".into(), json!(public.level));
    config.insert("observation".into(), json!("pixels"));
    config.insert("width".into(), json!(settings.width));
    config.insert("height".into(), json!(settings.height));
    (public.task.open)(name, config, settings)
}

/// The five names that look most like `name`.
fn nearest(name: &str) -> Vec<String> {
    let mut names = names();
    names.sort_by_key(|known| strsim::damerau_levenshtein(known, name));
    names.truncate(5);
    names
}
