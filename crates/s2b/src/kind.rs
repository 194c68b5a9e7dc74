//! The language of a speaker: how compositional it is, on the whole of the spaces that a config draws.

use std::collections::BTreeMap;
use std::sync::Arc;

use heldout_core::{Asked, Kind, KindError, Measured, Player, Prepared, Sample, Seed, Speaker, Stimuli, Told};
use serde_json::{Map, Value};

use crate::config::GameConfig;
use crate::metrics::{Compositionality, Matrix, compositionality, spoken, values};
use crate::space::{Space, SpaceRules};
use crate::speaker::{SpeakerRule, Tongue};

/// Why an agent has no language to measure.
const SILENT: &str =
    "the language of a speaker is measured here, and this agent cannot be asked what it says of a stimulus";
/// Languages of a condition and seed unless told.
const LANGUAGES: u64 = 20;

/// Metrics of the language that a speaker speaks: a record per language.
pub(crate) struct Language;

/// A scripted speaker and the spaces that it speaks of.
pub(crate) struct Speech {
    policy: String,
    pub(crate) rule: SpeakerRule,
    space: SpaceRules,
    pub(crate) tongue: Tongue,
    languages: u64,
    seed: u64,
}

impl Speech {
    /// The speaker that `policy` names, under the config of a game.
    pub(crate) fn new(policy: &str, config: &Value, languages: u64, seed: u64) -> Result<Self, String> {
        let name = if policy == "oracle" { SpeakerRule::Posdis.name() } else { policy };
        let rule = SpeakerRule::named(name).ok_or_else(|| {
            format!(
                "there is no speaker `{policy}`; there are {} and `oracle`, which is `posdis`",
                SpeakerRule::listed()
            )
        })?;
        let number = |key: &str| {
            let value = config.get(key).and_then(Value::as_u64).map(|n| n as u32);
            value.ok_or_else(|| format!("the config has no number `{key}`: it is not of an S2B game"))
        };
        let (vocabulary, length) = (number("vocabulary")?, number("message_length")? as usize);
        let space = SpaceRules::new(number("dims")?, number("min_values")?, number("max_values")?, 1);
        let space = space.map_err(|e| e.to_string())?;
        let needed = rule.vocabulary(space.max_values, space.dims);
        if vocabulary < needed {
            return Err(format!("`vocabulary` is `{vocabulary}`, must be at least {needed} for the speaker `{name}`"));
        }
        if length < space.dims {
            let dims = space.dims;
            return Err(format!("`message_length` is `{length}`, must be at least `dims` = {dims} to speak of all"));
        }
        let tongue = Tongue { max_values: space.max_values, vocabulary, length, message_length: length };
        Ok(Self { policy: policy.to_owned(), rule, space, tongue, languages, seed })
    }
}

/// What is measured of a language.
const METRICS: &[&str] = &["topsim", "posdis", "bosdis"];

/// The sample that a language of `stimuli` stimuli comes to.
fn sample(stimuli: u64, scores: Compositionality) -> Sample {
    let values = METRICS.iter().zip([scores.topsim, scores.posdis, scores.bosdis]);
    let metrics: BTreeMap<String, f64> =
        values.filter_map(|(name, value)| Some(((*name).to_owned(), value?))).collect();
    Sample { length: stimuli, metrics }
}

impl Measured for Speech {
    fn policy(&self) -> String {
        self.policy.clone()
    }

    fn metrics(&self) -> &'static [&'static str] {
        METRICS
    }

    fn samples(&self) -> u64 {
        self.languages
    }

    /// Measures the language that the speaker speaks of one space.
    fn sample(&self, number: u64) -> Result<Sample, String> {
        let own = Seed(self.seed).derive(number);
        let mut space = Space::reserve(&self.space);
        space.redraw(&self.space, own);
        let structure = space.structure();
        Ok(sample(u64::from(structure.meanings()), spoken(self.rule, structure, &self.tongue, own)))
    }
}

/// All looks of a space: the values of the meaning of each and its number, and how it looks.
pub(crate) struct Looks {
    /// One of each dimension.
    pub(crate) values: Vec<u32>,
    pub(crate) meanings: Vec<u32>,
    pub(crate) numbers: Vec<f32>,
}

impl Looks {
    pub(crate) fn of(space: &Space, rules: &SpaceRules) -> Self {
        let structure = space.structure();
        let (mut looks, mut shown) =
            (Self { values: Vec::new(), meanings: Vec::new(), numbers: Vec::new() }, vec![0.0; rules.width()]);
        for meaning in structure.all() {
            for look in 0..rules.samples {
                looks.values.extend(values(structure, meaning));
                looks.meanings.push(structure.index(meaning));
                space.show(rules, meaning, look as u8, &mut shown);
                looks.numbers.extend_from_slice(&shown);
            }
        }
        looks
    }
}

/// What a speaker that is not scripted says of stimuli: refused if it is no message.
pub(crate) fn uttered(speaker: &dyn Speaker, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String> {
    let &Stimuli { length, vocabulary, .. } = stimuli;
    let mut said = speaker.utter(stimuli)?;
    let count = stimuli.numbers.len() / stimuli.width;
    if said.len() != count * length {
        return Err(format!("the speaker said {} tokens, must be {length} of each of {count} stimuli", said.len()));
    }
    if let Some(token) = said.iter().find(|token| **token > vocabulary) {
        return Err(format!("the speaker said the token `{token}`, must be 0 to {vocabulary}"));
    }
    // Nothing is said after the end of a sentence.
    for message in said.chunks_mut(length) {
        let end = message.iter().position(|&token| token == 0).unwrap_or(length);
        message[end..].fill(0);
    }
    Ok(said)
}

/// A speaker that is not scripted and the spaces that it speaks of. It is shown stimuli, not told their meanings.
struct Learnt {
    speaker: Arc<dyn Speaker>,
    config: Value,
    space: SpaceRules,
    length: usize,
    vocabulary: u32,
    languages: u64,
    seed: u64,
}

impl Learnt {
    fn new(speaker: &Arc<dyn Speaker>, config: Value, languages: u64, seed: u64) -> Result<Self, String> {
        let game: GameConfig = serde_json::from_value(config.clone())
            .map_err(|error| format!("the config is not of a game with a speaker: {error}"))?;
        let settings = game.check().map_err(|error| error.to_string())?;
        let (length, vocabulary) = (settings.message_length as usize, settings.vocabulary);
        Ok(Self { speaker: Arc::clone(speaker), config, space: settings.space, length, vocabulary, languages, seed })
    }
}

impl Measured for Learnt {
    fn policy(&self) -> String {
        "an agent".to_owned()
    }

    fn metrics(&self) -> &'static [&'static str] {
        METRICS
    }

    fn samples(&self) -> u64 {
        self.languages
    }

    /// Measures the language that the speaker speaks of one space: of every meaning in every look.
    fn sample(&self, number: u64) -> Result<Sample, String> {
        let own = Seed(self.seed).derive(number);
        let mut space = Space::reserve(&self.space);
        space.redraw(&self.space, own);
        let looks = Looks::of(&space, &self.space);
        let (length, vocabulary, width) = (self.length, self.vocabulary, self.space.width());
        let stimuli = Stimuli { config: &self.config, seed: own, numbers: &looks.numbers, width, length, vocabulary };
        let said = uttered(&*self.speaker, &stimuli)?;
        let (values, said) = (Matrix::new(&looks.values, space.structure().dims()), Matrix::new(&said, length));
        Ok(sample(looks.meanings.len() as u64, compositionality(values, said, vocabulary)))
    }
}

impl Kind for Language {
    fn name(&self) -> &'static str {
        "s2b-language"
    }

    fn check(&self, keys: &Map<String, Value>, _: &[&str]) -> Result<(), KindError> {
        keys.iter().next().map_or(Ok(()), |(key, value)| {
            let allowed = "is no key of this kind, which has none".to_owned();
            Err(KindError { key: format!("kind.{key}"), value: value.to_string(), allowed })
        })
    }

    fn prepare(&self, asked: &Asked<'_>, seed: u64) -> Result<Prepared, String> {
        let named = |text: &'_ str| text.split(',').find_map(|part| part.strip_prefix("speaker=")).map(str::to_owned);
        let languages = asked.episodes.unwrap_or(LANGUAGES);
        let speech = |overrides: &Map<String, Value>| -> Result<Arc<dyn Measured>, String> {
            let config = asked.entry.configure(overrides).map_err(|e| e.to_string())?;
            let scripted = match asked.player {
                Player::Scripted(text) => named(text).unwrap_or_else(|| text.to_owned()),
                Player::Agent(Told { partners, speaker, .. }) => match (named(partners), speaker) {
                    (Some(scripted), _) => scripted,
                    (None, Some(speaker)) => return Ok(Arc::new(Learnt::new(speaker, config, languages, seed)?)),
                    (None, None) => return Err(SILENT.to_owned()),
                },
            };
            Ok(Arc::new(Speech::new(&scripted, &config, languages, seed)?))
        };
        asked.conditions.iter().map(|c| speech(&c.overrides)).collect::<Result<_, _>>().map(Prepared::Measured)
    }
}
