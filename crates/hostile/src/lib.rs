//! What must not break heldout, whatever it is given: the bodies of its fuzz targets.
//!
//! A target takes any bytes for an input and does with it what heldout would; it panics only if a promise is broken. `cargo
//! fuzz` feeds it from `fuzz/`; `cargo test` feeds it seeded changes of the inputs in `corpus`, which are sound.

#![forbid(unsafe_code)]

use std::path::Path;

use heldout_core::{Buffers, Crc, Entry, Options, Reset, Seed, VecEnv};
use heldout_envs::entries;
use heldout_eval::protocol::Protocol;
use heldout_eval::records::Recorded;
use heldout_eval::scales::Scales;
use heldout_eval::settings::overrides;
use serde_json::{Map, Value, json};

/// An input that anybody can forge.
pub struct Target {
    /// Its name, and that of its folder in `corpus`.
    pub name: &'static str,
    /// Takes any bytes for one; whether they were.
    pub body: fn(&[u8]) -> bool,
}

/// All of them.
pub const TARGETS: [Target; 11] = [
    Target { name: "lilgym_program", body: heldout_lilgym::fuzz_program },
    Target { name: "lilgym_data", body: |bytes| text(bytes).is_some_and(heldout_lilgym::fuzz_rows) },
    Target { name: "lilgym_recording", body: |bytes| text(bytes).is_some_and(heldout_lilgym::fuzz_recording) },
    Target { name: "halma_experience", body: heldout_halma::fuzz_experience },
    Target { name: "halma_problems", body: problems },
    Target { name: "mnist", body: heldout_digits::fuzz_mnist },
    Target { name: "protocol", body: protocol },
    Target { name: "scales", body: |bytes| text(bytes).is_some_and(|text| Scales::parse("x", text).is_ok()) },
    Target { name: "records", body: records },
    Target { name: "settings", body: settings },
    Target { name: "state", body: state },
];

/// Calls the target called `name`.
///
/// # Panics
///
/// If there is none, or a promise is broken.
#[must_use]
pub fn call(name: &str, bytes: &[u8]) -> bool {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target has this name");
    (target.body)(bytes)
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// What is accepted is played: a few problems of the file, by chance and by the oracle.
fn problems(bytes: &[u8]) -> bool {
    let Some(sealed) = text(bytes).and_then(heldout_halma::fuzz_problems) else { return false };
    let name = format!("heldout-hostile-{}-{:?}.json", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(name);
    heldout_files::write(&path, sealed.as_bytes()).expect("there is room for a small file");
    let set = Map::from_iter([("problems".to_owned(), json!(path.to_string_lossy()))]);
    let made = heldout_envs::find("halma/symbolic-v1").expect("it is there").make(&set, 1, Options::default());
    let _ = std::fs::remove_file(&path);
    let mut env = made.expect("a file of problems can be played");
    let mut buffers = Buffers::new(env.spec(), 1);
    let mut actions = vec![0; env.spec().action_width()];
    for (number, policy) in ["random", "oracle"].into_iter().enumerate() {
        env.seat(0, policy, Seed(1)).expect("there are both");
        env.reset(Reset::seed(Seed(number as u64)), buffers.output()).expect("what is made can begin");
        for _ in 0..STEPS {
            env.act(&buffers.rows(), &mut actions).expect("somebody sits there");
            env.step(&actions, buffers.output()).expect("policies act as they may");
        }
    }
    true
}

/// Conditions of a protocol that are made.
const CONDITIONS: usize = 4;

/// What is accepted names tasks that begin, or says why they do not.
fn protocol(bytes: &[u8]) -> bool {
    let Some(Ok(protocol)) = text(bytes).map(|text| Protocol::parse("x", "x.toml", text)) else { return false };
    let all = protocol.tasks.iter().flat_map(|task| task.conditions.iter().map(move |condition| (task, condition)));
    for (task, condition) in all.take(CONDITIONS) {
        if let Ok(entry) = heldout_envs::find(&task.id) {
            begins(entry, &task.overrides(condition));
        }
    }
    true
}

/// Whether an environment can be made with these settings, which then begins.
fn begins(entry: &Entry, set: &Map<String, Value>) -> bool {
    entry.make(set, 1, Options::default()).is_ok_and(|mut env| {
        let mut buffers = Buffers::new(env.spec(), 1);
        env.reset(Reset::seed(Seed(1)), buffers.output()).expect("what is made can begin");
        let actions = vec![0; env.spec().action_width()];
        (0..3).for_each(|_| env.step(&actions, buffers.output()).expect("the first action is one"));
        true
    })
}

/// A file of records as it is, and with the checksums of its lines set right.
fn records(bytes: &[u8]) -> bool {
    let path = Path::new("x.jsonl");
    let _ = Recorded::of(path, bytes);
    let mut sealed = Vec::new();
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        // The checksum is the last member, of eight digits.
        match line.len().checked_sub(21).map(|at| line.split_at(at)) {
            Some((own, end)) if end.starts_with(b",\"check\":\"") => {
                sealed.extend_from_slice(own);
                sealed.extend_from_slice(format!(",\"check\":\"{:08x}\"}}\n", Crc::of(own)).as_bytes());
            }
            _ => sealed.extend_from_slice(line),
        }
    }
    Recorded::of(path, &sealed).is_ok_and(|recorded| {
        let _ = (recorded.complete(), recorded.header.total());
        true
    })
}

/// The entry that a byte picks.
fn entry(byte: u8) -> &'static Entry {
    let all: Vec<&'static Entry> = entries().collect();
    all[usize::from(byte) % all.len()]
}

/// The first byte picks an environment; each line that follows is a `--set` of it.
fn settings(bytes: &[u8]) -> bool {
    let Some((&first, rest)) = bytes.split_first() else { return false };
    let Some(text) = text(rest) else { return false };
    let set: Vec<String> = text.lines().map(str::to_owned).collect();
    overrides(&set).is_ok_and(|set| begins(entry(first), &set))
}

/// Steps that are played on from a state.
const STEPS: usize = 20;

/// The first byte picks an environment; what follows is a saved state without its first eight bytes, which say what it is and
/// carry its checksum. What is accepted is played on from, by chance and by the oracle.
fn state(bytes: &[u8]) -> bool {
    let Some((&first, body)) = bytes.split_first() else { return false };
    let Some((mut env, mut buffers)) = begun(entry(first)) else { return false };
    let Ok(honest) = env.save(0) else { return false };
    let forged = [&honest[..4], &Crc::of(body).to_le_bytes(), body].concat();
    if env.restore(0, &forged).is_err() {
        assert!(env.save(0).is_ok_and(|now| now == honest), "what is refused changes nothing");
        return false;
    }
    let mut actions = vec![0; env.spec().action_width()];
    for policy in ["random", "oracle"] {
        for agent in 0..env.spec().agents.len() {
            env.seat(agent, policy, Seed(1)).expect("every agent has both");
        }
        env.restore(0, &forged).expect("it was restored before");
        for _ in 0..STEPS {
            env.act(&buffers.rows(), &mut actions).expect("somebody sits at every agent");
            env.step(&actions, buffers.output()).expect("policies act as they may");
        }
        let _ = (env.save(0), env.words(0));
    }
    true
}

/// One copy at the start of an episode.
fn begun(entry: &'static Entry) -> Option<(Box<dyn VecEnv>, Buffers)> {
    let mut env = entry.make(&entry.smallest(), 1, Options::default()).ok()?;
    let mut buffers = Buffers::new(env.spec(), 1);
    env.reset(Reset::seed(Seed(1)), buffers.output()).ok()?;
    Some((env, buffers))
}

/// Sound inputs of a target that are made, not stored: a state of every environment, and each key of its config told.
#[must_use]
pub fn made(name: &str) -> Vec<Vec<u8>> {
    let inputs = |entry: &'static Entry| match name {
        "state" => begun(entry).and_then(|(env, _)| env.save(0).ok()).map(|saved| vec![saved[8..].to_vec()]),
        "settings" => entry.defaults().as_object().map(|defaults| {
            let plain = |(_, value): &(&String, &Value)| value.is_boolean() || value.is_number() || value.is_string();
            defaults.iter().filter(plain).map(|(key, value)| format!("{key}={value}").into_bytes()).collect()
        }),
        _ => None,
    };
    let all = entries()
        .enumerate()
        .flat_map(|(i, entry)| inputs(entry).unwrap_or_default().into_iter().map(move |input| (i, input)));
    all.map(|(number, input)| [&[number as u8], &input[..]].concat()).collect()
}
