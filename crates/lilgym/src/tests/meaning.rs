//! A built-in sentence means its program in plain English: for every frame, scenes that a careless reading gets wrong.

use std::collections::BTreeSet;

use super::{Appearance, Color, Item, Scene, Shape, Size};
use crate::builtin::drafts;
use crate::language::Program;

/// Towers by the colours of their blocks from the ground up, Y yellow, K black, B blue: `YK/B/`.
fn tower(text: &str) -> Scene {
    let mut scene = Scene::default();
    for (owner, blocks) in text.split('/').enumerate() {
        for letter in blocks.chars() {
            let color = Color::ALL["YKB".find(letter).unwrap()];
            let block = crate::rules::block(scene.of(owner), color);
            assert!(scene.push(owner, block));
        }
    }
    scene
}

/// Boxes of objects such as `Bo30@20,70`: colour, shape (`o`, `#`, `^`), size, left and upper side.
fn scattered(text: &str) -> Scene {
    let mut scene = Scene::default();
    for (owner, objects) in text.split('/').enumerate() {
        for object in objects.split_whitespace() {
            let (kind, place) = object.split_once('@').unwrap();
            let (x, y) = place.split_once(',').unwrap();
            let mut letters = kind.chars();
            let color = Color::ALL["YKB".find(letters.next().unwrap()).unwrap()];
            let shape = Shape::ALL["o#^".find(letters.next().unwrap()).unwrap()];
            let size = Size::ALL[letters.as_str().parse::<usize>().unwrap() / 10 - 1];
            assert!(scene.push(owner, Item { x: x.parse().unwrap(), y: y.parse().unwrap(), shape, color, size }));
        }
    }
    scene
}

/// A sentence, scenes in which it is true, and scenes in which it is false.
type Pair = (&'static str, &'static [&'static str], &'static [&'static str]);

/// True of a list of scenes and false of another, as often as not one edit away.
const TOWER: &[Pair] = &[
    ("There is a black block.", &["K//", "Y/BK/"], &["//", "Y/B/"]),
    ("There are blocks, but there is no black block.", &["Y//"], &["//", "YK//"]),
    ("There is exactly one black block.", &["K/Y/"], &["/Y/", "K/K/", "KK//"]),
    ("There are exactly two black blocks.", &["K/K/"], &["K//", "K/KK/"]),
    ("There are exactly three black blocks.", &["KK/K/"], &["KK//", "KK/KK/"]),
    ("There are at least two black blocks.", &["KK//", "KK/K/"], &["K//"]),
    ("There are more than two black blocks.", &["KKK//"], &["KK//"]),
    ("There are blocks, and at most one of them is a black block.", &["Y//", "K//"], &["//", "KK//"]),
    ("There is at least one black block, but there are fewer than three.", &["K//", "KK//"], &["//", "Y//", "KKK//"]),
    ("There is an odd number of black blocks.", &["K//", "KKK//"], &["//", "KK//"]),
    ("More than half of the blocks are black blocks.", &["KK/Y/"], &["K/Y/", "//"]),
    ("Exactly two boxes have a black block.", &["K/K/Y"], &["KK//", "K/K/K"]),
    ("Exactly one box has a black block.", &["KK/Y/"], &["K/K/", "//"]),
    ("At least two boxes have a black block.", &["K/K/", "K/K/K"], &["KK/Y/"]),
    ("There is a black block in every box.", &["K/K/YK"], &["K/K/", "KKK/Y/K"]),
    ("At least one box that is not empty has no black block.", &["K/Y/K"], &["K//K", "//", "K/K/K"]),
    ("There is a box with at least two black blocks.", &["KK//", "KKK//"], &["K/K/"]),
    ("There is a box with exactly two black blocks.", &["KYK//"], &["KKK//", "K/K/"]),
    ("Some box holds nothing but black blocks.", &["K/Y/"], &["//", "KY/Y/"]),
    ("There is a black block, and all such blocks are in the same box.", &["KK/Y/"], &["//", "K/K/"]),
    ("There is a black block together with another block in a box.", &["KK//", "KY//"], &["K/Y/"]),
    ("The left box has a black block.", &["K//"], &["/K/", "//K"]),
    ("The middle box has a black block.", &["/K/"], &["K//", "//K"]),
    ("The right box has a black block.", &["//K"], &["K//", "/K/"]),
    ("The left box and the right box both have a black block.", &["K//K"], &["K//", "K/K/"]),
    ("The middle box has a black block, but neither of the others does.", &["/K/"], &["K/K/", "K//"]),
    ("The left box has more black blocks than the right box.", &["KK//K"], &["K//K", "K//KK", "//"]),
    ("No box is empty, and exactly one of them has a black block.", &["K/Y/Y"], &["K/Y/", "K/K/Y"]),
    ("There is a tower of exactly three blocks with a black block.", &["YKY//"], &["YK//", "YKYY//", "YYY/K/"]),
    ("There is exactly one tower of four blocks with a black block.", &["YYYK/YYYY/"], &["YYYK/KYYY/", "YYK//"]),
    ("There is exactly one tower with a black block and it has three blocks.", &["YYK/Y/"], &["YYK/K/", "YK//"]),
    ("There is a tower of two blocks with a black block.", &["YK//"], &["K//", "YKY//"]),
    ("There is a tower of at least three blocks without a black block.", &["YYY//"], &["YYK//", "YY//"]),
    (
        "There is a tower with a black block that is higher than each of the other towers.",
        &["KY/Y/Y", "KY/Y/"],
        // An empty box is no tower, and one tower alone is higher than none.
        &["KY/KY/", "K/YY/", "KY//", "//"],
    ),
    ("There is no black block.", &["//", "Y//"], &["K//"]),
    ("There is a tower with only black blocks.", &["KK/Y/"], &["KY//", "//"]),
    ("There is a tower with no black block.", &["Y/K/"], &["K//", "//"]),
    (
        "There is a tower with two or more blocks whose base and top are both black.",
        &["KYK//", "KK//"],
        &["K//", "KY//"],
    ),
    ("There is exactly one black block and it is at the base.", &["KY//", "K//"], &["YK//", "K/K/"]),
    ("At least two towers have a black block at the base.", &["K/K/", "K/K/K"], &["K//", "YK/K/"]),
    (
        "There is a tower lower than each of the others, and its top block is black.",
        // An empty box is no tower, of which the others would have to be lower.
        &["K/YY/YY", "K/YY/"],
        &["K/K/YY", "KK/Y/", "K//", "//", "KY/YYY/YYY"],
    ),
    ("There is a tower of blocks of all three colors with black at the base.", &["KYB//"], &["YKB//", "KYY//"]),
    ("There is a tower with more yellow blocks than black blocks.", &["YYK//", "Y//"], &["YK/KKY/"]),
    ("There are more yellow blocks than black blocks.", &["YY/K/"], &["Y/K/", "//"]),
    ("There is a yellow block directly between two black blocks.", &["KYK//"], &["KYYK//", "KY//", "KYB//"]),
    ("There is a yellow block with blocks above it, all of which are black.", &["YKK//"], &["Y//", "YKB//"]),
    ("There is a yellow block and there is no black block in the same box.", &["YB/K/"], &["YK/K/", "/B/"]),
    (
        "The yellow blocks and the black blocks are equally many, and there are some.",
        &["YK//", "YY/KK/"],
        &["//", "B//", "YYK//"],
    ),
    ("At least two towers have the same height.", &["Y/K/", "Y/Y/Y"], &["Y//", "Y/YY/YYY", "//"]),
    ("All three boxes hold towers and no two are of the same height.", &["Y/YY/YYY"], &["/Y/YY", "Y/Y/YY"]),
    // Fillers.
    ("There is a black block at the top.", &["YK//", "K//"], &["KY//"]),
    ("There is a black block at the base.", &["KY//"], &["YK//"]),
    ("There is a black block in the second place from the ground.", &["YKY//"], &["K//", "YYK//"]),
    ("There is a black block in the third place from the ground.", &["YYK//"], &["YK//", "YYYK//"]),
    ("There is a block that is not black.", &["KY//"], &["K//", "//"]),
    ("There is a black block directly between two blocks of the same color.", &["YKY//"], &["YKB//", "YKKY//", "YK//"]),
    ("There is a black block directly on a yellow block.", &["YK//"], &["YBK//", "KY//", "Y/K/"]),
    ("There is a black block directly under a yellow block.", &["KY//"], &["KBY//", "YK//"]),
    ("There is a black block somewhere above a yellow block.", &["YBK//", "YK//"], &["KY//", "Y/K/"]),
    ("There is a black block somewhere below a yellow block.", &["KBY//"], &["YK//"]),
    ("There is a black block touching a yellow block.", &["YK//", "KY//"], &["YBK//", "Y/K/"]),
    ("There is a block that is yellow or black.", &["K//", "Y//"], &["B//", "//"]),
];

const SCATTER: &[Pair] = &[
    // Whose top is level with another's is not the highest; nor is what is alone.
    (
        "There is a black item whose top is higher than that of every other item in its box.",
        &["Ko10@0,10 Yo10@40,11//"],
        &["Ko10@0,10 Yo10@40,10//", "Ko10@0,10//", "Ko10@0,12 Yo10@40,11//"],
    ),
    (
        "There is a black item whose top is lower than that of every other item in its box.",
        &["Ko10@0,12 Yo10@40,11//"],
        &["Ko10@0,11 Yo10@40,11//", "Ko10@0,11//"],
    ),
    // Squares in a column are a tower, and what is above them does not depend on it.
    (
        "There is a black item that is entirely above a yellow item.",
        &["K#20@40,17 Y#20@40,80//", "K#20@40,17 Y#20@10,80//", "K#20@40,17 B#20@40,59 Y#20@40,80//"],
        &["K#20@40,70 Y#20@10,80//", "Y#20@40,17 K#20@40,80//", "K#20@40,17/Y#20@40,80/"],
    ),
    (
        "There is a black item that is entirely below a yellow item.",
        &["Y#20@40,17 K#20@40,80//", "Y#20@40,17 B#20@40,59 K#20@40,80//"],
        &["K#20@40,17 Y#20@40,80//", "Y#20@10,70 K#20@40,80//"],
    ),
    ("There is a black item somewhere above a circle.", &["K#20@40,17 Yo20@40,80//"], &["Yo20@40,17 K#20@40,80//"]),
    (
        "There is a black item touching a yellow item.",
        &["K#20@0,0 Y#20@21,0//"],
        &["K#20@0,0 Y#20@22,0//", "K#20@0,0 B#20@20,0//"],
    ),
    ("There is a circle touching the top wall.", &["Yo10@40,0//"], &["Yo10@40,1//", "Yo10@0,40//"]),
    ("There is a circle touching a wall.", &["Yo10@0,40//"], &["Yo10@1,40//", "Y#10@0,40//"]),
    ("There is a circle touching or nearly touching a wall.", &["Yo10@0,40//", "Yo10@4,40//"], &["Yo10@5,40//"]),
    ("There is a circle touching a corner.", &["Yo10@0,0//"], &["Yo10@0,1//", "Yo10@0,40//"]),
    ("There is a circle in or very near a corner.", &["Yo10@4,4//", "Yo10@0,0//"], &["Yo10@4,5//"]),
    ("There is a black circle not touching any wall.", &["Ko10@1,1//"], &["Ko10@0,1//", "Yo10@1,1//"]),
    ("There is a small circle.", &["Yo10@1,1//"], &["Yo20@1,1//", "Y#10@1,1//"]),
    ("There is a small black item.", &["K#10@1,1//"], &["K#20@1,1//"]),
    (
        "There is a black item touching or nearly touching the bottom wall.",
        &["Ko10@40,86//"],
        &["Ko10@40,85//", "Ko10@0,40//"],
    ),
    (
        "There is a box with exactly four items, at least one of which is a black item.",
        &["Ko10@0,0 Yo10@20,0 Yo10@40,0 Ko10@60,0//"],
        &[
            "Ko10@0,0 Yo10@20,0 Yo10@40,0//",
            "Ko10@0,0 Yo10@20,0 Yo10@40,0 Ko10@60,0 Ko10@80,0//",
            "Yo10@0,0 Yo10@20,0 Yo10@40,0 Yo10@60,0//",
        ],
    ),
    (
        "There is exactly one box with a black item and it has at least three items.",
        &["Ko10@0,0 Yo10@20,0 Yo10@40,0//"],
        &["Ko10@0,0 Yo10@20,0//", "Ko10@0,0 Yo10@20,0 Yo10@40,0/Ko10@0,0/"],
    ),
    ("There is a black item that is alone in its box.", &["Ko10@0,0/Yo10@0,0/"], &["Ko10@0,0 Ko10@20,0//"]),
    (
        "There is a box with exactly three items, including a black item.",
        &["Ko10@0,0 Yo10@20,0 Yo10@40,0//"],
        &["Ko10@0,0 Yo10@20,0//", "Yo10@0,0 Yo10@20,0 Yo10@40,0/Ko10@0,0/"],
    ),
    (
        "There is a box with at least two items and all of them have the same color.",
        &["Ko10@0,0 K#10@20,0//"],
        &["Ko10@0,0//", "Ko10@0,0 Yo10@20,0//"],
    ),
    (
        "There is a box with at least two items and all of them have the same shape.",
        &["Ko10@0,0 Yo10@20,0//"],
        &["Ko10@0,0//"],
    ),
    (
        "There is a box with at least two items and all of them have the same size.",
        &["Ko10@0,0 Y#10@20,0//"],
        &["Ko10@0,0//"],
    ),
    (
        "There is a box with items of three different colors.",
        &["Ko10@0,0 Yo10@20,0 Bo10@40,0//"],
        &["Ko10@0,0 Yo10@20,0/Bo10@40,0/"],
    ),
    (
        "There is a box with items of three different shapes.",
        &["Ko10@0,0 K#10@20,0 K^10@40,0//"],
        &["Ko10@0,0 K#10@20,0/K^10@40,0/"],
    ),
    (
        "There is a box with items of three different sizes.",
        &["Ko10@0,0 Ko20@20,0 Ko30@50,0//"],
        &["Ko10@0,0 Ko20@20,0/Ko30@50,0/"],
    ),
    (
        "There is a circle in or very near the upper left corner of a box.",
        &["Yo10@0,0//", "Yo10@4,4//"],
        &["Yo10@90,0//", "Yo10@0,90//", "Yo10@5,0//"],
    ),
    (
        "At least two circles of the same color touch each other.",
        &["Ko10@0,0 Ko10@10,0//"],
        &["Ko10@0,0 Yo10@10,0//", "Ko10@0,0 Ko10@12,0//", "Ko10@0,0//"],
    ),
    (
        "There are black items of the same shape that touch or nearly touch each other.",
        &["Ko10@0,0 Ko10@14,0//"],
        &["Ko10@0,0 K#10@14,0//", "Ko10@0,0 Ko10@15,0//"],
    ),
    (
        "There is a black item touching another item of the same size.",
        &["Ko10@0,0 Y#10@10,0//"],
        &["Ko10@0,0 Y#20@10,0//", "Ko10@0,0//"],
    ),
    (
        "There are at least two black items of the same size.",
        &["Ko10@0,0/K#10@0,0/"],
        &["Ko10@0,0/K#20@0,0/", "Ko10@0,0/Yo10@0,0/"],
    ),
    (
        "There is a black item with at least two items entirely above or entirely below it.",
        &["Ko10@0,40 Yo10@0,0 Yo10@0,80//", "K#20@40,59 Y#20@40,38 Y#20@40,17//"],
        &["Ko10@0,40 Yo10@0,0 Yo10@40,41//"],
    ),
    (
        "There is a color that is found in every box.",
        &["Ko10@0,0/Ko10@0,0/Ko10@0,0"],
        &["Ko10@0,0/Ko10@0,0/", "Ko10@0,0/Yo10@0,0/Bo10@0,0"],
    ),
    ("There is a shape that is found in every box.", &["Ko10@0,0/Yo10@0,0/Bo10@0,0"], &["Ko10@0,0/K#10@0,0/Ko10@0,0"]),
    ("There are exactly two small items.", &["Ko10@0,0 Yo10@20,0//"], &["Ko10@0,0//", "Ko10@0,0 Yo10@20,0/Yo10@0,0/"]),
    (
        "There are black items, and all of them are small.",
        &["Ko10@0,0/Yo20@0,0/"],
        &["Yo10@0,0//", "Ko10@0,0 Ko20@40,0//"],
    ),
    (
        "There are black items, and all of them have the same shape.",
        &["Ko10@0,0/Ko20@0,0/"],
        &["//", "Ko10@0,0/K#10@0,0/"],
    ),
    (
        "The boxes are filled, and all have the same number of items.",
        &["Ko10@0,0/Ko10@0,0/Ko10@0,0"],
        &["//", "Ko10@0,0/Ko10@0,0/"],
    ),
    ("At least one of the circles touches a wall.", &["Ko10@0,40 Yo10@40,40//"], &["K#10@0,40 Yo10@40,40//", "//"]),
    ("There are circles, and none of them touches a corner.", &["Ko10@0,40//"], &["//", "Ko10@0,0 Ko10@40,40//"]),
    (
        "A black item has items entirely above and entirely below it, and all these have one color.",
        &["Yo10@0,0 Ko10@0,40 Yo10@0,80//"],
        &["Yo10@0,0 Ko10@0,40 Bo10@0,80//", "Yo10@0,0 Ko10@0,40//", "B#20@40,80 Y#20@40,59 K#20@40,38 Y#20@40,17//"],
    ),
    (
        "There is a box with both a black circle and a black square.",
        &["Ko10@0,0 K#10@20,0//"],
        &["Ko10@0,0/K#10@20,0/", "Ko10@0,0 Y#10@20,0//"],
    ),
    ("There is a box with more circles than squares.", &["Ko10@0,0/K#10@0,0 K#10@20,0/"], &["Ko10@0,0 K#10@20,0//"]),
    ("There are fewer circles than squares.", &["K#10@0,0/K#10@0,0 Ko10@20,0/"], &["Ko10@0,0 K#10@20,0//", "//"]),
    ("There are more yellow items than black items.", &["Yo10@0,0//"], &["Yo10@0,0 Ko10@20,0//", "//"]),
    (
        "The yellow items and the black items together are exactly four.",
        &["Yo10@0,0 Yo10@20,0/Ko10@0,0 Ko10@20,0/", "Ko10@0,0 Ko10@20,0/Ko10@0,0 Ko10@20,0/"],
        &["Yo10@0,0 Yo10@20,0/Ko10@0,0/", "//"],
    ),
];

#[test]
fn amendment_32_sentences_mean_their_programs() {
    let parsers: [fn(&str) -> Scene; 2] = [tower, scattered];
    for ((appearance, pairs), parse) in
        [(Appearance::Tower, TOWER), (Appearance::Scatter, SCATTER)].into_iter().zip(parsers)
    {
        let mut covered = BTreeSet::new();
        for &(sentence, yes, no) in pairs {
            let own =
                drafts(appearance).iter().find(|(draft, _)| draft.wordings.iter().any(|(said, _)| said == sentence));
            let (draft, _) = own.unwrap_or_else(|| panic!("nothing says `{sentence}`"));
            let program = Program::parse(&draft.program).unwrap();
            for (scenes, expected) in [(yes, true), (no, false)] {
                assert!(!scenes.is_empty(), "{sentence}");
                for scene in scenes {
                    assert_eq!(program.truth(&parse(scene)), Ok(expected), "{sentence} {scene}");
                }
            }
            covered.insert(draft.frame);
        }
        // Frames that both appearances share mean the same in both: those of TOWER are all drawn above.
        let shared = drafts(Appearance::Tower).iter().map(|(draft, _)| draft.frame).take_while(|frame| *frame < 28);
        let all: BTreeSet<_> = drafts(appearance).iter().map(|(draft, _)| draft.frame).collect();
        let shared: BTreeSet<_> =
            if appearance == Appearance::Tower { BTreeSet::new() } else { shared.chain([32]).collect() };
        let left: Vec<_> = all.difference(&covered).filter(|frame| !shared.contains(frame)).collect();
        let said = |frame: &&u16| {
            drafts(appearance).iter().find(|(draft, _)| draft.frame == **frame).unwrap().0.sentence.clone()
        };
        assert!(left.is_empty(), "{:#?}", left.iter().map(said).collect::<Vec<_>>());
    }
}

/// Programs of the corpus do not ask whether a box is a tower where the sentence speaks of above, below or between.
#[test]
fn amendment_32_above_and_below_do_not_depend_on_towers() {
    for (draft, kept) in drafts(Appearance::Scatter) {
        let asks = ["get_above", "get_below", "is_tower", "is_second", "is_third", "is_closely_touching("];
        assert!(kept.is_none() || asks.iter().all(|name| !draft.program.contains(name)), "{}", draft.sentence);
    }
    for (draft, kept) in drafts(Appearance::Tower).iter().filter(|(_, kept)| kept.is_some()) {
        let direct = ["intersect(get_below(x), get_touching(x))", "intersect(get_above(x), get_touching(x))"];
        let rest = direct.iter().fold(draft.program.clone(), |text, part| text.replace(part, ""));
        assert!(kept.is_some() && !rest.contains("get_above") && !rest.contains("get_below"), "{}", draft.sentence);
    }
}

/// What nobody could tell the meaning of is not said.
#[test]
fn amendment_32_what_could_be_misread_is_not_said() {
    for appearance in [Appearance::Tower, Appearance::Scatter] {
        for (draft, _) in drafts(appearance) {
            for sentence in draft.wordings.iter().map(|(said, _)| said).chain([&draft.sentence]) {
                let lower = sentence.to_lowercase();
                for vague in ["lowest box", "highest box", "line up", "lines up", "items and a ", "blocks and a "] {
                    assert!(!lower.contains(vague), "{sentence}");
                }
            }
        }
    }
}

/// One object has its tower and its box, several have theirs: none is spoken of in both numbers.
#[test]
fn amendment_32_possessives_agree_with_their_nouns() {
    let one = ["block", "brick", "cube", "item", "object", "figure", "circle", "square", "triangle", "each", "box"];
    for appearance in [Appearance::Tower, Appearance::Scatter] {
        let (mut singular, mut plural) = (0, 0);
        for (sentence, _) in drafts(appearance).iter().flat_map(|(draft, _)| &draft.wordings) {
            let words: Vec<_> = crate::reader::words(sentence).collect();
            for (at, word) in words.iter().enumerate().filter(|(_, word)| ["its", "their"].contains(&word.as_str())) {
                let several = |word: &str| one.iter().any(|one| word.strip_suffix('s') == Some(one));
                let owner = words[..at].iter().rev().find(|word| one.contains(&word.as_str()) || several(word));
                assert_eq!(several(owner.unwrap()), word == "their", "{sentence}");
                *if word == "its" { &mut singular } else { &mut plural } += 1;
            }
        }
        assert!(singular > 100 && plural > 100, "{appearance:?}: {singular} and {plural}");
    }
}
