//! Acceptance checks 1 to 7 of S2B: the space, the split, the lists of targets.

use super::{EPISODES, Listener, near, play, rules, start, states, uniform};
use crate::config::ListenerConfig as Config;
use crate::space::{Kernel, Meaning, SpaceRules, Structure, Tail, section};
use crate::split::{Halves, Split, longest_list};
use heldout_core::{Environment, Seed};
use serde_json::json;

#[test]
fn s2b_check_01_kernels_lie_three_deviations_inside_their_sections() {
    let mut rng = Seed(1).rng();
    for _ in 0..10_000 {
        let values = rng.between(2, 16) as u8;
        let value = rng.below(u32::from(values)) as u8;
        let Kernel { mean, deviation } = Kernel::draw(value, values, &mut rng);
        let (low, high) = section(value, values);
        let width = high - low;
        assert!(deviation >= width / 12.0 - 1e-6 && deviation <= width / 6.0 + 1e-6);
        assert!(mean >= low + 3.0 * deviation - 1e-6 && mean <= high - 3.0 * deviation + 1e-6);
    }
}

/// Samples of `EPISODES` episodes: all of them, and those outside their sections.
fn outside(tail: &str) -> (u32, u32) {
    let config: Config = serde_json::from_value(json!({"tail": tail, "samples": 16})).unwrap();
    let rules = Listener::new(&config, ()).unwrap();
    let space_rules = space_rules(&config);
    let (mut all, mut outside) = (0, 0);
    for state in states(&rules, EPISODES) {
        let structure = state.space.structure();
        for dim in 0..3 {
            for value in 0..structure.values(dim) {
                let (low, high) = section(value, structure.values(dim));
                for &x in state.space.samples(&space_rules, dim, value) {
                    let x = f64::from(x);
                    all += 1;
                    outside += u32::from(x < low || x > high);
                    assert!(tail == "none" || (-1.0..=1.0).contains(&x));
                }
            }
        }
    }
    (all, outside)
}

fn space_rules(config: &Config) -> SpaceRules {
    let Config { dims, min_values, max_values, samples, tail, representation, .. } = *config;
    SpaceRules { tail, representation, ..SpaceRules::new(dims, min_values, max_values, samples).unwrap() }
}

#[test]
fn s2b_check_02_samples_stay_in_their_sections_unless_tails_are_kept() {
    assert_eq!(outside("reject").1, 0);
    assert_eq!(outside("clip").1, 0);
    let (all, out) = outside("none");
    let share = f64::from(out) / f64::from(all);
    assert!(share > 0.0 && share <= 0.0027, "{share}");
}

#[test]
fn s2b_check_03_the_looks_of_values_never_overlap() {
    for tail in ["reject", "clip"] {
        let config: Config = serde_json::from_value(json!({"tail": tail, "samples": 16})).unwrap();
        let rules = Listener::new(&config, ()).unwrap();
        let space_rules = space_rules(&config);
        for state in states(&rules, EPISODES) {
            for dim in 0..3 {
                let samples = |value| state.space.samples(&space_rules, dim, value).iter().copied();
                for value in 1..state.space.structure().values(dim) {
                    let below = samples(value - 1).fold(f32::MIN, f32::max);
                    assert!(below < samples(value).fold(f32::MAX, f32::min), "{tail}");
                }
            }
        }
    }
}

#[test]
fn s2b_check_04_numbers_of_values_are_uniform_and_shapes_do_not_tell_them() {
    let rules: Listener = rules(json!({}));
    let mut counts = [[0_u32; 4]; 3];
    let mut shapes = Vec::new();
    for state in states(&rules, 10_000) {
        for (dim, counts) in counts.iter_mut().enumerate() {
            counts[usize::from(state.space.structure().values(dim)) - 2] += 1;
        }
        let mut buffers = heldout_core::Buffers::new(rules.spec(), 1);
        rules.observe(&state, 0, buffers.output().rows.row(0));
        shapes.push(buffers.rows().row(0).f32(0).len());
    }
    for counts in counts {
        uniform("values of a dimension", &counts);
    }
    assert!(shapes.iter().all(|&n| n == 3));
}

#[test]
fn s2b_check_05_the_split_has_the_sizes_of_the_table() {
    for (values, support, query) in [
        ([2, 2, 2], 4, 4),
        ([3, 3, 3], 20, 7),
        ([4, 4, 4], 32, 32),
        ([5, 5, 5], 81, 44),
        ([5, 5, 3], 51, 24),
        ([4, 2, 3], 14, 10),
    ] {
        let structure = Structure::new(&values);
        for split in [Split::Combinatorial2, Split::Combinatorial2Shuffled] {
            let mut halves = Halves::default();
            halves.redraw(split, &structure, Seed(5));
            assert_eq!((halves.support().len(), halves.query().len()), (support, query), "{values:?}");
            assert!(halves.support().iter().all(|m| !halves.query().contains(m)));
            for dim in 0..3 {
                for value in 0..values[dim] {
                    assert!(halves.support().iter().any(|m| m.value(dim) == value), "{values:?}: {dim} {value}");
                }
            }
            if split == Split::Combinatorial2 {
                let odd = |m: &Meaning| (0..3).filter(|&i| m.value(i) % 2 == 1).count();
                assert!(halves.query().iter().all(|m| odd(m) >= 2));
                assert!(halves.support().iter().all(|m| odd(m) < 2));
            }
        }
    }
}

/// The shuffled split draws its test values: every value is one of them in its share of the episodes.
#[test]
fn the_shuffled_split_is_uniform() {
    let structure = Structure::new(&[5, 5, 5]);
    let mut counts = [0; 5];
    let mut halves = Halves::default();
    for i in 0..5000 {
        halves.redraw(Split::Combinatorial2Shuffled, &structure, Seed(9).derive(i));
        for value in 0..5 {
            counts[usize::from(value)] += u32::from(halves.is_test(1, value));
        }
    }
    assert_eq!(counts.iter().sum::<u32>(), 2 * 5000);
    uniform("test values", &counts);
}

#[test]
fn s2b_check_06_the_support_list_covers_every_value() {
    for (shots, max_values, expected, tolerance) in
        [(1, 5, 10.6, 0.8), (2, 5, 19.2, 1.2), (4, 5, 36.2, 2.0), (1, 3, 6.1, 0.5)]
    {
        let rules: Listener = rules(json!({"shots": shots, "max_values": max_values, "samples": 1}));
        let mut games = 0;
        for state in states(&rules, 4 * EPISODES) {
            let structure = state.space.structure();
            let list = state.support_targets();
            games += list.len();
            assert!(list.iter().all(|&m| !state.halves.held_out(m)));
            for dim in 0..3 {
                for value in 0..structure.values(dim) {
                    assert!(list.iter().filter(|m| m.value(dim) == value).count() >= shots);
                }
            }
        }
        let mean = games as f64 / (4 * EPISODES) as f64;
        println!("shots {shots}, max_values {max_values}: {mean:.2} support games");
        near(&format!("support games at {shots} shots, {max_values} values"), mean, expected, tolerance);
    }
}

/// The compact rule needs about half as many games.
#[test]
fn the_compact_support_list_is_short() {
    for (shots, expected) in [(1, 6.1), (2, 11.1), (4, 21.7)] {
        let rules: Listener = rules(json!({"shots": shots, "samples": 1, "support_rule": "compact"}));
        let games: usize = states(&rules, EPISODES).map(|s| s.support_targets().len()).sum();
        let mean = games as f64 / EPISODES as f64;
        println!("compact, shots {shots}: {mean:.2} support games");
        near("compact support games", mean, expected, 0.06 * expected);
    }
}

/// Under `support_passes` the support list is played so many times, in its order, and the query list once.
#[test]
fn support_lists_are_played_as_often_as_told() {
    for passes in [1, 3] {
        let rules: Listener = rules(json!({"support_passes": passes}));
        for state in states(&rules, 20) {
            let rulebook = &rules.rulebook;
            let played = (0..rulebook.games(&state)).map(|game| rulebook.prepare(&state, game));
            let played: Vec<(Meaning, bool)> = played.map(|game| (game.target.meaning, game.query)).collect();
            let support = state.support_targets().repeat(passes).into_iter().map(|meaning| (meaning, false));
            let query = state.query_targets().iter().map(|&meaning| (meaning, true));
            assert_eq!(played, support.chain(query).collect::<Vec<_>>());
        }
    }
}

/// Room is made for the longest list that a sampler can make, so that restarts allocate nothing.
#[test]
fn no_support_list_is_longer_than_its_room() {
    for (shots, rule) in [(1, "weighted"), (4, "weighted"), (4, "compact")] {
        let rules: Listener = rules(json!({"shots": shots, "support_rule": rule}));
        for state in states(&rules, 50) {
            let room = longest_list(state.space.structure().total_values(), shots);
            assert!(
                state.support_targets().len() <= room,
                "{} targets, room for {room}",
                state.support_targets().len()
            );
        }
    }
}

#[test]
fn s2b_check_07_the_query_list_is_every_held_out_meaning_once() {
    for (max_values, expected) in [(5, 16.875), (3, 5.5)] {
        let rules: Listener = rules(json!({"max_values": max_values}));
        let (mut games, mut squares, mut ordered) = (0.0, 0.0, 0);
        for state in states(&rules, 4000) {
            let mut list: Vec<Meaning> = state.query_targets().to_vec();
            ordered += u32::from(list == state.halves.query());
            list.sort_unstable();
            let mut all = state.halves.query().to_vec();
            all.sort_unstable();
            assert_eq!(list, all);
            games += list.len() as f64;
            squares += (list.len() * list.len()) as f64;
        }
        let mean = games / 4000.0;
        near("query games", mean, expected, 5.0 * ((squares / 4000.0 - mean * mean) / 4000.0).sqrt());
        assert!(ordered < 400, "the order is random");
    }
}

/// Under the public code's rules, episodes are about as long as it was measured to play.
#[test]
fn the_original_query_rule_plays_as_many_games_as_the_public_code() {
    for (shots, samples, expected) in [(1, 1, 14.5), (1, 4, 13.0), (2, 1, 16.1), (4, 4, 48.8)] {
        let overrides = json!({"shots": shots, "samples": samples, "query_rule": "original"});
        let played = play("s2b/listener-v1", &overrides, &["random"], EPISODES);
        let games = played.mean("query_games");
        println!("original query rule, shots {shots}, samples {samples}: {games:.2} query games");
        near("query games", games, expected, 0.15 * expected);
    }
}

#[test]
fn tails_are_what_their_names_say() {
    let kernel = Kernel { mean: 0.9, deviation: 1.0 };
    let mut rng = Seed(4).rng();
    let draws = |tail| (0..200).map(|_| kernel.sample(1, 2, tail, &mut Seed(4).rng())).collect::<Vec<_>>();
    assert_eq!(draws(Tail::None)[0].to_bits(), draws(Tail::None)[1].to_bits());
    for _ in 0..2000 {
        let clipped = kernel.sample(0, 2, Tail::Clip, &mut rng);
        assert!((-1.0..0.0).contains(&clipped), "{clipped}");
        let redrawn = kernel.sample(1, 2, Tail::Reject, &mut rng);
        assert!((0.0..=1.0).contains(&redrawn), "{redrawn}");
    }
}

/// The weighted sampler repeats targets as often as its wording was measured to, in the mean over episodes.
#[test]
fn the_support_list_repeats_targets_as_measured() {
    for (shots, samples, expected) in [(1, 1, 0.101), (2, 1, 0.23), (4, 4, 0.448)] {
        let rules: Listener = rules(json!({"shots": shots, "samples": samples}));
        let repeats = |state: <Listener as Environment>::State| {
            let mut list = state.support_targets().to_vec();
            let games = list.len() as f64;
            list.sort_unstable();
            list.dedup();
            1.0 - list.len() as f64 / games
        };
        let share = states(&rules, 2 * EPISODES).map(repeats).sum::<f64>() / (2 * EPISODES) as f64;
        println!("shots {shots}, samples {samples}: {share:.3} of the targets are repeats");
        near("repeats", share, expected, 0.02);
    }
}

/// One-hot spaces have every value on every dimension if told so; continuous ones do not heed it.
#[test]
fn fixed_structures_are_whole_where_stimuli_are_one_hot() {
    for (representation, fixed, whole) in [("ohe", true, true), ("ohe", false, false), ("scs", true, false)] {
        let rules: Listener = rules(json!({"representation": representation, "ohe_fixed_structure": fixed}));
        let all = states(&rules, 50).all(|state| state.space.structure() == &Structure::new(&[5, 5, 5]));
        assert_eq!(all, whole, "{representation}, fixed {fixed}");
    }
}

/// Neither the rules nor an earlier episode give a look to a value that a dimension lacks.
#[test]
fn values_that_a_dimension_lacks_have_no_looks() {
    let config = Config::default();
    let (rules, space_rules) = (Listener::new(&config, ()).unwrap(), space_rules(&config));
    let mut state = rules.start(start(0));
    for i in 1..EPISODES as u64 {
        for dim in 0..3 {
            for value in 0..5 {
                let there = value < state.space.structure().values(dim);
                let looks = state.space.samples(&space_rules, dim, value);
                assert_eq!(state.space.kernel(&space_rules, dim, value) != Kernel::default(), there, "{dim} {value}");
                assert!(looks.iter().all(|&x| (x != 0.0) == there), "{dim} {value}: {looks:?}");
            }
        }
        rules.restart(&mut state, start(i));
    }
}
