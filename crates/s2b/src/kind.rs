//! The language of a speaker: how compositional it is, on the whole of the spaces that a config draws.

use std::collections::BTreeMap;
use std::sync::Arc;

use heldout_core::{Asked, Kind, KindError, Measured, Player, Prepared, Sample, Seed};
use serde_json::{Map, Value};

use crate::metrics::spoken;
use crate::space::{Space, SpaceRules};
use crate::speaker::{SpeakerRule, Tongue};

/// Languages of a condition and seed unless told.
const LANGUAGES: u64 = 20;

/// Metrics of the language that a speaker speaks: a record per language.
pub(crate) struct Language;

/// A scripted speaker and the spaces that it speaks of.
struct Speech {
    policy: String,
    rule: SpeakerRule,
    space: SpaceRules,
    tongue: Tongue,
    languages: u64,
    seed: u64,
}

impl Speech {
    /// The speaker that `policy` names, under the config of a game.
    fn new(policy: &str, config: &Value, languages: u64, seed: u64) -> Result<Self, String> {
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

impl Measured for Speech {
    fn policy(&self) -> String {
        self.policy.clone()
    }

    fn metrics(&self) -> &'static [&'static str] {
        &["topsim", "posdis", "bosdis"]
    }

    fn samples(&self) -> u64 {
        self.languages
    }

    /// Measures the language that the speaker speaks of one space.
    fn sample(&self, number: u64) -> Sample {
        let own = Seed(self.seed).derive(number);
        let mut space = Space::reserve(&self.space);
        space.redraw(&self.space, own);
        let structure = space.structure();
        let scores = spoken(self.rule, structure, &self.tongue, own);
        let values = self.metrics().iter().zip([scores.topsim, scores.posdis, scores.bosdis]);
        let metrics: BTreeMap<String, f64> =
            values.filter_map(|(name, value)| Some(((*name).to_owned(), value?))).collect();
        Sample { length: u64::from(structure.meanings()), metrics }
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
        let Player::Scripted(text) = asked.player else {
            return Err("only the languages of scripted speakers can be measured".to_owned());
        };
        let speaker = text.split(',').find_map(|part| part.strip_prefix("speaker=")).unwrap_or(text);
        let languages = asked.episodes.unwrap_or(LANGUAGES);
        let speech = |overrides: &Map<String, Value>| -> Result<Arc<dyn Measured>, String> {
            let config = asked.entry.configure(overrides).map_err(|e| e.to_string())?;
            Ok(Arc::new(Speech::new(speaker, &config, languages, seed)?))
        };
        asked.conditions.iter().map(|c| speech(&c.overrides)).collect::<Result<_, _>>().map(Prepared::Measured)
    }
}
