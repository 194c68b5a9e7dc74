//! One picture with everything in it, frozen: a change to any shape, glyph or colour shows here.
//!
//! A digest that changes means that observations change: that breaks released environments, and is never just a new
//! constant.

mod common;

use heldout_render::{CHARACTER_WIDTH, Image, LINE_HEIGHT, Mean, Rgb, ansi, downscale_box, resize, upscale};

#[test]
fn the_scene_is_what_it_always_was() {
    let mut scene = Image::new(common::SCENE.0, common::SCENE.1);
    common::scene(&mut scene.canvas());
    assert_eq!(common::digest(scene.pixels()), 8_449_960_746_168_934_319);
}

#[test]
fn every_glyph_is_what_it_always_was() {
    let mut image = Image::new(16 * CHARACTER_WIDTH as usize, 6 * LINE_HEIGHT as usize);
    for (place, character) in (0..).zip((' '..='~').chain(['\u{e9}'])) {
        let (x, y) = (place % 16 * CHARACTER_WIDTH, place / 16 * LINE_HEIGHT);
        image.canvas().text(x, y, 1, Rgb::WHITE, character.encode_utf8(&mut [0; 4]));
    }
    assert_eq!(common::digest(image.pixels()), 16_306_733_761_012_740_523);
}

#[test]
fn other_sizes_and_the_terminal_view_are_what_they_always_were() {
    let mut scene = Image::new(common::SCENE.0, common::SCENE.1);
    common::scene(&mut scene.canvas());
    let digests = [
        common::digest(downscale_box(scene.view(), 3, Mean::Floor).pixels()),
        common::digest(downscale_box(scene.view(), 3, Mean::Nearest).pixels()),
        common::digest(upscale(scene.view(), 2).pixels()),
        common::digest(resize(scene.view(), 97, 41).pixels()),
        common::digest(ansi(scene.view(), 60).as_bytes()),
    ];
    assert_eq!(
        digests,
        [
            3_131_881_417_818_442_824,
            8_858_185_499_712_699_552,
            5_160_732_564_872_727_301,
            12_261_968_662_732_799_517,
            17_382_736_779_039_577_367,
        ]
    );
}
