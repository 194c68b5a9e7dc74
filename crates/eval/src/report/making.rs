//! How the report was made: failures, versions, seeds, data, configs and the command, and how to read it.

use std::collections::BTreeMap;

use super::document::{Block, Document, Table, code, plain};
use super::words::count;
use crate::bootstrap::RESAMPLES;
use crate::records::{Failure, Header};
use crate::results::{Cell, Results, Suite};

/// All cells, with their suites.
fn cells(results: &Results) -> impl Iterator<Item = (&Suite, &Cell)> {
    results.suites.iter().flat_map(|suite| suite.cells.values().map(move |cell| (suite, cell)))
}

/// Number of cells that lack episodes.
pub(super) fn incomplete(results: &Results) -> usize {
    cells(results).filter(|(_, cell)| !cell.complete()).count()
}

/// What could not be played, and what is not whole.
pub(super) fn failures(document: &mut Document, results: &Results) {
    let mut failed =
        Table::new("What could not be played, and why", 2, &["protocol", "task", "conditions", "agents", "problem"]);
    failed.words = vec![2, 3, 4];
    // One row for all conditions and agents of a task that fail for the same reason.
    let mut reasons: Vec<(&Failure, Vec<&str>, Vec<&str>)> = Vec::new();
    for f in &results.failures {
        let same = |(g, _, _): &&mut (&Failure, Vec<&str>, Vec<&str>)| {
            (&g.protocol, &g.task, &g.problem) == (&f.protocol, &f.task, &f.problem)
        };
        let Some((_, conditions, agents)) = reasons.iter_mut().find(same) else {
            reasons.push((f, vec![&f.condition], vec![&f.agent]));
            continue;
        };
        for (all, one) in [(conditions, &f.condition), (agents, &f.agent)] {
            if !all.contains(&one.as_str()) {
                all.push(one);
            }
        }
    }
    for (f, conditions, agents) in reasons {
        let texts = [&f.protocol, &f.task, &conditions.join(", "), &agents.join(", "), &f.problem];
        failed.rows.push(texts.map(|t| plain(t)).into());
    }
    let mut cut = Table::new("What is not whole", 4, &["protocol", "task", "condition", "agent", "episodes", "of"]);
    let mut empty = Table::new("What has no problems", 3, &["protocol", "task", "condition", "agent"]);
    empty.words = vec![3];
    for (_, cell) in cells(results) {
        let header = &cell.recorded.header;
        let mut row: Vec<String> =
            [&header.protocol, &header.task, &header.condition, &header.agent].map(|t| plain(t)).into();
        if cell.parts().iter().all(|(header, _)| header.total() == 0) {
            empty.rows.push(row);
        } else if let Some((part, records)) = cell.parts().iter().find(|(part, records)| part.total() != *records) {
            row.extend([records.to_string(), part.total().to_string()]);
            cut.rows.push(row);
        }
    }
    if failed.rows.is_empty() && cut.rows.is_empty() && empty.rows.is_empty() {
        return;
    }
    document.heading(2, "Failures");
    document.table(failed);
    if !cut.rows.is_empty() {
        document.paragraph(
            "The evaluation was interrupted. Asked again with `--resume`, in Python with `resume=True`, it goes on.",
        );
        document.table(cut);
    }
    if !empty.rows.is_empty() {
        document.paragraph("Tests that are made from what an agent experienced: this experience led to none.");
        document.table(empty);
    }
}

/// How to read the numbers.
pub(super) fn reading(document: &mut Document) {
    document.heading(2, "How to read the numbers");
    document.list(vec![
        "**Run**: one trained policy, a training seed. Its score is the mean of its episodes, weighed where the metric is a \
         share of something counted. A score is the mean over runs. A scripted policy, or one checkpoint, is one run, and \
         then episodes are what chance drew."
            .to_owned(),
        "**95 % interval**: of one score Wilson's where episodes succeed or fail, Student's over episodes otherwise, \
         Student's over runs from two runs on. Of a mean over tasks or a gap: Student's, from the standard errors of its \
         parts with Satterthwaite's degrees of freedom; scores of one run in several conditions are summed first, since \
         their chances go together."
            .to_owned(),
        format!(
            "**Interval of a median, an interquartile mean or an optimality gap**: a bootstrap of runs ({RESAMPLES} draws), \
             scaled to the width that the mean's interval has."
        ),
        "**Scale**: 0 is the floor, the best of random play and the task's shortcuts (scripted players that lack the ability \
         it is about), and 100 the ceiling, the oracle or a better published score under the same rules. Both were measured \
         apart from these records, over at least 1,000 episodes or all problems of a finite set; problems that are made for an agent have a scale played on \
         just these. The ends count as known. Scores may lie outside 0 to 100. Where there is no scale, or its ends are \
         within noise of each other, nothing is concluded."
            .to_owned(),
        "**Verdict**: *generalises* if training is above the floor and nothing of the gap's interval is above the margin, \
         *breaks* if all of it is, *undecided* if it reaches across."
            .to_owned(),
        "**Generalisation gap**: training minus held out. Above zero, something was lost. Zero says nothing about how \
         good the score is."
            .to_owned(),
        "**Mean, median**: over tasks, each under each condition, of the mean over runs. **Interquartile mean**: of the \
         middle half of all runs. **Optimality gap**: how far runs fall short of the ceiling, those above it counting as \
         at it; lower is better."
            .to_owned(),
        "**Probability of improvement**: that a run of one agent scores above a run of another on the same task.".to_owned(),
        "**Performance profile**: the share of runs above each score.".to_owned(),
        "**Scores of training**: taken from the curves of training as a paper takes them, with the standard error over \
         training seeds after ±. What is held out chooses no moment, no seed and no policy there."
            .to_owned(),
        "**Rank**: the place by the mean over conditions of the mean over tasks, among all who were scored on the same.".to_owned(),
        "**Published**: copied from a paper. All other numbers were measured here.".to_owned(),
    ]);
}

/// Every different value that `of` gives for the headers.
fn distinct(results: &Results, of: impl Fn(&Header) -> String) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for (_, cell) in cells(results) {
        let value = of(&cell.recorded.header);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// How it was made.
pub(super) fn making(document: &mut Document, results: &Results) {
    document.heading(2, "How it was made");
    let join = |values: Vec<String>| values.join("; ");
    let build =
        |h: &Header| format!("{}, {}, features {}", h.build.profile, h.build.target, h.build.features.join(", "));
    let machine = |h: &Header| {
        let cpu = h.machine.cpu.clone().unwrap_or_else(|| "processor unknown".to_owned());
        format!("{} {}, {cpu}", h.machine.os, h.machine.arch)
    };
    let episodes: usize = cells(results).map(|(_, cell)| cell.recorded.records.len()).sum();
    let mut table = Table::new("What it was made with", 1, &["what", "value"]);
    table.words = vec![1];
    let mut row = |what: &str, value: String| table.rows.push(vec![what.to_owned(), plain(&value)]);
    row("heldout", join(distinct(results, |h| h.heldout.clone())));
    row("build", join(distinct(results, build)));
    row("machine (records do not depend on it)", join(distinct(results, machine)));
    row("episodes", episodes.to_string());
    document.table(table);
    let commands: Vec<String> = results.suites.iter().flat_map(commands).collect();
    let scripted = cells(results).all(|(_, cell)| crate::results::scripted(&cell.recorded.header));
    let mut told = "To make the records and this report again, in a new directory `OUT`".to_owned();
    if results.suites.iter().any(|suite| !suite.protocol.built_in) {
        told += "; `DIR` is the directory of these records, which keeps the protocols that are not built in";
    }
    if cells(results).any(|(_, cell)| cell.recorded.header.experience.is_some()) {
        told += "; `FILE-HASH` is the experience whose SHA-256 begins so";
    }
    if !scripted {
        told += "; an agent that is not scripted must be given as it was, by its checkpoint or from Python";
    }
    document.paragraph(format!("{told}:"));
    document.blocks.push(Block::Code(commands.join("\n")));
    let mut agents = Table::new("Agents", 1, &["agent", "policy"]);
    agents.words = vec![1];
    for agent in super::overall::agents(results) {
        let of = cells(results).map(|(_, c)| &c.recorded.header).filter(|h| h.agent == agent);
        let mut policies: Vec<&str> = of.map(|h| h.policy.as_str()).collect();
        policies.sort_unstable();
        policies.dedup();
        agents.rows.push(vec![plain(&agent), policies.iter().map(|p| code(p)).collect::<Vec<_>>().join(", ")]);
    }
    document.table(agents);
    sources(document, results);
    configs(document, results);
}

/// What a command asks for beside its policies: seeds, episodes and tasks.
type AskedFor = (Vec<u64>, Option<u64>, Vec<String>);

/// The commands that give a suite's records: one for all that were asked for the same seeds, episodes and tasks.
fn commands(suite: &Suite) -> Vec<String> {
    // The tasks that each policy was asked with some seeds and episodes, then the policies that share all of it.
    let mut asked: Vec<(String, AskedFor)> = Vec::new();
    for (header, _) in suite.cells.values().flat_map(Cell::parts) {
        let (who, seeds, episodes) = (policy(header), &header.seeds, header.episodes_asked);
        let same = |(other, of): &&mut (String, AskedFor)| *other == who && (&of.0, of.1) == (seeds, episodes);
        match asked.iter_mut().find(same) {
            Some((_, (.., tasks))) if tasks.contains(&header.task) => {}
            Some((_, (.., tasks))) => tasks.push(header.task.clone()),
            None => asked.push((who, (seeds.clone(), episodes, vec![header.task.clone()]))),
        }
    }
    let mut found: Vec<(AskedFor, Vec<String>)> = Vec::new();
    for (who, of) in asked {
        match found.iter_mut().find(|(other, _)| *other == of) {
            Some((_, policies)) => policies.push(who),
            None => found.push((of, vec![who])),
        }
    }
    let name = if suite.protocol.built_in {
        quoted(&suite.protocol.name)
    } else {
        quoted(&format!("DIR/protocols/{}.toml", suite.protocol.name))
    };
    let command = |((seeds, episodes, tasks), policies): &(AskedFor, Vec<String>)| {
        let policies: Vec<String> = policies.iter().map(|p| format!("--policy {p}")).collect();
        let all = suite.protocol.tasks.iter().all(|task| tasks.contains(&task.name));
        let tasks: Vec<String> =
            tasks.iter().filter(|_| !all).map(|task| format!(" --task {}", quoted(task))).collect();
        let tasks = tasks.concat();
        let first = seeds.first().copied().unwrap_or(0);
        let episodes = episodes.map_or(String::new(), |n| format!(" --episodes {n}"));
        let seeds = seeds.len();
        format!("heldout eval {name}{tasks} {} --seed {first} --seeds {seeds}{episodes} --out OUT", policies.join(" "))
    };
    found.iter().map(command).collect()
}

/// What `--policy` was given, and `--experience`.
fn policy(header: &Header) -> String {
    let asked = header.policy_asked.as_ref().unwrap_or(&header.policy);
    let mut names = asked.split(',').map(|part| part.split_once('=').map_or(part, |(_, name)| name));
    // A name alone seats partners where there are any.
    let own = *asked == header.agent || names.any(|name| name == header.agent);
    let told = quoted(&if own { header.agent.clone() } else { format!("{}@{asked}", header.agent) });
    match &header.experience {
        Some(hash) => format!("{told} --experience {}", quoted(&format!("{}=FILE-{hash}", header.agent))),
        None => told,
    }
}

/// An argument of a command line.
fn quoted(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=,@:+".contains(c);
    if !text.is_empty() && text.chars().all(safe) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn sources(document: &mut Document, results: &Results) {
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (_, cell) in cells(results) {
        let header = &cell.recorded.header;
        for source in &header.sources {
            let ids = found.entry((source.name.clone(), source.content.clone())).or_default();
            if !ids.contains(&header.id) {
                ids.push(header.id.clone());
            }
        }
    }
    let mut table =
        Table::new("Data that the environments were built from", 1, &["name", "SHA-256, or version", "environments"]);
    table.words = vec![1, 2];
    for ((name, content), ids) in found {
        let ids = ids.iter().map(|id| code(id)).collect::<Vec<_>>().join(", ");
        table.rows.push(vec![plain(&name), code(&content), ids]);
    }
    document.table(table);
}

/// The whole config of every condition, and its seeds.
fn configs(document: &mut Document, results: &Results) {
    document.heading(3, "Configs");
    let mut lines = Vec::new();
    for suite in &results.suites {
        let mut last = String::new();
        for cell in suite.cells.values() {
            let header = &cell.recorded.header;
            let seeds: Vec<String> = header.seeds.iter().map(u64::to_string).collect();
            let line = format!(
                "{} / {} / {}: {}, seeds {}, {} each\n    {}",
                header.protocol,
                header.task,
                header.condition,
                header.id,
                seeds.join(" "),
                count(usize::try_from(header.episodes).unwrap_or(usize::MAX), "episode"),
                header.config
            );
            if line != last {
                lines.push(line.clone());
            }
            last = line;
        }
    }
    document.blocks.push(Block::Code(lines.join("\n")));
}
