//! Where things are in a first-person picture: projection, depth, what hides what.

use std::f32::consts::{FRAC_PI_2, PI};

use crate::common::worlds::{Dice, World, camera, plain};
use heldout_render::first_person::{Camera, Object, Paint, Shape, Wall};
use heldout_render::{Image, Rgb};

const WALL: Rgb = Rgb::new(200, 100, 50);
const OTHER: Rgb = Rgb::new(40, 60, 180);

/// A world of 21 by 21 metres with a wall of a height across the whole of row 15.
fn with_wall(height: f32) -> World {
    let mut world = World::open(21, 21, 1.0);
    for column in 0..21 {
        world.put(column, 15, Wall::Solid { height, surface: plain(WALL) });
    }
    world
}

fn get(image: &Image, column: usize, row: usize) -> Rgb {
    image.view().get(column as i32, row as i32).unwrap()
}

/// The rows of a column that have a colour.
fn rows_of(image: &Image, column: usize, colour: Rgb) -> Vec<usize> {
    (0..image.height()).filter(|&row| get(image, column, row) == colour).collect()
}

/// The columns of a row that have a colour.
fn columns_of(image: &Image, row: usize, colour: Rgb) -> Vec<usize> {
    (0..image.width()).filter(|&column| get(image, column, row) == colour).collect()
}

fn ball(x: f32, y: f32, z: f32, radius: f32) -> Object {
    Object { x, y, z, shape: Shape::Sphere { radius }, paint: Paint::Emissive(OTHER) }
}

fn cube(x: f32, y: f32, z: f32, half: f32, yaw: f32) -> Object {
    Object { x, y, z, shape: Shape::Box { half: [half; 3], yaw }, paint: Paint::Emissive(OTHER) }
}

#[test]
fn a_wall_spans_the_rows_that_its_height_and_distance_say() {
    for (height, distance) in [(3.0, 5.0), (3.0, 12.0), (2.0, 2.5), (1.5, 4.0), (1.0, 4.0), (40.0, 3.0)] {
        let (image, depth) = with_wall(height).shoot(&camera(10.5, 1.5, 15.0 - distance, 0.0), 96, 72);
        // The wall is 21 m wide: the outer columns look past it from 12 m.
        for column in 16..80 {
            // A row whose middle is at a slope `s` meets the wall at the height `1.5 + s * distance`.
            let met = |row: usize| 1.5 + 0.75 * (1.0 - (2 * row + 1) as f32 / 72.0) * distance;
            let expected: Vec<usize> = (0..72).filter(|&row| (0.0..height).contains(&met(row))).collect();
            assert_eq!(rows_of(&image, column, WALL), expected, "height {height} at {distance}, column {column}");
            for row in expected {
                assert!((depth[row * 96 + column] - distance).abs() < 1e-4, "no fish-eye: depth is along the axis");
            }
        }
    }
}

#[test]
fn the_floor_is_below_and_the_sky_above() {
    let world = World::open(4, 4, 1.0);
    let (image, depth) = world.shoot(&camera(2.0, 1.5, 2.0, 1.0), 96, 72);
    for (place, pixel) in image.pixels().as_chunks::<3>().0.iter().enumerate() {
        let row = place / 96;
        let expected = if row < 36 { Rgb::BLUE } else { Rgb::GREEN };
        assert_eq!(*pixel, expected.0);
        let slope = 0.75 * ((2 * row + 1) as f32 / 72.0 - 1.0);
        let distance = if row < 36 { f32::INFINITY } else { 1.5 / slope };
        assert!(depth[place] == distance || (depth[place] / distance - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_field_of_view_is_90_degrees_at_96_by_72_and_square_at_84_by_84() {
    // A small ball far away where the last column's middle is: half a pixel inside the field.
    for (width, height, tangent) in [(96, 72, 1.0_f32), (84, 84, 0.75)] {
        let mut world = World::open(4, 4, 1.0);
        let pixel = 2.0 * tangent / width as f32;
        world.objects = vec![ball(100.0 * (tangent - pixel / 2.0), 1.5, 100.0, 0.3)];
        let (image, _) = world.shoot(&camera(0.0, 1.5 - 100.0 * pixel / 2.0, 0.0, 0.0), width, height);
        assert_eq!(columns_of(&image, height / 2 - 1, OTHER), [width - 1], "{width}x{height}");
    }
    let mut world = World::open(4, 4, 1.0);
    world.objects = vec![cube(0.0, 1.5, 10.5, 0.5, 0.0)];
    let (image, _) = world.shoot(&camera(0.0, 1.5, 0.0, 0.0), 84, 84);
    let (wide, high) = (columns_of(&image, 42, OTHER).len(), rows_of(&image, 42, OTHER).len());
    assert_eq!((wide, high), (6, 6), "a cube of a metre at 10 m: 84 / 1.5 / 10 pixels each way");
}

#[test]
fn left_is_left_whichever_way_the_camera_looks() {
    for (quarter, [ahead_x, ahead_z]) in (0..).zip([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]) {
        let yaw = FRAC_PI_2 * quarter as f32;
        // To the left of east is north, and so on.
        let (left_x, left_z) = (-ahead_z, ahead_x);
        for (side, half) in [(1.0, 0..48), (-1.0, 48..96)] {
            let mut world = World::open(21, 21, 1.0);
            let place = |ahead: f32, left: f32| 10.5 + 5.0 * ahead + 2.0 * side * left;
            world.objects = vec![cube(place(ahead_x, left_x), 1.5, place(ahead_z, left_z), 0.5, 0.0)];
            let (image, _) = world.shoot(&camera(10.5, 1.5, 10.5, yaw), 96, 72);
            let seen = columns_of(&image, 36, OTHER);
            assert!(!seen.is_empty() && seen.iter().all(|column| half.contains(column)), "{quarter} {side}: {seen:?}");
        }
    }
}

#[test]
fn a_clockwise_turn_moves_the_picture_to_the_left() {
    let mut world = World::open(21, 21, 1.0);
    world.objects = vec![ball(10.5, 1.5, 16.0, 0.5)];
    let column = |yaw: f32| columns_of(&world.shoot(&camera(10.5, 1.5, 10.5, yaw), 96, 72).0, 36, OTHER)[0];
    assert!(column(0.2) < column(0.0) && column(0.0) < column(-0.2));
}

#[test]
fn a_tall_wall_is_seen_above_a_low_one() {
    let mut world = with_wall(1.0);
    for column in 0..21 {
        world.put(column, 18, Wall::Solid { height: 4.0, surface: plain(OTHER) });
    }
    // From 5 m before the low wall, which is a metre thick; the tall one is 8 m away.
    let (image, depth) = world.shoot(&camera(10.5, 1.5, 10.0, 0.0), 96, 72);
    let slope = |row: usize| 0.75 * (1.0 - (2 * row + 1) as f32 / 72.0);
    for row in 0..72 {
        let height = |distance: f32| 1.5 + slope(row) * distance;
        let (colour, distance) = if height(5.0) < 0.0 {
            (Rgb::GREEN, -1.5 / slope(row))
        } else if height(5.0) < 1.0 {
            (WALL, 5.0)
        } else if height(6.0) < 1.0 {
            (WALL.shade(235), -0.5 / slope(row))
        } else if height(8.0) < 0.0 {
            (Rgb::GREEN, -1.5 / slope(row))
        } else if height(8.0) < 4.0 {
            (OTHER, 8.0)
        } else {
            (Rgb::BLUE, f32::INFINITY)
        };
        let drawn = get(&image, 50, row);
        let close = |channel: usize| drawn.0[channel].abs_diff(colour.0[channel]) <= 1;
        assert!((0..3).all(close), "row {row}: {drawn:?}, not {colour:?}");
        let found = depth[row * 96 + 50];
        assert!(found == distance || (found - distance).abs() < 1e-3, "row {row}: {found}, not {distance}");
    }
}

#[test]
fn a_sinking_gate_uncovers_what_is_behind_it() {
    let mut last = 0;
    for step in 0..=30 {
        let height = 3.0 - step as f32 * 0.1;
        let mut world = World::open(21, 21, 1.0);
        for column in 0..21 {
            let x0 = column as f32;
            let gate = Wall::Block { x0, z0: 15.4, x1: x0 + 1.0, z1: 15.6, height, surface: plain(WALL) };
            world.put(column, 15, gate);
        }
        world.objects = vec![cube(10.5, 0.5, 18.0, 0.5, 0.0)];
        let (image, _) = world.shoot(&camera(10.5, 1.5, 12.0, 0.0), 96, 72);
        let seen = rows_of(&image, 48, OTHER).len();
        assert!(seen >= last, "height {height}: {seen} rows after {last}");
        if height > 1.5 {
            assert_eq!(seen, 0, "the gate hides the box");
        }
        last = seen;
    }
    assert!(last >= 8, "an open gate hides nothing: {last} rows");
}

#[test]
fn depth_is_the_distance_along_the_axis() {
    // A ball straight ahead, and a box turned by 45 degrees whose edge is nearest.
    let mut world = World::open(21, 21, 1.0);
    world.objects = vec![ball(10.5, 1.5, 16.5, 1.0)];
    let (_, depth) = world.shoot(&camera(10.5, 1.5, 10.5, 0.0), 95, 71);
    assert!((depth[35 * 95 + 47] - 5.0).abs() < 1e-4);
    world.objects = vec![cube(16.5, 1.5, 10.5, 1.0, PI / 4.0)];
    let (_, depth) = world.shoot(&camera(10.5, 1.5, 10.5, FRAC_PI_2), 95, 71);
    assert!((depth[35 * 95 + 47] - (6.0 - 2.0_f32.sqrt())).abs() < 1e-4);
}

#[test]
fn nearer_objects_hide_farther_ones_in_any_order() {
    let mut world = with_wall(3.0);
    let near = Object { paint: Paint::Emissive(Rgb::RED), ..ball(10.5, 1.5, 12.0, 0.3) };
    let far = cube(10.5, 1.5, 14.0, 0.5, 0.3);
    let hidden = ball(10.5, 1.5, 18.0, 0.5);
    world.objects = vec![near, far, hidden];
    let (first, _) = world.shoot(&camera(10.5, 1.5, 10.0, 0.0), 96, 72);
    world.objects = vec![hidden, far, near];
    let (second, _) = world.shoot(&camera(10.5, 1.5, 10.0, 0.0), 96, 72);
    assert_eq!(first, second);
    assert_eq!(get(&first, 48, 36), Rgb::RED);
    world.objects = vec![hidden];
    let (third, _) = world.shoot(&camera(10.5, 1.5, 10.0, 0.0), 96, 72);
    assert!(third.pixels().as_chunks::<3>().0.iter().all(|&pixel| pixel != OTHER.0), "a wall hides the ball");
}

#[test]
fn the_outline_of_a_ball_is_where_its_tangents_are() {
    let mut dice = Dice(4);
    for _ in 0..40 {
        let (x, y, z, radius) =
            (dice.between(-4.0, 4.0), dice.between(0.0, 3.0), dice.between(2.0, 9.0), dice.between(0.2, 1.0));
        let mut world = World::open(4, 4, 1.0);
        world.objects = vec![ball(x, y, z, radius)];
        let (image, _) = world.shoot(&camera(0.0, 1.5, 0.0, 0.0), 160, 120);
        for row in 0..120 {
            for column in 0..160 {
                let (right, up) = ((2 * column + 1 - 160) as f64 / 160.0, (120 - 2 * row - 1) as f64 / 160.0);
                let (x, y, z) = (f64::from(x), f64::from(y) - 1.5, f64::from(z));
                // Inside if the angle between the ray and the middle is less than that of a tangent.
                let along = (right * x + up * y + z) / (right * right + up * up + 1.0).sqrt();
                let aside = x * x + y * y + z * z - along * along;
                let margin = aside.sqrt() - f64::from(radius);
                // The floor hides what is below it.
                if margin.abs() > 1e-3 && (f64::from(radius) < y + 1.5) {
                    let drawn = get(&image, column as usize, row as usize) == OTHER;
                    assert_eq!(drawn, margin < 0.0, "{x} {y} {z} {radius}: column {column}, row {row}");
                }
            }
        }
    }
}

#[test]
fn from_within_nothing_of_an_object_or_wall_is_seen() {
    let mut world = World::open(4, 4, 1.0);
    let (bare, _) = world.shoot(&camera(1.5, 1.5, 1.5, 0.3), 96, 72);
    for object in [ball(1.5, 1.5, 1.5, 0.7), cube(1.5, 1.5, 1.5, 0.7, 0.5), ball(1.5, 1.5, 0.0, 0.5)] {
        world.objects = vec![object];
        assert_eq!(world.shoot(&camera(1.5, 1.5, 1.5, 0.3), 96, 72).0, bare, "{object:?}");
    }
    world.objects.clear();
    world.put(1, 1, Wall::Solid { height: 3.0, surface: plain(WALL) });
    assert_eq!(world.shoot(&camera(1.5, 1.5, 1.5, 0.3), 96, 72).0, bare);
}

#[test]
fn pitch_looks_up_and_down() {
    let world = with_wall(3.0);
    let look = |pitch: f32| world.shoot(&Camera { pitch, ..camera(10.5, 1.5, 5.0, 0.0) }, 96, 72);
    let (up, depth) = look(87.0_f32.to_radians());
    assert!(up.pixels().as_chunks::<3>().0.iter().all(|&pixel| pixel == Rgb::BLUE.0));
    assert!(depth.iter().all(|depth| depth.is_infinite()));
    let (down, depth) = look(-87.0_f32.to_radians());
    assert!(down.pixels().as_chunks::<3>().0.iter().all(|&pixel| pixel == Rgb::GREEN.0));
    assert!(depth.iter().all(|depth| (1.0..3.0).contains(depth)));
    // At half a right angle down the middle looks at the floor 1.5 m ahead.
    let (_, depth) = world.shoot(&Camera { pitch: -PI / 4.0, ..camera(10.5, 1.5, 5.0, 0.0) }, 95, 71);
    assert!((depth[35 * 95 + 47] - 1.5 * 2.0_f32.sqrt()).abs() < 1e-4);
}

#[test]
fn the_sun_is_where_its_bearing_says() {
    use heldout_render::first_person::Sky;
    let mut world = World::open(4, 4, 1.0);
    world.sky = Sky::with_landmarks(Rgb::BLUE, Rgb::BLUE);
    let (image, _) = world.shoot(&camera(2.0, 1.5, 2.0, Sky::SUN_BEARING), 97, 73);
    let sun = get(&image, 48, 12);
    assert_ne!(sun, Rgb::BLUE);
    let columns = columns_of(&image, 12, sun);
    assert_eq!(columns[0].midpoint(columns[columns.len() - 1]), 48, "in the middle of the picture: {columns:?}");
    // Every heading can be told from every other: no two of 64 views of the sky are equal.
    let views: Vec<Image> =
        (0..64).map(|turn| world.shoot(&camera(2.0, 1.5, 2.0, 2.0 * PI * turn as f32 / 64.0), 96, 72).0).collect();
    for (index, view) in views.iter().enumerate() {
        assert!(views[..index].iter().all(|other| other != view), "view {index} is like an earlier one");
    }
}
