//! What R2D2 is told, with the numbers of the paper's Table 5 unless told.

use serde::{Deserialize, Serialize};

use crate::parts::replay::Cut;
use crate::parts::targets::Rescale;

/// How large the network is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// As the paper has it: what is seen through 512, 256 and 128, all through 512, 256 and 256, two memories.
    #[default]
    Paper,
    /// As the code has it that was released with the paper: what is seen and what is heard through 64 and 32 each, one memory
    /// of 512; which actions are legal is told to what comes after the memory.
    Regym,
    /// What is seen and what is heard through 64 and 32 each, one memory of 128.
    Small,
}

/// What remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Core {
    /// Long short-term memory.
    #[default]
    Lstm,
    /// The differentiable neural computer.
    Dnc,
    /// The emergent symbol binding network.
    Esbn,
    /// The dual-coding episodic memory.
    Dcem,
}

impl Core {
    /// By which reports know it.
    #[must_use]
    pub fn label(self) -> &'static str {
        ["LSTM", "DNC", "ESBN", "DCEM"][self as usize]
    }
}

/// What an agent of a team is told of what its partner would have done without chance (Hu and Foerster 2020).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sad {
    /// Nothing.
    Off,
    /// The agent that speaks, the first, is told the other's best choice; the other is told only whether what was said was the
    /// best: the message itself would give away what the words of an episode hide.
    #[default]
    Bit,
    /// Each is told the other's best choice, as the paper has it, words and all.
    Raw,
}

/// All that a run of R2D2 is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Steps to train for.
    pub steps: u64,
    /// Episodes to train for, in place of steps; 0: steps.
    pub episodes: u64,
    /// Environments that are played at once.
    pub copies: usize,
    /// Steps of all copies between two updates.
    pub train_every: usize,
    /// Rows at the beginning of a sequence that only bring the memory to where it was.
    pub burn_in: usize,
    /// Rows of a sequence that are learnt from.
    pub trained: usize,
    /// Whether an episode of at most `trained` rows is one sequence, and a longer one is cut from its first row on; if not,
    /// sequences begin at every `stride`th row, whatever the episode.
    pub whole: bool,
    /// Rows between the beginnings of two sequences.
    pub stride: usize,
    /// Steps that a target looks ahead.
    pub n: usize,
    /// How much a reward counts one step later.
    pub gamma: f64,
    /// How values are squeezed.
    pub rescale: Rescale,
    /// Sequences of an update.
    pub batch: usize,
    /// Rows that are kept.
    pub replay: usize,
    /// Steps before the first update.
    pub replay_min: u64,
    /// How often the first copy does anything at all.
    pub explore: f64,
    /// By which power more the last copy does it more seldom; the others lie between.
    pub explore_power: f64,
    /// The power of priorities.
    pub priority: f64,
    /// The power of what rare sequences count.
    pub importance: f64,
    /// The learning rate.
    pub lr: f64,
    /// Adam's addition to the root.
    pub epsilon: f64,
    /// The greatest norm of a gradient.
    pub norm: f64,
    /// Updates between two copies of the weights that targets come from.
    pub target_every: u64,
    /// How large the network is.
    pub size: Size,
    /// What remembers.
    pub core: Core,
    /// Whether what was seen and heard is told again from the memory, and learnt so.
    pub reconstruct: bool,
    /// What two agents that learn together are told of each other.
    pub sad: Sad,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            episodes: 0,
            copies: 32,
            train_every: 64,
            burn_in: 10,
            trained: 20,
            whole: false,
            stride: 10,
            n: 3,
            gamma: 0.997,
            rescale: Rescale::Identity,
            batch: 32,
            replay: 50_000,
            replay_min: 1_000,
            explore: 0.4,
            explore_power: 7.0,
            priority: 0.9,
            importance: 0.6,
            lr: 6.25e-5,
            epsilon: 1e-12,
            norm: 40.0,
            target_every: 2_500,
            size: Size::Paper,
            core: Core::Lstm,
            reconstruct: false,
            sad: Sad::Bit,
        }
    }
}

impl Config {
    /// # Errors
    ///
    /// If a number is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        let least = [
            ("steps", self.steps as usize),
            ("copies", self.copies),
            ("train_every", self.train_every),
            ("trained", self.trained),
            ("stride", self.stride),
            ("n", self.n),
            ("batch", self.batch),
            ("target_every", self.target_every as usize),
        ];
        if let Some((name, _)) = least.iter().find(|(_, n)| *n == 0) {
            return Err(format!("`{name}` is 0, must be at least 1"));
        }
        let positive = [("lr", self.lr), ("norm", self.norm), ("epsilon", self.epsilon)];
        if let Some((name, x)) = positive.iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
            return Err(format!("`{name}` is {x}, must be greater than 0"));
        }
        let shares = [
            ("gamma", self.gamma),
            ("explore", self.explore),
            ("priority", self.priority),
            ("importance", self.importance),
        ];
        if let Some((name, x)) = shares.iter().find(|(_, x)| !(0.0..=1.0).contains(x)) {
            return Err(format!("`{name}` is {x}, must be 0 to 1"));
        }
        if !(self.explore_power.is_finite() && self.explore_power >= 0.0) {
            return Err(format!("`explore_power` is {}, must be at least 0", self.explore_power));
        }
        if self.whole && self.burn_in > 0 {
            return Err(format!("`burn_in` is {}, must be 0 where sequences are whole episodes", self.burn_in));
        }
        let rows = self.burn_in + self.trained;
        if self.stride > rows {
            return Err(format!("`stride` is {}, must be at most the {rows} rows of a sequence", self.stride));
        }
        let least = self.copies * (rows + self.stride + 2);
        if self.replay < least {
            return Err(format!("`replay` is {}, must be at least {least} for {} copies", self.replay, self.copies));
        }
        Ok(())
    }

    pub(super) fn cut(&self) -> Cut {
        let (length, stride) = (self.burn_in + self.trained, self.stride);
        if self.whole { Cut::Episodes { length, stride } } else { Cut::Every { length, stride } }
    }
}
