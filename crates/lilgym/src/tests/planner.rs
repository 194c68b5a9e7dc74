//! The planner: exact where it says so, and the same plan always.

use super::{Action, Appearance, Color, Config, Item, Scene, Shape, Size, Split, Task, about, rules, start, step};
use crate::planner::{edits, plan, whole};
use crate::rules::Change;
use crate::scene::BOXES;
use heldout_core::Status;

fn item(x: i16, y: i16, shape: Shape, color: Color, size: Size) -> Item {
    Item { x, y, shape, color, size }
}

/// Of all actions one solves a problem only if a canonical edit does: over problems and statements of the corpus.
#[test]
fn amendment_31_canonical_edits_lose_nothing() {
    let rules = rules(&Config { split: Split::Dev, ..Config::default() }, Task::SCATTER_FLIPIT);
    assert!(whole(rules.numbers));
    let corpus = &rules.corpus;
    let (mut yes, mut no) = (0, 0);
    for (row, problem) in corpus.problems.iter().enumerate().step_by(6) {
        let scene = &problem.scene;
        for program in [row, row * 7 + 3].map(|i| &corpus.statements[i % corpus.statements.len()].program) {
            let flips = |change: Change| {
                let mut after = *scene;
                change.apply(&mut after);
                program.truth(&after) == Ok(problem.target)
            };
            let all = (1..rules.numbers.flat()).map(|id| rules.numbers.action(id));
            let by_any = all.filter_map(|action| rules.judge(scene, action).ok().flatten()).any(flips);
            let looks = program.looks();
            let mut canonical = (0..BOXES).flat_map(|owner| edits(&rules, &looks, scene, owner, false));
            assert_eq!(canonical.any(|edit| flips(edit.change)), by_any, "{program} in {scene:?}");
            *if by_any { &mut yes } else { &mut no } += 1;
        }
    }
    assert!(yes > 20 && no > 20, "{yes} and {no}");
}

/// Plans of the held-out problems lead to their goals step by step, whatever their length.
#[test]
fn amendment_31_plans_are_carried_out() {
    for config in [Config::default(), Config { cell_search: true, horizon: 12, ..Config::default() }] {
        let rules = rules(&Config { split: Split::Test, ..config }, Task::SCATTER_FLIPIT);
        for problem in (0..rules.corpus.problems.len() as u32).step_by(11) {
            let Some(edits) = rules.solve(problem).edits else { continue };
            let mut state = start(&rules, problem);
            for &edit in edits.iter() {
                assert_eq!(step(&rules, &mut state, edit), (-0.1, Status::Running));
            }
            assert_eq!(step(&rules, &mut state, Action::Stop), (1.0, Status::Terminated));
        }
    }
}

/// A problem that once was given up needs two removals.
#[test]
fn amendment_31_known_misses_are_solved() {
    let scene = crate::builtin::scene(Appearance::Scatter, 1, 201);
    let program = "all_same(query_shape(filter_color(all_items, Color.YELLOW)))";
    let plan = about(Task::SCATTER_FLIPIT, &Config::default(), program, &[(scene, true)]).solve(0);
    let edits = plan.edits.unwrap();
    assert_eq!((edits.len(), plan.proven), (2, true));
    assert!(edits.iter().all(|edit| matches!(edit, Action::Remove { .. })), "{edits:?}");
}

/// Three and four removals are found exactly, also of an object that no cell takes before its neighbours are gone.
#[test]
fn amendment_31_removals_clear_neighbours_first() {
    let mut scene = Scene::default();
    // A small circle between squares that fill more of each of its cells.
    for place in [(20, 40), (35, 40)] {
        scene.push(0, item(place.0, place.1, Shape::Square, Color::Blue, Size::Small));
    }
    scene.push(0, item(30, 50, Shape::Circle, Color::Black, Size::Small));
    scene.push(0, item(20, 50, Shape::Square, Color::Blue, Size::Small));
    scene.push(0, item(40, 50, Shape::Square, Color::Blue, Size::Medium));
    // A sum tells a beam nothing of how far it is: what is not gone through is not found.
    let flat =
        "count(filter_obj(all_items, lambda x: is_black(x) or is_circle(x) or is_small(x))) + count(all_items) == 0";
    for (none, count) in ["not exist(all_items)", flat].into_iter().flat_map(|none| (1..=4).map(move |n| (none, n))) {
        let mut start = Scene::default();
        for &item in scene.of(0).iter().rev().take(count) {
            start.push(0, item);
        }
        let rules = about(Task::SCATTER_FLIPIT, &Config::default(), none, &[(start, true)]);
        let plan = rules.solve(0);
        let edits = plan.edits.unwrap();
        assert_eq!((edits.len(), plan.proven), (count, count <= 2));
        let mut state = super::start(&rules, 0);
        for &edit in edits.iter() {
            assert_eq!(step(&rules, &mut state, edit), (-0.1, Status::Running));
        }
        assert_eq!(state.scene, Scene::default());
    }
}

/// Removals that do not hinder one another go in the order of their numbers, however the objects are listed.
#[test]
fn amendment_31_removals_go_in_the_order_of_their_numbers() {
    let mut scene = Scene::default();
    for at in [40, 80, 0] {
        scene.push(0, item(at, at, Shape::Square, Color::Blue, Size::Small));
    }
    let rules = about(Task::SCATTER_FLIPIT, &Config::default(), "count(all_items) + 1 == 1", &[(scene, true)]);
    let found: Vec<_> = rules.solve(0).edits.unwrap().iter().map(|&edit| rules.numbers.id(edit)).collect();
    // Cells of 20 pixels, five in a column, after 2,566 other actions.
    assert_eq!(found, [0, 2 * 5 + 2, 4 * 5 + 4].map(|cell| 2566 + cell));
}

/// Of several removals that do, those with the lowest numbers, however the objects are listed.
#[test]
fn amendment_31_of_removals_the_lowest_numbers_are_taken() {
    for places in [[40, 80, 0, 20], [0, 20, 40, 80], [80, 40, 20, 0]] {
        let mut scene = Scene::default();
        for at in places {
            scene.push(0, item(at, at, Shape::Square, Color::Blue, Size::Small));
        }
        let rules = about(Task::SCATTER_FLIPIT, &Config::default(), "count(all_items) == 1", &[(scene, true)]);
        let found: Vec<_> = rules.solve(0).edits.unwrap().iter().map(|&edit| rules.numbers.id(edit)).collect();
        assert_eq!(found, [0, 5 + 1, 2 * 5 + 2].map(|cell| 2566 + cell), "{places:?}");
    }
}

/// What makes a box a tower differs from what does not, though the program asks for no shape; and so does what leaves room
/// below.
#[test]
fn amendment_31_canonical_edits_tell_towers_from_others() {
    for (program, edits) in [
        ("exist(filter_obj(all_boxes, lambda x: x.is_tower()))", 1),
        ("exist(filter_obj(all_boxes, lambda x: not x.is_tower() and count(x) == 1))", 1),
        ("exist(filter_obj(all_items, lambda x: count(get_box_all_below(x)) == 1))", 2),
        ("exist(filter_obj(all_items, lambda x: count(get_box_all_above(x)) == 1 and count(get_touching(x)) == 0))", 2),
    ] {
        let rules = about(Task::SCATTER_SCRATCH, &Config::default(), program, &[(Scene::default(), true)]);
        let plan = rules.solve(0);
        assert_eq!((plan.edits.map(|found| found.len()), plan.proven), (Some(edits), true), "{program}");
    }
}

/// Whatever attribute a program asks for, one addition has it and another lacks it.
#[test]
fn amendment_31_canonical_edits_show_every_attribute() {
    let names = ["yellow", "black", "blue", "circle", "square", "triangle", "small", "medium", "big"];
    for program in names.iter().flat_map(|name| [format!("is_{name}(x)"), format!("not is_{name}(x)")]) {
        let program = format!("exist(filter_obj(all_items, lambda x: {program}))");
        let rules = about(Task::SCATTER_SCRATCH, &Config::default(), &program, &[(Scene::default(), true)]);
        assert_eq!(rules.solve(0).edits.map(|edits| edits.len()), Some(1), "{program}");
    }
}

/// Fewest edits first, then the lowest numbers: the first place, the first colour, the first size.
#[test]
fn amendment_31_ties_go_to_the_lower_numbers() {
    let rules = |program: &str| about(Task::SCATTER_SCRATCH, &Config::default(), program, &[(Scene::default(), true)]);
    for (program, ids) in [
        ("exist(all_items)", &[1][..]),
        // A large triangle's apex leaves the corner of its cell to a small circle.
        ("count(all_items) == 2", &[1, 21]),
        ("exist(filter_obj(all_items, is_blue))", &[7]),
        ("exist(filter_obj(all_items, lambda x: is_square(x) and is_big(x)))", &[12]),
        ("All(all_boxes, lambda x: exist(x))", &[1, 946, 1891]),
        // In the fifth column a medium object touches the right wall.
        ("exist(filter_obj(all_items, lambda x: is_touching_corner(x, side=Side.RIGHT)))", &[542]),
    ] {
        let rules = rules(program);
        let plan = rules.solve(0);
        let found: Vec<_> = plan.edits.unwrap().iter().map(|&edit| rules.numbers.id(edit)).collect();
        assert_eq!(found, ids, "{program}");
        assert_eq!(plan.proven, ids.len() <= 2);
    }
}

/// The horizon is the config's: eleven additions fit into the paper's, ten into the public code's.
#[test]
fn amendment_31_horizon_is_the_configs() {
    let many = |count: u32| format!("count(all_items) == {count}");
    for (horizon, count) in [(11, 10), (12, 11), (3, 2), (2, 1)] {
        let config = Config { horizon, ..Config::default() };
        let length = |task, count| {
            let rules = about(task, &config, &many(count), &[(Scene::default(), true)]);
            let plan = rules.solve(0);
            (plan.edits.map(|edits| edits.len()), plan.proven)
        };
        for task in [Task::SCATTER_SCRATCH, Task::TOWER_SCRATCH] {
            let exact = task == Task::TOWER_SCRATCH || count <= 2;
            assert_eq!(length(task, count), (Some(count as usize), exact), "{task:?} {horizon}");
            let exact = task == Task::TOWER_SCRATCH || horizon == 2;
            assert_eq!(length(task, count + 1), (None, exact), "{task:?} {horizon}");
        }
    }
}

/// In a grid too fine to go through, two edits are not proven to be the fewest.
#[test]
fn amendment_31_only_what_was_gone_through_is_proven() {
    let config = Config { grid: super::Grid::Cells([190, 50]), ..Config::default() };
    for (count, proven) in [(1, true), (2, false)] {
        let program = format!("count(all_items) == {count}");
        let rules = about(Task::SCATTER_SCRATCH, &config, &program, &[(Scene::default(), true)]);
        let plan = rules.solve(0);
        assert_eq!((plan.edits.unwrap().len(), plan.proven), (count, proven));
    }
    let coarse = rules(&Config::default(), Task::SCATTER_SCRATCH);
    let never = crate::language::Program::parse("exist(filter_obj(all_items, lambda x: is_blue(x) and is_black(x)))");
    let plan = plan(&coarse, &never.unwrap(), &Scene::default(), true, &|| false).unwrap();
    assert_eq!((plan.edits, plan.proven), (None, false));
}

/// What a planner steers by: one for each object to be taken away or changed, half as much again for one to be brought in.
#[test]
fn amendment_31_shortfalls_count_edits() {
    let mut scene = Scene::default();
    for (y, color) in [(80, Color::Black), (59, Color::Yellow), (38, Color::Black)] {
        scene.push(0, item(40, y, Shape::Square, color, Size::Medium));
    }
    for (program, wanted, far) in [
        ("All(all_boxes, lambda x: exist(x))", true, 3.0),
        ("All(all_boxes, lambda x: exist(x))", false, 0.0),
        ("Any(all_boxes, lambda x: exist(x))", true, 0.0),
        ("Any(all_boxes, lambda x: exist(x))", false, 3.0),
        ("exist(filter_obj(all_items, lambda x: is_black(x)))", false, 2.0),
        ("exist(filter_obj(all_items, lambda x: is_blue(x)))", true, 1.0),
        ("count(filter_obj(all_items, lambda x: is_black(x))) == 0", true, 2.0),
        ("count(filter_obj(all_items, lambda x: is_black(x))) == 4", true, 2.5),
        ("count(filter_obj(all_items, lambda x: is_black(x))) == 2", false, 1.0),
        ("ge(count(all_items), 5) and all_boxes[0].is_tower()", true, 3.0),
        ("ge(count(all_items), 5) or all_boxes[0].is_tower()", true, 0.0),
    ] {
        let parsed = crate::language::Program::parse(program).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parsed.shortfall(&scene, wanted), Ok(far), "{program} {wanted}");
        assert_eq!(parsed.truth(&scene) == Ok(wanted), far == 0.0, "{program} {wanted}");
    }
}
