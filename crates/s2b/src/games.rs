//! The games as an environment, whoever of speaker and listener is an agent.

use heldout_core::{
    About, ConfigError, Environment, Frame, MAX_ACTION_WIDTH, Policy, Preset, Rng, Row, Scripted, Spec, Start, Status,
    View,
};
use heldout_render::Canvas;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::{Act, Role};
use crate::config::Settings;
use crate::draw;
use crate::episode::{Episode, Rulebook};
use crate::observe;

/// Who plays: the roles that agents have. A rule-based speaker inside the environment has the other.
pub(crate) trait Cast: Default + Send + Sync + 'static {
    type Config: Default + Clone + Send + Sync + Serialize + DeserializeOwned;

    /// The role of each agent.
    fn roles(&self) -> &'static [Role];

    fn settings(&self, config: &Self::Config) -> Result<Settings, ConfigError>;

    fn step(&self, rulebook: &Rulebook, ep: &mut Episode, acts: &[Act]) -> (f32, Status);

    fn policies() -> Vec<Scripted<Games<Self>>>;
}

/// Referential games, played by `C`.
#[derive(Debug)]
pub(crate) struct Games<C> {
    pub(crate) rulebook: Rulebook,
    cast: C,
}

impl<C: Cast> Games<C> {
    pub(crate) fn role(&self, agent: usize) -> Role {
        self.cast.roles()[agent]
    }
}

impl<C: Cast> Environment for Games<C> {
    type Config = C::Config;
    type State = Episode;
    type Action = Act;
    type Variant = ();

    fn new(config: &C::Config, (): ()) -> Result<Self, ConfigError> {
        let cast = C::default();
        Ok(Self { rulebook: Rulebook::new(cast.settings(config)?, cast.roles()), cast })
    }

    fn spec(&self) -> &Spec {
        &self.rulebook.spec
    }

    fn decode(&self, agent: usize, raw: &[i32]) -> Option<Act> {
        let codec = self.rulebook.codec(self.role(agent));
        self.spec().agents[agent].action.contains(raw).then(|| codec.decode(raw))
    }

    fn encode(&self, agent: usize, action: Act, raw: &mut [i32]) {
        self.rulebook.codec(self.role(agent)).encode(&action, raw);
    }

    fn start(&self, start: Start) -> Episode {
        self.rulebook.start(start)
    }

    fn restart(&self, ep: &mut Episode, start: Start) {
        self.rulebook.restart(ep, start);
    }

    fn reserve(&self, ep: &mut Episode) {
        self.rulebook.reserve(ep);
    }

    fn check(&self, ep: &Episode) -> Result<(), String> {
        self.rulebook.check(ep)
    }

    fn step(&self, ep: &mut Episode, acts: &[Act], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.cast.step(&self.rulebook, ep, acts);
        rewards.fill(reward);
        status
    }

    fn observe(&self, ep: &Episode, agent: usize, row: Row<'_, '_>) {
        self.rulebook.layout.observe(&self.rulebook, ep, agent, row);
    }

    fn draw(&self, ep: &Episode, agent: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        draw::draw(&self.rulebook, ep, self.role(agent), &mut canvas);
    }

    fn words(&self, ep: &Episode) -> String {
        self.rulebook.words(ep)
    }

    fn metrics(&self, ep: &Episode, values: &mut [f32]) {
        observe::metrics(&self.rulebook, ep, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        C::policies()
    }
}

/// Uniformly random over the actions that the mask allows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RandomLegal;

impl RandomLegal {
    pub(crate) const ABOUT: &str = "Uniformly random over the actions that the mask allows.";
}

impl<C: Cast> Policy<Games<C>> for RandomLegal {
    type Memory = ();

    fn remember(&self, _: &Games<C>) {}

    fn act(&self, env: &Games<C>, view: View<'_, Games<C>>, (): &mut (), rng: &mut Rng) -> Act {
        let (layout, role) = (&env.rulebook.layout, env.role(view.agent));
        let mut mask = layout.mask(view.row, role, layout.blocks() - 1);
        let sizes = env.spec().agents[view.agent].action.sizes();
        let mut raw = [0; MAX_ACTION_WIDTH];
        for (choice, &n) in raw.iter_mut().zip(sizes) {
            let (own, rest) = mask.split_at(n as usize);
            mask = rest;
            let legal = own.iter().filter(|&&x| x == 1.0).count();
            // An ended block of skipped steps allows nothing.
            let at = rng.below(legal.max(1) as u32) as usize;
            *choice = own.iter().enumerate().filter(|&(_, &x)| x == 1.0).nth(at).map_or(0, |(i, _)| i as i32);
        }
        env.rulebook.codec(role).decode(&raw[..sizes.len()])
    }
}

/// What both environments say about themselves.
pub(crate) const fn about(id: &'static str, card: &'static str, summary: &'static str) -> About {
    let splits = &["combinatorial2", "combinatorial2_shuffled"];
    let views = &["flat", "actions", "partner_id", "round_shows_feedback"];
    let (split_key, aids, smallest, short): (_, &[&str], _, _) = ("split", &[], "{}", "{}");
    About { id, summary, card, split_key, splits, presets: PRESETS, views, aids, smallest, short }
}

/// The configs of the published experiments.
static PRESETS: &[Preset] = &[
    Preset {
        name: "table1",
        about: "Table 1, two learners: set `shots` to 1 or 2.",
        config: r#"{"samples": 4, "shots": 1}"#,
    },
    Preset {
        name: "table2",
        about: "Table 2: the smallest space, one look per value, one shot.",
        config: r#"{"max_values": 3, "vocabulary": 4, "samples": 1, "shots": 1}"#,
    },
    Preset {
        name: "table3",
        about: "Table 3: set `samples` to 1, 4 or 16 and `shots` to 1, 2 or 4.",
        config: r#"{"samples": 1, "shots": 1}"#,
    },
    Preset {
        name: "fig6",
        about: "Figure 6 as the training code has it: four stimuli, one of them always the target, three one-token \
                messages, two passes, no feedback.",
        config: r#"{"samples": 1, "support_rule": "all", "support_passes": 2, "distractors": 3, "descriptive": false, "message_length": 1, "rounds": 3, "feedback": false}"#,
    },
    Preset {
        name: "regym",
        about: "As the training code sees the games: a decision and a message are one of 519 actions, the channel carries \
                what was said last, and no unit of `round` stands for the feedback.",
        config: r#"{"actions": "combined", "round_shows_feedback": false, "latch_message": false, "speak_any_time": true}"#,
    },
    Preset {
        name: "parity",
        about: "The public code's choices, with its unclipped tails and its ratio of targets, its other defects excepted.",
        config: r#"{"query_rule": "original", "distractor_pool": "listed", "target_ratio": "original", "tail": "none", "latch_message": false, "speak_any_time": true, "actions": "combined", "round_shows_feedback": false}"#,
    },
];
