//! Frames: what a statement says of the objects that a filler describes.
//!
//! A sentence means its program in plain English: comparisons are strict where the words are, "all" and "none" speak of
//! something that is there, and above, below and between never depend on whether a box happens to be a tower.

use super::Draft;
use super::phrases::category::{
    COMPARATIVE, COORDINATION, COREFERENCE, EXISTENTIAL, HARD, NEGATION, PP, PRESUPPOSITION, SOFT, SPATIAL, UNIVERSAL,
};
use super::phrases::{Phrase, Wording, phrases};
use super::statements;
use crate::config::Appearance;

/// Something that is said of whatever a filler describes: in several wordings of one meaning, and as a program. `{a}`, `{n}`
/// and `{s}` are one with its article, one without and several of what the filler describes, `{P}` its condition on `y`; `{B}`
/// is what objects are called.
struct Frame {
    says: &'static [&'static str],
    program: &'static str,
    categories: u16,
}

const fn frame(says: &'static [&'static str], program: &'static str, categories: u16) -> Frame {
    Frame { says, program, categories }
}

/// Frames that count what the filler describes, wherever it is.
const COUNTS: &[Frame] = &[
    frame(
        &["There is {a}.", "There is at least one {n}.", "Somewhere there is {a}.", "One can see {a}."],
        "exist(filter_obj(all_items, lambda y: {P}))",
        EXISTENTIAL,
    ),
    frame(
        &[
            "There are {B}s, but not a single {n}.",
            "There are {B}s, but there is no {n}.",
            "The boxes are not all empty, yet they contain no {s}.",
            "There are {B}s, none of which is {a}.",
        ],
        "exist(all_items) and NOT(exist(filter_obj(all_items, lambda y: {P})))",
        NEGATION | EXISTENTIAL | COORDINATION,
    ),
    frame(
        &[
            "There is exactly one {n}.",
            "There is precisely one {n}.",
            "There is one and only one {n}.",
            "Altogether there is a single {n}.",
        ],
        "count(filter_obj(all_items, lambda y: {P})) == 1",
        HARD,
    ),
    frame(
        &[
            "There are exactly two {s}.",
            "There are precisely two {s}.",
            "The number of {s} is two.",
            "In total there are just two {s}.",
        ],
        "count(filter_obj(all_items, lambda y: {P})) == 2",
        HARD,
    ),
    frame(
        &[
            "There are exactly three {s}.",
            "There are three {s}, neither more nor fewer.",
            "The total number of {s} equals three.",
        ],
        "equal_int(count(filter_obj(all_items, lambda y: {P})), 3)",
        HARD,
    ),
    frame(
        &[
            "There are at least two {s}.",
            "There are two or more {s}.",
            "There is more than one {n}.",
            "There are no fewer than two {s}.",
        ],
        "ge(count(filter_obj(all_items, lambda y: {P})), 2)",
        SOFT,
    ),
    frame(
        &["There are more than two {s}.", "There are at least three {s}.", "The boxes contain a minimum of three {s}."],
        "gt(count(filter_obj(all_items, lambda y: {P})), 2)",
        SOFT,
    ),
    frame(
        &[
            "There are {B}s, and at most one of them is {a}.",
            "The boxes are not all empty, and they hold at most one {n}.",
            "There are {B}s, but no more than one {n}.",
        ],
        "exist(all_items) and le(count(filter_obj(all_items, lambda y: {P})), 1)",
        SOFT | COORDINATION,
    ),
    frame(
        &[
            "There is at least one {n}, but there are fewer than three.",
            "There are one or two {s}.",
            "There are some {s}, yet less than three.",
        ],
        "exist(filter_obj(all_items, lambda y: {P})) and lt(count(filter_obj(all_items, lambda y: {P})), 3)",
        SOFT | COORDINATION,
    ),
    frame(
        &["There is an odd number of {s}.", "The number of {s} is odd.", "Counting the {s} gives an odd number."],
        "count(filter_obj(all_items, lambda y: {P})) % 2 == 1",
        HARD,
    ),
    frame(
        &[
            "More than half of the {B}s are {s}.",
            "Most of the {B}s are {s}.",
            "The {s} outnumber all the other {B}s together.",
        ],
        "gt(count(filter_obj(all_items, lambda y: {P})), count(filter_obj(all_items, lambda y: NOT({P}))))",
        COMPARATIVE | SOFT,
    ),
];

/// Frames about the boxes that hold what the filler describes.
const BOXES: &[Frame] = &[
    frame(
        &[
            "Exactly two boxes have {a}.",
            "Two of the boxes contain {a}, and the other does not.",
            "{A} is found in just two boxes.",
        ],
        "count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 2",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &["Exactly one box has {a}.", "A single box contains {a}.", "{A} is present in one box only."],
        "count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &["At least two boxes have {a}.", "More than one box includes {a}."],
        "ge(count(filter_obj(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P})))), 2)",
        SOFT | EXISTENTIAL | PP,
    ),
    frame(
        &[
            "There is {a} in every box.",
            "Every box has {a}.",
            "Each of the boxes contains {a}.",
            "All three boxes include {a}.",
        ],
        "All(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
        UNIVERSAL | EXISTENTIAL | PP,
    ),
    frame(
        &[
            "At least one box that is not empty has no {n}.",
            "Some box has {B}s but lacks {a}.",
            "There is a filled box without any {n}.",
        ],
        "Any(all_boxes, lambda x: exist(x) and not exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
        NEGATION | EXISTENTIAL,
    ),
    frame(
        &["There is a box with at least two {s}.", "Some box holds two or more {s}.", "At least two {s} share a box."],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(x.all_items_in_box(), lambda y: {P})) >= 2))",
        SOFT | EXISTENTIAL | PP,
    ),
    frame(
        &[
            "There is a box with exactly two {s}.",
            "Some box has exactly two {s}.",
            "One can find a box containing precisely two {s}.",
        ],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(x, lambda y: {P})) == 2))",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &[
            "There is a box that is not empty and all {B}s of which are {s}.",
            "Some box holds nothing but {s}.",
            "There is a box filled with {s} alone.",
        ],
        "exist(filter_obj(all_boxes, lambda x: All(x, lambda y: {P})))",
        UNIVERSAL | EXISTENTIAL,
    ),
    frame(
        &[
            "There is {a}, and all such {B}s are in the same box.",
            "All the {s}, of which there is at least one, are together in one box.",
        ],
        "all_same_attribute(filter_obj(all_items, lambda y: {P}), lambda z: z.box)",
        UNIVERSAL | PRESUPPOSITION | COREFERENCE,
    ),
    frame(
        &["There is {a} together with another {B} in a box.", "Some box has {a} and one {B} or more besides it."],
        "exist(filter_obj(all_boxes, lambda x: count(x) >= 2 and exist(filter_obj(x, lambda y: {P}))))",
        EXISTENTIAL | COORDINATION,
    ),
    frame(
        &["The left box has {a}.", "The box on the left contains {a}.", "{A} is in the leftmost box."],
        "exist(filter_obj(all_boxes[0], lambda y: {P}))",
        PRESUPPOSITION | EXISTENTIAL | SPATIAL | PP,
    ),
    frame(
        &["The middle box has {a}.", "The central box contains {a}.", "{A} is in the box in the middle."],
        "exist(filter_obj(all_boxes[1], lambda y: {P}))",
        PRESUPPOSITION | EXISTENTIAL | SPATIAL | PP,
    ),
    frame(
        &["The right box has {a}.", "The box on the right contains {a}.", "{A} is in the rightmost box."],
        "exist(filter_obj(all_boxes[2], lambda y: {P}))",
        PRESUPPOSITION | EXISTENTIAL | SPATIAL | PP,
    ),
    frame(
        &[
            "The left box and the right box both have {a}.",
            "Both outer boxes contain {a}.",
            "{A} is in the left box, and another in the right one.",
        ],
        "exist(filter_obj(all_boxes[0], lambda y: {P})) and exist(filter_obj(all_boxes[2], lambda y: {P}))",
        PRESUPPOSITION | COORDINATION | PP,
    ),
    frame(
        &[
            "The middle box has {a}, but neither of the others does.",
            "Of the three boxes the middle one alone has {a}.",
        ],
        "exist(filter_obj(all_boxes[1], lambda y: {P})) and count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, \
         lambda y: {P})))) == 1",
        PRESUPPOSITION | NEGATION | COORDINATION | PP,
    ),
    frame(
        &[
            "The left box has more {s} than the right box.",
            "There are fewer {s} in the right box than in the left one.",
        ],
        "gt(count(filter_obj(all_boxes[0], lambda y: {P})), count(filter_obj(all_boxes[2], lambda y: {P})))",
        COMPARATIVE | PRESUPPOSITION,
    ),
    frame(
        &["No box is empty, and exactly one of them has {a}.", "Every box is filled, but only one contains {a}."],
        "All(all_boxes, lambda x: exist(x)) and count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: \
         {P})))) == 1",
        UNIVERSAL | HARD | COORDINATION,
    ),
];

/// Frames of TOWER.
const TOWERS: &[Frame] = &[
    frame(
        &[
            "There is a tower of exactly three blocks with {a}.",
            "A stack of exactly three blocks has {a}.",
            "Some tower that is three blocks high contains {a}.",
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x.all_items_in_box()) == 3 and \
         exist(filter_obj(x.all_items_in_box(), lambda y: {P}))))",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &["There is exactly one tower of four blocks with {a}.", "Precisely one stack of four blocks includes {a}."],
        "count(filter_obj(all_boxes, lambda x: AND(x.is_tower(), count(x) == 4) and exist(filter_obj(x, lambda y: \
         {P})))) == 1",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &[
            "There is exactly one tower with {a} and it has three blocks.",
            "Only one tower has {a}, and that tower is three blocks high.",
        ],
        "count(filter_obj(all_boxes, lambda x: count(x) == 3 and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
        HARD | COREFERENCE | COORDINATION | PP,
    ),
    frame(
        &[
            "There is a tower of two blocks with {a}.",
            "A pile of just two blocks has {a}.",
            "Some tower consisting of two blocks contains {a}.",
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x) == 2 and exist(filter_obj(x, lambda y: {P}))))",
        HARD | EXISTENTIAL | PP,
    ),
    frame(
        &["There is a tower of at least three blocks without {a}.", "A tower of three or more blocks lacks {a}."],
        "exist(filter_obj(all_boxes, lambda x: ge(count(x), 3) and not exist(filter_obj(x, lambda y: {P}))))",
        SOFT | EXISTENTIAL | NEGATION | PP,
    ),
    frame(
        &[
            "There is a tower with {a} that is higher than each of the other towers.",
            "The one tower that is strictly the tallest has {a}.",
        ],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(all_boxes, lambda z: ge(count(z), count(x)))) == 1 and \
         exist(filter_obj(x, lambda y: {P}))))",
        COMPARATIVE | EXISTENTIAL | PP,
    ),
];

/// Frames of SCATTER.
const SCATTERED: &[Frame] = &[
    frame(
        &[
            "There is a box with exactly four items, at least one of which is {a}.",
            "A box has four items in all, at least one of them being {a}.",
        ],
        "exist(filter_obj(all_boxes, lambda x: count(x) == 4 and exist(filter_obj(x, lambda y: {P}))))",
        HARD | EXISTENTIAL | COREFERENCE,
    ),
    frame(
        &[
            "There is exactly one box with {a} and it has at least three items.",
            "Only one box holds {a}, and that box has three items or more.",
        ],
        "count(filter_obj(all_boxes, lambda x: ge(count(x), 3) and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
        HARD | SOFT | COREFERENCE | COORDINATION,
    ),
    frame(
        &[
            "There is {a} that is alone in its box.",
            "A box contains {a} and nothing else.",
            "There is {a}, and it shares its box with no other.",
        ],
        "exist(filter_obj(all_items, lambda y: {P} and not exist(get_box_exclusive(y))))",
        EXISTENTIAL | NEGATION | COREFERENCE,
    ),
    frame(
        &[
            "There is a box with exactly three items, including {a}.",
            "Some box has three items in total, and {a} is among them.",
        ],
        "exist(filter_obj(all_items, lambda y: {P} and count(get_box_inclusive(y)) == 3))",
        HARD | EXISTENTIAL,
    ),
];

/// Some fillers in every so many are said to be absent from empty boxes too: of those an immediate STOP is right.
const PLAIN_NEGATION: Frame =
    frame(&["There is no {n}.", "There are no {s}."], "NOT(exist(filter_obj(all_items, lambda y: {P})))", NEGATION);
/// Number of fillers that are denied plainly.
const DENIED: usize = 6;

/// Collects the statements of one appearance.
pub(super) struct Collection {
    drafts: Vec<Draft>,
    frames: u16,
    appearance: Appearance,
}

/// One of `n`, by the numbers of frame and filler.
fn choice(frame: u16, filler: usize, salt: u64, n: usize) -> usize {
    let mixed = (u64::from(frame) << 32 | (filler as u64) << 8 | salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize % n
}

impl Collection {
    fn fill(&mut self, frame: &Frame, phrases: &[Phrase]) {
        let noun = if self.appearance == Appearance::Tower { "block" } else { "item" };
        let sentence = |says: &str, wording: &Wording| {
            let a = wording.a();
            let mut capital = a.clone();
            capital[..1].make_ascii_uppercase();
            let sentence = says.replace("{a}", &a).replace("{A}", &capital).replace("{n}", &wording.one);
            sentence.replace("{s}", &wording.many).replace("{B}", noun)
        };
        for (filler, phrase) in phrases.iter().enumerate() {
            let says = frame.says[choice(self.frames, filler, 1, frame.says.len())];
            let wording = &phrase.wordings[choice(self.frames, filler, 2, phrase.wordings.len())];
            // A prepositional phrase within another can belong to either noun.
            let ambiguous = frame.categories & phrase.categories & PP & wording.categories();
            self.drafts.push(Draft {
                sentence: sentence(says, wording),
                #[cfg(test)]
                wordings: {
                    let all = frame.says.iter().flat_map(|says| phrase.wordings.iter().map(|w| sentence(says, w)));
                    all.collect()
                },
                program: frame.program.replace("{P}", &phrase.condition),
                categories: (frame.categories | phrase.categories) & !PP | ambiguous,
                #[cfg(test)]
                frame: self.frames,
            });
        }
        self.frames += 1;
    }

    /// A frame of its own for the fillings of `names`: `{1}`, `{2}` and so on in sentence and program.
    pub(super) fn own(&mut self, says: &[&str], program: &str, categories: u16, fillings: &[Vec<String>]) {
        let none = [Vec::new()];
        let fillings = if fillings.is_empty() { &none } else { fillings };
        for (filler, names) in fillings.iter().enumerate() {
            let put = |text: &str| {
                let numbered = names.iter().enumerate();
                numbered.fold(text.to_owned(), |text, (i, name)| text.replace(&format!("{{{}}}", i + 1), name))
            };
            self.drafts.push(Draft {
                sentence: put(says[choice(self.frames, filler, 1, says.len())]),
                #[cfg(test)]
                wordings: says.iter().map(|says| put(says)).collect(),
                program: put(program),
                categories,
                #[cfg(test)]
                frame: self.frames,
            });
        }
        self.frames += 1;
    }
}

/// All statements of one appearance, those included that the table leaves out.
pub(super) fn drafts(appearance: Appearance) -> Vec<Draft> {
    let mut all = Collection { drafts: Vec::new(), frames: 0, appearance };
    let phrases = phrases(appearance);
    let own = if appearance == Appearance::Tower { TOWERS } else { SCATTERED };
    for frame in COUNTS.iter().chain(BOXES).chain(own) {
        all.fill(frame, &phrases);
    }
    all.fill(&PLAIN_NEGATION, &phrases[..DENIED]);
    match appearance {
        Appearance::Tower => statements::towers(&mut all),
        Appearance::Scatter => statements::scattered(&mut all),
    }
    all.drafts
}
