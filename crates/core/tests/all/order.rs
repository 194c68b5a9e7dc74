//! The order of a finite problem set: a permutation a pass, uniform, and found without a table.

use heldout_core::{Seed, shuffled};

#[test]
fn every_pass_is_a_permutation() {
    for n in [1, 2, 3, 7, 64, 100, 163, 1000, 65_537] {
        let mut seen = vec![false; n as usize];
        for at in 0..n {
            let to = shuffled(Seed(3), at, n) as usize;
            assert!(!std::mem::replace(&mut seen[to], true), "{to} twice in 0..{n}");
        }
    }
}

#[test]
fn all_orders_of_four_are_equally_likely() {
    let mut counts = std::collections::BTreeMap::new();
    let draws = 48_000;
    for seed in 0..draws {
        let order: Vec<u32> = (0..4).map(|at| shuffled(Seed(seed), at, 4)).collect();
        *counts.entry(order).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 24);
    let expected = draws as f64 / 24.0;
    let square = |x: f64| x * x;
    let chi2: f64 = counts.values().map(|&c| square(f64::from(c) - expected) / expected).sum();
    // 23 degrees of freedom: mean 23, standard deviation 6.8; five of them above the mean.
    assert!(chi2 < 57.0, "chi2 {chi2}");
}

#[test]
fn frozen() {
    let order: Vec<u32> = (0..10).map(|at| shuffled(Seed(1), at, 10)).collect();
    assert_eq!(order, [8, 6, 0, 7, 4, 5, 3, 2, 9, 1]);
}
