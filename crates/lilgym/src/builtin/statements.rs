//! Statements of a form of their own.

use super::frames::Collection;
use super::phrases::category::{
    COMPARATIVE, COORDINATION, COREFERENCE, EXISTENTIAL, HARD, NEGATION, PRESUPPOSITION, SOFT, SPATIAL,
    SYNTAX_COORDINATION, UNIVERSAL,
};
use super::phrases::{COLORS, SHAPES, SIZES, member};

/// Name and enum member of each of `names`.
fn each(space: &str, names: [&str; 3]) -> Vec<Vec<String>> {
    names.iter().map(|name| vec![(*name).to_owned(), member(space, name)]).collect()
}

/// Names and members of each pair of `names`; with `same`, of a name and itself too.
fn pairs(space: &str, names: [&str; 3], same: bool) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (i, a) in names.iter().enumerate() {
        for (_, b) in names.iter().enumerate().filter(|(j, _)| same || *j != i) {
            all.push(vec![(*a).to_owned(), member(space, a), (*b).to_owned(), member(space, b)]);
        }
    }
    all
}

pub(super) fn towers(all: &mut Collection) {
    stacks(all);
    let mixed = pairs("Color", COLORS, false);
    let any = pairs("Color", COLORS, true);
    all.own(
        &["There is a tower with more {1} blocks than {3} blocks.", "Some tower has fewer {3} bricks than {1} bricks."],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(count(filter_color(x, {2})), \
         count(filter_color(x, {4})))))",
        EXISTENTIAL | COMPARATIVE,
        &mixed,
    );
    all.own(
        &["There are more {1} blocks than {3} blocks.", "The {1} cubes outnumber the {3} ones."],
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        COMPARATIVE,
        &mixed,
    );
    all.own(
        &["There is a {1} block directly between two {3} blocks.", "A {1} brick is sandwiched between two {3} ones."],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_color(intersect(get_below(x), \
         get_touching(x)), {4})) and exist(filter_color(intersect(get_above(x), get_touching(x)), {4}))))",
        HARD | EXISTENTIAL | SPATIAL,
        &any,
    );
    all.own(
        &[
            "There is a {1} block with blocks above it, all of which are {3}.",
            "Above some {1} brick there are only {3} ones.",
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and All(get_box_all_above(x), is_{3})))",
        EXISTENTIAL | UNIVERSAL | SPATIAL | COREFERENCE,
        &any,
    );
    all.own(
        &[
            "There is a {1} block and there is no {3} block in the same box.",
            "Some box has a {1} cube yet no {3} cube.",
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and {4} not in get_set_colors(x.box)))",
        EXISTENTIAL | NEGATION | COORDINATION,
        &mixed,
    );
    all.own(
        &["The {1} blocks and the {3} blocks are equally many, and there are some.", "There are as many {1} as {3} bricks, and at least one of each."],
        "exist(filter_color(all_items, {2})) and count(filter_color(all_items, {2})) == count(filter_color(all_items, {4}))",
        COMPARATIVE | COORDINATION | SYNTAX_COORDINATION,
        &mixed[..4],
    );
    all.own(
        &["At least two towers have the same height."],
        "exist(filter_obj(combinations(all_boxes, 2), lambda x: x[0].is_tower() and x[1].is_tower() and \
         count(x[0]) == count(x[1])))",
        SOFT | COMPARATIVE,
        &[],
    );
    all.own(
        &["All three boxes hold towers and no two are of the same height."],
        "AND(All(all_boxes, lambda x: x.is_tower()), All(combinations(all_boxes, 2), \
         lambda x: count(x[0]) != count(x[1])))",
        HARD | UNIVERSAL | COMPARATIVE | NEGATION | COORDINATION,
        &[],
    );
}

/// Statements about a tower and one colour.
fn stacks(all: &mut Collection) {
    let colors = each("Color", COLORS);
    all.own(
        &[
            "There is a tower with only {1} blocks.",
            "Some tower is {1} from bottom to top.",
            "A stack is made of {1} bricks alone.",
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and equal_set(get_set_colors(x), {{2}})))",
        EXISTENTIAL | UNIVERSAL,
        &colors,
    );
    all.own(
        &[
            "There is a tower with no {1} block.",
            "Some tower is free of {1} blocks.",
            "A stack has been built without {1} cubes.",
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and not member_of({2}, get_set_colors(x))))",
        EXISTENTIAL | NEGATION,
        &colors,
    );
    all.own(
        &["There is a tower with two or more blocks whose base and top are both {1}."],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(len(x), 1) and \
         equal_color(query_color(filter_obj(x, is_bottom)), query_color(filter_obj(x, is_top))) and \
         {2} in get_set_colors(filter_obj(x, is_top))))",
        SOFT | EXISTENTIAL | SPATIAL | COREFERENCE | COORDINATION,
        &colors,
    );
    all.own(
        &["There is exactly one {1} block and it is at the base."],
        "count(filter_color(all_items, {2})) == 1 and is_bottom(unique(filter_color(all_items, {2})))",
        HARD | COREFERENCE | SPATIAL | COORDINATION,
        &colors,
    );
    all.own(
        &["At least two towers have a {1} block at the base.", "The base of at least two towers is {1}."],
        "exist(filter_obj(combinations(filter_obj(all_items, is_bottom), 2), lambda x: all_same_color(x) and \
         query_color(x[0]) == [{2}]))",
        SOFT | SPATIAL,
        &colors,
    );
    all.own(
        &["There is a tower lower than each of the others, and its top block is {1}."],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(all_boxes, lambda z: le(count(z), count(x)))) == 1 and \
         exist(filter_obj(x, lambda y: is_top(y) and query_color(y) == [{2}]))))",
        COMPARATIVE | COREFERENCE | SPATIAL | COORDINATION,
        &colors,
    );
    all.own(
        &[
            "There is a tower of blocks of all three colors with {1} at the base.",
            "A tower shows every color and has a {1} base.",
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and len(set(query_color(x))) == 3 and \
         get_set_colors(filter_obj(x, is_bottom)) == {{2}}))",
        HARD | EXISTENTIAL | SPATIAL,
        &colors,
    );
}

pub(super) fn scattered(all: &mut Collection) {
    touching(all);
    gathered(all);
    weighed(all);
}

/// Statements about how objects stand to each other.
fn touching(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes = each("Shape", SHAPES);
    for (attribute, function) in [("color", "all_same_color"), ("shape", "all_same_shape"), ("size", "all_same_size")] {
        all.own(
            &[&format!("There is a box with at least two items and all of them have the same {attribute}.")],
            &format!("exist(filter_obj(all_boxes, lambda x: ge(count(x), 2) and {function}(x.all_items_in_box())))"),
            SOFT | EXISTENTIAL | UNIVERSAL | COREFERENCE | COORDINATION | COMPARATIVE,
            &[],
        );
        all.own(
            &[&format!("There is a box with items of three different {attribute}s.")],
            &format!("exist(filter_obj(all_boxes, lambda x: count(get_set_{attribute}s(x)) == 3))"),
            HARD | EXISTENTIAL | COMPARATIVE,
            &[],
        );
    }
    let mut corners = Vec::new();
    for shape in SHAPES {
        for (high, a) in [("upper", "TOP"), ("lower", "BOTTOM")] {
            for (side, b) in [("left", "LEFT"), ("right", "RIGHT")] {
                corners.push([shape, high, side, a, b].map(str::to_owned).to_vec());
            }
        }
    }
    all.own(
        &[
            "There is a {1} in or very near the {2} {3} corner of a box.",
            "The {2} {3} corner of some box has a {1} in it or a hair away.",
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and is_closely_touching_specific_corner(x, sideA=Side.{4}, \
         sideB=Side.{5})))",
        EXISTENTIAL | SPATIAL,
        &corners,
    );
    all.own(
        &["At least two {1}s of the same color touch each other.", "Two {1}s that share a color are in contact."],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: is_{1}(y) and \
         equal_color(query_color(x), query_color(y))))))",
        SOFT | SPATIAL | COREFERENCE | COMPARATIVE,
        &shapes,
    );
    all.own(
        &["There are {1} items of the same shape that touch or nearly touch each other."],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_closely_touching(x), lambda y: \
         is_{1}(y) and equal_shape(query_shape(x), query_shape(y))))))",
        SPATIAL | COREFERENCE | COMPARATIVE,
        &colors,
    );
    all.own(
        &[
            "There is a {1} item touching another item of the same size.",
            "A {1} object touches one that is just as large.",
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: \
         equal_size(query_size(x), query_size(y))))))",
        EXISTENTIAL | SPATIAL | COMPARATIVE,
        &colors,
    );
}

/// Statements about which objects there are.
fn gathered(all: &mut Collection) {
    let colors = each("Color", COLORS);
    all.own(
        &["There are at least two {1} items of the same size.", "Some {1} item has the size of another {1} item."],
        "exist(filter_obj(select(2, filter_color(all_items, {2})), lambda x: len(x) == 2 and all_same_size(x)))",
        SOFT | COMPARATIVE,
        &colors,
    );
    all.own(
        &["There is a {1} item with at least two items entirely above or entirely below it."],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and ge(count(union_all([get_box_all_above(x), \
         get_box_all_below(x)])), 2)))",
        SOFT | EXISTENTIAL | SPATIAL | COREFERENCE | COORDINATION | SYNTAX_COORDINATION,
        &colors,
    );
    for (attribute, function) in [("color", "get_set_colors"), ("shape", "get_set_shapes")] {
        all.own(
            &[&format!("There is a {attribute} that is found in every box.")],
            &format!(
                "exist(intersect_all([{function}(all_boxes[0]), {function}(all_boxes[1]), {function}(all_boxes[2])]))"
            ),
            EXISTENTIAL | UNIVERSAL,
            &[],
        );
    }
    let size = |(word, _, name): (&str, &str, &str)| vec![word.to_owned(), format!("Size.{name}")];
    all.own(
        &["There are exactly two {1} items.", "Exactly two of the items are {1}."],
        "count(filter_size(all_items, {2})) == 2",
        HARD,
        &SIZES.map(size),
    );
    let mut sized = Vec::new();
    for color in COLORS {
        for (word, _, name) in SIZES {
            sized.push(vec![color.to_owned(), member("Color", color), word.to_owned(), format!("Size.{name}")]);
        }
    }
    all.own(
        &["There are {1} items, and all of them are {3}.", "There is something {1}, and whatever is {1} is {3} too."],
        "equal(get_set_sizes(filter_color(all_items, {2})), {{4}})",
        UNIVERSAL | PRESUPPOSITION,
        &sized,
    );
    all.own(
        &["There are {1} items, and all of them have the same shape."],
        "all_same(query_shape(filter_color(all_items, {2})))",
        UNIVERSAL | PRESUPPOSITION | COMPARATIVE,
        &colors,
    );
    all.own(
        &["The boxes are filled, and all have the same number of items."],
        "exist(all_items) and all_same_attribute(all_boxes, count)",
        UNIVERSAL | COMPARATIVE,
        &[],
    );
}

/// Statements about some and all, and about more and fewer.
fn weighed(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes = each("Shape", SHAPES);
    all.own(
        &["At least one of the {1}s touches a wall.", "A wall is touched by one of the {1}s or by several."],
        "Any(filter_shape(all_items, {2}), is_touching_wall)",
        EXISTENTIAL | SPATIAL | PRESUPPOSITION,
        &shapes,
    );
    all.own(
        &[
            "There are {1}s, and none of them touches a corner.",
            "There is a {1}, yet there is not one that touches a corner.",
        ],
        "All(filter_shape(all_items, {2}), lambda x: not is_touching_corner(x))",
        UNIVERSAL | NEGATION | SPATIAL | PRESUPPOSITION,
        &shapes,
    );
    all.own(
        &["A {1} item has items entirely above and entirely below it, and all these have one color."],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and get_box_all_above(x) and get_box_all_below(x) and \
         all_same_color(union(get_box_all_above(x), get_box_all_below(x)))))",
        HARD | EXISTENTIAL | SPATIAL | COMPARATIVE | COREFERENCE | COORDINATION,
        &colors,
    );
    let mut both = Vec::new();
    for color in COLORS {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (SHAPES[a], SHAPES[b]);
            let names = [color, a, b].map(str::to_owned).into_iter();
            both.push(names.chain([member("Color", color), member("Shape", a), member("Shape", b)]).collect());
        }
    }
    all.own(
        &["There is a box with both a {1} {2} and a {1} {3}.", "Some box holds a {1} {2} as well as a {1} {3}."],
        "exist(filter_obj(all_boxes, lambda x: contained({{5}, {6}}, get_set_shapes(filter_color(x, {4})))))",
        EXISTENTIAL | COORDINATION | SYNTAX_COORDINATION,
        &both,
    );
    let shape_pairs = pairs("Shape", SHAPES, false);
    all.own(
        &["There is a box with more {1}s than {3}s.", "In some box the {1}s outnumber the {3}s."],
        "exist(filter_obj(all_boxes, lambda x: gt(count(filter_shape(x, {2})), count(filter_shape(x, {4})))))",
        EXISTENTIAL | COMPARATIVE,
        &shape_pairs,
    );
    all.own(
        &["There are fewer {1}s than {3}s.", "Fewer {1}s than {3}s have been put into the boxes."],
        "lt(count(filter_shape(all_items, {2})), count(filter_shape(all_items, {4})))",
        COMPARATIVE,
        &shape_pairs,
    );
    all.own(
        &["There are more {1} items than {3} items.", "The {1} objects exceed the {3} ones in number."],
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        COMPARATIVE,
        &pairs("Color", COLORS, false),
    );
    all.own(
        &[
            "The {1} items and the {3} items together are exactly four.",
            "Taken together, {1} and {3} items number four.",
        ],
        "count(filter_color(all_items, {2})) + count(filter_color(all_items, {4})) == 4",
        HARD | COORDINATION | SYNTAX_COORDINATION,
        &pairs("Color", COLORS, false)[..4],
    );
}
