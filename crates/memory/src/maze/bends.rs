//! Horseshoe bends: corridors that go out, along and back again, pulled straight.

use super::plan::{Plan, Tile};

/// The four orientations of a bend: where its run goes, and where its corridor bulges to.
const TURNS: [((i32, i32), (i32, i32)); 4] =
    [((1, 0), (0, 1)), ((0, -1), (1, 0)), ((-1, 0), (0, -1)), ((0, 1), (-1, 0))];

/// A run of wall cells from `at` on, with the cells around it counted along the run and towards the bulge.
#[derive(Clone, Copy)]
struct Run {
    at: (i32, i32),
    along: (i32, i32),
    out: (i32, i32),
    length: i32,
}

impl Run {
    /// The cell `u` along the run and `v` rows out of it.
    fn cell(&self, u: i32, v: i32) -> (i32, i32) {
        (self.at.0 + u * self.along.0 + v * self.out.0, self.at.1 + u * self.along.1 + v * self.out.1)
    }

    /// Whether a corridor goes around the run and touches nothing on its way:
    ///
    /// ```text
    ///  2    # # # # #      # wall
    ///  1  # . . . . . #    . corridor
    ///  0    . # # # .
    /// -1      # # #
    /// ```
    fn is_bend(&self, plan: &Plan) -> bool {
        let is = |tile: Tile, u: i32, v: i32| {
            let (x, z) = self.cell(u, v);
            plan.at(x, z) == tile
        };
        let end = self.length;
        (0..end).all(|u| is(Tile::Wall, u, 0) && is(Tile::Wall, u, -1))
            && (-1..=end).all(|u| is(Tile::Corridor, u, 1) && is(Tile::Wall, u, 2))
            && is(Tile::Wall, -2, 1)
            && is(Tile::Wall, end + 1, 1)
            && is(Tile::Corridor, -1, 0)
            && is(Tile::Corridor, end, 0)
    }

    /// Pulls the corridor over the run: it takes the run's cells, and those where it was become wall.
    fn pull(&self, plan: &mut Plan) {
        for u in -1..=self.length {
            let (x, z) = self.cell(u, 1);
            plan.set(x, z, Tile::Wall);
        }
        for u in 0..self.length {
            let (x, z) = self.cell(u, 0);
            plan.set(x, z, Tile::Corridor);
        }
    }
}

/// Pulls the first bend around a run of this length, row by row as far as it goes. True if there was one.
pub(crate) fn pull_first(plan: &mut Plan, length: i32) -> bool {
    let side = i32::from(plan.side());
    // As a plan is read: from the north-western cell on.
    for (x, z) in (0..side).rev().flat_map(|z| (0..side).map(move |x| (x, z))) {
        for (along, out) in TURNS {
            let mut run = Run { at: (x, z), along, out, length };
            let mut pulled = false;
            while run.is_bend(plan) {
                run.pull(plan);
                run.at = run.cell(0, -1);
                pulled = true;
            }
            if pulled {
                return true;
            }
        }
    }
    false
}

/// Pulls bends straight, those around short runs first. A pass pulls one bend, and one around a single cell is followed
/// by longer runs rather than by another pass: a maze keeps some of its bends.
pub(crate) fn straighten(plan: &mut Plan) {
    let mut length = 1;
    while length + 3 < i32::from(plan.side()) {
        length = if pull_first(plan, length) && length > 1 { 1 } else { length + 1 };
    }
}
