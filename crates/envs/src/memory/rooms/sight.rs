//! What is in view of a walker, for symbolic observations.

use crate::memory::Body;
use crate::memory::body::EYE;
use crate::memory::view::TAN_HALF_HEIGHT;

/// Tangent of half the horizontal field of view: 90 degrees across.
const TAN_HALF_WIDTH: f64 = 1.0;

/// Something in view, as its bearing and distance on the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sighting {
    /// Sine of the angle to the right of straight ahead.
    pub sin: f64,
    /// Cosine of that angle.
    pub cos: f64,
    /// Metres.
    pub distance: f64,
}

/// A walker's eye and the direction it looks in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    /// East.
    pub x: f64,
    /// North.
    pub z: f64,
    /// Sine of the yaw.
    pub sin: f64,
    /// Cosine of the yaw.
    pub cos: f64,
    /// Tangents of the lowest and the highest angle in view.
    slopes: (f64, f64),
}

impl Eye {
    /// The eye of `body`.
    #[must_use]
    pub(super) fn of(body: &Body) -> Self {
        let (sin, cos) = body.ahead();
        let tan = f64::from(TAN_HALF_HEIGHT);
        // The picture shifts by the tangent of the pitch.
        let shift = if body.pitch == 0.0 { 0.0 } else { libm::tan(body.pitch.to_radians()) };
        Self { x: body.x, z: body.z, sin, cos, slopes: (shift - tan, shift + tan) }
    }

    /// What stands at (`x`, `z`) from height `low` to `high`, if it is in the field of view; walls are not considered.
    #[must_use]
    pub(super) fn sees(&self, x: f64, z: f64, (low, high): (f64, f64)) -> Option<Sighting> {
        let (dx, dz) = (x - self.x, z - self.z);
        let ahead = dx * self.sin + dz * self.cos;
        let right = dx * self.cos - dz * self.sin;
        let across = ahead > 0.0 && right.abs() <= TAN_HALF_WIDTH * ahead;
        let upright = high - EYE >= self.slopes.0 * ahead && low - EYE <= self.slopes.1 * ahead;
        if !across || !upright {
            return None;
        }
        let distance = (dx * dx + dz * dz).sqrt();
        Some(Sighting { sin: right / distance, cos: ahead / distance, distance })
    }
}
