//! Rays over the grid, for observations in numbers.

use crate::common::worlds::{Dice, World, plain};
use heldout_render::Rgb;
use heldout_render::first_person::{Side, Wall};

fn solid(height: f32) -> Wall {
    Wall::Solid { height, surface: plain(Rgb::RED) }
}

#[test]
fn a_ray_meets_the_side_that_faces_it() {
    let mut world = World::open(9, 9, 2.0);
    world.put(4, 4, solid(3.0));
    // The cell covers 8..10 both ways. Left is as seen by who looks at the side.
    for (x, z, dx, dz, side, along) in [
        (8.5, 3.0, 0.0, 1.0, Side::South, 0.25),
        (8.5, 15.0, 0.0, -1.0, Side::North, 0.75),
        (3.0, 8.5, 1.0, 0.0, Side::West, 0.75),
        (15.0, 8.5, -1.0, 0.0, Side::East, 0.25),
    ] {
        let hit = world.grid().cast(x, z, dx, dz).unwrap();
        assert_eq!((hit.distance, hit.wall, hit.side, hit.along), (5.0, 0, side, along));
    }
    assert_eq!(world.grid().cast(8.5, 3.0, 0.0, -1.0), None);
    assert_eq!(world.grid().cast(7.5, 3.0, 0.0, 1.0), None);
}

#[test]
fn distance_is_in_lengths_of_the_direction() {
    let mut world = World::open(9, 9, 2.0);
    world.put(4, 4, solid(3.0));
    assert_eq!(world.grid().cast(8.5, 3.0, 0.0, 2.5).unwrap().distance, 2.0);
    assert_eq!(world.grid().cast(8.5, 3.0, 0.0, 0.5).unwrap().distance, 10.0);
    assert_eq!(world.grid().cast(8.5, 3.0, 0.0, 0.0), None);
}

#[test]
fn what_is_below_the_eye_does_not_end_the_view() {
    let mut world = World::open(3, 9, 1.0);
    world.put(1, 3, solid(1.0));
    let block = Wall::Block { x0: 1.0, z0: 5.4, x1: 2.0, z1: 5.6, height: 1.5, surface: plain(Rgb::RED) };
    world.put(1, 5, block);
    world.put(1, 8, solid(3.0));
    let grid = world.grid();
    assert_eq!(grid.cast(1.5, 0.5, 0.0, 1.0).map(|hit| hit.wall), Some(0));
    assert_eq!(grid.cast_above(1.5, 0.5, 0.0, 1.0, 1.0).map(|hit| hit.wall), Some(0));
    let hit = grid.cast_above(1.5, 0.5, 0.0, 1.0, 1.2).unwrap();
    assert_eq!((hit.wall, hit.side, hit.along), (1, Side::South, 0.5));
    assert!((hit.distance - 4.9).abs() < 1e-5);
    assert_eq!(grid.cast_above(1.5, 0.5, 0.0, 1.0, 1.6).map(|hit| (hit.wall, hit.distance)), Some((2, 7.5)));
}

#[test]
fn a_ray_leaves_the_wall_that_it_starts_in() {
    let mut world = World::open(3, 9, 1.0);
    world.put(1, 1, solid(3.0));
    world.put(1, 5, solid(3.0));
    assert_eq!(world.grid().cast(1.5, 1.5, 0.0, 1.0).map(|hit| (hit.wall, hit.distance)), Some((1, 3.5)));
    // From the very face, the wall is at distance nought one way and absent the other.
    assert_eq!(world.grid().cast(1.5, 5.0, 0.0, -1.0).map(|hit| (hit.wall, hit.distance)), Some((0, 3.0)));
    assert_eq!(world.grid().cast(1.5, 2.0, 0.0, -1.0).map(|hit| (hit.wall, hit.distance)), Some((0, 0.0)));
}

/// Every wall is tried in turn, in double precision.
fn brute_force(world: &World, [x, z, dx, dz]: [f64; 4]) -> Option<(f64, u8)> {
    let mut best: Option<(f64, u8)> = None;
    for (place, &cell) in world.cells.iter().enumerate().filter(|(_, cell)| **cell != 0) {
        let side = f64::from(world.cell);
        let bounds = match world.walls[cell as usize - 1] {
            Wall::Block { x0, z0, x1, z1, .. } => [x0, z0, x1, z1].map(f64::from),
            Wall::Solid { .. } => {
                let (west, south) = ((place % world.columns) as f64 * side, (place / world.columns) as f64 * side);
                [west, south, west + side, south + side]
            }
        };
        let slab = |from: f64, low: f64, high: f64, direction: f64| {
            let (first, second) = ((low - from) / direction, (high - from) / direction);
            (first.min(second), first.max(second))
        };
        let (x_in, x_out) = slab(x, bounds[0], bounds[2], dx);
        let (z_in, z_out) = slab(z, bounds[1], bounds[3], dz);
        let (enter, leave) = (x_in.max(z_in), x_out.min(z_out));
        if enter < leave && enter >= 0.0 && best.is_none_or(|(distance, _)| enter < distance) {
            best = Some((enter, cell - 1));
        }
    }
    best
}

#[test]
fn a_walk_finds_what_trying_every_wall_finds() {
    let mut dice = Dice(31);
    let (mut rays, mut misses) = (0, 0);
    for _ in 0..200 {
        let (world, camera) = dice.world(1.0);
        for _ in 0..50 {
            let (dx, dz) = (dice.between(-1.0, 1.0), dice.between(-1.0, 1.0));
            // Half of them from outside.
            let (x, z) = if dice.below(2) == 0 {
                (camera.x, camera.z)
            } else {
                (camera.x + world.cell * dice.between(-20.0, 20.0), camera.z + world.cell * dice.between(-20.0, 20.0))
            };
            let found = world.grid().cast(x, z, dx, dz);
            let expected = brute_force(&world, [x, z, dx, dz].map(f64::from));
            rays += 1;
            let near = |(distance, wall): (f64, u8)| {
                found.is_some_and(|hit| {
                    hit.wall == wall && (f64::from(hit.distance) - distance).abs() < 1e-3 * distance.max(1.0)
                })
            };
            // A ray that grazes a corner may go either way.
            misses += u32::from(if let Some(hit) = expected { !near(hit) } else { found.is_some() });
        }
    }
    assert!(misses <= 5, "{misses} of {rays} rays");
}
