//! From a vector back to a picture, as the Memory Recall Agent's reconstruction has it.

use super::{Conv, Linear, Params, Residual, Tensor, Then, ints};

/// A layer to the smallest picture, then residual parts, twice the sides and a convolution, again and again.
#[derive(Clone, Debug)]
pub struct Rebuild {
    first: Linear,
    sections: Vec<([Residual; 2], Conv)>,
    /// The sides of the picture before each section, and of the last.
    sides: Vec<[usize; 2]>,
    channels: usize,
}

impl Rebuild {
    /// From `inputs` numbers to logits of a picture of `height` x `width` with three colours, by sections of these channels.
    pub fn new(
        params: &mut Params,
        name: &str,
        inputs: usize,
        [height, width]: [usize; 2],
        channels: &[usize],
    ) -> Self {
        let mut sides = vec![[height, width]];
        for _ in channels {
            let [h, w] = sides[sides.len() - 1];
            sides.push([h.div_ceil(2), w.div_ceil(2)]);
        }
        sides.reverse();
        let [h, w] = sides[0];
        let first = Linear::torch(params, &format!("{name}.first"), inputs, h * w * channels[0]);
        let sections = channels
            .iter()
            .enumerate()
            .map(|(i, &from)| {
                let to = channels.get(i + 1).copied().unwrap_or(3);
                let residual = [0, 1].map(|r| Residual::new(params, &format!("{name}.{i}.residual.{r}"), from, false));
                (residual, Conv::torch(params, &format!("{name}.{i}.conv"), [from, to], [3, 1, 1]))
            })
            .collect();
        Self { first, sections, sides, channels: channels[0] }
    }

    /// Logits `[rows, height, width, 3]`.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<4> {
        let [rows, _] = x.dims();
        let [h, w] = self.sides[0];
        let mut x = self.first.then(params, x, Then::Nothing).reshape([rows, h, w, self.channels]);
        for ((residual, conv), &[h, w]) in self.sections.iter().zip(&self.sides[1..]) {
            x = residual.iter().fold(x, |x, part| part.forward(params, x));
            // Every place twice, as far as the larger picture goes.
            let twice = |side: usize| ints((0..side).map(|i| (i / 2) as i64).collect(), [side], params.device());
            x = conv.forward(params, x.select(1, twice(h)).select(2, twice(w)));
        }
        x
    }
}
