//! Which edits are valid, and what they do.

use crate::action::{Action, Numbers, TOWER_HEIGHT};
use crate::config::{Actions, Appearance, RemoveRule};
use crate::environment::LilGym;
use crate::geometry::{Rect, inside, overlap, stick, taken};
use crate::scene::{BOX_PITCH, BOX_SIDE, Color, Item, MAX_ITEMS, Scene, Shape, Size};

/// Left side of every block of a tower.
pub(crate) const TOWER_X: i16 = 40;
/// Distance between the blocks of a tower: 20 pixels and a gap.
pub(crate) const TOWER_PITCH: i16 = 21;
/// Where the block below the lowest would be.
const TOWER_GROUND: i16 = 101;

/// Why an action is invalid. The numbers are those of the metric `invalid_cause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Invalid {
    /// It would cross the border of its box, or the box is full.
    CannotFit = 1,
    Separator = 2,
    Nothing = 3,
    Onto = 4,
}

impl Invalid {
    pub(crate) const fn told(self) -> &'static str {
        match self {
            Self::CannotFit => "cannot fit",
            Self::Separator => "on a separator",
            Self::Nothing => "nothing to remove",
            Self::Onto => "onto another object",
        }
    }
}

/// What a valid edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Appends an item to a box.
    Add(usize, Item),
    /// Takes the item with this number out.
    Remove(usize),
}

impl Change {
    pub(crate) fn apply(self, scene: &mut Scene) {
        match self {
            Self::Add(owner, item) => {
                scene.push(owner, item);
            }
            Self::Remove(index) => {
                scene.remove(index);
            }
        }
    }
}

/// The block that comes on top of `blocks`.
pub(crate) fn block(blocks: &[Item], color: Color) -> Item {
    let y = blocks.last().map_or(TOWER_GROUND, |below| below.y) - TOWER_PITCH;
    Item { x: TOWER_X, y, shape: Shape::Square, color, size: Size::Medium }
}

impl LilGym {
    /// What `action` would do to `scene`; STOP is no edit.
    pub(crate) fn judge(&self, scene: &Scene, action: Action) -> Result<Option<Change>, Invalid> {
        self.judge_as(scene, action, self.config.cell_search)
    }

    /// Whether `action` is valid in `scene`, without finding out what it would do.
    pub(crate) fn is_valid(&self, scene: &Scene, action: Action) -> bool {
        match self.task.appearance {
            _ if action == Action::Stop => true,
            Appearance::Tower => Self::judge_tower(scene, action).is_ok(),
            Appearance::Scatter => self.judge_scatter(scene, action, self.config.cell_search).is_ok(),
        }
    }

    /// Shows which actions are valid in `scene`: each of the flat numbering, or each value of every component.
    ///
    /// STOP is valid always and ignores all components but the first, so that any value of these is part of a valid action.
    pub(crate) fn show_valid(&self, scene: &Scene, mask: &mut [u8]) {
        if self.config.actions == Actions::Flat {
            for (id, valid) in mask.iter_mut().enumerate() {
                *valid = u8::from(self.is_valid(scene, self.numbers.action(id as u32)));
            }
            return;
        }
        mask.fill(1);
        let any = |adds: bool| {
            let mut actions = (1..self.numbers.flat()).map(|id| self.numbers.action(id));
            actions.any(|action| matches!(action, Action::Add { .. }) == adds && self.is_valid(scene, action))
        };
        (mask[1], mask[2]) = (u8::from(any(true)), u8::from(any(false)));
    }

    /// The same as [`LilGym::judge`], with a search of the cell or without: what is valid without it does the same with it.
    pub(crate) fn judge_as(&self, scene: &Scene, action: Action, search: bool) -> Result<Option<Change>, Invalid> {
        if action == Action::Stop {
            return Ok(None);
        }
        let change = match self.task.appearance {
            Appearance::Tower => Self::judge_tower(scene, action)?,
            Appearance::Scatter => match self.judge_scatter(scene, action, search)? {
                Change::Add(owner, item) => Change::Add(owner, self.settled(scene, owner, item)),
                removal @ Change::Remove(_) => removal,
            },
        };
        Ok(Some(change))
    }

    /// Where an object that is put down comes to rest.
    fn settled(&self, scene: &Scene, owner: usize, item: Item) -> Item {
        if self.config.stick < 0 {
            return item;
        }
        let (dx, dy) = stick(&item, scene, owner, self.config.stick);
        let moved = Item { x: item.x + dx as i16, y: item.y + dy as i16, ..item };
        if self.config.border_check && !inside(&moved) { item } else { moved }
    }

    fn judge_tower(scene: &Scene, action: Action) -> Result<Change, Invalid> {
        match action {
            Action::Add { x, color, .. } => {
                let (owner, blocks) = (usize::from(x), scene.of(x.into()));
                if blocks.len() >= TOWER_HEIGHT || scene.len() == MAX_ITEMS {
                    return Err(Invalid::CannotFit);
                }
                Ok(Change::Add(owner, block(blocks, color)))
            }
            Action::Remove { x, .. } => scene.range(x.into()).next_back().map(Change::Remove).ok_or(Invalid::Nothing),
            Action::Stop => Err(Invalid::Nothing),
        }
    }

    fn judge_scatter(&self, scene: &Scene, action: Action, search: bool) -> Result<Change, Invalid> {
        let (Action::Add { x, y, .. } | Action::Remove { x, y }) = action else { return Err(Invalid::Nothing) };
        let cell = self.numbers.cell(x, y);
        let owner = Numbers::owner(cell).ok_or(Invalid::Separator)?;
        let Action::Add { shape, color, size, .. } = action else {
            let largest = self.config.remove_rule == RemoveRule::Object;
            return taken(scene, owner, cell, largest).map(Change::Remove).ok_or(Invalid::Nothing);
        };
        let offset = BOX_PITCH * owner as i32;
        let mut item = Item { x: (cell.left - offset) as i16, y: cell.top as i16, shape, color, size };
        let crowded = self.config.box_limit > 0 && scene.of(owner).len() >= self.config.box_limit as usize;
        if !inside(&item) || crowded || scene.len() == MAX_ITEMS {
            return Err(Invalid::CannotFit);
        }
        let free = |item: &Item| !scene.of(owner).iter().any(|other| overlap(item, other, owner));
        if !free(&item) {
            let other = search.then(|| Self::elsewhere(cell, offset, item, free)).flatten();
            item = other.ok_or(Invalid::Onto)?;
        }
        Ok(Change::Add(owner, item))
    }

    /// The first pixel of `cell`, row by row, where `item` is free.
    fn elsewhere(cell: Rect, offset: i32, item: Item, free: impl Fn(&Item) -> bool) -> Option<Item> {
        let places = (cell.top..cell.bottom.min(BOX_SIDE))
            .flat_map(|y| (cell.left - offset..(cell.right - offset).min(BOX_SIDE)).map(move |x| (x, y)));
        places.map(|(x, y)| Item { x: x as i16, y: y as i16, ..item }).find(|item| inside(item) && free(item))
    }
}
