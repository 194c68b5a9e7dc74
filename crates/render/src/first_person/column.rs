//! Drawing column by column, at pitch zero.
//!
//! Seen level, a column of pixels stands over one line of the floor plan, so that one walk over the grid serves all its
//! pixels, and a row of pixels sees the floor at one depth. Three passes over some columns at a time: the first wall of
//! each column, which says where its floor ends; the floor, row by row in integer steps; walls, sky and objects, column
//! by column.

use crate::first_person::colour::{Tint, turns};
use crate::first_person::object::{Placed, Slice};
use crate::first_person::sky::Sky;
use crate::first_person::stage::Stage;
use crate::first_person::texture::{Level, Texture};
use crate::first_person::walk::{Stretch, Walk};

/// The largest side of a picture drawn this way: the depths of a column are kept on the stack.
pub(super) const MAX_SIDE: usize = 1024;

/// Columns drawn together.
const CHUNK: usize = 128;

/// A column after the first pass.
#[derive(Clone, Copy)]
struct Column {
    ray: [f32; 2],
    walk: Walk,
    first: Option<Stretch>,
    /// The first row of the floor in front of the first wall.
    floor: usize,
}

/// Draws the picture, and the depth of each pixel if that is asked for.
pub(super) fn draw(stage: &Stage<'_>, pixels: &mut [[u8; 3]], mut depths: Option<&mut [f32]>) {
    let (lens, width) = (&stage.lens, stage.lens.width());
    let mut depth = [f32::INFINITY; MAX_SIDE];
    let depth = &mut depth[..lens.height()];
    let mut columns = [look(stage, 0); CHUNK];
    let mut floors = [0; CHUNK];
    for start in (0..width).step_by(CHUNK) {
        let size = CHUNK.min(width - start);
        let (columns, floors) = (&mut columns[..size], &mut floors[..size]);
        for (index, (column, floor)) in columns.iter_mut().zip(&mut *floors).enumerate() {
            *column = look(stage, start + index);
            *floor = column.floor as u16;
        }
        floor(stage, floors, start, pixels);
        for (index, column) in columns.iter_mut().enumerate() {
            let x = start + index;
            let crowded = stage.objects().any(|object| object.covers_column(x));
            let wanted = crowded || depths.is_some();
            let mut painter = Painter { stage, pixels: &mut *pixels, x, width, depth: &mut *depth, wanted };
            painter.scenery(column);
            if crowded {
                for object in stage.objects().filter(|object| object.covers_column(x)) {
                    painter.object(object, column.ray);
                }
            }
            if let Some(depths) = &mut depths {
                for (row, &depth) in depth.iter().enumerate() {
                    depths[row * width + x] = depth;
                }
            }
        }
    }
}

/// The first pass: where the first wall of a column is.
fn look(stage: &Stage<'_>, x: usize) -> Column {
    let lens = &stage.lens;
    let ray = lens.level_ray(lens.right_slope(x));
    let mut walk = Walk::new(&stage.plan, ray[0], ray[1]);
    let first = walk.next(&stage.plan, f32::INFINITY);
    let depth = first.map_or(f32::INFINITY, |stretch| stretch.enter.max(stage.plan.near));
    Column { ray, walk, first, floor: floor_row(stage, depth) }
}

/// The first row that sees the floor nearer than `depth`.
fn floor_row(stage: &Stage<'_>, depth: f32) -> usize {
    stage.lens.rows_above(-stage.lens.eye[1] / depth)
}

/// The second pass: the floor in front of the first walls. `floors` has the first row of the floor in each column.
fn floor(stage: &Stage<'_>, floors: &[u16], start: usize, pixels: &mut [[u8; 3]]) {
    let (lens, width) = (&stage.lens, stage.lens.width());
    let first = usize::from(floors.iter().copied().min().unwrap_or(0));
    let (from, next) = (lens.level_ray(lens.right_slope(start)), lens.level_ray(lens.right_slope(start + 1)));
    let step = [next[0] - from[0], next[1] - from[1]];
    for row in first..lens.height() {
        let depth = -lens.eye[1] / lens.up_slope(row);
        let (texture, tint, level) = stage.floor_look(depth);
        let line = Line { place: stage.floor_place(depth, from), step: stage.floor_step(depth, step), tint };
        let (row, pixels) = (row as u16, &mut pixels[row * width + start..][..floors.len()]);
        match level {
            Level::Fine => line.draw(&texture.fine, floors, row, pixels),
            Level::Middle => line.draw(&texture.middle, floors, row, pixels),
            Level::Coarse => line.draw(&texture.coarse, floors, row, pixels),
        }
    }
}

/// A row of the floor: where it starts in a repetition of the texture, and how far a pixel is.
struct Line {
    place: [u32; 2],
    step: [u32; 2],
    tint: Tint,
}

impl Line {
    #[inline]
    fn draw<const N: usize>(&self, texels: &[[u32; N]; N], floors: &[u16], row: u16, pixels: &mut [[u8; 3]]) {
        let ([mut u, mut v], [across, down], tint) = (self.place, self.step, self.tint);
        let shift = 32 - N.ilog2();
        for (pixel, &floor) in pixels.iter_mut().zip(floors) {
            if floor <= row {
                *pixel = tint.apply(texels[(u >> shift) as usize][(v >> shift) as usize]);
            }
            u = u.wrapping_add(across);
            v = v.wrapping_add(down);
        }
    }
}

/// One column of the picture while it is drawn.
struct Painter<'a, 'b> {
    stage: &'b Stage<'a>,
    pixels: &'b mut [[u8; 3]],
    x: usize,
    width: usize,
    depth: &'b mut [f32],
    /// Somebody will look at the depths.
    wanted: bool,
}

impl Painter<'_, '_> {
    fn set(&mut self, row: usize, colour: [u8; 3]) {
        self.pixels[row * self.width + self.x] = colour;
    }

    /// The pixels of some rows.
    fn rows(&mut self, from: usize, to: usize) -> impl Iterator<Item = &mut [u8; 3]> {
        let x = self.x;
        let rows = if from < to { &mut self.pixels[from * self.width..to * self.width] } else { &mut [] };
        rows.chunks_exact_mut(self.width).map(move |row| &mut row[x])
    }

    /// The third pass without the objects: walls from near to far, then the sky.
    fn scenery(&mut self, column: &mut Column) {
        let (stage, plan) = (self.stage, &self.stage.plan);
        let (eye, horizon) = (stage.lens.eye[1], stage.lens.rows_above(0.0));
        // Rows from here down are done.
        let mut done = column.floor;
        if self.wanted {
            for row in done..self.depth.len() {
                self.depth[row] = -eye / stage.lens.up_slope(row);
            }
        }
        let mut next = column.first;
        while let Some(stretch) = next {
            let enter = stretch.enter.max(plan.near);
            let floor = floor_row(stage, enter);
            self.far_floor(floor, done, column.ray);
            done = done.min(floor);
            if !stretch.inside {
                let top = stage.lens.rows_above((stretch.height - eye) / enter);
                self.wall(&stretch, enter, top, done, column.ray);
                done = done.min(top);
            }
            if stretch.height < eye {
                let top = stage.lens.rows_above((stretch.height - eye) / stretch.leave.max(enter));
                self.top(&stretch, top, done, column.ray);
                done = done.min(top);
            }
            // What is farther is at most as steep as the highest wall would be here.
            if done <= stage.lens.rows_above((plan.tallest - eye) / enter).min(horizon) {
                break;
            }
            next = column.walk.next(plan, f32::INFINITY);
        }
        self.far_floor(horizon, done, column.ray);
        self.sky(done.min(horizon), column.ray);
    }

    /// The floor behind a low wall, from row `from` to row `to`.
    fn far_floor(&mut self, from: usize, to: usize, ray: [f32; 2]) {
        for row in from..to {
            let depth = -self.stage.lens.eye[1] / self.stage.lens.up_slope(row);
            self.set(row, self.stage.floor_colour(depth, ray));
            self.depth[row] = depth;
        }
    }

    /// The side of a wall.
    fn wall(&mut self, stretch: &Stretch, depth: f32, from: usize, to: usize, ray: [f32; 2]) {
        if from >= to {
            return;
        }
        let stage = self.stage;
        let (place, per_slope) = stage.wall_v(stretch, depth);
        let v = turns(place + per_slope * stage.lens.up_slope(from));
        let step = turns(-per_slope * stage.lens.pixel());
        let u = stage.wall_u(stretch, depth, ray);
        let (texture, tint): (&Texture, Tint) = (stage.texture(stretch), Stage::wall_tint(stretch));
        match stage.wall_level(depth) {
            Level::Fine => self.texels(&texture.fine[(u >> 26) as usize], tint, v, step, from, to),
            Level::Middle => self.texels(&texture.middle[(u >> 27) as usize], tint, v, step, from, to),
            Level::Coarse => self.texels(&texture.coarse[(u >> 28) as usize], tint, v, step, from, to),
        }
        if self.wanted {
            self.depth[from..to].fill(depth);
        }
    }

    fn texels<const N: usize>(&mut self, texels: &[u32; N], tint: Tint, v: u32, step: u32, from: usize, to: usize) {
        let mut v = v;
        for pixel in self.rows(from, to) {
            *pixel = tint.apply(texels[(v >> (32 - N.ilog2())) as usize]);
            v = v.wrapping_add(step);
        }
    }

    /// The top of a wall below the eye.
    fn top(&mut self, stretch: &Stretch, from: usize, to: usize, ray: [f32; 2]) {
        for row in from..to {
            let depth = (stretch.height - self.stage.lens.eye[1]) / self.stage.lens.up_slope(row);
            self.set(row, self.stage.top_colour(stretch.wall, depth, ray));
            self.depth[row] = depth;
        }
    }

    /// The sky in the rows above `to`.
    fn sky(&mut self, to: usize, [east, north]: [f32; 2]) {
        let (stage, lens) = (self.stage, &self.stage.lens);
        let length = (east * east + north * north).sqrt();
        let mut clear = to;
        if let Some(line) = stage.sky.skyline(east, north) {
            let hill = lens.rows_above(line.hill * length).min(to);
            self.rows(hill, to).for_each(|pixel| *pixel = line.hill_colour.0);
            clear = hill;
            let (top, end) = (lens.rows_above(line.sun[1] * length), lens.rows_above(line.sun[0] * length));
            self.gradient(0, top.min(clear), length);
            self.rows(top.min(clear), end.min(clear)).for_each(|pixel| *pixel = Sky::SUN_COLOUR.0);
            self.gradient(end.min(clear), clear, length);
        } else {
            self.gradient(0, clear, length);
        }
        if self.wanted {
            self.depth[..to].fill(f32::INFINITY);
        }
    }

    fn gradient(&mut self, from: usize, to: usize, length: f32) {
        let (stage, inverse) = (self.stage, 1.0 / length);
        let mut steps = Sky::steps(stage.lens.up_slope(from) * inverse);
        let step = Sky::steps(stage.lens.pixel() * inverse);
        for pixel in self.rows(from, to) {
            *pixel = stage.sky.shade(steps);
            steps -= step;
        }
    }

    fn object(&mut self, object: &Placed, ray: [f32; 2]) {
        if let Some(slice) = object.slice(ray) {
            self.cuboid(object, &slice);
        } else if let Some((low, high)) = object.ball_slopes(ray) {
            let (first, end) = object.rows();
            let lens = &self.stage.lens;
            for row in lens.rows_above(high).max(first)..lens.rows_above(low).min(end) {
                if let Some((depth, colour)) = object.hit([ray[0], lens.up_slope(row), ray[1]])
                    && depth < self.depth[row]
                {
                    self.set(row, colour);
                    self.depth[row] = depth;
                }
            }
        }
    }

    fn cuboid(&mut self, object: &Placed, slice: &Slice) {
        let lens = &self.stage.lens;
        let [side, bottom, top] = slice.lights;
        let rows = |height: f32, depth: f32| lens.rows_above(height / depth);
        if slice.outside {
            for row in rows(slice.top, slice.enter)..rows(slice.bottom, slice.enter) {
                let part = slice.part(slice.enter * lens.up_slope(row));
                self.nearer(row, slice.enter, object.colour(part, side));
            }
        }
        if slice.top < 0.0 {
            for row in rows(slice.top, slice.leave)..rows(slice.top, slice.enter) {
                self.nearer(row, slice.top / lens.up_slope(row), object.colour(1.0, top));
            }
        }
        if slice.bottom > 0.0 {
            for row in rows(slice.bottom, slice.enter)..rows(slice.bottom, slice.leave) {
                self.nearer(row, slice.bottom / lens.up_slope(row), object.colour(0.0, bottom));
            }
        }
    }

    fn nearer(&mut self, row: usize, depth: f32, colour: [u8; 3]) {
        if depth < self.depth[row] {
            self.set(row, colour);
            self.depth[row] = depth;
        }
    }
}
