//! `heldout report`: one page on the records of one or more evaluations.

use std::path::{Path, PathBuf};

/// Writes a report on recorded evaluations: tables, intervals, plots and words.
#[derive(clap::Args)]
pub(crate) struct Report {
    /// Directories that `heldout eval` wrote, and any that `heldout train` did, of which the curves are shown.
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
        let dirs: Vec<&Path> = self.dirs.iter().map(PathBuf::as_path).collect();
        heldout_eval::report::publish(&dirs, self.out.as_deref(), self.markdown.as_deref())?;
        for path in self.out.iter().chain(&self.markdown) {
            crate::note(&format!("wrote {}", path.display()));
        }
        Ok(())
    }
}
