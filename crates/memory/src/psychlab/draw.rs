//! The picture for people: what the agent sees on the left, the panel and the gaze on the right.

use heldout_render::{Canvas, Image, Rgb, resize};

use super::rules::{PsychLab, State};
use super::task::Task;
use crate::walker::map::{CAPTION, VIEW};

/// Width of what the agent sees; height of both pictures, and width of the panel.
const WIDE: i32 = VIEW.0 as i32;
const TALL: i32 = VIEW.1 as i32;
/// Space between them.
const GAP: i32 = 8;
/// Width and height of the picture.
pub(super) const FRAME: (usize, usize) = ((WIDE + GAP + TALL) as usize, TALL as usize + CAPTION);

pub(super) fn draw<T: Task>(rules: &PsychLab<T>, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::INK);
    let (width, height) = rules.format.size();
    let mut seen = Image::new(width, height);
    rules.picture(state, &mut seen.canvas());
    fit(canvas, &seen);
    let mut flat = Image::new(TALL as usize, TALL as usize);
    rules.flat_picture(state, &mut flat.canvas());
    canvas.blit(WIDE + GAP, 0, flat.view());
    let (u, v) = state.gaze.nearest();
    let place = |share: f64| (share * f64::from(TALL)) as i32;
    let colour = if state.gaze.on_screen().is_some() { Rgb::COBALT } else { Rgb::BRICK };
    canvas.outline_circle(WIDE + GAP + place(u), place(v), 7, 2, colour);
    let text = format!("{}   {}   right {}", rules.stage(state), rules.clock.caption(state.ticks), state.right);
    canvas.text(8, TALL + 6, 1, Rgb::PAPER, &text);
}

/// Puts a picture into the left part, as large as it gets there.
fn fit(canvas: &mut Canvas<'_>, picture: &Image) {
    let (width, height) = (picture.view().width() as i32, picture.view().height() as i32);
    let (wide, tall) = if width * TALL > height * WIDE {
        (WIDE, (height * WIDE / width).max(1))
    } else {
        ((width * TALL / height).max(1), TALL)
    };
    let sized = resize(picture.view(), wide as usize, tall as usize);
    canvas.blit((WIDE - wide) / 2, (TALL - tall) / 2, sized.view());
}
