//! Policies that `heldout train` left behind.

use std::path::PathBuf;
use std::sync::Mutex;

use heldout_agents::Checkpoint;
use heldout_agents::player::{Moment, Player as Plays};
use heldout_agents::text::WordPiece;
use heldout_core::{Buffers, Dtype, Options, Seed, Spec};
use heldout_envs::find;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::{alone, refused, unmade};

/// The runs at a path, each as a JSON object.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn checkpoints(path: PathBuf) -> PyResult<String> {
    let all = Checkpoint::open_all(&path).map_err(refused)?;
    let told = |one: &Checkpoint| json!({"run": one.run, "sha256": one.sha256});
    Ok(Value::Array(all.iter().map(told).collect()).to_string())
}

/// The numbers of the pieces of sentences, as an encoder with this `vocab.txt` reads them.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
pub(crate) fn word_pieces(vocabulary: &str, sentences: Vec<String>, most: usize) -> PyResult<Vec<Vec<u32>>> {
    let pieces = WordPiece::of_lines(vocabulary).map_err(refused)?;
    Ok(sentences.iter().map(|sentence| pieces.tokens(sentence, most)).collect())
}

struct Seated {
    player: Box<dyn Plays>,
    spec: Spec,
    buffers: Buffers,
    copies: usize,
}

/// A trained policy at a number of copies of its environment.
#[pyclass(frozen, module = "heldout._native")]
pub(crate) struct Player(Mutex<Seated>);

#[pymethods]
impl Player {
    /// The policy of run number `run` at a path.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
    fn new(path: PathBuf, run: usize, copies: usize) -> PyResult<Self> {
        let all = Checkpoint::open_all(&path).map_err(refused)?;
        let count = all.len();
        let checkpoint = all.get(run).ok_or_else(|| refused(format!("`run` is {run}, must be 0 to {}", count - 1)))?;
        let entry = find(&checkpoint.run.id).map_err(refused)?;
        let env = entry.make(&checkpoint.run.env, copies.max(1), Options::default()).map_err(|error| unmade(&error))?;
        let spec = env.spec().clone();
        let player = checkpoint.player(&spec).map_err(refused)?;
        let copies = copies.max(1);
        Ok(Self(Mutex::new(Seated { player, buffers: Buffers::new(&spec, copies), spec, copies })))
    }

    /// The step metrics that the policy is told, by their names.
    #[getter]
    fn told(&self) -> PyResult<Vec<String>> {
        Ok(alone(&self.0)?.player.told())
    }

    /// The actions for observations, an array of each field's rows one after the other in the order of the spec.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from arguments")]
    fn act<'py>(
        &self,
        py: Python<'py>,
        fields: Vec<Bound<'py, PyAny>>,
        rewards: PyReadonlyArray1<'py, f32>,
        metrics: PyReadonlyArray1<'py, f32>,
        starts: PyReadonlyArray1<'py, bool>,
        seeds: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut seated = alone(&self.0)?;
        let Seated { player, spec, buffers, copies } = &mut *seated;
        let (copies, agents) = (*copies, spec.agents.len());
        let size = |what: &str, found: usize, expected: usize| {
            if found == expected {
                Ok(())
            } else {
                Err(refused(format!("`{what}` has {found} elements, must have {expected}")))
            }
        };
        size("fields", fields.len(), spec.observation.len())?;
        size("reward", rewards.len()?, copies * agents)?;
        size("metrics", metrics.len()?, copies * spec.metrics.len())?;
        size("episode_start", starts.len()?, copies)?;
        size("seeds", seeds.len()?, copies)?;
        for (index, (field, given)) in spec.observation.iter().zip(&fields).enumerate() {
            let (name, width, count) = (field.name, field.len(), copies * agents);
            let mut rows = buffers.output().rows;
            match field.dtype {
                Dtype::F32 => {
                    each::<f32>(given, name, width, count, |i, from| rows.row(i).f32(index).copy_from_slice(from))
                }
                Dtype::U8 => {
                    each::<u8>(given, name, width, count, |i, from| rows.row(i).u8(index).copy_from_slice(from))
                }
                Dtype::I32 => {
                    each::<i32>(given, name, width, count, |i, from| rows.row(i).i32(index).copy_from_slice(from))
                }
            }?;
        }
        let (rewards, metrics) = (rewards.as_slice()?, metrics.as_slice()?);
        let seeds: Vec<Seed> = seeds.as_slice()?.iter().map(|&seed| Seed(seed)).collect();
        let mut actions = vec![0; copies * spec.action_width()];
        let starts = starts.as_slice()?;
        let moment = Moment { observation: buffers, rewards, metrics, starts, seeds: &seeds, done: None };
        player.act(&moment, &mut actions).map_err(refused)?;
        let width = spec.action_width();
        Ok(PyArray1::from_vec(py, actions).reshape([copies, width])?.into_any())
    }
}

/// Calls `write` with each of `count` rows of a flat array.
fn each<T: numpy::Element>(
    given: &Bound<'_, PyAny>,
    name: &str,
    width: usize,
    count: usize,
    mut write: impl FnMut(usize, &[T]),
) -> PyResult<()> {
    let array: PyReadonlyArray1<'_, T> =
        given.extract().map_err(|_| refused(format!("observation field `{name}` is of another type")))?;
    let numbers = array.as_slice()?;
    if numbers.len() != width * count {
        let found = numbers.len();
        return Err(refused(format!("observation field `{name}` has {found} elements, must have {}", width * count)));
    }
    numbers.chunks_exact(width.max(1)).enumerate().for_each(|(i, row)| write(i, row));
    Ok(())
}
