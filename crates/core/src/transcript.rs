//! The golden that every entry must have: an oracle's episode to its end, told so that a reader can check the rules by it,
//! and two digests that notice any change.
//!
//! Anything in it can be checked from anywhere: a checksum is CRC-32 (zlib's) over the little-endian bytes of what one
//! agent sees, field by field, in its own shape; the first digest is CRC-32 over the checksums of 200 random steps under
//! the default config, each as four little-endian bytes, whose actions stand before it.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::entry::Entry;
use crate::{Buffers, Crc, Dtype, Field, Options, Reset, RowRef, Scope, Seed, Spec, Status, VecEnv};

/// Seed of every transcript.
pub const SEED: Seed = Seed(1);
/// Steps of an oracle's episode at the most: a longer one is no reading.
const MOST_STEPS: u32 = 2_000;
/// Random steps that are digested, restarts included.
const STEPS: usize = 200;
/// Copies of the batch whose digest closes a transcript; not a multiple of any number of threads.
const COPIES: usize = 131;
/// Steps of that batch.
const COPY_STEPS: usize = 60;
/// Cap of its episodes, so that ends and restarts are digested however long the task.
const COPY_CAP: u32 = 25;
/// Elements up to which a field is shown whole.
const WHOLE: usize = 24;

/// The transcript of `entry`: the first episode of its oracle under the smallest observation, then the digests.
///
/// # Panics
///
/// Never: the configs and the actions of the space are valid, which the conformance suite shows.
#[must_use]
pub fn transcript(entry: &Entry) -> String {
    let mut overrides = entry.smallest();
    overrides.extend(entry.short());
    let mut text = heading(entry, &overrides);
    episode(&mut text, entry, &overrides);
    let (actions, digest) = random_digest(entry);
    let _ = writeln!(text, "\nrandom {actions:?}\ndigest {digest:08x}");
    let _ =
        writeln!(text, "{COPIES} copies, {COPY_STEPS} steps, cut at {COPY_CAP}: digest {:08x}", batch_digest(entry, 1));
    text
}

/// A step, or several alike: the same action, nothing paid, and the state told by the same words.
struct Line {
    first: u32,
    last: u32,
    actions: Vec<i32>,
    told: String,
    words: String,
    quiet: bool,
}

/// Tells the oracle's first episode.
fn episode(text: &mut String, entry: &Entry, overrides: &Map<String, Value>) {
    let options = Options { max_steps: Some(MOST_STEPS), ..Options::default() };
    let mut env = entry.make(overrides, 1, options).expect("the smallest config is valid");
    let spec = env.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    for agent in 0..spec.agents.len() {
        env.seat(agent, "oracle", Seed(0)).expect("every entry has an oracle");
    }
    env.reset(Reset::seed(SEED), buffers.output()).expect("the sizes fit");
    let _ = writeln!(text, "reset -> {}", told(&*env, &spec, &buffers));
    show(text, &spec, &buffers);
    let mut words = env.words(0).expect("there is one copy");
    write_words(text, &words);
    let mut actions = vec![0; spec.action_width()];
    let mut waiting: Option<Line> = None;
    for step in 1..=MOST_STEPS {
        env.act(&buffers.rows(), &mut actions).expect("the sizes fit");
        env.step(&actions, buffers.output()).expect("the actions are in the space");
        let ended = buffers.status[0].ended();
        let line = Line {
            first: step,
            last: step,
            actions: actions.clone(),
            told: told(&*env, &spec, &buffers),
            words: env.words(0).expect("there is one copy"),
            quiet: !ended && buffers.rewards.iter().all(|&r| r == 0.0),
        };
        waiting = Some(match waiting.take() {
            Some(before)
                if before.quiet && line.quiet && (&before.actions, &before.words) == (&line.actions, &line.words) =>
            {
                Line { first: before.first, ..line }
            }
            Some(before) => {
                write_line(text, &before, &mut words);
                line
            }
            None => line,
        });
        if ended {
            break;
        }
    }
    if let Some(last) = waiting {
        write_line(text, &last, &mut words);
    }
}

fn write_line(text: &mut String, line: &Line, words: &mut String) {
    let steps = if line.first == line.last { line.first.to_string() } else { format!("{}-{}", line.first, line.last) };
    let _ = writeln!(text, "{steps:>7} {:?} -> {}", line.actions, line.told);
    if *words != line.words {
        write_words(text, &line.words);
        words.clone_from(&line.words);
    }
}

fn write_words(text: &mut String, words: &str) {
    for line in words.lines() {
        let _ = writeln!(text, "      | {}", line.trim_end());
    }
}

/// What a step wrote: rewards, status, problem, a checksum per agent, and the metrics that speak now.
fn told(env: &dyn VecEnv, spec: &Spec, buffers: &Buffers) -> String {
    let status = buffers.status[0];
    let mut text = format!("{:?} {}", buffers.rewards, word(status));
    if let Some(problem) = env.problem(0).expect("there is one copy") {
        let _ = write!(text, " problem {problem}");
    }
    let rows = buffers.rows();
    for agent in 0..spec.agents.len() {
        let _ = write!(text, " {:08x}", observation_crc(spec, agent, rows.row(agent)));
    }
    for (metric, value) in spec.metrics.iter().zip(&buffers.metrics) {
        if status.ended() || metric.scope == Scope::Step {
            let _ = write!(text, " {}={value:?}", metric.name);
        }
    }
    text
}

/// The actions of random steps under the default config, and the checksum of what the agents see.
///
/// Actions are drawn here, not by the entry's `random`: a digest pins the rules, not a policy.
fn random_digest(entry: &Entry) -> (Vec<i32>, u32) {
    let mut env = entry.make(&Map::new(), 1, Options::default()).expect("the default config is valid");
    let spec = env.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    env.reset(Reset::seed(SEED), buffers.output()).expect("the sizes fit");
    let mut rng = SEED.stream("transcript").rng();
    let mut actions = vec![0; spec.action_width()];
    let mut all = Vec::with_capacity(STEPS * actions.len());
    let mut total = Crc::new();
    for step in 0..=STEPS {
        if step > 0 {
            let sizes = spec.agents.iter().flat_map(|a| a.action.sizes());
            for (action, &n) in actions.iter_mut().zip(sizes) {
                *action = rng.below(n) as i32;
            }
            all.extend_from_slice(&actions);
            env.step(&actions, buffers.output()).expect("the actions are in the space");
        }
        let rows = buffers.rows();
        for agent in 0..spec.agents.len() {
            total.bytes(&observation_crc(&spec, agent, rows.row(agent)).to_le_bytes());
        }
    }
    (all, total.value())
}

/// Checksum of everything that 131 copies write in 60 random steps of episodes cut at 25, spread over `threads` threads.
///
/// # Panics
///
/// Never, as [`transcript`].
#[must_use]
pub fn batch_digest(entry: &Entry, threads: usize) -> u32 {
    let options = Options { threads, max_steps: Some(COPY_CAP), ..Options::default() };
    let mut env = entry.make(&Map::new(), COPIES, options).expect("the default config is valid");
    let mut buffers = Buffers::new(env.spec(), COPIES);
    let sizes: Vec<u32> = env.spec().agents.iter().flat_map(|a| a.action.sizes()).copied().collect();
    env.reset(Reset::seed(SEED), buffers.output()).expect("the sizes fit");
    let mut rng = SEED.stream("transcript").rng();
    let mut crc = Crc::new();
    let mut actions = vec![0; COPIES * sizes.len()];
    for _ in 0..COPY_STEPS {
        for (action, &n) in actions.iter_mut().zip(sizes.iter().cycle()) {
            *action = rng.below(n) as i32;
        }
        env.step(&actions, buffers.output()).expect("the actions are in the space");
        buffers.digest(&mut crc);
    }
    crc.value()
}

fn heading(entry: &Entry, overrides: &Map<String, Value>) -> String {
    let config = entry.configure(overrides).expect("the smallest config is valid");
    let mut text = format!("{}\nseed {}\nconfig {config}\n", entry.id(), SEED.0);
    let env = entry.make(overrides, 1, Options::default()).expect("the smallest config is valid");
    let spec = env.spec();
    for agent in &spec.agents {
        let _ = writeln!(text, "agent {} {}", agent.name, agent.action);
    }
    for source in &spec.sources {
        let _ = writeln!(text, "source {} {}", source.name, source.content);
    }
    for field in &spec.observation {
        let _ = writeln!(text, "field {} {} {:?}", field.name, field.dtype.name(), field.shape);
    }
    text.push('\n');
    text
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Terminated => "terminated",
        Status::Truncated => "truncated",
    }
}

/// Checksum of what `agent` sees in `row`: field by field, in its own shape.
#[must_use]
pub fn observation_crc(spec: &Spec, agent: usize, row: RowRef<'_>) -> u32 {
    let mut crc = Crc::new();
    for (index, field) in spec.observation.iter().enumerate() {
        let Some(own) = own_elements(field, agent) else { continue };
        match field.dtype {
            Dtype::F32 => own.for_each(|i| crc.f32s(&[row.f32(index)[i]])),
            Dtype::I32 => own.for_each(|i| crc.i32s(&[row.i32(index)[i]])),
            Dtype::U8 if field.shape_for(agent) == Some(&field.shape) => crc.bytes(row.u8(index)),
            Dtype::U8 => own.for_each(|i| crc.bytes(&[row.u8(index)[i]])),
        }
    }
    crc.value()
}

/// Where the elements of `agent`'s own shape lie within a row of `field`; `None` if it lacks the field.
fn own_elements(field: &Field, agent: usize) -> Option<impl Iterator<Item = usize>> {
    let own = field.shape_for(agent)?.to_vec();
    let inside = move |field: &[usize], index: usize| {
        let mut rest = index;
        field.iter().zip(&own).rev().all(|(&all, &own)| {
            let at = rest % all;
            rest /= all;
            at < own
        })
    };
    let shape = field.shape.clone();
    Some((0..field.len()).filter(move |&i| inside(&shape, i)))
}

fn show(text: &mut String, spec: &Spec, buffers: &Buffers) {
    let rows = buffers.rows();
    for (agent, about) in spec.agents.iter().enumerate() {
        let row = rows.row(agent);
        for (index, field) in spec.observation.iter().enumerate() {
            let Some(own) = own_elements(field, agent) else { continue };
            let own: Vec<usize> = own.collect();
            let _ = write!(text, "      {}.{} = ", about.name, field.name);
            let _ = if field.text {
                writeln!(text, "{:?}", row.text(index))
            } else if own.len() > WHOLE {
                writeln!(text, "{:?} {}", field.shape_for(agent).unwrap_or_default(), summary(field, index, row))
            } else {
                match field.dtype {
                    Dtype::F32 => writeln!(text, "{:?}", own.iter().map(|&i| row.f32(index)[i]).collect::<Vec<_>>()),
                    Dtype::I32 => writeln!(text, "{:?}", own.iter().map(|&i| row.i32(index)[i]).collect::<Vec<_>>()),
                    Dtype::U8 => writeln!(text, "{:?}", own.iter().map(|&i| row.u8(index)[i]).collect::<Vec<_>>()),
                }
            };
        }
    }
}

/// A long field in a few words: its non-zero elements, or the checksum of its row.
fn summary(field: &Field, index: usize, row: RowRef<'_>) -> String {
    let mut crc = Crc::new();
    let nonzero: Vec<usize> = match field.dtype {
        Dtype::F32 => {
            crc.f32s(row.f32(index));
            row.f32(index).iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(i, _)| i).collect()
        }
        Dtype::I32 => {
            crc.i32s(row.i32(index));
            row.i32(index).iter().enumerate().filter(|(_, x)| **x != 0).map(|(i, _)| i).collect()
        }
        Dtype::U8 => {
            crc.bytes(row.u8(index));
            row.u8(index).iter().enumerate().filter(|(_, x)| **x != 0).map(|(i, _)| i).collect()
        }
    };
    if nonzero.len() <= WHOLE { format!("non-zero at {nonzero:?}") } else { format!("crc {:08x}", crc.value()) }
}
