//! One seed and one sequence of actions give one trajectory, whatever the batch and the threads.

use crate::{Case, cases, golden_path, script};
use heldout_core::transcript::{batch_digest, observation_crc};
use heldout_core::{BatchError, Buffers, Crc, Entry, Options, Reset, Seed, Seeding};

/// Checksum after each of `steps` steps of `len` copies.
fn trajectory(case: &Case, len: usize, steps: usize, seed: u64) -> Vec<u32> {
    let (mut env, mut buffers) = case.batch(len);
    env.reset(Reset::seed(Seed(seed)), buffers.output()).unwrap();
    let script = script(env.spec(), len, steps, 9);
    let mut crc = Crc::new();
    buffers.digest(&mut crc);
    let mut digests = vec![crc.value()];
    for actions in &script {
        env.step(actions, buffers.output()).unwrap();
        buffers.digest(&mut crc);
        digests.push(crc.value());
    }
    digests
}

pub(crate) fn same_seed_same_trajectory(entry: &'static Entry) {
    for case in cases(entry) {
        assert_eq!(trajectory(&case, 3, 300, 5), trajectory(&case, 3, 300, 5), "{}", case.name);
    }
}

pub(crate) fn different_seed_different_trajectory(entry: &'static Entry) {
    for case in cases(entry) {
        assert_ne!(trajectory(&case, 3, 300, 5).last(), trajectory(&case, 3, 300, 6).last(), "{}", case.name);
    }
}

pub(crate) fn a_batch_equals_its_singles(entry: &'static Entry) {
    const LEN: usize = 5;
    for case in cases(entry) {
        let (mut batch, mut together) = case.batch(LEN);
        batch.reset(Reset::seed(Seed(5)), together.output()).unwrap();
        let width = batch.spec().action_width();
        let script = script(batch.spec(), LEN, 200, 9);
        let mut singles: Vec<_> = (0..LEN)
            .map(|i| {
                let (mut env, mut alone) = case.batch(1);
                let seeds = [Some(Seed(5).derive(i as u64))];
                env.reset(Reset { seeds: Seeding::Copies(&seeds), ..Reset::default() }, alone.output()).unwrap();
                (env, alone)
            })
            .collect();
        for (step, actions) in script.iter().enumerate() {
            batch.step(actions, together.output()).unwrap();
            for (i, (env, alone)) in singles.iter_mut().enumerate() {
                env.step(&actions[i * width..(i + 1) * width], alone.output()).unwrap();
                assert!(batch.save(i).unwrap() == env.save(0).unwrap(), "{}: copy {i} at step {step}", case.name);
                assert_eq!(together.status[i], alone.status[0], "{}: copy {i} at step {step}", case.name);
                let agents = batch.spec().agents.len();
                for agent in 0..agents {
                    let crc =
                        |buffers: &Buffers, row: usize| observation_crc(batch.spec(), agent, buffers.rows().row(row));
                    let (here, there) = (crc(&together, i * agents + agent), crc(alone, agent));
                    assert_eq!(here, there, "{}: copy {i} at step {step}", case.name);
                    assert_eq!(together.rewards[i * agents + agent].to_bits(), alone.rewards[agent].to_bits());
                }
            }
        }
    }
}

/// The digest of the golden transcript, which was made on one thread, comes out of any number of them; of a build
/// without rayon too, which `cargo xtask wasm` shows.
pub(crate) fn threads_change_nothing(entry: &'static Entry) {
    let path = golden_path(entry);
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for threads in [1, 2, 7] {
        let line = format!("digest {:08x}\n", batch_digest(entry, threads));
        assert!(golden.ends_with(&line), "{} with {threads} threads: {line}", entry.id());
    }
}

/// Scripted policies are as reproducible as rules, on any number of threads.
pub(crate) fn policies_do_not_depend_on_threads_or_batch(entry: &'static Entry) {
    for case in cases(entry).into_iter().map(Case::smallest) {
        for policy in case.entry.policies() {
            let run = |len: usize, threads| {
                let mut env = case.make(len, Options { threads, ..Options::default() });
                let mut buffers = Buffers::new(env.spec(), len);
                for agent in 0..env.spec().agents.len() {
                    let name = if policy.agent.is_none_or(|a| a == agent) { policy.name } else { "random" };
                    match env.seat(agent, name, Seed(2)) {
                        // Every case must have a ceiling; other policies may need another config.
                        Err(BatchError::Unfit { .. }) if name != "oracle" => return Vec::new(),
                        seated => seated.unwrap(),
                    }
                }
                env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
                let width = env.spec().action_width();
                let mut actions = vec![0; len * width];
                let mut first = Vec::new();
                for _ in 0..60 {
                    env.act(&buffers.rows(), &mut actions).unwrap();
                    env.step(&actions, buffers.output()).unwrap();
                    first.extend_from_slice(&actions[..3 * width]);
                }
                first
            };
            let serial = run(3, 1);
            assert_eq!(run(70, 1), serial, "{} {}", case.name, policy.name);
            assert_eq!(run(70, 2), serial, "{} {}", case.name, policy.name);
        }
    }
}
