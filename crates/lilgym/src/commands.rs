//! What only lilGym has: labels checked, best returns found, success broken down, recordings replayed.

use std::path::{Path, PathBuf};

use heldout_core::{Argument, Call, Command, CommandError, Environment as _, Host, Parts as _, Playing, Said};
use serde_json::{Value, json};

use crate::annotate::annotate;
use crate::config::{Appearance, Config, Grid, Holdout, Split, Task};
use crate::corpus::Corpus;
use crate::environment::LilGym;
use crate::files;
use crate::fit::fitted;
use crate::parts::Problems;
use crate::recording::Replay;

const DATA: Argument =
    Argument::option("data", "DIR", "Directory of the public data files").from("HELDOUT_LILGYM_DATA").required();

pub(crate) static COMMANDS: [Command; 6] = [
    Command {
        path: ["lilgym", "check"],
        about: "Runs every program on its own images and compares with the labels",
        arguments: &[DATA],
        settings: false,
        run: check,
    },
    Command {
        path: ["lilgym", "solve"],
        about: "Finds the best reachable return of every problem",
        arguments: &[
            Argument::option("data", "DIR", "Directory of the public data files, or `builtin`")
                .from("HELDOUT_LILGYM_DATA")
                .required(),
            Argument::option("split", "SPLIT", "Which split").or("dev"),
            Argument::option("task", "TASK", "Which task; all four if none is named").many(),
            Argument::option("grid", "COLUMNSxROWS", "Grids of SCATTER").or("19x5").many(),
            Argument::option("out", "FILE", "Where to write one JSON line per row"),
        ],
        settings: true,
        run: solve,
    },
    Command {
        path: ["lilgym", "categories"],
        about: "Plays every problem of a split once and prints success by category and by target",
        arguments: &[
            Argument::positional("id", "ID", "Which environment").required(),
            Argument::option("policy", "POLICY", "Which policy plays").or("oracle"),
            Argument::option("seed", "SEED", "Root of every episode's seed").or("0"),
        ],
        settings: true,
        run: categories,
    },
    Command {
        path: ["lilgym", "annotate"],
        about: "Checks a program for a sentence: its syntax, a visible example, and hidden examples",
        arguments: &[
            Argument::option("sentence", "TEXT", "The sentence").required(),
            Argument::option("program", "TEXT", "The program that is to decide it").required(),
            Argument::option(
                "data",
                "DIR",
                "Directory whose FLIPIT rows about the sentence are the examples, or `builtin`",
            )
            .from("HELDOUT_LILGYM_DATA")
            .or("builtin"),
            Argument::option(
                "examples",
                "FILE",
                "JSON list of examples with `structured_rep` and `label`, the first of which is visible",
            ),
        ],
        settings: false,
        run: annotate,
    },
    Command {
        path: ["lilgym", "fit-blind"],
        about: "Fits the additions of the policy `blind` on the training problems of every task",
        arguments: &[
            Argument::option("data", "DIR", "Directory of the public data files, or `builtin`").or("builtin"),
            Argument::option("holdout", "HOLDOUT", "How the built-in corpus is divided").or("compositional"),
        ],
        settings: false,
        run: fit_blind,
    },
    Command {
        path: ["parity", "lilgym"],
        about: "Replays recorded rollouts of the public lilGym: reward, flags, truth and observation at every step",
        arguments: &[
            DATA,
            Argument::positional("traces", "TRACE", "Recordings: JSON lines, gzipped or not").many().required(),
        ],
        settings: false,
        run: parity,
    },
];

fn check(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let data = PathBuf::from(call.needed("data")?);
    let (mut agreed, mut total, mut text) = (0, 0, String::new());
    for task in [Task::TOWER_FLIPIT, Task::SCATTER_FLIPIT] {
        let name = task.name();
        for split in Split::ALL {
            // The recovered training rows take their labels from the programs: there is nothing to compare.
            if split == Split::Train && !data.join(files::name(task, split)).exists() {
                continue;
            }
            let config = Config { split, data: data.to_string_lossy().into_owned(), ..Config::default() };
            let corpus = files::unchecked(&config, task)?;
            let mut agree = 0;
            for row in &corpus.problems {
                let program = &corpus.statements[row.statement as usize].program;
                match program.truth(&row.scene) {
                    Ok(truth) if truth != row.target => agree += 1,
                    Ok(truth) => text += &format!("{name} {} row {}: is {truth}\n", split.name(), row.key),
                    Err(fault) => {
                        text += &format!("{name} {} row {}: program `{program}`: {fault}\n", split.name(), row.key);
                    }
                }
            }
            text += &format!("{name} {}: {agree} of {} agree\n", split.name(), corpus.problems.len());
            (agreed, total) = (agreed + agree, total + corpus.problems.len());
        }
    }
    text += &format!("{agreed} of {total} agree\n");
    Ok(Said { text, json: json!({"agree": agreed, "labels": total}), failed: agreed < total || total == 0 })
}

fn grid(text: &str) -> Result<Grid, CommandError> {
    if text == "native" {
        return Ok(Grid::Name(text.to_owned()));
    }
    let bad = || format!("`--grid` is `{text}`, must be `19x5` or the like, or `native`");
    let (columns, rows) = text.split_once('x').ok_or_else(bad)?;
    Ok(Grid::Cells([columns.parse().map_err(|_| bad())?, rows.parse().map_err(|_| bad())?]))
}

fn solve(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let named = call.needed("split")?;
    let split = Split::ALL.into_iter().find(|split| split.name() == named);
    let split = split.ok_or_else(|| format!("`--split` is `{named}`, must be one of `train`, `dev`, `test`"))?;
    let task = |name: &String| {
        Task::named(name).ok_or_else(|| format!("`--task` is `{name}`, must be one of {}", Task::names()))
    };
    let wanted = call.all("task").iter().map(task).collect::<Result<Vec<_>, _>>()?;
    let grids = call.all("grid").iter().map(|text| grid(text)).collect::<Result<Vec<_>, _>>()?;
    let data = call.needed("data")?.to_owned();
    for key in ["split", "data", "grid"] {
        if let Some(value) = call.overrides.get(key) {
            return Err(format!("`--set {key}` is `{value}`, must be `--{key}` here").into());
        }
    }
    let (mut lines, mut text) = (Vec::new(), String::new());
    for task in Task::ALL.into_iter().filter(|task| wanted.is_empty() || wanted.contains(task)) {
        let scatter = task.appearance == Appearance::Scatter;
        for grid in if scatter { grids.clone() } else { vec![Grid::default()] } {
            let config: Config = serde_json::from_value(task.entry().configure(&call.overrides)?)?;
            let config = Config { split, data: data.clone(), grid: grid.clone(), ..config };
            text += &solved(call.host, &LilGym::new(&config, task)?, &mut lines);
        }
    }
    if let Some(out) = call.text("out") {
        let rows: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
        let out = PathBuf::from(out);
        call.host.write(&out, rows.concat().as_bytes())?;
    }
    Ok(Said { text, json: Value::Array(lines), failed: false })
}

/// Solves every problem; gives a summary and adds a line per row to `lines`.
fn solved(host: &mut dyn Host, rules: &LilGym, lines: &mut Vec<Value>) -> String {
    let (corpus, task, split) = (&rules.corpus, rules.task.name(), rules.config.split.name());
    let grid = (rules.task.appearance == Appearance::Scatter).then_some(&rules.config.grid);
    host.begin(corpus.problems.len() as u64, "problems");
    let (mut solved, mut proven, mut total, mut edits) = (0_usize, 0_usize, 0.0, 0_usize);
    for (number, row) in corpus.problems.iter().enumerate() {
        let plan = rules.solve(number as u32);
        let value = plan.value(rules.config.step_cost);
        solved += usize::from(plan.edits.is_some());
        proven += usize::from(plan.proven);
        edits += plan.edits.as_ref().map_or(0, |e| e.len());
        total += value;
        let ids: Option<Vec<u32>> = plan.edits.as_ref().map(|e| e.iter().map(|&a| rules.numbers.id(a)).collect());
        let line = json!({
            "task": task, "split": split, "row": row.key, "grid": grid,
            "sentence": corpus.statement(number as u32).sentence, "target": row.target,
            "edits": ids, "return": value, "proven": plan.proven,
        });
        lines.push(line);
        host.tick();
    }
    host.end();
    let n = corpus.problems.len();
    let mean = total / n as f64;
    let place = grid.map_or(String::new(), |grid| format!(", grid {}", json!(grid)));
    format!(
        "{task} {split}{place}: {solved} of {n} solved ({:.2} %), {proven} proven optimal, mean return {mean:.4}, \
         {:.2} edits per solution; the paper's expert {} on 50 dev examples\n",
        100.0 * solved as f64 / n as f64,
        edits as f64 / solved.max(1) as f64,
        expert(rules.task)
    )
}

/// What the paper's expert gets (Table 3).
pub(crate) fn expert(task: Task) -> f32 {
    match task {
        Task::TOWER_FLIPIT => 0.83,
        Task::SCATTER_FLIPIT => 0.89,
        _ => 0.79,
    }
}

fn categories(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let id = call.needed("id")?;
    let entry = (call.find)(id)?;
    let task = Task::of(entry.id()).ok_or_else(|| {
        let ids: Vec<_> = crate::FAMILY.entries.iter().map(|entry| format!("`{}`", entry.id())).collect();
        format!("`ID` is `{id}`, must be one of {}", ids.join(", "))
    })?;
    let config: Config = serde_json::from_value(entry.configure(&call.overrides)?)?;
    let parts = Problems(Corpus::load(&config, task)?);
    let (policy, seed) = (call.needed("policy")?.to_owned(), call.count("seed", 0..=u64::MAX)?);
    let playing = Playing { entry, overrides: &call.overrides, policy: &policy, seed, metric: "success" };
    let success = call.host.play(&playing)?;
    let (mut text, mut rows) = (format!("{:24} {:>7} {:>9}\n", "", "total", "correct %"), Vec::new());
    let mut line = |name: &str, keep: &dyn Fn(u32) -> bool| {
        let of = success.iter().zip(0..).filter(|(_, problem)| keep(*problem));
        let (n, sum) = of.fold((0, 0.0), |(n, sum), (success, _)| (n + 1, sum + f64::from(*success)));
        let share = (n > 0).then(|| 100.0 * sum / f64::from(n));
        let shown = share.map_or("-".to_owned(), |share| format!("{share:.2}"));
        text += &format!("{name:24} {n:>7} {shown:>9}\n");
        rows.push(json!({"part": name, "problems": n, "correct_percent": share}));
    };
    line("all", &|_| true);
    for (_, name) in parts.names() {
        line(name, &|problem| parts.holds(name, problem) == Some(true));
    }
    if !parts.0.categorised {
        text += "by category: left out, because `categories` names no label file\n";
    }
    Ok(Said { text, json: Value::Array(rows), failed: false })
}

fn fit_blind(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let data = call.needed("data")?.to_owned();
    let holdout = match call.needed("holdout")? {
        "compositional" => Holdout::Compositional,
        "random" => Holdout::Random,
        other => return Err(format!("`--holdout` is `{other}`, must be `compositional` or `random`").into()),
    };
    let (mut text, mut lists) = (String::new(), serde_json::Map::new());
    for task in Task::ALL {
        let rules = LilGym::new(&Config { data: data.clone(), holdout, ..Config::default() }, task)?;
        let list = json!(fitted(&rules));
        text += &format!("{}: {list}\n", task.name());
        lists.insert(task.name().to_owned(), list);
    }
    Ok(Said { text, json: Value::Object(lists), failed: false })
}

fn parity(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let mut replay = Replay::new(Path::new(call.needed("data")?));
    for trace in call.all("traces") {
        replay.file(Path::new(trace))?;
    }
    let parity = replay.parity;
    let mut text = String::new();
    for line in &parity.shown {
        text += &format!("{line}\n");
    }
    if parity.mismatches > parity.shown.len() {
        text += &format!("and {} more\n", parity.mismatches - parity.shown.len());
    }
    text += &format!("rollouts {}, steps {}, mismatches {}\n", parity.rollouts, parity.steps, parity.mismatches);
    let json = json!({"rollouts": parity.rollouts, "steps": parity.steps, "mismatches": parity.mismatches});
    Ok(Said { text, json, failed: parity.mismatches > 0 })
}
