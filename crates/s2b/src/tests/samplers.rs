//! The samplers of targets, held against the spec's words.

use super::{Listener, meaning, rules, states};
use crate::space::{Meaning, Structure};
use crate::split::{Halves, Sampler, Split};
use heldout_core::{Rng, Seed};
use serde_json::json;

/// Section 1.6's weighted rule for targets of `set`, step by step and on the same draws.
fn worded(values: &[u8], set: &[Meaning], shots: u32, samples: u32, rng: &mut Rng) -> Vec<Meaning> {
    let mut counters: Vec<Vec<u32>> = values.iter().map(|&d| vec![0; d.into()]).collect();
    let all = values.iter().map(|&d| u32::from(d)).sum::<u32>();
    let mut replacement = shots * all > set.len() as u32 * samples;
    let (mut rejections, mut in_a_row, mut list) = (0, 0, Vec::new());
    while counters.iter().flatten().any(|&count| count < shots) {
        let drawn = counters.iter().map(|counts| {
            // A ticket for each unit of weight.
            let tickets: Vec<u8> = (0..)
                .zip(counts)
                .flat_map(|(value, &count)| {
                    std::iter::repeat_n(value, (shots + 1).saturating_sub(count).max(1) as usize)
                })
                .collect();
            tickets[rng.below(tickets.len() as u32) as usize]
        });
        let mut target = meaning(&drawn.collect::<Vec<_>>());
        if list.contains(&target) {
            if !replacement {
                rejections += 1;
                replacement = rejections > 10;
                continue;
            }
            if in_a_row < 5 {
                in_a_row += 1;
                continue;
            }
        }
        in_a_row = 0;
        if !set.contains(&target) {
            let weight = |m: &Meaning| {
                let apart = |i| f64::from(m.value(i)) - f64::from(target.value(i));
                1.0 / (100.0 * (0..values.len()).map(|i| apart(i) * apart(i)).sum::<f64>() + 1e-3)
            };
            let at = rng.unit() * set.iter().map(weight).sum::<f64>();
            let mut reached = 0.0;
            let near = set.iter().find(|m| {
                reached += weight(m);
                at < reached
            });
            target = near.copied().unwrap_or(set[set.len() - 1]);
        }
        for (i, counts) in counters.iter_mut().enumerate() {
            counts[usize::from(target.value(i))] += 1;
        }
        list.push(target);
    }
    list
}

/// Exact, as the 0.001 in the weights of stand-ins decides one draw in ten thousand of the largest space.
#[test]
fn the_weighted_sampler_is_the_specs_wording() {
    for (values, shots, samples, lists) in [
        // Five values and five meanings: a target is replaced where there are more of them, not as many.
        (&[2, 3][..], 1, 1, 400),
        (&[2, 5, 3], 2, 1, 100),
        (&[4, 4, 4], 4, 1, 100),
        (&[4, 4, 4], 4, 4, 100),
        (&[16, 16, 4], 1, 1, 1500),
    ] {
        let structure = Structure::new(values);
        let mut halves = Halves::default();
        halves.redraw(Split::Combinatorial2, &structure, Seed(5));
        // On two dimensions held-out meanings lack some values.
        let sets = [halves.support(), halves.query()].into_iter().take(if values.len() == 2 { 1 } else { 2 });
        for (half, set) in sets.enumerate() {
            let sampler = Sampler { structure: &structure, set, halves: &halves, shots, samples };
            for i in 0..lists {
                let seed = Seed(31).derive(i);
                let mut list = Vec::new();
                sampler.weighted(&mut seed.rng(), &mut list);
                let expected = worded(values, set, shots, samples, &mut seed.rng());
                assert!(list == expected, "{values:?}, shots {shots}, samples {samples}, half {half}, list {i}");
            }
        }
    }
}

/// Each target of a compact list holds a value still needed and is listed again only after all that do.
#[test]
fn a_compact_list_repeats_no_target_before_its_time() {
    for (dims, shots) in [(2, 1), (2, 16), (3, 1), (3, 4)] {
        let rules: Listener = rules(json!({"dims": dims, "shots": shots, "support_rule": "compact"}));
        for state in states(&rules, 200) {
            let mut seen = vec![[0; 5]; dims];
            let mut used: Vec<Meaning> = Vec::new();
            for &target in state.support_targets() {
                let needed = |m: Meaning| (0..dims).any(|i| seen[i][usize::from(m.value(i))] < shots);
                assert!(needed(target), "{dims} dimensions, {shots} shots");
                if !state.halves.support().iter().any(|&m| needed(m) && !used.contains(&m)) {
                    used.clear();
                }
                assert!(!used.contains(&target), "{dims} dimensions, {shots} shots");
                used.push(target);
                for (i, seen) in seen.iter_mut().enumerate() {
                    seen[usize::from(target.value(i))] += 1;
                }
            }
            let values = |i| usize::from(state.space.structure().values(i));
            assert!(seen.iter().enumerate().all(|(i, seen)| seen[..values(i)].iter().all(|&n| n >= shots)));
        }
    }
}

/// Section 1.7: the public code lists every stimulus in order if there are fewer of them than values to show, times
/// shots; where there are as many, it samples.
#[test]
fn the_original_query_rule_lists_every_stimulus_only_where_these_are_few() {
    for (shots, samples) in [(1, 1), (2, 1), (1, 4), (4, 4)] {
        let rules: Listener = rules(json!({"shots": shots, "samples": samples, "query_rule": "original"}));
        let mut as_many = 0;
        for state in states(&rules, 400) {
            let (needed, held_out) =
                (shots as usize * state.space.structure().total_values() as usize, state.halves.query());
            let stimuli: Vec<Meaning> = held_out.iter().flat_map(|&m| std::iter::repeat_n(m, samples)).collect();
            as_many += u32::from(needed == stimuli.len());
            assert_eq!(
                state.query_targets() == stimuli,
                needed > stimuli.len(),
                "{:?}, shots {shots}, samples {samples}",
                state.space.structure()
            );
            assert!(state.query_targets().iter().all(|&m| state.halves.held_out(m)));
        }
        assert!(as_many > 0 || shots as usize != samples, "shots {shots}, samples {samples}");
    }
}
