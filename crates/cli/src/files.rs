//! Writing files whole or not at all.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Writes `bytes` to `path`: beside it first, then in its place, so that nobody ever sees half of it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let name = path.file_name().with_context(|| format!("`{}` is not a file name", path.display()))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let done = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // What could not be finished is not left behind; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    done.with_context(|| format!("cannot write `{}`", path.display()))
}
