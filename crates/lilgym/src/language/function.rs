//! The functions that programs may call.

use super::kind::{
    ANY, BOOL, COLOR, COLOR_LIKE, INT, ITEM, ITEMS_LIKE, ITERABLE, Kind, LIST, SET, SHAPE, SHAPE_LIKE, SIZE, SIZE_LIKE,
    TUPLE,
};

/// What a function takes in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    /// A value of one of these kinds.
    Value(u16),
    /// A function of one argument.
    Function,
    /// A side of the box; `Side.ANY` if it is left out. Its keyword.
    Side(&'static str),
    /// A function of one argument that may be left out. Its keyword.
    Key,
}

macro_rules! functions {
    ($($variant:ident $name:literal [$($param:expr),*] $result:expr;)*) => {
        /// A function of the programs' API, or one of Python's own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function { $(#[doc = concat!("`", $name, "`.")] $variant,)* }

        impl Function {
            /// All of them.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What programs call it.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it takes.
            pub(crate) const fn params(self) -> &'static [Param] {
                use Param::{Function as F, Key, Side, Value as V};
                match self { $(Self::$variant => &[$($param),*],)* }
            }

            /// What it gives, as far as that does not depend on the arguments.
            pub(crate) const fn result(self) -> Kind {
                match self { $(Self::$variant => $result,)* }
            }
        }
    };
}

const TRUTH: Kind = Kind::of(BOOL);
const NUMBER: Kind = Kind::of(INT);
const ITEM_SET: Kind = Kind::all(SET, ITEM);
const UNKNOWN: Kind = Kind::of(ANY);

functions! {
    And "AND" [V(BOOL), V(BOOL)] TRUTH;
    Or "OR" [V(BOOL), V(BOOL)] TRUTH;
    Not "NOT" [V(BOOL)] TRUTH;
    Count "count" [V(ITERABLE)] NUMBER;
    Exist "exist" [V(ITERABLE)] TRUTH;
    Unique "unique" [V(ITERABLE)] UNKNOWN;
    FilterObj "filter_obj" [V(ITERABLE), F] Kind::of(LIST);
    FilterColor "filter_color" [V(ITERABLE), V(COLOR | LIST)] Kind::of(LIST);
    FilterShape "filter_shape" [V(ITERABLE), V(SHAPE | LIST)] Kind::of(LIST);
    FilterSize "filter_size" [V(ITERABLE), V(SIZE | LIST)] Kind::of(LIST);
    All "All" [V(ITERABLE), F] TRUTH;
    Any "Any" [V(ITERABLE), F] TRUTH;
    Union "union" [V(SET), V(ITERABLE)] Kind::of(SET);
    Intersect "intersect" [V(SET), V(ITERABLE)] Kind::of(SET);
    Contained "contained" [V(ITERABLE), V(ITERABLE)] TRUTH;
    EqualSet "equal_set" [V(ITERABLE), V(ITERABLE)] TRUTH;
    MemberOf "member_of" [V(ANY), V(ITERABLE)] TRUTH;
    AllSame "all_same" [V(ITERABLE)] TRUTH;
    AllSameAttribute "all_same_attribute" [V(ITERABLE), F] TRUTH;
    AllSameColor "all_same_color" [V(ITEMS_LIKE)] TRUTH;
    AllSameShape "all_same_shape" [V(ITEMS_LIKE)] TRUTH;
    AllSameSize "all_same_size" [V(ITEMS_LIKE)] TRUTH;
    Combinations "combinations" [V(ITERABLE), V(INT)] Kind::all(LIST, TUPLE);
    IsYellow "is_yellow" [V(ITEM)] TRUTH;
    IsBlue "is_blue" [V(ITEM)] TRUTH;
    IsBlack "is_black" [V(ITEM)] TRUTH;
    IsCircle "is_circle" [V(ITEM)] TRUTH;
    IsSquare "is_square" [V(ITEM)] TRUTH;
    IsTriangle "is_triangle" [V(ITEM)] TRUTH;
    IsSmall "is_small" [V(ITEM)] TRUTH;
    IsMedium "is_medium" [V(ITEM)] TRUTH;
    IsBig "is_big" [V(ITEM)] TRUTH;
    IsTop "is_top" [V(ITEM)] TRUTH;
    IsBottom "is_bottom" [V(ITEM)] TRUTH;
    IsSecond "is_second" [V(ITEM)] TRUTH;
    IsThird "is_third" [V(ITEM)] TRUTH;
    IsTouchingWall "is_touching_wall" [V(ITEM), Side("side")] TRUTH;
    IsCloselyTouchingWall "is_closely_touching_wall" [V(ITEM), Side("side")] TRUTH;
    IsTouchingCorner "is_touching_corner" [V(ITEM), Side("side")] TRUTH;
    IsCloselyTouchingCorner "is_closely_touching_corner" [V(ITEM), Side("side")] TRUTH;
    IsCloselyTouchingSpecificCorner "is_closely_touching_specific_corner" [V(ITEM), Side("sideA"), Side("sideB")] TRUTH;
    IsCloselyTouching "is_closely_touching" [V(ITEM), V(ITEM)] TRUTH;
    GetTouching "get_touching" [V(ITEMS_LIKE)] ITEM_SET;
    GetCloselyTouching "get_closely_touching" [V(ITEMS_LIKE)] ITEM_SET;
    GetAbove "get_above" [V(ITEMS_LIKE)] ITEM_SET;
    GetBelow "get_below" [V(ITEMS_LIKE)] ITEM_SET;
    GetBoxAllAbove "get_box_all_above" [V(ITEMS_LIKE)] ITEM_SET;
    GetBoxAllBelow "get_box_all_below" [V(ITEMS_LIKE)] ITEM_SET;
    GetBoxInclusive "get_box_inclusive" [V(ITEM)] Kind::all(LIST, ITEM);
    GetBoxExclusive "get_box_exclusive" [V(ITEM)] Kind::all(LIST, ITEM);
    QueryColor "query_color" [V(ITEMS_LIKE)] Kind::all(LIST, COLOR);
    QueryShape "query_shape" [V(ITEMS_LIKE)] Kind::all(LIST, SHAPE);
    QuerySize "query_size" [V(ITEMS_LIKE)] Kind::all(LIST, SIZE);
    GetSetColors "get_set_colors" [V(ITERABLE)] Kind::all(SET, COLOR);
    GetSetShapes "get_set_shapes" [V(ITERABLE)] Kind::all(SET, SHAPE);
    GetSetSizes "get_set_sizes" [V(ITERABLE)] Kind::all(SET, SIZE);
    Ge "ge" [V(INT), V(INT)] TRUTH;
    Gt "gt" [V(INT), V(INT)] TRUTH;
    Le "le" [V(INT), V(INT)] TRUTH;
    Lt "lt" [V(INT), V(INT)] TRUTH;
    EqualInt "equal_int" [V(INT), V(INT)] TRUTH;
    Equal "equal" [V(ANY), V(ANY)] TRUTH;
    EqualColor "equal_color" [V(COLOR_LIKE), V(COLOR_LIKE)] TRUTH;
    EqualShape "equal_shape" [V(SHAPE_LIKE), V(SHAPE_LIKE)] TRUTH;
    EqualSize "equal_size" [V(SIZE_LIKE), V(SIZE_LIKE)] TRUTH;
    Select "select" [V(INT), V(ITERABLE)] Kind::all(LIST, LIST);
    UnionAll "union_all" [V(ITERABLE)] Kind::of(SET);
    IntersectAll "intersect_all" [V(ITERABLE)] Kind::of(LIST | SET);
    SetOf "set" [V(ITERABLE)] Kind::of(SET);
    Len "len" [V(ITERABLE)] NUMBER;
    Min "min" [V(ITERABLE), Key] UNKNOWN;
    Max "max" [V(ITERABLE), Key] UNKNOWN;
    AllTrue "all" [V(ITERABLE)] TRUTH;
    AnyTrue "any" [V(ITERABLE)] TRUTH;
}

impl Function {
    /// The function called `name`.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// How many arguments it cannot do without.
    pub(crate) fn required(self) -> usize {
        self.params().iter().filter(|p| matches!(p, Param::Value(_) | Param::Function)).count()
    }

    /// The attribute (colour, shape, size) whose member it asks for, and that member's place.
    pub(crate) fn attribute(self) -> Option<(usize, usize)> {
        Some(match self {
            Self::IsYellow => (0, 0),
            Self::IsBlack => (0, 1),
            Self::IsBlue => (0, 2),
            Self::IsCircle => (1, 0),
            Self::IsSquare => (1, 1),
            Self::IsTriangle => (1, 2),
            Self::IsSmall => (2, 0),
            Self::IsMedium => (2, 1),
            Self::IsBig => (2, 2),
            _ => return None,
        })
    }

    /// Whether it looks at where an item is, beyond which box.
    pub(crate) fn is_spatial(self) -> bool {
        (Self::IsTop as u8..=Self::GetBoxAllBelow as u8).contains(&(self as u8))
    }
}
