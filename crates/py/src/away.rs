//! Evaluations and trainings that are played and trained elsewhere: what `heldout.ray` needs of the native side.
//!
//! Which parts there are, how they are played and how their records come together is decided by `heldout_eval` and
//! `heldout_agents`; Python carries bytes between processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use heldout_agents::train;
use heldout_cli::around::{self, Around, Errand, Runs};
use heldout_eval::away::{Away, Ended, Part, Played, Stage};
use heldout_eval::entrant::{Agent, is_importable};
use heldout_eval::runner::{EvalError, Evaluation};
use heldout_files::Tree;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use serde_json::json;

use crate::convert::refused;
use crate::evaluate::PyAgent;
use crate::interrupt::Interrupt;

/// Bytes of what is sent elsewhere at the most: 32 GiB.
const MOST: u64 = 32 << 30;

/// Opens a policy that is named by a path, or as `module:function`, which Python imports.
fn load(path: &Path, shared: &Arc<Interrupt>) -> Result<Arc<dyn Agent>, String> {
    let Some(text) = path.to_str().filter(|text| is_importable(text) && !path.exists()) else {
        return heldout_cli::trained::open(path);
    };
    let found = Python::attach(|py| {
        let (policy, name) = py.import("heldout.evaluation")?.call_method1("_imported", (text,))?.extract()?;
        PyResult::Ok((policy, name))
    });
    let (policy, name): (Py<PyAny>, String) = found.map_err(|error| error.to_string())?;
    Ok(Arc::new(PyAgent { policy: Arc::new(policy), name, shared: Arc::clone(shared) }))
}

/// What is elsewhere, as an object of Python's.
struct PyAway {
    away: Py<PyAny>,
    shared: Arc<Interrupt>,
}

/// A number, the bytes of a part's file, why its cell cannot be played, and why nothing came of it at all.
type Back = (usize, Option<Vec<u8>>, Option<String>, Option<String>);

impl PyAway {
    fn ask<T>(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, String> {
        Python::attach(|py| ask(self.away.bind(py)).map_err(|error| error.to_string()))
    }

    /// Refuses to go on where a policy of Python's has raised.
    fn whole(&self) -> Result<(), String> {
        if self.shared.stop.load(Ordering::Relaxed) {
            self.shared.end(()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Away for PyAway {
    fn room(&self) -> Result<usize, String> {
        self.whole()?;
        self.ask(|away| away.call_method0("room")?.extract())
    }

    fn begin(&self, number: usize, part: &Part) -> Result<(), String> {
        let part = json!(part).to_string();
        self.ask(|away| away.call_method1("begin", (number, part)).map(drop))
    }

    fn ended(&self) -> Result<Vec<Ended>, String> {
        let back: Vec<Back> = self.ask(|away| away.call_method0("ended")?.extract())?;
        let told = |(number, file, problem, lost): Back| match lost {
            Some(lost) => (number, Err(lost)),
            None => (number, Ok(Played { file: file.unwrap_or_default(), problem })),
        };
        Ok(back.into_iter().map(told).collect())
    }
}

impl Runs for PyAway {
    fn room(&self) -> Result<usize, String> {
        self.ask(|away| away.call_method0("room")?.extract())
    }

    fn begin(&self, errand: &Errand<'_>) -> Result<(), String> {
        let Errand { number, words, dir, below } = errand;
        self.ask(|away| away.call_method1("begin", (number, words, dir, below)).map(drop))
    }

    fn ended(&self) -> Result<around::Ended, String> {
        let (steps, episodes, back): (u64, u64, Vec<(usize, Option<String>)>) =
            self.ask(|away| away.call_method0("ended")?.extract())?;
        let runs = back.into_iter().map(|(number, problem)| (number, problem.map_or(Ok(()), Err))).collect();
        Ok(around::Ended { steps, episodes, runs })
    }

    fn stop(&self) -> Result<(), String> {
        self.ask(|away| away.call_method0("stop").map(drop))
    }
}

/// Runs a command whose episodes are played, or whose runs are trained, by `away`; `command` is what a person typed. Returns the
/// exit code.
#[pyfunction]
pub(crate) fn command_away(py: Python<'_>, words: Vec<OsString>, command: Vec<OsString>, away: Py<PyAny>) -> u8 {
    let shared = Arc::new(Interrupt::default());
    let away = PyAway { away, shared: Arc::clone(&shared) };
    py.detach(|| {
        let open = |path: &Path| load(path, &shared);
        let around = Around { load: &open, away: Some(&away), runs: Some(&away), command };
        heldout_cli::main_around(words, &around)
    })
}

/// Every file and folder of the user's that a command names.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn command_files(words: Vec<OsString>) -> Vec<PathBuf> {
    around::files(&words)
}

/// Plays parts of an evaluation that another process directs.
#[pyclass(module = "heldout._native", unsendable)]
pub(crate) struct Parts {
    evaluation: Evaluation,
    scratch: PathBuf,
    shared: Arc<Interrupt>,
    /// What was planned, the last first: of which protocol, task and label.
    stages: Vec<([String; 3], Stage)>,
}

/// Plans that are kept: parts come entrant by entrant, so that a task's plans are asked for by turns.
const PLANS: usize = 8;

#[pymethods]
impl Parts {
    /// Reads what the words of `heldout eval` are to measure; `moved` says where files of the user's lie on this machine, and
    /// `scratch` is a folder of the caller's alone.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
    fn new(words: Vec<OsString>, moved: BTreeMap<String, String>, scratch: PathBuf) -> PyResult<Self> {
        let shared = Arc::new(Interrupt::default());
        let evaluation = around::evaluation(&words, &moved, &|path| load(path, &shared)).map_err(refused)?;
        Ok(Self { evaluation, scratch, shared, stages: Vec::new() })
    }

    /// Plays a part, which is JSON, by way of a file in `folder`: the bytes of the file, and why its cell cannot be played
    /// further.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        part: &str,
        folder: PathBuf,
    ) -> PyResult<(Bound<'py, PyBytes>, Option<String>)> {
        let part: Part = serde_json::from_str(part).map_err(refused)?;
        let Self { evaluation, scratch, shared, stages } = self;
        let key = [&part.protocol, &part.task, part.scale_of.as_ref().unwrap_or(&part.agent)].map(Clone::clone);
        let played = py.detach(|| {
            let stage = match stages.iter().position(|(known, _)| *known == key) {
                Some(at) => stages.remove(at).1,
                None => Stage::of(evaluation, &part, scratch, &shared.stop)?,
            };
            let played = stage.play(&part, &folder, &shared.stop);
            // What an exception has stopped may be half a plan.
            if !shared.stop.load(Ordering::Relaxed) {
                stages.truncate(PLANS - 1);
                stages.insert(0, (key, stage));
            }
            played
        });
        // An exception of a policy is told as what its cell cannot do.
        let told = self.shared.end(played);
        self.shared.stop.store(false, Ordering::Relaxed);
        let played = told?.map_err(|error: EvalError| refused(error))?;
        Ok((PyBytes::new(py, &played.file), played.problem))
    }
}

fn pairs<'py>(py: Python<'py>, files: &Tree) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, files.iter().map(|(name, bytes)| (name, PyBytes::new(py, bytes))))
}

fn unusable(path: &Path) -> impl Fn(std::io::Error) -> PyErr + '_ {
    |error| refused(format!("`{}`: {error}", path.display()))
}

/// The files of a folder, or the file at a path under the empty name, without what only training goes on from.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn read_tree(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyList>> {
    let leave = |name: &str| name.starts_with('.') || ["state", "state.new", "state.old", "events"].contains(&name);
    let files = py.detach(|| heldout_files::read_tree(&path, &leave, MOST)).map_err(unusable(&path))?;
    pairs(py, &files)
}

/// Writes the files of such a list below a folder.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn write_tree(path: PathBuf, files: Tree) -> PyResult<()> {
    heldout_files::write_tree(&path, &files).map_err(unusable(&path))
}

/// All files of a run that is being trained, as of one moment.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn run_snapshot(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyList>> {
    let files = py.detach(|| train::snapshot(&path)).map_err(unusable(&path))?;
    pairs(py, &files)
}

/// Steps and episodes that a run has told of.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn run_so_far(path: PathBuf) -> (u64, u64) {
    train::so_far(&path)
}

/// Puts such files in the place of a run's.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn run_restore(path: PathBuf, files: Tree) -> PyResult<()> {
    train::restore(&path, files).map_err(unusable(&path))
}
