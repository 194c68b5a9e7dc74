//! The numbered checks of the learners.

mod agents;
mod collecting;
mod encoder;
mod eoa;
mod heads;
mod impala;
mod inputs;
mod layers;
mod learning;
mod memories;
mod moving;
mod r2d2;
mod seeds;
mod selecting;
mod targets;
mod td3;
mod team;
mod toys;

use crate::nn::Params;

/// Makes all numbers of a list zero but for those that are named, so that what a network says are its last biases.
fn only(params: &mut Params, named: &[(&str, &[f32])]) {
    for i in 0..params.entries().len() {
        let param = &params.entries()[i];
        let own = named.iter().find(|(name, _)| *name == param.name);
        let numbers = own.map_or_else(|| vec![0.0; param.len()], |(_, numbers)| numbers.to_vec());
        params.set(i, numbers);
    }
    let known = |name: &str| params.entries().iter().any(|p| p.name == name);
    assert!(named.iter().all(|(name, _)| known(name)), "{named:?}");
}

/// Asserts that numbers are close, relative to those that are greater than 1.
fn near(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{i}: {a} is not {b}");
    }
}
