//! Scales: which value of a dimension a number shows, by the numbers alone.

use crate::codec::EOS;
use crate::space::{MAX_VALUES, Representation, SpaceRules, section};

/// Grid points along each of a kernel's two parameters.
const GRID: usize = 5;

/// What is known of one section under one hypothesis.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The token that names it, [`EOS`] if none is known.
    pub(crate) token: u8,
    /// Distinct values seen in it.
    pub(crate) seen: u32,
    /// Mean and deviation of the kernel at each grid point.
    kernels: [(f64, f64); GRID * GRID],
    /// Log-likelihood of the values seen, at each grid point.
    fit: [f64; GRID * GRID],
}

impl Section {
    pub(crate) fn new(index: u8, values: u8) -> Self {
        let (low, high) = section(index, values);
        let width = high - low;
        let middle = |i: usize| (i as f64 + 0.5) / GRID as f64;
        let kernel = |at: usize| {
            let deviation = width / 12.0 * (1.0 + middle(at / GRID));
            (low + 3.0 * deviation + middle(at % GRID) * (width - 6.0 * deviation), deviation)
        };
        Self { token: EOS, seen: 0, kernels: std::array::from_fn(kernel), fit: [0.0; GRID * GRID] }
    }

    pub(crate) fn add(&mut self, x: f64) {
        self.seen += 1;
        for (fit, &(mean, deviation)) in self.fit.iter_mut().zip(&self.kernels) {
            let z = (x - mean) / deviation;
            *fit += -0.5 * z * z - libm::log(deviation);
        }
    }

    /// Log-likelihood of the values seen.
    pub(crate) fn evidence(&self) -> f64 {
        if self.seen == 0 { 0.0 } else { log_mean(self.fit.iter().copied()) }
    }

    /// Density of a new value `x`.
    pub(crate) fn density(&self, x: f64) -> f64 {
        let with = self.fit.iter().zip(&self.kernels).map(|(fit, &(mean, deviation))| {
            let z = (x - mean) / deviation;
            fit - 0.5 * z * z - libm::log(deviation)
        });
        libm::exp(log_mean(with) - self.evidence())
    }
}

/// Logarithm of the mean of exponentials.
fn log_mean(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    let (sum, count) = logs.fold((0.0, 0), |(sum, n), x| (sum + libm::exp(x - most), n + 1));
    most + libm::log(sum / f64::from(count))
}

/// Which of `values` sections the number `x` lies in, or which of as many units is active; `None` if none of them is.
pub(crate) fn place(x: f32, values: u8, one_hot: bool) -> Option<usize> {
    let last = usize::from(values) - 1;
    if one_hot {
        return Some(x as usize).filter(|&unit| unit <= last);
    }
    let place = (f64::from(x) + 1.0) * (0.5 * f64::from(values));
    Some((place.max(0.0) as usize).min(last))
}

/// The value that `x` most likely shows if nothing else of its dimension was seen.
pub(crate) fn likeliest_value(x: f32, space: &SpaceRules) -> u8 {
    let mut weights = [0.0; MAX_VALUES];
    for values in space.min_values..=space.max_values {
        if let Some(at) = place(x, values, false) {
            weights[at] += Section::new(at as u8, values).density(f64::from(x)) / f64::from(values);
        }
    }
    let best = (0..MAX_VALUES).max_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a)));
    best.unwrap_or(0) as u8
}

/// What the numbers seen on one dimension say about how many values it has.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    one_hot: bool,
    samples: u32,
    seen: Vec<f32>,
    /// The sections of each number of values that the dimension may have.
    hypotheses: Vec<Vec<Section>>,
}

impl Scale {
    pub(crate) fn new(space: &SpaceRules) -> Self {
        let sections = |values| (0..values).map(|i| Section::new(i, values)).collect();
        Self {
            one_hot: space.representation == Representation::Ohe,
            samples: space.samples,
            seen: Vec::new(),
            hypotheses: (space.min_values..=space.max_values).map(sections).collect(),
        }
    }

    /// Takes in a number of the dimension.
    pub(crate) fn see(&mut self, x: f32) {
        if self.seen.contains(&x) {
            return;
        }
        self.seen.push(x);
        for sections in &mut self.hypotheses {
            if let Some(at) = place(x, sections.len() as u8, self.one_hot) {
                sections[at].add(f64::from(x));
            }
        }
    }

    /// The likeliest number of values. If `complete`, each of them has been seen.
    pub(crate) fn values(&self, complete: bool) -> u8 {
        let fewest = u32::from(complete);
        let allowed = |sections: &&Vec<Section>| {
            let known: u32 = sections.iter().map(|s| s.seen).sum();
            let filled = sections.iter().all(|s| (fewest..=self.samples).contains(&s.seen));
            filled && known as usize == self.seen.len()
        };
        let weight = |sections: &[Section]| {
            let kernels: f64 = if self.one_hot { 0.0 } else { sections.iter().map(Section::evidence).sum() };
            kernels - self.seen.len() as f64 * libm::log(sections.len() as f64)
        };
        let heaviest = |a: &&Vec<Section>, b: &&Vec<Section>| weight(a).total_cmp(&weight(b));
        // Samples outside their sections can rule all out: then the constraints are dropped.
        let best = self.hypotheses.iter().filter(allowed).max_by(heaviest);
        best.or_else(|| self.hypotheses.iter().max_by(heaviest)).map_or(1, |sections| sections.len() as u8)
    }
}
