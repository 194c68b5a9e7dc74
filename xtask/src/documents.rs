//! What is generated from the families: the golden transcripts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldout_core::{Entry, transcript};
use heldout_envs::{entries, family};

use crate::root;

/// The folder of the crate that `entry` belongs to.
fn home(entry: &Entry) -> PathBuf {
    root().join("crates").join(family(entry.id()).map_or("", |family| family.folder))
}

pub(crate) fn golden_path(entry: &Entry) -> PathBuf {
    home(entry).join("tests/golden").join(format!("{}.txt", entry.name()))
}

/// Writes `text` to `path`, or with `check` says whether it is there already.
fn settle(path: &Path, text: &str, check: bool, stale: &mut Vec<String>) -> anyhow::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    if check {
        stale.push(shown);
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {shown}");
    Ok(())
}

/// Makes every golden transcript anew.
pub(crate) fn golden(check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for entry in entries() {
        settle(&golden_path(entry), &transcript::transcript(entry), check, &mut stale)?;
    }
    if !stale.is_empty() {
        bail!("stale: {}; run `cargo xtask golden`", stale.join(", "));
    }
    Ok(())
}
