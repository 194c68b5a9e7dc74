//! The rules of the rooms: gates, touch, stimuli, chains.

use std::collections::BTreeSet;

use heldout_core::{Buffers, Environment, FieldMut, Options, Reset, Rows, Seed, Status};
use heldout_render::Image;
use serde_json::{Map, json};

use super::rooms_common::start;
use super::{find, step};
use crate::level::{Drawn, LEVELS, Level, Scale, Stimuli};
use crate::rooms::gate::SLIDE;
use crate::rooms::inference::{BALL, BALLS, BLANK, Inference, InferenceConfig, InferenceState};
use crate::rooms::layout::{Block, Layout, Room, TOUCH, Variant};
use crate::rooms::pattern::{CIRCUMRADIUS, PERIOD, Pattern};
use crate::rooms::spot::{Spot, SpotConfig, SpotState, touched};
use crate::rooms::{Chain, Colour, Side};
use crate::walker::body::Body;
use crate::walker::config::Observation;
use crate::walker::controls::{Controls, Walk};
use crate::walker::raw::Raw;

const VARIANTS: [Variant; 4] = [Variant::Basic, Variant::Passive, Variant::Multi, Variant::Motion];
const STILL: Controls = Controls::new([0.0; 4]);
const FORWARD: Controls = Controls::new([0.0, 1.0, 0.0, 0.0]);
const BACKWARD: Controls = Controls::new([0.0, -1.0, 0.0, 0.0]);

fn spot(variant: Variant, level: &str) -> Spot {
    Spot::new(&SpotConfig { level: level.to_owned(), ..SpotConfig::default() }, variant).unwrap()
}

fn inference(level: &str) -> Inference {
    Inference::new(&InferenceConfig { level: level.to_owned(), ..InferenceConfig::default() }, ()).unwrap()
}

/// A level whose layouts have this delay.
fn level_of(delay: u32) -> &'static str {
    match delay {
        0 => "train_small",
        5 => "interpolate",
        10 => "train_large",
        _ => "extrapolate",
    }
}

/// A walker at the corridor's axis that looks north.
fn facing_north(rules: &Spot, episode: u64, z: f64) -> SpotState {
    let mut state = rules.start(start(episode));
    state.body = Body::at(4.0, z, 0.0);
    state
}

#[test]
fn memory_check_08_time_limits_are_exact_to_the_tick() {
    for (variant, ticks) in
        [(Variant::Basic, 3600), (Variant::Passive, 3600), (Variant::Multi, 3600), (Variant::Motion, 7200)]
    {
        let rules = spot(variant, "train");
        let mut state = rules.start(start(0));
        for tick in 1..=ticks {
            let expected = if tick < ticks { Status::Running } else { Status::Truncated };
            assert_eq!(rules.tick(&mut state, &STILL), (0.0, expected), "{variant:?}: tick {tick}");
        }
    }
    let rules = inference("train");
    let mut state = rules.start(start(0));
    for tick in 1..=6000 {
        let expected = if tick < 6000 { Status::Running } else { Status::Truncated };
        assert_eq!(rules.tick(&mut state, &STILL), (0.0, expected), "tick {tick}");
    }
    // The setting of the public package overrides it.
    let config = SpotConfig { seconds: Some(1.5), ..SpotConfig::default() };
    let rules = Spot::new(&config, Variant::Basic).unwrap();
    assert_eq!(rules.ticks_left(&rules.start(start(0))), 45);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let config = SpotConfig { seconds: Some(bad), ..SpotConfig::default() };
        let error = Spot::new(&config, Variant::Basic).unwrap_err().to_string();
        assert!(error.contains("seconds") && error.contains(&bad.to_string()), "{error}");
    }
}

#[test]
fn memory_check_23_the_second_gate_opens_the_delay_after_the_first_closes() {
    for variant in [Variant::Basic, Variant::Passive, Variant::Motion] {
        for delay in [5, 10, 15] {
            let rules = spot(variant, level_of(delay));
            let mut state = facing_north(&rules, 0, 8.5);
            assert_eq!(state.layout.delay, delay);
            assert_eq!(state.gates.gates.map(|g| g.closed), [false, true]);
            let (mut closed, mut opened, mut passed) = (0, 0, 0);
            for tick in 1..3600 {
                let before = state.body.z;
                rules.tick(&mut state, &FORWARD);
                let [first, second] = state.gates.gates;
                if first.closed && closed == 0 {
                    closed = tick;
                    assert!(before < 10.4 && state.body.z >= 10.4);
                }
                if !second.closed && opened == 0 {
                    opened = tick;
                }
                if second.closed && opened > 0 {
                    assert!(before < 12.4 && state.body.z >= 12.4);
                    passed = tick;
                    break;
                }
                if second.blocks(tick) {
                    assert!(state.body.z <= 11.6, "tick {tick}: {} is past a gate that is not open", state.body.z);
                }
            }
            assert_eq!(opened - closed, delay * 30, "{variant:?}");
            // It has sunk after 0.3 s; from then on the way is free.
            assert!(passed > opened + SLIDE, "{variant:?}");
            // No return: neither gate opens again.
            for _ in 0..200 {
                rules.tick(&mut state, &BACKWARD);
                assert!(state.gates.gates.iter().all(|g| g.closed) && state.body.z >= 12.4 - 1e-9);
            }
        }
    }
}

#[test]
fn memory_check_23_there_is_no_way_past_a_shut_gate() {
    let rules = spot(Variant::Basic, "train_large");
    for episode in 0..40 {
        let mut state = facing_north(&rules, episode, 9.0);
        let mut rng = Seed(episode).rng();
        let mut controls = STILL;
        let mut farthest = 0.0_f64;
        for tick in 1..1200 {
            if tick % 7 == 1 {
                controls = Controls::new([0; 4].map(|_| 2.0 * rng.unit() - 1.0));
                // Mostly to the north, against the gate.
                controls.advance = controls.advance.abs();
            }
            rules.tick(&mut state, &controls);
            let second = state.gates.gates[1];
            // Shut from the beginning, or not yet sunk; passed, it shuts behind the walker.
            let passed = second.closed && second.since.is_some();
            if second.blocks(state.tick) && !passed {
                farthest = farthest.max(state.body.z);
                assert!(state.body.z <= 11.6 + 1e-9, "{}", state.body.z);
            }
            if passed {
                assert!(state.body.z >= 12.4 - 1e-9, "{}", state.body.z);
            }
            // Once the first gate is shut, there is no way back either.
            if state.gates.gates[0].closed {
                assert!(state.body.z >= 10.4 - 1e-9, "{}", state.body.z);
            }
        }
        assert!(farthest > 9.0);
    }
}

#[test]
fn without_a_delay_gates_close_behind_the_walker() {
    let rules = spot(Variant::Multi, "train");
    let mut state = facing_north(&rules, 0, 9.0);
    assert_eq!(state.layout.delay, 0);
    let mut closed = [0, 0];
    while state.body.z < 13.0 {
        let z = state.body.z;
        rules.tick(&mut state, &FORWARD);
        for (i, passed) in [10.4, 12.4].into_iter().enumerate() {
            let gate = state.gates.gates[i];
            assert_eq!(gate.closed, state.body.z >= passed);
            if gate.closed && closed[i] == 0 {
                closed[i] = state.tick;
                assert!(z < passed);
            }
        }
        // Nothing slowed it down.
        assert!(state.tick < 120);
    }
    // A gate rises in nine ticks.
    let gate = state.gates.gates[0];
    let heights: Vec<f64> = (0..=SLIDE + 1).map(|t| gate.height(closed[0] + t)).collect();
    assert_eq!((heights[0], heights[3], heights[9], heights[10]), (0.0, 1.0, 3.0, 3.0));
}

#[test]
fn memory_check_24_rooms_differ_in_exactly_one_block() {
    for variant in VARIANTS {
        for level in LEVELS {
            for seed in 0..200 {
                let scale = level.draw(&mut Seed(seed).stream("scale").rng());
                let layout = Layout::draw(variant, level.stimuli, scale, Seed(seed));
                let differing: Vec<_> = (0..layout.count).filter(|&i| differs(&layout.blocks()[i as usize])).collect();
                assert_eq!(differing, [layout.changed], "{variant:?} {}", level.name);
                let counts: &[u32] = match (variant, scale) {
                    (Variant::Multi, Drawn::Small) => &[2, 3],
                    (Variant::Multi, Drawn::Large) => &[5, 6],
                    (Variant::Multi, Drawn::Interpolate) => &[4],
                    (Variant::Multi, Drawn::Extrapolate) => &[7],
                    _ => &[2],
                };
                assert!(counts.contains(&layout.count), "{variant:?} {}: {}", level.name, layout.count);
                check_places(variant, &layout);
            }
        }
    }
}

/// Whether a block is not the same in both rooms.
fn differs(block: &Block) -> bool {
    block.colour[0] != block.colour[1] || block.pattern[0] != block.pattern[1]
}

/// Blocks lie where the task says, in both rooms.
fn check_places(variant: Variant, layout: &Layout) {
    let blocks = layout.blocks();
    for (i, block) in blocks.iter().enumerate() {
        let [a, b] = block.z;
        match variant {
            Variant::Passive => assert_eq!((block.x, a, b), ([2.2, 5.8][i], 7.0, 19.0)),
            Variant::Multi => {
                assert!([1.5, 4.0, 6.5].contains(&block.x) && [1.0, 2.6, 4.2].contains(&a));
                assert_eq!(b, 22.0 - a);
            }
            _ => {
                assert!((2.0..=6.0).contains(&block.x) && (1.0..=4.0).contains(&a), "{variant:?}: {} {a}", block.x);
                assert_eq!(b, 22.0 - a);
            }
        }
        assert_eq!(block.y, if variant == Variant::Motion { 2.0 } else { 0.5 });
        for other in &blocks[..i] {
            let (dx, dz) = (block.x - other.x, block.z[0] - other.z[0]);
            assert!(dx * dx + dz * dz >= 1.5 * 1.5, "{variant:?}");
            // With up to four blocks no two have one colour, whichever the room.
            if variant != Variant::Motion && blocks.len() <= 4 {
                assert!(block.colour[0] != other.colour[0] && block.colour[1] != other.colour[1]);
                assert!(block.colour[0] != other.colour[1] && block.colour[1] != other.colour[0]);
            }
            if variant == Variant::Motion {
                assert!(block.pattern[0] != other.pattern[0] && block.pattern[1] != other.pattern[1]);
                assert!(block.pattern[0] != other.pattern[1] && block.pattern[1] != other.pattern[0]);
                assert!(!block.swept(Room::B).grown(TOUCH).overlaps(&other.swept(Room::B).grown(TOUCH)));
            }
        }
    }
}

#[test]
fn memory_check_25_a_random_block_scores_one_in_k_and_ends_the_episode() {
    for (variant, level, expected) in [
        (Variant::Basic, "train", 1.0 / 2.0),
        (Variant::Passive, "holdout_extrapolate", 1.0 / 2.0),
        (Variant::Motion, "holdout_interpolate", 1.0 / 2.0),
        (Variant::Multi, "train", (1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 5.0 + 1.0 / 6.0) / 4.0),
        (Variant::Multi, "holdout_interpolate", 1.0 / 4.0),
        (Variant::Multi, "holdout_extrapolate", 1.0 / 7.0),
    ] {
        let rules = spot(variant, level);
        let mut rng = Seed(25).rng();
        let mut total = 0.0;
        let episodes = 10_000;
        for episode in 0..episodes {
            let mut state = rules.start(start(episode));
            let choice = rng.below(state.layout.count);
            // Within reach of the block, away from all others.
            let [x, _, z] = state.layout.blocks()[choice as usize].place(Room::B, 1);
            state.body = Body::at(x, z, 0.0);
            let (reward, status) = rules.tick(&mut state, &STILL);
            assert_eq!((status, state.touched), (Status::Terminated, Some(choice)));
            assert_eq!(reward, if choice == state.layout.changed { 1.0 } else { 0.0 });
            total += f64::from(reward);
        }
        let (score, error) = (total / episodes as f64, (expected * (1.0 - expected) / episodes as f64).sqrt());
        assert!((score - expected).abs() < 3.0 * error, "{variant:?} {level}: {score}, not {expected}");
    }
}

#[test]
fn touch_is_a_third_of_a_metre_wide() {
    let rules = spot(Variant::Basic, "train");
    for (offset, touches) in [(0.849, true), (0.851, false)] {
        for (sx, sz) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (-1.0, -1.0)] {
            let mut state = rules.start(start(3));
            let target = state.layout.blocks()[0];
            // Nothing else is near.
            state.layout.blocks[..2][1].z[1] = 1e3;
            state.layout.blocks[..2][0].x = 4.0;
            state.layout.blocks[..2][0].z[1] = 18.0;
            assert_eq!(target.y, 0.5);
            state.body = Body::at(4.0 + sx * offset, 18.0 + sz * offset, 0.0);
            let (_, status) = rules.tick(&mut state, &STILL);
            assert_eq!(status.ended(), touches, "{offset} {sx} {sz}");
        }
    }
}

/// Blocks may stand 1.5 m apart, so that a walker can be within reach of two.
#[test]
fn of_two_blocks_the_nearer_is_touched() {
    let mut layout = spot(Variant::Basic, "train").start(start(3)).layout;
    layout.count = 2;
    let a = [3.0, 20.0];
    for (b, walker, nearer) in [
        ([4.5, 20.0], [3.70, 19.17], a),
        ([4.5, 20.0], [3.80, 19.17], [4.5, 20.0]),
        ([4.2, 21.0], [3.84, 20.16], a),
        ([4.2, 21.0], [3.36, 20.84], [4.2, 21.0]),
        ([4.34, 20.70], [3.50, 20.50], a),
    ] {
        for order in [[a, b], [b, a]] {
            for (block, [x, z]) in layout.blocks.iter_mut().zip(order) {
                (block.x, block.z[1]) = (x, z);
            }
            let [x, z] = walker;
            let found = touched(&layout, x, z, 0).map(|i| order[i as usize]);
            assert_eq!(found, Some(nearer), "{order:?} from {walker:?}");
        }
    }
    assert_eq!(touched(&layout, 9.0, 20.0, 0), None);
}

#[test]
fn blocks_of_the_first_room_are_solid_and_pay_nothing() {
    for variant in VARIANTS {
        let rules = spot(variant, "train");
        for episode in 0..20 {
            let mut state = rules.start(start(episode));
            let block = state.layout.blocks()[0];
            // From the north, straight at it; Passive's blocks stand against the northern wall.
            let (z, yaw) = if variant == Variant::Passive { (5.5, 0.0) } else { (6.5, 180.0) };
            state.body = Body::at(block.x, z, yaw);
            for _ in 0..150 {
                assert_eq!(rules.tick(&mut state, &FORWARD), (0.0, Status::Running));
                let inside = block.footprint(Room::A, state.tick).grown(0.2).contains(state.body.x, state.body.z);
                assert!(!inside, "{variant:?}: the walker is in a block");
            }
        }
    }
}

fn picture(rules: &Spot, state: &SpotState, (width, height): (usize, usize)) -> Image {
    let mut image = Image::filled(width, height, heldout_render::Rgb::MAGENTA);
    rules.picture(state, &mut image.canvas());
    image
}

fn differing(a: &Image, b: &Image) -> usize {
    a.pixels().chunks_exact(3).zip(b.pixels().chunks_exact(3)).filter(|(a, b)| a != b).count()
}

#[test]
fn memory_check_26_passive_shows_both_blocks_at_once() {
    for (level, size) in [("train", (96, 72)), ("holdout_extrapolate", (96, 72)), ("train", (84, 84))] {
        let rules = spot(Variant::Passive, level);
        for episode in 0..400 {
            let state = rules.start(start(episode));
            let off = if state.body.yaw > 180.0 { 360.0 - state.body.yaw } else { state.body.yaw };
            assert!(off <= 20.0 && (state.body.x, state.body.z) == (4.0, 1.5));
            let whole = picture(&rules, &state, size);
            for i in 0..2 {
                let mut without = state.clone();
                without.layout.blocks[..2][i].z[0] = -100.0;
                let shown = differing(&whole, &picture(&rules, &without, size));
                assert!(shown >= 12, "{level} {size:?}, episode {episode}: block {i} has {shown} pixels");
            }
        }
    }
}

#[test]
fn memory_check_26_basic_can_be_left_without_having_seen_a_block() {
    for delay in [0, 5] {
        let rules = spot(Variant::Basic, level_of(delay));
        for episode in 0..8 {
            let mut state = facing_north(&rules, episode, 6.0);
            let mut steps = 0;
            while state.body.z < 16.0 {
                let mut without = state.clone();
                for block in &mut without.layout.blocks[..2] {
                    block.z[0] = -100.0;
                }
                let [with, without] = [&state, &without].map(|s| picture(&rules, s, (96, 72)));
                assert_eq!(differing(&with, &without), 0, "a block of Room A is in view");
                assert_eq!(step(&rules, &mut state, Walk::Forward).1, Status::Running);
                steps += 1;
                assert!(steps < 200);
            }
            // The comparison can fail: looking back from the beginning shows them.
            let mut back = facing_north(&rules, episode, 6.0);
            back.body.yaw = 180.0;
            let mut gone = back.clone();
            for block in &mut gone.layout.blocks[..2] {
                block.z[0] = -100.0;
            }
            assert!(differing(&picture(&rules, &back, (96, 72)), &picture(&rules, &gone, (96, 72))) > 0);
        }
    }
}

#[test]
fn memory_check_27_patterns_close_after_four_seconds_at_constant_speed() {
    for pattern in Pattern::ALL {
        let speed = |turn: f64| {
            let [x, y] = pattern.velocity(turn);
            (x * x + y * y).sqrt()
        };
        let mut farthest = 0.0_f64;
        let samples = 1200;
        for i in 0..samples {
            // Off the corners, where a velocity has no value.
            let turn = (f64::from(i) + 0.5) / f64::from(samples);
            let [x, y] = pattern.at(turn);
            farthest = farthest.max((x * x + y * y).sqrt());
            assert!(x.abs() <= pattern.reach() + 1e-12, "{pattern:?}");
            assert!((speed(turn) - speed(0.123)).abs() < 1e-9, "{pattern:?} is faster at {turn}");
            // The velocity is the derivative of the place.
            let step = 1e-7;
            let ([x0, y0], [x1, y1]) = (pattern.at(turn), pattern.at(turn + step));
            let [vx, vy] = pattern.velocity(turn);
            assert!(((x1 - x0) / (4.0 * step) - vx).abs() < 1e-5, "{pattern:?} at {turn}");
            assert!(((y1 - y0) / (4.0 * step) - vy).abs() < 1e-5, "{pattern:?} at {turn}");
            let [dx, dy] = [pattern.at(turn + 1.0)[0] - x, pattern.at(turn + 1.0)[1] - y];
            assert!(dx.abs() < 1e-3 && dy.abs() < 1e-3, "{pattern:?} does not close");
        }
        let expected = if pattern == Pattern::None { 0.0 } else { CIRCUMRADIUS };
        assert!((farthest - expected).abs() < 0.01, "{pattern:?}: {farthest}");
    }
    // In ticks: 120, to the bit.
    assert_eq!(PERIOD, 120);
    let layout = Layout::draw(Variant::Motion, Stimuli::Train, Drawn::Small, Seed(1));
    for block in layout.blocks() {
        for room in [Room::A, Room::B] {
            assert!((0..200).all(|tick| block.place(room, tick) == block.place(room, tick + PERIOD)));
        }
        // A path is the same in both rooms, phase included, unless it is the changed one.
        let same = (0..PERIOD).all(|tick| {
            let ([ax, ay, _], [bx, by, _]) = (block.place(Room::A, tick), block.place(Room::B, tick));
            (ax, ay) == (bx, by)
        });
        assert_eq!(same, !differs(block));
    }
}

/// What an episode shows of what is held out.
#[derive(Default, PartialEq, Eq, Debug)]
struct Shown {
    colours: BTreeSet<Colour>,
    patterns: BTreeSet<Pattern>,
    counts: BTreeSet<u32>,
    delays: BTreeSet<u32>,
}

fn shown(variant: Variant, level: Level) -> Shown {
    let rules = spot(variant, level.name);
    let mut shown = Shown::default();
    for episode in 0..1000 {
        let state = rules.start(start(episode));
        for block in state.layout.blocks() {
            shown.colours.extend(block.colour);
            shown.patterns.extend(block.pattern);
        }
        shown.counts.insert(state.layout.count);
        shown.delays.insert(state.layout.delay);
    }
    shown
}

#[test]
fn train_and_held_out_levels_never_mix() {
    for variant in VARIANTS {
        for level in LEVELS {
            let Shown { colours, patterns, counts, delays } = shown(variant, level);
            let (own_colours, own_patterns) = if variant == Variant::Motion {
                (BTreeSet::from(Colour::MOVING), BTreeSet::from(Pattern::of(level.stimuli)))
            } else {
                (BTreeSet::from(Colour::of_blocks(level.stimuli)), BTreeSet::from([Pattern::None]))
            };
            assert_eq!((colours, patterns), (own_colours, own_patterns), "{variant:?} {}", level.name);
            let by_scale: (&[u32], &[u32]) = match level.scale {
                Scale::Small => (&[2, 3], &[0]),
                Scale::Large => (&[5, 6], &[10]),
                Scale::Mixed => (&[2, 3, 5, 6], &[0, 10]),
                Scale::Interpolate => (&[4], &[5]),
                Scale::Extrapolate => (&[7], &[15]),
            };
            let (own_counts, own_delays) =
                if variant == Variant::Multi { (by_scale.0, &[0][..]) } else { (&[2][..], by_scale.1) };
            assert_eq!(counts, own_counts.iter().copied().collect(), "{variant:?} {}", level.name);
            assert_eq!(delays, own_delays.iter().copied().collect(), "{variant:?} {}", level.name);
        }
    }
    for level in LEVELS {
        let rules = inference(level.name);
        let (mut colours, mut items) = (BTreeSet::new(), BTreeSet::new());
        for episode in 0..1000 {
            let chain = rules.start(start(episode)).chain;
            colours.extend(chain.colours().iter().copied());
            items.insert(chain.items);
        }
        assert_eq!(colours, BTreeSet::from(Colour::of_chains(level.stimuli)), "{}", level.name);
        let own: &[u32] = match level.scale {
            Scale::Small => &[5],
            Scale::Large => &[7],
            Scale::Mixed => &[5, 7],
            Scale::Interpolate => &[6],
            Scale::Extrapolate => &[8],
        };
        assert_eq!(items, own.iter().copied().collect(), "{}", level.name);
    }
    let disjoint = |a: &BTreeSet<Colour>, b: &BTreeSet<Colour>| a.is_disjoint(b);
    assert!(disjoint(
        &BTreeSet::from(Colour::of_blocks(Stimuli::Train)),
        &BTreeSet::from(Colour::of_blocks(Stimuli::HeldOut))
    ));
    assert!(disjoint(
        &BTreeSet::from(Colour::of_chains(Stimuli::Train)),
        &BTreeSet::from(Colour::of_chains(Stimuli::HeldOut))
    ));
    assert!(BTreeSet::from(Pattern::of(Stimuli::Train)).is_disjoint(&BTreeSet::from(Pattern::of(Stimuli::HeldOut))));
}

/// CIE 1976 L*a*b* under D65.
pub(super) fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let linear = rgb.map(|level| {
        let share = f64::from(level) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
    });
    let tristimulus = [
        [0.412_456_4, 0.357_576_1, 0.180_437_5, 0.950_47],
        [0.212_672_9, 0.715_152_2, 0.072_175_0, 1.0],
        [0.019_333_9, 0.119_192_0, 0.950_304_1, 1.088_83],
    ];
    let [x, y, z] = tristimulus.map(|[r, g, b, white]| {
        let share = (r * linear[0] + g * linear[1] + b * linear[2]) / white;
        if share > 216.0 / 24389.0 { libm::cbrt(share) } else { (24389.0 / 27.0 * share + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn colours_of_a_set_can_be_told_apart() {
    let sets = [Stimuli::Train, Stimuli::HeldOut]
        .map(|s| [Colour::of_blocks(s).to_vec(), Colour::of_chains(s).to_vec()])
        .concat();
    for set in sets {
        for (i, &a) in set.iter().enumerate() {
            for &b in &set[..i] {
                let square: f64 = lab(a.rgb().0).iter().zip(lab(b.rgb().0)).map(|(p, q)| (p - q) * (p - q)).sum();
                assert!(square.sqrt() >= 18.0, "{a:?} and {b:?}: {}", square.sqrt());
            }
        }
    }
    assert_eq!(Colour::Slate.rgb().0, [90, 105, 125]);
    assert_eq!(Colour::Neutral.rgb().0, [160, 160, 160]);
}

fn other(side: Side) -> Side {
    if side == Side::Left { Side::Right } else { Side::Left }
}

#[test]
fn memory_check_33_chains_are_as_long_as_the_level_says() {
    let mut left = 0;
    let mut shows = 0;
    for (scale, items) in [(Drawn::Small, 5), (Drawn::Large, 7), (Drawn::Interpolate, 6), (Drawn::Extrapolate, 8)] {
        for seed in 0..500 {
            let mut chain = Chain::draw(Stimuli::Train, scale, Seed(seed));
            assert_eq!(chain.items, items);
            let distinct: BTreeSet<_> = chain.colours().iter().collect();
            assert_eq!(distinct.len(), items as usize);
            let mut pairs = BTreeSet::new();
            while !chain.challenge() {
                let [lower, higher] = chain.pair();
                assert_eq!(higher, lower + 1);
                pairs.insert(lower);
                let colours = chain.colours();
                let expected = if chain.higher() == Side::Left { [higher, lower] } else { [lower, higher] };
                assert_eq!(chain.shown(), expected.map(|item| colours[item]));
                left += u32::from(chain.higher() == Side::Left);
                shows += 1;
                assert_eq!(chain.choose(chain.higher()), 1.0);
            }
            // Every pair of neighbours was shown, each once; ranks 2 and N - 1 follow.
            assert_eq!(pairs.len() as u32, items - 1);
            assert_eq!(chain.pair(), [1, items as usize - 2]);
            left += u32::from(chain.higher() == Side::Left);
            shows += 1;
            assert_eq!(chain.choose(chain.higher()), 5.0);
            assert_eq!(chain.answer, Some(true));
        }
    }
    let (left, shows) = (f64::from(left), f64::from(shows));
    assert!((left - 0.5 * shows).abs() < 5.0 * (0.25 * shows).sqrt(), "{left} of {shows}");
}

#[test]
fn memory_check_34_a_wrong_pick_shows_the_pair_again_and_pays_nothing() {
    let mut swapped = 0;
    for seed in 0..400 {
        let mut chain = Chain::draw(Stimuli::HeldOut, Drawn::Extrapolate, Seed(seed));
        let mut clean = chain;
        let mut total = 0.0;
        while !chain.challenge() {
            let (pair, side, done) = (chain.pair(), chain.higher(), chain.done);
            // Wrong answers before change nothing of what follows.
            assert_eq!((pair, side), (clean.pair(), clean.higher()));
            for _ in 0..2 {
                assert_eq!(chain.choose(other(chain.higher())), 0.0);
                assert_eq!((chain.pair(), chain.done), (pair, done));
                swapped += u32::from(chain.higher() != side);
            }
            total += chain.choose(chain.higher());
            clean.choose(side);
        }
        assert_eq!((total, chain.wrong), (7.0, 14));
        // A wrong answer to the challenge ends it with nothing.
        assert_eq!((chain.choose(other(chain.higher())), chain.answer), (0.0, Some(false)));
    }
    let trials = 400.0 * 7.0 * 2.0;
    assert!((f64::from(swapped) - 0.5 * trials).abs() < 5.0 * (0.25_f64 * trials).sqrt(), "{swapped} of {trials}");
}

/// Puts the walker onto a ball and lets a tick pass.
fn touch(rules: &Inference, state: &mut InferenceState, side: Side) -> (f32, Status) {
    let (x, z) = BALLS[side as usize];
    state.body = Body::at(x, z - BALL - 0.3, 0.0);
    rules.tick(state, &STILL)
}

#[test]
fn a_touch_is_followed_by_ten_ticks_without_balls_and_the_way_back() {
    let rules = inference("train_small");
    let mut state = rules.start(start(0));
    assert_eq!((state.body.x, state.body.z, state.body.yaw), (5.0, 1.0, 0.0));
    let mut total = 0.0;
    for pair in 0..4 {
        // Wrong first, then right.
        for right in [false, true] {
            let side = if right { state.chain.higher() } else { other(state.chain.higher()) };
            let (reward, status) = touch(&rules, &mut state, side);
            assert_eq!((reward, status), (if right { 1.0 } else { 0.0 }, Status::Running), "pair {pair}");
            total += reward;
            for tick in 0..BLANK {
                assert!(!state.shows(), "tick {tick}");
                // Where a ball was, nothing pays now.
                let (x, z) = BALLS[state.chain.higher() as usize];
                state.body = Body::at(x, z, 90.0);
                assert_eq!(rules.tick(&mut state, &FORWARD), (0.0, Status::Running));
            }
            assert!(state.shows());
            assert_eq!(state.body, Body::at(5.0, 1.0, 0.0));
        }
    }
    assert!(state.chain.challenge());
    let higher = state.chain.higher();
    assert_eq!(touch(&rules, &mut state, higher), (5.0, Status::Terminated));
    assert_eq!(total, 4.0);
}

/// The mean colour of the lower half of the picture.
fn floor(rules: &Inference, state: &InferenceState) -> [f64; 3] {
    let mut image = Image::new(96, 72);
    rules.picture(state, &mut image.canvas());
    let below = &image.pixels()[96 * 60 * 3..];
    let mut sum = [0.0; 3];
    for pixel in below.chunks_exact(3) {
        for (total, &level) in sum.iter_mut().zip(pixel) {
            *total += f64::from(level);
        }
    }
    sum.map(|total| total / (below.len() / 3) as f64)
}

#[test]
fn the_floor_tells_the_challenge_if_it_may() {
    for cue_phase in [true, false] {
        let rules = Inference::new(&InferenceConfig { cue_phase, ..InferenceConfig::default() }, ()).unwrap();
        let mut state = rules.start(start(0));
        let before = floor(&rules, &state);
        while !state.chain.challenge() {
            state.chain.choose(state.chain.higher());
        }
        let after = floor(&rules, &state);
        // Maroon, then green.
        assert!(before[0] > 1.5 * before[2], "{before:?}");
        assert_eq!(after[1] > 1.5 * after[0], cue_phase, "{after:?}");
        assert_eq!(before != after, cue_phase);
    }
}

#[test]
fn memory_check_05_what_is_seen_changes_no_reward_and_no_end() {
    let ids = ["spot-diff", "spot-diff-passive", "spot-diff-multi", "spot-diff-motion", "transitive-inference"];
    for id in ids {
        let entry = find(&format!("memory/{id}-v1")).unwrap();
        for policy in ["oracle", "random"] {
            let views = [json!({}), json!({"width": 84, "height": 84}), json!({"observation": "symbolic"})];
            let mut envs = views.map(|view| {
                let overrides: Map<_, _> = view.as_object().unwrap().clone();
                let env = entry.make(&overrides, 3, Options::default()).unwrap();
                let buffers = Buffers::new(env.spec(), 3);
                (env, buffers)
            });
            for (env, buffers) in &mut envs {
                buffers.poison(0x55);
                env.reset(Reset::seed(Seed(11)), buffers.output()).unwrap();
                env.seat(0, policy, Seed(2)).unwrap();
            }
            let mut actions = [[0; 3]; 3];
            let mut ends = 0;
            for step in 0..220 {
                for ((env, buffers), actions) in envs.iter_mut().zip(&mut actions) {
                    env.act(&buffers.rows(), actions).unwrap();
                    buffers.poison(0x55);
                    env.step(actions, buffers.output()).unwrap();
                }
                let told = envs.each_ref().map(|(_, b)| (b.rewards.clone(), b.status.clone()));
                assert!(told[0] == told[1] && told[0] == told[2], "{id}: {policy} at step {step}");
                assert!(actions[0] == actions[1] && actions[0] == actions[2], "{id}: {policy} at step {step}");
                ends += envs[0].1.status.iter().filter(|s| s.ended()).count();
            }
            assert!(policy == "random" || ends > 0, "{id}: no episode ended");
        }
    }
}

fn symbolic(rules: &Spot, state: &SpotState) -> Vec<f32> {
    let fields = &rules.spec().observation;
    let mut row = vec![f32::NAN; fields[0].len()];
    rules.observe(state, 0, Rows::new(fields, [FieldMut::F32(&mut row)]).row(0));
    assert!(row.iter().all(|x| (-1.0..=1.0).contains(x)), "{row:?}");
    row
}

#[test]
fn symbols_tell_what_is_in_view_and_nothing_else() {
    let config =
        SpotConfig { observation: Observation::Symbolic, level: "train_large".into(), ..SpotConfig::default() };
    let rules = Spot::new(&config, Variant::Basic).unwrap();
    for episode in 0..50 {
        let mut state = facing_north(&rules, episode, 6.0);
        // North: the corridor, and behind a shut gate Room B.
        let row = symbolic(&rules, &state);
        assert_eq!(&row[..9], &[0.0, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(row[9..].iter().all(|&x| x == 0.0), "blocks of Room A are behind, those of Room B hidden");
        // Moving and painting what is hidden changes nothing.
        let mut other = state.clone();
        for block in &mut other.layout.blocks[..2] {
            block.colour[1] = Colour::Teal;
            block.z[1] -= 0.5;
        }
        other.layout.changed = 1 - other.layout.changed;
        assert_eq!(row, symbolic(&rules, &other));
        // From the door, southward: both blocks of Room A, the nearest first, and no trace of Room B.
        state.body = Body::at(4.0, 7.7, 180.0);
        let row = symbolic(&rules, &state);
        let mut blocks: Vec<_> = state.layout.blocks().to_vec();
        let distance = |b: &Block| ((b.x - 4.0) * (b.x - 4.0) + (b.z[0] - 7.7) * (b.z[0] - 7.7)).sqrt();
        blocks.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        for (block, slot) in blocks.iter().zip(row[9..].chunks_exact(7)) {
            let (sin, cos) = ((4.0 - block.x) / distance(block), (7.7 - block.z[0]) / distance(block));
            let expected = [1.0, sin, cos, distance(block) / 24.0];
            assert!(slot.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6), "{slot:?} {expected:?}");
            assert_eq!(slot[4..], block.colour[0].rgb().0.map(|c| f32::from(c) / 255.0));
        }
        assert!(row[9 + 14..].iter().all(|&x| x == 0.0));
    }
}

#[test]
fn a_wall_hides_and_an_open_corridor_shows() {
    let config =
        SpotConfig { observation: Observation::Symbolic, level: "train_small".into(), ..SpotConfig::default() };
    let rules = Spot::new(&config, Variant::Basic).unwrap();
    let mut state = facing_north(&rules, 0, 7.0);
    let seen = |state: &SpotState| symbolic(&rules, state)[9..].chunks(7).filter(|s| s[0] > 0.0).count();
    let place = |state: &mut SpotState, x: [f64; 2]| {
        for (block, x) in state.layout.blocks[..2].iter_mut().zip(x) {
            (block.x, block.z) = (x, [2.0, 20.0]);
        }
    };
    // Without a delay both gates are open: what lies on the axis is seen through the corridor, what lies aside is not.
    place(&mut state, [4.0, 1.0]);
    assert_eq!(seen(&state), 1);
    place(&mut state, [6.9, 1.0]);
    assert_eq!(seen(&state), 0);
    // From the other door both are in view.
    state.body = Body::at(4.0, 14.5, 0.0);
    assert_eq!(seen(&state), 2);
    state.body.yaw = 180.0;
    assert_eq!(seen(&state), 0, "the blocks of Room A lie aside of the corridor");
    place(&mut state, [4.0, 1.0]);
    assert_eq!(seen(&state), 1);
}

#[test]
fn scales_are_mixed_evenly_and_walkers_look_anywhere() {
    let rules = spot(Variant::Basic, "train");
    let episodes = 4000;
    let (mut small, mut quadrants) = (0, [0; 4]);
    for episode in 0..episodes {
        let state = rules.start(start(episode));
        small += u32::from(state.layout.delay == 0);
        quadrants[(state.body.yaw / 90.0).floor() as usize] += 1;
        assert_eq!((state.body.x, state.body.z), (4.0, 6.0));
    }
    let n = episodes as f64;
    assert!((f64::from(small) - 0.5 * n).abs() < 5.0 * (0.25 * n).sqrt(), "{small}");
    for count in quadrants {
        assert!((f64::from(count) - 0.25 * n).abs() < 5.0 * (0.1875 * n).sqrt(), "{quadrants:?}");
    }
}
