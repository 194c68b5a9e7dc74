//! What is learnt towards.

use super::near;
use crate::nn::{Device, Init, Params, tensor, values};
use crate::parts::events::{crc32c, masked};
use crate::parts::schedule::linear;
use crate::parts::targets::{clipped_loss, clipped_value_loss, gae, standardise};
use heldout_core::Seed;

#[test]
fn agents_check_12_advantages() {
    let discounts = [0.9; 3];
    let found = gae(1, &[1.0, 0.0, 2.0], &discounts, &[true; 3], &[0.5, 1.0, -0.5, 2.0], 0.8);
    near(&found, &[2.585_12, 1.646, 4.3], 1e-5);
}

#[test]
fn agents_check_13_an_invalid_action_is_worth_nothing_more_and_a_time_limit_what_its_last_row_is_worth() {
    let found = gae(1, &[-0.1, -1.0, 1.0], &[0.99, 0.0, 0.0], &[true; 3], &[0.2, 0.1, 0.4, 7.0], 0.95);
    near(&found, &[-1.235_55, -1.1, 0.6], 1e-5);
    // Row 1 is the last of an episode that was cut at step 0: it is no step, and its value is what step 0 goes on to.
    let found = gae(1, &[1.0, 9.0, 2.0], &[0.9, 0.0, 0.9], &[true, false, true], &[0.5, 1.0, -0.5, 2.0], 0.8);
    near(&found, &[1.0 + 0.9 - 0.5, 0.0, 2.0 + 1.8 + 0.5], 1e-5);
}

#[test]
fn advantages_of_several_copies_do_not_mix() {
    let alone = gae(1, &[1.0, 2.0], &[0.9, 0.9], &[true; 2], &[0.1, 0.2, 0.3], 0.8);
    let other = gae(1, &[5.0, 6.0], &[0.5, 0.0], &[true; 2], &[0.4, 0.5, 0.6], 0.8);
    let both = gae(2, &[1.0, 5.0, 2.0, 6.0], &[0.9, 0.5, 0.9, 0.0], &[true; 4], &[0.1, 0.4, 0.2, 0.5, 0.3, 0.6], 0.8);
    near(&both, &[alone[0], other[0], alone[1], other[1]], 1e-6);
}

#[test]
fn rows_that_are_no_steps_do_not_count_in_the_mean() {
    let mut advantages = [1.0, 100.0, 3.0, -100.0];
    standardise(&mut advantages, &[true, false, true, false]);
    let unit = 1.0 / (2.0_f32.sqrt() + 1e-5);
    near(&[advantages[0], advantages[2]], &[-unit, unit], 1e-5);
}

#[test]
fn agents_check_21_the_losses_of_ppo() {
    let ratio = 1.5_f32;
    near(&[clipped_loss(libm::logf(ratio), 1.0, 0.2)], &[-1.2], 1e-5);
    near(&[clipped_loss(libm::logf(ratio), -1.0, 0.2)], &[1.5], 1e-5);
    near(&[clipped_value_loss(1.0, 0.2, 0.2, 0.2)], &[0.5 * 0.64], 1e-5);
    // The same in tensors, as the update computes it, with a difference of logarithms that would overflow.
    let mut params = Params::new(Seed(0), &Device::flex());
    let x = params.add("x", &[3], Init::Constant(0.0));
    params.set(0, vec![80.0, libm::logf(1.5), libm::logf(1.5)]);
    let advantage = tensor(vec![-1.0, 1.0, -1.0], [3], &Device::flex());
    let loss = crate::ppo::policy_loss(params.get(x), advantage, 0.2);
    let [far, ..] = values(loss.clone())[..] else { panic!("three rows") };
    assert!((far / libm::expf(50.0) - 1.0).abs() < 1e-4, "{far}");
    near(&values(loss.clone())[1..], &[-1.2, 1.5], 1e-5);
    let gradients = params.gradients(&loss.sum());
    assert!(gradients.0[0].iter().all(|g| g.is_finite()), "{gradients:?}");
    assert_eq!(gradients.0[0][0], 0.0, "beyond the bound nothing pulls");
}

#[test]
fn schedules_are_linear_and_end_at_their_end() {
    assert_eq!([0, 50, 100, 200].map(|at| linear(1.0, 0.0, at, 100)), [1.0, 0.5, 0.0, 0.0]);
    assert_eq!(linear(1.0, 0.0, 0, 0), 0.0);
}

#[test]
fn agents_check_37_checksums_of_event_files() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    assert_eq!(masked(b"123456789"), 0xc78a_b0e5);
}
