//! The dual-coding episodic memory (Hill et al. 2021), as the code that was released with S2B has it.
//!
//! What is seen and what is heard are written down side by side; what is heard now finds what was seen with its like, and
//! the other way round. Nothing that is read depends on what was read before, so all rows are read at once.

use super::past::{by_copy, by_step};
use super::{Linear, Lstm, Params, Past, Tensor, Then, ints, relu, softmax, tensor, values};

/// Slots that a head reads.
const NEAREST: usize = 6;
/// Heads of each direction.
const HEADS: usize = 3;
/// Keeps a slot that is wholly alike from being all that is read, in the denominator of its weight.
const ALIKE: f32 = 1e-8;

/// Widths of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcemSizes {
    /// Numbers of the two codes that are written down.
    pub codes: [usize; 2],
    /// Numbers that enter the memory beside what was read.
    pub rest: usize,
    /// Numbers of what queries are made of.
    pub query: usize,
    /// Numbers of the memory.
    pub core: usize,
    /// Numbers that come out.
    pub out: usize,
}

/// Attention among the slots that a head reads.
#[derive(Clone, Copy, Debug)]
struct Among {
    query: Linear,
    key: Linear,
    value: Linear,
}

impl Among {
    /// The sum of what each of [`NEAREST`] rows of `x` `[sets * NEAREST, width]` sees.
    fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        let [rows, width] = x.dims();
        let sets = rows / NEAREST;
        let of = |layer: &Linear| layer.forward(params, x.clone()).reshape([sets, NEAREST, width]);
        let shares = softmax(of(&self.query).matmul(of(&self.key).swap_dims(1, 2)) / (width as f32).sqrt());
        shares.matmul(of(&self.value)).sum_dim(1).reshape([sets, width])
    }
}

/// From one code to the other.
#[derive(Clone, Debug)]
struct Direction {
    inner: Linear,
    query: Linear,
    heads: Vec<Among>,
}

/// The network.
#[derive(Clone, Debug)]
pub struct Dcem {
    directions: [Direction; 2],
    core: Lstm,
    inner: Linear,
    out: Linear,
    sizes: DcemSizes,
}

/// What it says of some rows.
pub struct DcemOut {
    /// What came out, `[rows * copies, out]`.
    pub out: Tensor<2>,
    /// The state after each row, `[rows, copies, state]`.
    pub states: Tensor<3>,
    /// What each row wrote, `[rows, copies, slot]`.
    pub columns: Tensor<3>,
}

/// How much is read of slots that are so much alike, `[rows, NEAREST]`; nothing of those that are not `there`.
pub(crate) fn shares(likes: Tensor<2>, there: Tensor<2>) -> Tensor<2> {
    let weights = there / (relu(-likes + 1.0) + ALIKE);
    weights.clone() / weights.sum_dim(1)
}

/// The places of the most alike slots that are open, the first where several are; and whether there are so many.
fn nearest(likes: &[f32], open: &[bool]) -> [(usize, bool); NEAREST] {
    let mut found = [(0, false); NEAREST];
    let mut count = 0;
    for (slot, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        let mut at = count;
        while at > 0 && likes[slot] > likes[found[at - 1].0] {
            at -= 1;
        }
        if at < NEAREST {
            count = (count + 1).min(NEAREST);
            found[at..count].rotate_right(1);
            found[at] = (slot, true);
        }
    }
    found
}

/// Rows of length 1.
fn unit(x: Tensor<3>) -> Tensor<3> {
    let length = (x.clone().powi_scalar(2).sum_dim(2) + 1e-12).sqrt();
    x / length
}

impl Direction {
    fn new(params: &mut Params, name: &str, from: usize, to: usize, query: usize) -> Self {
        let inner = Linear::torch(params, &format!("{name}.inner"), from, query);
        let ask = Linear::torch(params, &format!("{name}.query"), query, HEADS * from);
        let among = |params: &mut Params, head: usize| {
            let mut layer = |part: &str| Linear::torch(params, &format!("{name}.head.{head}.{part}"), to, to);
            let [query, key, value] = ["query", "key", "value"].map(&mut layer);
            Among { query, key, value }
        };
        let heads = (0..HEADS).map(|head| among(params, head)).collect();
        Self { inner, query: ask, heads }
    }

    /// What each head reads, `[rows * copies, …]`, of rows `[rows * copies, from]` from slots `keys` `[copies, slots, from]` with
    /// `found` `[copies, slots, to]` beside them.
    fn read(
        &self,
        params: &Params,
        own: &Tensor<2>,
        keys: &Tensor<3>,
        found: &Tensor<3>,
        open: &[bool],
    ) -> Vec<Tensor<2>> {
        let device = params.device();
        let [copies, slots, from] = keys.dims();
        let [_, _, to] = found.dims();
        let [all, _] = own.dims();
        let rows = all / copies;
        let asked = self.query.forward(params, self.inner.then(params, own.clone(), Then::Relu));
        let keys = unit(keys.clone()).swap_dims(1, 2);
        let words = found.clone().reshape([copies * slots, to]);
        let head = |(number, among): (usize, &Among)| {
            let query = asked.clone().slice([0..all, number * from..(number + 1) * from]);
            let likes = unit(by_copy(query, copies)).matmul(keys.clone()).reshape([all, slots]);
            let numbers = values(likes.clone());
            let (mut within, mut whole, mut there) = (Vec::new(), Vec::new(), Vec::new());
            for (row, (likes, open)) in numbers.chunks_exact(slots).zip(open.chunks_exact(slots)).enumerate() {
                for (slot, is) in nearest(likes, open) {
                    within.push(slot as i64);
                    whole.push((row / rows * slots + slot) as i64);
                    there.push(f32::from(u8::from(is)));
                }
            }
            let likes = likes.gather(1, ints(within, [all, NEAREST], device));
            let weights = shares(likes, tensor(there, [all, NEAREST], device)).reshape([all * NEAREST, 1]);
            let seen = words.clone().select(0, ints(whole, [all * NEAREST], device)) * weights;
            by_step(among.forward(params, seen).reshape([copies, rows, to]))
        };
        self.heads.iter().enumerate().map(head).collect()
    }
}

impl Dcem {
    /// With `torch`'s uniform weights.
    pub fn new(params: &mut Params, name: &str, sizes: DcemSizes) -> Self {
        let DcemSizes { codes: [a, b], rest, query, core, out } = sizes;
        let directions = [
            Direction::new(params, &format!("{name}.heard"), b, a, query),
            Direction::new(params, &format!("{name}.seen"), a, b, query),
        ];
        Self {
            directions,
            core: Lstm::echoed(params, &format!("{name}.core"), HEADS * (a + b) + rest, core),
            inner: Linear::torch(params, &format!("{name}.inner"), core, core),
            out: Linear::torch(params, &format!("{name}.out"), core, out),
            sizes,
        }
    }

    /// Numbers of a copy's state.
    #[must_use]
    pub fn state(&self) -> usize {
        2 * self.sizes.core
    }

    /// Numbers of a slot: both codes.
    #[must_use]
    pub fn slot(&self) -> usize {
        self.sizes.codes[0] + self.sizes.codes[1]
    }

    /// Of both codes of each row and the rest of it, `[rows * copies, …]` each, from `state` `[copies, state]` and what was written
    /// before; where `keep` is 0 an episode begins.
    #[must_use]
    pub fn forward(
        &self,
        params: &Params,
        codes: [Tensor<2>; 2],
        rest: Tensor<2>,
        state: Tensor<2>,
        past: &Past,
        keep: &[f32],
    ) -> DcemOut {
        let [a, b] = self.sizes.codes;
        let (core, device) = (self.sizes.core, params.device());
        let [copies, _] = state.dims();
        let rows = keep.len() / copies;
        let open = past.open(keep, true);
        let memory = |of: std::ops::Range<usize>, own: &Tensor<2>| {
            let own = by_copy(own.clone(), copies);
            Tensor::cat(past.columns(of, device).into_iter().chain([own]).collect(), 1)
        };
        let [seen, heard] = [memory(0..a, &codes[0]), memory(a..a + b, &codes[1])];
        let mut parts = self.directions[0].read(params, &codes[1], &heard, &seen, &open);
        parts.extend(self.directions[1].read(params, &codes[0], &seen, &heard, &open));
        parts.push(rest);
        let after = self.core.forward(params, Tensor::cat(parts, 1), state, keep);
        let x = after.clone().slice([0..rows, 0..copies, 0..core]).reshape([rows * copies, core]);
        let [first, second] = codes;
        DcemOut {
            out: self.out.forward(params, self.inner.then(params, x, Then::Relu)),
            states: after,
            columns: Tensor::cat(vec![first, second], 1).reshape([rows, copies, a + b]),
        }
    }
}
