//! `heldout.report`: a page on the records of one or more evaluations.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;

use crate::convert::refused;

/// Writes a report on `dirs` as HTML to `out` and as Markdown to `markdown`, each where it is asked for.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    dirs: Vec<PathBuf>,
    out: Option<PathBuf>,
    markdown: Option<PathBuf>,
) -> PyResult<()> {
    let write = move || {
        let dirs: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
        heldout_eval::report::publish(&dirs, out.as_deref(), markdown.as_deref())
    };
    py.detach(write).map_err(refused)
}
