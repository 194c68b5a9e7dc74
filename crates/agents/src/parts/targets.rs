//! What is learnt towards: pure functions of rewards, discounts and values, laid out `[rows, copies]`.

/// Advantages by generalised advantage estimation.
///
/// `values` has one row more: what the row after the last is worth. A row that is not `valid` (the last observation of an
/// ended episode) is no step: its advantage is zero, and a step before it that has a discount is worth what that row is
/// worth.
///
/// # Panics
///
/// If the lengths do not fit.
#[must_use]
pub fn gae(copies: usize, rewards: &[f32], discounts: &[f32], valid: &[bool], values: &[f32], lambda: f32) -> Vec<f32> {
    assert_eq!(values.len(), rewards.len() + copies, "one row of values more than of rewards");
    let mut advantages = vec![0.0; rewards.len()];
    for at in (0..rewards.len()).rev().filter(|&at| valid[at]) {
        let after = advantages.get(at + copies).copied().unwrap_or(0.0);
        let surprise = rewards[at] + discounts[at] * values[at + copies] - values[at];
        advantages[at] = surprise + discounts[at] * lambda * after;
    }
    advantages
}

/// Brings what is `valid` to mean 0 and standard deviation 1 (of a sample, plus 1e-5).
pub fn standardise(advantages: &mut [f32], valid: &[bool]) {
    let own = |x: &[f32]| x.iter().zip(valid).filter(|(_, v)| **v).map(|(a, _)| f64::from(*a)).collect::<Vec<_>>();
    let numbers = own(advantages);
    if numbers.len() < 2 {
        return;
    }
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (numbers.len() - 1) as f64;
    let deviation = variance.sqrt() + 1e-5;
    for a in advantages.iter_mut() {
        *a = ((f64::from(*a) - mean) / deviation) as f32;
    }
}

/// What PPO's policy loses at one row: minus the smaller of the ratio times the advantage, clipped or not.
///
/// The difference of logarithms is cut at 50, so that a step which the policy now finds much more likely stays finite.
#[must_use]
pub fn clipped_loss(log_ratio: f32, advantage: f32, clip: f32) -> f32 {
    let ratio = libm::expf(log_ratio.min(50.0));
    -(ratio * advantage).min(ratio.clamp(1.0 - clip, 1.0 + clip) * advantage)
}

/// What PPO's value loses at one row: half the larger of the squared errors, of the value and of one that stayed close to
/// the old.
#[must_use]
pub fn clipped_value_loss(value: f32, old: f32, target: f32, clip: f32) -> f32 {
    let close = old + (value - old).clamp(-clip, clip);
    let [far, near] = [value - target, close - target];
    0.5 * (far * far).max(near * near)
}
