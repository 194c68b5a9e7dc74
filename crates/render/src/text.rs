//! Text in the built-in font, in lines and wrapped to a width.
//!
//! A character takes a cell of six by ten pixels, times the scale: the glyph of five by seven, two rows for tails such as
//! that of g, and one empty column and row. `'\n'` begins a new line; every character that is not printable ASCII shows
//! as an empty box.

use crate::font::{GLYPH_HEIGHT, GLYPH_WIDTH, glyph};
use crate::{Canvas, Rgb};

/// From the left of a character to the left of the next, in pixels at scale 1.
pub const CHARACTER_WIDTH: i32 = GLYPH_WIDTH as i32 + 1;
/// From the top of a line to the top of the next, in pixels at scale 1.
pub const LINE_HEIGHT: i32 = GLYPH_HEIGHT as i32 + 1;

impl Canvas<'_> {
    /// Writes text, the top left of its first character at `(x, y)`, each pixel of the font as a square of `scale`
    /// pixels. A scale of zero or less writes nothing.
    pub fn text(&mut self, x: i32, y: i32, scale: i32, colour: Rgb, text: &str) {
        self.lines(x, y, scale, colour, text.split('\n'));
    }

    /// Writes text like [`Canvas::text`], in lines of at most `width` pixels broken as [`wrap`] breaks them, and gives
    /// the height that they take: tails included, but not the empty row below the last line. An empty text has one line.
    pub fn text_wrapped(&mut self, x: i32, y: i32, width: i32, scale: i32, colour: Rgb, text: &str) -> i32 {
        let count = self.lines(x, y, scale, colour, wrap(text, columns(width, scale)));
        extent(count, LINE_HEIGHT, scale)
    }

    /// Writes lines below one another and counts them.
    fn lines<'t>(&mut self, x: i32, y: i32, scale: i32, colour: Rgb, lines: impl Iterator<Item = &'t str>) -> usize {
        let (height, mut top, mut count) = (self.height() as i64, i64::from(y), 0);
        for line in lines {
            if scale > 0 && top < height {
                self.line_of_text(x.into(), top, scale.into(), colour, line);
            }
            top = top.saturating_add(i64::from(LINE_HEIGHT) * i64::from(scale));
            count += 1;
        }
        count
    }

    fn line_of_text(&mut self, mut left: i64, top: i64, scale: i64, colour: Rgb, line: &str) {
        for character in line.chars() {
            if left >= self.width() as i64 {
                return;
            }
            for (row, bits) in (0..).zip(glyph(character)) {
                for column in
                    (0..GLYPH_WIDTH as i64).filter(|column| bits >> (GLYPH_WIDTH as i64 - 1 - column) & 1 == 1)
                {
                    let (x, y) = (left + column * scale, top + row * scale);
                    self.area(x..x + scale, y..y + scale, colour);
                }
            }
            left += i64::from(CHARACTER_WIDTH) * scale;
        }
    }
}

/// The width in pixels of the longest line of a text, without the empty column after its last character.
#[must_use]
pub fn text_width(text: &str, scale: i32) -> i32 {
    extent(text.split('\n').map(|line| line.chars().count()).max().unwrap_or(0), CHARACTER_WIDTH, scale)
}

/// `count` cells less the gap after the last, at a scale.
fn extent(count: usize, cell: i32, scale: i32) -> i32 {
    let cells = (count as i64).saturating_mul(cell.into()).saturating_sub(1).max(0);
    cells.saturating_mul(scale.max(0).into()).min(i32::MAX.into()) as i32
}

/// How many characters fit beside one another in a width.
fn columns(width: i32, scale: i32) -> usize {
    let scale = i64::from(scale.max(1));
    ((i64::from(width.max(0)) + scale) / (i64::from(CHARACTER_WIDTH) * scale)) as usize
}

/// The lines of a text wrapped to `columns` characters (to one, if it is zero).
///
/// A line ends at `'\n'`, else before the last word that does not fit; the spaces at the break vanish. A word longer
/// than a line is cut.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Wrapped<'_> {
    Wrapped { rest: Some(text), columns: columns.max(1) }
}

/// The iterator of [`wrap`].
#[derive(Clone, Debug)]
pub struct Wrapped<'a> {
    rest: Option<&'a str>,
    columns: usize,
}

impl<'a> Iterator for Wrapped<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.take()?;
        let mut last_space = None;
        let mut in_word = false;
        for (count, (index, character)) in text.char_indices().enumerate() {
            if character == '\n' {
                self.rest = Some(&text[index + 1..]);
                return Some(&text[..index]);
            }
            if character == ' ' && in_word {
                last_space = Some(index);
            }
            if count == self.columns {
                let end = last_space.unwrap_or(index);
                self.rest = after_break(&text[end..]);
                return Some(text[..end].trim_end_matches(' '));
            }
            in_word |= character != ' ';
        }
        Some(text)
    }
}

/// What is left for the next line: the spaces at the break are dropped, and so is the end of line that follows them.
fn after_break(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(' ');
    if text.is_empty() { None } else { Some(text.strip_prefix('\n').unwrap_or(text)) }
}
