//! Convolutions, as products with what the kernels look at.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use super::kernels::{flat, plain, register, tracked};
use super::{Id, Init, Params, Tensor};

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
}

impl Conv {
    /// Orthogonal kernels from and to so many channels.
    pub fn orthogonal(params: &mut Params, name: &str, [from, to]: [usize; 2], [kernel, stride]: [usize; 2]) -> Self {
        let init = Init::Orthogonal(std::f64::consts::SQRT_2);
        let weight = params.add(format!("{name}.weight"), &[kernel * kernel * from, to], init);
        let bias = params.add(format!("{name}.bias"), &[to], Init::Constant(0.0));
        Self { weight, bias, from, to, kernel, stride }
    }

    /// The side of what comes out where `side` goes in; `None` if the kernel is larger.
    #[must_use]
    pub fn side(&self, side: usize) -> Option<usize> {
        Some(side.checked_sub(self.kernel)? / self.stride + 1)
    }

    /// Of each picture.
    ///
    /// # Panics
    ///
    /// If the kernel is larger than the picture.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        let [n, height, width, _] = x.dims();
        let [h, w] = [height, width].map(|side| self.side(side).expect("the kernel fits"));
        let looked_at = unfold(x, self.kernel, self.stride, params.learning());
        let y = looked_at.matmul(params.get(self.weight)) + params.get::<1>(self.bias).reshape([1, self.to]);
        y.reshape([n, h, w, self.to])
    }

    /// The same from the library's own operation.
    #[must_use]
    pub fn plain(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        let k = self.kernel;
        let weight = params.get::<2>(self.weight).reshape([k, k, self.from, self.to]).permute([3, 2, 0, 1]);
        let options = ConvOptions::new([self.stride; 2], [0, 0], [1, 1], 1);
        conv2d(x.permute([0, 3, 1, 2]), weight, Some(params.get(self.bias)), options).permute([0, 2, 3, 1])
    }
}

/// The sizes of pictures and of kernels over them.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    n: usize,
    height: usize,
    width: usize,
    channels: usize,
    kernel: usize,
    stride: usize,
}

impl Sizes {
    fn places(&self) -> [usize; 2] {
        [self.height, self.width].map(|side| (side - self.kernel) / self.stride + 1)
    }

    /// Numbers that a kernel looks at.
    fn looked_at(&self) -> usize {
        self.kernel * self.kernel * self.channels
    }

    /// Calls `each` with every piece of memory that a kernel looks at: where it lies in the pictures, where among what the
    /// kernels look at, and how long it is.
    fn pieces(&self, mut each: impl FnMut(usize, usize, usize)) {
        let [h, w] = self.places();
        let length = self.kernel * self.channels;
        let mut to = 0;
        for picture in 0..self.n {
            for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
                for row in 0..self.kernel {
                    let line = picture * self.height + y * self.stride + row;
                    each((line * self.width + x * self.stride) * self.channels, to, length);
                    to += length;
                }
            }
        }
    }
}

fn forward(x: &FlexTensor, sizes: Sizes) -> FlexTensor {
    let [h, w] = sizes.places();
    let mut out = vec![0.0; sizes.n * h * w * sizes.looked_at()];
    let x = x.storage::<f32>();
    sizes.pieces(|from, to, length| out[to..to + length].copy_from_slice(&x[from..from + length]));
    flat(out, &[sizes.n * h * w, sizes.looked_at()])
}

#[derive(Debug)]
struct Unfold;

impl Backward<Flex, 1> for Unfold {
    type State = Sizes;

    fn backward(self, ops: Ops<Sizes, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let sizes = ops.state;
        let above = grads.consume::<Flex>(&ops.node).to_contiguous();
        let [x] = ops.parents.map(|parent| parent.map(|node| node.id));
        register(grads, x, || {
            let above = above.storage::<f32>();
            let mut d = vec![0.0; sizes.n * sizes.height * sizes.width * sizes.channels];
            sizes.pieces(|from, to, length| {
                d[from..from + length].iter_mut().zip(&above[to..to + length]).for_each(|(d, g)| *d += g);
            });
            flat(d, &[sizes.n, sizes.height, sizes.width, sizes.channels])
        });
    }
}

/// What each kernel looks at, a row for each place of each picture.
fn unfold(x: Tensor<4>, kernel: usize, stride: usize, learning: bool) -> Tensor<2> {
    let [n, height, width, channels] = x.dims();
    let sizes = Sizes { n, height, width, channels, kernel, stride };
    if !learning || !x.is_autodiff() {
        return Tensor::from_primitive::<Flex>(forward(&plain(x), sizes));
    }
    let (x, node) = tracked(x);
    let out = forward(&x, sizes);
    let node = match Unfold.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(step) => step.finish(sizes, out),
        OpsKind::UnTracked(step) => step.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(node)
}
