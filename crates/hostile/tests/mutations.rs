//! Every target over its stored inputs and over seeded changes of them. Longer, by hand:
//! `HELDOUT_MUTATIONS=100000 cargo test --release -p heldout-hostile`; or `cargo test -p heldout-hostile -- --ignored` and then, with a
//! nightly compiler, `cargo fuzz run --sanitizer none NAME`.

use std::fs;
use std::path::{Path, PathBuf};

use heldout_core::{Rng, Seed};
use heldout_hostile::{TARGETS, Target, made};

/// Pieces of text that are put into inputs.
const PIECES: [&str; 24] = [
    "-1",
    "0",
    "1e308",
    "1e-320",
    "-0.0",
    "NaN",
    "inf",
    "18446744073709551615",
    "9223372036854775808",
    "4294967296",
    "null",
    "true",
    "\"\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\n",
    "\\u0000",
    "=",
    "\u{feff}",
    "((((",
];

fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let stored = paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap()));
    let made = made(target.name).into_iter().enumerate().map(|(i, bytes)| (PathBuf::from(format!("made {i}")), bytes));
    stored.chain(made).collect()
}

/// `bytes` with up to four changes.
fn changed(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(4) {
        let below = |rng: &mut Rng, n: usize| rng.below(n as u32 + 1) as usize;
        let at = below(rng, bytes.len());
        let to = (at + below(rng, 16)).min(bytes.len());
        match rng.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][below(rng, 4)],
            2 => drop(bytes.drain(at..to)),
            3 => drop(bytes.splice(at..at, PIECES[below(rng, PIECES.len() - 1)].bytes())),
            4 => drop(bytes.splice(at..to, PIECES[below(rng, PIECES.len() - 1)].bytes())),
            5 => {
                let again = bytes[at..to].to_vec();
                bytes.splice(at..at, again);
            }
            6 if !other.is_empty() => {
                let from = below(rng, other.len());
                let until = (from + below(rng, 64)).min(other.len());
                bytes.splice(at..to, other[from..until].iter().copied());
            }
            // A whole number, wherever digits stand, is another.
            _ => {
                let digits = bytes.iter().enumerate().skip(at).find(|(_, b)| b.is_ascii_digit()).map(|(i, _)| i);
                if let Some(start) = digits {
                    let end =
                        bytes[start..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |n| start + n);
                    bytes.splice(start..end, PIECES[below(rng, 9)].bytes());
                }
            }
        }
    }
    bytes
}

/// How often a target is called: what it costs differs.
fn times(target: &Target) -> u32 {
    let asked = std::env::var("HELDOUT_MUTATIONS").ok().map(|n| n.parse().expect("a number"));
    asked.unwrap_or(match target.name {
        "state" | "halma_experience" => 1_500,
        "lilgym_recording" | "settings" | "protocol" | "halma_problems" => 5_000,
        _ => 20_000,
    })
}

fn attack(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = corpus(target);
    assert!(!corpus.is_empty(), "{name}: there is nothing to change");
    for (path, bytes) in &corpus {
        assert!((target.body)(bytes), "{name}: {} is sound", path.display());
    }
    let mut rng = Rng::new(Seed(15));
    let mut accepted = 0;
    let all = times(target);
    for i in 0..all {
        let pick = |rng: &mut Rng| &corpus[rng.below(corpus.len() as u32) as usize].1;
        let (one, other) = (pick(&mut rng), pick(&mut rng));
        let bytes = changed(one, other, &mut rng);
        // What breaks is shown by its number, and stored by hand.
        let kept = std::env::temp_dir().join(format!("heldout-hostile-{name}"));
        if std::env::var_os("HELDOUT_MUTATIONS").is_some() {
            fs::write(&kept, &bytes).unwrap();
        }
        let body = target.body;
        let was = std::panic::catch_unwind(move || body(&bytes));
        assert!(was.is_ok(), "{name}: change {i} breaks a promise");
        accepted += u32::from(was.unwrap_or_default());
    }
    println!("{name}: {accepted} of {all} changes accepted");
    assert!(0 < accepted && accepted < all);
}

/// Puts all sound inputs where `cargo fuzz` looks for them.
#[test]
#[ignore = "for `cargo fuzz`: makes fuzz/corpus"]
fn write_the_corpus_of_cargo_fuzz() {
    for target in &TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
        fs::create_dir_all(&folder).unwrap();
        for (number, (_, bytes)) in corpus(target).into_iter().enumerate() {
            fs::write(folder.join(number.to_string()), bytes).unwrap();
        }
    }
}

/// Every target has a test, and a fuzz target of its name.
#[test]
fn every_target_is_attacked() {
    let own = include_str!("mutations.rs");
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for Target { name, .. } in &TARGETS {
        assert!(own.contains(&format!("attack(\"{name}\")")), "{name}");
        let body = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).expect("a fuzz target");
        assert!(body.contains(&format!("call(\"{name}\"")), "{name}");
        assert!(fs::read_to_string(fuzz.join("Cargo.toml")).unwrap().contains(&format!("name = \"{name}\"")), "{name}");
    }
}

#[test]
fn lilgym_program() {
    attack("lilgym_program");
}

#[test]
fn lilgym_data() {
    attack("lilgym_data");
}

#[test]
fn lilgym_recording() {
    attack("lilgym_recording");
}

#[test]
fn halma_experience() {
    attack("halma_experience");
}

#[test]
fn halma_problems() {
    attack("halma_problems");
}

#[test]
fn mnist() {
    attack("mnist");
}

#[test]
fn protocol() {
    attack("protocol");
}

#[test]
fn scales() {
    attack("scales");
}

#[test]
fn records() {
    attack("records");
}

#[test]
fn settings() {
    attack("settings");
}

#[test]
fn state() {
    attack("state");
}
