//! The picture for people: what the agent sees on the left, the panel and the gaze on the right.

use heldout_render::{Canvas, Image, Rgb, resize};

use super::rules::{Phase, Rules, State};
use super::task::{Scene, TICK_RATE, Task};

/// Width of what the agent sees.
const WIDE: i32 = 384;
/// Height of both pictures, and width of the panel.
const TALL: i32 = 288;
/// Height of the line of text below.
const CAPTION: i32 = 22;
/// Space between them.
const GAP: i32 = 8;
/// Width and height of the picture.
pub(super) const FRAME: (usize, usize) = ((WIDE + GAP + TALL) as usize, (TALL + CAPTION) as usize);

pub(super) fn draw<T: Task>(rules: &Rules<T>, state: &State<T::Trial>, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::INK);
    let (width, height) = rules.size();
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
    let what = match state.phase {
        Phase::Interval => "interval",
        Phase::Fixation => "fixation",
        Phase::Scene(number) => word(rules.task().scene(&state.trial, number)),
    };
    let seconds = state.ticks / TICK_RATE;
    let text = format!(
        "score {}   trial {} of {}   {what}   {seconds} s of {}",
        state.right,
        (state.trials + 1).min(rules.trials()),
        rules.trials(),
        rules.limit() / TICK_RATE
    );
    canvas.text(8, TALL + 7, 1, Rgb::PAPER, &text);
}

/// What a scene is called.
pub(super) fn word(scene: Scene) -> &'static str {
    match scene {
        Scene::Show(_) => "remember",
        Scene::Blank(_) => "delay",
        Scene::Look => "look at the disk",
        Scene::Ready(_) => "compare",
        Scene::Choose => "choose",
    }
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
