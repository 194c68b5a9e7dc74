//! Statements of a form of their own.

use super::frames::Collection;
use super::phrases::category::{
    COMPARATIVE, COORDINATION, COREFERENCE, EXISTENTIAL, HARD, NEGATION, PP, PRESUPPOSITION, SOFT, SPATIAL,
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
        &[
            ("There is a tower with more {1} blocks than {3} blocks.", EXISTENTIAL | COMPARATIVE),
            ("Some tower has fewer {3} bricks than {1} bricks.", EXISTENTIAL | COMPARATIVE),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(count(filter_color(x, {2})), \
         count(filter_color(x, {4})))))",
        &mixed,
    );
    all.own(
        &[
            ("There are more {1} blocks than {3} blocks.", COMPARATIVE),
            ("The {1} cubes outnumber the {3} ones.", COMPARATIVE | PRESUPPOSITION),
        ],
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        &mixed,
    );
    all.own(
        &[
            ("There is a {1} block directly between two {3} blocks.", HARD | EXISTENTIAL | SPATIAL),
            ("A {1} brick is sandwiched between two {3} ones.", HARD | EXISTENTIAL | SPATIAL),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_color(intersect(get_below(x), \
         get_touching(x)), {4})) and exist(filter_color(intersect(get_above(x), get_touching(x)), {4}))))",
        &any,
    );
    all.own(
        &[
            (
                "There is a {1} block with blocks above it, all of which are {3}.",
                EXISTENTIAL | UNIVERSAL | COREFERENCE | SPATIAL,
            ),
            ("Above some {1} brick there are only {3} ones.", EXISTENTIAL | UNIVERSAL | SPATIAL),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and All(get_box_all_above(x), is_{3})))",
        &any,
    );
    all.own(
        &[
            (
                "There is a {1} block and there is no {3} block in the same box.",
                EXISTENTIAL | COORDINATION | COMPARATIVE | NEGATION,
            ),
            ("Some box has a {1} cube yet no {3} cube.", EXISTENTIAL | COORDINATION | NEGATION),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and {4} not in get_set_colors(x.box)))",
        &mixed,
    );
    all.own(
        &[("The {1} blocks and the {3} blocks are equally many, and there are some.", EXISTENTIAL | COORDINATION | COMPARATIVE | PRESUPPOSITION | SYNTAX_COORDINATION), ("There are as many {1} as {3} bricks, and at least one of each.", SOFT | COORDINATION | COMPARATIVE)],
        "exist(filter_color(all_items, {2})) and count(filter_color(all_items, {2})) == count(filter_color(all_items, {4}))",
        &mixed[..4],
    );
    all.own(
        &[("At least two towers have the same height.", SOFT | COMPARATIVE)],
        "exist(filter_obj(combinations(all_boxes, 2), lambda x: x[0].is_tower() and x[1].is_tower() and \
         count(x[0]) == count(x[1])))",
        &[],
    );
    all.own(
        &[(
            "All three boxes hold towers and no two are of the same height.",
            HARD | UNIVERSAL | COORDINATION | COMPARATIVE | NEGATION,
        )],
        "AND(All(all_boxes, lambda x: x.is_tower()), All(combinations(all_boxes, 2), \
         lambda x: count(x[0]) != count(x[1])))",
        &[],
    );
}

/// Statements about a tower and one colour.
fn stacks(all: &mut Collection) {
    let colors = each("Color", COLORS);
    all.own(
        &[
            ("There is a tower with only {1} blocks.", EXISTENTIAL | UNIVERSAL),
            ("Some tower is {1} from bottom to top.", EXISTENTIAL | UNIVERSAL),
            ("A stack is made of {1} bricks alone.", EXISTENTIAL | UNIVERSAL),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and equal_set(get_set_colors(x), {{2}})))",
        &colors,
    );
    all.own(
        &[
            ("There is a tower with no {1} block.", EXISTENTIAL | NEGATION),
            ("Some tower is free of {1} blocks.", EXISTENTIAL | NEGATION),
            ("A stack has been built without {1} cubes.", EXISTENTIAL | NEGATION),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and not member_of({2}, get_set_colors(x))))",
        &colors,
    );
    all.own(
        &[(
            "There is a tower with two or more blocks whose base and top are both {1}.",
            SOFT | EXISTENTIAL | COORDINATION | SPATIAL,
        )],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and gt(len(x), 1) and \
         equal_color(query_color(filter_obj(x, is_bottom)), query_color(filter_obj(x, is_top))) and \
         {2} in get_set_colors(filter_obj(x, is_top))))",
        &colors,
    );
    all.own(
        &[("There is exactly one {1} block and it is at the base.", HARD | COORDINATION | COREFERENCE | SPATIAL)],
        "count(filter_color(all_items, {2})) == 1 and is_bottom(unique(filter_color(all_items, {2})))",
        &colors,
    );
    all.own(
        &[
            ("At least two towers have a {1} block at the base.", SOFT | EXISTENTIAL | SPATIAL | PP),
            ("The base of at least two towers is {1}.", SOFT | SPATIAL),
        ],
        "exist(filter_obj(combinations(filter_obj(all_items, is_bottom), 2), lambda x: all_same_color(x) and \
         query_color(x[0]) == [{2}]))",
        &colors,
    );
    all.own(
        &[(
            "There is a tower lower than each of the others, and its top block is {1}.",
            EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE | SPATIAL | COMPARATIVE | PRESUPPOSITION,
        )],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(filter_obj(all_boxes, lambda z: z.is_tower() and \
         le(count(z), count(x)))) == 1 and exist(filter_obj(all_boxes, lambda z: gt(count(z), count(x)))) and \
         exist(filter_obj(x, lambda y: is_top(y) and query_color(y) == [{2}]))))",
        &colors,
    );
    all.own(
        &[
            (
                "There is a tower of blocks of all three colors with {1} at the base.",
                HARD | EXISTENTIAL | UNIVERSAL | SPATIAL | PP,
            ),
            ("A tower shows every color and has a {1} base.", EXISTENTIAL | UNIVERSAL | COORDINATION | SPATIAL),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and len(set(query_color(x))) == 3 and \
         get_set_colors(filter_obj(x, is_bottom)) == {{2}}))",
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
            &[(
                &format!("There is a box with at least two items and all of them have the same {attribute}."),
                SOFT | EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE | COMPARATIVE,
            )],
            &format!("exist(filter_obj(all_boxes, lambda x: ge(count(x), 2) and {function}(x.all_items_in_box())))"),
            &[],
        );
        all.own(
            &[(
                &format!("There is a box with items of three different {attribute}s."),
                HARD | EXISTENTIAL | COMPARATIVE,
            )],
            &format!("exist(filter_obj(all_boxes, lambda x: count(get_set_{attribute}s(x)) == 3))"),
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
            ("There is a {1} in or very near the {2} {3} corner of a box.", EXISTENTIAL | COORDINATION | SPATIAL),
            (
                "The {2} {3} corner of some box has a {1} in it or a hair away.",
                EXISTENTIAL | COORDINATION | COREFERENCE | SPATIAL,
            ),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and is_closely_touching_specific_corner(x, sideA=Side.{4}, \
         sideB=Side.{5})))",
        &corners,
    );
    all.own(
        &[
            ("At least two {1}s of the same color touch each other.", SOFT | COREFERENCE | SPATIAL | COMPARATIVE),
            ("Two {1}s that share a color are in contact.", HARD | SPATIAL | COMPARATIVE),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: is_{1}(y) and \
         equal_color(query_color(x), query_color(y))))))",
        &shapes,
    );
    all.own(
        &[(
            "There are {1} items of the same shape that touch or nearly touch each other.",
            EXISTENTIAL | COORDINATION | COREFERENCE | SPATIAL | COMPARATIVE,
        )],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_closely_touching(x), lambda y: \
         is_{1}(y) and equal_shape(query_shape(x), query_shape(y))))))",
        &colors,
    );
    all.own(
        &[
            ("There is a {1} item touching another item of the same size.", EXISTENTIAL | SPATIAL | COMPARATIVE),
            ("A {1} object touches one that is just as large.", EXISTENTIAL | SPATIAL | COMPARATIVE),
        ],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and exist(filter_obj(get_touching(x), lambda y: \
         equal_size(query_size(x), query_size(y))))))",
        &colors,
    );
}

/// Statements about which objects there are.
fn gathered(all: &mut Collection) {
    let colors = each("Color", COLORS);
    all.own(
        &[
            ("There are at least two {1} items of the same size.", SOFT | COMPARATIVE),
            ("Some {1} item has the size of another {1} item.", EXISTENTIAL | COMPARATIVE),
        ],
        "exist(filter_obj(select(2, filter_color(all_items, {2})), lambda x: len(x) == 2 and all_same_size(x)))",
        &colors,
    );
    all.own(
        &[(
            "There is a {1} item with at least two items entirely above or entirely below it.",
            SOFT | EXISTENTIAL | COORDINATION | COREFERENCE | SPATIAL | SYNTAX_COORDINATION,
        )],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and ge(count(union_all([get_box_all_above(x), \
         get_box_all_below(x)])), 2)))",
        &colors,
    );
    for (attribute, function) in [("color", "get_set_colors"), ("shape", "get_set_shapes")] {
        all.own(
            &[(&format!("There is a {attribute} that is found in every box."), EXISTENTIAL | UNIVERSAL)],
            &format!(
                "exist(intersect_all([{function}(all_boxes[0]), {function}(all_boxes[1]), {function}(all_boxes[2])]))"
            ),
            &[],
        );
    }
    let size = |(word, _, name): (&str, &str, &str)| vec![word.to_owned(), format!("Size.{name}")];
    all.own(
        &[("There are exactly two {1} items.", HARD), ("Exactly two of the items are {1}.", HARD | PRESUPPOSITION)],
        "count(filter_size(all_items, {2})) == 2",
        &SIZES.map(size),
    );
    let mut sized = Vec::new();
    for color in COLORS {
        for (word, _, name) in SIZES {
            sized.push(vec![color.to_owned(), member("Color", color), word.to_owned(), format!("Size.{name}")]);
        }
    }
    all.own(
        &[
            ("There are {1} items, and all of them are {3}.", EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE),
            ("There is something {1}, and whatever is {1} is {3} too.", EXISTENTIAL | UNIVERSAL | COORDINATION),
        ],
        "equal(get_set_sizes(filter_color(all_items, {2})), {{4}})",
        &sized,
    );
    all.own(
        &[(
            "There are {1} items, and all of them have the same shape.",
            EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE | COMPARATIVE,
        )],
        "all_same(query_shape(filter_color(all_items, {2})))",
        &colors,
    );
    all.own(
        &[(
            "The boxes are filled, and all have the same number of items.",
            UNIVERSAL | COORDINATION | COMPARATIVE | PRESUPPOSITION,
        )],
        "exist(all_items) and all_same_attribute(all_boxes, count)",
        &[],
    );
}

/// Statements about some and all, and about more and fewer.
fn weighed(all: &mut Collection) {
    let colors = each("Color", COLORS);
    let shapes = each("Shape", SHAPES);
    all.own(
        &[
            ("At least one of the {1}s touches a wall.", SOFT | EXISTENTIAL | SPATIAL | PRESUPPOSITION),
            (
                "A wall is touched by one of the {1}s or by several.",
                SOFT | EXISTENTIAL | COORDINATION | SPATIAL | PRESUPPOSITION,
            ),
        ],
        "Any(filter_shape(all_items, {2}), is_touching_wall)",
        &shapes,
    );
    all.own(
        &[
            (
                "There are {1}s, and none of them touches a corner.",
                EXISTENTIAL | COORDINATION | COREFERENCE | SPATIAL | NEGATION,
            ),
            (
                "There is a {1}, yet there is not one that touches a corner.",
                EXISTENTIAL | COORDINATION | SPATIAL | NEGATION,
            ),
        ],
        "All(filter_shape(all_items, {2}), lambda x: not is_touching_corner(x))",
        &shapes,
    );
    all.own(
        &[(
            "A {1} item has items entirely above and entirely below it, and all these have one color.",
            HARD | EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE | SPATIAL | SYNTAX_COORDINATION,
        )],
        "exist(filter_obj(all_items, lambda x: is_{1}(x) and get_box_all_above(x) and get_box_all_below(x) and \
         all_same_color(union(get_box_all_above(x), get_box_all_below(x)))))",
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
        &[
            ("There is a box with both a {1} {2} and a {1} {3}.", EXISTENTIAL | COORDINATION | SYNTAX_COORDINATION),
            ("Some box holds a {1} {2} as well as a {1} {3}.", EXISTENTIAL | COORDINATION | SYNTAX_COORDINATION),
        ],
        "exist(filter_obj(all_boxes, lambda x: contained({{5}, {6}}, get_set_shapes(filter_color(x, {4})))))",
        &both,
    );
    let shape_pairs = pairs("Shape", SHAPES, false);
    all.own(
        &[
            ("There is a box with more {1}s than {3}s.", EXISTENTIAL | COMPARATIVE),
            ("In some box the {1}s outnumber the {3}s.", EXISTENTIAL | COMPARATIVE | PRESUPPOSITION),
        ],
        "exist(filter_obj(all_boxes, lambda x: gt(count(filter_shape(x, {2})), count(filter_shape(x, {4})))))",
        &shape_pairs,
    );
    all.own(
        &[
            ("There are fewer {1}s than {3}s.", COMPARATIVE),
            ("Fewer {1}s than {3}s have been put into the boxes.", COMPARATIVE | PRESUPPOSITION),
        ],
        "lt(count(filter_shape(all_items, {2})), count(filter_shape(all_items, {4})))",
        &shape_pairs,
    );
    all.own(
        &[
            ("There are more {1} items than {3} items.", COMPARATIVE),
            ("The {1} objects exceed the {3} ones in number.", COMPARATIVE | PRESUPPOSITION),
        ],
        "count(filter_color(all_items, {2})) > count(filter_color(all_items, {4}))",
        &pairs("Color", COLORS, false),
    );
    all.own(
        &[
            (
                "The {1} items and the {3} items together are exactly four.",
                HARD | COORDINATION | PRESUPPOSITION | SYNTAX_COORDINATION,
            ),
            ("Taken together, {1} and {3} items number four.", HARD | COORDINATION | SYNTAX_COORDINATION),
        ],
        "count(filter_color(all_items, {2})) + count(filter_color(all_items, {4})) == 4",
        &pairs("Color", COLORS, false)[..4],
    );
}
