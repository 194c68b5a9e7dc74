//! The section of one protocol: its scores, its claims, and what the paper published.

use super::document::{Document, Figure, Table, code, link, plain};
use super::plots::{self, Group};
use super::words::{measured, percent};
use super::{episodes, training};
use crate::claims::{Judged, Verdict};
use crate::protocol::{Kind, RECREATION, Task};
use crate::published::{self, Published};
use crate::results::{Aggregates, Measured, Place, Results, Scale, Suite, part_of};
use crate::{stratum, verdict};

/// What a protocol is.
fn opening(document: &mut Document, suite: &Suite) {
    let protocol = &suite.protocol;
    document.heading(2, format!("{} ({})", plain(&protocol.title), code(&protocol.name)));
    document.paragraph(plain(&protocol.summary));
    if let Some(paper) = &protocol.paper {
        document.paragraph(format!("Paper: {}.", plain(paper.trim_end_matches('.'))));
    }
    caveat(document, suite);
}

/// Writes the section up to the claims.
pub(super) fn scores(document: &mut Document, results: &Results, suite: &Suite) {
    opening(document, suite);
    origins(document, suite);
    document.paragraph("What each agent scored; lines are 95 % intervals.");
    let families = suite.families();
    for family in &families {
        if families.len() > 1 {
            document.heading(3, plain(family));
        }
        document.figures(bars(suite, family));
    }
    document.heading(3, "Scores");
    document.table(score_table(suite));
    document.table(merged_table(suite));
    document.table(gap_table(suite));
    training::write(document, results, suite);
}

/// Writes the section of a protocol of which there are trainings and nobody played.
pub(super) fn trained(document: &mut Document, results: &Results, suite: &Suite) {
    opening(document, suite);
    document.paragraph("There are no records of this protocol: what follows is what was scored while agents learnt.");
    training::write(document, results, suite);
}

/// Warns where human scores come from another environment than ours.
fn caveat(document: &mut Document, suite: &Suite) {
    let ours = |t: &&Task| t.tags.iter().any(|tag| tag == RECREATION);
    let human = |t: &&Task| t.conditions.iter().any(|c| c.human.is_some());
    let tasks = suite.protocol.tasks.iter();
    let names: Vec<String> = tasks.filter(ours).filter(human).map(|t| plain(&t.name)).collect();
    if !names.is_empty() {
        document.warning(format!(
            "The original geometry of these tasks is not public, and they are re-creations: published human and agent \
             scores are not comparable with ours there. {}.",
            names.join(", ")
        ));
    }
}

/// Says whose experience an agent's problems were made from, where each has its own.
fn origins(document: &mut Document, suite: &Suite) {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for (place, cell) in &suite.cells {
        let own = cell.recorded.header.made_from.as_deref().map(|from| (suite.agents[place.2].as_str(), from));
        all.extend(own.filter(|own| !all.contains(own)));
    }
    all.sort_unstable();
    if !all.is_empty() {
        document.paragraph("Each agent is given tests of its own, made from what it experienced in training:");
        document.list(all.iter().map(|(agent, from)| format!("{}: {}.", plain(agent), plain(from))).collect());
    }
}

/// One drawing per task of a family: bars with intervals for each condition.
fn bars(suite: &Suite, family: &str) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (t, task) in suite.protocol.tasks.iter().enumerate().filter(|(t, _)| suite.family(*t) == family) {
        let cells: Vec<Place> = suite.cells.keys().filter(|p| p.0 == t).copied().collect();
        let scale =
            if cells.iter().any(|&p| suite.stratum(p, Scale::Task).is_some()) { Scale::Task } else { Scale::Raw };
        let mut groups = Vec::new();
        for (c, condition) in task.conditions.iter().enumerate() {
            let bar = |(a, name): (usize, &String)| Some((a, name.clone(), suite.score((t, c, a), scale)?));
            let bars: Vec<_> = suite.agents.iter().enumerate().filter_map(bar).collect();
            let half = if condition.held_out { "held out" } else { "training" };
            if !bars.is_empty() {
                groups.push(Group { label: format!("{} ({half})", condition.name), bars });
            }
        }
        if groups.is_empty() {
            continue;
        }
        let caption = format!("**{}**: {}", plain(&task.name), code(&task.metric));
        figures.push(Figure { caption, svg: plots::bars(&task.name, &groups, scale == Scale::Task) });
    }
    figures
}

fn score_table(suite: &Suite) -> Table {
    let has = |scale| suite.cells.keys().any(|&place| suite.ends(place, scale).is_some());
    let scales = [(Scale::Task, "percent of scale"), (Scale::Human, "human-normalised")];
    let scales: Vec<_> = scales.into_iter().filter(|(scale, _)| has(*scale)).collect();
    let mut columns = vec!["task", "condition", "agent", "metric", "score"];
    columns.extend(scales.iter().map(|(_, name)| *name));
    columns.extend(["floor", "runs x episodes"]);
    let caption = "Mean scores with 95 % intervals; normalised scores in percent. The last column leads to episodes";
    let mut table = Table::new(caption, 3, &columns);
    table.words = vec![3, 5 + scales.len()];
    // What has no problems is listed under the failures.
    for (&place, cell) in suite.cells.iter().filter(|(_, cell)| !cell.stratum.scores().is_empty()) {
        let task = &suite.protocol.tasks[place.0];
        let condition = &task.conditions[place.1];
        let half = if condition.held_out { "held out" } else { "training" };
        let mut row = vec![
            plain(&task.name),
            format!("{} ({half})", plain(&condition.name)),
            plain(&suite.agents[place.2]),
            code(&task.metric),
            measured(suite.score(place, Scale::Raw)),
        ];
        row.extend(scales.iter().map(|(scale, _)| percent(suite.score(place, *scale))));
        row.push(training::floor(suite.scale(place), &task.metric));
        let (runs, all) = (cell.stratum.scores().len(), cell.stratum.episodes());
        let even = all % runs == 0;
        let amount = if even { format!("{runs} x {}", all / runs) } else { format!("{runs}, {all} in all") };
        row.push(link(&amount, &episodes::anchor(suite, place)));
        table.rows.push(row);
    }
    table
}

/// Conditions that are also given together.
fn merged_table(suite: &Suite) -> Table {
    let several = |t: usize, a: usize, group: &str| {
        let task = &suite.protocol.tasks[t];
        let Kind::Own { name, .. } = &task.kind else { return false };
        let Some(kind) = Kind::known(name) else { return false };
        let played = task.conditions.iter().enumerate().filter(|(c, _)| suite.cells.contains_key(&(t, *c, a)));
        played.filter(|(_, condition)| kind.merged(&condition.name) == Some(group)).count() > 1
    };
    let columns = ["task", "conditions", "agent", "metric", "score"];
    let mut table = Table::new("Conditions taken together: the mean over all their episodes", 3, &columns);
    table.words = vec![3];
    for (t, task) in suite.protocol.tasks.iter().enumerate() {
        for (a, agent) in suite.agents.iter().enumerate() {
            // One condition alone is in the table above.
            for (group, score) in suite.merged(t, a).into_iter().filter(|(group, _)| several(t, a, group)) {
                let score = measured(Some(score));
                table.rows.push(vec![plain(&task.name), plain(group), plain(agent), code(&task.metric), score]);
            }
        }
    }
    table
}

/// The row of an agent in a task without a training condition: its score is placed between floor and ceiling.
fn held_out_row(suite: &Suite, task: usize, agent: usize) -> Option<Vec<String>> {
    let mean = |scale: Scale| {
        let places = suite.places(agent, scale, |t, _| t == task);
        let strata: Vec<_> = places.into_iter().filter_map(|place| suite.stratum(place, scale)).collect();
        stratum::mean(&strata).map(stratum::Contrast::measured)
    };
    if suite.protocol.tasks[task].conditions.iter().any(|condition| !condition.held_out) {
        return None;
    }
    let margin = suite.protocol.margin();
    let told = mean(Scale::Task).map_or("no scale", |score| verdict::Position::of(score, margin).name());
    let (name, none) = (plain(&suite.protocol.tasks[task].name), || "–".to_owned());
    let raw = measured(Some(mean(Scale::Raw)?));
    Some(vec![name, plain(&suite.agents[agent]), told.to_owned(), none(), raw, none(), none()])
}

fn gap_table(suite: &Suite) -> Table {
    let mut table = Table::new(
        "Generalisation gap of each task: training minus held out, raw and in percent of the scale, with 95 % intervals",
        2,
        &["task", "agent", "verdict", "training", "held out", "gap", "gap, percent of scale"],
    );
    table.words = vec![2];
    for (t, task) in suite.protocol.tasks.iter().enumerate() {
        for (a, agent) in suite.agents.iter().enumerate() {
            let Some(raw) = suite.gap(t, a, Scale::Raw) else {
                table.rows.extend(held_out_row(suite, t, a));
                continue;
            };
            let scaled = suite.gap(t, a, Scale::Task);
            let verdict = scaled.map_or("no scale", |gap| verdict::Verdict::of(&gap, suite.protocol.margin()).name());
            table.rows.push(vec![
                plain(&task.name),
                plain(agent),
                verdict.to_owned(),
                measured(Some(raw.train)),
                measured(Some(raw.held_out)),
                measured(Some(raw.gap)),
                percent(scaled.map(|g| g.gap)),
            ]);
        }
    }
    table
}

/// Writes the verdicts on the paper's claims, and below them those on their comparisons.
pub(super) fn claims(document: &mut Document, judged: &[Judged]) {
    if judged.is_empty() {
        return;
    }
    document.heading(3, "Claims of the paper");
    document.paragraph(
        "Each claim is a sentence of the paper about an agent that was run. Its comparisons are tested at the 5 % level \
         after Holm's correction over all comparisons that these records can test; the claim agrees or disagrees if they \
         tell, and is undecided otherwise.",
    );
    let mut table = Table::new(
        "Claims and what these records say",
        2,
        &["claim", "in words", "source", "verdict", "of its comparisons"],
    );
    table.words = vec![2, 3, 4];
    let mut below = Table::new(
        "The comparisons of each claim: differences with 95 % intervals, p-values after Holm's correction",
        2,
        &["claim", "comparison", "verdict", "difference", "p", "why not"],
    );
    below.words = vec![2, 5];
    below.folded = true;
    for (i, judged) in judged.iter().enumerate() {
        let number = (i + 1).to_string();
        table.rows.push(vec![
            number.clone(),
            plain(&judged.text),
            plain(&judged.source),
            format!("**{}**", judged.verdict.name()),
            tally(judged),
        ]);
        for compared in &judged.comparisons {
            below.rows.push(vec![
                number.clone(),
                plain(&compared.text),
                compared.verdict.name().to_owned(),
                measured(compared.difference),
                compared.p.map_or("–".to_owned(), |p| if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }),
                // Problems name agents and conditions in backticks of their own.
                compared.problem.clone(),
            ]);
        }
    }
    document.table(table);
    document.table(below);
}

/// How many of a claim's comparisons agree, and who is missing.
fn tally(judged: &Judged) -> String {
    let verdicts = [Verdict::Agree, Verdict::Disagree, Verdict::Undecided];
    let counts = verdicts.map(|verdict| (judged.count(verdict), verdict.name()));
    let told: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
    let absent: Vec<String> = judged.absent.iter().map(|agent| plain(agent)).collect();
    let absent = if absent.is_empty() { String::new() } else { format!("; not run: {}", absent.join(", ")) };
    format!("of {}: {}{absent}", judged.comparisons.len(), told.join(", "))
}

/// Writes the tables that the paper printed, ours beside them.
pub(super) fn published(document: &mut Document, suite: &Suite) {
    let found: Vec<Published> =
        suite.protocol.published.iter().filter_map(|family| published::find(family).ok()).collect();
    let mut first = true;
    for file in &found {
        for table in file.tables.iter().filter(|t| t.protocol == suite.protocol.name) {
            if first {
                document.heading(3, "Published numbers");
                document.paragraph(format!(
                    "These numbers are copied from the paper, not measured here: {}. Columns marked \"ours\" are \
                     measured here. A number with a question mark cannot be right, or was garbled in the text at hand.",
                    plain(file.source.trim_end_matches('.'))
                ));
                first = false;
            }
            document.table(side_by_side(suite, table));
            let doubts: Vec<String> = doubts(table);
            if !doubts.is_empty() {
                document.paragraph(format!("Doubtful in {}:", plain(&table.name)));
                document.list(doubts);
            }
        }
    }
}

/// The numbers that cannot be right, and why.
fn doubts(table: &published::Table) -> Vec<String> {
    let doubted = |row: &published::Row| {
        let why = plain(row.suspect.as_deref()?);
        let at = [Some(&row.task), Some(&row.condition), row.column.as_ref()].into_iter().flatten();
        let at = at.map(|t| plain(t)).collect::<Vec<_>>().join(", ");
        let cells = table.models.iter().zip(&row.printed.0);
        let cells = cells.filter_map(|(model, number)| Some((model, number.as_ref().filter(|n| n.suspect)?)));
        let cells: Vec<String> = cells.map(|(model, number)| format!("{} {}", plain(model), number.text)).collect();
        Some(format!("{at}, {}: {why}", cells.join(", ")))
    };
    table.rows.iter().filter_map(doubted).collect()
}

/// A printed table with our agents beside it.
fn side_by_side(suite: &Suite, table: &published::Table) -> Table {
    let error = table.error.as_ref().map_or(String::new(), |e| format!("; after ± the {e}"));
    let mut shown = Table {
        caption: format!("Published: {}. {}{}", plain(&table.name), plain(&table.caption), plain(&error)),
        headers: 2,
        ..Table::default()
    };
    shown.columns = vec!["task and condition".into(), "measure".into()];
    shown.columns.extend(table.models.iter().map(|model| format!("{} (published)", plain(model))));
    let places = table
        .rows
        .iter()
        .map(|row| (&*row.task, &*row.condition, table.metric_of(row), row.column.as_deref().unwrap_or("")));
    let ours: Vec<Vec<Option<Measured>>> = places
        .clone()
        .map(|place| (0..suite.agents.len()).map(|agent| our(suite, table, place, agent)).collect())
        .collect();
    let any = |agent: usize| ours.iter().any(|row| row[agent].is_some());
    let agents: Vec<usize> = (0..suite.agents.len()).filter(|&agent| any(agent)).collect();
    shown.columns.extend(agents.iter().map(|&agent| format!("**{}** (ours)", plain(&suite.agents[agent]))));
    for ((row, (task, condition, metric, column)), ours) in table.rows.iter().zip(places).zip(&ours) {
        let name = if task == "*" { "all tasks" } else { task };
        let what = if column.is_empty() { metric.to_owned() } else { format!("{metric}, {column}") };
        let mut cells = vec![format!("{}, {}", plain(name), plain(condition)), plain(&what)];
        cells.extend(row.printed.0.iter().map(|number| {
            let shown = |n: &published::Number| format!("{}{}", n.text, if n.suspect { " ?" } else { "" });
            number.as_ref().map_or("–".to_owned(), shown)
        }));
        cells.extend(agents.iter().map(|&agent| measured(ours[agent])));
        shown.rows.push(cells);
    }
    shown
}

/// What our agent scored where a printed cell is, in the printed unit.
fn our(
    suite: &Suite,
    table: &published::Table,
    (task, condition, metric, column): (&str, &str, &str, &str),
    agent: usize,
) -> Option<Measured> {
    let factor = if table.percent { 100.0 } else { 1.0 };
    if task == "*" {
        // The one aggregate that papers print.
        let named = |t: usize, c: usize| suite.protocol.tasks[t].conditions[c].name == condition;
        let places = suite.places(agent, Scale::Human, named);
        let strata: Vec<_> = places.into_iter().filter_map(|p| suite.stratum(p, Scale::Human)).collect();
        let purpose = [suite.protocol.name.as_str(), condition, &suite.agents[agent], "published"];
        if metric != "human_normalised" || strata.len() != suite.protocol.tasks.len() {
            return None;
        }
        return Aggregates::of(&strata, &purpose).map(|a| a.mean.times(100.0));
    }
    let t = suite.protocol.tasks.iter().position(|of| of.name == task)?;
    let c = suite.protocol.tasks[t].conditions.iter().position(|of| of.name == condition)?;
    let place = (t, c, agent);
    let (name, part) = part_of(metric);
    let part = part.or(Some(column)).filter(|p| !p.is_empty());
    let found = match part {
        None => suite.metric(place, name, |_| true),
        Some(part) => {
            let parts = suite.parts(place)?;
            parts.names().iter().any(|(_, name)| *name == part).then_some(())?;
            suite.metric(place, name, |r| r.problem.and_then(|p| parts.holds(part, p)).unwrap_or(false))
        }
    };
    found.map(|m| m.times(factor))
}
