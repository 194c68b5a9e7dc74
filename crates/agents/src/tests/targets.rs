//! What is learnt towards.

use super::near;
use crate::nn::{Device, Init, Params, tensor, values};
use crate::parts::events::{crc32c, masked};
use crate::parts::priority::{self, SumTree};
use crate::parts::schedule::linear;
use crate::parts::targets::{Ahead, Rescale, clipped_loss, clipped_value_loss, gae, standardise, vtrace};
use heldout_core::{Rng, Seed};

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

#[test]
fn agents_check_14_memory_check_41_what_rows_are_worth_by_vtrace() {
    let (rewards, values) = ([1.0, 0.0, 2.0], [0.5, 1.0, -0.5, 2.0]);
    let of = |discounts: [f32; 3], valid: [bool; 3], ratios: [f32; 3]| {
        vtrace(1, &rewards, &discounts, &valid, &ratios, &values)
    };
    let (worth, weights) = of([0.9; 3], [true; 3], [0.5, 2.0, 1.0]);
    near(&worth, &[2.289, 3.42, 3.8], 1e-5);
    near(&weights, &[1.789, 2.42, 4.3], 1e-5);
    // Played by the policy itself: the rewards that followed.
    near(&of([0.9; 3], [true; 3], [1.0; 3]).0, &[4.078, 3.42, 3.8], 1e-5);
    near(&of([0.9, 0.0, 0.9], [true; 3], [1.0; 3]).0, &[1.0, 0.0, 3.8], 1e-5);
    near(&of([0.9; 3], [true, false, true], [1.0; 3]).0, &[1.9, 1.0, 3.8], 1e-5);
}

#[test]
fn agents_check_15_what_q_learns_towards() {
    let ahead = Ahead { n: 3, gamma: 0.9, rescale: Rescale::Identity };
    let rewards = [0.0, 1.0, 0.0, -2.0, 1.0];
    let next = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    let of = |cont: [f32; 5], dead: [bool; 6]| ahead.targets(1, &rewards, &cont, &dead, &next);
    let alive = [false; 6];
    near(&of([1.0; 5], alive), &[30.06, 35.83, 42.75, 47.5, 55.0], 1e-5);
    near(&of([1.0, 1.0, 0.0, 1.0, 1.0], alive), &[0.9, 1.0, 0.0, 47.5, 55.0], 1e-5);
    let found = of([1.0, 1.0, 0.0, 1.0, 1.0], [false, false, true, false, false, false]);
    near(&[&found[..2], &found[3..]].concat(), &[25.2, 28.0, 47.5, 55.0], 1e-5);
    // Copies do not mix.
    let two = ahead.targets(2, &[0.0, 5.0, 1.0, 5.0], &[1.0; 4], &[false; 6], &[1.0, 0.0, 2.0, 0.0, 3.0, 0.0]);
    near(&two, &[0.9 + 0.81 * 3.0, 9.5, 1.0 + 2.7, 5.0], 1e-5);
}

#[test]
fn agents_check_16_values_are_squeezed_and_come_back() {
    near(&[Rescale::Root.squeeze(3.0) as f32, Rescale::Root.squeeze(-2.0) as f32], &[1.003, -0.734_050_8], 1e-6);
    for x in (-1000..=1000).map(f64::from) {
        let back = Rescale::Root.undo(Rescale::Root.squeeze(x));
        assert!((back - x).abs() <= 1e-6 * x.abs().max(1.0), "{x} comes back as {back}");
    }
}

#[test]
fn agents_check_17_what_surprised_is_drawn_more_often() {
    let mut tree = SumTree::new(3);
    for (place, priority) in [1.0, 2.0, 4.0].into_iter().enumerate() {
        tree.set(place, priority::weight(priority, 0.9));
    }
    let shares: Vec<f32> = (0..3).map(|i| (tree.get(i) / tree.total()) as f32).collect();
    near(&shares, &[0.157_523_3, 0.293_948_8, 0.548_527_9], 1e-6);
    near(&priority::importance(&tree, &[0, 1, 2], 3, 0.6), &[1.0, 0.687_770_9, 0.473_028_8], 1e-6);
    near(&[priority::of_surprises(&[1.0, -4.0, 2.0]) as f32], &[3.833_333_3], 1e-6);
    let draws = 100_000;
    let mut rng = Rng::new(Seed(2));
    let mut counts = [0.0; 3];
    for place in (0..draws / 10).flat_map(|_| tree.draw(10, &mut rng)) {
        counts[place] += 1.0;
    }
    for (count, share) in counts.iter().zip(shares) {
        let share = f64::from(share);
        let deviation = (share * (1.0 - share) / f64::from(draws)).sqrt();
        assert!((count / f64::from(draws) - share).abs() < 5.0 * deviation, "{counts:?}");
    }

    // The tree says what going through all weights says, after any changes.
    let mut tree = SumTree::new(1_000);
    for _ in 0..10_000 {
        tree.set(rng.below(1_000) as usize, if rng.chance(0.3) { 0.0 } else { rng.unit() });
        if tree.total() == 0.0 {
            continue;
        }
        let point = rng.unit() * tree.total();
        let mut left = point;
        let scan = tree.weights().iter().position(|w| {
            left -= w;
            left < 0.0
        });
        let found = tree.find(point);
        // Sums in another order may differ in the last bit at a border.
        let (low, own) = (tree.weights()[..found].iter().sum::<f64>(), tree.get(found));
        let border = (low - point).abs().min((low + own - point).abs()) < 1e-9;
        assert!(own > 0.0 && (Some(found) == scan || border), "{point}: {found}, {scan:?}");
    }
}

#[test]
fn agents_check_18_how_often_each_copy_explores() {
    let found = |explore, power| [0, 1, 15, 31].map(|copy| priority::exploration(copy, 32, explore, power) as f32);
    let config = crate::r2d2::Config::default();
    near(&found(config.explore, config.explore_power), &[0.4, 0.325_239, 0.017_955_5, 0.000_655_36], 1e-6);
    near(&found(0.4, 2.0)[3..], &[0.064], 1e-6);
    assert_eq!(found(0.25, 0.0), [0.25; 4]);
    assert_eq!(found(0.0, 7.0), [0.0; 4]);
}
