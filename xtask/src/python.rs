//! The Python package: its wheel, its virtual environments and its tests.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

    /// An environment in which nothing is installed.
    fn fresh(name: &str) -> anyhow::Result<Self> {
        let venv = Self::new(name)?;
        run("python3", &["-m".as_ref(), "venv".as_ref(), "--clear".as_ref(), venv.0.as_os_str()])?;
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

/// Where a wheel for people is put, and where one that is only tested: the latter is never published by mistake.
const WHEELS: &str = "target/wheels";
const TESTED: &str = "target/wheels-tested";

/// Builds the wheel into `target/wheels`: on Linux with x86-64, one that every system of the last ten years takes, linked by zig and
/// checked by auditwheel.
pub(crate) fn wheel() -> anyhow::Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return build("release", WHEELS).map(|path| println!("{}", path.display()));
    }
    let venv = Venv::new("venv-wheel")?;
    venv.pip(&["maturin[zig]>=1.9,<2", "auditwheel>=6"])?;
    empty(&root().join(WHEELS))?;
    let build = ["build", "--release", "--zig", "--compatibility", "manylinux_2_17", "--quiet", "--out", WHEELS];
    finish(&mut venv.inside(command(venv.program("maturin"), &build))?)?;
    let wheel = single(&root().join(WHEELS))?;
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

/// Empties a folder that maturin writes to.
fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Ok(())
}

/// The only file in such a folder.
fn single(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    match (found.pop(), found.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => bail!("maturin made no single file in {}", folder.display()),
    }
}

/// Makes the archive of the sources, installs it into an environment of its own, and uses what was installed.
fn sdist() -> anyhow::Result<()> {
    let folder = root().join("target/sdist");
    empty(&folder)?;
    run(Venv::new("venv")?.program("maturin"), &["sdist", "--out", "target/sdist"])?;
    let archive = single(&folder)?;
    // Unpacked at one place, so that cargo knows again what it has compiled; as of now, since it goes by the time of files.
    let unpack: [&OsStr; 4] = ["-xzmf".as_ref(), archive.as_os_str(), "-C".as_ref(), folder.as_os_str()];
    run("tar", &unpack)?;
    let name = archive.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(".tar.gz"));
    let sources = folder.join(name.context("an archive ends in .tar.gz")?);
    let venv = Venv::fresh("venv-sdist")?;
    let mut install = command(venv.program("python"), &["-m", "pip", "install", "--quiet"]);
    install.env("CARGO_TARGET_DIR", root().join("target")).env("MATURIN_PEP517_ARGS", "--profile dev");
    finish(install.args(["--disable-pip-version-check".as_ref(), sources.as_os_str()]))?;
    let play = "import gymnasium, heldout; print(gymnasium.make('halma/symbolic-v1').reset(seed=1)[0].shape)";
    finish(command(venv.program("python"), &["-c", play]).current_dir(&folder))?;
    finish(command(venv.program("heldout"), &["info", "halma/symbolic-v1", "--json"]).stdout(Stdio::null()))
}

/// Runs README's Python in an environment of its own, with what README installs and nothing else.
fn readme(wheel: &Path) -> anyhow::Result<()> {
    let venv = Venv::fresh("venv-readme")?;
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

/// Builds the wheel that tests and the manual take: in the profile `dev`, whose dependencies are compiled already.
pub(crate) fn tested() -> anyhow::Result<PathBuf> {
    build("dev", TESTED)
}

/// Builds the wheel in a profile, into a folder of its own.
fn build(profile: &str, folder: &str) -> anyhow::Result<PathBuf> {
    let venv = Venv::new("venv")?;
    venv.pip(&["maturin>=1.9,<2"])?;
    empty(&root().join(folder))?;
    let build = ["build", "--profile", profile, "--quiet", "--out", folder];
    run(venv.program("maturin"), &build)?;
    single(&root().join(folder))
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

/// Builds the wheel and runs its tests under the newest Gymnasium and the oldest supported; with `all` SB3's too, the
/// manual's tutorials, the archive of the sources, and README's Python in the very wheel that README's command builds.
pub(crate) fn test(all: bool, totals: &mut Totals) -> anyhow::Result<()> {
    let wheel = tested()?;
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
        sdist()?;
        self::wheel()?;
        readme(&single(&root().join(WHEELS))?)?;
    }
    Ok(())
}
