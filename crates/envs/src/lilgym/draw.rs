//! The picture for people.

use heldout_core::Frame;
use heldout_render::{Canvas, Image, Rgb};

use super::action::Action;
use super::config::Appearance;
use super::picture::{self, HEIGHT, WIDTH};
use super::rules::{Cause, End, Rules, State};

/// How much the scene is enlarged.
const SCALE: u32 = 2;
const MARGIN: i32 = 12;
const HEAD: i32 = 62;
const LINE: i32 = 20;
/// Width and height.
pub(super) const FRAME: (usize, usize) = (WIDTH * SCALE as usize + 24, HEIGHT * SCALE as usize + 62 + 56);

impl Rules {
    pub(super) fn draw(&self, state: &State, frame: &mut Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        let width = frame.width as i32 - 2 * MARGIN;
        let sentence = &self.statement(state).sentence;
        canvas.text_wrapped(MARGIN, MARGIN, width, 2, Rgb::PAPER, sentence);

        let mut scene = Image::filled(WIDTH, HEIGHT, Rgb::BLACK);
        let mut pixels = scene.pixels().to_vec();
        picture::paint_full(&state.scene, Self::trace(state), &mut pixels);
        scene = Image::from_pixels(WIDTH, HEIGHT, pixels);
        canvas.blit_scaled(MARGIN, HEAD, scene.view(), SCALE);

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
        let last = Self::last(state).map_or_else(|| "the beginning".to_owned(), |action| self.describe(action));
        canvas.text(MARGIN, below + LINE, 2, Rgb::SILVER, &last);
        if let Some(end) = state.end {
            let (word, colour) = match end {
                End::Right => ("right stop".to_owned(), Rgb::LEAF),
                End::Wrong => ("wrong stop".to_owned(), Rgb::BRICK),
                End::Early => ("early stop".to_owned(), Rgb::BRICK),
                End::Horizon => ("horizon".to_owned(), Rgb::BRICK),
                End::Invalid => (format!("invalid: {}", cause(state.cause)), Rgb::BRICK),
            };
            canvas.text(MARGIN + 430, below + LINE, 2, colour, &word);
        }
    }

    fn describe(&self, action: Action) -> String {
        const NAMES: [&str; 3] = ["left", "middle", "right"];
        let tower = self.appearance == Appearance::Tower;
        match action {
            Action::Stop => "stop".to_owned(),
            Action::Add { x, color, .. } if tower => {
                format!("add {} {}", NAMES[usize::from(x)], format!("{color:?}").to_lowercase())
            }
            Action::Add { x, y, shape, color, size } => {
                format!("add at {x},{y} {}", format!("{size:?} {color:?} {shape:?}").to_lowercase())
            }
            Action::Remove { x, .. } if tower => format!("remove {}", NAMES[usize::from(x)]),
            Action::Remove { x, y } => format!("remove at {x},{y}"),
        }
    }
}

fn cause(cause: Option<Cause>) -> &'static str {
    match cause {
        None => "",
        Some(Cause::CannotFit) => "cannot fit",
        Some(Cause::Separator) => "separator",
        Some(Cause::Nothing) => "nothing to remove",
        Some(Cause::Onto) => "onto an object",
    }
}
