//! Dynamic tests: problems made after training, from what the agent has experienced.
//!
//! Knowledge bases are read off the counters of an [`Experience`]; candidate relations follow from them, class by class;
//! a maze is then built around each relation, with a cell at which one must stop and see it.

use std::collections::BTreeSet;

use heldout_core::{Crc, Seed, Stop};
use serde::{Deserialize, Serialize};

use crate::build::{Wanted, build};
use crate::concepts::{PAIRS, RELATIONS, Relation};
use crate::experience::Experience;
use crate::maze::Direction;
use crate::observation::Entries;
use crate::problems::{Problem, TestSet};

/// The dynamic tests, in the order of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Class {
    /// Known relation in new company.
    #[serde(rename = "ST-1")]
    St1,
    /// Relation known in another colour.
    #[serde(rename = "ST-2")]
    St2,
    /// New relation that moves have caused.
    #[serde(rename = "AfT-1")]
    Aft1,
    /// New relation of digits that moves have consumed.
    #[serde(rename = "AfT-2")]
    Aft2,
    /// New relation that moves have caused in another colour.
    #[serde(rename = "AfT-3")]
    Aft3,
    /// New relation of digits that moves have consumed in another colour.
    #[serde(rename = "AfT-4")]
    Aft4,
    /// New relation that follows from two known ones.
    #[serde(rename = "AnT")]
    Ant,
}

impl Class {
    pub(crate) const ALL: [Self; 7] = [Self::St1, Self::St2, Self::Aft1, Self::Aft2, Self::Aft3, Self::Aft4, Self::Ant];

    /// The name in the paper.
    pub(crate) const fn name(self) -> &'static str {
        ["ST-1", "ST-2", "AfT-1", "AfT-2", "AfT-3", "AfT-4", "AnT"][self as usize]
    }
}

/// How tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TestConfig {
    /// Sightings from which on a relation is known.
    pub(crate) th_s: u32,
    /// Occurrences from which on a caused relation is known.
    pub(crate) th_c: u32,
    /// Consumptions from which on a digit's affordance is known.
    pub(crate) th_a: u32,
    /// Whether a relation is new only if it was never seen, rather than less often than known ones.
    pub(crate) strict_novelty: bool,
    /// How often the company of a relation in ST-1 may have been met: 0 is "never".
    pub(crate) st1_max_count: u32,
    /// Mazes of each test.
    pub(crate) n_test_mazes: u32,
    /// Relations that one maze asks for, if they fit.
    pub(crate) targets: u32,
}

impl Default for TestConfig {
    fn default() -> Self {
        Self { th_s: 20, th_c: 20, th_a: 5, strict_novelty: true, st1_max_count: 0, n_test_mazes: 150, targets: 1 }
    }
}

/// A knowledge base: the relations it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known([bool; RELATIONS]);

impl Known {
    fn of(holds: impl Fn(Relation) -> bool) -> Self {
        let mut known = [false; RELATIONS];
        Relation::all().for_each(|r| known[r.index()] = holds(r));
        Self(known)
    }

    /// Whether it holds a relation.
    pub(crate) fn holds(&self, relation: Relation) -> bool {
        self.0[relation.index()]
    }

    /// Whether it holds the pair of digits in any type.
    pub(crate) fn holds_pair(&self, pair: usize) -> bool {
        self.0[4 * pair..4 * pair + 4].contains(&true)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().filter(|&&b| b).count()
    }
}

/// What an experience has taught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Knowledge {
    pub(crate) seen: Known,
    pub(crate) caused: Known,
    /// Relations between digits whose affordances are known.
    pub(crate) afforded: Known,
    /// Relations that are not new, which [`Knowledge::seen`] is part of.
    met: Known,
}

impl Knowledge {
    /// What `experience` has taught, by the thresholds of `config`.
    pub(crate) fn of(experience: &Experience, config: &TestConfig) -> Self {
        let used = |digit: u8, d: Direction| experience.afforded(digit, d) >= config.th_a;
        let least = if config.strict_novelty { 1 } else { config.th_s };
        Self {
            seen: Known::of(|r| experience.seen(r) >= config.th_s),
            caused: Known::of(|r| experience.caused(r) >= config.th_c),
            afforded: Known::of(|r| used(r.hi, r.direction) && used(r.lo, r.direction)),
            met: Known::of(|r| experience.seen(r) >= least),
        }
    }

    /// Whether a knowledge base holds the pair; what was met too seldom to be known is only not asked for.
    fn knows_pair(&self, pair: usize) -> bool {
        [&self.seen, &self.caused, &self.afforded].iter().any(|k| k.holds_pair(pair))
    }

    /// The relations that each test may ask for, in lexicographic order; the four of affordance may share some.
    fn eligible(&self, relation: Relation) -> Vec<Class> {
        let pair = relation.pair();
        let mut classes = Vec::new();
        if self.seen.holds(relation) {
            classes.push(Class::St1);
        } else if !self.met.holds(relation) && self.seen.holds_pair(pair) {
            classes.push(Class::St2);
        }
        if self.met.holds_pair(pair) || self.seen.holds_pair(pair) {
            return classes;
        }
        let conditions = [
            (Class::Aft1, self.caused.holds(relation)),
            (Class::Aft2, self.afforded.holds(relation)),
            (Class::Aft3, !self.caused.holds(relation) && self.caused.holds_pair(pair)),
            (Class::Aft4, !self.afforded.holds(relation) && self.afforded.holds_pair(pair)),
            (Class::Ant, self.is_analogy(relation)),
        ];
        classes.extend(conditions.into_iter().filter(|(_, holds)| *holds).map(|(class, _)| class));
        classes
    }

    /// Whether an unknown pair follows from two known ones, by a pattern that a known triple shows.
    fn is_analogy(&self, relation: Relation) -> bool {
        let known = |hi: u8, lo: u8| {
            let pair = Relation { hi, lo, direction: Direction::Left }.pair();
            pair < PAIRS && self.knows_pair(pair)
        };
        let between = |hi: u8, lo: u8| (lo + 1..hi).any(|mid| known(hi, mid) && known(mid, lo));
        let triple = || (3..=9).any(|a| (1..a - 1).any(|c| known(a, c) && between(a, c)));
        !known(relation.hi, relation.lo) && between(relation.hi, relation.lo) && triple()
    }
}

/// The relations of each test, disjoint and in lexicographic order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidates([Vec<Relation>; 7]);

impl Candidates {
    /// Deals the relations out: those that several tests may ask for go to the test that has fewest.
    pub(crate) fn of(knowledge: &Knowledge) -> Self {
        let mut dealt = Self::default();
        let mut shared: Vec<(Relation, Vec<Class>)> = Vec::new();
        for relation in Relation::all() {
            match knowledge.eligible(relation).as_slice() {
                [] => {}
                [class] if !AFT.contains(class) => dealt.0[*class as usize].push(relation),
                classes => shared.push((relation, classes.to_vec())),
            }
        }
        loop {
            let left = |class: Class| shared.iter().filter(|(_, classes)| classes.contains(&class)).count();
            let wanting = AFT.into_iter().filter(|&c| left(c) > 0);
            let Some(class) = wanting.min_by_key(|&c| (dealt.0[c as usize].len(), left(c), c)) else { break };
            let Some(at) = shared.iter().position(|(_, classes)| classes.contains(&class)) else { break };
            dealt.0[class as usize].push(shared.remove(at).0);
        }
        dealt
    }

    /// The relations that a test asks for; none: the test is skipped and reported as "-".
    pub(crate) fn of_class(&self, class: Class) -> &[Relation] {
        &self.0[class as usize]
    }
}

const AFT: [Class; 4] = [Class::Aft1, Class::Aft2, Class::Aft3, Class::Aft4];

/// What may be seen beside the target of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// What the agent knows.
    pub(crate) knowledge: &'a Knowledge,
    /// What the test asks for anyway.
    pub(crate) class: &'a [Relation],
}

impl Surroundings<'_> {
    /// Whether a relation is neither known nor asked for by the same test.
    pub(crate) fn is_foreign(&self, relation: Relation) -> bool {
        !self.knowledge.seen.holds(relation) && !self.class.contains(&relation)
    }
}

/// The tests that `experience` leads to; `None` where there is nothing to ask for.
///
/// Each test has `n_test_mazes` mazes of different paths, one relation after the other. Which they are depends on `seed`, the experience and
/// `config` alone.
pub(crate) fn dynamic_tests(experience: &Experience, config: &TestConfig, seed: Seed) -> [(Class, Option<TestSet>); 7] {
    dynamic_tests_until(experience, config, seed, &|| false)
}

/// The same; once `stop` says so, no more mazes are made, and what there is means nothing.
pub(crate) fn dynamic_tests_until(
    experience: &Experience,
    config: &TestConfig,
    seed: Seed,
    stop: Stop<'_>,
) -> [(Class, Option<TestSet>); 7] {
    let knowledge = Knowledge::of(experience, config);
    let candidates = Candidates::of(&knowledge);
    let company = experience.company();
    let is_new =
        |entries: &Entries| company.get(&entries.signature()).is_none_or(|&n| n <= config.st1_max_count.into());
    let origin = format!(
        "seed {}, experience {:08x} (CRC-32) by kb_c_rule {} and kb_a_rule {}, th_s {}, th_c {}, th_a {}, strict_novelty {}, \
         st1_max_count {}, n_test_mazes {}, targets {}",
        seed.0,
        Crc::of(&experience.to_bytes()),
        experience.rules.caused.name(),
        experience.rules.afforded.name(),
        config.th_s,
        config.th_c,
        config.th_a,
        config.strict_novelty,
        config.st1_max_count,
        config.n_test_mazes,
        config.targets
    );
    Class::ALL.map(|class| {
        let relations = candidates.of_class(class);
        let surroundings = Surroundings { knowledge: &knowledge, class: relations };
        let seed = seed.stream("halma/tests").stream(class.name());
        let fit = |entries: &Entries| class != Class::St1 || is_new(entries);
        let path = |problem: &Problem| (problem.maze.start(), problem.maze.shape().to_vec());
        let mut paths = BTreeSet::new();
        let mut problems: Vec<Problem> = Vec::new();
        for i in 0..config.n_test_mazes {
            if relations.is_empty() || stop() {
                break;
            }
            let relation = relations[i as usize % relations.len()];
            let mut rng = seed.derive(i.into()).rng();
            let targets = config.targets as usize;
            let wanted = Wanted { relation, targets, surroundings: &surroundings, fit: &fit };
            let built = build(wanted, |problem| paths.contains(&path(problem)), &mut rng);
            paths.extend(built.as_ref().map(path));
            problems.extend(built);
        }
        (class, (!problems.is_empty()).then(|| TestSet::new(class.name(), origin.clone(), problems)))
    })
}
