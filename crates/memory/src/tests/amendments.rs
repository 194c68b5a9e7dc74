//! The small variants as amendments 09, 44 and 49 have them.

use super::find;
use super::panels::episode;
use super::rooms_common::{play, start};
use crate::level::NAMES;
use crate::mini::goal::{self, GoalMini};
use crate::mini::honest::{Learner, Window};
use crate::mini::panel::PanelMini;
use crate::mini::spot::{MiniPhase, SpotMini, SpotMiniConfig};
use crate::psychlab::Change;
use crate::psychlab::config::ChangeMiniConfig;
use crate::psychlab::task::Object;
use crate::rooms::Variant;
use crate::walker::config::Observation;
use heldout_core::{Buffers, Environment, FieldMut, Options, Policy, Reset, Rng, Rows, Seed, View};
use serde_json::{Value, json};

/// Episodes that a score is the mean of, and copies that ranges are taken from.
const COPIES: usize = 100;

const MINIS: [&str; 13] = [
    "memory/arbitrary-visuomotor-mapping-mini-v1",
    "memory/continuous-recognition-mini-v1",
    "memory/change-detection-mini-v1",
    "memory/what-then-where-mini-v1",
    "memory/spot-diff-mini-v1",
    "memory/spot-diff-passive-mini-v1",
    "memory/spot-diff-multi-mini-v1",
    "memory/spot-diff-motion-mini-v1",
    "memory/visible-goal-with-buildings-mini-v1",
    "memory/invisible-goal-with-buildings-mini-v1",
    "memory/invisible-goal-empty-arena-mini-v1",
    "memory/explore-goal-locations-mini-v1",
    "memory/transitive-inference-mini-v1",
];

/// The least and the greatest value of every number of the rows of a level, under random play, except rows after the end.
fn ranges(id: &str, level: &str, steps: u32) -> Vec<[f32; 2]> {
    let Value::Object(config) = json!({"level": level}) else { unreachable!() };
    let mut env = find(id).unwrap().make(&config, COPIES, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), COPIES);
    env.seat(0, "random", Seed(3)).unwrap();
    env.reset(Reset::seed(Seed(49)), buffers.output()).unwrap();
    let mut ranges = vec![[f32::INFINITY, f32::NEG_INFINITY]; env.spec().observation[0].len()];
    let mut actions = vec![0; COPIES];
    for _ in 0..steps {
        for copy in (0..COPIES).filter(|&copy| !buffers.status[copy].ended()) {
            for (range, &x) in ranges.iter_mut().zip(buffers.rows().row(copy).f32(0)) {
                *range = [range[0].min(x), range[1].max(x)];
            }
        }
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
    }
    ranges
}

/// No input of a row is constant in training, and none leaves on another level what it was in training.
#[test]
fn amendment_49_training_spans_every_input_of_the_small_variants() {
    for id in MINIS {
        let trained = ranges(id, "train", 3000);
        for (i, [low, high]) in trained.iter().enumerate() {
            assert!(low < high, "{id}: input {i} is always {low}");
        }
        for level in NAMES {
            for (i, ([low, high], [least, most])) in trained.iter().zip(ranges(id, level, 1000)).enumerate() {
                // Velocities are continuous: what a sample of training reaches, another may pass by a hair.
                let slack = if id.contains("motion") { 1e-3 } else { 0.0 };
                assert!(
                    *low <= least + slack && most <= *high + slack,
                    "{id} {level}: input {i} is {least} to {most}, {low} to {high} in training"
                );
            }
        }
    }
}

/// Digits of one set can be told apart by their bitmaps, those that are held out too, whose ink is bounded.
#[test]
fn amendment_49_bitmaps_tell_digits_apart() {
    use crate::psychlab::gallery::Glyphs;
    let glyphs = Glyphs::open(heldout_digits::Source::Strokes, None, 64).unwrap();
    for (one, two) in (0..10).flat_map(|one| (0..one).map(move |two| (one, two))) {
        let apart: f32 = glyphs.bitmap(one).iter().zip(glyphs.bitmap(two)).map(|(a, b)| (a - b).abs()).sum();
        assert!(apart > 1.0, "{two} and {one} are {apart} apart");
    }
}

/// Mean return of the first episode of each copy, of policies that read numbers, in the goal tasks with their pose.
fn score(id: &str, level: &str, policy: &str, copies: usize) -> f64 {
    let mut config = json!({"level": level, "observation": "symbolic"});
    if id.contains("goal") {
        config["pose"] = true.into();
        if id.contains("-mini-") {
            // There are no pictures of them.
            config.as_object_mut().unwrap().remove("observation");
        }
    }
    let Value::Object(config) = config else { unreachable!() };
    let mut env = find(id).unwrap().make(&config, copies, Options { threads: 2, ..Options::default() }).unwrap();
    let mut buffers = Buffers::new(env.spec(), copies);
    env.seat(0, policy, Seed(1)).unwrap();
    env.reset(Reset::seed(Seed(9)), buffers.output()).unwrap();
    let (mut actions, mut over, mut sum) = (vec![0; copies], vec![false; copies], 0.0);
    while over.contains(&false) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        for (copy, over) in over.iter_mut().enumerate() {
            sum += if *over { 0.0 } else { f64::from(buffers.rewards[copy]) };
            *over |= buffers.status[copy].ended();
        }
    }
    sum / copies as f64
}

/// Checks that each shortcut of a task is 20 points of the scale below the oracle on every level.
fn shortcuts_are_far_below_the_oracle<'a>(tasks: impl IntoIterator<Item = (&'a str, usize)>) {
    let mut above = String::new();
    for ((id, copies), level) in tasks.into_iter().flat_map(|task| NAMES.map(|level| (task, level))) {
        let [random, oracle] = ["random", "oracle"].map(|policy| score(id, level, policy, copies));
        let policies = find(id).unwrap().policies();
        for shortcut in policies.iter().filter(|policy| policy.shortcut) {
            let score = score(id, level, shortcut.name, copies);
            let scaled = (score - random) / (oracle - random);
            println!("{id} {level} {}: {score:.2} of {random:.2} to {oracle:.2}, {scaled:.2}", shortcut.name);
            if scaled > 0.8 {
                above += &format!("{id} {level}: {} has {scaled:.2} of the scale\n", shortcut.name);
            }
        }
    }
    assert!(above.is_empty(), "{above}");
}

#[test]
fn amendment_09_shortcuts_of_the_small_variants_are_far_below_the_oracle() {
    shortcuts_are_far_below_the_oracle(MINIS.map(|id| (id, COPIES)));
}

#[test]
fn amendment_09_shortcuts_of_the_full_tasks_are_far_below_the_oracle() {
    let full = crate::FAMILY.entries.iter().map(heldout_core::Entry::id).filter(|id| !id.contains("-mini-"));
    // One guess in inference weighs much; episodes of the goal tasks take long and have many trips.
    let copies = |id: &str| match id {
        _ if id.contains("inference") => 300,
        _ if id.contains("goal") => 3,
        _ => 40,
    };
    shortcuts_are_far_below_the_oracle(full.map(|id| (id, copies(id))));
}

/// An honest memory suffices where nothing must be searched for or guessed.
#[test]
fn amendment_09_the_honest_player_of_the_panels_is_always_right() {
    for id in &MINIS[..4] {
        for level in NAMES {
            assert_eq!(score(id, level, "honest", 30), score(id, level, "oracle", 30), "{id} {level}");
        }
    }
}

/// Every id has a shortcut, and minis have those of amendment 09.
#[test]
fn amendment_09_shortcuts_are_marked() {
    for entry in crate::FAMILY.entries {
        let policies = entry.policies();
        let shortcut = |name: &str| policies.iter().find(|policy| policy.name == name).is_some_and(|p| p.shortcut);
        assert!(shortcut("memoryless"), "{}", entry.id());
        assert_eq!(shortcut("window"), entry.id().contains("-mini-"), "{}", entry.id());
        assert_eq!(shortcut("last-cue"), entry.id().contains("arbitrary-visuomotor"), "{}", entry.id());
        assert!(!shortcut("oracle") && !shortcut("honest") && !shortcut("random") && !shortcut("noop"));
    }
}

/// A learner that does what it noted: how many rows it has seen, and how many of its own actions it knows of.
#[derive(Default)]
struct Counter;

impl Learner<SpotMini> for Counter {
    type Notes = [u32; 2];

    fn check(_: &SpotMini) -> Result<(), String> {
        Ok(())
    }

    fn blank(_: &SpotMini) -> [u32; 2] {
        [0; 2]
    }

    fn see(_: &SpotMini, row: &[f32], notes: &mut [u32; 2]) {
        assert!(row.iter().all(|x| x.is_finite()));
        notes[0] += 1;
    }

    fn choose(_: &SpotMini, _: &[f32], notes: &[u32; 2], _: &mut Rng) -> u32 {
        10 * notes[0] + notes[1]
    }

    fn did(_: &SpotMini, _: &[f32], action: u32, notes: &mut [u32; 2]) {
        // What it did is handed back to it as it was.
        assert!(action >= 10);
        notes[1] += 1;
    }
}

/// A window is six rows, the present one included, and what was done after the five before it.
#[test]
fn amendment_09_a_window_is_the_last_six_rows() {
    let env = spot(Variant::Passive, "train");
    let mut buffers = Buffers::new(env.spec(), 1);
    env.observe(&env.start(start(1)), 0, buffers.output().rows.row(0));
    let (window, mut rng) = (Window::<Counter>::default(), Rng::new(Seed(9)));
    let (mut memory, rows) = (window.remember(&env), buffers.rows());
    let acted: Vec<u32> = (0..9)
        .map(|_| {
            let view = View { agent: 0, row: rows.row(0), state: None, stop: &|| false };
            window.act(&env, view, &mut memory, &mut rng)
        })
        .collect();
    assert_eq!(acted, [10, 21, 32, 43, 54, 65, 65, 65, 65]);
}

/// Who repeats the last cue has half of the trials right, above who guesses.
#[test]
fn amendment_09_the_last_cue_is_right_in_half_of_the_trials() {
    for (level, trials, measured) in
        [("train", 50.0, 0.499), ("holdout_interpolate", 40.0, 0.508), ("holdout_extrapolate", 75.0, 0.486)]
    {
        let share = score(MINIS[0], level, "last-cue", 200) / trials;
        assert!((share - measured).abs() < 0.05, "{level}: {share}");
    }
}

fn spot(variant: Variant, level: &str) -> SpotMini {
    SpotMini::new(&SpotMiniConfig { level: level.to_owned(), ..SpotMiniConfig::default() }, variant).unwrap()
}

const VARIANTS: [Variant; 4] = [Variant::Basic, Variant::Passive, Variant::Multi, Variant::Motion];

#[test]
fn amendment_44_six_steps_or_more_lie_between_the_rooms() {
    for (variant, level) in VARIANTS.into_iter().flat_map(|v| NAMES.into_iter().map(move |level| (v, level))) {
        let env = spot(variant, level);
        for number in 0..20 {
            let mut state = env.start(start(number));
            let mut blanks = 0;
            loop {
                blanks += u32::from(state.phase() == MiniPhase::Blank);
                let (_, status) = super::step(&env, &mut state, 0);
                if state.step == 0 || status.ended() {
                    assert!(blanks >= 6, "{variant:?} {level}: {blanks}");
                    blanks = 0;
                }
                if status.ended() {
                    break;
                }
            }
        }
    }
}

/// Blocks that a row shows.
fn blocks(env: &SpotMini, state: &<SpotMini as Environment>::State) -> Vec<usize> {
    let fields = &env.spec().observation;
    let mut row = vec![f32::NAN; fields[0].len()];
    env.observe(state, 0, Rows::new(fields, [FieldMut::F32(&mut row)]).row(0));
    row[3..].chunks_exact(4).enumerate().filter(|(_, slot)| slot[0] > 0.0).map(|(i, _)| i).collect()
}

/// As in the walked tasks, the blocks of Passive are in view from the first row, and those of Basic must be looked at.
#[test]
fn amendment_44_blocks_of_basic_must_be_looked_at_and_those_of_passive_not() {
    let (basic, passive) = (spot(Variant::Basic, "train"), spot(Variant::Passive, "train"));
    let mut state = passive.start(start(1));
    assert_eq!(blocks(&passive, &state), [0, 1]);
    super::step(&passive, &mut state, 1);
    assert_eq!(blocks(&passive, &state), [0, 1]);
    let mut state = basic.start(start(1));
    assert_eq!(blocks(&basic, &state), [0; 0]);
    for look in [1, 0, 0, 1] {
        super::step(&basic, &mut state, look);
        assert_eq!(blocks(&basic, &state), [look as usize]);
    }
    // The next room begins with a look of its own.
    while state.phase() != MiniPhase::Test {
        super::step(&basic, &mut state, 1);
        assert_eq!(blocks(&basic, &state), [0; 0]);
    }
    super::step(&basic, &mut state, 0);
    assert_eq!(blocks(&basic, &state), [0]);
}

/// An honest walker finds the goal of the largest worlds in most episodes.
#[test]
fn amendment_44_the_largest_worlds_can_be_searched() {
    let variants = [goal::EXPLORE, goal::VISIBLE_BUILDINGS, goal::INVISIBLE_BUILDINGS, goal::INVISIBLE_EMPTY];
    for (variant, level) in variants.into_iter().flat_map(|v| [(v, "extrapolate"), (v, "holdout_extrapolate")]) {
        let config = goal::Config { level: level.to_owned(), pose: true, ..goal::Config::default() };
        let found = play::<GoalMini>(&config, variant, "honest", 60, 5).iter().filter(|e| e.total > 0.0).count();
        assert!(found > 40, "{variant:?} {level}: {found} of 60");
    }
}

/// What the agent sees of the first step of an episode.
fn pixels(env: &PanelMini<Change>, state: &<PanelMini<Change> as Environment>::State) -> Vec<u8> {
    let fields = &env.spec().observation;
    let mut picture = vec![0xaa; fields[0].len()];
    env.observe(state, 0, Rows::new(fields, [FieldMut::U8(&mut picture)]).row(0));
    picture
}

/// Two orientations of a letter differ by 40 of 255 in some channel of some pixel, whatever its colour and cell.
#[test]
fn amendment_44_orientations_show_in_the_small_picture() {
    let mut letters = 0;
    for (level, full_grid) in [("train", false), ("holdout_interpolate", false), ("train", true)] {
        let observation = Observation::Pixels;
        let mini = ChangeMiniConfig { level: level.into(), observation, full_grid, ..ChangeMiniConfig::default() };
        let env = PanelMini::<Change>::new(&mini, ()).unwrap();
        for number in 0..60 {
            let state = env.start(episode(number));
            for (i, object) in state.trial.study.into_iter().flatten().enumerate() {
                let turned = [0, 1, 2, 3].map(|letter| {
                    let mut state = state.clone();
                    state.trial.study[i] = Some(Object { letter: Some(letter), ..object });
                    pixels(&env, &state)
                });
                for (one, two) in (0..4).flat_map(|one| (0..one).map(move |two| (one, two))) {
                    let most = turned[one].iter().zip(&turned[two]).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                    assert!(most >= 40, "{object:?}, {two} and {one} quarter turns: {most}");
                }
                letters += 1;
            }
        }
    }
    assert!(letters > 300);
}
