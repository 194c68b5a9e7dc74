//! heldout.
