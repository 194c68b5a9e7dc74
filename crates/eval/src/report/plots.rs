//! The drawings of a report. All are narrow enough to be read on a phone as they are.

use super::svg::{Anchor, BREAKS, LEADING, Svg, width, wrapped};
use super::words::{count, number, points};
use crate::results::Measured;

/// Width of every drawing.
const WIDTH: f64 = 360.0;
/// Room at the left of a plot.
const LEFT: f64 = 44.0;
/// Height of a plot's own area.
const PLOT: f64 = 200.0;
/// Height of a line of text.
const LINE: f64 = 16.0;
/// Room for names beside bars.
const NAMES: f64 = 104.0;
/// Room for numbers at the end of a row.
const NUMBERS: f64 = 52.0;

/// Values to places on paper.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Over all `values` and the two given, which it holds in any case.
    fn over(values: impl Iterator<Item = f64>, (low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let (low, high) = values.fold((low, high), |(low, high), x| (low.min(x), high.max(x)));
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, from, to }
    }

    fn at(self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }

    /// Round values to write beside it: about four; its ends where there are none between them.
    fn ticks(self) -> Vec<f64> {
        let raw = (self.high - self.low) / 4.0;
        if !(raw.is_normal() && raw > 0.0) {
            return vec![self.low, self.high];
        }
        let mut unit = 1.0;
        while unit > raw {
            unit /= 10.0;
        }
        while unit * 10.0 <= raw {
            unit *= 10.0;
        }
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * unit).find(|s| *s >= raw).unwrap_or(unit);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last.min(first.saturating_add(20))).map(|n| n as f64 * step).collect()
    }
}

/// The ends of a number's interval, or the number itself twice.
fn ends(measured: &Measured) -> (f64, f64) {
    measured.interval.map_or((measured.value, measured.value), |i| (i.low, i.high))
}

/// Height of a row whose name has these lines.
fn row_height(lines: &[String]) -> f64 {
    lines.len() as f64 * LEADING + 4.0
}

/// One condition of a task.
pub(super) struct Group {
    pub(super) label: String,
    /// Number and name of the agent, and its score.
    pub(super) bars: Vec<(usize, String, Measured)>,
}

/// Bars with intervals, one group a condition. Normalised scores are shown in percent.
pub(super) fn bars(title: &str, groups: &[Group], normalised: bool) -> String {
    let (from, to) = (NAMES + 8.0, WIDTH - NUMBERS);
    let values = || groups.iter().flat_map(|g| &g.bars).map(|(_, _, m)| m);
    let all = values().flat_map(|m| [m.value, ends(m).0, ends(m).1]);
    let axis = Axis::over(all, (0.0, if normalised { 1.0 } else { 0.0 }), (from, to));
    let title_of = |group: &Group| wrapped(&group.label, WIDTH);
    let rows = |group: &Group| -> f64 { group.bars.iter().map(|(_, name, _)| row_height(&wrapped(name, NAMES))).sum() };
    let height = |group: &Group| title_of(group).len() as f64 * LEADING + 8.0 + rows(group);
    let bottom = groups.iter().map(height).sum::<f64>() + 4.0;
    let mut svg = Svg::new(WIDTH, bottom + 2.0 * LINE + 4.0);
    let shown = |x: f64| if normalised { points(x) } else { number(x) };
    for tick in axis.ticks() {
        svg.line("grid", (axis.at(tick), 0.0), (axis.at(tick), bottom));
        svg.text("pale", Anchor::Middle, (axis.at(tick), bottom + 14.0), &shown(tick));
    }
    let (mut y, mut said) = (0.0, Vec::new());
    for group in groups {
        let title = title_of(group);
        svg.lines("", Anchor::Start, (0.0, y + 14.0), &title);
        y += title.len() as f64 * LEADING + 6.0;
        for (agent, name, measured) in &group.bars {
            let (zero, value) = (axis.at(0.0), axis.at(measured.value));
            let lines = wrapped(name, NAMES);
            svg.lines("pale", Anchor::End, (from - 8.0, y + 12.0), &lines);
            svg.bar(*agent, (zero.min(value), y + 2.0), ((value - zero).abs().max(1.0), 12.0));
            let (low, high) = ends(measured);
            svg.line("whisker", (axis.at(low), y + 8.0), (axis.at(high), y + 8.0));
            for end in [low, high] {
                svg.line("whisker", (axis.at(end), y + 4.0), (axis.at(end), y + 12.0));
            }
            svg.text("", Anchor::End, (WIDTH, y + 12.0), &shown(measured.value));
            said.push(format!("{}, {name}: {}", group.label, shown(measured.value)));
            y += row_height(&lines);
        }
        y += 2.0;
    }
    svg.line("axis", (axis.at(0.0), 0.0), (axis.at(0.0), bottom));
    let unit = if normalised { "percent of the way from floor to ceiling" } else { "score" };
    svg.text("pale", Anchor::Middle, (f64::midpoint(from, to), bottom + 14.0 + LINE), unit);
    svg.finish(title, &said.join("; "))
}

/// What one agent scores in one family.
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) train: Option<Measured>,
    pub(super) held_out: Option<Measured>,
}

impl Standing {
    fn scores(&self) -> impl Iterator<Item = Measured> {
        [self.train, self.held_out].into_iter().flatten()
    }
}

/// How far intervals are drawn beyond the scores and the ends of the scale.
const BEYOND: f64 = 0.25;

/// The part of the scale that pictures of all these standings show, so that they can be compared.
pub(super) fn span<'a>(all: impl Iterator<Item = &'a Standing>) -> (f64, f64) {
    let scores: Vec<Measured> = all.flat_map(Standing::scores).collect();
    let values = Axis::over(scores.iter().map(|m| m.value), (0.0, 1.0), (0.0, 1.0));
    let whole = Axis::over(scores.iter().flat_map(|m| [ends(m).0, ends(m).1]), (-0.05, 1.05), (0.0, 1.0));
    (whole.low.max(values.low - BEYOND), whole.high.min(values.high + BEYOND))
}

/// Training above what is held out for each agent, both with their intervals, between floor and ceiling.
pub(super) fn standings(title: &str, (low, high): (f64, f64), all: &[Standing]) -> String {
    const TOP: f64 = 36.0;
    let axis = Axis { low, high, from: NAMES + 12.0, to: WIDTH - 44.0 };
    let height = |lines: &[String]| row_height(lines).max(32.0) + 4.0;
    let names: Vec<Vec<String>> = all.iter().map(|standing| wrapped(&standing.name, NAMES)).collect();
    let bottom = TOP + names.iter().map(|lines| height(lines)).sum::<f64>();
    let mut svg = Svg::new(WIDTH, bottom + 2.0 * LINE + 2.0);
    for (x, held_out, name) in [(axis.from, false, "training"), (axis.from + 84.0, true, "held out")] {
        svg.score(held_out, (x + 5.0, 8.0));
        svg.text("", Anchor::Start, (x + 15.0, 12.0), name);
    }
    for tick in axis.ticks() {
        svg.line("grid", (axis.at(tick), TOP - 4.0), (axis.at(tick), bottom));
        svg.text("pale", Anchor::Middle, (axis.at(tick), bottom + 14.0), &points(tick));
    }
    for (end, name) in [(0.0, "floor"), (1.0, "ceiling")] {
        svg.line("axis", (axis.at(end), TOP - 4.0), (axis.at(end), bottom));
        svg.text("pale", Anchor::Middle, (axis.at(end), TOP - 8.0), name);
    }
    let (mut y, mut said) = (TOP, Vec::new());
    for (standing, lines) in all.iter().zip(&names) {
        svg.lines("", Anchor::End, (NAMES, y + if lines.len() == 1 { 19.0 } else { 12.0 }), lines);
        let heights = [(standing.train, y + 8.0), (standing.held_out, y + 23.0)];
        if let [(Some(train), above), (Some(held_out), below)] = heights {
            svg.line("lost", (axis.at(train.value), above), (axis.at(held_out.value), below));
        }
        for ((score, at), held_out) in heights.into_iter().zip([false, true]) {
            let Some(score) = score else { continue };
            let half = if held_out { "held out" } else { "training" };
            let (from, to) = ends(&score);
            svg.line(half.replace(' ', "-").as_str(), (axis.at(from.max(low)), at), (axis.at(to.min(high)), at));
            // An end that lies beyond the picture is an arrow, not a bar.
            for (end, beyond, towards) in [(from, from < low, 5.0), (to, to > high, -5.0)] {
                let x = axis.at(end.clamp(low, high));
                let back = if beyond { x + towards } else { x };
                svg.line(half.replace(' ', "-").as_str(), (back, at - 4.0), (x, if beyond { at } else { at + 4.0 }));
                if beyond {
                    svg.line(half.replace(' ', "-").as_str(), (back, at + 4.0), (x, at));
                }
            }
            svg.score(held_out, (axis.at(score.value), at));
            svg.text(if held_out { "" } else { "pale" }, Anchor::End, (WIDTH, at + 4.0), &points(score.value));
            said.push(format!(
                "{}, {half}: {} ({} to {})",
                standing.name,
                points(score.value),
                points(from),
                points(to)
            ));
        }
        y += height(lines);
    }
    let unit = "percent of the way from floor to ceiling";
    svg.text("pale", Anchor::Middle, (f64::midpoint(axis.from, axis.to), bottom + 14.0 + LINE), unit);
    svg.finish(title, &said.join("; "))
}

/// A frame with ticks on both sides.
struct Plot {
    svg: Svg,
    x: Axis,
    y: Axis,
    top: f64,
}

impl Plot {
    fn new(x: (f64, f64), y: (f64, f64), (across, up): (&str, &str), format: fn(f64) -> String) -> Self {
        let top = LINE + 4.0;
        let x = Axis { low: x.0, high: x.1, from: LEFT, to: WIDTH - 14.0 };
        let y = Axis { low: y.0, high: y.1, from: top + PLOT, to: top };
        let mut svg = Svg::new(WIDTH, top + PLOT + 3.0 * LINE);
        svg.text("pale", Anchor::Start, (0.0, 12.0), up);
        for tick in x.ticks() {
            svg.line("grid", (x.at(tick), top), (x.at(tick), top + PLOT));
            svg.text("pale", Anchor::Middle, (x.at(tick), top + PLOT + 14.0), &format(tick));
        }
        for tick in y.ticks() {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - 14.0, y.at(tick)));
            svg.text("pale", Anchor::End, (LEFT - 5.0, y.at(tick) + 4.0), &format(tick));
        }
        svg.line("axis", (LEFT, top + PLOT), (WIDTH - 14.0, top + PLOT));
        svg.line("axis", (LEFT, top), (LEFT, top + PLOT));
        svg.text("pale", Anchor::Middle, (f64::midpoint(LEFT, WIDTH), top + PLOT + 14.0 + LINE), across);
        Self { svg, x, y, top }
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// A line with markers, and the band around it.
    fn draw(&mut self, index: usize, line: &[(f64, f64)], band: &[(f64, f64, f64)], every: usize) {
        let upper = band.iter().map(|&(x, _, high)| self.at((x, high)));
        let lower = band.iter().rev().map(|&(x, low, _)| self.at((x, low)));
        let outline: Vec<_> = upper.chain(lower).collect();
        if outline.len() > 3 {
            self.svg.band(index, &outline);
        }
        let placed: Vec<_> = line.iter().map(|&p| self.at(p)).collect();
        self.svg.curve(index, &placed);
        for &point in placed.iter().skip(every / 2).step_by(every.max(1)) {
            self.svg.marker(index, point);
        }
    }

    /// Names of the series below the plot, and the end of the drawing.
    fn finish(self, names: &[(usize, String)], title: &str, description: &str) -> String {
        let Self { svg, top, .. } = self;
        let mut svg = svg;
        let mut y = top + PLOT + 2.0 * LINE + 14.0;
        // Two beside each other where every name has room.
        let half = (WIDTH - LEFT) / 2.0;
        let columns = if names.iter().all(|(_, name)| width(name) <= half - 38.0) { 2 } else { 1 };
        for (row, (index, name)) in names.iter().enumerate() {
            let x = LEFT + (row % columns) as f64 * half;
            svg.curve(*index, &[(x, y), (x + 24.0, y)]);
            svg.marker(*index, (x + 12.0, y));
            let lines = wrapped(name, WIDTH - x - 30.0);
            svg.lines("", Anchor::Start, (x + 30.0, y + 4.0), &lines);
            if (row + 1) % columns == 0 {
                y += lines.len() as f64 * LEADING + 2.0;
            }
        }
        svg.grow(y + if names.len().is_multiple_of(columns) { 0.0 } else { LINE });
        svg.finish(title, description)
    }
}

/// One agent's performance profile.
pub(super) struct Profile {
    pub(super) agent: usize,
    pub(super) name: String,
    /// Threshold, share of runs above it, and the interval of the share.
    pub(super) points: Vec<(f64, f64, f64, f64)>,
}

/// Performance profiles with bands.
pub(super) fn profiles(title: &str, all: &[Profile]) -> String {
    let axis = Axis::over(all.iter().flat_map(|p| &p.points).map(|p| p.0), (0.0, 1.0), (0.0, 1.0));
    let names = ("score above, percent of the way to the ceiling", "share of runs, percent");
    let mut plot = Plot::new((axis.low, axis.high), (0.0, 1.0), names, points);
    let mut said = Vec::new();
    for profile in all {
        let line: Vec<_> = profile.points.iter().map(|&(x, y, ..)| (x, y)).collect();
        let band: Vec<_> = profile.points.iter().map(|&(x, _, low, high)| (x, low, high)).collect();
        plot.draw(profile.agent, &line, &band, 10);
        let half = profile.points.iter().find(|p| p.0 >= 0.5).map_or(0.0, |p| p.1);
        said.push(format!("{}: {} percent of runs are above half-way", profile.name, points(half)));
    }
    let names: Vec<_> = all.iter().map(|p| (p.agent, p.name.clone())).collect();
    plot.finish(&names, title, &said.join("; "))
}

/// One agent's tasks: score in training, and on what is held out.
pub(super) struct Cloud {
    pub(super) agent: usize,
    pub(super) name: String,
    pub(super) tasks: Vec<(f64, f64)>,
}

/// Held-out scores over training scores; on the diagonal nothing is lost.
pub(super) fn scatter(title: &str, clouds: &[Cloud]) -> String {
    let all = clouds.iter().flat_map(|c| &c.tasks).flat_map(|&(a, b)| [a, b]);
    let axis = Axis::over(all, (0.0, 1.0), (0.0, 1.0));
    let names = ("training, percent of the way to the ceiling", "held out, percent");
    let span = (axis.low, axis.high);
    let mut plot = Plot::new(span, span, names, points);
    let (from, to) = (plot.at((axis.low, axis.low)), plot.at((axis.high, axis.high)));
    plot.svg.line("axis", from, to);
    let mut said = vec!["the line marks equal scores".to_owned()];
    for cloud in clouds {
        for &task in &cloud.tasks {
            let at = plot.at(task);
            plot.svg.marker(cloud.agent, at);
        }
        let below = cloud.tasks.iter().filter(|(train, held_out)| held_out < train).count();
        let is = if below == 1 { "is" } else { "are" };
        said.push(format!("{}: {below} of {} {is} below it", cloud.name, count(cloud.tasks.len(), "task")));
    }
    let names: Vec<_> = clouds.iter().map(|c| (c.agent, c.name.clone())).collect();
    plot.finish(&names, title, &said.join("; "))
}

/// Several lines over steps, each with a band: learning curves, arrivals.
pub(super) struct Line {
    pub(super) name: String,
    /// Step, value, and the ends of the band.
    pub(super) points: Vec<(f64, f64, f64, f64)>,
    /// A value to compare it with: a dotted line from end to end.
    pub(super) level: Option<f64>,
}

/// Lines with bands.
pub(super) fn lines(title: &str, (across, up): (&str, &str), all: &[Line]) -> String {
    let every = || all.iter().flat_map(|l| &l.points);
    let low = every().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let x = Axis::over(every().map(|p| p.0), (low, low), (0.0, 1.0));
    let levels = all.iter().filter_map(|line| line.level);
    let y = Axis::over(every().flat_map(|p| [p.1, p.2, p.3]).chain(levels), (0.0, 0.0), (0.0, 1.0));
    let mut plot = Plot::new((x.low, x.high), (y.low, y.high), (across, up), short);
    let mut said = Vec::new();
    for (index, line) in all.iter().enumerate() {
        let middle: Vec<_> = line.points.iter().map(|&(x, y, ..)| (x, y)).collect();
        let band: Vec<_> = line.points.iter().map(|&(x, _, low, high)| (x, low, high)).collect();
        plot.draw(index + 1, &middle, &band, (middle.len() / 8).max(1));
        let level = line.level.map(|level| {
            let (from, to) = (plot.at((x.low, level)), plot.at((x.high, level)));
            plot.svg.level(index + 1, from, to);
            format!(" (dotted {})", number(level))
        });
        if let (Some(first), Some(last)) = (middle.first(), middle.last()) {
            let level = level.unwrap_or_default();
            said.push(format!("{}: from {} to {}{level}", line.name, number(first.1), number(last.1)));
        }
    }
    let names: Vec<_> = all.iter().enumerate().map(|(i, l)| (i + 1, l.name.clone())).collect();
    plot.finish(&names, title, &said.join("; "))
}

/// Large numbers with their thousands cut.
fn short(value: f64) -> String {
    match value {
        v if v.abs() >= 1e6 => format!("{} M", number(v / 1e6)),
        v if v.abs() >= 1e4 => format!("{} k", number(v / 1e3)),
        v => {
            let text = number(v);
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
    }
}

/// A square of a heat map: a share for its shade, what is written on it, and what stands below that.
pub(super) struct Square {
    pub(super) share: f64,
    pub(super) text: String,
    pub(super) below: String,
}

/// A row of a heat map: its name, and what is said below that.
pub(super) struct HeatRow {
    pub(super) name: String,
    pub(super) note: String,
    pub(super) squares: Vec<Option<Square>>,
}

/// A heat map of rows by columns; every square says its number.
pub(super) fn heat(title: &str, columns: &[String], rows: &[HeatRow]) -> String {
    let left = 124.0;
    let square = (WIDTH - left) / columns.len().max(1) as f64;
    // Names that have no room above their squares are numbered, and listed below.
    let heads: Vec<Vec<String>> = columns.iter().map(|column| wrapped(column, square)).collect();
    let fits = |name: &str| name.split_inclusive(BREAKS).all(|word| width(word.trim_end()) <= square);
    let whole = |(name, lines): (&String, &Vec<String>)| lines.len() <= 3 && fits(name);
    let listed = !columns.iter().zip(&heads).all(whole);
    let heads = if listed { (1..=columns.len()).map(|i| vec![i.to_string()]).collect() } else { heads };
    let top = heads.iter().map(Vec::len).max().unwrap_or(1) as f64 * LEADING + 6.0;
    let names: Vec<[Vec<String>; 2]> = rows
        .iter()
        .map(|row| [&row.name, &row.note].map(|text| wrapped(text, left - 8.0)))
        .map(|lines| lines.map(|lines| lines.into_iter().filter(|line| !line.is_empty()).collect()))
        .collect();
    // Two lines have room in every square.
    let height = |[name, note]: &[Vec<String>; 2]| (name.len() + note.len()).max(2) as f64 * LEADING + 6.0;
    let mut svg = Svg::new(WIDTH, top + names.iter().map(height).sum::<f64>());
    for (i, head) in heads.iter().enumerate() {
        svg.lines("", Anchor::Middle, (left + (i as f64 + 0.5) * square, 12.0), head);
    }
    let (mut y, mut said) = (top, Vec::new());
    for (HeatRow { name, note, squares }, lines) in rows.iter().zip(&names) {
        svg.lines("", Anchor::End, (left - 6.0, y + 14.0), &lines[0]);
        svg.lines("pale", Anchor::End, (left - 6.0, y + 14.0 + lines[0].len() as f64 * LEADING), &lines[1]);
        let middle = y + height(lines) / 2.0 + 4.0;
        let noted = if note.is_empty() { String::new() } else { format!(" ({note})") };
        for (column, cell) in squares.iter().enumerate() {
            let x = left + column as f64 * square;
            let Some(cell) = cell else {
                svg.text("pale", Anchor::Middle, (x + square / 2.0, middle), "–");
                continue;
            };
            let dark = svg.shade(cell.share, (x + 1.0, y + 1.0), (square - 2.0, height(lines) - 2.0));
            let class = if dark { "on" } else { "off" };
            let at = |line: f64| (x + square / 2.0, middle + line * LEADING / 2.0);
            if cell.below.is_empty() {
                svg.text(class, Anchor::Middle, at(0.0), &cell.text);
            } else {
                svg.text(class, Anchor::Middle, at(-1.0), &cell.text);
                svg.text(&format!("{class} small"), Anchor::Middle, at(1.0), &cell.below);
            }
            said.push(
                format!("{name}{noted}, {}: {} {}", columns[column], cell.text, cell.below).trim_end().to_owned(),
            );
        }
        y += height(lines);
    }
    for (i, column) in columns.iter().enumerate().filter(|_| listed) {
        let lines = wrapped(&format!("{} {column}", i + 1), WIDTH);
        svg.lines("", Anchor::Start, (0.0, y + LEADING), &lines);
        y += lines.len() as f64 * LEADING;
    }
    svg.grow(y + 4.0);
    svg.finish(title, &said.join("; "))
}

/// How often each cell of a grid was chosen.
pub(super) fn cells(title: &str, (columns, rows): (usize, usize), counts: &[u64]) -> String {
    let (left, top) = (24.0, 6.0);
    let side = (WIDTH - left - 4.0) / columns.max(1) as f64;
    let mut svg = Svg::new(WIDTH, top + rows as f64 * side + LINE + 4.0);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let total: u64 = counts.iter().sum();
    for x in 0..columns {
        for y in 0..rows {
            let count = counts[x * rows + y];
            let at = (left + x as f64 * side, top + y as f64 * side);
            let dark = svg.shade(count as f64 / most as f64, at, (side - 1.0, side - 1.0));
            if count == most {
                let class = if dark { "on" } else { "off" };
                svg.text(class, Anchor::Middle, (at.0 + side / 2.0, at.1 + side / 2.0 + 4.0), "×");
            }
        }
    }
    for x in (0..columns).step_by(5) {
        let at = (left + (x as f64 + 0.5) * side, top + rows as f64 * side + 13.0);
        svg.text("pale", Anchor::Middle, at, &x.to_string());
    }
    for y in 0..rows {
        svg.text("pale", Anchor::End, (left - 5.0, top + (y as f64 + 0.5) * side + 4.0), &y.to_string());
    }
    let times = |n: u64| count(usize::try_from(n).unwrap_or(usize::MAX), "time");
    let used = counts.iter().filter(|&&n| n > 0).count();
    let said = format!(
        "{used} of {} chosen, {} in all; the cell chosen most, marked with a cross, {}",
        count(counts.len(), "cell"),
        times(total),
        times(most)
    );
    svg.finish(title, &said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = |low, high| Axis { low, high, from: 0.0, to: 1.0 }.ticks();
        assert_eq!(ticks(0.0, 1.0), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(-3.0, 17.0), [0.0, 5.0, 10.0, 15.0]);
        assert_eq!(ticks(0.0, 80_000.0), [0.0, 20_000.0, 40_000.0, 60_000.0, 80_000.0]);
    }

    /// Over a range of 5e-324 a report was never finished.
    #[test]
    fn ticks_of_any_range_come_to_an_end() {
        let ends = [
            f64::MIN,
            -1e300,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            0.0,
            5e-324,
            1e-310,
            f64::MIN_POSITIVE,
            1e-300,
            1.0,
            1.0 + f64::EPSILON,
            1e15,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        for low in ends {
            for high in ends {
                let ticks = Axis { low, high, from: 0.0, to: 1.0 }.ticks();
                assert!(ticks.len() <= 21, "{low} to {high}: {ticks:?}");
            }
        }
        assert_eq!(Axis { low: 0.0, high: 5e-324, from: 0.0, to: 1.0 }.ticks(), [0.0, 5e-324]);
    }
}
