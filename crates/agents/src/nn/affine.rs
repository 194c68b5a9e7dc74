//! A product, an addition and what follows them, as one operation: what most layers are.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::{Autodiff, Flex};

use super::Tensor;
use super::kernels::{flat, plain, product, register, tracked};

/// What a layer does to each of its numbers in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing.
    Nothing,
    /// Takes the positive part.
    Relu,
    /// Takes the positive part, and a hundredth of the negative.
    LeakyRelu,
}

impl Then {
    /// What a negative number is multiplied by.
    fn below(self) -> f32 {
        match self {
            Self::Nothing => 1.0,
            Self::Relu => 0.0,
            Self::LeakyRelu => 0.01,
        }
    }

    /// Adds `bias` to every row, and does what follows.
    pub(super) fn finish(self, rows: &mut [f32], bias: &[f32]) {
        let below = self.below();
        for row in rows.chunks_exact_mut(bias.len()) {
            if self == Self::Nothing {
                row.iter_mut().zip(bias).for_each(|(y, b)| *y += b);
            } else {
                for (y, b) in row.iter_mut().zip(bias) {
                    let sum = *y + b;
                    *y = if sum > 0.0 { sum } else { sum * below };
                }
            }
        }
    }

    /// How a loss changes with the sums, from how it changes with what came `out` of them.
    pub(super) fn undo(self, above: &[f32], out: &[f32]) -> Vec<f32> {
        let below = self.below();
        match self {
            Self::Nothing => above.to_vec(),
            _ => above.iter().zip(out).map(|(d, y)| if *y > 0.0 { *d } else { d * below }).collect(),
        }
    }
}

/// The sum of rows of `width` numbers.
pub(super) fn sum(rows: &[f32], width: usize) -> Vec<f32> {
    let mut all = vec![0.0_f64; width];
    // In parts, as sums of many small numbers lose them.
    for part in rows.chunks(64 * width) {
        let mut own = vec![0.0_f32; width];
        for row in part.chunks_exact(width) {
            own.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        all.iter_mut().zip(own).for_each(|(sum, x)| *sum += f64::from(x));
    }
    all.into_iter().map(|x| x as f32).collect()
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Saved {
    x: FlexTensor,
    weight: FlexTensor,
    out: FlexTensor,
    then: Then,
}

fn forward(x: FlexTensor, weight: FlexTensor, bias: &FlexTensor, then: Then) -> FlexTensor {
    let mut out = product(x, weight);
    then.finish(out.storage_mut::<f32>(), bias.storage::<f32>());
    out
}

#[derive(Debug)]
struct Affine;

impl Backward<Flex, 3> for Affine {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let Saved { x, weight, out, then } = ops.state;
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let [rows, width] = [0, 1].map(|d| out.layout().shape()[d]);
        let d = if then == Then::Nothing {
            above
        } else {
            flat(then.undo(above.storage::<f32>(), out.storage::<f32>()), &[rows, width])
        };
        let parents = ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, parents[0], || product(d.clone(), Flex::float_transpose(weight)));
        register(grads, parents[1], || product(Flex::float_transpose(x), d.clone()));
        register(grads, parents[2], || flat(sum(d.storage::<f32>(), width), &[width]));
    }
}

/// `x W + b` and what follows, of each row of `x`.
pub(super) fn affine(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, then: Then, learning: bool) -> Tensor<2> {
    if !learning {
        return Tensor::from_primitive::<Flex>(forward(plain(x), plain(weight), &plain(bias), then));
    }
    let (x, a) = tracked(x);
    let (weight, b) = tracked(weight);
    let (bias, c) = tracked(bias);
    let out = forward(x.clone(), weight.clone(), &bias, then);
    let node = match Affine.prepare::<NoCheckpointing>([a, b, c]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(Saved { x, weight, out: out.clone(), then }, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}
