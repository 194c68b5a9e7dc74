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

/// What IMPALA learns towards at each row: what the row is worth by V-trace, and what the policy's loss is weighted by.
///
/// `ratios` are those of the policy that learns to the one that played; they count at most 1. `values` has one row more. A row
/// that is not `valid` is worth what the value says.
///
/// # Panics
///
/// If the lengths do not fit.
#[must_use]
pub fn vtrace(
    copies: usize,
    rewards: &[f32],
    discounts: &[f32],
    valid: &[bool],
    ratios: &[f32],
    values: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    assert_eq!(values.len(), rewards.len() + copies, "one row of values more than of rewards");
    let mut worth = values.to_vec();
    let mut weights = vec![0.0; rewards.len()];
    for at in (0..rewards.len()).rev().filter(|&at| valid[at]) {
        let ratio = ratios[at].min(1.0);
        let after = at + copies;
        let surprise = rewards[at] + discounts[at] * values[after] - values[at];
        weights[at] = ratio * (rewards[at] + discounts[at] * worth[after] - values[at]);
        worth[at] = values[at] + ratio * (surprise + discounts[at] * (worth[after] - values[after]));
    }
    worth.truncate(rewards.len());
    (worth, weights)
}

/// How values are squeezed before they are learnt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rescale {
    /// Not at all.
    #[default]
    Identity,
    /// By the signed root (Pohlen et al. 2018).
    Root,
}

/// What the signed root adds, so that it can be undone.
const SLOPE: f64 = 1e-3;

impl Rescale {
    /// Squeezes.
    #[must_use]
    pub fn squeeze(self, x: f64) -> f64 {
        match self {
            Self::Identity => x,
            Self::Root => x.signum() * ((x.abs() + 1.0).sqrt() - 1.0) + SLOPE * x,
        }
    }

    /// Undoes it.
    #[must_use]
    pub fn undo(self, y: f64) -> f64 {
        match self {
            Self::Identity => y,
            Self::Root => {
                let root = (1.0 + 4.0 * SLOPE * (y.abs() + 1.0 + SLOPE)).sqrt();
                let inner = (root - 1.0) / (2.0 * SLOPE);
                y.signum() * (inner * inner - 1.0)
            }
        }
    }
}

/// How far ahead Q-learning looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Steps.
    pub n: usize,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// How values are squeezed.
    pub rescale: Rescale,
}

impl Ahead {
    /// What Q-learning learns towards at each row: `n` steps of rewards and what the row after them is worth, which `next` says
    /// for every row and one more. Steps end early at a `dead` row, which is worth what `next` says of it, and at the last.
    ///
    /// # Panics
    ///
    /// If the lengths do not fit.
    #[must_use]
    pub fn targets(&self, copies: usize, rewards: &[f32], cont: &[f32], dead: &[bool], next: &[f32]) -> Vec<f32> {
        assert_eq!([next.len(), dead.len()], [rewards.len() + copies; 2], "one row more than of rewards");
        let target = |at: usize| {
            if dead[at] {
                return 0.0;
            }
            let (mut sum, mut weight, mut now) = (0.0, 1.0, at);
            for step in 0..self.n {
                if now >= rewards.len() || (step > 0 && dead[now]) {
                    break;
                }
                sum += weight * f64::from(rewards[now]);
                weight *= self.gamma * f64::from(cont[now]);
                now += copies;
            }
            self.rescale.squeeze(sum + weight * self.rescale.undo(f64::from(next[now]))) as f32
        };
        (0..rewards.len()).map(target).collect()
    }
}
