//! Rays over the grid: from cell to cell in order of distance.

use crate::first_person::lens::larger;
use crate::first_person::{Grid, Surface, Wall};

/// The longest side of a grid, in cells. Up to here a cell's number is exact in the arithmetic of the walk.
const MAX_CELLS: usize = 65_536;

/// Stands for the component of a ray that runs along an axis, so that no division is by zero.
const PARALLEL: f32 = 1e-20;

/// A side of a wall, by the direction it faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Faces north (+z).
    North,
    /// Faces east (+x).
    East,
    /// Faces south (-z).
    South,
    /// Faces west (-x).
    West,
}

/// Where a ray meets a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far along the ray, in lengths of the direction that was given.
    pub distance: f32,
    /// Index into [`Grid::walls`].
    pub wall: u8,
    /// The side that was met.
    pub side: Side,
    /// Where on that side: 0 at its left end as seen from outside, 1 at its right end.
    pub along: f32,
}

impl Grid<'_> {
    /// The nearest wall of any height that a level ray from `(x, z)` enters. What the ray starts in is passed by.
    #[must_use]
    pub fn cast(&self, x: f32, z: f32, dx: f32, dz: f32) -> Option<Hit> {
        self.cast_above(x, z, dx, dz, 0.0)
    }

    /// The same as [`Grid::cast`] among the walls that are at least as high as `eye`: what ends a view at that height.
    #[must_use]
    pub fn cast_above(&self, x: f32, z: f32, dx: f32, dz: f32, eye: f32) -> Option<Hit> {
        let usable = [x, z, dx, dz].into_iter().all(f32::is_finite);
        if !usable || dx.abs() + dz.abs() < PARALLEL {
            return None;
        }
        let plan = Plan::new(*self, x, z);
        let mut walk = Walk::new(&plan, dx, dz);
        loop {
            let stretch = walk.next(&plan, f32::INFINITY)?;
            if stretch.inside || stretch.height < eye {
                continue;
            }
            let point = [x + stretch.enter * dx, z + stretch.enter * dz];
            let along = self.along(&stretch, point);
            return Some(Hit { distance: stretch.enter, wall: stretch.wall, side: stretch.side, along });
        }
    }

    fn along(&self, stretch: &Stretch, [x, z]: [f32; 2]) -> f32 {
        let [x0, z0, x1, z1] = match self.walls[stretch.wall as usize] {
            Wall::Block { x0, z0, x1, z1, .. } => [x0, z0, x1, z1],
            Wall::Solid { .. } => {
                let (column, row) = (stretch.cell as usize % self.columns, stretch.cell as usize / self.columns);
                let (west, south) = (self.x + column as f32 * self.cell, self.z + row as f32 * self.cell);
                [west, south, west + self.cell, south + self.cell]
            }
        };
        let along = match stretch.side {
            Side::South => (x - x0) / (x1 - x0),
            Side::North => (x1 - x) / (x1 - x0),
            Side::West => (z1 - z) / (z1 - z0),
            Side::East => (z - z0) / (z1 - z0),
        };
        along.clamp(0.0, 1.0)
    }
}

/// A grid as rays from one point need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) grid: Grid<'a>,
    columns: i32,
    rows: i32,
    /// The eye in the world and in cells from the grid's corner.
    pub(super) eye: [f32; 2],
    pub(super) place: [f32; 2],
    /// The cell that the eye is in, `None` outside.
    pub(super) cell: Option<[i32; 2]>,
    pub(super) cells_per_unit: f32,
    /// The height of the highest wall: nothing is seen above it.
    pub(super) tallest: f32,
    /// Repetitions of a texture on a wall to a unit: one to the height of the highest solid wall, or to a cell where
    /// there is none. Blocks have no say in it, since they may sink.
    pub(super) repeats_per_unit: f32,
    half_period: f32,
    /// The least distance at which a wall is drawn.
    pub(super) near: f32,
}

impl<'a> Plan<'a> {
    pub(super) fn new(grid: Grid<'a>, x: f32, z: f32) -> Self {
        let usable = grid.cell > 0.0
            && grid.cell.is_finite()
            && grid.x.is_finite()
            && grid.z.is_finite()
            && grid.columns <= MAX_CELLS
            && grid.rows <= MAX_CELLS
            && grid.columns.checked_mul(grid.rows).is_some_and(|cells| cells <= grid.cells.len());
        let (columns, rows, side) =
            if usable { (grid.columns as i32, grid.rows as i32, grid.cell) } else { (0, 0, 1.0) };
        let (mut tallest, mut period) = (0.0_f32, 0.0_f32);
        for wall in grid.walls {
            match *wall {
                Wall::Solid { height, .. } => (tallest, period) = (tallest.max(height), period.max(height)),
                Wall::Block { height, .. } => tallest = tallest.max(height),
            }
        }
        let cells_per_unit = 1.0 / side;
        let place = [(x - grid.x) * cells_per_unit, (z - grid.z) * cells_per_unit];
        let inside = place[0] >= 0.0 && place[1] >= 0.0 && place[0] < columns as f32 && place[1] < rows as f32;
        let cell = inside.then(|| [place[0] as i32, place[1] as i32]);
        let period = if period > 0.0 { period } else { side };
        let (repeats_per_unit, near) = (1.0 / period, side * 1e-5);
        Self {
            grid,
            columns,
            rows,
            eye: [x, z],
            place,
            cell,
            cells_per_unit,
            tallest,
            repeats_per_unit,
            half_period: period * 0.5,
            near,
        }
    }
}

impl Plan<'_> {
    /// Cells from west to east and from south to north.
    pub(super) fn size(&self) -> [i32; 2] {
        [self.columns, self.rows]
    }

    /// Lengths of a direction with this component along an axis to one cell.
    #[inline]
    pub(super) fn per_cell(&self, component: f32) -> f32 {
        1.0 / larger((component * self.cells_per_unit).abs(), PARALLEL)
    }

    /// Where the texture of a wall begins: to the east and to the north, and its height.
    pub(super) fn origin(&self, wall: &Wall) -> ([f32; 2], f32) {
        match *wall {
            Wall::Solid { .. } => ([self.grid.x, self.grid.z], 0.0),
            Wall::Block { x0, z0, x1, z1, height, .. } => {
                ([(x0 + x1) * 0.5 - self.half_period, (z0 + z1) * 0.5 - self.half_period], height)
            }
        }
    }
}

/// The part of a ray that runs through a wall's footprint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) enter: f32,
    pub(super) leave: f32,
    /// The ray starts within the footprint.
    pub(super) inside: bool,
    pub(super) height: f32,
    /// The height at which the texture begins: zero for what stands still, the top for a block, which may sink.
    pub(super) anchor: f32,
    /// The same eastwards and northwards: the grid's corner for what stands still. On a block the middle of the texture
    /// is in the middle, so that a building narrower than a repetition still shows what its texture is.
    pub(super) origin: [f32; 2],
    pub(super) surface: Surface,
    pub(super) wall: u8,
    pub(super) side: Side,
    /// The place of the cell in the grid's list.
    cell: u32,
}

/// A ray on its way over the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    x: Axis,
    z: Axis,
    /// The place of the cell in the grid's list.
    index: usize,
    /// Where the cell was entered, and whether by crossing a line between columns.
    enter: f32,
    along_x: bool,
    started_here: bool,
    /// Where the grid is left; negative if the ray never is in it.
    end: f32,
}

/// What a ray does along one axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Lengths of the direction to one cell.
    per_cell: f32,
    /// The next line between cells, counted in cells from the eye's place.
    line: f32,
    /// One cell on: lines, and places in the grid's list.
    step: f32,
    stride: isize,
}

impl Axis {
    fn new(direction: f32, cells_per_unit: f32, stride: i32) -> Self {
        let component = direction * cells_per_unit;
        let step = if component < 0.0 { -1.0 } else { 1.0 };
        let per_cell = step / component.abs().max(PARALLEL);
        Self { per_cell, line: 0.0, step, stride: step as isize * stride as isize }
    }

    fn forwards(&self) -> bool {
        self.step > 0.0
    }

    /// Where the ray crosses a line.
    fn at(&self, line: f32, place: f32) -> f32 {
        (line - place) * self.per_cell
    }

    /// Where the ray is between the first and the last line.
    fn between(&self, lines: i32, place: f32) -> (f32, f32) {
        let (first, last) = (self.at(0.0, place), self.at(lines as f32, place));
        if self.forwards() { (first, last) } else { (last, first) }
    }
}

impl Walk {
    pub(super) fn new(plan: &Plan<'_>, dx: f32, dz: f32) -> Self {
        let mut x = Axis::new(dx, plan.cells_per_unit, 1);
        let mut z = Axis::new(dz, plan.cells_per_unit, plan.columns);
        let (x_in, x_out) = x.between(plan.columns, plan.place[0]);
        let (z_in, z_out) = z.between(plan.rows, plan.place[1]);
        let mut end = x_out.min(z_out);
        let (mut enter, mut along_x, mut cell) = (0.0, false, plan.cell.unwrap_or_default());
        if plan.cell.is_none() {
            // From outside: on to the first cell that the ray meets.
            (enter, along_x) = (x_in.max(z_in), x_in > z_in);
            if !(enter >= 0.0 && enter < end) {
                (enter, end) = (0.0, -1.0);
            }
            let within = |place: f32, direction: f32, cells: i32| {
                ((place + enter * direction * plan.cells_per_unit) as i32).clamp(0, (cells - 1).max(0))
            };
            let first = |axis: &Axis, cells: i32| if axis.forwards() { 0 } else { (cells - 1).max(0) };
            cell = if along_x {
                [first(&x, plan.columns), within(plan.place[1], dz, plan.rows)]
            } else {
                [within(plan.place[0], dx, plan.columns), first(&z, plan.rows)]
            };
        }
        x.line = (cell[0] + i32::from(x.forwards())) as f32;
        z.line = (cell[1] + i32::from(z.forwards())) as f32;
        let index = cell[1] as usize * plan.columns as usize + cell[0] as usize;
        Self { x, z, index, enter, along_x, started_here: plan.cell.is_some(), end }
    }

    /// The next wall on the way that is entered before `until`. Each call moves on by a cell or more, so that there are at
    /// most `columns + rows` calls.
    pub(super) fn next(&mut self, plan: &Plan<'_>, until: f32) -> Option<Stretch> {
        // A copy that the optimiser can keep in registers.
        let mut walk = *self;
        let until = until.min(walk.end);
        // The line at which the grid ends is computed as all others are, so that `end` is met exactly.
        while walk.enter < walk.end && walk.enter <= until {
            // Never outside: the list has all cells of the grid, and the walk is within it up to `end`.
            let content = plan.grid.cells.get(walk.index).copied().unwrap_or(0);
            let here = walk;
            walk.advance(plan);
            if content != 0
                && let Some(stretch) = here.stretch(plan, content - 1, walk.enter)
            {
                *self = walk;
                return Some(stretch);
            }
        }
        walk.end = -1.0;
        *self = walk;
        None
    }

    /// Moves on to the next cell.
    fn advance(&mut self, plan: &Plan<'_>) {
        let (x, z) = (self.x.at(self.x.line, plan.place[0]), self.z.at(self.z.line, plan.place[1]));
        self.along_x = x < z;
        self.started_here = false;
        if x < z {
            self.enter = x;
            self.x.line += self.x.step;
            self.index = self.index.wrapping_add_signed(self.x.stride);
        } else {
            self.enter = z;
            self.z.line += self.z.step;
            self.index = self.index.wrapping_add_signed(self.z.stride);
        }
    }

    /// The part of the present cell, left at `leave`, in which there is a wall.
    fn stretch(&self, plan: &Plan<'_>, wall: u8, leave: f32) -> Option<Stretch> {
        let cell = self.index as u32;
        match *plan.grid.walls.get(wall as usize)? {
            Wall::Solid { height, surface } if height > 0.0 => Some(Stretch {
                enter: self.enter,
                leave,
                inside: self.started_here,
                height,
                anchor: 0.0,
                origin: [plan.grid.x, plan.grid.z],
                surface,
                wall,
                side: self.side(self.along_x),
                cell,
            }),
            Wall::Block { x0, z0, x1, z1, height, surface } if height > 0.0 => {
                let (x_in, x_out) = if self.x.forwards() { (x0, x1) } else { (x1, x0) };
                let (z_in, z_out) = if self.z.forwards() { (z0, z1) } else { (z1, z0) };
                let along_x = |x: f32| (x - plan.eye[0]) * plan.cells_per_unit * self.x.per_cell;
                let along_z = |z: f32| (z - plan.eye[1]) * plan.cells_per_unit * self.z.per_cell;
                let (x_in, z_in) = (along_x(x_in), along_z(z_in));
                let (first, last) = (x_in.max(z_in), along_x(x_out).min(along_z(z_out)));
                // A footprint that leaves its cell is cut there, or walls would not come in order of distance.
                let (enter, leave) = (first.max(self.enter), last.min(leave));
                (first < last && enter < leave).then(|| Stretch {
                    enter,
                    leave,
                    inside: self.started_here && first < 0.0,
                    height,
                    anchor: height,
                    origin: [(x0 + x1) * 0.5 - plan.half_period, (z0 + z1) * 0.5 - plan.half_period],
                    surface,
                    wall,
                    side: self.side(x_in > z_in),
                    cell,
                })
            }
            _ => None,
        }
    }

    fn side(&self, along_x: bool) -> Side {
        match (along_x, self.x.forwards(), self.z.forwards()) {
            (true, true, _) => Side::West,
            (true, false, _) => Side::East,
            (false, _, true) => Side::South,
            (false, _, false) => Side::North,
        }
    }
}
