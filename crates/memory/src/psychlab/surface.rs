//! What the screen shows, painted as texels.
//!
//! Nothing is kept between pictures: a surface of 64 texels per side is painted in less time than it takes to look at it.

use heldout_render::panel::{Panel, Sight, Surface, Texel};
use heldout_render::{Canvas, Rgb};

use super::change::GRID;
use super::desk::{Area, BUTTON, CROSS, DISK, Paint, Places, Side};
use super::gallery::{Gallery, Glyph};
use super::task::{Object, Stimulus};

/// Sides of surfaces. At 96x72 and 84x84 a texel of the smallest is about a pixel.
const SIDES: [usize; 3] = [64, 128, 256];
/// Share of a picture's height that the screen takes when looked at from straight ahead.
const SHARE: f64 = 0.825;

/// A right answer.
const GREEN: Rgb = Rgb::new(100, 255, 100);
/// A wrong answer.
const RED: Rgb = Rgb::new(255, 100, 100);
/// The button that belongs to the image.
const CUE_GREEN: Rgb = Rgb::new(100, 200, 100);
/// The other buttons.
const CUE_RED: Rgb = Rgb::new(200, 100, 100);
/// The fixation cross.
const CROSS_COLOUR: Rgb = Rgb::RED;
/// Where the arms of the cross begin and end, as shares of its side.
const ARM: f64 = 0.2;
/// Side of the array of objects, and of an object, as shares of the screen: 192 and 32 of 256 pixels.
const ARRAY: f64 = 0.75;
const OBJECT: f64 = 0.125;
/// Rows of an E.
const ROWS: f64 = 5.0;
/// Rectangles in rows: left, top, width and height.
pub(crate) type Strokes = &'static [[f64; 4]];
/// The back of an E that opens to the right, and its three arms.
pub(crate) const LETTER: Strokes =
    &[[0.0, 0.0, 1.0, 5.0], [1.0, 0.0, 4.0, 1.0], [1.0, 2.0, 4.0, 1.0], [1.0, 4.0, 4.0, 1.0]];
/// The same without the arm in the middle and with strokes as wide as the gap, where an E would be four pixels high.
pub(crate) const COARSE_LETTER: Strokes = &[
    [0.0, 0.0, 5.0 / 3.0, 5.0],
    [5.0 / 3.0, 0.0, 10.0 / 3.0, 5.0 / 3.0],
    [5.0 / 3.0, 10.0 / 3.0, 10.0 / 3.0, 5.0 / 3.0],
];

/// All that the screen shows at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Display {
    /// Whether the screen is black, not white.
    pub(crate) dark: bool,
    /// How letters are drawn.
    pub(crate) letter: Strokes,
    /// Whether the fixation cross is there.
    pub(crate) cross: bool,
    /// Whether the disk is there.
    pub(crate) disk: bool,
    /// The colours of the buttons that are there.
    pub(crate) buttons: [Option<Paint>; 4],
    /// What is to be remembered or judged.
    pub(crate) stimulus: Stimulus,
}

/// The side of the surface for a picture of this height.
pub(crate) fn side_for(height: usize) -> usize {
    let pixels = SHARE * height as f64;
    SIDES.into_iter().find(|&side| pixels <= 1.25 * side as f64).unwrap_or(SIDES[2])
}

/// Paints the picture of a display.
pub(crate) fn picture(
    display: &Display,
    gallery: &Gallery,
    places: &Places,
    panel: &Panel,
    sight: Sight,
    side: usize,
    canvas: &mut Canvas<'_>,
) {
    if !panel.sees(sight) {
        panel.draw(sight, None, canvas);
        return;
    }
    match side {
        64 => paint::<{ 64 * 64 }>(display, gallery, places, panel, sight, side, canvas),
        128 => paint::<{ 128 * 128 }>(display, gallery, places, panel, sight, side, canvas),
        _ => paint::<{ 256 * 256 }>(display, gallery, places, panel, sight, 256, canvas),
    }
}

fn paint<const AREA: usize>(
    display: &Display,
    gallery: &Gallery,
    places: &Places,
    panel: &Panel,
    sight: Sight,
    side: usize,
    canvas: &mut Canvas<'_>,
) {
    let ground = if display.dark { Rgb::BLACK } else { Rgb::WHITE };
    let mut texels = [Texel::new(ground); AREA];
    Sheet { side, texels: &mut texels }.show(display, gallery, places);
    panel.draw(sight, Some(Surface::new(side, &texels)), canvas);
}

/// A surface to paint on. Places are shares of its side; edges within a texel count by the part that they cover.
struct Sheet<'a> {
    side: usize,
    texels: &'a mut [Texel],
}

impl Sheet<'_> {
    fn show(&mut self, display: &Display, gallery: &Gallery, places: &Places) {
        let ink = if display.dark { Rgb::WHITE } else { Rgb::BLACK };
        match display.stimulus {
            Stimulus::Nothing => {}
            Stimulus::Image(id) => {
                let at = self.side / 8;
                let side = self.side;
                gallery.images().paint(id, &mut self.texels[at * side + at..], side);
            }
            Stimulus::Objects(objects) => {
                objects.into_iter().flatten().for_each(|object| self.object(object, display.letter));
            }
            Stimulus::Digit(digit) => self.glyph(&gallery.digits().middle(digit)),
            Stimulus::Digits(digits) => {
                for (edge, digit) in digits.into_iter().enumerate() {
                    self.glyph(&gallery.digits().edge(digit, edge));
                }
            }
        }
        for side in Side::ALL {
            let colour = match display.buttons[side as usize] {
                None => continue,
                Some(Paint::Plain) => ink,
                Some(Paint::Green) => GREEN,
                Some(Paint::Red) => RED,
                Some(Paint::CueGreen) => CUE_GREEN,
                Some(Paint::CueRed) => CUE_RED,
            };
            debug_assert!(places[side as usize].right - places[side as usize].left <= 1.01 * BUTTON);
            self.fill(&places[side as usize], colour);
        }
        if display.cross {
            let (long, short) = (CROSS / 2.0, CROSS * ARM / 2.0);
            let arm = |x: f64, y: f64| Area { left: 0.5 - x, top: 0.5 - y, right: 0.5 + x, bottom: 0.5 + y };
            self.fill(&arm(long, short), CROSS_COLOUR);
            self.fill(&arm(short, long), CROSS_COLOUR);
        }
        if display.disk {
            self.disk(ink);
        }
    }

    fn fill(&mut self, rect: &Area, colour: Rgb) {
        let scale = |share: f64| (share * self.side as f64).clamp(0.0, self.side as f64);
        let (left, right, top, bottom) = (scale(rect.left), scale(rect.right), scale(rect.top), scale(rect.bottom));
        let covered = |low: f64, high: f64, at: usize| {
            let at = at as f64;
            (high.min(at + 1.0) - low.max(at)).clamp(0.0, 1.0)
        };
        let colour = Texel::new(colour);
        for y in top as usize..(bottom.ceil() as usize).min(self.side) {
            let tall = covered(top, bottom, y);
            for x in left as usize..(right.ceil() as usize).min(self.side) {
                let texel = &mut self.texels[y * self.side + x];
                *texel = mix(*texel, colour, tall * covered(left, right, x));
            }
        }
    }

    fn disk(&mut self, colour: Rgb) {
        let (radius, middle) = (DISK / 2.0 * self.side as f64, self.side as f64 / 2.0);
        let range = (middle - radius - 1.0) as usize..(middle + radius + 2.0) as usize;
        for y in range.clone() {
            for x in range.clone() {
                let (dx, dy) = (x as f64 + 0.5 - middle, y as f64 + 0.5 - middle);
                let part = (radius + 0.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
                let texel = &mut self.texels[y * self.side + x];
                *texel = mix(*texel, Texel::new(colour), part);
            }
        }
    }

    fn object(&mut self, object: Object, letter: Strokes) {
        let colour = Rgb(object.colour);
        // Cells touch: five of them, in the middle of the array.
        let begin = (1.0 - ARRAY) / 2.0 + (ARRAY - f64::from(GRID) * OBJECT) / 2.0;
        let at = |number: u8| begin + f64::from(number) * OBJECT;
        let (left, top) = (at(object.cell % GRID), at(object.cell / GRID));
        let Some(orientation) = object.letter else {
            self.fill(&Area { left, top, right: left + OBJECT, bottom: top + OBJECT }, colour);
            return;
        };
        let row = OBJECT / ROWS;
        for &[x, y, wide, tall] in letter {
            let (x, y, wide, tall) = match orientation {
                0 => (x, y, wide, tall),
                1 => (ROWS - y - tall, x, tall, wide),
                2 => (ROWS - x - wide, ROWS - y - tall, wide, tall),
                _ => (y, ROWS - x - wide, tall, wide),
            };
            let (left, top) = (left + x * row, top + y * row);
            self.fill(&Area { left, top, right: left + wide * row, bottom: top + tall * row }, colour);
        }
    }

    fn glyph(&mut self, glyph: &Glyph<'_>) {
        for (y, row) in glyph.levels.chunks_exact(glyph.side).enumerate() {
            let out = &mut self.texels[(glyph.top + y) * self.side + glyph.left..][..glyph.side];
            for (texel, &level) in out.iter_mut().zip(row) {
                *texel = Texel::new(Rgb::grey(level));
            }
        }
    }
}

/// `from` with a part of `to`.
fn mix(from: Texel, to: Texel, part: f64) -> Texel {
    from.with(to, (part * 256.0 + 0.5) as u32)
}
