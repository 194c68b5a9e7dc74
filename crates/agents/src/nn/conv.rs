//! Convolutions, as products with what the kernels look at.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::{Autodiff, Flex};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use rayon::prelude::*;

use super::affine::sum;
use super::kernels::{flat, plain, product, register, tracked};
use super::{Id, Init, Params, Tensor, Then, leaky_relu, relu};

/// Square kernels over pictures `[rows, height, width, channels]`: with the channels last, what a kernel looks at is a few
/// pieces of memory.
#[derive(Clone, Copy, Debug)]
pub struct Conv {
    weight: Id,
    bias: Id,
    from: usize,
    to: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
}

impl Conv {
    /// Orthogonal kernels from and to so many channels.
    pub fn orthogonal(params: &mut Params, name: &str, [from, to]: [usize; 2], [kernel, stride]: [usize; 2]) -> Self {
        let init = [Init::Orthogonal(std::f64::consts::SQRT_2), Init::Constant(0.0)];
        Self::new(params, name, [from, to], [kernel, stride, 0], init)
    }

    /// Kernels and biases uniform within the root of one over what a kernel looks at.
    pub fn torch(params: &mut Params, name: &str, channels: [usize; 2], sizes: [usize; 3]) -> Self {
        let init = Init::Uniform(1.0 / ((sizes[0] * sizes[0] * channels[0]) as f64).sqrt());
        Self::new(params, name, channels, sizes, [init, init])
    }

    /// Kernels of a size, a stride and a margin of zeros around the picture, and biases, that begin so.
    pub fn new(
        params: &mut Params,
        name: &str,
        [from, to]: [usize; 2],
        [kernel, stride, padding]: [usize; 3],
        init: [Init; 2],
    ) -> Self {
        let weight = params.add(format!("{name}.weight"), &[kernel * kernel * from, to], init[0]);
        let bias = params.add(format!("{name}.bias"), &[to], init[1]);
        Self { weight, bias, from, to, kernel, stride, padding }
    }

    /// The side of what comes out where `side` goes in; `None` if the kernel is larger.
    #[must_use]
    pub fn side(&self, side: usize) -> Option<usize> {
        Some((side + 2 * self.padding).checked_sub(self.kernel)? / self.stride + 1)
    }

    /// Of each picture.
    ///
    /// # Panics
    ///
    /// If the kernel is larger than the picture.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        self.then(params, x, Then::Nothing)
    }

    /// Of each picture, and what follows.
    ///
    /// # Panics
    ///
    /// If the kernel is larger than the picture.
    #[must_use]
    pub fn then(&self, params: &Params, x: Tensor<4>, then: Then) -> Tensor<4> {
        if !params.device().fuses() {
            return self.plain(params, x, then);
        }
        let [n, height, width, channels] = x.dims();
        let Self { to, kernel, stride, padding, .. } = *self;
        assert!(kernel <= height.min(width) + 2 * padding, "the kernel fits");
        let sizes = Sizes { n, height, width, channels, to, kernel, stride, padding };
        fused(x, params.get(self.weight), params.get(self.bias), sizes, then, params.learning())
    }

    /// The same from the library's own operations.
    #[must_use]
    pub fn plain(&self, params: &Params, x: Tensor<4>, then: Then) -> Tensor<4> {
        let k = self.kernel;
        let weight = params.get::<2>(self.weight).reshape([k, k, self.from, self.to]).permute([3, 2, 0, 1]);
        let options = ConvOptions::new([self.stride; 2], [self.padding; 2], [1, 1], 1);
        let sums = conv2d(x.permute([0, 3, 1, 2]), weight, Some(params.get(self.bias)), options).permute([0, 2, 3, 1]);
        match then {
            Then::Nothing => sums,
            Then::Relu => relu(sums),
            Then::LeakyRelu => leaky_relu(sums),
        }
    }
}

/// Pictures that one thread takes at a time. What they add to the weights is summed in their order, however many threads
/// there are.
const GROUP: usize = 8;

/// The sizes of pictures and of kernels over them.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    n: usize,
    height: usize,
    width: usize,
    channels: usize,
    to: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
}

impl Sizes {
    fn places(&self) -> [usize; 2] {
        [self.height, self.width].map(|side| (side + 2 * self.padding - self.kernel) / self.stride + 1)
    }

    /// Places of a picture.
    fn area(&self) -> usize {
        self.places().iter().product()
    }

    /// Numbers of a picture.
    fn picture(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// Numbers that a kernel looks at.
    fn looked_at(&self) -> usize {
        self.kernel * self.kernel * self.channels
    }

    /// Calls `each` with every piece of memory that a kernel looks at in a picture: where it lies there, where among what
    /// the kernel looks at from all places, and how long it is. The margin is no part of the picture.
    fn pieces(&self, mut each: impl FnMut(usize, usize, usize)) {
        let [h, w] = self.places();
        let mut to = 0;
        for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
            let left = (x * self.stride).max(self.padding);
            let right = (x * self.stride + self.kernel).min(self.width + self.padding);
            for row in 0..self.kernel {
                let line = y * self.stride + row;
                if (self.padding..self.height + self.padding).contains(&line) && left < right {
                    let from = (line - self.padding) * self.width + left - self.padding;
                    let skipped = (left - x * self.stride) * self.channels;
                    each(from * self.channels, to + skipped, (right - left) * self.channels);
                }
                to += self.kernel * self.channels;
            }
        }
    }

    /// What the kernel looks at from each place of a picture.
    fn unfold(&self, picture: &[f32]) -> FlexTensor {
        let mut out = vec![0.0; self.area() * self.looked_at()];
        self.pieces(|from, to, length| out[to..to + length].copy_from_slice(&picture[from..from + length]));
        flat(out, &[self.area(), self.looked_at()])
    }
}

fn forward(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, sizes: Sizes, then: Then) -> FlexTensor {
    let (x, bias) = (x.storage::<f32>(), bias.storage::<f32>());
    let mut out = vec![0.0; sizes.n * sizes.area() * sizes.to];
    let pictures = x.par_chunks(GROUP * sizes.picture());
    out.par_chunks_mut(GROUP * sizes.area() * sizes.to).zip(pictures).for_each(|(out, pictures)| {
        let each = out.chunks_exact_mut(sizes.area() * sizes.to).zip(pictures.chunks_exact(sizes.picture()));
        for (out, picture) in each {
            let y = product(sizes.unfold(picture), weight.clone());
            out.copy_from_slice(y.storage::<f32>());
        }
        then.finish(out, bias);
    });
    let [h, w] = sizes.places();
    flat(out, &[sizes.n, h, w, sizes.to])
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Saved {
    x: FlexTensor,
    weight: FlexTensor,
    out: FlexTensor,
    sizes: Sizes,
    then: Then,
}

#[derive(Debug)]
struct Convolve;

impl Backward<Flex, 3> for Convolve {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let Saved { x, weight, out, sizes, then } = ops.state;
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let d = then.undo(above.storage::<f32>(), out.storage::<f32>());
        let [to_x, to_weight, to_bias] = ops.parents.map(|parent| parent.map(|node| node.id));
        let place = sizes.area() * sizes.to;
        register(grads, to_weight, || {
            // What the kernels look at is made again: keeping it would take more time than that.
            let pictures = x.storage::<f32>().par_chunks(GROUP * sizes.picture());
            let parts: Vec<Vec<f32>> = pictures
                .zip(d.par_chunks(GROUP * place))
                .map(|(pictures, d)| {
                    let mut own = vec![0.0; sizes.looked_at() * sizes.to];
                    for (picture, d) in pictures.chunks_exact(sizes.picture()).zip(d.chunks_exact(place)) {
                        let seen = Flex::float_transpose(sizes.unfold(picture));
                        let more = product(seen, flat(d.to_vec(), &[sizes.area(), sizes.to]));
                        own.iter_mut().zip(more.storage::<f32>()).for_each(|(sum, x)| *sum += x);
                    }
                    own
                })
                .collect();
            let mut all = vec![0.0; sizes.looked_at() * sizes.to];
            for part in &parts {
                all.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
            flat(all, &[sizes.looked_at(), sizes.to])
        });
        register(grads, to_bias, || flat(sum(&d, sizes.to), &[sizes.to]));
        register(grads, to_x, || {
            let transposed = Flex::float_transpose(weight);
            let mut back = vec![0.0; sizes.n * sizes.picture()];
            let groups = back.par_chunks_mut(GROUP * sizes.picture()).zip(d.par_chunks(GROUP * place));
            groups.for_each(|(back, d)| {
                for (picture, d) in back.chunks_exact_mut(sizes.picture()).zip(d.chunks_exact(place)) {
                    let seen = product(flat(d.to_vec(), &[sizes.area(), sizes.to]), transposed.clone());
                    let seen = seen.storage::<f32>();
                    sizes.pieces(|at, from, length| {
                        let piece = picture[at..at + length].iter_mut().zip(&seen[from..from + length]);
                        piece.for_each(|(sum, x)| *sum += x);
                    });
                }
            });
            flat(back, &[sizes.n, sizes.height, sizes.width, sizes.channels])
        });
    }
}

fn fused(x: Tensor<4>, weight: Tensor<2>, bias: Tensor<1>, sizes: Sizes, then: Then, learning: bool) -> Tensor<4> {
    if !learning {
        let out = forward(&plain(x), &plain(weight), &plain(bias), sizes, then);
        return Tensor::from_primitive::<Flex>(out);
    }
    let (x, a) = tracked(x);
    let (weight, b) = tracked(weight);
    let (bias, c) = tracked(bias);
    let out = forward(&x, &weight, &bias, sizes, then);
    let node = match Convolve.prepare::<NoCheckpointing>([a, b, c]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(Saved { x, weight, out: out.clone(), sizes, then }, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}
