//! What all tasks share of their observations.

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

/// What the agent sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// A picture in first person.
    #[default]
    Pixels,
    /// A vector of what is in view.
    Symbolic,
}

/// The smallest side of a picture.
pub const LEAST_SIDE: u32 = 16;
/// The largest side of a picture.
pub const MOST_SIDE: u32 = 1024;

/// The tangent of half the vertical field of view: 90 degrees across at 96x72.
pub const TAN_HALF_HEIGHT: f32 = 0.75;

/// The kind and the size of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// What the agent sees.
    pub observation: Observation,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether the agent sees its previous action and reward.
    pub previous: bool,
}

impl View {
    /// Checks the sizes.
    ///
    /// # Errors
    ///
    /// If a side is out of range.
    pub fn check(self) -> Result<Self, ConfigError> {
        for (field, side) in [("width", self.width), ("height", self.height)] {
            if !(LEAST_SIDE..=MOST_SIDE).contains(&side) {
                return Err(ConfigError::value(field, side, &format!("{LEAST_SIDE} to {MOST_SIDE}")));
            }
        }
        Ok(self)
    }
}
