//! Listeners that understand no part of what is said: how far stimuli and whole messages lead.
//!
//! The query phase asks for held-out meanings, and under `query_balance = "original"` the stand-in of an absent target
//! is any meaning. So a stimulus that is not held out was not meant, and one that is held out rather was. Under
//! `"balanced"` targets recur, and their feedback has told what the message means: a message that was heard before is
//! understood as a whole, and a new one means none of the meanings that were shown. A score says something about the
//! parts of messages only above these.

use heldout_core::ConfigError;

use crate::codec::EOS;
use crate::config::Settings;
use crate::reference::{CERTAIN, Facts, Listens, Understanding};
use crate::scale::{Scale, Section, place};
use crate::space::{MAX_DIMS, Meaning};
use crate::speaker::{MAX_UTTERANCE, Utterance};
use crate::split::held_out_meanings;

pub(crate) type Reflex = Listens<Glance>;
pub(crate) type Blind = Listens<Elimination>;
pub(crate) type Rote = Listens<ByHeart>;

/// Weighs how likely a stimulus is held out, over all structures, and remembers nothing.
#[derive(Debug)]
pub(crate) struct Glance {
    facts: Facts,
    /// The sections of each number of values that a dimension may have.
    sections: Vec<Vec<Section>>,
}

impl Understanding for Glance {
    const ABOUT: &'static str =
        "Looks at the stimulus alone, without message or memory: takes it for the target if its values look held out.";

    fn check(_: &Settings) -> Result<(), ConfigError> {
        Ok(())
    }

    fn new(facts: &Facts) -> Self {
        let sections = |values| (0..values).map(|i| Section::new(i, values)).collect();
        Self { facts: *facts, sections: (facts.space.min_values..=facts.space.max_values).map(sections).collect() }
    }

    fn learn(&mut self, _: &[f32], _: &[u8], _: bool) {}

    fn fit(&self, values: &[f32], _: &[u8], _: bool) -> f64 {
        if !self.facts.odd_values_test {
            // Test values are drawn anew: a number says nothing about them.
            return 1.0;
        }
        let (dims, choices) = (self.facts.space.dims, self.sections.len());
        // The density of each number and whether it is a test value, for each number of values.
        let mut looks = [[(0.0, false); crate::space::MAX_VALUES]; MAX_DIMS];
        for (looks, &x) in looks.iter_mut().zip(values) {
            for (look, sections) in looks.iter_mut().zip(&self.sections) {
                if let Some(at) = place(x, sections.len() as u8, self.facts.one_hot()) {
                    let density = if self.facts.one_hot() { 1.0 } else { sections[at].density(f64::from(x)) };
                    *look = (density, at % 2 == 1);
                }
            }
        }
        let (mut target, mut other) = (0.0, 0.0);
        for number in 0..choices.pow(dims as u32) {
            let (mut rest, mut density, mut tests) = (number, 1.0, 0);
            let mut structure = [0; MAX_DIMS];
            for (values, looks) in structure[..dims].iter_mut().zip(&looks) {
                let (own, test) = looks[rest % choices];
                *values = self.facts.space.min_values + (rest % choices) as u8;
                (density, tests) = (density * own, tests + u32::from(test));
                rest /= choices;
            }
            let meanings: f64 = structure[..dims].iter().map(|&d| f64::from(d)).product();
            let held_out = held_out_meanings(&structure[..dims]) as f64;
            // A structure has as many query games as held-out meanings, so each of these is a target once.
            if tests >= 2 {
                target += density;
                other += density * (held_out - 1.0) / (meanings - 1.0);
            } else {
                other += density * held_out / (meanings - 1.0);
            }
        }
        if other > 0.0 { target / other } else { 1.0 }
    }
}

/// Remembers which meanings were shown, and takes a stimulus that is held out and was not yet asked for as the target.
#[derive(Debug)]
pub(crate) struct Elimination {
    facts: Facts,
    scales: Vec<Scale>,
    /// The targets of the support phase, and those of the query phase so far.
    taught: Vec<[f32; MAX_DIMS]>,
    asked: Vec<[f32; MAX_DIMS]>,
}

impl Elimination {
    /// How stimuli are read, by the numbers seen so far. If `complete`, these show every value.
    fn reader(&self, complete: bool) -> impl Fn(&[f32]) -> Meaning {
        let mut structure = [0; MAX_DIMS];
        for (values, scale) in structure.iter_mut().zip(&self.scales) {
            *values = scale.values(complete);
        }
        let (dims, one_hot) = (self.facts.space.dims, self.facts.one_hot());
        move |values| {
            let pairs = values.iter().zip(&structure[..dims]);
            let value = |(&x, &d): (&f32, &u8)| place(x, d, one_hot).unwrap_or(0) as u8;
            pairs.enumerate().fold(Meaning::default(), |m, (dim, pair)| m.with(dim, value(pair)))
        }
    }

    /// Whether `meaning` may be held out, as far as what was taught tells.
    fn held_out(&self, meaning: Meaning, read: impl Fn(&[f32]) -> Meaning) -> bool {
        let dims = self.facts.space.dims;
        if self.facts.odd_values_test {
            return (0..dims).filter(|&i| meaning.value(i) % 2 == 1).count() >= 2;
        }
        // Two test values never meet in the support phase.
        let taught: Vec<Meaning> = self.taught.iter().map(|values| read(values)).collect();
        let met = |i, j| taught.iter().any(|m| m.value(i) == meaning.value(i) && m.value(j) == meaning.value(j));
        (0..dims).any(|i| (0..i).any(|j| !met(i, j)))
    }
}

impl Understanding for Elimination {
    const ABOUT: &'static str = "Ignores messages but remembers stimuli: in the query phase, takes what is held out and \
                                 was not yet asked for as the target.";

    fn check(_: &Settings) -> Result<(), ConfigError> {
        Ok(())
    }

    fn new(facts: &Facts) -> Self {
        let scales = vec![Scale::new(&facts.space); facts.space.dims];
        Self { facts: *facts, scales, taught: Vec::new(), asked: Vec::new() }
    }

    fn see(&mut self, values: &[f32]) {
        self.scales.iter_mut().zip(values).for_each(|(scale, &x)| scale.see(x));
    }

    fn learn(&mut self, values: &[f32], _: &[u8], query: bool) {
        self.see(values);
        let mut all = [0.0; MAX_DIMS];
        all[..values.len()].copy_from_slice(values);
        if query { &mut self.asked } else { &mut self.taught }.push(all);
    }

    fn fit(&self, values: &[f32], _: &[u8], query: bool) -> f64 {
        if !query {
            return 1.0;
        }
        // The support phase has shown every value.
        let read = self.reader(true);
        let meaning = read(values);
        match (self.held_out(meaning, &read), self.asked.iter().any(|values| read(values) == meaning)) {
            (false, _) => 0.0,
            (true, true) => 1e-12,
            (true, false) => CERTAIN,
        }
    }
}

/// Fit of a meaning that was never shown, where a message is new: of the stand-ins, some were shown.
const NEW: f64 = 2.0;

/// Learns whole messages by heart, those of the query phase too, and no part of them. A new message means none of the
/// meanings that it knows; of the others it takes those that [`Elimination`] does.
#[derive(Debug)]
pub(crate) struct ByHeart {
    rest: Elimination,
    /// Messages with the values of what they named.
    known: Vec<(Utterance, [f32; MAX_DIMS])>,
}

impl Understanding for ByHeart {
    const ABOUT: &'static str = "Learns whole messages by heart, in the query phase too, and no part of them: knows again \
                                 what it heard, and takes a new message for a meaning that was never shown, as `blind` \
                                 does.";

    fn check(_: &Settings) -> Result<(), ConfigError> {
        Ok(())
    }

    fn new(facts: &Facts) -> Self {
        Self { rest: Elimination::new(facts), known: Vec::new() }
    }

    fn see(&mut self, values: &[f32]) {
        self.rest.see(values);
    }

    fn learn(&mut self, values: &[f32], said: &[u8], query: bool) {
        self.rest.learn(values, said, query);
        let (mut message, mut all) = ([EOS; MAX_UTTERANCE], [0.0; MAX_DIMS]);
        message[..said.len()].copy_from_slice(said);
        all[..values.len()].copy_from_slice(values);
        if !self.known.contains(&(message, all)) {
            self.known.push((message, all));
        }
    }

    fn fit(&self, values: &[f32], said: &[u8], query: bool) -> f64 {
        let read = self.rest.reader(query);
        let meaning = read(values);
        let (mut heard, mut shown) = (false, false);
        for (message, values) in &self.known {
            match (message == said, read(values) == meaning) {
                (true, true) => return CERTAIN,
                (same, known) => (heard, shown) = (heard || same, shown || known),
            }
        }
        match (heard || shown, query) {
            (true, _) => 0.0,
            (false, true) => self.rest.fit(values, said, query),
            (false, false) => NEW,
        }
    }
}
