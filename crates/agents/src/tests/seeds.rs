//! What is learnt of the toys by five seeds, which every change need not wait for:
//! `cargo test -p heldout-agents -- --ignored of_five_seeds`.

use heldout_core::Seed;

use super::learning::Learnt;
use super::{impala, learning, r2d2, td3};

/// What a seed comes to.
type Training = fn(Seed) -> Learnt;

/// Asserts that of five seeds, the one that the other tests learn by among them, at least four learn enough.
fn four_of_five(agents: &[(&str, Training)]) {
    for (name, learn) in agents {
        let missed: Vec<String> = (1..=5).filter_map(|seed| learn(Seed(seed)).err()).collect();
        assert!(missed.len() <= 1, "{name}: {} of five seeds learn too little: {missed:?}", missed.len());
    }
}

#[test]
#[ignore = "takes half a minute"]
fn agents_check_53_four_of_five_seeds_find_the_best_arm() {
    four_of_five(&[
        ("ppo", learning::best_arm),
        ("r2d2", r2d2::best_arm),
        ("impala", impala::best_arm),
        ("effect", td3::best_arm),
    ]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_55_four_of_five_seeds_remember_a_cue() {
    four_of_five(&[("ppo", learning::cue), ("r2d2", r2d2::cue), ("impala", impala::cue), ("td3", td3::cue)]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_56_four_of_five_seeds_go_where_they_were_told() {
    four_of_five(&[("ppo", learning::way), ("r2d2", r2d2::way)]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_57_four_of_five_seeds_bind_what_they_never_saw_together() {
    four_of_five(&[("ff+mem", impala::bound_by_a_layer), ("ff+mem+rec", impala::bound_and_told_again)]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_58_four_of_five_seeds_see_the_bright_quadrant() {
    four_of_five(&[("ppo", learning::quadrant), ("impala", impala::quadrant), ("effect", td3::quadrant)]);
}

#[test]
#[ignore = "takes half a minute"]
fn agents_check_60_four_of_five_seeds_read_the_side_that_a_sentence_names() {
    four_of_five(&[("ppo", learning::side)]);
}
