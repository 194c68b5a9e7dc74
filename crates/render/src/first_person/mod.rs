//! A first-person software renderer: walls on a grid, floor, sky and a few solid objects.
//!
//! It is made for what tasks about memory and navigation show: rooms, mazes and arenas, small pictures, tens of thousands
//! of them a second on one core, and not a bit's difference between two machines. A [`Scene`] borrows everything from
//! whoever keeps it; [`draw`] needs nothing but the scene, a [`Camera`] and a canvas.
//!
//! # Conventions
//!
//! - The world has `x` to the east, `z` to the north and `y` up; the floor is at height zero and without end. Yaw 0 looks
//!   north and grows to the right (clockwise seen from above), pitch 0 looks level and grows upwards; angles are in
//!   radians. The unit of length is the caller's.
//! - A pixel shows what the ray through its middle meets. Pixels are square, so that the vertical field of view and the
//!   shape of the picture give the horizontal one. Depth is the distance along the view axis, not along the ray: a wall
//!   seen squarely has one depth and is straight.
//! - A texture repeats on walls once in the height of the highest [`Wall::Solid`], or once in a cell where there is none.
//!   On solid walls it stands on the floor and starts at the grid's corner, so that it runs on from cell to cell; on a
//!   block its middle is in the middle and it hangs from the top.
//! - Walls that face north or south have full light and those that face east or west 0.85 of it; boxes and balls are lit
//!   by a lamp in a fixed direction. There is no fog: a colour means the same near and far.
//! - One sees walls and objects from outside only: what contains the eye is not drawn. An eye below the floor is put on it.
//!
//! # Two ways of drawing
//!
//! At pitch zero a column of pixels needs one walk over the grid, and a row of pixels sees the floor at one depth: the
//! picture is drawn by columns (`column`). At any other pitch it is drawn by rows (`tilt`), over beams of rays that are known
//! to meet the same sides of walls (`panorama`); few pixels need a walk of their own. That costs up to three times a level
//! picture and is exact for all pitches: each pixel and its depth is the one of a single ray (`pixel`), which is what the
//! tests hold it against. Shearing the level picture would be quicker for small pitches but draws another picture than a
//! tilted camera sees. Pictures with a side of more than 1024 are drawn by rows too.
//!
//! # Invariants
//!
//! - **Exact.** Coordinates are `f32` in a fixed order of operations, without fused ones; angles go through `libm`; places in
//!   textures and all colours are integers.
//! - **Total.** Any number may be in a scene, not-a-number included, and any cell may name a wall that does not exist: the
//!   picture is then odd, but every pixel is painted and no depth is negative or not a number. A ray takes at most as many
//!   steps as the grid has columns and rows.
//! - **No allocation.** [`draw`], [`draw_with_depth`] and [`Grid::cast`] use the stack only.
//!
//! # Deliberately absent
//!
//! Ceilings, slopes, floors at several heights, transparent or textured objects, shadows, smoothing between texels.

mod colour;
mod column;
mod lens;
mod object;
mod panorama;
mod pattern;
mod pixel;
mod scene;
mod sky;
mod stage;
#[cfg(test)]
mod tests;
mod texture;
mod tilt;
mod walk;

pub use scene::{Camera, Floor, Grid, Object, Paint, Scene, Shape, Surface, Wall};
pub use sky::Sky;
pub use texture::Textures;
pub use walk::{Hit, Side};

use crate::Canvas;
use stage::Stage;

/// Objects of a scene at the most; what comes after them is not drawn.
pub const MAX_OBJECTS: usize = 16;

/// Draws `scene` as `camera` sees it.
pub fn draw(scene: &Scene<'_>, camera: &Camera, canvas: &mut Canvas<'_>) {
    paint(scene, camera, canvas, None);
}

/// The same as [`draw`], and writes the depth of each pixel: its distance along the view axis, infinite for the sky.
///
/// # Panics
/// If `depth` does not have one element for each pixel of the canvas, row by row.
#[track_caller]
pub fn draw_with_depth(scene: &Scene<'_>, camera: &Camera, canvas: &mut Canvas<'_>, depth: &mut [f32]) {
    let needed = canvas.width() * canvas.height();
    assert!(depth.len() == needed, "a depth for each pixel makes {needed}, not `{}`", depth.len());
    paint(scene, camera, canvas, Some(depth));
}

fn paint(scene: &Scene<'_>, camera: &Camera, canvas: &mut Canvas<'_>, depth: Option<&mut [f32]>) {
    let (width, height) = (canvas.width(), canvas.height());
    if width == 0 || height == 0 {
        return;
    }
    let stage = Stage::new(scene, camera, width, height);
    if camera.pitch == 0.0 && width.max(height) <= column::MAX_SIDE {
        column::draw(&stage, canvas.pixels_mut(), depth);
    } else {
        let _ = tilt::draw(&stage, canvas.pixels_mut(), depth);
    }
}
