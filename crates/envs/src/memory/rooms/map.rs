//! The picture for people: what the walker sees, a map from above beside it, and a line of text.

use heldout_core::Frame;
use heldout_render::{Canvas, Image, Rgb};

use crate::memory::{Body, Rect};

/// Width and height of the walker's view.
pub(super) const VIEW: (usize, usize) = (384, 288);
/// Height of the line of text below.
pub(super) const CAPTION: usize = 20;
/// Around the map.
const MARGIN: i32 = 10;
/// Distance at which the map shows the field of view, in metres.
const CONE: f64 = 1.6;

/// A plan from above, in pixels.
pub(super) struct Map<'c, 'p> {
    canvas: &'c mut Canvas<'p>,
    scale: f64,
    /// Metres from south to north.
    depth: f64,
}

/// Pixels of a map of `metres` at `scale`, margins included.
pub(super) const fn extent(metres: usize, scale: usize) -> usize {
    metres * scale + 2 * MARGIN as usize
}

/// Paints the view with `picture`, the text, and lets `plan` draw the map of a place that is `depth` metres deep.
pub(super) fn paint(
    frame: &mut Frame<'_>,
    (scale, depth): (f64, f64),
    caption: &str,
    picture: impl FnOnce(&mut Canvas<'_>),
    plan: impl FnOnce(&mut Map<'_, '_>),
) {
    let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
    canvas.clear(Rgb::INK);
    let mut view = Image::new(VIEW.0, VIEW.1);
    picture(&mut view.canvas());
    canvas.blit(0, 0, view.view());
    canvas.text(6, VIEW.1 as i32 + 6, 1, Rgb::PAPER, caption);
    plan(&mut Map { canvas: &mut canvas, scale, depth });
}

impl Map<'_, '_> {
    fn pixel(&self, x: f64, z: f64) -> (i32, i32) {
        let to = |metres: f64| (metres * self.scale + 0.5).floor() as i32;
        (VIEW.0 as i32 + MARGIN + to(x), MARGIN + to(self.depth - z))
    }

    /// Fills a rectangle of the floor.
    pub(super) fn rect(&mut self, rect: &Rect, colour: Rgb) {
        let (left, top) = self.pixel(rect.x0, rect.z1);
        let (right, bottom) = self.pixel(rect.x1, rect.z0);
        self.canvas.fill_rect(left, top, right - left, bottom - top, colour);
    }

    /// Draws the outline of a rectangle of the floor.
    pub(super) fn outline(&mut self, rect: &Rect, colour: Rgb) {
        let (left, top) = self.pixel(rect.x0, rect.z1);
        let (right, bottom) = self.pixel(rect.x1, rect.z0);
        self.canvas.outline_rect(left, top, right - left, bottom - top, 2, colour);
    }

    /// Fills a disc.
    pub(super) fn disc(&mut self, x: f64, z: f64, radius: f64, colour: Rgb) {
        let (x, y) = self.pixel(x, z);
        self.canvas.fill_circle(x, y, (radius * self.scale).floor() as i32, colour);
    }

    /// Draws a ring.
    pub(super) fn ring(&mut self, x: f64, z: f64, radius: f64, colour: Rgb) {
        let (x, y) = self.pixel(x, z);
        self.canvas.outline_circle(x, y, (radius * self.scale).floor() as i32, 2, colour);
    }

    /// Draws the walker and its field of view.
    pub(super) fn walker(&mut self, body: &Body) {
        let (sin, cos) = body.ahead();
        let at = self.pixel(body.x, body.z);
        for side in [-1.0, 1.0] {
            let (dx, dz) = (sin + side * cos, cos - side * sin);
            let to = self.pixel(body.x + CONE * dx, body.z + CONE * dz);
            self.canvas.line(at, to, Rgb::AMBER);
        }
        let radius = (0.3 * self.scale).floor().max(3.0) as i32;
        self.canvas.fill_circle(at.0, at.1, radius, Rgb::BRICK);
        self.canvas.outline_circle(at.0, at.1, radius, 1, Rgb::PAPER);
    }
}
