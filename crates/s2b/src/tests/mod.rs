//! What the tests of the S2B family share: first episodes of many copies, and starts by number.

mod actions;
mod amendments;
mod commands;
mod cost;
mod forged;
mod kind;
mod listeners;
mod metrics;
mod pools;
mod recall;
mod reference;
mod rules;
mod samplers;
mod space;
mod words;

use crate::game::Pair;
use crate::games::Games;
use crate::space::Meaning;
use heldout_core::{Buffers, Environment, Options, Reset, Seed, Start, VecEnv};
use serde_json::Value;

/// The two environments of games.
pub(crate) type Listener = Games<crate::listener::Listener>;
pub(crate) type Game = Games<Pair>;

/// Episodes of a statistic: the acceptance checks ask for 500 at least.
pub(crate) const EPISODES: usize = 500;

/// The meaning with these values.
pub(crate) fn meaning(values: &[u8]) -> Meaning {
    values.iter().enumerate().fold(Meaning::default(), |meaning, (dim, &value)| meaning.with(dim, value))
}

/// Where episode `index` of a test begins.
pub(crate) fn start(index: u64) -> Start {
    let copy = Seed(20_240).derive(index);
    Start { seed: copy.derive(0), copy, episode: 0, problem: None }
}

/// The rules of `E` under overrides written as JSON.
pub(crate) fn rules<E: Environment<Variant = ()>>(overrides: Value) -> E {
    E::new(&serde_json::from_value(overrides).unwrap(), ()).unwrap()
}

/// States at the start of `count` episodes.
pub(crate) fn states<E: Environment<Variant = ()>>(rules: &E, count: usize) -> impl Iterator<Item = E::State> {
    (0..count as u64).map(|i| rules.start(start(i)))
}

/// `len` copies of `id` under overrides written as JSON.
pub(crate) fn batch(id: &str, overrides: &Value, len: usize) -> (Box<dyn VecEnv>, Buffers) {
    let Value::Object(overrides) = overrides else { panic!("overrides are an object") };
    let env = find(id).unwrap().make(overrides, len, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let buffers = Buffers::new(env.spec(), len);
    (env, buffers)
}

/// Metrics of the first episode of every copy.
pub(crate) struct Played {
    names: Vec<String>,
    episodes: Vec<Vec<f32>>,
}

impl Played {
    pub(crate) fn all(&self, metric: &str) -> impl Iterator<Item = f64> + '_ {
        let at = self.names.iter().position(|n| n == metric).unwrap_or_else(|| panic!("there is no `{metric}`"));
        self.episodes.iter().map(move |e| f64::from(e[at]))
    }

    pub(crate) fn sum(&self, metric: &str) -> f64 {
        self.all(metric).sum()
    }

    pub(crate) fn mean(&self, metric: &str) -> f64 {
        self.sum(metric) / self.episodes.len() as f64
    }

    /// Share of `part` in `whole`, over all episodes together.
    pub(crate) fn share(&self, part: &str, whole: &str) -> f64 {
        self.sum(part) / self.sum(whole)
    }

    /// Mean of `metric` over episodes, weighed by `games`.
    pub(crate) fn weighed(&self, metric: &str, games: &str) -> f64 {
        self.all(metric).zip(self.all(games)).map(|(value, games)| value * games).sum::<f64>() / self.sum(games)
    }

    pub(crate) fn zsct(&self) -> f64 {
        self.share("query_correct", "query_games")
    }

    pub(crate) fn support(&self) -> f64 {
        self.share("support_correct", "support_games")
    }
}

/// Plays one episode in each of `copies` copies; `policies` names one per agent.
pub(crate) fn play(id: &str, overrides: &Value, policies: &[&str], copies: usize) -> Played {
    let (mut env, mut buffers) = batch(id, overrides, copies);
    for (agent, policy) in policies.iter().enumerate() {
        env.seat(agent, policy, Seed(3)).unwrap();
    }
    env.reset(Reset::seed(Seed(11)), buffers.output()).unwrap();
    let mut actions = vec![0; copies * env.spec().action_width()];
    let mut episodes = vec![None; copies];
    let width = env.spec().metrics.len();
    while episodes.iter().any(Option::is_none) {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        for (i, episode) in episodes.iter_mut().enumerate() {
            if episode.is_none() && buffers.status[i].ended() {
                *episode = Some(buffers.metrics[i * width..(i + 1) * width].to_vec());
            }
        }
    }
    Played {
        names: env.spec().metrics.iter().map(|m| m.name.clone()).collect(),
        episodes: episodes.into_iter().flatten().collect(),
    }
}

/// Fails if `value` is not within `tolerance` of `expected`.
#[track_caller]
pub(crate) fn near(what: &str, value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, must be {expected} +- {tolerance}");
}

/// Five standard errors of a share `p` of `n`.
pub(crate) fn five_sigma(p: f64, n: f64) -> f64 {
    5.0 * (p * (1.0 - p) / n).sqrt()
}

/// Fails if `counts` are unlikely to be equally likely: five sigma of the chi-squared statistic.
#[track_caller]
pub(crate) fn uniform(what: &str, counts: &[u32]) {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let chi: f64 = counts.iter().map(|&c| f64::from(c) - expected).map(|d| d * d / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    // Wilson and Hilferty's approximation: the cube root is Gaussian.
    let z = (libm::cbrt(chi / freedom) - (1.0 - 2.0 / (9.0 * freedom))) / (2.0 / (9.0 * freedom)).sqrt();
    assert!(z < 5.0, "{what}: {counts:?} is not uniform ({z} sigma)");
}

/// The entry called `id`.
pub(crate) fn find(id: &str) -> Option<&'static heldout_core::Entry> {
    crate::FAMILY.entry(id)
}
