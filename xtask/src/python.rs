//! The Python package: its wheel, its virtual environments and its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

    /// A command whose Python is that of the environment.
    fn inside(&self, mut command: Command) -> anyhow::Result<Command> {
        let mut path = vec![self.0.join("bin")];
        path.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
        command.env("PATH", std::env::join_paths(path)?);
        Ok(command)
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

/// Builds the wheel into `target/wheels`: on Linux with x86-64, one that every system of the last ten years takes, linked by zig and
/// checked by auditwheel.
pub(crate) fn wheel() -> anyhow::Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return build("release").map(|path| println!("{}", path.display()));
    }
    let venv = Venv::new("venv-wheel")?;
    venv.pip(&["maturin[zig]>=1.9,<2", "auditwheel>=6"])?;
    empty()?;
    let build =
        ["build", "--release", "--zig", "--compatibility", "manylinux_2_17", "--quiet", "--out", "target/wheels"];
    finish(&mut venv.inside(command(venv.program("maturin"), &build))?)?;
    let wheel = single()?;
    let shown = command(venv.program("auditwheel"), &["show", &wheel.display().to_string()]).output()?;
    let tag = format!("\"{MANYLINUX}\"");
    if !String::from_utf8_lossy(&shown.stdout).split_whitespace().any(|word| word.trim_end_matches('.') == tag) {
        bail!("auditwheel does not find the wheel fit for {MANYLINUX}: {}", String::from_utf8_lossy(&shown.stdout));
    }
    println!("{}", wheel.display());
    Ok(())
}

/// The tag of the wheel.
const MANYLINUX: &str = "manylinux_2_17_x86_64";

/// Empties the folder of wheels.
fn empty() -> anyhow::Result<()> {
    if wheels().exists() {
        fs::remove_dir_all(wheels()).context("cannot empty target/wheels")?;
    }
    Ok(())
}

/// The only wheel there is.
fn single() -> anyhow::Result<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(wheels())?.filter_map(|e| Some(e.ok()?.path())).collect();
    match (found.pop(), found.is_empty()) {
        (Some(wheel), true) => Ok(wheel),
        _ => bail!("maturin built no single wheel in target/wheels"),
    }
}

/// Runs README's Python in an environment of its own, with what README installs and nothing else.
fn readme(wheel: &Path) -> anyhow::Result<()> {
    let venv = Venv::new("venv-readme")?;
    run("python3", &["-m".as_ref(), "venv".as_ref(), "--clear".as_ref(), venv.0.as_os_str()])?;
    venv.pip(&[&wheel.display().to_string()])?;
    let text = fs::read_to_string(root().join("README.md"))?;
    let code = text.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let code = code.context("README has no Python")?;
    let folder = root().join("target/readme");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    finish(command(venv.program("python"), &["-c", code]).current_dir(&folder))?;
    finish(command(venv.program("heldout"), &["report", "out/table", "--out", "again.html"]).current_dir(&folder))
}

/// Builds the wheel in a profile: tests take `dev`, whose dependencies are compiled already.
pub(crate) fn build(profile: &str) -> anyhow::Result<PathBuf> {
    let venv = Venv::new("venv")?;
    venv.pip(&["maturin>=1.9,<2"])?;
    empty()?;
    let build = ["build", "--profile", profile, "--quiet", "--out", "target/wheels"];
    run(venv.program("maturin"), &build)?;
    single()
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
    readme(&wheel)?;
    for (name, gymnasium) in [("venv", "gymnasium"), ("venv-old", OLD_GYMNASIUM)] {
        let venv = Venv::new(name)?;
        venv.pip(&["--upgrade", gymnasium, &extra(&wheel, "test")])?;
        // The version is the same from build to build: make sure that this build is the one tested.
        venv.pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
        venv.pytest("crates/py/tests", totals)?;
    }
    if all {
        let venv = Venv::new("venv-sb3")?;
        venv.pip(&[
            &extra(&wheel, "sb3,test"),
            "matplotlib>=3.8",
            "torchrl",
            "minari[create,hdf5]",
            "safetensors",
            "tensorboard",
        ])?;
        venv.pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
        venv.pytest("crates/py/tests_sb3", totals)?;
        venv.pytest("crates/py/tests_manual", totals)?;
    }
    Ok(())
}
