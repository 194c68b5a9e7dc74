//! What the tasks share that are played tick by tick: controls and the clock, the keys of their configs and the fields of
//! their observations, the walker of the Unity tasks, what it sees, maps, and how scripted walkers find their way.

pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod config;
pub(crate) mod controls;
pub(crate) mod explorer;
pub(crate) mod map;
pub(crate) mod pilot;
pub(crate) mod policies;
pub mod raw;
pub(crate) mod sight;
pub(crate) mod trips;
