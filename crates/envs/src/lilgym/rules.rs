//! What happens at a step.

use std::sync::{Arc, OnceLock};

use heldout_core::{ConfigError, Dtype, Field, Metric, Row as ObservationRow, Spec, Start, Status};
use serde::{Deserialize, Serialize};

use super::action::{Action, Numbers, TOWER_HEIGHT};
use super::config::{Appearance, Begin, Config, Observation, RemoveRule};
use super::corpus::{Corpus, Statement};
use super::geometry::{Rect, inside, overlap, stick, taken};
use super::language::{Fault, Program};
use super::picture::{self, HALF_HEIGHT, HALF_WIDTH, HEIGHT, Trace, WIDTH};
use super::planner::Plan;
use super::scene::{BOX_PITCH, BOX_SIDE, BOXES, Item, MAX_ITEMS, Scene, Shape, Size};

/// Left side of every block of a tower.
const TOWER_X: i16 = 40;
/// Distance between the blocks of a tower: 20 pixels and a gap.
const TOWER_PITCH: i16 = 21;
/// Where the block below the lowest would be.
const TOWER_GROUND: i16 = 101;
/// Numbers that describe an object: box from one, x, y, shape, colour, size.
pub const FEATURES: usize = 6;
/// The picture or the object list comes first.
const VIEW: usize = 0;
const SENTENCE: usize = 1;
const TARGET: usize = 2;
const MASK: usize = 3;

/// Why an action is invalid. The numbers are those of the metric `invalid_cause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// It would cross the border of its box, or the box is full.
    CannotFit = 1,
    /// It is aimed at a separator.
    Separator = 2,
    /// There is nothing to remove.
    Nothing = 3,
    /// It would stand on another object.
    Onto = 4,
}

/// How an episode ended. The numbers are those of the metric `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// STOP where the statement has the target's value.
    Right = 1,
    /// STOP where it has not, after some edits.
    Wrong = 2,
    /// STOP where it has not, before any edit.
    Early = 3,
    /// No STOP within the horizon.
    Horizon = 4,
    /// An invalid action.
    Invalid = 5,
}

/// What a valid edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Appends an item to a box.
    Add(usize, Item),
    /// Takes the item with this number out.
    Remove(usize),
}

impl Change {
    /// `scene` after it.
    pub fn apply(self, scene: &mut Scene) {
        match self {
            Self::Add(owner, item) => {
                scene.push(owner, item);
            }
            Self::Remove(index) => {
                scene.remove(index);
            }
        }
    }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The objects.
    pub scene: Scene,
    trace: Trace,
    /// The half-size picture; empty unless the agent sees it.
    half: Vec<u8>,
    /// Which problem it is.
    pub row: u32,
    /// What is to be reached.
    pub target: bool,
    /// Actions so far.
    pub steps: u32,
    adds: u32,
    removes: u32,
    last: Option<Action>,
    forced: bool,
    /// Whether the horizon was reached, whatever else happened.
    pub cut: bool,
    /// Why the last action was invalid.
    pub cause: Option<Cause>,
    /// How the episode ended.
    pub end: Option<End>,
}

/// The rules of one of the four tasks.
#[derive(Debug)]
pub struct Rules {
    pub(super) config: Config,
    pub(super) appearance: Appearance,
    begin: Begin,
    pub(super) numbers: Numbers,
    corpus: Arc<Corpus>,
    /// Sentences, padded to the width of the observation.
    sentences: Vec<u8>,
    empty: Vec<u8>,
    spec: Spec,
    /// The planner's solutions under these rules, where those under the default ones will not do.
    plans: Vec<OnceLock<Plan>>,
    /// Whether what solves a problem under the default rules solves it here: a search of the cell only adds actions.
    default_physics: bool,
}

impl Rules {
    /// Reads the corpus and prepares the tables.
    ///
    /// # Errors
    ///
    /// If `config` does not describe the task.
    pub fn new(config: &Config, appearance: Appearance, begin: Begin) -> Result<Self, ConfigError> {
        config.check(appearance, begin)?;
        let corpus = Corpus::load(config, appearance, begin)?;
        let cells = if appearance == Appearance::Scatter { config.cells()? } else { (0, 0) };
        let numbers = Numbers::new(appearance, config.actions, cells);
        let width = config.max_sentence as usize;
        let mut sentences = Vec::with_capacity(corpus.statements.len() * width);
        for statement in &corpus.statements {
            sentences.extend_from_slice(statement.sentence.as_bytes());
            sentences.resize(sentences.len().next_multiple_of(width), 0);
        }
        let mut observation = vec![
            match config.observation {
                Observation::Image => Field::image("image", HALF_HEIGHT, HALF_WIDTH),
                Observation::Full => Field::image("image", HEIGHT, WIDTH),
                Observation::Objects => Field::new("objects", Dtype::I32, &[MAX_ITEMS, FEATURES], -32.0, 132.0),
            },
            Field::text("sentence", width),
            Field::new("target", Dtype::U8, &[1], 0.0, 1.0),
        ];
        if config.mask {
            observation.push(Field::new("action_mask", Dtype::U8, &[numbers.flat() as usize], 0.0, 1.0));
        }
        let spec = Spec {
            metrics: vec![
                Metric::step("force_stop"),
                Metric::step("invalid_cause"),
                Metric::step("end"),
                Metric::episode("success"),
                Metric::episode("success_unforced"),
                Metric::episode("no_stop"),
                Metric::episode("invalid"),
                Metric::episode("actions"),
                Metric::episode("add_share"),
                Metric::episode("remove_share"),
            ],
            problems: Some(corpus.rows.len() as u32),
            sources: corpus.sources.clone(),
            ..Spec::single(observation, numbers.space(), super::draw::FRAME)
        };
        let plans = corpus.rows.iter().map(|_| OnceLock::new()).collect();
        let empty = if config.observation == Observation::Image { picture::empty_half() } else { Vec::new() };
        let default = Config::default();
        let default_physics = config.grid == default.grid
            && config.remove_rule == default.remove_rule
            && config.border_check == default.border_check
            && config.stick == default.stick
            && config.box_limit == default.box_limit
            && config.horizon >= default.horizon;
        Ok(Self {
            config: config.clone(),
            appearance,
            begin,
            numbers,
            corpus,
            sentences,
            empty,
            spec,
            plans,
            default_physics,
        })
    }

    /// The problems.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// What is fixed.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The action with number `id` in the flat numbering.
    #[must_use]
    pub fn action(&self, id: u32) -> Option<Action> {
        (id < self.numbers.flat()).then(|| self.numbers.action(id))
    }

    pub(super) fn spec(&self) -> &Spec {
        &self.spec
    }

    pub(super) fn statement(&self, state: &State) -> &Statement {
        self.corpus.statement(state.row)
    }

    /// Whether the statement holds now.
    ///
    /// # Errors
    ///
    /// If the program has no value in this scene.
    pub fn truth(&self, state: &State) -> Result<bool, Fault> {
        self.statement(state).program.truth(&state.scene)
    }

    /// Whether the statement has the target's value. A program without a value counts as false.
    fn reached(&self, state: &State) -> bool {
        self.truth(state).unwrap_or(false) == state.target
    }

    /// The best that the planner finds for problem `row`, from its beginning.
    ///
    /// # Panics
    ///
    /// If there is no such problem.
    #[must_use]
    pub fn solve(&self, row: u32) -> Plan {
        let problem = &self.corpus.rows[row as usize];
        let program = &self.corpus.statement(row).program;
        let find = || super::planner::plan(self, program, &problem.scene, problem.target);
        if self.default_physics {
            return self.corpus.plans[row as usize].get_or_init(find).clone();
        }
        self.plans[row as usize].get_or_init(find).clone()
    }

    /// The best that the planner finds for any statement in any scene.
    #[must_use]
    pub fn search(&self, program: &Program, scene: &Scene, target: bool) -> Plan {
        super::planner::plan(self, program, scene, target)
    }

    /// The number of `action` in the flat numbering.
    #[must_use]
    pub fn number(&self, action: Action) -> u32 {
        self.numbers.id(action)
    }

    /// The solution of the state's problem, from its beginning.
    pub(super) fn plan(&self, state: &State) -> Plan {
        if self.config.permute_boxes {
            return super::planner::plan(self, &self.statement(state).program, &state.scene, state.target);
        }
        self.solve(state.row)
    }

    /// A fresh episode.
    ///
    /// # Panics
    ///
    /// If `start` names no problem of the corpus.
    #[must_use]
    pub fn start(&self, start: Start) -> State {
        let mut state = State {
            scene: Scene::default(),
            trace: Trace::default(),
            half: self.empty.clone(),
            row: 0,
            target: true,
            steps: 0,
            adds: 0,
            removes: 0,
            last: None,
            forced: false,
            cut: false,
            cause: None,
            end: None,
        };
        self.restart(&mut state, start);
        state
    }

    pub(super) fn restart(&self, state: &mut State, start: Start) {
        state.row = start.problem.expect("the problem set is finite");
        let row = &self.corpus.rows[state.row as usize];
        state.scene = row.scene;
        state.target = row.target;
        if self.config.permute_boxes {
            let mut order = [0, 1, 2];
            start.seed.stream("boxes").rng().shuffle(&mut order);
            state.scene = row.scene.permuted(order);
            // A statement may speak of a certain box: what is to be flipped is its truth in this order.
            state.target = !self.truth(state).unwrap_or(!row.target);
        }
        (state.steps, state.adds, state.removes) = (0, 0, 0);
        (state.last, state.forced, state.cut, state.cause, state.end) = (None, false, false, None, None);
        state.trace.clear();
        if self.config.observation == Observation::Image {
            state.half.copy_from_slice(&self.empty);
            for owner in 0..BOXES {
                for item in state.scene.of(owner) {
                    picture::patch_half(&state.scene, &state.trace, picture::place(item, owner), &mut state.half);
                }
            }
        }
    }

    /// What `action` would do to `scene`; STOP is no edit.
    ///
    /// # Errors
    ///
    /// If it is invalid.
    pub fn judge(&self, scene: &Scene, action: Action) -> Result<Option<Change>, Cause> {
        self.judge_as(scene, action, self.config.cell_search)
    }

    /// Whether `action` is valid in `scene`, without finding out what it would do.
    pub(super) fn is_valid(&self, scene: &Scene, action: Action) -> bool {
        match self.appearance {
            _ if action == Action::Stop => true,
            Appearance::Tower => Self::judge_tower(scene, action).is_ok(),
            Appearance::Scatter => self.judge_scatter(scene, action, self.config.cell_search).is_ok(),
        }
    }

    /// The same as [`Rules::judge`], with a search of the cell or without: what is valid without it does the same with it.
    pub(super) fn judge_as(&self, scene: &Scene, action: Action, search: bool) -> Result<Option<Change>, Cause> {
        if action == Action::Stop {
            return Ok(None);
        }
        let change = match self.appearance {
            Appearance::Tower => Self::judge_tower(scene, action)?,
            Appearance::Scatter => match self.judge_scatter(scene, action, search)? {
                Change::Add(owner, item) => Change::Add(owner, self.settled(scene, owner, item)),
                removal @ Change::Remove(_) => removal,
            },
        };
        Ok(Some(change))
    }

    /// Where an object that is put down comes to rest.
    fn settled(&self, scene: &Scene, owner: usize, item: Item) -> Item {
        if self.config.stick < 0 {
            return item;
        }
        let (dx, dy) = stick(&item, scene, owner, self.config.stick);
        let moved = Item { x: item.x + dx as i16, y: item.y + dy as i16, ..item };
        if self.config.border_check && !inside(&moved) { item } else { moved }
    }

    fn judge_tower(scene: &Scene, action: Action) -> Result<Change, Cause> {
        match action {
            Action::Add { x, color, .. } => {
                let (owner, blocks) = (usize::from(x), scene.of(x.into()));
                if blocks.len() >= TOWER_HEIGHT || scene.len() == MAX_ITEMS {
                    return Err(Cause::CannotFit);
                }
                let y = blocks.last().map_or(TOWER_GROUND, |below| below.y) - TOWER_PITCH;
                Ok(Change::Add(owner, Item { x: TOWER_X, y, shape: Shape::Square, color, size: Size::Medium }))
            }
            Action::Remove { x, .. } => scene.range(x.into()).next_back().map(Change::Remove).ok_or(Cause::Nothing),
            Action::Stop => Err(Cause::Nothing),
        }
    }

    fn judge_scatter(&self, scene: &Scene, action: Action, search: bool) -> Result<Change, Cause> {
        let (Action::Add { x, y, .. } | Action::Remove { x, y }) = action else { return Err(Cause::Nothing) };
        let cell = self.numbers.cell(x, y);
        let owner = Numbers::owner(cell).ok_or(Cause::Separator)?;
        let Action::Add { shape, color, size, .. } = action else {
            let largest = self.config.remove_rule == RemoveRule::Object;
            return taken(scene, owner, cell, largest).map(Change::Remove).ok_or(Cause::Nothing);
        };
        let offset = BOX_PITCH * owner as i32;
        let mut item = Item { x: (cell.left - offset) as i16, y: cell.top as i16, shape, color, size };
        let crowded = self.config.box_limit > 0 && scene.of(owner).len() >= self.config.box_limit as usize;
        if !inside(&item) || crowded || scene.len() == MAX_ITEMS {
            return Err(Cause::CannotFit);
        }
        let free = |item: &Item| !scene.of(owner).iter().any(|other| overlap(item, other, owner));
        if !free(&item) {
            let other = search.then(|| Self::elsewhere(cell, offset, item, free)).flatten();
            item = other.ok_or(Cause::Onto)?;
        }
        Ok(Change::Add(owner, item))
    }

    /// The first pixel of `cell`, row by row, where `item` is free.
    fn elsewhere(cell: Rect, offset: i32, item: Item, free: impl Fn(&Item) -> bool) -> Option<Item> {
        let places = (cell.top..cell.bottom.min(BOX_SIDE))
            .flat_map(|y| (cell.left - offset..(cell.right - offset).min(BOX_SIDE)).map(move |x| (x, y)));
        places.map(|(x, y)| Item { x: x as i16, y: y as i16, ..item }).find(|item| inside(item) && free(item))
    }

    /// Advances one step.
    pub fn step(&self, state: &mut State, action: Action, reward: &mut f32) -> Status {
        let config = &self.config;
        state.steps += 1;
        state.last = Some(action);
        state.cause = None;
        let stop = action == Action::Stop;
        let reached = (stop || config.stop_forcing) && self.reached(state);
        state.forced = !stop && reached;
        state.cut = state.steps >= config.horizon;
        if stop || state.forced {
            let edits = state.adds + state.removes;
            state.end = Some(match (reached, edits) {
                (true, _) => End::Right,
                (false, 0) => End::Early,
                (false, _) => End::Wrong,
            });
            *reward = if reached { 1.0 } else { -1.0 };
            return Status::Terminated;
        }
        match action {
            Action::Add { .. } => state.adds += 1,
            _ => state.removes += 1,
        }
        match self.judge(&state.scene, action) {
            Err(cause) => {
                (state.cause, state.end) = (Some(cause), Some(End::Invalid));
                *reward = -1.0;
                Status::Truncated
            }
            Ok(_) if state.cut => {
                state.end = Some(End::Horizon);
                *reward = config.horizon_reward.unwrap_or(-config.step_cost);
                Status::Truncated
            }
            Ok(change) => {
                if let Some(change) = change {
                    self.change(state, change);
                }
                *reward = -config.step_cost;
                Status::Running
            }
        }
    }

    fn change(&self, state: &mut State, change: Change) {
        let hole = state.trace.hole();
        let place = match change {
            Change::Add(owner, item) => {
                state.trace.added();
                picture::place(&item, owner)
            }
            Change::Remove(index) => {
                let (owner, item) = (state.scene.box_of(index), state.scene.items()[index]);
                state.trace.removed(item, owner);
                picture::place(&item, owner)
            }
        };
        change.apply(&mut state.scene);
        if self.config.observation == Observation::Image {
            for area in hole.into_iter().chain([place]) {
                picture::patch_half(&state.scene, &state.trace, area, &mut state.half);
            }
        }
    }

    pub(super) fn observe(&self, state: &State, mut row: ObservationRow<'_, '_>) {
        match self.config.observation {
            Observation::Image => row.u8(VIEW).copy_from_slice(&state.half),
            Observation::Full => picture::paint_full(&state.scene, &state.trace, row.u8(VIEW)),
            Observation::Objects => {
                let (used, free) = row.i32(VIEW).split_at_mut(state.scene.len() * FEATURES);
                let mut slots = used.as_chunks_mut::<FEATURES>().0.iter_mut();
                for owner in 0..BOXES {
                    for (item, slot) in state.scene.of(owner).iter().zip(&mut slots) {
                        *slot = [
                            owner as i32 + 1,
                            item.x.into(),
                            item.y.into(),
                            item.shape as i32,
                            item.color as i32,
                            item.size as i32,
                        ];
                    }
                }
                free.fill(0);
            }
        }
        let width = self.config.max_sentence as usize;
        let statement = self.corpus.rows[state.row as usize].statement as usize;
        row.u8(SENTENCE).copy_from_slice(&self.sentences[statement * width..][..width]);
        row.u8(TARGET)[0] = u8::from(state.target);
        if self.config.mask {
            for (id, valid) in row.u8(MASK).iter_mut().enumerate() {
                *valid = u8::from(self.is_valid(&state.scene, self.numbers.action(id as u32)));
            }
        }
    }

    pub(super) fn metrics(state: &State, values: &mut [f32]) {
        let actions = state.steps.max(1) as f32;
        let right = state.end == Some(End::Right);
        values.copy_from_slice(&[
            f32::from(state.forced),
            state.cause.map_or(0.0, |cause| f32::from(cause as u8)),
            state.end.map_or(0.0, |end| f32::from(end as u8)),
            f32::from(right),
            f32::from(right && !state.forced),
            f32::from(state.end == Some(End::Horizon)),
            f32::from(state.end == Some(End::Invalid)),
            state.steps as f32,
            state.adds as f32 / actions,
            state.removes as f32 / actions,
        ]);
    }

    /// The half-size picture, painted anew if the state keeps none.
    #[must_use]
    pub fn half(&self, state: &State) -> Vec<u8> {
        if !state.half.is_empty() {
            return state.half.clone();
        }
        let mut half = picture::empty_half();
        let all = (0..HEIGHT as i32 / 20).flat_map(|y| (0..WIDTH as i32 / 20).map(move |x| (20 * x, 20 * y)));
        for (left, top) in all {
            let area = Rect { left, top, right: left + 20, bottom: top + 20 };
            picture::patch_half(&state.scene, &state.trace, area, &mut half);
        }
        half
    }

    pub(super) fn trace(state: &State) -> &Trace {
        &state.trace
    }

    pub(super) fn last(state: &State) -> Option<Action> {
        state.last
    }

    /// Whether episodes begin with empty boxes.
    #[must_use]
    pub fn from_scratch(&self) -> bool {
        self.begin == Begin::Scratch
    }
}
