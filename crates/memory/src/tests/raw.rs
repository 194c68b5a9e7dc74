//! Levels of the Memory Tasks Suite by their public names, ticked with raw controls.

use super::find;
use crate::walker::raw::{RawLevel, Settings, names, open};
use heldout_core::{Buffers, FieldRef, Options, Reset, Rng, Seed, Seeding, Status};
use serde_json::json;

/// Seconds and ticks per second of the tasks' episodes, training and interpolation (section 1.4 of the specification).
const LIMITS: [(&str, u32, u32); 13] = [
    ("arbitrary_visuomotor_mapping", 300, 60),
    ("continuous_recognition", 300, 60),
    ("change_detection", 300, 60),
    ("what_then_where", 600, 60),
    ("spot_diff", 120, 30),
    ("spot_diff_passive", 120, 30),
    ("spot_diff_multi", 120, 30),
    ("spot_diff_motion", 240, 30),
    ("visible_goal_with_buildings", 200, 30),
    ("invisible_goal_with_buildings", 200, 30),
    ("invisible_goal_empty_arena", 200, 30),
    ("explore_goal_locations", 120, 60),
    ("transitive_inference", 200, 30),
];

/// The first tasks of the table are those on panels.
fn is_psychlab(name: &str) -> bool {
    LIMITS[..4].iter().any(|(task, ..)| name.starts_with(task))
}

fn is_unity(name: &str) -> bool {
    LIMITS.iter().any(|&(task, _, rate)| rate == 30 && name.starts_with(task))
}

/// The limit of a level, in ticks.
fn limit(level: &str) -> u32 {
    let of = |&(task, seconds, rate): &(&'static str, u32, u32)| {
        let bare = level.strip_prefix(task)?.strip_prefix('_')?;
        let known = ["train", "interpolate", "extrapolate", "train_small", "train_large"];
        let fits = known.contains(&bare) || bare.starts_with("holdout_");
        // Mapping and recognition have more trials to extrapolate to, and half as much time again.
        let longer = bare.ends_with("extrapolate") && task != "change_detection" && task != "what_then_where";
        let seconds = if longer && is_psychlab(task) { seconds * 3 / 2 } else { seconds };
        fits.then_some(seconds * rate)
    };
    LIMITS.iter().find_map(of).unwrap_or_else(|| panic!("{level} is of no task"))
}

fn level(name: &str, seed: u64) -> Box<dyn RawLevel> {
    open(name, &Settings { seed, ..Settings::default() }).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// One level of each task, train and held out by turns.
fn each_task() -> impl Iterator<Item = String> {
    let suffixes = ["train", "holdout_interpolate", "holdout_extrapolate"];
    LIMITS.iter().enumerate().map(move |(i, (task, ..))| format!("{task}_{}", suffixes[i % 3]))
}

fn picture(level: &dyn RawLevel, before: u8) -> Vec<u8> {
    let (width, height) = level.size();
    let mut pixels = vec![before; width * height * 3];
    level.picture(&mut pixels);
    pixels
}

/// Sets all controls as the discrete action has them.
fn act(level: &mut dyn RawLevel, action: usize) {
    let controls = level.controls();
    let values = level.discrete().swap_remove(action);
    let changes: Vec<_> = controls.iter().map(|c| c.name).zip(values).collect();
    level.change(&changes).expect("a discrete action has values that there are");
}

fn refusal(level: &mut dyn RawLevel, changes: &[(&str, f64)]) -> String {
    let before = level.values();
    let error = level.change(changes).expect_err("it must be refused").to_string();
    assert_eq!(level.values(), before, "a refused change changes nothing");
    error
}

#[test]
fn memory_check_01_every_public_name_opens_and_no_other() {
    let names = names();
    assert_eq!(names.len(), 77 + 2);
    // One of the two that mix training levels is a Unity one.
    assert_eq!(names.iter().filter(|name| is_unity(name)).count(), 57 + 1);
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    for name in &names {
        let level = level(name, 1);
        let unity = is_unity(name);
        assert_eq!(level.controls().len(), if unity { 4 } else { 7 }, "{name}");
        assert_eq!(level.ticks_per_second(), if unity { 30 } else { 60 }, "{name}");
    }
    let error = open("spot_diff_trian", &Settings::default()).err().expect("no such level").to_string();
    assert!(error.contains("`spot_diff_trian`") && error.contains("`spot_diff_train`"), "{error}");
    assert!(open("train", &Settings::default()).is_err());
}

#[test]
fn settings_that_describe_no_level_are_refused_with_their_values() {
    let refused = |settings: Settings| open("spot_diff_train", &settings).err().expect("refused").to_string();
    let error = refused(Settings { width: 15, ..Settings::default() });
    assert!(error.contains("width") && error.contains("`15`"), "{error}");
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        let error = refused(Settings { seconds: Some(seconds), ..Settings::default() });
        assert!(error.contains("`seconds`") && error.contains("at least one tick of 1/30 second"), "{error}");
    }
    for (key, value) in [("width", json!(32)), ("level", json!("train")), ("nonsense", json!(1))] {
        let config = [(key.to_owned(), value)].into_iter().collect();
        let error = refused(Settings { config, ..Settings::default() });
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn memory_check_02_pictures_are_whole_and_of_the_size_asked_for() {
    for name in each_task() {
        for (width, height) in [(96, 72), (84, 84), (64, 48)] {
            let settings = Settings { seed: 3, width, height, ..Settings::default() };
            let mut level = open(&name, &settings).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(level.size(), (width as usize, height as usize));
            assert_eq!(picture(&*level, 0xaa), picture(&*level, 0x55), "{name} leaves pixels out");
            assert!(level.position().iter().all(|x| x.is_finite()));
            assert_eq!(level.score().to_bits(), 0.0_f64.to_bits());
            level.advance(1).expect("an episode begins running");
            assert_eq!(picture(&*level, 0xaa), picture(&*level, 0x55), "{name} leaves pixels out");
        }
    }
}

#[test]
fn memory_check_03_an_ended_episode_must_be_begun_again() {
    let settings = Settings { seconds: Some(0.1), ..Settings::default() };
    for name in each_task() {
        let mut level = open(&name, &settings).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (_, status) = level.advance(1000).expect("it runs");
        assert_eq!((status, level.status(), level.ticks_left()), (Status::Truncated, Status::Truncated, 0), "{name}");
        assert!(level.advance(1).is_err(), "{name}");
        level.begin(1);
        assert_eq!(level.advance(1).expect("a new episode").1, Status::Running, "{name}");
    }
}

/// The position is the walker's, at the height of its eyes; who looks at a panel stays where it stands.
#[test]
fn memory_check_02_a_position_is_where_the_walker_is() {
    for name in each_task() {
        let mut level = level(&name, 5);
        let before = level.position();
        // Forward, and back if there is a wall ahead.
        for action in [0, 1] {
            act(&mut *level, action);
            level.advance(20).expect("it runs");
            if level.position() != before {
                break;
            }
        }
        let after = level.position();
        assert_eq!(after != before, !is_psychlab(&name), "{name}");
        if is_unity(&name) {
            assert_eq!(after[1], before[1], "{name}: nobody rises");
        }
    }
}

#[test]
fn memory_check_06_ticks_at_once_are_ticks_one_by_one() {
    for name in each_task() {
        let (mut at_once, mut one_by_one) = (level(&name, 5), level(&name, 5));
        let mut rng = Rng::new(Seed(6));
        let actions = at_once.discrete().len() as u32;
        for _ in 0..300 {
            let action = rng.below(actions) as usize;
            act(&mut *at_once, action);
            act(&mut *one_by_one, action);
            let (reward, status) = at_once.advance(4).expect("it runs");
            let (mut sum, mut last) = (0.0, Status::Running);
            for _ in 0..4 {
                let (more, now) = one_by_one.advance(1).expect("it runs");
                (sum, last) = (sum + more, now);
                if now.ended() {
                    break;
                }
            }
            assert_eq!((reward, status), (sum, last), "{name}");
            assert_eq!(at_once.position(), one_by_one.position(), "{name}");
            assert_eq!((at_once.score(), at_once.ticks_left()), (one_by_one.score(), one_by_one.ticks_left()));
            if status.ended() {
                break;
            }
        }
        assert_eq!(picture(&*at_once, 0), picture(&*one_by_one, 0), "{name}");
    }
}

#[test]
fn memory_check_07_raw_controls_are_sticky_and_checked() {
    let mut unity = level("spot_diff_train", 1);
    assert_eq!(unity.values(), [0.0; 4]);
    unity.change(&[("MOVE_BACK_FORWARD", 0.5)]).expect("in range");
    unity.change(&[("LOOK_DOWN_UP", -1.0)]).expect("in range");
    unity.advance(1).expect("it runs");
    assert_eq!(unity.values(), [0.0, 0.5, 0.0, -1.0]);
    let here = unity.position();
    unity.change(&[]).expect("nothing to refuse");
    unity.advance(5).expect("it runs");
    assert_ne!(unity.position(), here, "it walks on");
    let error = refusal(&mut *unity, &[("STRAFE_LEFT_RIGHT", 1.0), ("MOVE_BACK_FORWARD", 1.5)]);
    assert!(error.contains("MOVE_BACK_FORWARD") && error.contains("1.5"), "{error}");
    assert!(refusal(&mut *unity, &[("JUMP", 1.0)]).contains("JUMP"));
    refusal(&mut *unity, &[("LOOK_LEFT_RIGHT", f64::NAN)]);
    unity.begin(1);
    assert_eq!(unity.values(), [0.0; 4]);

    for name in ["explore_goal_locations_train", "change_detection_train"] {
        let mut lab = level(name, 1);
        assert_eq!(lab.values(), [0.0; 7]);
        lab.change(&[("LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", -512.0), ("FIRE", 1.0)]).expect("in range");
        lab.change(&[("MOVE_BACK_FORWARD", 1.0)]).expect("in range");
        assert_eq!(lab.values(), [-512.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        for (control, value) in [
            ("LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", 513.0),
            ("LOOK_DOWN_UP_PIXELS_PER_FRAME", 1e300),
            ("STRAFE_LEFT_RIGHT", 0.5),
            ("FIRE", -1.0),
            ("CROUCH", f64::NAN),
            ("LOOK_LEFT_RIGHT", 1.0),
        ] {
            assert!(refusal(&mut *lab, &[(control, value)]).contains(control));
        }
        lab.begin(0);
        assert_eq!(lab.values(), [0.0; 7]);
    }
}

#[test]
fn memory_check_07_discrete_actions_are_the_documented_raw_vectors() {
    // Strafe, advance, look: forward, backward, strafe, look, forward and look.
    let walk = [[0, 1, 0], [0, -1, 0], [-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, 1, -1], [0, 1, 1]];
    // Look left and right, down and up: nothing, left, right, up, down.
    // By 16 pixel units: amendment 40.
    let gaze = [[0, 0], [-16, 0], [16, 0], [0, 16], [0, -16]];
    for name in names() {
        let expected: Vec<Vec<i32>> = if is_psychlab(&name) {
            gaze.map(|[x, y]| vec![x, y, 0, 0, 0, 0, 0]).to_vec()
        } else if name.starts_with("explore") {
            walk.map(|[strafe, advance, look]| vec![20 * look, 0, strafe, advance, 0, 0, 0]).to_vec()
        } else {
            walk.map(|[strafe, advance, look]| vec![strafe, advance, look, 0]).to_vec()
        };
        let expected: Vec<Vec<f64>> = expected.into_iter().map(|v| v.into_iter().map(f64::from).collect()).collect();
        assert_eq!(level(&name, 0).discrete(), expected, "{name}");
    }
}

#[test]
fn inverted_pitch_exchanges_looking_up_and_down() {
    for name in each_task() {
        let mut upright = level(&name, 4);
        let settings = Settings { seed: 4, invert_pitch: true, ..Settings::default() };
        let mut inverted = open(&name, &settings).expect("the same level");
        // A quarter of the range, or 20 pixels: both are far from the steepest.
        let tilt = upright.controls().into_iter().find(|c| c.name.starts_with("LOOK_DOWN_UP")).expect("a control");
        let value = if tilt.whole { 20.0 } else { 0.25 };
        let level_picture = picture(&*upright, 0);
        upright.change(&[(tilt.name, value)]).expect("in range");
        inverted.change(&[(tilt.name, -value)]).expect("in range");
        upright.advance(4).expect("it runs");
        inverted.advance(4).expect("it runs");
        assert!(picture(&*upright, 0) == picture(&*inverted, 0), "{name}");
        assert!(picture(&*upright, 0) != level_picture, "{name}");
    }
}

#[test]
fn memory_check_08_time_limits_are_exact_under_the_raw_zero_action() {
    for name in names() {
        let mut level = level(&name, 8);
        let limit = limit(&name);
        assert_eq!(level.ticks_left(), limit, "{name}");
        assert_eq!(level.advance(limit - 1).expect("it runs"), (0.0, Status::Running), "{name}");
        assert_eq!(level.ticks_left(), 1, "{name}");
        assert_eq!(level.advance(1).expect("it runs"), (0.0, Status::Truncated), "{name}");
    }
}

#[test]
fn memory_check_08_a_time_limit_of_the_callers_overrides_the_levels() {
    for name in each_task() {
        let settings = Settings { seconds: Some(1.5), ..Settings::default() };
        let mut level = open(&name, &settings).unwrap_or_else(|e| panic!("{name}: {e}"));
        let limit = level.ticks_per_second() * 3 / 2;
        assert_eq!(level.advance(limit - 1).expect("it runs").1, Status::Running, "{name}");
        assert_eq!(level.advance(1).expect("it runs").1, Status::Truncated, "{name}");
        let long = Settings { seconds: Some(1000.0), ..Settings::default() };
        let long = open(&name, &long).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(long.ticks_left(), 1000 * long.ticks_per_second(), "{name}");
    }
}

/// One rule of time limits and one text, whatever the task: a tick is enough, and less than one is refused.
#[test]
fn memory_check_08_a_limit_below_one_tick_is_refused_everywhere() {
    for ((task, _, rate), name) in LIMITS.iter().zip(each_task()) {
        let entry = find(&format!("memory/{}-v1", task.replace('_', "-"))).expect("it is registered");
        for (seconds, allowed) in [
            (1.0 / f64::from(*rate), true),
            (36_000.0, true),
            (0.99 / f64::from(*rate), false),
            (0.0, false),
            (-1.0, false),
            (36_000.1, false),
        ] {
            let overrides = [("seconds".to_owned(), json!(seconds))].into_iter().collect();
            let made = entry.make(&overrides, 1, Options::default()).map(|_| ()).map_err(|e| e.to_string());
            let opened = open(&name, &Settings { seconds: Some(seconds), ..Settings::default() });
            let opened = opened.map(|_| ()).map_err(|e| e.to_string());
            let text = format!(
                "`seconds` is `{seconds}`, must be at least one tick of 1/{rate} second and at most 36000 seconds"
            );
            if allowed {
                assert!(made.is_ok() && opened.is_ok(), "{name}: {seconds}");
            } else {
                assert_eq!(opened.unwrap_err(), text, "{name}");
                assert!(made.unwrap_err().ends_with(&text), "{name}");
            }
        }
    }
}

#[test]
fn episodes_are_those_of_the_registry_and_repeat_to_the_bit() {
    for ((task, ..), name) in LIMITS.iter().zip(each_task()) {
        let entry = find(&format!("memory/{}-v1", task.replace('_', "-"))).expect("it is registered");
        let overrides = [("level".to_owned(), json!(name))].into_iter().collect();
        let mut batch = entry.make(&overrides, 1, Options::default()).expect("a valid config");
        let mut seen = Buffers::new(batch.spec(), 1);
        let reset = Reset { seeds: Seeding::Root(Seed(11)), problems: &[], mask: None };
        batch.reset(reset, seen.output()).expect("a seed");
        let mut level = level(&name, 11);
        for episode in [1, 0] {
            level.begin(episode);
        }
        let actions = level.discrete().len() as u32;
        let mut rng = Rng::new(Seed(12));
        for step in 0..200 {
            let FieldRef::U8(pixels) = seen.field(0) else { panic!("{name} shows no picture") };
            if step % 10 == 0 {
                assert!(picture(&*level, 0) == pixels, "{name}: step {step}");
            }
            let action = rng.below(actions);
            act(&mut *level, action as usize);
            let (reward, status) = level.advance(4).expect("it runs");
            batch.step(&[action as i32], seen.output()).expect("a valid action");
            assert_eq!((f64::from(seen.rewards[0]), seen.status[0]), (reward, status), "{name}: step {step}");
            if status.ended() {
                break;
            }
        }
    }
}

#[test]
fn the_size_of_the_picture_changes_nothing_else() {
    for name in each_task() {
        let sizes = [(96, 72), (84, 84), (33, 21)];
        let mut levels = sizes.map(|(width, height)| {
            open(&name, &Settings { seed: 2, width, height, ..Settings::default() }).expect("a valid size")
        });
        let mut rng = Rng::new(Seed(13));
        let actions = levels[0].discrete().len() as u32;
        for _ in 0..2 {
            for _ in 0..200 {
                let action = rng.below(actions) as usize;
                let seen = levels.each_mut().map(|level| {
                    act(&mut **level, action);
                    let result = level.advance(4).expect("it runs");
                    (result, level.position().map(f64::to_bits), level.score(), level.ticks_left())
                });
                assert!(seen[0] == seen[1] && seen[0] == seen[2], "{name}");
                if seen[0].0.1.ended() {
                    break;
                }
            }
            for level in &mut levels {
                level.begin(1);
            }
        }
    }
}
