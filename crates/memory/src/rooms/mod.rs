//! Rooms: spot the difference between two of them, four ways, and transitive inference in one.

mod chain;
mod colour;
mod compare;
pub(crate) mod gate;
pub(crate) mod inference;
mod inference_policies;
pub(crate) mod layout;
pub(crate) mod pattern;
mod relations;
mod route;
pub(crate) mod spot;
mod spot_draw;
mod spot_policies;
mod spot_view;

use heldout_core::Preset;
use heldout_render::Rgb;

pub(crate) use chain::{Chain, Side};
pub(crate) use colour::Colour;
pub(crate) use inference::{Inference, TASK as INFERENCE_TASK};
pub(crate) use layout::{Block, Layout, MAX_BLOCKS, Room, Variant};
pub(crate) use pattern::{CIRCUMRADIUS, PERIOD};
pub(crate) use relations::Relations;
pub(crate) use spot::Spot;
pub(crate) use spot_view::FAST;

use crate::walker::config::{SQUARE, SYMBOLIC};
use crate::walker::sight::Sighting;

pub(crate) const PRESETS: &[Preset] = &[SYMBOLIC, SQUARE];

/// The sky, from the zenith to the horizon.
const SKY: (Rgb, Rgb) = (Rgb::new(96, 150, 214), Rgb::new(206, 224, 240));

/// Elements that describe something in view.
const SLOT: usize = 7;

/// Something in view, where distances are divided by `far`: that it is there, its bearing and distance, its colour.
fn slot(Sighting { sin, cos, distance }: Sighting, far: f64, colour: Colour) -> [f32; SLOT] {
    let [red, green, blue] = colour.unit();
    [1.0, sin as f32, cos as f32, (distance / far) as f32, red, green, blue]
}
