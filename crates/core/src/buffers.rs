//! Owned memory of the shape that a batch writes.

use crate::digest::Crc;
use crate::environment::Status;
use crate::rows::{FieldMut, FieldRef, Rows, RowsRef};
use crate::spec::{Dtype, Field, Spec};
use crate::vec_env::{Last, Output};

#[derive(Clone, Debug, PartialEq)]
enum Array {
    F32(Vec<f32>),
    U8(Vec<u8>),
    I32(Vec<i32>),
}

impl Array {
    fn new(field: &Field, rows: usize) -> Self {
        let len = field.len() * rows;
        match field.dtype {
            Dtype::F32 => Self::F32(vec![0.0; len]),
            Dtype::U8 => Self::U8(vec![0; len]),
            Dtype::I32 => Self::I32(vec![0; len]),
        }
    }

    fn as_mut(&mut self) -> FieldMut<'_> {
        match self {
            Self::F32(v) => FieldMut::F32(v),
            Self::U8(v) => FieldMut::U8(v),
            Self::I32(v) => FieldMut::I32(v),
        }
    }

    fn as_ref(&self) -> FieldRef<'_> {
        match self {
            Self::F32(v) => FieldRef::F32(v),
            Self::U8(v) => FieldRef::U8(v),
            Self::I32(v) => FieldRef::I32(v),
        }
    }
}

/// Memory for a batch to write to: what learners and the command line allocate once.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffers {
    spec: Vec<Field>,
    observation: Vec<Array>,
    last_observation: Vec<Array>,
    /// Rewards: one an agent.
    pub rewards: Vec<f32>,
    /// How each copy's episode stands.
    pub status: Vec<Status>,
    /// Metrics: one row per copy.
    pub metrics: Vec<f32>,
    /// Metrics of episodes ended under same-step autoreset.
    pub last_metrics: Vec<f32>,
}

impl Buffers {
    /// Memory for `len` copies of a batch's `spec`.
    #[must_use]
    pub fn new(spec: &Spec, len: usize) -> Self {
        let rows = len * spec.agents.len();
        Self {
            spec: spec.observation.clone(),
            observation: spec.observation.iter().map(|f| Array::new(f, rows)).collect(),
            last_observation: Vec::new(),
            rewards: vec![0.0; rows],
            status: vec![Status::Running; len],
            metrics: vec![0.0; len * spec.metrics.len()],
            last_metrics: Vec::new(),
        }
    }

    /// The same with memory for the ends of episodes, which same-step autoreset needs.
    #[must_use]
    pub fn with_last(spec: &Spec, len: usize) -> Self {
        let this = Self::new(spec, len);
        Self { last_observation: this.observation.clone(), last_metrics: this.metrics.clone(), ..this }
    }

    /// The view that a batch writes through.
    pub fn output(&mut self) -> Output<'_> {
        Output {
            rows: Rows::new(&self.spec, self.observation.iter_mut().map(Array::as_mut)),
            rewards: &mut self.rewards,
            status: &mut self.status,
            metrics: &mut self.metrics,
            last: (!self.last_observation.is_empty()).then(|| Last {
                rows: Rows::new(&self.spec, self.last_observation.iter_mut().map(Array::as_mut)),
                metrics: &mut self.last_metrics,
            }),
        }
    }

    /// The observations, to read.
    #[must_use]
    pub fn rows(&self) -> RowsRef<'_> {
        RowsRef::new(&self.spec, self.observation.iter().map(Array::as_ref))
    }

    /// The last observations of episodes ended under same-step autoreset, to read.
    #[must_use]
    pub fn last_rows(&self) -> RowsRef<'_> {
        RowsRef::new(&self.spec, self.last_observation.iter().map(Array::as_ref))
    }

    /// Field `index` of every row.
    #[must_use]
    pub fn field(&self, index: usize) -> FieldRef<'_> {
        self.observation[index].as_ref()
    }

    /// Fills the observations with values that no environment writes, so that an unwritten element shows.
    pub fn poison(&mut self, byte: u8) {
        for array in self.observation.iter_mut().chain(&mut self.last_observation) {
            match array {
                Array::F32(v) => v.fill(f32::from_bits(0x7fc0_0000 | u32::from(byte))),
                Array::U8(v) => v.fill(byte),
                Array::I32(v) => v.fill(i32::MIN + i32::from(byte)),
            }
        }
        self.rewards.fill(f32::NAN);
        self.metrics.fill(f32::NAN);
        self.last_metrics.fill(f32::NAN);
    }

    /// Feeds observations, rewards and status to `crc`.
    pub fn digest(&self, crc: &mut Crc) {
        for array in &self.observation {
            match array {
                Array::F32(v) => crc.f32s(v),
                Array::U8(v) => crc.bytes(v),
                Array::I32(v) => crc.i32s(v),
            }
        }
        crc.f32s(&self.rewards);
        for &status in &self.status {
            crc.bytes(&[status as u8]);
        }
    }
}
