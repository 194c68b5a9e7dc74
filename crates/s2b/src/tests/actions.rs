//! What of an action counts.

use super::{Game, rules, start};
use crate::codec::{Act, EOS, MAX_LENGTH, Role};
use heldout_core::Environment;
use serde_json::json;

/// Decision and message are one integer, yet each counts where it may: the message in a round, the decision after it.
#[test]
fn combined_actions_count_where_one_of_their_parts_may() {
    let rules: Game = rules(json!({"actions": "combined"}));
    let mut state = rules.start(start(1));
    let mut tokens = [EOS; MAX_LENGTH];
    tokens[..2].copy_from_slice(&[3, 1]);
    let said = Act::say(tokens);
    rules.step(&mut state, &[said, Act::decide(0)], &mut [0.0; 2]);
    assert_eq!([Role::Speaker, Role::Listener].map(|role| *state.previous(role).unwrap()), [said, Act::NOTHING]);
    let answer = Act::decide(state.now.answer);
    rules.step(&mut state, &[said, answer], &mut [0.0; 2]);
    assert_eq!([Role::Speaker, Role::Listener].map(|role| *state.previous(role).unwrap()), [Act::NOTHING, answer]);
    assert_eq!(state.last_right, Some(true));
}
