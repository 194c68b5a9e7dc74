//! `cargo xtask test`: everything, the cheapest first.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use heldout_envs::FAMILIES;

use crate::shell::{Totals, command, exists, finish, run, tests};
use crate::{docs, licences, needs, python, root, wasm};

/// Longest README, and longest ARCHITECTURE.
const MOST_LINES: usize = 150;

/// Runs everything; with `soak`, a number of steps, also what takes long: to install, and to play so many of every id.
pub(crate) fn everything(soak: Option<u64>) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut totals = Totals::default();
    let done = steps(soak, &mut totals);
    println!("\n{} s", begin.elapsed().as_secs());
    println!("{} passed, {} failed", totals.passed, totals.failed);
    done
}

fn steps(soak: Option<u64>, totals: &mut Totals) -> anyhow::Result<()> {
    title("what the machine must have");
    needs::all()?;
    title("documents");
    papers()?;
    title("licences");
    licences::check()?;
    title("fmt");
    run("cargo", &["fmt", "--all", "--check"])?;
    title("clippy");
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    run("cargo", &clippy)?;
    finish(bare("clippy").args(["--all-targets", "--", "--deny", "warnings"]))?;
    title("rustdoc");
    let mut doc = command("cargo", &["doc", "--workspace", "--no-deps", "--quiet"]);
    finish(doc.env("RUSTDOCFLAGS", "--deny warnings"))?;
    title("Rust tests");
    // With the Python package, though it has no tests here: the wheel is then built of the same libraries.
    let all = ["test", "--no-fail-fast", "--workspace", "--exclude", "xtask"];
    tests(&mut command("cargo", &all), totals)?;
    tests(&mut command("cargo", &["test", "-p", "xtask"]), totals)?;
    title("Rust tests without threads");
    // What families promise there is shown by WebAssembly, which has neither threads nor files.
    tests(&mut command("cargo", &["test", "-p", "heldout-core", "--no-default-features"]), totals)?;
    title("WebAssembly");
    wasm::digests()?;
    title("Python");
    python::test(soak.is_some(), totals)?;
    if let Some(steps) = soak {
        title("manual");
        docs::site()?;
        title("soak");
        python::soak(steps)?;
        title("licences and sources of dependencies");
        if !exists("cargo-deny") {
            run("cargo", &["install", "--locked", "--quiet", "cargo-deny"])?;
        }
        run("cargo", &["deny", "--all-features", "check", "licenses", "bans", "sources"])?;
        // The list of advisories is fetched, and may be out of reach: what is known then still counts.
        if run("cargo", &["deny", "fetch", "db"]).is_ok() {
            run("cargo", &["deny", "check", "--disable-fetch", "advisories"])?;
        } else {
            println!("the list of advisories is out of reach: not checked");
        }
    }
    Ok(())
}

/// A cargo command over what is also built without threads and files: the contract, the families and their list.
fn bare(subcommand: &str) -> Command {
    let mut cargo =
        command("cargo", &[subcommand, "--no-default-features", "-p", "heldout-core", "-p", "heldout-envs"]);
    for family in FAMILIES {
        cargo.args(["-p".to_owned(), format!("heldout-{}", family.folder)]);
    }
    cargo
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
    for entry in fs::read_dir(root().join("crates/py/python/heldout"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "py") && fs::read_to_string(&path)?.contains("open(") {
            bail!("{} opens a file: heldout-files does, by way of the native module", path.display());
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
    let names = FAMILIES.iter().map(|f| f.name).filter(|name| *name != "example");
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
