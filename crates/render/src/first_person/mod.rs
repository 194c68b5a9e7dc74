//! A first-person software renderer: walls on a grid, floor, sky and a few solid objects.
//!
//! The world has `x` to the east, `z` to the north and `y` up. Yaw 0 looks north and grows to the right (clockwise seen
//! from above), pitch 0 looks level and grows upwards; angles are in radians.

mod scene;
mod texture;

pub use scene::{Camera, Floor, Grid, Object, Paint, Scene, Shape, Surface, Wall};
pub use texture::{Sky, Textures};

use crate::Canvas;

/// Objects of a scene at the most.
pub const MAX_OBJECTS: usize = 16;

/// Draws `scene` as `camera` sees it.
pub fn draw(scene: &Scene<'_>, _camera: &Camera, canvas: &mut Canvas<'_>) {
    canvas.clear(scene.floor.surface.tint);
}
