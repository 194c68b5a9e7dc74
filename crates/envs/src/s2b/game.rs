//! `s2b/game-v1`: a speaker and a listener that must find a language, new in every episode.

use heldout_core::{ConfigError, Environment, Frame, Policy, Rng, Row, Scripted, Seed, Spec, Start, Status, View};
use heldout_render::Canvas;

pub use super::config::GameConfig as Config;

use super::codec::{Act, Role};
use super::episode::{Episode, Rules};
use super::reference::{Bayes, ExactMatch, Nearest};
use super::speaker::{MAX_UTTERANCE, SpeakerRule, Utterance, window};
use super::{PRESETS, RandomLegal, Referential, draw, observe};
use crate::registry::About;

/// The entry of the registry.
pub static ABOUT: About = About {
    id: "s2b/game-v1",
    summary: "Speaker and listener agree on words within the episode, then use them on combinations that were held out.",
    card: include_str!("game.md"),
    split_key: "split",
    splits: &["combinatorial2", "combinatorial2_shuffled"],
    presets: PRESETS,
    smallest: "{}",
};

/// The agent that knows the target.
pub const SPEAKER: usize = 0;
/// The agent that decides.
pub const LISTENER: usize = 1;

static ROLES: [Role; 2] = [Role::Speaker, Role::Listener];

/// The rules for two agents.
#[derive(Debug)]
pub struct Game(Rules);

impl Referential for Game {
    const LISTENER: usize = LISTENER;

    fn rules(&self) -> &Rules {
        &self.0
    }
}

impl Environment for Game {
    type Config = Config;
    type State = Episode;
    type Action = Act;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self(Rules::new(config.check()?, &ROLES)))
    }

    fn spec(&self) -> &Spec {
        &self.0.spec
    }

    fn decode(&self, agent: usize, raw: &[i32]) -> Option<Act> {
        self.0.spec.agents[agent].action.contains(raw).then(|| self.0.codecs[agent].decode(raw))
    }

    fn encode(&self, agent: usize, action: Act, raw: &mut [i32]) {
        self.0.codecs[agent].encode(&action, raw);
    }

    fn start(&self, start: Start) -> Episode {
        self.0.start(start)
    }

    fn restart(&self, state: &mut Episode, start: Start) {
        self.0.restart(state, start);
    }

    fn reserve(&self, state: &mut Episode) {
        self.0.reserve(state);
    }

    fn step(&self, state: &mut Episode, actions: &[Act], rewards: &mut [f32]) -> Status {
        let (reward, status) = self.0.step(state, &actions[SPEAKER], &actions[LISTENER]);
        rewards.fill(reward);
        status
    }

    fn observe(&self, state: &Episode, agent: usize, row: Row<'_, '_>) {
        self.0.layout.observe(&self.0, state, agent, row);
    }

    fn draw(&self, state: &Episode, agent: usize, frame: Frame<'_>) {
        let mut canvas = Canvas::new(frame.width, frame.height, frame.pixels);
        draw::draw(&self.0, state, ROLES[agent], &mut canvas);
    }

    fn metrics(&self, state: &Episode, values: &mut [f32]) {
        observe::metrics(&self.0, state, values);
    }

    fn policies() -> Vec<Scripted<Self>> {
        const POSDIS: &str = "Position by position, a token for each value; is told the values.";
        vec![
            Scripted::for_agent::<Posdis>("oracle", "The same as `posdis`.", SPEAKER),
            Scripted::for_agent::<Posdis>("posdis", POSDIS, SPEAKER),
            Scripted::for_agent::<BagOfSymbols>(
                "bag-of-symbols",
                "A token for each value of each dimension, in random order; needs `dims` x `max_values` tokens.",
                SPEAKER,
            ),
            Scripted::for_agent::<Holistic>("holistic", "A random message for each meaning, one to one.", SPEAKER),
            Scripted::for_agent::<Nearest>("oracle", "The same as `nearest`.", LISTENER),
            Scripted::for_agent::<Nearest>(
                "nearest",
                "Reads each value as the token of the nearest value it was shown.",
                LISTENER,
            ),
            Scripted::for_agent::<Bayes>("bayes", "Weighs every structure that what it was shown allows.", LISTENER),
            Scripted::for_agent::<ExactMatch>(
                "exact-match",
                "Knows a value only if it has seen that very number.",
                LISTENER,
            ),
            Scripted::of::<RandomLegal>("random", "Uniformly random over the actions that the mask allows."),
        ]
    }
}

/// The rule-based speaker number `RULE` of [`SpeakerRule::ALL`] as an agent's policy. It is told the meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speaks<const RULE: usize>;

/// The positionally disentangled speaker.
pub type Posdis = Speaks<0>;
/// The speaker whose words have no order.
pub type BagOfSymbols = Speaks<1>;
/// The speaker whose words have no parts.
pub type Holistic = Speaks<2>;

/// What a rule-based speaker keeps in mind.
#[derive(Clone, Debug)]
pub struct Speech {
    /// What fixes the words of a holistic language, once drawn.
    words: Option<Seed>,
    /// The game that it speaks of.
    game: Option<u32>,
    said: Utterance,
}

impl<const RULE: usize> Policy<Game> for Speaks<RULE> {
    type Memory = Speech;
    const PRIVILEGED: bool = true;

    fn check(env: &Game) -> Result<(), String> {
        SpeakerRule::ALL[RULE].check(&env.0.settings).map_err(|e| e.to_string())
    }

    fn remember(&self, _: &Game) -> Speech {
        Speech { words: None, game: None, said: [0; MAX_UTTERANCE] }
    }

    fn act(&self, env: &Game, view: View<'_, Game>, speech: &mut Speech, rng: &mut Rng) -> Act {
        let rules = &env.0;
        let state = view.state.expect("it is privileged");
        let words = *speech.words.get_or_insert_with(|| Seed(rng.next_u64()));
        if speech.game != Some(state.game()) {
            speech.game = Some(state.game());
            let meaning = state.now().target.meaning;
            let rule = SpeakerRule::ALL[RULE];
            speech.said = rules.tongue.utter(rule, state.space().structure(), meaning, words, rng);
        }
        if !rules.may(state, Role::Speaker).1 {
            return Act::NOTHING;
        }
        let round = (state.round() as usize).min(rules.settings.rounds as usize - 1);
        Act::say(window(&speech.said, round, &rules.settings))
    }
}
