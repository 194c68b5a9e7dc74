//! The state for readers of a transcript: what is told, and a map of the maze.

use crate::maze::{Cell, Direction, Maze, SIDE};
use crate::observation::Entries;
use crate::trials::{State, Trials};

/// A cell by its open sides: left counts 1, up 2, right 4, down 8.
const CORRIDORS: [char; 16] = [' ', '╴', '╵', '┘', '╶', '─', '└', '┴', '╷', '┐', '│', '┤', '┌', '┬', '├', '┼'];

impl Trials {
    /// A line of what is told, then the map.
    pub(crate) fn words(&self, state: &State) -> String {
        let trials = self.settings.max_trials;
        let trial = (state.trial + 1).min(trials);
        let (told, map) = (told(self.seen(state)), map(&self.mazes[state.maze as usize], state.at));
        format!("trial {trial} of {trials}, {} accomplished; {told}\n{map}", state.goals)
    }
}

fn told(entries: &Entries) -> String {
    let each = |distance: &dyn Fn(Direction) -> i32| {
        let shown = Direction::ALL.into_iter().filter(|&d| distance(d) > 0);
        let shown: Vec<String> = shown.map(|d| format!("{}{}", d.letter(), distance(d))).collect();
        if shown.is_empty() { "-".to_owned() } else { shown.join(" ") }
    };
    format!(
        "wall {}, crossing {}, goal {}, hint {}",
        each(&|d| entries.wall(d)),
        each(&|d| entries.crossing(d)),
        each(&|d| entries.toward(d)),
        entries.hint().map_or('-', Direction::letter)
    )
}

/// The rows that the maze has cells in, from the top: `@` is the agent, `S` the start, `G` the goal.
fn map(maze: &Maze, at: Cell) -> String {
    let mark = |cell: Cell| match cell {
        _ if cell == at => '@',
        _ if cell == maze.start() => 'S',
        _ if cell == maze.goal() => 'G',
        _ => CORRIDORS[usize::from(maze.sides()[cell.index()])],
    };
    let bridge = |cell: Cell| if maze.is_passage(cell, Direction::Right) { '─' } else { ' ' };
    let row = |y: i32| -> String {
        let cells = (0..SIDE).filter_map(|x| Cell::new(x, y));
        cells.flat_map(|cell| [mark(cell), bridge(cell)]).collect::<String>().trim_end().to_owned()
    };
    let rows = (0..SIDE).rev().map(row).filter(|row| !row.is_empty());
    rows.collect::<Vec<_>>().join("\n")
}
