//! The symbolic space: which values each dimension has in an episode, and how a value looks.
//!
//! A *meaning* is one value index per dimension. A *stimulus* shows a meaning on continuous axes: every value of every
//! dimension owns one of the equal sections of `[-1, 1]` and a Gaussian kernel inside it (the paper's Symbolic Continuous
//! Stimulus), from which a few numbers are drawn when the episode begins and then frozen.

use heldout_core::{ConfigError, Rng, Seed};
use serde::{Deserialize, Serialize};

/// Most dimensions of a space.
pub(crate) const MAX_DIMS: usize = 8;
/// Most values of a dimension: a meaning packs a value into four bits.
pub(crate) const MAX_VALUES: usize = 16;
/// Most meanings of a space.
pub(crate) const MAX_MEANINGS: u32 = 4096;
/// Most frozen samples of a value.
pub(crate) const MAX_SAMPLES: u32 = 64;
/// Redraws after which a sample that keeps leaving its section is set on the kernel's mean. A draw leaves with
/// probability below 0.0027, so this is never met; it makes the number of draws bounded.
const MOST_REDRAWS: u32 = 64;

/// One value index for each dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Meaning(u32);

impl Meaning {
    /// The value index on dimension `dim`.
    #[inline]
    pub(crate) fn value(self, dim: usize) -> u8 {
        (self.0 >> (4 * dim) & 15) as u8
    }

    /// The same with `value` on dimension `dim`.
    #[inline]
    pub(crate) fn with(self, dim: usize, value: u8) -> Self {
        Self(self.0 & !(15 << (4 * dim)) | u32::from(value) << (4 * dim))
    }

    /// Squared distance of two meanings, on their value indices.
    #[inline]
    pub(crate) fn distance(self, other: Self, dims: usize) -> u32 {
        (0..dims).map(|i| u32::from(self.value(i).abs_diff(other.value(i)))).map(|d| d * d).sum()
    }
}

/// How many values each dimension has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Structure {
    dims: u8,
    values: [u8; MAX_DIMS],
}

impl Structure {
    /// The structure with these numbers of values, one per dimension.
    ///
    /// # Panics
    ///
    /// If there are more than [`MAX_DIMS`] dimensions or more than [`MAX_VALUES`] values.
    pub(crate) fn new(values: &[u8]) -> Self {
        assert!(values.len() <= MAX_DIMS && values.iter().all(|&d| usize::from(d) <= MAX_VALUES));
        let mut all = [0; MAX_DIMS];
        all[..values.len()].copy_from_slice(values);
        Self { dims: values.len() as u8, values: all }
    }

    #[inline]
    pub(crate) fn dims(&self) -> usize {
        usize::from(self.dims)
    }

    /// Number of values of dimension `dim`.
    #[inline]
    pub(crate) fn values(&self, dim: usize) -> u8 {
        self.values[dim]
    }

    /// Values of all dimensions together.
    pub(crate) fn total_values(&self) -> u32 {
        self.values[..self.dims()].iter().map(|&d| u32::from(d)).sum()
    }

    pub(crate) fn meanings(&self) -> u32 {
        self.values[..self.dims()].iter().map(|&d| u32::from(d)).product()
    }

    /// Row-major number of `meaning`: the last dimension runs fastest.
    #[inline]
    pub(crate) fn index(&self, meaning: Meaning) -> u32 {
        (0..self.dims()).fold(0, |index, i| index * u32::from(self.values[i]) + u32::from(meaning.value(i)))
    }

    /// The meaning whose row-major number is `index`.
    pub(crate) fn meaning(&self, index: u32) -> Meaning {
        let mut rest = index;
        (0..self.dims()).rev().fold(Meaning::default(), |meaning, i| {
            let d = u32::from(self.values[i]);
            let value = (rest % d) as u8;
            rest /= d;
            meaning.with(i, value)
        })
    }

    /// Every meaning, in row-major order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Meaning> + use<> {
        let structure = *self;
        let mut next = Some(Meaning::default()).filter(|_| structure.meanings() > 0);
        std::iter::from_fn(move || {
            let now = next?;
            next = (0..structure.dims()).rev().find(|&i| now.value(i) + 1 < structure.values[i]).map(|carry| {
                let kept = (0..carry).fold(Meaning::default(), |m, i| m.with(i, now.value(i)));
                kept.with(carry, now.value(carry) + 1)
            });
            Some(now)
        })
    }
}

/// What happens to a sample that leaves the section of its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tail {
    /// It is drawn again.
    #[default]
    Reject,
    /// It is kept: sections may overlap, and `[-1, 1]` may be left.
    None,
    /// It is moved to the border of the section.
    Clip,
}

/// How a stimulus is written into an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Representation {
    /// Symbolic Continuous Stimulus: one sampled number per dimension.
    #[default]
    Scs,
    /// One-hot: `max_values` units per dimension.
    Ohe,
}

/// The Gaussian that the samples of one value are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kernel {
    /// Its mean, at least three deviations inside the section.
    pub(crate) mean: f64,
    /// Its standard deviation, a twelfth to a sixth of the section's width.
    pub(crate) deviation: f64,
}

/// Lower and upper border of the section of value `value` among `values`. Neighbours share a border to the bit.
pub(crate) fn section(value: u8, values: u8) -> (f64, f64) {
    let border = |v: f64| 2.0 * v / f64::from(values) - 1.0;
    (border(f64::from(value)), border(f64::from(value) + 1.0))
}

impl Kernel {
    /// Draws the kernel of value `value` among `values`.
    pub(crate) fn draw(value: u8, values: u8, rng: &mut Rng) -> Self {
        let (low, high) = section(value, values);
        let width = high - low;
        let deviation = width / 12.0 + rng.unit() * (width / 12.0);
        let mean = low + 3.0 * deviation + rng.unit() * (width - 6.0 * deviation);
        Self { mean, deviation }
    }

    /// Draws a sample of value `value` among `values`.
    pub(crate) fn sample(&self, value: u8, values: u8, tail: Tail, rng: &mut Rng) -> f32 {
        let (low, high) = section(value, values);
        // Half-open sections, but for the last.
        let inside = |x: f32| {
            let x = f64::from(x);
            low <= x && (x < high || (value + 1 == values && x <= 1.0))
        };
        let mut draw = || (self.mean + self.deviation * rng.gaussian()) as f32;
        let x = draw();
        match tail {
            Tail::None => x,
            _ if inside(x) => x,
            Tail::Clip if f64::from(x) < low => {
                // The border itself may round to just below it.
                let border = low as f32;
                if inside(border) { border } else { border.next_up() }
            }
            Tail::Clip => {
                let border = high as f32;
                if inside(border) { border } else { border.next_down() }
            }
            Tail::Reject => (1..MOST_REDRAWS).map(|_| draw()).find(|&x| inside(x)).unwrap_or(self.mean as f32),
        }
    }
}

/// What fixes how spaces are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpaceRules {
    pub(crate) dims: usize,
    /// Fewest values of a dimension.
    pub(crate) min_values: u8,
    /// Most values of a dimension.
    pub(crate) max_values: u8,
    /// Frozen samples of each value.
    pub(crate) samples: u32,
    /// What happens to samples outside their section.
    pub(crate) tail: Tail,
    /// How stimuli are written.
    pub(crate) representation: Representation,
}

impl SpaceRules {
    /// Continuous stimuli within their sections, of these sizes; the names of the fields are the config's.
    pub(crate) fn new(dims: u32, min_values: u32, max_values: u32, samples: u32) -> Result<Self, ConfigError> {
        within("dims", dims, 2, MAX_DIMS as u32)?;
        within("max_values", max_values, 2, MAX_VALUES as u32)?;
        within("min_values", min_values, 2, max_values)?;
        within("samples", samples, 1, MAX_SAMPLES)?;
        if max_values.checked_pow(dims).is_none_or(|m| m > MAX_MEANINGS) {
            let allowed = format!("small enough for `max_values` to the power of `dims` to be at most {MAX_MEANINGS}");
            return Err(ConfigError::value("max_values", max_values, &allowed));
        }
        let (min_values, max_values) = (min_values as u8, max_values as u8);
        let (tail, representation) = (Tail::Reject, Representation::Scs);
        Ok(Self { dims: dims as usize, min_values, max_values, samples, tail, representation })
    }

    /// The same with the most values on every dimension, if stimuli are one-hot and `fixed`.
    pub(crate) fn fixed(self, fixed: bool) -> Self {
        let full = fixed && self.representation == Representation::Ohe;
        Self { min_values: if full { self.max_values } else { self.min_values }, ..self }
    }

    /// Numbers that show one stimulus.
    pub(crate) fn width(&self) -> usize {
        match self.representation {
            Representation::Scs => self.dims,
            Representation::Ohe => self.dims * usize::from(self.max_values),
        }
    }

    /// Least and greatest of those numbers.
    pub(crate) fn bounds(&self) -> (f32, f32) {
        match (self.representation, self.tail) {
            (Representation::Ohe, _) => (0.0, 1.0),
            // The generator's Gaussian stays within 8.6 deviations, of which three lie inside the section.
            (Representation::Scs, Tail::None) => (-2.0, 2.0),
            (Representation::Scs, _) => (-1.0, 1.0),
        }
    }
}

/// Refuses a value of `field` that is not `low` to `high`.
pub(crate) fn within(field: &str, value: u32, low: u32, high: u32) -> Result<(), ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::value(field, value, &format!("{low} to {high}")))
}

/// The space of one episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Space {
    structure: Structure,
    /// One per value, `max_values` per dimension.
    kernels: Vec<Kernel>,
    /// `samples` numbers per value.
    samples: Vec<f32>,
}

impl Space {
    /// A space that [`Space::redraw`] never has to grow.
    pub(crate) fn reserve(rules: &SpaceRules) -> Self {
        let values = rules.dims * usize::from(rules.max_values);
        Self {
            structure: Structure::default(),
            kernels: vec![Kernel::default(); values],
            samples: vec![0.0; values * rules.samples as usize],
        }
    }

    /// Draws a structure, kernels and samples anew.
    pub(crate) fn redraw(&mut self, rules: &SpaceRules, seed: Seed) {
        let mut rng = seed.stream("structure").rng();
        let mut values = [0; MAX_DIMS];
        for d in &mut values[..rules.dims] {
            *d = rng.between(i32::from(rules.min_values), i32::from(rules.max_values)) as u8;
        }
        self.structure = Structure::new(&values[..rules.dims]);
        let mut rng = seed.stream("stimuli").rng();
        let (stride, count) = (usize::from(rules.max_values), rules.samples as usize);
        for (i, &d) in values[..rules.dims].iter().enumerate() {
            for v in 0..rules.max_values {
                let at = i * stride + usize::from(v);
                let samples = &mut self.samples[at * count..(at + 1) * count];
                if v < d {
                    let kernel = Kernel::draw(v, d, &mut rng);
                    samples.fill_with(|| kernel.sample(v, d, rules.tail, &mut rng));
                    self.kernels[at] = kernel;
                } else {
                    samples.fill(0.0);
                    self.kernels[at] = Kernel::default();
                }
            }
        }
    }

    /// How many values each dimension has.
    #[inline]
    pub(crate) fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The kernel of value `value` of dimension `dim`.
    pub(crate) fn kernel(&self, rules: &SpaceRules, dim: usize, value: u8) -> Kernel {
        self.kernels[dim * usize::from(rules.max_values) + usize::from(value)]
    }

    /// The frozen samples of value `value` of dimension `dim`.
    #[inline]
    pub(crate) fn samples(&self, rules: &SpaceRules, dim: usize, value: u8) -> &[f32] {
        let at = dim * usize::from(rules.max_values) + usize::from(value);
        &self.samples[at * rules.samples as usize..][..rules.samples as usize]
    }

    /// Writes how `meaning` looks in its sample number `sample`: the same number on all dimensions.
    #[inline]
    pub(crate) fn show(&self, rules: &SpaceRules, meaning: Meaning, sample: u8, out: &mut [f32]) {
        match rules.representation {
            Representation::Scs => {
                for (i, x) in out.iter_mut().enumerate() {
                    *x = self.samples(rules, i, meaning.value(i))[usize::from(sample)];
                }
            }
            Representation::Ohe => {
                out.fill(0.0);
                for i in 0..rules.dims {
                    out[i * usize::from(rules.max_values) + usize::from(meaning.value(i))] = 1.0;
                }
            }
        }
    }
}
