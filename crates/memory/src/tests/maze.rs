//! The procedural maze.

use super::step;
use crate::level::{Drawn, LEVELS, Level, Stimuli};
use crate::maze::plan::{Cell, Plan, Sizes, Tile};
use crate::maze::rules::{Config, State, draw_maze, middle};
use crate::maze::runner::Runner;
use crate::maze::{Maze, TASK};
use crate::walker::config::Observation;
use crate::walker::controls::{LabControls, Walk};
use crate::walker::raw::Raw;
use heldout_core::{Environment, Seed, Start, Status};

const SCALES: [Drawn; 4] = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate];

fn start(seed: u64) -> Start {
    let copy = Seed(23);
    Start { seed: copy.derive(seed), copy, episode: seed, problem: None }
}

fn make(level: &str) -> Maze {
    Maze::new(&Config { level: level.to_owned(), ..Config::default() }, ()).unwrap()
}

fn neighbours(plan: &Plan, x: i32, z: i32) -> usize {
    [(1, 0), (-1, 0), (0, 1), (0, -1)].iter().filter(|(dx, dz)| plan.is_open(x + dx, z + dz)).count()
}

/// Cells that can be reached from `from`.
fn reach(plan: &Plan, from: Cell) -> usize {
    let side = i32::from(plan.side());
    let mut seen = vec![false; (side * side) as usize];
    let mut queue = vec![(i32::from(from.x), i32::from(from.z))];
    seen[(queue[0].1 * side + queue[0].0) as usize] = true;
    let mut count = 0;
    while let Some((x, z)) = queue.pop() {
        count += 1;
        for (x, z) in [(x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)] {
            if plan.is_open(x, z) && !seen[(z * side + x) as usize] {
                seen[(z * side + x) as usize] = true;
                queue.push((x, z));
            }
        }
    }
    count
}

/// Rooms as connected sets of cells that are no corridor: width, depth, spawns and goals of each.
fn rooms(plan: &Plan) -> Vec<(i32, i32, usize, usize)> {
    let side = i32::from(plan.side());
    let floor = |x, z| !matches!(plan.at(x, z), Tile::Wall | Tile::Corridor);
    let mut rooms = Vec::new();
    for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
        if floor(x, z) && !floor(x - 1, z) && !floor(x, z - 1) {
            let width = (x..side).take_while(|&x| floor(x, z)).count() as i32;
            let depth = (z..side).take_while(|&z| floor(x, z)).count() as i32;
            let tiles = (z..z + depth).flat_map(|z| (x..x + width).map(move |x| plan.at(x, z)));
            assert!(tiles.clone().all(|t| !matches!(t, Tile::Wall | Tile::Corridor)), "a room is a rectangle");
            let count = |tile| tiles.clone().filter(|t| *t == tile).count();
            assert!(x % 2 == 1 && z % 2 == 1, "rooms begin at odd cells");
            rooms.push((width, depth, count(Tile::Spawn), count(Tile::Goal)));
        }
    }
    rooms
}

#[test]
fn memory_check_08_the_time_limit_is_7200_ticks() {
    let env = make("train");
    let mut state = env.start(start(0));
    let mut ticks = 0;
    loop {
        let (reward, status) = env.tick(&mut state, &LabControls::default());
        ticks += 1;
        assert_eq!(reward, 0.0);
        if status != Status::Running {
            assert_eq!((ticks, status), (7200, Status::Truncated));
            break;
        }
    }
    env.restart(&mut state, start(1));
    let mut steps = 1;
    while step(&env, &mut state, Walk::LookRight).1 == Status::Running {
        steps += 1;
    }
    assert_eq!(steps, 1800);
}

#[test]
fn memory_check_31_sizes_and_rows_are_those_of_the_table() {
    let table = [(11, 9, 3, 5, 2..=5, 7..=10), (15, 11, 5, 10, 2..=7, 9..=14), (21, 13, 7, 15, 2..=10, 12..=20)];
    let table = table.into_iter().chain([(27, 15, 9, 20, 2..=13, 15..=26)]);
    for (scale, (side, count, most, objects, train, held_out)) in SCALES.into_iter().zip(table) {
        let sizes = Sizes::of(scale);
        assert_eq!((sizes.side, sizes.rooms, sizes.room, sizes.objects), (side, count, most, objects));
        assert_eq!((sizes.rows(Stimuli::Train), sizes.rows(Stimuli::HeldOut)), (train, held_out));
        let mut plan = Plan::default();
        let mut largest = 0;
        let mut crowded = 0;
        for seed in 0..300 {
            plan.draw(&sizes, &mut Seed(seed).rng());
            assert_eq!(plan.side(), side);
            let rooms = rooms(&plan);
            assert!((1..=count as usize).contains(&rooms.len()));
            for (width, depth, spawns, goals) in rooms {
                for size in [width, depth] {
                    assert!(size % 2 == 1 && (3..=most as i32).contains(&size), "{size}");
                    largest = largest.max(size);
                }
                let cells = (width * depth) as usize;
                assert_eq!(spawns, 5.min(cells));
                assert_eq!(goals, (objects as usize).min(cells - spawns));
            }
            crowded = crowded.max(self::rooms(&plan).len());
        }
        assert_eq!(largest, most as i32, "the largest size occurs");
        assert!(crowded > 3);
    }
}

/// What must hold of every maze.
fn check_maze(plan: &Plan, sizes: &Sizes, level: Level, goal: Cell) {
    let side = i32::from(sizes.side);
    let open = plan.tiles().iter().filter(|t| **t != Tile::Wall).count();
    assert_eq!(reach(plan, goal), open, "the maze hangs together");
    assert_eq!(plan.at(goal.x.into(), goal.z.into()), Tile::Goal);
    assert!(sizes.rows(level.stimuli).contains(&plan.row(goal)));
    assert!(plan.cells(Tile::Spawn).next().is_some());
    for i in 0..side {
        assert!(!plan.is_open(i, 0) && !plan.is_open(0, i) && !plan.is_open(i, side - 1) && !plan.is_open(side - 1, i));
    }
    for cell in plan.cells(Tile::Corridor) {
        assert!(neighbours(plan, cell.x.into(), cell.z.into()) >= 2, "a corridor ends at {cell:?}");
    }
}

#[test]
fn memory_check_31_ten_thousand_seeds() {
    let mut plan = Plan::default();
    for level in ["train", "holdout_extrapolate"] {
        let level = Level::of(level, TASK).unwrap();
        for seed in 0..1250 {
            for scale in SCALES {
                let sizes = Sizes::of(scale);
                let goal = draw_maze(&mut plan, &sizes, level, Seed(seed));
                check_maze(&plan, &sizes, level, goal);
            }
        }
    }
}

#[test]
fn memory_check_31_the_goal_region_of_train_and_held_out_never_mix() {
    for level in LEVELS {
        let env = make(level.name);
        let mut state = env.start(start(0));
        for seed in 0..1000 {
            env.restart(&mut state, start(seed));
            let middle = state.plan.side().div_ceil(2);
            let row = state.plan.row(state.goal);
            assert!(row != middle);
            assert_eq!(row < middle, level.stimuli == Stimuli::Train, "{}: row {row}", level.name);
            let sides: &[u8] = match level.name {
                "train" => &[11, 21],
                "train_small" | "holdout_small" => &[11],
                "train_large" | "holdout_large" => &[21],
                "interpolate" | "holdout_interpolate" => &[15],
                _ => &[27],
            };
            assert!(sides.contains(&state.plan.side()));
        }
    }
}

/// Carries the walker to just beside the goal and into it.
fn arrive(env: &Maze, state: &mut State) -> f32 {
    let [x, z] = middle(state.goal);
    state.runner = Runner::at(x, z - 37.0, 0.0);
    let ahead = Walk::Forward.lab_controls();
    (0..4).map(|_| env.tick(state, &ahead).0).sum()
}

#[test]
fn memory_check_31_goal_and_maze_stay_and_each_arrival_pays_ten() {
    let env = make("train");
    for seed in 0..20 {
        let mut state = env.start(start(seed));
        let (plan, goal) = (state.plan.clone(), state.goal);
        let mut spawns = Vec::new();
        for arrival in 1..=30 {
            assert_eq!(arrive(&env, &mut state), 10.0);
            assert_eq!(state.trips.goals, arrival);
            assert!(state.plan == plan && state.goal == goal);
            let (x, z) = ((state.runner.x / 100.0) as i32, (state.runner.z / 100.0) as i32);
            assert_eq!(plan.at(x, z), Tile::Spawn);
            spawns.push((x, z));
        }
        spawns.dedup();
        assert!(spawns.len() > 15, "spawns vary");
    }
}

/// What lies in the engine's box around the goal is paid, and a hair outside of it nothing.
#[test]
fn amendment_41_the_goal_is_picked_up_in_the_engines_box() {
    let env = make("train_large");
    for seed in 0..10 {
        let mut state = env.start(start(seed));
        let [x, z] = middle(state.goal);
        let mut paid = |east: f64, north: f64| {
            state.runner = Runner::at(x + east, z + north, 0.0);
            env.tick(&mut state, &LabControls::default()).0
        };
        for (east, north) in [(-50.0, 0.0), (44.0, 0.0), (0.0, 36.0), (0.0, -36.0), (-50.0, 36.0), (44.0, -36.0)] {
            assert_eq!(paid(east, north), 10.0, "at {east}, {north}");
            assert_eq!(paid(east * 1.000_001, north * 1.000_001), 0.0, "beyond {east}, {north}");
        }
    }
}

/// Random play meets the goal as often as the paper's does, on every level that it tells of.
#[test]
fn amendment_41_random_play_scores_what_the_papers_does() {
    const EPISODES: u64 = 600;
    for (level, paper) in
        [("train_small", 7.79), ("train_large", 1.97), ("holdout_interpolate", 3.89), ("holdout_extrapolate", 1.19)]
    {
        let env = make(level);
        let mut state = env.start(start(0));
        let (mut sum, mut squares) = (0.0, 0.0);
        for episode in 0..EPISODES {
            env.restart(&mut state, start(episode));
            let mut rng = start(episode).seed.stream("play").rng();
            while step(&env, &mut state, *rng.pick(&Walk::ALL)).1 == Status::Running {}
            let score = 10.0 * f64::from(state.trips.goals);
            (sum, squares) = (sum + score, squares + score * score);
        }
        let mean = sum / EPISODES as f64;
        let error = ((squares / EPISODES as f64 - mean * mean) / EPISODES as f64).sqrt();
        println!("{level}: {mean} +- {error}");
        assert!((mean - paper).abs() <= 4.0 * error, "{level}: {mean} +- {error}, the paper has {paper}");
    }
}

#[test]
fn it_moves_as_quake_does() {
    let env = make("extrapolate");
    let mut state = env.start(start(0));
    // Somewhere with three open cells to the north.
    let cell = (0..27 * 27).map(|i| (i % 27, i / 27)).find(|&(x, z)| (0..4).all(|n| state.plan.is_open(x, z + n)));
    let (x, z) = cell.unwrap();
    let place = [(f64::from(x) + 0.5) * 100.0, (f64::from(z) + 0.5) * 100.0];
    state.runner = Runner::at(place[0], place[1], 0.0);
    let forward = Walk::Forward.lab_controls();
    // From rest: 10 * 320 * 0.016 a tick, less friction on at least 100 units per second.
    let mut speed: f64 = 0.0;
    for _ in 0..12 {
        state.runner.tick(forward, &state.plan);
        speed -= if speed > 0.0 { (speed.max(100.0) * 6.0 * 0.016).min(speed) } else { 0.0 };
        speed += (320.0 - speed).min(51.2);
        assert!((state.runner.vz - speed).abs() < 1e-9 && state.runner.vx == 0.0);
    }
    assert!((speed - 320.0).abs() < 1e-9, "full speed after a fifth of a second");
    // Left alone it comes to rest.
    for _ in 0..40 {
        state.runner.tick(LabControls::default(), &state.plan);
    }
    assert_eq!(state.runner.vz, 0.0);
    // A look of 20 pixels turns 2.112 degrees.
    let yaw = state.runner.yaw;
    state.runner.tick(Walk::LookRight.lab_controls(), &state.plan);
    assert!((state.runner.yaw - yaw - 2.112).abs() < 1e-9);
}

#[test]
fn it_never_enters_a_wall_and_slides_along_it() {
    let env = make("train");
    let mut rng = Seed(5).rng();
    let mut slid = 0;
    for seed in 0..10 {
        let mut state = env.start(start(seed));
        for step in 0..4000 {
            let action = if step % 40 < 25 { Walk::Forward } else { *rng.pick(&Walk::ALL) };
            state.runner.tick(action.lab_controls(), &state.plan);
            let (x, z) = (state.runner.x, state.runner.z);
            for (dx, dz) in [(-14.999, -14.999), (-14.999, 14.999), (14.999, -14.999), (14.999, 14.999)] {
                let cell = (((x + dx) / 100.0).floor() as i32, ((z + dz) / 100.0).floor() as i32);
                assert!(state.plan.is_open(cell.0, cell.1), "at {x}, {z}");
            }
            let touching = (x % 100.0 - 15.0).abs() < 1e-9 || (x % 100.0 - 85.0).abs() < 1e-9;
            slid += usize::from(touching && state.runner.vx == 0.0 && state.runner.vz.abs() > 20.0);
        }
    }
    assert!(slid > 100, "{slid}");
}

#[test]
fn memory_check_05_rewards_do_not_depend_on_what_is_seen() {
    let views = [
        Config::default(),
        Config { width: 84, height: 84, ..Config::default() },
        Config { observation: Observation::Symbolic, previous: true, pose: true, ..Config::default() },
    ];
    let envs = views.map(|config| Maze::new(&config, ()).unwrap());
    for seed in 0..4 {
        let mut states = envs.each_ref().map(|env| env.start(start(seed)));
        let mut rng = Seed(seed).rng();
        loop {
            let action = *rng.pick(&Walk::ALL);
            let mut got = [(0.0, Status::Running); 3];
            for ((env, state), got) in envs.iter().zip(&mut states).zip(&mut got) {
                *got = step(env, state, action);
            }
            assert!(got[0] == got[1] && got[0] == got[2] && states[0].runner == states[2].runner);
            if got[0].1.ended() {
                break;
            }
        }
    }
}
