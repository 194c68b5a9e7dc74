//! From a camera to rays: which direction a pixel looks in, and which pixels a slope falls on.

use crate::first_person::Camera;

/// Coordinates beyond this are cut, so that no product of two of them overflows.
const FAR: f32 = 1e9;

/// How close the eye may come to the floor.
const LOWEST_EYE: f32 = 1e-3;

/// A camera made for a picture of a certain size, with every number finite.
///
/// A ray through a pixel has a component of one along the view axis, so that the parameter along it is the depth. The
/// other two components are its slopes, to the right and upwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    /// The eye: east, up, north.
    pub(super) eye: [f32; 3],
    /// The level direction ahead: east, north.
    ahead: [f32; 2],
    /// Sine and cosine of the pitch.
    pitch: [f32; 2],
    width: usize,
    height: usize,
    /// Half the slope from one pixel to the next; pixels are square.
    half: f32,
    pixels_per_slope: f32,
}

impl Lens {
    pub(super) fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let tangent = if camera.tan_half_height > 0.0 { camera.tan_half_height.clamp(0.01, 100.0) } else { 0.75 };
        let (sine, cosine) = libm::sincosf(finite(camera.yaw));
        let (rise, level) = libm::sincosf(finite(camera.pitch));
        let rows = height as f32;
        Self {
            eye: [finite(camera.x), finite(camera.y).max(LOWEST_EYE), finite(camera.z)],
            ahead: [sine, cosine],
            pitch: [rise, level],
            width,
            height,
            half: tangent / rows,
            pixels_per_slope: rows * 0.5 / tangent,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// The slope from one pixel to the next, which is the size of a pixel at depth one.
    pub(super) fn pixel(&self) -> f32 {
        self.half * 2.0
    }

    /// The slope to the right of the middle of a column.
    pub(super) fn right_slope(&self, column: usize) -> f32 {
        (2 * column as i32 + 1 - self.width as i32) as f32 * self.half
    }

    /// The slope upwards of the middle of a row.
    pub(super) fn up_slope(&self, row: usize) -> f32 {
        (self.height as i32 - 2 * row as i32 - 1) as f32 * self.half
    }

    /// The number of rows whose middle is as high as `slope` or higher.
    pub(super) fn rows_above(&self, slope: f32) -> usize {
        let rows = self.height as f32;
        (rows * 0.5 + 0.5 - slope * self.pixels_per_slope).clamp(0.0, rows) as i32 as usize
    }

    /// First and end of the columns whose middle lies between two slopes; perhaps one more on either side.
    pub(super) fn columns_between(&self, left: f32, right: f32) -> (usize, usize) {
        let columns = self.width as f32;
        let place = |slope: f32| columns * 0.5 + slope * self.pixels_per_slope;
        ((place(left) - 1.0).clamp(0.0, columns) as usize, (place(right) + 2.0).clamp(0.0, columns) as usize)
    }

    /// First and end of the rows whose middle lies between two slopes; perhaps one more on either side.
    pub(super) fn rows_between(&self, bottom: f32, top: f32) -> (usize, usize) {
        let rows = self.height as f32;
        let place = |slope: f32| rows * 0.5 - slope * self.pixels_per_slope;
        ((place(top) - 1.0).clamp(0.0, rows) as usize, (place(bottom) + 2.0).clamp(0.0, rows) as usize)
    }

    /// The level direction of a column at pitch zero: east and north for each unit of depth.
    pub(super) fn level_ray(&self, right: f32) -> [f32; 2] {
        let [sine, cosine] = self.ahead;
        [sine + cosine * right, cosine - sine * right]
    }

    /// The direction of a pixel at any pitch: east, up and north for each unit of depth.
    pub(super) fn ray(&self, right: f32, up: f32) -> [f32; 3] {
        let ([rise, level], forward) = (self.pitch, self.forward(up));
        let [sine, cosine] = self.ahead;
        [sine * forward + cosine * right, rise + level * up, cosine * forward - sine * right]
    }

    /// The level direction ahead: east, north.
    pub(super) fn ahead(&self) -> [f32; 2] {
        self.ahead
    }

    /// The level part of the direction of a row's pixels that goes ahead, at any pitch.
    pub(super) fn forward(&self, up: f32) -> f32 {
        let [rise, level] = self.pitch;
        level - rise * up
    }

    /// A point as the camera sees it: to the right, up and ahead.
    pub(super) fn seen(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let (x, y, z) = (x - self.eye[0], y - self.eye[1], z - self.eye[2]);
        let [sine, cosine] = self.ahead;
        let forward = x * sine + z * cosine;
        let [rise, level] = self.pitch;
        [x * cosine - z * sine, y * level - forward * rise, forward * level + y * rise]
    }
}

/// The number itself within [`FAR`], zero for what is not a number.
pub(super) fn finite(number: f32) -> f32 {
    if number.is_nan() { 0.0 } else { number.clamp(-FAR, FAR) }
}

/// The larger of two numbers, the second if the first is none: [`f32::max`] in one instruction.
#[inline]
pub(super) fn larger(first: f32, second: f32) -> f32 {
    if first > second { first } else { second }
}

/// The smaller of two numbers, the second if the first is none.
#[inline]
pub(super) fn smaller(first: f32, second: f32) -> f32 {
    if first < second { first } else { second }
}
