//! Other sizes of a picture, in exact integer arithmetic.
//!
//! The functions that end in `_into` write over the whole of the caller's canvas and allocate nothing; a canvas of
//! another size than the result is a programmer's error, and panics.

use std::ops::Range;

use crate::{Canvas, Image, View};

/// A picture larger by an integer: each pixel becomes a square of `factor` pixels.
///
/// # Panics
/// If a side of the result is larger than [`MAX_SIDE`](crate::MAX_SIDE).
#[must_use]
#[track_caller]
pub fn upscale(source: View<'_>, factor: usize) -> Image {
    let mut image = Image::new(source.width().saturating_mul(factor), source.height().saturating_mul(factor));
    upscale_into(source, factor, &mut image.canvas());
    image
}

/// [`upscale`] into the caller's canvas.
///
/// # Panics
/// If the canvas is not as large as the result.
#[track_caller]
pub fn upscale_into(source: View<'_>, factor: usize, target: &mut Canvas<'_>) {
    check_size(target, source.width().saturating_mul(factor), source.height().saturating_mul(factor));
    target.blit_scaled(0, 0, source, factor.min(u32::MAX as usize) as u32);
}

/// A picture of any other size: each pixel is the mean of the area that it covers in the source, to the nearest byte.
///
/// The parts of source pixels count by the exact share that is covered, so that a divisor of the size gives the
/// means of squares, a half rounded up, and a multiple of it what [`upscale`] gives.
///
/// # Panics
/// If a side is larger than [`MAX_SIDE`](crate::MAX_SIDE), or the source is empty and the result is not.
#[must_use]
#[track_caller]
pub fn resize(source: View<'_>, width: usize, height: usize) -> Image {
    let mut image = Image::new(width, height);
    resize_into(source, &mut image.canvas());
    image
}

/// [`resize`] to the size of the caller's canvas.
///
/// # Panics
/// If the source is empty and the canvas is not.
#[track_caller]
pub fn resize_into(source: View<'_>, target: &mut Canvas<'_>) {
    let (width, height) = (target.width(), target.height());
    if width == 0 || height == 0 {
        return;
    }
    assert!(
        source.width() > 0 && source.height() > 0,
        "a picture of `{}`x`{}` has no pixels to resize",
        source.width(),
        source.height()
    );
    // A side of `n` source pixels is divided into units, as many as target pixels to each source pixel: a target pixel
    // then covers `n` units, and the area under it is the same for every pixel.
    let area = source.width() as u64 * source.height() as u64;
    for y in 0..height {
        let rows = covered(y, source.height(), height);
        for (x, pixel) in target.row_mut(y).iter_mut().enumerate() {
            let mut sums = [area / 2; 3];
            for row in rows.clone() {
                let share = overlap(row, y, source.height(), height);
                for column in covered(x, source.width(), width) {
                    let weight = share * overlap(column, x, source.width(), width);
                    let colour = source.row(row)[column];
                    for channel in 0..3 {
                        sums[channel] += weight * u64::from(colour[channel]);
                    }
                }
            }
            *pixel = sums.map(|sum| (sum / area) as u8);
        }
    }
}

/// The pixels, of `from`, under pixel `index` of `to`.
fn covered(index: usize, from: usize, to: usize) -> Range<usize> {
    let (index, from, to) = (index as u64, from as u64, to as u64);
    (index * from / to) as usize..((index + 1) * from).div_ceil(to) as usize
}

/// How many of the `from` units under pixel `index` of `to` belong to pixel `part` of `from`.
fn overlap(part: usize, index: usize, from: usize, to: usize) -> u64 {
    let (part, index, from, to) = (part as u64, index as u64, from as u64, to as u64);
    ((part + 1) * to).min((index + 1) * from) - (part * to).max(index * from)
}

#[track_caller]
fn check_size(target: &Canvas<'_>, width: usize, height: usize) {
    assert!(
        target.width() == width && target.height() == height,
        "the result is {width}x{height}, but the canvas is `{}`x`{}`",
        target.width(),
        target.height()
    );
}
