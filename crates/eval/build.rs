//! Tells the crate which commit it is built from, for the headers of records.

use std::path::Path;
use std::process::Command;

/// Crates that do not change what is played.
const FACES: [&str; 2] = ["cli", "py"];

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// The commit, `+` behind it if sources have been changed since.
fn commit() -> Option<String> {
    let folder = git(&["rev-parse", "--git-dir"])?;
    // Beside what `HEAD` names, the index changes with every commit.
    for file in ["HEAD", "index"] {
        println!("cargo:rerun-if-changed={}", Path::new(&folder).join(file).display());
    }
    let mut sources = Vec::new();
    for entry in Path::new("..").read_dir().ok()?.flatten() {
        let source = entry.path().join("src");
        if source.is_dir() && !FACES.iter().any(|face| entry.file_name() == *face) {
            println!("cargo:rerun-if-changed={}", source.display());
            sources.push(source.display().to_string());
        }
    }
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(sources.iter().map(String::as_str));
    let changed = if git(&status)?.is_empty() { "" } else { "+" };
    Some(git(&["rev-parse", "--short=12", "HEAD"])? + changed)
}

fn main() {
    println!("cargo:rerun-if-env-changed=HELDOUT_COMMIT");
    // A package whose history was left behind is told.
    let told = std::env::var("HELDOUT_COMMIT").ok().or_else(commit);
    println!("cargo:rustc-env=HELDOUT_COMMIT={}", told.as_deref().unwrap_or("unknown"));
}
