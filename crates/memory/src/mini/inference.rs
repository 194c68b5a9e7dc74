//! `memory/transitive-inference-mini-v1`: transitive inference without walking.

use heldout_core::check::{that, within};
use heldout_core::{
    ActionSpace, ConfigError, Environment, Frame, Metric, Policy, Rng, Row, Scripted, Seed, Spec, Start, Status, View,
};
use heldout_render::{Canvas, Rgb};
use serde::{Deserialize, Serialize};

use super::honest::{Honest, Learner, Window};
use super::{FRAME, SIZE, enlarge, format};
use crate::level::{Drawn, Level};
use crate::rooms::{Chain, Colour, INFERENCE_TASK, Relations, Side};
use crate::walker::config::{Format, Observation, Previous};
use crate::walker::controls::decode;
use crate::walker::policies::{First, SYMBOLS, needs_symbols};

/// Steps of an episode at the most, as the walked task has 200 seconds.
const LIMIT: u32 = 200;
/// Chains of an episode at the most.
const MOST_CHAINS: u32 = 100;
/// The floor, and a ball, left and right.
const ELEMENTS: usize = 8;
const DEMO: Rgb = Rgb::grey(100);
const CHALLENGE: Rgb = Rgb::new(30, 40, 96);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct InferenceMiniConfig {
    /// Which stimuli and which scale.
    pub(crate) level: String,
    pub(crate) observation: Observation,
    /// Chains of an episode.
    pub(crate) chains: u32,
    /// Whether the challenge is shown as such.
    pub(crate) cue_phase: bool,
}

impl Default for InferenceMiniConfig {
    fn default() -> Self {
        Self { level: "train".to_owned(), observation: Observation::Symbolic, chains: 4, cue_phase: true }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InferenceMiniState {
    /// The present chain.
    pub(crate) chain: Chain,
    /// Whether nothing is shown: one step after every answer.
    pub(crate) blank: bool,
    /// Chains whose challenge was answered.
    pub(crate) chains: u32,
    /// Steps so far.
    pub(crate) steps: u32,
    correct: u32,
    demos: u32,
    wrong: u32,
    scale: Drawn,
    seed: Seed,
}

#[derive(Debug)]
pub(crate) struct InferenceMini {
    level: Level,
    format: Format,
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
                let middle = ((2 * i + 1) * SIZE.0 / 4) as i32;
                canvas.fill_circle(middle, SIZE.1 as i32 / 2, 8, colour.rgb());
            }
        }
    }
}

impl Environment for InferenceMini {
    type Config = InferenceMiniConfig;
    type State = InferenceMiniState;
    type Action = Side;
    type Variant = ();

    fn new(config: &InferenceMiniConfig, (): ()) -> Result<Self, ConfigError> {
        let level = Level::of(&config.level, INFERENCE_TASK)?;
        if !(1..=MOST_CHAINS).contains(&config.chains) {
            return Err(ConfigError::value("chains", config.chains, &format!("1 to {MOST_CHAINS}")));
        }
        let format = format(config.observation, false);
        let fields = format.fields((ELEMENTS, 0.0, 1.0), Side::ALL.len(), 1.0);
        let spec = Spec {
            metrics: vec![
                Metric::episode("demos"),
                Metric::episode("wrong"),
                Metric::episode("chains"),
                Metric::share("challenge").weighed_by("chains"),
                Metric::episode("items"),
            ],
            ..Spec::single(fields, ActionSpace::Discrete(Side::ALL.len() as u32), FRAME)
        };
        Ok(Self { level, format, chains: config.chains, cue_phase: config.cue_phase, spec })
    }

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn decode(&self, _: usize, raw: &[i32]) -> Option<Side> {
        decode(&Side::ALL, raw)
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

    fn check(&self, state: &InferenceMiniState) -> Result<(), String> {
        within("steps", state.steps, 0..=LIMIT)?;
        within("chains", state.chains, 0..=self.chains)?;
        within("correct", state.correct, 0..=state.chains)?;
        within("demos", state.demos, 0..=state.steps)?;
        within("wrong", state.wrong, 0..=state.steps)?;
        state.chain.check(state.steps)?;
        let scale = self.level.draw(&mut state.seed.stream("scale").rng());
        // After the last answer its chain still stands.
        let index = state.chains.min(self.chains - 1);
        let follows = state.scale == scale && state.chain.is_same(&self.chain(scale, state.seed, index));
        that("chain", index, follows, "what the seed of the episode makes it")
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
                if state.chains >= self.chains {
                    return Status::Terminated;
                }
                state.chain = self.chain(state.scale, state.seed, state.chains);
            }
        }
        if state.steps >= LIMIT { Status::Truncated } else { Status::Running }
    }

    fn observe(&self, state: &InferenceMiniState, _: usize, row: Row<'_, '_>) {
        self.format.observe(
            row,
            Previous::default(),
            |canvas| self.picture(state, canvas),
            |out| {
                out.fill(0.0);
                out[0] = f32::from(self.cued(state));
                if !state.blank {
                    let [left, right] = state.chain.shown().map(Colour::unit);
                    out[1] = 1.0;
                    out[2..5].copy_from_slice(&left);
                    out[5..8].copy_from_slice(&right);
                }
            },
        );
    }

    fn draw(&self, state: &InferenceMiniState, _: usize, frame: Frame<'_>) {
        enlarge(frame, &self.words(state), |canvas| self.picture(state, canvas));
    }

    fn words(&self, state: &InferenceMiniState) -> String {
        let chain = (state.chains + 1).min(self.chains);
        format!("chain {chain} of {}, {}", self.chains, state.chain.words(!state.blank))
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
            Scripted::of::<Honest<Order>>(
                "honest",
                "Guesses pairs that it cannot know and learns the order from what is shown next; sees the symbolic \
                 observation alone.",
            )
            .seeing(SYMBOLS),
            Scripted::of::<Memoryless>("memoryless", "Picks either item by chance.").shortcut(),
            Scripted::of::<Window<Order>>("window", "The honest player with a memory of the last six rows.")
                .shortcut()
                .seeing(SYMBOLS),
            Scripted::of::<First>("noop", "Picks the left item."),
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
pub(super) struct Order;

/// The two colours that a row shows, if it does.
fn pair(row: &[f32]) -> Option<[[f32; 3]; 2]> {
    (row[1] > 0.0).then_some([[row[2], row[3], row[4]], [row[5], row[6], row[7]]])
}

impl Learner<InferenceMini> for Order {
    /// What is known of the chain, and whether its challenge was answered.
    type Notes = (Relations, bool);

    fn check(rules: &InferenceMini) -> Result<(), String> {
        needs_symbols(rules.format.observation)?;
        if rules.cue_phase || rules.chains == 1 {
            return Ok(());
        }
        Err("`cue_phase` is `false`, must be `true` for a policy that must be told where a chain ends".to_owned())
    }

    fn blank(_: &InferenceMini) -> (Relations, bool) {
        (Relations::default(), false)
    }

    fn see(_: &InferenceMini, row: &[f32], (relations, answered): &mut (Relations, bool)) {
        let Some(pair) = pair(row) else { return };
        if *answered {
            *relations = Relations::default();
        }
        *answered = row[0] > 0.0;
        relations.see(pair);
    }

    fn choose(_: &InferenceMini, row: &[f32], (relations, _): &(Relations, bool), rng: &mut Rng) -> Side {
        let known = if pair(row).is_some() { relations.known() } else { Some(Side::Left) };
        known.unwrap_or_else(|| *rng.pick(&Side::ALL))
    }

    fn did(_: &InferenceMini, row: &[f32], side: Side, (relations, _): &mut (Relations, bool)) {
        if pair(row).is_some() {
            relations.did(side);
        }
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
