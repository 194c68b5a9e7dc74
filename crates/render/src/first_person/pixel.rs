//! Drawing pixel by pixel, at any pitch: one ray each over the same grid.
//!
//! However the eye is tilted, a row of pixels looks down at one angle, so that it sees the floor at one depth. Where its
//! rays meet walls, a [`Fan`] knows what most of them meet without a walk for each.

use std::ops::Range;

use crate::first_person::colour::{Tint, turns};
use crate::first_person::fan::{EDGE, Fan, Notes};
use crate::first_person::stage::Stage;
use crate::first_person::texture::{Level, Texture};
use crate::first_person::walk::{Mark, Stretch, Walk};

/// Columns drawn together: their depths are kept on the stack.
const CHUNK: usize = 256;

/// Draws every pixel by a ray of its own, and its depth if that is asked for. Returns the walks over the grid that it took.
pub(super) fn draw(stage: &Stage<'_>, pixels: &mut [[u8; 3]], depths: Option<&mut [f32]>) -> usize {
    let mut fan = Fan::new(&stage.plan, stage.lens.ahead(), stage.lens.eye[1]);
    draw_with(stage, fan.as_mut(), pixels, depths)
}

/// The same with a walk for each pixel if there is no fan.
pub(super) fn draw_with(
    stage: &Stage<'_>,
    mut fan: Option<&mut Fan<'_, '_>>,
    pixels: &mut [[u8; 3]],
    mut depths: Option<&mut [f32]>,
) -> usize {
    let width = stage.lens.width();
    let mut walks = 0;
    let mut near = [f32::INFINITY; CHUNK];
    for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
        let line = Line::new(stage, stage.lens.up_slope(row));
        for (part, pixels) in pixels.chunks_mut(CHUNK).enumerate() {
            let from = part * CHUNK;
            let mut stroke = Stroke { line: &line, from, pixels, near: &mut near };
            walks += stroke.scenery(fan.as_deref_mut());
            stroke.objects(row);
            if let Some(depths) = &mut depths {
                let count = stroke.pixels.len();
                depths[row * width + from..][..count].copy_from_slice(&near[..count]);
            }
        }
    }
    walks + fan.map_or(0, |fan| fan.walks)
}

/// A part of a row of pixels while it is drawn.
struct Stroke<'a, 'b, 'c> {
    line: &'c Line<'a, 'b>,
    /// The column of the first.
    from: usize,
    pixels: &'c mut [[u8; 3]],
    /// The depths of the pixels.
    near: &'c mut [f32; CHUNK],
}

impl Stroke<'_, '_, '_> {
    /// Walls, floor and sky. Returns the walks that it took.
    fn scenery(&mut self, mut fan: Option<&mut Fan<'_, '_>>) -> usize {
        let (line, end) = (self.line, self.from + self.pixels.len());
        let find = |fan: &mut Option<&mut Fan<'_, '_>>, column: usize| {
            let right = line.stage.lens.right_slope(column);
            fan.as_mut().map_or(EDGE, |fan| fan.find(right, line.ahead, right * line.per_ahead))
        };
        let (mut walks, mut column) = (0, self.from);
        let mut known = find(&mut fan, column);
        while column < end {
            let mut next = column + 1;
            let mut other = EDGE;
            while next < end {
                other = find(&mut fan, next);
                if other != known || known == EDGE {
                    break;
                }
                next += 1;
            }
            match &fan {
                Some(fan) if known != EDGE => self.span(&fan.notes(known), column..next),
                _ => {
                    walks += 1;
                    self.walk(column);
                }
            }
            (column, known) = (next, other);
        }
        walks
    }

    fn put(&mut self, column: usize, (depth, colour): (f32, [u8; 3])) {
        self.pixels[column - self.from] = colour;
        self.near[column - self.from] = depth;
    }

    /// A pixel by a walk of its own.
    fn walk(&mut self, column: usize) {
        let (line, plan) = (self.line, &self.line.stage.plan);
        let level = line.level(column);
        let mut walk = Walk::new(plan, level[0], level[1]);
        let seen = line.first(std::iter::from_fn(|| walk.next(plan, line.until).map(Some)));
        self.put(column, line.colour(seen.as_ref(), level, column));
    }

    /// Pixels whose rays meet the same things.
    fn span(&mut self, notes: &Notes<'_>, columns: Range<usize>) {
        let (line, plan) = (self.line, &self.line.stage.plan);
        if !notes.upright {
            for column in columns {
                let level = line.level(column);
                let seen = line.first(notes.marks.iter().map_while(|mark| mark.stretch(plan, level, line.until)));
                self.put(column, line.colour(seen.as_ref(), level, column));
            }
            return;
        }
        let mut rest = columns;
        for mark in notes.marks.iter().filter(|mark| !mark.passes()) {
            // The pace grows or shrinks from one end to the other, so that rays at one end hit and the others do not.
            let least = mark.least_pace(line.up, line.stage.lens.eye[1]);
            let hits = |column: usize| mark.pace(plan, line.level(column)) > least;
            let border = |hits: &dyn Fn(usize) -> bool| {
                let (mut low, mut high) = (rest.start, rest.end);
                while low < high {
                    let middle = usize::midpoint(low, high);
                    if hits(middle) { low = middle + 1 } else { high = middle }
                }
                low
            };
            let hit = match (hits(rest.start), hits(rest.end - 1)) {
                (true, true) => std::mem::replace(&mut rest, 0..0),
                (false, false) => continue,
                (true, false) => {
                    let border = border(&hits);
                    let hit = rest.start..border;
                    rest.start = border;
                    hit
                }
                (false, true) => {
                    let border = border(&|column| !hits(column));
                    let hit = border..rest.end;
                    rest.end = border;
                    hit
                }
            };
            self.wall(mark, hit);
            if rest.is_empty() {
                return;
            }
        }
        self.behind(rest);
    }

    /// The side of an upright wall.
    fn wall(&mut self, mark: &Mark, columns: Range<usize>) {
        let (line, stage) = (self.line, self.line.stage);
        let side = mark.side(&stage.plan, line.level(columns.start));
        let (texture, tint) = (stage.texture(&side), Stage::wall_tint(&side));
        let near = stage.plan.near;
        let range = columns.start - self.from..columns.end - self.from;
        let places = self.pixels[range.clone()].iter_mut().zip(&mut self.near[range]);
        for (column, (pixel, to)) in columns.zip(places) {
            let level = line.level(column);
            let depth = mark.depth(mark.pace(&stage.plan, level)).max(near);
            let (place, per_slope) = stage.wall_v(&side, depth);
            let (u, v) = (stage.wall_u(&side, depth, level), turns(place + per_slope * line.up));
            (*pixel, *to) = (tint.apply(texture.sample(stage.wall_level(depth), u, v)), depth);
        }
    }

    /// Floor or sky.
    fn behind(&mut self, columns: Range<usize>) {
        let line = self.line;
        let range = columns.start - self.from..columns.end - self.from;
        self.near[range.clone()].fill(line.depth);
        if line.up < 0.0 {
            let (texture, _, coarse) = line.look;
            match coarse {
                Level::Fine => line.floor(&texture.fine, columns.start, &mut self.pixels[range]),
                Level::Middle => line.floor(&texture.middle, columns.start, &mut self.pixels[range]),
                Level::Coarse => line.floor(&texture.coarse, columns.start, &mut self.pixels[range]),
            }
        } else {
            for (column, pixel) in columns.zip(&mut self.pixels[range]) {
                *pixel = line.sky(line.level(column));
            }
        }
    }

    /// The objects before all that.
    fn objects(&mut self, row: usize) {
        let line = self.line;
        for object in line.stage.objects().filter(|object| object.covers_row(row)) {
            let (first, end) = object.columns();
            for column in first.max(self.from)..end.min(self.from + self.pixels.len()) {
                let [east, north] = line.level(column);
                if let Some((depth, colour)) = object.hit([east, line.up, north])
                    && depth < self.near[column - self.from]
                {
                    self.put(column, (depth, colour));
                }
            }
        }
    }
}

/// A row of pixels.
struct Line<'a, 'b> {
    stage: &'b Stage<'a>,
    /// The slope upwards in the picture, and the part of the rays that goes up.
    slope: f32,
    up: f32,
    /// The part of the rays that goes ahead, and one by it.
    ahead: f32,
    per_ahead: f32,
    /// The depth at which the rays meet the floor, infinite if they do not; how it looks there; the place of the first
    /// pixel within a repetition of its texture, and how far it is to the next.
    depth: f32,
    look: (&'a Texture, Tint, Level),
    place: [u32; 2],
    step: [u32; 2],
    /// Beyond this the rays are under the floor or above all walls.
    until: f32,
}

/// The part of a wall that a ray meets.
struct Seen {
    stretch: Stretch,
    depth: f32,
    /// It is the top.
    top: bool,
}

impl<'a, 'b> Line<'a, 'b> {
    fn new(stage: &'b Stage<'a>, slope: f32) -> Self {
        let lens = &stage.lens;
        let level = |column: usize| {
            let [east, _, north] = lens.ray(lens.right_slope(column), slope);
            [east, north]
        };
        let (eye, up, ahead) = (lens.eye[1], lens.ray(0.0, slope)[1], lens.forward(slope));
        let depth = if up < 0.0 { -eye / up } else { f32::INFINITY };
        let until = if up > 0.0 { (stage.plan.tallest - eye) / up } else { depth };
        let (first, second) = (level(0), level(1));
        let across = [second[0] - first[0], second[1] - first[1]];
        Self {
            stage,
            slope,
            up,
            ahead,
            per_ahead: 1.0 / ahead,
            depth,
            look: stage.floor_look(depth),
            place: stage.floor_place(depth, first),
            step: stage.floor_step(depth, across),
            until,
        }
    }

    /// What a ray meets of the walls on its way, in order.
    #[inline]
    fn first(&self, walls: impl Iterator<Item = Option<Stretch>>) -> Option<Seen> {
        let up = self.up;
        let (eye, plan) = (self.stage.lens.eye[1], &self.stage.plan);
        for stretch in walls.flatten() {
            let enter = stretch.enter.max(plan.near);
            let height = eye + enter * up;
            if height < 0.0 || (up >= 0.0 && height >= plan.tallest) {
                return None;
            }
            if height < stretch.height && !stretch.inside {
                return Some(Seen { stretch, depth: enter, top: false });
            }
            if stretch.height < eye && up < 0.0 {
                let depth = (stretch.height - eye) / up;
                if depth <= stretch.leave {
                    return Some(Seen { stretch, depth, top: true });
                }
            }
        }
        None
    }

    /// The level part of a ray.
    #[inline]
    fn level(&self, column: usize) -> [f32; 2] {
        let lens = &self.stage.lens;
        let [east, _, north] = lens.ray(lens.right_slope(column), self.slope);
        [east, north]
    }

    /// The depth and the colour of what a ray meets.
    fn colour(&self, seen: Option<&Seen>, level: [f32; 2], column: usize) -> (f32, [u8; 3]) {
        let stage = self.stage;
        let Some(Seen { stretch, depth, top }) = seen else {
            if self.up >= 0.0 {
                return (self.depth, self.sky(level));
            }
            let ((texture, tint, coarse), [u, v]) = (self.look, self.place_of(column));
            return (self.depth, tint.apply(texture.sample(coarse, u, v)));
        };
        if *top {
            return (*depth, stage.top_colour(stretch, *depth, level));
        }
        let (place, per_slope) = stage.wall_v(stretch, *depth);
        let (u, v) = (stage.wall_u(stretch, *depth, level), turns(place + per_slope * self.up));
        let texel = stage.texture(stretch).sample(stage.wall_level(*depth), u, v);
        (*depth, Stage::wall_tint(stretch).apply(texel))
    }

    /// The place of the floor in a column within a repetition of its texture.
    fn place_of(&self, column: usize) -> [u32; 2] {
        let steps = column as u32;
        [0, 1].map(|axis| self.place[axis].wrapping_add(self.step[axis].wrapping_mul(steps)))
    }

    /// The floor from a column on.
    #[inline]
    fn floor<const N: usize>(&self, texels: &[[u32; N]; N], column: usize, pixels: &mut [[u8; 3]]) {
        let ([mut u, mut v], tint, shift) = (self.place_of(column), self.look.1, 32 - N.ilog2());
        for pixel in pixels {
            *pixel = tint.apply(texels[(u >> shift) as usize][(v >> shift) as usize]);
            (u, v) = (u.wrapping_add(self.step[0]), v.wrapping_add(self.step[1]));
        }
    }

    /// The colour of the sky.
    #[inline]
    fn sky(&self, [east, north]: [f32; 2]) -> [u8; 3] {
        let length = (east * east + north * north).sqrt();
        self.stage.sky.colour(east, north, self.up / length.max(1e-6))
    }
}
