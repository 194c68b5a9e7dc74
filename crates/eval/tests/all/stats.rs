//! Estimates against values worked out by hand and from tables.

use heldout_eval::{Estimate, estimate, weighted_estimate};

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

#[test]
fn a_weighted_mean_is_a_ratio_of_sums() {
    // Shares 1/2, 3/4 and 0/2 of 2, 4 and 2 games: 4 of 8. Residuals w (x - 1/2): 0, 1, -1; their squares sum to 2, so
    // the variance is 2 * 3 / (2 * 64), and t(0.975; 2) = 4.302653.
    let found = weighted_estimate(&[0.5, 0.75, 0.0], &[2.0, 4.0, 2.0]).unwrap();
    assert_eq!(found.mean, 0.5);
    let half = 4.302_653 * (3.0_f64 / 64.0).sqrt();
    assert!((found.low.unwrap() - (0.5 - half)).abs() < 1e-5);
    assert!((found.high.unwrap() - (0.5 + half)).abs() < 1e-5);
    // Equal weights are none.
    let values = [1.0, 4.0, 2.0, 8.0];
    let (plain, weighted) = (estimate(&values).unwrap(), weighted_estimate(&values, &[3.0; 4]).unwrap());
    assert!((plain.mean - weighted.mean).abs() < 1e-12 && (plain.low.unwrap() - weighted.low.unwrap()).abs() < 1e-9);
    for (values, weights) in [(&[][..], &[][..]), (&[1.0], &[0.0]), (&[1.0], &[1.0, 2.0])] {
        assert_eq!(weighted_estimate(values, weights), None);
    }
}
