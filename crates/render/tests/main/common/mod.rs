//! What several test files need: drawings as rows of `#` and `.`, a digest, and a scene with everything in it.

pub(crate) mod worlds;

use heldout_render::{Canvas, Direction, Image, Rgb};

/// The colour that the tests draw with, on black.
pub(crate) const PEN: Rgb = Rgb::WHITE;

/// The rows of what `draw` paints on a black canvas: `#` for [`PEN`], `.` for black, `?` for anything else.
pub(crate) fn art(width: usize, height: usize, draw: impl FnOnce(&mut Canvas<'_>)) -> Vec<String> {
    let mut image = Image::new(width, height);
    draw(&mut image.canvas());
    let pixels = image.pixels().as_chunks::<3>().0;
    let sign = |pixel: &[u8; 3]| match Rgb(*pixel) {
        PEN => '#',
        Rgb::BLACK => '.',
        _ => '?',
    };
    (0..height).map(|y| pixels[y * width..(y + 1) * width].iter().map(sign).collect()).collect()
}

/// The rows of the pixels for which a rule holds.
pub(crate) fn rule(width: usize, height: usize, inside: impl Fn(i64, i64) -> bool) -> Vec<String> {
    (0..height as i64).map(|y| (0..width as i64).map(|x| if inside(x, y) { '#' } else { '.' }).collect()).collect()
}

/// FNV-1a over bytes, 64 bits.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The size of [`scene`].
pub(crate) const SCENE: (usize, usize) = (160, 120);

/// Draws every shape at least once, some of them cut by an edge.
pub(crate) fn scene(canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::PAPER);
    for (x, hue) in (2..).step_by(6).zip(Rgb::HUES) {
        canvas.fill_rect(x, 2, 5, 5, hue);
    }
    canvas.outline_rect(66, 2, 20, 12, 2, Rgb::INK);
    canvas.hline(90, 3, 100, Rgb::SLATE);
    canvas.vline(90, -5, 20, Rgb::GREY);
    canvas.line((95, 18), (-7, 9), Rgb::BRICK);
    canvas.line((100, 5), (109, 60), Rgb::TEAL);
    canvas.thick_line((115, 8), (150, 30), 4, Rgb::VIOLET);
    canvas.thick_line((118, 60), (122, 20), 3, Rgb::BARK);
    canvas.fill_circle(12, 30, 9, Rgb::ORANGE);
    canvas.outline_circle(34, 30, 9, 2, Rgb::COBALT);
    canvas.fill_polygon(&[(90, 22), (96, 46), (80, 31), (100, 31), (84, 46)], Rgb::AMBER);
    canvas.fill_triangle((140, 40), (165, 48), (136, 57), Rgb::ROSE);
    canvas.fill_diamond(158, 66, 8, Rgb::SKY);
    canvas.fill_rect(3, 44, 46, 24, Rgb::SLATE);
    for (x, direction) in (50..).step_by(13).zip(Direction::ALL) {
        canvas.fill_arrow(x, 48, 11, direction, Rgb::INK);
    }
    canvas.set(0, 119, Rgb::RED);
    canvas.text(6, 47, 1, Rgb::PAPER, "heldout\n{[@]}");
    canvas.text(104, 64, 2, Rgb::INK, "Qg7\u{e9}");
    canvas.text_wrapped(4, 70, 96, 1, Rgb::BRICK, "The quick brown fox jumps over 13 lazy dogs.");

    let mut tile = Image::filled(5, 4, Rgb::MAGENTA);
    tile.canvas().fill_rect(1, 1, 3, 2, Rgb::CYAN);
    canvas.blit(104, 90, tile.view());
    canvas.blit_scaled(120, 88, tile.view(), 3);
    for (x, level) in (140..).step_by(5).zip([0, 1, 127, 128, 255]) {
        canvas.fill_rect(x, 104, 5, 20, Rgb::SKY.shade(level));
    }
}
