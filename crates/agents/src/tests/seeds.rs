//! What is learnt of the toys by five seeds, which every change need not wait for:
//! `cargo test -p heldout-agents -- --ignored of_five_seeds`.

use heldout_core::Seed;

use super::learning::Learnt;
use super::{agents, impala, learning, r2d2, td3};
use crate::td3::Actor;

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

/// Of both actors the better one: the mean of three seeds.
#[test]
#[ignore = "takes minutes"]
fn agents_check_54_the_better_actor_learns_options_that_end_where_they_must() {
    let of = |actor| {
        let each = [1, 2, 3].map(|seed| td3::options_learnt(actor, seed, 40_000));
        let [right, wrong_end] = [0, 1].map(|i| each.iter().map(|found| found[i]).sum::<f64>() / 3.0);
        println!("{actor:?}: {right:.3} right, {wrong_end:.3} end at the wrong place, by seed {each:?}");
        (right, wrong_end)
    };
    let all = [Actor::Gumbel, Actor::Score].map(of);
    assert!(all.iter().any(|(right, wrong_end)| *right >= 0.9 && *wrong_end < 0.05), "{all:?}");
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
    four_of_five(&[
        ("r2d2-lstm", r2d2::lstm_binds),
        ("r2d2-dnc", r2d2::dnc_binds),
        ("r2d2-esbn", r2d2::esbn_binds),
        ("r2d2-dcem", r2d2::dcem_binds),
        ("ff+mem", impala::bound_by_a_layer),
        ("ff+mem+rec", impala::bound_and_told_again),
    ]);
}

/// Half an hour of computing.
#[test]
#[ignore = "takes half an hour"]
fn agents_check_57_four_of_five_seeds_of_the_memory_recall_agent_bind() {
    four_of_five(&[("mra", impala::bound_by_the_memory_recall_agent)]);
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

#[test]
#[ignore = "takes minutes"]
fn agents_check_61_four_of_five_seeds_learn_five_mazes_by_effects() {
    four_of_five(&[("effect", td3::mazes_by_effects)]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_61_four_of_five_seeds_learn_five_mazes_by_options() {
    four_of_five(&[("td3-mlp", td3::mazes_by_options)]);
}

#[test]
#[ignore = "takes minutes"]
fn agents_check_62_four_of_five_seeds_learn_twenty_statements() {
    four_of_five(&[("ppo-sf", agents::statements)]);
}
