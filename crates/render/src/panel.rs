//! The panel: a square screen hung in an empty room, seen by somebody who turns the head but does not walk.
//!
//! Straight lines stay straight, so a row of the picture meets the screen in one run of pixels, found by four
//! inequalities that are linear along the row: rows without the screen cost only their background. Within the run a pixel
//! takes one division and one bilinear sample.

use crate::{Canvas, Rgb};

/// The tangent of half the vertical field of view: 90 degrees across at 4:3.
const TAN_HALF_HEIGHT: f32 = 0.75;
/// How far the frame reaches beyond the screen, as a share of half the screen's side.
const FRAME: f32 = 0.05;
/// The frame around the screen.
const FRAME_COLOUR: Rgb = Rgb::new(52, 54, 60);
/// What lies around a flat screen.
const FLAT_COLOUR: Rgb = Rgb::new(108, 120, 136);
/// The marks around the middle of the picture: to be told from white, from black and from what screens show.
const RETICLE_COLOUR: Rgb = Rgb::new(40, 84, 255);
/// How far they are from the middle, to the side and upwards or downwards, as a share of the screen's side: what is in the
/// middle, or straight beside, above or below it, stays free, by a gaze that is a little aside too.
const RETICLE: f32 = 0.11;
/// Elevations that the room's colours are listed for, in whole degrees to either side of the horizon.
const ELEVATIONS: i32 = 140;
/// Bits of the fraction of a texel.
const FRACTION: u32 = 4;
/// Pixels whose places are found together.
const RUN: usize = 16;

/// How somebody looks at the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// In perspective: turned from the screen's middle by `yaw` to the right and `pitch` upwards, in radians.
    Turned {
        /// Angle to the right.
        yaw: f64,
        /// Angle upwards.
        pitch: f64,
    },
    /// Flat: the part of the screen's plane around `(u, v)`, as large as in perspective from straight ahead. The screen
    /// is the unit square, `u` to the right and `v` downwards.
    Flat {
        /// Where the middle of the picture is, from left to right.
        u: f64,
        /// Where it is, from top to bottom.
        v: f64,
    },
    /// Flat, and the screen fills the height of the picture.
    Whole,
}

/// A point of a surface: green, red and blue from the highest, sixteen bits each, so that sums have room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texel(u64);

impl Texel {
    /// A texel of this colour.
    #[inline]
    #[must_use]
    pub const fn new(Rgb([red, green, blue]): Rgb) -> Self {
        Self((green as u64) << 32 | (red as u64) << 16 | blue as u64)
    }

    /// The texel with `part` 256ths of another one, to the nearest integer.
    #[must_use]
    pub const fn with(self, other: Self, part: u32) -> Self {
        const HALVES: u64 = 0x0080_0080_0080;
        const BYTES: u64 = 0x00ff_00ff_00ff;
        let sum = self.0 * (256 - part as u64) + other.0 * part as u64 + HALVES;
        Self(sum >> 8 & BYTES)
    }
}

/// What the screen shows: a square of `side * side` texels, rows from the top.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    side: usize,
    texels: &'a [Texel],
}

impl<'a> Surface<'a> {
    /// A surface over the caller's texels.
    ///
    /// # Panics
    /// If `texels` are not `side * side`, or `side` is not 2 to 1024.
    #[must_use]
    #[track_caller]
    pub fn new(side: usize, texels: &'a [Texel]) -> Self {
        assert!((2..=1024).contains(&side), "a surface is 2 to 1024 texels a side, not `{side}`");
        assert!(
            texels.len() == side * side,
            "a surface of {side} takes {} texels, not `{}`",
            side * side,
            texels.len()
        );
        Self { side, texels }
    }
}

/// The screen in its room, for pictures of one size.
#[derive(Clone, Debug)]
pub struct Panel {
    width: usize,
    height: usize,
    /// Half the screen's side over its distance from the eye.
    half: f32,
    /// Whether four pixels mark the middle of the picture.
    reticle: bool,
    /// The elevation of each row when looking straight ahead, in degrees.
    elevations: Vec<f32>,
    /// The colour at each elevation.
    room: Vec<Rgb>,
}

/// One row of the picture: where it meets the plane of the screen, linear in the column.
#[derive(Clone, Copy)]
struct Ray {
    /// To the right, at column 0 and its growth a column.
    x: (f32, f32),
    /// Upwards.
    y: f32,
    /// Into the depth.
    z: (f32, f32),
}

/// A way to look at the screen, prepared for all rows.
#[derive(Clone, Copy)]
struct Eye {
    yaw: (f32, f32),
    pitch: (f32, f32),
    /// What the flat view is moved by.
    shift: (f32, f32),
    /// The size of a flat view against that in perspective.
    zoom: f32,
}

impl Panel {
    /// A screen whose half side is `half` times its distance from the eye, for pictures of `width` x `height`.
    #[must_use]
    pub fn new(width: usize, height: usize, half: f64, reticle: bool) -> Self {
        let elevation = |row: usize| {
            let up = 1.0 - (2 * row + 1) as f32 / height as f32;
            libm::atanf(up * TAN_HALF_HEIGHT).to_degrees()
        };
        let elevations = (0..height).map(elevation).collect();
        let room = (-ELEVATIONS..=ELEVATIONS).map(room).collect();
        Self { width, height, half: half as f32, reticle, elevations, room }
    }

    /// Whether any of the screen may be in the picture: a picture without it needs no surface.
    #[must_use]
    pub fn sees(&self, sight: Sight) -> bool {
        let Some(eye) = Eye::of(sight, self.half) else { return false };
        let wide = self.tan_half_width();
        // Outside if all corners, the frame's included, lie beyond the same side of the field of view.
        let reach = self.half * (1.0 + FRAME);
        let mut beyond = [true; 5];
        for (x, y) in [(-reach, -reach), (-reach, reach), (reach, -reach), (reach, reach)] {
            let (x, y, z) = eye.seen(x, y);
            for (all, out) in beyond.iter_mut().zip([
                x < -wide * z,
                x > wide * z,
                y < -TAN_HALF_HEIGHT * z,
                y > TAN_HALF_HEIGHT * z,
                z <= 0.0,
            ]) {
                *all &= out;
            }
        }
        beyond.iter().all(|all| !all)
    }

    /// Paints the picture; without a surface, that of the room alone.
    ///
    /// # Panics
    /// If the canvas is of another size than the panel.
    pub fn draw(&self, sight: Sight, surface: Option<Surface<'_>>, canvas: &mut Canvas<'_>) {
        assert!(
            canvas.width() == self.width && canvas.height() == self.height,
            "the panel is {}x{}, but the canvas is `{}`x`{}`",
            self.width,
            self.height,
            canvas.width(),
            canvas.height()
        );
        let eye = surface.and_then(|surface| Some((surface, Eye::of(sight, self.half)?)));
        let pitch = match sight {
            Sight::Turned { pitch, .. } => Some(pitch.to_degrees() as f32),
            _ => None,
        };
        for row in 0..self.height {
            let room = pitch.map_or(FLAT_COLOUR, |pitch| self.room_at(self.elevations[row] + pitch));
            let pixels = canvas.row_mut(row);
            let Some((surface, eye)) = eye else {
                fill(pixels, room);
                continue;
            };
            let ray = eye.row(row, self.width, self.height);
            let frame = ray.within(self.half * (1.0 + FRAME), self.width);
            fill(&mut pixels[..frame.0], room);
            fill(&mut pixels[frame.1..], room);
            let screen = ray.within(self.half, self.width);
            if screen.0 >= screen.1 {
                fill(&mut pixels[frame.0..frame.1], FRAME_COLOUR);
                continue;
            }
            let (from, to) = (screen.0.max(frame.0), screen.1.min(frame.1));
            fill(&mut pixels[frame.0..from], FRAME_COLOUR);
            fill(&mut pixels[to..frame.1], FRAME_COLOUR);
            ray.sample(surface, self.half, from, &mut pixels[from..to]);
        }
        if self.reticle {
            let away = (RETICLE * self.height as f32 * self.half / TAN_HALF_HEIGHT).ceil() as i32;
            // Of an even number of pixels, two are in the middle.
            let ends = |pixels: usize| [(pixels as i32 - 1) / 2 - away, pixels as i32 / 2 + away];
            for (x, y) in ends(self.height).into_iter().flat_map(|y| ends(self.width).map(|x| (x, y))) {
                canvas.set(x, y, RETICLE_COLOUR);
            }
        }
    }

    fn tan_half_width(&self) -> f32 {
        TAN_HALF_HEIGHT * self.width as f32 / self.height as f32
    }

    fn room_at(&self, elevation: f32) -> Rgb {
        let index = elevation as i32 + ELEVATIONS;
        self.room[index.clamp(0, 2 * ELEVATIONS) as usize]
    }
}

/// The colour of the room at an elevation in degrees: bright above, a pale horizon, a dim ground.
fn room(elevation: i32) -> Rgb {
    let (horizon, end, steps) =
        if elevation >= 0 { ([168, 186, 204], [72, 108, 164], 90) } else { ([96, 98, 104], [44, 46, 54], 90) };
    let at = elevation.abs().min(steps);
    let mix = |from: i32, to: i32| (from + (to - from) * at / steps) as u8;
    Rgb::new(mix(horizon[0], end[0]), mix(horizon[1], end[1]), mix(horizon[2], end[2]))
}

impl Eye {
    /// `None` if the screen is nowhere in sight, whatever the picture's size.
    fn of(sight: Sight, half: f32) -> Option<Self> {
        let ahead = Self { yaw: (0.0, 1.0), pitch: (0.0, 1.0), shift: (0.0, 0.0), zoom: 1.0 };
        Some(match sight {
            Sight::Turned { yaw, pitch } => {
                let ((ys, yc), (ps, pc)) = (libm::sincos(yaw), libm::sincos(pitch));
                Self { yaw: (ys as f32, yc as f32), pitch: (ps as f32, pc as f32), ..ahead }
            }
            Sight::Flat { u, v } => {
                let (u, v) = (u as f32, v as f32);
                if !(u.is_finite() && v.is_finite()) {
                    return None;
                }
                Self { shift: ((2.0 * u - 1.0) * half, (1.0 - 2.0 * v) * half), ..ahead }
            }
            Sight::Whole => Self { zoom: half / TAN_HALF_HEIGHT, ..ahead },
        })
    }

    fn row(&self, row: usize, width: usize, height: usize) -> Ray {
        let tall = TAN_HALF_HEIGHT * self.zoom;
        let wide = tall * width as f32 / height as f32;
        let up = (1.0 - (2 * row + 1) as f32 / height as f32) * tall;
        let (first, grow) = (wide / width as f32 - wide, 2.0 * wide / width as f32);
        let ((ys, yc), (ps, pc)) = (self.yaw, self.pitch);
        let (rise, depth) = (up * pc + ps, pc - up * ps);
        Ray {
            x: (first * yc + depth * ys + self.shift.0, grow * yc),
            y: rise + self.shift.1,
            z: (depth * yc - first * ys, -grow * ys),
        }
    }

    /// A point of the screen's plane at distance 1, as the eye has it: to the right, upwards, into the depth.
    fn seen(&self, x: f32, y: f32) -> (f32, f32, f32) {
        let ((ys, yc), (ps, pc)) = (self.yaw, self.pitch);
        let (x, y) = ((x - self.shift.0) / self.zoom, (y - self.shift.1) / self.zoom);
        let (right, level) = (x * yc - ys, yc + x * ys);
        (right, y * pc - level * ps, level * pc + y * ps)
    }
}

impl Ray {
    /// The columns whose rays meet the square of this half side.
    fn within(&self, half: f32, width: usize) -> (usize, usize) {
        let (mut low, mut high) = (0.0_f32, width as f32 - 1.0);
        let (at, grow) = (half * self.z.0, half * self.z.1);
        for (at, grow) in [
            (at - self.x.0, grow - self.x.1),
            (at + self.x.0, grow + self.x.1),
            (at - self.y, grow),
            (at + self.y, grow),
        ] {
            // at + grow * column >= 0
            if grow > 0.0 {
                low = low.max(-at / grow);
            } else if grow < 0.0 {
                high = high.min(at / -grow);
            } else if at < 0.0 {
                return (0, 0);
            }
        }
        if low > high {
            return (0, 0);
        }
        let (from, to) = (low.ceil() as usize, high.floor() as usize + 1);
        if from >= to { (0, 0) } else { (from, to) }
    }

    /// Paints the columns from `first` on.
    fn sample(&self, surface: Surface<'_>, half: f32, first: usize, pixels: &mut [[u8; 3]]) {
        // Texel `t` has its centre at `t + 1/2`; positions are in 16ths of a texel from the first one's centre. The last
        // position still has a texel to its right and one below.
        let scale = (surface.side << FRACTION) as f32 * 0.5;
        let (middle, unit) = (scale - (1 << FRACTION) as f32 * 0.5, scale / half);
        let last = ((surface.side - 1) << FRACTION) as f32 - 1.0;
        let (x, y) = ((self.x.0 * unit, self.x.1 * unit), self.y * unit);
        let (mut across, mut down) = ([0; RUN], [0; RUN]);
        for (run, pixels) in pixels.chunks_mut(RUN).enumerate() {
            let begin = (first + run * RUN) as i32 as f32;
            for lane in 0..RUN {
                let column = begin + lane as i32 as f32;
                let near = 1.0 / (self.z.0 + self.z.1 * column);
                across[lane] = whole(middle + (x.0 + x.1 * column) * near, last);
                down[lane] = whole(middle - y * near, last);
            }
            for (pixel, (&across, &down)) in pixels.iter_mut().zip(across.iter().zip(&down)) {
                *pixel = surface.at(across, down);
            }
        }
    }
}

/// The integer nearest to a number after it is brought into the range from 0 to `last`. Beyond 2^23 floats are whole, so
/// that a sum rounds; unlike a cast, this is done for four numbers at a time.
#[inline]
fn whole(number: f32, last: f32) -> u32 {
    const WHOLE: f32 = 8_388_608.0;
    let number = if number > 0.0 { number } else { 0.0 };
    let number = if number < last { number } else { last };
    (number + WHOLE).to_bits() & 0x007f_ffff
}

impl Surface<'_> {
    /// The colour at a position in 16ths of a texel.
    #[inline]
    fn at(&self, across: u32, down: u32) -> [u8; 3] {
        const WHOLE: u32 = 1 << FRACTION;
        let (left, top) = ((across >> FRACTION) as usize, (down >> FRACTION) as usize);
        let (fx, fy) = (u64::from(across & (WHOLE - 1)), u64::from(down & (WHOLE - 1)));
        let (rx, ry) = (u64::from(WHOLE) - fx, u64::from(WHOLE) - fy);
        let at = top * self.side + left;
        let (upper, lower) = (&self.texels[at..at + 2], &self.texels[at + self.side..at + self.side + 2]);
        // Weights are 256 in all, so that a sum of bytes keeps to its sixteen bits.
        let sum = (upper[0].0 * ry + lower[0].0 * fy) * rx + (upper[1].0 * ry + lower[1].0 * fy) * fx;
        [(sum >> 24) as u8, (sum >> 40) as u8, (sum >> 8) as u8]
    }
}

/// Paints all pixels, sixteen at a time.
fn fill(pixels: &mut [[u8; 3]], colour: Rgb) {
    let many = [colour.0; 16];
    let (chunks, rest) = pixels.as_chunks_mut();
    chunks.fill(many);
    rest.fill(colour.0);
}
