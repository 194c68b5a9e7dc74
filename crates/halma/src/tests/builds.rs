//! HALMA: section 6.4, how a maze is built around a relation.

use std::collections::BTreeSet;

use crate::build::attempt;
use crate::concepts::Relation;
use crate::maze::{Cell, Direction, Maze};
use heldout_core::{Rng, Seed};

/// Mazes that ask for `relation`, each with the cell from which it is seen and how far along the path goes from there.
fn built(relation: Relation, attempts: u32) -> Vec<(Maze, Cell, usize)> {
    let mut rng = Rng::new(Seed(64));
    let made = (0..attempts).filter_map(|_| attempt(relation, (1, &[]), &mut rng));
    made.map(|(maze, targets)| {
        let cell = targets[0].cell;
        let after = maze.path_cells().zip(maze.shape()).skip_while(|(c, _)| *c != cell);
        let run = after.take_while(|(_, d)| **d == relation.direction).count();
        (maze, cell, run)
    })
    .collect()
}

const ASKED: Relation = Relation { hi: 4, lo: 2, direction: Direction::Right };

/// Step 3: one to five moves, of which the first is across; where the path runs to the wall, it may end there.
#[test]
fn the_tail_of_a_built_maze_is_any_monotone_path_that_first_goes_across() {
    let mut lengths = [BTreeSet::new(), BTreeSet::new()];
    let mut later = BTreeSet::new();
    for (maze, cell, run) in built(ASKED, 1_500) {
        let before = maze.path_cells().position(|c| c == cell).unwrap();
        let tail = &maze.shape()[before + run..];
        lengths[usize::from(run == usize::from(ASKED.lo))].insert(tail.len());
        assert!(tail.first().is_none_or(|d| *d as usize % 2 != ASKED.direction as usize % 2), "{tail:?}");
        later.extend(tail.iter().skip(1).map(|d| *d == ASKED.direction));
    }
    let [to_the_wall, off_before_it] = lengths.map(|found| found.into_iter().collect::<Vec<_>>());
    assert_eq!((to_the_wall, off_before_it), (vec![0, 1, 2, 3, 4, 5], vec![1, 2, 3, 4, 5]));
    assert_eq!(later.len(), 2, "both ways occur after the first move");
}

/// Step 4: no branch leaves from the cells before the crossing; the crossing itself may have a second one.
#[test]
fn further_branches_of_a_built_maze_leave_from_anywhere_but_before_the_crossing() {
    let mut full = 0;
    for (maze, cell, _) in built(ASKED, 800) {
        let along = |n: u8| cell.moved(ASKED.direction, n.into()).unwrap();
        for n in 0..ASKED.lo {
            assert!(maze.branches().iter().all(|b| b.from != along(n)));
        }
        full += usize::from(maze.degree(along(ASKED.lo)) == 4);
    }
    assert!(full > 5, "{full} crossings with two branches");
}

/// Section 1.5: each later step of a branch goes straight with probability 1/3. What does not fit is drawn again, which
/// straight branches suffer from more.
#[test]
fn branches_of_a_built_maze_go_straight_in_a_third_of_their_steps() {
    let (mut steps, mut straight) = (0.0, 0.0);
    for (maze, cell, _) in built(ASKED, 400) {
        let crossing = cell.moved(ASKED.direction, ASKED.lo.into()).unwrap();
        for branch in maze.branches().iter().filter(|b| b.from != crossing) {
            steps += branch.moves.len() as f64 - 1.0;
            straight += branch.moves.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
        }
    }
    let share = straight / steps;
    assert!(steps > 500.0 && (0.2..0.45).contains(&share), "{share} of {steps}");
}
