//! The walker of the maze: Quake's movement on the ground, in Quake's units.

use heldout_core::check::{all_within, that, within};
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::walker::body::wrap;
use crate::walker::controls::{DEGREES_PER_PIXEL, LabControls, MOST_PITCH};

/// Units along the side of a cell.
pub(crate) const CELL: f64 = 100.0;
/// Half the width of the walker.
pub(crate) const HALF_WIDTH: f64 = 15.0;
/// Height of the eye.
pub(crate) const EYE: f64 = 50.0;
/// Seconds of the engine in a tick.
const TICK: f64 = 0.016;
/// Units per second.
const SPEED: f64 = 320.0;
/// How fast speed is gained, lost, and below which speed it is lost as if it were that.
const ACCELERATION: f64 = 10.0;
const FRICTION: f64 = 6.0;
const STOP_SPEED: f64 = 100.0;

/// Where the walker is, how it moves and where it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Runner {
    pub(crate) x: f64,
    pub(crate) z: f64,
    /// Units eastward per second.
    pub(crate) vx: f64,
    /// Units northward per second.
    pub(crate) vz: f64,
    /// Degrees from north, clockwise seen from above, 0 to 360.
    pub(crate) yaw: f64,
    /// Degrees above the horizon.
    pub(crate) pitch: f64,
}

impl Runner {
    /// A walker at rest that looks level.
    pub(crate) fn at(x: f64, z: f64, yaw: f64) -> Self {
        Self { x, z, yaw: wrap(yaw), ..Self::default() }
    }

    /// Checks that a run through `plan` could have brought it here.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), String> {
        let open = plan.is_open((self.x / CELL).floor() as i32, (self.z / CELL).floor() as i32);
        that("place", format!("{}, {}", self.x, self.z), open, "in an open cell of the maze")?;
        all_within("speed", [self.vx, self.vz], &(-2.0 * SPEED..=2.0 * SPEED))?;
        within("yaw", self.yaw, 0.0..=360.0)?;
        within("pitch", self.pitch, -MOST_PITCH..=MOST_PITCH)
    }

    /// Advances a tick in `plan`.
    pub(crate) fn tick(&mut self, controls: LabControls, plan: &Plan) {
        if controls.turn != 0 {
            self.yaw = wrap(self.yaw + DEGREES_PER_PIXEL * f64::from(controls.turn));
        }
        let pitch = self.pitch + DEGREES_PER_PIXEL * f64::from(controls.tilt);
        self.pitch = pitch.clamp(-MOST_PITCH, MOST_PITCH);
        self.rub();
        self.push(controls);
        if self.vx != 0.0 {
            self.slide_east(plan);
        }
        if self.vz != 0.0 {
            self.slide_north(plan);
        }
    }

    /// Friction.
    fn rub(&mut self) {
        let speed = (self.vx * self.vx + self.vz * self.vz).sqrt();
        if speed > 0.0 {
            let left = (speed - speed.max(STOP_SPEED) * FRICTION * TICK).max(0.0) / speed;
            self.vx *= left;
            self.vz *= left;
        }
    }

    /// Acceleration: up to full speed in the wanted direction.
    fn push(&mut self, controls: LabControls) {
        let (strafe, advance) = (f64::from(controls.strafe), f64::from(controls.advance));
        if strafe == 0.0 && advance == 0.0 {
            return;
        }
        let (sin, cos) = libm::sincos(self.yaw.to_radians());
        let length = (strafe * strafe + advance * advance).sqrt();
        let wish_x = (advance * sin + strafe * cos) / length;
        let wish_z = (advance * cos - strafe * sin) / length;
        let missing = SPEED - (self.vx * wish_x + self.vz * wish_z);
        if missing > 0.0 {
            let gain = missing.min(ACCELERATION * SPEED * TICK);
            self.vx += gain * wish_x;
            self.vz += gain * wish_z;
        }
    }

    fn slide_east(&mut self, plan: &Plan) {
        let wanted = self.x + self.vx * TICK;
        let (low, high) = span(self.z);
        let blocked = |column: i32| (low..=high).any(|row| !plan.is_open(column, row));
        self.x = wanted;
        if let Some(x) = stopped(wanted, self.vx, blocked) {
            (self.x, self.vx) = (x, 0.0);
        }
    }

    fn slide_north(&mut self, plan: &Plan) {
        let wanted = self.z + self.vz * TICK;
        let (low, high) = span(self.x);
        let blocked = |row: i32| (low..=high).any(|column| !plan.is_open(column, row));
        self.z = wanted;
        if let Some(z) = stopped(wanted, self.vz, blocked) {
            (self.z, self.vz) = (z, 0.0);
        }
    }
}

/// The first and the last cell that a walker at `at` covers a part of.
fn span(at: f64) -> (i32, i32) {
    (((at - HALF_WIDTH) / CELL).floor() as i32, ((at + HALF_WIDTH) / CELL).ceil() as i32 - 1)
}

/// Where a walker that wants to be at `wanted` is stopped by a wall ahead, if it is. A tick is shorter than a cell.
fn stopped(wanted: f64, speed: f64, blocked: impl Fn(i32) -> bool) -> Option<f64> {
    let (low, high) = span(wanted);
    if speed > 0.0 {
        blocked(high).then(|| f64::from(high) * CELL - HALF_WIDTH)
    } else {
        blocked(low).then(|| f64::from(low + 1) * CELL + HALF_WIDTH)
    }
}
