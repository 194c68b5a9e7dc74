//! Copying pictures onto a canvas.

use crate::{Canvas, Rgb, View};

impl Canvas<'_> {
    /// Copies a picture, its top left pixel to `(x, y)`.
    pub fn blit(&mut self, x: i32, y: i32, picture: View<'_>) {
        let (left, top) = (i64::from(x), i64::from(y));
        let columns = self.columns(left..left + picture.width() as i64);
        if columns.is_empty() {
            return;
        }
        for row in self.rows(top..top + picture.height() as i64) {
            let source =
                &picture.row((row - top) as usize)[(columns.start - left) as usize..(columns.end - left) as usize];
            self.row_mut(row as usize)[columns.start as usize..columns.end as usize].copy_from_slice(source);
        }
    }

    /// Copies a picture with each of its pixels as a square of `factor` pixels, the first one's top left to `(x, y)`. A
    /// factor of zero draws nothing.
    pub fn blit_scaled(&mut self, x: i32, y: i32, picture: View<'_>, factor: u32) {
        let (left, top, factor) = (i64::from(x), i64::from(y), i64::from(factor));
        if factor == 0 {
            return;
        }
        let columns = self.columns(left..left + picture.width() as i64 * factor);
        for row in self.rows(top..top + picture.height() as i64 * factor) {
            let source = picture.row(((row - top) / factor) as usize);
            let mut column = columns.start;
            while column < columns.end {
                let index = (column - left) / factor;
                let end = left + (index + 1) * factor;
                self.span(row, column, end, Rgb(source[index as usize]));
                column = end;
            }
        }
    }
}
