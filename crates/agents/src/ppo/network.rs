//! The networks that PPO learns.

use crate::nn::{Conv, Device, Id, Init, Linear, Lstm, Mlp, Params, Reader, Tensor, Then, tanh, tensor};
use crate::parts::heads::Head;
use crate::parts::inputs::{Inputs, Picture, Rows, WORDS};

/// What a network makes of some rows.
pub(super) struct Out {
    /// What actions are chosen by, `[rows, choices]`.
    pub(super) logits: Tensor<2>,
    /// What the rows are worth.
    pub(super) value: Tensor<1>,
    /// The memory after each step, `[steps, copies, 2 hidden]`.
    pub(super) memory: Option<Tensor<3>>,
}

/// The memory before the first row, `[copies, 2 hidden]`, and where it is kept, `[steps * copies]`.
pub(super) struct Memory<'a> {
    pub(super) state: Tensor<2>,
    pub(super) keep: &'a [f32],
}

/// A network of one of two kinds.
pub(super) enum Network {
    General(Box<General>),
    Lilgym(Box<Lilgym>),
}

impl Network {
    pub(super) fn forward(&self, params: &Params, rows: &Rows, memory: Option<Memory<'_>>) -> Out {
        match self {
            Self::General(general) => general.forward(params, rows, memory),
            Self::Lilgym(lilgym) => lilgym.forward(params, rows),
        }
    }

    /// Numbers of the memory of one copy.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::General(general) => general.core.map_or(0, |core| 2 * core.hidden),
            Self::Lilgym(_) => 0,
        }
    }
}

/// Pictures through convolutions to a vector.
struct Eye {
    layers: Vec<Conv>,
    join: Linear,
    height: usize,
    width: usize,
}

impl Eye {
    /// Layers of `[channels, kernel, stride]`, then one of `outputs`.
    ///
    /// # Errors
    ///
    /// If the picture is too small.
    fn new(
        params: &mut Params,
        name: &str,
        picture: &Picture,
        shapes: &[[usize; 3]],
        outputs: usize,
    ) -> Result<Self, String> {
        let mut layers = Vec::new();
        let (mut from, mut sides) = (3, Some([picture.height, picture.width]));
        for (i, &[to, kernel, stride]) in shapes.iter().enumerate() {
            // Of a picture that is small already, all is looked at at once.
            let kernel = sides.map_or(kernel, |[h, w]: [usize; 2]| kernel.min(h).min(w));
            let layer = Conv::orthogonal(params, &format!("{name}.conv.{i}"), [from, to], [kernel, stride]);
            sides = sides.and_then(|[h, w]| Some([layer.side(h)?, layer.side(w)?]));
            layers.push(layer);
            from = to;
        }
        let (height, width) = (picture.height, picture.width);
        let [h, w] = sides.ok_or_else(|| format!("a picture of {height} x {width} is too small for its network"))?;
        let join = Linear::orthogonal(params, &format!("{name}.join"), from * h * w, outputs, std::f64::consts::SQRT_2);
        Ok(Self { layers, join, height, width })
    }

    fn forward(&self, params: &Params, bytes: &[u8]) -> Tensor<2> {
        let rows = bytes.len() / (3 * self.height * self.width);
        let shares = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
        let x = tensor(shares, [rows, self.height, self.width, 3], params.device());
        let x = self.layers.iter().fold(x, |x, layer| layer.then(params, x, Then::Relu));
        let features = x.dims()[1..].iter().product();
        self.join.then(params, x.reshape([rows, features]), Then::Relu)
    }
}

fn vectors(rows: &Rows, width: usize, device: &Device) -> Tensor<2> {
    tensor(rows.vectors.clone(), [rows.count, width], device)
}

/// For every environment: vectors, pictures and text each through layers of their own, then together.
pub(super) struct General {
    vector: Option<Mlp>,
    width: usize,
    eyes: Vec<Eye>,
    reader: Option<Reader>,
    join: Linear,
    core: Option<Lstm>,
    policy: Linear,
    value: [Linear; 2],
}

/// Features of the general network.
const FEATURES: usize = 128;
/// A side of a picture that is looked at in large steps first.
const LARGE: usize = 64;

impl General {
    pub(super) fn new(
        params: &mut Params,
        inputs: &Inputs,
        head: &Head,
        words: usize,
        lstm: bool,
    ) -> Result<Self, String> {
        let vector = (inputs.width > 0).then(|| Mlp::orthogonal(params, "vector", inputs.width, &[FEATURES, FEATURES]));
        let mut eyes = Vec::new();
        for (i, picture) in inputs.pictures.iter().enumerate() {
            let large = picture.height >= LARGE || picture.width >= LARGE;
            let (shapes, outputs) = if large {
                ([[32, 8, 4], [64, 4, 2], [64, 3, 1]], 256)
            } else {
                ([[16, 4, 2], [32, 4, 2], [32, 3, 1]], 128)
            };
            eyes.push(Eye::new(params, &format!("picture.{i}"), picture, &shapes, outputs)?);
        }
        let reader = inputs.has_text().then(|| Reader::new(params, "text", words, WORDS));
        let together = vector.as_ref().map_or(0, |_| FEATURES)
            + eyes.iter().map(|e| e.join.outputs).sum::<usize>()
            + reader.as_ref().map_or(0, Reader::outputs);
        if together == 0 {
            return Err("there is nothing to see".to_owned());
        }
        let root = std::f64::consts::SQRT_2;
        let join = Linear::orthogonal(params, "join", together, FEATURES, root);
        let core = lstm.then(|| Lstm::new(params, "core", FEATURES, FEATURES, 0.0));
        let policy = Linear::orthogonal(params, "policy", FEATURES, head.logits(), 0.01);
        let value = [
            Linear::orthogonal(params, "value.0", FEATURES, FEATURES, root),
            Linear::orthogonal(params, "value.1", FEATURES, 1, 1.0),
        ];
        Ok(Self { vector, width: inputs.width, eyes, reader, join, core, policy, value })
    }

    fn forward(&self, params: &Params, rows: &Rows, memory: Option<Memory<'_>>) -> Out {
        let mut parts = Vec::new();
        if let Some(vector) = &self.vector {
            parts.push(vector.forward(params, vectors(rows, self.width, params.device())));
        }
        parts.extend(self.eyes.iter().zip(&rows.pictures).map(|(eye, bytes)| eye.forward(params, bytes)));
        parts.extend(self.reader.as_ref().map(|reader| reader.forward(params, &rows.tokens)));
        let together = if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 1) };
        let x = self.join.then(params, together, Then::Relu);
        let (x, memory) = match (&self.core, memory) {
            (Some(core), Some(memory)) => {
                let [copies, _] = memory.state.dims();
                let states = core.forward(params, x, memory.state, memory.keep);
                let steps = memory.keep.len() / copies;
                let h = core.hidden;
                let x = states.clone().slice([0..steps, 0..copies, 0..h]).reshape([steps * copies, h]);
                (x, Some(states))
            }
            _ => (x, None),
        };
        let [first, last] = &self.value;
        let value = last.forward(params, first.then(params, x.clone(), Then::Relu)).reshape([rows.count]);
        Out { logits: self.policy.forward(params, x), value, memory }
    }
}

/// How lilGym's pictures are seen.
enum Sight {
    /// As pixels.
    Image(Eye),
    /// As the colours at each place of each tower.
    Tower(Mlp),
    /// As a set of objects.
    Scatter(Mlp),
}

/// How lilGym's sentences are read.
enum Letters {
    /// By words that are learnt.
    Words(Reader),
    /// By an encoder that has read them already.
    Frozen { width: usize },
}

impl Letters {
    fn forward(&self, params: &Params, rows: &Rows) -> Tensor<2> {
        match self {
            Self::Words(reader) => reader.forward(params, &rows.tokens),
            Self::Frozen { width } => tensor(rows.sentences.clone(), [rows.count, *width], params.device()),
        }
    }
}

/// What is seen, the sentence and what it is to become.
struct Senses {
    sight: Sight,
    letters: Letters,
    target: Id,
    /// Numbers of all of it.
    outputs: usize,
}

/// For lilGym: what the senses tell, together once for the policy and once for the value.
pub(super) struct Lilgym {
    senses: Senses,
    /// The value's own, if it has any.
    own: Option<Senses>,
    actor: [Linear; 2],
    critic: [Linear; 2],
    policy: Linear,
    value: Linear,
}

/// Numbers of an object as lilGym tells it: box from 1, x, y, shape, colour, size.
const OBJECT: usize = 6;
/// Boxes of a picture.
const BOXES: usize = 3;
/// Blocks of a tower at the most.
const HEIGHT: usize = 4;
/// Numbers that a tower's place becomes: nothing, or one of three colours.
const CONTENT: usize = 4;
/// Numbers that an object becomes: box, x, y, shape, colour, size.
const TOLD: usize = 3 + 2 + 3 + 3 + 3;
/// Numbers of the vector that stands for what the sentence is to become.
const TARGET: usize = 32;

impl Senses {
    /// # Errors
    ///
    /// If rows are not those of lilGym.
    fn new(params: &mut Params, name: &str, inputs: &Inputs, tower: bool, words: usize) -> Result<Self, String> {
        let part = |part: &str| format!("{name}{part}");
        let (sight, seen) = match (inputs.pictures.first(), inputs.has_objects()) {
            (_, true) if tower => {
                let layers = Mlp::orthogonal(params, &part("objects"), BOXES * HEIGHT * CONTENT, &[128, 128]);
                (Sight::Tower(layers), 128)
            }
            (_, true) => (Sight::Scatter(Mlp::orthogonal(params, &part("objects"), TOLD, &[64, 64])), 128),
            (Some(picture), false) => {
                let shapes = [[32, 8, 4], [64, 4, 2], [32, 3, 1]];
                (Sight::Image(Eye::new(params, &part("image"), picture, &shapes, 512)?), 512)
            }
            (None, false) => return Err("lilGym shows a picture or objects".to_owned()),
        };
        if !inputs.has_text() || inputs.width != 2 {
            return Err("lilGym shows a sentence and whether it is to be true".to_owned());
        }
        let target = params.add(part("target.weight"), &[2, TARGET], Init::Normal(1.0));
        let (letters, read) = if let Some(encoder) = inputs.encoder() {
            (Letters::Frozen { width: encoder.width() }, encoder.width())
        } else {
            let reader = Reader::new(params, &part("text"), words, WORDS);
            let read = reader.outputs();
            (Letters::Words(reader), read)
        };
        Ok(Self { sight, letters, target, outputs: seen + read + TARGET })
    }

    fn forward(&self, params: &Params, rows: &Rows) -> Tensor<2> {
        let device = params.device();
        let seen = match &self.sight {
            Sight::Image(eye) => eye.forward(params, &rows.pictures[0]),
            Sight::Tower(layers) => {
                let places = towers(&rows.objects, rows.count);
                layers.forward(params, tensor(places, [rows.count, BOXES * HEIGHT * CONTENT], device))
            }
            Sight::Scatter(layers) => {
                let (told, there, most) = items(&rows.objects, rows.count);
                let each = layers.forward(params, tensor(told, [rows.count * most, TOLD], device));
                // What is no object counts nothing: neither in a sum nor, beside what is never negative, in a maximum.
                let each = each * tensor(there, [rows.count * most, 1], device);
                let [_, width] = each.dims();
                let each = each.reshape([rows.count, most, width]);
                let both = [each.clone().sum_dim(1), each.max_dim(1)].map(|x| x.reshape([rows.count, width]));
                Tensor::cat(both.to_vec(), 1)
            }
        };
        let target = vectors(rows, 2, device).matmul(params.get(self.target));
        Tensor::cat(vec![seen, self.letters.forward(params, rows), target], 1)
    }
}

impl Lilgym {
    /// `separate`: the value has senses of its own.
    ///
    /// # Errors
    ///
    /// If rows are not those of lilGym.
    pub(super) fn new(
        params: &mut Params,
        inputs: &Inputs,
        head: &Head,
        words: usize,
        separate: bool,
    ) -> Result<Self, String> {
        let tower = matches!(head, Head::Factored(factored) if factored.places.len() == 1);
        let senses = Senses::new(params, "", inputs, tower, words)?;
        let wide = if inputs.has_objects() { 256 } else { 512 };
        let root = std::f64::consts::SQRT_2;
        let mut pair = |name: &str| {
            [(0, senses.outputs), (1, wide)]
                .map(|(i, from)| Linear::orthogonal(params, &format!("{name}.{i}"), from, wide, root))
        };
        let (actor, critic) = (pair("actor"), pair("critic"));
        let policy = Linear::orthogonal(params, "policy", wide, head.logits(), 0.01);
        let value = Linear::orthogonal(params, "value", wide, 1, 1.0);
        // Last, so that the others begin the same with and without.
        let own = separate.then(|| Senses::new(params, "critic.", inputs, tower, words)).transpose()?;
        Ok(Self { senses, own, actor, critic, policy, value })
    }

    fn forward(&self, params: &Params, rows: &Rows) -> Out {
        let join =
            |layers: &[Linear; 2], x: Tensor<2>| layers.iter().fold(x, |x, l| l.then(params, x, Then::LeakyRelu));
        let x = self.senses.forward(params, rows);
        let own = self.own.as_ref().map_or_else(|| x.clone(), |own| own.forward(params, rows));
        let value = tanh(self.value.forward(params, join(&self.critic, own))).reshape([rows.count]);
        Out { logits: self.policy.forward(params, join(&self.actor, x)), value, memory: None }
    }
}

/// Objects that are there, of each row.
fn objects(all: &[i32], count: usize) -> impl Iterator<Item = impl Iterator<Item = &[i32]>> {
    let width = all.len() / count.max(1);
    all.chunks_exact(width.max(1)).map(|row| row.chunks_exact(OBJECT).take_while(|object| object[0] > 0))
}

/// What is at each place of each tower, one input for each content.
fn towers(all: &[i32], count: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(count * BOXES * HEIGHT * CONTENT);
    for row in objects(all, count) {
        let mut places = [[0; HEIGHT]; BOXES];
        let mut heights = [0; BOXES];
        for object in row {
            let tower = (object[0] - 1) as usize;
            if heights.get(tower).is_some_and(|height| *height < HEIGHT) {
                places[tower][heights[tower]] = 1 + object[4] as usize;
                heights[tower] += 1;
            }
        }
        for content in places.into_iter().flatten() {
            out.extend((0..CONTENT).map(|c| f32::from(u8::from(c == content))));
        }
    }
    out
}

/// The numbers of each object of each row, which of them are there, and of how many a row makes room for.
fn items(all: &[i32], count: usize) -> (Vec<f32>, Vec<f32>, usize) {
    let most = objects(all, count).map(Iterator::count).max().unwrap_or(0).max(1);
    let (mut told, mut there) = (Vec::with_capacity(count * most * TOLD), Vec::with_capacity(count * most));
    for (i, row) in objects(all, count).enumerate() {
        for object in row {
            let one_hot = |value: i32| (0..3).map(move |c| f32::from(u8::from(c == value)));
            told.extend(one_hot(object[0] - 1));
            told.extend([object[1] as f32 / 100.0, object[2] as f32 / 100.0]);
            told.extend(object[3..OBJECT].iter().flat_map(|&v| one_hot(v)));
            there.push(1.0);
        }
        there.resize((i + 1) * most, 0.0);
        told.resize(there.len() * TOLD, 0.0);
    }
    (told, there, most)
}
