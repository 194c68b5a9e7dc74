//! What a walker can do: raw controls of the two engines, and the eight actions that stand for some of them.

use serde::{Deserialize, Serialize};

/// The names of [`Controls`], in the order of its array.
pub const CONTROL_NAMES: [&str; 4] = ["STRAFE_LEFT_RIGHT", "MOVE_BACK_FORWARD", "LOOK_LEFT_RIGHT", "LOOK_DOWN_UP"];

/// The names of [`LabControls`], in the order of its array.
pub const LAB_NAMES: [&str; 7] = [
    "LOOK_LEFT_RIGHT_PIXELS_PER_FRAME",
    "LOOK_DOWN_UP_PIXELS_PER_FRAME",
    "STRAFE_LEFT_RIGHT",
    "MOVE_BACK_FORWARD",
    "FIRE",
    "JUMP",
    "CROUCH",
];

/// Pixels a frame that the eight actions look by in the maze.
pub const LAB_LOOK: i32 = 20;

/// Degrees of one pixel of look in one frame: 0.11 degrees, 60 pixels a second, a frame of 16 ms.
pub const DEGREES_PER_PIXEL: f64 = 0.11 * 60.0 / 1000.0 * 16.0;

/// A raw control that cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// A value out of range.
    #[error("`{name}` is `{value}`, must be {low} to {high}")]
    Range {
        /// Which control.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The least allowed.
        low: f64,
        /// The greatest allowed.
        high: f64,
    },
    /// No such control.
    #[error("there is no control `{name}`; controls are {known:?}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names there are.
        known: &'static [&'static str],
    },
}

/// The raw controls of the Unity tasks, each from -1 to 1. They are sticky: one that is not set keeps its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// -1 to the left, 1 to the right.
    pub strafe: f64,
    /// -1 backward, 1 forward.
    pub advance: f64,
    /// -1 to the left, 1 to the right.
    pub turn: f64,
    /// -1 down, 1 up.
    pub tilt: f64,
}

impl Controls {
    /// The controls with these values, in the order of [`CONTROL_NAMES`].
    #[must_use]
    pub const fn new([strafe, advance, turn, tilt]: [f64; 4]) -> Self {
        Self { strafe, advance, turn, tilt }
    }

    /// The values, in the order of [`CONTROL_NAMES`].
    #[must_use]
    pub const fn values(&self) -> [f64; 4] {
        [self.strafe, self.advance, self.turn, self.tilt]
    }

    /// The same, with up and down exchanged if `invert`: what the config key `invert_pitch` means.
    #[must_use]
    pub fn pitched(self, invert: bool) -> Self {
        if invert { Self { tilt: -self.tilt, ..self } } else { self }
    }

    /// Sets those that are given; the others keep their values.
    ///
    /// # Errors
    ///
    /// If a value is not from -1 to 1; nothing is set then.
    pub fn set(&mut self, changes: [Option<f64>; 4]) -> Result<(), ControlError> {
        let mut values = self.values();
        for ((name, value), change) in CONTROL_NAMES.into_iter().zip(&mut values).zip(changes) {
            *value = within(name, change.unwrap_or(*value), -1.0, 1.0)?;
        }
        *self = Self::new(values);
        Ok(())
    }

    /// Sets those that are named; the others keep their values.
    ///
    /// # Errors
    ///
    /// If there is no such control or a value is not from -1 to 1; nothing is set then.
    pub fn set_named<'a>(&mut self, changes: impl IntoIterator<Item = (&'a str, f64)>) -> Result<(), ControlError> {
        let mut values = [None; 4];
        for (name, value) in changes {
            values[index(&CONTROL_NAMES, name)?] = Some(value);
        }
        self.set(values)
    }
}

/// The raw controls of the maze: integers, sticky as [`Controls`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabControls {
    /// Pixels a frame, -512 to 512, positive to the right.
    pub turn: i32,
    /// Pixels a frame, -512 to 512, positive upwards.
    pub tilt: i32,
    /// -1 to the left, 1 to the right.
    pub strafe: i32,
    /// -1 backward, 1 forward.
    pub advance: i32,
    /// 0 or 1; nothing in the maze can be shot.
    pub fire: i32,
    /// 0 or 1; the maze has nothing to jump over.
    pub jump: i32,
    /// 0 or 1; the maze has nothing to creep under.
    pub crouch: i32,
}

impl LabControls {
    /// The controls with these values, in the order of [`LAB_NAMES`].
    #[must_use]
    pub const fn new([turn, tilt, strafe, advance, fire, jump, crouch]: [i32; 7]) -> Self {
        Self { turn, tilt, strafe, advance, fire, jump, crouch }
    }

    /// The values, in the order of [`LAB_NAMES`].
    #[must_use]
    pub const fn values(&self) -> [i32; 7] {
        [self.turn, self.tilt, self.strafe, self.advance, self.fire, self.jump, self.crouch]
    }

    /// Sets those that are given; the others keep their values.
    ///
    /// # Errors
    ///
    /// If a value is out of its range; nothing is set then.
    pub fn set(&mut self, changes: [Option<i32>; 7]) -> Result<(), ControlError> {
        const RANGES: [(i32, i32); 7] = [(-512, 512), (-512, 512), (-1, 1), (-1, 1), (0, 1), (0, 1), (0, 1)];
        let mut values = self.values();
        for (i, change) in changes.into_iter().enumerate() {
            let (low, high) = RANGES[i];
            let value = change.unwrap_or(values[i]);
            within(LAB_NAMES[i], value.into(), low.into(), high.into())?;
            values[i] = value;
        }
        *self = Self::new(values);
        Ok(())
    }

    /// Sets those that are named; the others keep their values.
    ///
    /// # Errors
    ///
    /// If there is no such control or a value is out of its range; nothing is set then.
    pub fn set_named<'a>(&mut self, changes: impl IntoIterator<Item = (&'a str, i32)>) -> Result<(), ControlError> {
        let mut values = [None; 7];
        for (name, value) in changes {
            values[index(&LAB_NAMES, name)?] = Some(value);
        }
        self.set(values)
    }
}

fn within(name: &'static str, value: f64, low: f64, high: f64) -> Result<f64, ControlError> {
    if (low..=high).contains(&value) { Ok(value) } else { Err(ControlError::Range { name, value, low, high }) }
}

fn index(known: &'static [&'static str], name: &str) -> Result<usize, ControlError> {
    known.iter().position(|k| *k == name).ok_or_else(|| ControlError::Unknown { name: name.to_owned(), known })
}

/// The eight actions of the tasks that are walked through. There is none that does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Walk {
    /// Ahead.
    Forward,
    /// Back, without turning.
    Backward,
    /// Sideways to the left.
    StrafeLeft,
    /// Sideways to the right.
    StrafeRight,
    /// Turn to the left on the spot.
    LookLeft,
    /// Turn to the right on the spot.
    LookRight,
    /// Ahead in a curve to the left.
    ForwardLookLeft,
    /// Ahead in a curve to the right.
    ForwardLookRight,
}

impl Walk {
    /// All, in the order of the action's integers.
    pub const ALL: [Self; 8] = [
        Self::Forward,
        Self::Backward,
        Self::StrafeLeft,
        Self::StrafeRight,
        Self::LookLeft,
        Self::LookRight,
        Self::ForwardLookLeft,
        Self::ForwardLookRight,
    ];

    /// The action that `raw` stands for.
    #[must_use]
    pub fn decode(raw: &[i32]) -> Option<Self> {
        let [index] = raw else { return None };
        Self::ALL.get(usize::try_from(*index).ok()?).copied()
    }

    /// Strafe, advance and turn, each -1, 0 or 1.
    #[must_use]
    pub const fn signs(self) -> [i32; 3] {
        match self {
            Self::Forward => [0, 1, 0],
            Self::Backward => [0, -1, 0],
            Self::StrafeLeft => [-1, 0, 0],
            Self::StrafeRight => [1, 0, 0],
            Self::LookLeft => [0, 0, -1],
            Self::LookRight => [0, 0, 1],
            Self::ForwardLookLeft => [0, 1, -1],
            Self::ForwardLookRight => [0, 1, 1],
        }
    }

    /// The raw controls of the Unity tasks that it stands for, all four of them.
    #[must_use]
    pub fn controls(self) -> Controls {
        let [strafe, advance, turn] = self.signs();
        Controls::new([strafe, advance, turn, 0].map(f64::from))
    }

    /// The raw controls of the maze that it stands for, all seven of them.
    #[must_use]
    pub const fn lab_controls(self) -> LabControls {
        let [strafe, advance, turn] = self.signs();
        LabControls::new([turn * LAB_LOOK, 0, strafe, advance, 0, 0, 0])
    }
}
