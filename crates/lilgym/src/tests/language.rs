//! The programs' language: what it means, what it refuses, and that nothing breaks it.

use super::{Color, Config, Item, Scene, Shape, Size, Task};
use crate::corpus::Corpus;
use crate::language::{BUDGET, Fault, Function, MAX_DEPTH, MAX_LENGTH, MAX_PARAMETERS, Program};
use heldout_core::{Rng, Seed};

fn block(y: i16, color: Color) -> Item {
    Item { x: 40, y, shape: Shape::Square, color, size: Size::Medium }
}

/// Left: a tower of yellow, black, blue. Middle: a big circle in the upper left corner, a small black triangle below.
/// Right: nothing.
fn scene() -> Scene {
    let mut scene = Scene::default();
    for (y, color) in [(80, Color::Yellow), (59, Color::Black), (38, Color::Blue)] {
        scene.push(0, block(y, color));
    }
    scene.push(1, Item { x: 0, y: 0, shape: Shape::Circle, color: Color::Blue, size: Size::Large });
    scene.push(1, Item { x: 50, y: 87, shape: Shape::Triangle, color: Color::Black, size: Size::Small });
    scene
}

fn truth(text: &str) -> Result<bool, Fault> {
    Program::parse(text).unwrap_or_else(|e| panic!("{e}")).truth(&scene())
}

#[test]
fn functions_mean_what_the_public_ones_mean() {
    for (text, expected) in [
        ("count(all_items) == 5", true),
        ("count(all_boxes) == 3 and len(all_boxes[2]) == 0", true),
        ("exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x.all_items_in_box()) == 3))", true),
        ("all_boxes[1].is_tower()", false),
        ("count(filter_obj(all_boxes, exist)) == 2 and exist(all_boxes[0]) and not exist(all_boxes[2])", true),
        ("all_boxes[2].is_tower()", false),
        // A bound method is true.
        ("count(filter_obj(all_boxes, lambda x: x.is_tower)) == 3", true),
        ("is_second(all_items[1]) and is_third(all_items[2]) and is_top(all_items[2])", true),
        // The lowest top, not the lowest bottom.
        ("is_bottom(all_items[0]) and is_bottom(all_items[4]) and not is_bottom(all_items[3])", true),
        // In a tower only the next block is above; elsewhere everything that is.
        ("count(get_above(all_items[0])) == 1 and count(get_box_all_above(all_items[0])) == 2", true),
        ("count(get_above(all_items[4])) == 1 and count(get_below(all_items[3])) == 1", true),
        ("count(get_above(all_boxes[0])) == 2", true),
        ("is_touching_corner(all_items[3]) and is_touching_wall(all_items[3], side=Side.TOP)", true),
        ("is_closely_touching_wall(all_items[4]) and not is_touching_wall(all_items[4], Side.ANY)", true),
        ("is_closely_touching_specific_corner(all_items[3], Side.LEFT, Side.TOP)", true),
        ("is_touching_wall(all_items[0])", true),
        ("get_set_colors(all_boxes[0]) == {Color.BLUE, Color.BLACK, Color.YELLOW}", true),
        ("query_color(all_boxes[0]) == [Color.YELLOW, Color.BLACK, Color.BLUE]", true),
        ("query_color(all_items[0]) == query_color(all_items[1])", false),
        ("equal_color(query_color(all_items[2]), Color.BLUE)", true),
        ("equal(Color.BLUE, query_color(all_items[3]))", true),
        // All and all_same of nothing are false, contained in anything is true.
        ("All(all_boxes[2], is_black)", false),
        ("all_same_color(all_boxes[2])", false),
        ("contained(all_boxes[2], all_boxes[0])", true),
        ("all_same(all_boxes)", false),
        ("all_same_attribute(all_boxes, count)", false),
        // A truthy value is not the boolean that All and Any ask for.
        ("All(all_boxes, lambda x: count(x) + 1)", false),
        ("exist(filter_obj(all_boxes, lambda x: x))", true),
        ("count(filter_obj(combinations(all_items, 2), lambda x: x)) == 10", true),
        // A truth is the number that it counts as, and no other.
        ("((1 == 1) == 1) and ((1 == 2) == 0) and not ((1 == 1) == 2)", true),
        ("count(filter_obj(all_boxes, lambda x: x)) == 2", true),
        ("count(combinations(all_items, 3)) == 10 and count(select(2, all_items)) == 10", true),
        ("count(select(3, all_boxes[1])) == 1 and count(combinations(all_boxes[1], 3)) == 0", true),
        ("exist(filter_obj(combinations(all_items, 2), lambda x: all_same_color(x) and x[0].box != x[1].box))", true),
        ("min(all_boxes, key=lambda x: count(x)) == all_boxes[2]", true),
        ("max(all_boxes, key=count) == all_boxes[0]", true),
        ("count(set([count(all_boxes[0]), count(all_boxes[1]), 2])) == 2", true),
        ("set([1, 2]) == set([2, 1, 2])", true),
        ("set([1, 2]) == set([2, 3]) or set([1, 2]) == set([1, 2, 3]) or set([1, 2, 3]) == set([1, 2])", false),
        ("count(all_boxes[0].all_items_in_box() + all_boxes[0].all_items_in_box()) == 3", true),
        ("len(all_boxes[0].all_items_in_box() + all_boxes[0].all_items_in_box()) == 6", true),
        ("count(all_items[1:]) == 4 and count(all_items[:2]) == 2", true),
        ("1 < count(all_boxes) <= 3 == 3", true),
        ("count(all_items) % 2 == 1", true),
        ("all_items[0] in all_boxes[0] and all_items[0] not in all_boxes[1]", true),
        ("count(union(get_above(all_items[0]), get_below(all_items[2]))) == 1", true),
        ("count(union_all([get_above(all_items[1]), get_below(all_items[1])])) == 2", true),
        (
            "intersect_all([get_set_colors(all_boxes[0]), get_set_colors(all_boxes[1])]) == [Color.BLACK, Color.BLUE]",
            true,
        ),
        ("is_closely_touching(all_items[0], all_items[1])", true),
        ("is_closely_touching(all_items[3], all_items[4])", false),
        // Colours are no set: as many as are asked for, and fewer.
        (
            "len(combinations(query_color(all_boxes[0]), 3)) == 1 and len(select(3, query_color(all_boxes[0]))) == 1",
            true,
        ),
        ("len(combinations(query_color(all_boxes[0]), 4)) == 0", true),
        ("len(select(2, query_color(all_boxes[0]))) == 3 and len(select(4, query_color(all_boxes[0]))) == 1", true),
        // A part of a selection is as long as it is asked for, whatever was kept before it.
        ("count(filter_obj(combinations(all_items, 3), lambda x: len(x[1:3]) == 2)) == 10", true),
        ("count(get_box_exclusive(all_items[0])) == 2 and count(get_box_inclusive(all_items[0])) == 3", true),
        // The inner parameter hides the outer one.
        ("exist(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda x: is_circle(x)))))", true),
        ("exist(filter_obj(all_items, lambda x: count(filter_obj(x.box, lambda y: y == x)) == 1))", true),
        ("not (False or 0 == 1)", true),
        ("True and not False", true),
    ] {
        assert_eq!(truth(text), Ok(expected), "{text}");
    }
}

#[test]
fn faults_name_the_call() {
    for (text, part) in [
        ("is_yellow(unique(all_items))", "`unique` is given 5 elements"),
        ("AND(exist(all_items), unique([exist(all_items), all_boxes[0]][1:]))", "`AND` is given what is not a boolean"),
        ("count(all_items) and count(all_boxes) or exist(all_items)", "not a boolean"),
        ("all_boxes[7].is_tower()", "index 7 is out of range"),
        ("count(all_items) % 0 == 1", "`%`"),
        ("min(all_boxes[2], key=lambda x: 1) == all_items[0]", "`min`"),
        ("union(filter_obj(all_items, is_blue), all_items) == all_items", "`union`"),
    ] {
        let error =
            Program::parse(text).map_err(|e| e.to_string()).and_then(|p| p.truth(&scene()).map_err(|e| e.to_string()));
        let error = error.expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// Five objects: comparisons on either side of the number, and at it.
#[test]
fn comparisons_hold_on_their_side_of_a_number() {
    for (sign, [below, at, above]) in [
        ("<", [true, false, false]),
        ("<=", [true, true, false]),
        (">", [false, false, true]),
        (">=", [false, true, true]),
        ("==", [false, true, false]),
        ("!=", [true, false, true]),
    ] {
        for (number, expected) in [(6, below), (5, at), (4, above)] {
            assert_eq!(truth(&format!("count(all_items) {sign} {number}")), Ok(expected), "5 {sign} {number}");
        }
    }
}

#[test]
fn what_is_no_program_is_refused_by_place() {
    for (text, part) in [
        ("", "nothing stands where a value must"),
        ("count(all_items", "`)`"),
        ("count(all_items) = 1", "`=`"),
        ("no_such(all_items)", "there is no `no_such`"),
        ("is_close_to_wall(all_items[0])", "there is no `is_close_to_wall`"),
        ("exist(all_items, all_items)", "too many arguments"),
        ("exist()", "takes 1 arguments"),
        ("is_touching_wall(all_items[0], wall=Side.TOP)", "no keyword `wall`"),
        ("count(all_items)", "is integer, must be boolean"),
        ("is_yellow(all_boxes[0])", "`is_yellow` is given box, takes item"),
        ("exist(filter_obj(all_boxes, lambda x: is_yellow(x)))", "`is_yellow` is given box, takes item"),
        ("exist(filter_obj(all_boxes, is_yellow))", "`is_yellow` cannot be called with box"),
        (
            "exist(get_touching(filter_obj(all_boxes, lambda x: x.is_tower())))",
            "`get_touching` is given box, takes items",
        ),
        ("all_same_color([count(all_items), 2])", "`all_same_color` is given integer, takes items"),
        ("exist(filter_obj(all_items, lambda x: x.is_tower()))", "`.is_tower` is given item"),
        ("exist(filter_obj(all_items, x))", "takes a function"),
        ("exist(lambda x: x)", "a lambda stands only where"),
        ("Color.RED == Color.BLUE", "`Color` has no member `RED`"),
        ("exist(all_items) # tail", "`#` has no meaning"),
        ("exist(all_items) if 1 else 2", "`if` follows the end"),
        ("99999999999 == 1", "32 bits"),
        ("set(all_items)", "is set, must be boolean"),
        ("{1, 2}[0] == 1", "`[]` is given set"),
        ("{1} < 2", "`<` is given set"),
        ("all_items.color == 1", "there is no attribute `color`"),
        ("\u{e9} == 1", "has no meaning"),
    ] {
        let error = Program::parse(text).map(|p| p.to_string()).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// Nesting and length have limits, whichever way they are reached.
#[test]
fn sizes_are_limited() {
    let deep = usize::from(MAX_DEPTH) * 2;
    for text in [
        format!("{}1{} == 1", "(".repeat(deep), ")".repeat(deep)),
        format!("{}exist(all_items)", "not ".repeat(deep)),
        format!("all_items[0]{} == all_boxes[0]", ".box[0]".repeat(deep)),
        format!("1{} == 1", " + 1".repeat(deep)),
        format!("{}1{} == 1", "[".repeat(deep), "]".repeat(deep)),
        format!("exist({}all_items{})", "filter_obj(".repeat(deep), ", lambda x: x)".repeat(deep)),
        format!("exist(all_items){}", " ".repeat(MAX_LENGTH)),
    ] {
        assert!(Program::parse(&text).is_err(), "{}", &text[..40]);
    }
    let wide = format!("exist(all_items){}", " and exist(all_items)".repeat(100));
    assert_eq!(truth(&wide), Ok(true));
}

/// What is nested as deep as may be is read; one more is refused. The whole is an expression too.
#[test]
fn nesting_ends_at_its_limit() {
    let nested = |brackets: usize| Program::parse(&format!("{}1{} == 1", "(".repeat(brackets), ")".repeat(brackets)));
    let most = usize::from(MAX_DEPTH) - 1;
    assert!(nested(most).is_ok());
    assert!(nested(most + 1).unwrap_err().to_string().contains("nested more than 48 deep"));
    let lambdas = |count: usize| {
        let within = |body: String, i: usize| format!("exist(filter_obj(all_items, lambda x{i}: {body}))");
        Program::parse(&(0..count).rev().fold("is_black(x0)".to_owned(), within))
    };
    assert!(lambdas(MAX_PARAMETERS).is_ok());
    assert!(lambdas(MAX_PARAMETERS + 1).unwrap_err().to_string().contains("nested more than 8 deep"));
}

/// A program that would run for ages is stopped.
#[test]
fn evaluation_is_bounded() {
    let mut text = "1 == 2".to_owned();
    for i in 0..7 {
        text = format!("exist(filter_obj(all_items, lambda x{i}: {text}))");
    }
    let mut full = Scene::default();
    for i in 0..40 {
        full.push(i % 3, block(10, Color::Blue));
    }
    assert_eq!(Program::parse(&text).unwrap().truth(&full), Err(Fault::Budget));
    let wide = "count(filter_obj(combinations(all_items, 4), lambda x: 1)) > 0";
    assert_eq!(Program::parse(wide).unwrap().truth(&full), Ok(true));
    let kept = "len(filter_obj(combinations(all_items, 4), lambda x: 1)) > 0";
    assert_eq!(Program::parse(kept).unwrap().truth(&full), Err(Fault::Room { call: "filter_obj" }));
}

/// A program that would take hours has this many steps, of some 12 nanoseconds as measured: half of the 0.1 s that a program may
/// take, which a test without a clock cannot see.
#[test]
fn amendment_30_budget_is_at_most_four_million_steps() {
    const { assert!(BUDGET <= 1 << 22) };
}

/// No walk is free: within a loop that costs little by itself, a walk at any of the functions that make one comes to the
/// end of the budget.
#[test]
fn amendment_30_every_walk_costs_budget() {
    let mut scene = Scene::default();
    for i in 0..24 {
        scene.push(i % 3, block(10, Color::Blue));
    }
    let truth = |text: &str| Program::parse(text).unwrap().truth(&scene);
    let fours = "combinations(all_items, 4)";
    // 2,024 times 10,626 elements, and 255,024 times 24.
    let few = |walk: &str| format!("exist(filter_obj(combinations(all_items, 3), lambda x: {walk} and 1 == 2))");
    let many = |walk: &str| {
        format!("exist(filter_obj(all_items, lambda x: exist(filter_obj({fours}, lambda y: {walk} and 1 == 2))))")
    };
    for (text, nothing) in [(few("1 == 2"), "a short loop"), (many("1 == 2"), "a long loop")] {
        assert_eq!(truth(&text), Ok(false), "{nothing} is within the budget");
    }
    for walk in [
        format!("all({fours})"),
        format!("(any(combinations(all_items, 0)[1:]) or all({fours}))"),
        format!("{fours}[10625] == all_items"),
        format!("exist({fours}[10620:])"),
        format!("all_items in {fours}"),
        format!("All({fours}, lambda z: 1 == 1)"),
        format!("Any({fours}, lambda z: 1 == 2)"),
        format!("contained({fours}, {fours})"),
    ] {
        assert_eq!(truth(&few(&walk)), Err(Fault::Budget), "{walk}");
    }
    for walk in [
        &format!("{fours} == select(4, all_items)"),
        "exist(get_touching(all_items))",
        "exist(get_above(all_items))",
        "All(all_items, is_top)",
        "all_same_color(all_items)",
        "exist(get_set_colors(all_items))",
        "exist(filter_color(all_items, Color.BLUE))",
        "exist(set(all_items))",
        "exist(union_all([all_items, all_items]))",
    ] {
        assert_eq!(truth(&many(walk)), Err(Fault::Budget), "{walk}");
    }
    // Last: if walks were free, it would not end.
    let long = "exist(filter_obj(combinations(all_items, 4), lambda x: exist(filter_obj(combinations(all_items, 4), \
        lambda y: any([1 == 2]) or not all(combinations(all_items, 4))))))";
    assert_eq!(long.len(), 166);
    assert_eq!(truth(long), Err(Fault::Budget));
}

/// A walk costs a step for each element and one for its end, whatever it is made for: what is left over tells.
#[test]
fn amendment_30_a_walk_costs_its_length() {
    let mut scene = Scene::default();
    for i in 0..24 {
        scene.push(i % 3, block(10, Color::Blue));
    }
    let steps = |text: &str| Program::parse(text).unwrap().steps(&scene);
    // 10,626 selections of four, and 24 items to choose from.
    let fours = 10_626 + 24;
    for text in [
        "all(combinations(all_items, 4))",
        "not any(combinations(all_items, 0)[1:]) and all(combinations(all_items, 4))",
        "combinations(all_items, 4)[10625] == all_items",
        "not exist(combinations(all_items, 4)[10626:])",
        "All(combinations(all_items, 4), lambda x: 1 == 1)",
    ] {
        assert!(steps(text) >= fours, "{text}: {}", steps(text));
    }
    // What looks at all of a box costs what is in it: one block, or eight.
    let mut sparse = Scene::default();
    (0..3).for_each(|owner| assert!(sparse.push(owner, block(10, Color::Blue))));
    for text in [
        "is_top(all_items[0])",
        "is_third(all_items[0])",
        "all_boxes[0].is_tower()",
        "exist(get_above(all_items[:1]))",
        "exist(get_touching(all_items[:1]))",
    ] {
        let [few, many] = [&sparse, &scene].map(|scene| Program::parse(text).unwrap().steps(scene));
        assert!(many >= few + 7, "{text}: {few} and {many}");
    }
    for (few, many) in [
        ("exist(get_touching(all_items[:1]))", "exist(get_touching(all_items))"),
        ("all_same_color(all_items[:1])", "all_same_color(all_items)"),
        ("exist(get_set_colors(all_items[:1]))", "exist(get_set_colors(all_items))"),
        ("exist(filter_color(all_items[:1], Color.BLUE))", "exist(filter_color(all_items, Color.BLUE))"),
        ("exist(set(all_items[:1]))", "exist(set(all_items))"),
    ] {
        assert!(steps(many) >= steps(few) + 20, "{many}: {} and {}", steps(few), steps(many));
    }
}

/// What evaluations cost of 24 items of one colour, eight to a box, to the step: one for a node, for each element that is
/// walked over, compared, kept or looked at besides, and for the end of a walk. Every walk of the evaluator is here, so that
/// none can become free: `all` of 10,626 selections costs 4 nodes, 24 items to select from, and 10,627.
#[test]
fn amendment_30_no_step_of_any_walk_is_free() {
    let mut scene = Scene::default();
    for i in 0..24 {
        scene.push(i % 3, block(10, Color::Blue));
    }
    for (text, steps) in [
        ("all(combinations(all_items, 4))", 10_655),
        ("any(all_items)", 3),
        ("query_color(all_items) == query_color(all_items)", 178),
        ("all_items in combinations(all_items, 2)", 582),
        ("1 == 1", 4),
        ("all_same_attribute(all_items, is_blue)", 75),
        ("all_items[0] == all_items[23]", 33),
        ("exist(all_items[3:20])", 25),
        ("All(all_items, is_blue)", 51),
        ("Any(all_items, is_black)", 51),
        ("exist(filter_obj(all_items, is_blue))", 51),
        ("exist(filter_obj(query_color(all_items), lambda x: 1 == 1))", 473),
        ("exist(filter_obj(combinations(all_items, 2), lambda x: 1 == 2))", 1409),
        ("max(all_items, key=lambda x: 1) == all_items[0]", 57),
        ("exist(get_touching(all_items))", 437),
        ("exist(get_above(all_items[:1]))", 26),
        ("exist(query_color(all_items))", 352),
        ("exist(query_color(all_items[0]))", 6),
        ("exist(filter_color(all_items, Color.BLUE))", 29),
        ("exist(filter_color(combinations(all_items, 2), Color.BLACK))", 3619),
        ("equal(Color.BLUE, query_color(all_items))", 157),
        ("equal_color(query_color(all_items), Color.BLUE)", 182),
        ("is_blue(unique(all_items[:1]))", 7),
        ("exist(get_set_colors(all_items))", 28),
        ("exist(union_all([all_items, all_items]))", 106),
        ("exist(union(set(combinations(all_items[:5], 2)), {1}))", 538),
        ("exist(intersect(set(combinations(all_items[:5], 2)), combinations(all_items[:5], 2)))", 930),
        ("exist(union({all_items[0]}, all_items))", 9),
        ("exist(intersect_all([all_items, all_items[2:]]))", 129),
        ("exist(combinations(query_color(all_items[:6]), 2))", 79),
        ("exist(set(all_items))", 52),
        ("exist({1, 2, 3})", 17),
        ("contained(all_items, all_items)", 28),
        ("contained(combinations(all_items[:5], 2), combinations(all_items[:5], 2))", 447),
        ("equal_set(all_items, all_items)", 53),
        ("member_of(1, [1, 2, 3])", 8),
        ("all_same(query_color(all_items))", 101),
        ("all_same_color(all_items)", 51),
        ("all_boxes[0].is_tower()", 13),
        ("is_top(all_items[0])", 13),
        ("is_second(all_items[0])", 13),
        ("count(query_color(all_items)) == 1", 355),
        ("exist(query_color(all_items) + query_color(all_items))", 1330),
        ("len(combinations(all_items, 3)) == 2024", 7),
    ] {
        assert_eq!(Program::parse(text).unwrap().steps(&scene), steps, "{text}");
    }
}

/// The fuzz target's scenes hold up to 24 objects.
#[test]
fn amendment_30_fuzzed_scenes_hold_24_objects() {
    let objects: Vec<u8> = (0..30).flat_map(|i| [i, 20, 20, 0]).collect();
    assert_eq!(crate::fuzz::scene(&objects).len(), 24);
}

/// Random programs: mostly ill-typed, always harmless.
struct Writer<'a> {
    rng: &'a mut Rng,
    depth: u32,
}

impl Writer<'_> {
    fn pick(&mut self, options: &[&str]) -> String {
        (*self.rng.pick(options)).to_owned()
    }

    fn expression(&mut self, parameters: u32, left: u32) -> String {
        self.depth += 1;
        if left == 0 {
            if parameters > 0 && self.rng.chance(0.7) {
                return format!("x{}", self.rng.below(parameters));
            }
            return self.pick(&[
                "all_items",
                "all_boxes",
                "1",
                "2",
                "Color.BLUE",
                "Shape.CIRCLE",
                "Size.SMALL",
                "Side.ANY",
            ]);
        }
        let sub = |writer: &mut Self| writer.expression(parameters, left - 1);
        match self.rng.below(12) {
            0 => format!("({} {} {})", sub(self), self.pick(&["and", "or"]), sub(self)),
            1 => format!("(not {})", sub(self)),
            2 => format!("({} {} {})", sub(self), self.pick(&["==", "!=", "<", ">=", "in", "not in"]), sub(self)),
            3 => format!("({} {} {})", sub(self), self.pick(&["+", "%"]), sub(self)),
            4 => format!("{}{}", sub(self), self.pick(&["[0]", "[1:]", ".box", ".is_tower()", ".all_items_in_box()"])),
            5 => format!("[{}, {}]", sub(self), sub(self)),
            6 => format!("{{{}}}", sub(self)),
            _ => {
                let function = *self.rng.pick(Function::ALL);
                let name = function.name();
                let test = |writer: &mut Self| {
                    format!("lambda x{parameters}: {}", writer.expression(parameters + 1, left - 1))
                };
                match name {
                    "filter_obj" | "All" | "Any" | "all_same_attribute" => {
                        format!("{name}({}, {})", sub(self), test(self))
                    }
                    "min" | "max" => format!("{name}({}, key={})", sub(self), test(self)),
                    _ if self.rng.chance(0.5) => format!("{name}({})", sub(self)),
                    _ => format!("{name}({}, {})", sub(self), sub(self)),
                }
            }
        }
    }
}

fn random_scene(rng: &mut Rng) -> Scene {
    let mut scene = Scene::default();
    for _ in 0..rng.below(13) {
        let item = Item {
            x: rng.between(-5, 95) as i16,
            y: rng.between(-5, 95) as i16,
            shape: *rng.pick(&Shape::ALL),
            color: *rng.pick(&Color::ALL),
            size: *rng.pick(&Size::ALL),
        };
        scene.push(rng.below(3) as usize, item);
    }
    scene
}

/// Two programs that are equal never differ in any scene: printing and parsing keeps both the tree and its value.
#[test]
fn printing_and_parsing_keeps_programs() {
    let mut rng = Rng::new(Seed(7));
    let (mut parsed, mut valued) = (0, 0);
    for _ in 0..60_000 {
        let left = 1 + rng.below(4);
        let text = Writer { rng: &mut rng, depth: 0 }.expression(0, left);
        let Ok(program) = Program::parse(&text) else { continue };
        parsed += 1;
        let printed = program.to_string();
        let again = Program::parse(&printed).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(again == program, "{text}\n{printed}");
        assert_eq!(again.to_string(), printed);
        for _ in 0..4 {
            let scene = random_scene(&mut rng);
            let truth = program.truth(&scene);
            valued += usize::from(truth.is_ok());
            assert_eq!(again.truth(&scene), truth, "{text}\n{printed}");
            let _ = (program.shortfall(&scene, true), program.shortfall(&scene, false));
        }
    }
    assert!(parsed > 1000 && valued > 1000, "{parsed} programs parsed, {valued} had values");
}

/// The same for the built-in statements, which all have values in scenes of any kind or fault by name.
#[test]
fn statements_survive_printing() {
    let mut rng = Rng::new(Seed(8));
    for task in [Task::TOWER_SCRATCH, Task::SCATTER_SCRATCH] {
        for statement in &Corpus::load(&Config::default(), task).unwrap().statements {
            let again = Program::parse(&statement.program.to_string()).unwrap();
            assert!(again == statement.program, "{}", statement.sentence);
            for _ in 0..8 {
                let scene = random_scene(&mut rng);
                assert_eq!(again.truth(&scene), statement.program.truth(&scene));
                for wanted in [true, false] {
                    let far = statement.program.shortfall(&scene, wanted);
                    let there = statement.program.truth(&scene) == Ok(wanted);
                    assert!(far.is_err() || (far == Ok(0.0)) == there, "{}: {far:?}", statement.sentence);
                }
            }
        }
    }
}

#[test]
fn garbage_is_refused_without_harm() {
    let mut rng = Rng::new(Seed(9));
    let words = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ".",
        "==",
        "and",
        "or",
        "not",
        "in",
        "lambda",
        "x",
        "1",
        "all_items",
        "exist",
        "count",
        "filter_obj",
        "Color",
        "BLUE",
        "box",
        "is_tower",
        "+",
        "%",
        "-",
        "=",
        " ",
    ];
    for _ in 0..20_000 {
        let text: String = (0..rng.below(30)).map(|_| *rng.pick(&words)).collect::<Vec<_>>().join(" ");
        if let Ok(program) = Program::parse(&text) {
            let _ = program.truth(&random_scene(&mut rng));
        }
        let noise: Vec<u8> = (0..rng.below(40)).map(|_| rng.below(256) as u8).collect();
        let _ = Program::parse(&String::from_utf8_lossy(&noise));
    }
}

/// A program of 3,281 bytes was printed with 4,192, and what was printed was refused.
#[test]
fn a_program_was_printed_with_more_bytes_than_a_program_may_have() {
    let chain = |length: usize| format!("1{}", ">1".repeat(length));
    let short = Program::parse(&chain(1000)).unwrap();
    assert!(Program::parse(&short.to_string()).is_ok_and(|again| again == short));
    // Printed with spaces, four bytes to each.
    assert!(Program::parse(&chain(1023)).is_ok());
    let error = Program::parse(&chain(1024)).unwrap_err().to_string();
    assert!(error.ends_with("it is printed with 4097 bytes, may have 4096"), "{error}");
}

/// What the fuzz target runs takes programs for programs, and anything else for what it is.
#[test]
fn fuzzed_bytes_are_read_as_scene_and_program() {
    let program = "exist(filter_obj(all_items, lambda x: is_blue(x)))";
    for objects in [&[1][..], &[9, 0, 20, 20, 200, 1, 255, 0, 7], &[3, 1, 2]] {
        assert!(crate::fuzz_program(&[objects, program.as_bytes()].concat()), "{objects:?}");
    }
    for bytes in [&b""[..], b"\x00", b"\xff", b"\x01exist(", b"\x01\xff\xfe"] {
        assert!(!crate::fuzz_program(bytes), "{bytes:?}");
    }
}
