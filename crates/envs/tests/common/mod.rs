//! What the conformance suite runs over: every entry of the registry, under its defaults, its splits and its presets.

#![allow(dead_code, reason = "each test file uses its own part")]

use heldout_core::{Autoreset, Buffers, Options, Rng, Seed, Spec, VecEnv};
use heldout_envs::registry::{ENTRIES, Entry};
use serde_json::{Map, Value};

/// An entry under a config.
pub(crate) struct Case {
    pub(crate) entry: &'static Entry,
    pub(crate) overrides: Map<String, Value>,
    /// For messages.
    pub(crate) name: String,
}

impl Case {
    pub(crate) fn make(&self, len: usize, options: Options) -> Box<dyn VecEnv> {
        self.entry.make(&self.overrides, len, options).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    pub(crate) fn batch(&self, len: usize) -> (Box<dyn VecEnv>, Buffers) {
        let env = self.make(len, Options::default());
        let buffers = Buffers::new(env.spec(), len);
        (env, buffers)
    }

    /// The same with observations as small as they get.
    pub(crate) fn smallest(mut self) -> Self {
        self.overrides.extend(self.entry.smallest());
        self
    }
}

/// Every entry under its defaults, each split and each preset.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in ENTRIES {
        let mut add = |key: &str, value: &str, mut overrides: Map<String, Value>| {
            if !key.is_empty() {
                overrides.insert(key.to_owned(), value.into());
            }
            cases.push(Case { entry, overrides, name: format!("{} {key} {value}", entry.id()).trim().to_owned() });
        };
        add("", "", Map::new());
        // A split changes which problems are played, not how they look: the smallest observation shows as much.
        for split in &entry.about.splits[1..] {
            add(entry.about.split_key, split, entry.smallest());
        }
        for preset in entry.about.presets {
            add("preset", preset.name, Map::new());
        }
    }
    cases
}

/// Fills `actions` with random ones of `len` copies.
pub(crate) fn random(spec: &Spec, rng: &mut Rng, actions: &mut [i32]) {
    let sizes = spec.agents.iter().flat_map(|a| a.action.sizes());
    for (action, &n) in actions.iter_mut().zip(sizes.cycle()) {
        *action = rng.below(n) as i32;
    }
}

/// Random actions for `len` copies at each of `steps` steps.
pub(crate) fn script(spec: &Spec, len: usize, steps: usize, seed: u64) -> Vec<Vec<i32>> {
    let mut rng = Rng::new(Seed(seed));
    (0..steps)
        .map(|_| {
            let mut actions = vec![0; len * spec.action_width()];
            random(spec, &mut rng, &mut actions);
            actions
        })
        .collect()
}

pub(crate) const MODES: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

/// Where the golden transcript of `id` is kept.
pub(crate) fn golden_path(id: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{id}.txt"))
}
