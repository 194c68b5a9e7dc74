//! The readable record of a random game: the golden that every entry must have.
//!
//! It shows what an id does, so that any change to it is seen in review, and it can be checked from anywhere: a checksum
//! is CRC-32 (zlib's) over the little-endian bytes of what one agent sees, field by field, in its own shape.

use std::fmt::Write as _;

use crate::{Buffers, Crc, Dtype, Field, Options, Reset, RowRef, Scope, Seed, Spec, Status};
use serde_json::Map;

use crate::entry::Entry;

/// Seed of every transcript.
pub const SEED: Seed = Seed(1);
/// Steps of every transcript, restarts included.
const STEPS: usize = 200;
/// Copies of the batch whose digest closes a transcript; not a multiple of any number of threads.
const COPIES: usize = 131;
/// Steps of that batch.
const COPY_STEPS: usize = 60;
/// Cap of its episodes, so that ends and restarts are digested however long the task.
const COPY_CAP: u32 = 25;
/// Steps that are shown with what the agents see.
const SHOWN: usize = 6;
/// Elements up to which a field is shown whole.
const WHOLE: usize = 24;

/// The transcript of `entry` under its default config and uniformly random actions.
///
/// # Panics
///
/// Never: the default config and the actions of the space are valid, which the conformance suite shows.
#[must_use]
pub fn transcript(entry: &Entry) -> String {
    let mut env = entry.make(&Map::new(), 1, Options::default()).expect("the default config is valid");
    let spec = env.spec().clone();
    let mut text = heading(entry, &spec);
    let mut buffers = Buffers::new(&spec, 1);
    env.reset(Reset::seed(SEED), buffers.output()).expect("the sizes fit");
    // Actions are drawn here, not by the entry's `random`: a transcript pins the rules, not a policy.
    let mut rng = SEED.stream("transcript").rng();
    let mut actions = vec![0; spec.action_width()];
    let mut total = Crc::new();
    for step in 0..=STEPS {
        if step > 0 {
            let sizes = spec.agents.iter().flat_map(|a| a.action.sizes());
            for (action, &n) in actions.iter_mut().zip(sizes) {
                *action = rng.below(n) as i32;
            }
            env.step(&actions, buffers.output()).expect("the actions are in the space");
        }
        let done = if step == 0 { "reset".to_owned() } else { format!("{step:3} {actions:?}") };
        let _ = write!(text, "{done} -> {:?} {}", buffers.rewards, word(buffers.status[0]));
        if let Some(problem) = env.problem(0).expect("there is one copy") {
            let _ = write!(text, " problem {problem}");
        }
        let rows = buffers.rows();
        for agent in 0..spec.agents.len() {
            let crc = observation_crc(&spec, agent, rows.row(agent));
            total.bytes(&crc.to_le_bytes());
            let _ = write!(text, " {crc:08x}");
        }
        let ended = buffers.status[0].ended();
        for (metric, value) in spec.metrics.iter().zip(&buffers.metrics) {
            if ended || metric.scope == Scope::Step {
                let _ = write!(text, " {}={value:?}", metric.name);
            }
        }
        text.push('\n');
        if step <= SHOWN {
            show(&mut text, &spec, &buffers);
        }
    }
    let _ = writeln!(text, "\ndigest {:08x}", total.value());
    let _ =
        writeln!(text, "{COPIES} copies, {COPY_STEPS} steps, cut at {COPY_CAP}: digest {:08x}", batch_digest(entry, 1));
    text
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

fn heading(entry: &Entry, spec: &Spec) -> String {
    let mut text = format!("{}\nseed {}\nconfig {}\n", entry.id(), SEED.0, entry.defaults());
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
