//! The picture for people: what the walker sees on the left, the arena from above with its routes on the right.

use heldout_core::Frame;
use heldout_render::Rgb;

use super::rules::{Arena, State};
use super::scene::HUES;
use crate::walker::map;

pub(super) fn draw(rules: &Arena, state: &State, frame: Frame<'_>) {
    let layout = &state.layout;
    let caption = format!("arrivals {}   {}", state.trips.goals, rules.clock.caption(state.tick));
    map::paint(
        frame,
        f64::from(layout.side),
        &caption,
        |view| rules.picture(state, view),
        |map| {
            map.fill(&layout.bounds(), map::FLOOR);
            for building in layout.buildings() {
                map.fill(&building.rect, HUES[building.hue as usize]);
            }
            map.fill(&layout.goal.rect(), if rules.variant.visible { Rgb::MAGENTA } else { Rgb::ROSE });
            map.routes(&state.trips, super::rules::ROUTE_PARTS, 0.0);
            map.walker(state.body.x, state.body.z, state.body.yaw);
        },
    );
}
