//! `heldout bench`: steps per second.

use std::time::{Duration, Instant};

use anyhow::bail;
use heldout_core::Entry;
use heldout_core::{Buffers, Options, Reset, Seed};
use heldout_envs::{entries, find};
use heldout_eval::Seats;
use serde_json::{Value, json};

use crate::progress;
use crate::settings::Settings;

/// Windows that the time is divided into; the medians over them are printed.
const WINDOWS: u32 = 9;

/// Steps over which the copies begin their episodes.
const STAGGER: usize = 61;
/// Bytes of observations at the most.
const MOST_BYTES: usize = 4 << 30;

/// Measures steps per second: medians over windows that include restarts.
#[derive(clap::Args)]
pub(crate) struct Bench {
    /// Which environments; all of them if none is named.
    ids: Vec<String>,
    /// Which policy acts.
    #[arg(long, default_value = "random")]
    policy: String,
    /// Seconds for each environment.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Copies that are stepped together.
    #[arg(long, default_value_t = 1024)]
    envs: usize,
    /// Threads to spread over.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[command(flatten)]
    settings: Settings,
    /// Prints a JSON list.
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        if !(0.01..=86_400.0).contains(&self.seconds) {
            bail!("`--seconds` is `{}`, must be 0.01 to 86400", self.seconds);
        }
        let entries = match self.ids.as_slice() {
            [] => entries().collect(),
            ids => ids.iter().map(|id| find(id)).collect::<Result<Vec<_>, _>>()?,
        };
        let bar = progress::bar(entries.len() as u64, "environments");
        let mut rows = Vec::new();
        for entry in entries {
            rows.push(self.measure(entry)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if self.json {
            return crate::print_json(&Value::Array(rows));
        }
        let mut text = format!("{:32} {:>14} {:>16}\n", "id", "steps/s", "steps/CPU-s");
        for row in rows {
            let figure = |key: &str| row[key].as_f64().map_or("unknown".to_owned(), |x| format!("{x:.0}"));
            let id = row["id"].as_str().unwrap_or_default();
            text += &format!("{id:32} {:>14} {:>16}\n", figure("steps_per_second"), figure("steps_per_cpu_second"));
        }
        crate::print(&text)
    }

    fn measure(&self, entry: &'static Entry) -> anyhow::Result<Value> {
        let options = Options { threads: self.threads, ..Options::default() };
        let mut env = entry.make(&self.settings.overrides()?, self.envs, options)?;
        Seats::parse(&self.policy, env.spec())?.seat(&mut *env, Seed(0))?;
        let bytes = self.envs * env.spec().agents.len() * env.spec().row_bytes();
        if bytes > MOST_BYTES {
            bail!("`--envs {}` needs {bytes} bytes for observations, may need {MOST_BYTES}", self.envs);
        }
        let mut buffers = Buffers::new(env.spec(), self.envs);
        let mut actions = vec![0; self.envs * env.spec().action_width()];
        env.reset(Reset::seed(Seed(0)), buffers.output())?;
        // Copies whose episodes are equally long would restart together: begin them one after the other.
        for number in 1..STAGGER {
            env.act(&buffers.rows(), &mut actions)?;
            env.step(&actions, buffers.output())?;
            let mask: Vec<bool> = (0..self.envs).map(|copy| copy % STAGGER == number).collect();
            if mask.contains(&true) {
                env.reset(Reset { mask: Some(&mask), ..Reset::default() }, buffers.output())?;
            }
        }
        let window = Duration::from_secs_f64(self.seconds / f64::from(WINDOWS + 1));
        let (mut wall, mut cpu) = (Vec::new(), Vec::new());
        let mut without_restart = 0;
        // The first window warms up.
        for number in 0..=WINDOWS {
            let (begin, cpu_begin) = (Instant::now(), cpu_time());
            let (mut steps, mut restarts) = (0_u64, false);
            while begin.elapsed() < window {
                env.act(&buffers.rows(), &mut actions)?;
                env.step(&actions, buffers.output())?;
                steps += self.envs as u64;
                restarts |= buffers.status[0].ended() || buffers.status.iter().any(|s| s.ended());
            }
            without_restart += u32::from(!restarts && number > 0);
            if number > 0 {
                wall.push(steps as f64 / begin.elapsed().as_secs_f64());
                if let (Some(from), Some(to)) = (cpu_begin, cpu_time()) {
                    cpu.push(steps as f64 / to.saturating_sub(from).as_secs_f64());
                }
            }
        }
        if without_restart > 0 {
            let id = entry.id();
            crate::note(&format!(
                "{id}: {without_restart} of {WINDOWS} windows saw no episode end, so restarts are not in their figures; \
                 give more `--seconds` or fewer `--envs`"
            ));
        }
        Ok(json!({
            "id": entry.id(),
            "policy": self.policy,
            "envs": self.envs,
            "threads": self.threads,
            "steps_per_second": median(&mut wall),
            "steps_per_cpu_second": median(&mut cpu),
        }))
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map(|x| x.round())
}

/// CPU time of all threads of this process, where the system tells.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn cpu_time() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(now.tv_sec as u64, now.tv_nsec as u32))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}
