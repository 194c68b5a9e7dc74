//! `heldout eval`: plays protocols, records every episode and says what came of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use heldout_core::Options;
use heldout_eval::entrant::{Entrant, Load};
use heldout_eval::protocol::{self, Condition, Kind, Protocol, Task};
use heldout_eval::records::Recorded;
use heldout_eval::results::{Cell, Measured};
use heldout_eval::runner::{ABSENT, Evaluation, Outcome, Progress};
use serde_json::{Value, json};

use crate::around::Around;
use crate::{progress, run, signals};

/// Plays policies under protocols and records every episode.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Eval {
    /// Which protocols: built-in ones, or paths of `.toml` files.
    #[arg(required_unless_present = "list", value_name = "PROTOCOL")]
    protocols: Vec<String>,
    /// Which policies: the `NAME` of a scripted one or the path of a checkpoint, or `AGENT=…,AGENT=…` with either for each
    /// agent; `LABEL@…` names it in the report and in claims. `shortcut` is the best player of each task that lacks the
    /// ability it is about. Unless told `random`, `shortcut` where there are scales that say who that is, and `oracle`.
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,
    /// What a policy experienced in training, for tests that are made from it: `FILE`, or `LABEL=FILE` where several
    /// play. A scripted policy without it plays training itself first.
    #[arg(long = "experience", value_name = "[LABEL=]FILE")]
    experiences: Vec<String>,
    /// Plays only this task of the protocols; again for more. The records are those of the whole.
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<String>,
    /// The directory to write to.
    #[arg(long, required_unless_present_any = ["list", "print"])]
    out: Option<PathBuf>,
    /// Goes on from the records that are there; with more `--seeds` or `--episodes` than they have, it extends them (problems
    /// that are made for whoever plays them, by seeds alone).
    #[arg(long)]
    resume: bool,
    /// With `--resume`: goes on even from records that another build of heldout made; they say so then.
    #[arg(long, requires = "resume")]
    other_build: bool,
    /// The first run seed; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Episodes of each condition and seed, in place of the protocol's; of a finite set, its first problems.
    #[arg(long)]
    episodes: Option<u64>,
    /// Run seeds, in place of the protocol's number; of a policy that was trained several times, at most so many of them.
    #[arg(long)]
    seeds: Option<u64>,
    /// Threads to spread over; the records do not depend on it. `python -m heldout.ray eval` spreads over machines.
    #[arg(long, default_value_t = run::cores())]
    threads: usize,
    /// Lists the built-in protocols and does nothing else.
    #[arg(long)]
    list: bool,
    /// Prints the text of the protocols and does nothing else: a file of such a text, changed, is a protocol of your own.
    #[arg(long, conflicts_with_all = ["list", "json"])]
    print: bool,
    /// Prints one JSON value.
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub(crate) fn execute(&self, around: &Around<'_>) -> anyhow::Result<()> {
        if self.list {
            return self.print_list();
        }
        if self.print {
            let protocols: Vec<Protocol> =
                self.protocols.iter().map(|p| Protocol::find(p)).collect::<Result<_, _>>()?;
            return crate::print(&protocols.into_iter().map(|protocol| protocol.text).collect::<Vec<_>>().join("\n"));
        }
        let evaluation = self.evaluation(around.load)?;
        let stop = stop_flag()?;
        // Until the report is written.
        let held = evaluation.hold()?;
        for label in evaluation.absent() {
            eprintln!("none of the tasks that are asked is for `{label}`: {ABSENT}");
        }
        let bar = progress::bar(0, "episodes");
        let tell = |progress: Progress<'_>| match progress {
            Progress::Preparing(what) => bar.set_message(what.to_owned()),
            Progress::Played(done, total) => {
                bar.set_length(total);
                bar.set_position(done);
            }
        };
        let outcome = match around.away {
            Some(away) => held.run_away(away, stop, &tell),
            None => held.run(stop, &tell),
        };
        bar.finish_and_clear();
        // What is left is short and can be made again: the first Ctrl-C ends it.
        stop.store(true, Ordering::Relaxed);
        self.conclude(&evaluation, &outcome?)
    }

    /// What is to be measured.
    pub(crate) fn evaluation(&self, load: Load<'_>) -> anyhow::Result<Evaluation> {
        let protocols: Vec<Protocol> = self.protocols.iter().map(|p| Protocol::find(p)).collect::<Result<_, _>>()?;
        let out = self.out.clone().context("`--out` names no directory")?;
        let parse = |policy: &String| Entrant::parse(policy, load);
        let mut policies = self.policies.clone();
        if policies.is_empty() {
            let measured = protocols.iter().any(|protocol| protocol.scales.is_some());
            policies = ["random", "shortcut", "oracle"].map(str::to_owned).to_vec();
            policies.retain(|policy| measured || policy != "shortcut");
        }
        let mut entrants: Vec<Entrant> = policies.iter().map(parse).collect::<Result<_, _>>()?;
        self.experiences.iter().try_for_each(|text| bring(text, &mut entrants))?;
        Ok(Evaluation {
            protocols,
            entrants,
            tasks: self.tasks.clone(),
            out,
            seed: self.seed,
            seeds: self.seeds,
            episodes: self.episodes,
            threads: self.threads,
            resume: self.resume,
            other_build: self.other_build,
        })
    }

    /// Every file and folder that it names, by the text that names it: protocols, checkpoints, experience.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> =
            self.protocols.iter().filter(|p| !protocol::names().any(|n| n == *p)).cloned().collect();
        let opened = RefCell::new(Vec::new());
        let load = |path: &Path| {
            opened.borrow_mut().push(path.to_string_lossy().into_owned());
            crate::trained::open(path)
        };
        for policy in &self.policies {
            // What is wrong with it is told by the evaluation.
            let _ = Entrant::parse(policy, &load);
        }
        files.extend(opened.into_inner().into_iter().filter(|path| Path::new(path).exists()));
        files.extend(self.experiences.iter().map(|text| brought(text).1.to_owned()));
        files.dedup();
        files
    }

    /// The same with other names for files that have been moved.
    pub(crate) fn moved(&mut self, moved: &BTreeMap<String, String>) {
        let to = |text: &str| moved.get(text).cloned().unwrap_or_else(|| text.to_owned());
        for protocol in &mut self.protocols {
            *protocol = to(protocol);
        }
        for text in &mut self.policies {
            let (label, policy) = text.split_once('@').map_or((None, text.as_str()), |(l, p)| (Some(l), p));
            let seat = |part: &str| match part.split_once('=') {
                Some((agent, policy)) => format!("{agent}={}", to(policy)),
                None => part.to_owned(),
            };
            let policy = match moved.get(policy) {
                Some(place) => place.clone(),
                None => policy.split(',').map(seat).collect::<Vec<_>>().join(","),
            };
            *text = label.map_or_else(|| policy.clone(), |label| format!("{label}@{policy}"));
        }
        for text in &mut self.experiences {
            let (label, file) = brought(text);
            *text = label.map_or_else(|| to(file), |label| format!("{label}={}", to(file)));
        }
    }

    fn print_list(&self) -> anyhow::Result<()> {
        let all: Vec<Protocol> = protocol::names().map(Protocol::find).collect::<Result<_, _>>()?;
        if self.json {
            let rows: Vec<Value> = all
                .iter()
                .map(|p| {
                    let (tasks, conditions) =
                        (p.tasks.len(), p.tasks.iter().map(|t| t.conditions.len()).sum::<usize>());
                    json!({
                        "name": p.name, "title": p.title, "summary": p.summary, "paper": p.paper, "tags": p.tags,
                        "seeds": p.seeds, "tasks": tasks, "conditions": conditions, "claims": p.claims.len(),
                        "lacks": p.lacks, "not_at_hand": missing(p),
                    })
                })
                .collect();
            return crate::print_json(&Value::Array(rows));
        }
        let width = all.iter().map(|p| p.name.len()).max().unwrap_or(0);
        let line = |p: &Protocol| {
            let (tasks, seeds) = (crate::count(p.tasks.len() as u64, "task"), crate::count(p.seeds, "seed"));
            let mut text = format!("{:width$}  {} ({tasks}, {seeds})\n", p.name, p.title);
            let marks = p.lacks.iter().map(|what| format!("not to be had: {what}"));
            for mark in marks.chain(missing(p).map(|problem| format!("cannot be played here: {problem}"))) {
                text += &format!("{:width$}  ! {mark}\n", "");
            }
            text
        };
        crate::print(&all.iter().map(line).collect::<String>())
    }

    /// Writes the report, says what came of the evaluation, and what to do about what did not.
    fn conclude(&self, evaluation: &Evaluation, outcome: &Outcome) -> anyhow::Result<()> {
        let all = Recorded::read_all(&evaluation.out).or_else(|error| match outcome.done {
            0 => Ok(Vec::new()),
            _ => Err(error),
        })?;
        // Who stops does not wait for a report, which is made when the rest is played.
        if !outcome.interrupted {
            write_report(evaluation, &all)?;
        }
        let rows = rows(evaluation, &all);
        if self.json {
            crate::print_json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "out": evaluation.out.to_string_lossy(),
                "episodes": outcome.done,
                "of": outcome.total,
                "interrupted": outcome.interrupted,
                "failures": outcome.failures,
                "results": rows.iter().map(Row::json).collect::<Vec<_>>(),
            }))?;
        } else {
            crate::print(&table(&rows))?;
        }
        for f in &outcome.failures {
            let place = format!("{} {} {}", f.protocol, f.task, f.condition);
            crate::note(&format!("heldout: {place}, policy {}: {}", f.agent, f.problem));
        }
        if !outcome.failures.is_empty() {
            let all = crate::count(outcome.failures.len() as u64, "combination");
            crate::note(&format!(
                "heldout: {all} could not be played, as listed in `failures.json`; the rest is recorded"
            ));
        }
        if outcome.interrupted {
            let at = match (outcome.done, outcome.total) {
                (_, 0) => "before anything was played".to_owned(),
                (done, total) => format!("after {done} of {}", crate::count(total, "episode")),
            };
            crate::note(&format!("heldout: stopped {at}; to go on: {}", resuming()));
        }
        if outcome.interrupted || !outcome.failures.is_empty() {
            return Err(crate::Failed.into());
        }
        Ok(())
    }
}

/// Why a task of a protocol cannot be made here, such as data that are not at hand; that of the first.
fn missing(protocol: &Protocol) -> Option<String> {
    let made = |task: &Task, condition: &Condition| {
        let entry = heldout_envs::find(&task.id).map_err(|error| error.to_string())?;
        let made = entry.make(&task.overrides(condition), 1, Options::default());
        made.map(drop).map_err(|error| format!("{}, {}: {error}", task.name, condition.name))
    };
    // Problems of a family's own kind are made for whoever plays them.
    let tasks = protocol.tasks.iter().filter(|task| !matches!(task.kind, Kind::Own { .. }));
    tasks.flat_map(|task| task.conditions.iter().map(move |condition| made(task, condition))).find_map(Result::err)
}

/// The label and the file of `[LABEL=]FILE`.
fn brought(text: &str) -> (Option<&str>, &str) {
    text.split_once('=').map_or((None, text), |(label, file)| (Some(label), file))
}

/// Gives one of `entrants` the experience that `[LABEL=]FILE` names.
fn bring(text: &str, entrants: &mut [Entrant]) -> anyhow::Result<()> {
    let labels = entrants.iter().map(|e| format!("`{}`", e.label)).collect::<Vec<_>>().join(", ");
    let (label, file) = brought(text);
    let whose = match label {
        Some(label) => entrants.iter().position(|e| e.label == label),
        None => (entrants.len() == 1).then_some(0),
    };
    let whose =
        whose.with_context(|| format!("`--experience` is `{text}`, must be `LABEL=FILE` with one of {labels}"))?;
    let bytes = heldout_files::read(Path::new(file), heldout_files::DATA);
    let bytes = bytes.with_context(|| format!("`--experience` is `{text}`, which cannot be read"))?;
    if entrants[whose].experience.replace(bytes.into()).is_some() {
        anyhow::bail!("`--experience` is told twice for `{}`", entrants[whose].label);
    }
    Ok(())
}

/// Writes the report on all that the directory holds.
fn write_report(evaluation: &Evaluation, all: &[Recorded]) -> anyhow::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let files = heldout_eval::report::write(&evaluation.out)?;
    crate::note(&format!("heldout: the report is {} (and {})", files.html.display(), files.markdown.display()));
    Ok(())
}

/// A flag that Ctrl-C and a request to terminate set; the second time the program ends at once.
pub(crate) fn stop_flag() -> anyhow::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    signals::watch(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(1);
        }
        crate::note("heldout: stopping; again to stop at once");
    })
    .context("cannot watch for Ctrl-C")?;
    Ok(&STOP)
}

/// The command that continues this one.
pub(crate) fn resuming() -> String {
    let words = crate::SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words.iter().all(|word| word != "--resume") {
        words.push("--resume".to_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,@+:".contains(c);
    let quoted = |word: &String| {
        let bare = word.chars().all(plain) && !word.is_empty();
        if bare { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A row for each file of this evaluation, in the order of its protocols and policies.
fn rows<'a>(evaluation: &Evaluation, all: &'a [Recorded]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for protocol in &evaluation.protocols {
        for task in &protocol.tasks {
            for condition in &task.conditions {
                for entrant in &evaluation.entrants {
                    let names = [&protocol.name, &task.name, &condition.name, &entrant.label];
                    let of = |r: &&Recorded| {
                        let header = &r.header;
                        [&header.protocol, &header.task, &header.condition, &header.agent] == names
                    };
                    rows.extend(all.iter().find(of).map(Row::of));
                }
            }
        }
    }
    rows
}

/// What one file of records comes to.
struct Row<'a> {
    recorded: &'a Recorded,
    episodes: usize,
    estimate: Option<Measured>,
}

impl<'a> Row<'a> {
    fn of(recorded: &'a Recorded) -> Self {
        let estimate = Cell::new(recorded.clone(), &recorded.header.metric).stratum.measured();
        Self { recorded, episodes: recorded.records.len(), estimate }
    }

    fn json(&self) -> Value {
        let header = &self.recorded.header;
        json!({
            "protocol": header.protocol, "task": header.task, "condition": header.condition,
            "held_out": header.held_out, "agent": header.agent, "metric": header.metric,
            "episodes": self.episodes, "complete": self.recorded.complete(), "estimate": self.estimate.map(crate::estimate),
        })
    }

    fn cells(&self) -> [String; 7] {
        let header = &self.recorded.header;
        let condition = format!("{}{}", header.condition, if header.held_out { " (held out)" } else { "" });
        let shown = |f: fn(&Measured) -> Option<String>| self.estimate.as_ref().and_then(f).unwrap_or("-".to_owned());
        [
            format!("{} {}", header.protocol, header.task),
            condition,
            header.agent.clone(),
            header.metric.clone(),
            self.episodes.to_string(),
            shown(|e| Some(format!("{:.4}", e.value))),
            shown(|e| e.interval.map(|i| format!("{:.4} to {:.4}", i.low, i.high))),
        ]
    }
}

/// The rows as a table of text: mean and 95 % interval over all episodes.
fn table(rows: &[Row<'_>]) -> String {
    let titles = ["task", "condition", "policy", "metric", "episodes", "mean", "95 % interval"].map(str::to_owned);
    let cells: Vec<[String; 7]> = std::iter::once(titles).chain(rows.iter().map(Row::cells)).collect();
    let width = |i: usize| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &cells {
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            match i {
                4 | 5 => text += &format!("{cell:>width$}  "),
                6 => text += cell,
                _ => text += &format!("{cell:width$}  "),
            }
        }
        text.push('\n');
    }
    text
}
