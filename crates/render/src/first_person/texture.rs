//! The textures of walls and floors, made from a seed.

use std::fmt;

use crate::first_person::colour::pack;
use crate::first_person::pattern::texel;

/// Texels along a side of the three levels.
const FINE: usize = 64;
const MIDDLE: usize = 32;
const COARSE: usize = 16;

/// How many textures there are.
const KINDS: u16 = 16;

/// The textures of walls and floors: 64 by 64 texels, and two coarser levels for what is far away.
///
/// All are nearly grey, so that the tint of a [`Surface`](super::Surface) gives the hue. A seed changes the details (which
/// brick is darker, the grain), never the kind of pattern.
#[derive(Clone)]
pub struct Textures {
    seed: u64,
    kinds: Vec<Texture>,
}

impl Textures {
    /// Courses of bricks.
    pub const BRICK: u16 = 0;
    /// Square tiles with dark joints.
    pub const TILE: u16 = 1;
    /// Upright boards of different brightness.
    pub const PLANKS: u16 = 2;
    /// Irregular stones.
    pub const STONE: u16 = 3;
    /// Horizontal bands.
    pub const STRIPES: u16 = 4;
    /// Squares in two shades.
    pub const CHECKER: u16 = 5;
    /// Light discs on a darker ground.
    pub const DOTS: u16 = 6;
    /// Zigzag bands.
    pub const WAVES: u16 = 7;
    /// One framed panel to a repetition.
    pub const PANELS: u16 = 8;
    /// Six-sided cells with dark outlines.
    pub const HEX: u16 = 9;
    /// Dark crosses on a light ground.
    pub const CROSSES: u16 = 10;
    /// Threads over and under each other.
    pub const WEAVE: u16 = 11;
    /// All that suit a wall.
    pub const WALLS: [u16; 12] = [
        Self::BRICK,
        Self::TILE,
        Self::PLANKS,
        Self::STONE,
        Self::STRIPES,
        Self::CHECKER,
        Self::DOTS,
        Self::WAVES,
        Self::PANELS,
        Self::HEX,
        Self::CROSSES,
        Self::WEAVE,
    ];
    /// Low-contrast noise.
    pub const NOISE: u16 = 12;
    /// Earth.
    pub const GROUND: u16 = 13;
    /// Grass.
    pub const GRASS: u16 = 14;
    /// White.
    pub const PLAIN: u16 = 15;

    /// The textures that belong to `seed`. That takes milliseconds: make them once, not for each picture.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, kinds: (0..KINDS).map(|kind| Texture::new(seed, kind)).collect() }
    }

    /// A texture by its index; an index that names none gets [`Textures::PLAIN`].
    pub(super) fn get(&self, index: u16) -> &Texture {
        &self.kinds[usize::from(index.min(Self::PLAIN))]
    }
}

impl fmt::Debug for Textures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Textures").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// How coarse a texture is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Fine,
    Middle,
    Coarse,
}

impl Level {
    /// The level at which one pixel covers `texels` texels of the finest.
    pub(super) fn of(texels: f32) -> Self {
        if texels < 1.5 {
            Self::Fine
        } else if texels < 3.0 {
            Self::Middle
        } else {
            Self::Coarse
        }
    }
}

/// One texture in three levels. Texels are stored column by column, since walls are drawn so.
#[derive(Clone)]
pub(super) struct Texture {
    pub(super) fine: [[u32; FINE]; FINE],
    pub(super) middle: [[u32; MIDDLE]; MIDDLE],
    pub(super) coarse: [[u32; COARSE]; COARSE],
}

impl Texture {
    fn new(seed: u64, kind: u16) -> Self {
        let fine: [[u32; FINE]; FINE] =
            std::array::from_fn(|u| std::array::from_fn(|v| pack(texel(seed, kind, u as i32, v as i32))));
        let middle = halved(&fine);
        let coarse = halved(&middle);
        Self { fine, middle, coarse }
    }

    /// The texel at a place within a repetition, given as binary fractions: `u` to the right and `v` downwards.
    pub(super) fn sample(&self, level: Level, u: u32, v: u32) -> u32 {
        match level {
            Level::Fine => self.fine[(u >> 26) as usize][(v >> 26) as usize],
            Level::Middle => self.middle[(u >> 27) as usize][(v >> 27) as usize],
            Level::Coarse => self.coarse[(u >> 28) as usize][(v >> 28) as usize],
        }
    }
}

/// Each two by two texels averaged into one.
fn halved<const N: usize, const M: usize>(texels: &[[u32; N]; N]) -> [[u32; M]; M] {
    let mean = |u: usize, v: usize, shift: u32| {
        let four = [texels[u][v], texels[u + 1][v], texels[u][v + 1], texels[u + 1][v + 1]];
        (four.iter().map(|texel| texel >> shift & 255).sum::<u32>() + 2) / 4
    };
    std::array::from_fn(|u| {
        std::array::from_fn(|v| [0, 8, 16].map(|shift| mean(2 * u, 2 * v, shift) << shift).iter().sum())
    })
}
