//! What stimuli are painted from.

use heldout_core::{ConfigError, Source};
use heldout_render::{View, resize};

use super::images::Images;
use heldout_digits::{AREA, Digits, Hand, SIDE};

/// The published images of the ten digits: their numbers in MNIST's training set, from one.
#[cfg(feature = "files")]
const MNIST_NUMBERS: [usize; 10] = [39_824, 41_968, 1439, 40_746, 56_827, 3454, 42_499, 57_610, 41_348, 43_831];
/// Side of the area at whose edges digits are, as a share of the screen.
const AROUND: f64 = 0.95;
/// Side of a digit, as a share of the screen or of that area.
const DIGIT: f64 = 0.25;

/// Columns and rows of the bitmap that symbolic rows have of a digit, and pixels of the image along a side of its squares.
/// Digits are taller than wide: further columns would be empty in training.
const COLUMNS: usize = 4;
const ROWS: usize = 5;
const SQUARE: usize = 4;
/// Numbers of that bitmap.
pub(crate) const BITMAP: usize = COLUMNS * ROWS;
/// Digits that training shows; the others are held out.
const TRAINED: usize = 5;

/// What stimuli are painted from.
#[derive(Debug)]
pub(crate) enum Gallery {
    /// Images by id.
    Images(Images),
    /// Digits.
    Digits(Glyphs),
    /// Nothing: squares and letters are drawn.
    Shapes,
}

impl Gallery {
    pub(crate) fn images(&self) -> &Images {
        match self {
            Self::Images(images) => images,
            _ => panic!("this task has no images"),
        }
    }

    pub(crate) fn digits(&self) -> &Glyphs {
        match self {
            Self::Digits(glyphs) => glyphs,
            _ => panic!("this task has no digits"),
        }
    }
}

/// Ten digits, one image of each, at the two sizes that are painted.
#[derive(Debug)]
pub(crate) struct Glyphs {
    /// In the middle.
    large: Vec<u8>,
    /// At the edges.
    small: Vec<u8>,
    /// As symbolic rows show them.
    bitmaps: Vec<[f32; BITMAP]>,
    texels: usize,
    content: String,
}

/// A digit to paint: grey levels, a square of them, and where its upper left corner goes.
#[derive(Debug)]
pub(crate) struct Glyph<'a> {
    /// Levels, row by row.
    pub(crate) levels: &'a [u8],
    /// Pixels per side.
    pub(crate) side: usize,
    /// Columns to its left.
    pub(crate) left: usize,
    /// Rows above it.
    pub(crate) top: usize,
}

impl Glyphs {
    /// One image of each digit, for a surface of this side.
    pub(crate) fn open(
        source: heldout_digits::Source,
        directory: Option<&str>,
        texels: usize,
    ) -> Result<Self, ConfigError> {
        let (images, content): (Vec<heldout_digits::Image>, String) = match source {
            heldout_digits::Source::Strokes => {
                let digits = Digits::strokes(Hand::Train);
                ((0..10).map(|digit| *digits.image(digit, 0)).collect(), digits.content().to_owned())
            }
            heldout_digits::Source::Mnist => mnist(directory)?,
        };
        let sized = |side: usize| images.iter().flat_map(|image| scaled(image, side)).collect();
        let (large, small) = Self::sides(texels);
        Ok(Self { large: sized(large), small: sized(small), bitmaps: bitmaps(&images), texels, content })
    }

    /// A digit as symbolic rows show it.
    pub(crate) fn bitmap(&self, digit: u8) -> &[f32; BITMAP] {
        &self.bitmaps[usize::from(digit)]
    }

    fn sides(texels: usize) -> (usize, usize) {
        let side = |share: f64| (share * texels as f64 + 0.5) as usize;
        (side(DIGIT), side(DIGIT * AROUND))
    }

    /// Where the digits come from.
    pub(crate) fn source(&self) -> Source {
        Source { name: "digits", content: self.content.clone() }
    }

    /// A digit in the middle.
    pub(crate) fn middle(&self, digit: u8) -> Glyph<'_> {
        let (side, _) = Self::sides(self.texels);
        let at = (self.texels - side) / 2;
        Glyph { levels: &self.large[usize::from(digit) * side * side..][..side * side], side, left: at, top: at }
    }

    /// A digit at an edge, in the order top, bottom, left, right.
    pub(crate) fn edge(&self, digit: u8, edge: usize) -> Glyph<'_> {
        let (_, side) = Self::sides(self.texels);
        let near = ((1.0 - AROUND) / 2.0 * self.texels as f64 + 0.5) as usize;
        let (far, middle) = (self.texels - near - side, (self.texels - side) / 2);
        let (left, top) = [(middle, near), (middle, far), (near, middle), (far, middle)][edge];
        Glyph { levels: &self.small[usize::from(digit) * side * side..][..side * side], side, left, top }
    }
}

#[cfg(feature = "files")]
fn mnist(directory: Option<&str>) -> Result<(Vec<heldout_digits::Image>, String), ConfigError> {
    heldout_digits::mnist_numbered(directory, &MNIST_NUMBERS)
}

#[cfg(not(feature = "files"))]
fn mnist(_: Option<&str>) -> Result<(Vec<heldout_digits::Image>, String), ConfigError> {
    Err(ConfigError::new("digits", "is `mnist`, which this build cannot read: must be `strokes`"))
}

/// Ink in each square of the middle of the images, from 0 to 1. A held-out digit has no more of it anywhere than some digit
/// of training has: no input goes beyond what training spans.
fn bitmaps(images: &[heldout_digits::Image]) -> Vec<[f32; BITMAP]> {
    let begin = |squares: usize, at: usize| (SIDE - squares * SQUARE) / 2 + at * SQUARE;
    let ink = |image: &heldout_digits::Image, at: usize| {
        let (left, top) = (begin(COLUMNS, at % COLUMNS), begin(ROWS, at / COLUMNS));
        let pixels = (0..SQUARE * SQUARE).map(|i| u32::from(image[(top + i / SQUARE) * SIDE + left + i % SQUARE]));
        pixels.sum::<u32>() as f32 / (255 * SQUARE * SQUARE) as f32
    };
    let mut bitmaps: Vec<[f32; BITMAP]> = images.iter().map(|image| std::array::from_fn(|at| ink(image, at))).collect();
    let (trained, held_out) = bitmaps.split_at_mut(TRAINED);
    for at in 0..BITMAP {
        let most = trained.iter().map(|digit| digit[at]).fold(0.0, f32::max);
        for digit in &mut *held_out {
            digit[at] = digit[at].min(most);
        }
    }
    bitmaps
}

/// A digit at another size.
fn scaled(image: &heldout_digits::Image, side: usize) -> Vec<u8> {
    if side >= SIDE {
        let mut out = vec![0; side * side];
        heldout_digits::resize(image, side, &mut out);
        return out;
    }
    let rgb: Vec<u8> = image.iter().flat_map(|&level| [level; 3]).collect();
    debug_assert_eq!(rgb.len(), 3 * AREA);
    resize(View::new(SIDE, SIDE, &rgb), side, side).pixels().as_chunks::<3>().0.iter().map(|pixel| pixel[0]).collect()
}
