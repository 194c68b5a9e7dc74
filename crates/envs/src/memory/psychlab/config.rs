//! What is fixed for the life of an environment.

use serde::{Deserialize, Serialize};

use crate::digits;
use crate::memory::view::{Observation, View};

/// How the panel is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// In perspective, as a screen in a room.
    #[default]
    FirstPerson,
    /// Flat: the part of the panel around the gaze.
    Panel2d,
}

/// The keys that the four tasks share.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees, and how large.
    pub view: View,
    /// How the panel is looked at.
    pub projection: Projection,
    /// Whether the middle of the picture is marked.
    pub reticle: bool,
    /// Seconds of an episode; `None` for the level's own.
    pub seconds: Option<f64>,
}

/// The keys that the four instant-choice variants share.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Whether it sees its previous action and reward.
    pub previous: bool,
}

/// A config of a task.
pub trait Config: Default + Clone + Send + Sync + Serialize + for<'de> Deserialize<'de> {
    /// The keys that all four have.
    type Shared;
    /// The keys of this task alone.
    type Keys;

    /// The keys that all four have.
    fn shared(&self) -> Self::Shared;

    /// The keys of this task alone.
    fn keys(&self) -> Self::Keys;
}

macro_rules! configs {
    ($($id:literal $Keys:ident $Full:ident $Mini:ident { $($(#[doc = $doc:literal])* $key:ident: $Type:ty = $value:expr,)* })*) => {
        $(
            #[doc = concat!("The keys of `memory/", $id, "-v1` alone.")]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $Keys { $($(#[doc = $doc])* pub $key: $Type,)* }

            #[doc = concat!("Config of `memory/", $id, "-v1`.")]
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub struct $Full {
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
                /// How the panel is looked at.
                pub view: Projection,
                /// Whether the middle of the picture is marked.
                pub reticle: bool,
                /// Seconds of an episode; `None` for the level's own.
                pub seconds: Option<f64>,
                $($(#[doc = $doc])* pub $key: $Type,)*
            }

            impl Default for $Full {
                fn default() -> Self {
                    Self {
                        level: "train".to_owned(),
                        observation: Observation::Pixels,
                        width: 96,
                        height: 72,
                        previous: false,
                        view: Projection::FirstPerson,
                        reticle: true,
                        seconds: None,
                        $($key: $value,)*
                    }
                }
            }

            impl Config for $Full {
                type Shared = Screen;
                type Keys = $Keys;

                fn shared(&self) -> Screen {
                    let (width, height) = (self.width, self.height);
                    Screen {
                        level: self.level.clone(),
                        view: View { observation: self.observation, width, height, previous: self.previous },
                        projection: self.view,
                        reticle: self.reticle,
                        seconds: self.seconds,
                    }
                }

                fn keys(&self) -> $Keys {
                    $Keys { $($key: self.$key.clone(),)* }
                }
            }

            #[doc = concat!("Config of `memory/", $id, "-mini-v1`.")]
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub struct $Mini {
                /// Which stimuli and which scale.
                pub level: String,
                /// What the agent sees.
                pub observation: Observation,
                /// Whether the agent sees its previous action and reward.
                pub previous: bool,
                $($(#[doc = $doc])* pub $key: $Type,)*
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

                fn shared(&self) -> Instant {
                    Instant { level: self.level.clone(), observation: self.observation, previous: self.previous }
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
        digits: digits::Source = digits::Source::Strokes,
        /// Directory of the MNIST files; without it, the variable `HELDOUT_MNIST`, then the cache.
        mnist: Option<String> = None,
        /// Whether delays are seconds, as the paper has it, not ticks.
        delays_in_seconds: bool = false,
    }
}
