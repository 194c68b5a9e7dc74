//! What an agent must be able to tell apart can be told apart at 96x72: textures at ten metres, and named colours.

use std::f32::consts::PI;

use crate::common::worlds::{World, camera};
use heldout_render::Rgb;
use heldout_render::first_person::{Object, Paint, Shape, Surface, Textures, Wall};

/// The colours that the tasks name.
const NAMED: [(&str, Rgb); 20] = [
    ("red", Rgb::new(230, 25, 25)),
    ("green", Rgb::new(30, 180, 30)),
    ("blue", Rgb::new(30, 60, 230)),
    ("white", Rgb::new(245, 245, 245)),
    ("slate", Rgb::new(90, 105, 125)),
    ("yellow", Rgb::new(250, 225, 25)),
    ("brown", Rgb::new(125, 75, 35)),
    ("pink", Rgb::new(250, 150, 190)),
    ("orange", Rgb::new(250, 140, 20)),
    ("purple", Rgb::new(130, 40, 170)),
    ("black", Rgb::new(20, 20, 20)),
    ("grey", Rgb::new(128, 128, 128)),
    ("tan", Rgb::new(210, 180, 140)),
    ("lime", Rgb::new(160, 230, 20)),
    ("magenta", Rgb::new(230, 30, 200)),
    ("mint", Rgb::new(160, 250, 200)),
    ("navy", Rgb::new(20, 20, 110)),
    ("olive", Rgb::new(115, 115, 20)),
    ("teal", Rgb::new(10, 130, 130)),
    ("turquoise", Rgb::new(60, 215, 205)),
];

/// The name of the nearest colour.
fn name(colour: [f64; 3]) -> &'static str {
    let apart = |named: Rgb, channel: usize| colour[channel] - f64::from(named.0[channel]);
    let distance = |named: Rgb| (0..3).map(|channel| apart(named, channel) * apart(named, channel)).sum::<f64>();
    NAMED.into_iter().min_by(|first, second| distance(first.1).total_cmp(&distance(second.1))).unwrap().0
}

#[test]
fn a_shaded_object_keeps_the_name_of_its_colour() {
    let boxed = |yaw: f32| Shape::Box { half: [0.5; 3], yaw };
    for (expected, colour) in NAMED {
        for shape in [boxed(0.0), boxed(0.4), boxed(2.1), Shape::Sphere { radius: 0.5 }] {
            for (y, distance) in [(0.5, 2.0), (0.5, 7.0), (2.0, 4.0)] {
                for turn in 0..8 {
                    let yaw = PI / 4.0 * turn as f32;
                    let mut world = World::open(3, 3, 1.0);
                    let view = camera(-distance * libm::sinf(yaw), 1.5, -distance * libm::cosf(yaw), yaw);
                    let (_, empty) = world.shoot(&view, 96, 72);
                    world.objects = vec![Object { x: 0.0, y, z: 0.0, shape, paint: Paint::Flat(colour) }];
                    let (image, depth) = world.shoot(&view, 96, 72);
                    let pixels = image.pixels().as_chunks::<3>().0;
                    let drawn: Vec<&[u8; 3]> = (0..pixels.len())
                        .filter(|&place| depth[place] < empty[place])
                        .map(|place| &pixels[place])
                        .collect();
                    assert!(drawn.len() > 20, "{} pixels of {shape:?} at {distance}", drawn.len());
                    let mean = |channel: usize| {
                        drawn.iter().map(|pixel| f64::from(pixel[channel])).sum::<f64>() / drawn.len() as f64
                    };
                    let found = name([mean(0), mean(1), mean(2)]);
                    assert_eq!(found, expected, "{shape:?} from {yaw} at {distance}");
                }
            }
        }
    }
}

#[test]
fn the_sides_of_a_box_differ() {
    let mut world = World::open(3, 3, 1.0);
    let shape = Shape::Box { half: [0.5; 3], yaw: 0.0 };
    world.objects = vec![Object { x: 0.0, y: 0.5, z: 0.0, shape, paint: Paint::Flat(Rgb::grey(160)) }];
    for turn in [0.25, 0.75, 1.25, 1.75] {
        let yaw = PI * turn;
        let view = camera(-3.0 * libm::sinf(yaw), 1.5, -3.0 * libm::cosf(yaw), yaw);
        let (image, _) = world.shoot(&view, 96, 72);
        let mut greys: Vec<u8> = image.pixels().as_chunks::<3>().0.iter().map(|pixel| pixel[0]).collect();
        greys.sort_unstable();
        greys.dedup();
        // Floor and sky have no red; two sides and the top remain.
        assert_eq!(greys.iter().filter(|&&grey| grey > 0).count(), 3, "{greys:?}");
        assert!(greys.windows(2).all(|pair| pair[1] - pair[0] >= 5), "{greys:?}");
    }
}

/// What a wall of a texture looks like from ten metres: three metres high, and seen from `x`.
fn wall(textures: &Textures, texture: u16, x: f32) -> Vec<u8> {
    let mut world = World::open(21, 12, 1.0);
    world.textures = textures.clone();
    for column in 0..21 {
        world.put(column, 11, Wall::Solid { height: 3.0, surface: Surface { texture, tint: Rgb::WHITE } });
    }
    let (image, depth) = world.shoot(&camera(x, 1.5, 1.0, 0.0), 96, 72);
    let pixels = image.pixels().as_chunks::<3>().0;
    let middle = |place: usize| (24..72).contains(&(place % 96)) && (depth[place] - 10.0).abs() < 0.01;
    (0..pixels.len()).filter(|&place| middle(place)).map(|place| pixels[place][1]).collect()
}

#[test]
fn the_twelve_wall_textures_are_told_apart_at_ten_metres() {
    // Known views at 24 places along a repetition, and a nearest neighbour for views from places between them.
    let textures = Textures::new(1);
    let known: Vec<Vec<Vec<u8>>> = Textures::WALLS
        .iter()
        .map(|&texture| (0..24).map(|place| wall(&textures, texture, 9.0 + 0.125 * place as f32)).collect())
        .collect();
    let distance = |first: &[u8], second: &[u8]| -> u64 {
        first.iter().zip(second).map(|(&first, &second)| u64::from(first.abs_diff(second))).sum()
    };
    for (index, &texture) in Textures::WALLS.iter().enumerate() {
        for place in 0..12 {
            let view = wall(&textures, texture, 9.06 + 0.25 * place as f32);
            assert_eq!(view.len(), 48 * 14);
            let nearest = |views: &Vec<Vec<u8>>| views.iter().map(|known| distance(&view, known)).min().unwrap();
            let own = nearest(&known[index]);
            for (other, views) in known.iter().enumerate().filter(|(other, _)| *other != index) {
                let theirs = nearest(views);
                assert!(theirs * 2 > own * 3, "texture {texture} at place {place}: own {own}, {other}'s {theirs}");
            }
        }
    }
}

#[test]
fn textures_take_a_tint_and_floors_are_calm() {
    let textures = Textures::new(3);
    for texture in 0..16 {
        let view = wall(&textures, texture, 10.0);
        let mean = view.iter().map(|&level| u32::from(level)).sum::<u32>() / view.len() as u32;
        assert!(mean >= 140, "texture {texture} is dark: {mean}");
    }
    // The floor of the empty arena must not serve as a map: its contrast is low.
    let noise = wall(&textures, Textures::NOISE, 10.0);
    let (low, high) = (noise.iter().min().unwrap(), noise.iter().max().unwrap());
    assert!(high - low <= 40 && high > low, "{low}..{high}");
    assert!(wall(&textures, Textures::PLAIN, 10.0).iter().all(|&level| level == 255));
}

#[test]
fn a_seed_changes_details_and_not_the_kind() {
    let (one, two) = (Textures::new(1), Textures::new(2));
    for &texture in &Textures::WALLS {
        let (first, second) = (wall(&one, texture, 10.0), wall(&two, texture, 10.0));
        assert_ne!(first, second, "texture {texture}");
        assert_eq!(first, wall(&Textures::new(1), texture, 10.0));
    }
}
