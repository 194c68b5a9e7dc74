//! The state in words.

use heldout_core::{Environment, Seed};
use serde_json::json;

use super::{Game, Listener, rules, start};
use crate::codec::{Act, MAX_LENGTH};
use crate::recall::{Answer, Recall};
use crate::words::written;

#[test]
fn words_tell_a_game_from_message_to_verdict() {
    let game: Game = rules(json!({}));
    let mut ep = game.start(start(3));
    let (target, seen, answer) = (ep.now.target.meaning, ep.now.stimulus(0).meaning, ep.now.answer);
    let (target, seen) = (written(target, 3), written(seen, 3));
    let right = if answer == 0 { "number 1" } else { "none" };
    let (first, last) = ("support game 1 of", format!("listener sees {seen}, right is {right}"));
    let words = game.words(&ep);
    assert!(words.starts_with(first) && words.ends_with(&last), "{words}");
    assert!(words.contains(&format!(", the speaker speaks: target {target}, listener")), "{words}");
    let mut message = [0; MAX_LENGTH];
    message[..2].copy_from_slice(&[2, 5]);
    game.step(&mut ep, &[Act::say(message), Act::NOTHING], &mut [0.0; 2]);
    let heard = (ep.permutation[2], ep.permutation[5]);
    let said = format!("the listener decides: target {target}, said 2 5 ., heard {} {} ., {last}", heard.0, heard.1);
    assert!(game.words(&ep).ends_with(&said), "{}", game.words(&ep));
    let mut wrong = ep.clone();
    game.step(&mut ep, &[Act::NOTHING, Act::decide(answer)], &mut [0.0; 2]);
    let words = game.words(&ep);
    assert!(words.contains(", decided: ") && words.ends_with(&format!("{last}, chosen {right}: right")), "{words}");
    game.step(&mut wrong, &[Act::NOTHING, Act::NOTHING], &mut [0.0; 2]);
    assert!(game.words(&wrong).ends_with(", chosen nothing: wrong"), "{}", game.words(&wrong));
    game.step(&mut ep, &[Act::NOTHING; 2], &mut [0.0; 2]);
    assert!(game.words(&ep).starts_with("support game 2 of"), "{}", game.words(&ep));
}

/// However long the episode, the words tell what was decided in this game.
#[test]
fn words_of_each_game_tell_its_own_decision() {
    let rules: Listener = rules(json!({}));
    let mut ep = rules.start(start(4));
    let mut rng = Seed(6).rng();
    for game in 0..24 {
        assert_eq!(ep.game, game);
        rules.step(&mut ep, &[Act::NOTHING], &mut [0.0]);
        assert!(rules.words(&ep).contains(", the listener decides: "), "{}", rules.words(&ep));
        let decision = rng.below(2) as u8;
        let verdict = if decision == ep.now.answer { "right" } else { "wrong" };
        rules.step(&mut ep, &[Act::decide(decision)], &mut [0.0]);
        let chosen = format!(", chosen {}: {verdict}", ["number 1", "none"][usize::from(decision)]);
        assert!(rules.words(&ep).ends_with(&chosen), "game {game}: {}", rules.words(&ep));
        rules.step(&mut ep, &[Act::NOTHING], &mut [0.0]);
    }
}

#[test]
fn words_number_the_listeners_stimuli_and_name_the_phase() {
    let rules: Listener = rules(json!({"distractors": 2}));
    let mut ep = rules.start(start(1));
    while !ep.now.query {
        rules.step(&mut ep, &[Act::decide(0)], &mut [0.0]);
    }
    let words = rules.words(&ep);
    let seen: Vec<String> = (0..3).map(|position| written(ep.now.stimulus(position).meaning, 3)).collect();
    assert!(words.starts_with("query game "), "{words}");
    assert!(words.contains(&format!("listener sees {}, right is", seen.join(" "))), "{words}");
    assert!(words.chars().count() <= 140, "{words}");
}

#[test]
fn words_of_recall_tell_what_is_shown_and_asked() {
    let recall: Recall = rules(json!({"max_games_per_shot": 2}));
    let mut state = recall.start(start(0));
    let shown = written(state.order[0], 3);
    assert_eq!(recall.words(&state), format!("shot 1 of 2, game 1 of 2: {shown} is shown"));
    let mut step = |answer| {
        recall.step(&mut state, &[answer], &mut [0.0]);
        recall.words(&state)
    };
    let asked = step(Answer::Nothing);
    let rest = asked.strip_prefix("shot 1 of 2, game 1 of 2: dimension ").unwrap();
    let (dim, value) = rest.split_once(" is asked, it was ").unwrap();
    let dim: usize = dim.parse().unwrap();
    assert_eq!(shown.split('-').nth(dim - 1), Some(value));
    assert!(step(Answer::Value(value.parse().unwrap())).starts_with("shot 1 of 2, game 2 of 2: "));
    let all: Vec<String> = (0..6).map(|_| step(Answer::Nothing)).collect();
    assert!(all[1].starts_with("shot 2 of 2, game 1 of 2: "), "{all:?}");
    assert_eq!(all[5], "the end: 1 and 0 of 2 right");
}
