//! Fillers: what is said of an object, in words and as a condition on `y`.

use crate::config::Appearance;

/// Bits of the categories, in the order of [`crate::corpus::CATEGORIES`]. They are of a sentence as it is worded, after the
/// examples of the paper (Table 5).
pub(super) mod category {
    /// A number that is exact.
    pub(in super::super) const HARD: u16 = 1;
    /// A bound of a number, or a share.
    pub(in super::super) const SOFT: u16 = 1 << 1;
    /// Something indefinite that is there, or that something has.
    pub(in super::super) const EXISTENTIAL: u16 = 1 << 2;
    /// All, every, only.
    pub(in super::super) const UNIVERSAL: u16 = 1 << 3;
    /// Clauses or phrases joined by "and", "but", "or", "yet" and the like.
    pub(in super::super) const COORDINATION: u16 = 1 << 4;
    /// A pronoun, "such" or "that" that refers back; relative pronouns do not.
    pub(in super::super) const COREFERENCE: u16 = 1 << 5;
    /// Where objects or boxes are.
    pub(in super::super) const SPATIAL: u16 = 1 << 6;
    /// More, fewer, the same, different.
    pub(in super::super) const COMPARATIVE: u16 = 1 << 7;
    /// A definite description of objects, towers or boxes, which must be there; parts of a box always are.
    pub(in super::super) const PRESUPPOSITION: u16 = 1 << 8;
    /// A negative word.
    pub(in super::super) const NEGATION: u16 = 1 << 9;
    /// Coordinated phrases that share what precedes or follows them.
    pub(in super::super) const SYNTAX_COORDINATION: u16 = 1 << 10;
    /// A prepositional phrase that can belong to either of two nouns, or to the verb.
    pub(in super::super) const PP: u16 = 1 << 11;
}

use category::{
    COMPARATIVE, COORDINATION, COREFERENCE, HARD, NEGATION, PP, PRESUPPOSITION, SPATIAL, SYNTAX_COORDINATION, UNIVERSAL,
};

/// A description of an object, in several wordings of one meaning.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) wordings: Vec<Wording>,
    /// The condition on `y`.
    pub(super) condition: String,
}

/// Words for an object.
#[derive(Clone, Debug)]
pub(super) struct Wording {
    /// One of them, without an article.
    pub(super) one: String,
    /// Several of them.
    pub(super) many: String,
    /// With [`PP`] if a prepositional phrase follows the noun.
    pub(super) categories: u16,
}

/// Words that begin a prepositional phrase here.
const PREPOSITIONS: [&str; 7] = ["at ", "in ", "on ", "with ", "directly ", "immediately ", "somewhere "];

/// Words that bring a category into whatever says them of an object.
const TELLING: [(&str, u16); 16] = [
    ("two", HARD),
    ("all", UNIVERSAL),
    ("every", UNIVERSAL),
    ("or", COORDINATION),
    ("it", COREFERENCE),
    ("its", COREFERENCE),
    ("higher", COMPARATIVE),
    ("lower", COMPARATIVE),
    ("less", COMPARATIVE),
    ("same", COMPARATIVE),
    ("share", COMPARATIVE),
    ("differs", COMPARATIVE),
    ("others", PRESUPPOSITION),
    ("not", NEGATION),
    ("anything", NEGATION),
    ("clear", NEGATION),
];

impl Wording {
    /// `tail` has two forms, of one and of several, on either side of a bar if "that is" is not all that tells them apart.
    fn new(head: &str, tail: &str, categories: u16) -> Self {
        let (own, plural) = tail.split_once('|').unwrap_or((tail, tail));
        let plural = plural.strip_prefix("that is").map_or(plural.to_owned(), |rest| format!("that are{rest}"));
        // The head's noun is its last word, and all nouns here have a regular plural.
        let [one, many] = [format!("{head} {own}"), format!("{head}s {plural}")].map(|text| text.trim_end().to_owned());
        let told = TELLING.iter().filter(|(word, _)| own.split(' ').any(|own| own == *word));
        let told = told.fold(0, |all, (_, bit)| all | bit);
        let attached = if PREPOSITIONS.iter().any(|word| own.starts_with(word)) { u16::MAX } else { !PP };
        Self { one, many, categories: categories & attached | told }
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

/// A phrase of each of `heads` with each of `tails`, of `categories` beside those that their words tell; [`PP`] where a
/// prepositional phrase among them could belong to another noun.
fn phrase(heads: &[String], tails: &[String], condition: String, categories: u16) -> Phrase {
    let nothing = [String::new()];
    let tails = if tails.is_empty() { &nothing } else { tails };
    let wordings =
        heads.iter().flat_map(|head| tails.iter().map(move |tail| Wording::new(head, tail, categories))).collect();
    Phrase { wordings, condition }
}

/// `tails` with `{d}` put in.
fn with(tails: &[&str], d: &str) -> Vec<String> {
    tails.iter().map(|tail| tail.replace("{d}", d)).collect()
}

/// Directly below, and directly above, whether or not the box is a tower.
const BELOW: &str = "intersect(get_box_all_below(y), get_touching(y))";
const ABOVE: &str = "intersect(get_box_all_above(y), get_touching(y))";

fn blocks() -> Vec<Phrase> {
    let heads = |c: &str| ["block", "brick", "cube"].map(|noun| format!("{c} {noun}"));
    let plain = ["block", "brick", "cube"].map(str::to_owned);
    let is = |c: &str| format!("is_{c}(y)");
    let mut all: Vec<Phrase> = COLORS.iter().map(|c| phrase(&heads(c), &[], is(c), 0)).collect();
    for c in COLORS {
        let places: [(&[&str], &str); 4] = [
            (
                &[
                    "at the top",
                    "on top of its tower|on top of their towers",
                    "at the very top of its box|at the very top of their boxes",
                    "that is topmost in its tower|that are topmost in their towers",
                ],
                "is_top(y)",
            ),
            (
                &[
                    "at the base",
                    "at the bottom of its tower|at the bottom of their towers",
                    "that is lowest in its tower|that are lowest in their towers",
                ],
                "is_bottom(y)",
            ),
            (
                &["in the second place from the ground", "that is second from the bottom", "on the second level"],
                "is_second(y)",
            ),
            (
                &["in the third place from the ground", "that is third from the bottom", "on the third level"],
                "is_third(y)",
            ),
        ];
        for (tails, test) in places {
            all.push(phrase(&heads(c), &with(tails, ""), format!("{} and {test}", is(c)), SPATIAL | PP));
        }
        let tails = with(&["that is not {d}", "that is anything but {d}", "whose color differs from {d}"], c);
        all.push(phrase(&plain, &tails, format!("NOT({})", is(c)), 0));
        let same = format!("exist({ABOVE}) and exist({BELOW}) and all_same_color(union({ABOVE}, {BELOW}))");
        let tails = ["directly between two blocks of the same color", "right between two blocks that share a color"];
        all.push(phrase(&heads(c), &with(&tails, ""), format!("{} and {same}", is(c)), SPATIAL | PP));
    }
    let relations: [(&[&str], &str); 5] = [
        (&["directly on a {d} block", "resting on a {d} block", "immediately above a {d} block"], BELOW),
        (&["directly under a {d} block", "supporting a {d} block", "immediately below a {d} block"], ABOVE),
        (
            &[
                "somewhere above a {d} block",
                "that is higher up in its tower than a {d} block|higher up in their towers than a {d} block",
            ],
            "get_box_all_below(y)",
        ),
        (
            &[
                "somewhere below a {d} block",
                "that is lower down in its tower than a {d} block|lower down in their towers than a {d} block",
            ],
            "get_box_all_above(y)",
        ),
        (&["touching a {d} block", "in contact with a {d} block", "adjacent to a {d} block"], "get_touching(y)"),
    ];
    for (i, c) in COLORS.iter().enumerate() {
        for (j, d) in COLORS.iter().enumerate() {
            for (tails, get) in relations {
                let condition = format!("{} and exist(filter_color({get}, {}))", is(c), member("Color", d));
                all.push(phrase(&heads(c), &with(tails, d), condition, SPATIAL | PP));
            }
            if i < j {
                let condition = format!("OR({}, {})", is(c), is(d));
                let tails = [format!("that is {c} or {d}"), format!("that is either {c} or {d}")];
                all.push(phrase(&plain, &tails, condition, SYNTAX_COORDINATION));
            }
        }
    }
    all
}

fn objects() -> Vec<Phrase> {
    let nouns = |c: &str| ["item", "object", "figure"].map(|noun| format!("{c} {noun}"));
    let one = |head: String| [head];
    let is = |name: &str| format!("is_{name}(y)");
    let mut all: Vec<Phrase> = COLORS.iter().map(|c| phrase(&nouns(c), &[], is(c), 0)).collect();
    all.extend(SHAPES.iter().map(|s| phrase(&one((*s).to_owned()), &[], is(s), 0)));
    for s in SHAPES {
        let head = one(s.to_owned());
        for c in COLORS {
            let both = one(format!("{c} {s}"));
            all.push(phrase(&both, &[], format!("{} and {}", is(c), is(s)), 0));
            let condition = format!("AND({}, {}) and NOT(is_touching_wall(y))", is(c), is(s));
            let tails = with(&["not touching any wall", "that is clear of all walls"], "");
            all.push(phrase(&both, &tails, condition, SPATIAL));
        }
        for (size, test, _) in SIZES {
            let words: &[&str] = match size {
                "small" => &["small", "little", "tiny"],
                "medium" => &["medium", "middling"],
                _ => &["big", "large", "huge"],
            };
            let heads: Vec<_> = words.iter().map(|word| format!("{word} {s}")).collect();
            all.push(phrase(&heads, &[], format!("{test}(y) and {}", is(s)), 0));
        }
        for (wall, side) in WALLS {
            let condition = format!("{} and is_touching_wall(y, Side.{side})", is(s));
            let flush = "flush with the {d} edge of its box|flush with the {d} edge of their boxes";
            let tails = with(&["touching the {d} wall", flush, "against the {d} wall"], wall);
            all.push(phrase(&head, &tails, condition, SPATIAL));
        }
        let walls: [(&[&str], &str); 4] = [
            (
                &[
                    "touching a wall",
                    "touching an edge of its box|touching an edge of their boxes",
                    "pushed against a wall",
                ],
                "is_touching_wall(y)",
            ),
            (&["touching or nearly touching a wall", "at most a hair away from a wall"], "is_closely_touching_wall(y)"),
            (&["touching a corner", "placed exactly in a corner"], "is_touching_corner(y)"),
            (
                &["in or very near a corner", "touching or nearly touching a corner"],
                "is_closely_touching_corner(y, side=Side.ANY)",
            ),
        ];
        for (tails, test) in walls {
            all.push(phrase(&head, &with(tails, ""), format!("{} and {test}", is(s)), SPATIAL));
        }
    }
    all.extend(COLORS.into_iter().flat_map(colored));
    all
}

/// Fillers about an object of colour `c`, whatever its shape.
fn colored(c: &str) -> Vec<Phrase> {
    let nouns = |c: &str| ["item", "object", "figure"].map(|noun| format!("{c} {noun}"));
    let is = |name: &str| format!("is_{name}(y)");
    let mut all = Vec::new();
    for (size, test, _) in SIZES {
        all.push(phrase(&nouns(&format!("{size} {c}")), &[], format!("{test}(y) and {}", is(c)), 0));
    }
    let highest =
        "count(get_box_inclusive(y)) > 1 and is_top(y) and count(filter_obj(get_box_inclusive(y), is_top)) == 1";
    let lowest =
        "count(get_box_inclusive(y)) > 1 and is_bottom(y) and count(filter_obj(get_box_inclusive(y), is_bottom)) == 1";
    let places: [(&[&str], &str); 4] = [
        (&["touching a wall", "that is in contact with a wall"], "is_touching_wall(y, Side.ANY)"),
        (
            &["touching or nearly touching the bottom wall", "lying on the ground or a hair above it"],
            "is_closely_touching_wall(y, side=Side.BOTTOM)",
        ),
        (
            &[
                "whose top is higher than that of every other item in its box|each with its top higher than that of every \
                 other item in its box",
                "reaching higher than all the others in its box|each reaching higher than all the others in its box",
            ],
            highest,
        ),
        (
            &[
                "whose top is lower than that of every other item in its box|each with its top lower than that of every \
                 other item in its box",
                "reaching less high than all the others in its box|each reaching less high than all the others in its box",
            ],
            lowest,
        ),
    ];
    for (tails, test) in places {
        all.push(phrase(&nouns(c), &with(tails, ""), format!("{} and {test}", is(c)), SPATIAL));
    }
    for d in COLORS {
        let relations: [(&[&str], &str); 3] = [
            (&["that is entirely above a {d} item", "wholly higher up than a {d} item"], "get_box_all_below(y)"),
            (&["that is entirely below a {d} item", "wholly lower down than a {d} item"], "get_box_all_above(y)"),
            (&["touching a {d} item", "that is in contact with a {d} item"], "get_touching(y)"),
        ];
        for (tails, get) in relations {
            let condition = format!("{} and exist(filter_color({get}, {}))", is(c), member("Color", d));
            all.push(phrase(&nouns(c), &with(tails, d), condition, SPATIAL));
        }
    }
    for s in SHAPES {
        let condition = format!("{} and exist(filter_shape(get_box_all_below(y), {}))", is(c), member("Shape", s));
        let categories = SPATIAL | PP;
        all.push(phrase(
            &nouns(c),
            &with(&["somewhere above a {d}", "with a {d} underneath"], s),
            condition,
            categories,
        ));
    }
    all
}
