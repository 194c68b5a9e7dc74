//! States in words, as readers of a transcript see them.

use heldout_core::{Environment, Seed, Start};

use super::step;
use crate::arena::{Arena, INVISIBLE_EMPTY};
use crate::mini::goal::{GoalMini, INVISIBLE_BUILDINGS, Move};
use crate::mini::inference::InferenceMini;
use crate::mini::panel::PanelMini;
use crate::mini::spot::SpotMini;
use crate::psychlab::rules::Action;
use crate::psychlab::{Change, PsychLab, WhatThenWhere};
use crate::rooms::{Inference, Spot, Variant};
use crate::walker::body::{Body, whereabouts};
use crate::walker::controls::Walk;

fn begun<E: Environment>(variant: E::Variant) -> (E, E::State) {
    let copy = Seed(5);
    let env = E::new(&E::Config::default(), variant).unwrap();
    let state = env.start(Start { seed: copy.derive(0), copy, episode: 0, problem: None });
    (env, state)
}

#[test]
fn winds_and_squares_are_those_of_the_compass() {
    let winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
    for (i, wind) in winds.into_iter().enumerate() {
        for off in [-22.4, 0.0, 22.4] {
            assert_eq!(whereabouts(2.5, 0.2, 45.0 * i as f64 + off, 1.0), format!("at (2, 0) facing {wind}"));
        }
    }
    assert_eq!(whereabouts(250.0, 199.9, 360.0, 100.0), "at (2, 1) facing north");
}

#[test]
fn the_rooms_tell_gates_blocks_and_touch() {
    let (env, mut state) = begun::<Spot>(Variant::Basic);
    state.body = Body::at(4.0, 6.0, 90.0);
    state.gates = crate::rooms::gate::Gates::new(10);
    let words = env.words(&state);
    let blocks: Vec<String> = state.layout.blocks().iter().map(|block| block.look(crate::rooms::Room::A)).collect();
    let (changed, [_, after]) = (state.layout.changed + 1, state.layout.difference());
    let expected = format!(
        "Room A at (4, 6) facing east; gates open, shut; blocks {}; {changed} becomes {after}",
        blocks.join(" ")
    );
    assert_eq!(words, expected);
    state.touched = Some(0);
    assert_eq!(env.words(&state), expected + "; touched 1");
}

#[test]
fn inference_tells_the_pair_and_the_higher_one() {
    let (env, mut state) = begun::<Inference>(());
    let [left, right] = state.chain.shown().map(crate::rooms::Colour::name);
    let higher = if state.chain.higher() == crate::rooms::Side::Left { &left } else { &right };
    let pairs = state.chain.items - 1;
    let expected = format!("pair 1 of {pairs}: {left} or {right}, {higher} is higher; wrong 0");
    assert_eq!(env.words(&state), format!("at (5, 1) facing north; {expected}"));
    state.blank = 3;
    assert!(env.words(&state).ends_with("nothing shown; wrong 0"));
    let (mini, state) = begun::<InferenceMini>(());
    assert!(mini.words(&state).starts_with("chain 1 of 4, pair 1 of "), "{}", mini.words(&state));
}

#[test]
fn the_arena_tells_the_goal_and_the_time_after_an_arrival() {
    let (env, mut state) = begun::<Arena>(INVISIBLE_EMPTY);
    state.body = Body::at(3.2, 4.7, 135.0);
    let (goal, side) = (state.layout.goal, state.layout.side);
    let at = format!("at (3, 4) facing south-east; hidden goal at ({}, {}) of {side} m", goal.x, goal.z);
    assert_eq!(env.words(&state), format!("{at}, 0 buildings; arrivals 0"));
    // Nothing of importance changes while it turns on the spot a little.
    step(&env, &mut state, Walk::LookLeft);
    assert_eq!(env.words(&state), format!("{at}, 0 buildings; arrivals 0"));
    state.dead = 4;
    assert!(env.words(&state).ends_with("to be put elsewhere"));
}

#[test]
fn a_grid_world_is_a_map() {
    let (env, mut state) = begun::<GoalMini>(INVISIBLE_BUILDINGS);
    state.at = [0, 0];
    state.world.goal = [4, 2];
    let words = env.words(&state);
    let lines: Vec<&str> = words.lines().collect();
    let side = state.world.side as usize;
    assert_eq!(lines[0], "at (0, 0); hidden goal at (4, 2); arrivals 0");
    assert_eq!(lines.len(), side + 1);
    assert!(
        lines[side].starts_with("@....")
            && lines[side - 1].starts_with(".#.#.")
            && lines[side - 2].starts_with("....G")
    );
    step(&env, &mut state, Move::North);
    assert!(env.words(&state).lines().nth(side - 1).unwrap().starts_with("@#.#."));
}

#[test]
fn a_panel_tells_the_trial_the_gaze_and_the_answer() {
    let (env, mut state) = begun::<PsychLab<WhatThenWhere>>(());
    state.gaze = crate::psychlab::gaze::Gaze::new(0.0, 0.0);
    assert_eq!(env.words(&state), "trial 1 of 50: look at the cross; gaze on the cross; right 0");
    step(&env, &mut state, Action::Noop);
    let answer = crate::psychlab::Task::answer(env.task(), &state.trial).name();
    let expected = format!("gaze on the screen; shown digit {}; right is {answer}; right 0", state.trial.what);
    assert_eq!(env.words(&state), format!("trial 1 of 50: remember; {expected}"));
    let (mini, state) = begun::<PanelMini<WhatThenWhere>>(());
    let answer = crate::psychlab::Task::answer(&mini.task, &state.trial).name();
    let expected = format!("shown digit {}; right is {answer}; right 0", state.trial.what);
    assert_eq!(mini.words(&state), format!("trial 1 of 5: remember; {expected}"));
}

#[test]
fn words_are_short_and_hold_still() {
    let (env, mut state) = begun::<SpotMini>(Variant::Multi);
    let first = env.words(&state);
    for _ in 0..4 {
        step(&env, &mut state, 0);
        assert_eq!(env.words(&state).replace(", which differs?", ""), first);
        assert!(env.words(&state).len() <= 140);
    }
    let (env, mut state) = begun::<PsychLab<Change>>(());
    state.gaze = crate::psychlab::gaze::Gaze::new(0.0, 0.0);
    for _ in 0..200 {
        step(&env, &mut state, Action::Noop);
        assert!(env.words(&state).len() <= 150, "{}", env.words(&state));
    }
}
