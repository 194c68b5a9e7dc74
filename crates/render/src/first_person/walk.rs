//! Rays over the grid: from cell to cell in order of distance.

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
            let stretch = walk.next(&plan)?;
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
                let (west, south) =
                    (self.x + stretch.cell[0] as f32 * self.cell, self.z + stretch.cell[1] as f32 * self.cell);
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
    eye: [f32; 2],
    place: [f32; 2],
    /// The cell that the eye is in, `None` outside.
    cell: Option<[i32; 2]>,
    cells_per_unit: f32,
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
    cell: [i32; 2],
}

/// A ray on its way over the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// Lengths of the direction to one cell eastwards and northwards.
    per_cell: [f32; 2],
    /// The next lines between cells, counted in cells.
    line: [f32; 2],
    step: [i32; 2],
    /// How many more cells there are each way.
    left: [i32; 2],
    cell: [i32; 2],
    /// The place of the cell in the grid's list.
    index: usize,
    /// Where the cell was entered, and by crossing which axis.
    enter: f32,
    along_x: bool,
    started_here: bool,
    over: bool,
}

impl Walk {
    pub(super) fn new(plan: &Plan<'_>, dx: f32, dz: f32) -> Self {
        let (per_cell_x, step_x) = reciprocal(dx * plan.cells_per_unit);
        let (per_cell_z, step_z) = reciprocal(dz * plan.cells_per_unit);
        let mut walk = Self {
            per_cell: [per_cell_x, per_cell_z],
            line: [0.0; 2],
            step: [step_x, step_z],
            left: [0; 2],
            cell: [0; 2],
            index: 0,
            enter: 0.0,
            along_x: false,
            started_here: true,
            over: false,
        };
        match plan.cell {
            Some(cell) => walk.cell = cell,
            None => walk.arrive(plan, [dx, dz]),
        }
        if walk.over {
            return walk;
        }
        let [column, row] = walk.cell;
        walk.line = [(column + i32::from(step_x > 0)) as f32, (row + i32::from(step_z > 0)) as f32];
        walk.left = [
            if step_x > 0 { plan.columns - 1 - column } else { column },
            if step_z > 0 { plan.rows - 1 - row } else { row },
        ];
        walk.index = row as usize * plan.columns as usize + column as usize;
        walk
    }

    /// Brings a ray from outside to the first cell that it meets.
    fn arrive(&mut self, plan: &Plan<'_>, direction: [f32; 2]) {
        let sizes = [plan.columns, plan.rows];
        let mut enters = [0.0; 2];
        let mut leave = f32::INFINITY;
        for axis in 0..2 {
            let size = sizes[axis] as f32;
            let (near, far) = if self.step[axis] > 0 { (0.0, size) } else { (size, 0.0) };
            enters[axis] = (near - plan.place[axis]) * self.per_cell[axis];
            leave = leave.min((far - plan.place[axis]) * self.per_cell[axis]);
        }
        self.along_x = enters[0] > enters[1];
        self.enter = enters[0].max(enters[1]);
        self.started_here = false;
        self.over = !(self.enter >= 0.0 && self.enter < leave);
        for axis in 0..2 {
            let place = plan.place[axis] + self.enter * direction[axis] * plan.cells_per_unit;
            self.cell[axis] = (place as i32).clamp(0, (sizes[axis] - 1).max(0));
        }
        let entered = usize::from(!self.along_x);
        self.cell[entered] = if self.step[entered] > 0 { 0 } else { (sizes[entered] - 1).max(0) };
    }

    /// The next wall on the way. Each call moves on by a cell or more, so that there are at most `columns + rows` calls.
    pub(super) fn next(&mut self, plan: &Plan<'_>) -> Option<Stretch> {
        while !self.over {
            let content = plan.grid.cells[self.index];
            let (cell, enter, along_x, started_here) = (self.cell, self.enter, self.along_x, self.started_here);
            let leave = self.advance(plan);
            if content == 0 {
                continue;
            }
            let wall = content - 1;
            let stretch = match plan.grid.walls.get(wall as usize) {
                Some(&Wall::Solid { height, surface }) if height > 0.0 => {
                    let side = self.side(along_x);
                    let origin = [plan.grid.x, plan.grid.z];
                    Stretch {
                        enter,
                        leave,
                        inside: started_here,
                        height,
                        anchor: 0.0,
                        origin,
                        surface,
                        wall,
                        side,
                        cell,
                    }
                }
                Some(&Wall::Block { x0, z0, x1, z1, height, surface }) if height > 0.0 => {
                    let (per_x, per_z) =
                        (self.per_cell[0] * plan.cells_per_unit, self.per_cell[1] * plan.cells_per_unit);
                    let (x_in, x_out) = if self.step[0] > 0 { (x0, x1) } else { (x1, x0) };
                    let (z_in, z_out) = if self.step[1] > 0 { (z0, z1) } else { (z1, z0) };
                    let (x_in, z_in) = ((x_in - plan.eye[0]) * per_x, (z_in - plan.eye[1]) * per_z);
                    let out = ((x_out - plan.eye[0]) * per_x).min((z_out - plan.eye[1]) * per_z);
                    let first = x_in.max(z_in);
                    // A footprint that leaves its cell is cut there, or walls would not come in order of distance.
                    let (from, to) = (first.max(enter), out.min(leave));
                    if !(first < out && from < to) {
                        continue;
                    }
                    let (inside, side) = (started_here && first < 0.0, self.side(x_in > z_in));
                    let origin = [(x0 + x1) * 0.5 - plan.half_period, (z0 + z1) * 0.5 - plan.half_period];
                    Stretch {
                        enter: from,
                        leave: to,
                        inside,
                        height,
                        anchor: height,
                        origin,
                        surface,
                        wall,
                        side,
                        cell,
                    }
                }
                _ => continue,
            };
            return Some(stretch);
        }
        None
    }

    /// Moves on to the next cell and says where the present one is left.
    fn advance(&mut self, plan: &Plan<'_>) -> f32 {
        let x = (self.line[0] - plan.place[0]) * self.per_cell[0];
        let z = (self.line[1] - plan.place[1]) * self.per_cell[1];
        self.along_x = x < z;
        self.started_here = false;
        let (axis, stride) = if self.along_x { (0, 1) } else { (1, plan.columns as isize) };
        let step = self.step[axis];
        self.over = self.left[axis] == 0;
        self.left[axis] -= 1;
        self.line[axis] += step as f32;
        self.cell[axis] += step;
        self.index = self.index.wrapping_add_signed(step as isize * stride);
        self.enter = x.min(z);
        self.enter
    }

    fn side(&self, along_x: bool) -> Side {
        match (along_x, self.step[usize::from(!along_x)] > 0) {
            (true, true) => Side::West,
            (true, false) => Side::East,
            (false, true) => Side::South,
            (false, false) => Side::North,
        }
    }
}

/// One over a component of a direction, and its sign.
fn reciprocal(component: f32) -> (f32, i32) {
    let step = if component < 0.0 { -1 } else { 1 };
    let size = component.abs().max(PARALLEL);
    (step as f32 / size, step)
}
