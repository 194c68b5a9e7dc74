//! What is fixed for the life of an environment.

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

use crate::walker::config::{Format, Observation, config};

/// How the panel is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Projection {
    /// In perspective, as a screen in a room.
    #[default]
    FirstPerson,
    /// Flat: the part of the panel around the gaze.
    Panel2d,
}

/// The keys that the four tasks share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Screen {
    /// Which stimuli and which scale.
    pub(crate) level: String,
    pub(crate) format: Format,
    /// How the panel is looked at.
    pub(crate) projection: Projection,
    /// Whether the middle of the picture is marked.
    pub(crate) reticle: bool,
    /// Seconds of an episode; `None` for the level's own.
    pub(crate) seconds: Option<f64>,
}

/// The keys that the four instant-choice variants share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instant {
    /// Which stimuli and which scale.
    pub(crate) level: String,
    pub(crate) observation: Observation,
    /// Whether it sees its previous action and reward.
    pub(crate) previous: bool,
}

/// A config of a task.
pub(crate) trait Config: Default + Clone + Send + Sync + Serialize + for<'de> Deserialize<'de> {
    /// The keys that all four have.
    type Shared;
    /// The keys of this task alone.
    type Keys;

    /// The keys that all four have.
    fn shared(&self) -> Result<Self::Shared, ConfigError>;

    /// The keys of this task alone.
    fn keys(&self) -> Self::Keys;
}

macro_rules! configs {
    ($($id:literal $Keys:ident $Full:ident $Mini:ident { $($(#[doc = $doc:literal])* $key:ident: $Type:ty = $value:expr,)* })*) => {
        $(
            #[doc = concat!("The keys of `memory/", $id, "-v1` alone.")]
            #[derive(Clone, Debug, PartialEq)]
            pub(crate) struct $Keys { $($(#[doc = $doc])* pub(crate) $key: $Type,)* }

            config! {
                #[doc = concat!("Config of `memory/", $id, "-v1`.")]
                $Full {
                    /// How the panel is looked at.
                    view: Projection = Projection::FirstPerson,
                    /// Whether the middle of the picture is marked.
                    reticle: bool = true,
                    $($(#[doc = $doc])* $key: $Type = $value,)*
                }
            }

            impl Config for $Full {
                type Shared = Screen;
                type Keys = $Keys;

                fn shared(&self) -> Result<Screen, ConfigError> {
                    Ok(Screen {
                        level: self.level.clone(),
                        format: self.format()?,
                        projection: self.view,
                        reticle: self.reticle,
                        seconds: self.seconds,
                    })
                }

                fn keys(&self) -> $Keys {
                    $Keys { $($key: self.$key.clone(),)* }
                }
            }

            #[doc = concat!("Config of `memory/", $id, "-mini-v1`.")]
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub(crate) struct $Mini {
                /// Which stimuli and which scale.
                pub(crate) level: String,
                pub(crate) observation: Observation,
                /// Whether the agent sees its previous action and reward.
                pub(crate) previous: bool,
                $($(#[doc = $doc])* pub(crate) $key: $Type,)*
            }

            impl Default for $Mini {
                fn default() -> Self {
                    let (level, observation) = ("train".to_owned(), Observation::Symbolic);
                    Self { level, observation, previous: false, $($key: $value,)* }
                }
            }

            impl Config for $Mini {
                type Shared = Instant;
                type Keys = $Keys;

                fn shared(&self) -> Result<Instant, ConfigError> {
                    Ok(Instant { level: self.level.clone(), observation: self.observation, previous: self.previous })
                }

                fn keys(&self) -> $Keys {
                    $Keys { $($key: self.$key.clone(),)* }
                }
            }
        )*
    };
}

configs! {
    "arbitrary-visuomotor-mapping" MappingKeys MappingConfig MappingMiniConfig {
        /// Where images come from: `builtin`, or a directory of PNG files named by their ids.
        images: String = "builtin".to_owned(),
    }
    "continuous-recognition" RecognitionKeys RecognitionConfig RecognitionMiniConfig {
        /// Where images come from: `builtin`, or a directory of PNG files named by their ids.
        images: String = "builtin".to_owned(),
        /// Whether the button for a new image is the right one, as a caption of the paper has it.
        new_right: bool = false,
    }
    "change-detection" ChangeKeys ChangeConfig ChangeMiniConfig {
        /// Whether objects may be in all 25 cells, not only in the nine of a plus.
        full_grid: bool = false,
        /// Whether Pink is held out in place of Orange, as the paper has it.
        pink: bool = false,
        /// Whether the button for a change is the right one, as a caption of the paper has it.
        different_right: bool = false,
        /// Whether delays are seconds, as the paper has it, not ticks.
        delays_in_seconds: bool = false,
    }
    "what-then-where" WhereKeys WhereConfig WhereMiniConfig {
        /// Where digits come from.
        digits: heldout_digits::Source = heldout_digits::Source::Strokes,
        /// Directory of the MNIST files; without it, the variable `HELDOUT_MNIST`, then the cache.
        mnist: Option<String> = None,
        /// Whether delays are seconds, as the paper has it, not ticks.
        delays_in_seconds: bool = false,
    }
}
