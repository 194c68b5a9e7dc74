//! `heldout._native`: names, arrays and errors converted, nothing decided.
//!
//! A `Batch` holds one type-erased batch of the registry and the memory that it writes, which numpy arrays show
//! without a copy. What the Python interfaces want to see made of it is Python's affair
//! (`python/heldout`). Structured data (configs, specs) crosses the border as JSON: it is small, crosses once an
//! environment, and the registry speaks it anyway.
//!
//! # Invariants
//!
//! - One call a batch, not one a copy: a step copies the actions in, releases the interpreter, steps, and is done.
//! - An array is made once; its memory lives as long as anyone, the batch or an array, refers to it.
//! - Whatever Python passes in, the answer is an exception (`HeldoutError`, a `ValueError`, or a `TypeError`; `MemoryError`
//!   or `RuntimeError` for what the machine lacks), never a panic, and the batch is as it was.
//! - A batch is used by one call at a time; a second one is refused, not made to wait.
//! - Ctrl-C is heard during work that may take long (`interrupt`).
//!
//! # Deliberately absent
//!
//! Spaces, autoreset bookkeeping, seeds drawn from the system: they follow from conventions that change with Python
//! packages, not with the rules.

#![deny(warnings, missing_docs)]
#![expect(unsafe_code, reason = "numpy shows memory that Rust writes: see `memory`")]

mod actions;
mod away;
mod batch;
mod convert;
mod evaluate;
mod interrupt;
mod level;
mod lilgym;
mod memory;
mod report;
mod stats;
mod trained;

use pyo3::prelude::*;

pyo3::create_exception!(
    heldout,
    HeldoutError,
    pyo3::exceptions::PyValueError,
    "A request that cannot be carried out; the message names the value and what is allowed. Nothing has changed."
);

/// The native part of `heldout`: private, use the package.
#[pymodule(gil_used = true)]
mod _native {
    use heldout_core::Entry;
    use heldout_envs::{entries, family, find};
    use heldout_s2b::{Matrix, compositionality_until};
    use numpy::PyReadonlyArray2;
    use pyo3::prelude::*;
    use serde_json::json;

    /// Loads what numpy offers to native code at once: later a signal that waits to be heard could come between.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "the macro asks for a result")]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        numpy::PyArray1::<u8>::zeros(module.py(), 0, false);
        Ok(())
    }

    #[pymodule_export]
    use super::HeldoutError;
    #[pymodule_export]
    use super::away::{
        Parts, command_away, command_files, read_tree, run_restore, run_snapshot, run_so_far, write_tree,
    };
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::convert::shortest;
    use super::convert::{object, refused};
    #[pymodule_export]
    use super::evaluate::{evaluate, protocol, protocols, read_experience};
    #[pymodule_export]
    use super::level::Level;
    #[pymodule_export]
    use super::lilgym::{lilgym_corpus, lilgym_plans, lilgym_truth};
    #[pymodule_export]
    use super::report::report;
    #[pymodule_export]
    use super::stats::{
        aggregate, aggregate_interval, improvement, improvement_interval, performance_profile,
        performance_profile_interval,
    };
    #[pymodule_export]
    use super::trained::{Player, checkpoints, word_pieces};

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Every id, in the order that documents show.
    #[pyfunction]
    fn ids() -> Vec<&'static str> {
        entries().map(Entry::id).collect()
    }

    /// The card of an id, in Markdown.
    #[pyfunction]
    fn card(id: &str) -> PyResult<String> {
        let entry = find(id).map_err(refused)?;
        let family = family(id).ok_or_else(|| refused("an entry has a family"))?;
        heldout_core::card::whole(family, entry).map_err(refused)
    }

    /// What the registry says about an id, as JSON.
    #[pyfunction]
    fn about(id: &str) -> PyResult<String> {
        let entry = find(id).map_err(refused)?;
        let presets: Vec<_> = entry.about.presets.iter().map(|p| json!({"name": p.name, "about": p.about})).collect();
        let about = json!({
            "id": entry.id(),
            "family": entry.family(),
            "summary": entry.about.summary,
            "split_key": entry.about.split_key,
            "splits": entry.about.splits,
            "presets": presets,
            "defaults": entry.defaults(),
            "smallest": entry.smallest(),
        });
        Ok(about.to_string())
    }

    /// Topographic similarity, positional and bag-of-symbols disentanglement of a language: a row of `meanings` and one
    /// of `messages` for each meaning, `vocabulary` tokens beside the end of sentence. `None` where undefined.
    #[pyfunction]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
    fn language_metrics(
        py: Python<'_>,
        meanings: PyReadonlyArray2<'_, i64>,
        messages: PyReadonlyArray2<'_, i64>,
        vocabulary: &Bound<'_, PyAny>,
    ) -> PyResult<(Option<f64>, Option<f64>, Option<f64>)> {
        let table = |name: &str, array: &PyReadonlyArray2<'_, i64>| {
            let array = array.as_array();
            let cells = array.iter().map(|&x| u32::try_from(x).map_err(|_| x)).collect::<Result<Vec<_>, _>>();
            let cells =
                cells.map_err(|x| refused(format!("`{name}` holds `{x}`, must hold integers of 0 to {}", u32::MAX)))?;
            if array.is_empty() {
                let (rows, columns) = array.dim();
                return Err(refused(format!(
                    "`{name}` is {rows} x {columns}, must have at least one row and one column"
                )));
            }
            Ok((cells, array.ncols(), array.nrows()))
        };
        let (meanings, width, rows) = table("meanings", &meanings)?;
        let (messages, length, spoken) = table("messages", &messages)?;
        let told = crate::convert::whole("vocabulary", vocabulary)?;
        let beyond = |_| refused(format!("`vocabulary` is `{told}`, must be at most {}", u32::MAX));
        let vocabulary = u32::try_from(told).map_err(beyond)?;
        if rows != spoken {
            return Err(refused(format!("there are {rows} meanings and {spoken} messages, must be as many")));
        }
        if let Some(token) = messages.iter().find(|&&token| token > vocabulary) {
            return Err(refused(format!("`messages` holds the token `{token}`, `vocabulary` is {vocabulary}")));
        }
        let (meanings, messages) = (Matrix::new(&meanings, width), Matrix::new(&messages, length));
        let measure = |stop: &(dyn Fn() -> bool + Sync)| compositionality_until(meanings, messages, vocabulary, stop);
        let scores = crate::interrupt::Interrupt::here(py, measure)?;
        Ok((scores.topsim, scores.posdis, scores.bosdis))
    }

    /// Runs a command of the command line; `words` begin with the name of the program. Returns the exit code.
    #[pyfunction]
    fn command_line(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| heldout_cli::main(words))
    }

    /// The public names of the levels of the Memory Tasks Suite that a `Level` can be opened by.
    #[pyfunction]
    fn levels() -> Vec<String> {
        heldout_memory::raw::names()
    }

    /// The whole config that overrides stand for; both are JSON.
    #[pyfunction]
    fn configure(id: &str, overrides: &str) -> PyResult<String> {
        let entry = find(id).map_err(refused)?;
        Ok(entry.configure(&object(overrides)?).map_err(refused)?.to_string())
    }
}
