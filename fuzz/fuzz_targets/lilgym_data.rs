//! `cargo fuzz run lilgym_data`: see `crates/hostile/src/lib.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = heldout_hostile::call("lilgym_data", data);
});
