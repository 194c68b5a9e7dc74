//! The networks that IMPALA learns: from rows to actions and values, with or without an episodic memory, and what is told again
//! or ahead from the core.

use super::{Config, Size};
use crate::nn::{
    Core, Cpc, Episode, Init, Linear, Lstm, Memory, MemorySizes, Mlp, Params, Reader, Rebuild, ResNet, Tensor, Then,
    softplus, tensor,
};
use crate::parts::collect::Unroll;
use crate::parts::inputs::{Inputs, Rows, WORDS};

/// What is remembered between two rows.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct State {
    /// Of the core, outputs and cells of each copy.
    pub(super) core: Vec<f32>,
    /// What each copy remembers of its episode; none without an episodic memory.
    pub(super) episodes: Vec<Episode>,
}

/// What a network makes of some rows.
pub(super) struct Out {
    /// What actions are chosen by, `[rows, choices]`.
    pub(super) logits: Tensor<2>,
    /// What the rows are worth.
    pub(super) value: Tensor<1>,
    /// What is seen.
    pub(super) seen: Tensor<2>,
    /// What the core puts out.
    pub(super) moved: Tensor<2>,
    /// What the core is after the last step, of each copy.
    pub(super) core: Vec<f32>,
}

/// What moves with each row.
enum Moving {
    Lstm(Lstm),
    Ff(Linear),
    Memory(Memory),
}

/// Rows of each kind to one vector.
struct Encoder {
    vector: Option<Mlp>,
    /// Numbers of the vector that are seen; the rest is told to the core.
    width: usize,
    eyes: Vec<(ResNet, [usize; 2])>,
    reader: Option<Reader>,
    /// Where there is more than one of these.
    join: Option<Linear>,
}

impl Encoder {
    fn new(params: &mut Params, inputs: &Inputs, words: usize, config: &Config) -> Result<Self, String> {
        let small = config.size == Size::Small;
        let width = inputs.own_past().start;
        let layers = if small { [128, config.seen] } else { [256, config.seen] };
        let vector = (width > 0).then(|| Mlp::torch(params, "vector", width, &layers));
        let mut eyes = Vec::new();
        for (i, picture) in inputs.pictures.iter().enumerate() {
            let sides = [picture.height, picture.width];
            let name = format!("{PICTURE}{i}");
            eyes.push((ResNet::new(params, &name, sides, &channels(config.size), config.seen, config.centred), sides));
        }
        let reader = inputs.has_text().then(|| Reader::new(params, "text", words, WORDS));
        let wide = [usize::from(vector.is_some()) + eyes.len()].map(|n| n * config.seen)[0]
            + reader.as_ref().map_or(0, Reader::outputs);
        if wide == 0 {
            return Err("there is nothing to see".to_owned());
        }
        let join = (wide != config.seen).then(|| Linear::torch(params, "join", wide, config.seen));
        Ok(Self { vector, width, eyes, reader, join })
    }

    fn forward(&self, params: &Params, rows: &Rows) -> Tensor<2> {
        let mut parts = Vec::new();
        if let Some(layers) = &self.vector {
            parts.push(layers.forward(params, columns(rows, 0..self.width, params)));
        }
        for ((eye, sides), bytes) in self.eyes.iter().zip(&rows.pictures) {
            parts.push(eye.forward(params, pictures(bytes, rows.count, *sides, params)));
        }
        parts.extend(self.reader.as_ref().map(|reader| reader.forward(params, &rows.tokens)));
        let all = if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 1) };
        match &self.join {
            Some(join) => join.then(params, all, Then::Relu),
            None => all,
        }
    }
}

/// Pictures of these sides as shares.
fn pictures(bytes: &[u8], count: usize, [height, width]: [usize; 2], params: &Params) -> Tensor<4> {
    let shares = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
    tensor(shares, [count, height, width, 3], params.device())
}

fn channels(size: Size) -> [usize; 3] {
    match size {
        Size::Paper => [16, 32, 32],
        Size::Small => [8, 16, 16],
    }
}

/// Some columns of the vector of each row.
fn columns(rows: &Rows, span: std::ops::Range<usize>, params: &Params) -> Tensor<2> {
    let wide = rows.vectors.len() / rows.count.max(1);
    let own = rows.vectors.chunks_exact(wide.max(1)).flat_map(|row| row[span.clone()].iter().copied()).collect();
    tensor(own, [rows.count, span.len()], params.device())
}

/// What is told again from the core.
struct Again {
    /// The vector that is seen.
    vector: Option<[Linear; 2]>,
    pictures: Vec<Rebuild>,
    /// The last reward and the last action.
    told: Linear,
}

pub(super) struct Network {
    encoder: Encoder,
    moving: Moving,
    /// Which numbers of the vector the core is told.
    told: std::ops::Range<usize>,
    hidden: usize,
    policy: Linear,
    value: Linear,
    cpc: Option<Cpc>,
    again: Option<Again>,
}

/// The name of the core among parameters.
pub(super) const CORE: &str = "core";
/// What names of parameters begin with that see pictures.
pub(super) const PICTURE: &str = "picture.";

impl Network {
    pub(super) fn new(
        params: &mut Params,
        inputs: &Inputs,
        logits: usize,
        words: usize,
        config: &Config,
    ) -> Result<Self, String> {
        let encoder = Encoder::new(params, inputs, words, config)?;
        let (told, hidden, seen) = (inputs.own_past(), config.hidden, config.seen);
        let moving = if config.memory {
            let sizes = MemorySizes {
                seen,
                told: told.len(),
                hidden,
                key: config.key,
                slots: config.slots,
                nearest: config.nearest,
            };
            Moving::Memory(Memory::new(params, CORE, sizes, config.core, config.tied, config.jumpy))
        } else if config.core == Core::Lstm {
            Moving::Lstm(Lstm::new(params, CORE, seen + told.len(), hidden, 1.0))
        } else {
            Moving::Ff(Linear::torch(params, CORE, seen + told.len(), hidden))
        };
        let from = if config.memory { 2 * hidden } else { hidden };
        let bound = 1.0 / (from as f64).sqrt();
        let tiny = Init::Uniform(0.01 * bound);
        let policy = Linear::new(params, "policy", [from, logits], [tiny, tiny]);
        let value = Linear::torch(params, "value", from, 1);
        let cpc = config.cpc.then(|| Cpc::new(params, "cpc", config.cpc_steps, seen, hidden));
        let again = config.reconstruct.then(|| {
            let vector = (encoder.width > 0).then(|| {
                [("0", hidden, 128), ("1", 128, encoder.width)]
                    .map(|(i, from, to)| Linear::torch(params, &format!("again.vector.{i}"), from, to))
            });
            let [_, b, c] = channels(config.size);
            let pictures = encoder.eyes.iter().enumerate();
            let pictures = pictures
                .map(|(i, (_, sides))| {
                    Rebuild::new(params, &format!("again.picture.{i}"), hidden, *sides, &[c, b, b / 2])
                })
                .collect();
            Again { vector, pictures, told: Linear::torch(params, "again.told", hidden, told.len()) }
        });
        Ok(Self { encoder, moving, told, hidden, policy, value, cpc, again })
    }

    /// Changes the weights of what sees pictures so that what it leaves of these rows has mean 0 and spread 1.
    pub(super) fn centre(&self, params: &mut Params, rows: &Rows) {
        for ((eye, sides), bytes) in self.encoder.eyes.iter().zip(&rows.pictures) {
            let x = pictures(bytes, rows.count, *sides, params);
            eye.centre(params, x);
        }
    }

    /// What copies remember before anything happened.
    pub(super) fn nothing(&self, copies: usize) -> State {
        let episodes = if matches!(self.moving, Moving::Memory(_)) { copies } else { 0 };
        State { core: vec![0.0; copies * 2 * self.hidden], episodes: vec![Episode::default(); episodes] }
    }

    /// Makes the keys of what is remembered by the weights of now.
    pub(super) fn refresh(&self, params: &Params, state: &mut State) {
        if let Moving::Memory(memory) = &self.moving {
            memory.refresh(params, &mut state.episodes);
        }
    }

    /// The same without what is forgotten.
    pub(super) fn compact(&self, state: &State) -> State {
        let Moving::Memory(memory) = &self.moving else { return state.clone() };
        let episodes = state.episodes.iter().map(|e| e.compact(&memory.sizes)).collect();
        State { core: state.core.clone(), episodes }
    }

    /// Whether a state is of this network with so many copies.
    pub(super) fn fits(&self, state: &State, copies: usize) -> bool {
        let like = self.nothing(copies);
        let whole = |e: &Episode| match &self.moving {
            Moving::Memory(memory) => e.is_of(&memory.sizes),
            _ => true,
        };
        state.core.len() == like.core.len()
            && state.episodes.len() == like.episodes.len()
            && state.episodes.iter().all(whole)
    }

    /// Of rows `[steps, copies]`; what is remembered is cleared where `keep` is 0.
    pub(super) fn forward(&self, params: &Params, rows: &Rows, state: &mut State, keep: &[f32]) -> Out {
        let device = params.device();
        let n = self.hidden;
        let copies = state.core.len() / (2 * n);
        let steps = keep.len() / copies;
        let seen = self.encoder.forward(params, rows);
        let told = columns(rows, self.told.clone(), params);
        let last = |states: Tensor<3>| crate::nn::values(states.slice([steps - 1..steps, 0..copies, 0..2 * n]));
        let (out, features, core) = match &self.moving {
            Moving::Lstm(lstm) => {
                let before = tensor(state.core.clone(), [copies, 2 * n], device);
                let states = lstm.forward(params, Tensor::cat(vec![seen.clone(), told], 1), before, keep);
                let out = states.clone().slice([0..steps, 0..copies, 0..n]).reshape([rows.count, n]);
                (out.clone(), out, last(states))
            }
            Moving::Ff(layer) => {
                let out = layer.then(params, Tensor::cat(vec![seen.clone(), told], 1), Then::Relu);
                (out.clone(), out, state.core.clone())
            }
            Moving::Memory(memory) => {
                let recalled = memory.forward(params, seen.clone(), told, &state.core, keep, &mut state.episodes);
                let features = Tensor::cat(vec![recalled.out.clone(), recalled.read], 1);
                (recalled.out, features, last(recalled.state))
            }
        };
        let value = self.value.forward(params, features.clone()).reshape([rows.count]);
        Out { logits: self.policy.forward(params, features), value, seen, moved: out, core }
    }

    /// What is lost where the core cannot tell what comes later; `None` if it is not asked.
    pub(super) fn ahead(&self, params: &Params, out: &Out, unroll: &Unroll) -> Option<Tensor<1>> {
        let cpc = self.cpc.as_ref()?;
        let rows = unroll.valid.len();
        let first = |x: &Tensor<2>| {
            let [_, wide] = x.dims();
            x.clone().slice([0..rows, 0..wide])
        };
        let mut episode = vec![0; rows];
        for at in 0..rows {
            let before = at.checked_sub(unroll.copies).map_or(0, |before| episode[before]);
            episode[at] = before + u32::from(unroll.start[at]);
        }
        cpc.loss(params, first(&out.seen), first(&out.moved), unroll.copies, (&episode, &unroll.valid))
    }

    /// What is lost where the core cannot tell again what is seen, done and paid; `None` if it is not asked. Pictures count
    /// `image` times.
    pub(super) fn again(&self, params: &Params, out: &Out, unroll: &Unroll, image: f64) -> Option<Tensor<1>> {
        let again = self.again.as_ref()?;
        let places: Vec<usize> = (0..unroll.valid.len()).filter(|&at| unroll.valid[at]).collect();
        if places.is_empty() {
            return None;
        }
        let device = params.device();
        let n = places.len();
        let rows = unroll.rows.gather(&places);
        let which = crate::nn::ints(places.iter().map(|&at| at as i64).collect(), [n], device);
        let x = out.moved.clone().select(0, which);
        let halved = |told: Tensor<2>, span: std::ops::Range<usize>| {
            (told - columns(&rows, span, params)).powi_scalar(2).sum() * (0.5 / n as f64)
        };
        let mut loss = halved(again.told.forward(params, x.clone()), self.told.clone());
        if let Some([first, last]) = &again.vector {
            let told = last.forward(params, first.then(params, x.clone(), Then::Relu));
            loss = loss + halved(told, 0..self.encoder.width);
        }
        for (rebuild, bytes) in again.pictures.iter().zip(&rows.pictures) {
            let logits = rebuild.forward(params, x.clone());
            let shares = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
            let shares = tensor(shares, logits.dims(), device);
            let each = softplus(logits.clone()) - logits * shares;
            loss = loss + each.mean() * image;
        }
        Some(loss)
    }
}
