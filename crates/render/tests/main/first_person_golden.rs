//! First-person pictures, frozen: a digest that changes means that observations change.

use crate::common::digest;
use crate::common::worlds::{Dice, World};
use heldout_render::Image;
use heldout_render::first_person::{Camera, Textures, draw};

/// The digest of a picture and of its depths.
fn frozen(world: &World, camera: &Camera, width: usize, height: usize) -> (u64, u64) {
    let (image, depth) = world.shoot(camera, width, height);
    let bytes: Vec<u8> = depth.iter().flat_map(|depth| depth.to_bits().to_le_bytes()).collect();
    (digest(image.pixels()), digest(&bytes))
}

#[test]
fn pictures_and_depths_are_what_they_always_were() {
    let mut dice = Dice(100);
    let mut digests = Vec::new();
    for (index, (width, height)) in [(96, 72), (84, 84), (96, 72), (200, 130)].into_iter().enumerate() {
        let (world, camera) = dice.world(1.0);
        let pitch = if index < 2 { 0.0 } else { 0.5 - 0.3 * index as f32 };
        digests.push(frozen(&world, &Camera { pitch, ..camera }, width, height));
    }
    assert_eq!(
        digests,
        [
            (13_792_809_473_892_910_413, 1_173_898_048_387_845_329),
            (4_051_323_290_929_516_817, 5_016_559_257_738_489_609),
            (2_637_546_819_377_512_067, 6_766_661_949_495_986_469),
            (5_659_808_969_374_910_685, 12_379_145_252_894_984_295),
        ]
    );
}

#[test]
fn many_worlds_are_what_they_always_were() {
    let mut dice = Dice(200);
    let mut all = Vec::new();
    for index in 0..100 {
        let (world, camera) = dice.world(1.0);
        let pitch = if index % 4 == 0 { dice.between(-1.5, 1.5) } else { 0.0 };
        let mut image = Image::new(48, 36);
        draw(&world.scene(), &Camera { pitch, ..camera }, &mut image.canvas());
        all.extend_from_slice(&digest(image.pixels()).to_le_bytes());
    }
    assert_eq!(digest(&all), 9_274_696_968_499_463_010);
}

#[test]
fn amendment_47_a_picture_depends_on_its_arguments_alone() {
    let mut dice = Dice(300);
    let (world, camera) = dice.world(1.0);
    for pitch in [0.0, 0.3, -0.8, 1.5] {
        let camera = Camera { pitch, ..camera };
        let first = world.shoot(&camera, 96, 72);
        let again = World { textures: Textures::new(1), ..dice.world(1.0).0 };
        let _ = again.shoot(&camera, 96, 72);
        assert_eq!(world.shoot(&camera, 96, 72), first);
        let mut image = Image::new(96, 72);
        draw(&world.scene(), &camera, &mut image.canvas());
        assert_eq!(image, first.0, "with and without depths");
    }
}
