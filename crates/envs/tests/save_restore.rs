//! A saved state resumes the same future: at any point of an episode, in another batch, in another process.

mod common;

use common::{Case, cases, script};
use heldout_core::{Crc, Reset, Seed, VecEnv};

/// Points of an episode at which states are saved.
const POINTS: usize = 32;
/// Steps for which the future must be the same.
const FUTURE: usize = 64;

/// Checksum of the next [`FUTURE`] steps from `bytes`.
fn future(case: &Case, bytes: &[u8]) -> u32 {
    let (mut env, mut buffers) = case.batch(1);
    env.restore(0, bytes).unwrap();
    let mut crc = Crc::new();
    env.observe(buffers.output()).unwrap();
    buffers.digest(&mut crc);
    for actions in script(env.spec(), 1, FUTURE, 21) {
        env.step(&actions, buffers.output()).unwrap();
        buffers.digest(&mut crc);
    }
    crc.bytes(&env.save(0).unwrap());
    crc.value()
}

/// States of copy 2 of a batch, saved at [`POINTS`] points spread over its steps, with the batch's own future from each.
fn points(case: &Case) -> Vec<(Vec<u8>, u32)> {
    let (mut env, mut buffers) = case.batch(3);
    env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
    let width = env.spec().action_width();
    let future_script = script(env.spec(), 1, FUTURE, 21);
    let mut points = Vec::new();
    for (step, actions) in script(env.spec(), 3, 3 * POINTS, 9).iter().enumerate() {
        if step % 3 == 0 {
            let saved = env.save(2).unwrap();
            // The batch goes on from here, in a clone made by saving the others too.
            let others = [env.save(0).unwrap(), env.save(1).unwrap()];
            let mut crc = Crc::new();
            let (mut single, mut alone) = case.batch(1);
            single.restore(0, &saved).unwrap();
            single.observe(alone.output()).unwrap();
            alone.digest(&mut crc);
            for own in &future_script {
                let mut all = vec![0; 3 * width];
                all[2 * width..].copy_from_slice(own);
                env.step(&all, buffers.output()).unwrap();
                single.step(own, alone.output()).unwrap();
                alone.digest(&mut crc);
                assert!(env.save(2).unwrap() == single.save(0).unwrap(), "{}: step {step}", case.name);
            }
            crc.bytes(&env.save(2).unwrap());
            points.push((saved.clone(), crc.value()));
            for (copy, bytes) in others.iter().chain([&saved]).enumerate() {
                env.restore(copy, bytes).unwrap();
            }
        }
        env.step(actions, buffers.output()).unwrap();
    }
    points
}

#[test]
fn resumes_the_same_future() {
    for case in cases().into_iter().map(Case::smallest) {
        let points = points(&case);
        assert_eq!(points.len(), POINTS);
        for (bytes, expected) in points {
            assert_eq!(future(&case, &bytes), expected, "{}", case.name);
        }
    }
}

const CHILD: &str = "HELDOUT_TEST_RESTORE";

/// In the child process: prints the future of the state in the file that [`CHILD`] names.
#[test]
fn child_prints_the_future() {
    let Ok(job) = std::env::var(CHILD) else { return };
    let (name, path) = job.split_once('|').unwrap();
    let case = cases().into_iter().map(Case::smallest).find(|c| c.name == name).unwrap();
    println!("future={:08x}", future(&case, &std::fs::read(path).unwrap()));
}

#[test]
fn resumes_in_a_fresh_process() {
    for case in cases().into_iter().map(Case::smallest) {
        let (bytes, expected) = points(&case).swap_remove(POINTS / 2);
        let name = case.name.replace(['/', ' '], "_");
        let path = std::env::temp_dir().join(format!("heldout-restore-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["child_prints_the_future", "--exact", "--nocapture"])
            .env(CHILD, format!("{}|{}", case.name, path.display()))
            .output()
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains(&format!("future={expected:08x}")), "{}: {printed}", case.name);
    }
}

/// Experience survives restarts, travels with saved states, and can be read, set and cleared.
#[test]
fn experience_outlives_episodes() {
    for case in cases() {
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
    }
}
