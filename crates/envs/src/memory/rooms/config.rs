//! What is fixed in the rooms.

use heldout_core::{ConfigError, Dtype, Field, Row};
use serde::{Deserialize, Serialize};

use crate::memory::body::TICKS_PER_SECOND;
use crate::memory::{Observation, View, Walk};

/// Seconds of an episode at the most.
const MOST_SECONDS: f64 = 36_000.0;

/// The config of the four tasks in two rooms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpotConfig {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether the agent sees its previous action and reward.
    pub previous: bool,
    /// Seconds of an episode; `None` for the task's own.
    pub seconds: Option<f64>,
}

impl Default for SpotConfig {
    fn default() -> Self {
        Self {
            level: "train".to_owned(),
            observation: Observation::Pixels,
            width: 96,
            height: 72,
            previous: false,
            seconds: None,
        }
    }
}

impl SpotConfig {
    /// The kind and the size of the observation.
    #[must_use]
    pub fn view(&self) -> View {
        let Self { observation, width, height, previous, .. } = *self;
        View { observation, width, height, previous }
    }
}

/// The config of transitive inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InferenceConfig {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether the agent sees its previous action and reward.
    pub previous: bool,
    /// Seconds of an episode; `None` for the task's own.
    pub seconds: Option<f64>,
    /// Whether the floor has another colour for the challenge.
    pub cue_phase: bool,
}

impl Default for InferenceConfig {
    fn default() -> Self {
        let SpotConfig { level, observation, width, height, previous, seconds } = SpotConfig::default();
        Self { level, observation, width, height, previous, seconds, cue_phase: true }
    }
}

impl InferenceConfig {
    /// The kind and the size of the observation.
    #[must_use]
    pub fn view(&self) -> View {
        let Self { observation, width, height, previous, .. } = *self;
        View { observation, width, height, previous }
    }
}

/// Ticks of an episode of so many seconds, or of the task's own.
///
/// # Errors
///
/// If there are none, or too many.
pub(super) fn limit(seconds: Option<f64>, own: f64) -> Result<u32, ConfigError> {
    let seconds = seconds.unwrap_or(own);
    let ticks = (seconds * f64::from(TICKS_PER_SECOND) + 0.5).floor();
    if seconds <= MOST_SECONDS && ticks >= 1.0 {
        Ok(ticks as u32)
    } else {
        let allowed = format!("at least one tick of 1/30 second and at most {MOST_SECONDS}");
        Err(ConfigError::value("seconds", seconds, &allowed))
    }
}

/// The fields of an observation whose symbolic vector has `elements`, and whose rewards are 0 to `most`.
pub(super) fn fields(view: View, elements: usize, most: f32) -> Vec<Field> {
    let mut fields = vec![match view.observation {
        Observation::Pixels => Field::image("pixels", view.height as usize, view.width as usize),
        Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[elements], -1.0, 1.0),
    }];
    if view.previous {
        fields.push(Field::new("previous_action", Dtype::F32, &[Walk::ALL.len()], 0.0, 1.0));
        fields.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, most));
    }
    fields
}

/// What the agent did last and what it was paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Previous {
    /// The action; none before the first step.
    pub action: Option<Walk>,
    /// The reward.
    pub reward: f32,
}

impl Previous {
    /// Writes it, if the agent sees it.
    pub(super) fn observe(self, view: View, row: &mut Row<'_, '_>) {
        if view.previous {
            let actions = row.f32(1);
            actions.fill(0.0);
            if let Some(action) = self.action {
                actions[action as usize] = 1.0;
            }
            row.f32(2)[0] = self.reward;
        }
    }
}
