//! Digests of every entry for a WebAssembly host: `cargo xtask wasm` compares them with the golden ones.

#![allow(unsafe_code, reason = "an exported name is unsafe by nature")]

use heldout_envs::registry::ENTRIES;
use heldout_envs::transcript::batch_digest;

/// Number of entries.
#[unsafe(no_mangle)]
pub extern "C" fn entries() -> u32 {
    ENTRIES.len() as u32
}

/// Digest of the entry at `index`.
#[unsafe(no_mangle)]
pub extern "C" fn digest(index: u32) -> u32 {
    ENTRIES.get(index as usize).map_or(0, |entry| batch_digest(entry, 1))
}
