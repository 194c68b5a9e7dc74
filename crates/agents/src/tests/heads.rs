//! Actions from numbers.

use heldout_core::{Rng, Seed};

use super::near;
use crate::nn::{Device, Init, Params, tensor, values};
use crate::parts::heads::{Factored, Head};

fn head() -> Head {
    Head::Components(vec![3])
}

#[test]
fn agents_check_09_what_is_not_legal_has_no_probability_and_no_gradient() {
    let device = Device::flex();
    let mut params = Params::new(Seed(0), &device);
    let x = params.add("logits", &[2, 3], Init::Constant(0.0));
    params.set(0, vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let legal = [true, false, true, true, false, true];
    let [log_p, entropy] = head().evaluate(&params.get(x), &legal, &[0, 2], &device);
    let p: Vec<f32> = values(log_p.clone()).into_iter().map(libm::expf).collect();
    near(&p, &[0.119_202_9, 0.880_797_1], 1e-6);
    near(&values(entropy.clone()), &[0.365_333_9; 2], 1e-5);
    let gradients = params.gradients(&(log_p.sum() + entropy.sum()));
    assert_eq!([gradients.0[0][1], gradients.0[0][4]], [0.0; 2]);
    assert!(gradients.0[0][0] != 0.0);

    let mut rng = Rng::new(Seed(1));
    let mut counts = [0_u32; 3];
    for _ in 0..100_000 {
        let mut action = [0];
        let chosen = head().choose(&[1.0, 2.0, 3.0], Some(&legal[..3]), Some(&mut rng), &mut action);
        counts[action[0] as usize] += 1;
        near(&[libm::expf(chosen.log_prob)], &[p[action[0] as usize / 2]], 1e-5);
    }
    let deviation = (100_000.0 * 0.1192 * 0.8808_f64).sqrt();
    assert_eq!(counts[1], 0);
    assert!((f64::from(counts[0]) - 11_920.29).abs() < 5.0 * deviation, "{counts:?}");
    let mut action = [0];
    head().choose(&[1.0, 9.0, 3.0], Some(&legal[..3]), None, &mut action);
    assert_eq!(action, [2], "the likeliest of what is legal");
}

#[test]
fn components_are_chosen_apart_and_their_logarithms_add() {
    let head = Head::Components(vec![2, 3]);
    let device = Device::flex();
    let logits = tensor(vec![0.0; 5], [1, 5], &device);
    let [log_p, entropy] = head.evaluate(&logits, &[], &[1, 2], &device);
    near(&values(log_p), &[-libm::logf(6.0)], 1e-6);
    near(&values(entropy), &[libm::logf(6.0)], 1e-6);
    let mut action = [0, 0];
    head.choose(&[0.0, 1.0, 0.0, 0.0, 1.0], None, None, &mut action);
    assert_eq!(action, [1, 2]);
}

/// The logarithm of each action's probability by a row of zeros, and the entropy.
fn uniform(factored: &Factored) -> (Vec<f32>, f32) {
    let (head, device, n) = (Head::Factored(factored.clone()), Device::flex(), factored.ids());
    let logits = tensor(vec![0.0; n * head.logits()], [n, head.logits()], &device);
    let actions: Vec<i32> = (0..n as i32).collect();
    let [log_p, entropy] = head.evaluate(&logits, &[], &actions, &device);
    (values(log_p), values(entropy)[0])
}

#[test]
fn agents_check_10_the_factored_head_of_lilgym() {
    let (tower, scatter) = (Factored::tower(), Factored::scatter(19, 5));
    assert_eq!([tower.ids(), scatter.ids()], [13, 2_661]);
    assert_eq!(
        [Factored::of(13), Factored::of(2_661), Factored::of(14)],
        [Some(tower.clone()), Some(scatter.clone()), None]
    );
    let ln3 = libm::logf(3.0);
    let (log_p, entropy) = uniform(&tower);
    near(&[log_p[0], log_p[10], log_p[1]], &[-ln3, -2.0 * ln3, -3.0 * ln3], 1e-5);
    near(&[entropy], &[2.197_224_6], 1e-5);
    let (all, spread) = uniform(&scatter);
    near(&[spread], &[5.233_142_5], 1e-5);
    for log_p in [log_p, all] {
        near(&[log_p.iter().map(|l| libm::expf(*l)).sum()], &[1.0], 1e-4);
    }
    for factored in [tower, scatter] {
        for id in 0..factored.ids() {
            assert_eq!(factored.id(&factored.factors(id)), id);
        }
    }
}

#[test]
fn agents_check_10_the_likeliest_action_takes_each_factors_likeliest() {
    let head = Head::Factored(Factored::tower());
    let mut action = [0];
    // Add, at box 2, colour 1: 1 + 3 * 2 + 1.
    let chosen = head.choose(&[0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0], None, None, &mut action);
    assert_eq!(action, [8]);
    assert!(chosen.log_first < chosen.log_prob.max(-1.0), "stopping was less likely than adding");
    head.choose(&[0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0], None, None, &mut action);
    assert_eq!(action, [12], "remove from box 2");
}
