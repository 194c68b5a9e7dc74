//! `cargo xtask test`: everything, the cheapest first.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use heldout_envs::FAMILIES;

use crate::shell::{Totals, command, exists, finish, run, tests};
use crate::{licences, needs, python, root, wasm};

/// Longest README, and longest ARCHITECTURE.
const MOST_LINES: usize = 150;

/// Runs everything; with `all` also what takes long to install.
pub(crate) fn everything(all: bool) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut totals = Totals::default();
    let done = steps(all, &mut totals);
    println!("\n{} s", begin.elapsed().as_secs());
    println!("{} passed, {} failed", totals.passed, totals.failed);
    done
}

fn steps(all: bool, totals: &mut Totals) -> anyhow::Result<()> {
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
    tests(&mut command("cargo", &["test", "--no-fail-fast"]), totals)?;
    title("Rust tests without threads");
    // What families promise there is shown by WebAssembly, which has neither threads nor files.
    tests(&mut command("cargo", &["test", "-p", "heldout-core", "--no-default-features"]), totals)?;
    title("WebAssembly");
    wasm::digests()?;
    title("Python");
    python::test(all, totals)?;
    if all {
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
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
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
        unnamed(&root().join(folder))?;
    }
    Ok(())
}

/// Checks that no source below `folder` names a family.
fn unnamed(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            unnamed(&path)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        // The examples may be named: they are what documents show. `memory` is also a word.
        let names = FAMILIES.iter().map(|f| f.name).filter(|name| *name != "example");
        let named = |name: &str| text.contains(&format!("{name}/")) || (name != "memory" && text.contains(name));
        if let Some(name) = names.into_iter().find(|name| named(name)) {
            bail!("{} names the family `{name}`, which it must not know", path.display());
        }
    }
    Ok(())
}

fn is_path(word: &str) -> bool {
    ["crates/", "xtask/", "docs/", ".ci/", ".cargo/"].iter().any(|p| word.starts_with(p))
        && !word.contains([' ', '<', '*', '{'])
}
