//! Sizes: exact values, and agreement between the ways to change them.

use heldout_render::{Canvas, Image, Rgb, View, resize, resize_into, upscale, upscale_into};

/// A grey picture.
fn grey(width: usize, levels: &[u8]) -> Image {
    let pixels = levels.iter().flat_map(|&level| [level; 3]).collect();
    Image::from_pixels(width, levels.len() / width, pixels)
}

/// The scene that has everything.
fn scene() -> Image {
    let mut image = Image::new(crate::common::SCENE.0, crate::common::SCENE.1);
    crate::common::scene(&mut image.canvas());
    image
}

/// The mean of each square of `factor` pixels, a half rounded up.
fn means(source: View<'_>, factor: usize) -> Image {
    let (width, height, count) = (source.width() / factor, source.height() / factor, factor * factor);
    let mut pixels = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        for channel in 0..3 {
            let square = (0..count).map(|i| ((y * factor + i / factor) * source.width() + x * factor + i % factor) * 3);
            let sum: usize = square.map(|at| usize::from(source.pixels()[at + channel])).sum();
            pixels.push(((sum + count / 2) / count) as u8);
        }
    }
    Image::from_pixels(width, height, pixels)
}

#[test]
fn upscaling_repeats_pixels() {
    assert_eq!(upscale(grey(2, &[1, 2]).view(), 2), grey(4, &[1, 1, 2, 2, 1, 1, 2, 2]));
    assert_eq!(upscale(grey(2, &[1, 2]).view(), 0), Image::new(0, 0));
    let source = scene();
    let large = upscale(source.view(), 3);
    assert_eq!((large.width(), large.height()), (3 * source.width(), 3 * source.height()));
    for (y, x) in (0..large.height() as i32).flat_map(|y| (0..large.width() as i32).map(move |x| (y, x))) {
        assert_eq!(large.view().get(x, y), source.view().get(x / 3, y / 3));
    }
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
        let expected = means(source.view(), factor);
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
    let double = into(320, 240, &|source, canvas| upscale_into(source, 2, canvas));
    assert_eq!(double, upscale(source.view(), 2));
    assert_eq!(into(33, 71, &|source, canvas| resize_into(source, canvas)), resize(source.view(), 33, 71));
}

#[test]
fn sizes_that_do_not_fit_panic() {
    let fails = |work: fn(View<'_>)| std::panic::catch_unwind(|| work(Image::new(4, 4).view())).is_err();
    assert!(fails(|source| upscale_into(source, 2, &mut Image::new(8, 7).canvas())));
    assert!(fails(|source| drop(upscale(source, 20_000))));
    assert!(fails(|_| drop(resize(Image::new(0, 4).view(), 1, 1))));
}
