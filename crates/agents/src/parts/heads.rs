//! Actions from numbers: what is sampled while acting, and what it was worth in logarithms while learning.

use heldout_core::Rng;

use crate::nn::{Device, Tensor, log_softmax, pick, tensor};

/// What stands for minus infinity among logits, so that gradients stay numbers.
const NEVER: f32 = -1e9;

/// How a network's last numbers choose an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A choice of each component, independent of one another.
    Components(Vec<usize>),
    /// lilGym's: first what to do, then where, then of what kind.
    Factored(Factored),
}

/// The factors of a lilGym action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factored {
    /// Choices of a place: boxes of a tower, or columns and rows.
    pub places: Vec<usize>,
    /// Choices of a kind: colour, or shape, colour and size.
    pub kinds: Vec<usize>,
}

/// What to do, the first factor of a lilGym action.
const STOP: usize = 0;
const ADD: usize = 1;
const REMOVE: usize = 2;

impl Factored {
    /// Of towers: three boxes, three colours.
    #[must_use]
    pub fn tower() -> Self {
        Self { places: vec![3], kinds: vec![3] }
    }

    /// Of scattered items on a grid of `columns` x `rows`.
    #[must_use]
    pub fn scatter(columns: usize, rows: usize) -> Self {
        Self { places: vec![columns, rows], kinds: vec![3, 3, 3] }
    }

    /// The factors of a space of `n` actions: 13 of a tower, and of a grid with 19 x 5 cells 2,661.
    #[must_use]
    pub fn of(n: usize) -> Option<Self> {
        [Self::tower(), Self::scatter(19, 5)].into_iter().find(|f| f.ids() == n)
    }

    fn cells(&self) -> usize {
        self.places.iter().product()
    }

    /// How many actions there are.
    #[must_use]
    pub fn ids(&self) -> usize {
        1 + self.cells() * (self.kinds.iter().product::<usize>() + 1)
    }

    fn sizes(&self) -> Vec<usize> {
        [vec![3], self.places.clone(), self.kinds.clone()].concat()
    }

    /// The factors of an action; those that it does not have are zero.
    #[must_use]
    pub fn factors(&self, id: usize) -> Vec<usize> {
        let per_cell = self.kinds.iter().product::<usize>();
        let added = self.cells() * per_cell;
        let (what, cell, kind) = match id {
            0 => (STOP, 0, 0),
            i if i <= added => (ADD, (i - 1) / per_cell, (i - 1) % per_cell),
            i => (REMOVE, i - 1 - added, 0),
        };
        [vec![what], digits(cell, &self.places), digits(kind, &self.kinds)].concat()
    }

    /// The action of these factors.
    #[must_use]
    pub fn id(&self, factors: &[usize]) -> usize {
        let (places, kinds) = factors[1..].split_at(self.places.len());
        let number = |digits: &[usize], sizes: &[usize]| digits.iter().zip(sizes).fold(0, |n, (d, size)| n * size + d);
        let per_cell = self.kinds.iter().product::<usize>();
        match factors[0] {
            STOP => 0,
            ADD => 1 + number(places, &self.places) * per_cell + number(kinds, &self.kinds),
            _ => 1 + self.cells() * per_cell + number(places, &self.places),
        }
    }

    /// Whether factor number `factor` says something where `what` is done.
    fn used(&self, factor: usize, what: usize) -> bool {
        factor == 0 || what == ADD || (what == REMOVE && factor <= self.places.len())
    }
}

/// `number` in a system of these digits, the first the most significant.
fn digits(mut number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut found = vec![0; sizes.len()];
    for (digit, size) in found.iter_mut().zip(sizes).rev() {
        (*digit, number) = (number % size, number / size);
    }
    found
}

/// What an action was chosen by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// The logarithm of its probability.
    pub log_prob: f32,
    /// That of the first action of all, which stops a lilGym episode.
    pub log_first: f32,
}

impl Head {
    /// The sizes of the choices, one after the other among the logits.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        match self {
            Self::Components(sizes) => sizes.clone(),
            Self::Factored(factored) => factored.sizes(),
        }
    }

    /// How many logits there are.
    #[must_use]
    pub fn logits(&self) -> usize {
        self.sizes().iter().sum()
    }

    /// Chooses by one row's `logits`, at random or the likeliest; writes the action.
    pub fn choose(&self, logits: &[f32], legal: Option<&[bool]>, rng: Option<&mut Rng>, action: &mut [i32]) -> Chosen {
        let sizes = self.sizes();
        let mut rng = rng;
        let (mut choices, mut logs, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        let mut begin = 0;
        for &size in &sizes {
            let legal = legal.map(|legal| &legal[begin..begin + size]);
            let log_p = log_shares(&logits[begin..begin + size], legal);
            let choice = match rng.as_deref_mut() {
                None => greatest(&log_p),
                Some(rng) => rng.weighted(&log_p.iter().map(|l| libm::exp(f64::from(*l))).collect::<Vec<_>>()),
            };
            choices.push(choice);
            logs.push(log_p[choice]);
            firsts.push(log_p[0]);
            begin += size;
        }
        match self {
            Self::Components(_) => {
                action.iter_mut().zip(&choices).for_each(|(a, &c)| *a = c as i32);
                Chosen { log_prob: logs.iter().sum(), log_first: firsts.iter().sum() }
            }
            Self::Factored(factored) => {
                action[0] = factored.id(&choices) as i32;
                let used = logs.iter().enumerate().filter(|(f, _)| factored.used(*f, choices[0]));
                Chosen { log_prob: used.map(|(_, l)| l).sum(), log_first: firsts[0] }
            }
        }
    }

    /// Logarithms of the probabilities of `actions`, and the entropies, of rows of `logits`.
    ///
    /// # Panics
    ///
    /// If the sizes do not fit.
    #[must_use]
    pub fn evaluate(&self, logits: &Tensor<2>, legal: &[bool], actions: &[i32], device: &Device) -> [Tensor<1>; 2] {
        let [rows, _] = logits.dims();
        let width = actions.len() / rows;
        let chosen: Vec<Vec<usize>> = actions
            .chunks_exact(width)
            .map(|action| match self {
                Self::Components(_) => action.iter().map(|&a| a as usize).collect(),
                Self::Factored(factored) => factored.factors(action[0] as usize),
            })
            .collect();
        let masked = if legal.is_empty() {
            logits.clone()
        } else {
            let open = legal.iter().map(|&b| f32::from(u8::from(b))).collect::<Vec<_>>();
            let shut = legal.iter().map(|&b| if b { 0.0 } else { NEVER }).collect::<Vec<_>>();
            let dims = logits.dims();
            logits.clone() * tensor(open, dims, device) + tensor(shut, dims, device)
        };
        let mut log_prob: Option<Tensor<1>> = None;
        let mut entropy: Option<Tensor<1>> = None;
        let mut what: Option<Tensor<2>> = None;
        let mut begin = 0;
        for (f, size) in self.sizes().into_iter().enumerate() {
            let log_p = log_softmax(masked.clone().slice([0..rows, begin..begin + size]));
            begin += size;
            let p = log_p.clone().exp();
            let mut own = pick(log_p.clone(), chosen.iter().map(|c| c[f] as i64).collect(), device);
            // What cannot be done has probability 0 exactly, times a finite logarithm.
            let mut spread: Tensor<1> = (p.clone() * log_p).sum_dim(1).reshape([rows]) * -1.0;
            if let (Self::Factored(factored), true) = (self, f > 0) {
                let used = chosen.iter().map(|c| f32::from(u8::from(factored.used(f, c[0])))).collect();
                own = own * tensor(used, [rows], device);
                let doing: Vec<usize> = [ADD, REMOVE].into_iter().filter(|&w| factored.used(f, w)).collect();
                let what = what.clone().expect("the first factor comes first");
                let share = doing.into_iter().map(|w| what.clone().slice([0..rows, w..w + 1]).reshape([rows]));
                let share = share.reduce(|a: Tensor<1>, b| a + b).expect("it is used somewhere");
                spread = spread * share;
            }
            if f == 0 {
                what = Some(p);
            }
            log_prob = Some(log_prob.map_or(own.clone(), |sum| sum + own));
            entropy = Some(entropy.map_or(spread.clone(), |sum| sum + spread));
        }
        [log_prob.expect("an action has a component"), entropy.expect("an action has a component")]
    }
}

/// Logarithms of the shares of `exp`, of what is legal.
fn log_shares(logits: &[f32], legal: Option<&[bool]>) -> Vec<f32> {
    let open = |i: usize| legal.is_none_or(|legal| legal[i]);
    let own: Vec<f64> = logits.iter().enumerate().map(|(i, &l)| f64::from(if open(i) { l } else { NEVER })).collect();
    let most = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = libm::log(own.iter().map(|l| libm::exp(l - most)).sum::<f64>()) + most;
    own.iter().map(|l| (l - sum) as f32).collect()
}

/// The first of the greatest.
fn greatest(numbers: &[f32]) -> usize {
    (1..numbers.len()).fold(0, |best, i| if numbers[i] > numbers[best] { i } else { best })
}
