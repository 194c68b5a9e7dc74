//! Acceptance checks 23 and 24 of S2B: metrics of languages and of stimuli.

use super::near;
use crate::metrics::{
    Disentanglement, Matrix, Sampling, bosdis, disentanglement, mig, modularity, posdis, spoken, topsim,
};
use crate::space::{Space, SpaceRules, Structure};
use crate::speaker::{SpeakerRule, Tongue};
use heldout_core::Seed;

/// The scores of `rule` on the whole space of `values`.
fn scores(rule: SpeakerRule, values: &[u8], vocabulary: u32, length: usize) -> [f64; 3] {
    let tongue = Tongue { max_values: 5, vocabulary, length, message_length: length };
    let scores = spoken(rule, &Structure::new(values), &tongue, Seed(3));
    [scores.topsim, scores.posdis, scores.bosdis].map(Option::unwrap)
}

#[test]
fn s2b_check_23_language_metrics_have_their_exact_values() {
    for (values, topsim) in [
        ([2, 2, 2], 0.9803),
        ([3, 3, 3], 0.9422),
        ([4, 4, 4], 0.9373),
        ([5, 5, 5], 0.9421),
        ([5, 5, 3], 0.9567),
        ([2, 3, 5], 0.9664),
    ] {
        let [measured, posdis, bosdis] = scores(SpeakerRule::Posdis, &values, 6, 4);
        println!("{values:?}: topsim {measured:.4}, posdis {posdis:.4}, bosdis {bosdis:.4}");
        near("topsim", measured, topsim, 1e-3);
        near("posdis", posdis, 1.0, 1e-12);
        if values[0] == values[1] && values[1] == values[2] {
            near("bosdis", bosdis, 0.0, 1e-9);
        }
    }
    for (values, bosdis) in [([5, 5, 3], 0.0589), ([2, 3, 5], 0.4519), ([3, 4, 5], 0.2475), ([2, 5, 5], 0.0596)] {
        near("bosdis of the posdis speaker", scores(SpeakerRule::Posdis, &values, 6, 4)[2], bosdis, 1e-4);
    }
    let [_, posdis_of_bag, bosdis_of_bag] = scores(SpeakerRule::BagOfSymbols, &[5, 5, 5], 15, 3);
    println!("bag of symbols: posdis {posdis_of_bag:.4}, bosdis {bosdis_of_bag:.4}");
    near("bosdis of the bag of symbols", bosdis_of_bag, 1.0, 1e-12);
    assert!(posdis_of_bag < 0.1);
    let [topsim_of_whole, posdis_of_whole, _] = scores(SpeakerRule::Holistic, &[5, 5, 5], 6, 3);
    println!("holistic: topsim {topsim_of_whole:.4}, posdis {posdis_of_whole:.4}");
    assert!(topsim_of_whole.abs() < 0.1 && posdis_of_whole < 0.1);
}

/// The miniature language by which EGG documents its metric: the first attribute is a token said twice, the second a
/// token said once, in changing order; only the tokens 1 and 2 are counted.
#[test]
fn s2b_check_23_the_miniature_language_of_egg_has_bosdis_one() {
    let (mut meanings, mut messages) = (Vec::new(), Vec::new());
    for a in 0..4_u32 {
        for b in 0..4_u32 {
            let once = 4 + b;
            meanings.extend([a, b]);
            let in_the_middle = a == 1 || a == 2 || (a == 3 && b == 0);
            messages.extend(if in_the_middle { [a, once, a] } else { [a, a, once] });
        }
    }
    let (meanings, messages) = (Matrix::new(&meanings, 2), Matrix::new(&messages, 3));
    near("bosdis", bosdis(meanings, messages, 2, &|| false).unwrap(), 1.0, 1e-12);
    // Counted over all tokens it is as clear; read by position it is not.
    near("bosdis", bosdis(meanings, messages, 7, &|| false).unwrap(), 1.0, 1e-12);
    assert!(posdis(meanings, messages).unwrap() < 0.9);
}

/// A language that says nothing has no score.
#[test]
fn constant_languages_are_undefined() {
    let meanings = [0, 0, 0, 1, 1, 0, 1, 1];
    let messages = [1_u32; 8];
    let (meanings, messages) = (Matrix::new(&meanings, 2), Matrix::new(&messages, 2));
    assert_eq!(topsim(meanings, messages, &|| false), None);
    assert_eq!(posdis(meanings, messages), None);
    assert_eq!(bosdis(meanings, messages, 3, &|| false), None);
}

/// Distances by hand: two meanings that differ in one value have messages one edit apart, and so on.
#[test]
fn topsim_of_a_shifted_language() {
    // Dropping the first token and adding one at the end is two edits, however many positions differ.
    let meanings = [0, 0, 0, 1, 1, 1];
    let messages = [1, 2, 3, 4, 2, 3, 4, 5, 6, 6, 6, 6];
    // Distances of meanings: 1, 2, 1; edits: 2, 4, 4. Ranks 0.5 2 0.5 and 0 1.5 1.5.
    let score = topsim(Matrix::new(&meanings, 2), Matrix::new(&messages, 4), &|| false).unwrap();
    near("topsim", score, 0.5, 1e-12);
}

/// Two factors of two values each; one code says the first, the other both.
#[test]
fn disentanglement_of_codes_that_say_one_factor_or_both() {
    let factors = [0, 0, 0, 1, 1, 0, 1, 1];
    let alone = [0.0, 0.0, 1.0, 1.0];
    let both = [0.0, 1.0, 2.0, 3.0];
    let of = |codes: [[f32; 4]; 2]| {
        let codes: Vec<f32> = (0..4).flat_map(|row| codes.map(|code| code[row])).collect();
        let (factors, codes) = (Matrix::new(&factors, 2), Matrix::new(&codes, 2));
        (mig(factors, codes).unwrap(), modularity(factors, codes).unwrap())
    };
    let second = [0.0, 1.0, 0.0, 1.0];
    for (codes, gap, modules) in [([alone, second], 1.0, 1.0), ([alone, both], 0.5, 0.5), ([both, both], 0.0, 0.0)] {
        near("mutual information gap", of(codes).0, gap, 1e-12);
        near("modularity", of(codes).1, modules, 1e-12);
    }
}

/// Mean scores over `runs` spaces of five values per dimension.
fn average(samples: u32, sampling: Sampling, runs: u64) -> Disentanglement {
    let rules = SpaceRules::new(3, 5, 5, samples).unwrap();
    let mut space = Space::reserve(&rules);
    let mut sum = Disentanglement { factor_vae: 0.0, mig: 0.0, modularity: 0.0 };
    for i in 0..runs {
        space.redraw(&rules, Seed(6).derive(i));
        let one = disentanglement(&space, &rules, sampling, Seed(7).derive(i));
        sum.factor_vae += one.factor_vae / runs as f64;
        sum.mig += one.mig / runs as f64;
        sum.modularity += one.modularity / runs as f64;
    }
    println!("samples {samples}, {sampling:?}: {sum:?}");
    sum
}

#[test]
fn s2b_check_24_stimuli_are_disentangled_and_the_protocol_explains_the_paper() {
    for samples in [1, 5] {
        let full = average(samples, Sampling::FullFactorial, 100);
        near("FactorVAE", full.factor_vae, 1.0, 5e-4);
        near("MIG", full.mig, 1.0, 5e-4);
        near("modularity", full.modularity, 1.0, 5e-4);
    }
    let many = average(5, Sampling::FixedFactorBatches { points: 1000, batch: 64 }, 500);
    near("FactorVAE", many.factor_vae, 1.0, 5e-4);
    near("MIG", many.mig, 0.947, 0.03);
    assert!(many.modularity >= 0.985);
    for samples in [1, 5] {
        let single = average(samples, Sampling::FixedFactorBatches { points: 128, batch: 128 }, 500);
        near("MIG", single.mig, 0.64, 0.03);
        near("modularity", single.modularity, 0.666, 0.005);
    }
}
