//! From what agents see to what their actions are worth: layers before the memory, the memory, and layers after it.

use std::ops::Range;

use heldout_core::Spec;
use serde::{Deserialize, Serialize};

use super::{Config, Core as Which, Size};
use crate::nn::{
    Dcem, DcemSizes, Device, Dnc, DncSizes, Esbn, EsbnSizes, Linear, Lstm, Mlp, Params, Past, Tensor, Then, softplus,
    tensor, values,
};
use crate::parts::inputs::{Inputs, Rows};

/// What was seen and heard is told again through so many numbers.
const AGAIN: usize = 512;
/// A number of what was seen is told again if it is told by less than this beside it (the S2B paper's accuracy).
const NEARLY: f32 = 0.05;

/// What all bodies remember. A body is an agent of a copy: one that plays alone is the copy itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The state of each, one after another.
    pub(crate) state: Vec<f32>,
    /// What each has written down in its episode, one slot after another.
    pub(crate) slots: Vec<Vec<f32>>,
}

impl Memory {
    /// Of so many bodies that have seen nothing.
    pub(super) fn empty(bodies: usize, network: &Network) -> Self {
        Self { state: vec![0.0; bodies * network.state()], slots: vec![Vec::new(); bodies] }
    }

    /// After rows of which `out` tells; where `keep` is 0 an episode began.
    pub(super) fn follow(&mut self, out: &Out, keep: &[f32]) {
        let bodies = self.slots.len();
        let states = values(out.states.clone());
        self.state = states[states.len() - self.state.len()..].to_vec();
        let Some(columns) = &out.columns else { return };
        let columns = values(columns.clone());
        let wide = columns.len() / keep.len().max(1);
        for (at, (column, keep)) in columns.chunks_exact(wide).zip(keep).enumerate() {
            let slots = &mut self.slots[at % bodies];
            if *keep == 0.0 {
                slots.clear();
            }
            slots.extend_from_slice(column);
        }
    }
}

/// What the network tells of some rows.
pub(super) struct Out {
    /// What each action of each agent is worth, `[rows, actions]`.
    pub(super) q: Vec<Tensor<2>>,
    /// What the memory is asked of what was seen, `[bodies of all rows, width]`.
    pub(super) core: Tensor<2>,
    /// The state after each step, `[steps, bodies, numbers]`.
    pub(super) states: Tensor<3>,
    /// What each row wrote down, `[steps, bodies, numbers]`.
    pub(super) columns: Option<Tensor<3>>,
}

/// The memory.
enum Core {
    Lstm(Vec<Lstm>),
    Dnc(Dnc),
    Esbn(Esbn),
    Dcem(Dcem),
}

/// Widths of layers, by size and memory.
struct Widths {
    seen: &'static [usize],
    /// Of what is heard; nothing: it enters as it is.
    heard: &'static [usize],
    joint: &'static [usize],
    /// Whether what is legal enters before the memory; if not it is told after it.
    legal_first: bool,
}

impl Widths {
    /// Where rows name no stimulus (`plain`), what has layers of its own is nowhere to be told from the rest, so that all of it
    /// goes through some together.
    fn of(size: Size, core: Which, plain: bool) -> Self {
        let apart = matches!(core, Which::Esbn | Which::Dcem);
        match size {
            Size::Paper if !apart => {
                Self { seen: &[512, 256, 128], heard: &[], joint: &[512, 256, 256], legal_first: true }
            }
            Size::Small => {
                let code: &[usize] = if core == Which::Dcem { &[64, 24] } else { &[64, 32] };
                let joint: &[usize] = if plain && !apart { &[128, 64] } else { &[] };
                Self { seen: code, heard: code, joint, legal_first: !apart }
            }
            Size::Paper | Size::Regym => Self { seen: &[64, 32], heard: &[64, 32], joint: &[], legal_first: false },
        }
    }
}

/// What was seen and heard, told again.
struct Again {
    inner: Linear,
    stimulus: Linear,
    message: Option<Linear>,
}

/// How well what was seen and heard is told again.
pub(super) struct Retold {
    /// What is lost where it is not.
    pub(super) loss: Tensor<1>,
    /// The share of the numbers of what was seen that are told nearly.
    pub(super) accuracy: f64,
}

/// The share of errors that are small, of rows of `wide` of them that count.
fn nearly(errors: &[f32], wide: usize, valid: &[f32]) -> f64 {
    let own = errors.chunks_exact(wide).zip(valid).filter(|(_, v)| **v > 0.0).flat_map(|(row, _)| row);
    own.clone().filter(|error| error.abs() < NEARLY).count() as f64 / own.count().max(1) as f64
}

/// What an action adds to what the row is worth.
struct Dueling {
    value: Linear,
    advantage: Linear,
}

impl Dueling {
    fn forward(&self, params: &Params, x: Tensor<2>) -> Tensor<2> {
        let advantage = self.advantage.forward(params, x.clone());
        self.value.forward(params, x) + advantage.clone() - advantage.mean_dim(1)
    }
}

/// The network of all agents: they share all but their last layers.
pub(super) struct Network {
    stimulus: Option<(Range<usize>, Mlp)>,
    message: Option<(Range<usize>, Option<Mlp>)>,
    previous_action: Option<Range<usize>>,
    /// Parts of the vector that are none of these.
    rest: Vec<Range<usize>>,
    joint: Option<Mlp>,
    core: Core,
    heads: Vec<Dueling>,
    again: Option<Again>,
    legal_first: bool,
    /// Numbers of a body's vector.
    width: usize,
    /// Choices of each agent of which rows say whether they are legal; empty: they do not.
    legal: Vec<usize>,
    /// Tokens of a message, each beside an end.
    tokens: usize,
}

/// The parts of all bodies' rows.
struct Parts {
    stimulus: Option<Tensor<2>>,
    message: Option<Tensor<2>>,
    previous_action: Option<Tensor<2>>,
    rest: Option<Tensor<2>>,
    legal: Option<Tensor<2>>,
}

fn join(parts: Vec<Tensor<2>>) -> Tensor<2> {
    if parts.len() == 1 { parts.into_iter().next().expect("one") } else { Tensor::cat(parts, 1) }
}

/// One long short-term memory behind another.
fn lstms(params: &mut Params, size: Size, mut from: usize) -> Vec<Lstm> {
    let hidden: &[usize] = match size {
        Size::Paper => &[256, 128],
        Size::Regym => &[512],
        Size::Small => &[128],
    };
    let mut layers = Vec::new();
    for (i, &hidden) in hidden.iter().enumerate() {
        layers.push(Lstm::new(params, &format!("core.{i}"), from, hidden, 0.0));
        from = hidden;
    }
    layers
}

impl Network {
    /// For agents that see `inputs`, and may choose among `choices`.
    pub(super) fn new(
        params: &mut Params,
        inputs: &Inputs,
        choices: &[usize],
        spec: &Spec,
        config: &Config,
    ) -> Result<Self, String> {
        let stimulus = inputs.span_of(spec, "stimulus");
        let widths = Widths::of(config.size, config.core, stimulus.is_none());
        let message = inputs.span_of(spec, "message");
        let previous_action = inputs.span_of(spec, "previous_action");
        let named = [&stimulus, &message, &previous_action];
        let width = inputs.width / choices.len();
        let own = inputs.spans().into_iter().filter(|span| span.end <= width);
        let rest: Vec<_> = own.filter(|span| !named.contains(&&Some(span.clone()))).collect();
        let legal = if inputs.has_mask() { choices.to_vec() } else { Vec::new() };
        let told = legal.iter().copied().max().unwrap_or(0);
        let len = |span: &Option<Range<usize>>| span.as_ref().map_or(0, ExactSizeIterator::len);
        let rest_width = rest.iter().map(ExactSizeIterator::len).sum::<usize>();

        let seen = stimulus.clone().map(|span| (span.clone(), Mlp::torch(params, "stimulus", span.len(), widths.seen)));
        let heard = message.clone().map(|span| {
            let layers = (!widths.heard.is_empty()).then(|| Mlp::torch(params, "message", span.len(), widths.heard));
            (span, layers)
        });
        let code = seen.as_ref().map_or(0, |(_, layers)| layers.outputs());
        let word = heard.as_ref().map_or(0, |(span, layers)| layers.as_ref().map_or(span.len(), Mlp::outputs));
        let first = if widths.legal_first { told } else { 0 };
        let together = code + word + len(&previous_action) + rest_width + first;
        if together == 0 {
            return Err("there is nothing to see".to_owned());
        }
        let joint = (!widths.joint.is_empty()).then(|| Mlp::torch(params, "joint", together, widths.joint));
        let from = joint.as_ref().map_or(together, Mlp::outputs);
        let flags = rest_width;
        let (core, told_width, after) = match config.core {
            Which::Lstm => {
                let layers = lstms(params, config.size, from);
                let out = layers[layers.len() - 1].hidden;
                (Core::Lstm(layers), out, out)
            }
            Which::Dnc => {
                let (controller, slots, word): (&[usize], _, _) =
                    if config.size == Size::Small { (&[128], 32, 16) } else { (&[128, 128], 128, 32) };
                let sizes = DncSizes { inputs: from, controller, slots, word, heads: 2, out: 128 };
                let core = Dnc::new(params, "core", sizes);
                (Core::Dnc(core), slots * word, 128)
            }
            Which::Esbn => {
                let (controller, core, out) = if config.size == Size::Small { (64, 128, 128) } else { (256, 512, 256) };
                let core = Esbn::new(params, "core", EsbnSizes { inputs: from, controller, core, out });
                let after = out + from + core.beside();
                (Core::Esbn(core), out, after)
            }
            Which::Dcem => {
                let codes = [code + flags, word + flags];
                if codes.contains(&0) {
                    return Err(
                        "dcem remembers what is seen beside what is heard, and there is nothing of one".to_owned()
                    );
                }
                let (query, core, out) = if config.size == Size::Small { (64, 128, 128) } else { (256, 512, 256) };
                let core = Dcem::new(params, "core", DcemSizes { codes, rest: from, query, core, out });
                (Core::Dcem(core), out, out)
            }
        };
        let after = after + told - first;
        let head = |params: &mut Params, name: &str, n: usize| Dueling {
            value: Linear::torch(params, &format!("{name}value"), after, 1),
            advantage: Linear::torch(params, &format!("{name}advantage"), after, n),
        };
        let heads = match choices {
            [n] => vec![head(params, "", *n)],
            _ => choices.iter().enumerate().map(|(i, &n)| head(params, &format!("agent.{i}."), n)).collect(),
        };
        let again = config.reconstruct.then(|| Again {
            inner: Linear::torch(params, "again.inner", told_width, AGAIN),
            stimulus: Linear::torch(params, "again.stimulus", AGAIN, len(&stimulus).max(1)),
            message: message.as_ref().map(|span| Linear::torch(params, "again.message", AGAIN, span.len())),
        });
        if again.is_some() && stimulus.is_none() {
            return Err("there is no `stimulus` to be told again".to_owned());
        }
        let positions = spec.field("message_tokens").map_or(1, |f| spec.observation[f].len());
        let tokens = len(&message) / positions.max(1);
        let legal_first = widths.legal_first;
        Ok(Self {
            stimulus: seen,
            message: heard,
            previous_action,
            rest,
            joint,
            core,
            heads,
            again,
            legal_first,
            width,
            legal,
            tokens,
        })
    }

    /// Agents of a copy.
    pub(super) fn agents(&self) -> usize {
        self.heads.len()
    }

    /// Numbers of the state of one body.
    pub(super) fn state(&self) -> usize {
        match &self.core {
            Core::Lstm(layers) => layers.iter().map(|layer| 2 * layer.hidden).sum(),
            Core::Dnc(core) => core.state(),
            Core::Esbn(core) => core.state(),
            Core::Dcem(core) => core.state(),
        }
    }

    /// Numbers that a body writes down at each row.
    pub(super) fn slot(&self) -> usize {
        match &self.core {
            Core::Lstm(_) | Core::Dnc(_) => 0,
            Core::Esbn(core) => core.slot(),
            Core::Dcem(core) => core.slot(),
        }
    }

    /// The columns of spans of each body's row.
    fn columns(&self, vectors: &[f32], spans: &[Range<usize>], device: &Device) -> Option<Tensor<2>> {
        let wide: usize = spans.iter().map(ExactSizeIterator::len).sum();
        let bodies = vectors.len() / self.width;
        let of = |row: &[f32]| spans.iter().flat_map(|span| row[span.clone()].to_vec()).collect::<Vec<_>>();
        let numbers: Vec<f32> = vectors.chunks_exact(self.width).flat_map(of).collect();
        (wide > 0).then(|| tensor(numbers, [bodies, wide], device))
    }

    /// What is legal for each body, filled up to as many choices as the agent with the most has.
    fn legal(&self, rows: &Rows, device: &Device) -> Option<Tensor<2>> {
        let most = self.legal.iter().copied().max()?;
        let all: usize = self.legal.iter().sum();
        let mut numbers = Vec::with_capacity(rows.count * self.legal.len() * most);
        for row in rows.legal.chunks_exact(all) {
            let mut rest = row;
            for &own in &self.legal {
                let (own, after) = rest.split_at(own);
                let end = numbers.len() + most;
                numbers.extend(own.iter().map(|&b| f32::from(u8::from(b))));
                numbers.resize(end, 0.0);
                rest = after;
            }
        }
        Some(tensor(numbers, [rows.count * self.legal.len(), most], device))
    }

    fn parts(&self, params: &Params, rows: &Rows) -> Parts {
        let device = params.device();
        let one = |span: &Range<usize>| self.columns(&rows.vectors, std::slice::from_ref(span), device);
        let stimulus = self.stimulus.as_ref().and_then(|(span, layers)| Some(layers.forward(params, one(span)?)));
        let message = self.message.as_ref().and_then(|(span, layers)| {
            let heard = one(span)?;
            Some(layers.as_ref().map_or(heard.clone(), |layers| layers.forward(params, heard)))
        });
        Parts {
            stimulus,
            message,
            previous_action: self.previous_action.as_ref().and_then(one),
            rest: self.columns(&rows.vectors, &self.rest, device),
            legal: self.legal(rows, device),
        }
    }

    /// Of the rows of all copies, step after step, from what bodies remember; it is forgotten where `keep` (of each body) is 0.
    pub(super) fn forward(&self, params: &Params, rows: &Rows, memory: &Memory, keep: &[f32]) -> Out {
        let device = params.device();
        let parts = self.parts(params, rows);
        let bodies = memory.slots.len();
        let steps = keep.len() / bodies;
        let state = tensor(memory.state.clone(), [bodies, self.state()], device);
        let mut all: Vec<Tensor<2>> = [&parts.stimulus, &parts.message, &parts.previous_action, &parts.rest]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        if self.legal_first {
            all.extend(parts.legal.clone());
        }
        let mut x = join(all);
        if let Some(joint) = &self.joint {
            x = joint.forward(params, x);
        }
        let (mut after, core, states, columns) = match &self.core {
            Core::Lstm(layers) => {
                let (mut begin, mut states) = (0, Vec::new());
                for layer in layers {
                    let own = 2 * layer.hidden;
                    let before = state.clone().slice([0..bodies, begin..begin + own]);
                    let both = layer.forward(params, x, before, keep);
                    x = both.clone().slice([0..steps, 0..bodies, 0..layer.hidden]).reshape([keep.len(), layer.hidden]);
                    states.push(both);
                    begin += own;
                }
                (vec![x.clone()], x, Tensor::cat(states, 2), None)
            }
            Core::Dnc(dnc) => {
                let out = dnc.forward(params, x, state, keep);
                (vec![out.out], out.words, out.states, None)
            }
            Core::Esbn(esbn) => {
                let past = Past::new(&memory.slots, esbn.slot());
                let out = esbn.forward(params, x.clone(), state, &past, keep);
                (vec![out.out.clone(), x, out.beside], out.out, out.states, Some(out.columns))
            }
            Core::Dcem(dcem) => {
                let code = |own: &Option<Tensor<2>>| join(own.iter().chain(&parts.rest).cloned().collect());
                let past = Past::new(&memory.slots, dcem.slot());
                let codes = [code(&parts.stimulus), code(&parts.message)];
                let out = dcem.forward(params, codes, x, state, &past, keep);
                (vec![out.out.clone()], out.out, out.states, Some(out.columns))
            }
        };
        if !self.legal_first {
            after.extend(parts.legal);
        }
        let after = join(after);
        let (agents, [all, wide]) = (self.agents(), after.dims());
        let by_agent = after.reshape([all / agents, agents, wide]);
        let head = |(i, head): (usize, &Dueling)| {
            let own = by_agent.clone().slice([0..all / agents, i..i + 1, 0..wide]).reshape([all / agents, wide]);
            head.forward(params, own)
        };
        let q = self.heads.iter().enumerate().map(head).collect();
        Out { q, core, states, columns }
    }

    /// How well the memory tells again what was seen and heard, of rows that count so much each.
    pub(super) fn again(&self, params: &Params, core: &Tensor<2>, rows: &Rows, valid: &[f32]) -> Option<Retold> {
        let again = self.again.as_ref()?;
        let device = params.device();
        let agents = self.agents();
        let valid: Vec<f32> = valid.iter().flat_map(|&v| std::iter::repeat_n(v, agents)).collect();
        let bodies = valid.len();
        let [_, width] = core.dims();
        let inner = again.inner.then(params, core.clone().slice([0..bodies, 0..width]), Then::Relu);
        let vectors = &rows.vectors[..bodies * self.width];
        let weigh = |each: Tensor<2>, valid: Vec<f32>| {
            let [_, wide] = each.dims();
            let total = valid.iter().sum::<f32>().max(1.0);
            (each * tensor(valid, [bodies, 1], device)).sum() / (total * wide as f32)
        };
        let (span, _) = self.stimulus.as_ref()?;
        let seen = self.columns(vectors, std::slice::from_ref(span), device)?;
        let seen = again.stimulus.forward(params, inner.clone()) - seen;
        let accuracy = nearly(&values(seen.clone()), span.len(), &valid);
        let mut loss = weigh(seen.powi_scalar(2), valid.clone());
        if let (Some(layer), Some((span, _))) = (&again.message, &self.message) {
            let heard = self.columns(vectors, std::slice::from_ref(span), device)?;
            // A message of nothing but ends was not said.
            let silent = |row: &[f32]| row[span.clone()].chunks_exact(self.tokens.max(1)).all(|one| one[0] == 1.0);
            let said: Vec<f32> = vectors
                .chunks_exact(self.width)
                .zip(&valid)
                .map(|(row, &v)| if silent(row) { 0.0 } else { v })
                .collect();
            if said.iter().any(|&v| v > 0.0) {
                let logits = layer.forward(params, inner);
                loss = loss + weigh(softplus(logits.clone()) - logits * heard, said);
            }
        }
        Some(Retold { loss, accuracy })
    }
}
