//! Training problems kept aside, to select the best policy by.

use heldout_core::{Buffers, Reset, Seed, Seeding, VecEnv, shuffled};

use crate::player::{Moment, Player};

/// Divides `problems` problems: those to train on, and a share kept aside, each in order.
#[must_use]
pub fn divide(problems: u32, share: f64, seed: Seed) -> (Vec<u32>, Vec<u32>) {
    let aside = (f64::from(problems) * share).round() as u32;
    let most = problems.saturating_sub(1);
    let aside = aside.clamp(u32::from(share > 0.0).min(most), most);
    let seed = seed.stream("selection");
    let mut all: Vec<u32> = (0..problems).map(|at| shuffled(seed, at, problems)).collect();
    let mut train = all.split_off(aside as usize);
    all.sort_unstable();
    train.sort_unstable();
    (train, all)
}

/// The mean of a metric over one episode of each of these problems; `env` must not restart copies by itself.
///
/// # Errors
///
/// If the environment or the player refuses.
pub fn score(
    env: &mut dyn VecEnv,
    player: &mut dyn Player,
    ids: &[u32],
    metric: &str,
    seed: Seed,
) -> Result<f64, String> {
    let spec = env.spec().clone();
    let metric = spec.metric(metric).ok_or_else(|| format!("there is no metric `{metric}` to select by"))?;
    let (n, width) = (env.len(), spec.metrics.len());
    let mut buffers = Buffers::new(&spec, n);
    let mut sum = 0.0;
    for (number, chunk) in ids.chunks(n).enumerate() {
        // Copies that have no problem of their own play the first again, which does not count.
        let problems: Vec<Option<u32>> = (0..n).map(|copy| Some(*chunk.get(copy).unwrap_or(&chunk[0]))).collect();
        let seeds: Vec<Seed> =
            (0..n).map(|copy| seed.stream("evaluation").derive((number * n + copy) as u64)).collect();
        let each: Vec<Option<Seed>> = seeds.iter().copied().map(Some).collect();
        let reset = Reset { seeds: Seeding::Copies(&each), problems: &problems, mask: None };
        env.reset(reset, buffers.output()).map_err(|e| e.to_string())?;
        let mut starts = vec![true; n];
        let mut over = vec![false; n];
        let mut rewards = vec![0.0; buffers.rewards.len()];
        let mut metrics = vec![0.0; buffers.metrics.len()];
        let mut actions = vec![0; n * spec.action_width()];
        while over.contains(&false) {
            let moment = Moment {
                observation: &buffers,
                rewards: &rewards,
                metrics: &metrics,
                starts: &starts,
                seeds: &seeds,
                done: None,
            };
            player.act(&moment, &mut actions).map_err(|e| e.to_string())?;
            env.step(&actions, buffers.output()).map_err(|e| e.to_string())?;
            starts.fill(false);
            rewards.copy_from_slice(&buffers.rewards);
            metrics.copy_from_slice(&buffers.metrics);
            let mut again = vec![false; n];
            for copy in 0..n {
                if buffers.status[copy].ended() {
                    if !over[copy] && copy < chunk.len() {
                        sum += f64::from(metrics[copy * width + metric]);
                    }
                    (over[copy], again[copy]) = (true, true);
                }
            }
            if over.contains(&false) && again.contains(&true) {
                let reset = Reset { seeds: Seeding::Keep, problems: &problems, mask: Some(&again) };
                env.reset(reset, buffers.output()).map_err(|e| e.to_string())?;
                starts.copy_from_slice(&again);
            }
        }
    }
    Ok(sum / ids.len().max(1) as f64)
}
