//! Layers without memory that mix all of their input.

use super::affine::affine;
use super::{Id, Init, Ints, Params, Tensor, Then, leaky_relu, relu};

/// `x W + b`.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    weight: Id,
    bias: Id,
    /// Numbers in.
    pub inputs: usize,
    /// Numbers out.
    pub outputs: usize,
}

impl Linear {
    /// With weights and biases uniform within `1 / sqrt(inputs)`.
    pub fn torch(params: &mut Params, name: &str, inputs: usize, outputs: usize) -> Self {
        let init = Init::Uniform(1.0 / (inputs as f64).sqrt());
        Self::new(params, name, [inputs, outputs], [init, init])
    }

    /// With orthogonal weights of length `gain` and without bias at first.
    pub fn orthogonal(params: &mut Params, name: &str, inputs: usize, outputs: usize, gain: f64) -> Self {
        Self::new(params, name, [inputs, outputs], [Init::Orthogonal(gain), Init::Constant(0.0)])
    }

    /// With weights and biases that begin so.
    pub fn new(params: &mut Params, name: &str, [inputs, outputs]: [usize; 2], init: [Init; 2]) -> Self {
        let weight = params.add(format!("{name}.weight"), &[inputs, outputs], init[0]);
        let bias = params.add(format!("{name}.bias"), &[outputs], init[1]);
        Self { weight, bias, inputs, outputs }
    }

    /// Changes the weights so that each number of what it leaves, of which these are some rows, has mean 0 and spread 1. One that
    /// is the same in all rows is left as it is.
    pub fn centre(&self, params: &mut Params, left: &[f32]) {
        let of = |params: &Params, id: Id| params.entries()[id.index()].values();
        let (weights, biases) = (of(params, self.weight), of(params, self.bias));
        let (numbers, rows) = (biases.len(), left.len() / biases.len());
        let moments: Vec<[f64; 2]> = (0..numbers)
            .map(|i| {
                let own = || left.iter().skip(i).step_by(numbers).map(|&x| f64::from(x));
                let middle = own().sum::<f64>() / rows as f64;
                let spread = (own().map(|x| (x - middle) * (x - middle)).sum::<f64>() / rows as f64).sqrt();
                if spread > 1e-6 { [middle, spread] } else { [0.0, 1.0] }
            })
            .collect();
        let scaled = |(x, [_, spread]): (f32, &[f64; 2])| (f64::from(x) / spread) as f32;
        let moved = |(x, [middle, spread]): (f32, &[f64; 2])| ((f64::from(x) - middle) / spread) as f32;
        params.set(self.weight.index(), weights.into_iter().zip(moments.iter().cycle()).map(scaled).collect());
        params.set(self.bias.index(), biases.into_iter().zip(&moments).map(moved).collect());
    }

    /// Of each row.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        self.then(params, x, Then::Nothing)
    }

    /// Of each row, and what follows.
    #[must_use]
    pub fn then(&self, params: &Params, x: Tensor<2>, then: Then) -> Tensor<2> {
        if !params.device().fuses() {
            return self.plain(params, x, then);
        }
        affine(x, params.get(self.weight), params.get(self.bias), then, params.learning())
    }

    /// The same from the library's own operations.
    #[must_use]
    pub fn plain(&self, params: &Params, x: Tensor<2>, then: Then) -> Tensor<2> {
        let sums = x.matmul(params.get(self.weight)) + params.get::<1>(self.bias).reshape([1, self.outputs]);
        match then {
            Then::Nothing => sums,
            Then::Relu => relu(sums),
            Then::LeakyRelu => leaky_relu(sums),
        }
    }
}

/// Linear layers, each followed by its positive part.
#[derive(Clone, Debug)]
pub struct Mlp(Vec<Linear>);

impl Mlp {
    /// Layers of these widths, orthogonal.
    pub fn orthogonal(params: &mut Params, name: &str, inputs: usize, widths: &[usize]) -> Self {
        Self::by(inputs, widths, |i, from, to| {
            Linear::orthogonal(params, &format!("{name}.{i}"), from, to, std::f64::consts::SQRT_2)
        })
    }

    /// Layers of these widths, uniform.
    pub fn torch(params: &mut Params, name: &str, inputs: usize, widths: &[usize]) -> Self {
        Self::by(inputs, widths, |i, from, to| Linear::torch(params, &format!("{name}.{i}"), from, to))
    }

    fn by(inputs: usize, widths: &[usize], mut make: impl FnMut(usize, usize, usize) -> Linear) -> Self {
        let from = std::iter::once(inputs).chain(widths.iter().copied());
        Self(from.zip(widths).enumerate().map(|(i, (from, &to))| make(i, from, to)).collect())
    }

    /// Of each row.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        self.0.iter().fold(x, |x, layer| layer.then(params, x, Then::Relu))
    }

    /// Numbers out.
    ///
    /// # Panics
    ///
    /// If it has no layer.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.0.last().expect("a layer at least").outputs
    }
}

/// A vector for each of some symbols.
#[derive(Clone, Copy, Debug)]
pub struct Embedding {
    table: Id,
    width: usize,
}

impl Embedding {
    /// Gaussian vectors.
    pub fn new(params: &mut Params, name: &str, symbols: usize, width: usize) -> Self {
        Self { table: params.add(format!("{name}.weight"), &[symbols, width], Init::Normal(1.0)), width }
    }

    /// The vectors of these symbols.
    #[must_use]
    pub fn forward(&self, params: &Params, symbols: Ints<1>) -> Tensor<2> {
        params.get::<2>(self.table).select(0, symbols)
    }

    /// All vectors, one a row.
    #[must_use]
    pub fn table(&self, params: &Params) -> Tensor<2> {
        params.get(self.table)
    }

    /// Numbers of a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }
}
