//! Fillers: what is said of an object, in words and as a condition on `y`.

use crate::config::Appearance;

/// Bits of the categories, in the order of [`crate::CATEGORIES`].
pub(super) mod category {
    pub(in super::super) const HARD: u16 = 1;
    pub(in super::super) const SOFT: u16 = 1 << 1;
    pub(in super::super) const EXISTENTIAL: u16 = 1 << 2;
    pub(in super::super) const UNIVERSAL: u16 = 1 << 3;
    pub(in super::super) const COORDINATION: u16 = 1 << 4;
    pub(in super::super) const COREFERENCE: u16 = 1 << 5;
    pub(in super::super) const SPATIAL: u16 = 1 << 6;
    pub(in super::super) const COMPARATIVE: u16 = 1 << 7;
    pub(in super::super) const PRESUPPOSITION: u16 = 1 << 8;
    pub(in super::super) const NEGATION: u16 = 1 << 9;
    pub(in super::super) const SYNTAX_COORDINATION: u16 = 1 << 10;
    pub(in super::super) const PP: u16 = 1 << 11;
}

use category::{COORDINATION, NEGATION, PP, SPATIAL, SYNTAX_COORDINATION};

/// A description of an object.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    /// One of them, without an article.
    pub(super) one: String,
    /// Several of them.
    pub(super) many: String,
    /// The condition on `y`.
    pub(super) condition: String,
    pub(super) categories: u16,
}

impl Phrase {
    fn new(head: &str, tail: &str, condition: String, categories: u16) -> Self {
        let (one, many) = match tail.strip_prefix("that is") {
            Some(rest) => (format!("{head} that is{rest}"), format!("{head}s that are{rest}")),
            None if tail.is_empty() => (head.to_owned(), format!("{head}s")),
            None => (format!("{head} {tail}"), format!("{head}s {tail}")),
        };
        Self { one, many, condition, categories }
    }

    /// One of them, with its article.
    pub(super) fn a(&self) -> String {
        let article = if self.one.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {}", self.one)
    }
}

/// Names of the colours; those of the enum are the same in capitals.
pub(super) const COLORS: [&str; 3] = ["yellow", "black", "blue"];
/// Names of the shapes.
pub(super) const SHAPES: [&str; 3] = ["circle", "square", "triangle"];
/// Names of the sizes: in sentences, in predicates, in the enum.
pub(super) const SIZES: [(&str, &str, &str); 3] =
    [("small", "is_small", "SMALL"), ("medium", "is_medium", "MEDIUM"), ("big", "is_big", "BIG")];
/// Names of the walls: in sentences and in the enum.
const WALLS: [(&str, &str); 4] = [("top", "TOP"), ("bottom", "BOTTOM"), ("left", "LEFT"), ("right", "RIGHT")];

/// The enum's member for a colour or a shape.
pub(super) fn member(space: &str, name: &str) -> String {
    format!("{space}.{}", name.to_uppercase())
}

/// The fillers of one appearance. The first three are the colours alone.
pub(super) fn phrases(appearance: Appearance) -> Vec<Phrase> {
    match appearance {
        Appearance::Tower => blocks(),
        Appearance::Scatter => objects(),
    }
}

fn blocks() -> Vec<Phrase> {
    let head = |c: &str| format!("{c} block");
    let is = |c: &str| format!("is_{c}(y)");
    let mut all: Vec<Phrase> = COLORS.iter().map(|c| Phrase::new(&head(c), "", is(c), 0)).collect();
    for c in COLORS {
        for (tail, test) in [
            ("at the top", "is_top(y)"),
            ("at the base", "is_bottom(y)"),
            ("in the second place", "is_second(y)"),
            ("in the third place", "is_third(y)"),
        ] {
            all.push(Phrase::new(&head(c), tail, format!("{} and {test}", is(c)), SPATIAL | PP));
        }
        all.push(Phrase::new("block", &format!("that is not {c}"), format!("NOT({})", is(c)), NEGATION));
        let same = "get_above(y) and get_below(y) and all_same_color(union(get_above(y), get_below(y)))";
        let tail = "between two blocks of one color";
        all.push(Phrase::new(&head(c), tail, format!("{} and {same}", is(c)), SPATIAL | PP));
    }
    for (i, c) in COLORS.iter().enumerate() {
        for (j, d) in COLORS.iter().enumerate() {
            for (tail, get) in
                [("on", "get_below"), ("somewhere below", "get_box_all_above"), ("touching", "get_touching")]
            {
                // Of two that touch each other neither is the only one.
                if get == "get_touching" && c == d {
                    continue;
                }
                let condition = format!("{} and exist(filter_color({get}(y), {}))", is(c), member("Color", d));
                all.push(Phrase::new(&head(c), &format!("{tail} a {d} block"), condition, SPATIAL | PP));
            }
            if i < j {
                let condition = format!("OR({}, {})", is(c), is(d));
                let categories = COORDINATION | SYNTAX_COORDINATION;
                all.push(Phrase::new("block", &format!("that is {c} or {d}"), condition, categories));
            }
        }
    }
    all
}

fn objects() -> Vec<Phrase> {
    let is = |name: &str| format!("is_{name}(y)");
    let mut all: Vec<Phrase> = COLORS.iter().map(|c| Phrase::new(&format!("{c} item"), "", is(c), 0)).collect();
    all.extend(SHAPES.iter().map(|s| Phrase::new(s, "", is(s), 0)));
    for s in SHAPES {
        for c in COLORS {
            all.push(Phrase::new(&format!("{c} {s}"), "", format!("{} and {}", is(c), is(s)), 0));
            let condition = format!("AND({}, {}) and NOT(is_touching_wall(y))", is(c), is(s));
            all.push(Phrase::new(&format!("{c} {s}"), "not touching any wall", condition, SPATIAL | NEGATION));
        }
        for (size, test, _) in SIZES {
            all.push(Phrase::new(&format!("{size} {s}"), "", format!("{test}(y) and {}", is(s)), 0));
        }
        for (wall, side) in WALLS {
            let condition = format!("{} and is_touching_wall(y, Side.{side})", is(s));
            all.push(Phrase::new(s, &format!("touching the {wall} wall"), condition, SPATIAL));
        }
        for (tail, test) in [
            ("touching a wall", "is_touching_wall(y)"),
            ("nearly touching a wall", "is_closely_touching_wall(y)"),
            ("touching a corner", "is_touching_corner(y)"),
            ("nearly touching a corner", "is_closely_touching_corner(y, side=Side.ANY)"),
        ] {
            all.push(Phrase::new(s, tail, format!("{} and {test}", is(s)), SPATIAL));
        }
    }
    for c in COLORS {
        for (size, test, _) in SIZES {
            all.push(Phrase::new(&format!("{size} {c} item"), "", format!("{test}(y) and {}", is(c)), 0));
        }
        for (tail, test) in [
            ("touching a wall", "is_touching_wall(y, Side.ANY)"),
            ("nearly touching the bottom wall", "is_closely_touching_wall(y, side=Side.BOTTOM)"),
            ("higher than all others in the box", "is_top(y)"),
        ] {
            all.push(Phrase::new(&format!("{c} item"), tail, format!("{} and {test}", is(c)), SPATIAL));
        }
        for d in COLORS {
            for (tail, get) in [("above", "get_below"), ("below", "get_above"), ("touching", "get_touching")] {
                // Of two that touch each other neither is the only one.
                if get == "get_touching" && c == d {
                    continue;
                }
                let condition = format!("{} and exist(filter_color({get}(y), {}))", is(c), member("Color", d));
                all.push(Phrase::new(&format!("{c} item"), &format!("{tail} a {d} item"), condition, SPATIAL | PP));
            }
        }
        for s in SHAPES {
            let condition = format!("{} and exist(filter_shape(get_box_all_below(y), {}))", is(c), member("Shape", s));
            all.push(Phrase::new(&format!("{c} item"), &format!("over a {s}"), condition, SPATIAL | PP));
        }
    }
    all
}
