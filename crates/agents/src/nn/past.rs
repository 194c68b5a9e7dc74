//! What was written down earlier in an episode, and which of it a row may read.

use super::{Device, Tensor, tensor};

/// Slots from before a sequence, of each copy as many as it has; the rows of the sequence write one each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    counts: Vec<usize>,
    /// Slots that the copy with the most has.
    most: usize,
    width: usize,
    /// `[copies, most, width]`.
    numbers: Vec<f32>,
}

impl Past {
    /// Slots of `width` numbers, one after another, of each copy.
    ///
    /// # Panics
    ///
    /// If slots are of another width.
    #[must_use]
    pub fn new(slots: &[Vec<f32>], width: usize) -> Self {
        assert!(slots.iter().all(|own| own.len().is_multiple_of(width.max(1))), "slots of {width} numbers");
        let counts: Vec<usize> = slots.iter().map(|own| own.len() / width.max(1)).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        let mut numbers = Vec::with_capacity(slots.len() * most * width);
        for (copy, own) in slots.iter().enumerate() {
            numbers.extend_from_slice(own);
            numbers.resize((copy + 1) * most * width, 0.0);
        }
        Self { counts, most, width, numbers }
    }

    /// Slots that the copy with the most has.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }

    /// Some columns of all slots, `[copies, most, columns]`; `None` if there are no slots.
    #[must_use]
    pub fn columns(&self, of: std::ops::Range<usize>, device: &Device) -> Option<Tensor<3>> {
        let wide = of.len();
        let numbers: Vec<f32> =
            self.numbers.chunks_exact(self.width.max(1)).flat_map(|slot| slot[of.clone()].iter().copied()).collect();
        (self.most > 0).then(|| tensor(numbers, [self.counts.len(), self.most, wide], device))
    }

    /// Which slots each row may read, `[copies, rows, most + rows]`: those that were written in its episode before it, and its
    /// `own` if so. Where `keep` `[rows, copies]` is 0 an episode begins.
    #[must_use]
    pub fn open(&self, keep: &[f32], own: bool) -> Vec<bool> {
        let copies = self.counts.len();
        let rows = keep.len() / copies.max(1);
        let slots = self.most + rows;
        let mut open = vec![false; copies * rows * slots];
        for copy in 0..copies {
            // The first row of the sequence that belongs to the episode, and whether all of them do.
            let (mut first, mut same) = (0, true);
            for t in 0..rows {
                if keep[t * copies + copy] == 0.0 {
                    (first, same) = (t, false);
                }
                let row = &mut open[(copy * rows + t) * slots..][..slots];
                if same {
                    row[..self.counts[copy]].fill(true);
                }
                row[self.most + first..self.most + t + usize::from(own)].fill(true);
            }
        }
        open
    }
}

/// Rows `[rows * copies, width]`, step after step, as `[copies, rows, width]`.
pub(super) fn by_copy(x: Tensor<2>, copies: usize) -> Tensor<3> {
    let [all, width] = x.dims();
    x.reshape([all / copies, copies, width]).swap_dims(0, 1)
}

/// The other way round.
pub(super) fn by_step(x: Tensor<3>) -> Tensor<2> {
    let [copies, rows, width] = x.dims();
    x.swap_dims(0, 1).reshape([rows * copies, width])
}
