//! Layer normalisation.

use super::{Id, Init, Params, Tensor};

/// Brings each row to mean 0 and variance 1, then scales and shifts it.
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    scale: Id,
    shift: Id,
    width: usize,
}

impl Norm {
    /// What is added to the variance.
    pub const EPSILON: f64 = 1e-5;

    /// Of rows of `width`.
    pub fn new(params: &mut Params, name: &str, width: usize) -> Self {
        let scale = params.add(format!("{name}.scale"), &[width], Init::Constant(1.0));
        let shift = params.add(format!("{name}.shift"), &[width], Init::Constant(0.0));
        Self { scale, shift, width }
    }

    /// Of each row.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        let centred = x.clone() - x.mean_dim(1);
        let variance = centred.clone().powi_scalar(2).mean_dim(1);
        let row = |id| params.get::<1>(id).reshape([1, self.width]);
        centred / (variance + Self::EPSILON).sqrt() * row(self.scale) + row(self.shift)
    }
}
