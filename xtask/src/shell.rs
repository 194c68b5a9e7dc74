//! Running programs: their output is shown as it comes, and what they say of tests is counted.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::root;

/// Tests counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Totals {
    /// Reads the closing lines of `cargo test` and of pytest.
    fn read(&mut self, line: &str) {
        let cargo = line.strip_prefix("test result: ");
        let pytest = line.trim_matches('=').trim();
        let closing = cargo.or_else(|| pytest.contains(" in ").then_some(pytest));
        let Some(closing) = closing else { return };
        let words: Vec<&str> = closing.split([' ', ';', ',']).filter(|w| !w.is_empty()).collect();
        for pair in words.windows(2) {
            if let Ok(count) = pair[0].parse::<usize>() {
                match pair[1] {
                    "passed" => self.passed += count,
                    "failed" | "error" | "errors" => self.failed += count,
                    _ => {}
                }
            }
        }
    }
}

/// A program with its arguments, started in the root of the repository.
pub(crate) fn command(program: impl AsRef<OsStr>, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    if builds_once(|name| std::env::var_os(name).is_some()) {
        command.env(INCREMENTAL, "0");
    }
    command
}

/// What cargo is told by whether it keeps what a next build of the same crate could go on from.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";

/// Whether everything is built once and never again, by the variables that are `set`: so it is in CI, where what a next build could
/// go on from would take a fifth more time to make and serve nobody. Who has told cargo otherwise is obeyed.
fn builds_once(set: impl Fn(&str) -> bool) -> bool {
    set("CI") && !set(INCREMENTAL)
}

/// Where cargo builds: `target`, unless the user has told it another place (`CARGO_TARGET_DIR`, or a setting).
pub(crate) fn built() -> anyhow::Result<PathBuf> {
    let told = command("cargo", &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let told: Value = serde_json::from_slice(&told.stdout).context("`cargo metadata` did not answer")?;
    told["target_directory"].as_str().map(PathBuf::from).context("`cargo metadata` names no folder to build in")
}

/// Runs a program; its failure is an error.
pub(crate) fn run(program: impl AsRef<OsStr>, arguments: &[impl AsRef<OsStr>]) -> anyhow::Result<()> {
    finish(&mut command(program, arguments))
}

/// Runs a prepared program; its failure is an error.
pub(crate) fn finish(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Runs a prepared program that runs tests, and adds what it counted.
pub(crate) fn tests(command: &mut Command, totals: &mut Totals) -> anyhow::Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {command:?}"))?;
    let before = *totals;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            totals.read(&line);
            writeln!(std::io::stdout(), "{line}")?;
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    if totals.passed == before.passed {
        bail!("{command:?} ran no test");
    }
    Ok(())
}

/// Whether `program` can be started.
pub(crate) fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Installs a Debian package, where this is Debian.
pub(crate) fn install(package: &str) -> anyhow::Result<()> {
    if !Path::new("/usr/bin/apt-get").exists() {
        bail!("`{package}` is missing; install it");
    }
    // As root, or through sudo where there is one.
    let user = Command::new("id").arg("-u").output().context("cannot start `id`")?;
    let sudo = exists("sudo") && user.stdout.trim_ascii() != b"0";
    let apt = |arguments: &[&str]| {
        let whole = [if sudo { &["sudo", "apt-get"][..] } else { &["apt-get"] }, arguments].concat();
        finish(command(whole[0], &whole[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-qq"])?;
    apt(&["install", "-y", "-qq", package])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_builds_is_looked_for_where_the_user_has_told_it_to_build() {
        // This program is one of its builds.
        assert!(std::env::current_exe().unwrap().starts_with(built().unwrap().canonicalize().unwrap()));
    }

    #[test]
    fn what_ci_builds_is_not_kept_for_a_next_build() {
        let once = |set: &[&str]| builds_once(|name| set.contains(&name));
        assert!(once(&["CI"]) && !once(&[]) && !once(&["CI", INCREMENTAL]));
    }

    #[test]
    fn closing_lines_are_counted() {
        let mut totals = Totals::default();
        totals.read("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.10s");
        totals.read("===== 2 failed, 30 passed, 1 skipped in 3.21s =====");
        assert_eq!((totals.passed, totals.failed), (42, 2));
    }
}
