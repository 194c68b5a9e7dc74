//! Pictures in a terminal.

use std::fmt::{self, Write as _};

use crate::{Rgb, View, resize};

/// A picture as lines of text for a terminal of 24-bit colour, at most `columns` characters wide.
///
/// A character is an upper half block, `▀`: its foreground is a pixel and its background the pixel below. A wider picture
/// is first shrunk by [`resize`] with its proportions kept; a smaller one is not enlarged. A colour is only named
/// where it changes, and every line ends with a reset and `'\n'`. The lower half of a last odd row keeps the terminal's
/// own background. A picture without pixels, or no columns, gives an empty string.
#[must_use]
pub fn ansi(picture: View<'_>, columns: usize) -> String {
    let mut text = String::new();
    let (width, height) = (picture.width(), picture.height());
    if width == 0 || height == 0 || columns == 0 {
        return text;
    }
    let written = if width <= columns {
        blocks(picture, &mut text)
    } else {
        let rows = (height as u64 * columns as u64 + width as u64 / 2) / width as u64;
        blocks(resize(picture, columns, (rows as usize).max(1)).view(), &mut text)
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    text
}

fn blocks(picture: View<'_>, text: &mut String) -> fmt::Result {
    for y in (0..picture.height()).step_by(2) {
        let upper = picture.row(y);
        let lower = (y + 1 < picture.height()).then(|| picture.row(y + 1));
        let (mut foreground, mut background) = (None, None);
        for x in 0..picture.width() {
            change(text, 38, &mut foreground, Rgb(upper[x]))?;
            if let Some(lower) = lower {
                change(text, 48, &mut background, Rgb(lower[x]))?;
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    Ok(())
}

/// Names a colour for what follows (`layer` 38 is the foreground, 48 the background), unless it is already in force.
fn change(text: &mut String, layer: u8, current: &mut Option<Rgb>, colour: Rgb) -> fmt::Result {
    if *current == Some(colour) {
        return Ok(());
    }
    *current = Some(colour);
    let [red, green, blue] = colour.0;
    write!(text, "\x1b[{layer};2;{red};{green};{blue}m")
}
