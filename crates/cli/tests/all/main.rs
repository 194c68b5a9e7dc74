//! The command line, as a shell calls it.

mod commands;
mod eval;
mod halma;
