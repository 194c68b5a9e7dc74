//! Drawing what surprised more often (Schaul et al. 2016; Horgan et al. 2018).

use heldout_core::Rng;

/// Children of a node.
const ARITY: usize = 8;

/// Weights of some places, their sums, and draws by them.
#[derive(Clone, Debug, PartialEq)]
pub struct SumTree {
    /// The root first, then its children and so on; the weights are the last level.
    levels: Vec<Vec<f64>>,
}

impl SumTree {
    /// So many places of weight 0.
    #[must_use]
    pub fn new(places: usize) -> Self {
        let mut levels = vec![vec![0.0; places.max(1)]];
        while levels[0].len() > 1 {
            let above = levels[0].len().div_ceil(ARITY);
            levels.insert(0, vec![0.0; above]);
        }
        Self { levels }
    }

    /// The weight of a place.
    #[must_use]
    pub fn get(&self, place: usize) -> f64 {
        self.levels[self.levels.len() - 1][place]
    }

    /// All weights.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.levels[self.levels.len() - 1]
    }

    /// Their sum.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.levels[0][0]
    }

    /// Gives a place another weight. Sums are made anew from below, so that they do not depend on what was there before.
    pub fn set(&mut self, place: usize, weight: f64) {
        let last = self.levels.len() - 1;
        self.levels[last][place] = weight;
        let mut at = place;
        for level in (0..last).rev() {
            at /= ARITY;
            let below = &self.levels[level + 1];
            let own = &below[at * ARITY..((at + 1) * ARITY).min(below.len())];
            self.levels[level][at] = own.iter().sum();
        }
    }

    /// The place at which the weights before it and its own first exceed `point`.
    #[must_use]
    pub fn find(&self, point: f64) -> usize {
        let mut left = point;
        let mut at = 0;
        for below in &self.levels[1..] {
            let own = at * ARITY..((at + 1) * ARITY).min(below.len());
            at = own.end - 1;
            for child in own.clone() {
                if left < below[child] {
                    at = child;
                    break;
                }
                left -= below[child];
            }
            // Rounding may carry the point past the end: back to what has a weight.
            while at > own.start && below[at] <= 0.0 {
                at -= 1;
            }
        }
        at
    }

    /// `count` places, one of each equal part of the sum.
    pub fn draw(&self, count: usize, rng: &mut Rng) -> Vec<usize> {
        let part = self.total() / count as f64;
        (0..count).map(|i| self.find((i as f64 + rng.unit()) * part)).collect()
    }
}

/// How often a sequence is drawn: its weight from its priority.
#[must_use]
pub fn weight(priority: f64, exponent: f64) -> f64 {
    libm::pow(priority, exponent)
}

/// What draws of these places count, as the rarer count more: at most 1.
#[must_use]
pub fn importance(tree: &SumTree, places: &[usize], stored: usize, exponent: f64) -> Vec<f32> {
    let of = |&place: &usize| libm::pow(stored as f64 * tree.get(place) / tree.total(), -exponent);
    let all: Vec<f64> = places.iter().map(of).collect();
    let most = all.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    all.into_iter().map(|w| (w / most) as f32).collect()
}

/// The priority of a sequence: the largest of its surprises, and a little of their mean.
#[must_use]
pub fn of_surprises(surprises: &[f32]) -> f64 {
    let all = surprises.iter().map(|d| f64::from(d.abs()));
    let most = all.clone().fold(0.0, f64::max);
    0.9 * most + 0.1 * all.sum::<f64>() / surprises.len().max(1) as f64
}

/// How often copy `copy` of `copies` does anything at all: the first `explore`, the last that to the power of 1 and `power` more.
#[must_use]
pub fn exploration(copy: usize, copies: usize, explore: f64, power: f64) -> f64 {
    let share = if copies > 1 { copy as f64 / (copies - 1) as f64 } else { 0.0 };
    libm::pow(explore, 1.0 + power * share)
}
