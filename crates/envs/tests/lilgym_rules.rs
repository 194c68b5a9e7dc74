//! What the rules promise beyond the recordings: numbering, the paper's variants, observations, policies.

use heldout_core::{Batch, Buffers, Environment, Options, Reset, Rng, Seed, Start, Status, VecEnv};
use heldout_envs::lilgym::{
    Action, Actions, Appearance, Begin, Cause, Change, Color, Config, End, Grid, Item, LilGym, Rules, ScatterFlipit,
    ScatterScratch, Scene, Shape, Size, State, Task, TowerFlipit, TowerScratch,
};

fn rules(config: &Config, appearance: Appearance, begin: Begin) -> Rules {
    Rules::new(config, appearance, begin).unwrap()
}

fn start(rules: &Rules, row: u32) -> State {
    rules.start(Start { seed: Seed(3), copy: Seed(3), episode: 0, problem: Some(row) })
}

fn step(rules: &Rules, state: &mut State, action: Action) -> (f32, Status) {
    let mut reward = f32::NAN;
    let status = rules.step(state, action, &mut reward);
    (reward, status)
}

fn add(x: u16, y: u16, shape: Shape, size: Size) -> Action {
    Action::Add { x, y, shape, color: Color::Blue, size }
}

#[test]
fn numbers_are_the_public_ones() {
    let tower = rules(&Config::default(), Appearance::Tower, Begin::Scratch);
    let black = Action::Add { x: 1, y: 0, shape: Shape::Square, color: Color::Black, size: Size::Medium };
    assert_eq!(tower.action(5), Some(black));
    assert_eq!(tower.action(12), Some(Action::Remove { x: 2, y: 0 }));
    assert_eq!(tower.action(13), None);
    let scatter = rules(&Config::default(), Appearance::Scatter, Begin::Scratch);
    let last = Action::Add { x: 18, y: 4, shape: Shape::Triangle, color: Color::Blue, size: Size::Large };
    assert_eq!(scatter.action(2565), Some(last));
    assert_eq!(scatter.action(2566 + 7 * 5 + 3), Some(Action::Remove { x: 7, y: 3 }));
    assert_eq!(scatter.action(2661), None);
    for (rules, count) in [(&tower, 13), (&scatter, 2661)] {
        for id in 0..count {
            assert_eq!(rules.number(rules.action(id).unwrap()), id);
        }
    }
}

fn round_trips<T: Task>(config: &Config, tries: usize) {
    let env = LilGym::<T>::new(config).unwrap();
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
    round_trips::<TowerScratch>(&factored, 100);
    round_trips::<ScatterScratch>(&factored, 1000);
    round_trips::<ScatterScratch>(&Config { grid: Grid::Cells([38, 10]), ..Config::default() }, 1000);
    let native = Config { grid: Grid::Name("native".to_owned()), ..Config::default() };
    round_trips::<ScatterScratch>(&native, 1000);
    let env = LilGym::<ScatterScratch>::new(&native).unwrap();
    assert_eq!(env.spec().agents[0].action.sizes(), [1_064_001]);
    // What a type does not need is ignored.
    let env = LilGym::<ScatterScratch>::new(&factored).unwrap();
    assert_eq!(env.decode(0, &[0, 7, 2, 1, 2, 0]), Some(Action::Stop));
    assert_eq!(env.decode(0, &[2, 7, 2, 1, 2, 0]), env.decode(0, &[2, 7, 2, 0, 0, 2]));
}

#[test]
fn causes_are_told_apart() {
    let rules = rules(&Config::default(), Appearance::Scatter, Begin::Scratch);
    let mut scene = Scene::default();
    assert_eq!(rules.judge(&scene, add(4, 0, Shape::Square, Size::Large)), Err(Cause::CannotFit));
    assert_eq!(rules.judge(&scene, add(5, 0, Shape::Square, Size::Small)), Err(Cause::Separator));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 13, y: 0 }), Err(Cause::Separator));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 0, y: 0 }), Err(Cause::Nothing));
    let put = rules.judge(&scene, add(0, 0, Shape::Square, Size::Large)).unwrap().unwrap();
    put.apply(&mut scene);
    assert_eq!(rules.judge(&scene, add(1, 1, Shape::Square, Size::Small)), Err(Cause::Onto));
    // A cell that the object only touches takes nothing away; one that it shares does.
    assert_eq!(rules.judge(&scene, Action::Remove { x: 1, y: 1 }), Ok(Some(Change::Remove(0))));
    assert_eq!(rules.judge(&scene, Action::Remove { x: 2, y: 0 }), Err(Cause::Nothing));
}

/// An object two pixels away moves to its neighbour, and stays within its box if it is told to.
#[test]
fn objects_stick() {
    let near = |stick, border_check| {
        let config = Config { stick, border_check, ..Config::default() };
        let rules = rules(&config, Appearance::Scatter, Begin::Scratch);
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
    let searching = rules(&paper, Appearance::Scatter, Begin::Scratch);
    let mut scene = Scene::default();
    scene.push(0, Item { x: 0, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Medium });
    scene.push(0, Item { x: 25, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Small });
    let action = add(1, 0, Shape::Square, Size::Small);
    let compat = rules(&Config::default(), Appearance::Scatter, Begin::Scratch);
    assert_eq!(compat.judge(&scene, action), Err(Cause::Onto));
    // The first free pixel of the row is right of the small one; it sticks already.
    let found = Item { x: 35, y: 0, shape: Shape::Square, color: Color::Blue, size: Size::Small };
    assert_eq!(searching.judge(&scene, action), Ok(Some(Change::Add(0, found))));

    for (config, length, last) in [(Config::default(), 11, -0.1), (paper, 12, -1.0)] {
        let config = Config { cell_search: false, ..config };
        let tower = rules(&config, Appearance::Tower, Begin::Scratch);
        let mut state = start(&tower, 0);
        for t in 1..=length {
            let action = if t % 2 == 1 { tower.action(1) } else { tower.action(10) };
            let before = state.scene;
            let (reward, status) = step(&tower, &mut state, action.unwrap());
            assert_eq!(reward, if t == length { last } else { -0.1 });
            assert_eq!(status, if t == length { Status::Truncated } else { Status::Running });
            assert_eq!(state.scene == before, t == length, "the last edit is not carried out");
        }
        assert_eq!(state.end, Some(End::Horizon));
    }
}

#[test]
fn ends_are_told_apart() {
    let rules = rules(&Config::default(), Appearance::Tower, Begin::Scratch);
    let false_at_first = (0..100).find(|&row| rules.truth(&start(&rules, row)) == Ok(false)).unwrap();
    let mut state = start(&rules, false_at_first);
    assert_eq!(step(&rules, &mut state, Action::Stop), (-1.0, Status::Terminated));
    assert_eq!(state.end, Some(End::Early));
    let mut state = start(&rules, false_at_first);
    step(&rules, &mut state, rules.action(1).unwrap());
    step(&rules, &mut state, rules.action(10).unwrap());
    assert_eq!(step(&rules, &mut state, Action::Stop), (-1.0, Status::Terminated));
    assert_eq!(state.end, Some(End::Wrong));
    let mut state = start(&rules, false_at_first);
    assert_eq!(step(&rules, &mut state, rules.action(10).unwrap()), (-1.0, Status::Truncated));
    assert_eq!((state.end, state.cause), (Some(End::Invalid), Some(Cause::Nothing)));
}

/// The half-size picture that is kept and patched is the mean of the whole picture that is painted anew, hole or no hole.
#[test]
fn patches_add_up_to_the_whole_picture() {
    for begin in [Begin::Scratch, Begin::Flipit] {
        for appearance in [Appearance::Tower, Appearance::Scatter] {
            let kept = rules(&Config { horizon: 1000, ..Config::default() }, appearance, begin);
            let anew =
                Config { horizon: 1000, observation: heldout_envs::lilgym::Observation::Objects, ..Config::default() };
            let anew = rules(&anew, appearance, begin);
            let mut rng = Rng::new(Seed(11));
            for row in 0..20 {
                let (mut a, mut b) = (start(&kept, row), start(&anew, row));
                for _ in 0..60 {
                    let action =
                        kept.action(rng.below(if appearance == Appearance::Tower { 13 } else { 2661 })).unwrap();
                    if action == Action::Stop || kept.judge(&a.scene, action).is_err() {
                        continue;
                    }
                    step(&kept, &mut a, action);
                    step(&anew, &mut b, action);
                    assert!(kept.half(&a) == anew.half(&b), "{appearance:?} row {row}");
                }
            }
        }
    }
}

#[test]
fn masks_and_object_lists_show_the_state() {
    let config = Config { mask: true, observation: heldout_envs::lilgym::Observation::Objects, ..Config::default() };
    let mut env = Batch::<LilGym<ScatterFlipit>>::new(&config, 1, Options::default()).unwrap();
    let rules = rules(&config, Appearance::Scatter, Begin::Flipit);
    let mut buffers = Buffers::new(env.spec(), 1);
    env.reset(Reset { problems: &[Some(5)], ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
    let state = start(&rules, 5);
    let rows = buffers.rows();
    let row = rows.row(0);
    let mask = row.u8(env.spec().field("action_mask").unwrap());
    for (id, &valid) in mask.iter().enumerate() {
        let action = rules.action(id as u32).unwrap();
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
    assert_eq!(row.text(env.spec().field("sentence").unwrap()), rules.corpus().statement(5).sentence);
}

/// The boxes of a start change places, and what is to be flipped is the truth in the new order.
#[test]
fn boxes_can_be_permuted() {
    let config = Config { permute_boxes: true, ..Config::default() };
    let rules = rules(&config, Appearance::Tower, Begin::Flipit);
    let mut orders = Vec::new();
    for seed in 0..60 {
        let state = rules.start(Start { seed: Seed(seed), copy: Seed(0), episode: 0, problem: Some(7) });
        assert_eq!(rules.truth(&state), Ok(!state.target));
        let sorted = |scene: &Scene| {
            let mut boxes: Vec<_> = (0..3).map(|b| format!("{:?}", scene.of(b))).collect();
            boxes.sort();
            boxes
        };
        assert_eq!(sorted(&state.scene), sorted(&rules.corpus().rows[7].scene));
        orders.push(format!("{:?}", state.scene));
    }
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 6);
}

fn play<T: Task>(config: &Config, policy: &str) -> Vec<f32> {
    let mut env = Batch::<LilGym<T>>::new(config, 64, Options::default()).unwrap();
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
    let objects = heldout_envs::lilgym::Observation::Objects;
    let config = Config { observation: objects, ..Config::default() };
    let env = LilGym::<TowerFlipit>::new(&config).unwrap();
    // The engine's `return` and `length` come first.
    let at = |name: &str| 2 + env.spec().metric(name).unwrap();
    for policy in ["oracle", "planner"] {
        assert!(play::<TowerFlipit>(&config, policy)[at("success")] > 0.99);
    }
    assert!(play::<ScatterScratch>(&config, "oracle")[at("success")] > 0.99);
    let random = play::<ScatterFlipit>(&config, "random");
    assert_eq!(random[at("invalid")], 0.0, "random keeps to what is valid");
    assert!(random[at("actions")] > 5.0);
    let noop = play::<TowerFlipit>(&config, "noop");
    assert_eq!((noop[at("actions")], noop[at("success")]), (1.0, 0.0), "a start is never a goal");
    let native = Config { grid: Grid::Name("native".to_owned()), ..config };
    let random = play::<ScatterScratch>(&native, "random");
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
        let error = Rules::new(&config, Appearance::Tower, Begin::Scratch).map(|_| ()).unwrap_err();
        assert_eq!(error.field, field);
    }
    for grid in [Grid::Cells([0, 5]), Grid::Cells([381, 5]), Grid::Name("coarse".to_owned())] {
        let config = Config { grid, ..Config::default() };
        assert_eq!(Rules::new(&config, Appearance::Scatter, Begin::Scratch).unwrap_err().field, "grid");
    }
}
