//! What a player can do: raw controls of the two engines, and the eight actions that stand for some of them.

/// One raw control: its name and what it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Its published name.
    pub name: &'static str,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// Whether it takes whole numbers alone.
    pub whole: bool,
}

const fn unity(name: &'static str) -> Control {
    Control { name, low: -1.0, high: 1.0, whole: false }
}

const fn lab(name: &'static str, low: f64, high: f64) -> Control {
    Control { name, low, high, whole: true }
}

/// Pixels per frame that the discrete actions look by in the maze.
pub(crate) const LAB_LOOK: i32 = 20;

/// Degrees of one pixel of look in one frame: 0.11 degrees, 60 pixels per second, a frame of 16 ms.
pub(crate) const DEGREES_PER_PIXEL: f64 = 0.11 * 60.0 / 1000.0 * 16.0;

/// Degrees above or below the horizon at the most, in both engines.
pub(crate) const MOST_PITCH: f64 = 87.0;

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
    /// A fraction for a control of whole numbers.
    #[error("`{name}` is `{value}`, must be a whole number")]
    Fraction {
        /// Which control.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// No such control.
    #[error("there is no control `{name}`; controls are {known:?}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
}

/// The raw controls of an engine: sticky, and zero when an episode begins.
pub(crate) trait RawControls: Copy + Default + Send + Sync + 'static {
    /// What there is to set, in order.
    const CONTROLS: &'static [Control];

    /// The values, in the order of [`RawControls::CONTROLS`].
    fn values(&self) -> Vec<f64>;

    /// The controls with these values, each in its range.
    fn of(values: &[f64]) -> Self;

    /// The same with looking up and down exchanged.
    fn inverted(self) -> Self;

    /// Sets those that are named; the others keep their values. If one cannot be taken, nothing is set.
    fn change(&mut self, changes: &[(&str, f64)]) -> Result<(), ControlError> {
        let mut values = self.values();
        for &(name, value) in changes {
            let at = Self::CONTROLS.iter().position(|control| control.name == name).ok_or_else(|| {
                let known = Self::CONTROLS.iter().map(|control| control.name).collect();
                ControlError::Unknown { name: name.to_owned(), known }
            })?;
            let Control { name, low, high, whole } = Self::CONTROLS[at];
            if !(low..=high).contains(&value) {
                return Err(ControlError::Range { name, value, low, high });
            }
            if whole && value.trunc() != value {
                return Err(ControlError::Fraction { name, value });
            }
            values[at] = value;
        }
        *self = Self::of(&values);
        Ok(())
    }
}

/// The raw controls of the Unity tasks, each from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Controls {
    /// -1 to the left, 1 to the right.
    pub(crate) strafe: f64,
    /// -1 backward, 1 forward.
    pub(crate) advance: f64,
    /// -1 to the left, 1 to the right.
    pub(crate) turn: f64,
    /// -1 down, 1 up.
    pub(crate) tilt: f64,
}

impl Controls {
    /// In the order of the published names.
    pub(crate) const fn new([strafe, advance, turn, tilt]: [f64; 4]) -> Self {
        Self { strafe, advance, turn, tilt }
    }
}

impl RawControls for Controls {
    const CONTROLS: &'static [Control] =
        &[unity("STRAFE_LEFT_RIGHT"), unity("MOVE_BACK_FORWARD"), unity("LOOK_LEFT_RIGHT"), unity("LOOK_DOWN_UP")];

    fn values(&self) -> Vec<f64> {
        vec![self.strafe, self.advance, self.turn, self.tilt]
    }

    fn of(values: &[f64]) -> Self {
        Self::new(std::array::from_fn(|i| values[i]))
    }

    fn inverted(self) -> Self {
        Self { tilt: -self.tilt, ..self }
    }
}

/// The raw controls of the Lab tasks, whole numbers. Panels can only be looked at: all but the first two do nothing there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabControls {
    /// Pixels per frame, positive to the right.
    pub(crate) turn: i32,
    /// Pixels per frame, positive upwards.
    pub(crate) tilt: i32,
    /// -1 to the left, 1 to the right.
    pub(crate) strafe: i32,
    /// -1 backward, 1 forward.
    pub(crate) advance: i32,
    /// There is nothing to shoot at, to jump over or to creep under.
    idle: [i32; 3],
}

impl LabControls {
    /// To look alone.
    pub(crate) const fn look(turn: i32, tilt: i32) -> Self {
        Self { turn, tilt, strafe: 0, advance: 0, idle: [0; 3] }
    }
}

impl RawControls for LabControls {
    const CONTROLS: &'static [Control] = &[
        lab("LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", -512.0, 512.0),
        lab("LOOK_DOWN_UP_PIXELS_PER_FRAME", -512.0, 512.0),
        lab("STRAFE_LEFT_RIGHT", -1.0, 1.0),
        lab("MOVE_BACK_FORWARD", -1.0, 1.0),
        lab("FIRE", 0.0, 1.0),
        lab("JUMP", 0.0, 1.0),
        lab("CROUCH", 0.0, 1.0),
    ];

    fn values(&self) -> Vec<f64> {
        let Self { turn, tilt, strafe, advance, idle: [fire, jump, crouch] } = *self;
        [turn, tilt, strafe, advance, fire, jump, crouch].map(f64::from).to_vec()
    }

    fn of(values: &[f64]) -> Self {
        let [turn, tilt, strafe, advance, idle @ ..]: [i32; 7] = std::array::from_fn(|i| values[i] as i32);
        Self { turn, tilt, strafe, advance, idle }
    }

    fn inverted(self) -> Self {
        Self { tilt: -self.tilt, ..self }
    }
}

/// The eight actions of the tasks that are walked through. There is none that does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    Forward,
    Backward,
    StrafeLeft,
    StrafeRight,
    /// On the spot.
    LookLeft,
    LookRight,
    /// Ahead in a curve.
    ForwardLookLeft,
    ForwardLookRight,
}

impl Walk {
    /// All, in the order of the action's integers.
    pub(crate) const ALL: [Self; 8] = [
        Self::Forward,
        Self::Backward,
        Self::StrafeLeft,
        Self::StrafeRight,
        Self::LookLeft,
        Self::LookRight,
        Self::ForwardLookLeft,
        Self::ForwardLookRight,
    ];

    /// Strafe, advance and turn, each -1, 0 or 1.
    const fn signs(self) -> [i32; 3] {
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

    /// The raw controls of the Unity tasks that it stands for.
    pub(crate) fn controls(self) -> Controls {
        let [strafe, advance, turn] = self.signs();
        Controls::new([strafe, advance, turn, 0].map(f64::from))
    }

    /// The raw controls of the maze that it stands for.
    pub(crate) const fn lab_controls(self) -> LabControls {
        let [strafe, advance, turn] = self.signs();
        LabControls { strafe, advance, ..LabControls::look(turn * LAB_LOOK, 0) }
    }
}

/// The one of `all` that an action of one integer stands for.
pub(crate) fn decode<A: Copy>(all: &[A], raw: &[i32]) -> Option<A> {
    let &[index] = raw else { return None };
    all.get(usize::try_from(index).ok()?).copied()
}
