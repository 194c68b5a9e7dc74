//! Sizes: exact values, and agreement between the three ways to change them.

mod common;

use heldout_render::{Canvas, Image, Mean, Rgb, downscale_box, downscale_box_into, resize, resize_into, upscale};
use heldout_render::{View, upscale_into};

/// A grey picture.
fn grey(width: usize, levels: &[u8]) -> Image {
    let pixels = levels.iter().flat_map(|&level| [level; 3]).collect();
    Image::from_pixels(width, levels.len() / width, pixels)
}

/// The scene that has everything.
fn scene() -> Image {
    let mut image = Image::new(common::SCENE.0, common::SCENE.1);
    common::scene(&mut image.canvas());
    image
}

#[test]
fn the_box_mean_is_exact() {
    // Sums 7, 1022; 6, 1: over four that is 1.75, 255.5; 1.5, 0.25. The fifth column is left out.
    let source = grey(5, &[1, 2, 255, 255, 9, 1, 3, 255, 255, 9, 2, 2, 0, 0, 9, 1, 1, 0, 1, 9]);
    assert_eq!(downscale_box(source.view(), 2, Mean::Floor), grey(2, &[1, 255, 1, 0]));
    assert_eq!(downscale_box(source.view(), 2, Mean::Nearest), grey(2, &[2, 255, 2, 0]));
    let colours = Image::from_pixels(2, 1, vec![10, 0, 255, 13, 1, 254]);
    assert_eq!(downscale_box(colours.view(), 1, Mean::Floor), colours);
    assert_eq!(downscale_box(colours.view(), 2, Mean::Floor), Image::new(1, 0));
    assert_eq!(downscale_box(colours.view(), usize::MAX, Mean::Floor), Image::new(0, 0));
}

#[test]
fn upscaling_repeats_pixels() {
    assert_eq!(upscale(grey(2, &[1, 2]).view(), 2), grey(4, &[1, 1, 2, 2, 1, 1, 2, 2]));
    assert_eq!(upscale(grey(2, &[1, 2]).view(), 0), Image::new(0, 0));
    let source = scene();
    assert_eq!(downscale_box(upscale(source.view(), 3).view(), 3, Mean::Floor), source);
}

#[test]
fn resizing_weighs_by_the_covered_area() {
    // Three pixels to two: each takes one whole pixel and half of the middle one.
    assert_eq!(resize(grey(3, &[30, 90, 255]).view(), 2, 1), grey(2, &[50, 200]));
    // Two to three: the middle one takes half of each, 15.5, and a half is rounded up.
    assert_eq!(resize(grey(2, &[10, 21]).view(), 3, 1), grey(3, &[10, 16, 21]));
    // Both at once: (4*30 + 2*60 + 2*90 + 120) / 9 = 60.
    let source = grey(3, &[30, 60, 30, 90, 120, 90, 30, 60, 30]);
    assert_eq!(resize(source.view(), 2, 2), grey(2, &[60; 4]));
    assert_eq!(resize(source.view(), 0, 7), Image::new(0, 7));
}

#[test]
fn resizing_agrees_with_the_integer_factors() {
    let source = scene();
    let (width, height) = (source.width(), source.height());
    assert_eq!(resize(source.view(), width, height), source);
    assert_eq!(resize(source.view(), width * 3, height * 3), upscale(source.view(), 3));
    for factor in [2, 4, 5, 8] {
        let expected = downscale_box(source.view(), factor, Mean::Nearest);
        assert_eq!(resize(source.view(), width / factor, height / factor), expected, "factor {factor}");
    }
}

#[test]
fn resizing_keeps_a_flat_colour() {
    let flat = Image::filled(37, 11, Rgb::new(255, 1, 77));
    for (width, height) in [(1, 1), (36, 10), (38, 12), (5, 90)] {
        assert_eq!(resize(flat.view(), width, height), Image::filled(width, height, Rgb::new(255, 1, 77)));
    }
}

#[test]
fn writing_into_a_buffer_gives_the_same_and_leaves_nothing() {
    let source = scene();
    let into = |width: usize, height: usize, write: &dyn Fn(View<'_>, &mut Canvas<'_>)| {
        let mut poisoned = Image::filled(width, height, Rgb::MAGENTA);
        write(source.view(), &mut poisoned.canvas());
        poisoned
    };
    let half = into(80, 60, &|source, canvas| downscale_box_into(source, 2, Mean::Floor, canvas));
    assert_eq!(half, downscale_box(source.view(), 2, Mean::Floor));
    let double = into(320, 240, &|source, canvas| upscale_into(source, 2, canvas));
    assert_eq!(double, upscale(source.view(), 2));
    assert_eq!(into(33, 71, &|source, canvas| resize_into(source, canvas)), resize(source.view(), 33, 71));
}

#[test]
fn sizes_that_do_not_fit_panic() {
    let fails = |work: fn(View<'_>)| std::panic::catch_unwind(|| work(Image::new(4, 4).view())).is_err();
    assert!(fails(|source| drop(downscale_box(source, 0, Mean::Floor))));
    assert!(fails(|source| downscale_box_into(source, 2, Mean::Floor, &mut Image::new(2, 3).canvas())));
    assert!(fails(|source| upscale_into(source, 2, &mut Image::new(8, 7).canvas())));
    assert!(fails(|source| drop(upscale(source, 20_000))));
    assert!(fails(|_| drop(resize(Image::new(0, 4).view(), 1, 1))));
}
