//! Our own images: a few shapes in two hues, put together by a seed.
//!
//! An image is a function of the place, so that it can be painted at any size. Only sums, products, quotients and roots
//! occur beside `libm`: it is the same on every platform.

use heldout_core::{Rng, Seed};

/// Name and version of the set: another one gives other observations.
pub(super) const VERSION: &str = "heldout objects 1";
/// Most parts of an image, holes included.
const MOST_PARTS: usize = 6;
/// Hues there are.
const HUES: u32 = 24;
/// What images stand on.
const WHITE: [u8; 3] = [255; 3];

/// The outline of a part, within the square from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outline {
    Ellipse,
    Rectangle,
    Diamond,
    Triangle,
    Cross,
    Ring,
    Star,
    Hexagon,
    Dome,
    Crescent,
    Arrow,
    Cup,
    House,
    Hourglass,
    Clover,
    Stairs,
    Frame,
    Heart,
}

const OUTLINES: [Outline; 18] = [
    Outline::Ellipse,
    Outline::Rectangle,
    Outline::Diamond,
    Outline::Triangle,
    Outline::Cross,
    Outline::Ring,
    Outline::Star,
    Outline::Hexagon,
    Outline::Dome,
    Outline::Crescent,
    Outline::Arrow,
    Outline::Cup,
    Outline::House,
    Outline::Hourglass,
    Outline::Clover,
    Outline::Stairs,
    Outline::Frame,
    Outline::Heart,
];

/// Outlines that a hole can have.
const HOLES: [Outline; 4] = [Outline::Ellipse, Outline::Rectangle, Outline::Diamond, Outline::Triangle];

impl Outline {
    #[inline]
    fn holds(self, x: f32, y: f32) -> bool {
        let (ax, ay) = (x.abs(), y.abs());
        let disc = |cx: f32, cy: f32, r: f32| (x - cx) * (x - cx) + (y - cy) * (y - cy) <= r * r;
        match self {
            Self::Ellipse => disc(0.0, 0.0, 1.0),
            Self::Rectangle => true,
            Self::Diamond => ax + ay <= 1.0,
            Self::Triangle => ax <= (y + 1.0) * 0.5,
            Self::Cross => ax <= 0.36 || ay <= 0.36,
            Self::Ring => disc(0.0, 0.0, 1.0) && !disc(0.0, 0.0, 0.55),
            Self::Star => ax.sqrt() + ay.sqrt() <= 1.12,
            Self::Hexagon => ax * 0.5 + ay * 0.87 <= 0.87 && ay <= 0.87,
            Self::Dome => disc(0.0, 1.0, 1.9) && disc(0.0, 0.0, 1.2) && y <= 0.5,
            Self::Crescent => disc(0.0, 0.0, 1.0) && !disc(0.45, -0.2, 0.8),
            Self::Arrow => {
                if y < 0.0 {
                    ax <= y + 1.0
                } else {
                    ax <= 0.36
                }
            }
            Self::Cup => ax >= 0.5 || y >= 0.45,
            Self::House => y >= -0.2 || ax <= (y + 1.0) * 1.25,
            Self::Hourglass => ax <= 0.18 + ay * 0.82,
            Self::Clover => {
                disc(0.5, 0.5, 0.5) || disc(-0.5, 0.5, 0.5) || disc(0.5, -0.5, 0.5) || disc(-0.5, -0.5, 0.5)
            }
            Self::Stairs => x <= -0.33 || y >= 0.33 || (x <= 0.33 && y >= -0.33),
            Self::Frame => ax >= 0.6 || ay >= 0.6,
            Self::Heart => {
                disc(-0.48, -0.42, 0.54) || disc(0.48, -0.42, 0.54) || (y >= -0.35 && ax <= (1.0 - y) * 0.74)
            }
        }
    }
}

/// How a part is coloured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Texture {
    Plain,
    /// Stripes across the part, so many to its half side.
    Stripes(f32),
    /// Dots, so many to its half side.
    Dots(f32),
    /// Squares, so many to its half side.
    Checks(f32),
}

/// One shape of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    outline: Outline,
    middle: (f32, f32),
    turn: (f32, f32),
    half: (f32, f32),
    texture: Texture,
    colours: [[u8; 3]; 2],
}

impl Part {
    #[inline]
    fn colour(&self, x: f32, y: f32) -> Option<[u8; 3]> {
        let (dx, dy) = (x - self.middle.0, y - self.middle.1);
        let x = (dx * self.turn.1 + dy * self.turn.0) / self.half.0;
        let y = (dy * self.turn.1 - dx * self.turn.0) / self.half.1;
        if x.abs() > 1.0 || y.abs() > 1.0 || !self.outline.holds(x, y) {
            return None;
        }
        let odd = |z: f32, count: f32| ((z + 1.0) * count) as i32 & 1 == 1;
        let second = match self.texture {
            Texture::Plain => false,
            Texture::Stripes(count) => odd(y, count),
            Texture::Checks(count) => odd(x, count) != odd(y, count),
            Texture::Dots(count) => {
                let off = |z: f32| {
                    let z = (z + 1.0) * count;
                    z - (z as i32) as f32 - 0.5
                };
                let (x, y) = (off(x), off(y));
                x * x + y * y <= 0.09
            }
        };
        Some(self.colours[usize::from(second)])
    }
}

/// An image, before it is painted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Composition {
    /// From the bottom to the top.
    parts: [Part; MOST_PARTS],
    count: usize,
}

/// One of the hues: a wheel of 24, of which every other one is dark.
fn hue(number: u32) -> [u8; 3] {
    let sixth = |shift: u32| {
        // A channel is full for a third of the wheel, absent for a third, and between on the way.
        let at = (number + shift) % HUES;
        let level = match at {
            0..=3 => at * 64,
            4..=11 => 255,
            12..=15 => 255 - (at - 12) * 64,
            _ => 0,
        };
        let level = level.min(255);
        if number % 2 == 1 { level * 150 / 255 } else { 20 + level * 215 / 255 }
    };
    [sixth(8) as u8, sixth(0) as u8, sixth(16) as u8]
}

impl Composition {
    /// The image with this id. No two of the 2,400 come nearer to each other than they may, so that none is drawn twice.
    pub(crate) fn of(id: u16) -> Self {
        let mut rng = Seed(0).stream(VERSION).derive(id.into()).rng();
        let first = rng.below(HUES);
        // The second hue is at least a sixth of the wheel away.
        let second = (first + 4 + rng.below(HUES - 7)) % HUES;
        let colours = [hue(first), hue(second)];
        let turned = [colours[1], colours[0]];
        let body = Part {
            outline: *rng.pick(&OUTLINES),
            middle: (within(&mut rng, -0.1, 0.1), within(&mut rng, -0.1, 0.1)),
            turn: turn(&mut rng),
            half: sides(&mut rng, 0.62, 0.84),
            texture: texture(&mut rng),
            colours,
        };
        let mut composition = Self { parts: [body; MOST_PARTS], count: 1 };
        for _ in 0..=rng.below(3) {
            let (sine, cosine) = turn(&mut rng);
            let away = within(&mut rng, 0.3, 0.62);
            composition.push(Part {
                outline: *rng.pick(&OUTLINES),
                middle: (cosine * away, sine * away),
                turn: turn(&mut rng),
                half: sides(&mut rng, 0.24, 0.4),
                texture: texture(&mut rng),
                colours: turned,
            });
        }
        for _ in 0..rng.below(3) {
            let (sine, cosine) = turn(&mut rng);
            let away = within(&mut rng, 0.0, 0.4);
            composition.push(Part {
                outline: *rng.pick(&HOLES),
                middle: (body.middle.0 + cosine * away, body.middle.1 + sine * away),
                turn: turn(&mut rng),
                half: sides(&mut rng, 0.12, 0.2),
                texture: Texture::Plain,
                colours: [WHITE; 2],
            });
        }
        composition
    }

    fn push(&mut self, part: Part) {
        self.parts[self.count] = part;
        self.count += 1;
    }

    /// The colour at a place; the image reaches from -1 to 1, downwards.
    #[inline]
    fn at(&self, x: f32, y: f32) -> [u8; 3] {
        self.parts[..self.count].iter().rev().find_map(|part| part.colour(x, y)).unwrap_or(WHITE)
    }

    /// Hands over the pixels of the image at a size, row by row; each is the mean of `samples * samples` places.
    pub(crate) fn paint(&self, side: usize, samples: usize, mut put: impl FnMut(usize, [u8; 3])) {
        let unit = 2.0 / (side * samples) as f32;
        let total = (samples * samples) as u32;
        for index in 0..side * side {
            let (row, column) = (index / side, index % side);
            let mut sums = [total / 2; 3];
            for sub in 0..samples * samples {
                let x = ((column * samples + sub % samples) as f32 + 0.5) * unit - 1.0;
                let y = ((row * samples + sub / samples) as f32 + 0.5) * unit - 1.0;
                for (sum, channel) in sums.iter_mut().zip(self.at(x, y)) {
                    *sum += u32::from(channel);
                }
            }
            put(index, sums.map(|sum| (sum / total) as u8));
        }
    }
}

fn within(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.unit() as f32
}

/// Sine and cosine of any angle.
fn turn(rng: &mut Rng) -> (f32, f32) {
    let (sine, cosine) = libm::sincos(std::f64::consts::TAU * rng.unit());
    (sine as f32, cosine as f32)
}

/// Half sides, the larger one in this range and the other up to half of it.
fn sides(rng: &mut Rng, low: f32, high: f32) -> (f32, f32) {
    let (long, aspect) = (within(rng, low, high), within(rng, 0.55, 1.0));
    if rng.below(2) == 0 { (long, long * aspect) } else { (long * aspect, long) }
}

fn texture(rng: &mut Rng) -> Texture {
    match rng.below(6) {
        0 | 1 => Texture::Stripes(within(rng, 1.6, 3.4)),
        2 => Texture::Dots(within(rng, 1.6, 2.8)),
        3 => Texture::Checks(within(rng, 1.2, 2.2)),
        _ => Texture::Plain,
    }
}
