//! The scoring procedure of the memory paper.

use crate::paper_scores::{FAST, SLOW, Training, alpha, over_seeds, paper_scores, rolled, smoothed};

/// Twenty rewards: ten of 0, then ten of 1.
fn step() -> Vec<f64> {
    [[0.0; 10], [1.0; 10]].concat()
}

#[test]
fn memory_check_35_panels_and_the_maze_are_smoothed_fast() {
    assert_eq!((FAST, SLOW), (0.05, 0.001));
    for task in ["arbitrary-visuomotor-mapping", "continuous-recognition", "change-detection", "what-then-where"] {
        assert_eq!(alpha(task), FAST);
    }
    assert_eq!(alpha("explore-goal-locations"), FAST);
    assert_eq!(alpha("transitive-inference"), SLOW);
    let tasks = crate::FAMILY.entries.iter().filter_map(|e| e.id().strip_prefix("memory/")?.strip_suffix("-v1"));
    let full: Vec<&str> = tasks.filter(|task| !task.ends_with("-mini")).collect();
    assert_eq!((full.len(), full.iter().filter(|task| alpha(task) == FAST).count()), (13, 5));
}

#[test]
fn memory_check_35_smoothing_rolling_and_maximum_follow_a_series_computed_by_hand() {
    // With alpha 1/2 after ten zeros: 1/2, 3/4, 7/8, ..., 1 - 2^-10.
    let smooth = smoothed(&step(), 0.5);
    assert_eq!(&smooth[..10], [0.0; 10]);
    for (i, value) in smooth[10..].iter().enumerate() {
        assert_eq!(*value, 1.0 - 1.0 / f64::from(2_u32 << i));
    }
    // Window w holds 10 - w zeros and the first w of these, whose sum is w - 1 + 2^-w.
    let windows = rolled(&smooth);
    assert_eq!(windows.len(), 11);
    for (w, value) in windows.iter().enumerate() {
        let sum = w as f64 - 1.0 + 1.0 / f64::from(1_u32 << w);
        assert!((value - sum / 10.0).abs() < 1e-15, "window {w}: {value}");
    }
    // The first reward is where it starts, not 0.
    assert_eq!(smoothed(&[3.0, 3.0], FAST), [3.0, 3.0]);
    assert!((smoothed(&[1.0, 2.0], FAST)[1] - 1.05).abs() < 1e-15);
    assert_eq!(rolled(&[1.0; 9]), Vec::<f64>::new());
}

#[test]
fn memory_check_35_the_snapshot_is_chosen_on_train_alone() {
    // Alpha 1: no smoothing. Train is highest in the windows 2, 3 and 4, of which the earliest counts.
    let mut train = vec![0.0; 20];
    train[11] = 10.0;
    train[12] = 0.0;
    let mut held_out = vec![0.0; 20];
    held_out[0] = 100.0;
    held_out[3] = 20.0;
    let training = Training { train: train.clone(), held_out: vec![held_out] };
    let snapshot = training.snapshot(1.0).expect("20 points");
    assert_eq!((snapshot.window, snapshot.train), (2, 1.0));
    // The hold-out's own best window, 0, would give 12.
    assert_eq!(snapshot.held_out, [2.0]);
    // No change of the hold-out moves it.
    let training = Training { train, held_out: vec![step()] };
    assert_eq!(training.snapshot(1.0).expect("20 points").window, 2);
    assert_eq!(Training { train: step(), held_out: vec![vec![0.0; 19]] }.snapshot(1.0), None);
    assert_eq!(Training { train: vec![1.0; 9], held_out: vec![] }.snapshot(1.0), None);
}

/// Twenty points, by hand: both curves are smoothed, then rolled, and read at the window where the train curve is highest.
#[test]
fn memory_check_35_the_snapshot_reads_smoothed_and_rolled_curves() {
    // With alpha 1/2, a spike of 1024 at point 8 leaves 512, 256, 128, ... from there on. Windows 0 to 8 hold the spike;
    // window 0 ends at point 9 and has 512 + 256, window 8 has points 8 to 17: 1024 - 1. Before the spike the curve is 0.
    let mut train = vec![0.0; 20];
    train[8] = 1024.0;
    // The hold-out starts at 64 and falls to 0: at point n it is 2^(6 - n).
    let mut held_out = vec![0.0; 20];
    held_out[0] = 64.0;
    // Another has its spike after the moment, and a third is 1 all the time.
    let mut late = vec![0.0; 20];
    late[19] = 1.0e6;
    let training = Training { train, held_out: vec![held_out, late, vec![1.0; 20]] };
    let snapshot = training.snapshot(0.5).expect("20 points");
    assert_eq!((snapshot.window, snapshot.train), (8, 102.3));
    // Points 8 to 17: 1/4 + 1/8 + ... + 2^-11 = 1/2 - 2^-11.
    let [held_out, late, even] = snapshot.held_out[..] else { panic!("three levels") };
    assert!((held_out - (0.5 - 1.0 / 2048.0) / 10.0).abs() < 1e-15, "{held_out}");
    assert_eq!((late, even), (0.0, 1.0));
    // The same through the scores of one seed and of two.
    let scores = paper_scores(&[training.clone(), training.clone()], 0.5).expect("two seeds");
    assert_eq!(scores.iter().map(|s| s.mean).collect::<Vec<_>>(), [102.3, held_out, 0.0, 1.0]);
    assert!(scores.iter().all(|s| s.error == Some(0.0)));
    // With the slow smoothing a thousandth of the spike is left, which then falls by a thousandth at each point.
    let slow = training.snapshot(SLOW).expect("20 points");
    let mean = (0..10).fold((0.0, 1.024), |(sum, left), _| (sum + left / 10.0, 0.999 * left)).0;
    assert!(slow.window == 8 && (slow.train - mean).abs() < 1e-12, "{slow:?}");
}

#[test]
fn memory_check_35_scores_are_means_over_seeds_with_standard_errors() {
    let seed = |value: f64| Training { train: vec![value; 20], held_out: vec![vec![value / 2.0; 20]] };
    let scores = paper_scores(&[seed(1.0), seed(2.0), seed(6.0)], FAST).expect("three seeds");
    // Deviations -2, -1, 3: variance 7, standard error sqrt(7 / 3).
    assert!((scores[0].mean - 3.0).abs() < 1e-12);
    assert!((scores[0].error.expect("three seeds") - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((scores[1].mean - 1.5).abs() < 1e-12);
    assert_eq!(over_seeds(&[4.0]).map(|s| s.error), Some(None));
    assert_eq!(paper_scores(&[], FAST), None);
}
