//! `s2b/recall-v1`: name the value of a stimulus that was shown a step ago, on scales that must be worked out.
//!
//! The paper's Appendix D.1. A shot shows every meaning once, in random order; a game is two steps: the stimulus, then a
//! prompt that names a dimension. Numbers say which value they are only beside the other numbers of that dimension, so
//! the second shot tests whether those of the first were remembered.

use heldout_core::check::{self, below, that};
use heldout_core::{
    About, ActionSpace, ConfigError, Dtype, Environment, Field, Frame, Metric, Policy, Preset, Rng, Row, Scripted,
    Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use crate::draw;
use crate::episode::unlike;
use crate::games::RandomLegal;
use crate::scale::{Scale, likeliest_value, place};
use crate::space::{MAX_DIMS, MAX_MEANINGS, Meaning, Representation, Space, SpaceRules, Tail, within};
use crate::split::{Halves, Split, make_room};
use crate::words::written;

pub(crate) static ABOUT: About = About {
    id: "s2b/recall-v1",
    summary: "Name a value of the stimulus shown a step ago, on scales that must be worked out within the episode.",
    card: include_str!("../cards/recall.md"),
    split_key: "split",
    splits: &["all", "support", "query"],
    presets: &[
        Preset {
            name: "ohe",
            about: "One-hot stimuli: nothing has to be worked out.",
            config: r#"{"representation": "ohe"}"#,
        },
        Preset {
            name: "parity",
            about: "Figure 5 as the training code has it: five games a shot, drawn with replacement.",
            config: r#"{"split": "support", "max_games_per_shot": 5, "replacement": true, "reward": "original", "ohe_fixed_structure": true, "tail": "none"}"#,
        },
    ],
    views: &[],
    aids: &[],
    smallest: "{}",
    short: "{}",
};

/// Shots of an episode.
const SHOTS: usize = 2;

/// Which meanings are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shown {
    /// Every one.
    #[default]
    All,
    /// Those that the games' split `combinatorial2` does not hold out.
    Support,
    /// Those that it holds out.
    Query,
}

/// What an answer earns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reward {
    /// 1 if right, 0 if wrong (the paper's).
    #[default]
    Paper,
    /// 0 if right, -1 if wrong (the public code's).
    Original,
}

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Which meanings are shown.
    pub(crate) split: Shown,
    /// Dimensions of a meaning.
    pub(crate) dims: u32,
    /// Fewest values of a dimension.
    pub(crate) min_values: u32,
    /// Most values of a dimension.
    pub(crate) max_values: u32,
    /// Frozen samples of each value.
    pub(crate) samples: u32,
    /// How stimuli are written.
    pub(crate) representation: Representation,
    /// Whether one-hot spaces have `max_values` values on every dimension.
    pub(crate) ohe_fixed_structure: bool,
    /// What happens to samples outside the section of their value.
    pub(crate) tail: Tail,
    /// Games of a shot at the most; 0: one for each meaning.
    pub(crate) max_games_per_shot: u32,
    /// Whether a shot draws its meanings with replacement.
    pub(crate) replacement: bool,
    /// What an answer earns.
    pub(crate) reward: Reward,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            split: Shown::All,
            dims: 3,
            min_values: 2,
            max_values: 5,
            samples: 1,
            representation: Representation::Scs,
            ohe_fixed_structure: false,
            tail: Tail::Reject,
            max_games_per_shot: 0,
            replacement: false,
            reward: Reward::Paper,
        }
    }
}

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    Value(u8),
    Nothing,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    seed: Seed,
    pub(crate) space: Space,
    halves: Halves,
    /// The meanings of the shot, in order.
    pub(crate) order: Vec<Meaning>,
    shot: u8,
    game: u32,
    prompt: bool,
    over: bool,
    /// The dimension that is asked for.
    asked: u8,
    sample: u8,
    previous: Option<Answer>,
    reward: f32,
    last_right: Option<bool>,
    games: [u32; SHOTS],
    right: [u32; SHOTS],
}

impl State {
    fn asked(&self) -> usize {
        usize::from(self.asked)
    }

    fn meaning(&self) -> Meaning {
        self.order[self.game as usize]
    }
}

#[derive(Debug)]
pub(crate) struct Recall {
    config: Config,
    space: SpaceRules,
    spec: Spec,
}

impl Recall {
    fn begin_shot(&self, state: &mut State, shot: u8) {
        (state.shot, state.game) = (shot, 0);
        let mut rng = state.seed.stream("order").derive(u64::from(shot)).rng();
        let most = self.config.max_games_per_shot as usize;
        state.order.clear();
        match self.config.split {
            Shown::All => state.order.extend(state.space.structure().all()),
            Shown::Support => state.order.extend_from_slice(state.halves.support()),
            Shown::Query => state.order.extend_from_slice(state.halves.query()),
        }
        if self.config.replacement {
            // Each place takes one of all: the originals are kept in the half they came from.
            let count = state.order.len() as u32;
            let structure = *state.space.structure();
            if most > 0 {
                state.order.resize(most, Meaning::default());
            }
            for place in &mut state.order {
                let at = rng.below(count);
                *place = match self.config.split {
                    Shown::All => structure.meaning(at),
                    Shown::Support => state.halves.support()[at as usize],
                    Shown::Query => state.halves.query()[at as usize],
                };
            }
        } else {
            rng.shuffle(&mut state.order);
        }
        if most > 0 {
            state.order.truncate(most);
        }
        self.begin_game(state);
    }

    fn begin_game(&self, state: &mut State) {
        let number = u64::from(state.shot) << 32 | u64::from(state.game);
        let mut rng = state.seed.stream("games").derive(number).rng();
        state.asked = rng.below(self.config.dims) as u8;
        state.sample = rng.below(self.config.samples) as u8;
        state.prompt = false;
    }

    /// Scores an answer and goes on; the second shot's last answer ends the episode.
    fn answer(&self, state: &mut State, act: Answer) -> Status {
        let right = act == Answer::Value(state.meaning().value(state.asked()));
        let shot = usize::from(state.shot);
        state.games[shot] += 1;
        state.right[shot] += u32::from(right);
        state.last_right = Some(right);
        state.reward = match self.config.reward {
            Reward::Paper => f32::from(u8::from(right)),
            Reward::Original => -f32::from(u8::from(!right)),
        };
        state.game += 1;
        if (state.game as usize) < state.order.len() {
            self.begin_game(state);
        } else if shot + 1 < SHOTS {
            self.begin_shot(state, state.shot + 1);
        } else {
            state.over = true;
            return Status::Terminated;
        }
        Status::Running
    }
}

impl Recall {
    /// Whether each shot shows every value of every dimension.
    fn shows_every_value(&self) -> bool {
        // On two dimensions a held-out meaning has test values alone.
        let lacking = self.config.split == Shown::Query && self.config.dims == 2;
        self.config.max_games_per_shot == 0 && !self.config.replacement && !lacking
    }
}

impl Environment for Recall {
    type Config = Config;
    type State = State;
    type Action = Answer;
    type Variant = ();

    fn new(config: &Config, (): ()) -> Result<Self, ConfigError> {
        let Config { dims, min_values, max_values, samples, tail, representation, .. } = *config;
        let space = SpaceRules::new(dims, min_values, max_values, samples)?;
        let space = SpaceRules { tail, representation, ..space }.fixed(config.ohe_fixed_structure);
        within("max_games_per_shot", config.max_games_per_shot, 0, MAX_MEANINGS)?;
        let (low, high) = space.bounds();
        let (least, most) = if config.reward == Reward::Paper { (0.0, 1.0) } else { (-1.0, 0.0) };
        let actions = config.max_values as usize + 1;
        let observation = vec![
            Field::new("stimulus", Dtype::F32, &[space.width()], low, high),
            Field::new("previous_result", Dtype::F32, &[2], 0.0, 1.0),
            Field::new("step", Dtype::F32, &[2], 0.0, 1.0),
            Field::new("shot", Dtype::F32, &[SHOTS], 0.0, 1.0),
            Field::new("previous_action", Dtype::F32, &[actions], 0.0, 1.0),
            Field::new("previous_reward", Dtype::F32, &[1], least, most),
            Field::new("action_mask", Dtype::F32, &[actions], 0.0, 1.0),
        ];
        let frame = (20 + config.dims as usize * 160, 140);
        let metrics = ["games_per_shot", "shot1_correct", "shot2_correct"].map(Metric::episode);
        let metrics = ["shot1_accuracy", "shot2_accuracy"].map(Metric::share).into_iter().chain(metrics).collect();
        let spec = Spec { metrics, ..Spec::single(observation, ActionSpace::Discrete(actions as u32), frame) };
        Ok(Self { config: config.clone(), space, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Answer> {
        let [index] = raw else { return None };
        match u32::try_from(*index).ok()? {
            value if value < self.config.max_values => Some(Answer::Value(value as u8)),
            value if value == self.config.max_values => Some(Answer::Nothing),
            _ => None,
        }
    }

    fn encode(&self, _: usize, action: Answer, raw: &mut [i32]) {
        raw[0] = match action {
            Answer::Value(value) => i32::from(value),
            Answer::Nothing => self.config.max_values as i32,
        };
    }

    fn start(&self, start: Start) -> State {
        let mut state = State {
            seed: start.seed,
            space: Space::reserve(&self.space),
            halves: Halves::default(),
            order: Vec::new(),
            shot: 0,
            game: 0,
            prompt: false,
            over: false,
            asked: 0,
            sample: 0,
            previous: None,
            reward: 0.0,
            last_right: None,
            games: [0; SHOTS],
            right: [0; SHOTS],
        };
        self.reserve(&mut state);
        self.restart(&mut state, start);
        state
    }

    fn reserve(&self, state: &mut State) {
        let meanings = self.config.max_values.pow(self.config.dims);
        make_room(&mut state.order, meanings.max(self.config.max_games_per_shot) as usize);
        state.halves.grow(meanings);
    }

    fn restart(&self, state: &mut State, start: Start) {
        state.seed = start.seed;
        state.space.redraw(&self.space, start.seed);
        state.halves.redraw(Split::Combinatorial2, state.space.structure(), start.seed);
        (state.previous, state.reward, state.last_right, state.over) = (None, 0.0, None, false);
        (state.games, state.right) = ([0; SHOTS], [0; SHOTS]);
        self.begin_shot(state, 0);
    }

    fn check(&self, state: &State) -> Result<(), String> {
        let mut own = self.start(Start { seed: state.seed, copy: state.seed, episode: 0, problem: None });
        below("shot", state.shot, SHOTS)?;
        self.begin_shot(&mut own, state.shot);
        let follows = |what: &str, same: bool| if same { Ok(()) } else { Err(unlike(what)) };
        follows("space", state.space == own.space)?;
        follows("halves", state.halves == own.halves)?;
        follows("order", state.order == own.order)?;
        let last = usize::from(state.shot) + 1 == SHOTS && state.game as usize == own.order.len();
        that("over", state.over, state.over == last, "true after the last game, and only then")?;
        if !state.over {
            below("game", state.game, own.order.len())?;
            own.game = state.game;
            self.begin_game(&mut own);
            follows("asked", state.asked == own.asked)?;
            follows("sample", state.sample == own.sample)?;
        }
        below("asked", state.asked, self.space.dims)?;
        below("sample", state.sample, self.space.samples as usize)?;
        if let Some(Answer::Value(value)) = state.previous {
            below("previous", value, self.config.max_values as usize)?;
        }
        check::within("reward", state.reward, -1.0..=1.0)?;
        for (&games, &right) in state.games.iter().zip(&state.right) {
            check::within("games", games, 0..=own.order.len() as u32)?;
            check::within("right", right, 0..=games)?;
        }
        let played = state.games[usize::from(state.shot)];
        that("games", played, played == state.game, "the number of games of the shot")
    }

    fn step(&self, state: &mut State, actions: &[Answer], rewards: &mut [f32]) -> Status {
        state.reward = 0.0;
        if state.over {
            rewards[0] = 0.0;
            return Status::Terminated;
        }
        // Only the prompt can be answered: anything else is ignored.
        let act = if state.prompt { actions[0] } else { Answer::Nothing };
        state.previous = Some(act);
        let status = if state.prompt {
            self.answer(state, act)
        } else {
            state.prompt = true;
            Status::Running
        };
        rewards[0] = state.reward;
        status
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        let stimulus = row.f32(0);
        if state.prompt || state.over {
            stimulus.fill(0.0);
            let width = stimulus.len() / self.space.dims;
            if !state.over {
                stimulus[state.asked() * width..(state.asked() + 1) * width].fill(1.0);
            }
        } else {
            state.space.show(&self.space, state.meaning(), state.sample, stimulus);
        }
        let one_hot = |out: &mut [f32], unit: Option<usize>| {
            out.fill(0.0);
            if let Some(unit) = unit {
                out[unit] = 1.0;
            }
        };
        one_hot(row.f32(1), state.last_right.map(usize::from));
        one_hot(row.f32(2), Some(usize::from(state.prompt)));
        one_hot(row.f32(3), Some(usize::from(state.shot)));
        let last = self.config.max_values as usize;
        let unit = |act| match act {
            Answer::Value(value) => usize::from(value),
            Answer::Nothing => last,
        };
        one_hot(row.f32(4), state.previous.map(unit));
        row.f32(5)[0] = state.reward;
        let mask = row.f32(6);
        let answers = state.prompt && !state.over;
        mask.fill(f32::from(u8::from(answers)));
        mask[last] = f32::from(u8::from(!answers));
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::PAPER);
        let moment = match (state.over, state.prompt) {
            (true, _) => "the end".to_owned(),
            (_, true) => format!("which value had dimension {}?", state.asked + 1),
            _ => "a stimulus is shown".to_owned(),
        };
        let shown = (state.game + 1).min(state.order.len() as u32);
        let heading = format!("shot {} of {SHOTS}, game {shown} of {}", state.shot + 1, state.order.len());
        canvas.text(10, 8, 1, Rgb::INK, &heading);
        canvas.text(10, 20, 1, Rgb::INK, &moment);
        let score =
            format!("right: {} of {}, then {} of {}", state.right[0], state.games[0], state.right[1], state.games[1]);
        canvas.text(10, 32, 1, Rgb::SLATE, &score);
        let meaning = state.order[shown as usize - 1];
        for dim in 0..self.space.dims {
            let left = 10 + dim as i32 * 160;
            draw::kernels(&mut canvas, &self.space, &state.space, dim, left, 88);
            draw::sections(&mut canvas, &state.space, dim, left, 88, 36);
            let x = state.space.samples(&self.space, dim, meaning.value(dim))[usize::from(state.sample)];
            let asked = state.prompt && dim == state.asked();
            let at = left + libm::roundf((x + 1.0) * 75.0) as i32;
            canvas.fill_circle(at, 106, if asked { 8 } else { 5 }, if asked { Rgb::BRICK } else { Rgb::SLATE });
            if asked {
                canvas.outline_rect(left - 3, 46, 156, 84, 1, Rgb::BRICK);
            }
        }
    }

    fn words(&self, state: &State) -> String {
        let games = state.order.len();
        let asked = state.asked();
        let moment = match (state.over, state.prompt) {
            (true, _) => return format!("the end: {} and {} of {games} right", state.right[0], state.right[1]),
            (false, false) => format!("{} is shown", written(state.meaning(), self.space.dims)),
            (false, true) => format!("dimension {} is asked, it was {}", asked + 1, state.meaning().value(asked)),
        };
        format!("shot {} of {SHOTS}, game {} of {games}: {moment}", state.shot + 1, state.game + 1)
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        let share = |shot: usize| state.right[shot] as f32 / state.games[shot].max(1) as f32;
        let games = state.games[0] as f32;
        values.copy_from_slice(&[share(0), share(1), games, state.right[0] as f32, state.right[1] as f32]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>(
                "oracle",
                "Works out the scale from all numbers it has seen (the rank, if a value has one look); reads one-hot stimuli.",
            ),
            Scripted::of::<Rank>("rank", "Answers with the rank of the number among those seen on its dimension."),
            Scripted::of::<Decode>("ohe-decoder", "Reads which unit of a one-hot stimulus is active."),
            Scripted::of::<Memoryless>(
                "memoryless",
                "Answers with the likeliest value of the number shown a step ago, whatever came before.",
            )
            .shortcut(),
            Scripted::of::<Guess>("random", RandomLegal::ABOUT),
        ]
    }
}

/// The dimension that a prompt asks for; `None` while a stimulus is shown.
fn prompted(rules: &Recall, view: &View<'_, Recall>) -> Option<usize> {
    let stimulus = view.row.f32(0);
    let width = stimulus.len() / rules.space.dims;
    let asks = view.row.f32(2)[1] == 1.0;
    asks.then(|| stimulus.iter().position(|&x| x == 1.0).unwrap_or(0) / width)
}

/// Which unit of a one-hot `stimulus` is active on dimension `dim`.
fn decode(stimulus: &[f32], dim: usize, units: usize) -> Answer {
    let block = &stimulus[dim * units..(dim + 1) * units];
    Answer::Value(block.iter().position(|&x| x == 1.0).unwrap_or(0) as u8)
}

/// What a policy remembers: the last stimulus, every number seen on each dimension in order, and what they say.
#[derive(Clone, Debug)]
struct Recollection {
    last: Vec<f32>,
    seen: [Vec<f32>; MAX_DIMS],
    scales: Vec<Scale>,
}

impl Recollection {
    fn take_in(&mut self, stimulus: &[f32], space: &SpaceRules) {
        self.last = stimulus.to_vec();
        if space.representation == Representation::Ohe {
            return;
        }
        for (seen, (scale, &x)) in self.seen.iter_mut().zip(self.scales.iter_mut().zip(stimulus)) {
            if let Err(at) = seen.binary_search_by(|y| y.total_cmp(&x)) {
                seen.insert(at, x);
                scale.see(x);
            }
        }
    }

    /// The rank of the number among those seen on its dimension. Exact once every value was seen in its only look.
    fn rank(&self, dim: usize, most: u8) -> Answer {
        let rank = self.seen[dim].iter().filter(|&&x| x < self.last[dim]).count();
        Answer::Value((rank as u8).min(most - 1))
    }

    /// The section of the number on the likeliest scale for all that were seen; if `complete`, those show every value.
    fn measure(&self, dim: usize, complete: bool) -> Answer {
        Answer::Value(place(self.last[dim], self.scales[dim].values(complete), false).unwrap_or(0) as u8)
    }
}

/// Answers by what it recollects, of the stimuli that it can read.
#[derive(Clone, Copy, Debug, Default)]
struct Recollects<const RANKS: bool, const DECODES: bool>;

type Oracle = Recollects<true, true>;
type Rank = Recollects<true, false>;
type Decode = Recollects<false, true>;

impl<const RANKS: bool, const DECODES: bool> Policy<Recall> for Recollects<RANKS, DECODES> {
    type Memory = Recollection;

    fn check(rules: &Recall) -> Result<(), String> {
        let refused = |key: &str, value: &str, allowed: &str| Err(ConfigError::value(key, value, allowed).to_string());
        match rules.space.representation {
            Representation::Scs if !RANKS => refused("representation", "scs", "`ohe`, which has units to read"),
            Representation::Ohe if !DECODES => refused("representation", "ohe", "`scs`, which has numbers to rank"),
            Representation::Scs if !DECODES && rules.space.samples > 1 => {
                let samples = rules.space.samples.to_string();
                refused("samples", &samples, "1: where a value has several looks, a rank does not name it")
            }
            _ => Ok(()),
        }
    }

    fn remember(&self, rules: &Recall) -> Recollection {
        let scales = vec![Scale::new(&rules.space); rules.space.dims];
        Recollection { last: Vec::new(), seen: Default::default(), scales }
    }

    fn act(&self, rules: &Recall, view: View<'_, Recall>, memory: &mut Recollection, _: &mut Rng) -> Answer {
        let Some(dim) = prompted(rules, &view) else {
            memory.take_in(view.row.f32(0), &rules.space);
            return Answer::Nothing;
        };
        let most = rules.space.max_values;
        match rules.space.representation {
            // Of what was shown before it took over, it knows nothing.
            _ if memory.last.is_empty() => Answer::Value(0),
            Representation::Scs if rules.space.samples == 1 => memory.rank(dim, most),
            Representation::Scs => memory.measure(dim, rules.shows_every_value() && view.row.f32(3)[1] == 1.0),
            Representation::Ohe => decode(&memory.last, dim, usize::from(most)),
        }
    }
}

/// Knows the last stimulus alone.
#[derive(Clone, Copy, Debug, Default)]
struct Memoryless;

impl Policy<Recall> for Memoryless {
    type Memory = Vec<f32>;

    fn remember(&self, _: &Recall) -> Vec<f32> {
        Vec::new()
    }

    fn act(&self, rules: &Recall, view: View<'_, Recall>, last: &mut Vec<f32>, _: &mut Rng) -> Answer {
        let Some(dim) = prompted(rules, &view) else {
            *last = view.row.f32(0).to_vec();
            return Answer::Nothing;
        };
        match rules.space.representation {
            // Of what was shown before it took over, it knows nothing.
            _ if last.is_empty() => Answer::Value(0),
            Representation::Scs => Answer::Value(likeliest_value(last[dim], &rules.space)),
            Representation::Ohe => decode(last, dim, usize::from(rules.space.max_values)),
        }
    }
}

/// Any value, where one is asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Guess;

impl Policy<Recall> for Guess {
    type Memory = ();

    fn remember(&self, _: &Recall) {}

    fn act(&self, rules: &Recall, view: View<'_, Recall>, (): &mut (), rng: &mut Rng) -> Answer {
        let asks = view.row.f32(2)[1] == 1.0;
        if asks { Answer::Value(rng.below(rules.config.max_values) as u8) } else { Answer::Nothing }
    }
}
