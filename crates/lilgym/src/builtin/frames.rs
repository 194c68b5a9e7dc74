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
    says: &'static [Said<'static>],
    program: &'static str,
}

/// A wording and its categories; with [`PP`] if a prepositional phrase of the filler could belong to a noun of the wording.
pub(super) type Said<'a> = (&'a str, u16);

const fn frame(says: &'static [Said<'static>], program: &'static str) -> Frame {
    Frame { says, program }
}

/// Frames that count what the filler describes, wherever it is.
const COUNTS: &[Frame] = &[
    frame(
        &[
            ("There is {a}.", EXISTENTIAL),
            ("There is at least one {n}.", SOFT | EXISTENTIAL),
            ("Somewhere there is {a}.", EXISTENTIAL),
            ("One can see {a}.", EXISTENTIAL),
        ],
        "exist(filter_obj(all_items, lambda y: {P}))",
    ),
    frame(
        &[
            ("There are {B}s, but not a single {n}.", EXISTENTIAL | COORDINATION | NEGATION),
            ("There are {B}s, but there is no {n}.", EXISTENTIAL | COORDINATION | NEGATION),
            (
                "The boxes are not all empty, yet they contain no {s}.",
                UNIVERSAL | COORDINATION | COREFERENCE | PRESUPPOSITION | NEGATION,
            ),
            ("There are {B}s, none of which is {a}.", EXISTENTIAL | NEGATION),
        ],
        "exist(all_items) and NOT(exist(filter_obj(all_items, lambda y: {P})))",
    ),
    frame(
        &[
            ("There is exactly one {n}.", HARD),
            ("There is precisely one {n}.", HARD),
            ("There is one and only one {n}.", HARD),
            ("Altogether there is a single {n}.", HARD),
        ],
        "count(filter_obj(all_items, lambda y: {P})) == 1",
    ),
    frame(
        &[
            ("There are exactly two {s}.", HARD),
            ("There are precisely two {s}.", HARD),
            ("The number of {s} is two.", HARD),
            ("In total there are just two {s}.", HARD),
        ],
        "count(filter_obj(all_items, lambda y: {P})) == 2",
    ),
    frame(
        &[
            ("There are exactly three {s}.", HARD),
            ("There are three {s}, neither more nor fewer.", HARD | COORDINATION | COMPARATIVE | NEGATION),
            ("The total number of {s} equals three.", HARD),
        ],
        "equal_int(count(filter_obj(all_items, lambda y: {P})), 3)",
    ),
    frame(
        &[
            ("There are at least two {s}.", SOFT),
            ("There are two or more {s}.", SOFT),
            ("There is more than one {n}.", SOFT),
            ("There are no fewer than two {s}.", SOFT),
        ],
        "ge(count(filter_obj(all_items, lambda y: {P})), 2)",
    ),
    frame(
        &[
            ("There are more than two {s}.", SOFT),
            ("There are at least three {s}.", SOFT),
            ("The boxes contain a minimum of three {s}.", SOFT | PRESUPPOSITION),
        ],
        "gt(count(filter_obj(all_items, lambda y: {P})), 2)",
    ),
    frame(
        &[
            ("There are {B}s, and at most one of them is {a}.", SOFT | EXISTENTIAL | COORDINATION | COREFERENCE),
            (
                "The boxes are not all empty, and they hold at most one {n}.",
                SOFT | UNIVERSAL | COORDINATION | COREFERENCE | PRESUPPOSITION | NEGATION,
            ),
            ("There are {B}s, but no more than one {n}.", SOFT | EXISTENTIAL | COORDINATION),
        ],
        "exist(all_items) and le(count(filter_obj(all_items, lambda y: {P})), 1)",
    ),
    frame(
        &[
            ("There is at least one {n}, but there are fewer than three.", SOFT | EXISTENTIAL | COORDINATION),
            ("There are one or two {s}.", SOFT | COORDINATION),
            ("There are some {s}, yet less than three.", SOFT | EXISTENTIAL | COORDINATION),
        ],
        "exist(filter_obj(all_items, lambda y: {P})) and lt(count(filter_obj(all_items, lambda y: {P})), 3)",
    ),
    frame(
        &[
            ("There is an odd number of {s}.", HARD),
            ("The number of {s} is odd.", HARD),
            ("Counting the {s} gives an odd number.", HARD | PRESUPPOSITION),
        ],
        "count(filter_obj(all_items, lambda y: {P})) % 2 == 1",
    ),
    frame(
        &[
            ("More than half of the {B}s are {s}.", SOFT | PRESUPPOSITION),
            ("Most of the {B}s are {s}.", SOFT | PRESUPPOSITION),
            ("The {s} outnumber all the other {B}s together.", UNIVERSAL | COMPARATIVE | PRESUPPOSITION),
        ],
        "gt(count(filter_obj(all_items, lambda y: {P})), count(filter_obj(all_items, lambda y: NOT({P}))))",
    ),
];

/// Frames about the boxes that hold what the filler describes.
const BOXES: &[Frame] = &[
    frame(
        &[
            ("Exactly two boxes have {a}.", HARD | EXISTENTIAL | PP),
            (
                "Two of the boxes contain {a}, and the other does not.",
                HARD | EXISTENTIAL | COORDINATION | PRESUPPOSITION | NEGATION | PP,
            ),
            ("{A} is found in just two boxes.", HARD | EXISTENTIAL),
        ],
        "count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 2",
    ),
    frame(
        &[
            ("Exactly one box has {a}.", HARD | EXISTENTIAL | PP),
            ("A single box contains {a}.", HARD | EXISTENTIAL | PP),
            ("{A} is present in one box only.", HARD | EXISTENTIAL),
        ],
        "count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
    ),
    frame(
        &[
            ("At least two boxes have {a}.", SOFT | EXISTENTIAL | PP),
            ("More than one box includes {a}.", SOFT | EXISTENTIAL | PP),
        ],
        "ge(count(filter_obj(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P})))), 2)",
    ),
    frame(
        &[
            ("There is {a} in every box.", EXISTENTIAL | UNIVERSAL | PP),
            ("Every box has {a}.", EXISTENTIAL | UNIVERSAL | PP),
            ("Each of the boxes contains {a}.", EXISTENTIAL | UNIVERSAL | PRESUPPOSITION | PP),
            ("All three boxes include {a}.", HARD | EXISTENTIAL | UNIVERSAL | PP),
        ],
        "All(all_boxes, lambda x: exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
    ),
    frame(
        &[
            ("At least one box that is not empty has no {n}.", SOFT | EXISTENTIAL | NEGATION),
            ("Some box has {B}s but lacks {a}.", EXISTENTIAL | COORDINATION | NEGATION),
            ("There is a filled box without any {n}.", EXISTENTIAL | NEGATION),
        ],
        "Any(all_boxes, lambda x: exist(x) and not exist(filter_obj(x.all_items_in_box(), lambda y: {P})))",
    ),
    frame(
        &[
            ("There is a box with at least two {s}.", SOFT | EXISTENTIAL | PP),
            ("Some box holds two or more {s}.", SOFT | EXISTENTIAL | PP),
            ("At least two {s} share a box.", SOFT | EXISTENTIAL),
        ],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(x.all_items_in_box(), lambda y: {P})) >= 2))",
    ),
    frame(
        &[
            ("There is a box with exactly two {s}.", HARD | EXISTENTIAL | PP),
            ("Some box has exactly two {s}.", HARD | EXISTENTIAL | PP),
            ("One can find a box containing precisely two {s}.", HARD | EXISTENTIAL | PP),
        ],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(x, lambda y: {P})) == 2))",
    ),
    frame(
        &[
            (
                "There is a box that is not empty and all {B}s of which are {s}.",
                EXISTENTIAL | UNIVERSAL | COORDINATION | NEGATION,
            ),
            ("Some box holds nothing but {s}.", EXISTENTIAL | UNIVERSAL),
            ("There is a box filled with {s} alone.", EXISTENTIAL | UNIVERSAL),
        ],
        "exist(filter_obj(all_boxes, lambda x: All(x, lambda y: {P})))",
    ),
    frame(
        &[
            (
                "There is {a}, and all such {B}s are in the same box.",
                EXISTENTIAL | UNIVERSAL | COORDINATION | COREFERENCE | COMPARATIVE,
            ),
            (
                "All the {s}, of which there is at least one, are together in one box.",
                HARD | SOFT | EXISTENTIAL | UNIVERSAL | PRESUPPOSITION,
            ),
        ],
        "all_same_attribute(filter_obj(all_items, lambda y: {P}), lambda z: z.box)",
    ),
    frame(
        &[
            ("There is {a} together with another {B} in a box.", EXISTENTIAL),
            ("Some box has {a} and one {B} or more besides it.", SOFT | EXISTENTIAL | COORDINATION | COREFERENCE),
        ],
        "exist(filter_obj(all_boxes, lambda x: count(x) >= 2 and exist(filter_obj(x, lambda y: {P}))))",
    ),
    frame(
        &[
            ("The left box has {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("The box on the left contains {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("{A} is in the leftmost box.", EXISTENTIAL | SPATIAL | PRESUPPOSITION),
        ],
        "exist(filter_obj(all_boxes[0], lambda y: {P}))",
    ),
    frame(
        &[
            ("The middle box has {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("The central box contains {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("{A} is in the box in the middle.", EXISTENTIAL | SPATIAL | PRESUPPOSITION),
        ],
        "exist(filter_obj(all_boxes[1], lambda y: {P}))",
    ),
    frame(
        &[
            ("The right box has {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("The box on the right contains {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            ("{A} is in the rightmost box.", EXISTENTIAL | SPATIAL | PRESUPPOSITION),
        ],
        "exist(filter_obj(all_boxes[2], lambda y: {P}))",
    ),
    frame(
        &[
            (
                "The left box and the right box both have {a}.",
                EXISTENTIAL | COORDINATION | SPATIAL | PRESUPPOSITION | PP,
            ),
            ("Both outer boxes contain {a}.", EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
            (
                "{A} is in the left box, and another in the right one.",
                EXISTENTIAL | COORDINATION | SPATIAL | PRESUPPOSITION,
            ),
        ],
        "exist(filter_obj(all_boxes[0], lambda y: {P})) and exist(filter_obj(all_boxes[2], lambda y: {P}))",
    ),
    frame(
        &[
            (
                "The middle box has {a}, but neither of the others does.",
                EXISTENTIAL | COORDINATION | SPATIAL | PRESUPPOSITION | NEGATION | PP,
            ),
            ("Of the three boxes the middle one alone has {a}.", HARD | EXISTENTIAL | SPATIAL | PRESUPPOSITION | PP),
        ],
        "exist(filter_obj(all_boxes[1], lambda y: {P})) and count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, \
         lambda y: {P})))) == 1",
    ),
    frame(
        &[
            ("The left box has more {s} than the right box.", SPATIAL | COMPARATIVE | PRESUPPOSITION),
            ("There are fewer {s} in the right box than in the left one.", SPATIAL | COMPARATIVE | PRESUPPOSITION),
        ],
        "gt(count(filter_obj(all_boxes[0], lambda y: {P})), count(filter_obj(all_boxes[2], lambda y: {P})))",
    ),
    frame(
        &[
            (
                "No box is empty, and exactly one of them has {a}.",
                HARD | EXISTENTIAL | COORDINATION | COREFERENCE | NEGATION | PP,
            ),
            ("Every box is filled, but only one contains {a}.", HARD | EXISTENTIAL | UNIVERSAL | COORDINATION | PP),
        ],
        "All(all_boxes, lambda x: exist(x)) and count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: \
         {P})))) == 1",
    ),
];

/// Frames of TOWER.
const TOWERS: &[Frame] = &[
    frame(
        &[
            ("There is a tower of exactly three blocks with {a}.", HARD | EXISTENTIAL | PP),
            ("A stack of exactly three blocks has {a}.", HARD | EXISTENTIAL | PP),
            ("Some tower that is three blocks high contains {a}.", HARD | EXISTENTIAL | PP),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x.all_items_in_box()) == 3 and \
         exist(filter_obj(x.all_items_in_box(), lambda y: {P}))))",
    ),
    frame(
        &[
            ("There is exactly one tower of four blocks with {a}.", HARD | EXISTENTIAL | PP),
            ("Precisely one stack of four blocks includes {a}.", HARD | EXISTENTIAL | PP),
        ],
        "count(filter_obj(all_boxes, lambda x: AND(x.is_tower(), count(x) == 4) and exist(filter_obj(x, lambda y: \
         {P})))) == 1",
    ),
    frame(
        &[
            (
                "There is exactly one tower with {a} and it has three blocks.",
                HARD | EXISTENTIAL | COORDINATION | COREFERENCE | PP,
            ),
            (
                "Only one tower has {a}, and that tower is three blocks high.",
                HARD | EXISTENTIAL | COORDINATION | COREFERENCE | PP,
            ),
        ],
        "count(filter_obj(all_boxes, lambda x: count(x) == 3 and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
    ),
    frame(
        &[
            ("There is a tower of two blocks with {a}.", HARD | EXISTENTIAL | PP),
            ("A pile of just two blocks has {a}.", HARD | EXISTENTIAL | PP),
            ("Some tower consisting of two blocks contains {a}.", HARD | EXISTENTIAL | PP),
        ],
        "exist(filter_obj(all_boxes, lambda x: x.is_tower() and count(x) == 2 and exist(filter_obj(x, lambda y: {P}))))",
    ),
    frame(
        &[
            ("There is a tower of at least three blocks without {a}.", SOFT | EXISTENTIAL | NEGATION | PP),
            ("A tower of three or more blocks lacks {a}.", SOFT | EXISTENTIAL | NEGATION | PP),
        ],
        "exist(filter_obj(all_boxes, lambda x: ge(count(x), 3) and not exist(filter_obj(x, lambda y: {P}))))",
    ),
    frame(
        &[
            (
                "There is a tower with {a} that is higher than each of the other towers.",
                EXISTENTIAL | UNIVERSAL | COMPARATIVE | PRESUPPOSITION | PP,
            ),
            (
                "Of two or more towers the strictly tallest one has {a}.",
                SOFT | EXISTENTIAL | COMPARATIVE | PRESUPPOSITION | PP,
            ),
        ],
        "exist(filter_obj(all_boxes, lambda x: count(filter_obj(all_boxes, lambda z: ge(count(z), count(x)))) == 1 and \
         exist(filter_obj(all_boxes, lambda z: z.is_tower() and lt(count(z), count(x)))) and exist(filter_obj(x, \
         lambda y: {P}))))",
    ),
];

/// Frames of SCATTER.
const SCATTERED: &[Frame] = &[
    frame(
        &[
            ("There is a box with exactly four items, at least one of which is {a}.", HARD | SOFT | EXISTENTIAL),
            ("A box has four items in all, at least one of them being {a}.", HARD | SOFT | EXISTENTIAL | COREFERENCE),
        ],
        "exist(filter_obj(all_boxes, lambda x: count(x) == 4 and exist(filter_obj(x, lambda y: {P}))))",
    ),
    frame(
        &[
            (
                "There is exactly one box with {a} and it has at least three items.",
                HARD | SOFT | EXISTENTIAL | COORDINATION | COREFERENCE,
            ),
            (
                "Only one box holds {a}, and that box has three items or more.",
                HARD | SOFT | EXISTENTIAL | COORDINATION | COREFERENCE,
            ),
        ],
        "count(filter_obj(all_boxes, lambda x: ge(count(x), 3) and exist(filter_obj(x, lambda y: {P})))) == 1 and \
         count(filter_obj(all_boxes, lambda x: exist(filter_obj(x, lambda y: {P})))) == 1",
    ),
    frame(
        &[
            ("There is {a} that is alone in its box.", EXISTENTIAL | COREFERENCE),
            ("A box contains {a} and nothing else.", EXISTENTIAL | COORDINATION | NEGATION),
            ("There is {a}, and it shares its box with no other.", EXISTENTIAL | COORDINATION | COREFERENCE | NEGATION),
        ],
        "exist(filter_obj(all_items, lambda y: {P} and not exist(get_box_exclusive(y))))",
    ),
    frame(
        &[
            ("There is a box with exactly three items, including {a}.", HARD | EXISTENTIAL),
            (
                "Some box has three items in total, and {a} is among them.",
                HARD | EXISTENTIAL | COORDINATION | COREFERENCE,
            ),
        ],
        "exist(filter_obj(all_items, lambda y: {P} and count(get_box_inclusive(y)) == 3))",
    ),
];

/// Some fillers in every so many are said to be absent from empty boxes too: of those an immediate STOP is right.
const PLAIN_NEGATION: Frame = frame(
    &[("There is no {n}.", NEGATION), ("There are no {s}.", NEGATION)],
    "NOT(exist(filter_obj(all_items, lambda y: {P})))",
);
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
        // A prepositional phrase within another can belong to either noun.
        let categories =
            |said: u16, wording: &Wording| (said | wording.categories) & !PP | said & wording.categories & PP;
        let put = |&(says, own): &Said<'_>, wording: &Wording| (sentence(says, wording), categories(own, wording));
        for (filler, phrase) in phrases.iter().enumerate() {
            let says = &frame.says[choice(self.frames, filler, 1, frame.says.len())];
            let wording = &phrase.wordings[choice(self.frames, filler, 2, phrase.wordings.len())];
            let (sentence, categories) = put(says, wording);
            self.drafts.push(Draft {
                sentence,
                #[cfg(test)]
                wordings: frame.says.iter().flat_map(|says| phrase.wordings.iter().map(|w| put(says, w))).collect(),
                program: frame.program.replace("{P}", &phrase.condition),
                categories,
                #[cfg(test)]
                frame: self.frames,
            });
        }
        self.frames += 1;
    }

    /// A frame of its own for the fillings of `names`: `{1}`, `{2}` and so on in sentence and program.
    pub(super) fn own(&mut self, says: &[Said<'_>], program: &str, fillings: &[Vec<String>]) {
        let none = [Vec::new()];
        let fillings = if fillings.is_empty() { &none } else { fillings };
        for (filler, names) in fillings.iter().enumerate() {
            let put = |text: &str| {
                let numbered = names.iter().enumerate();
                numbered.fold(text.to_owned(), |text, (i, name)| text.replace(&format!("{{{}}}", i + 1), name))
            };
            let (said, categories) = says[choice(self.frames, filler, 1, says.len())];
            self.drafts.push(Draft {
                sentence: put(said),
                #[cfg(test)]
                wordings: says.iter().map(|&(said, categories)| (put(said), categories)).collect(),
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
