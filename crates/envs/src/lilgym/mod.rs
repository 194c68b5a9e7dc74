//! lilGym: make a sentence true, or false, by adding and removing objects.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "an item is handled like any other part of a scene")]

pub mod language;
mod scene;

pub use scene::{BOXES, Color, Item, MAX_ITEMS, Scene, Shape, Size};
