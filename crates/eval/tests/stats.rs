//! Estimates against values worked out by hand and from tables.

use heldout_eval::{Estimate, estimate};

#[test]
fn interval_of_a_small_sample() {
    // 1..=5: mean 3, standard deviation sqrt(2.5), t(0.975; 4) = 2.776445 from the table.
    let found = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let half = 2.776_445 * (2.5_f64 / 5.0).sqrt();
    assert_eq!(found.mean, 3.0);
    assert!((found.low.unwrap() - (3.0 - half)).abs() < 1e-5);
    assert!((found.high.unwrap() - (3.0 + half)).abs() < 1e-5);
}

#[test]
fn a_constant_sample_has_no_width() {
    let found = estimate(&[0.1; 7]).unwrap();
    assert_eq!(found.low, Some(found.mean));
    assert_eq!(found.high, Some(found.mean));
}

#[test]
fn too_few_values_have_no_interval() {
    assert_eq!(estimate(&[]), None);
    assert_eq!(estimate(&[2.0]), Some(Estimate { mean: 2.0, low: None, high: None }));
}

#[test]
fn interval_of_a_large_sample_is_normal() {
    let values: Vec<f64> = (0..100_000).map(|i| f64::from(i % 2)).collect();
    let found = estimate(&values).unwrap();
    let half = 1.959_964 * 0.5 / 100_000_f64.sqrt();
    assert!((found.high.unwrap() - 0.5 - half).abs() < 1e-6);
}
