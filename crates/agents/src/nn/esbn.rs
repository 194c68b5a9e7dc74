//! The emergent symbol binding network (Webb et al. 2021), as the code that was released with S2B has it.
//!
//! What is seen is written down beside a key that the controller chooses, and what was seen alike finds the key again.

use super::past::by_copy;
use super::{Device, Id, Init, Linear, Lstm, Params, Past, Tensor, sigmoid, softmax, tensor};

/// Widths of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EsbnSizes {
    /// Numbers of what is seen.
    pub inputs: usize,
    /// Numbers of the controller, and of a key.
    pub controller: usize,
    /// Numbers of the memory after it.
    pub core: usize,
    /// Numbers that come out.
    pub out: usize,
}

/// The network.
#[derive(Clone, Debug)]
pub struct Esbn {
    controller: Lstm,
    key: Linear,
    gate: Linear,
    /// What a likeness is multiplied by, and what is added, where it becomes a confidence.
    gain: Id,
    shift: Id,
    core: Lstm,
    out: Linear,
    sizes: EsbnSizes,
}

/// What it says of some rows.
pub struct EsbnOut {
    /// What came out, `[rows * copies, out]`.
    pub out: Tensor<2>,
    /// Controller and what was read, `[rows * copies, …]`.
    pub beside: Tensor<2>,
    /// The state after each row, `[rows, copies, state]`.
    pub states: Tensor<3>,
    /// What each row wrote, `[rows, copies, slot]`.
    pub columns: Tensor<3>,
}

/// How much each row reads of each slot, slot 0 being the empty one, and how sure it is.
pub(crate) struct Likeness {
    /// `[copies, rows, 1 + slots]`.
    pub(crate) weights: Tensor<3>,
    /// `[copies, rows, 1]`.
    pub(crate) confidence: Tensor<3>,
}

/// Of rows `[copies, rows, width]` to slots `[copies, slots, width]`, of which each may read the `open` ones and an empty one;
/// nothing is read where none is open.
pub(crate) fn likeness(
    rows: Tensor<3>,
    slots: Tensor<3>,
    open: &[bool],
    [gain, shift]: [Tensor<1>; 2],
    device: &Device,
) -> Likeness {
    let [copies, count, width] = rows.dims();
    let [_, many, _] = slots.dims();
    let empty = tensor(vec![0.0; copies * width], [copies, 1, width], device);
    let likes = rows.matmul(Tensor::cat(vec![empty, slots], 1).swap_dims(1, 2));
    let (mut closed, mut some) = (Vec::new(), Vec::new());
    for row in open.chunks_exact(many) {
        closed.push(0.0);
        closed.extend(row.iter().map(|&open| if open { 0.0 } else { -1e9 }));
        some.push(f32::from(u8::from(row.contains(&true))));
    }
    let some = tensor(some, [copies, count, 1], device);
    let weights = softmax(likes.clone() + tensor(closed, [copies, count, 1 + many], device)) * some;
    let sure = sigmoid(likes * gain.reshape([1, 1, 1]) + shift.reshape([1, 1, 1]));
    Likeness { confidence: (sure * weights.clone()).sum_dim(2), weights }
}

impl Esbn {
    /// With `torch`'s uniform weights.
    pub fn new(params: &mut Params, name: &str, sizes: EsbnSizes) -> Self {
        let EsbnSizes { inputs, controller, core, out } = sizes;
        let read = controller + 1;
        Self {
            controller: Lstm::new(params, &format!("{name}.controller"), inputs + read, controller, 0.0),
            key: Linear::torch(params, &format!("{name}.key"), controller, controller),
            gate: Linear::torch(params, &format!("{name}.gate"), controller, 1),
            gain: params.add(format!("{name}.gain"), &[1], Init::Constant(1.0)),
            shift: params.add(format!("{name}.shift"), &[1], Init::Constant(0.0)),
            core: Lstm::new(params, &format!("{name}.core"), inputs + controller + read, core, 0.0),
            out: Linear::torch(params, &format!("{name}.out"), core, out),
            sizes,
        }
    }

    /// Numbers of a copy's state: controller, what was read last, the memory after it.
    #[must_use]
    pub fn state(&self) -> usize {
        3 * self.sizes.controller + 1 + 2 * self.sizes.core
    }

    /// Numbers of a slot: a key and what was seen.
    #[must_use]
    pub fn slot(&self) -> usize {
        self.sizes.controller + self.sizes.inputs
    }

    /// Numbers of what is beside what comes out: the controller and what was read.
    #[must_use]
    pub fn beside(&self) -> usize {
        2 * self.sizes.controller + 1
    }

    /// Of rows `z` `[rows * copies, inputs]` from `state` `[copies, state]` and what was written before; where `keep` is 0 an
    /// episode begins.
    #[must_use]
    pub fn forward(&self, params: &Params, z: Tensor<2>, state: Tensor<2>, past: &Past, keep: &[f32]) -> EsbnOut {
        let EsbnSizes { inputs, controller: h, core, .. } = self.sizes;
        let (k, device) = (h, params.device());
        let [copies, _] = state.dims();
        let rows = keep.len() / copies;
        let own = by_copy(z.clone(), copies);
        let slots = Tensor::cat(past.columns(k..k + inputs, device).into_iter().chain([own.clone()]).collect(), 1);
        let open = past.open(keep, false);
        let like = likeness(own, slots, &open, [self.gain, self.shift].map(|id| params.get(id)), device);
        let part = |from: usize, to: usize| state.clone().slice([0..copies, from..to]);
        let (mut control, mut read) = (part(0, 2 * h), part(2 * h, 3 * h + 1));
        // Pieces by step: a slice of the whole would be as large again, backwards.
        let weights = like.weights.chunk(rows, 1);
        let confidence = like.confidence.chunk(rows, 1);
        let steps = z.clone().chunk(rows, 0);
        let mut keys: Vec<Tensor<3>> = past.columns(0..k, device).into_iter().collect();
        let (mut controls, mut reads, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for (t, z) in steps.into_iter().enumerate() {
            let keep = &keep[t * copies..][..copies];
            if keep.contains(&0.0) {
                read = read * tensor(keep.to_vec(), [copies, 1], device);
            }
            let both = self.controller.forward(params, Tensor::cat(vec![z, read], 1), control, keep);
            control = both.clone().reshape([copies, 2 * h]);
            let out = control.clone().slice([0..copies, 0..h]);
            let count = past.most() + t;
            // The key of the empty slot is zero.
            let found = if count == 0 {
                tensor(vec![0.0; copies * k], [copies, k], device)
            } else {
                let all = if keys.len() == 1 { keys[0].clone() } else { Tensor::cat(keys.clone(), 1) };
                keys = vec![all.clone()];
                let own = weights[t].clone().slice([0..copies, 0..1, 1..1 + count]);
                own.matmul(all).reshape([copies, k])
            };
            let gate = sigmoid(self.gate.forward(params, out.clone()));
            read = Tensor::cat(vec![found, confidence[t].clone().reshape([copies, 1])], 1) * gate;
            let key = self.key.forward(params, out);
            keys.push(key.clone().reshape([copies, 1, k]));
            controls.push(both);
            reads.push(read.clone());
            written.push(key);
        }
        let controls = Tensor::cat(controls, 0);
        let reads = Tensor::cat(reads, 0);
        let outs = controls.clone().slice([0..rows, 0..copies, 0..h]).reshape([rows * copies, h]);
        let beside = Tensor::cat(vec![outs, reads.clone()], 1);
        let begin = 3 * h + 1;
        let after = self.core.forward(
            params,
            Tensor::cat(vec![z.clone(), beside.clone()], 1),
            part(begin, begin + 2 * core),
            keep,
        );
        let x = after.clone().slice([0..rows, 0..copies, 0..core]).reshape([rows * copies, core]);
        let reads = reads.reshape([rows, copies, k + 1]);
        let columns = Tensor::cat(vec![Tensor::cat(written, 0), z], 1).reshape([rows, copies, k + inputs]);
        EsbnOut {
            out: self.out.forward(params, x),
            beside,
            states: Tensor::cat(vec![controls, reads, after], 2),
            columns,
        }
    }
}
