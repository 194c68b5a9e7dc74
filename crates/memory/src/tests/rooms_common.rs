//! Playing the rooms with their scripted policies.

use heldout_core::{Autoreset, Batch, Buffers, Environment, Options, Reset, Seed, Start, Status, VecEnv};

/// The start of episode `episode` of some run.
pub(crate) fn start(episode: u64) -> Start {
    let copy = Seed(77);
    Start { seed: copy.derive(episode), copy, episode, problem: None }
}

/// How one episode went.
pub(crate) struct Episode<S> {
    pub(crate) total: f64,
    pub(crate) steps: u32,
    pub(crate) status: Status,
    /// The state at its end.
    pub(crate) state: S,
}

/// Lets the policy called `name` play `episodes` episodes.
pub(crate) fn play<E: Environment>(
    config: &E::Config,
    variant: E::Variant,
    name: &str,
    episodes: u64,
    seed: u64,
) -> Vec<Episode<E::State>> {
    let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
    let mut batch = Batch::<E>::new(config, variant, 1, options).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.seat(0, name, Seed(1)).unwrap();
    let mut actions = [0];
    let one = |episode| {
        buffers.poison(0xaa);
        batch.reset(Reset::seed(Seed(seed).derive(episode)), buffers.output()).unwrap();
        let (mut total, mut steps) = (0.0, 0);
        while !buffers.status[0].ended() {
            batch.act(&buffers.rows(), &mut actions).unwrap();
            batch.step(&actions, buffers.output()).unwrap();
            total += f64::from(buffers.rewards[0]);
            steps += 1;
        }
        Episode { total, steps, status: buffers.status[0], state: batch.state(0).unwrap().clone() }
    };
    (0..episodes).map(one).collect()
}

/// Mean of the returns.
pub(crate) fn mean<S>(episodes: &[Episode<S>]) -> f64 {
    episodes.iter().map(|e| e.total).sum::<f64>() / episodes.len() as f64
}
