//! What a learner is shown in training is what it is shown in evaluation.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use heldout_agents::parts::collect::{Collector, Playing, Problems};
use heldout_agents::parts::inputs::{Inputs, Last, Previous};
use heldout_core::{Options, Seed, Spec};
use heldout_envs::find;
use heldout_eval::entrant::{Agent, Entrant, Place};
use heldout_eval::{Actor, Episodes, Run, Turn};
use serde_json::{Map, Value};

/// The rows of episodes, number by number.
type Seen = BTreeSet<Vec<Vec<u32>>>;

fn bits(row: &[f32]) -> Vec<u32> {
    row.iter().map(|x| x.to_bits()).collect()
}

/// The last action and the last reward beside the rest, and what the environment tells of each step.
fn inputs(spec: &Spec, metrics: &[&str]) -> Inputs {
    let metrics = metrics.iter().map(|name| (*name).to_owned()).collect();
    let previous = Previous { action_and_reward: true, reward_scale: 0.5, metrics };
    Inputs::new(spec, 0, &previous, &[]).unwrap()
}

/// What is done at a row: anything, as long as it follows from the row.
fn choose(inputs: &Inputs, row: &[f32], action: &mut [i32]) {
    let sum: u64 = row.iter().enumerate().map(|(i, x)| (i as u64 + 1) * u64::from(x.to_bits() >> 20)).sum();
    for (component, (a, &size)) in action.iter_mut().zip(&inputs.sizes).enumerate() {
        *a = ((sum >> component) % size as u64) as i32;
    }
}

/// Plays and notes the rows of each episode that has ended.
struct Noting {
    inputs: Inputs,
    last: Last,
    under_way: Vec<Vec<Vec<u32>>>,
    seen: Arc<Mutex<Seen>>,
}

impl Noting {
    fn note(&mut self, copy: usize) {
        let episode = std::mem::take(&mut self.under_way[copy]);
        if !episode.is_empty() {
            self.seen.lock().unwrap().insert(episode);
        }
    }
}

impl Actor for Noting {
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
        let copies = turn.starts.len();
        self.under_way.resize(copies, Vec::new());
        self.last.actions.resize(turn.actions.len(), 0);
        self.last.rewards = turn.rewards.to_vec();
        self.last.metrics = turn.metrics.to_vec();
        self.last.starts = turn.starts.to_vec();
        let rows = self.inputs.read(turn.observation, copies, &self.last, None);
        let width = turn.spec.action_width();
        for copy in 0..copies {
            if turn.starts[copy] {
                self.note(copy);
            }
            let row = &rows.vectors[copy * self.inputs.width..][..self.inputs.width];
            if turn.playing[copy] {
                self.under_way[copy].push(bits(row));
            }
            choose(&self.inputs, row, &mut turn.actions[copy * width..][..width]);
        }
        self.last.actions.copy_from_slice(turn.actions);
        Ok(())
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        (0..self.under_way.len()).for_each(|copy| self.note(copy));
    }
}

struct Watched {
    metrics: &'static [&'static str],
    seen: Arc<Mutex<Seen>>,
}

impl Agent for Watched {
    fn name(&self) -> String {
        "watched".to_owned()
    }

    fn actor(&self, _: &Place<'_>, spec: &Spec) -> Result<Box<dyn Actor>, String> {
        let seen = self.seen.clone();
        Ok(Box::new(Noting { inputs: inputs(spec, self.metrics), last: Last::default(), under_way: Vec::new(), seen }))
    }
}

/// The episodes of all problems as training shows them, eight copies at once.
fn trained(id: &str, config: &Map<String, Value>, metrics: &[&str]) -> Seen {
    let env = find(id).unwrap().make(config, 8, Options::default()).unwrap();
    let problems = env.spec().problems.expect("a finite set");
    let inputs = inputs(env.spec(), metrics);
    let width = inputs.width;
    let playing = Playing {
        inputs: inputs.clone(),
        words: None,
        bootstrap_truncated: true,
        problems: Problems::Only((0..problems).collect()),
        seed: Seed(5),
    };
    let (copies, actions) = (8, env.spec().action_width());
    let mut collector = Collector::new(env, playing).unwrap();
    let mut seen = Seen::new();
    let mut under_way = vec![Vec::new(); copies];
    // Until every copy has gone through all problems.
    while collector.played().episodes < 10 * u64::from(problems) {
        let unroll = collector
            .collect(7, |rows, _, out| {
                let each = rows.vectors.chunks_exact(width).zip(out.chunks_exact_mut(actions));
                each.for_each(|(row, out)| choose(&inputs, row, out));
            })
            .unwrap();
        for at in 0..unroll.valid.len() {
            let (copy, row) = (at % copies, &unroll.rows.vectors[at * width..][..width]);
            if unroll.start[at] {
                let previous = &row[width - 1 - metrics.len() - inputs.choices()..];
                assert!(previous.iter().all(|x| *x == 0.0), "{previous:?} at the first row of an episode");
                under_way[copy].clear();
            }
            if unroll.dead[at] {
                seen.insert(std::mem::take(&mut under_way[copy]));
            } else {
                under_way[copy].push(bits(row));
            }
        }
    }
    seen
}

#[test]
fn agents_check_32_regression_reward_lost_when_another_copy_ends() {
    // Episodes of unequal lengths that follow from their problem and what is done, and pay at every step.
    let (id, metrics) = ("lilgym/tower-flipit-v1", &["force_stop"]);
    let config = serde_json::json!({"observation": "objects", "split": "dev"});
    let config = config.as_object().unwrap();
    let train = trained(id, config, metrics);
    let seen = Arc::new(Mutex::new(Seen::new()));
    let entrant = Entrant::agent("watched", Arc::new(Watched { metrics, seen: seen.clone() })).unwrap();
    let entry = find(id).unwrap();
    let run = Run { entry, overrides: config, entrant: &entrant, episodes: Episodes::All, seed: 3, threads: 1 };
    run.play(|_, _| ()).unwrap();
    let evaluated = seen.lock().unwrap().clone();
    let lengths: BTreeSet<usize> = evaluated.iter().map(Vec::len).collect();
    assert!(evaluated.len() > 50 && lengths.len() > 2, "{} episodes of lengths {lengths:?}", evaluated.len());
    assert!(train == evaluated, "{} episodes in training, {} in evaluation", train.len(), evaluated.len());
}
