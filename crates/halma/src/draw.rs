//! The picture for people: what the agent sees on the left, where it is on the right.

use heldout_render::{Canvas, Direction as Way, Rgb, text_width};

use crate::environment::{Halma, Sight};
use crate::maze::{Cell, Direction, SIDE};
use crate::observation::{DIGITS, Entries};
use crate::panel::{PANEL, colour};
use crate::trials::{State, Trials};

/// Side of each half.
const HALF: i32 = 2 * PANEL as i32;
/// Height of the line of text below.
const CAPTION: i32 = 20;
/// Side of a cell of the map.
const CELL: i32 = 24;
/// Space around the map.
const MARGIN: i32 = (HALF - SIDE * CELL) / 2;
/// Width and height of the picture.
pub(crate) const FRAME: (usize, usize) = (2 * HALF as usize, (HALF + CAPTION) as usize);

/// Corridors of the optimal path.
const PATH: Rgb = Rgb::new(250, 236, 190);
/// Corridors that lead nowhere.
const DEAD_END: Rgb = Rgb::new(214, 220, 230);

pub(crate) fn draw<S: Sight>(env: &Halma<S>, state: &State, canvas: &mut Canvas<'_>) {
    canvas.clear(Rgb::INK);
    env.sight.paint(&env.trials, state, canvas);
    map(canvas, &env.trials, state);
}

/// The digits in their colours: one line per direction, wall, crossing and goal from left to right.
pub(crate) fn paint_entries(canvas: &mut Canvas<'_>, entries: &Entries) {
    const COLUMNS: [i32; 3] = [96, 156, 216];
    let centred = |canvas: &mut Canvas<'_>, x: i32, y: i32, scale: i32, colour: Rgb, text: &str| {
        canvas.text(x - text_width(text, scale) / 2, y, scale, colour, text);
    };
    canvas.fill_rect(0, 0, HALF, HALF, Rgb::BLACK);
    for (x, title) in COLUMNS.into_iter().zip(["wall", "crossing", "goal"]) {
        centred(canvas, x, 10, 1, Rgb::GREY, title);
    }
    for d in Direction::ALL {
        let y = 30 + 42 * d as i32;
        canvas.fill_arrow(22, y, 20, way(d), Rgb::SLATE);
        let (i, goal) = (d as usize, entries.toward(d));
        let goal_row = if d.step().0 == 0 { 9 } else { 8 };
        for ((x, row), value) in
            COLUMNS.into_iter().zip([i, 4 + i, goal_row]).zip([entries.wall(d), entries.crossing(d), goal])
        {
            if value > 0 && row < DIGITS {
                centred(canvas, x, y, 3, Rgb(colour(entries, row).1), &value.to_string());
            }
        }
    }
    canvas.text(14, 206, 1, Rgb::GREY, "hint");
    match entries.hint() {
        None => canvas.text(88, 206, 1, Rgb::SLATE, "none"),
        Some(hint) => {
            let (x, y, grey) = (96, 218, Rgb::grey(160));
            match hint {
                Direction::Left => canvas.outline_rect(x - 14, y - 14, 28, 28, 3, grey),
                Direction::Up => canvas.outline_circle(x, y, 14, 3, grey),
                Direction::Right => outline(canvas, &[(x - 12, y - 14), (x + 14, y), (x - 12, y + 14)], grey),
                Direction::Down => outline(canvas, &[(x, y - 15), (x + 15, y), (x, y + 15), (x - 15, y)], grey),
            }
            let name = ["left", "up", "right", "down"][hint as usize];
            canvas.text(130, 214, 1, Rgb::GREY, name);
        }
    }
}

fn outline(canvas: &mut Canvas<'_>, corners: &[(i32, i32)], colour: Rgb) {
    for (i, &corner) in corners.iter().enumerate() {
        canvas.thick_line(corner, corners[(i + 1) % corners.len()], 3, colour);
    }
}

fn way(direction: Direction) -> Way {
    match direction {
        Direction::Left => Way::Left,
        Direction::Up => Way::Up,
        Direction::Right => Way::Right,
        Direction::Down => Way::Down,
    }
}

/// The maze from above, y upwards, with the path, the dead ends, start, goal and agent.
fn map(canvas: &mut Canvas<'_>, trials: &Trials, state: &State) {
    let maze = &trials.mazes[state.maze as usize];
    let corner = |cell: Cell| (HALF + MARGIN + cell.x() * CELL, MARGIN + (SIDE - 1 - cell.y()) * CELL);
    let centre = |cell: Cell| {
        let (x, y) = corner(cell);
        (x + CELL / 2, y + CELL / 2)
    };
    let path: Vec<Cell> = maze.path_cells().collect();
    for cell in maze.cells() {
        let ((x, y), on_path) = (corner(cell), path.contains(&cell));
        canvas.fill_rect(x, y, CELL, CELL, if on_path { PATH } else { DEAD_END });
    }
    for cell in maze.cells() {
        let (x, y) = corner(cell);
        for d in Direction::ALL.into_iter().filter(|&d| !maze.is_passage(cell, d)) {
            let (x, y, width, height) = match d {
                Direction::Left => (x - 1, y - 1, 2, CELL + 2),
                Direction::Up => (x - 1, y - 1, CELL + 2, 2),
                Direction::Right => (x + CELL - 1, y - 1, 2, CELL + 2),
                Direction::Down => (x - 1, y + CELL - 1, CELL + 2, 2),
            };
            canvas.fill_rect(x, y, width, height, Rgb::SLATE);
        }
    }
    for pair in path.windows(2) {
        canvas.thick_line(centre(pair[0]), centre(pair[1]), 2, Rgb::AMBER);
    }
    for cell in maze.cells().filter(|&c| maze.is_crossing(c)) {
        let (x, y) = centre(cell);
        canvas.fill_circle(x, y, 3, Rgb::GREY);
    }
    let (x, y) = centre(maze.start());
    canvas.outline_rect(x - 8, y - 8, 17, 17, 2, Rgb::COBALT);
    let (x, y) = centre(maze.goal());
    canvas.fill_diamond(x, y, 9, Rgb::LEAF);
    let (x, y) = centre(state.at);
    canvas.fill_circle(x, y, 6, Rgb::BRICK);
    let caption = format!(
        "maze {}   trial {} of {}   step {} of {}   goals {}",
        state.maze,
        (state.trial + 1).min(trials.settings.max_trials),
        trials.settings.max_trials,
        state.steps,
        trials.settings.max_steps,
        state.goals
    );
    canvas.text(8, HALF + 7, 1, Rgb::PAPER, &caption);
}
