//! What in records does not fit together, or not with the protocol and its scales: said by name at the top of a report.

use std::collections::BTreeMap;

use heldout_envs::find;
use serde_json::Value;

use crate::protocol::Kind;
use crate::records::{BACKEND, Header, Recorded};
use crate::results::{Cell, ORACLE, Suite, scripted};
use crate::scales::{Scale, Score};

/// How many standard errors a scripted policy may be away from what its scale says.
const FAR: f64 = 5.0;
/// How far they may be apart for being rounded.
const NEAR: f64 = 1e-6;

/// Where a file of records belongs, in words.
pub(crate) fn place(header: &Header) -> String {
    format!("`{}` in {} / {} / {}", header.agent, header.protocol, header.task, header.condition)
}

/// Says that records of several builds stand side by side.
pub(crate) fn builds(records: &[Recorded]) -> Option<String> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for recorded in records {
        // What an agent computes with is its own: builds are of the program.
        let mut header = recorded.header.clone();
        header.build.features.retain(|feature| !feature.starts_with(BACKEND));
        for build in [header.build_text()].iter().chain(&header.continued_by) {
            *found.entry(build.clone()).or_default() += 1;
        }
    }
    (found.len() > 1).then(|| {
        let all: Vec<String> = found
            .iter()
            .map(|(build, files)| format!("{build} ({files} file{})", if *files == 1 { "" } else { "s" }))
            .collect();
        format!("Records of {} builds stand side by side: {}.", all.len(), all.join("; "))
    })
}

/// All that is odd in one suite.
pub(crate) fn of_suite(suite: &Suite) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(other_text(suite));
    for (&at_cell, cell) in &suite.cells {
        let (task, condition, _) = at_cell;
        let header = &cell.recorded.header;
        let (of, at) = (&suite.protocol.tasks[task], &suite.protocol.tasks[task].conditions[condition]);
        if suite.known && header.held_out != at.held_out {
            let (said, is) = if at.held_out { ("training", "held out") } else { ("held out", "training") };
            notes.push(format!("{}: recorded as {said}, but the protocol says {is}.", place(header)));
        }
        if suite.known && !matches!(of.kind, Kind::Own { .. }) {
            notes.extend(other_config(cell, &of.overrides(at)).map(|odd| format!("{}: {odd}.", place(header))));
        }
        notes.extend(
            suite.scale(at_cell).and_then(|scale| far(cell, scale)).map(|odd| format!("{}: {odd}.", place(header))),
        );
    }
    notes.extend(twins(suite));
    notes
}

/// Says that records were made under another text of the protocol than the one they are read with.
fn other_text(suite: &Suite) -> Option<String> {
    let ours = suite.protocol.hash();
    let headers = suite.cells.values().map(|cell| &cell.recorded.header);
    let mut theirs: Vec<&str> = headers.map(|h| h.protocol_hash.as_str()).filter(|hash| *hash != ours).collect();
    theirs.sort_unstable();
    theirs.dedup();
    (suite.known && !theirs.is_empty()).then(|| {
        format!(
            "{} was played under another text of the protocol ({}) than the one at hand ({ours}).",
            suite.protocol.name,
            theirs.join(", ")
        )
    })
}

/// A key of the condition under which something else was recorded.
fn other_config(cell: &Cell, asked: &serde_json::Map<String, Value>) -> Option<String> {
    let header = &cell.recorded.header;
    let entry = find(&header.id).ok()?;
    let whole = entry.configure(asked).ok()?;
    // How someone sees and acts is theirs to choose.
    let views = |key: &&String| entry.about.views.iter().chain(entry.about.aids).any(|view| view == key);
    asked.keys().filter(|key| !views(key)).find_map(|key| {
        let (ours, theirs) = (whole.get(key)?, header.config.get(key)?);
        (ours != theirs).then(|| format!("recorded with `{key}` = `{theirs}`, where the protocol has `{ours}`"))
    })
}

/// A scripted policy that does not score what its scale says.
fn far(cell: &Cell, scale: &Scale) -> Option<String> {
    let header = &cell.recorded.header;
    let score: &Score = scale.played().find(|score| plays(&header.policy, &score.policy))?;
    if !scripted(header) {
        return None;
    }
    let (mean, own, known) = (cell.stratum.mean()?, cell.stratum.error()?, score.error.unwrap_or(0.0));
    // A few episodes may all score the same by chance: the scale knows better how far they spread.
    let spread = known * (score.episodes as f64 / cell.recorded.records.len().max(1) as f64).sqrt();
    let error = own.max(spread).hypot(known);
    let apart = (mean - score.mean).abs();
    (apart > FAR * error && apart > NEAR * score.mean.abs().max(1.0)).then(|| {
        format!(
            "scores {mean:.4} here, where the scale says {:.4} of `{}`: the records, or the code, are not those of the scale",
            score.mean, score.policy
        )
    })
}

/// Whether the policies of `seats` are `name` and, beside it, the best partners.
fn plays(seats: &str, name: &str) -> bool {
    let mut names = seats.split(',').map(|part| part.split_once('=').map_or(part, |(_, name)| name));
    names.clone().any(|policy| policy == name) && names.all(|policy| policy == name || policy == ORACLE)
}

/// Agents of two labels whose records are the same.
fn twins(suite: &Suite) -> Vec<String> {
    let mut notes = Vec::new();
    for (i, first) in suite.agents.iter().enumerate() {
        for (j, second) in suite.agents.iter().enumerate().skip(i + 1) {
            let cells = |agent: usize| suite.cells.iter().filter(move |((_, _, a), _)| *a == agent);
            let same = |((t, c, _), cell): (&(usize, usize, usize), &Cell)| {
                let other = suite.cells.get(&(*t, *c, j));
                let told = |cell: &Cell| !cell.recorded.records.is_empty();
                other.is_some_and(|other| told(cell) && other.recorded.records == cell.recorded.records)
                    // One scripted policy under two labels is no accident.
                    && !scripted(&cell.recorded.header)
            };
            if cells(i).count() > 0 && cells(i).count() == cells(j).count() && cells(i).all(same) {
                notes.push(format!("`{first}` and `{second}` have the same records: one policy under two labels."));
            }
        }
    }
    notes
}
