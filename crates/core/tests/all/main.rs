//! The engine, the generator and the digests, as callers use them.

mod digest;
mod engine;
mod order;
mod rng_vectors;
