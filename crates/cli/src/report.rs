//! `heldout report`: one page on the records of one or more evaluations.

use std::path::{Path, PathBuf};

use anyhow::bail;
use heldout_eval::report::Report as Page;

use crate::files;

/// Writes a report on recorded evaluations: tables, intervals, plots and words.
#[derive(clap::Args)]
pub(crate) struct Report {
    /// Directories that `heldout eval` wrote.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The HTML file to write.
    #[arg(long, required_unless_present = "markdown")]
    out: Option<PathBuf>,
    /// The Markdown file to write.
    #[arg(long)]
    markdown: Option<PathBuf>,
}

impl Report {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        if let Some(out) = self.out.as_ref().filter(|out| out.extension().is_none_or(|e| e != "html")) {
            bail!("`--out {}` must end in `.html`", out.display());
        }
        let dirs: Vec<&Path> = self.dirs.iter().map(PathBuf::as_path).collect();
        let page = Page::new(&dirs)?;
        if let Some(out) = &self.out {
            files::write(out, page.html().as_bytes())?;
            crate::note(&format!("wrote {}", out.display()));
        }
        if let Some(out) = &self.markdown {
            files::write(out, page.markdown().as_bytes())?;
            crate::note(&format!("wrote {}", out.display()));
        }
        Ok(())
    }
}
