//! The canvas: a caller's buffer with a size, single pixels and rectangles.

use std::fmt;
use std::ops::Range;

use crate::picture::{check_length, debug};
use crate::{Rgb, View};

/// A place on a canvas, `(x, y)`; x grows to the right and y downwards.
pub type Point = (i32, i32);

/// An RGB buffer of the caller's to draw on, rows from top to bottom without padding.
///
/// Every drawing method clips to the canvas, accepts any `i32` and allocates nothing. However large a shape is, drawing
/// it costs no more than visiting the canvas's pixels. A length of zero or less draws nothing.
pub struct Canvas<'a> {
    width: usize,
    height: usize,
    pixels: &'a mut [u8],
}

impl<'a> Canvas<'a> {
    /// A canvas over `pixels`, which keep what they hold until something is drawn over it.
    ///
    /// # Panics
    /// If a side is larger than [`MAX_SIDE`](crate::MAX_SIDE) or `pixels` is not `width * height * 3` bytes long: a
    /// buffer of another size than its owner believes is a programmer's error that drawing could only hide.
    #[must_use]
    #[track_caller]
    pub fn new(width: usize, height: usize, pixels: &'a mut [u8]) -> Self {
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

    /// What has been drawn so far.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(self.width, self.height, self.pixels)
    }

    /// Paints every pixel.
    pub fn clear(&mut self, colour: Rgb) {
        self.pixels.as_chunks_mut().0.fill(colour.0);
    }

    /// Paints one pixel.
    pub fn set(&mut self, x: i32, y: i32, colour: Rgb) {
        self.span(y.into(), x.into(), i64::from(x) + 1, colour);
    }

    /// The colour of a pixel, or `None` outside the canvas.
    #[must_use]
    pub fn get(&self, x: i32, y: i32) -> Option<Rgb> {
        self.view().get(x, y)
    }

    /// Paints the rectangle whose top left pixel is `(x, y)`.
    pub fn fill_rect(&mut self, x: i32, y: i32, width: i32, height: i32, colour: Rgb) {
        let (x, y) = (i64::from(x), i64::from(y));
        self.area(x..x + i64::from(width), y..y + i64::from(height), colour);
    }

    /// Paints the border of the rectangle whose top left pixel is `(x, y)`, `thickness` pixels inwards. A border that
    /// meets itself fills the rectangle.
    pub fn outline_rect(&mut self, x: i32, y: i32, width: i32, height: i32, thickness: i32, colour: Rgb) {
        let (left, top, thickness) = (i64::from(x), i64::from(y), i64::from(thickness));
        let (right, bottom) = (left + i64::from(width), top + i64::from(height));
        if thickness <= 0 || right <= left || bottom <= top {
            return;
        }
        let (inner_top, inner_bottom) = ((top + thickness).min(bottom), (bottom - thickness).max(top));
        let (inner_left, inner_right) = ((left + thickness).min(right), (right - thickness).max(left));
        self.area(left..right, top..inner_top, colour);
        self.area(left..right, inner_bottom..bottom, colour);
        self.area(left..inner_left, top..bottom, colour);
        self.area(inner_right..right, top..bottom, colour);
    }

    /// Paints `length` pixels to the right from `(x, y)`.
    pub fn hline(&mut self, x: i32, y: i32, length: i32, colour: Rgb) {
        self.span(y.into(), x.into(), i64::from(x) + i64::from(length), colour);
    }

    /// Paints `length` pixels downwards from `(x, y)`.
    pub fn vline(&mut self, x: i32, y: i32, length: i32, colour: Rgb) {
        self.fill_rect(x, y, 1, length, colour);
    }

    /// Paints the pixels `from..to` of row `y`: every shape ends here, and so does all clipping.
    pub(crate) fn span(&mut self, y: i64, from: i64, to: i64, colour: Rgb) {
        let columns = self.columns(from..to);
        if !columns.is_empty() && (0..self.height as i64).contains(&y) {
            self.row_mut(y as usize)[columns.start as usize..columns.end as usize].fill(colour.0);
        }
    }

    /// Paints a rectangle given by its columns and rows.
    pub(crate) fn area(&mut self, columns: Range<i64>, rows: Range<i64>, colour: Rgb) {
        for y in self.rows(rows) {
            self.span(y, columns.start, columns.end, colour);
        }
    }

    /// The part of a range of columns that is on the canvas.
    pub(crate) fn columns(&self, columns: Range<i64>) -> Range<i64> {
        columns.start.max(0)..columns.end.min(self.width as i64)
    }

    /// The part of a range of rows that is on the canvas.
    pub(crate) fn rows(&self, rows: Range<i64>) -> Range<i64> {
        rows.start.max(0)..rows.end.min(self.height as i64)
    }

    /// All pixels, row by row.
    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 3]] {
        self.pixels.as_chunks_mut().0
    }

    /// The pixels of one row.
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [[u8; 3]] {
        self.pixels[y * self.width * 3..(y + 1) * self.width * 3].as_chunks_mut().0
    }
}

impl fmt::Debug for Canvas<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, "Canvas", self.width, self.height)
    }
}
