//! Where goals are and where the walker is put, against lists that are made here from the outlines of walls and buildings.

use crate::arena::layout::{Layout, Tile};
use crate::arena::rules::{Config as ArenaConfig, DEAD_TICKS};
use crate::arena::{Arena, INVISIBLE_BUILDINGS, INVISIBLE_EMPTY, VISIBLE_BUILDINGS, Variant};
use crate::level::{Drawn, LEVELS, Level, Stimuli};
use crate::maze::plan::{Cell, Plan, Sizes, Tile as Mark};
use crate::maze::rules::{Config as MazeConfig, draw_maze, middle};
use crate::maze::runner::Runner;
use crate::maze::{Maze, TASK};
use crate::mini::goal::{self, GoalMini};
use crate::walker::body::Body;
use crate::walker::controls::{Controls, LabControls};
use crate::walker::raw::Raw;
use heldout_core::{Environment, Seed, Start};

const SCALES: [Drawn; 4] = [Drawn::Small, Drawn::Interpolate, Drawn::Large, Drawn::Extrapolate];

fn start(seed: u64) -> Start {
    let copy = Seed(41);
    Start { seed: copy.derive(seed), copy, episode: seed, problem: None }
}

/// Draws from sets that change: how often each of `N` things should have come and came, with the variance.
struct Tally<const N: usize> {
    expected: [f64; N],
    variance: [f64; N],
    counted: [f64; N],
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self { expected: [0.0; N], variance: [0.0; N], counted: [0.0; N] }
    }
}

impl<const N: usize> Tally<N> {
    /// Counts a draw of `drawn` from `choices`, of which each is equally likely.
    fn count(&mut self, drawn: usize, choices: &[usize]) {
        assert!(choices.contains(&drawn), "{drawn} is none of {choices:?}");
        let share = 1.0 / choices.len() as f64;
        for &choice in choices {
            self.expected[choice] += share;
            self.variance[choice] += share * (1.0 - share);
        }
        self.counted[drawn] += 1.0;
    }

    /// Every count is within five standard deviations of what was expected.
    fn check(&self, what: &str) {
        for (i, counted) in self.counted.iter().enumerate() {
            let (expected, sigma) = (self.expected[i], self.variance[i].sqrt());
            assert!((counted - expected).abs() <= 5.0 * sigma + 1e-9, "{what} {i}: {counted}, expected {expected:.1}");
        }
    }
}

/// The squares of a metre that no building stands on, by column and row.
fn free(layout: &Layout) -> Vec<[u8; 2]> {
    let stands = |x: f64, z: f64| {
        let on = |from: f64, to: f64, at: f64| from < at + 1.0 && to > at;
        layout.buildings().iter().any(|b| on(b.rect.x0, b.rect.x1, x) && on(b.rect.z0, b.rect.z1, z))
    };
    let all = (0..layout.side).flat_map(|z| (0..layout.side).map(move |x| [x, z]));
    all.filter(|&[x, z]| !stands(x.into(), z.into())).collect()
}

/// Whether a square lies wholly in the north-west or the south-east, or wholly in one of the other two quarters.
fn quarter([x, z]: [u8; 2], side: u8) -> Option<Stimuli> {
    let half = f64::from(side) / 2.0;
    let beyond = |at: u8| (f64::from(at) >= half, f64::from(at) + 1.0 <= half);
    match (beyond(x), beyond(z)) {
        ((east, west), (north, south)) if (west && north) || (east && south) => Some(Stimuli::Train),
        ((east, west), (north, south)) if (east && north) || (west && south) => Some(Stimuli::HeldOut),
        _ => None,
    }
}

/// The squares whose middle is at least two metres and a quarter of the side away from that of the goal.
fn away(places: &[[u8; 2]], goal: [u8; 2], side: u8) -> Vec<[u8; 2]> {
    let far = |&[x, z]: &[u8; 2]| {
        let (dx, dz) = (f64::from(x) - f64::from(goal[0]), f64::from(z) - f64::from(goal[1]));
        let least = f64::max(2.0, f64::from(side) / 4.0);
        dx * dx + dz * dz >= least * least
    };
    places.iter().copied().filter(far).collect()
}

fn numbers(places: &[[u8; 2]]) -> Vec<usize> {
    places.iter().map(|&[x, z]| usize::from(z) * 32 + usize::from(x)).collect()
}

/// In each arena the goal is any free tile of its quarters, next to walls and buildings too.
#[test]
fn memory_check_28_the_goal_is_uniform_over_the_free_tiles_of_its_quarters() {
    let mut layout = Layout::default();
    for (scale, buildings) in SCALES.into_iter().flat_map(|scale| [(scale, false), (scale, true)]) {
        for stimuli in [Stimuli::Train, Stimuli::HeldOut] {
            let mut tally = Tally::<1024>::default();
            for seed in 0..3000 {
                layout.draw(scale, stimuli, buildings, 0.0, Seed(seed));
                let mut choices = free(&layout);
                choices.retain(|&tile| quarter(tile, layout.side) == Some(stimuli));
                tally.count(numbers(&[[layout.goal.x, layout.goal.z]])[0], &numbers(&choices));
            }
            tally.check(&format!("{scale:?}, buildings {buildings}, {stimuli:?}: goal"));
        }
    }
}

/// The goal stays for the whole episode, and after each arrival the walker is put on any free tile that is far enough away.
#[test]
fn memory_check_28_respawns_are_uniform_over_the_free_tiles_away_from_a_goal_that_stays() {
    fn check(variant: Variant, level: &str) {
        let env = Arena::new(&ArenaConfig { level: level.to_owned(), ..ArenaConfig::default() }, variant).unwrap();
        let mut state = env.start(start(3));
        let goal = state.layout.goal;
        let choices = numbers(&away(&free(&state.layout), [goal.x, goal.z], state.layout.side));
        let mut tally = Tally::<1024>::default();
        for arrival in 1..=4000 {
            let place = [state.body.x, state.body.z].map(|at| at.floor() as u8);
            assert_eq!((Tile { x: place[0], z: place[1] }).middle(), [state.body.x, state.body.z]);
            tally.count(numbers(&[place])[0], &choices);
            // On the middle of the goal's tile the walker has arrived, by any rule.
            let [x, z] = goal.middle();
            state.body = Body::at(x, z, 0.0);
            assert_eq!(env.tick(&mut state, &Controls::default()).0, 1.0);
            assert_eq!((state.layout.goal, state.trips.goals), (goal, arrival));
            for _ in 0..DEAD_TICKS {
                assert_eq!(env.tick(&mut state, &Controls::default()).0, 0.0);
            }
        }
        tally.check(&format!("{variant:?} {level}: spawn"));
    }
    for (variant, level) in [
        (VISIBLE_BUILDINGS, "train_small"),
        (INVISIBLE_BUILDINGS, "holdout_interpolate"),
        (INVISIBLE_EMPTY, "train_small"),
        (INVISIBLE_EMPTY, "holdout_extrapolate"),
    ] {
        check(variant, level);
    }
}

/// The same of the small variants, where a walker next to the goal is sent onto it.
#[test]
fn memory_check_28_goals_and_respawns_of_the_small_variants() {
    for (variant, level) in [goal::VISIBLE_BUILDINGS, goal::INVISIBLE_BUILDINGS, goal::INVISIBLE_EMPTY]
        .into_iter()
        .flat_map(|variant| LEVELS.map(|level| (variant, level)))
    {
        let config = goal::Config { level: level.name.to_owned(), ..goal::Config::default() };
        let env = GoalMini::new(&config, variant).unwrap();
        let (mut goals, mut spawns) = (Tally::<1024>::default(), Tally::<1024>::default());
        let mut state = env.start(start(0));
        for seed in 0..1000 {
            env.restart(&mut state, start(seed));
            let side = state.world.side;
            let cells = (0..side).flat_map(|z| (0..side).map(move |x| [x, z]));
            let open: Vec<[u8; 2]> = cells.filter(|&[x, z]| state.world.is_open(x.into(), z.into())).collect();
            let mut choices = open.clone();
            choices.retain(|&cell| quarter(cell, side) == Some(level.stimuli));
            let goal = state.world.goal;
            goals.count(numbers(&[goal])[0], &numbers(&choices));
            let choices = numbers(&away(&open, goal, side));
            for _ in 0..3 {
                spawns.count(numbers(&[state.at])[0], &choices);
                arrive(&env, &mut state);
                assert_eq!(state.world.goal, goal);
            }
        }
        goals.check(&format!("{variant:?} {}: goal", level.name));
        spawns.check(&format!("{variant:?} {}: spawn", level.name));
    }
}

/// Steps onto the goal from a cell beside it.
fn arrive(env: &GoalMini, state: &mut goal::State) {
    let [x, z] = state.world.goal.map(i32::from);
    let from = goal::Move::ALL.into_iter().find_map(|m| {
        let (x, z) = (x - m.step().0, z - m.step().1);
        state.world.is_open(x, z).then_some((m, [x as u8, z as u8]))
    });
    let (m, at) = from.expect("a goal has an open cell beside it");
    state.at = at;
    assert!(super::step(env, state, m).0 > 0.0);
}

/// A room: where it begins, in odd cells, and how many of them it is wide and deep.
fn rooms(plan: &Plan) -> Vec<[i32; 4]> {
    let side = i32::from(plan.side());
    let floor = |x, z| !matches!(plan.at(x, z), Mark::Wall | Mark::Corridor);
    let corners = (1..side).step_by(2).flat_map(|z| (1..side).step_by(2).map(move |x| (x, z)));
    let corners = corners.filter(|&(x, z)| floor(x, z) && !floor(x - 1, z) && !floor(x, z - 1));
    let size = |n: usize| (n as i32 + 1) / 2;
    corners
        .map(|(x, z)| {
            let (wide, deep) =
                ((x..side).take_while(|&x| floor(x, z)).count(), (z..side).take_while(|&z| floor(x, z)).count());
            [x / 2, z / 2, size(wide), size(deep)]
        })
        .collect()
}

/// Rooms are placed until there are as many as the table has or there is no place for another, and each has one side of
/// the shorter kind: from the least to the middle of least and greatest.
#[test]
fn memory_check_31_rooms_are_as_many_as_fit_and_no_larger_than_drawn() {
    let mut plan = Plan::default();
    for (scale, (side, most, longest)) in SCALES.into_iter().zip([(11, 9, 3), (15, 11, 5), (21, 13, 7), (27, 15, 9)]) {
        let (field, long) = (side / 2, (longest + 1) / 2);
        let short = i32::midpoint(2, long);
        let (mut short_of, mut sizes_seen) = (0, std::collections::BTreeSet::new());
        for seed in 0..400 {
            plan.draw(&Sizes::of(scale), &mut Seed(seed).rng());
            let rooms = rooms(&plan);
            assert!(rooms.len() <= most);
            for [_, _, wide, deep] in &rooms {
                assert!((2..=short).contains(wide.min(deep)) && *wide.max(deep) <= long, "{wide} x {deep}");
                sizes_seen.insert((*wide, *deep));
            }
            let taken = |x: i32, z: i32| {
                rooms.iter().any(|[left, south, wide, deep]| {
                    *left < x + 2 && x < left + wide && *south < z + 2 && z < south + deep
                })
            };
            let fits = (0..field - 1).any(|z| (0..field - 1).any(|x| !taken(x, z)));
            short_of += usize::from(rooms.len() < most && fits);
        }
        // A thousand places are tried, of all sizes: the last place for a small room, one in 650 at the large scale, is missed
        // by chance (e to the power of -1000 / 650 = 0.21), and less often where places or sizes are fewer.
        assert!(short_of <= 120, "{scale:?}: {short_of} of 400 mazes have room for more");
        let shorts = (2..=short).flat_map(|a| (2..=long).flat_map(move |b| [(a, b), (b, a)]));
        assert_eq!(sizes_seen, shorts.collect(), "{scale:?}: every size occurs");
    }
}

/// The goal is any marked cell of its rows, and each trip begins on any marked cell.
#[test]
fn memory_check_31_goals_and_spawns_are_uniform_over_the_marks() {
    let number = |plan: &Plan, cell: Cell| usize::from(cell.z) * usize::from(plan.side()) + usize::from(cell.x);
    let mut plan = Plan::default();
    for (level, scale) in ["train", "holdout_interpolate"].into_iter().flat_map(|l| SCALES.map(|scale| (l, scale))) {
        let (level, sizes) = (Level::of(level, TASK).unwrap(), Sizes::of(scale));
        let (low, high) = match level.stimuli {
            Stimuli::Train => (1, sizes.side / 2),
            Stimuli::HeldOut => (sizes.side / 2 + 1, sizes.side - 1),
        };
        // By rank among the marks: which cells are marked changes from maze to maze.
        let mut tally = Tally::<1024>::default();
        for seed in 0..1000 {
            let goal = draw_maze(&mut plan, &sizes, level, Seed(seed));
            // Rows from the northern wall, which has number 0 here.
            let row = |cell: &Cell| sizes.side - 1 - cell.z;
            let marks: Vec<Cell> = plan.cells(Mark::Goal).filter(|cell| (low..high).contains(&row(cell))).collect();
            let rank = marks.iter().position(|&cell| cell == goal).expect("the goal is one of the marks");
            tally.count(rank, &(0..marks.len()).collect::<Vec<_>>());
        }
        tally.check(&format!("{} {scale:?}: goal", level.name));
    }
    let env = Maze::new(&MazeConfig { level: "train_small".to_owned(), ..MazeConfig::default() }, ()).unwrap();
    let mut state = env.start(start(5));
    let choices: Vec<usize> = state.plan.cells(Mark::Spawn).map(|cell| number(&state.plan, cell)).collect();
    let mut tally = Tally::<1024>::default();
    for _ in 0..2000 {
        let cell = Cell { x: (state.runner.x / 100.0) as u8, z: (state.runner.z / 100.0) as u8 };
        tally.count(number(&state.plan, cell), &choices);
        let [x, z] = middle(state.goal);
        state.runner = Runner::at(x, z, 0.0);
        assert_eq!(env.tick(&mut state, &LabControls::default()).0, 10.0);
    }
    tally.check("spawn");
}
