//! The one generator every environment uses. Its stream is part of the benchmark's identity.

use serde::{Deserialize, Serialize};

/// Origin of a stream of chance events. Seeds are derived from one another, never added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seed(pub u64);

impl Seed {
    /// The independent seed number `index` below this one.
    #[must_use]
    pub const fn derive(self, index: u64) -> Self {
        Self(mix(mix(self.0 ^ GOLDEN).wrapping_add(index)))
    }

    /// The independent seed of the purpose `label` below this one: `seed.stream("layout")`.
    ///
    /// Labels and indices never meet: a stream is derived under a constant of its own.
    #[must_use]
    pub const fn stream(self, label: &str) -> Self {
        let bytes = label.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
            i += 1;
        }
        Self(mix(mix(self.0 ^ 0xd1b5_4a32_d192_ed03).wrapping_add(hash)))
    }

    /// The generator that this seed starts.
    #[must_use]
    pub fn rng(self) -> Rng {
        Rng::new(self)
    }
}

/// `xoshiro256++`, seeded by `SplitMix64`. Frozen by `tests/all/rng_vectors.rs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u64; 4]")]
pub struct Rng([u64; 4]);

impl TryFrom<[u64; 4]> for Rng {
    type Error = &'static str;

    /// The generator that stands at `words`; four zeros are no place of it, as it would stay there for ever.
    fn try_from(words: [u64; 4]) -> Result<Self, Self::Error> {
        if words == [0; 4] { Err("a generator never stands at zero") } else { Ok(Self(words)) }
    }
}

impl Rng {
    /// Starts the stream of `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        let mut x = seed.0;
        Self(std::array::from_fn(|_| {
            x = x.wrapping_add(GOLDEN);
            mix(x)
        }))
    }

    /// Next 64 bits of the stream.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// Uniform in `0..n`, without modulo bias (Lemire's multiplication, with rejection).
    ///
    /// # Panics
    ///
    /// If `n` is zero.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "`below(0)` has no value to give");
        let mut product = (self.next_u64() >> 32) * u64::from(n);
        if (product as u32) < n {
            let bias = n.wrapping_neg() % n;
            while (product as u32) < bias {
                product = (self.next_u64() >> 32) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// Uniform in `low..=high`.
    ///
    /// # Panics
    ///
    /// If `low > high`, or if the range holds every `i32`.
    #[inline]
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        assert!(low <= high, "`between({low}, {high})` is empty");
        let span = high.abs_diff(low) + 1;
        low.wrapping_add(self.below(span) as i32)
    }

    /// Uniform in `[0, 1)`, on the grid of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Standard Gaussian by Box and Muller's transform; two draws a value, so nothing is kept between calls.
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Brings `items` into uniformly random order (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }

    /// One of `items`, uniformly.
    ///
    /// # Panics
    ///
    /// If `items` is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// An index with probability proportional to its weight; weights are non-negative with a positive sum.
    ///
    /// # Panics
    ///
    /// If `weights` is empty.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        assert!(!weights.is_empty(), "`weighted` needs at least one weight");
        let mut left = self.unit() * weights.iter().sum::<f64>();
        for (i, &w) in weights.iter().enumerate() {
            if left < w {
                return i;
            }
            left -= w;
        }
        // Rounding carried the point past the end: the last index that can occur.
        weights.iter().rposition(|&w| w > 0.0).unwrap_or(weights.len() - 1)
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `SplitMix64`.
pub(crate) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
