//! The language of an S2B speaker: how compositional it is, on the whole of the spaces that a config draws.

use std::collections::BTreeMap;

use heldout_core::{Seed, Status};
use heldout_envs::s2b::metrics::{Rows, compositionality, language};
use heldout_envs::s2b::space::{Representation, Space, SpaceRules, Tail};
use heldout_envs::s2b::speaker::{SpeakerRule, Tongue};
use serde_json::Value;

use crate::records::Record;

/// The metrics of a language.
pub const METRICS: [&str; 3] = ["topsim", "posdis", "bosdis"];
/// Languages of a condition and seed unless told.
pub const LANGUAGES: u64 = 20;

/// A scripted speaker and the spaces that it speaks of.
#[derive(Clone, Debug)]
pub(crate) struct Speech {
    rule: SpeakerRule,
    rules: SpaceRules,
    tongue: Tongue,
}

impl Speech {
    /// The speaker that `policy` names, under the config of an S2B environment.
    ///
    /// # Errors
    ///
    /// If there is no such speaker, or the config has too few words or places for it.
    pub(crate) fn new(policy: &str, config: &Value) -> Result<Self, String> {
        let name = if policy == "oracle" { SpeakerRule::Posdis.name() } else { policy };
        let rule = SpeakerRule::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
            let known = SpeakerRule::ALL.map(|rule| format!("`{}`", rule.name())).join(", ");
            format!("there is no speaker `{policy}`; there are {known} and `oracle`, which is `posdis`")
        })?;
        let number = |key: &str| {
            let value = config.get(key).and_then(Value::as_u64);
            value.ok_or_else(|| format!("the config has no number `{key}`: it is not of an S2B game"))
        };
        let (dims, most) = (number("dims")? as usize, number("max_values")? as u8);
        let (vocabulary, length) = (number("vocabulary")? as u32, number("message_length")? as usize);
        let needed = match rule {
            SpeakerRule::BagOfSymbols => u32::from(most) * dims as u32,
            _ => u32::from(most),
        };
        if vocabulary < needed {
            return Err(format!("`vocabulary` is `{vocabulary}`, must be at least {needed} for the speaker `{name}`"));
        }
        if length < dims {
            return Err(format!("`message_length` is `{length}`, must be at least `dims` = {dims} to speak of all"));
        }
        let rules = SpaceRules {
            dims,
            min_values: number("min_values")? as u8,
            max_values: most,
            samples: 1,
            tail: Tail::Reject,
            representation: Representation::Scs,
        };
        let tongue = Tongue { max_values: most, vocabulary, length, message_length: length };
        Ok(Self { rule, rules, tongue })
    }

    /// Measures the language that the speaker speaks of the `episode`th space.
    pub(crate) fn record(&self, seed: u64, episode: u64) -> Record {
        let own = Seed(seed).derive(episode);
        let mut space = Space::reserve(&self.rules);
        space.redraw(&self.rules, own);
        let structure = space.structure();
        let (meanings, messages) = language(self.rule, structure, &self.tongue, own);
        let (dims, length) = (structure.dims(), self.tongue.length);
        let scores = compositionality(Rows::new(&meanings, dims), Rows::new(&messages, length), self.tongue.vocabulary);
        let values = METRICS.into_iter().zip([scores.topsim, scores.posdis, scores.bosdis]);
        let metrics: BTreeMap<String, f64> =
            values.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Record {
            trace: None,
            seed,
            episode,
            problem: None,
            r#return: 0.0,
            length: u64::from(structure.meanings()),
            status: Status::Terminated,
            metrics,
        }
    }
}
