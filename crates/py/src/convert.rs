//! Values and errors between the two languages.

use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, TryLockError};

use heldout_core::{Lack, MakeError};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use serde_json::{Map, Value};

use crate::HeldoutError;

/// Flags of the command line that messages name, and what is to be written in Python.
const FLAGS: [(&str, &str); 3] = [
    ("`--resume`", "`resume=True`"),
    ("`--other-build`", "`other_build=True`"),
    ("`--experience`", "`experience=...`"),
];

/// Types that a message ends with, and what they are in Python.
const TYPES: [(&str, &str); 13] = [
    ("u8", "an integer of 0 to 255"),
    ("u16", "an integer of 0 to 65535"),
    ("u32", "an integer of 0 to 4294967295"),
    ("u64", "an integer of 0 or more"),
    ("usize", "an integer of 0 or more"),
    ("i32", "an integer"),
    ("f32", "a number"),
    ("f64", "a number"),
    ("a boolean", "`True` or `False`"),
    ("a string", "a `str`"),
    ("string or map", "a `str`"),
    ("map with a single key", "a `str`"),
    ("struct Rewards", "a `dict`"),
];

/// A message in the words of Python: arguments in place of flags, and what a value must be in place of Rust's types.
pub(crate) fn spoken(message: &str) -> String {
    let message = FLAGS.iter().fold(message.to_owned(), |message, (flag, argument)| message.replace(flag, argument));
    let told = TYPES.iter().find_map(|(theirs, ours)| {
        let said = message.strip_suffix(theirs)?.strip_suffix(", expected ")?;
        Some(format!("{said}, must be {ours}"))
    });
    told.unwrap_or(message)
}

/// An error of ours as Python's.
pub(crate) fn refused(error: impl Display) -> PyErr {
    HeldoutError::new_err(spoken(&error.to_string()))
}

/// An environment that cannot be made, as Python's error: what the machine lacks is no fault of the request.
pub(crate) fn unmade(error: &MakeError) -> PyErr {
    match error.lack() {
        Some(Lack::Memory) => PyMemoryError::new_err(error.to_string()),
        Some(Lack::Threads) => PyRuntimeError::new_err(error.to_string()),
        None => refused(error),
    }
}

/// What `one` holds, unless another call is at it.
pub(crate) fn alone<T>(one: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match one.try_lock() {
        Ok(own) => Ok(own),
        Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
            "the environment is in use: one environment may be used by one thread at a time",
        )),
    }
}

/// The number of 64 bits with the fewest digits that is `value` in 32: -0.01 stays -0.01, and is not -0.009999999776482582.
///
/// Zero has one sign.
#[pyfunction]
pub(crate) fn shortest(value: f32) -> f64 {
    let wide = f64::from(value);
    // Counts are themselves. Above, 32 bits are farther apart than whole numbers.
    if wide.abs() <= 16_777_216.0 {
        if wide.trunc() == wide {
            return wide + 0.0;
        }
        // A whole number divided by a power of ten, both exact, is the nearest to the decimal that they write.
        for scale in [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
            let told = (wide * scale).round_ties_even() / scale;
            if told as f32 == value {
                return told;
            }
        }
    }
    value.to_string().parse().unwrap_or(wide)
}

/// The JSON object in `text`.
pub(crate) fn object(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|e| refused(format!("the config is not a JSON object: {e}")))
}

/// `value` as an integer of 0 to 2^64 - 1; `name` is for the message.
pub(crate) fn whole(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    // Python takes its truth values for numbers.
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(format!("`{name}` is `{value}`, must be an integer")));
    }
    value.extract().map_err(|error: PyErr| {
        let py = value.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            let allowed =
                if value.lt(0).unwrap_or(false) { "at least 0".to_owned() } else { format!("at most {}", u64::MAX) };
            refused(format!("`{name}` is `{value}`, must be {allowed}"))
        } else if error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(format!("`{name}` is `{value}`, must be an integer"))
        } else {
            error
        }
    })
}

/// `value` as a number of things; what is beyond any memory is left to the batch to refuse.
pub(crate) fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(whole(name, value)?).unwrap_or(usize::MAX))
}
