//! A step allocates nothing, restarts included.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::{cases, script};
use heldout_core::{Autoreset, Buffers, Entry, Options, Reset, Seed, Status};

/// Counts the allocations of the calling thread, so that other tests and the harness do not disturb.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

pub(crate) fn a_step_allocates_nothing(entry: &'static Entry) {
    for case in cases(entry) {
        for autoreset in crate::MODES[..2].iter().copied() {
            // A cap, so that restarts occur whatever the rules.
            let mut env = case.make(6, Options { autoreset, max_steps: Some(23), ..Options::default() });
            let mut buffers = Buffers::with_last(env.spec(), 6);
            let script = script(env.spec(), 6, 400, 9);
            env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
            let mut ends = 0;
            for (step, actions) in script.iter().enumerate() {
                let before = COUNT.get();
                env.step(actions, buffers.output()).unwrap();
                let allocations = COUNT.get() - before;
                assert_eq!(allocations, 0, "{}: at step {step}, {autoreset:?}", case.name);
                ends += buffers.status.iter().filter(|s| **s != Status::Running).count();
            }
            assert!(ends >= 6, "{}: the test saw {ends} restarts", case.name);
        }
    }
}

/// Nor in a copy that was restored, nor on the restarts of a masked reset.
pub(crate) fn neither_after_a_restore_nor_on_a_masked_reset(entry: &'static Entry) {
    for case in cases(entry) {
        let options = Options { autoreset: Autoreset::Disabled, max_steps: Some(23), ..Options::default() };
        let mut env = case.make(2, options);
        let mut buffers = Buffers::new(env.spec(), 2);
        let script = script(env.spec(), 2, 300, 9);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        let saved = [env.save(0).unwrap(), env.save(1).unwrap()];
        env.restore(0, &saved[0]).unwrap();
        env.restore(1, &saved[1]).unwrap();
        for (step, actions) in script.iter().enumerate() {
            let mask = [buffers.status[0].ended(), buffers.status[1].ended()];
            let before = COUNT.get();
            if mask.contains(&true) {
                env.reset(Reset { mask: Some(&mask), ..Reset::default() }, buffers.output()).unwrap();
            }
            env.step(actions, buffers.output()).unwrap();
            assert_eq!(COUNT.get() - before, 0, "{}: at step {step}", case.name);
        }
    }
}

/// Nor in long play without a cap, in which goals are reached and trials end.
pub(crate) fn memory_check_44_long_play_allocates_nothing(entry: &'static Entry) {
    for case in cases(entry).into_iter().filter(|case| case.overrides.is_empty()) {
        let case = case.smallest();
        let mut env = case.make(2, Options::default());
        let mut buffers = Buffers::new(env.spec(), 2);
        let mut actions = vec![0; 2 * env.spec().action_width()];
        for agent in 0..env.spec().agents.len() {
            env.seat(agent, "oracle", Seed(1)).unwrap();
        }
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for step in 0..2_000 {
            env.act(&buffers.rows(), &mut actions).unwrap();
            let before = COUNT.get();
            env.step(&actions, buffers.output()).unwrap();
            assert_eq!(COUNT.get() - before, 0, "{}: at step {step}", case.name);
        }
    }
}

/// The test itself can fail.
pub(crate) fn the_counter_counts() {
    let before = COUNT.get();
    std::hint::black_box(vec![1_u8; 100]);
    assert_eq!(COUNT.get() - before, 1);
}
