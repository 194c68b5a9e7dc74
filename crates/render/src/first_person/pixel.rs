//! One ray for each pixel, at any pitch: what all quicker ways of drawing are held against.

use crate::first_person::colour::{Tint, turns};
use crate::first_person::stage::Stage;
use crate::first_person::texture::{Level, Texture};
use crate::first_person::walk::{Stretch, Walk};

/// Draws every pixel, and its depth, by a ray of its own.
#[cfg(test)]
pub(super) fn draw(stage: &Stage<'_>, pixels: &mut [[u8; 3]], depths: &mut [f32]) {
    let width = stage.lens.width();
    for row in 0..stage.lens.height() {
        let line = Line::new(stage, stage.lens.up_slope(row));
        for column in 0..width {
            let (mut depth, mut colour) = line.pixel(column);
            let [east, north] = line.level(column);
            for object in stage.objects() {
                if let Some(hit) = object.hit([east, line.up, north])
                    && hit.0 < depth
                {
                    (depth, colour) = hit;
                }
            }
            (depths[row * width + column], pixels[row * width + column]) = (depth, colour);
        }
    }
}

/// A row of pixels.
///
/// However the eye is tilted, a row looks down at one angle, so that it sees the floor at one depth.
pub(super) struct Line<'a, 'b> {
    pub(super) stage: &'b Stage<'a>,
    /// The slope upwards in the picture, and the part of the rays that goes up.
    slope: f32,
    pub(super) up: f32,
    /// The part of the rays that goes ahead, and its parts to the east and to the north.
    pub(super) ahead: f32,
    pub(super) ahead_by: [f32; 2],
    /// The depth at which the rays meet the floor, infinite if they do not; how it looks there; the place of the first
    /// pixel within a repetition of its texture, and how far it is to the next.
    pub(super) depth: f32,
    look: (&'a Texture, Tint, Level),
    place: [u32; 2],
    step: [u32; 2],
    /// Beyond this the rays are under the floor or above all walls.
    pub(super) until: f32,
}

/// The part of a wall that a ray meets.
struct Seen {
    stretch: Stretch,
    depth: f32,
    /// It is the top.
    top: bool,
}

impl<'a, 'b> Line<'a, 'b> {
    pub(super) fn new(stage: &'b Stage<'a>, slope: f32) -> Self {
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
            ahead_by: lens.ahead().map(|part| part * ahead),
            depth,
            look: stage.floor_look(depth),
            place: stage.floor_place(depth, first),
            step: stage.floor_step(depth, across),
            until,
        }
    }

    /// The depth and the colour of walls, floor or sky in a column, by a walk over the grid.
    pub(super) fn pixel(&self, column: usize) -> (f32, [u8; 3]) {
        let (level, plan) = (self.level(column), &self.stage.plan);
        let mut walk = Walk::new(plan, level[0], level[1]);
        let seen = self.first(std::iter::from_fn(|| walk.next(plan, self.until)));
        self.colour(seen.as_ref(), level, column)
    }

    /// What a ray meets of the walls on its way, in order.
    #[inline]
    fn first(&self, walls: impl Iterator<Item = Stretch>) -> Option<Seen> {
        let up = self.up;
        let (eye, plan) = (self.stage.lens.eye[1], &self.stage.plan);
        for stretch in walls {
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
    pub(super) fn level(&self, column: usize) -> [f32; 2] {
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
            return (*depth, stage.top_colour(stretch.wall, *depth, level));
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
    pub(super) fn floor(&self, column: usize, pixels: &mut [[u8; 3]]) {
        let (texture, _, coarse) = self.look;
        match coarse {
            Level::Fine => self.tiles(&texture.fine, column, pixels),
            Level::Middle => self.tiles(&texture.middle, column, pixels),
            Level::Coarse => self.tiles(&texture.coarse, column, pixels),
        }
    }

    #[inline]
    fn tiles<const N: usize>(&self, texels: &[[u32; N]; N], column: usize, pixels: &mut [[u8; 3]]) {
        let ([mut u, mut v], tint, shift) = (self.place_of(column), self.look.1, 32 - N.ilog2());
        for pixel in pixels {
            *pixel = tint.apply(texels[(u >> shift) as usize][(v >> shift) as usize]);
            (u, v) = (u.wrapping_add(self.step[0]), v.wrapping_add(self.step[1]));
        }
    }

    /// The colour of the sky.
    fn sky(&self, [east, north]: [f32; 2]) -> [u8; 3] {
        let length = (east * east + north * north).sqrt();
        self.stage.sky.colour(east, north, self.up / length.max(1e-6))
    }
}
