//! Any coordinates are safe, and the canvas's edge only cuts: it never changes what is left.

use crate::common::PEN;
use heldout_render::{Canvas, Direction, Image, Rgb, View};

const EXTREMES: [i32; 9] = [i32::MIN, i32::MIN + 1, -65_536, -1, 0, 3, 65_536, i32::MAX - 1, i32::MAX];

/// Draws everything that there is to draw, with four numbers in every role.
fn draw_all(canvas: &mut Canvas<'_>, [a, b, c, d]: [i32; 4], tile: View<'_>) {
    canvas.set(a, b, PEN);
    canvas.fill_rect(a, b, c, d, PEN);
    canvas.outline_rect(a, b, c, d, 1, PEN);
    canvas.outline_rect(a, b, c, c, d, PEN);
    canvas.hline(a, b, c, PEN);
    canvas.vline(a, b, c, PEN);
    canvas.line((a, b), (c, d), PEN);
    canvas.thick_line((a, b), (c, d), 2, PEN);
    canvas.thick_line((a, b), (c, d), i32::MAX, PEN);
    canvas.thick_line((a, b), (b, c), d, PEN);
    canvas.fill_circle(a, b, c, PEN);
    canvas.outline_circle(a, b, c, d, PEN);
    canvas.fill_polygon(&[(a, b), (c, d), (b, c), (d, a)], PEN);
    canvas.fill_triangle((a, b), (c, d), (b, d), PEN);
    canvas.fill_diamond(a, b, c, PEN);
    for direction in Direction::ALL {
        canvas.fill_arrow(a, b, c, direction, PEN);
    }
    canvas.blit(a, b, tile);
    canvas.blit_scaled(a, b, tile, c.unsigned_abs());
    canvas.blit_scaled(a, b, tile, u32::MAX);
    canvas.text(a, b, c, PEN, "A\ng\u{0}");
    canvas.text_wrapped(a, b, c, d, PEN, "a bc\ndefg");
}

#[test]
fn every_extreme_is_safe() {
    let tile = Image::filled(3, 3, PEN);
    for (width, height) in [(0, 0), (0, 4), (4, 0), (4, 3)] {
        let mut image = Image::new(width, height);
        let mut canvas = image.canvas();
        for a in EXTREMES {
            for b in EXTREMES {
                for c in EXTREMES {
                    for d in EXTREMES {
                        draw_all(&mut canvas, [a, b, c, d], tile.view());
                    }
                }
            }
        }
        // Only the pen has been at work.
        assert!(image.pixels().as_chunks::<3>().0.iter().all(|pixel| matches!(Rgb(*pixel), PEN | Rgb::BLACK)));
    }
}

#[test]
fn shapes_larger_than_the_canvas_cover_it() {
    const LOW: i32 = i32::MIN;
    const HIGH: i32 = i32::MAX;
    let covers = |name: &str, draw: fn(&mut Canvas<'_>)| {
        let mut image = Image::new(7, 5);
        draw(&mut image.canvas());
        assert_eq!(image, Image::filled(7, 5, PEN), "{name}");
    };
    covers("fill_rect", |canvas| canvas.fill_rect(-9, -9, HIGH, HIGH, PEN));
    covers("outline_rect", |canvas| canvas.outline_rect(-9, -9, HIGH, HIGH, HIGH, PEN));
    covers("fill_circle", |canvas| canvas.fill_circle(3, 2, HIGH, PEN));
    covers("outline_circle", |canvas| canvas.outline_circle(HIGH, 2, HIGH, HIGH, PEN));
    covers("fill_polygon", |canvas| {
        canvas.fill_polygon(&[(LOW, LOW), (HIGH, LOW), (HIGH, HIGH), (LOW, HIGH)], PEN);
    });
    covers("fill_diamond", |canvas| canvas.fill_diamond(0, 0, HIGH, PEN));
    covers("thick_line", |canvas| canvas.thick_line((LOW, LOW), (HIGH, HIGH), 99, PEN));
    covers("fill_arrow", |canvas| canvas.fill_arrow(-HIGH / 2, -HIGH / 2, HIGH, Direction::Right, PEN));
    covers("blit_scaled", |canvas| canvas.blit_scaled(-9, -9, View::new(1, 1, &[255; 3]), u32::MAX));
}

#[test]
fn a_line_across_everything_keeps_its_course() {
    let mut image = Image::new(5, 5);
    image.canvas().line((i32::MIN, i32::MIN), (i32::MAX, i32::MAX), PEN);
    let mut expected = Image::new(5, 5);
    for place in 0..5 {
        expected.canvas().set(place, place, PEN);
    }
    assert_eq!(image, expected);
}

#[test]
fn a_small_canvas_shows_a_part_of_the_large_one() {
    let shapes: [fn(&mut Canvas<'_>, i32, i32); 10] = [
        |canvas, x, y| canvas.line((x - 9, y + 2), (x + 31, y + 17), PEN),
        |canvas, x, y| canvas.line((x + 4, y - 30), (x + 11, y + 40), PEN),
        |canvas, x, y| canvas.thick_line((x - 9, y + 2), (x + 31, y + 17), 4, PEN),
        |canvas, x, y| canvas.fill_circle(x + 8, y + 7, 11, PEN),
        |canvas, x, y| canvas.outline_circle(x + 8, y + 7, 11, 2, PEN),
        |canvas, x, y| canvas.fill_polygon(&[(x - 5, y - 3), (x + 22, y + 4), (x + 1, y + 20)], PEN),
        |canvas, x, y| canvas.fill_diamond(x + 5, y + 5, 9, PEN),
        |canvas, x, y| canvas.fill_arrow(x - 4, y - 4, 21, Direction::Left, PEN),
        |canvas, x, y| canvas.text(x - 4, y - 4, 2, PEN, "Wg\nAx"),
        |canvas, x, y| {
            let tile = Image::filled(6, 6, PEN);
            canvas.blit_scaled(x - 7, y - 7, tile.view(), 3);
        },
    ];
    for (index, shape) in shapes.into_iter().enumerate() {
        let mut large = Image::new(80, 80);
        shape(&mut large.canvas(), 30, 30);
        let mut small = Image::new(13, 11);
        shape(&mut small.canvas(), 0, 0);
        let mut window = Image::new(13, 11);
        window.canvas().blit(-30, -30, large.view());
        assert_eq!(small, window, "shape {index}");
    }
}
