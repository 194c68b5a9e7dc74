//! Writing files, with an error that names them.

use std::path::Path;

use anyhow::Context as _;

/// Writes `bytes` where `path` says.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    heldout_files::write(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
}
