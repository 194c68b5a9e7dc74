//! HALMA's evaluation: training mazes, random mazes and the seven tests made from an experience.

use heldout_core::{
    Asked, AskedCondition, Buffers, CommandError, Crc, Entry, Kind, KindError, Options, Player, Prepared, ProblemSet,
    Reset, Seed, Stop, Told,
};
use serde_json::{Map, Value, json};

use crate::dynamic_tests::{Class, TestConfig, dynamic_tests_until};
use crate::experience::Experience;
use crate::problems::{MOST_TARGETS, TestSet};

/// The policy whose experience leads to most of the tests: scales are measured on them, and `heldout halma experience`
/// gathers it unless told.
pub(crate) const EXPLORER: &str = "half";
/// Training episodes that the dynamic tests are made from unless told: 20 passes over 100 mazes (sec. 4).
pub(crate) const EXPERIENCE_EPISODES: u64 = 2_000;
/// Training episodes at the most.
pub(crate) const MOST_EPISODES: u64 = 10_000_000;
/// Mazes of a test at the most.
pub(crate) const MOST_MAZES: u64 = 10_000;

/// Training mazes, random mazes and the seven tests made from an experience. The name of a condition says which: `T`,
/// `RT`, `ST-1`, `ST-2`, `AfT-1` to `AfT-4`, `AnT`, in any case, with or without the hyphen.
pub(crate) struct Dynamic;

/// One part of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Train,
    /// Random mazes of the test split.
    Random,
    /// A test made from an experience.
    Test(Class),
}

impl Part {
    fn named(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
        match plain(name).as_str() {
            "t" => Some(Self::Train),
            "rt" => Some(Self::Random),
            other => Class::ALL.into_iter().find(|class| plain(class.name()) == other).map(Self::Test),
        }
    }

    /// What the name of a condition must be.
    fn allowed() -> String {
        let names = ["T", "RT"].into_iter().chain(Class::ALL.map(Class::name));
        format!("must be one of {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
    }
}

/// Play that experience is gathered from.
pub(crate) struct Gathering<'a> {
    pub(crate) entry: &'static Entry,
    pub(crate) overrides: &'a Map<String, Value>,
    pub(crate) policy: &'a str,
    pub(crate) episodes: u64,
    /// Root of every episode's seed.
    pub(crate) seed: u64,
    /// Experience to begin with.
    pub(crate) before: Option<&'a [u8]>,
    /// Says when to break off.
    pub(crate) stop: Stop<'a>,
}

impl Gathering<'_> {
    /// Plays and gives back what was experienced; `progress` hears of every episode.
    pub(crate) fn play(&self, mut progress: impl FnMut()) -> Result<Vec<u8>, CommandError> {
        if crate::FAMILY.entry(self.entry.id()).is_none() {
            let known = crate::FAMILY.entries.iter().map(|entry| format!("`{}`", entry.id())).collect::<Vec<_>>();
            return Err(format!("`{}` keeps no experience; {} do", self.entry.id(), known.join(" and ")).into());
        }
        let overrides = laid(self.overrides, &json!({"experience": true}));
        let mut env = self.entry.make(&overrides, 1, Options::default())?;
        let mut buffers = Buffers::new(env.spec(), 1);
        env.seat(0, self.policy, Seed(self.seed))?;
        env.reset(Reset::seed(Seed(self.seed)), buffers.output())?;
        if let Some(bytes) = self.before {
            env.set_experience(0, bytes)?;
        }
        let mut actions = vec![0; env.spec().action_width()];
        for _ in 0..self.episodes {
            loop {
                if (self.stop)() {
                    return Err("it was stopped before the experience was gathered".into());
                }
                env.act(&buffers.rows(), &mut actions)?;
                env.step(&actions, buffers.output())?;
                // The step after an end begins the next episode: it is no transition, and adds nothing.
                if buffers.status[0].ended() {
                    break;
                }
            }
            progress();
        }
        Ok(env.experience(0)?.expect("it is kept, as the config asks"))
    }
}

/// `own` laid over `base`.
fn laid(base: &Map<String, Value>, own: &Value) -> Map<String, Value> {
    let mut all = base.clone();
    all.extend(own.as_object().cloned().unwrap_or_default());
    all
}

/// The config of training: that of T, if it is asked for.
fn training(asked: &Asked<'_>) -> Map<String, Value> {
    let own = asked.conditions.iter().find(|condition| Part::named(condition.name) == Some(Part::Train));
    laid(own.map_or(asked.overrides, |condition| &condition.overrides), &json!({"split": "train"}))
}

/// The tests that a player is given for a run seed, and whose experience they are made from: its own.
///
/// A scripted policy never trained, so it plays the training mazes first. Who tells nothing can be asked nothing.
fn tests(asked: &Asked<'_>, mazes: u64, seed: u64) -> Result<(Tests, String), CommandError> {
    let overrides = &training(asked);
    let (entry, policy, stop) = (asked.entry, "noop", asked.stop);
    let mut gathering = Gathering { entry, overrides, policy, episodes: 0, seed, before: None, stop };
    let (bytes, origin) = match asked.player {
        Player::Agent(Told { experience: None, .. }) => return Err(UNTOLD.into()),
        Player::Agent(Told { experience: Some(bytes), .. }) => {
            // Nothing is played: bytes that do not belong to the training mazes are refused.
            gathering.before = Some(bytes);
            (gathering.play(|| ())?, format!("the experience that came with the agent (CRC-32 {:08x})", Crc::of(bytes)))
        }
        Player::Scripted(text) => {
            gathering.policy = text.rsplit('=').next().unwrap_or(text);
            gathering.episodes = asked.keys.get("experience").and_then(Value::as_u64).unwrap_or(EXPERIENCE_EPISODES);
            let origin = format!("the experience of {} in {} training episodes", gathering.policy, gathering.episodes);
            (gathering.play(|| ())?, origin)
        }
    };
    let mut keys = asked.keys.clone();
    keys.remove("experience");
    keys.insert("n_test_mazes".to_owned(), mazes.into());
    let config: TestConfig = serde_json::from_value(Value::Object(keys))?;
    let experience = Experience::from_bytes(&bytes)?;
    Ok((dynamic_tests_until(&experience, &config, Seed(seed), asked.stop).into(), origin))
}

/// The seven tests; `None` of those that an experience does not lead to.
type Tests = Vec<(Class, Option<TestSet>)>;

/// Why an agent that tells nothing cannot be asked.
const UNTOLD: &str = "this test is made from what the agent experienced in training, and it tells nothing of that: \
                      keep an account (config `experience = true`) and bring it (`--experience`)";

/// What a key of the kind must be, unless it is.
fn refused(key: &str, value: &Value) -> Option<String> {
    let (least, most) = match key {
        "experience" => (1, MOST_EPISODES),
        "th_s" | "th_c" | "th_a" | "st1_max_count" => (0, u32::MAX.into()),
        "targets" => (1, MOST_TARGETS as u64),
        "strict_novelty" => return (!value.is_boolean()).then(|| "must be `true` or `false`".to_owned()),
        _ => {
            let keys = "`experience`, `th_s`, `th_c`, `th_a`, `strict_novelty`, `st1_max_count` and `targets`";
            return Some(format!("is no key of this kind, which has {keys}"));
        }
    };
    let fits = value.as_u64().is_some_and(|n| (least..=most).contains(&n));
    (!fits).then(|| format!("must be {least} to {most}"))
}

impl Kind for Dynamic {
    fn name(&self) -> &'static str {
        "halma-dynamic"
    }

    fn check(&self, keys: &Map<String, Value>, conditions: &[&str]) -> Result<(), KindError> {
        for (key, value) in keys {
            if let Some(allowed) = refused(key, value) {
                return Err(KindError { key: format!("kind.{key}"), value: value.to_string(), allowed });
            }
        }
        match conditions.iter().find(|name| Part::named(name).is_none()) {
            None => Ok(()),
            Some(name) => {
                let (key, value) = (format!("condition `{name}`: name"), (*name).to_owned());
                Err(KindError { key, value, allowed: Part::allowed() })
            }
        }
    }

    fn reference(&self) -> Option<&'static str> {
        Some(EXPLORER)
    }

    fn stands(&self, condition: &str) -> bool {
        matches!(Part::named(condition), Some(Part::Train | Part::Random))
    }

    fn merged(&self, condition: &str) -> Option<&'static str> {
        matches!(Part::named(condition), Some(Part::Test(_))).then_some("ST, AfT, AnT merged")
    }

    fn prepare(&self, asked: &Asked<'_>, seed: u64) -> Result<Prepared, String> {
        let mazes = asked.episodes.unwrap_or(u64::from(TestConfig::default().n_test_mazes));
        if !(1..=MOST_MAZES).contains(&mazes) {
            return Err(format!("the number of mazes is `{mazes}`, must be 1 to {MOST_MAZES} in HALMA's tests"));
        }
        let part = |condition: &AskedCondition<'_>| {
            Part::named(condition.name).ok_or_else(|| format!("condition `{}` {}", condition.name, Part::allowed()))
        };
        let parts = asked.conditions.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        // Who has no tests of its own is still asked T and RT.
        let tests = if parts.iter().any(|part| matches!(part, Part::Test(_))) {
            tests(asked, mazes, seed).map_err(|e| e.to_string())
        } else {
            Err(UNTOLD.to_owned())
        };
        let set = |(part, condition): (Part, &AskedCondition<'_>)| -> Result<ProblemSet, String> {
            let base = &condition.overrides;
            match part {
                Part::Train => {
                    let overrides = laid(base, &json!({"split": "train"}));
                    let env = asked.entry.make(&overrides, 1, Options::default()).map_err(|e| e.to_string())?;
                    let all = env.spec().problems.map(u64::from);
                    let all = all.ok_or_else(|| format!("`{}` has no finite problem set", asked.entry.id()))?;
                    Ok(ProblemSet {
                        overrides,
                        episodes: if asked.cut { all.min(mazes) } else { all },
                        ..ProblemSet::default()
                    })
                }
                Part::Random => {
                    let overrides = laid(base, &json!({"split": "test", "mazes": mazes, "maze_seed": seed}));
                    Ok(ProblemSet { overrides, episodes: mazes, ..ProblemSet::default() })
                }
                Part::Test(class) => {
                    let (tests, origin) = tests.as_ref().map_err(Clone::clone)?;
                    let made = tests.iter().find(|(c, _)| *c == class).and_then(|(_, made)| made.as_ref());
                    let file = made.map(|made| ("problems", class.name().to_owned(), made.to_json()));
                    let episodes = made.map_or(0, |made| made.problems.len() as u64);
                    Ok(ProblemSet { overrides: base.clone(), file, episodes, origin: Some(origin.clone()) })
                }
            }
        };
        Ok(Prepared::Problems(parts.into_iter().zip(&asked.conditions).map(set).collect()))
    }
}
