//! The picture for people.

use heldout_core::Frame;
use heldout_render::{Canvas, Rgb, View};

use crate::action::Action;
use crate::config::Appearance;
use crate::environment::{End, LilGym, State};
use crate::picture::{self, HEIGHT, WIDTH};
use crate::scene::BOX_NAMES;

/// How much the scene is enlarged.
const SCALE: u32 = 2;
const MARGIN: i32 = 12;
const HEAD: i32 = 62;
const LINE: i32 = 20;
/// Width and height.
pub(crate) const FRAME: (usize, usize) = (WIDTH * SCALE as usize + 24, HEIGHT * SCALE as usize + 62 + 56);

impl LilGym {
    pub(crate) fn paint(&self, state: &State, frame: &mut Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        let width = frame.width as i32 - 2 * MARGIN;
        let sentence = &self.statement(state).sentence;
        canvas.text_wrapped(MARGIN, MARGIN, width, 2, Rgb::PAPER, sentence);

        let mut pixels = vec![0; WIDTH * HEIGHT * 3];
        picture::paint_full(&state.scene, &state.trace, &mut pixels);
        canvas.blit_scaled(MARGIN, HEAD, View::new(WIDTH, HEIGHT, &pixels), SCALE);

        let below = HEAD + (HEIGHT * SCALE as usize) as i32 + 8;
        let truth = self.truth(state);
        let (word, colour) = match truth {
            Ok(truth) if truth == state.target => (truth.to_string(), Rgb::LEAF),
            Ok(truth) => (truth.to_string(), Rgb::AMBER),
            Err(_) => ("no value".to_owned(), Rgb::BRICK),
        };
        canvas.text(MARGIN, below, 2, Rgb::SILVER, &format!("target {}", state.target));
        canvas.text(MARGIN + 190, below, 2, colour, &format!("is {word}"));
        canvas.text(MARGIN + 350, below, 2, Rgb::SILVER, &format!("step {} of {}", state.steps, self.config.horizon));
        let last = state.last.map_or_else(|| "the beginning".to_owned(), |action| self.describe(action));
        canvas.text(MARGIN, below + LINE, 2, Rgb::SILVER, &last);
        if let Some(end) = state.end {
            let colour = if end == End::Right { Rgb::LEAF } else { Rgb::BRICK };
            let word =
                state.invalid.map_or_else(|| end.told().to_owned(), |cause| format!("invalid: {}", cause.told()));
            canvas.text(MARGIN + 430, below + LINE, 2, colour, &word);
        }
    }

    fn describe(&self, action: Action) -> String {
        let tower = self.task.appearance == Appearance::Tower;
        match action {
            Action::Stop => "stop".to_owned(),
            Action::Add { x, color, .. } if tower => {
                format!("add {} {}", BOX_NAMES[usize::from(x)], format!("{color:?}").to_lowercase())
            }
            Action::Add { x, y, shape, color, size } => {
                format!("add at {x},{y} {}", format!("{size:?} {color:?} {shape:?}").to_lowercase())
            }
            Action::Remove { x, .. } if tower => format!("remove {}", BOX_NAMES[usize::from(x)]),
            Action::Remove { x, y } => format!("remove at {x},{y}"),
        }
    }
}
