//! What is fixed.

use heldout_core::ConfigError;
use serde::{Deserialize, Serialize};

use crate::action::Numbers;
use crate::picture::{HEIGHT, WIDTH};

/// Which statements are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// To learn from.
    #[default]
    Train,
    /// To develop on.
    Dev,
    /// Held out.
    Test,
}

impl Split {
    #[cfg(any(feature = "files", test))]
    pub(crate) const ALL: [Self; 3] = [Self::Train, Self::Dev, Self::Test];

    pub(crate) const fn name(self) -> &'static str {
        ["train", "dev", "test"][self as usize]
    }
}

/// How the built-in corpus is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Holdout {
    /// Held-out statements combine what training combines otherwise.
    #[default]
    Compositional,
    /// Held-out statements are drawn at random.
    Random,
}

/// What the agent sees of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Observation {
    /// The half-size picture, 50 x 190.
    #[default]
    Image,
    /// The whole picture, 100 x 380.
    Full,
    /// A list of the objects.
    Objects,
}

/// The form of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Actions {
    /// One number.
    #[default]
    Flat,
    /// Type, place and attributes apart.
    Factored,
}

/// Which object a removal takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RemoveRule {
    /// The one that shares the largest area with the cell (the public code).
    #[default]
    Overlap,
    /// The largest object that shares any (the paper).
    Object,
}

/// The cells that SCATTER's actions name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Grid {
    /// Columns and rows.
    Cells([u32; 2]),
    /// `native`: every pixel.
    Name(String),
}

impl Default for Grid {
    fn default() -> Self {
        Self::Cells([19, 5])
    }
}

/// What is fixed. Keys that only one appearance or start knows must keep their defaults elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub(crate) struct Config {
    /// Which statements are played.
    pub(crate) split: Split,
    /// Where statements come from: `builtin`, `public` (the directory that `HELDOUT_LILGYM_DATA` names) or a directory.
    pub(crate) data: String,
    /// How the built-in corpus is divided.
    pub(crate) holdout: Holdout,
    /// Whether held-out statements that occur in training are dropped.
    pub(crate) disjoint: bool,
    /// A JSON file of category names by statement; empty for none.
    pub(crate) categories: String,
    /// What the agent sees of the scene.
    pub(crate) observation: Observation,
    /// Whether the agent sees which actions are valid.
    pub(crate) mask: bool,
    /// Bytes of the sentence.
    pub(crate) max_sentence: u32,
    /// The form of actions.
    pub(crate) actions: Actions,
    /// The cells that SCATTER's actions name.
    pub(crate) grid: Grid,
    /// Whether an action in a state that has the target's value becomes STOP.
    pub(crate) stop_forcing: bool,
    /// Steps of an episode.
    pub(crate) horizon: u32,
    /// What an edit costs.
    pub(crate) step_cost: f32,
    /// The reward of an edit at the last step; `null` for that of any other edit.
    pub(crate) horizon_reward: Option<f32>,
    /// Whether an object that cannot stand at its cell's corner is tried at the cell's other pixels.
    pub(crate) cell_search: bool,
    /// Which object a removal takes.
    pub(crate) remove_rule: RemoveRule,
    /// Whether an object that would leave its box by sticking stays where it was put.
    pub(crate) border_check: bool,
    /// Distance, truncated, up to which an object sticks to another; -1 for never.
    pub(crate) stick: i32,
    /// Most objects in a box; 0 for no limit.
    pub(crate) box_limit: u32,
    /// Whether the boxes of a start are put in random order.
    pub(crate) permute_boxes: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            split: Split::Train,
            data: "builtin".to_owned(),
            holdout: Holdout::Compositional,
            disjoint: false,
            categories: String::new(),
            observation: Observation::Image,
            mask: false,
            max_sentence: 160,
            actions: Actions::Flat,
            grid: Grid::default(),
            stop_forcing: false,
            horizon: 11,
            step_cost: 0.1,
            horizon_reward: None,
            cell_search: false,
            remove_rule: RemoveRule::Overlap,
            border_check: false,
            stick: 4,
            box_limit: 0,
            permute_boxes: false,
        }
    }
}

/// How objects stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Appearance {
    /// Stacked squares.
    Tower,
    /// Anything anywhere.
    Scatter,
}

/// How episodes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Begin {
    /// With empty boxes, to make the statement true.
    Scratch,
    /// With a scene whose truth is to be flipped.
    Flipit,
}

/// One of the four tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Task {
    pub(crate) appearance: Appearance,
    pub(crate) begin: Begin,
}

impl Task {
    pub(crate) const TOWER_SCRATCH: Self = Self { appearance: Appearance::Tower, begin: Begin::Scratch };
    pub(crate) const TOWER_FLIPIT: Self = Self { appearance: Appearance::Tower, begin: Begin::Flipit };
    pub(crate) const SCATTER_SCRATCH: Self = Self { appearance: Appearance::Scatter, begin: Begin::Scratch };
    pub(crate) const SCATTER_FLIPIT: Self = Self { appearance: Appearance::Scatter, begin: Begin::Flipit };
    pub(crate) const ALL: [Self; 4] =
        [Self::TOWER_SCRATCH, Self::TOWER_FLIPIT, Self::SCATTER_SCRATCH, Self::SCATTER_FLIPIT];

    /// Its place among [`Task::ALL`].
    pub(crate) const fn number(self) -> usize {
        self.appearance as usize * 2 + self.begin as usize
    }

    /// Its name in ids, recordings and names of files.
    pub(crate) const fn name(self) -> &'static str {
        match (self.appearance, self.begin) {
            (Appearance::Tower, Begin::Scratch) => "tower-scratch",
            (Appearance::Tower, Begin::Flipit) => "tower-flipit",
            (Appearance::Scatter, Begin::Scratch) => "scatter-scratch",
            (Appearance::Scatter, Begin::Flipit) => "scatter-flipit",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.name() == name)
    }

    /// That of an id of this family.
    pub(crate) fn of(id: &str) -> Option<Self> {
        crate::FAMILY.entry(id).and_then(|entry| Self::named(entry.name()))
    }

    /// Its entry in the registry.
    #[cfg(feature = "files")]
    pub(crate) fn entry(self) -> &'static heldout_core::Entry {
        crate::FAMILY.entries.iter().find(|entry| entry.name() == self.name()).expect("every task is registered")
    }

    /// The names of all, for messages.
    #[cfg(feature = "files")]
    pub(crate) fn names() -> String {
        Self::ALL.map(|task| format!("`{}`", task.name())).join(", ")
    }
}

/// Most actions of which a mask is shown.
const MOST_MASKED: u32 = 1 << 16;

impl Config {
    /// Columns and rows of the grid.
    pub(crate) fn cells(&self) -> Result<(u32, u32), ConfigError> {
        let allowed = "`[columns, rows]` up to `[380, 100]`, or `native`";
        match &self.grid {
            Grid::Cells([columns, rows])
                if (1..=WIDTH as u32).contains(columns) && (1..=HEIGHT as u32).contains(rows) =>
            {
                Ok((*columns, *rows))
            }
            Grid::Cells(cells) => Err(ConfigError::value("grid", format!("{cells:?}"), allowed)),
            Grid::Name(name) if name == "native" => Ok((WIDTH as u32, HEIGHT as u32)),
            Grid::Name(name) => Err(ConfigError::value("grid", name, allowed)),
        }
    }

    pub(crate) fn check(&self, task: Task) -> Result<(), ConfigError> {
        let within = |field, value: i64, low: i64, high: i64| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError::value(field, value, &format!("{low} to {high}")))
            }
        };
        within("max_sentence", self.max_sentence.into(), 8, 4096)?;
        within("horizon", self.horizon.into(), 1, 1000)?;
        within("stick", self.stick.into(), -1, 20)?;
        within("box_limit", self.box_limit.into(), 0, 40)?;
        for (field, value) in [("step_cost", self.step_cost), ("horizon_reward", self.horizon_reward.unwrap_or(0.0))] {
            if !(-10.0..=10.0).contains(&value) {
                return Err(ConfigError::value(field, value, "-10 to 10"));
            }
        }
        let default = Self::default();
        let only = |field, changed: bool, place: &str| {
            if changed { Err(ConfigError::new(field, format!("has a meaning in {place} alone"))) } else { Ok(()) }
        };
        if task.appearance == Appearance::Tower {
            only("grid", self.grid != default.grid, "SCATTER")?;
            only("cell_search", self.cell_search, "SCATTER")?;
            only("remove_rule", self.remove_rule != default.remove_rule, "SCATTER")?;
            only("border_check", self.border_check, "SCATTER")?;
            only("stick", self.stick != default.stick, "SCATTER")?;
            only("box_limit", self.box_limit != 0, "SCATTER")?;
        } else {
            let (columns, rows) = self.cells()?;
            let actions = Numbers::new(task.appearance, self.actions, (columns, rows)).flat();
            if self.mask && actions > MOST_MASKED {
                let problem =
                    format!("is `true`, but `grid` makes {actions} actions; a mask shows {MOST_MASKED} at the most");
                return Err(ConfigError::new("mask", problem));
            }
        }
        if task.begin == Begin::Scratch {
            only("permute_boxes", self.permute_boxes, "FLIPIT")?;
        }
        Ok(())
    }
}
