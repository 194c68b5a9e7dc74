//! What stands in the three boxes.

use std::ops::Range;

use heldout_core::check::within;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Boxes in a scene.
pub(crate) const BOXES: usize = 3;
/// What the boxes are called.
pub(crate) const BOX_NAMES: [&str; BOXES] = ["left", "middle", "right"];
/// Side of a box, in pixels.
pub(crate) const BOX_SIDE: i32 = 100;
/// Distance between the left sides of neighbouring boxes, in pixels.
pub(crate) const BOX_PITCH: i32 = 140;
/// Least coordinate of an object that has stuck to another across the border of its box, and more.
pub(crate) const NEAREST: i16 = -32;
/// The greatest.
pub(crate) const FARTHEST: i16 = 132;
/// Most items in a scene: NLVR's largest image has 24, and a default episode adds ten.
pub(crate) const MAX_ITEMS: usize = 40;

/// Colours, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Color {
    #[default]
    Yellow,
    Black,
    Blue,
}

/// Shapes, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shape {
    #[default]
    Circle,
    Square,
    /// A triangle that stands on its base.
    Triangle,
}

/// Sizes, in the order of the public action numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Size {
    #[default]
    Small,
    Medium,
    Large,
}

impl Color {
    pub(crate) const ALL: [Self; 3] = [Self::Yellow, Self::Black, Self::Blue];
}

impl Shape {
    pub(crate) const ALL: [Self; 3] = [Self::Circle, Self::Square, Self::Triangle];
}

impl Size {
    pub(crate) const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// Length of the side of the bounding square.
    pub(crate) const fn pixels(self) -> i32 {
        10 * (self as i32 + 1)
    }
}

/// One object: its place is the upper left corner of its bounding square, in pixels within its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) x: i16,
    pub(crate) y: i16,
    pub(crate) shape: Shape,
    pub(crate) color: Color,
    pub(crate) size: Size,
}

/// Programs see heights from the bottom of the box.
impl Item {
    pub(crate) fn left(&self) -> i32 {
        self.x.into()
    }

    pub(crate) fn right(&self) -> i32 {
        i32::from(self.x) + self.size.pixels()
    }

    /// Height of its upper side.
    pub(crate) fn top(&self) -> i32 {
        BOX_SIDE - i32::from(self.y)
    }

    /// Height of its lower side.
    pub(crate) fn bottom(&self) -> i32 {
        BOX_SIDE - (i32::from(self.y) + self.size.pixels())
    }

    /// Checks that it lies in its box or sticks out of it by what an object can.
    pub(crate) fn check(&self) -> Result<(), String> {
        within("x", self.x, NEAREST..=FARTHEST)?;
        within("y", self.y, NEAREST..=FARTHEST)
    }

    /// The gap between the bounding squares of two items along the axis where it is larger; negative if they overlap.
    pub(crate) fn distance(&self, other: &Self) -> i32 {
        let across = (self.left() - other.right()).max(other.left() - self.right());
        let along = (self.bottom() - other.top()).max(other.bottom() - self.top());
        across.max(along)
    }
}

/// Three ordered lists of items, kept as one: box after box.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
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
    pub(crate) fn items(&self) -> &[Item] {
        &self.items[..self.len()]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends[BOXES - 1].into()
    }

    /// Which items are in box `index`.
    pub(crate) fn range(&self, index: usize) -> Range<usize> {
        let begin = if index == 0 { 0 } else { self.ends[index - 1].into() };
        begin..self.ends[index].into()
    }

    /// The items of box `index`, in its order.
    pub(crate) fn of(&self, index: usize) -> &[Item] {
        &self.items[self.range(index)]
    }

    /// The box of item `index`.
    pub(crate) fn box_of(&self, index: usize) -> usize {
        self.ends.iter().take_while(|&&end| usize::from(end) <= index).count()
    }

    /// Whether box `index` is a tower: squares alone, and all with their right sides in one line.
    pub(crate) fn is_tower(&self, index: usize) -> bool {
        let items = self.of(index);
        items.first().is_some_and(|first| items.iter().all(|i| i.shape == Shape::Square && i.right() == first.right()))
    }

    /// Appends `item` to box `index`; `false` if the scene is full.
    pub(crate) fn push(&mut self, index: usize, item: Item) -> bool {
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
    pub(crate) fn remove(&mut self, index: usize) -> Item {
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
    pub(crate) fn permuted(&self, order: [usize; BOXES]) -> Self {
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
