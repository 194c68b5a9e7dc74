//! The symbolic observation of the tasks that look for a goal: what a picture would show, as numbers.

use heldout_render::first_person::{Grid, Sky, Surface, Wall};

/// Rays over the field of view.
pub const RAYS: usize = 16;
/// Numbers of a ray: distance, red, green, blue.
pub const RAY: usize = 4;
/// Where the sun begins: whether it is in view, sine and cosine of its bearing.
pub const SUN: usize = RAYS * RAY;
/// Where the last reward is.
pub const REWARD: usize = SUN + 3;
/// Where the goal begins: whether it is in view, sine and cosine of its bearing, distance.
pub const GOAL: usize = REWARD + 1;
/// Where the pose begins, if there is one: east, north, sine and cosine of the yaw.
pub const POSE: usize = GOAL + 4;
/// Numbers without the pose.
pub const FEATURES: usize = POSE;
/// Numbers with the pose.
pub const FEATURES_WITH_POSE: usize = POSE + 4;
/// Degrees between the outermost rays.
const FIELD: f64 = 90.0;
/// Tangents of half the field of view, across and up: what 96x72 shows.
const TAN_ACROSS: f64 = 1.0;
const TAN_UP: f64 = 0.75;
/// Slope of the middle of the sun.
const SUN_SLOPE: f64 = 0.5;

/// Where the eye is and where it looks, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// East.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// North.
    pub z: f64,
    /// From north, clockwise.
    pub yaw: f64,
    /// Above the horizon.
    pub pitch: f64,
}

/// What may be seen beside walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sights {
    /// Whether there is a sun.
    pub sun: bool,
    /// Height of the walls that may hide it.
    pub wall: f64,
    /// The goal's middle, if it is drawn: east, up, north.
    pub goal: Option<[f64; 3]>,
    /// The last reward.
    pub reward: f32,
    /// World units that are written as one.
    pub unit: f64,
    /// Whether the pose is to be written.
    pub pose: bool,
}

/// The directions of the rays.
#[derive(Clone, Debug)]
pub struct Fan([(f64, f64); RAYS]);

impl Default for Fan {
    fn default() -> Self {
        let angle = |i: usize| (FIELD * (i as f64 / (RAYS - 1) as f64 - 0.5)).to_radians();
        Self(std::array::from_fn(|i| libm::sincos(angle(i))))
    }
}

impl Fan {
    /// How far ray `i` turns to the right, as sine and cosine.
    #[must_use]
    pub fn turn(&self, i: usize) -> (f64, f64) {
        self.0[i]
    }

    /// Writes what `eye` sees.
    pub fn write(&self, eye: &Eye, grid: &Grid<'_>, sights: &Sights, out: &mut [f32]) {
        let (sin, cos) = libm::sincos(eye.yaw.to_radians());
        let tilt = if eye.pitch == 0.0 { (0.0, 1.0) } else { libm::sincos(eye.pitch.to_radians()) };
        let (x, z) = (eye.x as f32, eye.z as f32);
        for ((ray_sin, ray_cos), out) in self.0.iter().zip(out.chunks_exact_mut(RAY)) {
            let (east, north) = (sin * ray_cos + cos * ray_sin, cos * ray_cos - sin * ray_sin);
            let hit = grid.cast_above(x, z, east as f32, north as f32, eye.y as f32);
            out.fill(0.0);
            if let Some(hit) = hit {
                out[0] = hit.distance / sights.unit as f32;
                let tint = surface(&grid.walls[hit.wall as usize]).tint;
                for (out, level) in out[1..].iter_mut().zip(tint.0) {
                    *out = f32::from(level) / 255.0;
                }
            }
        }
        // How far a direction leads ahead, to the right and up, as the picture has it.
        let framed = |east: f64, up: f64, north: f64| {
            let (level, right) = (east * sin + north * cos, east * cos - north * sin);
            let ahead = level * tilt.1 + up * tilt.0;
            let up = up * tilt.1 - level * tilt.0;
            (ahead > 0.0 && right.abs() <= TAN_ACROSS * ahead && up.abs() <= TAN_UP * ahead).then_some((level, right))
        };
        out[SUN..REWARD].fill(0.0);
        if sights.sun {
            let (east, north) = libm::sincos(f64::from(Sky::SUN_BEARING));
            let clear = || {
                let hit = grid.cast_above(x, z, east as f32, north as f32, eye.y as f32);
                hit.is_none_or(|hit| sights.wall - eye.y < SUN_SLOPE * f64::from(hit.distance))
            };
            if let Some((level, right)) = framed(east, SUN_SLOPE, north)
                && clear()
            {
                out[SUN..REWARD].copy_from_slice(&[1.0, right as f32, level as f32]);
            }
        }
        out[REWARD] = sights.reward;
        out[GOAL..POSE].fill(0.0);
        if let Some([goal_x, goal_y, goal_z]) = sights.goal {
            let (east, up, north) = (goal_x - eye.x, goal_y - eye.y, goal_z - eye.z);
            let clear = || grid.cast(x, z, east as f32, north as f32).is_none_or(|hit| hit.distance >= 1.0);
            if let Some((level, right)) = framed(east, up, north)
                && clear()
            {
                let distance = (level * level + right * right).sqrt();
                let seen = [1.0, right / distance, level / distance, distance / sights.unit];
                out[GOAL..POSE].copy_from_slice(&seen.map(|v| v as f32));
            }
        }
        if sights.pose {
            out[POSE..].copy_from_slice(&[eye.x / sights.unit, eye.z / sights.unit, sin, cos].map(|v| v as f32));
        }
    }
}

fn surface(wall: &Wall) -> &Surface {
    match wall {
        Wall::Solid { surface, .. } | Wall::Block { surface, .. } => surface,
    }
}
