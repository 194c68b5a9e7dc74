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

/// Asserts that numbers are close, relative to those that are greater than 1.
fn near(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{i}: {a} is not {b}");
    }
}
