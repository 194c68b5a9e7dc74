//! `heldout scales`: measures what scores are to be measured against.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use heldout_eval::protocol::{Kind, Protocol};
use heldout_eval::records::Recorded;
use heldout_eval::runner::{Evaluation, Progress};
use heldout_eval::scales::{EPISODES, Scales, entrants};
use serde_json::{Value, json};

use crate::{eval, files, progress, run};

/// Plays random, the shortcuts, the probes and the oracle of every task, and writes their scores: the scales of the protocols.
#[derive(clap::Args)]
pub(crate) struct Measure {
    /// Which protocols: built-in ones, or paths of `.toml` files.
    #[arg(required = true, value_name = "PROTOCOL")]
    protocols: Vec<String>,
    /// The directory to write to: records, and `PROTOCOL.scales.toml` of each protocol.
    #[arg(long)]
    out: PathBuf,
    /// Goes on from the records that are there.
    #[arg(long)]
    resume: bool,
    /// The first run seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Run seeds.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Episodes of each policy, condition and seed, of a finite set its first problems; unless told 1,000, and all
    /// problems of a finite set.
    #[arg(long)]
    episodes: Option<u64>,
    /// Threads to spread over; the scores do not depend on it.
    #[arg(long, default_value_t = run::cores())]
    threads: usize,
    /// Also writes the scores as tables of Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Another metric to show in the tables, where tasks have it.
    #[arg(long, value_name = "METRIC")]
    also: Vec<String>,
    /// Prints one JSON value.
    #[arg(long)]
    json: bool,
}

impl Measure {
    /// Refuses a metric that none of the tasks has, before anything is played.
    fn check_metrics(&self, protocols: &[Protocol]) -> anyhow::Result<()> {
        let entries = protocols.iter().flat_map(|protocol| &protocol.tasks).map(|task| heldout_envs::find(&task.id));
        let mut names = std::collections::BTreeSet::new();
        for entry in entries {
            names.extend(entry?.default_batch().spec().metrics.iter().map(|metric| metric.name.clone()));
        }
        match self.also.iter().find(|metric| !names.contains(*metric)) {
            Some(other) => {
                let names: Vec<String> = names.into_iter().collect();
                anyhow::bail!("`--also` is `{other}`, must be a metric of a task: {}", names.join(", "))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let mut protocols: Vec<Protocol> =
            self.protocols.iter().map(|p| Protocol::find(p)).collect::<Result<_, _>>()?;
        self.check_metrics(&protocols)?;
        for task in protocols.iter_mut().flat_map(|protocol| &mut protocol.tasks) {
            if task.kind != Kind::Problems {
                task.episodes = Some(EPISODES);
            }
        }
        let evaluation = Evaluation {
            entrants: entrants(&protocols),
            protocols,
            tasks: Vec::new(),
            out: self.out.clone(),
            seed: self.seed,
            seeds: Some(self.seeds),
            episodes: self.episodes,
            threads: self.threads,
            resume: self.resume,
            other_build: false,
        };
        let stop = eval::stop_flag()?;
        // Until the scales are written.
        let held = evaluation.hold()?;
        let bar = progress::bar(0, "episodes");
        let outcome = held.run(stop, &|progress| match progress {
            Progress::Preparing(what) => bar.set_message(what.to_owned()),
            Progress::Played(done, total) => {
                bar.set_length(total);
                bar.set_position(done);
            }
        });
        bar.finish_and_clear();
        // What is left is short and can be made again: the first Ctrl-C ends it.
        stop.store(true, Ordering::Relaxed);
        let outcome = outcome?;
        for f in &outcome.failures {
            crate::note(&format!(
                "heldout: {} {} {}, policy {}: {}",
                f.protocol, f.task, f.condition, f.agent, f.problem
            ));
        }
        if outcome.interrupted {
            crate::note("heldout: stopped before the end; go on with `--resume`");
            return Err(crate::Failed.into());
        }
        let records = Recorded::read_all(&self.out)?;
        let named: Vec<&str> =
            self.protocols.iter().map(String::as_str).chain(self.also.iter().flat_map(|m| ["--also", m])).collect();
        let mut named = named.join(" ");
        let unusual =
            [("seed", self.seed, 0), ("seeds", self.seeds, 1)].into_iter().filter(|(_, is, default)| is != default);
        unusual.for_each(|(name, is, _)| named += &format!(" --{name} {is}"));
        named += &self.episodes.map_or(String::new(), |episodes| format!(" --episodes {episodes}"));
        let mut markdown =
            format!("# Shortcuts and scales\n\nMade by `heldout scales {named} --out DIR --markdown FILE`.\n");
        let mut all: Vec<Value> = Vec::new();
        for protocol in &evaluation.protocols {
            let scales = Scales::of(protocol, &records, self.seed);
            for refused in scales.refused() {
                crate::note(&format!("heldout: no scale for {} / {refused}", protocol.name));
            }
            files::write(&self.out.join(format!("{}.scales.toml", protocol.name)), scales.toml().as_bytes())?;
            let shown = Scales::with(protocol, &records, self.seed, &self.also);
            markdown += &format!("\n{}", shown.markdown(protocol));
            all.push(json!(scales));
        }
        if let Some(path) = &self.markdown {
            files::write(path, markdown.as_bytes())?;
        }
        if self.json { crate::print_json(&Value::Array(all)) } else { crate::print(&markdown) }
    }
}
