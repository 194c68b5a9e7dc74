//! Drawing and resampling into the caller's memory allocate nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::PEN;
use crate::common::worlds::Dice;
use heldout_render::first_person::{Camera, draw_with_depth};
use heldout_render::{Canvas, Direction, Image, Rgb, resize_into, upscale_into};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread asks of it.
struct Counting;

// SAFETY: every call is handed to the system's allocator as it came; the count is plain thread-local data.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `alloc` above, that is from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn draw(canvas: &mut Canvas<'_>, tile: &Image, polygon: &[(i32, i32)]) {
    canvas.clear(Rgb::PAPER);
    canvas.set(1, 1, PEN);
    canvas.fill_rect(1, 2, 3, 4, PEN);
    canvas.outline_rect(1, 2, 30, 40, 2, PEN);
    canvas.line((0, 0), (50, 31), PEN);
    canvas.thick_line((0, 0), (50, 31), 5, PEN);
    canvas.fill_circle(20, 20, 9, PEN);
    canvas.outline_circle(20, 20, 9, 2, PEN);
    canvas.fill_polygon(polygon, PEN);
    canvas.fill_diamond(30, 30, 9, PEN);
    canvas.fill_arrow(3, 3, 20, Direction::Left, PEN);
    canvas.blit(3, 3, tile.view());
    canvas.blit_scaled(3, 3, tile.view(), 3);
    canvas.text(3, 3, 2, PEN, "text\nin lines");
    canvas.text_wrapped(3, 3, 40, 1, PEN, "text that must be wrapped");
}

#[test]
fn drawing_and_resampling_allocate_nothing() {
    let mut image = Image::new(64, 64);
    let (mut double, mut other) = (Image::new(128, 128), Image::new(37, 90));
    let tile = Image::filled(8, 8, Rgb::TEAL);
    let polygon: Vec<(i32, i32)> = (0..64).map(|index| (index * 37 % 64, index * 23 % 64)).collect();

    let before = ALLOCATIONS.get();
    assert!(before > 0, "the allocator counts");
    draw(&mut image.canvas(), &tile, &polygon);
    upscale_into(image.view(), 2, &mut double.canvas());
    resize_into(image.view(), &mut other.canvas());
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

#[test]
fn amendment_47_first_person_pictures_and_rays_allocate_nothing() {
    let mut dice = Dice(3);
    for pitch in [0.0, 0.4, -0.9, 1.5, -1.55] {
        let (world, camera) = dice.world(1.0);
        let (mut image, mut depth) = (Image::new(96, 72), vec![0.0; 96 * 72]);
        let scene = world.scene();
        let before = ALLOCATIONS.get();
        heldout_render::first_person::draw(&scene, &Camera { pitch, ..camera }, &mut image.canvas());
        draw_with_depth(&scene, &Camera { pitch, ..camera }, &mut image.canvas(), &mut depth);
        let _ = scene.grid.cast_above(camera.x, camera.z, 0.6, 0.8, camera.y);
        assert_eq!(ALLOCATIONS.get() - before, 0);
    }
}
