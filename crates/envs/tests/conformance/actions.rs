//! Every action of the space is taken; any other is refused by name and changes nothing.

use crate::{cases, script};
use heldout_core::{BatchError, Entry, Reset, Seed};

pub(crate) fn a_bad_action_changes_nothing_and_is_named(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(3);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        let spec = env.spec().clone();
        let good = script(&spec, 3, 1, 9).remove(0);
        let width = spec.action_width();
        let saved: Vec<_> = (0..3).map(|i| env.save(i).unwrap()).collect();
        for agent in 0..spec.agents.len() {
            let span = spec.action_span(agent);
            for component in 0..span.len() {
                let n = spec.agents[agent].action.sizes()[component] as i32;
                for value in [-1, n, n + 1, i32::MIN, i32::MAX] {
                    let mut bad = good.clone();
                    bad[2 * width + span.start + component] = value;
                    let error = env.step(&bad, buffers.output()).unwrap_err();
                    let expected = BatchError::InvalidAction {
                        env: 2,
                        agent: spec.agents[agent].name,
                        action: bad[2 * width..][span.clone()].to_vec(),
                        space: spec.agents[agent].action.clone(),
                    };
                    assert_eq!(error, expected, "{}", case.name);
                    for (i, saved) in saved.iter().enumerate() {
                        assert!(env.save(i).unwrap() == *saved, "{}: copy {i} changed by {value}", case.name);
                    }
                }
            }
        }
        for wrong in [&good[1..], &[][..], &[good.clone(), good.clone()].concat()] {
            assert!(matches!(env.step(wrong, buffers.output()), Err(BatchError::Size { what: "actions", .. })));
        }
        env.step(&good, buffers.output()).unwrap();
    }
}

/// Both ends of every component are actions.
pub(crate) fn the_corners_of_the_space_are_taken(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(1);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        let sizes: Vec<i32> = env.spec().agents.iter().flat_map(|a| a.action.sizes()).map(|&n| n as i32).collect();
        for corner in 0..1_u32 << sizes.len().min(8) {
            let at = |(i, n): (usize, &i32)| if corner >> (i % 8) & 1 == 1 { n - 1 } else { 0 };
            let actions: Vec<i32> = sizes.iter().enumerate().map(at).collect();
            env.step(&actions, buffers.output()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        }
    }
}
