//! HALMA's evaluation: training mazes, random mazes and the seven tests made from an experience.

use heldout_core::{BatchError, Buffers, Options, Reset, Seed};
use heldout_envs::halma::experience::Experience;
use heldout_envs::halma::tests::{Class, TestConfig, dynamic_tests};
use heldout_envs::registry::{Entry, MakeError};
use serde_json::{Map, Value, json};

/// The policy whose play stands for the training of a policy that never trained.
///
/// All scripted policies are given the tests that this experience leads to, so that they play the same problems.
pub const EXPLORER: &str = "half";

/// One part of HALMA's evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The training mazes.
    Train,
    /// Random mazes of the test split.
    Random,
    /// A test made from an experience.
    Class(Class),
}

impl Part {
    /// The part called `name`: `T`, `RT`, `ST-1` and so on, in any case, with or without the hyphen.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
        match plain(name).as_str() {
            "t" => Some(Self::Train),
            "rt" => Some(Self::Random),
            other => Class::ALL.into_iter().find(|class| plain(class.name()) == other).map(Self::Class),
        }
    }

    /// The config overrides of this part for one test seed, over `base`: those of the training mazes, of `mazes` random
    /// mazes, or of the class's problems, which a file holds that is not named here.
    #[must_use]
    pub fn overrides(self, base: &Map<String, Value>, mazes: u32, seed: u64) -> Map<String, Value> {
        let own = match self {
            Self::Train => json!({"split": "train"}),
            Self::Random => json!({"split": "test", "mazes": mazes, "maze_seed": seed}),
            Self::Class(_) => json!({}),
        };
        let mut all = base.clone();
        all.extend(own.as_object().cloned().unwrap_or_default());
        all
    }
}

/// The names of the parts, for messages.
pub(crate) fn listed() -> String {
    let classes = Class::ALL.into_iter().map(Class::name);
    ["T", "RT"].into_iter().chain(classes).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// An experience that cannot be gathered.
#[derive(Debug, thiserror::Error)]
pub enum ExperienceProblem {
    /// An environment that counts nothing.
    #[error("`{id}` keeps no experience; `halma/symbolic-v1` and `halma/visual-v1` do")]
    None {
        /// Which.
        id: &'static str,
    },
    /// The environment cannot be made.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// The batch refuses.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Bytes that are no experience.
    #[error(transparent)]
    Bytes(#[from] heldout_core::ExperienceError),
}

/// Play that experience is gathered from.
pub struct Gathering<'a> {
    /// Which environment.
    pub entry: &'static Entry,
    /// Its config.
    pub overrides: &'a Map<String, Value>,
    /// Which policy.
    pub policy: &'a str,
    /// How many episodes.
    pub episodes: u64,
    /// Root of every episode's seed.
    pub seed: u64,
    /// Experience to begin with.
    pub before: Option<&'a [u8]>,
}

impl Gathering<'_> {
    /// Plays and gives back what was experienced; `progress` hears of every episode.
    ///
    /// # Errors
    ///
    /// If the environment keeps no experience, or cannot be played so.
    pub fn play(&self, mut progress: impl FnMut()) -> Result<Vec<u8>, ExperienceProblem> {
        let mut overrides = self.overrides.clone();
        overrides.insert("experience".to_owned(), true.into());
        let mut env = self.entry.make(&overrides, 1, Options::default())?;
        if env.experience(0)?.is_none() {
            return Err(ExperienceProblem::None { id: self.entry.id() });
        }
        let mut buffers = Buffers::new(env.spec(), 1);
        env.seat(0, self.policy, Seed(self.seed))?;
        env.reset(Reset::seed(Seed(self.seed)), buffers.output())?;
        if let Some(bytes) = self.before {
            env.set_experience(0, bytes)?;
        }
        let mut actions = vec![0; env.spec().action_width()];
        for _ in 0..self.episodes {
            loop {
                env.act(&buffers.rows(), &mut actions)?;
                env.step(&actions, buffers.output())?;
                // The step after an end begins the next episode: it is no transition, and adds nothing.
                if buffers.status[0].ended() {
                    break;
                }
            }
            progress();
        }
        env.experience(0)?.ok_or(ExperienceProblem::None { id: self.entry.id() })
    }
}

/// The files of problems of the tests that an experience leads to, with the number of problems; `None` for a class that
/// has nothing to ask for.
///
/// # Errors
///
/// If the bytes are no experience.
pub fn problem_files(
    experience: &[u8],
    mazes: u32,
    seed: u64,
) -> Result<Vec<(Class, Option<String>)>, ExperienceProblem> {
    let config = TestConfig { n_test_mazes: mazes, ..TestConfig::default() };
    let tests = dynamic_tests(&Experience::from_bytes(experience)?, &config, Seed(seed));
    Ok(tests.into_iter().map(|(class, set)| (class, set.map(|set| set.to_json()))).collect())
}
