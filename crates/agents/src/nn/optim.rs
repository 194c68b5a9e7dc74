//! Optimisers, on plain numbers in the order of the list.

use serde::{Deserialize, Serialize};

use super::{Gradients, Params};

/// Running means that an optimiser keeps of each parameter, in the order of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// Means of gradients; empty where the optimiser keeps none.
    pub first: Vec<Vec<f32>>,
    /// Means of their squares.
    pub second: Vec<Vec<f32>>,
    /// Steps taken.
    pub steps: u64,
}

/// What turns gradients into other parameters.
pub trait Optimiser {
    /// Takes one step of learning rate `lr`.
    fn step(&mut self, params: &mut Params, gradients: &Gradients, lr: f64);

    /// What it remembers.
    fn moments(&self) -> &Moments;

    /// Goes on from there.
    fn set_moments(&mut self, moments: Moments);
}

/// The global norm of `gradients`, which are scaled down to `most` if it is greater.
pub fn clip(gradients: &mut Gradients, most: f64) -> f64 {
    let squares: f64 = gradients.0.iter().flatten().map(|&g| f64::from(g) * f64::from(g)).sum();
    let norm = squares.sqrt();
    if norm > most {
        let scale = (most / norm) as f32;
        gradients.0.iter_mut().flatten().for_each(|g| *g *= scale);
    }
    norm
}

fn zeros(params: &Params) -> Vec<Vec<f32>> {
    params.entries().iter().map(|p| vec![0.0; p.len()]).collect()
}

/// Adam as `PyTorch` has it, with the decoupled decay of `AdamW` where `decay` is not zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adam {
    beta: [f64; 2],
    epsilon: f64,
    decay: f64,
    rates: Vec<f64>,
    #[serde(skip)]
    moments: Moments,
}

/// Learning rates of each parameter that are all the same.
fn alike(params: &Params) -> Vec<f64> {
    vec![1.0; params.entries().len()]
}

impl Adam {
    /// Means over some 10 and 1,000 steps; `epsilon` is added to the root.
    #[must_use]
    pub fn new(params: &Params, epsilon: f64) -> Self {
        let moments = Moments { first: zeros(params), second: zeros(params), steps: 0 };
        Self { beta: [0.9, 0.999], epsilon, decay: 0.0, rates: alike(params), moments }
    }

    /// The same with a learning rate that is multiplied by a number of each parameter's own.
    #[must_use]
    pub fn with_rates(self, rates: Vec<f64>) -> Self {
        Self { rates, ..self }
    }

    /// The same with parameters that shrink by the share `decay` of the learning rate at every step.
    #[must_use]
    pub fn with_decay(self, decay: f64) -> Self {
        Self { decay, ..self }
    }
}

impl Optimiser for Adam {
    fn step(&mut self, params: &mut Params, gradients: &Gradients, lr: f64) {
        self.moments.steps += 1;
        let [b1, b2] = self.beta;
        let steps = self.moments.steps as f64;
        let (unbias1, unbias2) = (1.0 - libm::pow(b1, steps), 1.0 - libm::pow(b2, steps));
        let (b1, b2) = (b1 as f32, b2 as f32);
        let (root, epsilon) = (unbias2.sqrt() as f32, self.epsilon as f32);
        for (i, gradient) in gradients.0.iter().enumerate() {
            let lr = lr * self.rates[i];
            let (rate, keep) = ((lr / unbias1) as f32, (1.0 - lr * self.decay) as f32);
            let mut numbers = params.entries()[i].values();
            let moments = self.moments.first[i].iter_mut().zip(&mut self.moments.second[i]);
            for ((x, g), (m, v)) in numbers.iter_mut().zip(gradient).zip(moments) {
                *m = b1 * *m + (1.0 - b1) * g;
                *v = b2 * *v + (1.0 - b2) * g * g;
                *x = *x * keep - rate * *m / (v.sqrt() / root + epsilon);
            }
            params.set(i, numbers);
        }
    }

    fn moments(&self) -> &Moments {
        &self.moments
    }

    fn set_moments(&mut self, moments: Moments) {
        self.moments = moments;
    }
}

/// `RMSProp` as `TensorFlow` 1 has it: the mean of squares begins at 1, and `epsilon` is added below the root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RmsProp {
    decay: f64,
    epsilon: f64,
    rates: Vec<f64>,
    #[serde(skip)]
    moments: Moments,
}

impl RmsProp {
    /// Means over some 100 steps.
    #[must_use]
    pub fn new(params: &Params, epsilon: f64) -> Self {
        let second = params.entries().iter().map(|p| vec![1.0; p.len()]).collect();
        Self { decay: 0.99, epsilon, rates: alike(params), moments: Moments { first: Vec::new(), second, steps: 0 } }
    }

    /// The same with a learning rate that is multiplied by a number of each parameter's own.
    #[must_use]
    pub fn with_rates(self, rates: Vec<f64>) -> Self {
        Self { rates, ..self }
    }
}

impl Optimiser for RmsProp {
    fn step(&mut self, params: &mut Params, gradients: &Gradients, lr: f64) {
        self.moments.steps += 1;
        let (decay, epsilon) = (self.decay as f32, self.epsilon as f32);
        for (i, gradient) in gradients.0.iter().enumerate() {
            let lr = (lr * self.rates[i]) as f32;
            let mut numbers = params.entries()[i].values();
            for ((x, g), s) in numbers.iter_mut().zip(gradient).zip(&mut self.moments.second[i]) {
                *s = decay * *s + (1.0 - decay) * g * g;
                *x -= lr * g / (*s + epsilon).sqrt();
            }
            params.set(i, numbers);
        }
    }

    fn moments(&self) -> &Moments {
        &self.moments
    }

    fn set_moments(&mut self, moments: Moments) {
        self.moments = moments;
    }
}
