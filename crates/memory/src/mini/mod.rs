//! The small variants: every task without walking or looking around, with a choice at each step.
//!
//! They share stimuli, levels and answers with the full tasks, and are played in 50 to 400 steps.

pub(crate) mod goal;
pub(crate) mod honest;
pub(crate) mod inference;
pub(crate) mod panel;
pub(crate) mod spot;

use heldout_core::{Frame, Preset};
use heldout_render::{Canvas, Image, Rgb};

use crate::walker::config::{Format, Observation};
use crate::walker::map::CAPTION;

/// Width and height of the picture.
const SIZE: (usize, usize) = (48, 36);
/// How much larger people see it.
const ZOOM: usize = 8;
/// Width and height of the picture for people.
const FRAME: (usize, usize) = (SIZE.0 * ZOOM, SIZE.1 * ZOOM + CAPTION);

pub(crate) const PIXELS: &[Preset] =
    &[Preset { name: "pixels", about: "A picture of 48x36.", config: r#"{"observation": "pixels"}"# }];

/// An observation of the one size.
const fn format(observation: Observation, previous: bool) -> Format {
    Format { observation, width: SIZE.0 as u32, height: SIZE.1 as u32, previous }
}

/// Paints the picture as people see it, with a line of text.
fn enlarge(frame: Frame<'_>, caption: &str, picture: impl FnOnce(&mut Canvas<'_>)) {
    let mut small = Image::new(SIZE.0, SIZE.1);
    picture(&mut small.canvas());
    let Frame { width, height, pixels } = frame;
    let mut canvas = Canvas::new(width, height, pixels);
    canvas.clear(Rgb::INK);
    canvas.blit_scaled(0, 0, small.view(), ZOOM as u32);
    canvas.text(6, (SIZE.1 * ZOOM + 6) as i32, 1, Rgb::PAPER, caption);
}
