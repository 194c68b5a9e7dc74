//! Sentences as vectors, by an encoder that was trained before and stays as it is: a BERT of any size.
//!
//! Its files are those in which such encoders are published: sizes in `config.json`, numbers in `model.safetensors`, the
//! pieces of words in `vocab.txt` (or `tokenizer.json`). A sentence is the mean, over its pieces without the first and the
//! last that frame it, of what every layer makes of them, the embeddings included. It is computed alone, so that its bits do
//! not depend on what else is read, and once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use heldout_files::{DATA, WRITTEN};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;

use super::wordpiece::WordPiece;
use crate::checkpoint::Source;
use crate::nn::{Device, Tensor, tensor, values};
use crate::parts::checkpoint::sha256;
use crate::train::TrainError;

/// Sentences that are remembered.
const REMEMBERED: usize = 1 << 15;

/// What `config.json` says of an encoder; the rest is for those who train it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Sizes {
    #[serde(default)]
    model_type: Option<String>,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: String,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

impl Sizes {
    /// # Errors
    ///
    /// If it is none of an encoder as this file computes it.
    fn check(&self) -> Result<(), String> {
        let least = [
            ("vocab_size", self.vocab_size, 1),
            ("hidden_size", self.hidden_size, 1),
            ("num_attention_heads", self.num_attention_heads, 1),
            ("intermediate_size", self.intermediate_size, 1),
            ("max_position_embeddings", self.max_position_embeddings, 3),
            ("type_vocab_size", self.type_vocab_size, 1),
        ];
        if let Some((name, found, least)) = least.iter().find(|(_, found, least)| found < least) {
            return Err(format!("`{name}` is {found}, must be at least {least}"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (width, heads) = (self.hidden_size, self.num_attention_heads);
            return Err(format!("`num_attention_heads` is {heads}, must divide `hidden_size`, {width}"));
        }
        if !(self.layer_norm_eps.is_finite() && self.layer_norm_eps > 0.0) {
            return Err(format!("`layer_norm_eps` is {}, must be greater than 0", self.layer_norm_eps));
        }
        let told = |given: &Option<String>, fallback: &str| given.clone().unwrap_or_else(|| fallback.to_owned());
        let names = [
            ("model_type", told(&self.model_type, "bert"), "bert"),
            ("hidden_act", self.hidden_act.clone(), "gelu"),
            ("position_embedding_type", told(&self.position_embedding_type, "absolute"), "absolute"),
        ];
        match names.iter().find(|(_, found, wanted)| found != wanted) {
            Some((name, found, wanted)) => Err(format!("`{name}` is `{found}`, must be `{wanted}`")),
            None => Ok(()),
        }
    }
}

/// `x W + b` of some rows.
struct Dense {
    weight: Tensor<2>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Dense {
    fn forward(&self, x: &[f32], device: &Device) -> Vec<f32> {
        let x = tensor(x.to_vec(), [x.len() / self.inputs, self.inputs], device);
        let mut out = values(x.matmul(self.weight.clone()));
        for row in out.chunks_exact_mut(self.bias.len()) {
            row.iter_mut().zip(&self.bias).for_each(|(x, b)| *x += b);
        }
        out
    }
}

/// Brings each row to mean 0 and variance 1, then scales and shifts it.
struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f64,
}

impl Norm {
    fn forward(&self, x: &mut [f32]) {
        for row in x.chunks_exact_mut(self.scale.len()) {
            let n = row.len() as f64;
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
            let variance = row.iter().map(|&x| (f64::from(x) - mean) * (f64::from(x) - mean)).sum::<f64>() / n;
            let by = 1.0 / (variance + self.epsilon).sqrt();
            for (x, (scale, shift)) in row.iter_mut().zip(self.scale.iter().zip(&self.shift)) {
                *x = ((f64::from(*x) - mean) * by) as f32 * scale + shift;
            }
        }
    }
}

/// Attention, then two layers at each place, each added to what came in and normalised.
struct Layer {
    /// Query, key and value.
    ask: [Dense; 3],
    answer: Dense,
    after_attention: Norm,
    wide: Dense,
    narrow: Dense,
    after: Norm,
}

impl Layer {
    fn forward(&self, x: &[f32], heads: usize, device: &Device) -> Vec<f32> {
        let [query, key, value] = self.ask.each_ref().map(|dense| dense.forward(x, device));
        let mixed = attend(&query, &key, &value, self.answer.inputs, heads);
        let mut x = sum(self.answer.forward(&mixed, device), x);
        self.after_attention.forward(&mut x);
        let mut wide = self.wide.forward(&x, device);
        for x in &mut wide {
            *x = gelu(*x);
        }
        let mut x = sum(self.narrow.forward(&wide, device), &x);
        self.after.forward(&mut x);
        x
    }
}

fn sum(mut a: Vec<f32>, b: &[f32]) -> Vec<f32> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

/// The exact one, by the error function.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// What each row of `width` takes from all rows, each head by its own columns.
fn attend(query: &[f32], key: &[f32], value: &[f32], width: usize, heads: usize) -> Vec<f32> {
    let (rows, own) = (query.len() / width, width / heads);
    let scale = 1.0 / (own as f32).sqrt();
    let mut out = vec![0.0; query.len()];
    let mut shares = vec![0.0_f32; rows];
    for head in 0..heads {
        let of = |all: &'_ [f32], row: usize| row * width + head * own..all.len().min(row * width + (head + 1) * own);
        for row in 0..rows {
            let asked = &query[of(query, row)];
            for (other, share) in shares.iter_mut().enumerate() {
                *share = scale * asked.iter().zip(&key[of(key, other)]).map(|(q, k)| q * k).sum::<f32>();
            }
            let most = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for s in &mut shares {
                *s = libm::expf(*s - most);
            }
            let total: f32 = shares.iter().sum();
            let at = of(&out, row);
            for (other, share) in shares.iter().enumerate() {
                let taken = value[of(value, other)].iter();
                out[at.clone()].iter_mut().zip(taken).for_each(|(o, v)| *o += share / total * v);
            }
        }
    }
    out
}

/// The numbers of a file.
struct Numbers<'a> {
    tensors: SafeTensors<'a>,
    /// What stands before all names.
    prefix: &'static str,
    device: &'a Device,
}

impl<'a> Numbers<'a> {
    fn open(file: &'a [u8], device: &'a Device) -> Result<Self, String> {
        let tensors =
            SafeTensors::deserialize(file).map_err(|e| format!("is no safetensors file, or cut short: {e}"))?;
        let has = |name: &str| tensors.tensor(name).is_ok();
        let prefix = if has("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        Ok(Self { tensors, prefix, device })
    }

    /// The numbers of a tensor of this shape, by the first of its names that is there.
    fn get(&self, names: &[String], shape: &[usize]) -> Result<Vec<f32>, String> {
        let names = names.iter().map(|name| format!("{}{name}", self.prefix)).collect::<Vec<_>>();
        let found = names.iter().find_map(|name| Some((name, self.tensors.tensor(name).ok()?)));
        let (name, view) = found.ok_or_else(|| format!("has no tensor `{}`", names[0]))?;
        if view.dtype() != Dtype::F32 || view.shape() != shape {
            let (found, of) = (view.shape(), view.dtype());
            return Err(format!("`{name}` is {found:?} of {of:?}, must be {shape:?} of F32"));
        }
        let numbers: Vec<f32> = view.data().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(format!("`{name}` holds {x}")),
            None => Ok(numbers),
        }
    }

    fn one(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        self.get(&[name.to_owned()], shape)
    }

    fn dense(&self, name: &str, [inputs, outputs]: [usize; 2]) -> Result<Dense, String> {
        let weight = tensor(self.one(&format!("{name}.weight"), &[outputs, inputs])?, [outputs, inputs], self.device);
        // Laid out as it is multiplied with.
        let weight = tensor(values(weight.transpose()), [inputs, outputs], self.device);
        Ok(Dense { weight, bias: self.one(&format!("{name}.bias"), &[outputs])?, inputs })
    }

    /// The first encoders that were published call them as the paper of layer normalisation does not.
    fn norm(&self, name: &str, width: usize, epsilon: f64) -> Result<Norm, String> {
        let names = |a: &str, b: &str| [format!("{name}.{a}"), format!("{name}.{b}")];
        let scale = self.get(&names("weight", "gamma"), &[width])?;
        Ok(Norm { scale, shift: self.get(&names("bias", "beta"), &[width])?, epsilon })
    }

    fn layer(&self, number: usize, sizes: &Sizes) -> Result<Layer, String> {
        let (width, wide, epsilon) = (sizes.hidden_size, sizes.intermediate_size, sizes.layer_norm_eps);
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let ask = |part: &str| self.dense(&name(&format!("attention.self.{part}")), [width, width]);
        Ok(Layer {
            ask: [ask("query")?, ask("key")?, ask("value")?],
            answer: self.dense(&name("attention.output.dense"), [width, width])?,
            after_attention: self.norm(&name("attention.output.LayerNorm"), width, epsilon)?,
            wide: self.dense(&name("intermediate.dense"), [width, wide])?,
            narrow: self.dense(&name("output.dense"), [wide, width])?,
            after: self.norm(&name("output.LayerNorm"), width, epsilon)?,
        })
    }
}

/// An encoder of sentences that stays as it is.
pub struct Bert {
    pieces: WordPiece,
    sizes: Sizes,
    words: Vec<f32>,
    places: Vec<f32>,
    kind: Vec<f32>,
    first: Norm,
    layers: Vec<Layer>,
    device: Device,
    sources: Vec<Source>,
    known: Mutex<BTreeMap<String, Vec<f32>>>,
}

impl std::fmt::Debug for Bert {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bert").field("sizes", &self.sizes).field("sources", &self.sources).finish_non_exhaustive()
    }
}

/// Two are one if their files are.
impl PartialEq for Bert {
    fn eq(&self, other: &Self) -> bool {
        self.sources == other.sources
    }
}

impl Bert {
    /// The encoder whose files are in a directory.
    ///
    /// # Errors
    ///
    /// If one of them is missing or none of such an encoder: which, and why.
    pub fn open(directory: &Path) -> Result<Self, TrainError> {
        let mut sources = Vec::new();
        let mut read = |file: &str, most: u64| {
            let bytes = heldout_files::read(&directory.join(file), most)?;
            sources.push(Source { name: format!("text/{file}"), content: sha256(&bytes) });
            std::io::Result::Ok(bytes)
        };
        let at = |file: &str| directory.join(file);
        let bad = |file: &str| {
            let path = at(file);
            move |problem: String| TrainError::File { path, problem }
        };
        let unread = |error: std::io::Error| format!("cannot be read: {error}");

        let file = "config.json";
        let config = read(file, WRITTEN).map_err(unread).map_err(bad(file))?;
        let sizes: Sizes = serde_json::from_slice(&config).map_err(|e| bad(file)(e.to_string()))?;
        sizes.check().map_err(bad(file))?;

        let pieces = match read("vocab.txt", WRITTEN) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| bad("vocab.txt")("is no text".to_owned()))?;
                WordPiece::of_lines(&text).map_err(bad("vocab.txt"))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && at("tokenizer.json").is_file() => {
                let file = "tokenizer.json";
                let bytes = read(file, WRITTEN).map_err(unread).map_err(bad(file))?;
                of_tokenizer(&bytes).map_err(bad(file))?
            }
            Err(error) => return Err(bad("vocab.txt")(unread(error))),
        };
        if pieces.greatest() as usize >= sizes.vocab_size {
            let (found, wanted) = (pieces.greatest() as usize + 1, sizes.vocab_size);
            return Err(bad("config.json")(format!("`vocab_size` is {wanted}, but there are {found} pieces of words")));
        }
        let file = "tokenizer_config.json";
        if at(file).is_file() {
            let bytes = heldout_files::read(&at(file), WRITTEN).map_err(unread).map_err(bad(file))?;
            let told: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| bad(file)(e.to_string()))?;
            if told["do_lower_case"] == false {
                return Err(bad(file)("`do_lower_case` is false: only uncased encoders are read".to_owned()));
            }
        }

        let file = "model.safetensors";
        let bytes = read(file, DATA).map_err(unread).map_err(bad(file))?;
        Self::build(pieces, sizes, &bytes, sources).map_err(bad(file))
    }

    fn build(pieces: WordPiece, sizes: Sizes, file: &[u8], sources: Vec<Source>) -> Result<Self, String> {
        let device = Device::flex();
        let numbers = Numbers::open(file, &device)?;
        let (width, epsilon) = (sizes.hidden_size, sizes.layer_norm_eps);
        let table = |name: &str, rows: usize| numbers.one(&format!("embeddings.{name}.weight"), &[rows, width]);
        let words = table("word_embeddings", sizes.vocab_size)?;
        let places = table("position_embeddings", sizes.max_position_embeddings)?;
        let mut kind = table("token_type_embeddings", sizes.type_vocab_size)?;
        // There is one sentence, which is of the first kind.
        kind.truncate(width);
        let first = numbers.norm("embeddings.LayerNorm", width, epsilon)?;
        let layers = (0..sizes.num_hidden_layers).map(|i| numbers.layer(i, &sizes)).collect::<Result<_, _>>()?;
        let known = Mutex::default();
        Ok(Self { pieces, words, places, kind, first, layers, device: device.clone(), sizes, sources, known })
    }

    /// Numbers of a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.sizes.hidden_size
    }

    /// Its files.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Appends the vector of a sentence.
    pub fn read(&self, text: &str, out: &mut Vec<f32>) {
        let known = |poisoned| PoisonError::into_inner(poisoned);
        if let Some(found) = self.known.lock().unwrap_or_else(known).get(text) {
            out.extend_from_slice(found);
            return;
        }
        let vector = self.mean(text);
        out.extend_from_slice(&vector);
        let mut known = self.known.lock().unwrap_or_else(known);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(text.to_owned(), vector);
    }

    /// The mean of what all layers make of the pieces of a sentence.
    fn mean(&self, text: &str) -> Vec<f32> {
        let width = self.width();
        let tokens = self.pieces.tokens(text, self.sizes.max_position_embeddings);
        let mut x = Vec::with_capacity(tokens.len() * width);
        for (&token, place) in tokens.iter().zip(self.places.chunks_exact(width)) {
            let word = &self.words[token as usize * width..][..width];
            x.extend(word.iter().zip(&self.kind).zip(place).map(|((w, k), p)| w + k + p));
        }
        self.first.forward(&mut x);
        let inside = width..x.len() - width;
        let mut sums = vec![0.0_f64; width];
        let mut add = |x: &[f32]| {
            for row in x[inside.clone()].chunks_exact(width) {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
            }
        };
        add(&x);
        for layer in &self.layers {
            x = layer.forward(&x, self.sizes.num_attention_heads, &self.device);
            add(&x);
        }
        // A sentence without words is nothing.
        let count = ((tokens.len() - 2) * (self.layers.len() + 1)).max(1);
        sums.into_iter().map(|sum| (sum / count as f64) as f32).collect()
    }
}

/// The vocabulary of a `tokenizer.json`.
fn of_tokenizer(bytes: &[u8]) -> Result<WordPiece, String> {
    #[derive(Deserialize)]
    struct Model {
        #[serde(rename = "type", default)]
        kind: Option<String>,
        vocab: BTreeMap<String, u32>,
    }
    #[derive(Deserialize)]
    struct File {
        model: Model,
    }
    let file: File = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    match file.model.kind.as_deref() {
        None | Some("WordPiece") => WordPiece::new(file.model.vocab),
        Some(other) => Err(format!("`model.type` is `{other}`, must be `WordPiece`")),
    }
}
