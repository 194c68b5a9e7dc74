//! `memory/transitive-inference-mini-v1`: transitive inference without walking.

use heldout_core::{
    ActionSpace, ConfigError, Dtype, Environment, Field, Frame, Metric, Policy, Rng, Row, Scripted, Seed, Spec, Start,
    Status, View,
};
use heldout_render::{Canvas, Image, Rgb};
use serde::{Deserialize, Serialize};

use super::chain::{Chain, Side};
use super::relations::Relations;
use super::spot_policies::symbolic_only;
use crate::memory::level::Drawn;
use crate::memory::{Level, Observation, level};
use crate::registry::{About, Preset};

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "memory/transitive-inference-mini-v1",
    summary: "Learn the order of a chain of colours from pairs of neighbours and judge two that never met, without walking.",
    card: include_str!("../transitive_inference_mini.md"),
    split_key: "level",
    splits: &level::NAMES,
    presets: &[Preset {
        name: "pixels",
        about: "A picture of 48 x 36 of the pair.",
        config: r#"{"observation": "pixels"}"#,
    }],
    smallest: "{}",
};

/// Steps of an episode at the most, as the walked task has 200 seconds.
const LIMIT: u32 = 200;
/// Chains of an episode at the most.
const MOST_CHAINS: u32 = 100;
/// Size of the picture.
const WIDTH: usize = 48;
const HEIGHT: usize = 36;
/// How much larger people see it.
const ZOOM: usize = 8;
const CAPTION: usize = 20;
/// The floor, and a ball, left and right.
const ELEMENTS: usize = 8;
const DEMO: Rgb = Rgb::grey(100);
const CHALLENGE: Rgb = Rgb::new(30, 40, 96);

/// What is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InferenceMiniConfig {
    /// Which stimuli and which scale.
    pub level: String,
    /// What the agent sees.
    pub observation: Observation,
    /// Chains of an episode.
    pub chains: u32,
    /// Whether the challenge is shown as such.
    pub cue_phase: bool,
}

impl Default for InferenceMiniConfig {
    fn default() -> Self {
        Self { level: "train".to_owned(), observation: Observation::Symbolic, chains: 4, cue_phase: true }
    }
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferenceMiniState {
    /// The present chain.
    pub chain: Chain,
    /// Whether nothing is shown: one step after every answer.
    pub blank: bool,
    /// Chains whose challenge was answered.
    pub chains: u32,
    /// Steps so far.
    pub steps: u32,
    correct: u32,
    demos: u32,
    wrong: u32,
    scale: Drawn,
    seed: Seed,
}

/// The rules.
#[derive(Debug)]
pub struct InferenceMini {
    level: Level,
    observation: Observation,
    chains: u32,
    cue_phase: bool,
    spec: Spec,
}

impl InferenceMini {
    fn chain(&self, scale: Drawn, seed: Seed, index: u32) -> Chain {
        Chain::draw(self.level.stimuli, scale, seed.derive(u64::from(index)))
    }

    fn cued(&self, state: &InferenceMiniState) -> bool {
        self.cue_phase && !state.blank && state.chain.challenge()
    }

    fn picture(&self, state: &InferenceMiniState, canvas: &mut Canvas<'_>) {
        canvas.clear(if self.cued(state) { CHALLENGE } else { DEMO });
        if !state.blank {
            for (i, colour) in state.chain.shown().into_iter().enumerate() {
                let middle = ((2 * i + 1) * WIDTH / 4) as i32;
                canvas.fill_circle(middle, HEIGHT as i32 / 2, 8, colour.rgb());
            }
        }
    }
}

impl Environment for InferenceMini {
    type Config = InferenceMiniConfig;
    type State = InferenceMiniState;
    type Action = Side;

    fn new(config: &InferenceMiniConfig) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, "transitive_inference")?;
        if !(1..=MOST_CHAINS).contains(&config.chains) {
            return Err(ConfigError::value("chains", config.chains, &format!("1 to {MOST_CHAINS}")));
        }
        let field = match config.observation {
            Observation::Symbolic => Field::new("symbolic", Dtype::F32, &[ELEMENTS], 0.0, 1.0),
            Observation::Pixels => Field::image("pixels", HEIGHT, WIDTH),
        };
        let spec = Spec {
            metrics: vec![
                Metric::episode("demos"),
                Metric::episode("wrong"),
                Metric::episode("chains"),
                Metric::episode("challenge").weighed_by("chains"),
                Metric::episode("items"),
            ],
            ..Spec::single(vec![field], ActionSpace::Discrete(2), (WIDTH * ZOOM, HEIGHT * ZOOM + CAPTION))
        };
        let InferenceMiniConfig { observation, chains, cue_phase, .. } = *config;
        Ok(Self { level, observation, chains, cue_phase, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Side> {
        let [index] = raw else { return None };
        Side::ALL.get(usize::try_from(*index).ok()?).copied()
    }

    fn encode(&self, _: usize, action: Side, raw: &mut [i32]) {
        raw[0] = action as i32;
    }

    fn start(&self, start: Start) -> InferenceMiniState {
        let scale = self.level.draw(&mut start.seed.stream("scale").rng());
        InferenceMiniState {
            chain: self.chain(scale, start.seed, 0),
            blank: false,
            chains: 0,
            steps: 0,
            correct: 0,
            demos: 0,
            wrong: 0,
            scale,
            seed: start.seed,
        }
    }

    fn restart(&self, state: &mut InferenceMiniState, start: Start) {
        *state = self.start(start);
    }

    fn step(&self, state: &mut InferenceMiniState, actions: &[Side], rewards: &mut [f32]) -> Status {
        rewards[0] = 0.0;
        state.steps += 1;
        if state.blank {
            state.blank = false;
        } else {
            let demo = !state.chain.challenge();
            let right = actions[0] == state.chain.higher();
            rewards[0] = state.chain.choose(actions[0]);
            state.blank = true;
            if demo {
                state.demos += u32::from(right);
                state.wrong += u32::from(!right);
            } else {
                state.chains += 1;
                state.correct += u32::from(right);
                if state.chains == self.chains {
                    return Status::Terminated;
                }
                state.chain = self.chain(state.scale, state.seed, state.chains);
            }
        }
        if state.steps >= LIMIT { Status::Truncated } else { Status::Running }
    }

    fn observe(&self, state: &InferenceMiniState, _: usize, mut row: Row<'_, '_>) {
        match self.observation {
            Observation::Symbolic => {
                let row = row.f32(0);
                row.fill(0.0);
                row[0] = f32::from(self.cued(state));
                if !state.blank {
                    let [left, right] = state.chain.shown().map(super::Colour::unit);
                    row[1] = 1.0;
                    row[2..5].copy_from_slice(&left);
                    row[5..8].copy_from_slice(&right);
                }
            }
            Observation::Pixels => self.picture(state, &mut Canvas::new(WIDTH, HEIGHT, row.u8(0))),
        }
    }

    fn draw(&self, state: &InferenceMiniState, _: usize, frame: Frame<'_>) {
        let mut small = Image::new(WIDTH, HEIGHT);
        self.picture(state, &mut small.canvas());
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        canvas.clear(Rgb::INK);
        canvas.blit_scaled(0, 0, small.view(), ZOOM as u32);
        let higher = if state.chain.higher() == Side::Left { "left" } else { "right" };
        let caption = format!(
            "chain {} of {}   pair {} of {}   higher: {higher}   wrong {}",
            (state.chains + 1).min(self.chains),
            self.chains,
            state.chain.done + 1,
            state.chain.items,
            state.wrong
        );
        canvas.text(6, (HEIGHT * ZOOM + 6) as i32, 1, Rgb::PAPER, &caption);
    }

    fn metrics(&self, state: &InferenceMiniState, values: &mut [f32]) {
        values.copy_from_slice(&[
            state.demos as f32,
            state.wrong as f32,
            state.chains as f32,
            state.correct as f32 / state.chains.max(1) as f32,
            state.chain.items as f32,
        ]);
    }

    fn policies() -> Vec<Scripted<Self>> {
        vec![
            Scripted::of::<Oracle>("oracle", "Picks the higher item of every pair; knows the order."),
            Scripted::of::<Honest>(
                "honest",
                "Guesses pairs that it cannot know and learns the order from what is shown next; sees the symbolic \
                 observation alone.",
            ),
            Scripted::of::<Memoryless>("memoryless", "Picks either item by chance."),
            Scripted::of::<Noop>("noop", "Picks the left item."),
        ]
    }
}

/// Picks the higher item.
#[derive(Debug, Default)]
pub(super) struct Oracle;

impl Policy<InferenceMini> for Oracle {
    type Memory = ();
    const PRIVILEGED: bool = true;

    fn remember(&self, _: &InferenceMini) {}

    fn act(&self, _: &InferenceMini, view: View<'_, InferenceMini>, (): &mut (), _: &mut Rng) -> Side {
        view.state.expect("the oracle is privileged").chain.higher()
    }
}

/// Learns the order.
#[derive(Debug, Default)]
pub(super) struct Honest;

impl Policy<InferenceMini> for Honest {
    /// What is known of the chain, and whether its challenge was answered.
    type Memory = (Relations, bool);

    fn check(rules: &InferenceMini) -> Result<(), String> {
        symbolic_only(rules.observation)?;
        if rules.cue_phase || rules.chains == 1 {
            return Ok(());
        }
        Err("`honest` must be told where a chain ends: `cue_phase` is `false`, must be `true`".to_owned())
    }

    fn remember(&self, _: &InferenceMini) -> (Relations, bool) {
        (Relations::default(), false)
    }

    fn act(
        &self,
        _: &InferenceMini,
        view: View<'_, InferenceMini>,
        (relations, answered): &mut (Relations, bool),
        rng: &mut Rng,
    ) -> Side {
        let row = view.row.f32(0);
        if row[1] == 0.0 {
            return Side::Left;
        }
        if *answered {
            *relations = Relations::default();
        }
        *answered = row[0] > 0.0;
        relations.choose([[row[2], row[3], row[4]], [row[5], row[6], row[7]]], rng)
    }
}

/// Picks by chance.
#[derive(Debug, Default)]
pub(super) struct Memoryless;

impl Policy<InferenceMini> for Memoryless {
    type Memory = ();

    fn remember(&self, _: &InferenceMini) {}

    fn act(&self, _: &InferenceMini, _: View<'_, InferenceMini>, (): &mut (), rng: &mut Rng) -> Side {
        *rng.pick(&Side::ALL)
    }
}

/// Picks the left item.
#[derive(Debug, Default)]
pub(super) struct Noop;

impl Policy<InferenceMini> for Noop {
    type Memory = ();

    fn remember(&self, _: &InferenceMini) {}

    fn act(&self, _: &InferenceMini, _: View<'_, InferenceMini>, (): &mut (), _: &mut Rng) -> Side {
        Side::Left
    }
}
