//! `example/signal-v1`: a guide names the right door, a walker goes through it.
//!
//! Two agents with unequal action spaces and unequal observations (a field of two shapes, fields that one of them lacks, a
//! text field), rewards that differ, policies of one agent each. Held out are combinations of colour and shape.

use heldout_core::check::{below, within};
use heldout_core::{
    About, ActionSpace, AgentSpec, ConfigError, Dtype, Environment, Field, Frame, Metric, Policy, Rng, Row, Scripted,
    Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

pub(crate) static ABOUT: About = About {
    id: "example/signal-v1",
    summary: "A guide names the right door, a walker goes through it; some pairs of colour and shape are held out.",
    card: include_str!("../cards/signal.md"),
    split_key: "split",
    splits: &["train", "heldout"],
    presets: &[],
    views: &[],
    aids: &[],
    smallest: "{}",
    short: "{}",
};

/// The agent that knows.
pub(crate) const GUIDE: usize = 0;
/// The agent that goes.
pub(crate) const WALKER: usize = 1;

const COLOURS: [(&str, Rgb); 4] =
    [("red", Rgb::BRICK), ("yellow", Rgb::AMBER), ("green", Rgb::LEAF), ("blue", Rgb::COBALT)];
const SHAPES: [&str; 4] = ["circle", "square", "diamond", "triangle"];
/// Colours, and shapes.
const KINDS: usize = 4;
/// Width of a sign in the observation: one-hot colour, one-hot shape.
const FEATURES: usize = 2 * KINDS;
/// Bytes of the longest word, `yellow triangle`, and a zero.
const WORD: usize = 16;
/// Most doors.
const MOST_DOORS: usize = 4;
/// Both agents' reward for the right door.
const RIGHT_REWARD: f32 = 1.0;
/// The walker's reward for going before the guide has spoken.
const HASTE_REWARD: f32 = -0.1;

/// Which signs mark the right door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Split {
    /// Three of the four shapes of each colour.
    #[default]
    Train,
    /// The fourth.
    Heldout,
}

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Which signs mark the right door.
    pub(crate) split: Split,
    /// Rounds in an episode.
    pub(crate) rounds: u32,
    /// Doors in a round.
    pub(crate) doors: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { split: Split::Train, rounds: 8, doors: 3 }
    }
}

/// What is painted on a door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Sign {
    /// Index of its colour.
    pub(crate) colour: u8,
    /// Index of its shape.
    pub(crate) shape: u8,
}

impl Sign {
    /// Every sign, colour by colour.
    fn all() -> impl Iterator<Item = Self> {
        (0..KINDS * KINDS).map(|i| Self { colour: (i / KINDS) as u8, shape: (i % KINDS) as u8 })
    }

    /// Whether it is never seen in training.
    pub(crate) fn held_out(self) -> bool {
        self.colour == self.shape
    }

    fn write(self, features: &mut [f32]) {
        features.fill(0.0);
        features[self.colour as usize] = 1.0;
        features[KINDS + self.shape as usize] = 1.0;
    }

    fn read(features: &[f32]) -> Option<Self> {
        let at = |part: &[f32]| part.iter().position(|&x| x == 1.0).map(|i| i as u8);
        Some(Self { colour: at(&features[..KINDS])?, shape: at(&features[KINDS..FEATURES])? })
    }
}

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// The guide says a colour and a shape.
    Say(Sign),
    /// The walker goes through a door.
    Go(u8),
    /// The walker waits.
    Wait,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Seed of the rounds: what the agents do never changes them.
    seed: Seed,
    round: u32,
    right_door: u8,
    doors: [Sign; MOST_DOORS],
    /// What the guide has said in this round.
    said: Option<Sign>,
    right: u32,
}

impl State {
    fn target(&self) -> Sign {
        self.doors[self.right_door as usize]
    }
}

/// The rules.
#[derive(Debug)]
pub(crate) struct Signal {
    config: Config,
    spec: Spec,
    targets: Vec<Sign>,
    others: Vec<Sign>,
    words: Vec<String>,
}

impl Signal {
    fn begin_round(&self, state: &mut State) {
        let mut rng = state.seed.derive(u64::from(state.round)).rng();
        state.said = None;
        let target = *rng.pick(&self.targets);
        state.right_door = rng.below(self.config.doors as u32) as u8;
        for door in 0..self.config.doors {
            state.doors[door] = loop {
                let sign = if door == state.right_door as usize { target } else { *rng.pick(&self.others) };
                let taken =
                    door != state.right_door as usize && (sign == target || state.doors[..door].contains(&sign));
                if !taken {
                    break sign;
                }
            };
        }
    }

    fn word(&self, sign: Sign) -> &str {
        &self.words[sign.colour as usize * KINDS + sign.shape as usize]
    }
}

impl Environment for Signal {
    type Config = Config;
    type State = State;
    type Action = Act;
    type Variant = ();

    fn new(config: &Config, (): ()) -> Result<Self, ConfigError> {
        if !(1..=1000).contains(&config.rounds) {
            return Err(ConfigError::value("rounds", config.rounds, "1 to 1000"));
        }
        if !(2..=MOST_DOORS).contains(&config.doors) {
            return Err(ConfigError::value("doors", config.doors, &format!("2 to {MOST_DOORS}")));
        }
        let doors = config.doors;
        let only = |agent, shape: &[usize]| (0..2).map(|a| (a == agent).then(|| shape.to_vec())).collect();
        let spec = Spec {
            observation: vec![
                Field::new("signs", Dtype::F32, &[doors, FEATURES], 0.0, 1.0)
                    .for_agents(vec![Some(vec![1, FEATURES]), Some(vec![doors, FEATURES])]),
                Field::text("word", WORD).for_agents(only(GUIDE, &[WORD])),
                Field::new("message", Dtype::I32, &[2], -1.0, (KINDS - 1) as f32).for_agents(only(WALKER, &[2])),
                Field::new("spoken", Dtype::U8, &[1], 0.0, 1.0),
            ],
            agents: vec![
                AgentSpec { name: "guide", action: ActionSpace::MultiDiscrete(vec![KINDS as u32; 2]) },
                AgentSpec { name: "walker", action: ActionSpace::Discrete(doors as u32 + 1) },
            ],
            metrics: vec![Metric::step("round"), Metric::share("accuracy")],
            problems: None,
            max_steps: None,
            frame: (320, 160),
            sources: Vec::new(),
        };
        let (held_out, trained): (Vec<_>, Vec<_>) = Sign::all().partition(|s| s.held_out());
        let targets = if config.split == Split::Train { trained.clone() } else { held_out };
        let words =
            Sign::all().map(|s| format!("{} {}", COLOURS[s.colour as usize].0, SHAPES[s.shape as usize])).collect();
        Ok(Self { config: config.clone(), spec, targets, others: trained, words })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, agent: usize, raw: &[i32]) -> Option<Act> {
        if !self.spec.agents[agent].action.contains(raw) {
            return None;
        }
        Some(match *raw {
            [colour, shape] => Act::Say(Sign { colour: colour as u8, shape: shape as u8 }),
            [door] if (door as usize) < self.config.doors => Act::Go(door as u8),
            _ => Act::Wait,
        })
    }

    fn encode(&self, _: usize, action: Act, raw: &mut [i32]) {
        match action {
            Act::Say(sign) => raw.copy_from_slice(&[i32::from(sign.colour), i32::from(sign.shape)]),
            Act::Go(door) => raw[0] = i32::from(door),
            Act::Wait => raw[0] = self.config.doors as i32,
        }
    }

    fn start(&self, start: Start) -> State {
        let mut state = State {
            seed: start.seed,
            round: 0,
            right_door: 0,
            doors: [Sign::default(); MOST_DOORS],
            said: None,
            right: 0,
        };
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        state.seed = start.seed.stream("rounds");
        (state.round, state.right) = (0, 0);
        self.begin_round(state);
    }

    fn check(&self, state: &State) -> Result<(), String> {
        within("round", state.round, 0..=self.config.rounds)?;
        within("right", state.right, 0..=state.round)?;
        below("right_door", state.right_door, self.config.doors)?;
        for sign in state.doors.iter().chain(&state.said) {
            below("colour", sign.colour, KINDS)?;
            below("shape", sign.shape, KINDS)?;
        }
        Ok(())
    }

    fn step(&self, state: &mut State, actions: &[Act], rewards: &mut [f32]) -> Status {
        rewards.fill(0.0);
        let goes = match actions[WALKER] {
            Act::Go(door) => Some(door),
            _ => None,
        };
        if state.said.is_none() {
            if let Act::Say(sign) = actions[GUIDE] {
                state.said = Some(sign);
            }
            if goes.is_some() {
                rewards[WALKER] = HASTE_REWARD;
            }
            return Status::Running;
        }
        if goes == Some(state.right_door) {
            rewards.fill(RIGHT_REWARD);
            state.right += 1;
        }
        state.round += 1;
        if state.round >= self.config.rounds {
            return Status::Terminated;
        }
        self.begin_round(state);
        Status::Running
    }

    fn observe(&self, state: &State, agent: usize, mut row: Row<'_, '_>) {
        let signs = row.f32(0);
        if agent == GUIDE {
            signs[FEATURES..].fill(0.0);
            state.target().write(&mut signs[..FEATURES]);
        } else {
            for (sign, features) in state.doors.iter().zip(signs.chunks_exact_mut(FEATURES)) {
                sign.write(features);
            }
        }
        row.text(1, if agent == GUIDE { self.word(state.target()) } else { "" });
        let message = match state.said {
            _ if agent == GUIDE => [0, 0],
            Some(sign) => [i32::from(sign.colour), i32::from(sign.shape)],
            None => [-1, -1],
        };
        row.i32(2).copy_from_slice(&message);
        row.u8(3)[0] = u8::from(state.said.is_some());
    }

    fn draw(&self, state: &State, _: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        let round = (state.round + 1).min(self.config.rounds);
        let caption = format!("round {round} of {}, {} right", self.config.rounds, state.right);
        canvas.text(8, 8, 1, Rgb::SILVER, &caption);
        canvas.text(8, 24, 1, Rgb::PAPER, &format!("guide sees: {}", self.word(state.target())));
        let said = state.said.map_or("nothing yet", |sign| self.word(sign));
        canvas.text(8, 40, 1, Rgb::PAPER, &format!("guide says: {said}"));
        for (i, sign) in state.doors[..self.config.doors].iter().enumerate() {
            let x = 8 + 78 * i as i32;
            let frame_colour = if i == state.right_door as usize { Rgb::LEAF } else { Rgb::SLATE };
            canvas.fill_rect(x, 60, 70, 92, frame_colour);
            canvas.fill_rect(x + 4, 64, 62, 88, Rgb::PAPER);
            paint(*sign, &mut canvas, x + 35, 106, 22);
        }
    }

    /// A line: the round, the signs of the doors, and what the guide said.
    fn words(&self, state: &State) -> String {
        let rounds = self.config.rounds;
        if state.round == rounds {
            return format!("the end: {} of {rounds} right", state.right);
        }
        let doors = &state.doors[..self.config.doors];
        let signs: Vec<&str> = doors.iter().map(|&sign| self.word(sign)).collect();
        let said = state.said.map_or("nothing yet", |sign| self.word(sign));
        let (round, right) = (state.round + 1, state.right_door + 1);
        format!("round {round} of {rounds}: doors {}; right is number {right}; the guide said {said}", signs.join(", "))
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        values.copy_from_slice(&[state.round as f32, state.right as f32 / self.config.rounds as f32]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::for_agent::<Namer>("oracle", "Says what it sees.", GUIDE),
            Scripted::for_agent::<Reader>("oracle", "Goes where the message says.", WALKER),
        ]
    }
}

fn paint(sign: Sign, canvas: &mut Canvas<'_>, x: i32, y: i32, radius: i32) {
    let colour = COLOURS[sign.colour as usize].1;
    match sign.shape {
        0 => canvas.fill_circle(x, y, radius, colour),
        1 => canvas.fill_rect(x - radius, y - radius, 2 * radius, 2 * radius, colour),
        2 => canvas.fill_diamond(x, y, radius, colour),
        _ => canvas.fill_triangle((x, y - radius), (x - radius, y + radius), (x + radius, y + radius), colour),
    }
}

/// The guide that says what it sees.
#[derive(Debug, Default)]
pub(crate) struct Namer;

impl Policy<Signal> for Namer {
    type Memory = ();

    fn remember(&self, _: &Signal) {}

    fn act(&self, _: &Signal, view: View<'_, Signal>, (): &mut (), _: &mut Rng) -> Act {
        Act::Say(Sign::read(view.row.f32(0)).expect("the guide is always shown a sign"))
    }
}

/// The walker that goes where the message says.
#[derive(Debug, Default)]
pub(crate) struct Reader;

impl Policy<Signal> for Reader {
    type Memory = ();

    fn remember(&self, _: &Signal) {}

    fn act(&self, _: &Signal, view: View<'_, Signal>, (): &mut (), _: &mut Rng) -> Act {
        let [colour, shape] = *view.row.i32(2) else { return Act::Wait };
        let wanted = u8::try_from(colour).ok().zip(u8::try_from(shape).ok());
        let wanted = wanted.map(|(colour, shape)| Sign { colour, shape });
        let door = view.row.f32(0).chunks_exact(FEATURES).position(|features| Sign::read(features) == wanted);
        match (wanted, door) {
            (Some(_), Some(door)) => Act::Go(door as u8),
            _ => Act::Wait,
        }
    }
}
