//! Acceptance checks 8 and 27 of S2B: what is exact about speed. Figures come from `heldout bench`.

#![allow(unsafe_code, reason = "a counting allocator is unsafe by nature")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use super::{EPISODES, Listener, find, rules, start};
use heldout_core::{Buffers, Crc, Environment, Options, Reset, Seed};
use serde_json::{Map, json};

/// Counts the allocations of the calling thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The public code hangs here: on two dimensions its query sampler waits for values that held-out meanings never have.
#[test]
fn s2b_check_08_two_dimensions_restart_in_bounded_work() {
    for samples in [1, 4, 16] {
        for query_rule in ["all", "original"] {
            for support_rule in ["weighted", "compact", "all"] {
                let rules: Listener = rules(
                    json!({"dims": 2, "samples": samples, "query_rule": query_rule, "support_rule": support_rule, "shots": 1}),
                );
                let mut state = rules.start(start(0));
                for i in 1..EPISODES as u64 {
                    let before = COUNT.get();
                    rules.restart(&mut state, start(i));
                    assert_eq!(COUNT.get() - before, 0, "a restart allocates nothing");
                    let values = state.space.structure().total_values() as usize;
                    // Nine targets per value at the most: the bound of the sampler.
                    assert!(state.support_targets().len() <= 9 * values);
                    let held_out = state.halves.query().len();
                    assert_eq!(state.query_targets().len() % held_out, 0);
                    assert!(state.query_targets().len() <= held_out * samples);
                }
            }
        }
    }
}

#[test]
fn s2b_check_27_steps_and_restarts_allocate_nothing_on_any_number_of_threads() {
    for id in ["s2b/listener-v1", "s2b/game-v1", "s2b/recall-v1"] {
        let digests = [1, 2, 7].map(|threads| {
            let options = Options { threads, ..Options::default() };
            let mut env = find(id).unwrap().make(&Map::new(), 256, options).unwrap();
            let mut buffers = Buffers::new(env.spec(), 256);
            env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
            let width = env.spec().action_width();
            let actions: Vec<i32> = (0..256 * width).map(|i| (i % 3) as i32).collect();
            let mut crc = Crc::new();
            let (mut ends, before) = (0, COUNT.get());
            for _ in 0..600 {
                env.step(&actions, buffers.output()).unwrap();
                buffers.digest(&mut crc);
                ends += buffers.status.iter().filter(|s| s.ended()).count();
            }
            if threads == 1 {
                assert_eq!(COUNT.get() - before, 0, "{id}");
            }
            assert!(ends > 256, "{id}: {ends} restarts");
            crc.value()
        });
        assert!(digests[0] == digests[1] && digests[1] == digests[2], "{id}");
    }
}

/// Configs that no preset has: each is written whole, stays in its bounds and allocates nothing.
#[test]
fn every_form_of_the_observation_is_whole_and_costs_no_allocation() {
    for (id, overrides) in [
        ("s2b/listener-v1", json!({"flat": true})),
        ("s2b/listener-v1", json!({"skip_idle": true, "distractors": 2})),
        ("s2b/listener-v1", json!({"skip_idle": true, "flat": true, "feedback": false, "distractors": 1})),
        ("s2b/listener-v1", json!({"representation": "ohe", "partner_id": true, "privileged": true})),
        ("s2b/listener-v1", json!({"speaker": "bag-of-symbols", "vocabulary": 15})),
        ("s2b/listener-v1", json!({"speaker": "holistic", "rounds": 2, "message_length": 2})),
        (
            "s2b/listener-v1",
            json!({"speaker": "random", "support_rule": "compact", "split": "combinatorial2_shuffled"}),
        ),
        ("s2b/game-v1", json!({"flat": true, "full_observation": false, "distractors": 2})),
        ("s2b/game-v1", json!({"listener_query": true, "actions": "sentences"})),
        ("s2b/game-v1", json!({"listener_query": true, "actions": "combined", "partner_id": true})),
        ("s2b/game-v1", json!({"listener_query": true, "flat": true, "tail": "none"})),
        ("s2b/recall-v1", json!({"samples": 4, "max_games_per_shot": 3, "replacement": true, "split": "query"})),
    ] {
        let serde_json::Value::Object(map) = &overrides else { unreachable!() };
        let make = || find(id).unwrap().make(map, 4, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let (mut one, mut two) = (make(), make());
        let spec = one.spec().clone();
        let [mut ones, mut twos] = [Buffers::new(&spec, 4), Buffers::new(&spec, 4)];
        one.reset(Reset::seed(Seed(5)), ones.output()).unwrap();
        two.reset(Reset::seed(Seed(5)), twos.output()).unwrap();
        let mut rng = Seed(6).rng();
        for _ in 0..400 {
            let sizes = spec.agents.iter().flat_map(|a| a.action.sizes()).cycle().take(4 * spec.action_width());
            let actions: Vec<i32> = sizes.map(|&n| rng.below(n) as i32).collect();
            ones.poison(0x55);
            twos.poison(0xaa);
            let before = COUNT.get();
            one.step(&actions, ones.output()).unwrap();
            assert_eq!(COUNT.get() - before, 0, "{id} {overrides}");
            two.step(&actions, twos.output()).unwrap();
            let digest = |buffers: &Buffers| {
                let mut crc = Crc::new();
                buffers.digest(&mut crc);
                crc.value()
            };
            assert_eq!(digest(&ones), digest(&twos), "{id} {overrides}: an element was not written");
            for (index, field) in spec.observation.iter().enumerate() {
                if let heldout_core::FieldRef::F32(values) = ones.field(index) {
                    let inside = |x: &f32| *x >= field.low && *x <= field.high;
                    assert!(values.iter().all(inside), "{id} {overrides}: `{}`", field.name);
                }
            }
        }
    }
}
