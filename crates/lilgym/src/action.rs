//! Actions and their numbers.

use heldout_core::ActionSpace;

use crate::config::{Actions, Appearance};
use crate::geometry::Rect;
use crate::picture::{HEIGHT, WIDTH};
use crate::scene::{BOX_PITCH, BOX_SIDE, BOXES, Color, Shape, Size};

/// What to do at a column `x` and row `y` of the grid. In TOWER `x` is the box; `y`, shape and size are idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Action {
    /// Declare that the statement has the target's value.
    Stop,
    Add {
        x: u16,
        y: u16,
        shape: Shape,
        color: Color,
        size: Size,
    },
    Remove {
        x: u16,
        y: u16,
    },
}

/// Blocks of a tower: the most a box holds.
pub(crate) const TOWER_HEIGHT: usize = 4;

/// The numbers of actions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    appearance: Appearance,
    actions: Actions,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl Numbers {
    pub(crate) fn new(appearance: Appearance, actions: Actions, (columns, rows): (u32, u32)) -> Self {
        let (columns, rows) = if appearance == Appearance::Tower { (BOXES as u32, 1) } else { (columns, rows) };
        Self { appearance, actions, columns, rows }
    }

    /// Kinds of objects that one place can be given.
    fn kinds(self) -> u32 {
        if self.appearance == Appearance::Tower { 3 } else { 27 }
    }

    /// Actions in the flat numbering.
    pub(crate) fn flat(self) -> u32 {
        1 + self.columns * self.rows * (self.kinds() + 1)
    }

    pub(crate) fn space(self) -> ActionSpace {
        match (self.actions, self.appearance) {
            (Actions::Flat, _) => ActionSpace::Discrete(self.flat()),
            (Actions::Factored, Appearance::Tower) => ActionSpace::MultiDiscrete(vec![3, 3, 3]),
            (Actions::Factored, Appearance::Scatter) => {
                ActionSpace::MultiDiscrete(vec![3, self.columns, self.rows, 3, 3, 3])
            }
        }
    }

    /// The action with flat number `id`, which must be below [`Numbers::flat`].
    pub(crate) fn action(self, id: u32) -> Action {
        let Some(rest) = id.checked_sub(1) else { return Action::Stop };
        let cells = self.columns * self.rows;
        if rest >= cells * self.kinds() {
            let cell = rest - cells * self.kinds();
            return Action::Remove { x: (cell / self.rows) as u16, y: (cell % self.rows) as u16 };
        }
        let (cell, kind) = (rest / self.kinds(), (rest % self.kinds()) as usize);
        let (x, y) = ((cell / self.rows) as u16, (cell % self.rows) as u16);
        if self.appearance == Appearance::Tower {
            return Action::Add { x, y, shape: Shape::Square, color: Color::ALL[kind], size: Size::Medium };
        }
        let (shape, color, size) = (Shape::ALL[kind / 9], Color::ALL[kind / 3 % 3], Size::ALL[kind % 3]);
        Action::Add { x, y, shape, color, size }
    }

    /// The flat number of `action`.
    pub(crate) fn id(self, action: Action) -> u32 {
        let cell = |x: u16, y: u16| u32::from(x) * self.rows + u32::from(y);
        match action {
            Action::Stop => 0,
            Action::Add { x, y, shape, color, size } => {
                let kind = match self.appearance {
                    Appearance::Tower => color as u32,
                    Appearance::Scatter => (shape as u32 * 3 + color as u32) * 3 + size as u32,
                };
                1 + cell(x, y) * self.kinds() + kind
            }
            Action::Remove { x, y } => 1 + self.columns * self.rows * self.kinds() + cell(x, y),
        }
    }

    pub(crate) fn decode(self, raw: &[i32]) -> Option<Action> {
        let below = |value: i32, n: u32| u32::try_from(value).ok().filter(|&v| v < n);
        match (self.actions, self.appearance, raw) {
            (Actions::Flat, _, &[id]) => Some(self.action(below(id, self.flat())?)),
            (Actions::Factored, Appearance::Tower, &[kind, place, color]) => {
                let (kind, x, color) = (below(kind, 3)?, below(place, 3)? as u16, below(color, 3)? as usize);
                Some(match kind {
                    0 => Action::Stop,
                    1 => Action::Add { x, y: 0, shape: Shape::Square, color: Color::ALL[color], size: Size::Medium },
                    _ => Action::Remove { x, y: 0 },
                })
            }
            (Actions::Factored, Appearance::Scatter, &[kind, x, y, shape, color, size]) => {
                let kind = below(kind, 3)?;
                let (x, y) = (below(x, self.columns)? as u16, below(y, self.rows)? as u16);
                let [shape, color, size] = [shape, color, size].map(|v| below(v, 3));
                let (shape, color, size) = (shape? as usize, color? as usize, size? as usize);
                let (shape, color, size) = (Shape::ALL[shape], Color::ALL[color], Size::ALL[size]);
                Some(match kind {
                    0 => Action::Stop,
                    1 => Action::Add { x, y, shape, color, size },
                    _ => Action::Remove { x, y },
                })
            }
            _ => None,
        }
    }

    pub(crate) fn encode(self, action: Action, raw: &mut [i32]) {
        if self.actions == Actions::Flat {
            raw[0] = self.id(action) as i32;
            return;
        }
        raw.fill(0);
        match (action, self.appearance) {
            (Action::Stop, _) => {}
            (Action::Add { x, color, .. }, Appearance::Tower) => {
                raw.copy_from_slice(&[1, x.into(), color as i32]);
            }
            (Action::Add { x, y, shape, color, size }, Appearance::Scatter) => {
                raw.copy_from_slice(&[1, x.into(), y.into(), shape as i32, color as i32, size as i32]);
            }
            (Action::Remove { x, .. }, Appearance::Tower) => raw[..2].copy_from_slice(&[2, x.into()]),
            (Action::Remove { x, y }, Appearance::Scatter) => raw[..3].copy_from_slice(&[2, x.into(), y.into()]),
        }
    }

    /// The pixels of a cell of the image.
    pub(crate) fn cell(self, x: u16, y: u16) -> Rect {
        let edge = |i: u32, all: usize, n: u32| (i * all as u32 / n) as i32;
        let (x, y) = (u32::from(x), u32::from(y));
        Rect {
            left: edge(x, WIDTH, self.columns),
            top: edge(y, HEIGHT, self.rows),
            right: edge(x + 1, WIDTH, self.columns),
            bottom: edge(y + 1, HEIGHT, self.rows),
        }
    }

    /// The box that a cell belongs to: that of its left side; `None` on a separator.
    pub(crate) fn owner(cell: Rect) -> Option<usize> {
        (cell.left % BOX_PITCH < BOX_SIDE).then_some((cell.left / BOX_PITCH) as usize)
    }
}
