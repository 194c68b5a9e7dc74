//! What only lilGym has: its statements and problems to read, the value of a program, the planner's solutions.

use heldout_lilgym::{Reader, truth};
use pyo3::prelude::*;
use serde_json::json;

use crate::convert::{object, refused};
use crate::interrupt::Interrupt;

fn open(id: &str, config: &str) -> PyResult<Reader> {
    Reader::open(id, &object(config)?).map_err(refused)
}

/// Statements, problems and vocabulary of an id under `config`, as JSON.
#[pyfunction]
pub(crate) fn lilgym_corpus(py: Python<'_>, id: &str, config: &str) -> PyResult<String> {
    py.detach(|| {
        let reader = open(id, config)?;
        let statements = reader
            .statements()
            .into_iter()
            .map(|statement| json!([statement.key, statement.sentence, statement.program, statement.categories]));
        let problems = (0..reader.problems())
            .filter_map(|index| reader.problem(index))
            .map(|problem| json!([problem.key, problem.statement, problem.scene, problem.target]));
        let (statements, problems): (Vec<_>, Vec<_>) = (statements.collect(), problems.collect());
        let corpus = json!({"statements": statements, "problems": problems, "vocabulary": reader.vocabulary()});
        Ok(corpus.to_string())
    })
}

/// Actions, whether they are proven to be the fewest, and what following them returns.
type Plan = (Option<Vec<u32>>, bool, f64);

/// What the planner finds for each of `problems`: flat numbers of the actions, STOP included, or `None`; whether it is
/// proven that there is nothing shorter; and what following it returns.
#[pyfunction]
pub(crate) fn lilgym_plans(py: Python<'_>, id: &str, config: &str, problems: Vec<usize>) -> PyResult<Vec<Plan>> {
    Interrupt::here(py, |stop| {
        let reader = open(id, config)?;
        let plan = |index: usize| {
            let last = reader.problems() - 1;
            // Where it was stopped, the exception says so, whatever is answered here.
            let plan = reader
                .plan(index, stop)
                .ok_or_else(|| refused(format!("the problem is `{index}`, must be 0 to {last}")))?;
            Ok((plan.actions, plan.proven, plan.value))
        };
        problems.into_iter().map(plan).collect()
    })?
}

/// The value of a program in a scene, which is JSON as the public files write it.
#[pyfunction]
pub(crate) fn lilgym_truth(program: &str, scene: &str) -> PyResult<bool> {
    let scene = serde_json::from_str(scene).map_err(|error| refused(format!("the scene is not JSON: {error}")))?;
    truth(program, &scene).map_err(refused)
}
