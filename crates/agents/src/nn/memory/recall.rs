//! Going through a sequence with an episodic memory, as one operation.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::{Autodiff, Flex};

use super::{Core, Episode, Memory, NEAR, Recalled, Sizes, nearest};
use crate::nn::kernels::{flat, plain, product, register, sigmoid, tanh, tracked};
use crate::nn::{Params, Tensor, Then, values};

/// Weights and inputs as numbers.
struct Given {
    /// What the core's gates get from what is seen and told, `[rows, gates]`.
    gates: FlexTensor,
    /// What queries get from what is seen, `[rows, key]`.
    query: FlexTensor,
    /// What is seen, a constant.
    seen: Vec<f32>,
    /// From what was read to the gates, `[hidden, gates]`.
    read: FlexTensor,
    /// From the last output to the gates, `[hidden, gates]`; no numbers without a memory of the core's own.
    recurrent: FlexTensor,
    /// From the last output to the query, `[hidden, key]`; likewise.
    query_state: FlexTensor,
    /// From a slot to its key, `[slot, key]`.
    key: FlexTensor,
    key_bias: FlexTensor,
    /// What is read where there is no slot.
    nothing: FlexTensor,
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Saved {
    sizes: Sizes,
    core: Core,
    jumpy: bool,
    copies: usize,
    keep: Vec<f32>,
    /// Gates after their functions.
    gates: Vec<f32>,
    cells: Vec<f32>,
    /// Cells before the first step.
    first: Vec<f32>,
    /// What was put out before, as each step sees it, `[rows, hidden]`.
    before: Vec<f32>,
    queries: Vec<f32>,
    reads: Vec<f32>,
    /// Which slots were read at each row, by their place in `slots` of the copy.
    neighbours: Vec<Vec<u32>>,
    /// Of each copy all slots that were there at some time.
    slots: Vec<Vec<f32>>,
    keys: Vec<Vec<f32>>,
    read: FlexTensor,
    recurrent: FlexTensor,
    query_state: FlexTensor,
}

impl Saved {
    /// Reads at a row, among the slots of the copy's episode, which begins with slot `begin`.
    fn look_up(&mut self, row: usize, begin: usize, nothing: &[f32]) {
        let Sizes { seen, hidden: h, key, slots: most, nearest: count, .. } = self.sizes;
        let (i, slot) = (row % self.copies, self.sizes.slot());
        let there = self.slots[i].len() / slot;
        let first = begin.max(there.saturating_sub(most));
        let near = nearest(&self.queries[row * key..][..key], &self.keys[i][first * key..], count);
        let read = &mut self.reads[row * h..][..h];
        if near.is_empty() {
            read.copy_from_slice(nothing);
        }
        let sum: f32 = near.iter().map(|(_, d)| 1.0 / (d + NEAR)).sum();
        for (s, distance) in &near {
            let share = 1.0 / (distance + NEAR) / sum;
            let held = &self.slots[i][(first + s) * slot + seen..][..h];
            read.iter_mut().zip(held).for_each(|(r, v)| *r += share * v);
        }
        self.neighbours.push(near.iter().map(|(s, _)| (first + s) as u32).collect());
    }

    /// Moves the core at a row: its gates are complete sums before and what they let through after.
    fn moves(&mut self, row: usize, cell: &mut [f32], y: &mut [f32]) {
        let h = self.sizes.hidden;
        if self.core == Core::Ff {
            let gates = &mut self.gates[row * h..][..h];
            for (gate, y) in gates.iter_mut().zip(y) {
                *gate = gate.max(0.0);
                *y = *gate;
            }
            return;
        }
        let gates = &mut self.gates[row * 4 * h..][..4 * h];
        gates[..2 * h].iter_mut().for_each(|g| *g = sigmoid(*g));
        gates[2 * h..3 * h].iter_mut().for_each(|g| *g = tanh(*g));
        gates[3 * h..].iter_mut().for_each(|g| *g = sigmoid(*g));
        for j in 0..h {
            cell[j] = gates[h + j] * cell[j] + gates[j] * gates[2 * h + j];
            y[j] = gates[3 * h + j] * tanh(cell[j]);
        }
        self.cells[row * h..][..h].copy_from_slice(cell);
    }
}

/// Columns of some matrices with as many rows side by side.
fn beside(parts: &[&FlexTensor], rows: usize) -> FlexTensor {
    let widths: Vec<usize> = parts.iter().map(|p| p.storage::<f32>().len() / rows).collect();
    let mut out = Vec::with_capacity(rows * widths.iter().sum::<usize>());
    for row in 0..rows {
        for (part, wide) in parts.iter().zip(&widths) {
            out.extend_from_slice(&part.storage::<f32>()[row * wide..][..*wide]);
        }
    }
    flat(out, &[rows, widths.iter().sum()])
}

/// All rows; also the first slot of each copy's episode in the end.
fn forward(
    memory: &Memory,
    given: Given,
    state: &[f32],
    keep: &[f32],
    episodes: &mut [Episode],
) -> (Saved, FlexTensor, Vec<usize>) {
    let sizes = memory.sizes;
    let Sizes { seen, hidden: h, key, .. } = sizes;
    let (copies, slot) = (episodes.len(), sizes.slot());
    let rows = keep.len();
    let lstm = memory.core == Core::Lstm;
    let wide = if lstm { 4 * h } else { h };
    // What follows from an output: its slot's key, then the query and the gates of the next row.
    let key_state = flat(given.key.storage::<f32>()[seen * key..].to_vec(), &[h, key]);
    let onwards = if lstm { beside(&[&key_state, &given.query_state, &given.recurrent], h) } else { key_state };
    let on = onwards.storage::<f32>().len() / h;
    let key_seen = flat(given.key.storage::<f32>()[..seen * key].to_vec(), &[seen, key]);
    let mut fresh = product(flat(given.seen.clone(), &[rows, seen]), key_seen).storage::<f32>().to_vec();
    let bias = given.key_bias.storage::<f32>();
    fresh.chunks_exact_mut(key).for_each(|k| k.iter_mut().zip(bias).for_each(|(k, b)| *k += b));

    let half = |part: usize| -> Vec<f32> {
        (0..copies).flat_map(|i| state[(2 * i + part) * h..][..h].iter().copied()).collect()
    };
    let (mut output, mut cell) = (half(0), half(1));
    let mut carried = product(flat(output.clone(), &[copies, h]), onwards.clone()).storage::<f32>().to_vec();
    let mut saved = Saved {
        sizes,
        core: memory.core,
        jumpy: memory.jumpy,
        copies,
        keep: keep.to_vec(),
        gates: given.gates.storage::<f32>().to_vec(),
        cells: vec![0.0; if lstm { rows * h } else { 0 }],
        first: cell.clone(),
        before: vec![0.0; if lstm { rows * h } else { 0 }],
        queries: given.query.storage::<f32>().to_vec(),
        reads: vec![0.0; rows * h],
        neighbours: Vec::with_capacity(rows),
        slots: episodes.iter_mut().map(|e| std::mem::take(&mut e.slots)).collect(),
        keys: episodes.iter_mut().map(|e| std::mem::take(&mut e.keys)).collect(),
        read: given.read,
        recurrent: given.recurrent,
        query_state: given.query_state,
    };
    let mut begins: Vec<usize> = episodes.iter().map(|e| e.first).collect();
    let mut out = vec![0.0; rows * 3 * h];
    for t in 0..rows / copies {
        for (i, begin) in begins.iter_mut().enumerate() {
            let row = t * copies + i;
            if keep[row] == 0.0 {
                *begin = saved.slots[i].len() / slot;
            }
            if lstm {
                let from = &carried[i * on + key..][..key];
                let query = &mut saved.queries[row * key..][..key];
                query.iter_mut().zip(from).for_each(|(q, c)| *q += keep[row] * c);
                let before = &mut saved.before[row * h..][..h];
                before.iter_mut().zip(&output[i * h..][..h]).for_each(|(b, o)| *b = keep[row] * o);
                cell[i * h..][..h].iter_mut().for_each(|c| *c *= keep[row]);
            }
            saved.look_up(row, *begin, given.nothing.storage::<f32>());
        }
        let step = t * copies * h..(t + 1) * copies * h;
        let from_read = product(flat(saved.reads[step].to_vec(), &[copies, h]), saved.read.clone());
        for (i, from_read) in from_read.storage::<f32>().chunks_exact(wide).enumerate() {
            let row = t * copies + i;
            let gates = &mut saved.gates[row * wide..][..wide];
            gates.iter_mut().zip(from_read).for_each(|(g, r)| *g += r);
            if lstm {
                let from = &carried[i * on + 2 * key..][..wide];
                gates.iter_mut().zip(from).for_each(|(g, c)| *g += keep[row] * c);
            }
            let y = &mut output[i * h..][..h];
            saved.moves(row, &mut cell[i * h..][..h], y);
            let all = &mut out[row * 3 * h..][..3 * h];
            all[..h].copy_from_slice(y);
            all[h..2 * h].copy_from_slice(&cell[i * h..][..h]);
            all[2 * h..].copy_from_slice(&saved.reads[row * h..][..h]);
        }
        carried = product(flat(output.clone(), &[copies, h]), onwards.clone()).storage::<f32>().to_vec();
        for i in 0..copies {
            let row = t * copies + i;
            saved.slots[i].extend_from_slice(&given.seen[row * seen..][..seen]);
            saved.slots[i].extend_from_slice(&output[i * h..][..h]);
            let made = fresh[row * key..][..key].iter().zip(&carried[i * on..][..key]);
            saved.keys[i].extend(made.map(|(x, c)| x + c));
        }
    }
    (saved, flat(out, &[rows / copies, copies, 3 * h]), begins)
}

#[derive(Debug)]
struct Recall;

/// How a loss changes with what the rows were computed from.
struct Changes {
    gates: Vec<f32>,
    queries: Vec<f32>,
    keys: Vec<Vec<f32>>,
    nothing: Vec<f32>,
}

/// Goes back through the rows: `above` is how the loss changes with what came out.
fn back(s: &Saved, above: &[f32]) -> Changes {
    let Sizes { seen, hidden: h, key, .. } = s.sizes;
    let (copies, slot) = (s.copies, s.sizes.slot());
    let lstm = s.core == Core::Lstm;
    let wide = if lstm { 4 * h } else { h };
    let rows = s.keep.len();
    let mut changes = Changes {
        gates: vec![0.0; rows * wide],
        queries: vec![0.0; rows * key],
        keys: s.keys.iter().map(|k| vec![0.0; k.len()]).collect(),
        nothing: vec![0.0; h],
    };
    let to_read = Flex::float_transpose(s.read.clone());
    let to_before = lstm.then(|| Flex::float_transpose(beside(&[&s.recurrent, &s.query_state], h)).to_contiguous());
    let (mut d_out, mut d_cell) = (vec![0.0; copies * h], vec![0.0; copies * h]);
    for t in (0..rows / copies).rev() {
        for i in 0..copies {
            let row = t * copies + i;
            let up = &above[row * 3 * h..][..3 * h];
            let d = &mut changes.gates[row * wide..][..wide];
            let g = &s.gates[row * wide..][..wide];
            if !lstm {
                for j in 0..h {
                    d[j] = if g[j] > 0.0 { up[j] } else { 0.0 };
                }
                continue;
            }
            let kept = s.keep[row];
            let cells = &s.cells[row * h..][..h];
            let last = if t == 0 { &s.first[i * h..][..h] } else { &s.cells[(row - copies) * h..][..h] };
            let (dy, dc) = (&d_out[i * h..][..h], &mut d_cell[i * h..][..h]);
            for j in 0..h {
                let (gi, gf, gg, go) = (g[j], g[h + j], g[2 * h + j], g[3 * h + j]);
                let squashed = tanh(cells[j]);
                let y = dy[j] + up[j];
                let c = dc[j] + up[h + j] + y * go * (1.0 - squashed * squashed);
                d[j] = c * gg * gi * (1.0 - gi);
                d[h + j] = c * last[j] * kept * gf * (1.0 - gf);
                d[2 * h + j] = c * gi * (1.0 - gg * gg);
                d[3 * h + j] = y * squashed * go * (1.0 - go);
                dc[j] = c * gf * kept;
            }
        }
        let step = t * copies * wide..(t + 1) * copies * wide;
        let gates = flat(changes.gates[step].to_vec(), &[copies, wide]);
        let d_read = product(gates.clone(), to_read.clone());
        let mut d_read = d_read.storage::<f32>().to_vec();
        for i in 0..copies {
            let row = t * copies + i;
            let d_read = &mut d_read[i * h..][..h];
            d_read.iter_mut().zip(&above[row * 3 * h + 2 * h..][..h]).for_each(|(d, up)| *d += up);
            let near = &s.neighbours[row];
            if near.is_empty() {
                changes.nothing.iter_mut().zip(&*d_read).for_each(|(n, d)| *n += d);
                continue;
            }
            let query = &s.queries[row * key..][..key];
            let keys = |n: u32| &s.keys[i][n as usize * key..][..key];
            let close: Vec<f32> = near.iter().map(|&n| 1.0 / (super::squared(query, keys(n)) + NEAR)).collect();
            let sum: f32 = close.iter().sum();
            // How the loss changes with the share of each slot, less the mean of that.
            let held = |n: u32| &s.slots[i][n as usize * slot + seen..][..h];
            let worth: Vec<f32> =
                near.iter().map(|&n| held(n).iter().zip(&*d_read).map(|(v, d)| v * d).sum()).collect();
            let mean: f32 = worth.iter().zip(&close).map(|(w, u)| w * u / sum).sum();
            let d_query = &mut changes.queries[row * key..][..key];
            for ((&n, u), w) in near.iter().zip(&close).zip(&worth) {
                let d_distance = -(w - mean) / sum * u * u;
                let d_key = &mut changes.keys[i][n as usize * key..][..key];
                for j in 0..key {
                    let apart = 2.0 * (query[j] - keys(n)[j]) * d_distance;
                    d_query[j] += apart;
                    d_key[j] -= apart;
                }
            }
        }
        if let Some(to_before) = &to_before {
            let queries = flat(changes.queries[t * copies * key..(t + 1) * copies * key].to_vec(), &[copies, key]);
            let back = product(beside(&[&gates, &queries], copies), to_before.clone());
            for (i, back) in back.storage::<f32>().chunks_exact(h).enumerate() {
                let kept = s.keep[t * copies + i];
                d_out[i * h..][..h].iter_mut().zip(back).for_each(|(d, b)| *d = b * kept);
            }
        }
    }
    changes
}

impl Backward<Flex, 8> for Recall {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 8>, grads: &mut Gradients, _: &mut Checkpointer) {
        let s = ops.state;
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let changes = back(&s, above.storage::<f32>());
        let Sizes { hidden: h, key, .. } = s.sizes;
        let (rows, slot) = (s.keep.len(), s.sizes.slot());
        let wide = changes.gates.len() / rows;
        let gates = flat(changes.gates, &[rows, wide]);
        let queries = flat(changes.queries, &[rows, key]);
        let before = flat(s.before, &[if s.core == Core::Lstm { rows } else { 0 }, h]);
        let [to_gates, to_query, to_read, to_recurrent, to_state, to_key, to_bias, to_nothing] =
            ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, to_read, || product(Flex::float_transpose(flat(s.reads, &[rows, h])), gates.clone()));
        register(grads, to_recurrent, || product(Flex::float_transpose(before.clone()), gates.clone()));
        register(grads, to_state, || product(Flex::float_transpose(before), queries.clone()));
        let jumpy = s.jumpy;
        register(grads, to_key, || {
            let mut all = vec![0.0; slot * key];
            for (slots, keys) in s.slots.iter().zip(&changes.keys).filter(|(slots, _)| jumpy && !slots.is_empty()) {
                let count = slots.len() / slot;
                let slots = Flex::float_transpose(flat(slots.clone(), &[count, slot]));
                let own = product(slots, flat(keys.clone(), &[count, key]));
                all.iter_mut().zip(own.storage::<f32>()).for_each(|(sum, x)| *sum += x);
            }
            flat(all, &[slot, key])
        });
        register(grads, to_bias, || {
            let mut all = vec![0.0; key];
            for one in changes.keys.iter().flat_map(|keys| keys.chunks_exact(key)).filter(|_| jumpy) {
                all.iter_mut().zip(one).for_each(|(sum, x)| *sum += x);
            }
            flat(all, &[key])
        });
        register(grads, to_nothing, || flat(changes.nothing, &[h]));
        register(grads, to_gates, || gates);
        register(grads, to_query, || queries);
    }
}

pub(super) fn fused(
    memory: &Memory,
    params: &Params,
    seen: Tensor<2>,
    told: Tensor<2>,
    state: &[f32],
    keep: &[f32],
    episodes: &mut [Episode],
) -> Recalled {
    let learning = params.learning();
    let (copies, h) = (episodes.len(), memory.sizes.hidden);
    let constant = values(seen.clone());
    let both = Tensor::cat(vec![seen.clone(), told], 1);
    let gates = memory.input.then(params, both, Then::Nothing);
    let query = memory.query.then(params, seen, Then::Nothing);
    let none = || crate::nn::tensor::<2>(Vec::new(), [0, h], params.device());
    let recurrent = memory.recurrent.map_or_else(none, |id| params.get(id));
    let query_state = memory.query_state.map_or_else(none, |id| params.get(id));
    let (read, key) = (params.get::<2>(memory.read), params.get::<2>(memory.key));
    let (key_bias, nothing) = (params.get::<1>(memory.key_bias), params.get::<1>(memory.nothing));
    let out: Tensor<3> = if learning {
        let (gates, a) = tracked(gates);
        let (query, b) = tracked(query);
        let (read, c) = tracked(read);
        let (recurrent, d) = tracked(recurrent);
        let (query_state, e) = tracked(query_state);
        let (key, f) = tracked(key);
        let (key_bias, g) = tracked(key_bias);
        let (nothing, i) = tracked(nothing);
        let given = Given { gates, query, seen: constant, read, recurrent, query_state, key, key_bias, nothing };
        let (saved, out, _) = forward(memory, given, state, keep, episodes);
        let node = match Recall.prepare::<NoCheckpointing>([a, b, c, d, e, f, g, i]).compute_bound().stateful() {
            OpsKind::Tracked(step) => step.finish(saved, out),
            OpsKind::UnTracked(step) => step.finish(out),
        };
        Tensor::from_primitive::<Autodiff<Flex>>(node)
    } else {
        let given = Given {
            gates: plain(gates),
            query: plain(query),
            seen: constant,
            read: plain(read),
            recurrent: plain(recurrent),
            query_state: plain(query_state),
            key: plain(key),
            key_bias: plain(key_bias),
            nothing: plain(nothing),
        };
        let (saved, out, begins) = forward(memory, given, state, keep, episodes);
        for (((episode, slots), keys), first) in episodes.iter_mut().zip(saved.slots).zip(saved.keys).zip(begins) {
            *episode = Episode { slots, first, keys };
            episode.keep(memory.sizes.slots, &memory.sizes);
        }
        Tensor::from_primitive::<Flex>(out)
    };
    let steps = keep.len() / copies;
    let part = |from: usize, to: usize| out.clone().slice([0..steps, 0..copies, from * h..to * h]);
    let flat_rows = |x: Tensor<3>| x.reshape([steps * copies, h]);
    Recalled { out: flat_rows(part(0, 1)), read: flat_rows(part(2, 3)), state: part(0, 2) }
}
