//! What is generated from the registry: the cards' tables and the golden transcripts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldout_envs::registry::{ENTRIES, Entry};
use heldout_envs::{card, transcript};

use crate::root;

/// Where the card of `entry` is written: beside its rules.
fn card_path(entry: &Entry) -> PathBuf {
    let (family, name) = entry.id().split_once('/').unwrap_or(("", entry.id()));
    let name = name.rsplit_once("-v").map_or(name, |(name, _)| name);
    root().join("crates/envs/src").join(family).join(format!("{}.md", name.replace('-', "_")))
}

pub(crate) fn golden_path(entry: &Entry) -> PathBuf {
    root().join("crates/envs/tests/golden").join(format!("{}.txt", entry.id()))
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

fn done(stale: &[String], command: &str) -> anyhow::Result<()> {
    if !stale.is_empty() {
        bail!("stale: {}; run `cargo xtask {command}`", stale.join(", "));
    }
    Ok(())
}

/// Makes the tables of every card anew.
pub(crate) fn cards(check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for entry in ENTRIES {
        let path = card_path(entry);
        let card = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        settle(&path, &card::refresh(entry, &card)?, check, &mut stale)?;
    }
    done(&stale, "cards")
}

/// Makes every golden transcript anew.
pub(crate) fn golden(check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for entry in ENTRIES {
        settle(&golden_path(entry), &transcript::transcript(entry), check, &mut stale)?;
    }
    done(&stale, "golden")
}
