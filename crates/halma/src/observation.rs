//! What a cell looks like: ten integers and a hint, and the arrays they are written as.

use serde::{Deserialize, Serialize};

use crate::maze::{CELLS, Cell, Direction, Maze};

/// Rows of an observation: four walls, four crossings, two offsets, one hint.
pub(crate) const ROWS: usize = 11;
/// Integers of an observation: all rows but the hint.
pub(crate) const DIGITS: usize = 10;
/// Values of a row, -9 to 9.
pub(crate) const VALUES: usize = 19;
/// Column of the value zero.
pub(crate) const ZERO: usize = 9;
/// First row of the distances to walls.
pub(crate) const WALL: usize = 0;
/// First row of the distances to crossings.
pub(crate) const CROSSING: usize = 4;
/// Row of the goal's offset to the right.
pub(crate) const GOAL_X: usize = 8;
/// Row of the goal's offset upwards.
pub(crate) const GOAL_Y: usize = 9;
/// Row of the hint: 0 none, 1 square (left), 2 circle (up), 3 triangle (right), 4 diamond (down).
pub(crate) const HINT: usize = 10;

/// The ten integers of a cell, without its hint.
pub(crate) type Signature = [i8; DIGITS];

/// What is seen from one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entries(pub(crate) [i8; ROWS]);

impl Entries {
    /// What is seen from `cell` of `maze`, whose [`Maze::ways`] are given.
    pub(crate) fn of(maze: &Maze, ways: &[Option<Direction>; CELLS], cell: Cell) -> Self {
        let mut rows = [0; ROWS];
        for d in Direction::ALL {
            rows[WALL + d as usize] = maze.wall_distance(cell, d) as i8;
            rows[CROSSING + d as usize] = maze.crossing_distance(cell, d) as i8;
        }
        rows[GOAL_X] = (maze.goal().x() - cell.x()) as i8;
        rows[GOAL_Y] = (maze.goal().y() - cell.y()) as i8;
        if maze.is_crossing(cell) {
            // The goal has no way to itself, hence no hint.
            rows[HINT] = ways[cell.index()].map_or(0, |d| d as i8 + 1);
        }
        Self(rows)
    }

    /// Moves possible in a direction.
    #[inline]
    pub(crate) const fn wall(&self, direction: Direction) -> i32 {
        self.0[WALL + direction as usize] as i32
    }

    /// Moves to the nearest crossing in a direction; 0 if none is in sight.
    #[inline]
    pub(crate) const fn crossing(&self, direction: Direction) -> i32 {
        self.0[CROSSING + direction as usize] as i32
    }

    /// The goal's offset, right and up.
    #[inline]
    pub(crate) const fn goal(&self) -> (i32, i32) {
        (self.0[GOAL_X] as i32, self.0[GOAL_Y] as i32)
    }

    /// The goal's offset along a direction; negative if it lies behind.
    #[inline]
    pub(crate) const fn toward(&self, direction: Direction) -> i32 {
        let ((dx, dy), (gx, gy)) = (direction.step(), self.goal());
        dx * gx + dy * gy
    }

    /// Moves to the goal if there were no walls.
    #[inline]
    pub(crate) const fn distance(&self) -> i32 {
        let (gx, gy) = self.goal();
        gx.abs() + gy.abs()
    }

    /// The direction that the hint names.
    pub(crate) const fn hint(&self) -> Option<Direction> {
        match self.0[HINT] {
            0 => None,
            n => Some(Direction::at(n as u32 - 1)),
        }
    }

    /// What is left for one who cannot tell digits apart: of each its sign, and the hint.
    pub(crate) fn signs(&self) -> Self {
        Self(std::array::from_fn(|i| if i < DIGITS { self.0[i].signum() } else { self.0[i] }))
    }

    /// The same without the distances to crossings.
    pub(crate) fn without_crossings(&self) -> Self {
        Self(std::array::from_fn(|i| if (CROSSING..GOAL_X).contains(&i) { 0 } else { self.0[i] }))
    }

    /// The ten integers without the hint.
    pub(crate) fn signature(&self) -> Signature {
        std::array::from_fn(|i| self.0[i])
    }

    /// Digits that a panel of this entries shows.
    pub(crate) fn digits(&self) -> usize {
        self.0[..DIGITS].iter().filter(|&&n| n != 0).count()
    }

    /// Writes one row of `width` columns for each entry: a one in the column of its value and, where `width` leaves room
    /// after the columns of values, a one in the column that names the row.
    pub(crate) fn write_one_hot(&self, width: usize, out: &mut [f32]) {
        out.fill(0.0);
        for (i, (row, &value)) in out.chunks_exact_mut(width).zip(&self.0).enumerate() {
            row[(value as i32 + ZERO as i32) as usize] = 1.0;
            if let Some(index) = row.get_mut(VALUES + i) {
                *index = 1.0;
            }
        }
    }

    /// The entries that rows of `width` values stand for; the inverse of [`Entries::write_one_hot`].
    pub(crate) fn read_one_hot(width: usize, rows: &[f32]) -> Self {
        let mut entries = Self::default();
        for (value, row) in entries.0.iter_mut().zip(rows.chunks_exact(width)) {
            let column = row[..VALUES].iter().position(|&x| x == 1.0).unwrap_or(ZERO);
            *value = column as i8 - ZERO as i8;
        }
        entries
    }
}
