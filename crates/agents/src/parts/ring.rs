//! What was played last, kept to be learnt from in any order: rows of every copy in a ring, of which stretches are drawn.
//!
//! A row is kept once: the row after a step is the next one of its copy. States of memories are kept where a stretch may begin.

use heldout_core::Rng;
use serde::{Deserialize, Serialize};

use super::collect::Unroll;

/// Sizes of what is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingSizes {
    /// Copies.
    pub copies: usize,
    /// Rows of each copy.
    pub rows: usize,
    /// Numbers of a row's vector.
    pub width: usize,
    /// Bytes of each picture of a row.
    pub pictures: Vec<usize>,
    /// Integers of an action.
    pub action: usize,
    /// Numbers of a memory's state.
    pub state: usize,
    /// Rows between two that a stretch may begin at.
    pub stride: usize,
}

/// The ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ring {
    sizes: RingSizes,
    /// Rows that were added, of each copy.
    added: u64,
    #[serde(with = "runs")]
    vectors: Vec<f32>,
    #[serde(with = "runs_of_each")]
    pictures: Vec<Vec<u8>>,
    action: Vec<i32>,
    reward: Vec<f32>,
    cont: Vec<f32>,
    start: Vec<bool>,
    dead: Vec<bool>,
    /// States before rows whose number is a multiple of the stride.
    states: Vec<f32>,
}

impl Ring {
    /// An empty one.
    #[must_use]
    pub fn new(sizes: RingSizes) -> Self {
        let all = sizes.copies * sizes.rows;
        Self {
            added: 0,
            vectors: vec![0.0; all * sizes.width],
            pictures: sizes.pictures.iter().map(|bytes| vec![0; all * bytes]).collect(),
            action: vec![0; all * sizes.action],
            reward: vec![0.0; all],
            cont: vec![0.0; all],
            start: vec![false; all],
            dead: vec![false; all],
            states: vec![0.0; sizes.copies * (sizes.rows / sizes.stride + 1) * sizes.state],
            sizes,
        }
    }

    /// Whether it is of the same sizes as another.
    #[must_use]
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |r: &Self| {
            let rows = [r.vectors.len(), r.action.len(), r.reward.len(), r.cont.len(), r.start.len(), r.dead.len()];
            (rows, r.states.len(), r.pictures.iter().map(Vec::len).collect::<Vec<_>>())
        };
        self.sizes == other.sizes && lengths(self) == lengths(other)
    }

    /// Where row number `row` of a copy is kept.
    fn place(&self, copy: usize, row: u64) -> usize {
        copy * self.sizes.rows + (row % self.sizes.rows as u64) as usize
    }

    fn state_place(&self, copy: usize, row: u64) -> usize {
        let kept = (self.sizes.rows / self.sizes.stride + 1) as u64;
        (copy as u64 * kept + row / self.sizes.stride as u64 % kept) as usize * self.sizes.state
    }

    /// Adds the steps of an unroll; `states` are the memories' before each step, `[steps, copies, state]`.
    ///
    /// # Panics
    ///
    /// If the sizes are others.
    pub fn add(&mut self, unroll: &Unroll, states: &[f32]) {
        let RingSizes { copies, width, action, state, stride, .. } = self.sizes;
        assert_eq!(unroll.copies, copies, "as many copies");
        for t in 0..unroll.steps() {
            for copy in 0..copies {
                let (from, to) = (t * copies + copy, self.place(copy, self.added));
                self.vectors[to * width..][..width].copy_from_slice(&unroll.rows.vectors[from * width..][..width]);
                let both = self.pictures.iter_mut().zip(&unroll.rows.pictures);
                for ((kept, seen), &bytes) in both.zip(&self.sizes.pictures) {
                    kept[to * bytes..][..bytes].copy_from_slice(&seen[from * bytes..][..bytes]);
                }
                self.action[to * action..][..action].copy_from_slice(&unroll.action[from * action..][..action]);
                self.reward[to] = unroll.reward[from];
                self.cont[to] = unroll.cont[from];
                self.start[to] = unroll.start[from];
                self.dead[to] = unroll.dead[from];
                if self.added.is_multiple_of(stride as u64) {
                    let at = self.state_place(copy, self.added);
                    self.states[at..at + state].copy_from_slice(&states[from * state..][..state]);
                }
            }
            self.added += 1;
        }
    }

    /// The first and the number of the rows of a copy that a stretch of so many steps may begin at, in strides.
    fn beginnings(&self, length: usize) -> (u64, u64) {
        let stride = self.sizes.stride as u64;
        let first = self.added.saturating_sub(self.sizes.rows as u64).div_ceil(stride);
        // The row after the last step is kept too.
        let after = self.added.checked_sub(length as u64 + 1).map_or(0, |last| last / stride + 1);
        (first, after.saturating_sub(first))
    }

    /// Whether stretches of so many steps can be drawn: two of each copy at least, as of two rows that follow each other one is a
    /// step.
    #[must_use]
    pub fn ready(&self, length: usize) -> bool {
        self.beginnings(length).1 >= 2
    }

    /// The last rows of every copy from the last row but `length` on, which is one that stretches begin at, and the states there.
    #[cfg(test)]
    pub(crate) fn latest(&self, length: usize) -> (Unroll, Vec<f32>) {
        let row = self.added - 1 - length as u64;
        assert!(row.is_multiple_of(self.sizes.stride as u64));
        self.stretches(&(0..self.sizes.copies).map(|copy| (copy, row)).collect::<Vec<_>>(), length)
    }

    /// Draws `count` stretches of `length` steps, laid out as if they had been played side by side, and the states of memories
    /// before their first rows. A single step is one: where nothing was done, another is drawn.
    ///
    /// # Panics
    ///
    /// If it is not [ready](Self::ready).
    #[must_use]
    pub fn draw(&self, count: usize, length: usize, rng: &mut Rng) -> (Unroll, Vec<f32>) {
        let (first, choices) = self.beginnings(length);
        assert!(choices >= 2, "there is something to draw");
        let RingSizes { copies, stride, .. } = self.sizes;
        let mut from = Vec::with_capacity(count);
        while from.len() < count {
            let copy = rng.below(copies as u32) as usize;
            let row = (first + u64::from(rng.below(choices as u32))) * stride as u64;
            if length > 1 || !self.dead[self.place(copy, row)] {
                from.push((copy, row));
            }
        }
        self.stretches(&from, length)
    }

    /// The stretches of `length` steps from these rows of these copies on.
    fn stretches(&self, from: &[(usize, u64)], length: usize) -> (Unroll, Vec<f32>) {
        let RingSizes { width, action, state, .. } = self.sizes;
        let count = from.len();
        let mut unroll = Unroll { copies: count, ..Unroll::default() };
        unroll.rows.count = (length + 1) * count;
        unroll.rows.pictures = vec![Vec::new(); self.pictures.len()];
        for t in 0..=length {
            for &(copy, row) in from {
                let at = self.place(copy, row + t as u64);
                unroll.rows.vectors.extend_from_slice(&self.vectors[at * width..][..width]);
                let both = unroll.rows.pictures.iter_mut().zip(&self.pictures);
                for ((drawn, kept), &bytes) in both.zip(&self.sizes.pictures) {
                    drawn.extend_from_slice(&kept[at * bytes..][..bytes]);
                }
                unroll.start.push(self.start[at]);
                unroll.dead.push(self.dead[at]);
                if t < length {
                    unroll.action.extend_from_slice(&self.action[at * action..][..action]);
                    unroll.reward.push(self.reward[at]);
                    unroll.cont.push(self.cont[at]);
                    unroll.valid.push(!self.dead[at]);
                }
            }
        }
        let states = from.iter().flat_map(|&(copy, row)| {
            let at = self.state_place(copy, row);
            self.states[at..at + state].iter().copied()
        });
        let states = states.collect();
        (unroll, states)
    }
}

/// Numbers as bytes, of which runs of zeros, most of what is seen, are one number.
mod runs {
    use serde::de::{DeserializeOwned, Error};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Copy + Default + PartialEq + Serialize, S: Serializer>(
        all: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut runs: Vec<(u64, Vec<T>)> = Vec::new();
        let mut rest = all;
        while !rest.is_empty() {
            let zeros = rest.iter().position(|x| *x != T::default()).unwrap_or(rest.len());
            let others = rest[zeros..].iter().position(|x| *x == T::default()).unwrap_or(rest.len() - zeros);
            runs.push((zeros as u64, rest[zeros..zeros + others].to_vec()));
            rest = &rest[zeros + others..];
        }
        (all.len() as u64, runs).serialize(to)
    }

    pub(super) fn deserialize<'de, T: Copy + Default + DeserializeOwned, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let (len, runs): (u64, Vec<(u64, Vec<T>)>) = Deserialize::deserialize(from)?;
        let told =
            runs.iter().fold(0_u64, |sum, (zeros, some)| sum.saturating_add(*zeros).saturating_add(some.len() as u64));
        // Far more than any ring holds, and little enough to be asked for.
        if told != len || len > 1 << 33 {
            return Err(D::Error::custom("runs of another length than they tell"));
        }
        let mut all = Vec::new();
        for (zeros, some) in runs {
            all.resize(all.len() + zeros as usize, T::default());
            all.extend(some);
        }
        Ok(all)
    }
}

/// The same of several.
mod runs_of_each {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct One(#[serde(with = "super::runs")] Vec<u8>);

    pub(super) fn serialize<S: Serializer>(all: &[Vec<u8>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|one| One(one.clone())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<u8>>, D::Error> {
        Ok(Vec::<One>::deserialize(from)?.into_iter().map(|one| one.0).collect())
    }
}
