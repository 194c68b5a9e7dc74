//! The two ways of drawing check each other: by columns at pitch zero, and by rows at any other.

use crate::common::worlds::{Dice, World};
use heldout_render::first_person::Camera;

/// A pitch so small that it changes no ray, but is not zero: the picture is drawn by rows.
const HARDLY: f32 = 1e-20;

/// Which pixels of two pictures differ, in colour or by a thousandth in depth.
fn different(world: &World, camera: &Camera, width: usize, height: usize) -> Vec<usize> {
    let (by_columns, near) = world.shoot(camera, width, height);
    let (by_pixels, far) = world.shoot(&Camera { pitch: HARDLY, ..*camera }, width, height);
    let (first, second) = (by_columns.pixels().as_chunks::<3>().0, by_pixels.pixels().as_chunks::<3>().0);
    let same_depth = |place: usize| near[place] == far[place] || (near[place] - far[place]).abs() < far[place] * 1e-3;
    (0..width * height).filter(|&place| first[place] != second[place] || !same_depth(place)).collect()
}

#[test]
fn columns_and_pixels_draw_the_same_picture() {
    let mut dice = Dice(7);
    let (mut pixels, mut differing) = (0, 0);
    for _ in 0..300 {
        let eye = dice.between(0.3, 2.0);
        let (world, camera) = dice.world(eye);
        let (width, height) = (16 + dice.below(112), 16 + dice.below(80));
        let different = different(&world, &camera, width, height);
        pixels += width * height;
        differing += different.len();
        assert!(different.len() * 100 <= width * height * 2, "{} of {width}x{height}", different.len());
    }
    assert!(differing * 200 <= pixels, "{differing} of {pixels} pixels differ");
}

#[test]
fn what_differs_lies_on_an_edge() {
    let mut dice = Dice(8);
    let mut seen = 0;
    for _ in 0..150 {
        let (world, camera) = dice.world(1.0);
        let (width, height) = (96, 72);
        let differing = different(&world, &camera, width, height);
        if differing.is_empty() {
            continue;
        }
        seen += differing.len();
        let (by_columns, depths) = world.shoot(&camera, width, height);
        // A hair's breadth beside the pixel, the other way of drawing gives what this one gave.
        let hair = 1e-4;
        let mut around = Vec::new();
        for yaw in [-hair, 0.0, hair] {
            for pitch in [-hair, HARDLY, hair] {
                around.push(world.shoot(&Camera { yaw: camera.yaw + yaw, pitch, ..camera }, width, height));
            }
        }
        let colours = by_columns.pixels().as_chunks::<3>().0;
        for place in differing {
            let explained = around.iter().any(|(image, depth)| {
                let same = image.pixels().as_chunks::<3>().0[place] == colours[place];
                same && (depth[place] == depths[place] || (depth[place] - depths[place]).abs() < depth[place] * 0.01)
            });
            assert!(explained, "pixel {place} of {width}x{height} is not on an edge, {camera:?}");
        }
    }
    assert!(seen > 0, "the test has something to explain");
}

#[test]
fn looking_along_the_axes_from_lines_between_cells_is_no_exception() {
    let mut dice = Dice(9);
    for turn in 0..64 {
        let (world, camera) = dice.world(1.0);
        let (column, row) = (dice.below(world.columns) as f32, dice.below(world.rows) as f32);
        let middle = if turn % 8 < 4 { 0.0 } else { world.cell * 0.5 };
        let yaw = std::f32::consts::FRAC_PI_2 * (turn % 4) as f32;
        let camera = Camera { x: column * world.cell + middle, z: row * world.cell, yaw, ..camera };
        // An odd width has a column that looks exactly along the axis, an odd height a row on the horizon.
        let different = different(&world, &camera, 95, 71);
        assert!(different.len() <= 95 * 71 / 50, "{} pixels, {camera:?}", different.len());
    }
}

#[test]
fn a_turned_camera_sees_the_middle_of_the_picture_where_it_looks() {
    let mut dice = Dice(10);
    for _ in 0..60 {
        let (world, level) = dice.world(1.0);
        let pitch = dice.between(-1.5, 1.5);
        // Rays by trigonometry: the middle of a picture looks along the pitch, so two fields of view agree there.
        let wide = world.shoot(&Camera { pitch, ..level }, 33, 33);
        let tight = world.shoot(&Camera { pitch, tan_half_height: 0.3, ..level }, 33, 33);
        let middle = 16 * 33 + 16;
        assert_eq!(wide.1[middle], tight.1[middle]);
        let floor = -level.y / libm::sinf(pitch);
        if pitch < 0.0 && wide.1[middle].is_finite() {
            assert!(wide.1[middle] <= floor * 1.001, "{} beyond the floor at {floor}", wide.1[middle]);
        }
    }
}
