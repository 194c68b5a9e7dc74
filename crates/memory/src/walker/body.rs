//! The walker of the Unity tasks: a cylinder that slides along what is in its way.
//!
//! Positions never overlap a solid: after every tick the walker is pushed out along the shortest way, and where solids
//! leave no room it stays where it was. A tick moves it less than its radius, so that it cannot pass through anything.

use heldout_core::check::{all_within, within};
use serde::{Deserialize, Serialize};

use super::clock::UNITY_RATE;
use super::controls::{Controls, MOST_PITCH};

/// Metres per second, forward, back and sideways.
pub(crate) const SPEED: f64 = 2.0;
/// Degrees that a full turn control turns in a tick: 90 a second.
pub(crate) const TURN: f64 = 3.0;
/// Half the width of the walker.
pub(crate) const RADIUS: f64 = 0.3;
/// Height of the eye.
pub(crate) const EYE: f64 = 1.5;
/// Share of the difference to the wanted velocity that a tick makes up: `1 - exp(-(1/30) / 0.1)`.
const GAIN: f64 = 0.283_468_689_426_210_7;
/// Metres of a tick.
const STRIDE: f64 = SPEED / UNITY_RATE as f64;
/// Times that overlaps are looked for in a tick.
const PASSES: usize = 4;
/// Overlap that is taken for rounding.
const SLACK: f64 = 1e-9;
/// Metres per tick below which a walker that does not want to move is at rest.
const REST: f64 = 1e-9;

/// An upright solid seen from above, or the bounds of a floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rect {
    pub(crate) x0: f64,
    pub(crate) z0: f64,
    pub(crate) x1: f64,
    pub(crate) z1: f64,
}

impl Rect {
    /// The rectangle between two corners.
    pub(crate) const fn new(x0: f64, z0: f64, x1: f64, z1: f64) -> Self {
        Self { x0, z0, x1, z1 }
    }

    /// The same with every side moved outwards.
    pub(crate) fn grown(&self, by: f64) -> Self {
        Self::new(self.x0 - by, self.z0 - by, self.x1 + by, self.z1 + by)
    }

    pub(crate) fn middle(&self) -> [f64; 2] {
        [f64::midpoint(self.x0, self.x1), f64::midpoint(self.z0, self.z1)]
    }

    /// Whether the point lies in it, sides included.
    pub(crate) fn contains(&self, x: f64, z: f64) -> bool {
        self.x0 <= x && x <= self.x1 && self.z0 <= z && z <= self.z1
    }

    /// Whether a disc around the point shares a point with it.
    pub(crate) fn touches(&self, x: f64, z: f64, radius: f64) -> bool {
        let (dx, dz) = self.away(x, z);
        dx * dx + dz * dz <= radius * radius
    }

    /// Whether the two share more than a side.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.z0 < other.z1 && other.z0 < self.z1
    }

    /// The way from its nearest point to the point: zero inside.
    fn away(&self, x: f64, z: f64) -> (f64, f64) {
        (x - x.max(self.x0).min(self.x1), z - z.max(self.z0).min(self.z1))
    }
}

/// Where the walker is, how it moves and where it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Body {
    /// East, metres.
    pub(crate) x: f64,
    /// North, metres.
    pub(crate) z: f64,
    /// Metres eastward per tick.
    pub(crate) vx: f64,
    /// Metres northward per tick.
    pub(crate) vz: f64,
    /// Degrees from north, clockwise seen from above, 0 to 360.
    pub(crate) yaw: f64,
    /// Degrees above the horizon.
    pub(crate) pitch: f64,
}

impl Body {
    /// A walker at rest that looks level.
    pub(crate) fn at(x: f64, z: f64, yaw: f64) -> Self {
        Self { x, z, yaw: wrap(yaw), ..Self::default() }
    }

    /// Checks that a walk within `bounds` could have brought it here.
    pub(crate) fn check(&self, bounds: &Rect) -> Result<(), String> {
        within("x", self.x, bounds.x0..=bounds.x1)?;
        within("z", self.z, bounds.z0..=bounds.z1)?;
        all_within("speed", [self.vx, self.vz], &(-2.0 * STRIDE..=2.0 * STRIDE))?;
        within("yaw", self.yaw, 0.0..=360.0)?;
        within("pitch", self.pitch, -MOST_PITCH..=MOST_PITCH)
    }

    /// Sine and cosine of the yaw: the direction ahead, east and north.
    pub(crate) fn ahead(&self) -> (f64, f64) {
        libm::sincos(self.yaw.to_radians())
    }

    /// Advances a tick within `bounds`, around `solids`.
    pub(crate) fn tick<'a>(
        &mut self,
        controls: &Controls,
        bounds: &Rect,
        solids: impl IntoIterator<Item = &'a Rect, IntoIter: Clone>,
    ) {
        if controls.turn != 0.0 {
            self.yaw = wrap(self.yaw + TURN * controls.turn);
        }
        self.pitch = (self.pitch + TURN * controls.tilt).clamp(-MOST_PITCH, MOST_PITCH);
        let (wish_x, wish_z) = self.wish(controls);
        self.vx += GAIN * (wish_x - self.vx);
        self.vz += GAIN * (wish_z - self.vz);
        if wish_x == 0.0 && wish_z == 0.0 && self.vx.abs() + self.vz.abs() < REST {
            (self.vx, self.vz) = (0.0, 0.0);
        }
        let from = (self.x, self.z);
        self.x += self.vx;
        self.z += self.vz;
        let solids = solids.into_iter();
        if !self.leave(bounds, solids.clone()) {
            (self.x, self.z) = from;
            (self.vx, self.vz) = (0.0, 0.0);
            // A solid may have come to the walker rather than the walker to it.
            self.leave(bounds, solids);
        }
    }

    /// The wanted velocity, in metres per tick.
    fn wish(&self, controls: &Controls) -> (f64, f64) {
        let (strafe, advance) = (controls.strafe, controls.advance);
        if strafe == 0.0 && advance == 0.0 {
            return (0.0, 0.0);
        }
        let (sin, cos) = self.ahead();
        let length = (strafe * strafe + advance * advance).sqrt().max(1.0);
        let (right, ahead) = (STRIDE * strafe / length, STRIDE * advance / length);
        (ahead * sin + right * cos, ahead * cos - right * sin)
    }

    /// Pushes the walker out of whatever it overlaps and takes the speed towards it away. False if there is no room.
    fn leave<'a>(&mut self, bounds: &Rect, solids: impl Iterator<Item = &'a Rect> + Clone) -> bool {
        let inner = bounds.grown(-RADIUS);
        for _ in 0..PASSES {
            let mut free = true;
            for solid in solids.clone() {
                free &= !self.push(solid);
            }
            if self.x < inner.x0 || self.x > inner.x1 {
                (self.x, self.vx) = (self.x.clamp(inner.x0, inner.x1), 0.0);
                free = false;
            }
            if self.z < inner.z0 || self.z > inner.z1 {
                (self.z, self.vz) = (self.z.clamp(inner.z0, inner.z1), 0.0);
                free = false;
            }
            if free {
                return true;
            }
        }
        self.is_free(bounds, solids)
    }

    /// Pushes the walker out of one solid. True if it overlapped.
    fn push(&mut self, solid: &Rect) -> bool {
        // Most solids are nowhere near.
        if self.x <= solid.x0 - RADIUS
            || self.x >= solid.x1 + RADIUS
            || self.z <= solid.z0 - RADIUS
            || self.z >= solid.z1 + RADIUS
        {
            return false;
        }
        let (dx, dz) = solid.away(self.x, self.z);
        if dx == 0.0 || dz == 0.0 {
            self.push_from_side(solid, dx, dz);
            return true;
        }
        let square = dx * dx + dz * dz;
        if square >= RADIUS * RADIUS {
            return false;
        }
        // At a corner the way out leads straight away from it.
        let distance = square.sqrt();
        let (nx, nz) = (dx / distance, dz / distance);
        self.x += nx * (RADIUS - distance);
        self.z += nz * (RADIUS - distance);
        let into = self.vx * nx + self.vz * nz;
        if into < 0.0 {
            self.vx -= into * nx;
            self.vz -= into * nz;
        }
        true
    }

    /// Beside a solid, or in it, the way out is along an axis.
    fn push_from_side(&mut self, solid: &Rect, dx: f64, dz: f64) {
        let wide = solid.grown(RADIUS);
        // How far it is to each side; a side that the centre has passed is the way out.
        let west = if dx > 0.0 { f64::INFINITY } else { self.x - wide.x0 };
        let east = if dx < 0.0 { f64::INFINITY } else { wide.x1 - self.x };
        let south = if dz > 0.0 { f64::INFINITY } else { self.z - wide.z0 };
        let north = if dz < 0.0 { f64::INFINITY } else { wide.z1 - self.z };
        let across = dx != 0.0 || (dz == 0.0 && west.min(east) <= south.min(north));
        if across {
            (self.x, self.vx) = if west <= east { (wide.x0, self.vx.min(0.0)) } else { (wide.x1, self.vx.max(0.0)) };
        } else {
            (self.z, self.vz) = if south <= north { (wide.z0, self.vz.min(0.0)) } else { (wide.z1, self.vz.max(0.0)) };
        }
    }

    /// Whether the walker overlaps nothing, but for rounding.
    pub(crate) fn is_free<'a>(&self, bounds: &Rect, solids: impl IntoIterator<Item = &'a Rect>) -> bool {
        bounds.grown(SLACK - RADIUS).contains(self.x, self.z)
            && solids.into_iter().all(|solid| {
                let (dx, dz) = solid.away(self.x, self.z);
                (dx * dx + dz * dz).sqrt() >= RADIUS - SLACK
            })
    }
}

/// `degrees` as a value from 0 up to 360.
pub(crate) fn wrap(degrees: f64) -> f64 {
    let turns = (degrees / 360.0).floor();
    let rest = degrees - 360.0 * turns;
    // A tiny negative angle rounds to a whole turn.
    if rest >= 360.0 { 0.0 } else { rest }
}

/// Where a walker is and looks, in words: the square of side `unit` from the west and from the south, and the wind.
pub(crate) fn whereabouts(x: f64, z: f64, yaw: f64, unit: f64) -> String {
    const WINDS: [&str; 8] = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
    let wind = WINDS[(wrap(yaw + 22.5) / 45.0) as usize % WINDS.len()];
    format!("at ({}, {}) facing {wind}", (x / unit).floor(), (z / unit).floor())
}
