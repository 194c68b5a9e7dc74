//! Agents that were trained, as those who take part in an evaluation.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use heldout_agents::Checkpoint;
use heldout_agents::nn::Backend;
use heldout_agents::player::{Moment, Player};
use heldout_agents::train::CURVES;
use heldout_core::{Entry, Speaker, Spec};
use heldout_eval::curves::Curve;
use heldout_eval::entrant::{Agent, Place, is_importable};
use heldout_eval::records::Source;
use heldout_eval::{Actor, Turn};
use serde_json::{Map, Value, json};

use crate::speaking::{Speaking, speaks};

/// Hexadecimal digits of a policy's hash in records.
const DIGITS: usize = 12;

/// Opens the directory of a seed, of a task or of a whole training.
///
/// # Errors
///
/// If there is none, or a file in it cannot be used: which, and why.
pub fn open(path: &Path) -> Result<Arc<dyn Agent>, String> {
    if path.to_str().is_some_and(is_importable) && !path.exists() {
        let calls = "`python -m heldout.ray eval` plays it, as does `heldout.evaluate` of Python";
        return Err(format!("it is the name of a function of Python's, which this program has not: {calls}"));
    }
    let checkpoints = Checkpoint::open_all(path).map_err(|error| error.to_string())?;
    let first = checkpoints[0].run.agent.clone();
    if let Some(other) = checkpoints.iter().find(|c| c.run.agent != first) {
        return Err(format!("holds runs of `{first}` and of `{}`: name one of them", other.run.agent));
    }
    // Runs of one agent may be told to be different models; what plays under one name is one.
    let label = &checkpoints[0].run.label;
    if let Some(Checkpoint { run, .. }) = checkpoints.iter().find(|c| c.run.label != *label) {
        return Err(format!(
            "holds runs of `{first}` that are `{label}` and that are `{}`: name one of them",
            run.label
        ));
    }
    Ok(Arc::new(Trained { checkpoints }))
}

/// What policies of an environment were trained with otherwise than a config has it, if that is why none of them is for it.
///
/// # Errors
///
/// If a file cannot be used: which, and why.
pub(crate) fn set_otherwise(path: &Path, entry: &Entry, config: &Value) -> Result<Option<String>, String> {
    let checkpoints = Checkpoint::open_all(path).map_err(|error| error.to_string())?;
    let own = checkpoints.iter().filter(|c| c.run.id == entry.id()).flat_map(|c| &c.run.set);
    let mut others = own.filter(|(key, own)| !entry.about.views.contains(&key.as_str()) && config[key] != **own);
    Ok(others.next().map(|(key, own)| {
        format!("was trained where `{key}` is {own}, here it is {}: `--set {key}={own}`", config[key])
    }))
}

/// Policies that were trained alike, one per seed and task.
struct Trained {
    checkpoints: Vec<Checkpoint>,
}

impl Trained {
    /// The policies that play at a place, in the order of their seeds: those that were trained for its task, or, where the
    /// protocol is another, those of the one task on the same environment that sets nothing else.
    fn at(&self, place: &Place<'_>) -> Vec<&Checkpoint> {
        let sets_no_other = |c: &Checkpoint| {
            let views = place.entry.about.views;
            let own = |(key, value): (&String, &Value)| {
                views.contains(&key.as_str()) || c.run.set.get(key).is_none_or(|own| own == value)
            };
            place.set.is_none_or(|set| set.iter().all(own))
        };
        let on = |c: &&Checkpoint| c.run.id == place.entry.id();
        let all: Vec<&Checkpoint> = self.checkpoints.iter().filter(on).collect();
        let own: Vec<&Checkpoint> =
            all.iter().copied().filter(|c| c.run.protocol == place.protocol && c.run.task == place.task).collect();
        if !own.is_empty() {
            return own;
        }
        let elsewhere = all.iter().all(|c| c.run.protocol != place.protocol || c.run.protocol.is_empty());
        let alike: Vec<&Checkpoint> = all.into_iter().filter(|c| sets_no_other(c)).collect();
        let one_task = alike.windows(2).all(|two| two[0].run.task == two[1].run.task);
        if elsewhere && one_task { alike } else { Vec::new() }
    }

    fn policy(&self, place: &Place<'_>) -> Option<&Checkpoint> {
        let all = self.at(place);
        all.get(place.run % all.len().max(1)).copied()
    }
}

impl Agent for Trained {
    fn name(&self) -> String {
        self.checkpoints[0].run.agent.clone()
    }

    fn label(&self) -> String {
        self.checkpoints[0].run.label.clone()
    }

    fn identity(&self, place: &Place<'_>) -> String {
        let policy = self.policy(place);
        let hash = policy.map_or("", |c| &c.sha256[..DIGITS]);
        let told = policy.is_some_and(|c| c.run.config.get("allow_held_out").is_some_and(|v| v == true));
        format!("{} sha256:{hash}{}", self.name(), if told { " (held-out problems allowed in training)" } else { "" })
    }

    fn runs(&self, place: &Place<'_>) -> usize {
        self.at(place).len().max(1)
    }

    fn enters(&self, place: &Place<'_>) -> bool {
        !self.at(place).is_empty()
    }

    fn view(&self, place: &Place<'_>) -> Map<String, Value> {
        self.policy(place).map(|c| c.run.view.clone()).unwrap_or_default()
    }

    fn actor(&self, place: &Place<'_>, spec: &Spec) -> Result<Box<dyn Actor>, String> {
        let policy = self.policy(place).ok_or_else(|| {
            let (id, own) = (place.entry.id(), &self.checkpoints[0].run.id);
            format!("`{}` was trained on `{own}`, not on `{id}`", self.name())
        })?;
        let player = policy.player(spec).map_err(|error| error.to_string())?;
        Ok(Box::new(Playing(player)))
    }

    fn experience(&self, place: &Place<'_>) -> Option<Vec<u8>> {
        self.policy(place).and_then(Checkpoint::experience).map(<[u8]>::to_vec)
    }

    fn speaker(&self, place: &Place<'_>) -> Option<Arc<dyn Speaker>> {
        let policy = self.policy(place)?;
        let spec = place.entry.default_batch().spec().clone();
        speaks(&spec).then(|| Arc::new(Speaking(policy.clone())) as Arc<dyn Speaker>)
    }

    fn backend(&self) -> Option<String> {
        Some(Backend::of_this_process().to_string())
    }

    fn trained(&self, place: &Place<'_>) -> Map<String, Value> {
        let Some(Checkpoint { run, .. }) = self.policy(place) else { return Map::new() };
        // The encoder of sentences is among the sources, by content.
        let config = run.config.iter().filter(|(key, _)| !key.ends_with("path"));
        let told = json!({
            "agent": run.agent,
            "profile": run.profile,
            "protocol": run.protocol,
            "task": run.task,
            "config": config.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>(),
            "step_metrics": run.step_metrics,
        });
        told.as_object().cloned().unwrap_or_default()
    }

    fn sources(&self, place: &Place<'_>) -> Vec<Source> {
        let policy = self.policy(place).map(|c| Source { name: "policy".to_owned(), content: c.sha256.clone() });
        policy.into_iter().collect()
    }

    fn curves(&self, place: &Place<'_>) -> Result<Curve, String> {
        let mut all = Curve::default();
        // Curves of another protocol's task are scores of something else.
        let own = |c: &&&Checkpoint| c.run.protocol == place.protocol && c.run.task == place.task;
        for checkpoint in self.at(place).iter().filter(own) {
            let text = checkpoint.curves().map_err(|error| error.to_string())?;
            let file = || format!("`{CURVES}` of seed {} of `{}`", checkpoint.run.seed, place.task);
            for mut curve in Curve::parse(&text).map_err(|problem| format!("{}: {problem}", file()))? {
                let told = checkpoint.run.config.get("evaluate_episodes").and_then(Value::as_u64);
                for moment in curve.runs.values_mut().flat_map(BTreeMap::values_mut) {
                    moment.episodes = moment.episodes.or(told);
                }
                all.runs.extend(curve.runs);
            }
        }
        Ok(all)
    }
}

/// A player at a batch.
struct Playing(Box<dyn Player>);

impl Actor for Playing {
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
        let moment = Moment {
            observation: turn.observation,
            rewards: turn.rewards,
            metrics: turn.metrics,
            starts: turn.starts,
            seeds: turn.seeds,
            done: Some(turn.done),
        };
        self.0.act(&moment, turn.actions).map_err(|error| error.to_string())
    }
}

/// The policy of a learner of now, to be scored once while it learns.
pub(crate) struct Learning {
    name: &'static str,
    view: Map<String, Value>,
    player: Mutex<Option<Box<dyn Player>>>,
}

impl Learning {
    pub(crate) fn new(name: &'static str, view: Map<String, Value>, player: Box<dyn Player>) -> Self {
        Self { name, view, player: Mutex::new(Some(player)) }
    }
}

impl Agent for Learning {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn view(&self, _: &Place<'_>) -> Map<String, Value> {
        self.view.clone()
    }

    fn actor(&self, _: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
        let player = self.player.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Box::new(Playing(player.ok_or("it plays once")?)))
    }
}
