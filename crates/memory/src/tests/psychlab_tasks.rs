//! The four `PsychLab` tasks, trial by trial (checks 14 to 22), and their instant-choice variants.

use super::panels::{episode, play, rules, trial};
use crate::level::{NAMES, Stimuli};
use crate::mini::panel::{PanelMini, steps};
use crate::psychlab::change::Arrays;
use crate::psychlab::config::ChangeConfig;
use crate::psychlab::desk::{Paint, Side, Widget};
use crate::psychlab::gaze::Gaze;
use crate::psychlab::images::Images;
use crate::psychlab::mapping::{Association, Staircase};
use crate::psychlab::recognition::Stream;
use crate::psychlab::rules::{Phase, State};
use crate::psychlab::task::{Object, Objects, Scene, Stimulus};
use crate::psychlab::what_then_where::Sought;
use crate::psychlab::{Change, Mapping, PsychLab, Recognition, Task, WhatThenWhere};
use heldout_core::{Environment, Status};
use heldout_render::Image;
use serde_json::json;

fn associations(stairs: &Staircase) -> &[Association] {
    &stairs.associations[..usize::from(stairs.count)]
}

#[test]
fn memory_check_14_train_ids_are_even_held_out_ids_odd_and_new_ones_never_repeat() {
    for (level, parity) in [("train", 0), ("extrapolate", 0), ("holdout_interpolate", 1), ("holdout_extrapolate", 1)] {
        let mapping = rules::<Mapping>(|c| c.level = level.into());
        let recognition = rules::<Recognition>(|c| c.level = level.into());
        for number in 0..3 {
            let mut state = mapping.start(episode(number));
            while state.status == Status::Running {
                trial(&mapping, &mut state, true);
            }
            let mut ids: Vec<u16> = associations(&state.trial).iter().map(|a| a.image).collect();
            assert!(ids.iter().all(|id| (1..=2400).contains(id) && id % 2 == parity), "{level}: {ids:?}");
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), count);

            let (task, mut stream) = (recognition.task(), Stream::default());
            task.start(&mut stream, episode(number).seed);
            let mut new = Vec::new();
            for at in 0..recognition.trials {
                task.begin(&mut stream, at);
                let id = task.image(&stream);
                assert_eq!(id % 2, parity);
                assert_eq!(!new.contains(&id), stream.new, "an image is new exactly if it was not shown");
                if stream.new {
                    new.push(id);
                }
            }
        }
    }
}

#[test]
fn memory_check_15_faultless_blocks_grow_by_one() {
    for (level, trials, distinct) in
        [("train", 50, 10), ("holdout_interpolate", 40, 9), ("holdout_extrapolate", 75, 12)]
    {
        let env = rules::<Mapping>(|c| c.level = level.into());
        let mut state = env.start(episode(1));
        let mut sizes = Vec::new();
        let mut total = 0.0;
        while state.status == Status::Running {
            sizes.push(associations(&state.trial).len());
            total += trial(&env, &mut state, true).0;
        }
        let mut images: Vec<u16> = associations(&state.trial).iter().map(|a| a.image).collect();
        images.sort_unstable();
        images.dedup();
        let expected: Vec<usize> = (1..).flat_map(|size| std::iter::repeat_n(size, size)).take(trials).collect();
        assert_eq!((sizes, images.len(), total), (expected, distinct, trials as f32), "{level}");
    }
}

#[test]
fn memory_check_16_a_mistake_in_a_block_adds_no_image() {
    let env = rules::<Mapping>(|_| ());
    for wrong_at in 0..4 {
        let mut state = env.start(episode(4));
        // Blocks of 1, 2 and 3 without a mistake, then one of 4 with one.
        for _ in 0..6 {
            trial(&env, &mut state, true);
        }
        assert_eq!(associations(&state.trial).len(), 4);
        let mut order = Vec::new();
        for at in 0..4 {
            order.push(state.trial.current().image);
            trial(&env, &mut state, at != wrong_at);
        }
        assert_eq!(associations(&state.trial).len(), 4, "a mistake at {wrong_at}");
        for _ in 0..4 {
            assert_eq!(associations(&state.trial).len(), 4);
            trial(&env, &mut state, true);
        }
        assert_eq!(associations(&state.trial).len(), 5);
        // A block shows each association once.
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), 4);
    }
}

#[test]
fn memory_check_17_cues_are_given_on_first_displays_alone() {
    let env = rules::<Mapping>(|_| ());
    let mut state = env.start(episode(6));
    let mut shown = Vec::new();
    for number in 0..40 {
        while state.phase != Phase::Scene(0) {
            play(&env, &mut state, Side::Top);
        }
        let association = *state.trial.current();
        let first = !shown.contains(&association.image);
        shown.push(association.image);
        for side in Side::ALL {
            let paint = match (first, side == association.side) {
                (true, true) => Paint::CueGreen,
                (true, false) => Paint::CueRed,
                (false, _) => Paint::Plain,
            };
            assert_eq!(state.desk.paint(side), Some(paint), "trial {number}");
        }
        // Entering any button shows the truth on all four.
        while state.response.is_none() {
            play(&env, &mut state, Side::Left);
        }
        for side in Side::ALL {
            let paint = if side == association.side { Paint::Green } else { Paint::Red };
            assert_eq!(state.desk.paint(side), Some(paint), "trial {number}");
        }
        trial(&env, &mut state, number % 7 != 3);
    }
}

/// The chance that a chi-square variable of `freedom` degrees stays below `value`, by Wilson and Hilferty.
fn chi_square_z(value: f64, freedom: f64) -> f64 {
    let spread = 2.0 / (9.0 * freedom);
    (libm::cbrt(value / freedom) - (1.0 - spread)) / spread.sqrt()
}

#[test]
fn memory_check_18_half_of_the_images_are_new_and_old_ones_uniform() {
    let env = rules::<Recognition>(|_| ());
    let task = env.task();
    let (mut new, mut later) = (0, 0);
    // Old images by how many have been shown and which of them it is.
    let mut counts = vec![vec![0_u32; 10]; 11];
    for number in 0..1000 {
        let mut stream = Stream::default();
        task.start(&mut stream, episode(number).seed);
        for at in 0..50 {
            let before = stream.shown as usize;
            task.begin(&mut stream, at);
            if at == 0 {
                assert!(stream.new);
                continue;
            }
            later += 1;
            new += u32::from(stream.new);
            if !stream.new && before <= 10 {
                counts[before][stream.current as usize] += 1;
            }
        }
    }
    let share = f64::from(new) / f64::from(later);
    assert!((0.47..=0.53).contains(&share), "{share}");
    for (shown, counts) in counts.iter().enumerate().skip(2) {
        let total: u32 = counts.iter().sum();
        let expected = f64::from(total) / shown as f64;
        let square: f64 =
            counts[..shown].iter().map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected) / expected).sum();
        // p > 0.001
        assert!(total > 500 && chi_square_z(square, shown as f64 - 1.0) < 3.09, "{shown} shown: {counts:?}");
    }
}

#[test]
fn memory_check_19_delays_are_those_of_the_level_in_ticks() {
    for (level, delays) in [
        ("train", &[2, 4, 8, 64, 128][..]),
        ("train_small", &[2, 4, 8]),
        ("holdout_large", &[64, 128]),
        ("holdout_interpolate", &[16, 32]),
        ("holdout_extrapolate", &[130, 150, 200, 250]),
    ] {
        let env = rules::<Change>(|c| c.level = level.into());
        let task = env.task();
        let mut counts = vec![0_u32; delays.len()];
        for number in 0..200 {
            let mut arrays = Arrays::default();
            task.start(&mut arrays, episode(number).seed);
            for at in 0..50 {
                task.begin(&mut arrays, at);
                counts[delays.iter().position(|&d| d == arrays.delay).expect("a delay of the level")] += 1;
            }
        }
        let expected = 10_000.0 / delays.len() as f64;
        let sigma = (expected * (1.0 - 1.0 / delays.len() as f64)).sqrt();
        assert!(counts.iter().all(|&n| (f64::from(n) - expected).abs() < 5.0 * sigma), "{level}: {counts:?}");
    }
    // Measured tick by tick.
    let env = rules::<Change>(|_| ());
    let mut state = env.start(episode(1));
    for _ in 0..12 {
        while state.phase != Phase::Scene(0) {
            play(&env, &mut state, Side::Left);
        }
        let delay = state.trial.delay;
        let mut seen = Vec::new();
        let before = state.trials;
        while state.trials == before {
            let objects = matches!(env.stimulus(&state), Stimulus::Objects(_));
            let shown = (objects, state.desk.has(Widget::Disk), state.desk.has(Widget::Button(Side::Left)));
            match seen.last_mut() {
                Some((last, ticks)) if *last == shown => *ticks += 1,
                _ => seen.push((shown, 1_u32)),
            }
            play(&env, &mut state, Side::Left);
        }
        // The array for 25 ticks; nothing for the delay, with the disk passed at once by a gaze in the middle; the second
        // array for 8 ticks; then the buttons.
        assert_eq!(seen[..3], [((true, false, false), 25), ((false, false, false), delay), ((true, false, false), 8)]);
        assert_eq!((seen.len(), seen[3].0), (4, (true, false, true)));
    }
}

/// Every trial of an episode.
fn trials(env: &PsychLab<Change>) -> Vec<Arrays> {
    let (task, mut arrays) = (env.task(), Arrays::default());
    task.start(&mut arrays, episode(0).seed);
    let mut trial = |at| {
        task.begin(&mut arrays, at);
        arrays.clone()
    };
    (0..50).map(&mut trial).collect()
}

/// In which of the four attributes objects differ; shape and orientation of an object are one or the other.
fn differences(one: Object, two: Object) -> usize {
    let shape = usize::from(one.letter.is_some() != two.letter.is_some());
    let orientation = usize::from(shape == 0 && one.letter != two.letter);
    shape + orientation + usize::from(one.colour != two.colour) + usize::from(one.cell != two.cell)
}

#[test]
fn memory_check_20_one_attribute_of_one_object_changes_in_half_of_the_trials() {
    const PLUS: [u8; 9] = [2, 7, 10, 11, 12, 13, 14, 17, 22];
    let env = rules::<Change>(|_| ());
    let task = env.task();
    let (mut changed, mut kinds, mut sizes) = (0, [0_u32; 4], [0_u32; 5]);
    for number in 0..200 {
        let mut arrays = Arrays::default();
        task.start(&mut arrays, episode(number).seed);
        for at in 0..50 {
            task.begin(&mut arrays, at);
            for objects in [arrays.study, arrays.test] {
                let mut cells: Vec<u8> = objects.iter().flatten().map(|object| object.cell).collect();
                assert!(cells.iter().all(|cell| PLUS.contains(cell)), "{cells:?}");
                let count = cells.len();
                cells.sort_unstable();
                cells.dedup();
                assert_eq!(cells.len(), count, "two objects share a cell");
            }
            sizes[arrays.study.iter().flatten().count()] += 1;
            let differ: Vec<usize> = arrays
                .study
                .iter()
                .zip(&arrays.test)
                .filter_map(|(one, two)| Some(differences((*one)?, (*two)?)))
                .filter(|&count| count > 0)
                .collect();
            assert_eq!(arrays.study.iter().flatten().count(), arrays.test.iter().flatten().count());
            changed += u32::from(arrays.changed);
            if arrays.changed {
                assert_eq!(differ, [1], "{arrays:?}");
                let (one, two) = arrays.study.iter().zip(&arrays.test).find(|(one, two)| one != two).unwrap();
                let (one, two) = (one.unwrap(), two.unwrap());
                let kind =
                    [one.cell != two.cell, one.colour != two.colour, one.letter.is_some() != two.letter.is_some()];
                kinds[kind.iter().position(|&is| is).unwrap_or(3)] += 1;
            } else {
                assert!(differ.is_empty() && arrays.study == arrays.test);
            }
        }
    }
    assert!((f64::from(changed) / 10_000.0 - 0.5).abs() < 0.02, "{changed}");
    assert!(kinds.iter().all(|&n| n > 100), "place, colour, shape, orientation: {kinds:?}");
    // Four set sizes alike: 2,500 +- 5 sigma.
    assert!(sizes[0] == 0 && sizes[1..].iter().all(|&n| n.abs_diff(2500) < 217), "{sizes:?}");
}

/// What is seen of an unchanged array does not differ by a pixel; a changed one differs.
#[test]
fn memory_check_20_unchanged_arrays_look_the_same_to_the_pixel() {
    let env = rules::<Change>(|_| ());
    let mut state = env.start(episode(0));
    let picture = |state: &_| {
        let mut picture = Image::new(96, 72);
        env.picture(state, &mut picture.canvas());
        picture
    };
    let (mut same, mut different) = (0, 0);
    for _ in 0..30 {
        while state.phase != Phase::Scene(0) {
            play(&env, &mut state, Side::Left);
        }
        // The same gaze and no button: only the arrays can differ.
        let study = picture(&state);
        let mut later = state.clone();
        later.phase = Phase::Scene(3);
        let equal = picture(&later) == study;
        assert_eq!(equal, !state.trial.changed, "{:?}", state.trial);
        same += u32::from(equal);
        different += u32::from(!equal);
        trial(&env, &mut state, true);
    }
    assert!(same >= 5 && different >= 5);
}

#[test]
fn memory_check_21_colours_are_those_of_the_level() {
    const TRAIN: [[u8; 3]; 5] = [[240, 163, 255], [194, 0, 136], [148, 255, 181], [153, 63, 0], [255, 204, 153]];
    const HELD_OUT: [[u8; 3]; 5] = [[116, 10, 255], [157, 204, 0], [255, 164, 5], [94, 241, 242], [255, 255, 0]];
    for level in NAMES {
        let held_out = level.starts_with("holdout");
        let expected = if held_out { HELD_OUT } else { TRAIN };
        let env = rules::<Change>(|c| c.level = level.into());
        let task = env.task();
        let mut seen = Vec::new();
        for number in 0..40 {
            let mut arrays = Arrays::default();
            task.start(&mut arrays, episode(number).seed);
            for at in 0..50 {
                task.begin(&mut arrays, at);
                seen.extend(arrays.study.iter().chain(&arrays.test).flatten().map(|object| object.colour));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{level}");
    }
    let pink = rules::<Change>(|c| (c.level, c.pink) = ("holdout_small".into(), true));
    let drawn: Vec<[u8; 3]> =
        trials(&pink).iter().flat_map(|arrays| arrays.study).flatten().map(|o| o.colour).collect();
    assert!(drawn.contains(&[255, 168, 187]) && !drawn.contains(&HELD_OUT[2]), "Pink is held out in place of Orange");
}

#[test]
fn memory_check_22_delays_are_independent_and_four_of_five_digits_are_shown() {
    for (level, digits, delays) in [
        ("train", 0..5_u8, &[4, 8, 32, 128][..]),
        ("train_large", 0..5, &[32, 128]),
        ("holdout_interpolate", 5..10, &[16, 64]),
        ("holdout_extrapolate", 5..10, &[132, 156, 200, 256]),
    ] {
        let env = rules::<WhatThenWhere>(|c| c.level = level.into());
        let task = env.task();
        let mut drawn = Vec::new();
        let mut sides = [0_u32; 4];
        for number in 0..800 {
            let mut sought = Sought::default();
            task.start(&mut sought, episode(number).seed);
            for at in 0..50 {
                task.begin(&mut sought, at);
                let mut edges = sought.edges.to_vec();
                assert!(edges.contains(&sought.what) && edges.iter().all(|digit| digits.contains(digit)));
                edges.sort_unstable();
                edges.dedup();
                assert_eq!(edges.len(), 4);
                assert!(sought.delays.iter().all(|delay| delays.contains(delay)), "{level}");
                sides[task.answer(&sought) as usize] += 1;
                drawn.push(sought.delays.map(f64::from));
            }
        }
        let n = drawn.len() as f64;
        let mean = |i: usize| drawn.iter().map(|d| d[i]).sum::<f64>() / n;
        let (a, b) = (mean(0), mean(1));
        let covariance = drawn.iter().map(|d| (d[0] - a) * (d[1] - b)).sum::<f64>() / n;
        let variance = |i: usize, m: f64| drawn.iter().map(|d| (d[i] - m) * (d[i] - m)).sum::<f64>() / n;
        let r = covariance / (variance(0, a) * variance(1, b)).sqrt();
        assert!(r.abs() < 0.03, "{level}: {r}");
        assert!(sides.iter().all(|&n| n.abs_diff(10_000) < 433), "{sides:?}");
    }
}

/// The phases of what then where, tick by tick.
#[test]
fn what_then_where_has_its_phases() {
    let env = rules::<WhatThenWhere>(|_| ());
    let mut state = env.start(episode(1));
    for _ in 0..6 {
        while state.phase != Phase::Scene(0) {
            play(&env, &mut state, Side::Left);
        }
        let [first, second] = state.trial.delays;
        let mut seen: Vec<(Stimulus, bool, u32)> = Vec::new();
        let before = state.trials;
        while state.trials == before {
            let (stimulus, buttons) = (env.stimulus(&state), state.desk.has(Widget::Button(Side::Top)));
            match seen.last_mut() {
                Some(last) if last.0 == stimulus && last.1 == buttons => last.2 += 1,
                _ => seen.push((stimulus, buttons, 1)),
            }
            play(&env, &mut state, Side::Left);
        }
        let ticks: Vec<u32> = seen.iter().map(|s| s.2).collect();
        assert_eq!(ticks[..4], [25, first, 25, second]);
        assert!(matches!(seen[0].0, Stimulus::Digit(_)) && matches!(seen[2].0, Stimulus::Digits(_)));
        assert!(seen.len() == 5 && seen[4].1);
    }
}

/// The flag opens all 25 cells.
#[test]
fn the_full_grid_has_25_cells() {
    let env = rules::<Change>(|c| c.full_grid = true);
    let task = env.task();
    let mut seen = [false; 25];
    for number in 0..40 {
        let mut arrays = Arrays::default();
        task.start(&mut arrays, episode(number).seed);
        for at in 0..50 {
            task.begin(&mut arrays, at);
            let objects: &Objects = &arrays.test;
            objects.iter().flatten().for_each(|object| seen[usize::from(object.cell)] = true);
        }
    }
    assert!(seen.iter().all(|&seen| seen));
}

/// Flags that move buttons move the answers.
#[test]
fn sides_can_be_exchanged() {
    let (left, right) = (rules::<Change>(|_| ()), rules::<Change>(|c| c.different_right = true));
    let (new_left, new_right) = (rules::<Recognition>(|_| ()), rules::<Recognition>(|c| c.new_right = true));
    let mut arrays = Arrays::default();
    let mut stream = Stream::default();
    left.task().start(&mut arrays, episode(0).seed);
    new_left.task().start(&mut stream, episode(0).seed);
    for at in 0..50 {
        left.task().begin(&mut arrays, at);
        let different = if arrays.changed { Side::Left } else { Side::Right };
        assert_eq!(left.task().answer(&arrays), different);
        assert_ne!(right.task().answer(&arrays), different);
        new_left.task().begin(&mut stream, at);
        let new = if stream.new { Side::Left } else { Side::Right };
        assert_eq!(new_left.task().answer(&stream), new);
        assert_ne!(new_right.task().answer(&stream), new);
    }
    // Delays in seconds are sixty times as long.
    let seconds = rules::<Change>(|c| c.delays_in_seconds = true);
    for (ticks, seconds) in trials(&left).iter().zip(trials(&seconds)) {
        assert_eq!((seconds.delay, seconds.study, seconds.test), (60 * ticks.delay, ticks.study, ticks.test));
    }
}

/// Splits share no image.
#[test]
fn train_and_held_out_images_are_disjoint() {
    let ids = |stimuli| Images::open("builtin", stimuli, 64).unwrap().ids().to_vec();
    let (train, held_out) = (ids(Stimuli::Train), ids(Stimuli::HeldOut));
    assert_eq!((train.len(), held_out.len()), (1200, 1200));
    assert!(train.iter().all(|id| !held_out.contains(id)));
}

/// Mean steps and return of an instant-choice variant under right answers.
fn play_mini<T: Task>(level: impl FnOnce(&mut T::Mini)) -> (u32, f32) {
    let mut config = T::Mini::default();
    level(&mut config);
    let env = PanelMini::<T>::new(&config, ()).unwrap();
    let (mut steps, mut total) = (0, 0.0);
    for number in 0..20 {
        let mut state = env.start(episode(number));
        loop {
            let mut rewards = [f32::NAN];
            let chooses = env.scene(&state) == Scene::Choose;
            let answer = env.task.answer(&state.trial);
            let status = env.step(&mut state, &[answer], &mut rewards);
            steps += 1;
            total += rewards[0];
            assert_eq!(rewards[0], f32::from(u8::from(chooses)));
            if status.ended() {
                assert_eq!((state.trials, state.right), (env.trials, env.trials));
                break;
            }
        }
    }
    (steps / 20, total / 20.0)
}

/// Instant choices: one decision per trial, delays by their logarithm, 50 to 140 steps at the published levels.
#[test]
fn minis_take_a_step_a_decision() {
    let delays = [2, 3, 4, 8, 16, 32, 64, 128, 130, 256];
    assert_eq!(delays.map(|d| steps::<WhatThenWhere>(Scene::Blank(d))), [1, 2, 2, 3, 4, 5, 6, 7, 8, 8]);
    assert_eq!(delays.map(|d| steps::<Change>(Scene::Blank(d))), [5, 6, 6, 7, 8, 9, 10, 11, 12, 12]);
    for (level, trials) in [("train", 50), ("holdout_interpolate", 40), ("holdout_extrapolate", 75)] {
        assert_eq!(play_mini::<Mapping>(|c| c.level = level.into()), (trials, trials as f32));
        assert_eq!(play_mini::<Recognition>(|c| c.level = level.into()), (trials, trials as f32));
        for (steps, total, right) in [
            {
                let (s, t) = play_mini::<Change>(|c| c.level = level.into());
                (s, t, 10.0)
            },
            {
                let (s, t) = play_mini::<WhatThenWhere>(|c| c.level = level.into());
                (s, t, 5.0)
            },
        ] {
            assert!((50..=140).contains(&steps) && total == right, "{level}: {steps} {total}");
        }
    }
}

/// Public names of levels are accepted, and an unknown one is answered by the list.
#[test]
fn public_names_of_levels_are_aliases() {
    for name in NAMES {
        let env = rules::<Change>(|c| c.level = format!("change_detection_{name}"));
        let plain = rules::<Change>(|c| c.level = name.into());
        assert_eq!(trials(&env), trials(&plain));
    }
    let config = ChangeConfig { level: "what_then_where_train".into(), ..ChangeConfig::default() };
    let message = PsychLab::<Change>::new(&config, ()).unwrap_err().to_string();
    assert!(message.contains("what_then_where_train") && NAMES.iter().all(|name| message.contains(name)), "{message}");
}

/// With the gaze anywhere on the disk, the reticle hides no part of an object in any of the nine cells.
#[test]
fn amendment_46_the_reticle_leaves_the_cells_free() {
    for (view, width, height) in [("first_person", 96, 72), ("first_person", 84, 84), ("panel2d", 96, 72)] {
        let with = |reticle: bool| {
            let keys = json!({"view": view, "width": width, "height": height, "reticle": reticle});
            PsychLab::<Change>::new(&serde_json::from_value(keys).unwrap(), ()).unwrap()
        };
        let (marked, bare) = (with(true), with(false));
        let picture = |env: &PsychLab<Change>, state: &State<_>| {
            let mut image = Image::new(width, height);
            env.picture(state, &mut image.canvas());
            image.into_pixels()
        };
        let mut state = bare.start(episode(0));
        state.phase = Phase::Scene(0);
        state.desk.remove(Widget::Trigger);
        let mut marks = 0;
        // The disk's half side is 21 / 512 of the screen: 2.9 degrees.
        for (yaw, pitch) in (-4..=4).flat_map(|yaw| (-4..=4).map(move |pitch| (yaw, pitch))) {
            state.gaze = Gaze::new(0.725 * f64::from(yaw), 0.725 * f64::from(pitch));
            state.trial.study = [None; 4];
            let empty = picture(&bare, &state);
            marks += usize::from(picture(&marked, &state) != empty);
            for cell in [2, 7, 10, 11, 12, 13, 14, 17, 22] {
                state.trial.study[0] = Some(Object { cell, letter: None, colour: [0, 0, 0] });
                let (marked, bare) = (picture(&marked, &state), picture(&bare, &state));
                let hidden = (0..bare.len()).filter(|&i| bare[i] != empty[i] && marked[i] != bare[i]).count();
                assert_eq!(hidden, 0, "{view} {width}x{height}, gaze {yaw} {pitch}, cell {cell}");
            }
        }
        assert_eq!(marks, 81, "the reticle is there");
    }
}
