//! `cargo xtask test`: everything, the cheapest first.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::shell::{Totals, command, exists, finish, run, tests};
use crate::{docs, families, licences, needs, python, root, wasm};

/// Longest README, and longest ARCHITECTURE.
const MOST_LINES: usize = 150;

/// What a part is told: the steps of each id in the soak, and the tests counted so far.
struct Round {
    soak: u64,
    totals: Totals,
}

/// A part of the tests.
struct Part {
    name: &'static str,
    /// Whether it is left out unless it is asked for: it takes long, to install or to run.
    long: bool,
    run: fn(&mut Round) -> anyhow::Result<()>,
}

const fn part(name: &'static str, run: fn(&mut Round) -> anyhow::Result<()>) -> Part {
    Part { name, long: false, run }
}

const fn long(name: &'static str, run: fn(&mut Round) -> anyhow::Result<()>) -> Part {
    Part { name, long: true, run }
}

/// All parts, the cheapest first.
static PARTS: [Part; 19] = [
    part("documents", |_| papers()),
    part("licences", |_| licences::check()),
    part("fmt", |_| run("cargo", &["fmt", "--all", "--check"])),
    part("clippy", |_| clippy()),
    part("rustdoc", |_| rustdoc()),
    part("rust", |round| rust(&mut round.totals)),
    part("threadless", |round| threadless(&mut round.totals)),
    part("wasm", |_| wasm::digests()),
    part("python", |round| python::test(&mut round.totals)),
    long("ignored", |round| ignored(&mut round.totals)),
    long("sb3", |round| python::sb3(&mut round.totals)),
    long("tutorials", |round| python::tutorials(&mut round.totals)),
    long("scale", |round| python::scale(&mut round.totals)),
    long("sdist", |_| python::sdist()),
    long("wheel", |_| python::published()),
    long("manual", |_| docs::site()),
    long("soak", |round| python::soak(round.soak)),
    long("dependencies", |_| dependencies()),
    long("advisories", |_| advisories()),
];

/// The names of all parts, for the command line.
pub(crate) fn names() -> Vec<&'static str> {
    PARTS.iter().map(|part| part.name).collect()
}

/// Runs all parts that do not take long, with `all` these too, or those that `only` names; `soak` is the number of steps of
/// each id in the soak.
pub(crate) fn parts(all: bool, only: &[String], soak: u64) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut round = Round { soak, totals: Totals::default() };
    title("what the machine must have");
    needs::all()?;
    let done = PARTS.iter().filter(|part| chosen(part, all, only)).try_fold((), |(), part| {
        let begin = Instant::now();
        title(part.name);
        (part.run)(&mut round)?;
        println!("{}: {} s", part.name, begin.elapsed().as_secs());
        Ok(())
    });
    println!("\n{} s", begin.elapsed().as_secs());
    println!("{} passed, {} failed", round.totals.passed, round.totals.failed);
    done
}

fn chosen(part: &Part, all: bool, only: &[String]) -> bool {
    if only.is_empty() { all || !part.long } else { only.iter().any(|name| name == part.name) }
}

fn clippy() -> anyhow::Result<()> {
    run("cargo", &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])?;
    finish(bare("clippy")?.args(["--all-targets", "--", "--deny", "warnings"]))
}

fn rustdoc() -> anyhow::Result<()> {
    let mut doc = command("cargo", &["doc", "--workspace", "--no-deps", "--quiet"]);
    finish(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn rust(totals: &mut Totals) -> anyhow::Result<()> {
    // With the Python package, though it has no tests here: the wheel is then built of the same libraries.
    let all = ["test", "--no-fail-fast", "--workspace", "--exclude", "xtask"];
    tests(&mut command("cargo", &all), totals)?;
    tests(&mut command("cargo", &["test", "-p", "xtask"]), totals)
}

/// What makes files, and what is known not to be reached: nobody waits for these.
const NEVER: [&str; 3] = ["write_", "measure_the_cards", "agents_check_59"];

/// Tests that need data that a user obtains, by the variable that names where these are.
const OBTAINED: [(&str, &str); 3] =
    [("HELDOUT_LILGYM_DATA", "all_other_scales"), ("HELDOUT_MNIST", "mnist"), ("HELDOUT_MINILM", "minilm")];

/// The tests that are left out of the others because they take minutes, or need data that a user obtains.
fn ignored(totals: &mut Totals) -> anyhow::Result<()> {
    let mut all = vec!["test", "--no-fail-fast", "--workspace", "--exclude", "xtask", "--", "--ignored"];
    let absent =
        OBTAINED.iter().filter(|(variable, _)| std::env::var_os(variable).is_none_or(|named| named.is_empty()));
    for (variable, tests) in absent.clone() {
        println!("{variable} names no directory: tests of `{tests}` are left out");
    }
    for tests in NEVER.iter().copied().chain(absent.map(|(_, tests)| *tests)) {
        all.extend(["--skip", tests]);
    }
    tests(&mut command("cargo", &all), totals)
}

/// What families promise without threads is shown by WebAssembly, which has neither threads nor files.
fn threadless(totals: &mut Totals) -> anyhow::Result<()> {
    tests(&mut command("cargo", &["test", "-p", "heldout-core", "--no-default-features"]), totals)
}

/// Licences, bans and sources of dependencies.
fn dependencies() -> anyhow::Result<()> {
    deny()?;
    run("cargo", &["deny", "--all-features", "check", "licenses", "bans", "sources"])
}

/// The list of advisories is fetched, and may be out of reach: that is told, and is no failure.
fn advisories() -> anyhow::Result<()> {
    deny()?;
    if run("cargo", &["deny", "fetch", "db"]).is_err() {
        println!("the list of advisories is out of reach: not checked");
        return Ok(());
    }
    run("cargo", &["deny", "check", "--disable-fetch", "advisories"])
}

fn deny() -> anyhow::Result<()> {
    if exists("cargo-deny") {
        return Ok(());
    }
    run("cargo", &["install", "--locked", "--quiet", "cargo-deny"])
}

/// A cargo command over what is also built without threads and files: the contract, the families and their list.
fn bare(subcommand: &str) -> anyhow::Result<Command> {
    let mut cargo =
        command("cargo", &[subcommand, "--no-default-features", "-p", "heldout-core", "-p", "heldout-envs"]);
    for family in families::all()? {
        cargo.args(["-p".to_owned(), format!("heldout-{}", family.folder)]);
    }
    Ok(cargo)
}

fn title(text: &str) {
    println!("\n== {text}");
}

/// Checks that README, ARCHITECTURE and CONTRIBUTING are short, that the paths they name exist, and that what knows no
/// family names none.
fn papers() -> anyhow::Result<()> {
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"] {
        let text = fs::read_to_string(root().join(name)).with_context(|| format!("cannot read {name}"))?;
        let lines = text.lines().count();
        if lines > MOST_LINES {
            bail!("{name} has {lines} lines, may have {MOST_LINES}");
        }
        // A word in backticks or a link target that looks like a path of the repository must be one.
        for word in text.split(['`', '(', ')']).filter(|w| is_path(w)) {
            if !root().join(word).exists() {
                bail!("{name} names `{word}`, which does not exist");
            }
        }
    }
    for folder in ["crates/core/src", "crates/eval/src", "crates/cli/src"] {
        sources(&root().join(folder), &unnamed)?;
    }
    let package = root().join("crates/py/python/heldout");
    for folder in [package.clone(), package.join("ray")] {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // A process is no file.
            let opens =
                || Ok::<bool, std::io::Error>(fs::read_to_string(&path)?.replace("Popen(", "").contains("open("));
            if path.extension().is_some_and(|ending| ending == "py") && opens()? {
                bail!("{} opens a file: heldout-files does, by way of the native module", path.display());
            }
        }
    }
    for entry in fs::read_dir(root().join("crates"))? {
        let folder = entry?.path();
        if folder.file_name().is_none_or(|name| name != "files") {
            sources(&folder.join("src"), &fileless)?;
        }
    }
    Ok(())
}

/// Calls `check` with every source below `folder`, tests aside.
fn sources(folder: &Path, check: &dyn Fn(&Path, &str) -> anyhow::Result<()>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
            sources(&path, check)?;
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && path.file_stem().is_some_and(|s| s != "tests")
        {
            check(&path, &fs::read_to_string(&path)?)?;
        }
    }
    Ok(())
}

/// Checks that a source opens no file: `heldout-files` does.
fn fileless(path: &Path, text: &str) -> anyhow::Result<()> {
    // The processor's name is no input; records are appended to where they are.
    let own = ["crates/eval/src/writer.rs", "crates/eval/src/records.rs"];
    let opens = ["fs::read(", "fs::write(", "fs::read_to_string(", "File::open(", "File::create(", "OpenOptions::new("];
    if let Some(call) = opens.iter().find(|call| text.contains(**call))
        && !own.iter().any(|own| path.ends_with(own))
    {
        bail!("{} calls `{call}…)`: files are opened by heldout-files alone", path.display());
    }
    Ok(())
}

/// Checks that a source names no family.
fn unnamed(path: &Path, text: &str) -> anyhow::Result<()> {
    // The examples may be named: they are what documents show. `memory` is also a word.
    let families = families::all()?;
    let names = families.iter().map(|family| &*family.name).filter(|name| *name != "example");
    let named = |name: &str| text.contains(&format!("{name}/")) || (name != "memory" && text.contains(name));
    if let Some(name) = names.into_iter().find(|name| named(name)) {
        bail!("{} names the family `{name}`, which it must not know", path.display());
    }
    Ok(())
}

fn is_path(word: &str) -> bool {
    ["crates/", "xtask/", "docs/", ".ci/", ".cargo/"].iter().any(|p| word.starts_with(p))
        && !word.contains([' ', '<', '*', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_asked_for_by_all_or_by_its_name() {
        let ran = |all, only: &[&str]| -> Vec<&str> {
            let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
            PARTS.iter().filter(|part| chosen(part, all, &only)).map(|part| part.name).collect()
        };
        assert_eq!(ran(true, &[]), names());
        assert!(ran(false, &[]).contains(&"python") && !ran(false, &[]).contains(&"sb3"));
        assert_eq!(ran(false, &["sdist", "sb3"]), ["sb3", "sdist"]);
    }

    #[test]
    fn documents_and_sources_keep_to_their_rules() {
        papers().unwrap();
    }

    #[test]
    fn a_source_that_opens_a_file_is_refused() {
        let refused = |path: &str, text: &str| fileless(Path::new(path), text).is_err();
        assert!(refused("crates/halma/src/x.rs", "let text = std::fs::read_to_string(path)?;"));
        assert!(refused("crates/cli/src/x.rs", "File::create(path)"));
        assert!(!refused("crates/cli/src/x.rs", "heldout_files::read(path, 1)"));
        assert!(!refused("crates/eval/src/writer.rs", "OpenOptions::new()"));
        assert!(
            unnamed(Path::new("x.rs"), "about halma").is_err() && unnamed(Path::new("x.rs"), "about memory").is_ok()
        );
    }
}
