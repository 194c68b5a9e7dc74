//! Digests of every entry for a WebAssembly host: `cargo xtask wasm` compares them with the golden ones.

#![allow(unsafe_code, reason = "an exported name is unsafe by nature")]

use heldout_core::transcript::batch_digest;
use heldout_envs::entries as all;

/// Number of entries.
#[unsafe(no_mangle)]
pub extern "C" fn entries() -> u32 {
    all().count() as u32
}

/// The id of the entry at `index`: where its bytes are.
#[unsafe(no_mangle)]
pub extern "C" fn id(index: u32) -> *const u8 {
    id_of(index).as_ptr()
}

/// How many bytes that id has.
#[unsafe(no_mangle)]
pub extern "C" fn id_length(index: u32) -> usize {
    id_of(index).len()
}

/// Digest of the entry at `index`.
#[unsafe(no_mangle)]
pub extern "C" fn digest(index: u32) -> u32 {
    all().nth(index as usize).map_or(0, |entry| batch_digest(entry, 1))
}

fn id_of(index: u32) -> &'static str {
    all().nth(index as usize).map_or("", |entry| entry.id())
}
