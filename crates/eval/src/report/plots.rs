//! The drawings of a report. All are narrow enough to be read on a phone as they are.

use super::svg::{Anchor, Svg};
use super::words::{number, points};
use crate::curves::{Curve, Point};
use crate::results::Measured;

/// Width of every drawing.
const WIDTH: f64 = 360.0;
/// Room at the left of a plot.
const LEFT: f64 = 44.0;
/// Height of a plot's own area.
const PLOT: f64 = 200.0;
/// Height of a line of text.
const LINE: f64 = 16.0;
/// Widest label beside a bar or a row of a heat map, in letters.
const LETTERS: usize = 15;

/// `text`, cut to `letters`.
fn cut(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters - 1).chain(['…']).collect()
}

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

    /// Round values to write beside it: about four.
    fn ticks(self) -> Vec<f64> {
        let raw = (self.high - self.low) / 4.0;
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
        (first..=last.min(first + 20)).map(|n| n as f64 * step).collect()
    }
}

/// The ends of a number's interval, or the number itself twice.
fn ends(measured: &Measured) -> (f64, f64) {
    measured.interval.map_or((measured.value, measured.value), |i| (i.low, i.high))
}

/// One condition of a task.
pub(super) struct Group {
    pub(super) label: String,
    /// Number and name of the agent, and its score.
    pub(super) bars: Vec<(usize, String, Measured)>,
}

/// Bars with intervals, one group a condition. Normalised scores are shown in percent.
pub(super) fn bars(title: &str, groups: &[Group], normalised: bool) -> String {
    let (from, to) = (112.0, WIDTH - 52.0);
    let values = || groups.iter().flat_map(|g| &g.bars).map(|(_, _, m)| m);
    let all = values().flat_map(|m| [m.value, ends(m).0, ends(m).1]);
    let axis = Axis::over(all, (0.0, if normalised { 1.0 } else { 0.0 }), (from, to));
    let rows: usize = groups.iter().map(|g| g.bars.len()).sum();
    let bottom = groups.len() as f64 * (LINE + 6.0) + rows as f64 * 18.0 + 4.0;
    let mut svg = Svg::new(WIDTH, bottom + 2.0 * LINE + 4.0);
    let shown = |x: f64| if normalised { points(x) } else { number(x) };
    for tick in axis.ticks() {
        svg.line("grid", (axis.at(tick), 0.0), (axis.at(tick), bottom));
        svg.text("pale", Anchor::Middle, (axis.at(tick), bottom + 14.0), &shown(tick));
    }
    let (mut y, mut said) = (0.0, Vec::new());
    for group in groups {
        svg.text("", Anchor::Start, (0.0, y + 14.0), &group.label);
        y += LINE + 4.0;
        for (agent, name, measured) in &group.bars {
            let (zero, value) = (axis.at(0.0), axis.at(measured.value));
            svg.text("pale", Anchor::End, (from - 8.0, y + 12.0), &cut(name, LETTERS));
            svg.bar(*agent, (zero.min(value), y + 2.0), ((value - zero).abs().max(1.0), 12.0));
            let (low, high) = ends(measured);
            svg.line("whisker", (axis.at(low), y + 8.0), (axis.at(high), y + 8.0));
            for end in [low, high] {
                svg.line("whisker", (axis.at(end), y + 4.0), (axis.at(end), y + 12.0));
            }
            svg.text("", Anchor::End, (WIDTH, y + 12.0), &shown(measured.value));
            said.push(format!("{}, {name}: {}", group.label, shown(measured.value)));
            y += 18.0;
        }
        y += 2.0;
    }
    svg.line("axis", (axis.at(0.0), 0.0), (axis.at(0.0), bottom));
    let unit = if normalised { "percent of the way from floor to ceiling" } else { "score" };
    svg.text("pale", Anchor::Middle, (f64::midpoint(from, to), bottom + 14.0 + LINE), unit);
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
        let x = Axis { low: x.0, high: x.1, from: LEFT, to: WIDTH - 10.0 };
        let y = Axis { low: y.0, high: y.1, from: top + PLOT, to: top };
        let mut svg = Svg::new(WIDTH, top + PLOT + 3.0 * LINE);
        svg.text("pale", Anchor::Start, (0.0, 12.0), up);
        for tick in x.ticks() {
            svg.line("grid", (x.at(tick), top), (x.at(tick), top + PLOT));
            svg.text("pale", Anchor::Middle, (x.at(tick), top + PLOT + 14.0), &format(tick));
        }
        for tick in y.ticks() {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - 10.0, y.at(tick)));
            svg.text("pale", Anchor::End, (LEFT - 5.0, y.at(tick) + 4.0), &format(tick));
        }
        svg.line("axis", (LEFT, top + PLOT), (WIDTH - 10.0, top + PLOT));
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
        let start = top + PLOT + 2.0 * LINE + 8.0;
        for (row, (index, name)) in names.iter().enumerate() {
            let (x, y) = (LEFT + (row % 2) as f64 * 160.0, start + (row / 2) as f64 * LINE);
            svg.curve(*index, &[(x, y), (x + 24.0, y)]);
            svg.marker(*index, (x + 12.0, y));
            svg.text("", Anchor::Start, (x + 30.0, y + 4.0), &cut(name, 18));
        }
        svg.grow(start + names.len().div_ceil(2) as f64 * LINE);
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
        said.push(format!("{}: {below} of {} tasks are below it", cloud.name, cloud.tasks.len()));
    }
    let names: Vec<_> = clouds.iter().map(|c| (c.agent, c.name.clone())).collect();
    plot.finish(&names, title, &said.join("; "))
}

/// Several lines over steps, each with a band: learning curves, arrivals.
pub(super) struct Line {
    pub(super) name: String,
    /// Step, value, and the ends of the band.
    pub(super) points: Vec<(f64, f64, f64, f64)>,
}

/// Lines with bands.
pub(super) fn lines(title: &str, (across, up): (&str, &str), all: &[Line]) -> String {
    let every = || all.iter().flat_map(|l| &l.points);
    let low = every().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let x = Axis::over(every().map(|p| p.0), (low, low), (0.0, 1.0));
    let y = Axis::over(every().flat_map(|p| [p.1, p.2, p.3]), (0.0, 0.0), (0.0, 1.0));
    let mut plot = Plot::new((x.low, x.high), (y.low, y.high), (across, up), short);
    let mut said = Vec::new();
    for (index, line) in all.iter().enumerate() {
        let middle: Vec<_> = line.points.iter().map(|&(x, y, ..)| (x, y)).collect();
        let band: Vec<_> = line.points.iter().map(|&(x, _, low, high)| (x, low, high)).collect();
        plot.draw(index + 1, &middle, &band, (middle.len() / 8).max(1));
        if let (Some(first), Some(last)) = (middle.first(), middle.last()) {
            said.push(format!("{}: from {} to {}", line.name, number(first.1), number(last.1)));
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

/// The learning curves of one agent on one task.
pub(super) fn curve(title: &str, curve: &Curve) -> String {
    let line = |name: &String| {
        let points = curve.points(name).into_iter();
        let points = points.map(|Point { step, median, low, high }| (step as f64, median, low, high)).collect();
        Line { name: name.clone(), points }
    };
    let all: Vec<Line> = curve.series.keys().map(line).collect();
    lines(title, ("steps of training", "score"), &all)
}

/// A square of a heat map: a share for its shade, and what is written on it.
pub(super) struct Square {
    pub(super) share: f64,
    pub(super) text: String,
}

/// A heat map of rows by columns; every square says its number.
pub(super) fn heat(title: &str, columns: &[String], rows: &[(String, Vec<Option<Square>>)]) -> String {
    let left = 150.0;
    let width = (WIDTH - left) / columns.len().max(1) as f64;
    let top = LINE + 6.0;
    let mut svg = Svg::new(WIDTH, top + rows.len() as f64 * 20.0);
    let letters = (width / 7.0) as usize;
    for (i, column) in columns.iter().enumerate() {
        let x = left + (i as f64 + 0.5) * width;
        svg.text("", Anchor::Middle, (x, 14.0), &cut(column, letters.max(2)));
    }
    let mut said = Vec::new();
    for (row, (name, squares)) in rows.iter().enumerate() {
        let y = top + row as f64 * 20.0;
        svg.text("", Anchor::End, (left - 6.0, y + 14.0), &cut(name, 22));
        for (column, square) in squares.iter().enumerate() {
            let x = left + column as f64 * width;
            let Some(square) = square else {
                svg.text("pale", Anchor::Middle, (x + width / 2.0, y + 14.0), "–");
                continue;
            };
            let dark = svg.shade(square.share, (x + 1.0, y + 1.0), (width - 2.0, 18.0));
            let class = if dark { "on" } else { "off" };
            svg.text(class, Anchor::Middle, (x + width / 2.0, y + 14.0), &square.text);
            said.push(format!("{name}, {}: {}", columns[column], square.text));
        }
    }
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
    let used = counts.iter().filter(|&&n| n > 0).count();
    let said = format!(
        "{used} of {} cells were chosen, {total} times in all; the cell chosen most, marked with a cross, {most} times",
        counts.len()
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

    #[test]
    fn labels_are_cut_by_letters() {
        assert_eq!(cut("größer", 6), "größer");
        assert_eq!(cut("größeres", 6), "größe…");
    }
}
