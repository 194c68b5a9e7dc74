//! Attention between the rows of a set.

use super::{Linear, Norm, Params, Tensor, Then, softmax};

/// One block of attention and of a small network, each followed by a norm of its sum with what it was given.
#[derive(Clone, Debug)]
pub struct Block {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    inner: [Linear; 2],
    norms: [Norm; 2],
    heads: usize,
    width: usize,
}

impl Block {
    /// Of rows of `width` numbers, in so many heads.
    pub fn new(params: &mut Params, name: &str, width: usize, heads: usize) -> Self {
        let mut linear = |part: &str| Linear::torch(params, &format!("{name}.{part}"), width, width);
        let [query, key, value, out] = ["query", "key", "value", "out"].map(&mut linear);
        let inner = ["inner.0", "inner.1"].map(&mut linear);
        let norms = ["norm.0", "norm.1"].map(|part| Norm::new(params, &format!("{name}.{part}"), width));
        Self { query, key, value, out, inner, norms, heads, width }
    }

    /// Of each set of `tokens` rows among `x` `[sets * tokens, width]`.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>, tokens: usize) -> Tensor<2> {
        let [rows, width] = x.dims();
        let (sets, own) = (rows / tokens, width / self.heads);
        let split = |layer: &Linear| -> Tensor<4> {
            let y = layer.forward(params, x.clone());
            y.reshape([sets, tokens, self.heads, own]).swap_dims(1, 2)
        };
        let scores = split(&self.query).matmul(split(&self.key).swap_dims(2, 3)) / (own as f32).sqrt();
        let shares = softmax(scores);
        let seen = shares.matmul(split(&self.value)).swap_dims(1, 2).reshape([rows, self.width]);
        let x = self.norms[0].forward(params, x + self.out.forward(params, seen));
        let inner = self.inner[1].forward(params, self.inner[0].then(params, x.clone(), Then::Relu));
        self.norms[1].forward(params, x + inner)
    }
}

/// The same block several times over, and of each set what is largest in any of its rows.
#[derive(Clone, Debug)]
pub struct Attention {
    block: Block,
    layers: usize,
}

impl Attention {
    /// `layers` times one block.
    pub fn new(params: &mut Params, name: &str, width: usize, heads: usize, layers: usize) -> Self {
        Self { block: Block::new(params, name, width, heads), layers }
    }

    /// `[sets, width]` of `x` `[sets * tokens, width]`.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>, tokens: usize) -> Tensor<2> {
        let x = (0..self.layers).fold(x, |x, _| self.block.forward(params, x, tokens));
        let [rows, width] = x.dims();
        x.reshape([rows / tokens, tokens, width]).max_dim(1).reshape([rows / tokens, width])
    }
}
