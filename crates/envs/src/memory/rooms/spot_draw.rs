//! The two rooms, for people.

use heldout_core::Frame;
use heldout_render::Rgb;

use super::gate::SLABS;
use super::layout::{Block, Kind, Room};
use super::map::{self, CAPTION, VIEW};
use super::spot::{Spot, SpotState};
use crate::memory::Rect;
use crate::memory::body::TICKS_PER_SECOND;

/// Pixels of a metre on the map.
const SCALE: usize = 12;
/// Size of the whole picture.
pub(super) const FRAME: (usize, usize) = (VIEW.0 + map::extent(8, SCALE), VIEW.1 + CAPTION);
const ROOMS: [(Rect, Rgb); 3] = [
    (Rect::new(0.0, 0.0, 8.0, 8.0), Rgb::new(126, 116, 104)),
    (Rect::new(3.0, 8.0, 5.0, 14.0), Rgb::new(104, 108, 116)),
    (Rect::new(0.0, 14.0, 8.0, 22.0), Rgb::new(104, 122, 118)),
];

/// Paints the view, the map and the text.
pub(super) fn draw(rules: &Spot, state: &SpotState, frame: &mut Frame<'_>) {
    let layout = &state.layout;
    let changed = &layout.blocks()[layout.changed as usize];
    let seconds = f64::from(state.tick) / f64::from(TICKS_PER_SECOND);
    let caption = format!(
        "time {seconds:5.1} of {:.0} s   delay {} s   score {}   changed: {}",
        f64::from(rules.limit()) / f64::from(TICKS_PER_SECOND),
        layout.delay,
        state.score(),
        difference(rules.kind(), changed)
    );
    map::paint(
        frame,
        (SCALE as f64, 22.0),
        &caption,
        |canvas| rules.picture(state, canvas),
        |map| {
            for (rect, colour) in &ROOMS {
                map.rect(rect, *colour);
            }
            for room in [Room::A, Room::B] {
                for block in layout.blocks() {
                    map.rect(&block.footprint(room, state.tick), block.colour[room as usize].rgb());
                }
            }
            map.outline(&changed.footprint(Room::B, state.tick).grown(0.3), Rgb::AMBER);
            for (gate, slab) in state.gates.gates.iter().zip(&SLABS) {
                if gate.blocks(state.tick) {
                    map.rect(&slab.grown(0.1), Rgb::PAPER);
                }
            }
            map.walker(&state.body);
        },
    );
}

/// What it was and what it became.
fn difference(kind: Kind, block: &Block) -> String {
    let [before, after] = if kind == Kind::Motion {
        block.pattern.map(|pattern| pattern.name().to_owned())
    } else {
        block.colour.map(|colour| format!("{colour:?}").to_lowercase())
    };
    format!("{before} to {after}")
}
