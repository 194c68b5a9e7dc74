//! What the canvas, the encoders, the panel and the first-person renderer promise.

#![allow(unsafe_code, reason = "a counting allocator is unsafe by nature")]

mod clipping;
mod common;
#[cfg(feature = "encode")]
mod encode;
mod first_person;
mod first_person_agreement;
mod first_person_cast;
mod first_person_golden;
mod first_person_hazards;
mod first_person_look;
mod golden;
mod no_allocation;
mod panel;
mod resample;
mod rules;
mod shapes;
mod terminal;
mod text;
