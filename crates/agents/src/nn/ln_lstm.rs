//! Long short-term memory with layer norms inside (Ba et al. 2016).

use super::{Id, Init, Norm, Params, Tensor, sigmoid, tanh};

/// Gates `i`, `f`, `g`, `o` from the normalised products of the input and of the last output; the cell is normalised where it is
/// put out.
#[derive(Clone, Debug)]
pub struct LnLstm {
    input: Id,
    recurrent: Id,
    bias: Id,
    norms: [Norm; 2],
    cell: Norm,
    /// Numbers of the output, and as many of the cell.
    pub hidden: usize,
}

impl LnLstm {
    /// With `torch`'s uniform weights; 1 is added to the bias of the gate that keeps the cell.
    pub fn new(params: &mut Params, name: &str, inputs: usize, hidden: usize) -> Self {
        let init = Init::Uniform(1.0 / (hidden as f64).sqrt());
        let input = params.add(format!("{name}.input"), &[inputs, 4 * hidden], init);
        let recurrent = params.add(format!("{name}.recurrent"), &[hidden, 4 * hidden], init);
        let bias = params.add(format!("{name}.bias"), &[4 * hidden], init);
        let index = params.entries().len() - 1;
        let mut numbers = params.entries()[index].values();
        numbers[hidden..2 * hidden].iter_mut().for_each(|b| *b += 1.0);
        params.set(index, numbers);
        let norms = [0, 1].map(|i| Norm::new(params, &format!("{name}.norm.{i}"), 4 * hidden));
        let cell = Norm::new(params, &format!("{name}.norm.cell"), hidden);
        Self { input, recurrent, bias, norms, cell, hidden }
    }

    /// Outputs and cells, `[rows, copies, 2 hidden]`, of `rows` steps of inputs `[rows * copies, …]` from `state`
    /// `[copies, 2 hidden]`; where `keep` is 0, the state before the step is zero.
    #[must_use]
    pub fn forward(&self, params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32]) -> Tensor<3> {
        let [copies, _] = state.dims();
        let (rows, n) = (keep.len() / copies, self.hidden);
        let [mut h, mut c] = [0, 1].map(|part| state.clone().slice([0..copies, part * n..(part + 1) * n]));
        let inputs = self.norms[0].forward(params, x.matmul(params.get(self.input)))
            + params.get::<1>(self.bias).reshape([1, 4 * n]);
        let recurrent = params.get::<2>(self.recurrent);
        // One piece a step: a slice of the whole would be as large again, backwards.
        let steps = inputs.reshape([rows, copies, 4 * n]).chunk(rows, 0);
        let mut out = Vec::with_capacity(rows);
        for (t, step) in steps.into_iter().enumerate() {
            let keep = super::tensor(keep[t * copies..(t + 1) * copies].to_vec(), [copies, 1], params.device());
            (h, c) = (h * keep.clone(), c * keep);
            let own = self.norms[1].forward(params, h.matmul(recurrent.clone()));
            let gates = step.reshape([copies, 4 * n]) + own;
            let gate = |i: usize| gates.clone().slice([0..copies, i * n..(i + 1) * n]);
            c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
            h = sigmoid(gate(3)) * tanh(self.cell.forward(params, c.clone()));
            out.push(Tensor::cat(vec![h.clone(), c.clone()], 1).reshape([1, copies, 2 * n]));
        }
        Tensor::cat(out, 0)
    }
}
