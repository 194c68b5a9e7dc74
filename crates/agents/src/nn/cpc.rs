//! Contrastive predictive coding (van den Oord et al. 2018): what the core puts out tells apart what comes some rows later from
//! what comes at other times of the same episode.

use super::{Id, Init, Params, Tensor, log_softmax, pick, tensor};

/// What stands for minus infinity among scores, so that gradients stay numbers.
const NEVER: f32 = -1e9;

/// A product for each number of rows ahead.
#[derive(Clone, Copy, Debug)]
pub struct Cpc {
    weight: Id,
    steps: usize,
    seen: usize,
}

impl Cpc {
    /// From outputs of `hidden` numbers to what is `seen` up to `steps` rows later; zero at first, so that all are as likely.
    pub fn new(params: &mut Params, name: &str, steps: usize, seen: usize, hidden: usize) -> Self {
        let weight = params.add(format!("{name}.weight"), &[hidden, steps * seen], Init::Constant(0.0));
        Self { weight, steps, seen }
    }

    /// The mean loss over all rows and all numbers of rows ahead that stay within the episode; `None` if there are none.
    ///
    /// `seen` and `out` are `[rows * copies, …]`. `episode` tells rows of one episode from those of others, `valid` those that are
    /// rows of play.
    #[must_use]
    pub fn loss(
        &self,
        params: &Params,
        seen: Tensor<2>,
        out: Tensor<2>,
        copies: usize,
        (episode, valid): (&[u32], &[bool]),
    ) -> Option<Tensor<1>> {
        let rows = valid.len() / copies;
        let (n, e) = (self.steps, self.seen);
        let at = |row: usize, copy: usize| row * copies + copy;
        let same = |copy: usize, a: usize, b: usize| {
            valid[at(a, copy)] && valid[at(b, copy)] && episode[at(a, copy)] == episode[at(b, copy)]
        };
        let (mut shut, mut true_one, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for copy in 0..copies {
            for (row, ahead) in (0..rows).flat_map(|row| (1..=n).map(move |ahead| (row, ahead))) {
                let here = row + ahead < rows && same(copy, row, row + ahead);
                let open = |j: usize| !here || (j >= ahead && same(copy, row, j));
                shut.extend((0..rows).map(|j| if open(j) { 0.0 } else { NEVER }));
                true_one.push(if here { (row + ahead) as i64 } else { 0 });
                counts.push(f32::from(u8::from(here)));
            }
        }
        let total: f32 = counts.iter().sum();
        if total == 0.0 {
            return None;
        }
        let device = params.device();
        let pairs = copies * rows * n;
        let told = out.matmul(params.get(self.weight)).reshape([rows, copies, n * e]);
        let told = told.swap_dims(0, 1).reshape([copies, rows * n, e]);
        let seen = seen.reshape([rows, copies, e]).permute([1, 2, 0]);
        let scores = told.matmul(seen).reshape([pairs, rows]) + tensor(shut, [pairs, rows], device);
        let chosen = pick(log_softmax(scores), true_one, device);
        Some((chosen * tensor(counts, [pairs], device)).sum() * (-1.0 / total))
    }
}
