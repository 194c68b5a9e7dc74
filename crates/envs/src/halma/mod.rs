//! HALMA: rapid problem solving in mazes that are never seen, only told in distances.
//!
//! The agent is told how far it is to the walls, to the next crossings and to the goal, as digits whose colours mean
//! directions. It answers with a direction and an option, a sequence of hops. Understanding what a digit *affords*, how
//! options compose, and how digits change when one moves is what is held out: after training, tests are made from what
//! the agent has experienced, so that they ask for relations between digits that it has never met.
//!
//! The folder reads like the paper: [`maze`] and [`generate`] are the problem space (App. A), [`observation`] and
//! [`panel`] what is seen (App. C), [`option`] what can be done, [`rules`] trials and episodes (Section 3.3), [`oracle`]
//! how well one can do, [`concepts`] the concept space (App. B), [`experience`] and [`tests`] the dynamic tests (Section
//! 3.4, App. D), [`stats`] the statistics of Fig. S5.
//!
//! # Invariants
//!
//! - Both ids share everything but what is seen: same mazes, same dynamics, same rewards under the same seeds.
//! - No two sets of mazes of different splits share a placed path, nor an image of it under a symmetry of the square.

pub mod build;
pub mod concepts;
pub mod config;
mod draw;
pub mod experience;
pub mod generate;
pub mod maze;
pub mod observation;
pub mod option;
pub mod oracle;
pub mod panel;
pub mod policies;
pub mod problems;
pub mod rules;
pub mod stats;
pub mod symbolic;
pub mod tests;
pub mod visual;

pub use config::{SymbolicConfig, Task, VisualConfig};
pub use symbolic::Symbolic;
pub use visual::Visual;
