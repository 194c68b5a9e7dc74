//! The networks of HALMA's agents: encoders of what is seen, the decoder that says options symbol by symbol, and the decoder of
//! what an option is worth.

use std::ops::Range;

use heldout_core::Spec;
use serde::{Deserialize, Serialize};

use crate::nn::{
    Attention, Conv, Device, Embedding, Gru, Linear, LnLstm, Mlp, Params, Tensor, Then, gumbel, log_softmax, tensor,
    values,
};
use crate::parts::inputs::{Inputs, Previous, Rows};

/// Heads of the attention, and how often its block is gone through (sec. 8.3: four layers with shared weights).
const HEADS: usize = 4;
const LAYERS: usize = 4;
/// Numbers that a symbol of an option enters the decoder as.
const SYMBOL: usize = 16;
/// Entries of a HALMA observation, each a row of its own to the attention.
const ENTRIES: usize = 11;
/// Values that an entry has; rows that are wider say themselves which they are.
const VALUES: usize = 19;

/// What is between what is seen and the decoders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two layers.
    #[default]
    Mlp,
    /// Two layers and a memory.
    Lstm,
    /// Attention between the entries.
    Transformer,
    /// The same and a memory.
    TransformerLstm,
    /// Convolutions.
    Cnn,
    /// Convolutions, and attention between what they leave.
    CnnTransformer,
}

impl Kind {
    /// By which reports know it.
    #[must_use]
    pub fn label(self) -> &'static str {
        ["MLP", "LSTM", "TRAN", "TRAN+LSTM", "CNN+MLP", "CNN+TRAN"][self as usize]
    }

    /// Whether it remembers.
    #[must_use]
    pub fn remembers(self) -> bool {
        matches!(self, Self::Lstm | Self::TransformerLstm)
    }

    fn sees_panels(self) -> bool {
        matches!(self, Self::Cnn | Self::CnnTransformer)
    }

    /// How rows become inputs: who remembers is also told what it did, what that paid, whether it was valid and whether a trial
    /// ended with it.
    ///
    /// # Errors
    ///
    /// If there is not what it looks at.
    pub(crate) fn inputs(self, spec: &Spec) -> Result<Inputs, String> {
        let [_] = spec.agents.as_slice() else {
            return Err(format!("td3 plays environments with one agent, this one has {}", spec.agents.len()));
        };
        let told = |name: &&str| spec.metrics.iter().any(|m| m.name == **name && m.scope == heldout_core::Scope::Step);
        let metrics = ["invalid", "trial_end"].iter().filter(|n| told(n)).map(|&name| name.to_owned()).collect();
        let previous = if self.remembers() {
            Previous { action_and_reward: true, reward_scale: 0.01, metrics }
        } else {
            Previous::default()
        };
        let inputs = Inputs::new(spec, 0, &previous, &[])?;
        match (self.sees_panels(), inputs.pictures.len()) {
            (true, 1) if inputs.width == 0 => Ok(inputs),
            (false, 0) if inputs.width > 0 && !inputs.has_text() => Ok(inputs),
            (true, _) => Err("this agent looks at one picture and nothing else".to_owned()),
            (false, _) => Err("this agent looks at symbols, not at pictures or text".to_owned()),
        }
    }
}

/// From what is seen to numbers.
#[derive(Clone, Debug)]
enum Sight {
    Vector(Mlp),
    /// `tokens` rows of `wide` numbers, to which the encoder adds which row it is where `index` says so.
    Tokens {
        tokens: usize,
        wide: usize,
        index: bool,
        project: Linear,
        attention: Attention,
    },
    Picture {
        layers: Vec<Conv>,
        sides: [usize; 2],
    },
    Slots {
        layers: Vec<Conv>,
        sides: [usize; 2],
        slots: usize,
        project: Linear,
        attention: Attention,
    },
}

/// From rows to vectors, over time where there is a memory.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    sight: Sight,
    decoder: Option<Mlp>,
    core: Option<LnLstm>,
    /// What is seen, and what was done and came of it, among the numbers of a row.
    seen: Range<usize>,
    past: Range<usize>,
    row: usize,
    width: usize,
}

/// What an encoder makes of rows.
pub(crate) struct Encoded {
    /// `[rows, width]`.
    pub(crate) e: Tensor<2>,
    /// The memories after each step, `[steps, copies, numbers]`, where there are any.
    pub(crate) states: Option<Tensor<3>>,
}

impl Encoder {
    /// # Errors
    ///
    /// If a picture is too small.
    pub(crate) fn new(
        params: &mut Params,
        name: &str,
        inputs: &Inputs,
        kind: Kind,
        width: usize,
    ) -> Result<Self, String> {
        let name_of = |part: &str| format!("{name}.{part}");
        let past = inputs.own_past();
        let seen = 0..past.start;
        let (sight, decoder) = match kind {
            Kind::Mlp | Kind::Lstm => {
                (Sight::Vector(Mlp::torch(params, &name_of("encoder"), seen.len(), &[width, width])), None)
            }
            Kind::Transformer | Kind::TransformerLstm => {
                let tokens = if seen.len().is_multiple_of(ENTRIES) { ENTRIES } else { 1 };
                let wide = seen.len() / tokens;
                let index = wide == VALUES;
                let into = wide + if index { tokens } else { 0 };
                let project = Linear::torch(params, &name_of("encoder.project"), into, width);
                let attention = Attention::new(params, &name_of("encoder.block"), width, HEADS, LAYERS);
                (Sight::Tokens { tokens, wide, index, project, attention }, Some(vec![width, width]))
            }
            Kind::Cnn => {
                let Eye { layers, sides, left } =
                    convolutions(params, &name_of("encoder"), inputs, [[6, 4, 0], [6, 4, 0], [7, 1, 0]], width)?;
                let decoder = Mlp::torch(params, &name_of("decoder"), width * left[0] * left[1], &[width]);
                let sight = Sight::Picture { layers, sides };
                return Ok(Self { sight, decoder: Some(decoder), core: None, seen, past, row: inputs.width, width });
            }
            Kind::CnnTransformer => {
                let Eye { layers, sides, left } =
                    convolutions(params, &name_of("encoder"), inputs, [[4, 4, 0], [4, 4, 0], [3, 2, 1]], width)?;
                let slots = left[0] * left[1];
                let project = Linear::torch(params, &name_of("encoder.project"), width + slots, width);
                let attention = Attention::new(params, &name_of("encoder.block"), width, HEADS, LAYERS);
                (Sight::Slots { layers, sides, slots, project, attention }, Some(vec![width, width]))
            }
        };
        let decoder = decoder.map(|widths| Mlp::torch(params, &name_of("decoder"), width, &widths));
        let core = kind.remembers().then(|| LnLstm::new(params, &name_of("core"), width + past.len(), width));
        Ok(Self { sight, decoder, core, seen, past, row: inputs.width, width })
    }

    /// Numbers of the memory of one copy.
    pub(crate) fn state(&self) -> usize {
        self.core.as_ref().map_or(0, |core| 2 * core.hidden)
    }

    fn columns(&self, rows: &Rows, span: &Range<usize>, device: &Device) -> Tensor<2> {
        let own =
            rows.vectors.chunks_exact(self.row.max(1)).flat_map(|row| row[span.clone()].iter().copied()).collect();
        tensor(own, [rows.count, span.len()], device)
    }

    fn see(&self, params: &Params, rows: &Rows) -> Tensor<2> {
        let device = params.device();
        let look = |layers: &[Conv], [height, width]: [usize; 2]| -> Tensor<4> {
            let shares = rows.pictures[0].iter().map(|&byte| f32::from(byte) / 255.0).collect();
            let x = tensor(shares, [rows.count, height, width, 3], device);
            layers.iter().fold(x, |x, layer| layer.then(params, x, Then::Relu))
        };
        match &self.sight {
            Sight::Vector(layers) => layers.forward(params, self.columns(rows, &self.seen, device)),
            Sight::Tokens { tokens, wide, index, project, attention } => {
                let mut numbers = Vec::new();
                for row in rows.vectors.chunks_exact(self.row) {
                    for (place, token) in row[self.seen.clone()].chunks_exact(*wide).enumerate() {
                        numbers.extend_from_slice(token);
                        if *index {
                            numbers.extend((0..*tokens).map(|i| f32::from(u8::from(i == place))));
                        }
                    }
                }
                let into = wide + if *index { *tokens } else { 0 };
                let x = tensor(numbers, [rows.count * tokens, into], device);
                attention.forward(params, project.forward(params, x), *tokens)
            }
            Sight::Picture { layers, sides } => {
                let x = look(layers, *sides);
                let features = x.dims()[1..].iter().product();
                x.reshape([rows.count, features])
            }
            Sight::Slots { layers, sides, slots, project, attention } => {
                let x = look(layers, *sides).reshape([rows.count * slots, self.width]);
                let places: Vec<usize> = (0..rows.count * slots).map(|i| i % slots).collect();
                let x = Tensor::cat(vec![x, gumbel::one_hot(&places, *slots, device)], 1);
                attention.forward(params, project.forward(params, x), *slots)
            }
        }
    }

    /// Of rows `[steps, copies]`, from the memories `state` `[copies, numbers]`, which are cleared where `keep` is 0.
    pub(crate) fn forward(&self, params: &Params, rows: &Rows, state: &[f32], keep: &[f32]) -> Encoded {
        let mut e = self.see(params, rows);
        if let Some(decoder) = &self.decoder {
            e = decoder.forward(params, e);
        }
        let Some(core) = &self.core else { return Encoded { e, states: None } };
        let copies = state.len() / self.state();
        let x = Tensor::cat(vec![e, self.columns(rows, &self.past, params.device())], 1);
        let states = core.forward(params, x, tensor(state.to_vec(), [copies, self.state()], params.device()), keep);
        let steps = rows.count / copies;
        let e = states.clone().slice([0..steps, 0..copies, 0..core.hidden]).reshape([rows.count, core.hidden]);
        Encoded { e, states: Some(states) }
    }
}

/// Convolutions over pictures of these sides, and the sides of what they leave.
struct Eye {
    layers: Vec<Conv>,
    sides: [usize; 2],
    left: [usize; 2],
}

/// Three convolutions of `[kernel, stride, margin]` that end in `width` channels.
fn convolutions(
    params: &mut Params,
    name: &str,
    inputs: &Inputs,
    shapes: [[usize; 3]; 3],
    width: usize,
) -> Result<Eye, String> {
    let picture = &inputs.pictures[0];
    let sides = [picture.height, picture.width];
    let (mut from, mut left, mut layers) = (3, sides, Vec::new());
    for (i, ([kernel, stride, margin], to)) in shapes.into_iter().zip([width / 4, width / 2, width]).enumerate() {
        // Of a picture that is small already, all is looked at at once.
        let kernel = kernel.min(left[0]).min(left[1]);
        let layer = Conv::torch(params, &format!("{name}.{i}"), [from, to], [kernel, stride, margin]);
        let [height, width] = left.map(|side| layer.side(side));
        left = match (height, width) {
            (Some(height), Some(width)) => [height, width],
            _ => return Err(format!("a picture of {} x {} is too small", sides[0], sides[1])),
        };
        layers.push(layer);
        from = to;
    }
    Ok(Eye { layers, sides, left })
}

/// What an option is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grammar {
    pub(crate) directions: usize,
    pub(crate) tokens: usize,
    /// Most tokens of an option; 0 among them ends it.
    pub(crate) length: usize,
}

impl Grammar {
    /// Of an action's components.
    ///
    /// # Errors
    ///
    /// If it is no option.
    pub(crate) fn of(sizes: &[usize]) -> Result<Self, String> {
        match sizes {
            [directions, tokens, rest @ ..] if rest.iter().all(|size| size == tokens) => {
                Ok(Self { directions: *directions, tokens: *tokens, length: 1 + rest.len() })
            }
            _ => Err(format!(
                "td3 says a direction and then tokens of one kind, not choices of {sizes:?}: the view is `actions = \"tokens\"`"
            )),
        }
    }

    /// Choices of a step: of the direction first, then of tokens.
    pub(crate) fn choices(self, step: usize) -> usize {
        if step == 0 { self.directions } else { self.tokens }
    }

    /// Writes an option as integers.
    pub(crate) fn write(symbols: &[Vec<usize>], row: usize, action: &mut [i32]) {
        action.iter_mut().zip(symbols).for_each(|(a, step)| *a = step[row] as i32);
    }

    /// Zeros after the first.
    pub(crate) fn canonical(action: &mut [i32]) {
        let end = action[1..].iter().position(|&token| token == 0).map_or(action.len(), |at| at + 1);
        action[end..].fill(0);
    }

    /// Options that were written as integers, as the steps of a decoder.
    pub(crate) fn read(self, actions: &[i32]) -> Vec<Vec<usize>> {
        let wide = self.length + 1;
        (0..wide).map(|step| actions.chunks_exact(wide).map(|action| action[step] as usize).collect()).collect()
    }

    /// Options as the numbers that a critic is given.
    pub(crate) fn one_hots(self, symbols: &[Vec<usize>], device: &Device) -> Vec<Tensor<2>> {
        symbols.iter().enumerate().map(|(step, own)| gumbel::one_hot(own, self.choices(step), device)).collect()
    }
}

/// How a symbol is chosen.
pub(crate) enum Choose<'a> {
    /// The likeliest.
    Greedy,
    /// By chance: Gumbel's noise for so many choices of each row.
    Sample(&'a mut dyn FnMut(usize) -> Vec<f32>),
    /// By chance, and gradients pass through the choice.
    Through(&'a mut dyn FnMut(usize) -> Vec<f32>),
    /// As told.
    #[cfg(test)]
    Forced(&'a [Vec<usize>]),
}

/// Options that were said, one for each row.
pub(crate) struct Said {
    /// Of each step, what each row chose.
    pub(crate) symbols: Vec<Vec<usize>>,
    /// The same as a critic is given it.
    pub(crate) choices: Vec<Tensor<2>>,
    /// Logarithms of the probabilities of every choice of each step.
    pub(crate) logs: Vec<Tensor<2>>,
    /// Of each step, whether each row's option still went on.
    pub(crate) alive: Vec<Vec<bool>>,
}

impl Said {
    /// The sum over the steps of an option that it was alive at, of something of each row.
    fn summed(&self, device: &Device, of: impl Fn(usize, &Tensor<2>) -> Tensor<2>) -> Tensor<1> {
        let each = self.logs.iter().zip(&self.alive).enumerate().map(|(step, (logs, alive))| {
            let rows = alive.len();
            let alive: Vec<f32> = alive.iter().map(|&a| f32::from(u8::from(a))).collect();
            of(step, logs).sum_dim(1).reshape([rows]) * tensor(alive, [rows], device)
        });
        each.reduce(|a: Tensor<1>, b| a + b).expect("a direction at least")
    }

    /// The logarithm of the probability of each option.
    pub(crate) fn log_prob(&self, device: &Device) -> Tensor<1> {
        self.summed(device, |step, logs| logs.clone() * self.choices[step].clone())
    }

    /// The entropy of each option: of the direction, and of its tokens up to the end.
    pub(crate) fn entropy(&self, device: &Device) -> Tensor<1> {
        self.summed(device, |_, logs| logs.clone().exp() * logs.clone() * -1.0)
    }
}

/// Says options symbol by symbol: a direction, then tokens until one of them is 0.
#[derive(Clone, Debug)]
pub(crate) struct ActionDecoder {
    gru: Gru,
    begin: Embedding,
    directions: Embedding,
    tokens: Embedding,
    direction: Linear,
    token: Linear,
    grammar: Grammar,
}

impl ActionDecoder {
    pub(crate) fn new(params: &mut Params, name: &str, grammar: Grammar, width: usize) -> Self {
        let table = |params: &mut Params, part: &str, symbols| {
            Embedding::new(params, &format!("{name}.{part}"), symbols, SYMBOL)
        };
        Self {
            gru: Gru::new(params, &format!("{name}.gru"), width + SYMBOL, width),
            begin: table(params, "begin", 1),
            directions: table(params, "directions", grammar.directions),
            tokens: table(params, "tokens", grammar.tokens),
            direction: Linear::torch(params, &format!("{name}.direction"), width, grammar.directions),
            token: Linear::torch(params, &format!("{name}.token"), width, grammar.tokens),
            grammar,
        }
    }

    /// One option for each row of `e`.
    pub(crate) fn forward(&self, params: &Params, e: Tensor<2>, mut choose: Choose<'_>) -> Said {
        let device = params.device();
        let [rows, width] = e.dims();
        let always = self.gru.constant(params, e);
        let of = |table: &Embedding| self.gru.of_table(params, table.table(params));
        let (of_directions, of_tokens) = (of(&self.directions), of(&self.tokens));
        let mut h = tensor(vec![0.0; rows * width], [rows, width], device);
        let mut gates = always.clone() + of(&self.begin);
        let mut alive = vec![true; rows];
        let mut said = Said { symbols: Vec::new(), choices: Vec::new(), logs: Vec::new(), alive: Vec::new() };
        for step in 0..=self.grammar.length {
            h = self.gru.step(params, gates, h);
            let head = if step == 0 { &self.direction } else { &self.token };
            let logits = head.forward(params, h.clone());
            let wide = self.grammar.choices(step);
            let hard = |numbers: Vec<f32>| {
                let own: Vec<usize> = numbers.chunks_exact(wide).map(gumbel::first_greatest).collect();
                (gumbel::one_hot(&own, wide, device), own)
            };
            let (mut choice, mut symbols) = match &mut choose {
                Choose::Greedy => hard(values(logits.clone())),
                Choose::Sample(noise) => {
                    let noise = noise(wide);
                    hard(values(logits.clone()).iter().zip(noise).map(|(l, g)| l + g).collect())
                }
                Choose::Through(noise) => gumbel::straight_through(logits.clone(), noise(wide), device),
                #[cfg(test)]
                Choose::Forced(all) => (gumbel::one_hot(&all[step], wide, device), all[step].clone()),
            };
            if step > 0 {
                choice = gumbel::while_alive(choice, &alive, device);
                symbols.iter_mut().zip(&alive).filter(|(_, alive)| !**alive).for_each(|(symbol, _)| *symbol = 0);
            }
            said.alive.push(alive.clone());
            if step > 0 {
                alive.iter_mut().zip(&symbols).for_each(|(alive, &symbol)| *alive &= symbol != 0);
            }
            let table = if step == 0 { &of_directions } else { &of_tokens };
            gates = always.clone() + choice.clone().matmul(table.clone());
            said.logs.push(log_softmax(logits));
            said.choices.push(choice);
            said.symbols.push(symbols);
        }
        said
    }
}

/// What an option is worth where it is said.
#[derive(Clone, Debug)]
pub(crate) struct ValueDecoder {
    gru: Gru,
    inner: Linear,
    out: Linear,
}

impl ValueDecoder {
    pub(crate) fn new(params: &mut Params, name: &str, grammar: Grammar, width: usize) -> Self {
        Self {
            gru: Gru::new(params, &format!("{name}.gru"), grammar.directions + grammar.tokens, width),
            inner: Linear::torch(params, &format!("{name}.inner"), width, width),
            out: Linear::torch(params, &format!("{name}.out"), width, 1),
        }
    }

    /// Of the options `choices` at the rows `e`, where the recurrence begins.
    pub(crate) fn forward(&self, params: &Params, e: Tensor<2>, choices: &[Tensor<2>]) -> Tensor<1> {
        let [rows, width] = e.dims();
        let (direction, tokens) = choices.split_first().expect("an option has a direction");
        let inputs = tokens.iter().map(|token| Tensor::cat(vec![direction.clone(), token.clone()], 1)).collect();
        let keep = vec![1.0; rows * tokens.len()];
        let states = self.gru.forward(params, Tensor::cat(inputs, 0), e, &keep);
        let last = states.slice([tokens.len() - 1..tokens.len(), 0..rows, 0..width]).reshape([rows, width]);
        self.out.forward(params, self.inner.then(params, last, Then::Relu)).reshape([rows])
    }
}
