//! The picture for people: what the walker sees on the left, the arena from above with its routes on the right.

use heldout_render::{Canvas, Rgb};

use super::rules::{Rules, State};
use super::scene::HUES;
use crate::memory::body::{Rect, TICKS_PER_SECOND};
use crate::memory::map::{self, Map};

/// Width and height of the picture.
pub(super) const FRAME: (usize, usize) = map::FRAME;

pub(super) fn draw(rules: &Rules, state: &State, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::INK);
    map::beside(canvas, |view| rules.picture(state, view));
    let layout = &state.layout;
    let side = f64::from(layout.side);
    let map = Map::new(side);
    let fill = |canvas: &mut Canvas<'_>, rect: &Rect, colour: Rgb| {
        map.fill(canvas, [rect.x0, rect.z0, rect.x1, rect.z1], colour);
    };
    fill(canvas, &layout.bounds(), map::FLOOR);
    for building in layout.buildings() {
        fill(canvas, &building.rect, HUES[building.hue as usize]);
    }
    let goal = layout.goal.rect();
    fill(canvas, &goal, if rules.kind.visible { Rgb::MAGENTA } else { Rgb::ROSE });
    map.routes(canvas, &state.trips, 100.0);
    map.walker(canvas, state.body.x, state.body.z, state.body.yaw);
    let caption = map::caption(state.trips.goals, state.score(), state.tick, rules.limit(), TICKS_PER_SECOND);
    canvas.text(8, map::TEXT, 1, Rgb::PAPER, &caption);
}
