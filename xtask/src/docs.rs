//! The manual: a static site of README, cards, protocols, tutorials and the references of Python and Rust.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::python::{Venv, tested};
use crate::root;
use crate::shell::{built, command, finish};

/// What makes the site; ruff breaks the lines of signatures. Versions are bounded, since a warning of a newer one would be
/// an error here.
const MAKERS: [&str; 3] = ["mkdocs-material>=9.6,<10", "mkdocstrings[python]>=0.30,<2", "ruff>=0.6,<1"];

/// Builds the manual into `target/site`, with rustdoc in its folder `rust`. A warning is an error.
pub(crate) fn site() -> anyhow::Result<()> {
    let wheel = tested()?.display().to_string();
    let venv = Venv::new("venv-docs")?;
    venv.pip(&MAKERS)?;
    venv.pip(&[&wheel])?;
    // The version is the same from build to build: make sure that the cards are those of this build.
    venv.pip(&["--force-reinstall", "--no-deps", &wheel])?;
    let mut mkdocs = command(venv.program("mkdocs"), &["build", "--strict", "--quiet"]);
    // It advertises its successor; and hooks would leave their bytecode in the sources.
    finish(mkdocs.env("NO_MKDOCS_2_WARNING", "1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    let mut doc = command("cargo", &["doc", "--workspace", "--no-deps", "--quiet"]);
    finish(doc.env("RUSTDOCFLAGS", "--deny warnings"))?;
    let site = root().join("target/site");
    copy(&built()?.join("doc"), &site.join("rust"))?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (own, there) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&own, &there)?;
        } else {
            fs::copy(&own, &there).with_context(|| format!("cannot copy {}", own.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_with_its_folders() {
        let base = std::env::temp_dir().join(format!("heldout-docs-{}", std::process::id()));
        fs::create_dir_all(base.join("from/deep")).unwrap();
        fs::write(base.join("from/deep/page"), "text").unwrap();
        copy(&base.join("from"), &base.join("to")).unwrap();
        assert_eq!(fs::read_to_string(base.join("to/deep/page")).unwrap(), "text");
        fs::remove_dir_all(base).unwrap();
    }
}
