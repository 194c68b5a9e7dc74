//! Residual networks over pictures, as IMPALA has them.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::module::max_pool2d;
use burn::tensor::ops::MaxPoolOptions;
use rayon::prelude::*;

use super::kernels::{flat, plain, register, tracked};
use super::{Conv, Init, Linear, Params, Tensor, Then, relu, values};

/// Side of what is pooled, its stride and its margin.
const POOL: [usize; 3] = [3, 2, 1];

/// Side of every kernel, its stride and its margin.
const SIDES: [usize; 3] = [3, 1, 1];

/// A convolution that begins as elsewhere, or, if `centred`, as He et al. (2015) begin those of positive parts.
fn conv(params: &mut Params, name: &str, channels: [usize; 2], centred: bool) -> Conv {
    if !centred {
        return Conv::torch(params, name, channels, SIDES);
    }
    let spread = (2.0 / (SIDES[0] * SIDES[0] * channels[0]) as f64).sqrt();
    Conv::new(params, name, channels, SIDES, [Init::Normal(spread), Init::Constant(0.0)])
}

/// Two times a convolution of the positive part, added to what went in.
#[derive(Clone, Copy, Debug)]
pub struct Residual([Conv; 2]);

impl Residual {
    /// Of pictures with so many channels; if `centred`, it adds nothing at first.
    pub fn new(params: &mut Params, name: &str, channels: usize, centred: bool) -> Self {
        Self([0, 1].map(|i| {
            let name = format!("{name}.{i}");
            if centred && i == 1 {
                return Conv::new(params, &name, [channels; 2], SIDES, [Init::Constant(0.0); 2]);
            }
            conv(params, &name, [channels; 2], centred)
        }))
    }

    /// Of each picture.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        let inner = self.0[0].then(params, relu(x.clone()), Then::Relu);
        x + self.0[1].forward(params, inner)
    }
}

/// A convolution, a pool that halves the sides, and two residual parts.
#[derive(Clone, Copy, Debug)]
struct Section {
    conv: Conv,
    residual: [Residual; 2],
}

impl Section {
    fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        let x = pool(self.conv.forward(params, x), params);
        self.residual.iter().fold(x, |x, residual| residual.forward(params, x))
    }
}

/// Sections of growing depth, then one vector.
#[derive(Clone, Debug)]
pub struct ResNet {
    sections: Vec<Section>,
    join: Linear,
    centred: bool,
}

impl ResNet {
    /// Of pictures of `height` x `width` with three colours: sections of these channels, then `outputs` numbers.
    /// If `centred`, white is 0, the kernels begin as He et al. have them, residual parts add nothing at first, and
    /// [`ResNet::centre`] is for the rest.
    pub fn new(
        params: &mut Params,
        name: &str,
        [height, width]: [usize; 2],
        channels: &[usize],
        outputs: usize,
        centred: bool,
    ) -> Self {
        let (mut from, mut sides) = (3, [height, width]);
        let mut sections = Vec::new();
        for (i, &to) in channels.iter().enumerate() {
            let conv = conv(params, &format!("{name}.{i}.conv"), [from, to], centred);
            let residual = [0, 1].map(|r| Residual::new(params, &format!("{name}.{i}.residual.{r}"), to, centred));
            sections.push(Section { conv, residual });
            sides = sides.map(pooled);
            from = to;
        }
        let (name, from) = (format!("{name}.join"), from * sides[0] * sides[1]);
        let join = if centred {
            Linear::orthogonal(params, &name, from, outputs, std::f64::consts::SQRT_2)
        } else {
            Linear::torch(params, &name, from, outputs)
        };
        Self { sections, join, centred }
    }

    /// The sides that each section leaves of a picture.
    #[must_use]
    pub fn sides(&self, height: usize, width: usize) -> Vec<[usize; 2]> {
        let mut sides = [height, width];
        self.sections
            .iter()
            .map(|_| {
                sides = sides.map(pooled);
                sides
            })
            .collect()
    }

    /// `[rows, outputs]` of pictures `[rows, height, width, 3]` of shares.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<2> {
        self.join.then(params, self.features(params, x), Then::Relu)
    }

    /// What the sections leave of each picture.
    fn features(&self, params: &Params, x: Tensor<4>) -> Tensor<2> {
        let x = if self.centred { x - 1.0 } else { x };
        relu(row(self.sections.iter().fold(x, |x, section| section.forward(params, x))))
    }

    /// Changes the last weights so that each number of what is left of these pictures has mean 0 and spread 1 before it is cut at
    /// 0; one that is the same for all of them is left as it is.
    pub fn centre(&self, params: &mut Params, x: Tensor<4>) {
        let features = self.features(&params.frozen(), x);
        self.join.centre(params, &values(self.join.forward(&params.frozen(), features)));
    }
}

/// What is left of each picture, in a row.
fn row(x: Tensor<4>) -> Tensor<2> {
    let [rows, height, width, channels] = x.dims();
    x.reshape([rows, height * width * channels])
}

/// The side that a pool leaves.
fn pooled(side: usize) -> usize {
    let [kernel, stride, padding] = POOL;
    (side + 2 * padding - kernel) / stride + 1
}

/// The greatest number below each place of the pool, and where it lies in its picture.
fn greatest(x: &[f32], [height, width, channels]: [usize; 3], out: &mut [f32]) -> Vec<u32> {
    let [kernel, stride, padding] = POOL;
    let [h, w] = [pooled(height), pooled(width)];
    let mut places = vec![0; h * w * channels];
    let each = out.chunks_exact_mut(channels).zip(places.chunks_exact_mut(channels));
    for ((y, x0), (best, places)) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).zip(each) {
        let rows = (y * stride).saturating_sub(padding)..(y * stride + kernel - padding).min(height);
        let columns = (x0 * stride).saturating_sub(padding)..(x0 * stride + kernel - padding).min(width);
        // All channels at once: they lie side by side.
        let mut first = true;
        for begin in rows.flat_map(|r| columns.clone().map(move |c| (r * width + c) * channels)) {
            let seen = x[begin..begin + channels].iter().zip(begin as u32..);
            for ((best, place), (&number, at)) in best.iter_mut().zip(places.iter_mut()).zip(seen) {
                let better = first || number > *best;
                *best = if better { number } else { *best };
                *place = if better { at } else { *place };
            }
            first = false;
        }
    }
    places
}

#[derive(Clone, Debug)]
struct Saved {
    places: Vec<Vec<u32>>,
    shape: [usize; 4],
}

#[derive(Debug)]
struct Pool;

impl Backward<Flex, 1> for Pool {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let Saved { places, shape } = ops.state;
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let [x] = ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, x, || {
            let mut back = vec![0.0; shape.iter().product()];
            let above = above.storage::<f32>();
            let own = above.len() / places.len();
            let picture: usize = shape[1..].iter().product();
            let each = back.par_chunks_mut(picture).zip(above.par_chunks(own)).zip(&places);
            each.for_each(|((back, above), places)| {
                above.iter().zip(places).for_each(|(d, &at)| back[at as usize] += d);
            });
            flat(back, &shape)
        });
    }
}

fn forward(x: &FlexTensor, shape @ [_, height, width, channels]: [usize; 4]) -> (Saved, FlexTensor) {
    let picture = height * width * channels;
    let mut out = vec![0.0; shape[0] * pooled(height) * pooled(width) * channels];
    let own = (out.len() / shape[0].max(1)).max(1);
    let each = x.storage::<f32>().par_chunks(picture).zip(out.par_chunks_mut(own));
    let places: Vec<Vec<u32>> = each.map(|(x, out)| greatest(x, [height, width, channels], out)).collect();
    let out = flat(out, &[shape[0], pooled(height), pooled(width), channels]);
    (Saved { places, shape }, out)
}

/// The greatest number around every second place of each picture.
fn pool(x: Tensor<4>, params: &Params) -> Tensor<4> {
    let shape = x.dims();
    if !params.device().fuses() {
        return pool_plain(x);
    }
    if !params.learning() {
        return Tensor::from_primitive::<Flex>(forward(&plain(x), shape).1);
    }
    let (x, node) = tracked(x);
    let (saved, out) = forward(&x, shape);
    let node = match Pool.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(saved, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}

/// The same from the library's own operation.
fn pool_plain(x: Tensor<4>) -> Tensor<4> {
    let [kernel, stride, padding] = POOL.map(|n| [n, n]);
    let options = MaxPoolOptions::new(kernel).with_stride(stride).with_padding(padding);
    max_pool2d(x.permute([0, 3, 1, 2]), options).permute([0, 2, 3, 1])
}

/// Both ways, to be compared.
#[cfg(test)]
pub(crate) fn pooled_both_ways(x: Tensor<4>, params: &Params, fused: bool) -> Tensor<4> {
    if fused { pool(x, params) } else { pool_plain(x) }
}
