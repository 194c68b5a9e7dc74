//! `heldout run`: plays a policy and prints what it scores.

use heldout_envs::find;
use heldout_eval::Episodes;
use heldout_eval::entrant::Entrant;
use heldout_eval::protocol::MOST_EPISODES;
use serde_json::{Map, Value, json};

use crate::progress;
use crate::settings::Settings;

/// Plays a policy and prints its metrics with 95 % intervals.
#[derive(clap::Args)]
pub(crate) struct Run {
    /// Which environment.
    id: String,
    /// Which policy: the `NAME` of a scripted one or the path of a checkpoint, or `AGENT=…,AGENT=…` with either for each agent.
    #[arg(long, default_value = "random")]
    policy: String,
    /// How many episodes; `all` plays each problem of a finite set once.
    #[arg(long, default_value = "100", value_parser = episodes)]
    episodes: Episodes,
    /// Root of every episode's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads to spread over; the result does not depend on it.
    #[arg(long, default_value_t = cores())]
    threads: usize,
    #[command(flatten)]
    settings: Settings,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

fn episodes(text: &str) -> Result<Episodes, String> {
    match text {
        "all" => Ok(Episodes::All),
        number => match number.parse() {
            Ok(n) if (1..=MOST_EPISODES as usize).contains(&n) => Ok(Episodes::Count(n)),
            _ => Err(format!("must be a number from 1 to {MOST_EPISODES}, or `all`")),
        },
    }
}

/// The cores of this machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Run {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let entry = find(&self.id)?;
        let overrides = self.settings.overrides()?;
        let entrant = Entrant::unchecked(&self.policy, &crate::trained::open)?;
        let run = heldout_eval::Run {
            entry,
            overrides: &overrides,
            entrant: &entrant,
            episodes: self.episodes,
            seed: self.seed,
            threads: self.threads,
        };
        let config = entry.configure(&run.overrides()?)?;
        let bar = progress::bar(0, "episodes");
        let played = run.play(|done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        })?;
        bar.finish_and_clear();
        let estimates = played.estimates();
        if self.json {
            let metrics: Map<String, Value> =
                estimates.iter().map(|(name, estimate)| ((*name).to_owned(), crate::estimate(*estimate))).collect();
            return crate::print_json(&json!({
                "id": entry.id(),
                "version": env!("CARGO_PKG_VERSION"),
                "policy": entrant.policy,
                "episodes": played.episodes.len(),
                "seed": self.seed,
                "config": config,
                "sources": played.sources,
                "metrics": metrics,
            }));
        }
        let mut text = format!(
            "{} {}, policy {}, {}, seed {}\nconfig {config}\n",
            entry.id(),
            env!("CARGO_PKG_VERSION"),
            entrant.policy,
            crate::count(played.episodes.len() as u64, "episode"),
            self.seed
        );
        for source in &played.sources {
            text += &format!("{} {}\n", source.name, source.content);
        }
        let width = estimates.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        text += &format!("\n{:width$}  {:>10}  95 % interval\n", "metric", "mean");
        for (name, estimate) in estimates {
            let unknown = || "unknown from one episode".to_owned();
            let interval = estimate.interval.map_or_else(unknown, |i| format!("{:.4} to {:.4}", i.low, i.high));
            text += &format!("{name:width$}  {:>10.4}  {interval}\n", estimate.value);
        }
        crate::print(&text)
    }
}
