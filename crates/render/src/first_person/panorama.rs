//! What stands around the eye, by direction: the plan of the walls cut into beams of rays that all meet the same.
//!
//! A half of all level directions, before the eye or behind it, is counted by how far a ray goes to the right for each unit
//! ahead. Beams start at the eye as wide as the picture and go from cell to cell, and are split where a corner stands in
//! their way: at the far corner of an open cell, at the outline of a block. So each beam knows which sides of walls its
//! rays meet, in order, without a walk for each ray.
//!
//! The corners are where the arithmetic of a [`Walk`](super::walk::Walk) has them, up to a few roundings. Directions closer
//! to an edge of a beam than that belong to no beam, and whoever looks there must walk; so must rays that meet what a beam
//! does not describe: what contains the eye or touches it, and blocks that leave their cell. All others meet what a walk
//! would find.

use crate::first_person::stage::{Look, Stage};
use crate::first_person::walk::Plan;
use crate::first_person::{Side, Wall};

/// Beams, sides that all of them meet together, and sides that one of them meets.
pub(super) const BEAMS: usize = 256;
const MEETINGS: usize = 512;
const PATH: usize = 24;

/// Parts of beams that wait while another one is followed, and cells that are looked at for one panorama.
const WAITING: usize = 128;
const VISITS: usize = 4096;

/// By how much a direction may be off, as an angle: some roundings.
const ANGLE: f32 = 4e-6;

/// By how much of a cell a block may leave it: what roundings can make of one that fills it.
const FLUSH: f32 = 1e-4;

/// The least distance of a side, in cells: closer ones are a matter of roundings.
const CLOSEST: f32 = 1e-4;

/// The side of a wall, and if the wall is lower than the eye also where rays leave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// How far it is from the eye along its axis, in cells.
    pub(super) reach: f32,
    /// The same of the side by which the wall is left, and its axis: 0 if it lies across the way from west to east.
    pub(super) leave: (f32, u8),
    pub(super) height: f32,
    /// Its place in the list of walls.
    pub(super) wall: u8,
    pub(super) side: Side,
}

impl Face {
    const NONE: Self = Self { reach: 0.0, leave: (0.0, 0), height: 0.0, wall: 0, side: Side::North };

    /// Its axis: 0 if it lies across the way from west to east, 1 if it lies across the way from south to north.
    #[inline]
    pub(super) fn axis(&self) -> usize {
        usize::from(matches!(self.side, Side::North | Side::South))
    }
}

/// A side that a beam meets.
#[derive(Clone, Copy)]
pub(super) struct Meeting<'a> {
    pub(super) face: Face,
    pub(super) look: Look<'a>,
    /// Where the rays of the beam meet it, at the nearest and at the farthest, in units ahead and with room for roundings.
    pub(super) nearest: f32,
    pub(super) farthest: f32,
}

/// Rays that meet the same.
#[derive(Clone, Copy, Debug, Default)]
struct Beam {
    from: u16,
    count: u16,
    /// Each ray has to walk.
    walks: bool,
}

/// What the rays of a beam meet.
#[derive(Clone, Copy)]
pub(super) enum View<'a, 'm> {
    /// These, in order; the last of them hides all that is behind it, unless the rays leave the grid.
    Sides(&'m [Meeting<'a>]),
    /// Only a walk can tell.
    Walk,
}

/// The directions before the eye, or behind it.
pub(super) struct Panorama<'a> {
    beams: [Beam; BEAMS],
    /// The edges between beams: up to where rays surely belong to the beam before, and from where on to the one after.
    ends: [f32; BEAMS],
    starts: [f32; BEAMS],
    count: usize,
    meetings: [Meeting<'a>; MEETINGS],
    used: usize,
}

impl<'a> Panorama<'a> {
    /// Whether there can be one: else rays must walk by themselves, since the eye is outside the grid or above all walls.
    pub(super) fn fits(stage: &Stage<'_>) -> bool {
        stage.plan.cell.is_some() && stage.lens.eye[1] < stage.plan.tallest
    }

    /// An empty one.
    #[expect(clippy::large_stack_arrays, reason = "drawing allocates nothing: a picture's beams are on the stack")]
    pub(super) fn new(stage: &Stage<'a>) -> Self {
        let nothing = Meeting { face: Face::NONE, look: stage.plain_look(), nearest: 0.0, farthest: 0.0 };
        Self {
            beams: [Beam::default(); BEAMS],
            ends: [0.0; BEAMS],
            starts: [0.0; BEAMS],
            count: 0,
            meetings: [nothing; MEETINGS],
            used: 0,
        }
    }

    /// Looks in the directions from `-widest` to `widest` to the right for each unit ahead, up to `farthest` units; with
    /// `behind` ahead is to the back.
    pub(super) fn look(&mut self, stage: &Stage<'a>, behind: bool, widest: f32, farthest: f32) {
        (self.count, self.used) = (0, 0);
        let [sine, cosine] = stage.lens.ahead();
        let sign = if behind { -1.0 } else { 1.0 };
        // Where rays run along an axis, they change from forwards to backwards on the other.
        let turns = [-sign * sine / cosine, sign * cosine / sine];
        let [first, second] = if turns[0] < turns[1] { turns } else { [turns[1], turns[0]] };
        let mut scout = Scout::new(stage, sign, -widest, farthest);
        for to in [first, second, widest] {
            let (from, to) = (scout.from, to.min(widest));
            if from < to {
                let middle = (from + to) * 0.5;
                scout.forwards = [sign * sine + cosine * middle > 0.0, sign * cosine - sine * middle > 0.0];
                if !scout.follow(self, to) {
                    self.add(&[], true, [scout.from, widest], &scout);
                    break;
                }
            }
        }
    }

    /// The edges between beams: up to where rays surely belong to the beam before, and from where on to the one after.
    pub(super) fn edges(&self) -> [&[f32]; 2] {
        let between = self.count.saturating_sub(1);
        [&self.ends[..between], &self.starts[..between]]
    }

    /// What the rays of a beam meet.
    #[inline]
    pub(super) fn view(&self, beam: usize) -> View<'a, '_> {
        let Beam { from, count, walks } = self.beams[beam];
        if walks { View::Walk } else { View::Sides(&self.meetings[usize::from(from)..][..usize::from(count)]) }
    }

    /// Adds a beam to the right of the others, or makes the last one wider if it meets the same. `false` if there is no
    /// room: the last beam then walks.
    fn add(&mut self, faces: &[Face], walks: bool, [from, to]: [f32; 2], scout: &Scout<'a, '_>) -> bool {
        let mut met = [(Face::NONE, 0.0, 0.0); PATH];
        let mut count = 0;
        // How steeply rays rise at least that go over all that came before.
        let mut horizon = 0.0_f32;
        for face in faces {
            let [nearest, farthest] = scout.distances(face.reach, face.axis(), [from, to]);
            let above = face.height - scout.eye;
            if above < 0.0 || above >= horizon * nearest {
                met[count] = (*face, nearest, farthest);
                count += 1;
                horizon = horizon.max(above / farthest);
            }
        }
        let met = &met[..count];
        if let Some(last) = self.count.checked_sub(1) {
            let beam = self.beams[last];
            let meetings = &mut self.meetings[usize::from(beam.from)..][..usize::from(beam.count)];
            let same = beam.walks == walks
                && meetings.len() == met.len()
                && meetings.iter().zip(met).all(|(meeting, (face, ..))| meeting.face == *face);
            if same {
                for (meeting, (_, nearest, farthest)) in meetings.iter_mut().zip(met) {
                    meeting.nearest = meeting.nearest.min(*nearest);
                    meeting.farthest = meeting.farthest.max(*farthest);
                }
                return true;
            }
            if self.count == BEAMS || self.used + met.len() > MEETINGS {
                self.beams[last] = Beam { from: 0, count: 0, walks: true };
                return false;
            }
            let margin = ANGLE * (1.0 + from * from);
            (self.ends[last], self.starts[last]) = (from - margin, from + margin);
        }
        self.beams[self.count] = Beam { from: self.used as u16, count: met.len() as u16, walks };
        self.count += 1;
        for &(face, nearest, farthest) in met {
            let look = scout.stage.look(face.wall, face.side);
            self.meetings[self.used] = Meeting { face, look, nearest, farthest };
            self.used += 1;
        }
        true
    }
}

/// What is to be found out about the cell that a beam is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    /// What is in it.
    Content,
    /// It meets the block in it from west or east, or from south or north.
    BlockX,
    BlockZ,
    /// What is behind that which is in it.
    Exit,
}

/// A beam on its way.
#[derive(Clone, Copy)]
struct Part {
    /// Its last ray; the first is where the part to its left ends.
    to: f32,
    cell: [i32; 2],
    task: Task,
    /// The cell was entered by crossing a line between columns.
    along_x: bool,
    /// How many sides it has met.
    met: usize,
}

/// What becomes of a part of a beam.
enum Fate {
    /// There is more to find out.
    On,
    /// All that it meets is known.
    Ends,
    /// Its rays have to walk.
    Walks,
}

/// Follows beams over the plan, a quarter of it at a time.
///
/// Coordinates here are in cells from the eye, positive in the direction in which the rays of the quarter go.
struct Scout<'a, 'b> {
    stage: &'b Stage<'a>,
    plan: &'b Plan<'a>,
    eye: f32,
    cell: [i32; 2],
    ahead: [f32; 2],
    /// Minus one behind the eye.
    sign: f32,
    /// Whether the rays of the quarter go to the east, and to the north.
    forwards: [bool; 2],
    /// Up to here all rays are known.
    from: f32,
    /// Nothing is seen that is farther ahead.
    farthest: f32,
    visits: usize,
    /// The sides that the present part has met, and the parts that come after it, the next one last.
    path: [Face; PATH],
    waiting: [Part; WAITING],
    waits: usize,
}

impl<'a, 'b> Scout<'a, 'b> {
    fn new(stage: &'b Stage<'a>, sign: f32, from: f32, farthest: f32) -> Self {
        let part = Part { to: from, cell: [0; 2], task: Task::Content, along_x: false, met: 0 };
        Self {
            stage,
            plan: &stage.plan,
            eye: stage.lens.eye[1],
            cell: stage.plan.cell.unwrap_or_default(),
            ahead: stage.lens.ahead(),
            sign,
            forwards: [true; 2],
            from,
            farthest,
            visits: 0,
            path: [Face::NONE; PATH],
            waiting: [part; WAITING],
            waits: 0,
        }
    }

    /// Follows all rays of a quarter, from left to right. `false` if that is too much.
    fn follow(&mut self, panorama: &mut Panorama<'a>, to: f32) -> bool {
        let mut part = Part { to, cell: self.cell, task: Task::Content, along_x: false, met: 0 };
        loop {
            self.visits += 1;
            // A visit adds one side and four parts at the most.
            if self.visits > VISITS || self.waits + 4 > WAITING || part.met == PATH {
                return false;
            }
            let fate = match part.task {
                Task::Content => self.content(&mut part),
                Task::BlockX => self.meet(&mut part, 0),
                Task::BlockZ => self.meet(&mut part, 1),
                Task::Exit => self.exit(&mut part),
            };
            let walks = match fate {
                Fate::On => continue,
                Fate::Ends => false,
                Fate::Walks => true,
            };
            let met = if walks { 0 } else { part.met };
            if !panorama.add(&self.path[..met], walks, [self.from, part.to], self) {
                return false;
            }
            self.from = part.to;
            let Some(next) = self.waits.checked_sub(1) else { return true };
            (part, self.waits) = (self.waiting[next], next);
        }
    }

    fn wait(&mut self, part: Part) {
        self.waiting[self.waits] = part;
        self.waits += 1;
    }

    /// Looks at what is in a cell.
    fn content(&mut self, part: &mut Part) -> Fate {
        let [columns, rows] = self.plan.size();
        let [column, row] = part.cell;
        if column < 0 || row < 0 || column >= columns || row >= rows {
            return Fate::Ends;
        }
        if self.farthest.is_finite() && part.cell != self.cell {
            let axis = usize::from(!part.along_x);
            let [nearest, _] = self.distances(self.lines(axis, part.cell)[0], axis, [self.from, part.to]);
            if nearest > self.farthest {
                return Fate::Ends;
            }
        }
        let content = self.plan.grid.cells.get((row * columns + column) as usize).copied().unwrap_or(0);
        let wall = content.checked_sub(1).and_then(|wall| self.plan.grid.walls.get(usize::from(wall)));
        match wall {
            Some(Wall::Solid { height, .. }) if *height > 0.0 => {
                if part.cell == self.cell {
                    // From within only the top is seen.
                    return if *height < self.eye { Fate::Walks } else { self.pass(part) };
                }
                self.meet(part, usize::from(!part.along_x))
            }
            Some(Wall::Block { height, .. }) if *height > 0.0 => self.block(part, content - 1),
            _ => self.pass(part),
        }
    }

    fn pass(&mut self, part: &mut Part) -> Fate {
        part.task = Task::Exit;
        self.exit(part)
    }

    /// Splits a part where the outline of a block is.
    fn block(&mut self, part: &mut Part, wall: u8) -> Fate {
        let [[x, x_out], [z, z_out]] = [0, 1].map(|axis| self.extent(axis, wall));
        let inside = |axis: usize, near: f32, far: f32| {
            let [first, last] = self.lines(axis, part.cell);
            near < far && near >= first - FLUSH && far <= last + FLUSH && near.abs() >= CLOSEST
        };
        if !(inside(0, x, x_out) && inside(1, z, z_out)) {
            return Fate::Walks;
        }
        if x_out <= 0.0 || z_out <= 0.0 {
            return self.pass(part);
        }
        if x < 0.0 && z < 0.0 {
            // The eye is within it: only its top is seen.
            let low = self.plan.grid.walls[usize::from(wall)].height() < self.eye;
            return if low { Fate::Walks } else { self.pass(part) };
        }
        // To one side of the block, its two sides, and to the other side of it.
        let (mut corners, mut tasks) = ([[x, z_out], [x, z], [x_out, z]], [Task::BlockX, Task::BlockZ, Task::Exit]);
        if !self.x_to_the_right() {
            corners.reverse();
            tasks = [Task::BlockZ, Task::BlockX, Task::Exit];
        }
        let [first, second, third] = corners.map(|corner| self.slope(corner));
        let whole = *part;
        // From right to left, so that the part to the left is the next.
        let mut to = whole.to;
        for (edge, task) in [third, second, first].into_iter().zip(tasks.into_iter().rev()) {
            let edge = edge.max(self.from);
            if edge < to {
                self.wait(Part { to, task, ..whole });
                to = edge;
            }
        }
        if self.from < to {
            self.wait(Part { to, task: Task::Exit, ..whole });
        }
        self.waits -= 1;
        *part = self.waiting[self.waits];
        Fate::On
    }

    /// Notes the side across `axis` of the wall in the present cell.
    fn meet(&mut self, part: &mut Part, axis: usize) -> Fate {
        let [columns, _] = self.plan.size();
        let wall = self.plan.grid.cells[(part.cell[1] * columns + part.cell[0]) as usize] - 1;
        let height = self.plan.grid.walls[usize::from(wall)].height();
        let [near, far] = self.footprint(axis, part.cell, wall);
        if near < CLOSEST {
            return Fate::Walks;
        }
        let mut leave = (0.0, 0);
        if height < self.eye {
            let other = self.footprint(1 - axis, part.cell, wall)[1];
            let corner = self.slope(if axis == 0 { [far, other] } else { [other, far] });
            if self.from < corner && corner < part.to {
                self.wait(Part { task: [Task::BlockX, Task::BlockZ][axis], ..*part });
                part.to = corner;
            }
            // Left of the far corner the wall is left by one side, and right of it by the other.
            let by_x = (corner <= self.from) == self.x_to_the_right();
            leave = if by_x == (axis == 0) { (far, axis as u8) } else { (other, 1 - axis as u8) };
        }
        let side = match (axis, self.forwards[axis]) {
            (0, true) => Side::West,
            (0, false) => Side::East,
            (_, true) => Side::South,
            (_, false) => Side::North,
        };
        self.path[part.met] = Face { reach: near, leave, height, wall, side };
        part.met += 1;
        if height >= self.plan.tallest {
            return Fate::Ends;
        }
        part.task = Task::Exit;
        Fate::On
    }

    /// Moves on to the next cell, or the next two if a part goes into either.
    fn exit(&mut self, part: &mut Part) -> Fate {
        let [[_, x], [_, z]] = [0, 1].map(|axis| self.lines(axis, part.cell));
        let corner = self.slope([x, z]);
        let next = |along_x: bool| {
            let axis = usize::from(!along_x);
            let mut cell = part.cell;
            cell[axis] += if self.forwards[axis] { 1 } else { -1 };
            Part { cell, along_x, task: Task::Content, ..*part }
        };
        let [left, right] = [!self.x_to_the_right(), self.x_to_the_right()].map(next);
        if corner <= self.from {
            *part = right;
        } else if corner >= part.to {
            *part = left;
        } else {
            self.wait(right);
            *part = Part { to: corner, ..left };
        }
        Fate::On
    }

    /// Whether the rays of the quarter farther to the right go more from west to east, or back.
    fn x_to_the_right(&self) -> bool {
        (self.forwards[0] == self.forwards[1]) == (self.sign > 0.0)
    }

    /// The lines by which a cell is entered and left along an axis.
    fn lines(&self, axis: usize, cell: [i32; 2]) -> [f32; 2] {
        let [low, high] = [0, 1].map(|end| (cell[axis] + end) as f32 - self.plan.place[axis]);
        if self.forwards[axis] { [low, high] } else { [-high, -low] }
    }

    /// The sides by which a block is entered and left along an axis.
    fn extent(&self, axis: usize, wall: u8) -> [f32; 2] {
        let Wall::Block { x0, z0, x1, z1, .. } = self.plan.grid.walls[usize::from(wall)] else {
            return [f32::NAN; 2];
        };
        let ends = if axis == 0 { [x0, x1] } else { [z0, z1] };
        let [low, high] = ends.map(|end| (end - self.plan.eye[axis]) * self.plan.cells_per_unit);
        if self.forwards[axis] { [low, high] } else { [-high, -low] }
    }

    /// The sides by which what is in a cell is entered and left along an axis.
    fn footprint(&self, axis: usize, cell: [i32; 2], wall: u8) -> [f32; 2] {
        let [first, last] = self.lines(axis, cell);
        match self.plan.grid.walls[usize::from(wall)] {
            Wall::Solid { .. } => [first, last],
            Wall::Block { .. } => {
                let [near, far] = self.extent(axis, wall);
                [near.max(first), far.min(last)]
            }
        }
    }

    /// The direction of a corner; without end to the left or right if it is not in this quarter.
    fn slope(&self, [x, z]: [f32; 2]) -> f32 {
        let outside = |to_the_right: bool| if to_the_right { f32::INFINITY } else { f32::NEG_INFINITY };
        if x <= 0.0 || z <= 0.0 {
            return outside(self.x_to_the_right() == (z <= 0.0));
        }
        let signed = |axis: usize, length: f32| if self.forwards[axis] { length } else { -length };
        let ([sine, cosine], x, z) = (self.ahead, signed(0, x), signed(1, z));
        let (right, ahead) = (x * cosine - z * sine, (x * sine + z * cosine) * self.sign);
        if ahead > 1e-6 * right.abs() { right / ahead } else { outside(right > 0.0) }
    }

    /// Where rays meet a plane so many cells off across an axis, at the nearest and at the farthest, in units ahead.
    fn distances(&self, reach: f32, axis: usize, ends: [f32; 2]) -> [f32; 2] {
        let [sine, cosine] = self.ahead;
        let (forward, across) = if axis == 0 { (sine, cosine) } else { (cosine, -sine) };
        let reach = reach / self.plan.cells_per_unit;
        let [a, b] = ends.map(|slope| {
            let (pace, error) = ((self.sign * forward + across * slope).abs(), ANGLE * (1.0 + slope.abs()));
            let farthest = if pace > error { reach / (pace - error) } else { f32::INFINITY };
            [reach / (pace + error), farthest]
        });
        [a[0].min(b[0]) * (1.0 - ANGLE), a[1].max(b[1]) * (1.0 + ANGLE)]
    }
}
