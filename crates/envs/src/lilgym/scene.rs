//! What stands in the three boxes.

use std::ops::Range;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Boxes in a scene.
pub const BOXES: usize = 3;
/// Side of a box, in pixels.
pub(super) const BOX_SIDE: i32 = 100;
/// Distance between the left sides of neighbouring boxes, in pixels.
pub(super) const BOX_PITCH: i32 = 140;
/// Most items in a scene: NLVR's largest image has 24, and a default episode adds ten.
pub const MAX_ITEMS: usize = 40;

/// Colours, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Color {
    /// Yellow.
    #[default]
    Yellow,
    /// Black.
    Black,
    /// Blue.
    Blue,
}

/// Shapes, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A circle.
    #[default]
    Circle,
    /// A square.
    Square,
    /// A triangle that stands on its base.
    Triangle,
}

/// Sizes, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// 10 pixels.
    #[default]
    Small,
    /// 20 pixels.
    Medium,
    /// 30 pixels.
    Large,
}

impl Color {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Yellow, Self::Black, Self::Blue];
}

impl Shape {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Circle, Self::Square, Self::Triangle];
}

impl Size {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// Length of the side of the bounding square.
    #[must_use]
    pub const fn pixels(self) -> i32 {
        10 * (self as i32 + 1)
    }
}

/// One object: its place is the upper left corner of its bounding square, in pixels within its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Pixels from the left side of the box.
    pub x: i16,
    /// Pixels from the top of the box.
    pub y: i16,
    /// Its shape.
    pub shape: Shape,
    /// Its colour.
    pub color: Color,
    /// Its size.
    pub size: Size,
}

/// Programs see heights from the bottom of the box.
impl Item {
    /// Its left side.
    #[must_use]
    pub fn left(&self) -> i32 {
        self.x.into()
    }

    /// Its right side.
    #[must_use]
    pub fn right(&self) -> i32 {
        i32::from(self.x) + self.size.pixels()
    }

    /// Height of its upper side.
    #[must_use]
    pub fn top(&self) -> i32 {
        BOX_SIDE - i32::from(self.y)
    }

    /// Height of its lower side.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        BOX_SIDE - (i32::from(self.y) + self.size.pixels())
    }

    /// The gap between the bounding squares of two items along the axis where it is larger; negative if they overlap.
    #[must_use]
    pub fn distance(&self, other: &Self) -> i32 {
        let across = (self.left() - other.right()).max(other.left() - self.right());
        let along = (self.bottom() - other.top()).max(other.bottom() - self.top());
        across.max(along)
    }
}

/// Three ordered lists of items, kept as one: box after box.
#[derive(Clone, Copy)]
pub struct Scene {
    items: [Item; MAX_ITEMS],
    /// Where each box's items end.
    ends: [u8; BOXES],
}

impl Default for Scene {
    fn default() -> Self {
        Self { items: [Item::default(); MAX_ITEMS], ends: [0; BOXES] }
    }
}

impl Scene {
    /// All items, box after box.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items[..self.len()]
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends[BOXES - 1].into()
    }

    /// Whether all boxes are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which items are in box `index`.
    #[must_use]
    pub fn range(&self, index: usize) -> Range<usize> {
        let begin = if index == 0 { 0 } else { self.ends[index - 1].into() };
        begin..self.ends[index].into()
    }

    /// The items of box `index`, in its order.
    #[must_use]
    pub fn of(&self, index: usize) -> &[Item] {
        &self.items[self.range(index)]
    }

    /// The box of item `index`.
    #[must_use]
    pub fn box_of(&self, index: usize) -> usize {
        self.ends.iter().take_while(|&&end| usize::from(end) <= index).count()
    }

    /// Whether box `index` is a tower: squares alone, and all with their right sides in one line.
    #[must_use]
    pub fn is_tower(&self, index: usize) -> bool {
        let items = self.of(index);
        items.first().is_some_and(|first| items.iter().all(|i| i.shape == Shape::Square && i.right() == first.right()))
    }

    /// Appends `item` to box `index`; `false` if the scene is full.
    pub fn push(&mut self, index: usize, item: Item) -> bool {
        let len = self.len();
        if len == MAX_ITEMS {
            return false;
        }
        let at = usize::from(self.ends[index]);
        self.items.copy_within(at..len, at + 1);
        self.items[at] = item;
        for end in &mut self.ends[index..] {
            *end += 1;
        }
        true
    }

    /// Takes item `index` out.
    pub fn remove(&mut self, index: usize) -> Item {
        let (owner, len) = (self.box_of(index), self.len());
        let item = self.items[index];
        self.items.copy_within(index + 1..len, index);
        self.items[len - 1] = Item::default();
        for end in &mut self.ends[owner..] {
            *end -= 1;
        }
        item
    }

    /// The same boxes in another order.
    #[must_use]
    pub fn permuted(&self, order: [usize; BOXES]) -> Self {
        let mut scene = Self::default();
        for (index, from) in order.into_iter().enumerate() {
            for &item in self.of(from) {
                scene.push(index, item);
            }
        }
        scene
    }
}

impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.items() == other.items()
    }
}

impl Eq for Scene {}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((0..BOXES).map(|b| self.of(b))).finish()
    }
}

impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.ends, self.items()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (ends, items) = <([u8; BOXES], Vec<Item>)>::deserialize(deserializer)?;
        let ordered = ends[0] <= ends[1] && ends[1] <= ends[2];
        if !ordered || usize::from(ends[2]) != items.len() || items.len() > MAX_ITEMS {
            return Err(D::Error::custom("the items do not fill the boxes"));
        }
        let mut scene = Self { ends, ..Self::default() };
        scene.items[..items.len()].copy_from_slice(&items);
        Ok(scene)
    }
}
