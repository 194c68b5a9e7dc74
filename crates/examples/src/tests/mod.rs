//! The rules of the two examples.

use heldout_core::{Batch, Buffers, Environment, Options, Reset, Seed, Start, Status, VecEnv};
use serde_json::{Value, json};

use crate::signal::{Act, Sign};
use crate::{grid, signal};

fn play<E: Environment<Variant = ()>>(config: &E::Config, policy: &str, copies: usize) -> Vec<Vec<f32>> {
    let mut env = Batch::<E>::new(config, (), copies, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), copies);
    for agent in 0..env.spec().agents.len() {
        env.seat(agent, policy, Seed(0)).unwrap();
    }
    env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
    let mut actions = vec![0; copies * env.spec().action_width()];
    let mut ends = vec![Vec::new(); copies];
    let width = env.spec().metrics.len();
    while ends.iter().any(Vec::is_empty) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        for (copy, end) in ends.iter_mut().enumerate() {
            if buffers.status[copy].ended() && end.is_empty() {
                *end = buffers.metrics[copy * width..(copy + 1) * width].to_vec();
            }
        }
    }
    ends
}

#[test]
fn grid_splits_share_no_goal_column() {
    for (split, parity) in [(grid::Split::Train, 0), (grid::Split::Heldout, 1)] {
        for size in [3, 6, 7, 15] {
            let config = grid::Config { split, size, levels: 500, ..grid::Config::default() };
            let rules = grid::Grid::new(&config, ()).unwrap();
            assert_eq!(rules.levels.len(), 500);
            for level in rules.levels {
                assert_eq!(u32::from(level.goal) % size % 2, parity, "{split:?}, size {size}");
            }
        }
    }
}

#[test]
fn grid_levels_belong_to_the_environment() {
    let few = grid::Grid::new(&grid::Config { levels: 5, ..grid::Config::default() }, ()).unwrap();
    let many = grid::Grid::new(&grid::Config { levels: 50, ..grid::Config::default() }, ()).unwrap();
    assert_eq!(few.levels, &many.levels[..5]);
    assert_ne!(many.levels[0], many.levels[1]);
}

#[test]
fn grid_oracle_takes_the_shortest_way() {
    for split in [grid::Split::Train, grid::Split::Heldout] {
        let config = grid::Config { split, ..grid::Config::default() };
        for metrics in play::<grid::Grid>(&config, "oracle", 300) {
            let [total, length, _, success, ratio] = metrics[..] else { panic!("{metrics:?}") };
            assert_eq!((success, ratio), (1.0, 1.0));
            assert!((total - (1.0 - 0.01 * (length - 1.0))).abs() < 1e-6, "{total} in {length} steps");
        }
    }
}

#[test]
fn grid_moves_bump_and_reach() {
    let config = grid::Config { walls: 0.0, size: 3, levels: 1, ..grid::Config::default() };
    let mut env = Batch::<grid::Grid>::new(&config, (), 1, Options::default()).unwrap();
    let mut out = Buffers::new(env.spec(), 1);
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    // Up until the edge, or until a goal on the way: from the edge a move up bumps, costs its step and changes nothing.
    let mut seed = 1;
    while out.rows().row(0).i32(1)[1] != 0 {
        seed += 1;
        env.reset(Reset::seed(Seed(seed)), out.output()).unwrap();
    }
    let place = out.rows().row(0).i32(1).to_vec();
    assert_eq!(out.rows().row(0).u8(2)[0], 1);
    env.step(&[0], out.output()).unwrap();
    assert_eq!(out.rows().row(0).i32(1), place);
    assert_eq!((out.rewards[0], out.status[0]), (-0.01, Status::Running));
    assert_eq!(out.metrics[env.spec().metric("bumped").unwrap()], 1.0);
    let goal = env.rules().levels[0].goal;
    let (goal_x, goal_y) = (i32::from(goal) % 3, i32::from(goal) / 3);
    for _ in 0..4 {
        if out.status[0] != Status::Running {
            break;
        }
        let [x, y] = *out.rows().row(0).i32(1) else { panic!() };
        let action = if x < goal_x {
            1
        } else if x > goal_x {
            3
        } else if y < goal_y {
            2
        } else {
            0
        };
        env.step(&[action], out.output()).unwrap();
    }
    assert_eq!((out.status[0], out.rewards[0]), (Status::Terminated, 1.0));
    assert_eq!(out.rows().row(0).f32(0), [0.0, 0.0]);
}

#[test]
fn grid_slips_at_the_rate_it_says() {
    // On an open grid, from a cell that is not at an edge: a move to the right goes right unless it slips to one of the
    // three other directions.
    let config = grid::Config { slip: 0.4, walls: 0.0, size: 15, max_steps: 100_000, ..grid::Config::default() };
    let mut env = Batch::<grid::Grid>::new(&config, (), 200, Options::default()).unwrap();
    let mut out = Buffers::new(env.spec(), 200);
    env.reset(Reset::seed(Seed(3)), out.output()).unwrap();
    let (mut moves, mut straight) = (0, 0);
    let place = |out: &Buffers, copy: usize| {
        let rows = out.rows();
        let row = rows.row(copy);
        (row.i32(1)[0], row.i32(1)[1], row.u8(2).iter().all(|&b| b == 0))
    };
    for step in 0..300 {
        let before: Vec<_> = (0..200).map(|copy| place(&out, copy)).collect();
        let running: Vec<_> = out.status.iter().map(|s| !s.ended()).collect();
        // Right and left in turn, so that they stay off the edges.
        let (action, dx) = if step % 2 == 0 { (1, 1) } else { (3, -1) };
        env.step(&[action; 200], out.output()).unwrap();
        for copy in (0..200).filter(|&copy| running[copy] && before[copy].2) {
            moves += 1;
            let (x, y, _) = place(&out, copy);
            straight += u32::from((x, y) == (before[copy].0 + dx, before[copy].1));
        }
    }
    let (expected, n) = (1.0 - 0.4 * 0.75, f64::from(moves));
    let share = f64::from(straight) / n;
    assert!((share - expected).abs() < 5.0 * (expected * (1.0 - expected) / n).sqrt(), "{share} of {moves}");
}

#[test]
fn signal_train_never_shows_a_held_out_sign() {
    for (split, doors) in [(signal::Split::Train, 3), (signal::Split::Train, 4), (signal::Split::Heldout, 4)] {
        let config = signal::Config { split, doors, rounds: 50 };
        let mut env = Batch::<signal::Signal>::new(&config, (), 20, Options::default()).unwrap();
        let mut out = Buffers::new(env.spec(), 20);
        env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
        for step in 0..100 {
            for copy in 0..20 {
                let rows = out.rows();
                let held_out = |features: &[f32]| features[..4] == features[4..];
                let target = rows.row(2 * copy).f32(0)[..8].to_vec();
                let seen: Vec<bool> = rows.row(2 * copy + 1).f32(0).chunks(8).map(held_out).collect();
                let expected = usize::from(split == signal::Split::Heldout);
                assert_eq!(seen.iter().filter(|h| **h).count(), expected, "step {step}");
                assert_eq!(held_out(&target), split == signal::Split::Heldout);
                let same = rows.row(2 * copy + 1).f32(0).chunks(8).filter(|f| **f == target).count();
                assert_eq!(same, 1, "exactly one door is right");
            }
            let actions: Vec<i32> = (0..20).flat_map(|_| [0, 0, doors as i32]).collect();
            env.step(&actions, out.output()).unwrap();
            if out.status[0].ended() {
                break;
            }
        }
    }
}

#[test]
fn signal_oracles_understand_each_other_on_every_split() {
    for split in [signal::Split::Train, signal::Split::Heldout] {
        let config = signal::Config { split, ..signal::Config::default() };
        for metrics in play::<signal::Signal>(&config, "oracle", 100) {
            // return, length, each agent's return, round, accuracy.
            assert_eq!(metrics, [8.0, 16.0, 8.0, 8.0, 8.0, 1.0]);
        }
    }
    let random = play::<signal::Signal>(&signal::Config::default(), "random", 2000);
    let accuracy = random.iter().map(|m| f64::from(m[5])).sum::<f64>() / 2000.0;
    // A door out of three and waiting, all equally likely: a quarter, within five standard errors.
    assert!((accuracy - 0.25).abs() < 5.0 * (0.25 * 0.75 / 16_000_f64).sqrt(), "{accuracy}");
}

#[test]
fn signal_haste_costs_the_walker_alone() {
    let mut env = Batch::<signal::Signal>::new(&signal::Config::default(), (), 1, Options::default()).unwrap();
    let mut out = Buffers::new(env.spec(), 1);
    env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
    assert_eq!(out.rows().row(1).i32(2), [-1, -1]);
    env.step(&[2, 1, 0], out.output()).unwrap();
    assert_eq!(out.rewards, [0.0, -0.1]);
    assert_eq!(out.rows().row(1).i32(2), [2, 1]);
    assert_eq!(out.rows().row(0).i32(2), [0, 0], "the guide lacks the message");
    assert_eq!(out.rows().row(1).text(1), "", "the walker lacks the word");
}

/// What the agents do never changes the rounds they are given.
#[test]
fn signal_rounds_do_not_depend_on_actions() {
    let doors = |door: i32| {
        let mut env = Batch::<signal::Signal>::new(&signal::Config::default(), (), 1, Options::default()).unwrap();
        let mut out = Buffers::new(env.spec(), 1);
        env.reset(Reset::seed(Seed(1)), out.output()).unwrap();
        let mut seen = Vec::new();
        for _ in 0..30 {
            seen.push(out.rows().row(1).f32(0).to_vec());
            env.step(&[door % 4, 0, door], out.output()).unwrap();
        }
        seen
    };
    assert_eq!(doors(0), doors(3));
}

const START: Start = Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(0) };

#[test]
fn grid_words_are_a_map() {
    let config = grid::Config { size: 4, levels: 1, ..grid::Config::default() };
    let rules = grid::Grid::new(&config, ()).unwrap();
    let state = rules.start(START);
    let map = rules.words(&state);
    assert_eq!(map.lines().map(str::len).collect::<Vec<_>>(), [4; 4]);
    let cells: String = map.lines().collect();
    let level = &rules.levels[0];
    assert_eq!(cells.find('G'), Some(usize::from(level.goal)));
    // What is observed agrees with the map.
    let mut out = Buffers::new(rules.spec(), 1);
    rules.observe(&state, 0, out.output().rows.row(0));
    let [x, y] = *out.rows().row(0).i32(1) else { panic!() };
    assert_eq!(cells.find('@'), Some((y * 4 + x) as usize));
    let at = |x: i32, y: i32| {
        if (0..4).contains(&x) && (0..4).contains(&y) { &cells[(y * 4 + x) as usize..][..1] } else { "#" }
    };
    let blocked = [at(x, y - 1), at(x + 1, y), at(x, y + 1), at(x - 1, y)].map(|c| u8::from(c == "#"));
    assert_eq!(out.rows().row(0).u8(2), blocked);
}

#[test]
fn signal_words_tell_the_round() {
    let rules = signal::Signal::new(&signal::Config { rounds: 1, ..signal::Config::default() }, ()).unwrap();
    let mut state = rules.start(START);
    let words = rules.words(&state);
    assert!(words.starts_with("round 1 of 1: doors ") && words.ends_with("; the guide said nothing yet"), "{words}");
    let say = Act::Say(Sign { colour: 0, shape: 2 });
    rules.step(&mut state, &[say, Act::Wait], &mut [0.0; 2]);
    assert_eq!(rules.words(&state), words.replace("nothing yet", "red diamond"));
    let (_, right) = words.split_once("right is number ").unwrap();
    let door: u8 = right[..1].parse().unwrap();
    rules.step(&mut state, &[say, Act::Go(door - 1)], &mut [0.0; 2]);
    assert_eq!(rules.words(&state), "the end: 1 of 1 right");
}

/// A level, a cell and signs that are none were looked up.
#[test]
fn regression_forged_states_were_looked_up() {
    fn refuses<E: Environment>(rules: &E, problem: Option<u32>, forged: &[(&str, Value, &str)]) {
        let state = rules.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem });
        assert_eq!(rules.check(&state), Ok(()));
        for (at, value, problem) in forged {
            let mut json = serde_json::to_value(&state).unwrap();
            *json.pointer_mut(at).unwrap() = value.clone();
            let told = rules.check(&serde_json::from_value(json).unwrap()).unwrap_err();
            assert!(told.contains(problem), "{at}: {told}");
        }
    }
    refuses(
        &grid::Grid::new(&grid::Config::default(), ()).unwrap(),
        Some(3),
        &[
            ("/level", json!(64), "`level` is `64`, must be below 64"),
            ("/at", json!(49), "`at` is `49`, must be below 49"),
            ("/moves", json!(u32::MAX), "`moves` is `4294967295`, must be 0 to 50"),
            ("/reached", json!(true), "`moves` is `0`, must be 1 to 50"),
            ("/visits", json!([7]), "`visits` has 1 elements, must have 0"),
        ],
    );
    refuses(
        &signal::Signal::new(&signal::Config::default(), ()).unwrap(),
        None,
        &[
            ("/round", json!(9), "`round` is `9`, must be 0 to 8"),
            ("/right", json!(1), "`right` is `1`, must be 0 to 0"),
            ("/right_door", json!(3), "`right_door` is `3`, must be below 3"),
            ("/doors/1/colour", json!(4), "`colour` is `4`, must be below 4"),
            ("/said", json!({"colour": 0, "shape": 9}), "`shape` is `9`"),
        ],
    );
}
