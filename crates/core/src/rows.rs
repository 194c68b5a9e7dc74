//! Observations in the caller's memory: one contiguous array per field, one row per agent.

use crate::spec::{Dtype, Field, MAX_FIELDS};

/// Writable rows of one field.
#[derive(Debug)]
pub enum FieldMut<'a> {
    /// Rows of floats.
    F32(&'a mut [f32]),
    /// Rows of bytes.
    U8(&'a mut [u8]),
    /// Rows of integers.
    I32(&'a mut [i32]),
}

impl FieldMut<'_> {
    /// Type and number of its elements.
    fn given(&self) -> (Dtype, usize) {
        match self {
            Self::F32(s) => (Dtype::F32, s.len()),
            Self::U8(s) => (Dtype::U8, s.len()),
            Self::I32(s) => (Dtype::I32, s.len()),
        }
    }

    fn split(self, mid: usize) -> (Self, Self) {
        match self {
            Self::F32(s) => {
                let (a, b) = s.split_at_mut(mid);
                (Self::F32(a), Self::F32(b))
            }
            Self::U8(s) => {
                let (a, b) = s.split_at_mut(mid);
                (Self::U8(a), Self::U8(b))
            }
            Self::I32(s) => {
                let (a, b) = s.split_at_mut(mid);
                (Self::I32(a), Self::I32(b))
            }
        }
    }
}

/// Writable rows of every field, in the order of the spec.
#[derive(Debug)]
pub struct Rows<'a> {
    fields: [Option<FieldMut<'a>>; MAX_FIELDS],
    strides: [usize; MAX_FIELDS],
}

impl<'a> Rows<'a> {
    /// Wraps one slice a field; `fields` gives the row length of each.
    pub fn new(fields: &[Field], slices: impl IntoIterator<Item = FieldMut<'a>>) -> Self {
        let mut slices = slices.into_iter();
        Self { fields: std::array::from_fn(|_| slices.next()), strides: strides(fields) }
    }

    /// Type and number of elements of each field, in order.
    pub(crate) fn given(&self) -> impl Iterator<Item = (Dtype, usize)> + '_ {
        self.fields.iter().flatten().map(FieldMut::given)
    }

    /// Splits after `rows` rows.
    pub(crate) fn split(self, rows: usize) -> (Self, Self) {
        let Self { fields, strides } = self;
        let mut left = [const { None }; MAX_FIELDS];
        let mut right = [const { None }; MAX_FIELDS];
        for (i, field) in fields.into_iter().enumerate() {
            if let Some(field) = field {
                let (a, b) = field.split(rows * strides[i]);
                left[i] = Some(a);
                right[i] = Some(b);
            }
        }
        (Self { fields: left, strides }, Self { fields: right, strides })
    }

    /// The row at `index`, to write.
    #[inline]
    pub fn row(&mut self, index: usize) -> Row<'_, 'a> {
        Row { rows: self, index }
    }
}

fn strides(fields: &[Field]) -> [usize; MAX_FIELDS] {
    let mut strides = [0; MAX_FIELDS];
    for (stride, field) in strides.iter_mut().zip(fields) {
        *stride = field.len();
    }
    strides
}

/// One agent's observation, to write. It may hold stale values: every element must be written.
#[derive(Debug)]
pub struct Row<'r, 'a> {
    rows: &'r mut Rows<'a>,
    index: usize,
}

/// Asking for a field under a wrong index or type is a bug of the environment that its first step shows.
#[cold]
fn wrong(field: usize, kind: &str) -> ! {
    panic!("observation field {field} does not hold {kind}")
}

impl Row<'_, '_> {
    /// The float field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of floats.
    #[inline]
    pub fn f32(&mut self, field: usize) -> &mut [f32] {
        let stride = self.rows.strides[field];
        match &mut self.rows.fields[field] {
            Some(FieldMut::F32(s)) => &mut s[self.index * stride..][..stride],
            _ => wrong(field, "floats"),
        }
    }

    /// The byte field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of bytes.
    #[inline]
    pub fn u8(&mut self, field: usize) -> &mut [u8] {
        let stride = self.rows.strides[field];
        match &mut self.rows.fields[field] {
            Some(FieldMut::U8(s)) => &mut s[self.index * stride..][..stride],
            _ => wrong(field, "bytes"),
        }
    }

    /// The integer field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of integers.
    #[inline]
    pub fn i32(&mut self, field: usize) -> &mut [i32] {
        let stride = self.rows.strides[field];
        match &mut self.rows.fields[field] {
            Some(FieldMut::I32(s)) => &mut s[self.index * stride..][..stride],
            _ => wrong(field, "integers"),
        }
    }

    /// Writes `text` into the byte field at `field`, padded with zeros.
    ///
    /// # Panics
    ///
    /// If that field is not of bytes, or narrower than `text`.
    pub fn text(&mut self, field: usize, text: &str) {
        let (head, tail) = self.u8(field).split_at_mut(text.len());
        head.copy_from_slice(text.as_bytes());
        tail.fill(0);
    }
}

/// Readable rows of one field.
#[derive(Clone, Copy, Debug)]
pub enum FieldRef<'a> {
    /// Rows of floats.
    F32(&'a [f32]),
    /// Rows of bytes.
    U8(&'a [u8]),
    /// Rows of integers.
    I32(&'a [i32]),
}

impl FieldRef<'_> {
    /// Type and number of its elements.
    fn given(&self) -> (Dtype, usize) {
        match self {
            Self::F32(s) => (Dtype::F32, s.len()),
            Self::U8(s) => (Dtype::U8, s.len()),
            Self::I32(s) => (Dtype::I32, s.len()),
        }
    }
}

/// Readable rows of every field, in the order of the spec.
#[derive(Clone, Copy, Debug)]
pub struct RowsRef<'a> {
    fields: [Option<FieldRef<'a>>; MAX_FIELDS],
    strides: [usize; MAX_FIELDS],
}

impl<'a> RowsRef<'a> {
    /// Wraps one slice a field; `fields` gives the row length of each.
    pub fn new(fields: &[Field], slices: impl IntoIterator<Item = FieldRef<'a>>) -> Self {
        let mut slices = slices.into_iter();
        Self { fields: std::array::from_fn(|_| slices.next()), strides: strides(fields) }
    }

    /// Type and number of elements of each field, in order.
    pub(crate) fn given(&self) -> impl Iterator<Item = (Dtype, usize)> + '_ {
        self.fields.iter().flatten().map(FieldRef::given)
    }

    /// The row at `index`.
    #[inline]
    #[must_use]
    pub fn row(&self, index: usize) -> RowRef<'_> {
        RowRef { rows: self, index }
    }
}

/// One agent's observation, to read.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    rows: &'a RowsRef<'a>,
    index: usize,
}

impl<'a> RowRef<'a> {
    /// The float field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of floats.
    #[inline]
    #[must_use]
    pub fn f32(&self, field: usize) -> &'a [f32] {
        let stride = self.rows.strides[field];
        match self.rows.fields[field] {
            Some(FieldRef::F32(s)) => &s[self.index * stride..][..stride],
            _ => wrong(field, "floats"),
        }
    }

    /// The byte field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of bytes.
    #[inline]
    #[must_use]
    pub fn u8(&self, field: usize) -> &'a [u8] {
        let stride = self.rows.strides[field];
        match self.rows.fields[field] {
            Some(FieldRef::U8(s)) => &s[self.index * stride..][..stride],
            _ => wrong(field, "bytes"),
        }
    }

    /// The integer field at `field`.
    ///
    /// # Panics
    ///
    /// If that field is not of integers.
    #[inline]
    #[must_use]
    pub fn i32(&self, field: usize) -> &'a [i32] {
        let stride = self.rows.strides[field];
        match self.rows.fields[field] {
            Some(FieldRef::I32(s)) => &s[self.index * stride..][..stride],
            _ => wrong(field, "integers"),
        }
    }

    /// The text of the byte field at `field`, up to its first zero.
    ///
    /// # Panics
    ///
    /// If that field is not of bytes.
    #[must_use]
    pub fn text(&self, field: usize) -> &'a str {
        let bytes = self.u8(field);
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        std::str::from_utf8(&bytes[..end]).unwrap_or("")
    }
}
