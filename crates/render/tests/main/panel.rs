//! The panel against the definition of its projection, pixel by pixel.

use heldout_render::panel::{Panel, Sight, Surface, Texel};
use heldout_render::{Image, Rgb};

const HALF: f64 = 56.0 / 90.5;
/// A surface whose texels tell where they are: red grows to the right, green downwards.
const SIDE: usize = 64;

fn gradient() -> Vec<Texel> {
    (0..SIDE * SIDE).map(|at| Texel::new(Rgb::new((at % SIDE * 4) as u8, (at / SIDE * 4) as u8, 0))).collect()
}

fn draw(width: usize, height: usize, sight: Sight, texels: &[Texel]) -> Image {
    let mut picture = Image::filled(width, height, Rgb::MAGENTA);
    Panel::new(width, height, HALF, false).draw(sight, Some(Surface::new(SIDE, texels)), &mut picture.canvas());
    picture
}

/// Where the ray of a pixel meets the screen, 0 to 1 either way, by trigonometry.
fn meets(x: usize, y: usize, width: usize, height: usize, yaw: f64, pitch: f64) -> Option<(f64, f64)> {
    let right = ((2 * x + 1) as f64 / width as f64 - 1.0) * 0.75 * width as f64 / height as f64;
    let up = (1.0 - (2 * y + 1) as f64 / height as f64) * 0.75;
    let (rise, depth) = (up * libm::cos(pitch) + libm::sin(pitch), libm::cos(pitch) - up * libm::sin(pitch));
    let (east, north) =
        (right * libm::cos(yaw) + depth * libm::sin(yaw), depth * libm::cos(yaw) - right * libm::sin(yaw));
    (north > 1e-9).then(|| (0.5 + east / north / HALF / 2.0, 0.5 - rise / north / HALF / 2.0))
}

#[test]
fn pixels_show_the_place_that_their_ray_meets() {
    let texels = gradient();
    for (width, height) in [(96, 72), (84, 84), (16, 1024), (48, 36), (150, 31)] {
        for (yaw, pitch) in
            [(0.0, 0.0), (0.3, 0.2), (-0.7, -0.4), (1.2, 0.0), (0.0, 0.9), (2.0, 0.1), (-1.1, 1.2), (3.1, -1.5)]
        {
            let picture = draw(width, height, Sight::Turned { yaw, pitch }, &texels);
            for y in 0..height {
                for x in 0..width {
                    let pixel = &picture.pixels()[(y * width + x) * 3..][..3];
                    let place = meets(x, y, width, height, yaw, pitch);
                    let is_screen = pixel[2] == 0;
                    let inside = |slack: f64| {
                        place.is_some_and(|(u, v)| [u, v].iter().all(|z| (-slack..=1.0 + slack).contains(z)))
                    };
                    // Within rounding of the border either is right.
                    if inside(-1e-3) {
                        assert!(is_screen, "{width}x{height} {yaw} {pitch}: {x} {y} {pixel:?}");
                        let (u, v) = place.unwrap();
                        let expected = |z: f64| ((z * SIDE as f64 - 0.5).clamp(0.0, 63.0) * 4.0) as i32;
                        let off =
                            (i32::from(pixel[0]) - expected(u)).abs().max((i32::from(pixel[1]) - expected(v)).abs());
                        assert!(off <= 2, "{width}x{height} {yaw} {pitch}: {x} {y} {pixel:?} at {u} {v}");
                    } else if !inside(1e-3) {
                        assert!(!is_screen, "{width}x{height} {yaw} {pitch}: {x} {y} {pixel:?}");
                    }
                }
            }
        }
    }
}

/// A picture without the screen needs no surface, and where `sees` says so there is none of it.
#[test]
fn what_is_not_seen_needs_no_surface() {
    let texels = gradient();
    let panel = Panel::new(96, 72, HALF, false);
    let (mut seen, mut unseen) = (0, 0);
    for yaw in -36..36 {
        for pitch in -8..=8 {
            let sight = Sight::Turned { yaw: f64::from(yaw) * 0.0873, pitch: f64::from(pitch) * 0.19 };
            let mut without = Image::filled(96, 72, Rgb::MAGENTA);
            panel.draw(sight, None, &mut without.canvas());
            assert!(without.pixels().chunks(3).all(|pixel| pixel != Rgb::MAGENTA.0));
            let shows = draw(96, 72, sight, &texels) != without;
            assert!(panel.sees(sight) || !shows, "{sight:?}");
            seen += u32::from(shows);
            unseen += u32::from(!panel.sees(sight));
        }
    }
    assert!(seen > 200 && unseen > 500, "{seen} {unseen}");
}

/// The flat view from the middle is that in perspective from straight ahead, and moves with the gaze.
#[test]
fn the_flat_view_is_the_perspective_from_straight_ahead() {
    let texels = gradient();
    let ahead = draw(96, 72, Sight::Turned { yaw: 0.0, pitch: 0.0 }, &texels);
    let flat = draw(96, 72, Sight::Flat { u: 0.5, v: 0.5 }, &texels);
    let screen = |picture: &Image| {
        picture.pixels().chunks(3).map(|p| if p[2] == 0 { p.to_vec() } else { vec![] }).collect::<Vec<_>>()
    };
    assert_eq!(screen(&ahead), screen(&flat));
    let corner = draw(96, 72, Sight::Flat { u: 0.0, v: 0.0 }, &texels);
    let at = |x: usize, y: usize| &corner.pixels()[(y * 96 + x) * 3..][..3];
    // The upper left corner of the screen is in the middle of the picture.
    assert!(at(48, 36)[2] == 0 && at(47, 36)[2] != 0 && at(48, 35)[2] != 0);
    let away = draw(96, 72, Sight::Flat { u: f64::INFINITY, v: 0.5 }, &texels);
    assert!(away.pixels().chunks(3).all(|pixel| pixel[2] != 0));
}

/// The whole view fills the height.
#[test]
fn the_whole_view_fills_the_height() {
    let picture = draw(48, 36, Sight::Whole, &gradient());
    for y in 0..36 {
        let columns: Vec<usize> = (0..48).filter(|&x| picture.pixels()[(y * 48 + x) * 3 + 2] == 0).collect();
        assert_eq!((columns.first(), columns.last(), columns.len()), (Some(&6), Some(&41), 36));
    }
}

#[test]
fn the_reticle_stands_around_the_middle() {
    let panel = Panel::new(96, 72, HALF, true);
    let white = vec![Texel::new(Rgb::WHITE); SIDE * SIDE];
    let mut picture = Image::new(96, 72);
    panel.draw(Sight::Flat { u: 0.5, v: 0.5 }, Some(Surface::new(SIDE, &white)), &mut picture.canvas());
    let marked: Vec<usize> = (0..96 * 72)
        .filter(|at| picture.pixels()[at * 3..][..3] == [40, 84, 255])
        .map(|at| at % 96 + 1000 * (at / 96))
        .collect();
    // The screen is 59.4 pixels high, of which 0.11 are 6.5: seven pixels from the two in the middle, symmetrically.
    assert_eq!(marked, [28_040, 28_055, 43_040, 43_055]);
}
