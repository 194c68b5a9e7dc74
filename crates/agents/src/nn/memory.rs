//! The episodic memory of the Memory Recall Agent (Fortunato et al. 2019), together with the core that reads and writes it.
//!
//! At each row the memory is read before the core moves: the `K` slots whose keys are nearest to a query are averaged, the
//! nearer the more. Then the core moves, and what it saw and put out is written. A slot holds what its key is made of, not
//! the key: while learning, keys are made again by the weights of now, so that gradients reach these through every read,
//! however long ago the slot was written; what the slot holds is a constant (jumpy backpropagation).

mod recall;

use serde::{Deserialize, Serialize};

use super::kernels::{flat, product};
use super::{Id, Init, Linear, Params, Tensor, relu, sigmoid, tanh, tensor, values};

/// Added to squared distances, so that no slot weighs infinitely much.
pub(super) const NEAR: f32 = 1e-3;

/// What moves with each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Core {
    /// Long short-term memory.
    Lstm,
    /// A layer without memory.
    Ff,
}

impl Core {
    /// By which reports know it.
    #[must_use]
    pub fn label(self) -> &'static str {
        ["LSTM", "FF"][self as usize]
    }
}

/// Numbers of each part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of what is seen.
    pub seen: usize,
    /// Of what the core is told beside it.
    pub told: usize,
    /// Of what the core puts out.
    pub hidden: usize,
    /// Of a key.
    pub key: usize,
    /// Slots of an episode.
    pub slots: usize,
    /// Slots that are read at once.
    pub nearest: usize,
}

impl Sizes {
    /// Numbers of a slot: what was seen and what was put out.
    #[must_use]
    pub fn slot(&self) -> usize {
        self.seen + self.hidden
    }
}

/// What one copy remembers of its episode, the oldest slot first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    slots: Vec<f32>,
    /// Slots at the beginning that are forgotten.
    first: usize,
    /// Keys by the weights of [`Memory::refresh`], as many as slots.
    #[serde(skip)]
    keys: Vec<f32>,
}

impl Episode {
    /// What is in the slots.
    #[must_use]
    pub fn slots(&self, sizes: &Sizes) -> &[f32] {
        &self.slots[self.first * sizes.slot()..]
    }

    /// Whether it is of these sizes.
    #[must_use]
    pub fn is_of(&self, sizes: &Sizes) -> bool {
        let there = self.slots.len() / sizes.slot();
        self.slots.len().is_multiple_of(sizes.slot()) && self.first <= there && there - self.first <= sizes.slots
    }

    /// The same without what is forgotten.
    #[must_use]
    pub fn compact(&self, sizes: &Sizes) -> Self {
        let keys = self.keys.get(self.first * sizes.key..).unwrap_or_default();
        Self { slots: self.slots(sizes).to_vec(), first: 0, keys: keys.to_vec() }
    }

    /// Forgets all but `most` slots; room is made only now and then, as it takes time.
    fn keep(&mut self, most: usize, sizes: &Sizes) {
        let there = self.slots.len() / sizes.slot();
        self.first = self.first.max(there.saturating_sub(most));
        if self.first > sizes.slots {
            *self = self.compact(sizes);
        }
    }
}

/// The slots nearest to a query, the nearest first, among keys the oldest of which comes first; of slots that are as near, the
/// older.
#[must_use]
pub fn nearest(query: &[f32], keys: &[f32], count: usize) -> Vec<(usize, f32)> {
    let mut best: Vec<(usize, f32)> = Vec::with_capacity(count + 1);
    for (slot, key) in keys.chunks_exact(query.len()).enumerate() {
        let distance = squared(query, key);
        if best.len() < count || distance < best[count - 1].1 {
            let at = best.partition_point(|(_, d)| *d <= distance);
            best.insert(at, (slot, distance));
            best.truncate(count);
        }
    }
    best
}

/// The squared distance of two points, in eight sums that a processor can make at once.
fn squared(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += (a[i] - b[i]) * (a[i] - b[i]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f32>() + rest
}

/// How much each of some slots counts, from their squared distances.
#[must_use]
pub fn weights(distances: &[f32]) -> Vec<f32> {
    let each: Vec<f32> = distances.iter().map(|d| 1.0 / (d + NEAR)).collect();
    let sum: f32 = each.iter().sum();
    each.iter().map(|u| u / sum).collect()
}

/// A core with an episodic memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Of what.
    pub sizes: Sizes,
    core: Core,
    jumpy: bool,
    input: Linear,
    read: Id,
    recurrent: Option<Id>,
    query: Linear,
    query_state: Option<Id>,
    key: Id,
    key_bias: Id,
    nothing: Id,
}

/// What comes of some rows.
pub struct Recalled {
    /// What the core puts out, `[rows, hidden]`.
    pub out: Tensor<2>,
    /// What was read, `[rows, hidden]`.
    pub read: Tensor<2>,
    /// What the core is after each row, outputs and cells, `[steps, copies, 2 hidden]`.
    pub state: Tensor<3>,
}

impl Memory {
    /// With `torch`'s uniform weights. `tied`: keys begin as queries do, both of what is seen alone. `jumpy`: gradients reach the
    /// keys of slots.
    pub fn new(params: &mut Params, name: &str, sizes: Sizes, core: Core, tied: bool, jumpy: bool) -> Self {
        let Sizes { seen, told, hidden, key, .. } = sizes;
        let gates = if core == Core::Lstm { 4 * hidden } else { hidden };
        let fan = if core == Core::Lstm { hidden } else { seen + hidden + told };
        let init = Init::Uniform(1.0 / (fan as f64).sqrt());
        let input = Linear::new(params, &format!("{name}.input"), [seen + told, gates], [init, init]);
        if core == Core::Lstm {
            forget(params, hidden);
        }
        let read = params.add(format!("{name}.read"), &[hidden, gates], init);
        let recurrent = (core == Core::Lstm).then(|| params.add(format!("{name}.recurrent"), &[hidden, gates], init));
        let near = Init::Uniform(1.0 / ((seen + hidden) as f64).sqrt());
        let query = Linear::new(params, &format!("{name}.query"), [seen, key], [near, near]);
        let from = params.entries().len() - 2;
        let state = if tied { Init::Constant(0.0) } else { near };
        let query_state =
            (core == Core::Lstm).then(|| params.add(format!("{name}.query.state"), &[hidden, key], state));
        let id = params.add(format!("{name}.key"), &[seen + hidden, key], near);
        let at = params.entries().len() - 1;
        let key_bias = params.add(format!("{name}.key.bias"), &[key], near);
        if tied {
            let mut first = params.entries()[from].values();
            first.resize((seen + hidden) * key, 0.0);
            params.set(at, first);
            let bias = params.entries()[from + 1].values();
            params.set(at + 1, bias);
        }
        let nothing = params.add(format!("{name}.nothing"), &[hidden], Init::Constant(0.0));
        Self { sizes, core, jumpy, input, read, recurrent, query, query_state, key: id, key_bias, nothing }
    }

    /// The names of the weights of keys and queries.
    #[must_use]
    pub fn addresses(name: &str) -> [String; 5] {
        ["query.weight", "query.bias", "query.state", "key", "key.bias"].map(|part| format!("{name}.{part}"))
    }

    /// Makes the keys of what is remembered by the weights of now.
    pub fn refresh(&self, params: &Params, episodes: &mut [Episode]) {
        let [weight, bias] =
            [params.get::<2>(self.key).reshape([self.sizes.slot() * self.sizes.key]), params.get(self.key_bias)];
        let (weight, bias) = (values(weight), values(bias));
        for episode in episodes {
            let count = episode.slots.len() / self.sizes.slot();
            episode.keys = self.keys(&episode.slots, count, &weight, &bias);
        }
    }

    /// The keys of slots.
    fn keys(&self, slots: &[f32], count: usize, weight: &[f32], bias: &[f32]) -> Vec<f32> {
        if count == 0 {
            return Vec::new();
        }
        let (slot, key) = (self.sizes.slot(), self.sizes.key);
        let made = product(flat(slots.to_vec(), &[count, slot]), flat(weight.to_vec(), &[slot, key]));
        let mut keys = made.storage::<f32>().to_vec();
        keys.chunks_exact_mut(key).for_each(|k| k.iter_mut().zip(bias).for_each(|(k, b)| *k += b));
        keys
    }

    /// Goes through rows `[steps * copies, …]` of what is seen and told, from the core's `state` `[copies, 2 hidden]` and what each
    /// copy remembers; both are cleared where `keep` is 0. What is remembered moves on where gradients do not follow, and is
    /// used up where they do.
    ///
    /// # Panics
    ///
    /// If the sizes do not fit.
    pub fn forward(
        &self,
        params: &Params,
        seen: Tensor<2>,
        told: Tensor<2>,
        state: &[f32],
        keep: &[f32],
        episodes: &mut [Episode],
    ) -> Recalled {
        let key_count = |e: &Episode| e.keys.len() * self.sizes.slot() == e.slots.len() * self.sizes.key;
        if !episodes.iter().all(key_count) {
            self.refresh(params, episodes);
        }
        if params.device().fuses() {
            recall::fused(self, params, seen, told, state, keep, episodes)
        } else {
            self.plain(params, seen, told, state, keep, episodes)
        }
    }

    /// The same from the library's own operations.
    #[must_use]
    pub fn plain(
        &self,
        params: &Params,
        seen: Tensor<2>,
        told: Tensor<2>,
        state: &[f32],
        keep: &[f32],
        episodes: &mut [Episode],
    ) -> Recalled {
        let device = params.device();
        let (copies, n) = (episodes.len(), self.sizes.hidden);
        let steps = keep.len() / copies;
        self.refresh(params, episodes);
        let constant = values(seen.clone());
        let gates_seen = self.input.plain(params, Tensor::cat(vec![seen.clone(), told], 1), super::Then::Nothing);
        let query_seen = self.query.plain(params, seen, super::Then::Nothing);
        let row = |x: &Tensor<2>, t: usize| {
            let [_, wide] = x.dims();
            x.clone().slice([t * copies..(t + 1) * copies, 0..wide])
        };
        let before = tensor(state.to_vec(), [copies, 2 * n], device);
        let [mut h, mut c] = [0, 1].map(|part| before.clone().slice([0..copies, part * n..(part + 1) * n]));
        let (mut outs, mut reads, mut states) = (Vec::new(), Vec::new(), Vec::new());
        for t in 0..steps {
            let kept = &keep[t * copies..(t + 1) * copies];
            let mask = tensor(kept.to_vec(), [copies, 1], device);
            (h, c) = (h * mask.clone(), c * mask);
            for (episode, keep) in episodes.iter_mut().zip(kept) {
                if *keep == 0.0 {
                    episode.keep(0, &self.sizes);
                }
                episode.keep(self.sizes.slots, &self.sizes);
            }
            let mut q = row(&query_seen, t);
            if let Some(id) = self.query_state {
                q = q + h.clone().matmul(params.get(id));
            }
            let read = self.read_plain(params, &q, episodes);
            let mut gates = row(&gates_seen, t) + read.clone().matmul(params.get(self.read));
            if let Some(id) = self.recurrent {
                gates = gates + h.matmul(params.get(id));
                let gate = |i: usize| gates.clone().slice([0..copies, i * n..(i + 1) * n]);
                c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
                h = sigmoid(gate(3)) * tanh(c.clone());
            } else {
                h = relu(gates);
            }
            let written = values(h.clone());
            for (i, episode) in episodes.iter_mut().enumerate() {
                let own = self.sizes.seen;
                episode.slots.extend_from_slice(&constant[(t * copies + i) * own..][..own]);
                episode.slots.extend_from_slice(&written[i * n..(i + 1) * n]);
            }
            self.refresh(params, episodes);
            outs.push(h.clone());
            reads.push(read);
            states.push(Tensor::cat(vec![h.clone(), c.clone()], 1).reshape([1, copies, 2 * n]));
        }
        for episode in episodes {
            episode.keep(self.sizes.slots, &self.sizes);
        }
        Recalled { out: Tensor::cat(outs, 0), read: Tensor::cat(reads, 0), state: Tensor::cat(states, 0) }
    }

    /// What each copy reads for its query: neighbours are chosen by numbers, and their keys made again for gradients to follow.
    fn read_plain(&self, params: &Params, q: &Tensor<2>, episodes: &[Episode]) -> Tensor<2> {
        let device = params.device();
        let Sizes { seen, hidden, key, nearest: most, .. } = self.sizes;
        let queries = values(q.clone());
        let each = episodes.iter().zip(queries.chunks_exact(key)).enumerate().map(|(i, (episode, query))| {
            let near = nearest(query, &episode.keys[episode.first * key..], most);
            if near.is_empty() {
                return params.get::<1>(self.nothing).reshape([1, hidden]);
            }
            let slot = self.sizes.slot();
            let chosen: Vec<f32> =
                near.iter().flat_map(|(s, _)| episode.slots(&self.sizes)[s * slot..][..slot].iter().copied()).collect();
            let held: Vec<f32> = chosen.chunks_exact(slot).flat_map(|s| s[seen..].iter().copied()).collect();
            let count = near.len();
            let bias = params.get::<1>(self.key_bias).reshape([1, key]);
            let mut keys = tensor(chosen, [count, slot], device).matmul(params.get(self.key)) + bias;
            if !self.jumpy {
                keys = keys.detach();
            }
            let apart = (q.clone().slice([i..i + 1, 0..key]) - keys).powi_scalar(2).sum_dim(1) + NEAR;
            let near = apart.recip();
            let share = near.clone() / near.sum_dim(0);
            (tensor(held, [count, hidden], device) * share).sum_dim(0)
        });
        Tensor::cat(each.collect(), 0)
    }
}

/// Adds 1 to the bias that was added last, where it keeps the cell.
fn forget(params: &mut Params, hidden: usize) {
    let index = params.entries().len() - 1;
    let mut numbers = params.entries()[index].values();
    numbers[hidden..2 * hidden].iter_mut().for_each(|b| *b += 1.0);
    params.set(index, numbers);
}
