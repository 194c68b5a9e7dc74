//! What a paper claims, as data: a claim is one sentence, and below it stand the comparisons that it makes.
//!
//! A sentence about many agents, tests or rivals stays short: where a key of a comparison is a list, there is one
//! comparison for each of its values. Keys of the comparison itself hold for both of its sides.
//!
//! ```toml
//! [[claim]]
//! text = "The LSTM does best in every test"
//! source = "Section 4, Table 1"
//! [[claim.comparison]]
//! test = "above"
//! task = "maze"
//! condition = ["near", "far"]
//! left.agent = "LSTM"
//! right.agent = ["MLP", "TRAN"]
//! ```

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::protocol::{Kind, Protocol, Task, built_in, listed, names};

/// What stands for all tasks, or for all conditions of a task.
pub(crate) const ALL: &str = "*";

/// How many of its comparisons a claim needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// Every one.
    #[default]
    All,
    /// Every one that the records can test, and at least one: a sentence about whatever was played.
    Tested,
    /// More than half of them: "generally", "most agents", "in almost all tests".
    Most,
    /// One of them.
    Any,
}

/// How a comparison is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Left above right.
    Above,
    /// Left not above right by more than `margin`: the same, or less.
    NotAbove,
    /// Left within `margin` of right.
    Near,
    /// The score falls over conditions or tasks.
    Falls,
    /// The score rises over conditions or tasks.
    Rises,
    /// The score does not rise by more than `margin` from one condition or task to the next: it stays, or falls.
    NotRises,
    /// The score is at the floor of its scale, or above it by `margin` at the most.
    Fails,
}

impl Test {
    fn sides(self) -> bool {
        matches!(self, Self::Above | Self::NotAbove | Self::Near)
    }

    fn over(self) -> bool {
        matches!(self, Self::Falls | Self::Rises | Self::NotRises)
    }

    fn margin(self) -> bool {
        matches!(self, Self::NotAbove | Self::Near | Self::NotRises | Self::Fails)
    }
}

/// A sentence of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The sentence in words.
    pub text: String,
    /// Where the paper says so.
    pub source: String,
    /// How many of its comparisons it needs.
    #[serde(default)]
    pub needs: Needs,
    /// What it compares.
    #[serde(rename = "comparison")]
    pub comparisons: Vec<Comparison>,
}

/// What a claim compares; a key with several values stands for a comparison of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// How it is tested.
    pub test: Test,
    /// Whose score, on both sides.
    #[serde(default, deserialize_with = "some")]
    pub agent: Vec<String>,
    /// On which task, on both sides; `*` for the mean of all.
    #[serde(default, deserialize_with = "some")]
    pub task: Vec<String>,
    /// On the tasks with this tag, on both sides: their mean.
    #[serde(default, deserialize_with = "some")]
    pub tag: Vec<String>,
    /// Under which condition, on both sides; `*`, or the name of conditions that are given together, for their mean.
    #[serde(default, deserialize_with = "some")]
    pub condition: Vec<String>,
    /// Another metric than the one that the task scores, on both sides.
    #[serde(default, deserialize_with = "some")]
    pub metric: Vec<String>,
    /// What the left side has of its own.
    #[serde(default)]
    pub left: Side,
    /// What the right side has of its own.
    #[serde(default)]
    pub right: Side,
    /// The conditions that the score falls or rises over; with a `condition`, the tasks.
    #[serde(default)]
    pub over: Vec<String>,
    /// How near, or how far above at the most.
    #[serde(default)]
    pub margin: Option<f64>,
    /// Whether one task is compared, like several, in parts of its scale and not in the metric's own unit.
    #[serde(default)]
    pub normalised: bool,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Whose score.
    #[serde(default, deserialize_with = "some")]
    pub agent: Vec<String>,
    /// On which task.
    #[serde(default, deserialize_with = "some")]
    pub task: Vec<String>,
    /// On the tasks with this tag.
    #[serde(default, deserialize_with = "some")]
    pub tag: Vec<String>,
    /// Under which condition.
    #[serde(default, deserialize_with = "some")]
    pub condition: Vec<String>,
    /// Which metric.
    #[serde(default, deserialize_with = "some")]
    pub metric: Vec<String>,
}

/// One string, or a list of them.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Some;
    impl<'de> Visitor<'de> for Some {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string or a list of strings")
        }

        fn visit_str<E: Error>(self, one: &str) -> Result<Self::Value, E> {
            Ok(vec![one.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, several: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(several))
        }
    }
    deserializer.deserialize_any(Some)
}

/// A list of claims and of names of built-in protocols whose claims are asked of this one too, or one such name.
pub(crate) fn claims<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Claim>, D::Error> {
    #[derive(Deserialize)]
    struct Other {
        #[serde(rename = "claim", default)]
        claims: Vec<Claim>,
    }
    /// What one item of the list stands for.
    struct Item(Vec<Claim>);
    impl<'de> Deserialize<'de> for Item {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Claims).map(Self)
        }
    }
    struct Claims;
    impl<'de> Visitor<'de> for Claims {
        type Value = Vec<Claim>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("claims, or names of protocols that have them")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
            let Some((_, text)) = built_in().find(|(known, _)| *known == name) else {
                let known = listed(&names().collect::<Vec<_>>());
                return Err(E::custom(format!("is `{name}`, must be a list of claims or one of {known}")));
            };
            toml::from_str::<Other>(text).map(|other| other.claims).map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, claim: A) -> Result<Self::Value, A::Error> {
            Claim::deserialize(MapAccessDeserializer::new(claim)).map(|claim| vec![claim])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(Item(some)) = list.next_element()? {
                all.extend(some);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_any(Claims)
}

/// The score that one side of a test asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    pub(crate) agent: String,
    pub(crate) task: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) condition: String,
    pub(crate) metric: Option<String>,
}

impl Asked {
    /// The name of the one task it asks about, if it is one.
    pub(crate) fn single(&self) -> Option<&str> {
        self.task.as_deref().filter(|task| *task != ALL)
    }

    /// What it asks for in words, part by part.
    fn words(&self) -> [Option<String>; 4] {
        let all = |name: &str, all: &str| if name == ALL { all.to_owned() } else { name.to_owned() };
        let tasks = match (&self.task, &self.tag) {
            (Some(task), _) => Some(all(task, "all tasks")),
            (None, tag) => tag.as_ref().map(|tag| format!("{tag} tasks")),
        };
        [Some(self.agent.clone()), tasks, Some(all(&self.condition, "all conditions")), self.metric.clone()]
    }
}

/// One comparison without lists: what is put to the records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hypothesis {
    pub(crate) test: Test,
    /// Left and right; what the score falls or rises over, in order; or the one that fails.
    pub(crate) sides: Vec<Asked>,
    pub(crate) margin: f64,
    pub(crate) normalised: bool,
}

impl Hypothesis {
    /// It in words: what all sides share first, then what tells them apart.
    pub(crate) fn words(&self) -> String {
        let sides: Vec<_> = self.sides.iter().map(Asked::words).collect();
        let shared = |i: &usize| sides.iter().all(|side| side[*i] == sides[0][*i]);
        let told = |side: &[Option<String>; 4], keep: &dyn Fn(&usize) -> bool| {
            (0..4).filter(keep).filter_map(|i| side[i].clone()).collect::<Vec<_>>().join(", ")
        };
        let own = |side: &[Option<String>; 4]| {
            let own = told(side, &|i| !shared(i));
            // Sides that differ in a metric alone: the other is the scored one.
            if own.is_empty() { "its score".to_owned() } else { own }
        };
        let margin = self.margin;
        let what = match self.test {
            Test::Above => format!("{} above {}", own(&sides[0]), own(&sides[1])),
            Test::NotAbove => format!("{} not above {} by more than {margin}", own(&sides[0]), own(&sides[1])),
            Test::Near => format!("{} within {margin} of {}", own(&sides[0]), own(&sides[1])),
            Test::Fails => format!("at most {margin} above the floor"),
            Test::Falls | Test::Rises | Test::NotRises => {
                let over = sides.iter().map(own).collect::<Vec<_>>().join(", ");
                match self.test {
                    Test::Falls => format!("falls over {over}"),
                    Test::Rises => format!("rises over {over}"),
                    _ => format!("rises by no more than {margin} a step over {over}"),
                }
            }
        };
        format!("{}: {what}", told(&sides[0], &|i| shared(i)))
    }
}

/// Every choice of one value from each list; `None` from an empty one.
fn choices(lists: [&[String]; 5]) -> Vec<[Option<String>; 5]> {
    let mut all: Vec<[Option<String>; 5]> = vec![Default::default()];
    for (i, list) in lists.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
        let with = |chosen: [Option<String>; 5]| {
            list.iter().map(move |value| {
                let mut next = chosen.clone();
                next[i] = Some(value.clone());
                next
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

impl Side {
    fn lists(&self) -> [&[String]; 5] {
        [&self.agent, &self.task, &self.tag, &self.condition, &self.metric]
    }
}

impl Comparison {
    /// The comparisons that its lists stand for.
    pub(crate) fn hypotheses(&self) -> Vec<Hypothesis> {
        let Self { test, agent, task, tag, condition, metric, left, right, over, margin, normalised } = self;
        let asked = |shared: &[Option<String>; 5], own: &[Option<String>; 5]| {
            let [agent, task, tag, condition, metric] =
                std::array::from_fn(|i| own[i].clone().or_else(|| shared[i].clone()));
            Asked { agent: agent.unwrap_or_default(), task, tag, condition: condition.unwrap_or_default(), metric }
        };
        let none: [Option<String>; 5] = Default::default();
        let mut all = Vec::new();
        let mut push = |sides| {
            let margin = margin.unwrap_or(0.0);
            all.push(Hypothesis { test: *test, sides, margin, normalised: *normalised || *test == Test::Fails });
        };
        for shared in &choices([agent, task, tag, condition, metric]) {
            if test.over() {
                let along = |place: &String| {
                    let mut side = asked(shared, &none);
                    if side.condition.is_empty() {
                        side.condition.clone_from(place);
                    } else {
                        side.task = Some(place.clone());
                    }
                    side
                };
                push(over.iter().map(along).collect());
            } else if test.sides() {
                for left in choices(left.lists()) {
                    for right in choices(right.lists()) {
                        push(vec![asked(shared, &left), asked(shared, &right)]);
                    }
                }
            } else {
                push(vec![asked(shared, &none)]);
            }
        }
        all
    }
}

/// What is not as it must be: key, value and what is allowed.
pub(crate) type Wrong = (String, String, String);

fn wrong(key: String, value: impl fmt::Display, allowed: impl Into<String>) -> Wrong {
    (key, value.to_string(), allowed.into())
}

impl Claim {
    /// The comparisons, without lists.
    pub(crate) fn hypotheses(&self) -> Vec<Hypothesis> {
        self.comparisons.iter().flat_map(Comparison::hypotheses).collect()
    }

    /// Checks that the protocol has what the claim speaks of.
    pub(crate) fn check(&self, at: &str, protocol: &Protocol) -> Result<(), Wrong> {
        if self.comparisons.is_empty() {
            return Err(wrong(format!("{at}.comparison"), "[]", "must list at least one comparison"));
        }
        let mut all = self.comparisons.iter().enumerate();
        all.try_for_each(|(i, comparison)| comparison.check(&format!("{at}.comparison[{i}]"), protocol))
    }
}

impl Comparison {
    fn check(&self, at: &str, protocol: &Protocol) -> Result<(), Wrong> {
        let key = |k: &str| format!("{at}.{k}");
        let test = self.test;
        let sides = [("left", &self.left), ("right", &self.right)];
        for (name, side) in sides {
            let there = side.lists().iter().any(|list| !list.is_empty());
            if there != test.sides() {
                let (value, must) = if there { ("there", "absent") } else { ("absent", "there") };
                return Err(wrong(key(name), value, format!("must be {must} with this `test`")));
            }
            let both = [&self.agent, &self.task, &self.tag, &self.condition, &self.metric];
            let names = ["agent", "task", "tag", "condition", "metric"];
            for ((k, own), shared) in names.iter().zip(side.lists()).zip(both) {
                if !own.is_empty() && !shared.is_empty() {
                    return Err(wrong(
                        key(k),
                        format!("{shared:?}"),
                        format!("must be absent where `{name}` has its own"),
                    ));
                }
            }
        }
        let fits = if test.over() { self.over.len() >= 2 } else { self.over.is_empty() };
        if !fits {
            let allowed = if test.over() {
                "must list at least two conditions or tasks"
            } else {
                "must be absent with this `test`"
            };
            return Err(wrong(key("over"), format!("{:?}", self.over), allowed));
        }
        if test.over() && !self.condition.is_empty() && !self.task.is_empty() {
            return Err(wrong(key("task"), format!("{:?}", self.task), "must be absent where `over` lists tasks"));
        }
        if test == Test::Fails && !self.metric.is_empty() {
            let allowed = "must be absent: floors are known of the scored metric alone";
            return Err(wrong(key("metric"), format!("{:?}", self.metric), allowed));
        }
        let fits = match self.margin {
            Some(margin) => test.margin() && margin.is_finite() && margin > 0.0,
            None => !test.margin(),
        };
        if !fits {
            let allowed = "must be above 0 with `near`, `not-above`, `not-rises` and `fails`, absent otherwise";
            return Err(wrong(key("margin"), format!("{:?}", self.margin), allowed));
        }
        for hypothesis in self.hypotheses() {
            for (i, side) in hypothesis.sides.iter().enumerate() {
                let at = if test.sides() { key(sides[i].0) } else { at.to_owned() };
                place(&at, side, protocol)?;
            }
        }
        Ok(())
    }
}

/// The tasks that `asked` speaks of.
pub(crate) fn tasks<'a>(protocol: &'a Protocol, asked: &'a Asked) -> impl Iterator<Item = (usize, &'a Task)> {
    let fits = move |task: &Task| match (asked.single(), &asked.tag) {
        (Some(name), _) => task.name == name,
        (None, Some(tag)) => task.tags.iter().any(|own| own == tag),
        (None, None) => true,
    };
    protocol.tasks.iter().enumerate().filter(move |(_, task)| fits(task))
}

/// The conditions of `task` that go by `name`: one, all, or those that the task's kind gives together.
pub(crate) fn conditions(task: &Task, name: &str) -> Vec<usize> {
    let kind = match &task.kind {
        Kind::Own { name, .. } => Kind::known(name),
        _ => None,
    };
    let fits = |own: &str| own == name || name == ALL || kind.is_some_and(|kind| kind.merged(own) == Some(name));
    (0..task.conditions.len()).filter(|&c| fits(&task.conditions[c].name)).collect()
}

/// Checks that a side has an agent, and that its task or tag has its condition.
fn place(at: &str, asked: &Asked, protocol: &Protocol) -> Result<(), Wrong> {
    if asked.agent.is_empty() {
        return Err(wrong(format!("{at}.agent"), "absent", "must be there on every side"));
    }
    if asked.task.is_some() == asked.tag.is_some() {
        let value = format!("{:?}, {:?}", asked.task, asked.tag);
        return Err(wrong(format!("{at}.task, tag"), value, "must be one of the two"));
    }
    let found: Vec<&Task> = tasks(protocol, asked).map(|(_, task)| task).collect();
    if found.is_empty() {
        let value = asked.task.as_ref().or(asked.tag.as_ref()).cloned().unwrap_or_default();
        let allowed = "must be a task of the protocol, `*`, or a tag of a task";
        return Err(wrong(format!("{at}.task, tag"), value, allowed));
    }
    if found.iter().all(|task| conditions(task, &asked.condition).is_empty()) {
        let mut known: Vec<&str> = found.iter().flat_map(|t| &t.conditions).map(|c| c.name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let allowed = format!("must be one of {}", listed(&known));
        return Err(wrong(format!("{at}.condition"), &asked.condition, allowed));
    }
    Ok(())
}
