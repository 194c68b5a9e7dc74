//! A saved state resumes the same future: at any point of an episode, in another batch, in another process.

use crate::{Case, cases, script};
use heldout_core::transcript::observation_crc;
use heldout_core::{Buffers, Crc, Entry, Reset, Seed, VecEnv};
use heldout_envs::entries;

/// Points of an episode at which states are saved.
const POINTS: usize = 32;
/// Steps for which the future must be the same.
const FUTURE: usize = 64;

/// Feeds all that is written for copy `copy`.
fn digest_copy(env: &dyn VecEnv, buffers: &Buffers, copy: usize, crc: &mut Crc) {
    let (agents, metrics) = (env.spec().agents.len(), env.spec().metrics.len());
    for agent in 0..agents {
        let row = copy * agents + agent;
        crc.bytes(&observation_crc(env.spec(), agent, buffers.rows().row(row)).to_le_bytes());
        crc.f32s(&buffers.rewards[row..=row]);
    }
    crc.bytes(&[buffers.status[copy] as u8]);
    let mut values = vec![0.0; metrics];
    env.metrics(copy, &mut values).unwrap();
    crc.f32s(&values);
}

/// Checksum of the next [`FUTURE`] steps of copy `copy`.
fn future_of(env: &mut dyn VecEnv, buffers: &mut Buffers, copy: usize) -> u32 {
    let width = env.spec().action_width();
    let mut crc = Crc::new();
    for own in script(env.spec(), 1, FUTURE, 21) {
        let mut all = vec![0; env.len() * width];
        all[copy * width..(copy + 1) * width].copy_from_slice(&own);
        env.step(&all, buffers.output()).unwrap();
        digest_copy(env, buffers, copy, &mut crc);
    }
    crc.bytes(&env.save(copy).unwrap());
    crc.value()
}

/// Checksum of the next [`FUTURE`] steps from `bytes`, restored alone into a new batch.
fn future(case: &Case, bytes: &[u8]) -> u32 {
    let (mut env, mut buffers) = case.batch(1);
    env.restore(0, bytes).unwrap();
    future_of(&mut *env, &mut buffers, 0)
}

/// States of copy 2 of a batch, saved at [`POINTS`] points spread over its steps, each with the future that the batch,
/// which was never restored, goes on to from there.
fn points(case: &Case) -> Vec<(Vec<u8>, u32)> {
    let prefix = |steps: usize| {
        let (mut env, mut buffers) = case.batch(3);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for actions in &script(env.spec(), 3, 3 * POINTS, 9)[..steps] {
            env.step(actions, buffers.output()).unwrap();
        }
        (env, buffers)
    };
    (0..POINTS)
        .map(|point| {
            let (mut env, mut buffers) = prefix(3 * point);
            let saved = env.save(2).unwrap();
            let expected = future_of(&mut *env, &mut buffers, 2);
            (saved, expected)
        })
        .collect()
}

/// A restored copy is seen as the one that was saved.
pub(crate) fn observes_the_same(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(2);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for actions in script(env.spec(), 2, 40, 9) {
            env.step(&actions, buffers.output()).unwrap();
        }
        let (mut other, mut alone) = case.batch(1);
        other.restore(0, &env.save(1).unwrap()).unwrap();
        other.observe(alone.output()).unwrap();
        for agent in 0..env.spec().agents.len() {
            let crc =
                |env: &dyn VecEnv, buffers: &Buffers, row| observation_crc(env.spec(), agent, buffers.rows().row(row));
            let (here, there) = (env.spec().agents.len() + agent, agent);
            assert_eq!(crc(&*env, &buffers, here), crc(&*other, &alone, there), "{}", case.name);
        }
        assert_eq!(other.problem(0).unwrap(), env.problem(1).unwrap(), "{}", case.name);
    }
}

pub(crate) fn resumes_the_same_future(entry: &'static Entry) {
    for case in cases(entry).into_iter().map(Case::smallest) {
        let points = points(&case);
        assert_eq!(points.len(), POINTS);
        for (bytes, expected) in points {
            assert_eq!(future(&case, &bytes), expected, "{}", case.name);
        }
    }
}

/// What names the case and the file of a child process.
const CHILD: &str = "HELDOUT_TEST_RESTORE";

/// In the child process: prints the future of the state in the file that [`CHILD`] names, and says so.
pub(crate) fn child() -> bool {
    let Ok(job) = std::env::var(CHILD) else { return false };
    let (name, path) = job.split_once('|').unwrap();
    let mut all = entries().flat_map(cases).map(Case::smallest);
    let case = all.find(|c| c.name == name).unwrap();
    println!("future={:08x}", future(&case, &std::fs::read(path).unwrap()));
    true
}

pub(crate) fn resumes_in_a_fresh_process(entry: &'static Entry) {
    for case in cases(entry).into_iter().map(Case::smallest) {
        let (bytes, expected) = points(&case).swap_remove(POINTS / 2);
        let name = case.name.replace(['/', ' '], "_");
        let path = std::env::temp_dir().join(format!("heldout-restore-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .env(CHILD, format!("{}|{}", case.name, path.display()))
            .output()
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains(&format!("future={expected:08x}")), "{}: {printed}", case.name);
    }
}

/// Experience survives restarts, travels with saved states, and can be read, set and cleared.
pub(crate) fn experience_outlives_episodes(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(2);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        let Some(empty) = env.experience(0).unwrap() else {
            assert!(env.set_experience(0, &[]).is_err() && env.clear_experience(0).is_err(), "{}", case.name);
            continue;
        };
        for actions in script(env.spec(), 2, 300, 9) {
            env.step(&actions, buffers.output()).unwrap();
        }
        let read = |env: &dyn VecEnv, copy| env.experience(copy).unwrap().unwrap();
        let full = read(&*env, 0);
        assert!(full != empty, "{}: nothing was counted", case.name);
        assert!(full != read(&*env, 1), "{}: copies share their experience", case.name);
        env.reset(Reset { mask: Some(&[false, true]), ..Reset::default() }, buffers.output()).unwrap();
        assert!(read(&*env, 0) == full, "{}: a reset of the other copy changed it", case.name);
        let saved = env.save(0).unwrap();
        env.clear_experience(0).unwrap();
        assert!(read(&*env, 0) != full, "{}", case.name);
        env.set_experience(0, &full).unwrap();
        assert!(read(&*env, 0) == full, "{}", case.name);
        assert!(env.set_experience(0, &full[1..]).is_err(), "{}: short experience was taken", case.name);
        assert!(read(&*env, 0) == full, "{}: a refused experience changed it", case.name);
        env.restore(1, &saved).unwrap();
        assert!(read(&*env, 1) == full, "{}: a saved state lost its experience", case.name);
        env.merge_experience(1, &empty).unwrap();
        assert!(env.merge_experience(1, &full[1..]).is_err(), "{}: short experience was merged", case.name);
        // Experience loaded before the first reset is there after it; merging it twice is more than having it once.
        let (mut later, mut buffers) = case.batch(3);
        later.set_experience(0, &full).unwrap();
        later.merge_experience(1, &full).unwrap();
        later.merge_experience(2, &full).unwrap();
        later.merge_experience(2, &full).unwrap();
        assert!(read(&*later, 0) == full && read(&*later, 1) == full && read(&*later, 2) != full, "{}", case.name);
        later.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        later.clear_experience(2).unwrap();
        assert!(read(&*later, 0) != read(&*later, 2), "{}: a reset lost what was loaded before it", case.name);
    }
}

/// A state is taken by its own environment alone, however alike two are.
pub(crate) fn no_environment_takes_the_state_of_another(entry: &'static Entry) {
    let saved = entry.default_batch().save(0).unwrap();
    for taker in entries().filter(|taker| taker.id() != entry.id()) {
        let error = taker.default_batch().restore(0, &saved).unwrap_err().to_string();
        assert!(error.contains(entry.id()) && error.contains(taker.id()), "{error}");
    }
}
