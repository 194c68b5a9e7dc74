//! The scoring procedure of the memory paper.

use heldout_core::Training;

use crate::paper_scores::{FAST, SLOW, alpha, rolled, smoothed, snapshot};

/// Twenty rewards: ten of 0, then ten of 1.
fn step() -> Vec<f64> {
    [[0.0; 10], [1.0; 10]].concat()
}

/// A training whose points are single episodes.
fn training(train: Vec<f64>, held_out: Vec<Vec<f64>>) -> Training {
    Training { train, held_out, episodes: 1 }
}

#[test]
fn memory_check_35_panels_and_the_maze_are_smoothed_fast() {
    assert_eq!((FAST, SLOW), (0.05, 0.001));
    for task in ["arbitrary-visuomotor-mapping", "continuous-recognition", "change-detection", "what-then-where"] {
        assert_eq!(alpha(&format!("memory/{task}-v1")), FAST);
    }
    assert_eq!(alpha("memory/explore-goal-locations-v1"), FAST);
    assert_eq!(alpha("memory/transitive-inference-v1"), SLOW);
    let ids: Vec<&str> = crate::FAMILY.entries.iter().map(heldout_core::Entry::id).collect();
    let fast = |mini: bool| ids.iter().filter(|id| id.ends_with("-mini-v1") == mini && alpha(id) == FAST).count();
    assert_eq!((ids.len(), fast(false), fast(true)), (26, 5, 5), "small variants have their parents' smoothing");
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
    let found = snapshot(&training(train.clone(), vec![held_out]), 1.0).expect("20 points");
    assert_eq!((found.moments, found.train), (2..12, 1.0));
    // The hold-out's own best window, 0, would give 12.
    assert_eq!(found.held_out, [2.0]);
    // No change of the hold-out moves it.
    assert_eq!(snapshot(&training(train, vec![step()]), 1.0).expect("20 points").moments, 2..12);
    assert_eq!(snapshot(&training(step(), vec![vec![0.0; 19]]), 1.0), None);
    assert_eq!(snapshot(&training(vec![1.0; 9], vec![]), 1.0), None);
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
    let training = training(train, vec![held_out, late, vec![1.0; 20]]);
    let found = snapshot(&training, 0.5).expect("20 points");
    assert_eq!((found.moments, found.train), (8..18, 102.3));
    // Points 8 to 17: 1/4 + 1/8 + ... + 2^-11 = 1/2 - 2^-11.
    let [held_out, late, even] = found.held_out[..] else { panic!("three levels") };
    assert!((held_out - (0.5 - 1.0 / 2048.0) / 10.0).abs() < 1e-15, "{held_out}");
    assert_eq!((late, even), (0.0, 1.0));
    // With the slow smoothing a thousandth of the spike is left, which then falls by a thousandth at each point.
    let slow = snapshot(&training, SLOW).expect("20 points");
    let mean = (0..10).fold((0.0, 1.024), |(sum, left), _| (sum + left / 10.0, 0.999 * left)).0;
    assert!(slow.moments == (8..18) && (slow.train - mean).abs() < 1e-12, "{slow:?}");
}

/// The paper smooths from episode to episode: a point that is the mean of eight counts as eight of them.
#[test]
fn memory_check_35_a_point_counts_as_its_episodes() {
    let train: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
    let each: Vec<f64> = train.iter().flat_map(|&reward| [reward; 8]).collect();
    let by_episode = smoothed(&each, FAST);
    let at_points: Vec<f64> = by_episode.chunks(8).map(|eight| eight[7]).collect();
    // The first point is where the smoothing begins, whatever number of episodes it has.
    let expected = rolled(&at_points);
    let found = snapshot(&Training { train, held_out: vec![], episodes: 8 }, FAST).expect("12 points");
    assert_eq!(found.moments, 2..12);
    assert!((found.train - expected[2]).abs() < 1e-9, "{} and {}", found.train, expected[2]);
}
