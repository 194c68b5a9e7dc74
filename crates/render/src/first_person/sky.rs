//! What is behind everything: a gradient, and perhaps a sun and hills by which to tell the direction.

use crate::Rgb;
use crate::first_person::colour::turns;
use crate::first_person::lens::{larger, smaller};

/// Steps of the gradient, from the horizon to [`TOP`].
const SHADES: usize = 256;

/// The slope at which the gradient ends: about 63 degrees.
const TOP: f32 = 2.0;

/// Bearings at which the landmarks are tabulated.
const BEARINGS: usize = 2048;

/// The sun's middle and radius as slopes, and its colour.
const SUN: (f64, f64) = (0.5, 0.1);
const SUN_COLOUR: Rgb = Rgb::new(255, 240, 150);

/// A slope above all landmarks.
const HIGHEST: f32 = 0.61;

/// A hill against the sky.
struct Hill {
    /// Where its middle is and how far it reaches to either side, in radians.
    bearing: f64,
    reach: f64,
    /// The slope of its top.
    top: f64,
    colour: Rgb,
    /// Its height at a distance from the middle; both in parts of one.
    outline: fn(f64) -> f64,
}

/// Different in bearing, width, height, outline and colour: each alone tells the direction.
const HILLS: [Hill; 3] = [
    Hill { bearing: 1.95, reach: 0.62, top: 0.44, colour: Rgb::new(84, 118, 74), outline: |x| 1.0 - x * x },
    Hill { bearing: 3.60, reach: 0.50, top: 0.56, colour: Rgb::new(98, 104, 142), outline: |x| 1.0 - x.abs() },
    Hill {
        bearing: 5.05,
        reach: 0.70,
        top: 0.40,
        colour: Rgb::new(152, 112, 82),
        outline: |x| (2.5 - 2.5 * x.abs()).min(1.0),
    },
];

/// What stands at a bearing: up to which slope a hill reaches, and between which slopes the sun is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Skyline {
    pub(super) hill: f32,
    pub(super) hill_colour: Rgb,
    pub(super) sun: [f32; 2],
}

/// What is seen above the horizon, infinitely far away.
#[derive(Clone, Debug)]
pub struct Sky {
    gradient: Vec<[u8; 3]>,
    /// By bearing, see [`place`]; empty without landmarks.
    skyline: Vec<Skyline>,
}

impl Sky {
    /// Where [`Sky::with_landmarks`] has its sun, in radians clockwise from north.
    pub const SUN_BEARING: f32 = 0.7;

    /// A gradient.
    #[must_use]
    pub fn plain(zenith: Rgb, horizon: Rgb) -> Self {
        let last = SHADES as i32 - 1;
        let gradient = (0..=last).map(|step| {
            // Quick near the horizon and slow above, as skies are.
            let part = last * last - (last - step) * (last - step);
            let between =
                |from: u8, to: u8| (i32::from(from) + (i32::from(to) - i32::from(from)) * part / (last * last)) as u8;
            std::array::from_fn(|channel| between(horizon.0[channel], zenith.0[channel]))
        });
        Self { gradient: gradient.collect(), skyline: Vec::new() }
    }

    /// A gradient with a sun and three hills, from which a heading can be read.
    #[must_use]
    pub fn with_landmarks(zenith: Rgb, horizon: Rgb) -> Self {
        Self { skyline: (0..BEARINGS).map(|place| skyline(bearing(place))).collect(), ..Self::plain(zenith, horizon) }
    }

    /// What stands in a direction, if anything may.
    pub(super) fn skyline(&self, east: f32, north: f32) -> Option<&Skyline> {
        if self.skyline.is_empty() { None } else { self.skyline.get(place(east, north)) }
    }

    /// The gradient at a slope as [`Sky::step`] counts.
    pub(super) fn shade(&self, steps: i32) -> [u8; 3] {
        self.gradient[(steps >> 16).clamp(0, SHADES as i32 - 1) as usize]
    }

    /// A slope in steps of the gradient, in 65536ths.
    pub(super) fn steps(slope: f32) -> i32 {
        (slope * (SHADES as f32 / TOP * 65_536.0)) as i32
    }

    /// The colour in a direction whose slope is known.
    pub(super) fn colour(&self, east: f32, north: f32, slope: f32) -> [u8; 3] {
        self.landmark(place(east, north), slope).unwrap_or_else(|| self.shade(Self::steps(slope)))
    }

    /// Whether there are hills and a sun.
    pub(super) fn has_landmarks(&self) -> bool {
        !self.skyline.is_empty()
    }

    /// Whether they reach up to a slope anywhere.
    #[inline]
    pub(super) fn may_be_landmark(slope: f32) -> bool {
        slope < HIGHEST
    }

    /// The colour of a hill or the sun, if that is what stands at a place of the table and a slope.
    #[inline]
    pub(super) fn landmark(&self, place: usize, slope: f32) -> Option<[u8; 3]> {
        let line = self.skyline.get(place % BEARINGS)?;
        if slope < line.hill {
            return Some(line.hill_colour.0);
        }
        (slope >= line.sun[0] && slope < line.sun[1]).then_some(SUN_COLOUR.0)
    }

    /// A slope upwards in steps of the gradient; a step begins at each whole number.
    #[inline]
    pub(super) fn shades(slope: f32) -> f32 {
        smaller(slope * (SHADES as f32 / TOP), SHADES as f32 - 1.0)
    }

    /// The colour of a step of the gradient.
    #[inline]
    pub(super) fn shade_of(&self, step: u8) -> [u8; 3] {
        self.gradient[usize::from(step)]
    }

    /// A direction in turns, clockwise from north. It is no angle: it counts evenly along the sides of a square that stands on a
    /// corner, which takes a division where an angle takes an arc tangent.
    #[inline]
    pub(super) fn turn(east: f32, north: f32) -> f32 {
        let part = east / larger(east.abs() + north.abs(), f32::MIN_POSITIVE);
        let quarters = if north >= 0.0 { part } else { 2.0 - part };
        quarters * 0.25
    }

    pub(super) const SUN_COLOUR: Rgb = SUN_COLOUR;
    pub(super) const BEARINGS: usize = BEARINGS;
}

/// The place of a direction in the table.
fn place(east: f32, north: f32) -> usize {
    (turns(Sky::turn(east, north)) >> (32 - BEARINGS.ilog2())) as usize
}

/// The bearing at the middle of a place in the table.
fn bearing(place: usize) -> f64 {
    let quarters = (place as f64 + 0.5) * 4.0 / BEARINGS as f64;
    let east = if quarters <= 1.0 {
        quarters
    } else if quarters <= 3.0 {
        2.0 - quarters
    } else {
        quarters - 4.0
    };
    let north = if (1.0..=3.0).contains(&quarters) { east.abs() - 1.0 } else { 1.0 - east.abs() };
    libm::atan2(east, north)
}

fn skyline(bearing: f64) -> Skyline {
    let apart = |other: f64| {
        let turn = std::f64::consts::TAU;
        let difference = (bearing - other) / turn;
        ((difference - libm::floor(difference + 0.5)) * turn).abs()
    };
    let mut line = Skyline::default();
    for hill in HILLS {
        let height = hill.top * (hill.outline)((apart(hill.bearing) / hill.reach).min(1.0));
        if height as f32 > line.hill {
            (line.hill, line.hill_colour) = (height as f32, hill.colour);
        }
    }
    let (middle, radius) = SUN;
    let beside = apart(f64::from(Sky::SUN_BEARING)) / radius;
    if beside < 1.0 {
        let half = radius * libm::sqrt(1.0 - beside * beside);
        line.sun = [(middle - half) as f32, (middle + half) as f32];
    }
    line
}
