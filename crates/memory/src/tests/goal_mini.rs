//! The small variants of the goal tasks.

use super::step;
use crate::level::{LEVELS, Stimuli};
use crate::mini::goal::{
    Config, EXPLORE, GoalMini, INVISIBLE_BUILDINGS, INVISIBLE_EMPTY, Move, State, VISIBLE_BUILDINGS, Variant,
};
use heldout_core::{Environment, FieldMut, Rows, Seed, Start, Status};

fn start(seed: u64) -> Start {
    let copy = Seed(29);
    Start { seed: copy.derive(seed), copy, episode: seed, problem: None }
}

fn make(variant: Variant, level: &str) -> GoalMini {
    GoalMini::new(&Config { level: level.to_owned(), ..Config::default() }, variant).unwrap()
}

fn row(env: &GoalMini, state: &State) -> Vec<f32> {
    let fields = &env.spec().observation;
    let mut row = vec![f32::NAN; fields[0].len()];
    env.observe(state, 0, Rows::new(fields, [FieldMut::F32(&mut row)]).row(0));
    row
}

/// The same regions as in the full tasks, over a thousand episodes per level.
#[test]
fn memory_check_28_the_goal_region_of_train_and_held_out_never_mix() {
    fn arena(variant: Variant) {
        for level in LEVELS {
            let env = make(variant, level.name);
            let mut state = env.start(start(0));
            for seed in 0..1000 {
                env.restart(&mut state, start(seed));
                let (side, [x, z]) = (state.world.side, state.world.goal);
                let middle = side / 2;
                assert!(x != middle && z != middle);
                assert_eq!((x < middle) == (z > middle), level.stimuli == Stimuli::Train);
                assert!(state.world.is_open(x.into(), z.into()));
                let sides: &[u8] = match level.name {
                    "train" => &[7, 11],
                    "train_small" | "holdout_small" => &[7],
                    "train_large" | "holdout_large" => &[11],
                    "interpolate" | "holdout_interpolate" => &[9],
                    _ => &[13],
                };
                assert!(sides.contains(&side));
            }
        }
    }
    arena(VISIBLE_BUILDINGS);
    arena(INVISIBLE_EMPTY);
    for level in LEVELS {
        let env = make(EXPLORE, level.name);
        let mut state = env.start(start(0));
        for seed in 0..300 {
            env.restart(&mut state, start(seed));
            let (row, middle) = (state.world.side - state.world.goal[1], state.world.side.div_ceil(2));
            assert!(row != middle && (row < middle) == (level.stimuli == Stimuli::Train));
        }
    }
}

#[test]
fn an_episode_has_a_hundred_steps_and_an_arrival_pays() {
    fn check(variant: Variant, pays: f32) {
        let env = make(variant, "train_small");
        let mut arrivals = 0;
        for seed in 0..40 {
            let mut state = env.start(start(seed));
            let goal = state.world.goal;
            let mut rng = Seed(seed).rng();
            for n in 1..=100 {
                let before = state.at;
                let m = *rng.pick(&Move::ALL);
                let (dx, dz) = m.step();
                let to = [i32::from(before[0]) + dx, i32::from(before[1]) + dz];
                let open = state.world.is_open(to[0], to[1]);
                let (reward, status) = step(&env, &mut state, m);
                let there = open && to == goal.map(i32::from);
                assert_eq!(reward, if there { pays } else { 0.0 });
                if !there {
                    assert_eq!(state.at.map(i32::from), if open { to } else { before.map(i32::from) });
                }
                arrivals += u32::from(there);
                assert_eq!(state.world.goal, goal);
                assert_eq!(status, if n == 100 { Status::Truncated } else { Status::Running });
            }
        }
        assert!(arrivals > 5, "{arrivals}");
    }
    check(VISIBLE_BUILDINGS, 1.0);
    check(INVISIBLE_BUILDINGS, 1.0);
    check(INVISIBLE_EMPTY, 1.0);
    check(EXPLORE, 10.0);
}

/// Nothing that is hidden is in an observation: the goal of the invisible tasks, and what lies behind a wall.
#[test]
fn memory_check_29_an_invisible_goal_does_not_show() {
    fn differs(variant: Variant) -> bool {
        let env = make(variant, "train");
        (0..50).any(|seed| {
            let state = env.start(start(seed));
            let mut near = state.clone();
            // Put the goal next to the walker, where it would be seen.
            let [x, z] = state.at.map(i32::from);
            let beside = Move::ALL.map(Move::step).into_iter().map(|(dx, dz)| (x + dx, z + dz));
            let Some((x, z)) = beside.into_iter().find(|&(x, z)| state.world.is_open(x, z)) else { return false };
            near.world.goal = [x as u8, z as u8];
            row(&env, &state) != row(&env, &near)
        })
    }
    assert!(!differs(INVISIBLE_BUILDINGS));
    assert!(!differs(INVISIBLE_EMPTY));
    assert!(differs(VISIBLE_BUILDINGS) && differs(EXPLORE));
}

#[test]
fn a_pillar_hides_what_is_behind_it() {
    let env = make(INVISIBLE_BUILDINGS, "train_small");
    let mut state = env.start(start(0));
    // West of the pillar at (1, 1), whose other side is (2, 1).
    state.at = [0, 1];
    let row = row(&env, &state);
    // Four numbers for each cell, one more for those beyond the next; cells from the north-west, without the walker's own.
    let begin = |dx: i32, dz: i32| {
        let before = (0..5).flat_map(|z| (0..5).map(move |x| (x - 2, 2 - z))).take_while(|&cell| cell != (dx, dz));
        before.map(|(x, z): (i32, i32)| [0, 4, 5][x.abs().max(z.abs()) as usize]).sum::<usize>()
    };
    let solid = |dx: i32, dz: i32| row[begin(dx, dz)];
    let seen = |dx: i32, dz: i32| row[begin(dx, dz) + 4];
    assert_eq!(row.len(), 8 * 4 + 16 * 5 + 1);
    assert_eq!(solid(1, 0), 1.0, "the pillar itself");
    assert_eq!(seen(2, 0), 0.0, "behind it");
    assert_eq!((seen(0, 2), solid(0, 2)), (1.0, 0.0), "two cells north");
    assert_eq!(solid(-1, 0), 1.0, "the edge of the world");
    assert_eq!(seen(-2, 0), 0.0, "beyond it");
    assert_eq!(seen(2, 1), 1.0, "past the pillar, over the open diagonal");
}
