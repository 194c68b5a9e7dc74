//! Drawing row by row, at any pitch.
//!
//! However the eye is tilted, the rays of a row of pixels rise by one amount and go ahead by another, so that the row sees
//! the floor at one depth and goes over a [`Panorama`] from one end to the other at an even pace. Each beam of it is some
//! pixels of the row; the distances of what the beam meets tell for most beams and rows what all its pixels show. Runs of
//! pixels that show the same side are drawn together in plain loops without branches. Pixels that no beam is sure of are drawn
//! by a ray of their own (`pixel`), and all others are the same as if they were.

use std::ops::Range;

use crate::first_person::lens::larger;
use crate::first_person::panorama::{BEAMS, Face, Meeting, Panorama, View};
use crate::first_person::pixel::Line;
use crate::first_person::sky::Sky;
use crate::first_person::stage::Stage;
use crate::first_person::texture::Level;

/// Columns drawn together: what is known of them is kept on the stack.
const CHUNK: usize = 512;

/// Rays that go ahead by less than this, to the front or to the back, walk by themselves.
const LEAST_AHEAD: f32 = 1e-3;

/// By how much a column may be off, in parts of the picture's width: some roundings.
const ROUNDINGS: f32 = 1e-6;

/// Pixels that are computed together, in loops of a fixed length. Tables have room for as many after their end.
const LANES: usize = 8;
const ROOM: usize = CHUNK + LANES;

/// Draws the picture, and the depth of each pixel if that is asked for. Returns how many pixels had a walk of their own.
pub(super) fn draw(stage: &Stage<'_>, pixels: &mut [[u8; 3]], mut depths: Option<&mut [f32]>) -> usize {
    let lens = &stage.lens;
    let forward = |row: usize| lens.forward(lens.up_slope(row));
    let side = |row: usize| match forward(row) {
        ahead if ahead >= LEAST_AHEAD => Some(false),
        ahead if ahead <= -LEAST_AHEAD => Some(true),
        _ => None,
    };
    let (mut row, mut walks) = (0, 0);
    let mut panorama = Panorama::new(stage);
    let fits = Panorama::fits(stage);
    // Rows that look to the front, or to the back, lie together.
    while row < lens.height() {
        let from = row;
        let behind = side(from);
        while row < lens.height() && side(row) == behind {
            row += 1;
        }
        let panorama = behind.filter(|_| fits).map(|behind| {
            let ends = [from, row - 1].map(|row| [forward(row).abs(), lens.ray(0.0, lens.up_slope(row))[1]]);
            let widest = lens.right_slope(lens.width()) / ends[0][0].min(ends[1][0]) * 1.01;
            // The flattest of the rows come farthest, unless the horizon is among them.
            let [first, last] = ends.map(|[ahead, up]| up / ahead);
            let flattest = if first * last > 0.0 { first.abs().min(last.abs()) } else { 0.0 };
            let room = if first < 0.0 { lens.eye[1] } else { stage.plan.tallest - lens.eye[1] };
            panorama.look(stage, behind, widest, room / flattest * 1.001);
            &panorama
        });
        for start in (0..lens.width()).step_by(CHUNK) {
            let mut brush = Brush::new(stage, start);
            for row in from..row {
                walks += brush.row(panorama, row, pixels, depths.as_deref_mut());
            }
        }
    }
    walks
}

/// Some columns, and what all rows need of them.
struct Brush<'a, 'b> {
    stage: &'b Stage<'a>,
    start: usize,
    size: usize,
    /// What the rays go to the right, as parts to the east and to the north.
    rights: [[f32; ROOM]; 2],
    /// The depths of a row.
    near: [f32; ROOM],
    /// The columns at which beams surely end, and those from which on the next ones surely begin.
    edges: [[i32; BEAMS]; 2],
}

impl<'a, 'b> Brush<'a, 'b> {
    fn new(stage: &'b Stage<'a>, start: usize) -> Self {
        let (lens, [sine, cosine]) = (&stage.lens, stage.lens.ahead());
        let size = CHUNK.min(lens.width() - start);
        let mut rights = [[0.0; ROOM]; 2];
        let [east, north] = &mut rights;
        for (index, (east, north)) in east.iter_mut().zip(north).take(size).enumerate() {
            let right = lens.right_slope(start + index);
            (*east, *north) = (cosine * right, -(sine * right));
        }
        Self { stage, start, size, rights, near: [f32::INFINITY; ROOM], edges: [[0; BEAMS]; 2] }
    }

    /// Draws the columns of one row. Returns how many pixels had a walk of their own.
    fn row(
        &mut self,
        panorama: Option<&Panorama<'a>>,
        row: usize,
        pixels: &mut [[u8; 3]],
        depths: Option<&mut [f32]>,
    ) -> usize {
        let (lens, range) = (&self.stage.lens, row * self.stage.lens.width() + self.start);
        let line = Line::new(self.stage, lens.up_slope(row));
        let pixels = &mut pixels[range..][..self.size];
        let (rights, near, edges) = (&self.rights, &mut self.near, &mut self.edges);
        let run = Run { shown: Shown::Behind, nearest: 0.0, farthest: 0.0, columns: 0..0 };
        let mut stroke = Stroke { line: &line, start: self.start, rights, pixels, near, edges, walks: 0, run };
        if let Some(panorama) = panorama {
            stroke.beams(panorama);
        } else {
            stroke.walk(0..self.size);
        }
        stroke.objects(row);
        let walks = stroke.walks;
        if let Some(depths) = depths {
            depths[range..][..self.size].copy_from_slice(&self.near[..self.size]);
        }
        walks
    }
}

/// Some columns of a row while they are drawn. Columns are counted from the first of them.
struct Stroke<'a, 'b, 'c, 'p> {
    line: &'c Line<'a, 'b>,
    start: usize,
    rights: &'c [[f32; ROOM]; 2],
    pixels: &'c mut [[u8; 3]],
    /// Up to [`LANES`] elements to the right of what is drawn may be overwritten: columns are drawn from left to right.
    near: &'c mut [f32; ROOM],
    edges: &'c mut [[i32; BEAMS]; 2],
    walks: usize,
    /// Columns whose pixels are known but not yet drawn: more of the same may come.
    run: Run<'a, 'p>,
}

/// What a pixel shows.
#[derive(Clone, Copy)]
enum Shown<'a, 'p> {
    Side(&'p Meeting<'a>),
    Top(&'p Meeting<'a>),
    /// Floor or sky.
    Behind,
}

/// Neighbouring pixels that show the same.
#[derive(Clone)]
struct Run<'a, 'p> {
    shown: Shown<'a, 'p>,
    /// Where their rays meet the side, see [`Meeting`].
    nearest: f32,
    farthest: f32,
    columns: Range<usize>,
}

impl<'a, 'p> Stroke<'a, '_, '_, 'p> {
    /// Goes over all beams from left to right.
    fn beams(&mut self, panorama: &'p Panorama<'a>) {
        let (lens, line, size) = (&self.line.stage.lens, self.line, self.pixels.len());
        // The first columns that are to the right of the edges between beams.
        let per_slope = line.ahead.abs() / lens.pixel();
        let error = ROUNDINGS * lens.width() as f32;
        let middle = (lens.width() as f32 - 1.0) * 0.5 - self.start as f32;
        let edges = panorama.edges();
        for (side, error) in [-error, error].into_iter().enumerate() {
            for (column, edge) in self.edges[side].iter_mut().zip(edges[side]) {
                let place = edge * per_slope + (middle + error);
                *column = nearest(place.clamp(-0.75, size as f32 - 0.75) + 0.5);
            }
        }
        let count = edges[0].len();
        let steepness = line.up / line.ahead.abs();
        let (mut done, mut from) = (0, 0);
        for beam in 0..=count {
            let to = if beam < count { self.edges[0][beam] as usize } else { size };
            if from.max(done) < to {
                self.walk(done..from.max(done));
                match panorama.view(beam) {
                    View::Sides(sides) => self.beam(sides, steepness, from.max(done)..to),
                    View::Walk => self.walk(from.max(done)..to),
                }
                done = to;
            }
            from = self.edges[1][beam] as usize;
        }
        self.walk(done..size);
        self.flush();
    }

    /// The objects before walls, floor and sky.
    fn objects(&mut self, row: usize) {
        let (line, size) = (self.line, self.pixels.len());
        let column = |column: usize| column.saturating_sub(self.start).min(size);
        for object in line.stage.objects().filter(|object| object.covers_row(row)) {
            let (first, end) = object.columns();
            let (first, end) = (column(first), column(end));
            for from in (first..end).step_by(LANES) {
                let [easts, norths] = self.rays(from);
                let hits = object.hits(line.up, &easts, &norths);
                let near = lanes(self.near, from);
                if (0..LANES).all(|lane| hits.depth[lane] >= near[lane]) {
                    continue;
                }
                let to = end.min(from + LANES);
                for (lane, (near, pixel)) in self.near[from..to].iter_mut().zip(&mut self.pixels[from..to]).enumerate()
                {
                    if hits.depth[lane] < *near {
                        *near = hits.depth[lane];
                        *pixel = object.colour(object.part(*near * line.up), hits.light[lane] as u32);
                    }
                }
            }
        }
    }

    /// Pixels by walks of their own.
    fn walk(&mut self, columns: Range<usize>) {
        if columns.is_empty() {
            return;
        }
        self.flush();
        for column in columns {
            (self.near[column], self.pixels[column]) = self.line.pixel(self.start + column);
            self.walks += 1;
        }
    }

    /// Pixels whose rays meet the same sides, and rise by `steepness` for each unit ahead.
    fn beam(&mut self, sides: &'p [Meeting<'a>], steepness: f32, mut columns: Range<usize>) {
        let eye = self.line.stage.lens.eye[1];
        for (index, side) in sides.iter().enumerate() {
            if side.face.height < eye {
                return self.low(&sides[index..], columns);
            }
            // How much the rays may rise or sink before they are over the side or under the floor.
            let room = if steepness < 0.0 { eye } else { side.face.height - eye };
            let (first, last) = (side.nearest * steepness.abs(), side.farthest * steepness.abs());
            if last < room {
                return self.extend(Shown::Side(side), columns);
            }
            // Unless all or none of the rays meet it, those at one end do and the others do not.
            if first <= room {
                let hit = self.hit(&side.face, columns.clone());
                if hit.start > columns.start && !hit.is_empty() {
                    let rest = columns.start..hit.start;
                    self.beam(if steepness < 0.0 { &[] } else { &sides[index + 1..] }, steepness, rest);
                    return self.extend(Shown::Side(side), hit);
                }
                columns.start = hit.end.max(columns.start);
                self.extend(Shown::Side(side), hit);
            }
            if steepness < 0.0 || columns.is_empty() {
                break;
            }
        }
        self.extend(Shown::Behind, columns);
    }

    /// Pixels whose rays meet the same sides, some of them lower than the eye.
    fn low(&mut self, sides: &'p [Meeting<'a>], columns: Range<usize>) {
        let (line, stage) = (self.line, self.line.stage);
        let (eye, up) = (stage.lens.eye[1], line.up);
        for column in columns {
            let mut shown = Shown::Behind;
            for side in sides {
                let face = &side.face;
                let enter = self.depth(face.reach, face.axis(), column);
                let height = eye + enter.max(stage.plan.near) * up;
                if enter > line.until || height < 0.0 {
                    break;
                }
                if height < face.height {
                    shown = Shown::Side(side);
                    break;
                }
                let (leave, axis) = face.leave;
                let over = face.height < eye && up < 0.0;
                if over && (face.height - eye) / up <= self.depth(leave, usize::from(axis), column) {
                    shown = Shown::Top(side);
                    break;
                }
            }
            self.extend(shown, column..column + 1);
        }
    }

    /// Notes what some pixels show.
    #[inline]
    fn extend(&mut self, shown: Shown<'a, 'p>, columns: Range<usize>) {
        if columns.is_empty() {
            return;
        }
        let (mut nearest, mut farthest) = (0.0, 0.0);
        if let Shown::Side(side) = shown {
            (nearest, farthest) = (side.nearest, side.farthest);
        }
        let run = &mut self.run;
        let same = match (run.shown, shown) {
            (Shown::Side(a), Shown::Side(b)) | (Shown::Top(a), Shown::Top(b)) => a.face == b.face,
            (Shown::Behind, Shown::Behind) => true,
            _ => false,
        };
        if same && run.columns.end == columns.start {
            run.columns.end = columns.end;
            (run.nearest, run.farthest) = (run.nearest.min(nearest), run.farthest.max(farthest));
        } else {
            self.flush();
            self.run = Run { shown, nearest, farthest, columns };
        }
    }

    /// Which of some columns meet a side: all, none, or those at one end.
    fn hit(&self, face: &Face, columns: Range<usize>) -> Range<usize> {
        let (line, stage) = (self.line, self.line.stage);
        let (eye, up) = (stage.lens.eye[1], line.up);
        let hits = |column: usize| {
            let enter = self.depth(face.reach, face.axis(), column);
            let height = eye + enter.max(stage.plan.near) * up;
            enter <= line.until && height >= 0.0 && height < face.height
        };
        let (first, last) = (hits(columns.start), hits(columns.end - 1));
        if first == last {
            return if first { columns } else { columns.start..columns.start };
        }
        let (mut low, mut high) = (columns.start + 1, columns.end - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            if hits(middle) == first { low = middle + 1 } else { high = middle }
        }
        if first { columns.start..low } else { low..columns.end }
    }

    /// Where the ray of a column meets a plane so many cells off across an axis: the same number as that of a walk.
    #[inline]
    fn depth(&self, reach: f32, axis: usize, column: usize) -> f32 {
        reach * self.line.stage.plan.per_cell(self.line.ahead_by[axis] + self.rights[axis][column])
    }

    /// Draws the pixels that are known.
    fn flush(&mut self) {
        let Run { shown, nearest, farthest, columns } = self.run.clone();
        if columns.is_empty() {
            return;
        }
        self.run.columns = columns.end..columns.end;
        let (line, stage) = (self.line, self.line.stage);
        let side = match shown {
            Shown::Side(side) => side,
            Shown::Top(side) => return self.top(&side.face, columns),
            Shown::Behind => {
                self.near[columns.clone()].fill(line.depth);
                if line.up < 0.0 {
                    line.floor(self.start + columns.start, &mut self.pixels[columns]);
                } else {
                    self.sky(columns);
                }
                return;
            }
        };
        let per_ahead = 1.0 / line.ahead.abs();
        let level = stage.wall_level(nearest * per_ahead);
        if level == stage.wall_level(farthest * per_ahead) {
            return self.side(side, level, columns);
        }
        // The depth grows or shrinks from one end to the other, and the level with it.
        let level_of = |stroke: &Self, column: usize| {
            stage.wall_level(stroke.depth(side.face.reach, side.face.axis(), column).max(stage.plan.near))
        };
        let mut start = columns.start;
        while start < columns.end {
            let level = level_of(self, start);
            let (mut low, mut high) = (start + 1, columns.end);
            if level_of(self, columns.end - 1) == level {
                low = high;
            }
            while low < high {
                let middle = usize::midpoint(low, high);
                if level_of(self, middle) == level { low = middle + 1 } else { high = middle }
            }
            self.side(side, level, start..low);
            start = low;
        }
    }

    /// The side of a wall at one level of its texture.
    fn side(&mut self, side: &Meeting<'a>, level: Level, columns: Range<usize>) {
        match level {
            Level::Fine => self.texels(side, &side.look.texture.fine, columns),
            Level::Middle => self.texels(side, &side.look.texture.middle, columns),
            Level::Coarse => self.texels(side, &side.look.texture.coarse, columns),
        }
    }

    fn texels<const N: usize>(&mut self, side: &Meeting<'a>, texels: &[[u32; N]; N], columns: Range<usize>) {
        let (line, plan) = (self.line, &self.line.stage.plan);
        let axis = side.face.axis();
        let ([pace, aside], [paces, asides]) = if axis == 0 {
            (line.ahead_by, [&self.rights[0], &self.rights[1]])
        } else {
            ([line.ahead_by[1], line.ahead_by[0]], [&self.rights[1], &self.rights[0]])
        };
        let (look, reach, up, repeats) = (&side.look, side.face.reach, line.up, plan.repeats_per_unit);
        for from in columns.clone().step_by(LANES) {
            let (paces, asides) = (lanes(paces, from), lanes(asides, from));
            let (mut depths, mut across, mut down) = ([0.0; LANES], [0_u32; LANES], [0_u32; LANES]);
            for lane in 0..LANES {
                let depth = larger(reach * plan.per_cell(pace + paces[lane]), plan.near);
                let along = (look.origin + depth * (aside + asides[lane])) * look.sign;
                depths[lane] = depth;
                across[lane] = place::<N>(along * repeats);
                down[lane] = place::<N>(look.anchor + -(depth * repeats) * up);
            }
            let to = columns.end.min(from + LANES);
            *lanes_mut(self.near, from) = depths;
            for (pixel, (&u, &v)) in self.pixels[from..to].iter_mut().zip(across.iter().zip(&down)) {
                *pixel = look.tint.apply(texels[u as usize % N][v as usize % N]);
            }
        }
    }

    /// The top of a wall.
    fn top(&mut self, face: &Face, columns: Range<usize>) {
        let (line, stage) = (self.line, self.line.stage);
        let depth = (face.height - stage.lens.eye[1]) / line.up;
        self.near[columns.clone()].fill(depth);
        for column in columns {
            let level = [0, 1].map(|axis| line.ahead_by[axis] + self.rights[axis][column]);
            self.pixels[column] = stage.top_colour(face.wall, depth, level);
        }
    }

    /// The sky: [`Sky::colour`] for many rays.
    fn sky(&mut self, columns: Range<usize>) {
        let (line, sky) = (self.line, self.line.stage.sky);
        let landmarks = sky.has_landmarks();
        for from in columns.clone().step_by(LANES) {
            let [easts, norths] = self.rays(from);
            let (mut slopes, mut shades, mut places) = ([0.0; LANES], [0_u32; LANES], [0_u32; LANES]);
            for lane in 0..LANES {
                let (east, north) = (easts[lane], norths[lane]);
                let length = (east * east + north * north).sqrt();
                slopes[lane] = line.up / larger(length, 1e-6);
                shades[lane] = floor(Sky::shades(slopes[lane]));
            }
            let pixels = &mut self.pixels[from..columns.end.min(from + LANES)];
            for (pixel, shade) in pixels.iter_mut().zip(shades) {
                *pixel = sky.shade_of(shade as u8);
            }
            if landmarks && slopes.into_iter().any(Sky::may_be_landmark) {
                for lane in 0..LANES {
                    places[lane] = place::<{ Sky::BEARINGS }>(Sky::turn(easts[lane], norths[lane]));
                }
                for (lane, pixel) in pixels.iter_mut().enumerate() {
                    if let Some(colour) = sky.landmark(places[lane] as usize, slopes[lane]) {
                        *pixel = colour;
                    }
                }
            }
        }
    }

    /// The level parts of the rays from a column on.
    #[inline]
    fn rays(&self, from: usize) -> [[f32; LANES]; 2] {
        [0, 1].map(|axis| lanes(&self.rights[axis], from).map(|right| self.line.ahead_by[axis] + right))
    }
}

/// The elements of a table from a column on.
#[inline]
fn lanes(table: &[f32; ROOM], from: usize) -> &[f32; LANES] {
    table[from..].first_chunk().expect("room after the last column")
}

#[inline]
fn lanes_mut(table: &mut [f32; ROOM], from: usize) -> &mut [f32; LANES] {
    table[from..].first_chunk_mut().expect("room after the last column")
}

/// Added to a number below 2^22 it leaves the nearest integer in the lowest bits: quicker than a conversion, which looks
/// after numbers that no integer is near to.
const MAGIC: f32 = 12_582_912.0;

/// The integer nearest to a number.
#[inline]
fn nearest(number: f32) -> i32 {
    ((number + MAGIC).to_bits() as i32).wrapping_sub(MAGIC.to_bits() as i32)
}

/// Which of the `N` parts of a repetition a place counted in repetitions is in, in the lowest bits: the highest bits of
/// [`turns`](super::colour::turns), up to some ten thousand repetitions.
#[inline]
fn place<const N: usize>(number: f32) -> u32 {
    let parts = number * N as f32;
    // What is by less than a part of 2^-32 below zero is zero there.
    let least = N as f32 * -(1.0 / 4_294_967_296.0);
    let parts = if parts < 0.0 && parts > least { 0.0 } else { parts };
    floor(parts)
}

/// The greatest integer that is not above a number, in the lowest bits.
#[inline]
fn floor(number: f32) -> u32 {
    let rounded = number + MAGIC;
    rounded.to_bits().wrapping_sub(u32::from(rounded - MAGIC > number))
}
