//! What is fixed for the life of an environment.

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

use crate::concepts::{AffordanceRule, CausalRule};
use crate::experience::CountRules;
use crate::generate::{DepthLaw, Law, PathSampling, Split};
use crate::maze::Walls;
use crate::option::{Encoding, LONGEST, OptionSpace};

/// Most mazes of a set.
const MOST_MAZES: u32 = 10_000;

/// Hands the keys that both ids share to a macro, with whatever follows: serde can either flatten a table or refuse
/// unknown keys, not both, and nobody should write them twice.
macro_rules! with_shared_keys {
    ($macro:ident $($own:tt)*) => {
        $macro! {
            shared {
                /// Which mazes are played.
                split: Split = Split::Train,
                /// Number of mazes.
                mazes: u32 = 100,
                /// Names the set of mazes.
                maze_seed: u64 = 0,
                /// A file of mazes to play instead of generated ones.
                problems: Option<String> = None,
                /// Most primitives of an option.
                max_opt_len: u32 = 5,
                /// How an action is written in integers.
                actions: Encoding = Encoding::Tokens,
                /// Whether the primitive 0 ends an option.
                zero_is_eos: bool = true,
                /// Whether passing over the goal reaches it.
                goal_on_pass: bool = false,
                /// L of Table S3: steps of an episode.
                max_steps: u32 = 500,
                /// N of Table S3: trials of an episode.
                max_trials: u32 = 10,
                /// H of Table S3: steps of a trial.
                max_trial_steps: u32 = 200,
                /// Whether failed trials count toward `max_trials`.
                count_failed_trials: bool = true,
                /// Reward for reaching the goal.
                reward_goal: f32 = 100.0,
                /// Reward of an invalid move.
                reward_invalid: f32 = -5.0,
                /// Reward for each move nearer to the goal.
                reward_progress: f32 = 1.0,
                /// Whether a trial's share of `rho_p` is at most 1.
                clip_ratio: bool = false,
                /// Whether learners bootstrap through the end of a trial.
                bootstrap_across_trials: bool = true,
                /// Whether the observation at the end of a trial is shown too.
                trial_final_obs: bool = false,
                /// What the optimal path is uniform over.
                path_sampling: PathSampling = PathSampling::UniformOffset,
                /// What walls are made of.
                walls: Walls = Walls::Thin,
                /// Deceptive branches of a maze.
                branches: u32 = 5,
                /// Mean depth of a branch of a training maze.
                depth_train: u32 = 2,
                /// Mean depth of a branch of a test maze.
                depth_test: u32 = 5,
                /// How depths are distributed.
                depth_law: DepthLaw = DepthLaw::Uniform,
                /// Probability that a branch turns at a cell.
                turn_probability: f64 = 2.0 / 3.0,
                /// Whether each copy counts what its agent experiences.
                experience: bool = false,
                /// Which changes of digits count as caused by a move.
                kb_c_rule: CausalRule = CausalRule::Exact,
                /// Which moves count as consuming a digit; by default what `max_opt_len` calls for.
                kb_a_rule: Option<AffordanceRule> = None,
            }
            $($own)*
        }
    };
}

macro_rules! settings {
    (shared { $($(#[doc = $doc:literal])* $key:ident: $Type:ty = $value:expr,)* }) => {
        /// The keys that both ids share: the task, apart from how it is seen.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Settings { $($(#[doc = $doc])* pub(crate) $key: $Type,)* }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($key: $value,)* }
            }
        }
    };
}

macro_rules! config {
    (
        shared { $($(#[doc = $doc:literal])* $key:ident: $Type:ty = $value:expr,)* }
        $(#[doc = $own_doc:literal])* $Own:ident with $changed:ident = $change:expr;
        { $($(#[doc = $more_doc:literal])* $more:ident: $More:ty = $more_value:expr,)* }
    ) => {
        $(#[doc = $own_doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(crate) struct $Own {
            $($(#[doc = $doc])* pub(crate) $key: $Type,)*
            $($(#[doc = $more_doc])* pub(crate) $more: $More,)*
        }

        impl Default for $Own {
            fn default() -> Self {
                let shared = Settings { $changed: $change, ..Settings::default() };
                Self { $($key: shared.$key,)* $($more: $more_value,)* }
            }
        }

        impl $Own {
            pub(crate) fn settings(&self) -> Settings {
                Settings { $($key: self.$key.clone(),)* }
            }
        }
    };
}

with_shared_keys!(settings);

with_shared_keys! {
    config
    /// Config of `halma/symbolic-v1`.
    SymbolicConfig with max_opt_len = 5;
    {
        /// How the eleven rows are written.
        observation: Form = Form::OneHot,
        /// Columns that name the row, in the indexed form.
        index_width: u32 = 11,
    }
}

with_shared_keys! {
    config
    /// Config of `halma/visual-v1`.
    VisualConfig with max_opt_len = 1;
    {
        /// Element type of the panel.
        pixels: Pixels = Pixels::U8,
        /// Whose handwriting the digits are in.
        digits: heldout_digits::Source = heldout_digits::Source::Strokes,
        /// Directory of the MNIST files; without it, the variable `HELDOUT_MNIST`, then the cache.
        mnist: Option<String> = None,
        /// Whether a panel is sampled anew each time it is shown.
        resample_panels: bool = false,
        /// Whether the place, digit and colour of each glyph are shown too.
        boxes: bool = false,
    }
}

/// How the eleven rows of the symbolic observation are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// 11 rows of 19 values.
    #[default]
    OneHot,
    /// The same with columns that name the row.
    Indexed,
    /// 11 integers.
    Compact,
}

/// Element type of a panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pixels {
    /// Bytes.
    #[default]
    U8,
    /// Floats, 0 to 1.
    F32,
}

impl Settings {
    /// The law of the mazes.
    pub(crate) fn law(&self) -> Law {
        Law {
            path_sampling: self.path_sampling,
            walls: self.walls,
            branches: self.branches,
            depth: if self.split == Split::Train { self.depth_train } else { self.depth_test },
            depths: self.depth_law,
            turn_probability: self.turn_probability,
        }
    }

    pub(crate) fn options(&self) -> OptionSpace {
        OptionSpace { max_opt_len: self.max_opt_len, encoding: self.actions, zero_is_eos: self.zero_is_eos }
    }

    /// What is counted as experience.
    pub(crate) fn count_rules(&self) -> CountRules {
        let afforded = self.kb_a_rule.unwrap_or_else(|| AffordanceRule::of_reach(self.options().reach()));
        CountRules { caused: self.kb_c_rule, afforded }
    }

    /// Checks that the task can be played.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for (field, value, low, high) in [
            ("mazes", self.mazes, 1, MOST_MAZES),
            ("max_opt_len", self.max_opt_len, 1, LONGEST),
            ("max_steps", self.max_steps, 1, 1_000_000),
            ("max_trials", self.max_trials, 1, 1_000_000),
            ("max_trial_steps", self.max_trial_steps, 1, 1_000_000),
            ("branches", self.branches, 0, 20),
            ("depth_train", self.depth_train, 1, 9),
            ("depth_test", self.depth_test, 1, 9),
        ] {
            if !(low..=high).contains(&value) {
                return Err(ConfigError::value(field, value, &format!("{low} to {high}")));
            }
        }
        for (field, value) in [
            ("reward_goal", self.reward_goal),
            ("reward_invalid", self.reward_invalid),
            ("reward_progress", self.reward_progress),
        ] {
            if !(-1e6..=1e6).contains(&value) {
                return Err(ConfigError::value(field, value, "-1e6 to 1e6"));
            }
        }
        if !(0.0..=1.0).contains(&self.turn_probability) {
            return Err(ConfigError::value("turn_probability", self.turn_probability, "0 to 1"));
        }
        Ok(())
    }
}
