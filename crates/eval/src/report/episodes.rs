//! From a cell to its episodes: the best, the middle and the worst of each, and pictures of them.

use std::collections::BTreeMap;

use super::document::{Block, Document, Table, code, plain};
use super::film::{Film, MOMENTS, Player, film};
use super::words::{count, number};
use crate::records::Record;
use crate::results::{Cell, ORACLE, Place, RANDOM, Suite};

/// Pictures of a report at the most.
const MOST_PICTURES: usize = 600;
/// Bytes of them at the most.
const MOST_BYTES: usize = 3 << 20;
/// Steps that are played again for them at the most.
const MOST_STEPS: u64 = 200_000;

/// Which episode of a cell it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Which {
    Best,
    Middle,
    Worst,
    /// All score alike.
    Any,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Middle => "middle",
            Self::Worst => "worst",
            Self::Any => "any: all score alike",
        }
    }
}

/// The anchor of a cell's episodes.
pub(super) fn anchor(suite: &Suite, (task, condition, agent): Place) -> String {
    let sign = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = suite.protocol.name.chars().map(sign).collect();
    format!("episodes-of-{name}-{task}-{condition}-{agent}")
}

/// The best, the middle and the worst by what is scored; one if all score alike.
fn chosen<'a>(suite: &Suite, (task, ..): Place, cell: &'a Cell) -> Vec<(Which, &'a Record)> {
    let of = &suite.protocol.tasks[task];
    let mut scored: Vec<(f64, &Record)> =
        cell.recorded.records.iter().filter_map(|record| Some((record.value(&of.metric)?, record))).collect();
    // Of several that score alike, the first.
    scored.sort_by(|a, b| if of.higher_is_better { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) });
    let (Some(&best), Some(last)) = (scored.first(), scored.last()) else { return Vec::new() };
    let Some(&worst) = scored.iter().find(|(score, _)| *score == last.0) else { return Vec::new() };
    if best.0 == worst.0 {
        return vec![(Which::Any, best.1)];
    }
    let middle = scored[scored.len() / 2];
    let all = [(Which::Best, best), (Which::Middle, middle), (Which::Worst, worst)];
    let apart =
        |(which, (score, _)): &(Which, (f64, &Record))| *which != Which::Middle || ![best.0, worst.0].contains(score);
    all.into_iter().filter(apart).map(|(which, (_, record))| (which, record)).collect()
}

/// How much is left of what a report may hold and cost.
pub(super) struct Budget {
    pictures: usize,
    bytes: usize,
    steps: u64,
}

impl Budget {
    /// That of one of `suites`.
    pub(super) fn share(suites: usize) -> Self {
        let n = suites.max(1);
        Self { pictures: MOST_PICTURES / n, bytes: MOST_BYTES / n, steps: MOST_STEPS / n as u64 }
    }

    fn allows(&self, steps: u64) -> bool {
        self.pictures >= MOMENTS && self.bytes > 0 && self.steps >= steps
    }

    fn spend(&mut self, film: &Film, steps: u64) {
        self.pictures = self.pictures.saturating_sub(film.pictures.len());
        self.bytes = self.bytes.saturating_sub(film.pictures.iter().map(|p| p.png.len()).sum());
        self.steps = self.steps.saturating_sub(steps);
    }
}

/// The films of a suite.
#[derive(Default)]
struct Films {
    made: BTreeMap<(Place, Which), Film>,
    /// For how many there is no room.
    left_out: usize,
    /// How many episodes cannot be played again.
    lost: usize,
}

/// The films of a suite, as far as the budget goes: every cell has that of its worst
/// episode before any has two, and every task one before any has two.
fn films(suite: &Suite, mut budget: Budget) -> Films {
    let mut wanted: Vec<(usize, Place, Which, &Cell, &Record)> = Vec::new();
    let mut turns: BTreeMap<(usize, bool), usize> = BTreeMap::new();
    // Agents under test before those that the scale is made of, and what is held out before training.
    let mut cells: Vec<(Place, &Cell)> = suite.cells.iter().map(|(&place, cell)| (place, cell)).collect();
    cells.sort_by_key(|(place, _)| {
        ([RANDOM, ORACLE].contains(&suite.agents[place.2].as_str()), !suite.held_out(place.0, place.1), *place)
    });
    for (place, cell) in cells {
        let turn = |second: bool, turns: &mut BTreeMap<(usize, bool), usize>| {
            let next = turns.entry((place.0, second)).or_default();
            *next += 1;
            *next + if second { suite.cells.len() } else { 0 }
        };
        let mut own = chosen(suite, place, cell);
        own.reverse();
        for (i, (which, record)) in own.into_iter().filter(|(which, _)| *which != Which::Middle).enumerate() {
            wanted.push((turn(i > 0, &mut turns), place, which, cell, record));
        }
    }
    wanted.sort_by_key(|&(turn, place, which, ..)| (turn, place, which));
    let mut films = Films::default();
    for (_, place, which, cell, record) in wanted {
        // What was measured without playing has no steps.
        if record.length == 0 {
            continue;
        }
        if !budget.allows(record.length) {
            films.left_out += 1;
            continue;
        }
        match film(&cell.recorded.header, record) {
            Some(found) => {
                budget.spend(&found, record.length);
                films.made.insert((place, which), found);
            }
            None => films.lost += 1,
        }
    }
    films
}

/// Writes the episodes of a suite: folded, a part for each task and condition.
pub(super) fn write(document: &mut Document, suite: &Suite, budget: Budget) {
    let mut films = films(suite, budget);
    let mut parts: Vec<Block> = Vec::new();
    for (t, task) in suite.protocol.tasks.iter().enumerate() {
        for (c, condition) in task.conditions.iter().enumerate() {
            let mut table = Table::new(
                format!("Episodes of {}, {}", plain(&task.name), plain(&condition.name)),
                2,
                &["agent", "episode", "run seed", "number", "problem", "score", "return", "steps", "end"],
            );
            table.columns[5] = code(&task.metric);
            table.words = vec![8];
            let (mut shown, mut agents) = (Vec::new(), Vec::new());
            for (a, agent) in suite.agents.iter().enumerate() {
                let place = (t, c, a);
                let Some(cell) = suite.cells.get(&place) else { continue };
                for (i, (which, record)) in chosen(suite, place, cell).into_iter().enumerate() {
                    table.rows.push(row(agent, which, record, &task.metric));
                    table.anchors.push(if i == 0 { anchor(suite, place) } else { String::new() });
                    if i == 0 {
                        agents.push(plain(agent));
                    }
                    if let Some(film) = films.made.remove(&(place, which)) {
                        show(&mut shown, agent, which, record, film);
                    }
                }
            }
            let half = if condition.held_out { "held out" } else { "training" };
            let title = format!("{}, {} ({half}): {}", plain(&task.name), plain(&condition.name), agents.join(", "));
            let mut inner = Document::default();
            inner.table(table);
            if !inner.blocks.is_empty() {
                inner.blocks.append(&mut shown);
                parts.push(Block::Folded(title, inner.blocks));
            }
        }
    }
    if parts.is_empty() {
        return;
    }
    document.heading(3, "Episodes");
    let mut text =
        "The best, the middle and the worst episode of each cell by what is scored, and of the best and the worst up \
                    to four moments that differ most."
            .to_owned();
    if films.left_out > 0 {
        text += &format!(" Pictures of {} are left out to keep the page small.", count(films.left_out, "episode"));
    }
    if films.lost > 0 {
        text += &format!(
            " There are none of {} that cannot be played again here: their problems were made for these records alone, or \
             their data are not at hand.",
            count(films.lost, "episode")
        );
    }
    document.paragraph(text);
    document.blocks.append(&mut parts);
}

fn row(agent: &str, which: Which, record: &Record, metric: &str) -> Vec<String> {
    let whole = |x: f64| if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x:.0}") } else { number(x) };
    vec![
        plain(agent),
        which.name().to_owned(),
        record.seed.to_string(),
        record.episode.to_string(),
        record.problem.map_or(String::new(), |problem| problem.to_string()),
        record.value(metric).map_or(String::new(), whole),
        // The score again, where the return is what is scored.
        if metric == "return" { String::new() } else { whole(record.r#return) },
        if metric == "length" { String::new() } else { record.length.to_string() },
        format!("{:?}", record.status).to_lowercase(),
    ]
}

fn show(blocks: &mut Vec<Block>, agent: &str, which: Which, record: &Record, film: Film) {
    let which = if which == Which::Any { "an" } else { which.name() };
    let name = plain(agent);
    let mut caption = format!("**{name}**, {which} episode (run seed {}, number {}).", record.seed, record.episode);
    caption += &match film.player {
        Player::Itself => String::new(),
        Player::Other(policy) => {
            format!(
                " The records do not say what {name} did: seen here is the same episode as {} plays it.",
                code(policy)
            )
        }
        Player::Instead(policy) => format!(
            " What was recorded does not come out again with this build: seen here is the same episode as {} plays it.",
            code(policy)
        ),
    };
    blocks.push(Block::Pictures(caption, film.pictures));
    if film.told.len() > 1 {
        let title = format!("Step by step: action and state of {name} in that episode");
        blocks.push(Block::Folded(title, vec![Block::Code(film.told.join("\n"))]));
    }
}
