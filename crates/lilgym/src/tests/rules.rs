//! What the rules promise beyond the recordings: numbering, the paper's variants, observations, policies.

use super::{Action, Color, Config, Grid, Item, LilGym, Scene, Shape, Size, Task, about, rules, start, step};
use crate::config::{Actions, Observation, RemoveRule};
use crate::environment::{End, VIEW};
use crate::picture::{self, HALF_WIDTH, HEIGHT, WIDTH};
use crate::rules::{Change, Invalid};
use heldout_core::{Batch, Buffers, Environment as _, Options, Reset, Rng, Seed, Start, Status, VecEnv};

fn add(x: u16, y: u16, shape: Shape, size: Size) -> Action {
    Action::Add { x, y, shape, color: Color::Blue, size }
}

fn square(x: i16, y: i16, size: Size) -> Item {
    Item { x, y, shape: Shape::Square, color: Color::Blue, size }
}

fn numbered(rules: &LilGym, id: i32) -> Option<Action> {
    rules.decode(0, &[id])
}

#[test]
fn numbers_are_the_public_ones() {
    let tower = rules(&Config::default(), Task::TOWER_SCRATCH);
    let black = Action::Add { x: 1, y: 0, shape: Shape::Square, color: Color::Black, size: Size::Medium };
    assert_eq!(numbered(&tower, 5), Some(black));
    assert_eq!(numbered(&tower, 12), Some(Action::Remove { x: 2, y: 0 }));
    assert_eq!(numbered(&tower, 13), None);
    let scatter = rules(&Config::default(), Task::SCATTER_SCRATCH);
    let last = Action::Add { x: 18, y: 4, shape: Shape::Triangle, color: Color::Blue, size: Size::Large };
    assert_eq!(numbered(&scatter, 2565), Some(last));
    assert_eq!(numbered(&scatter, 2566 + 7 * 5 + 3), Some(Action::Remove { x: 7, y: 3 }));
    assert_eq!(numbered(&scatter, 2661), None);
    for (rules, count) in [(&tower, 13), (&scatter, 2661)] {
        for id in 0..count {
            assert_eq!(rules.numbers.id(numbered(rules, id).unwrap()), id as u32);
        }
    }
}

fn round_trips(config: &Config, task: Task, tries: usize) {
    let env = LilGym::new(config, task).unwrap();
    let sizes = env.spec().agents[0].action.sizes().to_vec();
    let mut rng = Rng::new(Seed(1));
    for _ in 0..tries {
        let mut raw: Vec<i32> = sizes.iter().map(|&n| rng.below(n) as i32).collect();
        let action = env.decode(0, &raw).unwrap();
        env.encode(0, action, &mut raw);
        assert_eq!(env.decode(0, &raw), Some(action));
    }
}

#[test]
fn any_grid_and_factored_actions_decode() {
    let factored = Config { actions: Actions::Factored, ..Config::default() };
    round_trips(&factored, Task::TOWER_SCRATCH, 100);
    round_trips(&factored, Task::SCATTER_SCRATCH, 1000);
    round_trips(&Config { grid: Grid::Cells([38, 10]), ..Config::default() }, Task::SCATTER_SCRATCH, 1000);
    let native = Config { grid: Grid::Name("native".to_owned()), ..Config::default() };
    round_trips(&native, Task::SCATTER_SCRATCH, 1000);
    let env = LilGym::new(&native, Task::SCATTER_SCRATCH).unwrap();
    assert_eq!(env.spec().agents[0].action.sizes(), [1_064_001]);
    // What a type does not need is ignored.
    let env = LilGym::new(&factored, Task::SCATTER_SCRATCH).unwrap();
    assert_eq!(env.decode(0, &[0, 7, 2, 1, 2, 0]), Some(Action::Stop));
    assert_eq!(env.decode(0, &[2, 7, 2, 1, 2, 0]), env.decode(0, &[2, 7, 2, 0, 0, 2]));
}

#[test]
fn causes_are_told_apart() {
    let rules = rules(&Config::default(), Task::SCATTER_SCRATCH);
    let mut scene = Scene::default();
    assert_eq!(rules.judge(&scene, add(4, 0, Shape::Square, Size::Large)), Err(Invalid::CannotFit));
    assert_eq!(rules.judge(&scene, add(5, 0, Shape::Square, Size::Small)), Err(Invalid::Separator));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 13, y: 0 }), Err(Invalid::Separator));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 0, y: 0 }), Err(Invalid::Nothing));
    let put = rules.judge(&scene, add(0, 0, Shape::Square, Size::Large)).unwrap().unwrap();
    put.apply(&mut scene);
    assert_eq!(rules.judge(&scene, add(1, 1, Shape::Square, Size::Small)), Err(Invalid::Onto));
    // A cell that the object only touches takes nothing away; one that it shares does.
    assert_eq!(rules.judge(&scene, Action::Remove { x: 1, y: 1 }), Ok(Some(Change::Remove(0))));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 2, y: 0 }), Err(Invalid::Nothing));
}

/// Of two objects in a cell the one that has more of it is removed, or the larger one by the other rule.
#[test]
fn what_is_removed_from_a_cell_follows_the_rule() {
    let mut scene = Scene::default();
    // The cell's 20 pixels begin at 20: it holds 100 square pixels of the first, 80 of the second.
    assert!(scene.push(0, square(22, 22, Size::Small)) && scene.push(0, square(36, 20, Size::Large)));
    let removed = |remove_rule| {
        let rules = rules(&Config { remove_rule, ..Config::default() }, Task::SCATTER_SCRATCH);
        rules.judge(&scene, Action::Remove { x: 1, y: 1 })
    };
    assert_eq!(removed(Config::default().remove_rule), Ok(Some(Change::Remove(0))));
    assert_eq!(removed(RemoveRule::Object), Ok(Some(Change::Remove(1))));
}

/// A box takes as many objects as `box_limit` says, whatever the others hold, and any number without one; all boxes together
/// take forty.
#[test]
fn boxes_take_what_their_limit_allows() {
    let judged = |box_limit: u32, held: [usize; 3]| {
        let rules = rules(&Config { box_limit, ..Config::default() }, Task::SCATTER_SCRATCH);
        let mut scene = Scene::default();
        for (owner, count) in held.into_iter().enumerate() {
            for i in 0..count as i16 {
                assert!(scene.push(owner, square(10 * (i % 9), 30 + 10 * (i / 9), Size::Small)));
            }
        }
        rules.judge(&scene, add(0, 0, Shape::Square, Size::Small)).map(|change| change.is_some())
    };
    let full = Err(Invalid::CannotFit);
    assert_eq!([0, 1, 2].map(|held| judged(2, [held, 3, 3])), [Ok(true), Ok(true), full]);
    assert_eq!(judged(2, [3, 0, 0]), full);
    assert_eq!(judged(0, [9, 15, 15]), Ok(true));
    assert_eq!(judged(0, [9, 15, 16]), full);
}

/// An object two pixels away moves to its neighbour, and stays within its box if it is told to.
#[test]
fn objects_stick() {
    let near = |stick, border_check| {
        let config = Config { border_check, stick, ..Config::default() };
        let rules = rules(&config, Task::SCATTER_SCRATCH);
        let mut scene = Scene::default();
        scene.push(0, Item { x: 32, y: 20, shape: Shape::Square, color: Color::Blue, size: Size::Medium });
        match rules.judge(&scene, add(1, 1, Shape::Square, Size::Small)) {
            Ok(Some(Change::Add(0, item))) => (item.x, item.y),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(near(4, false), (22, 20));
    assert_eq!(near(1, false), (20, 20));
    assert_eq!(near(-1, false), (20, 20));
    assert_eq!(near(4, true), (22, 20));
}

#[test]
fn the_papers_variants_differ_where_they_should() {
    let paper = Config { cell_search: true, horizon: 12, horizon_reward: Some(-1.0), ..Config::default() };
    let searching = rules(&paper, Task::SCATTER_SCRATCH);
    let mut scene = Scene::default();
    scene.push(0, Item { x: 0, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Medium });
    scene.push(0, Item { x: 25, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Small });
    let action = add(1, 0, Shape::Square, Size::Small);
    let compat = rules(&Config::default(), Task::SCATTER_SCRATCH);
    assert_eq!(compat.judge(&scene, action), Err(Invalid::Onto));
    // The first free pixel of the row is right of the small one; it sticks already.
    let found = Item { x: 35, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Small };
    assert_eq!(searching.judge(&scene, action), Ok(Some(Change::Add(0, found))));

    for (config, length, last) in [(Config::default(), 11, -0.1), (paper, 12, -1.0)] {
        let config = Config { cell_search: false, ..config };
        let tower = rules(&config, Task::TOWER_SCRATCH);
        let mut state = start(&tower, 0);
        for t in 1..=length {
            let action = if t % 2 == 1 { numbered(&tower, 1) } else { numbered(&tower, 10) };
            let before = state.scene;
            let (reward, status) = step(&tower, &mut state, action.unwrap());
            assert_eq!(reward, if t == length { last } else { -0.1 });
            assert_eq!(status, if t == length { Status::Truncated } else { Status::Running });
            assert_eq!(state.scene == before, t == length, "the last edit is not carried out");
        }
        assert_eq!(state.end, Some(End::Horizon));
    }
}

/// A statement without a value is neither true nor false: STOP pays for no target, and nothing is forced.
#[test]
fn amendment_35_a_fault_never_pays() {
    // Of a middle box with one block: whether it is black. Of any other: nothing.
    let program = "is_black(unique(all_boxes[1]))";
    let mut one = Scene::default();
    one.push(1, Item { x: 40, y: 80, shape: Shape::Square, color: Color::Black, size: Size::Medium });
    for (stop_forcing, target) in [(false, false), (false, true), (true, false), (true, true)] {
        let config = Config { stop_forcing, ..Config::default() };
        let rules = about(Task::TOWER_FLIPIT, &config, program, &[(one, target), (Scene::default(), target)]);
        let mut state = start(&rules, 1);
        assert!(rules.truth(&state).is_err());
        assert_eq!(step(&rules, &mut state, Action::Stop), (-1.0, Status::Terminated), "to be {target}");
        assert_eq!(state.end, Some(End::Early));
        let mut state = start(&rules, 1);
        assert_eq!(
            step(&rules, &mut state, numbered(&rules, 1).unwrap()),
            (-0.1, Status::Running),
            "nothing is forced"
        );
        // Planning is for a value, too: the block is exchanged, not just taken away.
        let plan = rules.solve(0).edits.unwrap();
        let wanted = [numbered(&rules, 11).unwrap(), numbered(&rules, 4).unwrap()];
        assert_eq!(*plan, *if target { &wanted[..0] } else { &wanted[..] });
    }
}

#[test]
fn ends_are_told_apart() {
    let rules = rules(&Config::default(), Task::TOWER_SCRATCH);
    let false_at_first = (0..100).find(|&row| rules.truth(&start(&rules, row)) == Ok(false)).unwrap();
    let mut state = start(&rules, false_at_first);
    assert_eq!(step(&rules, &mut state, Action::Stop), (-1.0, Status::Terminated));
    assert_eq!(state.end, Some(End::Early));
    let mut state = start(&rules, false_at_first);
    step(&rules, &mut state, numbered(&rules, 1).unwrap());
    step(&rules, &mut state, numbered(&rules, 10).unwrap());
    assert_eq!(step(&rules, &mut state, Action::Stop), (-1.0, Status::Terminated));
    assert_eq!(state.end, Some(End::Wrong));
    let mut state = start(&rules, false_at_first);
    assert_eq!(step(&rules, &mut state, numbered(&rules, 10).unwrap()), (-1.0, Status::Truncated));
    assert_eq!((state.end, state.invalid), (Some(End::Invalid), Some(Invalid::Nothing)));
}

/// A canvas as the public code keeps one: never cleared within an episode. An addition paints all objects again; a removal
/// paints those that were there, and the removed one in grey after those of its box.
struct Canvas(Vec<[u8; 3]>);

impl Canvas {
    fn new(scene: &Scene) -> Self {
        let ground = |i: usize| if i % WIDTH % 140 < 100 { [211; 3] } else { [128; 3] };
        let mut canvas = Self((0..WIDTH * HEIGHT).map(ground).collect());
        canvas.redraw(scene, None);
        canvas
    }

    fn redraw(&mut self, scene: &Scene, removed: Option<usize>) {
        for owner in 0..3 {
            for item in scene.of(owner) {
                self.paint(item, owner, [[250, 255, 0], [0, 0, 0], [15, 131, 255]][item.color as usize]);
            }
            if let Some(index) = removed.filter(|&index| scene.box_of(index) == owner) {
                self.paint(&scene.items()[index], owner, [211; 3]);
            }
        }
    }

    fn paint(&mut self, item: &Item, owner: usize, color: [u8; 3]) {
        // First columns of the upper half of circles of 10, 20 and 30 pixels.
        let round: [&[i32]; 3] =
            [&[3, 2, 1, 0, 0], &[7, 5, 4, 3, 2, 1, 1, 0, 0, 0], &[11, 9, 7, 6, 5, 4, 3, 2, 2, 1, 1, 0, 0, 0, 0]];
        let side = item.size.pixels();
        for row in 0..side {
            let (from, to) = match item.shape {
                Shape::Square => (0, side - 1),
                Shape::Triangle => (side / 2 - (row + 1) / 2, side / 2 + row / 2),
                Shape::Circle => {
                    let first = round[item.size as usize][row.min(side - 1 - row) as usize];
                    (first, side - 1 - first)
                }
            };
            for column in from..=to {
                let (x, y) = (140 * owner as i32 + i32::from(item.x) + column, i32::from(item.y) + row);
                if (0..WIDTH as i32).contains(&x) && (0..HEIGHT as i32).contains(&y) {
                    self.0[y as usize * WIDTH + x as usize] = color;
                }
            }
        }
    }
}

/// The half-size picture that is kept and patched is the mean of a canvas on which everything was painted one after the
/// other, and the whole picture that is painted anew is that canvas, hole or no hole.
#[test]
fn patches_add_up_to_the_whole_picture() {
    let config = Config { horizon: 1000, ..Config::default() };
    let square = |x, y, color| Item { x, y, shape: Shape::Square, color, size: Size::Large };
    // Objects that share pixels, as sticking can bring about: taking one away leaves a hole in the other.
    let mut shared = Scene::default();
    for (x, y, color) in [(0, 0, Color::Blue), (20, 10, Color::Black), (45, 20, Color::Yellow)] {
        assert!(shared.push(0, square(x, y, color)) && shared.push(2, square(y, x, color)));
    }
    let all = Task::ALL.map(|task| rules(&config, task)).into_iter();
    let sharing = about(Task::SCATTER_FLIPIT, &config, "exist(all_items)", &[(shared, false); 20]);
    // Objects that reach over the separators, as sticking can bring about: taking one away leaves these grey for good.
    let mut outside = Scene::default();
    for (owner, x) in [(0, 75), (1, -4), (1, 83), (2, -7)] {
        assert!(outside.push(owner, square(x, 20 * owner as i16 + 3, Color::Blue)));
    }
    let reaching = about(Task::SCATTER_FLIPIT, &config, "exist(all_items)", &[(outside, false); 20]);
    let (mut holes, mut greyed) = (0, 0);
    for rules in all.chain([sharing, reaching]) {
        let task = rules.task;
        let mut rng = Rng::new(Seed(11));
        let mut full = vec![0; WIDTH * HEIGHT * 3];
        for problem in 0..20 {
            let mut state = start(&rules, problem);
            let mut canvas = Canvas::new(&state.scene);
            for _ in 0..60 {
                let action = rules.numbers.action(rng.below(rules.numbers.flat()));
                let Ok(Some(change)) = rules.judge(&state.scene, action) else { continue };
                let before = state.scene;
                step(&rules, &mut state, action);
                match change {
                    Change::Add(..) => canvas.redraw(&state.scene, None),
                    Change::Remove(index) => canvas.redraw(&before, Some(index)),
                }
                picture::paint_full(&state.scene, &state.trace, &mut full);
                assert_eq!(full, canvas.0.as_flattened(), "{task:?} problem {problem}");
                holes += usize::from(canvas.0 != Canvas::new(&state.scene).0);
                greyed += usize::from((0..WIDTH * HEIGHT).any(|i| i % WIDTH % 140 >= 100 && canvas.0[i] == [211; 3]));
                for (i, &half) in state.half.iter().enumerate() {
                    let (x, y, channel) = (i / 3 % HALF_WIDTH, i / 3 / HALF_WIDTH, i % 3);
                    let at = |dx: usize, dy: usize| u32::from(canvas.0[(2 * y + dy) * WIDTH + 2 * x + dx][channel]);
                    let mean = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
                    assert_eq!(u32::from(half), mean, "{task:?} problem {problem}: {x}, {y}");
                }
            }
        }
    }
    assert!(holes > 0 && greyed > 0, "no removal left a hole, or none beyond its box: there was nothing to see");
}

#[test]
fn amendment_14_factored_actions_have_a_mask_of_their_components() {
    let config = Config { mask: true, actions: Actions::Factored, ..Config::default() };
    let env = Batch::<LilGym>::new(&config, Task::TOWER_SCRATCH, 1, Options::default()).unwrap();
    assert!(env.spec().field("action_mask").is_none());
    assert_eq!(env.spec().observation[env.spec().field("legal_actions").unwrap()].shape, [9]);
    let rules = rules(&config, Task::TOWER_SCRATCH);
    let shown = |scene: &Scene| {
        let mut mask = [7; 9];
        rules.show_valid(scene, &mut mask);
        assert_eq!(mask[3..], [1; 6], "STOP ignores these");
        [mask[0], mask[1], mask[2]]
    };
    let mut state = start(&rules, 0);
    assert_eq!(shown(&state.scene), [1, 1, 0], "there is nothing to remove from empty boxes");
    for number in 0..12 {
        assert_eq!(shown(&state.scene)[1], 1);
        let add = rules.numbers.action(1 + 3 * (number / 4));
        rules.judge(&state.scene, add).unwrap().unwrap().apply(&mut state.scene);
    }
    assert_eq!(shown(&state.scene), [1, 0, 1], "there is no room in full boxes");
}

#[test]
fn masks_and_object_lists_show_the_state() {
    let config = Config { mask: true, observation: Observation::Objects, ..Config::default() };
    let mut env = Batch::<LilGym>::new(&config, Task::SCATTER_FLIPIT, 1, Options::default()).unwrap();
    let rules = rules(&config, Task::SCATTER_FLIPIT);
    let mut buffers = Buffers::new(env.spec(), 1);
    env.reset(Reset { problems: &[Some(5)], ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
    let state = start(&rules, 5);
    let rows = buffers.rows();
    let row = rows.row(0);
    let mask = row.u8(env.spec().field("action_mask").unwrap());
    for (id, &valid) in mask.iter().enumerate() {
        let action = numbered(&rules, id as i32).unwrap();
        assert_eq!(valid == 1, rules.judge(&state.scene, action).is_ok(), "{action:?}");
    }
    let objects = row.i32(env.spec().field("objects").unwrap());
    for (i, object) in objects.chunks(6).enumerate() {
        let Some(item) = state.scene.items().get(i) else {
            assert_eq!(object, [0; 6]);
            continue;
        };
        let expected = [
            state.scene.box_of(i) as i32 + 1,
            item.x.into(),
            item.y.into(),
            item.shape as i32,
            item.color as i32,
            item.size as i32,
        ];
        assert_eq!(object, expected);
    }
    assert_eq!(row.text(env.spec().field("sentence").unwrap()), rules.corpus.statement(5).sentence);
}

/// The boxes of a start change places, each order as often as any other, and what is to be flipped is the truth in the new
/// order: of a statement about the left box that depends on which box came there.
#[test]
fn boxes_can_be_permuted() {
    let mut scene = Scene::default();
    for (owner, color) in Color::ALL.into_iter().enumerate() {
        for _ in 0..=owner {
            let block = crate::rules::block(scene.of(owner), color);
            assert!(scene.push(owner, block));
        }
    }
    let config = Config { permute_boxes: true, ..Config::default() };
    // In the file's own order the left box is yellow: it has no black block, and is to get one.
    let rules = about(Task::TOWER_FLIPIT, &config, "exist(filter_obj(all_boxes[0], is_black))", &[(scene, true)]);
    let mut orders = std::collections::BTreeMap::new();
    for seed in 0..600 {
        let state = rules.start(Start { seed: Seed(seed), copy: Seed(0), episode: 0, problem: Some(0) });
        let order = [0, 1, 2].map(|owner| state.scene.of(owner).len());
        for (owner, blocks) in order.into_iter().enumerate() {
            let own = scene.of(blocks - 1);
            assert_eq!(state.scene.of(owner), own, "a box is moved whole");
        }
        let black_is_left = order[0] == 1 + Color::Black as usize;
        assert_eq!(state.target, !black_is_left, "{order:?}");
        *orders.entry(order).or_insert(0) += 1;
    }
    // Five sigma about 100 of 600.
    assert!(orders.len() == 6 && orders.values().all(|n| (54..=146).contains(n)), "{orders:?}");
    let plain = about(Task::TOWER_FLIPIT, &Config::default(), "exist(all_items)", &[(scene, false)]);
    assert_eq!(start(&plain, 0).scene, scene, "they stay where they are unless told");
}

/// What is seen is the permuted scene: the list of objects and both pictures are those of boxes that were laid out so.
#[test]
fn permuted_boxes_are_seen_where_they_are() {
    let mut scene = Scene::default();
    for (owner, color) in Color::ALL.into_iter().enumerate() {
        for _ in 0..=owner {
            let block = crate::rules::block(scene.of(owner), color);
            assert!(scene.push(owner, block));
        }
    }
    for observation in [Observation::Objects, Observation::Full, Observation::Image] {
        let config = Config { permute_boxes: true, observation, ..Config::default() };
        let rules = about(Task::TOWER_FLIPIT, &config, "exist(filter_obj(all_boxes[0], is_black))", &[(scene, true)]);
        let mut buffers = Buffers::new(rules.spec(), 1);
        let mut orders = std::collections::BTreeSet::new();
        for seed in 0..100 {
            let state = rules.start(Start { seed: Seed(seed), copy: Seed(0), episode: 0, problem: Some(0) });
            let order = [0, 1, 2].map(|owner| state.scene.of(owner).len() - 1);
            let mut permuted = Scene::default();
            for (owner, from) in order.into_iter().enumerate() {
                scene.of(from).iter().for_each(|item| assert!(permuted.push(owner, *item)));
            }
            rules.observe(&state, 0, buffers.output().rows.row(0));
            let rows = buffers.rows();
            let canvas = Canvas::new(&permuted).0;
            match observation {
                Observation::Objects => {
                    let mut expected = Vec::new();
                    for (i, item) in permuted.items().iter().enumerate() {
                        let place = [permuted.box_of(i) as i32 + 1, item.x.into(), item.y.into()];
                        let kind = [item.shape as i32, item.color as i32, item.size as i32];
                        expected.extend(place.into_iter().chain(kind));
                    }
                    expected.resize(rows.row(0).i32(VIEW).len(), 0);
                    assert_eq!(rows.row(0).i32(VIEW), expected, "{order:?}");
                }
                Observation::Full => assert!(rows.row(0).u8(VIEW) == canvas.as_flattened(), "{order:?}"),
                Observation::Image => {
                    for (i, &half) in rows.row(0).u8(VIEW).iter().enumerate() {
                        let (x, y, channel) = (i / 3 % HALF_WIDTH, i / 3 / HALF_WIDTH, i % 3);
                        let at = |dx: usize, dy: usize| u32::from(canvas[(2 * y + dy) * WIDTH + 2 * x + dx][channel]);
                        let mean = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
                        assert_eq!(u32::from(half), mean, "{order:?}: {x}, {y}");
                    }
                }
            }
            orders.insert(order);
        }
        assert_eq!(orders.len(), 6);
    }
}

fn play(config: &Config, task: Task, policy: &str) -> Vec<f32> {
    let mut env = Batch::<LilGym>::new(config, task, 64, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 64);
    env.seat(0, policy, Seed(0)).unwrap();
    env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
    let mut actions = vec![0; 64 * env.spec().action_width()];
    let width = env.spec().metrics.len();
    let (mut sums, mut ends) = (vec![0.0; width], 0.0);
    for _ in 0..40 {
        env.act(&buffers.rows(), &mut actions).unwrap();
        env.step(&actions, buffers.output()).unwrap();
        for copy in (0..64).filter(|&copy| buffers.status[copy].ended()) {
            ends += 1.0;
            for (sum, value) in sums.iter_mut().zip(&buffers.metrics[copy * width..]) {
                *sum += value;
            }
        }
    }
    sums.iter().map(|sum| sum / ends).collect()
}

#[test]
fn policies_do_what_they_say() {
    let objects = Observation::Objects;
    let config = Config { observation: objects, ..Config::default() };
    let env = LilGym::new(&config, Task::TOWER_FLIPIT).unwrap();
    // The engine's `return` and `length` come first.
    let at = |name: &str| 2 + env.spec().metric(name).unwrap();
    for policy in ["oracle", "planner"] {
        assert!(play(&config, Task::TOWER_FLIPIT, policy)[at("success")] > 0.99);
    }
    assert!(play(&config, Task::SCATTER_SCRATCH, "oracle")[at("success")] > 0.99);
    let random = play(&config, Task::SCATTER_FLIPIT, "random");
    assert_eq!(random[at("invalid")], 0.0, "random keeps to what is valid");
    assert!(random[at("actions")] > 5.0);
    let noop = play(&config, Task::TOWER_FLIPIT, "noop");
    assert_eq!((noop[at("actions")], noop[at("success")]), (1.0, 0.0), "a start is never a goal");
    let native = Config { grid: Grid::Name("native".to_owned()), ..config };
    let random = play(&native, Task::SCATTER_SCRATCH, "random");
    assert_eq!(random[at("invalid")], 0.0);
}

#[test]
fn keys_without_a_meaning_are_refused() {
    for (config, field) in [
        (Config { stick: 3, ..Config::default() }, "stick"),
        (Config { grid: Grid::Cells([38, 10]), ..Config::default() }, "grid"),
        (Config { permute_boxes: true, ..Config::default() }, "permute_boxes"),
        (Config { horizon: 0, ..Config::default() }, "horizon"),
        (Config { max_sentence: 20, ..Config::default() }, "max_sentence"),
        (Config { categories: "x.json".to_owned(), ..Config::default() }, "categories"),
        (Config { data: "/no/such/place".to_owned(), ..Config::default() }, "data"),
    ] {
        let error = LilGym::new(&config, Task::TOWER_SCRATCH).map(|_| ()).unwrap_err();
        assert_eq!(error.field, field);
    }
    for grid in [Grid::Cells([0, 5]), Grid::Cells([381, 5]), Grid::Name("coarse".to_owned())] {
        let config = Config { grid, ..Config::default() };
        assert_eq!(LilGym::new(&config, Task::SCATTER_SCRATCH).unwrap_err().field, "grid");
    }
}

#[test]
fn words_tell_sentence_target_truth_boxes_and_end() {
    let program = "NOT(exist(filter_obj(all_items, is_yellow)))";
    let mut tower = about(Task::TOWER_SCRATCH, &Config::default(), program, &[(Scene::default(), true)]);
    let sentence = "There is no yellow block.";
    let mut corpus = (*tower.corpus).clone();
    sentence.clone_into(&mut corpus.statements[0].sentence);
    tower.corpus = std::sync::Arc::new(corpus);
    let mut state = start(&tower, 0);
    assert_eq!(tower.words(&state), format!("{sentence}\nto be true, is true, 0 edits\nleft -, middle -, right -"));
    for id in [2, 3, 2, 1, 7] {
        step(&tower, &mut state, numbered(&tower, id).unwrap());
    }
    assert_eq!(tower.words(&state), format!("{sentence}\nto be true, is false, 5 edits\nleft KBKY, middle -, right Y"));
    step(&tower, &mut state, numbered(&tower, 1).unwrap());
    let end = "to be true, is false, 6 edits, invalid action: cannot fit";
    assert_eq!(tower.words(&state), format!("{sentence}\n{end}\nleft KBKY, middle -, right Y"));

    let forcing = Config { stop_forcing: true, ..Config::default() };
    let scatter = rules(&forcing, Task::SCATTER_FLIPIT);
    let mut state = start(&scatter, 0);
    state.scene = Scene::default();
    state.scene.push(0, Item { x: 20, y: 70, shape: Shape::Circle, color: Color::Blue, size: Size::Large });
    state.scene.push(0, Item { x: 0, y: 5, shape: Shape::Square, color: Color::Black, size: Size::Medium });
    state.scene.push(2, Item { x: -3, y: 0, shape: Shape::Triangle, color: Color::Yellow, size: Size::Small });
    let boxes = "\nleft Bo30@20,70 K#20@0,5\nmiddle -\nright Y^10@-3,0";
    assert!(scatter.words(&state).ends_with(boxes), "{}", scatter.words(&state));
    state.target = scatter.truth(&state).unwrap();
    step(&scatter, &mut state, add(0, 0, Shape::Square, Size::Small));
    assert!(scatter.words(&state).contains(", 0 edits, forced STOP at the right time\n"), "{}", scatter.words(&state));
}
