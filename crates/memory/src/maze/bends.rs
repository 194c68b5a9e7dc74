//! Horseshoe bends: corridors that go out, along and back again, pulled straight.

use std::ops::Range;

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
        // What is seldom there comes first: most cells are wall.
        is(Tile::Corridor, -1, 0)
            && is(Tile::Corridor, end, 0)
            && is(Tile::Corridor, -1, 1)
            && (0..end).all(|u| is(Tile::Wall, u, 0) && is(Tile::Wall, u, -1))
            && (-1..=end).all(|u| is(Tile::Corridor, u, 1) && is(Tile::Wall, u, 2))
            && is(Tile::Wall, -2, 1)
            && is(Tile::Wall, end + 1, 1)
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

/// The first of the shortest bends around runs of these lengths. From a cell on, only one run can have a corridor around it:
/// the wall cells up to the next that is none.
fn first(plan: &Plan, lengths: &Range<i32>) -> Option<Run> {
    let side = i32::from(plan.side());
    let mut found: Option<Run> = None;
    // As a plan is read: from the north-western cell on.
    for (x, z) in (0..side).rev().flat_map(|z| (0..side).map(move |x| (x, z))) {
        for (along, out) in TURNS {
            let longest = found.map_or(lengths.end, |run| run.length);
            let mut run = Run { at: (x, z), along, out, length: 0 };
            let at = |u: i32| {
                let (x, z) = run.cell(u, 0);
                plan.at(x, z)
            };
            if at(-1) != Tile::Corridor {
                continue;
            }
            run.length = (0..longest).find(|&u| at(u) != Tile::Wall).unwrap_or(longest);
            if run.length >= lengths.start && run.length < longest && run.is_bend(plan) {
                if run.length == lengths.start {
                    return Some(run);
                }
                found = Some(run);
            }
        }
    }
    found
}

/// Pulls the first of the shortest bends around runs of these lengths, row by row as far as it goes, and says how long its
/// run was.
pub(crate) fn pull_first(plan: &mut Plan, lengths: &Range<i32>) -> Option<i32> {
    let mut run = first(plan, lengths)?;
    while run.is_bend(plan) {
        run.pull(plan);
        run.at = run.cell(0, -1);
    }
    Some(run.length)
}

/// Pulls bends straight, those around short runs first. A pass pulls one bend, and one around a single cell is followed
/// by longer runs rather than by another pass: a maze keeps some of its bends.
pub(crate) fn straighten(plan: &mut Plan) {
    let end = i32::from(plan.side()) - 3;
    let mut least = 1;
    while let Some(length) = pull_first(plan, &(least..end)) {
        least = if length > 1 { 1 } else { 2 };
    }
}
