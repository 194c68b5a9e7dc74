//! Copying pictures and masks onto a canvas.

use std::ops::Range;

use crate::{Canvas, Mask, Rgb, View};

impl Canvas<'_> {
    /// Copies a picture, its top left pixel to `(x, y)`.
    pub fn blit(&mut self, x: i32, y: i32, picture: View<'_>) {
        let Some((columns, rows)) = self.overlap(x, y, picture.width(), picture.height()) else { return };
        for row in rows {
            let source = &picture.row((row - i64::from(y)) as usize)[local(&columns, x)];
            self.row_mut(row as usize)[columns.start as usize..columns.end as usize].copy_from_slice(source);
        }
    }

    /// Copies a picture, its top left pixel to `(x, y)`, except for its pixels of the colour `key`.
    pub fn blit_keyed(&mut self, x: i32, y: i32, picture: View<'_>, key: Rgb) {
        let Some((columns, rows)) = self.overlap(x, y, picture.width(), picture.height()) else { return };
        for row in rows {
            let source = &picture.row((row - i64::from(y)) as usize)[local(&columns, x)];
            let target = &mut self.row_mut(row as usize)[columns.start as usize..columns.end as usize];
            for (target, source) in target.iter_mut().zip(source) {
                if *source != key.0 {
                    *target = *source;
                }
            }
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

    /// Paints `colour` through a mask whose top left pixel goes to `(x, y)`.
    ///
    /// Where the mask is above zero the pixel is *replaced* by [`colour.shade(level)`](Rgb::shade), which is
    /// `channel * level / 255` to the nearest integer; where it is zero the canvas stays. What was there before does not
    /// shine through: a soft edge fades to black.
    pub fn stamp(&mut self, x: i32, y: i32, mask: Mask<'_>, colour: Rgb) {
        let Some((columns, rows)) = self.overlap(x, y, mask.width(), mask.height()) else { return };
        for row in rows {
            let source = &mask.row((row - i64::from(y)) as usize)[local(&columns, x)];
            let target = &mut self.row_mut(row as usize)[columns.start as usize..columns.end as usize];
            for (target, &level) in target.iter_mut().zip(source) {
                if level > 0 {
                    *target = colour.shade(level).0;
                }
            }
        }
    }

    /// The columns and rows of the canvas under a picture of this size at `(x, y)`, if there are any.
    fn overlap(&self, x: i32, y: i32, width: usize, height: usize) -> Option<(Range<i64>, Range<i64>)> {
        let columns = self.columns(x.into()..i64::from(x) + width as i64);
        let rows = self.rows(y.into()..i64::from(y) + height as i64);
        (!columns.is_empty() && !rows.is_empty()).then_some((columns, rows))
    }
}

/// A range of the canvas's columns in a picture that begins at column `x`.
fn local(columns: &Range<i64>, x: i32) -> Range<usize> {
    (columns.start - i64::from(x)) as usize..(columns.end - i64::from(x)) as usize
}
