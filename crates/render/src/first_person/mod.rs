//! A first-person software renderer: walls on a grid, floor, sky and a few solid objects.
//!
//! The world has `x` to the east, `z` to the north and `y` up. Yaw 0 looks north and grows to the right (clockwise seen
//! from above), pitch 0 looks level and grows upwards; angles are in radians.

mod colour;
mod column;
mod lens;
mod object;
mod pattern;
mod pixel;
mod scene;
mod sky;
mod stage;
mod texture;
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
        pixel::draw(&stage, canvas.pixels_mut(), depth);
    }
}
