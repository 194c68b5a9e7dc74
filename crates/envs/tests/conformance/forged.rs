//! A restored state is checked, not trusted: one whose bytes were changed and whose checksum was made anew is refused, and
//! nothing changes, or it is harmless, whoever plays on from it.
//!
//! `HELDOUT_TEST_FORGED=200 cargo test -p heldout-envs -- forged --nocapture` tries 200 states of every id, by hand: it
//! counts what it finds and gives a state that hangs up, which the standing test cannot.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::{Case, cases, random};
use heldout_core::{Buffers, Crc, Entry, Frame, Options, Reset, Rng, Seed, VecEnv};

/// What asks for more states than [`FORGED`] of every id, by hand.
const SCALE: &str = "HELDOUT_TEST_FORGED";
/// Forged states of every id in the standing test.
const FORGED: u64 = 16;
/// Steps before each state that is forged, in an episode of each of [`AUTHORS`].
const POINTS: [usize; 6] = [0, 1, 6, 20, 60, 150];
/// Who plays the episodes whose states are forged.
const AUTHORS: [&str; 2] = ["random", "oracle"];
/// Steps that each policy plays on from a forged state that was taken.
const FUTURE: usize = 60;
/// After how long a state is given up as one that hangs, by hand alone.
const PATIENCE: Duration = Duration::from_mins(1);
/// Length of what the engine saves before the state: magic and checksum.
const HEAD: usize = 8;

/// What became of a forged state.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// It was not taken, with the reason.
    Refused(String),
    /// It was taken and played on from.
    Harmless,
    /// It was taken and broke something.
    Broke(String),
    /// It was taken and somebody never came back from it.
    Hung,
}

/// The configs whose states are forged: defaults, splits, presets, and what some policy needs to see.
fn settings(entry: &'static Entry) -> Vec<Case> {
    let mut all: Vec<Case> = cases(entry).into_iter().map(Case::smallest).collect();
    for policy in entry.policies() {
        let overrides = policy.view();
        if !overrides.is_empty() && all.iter().all(|case| case.overrides != overrides) {
            all.push(Case { entry, overrides, name: format!("{} as seen by {}", entry.id(), policy.name) });
        }
    }
    all
}

/// Seats `policy` at every agent that it can play, `random` at the others; whether it can play at all.
fn seat(env: &mut dyn VecEnv, policy: &str) -> bool {
    let mut plays = false;
    for agent in 0..env.spec().agents.len() {
        let seated = env.seat(agent, policy, Seed(1)).is_ok();
        if !seated {
            env.seat(agent, "random", Seed(1)).unwrap();
        }
        plays |= seated;
    }
    plays
}

/// States of an episode of each author; every state on the way is one that the rules can have made.
fn honest(case: &Case) -> Vec<Vec<u8>> {
    let (mut env, mut buffers) = case.batch(1);
    let mut other = case.make(1, Options::default());
    let mut actions = vec![0; env.spec().action_width()];
    let mut points = Vec::new();
    for author in AUTHORS {
        assert!(seat(&mut *env, author), "{}: `{author}` cannot play", case.name);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for step in 0..=POINTS[POINTS.len() - 1] {
            let saved = env.save(0).unwrap();
            other.restore(0, &saved).unwrap_or_else(|e| panic!("{}, {author}, step {step}: {e}", case.name));
            if POINTS.contains(&step) {
                points.push(saved);
            }
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
    }
    points
}

/// Where what the rules and the engine say of a copy begins: behind what it was saved under.
fn body(bytes: &[u8]) -> usize {
    type Origin = (String, Vec<(String, String)>, u32, u32);
    let (_, rest) = postcard::take_from_bytes::<Origin>(&bytes[HEAD..]).unwrap();
    bytes.len() - rest.len()
}

/// `value` as the format writes integers: seven bits a byte, the lowest first.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Changes `bytes` once behind `from`.
fn forge_once(bytes: &mut Vec<u8>, from: usize, other: &[u8], rng: &mut Rng) {
    // What the engine keeps comes last and is small beside most states.
    let end = bytes.len();
    let first = if rng.chance(0.2) { from.max(end.saturating_sub(60)) } else { from };
    let at = first + rng.below((end - first) as u32) as usize;
    match rng.below(6) {
        0 | 1 => bytes[at] ^= 1 << rng.below(8),
        2 => bytes[at] = *rng.pick(&[0, 1, 2, 0x7f, 0x80, 0xff]),
        3 => {
            let first = (from..at).rev().take_while(|&i| bytes[i] >= 0x80).last().unwrap_or(at);
            let last = (at..end).find(|&i| bytes[i] < 0x80).unwrap_or(end - 1);
            let near = u64::from(bytes[last] & 0x7f);
            let values = [
                u64::MAX,
                u64::MAX - 1,
                1 << 63,
                u64::from(u32::MAX),
                1 << 31,
                0xffff,
                0xff,
                1_000,
                near + 1,
                near / 2,
            ];
            bytes.splice(first..=last, varint(*rng.pick(&values)));
        }
        4 => {
            let floats = [f32::NAN, f32::INFINITY, -1.0, 1e30, -1e9, 0.0].map(|v| v.to_le_bytes().to_vec());
            let doubles = [f64::NAN, f64::NEG_INFINITY, -1.0, 1e300, 1e9, -0.5].map(|v| v.to_le_bytes().to_vec());
            let value = rng.pick(&[floats, doubles].concat()).clone();
            let fits = value.len().min(end - at);
            bytes[at..at + fits].copy_from_slice(&value[..fits]);
        }
        _ => {
            let length = 1 + rng.below(40) as usize;
            for (here, there) in bytes[at..].iter_mut().zip(other.iter().skip(at)).take(length) {
                *here = *there;
            }
        }
    }
}

/// A forged state: one of `saved` changed in one to three places, with the checksum of what it says now.
fn forge(saved: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let (mut bytes, other) = (rng.pick(saved).clone(), rng.pick(saved));
    let from = body(&bytes);
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 3]) {
        forge_once(&mut bytes, from, other, rng);
    }
    let checksum = Crc::of(&bytes[HEAD..]).to_le_bytes();
    bytes[HEAD - 4..HEAD].copy_from_slice(&checksum);
    bytes
}

/// Everything that can be asked of a copy.
fn look(env: &dyn VecEnv, buffers: &mut Buffers) {
    env.observe(buffers.output()).unwrap();
    let (width, height) = env.spec().frame;
    let mut pixels = vec![0; width * height * 3];
    for agent in 0..env.spec().agents.len() {
        env.draw(0, agent, Frame { width, height, pixels: &mut pixels }).unwrap();
    }
    env.words(0).unwrap();
    env.problem(0).unwrap();
    env.experience(0).unwrap();
}

/// Plays on from the state in `env` with the policies that are seated, through the ends of episodes, and saves it.
fn play(env: &mut dyn VecEnv, buffers: &mut Buffers, mut choose: impl FnMut(&mut dyn VecEnv, &Buffers, &mut [i32])) {
    let mut actions = vec![0; env.spec().action_width()];
    env.observe(buffers.output()).unwrap();
    for _ in 0..FUTURE {
        choose(env, buffers, &mut actions);
        env.step(&actions, buffers.output()).unwrap();
        let mut values = vec![0.0; env.spec().metrics.len()];
        env.metrics(0, &mut values).unwrap();
        assert!(values.iter().all(|v| v.is_finite()), "metrics {values:?}");
    }
    let saved = env.save(0).unwrap();
    // What forged clocks lead to may be refused in its turn.
    let _ = env.restore(0, &saved);
    env.reset(Reset::default(), buffers.output()).unwrap();
}

/// Restores `bytes` and does with it whatever can be done with a state.
fn fate(env: &mut dyn VecEnv, buffers: &mut Buffers, policies: &[&str], bytes: &[u8]) -> Fate {
    let before = env.save(0).unwrap();
    if let Err(error) = env.restore(0, bytes) {
        assert!(env.save(0).unwrap() == before, "a refused state changed the batch: {error}");
        return Fate::Refused(error.to_string());
    }
    look(env, buffers);
    let mut rng = Rng::new(Seed(3));
    play(env, buffers, |env, _, actions| random(env.spec(), &mut rng, actions));
    for policy in policies {
        env.restore(0, bytes).unwrap();
        if seat(env, policy) {
            play(env, buffers, |env, buffers, actions| env.act(&buffers.rows(), actions).unwrap());
        }
    }
    Fate::Harmless
}

/// Tells the fate of the forged states `numbers` of `entry`, one by one.
fn tell(entry: &'static Entry, numbers: Range<u64>, told: &Sender<Fate>) {
    let settings = settings(entry);
    let policies: Vec<&str> = entry.policies().iter().map(|p| p.name).collect();
    let seed = Seed(u64::from(Crc::of(entry.id().as_bytes())));
    let mut tables: Vec<_> = settings.iter().map(|_| None).collect();
    for number in numbers {
        let at = number as usize % settings.len();
        let case = &settings[at];
        let (saved, batch) = tables[at].get_or_insert_with(|| (honest(case), case.batch(1)));
        let bytes = forge(saved, &mut seed.derive(number).rng());
        let fate = catch_unwind(AssertUnwindSafe(|| fate(&mut *batch.0, &mut batch.1, &policies, &bytes)));
        let fate = fate.unwrap_or_else(|panic| {
            *batch = case.batch(1);
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Fate::Broke(format!("{}: {text}", case.name))
        });
        if told.send(fate).is_err() {
            return;
        }
    }
}

/// The fates of `count` forged states of `entry`; one that takes longer than `patience` hangs.
fn fates(entry: &'static Entry, count: u64, patience: Duration) -> Vec<Fate> {
    let mut fates = Vec::new();
    while (fates.len() as u64) < count {
        let (sender, receiver) = channel();
        let numbers = fates.len() as u64..count;
        // A thread that hangs is left behind.
        std::thread::spawn(move || tell(entry, numbers, &sender));
        while (fates.len() as u64) < count {
            match receiver.recv_timeout(patience) {
                Ok(fate) => fates.push(fate),
                Err(RecvTimeoutError::Timeout) => {
                    fates.push(Fate::Hung);
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => panic!("{}: an honest state broke something", entry.id()),
            }
        }
    }
    fates
}

pub(crate) fn forged_states_are_refused_or_harmless(entry: &'static Entry) {
    let scale = std::env::var(SCALE).ok().map(|count| count.parse().expect("a number of states"));
    let fates = fates(entry, scale.unwrap_or(FORGED), if scale.is_some() { PATIENCE } else { Duration::MAX });
    let count = |of: fn(&Fate) -> bool| fates.iter().filter(|fate| of(fate)).count();
    let bad: Vec<_> = fates.iter().enumerate().filter(|(_, f)| matches!(f, Fate::Broke(_) | Fate::Hung)).collect();
    if scale.is_some() {
        println!(
            "{}: {} tried, {} refused, {} harmless, {} broke, {} hung",
            entry.id(),
            fates.len(),
            count(|f| matches!(f, Fate::Refused(_))),
            count(|f| matches!(f, Fate::Harmless)),
            count(|f| matches!(f, Fate::Broke(_))),
            count(|f| matches!(f, Fate::Hung)),
        );
    }
    assert!(bad.is_empty(), "{}: {bad:#?}", entry.id());
}
