//! Frames: what a statement says of the objects that a filler describes, and statements of a form of their own.

use super::Draft;
use super::phrases::category::{
    COMPARATIVE, COORDINATION, COREFERENCE, EXISTENTIAL, HARD, NEGATION, PP, PRESUPPOSITION, SOFT, SPATIAL,
    SYNTAX_COORDINATION, UNIVERSAL,
};
use super::phrases::{COLORS, Phrase, SHAPES, SIZES, member, phrases};
use crate::config::Appearance;

/// Frames that take any filler: sentence, program, categories. `{a}` and `{s}` are one and several of what the filler
/// describes, `{P}` its condition on `y`.
const FRAMES: &[(&str, &str, u16)] = &[
    ("There is {a}.", "exist(filter_obj(all_items, lambda y: {P}))", EXISTENTIAL),
    ("There is no {n}.", "NOT(exist(filter_obj(all_items, lambda y: {P})))", NEGATION | EXISTENTIAL),
    ("There is exactly one {n}.", "count(filter_obj(all_items, lambda y: {P})) == 1", HARD),
    ("There are exactly two {s}.", "count(filter_obj(all_items, lambda y: {P})) == 2", HARD),
    ("There are exactly three {s}.", "equal_int(count(filter_obj(all_items, lambda y: {P})), 3)", HARD),
    ("There are at least two {s}.", "ge(count(filter_obj(all_items, lambda y: {P})), 2)", SOFT),
    ("There are more than two {s}.", "gt(count(filter_obj(all_items, lambda y: {P})), 2)", SOFT),
    ("There is at most one {n}.", "le(count(filter_obj(all_items, lambda y: {P})), 1)", SOFT),
    ("There are fewer than three {s}.", "lt(count(filter_obj(all_items, lambda y: {P})), 3)", SOFT),
    (
        "There is a box with {a}.",
        "exist(filter_obj(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P}))))",
        EXISTENTIAL | PP,
    ),
    (
        "Exactly two boxes have {a}.",
        "count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 2",
        HARD | EXISTENTIAL,
    ),
    (
        "There is {a} in every box.",
        "All(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
        UNIVERSAL | EXISTENTIAL,
    ),
    (
        "One of the boxes has no {n}.",
        "Any(all_boxes, lambda x: not exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
        NEGATION | EXISTENTIAL | PRESUPPOSITION,
    ),
];

/// Frames of TOWER that take any filler.
const TOWER_FRAMES: &[(&str, &str, u16)] = &[
    (
        "There is a tower of three blocks with {a}.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x.all_items_in_box()) == 3 and \
         exist(filter_obj(x.all_items_in_box(), lambda y: {P}))))",
        HARD | EXISTENTIAL | PP,
    ),
    (
        "There is exactly one tower of four blocks with {a}.",
        "count(filter_obj(all_boxes, lambda x: AND(x.is_tower(), count(x) == 4) and exist(filter_obj(x, lambda y: \
         {P})))) == 1",
        HARD | EXISTENTIAL | PP,
    ),
    (
        "There is exactly one tower with {a} and it has three blocks.",
        "count(filter_obj(all_boxes, lambda x: count(x) == 3 and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
        HARD | COREFERENCE | COORDINATION | PP,
    ),
];

/// Frames of SCATTER that take any filler.
const SCATTER_FRAMES: &[(&str, &str, u16)] = &[
    (
        "There is a box with four items and {a}.",
        "exist(filter_obj(all_boxes, lambda x: count(x) == 4 and exist(filter_obj(x, lambda y: {P}))))",
        HARD | EXISTENTIAL | COORDINATION | SYNTAX_COORDINATION | PP,
    ),
    (
        "There is exactly one box with {a} and it has at least three items.",
        "count(filter_obj(all_boxes, lambda x: ge(count(x), 3) and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
        HARD | SOFT | COREFERENCE | COORDINATION,
    ),
    (
        "There is a box with at least two {s}.",
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(x.all_items_in_box(), lambda y: {P})) >= 2))",
        SOFT | EXISTENTIAL | PP,
    ),
];

/// Collects the statements of one appearance.
struct Collection {
    drafts: Vec<Draft>,
    frames: u16,
}

impl Collection {
    fn fill(&mut self, frame: (&str, &str, u16), phrases: &[Phrase]) {
        for (filler, phrase) in phrases.iter().enumerate() {
            let put = |text: &str| {
                let text = text.replace("{a}", &phrase.a()).replace("{n}", &phrase.one);
                text.replace("{s}", &phrase.many).replace("{P}", &phrase.condition)
            };
            self.drafts.push(Draft {
                sentence: put(frame.0),
                program: put(frame.1),
                categories: frame.2 | phrase.categories,
                frame: self.frames,
                filler: filler as u16,
            });
        }
        self.frames += 1;
    }

    /// A frame of its own for the fillings of `names`: `{1}`, `{2}` and so on in sentence and program; their numbers are
    /// those of the fillers that they belong to.
    fn own(&mut self, sentence: &str, program: &str, categories: u16, fillings: &[(u16, Vec<String>)]) {
        if fillings.is_empty() {
            // Nothing can be composed: a number that belongs to training.
            let filler = (10 - self.frames * 3 % 10) % 10;
            return self.own(sentence, program, categories, &[(filler, Vec::new())]);
        }
        for (filler, names) in fillings {
            let put = |text: &str| {
                let numbered = names.iter().enumerate();
                numbered.fold(text.to_owned(), |text, (i, name)| text.replace(&format!("{{{}}}", i + 1), name))
            };
            self.drafts.push(Draft {
                sentence: put(sentence),
                program: put(program),
                categories,
                frame: self.frames,
                filler: *filler,
            });
        }
        self.frames += 1;
    }
}

/// All statements of one appearance.
pub(super) fn drafts(appearance: Appearance) -> Vec<Draft> {
    let mut all = Collection { drafts: Vec::new(), frames: 0 };
    let phrases = phrases(appearance);
    let own = if appearance == Appearance::Tower { TOWER_FRAMES } else { SCATTER_FRAMES };
    for &frame in FRAMES.iter().chain(own) {
        all.fill(frame, &phrases);
    }
    match appearance {
        Appearance::Tower => towers(&mut all),
        Appearance::Scatter => {
            scattered(&mut all);
            gathered(&mut all);
            weighed(&mut all);
        }
    }
    all.drafts
}

/// Name and enum member of each of `names`.
fn each(space: &str, names: [&str; 3]) -> Vec<(u16, Vec<String>)> {
    let filling = |(i, name): (usize, &&str)| (i as u16, vec![(*name).to_owned(), member(space, name)]);
    names.iter().enumerate().map(filling).collect()
}

/// Number of the first filler that is a pair.
const FIRST_PAIR: u16 = 200;
/// Distance of the numbers of pairs of shapes from those of pairs of colours.
const SHAPE_PAIRS: u16 = 20;

/// Names and members of each pair of `names`; with `same`, of a name and itself too.
fn pairs(space: &str, names: [&str; 3], same: bool) -> Vec<(u16, Vec<String>)> {
    let mut all = Vec::new();
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().filter(|(j, _)| same || *j != i) {
            let filler = FIRST_PAIR + (i * 3 + j) as u16;
            all.push((filler, vec![(*a).to_owned(), member(space, a), (*b).to_owned(), member(space, b)]));
        }
    }
    all
}

fn towers(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let mixed = pairs("Color", COLORS, false);
    let any = pairs("Color", COLORS, true);
    all.own(
        "There is a tower with only {1} blocks.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and equal_set(get_set_colors(x), {{2}})))",
        EXISTENTIAL | UNIVERSAL | PP,
        &colors,
    );
    all.own(
        "There is a tower with no {1} block.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and not member_of({2}, get_set_colors(x))))",
        EXISTENTIAL | NEGATION | PP,
        &colors,
    );
    all.own(
        "There is a tower with two or more blocks whose base and top are both {1}.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(len(x), 1) and \
         equal_color(query_color(filter_obj(x, is_bottom)), query_color(filter_obj(x, is_top))) and \
         {2} in get_set_colors(filter_obj(x, is_top))))",
        SOFT | EXISTENTIAL | SPATIAL | COREFERENCE | COORDINATION,
        &colors,
    );
    all.own("There is an odd number of {1} blocks.", "count(filter_color(all_items, {2})) % 2 == 1", HARD, &colors);
    all.own(
        "There is exactly one {1} block and it is at the base.",
        "count(filter_color(all_items, {2})) == 1 and is_bottom(unique(filter_color(all_items, {2})))",
        HARD | COREFERENCE | SPATIAL | COORDINATION,
        &colors,
    );
    all.own(
        "Two towers have a {1} block at the base.",
        "exist(filter_obj(combinations(filter_obj(all_items, is_bottom), 2), lambda x: all_same_color(x) and \
         query_color(x[0]) == [{2}]))",
        HARD | SPATIAL | PP,
        &colors,
    );
    all.own(
        "The lowest box has a {1} block at the top.",
        "exist(filter_obj(min(all_boxes, key=lambda x: count(x)).all_items_in_box(), lambda y: is_top(y) and \
         query_color(y) == [{2}]))",
        COMPARATIVE | PRESUPPOSITION | SPATIAL | PP,
        &colors,
    );
    all.own(
        "There is a tower of blocks of all three colors with {1} at the base.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and len(set(query_color(x))) == 3 and \
         get_set_colors(filter_obj(x, is_bottom)) == {{2}}))",
        HARD | EXISTENTIAL | SPATIAL | PP,
        &colors,
    );
    all.own(
        "There is a tower with more {1} blocks than {3} blocks.",
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(count(filter_color(x, {2})), \
         count(filter_color(x, {4})))))",
        EXISTENTIAL | COMPARATIVE | PP,
        &mixed,
    );
    all.own(
        "There are more {1} blocks than {3} blocks.",
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        COMPARATIVE,
        &mixed,
    );
    all.own(
        "There is a {1} block directly between two {3} blocks.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_color(intersect(get_below(x), \
         get_touching(x)), {4})) and exist(filter_color(intersect(get_above(x), get_touching(x)), {4}))))",
        HARD | EXISTENTIAL | SPATIAL | PP,
        &any,
    );
    all.own(
        "There is a {1} block and all blocks above it are {3}.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and All(get_box_all_above(x), is_{3})))",
        EXISTENTIAL | UNIVERSAL | SPATIAL | COREFERENCE | COORDINATION,
        &any,
    );
    all.own(
        "There is a {1} block and there is no {3} block in the same box.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and {4} not in get_set_colors(x.box)))",
        EXISTENTIAL | NEGATION | COORDINATION | PRESUPPOSITION,
        &mixed,
    );
    all.own(
        "There are two towers of the same height.",
        "exist(filter_obj(combinations(all_boxes, 2), lambda x: x[0].is_tower() and x[1].is_tower() and \
         count(x[0]) == count(x[1])))",
        HARD | COMPARATIVE | PP,
        &[],
    );
    all.own(
        "All three boxes hold towers and no two are of the same height.",
        "AND(All(all_boxes, lambda x: x.is_tower()), All(combinations(all_boxes, 2), \
         lambda x: count(x[0]) != count(x[1])))",
        HARD | UNIVERSAL | COMPARATIVE | NEGATION | COORDINATION,
        &[],
    );
}

/// Statements about how objects stand to each other.
fn scattered(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes: Vec<_> = each("Shape", SHAPES).into_iter().map(|(i, names)| (i + 3, names)).collect();
    for (attribute, function) in [("color", "all_same_color"), ("shape", "all_same_shape"), ("size", "all_same_size")] {
        all.own(
            &format!("There is a box with at least two items and all of them have the same {attribute}."),
            &format!("exist(filter_obj(all_boxes, lambda x: ge(count(x), 2) and {function}(x.all_items_in_box())))"),
            SOFT | EXISTENTIAL | UNIVERSAL | COREFERENCE | COORDINATION | COMPARATIVE,
            &[],
        );
        all.own(
            &format!("There is a box with items of three different {attribute}s."),
            &format!("exist(filter_obj(all_boxes, lambda x: count(get_set_{attribute}s(x)) == 3))"),
            HARD | EXISTENTIAL | COMPARATIVE | PP,
            &[],
        );
    }
    let mut corners = Vec::new();
    for (s, shape) in SHAPES.iter().enumerate() {
        for (high, a) in [("upper", "TOP"), ("lower", "BOTTOM")] {
            for (side, b) in [("left", "LEFT"), ("right", "RIGHT")] {
                let names = [shape, high, side, a, b].map(|n| (*n).to_owned());
                corners.push((s as u16 + 3, names.to_vec()));
            }
        }
    }
    all.own(
        "There is a {1} in the {2} {3} corner of a box.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and is_closely_touching_specific_corner(x, sideA=Side.{4}, \
         sideB=Side.{5})))",
        EXISTENTIAL | SPATIAL | PP,
        &corners,
    );
    all.own(
        "There are two {1}s of the same color touching each other.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: is_{1}(y) and \
         equal_color(query_color(x), query_color(y))))))",
        HARD | SPATIAL | COREFERENCE | COMPARATIVE | PP,
        &shapes,
    );
    all.own(
        "There are two {1} items of the same shape nearly touching each other.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_closely_touching(x), lambda y: \
         is_{1}(y) and equal_shape(query_shape(x), query_shape(y))))))",
        HARD | SPATIAL | COREFERENCE | COMPARATIVE | PP,
        &colors,
    );
    all.own(
        "There is a {1} item touching another item of the same size.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: \
         equal_size(query_size(x), query_size(y))))))",
        EXISTENTIAL | SPATIAL | COMPARATIVE | PP,
        &colors,
    );
    all.own(
        "There is a box with a {1} item and a {3} item whose facing sides nearly line up.",
        "exist(filter_obj(all_boxes, lambda x: exist(filter_obj(combinations(x.all_items_in_box(), 2), lambda y: \
         ((is_{1}(y[0]) and is_{3}(y[1])) or (is_{3}(y[0]) and is_{1}(y[1]))) and is_closely_touching(y[0], y[1])))))",
        EXISTENTIAL | SPATIAL | COREFERENCE | COORDINATION | SYNTAX_COORDINATION | PP,
        &pairs("Color", COLORS, false),
    );
}

/// Statements about which objects there are.
fn gathered(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes: Vec<_> = each("Shape", SHAPES).into_iter().map(|(i, names)| (i + 3, names)).collect();
    let sizes: Vec<(u16, Vec<String>)> = SIZES
        .iter()
        .enumerate()
        .map(|(i, (word, _, name))| (i as u16, vec![(*word).to_owned(), format!("Size.{name}")]))
        .collect();
    all.own(
        "There are two {1} items of the same size.",
        "exist(filter_obj(select(2, filter_color(all_items, {2})), lambda x: len(x) == 2 and all_same_size(x)))",
        HARD | COMPARATIVE | PP,
        &colors,
    );
    all.own(
        "There is a {1} item with at least two items above or below it.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and ge(count(union_all([get_above(x), get_below(x)])), 2)))",
        SOFT | EXISTENTIAL | SPATIAL | COREFERENCE | COORDINATION | SYNTAX_COORDINATION | PP,
        &colors,
    );
    for (attribute, function) in [("color", "get_set_colors"), ("shape", "get_set_shapes")] {
        all.own(
            &format!("There is a {attribute} that is found in every box."),
            &format!(
                "exist(intersect_all([{function}(all_boxes[0]), {function}(all_boxes[1]), {function}(all_boxes[2])]))"
            ),
            EXISTENTIAL | UNIVERSAL,
            &[],
        );
    }
    all.own(
        "There is a {1} item that is alone in its box.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and not exist(get_box_exclusive(x))))",
        EXISTENTIAL | NEGATION | COREFERENCE | PP,
        &colors,
    );
    all.own(
        "There is a {1} in a box with exactly three items.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and count(get_box_inclusive(x)) == 3))",
        HARD | EXISTENTIAL | PP,
        &shapes,
    );
    all.own("There are exactly two {1} items.", "count(filter_size(all_items, {2})) == 2", HARD, &sizes);
    let mut sized = Vec::new();
    for (i, color) in COLORS.iter().enumerate() {
        for (word, _, name) in SIZES {
            let names = vec![(*color).to_owned(), member("Color", color), word.to_owned(), format!("Size.{name}")];
            sized.push((i as u16, names));
        }
    }
    all.own(
        "All the {1} items are {3}.",
        "equal(get_set_sizes(filter_color(all_items, {2})), {{4}})",
        UNIVERSAL | PRESUPPOSITION,
        &sized,
    );
    all.own(
        "All the {1} items are in one box.",
        "all_same_attribute(filter_color(all_items, {2}), lambda x: x.box)",
        HARD | UNIVERSAL | PRESUPPOSITION | PP,
        &colors,
    );
    all.own(
        "All the {1} items have the same shape.",
        "all_same(query_shape(filter_color(all_items, {2})))",
        UNIVERSAL | PRESUPPOSITION | COMPARATIVE,
        &colors,
    );
    all.own(
        "All boxes have the same number of items.",
        "all_same_attribute(all_boxes, count)",
        UNIVERSAL | COMPARATIVE,
        &[],
    );
}

/// Statements about some and all, and about more and fewer.
fn weighed(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes: Vec<_> = each("Shape", SHAPES).into_iter().map(|(i, names)| (i + 3, names)).collect();
    all.own(
        "Some of the {1}s touch a wall.",
        "Any(filter_shape(all_items, {2}), is_touching_wall)",
        EXISTENTIAL | SPATIAL | PRESUPPOSITION,
        &shapes,
    );
    all.own(
        "None of the {1}s touches a corner.",
        "All(filter_shape(all_items, {2}), lambda x: not is_touching_corner(x))",
        UNIVERSAL | NEGATION | SPATIAL | PRESUPPOSITION,
        &shapes,
    );
    all.own(
        "There is a {1} item between two items of the same color.",
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and get_above(x) and get_below(x) and \
         all_same_color(union(get_above(x), get_below(x)))))",
        HARD | EXISTENTIAL | SPATIAL | COMPARATIVE | PP,
        &colors,
    );
    let mut both = Vec::new();
    for (i, color) in COLORS.iter().enumerate() {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (SHAPES[a], SHAPES[b]);
            let names = [color, a, b].map(str::to_owned).into_iter();
            let members = [member("Color", color), member("Shape", a), member("Shape", b)];
            both.push((i as u16, names.chain(members).collect()));
        }
    }
    all.own(
        "There is a box with both a {1} {2} and a {1} {3}.",
        "exist(filter_obj(all_boxes, lambda x: contained({{5}, {6}}, get_set_shapes(filter_color(x, {4})))))",
        EXISTENTIAL | COORDINATION | SYNTAX_COORDINATION | PP,
        &both,
    );
    let shape_pairs = pairs("Shape", SHAPES, false).into_iter().map(|(i, names)| (i + SHAPE_PAIRS, names));
    let shape_pairs: Vec<_> = shape_pairs.collect();
    all.own(
        "There is a box with more {1}s than {3}s.",
        "exist(filter_obj(all_boxes, lambda x: gt(count(filter_shape(x, {2})), count(filter_shape(x, {4})))))",
        EXISTENTIAL | COMPARATIVE | PP,
        &shape_pairs,
    );
    all.own(
        "There are fewer {1}s than {3}s.",
        "lt(count(filter_shape(all_items, {2})), count(filter_shape(all_items, {4})))",
        COMPARATIVE,
        &shape_pairs,
    );
    all.own(
        "There are more {1} items than {3} items.",
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        COMPARATIVE,
        &pairs("Color", COLORS, false),
    );
}
