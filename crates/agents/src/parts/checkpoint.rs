//! Weights and the state of training as bytes, each with its checksum.

use std::borrow::Cow;
#[expect(clippy::disallowed_types, reason = "the library takes remarks so; there is one, which has no order")]
use std::collections::HashMap;

use heldout_core::hexadecimal;
use safetensors::tensor::View;
use safetensors::{Dtype, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::collect::Place;
use crate::nn::Params;
use crate::train::TrainError;

/// What a file of weights says it is.
pub const FORMAT: &str = "heldout-weights 1";
/// The one key of the file's own remarks: several would stand in no fixed order.
const KEY: &str = "heldout";

/// The key of `run.json` under which other versions and processors stand that went on with a run.
pub const OTHERS: &str = "also_computed_by";

/// `run.json` as it was when the run began, by which its policies know it.
#[must_use]
pub fn begun(text: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut run)) = serde_json::from_slice(text) else { return text.to_vec() };
    if run.remove(OTHERS).is_none() {
        return text.to_vec();
    }
    format!("{:#}\n", Value::Object(run)).into_bytes()
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// What a file of weights says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// What it is.
    pub format: String,
    /// Whose weights.
    pub agent: String,
    /// SHA-256 of the run's `run.json`.
    pub run: String,
    /// Steps trained for.
    pub env_steps: u64,
    /// Updates made.
    pub updates: u64,
    /// SHA-256 of the numbers, in the order of the list.
    pub numbers: String,
}

struct Numbers<'a> {
    shape: &'a [usize],
    bytes: Vec<u8>,
}

impl View for Numbers<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn digest<'a>(all: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, bytes) in all {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(bytes);
    }
    hexadecimal(&hash.finalize())
}

fn serialise(entries: Vec<(String, &[usize], Vec<f32>)>, about: About) -> Vec<u8> {
    let entries: Vec<(String, Numbers<'_>)> =
        entries.into_iter().map(|(name, shape, x)| (name, Numbers { shape, bytes: bytes(&x) })).collect();
    let mut sorted: Vec<_> = entries.iter().map(|(name, n)| (name.as_str(), n.bytes.as_slice())).collect();
    sorted.sort_unstable();
    let numbers = digest(sorted.into_iter());
    let told = serde_json::to_string(&About { numbers, ..about }).expect("plain data");
    #[expect(clippy::disallowed_types, reason = "as above")]
    let remarks = HashMap::from([(KEY.to_owned(), told)]);
    safetensors::serialize(entries, Some(remarks)).expect("names are unique")
}

/// The file of a list of weights.
#[must_use]
pub fn pack(params: &Params, about: About) -> Vec<u8> {
    let entries = params.entries();
    serialise(entries.iter().map(|p| (p.name.clone(), p.shape.as_slice(), p.values())).collect(), about)
}

fn damaged(problem: impl Into<String>) -> TrainError {
    TrainError::Damaged(problem.into())
}

struct Opened<'a> {
    tensors: SafeTensors<'a>,
    about: About,
}

fn open(file: &[u8]) -> Result<Opened<'_>, TrainError> {
    let (_, header) =
        SafeTensors::read_metadata(file).map_err(|e| damaged(format!("is no safetensors file, or cut short: {e}")))?;
    let told = header.metadata().as_ref().and_then(|m| m.get(KEY));
    let told = told.ok_or_else(|| damaged("was not written by heldout: its header has no key `heldout`"))?;
    let about: About = serde_json::from_str(told).map_err(|e| damaged(format!("its header is unreadable: {e}")))?;
    if about.format != FORMAT {
        return Err(damaged(format!("`format` is `{}`, must be `{FORMAT}`", about.format)));
    }
    let tensors = SafeTensors::deserialize(file).map_err(|e| damaged(format!("is cut short or damaged: {e}")))?;
    let mut sorted: Vec<_> = tensors.iter().map(|(name, view)| (name, view.data())).collect();
    sorted.sort_unstable();
    if digest(sorted.into_iter()) != about.numbers {
        return Err(damaged("its numbers do not have the checksum that its header tells"));
    }
    Ok(Opened { tensors, about })
}

/// What a file of weights says of itself.
///
/// # Errors
///
/// If it is damaged or none of heldout's.
pub fn about(file: &[u8]) -> Result<About, TrainError> {
    Ok(open(file)?.about)
}

impl Opened<'_> {
    /// The tensors called like the parameters behind `prefix`, in the order of the list.
    fn like(&self, prefix: &str, params: &Params) -> Result<Vec<Vec<f32>>, TrainError> {
        params
            .entries()
            .iter()
            .map(|p| {
                let name = format!("{prefix}{}", p.name);
                let view = self.tensors.tensor(&name).map_err(|_| damaged(format!("has no tensor `{name}`")))?;
                if view.dtype() != Dtype::F32 || view.shape() != p.shape {
                    let (found, wanted) = (view.shape(), &p.shape);
                    let of = view.dtype();
                    return Err(damaged(format!("`{name}` is {found:?} of {of:?}, must be {wanted:?} of F32")));
                }
                let numbers = view.data().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
                Ok(numbers)
            })
            .collect()
    }
}

/// The numbers of each parameter of a list, from a file of its weights.
///
/// # Errors
///
/// If the file is damaged, or has other parameters.
pub fn unpack(file: &[u8], params: &Params) -> Result<Vec<Vec<f32>>, TrainError> {
    let opened = open(file)?;
    let names: Vec<&str> = params.entries().iter().map(|p| p.name.as_str()).collect();
    let mut extra: Vec<&str> = opened.tensors.names().into_iter().filter(|n| !names.contains(n)).collect();
    extra.sort_unstable();
    if let Some(name) = extra.first() {
        return Err(damaged(format!("has a tensor `{name}`, which the network has not")));
    }
    opened.like("", params)
}

/// All that a run goes on from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
    learner: Value,
    envs: Vec<u8>,
    rows: Vec<u8>,
    /// Weights, once they were read from a file.
    file: Vec<u8>,
}

/// The names of the files that a state is made of.
pub const FILES: [&str; 4] = ["learner.safetensors", "learner.json", "envs.bin", "rows.bin"];

impl Saved {
    /// Adds a list of weights under `prefix`.
    pub fn add_params(&mut self, prefix: &str, params: &Params) {
        let entries = params.entries().iter();
        self.tensors.extend(entries.map(|p| (format!("{prefix}{}", p.name), p.shape.clone(), p.values())));
    }

    /// Adds numbers of the shapes of a list's weights.
    pub fn add_like(&mut self, prefix: &str, params: &Params, numbers: &[Vec<f32>]) {
        for (p, numbers) in params.entries().iter().zip(numbers) {
            self.tensors.push((format!("{prefix}{}", p.name), p.shape.clone(), numbers.clone()));
        }
    }

    /// Sets counters and the like.
    ///
    /// # Panics
    ///
    /// If they are no plain data.
    pub fn set_json(&mut self, kept: &impl Serialize) {
        self.learner = serde_json::to_value(kept).expect("plain data");
    }

    /// Sets where the environments stand and what the learner remembers of them.
    ///
    /// # Panics
    ///
    /// If they are no plain data.
    pub fn set_play(&mut self, place: &Place, memory: &impl Serialize) {
        let mut place = place.clone();
        let copies = std::mem::take(&mut place.copies);
        self.envs = postcard::to_stdvec(&copies).expect("plain data");
        self.rows = postcard::to_stdvec(&(place, memory)).expect("plain data");
    }

    /// Counters and the like.
    ///
    /// # Errors
    ///
    /// If they are not what the learner keeps.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, TrainError> {
        T::deserialize(&self.learner).map_err(|e| damaged(format!("`learner.json` is not of this learner: {e}")))
    }

    /// Where the environments stand and what the learner remembers of them.
    ///
    /// # Errors
    ///
    /// If they are damaged.
    pub fn play<M: DeserializeOwned>(&self) -> Result<(Place, M), TrainError> {
        let bad = |file: &'static str| move |e: postcard::Error| damaged(format!("`{file}` is damaged: {e}"));
        let copies: Vec<Vec<u8>> = postcard::from_bytes(&self.envs).map_err(bad("envs.bin"))?;
        let (place, memory): (Place, M) = postcard::from_bytes(&self.rows).map_err(bad("rows.bin"))?;
        let mut place = place;
        place.copies = copies;
        Ok((place, memory))
    }

    /// Numbers of the shapes of a list's weights, saved under `prefix`.
    ///
    /// # Errors
    ///
    /// If they are not there.
    pub fn like(&self, prefix: &str, params: &Params) -> Result<Vec<Vec<f32>>, TrainError> {
        open(&self.file)?.like(prefix, params)
    }

    /// The bytes of each of [`FILES`]; `trainer` is what the loop around the learner keeps.
    ///
    /// # Panics
    ///
    /// If that is no plain data.
    #[must_use]
    pub fn files(&self, agent: &str, trainer: &impl Serialize) -> [Vec<u8>; 4] {
        let entries = self.tensors.iter().map(|(name, shape, x)| (name.clone(), shape.as_slice(), x.clone()));
        let about = About { format: FORMAT.to_owned(), agent: agent.to_owned(), ..About::default() };
        let learner = serialise(entries.collect(), about);
        let told = Told {
            format: STATE.to_owned(),
            learner: self.learner.clone(),
            trainer: serde_json::to_value(trainer).expect("plain data"),
            files: [&learner, &self.envs, &self.rows].map(|b| sha256(b)),
        };
        let mut json = serde_json::to_string_pretty(&told).expect("plain data");
        json = format!("{json}\n{}\n", sha256(json.as_bytes()));
        [learner, json.into_bytes(), self.envs.clone(), self.rows.clone()]
    }

    /// What the bytes of [`FILES`] hold: the state, and what the loop around the learner keeps.
    ///
    /// # Errors
    ///
    /// If one of them is damaged.
    pub fn of_files<T: DeserializeOwned>([learner, json, envs, rows]: [Vec<u8>; 4]) -> Result<(Self, T), TrainError> {
        let text = String::from_utf8(json).map_err(|_| damaged("`learner.json` is no text"))?;
        let (body, sum) = text.trim_end().rsplit_once('\n').ok_or_else(|| damaged("`learner.json` is cut short"))?;
        if sha256(body.as_bytes()) != sum {
            return Err(damaged("`learner.json` does not have the checksum of its last line"));
        }
        let told: Told = serde_json::from_str(body).map_err(|e| damaged(format!("`learner.json`: {e}")))?;
        if told.format != STATE {
            return Err(damaged(format!("`learner.json`: `format` is `{}`, must be `{STATE}`", told.format)));
        }
        let names = ["learner.safetensors", "envs.bin", "rows.bin"];
        for ((name, bytes), sum) in names.into_iter().zip([&learner, &envs, &rows]).zip(&told.files) {
            if sha256(bytes) != *sum {
                return Err(damaged(format!("`{name}` does not have the checksum that `learner.json` tells")));
            }
        }
        let trainer = T::deserialize(&told.trainer).map_err(|e| damaged(format!("`learner.json`: {e}")))?;
        let saved = Self { tensors: Vec::new(), learner: told.learner, envs, rows, file: learner };
        Ok((saved, trainer))
    }
}

/// What `learner.json` says it is.
const STATE: &str = "heldout-training 1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    format: String,
    learner: Value,
    trainer: Value,
    /// SHA-256 of the other files.
    files: [String; 3],
}
