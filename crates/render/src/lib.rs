//! Pixels: a canvas, shapes and glyphs, the same to the bit on every platform.
//!
//! Environments draw what an agent sees and what a person sees. An observation is part of an environment's rules: one
//! pixel that differs between two machines gives two trajectories. The crate is therefore written by hand, in integers
//! or in floats whose every rounding is specified, where a drawing library would be free to improve its antialiasing in
//! the next release.
//!
//! The pieces:
//!
//! - [`Canvas`] draws on an RGB buffer that the caller owns, such as a row of a batch of observations. [`Image`] owns
//!   its pixels, [`View`] reads somebody's.
//! - Shapes are methods of `Canvas`: rectangles, lines, discs, polygons, diamonds, arrows, blits and text in a built-in
//!   font of five by seven pixels.
//! - [`upscale`] and [`resize`] change the size of a picture.
//! - [`first_person`] draws rooms, mazes and arenas as somebody in them sees them.
//! - [`panel`] shows a square screen in a room, in perspective and flat.
//! - [`ansi`] shows a picture in a terminal; behind the feature `encode`, the module `encode` makes PNG and GIF files.
//!
//! # Invariants
//!
//! - **Exact.** Each shape's documentation says which pixels belong to it, by a rule about their centres that is decided
//!   in integers. What is drawn depends on the arguments alone: not on the platform, the optimiser or the canvas's size,
//!   which only cuts it off. A first-person picture fills its canvas; [`first_person`] says how it stays exact.
//! - **Total.** Drawing accepts every `i32` and never panics or overflows; what lies outside the canvas is clipped, at a
//!   cost that does not grow with the part outside. The few panics (a buffer of the wrong length, more vertices than
//!   [`MAX_VERTICES`]) are programmer's errors, and documented where they occur.
//! - **No allocation.** Methods of `Canvas`, functions that end in `_into` and first-person drawing allocate nothing.
//!
//! # Deliberately absent
//!
//! - Transparency and antialiasing. A pixel is replaced or left alone; smooth pictures are drawn large and shrunk with
//!   [`resize`].
//! - Files. The encoders write to a `Vec` or a writer; names and paths belong to the command line.
//! - Decoders, other pixel formats, fonts from outside, text beyond ASCII.

#![forbid(unsafe_code)]

mod blit;
mod canvas;
mod colour;
#[cfg(feature = "encode")]
pub mod encode;
pub mod first_person;
mod font;
mod lines;
pub mod panel;
mod picture;
mod polygon;
mod resample;
mod shapes;
mod terminal;
mod text;

pub use canvas::{Canvas, Point};
pub use colour::Rgb;
pub use lines::Direction;
pub use picture::{Image, MAX_SIDE, View};
pub use polygon::MAX_VERTICES;
pub use resample::{resize, resize_into, upscale, upscale_into};
pub use terminal::ansi;
pub use text::{CHARACTER_WIDTH, LINE_HEIGHT, Wrapped, text_width, wrap};
