//! What algorithms share, in plain numbers.

pub mod checkpoint;
pub mod collect;
pub mod events;
pub mod heads;
pub mod inputs;
pub mod priority;
pub mod replay;
pub mod ring;
pub mod schedule;
pub mod stats;
pub mod targets;
