//! The Python package: its wheel, its virtual environments and its tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::root;
use crate::shell::{Totals, command, finish, install, run, tests};

/// The oldest Gymnasium that is supported.
const OLD_GYMNASIUM: &str = "gymnasium==1.2.*";

/// A virtual environment below `target`.
pub(crate) struct Venv(PathBuf);

impl Venv {
    pub(crate) fn new(name: &str) -> anyhow::Result<Self> {
        let path = root().join("target").join(name);
        let venv = Self(path);
        // A virtual environment without pip was left half-made by a Python without `venv`.
        let whole =
            || command(venv.program("python"), &["-m", "pip", "--version"]).output().is_ok_and(|o| o.status.success());
        if !whole() {
            let make = || run("python3", &["-m".as_ref(), "venv".as_ref(), "--clear".as_ref(), venv.0.as_os_str()]);
            if make().is_err() {
                install("python3-venv")?;
                make()?;
            }
        }
        Ok(venv)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    pub(crate) fn pip(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        finish(command(self.program("python"), &quiet).args(arguments))
    }

    fn pytest(&self, folder: &str, totals: &mut Totals) -> anyhow::Result<()> {
        let mut pytest =
            command(self.program("python"), &["-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", folder]);
        tests(pytest.env("PYTHONDONTWRITEBYTECODE", "1"), totals)
    }
}

fn wheels() -> PathBuf {
    root().join("target/wheels")
}

/// Builds the wheel into `target/wheels`.
pub(crate) fn wheel() -> anyhow::Result<()> {
    build("release").map(|path| println!("{}", path.display()))
}

/// Builds the wheel in a profile: tests take `dev`, whose dependencies are compiled already.
pub(crate) fn build(profile: &str) -> anyhow::Result<PathBuf> {
    let venv = Venv::new("venv")?;
    venv.pip(&["maturin>=1.9,<2"])?;
    if wheels().exists() {
        fs::remove_dir_all(wheels()).context("cannot empty target/wheels")?;
    }
    let build = ["build", "--profile", profile, "--quiet", "--out", "target/wheels"];
    run(venv.program("maturin"), &build)?;
    let mut found: Vec<PathBuf> = fs::read_dir(wheels())?.filter_map(|e| Some(e.ok()?.path())).collect();
    match (found.pop(), found.is_empty()) {
        (Some(wheel), true) => Ok(wheel),
        _ => bail!("maturin built no single wheel in target/wheels"),
    }
}

fn extra(wheel: &Path, extra: &str) -> String {
    format!("{}[{extra}]", wheel.display())
}

/// Plays every id for `steps` steps with saves, restores, resets and closes, in the wheel that was tested.
pub(crate) fn soak(steps: u64) -> anyhow::Result<()> {
    let venv = Venv::new("venv")?;
    let mut soak = command(venv.program("python"), &["crates/py/tests/soak.py", "--steps", &steps.to_string()]);
    finish(soak.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Builds the wheel and runs its tests under the newest Gymnasium and the oldest supported; with `all` SB3's too, and the
/// manual's tutorials.
pub(crate) fn test(all: bool, totals: &mut Totals) -> anyhow::Result<()> {
    let wheel = build("dev")?;
    for (name, gymnasium) in [("venv", "gymnasium"), ("venv-old", OLD_GYMNASIUM)] {
        let venv = Venv::new(name)?;
        venv.pip(&["--upgrade", gymnasium, &extra(&wheel, "test")])?;
        // The version is the same from build to build: make sure that this build is the one tested.
        venv.pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
        venv.pytest("crates/py/tests", totals)?;
    }
    if all {
        let venv = Venv::new("venv-sb3")?;
        venv.pip(&[&extra(&wheel, "sb3,test"), "matplotlib>=3.8"])?;
        venv.pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
        venv.pytest("crates/py/tests_sb3", totals)?;
        venv.pytest("crates/py/tests_manual", totals)?;
    }
    Ok(())
}
