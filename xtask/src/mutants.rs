//! `cargo xtask mutants FAMILY`: how many defects, put in by cargo-mutants one at a time, the tests notice.
//!
//! The sample is drawn without replacement from all mutants of the family's rule files, by the generator of the rules, so
//! that a seed names it. Each mutant meets the quick tests in a build that does not optimise; what survives them meets the
//! others, and what survives those the family's conformance suite.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use heldout_core::{Rng, Seed};
use heldout_envs::FAMILIES;

use crate::root;
use crate::shell::command;

/// Sources that are no rules: tests, and what prints or draws for people.
const NO_RULES: [&str; 6] =
    ["**/tests/**", "**/commands.rs", "**/words.rs", "**/*draw.rs", "**/walker/map.rs", "**/fuzz.rs"];
/// Seconds of computing that a process may take, so that a loop without an end is caught however busy the machine is.
const COMPUTING: &str = "ulimit -t 200 && exec \"$@\"";
/// What became of a mutant, as cargo-mutants names its lists.
const OUTCOMES: [&str; 4] = ["caught", "timeout", "missed", "unviable"];

/// Draws `sample` mutants of `family` by `seed`, or takes those that `only` lists, and prints what the tests noticed.
pub(crate) fn mutants(family: &str, sample: usize, seed: u64, only: Option<&Path>) -> anyhow::Result<()> {
    let Some(family) = FAMILIES.iter().find(|f| f.name == family) else {
        let names: Vec<&str> = FAMILIES.iter().map(|f| f.name).collect();
        bail!("there is no family `{family}`; there are {}", names.join(", "));
    };
    for (tool, package) in [("mutants", "cargo-mutants"), ("nextest", "cargo-nextest")] {
        if !Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|output| output.status.success()) {
            bail!("`cargo {tool}` is missing; run `cargo install {package} --locked`");
        }
    }
    let package = format!("heldout-{}", family.folder);
    let out = root().join("target/mutants.out").join(family.name);
    fs::create_dir_all(&out)?;
    let all = list(&package)?;
    let drawn = match only {
        Some(path) => lines(path)?,
        None => draw(all.clone(), sample, seed),
    };
    fs::write(out.join("sample.txt"), drawn.join("\n"))?;

    let quick = format!("package({package}) - ({})", slow(&package)?.join(" + "));
    let lib = ["--cargo-arg=--lib".to_owned(), format!("--test-package={package}")];
    let conformance = ["--cargo-arg=--test=conformance", "--test-package=heldout-envs"].map(str::to_owned);
    let stages = [
        ("quick", "mutants", lib.clone(), quick),
        ("slow", "survivors", lib, "all()".to_owned()),
        ("conformance", "survivors", conformance, format!("test(/^{}\\//)", family.name)),
    ];
    let mut left = drawn.clone();
    let [mut caught, mut timeout, mut unviable] = [0; 3];
    for (stage, profile, tests, filter) in stages {
        let found = run(&out.join(stage), &package, &left, profile, &tests, &filter)?;
        caught += found[0].len();
        timeout += found[1].len();
        unviable += found[3].len();
        left.clone_from(&found[2]);
    }
    fs::write(out.join("missed.txt"), left.join("\n"))?;

    let viable = drawn.len() - unviable;
    let (low, high) = wilson(caught + timeout, viable);
    println!("{} of {} mutants of {}, seed {seed}: {viable} viable", drawn.len(), all.len(), family.name);
    println!("{caught} caught by a failed test, {timeout} by its time, {} missed", left.len());
    println!("{:.1} % caught, 95 % interval {low:.1} to {high:.1}", 100.0 * (caught + timeout) as f64 / viable as f64);
    for name in &left {
        println!("missed: {name}");
    }
    Ok(())
}

/// A cargo command that builds into a folder of its own, under a profile that builds quickly.
fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = command("cargo", arguments);
    cargo.env("CARGO_TARGET_DIR", target());
    cargo
}

fn target() -> PathBuf {
    root().join("target/mutation")
}

/// The names of all mutants of a package's rules, in order.
fn list(package: &str) -> anyhow::Result<Vec<String>> {
    let mut mutants = cargo(&["mutants", "--list", "--package", package]);
    mutants.args(NO_RULES.map(|glob| format!("--exclude={glob}")));
    let output = mutants.output()?;
    if !output.status.success() {
        bail!("{mutants:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let names: BTreeSet<String> = String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect();
    Ok(names.into_iter().collect())
}

/// The first `sample` of `all` in an order that `seed` shuffles.
fn draw(mut all: Vec<String>, sample: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(Seed(seed));
    let sample = sample.min(all.len());
    for i in 0..sample {
        let j = i + rng.below((all.len() - i) as u32) as usize;
        all.swap(i, j);
    }
    all.truncate(sample);
    all
}

/// Runs the tests of `package` as they are; those that are not quick, as parts of a filter.
fn slow(package: &str) -> anyhow::Result<Vec<String>> {
    let mut tests =
        cargo(&["nextest", "run", "--profile=quick", "--cargo-profile=mutants", "--lib", "--package", package]);
    let output = tests.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    // `        PASS [   0.824s] (67/67) heldout-halma tests::shortcuts::a_test`
    let of = |word: &str| -> Vec<String> {
        let own = text.lines().filter(|line| line.trim_start().starts_with(&format!("{word} [")));
        own.filter_map(|line| line.split_whitespace().next_back()).map(|name| format!("test(={name})")).collect()
    };
    if of("PASS").is_empty() || !of("FAIL").is_empty() {
        bail!("{tests:?} failed before any mutant: {text}");
    }
    Ok([vec!["none()".to_owned()], of("TIMEOUT")].concat())
}

/// Runs cargo-mutants on `names` against the tests that `tests` and `filter` leave; the names by outcome.
fn run(
    out: &Path,
    package: &str,
    names: &[String],
    profile: &str,
    tests: &[String],
    filter: &str,
) -> anyhow::Result<[Vec<String>; 4]> {
    if names.is_empty() {
        return Ok(Default::default());
    }
    let mut mutants = Command::new("sh");
    mutants.current_dir(root()).env("CARGO_TARGET_DIR", target());
    mutants.args([
        "-c",
        COMPUTING,
        "sh",
        "cargo",
        "mutants",
        "--test-tool=nextest",
        "--baseline=skip",
        "--timeout=7200",
    ]);
    mutants.args([format!("--profile={profile}"), format!("--package={package}")]).args(tests);
    mutants.arg(format!("--output={}", out.display())).args(NO_RULES.map(|glob| format!("--exclude={glob}")));
    mutants.args(names.iter().map(|name| format!("--re=^{}$", escape(name))));
    mutants.args(["--", "--fail-fast", "-E", filter]);
    let status = mutants.status()?;
    // 2: some were missed; 3: some took too long.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo-mutants failed: {status}");
    }
    let mut found: [Vec<String>; 4] = Default::default();
    for (found, outcome) in found.iter_mut().zip(OUTCOMES) {
        // cargo-mutants runs mutants that leave out a field of a struct whatever `--re` says.
        *found = lines(&out.join("mutants.out").join(outcome).with_extension("txt"))?;
        found.retain(|name| names.contains(name));
    }
    let counted: usize = found.iter().map(Vec::len).sum();
    if counted != names.len() {
        bail!("{} mutants were to be run, {counted} were", names.len());
    }
    Ok(found)
}

fn lines(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// A regular expression for just this text.
fn escape(text: &str) -> String {
    text.chars().flat_map(|c| if r".+*?()|[]{}^$\".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}

/// Wilson's 95 % interval of a share, in percent.
fn wilson(hits: usize, of: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    ((centre - half) * scale, (centre + half) * scale)
}
