//! Layers and optimisers.

use heldout_core::{Rng, Seed};

use super::near;
use crate::nn::{
    Adam, Attention, Block, Conv, Device, Gradients, Gru, Init, Linear, LnLstm, Lstm, Norm, Optimiser, Params, ResNet,
    Residual, RmsProp, Tensor, Then, clip, gumbel, tensor, values,
};

fn list(seed: u64) -> Params {
    let mut params = Params::new(Seed(seed), &Device::flex());
    Linear::torch(&mut params, "first", 9, 4);
    Linear::orthogonal(&mut params, "second", 4, 6, 0.5);
    params
}

#[test]
fn agents_check_01_a_seed_names_all_parameters_and_a_head_more_changes_none() {
    assert_eq!(list(1).sha256(), list(1).sha256());
    assert_ne!(list(1).sha256(), list(2).sha256());
    let mut more = list(1);
    Linear::torch(&mut more, "third", 6, 2);
    for (a, b) in list(1).entries().iter().zip(more.entries()) {
        assert_eq!((&a.name, a.values()), (&b.name, b.values()));
    }
}

#[test]
fn agents_check_01_initial_weights_follow_their_laws() {
    let params = list(3);
    let bound = 1.0 / 3.0;
    let uniform = [params.entries()[0].values(), params.entries()[1].values()].concat();
    assert!(uniform.iter().all(|x| x.abs() <= bound) && uniform.iter().any(|x| x.abs() > 0.8 * bound));
    for (rows, columns, gain) in [(4, 6, 0.5), (7, 3, 2.0), (5, 5, 1.0)] {
        let mut params = Params::new(Seed(rows as u64), &Device::flex());
        params.add("w", &[rows, columns], Init::Orthogonal(gain));
        let w = params.entries()[0].values();
        let few = rows.min(columns);
        for i in 0..few {
            for j in 0..few {
                let at = |a: usize, k: usize| if rows <= columns { w[a * columns + k] } else { w[k * columns + a] };
                let dot: f32 = (0..rows.max(columns)).map(|k| at(i, k) * at(j, k)).sum();
                let expected = if i == j { (gain * gain) as f32 } else { 0.0 };
                assert!((dot - expected).abs() < 1e-5, "{rows} x {columns}: {dot} at {i}, {j}");
            }
        }
    }
}

fn ones(params: &mut Params) {
    for i in 0..params.entries().len() {
        let bias = params.entries()[i].name.ends_with("bias");
        params.set(i, vec![if bias { 0.0 } else { 1.0 }; params.entries()[i].len()]);
    }
}

#[test]
fn agents_check_03_lstm_of_ones() {
    let device = Device::flex();
    let mut params = Params::new(Seed(0), &device);
    let lstm = Lstm::new(&mut params, "l", 1, 1, 0.0);
    ones(&mut params);
    let x = || tensor(vec![1.0, -1.0], [2, 1], &device);
    let zero = || tensor(vec![0.0, 0.0], [1, 2], &device);
    for keep in [[1.0, 1.0], [1.0, 0.0]] {
        let second = if keep[1] > 0.0 { [-0.000_187_5, -0.000_539_6] } else { [-0.054_328_1, -0.204_824_2] };
        let expected = [0.369_606_4, 0.556_769_9, second[0], second[1]];
        near(&values(lstm.forward(&params, x(), zero(), &keep)), &expected, 1e-6);
        near(&values(lstm.forward(&params.frozen(), x(), zero(), &keep)), &expected, 1e-6);
        near(&values(lstm.plain(&params, x(), zero(), &keep)), &expected, 1e-6);
    }
}

#[test]
fn agents_check_04_gru_of_ones_and_the_norm_of_four_numbers() {
    let device = Device::flex();
    let mut params = Params::new(Seed(0), &device);
    let gru = Gru::new(&mut params, "g", 1, 1);
    ones(&mut params);
    let x = tensor(vec![1.0, -1.0], [2, 1], &device);
    let zero = tensor(vec![0.0], [1, 1], &device);
    near(&values(gru.forward(&params, x.clone(), zero.clone(), &[1.0; 2])), &[0.204_824_2, -0.441_634_6], 1e-6);
    near(&values(gru.plain(&params, x, zero, &[1.0; 2])), &[0.204_824_2, -0.441_634_6], 1e-6);
    let mut params = Params::new(Seed(0), &device);
    let norm = Norm::new(&mut params, "n", 4);
    let x = tensor(vec![1.0, 2.0, 3.0, 4.0], [1, 4], &device);
    let expected = [-1.341_635_4, -0.447_211_8, 0.447_211_8, 1.341_635_4];
    near(&values(norm.forward(&params, x)), &expected, 1e-6);
}

/// Numbers between -1 and 1, as a parameter so that gradients are told.
pub(super) fn given(params: &mut Params, name: &str, shape: &[usize]) -> crate::nn::Id {
    params.add(name, shape, Init::Uniform(1.0))
}

/// A loss that no two outputs enter alike.
pub(super) fn loss(out: Tensor<3>, rng: &mut Rng) -> Tensor<1> {
    let shape = out.dims();
    let weights = (0..shape.iter().product()).map(|_| rng.unit() as f32 - 0.5).collect();
    (out * tensor(weights, shape, &Device::flex())).sum()
}

/// Outputs and gradients of both ways agree, whatever the sizes and wherever episodes begin.
fn agree(
    build: impl Fn(
        &mut Params,
        usize,
        usize,
    ) -> (usize, Box<dyn Fn(&Params, Tensor<2>, Tensor<2>, &[f32], bool) -> Tensor<3>>),
) {
    let device = Device::flex();
    let mut rng = Rng::new(Seed(5));
    for case in 0..12 {
        let (rows, copies) = (1 + rng.below(50) as usize, 1 + rng.below(33) as usize);
        let (inputs, hidden) = (1 + rng.below(20) as usize, 1 + rng.below(130) as usize);
        let mut params = Params::new(Seed(case), &device);
        let (size, run) = build(&mut params, inputs, hidden);
        let x = given(&mut params, "x", &[rows * copies, inputs]);
        let state = given(&mut params, "state", &[copies, size]);
        let keep: Vec<f32> = (0..rows * copies).map(|_| if rng.chance(0.2) { 0.0 } else { 1.0 }).collect();
        let both = [true, false].map(|fused| {
            let out = run(&params, params.get(x), params.get(state), &keep, fused);
            let numbers = values(out.clone());
            (numbers, params.gradients(&loss(out, &mut Rng::new(Seed(case)))))
        });
        near(&both[0].0, &both[1].0, 1e-5);
        for (i, (a, b)) in both[0].1.0.iter().zip(&both[1].1.0).enumerate() {
            let largest = b.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
            let worst = a.iter().zip(b).fold(0.0_f32, |m, (x, y)| m.max((x - y).abs()));
            let name = &params.entries()[i].name;
            assert!(worst <= 1e-5 * largest, "{name}: {worst} of {largest}, {rows} x {copies} x {hidden}");
        }
    }
}

#[test]
fn agents_check_05_the_fused_lstm_equals_the_plain_one() {
    agree(|params, inputs, hidden| {
        let lstm = Lstm::new(params, "l", inputs, hidden, 1.0);
        let run = move |params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32], fused: bool| {
            if fused { lstm.forward(params, x, state, keep) } else { lstm.plain(params, x, state, keep) }
        };
        (2 * hidden, Box::new(run))
    });
}

#[test]
fn agents_check_05_the_fused_gru_equals_the_plain_one() {
    agree(|params, inputs, hidden| {
        let gru = Gru::new(params, "g", inputs, hidden);
        let run = move |params: &Params, x: Tensor<2>, state: Tensor<2>, keep: &[f32], fused: bool| {
            if fused { gru.forward(params, x, state, keep) } else { gru.plain(params, x, state, keep) }
        };
        (hidden, Box::new(run))
    });
}

#[test]
fn agents_check_05_a_first_row_passes_no_gradient_to_rows_before_it() {
    let device = Device::flex();
    let mut params = Params::new(Seed(1), &device);
    let lstm = Lstm::new(&mut params, "l", 2, 3, 0.0);
    let gru = Gru::new(&mut params, "g", 2, 3);
    let x = given(&mut params, "x", &[4, 2]);
    let zero = |width: usize| tensor(vec![0.0; width], [1, width], &device);
    let keep = [1.0, 1.0, 0.0, 1.0];
    for out in
        [lstm.forward(&params, params.get(x), zero(6), &keep), gru.forward(&params, params.get(x), zero(3), &keep)]
    {
        let [_, _, width] = out.dims();
        let gradients = params.gradients(&out.slice([2..4, 0..1, 0..width]).sum());
        let of_x = gradients.0.last().expect("x was added last");
        assert!(of_x[..4].iter().all(|g| *g == 0.0) && of_x[4..].iter().all(|g| *g != 0.0), "{of_x:?}");
    }
}

const FOLLOWING: [Then; 3] = [Then::Nothing, Then::Relu, Then::LeakyRelu];

#[test]
fn agents_check_05_the_fused_linear_layer_equals_the_plain_one() {
    let device = Device::flex();
    let mut rng = Rng::new(Seed(7));
    for case in 0..9 {
        let [rows, inputs, outputs] = [300, 90, 70].map(|most| 1 + rng.below(most) as usize);
        let then = FOLLOWING[case % 3];
        let mut params = Params::new(Seed(case as u64), &device);
        let layer = Linear::torch(&mut params, "l", inputs, outputs);
        let x = given(&mut params, "x", &[rows, inputs]);
        let both = [true, false].map(|fused| {
            let x = params.get::<2>(x);
            let out = if fused { layer.then(&params, x, then) } else { layer.plain(&params, x, then) };
            let out = out.reshape([1, rows, outputs]);
            (values(out.clone()), params.gradients(&loss(out, &mut Rng::new(Seed(case as u64)))))
        });
        near(&both[0].0, &both[1].0, 1e-5);
        let frozen = params.frozen();
        near(&values(layer.then(&frozen, frozen.get(x), then)), &both[1].0, 1e-5);
        for (a, b) in both[0].1.0.iter().zip(&both[1].1.0) {
            near(a, b, 2e-5);
        }
    }
}

#[test]
fn agents_check_05_the_fused_convolution_equals_the_plain_one() {
    let device = Device::flex();
    let mut rng = Rng::new(Seed(6));
    for case in 0..12 {
        // More pictures than one thread takes at a time, too.
        let [n, from, to] = [20, 5, 6].map(|most| 1 + rng.below(most) as usize);
        let [kernel, stride] = [4, 3].map(|most| 1 + rng.below(most) as usize);
        let [height, width] = [9, 12].map(|most| kernel + rng.below(most) as usize);
        let mut params = Params::new(Seed(case), &device);
        let padding = rng.below(kernel as u32) as usize;
        let conv = Conv::torch(&mut params, "c", [from, to], [kernel, stride, padding]);
        let then = FOLLOWING[case as usize % 3];
        let x = given(&mut params, "x", &[n, height, width, from]);
        let both = [true, false].map(|products| {
            let x = params.get::<4>(x);
            let out = if products { conv.then(&params, x, then) } else { conv.plain(&params, x, then) };
            let [_, tall, wide, _] = out.dims();
            assert_eq!([Some(tall), Some(wide)], [height, width].map(|side| conv.side(side)));
            let out = out.reshape([n * tall, wide, to]);
            (values(out.clone()), params.gradients(&loss(out, &mut Rng::new(Seed(case)))))
        });
        near(&both[0].0, &both[1].0, 1e-5);
        for (a, b) in both[0].1.0.iter().zip(&both[1].1.0) {
            near(a, b, 2e-5);
        }
    }
}

#[test]
fn agents_check_20_optimisers_and_the_clip_of_norms() {
    let one = || {
        let mut params = Params::new(Seed(0), &Device::flex());
        params.add("x", &[1], Init::Constant(1.0));
        params
    };
    let run = |params: &mut Params, optimiser: &mut dyn Optimiser| {
        [0.5, -0.25].map(|g| {
            optimiser.step(params, &Gradients(vec![vec![g]]), 0.1);
            params.entries()[0].values()[0]
        })
    };
    let mut params = one();
    let mut adam = Adam::new(&params, 1e-8);
    near(&run(&mut params, &mut adam), &[0.9, 0.873_366_3], 1e-6);
    let mut params = one();
    let mut rms = RmsProp::new(&params, 0.1);
    near(&run(&mut params, &mut rms), &[0.952_163_5, 0.976_184_2], 1e-6);
    // The decay of AdamW shrinks the parameter itself, by a tenth of a tenth here, beside Adam's step.
    let mut params = one();
    let mut decayed = Adam::new(&params, 1e-8).with_decay(0.1);
    near(&run(&mut params, &mut decayed)[..1], &[0.9 - 0.01], 1e-6);

    let mut gradients = Gradients(vec![vec![3.0], vec![4.0]]);
    assert_eq!(clip(&mut gradients, 2.5), 5.0);
    near(&gradients.0.concat(), &[1.5, 2.0], 1e-6);
    assert_eq!(clip(&mut gradients, 2.5), 2.5);
    near(&gradients.0.concat(), &[1.5, 2.0], 0.0);
}

#[test]
fn agents_check_29_gradients_are_what_finite_differences_say() {
    let device = Device::flex();
    let mut rng = Rng::new(Seed(8));
    let mut params = Params::new(Seed(2), &device);
    let lstm = Lstm::new(&mut params, "l", 3, 5, 1.0);
    let gru = Gru::new(&mut params, "g", 3, 5);
    let x = given(&mut params, "x", &[4 * 2, 3]);
    let first = given(&mut params, "lstm state", &[2, 10]);
    let second = given(&mut params, "gru state", &[2, 5]);
    let keep = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let value = |params: &Params| {
        let a = lstm.forward(params, params.get(x), params.get(first), &keep);
        let b = gru.forward(params, params.get(x), params.get(second), &keep);
        loss(a, &mut Rng::new(Seed(3))) + loss(b, &mut Rng::new(Seed(4)))
    };
    let gradients = params.gradients(&value(&params));
    for _ in 0..3 {
        let direction: Vec<Vec<f32>> =
            gradients.0.iter().map(|g| g.iter().map(|_| rng.unit() as f32 - 0.5).collect()).collect();
        let told: f64 =
            gradients.0.iter().flatten().zip(direction.iter().flatten()).map(|(g, d)| f64::from(g * d)).sum();
        let step = 3e-3_f32;
        let at = |sign: f32| {
            let mut moved = params.clone();
            for (i, d) in direction.iter().enumerate() {
                let numbers = moved.entries()[i].values();
                moved.set(i, numbers.iter().zip(d).map(|(x, d)| x + sign * step * d).collect());
            }
            f64::from(values(value(&moved))[0])
        };
        let found = (at(1.0) - at(-1.0)) / f64::from(2.0 * step);
        assert!((found - told).abs() <= 0.01 * told.abs().max(0.05), "{found} is not {told}");
    }
}

/// The change of `value` along random directions, told by gradients and found by going there.
pub(super) fn differences(params: &Params, value: impl Fn(&Params) -> Tensor<1>) {
    let mut rng = Rng::new(Seed(9));
    let gradients = params.gradients(&value(params));
    for _ in 0..3 {
        let direction: Vec<Vec<f32>> =
            gradients.0.iter().map(|g| g.iter().map(|_| rng.unit() as f32 - 0.5).collect()).collect();
        let told: f64 =
            gradients.0.iter().flatten().zip(direction.iter().flatten()).map(|(g, d)| f64::from(g * d)).sum();
        // So short that hardly any number passes zero on the way, where its positive part has no gradient.
        let step = 4e-4_f32;
        let at = |sign: f32| {
            let mut moved = params.clone();
            for (i, d) in direction.iter().enumerate() {
                let numbers = moved.entries()[i].values();
                moved.set(i, numbers.iter().zip(d).map(|(x, d)| x + sign * step * d).collect());
            }
            f64::from(values(value(&moved))[0])
        };
        let found = (at(1.0) - at(-1.0)) / f64::from(2.0 * step);
        assert!((found - told).abs() <= 0.01 * told.abs().max(0.1), "{found} is not {told}");
    }
}

#[test]
fn agents_check_29_gradients_of_attention_of_the_normed_memory_and_of_residual_networks() {
    let device = Device::flex();
    let mut params = Params::new(Seed(3), &device);
    let block = Block::new(&mut params, "block", 8, 2);
    let x = given(&mut params, "x", &[3 * 4, 8]);
    differences(&params, |params| {
        loss(block.forward(params, params.get(x), 4).reshape([3, 4, 8]), &mut Rng::new(Seed(1)))
    });

    let mut params = Params::new(Seed(4), &device);
    let core = LnLstm::new(&mut params, "core", 3, 5);
    let x = given(&mut params, "x", &[4 * 2, 3]);
    let state = given(&mut params, "state", &[2, 10]);
    let keep = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    differences(&params, |params| {
        loss(core.forward(params, params.get(x), params.get(state), &keep), &mut Rng::new(Seed(2)))
    });

    let mut params = Params::new(Seed(5), &device);
    let residual = Residual::new(&mut params, "r", 3, false);
    let x = given(&mut params, "x", &[2, 5, 4, 3]);
    differences(&params, |params| {
        let x = params.get::<4>(x).powi_scalar(2) + 0.1;
        loss(residual.forward(params, x).reshape([2, 20, 3]), &mut Rng::new(Seed(3)))
    });
}

#[test]
fn agents_check_29_gradients_of_the_fused_layers() {
    let device = Device::flex();
    let mut params = Params::new(Seed(6), &device);
    let layer = Linear::torch(&mut params, "l", 7, 5);
    let x = given(&mut params, "x", &[9, 7]);
    differences(&params, |params| {
        let out = layer.then(params, params.get(x), Then::Nothing).powi_scalar(2);
        loss(out.reshape([1, 9, 5]), &mut Rng::new(Seed(1)))
    });
    // Of 18 pictures, so that what a group of them adds to the weights is summed.
    for [kernel, stride, padding] in [[3, 2, 1], [4, 4, 0], [1, 1, 0]] {
        let mut params = Params::new(Seed(7), &device);
        let conv = Conv::torch(&mut params, "c", [2, 3], [kernel, stride, padding]);
        let x = given(&mut params, "x", &[18, 8, 9, 2]);
        differences(&params, |params| {
            let out = conv.then(params, params.get(x), Then::Nothing).powi_scalar(2);
            let [n, tall, wide, to] = out.dims();
            loss(out.reshape([n * tall, wide, to]), &mut Rng::new(Seed(2)))
        });
    }
}

#[test]
fn agents_check_06_what_the_networks_of_pictures_leave() {
    let mut params = Params::new(Seed(0), &Device::flex());
    let mut leave = |sides: [usize; 2], layers: &[[usize; 3]]| {
        let mut left = Vec::new();
        for (i, &sizes) in layers.iter().enumerate() {
            let layer = Conv::torch(&mut params, &i.to_string(), [3, 3], sizes);
            let before = left.last().copied().unwrap_or(sides);
            left.push(before.map(|side| layer.side(side).unwrap()));
        }
        left
    };
    // HALMA's panels: without and with attention over what is left. lilGym's pictures.
    assert_eq!(leave([128, 128], &[[6, 4, 0], [6, 4, 0], [7, 1, 0]]), [[31, 31], [7, 7], [1, 1]]);
    assert_eq!(leave([128, 128], &[[4, 4, 0], [4, 4, 0], [3, 2, 1]]), [[32, 32], [8, 8], [4, 4]]);
    assert_eq!(leave([50, 190], &[[8, 4, 0], [4, 2, 0], [3, 1, 0]]), [[11, 46], [4, 22], [2, 20]]);
    let mut params = Params::new(Seed(0), &Device::flex());
    let large = ResNet::new(&mut params, "large", [72, 96], &[16, 32, 32], 256, false);
    assert_eq!(params.count(), 982_592);
    assert_eq!(large.sides(72, 96), [[36, 48], [18, 24], [9, 12]]);
    let mut params = Params::new(Seed(0), &Device::flex());
    let small = ResNet::new(&mut params, "small", [36, 48], &[8, 16, 16], 64, false);
    assert_eq!(small.sides(36, 48), [[18, 24], [9, 12], [5, 6]]);
    let x = tensor(vec![0.5; 2 * 36 * 48 * 3], [2, 36, 48, 3], params.device());
    assert_eq!(small.forward(&params, x).dims(), [2, 64]);
}

#[test]
fn what_a_picture_leaves_begins_with_mean_0_and_spread_1() {
    let mut params = Params::new(Seed(3), &Device::flex());
    let eye = ResNet::new(&mut params, "eye", [12, 16], &[2, 2], 5, true);
    let mut rng = Seed(4).rng();
    let shares = (0..40 * 12 * 16 * 3).map(|_| rng.unit() as f32).collect();
    let x = tensor(shares, [40, 12, 16, 3], params.device());
    let before: Vec<_> = params.entries().iter().map(crate::nn::Param::values).collect();
    // Residual parts add nothing at first, and nothing else does but biases.
    for (param, values) in params.entries().iter().zip(&before) {
        let nothing =
            param.name.ends_with("bias") || param.name.contains("residual") && param.name.ends_with("1.weight");
        assert_eq!(values.iter().all(|x| *x == 0.0), nothing, "{}", param.name);
    }
    // White is 0, of which nothing is left.
    let white = tensor(vec![1.0; 12 * 16 * 3], [1, 12, 16, 3], params.device());
    assert_eq!(values(eye.forward(&params, white)), [0.0; 5]);
    // A number that is the same for all pictures is left as it is.
    let wide = params.entries().iter().position(|p| p.name == "eye.join.weight").unwrap();
    let mut weight = before[wide].clone();
    weight.iter_mut().skip(4).step_by(5).for_each(|w| *w = 0.0);
    params.set(wide, weight);
    eye.centre(&mut params, x.clone());
    for (param, before) in params.entries().iter().zip(&before) {
        assert_eq!(param.values() != *before, param.name.contains("join"), "{}", param.name);
    }
    assert_eq!(params.entries()[wide + 1].values()[4], before[wide + 1][4]);
    // Once more, and nothing is left to be changed.
    let once: Vec<_> = params.entries()[wide..].iter().flat_map(crate::nn::Param::values).collect();
    eye.centre(&mut params, x.clone());
    let twice: Vec<_> = params.entries()[wide..].iter().flat_map(crate::nn::Param::values).collect();
    near(&twice, &once, 1e-4);
    // Cut at 0, a number of mean 0 leaves something of some pictures and nothing of others.
    let left = values(eye.forward(&params, x));
    for i in 0..4 {
        let some = left.iter().skip(i).step_by(5).filter(|x| **x > 0.0).count();
        assert!((5..=35).contains(&some), "{some} of 40 pictures leave number {i}");
    }
}

#[test]
fn agents_check_06_attention_knows_rows_by_what_they_hold() {
    let device = Device::flex();
    let count = |layers: usize| {
        let mut params = Params::new(Seed(1), &device);
        Attention::new(&mut params, "a", 16, 4, layers);
        params.count()
    };
    assert_eq!(count(1), count(4), "one block for all layers");
    let mut params = Params::new(Seed(1), &device);
    let attention = Attention::new(&mut params, "a", 16, 4, 4);
    let project = Linear::torch(&mut params, "in", 11 + 5, 16);
    let mut rng = Rng::new(Seed(2));
    let rows: Vec<Vec<f32>> = (0..11).map(|_| (0..5).map(|_| rng.unit() as f32).collect()).collect();
    // With the place of a row among its numbers, or without.
    let seen = |order: &[usize], indexed: bool| {
        let row = |(at, &which): (usize, &usize)| {
            let index = (0..11).map(move |i| if indexed && i == at { 1.0 } else { 0.0 });
            index.chain(rows[which].clone()).collect::<Vec<f32>>()
        };
        let x = tensor(order.iter().enumerate().flat_map(row).collect(), [11, 16], &device);
        values(attention.forward(&params, project.forward(&params, x), 11))
    };
    let (straight, turned) = ((0..11).collect::<Vec<_>>(), (0..11).rev().collect::<Vec<_>>());
    let apart = |indexed: bool| {
        let (a, b) = (seen(&straight, indexed), seen(&turned, indexed));
        a.iter().zip(&b).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()))
    };
    assert!(apart(false) < 1e-5 && apart(true) > 1e-3, "{} {}", apart(false), apart(true));
}

#[test]
fn a_pool_equals_the_librarys_own() {
    let device = Device::flex();
    let mut params = Params::new(Seed(6), &device);
    let x = given(&mut params, "x", &[9, 7, 6, 2]);
    let both = [true, false].map(|fused| {
        let out = crate::nn::pooled_both_ways(params.get(x), &params, fused);
        let [rows, tall, wide, channels] = out.dims();
        let out = out.reshape([rows * tall, wide, channels]);
        (values(out.clone()), params.gradients(&loss(out, &mut Rng::new(Seed(7)))))
    });
    near(&both[0].0, &both[1].0, 0.0);
    near(&both[0].1.0[0], &both[1].1.0[0], 1e-6);
}

#[test]
fn agents_check_07_a_choice_with_gumbels_noise() {
    let device = Device::flex();
    let mut rng = Rng::new(Seed(1));
    let logits = [0.0, libm::logf(2.0), libm::logf(3.0)];
    let draws = 100_000;
    let rows = tensor((0..draws).flat_map(|_| logits).collect(), [draws, 3], &device);
    let (choice, chosen) = gumbel::straight_through(rows, gumbel::noise(3 * draws, &mut rng), &device);
    for (row, &place) in values(choice).chunks_exact(3).zip(&chosen) {
        assert!((0..3).all(|c| row[c] == f32::from(u8::from(c == place))), "{row:?} is not one-hot");
    }
    for (place, share) in [1.0 / 6.0, 1.0 / 3.0, 0.5].into_iter().enumerate() {
        let found = chosen.iter().filter(|&&c| c == place).count() as f64 / draws as f64;
        let deviation = (share * (1.0 - share) / draws as f64).sqrt();
        assert!((found - share).abs() < 5.0 * deviation, "{place}: {found} is not {share}");
    }
    let mut params = Params::new(Seed(0), &device);
    let id = params.add("logits", &[1, 4], Init::Constant(0.0));
    let (choice, _) = gumbel::straight_through(params.get(id), vec![0.0; 4], &device);
    let first = choice.slice([0..1, 0..1]).sum();
    near(&params.gradients(&first).0[0], &[0.1875, -0.0625, -0.0625, -0.0625], 1e-6);
}

#[test]
fn agents_check_08_what_follows_the_end_of_an_option_is_constant() {
    let device = Device::flex();
    let mut params = Params::new(Seed(3), &device);
    let steps: Vec<_> = (0..4).map(|t| given(&mut params, &format!("logits {t}"), &[6, 4])).collect();
    let mut rng = Rng::new(Seed(4));
    let mut alive = vec![true; 6];
    let (mut tokens, mut lived) = (Vec::new(), Vec::new());
    for &id in &steps {
        // Small logits, so that options of all lengths come.
        let (choice, chosen) = gumbel::straight_through(params.get(id), gumbel::noise(24, &mut rng), &device);
        tokens.push(gumbel::while_alive(choice, &alive, &device));
        lived.push(alive.clone());
        alive.iter_mut().zip(&chosen).for_each(|(alive, &token)| *alive &= token != 0);
    }
    assert!(lived[1].contains(&false) && lived[3].contains(&true), "some ended early and some did not");
    for (token, alive) in tokens.iter().zip(&lived) {
        for (row, _) in values(token.clone()).chunks_exact(4).zip(alive).filter(|(_, alive)| !**alive) {
            assert_eq!(row, [1.0, 0.0, 0.0, 0.0]);
        }
    }
    // Any loss of all tokens: nothing reaches the logits of the dead, something those of the end itself.
    let together = Tensor::cat(tokens, 0).reshape([1, 24, 4]);
    let gradients = params.gradients(&loss(together, &mut Rng::new(Seed(5))));
    for (t, alive) in lived.iter().enumerate() {
        for (row, &alive) in gradients.0[t].chunks_exact(4).zip(alive) {
            assert_eq!(row.iter().any(|g| *g != 0.0), alive, "step {t}: {row:?}");
        }
    }
}
