//! What the scripted walkers of the goal tasks reach.

use super::find;
use crate::arena::{Arena, INVISIBLE_BUILDINGS, INVISIBLE_EMPTY, VISIBLE_BUILDINGS};
use crate::maze::Maze;
use crate::walker::explorer::{Explorer, Senses};
use crate::walker::sight::{FEATURES_WITH_POSE, POSE, RAY, RAYS};
use heldout_core::{Autoreset, Batch, Buffers, Crc, Entry, Environment, Options, Reset, Rng, Seed, VecEnv};
use serde_json::{Value, json};

/// Mean return of one episode of each of `copies`.
fn mean(id: &str, policy: &str, copies: usize, config: &Value) -> f64 {
    let Value::Object(overrides) = config.clone() else { panic!("a config is an object") };
    let options = Options { autoreset: Autoreset::Disabled, threads: 2, ..Options::default() };
    let mut env = find(id).unwrap().make(&overrides, copies, options).unwrap();
    env.seat(0, policy, Seed(0)).unwrap();
    let mut buffers = Buffers::new(env.spec(), copies);
    env.reset(Reset::seed(Seed(11)), buffers.output()).unwrap();
    let mut actions = vec![0; copies * env.spec().action_width()];
    let mut sum = 0.0;
    while !buffers.status.iter().all(|s| s.ended()) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        sum += buffers.rewards.iter().map(|r| f64::from(*r)).sum::<f64>();
    }
    sum / copies as f64
}

const IDS: [&str; 4] = [
    "memory/visible-goal-with-buildings-v1",
    "memory/invisible-goal-with-buildings-v1",
    "memory/invisible-goal-empty-arena-v1",
    "memory/explore-goal-locations-v1",
];

fn symbolic(level: &str) -> Value {
    json!({"observation": "symbolic", "pose": true, "level": level})
}

/// Five standard errors below the mean lie above the human scores: 364 and 104 (train), 198 and 86.
#[test]
fn memory_check_32_the_oracle_beats_humans_in_the_maze_at_all_scales() {
    // Human score, episodes, and a bound on the standard deviation of a return.
    let levels = [
        ("train_small", 364.0, 16, 200.0),
        ("train_large", 104.0, 6, 90.0),
        ("holdout_interpolate", 198.0, 6, 120.0),
        ("holdout_extrapolate", 86.0, 12, 60.0),
    ];
    for (level, human, episodes, spread) in levels {
        let score = mean(IDS[3], "oracle", episodes, &symbolic(level));
        let margin = 5.0 * spread / libm::sqrt(episodes as f64);
        assert!(score - margin > human, "{level}: {score} - {margin}");
    }
}

/// The best published train score is 35.95, half of it at each scale.
#[test]
fn the_oracle_beats_the_best_published_score_among_buildings() {
    let scores = ["train_small", "train_large"].map(|level| mean(IDS[0], "oracle", 28, &symbolic(level)));
    // Returns of single episodes spread by 5 or less at either scale.
    let (score, margin) = (f64::midpoint(scores[0], scores[1]), 5.0 * 5.0 / libm::sqrt(56.0));
    assert!(score - margin > 35.95, "{scores:?} - {margin}");
}

/// Memory is worth something: knowing beats remembering, remembering beats reacting, and reacting beats standing still.
#[test]
fn policies_stand_in_their_order() {
    for id in IDS {
        let config = symbolic("train_small");
        let [oracle, honest, memoryless, noop] =
            ["oracle", "honest", "memoryless", "noop"].map(|policy| mean(id, policy, 16, &config));
        assert!(
            oracle > honest && honest > 2.0 * memoryless && memoryless > 0.0,
            "{id}: {oracle} {honest} {memoryless}"
        );
        assert_eq!(noop, 0.0, "{id}");
    }
}

#[test]
fn policies_that_read_numbers_refuse_pictures() {
    for id in IDS {
        let mut env = find(id).unwrap().default_batch();
        for policy in ["honest", "memoryless"] {
            let error = env.seat(0, policy, Seed(0)).unwrap_err().to_string();
            assert!(error.contains("`observation`") && error.contains("`symbolic`"), "{error}");
        }
    }
}

/// The digest of 40 random steps of 21 copies under the smallest observation.
fn digest(entry: &Entry, threads: usize) -> u32 {
    const COPIES: usize = 21;
    let options = Options { threads, max_steps: Some(15), ..Options::default() };
    let mut env = entry.make(&entry.smallest(), COPIES, options).unwrap();
    let mut buffers = Buffers::new(env.spec(), COPIES);
    buffers.poison(0x55);
    env.reset(Reset::seed(Seed(45)), buffers.output()).unwrap();
    let (mut rng, mut crc) = (Rng::new(Seed(46)), Crc::new());
    for _ in 0..40 {
        let actions: Vec<i32> = (0..COPIES).map(|_| rng.below(4) as i32).collect();
        env.step(&actions, buffers.output()).unwrap();
        buffers.digest(&mut crc);
    }
    crc.value()
}

#[test]
fn memory_check_45_one_digest_for_any_number_of_threads() {
    for id in IDS.into_iter().chain(MINIS) {
        let entry = find(id).unwrap();
        let [one, two, seven] = [1, 2, 7].map(|threads| digest(entry, threads));
        assert!(one == two && one == seven, "{id}");
    }
}

const MINIS: [&str; 4] = [
    "memory/visible-goal-with-buildings-mini-v1",
    "memory/invisible-goal-with-buildings-mini-v1",
    "memory/invisible-goal-empty-arena-mini-v1",
    "memory/explore-goal-locations-mini-v1",
];

#[test]
fn policies_of_the_small_variants_stand_in_their_order() {
    for id in MINIS {
        let config = json!({"pose": true, "level": "train_small"});
        let [oracle, honest, memoryless, noop] =
            ["oracle", "honest", "memoryless", "noop"].map(|policy| mean(id, policy, 200, &config));
        assert!(
            oracle > honest && honest > 1.1 * memoryless && memoryless > 0.0,
            "{id}: {oracle} {honest} {memoryless}"
        );
        assert!(noop < memoryless, "{id}: {noop}");
    }
}

/// Steps to each arrival are reported: an oracle's do not change, an honest walker's first trip is its longest.
#[test]
fn the_first_trip_is_the_longest_for_who_must_search() {
    let trips = |policy: &str| {
        let copies = 48;
        let Value::Object(overrides) = symbolic("train_small") else { unreachable!() };
        let options = Options { autoreset: Autoreset::Disabled, threads: 2, ..Options::default() };
        let mut env = find(IDS[1]).unwrap().make(&overrides, copies, options).unwrap();
        env.seat(0, policy, Seed(0)).unwrap();
        let mut buffers = Buffers::new(env.spec(), copies);
        env.reset(Reset::seed(Seed(2)), buffers.output()).unwrap();
        let mut actions = vec![0; copies];
        while !buffers.status.iter().all(|s| s.ended()) {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
        let column = |name: &str| {
            let at = env.spec().metric(name).unwrap();
            buffers.metrics.chunks_exact(env.spec().metrics.len()).map(|row| f64::from(row[at])).collect::<Vec<_>>()
        };
        [1, 5].map(|k| {
            let (reached, steps) = (column(&format!("reached_{k}")), column(&format!("arrival_{k}")));
            steps.iter().sum::<f64>() / reached.iter().sum::<f64>()
        })
    };
    let [first, fifth] = trips("honest");
    assert!(first > 2.0 * fifth, "{first} {fifth}");
    let [first, fifth] = trips("oracle");
    assert!(first < 1.5 * fifth && fifth < 1.5 * first, "{first} {fifth}");
}

/// Steps that the honest walker stays within a square of 1.5 cells or metres at the most, in 100 large episodes.
fn longest_stay<E: Environment>(config: &Value, variant: E::Variant, place: impl Fn(&E::State) -> [f64; 2]) -> u32 {
    let config: E::Config = serde_json::from_value(config.clone()).unwrap();
    let copies = 100;
    let options = Options { autoreset: Autoreset::Disabled, threads: 2, ..Options::default() };
    let mut env = Batch::<E>::new(&config, variant, copies, options).unwrap();
    env.seat(0, "honest", Seed(0)).unwrap();
    let mut buffers = Buffers::new(env.spec(), copies);
    env.reset(Reset::seed(Seed(45)), buffers.output()).unwrap();
    let mut actions = vec![0; copies];
    // The corners of the square that each walker has not left, and since when.
    let mut squares: Vec<([[f64; 2]; 2], u32)> = vec![([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], 0); copies];
    let mut longest = 0;
    while !buffers.status.iter().all(|s| s.ended()) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        for (copy, (square, since)) in squares.iter_mut().enumerate() {
            let at = place(env.state(copy).unwrap());
            for axis in 0..2 {
                square[0][axis] = square[0][axis].min(at[axis]);
                square[1][axis] = square[1][axis].max(at[axis]);
            }
            *since += 1;
            if (0..2).any(|axis| square[1][axis] - square[0][axis] > 1.5) {
                (*square, *since) = ([at; 2], 0);
            }
            longest = longest.max(*since);
        }
    }
    longest
}

/// A walker that runs against something for ever would stay for hundreds of steps; one that drops a target after 20 steps
/// may stay for a few of them in a corner.
#[test]
fn amendment_45_the_honest_walker_stays_nowhere() {
    let config = symbolic("train_large");
    for variant in [VISIBLE_BUILDINGS, INVISIBLE_BUILDINGS, INVISIBLE_EMPTY] {
        let stay = longest_stay::<Arena>(&config, variant, |state| [state.body.x, state.body.z]);
        assert!(stay < 200, "{}: {stay} steps", variant.task);
    }
    let stay = longest_stay::<Maze>(&config, (), |state| [state.runner.x / 100.0, state.runner.z / 100.0]);
    assert!(stay < 200, "maze: {stay} steps");
}

/// A walker that is held where it is, in the open: twenty steps after it set out it goes for something else, and twenty
/// steps of trying later again.
#[test]
fn amendment_45_a_target_is_dropped_after_twenty_steps_without_progress() {
    let senses =
        Senses { unit: 1.0, cell: 1.0, tile: 1.0, reach: 0.3, half: 0.3, turn: 10.0, near: 1.0, visible: false };
    let (mut explorer, mut rng) = (Explorer::new(senses), Rng::new(Seed(45)));
    let mut row = vec![0.0; FEATURES_WITH_POSE];
    (0..RAYS).for_each(|ray| row[ray * RAY] = 6.0);
    let mut targets = Vec::new();
    for step in 0..60 {
        // It sways a little, or it would take itself to be stuck, and sees all around.
        let sway = if step % 2 == 0 { 0.03 } else { 0.0 };
        let (sin, cos) = libm::sincosf(step as f32 * std::f32::consts::FRAC_PI_4);
        row[POSE..].copy_from_slice(&[26.5 + sway, 26.5, sin, cos]);
        explorer.act(&row, &mut rng);
        targets.push(explorer.target().expect("all around is left to sweep"));
    }
    let runs: Vec<usize> = targets.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    assert_eq!(runs[0], 20, "{runs:?}");
    // Two to five steps aside come before the next try.
    assert!((22..=25).contains(&runs[1]), "{runs:?}");
    let mut tried: Vec<_> = targets.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    tried.sort_unstable();
    tried.dedup();
    assert_eq!(tried.len(), runs.len(), "none twice");
}

/// Between two rows a walker walked over what lies between, and over nothing else.
#[test]
fn the_honest_walker_knows_what_it_walked_over() {
    let senses =
        Senses { unit: 1.0, cell: 1.0, tile: 1.0, reach: 0.3, half: 0.3, turn: 10.0, near: 1.0, visible: false };
    let (mut explorer, mut rng) = (Explorer::new(senses), Rng::new(Seed(46)));
    let mut row = vec![0.0; FEATURES_WITH_POSE];
    (0..RAYS).for_each(|ray| row[ray * RAY] = 6.0);
    // Of the tile between 26 and 27 neither place is within 0.3 of the middle, the way between them is.
    for (z, walked) in [(26.05, false), (26.95, true)] {
        row[POSE..].copy_from_slice(&[26.5, z, 0.0, 1.0]);
        explorer.act(&row, &mut rng);
        for (x, z) in (0..53).flat_map(|z| (0..53).map(move |x| (x, z))) {
            assert_eq!(explorer.has_walked(x, z), walked && (x, z) == (26, 26), "{x}, {z}");
        }
    }
}
