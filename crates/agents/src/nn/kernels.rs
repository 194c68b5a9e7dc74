//! What the hand-written operations share: functions that compilers vectorise, and the way in and out of the library.

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::NodeGuard;
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::{Autodiff, Flex, TensorData};

use super::Tensor;

/// `e^x` to a few units of the last place, by the same instructions everywhere.
#[inline(always)]
#[allow(clippy::inline_always, reason = "the loops around it are vectorised only if it is part of them")]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 87.0);
    // Rounds to a whole number: no processor needs a function call for that.
    let k = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    // x - k ln 2, in two parts of which the first is exact.
    let r = x - k * 0.693_359_4 + k * 2.121_944_4e-4;
    let series = 0.5 + r * (0.166_666_65 + r * (0.041_665_795 + r * (0.008_333_452 + r * 0.001_398_2)));
    (1.0 + r * (1.0 + r * series)) * f32::from_bits((((k as i32) + 127) << 23) as u32)
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as above")]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as above")]
pub(super) fn tanh(x: f32) -> f32 {
    2.0 * sigmoid(2.0 * x) - 1.0
}

pub(super) fn flat(values: Vec<f32>, shape: &[usize]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape.to_vec()))
}

/// The product of `a` and `b`, both row after row.
pub(super) fn product(a: FlexTensor, b: FlexTensor) -> FlexTensor {
    Flex::float_matmul(a, b).to_contiguous()
}

/// Puts the gradient of an input where the library looks for it, if anything wants it.
pub(super) fn register(grads: &mut Gradients, parent: Option<NodeId>, gradient: impl FnOnce() -> FlexTensor) {
    if let Some(id) = parent {
        grads.register::<Flex>(id, gradient());
    }
}

/// The numbers of a tensor that no gradient follows.
pub(super) fn plain<const D: usize>(tensor: Tensor<D>) -> FlexTensor {
    let inner = tensor.inner().try_into_primitive::<Flex>();
    inner.expect("fused operations are for the processor's backend").to_contiguous()
}

/// The numbers of a tensor, and its place among those that gradients follow.
pub(super) fn tracked<const D: usize>(tensor: Tensor<D>) -> (FlexTensor, NodeGuard) {
    let found = tensor.autodiff().try_into_primitive::<Autodiff<Flex>>();
    let (value, node) = found.expect("fused operations are for the processor's backend").into_parts();
    (value.to_contiguous(), node)
}
