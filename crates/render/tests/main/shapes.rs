//! Each shape, drawn small, against a picture written by hand.

use crate::common::{PEN, art};
use heldout_render::{Canvas, Direction, Image, Rgb, View};

#[test]
fn a_buffer_of_the_wrong_length_panics() {
    let made = std::panic::catch_unwind(|| Canvas::new(2, 2, &mut [0; 11]).width());
    assert!(made.is_err());
    let made = std::panic::catch_unwind(|| View::new(65_536, 0, &[]).width());
    assert!(made.is_err());
}

#[test]
fn clear_set_and_get() {
    let mut image = Image::new(3, 2);
    let mut canvas = image.canvas();
    canvas.clear(Rgb::TEAL);
    canvas.set(2, 1, Rgb::RED);
    assert_eq!(canvas.get(2, 1), Some(Rgb::RED));
    assert_eq!(canvas.get(1, 1), Some(Rgb::TEAL));
    assert_eq!([canvas.get(3, 0), canvas.get(0, 2), canvas.get(-1, 0), canvas.get(0, -1)], [None; 4]);
    assert_eq!(image.pixels()[15..], [255, 0, 0]);
}

#[test]
fn rectangles() {
    let drawn = art(10, 7, |canvas| {
        canvas.fill_rect(-1, -1, 3, 2, PEN);
        canvas.outline_rect(1, 2, 5, 4, 1, PEN);
        canvas.outline_rect(7, 2, 3, 5, 2, PEN);
    });
    assert_eq!(
        drawn,
        [
            "##........", //
            "..........",
            ".#####.###",
            ".#...#.###",
            ".#...#.###",
            ".#####.###",
            ".......###",
        ]
    );
    let drawn = art(8, 7, |canvas| canvas.outline_rect(0, 0, 8, 7, 2, PEN));
    assert_eq!(drawn, ["########", "########", "##....##", "##....##", "##....##", "########", "########"]);
}

#[test]
fn straight_lines() {
    let drawn = art(5, 4, |canvas| {
        canvas.hline(1, 0, 3, PEN);
        canvas.hline(3, 2, 9, PEN);
        canvas.vline(0, 1, 2, PEN);
    });
    assert_eq!(drawn, [".###.", "#....", "#..##", "....."]);
}

#[test]
fn lines_are_the_same_in_either_direction() {
    let shallow = ["##......", "..####..", "......##"];
    assert_eq!(art(8, 3, |canvas| canvas.line((0, 0), (7, 2), PEN)), shallow);
    assert_eq!(art(8, 3, |canvas| canvas.line((7, 2), (0, 0), PEN)), shallow);
    // In the middle column both pixels are equally near: the larger coordinate wins, falling or rising.
    assert_eq!(art(3, 2, |canvas| canvas.line((0, 0), (2, 1), PEN)), ["#..", ".##"]);
    assert_eq!(art(3, 2, |canvas| canvas.line((2, 0), (0, 1), PEN)), ["..#", "##."]);
    assert_eq!(art(2, 3, |canvas| canvas.line((0, 2), (1, 0), PEN)), [".#", ".#", "#."]);
    assert_eq!(art(3, 3, |canvas| canvas.line((2, 0), (0, 2), PEN)), ["..#", ".#.", "#.."]);
    assert_eq!(art(3, 1, |canvas| canvas.line((1, 0), (1, 0), PEN)), [".#."]);
}

#[test]
fn thick_lines() {
    let drawn = art(9, 9, |canvas| {
        canvas.thick_line((1, 2), (6, 2), 2, PEN);
        canvas.thick_line((8, 4), (8, 7), 2, PEN);
        canvas.thick_line((1, 7), (3, 7), 3, PEN);
    });
    assert_eq!(
        drawn,
        [
            ".........", //
            ".######..",
            ".######..",
            ".........",
            ".......##",
            ".......##",
            "#####..##",
            "#####..##",
            "#####....",
        ]
    );
    let drawn = art(9, 9, |canvas| canvas.thick_line((2, 2), (6, 6), 5, PEN));
    assert_eq!(
        drawn,
        [
            ".###.....",
            "#####....",
            "######...",
            "#######..",
            ".#######.",
            "..#######",
            "...######",
            "....#####",
            ".....###.",
        ]
    );
    assert_eq!(art(3, 3, |canvas| canvas.thick_line((1, 1), (1, 1), 3, PEN)), ["###", "###", "###"]);
    assert_eq!(art(3, 1, |canvas| canvas.thick_line((0, 0), (2, 0), 0, PEN)), ["..."]);
}

#[test]
fn circles() {
    let drawn = art(15, 9, |canvas| {
        canvas.fill_circle(2, 2, 2, PEN);
        canvas.fill_circle(1, 7, 1, PEN);
        canvas.fill_circle(4, 7, 0, PEN);
        canvas.outline_circle(10, 4, 4, 1, PEN);
        canvas.fill_circle(10, 4, -1, PEN);
    });
    assert_eq!(
        drawn,
        [
            ".###....#####..",
            "#####..##...##.",
            "#####.##.....##",
            "#####.#.......#",
            ".###..#.......#",
            "......#.......#",
            "###...##.....##",
            "###.#..##...##.",
            "###.....#####..",
        ]
    );
}

#[test]
fn polygons() {
    let square = art(5, 4, |canvas| canvas.fill_polygon(&[(1, 1), (4, 1), (4, 3), (1, 3)], PEN));
    assert_eq!(square, art(5, 4, |canvas| canvas.fill_rect(1, 1, 3, 2, PEN)));
    // Two triangles that share an edge cover their square once: centres on the diagonal belong to the right one.
    let left = art(4, 4, |canvas| canvas.fill_triangle((0, 0), (0, 4), (4, 4), PEN));
    assert_eq!(left, ["....", "#...", "##..", "###."]);
    let right = art(4, 4, |canvas| canvas.fill_triangle((4, 4), (4, 0), (0, 0), PEN));
    assert_eq!(right, ["####", ".###", "..##", "...#"]);
    // An outline that crosses itself, and one that winds twice around its middle.
    let hourglass = art(6, 6, |canvas| canvas.fill_polygon(&[(0, 0), (6, 0), (0, 6), (6, 6)], PEN));
    assert_eq!(hourglass, ["#####.", ".###..", "..#...", "..#...", ".###..", "#####."]);
    let twice = [(0, 0), (6, 0), (6, 5), (0, 5), (0, 0), (2, 2), (4, 2), (4, 4), (2, 4), (2, 2)];
    let frame = art(6, 5, |canvas| canvas.fill_polygon(&twice, PEN));
    assert_eq!(frame, ["######", "######", "##..##", "##..##", "######"]);
    for few in [&[][..], &[(0, 0)], &[(0, 0), (3, 3)]] {
        assert_eq!(art(3, 3, |canvas| canvas.fill_polygon(few, PEN)), ["...", "...", "..."]);
    }
}

#[test]
fn diamonds() {
    let drawn = art(5, 5, |canvas| canvas.fill_diamond(2, 2, 2, PEN));
    assert_eq!(drawn, ["..#..", ".###.", "#####", ".###.", "..#.."]);
}

#[test]
fn arrows_are_turns_of_one_another() {
    let arrow = |size: i32, direction| {
        let side = size as usize;
        art(side, side, |canvas| canvas.fill_arrow(0, 0, size, direction, PEN))
    };
    assert_eq!(arrow(7, Direction::Up), ["...#...", "..###..", ".#####.", "#######", "..###..", "..###..", "..###.."]);
    assert_eq!(arrow(6, Direction::Right), ["...#..", "...##.", "######", "######", "...##.", "...#.."]);
    for size in 1..20 {
        let turned = |rows: &[String]| -> Vec<String> {
            let cells: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
            let side = cells.len();
            (0..side).map(|y| (0..side).map(|x| cells[side - 1 - x][y]).collect()).collect()
        };
        for (index, direction) in Direction::ALL.into_iter().enumerate() {
            assert_eq!(turned(&arrow(size, direction)), arrow(size, Direction::ALL[(index + 1) % 4]), "size {size}");
        }
    }
}

#[test]
fn blits() {
    let mut tile = Image::filled(2, 2, PEN);
    tile.canvas().set(0, 0, Rgb::BLACK);
    let tile = tile.view();
    let drawn = art(4, 3, |canvas| {
        canvas.fill_rect(0, 0, 2, 2, PEN);
        canvas.blit(0, 0, tile);
        canvas.blit(-1, 2, tile);
    });
    assert_eq!(drawn, [".#..", "##..", "#..."]);
    let scaled = art(7, 5, |canvas| canvas.blit_scaled(1, -1, tile, 3));
    assert_eq!(scaled, ["....###", "....###", ".######", ".######", ".######"]);
    assert_eq!(art(2, 1, |canvas| canvas.blit_scaled(0, 0, tile, 0)), [".."]);
}

#[test]
fn a_shade_is_the_rounded_product() {
    // 200/255 = 0.78 rounds to 1, 100/255 = 0.39 to 0; 200 * 128 / 255 = 100.39, 100 * 128 / 255 = 50.2.
    let shades = [0, 1, 128, 255].map(|level| Rgb::new(200, 100, 255).shade(level).0);
    assert_eq!(shades, [[0, 0, 0], [1, 0, 1], [100, 50, 128], [200, 100, 255]]);
}
