//! One batch and the arrays that it writes.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

use heldout_core::{
    Autoreset, BatchError, Buffers, Frame, Last, Options, Output, Reset, Rows, Scope, Seed, Seeding, Spec, Status,
    VecEnv,
};
use heldout_envs::find;
use heldout_render::{View, ansi};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;

use crate::actions;
use crate::convert::{alone, count, object, refused, shortest, unmade, whole};
use crate::interrupt::Interrupt;
use crate::memory::{Column, Slab, check_room};

/// What the ends of episodes leave under same-step autoreset. Only columns of ended copies mean anything.
struct Finals {
    observation: Vec<Column>,
    metrics: Vec<f32>,
    shown: Slab<f64>,
    problems: Slab<i64>,
}

/// All that a batch writes: what the engine fills, and what Python is shown of it in the types of its conventions.
struct Memory {
    observation: Vec<Column>,
    rewards: Vec<f32>,
    status: Vec<Status>,
    /// The status before the last call.
    before: Vec<Status>,
    metrics: Vec<f32>,
    finals: Option<Finals>,
    shown_rewards: Slab<f64>,
    terminated: Slab<bool>,
    truncated: Slab<bool>,
    ended: Slab<bool>,
    /// A row a metric. Metrics of the episode are zero for a copy whose episode goes on.
    shown_metrics: Slab<f64>,
    problems: Slab<i64>,
    /// Whether a copy was put into another state since the last call, so that `status` may be wrong.
    stale: bool,
}

impl Memory {
    fn new(py: Python<'_>, spec: &Spec, envs: usize, same_step: bool) -> PyResult<Self> {
        let agents = spec.agents.len();
        let lead: &[usize] = if agents == 1 { &[envs] } else { &[envs, agents] };
        let columns = || spec.observation.iter().map(|f| Column::new(py, f, lead)).collect::<PyResult<Vec<_>>>();
        let metrics = spec.metrics.len();
        let finals = || {
            Ok::<_, PyErr>(Finals {
                observation: columns()?,
                metrics: vec![0.0; envs * metrics],
                shown: Slab::new(py, &[metrics, envs])?,
                problems: Slab::new(py, &[envs])?,
            })
        };
        Ok(Self {
            observation: columns()?,
            rewards: vec![0.0; envs * agents],
            status: vec![Status::Running; envs],
            before: vec![Status::Running; envs],
            metrics: vec![0.0; envs * metrics],
            finals: same_step.then(finals).transpose()?,
            shown_rewards: Slab::new(py, lead)?,
            terminated: Slab::new(py, &[envs])?,
            truncated: Slab::new(py, &[envs])?,
            ended: Slab::new(py, &[envs])?,
            shown_metrics: Slab::new(py, &[metrics, envs])?,
            problems: Slab::new(py, &[envs])?,
            stale: false,
        })
    }

    fn output(&mut self, spec: &Spec) -> Output<'_> {
        Output {
            rows: Rows::new(&spec.observation, self.observation.iter_mut().map(Column::write)),
            rewards: &mut self.rewards,
            status: &mut self.status,
            metrics: &mut self.metrics,
            last: self.finals.as_mut().map(|finals| Last {
                rows: Rows::new(&spec.observation, finals.observation.iter_mut().map(Column::write)),
                metrics: &mut finals.metrics,
            }),
        }
    }

    /// Shows Python what the engine has written; says how many episodes have ended.
    ///
    /// `stepped` is whether it was by a step: then only the problems of copies that may have restarted are asked for.
    fn publish(&mut self, env: &dyn VecEnv, stepped: bool) -> Result<usize, BatchError> {
        let spec = env.spec();
        let all = !stepped || std::mem::take(&mut self.stale);
        for (shown, &reward) in self.shown_rewards.write().iter_mut().zip(&self.rewards) {
            *shown = shortest(reward);
        }
        let (terminated, truncated, over) = (self.terminated.write(), self.truncated.write(), self.ended.write());
        let mut ended = 0;
        for (i, &status) in self.status.iter().enumerate() {
            terminated[i] = status == Status::Terminated;
            truncated[i] = status == Status::Truncated;
            over[i] = status.ended();
            ended += usize::from(status.ended());
        }
        show(spec, &self.metrics, &self.status, self.shown_metrics.write(), |scope| match scope {
            Scope::Step => Whose::All,
            Scope::Episode if ended > 0 => Whose::Ended,
            Scope::Episode => Whose::Nobody,
        });
        if let Some(finals) = &mut self.finals
            && ended > 0
        {
            show(spec, &finals.metrics, &self.status, finals.shown.write(), |_| Whose::Ended);
        }
        if spec.problems.is_some() {
            let problems = self.problems.write();
            for (i, shown) in problems.iter_mut().enumerate() {
                if !all && !self.before[i].ended() && !self.status[i].ended() {
                    continue;
                }
                if let Some(finals) = &mut self.finals {
                    finals.problems.write()[i] = if self.status[i].ended() { *shown } else { 0 };
                }
                *shown = env.problem(i)?.map_or(-1, i64::from);
            }
        }
        Ok(ended)
    }
}

/// Of which copies a metric says something.
enum Whose {
    All,
    Ended,
    Nobody,
}

/// Writes metrics a row each, zero for copies of which they say nothing; rows that say nothing of any are left.
fn show(spec: &Spec, metrics: &[f32], status: &[Status], shown: &mut [f64], whose: impl Fn(Scope) -> Whose) {
    let width = spec.metrics.len();
    for ((j, metric), row) in spec.metrics.iter().enumerate().zip(shown.chunks_exact_mut(status.len())) {
        let values = metrics.iter().skip(j).step_by(width);
        match whose(metric.scope) {
            Whose::All => row.iter_mut().zip(values).for_each(|(shown, &value)| *shown = shortest(value)),
            Whose::Ended => {
                for ((shown, &value), status) in row.iter_mut().zip(values).zip(status) {
                    *shown = if status.ended() { shortest(value) } else { 0.0 };
                }
            }
            Whose::Nobody => {}
        }
    }
}

/// Copies of one environment, stepped together, and the arrays that they write.
#[pyclass(frozen, module = "heldout._native")]
pub(crate) struct Batch {
    inner: Mutex<Inner>,
    about: String,
    envs: usize,
    arrays: Py<PyDict>,
}

/// What one call at a time may use.
struct Inner {
    /// `None` once closed.
    env: Option<Box<dyn VecEnv>>,
    spec: Spec,
    threads: usize,
    memory: Memory,
    actions: Vec<i32>,
    /// What seated policies see: written afresh, since Python may have written to the arrays.
    views: Option<Buffers>,
}

/// The batch, unless it is closed.
fn open(env: &mut Option<Box<dyn VecEnv>>) -> PyResult<&mut Box<dyn VecEnv>> {
    env.as_mut().ok_or_else(|| refused("the environment is closed"))
}

impl Inner {
    fn open(&mut self) -> PyResult<&mut Box<dyn VecEnv>> {
        open(&mut self.env)
    }

    fn observe_all(&mut self, py: Python<'_>) -> PyResult<()> {
        let env = open(&mut self.env)?;
        let (memory, spec) = (&mut self.memory, &self.spec);
        py.detach(move || {
            env.observe(memory.output(spec))?;
            memory.publish(&**env, false)
        })
        .map_err(refused)?;
        Ok(())
    }
}

impl Batch {
    /// What this call may use, unless another thread's has it.
    fn alone(&self) -> PyResult<MutexGuard<'_, Inner>> {
        alone(&self.inner)
    }

    /// A frame, and its width and height.
    fn frame(
        &self,
        py: Python<'_>,
        env: &Bound<'_, PyAny>,
        agent: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<u8>, (usize, usize))> {
        let (copy, agent) = (count("copy", env)?, count("agent", agent)?);
        let mut inner = self.alone()?;
        let (width, height) = inner.spec.frame;
        let env = inner.open()?;
        let pixels = py.detach(move || {
            let mut pixels = vec![0; width * height * 3];
            env.draw(copy, agent, Frame { width, height, pixels: &mut pixels })?;
            Ok(pixels)
        });
        Ok((pixels.map_err(|e: BatchError| refused(e))?, (width, height)))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (id, config, num_envs, autoreset, threads, max_steps))]
    fn new(
        py: Python<'_>,
        id: &str,
        config: &str,
        num_envs: &Bound<'_, PyAny>,
        autoreset: &str,
        threads: &Bound<'_, PyAny>,
        max_steps: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let autoreset = match autoreset {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            other => {
                let allowed = "`NextStep`, `SameStep` or `Disabled`";
                return Err(refused(format!("`autoreset_mode` is `{other}`, must be {allowed}")));
            }
        };
        let max_steps = max_steps.map(|n| whole("max_episode_steps", n)).transpose()?;
        let max_steps = max_steps.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let threads = count("threads", threads)?;
        let envs = count("num_envs", num_envs)?;
        let entry = find(id).map_err(refused)?;
        let overrides = object(config)?;
        let options = Options { autoreset, max_steps, threads, ..Options::default() };
        let (env, config) = py
            .detach(move || {
                let config = entry.configure(&overrides)?;
                entry.make(&overrides, envs, options).map(|env| (env, config))
            })
            .map_err(|error| unmade(&error))?;
        let spec = env.spec().clone();
        let about = json!({"id": entry.id(), "config": config, "spec": spec, "policies": env.policies()}).to_string();
        let memory = Memory::new(py, &spec, envs, autoreset == Autoreset::SameStep)?;
        let arrays = arrays(py, &spec, &memory)?;
        let actions = vec![0; envs * spec.action_width()];
        let mut inner = Inner { env: Some(env), spec, threads, memory, actions, views: None };
        inner.observe_all(py)?;
        Ok(Self { inner: Mutex::new(inner), about, envs, arrays })
    }

    /// Id, whole config, spec and scripted policies, as JSON.
    #[getter]
    fn about(&self) -> &str {
        &self.about
    }

    /// Number of copies.
    fn __len__(&self) -> usize {
        self.envs
    }

    /// The arrays by name: `observation` and `final_observation` (dicts by field), `rewards`, `terminated`,
    /// `truncated`, `ended`, `metrics`, `problems`, `final_metrics`, `final_problems`.
    #[getter]
    fn arrays(&self, py: Python<'_>) -> Py<PyDict> {
        self.arrays.clone_ref(py)
    }

    /// Begins episodes: all copies below `root`, or each by its entry of `seeds`, or each its next.
    #[pyo3(signature = (root=None, seeds=None, problems=None, mask=None))]
    #[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
    fn reset(
        &self,
        py: Python<'_>,
        root: Option<&Bound<'_, PyAny>>,
        seeds: Option<Vec<Option<Bound<'_, PyAny>>>>,
        problems: Option<Vec<Option<Bound<'_, PyAny>>>>,
        mask: Option<Vec<bool>>,
    ) -> PyResult<()> {
        let root = root.map(|seed| whole("seed", seed)).transpose()?;
        // A copy with a seed of its own plays what a single environment reset with that seed plays.
        let seed = |s: Option<Bound<'_, PyAny>>| s.map(|s| Ok(Seed(whole("seed", &s)?).derive(0))).transpose();
        let seeds = seeds.map(|s| s.into_iter().map(seed).collect::<PyResult<Vec<_>>>()).transpose()?;
        let problem = |p: Option<Bound<'_, PyAny>>| {
            p.map(|p| Ok(u32::try_from(whole("problem", &p)?).unwrap_or(u32::MAX))).transpose()
        };
        let problems = problems.map(|p| p.into_iter().map(problem).collect::<PyResult<Vec<_>>>()).transpose()?;
        let seeds = match (root, &seeds) {
            (Some(root), _) => Seeding::Root(Seed(root)),
            (None, Some(seeds)) => Seeding::Copies(seeds),
            (None, None) => Seeding::Keep,
        };
        let reset = Reset { seeds, problems: problems.as_deref().unwrap_or(&[]), mask: mask.as_deref() };
        let mut inner = self.alone()?;
        let Inner { env, memory, spec, .. } = &mut *inner;
        let env = open(env)?;
        py.detach(move || {
            env.reset(reset, memory.output(spec))?;
            memory.publish(&**env, false)
        })
        .map_err(refused)?;
        Ok(())
    }

    /// Steps every copy; returns how many episodes ended.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut inner = self.alone()?;
        let Inner { env, memory, spec, actions: own, .. } = &mut *inner;
        let env = open(env)?;
        actions::read(actions, self.envs, spec.action_width(), own)?;
        py.detach(move || {
            memory.before.copy_from_slice(&memory.status);
            env.step(own, memory.output(spec))?;
            memory.publish(&**env, true)
        })
        .map_err(refused)
    }

    /// Writes all arrays as the copies stand, with rewards zero.
    fn observe(&self, py: Python<'_>) -> PyResult<()> {
        self.alone()?.observe_all(py)
    }

    /// The state of a copy, as bytes that any process can restore.
    fn save<'py>(&self, py: Python<'py>, copy: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let copy = count("copy", copy)?;
        let bytes = self.alone()?.open()?.save(copy).map_err(refused)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Puts a copy into a saved state. The arrays show it after `observe`.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
    fn restore(&self, copy: &Bound<'_, PyAny>, state: PyBackedBytes) -> PyResult<()> {
        let copy = count("copy", copy)?;
        let mut inner = self.alone()?;
        let Inner { env, memory, spec, .. } = &mut *inner;
        let env = open(env)?;
        env.restore(copy, &state).map_err(refused)?;
        memory.stale = true;
        if spec.problems.is_some() {
            memory.problems.write()[copy] = env.problem(copy).map_err(refused)?.map_or(-1, i64::from);
        }
        Ok(())
    }

    /// A picture of a copy for people, from an agent's side: an array of height, width and colour.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        copy: &Bound<'py, PyAny>,
        agent: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (pixels, (width, height)) = self.frame(py, copy, agent)?;
        Ok(PyArray1::from_vec(py, pixels).reshape([height, width, 3])?.into_any())
    }

    /// The same picture as text for a terminal of 24-bit colour.
    fn ansi(
        &self,
        py: Python<'_>,
        copy: &Bound<'_, PyAny>,
        agent: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let columns = count("columns", columns)?;
        let (pixels, (width, height)) = self.frame(py, copy, agent)?;
        Ok(ansi(View::new(width, height, &pixels), columns))
    }

    /// The metrics of a copy as they stand, in the order of the spec.
    fn metrics(&self, copy: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let copy = count("copy", copy)?;
        let mut inner = self.alone()?;
        let mut values = vec![0.0; inner.spec.metrics.len()];
        inner.open()?.metrics(copy, &mut values).map_err(refused)?;
        Ok(values.into_iter().map(shortest).collect())
    }

    /// The problem that a copy plays, where the set is finite.
    fn problem(&self, copy: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let copy = count("copy", copy)?;
        self.alone()?.open()?.problem(copy).map_err(refused)
    }

    /// What has been experienced in a copy; `None` where no account of it is kept.
    fn experience<'py>(&self, py: Python<'py>, copy: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let copy = count("copy", copy)?;
        let bytes = self.alone()?.open()?.experience(copy).map_err(refused)?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Takes bytes as what has been experienced in a copy.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
    fn set_experience(&self, copy: &Bound<'_, PyAny>, experience: PyBackedBytes) -> PyResult<()> {
        let copy = count("copy", copy)?;
        self.alone()?.open()?.set_experience(copy, &experience).map_err(refused)
    }

    /// Adds bytes, another copy's experience, to what has been experienced in a copy.
    #[expect(clippy::needless_pass_by_value, reason = "extracted from an argument")]
    fn merge_experience(&self, copy: &Bound<'_, PyAny>, experience: PyBackedBytes) -> PyResult<()> {
        let copy = count("copy", copy)?;
        self.alone()?.open()?.merge_experience(copy, &experience).map_err(refused)
    }

    /// Forgets what has been experienced in a copy.
    fn clear_experience(&self, copy: &Bound<'_, PyAny>) -> PyResult<()> {
        let copy = count("copy", copy)?;
        self.alone()?.open()?.clear_experience(copy).map_err(refused)
    }

    /// Seats a scripted policy at an agent.
    fn seat(&self, agent: &Bound<'_, PyAny>, policy: &str, seed: &Bound<'_, PyAny>) -> PyResult<()> {
        let (agent, seed) = (count("agent", agent)?, Seed(whole("seed", seed)?));
        self.alone()?.open()?.seat(agent, policy, seed).map_err(refused)
    }

    /// The actions of the seated policies, one row per copy; zero for agents that have none.
    fn act<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.alone()?;
        let Inner { env, spec, threads, views, .. } = &mut *inner;
        let (env, envs, width) = (open(env)?, self.envs, spec.action_width());
        if views.is_none() {
            check_room(envs.saturating_mul(spec.agents.len() * spec.row_bytes()))?;
        }
        let views = views.get_or_insert_with(|| Buffers::new(spec, envs));
        let mut act = move |stop: &(dyn Fn() -> bool + Sync)| {
            let mut actions = vec![0; envs * width];
            env.observe(views.output())?;
            env.act_until(&views.rows(), &mut actions, stop)?;
            Ok(actions.into_iter().map(i64::from).collect::<Vec<_>>())
        };
        let acted: Result<_, BatchError> = if *threads > 1 {
            // Other threads cannot ask Python for signals.
            let interrupt = Interrupt::default();
            let stop = || interrupt.stop.load(Ordering::Relaxed);
            interrupt.elsewhere(py, move |_: &(dyn Fn(()) + Sync)| act(&stop), |()| ())?
        } else {
            Interrupt::here(py, act)?
        };
        Ok(PyArray1::from_vec(py, acted.map_err(refused)?).reshape([envs, width])?.into_any())
    }

    /// Lets go of the copies; the arrays stay. Calling it again does nothing.
    fn close(&self) -> PyResult<()> {
        let mut inner = self.alone()?;
        (inner.env, inner.views) = (None, None);
        Ok(())
    }
}

/// The arrays over `memory`, by name.
fn arrays(py: Python<'_>, spec: &Spec, memory: &Memory) -> PyResult<Py<PyDict>> {
    let fields = |columns: &[Column]| {
        let dict = PyDict::new(py);
        for (field, column) in spec.observation.iter().zip(columns) {
            dict.set_item(field.name, column.array(py))?;
        }
        Ok::<_, PyErr>(dict)
    };
    let dict = PyDict::new(py);
    dict.set_item("observation", fields(&memory.observation)?)?;
    dict.set_item("rewards", memory.shown_rewards.array(py))?;
    dict.set_item("terminated", memory.terminated.array(py))?;
    dict.set_item("truncated", memory.truncated.array(py))?;
    dict.set_item("ended", memory.ended.array(py))?;
    dict.set_item("metrics", memory.shown_metrics.array(py))?;
    dict.set_item("problems", memory.problems.array(py))?;
    if let Some(finals) = &memory.finals {
        dict.set_item("final_observation", fields(&finals.observation)?)?;
        dict.set_item("final_metrics", finals.shown.array(py))?;
        dict.set_item("final_problems", finals.problems.array(py))?;
    }
    Ok(dict.unbind())
}
