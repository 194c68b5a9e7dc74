//! What the episodes of training were like.

use std::collections::VecDeque;

use heldout_core::{Scope, Spec};
use serde::{Deserialize, Serialize};

/// Means over episodes that have ended: since they were last asked for, and over the last few.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    names: Vec<String>,
    places: Vec<usize>,
    sums: Vec<f64>,
    counts: Vec<u64>,
    recent: Vec<VecDeque<f32>>,
    window: usize,
}

impl Stats {
    /// Of a batch's metrics, with moving means over `window` episodes.
    #[must_use]
    pub fn new(spec: &Spec, window: usize) -> Self {
        let told = spec.metrics.iter().enumerate().filter(|(_, m)| m.scope == Scope::Episode);
        let (places, names): (Vec<_>, Vec<_>) = told.map(|(i, m)| (i, m.name.clone())).unzip();
        let n = names.len();
        Self { names, places, sums: vec![0.0; n], counts: vec![0; n], recent: vec![VecDeque::new(); n], window }
    }

    /// Takes note of an ended episode's metrics.
    pub fn ended(&mut self, metrics: &[f32]) {
        for (i, &place) in self.places.iter().enumerate() {
            let value = metrics[place];
            if value.is_finite() {
                self.sums[i] += f64::from(value);
                self.counts[i] += 1;
                self.recent[i].push_back(value);
                if self.recent[i].len() > self.window {
                    self.recent[i].pop_front();
                }
            }
        }
    }

    /// The means since the last call, by name; without those that no episode told.
    pub fn take(&mut self) -> Vec<(String, f64)> {
        let all = self.names.iter().zip(&self.sums).zip(&self.counts);
        let means = all.filter(|(_, n)| **n > 0).map(|((name, sum), &n)| (name.clone(), sum / n as f64)).collect();
        self.sums.fill(0.0);
        self.counts.fill(0);
        means
    }

    /// The mean of a metric over the last episodes, once there are as many as the window holds.
    #[must_use]
    pub fn moving(&self, name: &str) -> Option<f64> {
        let recent = &self.recent[self.names.iter().position(|n| n == name)?];
        let full = recent.len() == self.window;
        full.then(|| recent.iter().map(|&x| f64::from(x)).sum::<f64>() / recent.len() as f64)
    }

    /// The names of all metrics.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
