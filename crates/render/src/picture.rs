//! Pictures that own or borrow their pixels: [`Image`] and [`View`].

use std::fmt;

use crate::{Canvas, Rgb};

/// The largest width or height of a picture, which is also GIF's. It keeps every sum over a picture within 64 bits.
pub const MAX_SIDE: usize = 65_535;

/// Panics unless `length` bytes are exactly a picture of this size.
#[track_caller]
pub(crate) fn check_length(width: usize, height: usize, length: usize) {
    check_sides(width, height);
    let needed = width as u64 * height as u64 * 3;
    assert!(length as u64 == needed, "a picture of {width}x{height} takes {needed} bytes, not `{length}`");
}

/// Panics unless both sides are at most [`MAX_SIDE`].
#[track_caller]
fn check_sides(width: usize, height: usize) {
    assert!(
        width <= MAX_SIDE && height <= MAX_SIDE,
        "a picture of `{width}`x`{height}` is too large: a side is at most {MAX_SIDE}"
    );
}

/// A picture that owns its pixels: RGB, eight bits a channel, rows from top to bottom without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// A black picture.
    ///
    /// # Panics
    /// If a side is larger than [`MAX_SIDE`], or a 32-bit target cannot address so many bytes.
    #[must_use]
    #[track_caller]
    pub fn new(width: usize, height: usize) -> Self {
        check_sides(width, height);
        let length = width.checked_mul(height).and_then(|area| area.checked_mul(3));
        let length = length.expect("a picture must fit in the address space");
        Self { width, height, pixels: vec![0; length] }
    }

    /// A picture of one colour.
    ///
    /// # Panics
    /// If a side is larger than [`MAX_SIDE`].
    #[must_use]
    #[track_caller]
    pub fn filled(width: usize, height: usize, colour: Rgb) -> Self {
        let mut image = Self::new(width, height);
        image.canvas().clear(colour);
        image
    }

    /// A picture from its bytes.
    ///
    /// # Panics
    /// If a side is larger than [`MAX_SIDE`] or `pixels` is not `width * height * 3` bytes long.
    #[must_use]
    #[track_caller]
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        check_length(width, height, pixels.len());
        Self { width, height, pixels }
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The bytes, row by row.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The bytes, without the size.
    #[must_use]
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }

    /// A canvas to draw on this picture.
    pub fn canvas(&mut self) -> Canvas<'_> {
        Canvas::new(self.width, self.height, &mut self.pixels)
    }

    /// The picture as something to copy from.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { width: self.width, height: self.height, pixels: &self.pixels }
    }
}

/// A borrowed picture to read from: the source of blits, resampling and encoders.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct View<'a> {
    width: usize,
    height: usize,
    pixels: &'a [u8],
}

impl<'a> View<'a> {
    /// A view of RGB bytes, rows from top to bottom without padding.
    ///
    /// # Panics
    /// If a side is larger than [`MAX_SIDE`] or `pixels` is not `width * height * 3` bytes long.
    #[must_use]
    #[track_caller]
    pub fn new(width: usize, height: usize, pixels: &'a [u8]) -> Self {
        check_length(width, height, pixels.len());
        Self { width, height, pixels }
    }

    /// The number of columns.
    #[must_use]
    pub fn width(self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(self) -> usize {
        self.height
    }

    /// The bytes, row by row.
    #[must_use]
    pub fn pixels(self) -> &'a [u8] {
        self.pixels
    }

    /// The colour at a place, or `None` outside the picture.
    #[must_use]
    pub fn get(self, x: i32, y: i32) -> Option<Rgb> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then(|| Rgb(self.row(y)[x]))
    }

    /// The pixels of one row.
    pub(crate) fn row(self, y: usize) -> &'a [[u8; 3]] {
        self.pixels[y * self.width * 3..(y + 1) * self.width * 3].as_chunks().0
    }
}

/// Formats a picture by its size alone: thousands of numbers would hide what a message is about.
pub(crate) fn debug(f: &mut fmt::Formatter<'_>, name: &str, width: usize, height: usize) -> fmt::Result {
    f.debug_struct(name).field("width", &width).field("height", &height).finish_non_exhaustive()
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, "Image", self.width, self.height)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, "View", self.width, self.height)
    }
}
