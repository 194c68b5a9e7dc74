//! `heldout halma protocol`: training mazes, random mazes and the seven dynamic tests, over several seeds.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use heldout_core::Seed;
use heldout_envs::halma::stats::mean_and_deviation;
use heldout_envs::halma::tests::{TestConfig, dynamic_tests};
use heldout_envs::registry::{Entry, find};
use heldout_eval::dynamic::Part;
use heldout_eval::{Episodes, Run};
use serde_json::{Map, Value, json};

use crate::halma::{check_n_test_mazes, read_experience};
use crate::settings::Settings;
use crate::{files, progress, run};

/// The metrics of the protocol.
const METRICS: [&str; 3] = ["rho_a", "rho_g", "rho_p"];

/// Plays T, RT and the seven dynamic tests; mean and standard deviation over seeds, in percent.
#[derive(Args)]
pub(crate) struct Protocol {
    /// Which environment.
    #[arg(default_value = "halma/symbolic-v1")]
    id: String,
    /// Which policy.
    #[arg(long, default_value = "oracle")]
    policy: String,
    /// Experience that the dynamic tests are made from; several files are added up. Without it they are left out.
    #[arg(long, value_name = "FILE")]
    experience: Vec<PathBuf>,
    /// The directory that the dynamic tests are written to.
    #[arg(long)]
    out: PathBuf,
    /// Test seeds: each has random mazes and dynamic tests of its own.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Mazes of RT and of each dynamic test.
    #[arg(long, default_value_t = TestConfig::default().n_test_mazes)]
    n_test_mazes: u32,
    #[command(flatten)]
    settings: Settings,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// One test: the metrics of each seed, none where it has no problems.
struct Scores {
    test: &'static str,
    seeds: Vec<[f64; 3]>,
}

impl Scores {
    /// Mean and standard deviation of metric `metric`, in percent.
    fn percent(&self, metric: usize) -> Option<(f64, f64)> {
        let values = self.seeds.iter().map(|seed| 100.0 * seed[metric]);
        (!self.seeds.is_empty()).then(|| mean_and_deviation(values))
    }
}

impl Protocol {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        if !(1..=1_000).contains(&self.seeds) {
            bail!("`--seeds` is `{}`, must be 1 to 1000", self.seeds);
        }
        check_n_test_mazes(self.n_test_mazes)?;
        let entry = find(&self.id)?;
        let base = self.settings.overrides()?;
        let of = |part: Part| (0..self.seeds).map(|seed| part.overrides(&base, self.n_test_mazes, seed)).collect();
        let mut tests: Vec<(&'static str, Vec<Map<String, Value>>)> =
            vec![("T", of(Part::Train)), ("RT", of(Part::Random))];
        if !self.experience.is_empty() {
            let experience = read_experience(&self.experience)?;
            let config = TestConfig { n_test_mazes: self.n_test_mazes, ..TestConfig::default() };
            for seed in 0..self.seeds {
                let folder = self.out.join(format!("seed-{seed}"));
                std::fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
                for (class, set) in dynamic_tests(&experience, &config, Seed(seed)) {
                    if seed == 0 {
                        tests.push((class.name(), Vec::new()));
                    }
                    let Some(set) = set else { continue };
                    let path = folder.join(format!("{}.json", class.name()));
                    files::write(&path, set.to_json().as_bytes())?;
                    let runs = tests.iter_mut().find(|(name, _)| *name == class.name()).map(|(_, runs)| runs);
                    let mut overrides = base.clone();
                    overrides.insert("problems".to_owned(), path.display().to_string().into());
                    runs.context("every class was listed")?.push(overrides);
                }
            }
        }
        let bar = progress::bar(tests.iter().map(|(_, runs)| runs.len() as u64).sum(), "runs");
        let mut scores = Vec::new();
        for (test, runs) in tests {
            let seeds = runs
                .iter()
                .enumerate()
                .map(|(seed, overrides)| {
                    bar.inc(1);
                    self.play(entry, overrides, seed as u64)
                })
                .collect::<anyhow::Result<Vec<_>>>()?;
            scores.push(Scores { test, seeds });
        }
        bar.finish_and_clear();
        self.print(entry, &base, &scores)
    }

    /// The mean of each metric over every problem of one set.
    fn play(&self, entry: &'static Entry, overrides: &Map<String, Value>, seed: u64) -> anyhow::Result<[f64; 3]> {
        let threads = run::cores();
        let run = Run { entry, overrides, policy: &self.policy, episodes: Episodes::All, seed, threads };
        let played = run.play(|_, _| ())?;
        let estimates = played.estimates();
        let mut means = [0.0; 3];
        for (mean, name) in means.iter_mut().zip(METRICS) {
            let found = estimates.iter().find(|(metric, _)| *metric == name);
            *mean = found.with_context(|| format!("`{}` has no metric `{name}`", entry.id()))?.1.mean;
        }
        Ok(means)
    }

    fn print(&self, entry: &Entry, base: &Map<String, Value>, scores: &[Scores]) -> anyhow::Result<()> {
        if self.json {
            let tests: Map<String, Value> = scores
                .iter()
                .map(|score| {
                    let metrics: Map<String, Value> = METRICS
                        .iter()
                        .enumerate()
                        .map(|(i, name)| {
                            let value = score.percent(i).map(|(mean, std)| json!({"mean": mean, "std": std}));
                            ((*name).to_owned(), json!(value))
                        })
                        .collect();
                    (score.test.to_owned(), Value::Object(metrics))
                })
                .collect();
            return crate::print_json(&json!({
                "id": entry.id(),
                "version": env!("CARGO_PKG_VERSION"),
                "policy": self.policy,
                "seeds": self.seeds,
                "n_test_mazes": self.n_test_mazes,
                "config": entry.configure(base)?,
                "tests": tests,
            }));
        }
        let mut text = format!(
            "{} {}, policy {}, {} seeds, {} mazes a test; mean and standard deviation in percent\n\n{:6}",
            entry.id(),
            env!("CARGO_PKG_VERSION"),
            self.policy,
            self.seeds,
            self.n_test_mazes,
            "test"
        );
        for name in METRICS {
            text += &format!(" {name:>16}");
        }
        text.push('\n');
        for score in scores {
            text += &format!("{:6}", score.test);
            for metric in 0..METRICS.len() {
                let shown = score.percent(metric).map(|(mean, std)| format!("{mean:.2} +- {std:.2}"));
                text += &format!(" {:>16}", shown.unwrap_or_else(|| "-".to_owned()));
            }
            text.push('\n');
        }
        crate::print(&text)
    }
}
