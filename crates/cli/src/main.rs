//! heldout.

fn main() {}
