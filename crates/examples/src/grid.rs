//! `example/grid-v1`: walk to the goal of a small walled grid.
//!
//! A finite level set, a split that holds out a property of the level (the parity of the goal's column), all three
//! element types, an optional picture, step and episode metrics, an honest and a privileged policy, and experience that
//! outlives the episode.

use heldout_core::check::{below, count, that, within};
use heldout_core::{
    About, ActionSpace, ConfigError, Dtype, Environment, ExperienceError, Field, Frame, Metric, Policy, Preset, Rng,
    Row, Scripted, Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

pub(crate) static ABOUT: About = About {
    id: "example/grid-v1",
    summary: "Walk to the goal of a small walled grid; held-out levels have their goals in columns never trained on.",
    card: include_str!("../cards/grid.md"),
    split_key: "split",
    splits: &["train", "heldout"],
    presets: &[
        Preset {
            name: "slippery",
            about: "One move in ten goes astray.",
            config: r#"{"slip": 0.1, "max_steps": 100, "experience": true}"#,
        },
        Preset { name: "pixels", about: "With a picture in the observation.", config: r#"{"image": true}"# },
    ],
    views: &["image"],
    aids: &[],
    smallest: "{}",
    short: "{}",
};

/// Reward for each step that does not reach the goal.
const STEP_REWARD: f32 = -0.01;
/// Reward for reaching the goal.
const GOAL_REWARD: f32 = 1.0;
/// Side of the picture observation, as in the usual pixel benchmarks.
const IMAGE_SIDE: usize = 84;
/// Side of a cell in the picture for people.
const CELL: usize = 32;
/// Height of the line of text below it.
const CAPTION: usize = 16;
/// Distance of a cell from which the goal cannot be reached.
const FAR: u16 = u16::MAX;

/// Which levels are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// Goals in even columns.
    #[default]
    Train,
    /// Goals in odd columns.
    Heldout,
}

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Which levels are played.
    pub(crate) split: Split,
    /// Number of levels.
    pub(crate) levels: u32,
    /// Cells along a side.
    pub(crate) size: u32,
    /// Share of cells that are walls.
    pub(crate) walls: f64,
    /// Probability that a move goes in a random direction instead.
    pub(crate) slip: f64,
    /// Steps after which an episode is cut.
    pub(crate) max_steps: u32,
    /// Whether the observation has a picture too.
    pub(crate) image: bool,
    /// Whether each copy counts its visits to every cell of every level.
    pub(crate) experience: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            split: Split::Train,
            levels: 64,
            size: 7,
            walls: 0.2,
            slip: 0.0,
            max_steps: 50,
            image: false,
            experience: false,
        }
    }
}

impl Config {
    fn check(&self) -> Result<(), ConfigError> {
        let within = |field, value: u32, low, high| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError::value(field, value, &format!("{low} to {high}")))
            }
        };
        within("levels", self.levels, 1, 65_536)?;
        within("size", self.size, 3, 15)?;
        within("max_steps", self.max_steps, 1, 100_000)?;
        for (field, value, most) in [("walls", self.walls, 0.4), ("slip", self.slip, 1.0)] {
            if !(0.0..=most).contains(&value) {
                return Err(ConfigError::value(field, value, &format!("0 to {most}")));
            }
        }
        Ok(())
    }
}

/// Where to go. The order is that of the action's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// To the row above.
    Up,
    /// To the next column.
    Right,
    /// To the row below.
    Down,
    /// To the column before.
    Left,
}

impl Move {
    const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    fn step(self) -> (i32, i32) {
        match self {
            Self::Up => (0, -1),
            Self::Right => (1, 0),
            Self::Down => (0, 1),
            Self::Left => (-1, 0),
        }
    }
}

/// One level: where the walls are, where the goal is, and how far it is from every cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    size: i32,
    wall: Vec<bool>,
    /// The goal's cell.
    pub(crate) goal: u16,
    distance: Vec<u16>,
    /// The cells from which the goal can be reached, the goal excepted.
    starts: Vec<u16>,
}

impl Level {
    /// The level that `seed` names: drawn again until the goal can be reached from half of the cells.
    fn generate(config: &Config, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let size = config.size as i32;
        let parity = i32::from(config.split == Split::Heldout);
        loop {
            let wall: Vec<bool> = (0..size * size).map(|_| rng.chance(config.walls)).collect();
            let column = 2 * rng.between(0, (size - 1 - parity) / 2) + parity;
            let goal = (rng.between(0, size - 1) * size + column) as u16;
            let mut level = Self { size, wall, goal, distance: Vec::new(), starts: Vec::new() };
            level.wall[goal as usize] = false;
            level.measure();
            if level.starts.len() * 2 >= level.wall.len() {
                return level;
            }
        }
    }

    /// Finds the distance of every cell from the goal, breadth first.
    fn measure(&mut self) {
        self.distance = vec![FAR; self.wall.len()];
        self.distance[self.goal as usize] = 0;
        let mut queue = vec![self.goal];
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            for m in Move::ALL {
                if let Some(to) = self.neighbour(cell, m)
                    && !self.reaches(to)
                {
                    self.distance[to as usize] = self.distance[cell as usize] + 1;
                    queue.push(to);
                }
            }
        }
        self.starts = (0..self.wall.len() as u16).filter(|&c| c != self.goal && self.reaches(c)).collect();
    }

    fn reaches(&self, cell: u16) -> bool {
        self.distance[cell as usize] != FAR
    }

    /// Column and row of `cell`.
    fn place(&self, cell: u16) -> (i32, i32) {
        (i32::from(cell) % self.size, i32::from(cell) / self.size)
    }

    /// The free cell that `m` leads to from `cell`.
    fn neighbour(&self, cell: u16, m: Move) -> Option<u16> {
        let ((x, y), (dx, dy)) = (self.place(cell), m.step());
        let (x, y) = (x + dx, y + dy);
        let inside = (0..self.size).contains(&x) && (0..self.size).contains(&y);
        let to = y * self.size + x;
        (inside && !self.wall[to as usize]).then_some(to as u16)
    }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    level: u32,
    at: u16,
    /// Length of the shortest way from the start.
    shortest: u16,
    moves: u32,
    bumped: bool,
    reached: bool,
    rng: Rng,
    /// Visits to every cell of every level; empty unless experience is kept.
    visits: Vec<u32>,
}

/// The rules.
#[derive(Debug)]
pub(crate) struct Grid {
    config: Config,
    /// In the order of their problem numbers.
    pub(crate) levels: Vec<Level>,
    spec: Spec,
}

impl Grid {
    fn level(&self, state: &State) -> &Level {
        &self.levels[state.level as usize]
    }

    /// Visits that each copy counts: of every cell of every level, or none.
    fn counted(&self) -> usize {
        if self.config.experience { (self.config.size * self.config.size * self.config.levels) as usize } else { 0 }
    }

    /// The counts that `bytes` hold, if they are counts of these levels.
    fn read_visits(&self, bytes: &[u8]) -> Result<impl Iterator<Item = u32>, ExperienceError> {
        if !self.config.experience {
            return Err(ExperienceError::None);
        }
        let expected = self.counted() * 4;
        if bytes.len() != expected {
            let problem = format!("it has {} bytes, must have {expected}", bytes.len());
            return Err(ExperienceError::Foreign { problem });
        }
        Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])))
    }

    fn visit(&self, state: &mut State) {
        if self.config.experience {
            let cells = (self.config.size * self.config.size) as usize;
            let count = &mut state.visits[state.level as usize * cells + state.at as usize];
            *count = count.saturating_add(1);
        }
    }

    /// Paints the level on any square of at least as many pixels as cells.
    fn paint(&self, state: &State, canvas: &mut Canvas<'_>, side: usize) {
        let level = self.level(state);
        // Cell borders at equal shares of the side, so that any side works.
        let edge = |i: i32| (i as usize * side / level.size as usize) as i32;
        for cell in 0..level.wall.len() as u16 {
            let (x, y) = level.place(cell);
            let (left, top) = (edge(x), edge(y));
            let (width, height) = (edge(x + 1) - left, edge(y + 1) - top);
            let colour = if level.wall[cell as usize] { Rgb::SLATE } else { Rgb::PAPER };
            canvas.fill_rect(left, top, width, height, colour);
            let (middle_x, middle_y, radius) = (left + width / 2, top + height / 2, width / 3);
            if cell == level.goal {
                canvas.fill_diamond(middle_x, middle_y, radius, Rgb::LEAF);
            }
            if cell == state.at {
                canvas.fill_circle(middle_x, middle_y, radius, Rgb::BRICK);
            }
        }
    }
}

impl Environment for Grid {
    type Config = Config;
    type State = State;
    type Action = Move;
    type Variant = ();

    fn new(config: &Config, (): ()) -> Result<Self, ConfigError> {
        config.check()?;
        // The levels belong to the environment, not to the run: their seed is fixed.
        let name = if config.split == Split::Train { "train" } else { "heldout" };
        let seed = Seed(0).stream(ABOUT.id).stream(name);
        let levels = (0..u64::from(config.levels)).map(|i| Level::generate(config, seed.derive(i))).collect();
        let last = (config.size - 1) as f32;
        let mut observation = vec![
            Field::new("goal_offset", Dtype::F32, &[2], -1.0, 1.0),
            Field::new("position", Dtype::I32, &[2], 0.0, last),
            Field::new("blocked", Dtype::U8, &[4], 0.0, 1.0),
        ];
        if config.image {
            observation.push(Field::image("image", IMAGE_SIDE, IMAGE_SIDE));
        }
        let side = config.size as usize * CELL;
        let spec = Spec {
            metrics: vec![Metric::step("bumped"), Metric::share("success"), Metric::episode("path_ratio")],
            problems: Some(config.levels),
            max_steps: Some(config.max_steps),
            ..Spec::single(observation, ActionSpace::Discrete(4), (side, side + CAPTION))
        };
        Ok(Self { config: config.clone(), levels, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Move> {
        let [index] = raw else { return None };
        Move::ALL.get(usize::try_from(*index).ok()?).copied()
    }

    fn encode(&self, _: usize, action: Move, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> State {
        let visits = vec![0; self.counted()];
        let rng = Rng::new(start.seed);
        let mut state = State { level: 0, at: 0, shortest: 0, moves: 0, bumped: false, reached: false, rng, visits };
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        state.level = start.problem.expect("the level set is finite");
        state.rng = start.seed.stream("slips").rng();
        let level = self.level(state);
        state.at = *start.seed.stream("layout").rng().pick(&level.starts);
        state.shortest = level.distance[state.at as usize];
        (state.moves, state.bumped, state.reached) = (0, false, false);
        self.visit(state);
    }

    fn check(&self, state: &State) -> Result<(), String> {
        below("level", state.level, self.levels.len())?;
        let level = self.level(state);
        below("at", state.at, level.wall.len())?;
        that("at", state.at, level.reaches(state.at), "a cell from which the goal can be reached")?;
        within("shortest", state.shortest, 0..=level.wall.len() as u16)?;
        within("moves", state.moves, u32::from(state.reached)..=self.config.max_steps)?;
        count("visits", state.visits.len(), self.counted())
    }

    fn step(&self, state: &mut State, actions: &[Move], rewards: &mut [f32]) -> Status {
        let slips = self.config.slip > 0.0 && state.rng.chance(self.config.slip);
        let direction = if slips { *state.rng.pick(&Move::ALL) } else { actions[0] };
        let to = self.level(state).neighbour(state.at, direction);
        state.moves += 1;
        state.bumped = to.is_none();
        state.at = to.unwrap_or(state.at);
        self.visit(state);
        state.reached = state.at == self.level(state).goal;
        rewards[0] = if state.reached { GOAL_REWARD } else { STEP_REWARD };
        if state.reached { Status::Terminated } else { Status::Running }
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        let level = self.level(state);
        let ((x, y), (goal_x, goal_y)) = (level.place(state.at), level.place(level.goal));
        let last = (level.size - 1) as f32;
        row.f32(0).copy_from_slice(&[(goal_x - x) as f32 / last, (goal_y - y) as f32 / last]);
        row.i32(1).copy_from_slice(&[x, y]);
        row.u8(2).copy_from_slice(&Move::ALL.map(|m| u8::from(level.neighbour(state.at, m).is_none())));
        if self.config.image {
            self.paint(state, &mut Canvas::new(IMAGE_SIDE, IMAGE_SIDE, row.u8(3)), IMAGE_SIDE);
        }
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        self.paint(state, &mut canvas, frame.width);
        let caption = format!("level {} move {}", state.level, state.moves);
        canvas.text(4, (frame.height - CAPTION + 4) as i32, 1, Rgb::PAPER, &caption);
    }

    /// A map: `@` is the agent, `G` the goal, `#` a wall.
    fn words(&self, state: &State) -> String {
        let level = self.level(state);
        let mark = |(cell, &wall): (usize, &bool)| match cell as u16 {
            cell if cell == state.at => '@',
            cell if cell == level.goal => 'G',
            _ if wall => '#',
            _ => '.',
        };
        let marks: Vec<char> = level.wall.iter().enumerate().map(mark).collect();
        let rows: Vec<String> = marks.chunks(level.size as usize).map(|row| row.iter().collect()).collect();
        rows.join("\n")
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        let ratio = if state.reached { f32::from(state.shortest) / state.moves as f32 } else { 0.0 };
        values.copy_from_slice(&[f32::from(state.bumped), f32::from(state.reached), ratio]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Takes a shortest way; looks at the walls of the whole level."),
            Scripted::of::<Greedy>("greedy", "Goes toward the goal where nothing is in the way, else anywhere."),
        ]
    }

    fn experience(&self, state: &State) -> Option<Vec<u8>> {
        let bytes = || state.visits.iter().flat_map(|count| count.to_le_bytes()).collect();
        self.config.experience.then(bytes)
    }

    fn set_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        let visits = self.read_visits(bytes)?;
        state.visits.iter_mut().zip(visits).for_each(|(count, more)| *count = more);
        Ok(())
    }

    fn merge_experience(&self, state: &mut State, bytes: &[u8]) -> Result<(), ExperienceError> {
        let visits = self.read_visits(bytes)?;
        state.visits.iter_mut().zip(visits).for_each(|(count, more)| *count = count.saturating_add(more));
        Ok(())
    }

    fn clear_experience(&self, state: &mut State) -> Result<(), ExperienceError> {
        if !self.config.experience {
            return Err(ExperienceError::None);
        }
        state.visits.fill(0);
        Ok(())
    }
}

/// Takes a shortest way.
#[derive(Debug, Default)]
pub(crate) struct Oracle;

impl Policy<Grid> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &Grid) {}

    fn act(&self, rules: &Grid, view: View<'_, Grid>, (): &mut (), _: &mut Rng) -> Move {
        let state = view.state.expect("the oracle is privileged");
        let level = rules.level(state);
        let distance = |m: &Move| level.neighbour(state.at, *m).map_or(FAR, |to| level.distance[to as usize]);
        Move::ALL.into_iter().min_by_key(distance).expect("there are four moves")
    }
}

/// Goes toward the goal by what it sees.
#[derive(Debug, Default)]
pub(crate) struct Greedy;

impl Policy<Grid> for Greedy {
    type Memory = ();

    fn remember(&self, _: &Grid) {}

    fn act(&self, _: &Grid, view: View<'_, Grid>, (): &mut (), rng: &mut Rng) -> Move {
        let (offset, blocked) = (view.row.f32(0), view.row.u8(2));
        let free = |m: &Move| blocked[*m as usize] == 0;
        let nearer = |m: &Move| {
            let (dx, dy) = m.step();
            offset[0] * dx as f32 + offset[1] * dy as f32 > 0.0
        };
        let toward = Move::ALL.into_iter().find(|m| free(m) && nearer(m));
        toward.unwrap_or_else(|| *rng.pick(&Move::ALL))
    }
}
