//! Textures and skies, made from a seed.

use crate::Rgb;

/// The textures of walls and floors.
#[derive(Clone, Debug)]
pub struct Textures {
    seed: u64,
}

impl Textures {
    /// A wall of bricks.
    pub const BRICK: u16 = 0;
    /// All that suit a wall.
    pub const WALLS: [u16; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    /// Low-contrast noise.
    pub const NOISE: u16 = 12;
    /// Earth.
    pub const GROUND: u16 = 13;
    /// Grass.
    pub const GRASS: u16 = 14;
    /// White.
    pub const PLAIN: u16 = 15;

    /// The textures that belong to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

/// What is seen above the horizon.
#[derive(Clone, Debug)]
pub struct Sky {
    zenith: Rgb,
    horizon: Rgb,
}

impl Sky {
    /// Where [`Sky::with_landmarks`] has its sun, in radians clockwise from north.
    pub const SUN_BEARING: f32 = 0.7;

    /// A gradient.
    #[must_use]
    pub fn plain(zenith: Rgb, horizon: Rgb) -> Self {
        Self { zenith, horizon }
    }

    /// A gradient with a sun and three hills, from which a heading can be read.
    #[must_use]
    pub fn with_landmarks(zenith: Rgb, horizon: Rgb) -> Self {
        Self { zenith, horizon }
    }
}
