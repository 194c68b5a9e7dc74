//! The Python package: its wheel, its virtual environments and its tests.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::root;
use crate::shell::{Totals, built, command, finish, install, run, tests};

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
    venv.pip(&["maturin[zig]>=1.13,<2", "auditwheel>=6"])?;
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
pub(crate) fn sdist() -> anyhow::Result<()> {
    let folder = root().join("target/sdist");
    empty(&folder)?;
    run(maturin()?.program("maturin"), &["sdist", "--out", "target/sdist"])?;
    let archive = single(&folder)?;
    presentable(&archive)?;
    // Unpacked at one place, so that cargo knows again what it has compiled; as of now, since it goes by the time of files.
    let unpack: [&OsStr; 4] = ["-xzmf".as_ref(), archive.as_os_str(), "-C".as_ref(), folder.as_os_str()];
    run("tar", &unpack)?;
    let name = archive.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(".tar.gz"));
    let sources = folder.join(name.context("an archive ends in .tar.gz")?);
    let venv = Venv::fresh("venv-sdist")?;
    let mut install = command(venv.program("python"), &["-m", "pip", "install", "--quiet"]);
    install.env("CARGO_TARGET_DIR", built()?).env("MATURIN_PEP517_ARGS", "--profile dev");
    // Maturin leaves the wheel of the profile `dev` where those for people are: these it leaves as they were.
    let kept = root().join("target/wheels-kept");
    empty(&kept)?;
    let wheels = root().join(WHEELS);
    if wheels.exists() {
        fs::rename(&wheels, &kept)?;
    }
    let installed = finish(install.args(["--disable-pip-version-check".as_ref(), sources.as_os_str()]));
    empty(&wheels)?;
    if kept.exists() {
        fs::rename(&kept, &wheels)?;
    }
    installed?;
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
    if !fs::read_to_string(folder.join("out/table/report.md"))?.contains("**table** breaks") {
        bail!("README's Python does not come to what README says");
    }
    finish(command(venv.program("heldout"), &["report", "out/table", "--out", "again.html"]).current_dir(&folder))
}

/// Builds the wheel that tests and the manual take: in the profile `dev`, whose dependencies are compiled already.
pub(crate) fn tested() -> anyhow::Result<PathBuf> {
    build("dev", TESTED)
}

/// An environment with maturin.
fn maturin() -> anyhow::Result<Venv> {
    let venv = Venv::new("venv")?;
    venv.pip(&["maturin>=1.13,<2"])?;
    Ok(venv)
}

/// Checks that an index of packages can show the long description of a wheel or an archive.
fn presentable(file: &Path) -> anyhow::Result<()> {
    let venv = Venv::new("venv-wheel")?;
    venv.pip(&["twine>=6"])?;
    run(venv.program("twine"), &["check".as_ref(), "--strict".as_ref(), file.as_os_str()])
}

/// Builds the wheel in a profile, into a folder of its own.
fn build(profile: &str, folder: &str) -> anyhow::Result<PathBuf> {
    empty(&root().join(folder))?;
    let build = ["build", "--profile", profile, "--quiet", "--out", folder];
    run(maturin()?.program("maturin"), &build)?;
    single(&root().join(folder))
}

fn extra(wheel: &Path, extra: &str) -> String {
    format!("{}[{extra}]", wheel.display())
}

/// Plays every id for `steps` steps with saves, restores, resets and closes, in the wheel that was tested.
pub(crate) fn soak(steps: u64) -> anyhow::Result<()> {
    let venv = with("venv", &tested()?, "test", &[])?;
    let mut soak = command(venv.program("python"), &["crates/py/tests/soak.py", "--steps", &steps.to_string()]);
    finish(soak.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Puts a wheel and more into an environment. The version is the same from build to build: this build replaces another.
fn with(name: &str, wheel: &Path, extras: &str, more: &[&str]) -> anyhow::Result<Venv> {
    let venv = Venv::new(name)?;
    venv.pip(&[&[&*extra(wheel, extras)], more].concat())?;
    venv.pip(&["--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
    Ok(venv)
}

/// Builds the wheel, runs README's Python, and the wheel's tests under the newest Gymnasium and the oldest supported.
pub(crate) fn test(totals: &mut Totals) -> anyhow::Result<()> {
    let wheel = tested()?;
    readme(&wheel)?;
    for (name, gymnasium) in [("venv", "gymnasium"), ("venv-old", OLD_GYMNASIUM)] {
        with(name, &wheel, "test", &["--upgrade", gymnasium])?.pytest("crates/py/tests", totals)?;
    }
    Ok(())
}

/// The environment of what learns: Stable-Baselines3, torch, and what collects.
fn learning() -> anyhow::Result<Venv> {
    let more = ["matplotlib>=3.8", "torchrl", "minari[create,hdf5]"];
    with("venv-sb3", &tested()?, "sb3,test", &more)
}

/// Runs the tests with Stable-Baselines3, sb3-contrib, `TorchRL` and Minari.
pub(crate) fn sb3(totals: &mut Totals) -> anyhow::Result<()> {
    learning()?.pytest("crates/py/tests_sb3", totals)
}

/// What `dm_memorytasks` needs, which knows neither a newer numpy nor a newer protobuf.
const CLIENT: [&str; 3] = ["dm-memorytasks==1.0.3", "numpy==1.23.*", "protobuf<3.21"];

/// Runs the tests with Ray, `RLlib`, Minari and `DeepMind`'s own client, which has an environment of its own.
pub(crate) fn scale(totals: &mut Totals) -> anyhow::Result<()> {
    let client = Venv::new("venv-client")?;
    client.pip(&CLIENT)?;
    let venv = with("venv-scale", &tested()?, "ray,rllib,dm-env-rpc,minari", &["pytest>=8"])?;
    // One after another: tests have workers and servers of their own.
    let tested = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "crates/py/tests_scale"];
    let mut pytest = command(venv.program("python"), &tested);
    pytest.env("PYTHONDONTWRITEBYTECODE", "1").env("HELDOUT_DM_CLIENT", client.program("python"));
    tests(&mut pytest, totals)
}

/// Runs the manual's tutorials.
pub(crate) fn tutorials(totals: &mut Totals) -> anyhow::Result<()> {
    learning()?.pytest("crates/py/tests_manual", totals)
}

/// Builds the wheel by README's command, and runs README's Python in it.
pub(crate) fn published() -> anyhow::Result<()> {
    wheel()?;
    let wheel = single(&root().join(WHEELS))?;
    presentable(&wheel)?;
    readme(&wheel)
}
