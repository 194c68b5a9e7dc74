//! `heldout lilgym`: what only this family has.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use heldout_envs::lilgym::{
    Appearance, Begin, CATEGORIES, Config, Corpus, Grid, Rules, SCATTER_FLIPIT, SCATTER_SCRATCH, Split, TOWER_FLIPIT,
    TOWER_SCRATCH,
};
use heldout_envs::registry::find;
use heldout_eval::{Episodes, Run};
use serde_json::json;

use crate::settings::Settings;
use crate::{Failed, files, progress};

/// The four tasks.
const TASKS: [(&str, Appearance, Begin); 4] = [
    ("tower-scratch", Appearance::Tower, Begin::Scratch),
    ("tower-flipit", Appearance::Tower, Begin::Flipit),
    ("scatter-scratch", Appearance::Scatter, Begin::Scratch),
    ("scatter-flipit", Appearance::Scatter, Begin::Flipit),
];

/// Checks labels, finds best returns, and breaks results down by category.
#[derive(clap::Args)]
pub(crate) struct Lilgym {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every program on its own images and compares with the labels.
    Check {
        /// Directory of the public data files.
        #[arg(long, env = "HELDOUT_LILGYM_DATA")]
        data: PathBuf,
    },
    /// Finds the best reachable return of every problem.
    Solve(Solve),
    /// Plays every problem of a split once and prints success by category and by target.
    Categories(Categories),
}

impl Lilgym {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        match &self.command {
            Command::Check { data } => check(data),
            Command::Solve(solve) => solve.execute(),
            Command::Categories(categories) => categories.execute(),
        }
    }
}

fn check(data: &Path) -> anyhow::Result<()> {
    let (mut agreed, mut total, mut text) = (0, 0, String::new());
    for (name, appearance, begin) in TASKS.into_iter().filter(|(_, _, begin)| *begin == Begin::Flipit) {
        for split in [Split::Train, Split::Dev, Split::Test] {
            // The recovered training rows take their labels from the programs: there is nothing to compare.
            let file = format!("{}_{}.json", name.replace('-', "_"), split.name());
            if split == Split::Train && !data.join(file).exists() {
                continue;
            }
            let config = Config { split, data: data.to_string_lossy().into_owned(), ..Config::default() };
            let corpus = Corpus::load(&config, appearance, begin)?;
            let mut agree = 0;
            for row in &corpus.rows {
                let program = &corpus.statements[row.statement as usize].program;
                match program.evaluate(&row.scene) {
                    Ok(truth) if truth != row.target => agree += 1,
                    Ok(truth) => text += &format!("{name} {} row {}: is {truth}\n", split.name(), row.key),
                    Err(error) => text += &format!("{name} {} row {}: {error}\n", split.name(), row.key),
                }
            }
            text += &format!("{name} {}: {agree} of {} agree\n", split.name(), corpus.rows.len());
            (agreed, total) = (agreed + agree, total + corpus.rows.len());
        }
    }
    text += &format!("{agreed} of {total} agree\n");
    crate::print(&text)?;
    if agreed < total {
        return Err(Failed.into());
    }
    Ok(())
}

/// Finds the best reachable return of every problem.
#[derive(clap::Args)]
struct Solve {
    /// Directory of the public data files, or `builtin`.
    #[arg(long, env = "HELDOUT_LILGYM_DATA")]
    data: PathBuf,
    /// Which split.
    #[arg(long, default_value = "dev")]
    split: String,
    /// Which task; all four if none is named.
    #[arg(long)]
    task: Vec<String>,
    /// Grids of SCATTER, as `COLUMNSxROWS`.
    #[arg(long, default_value = "19x5")]
    grid: Vec<String>,
    /// Where to write one JSON line a row.
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Solve {
    fn execute(&self) -> anyhow::Result<()> {
        let split: Split = serde_json::from_value(json!(self.split)).context("`--split`")?;
        for task in &self.task {
            if TASKS.iter().all(|(name, ..)| name != task) {
                bail!("`--task {task}`: tasks are {:?}", TASKS.map(|(name, ..)| name));
            }
        }
        let (mut lines, mut text) = (String::new(), String::new());
        for (name, appearance, begin) in TASKS {
            if !self.task.is_empty() && self.task.iter().all(|task| task != name) {
                continue;
            }
            let grids: Vec<Grid> = match appearance {
                Appearance::Tower => vec![Grid::default()],
                Appearance::Scatter => self.grid.iter().map(|g| grid(g)).collect::<Result<_, _>>()?,
            };
            for grid in grids {
                let data = self.data.to_string_lossy().into_owned();
                let config = Config { split, data, grid: grid.clone(), ..Config::default() };
                let rules = Rules::new(&config, appearance, begin)?;
                let shown = if appearance == Appearance::Scatter { json!(grid) } else { json!(null) };
                text += &solve(&rules, name, &self.split, &shown, &mut lines);
            }
        }
        if let Some(out) = &self.out {
            files::write(out, lines.as_bytes())?;
        }
        crate::print(&text)
    }
}

fn grid(text: &str) -> anyhow::Result<Grid> {
    if text == "native" {
        return Ok(Grid::Name(text.to_owned()));
    }
    let (columns, rows) =
        text.split_once('x').with_context(|| format!("`--grid {text}` must be `19x5`, or `native`"))?;
    Ok(Grid::Cells([columns.parse().context("`--grid`")?, rows.parse().context("`--grid`")?]))
}

/// Solves every problem; gives a summary and adds a line a row to `lines`.
fn solve(rules: &Rules, task: &str, split: &str, grid: &serde_json::Value, lines: &mut String) -> String {
    let corpus = rules.corpus();
    let bar = progress::bar(corpus.rows.len() as u64, "problems");
    let (mut solved, mut proven, mut total, mut edits) = (0_usize, 0_usize, 0.0, 0_usize);
    for (number, row) in corpus.rows.iter().enumerate() {
        let plan = rules.solve(number as u32);
        let value = plan.value(rules.config().step_cost);
        solved += usize::from(plan.edits.is_some());
        proven += usize::from(plan.proven);
        edits += plan.edits.as_ref().map_or(0, |e| e.len());
        total += f64::from(value);
        let ids: Option<Vec<u32>> = plan.edits.as_ref().map(|e| e.iter().map(|&a| rules.number(a)).collect());
        let line = json!({
            "task": task, "split": split, "row": row.key, "grid": grid,
            "sentence": corpus.statement(number as u32).sentence, "target": row.target,
            "edits": ids, "return": value, "proven": plan.proven,
        });
        *lines += &format!("{line}\n");
        bar.inc(1);
    }
    bar.finish_and_clear();
    let n = corpus.rows.len();
    let mean = total / n as f64;
    let expert = match task {
        "tower-scratch" | "scatter-scratch" => 0.79,
        "tower-flipit" => 0.83,
        _ => 0.89,
    };
    let place = if grid.is_null() { String::new() } else { format!(", grid {grid}") };
    format!(
        "{task} {split}{place}: {solved} of {n} solved ({:.2} %), {proven} proven optimal, mean return {mean:.4}, \
         {:.2} edits a solution; the paper's expert {expert} on 50 dev examples\n",
        100.0 * solved as f64 / n as f64,
        edits as f64 / solved.max(1) as f64
    )
}

/// Breaks success down by category.
#[derive(clap::Args)]
struct Categories {
    /// Which environment.
    id: String,
    /// Which policy plays.
    #[arg(long, default_value = "oracle")]
    policy: String,
    /// Root of every episode's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    settings: Settings,
}

impl Categories {
    fn execute(&self) -> anyhow::Result<()> {
        let entry = find(&self.id)?;
        let abouts = [&TOWER_SCRATCH, &TOWER_FLIPIT, &SCATTER_SCRATCH, &SCATTER_FLIPIT];
        let task = abouts.iter().position(|about| about.id == entry.id());
        let (_, appearance, begin) =
            TASKS[task.with_context(|| format!("`{}` is not of the family lilgym", self.id))?];
        let overrides = self.settings.overrides()?;
        let config: Config = serde_json::from_value(entry.configure(&overrides)?)?;
        let corpus = Corpus::load(&config, appearance, begin)?;
        let run = Run {
            entry,
            overrides: &overrides,
            policy: &self.policy,
            episodes: Episodes::All,
            seed: self.seed,
            threads: 1,
        };
        let played = run.play(|_, _| {})?;
        let success = played.names.iter().position(|n| n == "success").context("there is no metric `success`")?;
        let tally = |keep: &dyn Fn(u32) -> bool| {
            let of = played.episodes.iter().filter(|e| e.problem.is_some_and(keep));
            of.fold((0, 0.0), |(n, sum), e| (n + 1, sum + e.metrics[success]))
        };
        let line = |name: &str, (n, sum): (usize, f32)| {
            let share = if n == 0 { "-".to_owned() } else { format!("{:.2}", 100.0 * sum / n as f32) };
            format!("{name:24} {n:>7} {share:>9}\n")
        };
        let mut text = format!("{:24} {:>7} {:>9}\n", "", "total", "correct %");
        text += &line("all", tally(&|_| true));
        for target in [true, false] {
            text += &line(&format!("target {target}"), tally(&|p| corpus.rows[p as usize].target == target));
        }
        if corpus.categorised {
            for (bit, name) in CATEGORIES.iter().enumerate() {
                text += &line(name, tally(&|p| corpus.statement(p).categories >> bit & 1 == 1));
            }
        } else {
            text += "by category: left out, because `categories` names no label file\n";
        }
        crate::print(&text)
    }
}
