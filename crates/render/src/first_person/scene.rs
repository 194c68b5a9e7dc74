//! What there is to draw, borrowed from whoever keeps it.

use crate::Rgb;
use crate::first_person::{Sky, Textures};

/// Where the eye is and where it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// East.
    pub x: f32,
    /// Height of the eye.
    pub y: f32,
    /// North.
    pub z: f32,
    /// Radians from north, clockwise seen from above.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
    /// Tangent of half the vertical field of view. The horizontal one follows from the shape of the picture: 0.75 and
    /// 96x72 make 90 degrees.
    pub tan_half_height: f32,
}

/// What covers a wall: a texture, multiplied by a tint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Index into [`Scene::textures`]; an index that names none is [`Textures::PLAIN`].
    pub texture: u16,
    /// Multiplies the texture; white leaves it as it is.
    pub tint: Rgb,
}

/// What stands in a cell of the grid, on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wall {
    /// The whole cell.
    Solid {
        /// From the floor up.
        height: f32,
        /// All four sides and the top.
        surface: Surface,
    },
    /// A part of the cell: an upright block whose footprint lies within the cell. What is outside its cell is cut off.
    /// Its texture hangs from the top, so that a gate that sinks takes it along.
    Block {
        /// Western side.
        x0: f32,
        /// Southern side.
        z0: f32,
        /// Eastern side.
        x1: f32,
        /// Northern side.
        z1: f32,
        /// From the floor up; zero is not drawn.
        height: f32,
        /// All four sides and the top.
        surface: Surface,
    },
}

impl Wall {
    /// From the floor up.
    pub(super) fn height(&self) -> f32 {
        match *self {
            Self::Solid { height, .. } | Self::Block { height, .. } => height,
        }
    }
}

/// The plan of the walls.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// Western edge of the first column.
    pub x: f32,
    /// Southern edge of the first row.
    pub z: f32,
    /// Side of a cell.
    pub cell: f32,
    /// Cells from west to east.
    pub columns: usize,
    /// Cells from south to north.
    pub rows: usize,
    /// `columns * rows` cells, row by row from the south: 0 is open, `n` is `walls[n - 1]`.
    pub cells: &'a [u8],
    /// What stands in the cells.
    pub walls: &'a [Wall],
}

/// The floor: one texture, repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// What covers it.
    pub surface: Surface,
    /// Side of one repetition of the texture.
    pub period: f32,
}

/// The form of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Half its width.
        radius: f32,
    },
    /// A box that stands upright.
    Box {
        /// Half its extent along its own x, y and z.
        half: [f32; 3],
        /// Its turn about the vertical, in radians, clockwise seen from above.
        yaw: f32,
    },
}

/// The colour of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// One colour, shaded by a fixed light so that the sides of a box differ.
    Flat(Rgb),
    /// One colour that shines by itself: not shaded.
    Emissive(Rgb),
    /// Horizontal rings of two colours in turn, not shaded.
    Rings(Rgb, Rgb),
}

/// Something that may move: a ball or a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object {
    /// Centre, east.
    pub x: f32,
    /// Centre, up.
    pub y: f32,
    /// Centre, north.
    pub z: f32,
    /// Its form.
    pub shape: Shape,
    /// Its colour.
    pub paint: Paint,
}

/// Everything that a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Walls.
    pub grid: Grid<'a>,
    /// What the walls' and the floor's surfaces are cut from.
    pub textures: &'a Textures,
    /// The floor at height zero, everywhere.
    pub floor: Floor,
    /// What is behind everything.
    pub sky: &'a Sky,
    /// Objects, at most [`super::MAX_OBJECTS`].
    pub objects: &'a [Object],
}
