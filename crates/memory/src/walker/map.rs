//! The picture for people: what the walker sees, a map from above beside it, and a line of text.

use heldout_core::Frame;
use heldout_render::{Canvas, Image, Rgb};

use super::body::Rect;
use super::trips::Trips;

/// Width and height of the view in first person.
pub(crate) const VIEW: (usize, usize) = (384, 288);
/// Height of the line of text below.
pub(crate) const CAPTION: usize = 20;
/// What can be walked on.
pub(crate) const FLOOR: Rgb = Rgb::PAPER;
/// Space around the map.
const MARGIN: usize = 8;
/// The routes of finished trips, from the first to the last; the present one is [`PRESENT`].
const FIRST: [f64; 3] = [240.0, 192.0, 64.0];
const LAST: [f64; 3] = [56.0, 96.0, 184.0];
const PRESENT: Rgb = Rgb::BRICK;

/// Width and height of the picture of a world that is `width` broad and `depth` deep: the map is as high as the view.
pub(crate) const fn frame(width: f64, depth: f64) -> (usize, usize) {
    let (map, height) = alone(width, depth);
    (VIEW.0 + map, height)
}

/// The same without a view.
pub(crate) const fn alone(width: f64, depth: f64) -> (usize, usize) {
    ((width * scale(depth)) as usize + 2 * MARGIN, VIEW.1 + CAPTION)
}

/// Pixels of a unit of the world.
const fn scale(depth: f64) -> f64 {
    (VIEW.1 - 2 * MARGIN) as f64 / depth
}

/// A world from above, north up.
#[derive(Debug)]
pub(crate) struct Map<'c, 'p> {
    canvas: &'c mut Canvas<'p>,
    scale: f64,
    depth: f64,
    left: f64,
}

/// Paints the text, the view with `picture`, and lets `plan` draw the map of a world that is `depth` deep.
pub(crate) fn paint(
    frame: Frame<'_>,
    depth: f64,
    caption: &str,
    picture: impl FnOnce(&mut Canvas<'_>),
    plan: impl FnOnce(&mut Map<'_, '_>),
) {
    let mut view = Image::new(VIEW.0, VIEW.1);
    picture(&mut view.canvas());
    paint_beside(frame, Some(&view), depth, caption, plan);
}

/// Paints the text and the map alone.
pub(crate) fn paint_alone(frame: Frame<'_>, depth: f64, caption: &str, plan: impl FnOnce(&mut Map<'_, '_>)) {
    paint_beside(frame, None, depth, caption, plan);
}

fn paint_beside(
    frame: Frame<'_>,
    view: Option<&Image>,
    depth: f64,
    caption: &str,
    plan: impl FnOnce(&mut Map<'_, '_>),
) {
    let Frame { width, height, pixels } = frame;
    let mut canvas = Canvas::new(width, height, pixels);
    canvas.clear(Rgb::INK);
    if let Some(view) = view {
        canvas.blit(0, 0, view.view());
    }
    canvas.text(8, VIEW.1 as i32 + 6, 1, Rgb::PAPER, caption);
    let left = (MARGIN + view.map_or(0, |_| VIEW.0)) as f64;
    plan(&mut Map { canvas: &mut canvas, scale: scale(depth), depth, left });
}

impl Map<'_, '_> {
    /// The pixel of a place.
    fn at(&self, x: f64, z: f64) -> (i32, i32) {
        let (across, down) = (self.left + x * self.scale, MARGIN as f64 + (self.depth - z) * self.scale);
        (across.round() as i32, down.round() as i32)
    }

    /// Left, top, width and height in pixels.
    fn sides(&self, rect: &Rect) -> [i32; 4] {
        let ((left, bottom), (right, top)) = (self.at(rect.x0, rect.z0), self.at(rect.x1, rect.z1));
        [left, top, right - left, bottom - top]
    }

    pub(crate) fn fill(&mut self, rect: &Rect, colour: Rgb) {
        let [left, top, width, height] = self.sides(rect);
        self.canvas.fill_rect(left, top, width, height, colour);
    }

    pub(crate) fn outline(&mut self, rect: &Rect, colour: Rgb) {
        let [left, top, width, height] = self.sides(rect);
        self.canvas.outline_rect(left, top, width, height, 2, colour);
    }

    pub(crate) fn disc(&mut self, x: f64, z: f64, radius: f64, colour: Rgb) {
        let (x, y) = self.at(x, z);
        self.canvas.fill_circle(x, y, (radius * self.scale) as i32, colour);
    }

    pub(crate) fn ring(&mut self, x: f64, z: f64, radius: f64, colour: Rgb) {
        let (x, y) = self.at(x, z);
        self.canvas.outline_circle(x, y, (radius * self.scale) as i32, 2, colour);
    }

    /// Draws all routes: earlier ones amber, later ones blue, the present one red. A route's place, less `shift`, is given
    /// in parts of the world's unit, `parts` of them to one.
    pub(crate) fn routes(&mut self, trips: &Trips, parts: f64, shift: f64) {
        let count = trips.routes().count();
        for (i, route) in trips.routes().enumerate() {
            let share = i as f64 / (count.max(3) - 2) as f64;
            let blend = |k: usize| (FIRST[k] + (LAST[k] - FIRST[k]) * share.min(1.0)) as u8;
            let colour = if i + 1 == count { PRESENT } else { Rgb::new(blend(0), blend(1), blend(2)) };
            let place = |[x, z]: [i16; 2]| [x, z].map(|at| f64::from(at) / parts + shift);
            for pair in route.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(&place).map(|[x, z]| self.at(x, z));
                self.canvas.line(from, to, colour);
            }
            if let Some(&first) = route.first() {
                let [x, z] = place(first);
                let (x, y) = self.at(x, z);
                self.canvas.fill_rect(x - 1, y - 1, 3, 3, colour);
            }
        }
    }

    /// Draws the walker and where it looks; `yaw` is in degrees.
    pub(crate) fn walker(&mut self, x: f64, z: f64, yaw: f64) {
        let (sin, cos) = libm::sincos(yaw.to_radians());
        let (px, py) = self.at(x, z);
        let tip = (px + (12.0 * sin).round() as i32, py - (12.0 * cos).round() as i32);
        self.canvas.thick_line((px, py), tip, 2, Rgb::INK);
        self.canvas.fill_circle(px, py, 4, Rgb::BRICK);
    }
}
