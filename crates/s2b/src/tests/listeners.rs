//! What listeners weigh, taken apart: scales, and the two shortcuts that ignore messages.

use super::{batch, near};
use crate::reference::{Binds1, Binds2, CERTAIN, Facts, Posterior, Understanding};
use crate::scale::{Section, place};
use crate::shortcut::{Elimination, Glance};
use crate::space::{Representation, SpaceRules, section};
use heldout_core::{Reset, Seed};
use serde_json::json;

/// Spaces of `dims` dimensions with `values` values on each, one-hot.
fn facts(dims: u32, values: u32, odd_values_test: bool) -> Facts {
    let space = SpaceRules::new(dims, values, values, 1).unwrap();
    Facts { space: SpaceRules { representation: Representation::Ohe, ..space }, odd_values_test }
}

/// Sections are of one width, from -1 to 1, and hold their lower border; what lies outside belongs to the outermost.
#[test]
fn a_number_lies_in_the_section_whose_borders_enclose_it() {
    for values in 2..=5_u8 {
        for value in 0..values {
            let border = |v: u8| 2.0 * f64::from(v) / f64::from(values) - 1.0;
            let (low, high) = (border(value), border(value + 1));
            assert_eq!(section(value, values), (low, high));
            for x in [low + 1e-6, f64::midpoint(low, high), high - 1e-6] {
                assert_eq!(place(x as f32, values, false), Some(value.into()), "{x} of {values}");
            }
        }
        assert_eq!(
            [-1.5, -1.0, 1.0, 1.5].map(|x| place(x, values, false)),
            [0, 0, values - 1, values - 1].map(|v| Some(v.into()))
        );
        // A unit is its own place, if there is one.
        assert_eq!([0.0, f32::from(values)].map(|x| place(x, values, true)), [Some(0), None]);
    }
}

/// A density without the constant of the Gaussian: its integral is the root of a whole turn, whatever was seen before.
#[test]
fn the_density_of_a_section_is_that_of_a_gaussian_in_it() {
    for seen in [&[][..], &[-0.3], &[-0.3, -0.28]] {
        let mut section = Section::new(1, 4);
        for &x in seen {
            section.add(x);
        }
        let step = 1e-3;
        let (mut whole, mut outside) = (0.0, 0.0);
        for i in -1500..1500 {
            let x = f64::from(i) * step;
            whole += section.density(x) * step;
            outside += if (-0.5..0.0).contains(&x) { 0.0 } else { section.density(x) * step };
        }
        near("integral", whole, std::f64::consts::TAU.sqrt(), 1e-3);
        // A kernel lies three deviations inside its section.
        assert!(outside < 0.0027 * whole, "{outside} lies outside");
    }
}

/// What was seen in a section makes what is near to it likelier than what is not.
#[test]
fn the_density_of_a_section_follows_what_was_seen_in_it() {
    let mut section = Section::new(1, 4);
    let before = [section.density(-0.3), section.density(-0.2)];
    near("the middle's sides", before[0], before[1], 1e-12);
    section.add(-0.3);
    assert!(section.density(-0.3) > before[0] && section.density(-0.2) < before[1]);
    // The logarithm of the mean likelihood, which a second number's density adds to.
    let (first, density) = (section.evidence(), section.density(-0.25));
    section.add(-0.25);
    near("evidence", section.evidence(), first + libm::log(density), 1e-12);
}

/// Amendment 3: of the sixteen meanings of two times four values four are held out. Each is a target once, and stands in
/// for another in three of fifteen.
#[test]
fn amendment_03_reflex_weighs_a_stimulus_by_how_often_it_stands_in() {
    let glance = Glance::new(&facts(2, 4, true));
    near("two test values", glance.fit(&[1.0, 3.0], &[], true), 5.0, 1e-12);
    for values in [[0.0, 1.0], [3.0, 2.0], [2.0, 2.0]] {
        assert_eq!(glance.fit(&values, &[], true), 0.0, "{values:?}");
    }
    assert_eq!(Glance::new(&facts(2, 4, false)).fit(&[1.0, 3.0], &[], true), 1.0);
    // A number that would be a test value among four, and none among five: four meanings are held out of 16, 20 or 25.
    let space = SpaceRules::new(2, 4, 5, 1).unwrap();
    let [four, five] = [Section::new(3, 4), Section::new(4, 5)].map(|section| section.density(f64::from(0.65_f32)));
    let other = four * four * 3.0 / 15.0 + 2.0 * four * five * 4.0 / 19.0 + five * five * 4.0 / 24.0;
    let fit = Glance::new(&Facts { space, odd_values_test: true }).fit(&[0.65, 0.65], &[], true);
    near("either", fit, four * four / other, 1e-9);
}

/// Amendment 4: where test values are drawn anew, two that never met in the support phase may be two of them.
#[test]
fn amendment_04_blind_finds_test_values_that_never_met() {
    let mut blind = Elimination::new(&facts(2, 2, false));
    for taught in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] {
        blind.learn(&taught, &[], false);
    }
    assert_eq!(blind.fit(&[1.0, 1.0], &[], true), CERTAIN);
    for taught in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] {
        assert_eq!(blind.fit(&taught, &[], true), 0.0, "{taught:?}");
    }
    assert_eq!(blind.fit(&[1.0, 1.0], &[], false), 1.0, "any may be asked for in the support phase");
    // What was asked for is not asked for again.
    blind.learn(&[1.0, 1.0], &[], true);
    assert!((0.0..1.0).contains(&blind.fit(&[1.0, 1.0], &[], true)));
}

/// Bayes's rule on a dimension of two values or three: each observation is the likelier, the fewer values there are.
#[test]
fn the_posterior_weighs_structures_by_every_observation() {
    let space = SpaceRules { representation: Representation::Ohe, ..SpaceRules::new(2, 2, 3, 1).unwrap() };
    let mut posterior = Posterior::new(&Facts { space, odd_values_test: true });
    for times in 1..=3 {
        posterior.learn(&[0.0], &[1], false);
        let seen = |values: f64| (0..times).fold(1.0, |likelihood, _| likelihood / values);
        // Whatever is said, the new value is shown in one of d cases, which cancels; a new token is said in d - 1 of d.
        let (two, three) = (seen(2.0), seen(3.0));
        let expected = (two + three) / (two / 2.0 + three * 2.0 / 3.0);
        near("a new value by a new name", posterior.fit(&[1.0], &[2], false), expected, 1e-12);
    }
}

/// What a probe is called in lists of policies is what it can do.
#[test]
fn probes_say_how_many_dimensions_they_understand() {
    assert!(Binds1::ABOUT.contains("the first dimension alone"), "{}", Binds1::ABOUT);
    assert!(Binds2::ABOUT.contains("the first two dimensions alone"), "{}", Binds2::ABOUT);
}

/// Who knows nothing takes the first stimulus where one must be taken, and none where that may be.
#[test]
fn listeners_take_the_first_of_equals() {
    for (overrides, policy, expected) in [
        (json!({"descriptive": false, "distractors": 3}), "nearest", 0),
        (json!({"split": "combinatorial2_shuffled"}), "reflex", 1),
    ] {
        let (mut env, mut buffers) = batch("s2b/listener-v1", &overrides, 8);
        env.seat(0, policy, Seed(1)).unwrap();
        env.reset(Reset::seed(Seed(1)), buffers.output()).unwrap();
        let mut actions = vec![0; 8 * env.spec().action_width()];
        for _ in 0..2 {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
        assert!(actions.iter().all(|&decision| decision == expected), "{policy}: {actions:?}");
    }
}
