//! What is in view: the camera of a picture, and what the picture shows, as numbers.

use heldout_render::first_person::{Camera, Grid, Sky, Wall};

use super::body::{Body, EYE};

/// Rays over the field of view.
pub(crate) const RAYS: usize = 16;
/// Numbers of a ray: distance, red, green, blue.
pub(crate) const RAY: usize = 4;
/// Where the sun begins: whether it is in view, sine and cosine of its bearing.
pub(crate) const SUN: usize = RAYS * RAY;
/// Where the last reward is.
pub(crate) const REWARD: usize = SUN + 3;
/// Where the goal begins: whether it is in view, sine and cosine of its bearing, distance.
pub(crate) const GOAL: usize = REWARD + 1;
/// Where the pose begins, if there is one: east, north, sine and cosine of the yaw.
pub(crate) const POSE: usize = GOAL + 4;
/// Numbers without the pose.
pub(crate) const FEATURES: usize = POSE;
/// Numbers with the pose.
pub(crate) const FEATURES_WITH_POSE: usize = POSE + 4;
/// Tangents of half the field of view, across and up: 90 by 74 degrees, what 96x72 shows.
pub(crate) const TAN_ACROSS: f64 = 1.0;
pub(crate) const TAN_UP: f64 = 0.75;
/// Degrees between the outermost rays.
const FIELD: f64 = 90.0;
/// Slope of the middle of the sun.
const SUN_SLOPE: f64 = 0.5;

/// Where the eye is and where it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eye {
    /// East, up, north.
    pub(crate) at: [f64; 3],
    /// Degrees from north, clockwise, and above the horizon.
    yaw: f64,
    pitch: f64,
    /// Sine and cosine of both.
    pub(crate) turn: (f64, f64),
    tilt: (f64, f64),
}

/// Something in view: sine and cosine of the angle to the right of straight ahead, and the distance on the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sighting {
    pub(crate) sin: f64,
    pub(crate) cos: f64,
    pub(crate) distance: f64,
}

impl Eye {
    pub(crate) fn new(at: [f64; 3], yaw: f64, pitch: f64) -> Self {
        let tilt = if pitch == 0.0 { (0.0, 1.0) } else { libm::sincos(pitch.to_radians()) };
        Self { at, yaw, pitch, turn: libm::sincos(yaw.to_radians()), tilt }
    }

    /// The eye of a walker of the Unity tasks.
    pub(crate) fn of(body: &Body) -> Self {
        Self::new([body.x, EYE, body.z], body.yaw, body.pitch)
    }

    /// The eye as the renderer wants it.
    pub(crate) fn camera(&self) -> Camera {
        let [x, y, z] = self.at.map(|v| v as f32);
        let (yaw, pitch) = (self.yaw.to_radians() as f32, self.pitch.to_radians() as f32);
        Camera { x, y, z, yaw, pitch, tan_half_height: TAN_UP as f32 }
    }

    /// How far a direction leads ahead and to the right along the floor, if the picture has it.
    fn framed(&self, east: f64, up: f64, north: f64) -> Option<(f64, f64)> {
        let ((sin, cos), tilt) = (self.turn, self.tilt);
        let (level, right) = (east * sin + north * cos, east * cos - north * sin);
        let ahead = level * tilt.1 + up * tilt.0;
        let up = up * tilt.1 - level * tilt.0;
        (ahead > 0.0 && right.abs() <= TAN_ACROSS * ahead && up.abs() <= TAN_UP * ahead).then_some((level, right))
    }

    /// What stands at (`x`, `z`) from height `low` to `high`, if the picture has it; walls are not considered.
    pub(crate) fn sees(&self, x: f64, z: f64, (low, high): (f64, f64)) -> Option<Sighting> {
        let [eye_x, eye_y, eye_z] = self.at;
        let (dx, dz) = (x - eye_x, z - eye_z);
        // The part that is nearest to the middle of the picture.
        let middle = (dx * self.turn.0 + dz * self.turn.1) * self.tilt.0 / self.tilt.1;
        let (level, right) = self.framed(dx, middle.clamp(low - eye_y, high - eye_y), dz)?;
        let distance = (dx * dx + dz * dz).sqrt();
        Some(Sighting { sin: right / distance, cos: level / distance, distance })
    }
}

/// What may be seen beside walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sights {
    /// Whether there is a sun.
    pub(crate) sun: bool,
    /// Height of the walls that may hide it.
    pub(crate) wall: f64,
    /// The goal's middle, if it is drawn: east, up, north.
    pub(crate) goal: Option<[f64; 3]>,
    /// The last reward.
    pub(crate) reward: f32,
    /// World units that are written as one.
    pub(crate) unit: f64,
    /// Whether the pose is to be written.
    pub(crate) pose: bool,
}

/// The directions of the rays.
#[derive(Clone, Debug)]
pub(crate) struct Fan([(f64, f64); RAYS]);

impl Default for Fan {
    fn default() -> Self {
        let angle = |i: usize| (FIELD * (i as f64 / (RAYS - 1) as f64 - 0.5)).to_radians();
        Self(std::array::from_fn(|i| libm::sincos(angle(i))))
    }
}

impl Fan {
    /// How many numbers there are, and their bounds, where no step pays more than `most`.
    pub(crate) fn bounds(pose: bool, most: f32) -> (usize, f32, f32) {
        (if pose { FEATURES_WITH_POSE } else { FEATURES }, -1.0, most.max(4.0))
    }

    /// How far ray `i` turns to the right, as sine and cosine.
    pub(crate) fn turn(&self, i: usize) -> (f64, f64) {
        self.0[i]
    }

    /// Writes what `eye` sees.
    pub(crate) fn write(&self, eye: &Eye, grid: &Grid<'_>, sights: &Sights, out: &mut [f32]) {
        let ((sin, cos), [eye_x, eye_y, eye_z]) = (eye.turn, eye.at);
        let (x, y, z) = (eye_x as f32, eye_y as f32, eye_z as f32);
        for ((ray_sin, ray_cos), out) in self.0.iter().zip(out.chunks_exact_mut(RAY)) {
            let (east, north) = (sin * ray_cos + cos * ray_sin, cos * ray_cos - sin * ray_sin);
            let hit = grid.cast_above(x, z, east as f32, north as f32, y);
            out.fill(0.0);
            if let Some(hit) = hit {
                out[0] = hit.distance / sights.unit as f32;
                let (Wall::Solid { surface, .. } | Wall::Block { surface, .. }) = &grid.walls[hit.wall as usize];
                let tint = surface.tint;
                for (out, level) in out[1..].iter_mut().zip(tint.0) {
                    *out = f32::from(level) / 255.0;
                }
            }
        }
        out[SUN..REWARD].fill(0.0);
        if sights.sun {
            let (east, north) = libm::sincos(f64::from(Sky::SUN_BEARING));
            let clear = || {
                let hit = grid.cast_above(x, z, east as f32, north as f32, y);
                hit.is_none_or(|hit| sights.wall - eye_y < SUN_SLOPE * f64::from(hit.distance))
            };
            if let Some((level, right)) = eye.framed(east, SUN_SLOPE, north)
                && clear()
            {
                out[SUN..REWARD].copy_from_slice(&[1.0, right as f32, level as f32]);
            }
        }
        out[REWARD] = sights.reward;
        out[GOAL..POSE].fill(0.0);
        if let Some([goal_x, goal_y, goal_z]) = sights.goal {
            let (east, up, north) = (goal_x - eye_x, goal_y - eye_y, goal_z - eye_z);
            let clear = || grid.cast(x, z, east as f32, north as f32).is_none_or(|hit| hit.distance >= 1.0);
            if let Some((level, right)) = eye.framed(east, up, north)
                && clear()
            {
                let distance = (level * level + right * right).sqrt();
                let seen = [1.0, right / distance, level / distance, distance / sights.unit];
                out[GOAL..POSE].copy_from_slice(&seen.map(|v| v as f32));
            }
        }
        if sights.pose {
            out[POSE..].copy_from_slice(&[eye_x / sights.unit, eye_z / sights.unit, sin, cos].map(|v| v as f32));
        }
    }
}
