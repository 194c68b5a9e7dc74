//! Goal navigation in a square arena: find a place once, then return to it from wherever one is put.

mod draw;
pub(crate) mod layout;
mod policies;
pub(crate) mod rules;
pub(crate) mod scene;

use heldout_core::Preset;
use layout::Tile;

pub(crate) use rules::Arena;

use crate::walker::body::RADIUS;
use crate::walker::config::{SQUARE, SYMBOLIC};

/// One of the three tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Its public name.
    pub(crate) task: &'static str,
    /// Whether the goal is drawn.
    pub(crate) visible: bool,
    pub(crate) buildings: bool,
}

impl Variant {
    /// Whether a walker there has arrived: among buildings its body touches the goal's tile, in the empty arena its
    /// middle is in the tile less the body's radius on each side. The published random scores tell the two apart.
    pub(crate) fn arrives(&self, goal: Tile, x: f64, z: f64) -> bool {
        if self.buildings { goal.rect().touches(x, z, RADIUS) } else { goal.rect().grown(-RADIUS).contains(x, z) }
    }
}

pub(crate) const VISIBLE_BUILDINGS: Variant =
    Variant { task: "visible_goal_with_buildings", visible: true, buildings: true };
pub(crate) const INVISIBLE_BUILDINGS: Variant =
    Variant { task: "invisible_goal_with_buildings", visible: false, buildings: true };
pub(crate) const INVISIBLE_EMPTY: Variant =
    Variant { task: "invisible_goal_empty_arena", visible: false, buildings: false };

/// The presets of the tasks that look for a goal.
pub(crate) const PRESETS: &[Preset] = &[
    SYMBOLIC,
    Preset {
        name: "pose",
        about: "The same with the walker's pose: an ablation that takes finding oneself out of the task.",
        config: r#"{"observation": "symbolic", "previous": true, "pose": true}"#,
    },
    SQUARE,
];
