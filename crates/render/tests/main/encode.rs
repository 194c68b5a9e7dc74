//! What is encoded decodes to the same picture.

use std::io::Cursor;

use heldout_render::encode::{EncodeError, gif, png};
use heldout_render::{Image, Rgb, View};

fn scene() -> Image {
    let mut image = Image::new(crate::common::SCENE.0, crate::common::SCENE.1);
    crate::common::scene(&mut image.canvas());
    image
}

/// A picture of `side` x `side` colours, `step` levels apart: more than any palette holds.
fn gradient(side: usize, step: u8, blue: u8) -> Image {
    let mut image = Image::new(side, side);
    let mut canvas = image.canvas();
    for y in 0..side as i32 {
        for x in 0..side as i32 {
            canvas.set(x, y, Rgb::new(x as u8 * step, y as u8 * step, blue));
        }
    }
    image
}

fn decode_png(bytes: &[u8]) -> Image {
    let mut reader = png_reader(bytes);
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut pixels).expect("a PNG");
    assert_eq!((info.color_type, info.bit_depth), (::png::ColorType::Rgb, ::png::BitDepth::Eight));
    Image::from_pixels(info.width as usize, info.height as usize, pixels)
}

fn png_reader(bytes: &[u8]) -> ::png::Reader<Cursor<&[u8]>> {
    ::png::Decoder::new(Cursor::new(bytes)).read_info().expect("a PNG")
}

/// The frames of a GIF and their delays.
fn decode_gif(bytes: &[u8]) -> Vec<(Image, u16)> {
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).expect("a GIF");
    assert_eq!(decoder.repeat(), ::gif::Repeat::Infinite);
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a GIF") {
        assert_eq!((frame.left, frame.top), (0, 0));
        let pixels = frame.buffer.as_chunks::<4>().0.iter();
        let pixels = pixels.flat_map(|&[red, green, blue, alpha]| {
            assert_eq!(alpha, 255);
            [red, green, blue]
        });
        let image = Image::from_pixels(frame.width.into(), frame.height.into(), pixels.collect());
        frames.push((image, frame.delay));
    }
    frames
}

#[test]
fn a_png_decodes_to_the_same_pixels() {
    for image in [scene(), gradient(64, 4, 7), Image::filled(1, 1, Rgb::ROSE), Image::filled(300, 1, Rgb::SKY)] {
        let bytes = png(image.view()).expect("encodes");
        assert_eq!(decode_png(&bytes), image);
        assert_eq!(png(image.view()).expect("encodes"), bytes, "the same bytes each time");
    }
}

#[test]
fn a_gif_of_few_colours_decodes_to_the_same_frames() {
    // The stamps have more shades than a palette: paint them over.
    let mut scene = scene();
    scene.canvas().fill_rect(139, 99, 21, 21, Rgb::SILVER);
    let mut other = scene.clone();
    other.canvas().fill_circle(80, 60, 50, Rgb::RED);
    let frames = [scene.view(), other.view(), scene.view()];
    let bytes = gif(&frames, 12).expect("encodes");
    let decoded = decode_gif(&bytes);
    assert_eq!(decoded, [(scene.clone(), 12), (other.clone(), 12), (scene.clone(), 12)]);
    assert_eq!(gif(&frames, 12).expect("encodes"), bytes, "the same bytes each time");
}

#[test]
fn exactly_256_colours_are_exact_and_one_colour_too() {
    let levels: Vec<u8> = (0..=255).flat_map(|level| [level, 255 - level, level / 2]).collect();
    let full = Image::from_pixels(16, 16, levels);
    assert_eq!(decode_gif(&gif(&[full.view()], 5).expect("encodes")), [(full, 5)]);
    let flat = Image::filled(3, 2, Rgb::LEAF);
    assert_eq!(decode_gif(&gif(&[flat.view()], 0).expect("encodes")), [(flat, 0)]);
}

#[test]
fn many_colours_are_quantised_alike_and_near() {
    let (first, second) = (gradient(64, 4, 0), gradient(64, 4, 200));
    let frames = [first.view(), second.view()];
    let bytes = gif(&frames, 4).expect("encodes");
    assert_eq!(gif(&frames, 4).expect("encodes"), bytes, "the same bytes each time");
    let decoded = decode_gif(&bytes);
    let distance = |one: &Image, other: &Image| -> u32 {
        let pairs = one.pixels().iter().zip(other.pixels());
        pairs.map(|(&a, &b)| u32::from(a.abs_diff(b))).max().unwrap_or(0)
    };
    // 128 colours a frame leave cells of about 23 by 23 levels: no channel is off by more than a cell.
    assert!(distance(&decoded[0].0, &first) <= 24, "{}", distance(&decoded[0].0, &first));
    assert!(distance(&decoded[1].0, &second) <= 24, "{}", distance(&decoded[1].0, &second));
}

#[test]
fn the_palette_is_what_it_always_was() {
    let digest = |side, step| {
        let bytes = gif(&[gradient(side, step, 0).view()], 4).expect("encodes");
        crate::common::digest(decode_gif(&bytes)[0].0.pixels())
    };
    // Of 17 x 17 colours far apart, the 33 pairs that must share one are chosen among equals.
    assert_eq!([digest(64, 4), digest(17, 15)], [13_224_526_488_405_721_893, 1_170_677_980_120_030_519]);
}

#[test]
fn impossible_films_are_errors_that_name_the_value() {
    let (small, wide, empty) = (Image::new(2, 2), Image::new(3, 2), Image::new(0, 7));
    let message = |frames: &[View<'_>]| gif(frames, 1).map_err(|error| error.to_string());
    assert_eq!(message(&[]), Err("a film of `0` frames cannot be encoded: it must have at least 1".to_owned()));
    assert_eq!(
        message(&[small.view(), small.view(), wide.view()]),
        Err("frame `2` is `3`x`2`, but all frames must be 2x2 like the first".to_owned())
    );
    let nothing = "a picture of `0`x`7` cannot be encoded: both sides must be at least 1";
    assert_eq!(message(&[empty.view()]), Err(nothing.to_owned()));
    assert_eq!(png(empty.view()).map_err(|error| error.to_string()), Err(nothing.to_owned()));
    assert!(matches!(png(empty.view()), Err(EncodeError::Empty { width: 0, height: 7 })));
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let image = Image::new(2, 2);
    let result = heldout_render::encode::write_png(image.view(), Full);
    assert!(matches!(result, Err(EncodeError::Png(_))), "{result:?}");
    let result = heldout_render::encode::write_gif(&[image.view()], 1, Full);
    assert!(matches!(result, Err(EncodeError::Gif(_))), "{result:?}");
}
