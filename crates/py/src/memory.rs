//! Memory that a batch writes and numpy arrays show.
//!
//! Rust owns it, not numpy: an array that owns its data may be resized by its holder, and would take the memory away
//! while a batch writes it. An array over a [`Slab`] keeps the memory alive and cannot be resized.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use heldout_core::room::has_room;
use heldout_core::{Dtype, Field, FieldMut};
use numpy::ndarray::{ArrayViewMutD, IxDyn};
use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// Elements begin where a cache line and the widest vector register do.
const ALIGNMENT: usize = 64;

/// Zeroed memory, freed when its last holder lets go.
#[pyclass(frozen, module = "heldout._native")]
pub(crate) struct Memory {
    bytes: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to the object, which hands out nothing but its address.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `Slab::new` with this layout, and by nobody else.
        unsafe { dealloc(self.bytes.as_ptr(), self.layout) }
    }
}

/// Checks that there are `bytes` of memory to be had: what is then allocated by ways that cannot fail, does not.
pub(crate) fn check_room(bytes: usize) -> PyResult<()> {
    let lack = || PyMemoryError::new_err(format!("there is no memory for {bytes} bytes of observations"));
    has_room(bytes).then_some(()).ok_or_else(lack)
}

/// Types whose every zero is a value.
pub(crate) trait Zero: Element + Copy {}
impl Zero for bool {}
impl Zero for f32 {}
impl Zero for f64 {}
impl Zero for i32 {}
impl Zero for i64 {}
impl Zero for u8 {}

/// An array of fixed shape in [`Memory`].
pub(crate) struct Slab<T> {
    memory: Py<Memory>,
    first: NonNull<T>,
    shape: Vec<usize>,
}

// SAFETY: a slab is an owner's handle of its memory; the elements are plain numbers.
unsafe impl<T: Zero> Send for Slab<T> {}
// SAFETY: there is no way to the elements through a shared reference.
unsafe impl<T: Zero> Sync for Slab<T> {}

impl<T: Zero> Slab<T> {
    /// Zeros of `shape`.
    pub(crate) fn new(py: Python<'_>, shape: &[usize]) -> PyResult<Self> {
        let too_large = || PyMemoryError::new_err(format!("there is no memory for an array of shape {shape:?}"));
        let len = shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n)).ok_or_else(too_large)?;
        let layout = Layout::array::<T>(len.max(1)).and_then(|l| l.align_to(ALIGNMENT)).map_err(|_| too_large())?;
        // SAFETY: the layout is not of size zero.
        let bytes = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(too_large)?;
        let memory = Py::new(py, Memory { bytes, layout })?;
        Ok(Self { memory, first: bytes.cast(), shape: shape.to_vec() })
    }

    /// The elements, to write.
    ///
    /// Python may hold arrays over them. What it writes there while this slice lives is a race that callers of
    /// `copy=False` are told to avoid, as with any array that another thread fills.
    pub(crate) fn write(&mut self) -> &mut [T] {
        let len = self.shape.iter().product();
        // SAFETY: the memory has that many elements, began as valid zeros, and lives as long as `self.memory`.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), len) }
    }

    /// An array that shows the elements.
    pub(crate) fn array(&self, py: Python<'_>) -> Py<PyAny> {
        // SAFETY: the memory has the elements of that shape; the view is only asked for its address and strides.
        let view = unsafe { ArrayViewMutD::<T>::from_shape_ptr(IxDyn(&self.shape), self.first.as_ptr()) };
        // SAFETY: the base object of the array is what keeps its memory, which is never reallocated.
        unsafe { PyArrayDyn::borrow_from_array(&view, self.memory.bind(py).clone().into_any()) }.into_any().unbind()
    }
}

/// The rows of one observation field.
pub(crate) enum Column {
    F32(Slab<f32>),
    U8(Slab<u8>),
    I32(Slab<i32>),
}

impl Column {
    /// Rows of `field` for `lead` (copies, or copies and agents).
    pub(crate) fn new(py: Python<'_>, field: &Field, lead: &[usize]) -> PyResult<Self> {
        let shape = [lead, &field.shape].concat();
        Ok(match field.dtype {
            Dtype::F32 => Self::F32(Slab::new(py, &shape)?),
            Dtype::U8 => Self::U8(Slab::new(py, &shape)?),
            Dtype::I32 => Self::I32(Slab::new(py, &shape)?),
        })
    }

    pub(crate) fn write(&mut self) -> FieldMut<'_> {
        match self {
            Self::F32(slab) => FieldMut::F32(slab.write()),
            Self::U8(slab) => FieldMut::U8(slab.write()),
            Self::I32(slab) => FieldMut::I32(slab.write()),
        }
    }

    pub(crate) fn array(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Self::F32(slab) => slab.array(py),
            Self::U8(slab) => slab.array(py),
            Self::I32(slab) => slab.array(py),
        }
    }
}
