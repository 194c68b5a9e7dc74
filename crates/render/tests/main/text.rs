//! The font and the layout of text.

use std::collections::BTreeSet;

use crate::common::{PEN, art};
use heldout_render::{CHARACTER_WIDTH, Image, LINE_HEIGHT, text_width, wrap};

/// The height of capitals and digits.
const CAPITAL_HEIGHT: i32 = 7;

/// A character alone in its cell.
fn cell(character: char) -> Vec<String> {
    let (width, height) = (CHARACTER_WIDTH as usize, LINE_HEIGHT as usize);
    art(width, height, |canvas| canvas.text(0, 0, 1, PEN, &character.to_string()))
}

#[test]
fn every_printable_character_has_a_glyph_of_its_own() {
    let mut seen = BTreeSet::new();
    for character in ' '..='~' {
        let rows = cell(character);
        assert_eq!(rows.concat().contains('#'), character != ' ', "`{character}`");
        assert!(rows.iter().all(|row| row.ends_with('.')), "`{character}` touches its neighbour");
        assert!(!rows[LINE_HEIGHT as usize - 1].contains('#'), "`{character}` touches the next line");
        assert!(seen.insert(rows), "`{character}` looks like another");
    }
    assert!(!seen.contains(&cell('\u{e9}')), "the box looks like a character");
}

#[test]
fn capitals_and_digits_fill_the_height_of_capitals() {
    for character in ('A'..='Z').chain('0'..='9') {
        let rows = cell(character);
        let (body, below) = rows.split_at(CAPITAL_HEIGHT as usize);
        assert!(body[0].contains('#') && body[body.len() - 1].contains('#'), "`{character}`");
        assert!(!below.concat().contains('#'), "`{character}`");
    }
}

#[test]
fn other_characters_show_as_a_box() {
    let expected = ["#####.", "#...#.", "#...#.", "#...#.", "#...#.", "#...#.", "#####.", "......", "......", "......"];
    for character in ['\u{e9}', '\t', '\r', '\u{7f}', '\u{0}', '\u{1f600}'] {
        assert_eq!(cell(character), expected, "{character:?}");
    }
}

#[test]
fn letters_stand_where_they_should() {
    let drawn = art(23, 10, |canvas| canvas.text(0, 0, 1, PEN, "Rg1?"));
    assert_eq!(
        drawn,
        [
            "####..........#....###.",
            "#...#........##...#...#",
            "#...#..####.#.#.......#",
            "####..#...#...#......#.",
            "#.#...#...#...#.....#..",
            "#..#..#...#...#........",
            "#...#..####.#####...#..",
            "..........#............",
            ".......###.............",
            ".......................",
        ]
    );
}

#[test]
fn scale_and_lines() {
    let plain = art(12, 20, |canvas| canvas.text(1, 0, 1, PEN, "a\nB"));
    let large = art(24, 40, |canvas| canvas.text(2, 0, 2, PEN, "a\nB"));
    let doubled: Vec<String> =
        plain.iter().flat_map(|row| [0, 1].map(|_| row.chars().flat_map(|sign| [sign, sign]).collect())).collect();
    assert_eq!(large, doubled);
    let apart = art(12, 20, |canvas| {
        canvas.text(1, 0, 1, PEN, "a");
        canvas.text(1, LINE_HEIGHT, 1, PEN, "B");
    });
    assert_eq!(plain, apart);
    assert_eq!(art(6, 1, |canvas| canvas.text(0, 0, 0, PEN, "#")), ["......"]);
}

#[test]
fn measures() {
    assert_eq!([text_width("", 3), text_width("a", 1), text_width("ab\nc\u{e9}d", 2)], [0, 5, 34]);
    let height = |text, scale| Image::new(9, 9).canvas().text_wrapped(0, 0, i32::MAX, scale, PEN, text);
    assert_eq!([height("", 1), height("a\nb", 1), height("a\n", 3)], [9, 19, 57]);
    assert_eq!([text_width("ab", i32::MAX), text_width("ab", -1), height("x", i32::MIN)], [i32::MAX, 0, 0]);
}

#[test]
fn wrapping() {
    let lines = |text, columns| wrap(text, columns).collect::<Vec<_>>();
    assert_eq!(lines("the quick brown fox", 9), ["the quick", "brown fox"]);
    assert_eq!(lines("the quick brown fox", 8), ["the", "quick", "brown", "fox"]);
    assert_eq!(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    assert_eq!(lines("a   b", 2), ["a", "b"]);
    assert_eq!(lines("ab  ", 2), ["ab"]);
    assert_eq!(lines("ab \ncd\n\nef\n", 2), ["ab", "cd", "", "ef", ""]);
    assert_eq!(lines("  indented", 10), ["  indented"]);
    assert_eq!(lines("\u{e9}\u{e9}\u{e9}", 0), ["\u{e9}"; 3]);
    assert_eq!(lines("", 5), [""]);
}

#[test]
fn wrapped_text_is_its_lines_and_tells_its_height() {
    // 29 pixels hold five characters, since the last needs no gap; 28 hold four.
    for (width, lines, height) in [(29, "to be\nor\nnot", 29), (28, "to\nbe\nor\nnot", 39)] {
        let mut told = 0;
        let drawn = art(40, 50, |canvas| told = canvas.text_wrapped(3, 2, width, 1, PEN, "to be or not"));
        assert_eq!(drawn, art(40, 50, |canvas| canvas.text(3, 2, 1, PEN, lines)));
        assert_eq!(told, height);
    }
}
