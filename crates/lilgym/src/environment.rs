//! The four tasks as one environment: what is fixed, what changes, and what happens at a step.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use heldout_core::check::{below, count, within};
use heldout_core::{
    ActionSpace, Cause, Causes, ConfigError, Dtype, Environment, Field, Frame, Metric, Row, Scripted, Spec, Start,
    Status,
};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Numbers};
use crate::config::{Appearance, Config, Observation, Task};
use crate::corpus::{Corpus, Statement};
use crate::geometry::bounds;
use crate::language::Fault;
use crate::picture::{self, HALF_HEIGHT, HALF_WIDTH, HEIGHT, Trace, WIDTH};
use crate::planner::Plan;
use crate::policy;
use crate::rules::{Change, Invalid};
use crate::scene::{BOX_NAMES, BOXES, FARTHEST, Item, MAX_ITEMS, NEAREST, Scene};

/// Numbers that describe an object: box from one, x, y, shape, colour, size.
pub(crate) const FEATURES: usize = 6;
/// The picture or the object list comes first.
pub(crate) const VIEW: usize = 0;
const SENTENCE: usize = 1;
pub(crate) const TARGET: usize = 2;
const MASK: usize = 3;

/// How an episode ended. The numbers are those of the metric `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    Right = 1,
    Wrong = 2,
    Early = 3,
    Horizon = 4,
    Invalid = 5,
}

impl End {
    pub(crate) const fn told(self) -> &'static str {
        match self {
            Self::Right => "STOP at the right time",
            Self::Wrong => "STOP at the wrong time",
            Self::Early => "STOP before any edit",
            Self::Horizon => "no STOP",
            Self::Invalid => "invalid action",
        }
    }
}

/// How episodes fail (the paper's section 5.3 and appendix D.1).
pub(crate) const CAUSES: Causes = Causes {
    caption: "How lilGym's episodes fail: percent of those that failed, with 95 % intervals; the last four are invalid actions",
    success: "success",
    causes: &[
        ended(End::Early),
        ended(End::Wrong),
        ended(End::Horizon),
        invalid(Invalid::Separator),
        invalid(Invalid::CannotFit),
        invalid(Invalid::Nothing),
        invalid(Invalid::Onto),
    ],
};

const fn ended(end: End) -> Cause {
    Cause { metric: "end", value: end as u8, name: end.told() }
}

const fn invalid(invalid: Invalid) -> Cause {
    Cause { metric: "invalid_cause", value: invalid as u8, name: invalid.told() }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) scene: Scene,
    pub(crate) trace: Trace,
    /// The half-size picture; empty unless the agent sees it.
    pub(crate) half: Vec<u8>,
    pub(crate) problem: u32,
    /// The value that the statement is to be given.
    pub(crate) target: bool,
    /// Actions so far.
    pub(crate) steps: u32,
    /// Additions tried.
    adds: u32,
    /// Removals tried.
    removes: u32,
    pub(crate) last: Option<Action>,
    forced: bool,
    /// Whether the horizon was reached, whatever else happened.
    pub(crate) cut: bool,
    /// Why the last action was invalid.
    pub(crate) invalid: Option<Invalid>,
    pub(crate) end: Option<End>,
}

/// The rules of one of the four tasks.
#[derive(Debug)]
pub(crate) struct LilGym {
    pub(crate) config: Config,
    pub(crate) task: Task,
    pub(crate) numbers: Numbers,
    pub(crate) corpus: Arc<Corpus>,
    /// Sentences, padded to the width of the observation.
    sentences: Vec<u8>,
    empty: Vec<u8>,
    spec: Spec,
    /// The planner's solutions under these rules, where those under the default ones will not do.
    pub(crate) plans: Vec<OnceLock<Plan>>,
    /// Whether edits do what they do under the default rules, within the same horizon.
    pub(crate) default_rules: bool,
}

impl LilGym {
    pub(crate) fn statement(&self, state: &State) -> &Statement {
        self.corpus.statement(state.problem)
    }

    /// Whether the statement holds now, if its program has a value in this scene.
    pub(crate) fn truth(&self, state: &State) -> Result<bool, Fault> {
        self.statement(state).program.truth(&state.scene)
    }

    /// Whether the statement has the target's value. Without a value it has neither's.
    fn reached(&self, state: &State) -> bool {
        self.truth(state) == Ok(state.target)
    }

    fn change(&self, state: &mut State, change: Change) {
        let hole = state.trace.hole();
        let place = match change {
            Change::Add(owner, item) => {
                state.trace.added();
                bounds(&item, owner)
            }
            Change::Remove(index) => {
                let (owner, item) = (state.scene.box_of(index), state.scene.items()[index]);
                state.trace.removed(item, owner);
                bounds(&item, owner)
            }
        };
        change.apply(&mut state.scene);
        if self.config.observation == Observation::Image {
            for area in hole.into_iter().chain([place]) {
                picture::patch_half(&state.scene, &state.trace, area, &mut state.half);
            }
        }
    }
}

impl Environment for LilGym {
    type Config = Config;
    type State = State;
    type Action = Action;
    type Variant = Task;

    fn new(config: &Config, task: Task) -> Result<Self, ConfigError> {
        config.check(task)?;
        let corpus = Corpus::load(config, task)?;
        let cells = if task.appearance == Appearance::Scatter { config.cells()? } else { (0, 0) };
        let numbers = Numbers::new(task.appearance, config.actions, cells);
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
                Observation::Objects => {
                    Field::new("objects", Dtype::I32, &[MAX_ITEMS, FEATURES], NEAREST.into(), FARTHEST.into())
                }
            },
            Field::text("sentence", width),
            Field::new("target", Dtype::U8, &[1], 0.0, 1.0),
        ];
        if config.mask {
            let (name, width) = match numbers.space() {
                ActionSpace::Discrete(actions) => ("action_mask", actions),
                ActionSpace::MultiDiscrete(sizes) => ("legal_actions", sizes.iter().sum()),
            };
            observation.push(Field::new(name, Dtype::U8, &[width as usize], 0.0, 1.0));
        }
        let spec = Spec {
            metrics: vec![
                Metric::step("force_stop"),
                Metric::step("invalid_cause"),
                Metric::step("end"),
                Metric::share("success"),
                Metric::share("success_unforced"),
                Metric::share("no_stop"),
                Metric::share("invalid"),
                Metric::episode("actions"),
                Metric::share("add_share"),
                Metric::share("remove_share"),
            ],
            problems: Some(corpus.problems.len() as u32),
            sources: corpus.sources.clone(),
            ..Spec::single(observation, numbers.space(), crate::draw::FRAME)
        };
        let plans = corpus.problems.iter().map(|_| OnceLock::new()).collect();
        let empty = if config.observation == Observation::Image { picture::empty_half() } else { Vec::new() };
        let default = Config::default();
        let default_rules = config.grid == default.grid
            && config.cell_search == default.cell_search
            && config.remove_rule == default.remove_rule
            && config.border_check == default.border_check
            && config.stick == default.stick
            && config.box_limit == default.box_limit
            && config.horizon == default.horizon;
        Ok(Self { config: config.clone(), task, numbers, corpus, sentences, empty, spec, plans, default_rules })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Action> {
        self.numbers.decode(raw)
    }

    fn encode(&self, _: usize, action: Action, raw: &mut [i32]) {
        self.numbers.encode(action, raw);
    }

    fn start(&self, start: Start) -> State {
        let mut state = State {
            scene: Scene::default(),
            trace: Trace::default(),
            half: self.empty.clone(),
            problem: 0,
            target: true,
            steps: 0,
            adds: 0,
            removes: 0,
            last: None,
            forced: false,
            cut: false,
            invalid: None,
            end: None,
        };
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        state.problem = start.problem.expect("the problem set is finite");
        let problem = &self.corpus.problems[state.problem as usize];
        state.scene = problem.scene;
        state.target = problem.target;
        if self.config.permute_boxes {
            let mut order = [0, 1, 2];
            start.seed.stream("boxes").rng().shuffle(&mut order);
            state.scene = problem.scene.permuted(order);
            // A statement may speak of a certain box: what is to be flipped is its truth in this order.
            state.target = !self.truth(state).unwrap_or(!problem.target);
        }
        (state.steps, state.adds, state.removes) = (0, 0, 0);
        (state.last, state.forced, state.cut, state.invalid, state.end) = (None, false, false, None, None);
        state.trace.clear();
        if self.config.observation == Observation::Image {
            state.half.copy_from_slice(&self.empty);
            for owner in 0..BOXES {
                for item in state.scene.of(owner) {
                    picture::patch_half(&state.scene, &state.trace, bounds(item, owner), &mut state.half);
                }
            }
        }
    }

    fn check(&self, state: &State) -> Result<(), String> {
        below("problem", state.problem, self.corpus.problems.len())?;
        within("steps", state.steps, 0..=self.config.horizon)?;
        within("edits", u64::from(state.adds) + u64::from(state.removes), 0..=u64::from(state.steps))?;
        let first = self.corpus.problems[state.problem as usize].scene.len();
        within("objects", state.scene.len(), 0..=first + state.adds as usize)?;
        state.scene.items().iter().try_for_each(Item::check)?;
        state.trace.check()?;
        if let Some(Action::Add { x, y, .. } | Action::Remove { x, y }) = state.last {
            below("column", x, self.numbers.columns as usize)?;
            below("row", y, self.numbers.rows as usize)?;
        }
        count("half", state.half.len(), self.empty.len())
    }

    fn step(&self, state: &mut State, actions: &[Action], rewards: &mut [f32]) -> Status {
        let (config, action, reward) = (&self.config, actions[0], &mut rewards[0]);
        state.steps += 1;
        state.last = Some(action);
        state.invalid = None;
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
            Err(invalid) => {
                (state.invalid, state.end) = (Some(invalid), Some(End::Invalid));
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

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
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
        let statement = self.corpus.problems[state.problem as usize].statement as usize;
        row.u8(SENTENCE).copy_from_slice(&self.sentences[statement * width..][..width]);
        row.u8(TARGET)[0] = u8::from(state.target);
        if self.config.mask {
            self.show_valid(&state.scene, row.u8(MASK));
        }
    }

    fn draw(&self, state: &State, _: usize, mut frame: Frame<'_>) {
        self.paint(state, &mut frame);
    }

    /// The sentence; what it is to be, what it is and how it ended; the boxes.
    ///
    /// A tower is told from the ground up by colours (Y yellow, K black, B blue). An object elsewhere is `Bo30@20,70`: blue,
    /// a circle (`o`; `#` a square, `^` a triangle), 30 pixels, its upper left corner 20 right and 70 below that of its box.
    fn words(&self, state: &State) -> String {
        let truth = self.truth(state).map_or_else(|_| "without a value".to_owned(), |truth| truth.to_string());
        let mut words = format!(
            "{}\nto be {}, is {truth}, {} edits",
            self.statement(state).sentence,
            state.target,
            state.adds + state.removes
        );
        if let Some(end) = state.end {
            words += if state.forced { ", forced " } else { ", " };
            words += end.told();
        }
        if let Some(invalid) = state.invalid {
            words += ": ";
            words += invalid.told();
        }
        let tower = self.task.appearance == Appearance::Tower;
        for (owner, name) in BOX_NAMES.into_iter().enumerate() {
            words += if tower && owner > 0 { ", " } else { "\n" };
            words += name;
            let items = state.scene.of(owner);
            if items.is_empty() {
                words += " -";
            }
            for (i, item) in items.iter().enumerate() {
                if i == 0 || !tower {
                    words.push(' ');
                }
                words.push(['Y', 'K', 'B'][item.color as usize]);
                if !tower {
                    let shape = ['o', '#', '^'][item.shape as usize];
                    let _ = write!(words, "{shape}{}@{},{}", item.size.pixels(), item.x, item.y);
                }
            }
        }
        words
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        let actions = state.steps.max(1) as f32;
        let right = state.end == Some(End::Right);
        values.copy_from_slice(&[
            f32::from(state.forced),
            state.invalid.map_or(0.0, |invalid| f32::from(invalid as u8)),
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

    fn policies() -> Vec<Scripted<Self>> {
        policy::all()
    }
}
