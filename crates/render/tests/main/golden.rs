//! One picture with everything in it, frozen: a change to any shape, glyph or colour shows here.
//!
//! A digest that changes means that observations change: that breaks released environments, and is never just a new
//! constant.

use heldout_render::{CHARACTER_WIDTH, Image, LINE_HEIGHT, Rgb, ansi, resize, upscale};

#[test]
fn the_scene_is_what_it_always_was() {
    let mut scene = Image::new(crate::common::SCENE.0, crate::common::SCENE.1);
    crate::common::scene(&mut scene.canvas());
    assert_eq!(crate::common::digest(scene.pixels()), 7_187_158_773_617_141_444);
}

#[test]
fn every_glyph_is_what_it_always_was() {
    let mut image = Image::new(16 * CHARACTER_WIDTH as usize, 6 * LINE_HEIGHT as usize);
    for (place, character) in (0..).zip((' '..='~').chain(['\u{e9}'])) {
        let (x, y) = (place % 16 * CHARACTER_WIDTH, place / 16 * LINE_HEIGHT);
        image.canvas().text(x, y, 1, Rgb::WHITE, character.encode_utf8(&mut [0; 4]));
    }
    assert_eq!(crate::common::digest(image.pixels()), 16_306_733_761_012_740_523);
}

#[test]
fn other_sizes_and_the_terminal_view_are_what_they_always_were() {
    let mut scene = Image::new(crate::common::SCENE.0, crate::common::SCENE.1);
    crate::common::scene(&mut scene.canvas());
    let digests = [
        crate::common::digest(upscale(scene.view(), 2).pixels()),
        crate::common::digest(resize(scene.view(), 97, 41).pixels()),
        crate::common::digest(ansi(scene.view(), 60).as_bytes()),
    ];
    assert_eq!(digests, [2_784_275_569_955_770_193, 9_231_064_140_972_304_839, 9_188_203_276_113_742_159,]);
}
