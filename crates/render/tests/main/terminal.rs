//! The terminal view, to the character.

use heldout_render::{Image, Rgb, ansi, resize};

#[test]
fn two_by_two_pixels_are_two_half_blocks() {
    let image = Image::from_pixels(2, 2, vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 255]);
    let expected = "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[38;2;0;255;0m▀\x1b[0m\n";
    assert_eq!(ansi(image.view(), 2), expected);
    assert_eq!(ansi(image.view(), 80), expected, "a small picture is not enlarged");
}

#[test]
fn a_last_odd_row_has_no_background() {
    let image = Image::filled(1, 3, Rgb::new(1, 2, 3));
    assert_eq!(ansi(image.view(), 9), "\x1b[38;2;1;2;3m\x1b[48;2;1;2;3m▀\x1b[0m\n\x1b[38;2;1;2;3m▀\x1b[0m\n");
}

#[test]
fn a_wide_picture_is_shrunk_in_proportion() {
    let mut image = Image::filled(40, 24, Rgb::AMBER);
    image.canvas().fill_circle(20, 12, 9, Rgb::COBALT);
    assert_eq!(ansi(image.view(), 10), ansi(resize(image.view(), 10, 6).view(), 10));
    assert_eq!(ansi(image.view(), 10).lines().count(), 3);
    assert_eq!(ansi(Image::new(100, 1).view(), 2).matches('▀').count(), 2, "no picture shrinks to nothing");
}

#[test]
fn nothing_to_show_is_an_empty_string() {
    assert_eq!(ansi(Image::new(0, 5).view(), 10), "");
    assert_eq!(ansi(Image::new(5, 0).view(), 10), "");
    assert_eq!(ansi(Image::new(5, 5).view(), 0), "");
}
