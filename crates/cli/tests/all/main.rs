//! The command line, as a shell calls it.

mod commands;
mod common;
mod crash;
mod encoder;
mod eval;
mod halma;
mod hostile;
mod inputs;
mod limits;
mod memory;
mod selection;
mod train;
mod training;
