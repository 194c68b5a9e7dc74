//! Long short-term memory over sequences, as one operation with its own backward pass.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::{Autodiff, Flex};

use super::affine::affine;
use super::kernels::{flat, plain, product, register, sigmoid, tanh, tracked};
use super::{Id, Init, Params, Tensor, Then};

/// Gates `i`, `f`, `g`, `o` of one product with the input and one with the last output, and one bias.
#[derive(Clone, Copy, Debug)]
pub struct Lstm {
    input: Id,
    recurrent: Id,
    bias: Id,
    /// Whether the last output is an input too, the first of them.
    echo: bool,
    /// Numbers of the output, and as many of the cell.
    pub hidden: usize,
}

impl Lstm {
    /// With `torch`'s uniform weights; `forget` is added to the bias of the gate that keeps the cell.
    pub fn new(params: &mut Params, name: &str, inputs: usize, hidden: usize, forget: f32) -> Self {
        let init = Init::Uniform(1.0 / (hidden as f64).sqrt());
        let input = params.add(format!("{name}.input"), &[inputs, 4 * hidden], init);
        let recurrent = params.add(format!("{name}.recurrent"), &[hidden, 4 * hidden], init);
        let bias = params.add(format!("{name}.bias"), &[4 * hidden], init);
        if forget != 0.0 {
            let index = params.entries().len() - 1;
            let mut numbers = params.entries()[index].values();
            numbers[hidden..2 * hidden].iter_mut().for_each(|b| *b += forget);
            params.set(index, numbers);
        }
        Self { input, recurrent, bias, echo: false, hidden }
    }

    /// The same with the last output as an input too, before `inputs` others.
    pub fn echoed(params: &mut Params, name: &str, inputs: usize, hidden: usize) -> Self {
        Self { echo: true, ..Self::new(params, name, hidden + inputs, hidden, 0.0) }
    }

    /// What inputs are multiplied by, and what the last output is.
    fn weights(&self, params: &Params) -> (Tensor<2>, Tensor<2>) {
        let (input, recurrent) = (params.get::<2>(self.input), params.get::<2>(self.recurrent));
        if !self.echo {
            return (input, recurrent);
        }
        // The last output is multiplied by both: by their sum once.
        let [rows, columns] = input.dims();
        let own = input.clone().slice([0..self.hidden, 0..columns]);
        (input.slice([self.hidden..rows, 0..columns]), recurrent + own)
    }

    /// Outputs and cells, `[rows, copies, 2 hidden]`, of `rows` steps of inputs `[rows * copies, …]` from `state`
    /// `[copies, 2 hidden]`; where `keep` is 0, the state before the step is zero.
    ///
    /// # Panics
    ///
    /// If the sizes do not fit.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32]) -> Tensor<3> {
        if !params.device().fuses() {
            return self.plain(params, x, state, keep);
        }
        let [copies, _] = state.dims();
        let rows = keep.len() / copies;
        let h = self.hidden;
        let (input, recurrent) = self.weights(params);
        let gates = affine(x, input, params.get(self.bias), Then::Nothing, params.learning());
        let gates = gates.reshape([rows, copies, 4 * h]);
        fused(gates, recurrent, state, keep, params.learning())
    }

    /// The same from the library's own operations.
    #[must_use]
    pub fn plain(&self, params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32]) -> Tensor<3> {
        let [copies, _] = state.dims();
        let (rows, n) = (keep.len() / copies, self.hidden);
        let [mut h, mut c] = [0, 1].map(|part| state.clone().slice([0..copies, part * n..(part + 1) * n]));
        let (input, recurrent) = self.weights(params);
        let bias = params.get::<1>(self.bias).reshape([1, 4 * n]);
        let mut out = Vec::with_capacity(rows);
        for t in 0..rows {
            let keep = super::tensor(keep[t * copies..(t + 1) * copies].to_vec(), [copies, 1], params.device());
            (h, c) = (h * keep.clone(), c * keep);
            let [_, inputs] = x.dims();
            let x = x.clone().slice([t * copies..(t + 1) * copies, 0..inputs]);
            let gates = x.matmul(input.clone()) + bias.clone() + h.matmul(recurrent.clone());
            let gate = |i: usize| gates.clone().slice([0..copies, i * n..(i + 1) * n]);
            c = super::sigmoid(gate(1)) * c + super::sigmoid(gate(0)) * super::tanh(gate(2));
            h = super::sigmoid(gate(3)) * super::tanh(c.clone());
            out.push(Tensor::cat(vec![h.clone(), c.clone()], 1).reshape([1, copies, 2 * n]));
        }
        Tensor::cat(out, 0)
    }
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Saved {
    rows: usize,
    copies: usize,
    h: usize,
    /// Gates after their functions, `[rows, copies, 4 h]`.
    gates: Vec<f32>,
    /// Cells, `[rows, copies, h]`.
    cells: Vec<f32>,
    /// Outputs of the step before as the step sees them, `[rows * copies, h]`.
    before: FlexTensor,
    /// Cells before the first step.
    first: Vec<f32>,
    keep: Vec<f32>,
    recurrent: FlexTensor,
}

fn forward(gates: &FlexTensor, recurrent: FlexTensor, state: &FlexTensor, keep: &[f32]) -> (Saved, FlexTensor) {
    let copies = state.layout().shape()[0];
    let h = state.layout().shape()[1] / 2;
    let rows = keep.len() / copies;
    let (x, state) = (gates.storage::<f32>(), state.storage::<f32>());
    let half = |part: usize| -> Vec<f32> {
        (0..copies).flat_map(|i| state[(2 * i + part) * h..][..h].iter().copied()).collect()
    };
    let (mut out_before, mut cell_before) = (half(0), half(1));
    let first = cell_before.clone();
    let mut gates = x.to_vec();
    let mut cells = vec![0.0; rows * copies * h];
    let mut before = vec![0.0; rows * copies * h];
    let mut out = vec![0.0; rows * copies * 2 * h];
    for t in 0..rows {
        let step = t * copies * h..(t + 1) * copies * h;
        for i in 0..copies {
            let k = keep[t * copies + i];
            let seen = &mut before[(t * copies + i) * h..][..h];
            let (o, c) = (&out_before[i * h..][..h], &mut cell_before[i * h..][..h]);
            for j in 0..h {
                seen[j] = o[j] * k;
                c[j] *= k;
            }
        }
        let own = product(flat(before[step].to_vec(), &[copies, h]), recurrent.clone());
        let own = own.storage::<f32>();
        for i in 0..copies {
            let g = &mut gates[(t * copies + i) * 4 * h..][..4 * h];
            let r = &own[i * 4 * h..][..4 * h];
            for (a, b) in g[..2 * h].iter_mut().zip(&r[..2 * h]) {
                *a = sigmoid(*a + b);
            }
            for (a, b) in g[2 * h..3 * h].iter_mut().zip(&r[2 * h..3 * h]) {
                *a = tanh(*a + b);
            }
            for (a, b) in g[3 * h..].iter_mut().zip(&r[3 * h..]) {
                *a = sigmoid(*a + b);
            }
            let (gi, rest) = g.split_at(h);
            let (gf, rest) = rest.split_at(h);
            let (gg, go) = rest.split_at(h);
            let (o, oc) = out[(t * copies + i) * 2 * h..][..2 * h].split_at_mut(h);
            let cell = &mut cells[(t * copies + i) * h..][..h];
            let (ob, cb) = (&mut out_before[i * h..][..h], &mut cell_before[i * h..][..h]);
            for j in 0..h {
                let c = gf[j] * cb[j] + gi[j] * gg[j];
                let y = go[j] * tanh(c);
                (cell[j], cb[j], oc[j]) = (c, c, c);
                (ob[j], o[j]) = (y, y);
            }
        }
    }
    let before = flat(before, &[rows * copies, h]);
    let saved = Saved { rows, copies, h, gates, cells, before, first, keep: keep.to_vec(), recurrent };
    (saved, flat(out, &[rows, copies, 2 * h]))
}

#[derive(Debug)]
struct Step;

impl Backward<Flex, 3> for Step {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let s = ops.state;
        let (rows, copies, h) = (s.rows, s.copies, s.h);
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let above = above.storage::<f32>();
        let mut d_gates = vec![0.0; rows * copies * 4 * h];
        // Of the output and the cell before the step.
        let (mut d_out, mut d_cell) = (vec![0.0; copies * h], vec![0.0; copies * h]);
        let transposed = Flex::float_transpose(s.recurrent.clone());
        for t in (0..rows).rev() {
            let d_step = &mut d_gates[t * copies * 4 * h..(t + 1) * copies * 4 * h];
            for i in 0..copies {
                let row = t * copies + i;
                let keep = s.keep[row];
                let (gi, rest) = s.gates[row * 4 * h..][..4 * h].split_at(h);
                let (gf, rest) = rest.split_at(h);
                let (gg, go) = rest.split_at(h);
                let cell = &s.cells[row * h..][..h];
                let last = if t == 0 { &s.first[i * h..][..h] } else { &s.cells[(row - copies) * h..][..h] };
                let (up, up_cell) = above[row * 2 * h..][..2 * h].split_at(h);
                let (di, rest) = d_step[i * 4 * h..][..4 * h].split_at_mut(h);
                let (df, rest) = rest.split_at_mut(h);
                let (dg, d_o) = rest.split_at_mut(h);
                let (dy, dc) = (&mut d_out[i * h..][..h], &mut d_cell[i * h..][..h]);
                for j in 0..h {
                    let squashed = tanh(cell[j]);
                    let y = dy[j] + up[j];
                    let c = dc[j] + up_cell[j] + y * go[j] * (1.0 - squashed * squashed);
                    di[j] = c * gg[j] * gi[j] * (1.0 - gi[j]);
                    df[j] = c * last[j] * keep * gf[j] * (1.0 - gf[j]);
                    dg[j] = c * gi[j] * (1.0 - gg[j] * gg[j]);
                    d_o[j] = y * squashed * go[j] * (1.0 - go[j]);
                    dc[j] = c * gf[j] * keep;
                }
            }
            let back = product(flat(d_step.to_vec(), &[copies, 4 * h]), transposed.clone());
            let back = back.storage::<f32>();
            for i in 0..copies {
                let keep = s.keep[t * copies + i];
                for (d, b) in d_out[i * h..][..h].iter_mut().zip(&back[i * h..][..h]) {
                    *d = b * keep;
                }
            }
        }
        let d_gates = flat(d_gates, &[rows * copies, 4 * h]);
        let [gates, recurrent, state] = ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, recurrent, || product(Flex::float_transpose(s.before.clone()), d_gates.clone()));
        register(grads, gates, || Flex::float_reshape(d_gates, vec![rows, copies, 4 * h].into()));
        register(grads, state, || {
            let both = d_out.chunks_exact(h).zip(d_cell.chunks_exact(h));
            flat(both.flat_map(|(y, c)| y.iter().chain(c).copied()).collect(), &[copies, 2 * h])
        });
    }
}

fn fused(gates: Tensor<3>, recurrent: Tensor<2>, state: Tensor<2>, keep: &[f32], learning: bool) -> Tensor<3> {
    if !learning {
        let (_, out) = forward(&plain(gates), plain(recurrent), &plain(state), keep);
        return Tensor::from_primitive::<Flex>(out);
    }
    let (gates, a) = tracked(gates);
    let (recurrent, b) = tracked(recurrent);
    let (state, c) = tracked(state);
    let (saved, out) = forward(&gates, recurrent, &state, keep);
    let node = match Step.prepare::<NoCheckpointing>([a, b, c]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(saved, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}
