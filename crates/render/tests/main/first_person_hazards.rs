//! Whatever a scene holds, drawing it ends, fills every pixel and every depth, and does not panic.

use crate::common::worlds::{Dice, World, camera, plain};
use heldout_render::first_person::{Camera, Floor, Grid, Object, Paint, Scene, Shape, Surface, Wall, draw};
use heldout_render::{Canvas, Image, Rgb};

/// Numbers that trip careless arithmetic, and ordinary ones.
fn nonsense(dice: &mut Dice) -> f32 {
    const ODD: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        5.0,
        100.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-40,
        1e20,
        -1e20,
        16_777_216.0,
    ];
    if dice.below(2) == 0 { ODD[dice.below(ODD.len())] } else { dice.between(-10.0, 10.0) }
}

fn surface(dice: &mut Dice) -> Surface {
    Surface { texture: dice.bits() as u16 % 40, tint: dice.colour() }
}

#[test]
fn nonsense_is_drawn_without_panic() {
    let mut dice = Dice(21);
    let world = World::open(1, 1, 1.0);
    for round in 0..1500 {
        let walls: Vec<Wall> = (0..dice.below(6))
            .map(|_| {
                let (height, surface) = (nonsense(&mut dice), surface(&mut dice));
                if dice.below(2) == 0 {
                    Wall::Solid { height, surface }
                } else {
                    let [x0, z0, x1, z1] = std::array::from_fn(|_| nonsense(&mut dice));
                    Wall::Block { x0, z0, x1, z1, height, surface }
                }
            })
            .collect();
        // Cells that name no wall, too few cells, sides that do not exist.
        let cells: Vec<u8> = (0..dice.below(80)).map(|_| dice.below(9) as u8).collect();
        let (columns, rows) = match dice.below(4) {
            0 => (usize::MAX, usize::MAX),
            1 => (dice.below(12), dice.below(12)),
            _ => (8, cells.len() / 8),
        };
        let mut number = || nonsense(&mut dice);
        let grid = Grid { x: number(), z: number(), cell: number(), columns, rows, cells: &cells, walls: &walls };
        let camera = Camera {
            x: number(),
            y: number(),
            z: number(),
            yaw: number(),
            pitch: if round % 2 == 0 { 0.0 } else { number() },
            tan_half_height: number(),
        };
        let cast = grid.cast(number(), number(), number(), number());
        assert!(cast.is_none_or(|hit| hit.distance >= 0.0 && (hit.wall as usize) < walls.len()), "{cast:?}");
        let objects: Vec<Object> = (0..dice.below(20))
            .map(|_| {
                let shape = if dice.below(2) == 0 {
                    Shape::Sphere { radius: nonsense(&mut dice) }
                } else {
                    Shape::Box { half: std::array::from_fn(|_| nonsense(&mut dice)), yaw: nonsense(&mut dice) }
                };
                let paint = Paint::Rings(dice.colour(), dice.colour());
                Object { x: nonsense(&mut dice), y: nonsense(&mut dice), z: nonsense(&mut dice), shape, paint }
            })
            .collect();
        let floor = Floor { surface: surface(&mut dice), period: nonsense(&mut dice) };
        let scene = Scene { grid, textures: &world.textures, floor, sky: &world.sky, objects: &objects };
        let (width, height) = (1 + dice.below(40), 1 + dice.below(40));
        let mut depth = vec![f32::NAN; width * height];
        let mut image = Image::new(width, height);
        heldout_render::first_person::draw_with_depth(&scene, &camera, &mut image.canvas(), &mut depth);
        assert!(depth.iter().all(|&depth| depth >= 0.0), "round {round}: {camera:?}");
    }
}

#[test]
fn every_pixel_is_painted_at_every_size() {
    let mut dice = Dice(22);
    for (width, height) in [(16, 16), (16, 1024), (1024, 16), (129, 128), (1025, 20), (1, 1), (0, 5)] {
        let (world, camera) = dice.world(1.0);
        let paint = |poison: u8| {
            let mut pixels = vec![poison; width * height * 3];
            draw(&world.scene(), &camera, &mut Canvas::new(width, height, &mut pixels));
            pixels
        };
        assert_eq!(paint(0), paint(255), "{width}x{height}");
    }
}

#[test]
fn a_camera_outside_sees_the_walls_from_outside() {
    let mut world = World::open(3, 3, 1.0);
    world.put(1, 0, Wall::Solid { height: 3.0, surface: plain(Rgb::RED) });
    let (image, depth) = world.shoot(&camera(1.5, 1.5, -4.0, 0.0), 97, 73);
    assert_eq!(image.view().get(48, 36), Some(Rgb::RED));
    assert!((depth[36 * 97 + 48] - 4.0).abs() < 1e-4);
    let (away, _) = world.shoot(&camera(1.5, 1.5, -4.0, 3.0), 97, 73);
    assert!(away.pixels().as_chunks::<3>().0.iter().all(|&pixel| pixel != Rgb::RED.0));
}

#[test]
fn walls_without_height_or_width_are_not_there() {
    let mut world = World::open(3, 9, 1.0);
    let (bare, _) = world.shoot(&camera(1.5, 1.5, 0.5, 0.0), 96, 72);
    let block = |x1: f32, height: f32| Wall::Block { x0: 1.2, z0: 5.2, x1, z1: 5.6, height, surface: plain(Rgb::RED) };
    for wall in [
        Wall::Solid { height: 0.0, surface: plain(Rgb::RED) },
        Wall::Solid { height: -1.0, surface: plain(Rgb::RED) },
        block(1.2, 3.0),
        block(1.8, 0.0),
        block(0.9, 3.0),
    ] {
        world.walls.clear();
        world.put(1, 5, wall);
        assert_eq!(world.shoot(&camera(1.5, 1.5, 0.5, 0.0), 96, 72).0, bare, "{wall:?}");
    }
}

#[test]
fn objects_beyond_the_most_are_left_out() {
    let object =
        |x: f32| Object { x, y: 1.5, z: 6.0, shape: Shape::Sphere { radius: 0.1 }, paint: Paint::Emissive(Rgb::RED) };
    let mut world = World::open(3, 3, 1.0);
    world.objects = (0..16).map(|index| object(-4.0 + index as f32 * 0.5)).collect();
    let (sixteen, _) = world.shoot(&camera(0.0, 1.5, 0.0, 0.0), 96, 72);
    world.objects.push(object(4.5));
    assert_eq!(world.shoot(&camera(0.0, 1.5, 0.0, 0.0), 96, 72).0, sixteen);
}

#[test]
#[should_panic(expected = "a depth for each pixel makes 6912, not `6911`")]
fn a_depth_buffer_of_another_size_is_refused() {
    let world = World::open(3, 3, 1.0);
    let mut image = Image::new(96, 72);
    let camera = camera(0.0, 1.5, 0.0, 0.0);
    let mut depth = vec![0.0; 6911];
    heldout_render::first_person::draw_with_depth(&world.scene(), &camera, &mut image.canvas(), &mut depth);
}
