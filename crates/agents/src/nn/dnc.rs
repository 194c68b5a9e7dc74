//! The differentiable neural computer (Graves et al. 2016).
//!
//! A controller writes words into slots and reads them again: by likeness, or in the order in which they were written. Which
//! slots are free is kept account of.

use super::{Device, Linear, Lstm, Params, Tensor, sigmoid, softmax, softplus, tensor, values};

/// Keeps lengths of words away from zero.
const LENGTH: f32 = 1e-6;
/// Keeps logarithms of usage finite; where a slot before is not used at all, nothing is left for those after it.
const USED: f32 = 1e-30;

/// Widths of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DncSizes {
    /// Numbers of what is seen.
    pub inputs: usize,
    /// Numbers of the controller's layers.
    pub controller: &'static [usize],
    /// Slots.
    pub slots: usize,
    /// Numbers of a word.
    pub word: usize,
    /// Heads that read.
    pub heads: usize,
    /// Numbers that come out.
    pub out: usize,
}

impl DncSizes {
    /// Numbers by which the controller rules the memory: keys and strengths of reading and writing, what is erased and written,
    /// what is freed, how much and where is written, how is read.
    fn rule(&self) -> usize {
        let Self { word, heads, .. } = *self;
        heads * (word + 5) + 3 * word + 3
    }

    /// Numbers of each part of the memory: words, usage, what was written to last, what precedes, links, what was read from last,
    /// what was read.
    fn parts(&self) -> [usize; 7] {
        let Self { slots, word, heads, .. } = *self;
        [slots * word, slots, slots, slots, slots * slots, heads * slots, heads * word]
    }
}

/// The network.
#[derive(Clone, Debug)]
pub struct Dnc {
    controller: Vec<Lstm>,
    rule: Linear,
    out: Linear,
    sizes: DncSizes,
}

/// What it says of some rows.
pub struct DncOut {
    /// What came out, `[rows * copies, out]`.
    pub out: Tensor<2>,
    /// The words of all slots after each row, `[rows * copies, slots * word]`.
    pub words: Tensor<2>,
    /// The state after each row, `[rows, copies, state]`.
    pub states: Tensor<3>,
}

/// The memory at one row.
#[derive(Clone)]
struct Memory {
    /// `[copies, slots, word]`.
    words: Tensor<3>,
    /// `[copies, slots]`.
    usage: Tensor<2>,
    /// `[copies, slots]`.
    write: Tensor<2>,
    /// `[copies, slots]`.
    precedence: Tensor<2>,
    /// How far the first slot was written to right after the second, `[copies, slots, slots]`.
    links: Tensor<3>,
    /// `[copies, heads, slots]`.
    read: Tensor<3>,
    /// What was read, `[copies, heads * word]`.
    found: Tensor<2>,
}

impl Memory {
    /// Of `[copies, …]`, part after part.
    fn of(flat: Tensor<2>, sizes: &DncSizes) -> Self {
        let [copies, _] = flat.dims();
        let DncSizes { slots, word, heads, .. } = *sizes;
        let mut begin = 0;
        let mut next = sizes.parts().into_iter().map(|len| {
            begin += len;
            flat.clone().slice([0..copies, begin - len..begin])
        });
        let mut part = || next.next().expect("there are seven");
        Self {
            words: part().reshape([copies, slots, word]),
            usage: part(),
            write: part(),
            precedence: part(),
            links: part().reshape([copies, slots, slots]),
            read: part().reshape([copies, heads, slots]),
            found: part(),
        }
    }

    /// `[copies, …]`, part after part.
    fn flat(&self, sizes: &DncSizes) -> Tensor<2> {
        let [copies, _] = self.usage.dims();
        let [words, .., links, read, _] = sizes.parts();
        Tensor::cat(
            vec![
                self.words.clone().reshape([copies, words]),
                self.usage.clone(),
                self.write.clone(),
                self.precedence.clone(),
                self.links.clone().reshape([copies, links]),
                self.read.clone().reshape([copies, read]),
                self.found.clone(),
            ],
            1,
        )
    }
}

/// Where there is room, `[copies, slots]`: the less a slot is used the more, and of equals the first.
pub(crate) fn allocation(usage: Tensor<2>, device: &Device) -> Tensor<2> {
    let [copies, slots] = usage.dims();
    let numbers = values(usage.clone());
    // The order is not followed by gradients.
    let mut before = vec![0.0; copies * slots * slots];
    let mut left = vec![1.0; copies * slots];
    let each = before.chunks_exact_mut(slots * slots).zip(left.chunks_exact_mut(slots));
    for (own, (before, left)) in numbers.chunks_exact(slots).zip(each) {
        let mut order: Vec<usize> = (0..slots).collect();
        order.sort_by(|&a, &b| own[a].total_cmp(&own[b]));
        for (place, &slot) in order.iter().enumerate() {
            for &earlier in &order[..place] {
                before[earlier * slots + slot] = 1.0;
                if own[earlier] <= 0.0 {
                    left[slot] = 0.0;
                }
            }
        }
    }
    let before = tensor(before, [copies, slots, slots], device);
    let logarithms = usage.clone().clamp_min(USED).log().reshape([copies, 1, slots]);
    let taken = logarithms.matmul(before).exp().reshape([copies, slots]);
    (-usage + 1.0) * taken * tensor(left, [copies, slots], device)
}

/// How much each of `keys` `[copies, heads, word]` is like each word, sharpened by `strengths` `[copies, heads, 1]`: shares
/// `[copies, heads, slots]`.
fn likeness(words: &Tensor<3>, keys: Tensor<3>, strengths: Tensor<3>) -> Tensor<3> {
    let length = |x: &Tensor<3>| (x.clone().powi_scalar(2).sum_dim(2) + LENGTH).sqrt();
    let lengths = length(&keys).matmul(length(words).swap_dims(1, 2));
    softmax(keys.matmul(words.clone().swap_dims(1, 2)) / (lengths + LENGTH) * strengths)
}

/// What the controller rules, each `[copies, …]`.
struct Rule {
    read_keys: Tensor<3>,
    read_strengths: Tensor<3>,
    write_key: Tensor<3>,
    write_strength: Tensor<3>,
    erase: Tensor<3>,
    write: Tensor<3>,
    free: Tensor<3>,
    allocate: Tensor<2>,
    open: Tensor<2>,
    modes: Tensor<3>,
}

impl Rule {
    fn of(numbers: Tensor<2>, sizes: &DncSizes) -> Self {
        let [copies, _] = numbers.dims();
        let DncSizes { word, heads, .. } = *sizes;
        let mut begin = 0;
        let mut next = |len: usize| {
            begin += len;
            numbers.clone().slice([0..copies, begin - len..begin])
        };
        let strength = |x: Tensor<2>, heads: usize| (softplus(x) + 1.0).reshape([copies, heads, 1]);
        Self {
            read_keys: next(heads * word).reshape([copies, heads, word]),
            read_strengths: strength(next(heads), heads),
            write_key: next(word).reshape([copies, 1, word]),
            write_strength: strength(next(1), 1),
            erase: sigmoid(next(word)).reshape([copies, 1, word]),
            write: next(word).reshape([copies, 1, word]),
            free: sigmoid(next(heads)).reshape([copies, heads, 1]),
            allocate: sigmoid(next(1)),
            open: sigmoid(next(1)),
            modes: softmax(next(3 * heads).reshape([copies, heads, 3])),
        }
    }
}

impl Dnc {
    /// With `torch`'s uniform weights.
    pub fn new(params: &mut Params, name: &str, sizes: DncSizes) -> Self {
        let mut from = sizes.inputs + sizes.heads * sizes.word;
        let mut controller = Vec::new();
        for (i, &hidden) in sizes.controller.iter().enumerate() {
            controller.push(Lstm::new(params, &format!("{name}.controller.{i}"), from, hidden, 0.0));
            from = hidden;
        }
        let rule = Linear::torch(params, &format!("{name}.rule"), from, sizes.rule());
        let out = Linear::torch(params, &format!("{name}.out"), from + sizes.heads * sizes.word, sizes.out);
        Self { controller, rule, out, sizes }
    }

    /// Numbers of a copy's state: the controller's, then the memory's.
    #[must_use]
    pub fn state(&self) -> usize {
        self.controlled() + self.sizes.parts().iter().sum::<usize>()
    }

    fn controlled(&self) -> usize {
        self.sizes.controller.iter().map(|hidden| 2 * hidden).sum()
    }

    /// Numbers of all words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.sizes.slots * self.sizes.word
    }

    /// One row of the memory, by these numbers of the controller.
    fn step(&self, before: Memory, rule: Tensor<2>, device: &Device) -> Memory {
        let DncSizes { slots, word, heads, .. } = self.sizes;
        let rule = Rule::of(rule, &self.sizes);
        let [copies, _] = before.usage.dims();
        // What is freed is free, what was written to is not.
        let freed = before.read.clone() * rule.free;
        let mut kept = tensor(vec![1.0; copies * slots], [copies, slots], device);
        for head in freed.chunk(heads, 1) {
            kept = kept * (-head.reshape([copies, slots]) + 1.0);
        }
        let used = before.usage.clone() + before.write.clone() - before.usage * before.write;
        let usage = used * kept;
        let like = likeness(&before.words, rule.write_key, rule.write_strength).reshape([copies, slots]);
        let room = allocation(usage.clone(), device);
        let write = rule.open * (rule.allocate.clone() * room + (-rule.allocate + 1.0) * like);
        let column = write.clone().reshape([copies, slots, 1]);
        let words = before.words * (-column.clone().matmul(rule.erase) + 1.0) + column.clone().matmul(rule.write);
        let row = write.clone().reshape([copies, 1, slots]);
        let others = tensor(
            (0..slots * slots).map(|i| f32::from(u8::from(i / slots != i % slots))).collect(),
            [1, slots, slots],
            device,
        );
        let preceding = before.precedence.clone().reshape([copies, 1, slots]);
        let links = ((-(column.clone() + row) + 1.0) * before.links + column.matmul(preceding)) * others;
        let precedence = before.precedence * (-write.clone().sum_dim(1) + 1.0) + write.clone();
        let forward = before.read.clone().matmul(links.clone().swap_dims(1, 2));
        let backward = before.read.matmul(links.clone());
        let like = likeness(&words, rule.read_keys, rule.read_strengths);
        let mode = |i: usize| rule.modes.clone().slice([0..copies, 0..heads, i..i + 1]);
        let read = backward * mode(0) + like * mode(1) + forward * mode(2);
        let found = read.clone().matmul(words.clone()).reshape([copies, heads * word]);
        Memory { words, usage, write, precedence, links, read, found }
    }

    /// The memory, part after part, after a row that is ruled so: for tests.
    #[cfg(test)]
    pub(crate) fn ruled(&self, memory: Tensor<2>, rule: Tensor<2>, device: &Device) -> Tensor<2> {
        self.step(Memory::of(memory, &self.sizes), rule, device).flat(&self.sizes)
    }

    /// Of rows `x` `[rows * copies, inputs]` from `state` `[copies, state]`; where `keep` is 0 an episode begins.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32]) -> DncOut {
        let device = params.device();
        let [copies, all] = state.dims();
        let rows = keep.len() / copies;
        let mut begin = 0;
        let mut controls = Vec::new();
        for layer in &self.controller {
            controls.push(state.clone().slice([0..copies, begin..begin + 2 * layer.hidden]));
            begin += 2 * layer.hidden;
        }
        let mut flat = state.slice([0..copies, begin..all]);
        let mut memory = Memory::of(flat.clone(), &self.sizes);
        let (mut outs, mut words, mut states) = (Vec::new(), Vec::new(), Vec::new());
        for (t, x) in x.chunk(rows, 0).into_iter().enumerate() {
            let keep = &keep[t * copies..][..copies];
            if keep.contains(&0.0) {
                flat = flat * tensor(keep.to_vec(), [copies, 1], device);
                memory = Memory::of(flat, &self.sizes);
            }
            let mut x = Tensor::cat(vec![x, memory.found.clone()], 1);
            for (layer, control) in self.controller.iter().zip(&mut controls) {
                *control = layer.forward(params, x, control.clone(), keep).reshape([copies, 2 * layer.hidden]);
                x = control.clone().slice([0..copies, 0..layer.hidden]);
            }
            memory = self.step(memory, self.rule.forward(params, x.clone()), device);
            flat = memory.flat(&self.sizes);
            outs.push(Tensor::cat(vec![x, memory.found.clone()], 1));
            words.push(memory.words.clone().reshape([copies, self.words()]));
            states.push(Tensor::cat(controls.iter().cloned().chain([flat.clone()]).collect(), 1));
        }
        DncOut {
            out: self.out.forward(params, Tensor::cat(outs, 0)),
            words: Tensor::cat(words, 0),
            states: Tensor::cat(states, 0).reshape([rows, copies, all]),
        }
    }
}
