//! `heldout.evaluate`: a Python policy under the protocols, with the records of the native runner.
//!
//! Which episodes are played, in which order and batches, and what is recorded is decided by `heldout_eval`; Python
//! answers observations with actions. An exception there stops the run, and is the one that the caller sees.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use heldout_core::Entry;
use heldout_core::{FieldRef, Spec};
use heldout_eval::entrant::{Agent, Entrant};
use heldout_eval::protocol::{Protocol, names};
use heldout_eval::runner::{Evaluation, Outcome, Progress};
use heldout_eval::{Actor, Turn};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::actions;
use crate::convert::{refused, whole};

/// The built-in protocols.
#[pyfunction]
pub(crate) fn protocols() -> Vec<&'static str> {
    names().collect()
}

/// What a run and its policy share: the first exception, which stops the run.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    exception: Mutex<Option<PyErr>>,
}

impl Shared {
    fn raise(&self, exception: PyErr) -> String {
        let text = exception.to_string();
        self.exception.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(exception);
        self.stop.store(true, Ordering::Relaxed);
        text
    }
}

/// A Python object with a method `begin(id, spec, copies)` that returns a function of observations, starts and seeds.
struct PyAgent {
    policy: Py<PyAny>,
    shared: Arc<Shared>,
}

impl Agent for PyAgent {
    fn actor(&self, entry: &'static Entry, _: &Spec) -> Result<Box<dyn Actor>, String> {
        let policy = Python::attach(|py| self.policy.clone_ref(py));
        Ok(Box::new(PyActor { policy, id: entry.id(), act: None, shared: Arc::clone(&self.shared) }))
    }
}

/// That function, once there is something to answer.
struct PyActor {
    policy: Py<PyAny>,
    id: &'static str,
    act: Option<Py<PyAny>>,
    shared: Arc<Shared>,
}

impl Actor for PyActor {
    fn act(&mut self, mut turn: Turn<'_>) -> Result<(), String> {
        let shared = Arc::clone(&self.shared);
        Python::attach(|py| self.ask(py, &mut turn)).map_err(|exception| shared.raise(exception))
    }
}

impl PyActor {
    fn ask(&mut self, py: Python<'_>, turn: &mut Turn<'_>) -> PyResult<()> {
        // Ctrl-C is heard between steps, wherever the policy spends its time.
        py.check_signals()?;
        let (copies, agents) = (turn.starts.len(), turn.spec.agents.len());
        let act = if let Some(act) = &self.act {
            act.bind(py).clone()
        } else {
            let spec = json!(turn.spec).to_string();
            let act = self.policy.bind(py).call_method1("begin", (self.id, spec, copies))?;
            self.act = Some(act.clone().unbind());
            act
        };
        let lead: &[usize] = if agents == 1 { &[copies] } else { &[copies, agents] };
        let observation = PyDict::new(py);
        for (i, field) in turn.spec.observation.iter().enumerate() {
            let shape = [lead, &field.shape].concat();
            let array = match turn.observation.field(i) {
                FieldRef::F32(values) => array(py, values, &shape)?,
                FieldRef::U8(values) => array(py, values, &shape)?,
                FieldRef::I32(values) => array(py, values, &shape)?,
            };
            observation.set_item(field.name, array)?;
        }
        let starts = PyArray1::from_slice(py, turn.starts);
        let seeds = PyArray1::from_vec(py, turn.seeds.iter().map(|seed| seed.0).collect());
        let answer = act.call1((observation, starts, seeds))?;
        actions::read(&answer, copies, turn.spec.action_width(), turn.actions)
    }
}

/// A copy of `values`, the caller's to keep.
fn array<'py, T: Element + Copy>(py: Python<'py>, values: &[T], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
}

/// Evaluates a policy, the name of a scripted one or an object with `begin`; returns the outcome as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each has its name in Python")]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn evaluate(
    py: Python<'_>,
    policy: &Bound<'_, PyAny>,
    protocols: Vec<String>,
    out: PathBuf,
    label: &str,
    name: &str,
    seed: &Bound<'_, PyAny>,
    seeds: Option<&Bound<'_, PyAny>>,
    episodes: Option<&Bound<'_, PyAny>>,
    threads: &Bound<'_, PyAny>,
    resume: bool,
    experience: Option<Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let shared = Arc::new(Shared::default());
    let entrant = if let Ok(scripted) = policy.extract::<String>() {
        Entrant::parse(&format!("{label}@{scripted}"))
    } else {
        Entrant::agent(label, name, Arc::new(PyAgent { policy: policy.clone().unbind(), shared: Arc::clone(&shared) }))
    };
    let mut entrant = entrant.map_err(refused)?;
    entrant.experience = experience.map(Into::into);
    let protocols = protocols.iter().map(|name| Protocol::find(name)).collect::<Result<_, _>>().map_err(refused)?;
    let evaluation = Evaluation {
        protocols,
        entrants: vec![entrant],
        out,
        seed: whole("seed", seed)?,
        seeds: seeds.map(|n| whole("seeds", n)).transpose()?,
        episodes: episodes.map(|n| whole("episodes", n)).transpose()?,
        threads: crate::convert::count("threads", threads)?,
        resume,
    };
    let hear = |stage: Progress<'_>| {
        if let (Some(progress), Progress::Played(done, total)) = (&progress, stage) {
            Python::attach(|py| {
                if let Err(exception) = progress.call1(py, (done, total)) {
                    shared.raise(exception);
                }
            });
        }
        // A scripted policy never comes to Python: Ctrl-C is heard here.
        Python::attach(|py| {
            if let Err(exception) = py.check_signals() {
                shared.raise(exception);
            }
        });
    };
    let outcome = py.detach(|| evaluation.run(&shared.stop, &hear));
    if let Some(exception) = shared.exception.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(exception);
    }
    let Outcome { failures, done, total, .. } = outcome.map_err(refused)?;
    Ok(json!({"episodes": done, "of": total, "failures": failures}).to_string())
}
