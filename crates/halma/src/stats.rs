//! Statistics of the panels of a set of mazes: Fig. S5.

use crate::generate::{Colours, colours};
use crate::maze::{Cell, Maze};
use crate::observation::DIGITS;
use crate::trials::entries_of;

/// What the panels of one set of mazes show, over all cells of all mazes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PanelCounts {
    pub(crate) panels: u32,
    /// Fig. S5 (a): occurrences of each colour.
    pub(crate) colours: Colours,
    /// Fig. S5 (b): panels with each number of digits.
    pub(crate) digits_in_panel: [u32; DIGITS + 1],
    /// Fig. S5 (c): occurrences of each digit; none of 0.
    pub(crate) digits: [u32; 10],
}

impl PanelCounts {
    /// Counts the panels of `mazes`.
    pub(crate) fn of(mazes: &[Maze]) -> Self {
        let mut counts = Self::default();
        for maze in mazes {
            for (group, own) in counts.colours.iter_mut().zip(colours(maze)) {
                for (n, own) in group.iter_mut().zip(own) {
                    *n += own;
                }
            }
            // Cells outside the maze show nothing at all, not even the goal.
            for (entries, cell) in entries_of(maze).zip(Cell::all()) {
                if !maze.is_open(cell) {
                    continue;
                }
                counts.panels += 1;
                counts.digits_in_panel[entries.digits()] += 1;
                for &n in entries.0[..DIGITS].iter().filter(|&&n| n != 0) {
                    counts.digits[usize::from(n.unsigned_abs())] += 1;
                }
            }
        }
        counts
    }

    /// Share of panels with three to six digits.
    pub(crate) fn share_of_three_to_six(&self) -> f64 {
        f64::from(self.digits_in_panel[3..=6].iter().sum::<u32>()) / f64::from(self.panels)
    }

    /// Largest relative deviation of a colour from the mean of its group.
    pub(crate) fn colour_deviation(&self) -> f64 {
        let deviation = |group: &[u32; 4]| {
            let mean = f64::from(group.iter().sum::<u32>()) / 4.0;
            group.iter().map(|&n| (f64::from(n) - mean).abs() / mean).fold(0.0, f64::max)
        };
        self.colours.iter().map(deviation).fold(0.0, f64::max)
    }
}

/// Mean and population standard deviation.
pub(crate) fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

/// Share of the variance of log counts that a straight line over the digits explains.
pub(crate) fn log_linearity(counts: &[f64]) -> f64 {
    let points = counts.iter().enumerate().map(|(i, &c)| (i as f64, libm::log(c)));
    let n = counts.len() as f64;
    let mean = |f: fn((f64, f64)) -> f64| points.clone().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |f: &dyn Fn((f64, f64)) -> f64| points.clone().map(f).sum::<f64>();
    let (xx, yy, xy) =
        (sum(&|p| (p.0 - x) * (p.0 - x)), sum(&|p| (p.1 - y) * (p.1 - y)), sum(&|p| (p.0 - x) * (p.1 - y)));
    xy * xy / (xx * yy)
}
