//! The keys that tasks have in common, and the fields of observations that follow from them.

use heldout_core::check::{below, within};
use heldout_core::{ConfigError, Dtype, Field, Preset, Row};
use heldout_render::Canvas;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Observation {
    /// A picture.
    #[default]
    Pixels,
    /// A vector of what is in view.
    Symbolic,
}

/// Defines a config: the keys that every full task has, then those of its own with their defaults.
///
/// A macro, because serde cannot both flatten common keys and name an unknown one with its path.
macro_rules! config {
    ($(#[$doc:meta])* $name:ident { $($(#[$note:meta])* $key:ident: $Type:ty = $value:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(crate) struct $name {
            /// Which stimuli and which scale.
            pub(crate) level: String,
            pub(crate) observation: $crate::walker::config::Observation,
            /// Pixels in a row.
            pub(crate) width: u32,
            /// Rows of pixels.
            pub(crate) height: u32,
            /// Whether the agent sees its previous action and reward.
            pub(crate) previous: bool,
            /// Seconds of an episode; `None` for the level's own.
            pub(crate) seconds: Option<f64>,
            $($(#[$note])* pub(crate) $key: $Type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    level: "train".to_owned(),
                    observation: $crate::walker::config::Observation::Pixels,
                    width: 96,
                    height: 72,
                    previous: false,
                    seconds: None,
                    $($key: $value,)*
                }
            }
        }

        impl $name {
            /// The observation, its sizes checked.
            pub(crate) fn format(&self) -> Result<$crate::walker::config::Format, heldout_core::ConfigError> {
                let Self { observation, width, height, previous, .. } = *self;
                $crate::walker::config::Format { observation, width, height, previous }.check()
            }
        }
    };
}
pub(crate) use config;

/// A vector in place of the picture.
pub(crate) const SYMBOLIC: Preset = Preset {
    name: "symbolic",
    about: "Numbers in place of the picture, with the previous action and reward.",
    config: r#"{"observation": "symbolic", "previous": true}"#,
};
/// A square picture.
pub(crate) const SQUARE: Preset =
    Preset { name: "square", about: "A square picture.", config: r#"{"width": 84, "height": 84}"# };

/// The smallest and the largest side of a picture.
const LEAST_SIDE: u32 = 16;
const MOST_SIDE: u32 = 1024;

/// The kind and the size of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) observation: Observation,
    /// Pixels in a row.
    pub(crate) width: u32,
    /// Rows of pixels.
    pub(crate) height: u32,
    /// Whether the agent sees its previous action and reward.
    pub(crate) previous: bool,
}

impl Format {
    pub(crate) fn check(self) -> Result<Self, ConfigError> {
        for (field, side) in [("width", self.width), ("height", self.height)] {
            if !(LEAST_SIDE..=MOST_SIDE).contains(&side) {
                return Err(ConfigError::value(field, side, &format!("{LEAST_SIDE} to {MOST_SIDE}")));
            }
        }
        Ok(self)
    }

    /// The same, unless a pose is asked for, which pictures do not have.
    pub(crate) fn with_pose(self, pose: bool) -> Result<Self, ConfigError> {
        if pose && self.observation == Observation::Pixels {
            return Err(ConfigError::new("pose", "is `true`, must be `false` where the agent sees pixels"));
        }
        Ok(self)
    }

    /// Width and height of the picture.
    pub(crate) fn size(self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// The fields, where the vector has `elements` from `low` to `high`, and none of the `actions` pays more than `most`.
    pub(crate) fn fields(self, (elements, low, high): (usize, f32, f32), actions: usize, most: f32) -> Vec<Field> {
        let (width, height) = self.size();
        let mut fields = vec![match self.observation {
            Observation::Pixels => Field::image("pixels", height, width),
            Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[elements], low, high),
        }];
        if self.previous {
            fields.push(Field::new("previous_action", Dtype::F32, &[actions], 0.0, 1.0));
            fields.push(Field::new("previous_reward", Dtype::F32, &[1], 0.0, most));
        }
        fields
    }

    /// Writes the fields: the picture or the vector, and what was done and paid last.
    pub(crate) fn observe(
        self,
        mut row: Row<'_, '_>,
        previous: Previous,
        picture: impl FnOnce(&mut Canvas<'_>),
        symbols: impl FnOnce(&mut [f32]),
    ) {
        let (width, height) = self.size();
        match self.observation {
            Observation::Pixels => picture(&mut Canvas::new(width, height, row.u8(0))),
            Observation::Symbolic => symbols(row.f32(0)),
        }
        if self.previous {
            let one_hot = row.f32(1);
            one_hot.fill(0.0);
            if let Some(action) = previous.action {
                one_hot[usize::from(action)] = 1.0;
            }
            row.f32(2)[0] = previous.reward;
        }
    }
}

/// What the agent did last, none before the first step, and what it was paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Previous {
    action: Option<u8>,
    pub(crate) reward: f32,
}

impl Previous {
    /// After the action with this number.
    pub(crate) fn new(action: usize, reward: f32) -> Self {
        Self { action: Some(action as u8), reward }
    }

    /// Checks that it is one of so many actions, and paid `most` at the most.
    pub(crate) fn check(self, actions: usize, most: f32) -> Result<(), String> {
        self.action.map_or(Ok(()), |action| below("previous action", action, actions))?;
        within("previous reward", self.reward, 0.0..=most)
    }
}
