//! The keys that the two games share, and what they must satisfy.

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

use crate::codec::{MAX_LENGTH, sentences};
use crate::space::{MAX_DIMS, Representation, SpaceRules, Tail, within};
use crate::speaker::SpeakerRule;
use crate::split::{QueryRule, Split, SupportRule, held_out_meanings};

/// Most distractors of a game.
pub(crate) const MAX_DISTRACTORS: u32 = 7;
/// Most choices of one component of an action.
const MAX_ACTIONS: u64 = 1 << 20;

/// Where distractors, and the stand-in of an absent target, are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pool {
    /// In the support phase every meaning that is not held out, in the query phase every meaning (the paper's).
    #[default]
    Space,
    /// The targets listed for the phase and those before it, as often as they are listed (the public code's).
    Listed,
}

/// How query targets and the stand-ins of absent ones are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueryBalance {
    /// By `query_rule` and `distractor_pool`, as the published tables have it: a stimulus that is not held out was not
    /// meant, so much can be told without the message.
    #[default]
    Original,
    /// As many targets as `query_rule` lists, each drawn apart from all held-out meanings; the stand-in from the others
    /// of these. Whether the stimulus is the target's, the message alone tells.
    Balanced,
}

/// A ratio that follows from the number of distractors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NamedRatio {
    /// `(distractors + 1) / (distractors + 2)`: every decision is right equally often.
    Balanced,
    /// `1 / (distractors + 2)`: the public code's, which is balanced without distractors alone.
    Original,
}

/// How often the target is among the stimuli of a descriptive game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be `balanced`, `original` or a number from 0 to 1")]
pub(crate) enum TargetRatio {
    /// By name.
    Named(NamedRatio),
    /// As a probability.
    Value(f64),
}

impl TargetRatio {
    fn of(self, distractors: u32) -> f64 {
        let k = f64::from(distractors);
        match self {
            Self::Named(NamedRatio::Balanced) => (k + 1.0) / (k + 2.0),
            Self::Named(NamedRatio::Original) => 1.0 / (k + 2.0),
            Self::Value(ratio) => ratio,
        }
    }
}

/// How actions are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Actions {
    /// A decision is one integer, a message one integer per token.
    #[default]
    Plain,
    /// A decision is one integer, a message one integer.
    Sentences,
    /// A decision and a message are one integer together (the public code's wrapper).
    Combined,
}

/// What a decision earns, for both agents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rewards {
    /// Right, in the support phase.
    pub(crate) support_right: f32,
    /// Wrong, in the support phase.
    pub(crate) support_wrong: f32,
    /// Right, in the query phase.
    pub(crate) query_right: f32,
    /// Wrong, in the query phase.
    pub(crate) query_wrong: f32,
}

impl Default for Rewards {
    fn default() -> Self {
        Self { support_right: 1.0, support_wrong: 0.0, query_right: 1.0, query_wrong: -2.0 }
    }
}

impl Rewards {
    pub(crate) fn all(&self) -> [f32; 4] {
        [self.support_right, self.support_wrong, self.query_right, self.query_wrong]
    }
}

/// Declares a config by its keys, with their defaults.
macro_rules! keys {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $key:ident: $type:ty = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(crate) struct $name { $($(#[$doc])* pub(crate) $key: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $value,)* }
            }
        }
    };
}

/// Declares a config with the shared keys and those of its own: one list of keys for two environments, each of which
/// refuses the other's.
macro_rules! config {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $own:ident: $type:ty = $value:expr,)* }) => {
        keys! {
            $(#[$about])*
            $name {
                /// Which values make a combination held out.
                split: Split = Split::Combinatorial2,
                /// Dimensions of a meaning.
                dims: u32 = 3,
                /// Fewest values of a dimension.
                min_values: u32 = 2,
                /// Most values of a dimension.
                max_values: u32 = 5,
                /// Frozen samples of each value: how many ways it looks in an episode (the paper's O).
                samples: u32 = 4,
                /// Times that each value is seen in the support phase (the paper's S).
                shots: u32 = 4,
                /// How support targets are chosen.
                support_rule: SupportRule = SupportRule::Weighted,
                /// Times that the support list is played (the public code's `-2Shots`).
                support_passes: u32 = 1,
                /// How query targets are chosen.
                query_rule: QueryRule = QueryRule::All,
                /// Whether query targets and stand-ins are drawn alike.
                query_balance: QueryBalance = QueryBalance::Original,
                /// Stimuli of the listener beside the target's (the paper's K).
                distractors: u32 = 0,
                /// Where distractors are drawn from.
                distractor_pool: Pool = Pool::Space,
                /// Whether the target may be absent, which the listener must say.
                descriptive: bool = true,
                /// How often it is present.
                target_ratio: TargetRatio = TargetRatio::Named(NamedRatio::Balanced),
                /// How stimuli are written.
                representation: Representation = Representation::Scs,
                /// Whether one-hot spaces have `max_values` values on every dimension.
                ohe_fixed_structure: bool = false,
                /// What happens to samples outside the section of their value.
                tail: Tail = Tail::Reject,
                /// Tokens of a message (the paper's L).
                message_length: u32 = 3,
                /// Tokens beside the end of sentence (the paper's V).
                vocabulary: u32 = 6,
                /// Messages of a game (the paper's N).
                rounds: u32 = 1,
                /// Whether the listener sees the tokens through a permutation drawn for the episode.
                permute: bool = true,
                /// Whether the listener hears random tokens until it has decided, in the query phase (for analysis).
                scramble_query: bool = false,
                /// Whether the last message stays visible at decision and feedback.
                latch_message: bool = true,
                /// Whether the speaker may speak at every step, not only in the communication rounds.
                speak_any_time: bool = false,
                /// Whether a game ends with a step that shows the listener what the speaker saw.
                feedback: bool = true,
                /// Whether the speaker sees the distractors too.
                full_observation: bool = true,
                /// What a decision earns.
                rewards: Rewards = Rewards::default(),
                /// How actions are numbered.
                actions: Actions = Actions::Plain,
                /// Whether the one-hot round has a unit for the feedback step.
                round_shows_feedback: bool = true,
                /// Whether the observation has a random vector that names the partner of the episode.
                partner_id: bool = false,
                /// Whether the observation is one vector instead of named fields.
                flat: bool = false,
                /// Whether `info` tells what only an oracle may know.
                privileged: bool = false,
                $($(#[$doc])* $own: $type = $value,)*
            }
        }

        impl $name {
            /// The shared keys, checked.
            fn settings(&self) -> Result<Settings, ConfigError> {
                let Self {
                    split, dims, min_values, max_values, samples, shots, support_rule, support_passes, query_rule,
                    query_balance, distractors, distractor_pool, descriptive, target_ratio, representation,
                    ohe_fixed_structure, tail, message_length, vocabulary, rounds, permute, scramble_query,
                    latch_message, speak_any_time, feedback, full_observation, rewards, actions,
                    round_shows_feedback, partner_id, flat, privileged, ..
                } = *self;
                let space = SpaceRules::new(dims, min_values, max_values, samples)?;
                let space = SpaceRules { tail, representation, ..space }.fixed(ohe_fixed_structure);
                let settings = Settings {
                    space, split, shots, support_rule, support_passes, query_rule, query_balance, distractors,
                    distractor_pool, descriptive, target_ratio: target_ratio.of(distractors), message_length,
                    vocabulary, rounds, permute, scramble_query, latch_message, speak_any_time, feedback, full_observation, rewards, actions,
                    round_shows_feedback, partner_id, flat, privileged,
                    speaker: None, skip_idle: false, listener_query: false,
                };
                settings.check()?;
                Ok(settings)
            }
        }
    };
}

config! {
    /// What is fixed in `s2b/listener-v1`.
    ListenerConfig {
        /// The rule-based speaker.
        speaker: SpeakerRule = SpeakerRule::Posdis,
        /// Whether a step is a whole game, whose observations are stacked.
        skip_idle: bool = false,
    }
}

config! {
    /// What is fixed in `s2b/game-v1`.
    GameConfig {
        /// Whether the listener may send messages too.
        listener_query: bool = false,
    }
}

impl ListenerConfig {
    pub(crate) fn check(&self) -> Result<Settings, ConfigError> {
        let settings = self.settings()?;
        self.speaker.check(&settings)?;
        Ok(Settings { speaker: Some(self.speaker), skip_idle: self.skip_idle, ..settings })
    }
}

impl GameConfig {
    pub(crate) fn check(&self) -> Result<Settings, ConfigError> {
        Ok(Settings { listener_query: self.listener_query, ..self.settings()? })
    }
}

/// The keys of either config, as the rules use them.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key that a person sets")]
pub(crate) struct Settings {
    pub(crate) space: SpaceRules,
    pub(crate) split: Split,
    pub(crate) shots: u32,
    pub(crate) support_rule: SupportRule,
    pub(crate) support_passes: u32,
    pub(crate) query_rule: QueryRule,
    pub(crate) query_balance: QueryBalance,
    pub(crate) distractors: u32,
    pub(crate) distractor_pool: Pool,
    pub(crate) descriptive: bool,
    pub(crate) target_ratio: f64,
    pub(crate) message_length: u32,
    pub(crate) vocabulary: u32,
    pub(crate) rounds: u32,
    pub(crate) permute: bool,
    pub(crate) scramble_query: bool,
    pub(crate) latch_message: bool,
    pub(crate) speak_any_time: bool,
    pub(crate) feedback: bool,
    pub(crate) full_observation: bool,
    pub(crate) rewards: Rewards,
    pub(crate) actions: Actions,
    pub(crate) round_shows_feedback: bool,
    pub(crate) partner_id: bool,
    pub(crate) flat: bool,
    pub(crate) privileged: bool,
    /// The rule-based speaker, where the speaker is no agent.
    pub(crate) speaker: Option<SpeakerRule>,
    pub(crate) skip_idle: bool,
    pub(crate) listener_query: bool,
}

impl Settings {
    fn check(&self) -> Result<(), ConfigError> {
        within("shots", self.shots, 1, 16)?;
        within("support_passes", self.support_passes, 1, 8)?;
        within("message_length", self.message_length, 1, MAX_LENGTH as u32)?;
        within("vocabulary", self.vocabulary, 1, 200)?;
        within("rounds", self.rounds, 1, 8)?;
        within("distractors", self.distractors, 0, MAX_DISTRACTORS)?;
        // A game without target needs a stand-in and every distractor beside the target's meaning.
        let fewest = u64::from(self.space.min_values).pow(self.space.dims as u32);
        let most = (fewest - 1 - u64::from(self.descriptive)).min(u64::from(MAX_DISTRACTORS)) as u32;
        within("distractors", self.distractors, u32::from(!self.descriptive), most)?;
        if !(0.0..=1.0).contains(&self.target_ratio) {
            return Err(ConfigError::value("target_ratio", self.target_ratio, "0 to 1"));
        }
        self.check_balance()?;
        let rewards = self.rewards.all();
        if let Some(reward) = rewards.iter().find(|r| !(-1000.0..=1000.0).contains(*r)) {
            return Err(ConfigError::value("rewards", reward, "-1000 to 1000"));
        }
        let sentences = sentences(self.vocabulary, self.message_length);
        let choices = match self.actions {
            Actions::Plain => 1,
            Actions::Sentences => sentences,
            Actions::Combined => sentences.saturating_mul(u64::from(self.decisions())),
        };
        if choices >= MAX_ACTIONS {
            let allowed = format!("`plain`, as there would be {choices} actions; at most {} fit", MAX_ACTIONS - 1);
            let name = if self.actions == Actions::Combined { "combined" } else { "sentences" };
            return Err(ConfigError::value("actions", name, &allowed));
        }
        Ok(())
    }

    /// Checks that every target of a balanced query phase can have a held-out stand-in, and that nothing else is shown.
    fn check_balance(&self) -> Result<(), ConfigError> {
        if self.query_balance == QueryBalance::Original {
            return Ok(());
        }
        if self.distractors > 0 {
            return Err(ConfigError::value("distractors", self.distractors, "0 if `query_balance` is `balanced`"));
        }
        let (dims, fewest) = (self.space.dims, self.space.min_values);
        let held_out = held_out_meanings(&[fewest; MAX_DIMS][..dims]);
        if held_out < 2 {
            let allowed = format!(
                "`original` where `dims` is {dims} and `min_values` is {fewest}: a space may have {held_out} held-out \
                 meaning, and `balanced` needs 2"
            );
            return Err(ConfigError::value("query_balance", "balanced", &allowed));
        }
        Ok(())
    }

    /// Checks that the messages of a game have a token for each dimension, as scripted agents need it.
    pub(crate) fn check_places(&self) -> Result<(), ConfigError> {
        if (self.rounds * self.message_length) < self.space.dims as u32 {
            let needed = (self.space.dims as u32).div_ceil(self.rounds);
            let allowed = format!("at least {needed}, so that `rounds` messages have a token for each of `dims`");
            return Err(ConfigError::value("message_length", self.message_length, &allowed));
        }
        Ok(())
    }

    /// Stimuli of the listener.
    pub(crate) fn slots(&self) -> usize {
        self.distractors as usize + 1
    }

    /// Decisions of the listener: a stimulus, or where that is possible none of them.
    pub(crate) fn decisions(&self) -> u32 {
        self.distractors + 1 + u32::from(self.descriptive)
    }

    /// Messages that spell one utterance of the rule-based speakers.
    pub(crate) fn windows(&self) -> usize {
        self.space.dims.div_ceil(self.message_length as usize)
    }

    /// Tokens of one utterance of the rule-based speakers.
    pub(crate) fn utterance_length(&self) -> usize {
        self.windows() * self.message_length as usize
    }

    /// Observations of one game.
    pub(crate) fn observations(&self) -> usize {
        self.rounds as usize + 1 + usize::from(self.feedback)
    }
}
