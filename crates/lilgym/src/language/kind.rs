//! What a value can be, as far as a program's text tells.

pub(crate) const BOOL: u16 = 1;
pub(crate) const INT: u16 = 1 << 1;
pub(crate) const ITEM: u16 = 1 << 2;
pub(crate) const BOX: u16 = 1 << 3;
pub(crate) const COLOR: u16 = 1 << 4;
pub(crate) const SHAPE: u16 = 1 << 5;
pub(crate) const SIZE: u16 = 1 << 6;
pub(crate) const SIDE: u16 = 1 << 7;
pub(crate) const LIST: u16 = 1 << 8;
pub(crate) const SET: u16 = 1 << 9;
pub(crate) const TUPLE: u16 = 1 << 10;
pub(crate) const METHOD: u16 = 1 << 11;
/// Any kind.
pub(crate) const ANY: u16 = (1 << 12) - 1;
/// What can be walked through.
pub(crate) const ITERABLE: u16 = LIST | SET | TUPLE | BOX;
/// An item, or several.
pub(crate) const ITEMS_LIKE: u16 = ITEM | ITERABLE;
/// A colour, or several.
pub(crate) const COLOR_LIKE: u16 = COLOR | LIST | SET | TUPLE;
/// A shape, or several.
pub(crate) const SHAPE_LIKE: u16 = SHAPE | LIST | SET | TUPLE;
/// A size, or several.
pub(crate) const SIZE_LIKE: u16 = SIZE | LIST | SET | TUPLE;

/// The kinds a value may be of, and those of what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) own: u16,
    pub(crate) element: u16,
    /// Kinds of what is in its elements.
    pub(crate) inner: u16,
}

impl Kind {
    /// One of `own`, with anything in it.
    pub(crate) const fn of(own: u16) -> Self {
        Self { own, element: ANY, inner: ANY }
    }

    /// One of `own`, with nothing but `element` in it.
    pub(crate) const fn all(own: u16, element: u16) -> Self {
        Self { own, element, inner: ANY }
    }

    /// Either.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self { own: self.own | other.own, element: self.element | other.element, inner: self.inner | other.inner }
    }

    /// What an element of it is.
    pub(crate) const fn of_element(self) -> Self {
        let boxes_alone = self.own & ITERABLE == BOX;
        let mut element = if boxes_alone { ITEM } else { self.element };
        if self.own & BOX != 0 {
            element |= ITEM;
        }
        Self { own: element, element: self.inner, inner: ANY }
    }
}

/// `kinds` in words.
pub(crate) fn describe(kinds: u16) -> String {
    const NAMES: [&str; 12] =
        ["boolean", "integer", "item", "box", "colour", "shape", "size", "side", "list", "set", "tuple", "method"];
    let names: Vec<_> = NAMES.iter().enumerate().filter(|(i, _)| kinds >> i & 1 == 1).map(|(_, n)| *n).collect();
    names.join(" or ")
}
