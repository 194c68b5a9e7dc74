//! Where stand-ins of absent targets and distractors come from.

use super::{EPISODES, Listener, rules, states, uniform};
use crate::episode::{Episode, Game};
use crate::space::Meaning;
use serde_json::json;

/// Every game of `state`.
fn games<'a>(rules: &'a Listener, state: &'a Episode) -> impl Iterator<Item = Game> + 'a {
    (0..rules.rulebook.games(state)).map(|game| rules.rulebook.prepare(state, game))
}

/// The meanings listed for the phase of `game` and those before it, without its target.
fn listed(state: &Episode, game: &Game) -> Vec<Meaning> {
    let query = if game.query { state.query_targets() } else { &[] };
    state.support_targets().iter().chain(query).copied().filter(|&m| m != game.target.meaning).collect()
}

/// The paper's pools: every other meaning in the query phase, every other one that is not held out before.
#[test]
fn stand_ins_are_uniform_over_the_space() {
    let rules: Listener = rules(json!({"min_values": 3, "max_values": 3, "shots": 1}));
    let (mut support, mut query) = ([0; 19], [0; 26]);
    for state in states(&rules, 4 * EPISODES) {
        let all: Vec<Meaning> = state.space.structure().all().collect();
        for game in games(&rules, &state).filter(|game| game.answer == 1) {
            let (pool, places) =
                if game.query { (&all[..], &mut query[..]) } else { (state.halves.support(), &mut support[..]) };
            let mut others = pool.iter().filter(|&&m| m != game.target.meaning);
            places[others.position(|&m| m == game.stimulus(0).meaning).unwrap()] += 1;
            assert!(!game.pool_widened);
        }
    }
    uniform("stand-ins in the support phase", &support);
    uniform("stand-ins in the query phase", &query);
}

/// The public code's: what is listed for the phase and before it, as often as it is listed.
#[test]
fn listed_stand_ins_are_as_likely_as_they_are_often_listed() {
    let rules: Listener = rules(json!({"distractor_pool": "listed", "shots": 2, "samples": 1}));
    let (mut repeated, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for state in states(&rules, EPISODES) {
        for game in games(&rules, &state).filter(|game| game.answer == 1) {
            let (pool, stand_in) = (listed(&state, &game), game.stimulus(0).meaning);
            assert!(pool.contains(&stand_in) && !game.pool_widened);
            let often = |m: Meaning| pool.iter().filter(|&&other| other == m).count() > 1;
            let share = pool.iter().filter(|&&m| often(m)).count() as f64 / pool.len() as f64;
            repeated += f64::from(u8::from(often(stand_in)));
            expected += share;
            variance += share * (1.0 - share);
        }
    }
    super::near("stand-ins listed more than once", repeated, expected, 5.0 * f64::sqrt(variance));
}

/// With the most distractors there are, a list is long enough if it has a meaning for each and for the stand-in.
#[test]
fn short_lists_are_widened_whatever_the_number_of_distractors() {
    for (distractors, descriptive) in [(7, true), (7, false), (3, true)] {
        let rules: Listener = rules(json!({
            "distractor_pool": "listed",
            "distractors": distractors,
            "descriptive": descriptive,
            "min_values": 3,
            "shots": 1,
        }));
        let needed = distractors + usize::from(descriptive);
        let mut widened = [0; 2];
        for state in states(&rules, 200) {
            for game in games(&rules, &state) {
                let mut pool = listed(&state, &game);
                pool.sort_unstable();
                pool.dedup();
                assert_eq!(game.pool_widened, pool.len() < needed, "{} of {needed}", pool.len());
                widened[usize::from(game.pool_widened)] += 1;
                let mut shown: Vec<Meaning> = (0..=distractors).map(|i| game.stimulus(i).meaning).collect();
                let fits = |m: &Meaning| *m == game.target.meaning || pool.contains(m);
                assert!(game.pool_widened || shown.iter().all(fits));
                shown.sort_unstable();
                shown.dedup();
                assert_eq!(shown.len(), distractors + 1);
            }
        }
        assert!(distractors < 7 || widened.iter().all(|&n| n > 100), "{widened:?}");
    }
}
