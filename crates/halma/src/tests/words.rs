//! The state in words.

use heldout_core::{Environment, Seed, Start};

use super::{ProblemFile, Symbolic, maze};
use crate::config::SymbolicConfig;
use crate::maze::Direction;
use crate::option::Move;

#[test]
fn words_tell_what_is_seen_and_show_the_maze() {
    // A crossing at 2,5 with a dead end above and one below; the path turns up at 4,5.
    let drawn = maze((0, 5), "RRRRUU", &[((2, 5), "U"), ((2, 5), "DL")]);
    let file = ProblemFile::of("words", vec![drawn]);
    let config = SymbolicConfig { problems: Some(file.path()), ..SymbolicConfig::default() };
    let env = Symbolic::new(&config, ()).unwrap();
    let mut state = env.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(0) });
    let begins = "trial 1 of 10, 0 accomplished; wall R4, crossing R2, goal U2 R4, hint -
        G
    ╷   │
@───┼───┘
  ╶─┘";
    assert_eq!(env.words(&state), begins);
    let mut go = |direction, length| {
        env.step(&mut state, &[Move { direction, length }], &mut [0.0]);
        env.words(&state)
    };
    assert_eq!(go(Direction::Right, 9), begins, "an invalid move changes nothing");
    let crossing = "trial 1 of 10, 0 accomplished; wall L2 U1 R2 D1, crossing -, goal U2 R2, hint R
        G
    ╷   │
S───@───┘
  ╶─┘";
    assert_eq!(go(Direction::Right, 2), crossing);
    go(Direction::Right, 2);
    let again = begins.replace("trial 1 of 10, 0", "trial 2 of 10, 1");
    assert_eq!(go(Direction::Up, 2), again, "the goal begins the next trial");
}

/// However large the maze, a transcript has room for it.
#[test]
fn words_are_short() {
    let env = Symbolic::new(&SymbolicConfig::default(), ()).unwrap();
    for problem in 0..100 {
        let state = env.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(problem) });
        let words = env.words(&state);
        assert!(words.lines().count() <= 11 && words.lines().all(|line| line.chars().count() <= 140), "{words}");
    }
}
