//! Actions out of whatever Python passes as such.

use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, get_array_module};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::refused;

/// Reads actions of `envs` copies, `width` integers each, into `into`, which is as long.
pub(crate) fn read(value: &Bound<'_, PyAny>, envs: usize, width: usize, into: &mut [i32]) -> PyResult<()> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return read_array(array, envs, width, into);
    }
    if let [only] = into
        && let Some(action) = integer(value)?
    {
        *only = action;
        return Ok(());
    }
    let array = get_array_module(value.py())?.call_method1(intern!(value.py(), "asarray"), (value,))?;
    read_array(array.cast::<PyUntypedArray>()?, envs, width, into)
}

/// `value` if it is an integer, of Python or of numpy.
fn integer(value: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
    match value.extract::<i64>() {
        Ok(action) => Ok(Some(narrow(action)?)),
        Err(e) if e.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(refused(format!("`{value}` is not an action: it does not fit into 32 bits")))
        }
        Err(_) => Ok(None),
    }
}

fn narrow(action: i64) -> PyResult<i32> {
    i32::try_from(action).map_err(|_| refused(format!("`{action}` is not an action: it does not fit into 32 bits")))
}

fn read_array(array: &Bound<'_, PyUntypedArray>, envs: usize, width: usize, into: &mut [i32]) -> PyResult<()> {
    let shape = array.shape();
    let fits = shape == [envs, width] || width == 1 && shape == [envs] || envs == 1 && shape == [width];
    if !(fits || into.len() == 1 && shape.is_empty()) {
        let allowed = if width == 1 { format!("[{envs}]") } else { format!("[{envs}, {width}]") };
        return Err(refused(format!("`actions` has shape {shape:?}, must have {allowed}")));
    }
    if fill(array, into)? {
        return Ok(());
    }
    if !matches!(array.dtype().kind(), b'i' | b'u') {
        return Err(PyTypeError::new_err(format!("`actions` has elements of {}, must have integers", array.dtype())));
    }
    // Another width or byte order, or with gaps: numpy makes an array of the usual form, or says why it cannot.
    let py = array.py();
    let options = PyDict::new(py);
    options.set_item(intern!(py, "order"), "C")?;
    options.set_item(intern!(py, "casting"), "safe")?;
    let usual = array.call_method(intern!(py, "astype"), ("int64",), Some(&options))?;
    if fill(usual.cast::<PyUntypedArray>()?, into)? {
        return Ok(());
    }
    Err(PyTypeError::new_err("`actions` is not an array of integers"))
}

/// Copies an array of contiguous 64- or 32-bit integers; says whether it is one.
fn fill(array: &Bound<'_, PyUntypedArray>, into: &mut [i32]) -> PyResult<bool> {
    if let Ok(array) = array.cast::<PyArrayDyn<i64>>()
        && let Ok(array) = array.try_readonly()
        && let Ok(actions) = array.as_slice()
        && actions.len() == into.len()
    {
        for (to, &action) in into.iter_mut().zip(actions) {
            *to = narrow(action)?;
        }
        return Ok(true);
    }
    if let Ok(array) = array.cast::<PyArrayDyn<i32>>()
        && let Ok(array) = array.try_readonly()
        && let Ok(actions) = array.as_slice()
        && actions.len() == into.len()
    {
        into.copy_from_slice(actions);
        return Ok(true);
    }
    Ok(false)
}
