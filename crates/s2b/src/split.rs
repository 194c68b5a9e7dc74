//! Which meanings are held out, and which of the others teach.
//!
//! On every dimension half of the values are *test values*. A meaning with two or more of them is held out: it is asked
//! for in the query phase alone. Every single value occurs in the rest, so that the support phase can teach it.

use heldout_core::{Rng, Seed};
use serde::{Deserialize, Serialize};

use crate::space::{MAX_DIMS, MAX_MEANINGS, MAX_VALUES, Meaning, Structure};

/// Which values of a dimension are its test values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// Those with an odd index, in every episode.
    #[default]
    Combinatorial2,
    /// As many, drawn anew for every dimension of every episode.
    Combinatorial2Shuffled,
}

/// How the targets of the support phase are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupportRule {
    /// Dimension by dimension, values that were seen least first, until each was seen `shots` times.
    #[default]
    Weighted,
    /// Unused meanings that hold a value still needed; about half as many games.
    Compact,
    /// Every meaning that is not held out, in index order.
    All,
}

/// How the targets of the query phase are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueryRule {
    /// Every held-out meaning once, in random order.
    #[default]
    All,
    /// The public code's: the weighted support rule on held-out meanings, or every stimulus where these are few.
    Original,
}

/// Rejections of duplicates after which the weighted sampler allows them (public code).
const MOST_REJECTIONS: u32 = 10;
/// Duplicates that it still rejects in a row once it allows them (public code).
const MOST_IN_A_ROW: u32 = 5;
/// Targets per value and shot after which a sampler that has not covered the space stops drawing and fills what is
/// missing. The longest of many thousand lists is a third of this; it makes the number of draws bounded.
const LONGEST: u32 = 8;

/// How likely a meaning stands in for one at each squared distance (public code), as far as spaces of usual size go.
const NEARNESS: [f64; 256] = {
    let mut table = [0.0; 256];
    let mut distance = 0;
    while distance < table.len() {
        table[distance] = nearness(distance as u32);
        distance += 1;
    }
    table
};

const fn nearness(distance: u32) -> f64 {
    1.0 / (100.0 * distance as f64 + 1e-3)
}

/// Most targets that a sampler lists for `values` values in all.
pub(crate) fn longest_list(values: u32, shots: u32) -> usize {
    ((LONGEST + 1) * values * shots) as usize
}

/// How many meanings of a structure with these numbers of values are held out.
pub(crate) fn held_out_meanings(values: &[u8]) -> u32 {
    // Meanings with no test value, with one, and with more, dimension by dimension.
    let [_, _, more] = values.iter().fold([1, 0, 0], |[none, one, more], &d| {
        let tests = u32::from(d / 2);
        let others = u32::from(d) - tests;
        [none * others, one * others + none * tests, more * u32::from(d) + one * tests]
    });
    more
}

/// Makes room for `most` meanings in all.
pub(crate) fn make_room(list: &mut Vec<Meaning>, most: usize) {
    list.reserve_exact(most.saturating_sub(list.len()));
}

/// The two halves of one episode's space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Halves {
    /// Bit `v` of element `i`: value `v` of dimension `i` is a test value.
    tests: [u16; MAX_DIMS],
    support: Vec<Meaning>,
    query: Vec<Meaning>,
}

impl Halves {
    /// Makes room for `meanings` meanings in either half.
    pub(crate) fn grow(&mut self, meanings: u32) {
        make_room(&mut self.support, meanings as usize);
        make_room(&mut self.query, meanings as usize);
    }

    /// Splits the meanings of `structure`.
    pub(crate) fn redraw(&mut self, split: Split, structure: &Structure, seed: Seed) {
        let mut rng = seed.stream("split").rng();
        for i in 0..structure.dims() {
            let d = structure.values(i);
            let mut order: [u8; MAX_VALUES] = std::array::from_fn(|v| v as u8);
            self.tests[i] = match split {
                Split::Combinatorial2 => 0xaaaa & ((1_u32 << d) - 1) as u16,
                Split::Combinatorial2Shuffled => {
                    rng.shuffle(&mut order[..usize::from(d)]);
                    order[..usize::from(d / 2)].iter().fold(0, |bits, &v| bits | 1 << v)
                }
            };
        }
        self.support.clear();
        self.query.clear();
        for meaning in structure.all() {
            let half = if self.held_out(meaning) { &mut self.query } else { &mut self.support };
            half.push(meaning);
        }
    }

    /// Whether value `value` of dimension `dim` is a test value.
    #[inline]
    pub(crate) fn is_test(&self, dim: usize, value: u8) -> bool {
        self.tests[dim] >> value & 1 == 1
    }

    /// Whether `meaning` has two or more test values.
    #[inline]
    pub(crate) fn held_out(&self, meaning: Meaning) -> bool {
        (0..MAX_DIMS).filter(|&i| self.is_test(i, meaning.value(i))).count() >= 2
    }

    /// The meanings that are not held out, in row-major order.
    pub(crate) fn support(&self) -> &[Meaning] {
        &self.support
    }

    /// The meanings that are held out, in row-major order.
    pub(crate) fn query(&self) -> &[Meaning] {
        &self.query
    }
}

/// Which meanings have been listed.
struct Listed([u64; MAX_MEANINGS as usize / 64]);

impl Listed {
    fn contains(&self, index: u32) -> bool {
        self.0[index as usize / 64] >> (index % 64) & 1 == 1
    }

    fn insert(&mut self, index: u32) {
        self.0[index as usize / 64] |= 1 << (index % 64);
    }
}

/// The target sampler: lists meanings of `set` until each value of each dimension occurred `shots` times.
pub(crate) struct Sampler<'a> {
    pub(crate) structure: &'a Structure,
    /// The meanings that may be listed, and whether one is among them.
    pub(crate) set: &'a [Meaning],
    pub(crate) halves: &'a Halves,
    pub(crate) shots: u32,
    pub(crate) samples: u32,
}

/// How often each value has been listed, and how often it still must be.
struct Cover {
    shots: u32,
    seen: [[u32; MAX_VALUES]; MAX_DIMS],
    missing: u32,
}

impl Cover {
    fn new(structure: &Structure, shots: u32) -> Self {
        Self { shots, seen: [[0; MAX_VALUES]; MAX_DIMS], missing: structure.total_values() * shots }
    }

    fn needs(&self, dim: usize, value: u8) -> bool {
        self.seen[dim][usize::from(value)] < self.shots
    }

    fn weight(&self, dim: usize, value: u8) -> u32 {
        (self.shots + 1).saturating_sub(self.seen[dim][usize::from(value)]).max(1)
    }

    fn add(&mut self, meaning: Meaning, dims: usize) {
        for i in 0..dims {
            self.missing -= u32::from(self.needs(i, meaning.value(i)));
            self.seen[i][usize::from(meaning.value(i))] += 1;
        }
    }
}

impl Sampler<'_> {
    /// Lists targets by the rule of the public code, as the spec words it.
    pub(crate) fn weighted(&self, rng: &mut Rng, list: &mut Vec<Meaning>) {
        let dims = self.structure.dims();
        let mut cover = Cover::new(self.structure, self.shots);
        let mut listed = Listed([0; MAX_MEANINGS as usize / 64]);
        let most = list.len() + (LONGEST * self.structure.total_values() * self.shots) as usize;
        let mut repeats = self.shots * self.structure.total_values() > self.set.len() as u32 * self.samples;
        let (mut rejections, mut in_a_row) = (0, 0);
        while cover.missing > 0 && list.len() < most {
            let drawn = self.draw(&cover, rng);
            if listed.contains(self.structure.index(drawn)) {
                if !repeats {
                    rejections += 1;
                    repeats = rejections > MOST_REJECTIONS;
                    continue;
                }
                if in_a_row < MOST_IN_A_ROW {
                    in_a_row += 1;
                    continue;
                }
            }
            in_a_row = 0;
            let target = if self.contains(drawn) { drawn } else { self.near(drawn, rng) };
            listed.insert(self.structure.index(target));
            cover.add(target, dims);
            list.push(target);
        }
        self.fill(&mut cover, list);
    }

    /// Lists targets that each hold a value still needed, unused ones as long as there are any.
    pub(crate) fn compact(&self, rng: &mut Rng, list: &mut Vec<Meaning>) {
        let dims = self.structure.dims();
        let mut cover = Cover::new(self.structure, self.shots);
        let mut listed = Listed([0; MAX_MEANINGS as usize / 64]);
        let most = list.len() + (LONGEST * self.structure.total_values() * self.shots) as usize;
        while cover.missing > 0 && list.len() < most {
            let weight = |m: Meaning| {
                let needed = (0..dims).any(|i| cover.needs(i, m.value(i)));
                let free = !listed.contains(self.structure.index(m));
                let product = || (0..dims).map(|i| u64::from(cover.weight(i, m.value(i)))).product::<u64>();
                if needed && free { product() } else { 0 }
            };
            let total: u64 = self.set.iter().map(|&m| weight(m)).sum();
            if total == 0 {
                // Every meaning that is needed was used: they may be used again, if there are any.
                if !self.set.iter().any(|m| (0..dims).any(|i| cover.needs(i, m.value(i)))) {
                    break;
                }
                listed = Listed([0; MAX_MEANINGS as usize / 64]);
                continue;
            }
            let mut left = (rng.unit() * total as f64) as u64;
            let chosen = self.set.iter().find(|&&m| {
                let weight = weight(m);
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            });
            let target = *chosen.expect("a share of the total lies somewhere");
            listed.insert(self.structure.index(target));
            cover.add(target, dims);
            list.push(target);
        }
        self.fill(&mut cover, list);
    }

    /// Whether `meaning` may be listed: `set` is one of the halves.
    fn contains(&self, meaning: Meaning) -> bool {
        self.halves.held_out(meaning) == self.set.first().is_some_and(|&m| self.halves.held_out(m))
    }

    /// A meaning whose values were drawn apart, rarer ones more often.
    fn draw(&self, cover: &Cover, rng: &mut Rng) -> Meaning {
        (0..self.structure.dims()).fold(Meaning::default(), |meaning, i| {
            let total = (0..self.structure.values(i)).map(|v| cover.weight(i, v)).sum();
            let mut left = rng.below(total);
            let mut value = 0;
            while left >= cover.weight(i, value) {
                left -= cover.weight(i, value);
                value += 1;
            }
            meaning.with(i, value)
        })
    }

    /// A meaning of the set, the nearer to `meaning` the likelier.
    fn near(&self, meaning: Meaning, rng: &mut Rng) -> Meaning {
        let dims = self.structure.dims();
        let weight = |m: Meaning| {
            let distance = meaning.distance(m, dims);
            NEARNESS.get(distance as usize).copied().unwrap_or_else(|| nearness(distance))
        };
        // The weights of usual spaces are kept from the first pass to the second.
        let mut kept = [0.0; 256];
        let mut total = 0.0;
        for (i, &m) in self.set.iter().enumerate() {
            let weight = weight(m);
            total += weight;
            if let Some(kept) = kept.get_mut(i) {
                *kept = weight;
            }
        }
        let mut left = rng.unit() * total;
        for (i, &m) in self.set.iter().enumerate() {
            left -= kept.get(i).copied().unwrap_or_else(|| weight(m));
            if left < 0.0 {
                return m;
            }
        }
        self.set[self.set.len() - 1]
    }

    /// Lists what is still missing, value by value.
    fn fill(&self, cover: &mut Cover, list: &mut Vec<Meaning>) {
        let dims = self.structure.dims();
        for i in 0..dims {
            for v in 0..self.structure.values(i) {
                while cover.needs(i, v) {
                    // Where no meaning of the set has the value, nothing could ever list it.
                    let Some(&m) = self.set.iter().find(|m| m.value(i) == v) else { break };
                    cover.add(m, dims);
                    list.push(m);
                }
            }
        }
    }
}
