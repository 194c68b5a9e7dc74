//! The order in which a copy walks a finite problem set.

use crate::rng::{Seed, mix};

/// Where position `at` goes under the random permutation of `0..n` that `seed` names.
///
/// A swap-or-not shuffle (Hoang, Morris and Rogaway, 2012): each round pairs `x` with `k - x` and swaps the pair or does
/// not, by a coin that both members share, so every round is a bijection. It needs no table, hence no memory per copy,
/// and any position can be asked for.
///
/// # Panics
///
/// If `at` is not below `n`.
#[must_use]
pub fn shuffled(seed: Seed, at: u32, n: u32) -> u32 {
    assert!(at < n, "position {at} is not below {n}");
    let rounds = 24 + 4 * u64::from(u32::BITS - n.leading_zeros());
    let mut x = u64::from(at);
    let n = u64::from(n);
    for round in 0..rounds {
        let key = seed.derive(round).0;
        // The bias of the product is below 2^-32: no one could see it in an order.
        let partner = (((key >> 32) * n) >> 32) + n - x;
        let partner = if partner >= n { partner - n } else { partner };
        let coin = mix(key ^ x.max(partner).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if coin & 1 == 1 {
            x = partner;
        }
    }
    x as u32
}
