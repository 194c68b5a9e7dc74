//! One level of the Memory Tasks Suite, ticked with raw controls: what `heldout.dm_env` is made of.

use std::sync::{Mutex, MutexGuard};

use heldout_core::Status;
use heldout_memory::raw::{RawLevel, Settings, open};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{alone, object, refused, whole};

/// A level and its current episode.
#[pyclass(frozen, module = "heldout._native")]
pub(crate) struct Level {
    inner: Mutex<Inner>,
}

/// What one call at a time may use: `None` once closed.
struct Inner(Option<Box<dyn RawLevel>>);

impl Inner {
    /// The level, unless it is closed.
    fn open(&mut self) -> PyResult<&mut Box<dyn RawLevel>> {
        self.0.as_mut().ok_or_else(|| refused("the environment is closed"))
    }
}

impl Level {
    /// What this call may use, unless another thread's has it.
    fn alone(&self) -> PyResult<MutexGuard<'_, Inner>> {
        alone(&self.inner)
    }
}

/// `value` as an integer of 32 bits; what is beyond is left to the rules to refuse.
fn narrow(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(u32::try_from(whole(name, value)?).unwrap_or(u32::MAX))
}

#[pymethods]
impl Level {
    /// Opens the level called `name`; `config` is a JSON object of further keys.
    #[new]
    #[pyo3(signature = (name, seed, width, height, seconds, invert_pitch, config))]
    #[expect(clippy::too_many_arguments, reason = "they are the settings; Python's side names them")]
    fn new(
        py: Python<'_>,
        name: &str,
        seed: &Bound<'_, PyAny>,
        width: &Bound<'_, PyAny>,
        height: &Bound<'_, PyAny>,
        seconds: Option<f64>,
        invert_pitch: bool,
        config: &str,
    ) -> PyResult<Self> {
        let settings = Settings {
            seed: whole("seed", seed)?,
            width: narrow("width", width)?,
            height: narrow("height", height)?,
            seconds,
            invert_pitch,
            config: object(config)?,
        };
        let level = py.detach(|| open(name, &settings)).map_err(refused)?;
        Ok(Self { inner: Mutex::new(Inner(Some(level))) })
    }

    /// The raw controls: name, least, greatest, and whether only whole numbers are taken.
    fn controls(&self) -> PyResult<Vec<(&'static str, f64, f64, bool)>> {
        Ok(self.alone()?.open()?.controls().iter().map(|c| (c.name, c.low, c.high, c.whole)).collect())
    }

    /// The values of all controls for each discrete action.
    fn discrete(&self) -> PyResult<Vec<Vec<f64>>> {
        Ok(self.alone()?.open()?.discrete())
    }

    /// Ticks in a second.
    fn ticks_per_second(&self) -> PyResult<u32> {
        Ok(self.alone()?.open()?.ticks_per_second())
    }

    /// Begins an episode, with all controls at zero.
    fn begin(&self, py: Python<'_>, episode: &Bound<'_, PyAny>) -> PyResult<()> {
        let episode = whole("episode", episode)?;
        let mut inner = self.alone()?;
        let level = inner.open()?;
        py.detach(move || level.begin(episode));
        Ok(())
    }

    /// Sets the controls that `changes` names and holds all for up to `ticks`: the sum of the rewards, whether the
    /// task came to its end, and whether the episode was cut.
    fn step(&self, py: Python<'_>, changes: &Bound<'_, PyDict>, ticks: u32) -> PyResult<(f64, bool, bool)> {
        let mut inner = self.alone()?;
        let level = inner.open()?;
        let mut named = Vec::with_capacity(changes.len());
        for (name, value) in changes {
            let name: String = name
                .extract()
                .map_err(|_| PyTypeError::new_err(format!("`{name}` is not the name of a control: it is no text")))?;
            let value: f64 = value
                .extract()
                .map_err(|_| PyTypeError::new_err(format!("`{name}` is `{value}`, must be a number")))?;
            named.push((name, value));
        }
        let named: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        level.change(&named).map_err(refused)?;
        let (reward, status) = py.detach(move || level.advance(ticks)).map_err(refused)?;
        Ok((reward, status == Status::Terminated, status == Status::Truncated))
    }

    /// The values of the controls as they stand.
    fn values(&self) -> PyResult<Vec<f64>> {
        Ok(self.alone()?.open()?.values())
    }

    /// Where the avatar is.
    fn position(&self) -> PyResult<[f64; 3]> {
        Ok(self.alone()?.open()?.position())
    }

    /// The sum of the episode's rewards.
    fn score(&self) -> PyResult<f64> {
        Ok(self.alone()?.open()?.score())
    }

    /// Ticks that are left until the episode is cut.
    fn ticks_left(&self) -> PyResult<u32> {
        Ok(self.alone()?.open()?.ticks_left())
    }

    /// What the agent sees: an array of height, width and colour, the caller's to keep.
    fn picture<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.alone()?;
        let level = inner.open()?;
        let (width, height) = level.size();
        let pixels = py.detach(move || {
            let mut pixels = vec![0; width * height * 3];
            level.picture(&mut pixels);
            pixels
        });
        Ok(PyArray1::from_vec(py, pixels).reshape([height, width, 3])?.into_any())
    }

    /// Lets go of the level. Calling it again does nothing.
    fn close(&self) -> PyResult<()> {
        self.alone()?.0 = None;
        Ok(())
    }
}
