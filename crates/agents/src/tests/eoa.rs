//! How easily languages are acquired.

use heldout_core::Seed;

use crate::eoa::{Language, Lesson};

const VALUES: u32 = 5;
const LOOKS: usize = 2;

/// The value of each dimension.
fn parts(meaning: u32) -> [u32; 3] {
    [meaning / VALUES.pow(2), meaning / VALUES % VALUES, meaning % VALUES]
}

/// All looks of 5 x 5 x 5 meanings: their numbers, their meanings and whether these are held out, as S2B has it.
fn space() -> (Vec<f32>, Vec<u32>, Vec<bool>) {
    let (mut stimuli, mut meanings, mut held_out) = (Vec::new(), Vec::new(), Vec::new());
    let mut rng = Seed(5).rng();
    let looks: Vec<f32> = (0..3 * VALUES as usize * LOOKS).map(|_| 0.25 * (rng.unit() as f32 - 0.5)).collect();
    for meaning in 0..VALUES.pow(3) {
        let values = parts(meaning);
        held_out.push(values.iter().filter(|v| *v % 2 == 1).count() >= 2);
        for look in 0..LOOKS {
            meanings.push(meaning);
            let of = |(dim, v): (usize, &u32)| {
                -0.8 + 0.4 * *v as f32 + looks[(dim * VALUES as usize + *v as usize) * LOOKS + look]
            };
            stimuli.extend(values.iter().enumerate().map(of));
        }
    }
    (stimuli, meanings, held_out)
}

/// The ease of acquisition of what `say` says of each meaning.
fn ease(say: impl Fn(u32) -> [u32; 3]) -> f64 {
    let (stimuli, meanings, held_out) = space();
    let messages: Vec<u32> = meanings.iter().flat_map(|&meaning| say(meaning)).collect();
    let language = Language {
        stimuli: &stimuli,
        width: 3,
        messages: &messages,
        length: 3,
        vocabulary: VALUES,
        meanings: &meanings,
        held_out: &held_out,
    };
    language.ease_of_acquisition(&Lesson::default(), Seed(1)).unwrap()
}

fn posdis(meaning: u32) -> [u32; 3] {
    parts(meaning).map(|value| value + 1)
}

#[test]
fn words_that_have_parts_are_acquired_and_others_are_not() {
    let found = ease(posdis);
    assert!(found >= 0.95, "posdis: {found}");
    // The same words for other meanings: nothing of a part tells anything of another.
    let mut order: Vec<u32> = (0..VALUES.pow(3)).collect();
    Seed(9).rng().shuffle(&mut order);
    let found = ease(|meaning| posdis(order[meaning as usize]));
    assert!((0.42..=0.58).contains(&found), "holistic: {found}");
}

#[test]
fn what_cannot_be_taught_is_refused() {
    let language = Language {
        stimuli: &[0.0, 1.0],
        width: 1,
        messages: &[1, 2],
        length: 1,
        vocabulary: 2,
        meanings: &[0, 1],
        held_out: &[false, false],
    };
    let refused = |language: Language<'_>| language.ease_of_acquisition(&Lesson::default(), Seed(0)).unwrap_err();
    assert!(refused(language).contains("two meanings"));
    assert!(refused(Language { messages: &[1], ..language }).contains("1 tokens"));
}
