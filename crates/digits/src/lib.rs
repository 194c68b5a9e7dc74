//! Handwritten digits: 28x28 grey images, in one handwriting to train on and another to be tested on.
//!
//! Two sources. *Strokes* are our own: templates of lines and curves, bent, slanted and inked by a seed; the templates of
//! the test hand are other ones than those of the training hand. *MNIST* is read from files that the user has (feature
//! `files`). A score on one is not a score on the other, so the source is part of every config and record.

#![forbid(unsafe_code)]

#[cfg(feature = "files")]
mod mnist;
mod strokes;
mod templates;
#[cfg(test)]
mod tests;

#[cfg(feature = "files")]
pub use mnist::{FILES, MnistError, cache, checked, directory, fuzz_mnist};
pub use strokes::Pen;

use std::sync::{Arc, OnceLock};

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

/// Side of an image.
pub const SIDE: usize = 28;
/// Bytes of an image.
pub const AREA: usize = SIDE * SIDE;

/// A grey image, rows from the top: 0 is paper, 255 ink.
pub type Image = [u8; AREA];

/// Where digits come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Our own strokes.
    #[default]
    Strokes,
    /// The MNIST files.
    Mnist,
}

/// Whose handwriting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// To train on.
    Train,
    /// To be tested on.
    Test,
}

/// Images of the ten digits in one hand.
#[derive(Debug)]
pub struct Digits {
    images: [Vec<Image>; 10],
    content: String,
}

impl Digits {
    /// The digits of `source`; `directory` is where the MNIST files are, if not in the place that the environment names.
    ///
    /// # Errors
    ///
    /// If the files cannot be read, or are not the ones they must be.
    pub fn open(source: Source, hand: Hand, directory: Option<&str>) -> Result<Arc<Self>, ConfigError> {
        match source {
            Source::Strokes => Ok(Self::strokes(hand)),
            Source::Mnist => Self::mnist(hand, directory),
        }
    }

    /// Our own digits, made once in a process.
    #[must_use]
    pub fn strokes(hand: Hand) -> Arc<Self> {
        static HANDS: [OnceLock<Arc<Digits>>; 2] = [const { OnceLock::new() }; 2];
        let make = || {
            let images = std::array::from_fn(|digit| strokes::images(digit, hand));
            Arc::new(Self { images, content: strokes::VERSION.to_owned() })
        };
        HANDS[hand as usize].get_or_init(make).clone()
    }

    #[cfg(feature = "files")]
    fn mnist(hand: Hand, directory: Option<&str>) -> Result<Arc<Self>, ConfigError> {
        let directory = mnist::directory(directory.map(std::path::Path::new));
        let (images, content) = mnist::read(&directory, hand).map_err(|e| ConfigError::new("mnist", e.to_string()))?;
        Ok(Arc::new(Self { images, content }))
    }

    #[cfg(not(feature = "files"))]
    fn mnist(_: Hand, _: Option<&str>) -> Result<Arc<Self>, ConfigError> {
        Err(ConfigError::new("digits", "is `mnist`, which this build cannot read: must be `strokes`"))
    }

    /// Number of images of `digit`.
    #[must_use]
    pub fn len(&self, digit: usize) -> u32 {
        self.images[digit].len() as u32
    }

    /// Image number `index` of `digit`.
    #[must_use]
    pub fn image(&self, digit: usize, index: u32) -> &Image {
        &self.images[digit][index as usize]
    }

    /// Name and version of the strokes, or the SHA-256 of the images read.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }
}

/// The training images of MNIST with these numbers, which count from one, and the SHA-256 of their file.
///
/// # Errors
///
/// If the files cannot be read, or are not the ones they must be.
#[cfg(feature = "files")]
pub fn mnist_numbered(directory: Option<&str>, numbers: &[usize]) -> Result<(Vec<Image>, String), ConfigError> {
    let directory = mnist::directory(directory.map(std::path::Path::new));
    mnist::numbered(&directory, numbers).map_err(|e| ConfigError::new("mnist", e.to_string()))
}

/// Writes `image` at another size into the square `out` of `side * side` bytes, bilinearly and in integers.
pub fn resize(image: &Image, side: usize, out: &mut [u8]) {
    // Pixel `x` of the result lies at `position / unit` in the image; both are doubled to have no halves.
    let unit = 2 * side as i32;
    let last = SIDE as i32 - 1;
    let sample = |x: usize| {
        let position = (2 * x as i32 + 1) * SIDE as i32 - side as i32;
        let whole = position.div_euclid(unit);
        let rest = position.rem_euclid(unit);
        (whole.clamp(0, last) as usize, (whole + 1).clamp(0, last) as usize, rest as u32)
    };
    let unit = unit as u32;
    let total = unit * unit;
    for y in 0..side {
        let (top, bottom, down) = sample(y);
        let (above, below) = (&image[top * SIDE..][..SIDE], &image[bottom * SIDE..][..SIDE]);
        for x in 0..side {
            let (left, right, along) = sample(x);
            let mix = |row: &[u8]| u32::from(row[left]) * (unit - along) + u32::from(row[right]) * along;
            let sum = mix(above) * (unit - down) + mix(below) * down;
            out[y * side + x] = ((sum + total / 2) / total) as u8;
        }
    }
}
