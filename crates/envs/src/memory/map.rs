//! Maps from above, beside the view in first person: for people.

use heldout_render::{Canvas, Image, Rgb};

use super::trips::Trips;

/// Width and height of the view in first person.
const VIEW: (usize, usize) = (384, 288);
/// Height of the line of text below.
const CAPTION: usize = 20;
/// Width and height of the whole picture: the map is as wide as the view is high.
pub const FRAME: (usize, usize) = (VIEW.0 + VIEW.1, VIEW.1 + CAPTION);
/// Width and height of a picture with a map alone.
pub const MAP_FRAME: (usize, usize) = (VIEW.1, VIEW.1 + CAPTION);
/// Where the line of text is.
pub const TEXT: i32 = VIEW.1 as i32 + 6;
/// What can be walked on.
pub const FLOOR: Rgb = Rgb::PAPER;
/// Space around the map.
const MARGIN: f64 = 8.0;
/// The routes of finished trips, from the first to the last; the present one is [`PRESENT`].
const FIRST: [f64; 3] = [240.0, 192.0, 64.0];
const LAST: [f64; 3] = [56.0, 96.0, 184.0];
const PRESENT: Rgb = Rgb::BRICK;

/// Paints the view in first person on the left.
pub fn beside(canvas: &mut Canvas<'_>, paint: impl FnOnce(&mut Canvas<'_>)) {
    let mut view = Image::new(VIEW.0, VIEW.1);
    paint(&mut view.canvas());
    canvas.blit(0, 0, view.view());
}

/// Score and time in words.
#[must_use]
pub fn caption(goals: u32, score: f64, tick: u32, limit: u32, rate: u32) -> String {
    format!("score {score}   arrivals {goals}   time {} of {} s", tick / rate, limit / rate)
}

/// A square world from above, north up.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    scale: f64,
    side: f64,
    left: f64,
}

impl Map {
    /// The map of a world with this side, to the right of a view.
    #[must_use]
    pub fn new(side: f64) -> Self {
        Self { left: VIEW.0 as f64 + MARGIN, ..Self::alone(side) }
    }

    /// The map of a world with this side, with nothing beside it.
    #[must_use]
    pub fn alone(side: f64) -> Self {
        Self { scale: (VIEW.1 as f64 - 2.0 * MARGIN) / side, side, left: MARGIN }
    }

    /// Fills what lies between two corners.
    pub fn fill(&self, canvas: &mut Canvas<'_>, [x0, z0, x1, z1]: [f64; 4], colour: Rgb) {
        let ((left, bottom), (right, top)) = (self.at(x0, z0), self.at(x1, z1));
        canvas.fill_rect(left, top, right - left, bottom - top, colour);
    }

    /// The pixel of a place.
    #[must_use]
    pub fn at(&self, x: f64, z: f64) -> (i32, i32) {
        let across = self.left + x * self.scale;
        let down = MARGIN + (self.side - z) * self.scale;
        (across.round() as i32, down.round() as i32)
    }

    /// The same map with every place moved east and north.
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        Self { left: self.left + by * self.scale, side: self.side - by, ..*self }
    }

    /// Draws all routes, of which `unit` points are a unit of the world: earlier ones amber, later ones blue, the present
    /// one red.
    pub fn routes(&self, canvas: &mut Canvas<'_>, trips: &Trips, unit: f64) {
        let count = trips.routes().count();
        for (i, route) in trips.routes().enumerate() {
            let share = i as f64 / (count.max(3) - 2) as f64;
            let blend = |k: usize| (FIRST[k] + (LAST[k] - FIRST[k]) * share.min(1.0)) as u8;
            let colour = if i + 1 == count { PRESENT } else { Rgb::new(blend(0), blend(1), blend(2)) };
            let place = |[x, z]: [i16; 2]| self.at(f64::from(x) / unit, f64::from(z) / unit);
            for pair in route.windows(2) {
                canvas.line(place(pair[0]), place(pair[1]), colour);
            }
            if let Some(&first) = route.first() {
                let (x, y) = place(first);
                canvas.fill_rect(x - 1, y - 1, 3, 3, colour);
            }
        }
    }

    /// Draws the walker and where it looks; `yaw` is in degrees.
    pub fn walker(&self, canvas: &mut Canvas<'_>, x: f64, z: f64, yaw: f64) {
        let (sin, cos) = libm::sincos(yaw.to_radians());
        let (px, py) = self.at(x, z);
        let tip = (px + (12.0 * sin).round() as i32, py - (12.0 * cos).round() as i32);
        canvas.thick_line((px, py), tip, 2, Rgb::INK);
        canvas.fill_circle(px, py, 4, Rgb::BRICK);
    }
}
