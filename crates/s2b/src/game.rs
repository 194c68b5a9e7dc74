//! `s2b/game-v1`: a speaker and a listener that must find a language, new in every episode.

use heldout_core::{About, ConfigError, Policy, Rng, Scripted, Seed, Status, View};

use crate::codec::{Act, Role};
use crate::config::{GameConfig, Settings};
use crate::episode::{Episode, Rulebook};
use crate::games::{Cast, Games, RandomLegal, about};
use crate::reference::{Bayes, Binds1, Binds2, ExactMatch, Nearest};
use crate::shortcut::{Blind, Reflex, Rote};
use crate::speaker::{MAX_UTTERANCE, SpeakerRule, Utterance, window};

pub(crate) static ABOUT: About = about(
    "s2b/game-v1",
    include_str!("../cards/game.md"),
    "Speaker and listener agree on words within the episode, then use them on combinations that were held out.",
);

/// The agent that knows the target.
pub(crate) const SPEAKER: usize = 0;
/// The agent that decides.
pub(crate) const LISTENER: usize = 1;

/// Both are agents.
#[derive(Debug, Default)]
pub(crate) struct Pair;

impl Cast for Pair {
    type Config = GameConfig;

    fn roles(&self) -> &'static [Role] {
        &[Role::Speaker, Role::Listener]
    }

    fn settings(&self, config: &GameConfig) -> Result<Settings, ConfigError> {
        config.check()
    }

    fn step(&self, rulebook: &Rulebook, ep: &mut Episode, acts: &[Act]) -> (f32, Status) {
        rulebook.step(ep, &acts[SPEAKER], &acts[LISTENER])
    }

    fn policies() -> Vec<Scripted<Games<Self>>> {
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
            Scripted::for_agent::<Nearest>("nearest", Nearest::ABOUT, LISTENER),
            Scripted::for_agent::<Bayes>("bayes", Bayes::ABOUT, LISTENER),
            Scripted::for_agent::<ExactMatch>("exact-match", ExactMatch::ABOUT, LISTENER),
            Scripted::for_agent::<Binds1>("binds1", Binds1::ABOUT, LISTENER).probe(),
            Scripted::for_agent::<Binds2>("binds2", Binds2::ABOUT, LISTENER).probe(),
            Scripted::for_agent::<Reflex>("reflex", Reflex::ABOUT, LISTENER).shortcut(),
            Scripted::for_agent::<Blind>("blind", Blind::ABOUT, LISTENER).shortcut(),
            Scripted::for_agent::<Rote>("rote", Rote::ABOUT, LISTENER).shortcut(),
            Scripted::of::<RandomLegal>("random", RandomLegal::ABOUT),
        ]
    }
}

/// The rule-based speaker number `RULE` of [`SpeakerRule::ALL`] as an agent's policy. It is told the meaning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Speaks<const RULE: usize>;

/// The positionally disentangled speaker.
pub(crate) type Posdis = Speaks<0>;
/// The speaker whose words have no order.
pub(crate) type BagOfSymbols = Speaks<1>;
/// The speaker whose words have no parts.
pub(crate) type Holistic = Speaks<2>;

/// What a rule-based speaker keeps in mind.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    /// What fixes the words of a holistic language, once drawn.
    words: Option<Seed>,
    /// The game that it speaks of.
    game: Option<u32>,
    said: Utterance,
}

impl<const RULE: usize> Policy<Games<Pair>> for Speaks<RULE> {
    type Memory = Voice;
    const PRIVILEGED: bool = true;

    fn check(env: &Games<Pair>) -> Result<(), String> {
        SpeakerRule::ALL[RULE].check(&env.rulebook.settings).map_err(|e| e.to_string())
    }

    fn remember(&self, _: &Games<Pair>) -> Voice {
        Voice { words: None, game: None, said: [0; MAX_UTTERANCE] }
    }

    fn act(&self, env: &Games<Pair>, view: View<'_, Games<Pair>>, voice: &mut Voice, rng: &mut Rng) -> Act {
        let rulebook = &env.rulebook;
        let state = view.state.expect("it is privileged");
        let words = *voice.words.get_or_insert_with(|| Seed(rng.next_u64()));
        if voice.game != Some(state.game) {
            voice.game = Some(state.game);
            let meaning = state.now.target.meaning;
            let rule = SpeakerRule::ALL[RULE];
            voice.said = rulebook.tongue.utter(rule, state.space.structure(), meaning, words, rng);
        }
        if !rulebook.may(state, Role::Speaker).1 {
            return Act::NOTHING;
        }
        let round = (state.round() as usize).min(rulebook.settings.rounds as usize - 1);
        Act::say(window(&voice.said, round, &rulebook.settings))
    }
}
