//! How compositional a language is, and how disentangled stimuli are: pure functions on arrays.
//!
//! Tables are row-major: `meanings` and `factors` hold one integer per dimension, `messages` one token per position,
//! `codes` one number per dimension. A score that nothing defines (a constant language, a constant factor) is `None`.

use heldout_core::{Rng, Seed, Stop};

use crate::space::{Meaning, Space, SpaceRules, Structure};
use crate::speaker::{SpeakerRule, Tongue};

/// Bins of a code (the paper's evaluation, after `disentanglement_lib`).
const BINS: usize = 20;
/// Points of a vote of the `FactorVAE` score.
const VOTE: u32 = 64;
/// Votes that train its majority classifier, and votes that test it.
const VOTES: (usize, usize) = (1000, 500);

/// A table: rows of a fixed width.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    cells: &'a [T],
    width: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// `cells` as rows of `width`.
    ///
    /// # Panics
    ///
    /// If `width` is zero or does not divide the number of cells.
    #[must_use]
    pub fn new(cells: &'a [T], width: usize) -> Self {
        assert!(width > 0 && cells.len().is_multiple_of(width), "{} cells are not rows of {width}", cells.len());
        Self { cells, width }
    }

    fn len(&self) -> usize {
        self.cells.len() / self.width
    }

    fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn row(&self, index: usize) -> &'a [T] {
        &self.cells[index * self.width..(index + 1) * self.width]
    }

    fn column(&self, index: usize) -> impl Iterator<Item = &'a T> {
        self.cells[index..].iter().step_by(self.width)
    }
}

/// How compositional a language is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compositionality {
    /// Topographic similarity.
    pub topsim: Option<f64>,
    /// Positional disentanglement.
    pub posdis: Option<f64>,
    /// Disentanglement of bags of symbols.
    pub bosdis: Option<f64>,
}

/// Every score of a language with `vocabulary` tokens beside the end of sentence.
///
/// # Panics
///
/// If the tables differ in length.
#[must_use]
pub fn compositionality(meanings: Matrix<'_, u32>, messages: Matrix<'_, u32>, vocabulary: u32) -> Compositionality {
    compositionality_until(meanings, messages, vocabulary, &|| false)
}

/// The same, of which nothing is right once `stop` says that it is not waited for.
///
/// # Panics
///
/// If the tables differ in length.
#[must_use]
pub fn compositionality_until(
    meanings: Matrix<'_, u32>,
    messages: Matrix<'_, u32>,
    vocabulary: u32,
    stop: Stop<'_>,
) -> Compositionality {
    Compositionality {
        topsim: topsim(meanings, messages, stop),
        posdis: posdis(meanings, messages),
        bosdis: bosdis(meanings, messages, vocabulary, stop),
    }
}

/// How compositional the language is that `rule` speaks of `structure`.
pub(crate) fn spoken(rule: SpeakerRule, structure: &Structure, tongue: &Tongue, seed: Seed) -> Compositionality {
    let (meanings, messages) = language(rule, structure, tongue, seed);
    let (meanings, messages) = (Matrix::new(&meanings, structure.dims()), Matrix::new(&messages, tongue.length));
    compositionality(meanings, messages, tongue.vocabulary)
}

/// Spearman's correlation, over all pairs, of the number of values in which meanings differ with the edit distance of
/// their messages.
pub(crate) fn topsim(meanings: Matrix<'_, u32>, messages: Matrix<'_, u32>, stop: Stop<'_>) -> Option<f64> {
    let n = same_length(meanings.len(), messages.len());
    // Both distances are small integers: pairs are counted, and ranks follow from the counts.
    let (rows, columns) = (meanings.width + 1, messages.width + 1);
    let mut counts = vec![0_u64; rows * columns];
    let mut edit = EditDistance::default();
    for i in (0..n).take_while(|_| !stop()) {
        for j in 0..i {
            let differing = meanings.row(i).iter().zip(meanings.row(j)).filter(|(a, b)| a != b).count();
            counts[differing * columns + edit.between(messages.row(i), messages.row(j))] += 1;
        }
    }
    let row_sums: Vec<u64> = counts.chunks_exact(columns).map(|c| c.iter().sum()).collect();
    let column_sums: Vec<u64> = (0..columns).map(|c| counts.iter().skip(c).step_by(columns).sum()).collect();
    let (row_ranks, column_ranks) = (ranks(&row_sums), ranks(&column_sums));
    let pairs = row_sums.iter().sum::<u64>() as f64;
    let mean = (pairs - 1.0) / 2.0;
    let (mut product, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    for (i, &count) in counts.iter().enumerate() {
        let (a, b) = (row_ranks[i / columns] - mean, column_ranks[i % columns] - mean);
        product += count as f64 * a * b;
        square_a += count as f64 * a * a;
        square_b += count as f64 * b * b;
    }
    (square_a > 0.0 && square_b > 0.0).then(|| product / (square_a * square_b).sqrt())
}

fn same_length(a: usize, b: usize) -> usize {
    assert!(a == b, "there are {a} meanings and {b} messages");
    a
}

/// The mean rank, from zero, of each of the values that occur `counts` times.
fn ranks(counts: &[u64]) -> Vec<f64> {
    let mut before = 0;
    counts
        .iter()
        .map(|&count| {
            let rank = before as f64 + (count as f64 - 1.0) / 2.0;
            before += count;
            rank
        })
        .collect()
}

/// Levenshtein's distance, with its line of memory.
#[derive(Default)]
struct EditDistance(Vec<usize>);

impl EditDistance {
    fn between(&mut self, a: &[u32], b: &[u32]) -> usize {
        self.0.clear();
        self.0.extend(0..=b.len());
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = i;
            self.0[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let substituted = diagonal + usize::from(x != y);
                diagonal = self.0[j + 1];
                self.0[j + 1] = substituted.min(diagonal + 1).min(self.0[j] + 1);
            }
        }
        self.0[b.len()]
    }
}

/// How much more each position says of one attribute than of any other, over what it says at all (Chaabouni et al. 2020).
pub(crate) fn posdis(meanings: Matrix<'_, u32>, messages: Matrix<'_, u32>) -> Option<f64> {
    same_length(meanings.len(), messages.len());
    let positions = (0..messages.width).map(|j| messages.column(j).copied().collect());
    gap(meanings, positions)
}

/// The same of how often each of the tokens `1..=vocabulary` occurs, wherever it stands.
pub(crate) fn bosdis(
    meanings: Matrix<'_, u32>,
    messages: Matrix<'_, u32>,
    vocabulary: u32,
    stop: Stop<'_>,
) -> Option<f64> {
    let n = same_length(meanings.len(), messages.len());
    let count = |i: usize, token| messages.row(i).iter().filter(|&&t| t == token).count() as u32;
    // A token that never occurs says nothing: only those that do are looked at.
    let mut said: Vec<u32> = messages.cells.iter().copied().filter(|t| (1..=vocabulary).contains(t)).collect();
    said.sort_unstable();
    said.dedup();
    gap(meanings, said.into_iter().take_while(|_| !stop()).map(|token| (0..n).map(|i| count(i, token)).collect()))
}

/// Mean over the columns that vary of the gap between the two attributes they say most about, over their entropy.
fn gap(meanings: Matrix<'_, u32>, columns: impl Iterator<Item = Vec<u32>>) -> Option<f64> {
    let attributes: Vec<Vec<u32>> = (0..meanings.width).map(|a| meanings.column(a).copied().collect()).collect();
    let (mut sum, mut count) = (0.0, 0);
    for column in columns {
        let entropy = entropy(&column);
        if entropy > 0.0 {
            let information: Vec<f64> = attributes.iter().map(|a| mutual_information(a, &column)).collect();
            let (first, second) = two_largest(&information);
            sum += (first - second) / entropy;
            count += 1;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// The two largest of `values`; zero where there are fewer.
fn two_largest(values: &[f64]) -> (f64, f64) {
    values.iter().fold((0.0, 0.0), |(first, second), &x| if x > first { (x, first) } else { (first, second.max(x)) })
}

/// Entropy in bits.
pub(crate) fn entropy(column: &[u32]) -> f64 {
    let n = column.len() as f64;
    let counts = tally(column.iter().map(|&x| (x, 0)));
    -counts.iter().map(|&c| c / n).map(|p| p * libm::log2(p)).sum::<f64>() + 0.0
}

/// Mutual information in bits of two columns of the same length.
pub(crate) fn mutual_information(a: &[u32], b: &[u32]) -> f64 {
    let joint = tally(a.iter().zip(b).map(|(&a, &b)| (a, b)));
    let n = a.len() as f64;
    let together = -joint.iter().map(|&c| c / n).map(|p| p * libm::log2(p)).sum::<f64>();
    (entropy(a) + entropy(b) - together).max(0.0)
}

/// How often each pair occurs, in the order of the pairs.
fn tally(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<f64> {
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    pairs.chunk_by(|a, b| a == b).map(|chunk| chunk.len() as f64).collect()
}

/// What `rule` says of every meaning of `structure`, as tables of meanings and messages.
pub(crate) fn language(rule: SpeakerRule, structure: &Structure, tongue: &Tongue, seed: Seed) -> (Vec<u32>, Vec<u32>) {
    let mut rng = seed.stream("language").rng();
    let (mut meanings, mut messages) = (Vec::new(), Vec::new());
    for meaning in structure.all() {
        meanings.extend(values(structure, meaning));
        let said = tongue.utter(rule, structure, meaning, seed, &mut rng);
        messages.extend(said[..tongue.length].iter().map(|&t| u32::from(t)));
    }
    (meanings, messages)
}

/// The values of `meaning`, one per dimension.
pub(crate) fn values(structure: &Structure, meaning: Meaning) -> impl Iterator<Item = u32> {
    (0..structure.dims()).map(move |i| u32::from(meaning.value(i)))
}

/// How disentangled codes are, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Disentanglement {
    /// `FactorVAE` score.
    pub(crate) factor_vae: f64,
    /// Mutual information gap.
    pub(crate) mig: f64,
    /// Modularity.
    pub(crate) modularity: f64,
}

/// How the points are drawn that disentanglement is estimated on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sampling {
    /// Every stimulus of the space once.
    #[default]
    FullFactorial,
    /// `points` stimuli in batches of `batch`, each with one random factor held constant and all in one look: what
    /// reproduces the paper's numbers.
    FixedFactorBatches {
        /// Stimuli in all.
        points: u32,
        /// Stimuli of a batch.
        batch: u32,
    },
}

/// Scores of the stimuli of `space` under `protocol`.
pub(crate) fn disentanglement(space: &Space, rules: &SpaceRules, protocol: Sampling, seed: Seed) -> Disentanglement {
    let mut sampler = Points { space, rules, rng: seed.stream("disentanglement").rng() };
    let (factors, codes) = match protocol {
        Sampling::FullFactorial => sampler.all(),
        Sampling::FixedFactorBatches { points, batch } => sampler.batches(points, batch),
    };
    let (factors, codes) = (Matrix::new(&factors, rules.dims), Matrix::new(&codes, rules.width()));
    let variances = variances(codes);
    Disentanglement {
        factor_vae: sampler.factor_vae(&variances),
        mig: mig(factors, codes).unwrap_or(0.0),
        modularity: modularity(factors, codes).unwrap_or(0.0),
    }
}

/// Draws points of a space.
struct Points<'a> {
    space: &'a Space,
    rules: &'a SpaceRules,
    rng: Rng,
}

impl Points<'_> {
    fn push(&self, meaning: Meaning, sample: u8, factors: &mut Vec<u32>, codes: &mut Vec<f32>) {
        factors.extend(values(self.space.structure(), meaning));
        let at = codes.len();
        codes.resize(at + self.rules.width(), 0.0);
        self.space.show(self.rules, meaning, sample, &mut codes[at..]);
    }

    fn all(&self) -> (Vec<u32>, Vec<f32>) {
        let (mut factors, mut codes) = (Vec::new(), Vec::new());
        for meaning in self.space.structure().all() {
            for sample in 0..self.rules.samples {
                self.push(meaning, sample as u8, &mut factors, &mut codes);
            }
        }
        (factors, codes)
    }

    fn batches(&mut self, points: u32, batch: u32) -> (Vec<u32>, Vec<f32>) {
        let (mut factors, mut codes) = (Vec::new(), Vec::new());
        for i in (0..points).step_by(batch.max(1) as usize) {
            let factor = self.rng.below(self.rules.dims as u32) as usize;
            let (own_factors, own_codes) = self.batch(factor, batch.min(points - i), true);
            factors.extend(own_factors);
            codes.extend(own_codes);
        }
        (factors, codes)
    }

    /// `count` random stimuli that share one random value of `factor`, and with `one_look` their look.
    fn batch(&mut self, factor: usize, count: u32, one_look: bool) -> (Vec<u32>, Vec<f32>) {
        let (mut factors, mut codes) = (Vec::new(), Vec::new());
        let structure = *self.space.structure();
        let fixed = self.rng.below(u32::from(structure.values(factor))) as u8;
        let mut sample = self.rng.below(self.rules.samples) as u8;
        for _ in 0..count {
            let meaning = structure.meaning(self.rng.below(structure.meanings())).with(factor, fixed);
            if !one_look {
                sample = self.rng.below(self.rules.samples) as u8;
            }
            self.push(meaning, sample, &mut factors, &mut codes);
        }
        (factors, codes)
    }

    /// Accuracy of a majority vote: the code that varies least, relative to its variance at large, names the factor that
    /// was held constant (Kim and Mnih 2018).
    fn factor_vae(&mut self, variances: &[f64]) -> f64 {
        let codes = self.rules.width();
        let mut votes = vec![0_u32; codes * self.rules.dims];
        for _ in 0..VOTES.0 {
            let (code, factor) = self.vote(variances);
            votes[code * self.rules.dims + factor] += 1;
        }
        // The first of equals, as an argmax takes it.
        let winner = |row: &[u32]| (0..row.len()).rev().max_by_key(|&k| row[k]).unwrap_or(0);
        let named: Vec<usize> = votes.chunks_exact(self.rules.dims).map(winner).collect();
        let right = (0..VOTES.1).filter(|_| {
            let (code, factor) = self.vote(variances);
            named[code] == factor
        });
        right.count() as f64 / VOTES.1 as f64
    }

    fn vote(&mut self, global: &[f64]) -> (usize, usize) {
        let factor = self.rng.below(self.rules.dims as u32) as usize;
        let (_, codes) = self.batch(factor, VOTE, false);
        let local = variances(Matrix::new(&codes, self.rules.width()));
        let ratio = |j: usize| if global[j] > 0.0 { local[j] / global[j] } else { f64::INFINITY };
        let code = (0..local.len()).min_by(|&a, &b| ratio(a).total_cmp(&ratio(b))).unwrap_or(0);
        (code, factor)
    }
}

/// Variance of each column.
fn variances(codes: Matrix<'_, f32>) -> Vec<f64> {
    let n = codes.len() as f64;
    let variance = |j: usize| {
        let mean = codes.column(j).map(|&x| f64::from(x)).sum::<f64>() / n;
        codes.column(j).map(|&x| f64::from(x) - mean).map(|d| d * d).sum::<f64>() / n
    };
    (0..codes.width).map(variance).collect()
}

/// Every column in [`BINS`] bins of equal width between its least and its greatest number.
fn binned(codes: Matrix<'_, f32>) -> Vec<Vec<u32>> {
    (0..codes.width)
        .map(|j| {
            let low = codes.column(j).copied().fold(f32::INFINITY, f32::min);
            let high = codes.column(j).copied().fold(f32::NEG_INFINITY, f32::max);
            let width = f64::from(high - low) / BINS as f64;
            let bin = |x: f32| if width > 0.0 { (f64::from(x - low) / width) as u32 } else { 0 };
            codes.column(j).map(|&x| bin(x).min(BINS as u32 - 1)).collect()
        })
        .collect()
}

/// Mutual information of every code (rows) with every factor (columns).
fn information(factors: Matrix<'_, u32>, codes: Matrix<'_, f32>) -> (Vec<Vec<u32>>, Vec<Vec<f64>>) {
    same_length(factors.len(), codes.len());
    let factors: Vec<Vec<u32>> = (0..factors.width).map(|k| factors.column(k).copied().collect()).collect();
    let table =
        binned(codes).iter().map(|code| factors.iter().map(|f| mutual_information(f, code)).collect()).collect();
    (factors, table)
}

/// Mutual information gap (Chen et al. 2018): for each factor how much more one code says of it than any other, over
/// what there is to say; zero for a constant factor.
pub(crate) fn mig(factors: Matrix<'_, u32>, codes: Matrix<'_, f32>) -> Option<f64> {
    let (columns, table) = information(factors, codes);
    if factors.is_empty() {
        return None;
    }
    let gap = |(k, factor): (usize, &Vec<u32>)| {
        let (first, second) = two_largest(&table.iter().map(|row| row[k]).collect::<Vec<_>>());
        let entropy = entropy(factor);
        if entropy > 0.0 { (first - second) / entropy } else { 0.0 }
    };
    Some(columns.iter().enumerate().map(gap).sum::<f64>() / columns.len() as f64)
}

/// Modularity (Ridgeway and Mozer 2018): how far each code speaks of one factor alone; zero for a dead code.
pub(crate) fn modularity(factors: Matrix<'_, u32>, codes: Matrix<'_, f32>) -> Option<f64> {
    let (columns, table) = information(factors, codes);
    if factors.is_empty() || columns.len() < 2 {
        return None;
    }
    let score = |row: &Vec<f64>| {
        let most = row.iter().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return 0.0;
        }
        let squares: f64 = row.iter().map(|x| x * x).sum();
        1.0 - (squares - most * most) / (most * most * (columns.len() as f64 - 1.0))
    };
    Some(table.iter().map(score).sum::<f64>() / table.len() as f64)
}
