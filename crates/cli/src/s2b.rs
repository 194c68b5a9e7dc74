//! `heldout s2b`: how compositional a speaker's language is, how disentangled the stimuli are.

use anyhow::{Context, bail};
use clap::Subcommand;
use heldout_core::Seed;
use heldout_envs::s2b::metrics::{Disentanglement, Protocol, Rows, compositionality, disentanglement, language};
use heldout_envs::s2b::space::{MAX_DIMS, MAX_MEANINGS, MAX_SAMPLES, MAX_VALUES};
use heldout_envs::s2b::space::{Representation, Space, SpaceRules, Structure, Tail};
use heldout_envs::s2b::speaker::{SpeakerRule, Tongue};
use serde_json::json;

/// Metrics that only the S2B family has.
#[derive(clap::Args)]
pub(crate) struct S2b {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures the language of a rule-based speaker on the whole of a space.
    Language(Language),
    /// Measures how disentangled the stimuli are.
    Disentanglement(Stimuli),
}

impl S2b {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        match &self.command {
            Command::Language(language) => language.execute(),
            Command::Disentanglement(stimuli) => stimuli.execute(),
        }
    }
}

#[derive(clap::Args)]
struct Language {
    /// Which speaker: `posdis`, `bag-of-symbols`, `holistic` or `random`.
    #[arg(long, default_value = "posdis", value_parser = speaker)]
    speaker: SpeakerRule,
    /// Values of each dimension, such as `5,5,3`; may be given again for another space.
    #[arg(long, default_value = "5,5,5", value_parser = structure)]
    values: Vec<Structure>,
    /// Tokens beside the end of sentence; as many as the language needs unless told.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=200))]
    vocabulary: Option<u32>,
    /// Fixes the words of a holistic language, and the order of a bag.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

fn speaker(name: &str) -> Result<SpeakerRule, String> {
    let known = || SpeakerRule::ALL.map(|rule| format!("`{}`", rule.name())).join(", ");
    SpeakerRule::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| format!("must be one of {}", known()))
}

fn structure(text: &str) -> Result<Structure, String> {
    let values: Result<Vec<u8>, _> = text.split(',').map(|part| part.trim().parse::<u8>()).collect();
    let allowed = format!("must be 2 to {MAX_DIMS} numbers from 2 to {MAX_VALUES}, such as `5,5,3`");
    let values = values.map_err(|_| allowed.clone())?;
    if !(2..=MAX_DIMS).contains(&values.len()) || !values.iter().all(|&d| (2..=MAX_VALUES as u8).contains(&d)) {
        return Err(allowed);
    }
    let meanings: u64 = values.iter().map(|&d| u64::from(d)).product();
    if meanings > u64::from(MAX_MEANINGS) {
        return Err(format!("has {meanings} meanings, must have at most {MAX_MEANINGS}"));
    }
    Ok(Structure::new(&values))
}

impl Language {
    fn execute(&self) -> anyhow::Result<()> {
        let mut results = Vec::new();
        let mut text = format!("language of the speaker `{}`, every meaning once\n\n", self.speaker.name());
        text += &format!("{:16}  {:>8}  {:>8}  {:>8}\n", "values", "topsim", "posdis", "bosdis");
        for structure in &self.values {
            let (dims, most) =
                (structure.dims(), (0..structure.dims()).map(|i| structure.values(i)).max().unwrap_or(2));
            let needed = match self.speaker {
                SpeakerRule::BagOfSymbols => u32::from(most) * dims as u32,
                _ => u32::from(most),
            };
            let vocabulary = self.vocabulary.unwrap_or(needed);
            if vocabulary < needed {
                bail!("`--vocabulary` is `{vocabulary}`, must be at least {needed} for this speaker and space");
            }
            let tongue = Tongue { max_values: most, vocabulary, length: dims, message_length: dims };
            let (meanings, messages) = language(self.speaker, structure, &tongue, Seed(self.seed));
            let scores = compositionality(Rows::new(&meanings, dims), Rows::new(&messages, dims), vocabulary);
            let values: Vec<u8> = (0..dims).map(|i| structure.values(i)).collect();
            let shown = |score: Option<f64>| score.map_or("-".to_owned(), |x| format!("{x:.4}"));
            let (topsim, posdis, bosdis) = (shown(scores.topsim), shown(scores.posdis), shown(scores.bosdis));
            text += &format!("{:16}  {topsim:>8}  {posdis:>8}  {bosdis:>8}\n", format!("{values:?}"));
            results.push(json!({
                "values": values,
                "vocabulary": vocabulary,
                "topsim": scores.topsim,
                "posdis": scores.posdis,
                "bosdis": scores.bosdis,
            }));
        }
        if self.json {
            let result = json!({"speaker": self.speaker.name(), "seed": self.seed, "languages": results});
            return crate::print_json(&result);
        }
        crate::print(&text)
    }
}

#[derive(clap::Args)]
struct Stimuli {
    /// Values of each dimension.
    #[arg(long, default_value = "5,5,5", value_parser = structure)]
    values: Structure,
    /// Looks of each value.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SAMPLES)))]
    samples: u32,
    /// Estimates on this many points, in batches that hold one factor constant; on every stimulus unless told.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    points: Option<u32>,
    /// Points of such a batch.
    #[arg(long, default_value_t = 64, requires = "points", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    batch: u32,
    /// Spaces to average over.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    spaces: u32,
    /// Root of every space's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Stimuli {
    fn execute(&self) -> anyhow::Result<()> {
        let dims = self.values.dims();
        let values: Vec<u8> = (0..dims).map(|i| self.values.values(i)).collect();
        let most = *values.iter().max().context("a space has dimensions")?;
        if values.iter().any(|&d| d != most) {
            bail!("`--values` must be the same for every dimension here");
        }
        let rules = SpaceRules {
            dims,
            min_values: most,
            max_values: most,
            samples: self.samples,
            tail: Tail::Reject,
            representation: Representation::Scs,
        };
        let protocol = match self.points {
            Some(points) => Protocol::FixedFactorBatches { points, batch: self.batch },
            None => Protocol::FullFactorial,
        };
        let mut space = Space::reserve(&rules);
        let scores: Vec<Disentanglement> = (0..u64::from(self.spaces))
            .map(|i| {
                let seed = Seed(self.seed).derive(i);
                space.redraw(&rules, seed);
                disentanglement(&space, &rules, protocol, seed)
            })
            .collect();
        let estimate = |score: fn(&Disentanglement) -> f64| {
            let values: Vec<f64> = scores.iter().map(score).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            (mean, variance.sqrt())
        };
        let rows = [
            ("factor_vae", estimate(|s| s.factor_vae)),
            ("mig", estimate(|s| s.mig)),
            ("modularity", estimate(|s| s.modularity)),
        ];
        if self.json {
            let mut result = json!({
                "values": values,
                "samples": self.samples,
                "points": self.points,
                "batch": self.points.map(|_| self.batch),
                "spaces": self.spaces,
                "seed": self.seed,
            });
            for (name, (mean, deviation)) in rows {
                result[name] = json!({"mean": mean, "deviation": deviation});
            }
            return crate::print_json(&result);
        }
        let on = match self.points {
            Some(points) => format!("{points} points in batches of {} with one factor constant", self.batch),
            None => "every stimulus once".to_owned(),
        };
        let mut text =
            format!("stimuli of {values:?}, {} looks a value, {} spaces, {on}\n\n", self.samples, self.spaces);
        text += &format!("{:12}  {:>8}  deviation\n", "score", "mean");
        for (name, (mean, deviation)) in rows {
            text += &format!("{name:12}  {mean:>8.4}  {deviation:.4}\n");
        }
        crate::print(&text)
    }
}
