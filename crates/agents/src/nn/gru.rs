//! Gated recurrent units over sequences, as one operation with its own backward pass.

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

/// Gates `z`, `r`, `n` as `PyTorch` has them: `n = tanh(W x + b + r (U h + b'))`, `h' = (1 - z) n + z h`.
#[derive(Clone, Copy, Debug)]
pub struct Gru {
    input: Id,
    recurrent: Id,
    bias: Id,
    recurrent_bias: Id,
    /// Numbers of the output.
    pub hidden: usize,
}

impl Gru {
    /// With `torch`'s uniform weights.
    pub fn new(params: &mut Params, name: &str, inputs: usize, hidden: usize) -> Self {
        let init = Init::Uniform(1.0 / (hidden as f64).sqrt());
        Self {
            input: params.add(format!("{name}.input"), &[inputs, 3 * hidden], init),
            recurrent: params.add(format!("{name}.recurrent"), &[hidden, 3 * hidden], init),
            bias: params.add(format!("{name}.bias"), &[3 * hidden], init),
            recurrent_bias: params.add(format!("{name}.recurrent_bias"), &[3 * hidden], init),
            hidden,
        }
    }

    /// Outputs `[rows, copies, hidden]` of `rows` steps of inputs `[rows * copies, …]` from `state` `[copies, hidden]`;
    /// where `keep` is 0, the state before the step is zero.
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
        let (rows, h) = (keep.len() / copies, self.hidden);
        let gates = affine(x, params.get(self.input), params.get(self.bias), Then::Nothing, params.learning());
        let gates = gates.reshape([rows, copies, 3 * h]);
        let own = [params.get(self.recurrent), params.get::<1>(self.recurrent_bias).reshape([1, 3 * h])];
        fused(gates, own, state, keep, params.learning())
    }

    /// What the first inputs `x` `[copies, …]` add to the gates of every step: to be computed once where they stay the same.
    #[must_use]
    pub fn constant(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        let [_, inputs] = x.dims();
        let weight = params.get::<2>(self.input).slice([0..inputs, 0..3 * self.hidden]);
        if !params.device().fuses() {
            return x.matmul(weight) + params.get::<1>(self.bias).reshape([1, 3 * self.hidden]);
        }
        affine(x, weight, params.get(self.bias), Then::Nothing, params.learning())
    }

    /// What each row of `table`, in the place of the last inputs, adds to the gates of a step.
    #[must_use]
    pub fn of_table(&self, params: &Params, table: Tensor<2>) -> Tensor<2> {
        let weight = params.get::<2>(self.input);
        let [inputs, gates] = weight.dims();
        let [_, own] = table.dims();
        table.matmul(weight.slice([inputs - own..inputs, 0..gates]))
    }

    /// The state `[copies, hidden]` after one step from `state`, by what its inputs add to the gates.
    #[must_use]
    pub fn step(&self, params: &Params, gates: Tensor<2>, state: Tensor<2>) -> Tensor<2> {
        let (h, [copies, _]) = (self.hidden, state.dims());
        let bias = params.get::<1>(self.recurrent_bias).reshape([1, 3 * h]);
        if !params.device().fuses() {
            let own = state.clone().matmul(params.get(self.recurrent)) + bias;
            return after(gates, own, state);
        }
        let own = [params.get(self.recurrent), bias];
        let keep = vec![1.0; copies];
        fused(gates.reshape([1, copies, 3 * h]), own, state, &keep, params.learning()).reshape([copies, h])
    }

    /// The same from the library's own operations.
    #[must_use]
    pub fn plain(&self, params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32]) -> Tensor<3> {
        let [copies, _] = state.dims();
        let [_, inputs] = x.dims();
        let (rows, n) = (keep.len() / copies, self.hidden);
        let bias = |id| params.get::<1>(id).reshape([1, 3 * n]);
        let mut h = state;
        let mut out = Vec::with_capacity(rows);
        for t in 0..rows {
            h = h * super::tensor(keep[t * copies..(t + 1) * copies].to_vec(), [copies, 1], params.device());
            let x = x.clone().slice([t * copies..(t + 1) * copies, 0..inputs]);
            let a = x.matmul(params.get(self.input)) + bias(self.bias);
            let b = h.clone().matmul(params.get(self.recurrent)) + bias(self.recurrent_bias);
            h = after(a, b, h);
            out.push(h.clone().reshape([1, copies, n]));
        }
        Tensor::cat(out, 0)
    }
}

/// The state after a step, from what the inputs `a` and what the state `b` add to the gates.
fn after(a: Tensor<2>, b: Tensor<2>, h: Tensor<2>) -> Tensor<2> {
    let [copies, n] = h.dims();
    let of = |gates: &Tensor<2>, i: usize| gates.clone().slice([0..copies, i * n..(i + 1) * n]);
    let z = super::sigmoid(of(&a, 0) + of(&b, 0));
    let r = super::sigmoid(of(&a, 1) + of(&b, 1));
    let new = super::tanh(of(&a, 2) + r * of(&b, 2));
    (z.clone() * -1.0 + 1.0) * new + z * h
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Saved {
    rows: usize,
    copies: usize,
    h: usize,
    /// `z`, `r`, `n` after their functions, `[rows, copies, 3 h]`.
    gates: Vec<f32>,
    /// `U h + b'` of `n`, `[rows, copies, h]`.
    inner: Vec<f32>,
    /// The state as each step sees it, `[rows * copies, h]`.
    before: FlexTensor,
    keep: Vec<f32>,
    recurrent: FlexTensor,
}

fn forward(
    gates: &FlexTensor,
    recurrent: FlexTensor,
    bias: &FlexTensor,
    state: &FlexTensor,
    keep: &[f32],
) -> (Saved, FlexTensor) {
    let (copies, h) = (state.layout().shape()[0], state.layout().shape()[1]);
    let rows = keep.len() / copies;
    let bias = bias.storage::<f32>();
    let mut gates = gates.storage::<f32>().to_vec();
    let mut inner = vec![0.0; rows * copies * h];
    let mut before = vec![0.0; rows * copies * h];
    let mut out = vec![0.0; rows * copies * h];
    for t in 0..rows {
        let step = t * copies * h..(t + 1) * copies * h;
        for i in 0..copies {
            let row = t * copies + i;
            let last = if t == 0 { &state.storage::<f32>()[i * h..][..h] } else { &out[(row - copies) * h..][..h] };
            for (a, b) in before[row * h..][..h].iter_mut().zip(last) {
                *a = b * keep[row];
            }
        }
        let own = product(flat(before[step].to_vec(), &[copies, h]), recurrent.clone());
        let own = own.storage::<f32>();
        for i in 0..copies {
            let row = t * copies + i;
            let (gate, n) = gates[row * 3 * h..][..3 * h].split_at_mut(2 * h);
            let o = &own[i * 3 * h..][..3 * h];
            let (of_gate, of_n) = (&o[..2 * h], &o[2 * h..][..h]);
            for ((g, o), b) in gate.iter_mut().zip(of_gate).zip(&bias[..2 * h]) {
                *g = sigmoid(*g + o + b);
            }
            // All of one length, which the compiler sees.
            let (z, r, n, bias) = (&gate[..h], &gate[h..][..h], &mut n[..h], &bias[2 * h..][..h]);
            let (kept, y, b) = (&mut inner[row * h..][..h], &mut out[row * h..][..h], &before[row * h..][..h]);
            for j in 0..h {
                kept[j] = of_n[j] + bias[j];
                n[j] = tanh(n[j] + r[j] * kept[j]);
                y[j] = (1.0 - z[j]) * n[j] + z[j] * b[j];
            }
        }
    }
    let before = flat(before, &[rows * copies, h]);
    (Saved { rows, copies, h, gates, inner, before, keep: keep.to_vec(), recurrent }, flat(out, &[rows, copies, h]))
}

#[derive(Debug)]
struct Step;

impl Backward<Flex, 4> for Step {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 4>, grads: &mut Gradients, _: &mut Checkpointer) {
        let s = ops.state;
        let (rows, copies, h) = (s.rows, s.copies, s.h);
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let above = above.storage::<f32>();
        // Of the gates before their functions, as the input and as the last state enter them.
        let (mut d_gates, mut d_own) = (vec![0.0; rows * copies * 3 * h], vec![0.0; rows * copies * 3 * h]);
        let mut d_state = vec![0.0; copies * h];
        let transposed = Flex::float_transpose(s.recurrent.clone());
        let before = s.before.storage::<f32>();
        for t in (0..rows).rev() {
            for i in 0..copies {
                let row = t * copies + i;
                let (z, rest) = s.gates[row * 3 * h..][..3 * h].split_at(h);
                let (r, n) = rest.split_at(h);
                let (inner, last, up) = (&s.inner[row * h..][..h], &before[row * h..][..h], &above[row * h..][..h]);
                let (dz, rest) = d_gates[row * 3 * h..][..3 * h].split_at_mut(h);
                let (dr, dn) = rest.split_at_mut(h);
                let (own_z, own) = d_own[row * 3 * h..][..3 * h].split_at_mut(h);
                let (own_r, own_n) = own.split_at_mut(h);
                let d = &mut d_state[i * h..][..h];
                let (r, n, dr, dn) = (&r[..h], &n[..h], &mut dr[..h], &mut dn[..h]);
                let (own_r, own_n) = (&mut own_r[..h], &mut own_n[..h]);
                for j in 0..h {
                    let y = d[j] + up[j];
                    let new = y * (1.0 - z[j]) * (1.0 - n[j] * n[j]);
                    dz[j] = y * (last[j] - n[j]) * z[j] * (1.0 - z[j]);
                    dr[j] = new * inner[j] * r[j] * (1.0 - r[j]);
                    dn[j] = new;
                    own_z[j] = dz[j];
                    own_r[j] = dr[j];
                    own_n[j] = new * r[j];
                    d[j] = y * z[j];
                }
            }
            let step = t * copies * 3 * h..(t + 1) * copies * 3 * h;
            let back = product(flat(d_own[step].to_vec(), &[copies, 3 * h]), transposed.clone());
            let back = back.storage::<f32>();
            for i in 0..copies {
                let keep = s.keep[t * copies + i];
                for (d, b) in d_state[i * h..][..h].iter_mut().zip(&back[i * h..][..h]) {
                    *d = (*d + b) * keep;
                }
            }
        }
        let [gates, recurrent, bias, state] = ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, bias, || {
            let mut sum = vec![0.0; 3 * h];
            for row in d_own.chunks_exact(3 * h) {
                sum.iter_mut().zip(row).for_each(|(a, b)| *a += b);
            }
            flat(sum, &[1, 3 * h])
        });
        let d_own = flat(d_own, &[rows * copies, 3 * h]);
        register(grads, recurrent, || product(Flex::float_transpose(s.before.clone()), d_own));
        register(grads, gates, || flat(d_gates, &[rows, copies, 3 * h]));
        register(grads, state, || flat(d_state, &[copies, h]));
    }
}

fn fused(
    gates: Tensor<3>,
    [recurrent, bias]: [Tensor<2>; 2],
    state: Tensor<2>,
    keep: &[f32],
    learning: bool,
) -> Tensor<3> {
    if !learning {
        let (_, out) = forward(&plain(gates), plain(recurrent), &plain(bias), &plain(state), keep);
        return Tensor::from_primitive::<Flex>(out);
    }
    let (gates, a) = tracked(gates);
    let (recurrent, b) = tracked(recurrent);
    let (bias, c) = tracked(bias);
    let (state, d) = tracked(state);
    let (saved, out) = forward(&gates, recurrent, &bias, &state, keep);
    let node = match Step.prepare::<NoCheckpointing>([a, b, c, d]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(saved, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}
