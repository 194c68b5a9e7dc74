//! PNG pictures and GIF films, behind the feature `encode`.
//!
//! The same pictures give the same bytes. That holds for one version of the `png` and `gif` crates, whose compression
//! may change; the pixels that come out of a PNG, and out of a GIF of at most 256 colours, are always the ones that went
//! in.

mod palette;

use std::borrow::Cow;
use std::io::Write;

use gif::Repeat;

use crate::View;
use palette::Palette;

/// Why a picture could not be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The picture has no pixels, which neither format can express.
    #[error("a picture of `{width}`x`{height}` cannot be encoded: both sides must be at least 1")]
    Empty {
        /// The picture's width.
        width: usize,
        /// The picture's height.
        height: usize,
    },
    /// The film has no frames.
    #[error("a film of `0` frames cannot be encoded: it must have at least 1")]
    NoFrames,
    /// A frame differs in size from the first.
    #[error(
        "frame `{index}` is `{width}`x`{height}`, but all frames must be {first_width}x{first_height} like the first"
    )]
    FrameSize {
        /// The frame's place, counted from 0.
        index: usize,
        /// The frame's width.
        width: usize,
        /// The frame's height.
        height: usize,
        /// The first frame's width.
        first_width: usize,
        /// The first frame's height.
        first_height: usize,
    },
    /// The PNG could not be written.
    #[error("the PNG could not be written")]
    Png(#[from] png::EncodingError),
    /// The GIF could not be written.
    #[error("the GIF could not be written")]
    Gif(#[from] gif::EncodingError),
}

/// A picture as the bytes of a PNG file.
///
/// # Errors
/// [`EncodeError::Empty`] if the picture has no pixels.
pub fn png(picture: View<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    write_png(picture, &mut bytes)?;
    Ok(bytes)
}

/// Writes a picture as PNG: RGB, eight bits a channel.
///
/// # Errors
/// [`EncodeError::Empty`] if the picture has no pixels, [`EncodeError::Png`] if `writer` fails.
pub fn write_png(picture: View<'_>, writer: impl Write) -> Result<(), EncodeError> {
    check_not_empty(picture)?;
    let mut encoder = png::Encoder::new(writer, picture.width() as u32, picture.height() as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels())?;
    writer.finish()?;
    Ok(())
}

/// A film as the bytes of an animated GIF; see [`write_gif`].
///
/// # Errors
/// Those of [`write_gif`].
pub fn gif(frames: &[View<'_>], delay: u16) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    write_gif(frames, delay, &mut bytes)?;
    Ok(bytes)
}

/// Writes a film as an animated GIF that repeats for ever, each frame shown for `delay` hundredths of a second.
///
/// All frames share one palette. It is exact if they have at most 256 colours together; else each pixel takes the
/// nearest of 256 colours chosen by median cut over all frames, without dithering.
///
/// # Errors
/// [`EncodeError::NoFrames`], [`EncodeError::Empty`] or [`EncodeError::FrameSize`] if the frames are not one film,
/// [`EncodeError::Gif`] if `writer` fails.
pub fn write_gif(frames: &[View<'_>], delay: u16, writer: impl Write) -> Result<(), EncodeError> {
    let first = *frames.first().ok_or(EncodeError::NoFrames)?;
    check_not_empty(first)?;
    for (index, frame) in frames.iter().enumerate() {
        let (width, height) = (frame.width(), frame.height());
        let (first_width, first_height) = (first.width(), first.height());
        if (width, height) != (first_width, first_height) {
            return Err(EncodeError::FrameSize { index, width, height, first_width, first_height });
        }
    }
    let palette = Palette::of(frames);
    // A side is at most `MAX_SIDE`, which is the largest that GIF knows.
    let (width, height) = (first.width() as u16, first.height() as u16);
    let mut encoder = gif::Encoder::new(writer, width, height, &palette.bytes())?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut indices = Vec::new();
    for frame in frames {
        palette.indices(*frame, &mut indices);
        let buffer = Cow::Borrowed(indices.as_slice());
        encoder.write_frame(&gif::Frame { delay, width, height, buffer, ..gif::Frame::default() })?;
    }
    // Writes the end of the file, whose failure would otherwise pass unnoticed.
    encoder.into_inner()?;
    Ok(())
}

fn check_not_empty(picture: View<'_>) -> Result<(), EncodeError> {
    let (width, height) = (picture.width(), picture.height());
    if width == 0 || height == 0 { Err(EncodeError::Empty { width, height }) } else { Ok(()) }
}
