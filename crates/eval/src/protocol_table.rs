//! The protocols that are built in: a line a file of `crates/eval/protocols`, which a test compares.

/// Name and text of every built-in protocol, in the order that lists show.
pub static BUILT_IN: &[(&str, &str)] = &[];
