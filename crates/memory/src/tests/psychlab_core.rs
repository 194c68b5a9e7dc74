//! The `PsychLab` core: gaze, widgets, ticks, and how episodes end (checks 3 to 6, 9 to 13 and 37).

use super::panels::{episode, play, rules, toward, trial};
use super::{find, step};
use crate::level::NAMES;
use crate::psychlab::desk::{Area, Side, Widget, place};
use crate::psychlab::gaze::{Gaze, START_YAW};
use crate::psychlab::rules::{Action, HALF, Phase, State};
use crate::psychlab::{Change, Mapping, PsychLab, Recognition, Task, WhatThenWhere, config, policy};
use crate::walker::config::Observation;
use crate::walker::controls::LabControls;
use crate::walker::raw::Raw;
use heldout_core::{Autoreset, Buffers, Crc, Environment, Options, Reset, Rng, Seed, Status};
use heldout_render::panel::{Panel, Sight, Surface, Texel};
use heldout_render::{Image, Rgb};
use serde_json::{Map, Value, json};

const IDS: [&str; 4] = [
    "memory/arbitrary-visuomotor-mapping-v1",
    "memory/continuous-recognition-v1",
    "memory/change-detection-v1",
    "memory/what-then-where-v1",
];

fn overrides(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("not an object") };
    map
}

/// An episode ends once; the next step begins another one.
#[test]
fn memory_check_03_an_episode_ends_once_and_the_next_step_begins_another() {
    for id in IDS {
        let mut env =
            find(id).unwrap().make(&overrides(json!({"observation": "symbolic"})), 1, Options::default()).unwrap();
        let mut buffers = Buffers::new(env.spec(), 1);
        env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
        let first = buffers.rows().row(0).f32(0).to_vec();
        let mut ends = 0;
        let mut steps = 0;
        while ends < 2 {
            // Looking up leads away from the screen, and the episode ends there.
            env.step(&[3], buffers.output()).unwrap();
            steps += 1;
            if buffers.status[0].ended() {
                ends += 1;
                assert_eq!(buffers.status[0], Status::Terminated, "{id}");
                env.step(&[3], buffers.output()).unwrap();
                assert_eq!((buffers.status[0], buffers.rewards[0]), (Status::Running, 0.0), "{id}");
                let begun = buffers.rows().row(0).f32(0).to_vec();
                // The cross is there, the gaze at the middle height, and another episode has another yaw.
                assert_eq!((begun[1], begun[2], begun[3]), (0.5, 1.0, 1.0), "{id}");
                assert_ne!(begun[0], first[0], "{id}");
            }
            assert!(steps < 400, "{id}: no episode ended");
        }
    }
}

/// One digest over all frames and rewards, on two threads and on eight, twice.
#[test]
fn memory_check_04_threads_and_repetition_change_nothing() {
    for id in IDS {
        let digest = |threads: usize| {
            let options = Options { threads, max_steps: Some(30), ..Options::default() };
            let mut env = find(id).unwrap().make(&Map::new(), 24, options).unwrap();
            let mut buffers = Buffers::new(env.spec(), 24);
            buffers.poison(0x55);
            env.seat(0, "oracle", Seed(2)).unwrap();
            env.reset(Reset::seed(Seed(8)), buffers.output()).unwrap();
            let mut crc = Crc::new();
            let mut actions = vec![0; 24];
            for _ in 0..70 {
                env.act(&buffers.rows(), &mut actions).unwrap();
                env.step(&actions, buffers.output()).unwrap();
                buffers.digest(&mut crc);
            }
            crc.value()
        };
        let two = digest(2);
        assert_eq!([digest(2), digest(8), digest(8)], [two; 3], "{id}");
    }
}

/// Rewards and ends do not depend on how the panel is seen.
#[test]
fn memory_check_05_views_have_the_same_rewards_and_ends() {
    let views = [
        json!({}),
        json!({"width": 84, "height": 84}),
        json!({"view": "panel2d"}),
        json!({"observation": "symbolic", "previous": true}),
        json!({"width": 33, "height": 16, "reticle": false}),
    ];
    for id in IDS {
        let entry = find(id).unwrap();
        // Half of the copies are played by the oracle, so that there are rewards, and half at random.
        let script = {
            let mut env = entry.make(&overrides(views[3].clone()), 6, Options::default()).unwrap();
            let mut buffers = Buffers::new(env.spec(), 6);
            env.seat(0, "oracle", Seed(2)).unwrap();
            env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
            let mut rng = Rng::new(Seed(9));
            let mut script = Vec::new();
            for _ in 0..400 {
                let mut actions = vec![0; 6];
                env.act(&buffers.rows(), &mut actions).unwrap();
                actions[3..].fill_with(|| rng.below(5) as i32);
                env.step(&actions, buffers.output()).unwrap();
                script.push(actions);
            }
            script
        };
        let logs: Vec<_> = views
            .iter()
            .map(|view| {
                let mut env = entry.make(&overrides(view.clone()), 6, Options::default()).unwrap();
                let mut buffers = Buffers::new(env.spec(), 6);
                env.reset(Reset::seed(Seed(4)), buffers.output()).unwrap();
                script
                    .iter()
                    .map(|actions| {
                        env.step(actions, buffers.output()).unwrap();
                        (buffers.rewards.clone(), buffers.status.clone())
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let paid: f32 = logs[0].iter().flat_map(|(rewards, _)| rewards).sum();
        let ends = logs[0].iter().flat_map(|(_, status)| status).filter(|s| s.ended()).count();
        assert!(paid >= 10.0 && ends >= 1, "{id}: {paid} paid, {ends} ends");
        for (view, log) in views.iter().zip(&logs) {
            assert!(log == &logs[0], "{id} {view}");
        }
    }
}

/// A step is four ticks, fewer where the episode ends within it.
#[test]
fn memory_check_06_a_step_is_four_ticks() {
    fn check<T: Task>() {
        let env = rules::<T>(|_| ());
        let mut rng = Rng::new(Seed(7));
        for number in 0..20 {
            let mut stepped = env.start(episode(number));
            let mut ticked = stepped.clone();
            loop {
                let action = *rng.pick(&Action::ALL);
                let (reward, status) = step(&env, &mut stepped, action);
                let controls = PsychLab::<T>::controls(action);
                let mut sum = 0.0;
                let mut last = Status::Running;
                for _ in 0..4 {
                    if !last.ended() {
                        let (reward, status) = env.tick(&mut ticked, &controls);
                        sum += reward;
                        last = status;
                    }
                }
                assert_eq!((reward, status, stepped.ticks), (sum, last, ticked.ticks));
                assert_eq!((&stepped.gaze, &stepped.desk, &stepped.trial), (&ticked.gaze, &ticked.desk, &ticked.trial));
                if status.ended() {
                    break;
                }
            }
        }
    }
    check::<Mapping>();
    check::<Recognition>();
    check::<Change>();
    check::<WhatThenWhere>();
}

/// The 301st consecutive tick off the screen ends the episode, and a look back starts the count again.
#[test]
fn memory_check_09_the_301st_tick_off_the_screen_ends_the_episode() {
    let env = rules::<Recognition>(|_| ());
    let mut state = env.start(episode(0));
    let look_away = |state: &mut State<_>| {
        while state.gaze.on_screen().is_some() {
            assert_eq!(env.tick(state, &LabControls::look(0, 20)).1, Status::Running);
        }
    };
    look_away(&mut state);
    for _ in 0..200 {
        assert_eq!(env.tick(&mut state, &LabControls::look(0, 0)).1, Status::Running);
    }
    while state.gaze.on_screen().is_none() {
        assert_eq!(env.tick(&mut state, &LabControls::look(0, -20)).1, Status::Running);
    }
    // The first tick off the screen is the one that leaves it.
    look_away(&mut state);
    for tick in 2..=300 {
        assert_eq!(env.tick(&mut state, &LabControls::look(0, 0)), (0.0, Status::Running), "tick {tick}");
    }
    assert_eq!(env.tick(&mut state, &LabControls::look(0, 0)), (0.0, Status::Terminated));
}

/// Entering a button pays nothing, however long the gaze stays; the tick that leaves it pays 1 if it is the right one; and
/// nothing more is paid in the trial, wherever the gaze goes.
#[test]
fn memory_check_10_a_response_is_paid_on_leaving_and_once() {
    fn check<T: Task>() {
        let env = rules::<T>(|_| ());
        for (right, stay, outwards) in [(true, 10, false), (false, 10, false), (true, 0, true), (false, 0, true)] {
            let mut state = env.start(episode(2));
            let mut button = T::SIDES[0];
            while state.response.is_none() {
                let answer = env.task().answer(&state.trial);
                let other = *T::SIDES.iter().find(|&&side| side != answer).unwrap();
                button = if right { answer } else { other };
                assert_eq!(play(&env, &mut state, button).0, 0.0, "the tick of the entry included");
            }
            assert_eq!(state.response, Some(button));
            let area = place(Widget::Button(button), env.task().places());
            let within = |gaze: &Gaze| gaze.on_screen().is_some_and(|at| area.holds(at));
            assert!(within(&state.gaze));
            for _ in 0..stay {
                assert_eq!(env.tick(&mut state, &LabControls::look(0, 0)).0, 0.0);
            }
            // Back to the middle, or on over the edge of the screen.
            let middle = toward(&env, &state.gaze, Widget::Trigger);
            let leave = if outwards { LabControls::look(-middle.turn, -middle.tilt) } else { middle };
            let pays = f32::from(u8::from(right));
            loop {
                let (reward, _) = env.tick(&mut state, &leave);
                if !within(&state.gaze) {
                    assert_eq!(reward, pays, "the tick that leaves");
                    break;
                }
                assert_eq!(reward, 0.0, "paid before the gaze left");
            }
            assert_eq!((state.trials, state.right), (1, u32::from(right)));
            // Into every place where a button was and out again, twice, never over the cross: no trial begins, nothing is paid.
            for side in T::SIDES.iter().chain(T::SIDES) {
                let (u, v) = place(Widget::Button(*side), env.task().places()).middle();
                for (u, v) in [(u, v), (u, v), (0.3, 0.3)] {
                    let yaw = libm::atan((u - 0.5) * 112.0 / 90.5);
                    let pitch = libm::atan((0.5 - v) * 112.0 / 90.5 * libm::cos(yaw));
                    state.gaze = Gaze::new(yaw.to_degrees(), pitch.to_degrees());
                    let (reward, _) = env.tick(&mut state, &LabControls::look(0, 0));
                    assert_eq!((reward, state.response, state.trials), (0.0, None, 1), "{side:?} after the trial");
                }
            }
            assert_eq!(state.phase, Phase::Fixation);
        }
    }
    check::<Mapping>();
    check::<Recognition>();
    check::<Change>();
    check::<WhatThenWhere>();
}

/// A gaze that leaves one button for another within a tick answers with the first, and the trial is over.
#[test]
fn leaving_comes_before_entering() {
    let env = rules::<Mapping>(|_| ());
    let mut state = env.start(episode(1));
    while state.response.is_none() {
        play(&env, &mut state, Side::Left);
    }
    // From the left button to the right one in one tick.
    state.gaze = Gaze::new(-26.5, 0.0);
    assert_eq!(env.tick(&mut state, &LabControls::look(0, 0)).0, 0.0);
    let (reward, _) = env.tick(&mut state, &LabControls::look(512, 0));
    assert!(state.gaze.on_screen().unwrap().0 > 0.9);
    let answer = Side::Left == env.task().answer(&env.start(episode(1)).trial);
    assert_eq!((state.trials, state.response), (1, None));
    assert_eq!(reward, f32::from(u8::from(answer)));
    assert_eq!(state.phase, Phase::Interval);
}

#[test]
fn memory_check_11_only_a_gaze_in_the_middle_begins_a_trial() {
    let env = rules::<Recognition>(|_| ());
    let degrees = |share: f64| libm::atan(share * 112.0 / 90.5).to_degrees();
    for (across, down, begins) in [
        (0.0, 0.0, true),
        (0.0249, 0.0, true),
        (0.0, -0.0249, true),
        (-0.0249, 0.0249, true),
        (0.026, 0.0, false),
        (-0.026, 0.0, false),
        (0.0, 0.026, false),
        (0.0, -0.026, false),
    ] {
        let mut state = env.start(episode(0));
        let yaw = degrees(across);
        let pitch = libm::atan(-down * 112.0 / 90.5 * libm::cos(yaw.to_radians())).to_degrees();
        state.gaze = Gaze::new(yaw, pitch);
        env.tick(&mut state, &LabControls::look(0, 0));
        assert_eq!(state.phase == Phase::Scene(0), begins, "{across} {down}");
    }
}

/// The field of view has 90 x 73.7 degrees.
#[test]
fn the_middle_is_in_view_within_45_degrees_across_and_37_up() {
    for (yaw, pitch, seen) in [
        (0.0, 0.0, true),
        (44.9, 0.0, true),
        (-44.9, 0.0, true),
        (45.1, 0.0, false),
        (-45.1, 0.0, false),
        (0.0, 36.8, true),
        (0.0, -36.8, true),
        (0.0, 36.9, false),
        (0.0, -36.9, false),
        (44.0, 36.0, false),
        (180.0, 0.0, false),
        (360.0, 0.0, true),
    ] {
        assert_eq!(Gaze::new(yaw, pitch).sees_middle(), seen, "{yaw} {pitch}");
    }
}

#[test]
fn memory_check_12_the_screen_is_as_large_as_published() {
    assert!((libm::atan(HALF).to_degrees() - 31.7).abs() < 0.1);
    // Straight ahead at 96x72, the screen takes 59 columns and 59 rows.
    let panel = Panel::new(96, 72, HALF, false);
    let mut picture = Image::new(96, 72);
    let red = vec![Texel::new(Rgb::RED); 64 * 64];
    panel.draw(Sight::Turned { yaw: 0.0, pitch: 0.0 }, Some(Surface::new(64, &red)), &mut picture.canvas());
    let is_red = |x: usize, y: usize| picture.pixels()[(y * 96 + x) * 3..][..3] == [255, 0, 0];
    let columns = (0..96).filter(|&x| is_red(x, 36)).count();
    let rows = (0..72).filter(|&y| is_red(48, y)).count();
    assert!((58..=60).contains(&columns) && (58..=60).contains(&rows), "{columns} x {rows}");
    // Start yaws fill the range.
    let env = rules::<Recognition>(|c: &mut config::RecognitionConfig| c.level = "train".into());
    let yaws: Vec<f64> = (0..2000).map(|number| env.start(episode(number)).gaze.yaw).collect();
    assert!(yaws.iter().all(|yaw| yaw.abs() <= START_YAW));
    assert!(yaws.iter().any(|&yaw| yaw < -22.0) && yaws.iter().any(|&yaw| yaw > 22.0));
    let mean = yaws.iter().sum::<f64>() / 2000.0;
    assert!(mean.abs() < 5.0 * START_YAW / 3.0_f64.sqrt() / 2000.0_f64.sqrt(), "{mean}");
}

/// A gaze that crosses the middle at 16 pixel units per tick begins the trial, wherever its ticks fall.
#[test]
fn memory_check_13_crossing_the_middle_always_begins_the_trial() {
    let env = rules::<Recognition>(|_| ());
    for part in 0..400 {
        // Sub-steps of a tick's 1.6896 degrees, and places within the trigger across the way.
        let phase = 1.6896 * f64::from(part) / 400.0;
        for aside in [-1.7, 0.0, 1.7] {
            for (gaze, turn) in [
                (Gaze::new(-9.0 - phase, aside), LabControls::look(16, 0)),
                (Gaze::new(9.0 + phase, aside), LabControls::look(-16, 0)),
                (Gaze::new(aside, -9.0 - phase), LabControls::look(0, 16)),
                (Gaze::new(aside, 9.0 + phase), LabControls::look(0, -16)),
            ] {
                let mut state = env.start(episode(0));
                state.gaze = gaze;
                let mut begun = false;
                for _ in 0..10 {
                    env.tick(&mut state, &turn);
                    begun |= state.phase == Phase::Scene(0);
                }
                assert!(begun, "{gaze:?} {turn:?}");
            }
        }
    }
}

/// From any yaw at the start every button, the cross and the disk can be met, before the pitch has been clamped and after
/// it has been, above or below: it then stays on another lattice.
#[test]
fn amendment_40_every_widget_can_be_met_from_every_start() {
    fn check<T: Task>() {
        let env = rules::<T>(|_| ());
        let ticks = |gaze: &mut Gaze, action: Action, each: &mut dyn FnMut(&Gaze)| {
            let LabControls { turn, tilt, .. } = PsychLab::<T>::controls(action);
            for _ in 0..4 {
                gaze.turn(turn, tilt);
                each(gaze);
            }
        };
        let widgets: Vec<Area> = T::SIDES
            .iter()
            .map(|&side| Widget::Button(side))
            .chain([Widget::Trigger, Widget::Disk])
            .map(|widget| place(widget, env.task().places()))
            .collect();
        for number in 0..1000 {
            let start = env.start(episode(number)).gaze;
            for clamped in [None, Some((Action::Up, Action::Down)), Some((Action::Down, Action::Up))] {
                let mut gaze = start;
                if let Some((away, back)) = clamped {
                    (0..14).for_each(|_| ticks(&mut gaze, away, &mut |_| ()));
                    assert_eq!(gaze.pitch.abs(), 87.0);
                    (0..13).for_each(|_| ticks(&mut gaze, back, &mut |_| ()));
                }
                let mut met = vec![false; widgets.len()];
                let mut note = |gaze: &Gaze| {
                    if let Some(at) = gaze.on_screen() {
                        met.iter_mut().zip(&widgets).for_each(|(met, widget)| *met |= widget.holds(at));
                    }
                };
                // Along every column and every row of the lattice near the screen.
                for (to, from, along) in [
                    (Action::Left, Action::Right, Action::Up),
                    (Action::Left, Action::Right, Action::Down),
                    (Action::Up, Action::Down, Action::Left),
                    (Action::Up, Action::Down, Action::Right),
                ] {
                    let mut corner = gaze;
                    (0..6).for_each(|_| ticks(&mut corner, to, &mut |_| ()));
                    for _ in 0..13 {
                        let mut walked = corner;
                        for _ in 0..8 {
                            ticks(&mut walked, along, &mut note);
                        }
                        ticks(&mut corner, from, &mut |_| ());
                    }
                }
                assert!(!met.contains(&false), "{} from {}, clamped {clamped:?}: {met:?}", T::NAME, start.yaw);
            }
        }
    }
    check::<Mapping>();
    check::<Recognition>();
    check::<Change>();
    check::<WhatThenWhere>();
}

/// The oracle has every trial right and never turns round.
#[test]
fn amendment_40_the_oracle_never_turns_round() {
    fn check<T: Task>() {
        let env = rules::<T>(|_| ());
        for number in 0..60 {
            let mut state = env.start(episode(number));
            loop {
                let action = policy::steer(&env, &state, || env.task().answer(&state.trial));
                let (_, status) = step(&env, &mut state, action);
                assert!(state.gaze.yaw.abs() < 45.0, "{}: yaw {}", T::NAME, state.gaze.yaw);
                if status.ended() {
                    break;
                }
            }
            assert_eq!((state.right, state.status), (env.trials, Status::Terminated), "{}", T::NAME);
        }
    }
    check::<Mapping>();
    check::<Recognition>();
    check::<Change>();
    check::<WhatThenWhere>();
}

/// A raw servo plays a whole episode: a trial cap ends it with `Terminated` on the tick of the last response.
#[test]
fn the_trial_cap_ends_the_episode_on_the_tick_of_the_last_response() {
    let env = rules::<Recognition>(|_| ());
    let mut state = env.start(episode(3));
    for number in 1..=50 {
        let (reward, status) = trial(&env, &mut state, true);
        assert_eq!(reward, 1.0);
        assert_eq!(status, if number == 50 { Status::Terminated } else { Status::Running });
    }
    assert_eq!(state.right, 50);
}

/// A time limit is exact: 300 seconds of 60 ticks, 4,500 steps.
#[test]
fn the_time_limit_truncates_after_its_ticks() {
    for (level, ticks) in [("train", 18_000), ("holdout_extrapolate", 27_000)] {
        let env = rules::<Recognition>(|c: &mut config::RecognitionConfig| c.level = level.into());
        let mut state = env.start(episode(5));
        while env.tick(&mut state, &LabControls::look(0, 0)).1 == Status::Running {}
        assert_eq!((state.ticks, state.status), (ticks, Status::Truncated));
    }
    let env = rules::<WhatThenWhere>(|_| ());
    let mut state = env.start(episode(5));
    let mut steps = 0;
    while step(&env, &mut state, Action::Noop).1 == Status::Running {
        steps += 1;
    }
    assert_eq!((state.ticks, steps + 1), (36_000, 9000));
}

/// The mean return of `policy` over some episodes, and each of them.
fn returns(id: &str, level: &str, policy: &str, episodes: usize) -> Vec<f64> {
    let config = overrides(json!({"observation": "symbolic", "level": level}));
    let options = Options { autoreset: Autoreset::Disabled, threads: 2, ..Options::default() };
    let mut env = find(id).unwrap().make(&config, episodes, options).unwrap();
    let mut buffers = Buffers::new(env.spec(), episodes);
    env.seat(0, policy, Seed(2)).unwrap();
    env.reset(Reset::seed(Seed(17)), buffers.output()).unwrap();
    let mut sums = vec![0.0; episodes];
    let mut over = vec![false; episodes];
    let mut actions = vec![0; episodes];
    while over.contains(&false) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        let mask: Vec<bool> = buffers.status.iter().map(|status| status.ended()).collect();
        if mask.contains(&true) {
            env.reset(Reset { mask: Some(&mask), ..Reset::default() }, buffers.output()).unwrap();
        }
        env.step(&actions, buffers.output()).unwrap();
        for copy in 0..episodes {
            if !over[copy] {
                sums[copy] += f64::from(buffers.rewards[copy]);
                over[copy] = buffers.status[copy].ended();
            }
        }
    }
    sums
}

#[test]
fn memory_check_37_random_scores_next_to_nothing_and_the_oracle_everything() {
    for id in IDS {
        for level in NAMES {
            let random = returns(id, level, "random", 60);
            let mean = random.iter().sum::<f64>() / 60.0;
            assert!(mean <= 1.0, "{id} {level}: random scores {mean}");
            let grows = id.contains("mapping") || id.contains("recognition");
            let cap = match level {
                "interpolate" | "holdout_interpolate" if grows => 40.0,
                "extrapolate" | "holdout_extrapolate" if grows => 75.0,
                _ => 50.0,
            };
            let oracle = returns(id, level, "oracle", 24);
            assert!(oracle.iter().all(|&score| score == cap), "{id} {level}: {oracle:?}");
        }
    }
}

/// What a player without memory gets in expectation, and the variance of an episode: the mapping task by an exact
/// recursion over its blocks, the others trial by trial.
fn memoryless_level(id: &str, level: &str) -> (f64, f64) {
    let trials = match level {
        "holdout_interpolate" => 40,
        "holdout_extrapolate" => 75,
        _ => 50,
    };
    match id {
        "memory/continuous-recognition-v1" => {
            let rest = f64::from(trials - 1);
            (1.0 + rest / 2.0, rest / 4.0)
        }
        "memory/change-detection-v1" => (25.0, 12.5),
        "memory/what-then-where-v1" => (12.5, 50.0 * 3.0 / 16.0),
        _ => {
            // By simulation of the staircase on its own: cued displays are right, others with a chance of a quarter.
            let mut rng = Rng::new(Seed(99));
            let runs = 40_000;
            let scores: Vec<f64> = (0..runs)
                .map(|_| {
                    let (mut size, mut cued, mut left, mut score) = (1_u32, true, trials, 0);
                    while left > 0 {
                        let first_at = rng.below(size);
                        let mut faultless = true;
                        for at in 0..size.min(left as u32) {
                            let right = (cued && at == first_at) || rng.below(4) == 0;
                            faultless &= right;
                            score += i32::from(right);
                        }
                        // A block that was cut off by the cap matters no more.
                        left -= size.min(left as u32) as i32;
                        cued = faultless;
                        size += u32::from(faultless);
                    }
                    f64::from(score)
                })
                .collect();
            let mean = scores.iter().sum::<f64>() / f64::from(runs);
            (mean, scores.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / f64::from(runs))
        }
    }
}

#[test]
fn memory_check_37_without_memory_scores_are_at_the_published_levels() {
    const EPISODES: usize = 160;
    for id in IDS {
        for level in ["train", "holdout_interpolate", "holdout_extrapolate"] {
            let (expected, variance) = memoryless_level(id, level);
            let scores = returns(id, level, "memoryless", EPISODES);
            let mean = scores.iter().sum::<f64>() / EPISODES as f64;
            let bound = 5.0 * (variance / EPISODES as f64).sqrt();
            assert!((mean - expected).abs() <= bound, "{id} {level}: {mean}, expected {expected} +- {bound}");
        }
    }
    // The figures that the published rules were simulated to.
    for (level, published) in [("train", 14.6), ("holdout_interpolate", 12.1), ("holdout_extrapolate", 21.0)] {
        let (expected, _) = memoryless_level("memory/arbitrary-visuomotor-mapping-v1", level);
        assert!((expected - published).abs() < 0.3, "{level}: {expected}");
    }
}

/// Widgets react in closed bounds.
#[test]
fn bounds_are_closed() {
    let rect = Area::around(0.5, 0.5, 0.5);
    assert!(rect.holds((0.25, 0.75)) && rect.holds((0.5, 0.5)));
    assert!(!rect.holds((0.249_999, 0.5)) && !rect.holds((0.5, 0.750_001)));
}

/// A symbolic observation never shows what is out of sight or not displayed.
#[test]
fn symbols_are_hidden_when_the_screen_is() {
    fn check<T: Task>(symbolic: impl FnOnce(&mut T::Config)) {
        let env: PsychLab<T> = rules::<T>(symbolic);
        let mut state = env.start(episode(2));
        while !matches!(state.phase, Phase::Scene(0)) {
            play(&env, &mut state, Side::Left);
        }
        let see = |state: &State<T::Trial>| {
            let spec = env.spec();
            let mut row = vec![f32::NAN; spec.observation[0].len()];
            let mut rows = heldout_core::Rows::new(&spec.observation, [heldout_core::FieldMut::F32(&mut row)]);
            env.observe(state, 0, rows.row(0));
            row
        };
        let shown = see(&state);
        assert!(shown[29..].iter().any(|&x| x != 0.0));
        state.gaze = Gaze::new(170.0, 0.0);
        let hidden = see(&state);
        assert!(hidden[29..].iter().all(|&x| x == 0.0) && hidden[2..5] == [0.0; 3]);
        assert!((0..4).all(|button| hidden[5 + 6 * button] == 1.0));
    }
    use Observation::Symbolic;
    check::<Mapping>(|c| c.observation = Symbolic);
    check::<Recognition>(|c| c.observation = Symbolic);
    check::<Change>(|c| c.observation = Symbolic);
    check::<WhatThenWhere>(|c| c.observation = Symbolic);
}

/// Every size is painted whole, the largest too, and shows the same scene: its means agree with those of the default size.
#[test]
fn pictures_of_any_size_show_the_same_scene() {
    for id in IDS {
        let means = |width: usize, height: usize, view: &str| {
            let config = overrides(json!({"width": width, "height": height, "view": view, "reticle": false}));
            let mut env = find(id).unwrap().make(&config, 1, Options::default()).unwrap();
            let mut buffers = Buffers::new(env.spec(), 1);
            env.seat(0, "oracle", Seed(2)).unwrap();
            env.reset(Reset::seed(Seed(21)), buffers.output()).unwrap();
            let mut actions = [0];
            for _ in 0..4 {
                env.act(&buffers.rows(), &mut actions).unwrap();
                buffers.poison(0x55);
                env.step(&actions, buffers.output()).unwrap();
            }
            let rows = buffers.rows();
            let pixels = rows.row(0).u8(0);
            [0, 1, 2]
                .map(|c| pixels.iter().skip(c).step_by(3).map(|&x| f64::from(x)).sum::<f64>() / (width * height) as f64)
        };
        for view in ["first_person", "panel2d"] {
            let expected = means(96, 72, view);
            for (width, height) in [(1024, 768), (320, 240), (160, 120), (16, 16), (1024, 16), (16, 1024)] {
                let found = means(width, height, view);
                // Other proportions show another part of the room.
                if 3 * width == 4 * height {
                    let off = expected.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(off < 4.0, "{id} {view} {width}x{height}: {expected:?} {found:?}");
                }
            }
        }
    }
}
