//! The picture for people: what the walker sees on the left, the maze from above with its routes on the right.

use heldout_render::{Canvas, Rgb};

use super::rules::{Rules, State, TICKS_PER_SECOND, middle};
use super::runner::CELL;
use super::scene;
use crate::memory::map::{self, Map};

/// Width and height of the picture.
pub(super) const FRAME: (usize, usize) = map::FRAME;

pub(super) fn draw(rules: &Rules, state: &State, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::INK);
    map::beside(canvas, |view| rules.picture(state, view));
    let side = state.plan.side() as usize;
    let map = Map::new(side as f64 * CELL);
    for (i, wall) in state.walls.iter().enumerate() {
        let (x, z) = ((i % side) as f64 * CELL, (i / side) as f64 * CELL);
        let colour = match wall {
            0 => map::FLOOR,
            1 => Rgb::GREY,
            &wall => scene::tint(wall),
        };
        map.fill(canvas, [x, z, x + CELL, z + CELL], colour);
    }
    let [x, z] = middle(state.goal);
    let (x, y) = map.at(x, z);
    canvas.fill_diamond(x, y, 5, Rgb::MAGENTA);
    map.routes(canvas, &state.trips, 1.0);
    map.walker(canvas, state.runner.x, state.runner.z, state.runner.yaw);
    let caption = map::caption(state.trips.goals, state.score(), state.tick, rules.limit(), TICKS_PER_SECOND);
    canvas.text(8, map::TEXT, 1, Rgb::PAPER, &caption);
}
