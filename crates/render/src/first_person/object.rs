//! Balls and boxes, made ready for a picture.

use crate::Rgb;
use crate::first_person::colour::lit;
use crate::first_person::lens::{Lens, finite, larger, smaller};
use crate::first_person::{Object, Paint, Shape};

/// Where the light comes from: east, up, north. Its length is one, and no two sides of a box that meet are lit alike.
const LIGHT: [f32; 3] = [6.0 / 11.0, 9.0 / 11.0, 2.0 / 11.0];

/// The light on a surface is `MEAN + SWING * cosine` in 256ths. The swing is small enough that a colour in the shade is
/// still nearer to itself than to any other that the tasks use, and large enough to tell the sides of a box apart.
const MEAN: f32 = 248.0;
const SWING: f32 = 32.0;

/// Rings on an object from bottom to top.
const RINGS: f32 = 6.0;

/// The least distance at which an object is drawn, in parts of its size.
const NEAR: f32 = 1e-5;

/// An object as one camera sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// From the middle to the eye: along its own x, up, along its own z.
    from: [f32; 3],
    /// Sine and cosine of its turn.
    turn: [f32; 2],
    body: Body,
    paint: Paint,
    near: f32,
    /// The rectangle of pixels outside which it is not seen: first and end.
    columns: (usize, usize),
    rows: (usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Ball { radius: f32 },
    Cuboid { half: [f32; 3], lights: Faces },
}

/// The light on the sides of a box: west and east, bottom and top, south and north of its own.
type Faces = [[u32; 2]; 3];

/// Where rays first meet an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hits<const N: usize> {
    /// The depth, infinite for rays that do not meet it.
    pub(super) depth: [f32; N],
    /// The light there: nothing in particular for those.
    pub(super) light: [f32; N],
}

/// What a column of pixels meets of a box: the side, and between which depths it is over or under the box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) enter: f32,
    pub(super) leave: f32,
    /// The eye is outside the footprint, so that a side may be seen.
    pub(super) outside: bool,
    /// The height of the lower and upper faces above the eye.
    pub(super) bottom: f32,
    pub(super) top: f32,
    /// The light on the side, the bottom and the top.
    pub(super) lights: [u32; 3],
}

impl Slice {
    /// How far up the box a height above the eye is, from 0 at the bottom to 1 at the top.
    pub(super) fn part(&self, height: f32) -> f32 {
        (height - self.bottom) / (self.top - self.bottom)
    }
}

impl Placed {
    /// Makes an object ready; `None` if it has no size or cannot be in the picture.
    pub(super) fn new(object: &Object, lens: &Lens) -> Option<Self> {
        let centre = [object.x, object.y, object.z];
        if !centre.into_iter().all(f32::is_finite) {
            return None;
        }
        let centre = centre.map(finite);
        let from: [f32; 3] = std::array::from_fn(|axis| lens.eye[axis] - centre[axis]);
        match object.shape {
            Shape::Sphere { radius } => {
                let radius = finite(radius);
                let (columns, rows) = (radius > 0.0).then(|| ball_bounds(lens, centre, radius))??;
                let (body, near) = (Body::Ball { radius }, radius * NEAR);
                Some(Self { from, turn: [0.0, 1.0], body, paint: object.paint, near, columns, rows })
            }
            Shape::Box { half, yaw } => {
                let half = half.map(finite);
                let (sine, cosine) = libm::sincosf(finite(yaw));
                let sized = half.iter().all(|&side| side > 0.0);
                let (columns, rows) = sized.then(|| box_bounds(lens, centre, half, [sine, cosine]))??;
                let [light_x, light_z] = turned(LIGHT[0], LIGHT[2], [sine, cosine]);
                let lights = [light_x, LIGHT[1], light_z].map(|part| [light(-part), light(part)]);
                let [x, z] = turned(from[0], from[2], [sine, cosine]);
                let near = half.into_iter().fold(f32::INFINITY, f32::min) * NEAR;
                let (from, body) = ([x, from[1], z], Body::Cuboid { half, lights });
                Some(Self { from, turn: [sine, cosine], body, paint: object.paint, near, columns, rows })
            }
        }
    }

    pub(super) fn covers_column(&self, column: usize) -> bool {
        self.columns.0 <= column && column < self.columns.1
    }

    pub(super) fn covers_row(&self, row: usize) -> bool {
        self.rows.0 <= row && row < self.rows.1
    }

    pub(super) fn columns(&self) -> (usize, usize) {
        self.columns
    }

    pub(super) fn rows(&self) -> (usize, usize) {
        self.rows
    }

    /// Where a ray first meets the object, and the colour there. From within, nothing is seen.
    pub(super) fn hit(&self, ray: [f32; 3]) -> Option<(f32, [u8; 3])> {
        match self.body {
            Body::Ball { radius } => self.ball_hit(radius, ray),
            Body::Cuboid { half, lights } => {
                let (depth, up, light) = self.box_hit(half, &lights, ray)?;
                Some((depth, self.colour(up, light)))
            }
        }
    }

    /// The same as [`Placed::hit`] for rays side by side that rise alike: in loops without branches.
    #[inline]
    pub(super) fn hits<const N: usize>(&self, up: f32, easts: &[f32; N], norths: &[f32; N]) -> Hits<N> {
        match self.body {
            Body::Ball { radius } => self.ball_hits(radius, up, easts, norths),
            Body::Cuboid { half, lights } => self.box_hits(half, &lights, up, easts, norths),
        }
    }

    /// How far up the object a point at some height over the eye is, from 0 at the bottom to 1 at the top.
    pub(super) fn part(&self, height: f32) -> f32 {
        let (Body::Ball { radius: half } | Body::Cuboid { half: [_, half, _], .. }) = self.body;
        ((self.from[1] + height) / half + 1.0) * 0.5
    }

    #[inline]
    fn ball_hits<const N: usize>(&self, radius: f32, y: f32, easts: &[f32; N], norths: &[f32; N]) -> Hits<N> {
        let [from_x, from_y, from_z] = self.from;
        let mut hits = Hits { depth: [0.0; N], light: [0.0; N] };
        for lane in 0..N {
            let (x, z) = (easts[lane], norths[lane]);
            let inverse = 1.0 / (x * x + y * y + z * z);
            let closest = -(from_x * x + from_y * y + from_z * z) * inverse;
            let (side, up, ahead) = (from_x + closest * x, from_y + closest * y, from_z + closest * z);
            let within = radius * radius - (side * side + up * up + ahead * ahead);
            let depth = closest - (larger(within, 0.0) * inverse).sqrt();
            let up = from_y + depth * y;
            let cosine = (LIGHT[0] * (from_x + depth * x) + LIGHT[1] * up + LIGHT[2] * (from_z + depth * z)) / radius;
            hits.depth[lane] = if within > 0.0 && depth > self.near { depth } else { f32::INFINITY };
            hits.light[lane] = MEAN + SWING * cosine;
        }
        hits
    }

    #[inline]
    fn box_hits<const N: usize>(
        &self,
        half: [f32; 3],
        lights: &Faces,
        y: f32,
        easts: &[f32; N],
        norths: &[f32; N],
    ) -> Hits<N> {
        let mut hits = Hits { depth: [0.0; N], light: [0.0; N] };
        let (y_in, y_out, rises) = slab(self.from[1], half[1], y);
        let lights = lights.map(|pair| pair.map(|light| light as f32));
        let y_light = lights[1][usize::from(!rises)];
        for lane in 0..N {
            let [x, z] = turned(easts[lane], norths[lane], self.turn);
            let (x_in, x_out) = between(self.from[0], half[0], x);
            let (z_in, z_out) = between(self.from[2], half[2], z);
            let x_light = if x >= 0.0 { lights[0][0] } else { lights[0][1] };
            let z_light = if z >= 0.0 { lights[2][0] } else { lights[2][1] };
            let light = if y_in > x_in { y_light } else { x_light };
            let enter = larger(y_in, x_in);
            let light = if z_in > enter { z_light } else { light };
            let enter = larger(z_in, enter);
            let leave = smaller(smaller(x_out, z_out), y_out);
            hits.depth[lane] = if enter < leave && enter > self.near { enter } else { f32::INFINITY };
            hits.light[lane] = light;
        }
        hits
    }

    fn ball_hit(&self, radius: f32, [x, y, z]: [f32; 3]) -> Option<(f32, [u8; 3])> {
        let [from_x, from_y, from_z] = self.from;
        let inverse = 1.0 / (x * x + y * y + z * z);
        let closest = -(from_x * x + from_y * y + from_z * z) * inverse;
        // The point of the ray that is closest to the middle: better than the usual difference of two large squares.
        let (side, up, ahead) = (from_x + closest * x, from_y + closest * y, from_z + closest * z);
        let within = radius * radius - (side * side + up * up + ahead * ahead);
        if within <= 0.0 {
            return None;
        }
        let depth = closest - (within * inverse).sqrt();
        if depth <= self.near {
            return None;
        }
        let up = from_y + depth * y;
        let cosine = (LIGHT[0] * (from_x + depth * x) + LIGHT[1] * up + LIGHT[2] * (from_z + depth * z)) / radius;
        Some((depth, self.colour((up / radius + 1.0) * 0.5, light(cosine))))
    }

    /// The depth at which a ray meets a box, how far up its side that is, and the light there.
    fn box_hit(&self, half: [f32; 3], lights: &Faces, [x, y, z]: [f32; 3]) -> Option<(f32, f32, u32)> {
        let [x, z] = turned(x, z, self.turn);
        let ray = [x, y, z];
        let (mut enter, mut leave, mut light) = (f32::NEG_INFINITY, f32::INFINITY, 0);
        for axis in 0..3 {
            let (into, out, forwards) = slab(self.from[axis], half[axis], ray[axis]);
            if into > enter {
                (enter, light) = (into, lights[axis][usize::from(!forwards)]);
            }
            leave = leave.min(out);
        }
        let up = (self.from[1] + enter * y) / half[1];
        (enter < leave && enter > self.near).then_some((enter, (up + 1.0) * 0.5, light))
    }

    /// What a level ray, and with it a column of pixels, meets of a box; `None` for a ball.
    pub(super) fn slice(&self, [east, north]: [f32; 2]) -> Option<Slice> {
        let Body::Cuboid { half, lights } = self.body else { return None };
        let [x, z] = turned(east, north, self.turn);
        let (x_in, x_out, east) = slab(self.from[0], half[0], x);
        let (z_in, z_out, north) = slab(self.from[2], half[2], z);
        let (enter, leave) = (x_in.max(z_in), x_out.min(z_out));
        if !(enter < leave && leave > self.near) {
            return None;
        }
        let side = if x_in > z_in { lights[0][usize::from(!east)] } else { lights[2][usize::from(!north)] };
        Some(Slice {
            enter: enter.max(self.near),
            leave,
            outside: enter > self.near,
            bottom: -half[1] - self.from[1],
            top: half[1] - self.from[1],
            lights: [side, lights[1][0], lights[1][1]],
        })
    }

    /// The slopes between which a level ray of the given length per depth sees a ball; `None` if it misses.
    pub(super) fn ball_slopes(&self, [east, north]: [f32; 2]) -> Option<(f32, f32)> {
        let Body::Ball { radius } = self.body else { return None };
        let length = (east * east + north * north).sqrt();
        let (x, z) = (-self.from[0], -self.from[2]);
        let aside = (x * north - z * east) / length;
        let ahead = (x * east + z * north) / length;
        let across = radius * radius - aside * aside;
        if across <= 0.0 {
            return None;
        }
        let (low, high) = tangents(-self.from[1], ahead, across)?;
        Some((low * length, high * length))
    }

    /// The colour at a height from 0 at the bottom to 1 at the top.
    pub(super) fn colour(&self, up: f32, light: u32) -> [u8; 3] {
        match self.paint {
            Paint::Flat(colour) => lit(colour, light),
            Paint::Emissive(colour) => colour.0,
            Paint::Rings(Rgb(first), Rgb(second)) => {
                // The very top belongs to the highest ring.
                let ring = (up * RINGS).min(RINGS - 1.0) as u32;
                if ring.is_multiple_of(2) { first } else { second }
            }
        }
    }
}

/// The light on a surface whose normal makes an angle of this cosine with the light.
fn light(cosine: f32) -> u32 {
    (MEAN + SWING * cosine) as u32
}

/// A level vector in the axes of something turned.
fn turned(x: f32, z: f32, [sine, cosine]: [f32; 2]) -> [f32; 2] {
    [x * cosine - z * sine, x * sine + z * cosine]
}

/// Where a ray is between `-half` and `half`: from, to, and whether it runs forwards.
fn slab(from: f32, half: f32, ray: f32) -> (f32, f32, bool) {
    let forwards = ray >= 0.0;
    let ray = if forwards { ray.max(1e-20) } else { ray.min(-1e-20) };
    let inverse = 1.0 / ray;
    let (first, second) = ((-half - from) * inverse, (half - from) * inverse);
    if forwards { (first, second, true) } else { (second, first, false) }
}

/// The same without branches: from and to.
#[inline]
fn between(from: f32, half: f32, ray: f32) -> (f32, f32) {
    // No zero is negative here, and none is divided by.
    let inverse = 1.0 / larger(ray.abs(), 1e-20).copysign(ray + 0.0);
    let (first, second) = ((-half - from) * inverse, (half - from) * inverse);
    (smaller(first, second), larger(first, second))
}

/// The slopes of the tangents from the origin to a circle at `ahead` and `beside` with the square of a radius. `None` if
/// the circle is behind; everything if it reaches behind the eye.
fn tangents(beside: f32, ahead: f32, square: f32) -> Option<(f32, f32)> {
    if ahead <= 0.0 && ahead * ahead >= square {
        return None;
    }
    let scale = ahead * ahead - square;
    if ahead <= 0.0 || scale <= square * 1e-4 {
        return Some((f32::NEG_INFINITY, f32::INFINITY));
    }
    let root = (square * (beside * beside + scale)).sqrt();
    let inverse = 1.0 / scale;
    Some(((beside * ahead - root) * inverse, (beside * ahead + root) * inverse))
}

type Bounds = ((usize, usize), (usize, usize));

fn ball_bounds(lens: &Lens, centre: [f32; 3], radius: f32) -> Option<Bounds> {
    let [right, up, ahead] = lens.seen(centre);
    let (left, end) = tangents(right, ahead, radius * radius)?;
    let (bottom, top) = tangents(up, ahead, radius * radius)?;
    seen_within(lens, [left, end, bottom, top])
}

fn box_bounds(lens: &Lens, centre: [f32; 3], half: [f32; 3], [sine, cosine]: [f32; 2]) -> Option<Bounds> {
    // The corners as the camera sees them; the three that differ in one axis have numbers that differ in one bit.
    let corners: [[f32; 3]; 8] = std::array::from_fn(|corner| {
        let signed = |axis: usize| if corner >> axis & 1 == 0 { -half[axis] } else { half[axis] };
        let (x, z) = (signed(0), signed(2));
        let place = [x * cosine + z * sine, signed(1), z * cosine - x * sine];
        lens.seen(std::array::from_fn(|axis| centre[axis] + place[axis]))
    });
    let size = half[0].max(half[1]).max(half[2]);
    // A corner in the plane of the eye may be seen anywhere.
    if corners.iter().any(|corner| corner[2].abs() <= size * 1e-3) {
        return Some(((0, lens.width()), (0, lens.height())));
    }
    let mut slopes = [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY];
    let mut note = |right: f32, up: f32| {
        slopes = [slopes[0].min(right), slopes[1].max(right), slopes[2].min(up), slopes[3].max(up)];
    };
    let before = |corner: &[f32; 3]| corner[2] > 0.0;
    for (index, corner) in corners.iter().enumerate().filter(|(_, corner)| before(corner)) {
        note(corner[0] / corner[2], corner[1] / corner[2]);
        for axis in 0..3 {
            let other = corners[index ^ 1 << axis];
            if before(&other) {
                continue;
            }
            // An edge that comes to the plane of the eye is seen up to infinity, on the side where it gets there.
            let part = corner[2] / (corner[2] - other[2]);
            let [[left, right], [bottom, top]] = [0, 1].map(|axis| {
                let place = corner[axis] + (other[axis] - corner[axis]) * part;
                let unsure = place.abs() < size * 1e-2;
                if unsure { [f32::NEG_INFINITY, f32::INFINITY] } else { [f32::INFINITY.copysign(place); 2] }
            });
            note(left, bottom);
            note(right, top);
        }
    }
    corners.iter().any(before).then(|| seen_within(lens, slopes))?
}

fn seen_within(lens: &Lens, [left, right, bottom, top]: [f32; 4]) -> Option<Bounds> {
    let (columns, rows) = (lens.columns_between(left, right), lens.rows_between(bottom, top));
    (columns.0 < columns.1 && rows.0 < rows.1).then_some((columns, rows))
}
