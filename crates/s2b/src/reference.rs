//! Rule-based listeners: what perfect memory gains from the same observations that a learner has.
//!
//! All of them read the utterance position by position, remember what feedback shows, and differ in how a candidate's
//! values are compared with what is remembered. Without feedback they learn from the games that they got right. Those
//! that ignore the utterance are in `shortcut`.

use std::marker::PhantomData;

use heldout_core::{ConfigError, Policy, Rng, View};

use crate::codec::{Act, EOS, Role};
use crate::config::Settings;
use crate::games::{Cast, Games};
use crate::observe::{Layout, Part};
use crate::scale::{Section, place};
use crate::space::{MAX_DIMS, Representation, SpaceRules};
use crate::speaker::{MAX_UTTERANCE, Utterance};
use crate::split::Split;

/// The number that stands for the value on each dimension: the stimulus itself, or which unit is active.
pub(crate) type Values = [f32; MAX_DIMS];

/// A way to understand utterances.
pub(crate) trait Understanding: Send + 'static {
    /// What a listener that understands so does, in a sentence.
    const ABOUT: &'static str;

    /// Checks that games can be understood so.
    fn check(settings: &Settings) -> Result<(), ConfigError> {
        settings.check_places()
    }

    /// Knows nothing yet.
    fn new(facts: &Facts) -> Self;

    /// Takes in `values` of one of its own stimuli, whatever they are called.
    fn see(&mut self, _values: &[f32]) {}

    /// Takes in that `values` were called `said` in a game of this phase.
    fn learn(&mut self, values: &[f32], said: &[u8], query: bool);

    /// How strongly `values` fit `said` in a game of this phase, against a stimulus of another meaning: above one, they
    /// rather do.
    fn fit(&self, values: &[f32], said: &[u8], query: bool) -> f64;
}

/// What a listener knows before it has seen anything: the config.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) space: SpaceRules,
    /// Whether the test values are those with an odd index, in every episode.
    pub(crate) odd_values_test: bool,
}

impl Facts {
    fn new(settings: &Settings) -> Self {
        Self { space: settings.space, odd_values_test: settings.split == Split::Combinatorial2 }
    }

    pub(crate) fn one_hot(&self) -> bool {
        self.space.representation == Representation::Ohe
    }
}

/// A listener that understands by `U`.
#[derive(Debug)]
pub(crate) struct Listens<U>(PhantomData<fn() -> U>);

impl<U: Understanding> Listens<U> {
    pub(crate) const ABOUT: &str = U::ABOUT;
}

impl<U> Default for Listens<U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

pub(crate) type Nearest = Listens<NearestValue>;
pub(crate) type ExactMatch = Listens<SameValue>;
pub(crate) type Bayes = Listens<Posterior>;
pub(crate) type Binds1 = Listens<FirstDims<1>>;
pub(crate) type Binds2 = Listens<FirstDims<2>>;

/// What a listener keeps in mind.
#[derive(Debug)]
pub(crate) struct Mind<U> {
    understanding: U,
    said: Utterance,
    /// The stimulus it chose last, if it chose one, and whether that was in the query phase.
    chosen: Option<(Values, bool)>,
}

impl<C: Cast, U: Understanding> Policy<Games<C>> for Listens<U> {
    type Memory = Mind<U>;

    fn check(env: &Games<C>) -> Result<(), String> {
        U::check(&env.rulebook.settings).map_err(|e| e.to_string())
    }

    fn remember(&self, env: &Games<C>) -> Mind<U> {
        let understanding = U::new(&Facts::new(&env.rulebook.settings));
        Mind { understanding, said: [EOS; MAX_UTTERANCE], chosen: None }
    }

    fn act(&self, env: &Games<C>, view: View<'_, Games<C>>, mind: &mut Mind<U>, _: &mut Rng) -> Act {
        let (settings, layout) = (&env.rulebook.settings, &env.rulebook.layout);
        let read = |block, part| layout.read(view.row, Role::Listener, block, part);
        let dims = settings.space.dims;
        let rounds = settings.rounds as usize;
        let mut act = Act::NOTHING;
        for block in 0..layout.blocks() {
            let Some(round) = layout.round(view.row, Role::Listener, block) else { continue };
            let stimuli = Stimuli { layout, settings, numbers: read(block, Part::Stimulus) };
            let query = read(block, Part::Phase)[1] == 1.0;
            if round > rounds {
                mind.understanding.learn(&stimuli.values(0)[..dims], &mind.said, query);
                continue;
            }
            if round == 0 {
                if let (false, Some((values, query))) = (settings.feedback, mind.chosen)
                    && read(block, Part::PreviousResult)[1] == 1.0
                {
                    mind.understanding.learn(&values[..dims], &mind.said, query);
                }
                mind.said = [EOS; MAX_UTTERANCE];
                continue;
            }
            let message = layout.tokens(read(block, Part::Message));
            let length = settings.message_length as usize;
            let at = (round - 1) % settings.windows() * length;
            mind.said[at..at + length].copy_from_slice(&message[..length]);
            if round == rounds {
                (0..settings.slots()).for_each(|i| mind.understanding.see(&stimuli.values(i)[..dims]));
                let fit = |values: &[f32]| mind.understanding.fit(values, &mind.said, query);
                let decision = decide(settings, &stimuli, fit);
                mind.chosen = (decision < settings.slots()).then(|| (stimuli.values(decision), query));
                act = Act::decide(decision as u8);
            }
        }
        act
    }
}

/// The listener's stimuli in one observation.
struct Stimuli<'a> {
    layout: &'a Layout,
    settings: &'a Settings,
    numbers: &'a [f32],
}

impl Stimuli<'_> {
    /// The values of the stimulus at `position`.
    fn values(&self, position: usize) -> Values {
        let width = self.layout.stimulus_width();
        let numbers = &self.numbers[position * width..(position + 1) * width];
        let mut values = [0.0; MAX_DIMS];
        match self.settings.space.representation {
            Representation::Scs => values[..width].copy_from_slice(numbers),
            Representation::Ohe => {
                let units = usize::from(self.settings.space.max_values);
                for (value, block) in values.iter_mut().zip(numbers.chunks_exact(units)) {
                    *value = block.iter().position(|&x| x == 1.0).unwrap_or(0) as f32;
                }
            }
        }
        values
    }
}

/// The best decision: the stimulus that fits best if it fits well enough, the first of equals.
fn decide(settings: &Settings, stimuli: &Stimuli<'_>, fit: impl Fn(&[f32]) -> f64) -> usize {
    let slots = settings.slots();
    let share = if settings.descriptive { settings.target_ratio } else { 1.0 };
    let absent = 1.0 - share;
    let (mut best, mut most) = (if settings.descriptive { slots } else { 0 }, absent);
    for position in 0..slots {
        let weight = fit(&stimuli.values(position)[..settings.space.dims]) * share / slots as f64;
        if weight > most {
            (best, most) = (position, weight);
        }
    }
    best
}

/// Fit of a stimulus whose every value is known to be meant: more than any prior for its absence.
pub(crate) const CERTAIN: f64 = 1e12;

/// Remembered values with their tokens, one list per dimension.
#[derive(Debug)]
pub(crate) struct NearestValue {
    remembered: Vec<Vec<(f32, u8)>>,
    dims: usize,
}

impl NearestValue {
    /// Remembers the first `dims` dimensions alone.
    fn of_dims(dims: usize) -> Self {
        Self { remembered: vec![Vec::new(); dims], dims }
    }
}

impl Understanding for NearestValue {
    const ABOUT: &'static str = "Reads each value as the token of the nearest value it was shown.";

    fn new(facts: &Facts) -> Self {
        Self::of_dims(facts.space.dims)
    }

    fn learn(&mut self, values: &[f32], said: &[u8], _: bool) {
        for (list, (&value, &token)) in self.remembered.iter_mut().zip(values.iter().zip(said)) {
            if !list.contains(&(value, token)) {
                list.push((value, token));
            }
        }
    }

    fn fit(&self, values: &[f32], said: &[u8], _: bool) -> f64 {
        let matches = self.remembered.iter().zip(values.iter().zip(said)).filter(|(list, (value, token))| {
            let distance = |x: f32| (x - **value).abs();
            let nearest = list.iter().min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
            nearest.is_some_and(|(_, known)| known == *token)
        });
        graded(matches.count(), self.dims)
    }
}

/// Certain if all dimensions match; else small, but larger the more do, for games in which one stimulus must be chosen.
fn graded(matching: usize, dims: usize) -> f64 {
    if matching == dims { CERTAIN } else { matching as f64 * 1e-12 }
}

/// The same memory, read by equality.
#[derive(Debug)]
pub(crate) struct SameValue(NearestValue);

impl Understanding for SameValue {
    const ABOUT: &'static str = "Knows a value only if it has seen that very number.";

    fn new(facts: &Facts) -> Self {
        Self(NearestValue::new(facts))
    }

    fn learn(&mut self, values: &[f32], said: &[u8], _: bool) {
        self.0.learn(values, said, false);
    }

    fn fit(&self, values: &[f32], said: &[u8], _: bool) -> f64 {
        let pairs = values.iter().zip(said);
        let matches =
            self.0.remembered.iter().zip(pairs).filter(|(list, (value, token))| list.contains(&(**value, **token)));
        graded(matches.count(), self.0.dims)
    }
}

/// The same memory, of the first `N` dimensions alone: a probe of partial ability.
#[derive(Debug)]
pub(crate) struct FirstDims<const N: usize>(NearestValue);

impl<const N: usize> Understanding for FirstDims<N> {
    const ABOUT: &'static str = match N {
        1 => "Understands as `nearest` does, the first dimension alone: a probe of partial ability.",
        _ => "Understands as `nearest` does, the first two dimensions alone: a probe of partial ability.",
    };

    fn new(facts: &Facts) -> Self {
        Self(NearestValue::of_dims(N.min(facts.space.dims)))
    }

    fn learn(&mut self, values: &[f32], said: &[u8], query: bool) {
        self.0.learn(values, said, query);
    }

    fn fit(&self, values: &[f32], said: &[u8], query: bool) -> f64 {
        self.0.fit(values, said, query)
    }
}

/// One number of values that a dimension may have.
#[derive(Clone, Debug)]
struct Hypothesis {
    values: u8,
    possible: bool,
    sections: Vec<Section>,
}

impl Hypothesis {
    fn used(&self) -> usize {
        self.sections.iter().filter(|s| s.token != EOS).count()
    }
}

/// What is believed of one dimension.
#[derive(Clone, Debug)]
struct Belief {
    remembered: Vec<(f32, u8)>,
    observations: u32,
    hypotheses: Vec<Hypothesis>,
}

/// For each dimension, a posterior over its structure and over what its tokens mean.
#[derive(Debug)]
pub(crate) struct Posterior {
    facts: Facts,
    beliefs: Vec<Belief>,
}

impl Understanding for Posterior {
    const ABOUT: &'static str = "Weighs every structure that what it was shown allows.";

    fn new(facts: &Facts) -> Self {
        let hypothesis = |values: u8| Hypothesis {
            values,
            possible: true,
            sections: (0..values).map(|i| Section::new(i, values)).collect(),
        };
        let hypotheses = (facts.space.min_values..=facts.space.max_values).map(hypothesis).collect();
        let belief = Belief { remembered: Vec::new(), observations: 0, hypotheses };
        Self { facts: *facts, beliefs: vec![belief; facts.space.dims] }
    }

    fn learn(&mut self, values: &[f32], said: &[u8], _: bool) {
        let one_hot = self.facts.one_hot();
        for (belief, (&x, &token)) in self.beliefs.iter_mut().zip(values.iter().zip(said)) {
            belief.observations += 1;
            if belief.remembered.contains(&(x, token)) {
                continue;
            }
            belief.remembered.push((x, token));
            for hypothesis in &mut belief.hypotheses {
                let Some(at) = place(x, hypothesis.values, one_hot) else {
                    hypothesis.possible = false;
                    continue;
                };
                // Two tokens never share a section, and no token has two.
                let elsewhere = hypothesis.sections.iter().position(|s| s.token == token).is_some_and(|s| s != at);
                let section = &mut hypothesis.sections[at];
                hypothesis.possible &= !elsewhere && (section.token == EOS || section.token == token);
                section.token = token;
                section.add(f64::from(x));
            }
        }
    }

    fn fit(&self, values: &[f32], said: &[u8], _: bool) -> f64 {
        self.beliefs.iter().zip(values.iter().zip(said)).map(|(b, (&x, &token))| self.ratio(b, x, token)).product()
    }
}

impl Posterior {
    /// How much likelier `x` is if `token` names it than if anything may.
    fn ratio(&self, belief: &Belief, x: f32, token: u8) -> f64 {
        let weights: Vec<f64> = belief.hypotheses.iter().map(|h| self.log_weight(belief, h)).collect();
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            // Nothing explains what was seen (samples outside their sections): this dimension says nothing.
            return 1.0;
        }
        let (mut named, mut any, mut prior) = (0.0, 0.0, 0.0);
        for (hypothesis, weight) in belief.hypotheses.iter().zip(weights) {
            let weight = libm::exp(weight - most);
            let count = f64::from(hypothesis.values);
            let free = count - hypothesis.used() as f64;
            let meant = hypothesis.sections.iter().position(|s| s.token == token);
            // How likely the token is under this hypothesis: one section of all, or any that has no token yet.
            let share = weight * if meant.is_some() { 1.0 } else { free } / count;
            prior += share;
            let Some(at) = place(x, hypothesis.values, self.facts.one_hot()) else { continue };
            let section = &hypothesis.sections[at];
            let density = self.density(belief, section, x);
            any += weight * density / count;
            named += match meant {
                Some(meant) if meant == at => share * density,
                None if section.token == EOS => share * density / free,
                _ => 0.0,
            };
        }
        let total: f64 =
            belief.hypotheses.iter().map(|h| self.log_weight(belief, h)).map(|w| libm::exp(w - most)).sum();
        if any <= 0.0 || prior <= 0.0 { 1.0 } else { named / prior / (any / total) }
    }

    fn log_weight(&self, belief: &Belief, hypothesis: &Hypothesis) -> f64 {
        if !hypothesis.possible {
            return f64::NEG_INFINITY;
        }
        let kernels: f64 =
            if self.facts.one_hot() { 0.0 } else { hypothesis.sections.iter().map(Section::evidence).sum() };
        kernels - f64::from(belief.observations) * libm::log(f64::from(hypothesis.values))
    }

    /// Density of `x` in `section`: of a number already seen, its share among the frozen samples.
    fn density(&self, belief: &Belief, section: &Section, x: f32) -> f64 {
        if self.facts.one_hot() || belief.remembered.iter().any(|&(seen, _)| seen == x) {
            return 1.0;
        }
        let unseen = self.facts.space.samples.saturating_sub(section.seen);
        // A section all of whose samples were seen has no new number to show.
        f64::from(unseen) / f64::from(self.facts.space.samples) * section.density(f64::from(x))
    }
}
