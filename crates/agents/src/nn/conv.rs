//! Convolutions.

mod sliding;

use std::borrow::Cow;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use rayon::prelude::*;

use self::sliding::Slide;
use super::affine::sum;
use super::kernels::{flat, plain, register, tracked};
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
        let [tall, wide] = [height, width].map(|side| side + 2 * padding);
        let slide = Slide { height: tall, width: wide, channels, to, kernel, stride };
        let sizes = Sizes { n, height, width, padding, slide };
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
    padding: usize,
    /// Over the pictures with their margins.
    slide: Slide,
}

impl Sizes {
    /// Numbers of a picture.
    fn picture(&self) -> usize {
        self.height * self.width * self.slide.channels
    }

    /// Numbers that come out of a picture.
    fn out(&self) -> usize {
        self.slide.area() * self.slide.to
    }

    /// Pictures with a margin of zeros around each.
    fn widen<'a>(&self, pictures: &'a [f32]) -> Cow<'a, [f32]> {
        if self.padding == 0 {
            return Cow::Borrowed(pictures);
        }
        let mut all = vec![0.0; pictures.len() / self.picture() * self.slide.picture()];
        let each = all.chunks_exact_mut(self.slide.picture()).zip(pictures.chunks_exact(self.picture()));
        for (wide, picture) in each {
            let line = self.width * self.slide.channels;
            let inner = self.lines(wide).zip(picture.chunks_exact(line));
            inner.for_each(|(wide, line)| wide.copy_from_slice(line));
        }
        Cow::Owned(all)
    }

    /// The lines of a picture within its margin.
    fn lines<'a>(&self, wide: &'a mut [f32]) -> impl Iterator<Item = &'a mut [f32]> {
        let [margin, line] = [self.padding, self.width].map(|n| n * self.slide.channels);
        let lines = wide.chunks_exact_mut(line + 2 * margin).skip(self.padding).take(self.height);
        lines.map(move |wide| &mut wide[margin..margin + line])
    }
}

fn forward(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, sizes: Sizes, then: Then) -> FlexTensor {
    let (x, weight, bias) = (x.storage::<f32>(), weight.storage::<f32>(), bias.storage::<f32>());
    let mut out = vec![0.0; sizes.n * sizes.out()];
    let groups = out.par_chunks_mut(GROUP * sizes.out()).zip(x.par_chunks(GROUP * sizes.picture()));
    groups.for_each(|(out, pictures)| {
        sliding::forward(sizes.slide, &sizes.widen(pictures), weight, out);
        then.finish(out, bias);
    });
    let [h, w] = sizes.slide.places();
    flat(out, &[sizes.n, h, w, sizes.slide.to])
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
        let Slide { channels, to, .. } = sizes.slide;
        let seen = sizes.slide.seen();
        register(grads, to_weight, || {
            let groups = x.storage::<f32>().par_chunks(GROUP * sizes.picture()).zip(d.par_chunks(GROUP * sizes.out()));
            let parts: Vec<Vec<f32>> = groups
                .map(|(pictures, d)| {
                    let mut own = vec![0.0; seen * to];
                    sliding::to_weight(sizes.slide, &sizes.widen(pictures), d, &mut own);
                    own
                })
                .collect();
            let mut all = vec![0.0; seen * to];
            for part in &parts {
                all.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
            flat(all, &[seen, to])
        });
        register(grads, to_bias, || flat(sum(&d, to), &[to]));
        register(grads, to_x, || {
            let turned = sliding::turned(sizes.slide, weight.storage::<f32>());
            let mut back = vec![0.0; sizes.n * sizes.picture()];
            let groups = back.par_chunks_mut(GROUP * sizes.picture()).zip(d.par_chunks(GROUP * sizes.out()));
            groups.for_each(|(back, d)| {
                if sizes.padding == 0 {
                    return sliding::to_pictures(sizes.slide, d, &turned, back);
                }
                let mut wide = vec![0.0; back.len() / sizes.picture() * sizes.slide.picture()];
                sliding::to_pictures(sizes.slide, d, &turned, &mut wide);
                let each = wide.chunks_exact_mut(sizes.slide.picture()).zip(back.chunks_exact_mut(sizes.picture()));
                for (wide, back) in each {
                    let inner = sizes.lines(wide).zip(back.chunks_exact_mut(sizes.width * channels));
                    inner.for_each(|(wide, line)| line.copy_from_slice(wide));
                }
            });
            flat(back, &[sizes.n, sizes.height, sizes.width, channels])
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
