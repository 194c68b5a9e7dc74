//! The two rooms, for people.

use heldout_core::Frame;
use heldout_render::Rgb;

use super::gate::SLABS;
use super::layout::{BOUNDS, CORRIDOR, ROOM_A, ROOM_B, Room};
use super::spot::{Spot, SpotState};
use crate::walker::body::Rect;
use crate::walker::map;

/// Size of the whole picture.
pub(super) const FRAME: (usize, usize) = map::frame(BOUNDS.x1, BOUNDS.z1);
const FLOORS: [(Rect, Rgb); 3] =
    [(ROOM_A, Rgb::new(126, 116, 104)), (CORRIDOR, Rgb::new(104, 108, 116)), (ROOM_B, Rgb::new(104, 122, 118))];

/// Paints the view, the map and the text.
pub(super) fn draw(rules: &Spot, state: &SpotState, frame: Frame<'_>) {
    let layout = &state.layout;
    let [before, after] = layout.difference();
    let caption =
        format!("{}   delay {} s   changed: {before} to {after}", rules.clock.caption(state.tick), layout.delay);
    map::paint(
        frame,
        BOUNDS.z1,
        &caption,
        |canvas| rules.picture(state, canvas),
        |map| {
            for (rect, colour) in &FLOORS {
                map.fill(rect, *colour);
            }
            for room in [Room::A, Room::B] {
                for block in layout.blocks() {
                    map.fill(&block.footprint(room, state.tick), block.colour[room as usize].rgb());
                }
            }
            let changed = &layout.blocks()[layout.changed as usize];
            map.outline(&changed.footprint(Room::B, state.tick).grown(0.3), Rgb::AMBER);
            for (gate, slab) in state.gates.gates.iter().zip(&SLABS) {
                if gate.blocks(state.tick) {
                    map.fill(&slab.grown(0.1), Rgb::PAPER);
                }
            }
            map.walker(state.body.x, state.body.z, state.body.yaw);
        },
    );
}
