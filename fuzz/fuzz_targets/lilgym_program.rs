//! `cargo +nightly fuzz run lilgym_program`: no text makes the parser or the evaluator panic, and what is printed parses
//! to the same program with the same value.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = heldout_lilgym::fuzz_program(data);
});
