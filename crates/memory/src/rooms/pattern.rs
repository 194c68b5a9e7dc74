//! The closed paths that moving blocks follow, in the upright plane that faces the corridor.

use std::f64::consts::{PI, TAU};

use serde::{Deserialize, Serialize};

use crate::level::Stimuli;
use crate::walker::clock::UNITY_RATE;

/// Distance of the farthest points of a path from its middle, in metres.
pub(crate) const CIRCUMRADIUS: f64 = 0.8;
/// Ticks of one round: 4.0 seconds.
pub(crate) const PERIOD: u32 = 120;
/// Seconds of one round.
const SECONDS: f64 = PERIOD as f64 / UNITY_RATE as f64;

/// A closed path, followed at constant speed. X is to the right, Y up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Pattern {
    Circle,
    /// A square that stands on a side.
    Square,
    /// The five strokes of a pentagram.
    Star,
    /// A hexagon that stands on a corner.
    Hexagon,
    /// To and fro.
    LinearX,
    /// Up to the right and back.
    LinearRising,
    #[default]
    None,
    /// A triangle that stands on a side.
    Triangle,
    /// A pentagon that stands on a side.
    Pentagon,
    /// Two circles, one above the other.
    FigureEight,
    LinearY,
    /// Down to the right and back.
    LinearFalling,
}

/// A point or a velocity: X and Y.
pub(super) type Pair = [f64; 2];

impl Pattern {
    /// All twelve, those of training first.
    pub(crate) const ALL: [Self; 12] = [
        Self::Circle,
        Self::Square,
        Self::Star,
        Self::Hexagon,
        Self::LinearX,
        Self::LinearRising,
        Self::None,
        Self::Triangle,
        Self::Pentagon,
        Self::FigureEight,
        Self::LinearY,
        Self::LinearFalling,
    ];

    /// The patterns of a set.
    pub(crate) fn of(stimuli: Stimuli) -> [Self; 6] {
        let first = if stimuli == Stimuli::Train { 0 } else { 6 };
        std::array::from_fn(|i| Self::ALL[first + i])
    }

    /// Corners, corners passed over from one to the next, and the angle of the first.
    ///
    /// A line is a polygon of two corners: there and back.
    fn polygon(self) -> Option<(u32, u32, f64)> {
        Some(match self {
            Self::None | Self::Circle | Self::FigureEight => return None,
            Self::LinearX => (2, 1, 0.0),
            Self::LinearRising => (2, 1, 0.25 * PI),
            Self::LinearY => (2, 1, 0.5 * PI),
            Self::LinearFalling => (2, 1, 0.75 * PI),
            Self::Triangle => (3, 1, 0.5 * PI),
            Self::Square => (4, 1, 0.25 * PI),
            Self::Pentagon => (5, 1, 0.5 * PI),
            Self::Hexagon => (6, 1, 0.5 * PI),
            Self::Star => (5, 2, 0.5 * PI),
        })
    }

    /// Where a block is at `turn` rounds, as an offset from the middle of its path.
    pub(crate) fn at(self, turn: f64) -> Pair {
        let turn = turn - turn.floor();
        if let Some((corners, stride, first)) = self.polygon() {
            let along = turn * f64::from(corners);
            let edge = along.floor();
            let [from, to] = edge_of(corners, stride, first, edge);
            let share = along - edge;
            return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
        }
        match self {
            Self::Circle => on_circle(TAU * turn).map(|side| CIRCUMRADIUS * side),
            Self::FigureEight => {
                let half = 0.5 * CIRCUMRADIUS;
                let (up, angle) = eight(turn);
                let [x, y] = on_circle(angle);
                [half * x, half * (y + up)]
            }
            _ => [0.0, 0.0],
        }
    }

    /// How a block moves at `turn` rounds, in metres per second.
    pub(crate) fn velocity(self, turn: f64) -> Pair {
        let turn = turn - turn.floor();
        if let Some((corners, stride, first)) = self.polygon() {
            let corners_f = f64::from(corners);
            let [from, to] = edge_of(corners, stride, first, (turn * corners_f).floor());
            return [0, 1].map(|axis| (to[axis] - from[axis]) * corners_f / SECONDS);
        }
        match self {
            Self::Circle => {
                let [x, y] = on_circle(TAU * turn);
                let speed = TAU * CIRCUMRADIUS / SECONDS;
                [-speed * y, speed * x]
            }
            Self::FigureEight => {
                let (up, angle) = eight(turn);
                let [x, y] = on_circle(angle);
                // Each of the two circles takes half a period; they are followed in opposite senses.
                let speed = up * 2.0 * TAU * (0.5 * CIRCUMRADIUS) / SECONDS;
                [-speed * y, speed * x]
            }
            _ => [0.0, 0.0],
        }
    }

    /// What the paper calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
            Self::Star => "star",
            Self::Hexagon => "hexagon",
            Self::LinearX => "linear X",
            Self::LinearRising => "linear Y=X",
            Self::None => "none",
            Self::Triangle => "triangle",
            Self::Pentagon => "pentagon",
            Self::FigureEight => "figure-eight",
            Self::LinearY => "linear Y",
            Self::LinearFalling => "linear Y=-X",
        }
    }

    /// How far to the side the path leads from its middle.
    pub(crate) fn reach(self) -> f64 {
        match self {
            Self::None | Self::LinearY => 0.0,
            Self::FigureEight => 0.5 * CIRCUMRADIUS,
            _ => CIRCUMRADIUS,
        }
    }
}

/// The ends of the edge with number `edge`.
fn edge_of(corners: u32, stride: u32, first: f64, edge: f64) -> [Pair; 2] {
    let step = TAU * f64::from(stride) / f64::from(corners);
    [edge, edge + 1.0].map(|corner| on_circle(first + step * corner).map(|side| CIRCUMRADIUS * side))
}

/// Which circle of the figure-eight (1 the upper, -1 the lower) and the angle on it: both are left at the middle.
fn eight(turn: f64) -> (f64, f64) {
    if turn < 0.5 { (1.0, -0.5 * PI + 2.0 * TAU * turn) } else { (-1.0, 0.5 * PI - 2.0 * TAU * (turn - 0.5)) }
}

fn on_circle(angle: f64) -> Pair {
    let (sin, cos) = libm::sincos(angle);
    [cos, sin]
}
