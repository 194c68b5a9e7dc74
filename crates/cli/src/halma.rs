//! `heldout halma`: what only HALMA has. Experience, the tests made from it, concepts, and statistics of panels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use heldout_core::{Environment, Seed};
use heldout_envs::halma::concepts::{CausalRule, LARGEST_DIGIT, afforded, caused, seen};
use heldout_envs::halma::experience::Experience;
use heldout_envs::halma::generate::maze_set;
use heldout_envs::halma::maze::{Cell, Direction, Maze, written};
use heldout_envs::halma::observation::{DIGITS, View};
use heldout_envs::halma::option::{Move, parses};
use heldout_envs::halma::policies::Entries as _;
use heldout_envs::halma::stats::{PanelCounts, log_linearity, mean_and_deviation};
use heldout_envs::halma::tests::{Candidates, Knowledge, TestConfig, dynamic_tests};
use heldout_envs::halma::{Symbolic, SymbolicConfig, Task};
use heldout_envs::registry::find;
use heldout_eval::dynamic::Gathering;
use serde_json::{Map, Value, json};

use crate::halma_protocol::Protocol;
use crate::settings::Settings;
use crate::{files, progress};

/// What only HALMA has.
#[derive(Args)]
pub(crate) struct Halma {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plays a policy and writes what it experienced.
    Experience(Gather),
    /// Makes the dynamic tests that an experience leads to.
    Tests(Tests),
    /// Lists the parses of a displacement and the relations in a panel.
    Concepts(Concepts),
    /// Plays training mazes, random mazes and the dynamic tests over several seeds.
    Protocol(Protocol),
    /// Prints the statistics of panels (Fig. S5).
    Stats(Stats),
}

impl Halma {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        match &self.command {
            Command::Experience(gather) => gather.execute(),
            Command::Tests(tests) => tests.execute(),
            Command::Concepts(concepts) => concepts.execute(),
            Command::Protocol(protocol) => protocol.execute(),
            Command::Stats(stats) => stats.execute(),
        }
    }
}

/// Refuses a number of test mazes that no test can have.
pub(crate) fn check_n_test_mazes(mazes: u32) -> anyhow::Result<()> {
    if !(1..=10_000).contains(&mazes) {
        bail!("`--n-test-mazes` is `{mazes}`, must be 1 to 10000");
    }
    Ok(())
}

/// Reads experience from files, added up.
pub(crate) fn read_experience(paths: &[PathBuf]) -> anyhow::Result<Experience> {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Experience::from_bytes(&bytes).with_context(|| format!("`{}`", path.display()))
    };
    let [first, rest @ ..] = paths else { bail!("no experience is named") };
    let mut sum = read(first)?;
    for path in rest {
        sum.merge(&read(path)?).with_context(|| format!("`{}`", path.display()))?;
    }
    Ok(sum)
}

/// Plays a policy and writes what it experienced.
#[derive(Args)]
struct Gather {
    /// Which environment.
    #[arg(default_value = "halma/symbolic-v1")]
    id: String,
    /// Which policy.
    #[arg(long, default_value = "half")]
    policy: String,
    /// How many episodes: by default 20 passes over 100 mazes.
    #[arg(long, default_value_t = 2_000)]
    episodes: u64,
    /// Root of every episode's seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Experience to begin with.
    #[arg(long, value_name = "FILE")]
    add: Option<PathBuf>,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    settings: Settings,
}

impl Gather {
    fn execute(&self) -> anyhow::Result<()> {
        let entry = find(&self.id)?;
        let overrides = self.settings.overrides()?;
        let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()));
        let before = self.add.as_ref().map(read).transpose()?;
        let bar = progress::bar(self.episodes, "episodes");
        let gathering = Gathering {
            entry,
            overrides: &overrides,
            policy: &self.policy,
            episodes: self.episodes,
            seed: self.seed,
            before: before.as_deref(),
        };
        let experience = gathering.play(|| bar.inc(1))?;
        bar.finish_and_clear();
        files::write(&self.out, &experience)
    }
}

/// Makes the dynamic tests that an experience leads to: one file of problems for each test that is not empty.
#[derive(Args)]
struct Tests {
    /// Experience of one agent; several files are added up.
    #[arg(long, required = true, value_name = "FILE")]
    experience: Vec<PathBuf>,
    /// The directory to write to.
    #[arg(long)]
    out: PathBuf,
    /// Chooses among the problems that fit.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Mazes of each test.
    #[arg(long, default_value_t = TestConfig::default().n_test_mazes)]
    n_test_mazes: u32,
    /// Sightings from which on a relation is known.
    #[arg(long, default_value_t = TestConfig::default().th_s)]
    th_s: u32,
    /// Occurrences from which on a caused relation is known.
    #[arg(long, default_value_t = TestConfig::default().th_c)]
    th_c: u32,
    /// Consumptions from which on a digit's affordance is known.
    #[arg(long, default_value_t = TestConfig::default().th_a)]
    th_a: u32,
    /// Takes a relation as new only if it was never seen.
    #[arg(long)]
    strict_novelty: bool,
    /// How often the company of a relation in ST-1 may have been met.
    #[arg(long, default_value_t = TestConfig::default().st1_max_count)]
    st1_max_count: u32,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Tests {
    fn execute(&self) -> anyhow::Result<()> {
        check_n_test_mazes(self.n_test_mazes)?;
        let experience = read_experience(&self.experience)?;
        let config = TestConfig {
            th_s: self.th_s,
            th_c: self.th_c,
            th_a: self.th_a,
            strict_novelty: self.strict_novelty,
            st1_max_count: self.st1_max_count,
            n_test_mazes: self.n_test_mazes,
        };
        let knowledge = Knowledge::of(&experience, &config);
        let candidates = Candidates::of(&knowledge);
        std::fs::create_dir_all(&self.out).with_context(|| format!("cannot make `{}`", self.out.display()))?;
        let mut rows = Vec::new();
        for (class, set) in dynamic_tests(&experience, &config, Seed(self.seed)) {
            let path = self.out.join(format!("{}.json", class.name()));
            let foreign = set.as_ref().map_or(0, |set| {
                set.problems.iter().filter_map(|p| p.target).map(|t| u64::from(t.foreign)).sum::<u64>()
            });
            if let Some(set) = &set {
                files::write(&path, set.to_json().as_bytes())?;
            } else if path.exists() {
                // A file of an earlier run would be taken for a test of this experience.
                std::fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
            }
            let mazes = set.as_ref().map(|set| set.problems.len());
            let file = mazes.map(|_| path.display().to_string());
            rows.push((class, candidates.of_class(class), mazes, foreign, file));
        }
        if self.json {
            let tests: Map<String, Value> = rows
                .iter()
                .map(|(class, relations, mazes, foreign, file)| {
                    let relations: Vec<String> = relations.iter().map(ToString::to_string).collect();
                    let row = json!({"relations": relations, "mazes": mazes, "foreign": foreign, "file": file});
                    (class.name().to_owned(), row)
                })
                .collect();
            return crate::print_json(&json!({"seed": self.seed, "config": config, "tests": tests}));
        }
        let mut text = format!(
            "known: {} relations seen, {} caused, {} afforded\n\n{:6} {:>9} {:>10} {:>8}  file\n",
            knowledge.seen.len(),
            knowledge.caused.len(),
            knowledge.afforded.len(),
            "test",
            "relations",
            "mazes",
            "foreign"
        );
        for (class, relations, mazes, foreign, file) in rows {
            let or_dash = |known: Option<String>| known.unwrap_or_else(|| "-".to_owned());
            // Where there is something to ask for, mazes that could not be built are missing, not left out.
            let built = (!relations.is_empty()).then(|| match (mazes.unwrap_or(0), self.n_test_mazes) {
                (n, asked) if n < asked as usize => format!("{n} of {asked}"),
                (n, _) => n.to_string(),
            });
            let _ = writeln!(
                text,
                "{:6} {:>9} {:>10} {:>8}  {}",
                class.name(),
                relations.len(),
                or_dash(built),
                or_dash(mazes.map(|_| foreign.to_string())),
                or_dash(file)
            );
        }
        crate::print(&text)
    }
}

/// Lists the parses of a displacement and the relations in a panel.
#[derive(Args)]
struct Concepts {
    /// A displacement, whose parses are listed.
    #[arg(long, value_name = "K")]
    moves: Option<u32>,
    /// A maze, the relations in one of whose panels are listed.
    #[arg(long, value_name = "NUMBER")]
    maze: Option<u32>,
    /// The cell of the panel, `X,Y` from the lower left corner; by default the start.
    #[arg(long, value_name = "X,Y", value_parser = cell)]
    cell: Option<Cell>,
    #[command(flatten)]
    settings: Settings,
}

fn cell(text: &str) -> Result<Cell, String> {
    let place = text.split_once(',').and_then(|(x, y)| Cell::new(x.trim().parse().ok()?, y.trim().parse().ok()?));
    place.ok_or_else(|| "must be `X,Y`, each 0 to 9".to_owned())
}

/// The config of the symbolic environment that the settings stand for.
fn symbolic(settings: &Settings) -> anyhow::Result<SymbolicConfig> {
    let value = find("halma/symbolic-v1")?.configure(&settings.overrides()?)?;
    Ok(serde_json::from_value(value)?)
}

impl Concepts {
    fn execute(&self) -> anyhow::Result<()> {
        let config = symbolic(&self.settings)?;
        config.task().check()?;
        let mut text = String::new();
        if let Some(moves) = self.moves {
            // Beyond the longest corridor a displacement has no use, and its parses no end.
            if moves > LARGEST_DIGIT {
                bail!("`--moves` is `{moves}`, must be 0 to 9");
            }
            let all = parses(moves, config.max_opt_len);
            let _ = writeln!(text, "{moves} moves by at most {} primitives: {} parses", config.max_opt_len, all.len());
            for parse in all {
                let parse: Vec<String> = parse.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "  {}", if parse.is_empty() { "0".to_owned() } else { parse.join(" ") });
            }
        }
        if let Some(number) = self.maze {
            let env = Symbolic::new(&config)?;
            let mazes = env.rules().mazes();
            let maze = mazes
                .get(number as usize)
                .with_context(|| format!("there is no maze {number}; mazes are 0 to {}", mazes.len() - 1))?;
            let cell = self.cell.unwrap_or_else(|| maze.start());
            if !maze.is_open(cell) {
                bail!("`{},{}` is not a cell of maze {number}", cell.x(), cell.y());
            }
            describe(&mut text, maze, cell, config.kb_c_rule);
        }
        if self.moves.is_none() && self.maze.is_none() {
            bail!("name a displacement by `--moves`, or a panel by `--maze`");
        }
        crate::print(&text)
    }
}

/// Writes the entries of a panel and the relations that hold in it.
fn describe(text: &mut String, maze: &Maze, cell: Cell, rule: CausalRule) {
    let ways = maze.ways();
    let view = View::of(maze, &ways, cell);
    let _ = writeln!(text, "path {} from {},{}", written(maze.shape()), maze.start().x(), maze.start().y());
    let _ = writeln!(text, "cell {},{}", cell.x(), cell.y());
    for d in Direction::ALL {
        let _ = writeln!(text, "  {} wall {}, crossing {}", d.letter(), view.wall(d), view.crossing(d));
    }
    let (right, up) = view.goal();
    let hint = view.hint().map_or('-', Direction::letter);
    let _ = writeln!(text, "  goal {right} right, {up} up; hint {hint}; {} of {DIGITS} digits shown", view.digits());
    let relations = |all: Vec<String>| if all.is_empty() { "-".to_owned() } else { all.join(" ") };
    let _ = writeln!(text, "S, seen: {}", relations(seen(&view).map(|r| r.to_string()).collect()));
    for direction in Direction::ALL {
        for length in 1..=view.wall(direction) {
            let action = Move { direction, length: length as u8 };
            let Some(to) = cell.moved(direction, length) else { continue };
            let after = View::of(maze, &ways, to);
            let caused = caused(&view, action, &after, rule).map(|r| r.to_string()).collect();
            let consumed = afforded(&view, action).map_or("-".to_owned(), |digit| digit.to_string());
            let _ = writeln!(
                text,
                "{}{length}: A, consumed: {consumed}; C, caused: {}",
                direction.letter(),
                relations(caused)
            );
        }
    }
}

/// Prints the statistics of panels (Fig. S5).
#[derive(Args)]
struct Stats {
    /// Number of sets, each of a seed of its own.
    #[arg(long, default_value_t = 10)]
    sets: u64,
    #[command(flatten)]
    settings: Settings,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

impl Stats {
    fn execute(&self) -> anyhow::Result<()> {
        if !(1..=1_000).contains(&self.sets) {
            bail!("`--sets` is `{}`, must be 1 to 1000", self.sets);
        }
        let task: Task = symbolic(&self.settings)?.task();
        task.check()?;
        if let Some(problems) = &task.problems {
            bail!("`problems` is `{problems}`, must be null: statistics are of sets of generated mazes");
        }
        let bar = progress::bar(self.sets, "sets");
        let sets: Vec<PanelCounts> = (0..self.sets)
            .map(|i| {
                bar.inc(1);
                PanelCounts::of(&maze_set(&task.law(), task.split, task.mazes, Seed(task.maze_seed.wrapping_add(i))))
            })
            .collect();
        bar.finish_and_clear();
        let over = |count: &dyn Fn(&PanelCounts) -> f64| {
            let values: Vec<f64> = sets.iter().map(count).collect();
            mean_and_deviation(values.iter().copied())
        };
        let colours = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "white"];
        let mut rows: Vec<(String, (f64, f64))> = vec![("panels".to_owned(), over(&|s| f64::from(s.panels)))];
        for (i, colour) in colours.into_iter().enumerate() {
            rows.push((format!("colour {colour}"), over(&|s| f64::from(s.colours[i / 4][i % 4]))));
        }
        for n in 0..=DIGITS {
            rows.push((format!("panels with {n} digits"), over(&|s| f64::from(s.digits_in_panel[n]))));
        }
        for digit in 1..10 {
            rows.push((format!("digit {digit}"), over(&|s| f64::from(s.digits[digit]))));
        }
        rows.push(("share of panels with 3 to 6 digits".to_owned(), over(&PanelCounts::share_of_three_to_six)));
        rows.push(("largest deviation of a colour".to_owned(), over(&PanelCounts::colour_deviation)));
        let means: Vec<f64> = (1..10).map(|d| over(&|s| f64::from(s.digits[d])).0).collect();
        // There is none where a digit never occurs.
        let linearity = Some(log_linearity(&means)).filter(|l| l.is_finite());
        if self.json {
            let rows: Map<String, Value> = rows
                .into_iter()
                .map(|(name, (mean, deviation))| (name, json!({"mean": mean, "deviation": deviation})))
                .collect();
            return crate::print_json(&json!({"sets": self.sets, "statistics": rows, "log_linearity": linearity}));
        }
        let mut text = format!(
            "{:36} {:>10} {:>10}\n",
            format!("{} sets of {} mazes", self.sets, task.mazes),
            "mean",
            "deviation"
        );
        for (name, (mean, deviation)) in rows {
            let _ = writeln!(text, "{name:36} {mean:>10.4} {deviation:>10.4}");
        }
        let linearity = linearity.map_or_else(|| "-".to_owned(), |l| format!("{l:.4}"));
        let _ = writeln!(text, "{:36} {linearity:>10}", "log-linearity of digits 1 to 9");
        crate::print(&text)
    }
}
