//! Convolutions.

use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

use super::{Id, Init, Params, Tensor};

/// Square kernels over pictures `[rows, channels, height, width]`.
#[derive(Clone, Copy, Debug)]
pub struct Conv {
    weight: Id,
    bias: Id,
    kernel: usize,
    stride: usize,
    padding: usize,
}

impl Conv {
    /// Orthogonal kernels from and to so many channels.
    pub fn orthogonal(params: &mut Params, name: &str, [from, to]: [usize; 2], [kernel, stride]: [usize; 2]) -> Self {
        let init = Init::Orthogonal(std::f64::consts::SQRT_2);
        let weight = params.add(format!("{name}.weight"), &[to, from, kernel, kernel], init);
        let bias = params.add(format!("{name}.bias"), &[to], Init::Constant(0.0));
        Self { weight, bias, kernel, stride, padding: 0 }
    }

    /// The side of what comes out where `side` goes in; `None` if the kernel is larger.
    #[must_use]
    pub fn side(&self, side: usize) -> Option<usize> {
        Some((side + 2 * self.padding).checked_sub(self.kernel)? / self.stride + 1)
    }

    /// Of each picture.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<4>) -> Tensor<4> {
        let options = ConvOptions::new([self.stride; 2], [self.padding; 2], [1, 1], 1);
        conv2d(x, params.get(self.weight), Some(params.get(self.bias)), options)
    }
}
