//! The scoring procedure of the memory paper.

use heldout_eval::memory::{
    FAST, HUMAN, LEVELS, REFERENCES, SLOW, Training, human_normalised, over_seeds, paper_scores, rolled, smoothed,
};

/// Twenty rewards: ten of 0, then ten of 1.
fn step() -> Vec<f64> {
    [[0.0; 10], [1.0; 10]].concat()
}

#[test]
fn memory_check_35_random_is_0_and_people_are_100_in_all_39_cells() {
    let mut cells = 0;
    for reference in REFERENCES {
        for (random, human) in reference.random.into_iter().zip(reference.human) {
            assert_eq!(human_normalised(random, random, human), 0.0, "{reference:?}");
            assert_eq!(human_normalised(human, random, human), HUMAN, "{reference:?}");
            cells += 1;
        }
    }
    assert_eq!(cells, 39);
    // Section 3.2: the mean of the two train files.
    let maze = REFERENCES.iter().find(|r| r.task == "explore-goal-locations").expect("the table has the maze");
    assert_eq!((maze.random[0], maze.human[0], maze.alpha), (4.88, 234.0, FAST));
    let inference = REFERENCES.iter().find(|r| r.task == "transitive-inference").expect("the table has it");
    assert_eq!((inference.random[0], inference.human[0], inference.alpha), (1.44, 6.0, SLOW));
    assert_eq!(REFERENCES.iter().filter(|r| r.comparable).count(), 5);
}

#[test]
fn memory_check_35_smoothing_rolling_and_maximum_follow_a_series_computed_by_hand() {
    // With alpha 1/2 after ten zeros: 1/2, 3/4, 7/8, ..., 1 - 2^-10.
    let smooth = smoothed(&step(), 0.5);
    assert_eq!(&smooth[..10], [0.0; 10]);
    for (i, value) in smooth[10..].iter().enumerate() {
        assert_eq!(*value, 1.0 - 0.5_f64.powi(i as i32 + 1));
    }
    // Window w holds 10 - w zeros and the first w of these, whose sum is w - 1 + 2^-w.
    let windows = rolled(&smooth);
    assert_eq!(windows.len(), 11);
    for (w, value) in windows.iter().enumerate() {
        let sum = w as f64 - 1.0 + 0.5_f64.powi(w as i32);
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

/// The mean over the 13 tasks of a model's human-normalised score from Tables 4 to 16, raw and clipped to 0 to 100.
fn recomputed(model: &str, level: usize) -> (f64, f64) {
    let published = heldout_eval::published::find("memory").expect("the tables are built in");
    let name = LEVELS[level];
    let (mut raw, mut clipped) = (0.0, 0.0);
    for reference in REFERENCES {
        let cells = published.tables.iter().flat_map(|t| &t.rows).filter(|r| r.model == model).flat_map(|r| &r.cells);
        let scores: Vec<f64> =
            cells.filter(|c| c.task == reference.task && c.condition == name).map(|c| c.value).collect();
        let [score] = scores[..] else { panic!("{model}, {}, {name}: {scores:?}", reference.task) };
        let normalised = human_normalised(score, reference.random[level], reference.human[level]);
        raw += normalised / 13.0;
        clipped += normalised.clamp(0.0, HUMAN) / 13.0;
    }
    (raw, clipped)
}

#[test]
fn memory_check_36_aggregates_recomputed_from_tables_4_to_16_are_not_those_of_table_3() {
    let expected = [(128.8, 88.3, 92.9), (60.3, 58.2, 56.2), (57.4, 53.9, 52.6)];
    for (level, (raw, clipped, table_3)) in expected.into_iter().enumerate() {
        let found = recomputed("LSTM+MEM+CPC", level);
        let one_place = |x: f64| (x * 10.0).round() / 10.0;
        assert_eq!((one_place(found.0), one_place(found.1)), (raw, clipped), "{}", LEVELS[level]);
        assert!((found.0 - table_3).abs() > 1.0 && (found.1 - table_3).abs() > 1.0);
    }
}

#[test]
fn memory_check_36_the_reference_scores_are_those_of_tables_4_to_16() {
    let published = heldout_eval::published::find("memory").expect("the tables are built in");
    for reference in REFERENCES {
        for (model, scores) in [("Random", reference.random), ("Human", reference.human)] {
            let rows = published.tables.iter().flat_map(|t| &t.rows).filter(|r| r.model == model);
            let cells: Vec<_> = rows.flat_map(|r| &r.cells).filter(|c| c.task == reference.task).collect();
            for (level, score) in scores.into_iter().enumerate() {
                let values: Vec<f64> = cells.iter().filter(|c| c.condition == LEVELS[level]).map(|c| c.value).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                assert!((mean - score).abs() < 1e-12, "{model}, {}, {}: {values:?}", reference.task, LEVELS[level]);
            }
        }
    }
}
