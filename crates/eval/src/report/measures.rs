//! What a family measures beside its score: rollouts and errors, parts of the problems, arrivals, chosen cells.

use heldout_core::{Causes, Family, Measure, Series};
use heldout_envs::FAMILIES;

use super::document::{Document, Figure, Table, code, plain};
use super::plots::{self, Line};
use super::words::{count, measured, percent};
use crate::aggregate::average;
use crate::records::Record;
use crate::results::{Cell, Place, Suite};

/// Writes what the suite's families measure beside their scores.
pub(super) fn write(document: &mut Document, suite: &Suite) {
    let mut blocks = Document::default();
    for family in FAMILIES.iter().filter(|family| suite.families().iter().any(|name| name == family.name)) {
        let measures = &family.measures;
        blocks.table(table(suite, family, measures.rows));
        blocks.table(deviations(suite, family, measures.rows));
        if let Some(told) = &measures.causes {
            blocks.table(causes(suite, family, told));
        }
        blocks.table(parts(suite, family));
        for series in measures.series {
            blocks.figures(lines(suite, family, series));
        }
        blocks.figures(heat(suite, family));
    }
    if !blocks.blocks.is_empty() {
        document.heading(3, "Other measures");
        document.blocks.append(&mut blocks.blocks);
    }
}

/// The cells of a family.
fn cells<'a>(suite: &'a Suite, family: &Family) -> Vec<(Place, &'a Cell)> {
    suite.cells.iter().filter(|(place, _)| suite.family(place.0) == family.name).map(|(&p, c)| (p, c)).collect()
}

fn label(suite: &Suite, (task, condition, agent): Place) -> Vec<String> {
    let task = &suite.protocol.tasks[task];
    vec![plain(&task.name), plain(&task.conditions[condition].name), plain(&suite.agents[agent])]
}

/// The measures that the records of a family hold.
fn table(suite: &Suite, family: &Family, measures: &[Measure]) -> Table {
    let cells = cells(suite, family);
    let has = |name: &str| cells.iter().any(|(_, cell)| cell.recorded.records.iter().any(|r| r.value(name).is_some()));
    let measures: Vec<&Measure> = measures.iter().filter(|m| has(m.metric)).collect();
    let names = measures.iter().map(|m| m.name);
    let columns: Vec<&str> = ["task", "condition", "agent"].into_iter().chain(names).collect();
    let mut table = Table::new(format!("{}, with 95 % intervals", family.measures.caption), 3, &columns);
    // One measure alone is the score again.
    for &(place, _) in cells.iter().filter(|_| measures.len() > 1) {
        let mut row = label(suite, place);
        row.extend(measures.iter().map(|measure| {
            let value = suite.metric(place, measure.metric, |_| true);
            if measure.share { percent(value) } else { measured(value) }
        }));
        table.rows.push(row);
        // What was made for one agent has a floor and a ceiling of its own, in every measure.
        for (name, player) in suite.own_players.get(&place).into_iter().flatten() {
            let mut row = label(suite, place);
            row[2] = format!("{} on its problems", code(name));
            row.extend(measures.iter().map(|measure| {
                let value = player.scored(measure.metric, |_| true).measured();
                if measure.share { percent(value) } else { measured(value) }
            }));
            table.rows.push(row);
        }
    }
    table
}

/// The same as papers print it: mean and standard deviation over runs, where there are several.
fn deviations(suite: &Suite, family: &Family, measures: &[Measure]) -> Table {
    let names = measures.iter().map(|m| m.name);
    let columns: Vec<&str> = ["task", "condition", "agent", "runs"].into_iter().chain(names).collect();
    let caption = format!("{}: mean ± standard deviation over runs, as papers print them", family.measures.caption);
    let mut table = Table::new(caption, 3, &columns);
    for (place, cell) in cells(suite, family) {
        let runs = |metric: &str| cell.scored(metric, |_| true).scores();
        let most = measures.iter().map(|m| runs(m.metric).len()).max().unwrap_or(0);
        if most < 2 {
            continue;
        }
        let mut row = label(suite, place);
        row.push(most.to_string());
        row.extend(measures.iter().map(|measure| {
            let factor = if measure.share { 100.0 } else { 1.0 };
            let runs: Vec<f64> = runs(measure.metric).iter().map(|x| factor * x).collect();
            let Some(mean) = average(&runs) else { return "–".to_owned() };
            let squares: f64 = runs.iter().map(|x| (x - mean) * (x - mean)).sum();
            format!("{mean:.2} ± {:.2}", (squares / runs.len() as f64).sqrt())
        }));
        table.rows.push(row);
    }
    table
}

/// Why episodes fail, where the records tell.
fn causes(suite: &Suite, family: &Family, told: &Causes) -> Table {
    let names = told.causes.iter().map(|cause| cause.name);
    let columns: Vec<&str> = ["task", "condition", "agent", "failed"].into_iter().chain(names).collect();
    let mut table = Table::new(told.caption, 3, &columns);
    for (place, cell) in cells(suite, family) {
        let failed = |r: &&Record| r.value(told.success) == Some(0.0) && r.trace.is_some();
        let n = cell.recorded.records.iter().filter(failed).count();
        if n == 0 {
            continue;
        }
        let mut row = label(suite, place);
        row.push(format!("{n} of {}", cell.recorded.records.len()));
        row.extend(told.causes.iter().map(|cause| {
            let is = |r: &Record| Some(r.trace.as_ref()?.last.get(cause.metric)? == &f64::from(cause.value));
            percent(suite.share(place, |r| is(r).filter(|_| failed(&r))))
        }));
        table.rows.push(row);
    }
    table
}

/// Scores by part of the problem set, of tasks that ask for it by their tags.
fn parts(suite: &Suite, family: &Family) -> Table {
    let mut table = Table::new(
        "Scores by part of the problems, with 95 % intervals",
        4,
        &["task", "condition", "agent", "part", "problems", "score"],
    );
    for (place, cell) in cells(suite, family) {
        let task = &suite.protocol.tasks[place.0];
        if !task.tags.iter().any(|t| t.starts_with("by-")) {
            continue;
        }
        let mut left_out = |tag: &str, reason: &str| {
            let mut row = label(suite, place);
            row.extend([plain(tag), "–".to_owned(), format!("left out: {}", plain(reason))]);
            table.rows.push(row);
        };
        let Some(parts) = suite.parts(place) else {
            task.tags.iter().filter(|t| t.starts_with("by-")).for_each(|tag| left_out(tag, "the data are not at hand"));
            continue;
        };
        for (tag, reason) in parts.left_out().into_iter().filter(|(tag, _)| task.tags.iter().any(|own| own == tag)) {
            left_out(tag, reason);
        }
        for (_, part) in parts.names().into_iter().filter(|(tag, _)| task.tags.iter().any(|own| own == tag)) {
            let holds = |problem: Option<u32>| problem.and_then(|p| parts.holds(part, p)).unwrap_or(false);
            let mut problems: Vec<u32> =
                cell.recorded.records.iter().filter_map(|r| r.problem).filter(|p| holds(Some(*p))).collect();
            problems.sort_unstable();
            problems.dedup();
            if problems.is_empty() {
                continue;
            }
            let score = suite.metric(place, &task.metric, |r| holds(r.problem));
            let mut row = label(suite, place);
            row.extend([plain(part), problems.len().to_string(), measured(score)]);
            table.rows.push(row);
        }
    }
    table
}

/// Metrics numbered from 1 as lines, one per condition.
fn lines(suite: &Suite, family: &Family, series: &Series) -> Vec<Figure> {
    let mut figures = Vec::new();
    let tasks = suite.protocol.tasks.iter().enumerate();
    for (t, task) in tasks.filter(|(t, _)| suite.family(*t) == family.name) {
        for (a, agent) in suite.agents.iter().enumerate() {
            let (mut lines, mut short) = (Vec::new(), Vec::new());
            for (c, condition) in task.conditions.iter().enumerate() {
                let Some(cell) = suite.cells.get(&(t, c, a)) else { continue };
                match numbered(cell, series.prefix) {
                    Some(Numbered { length, reached, of, points }) if length > 1 => {
                        let name = format!("{}: {length} in {reached} of {}", condition.name, count(of, "episode"));
                        lines.push(Line { name, points, level: None });
                    }
                    Some(_) => short.push(plain(&condition.name)),
                    None => {}
                }
            }
            if !lines.is_empty() {
                let title = format!("{}, {agent}: {}", task.name, series.title);
                let mut caption = format!(
                    "{}: {} Each line is of the same episodes from end to end: it goes as far as at least half of all \
                     episodes do, and leaves out the others.",
                    plain(&title),
                    series.caption
                );
                if !short.is_empty() {
                    caption += &format!(" Fewer than half get to a second in {}.", short.join(", "));
                }
                figures.push(Figure { caption, svg: plots::lines(&title, series.axes, &lines) });
            }
        }
    }
    figures
}

/// Numbered metrics of one cell, over the same episodes throughout: a mean over whoever gets to each number would be of
/// fewer and better episodes from number to number, and fall for that reason alone.
struct Numbered {
    /// How many numbers at least half of the episodes get to.
    length: u32,
    /// How many episodes get that far.
    reached: usize,
    /// How many there are.
    of: usize,
    /// Number, mean, and the ends of its interval.
    points: Vec<(f64, f64, f64, f64)>,
}

fn numbered(cell: &Cell, prefix: &str) -> Option<Numbered> {
    let records = &cell.recorded.records;
    let name = |k: u32| format!("{prefix}{k}");
    // What is weighed by nothing was not reached.
    let told = |record: &Record, k: u32| {
        let weight = cell.recorded.header.weights.get(&name(k)).map_or(Some(1.0), |weight| record.value(weight));
        record.value(&name(k)).is_some() && weight != Some(0.0)
    };
    let names = records.iter().flat_map(|record| record.metrics.keys());
    let most = names.filter_map(|name| name.strip_prefix(prefix)?.parse::<u32>().ok()).max()?;
    let reached = |k: u32| records.iter().filter(|record| (1..=k).all(|k| told(record, k))).count();
    let length = (1..=most).take_while(|&k| 2 * reached(k) >= records.len()).last().unwrap_or(0);
    let point = |k: u32| {
        let m = cell.scored(&name(k), |record| (1..=length).all(|k| told(record, k))).measured()?;
        let (low, high) = m.interval.map_or((m.value, m.value), |i| (i.low, i.high));
        Some((f64::from(k), m.value, low, high))
    };
    Some(Numbered {
        length,
        reached: reached(length),
        of: records.len(),
        points: (1..=length).filter_map(point).collect(),
    })
}

/// Which places of a grid were chosen, where the records hold actions.
fn heat(suite: &Suite, family: &Family) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (place, cell) in cells(suite, family) {
        let header = &cell.recorded.header;
        let mut actions = cell.recorded.records.iter().filter_map(|r| Some(r.trace.as_ref()?.actions.as_slice()));
        let Some(grid) = (family.measures.heat)(&header.id, &header.config, &mut actions) else { continue };
        if grid.counts.iter().all(|&n| n == 0) {
            continue;
        }
        let task = &suite.protocol.tasks[place.0];
        let title =
            format!("{}, {}, {}: chosen cells", task.name, task.conditions[place.1].name, suite.agents[place.2]);
        let caption = format!("{}; the darker, the more often. Columns 0 to {}.", plain(&title), grid.columns - 1);
        figures.push(Figure { caption, svg: plots::cells(&title, (grid.columns, grid.rows), &grid.counts) });
    }
    figures
}
