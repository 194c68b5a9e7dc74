//! `heldout.evaluate`: a Python policy under the protocols, with the records of the native runner.
//!
//! Which episodes are played, in which order and batches, and what is recorded is decided by `heldout_eval`; Python
//! answers observations with actions. An exception there stops the run, and is the one that the caller sees.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use heldout_core::{FieldRef, Scope, Speaker, Spec, Stimuli};
use heldout_eval::entrant::{Agent, Entrant, Place};
use heldout_eval::protocol::{Protocol, names};
use heldout_eval::runner::{EvalError, Evaluation, Outcome, Progress};
use heldout_eval::{Actor, Turn};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::actions;
use crate::convert::{object, refused, spoken, whole};
use crate::interrupt::Interrupt;

/// The text of a protocol, built in or a file.
#[pyfunction]
pub(crate) fn protocol(name: &str) -> PyResult<String> {
    Protocol::find(name).map(|protocol| protocol.text).map_err(refused)
}

/// The names of the built-in protocols.
#[pyfunction]
pub(crate) fn protocols() -> Vec<&'static str> {
    names().collect()
}

/// A Python object that answers for every place; `_Entrant` of `heldout.evaluation` says how.
pub(crate) struct PyAgent {
    pub(crate) policy: Arc<Py<PyAny>>,
    pub(crate) name: String,
    pub(crate) shared: Arc<Interrupt>,
}

/// A place as Python is told it.
fn told(place: &Place<'_>) -> (String, String, String, usize, u64) {
    (place.entry.id().to_owned(), place.protocol.to_owned(), place.task.to_owned(), place.run, place.seed)
}

impl PyAgent {
    /// What the method `name` of the policy answers at `place`; `otherwise` if it raises, which ends the run.
    fn ask<T>(
        &self,
        name: &str,
        place: &Place<'_>,
        otherwise: T,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        if self.shared.stop.load(Ordering::Relaxed) {
            return otherwise;
        }
        Python::attach(|py| {
            let answer = self.policy.bind(py).call_method1(name, (told(place),));
            answer.and_then(|answer| read(&answer)).unwrap_or_else(|exception| {
                self.shared.raise(exception);
                otherwise
            })
        })
    }
}

impl Agent for PyAgent {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn identity(&self, place: &Place<'_>) -> String {
        self.ask("identity", place, self.name.clone(), |answer| answer.extract())
    }

    fn runs(&self, place: &Place<'_>) -> usize {
        self.ask("runs", place, 1, |answer| answer.extract())
    }

    fn enters(&self, place: &Place<'_>) -> bool {
        self.ask("enters", place, true, |answer| answer.extract())
    }

    fn view(&self, place: &Place<'_>) -> Map<String, Value> {
        self.ask("view", place, Map::new(), |answer| object(&answer.extract::<String>()?))
    }

    fn actor(&self, place: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
        let (policy, shared) = (Arc::clone(&self.policy), Arc::clone(&self.shared));
        Ok(Box::new(PyActor { policy, place: told(place), act: None, shared }))
    }

    fn experience(&self, place: &Place<'_>) -> Option<Vec<u8>> {
        self.ask("experience", place, None, |answer| answer.extract())
    }

    fn speaker(&self, place: &Place<'_>) -> Option<Arc<dyn Speaker>> {
        let speaks: bool = self.ask("speaks", place, false, |answer| answer.extract());
        let (policy, shared) = (Arc::clone(&self.policy), Arc::clone(&self.shared));
        speaks.then(|| Arc::new(PySpeaker { policy, place: told(place), shared }) as Arc<dyn Speaker>)
    }
}

/// A policy with a method `speak`.
struct PySpeaker {
    policy: Arc<Py<PyAny>>,
    place: (String, String, String, usize, u64),
    shared: Arc<Interrupt>,
}

impl Speaker for PySpeaker {
    fn utter(&self, stimuli: &Stimuli<'_>) -> Result<Vec<u32>, String> {
        let &Stimuli { numbers, width, length, vocabulary, .. } = stimuli;
        let count = numbers.len() / width;
        let ask = |py: Python<'_>| {
            let shown = array(py, numbers, &[count, width])?;
            let said = self.policy.bind(py).call_method1("speak", (&self.place, shown, vocabulary, length))?;
            let mut tokens = vec![0; count * length];
            actions::read(&said, count, length, &mut tokens)?;
            Ok(tokens)
        };
        let tokens = Python::attach(ask).map_err(|exception| self.shared.raise(exception))?;
        // What is no token is refused by its value.
        Ok(tokens.into_iter().map(|token| u32::try_from(token).unwrap_or(u32::MAX)).collect())
    }
}

/// A function of observations, once there is something to answer.
struct PyActor {
    policy: Arc<Py<PyAny>>,
    place: (String, String, String, usize, u64),
    act: Option<Py<PyAny>>,
    shared: Arc<Interrupt>,
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
            let (spec, config) = (json!(turn.spec).to_string(), turn.config.to_string());
            let act = self.policy.bind(py).call_method1("begin", (&self.place, spec, config, copies))?;
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
        let rewards = array(py, turn.rewards, lead)?;
        let metrics = PyDict::new(py);
        let width = turn.spec.metrics.len();
        for (i, metric) in turn.spec.metrics.iter().enumerate().filter(|(_, metric)| metric.scope == Scope::Step) {
            let column: Vec<f32> = turn.metrics.iter().skip(i).step_by(width).copied().collect();
            metrics.set_item(&metric.name, PyArray1::from_vec(py, column))?;
        }
        let answer = act.call1((observation, starts, seeds, rewards, metrics))?;
        actions::read(&answer, copies, turn.spec.action_width(), turn.actions)
    }
}

/// A copy of `values`, the caller's to keep.
fn array<'py, T: Element + Copy>(py: Python<'py>, values: &[T], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
}

/// The bytes of a file of experience.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn read_experience(path: PathBuf) -> PyResult<Vec<u8>> {
    let bytes = heldout_files::read(&path, heldout_files::DATA);
    bytes.map_err(|error| refused(format!("`experience` is `{}`, which cannot be read: {error}", path.display())))
}

/// Evaluates a policy, the name of a scripted one or an `_Entrant`; returns the outcome as JSON.
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
    tasks: Vec<String>,
    seed: &Bound<'_, PyAny>,
    seeds: Option<&Bound<'_, PyAny>>,
    episodes: Option<&Bound<'_, PyAny>>,
    threads: &Bound<'_, PyAny>,
    resume: bool,
    other_build: bool,
    experience: Option<Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let shared = Arc::new(Interrupt::default());
    let name_of = policy.extract::<String>();
    let scripted = name_of.is_ok();
    let entrant = if let Ok(policy) = name_of {
        Entrant::parse(&format!("{label}@{policy}"), &heldout_cli::trained::open)
    } else {
        let (policy, name, shared) = (Arc::new(policy.clone().unbind()), name.to_owned(), Arc::clone(&shared));
        Entrant::agent(label, Arc::new(PyAgent { policy, name, shared }))
    };
    let mut entrant = entrant.map_err(refused)?;
    entrant.experience = experience.map(Into::into);
    let protocols = protocols.iter().map(|name| Protocol::find(name)).collect::<Result<_, _>>().map_err(refused)?;
    let evaluation = Evaluation {
        protocols,
        entrants: vec![entrant],
        tasks,
        out,
        seed: whole("seed", seed)?,
        seeds: seeds.map(|n| whole("seeds", n)).transpose()?,
        episodes: episodes.map(|n| whole("episodes", n)).transpose()?,
        threads: crate::convert::count("threads", threads)?,
        resume,
        other_build,
    };
    let tell = |(done, total): (u64, u64)| {
        if let Some(progress) = &progress {
            Python::attach(|py| {
                if let Err(exception) = progress.call1(py, (done, total)) {
                    shared.raise(exception);
                }
            });
        }
    };
    let outcome = if scripted {
        // A scripted policy never comes to Python: the caller's thread hears Ctrl-C while others play.
        let work = |tell: &(dyn Fn((u64, u64)) + Sync)| {
            evaluation.run(&shared.stop, &|stage| {
                if let Progress::Played(done, total) = stage {
                    tell((done, total));
                }
            })
        };
        shared.elsewhere(py, work, tell)?
    } else {
        // What is Python's is called on the thread that Python called on.
        let hear = |stage: Progress<'_>| {
            if let Progress::Played(done, total) = stage {
                tell((done, total));
            }
            shared.hear();
        };
        let outcome = py.detach(|| evaluation.run(&shared.stop, &hear));
        shared.end(outcome)?
    };
    let outcome = outcome.map_err(|error| match error {
        EvalError::Threads { .. } => PyRuntimeError::new_err(error.to_string()),
        error => refused(error),
    });
    let Outcome { mut failures, done, total, .. } = outcome?;
    for failure in &mut failures {
        failure.problem = spoken(&failure.problem);
    }
    Ok(json!({"episodes": done, "of": total, "failures": failures}).to_string())
}
