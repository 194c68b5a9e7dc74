//! The picture for people: what the walker sees on the left, the maze from above with its routes on the right.

use heldout_core::Frame;
use heldout_render::Rgb;

use super::rules::{Maze, State, middle};
use super::runner::CELL;
use super::scene;
use crate::walker::body::Rect;
use crate::walker::map;

pub(super) fn draw(rules: &Maze, state: &State, frame: Frame<'_>) {
    let side = state.plan.side() as usize;
    let caption = format!("arrivals {}   {}", state.trips.goals, rules.clock.caption(state.tick));
    map::paint(
        frame,
        side as f64 * CELL,
        &caption,
        |view| rules.picture(state, view),
        |map| {
            for (i, wall) in state.walls.iter().enumerate() {
                let (x, z) = ((i % side) as f64 * CELL, (i / side) as f64 * CELL);
                let colour = match wall {
                    0 => map::FLOOR,
                    1 => Rgb::GREY,
                    &wall => scene::tint(wall),
                };
                map.fill(&Rect::new(x, z, x + CELL, z + CELL), colour);
            }
            let [x, z] = middle(state.goal);
            map.disc(x, z, 0.4 * CELL, Rgb::MAGENTA);
            map.routes(&state.trips, 1.0, 0.0);
            map.walker(state.runner.x, state.runner.z, state.runner.yaw);
        },
    );
}
