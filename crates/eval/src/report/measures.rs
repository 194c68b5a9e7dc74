//! What a family measures beside its score: rollouts and errors, parts of the problems, arrivals, chosen cells.

use heldout_envs::lilgym::{Cause, End};

use super::document::{Document, Figure, Table, plain};
use super::plots::{self, Line};
use super::words::{measured, percent};
use crate::chosen::Grid;
use crate::records::Record;
use crate::results::{Place, Suite};

/// A metric of the records, what to call it, and whether it is a share.
type Measure = (&'static str, &'static str, bool);

/// HALMA's three ratios.
const HALMA: &[Measure] = &[
    ("rho_a", "invalid moves (rho_a)", true),
    ("rho_g", "goals reached (rho_g)", true),
    ("rho_p", "efficiency (rho_p)", true),
];
/// S2B's accuracies and language metrics.
const S2B: &[Measure] = &[
    ("support_accuracy", "support accuracy", true),
    ("zsct_accuracy", "zero-shot accuracy", true),
    ("shot1_accuracy", "accuracy, shot 1", true),
    ("shot2_accuracy", "accuracy, shot 2", true),
    ("topsim", "topographic similarity", false),
    ("posdis", "positional disentanglement", false),
    ("bosdis", "bag-of-symbols disentanglement", false),
];
/// lilGym's rollout statistics (the paper's Figure 3).
const ROLLOUTS: &[Measure] = &[
    ("success", "success", true),
    ("no_stop", "horizon without STOP", true),
    ("invalid", "invalid action", true),
    ("actions", "actions", false),
    ("add_share", "ADD", true),
    ("remove_share", "REMOVE", true),
];
/// How lilGym's episodes fail (the paper's section 5.3 and appendix D.1): the step metrics of the last step that tell,
/// their value, and what it means.
const CAUSES: &[(&str, u8, &str)] = &[
    ("end", End::Early as u8, "STOP before any edit"),
    ("end", End::Wrong as u8, "STOP at the wrong time"),
    ("end", End::Horizon as u8, "no STOP"),
    ("invalid_cause", Cause::Separator as u8, "on a separator"),
    ("invalid_cause", Cause::CannotFit as u8, "cannot fit"),
    ("invalid_cause", Cause::Nothing as u8, "nothing to remove"),
    ("invalid_cause", Cause::Onto as u8, "onto another object"),
];
/// What the metrics begin with that count the steps to the first, second and later arrivals: `arrival_1` and so on.
const ARRIVAL: &str = "arrival_";

/// Writes what the suite's families measure beside their scores.
pub(super) fn write(document: &mut Document, suite: &Suite) {
    let tables = [
        ("halma", "HALMA's ratios in percent", HALMA),
        ("s2b", "S2B: accuracies in percent, language metrics as they are", S2B),
        ("lilgym", "lilGym's rollouts: shares in percent, and actions an episode", ROLLOUTS),
    ];
    let mut blocks = Document::default();
    for (family, caption, measures) in tables {
        blocks.table(table(suite, family, caption, measures));
    }
    blocks.table(causes(suite));
    blocks.table(parts(suite));
    blocks.figures(arrivals(suite));
    blocks.figures(chosen(suite));
    if !blocks.blocks.is_empty() {
        document.heading(3, "Other measures");
        document.blocks.append(&mut blocks.blocks);
    }
}

fn label(suite: &Suite, (task, condition, agent): Place) -> Vec<String> {
    let task = &suite.protocol.tasks[task];
    vec![plain(&task.name), plain(&task.conditions[condition].name), plain(&suite.agents[agent])]
}

/// The measures that the records of a family hold.
fn table(suite: &Suite, family: &str, caption: &str, measures: &[Measure]) -> Table {
    let places: Vec<Place> = suite.cells.keys().filter(|p| suite.family(p.0) == family).copied().collect();
    let has =
        |name: &str| places.iter().any(|p| suite.cells[p].recorded.records.iter().any(|r| r.value(name).is_some()));
    let measures: Vec<&Measure> = measures.iter().filter(|m| has(m.0)).collect();
    let columns: Vec<&str> = ["task", "condition", "agent"].into_iter().chain(measures.iter().map(|m| m.1)).collect();
    let mut table = Table::new(format!("{caption}, with 95 % intervals"), 3, &columns);
    // One measure alone is the score again.
    for &place in places.iter().filter(|_| measures.len() > 1) {
        let mut row = label(suite, place);
        row.extend(measures.iter().map(|(name, _, share)| {
            let value = suite.metric(place, name, |_| true);
            if *share { percent(value) } else { measured(value) }
        }));
        table.rows.push(row);
    }
    table
}

/// Why lilGym's episodes fail, where the records tell.
fn causes(suite: &Suite) -> Table {
    let names = CAUSES.iter().map(|(_, _, name)| *name);
    let columns: Vec<&str> = ["task", "condition", "agent", "failed"].into_iter().chain(names).collect();
    let caption = "How lilGym's episodes fail: percent of those that failed, with 95 % intervals; the last four are \
                   invalid actions";
    let mut table = Table::new(caption, 3, &columns);
    for (&place, cell) in suite.cells.iter().filter(|(place, _)| suite.family(place.0) == "lilgym") {
        let failed = |r: &&Record| r.value("success") == Some(0.0) && r.trace.is_some();
        let n = cell.recorded.records.iter().filter(failed).count();
        if n == 0 {
            continue;
        }
        let mut row = label(suite, place);
        row.push(format!("{n} of {}", cell.recorded.records.len()));
        row.extend(CAUSES.iter().map(|(metric, value, name)| {
            let told = |r: &Record| Some(f64::from(r.trace.as_ref()?.last.get(*metric)? == &f64::from(*value)));
            percent(suite.derived(place, name, |r| told(r).filter(|_| failed(&r))))
        }));
        table.rows.push(row);
    }
    table
}

/// Success by target and by category, of tasks that ask for it by their tags.
fn parts(suite: &Suite) -> Table {
    let mut table = Table::new(
        "Scores by part of the problems: what is to be reached, and category of statement; with 95 % intervals",
        4,
        &["task", "condition", "agent", "part", "problems", "score"],
    );
    for (&place, cell) in &suite.cells {
        let task = &suite.protocol.tasks[place.0];
        let tags = &task.tags;
        let wanted = |part: &str| {
            let tag = if part.starts_with("target=") { "by-target" } else { "by-category" };
            tags.iter().any(|t| t == tag)
        };
        if !tags.iter().any(|t| t.starts_with("by-")) {
            continue;
        }
        let Some(parts) = suite.parts(place) else { continue };
        for part in parts.names().into_iter().filter(|part| wanted(part)) {
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

/// Steps to the first, second and later arrivals, a line a condition.
fn arrivals(suite: &Suite) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (t, task) in suite.protocol.tasks.iter().enumerate() {
        for (a, agent) in suite.agents.iter().enumerate() {
            let mut lines = Vec::new();
            for (c, condition) in task.conditions.iter().enumerate() {
                let Some(cell) = suite.cells.get(&(t, c, a)) else { continue };
                let names = cell.recorded.records.iter().flat_map(|r| r.metrics.keys());
                let mut arrivals: Vec<u32> = names.filter_map(|n| n.strip_prefix(ARRIVAL)?.parse().ok()).collect();
                arrivals.sort_unstable();
                arrivals.dedup();
                let point = |&k: &u32| {
                    let m = suite.metric((t, c, a), &format!("{ARRIVAL}{k}"), |_| true)?;
                    let (low, high) = m.interval.map_or((m.value, m.value), |i| (i.low, i.high));
                    Some((f64::from(k), m.value, low, high))
                };
                let points: Vec<_> = arrivals.iter().filter_map(point).collect();
                if !points.is_empty() {
                    lines.push(Line { name: condition.name.clone(), points });
                }
            }
            if !lines.is_empty() {
                let title = format!("{}, {agent}: steps to each arrival", task.name);
                let caption = format!(
                    "{}: steps from one arrival at the goal to the next. A fall after the first says that the place is \
                     remembered. Bands are 95 % intervals.",
                    plain(&title)
                );
                figures.push(Figure { caption, svg: plots::lines(&title, ("arrival", "steps"), &lines) });
            }
        }
    }
    figures
}

/// Which cells of SCATTER's grid were chosen (the paper's Figures 6 and 7).
fn chosen(suite: &Suite) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (&place, cell) in &suite.cells {
        let Some(grid) = Grid::of(&cell.recorded) else { continue };
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
