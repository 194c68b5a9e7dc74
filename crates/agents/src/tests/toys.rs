//! Environments so small that it is known what can be learnt of them.

use heldout_core::{
    ActionSpace, Batch, ConfigError, Dtype, Environment, Field, Frame, Metric, Options, Row, Seed, Spec, Start, Status,
    VecEnv,
};
use serde::{Deserialize, Serialize};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toy {
    /// Four arms, one step; the third pays.
    Bandit,
    /// A cue, one to three blanks, then the answer.
    Recall,
    /// The same, answered by the direction of an option.
    RecallOption,
    /// A direction and a number of moves, to be said as an option of two tokens; one step.
    Option,
    /// A cue, a corridor of six steps, and the side that it told of; cut after twelve steps.
    Maze,
    /// Which quadrant of a picture is bright.
    Picture,
    /// Which side a sentence names.
    Text,
    /// Episodes of 1, 2 and 5 steps in turn, of which every other one is cut; pays the number of the step.
    Script,
    /// The same, begun anywhere in that turn, which depends on the copy.
    Uneven,
    /// The same, where the rules tell what goes on in what it is worth: every second step, however an episode ends.
    Told,
    /// Six problems of 1 to 3 steps; pays the number of the step.
    Listed,
    /// As `Text`, and the rules stop in the agent's place with probability a half.
    Forced,
    /// Three symbols, each with a value of six that is new in every episode, then one of the symbols, whose value is asked; a
    /// third of the pairings is never seen, or nothing else is.
    Binding {
        /// Whether it is.
        held_out: bool,
        /// Whether the three are drawn from all that eight bits can name, so that which values a symbol never has cannot be told
        /// from any part of it; if not, they are always the same three.
        drawn: bool,
        /// Whether naming a value while it is shown pays a little as well: of an agent that has no other reason to, what it remembers of a
        /// value is learnt by that.
        paid: bool,
    },
}

/// The sentences of the toy of text, of twelve words: problem `p` says left if it is even.
pub(super) fn sentence(problem: u32) -> String {
    let verb = ["go", "turn", "step", "walk"][(problem / 2 % 4) as usize];
    let side = ["left", "right"][(problem % 2) as usize];
    let end = ["now", "please", "my friend", "at once"][(problem / 8 % 4) as usize];
    format!("{verb} {side}, {end}!")
}

/// How many there are.
pub(super) const SENTENCES: u32 = 32;
const WIDTH: usize = 32;
const SIDE: usize = 16;
const CORRIDOR: u32 = 6;
const SYMBOLS: usize = 3;
const VALUES: usize = 6;
const BITS: usize = 8;
/// What naming a value pays while it is shown: enough to be learnt, and so little that what is seen is still told apart by symbols.
const NAMED: f32 = 0.1;

/// Whether training never shows this symbol with this value: two values of each symbol, for drawn ones any two.
fn never(symbol: u32, value: usize, drawn: bool) -> bool {
    if !drawn {
        return (value + symbol as usize).is_multiple_of(3);
    }
    let mut values: Vec<usize> = (0..VALUES).collect();
    Seed(5).derive(u64::from(symbol)).rng().shuffle(&mut values);
    values[..VALUES / 3].contains(&value)
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Config {}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    secret: u32,
    blanks: u32,
    at: u32,
    steps: u32,
    episode: u64,
    right: bool,
    forced: bool,
    /// The symbols in the order in which they are shown, and the value of each of them.
    order: [usize; SYMBOLS],
    values: [usize; SYMBOLS],
    names: [u32; SYMBOLS],
}

pub(super) struct Rules {
    toy: Toy,
    spec: Spec,
}

impl Rules {
    /// Which of the episodes of a script is played.
    fn turn(&self, state: &State) -> u64 {
        let first = if self.toy == Toy::Script { 0 } else { state.secret };
        state.episode + u64::from(first)
    }
}

impl Environment for Rules {
    type Config = Config;
    type State = State;
    type Action = i32;
    type Variant = Toy;

    fn new(_: &Config, toy: Toy) -> Result<Self, ConfigError> {
        let options = |sizes: &[u32]| ActionSpace::MultiDiscrete(sizes.to_vec());
        let (fields, actions) = match toy {
            Toy::RecallOption => (vec![Field::new("cue", Dtype::F32, &[3], 0.0, 1.0)], options(&[2, 2])),
            Toy::Option => (vec![Field::new("asked", Dtype::F32, &[10], 0.0, 1.0)], options(&[4, 4, 4])),
            Toy::Bandit => (vec![Field::new("one", Dtype::F32, &[1], 0.0, 1.0)], ActionSpace::Discrete(4)),
            Toy::Recall => (vec![Field::new("cue", Dtype::F32, &[3], 0.0, 1.0)], ActionSpace::Discrete(2)),
            Toy::Maze => (vec![Field::new("cue", Dtype::F32, &[3], 0.0, 1.0)], ActionSpace::Discrete(3)),
            Toy::Picture => (vec![Field::image("image", SIDE, SIDE)], ActionSpace::Discrete(4)),
            Toy::Text | Toy::Forced => (vec![Field::text("sentence", WIDTH)], ActionSpace::Discrete(2)),
            Toy::Script | Toy::Uneven | Toy::Told | Toy::Listed => {
                (vec![Field::new("place", Dtype::F32, &[2], 0.0, 100.0)], ActionSpace::Discrete(2))
            }
            Toy::Binding { drawn, .. } => {
                let field = |name, wide| Field::new(name, Dtype::F32, &[wide], 0.0, 1.0);
                let message = if drawn { 2 * BITS } else { SYMBOLS };
                let fields = vec![field("stimulus", VALUES), field("message", message), field("asked", 1)];
                (fields, ActionSpace::Discrete(VALUES as u32))
            }
        };
        let mut spec = Spec::single(fields, actions, (1, 1));
        spec.metrics = vec![Metric::share("right")];
        if toy == Toy::Forced {
            spec.metrics.push(Metric::step("force_stop"));
        }
        if toy == Toy::Told {
            spec.metrics.push(Metric::step("bootstrap"));
        }
        if matches!(toy, Toy::Text | Toy::Forced) {
            spec.problems = Some(SENTENCES);
        }
        if toy == Toy::Listed {
            spec.problems = Some(6);
        }
        if toy == Toy::Maze {
            spec.max_steps = Some(12);
        }
        Ok(Self { toy, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<i32> {
        // The first integer is the least significant.
        let number = || raw.iter().rev().zip(self.spec.agents[0].action.sizes().iter().rev());
        let known = self.spec.agents[0].action.contains(raw);
        known.then(|| number().fold(0, |sum, (&own, &size)| sum * size as i32 + own))
    }

    fn encode(&self, _: usize, action: i32, raw: &mut [i32]) {
        let mut rest = action;
        for (own, &size) in raw.iter_mut().zip(self.spec.agents[0].action.sizes()) {
            (*own, rest) = (rest % size as i32, rest / size as i32);
        }
    }

    fn start(&self, start: Start) -> State {
        let (order, values, names) = ([0; SYMBOLS], [0; SYMBOLS], [0; SYMBOLS]);
        let (right, forced) = (false, false);
        let mut state =
            State { secret: 0, blanks: 0, at: 0, steps: 0, episode: 0, right, forced, order, values, names };
        self.restart(&mut state, start);
        state
    }

    fn restart(&self, state: &mut State, start: Start) {
        let mut rng = start.seed.rng();
        let choices = match self.toy {
            Toy::Picture => 4,
            Toy::Option => 4 * 6,
            Toy::Binding { .. } => SYMBOLS as u32,
            _ => 2,
        };
        let secret = match self.toy {
            Toy::Uneven | Toy::Told => (start.copy.0 % 3) as u32,
            _ => start.problem.unwrap_or_else(|| rng.below(choices)),
        };
        let blanks = 1 + rng.below(3);
        let (right, forced) = (false, rng.chance(0.5));
        let (mut order, mut values, mut names) = ([0, 1, 2], [0; SYMBOLS], [0, 1, 2]);
        if let Toy::Binding { held_out, drawn, .. } = self.toy {
            rng.shuffle(&mut order);
            if drawn {
                let mut all: Vec<u32> = (0..1 << BITS).collect();
                rng.shuffle(&mut all);
                names.copy_from_slice(&all[..SYMBOLS]);
            }
            for (name, value) in names.iter().zip(&mut values) {
                let open: Vec<usize> = (0..VALUES).filter(|&v| never(*name, v, drawn) == held_out).collect();
                *value = *rng.pick(&open);
            }
        }
        let (at, steps, episode) = (0, 0, start.episode);
        *state = State { secret, blanks, at, steps, episode, right, forced, order, values, names };
    }

    fn check(&self, _: &State) -> Result<(), String> {
        Ok(())
    }

    fn step(&self, state: &mut State, actions: &[i32], rewards: &mut [f32]) -> Status {
        let action = actions[0];
        state.steps += 1;
        let (reward, status) = match self.toy {
            Toy::Bandit => {
                state.right = action == 2;
                (f32::from(u8::from(state.right)), Status::Terminated)
            }
            Toy::Option => {
                let (direction, tokens) = (action % 4, [action / 4 % 4, action / 16]);
                let moves = if tokens[0] == 0 { 0 } else { tokens[0] + tokens[1] };
                state.right = direction == state.secret as i32 / 6 && moves == state.secret as i32 % 6 + 1;
                (if state.right { 1.0 } else { -0.1 }, Status::Terminated)
            }
            Toy::Recall | Toy::RecallOption => {
                state.at += 1;
                if state.at <= state.blanks {
                    (0.0, Status::Running)
                } else {
                    state.right = action % 2 == state.secret as i32;
                    (f32::from(u8::from(state.right)), Status::Terminated)
                }
            }
            Toy::Binding { paid, .. } if (state.steps as usize) <= SYMBOLS => {
                let shown = state.order[state.steps as usize - 1];
                (f32::from(u8::from(paid && action as usize == state.values[shown])) * NAMED, Status::Running)
            }
            Toy::Binding { .. } => {
                state.right = action as usize == state.values[state.secret as usize];
                (f32::from(u8::from(state.right)), Status::Terminated)
            }
            Toy::Maze if state.at < CORRIDOR - 1 => {
                state.at += u32::from(action == 0);
                (-0.02, Status::Running)
            }
            Toy::Maze => {
                state.right = action == state.secret as i32 + 1;
                let ended = if action == 0 { Status::Running } else { Status::Terminated };
                (if state.right { 1.0 } else { -0.02 }, ended)
            }
            Toy::Picture => {
                state.right = action == state.secret as i32;
                (f32::from(u8::from(state.right)), Status::Terminated)
            }
            Toy::Text | Toy::Forced => {
                state.right = action == (state.secret % 2) as i32;
                (f32::from(u8::from(state.right)), Status::Terminated)
            }
            Toy::Listed => {
                let ended = state.steps > state.secret % 3;
                (state.steps as f32, if ended { Status::Terminated } else { Status::Running })
            }
            Toy::Script | Toy::Uneven | Toy::Told => {
                let turn = self.turn(state);
                let length = [1, 2, 5][(turn % 3) as usize];
                let end = if turn.is_multiple_of(2) { Status::Terminated } else { Status::Truncated };
                (state.steps as f32, if state.steps == length { end } else { Status::Running })
            }
        };
        rewards[0] = reward;
        status
    }

    fn observe(&self, state: &State, _: usize, mut row: Row<'_, '_>) {
        match self.toy {
            Toy::Bandit => row.f32(0)[0] = 1.0,
            Toy::Option => {
                let asked = row.f32(0);
                asked.fill(0.0);
                asked[state.secret as usize / 6] = 1.0;
                asked[4 + state.secret as usize % 6] = 1.0;
            }
            Toy::Recall | Toy::RecallOption => {
                let cue = state.at == 0;
                let told = |i: u32| f32::from(u8::from(cue && state.secret == i));
                let asked = f32::from(u8::from(state.at >= state.blanks));
                row.f32(0).copy_from_slice(&[told(0), told(1), asked]);
            }
            Toy::Maze => {
                let told = |i: u32| f32::from(u8::from(state.steps == 0 && state.secret == i));
                let asked = f32::from(u8::from(state.at >= CORRIDOR - 1));
                row.f32(0).copy_from_slice(&[told(0), told(1), asked]);
            }
            Toy::Binding { .. } => {
                let shown = state.order.get(state.steps as usize).copied();
                let (stimulus, message) = (0, 1);
                row.f32(stimulus).fill(0.0);
                row.f32(message).fill(0.0);
                let named = state.names[shown.unwrap_or(state.secret as usize)];
                match self.toy {
                    Toy::Binding { drawn: true, .. } => {
                        (0..BITS).for_each(|bit| row.f32(message)[2 * bit + (named >> bit & 1) as usize] = 1.0);
                    }
                    _ => row.f32(message)[named as usize] = 1.0,
                }
                if let Some(symbol) = shown {
                    row.f32(stimulus)[state.values[symbol]] = 1.0;
                }
                row.f32(2)[0] = f32::from(u8::from(shown.is_none()));
            }
            Toy::Picture => {
                let (right, below) = (state.secret % 2 == 1, state.secret / 2 == 1);
                for (i, pixel) in row.u8(0).chunks_exact_mut(3).enumerate() {
                    let (x, y) = (i % SIDE, i / SIDE);
                    let bright = (x >= SIDE / 2) == right && (y >= SIDE / 2) == below;
                    // Noise that is the same whenever it is looked at.
                    let noise = (Seed(state.episode).derive(i as u64).0 % 60) as u8;
                    pixel.fill(if bright { 150 + noise } else { 60 + noise });
                }
            }
            Toy::Text | Toy::Forced => {
                let text = sentence(state.secret);
                let bytes = row.u8(0);
                bytes.fill(0);
                bytes[..text.len()].copy_from_slice(text.as_bytes());
            }
            Toy::Listed => row.f32(0).copy_from_slice(&[state.secret as f32, state.steps as f32]),
            Toy::Script | Toy::Uneven | Toy::Told => {
                row.f32(0).copy_from_slice(&[self.turn(state) as f32, state.steps as f32]);
            }
        }
    }

    fn draw(&self, _: &State, _: usize, _: Frame<'_>) {}

    fn words(&self, _: &State) -> String {
        String::new()
    }

    fn metrics(&self, state: &State, values: &mut [f32]) {
        values[0] = f32::from(u8::from(state.right));
        if let Some(told) = values.get_mut(1) {
            let holds = match self.toy {
                Toy::Told => state.steps.is_multiple_of(2),
                _ => state.forced && state.steps > 0,
            };
            *told = f32::from(u8::from(holds));
        }
    }
}

/// Copies of a toy.
pub(super) fn make(toy: Toy, copies: usize) -> Box<dyn VecEnv> {
    Box::new(Batch::<Rules>::new(&Config {}, toy, copies, Options::default()).expect("a toy"))
}
