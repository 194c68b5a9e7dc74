//! Rule-based speakers: languages whose compositionality is known.

use heldout_core::{ConfigError, Rng, Seed, shuffled};
use serde::{Deserialize, Serialize};

use crate::codec::{EOS, MAX_LENGTH, Message, regular};
use crate::config::Settings;
use crate::space::{MAX_DIMS, Meaning, Structure};

/// Most tokens of an utterance: a token per dimension, padded to whole messages.
pub(crate) const MAX_UTTERANCE: usize = MAX_DIMS + MAX_LENGTH - 1;

/// What a rule-based speaker says of one stimulus: one message per round, or the same again if fewer suffice.
pub(crate) type Utterance = [u8; MAX_UTTERANCE];

/// A rule-based speaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpeakerRule {
    /// Positionally disentangled: the token at position `i` names the value on dimension `i`.
    #[default]
    Posdis,
    /// Every value of every dimension has a token of its own; the order is random.
    BagOfSymbols,
    /// Every meaning has a random message of its own.
    Holistic,
    /// Random messages.
    Random,
}

impl SpeakerRule {
    pub(crate) const ALL: [Self; 4] = [Self::Posdis, Self::BagOfSymbols, Self::Holistic, Self::Random];

    /// The name that configs and policies use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Posdis => "posdis",
            Self::BagOfSymbols => "bag-of-symbols",
            Self::Holistic => "holistic",
            Self::Random => "random",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// The names, for messages.
    pub(crate) fn listed() -> String {
        Self::ALL.map(|rule| format!("`{}`", rule.name())).join(", ")
    }

    /// Tokens that it needs to speak of spaces of `dims` dimensions with at most `values` values.
    pub(crate) fn vocabulary(self, values: u8, dims: usize) -> u32 {
        match self {
            Self::BagOfSymbols => u32::from(values) * dims as u32,
            _ => u32::from(values),
        }
    }

    /// Checks that the language has enough words, and messages enough places for them.
    pub(crate) fn check(self, settings: &Settings) -> Result<(), ConfigError> {
        if self == Self::Random {
            return Ok(());
        }
        let needed = self.vocabulary(settings.space.max_values, settings.space.dims);
        if settings.vocabulary < needed {
            let why = if self == Self::BagOfSymbols { "`dims` times `max_values`" } else { "`max_values`" };
            let allowed = format!("at least {needed} ({why}) for the speaker `{}`", self.name());
            return Err(ConfigError::value("vocabulary", settings.vocabulary, &allowed));
        }
        settings.check_places()
    }
}

/// What fixes a language beside its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tongue {
    /// Most values of a dimension.
    pub(crate) max_values: u8,
    /// Tokens beside the end of sentence.
    pub(crate) vocabulary: u32,
    /// Tokens of an utterance.
    pub(crate) length: usize,
    /// Tokens of a message, of which an utterance is one or several.
    pub(crate) message_length: usize,
}

impl Tongue {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            max_values: settings.space.max_values,
            vocabulary: settings.vocabulary,
            length: settings.utterance_length(),
            message_length: settings.message_length as usize,
        }
    }

    /// What `rule` says of `meaning`. `episode` fixes the words of a holistic language, `rng` what is left to chance.
    ///
    /// # Panics
    ///
    /// If the vocabulary is too small for the rule.
    pub(crate) fn utter(
        &self,
        rule: SpeakerRule,
        structure: &Structure,
        meaning: Meaning,
        episode: Seed,
        rng: &mut Rng,
    ) -> Utterance {
        let dims = structure.dims();
        let mut said = [EOS; MAX_UTTERANCE];
        match rule {
            SpeakerRule::Posdis => {
                for (i, token) in said[..dims].iter_mut().enumerate() {
                    *token = meaning.value(i) + 1;
                }
            }
            SpeakerRule::BagOfSymbols => {
                for (i, token) in said[..dims].iter_mut().enumerate() {
                    let symbol = i as u32 * u32::from(self.max_values) + u32::from(meaning.value(i));
                    assert!(symbol < self.vocabulary, "the bag of symbols needs a token for each value");
                    *token = symbol as u8 + 1;
                }
                rng.shuffle(&mut said[..dims]);
            }
            SpeakerRule::Holistic => {
                // A permutation of all full messages (or of the first 2^31): no two meanings share one.
                let most = 1_u64 << 31;
                let count = (0..self.length).fold(1, |n, _| most.min(n * u64::from(self.vocabulary)));
                let mut rest = shuffled(episode, structure.index(meaning), count as u32);
                for token in &mut said[..self.length] {
                    *token = (rest % self.vocabulary) as u8 + 1;
                    rest /= self.vocabulary;
                }
            }
            SpeakerRule::Random => {
                for message in said[..self.length].chunks_mut(self.message_length) {
                    // Nothing is said after the end of a sentence.
                    let mut ended = false;
                    for token in message {
                        let drawn = rng.below(self.vocabulary + 1) as u8;
                        ended |= drawn == EOS;
                        *token = if ended { EOS } else { drawn };
                    }
                }
            }
        }
        said
    }
}

/// The message of `said` that is sent in `round`.
pub(crate) fn window(said: &Utterance, round: usize, settings: &Settings) -> Message {
    let length = settings.message_length as usize;
    let at = round % settings.windows() * length;
    let mut message = [EOS; MAX_LENGTH];
    message[..length].copy_from_slice(&said[at..at + length]);
    regular(message)
}
