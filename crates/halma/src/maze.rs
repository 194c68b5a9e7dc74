//! A maze: a tree of cells with one path from start to goal that never turns away from it.
//!
//! Cells lie on a square of ten by ten; walls are thin, so a cell is described by the sides on which it is open. The
//! open cells form a tree, hence the way from any cell to any other is unique, and "the optimal path" is well defined.

use serde::{Deserialize, Serialize};

/// Cells along a side of the grid.
pub(crate) const SIDE: i32 = 10;
/// Cells of the grid.
pub(crate) const CELLS: usize = 100;

/// A direction, in the order used everywhere: left, up, right, down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Direction {
    /// x falls.
    #[serde(rename = "L")]
    Left,
    /// y grows.
    #[serde(rename = "U")]
    Up,
    /// x grows.
    #[serde(rename = "R")]
    Right,
    /// y falls.
    #[serde(rename = "D")]
    Down,
}

impl Direction {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 4] = [Self::Left, Self::Up, Self::Right, Self::Down];

    /// The direction at `index` of [`Direction::ALL`], counted round.
    pub(crate) const fn at(index: u32) -> Self {
        Self::ALL[index as usize % 4]
    }

    /// Change of x and y in one move.
    pub(crate) const fn step(self) -> (i32, i32) {
        match self {
            Self::Left => (-1, 0),
            Self::Up => (0, 1),
            Self::Right => (1, 0),
            Self::Down => (0, -1),
        }
    }

    /// The direction `quarters` quarter turns clockwise.
    pub(crate) const fn turned(self, quarters: u32) -> Self {
        Self::at(self as u32 + quarters)
    }

    pub(crate) const fn opposite(self) -> Self {
        self.turned(2)
    }

    /// `L`, `U`, `R` or `D`.
    pub(crate) const fn letter(self) -> char {
        ['L', 'U', 'R', 'D'][self as usize]
    }

    /// The direction that a letter names.
    pub(crate) fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.letter() == letter)
    }
}

/// One cell of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Cell(u8);

impl Cell {
    /// The cell in column `x` and row `y`, both from zero, y upwards; `None` outside the grid.
    pub(crate) fn new(x: i32, y: i32) -> Option<Self> {
        let inside = (0..SIDE).contains(&x) && (0..SIDE).contains(&y);
        inside.then_some(Self((y * SIDE + x) as u8))
    }

    /// Every cell of the grid, row by row.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..CELLS as u8).map(Self)
    }

    /// Place in row-major order.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn x(self) -> i32 {
        self.0 as i32 % SIDE
    }

    pub(crate) const fn y(self) -> i32 {
        self.0 as i32 / SIDE
    }

    /// The cell `length` moves in `direction`; `None` outside the grid.
    pub(crate) fn moved(self, direction: Direction, length: i32) -> Option<Self> {
        let (dx, dy) = direction.step();
        Self::new(self.x() + dx * length, self.y() + dy * length)
    }

    /// The next cell in `direction`, which the caller knows to be inside the grid.
    const fn beyond(self, direction: Direction) -> Self {
        let (dx, dy) = direction.step();
        Self((self.0 as i32 + dx + dy * SIDE) as u8)
    }

    /// Moves between two cells if there were no walls.
    pub(crate) const fn distance(self, other: Self) -> i32 {
        (self.x() - other.x()).abs() + (self.y() - other.y()).abs()
    }
}

/// One of the eight ways to lay a square onto itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry(u32);

impl Symmetry {
    /// All of them; the first changes nothing.
    pub(crate) const ALL: [Self; 8] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// Where a direction goes: left and right swap in the mirrored half, then quarter turns clockwise.
    pub(crate) const fn direction(self, direction: Direction) -> Direction {
        let mirrored = self.0 >= 4 && (direction as u32).is_multiple_of(2);
        direction.turned(self.0 + if mirrored { 2 } else { 0 })
    }

    /// Where a cell goes.
    pub(crate) fn cell(self, cell: Cell) -> Cell {
        let last = SIDE - 1;
        let (mut x, mut y) = (cell.x(), cell.y());
        if self.0 >= 4 {
            x = last - x;
        }
        for _ in 0..self.0 % 4 {
            (x, y) = (y, last - x);
        }
        Cell((y * SIDE + x) as u8)
    }
}

/// A corridor without forks that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    /// The open cell it leaves from.
    #[serde(with = "place")]
    pub(crate) from: Cell,
    /// Its moves: as many as it has cells of its own.
    #[serde(with = "letters")]
    pub(crate) moves: Vec<Direction>,
}

/// A maze that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MazeError {
    /// Start and goal coincide.
    #[error("the path has no moves")]
    Empty,
    /// A corridor leaves the grid.
    #[error("a corridor leaves the grid of {SIDE}x{SIDE} cells")]
    Outside,
    /// The path turns away from the goal.
    #[error("move {at} of the path leads away from the goal")]
    Detour { at: usize },
    /// A corridor runs into an open cell: the maze would have a loop.
    #[error("a corridor runs into an open cell")]
    Loop,
    /// A branch leaves from a cell that is not open.
    #[error("a branch leaves from a cell that is not open")]
    Detached,
}

/// What walls are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Walls {
    /// Edges between cells.
    #[default]
    Thin,
    /// Cells: corridors keep a cell's distance from each other.
    Block,
}

/// A maze.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Plan", into = "Plan")]
pub(crate) struct Maze {
    start: Cell,
    goal: Cell,
    path: Vec<Direction>,
    branches: Vec<Branch>,
    /// Bit `d` of a cell is set where it is open in direction `d`; zero for a cell that is no part of the maze.
    open: [u8; CELLS],
}

/// A maze as files hold it: enough to draw it by hand.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    #[serde(with = "place")]
    start: Cell,
    #[serde(with = "letters")]
    path: Vec<Direction>,
    branches: Vec<Branch>,
}

impl From<Maze> for Plan {
    fn from(maze: Maze) -> Self {
        Self { start: maze.start, path: maze.path, branches: maze.branches }
    }
}

impl TryFrom<Plan> for Maze {
    type Error = MazeError;

    fn try_from(plan: Plan) -> Result<Self, MazeError> {
        let mut maze = Self::path(plan.start, &plan.path)?;
        plan.branches.iter().try_for_each(|b| maze.add_branch(b.from, &b.moves, Walls::Thin))?;
        Ok(maze)
    }
}

impl Maze {
    /// The maze of nothing but a path.
    pub(crate) fn path(start: Cell, path: &[Direction]) -> Result<Self, MazeError> {
        let end = path.iter().try_fold(start, |cell, &d| cell.moved(d, 1)).ok_or(MazeError::Outside)?;
        if path.is_empty() {
            return Err(MazeError::Empty);
        }
        let mut cell = start;
        for (at, &d) in path.iter().enumerate() {
            let next = cell.moved(d, 1).ok_or(MazeError::Outside)?;
            if next.distance(end) >= cell.distance(end) {
                return Err(MazeError::Detour { at });
            }
            cell = next;
        }
        let mut maze = Self { start, goal: end, path: path.to_vec(), branches: Vec::new(), open: [0; CELLS] };
        maze.dig(start, path);
        Ok(maze)
    }

    /// Adds a dead end.
    pub(crate) fn add_branch(&mut self, from: Cell, moves: &[Direction], walls: Walls) -> Result<(), MazeError> {
        if !self.is_open(from) {
            return Err(MazeError::Detached);
        }
        let mut dug = [false; CELLS];
        let mut cell = from;
        for &d in moves {
            let next = cell.moved(d, 1).ok_or(MazeError::Outside)?;
            let taken = |c: Cell| self.is_open(c) || dug[c.index()];
            // Between wall cells two corridors side by side would be one.
            let beside = |d: &Direction| next.moved(*d, 1).is_some_and(|c| c != cell && taken(c));
            if taken(next) || walls == Walls::Block && Direction::ALL.iter().any(beside) {
                return Err(MazeError::Loop);
            }
            dug[next.index()] = true;
            cell = next;
        }
        self.dig(from, moves);
        self.branches.push(Branch { from, moves: moves.to_vec() });
        Ok(())
    }

    /// Takes the last branch away again.
    pub(crate) fn pop_branch(&mut self) {
        let Some(Branch { from, moves }) = self.branches.pop() else { return };
        let mut cell = from;
        for (i, d) in moves.into_iter().enumerate() {
            let next = cell.beyond(d);
            if i == 0 {
                self.open[cell.index()] &= !(1 << d as u8);
            }
            self.open[next.index()] = 0;
            cell = next;
        }
    }

    fn dig(&mut self, from: Cell, moves: &[Direction]) {
        let mut cell = from;
        for &d in moves {
            let next = cell.beyond(d);
            self.open[cell.index()] |= 1 << d as u8;
            self.open[next.index()] |= 1 << d.opposite() as u8;
            cell = next;
        }
    }

    /// Where every trial begins.
    pub(crate) fn start(&self) -> Cell {
        self.start
    }

    /// Where a trial is accomplished.
    pub(crate) fn goal(&self) -> Cell {
        self.goal
    }

    /// The moves from start to goal: the shape of the optimal path.
    pub(crate) fn shape(&self) -> &[Direction] {
        &self.path
    }

    /// The dead ends.
    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The cells of the path, start and goal included.
    pub(crate) fn path_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let step = |cell: &mut Cell, d: &Direction| {
            *cell = cell.beyond(*d);
            Some(*cell)
        };
        std::iter::once(self.start).chain(self.path.iter().scan(self.start, step))
    }

    /// Whether the cell is part of the maze.
    pub(crate) fn is_open(&self, cell: Cell) -> bool {
        self.open[cell.index()] != 0
    }

    /// The cells of the maze, row by row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        Cell::all().filter(|&c| self.is_open(c))
    }

    /// Whether one may go from `cell` in `direction`.
    pub(crate) fn is_passage(&self, cell: Cell, direction: Direction) -> bool {
        self.open[cell.index()] >> direction as u8 & 1 == 1
    }

    /// Number of open sides.
    pub(crate) fn degree(&self, cell: Cell) -> u32 {
        self.open[cell.index()].count_ones()
    }

    /// Whether the cell is where ways part: a fork, or a start with two exits, which would be ambiguous without a hint.
    pub(crate) fn is_crossing(&self, cell: Cell) -> bool {
        self.degree(cell) >= if cell == self.start { 2 } else { 3 }
    }

    /// Moves possible from `cell` in `direction` until a wall stops.
    pub(crate) fn wall_distance(&self, cell: Cell, direction: Direction) -> i32 {
        let mut length = 0;
        let mut at = cell;
        while self.is_passage(at, direction) {
            at = at.beyond(direction);
            length += 1;
        }
        length
    }

    /// Moves to the nearest crossing in line of sight, `cell` itself excepted; 0 if there is none.
    pub(crate) fn crossing_distance(&self, cell: Cell, direction: Direction) -> i32 {
        let mut at = cell;
        for length in 1.. {
            if !self.is_passage(at, direction) {
                break;
            }
            at = at.beyond(direction);
            if self.is_crossing(at) {
                return length;
            }
        }
        0
    }

    /// The first move of the way from every cell to the goal; `None` for the goal and for cells outside the maze.
    pub(crate) fn ways(&self) -> [Option<Direction>; CELLS] {
        let mut ways = [None; CELLS];
        let mut queue = [self.goal; CELLS];
        let (mut next, mut end) = (0, 1);
        while next < end {
            let cell = queue[next];
            next += 1;
            for d in Direction::ALL.into_iter().filter(|&d| self.is_passage(cell, d)) {
                let from = cell.beyond(d);
                if from != self.goal && ways[from.index()].is_none() {
                    ways[from.index()] = Some(d.opposite());
                    queue[end] = from;
                    end += 1;
                }
            }
        }
        ways
    }

    /// The maze turned and mirrored; valid whenever this one is.
    pub(crate) fn image(&self, symmetry: Symmetry) -> Self {
        let moves = |path: &[Direction]| path.iter().map(|&d| symmetry.direction(d)).collect();
        let mut open = [0; CELLS];
        for cell in self.cells() {
            let sides = Direction::ALL.into_iter().filter(|&d| self.is_passage(cell, d));
            open[symmetry.cell(cell).index()] = sides.fold(0, |mask, d| mask | 1 << symmetry.direction(d) as u8);
        }
        let branch = |b: &Branch| Branch { from: symmetry.cell(b.from), moves: moves(&b.moves) };
        Self {
            start: symmetry.cell(self.start),
            goal: symmetry.cell(self.goal),
            path: moves(&self.path),
            branches: self.branches.iter().map(branch).collect(),
            open,
        }
    }

    /// The sides on which each cell is open, for checksums.
    pub(crate) fn sides(&self) -> &[u8; CELLS] {
        &self.open
    }
}

/// A path as a string of letters.
pub(crate) fn written(path: &[Direction]) -> String {
    path.iter().map(|d| d.letter()).collect()
}

/// Cells in files: `[x, y]`.
pub(crate) mod place {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Cell;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub(crate) fn serialize<S: Serializer>(cell: &Cell, serializer: S) -> Result<S::Ok, S::Error> {
        [cell.x(), cell.y()].serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cell, D::Error> {
        let [x, y] = <[i32; 2]>::deserialize(deserializer)?;
        Cell::new(x, y).ok_or_else(|| D::Error::custom(format!("[{x}, {y}] is outside the grid")))
    }
}

/// Paths in files: strings of letters.
mod letters {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Direction, written};

    #[expect(clippy::ptr_arg, reason = "the signature is serde's")]
    pub(crate) fn serialize<S: Serializer>(path: &Vec<Direction>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(path))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Direction>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parse = |c| Direction::of_letter(c).ok_or_else(|| D::Error::custom(format!("`{c}` is no direction")));
        text.chars().map(parse).collect()
    }
}
