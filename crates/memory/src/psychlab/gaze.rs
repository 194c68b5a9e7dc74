//! Where the agent looks.

use heldout_core::Rng;
use heldout_core::check::{that, within};
use heldout_render::panel::Sight;
use serde::{Deserialize, Serialize};

use crate::walker::controls::{DEGREES_PER_PIXEL, MOST_PITCH};
use crate::walker::sight::{TAN_ACROSS, TAN_UP};

/// Side of the screen, in units of the published map.
pub(crate) const SCREEN_SIDE: f64 = 112.0;
/// Distance from the eye to the screen, in the same units.
pub(crate) const DISTANCE: f64 = 90.5;
/// Pixels per frame that the discrete actions look by. A step of them is narrower than a button is wide, so that every
/// button lies on the lattice of gazes whatever the yaw at the start.
pub(crate) const LOOK: i32 = 16;
/// Episodes begin with a yaw of at most this many degrees to either side.
pub(crate) const START_YAW: f64 = 22.5;

/// Degrees that no episode is long enough to turn by.
const MOST_YAW: f64 = 1e9;

/// The direction of the eyes, and where it meets the plane of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gaze {
    /// Degrees to the right of the screen's middle, without bounds.
    pub(crate) yaw: f64,
    /// Degrees upwards.
    pub(crate) pitch: f64,
    /// Whether it points to the screen's half of the room.
    ahead: bool,
    /// From left to right: the screen is 0 to 1.
    u: f64,
    /// From top to bottom: the screen is 0 to 1.
    v: f64,
}

impl Gaze {
    /// A gaze in this direction, in degrees.
    pub(crate) fn new(yaw: f64, pitch: f64) -> Self {
        let mut gaze = Self { yaw, pitch, ahead: true, u: 0.5, v: 0.5 };
        gaze.meet();
        gaze
    }

    /// The gaze at the beginning of an episode.
    pub(crate) fn start(rng: &mut Rng) -> Self {
        Self::new(START_YAW * (2.0 * rng.unit() - 1.0), 0.0)
    }

    /// Turns by pixel units, to the right and upwards.
    pub(crate) fn turn(&mut self, right: i32, up: i32) {
        if (right, up) == (0, 0) {
            return;
        }
        self.yaw += f64::from(right) * DEGREES_PER_PIXEL;
        self.pitch = (self.pitch + f64::from(up) * DEGREES_PER_PIXEL).clamp(-MOST_PITCH, MOST_PITCH);
        self.meet();
    }

    /// Checks that turning could have brought it here.
    pub(crate) fn check(&self) -> Result<(), String> {
        within("yaw", self.yaw, -MOST_YAW..=MOST_YAW)?;
        within("pitch", self.pitch, -MOST_PITCH..=MOST_PITCH)?;
        let follows = *self == Self::new(self.yaw, self.pitch);
        that("gaze", format!("{}, {}", self.u, self.v), follows, "where its yaw and pitch meet the screen")
    }

    /// Where the gaze meets the plane of the screen.
    fn meet(&mut self) {
        let (sine, cosine) = libm::sincos(self.yaw.to_radians());
        self.ahead = cosine > 0.0;
        if self.ahead {
            self.u = 0.5 + DISTANCE * (sine / cosine) / SCREEN_SIDE;
            self.v = 0.5 - DISTANCE * libm::tan(self.pitch.to_radians()) / (SCREEN_SIDE * cosine);
        } else {
            // Behind, only the side counts on which the screen was left.
            self.u = if sine > 0.0 { 1.0 } else { 0.0 };
            self.v = 0.5 - 0.5 * (self.pitch / MOST_PITCH);
        }
    }

    /// The place on the screen, from left to right and from top to bottom; `None` if the gaze misses it.
    pub(crate) fn on_screen(&self) -> Option<(f64, f64)> {
        let within = self.ahead && (0.0..=1.0).contains(&self.u) && (0.0..=1.0).contains(&self.v);
        within.then_some((self.u, self.v))
    }

    /// The place on the screen that is nearest to the gaze.
    pub(crate) fn nearest(&self) -> (f64, f64) {
        (self.u.clamp(0.0, 1.0), self.v.clamp(0.0, 1.0))
    }

    /// Whether the middle of the screen is within the field of view of 90 x 73.7 degrees. It is whenever the gaze is on
    /// the screen.
    pub(crate) fn sees_middle(&self) -> bool {
        let ((ys, yc), (ps, pc)) = (libm::sincos(self.yaw.to_radians()), libm::sincos(self.pitch.to_radians()));
        let (x, y, z) = (-ys, -yc * ps, yc * pc);
        z > 0.0 && x.abs() <= TAN_ACROSS * z && y.abs() <= TAN_UP * z
    }

    /// The gaze as the renderer has it, in perspective.
    pub(crate) fn turned(&self) -> Sight {
        Sight::Turned { yaw: self.yaw.to_radians(), pitch: self.pitch.to_radians() }
    }

    /// The gaze as the renderer has it, on a flat panel. Behind, the panel is out of sight.
    pub(crate) fn flat(&self) -> Sight {
        if self.ahead { Sight::Flat { u: self.u, v: self.v } } else { Sight::Flat { u: f64::INFINITY, v: 0.5 } }
    }
}
