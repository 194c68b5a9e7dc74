//! The report: one page that says how far each agent generalises and where it breaks, from the records alone.
//!
//! The same records give the same bytes: nothing in a report depends on time, machine, threads or the order in which
//! files are found. No number stands without its interval, unless a single episode leaves none to compute.

mod document;
mod episodes;
mod film;
mod html;
mod making;
mod markdown;
mod measures;
mod overall;
mod overview;
mod plots;
mod protocol;
mod ranking;
mod story;
mod svg;
mod training;
mod words;

use std::io;
use std::path::{Path, PathBuf};

use crate::claims::{Judged, judge};
use crate::records::keeps;
use crate::results::{Results, ResultsError};
use document::Document;
use episodes::Budget;

/// The report's file in an evaluation's directory.
pub const HTML: &str = "report.html";
/// The same as Markdown.
pub const MARKDOWN: &str = "report.md";

/// A report that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The report cannot be written.
    #[error("cannot write `{}`: {error}", path.display())]
    Write {
        /// Where to.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A page whose name is no page's.
    #[error("the report is to be `{}`, whose name must end in `.html`", path.display())]
    Name {
        /// Where to.
        path: PathBuf,
    },
    /// A place where records are.
    #[error("`{}` lies among the records: the report would take their place", path.display())]
    Kept {
        /// The place.
        path: PathBuf,
    },
    /// Nothing, or one file twice.
    #[error("a report needs one place for its page, its Markdown or both: {problem}")]
    Places {
        /// What was asked for.
        problem: &'static str,
    },
}

/// Where a report was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFiles {
    /// The HTML file.
    pub html: PathBuf,
    /// The Markdown file.
    pub markdown: PathBuf,
}

/// A report, ready to be written.
#[derive(Clone, Debug)]
pub struct Report(Document);

impl Report {
    /// Of one or more evaluations.
    ///
    /// # Errors
    ///
    /// If a directory holds neither records nor curves of training, or something in it cannot be used.
    pub fn new(dirs: &[&Path]) -> Result<Self, ReportError> {
        Ok(Self::of(&Results::read(dirs)?))
    }

    /// Of results.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let judged: Vec<Vec<Judged>> = results.suites.iter().map(judge).collect();
        let mut document = Document { title: "heldout: does it generalise?".to_owned(), blocks: Vec::new() };
        if results.suites.is_empty() {
            document.paragraph("Nobody was evaluated here: there are curves of training, and no records.");
            document.list(results.notes.clone());
        } else {
            overall::summary(&mut document, results, &judged.concat(), making::incomplete(results));
            overall::aggregates(&mut document, results);
        }
        for (suite, judged) in results.suites.iter().zip(&judged) {
            protocol::scores(&mut document, results, suite);
            measures::write(&mut document, suite);
            protocol::claims(&mut document, judged);
            protocol::published(&mut document, suite);
            episodes::write(&mut document, suite, Budget::share(results.suites.len()));
        }
        for suite in &results.trained {
            protocol::trained(&mut document, results, suite);
        }
        making::failures(&mut document, results);
        making::reading(&mut document);
        if !results.suites.is_empty() {
            making::making(&mut document, results);
        }
        document.tidy();
        Self(document)
    }

    /// As one HTML file that needs nothing else.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(&self.0)
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(&self.0)
    }
}

/// The report on `dirs` as HTML.
///
/// # Errors
///
/// If a directory holds neither records nor curves of training, or something in it cannot be used.
pub fn html(dirs: &[&Path]) -> Result<String, ReportError> {
    Ok(Report::new(dirs)?.html())
}

/// The report on `dirs` as Markdown.
///
/// # Errors
///
/// If a directory holds neither records nor curves of training, or something in it cannot be used.
pub fn markdown(dirs: &[&Path]) -> Result<String, ReportError> {
    Ok(Report::new(dirs)?.markdown())
}

/// Writes the report on the evaluation in `out` into its directory.
///
/// # Errors
///
/// If there are no records, or the report cannot be written.
pub fn write(out: &Path) -> Result<ReportFiles, ReportError> {
    let report = Report::new(&[out])?;
    let files = ReportFiles { html: out.join(HTML), markdown: out.join(MARKDOWN) };
    for (path, text) in [(&files.html, report.html()), (&files.markdown, report.markdown())] {
        put(path, &text)?;
    }
    Ok(files)
}

/// Writes the report on `dirs` as a page, as Markdown, or as both; as HTML only under a name that browsers open.
///
/// # Errors
///
/// If it is asked for nowhere or twice at one place, a directory holds no records, or it cannot be written.
pub fn publish(dirs: &[&Path], page: Option<&Path>, markdown: Option<&Path>) -> Result<(), ReportError> {
    if dirs.is_empty() {
        return Err(ResultsError::Nothing.into());
    }
    if page.is_none() && markdown.is_none() {
        return Err(ReportError::Places { problem: "neither is named" });
    }
    if page.zip(markdown).is_some_and(|(page, markdown)| heldout_files::same_place(page, markdown)) {
        return Err(ReportError::Places { problem: "both are the same file" });
    }
    if let Some(path) = [page, markdown].into_iter().flatten().find(|path| dirs.iter().any(|dir| keeps(dir, path))) {
        return Err(ReportError::Kept { path: path.to_owned() });
    }
    if let Some(path) = page.filter(|path| path.extension().is_none_or(|ending| ending != "html")) {
        return Err(ReportError::Name { path: path.to_owned() });
    }
    let report = Report::new(dirs)?;
    page.map_or(Ok(()), |path| put(path, &report.html()))?;
    markdown.map_or(Ok(()), |path| put(path, &report.markdown()))
}

fn put(path: &Path, text: &str) -> Result<(), ReportError> {
    heldout_files::write(path, text.as_bytes()).map_err(|error| ReportError::Write { path: path.to_owned(), error })
}
