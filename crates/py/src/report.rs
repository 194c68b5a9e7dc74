//! `heldout.report`: a page on the records of one or more evaluations.

use std::path::{Path, PathBuf};

use heldout_eval::records::write_whole;
use heldout_eval::report::Report;
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
    let write = move || -> Result<(), String> {
        let dirs: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
        let page = Report::new(&dirs).map_err(|error| error.to_string())?;
        let texts = [(out, page.html()), (markdown, page.markdown())];
        for (path, text) in texts.into_iter().filter_map(|(path, text)| Some((path?, text))) {
            let done = write_whole(&path, text.as_bytes());
            done.map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        }
        Ok(())
    };
    py.detach(write).map_err(refused)
}
