//! Observations as numbers for networks, by the spec alone.

use std::ops::Range;
use std::sync::Arc;

use heldout_core::{Buffers, Dtype, FieldRef, Scope, Spec};
use serde::{Deserialize, Serialize};

use crate::text::{Bert, Vocabulary};

/// Values of a whole number that become one input each; more are one number between 0 and 1.
const ONE_HOT: f32 = 64.0;
/// Words of a text that are read.
pub const WORDS: usize = 64;

/// How a field enters the vector.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// As it is.
    Plain,
    /// One input for each value from `low` on.
    OneHot { low: i32, values: usize },
    /// Between 0 and 1.
    Scaled { low: f32, span: f32 },
}

#[derive(Clone, Debug, PartialEq)]
struct Vector {
    field: usize,
    /// Elements of the agent's own row among the field's, which are as many as the largest agent's.
    elements: Vec<usize>,
    stride: usize,
    way: Way,
}

impl Vector {
    fn width(&self) -> usize {
        match self.way {
            Way::OneHot { values, .. } => self.elements.len() * values,
            Way::Plain | Way::Scaled { .. } => self.elements.len(),
        }
    }
}

/// A field that is a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    field: usize,
    /// Its height.
    pub height: usize,
    /// Its width.
    pub width: usize,
}

impl Picture {
    /// Bytes of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        3 * self.height * self.width
    }
}

/// What a learner adds of its own past, all zero at the first row of an episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Previous {
    /// Whether the last action and the last reward are inputs.
    pub action_and_reward: bool,
    /// What the reward is multiplied by.
    pub reward_scale: f32,
    /// Names of step metrics that are inputs.
    pub metrics: Vec<String>,
}

/// How the rows of one agent become inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    agents: usize,
    agent: usize,
    vectors: Vec<Vector>,
    /// The pictures.
    pub pictures: Vec<Picture>,
    /// The field of text, if there is one.
    text: Option<(usize, usize)>,
    /// What reads it, if words are not learnt.
    encoder: Option<Arc<Bert>>,
    objects: Option<(usize, usize)>,
    mask: Option<(usize, usize)>,
    /// Choices of each component of an action.
    pub sizes: Vec<usize>,
    /// Where the agent's integers lie among those of a copy.
    pub span: Range<usize>,
    action_width: usize,
    own_action: bool,
    reward_scale: Option<f32>,
    metrics: Vec<usize>,
    metrics_width: usize,
    /// Choices that an own action is told among: those of the agent that has the most, where several share a layout.
    own_choices: usize,
    /// Numbers of the agent's own vector.
    own_width: usize,
    /// Numbers at its end that the learner writes itself.
    room: usize,
    /// Agents whose rows stand beside its own, in the same layout.
    partners: Vec<Inputs>,
    /// Numbers of the vector, partners included.
    pub width: usize,
}

/// What a learner did and was paid last, of every copy; all zero where an episode begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Last {
    /// [`Spec::action_width`] integers a copy.
    pub actions: Vec<i32>,
    /// One an agent.
    pub rewards: Vec<f32>,
    /// [`Spec::metrics`] a copy.
    pub metrics: Vec<f32>,
    /// Which copies are at the first row of an episode.
    pub starts: Vec<bool>,
}

impl Inputs {
    /// For `agent` of a batch with this spec, except fields that `without` names.
    ///
    /// # Errors
    ///
    /// If a metric asked for is none of every step.
    pub fn new(spec: &Spec, agent: usize, previous: &Previous, without: &[&str]) -> Result<Self, String> {
        Self::of(spec, agent, previous, without, false)
    }

    /// For all agents of a batch with this spec: their rows stand side by side in one layout, filled up with zeros where an agent
    /// has less than another, and `room` numbers at the end of each are the learner's to write. Texts are left out.
    ///
    /// # Errors
    ///
    /// If a metric asked for is none of every step.
    pub fn team(spec: &Spec, previous: &Previous, room: usize) -> Result<Self, String> {
        let texts: Vec<&str> = spec.observation.iter().filter(|f| f.text).map(|f| f.name).collect();
        let mut all = Vec::new();
        for agent in 0..spec.agents.len() {
            let mut one = Self::of(spec, agent, previous, &texts, true)?;
            (one.room, one.own_width) = (room, one.own_width + room);
            all.push(one);
        }
        let mut first = all.remove(0);
        first.partners = all;
        first.width = (1 + first.partners.len()) * first.own_width;
        Ok(first)
    }

    fn of(spec: &Spec, agent: usize, previous: &Previous, without: &[&str], filled: bool) -> Result<Self, String> {
        let space = &spec.agents[agent].action;
        let sizes: Vec<usize> = space.sizes().iter().map(|&n| n as usize).collect();
        let choices: usize = sizes.iter().sum();
        let of_each = spec.agents.iter().map(|a| a.action.sizes().iter().sum::<u32>() as usize);
        let own_choices = if filled { of_each.max().unwrap_or(choices) } else { choices };
        let mut inputs = Self {
            agents: spec.agents.len(),
            agent,
            vectors: Vec::new(),
            pictures: Vec::new(),
            text: None,
            encoder: None,
            objects: None,
            mask: None,
            sizes,
            span: spec.action_span(agent),
            action_width: spec.action_width(),
            own_action: previous.action_and_reward && spec.field("previous_action").is_none(),
            reward_scale: previous.action_and_reward.then_some(previous.reward_scale),
            metrics: Vec::new(),
            metrics_width: spec.metrics.len(),
            own_choices,
            own_width: 0,
            room: 0,
            partners: Vec::new(),
            width: 0,
        };
        for (index, field) in spec.observation.iter().enumerate() {
            let own = if filled { Some(&field.shape[..]) } else { field.shape_for(agent) };
            let Some(own) = own else { continue };
            let twice = field.name == "message_tokens" && spec.field("message").is_some();
            if twice || without.contains(&field.name) {
                continue;
            }
            let elements = corner(own, &field.shape);
            if ["legal_actions", "action_mask"].contains(&field.name) {
                if elements.len() == choices || (filled && elements.len() > choices) {
                    inputs.mask = Some((index, field.len()));
                }
            } else if field.text {
                inputs.text = Some((index, field.len()));
            } else if field.dtype == Dtype::U8 && field.shape.len() == 3 && field.shape[2] == 3 {
                inputs.pictures.push(Picture { field: index, height: field.shape[0], width: field.shape[1] });
            } else {
                let span = field.high - field.low;
                let way = match field.dtype {
                    Dtype::F32 => Way::Plain,
                    _ if span <= ONE_HOT => Way::OneHot { low: field.low as i32, values: span as usize + 1 },
                    _ => Way::Scaled { low: field.low, span },
                };
                inputs.vectors.push(Vector { field: index, elements, stride: field.len(), way });
            }
        }
        for name in &previous.metrics {
            let found = spec.metric(name).filter(|&m| spec.metrics[m].scope == Scope::Step);
            inputs.metrics.push(found.ok_or_else(|| format!("there is no step metric `{name}`"))?);
        }
        inputs.own_width = inputs.vectors.iter().map(Vector::width).sum::<usize>()
            + if inputs.own_action { own_choices } else { 0 }
            + usize::from(inputs.reward_scale.is_some())
            + inputs.metrics.len();
        inputs.width = inputs.own_width;
        Ok(inputs)
    }

    /// The same with the field `objects`, if there is one, as it is and no part of the vector.
    #[must_use]
    pub fn with_objects(mut self, spec: &Spec) -> Self {
        if let Some(field) = spec.field("objects") {
            self.objects = Some((field, spec.observation[field].len()));
            self.own_width -= self.vectors.iter().filter(|v| v.field == field).map(Vector::width).sum::<usize>();
            self.width = self.own_width;
            self.vectors.retain(|v| v.field != field);
        }
        self
    }

    /// The same with whole sentences as vectors by an encoder, in place of words, if there is one.
    #[must_use]
    pub fn with_encoder(mut self, encoder: Option<Arc<Bert>>) -> Self {
        self.encoder = encoder;
        self
    }

    /// What reads sentences, if words are not learnt.
    #[must_use]
    pub fn encoder(&self) -> Option<&Bert> {
        self.encoder.as_deref()
    }

    /// Whether objects are read as they are.
    #[must_use]
    pub fn has_objects(&self) -> bool {
        self.objects.is_some()
    }

    /// Whether there is a text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        self.text.is_some()
    }

    /// The step metrics that are inputs, by their names.
    #[must_use]
    pub fn told(&self, spec: &Spec) -> Vec<String> {
        self.metrics.iter().map(|&metric| spec.metrics[metric].name.clone()).collect()
    }

    /// Whether rows say which actions are legal.
    #[must_use]
    pub fn has_mask(&self) -> bool {
        self.mask.is_some()
    }

    /// All choices of all components.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Itself and its partners: one for each agent that is read.
    pub fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.partners)
    }

    /// Numbers of the agent's own vector, and how many of them, at its end, the learner writes.
    #[must_use]
    pub fn own(&self) -> (usize, usize) {
        (self.own_width, self.room)
    }

    /// Where each part of an agent's own vector lies: fields first, then the learner's own past.
    #[must_use]
    pub fn spans(&self) -> Vec<Range<usize>> {
        let mut begin = 0;
        let mut spans = Vec::new();
        for vector in &self.vectors {
            spans.push(begin..begin + vector.width());
            begin += vector.width();
        }
        if begin < self.own_width {
            spans.push(begin..self.own_width);
        }
        spans
    }

    /// Where the learner's own past lies in a vector.
    #[must_use]
    pub fn own_past(&self) -> Range<usize> {
        self.vectors.iter().map(Vector::width).sum()..self.width
    }

    /// Where the field of this name lies in a vector, if it is part of it.
    #[must_use]
    pub fn span_of(&self, spec: &Spec, name: &str) -> Option<Range<usize>> {
        let field = spec.field(name)?;
        let place = self.vectors.iter().position(|vector| vector.field == field)?;
        Some(self.spans()[place].clone())
    }

    /// The text of each copy.
    #[must_use]
    pub fn texts<'a>(&self, observation: &'a Buffers, copies: usize) -> Vec<&'a str> {
        let Some((field, stride)) = self.text else { return Vec::new() };
        let FieldRef::U8(bytes) = observation.field(field) else { return Vec::new() };
        let row = |copy: usize| {
            let row = &bytes[(copy * self.agents + self.agent) * stride..][..stride];
            let end = row.iter().position(|&b| b == 0).unwrap_or(stride);
            std::str::from_utf8(&row[..end]).unwrap_or_default()
        };
        (0..copies).map(row).collect()
    }

    /// Reads the rows of `copies` copies.
    ///
    /// # Panics
    ///
    /// If the memory is of another spec.
    #[must_use]
    pub fn read(&self, observation: &Buffers, copies: usize, last: &Last, words: Option<&Vocabulary>) -> Rows {
        let mut rows = self.read_own(observation, copies, last, words);
        for partner in &self.partners {
            rows.beside(&partner.read_own(observation, copies, last, words));
        }
        rows
    }

    fn read_own(&self, observation: &Buffers, copies: usize, last: &Last, words: Option<&Vocabulary>) -> Rows {
        let mut rows = Rows { count: copies, ..Rows::default() };
        rows.vectors.resize(copies * self.own_width, 0.0);
        for copy in 0..copies {
            let index = copy * self.agents + self.agent;
            let mut at = copy * self.own_width;
            for vector in &self.vectors {
                let out = &mut rows.vectors[at..at + vector.width()];
                read_vector(vector, observation.field(vector.field), index, out);
                at += vector.width();
            }
            let started = last.starts[copy];
            if self.own_action {
                let mut begin = at;
                let done = &last.actions[copy * self.action_width..][self.span.clone()];
                for (&size, &done) in self.sizes.iter().zip(done) {
                    if !started {
                        rows.vectors[begin + done as usize] = 1.0;
                    }
                    begin += size;
                }
                at += self.own_choices;
            }
            if let Some(scale) = self.reward_scale {
                rows.vectors[at] = if started { 0.0 } else { scale * last.rewards[index] };
                at += 1;
            }
            for &metric in &self.metrics {
                rows.vectors[at] = if started { 0.0 } else { last.metrics[copy * self.metrics_width + metric] };
                at += 1;
            }
        }
        for picture in &self.pictures {
            let FieldRef::U8(bytes) = observation.field(picture.field) else { panic!("pictures are of bytes") };
            let size = picture.bytes();
            let mut own = Vec::with_capacity(copies * size);
            let row = |copy: usize| &bytes[(copy * self.agents + self.agent) * size..][..size];
            (0..copies).for_each(|copy| own.extend_from_slice(row(copy)));
            rows.pictures.push(own);
        }
        if let Some((field, stride)) = self.objects
            && let FieldRef::I32(all) = observation.field(field)
        {
            let row = |copy: usize| all[(copy * self.agents + self.agent) * stride..][..stride].iter().copied();
            rows.objects.extend((0..copies).flat_map(row));
        }
        if let Some(encoder) = &self.encoder {
            self.texts(observation, copies).iter().for_each(|text| encoder.read(text, &mut rows.sentences));
        } else if let (Some(words), true) = (words, self.has_text()) {
            for text in self.texts(observation, copies) {
                let begin = rows.tokens.len();
                rows.tokens.extend(words.tokens(text).take(WORDS));
                rows.tokens.resize(begin + WORDS, 0);
            }
        }
        if let Some((field, stride)) = self.mask {
            for copy in 0..copies {
                let index = copy * self.agents + self.agent;
                rows.legal.extend(legal(observation.field(field), index * stride, self.choices()));
            }
            free_components(&mut rows.legal, &self.sizes);
        }
        rows
    }
}

/// The places of a corner of shape `own` among the elements of `whole`.
fn corner(own: &[usize], whole: &[usize]) -> Vec<usize> {
    let mut places = vec![0];
    for (own, whole) in own.iter().zip(whole) {
        places = places.iter().flat_map(|p| (0..*own).map(move |i| p * whole + i)).collect();
    }
    places
}

fn read_vector(vector: &Vector, field: FieldRef<'_>, row: usize, out: &mut [f32]) {
    let number = |i: usize| -> f32 {
        let at = row * vector.stride + i;
        match field {
            FieldRef::F32(x) => x[at],
            FieldRef::I32(x) => x[at] as f32,
            FieldRef::U8(x) => f32::from(x[at]),
        }
    };
    match vector.way {
        Way::Plain => out.iter_mut().zip(&vector.elements).for_each(|(o, &i)| *o = number(i)),
        Way::Scaled { low, span } => {
            out.iter_mut().zip(&vector.elements).for_each(|(o, &i)| *o = (number(i) - low) / span);
        }
        Way::OneHot { low, values } => {
            out.fill(0.0);
            for (chunk, &i) in out.chunks_exact_mut(values).zip(&vector.elements) {
                let value = number(i) as i32 - low;
                if let Some(slot) = usize::try_from(value).ok().and_then(|v| chunk.get_mut(v)) {
                    *slot = 1.0;
                }
            }
        }
    }
}

fn legal(field: FieldRef<'_>, from: usize, choices: usize) -> Vec<bool> {
    match field {
        FieldRef::F32(x) => x[from..][..choices].iter().map(|&b| b != 0.0).collect(),
        FieldRef::I32(x) => x[from..][..choices].iter().map(|&b| b != 0).collect(),
        FieldRef::U8(x) => x[from..][..choices].iter().map(|&b| b != 0).collect(),
    }
}

/// A component without any legal choice counts as all legal: what is done there means nothing.
fn free_components(legal: &mut [bool], sizes: &[usize]) {
    let choices = sizes.iter().sum();
    for row in legal.chunks_exact_mut(choices) {
        let mut rest = row;
        for &size in sizes {
            let (own, after) = rest.split_at_mut(size);
            if !own.contains(&true) {
                own.fill(true);
            }
            rest = after;
        }
    }
}

/// Inputs of some rows, pictures as bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// How many rows.
    pub count: usize,
    /// The vector of each.
    pub vectors: Vec<f32>,
    /// Each picture of each, height by width by three colours.
    pub pictures: Vec<Vec<u8>>,
    /// The objects of each, as they are told.
    pub objects: Vec<i32>,
    /// [`WORDS`] words of each text; 0: no word.
    pub tokens: Vec<u32>,
    /// The vector of each text, where an encoder reads it.
    pub sentences: Vec<f32>,
    /// Which choices of each component are legal, where rows say so.
    pub legal: Vec<bool>,
}

impl Rows {
    /// Whether they are as these inputs read them.
    #[must_use]
    pub fn is_of(&self, inputs: &Inputs) -> bool {
        let n = self.count;
        let pictures =
            self.pictures.iter().zip(&inputs.pictures).all(|(own, picture)| own.len() == n * picture.bytes());
        let per = |on: bool, wide: usize| if on { n * wide } else { 0 };
        self.vectors.len() == n * inputs.width
            && self.pictures.len() == inputs.pictures.len()
            && pictures
            && self.tokens.len() == per(inputs.has_text() && inputs.encoder.is_none(), WORDS)
            && self.legal.len() == per(inputs.has_mask(), inputs.choices())
    }

    /// The rows at these places, in this order.
    #[must_use]
    pub fn gather(&self, places: &[usize]) -> Self {
        fn of<T: Copy>(all: &[T], count: usize, places: &[usize]) -> Vec<T> {
            let width = all.len() / count.max(1);
            let mut out = Vec::with_capacity(places.len() * width);
            for &p in places {
                out.extend_from_slice(&all[p * width..][..width]);
            }
            out
        }
        Self {
            count: places.len(),
            vectors: of(&self.vectors, self.count, places),
            pictures: self.pictures.iter().map(|p| of(p, self.count, places)).collect(),
            objects: of(&self.objects, self.count, places),
            tokens: of(&self.tokens, self.count, places),
            sentences: of(&self.sentences, self.count, places),
            legal: of(&self.legal, self.count, places),
        }
    }

    /// Which choices of a row are legal, where rows say so.
    #[must_use]
    pub fn legal_of(&self, row: usize) -> Option<&[bool]> {
        let width = self.legal.len() / self.count.max(1);
        (width > 0).then(|| &self.legal[row * width..][..width])
    }

    /// The last `count` rows.
    #[must_use]
    pub fn last(&self, count: usize) -> Self {
        self.gather(&(self.count - count..self.count).collect::<Vec<_>>())
    }

    /// Puts the vectors of as many other rows, and what is legal at them, beside its own.
    fn beside(&mut self, other: &Self) {
        fn mix<T: Copy>(own: &[T], other: &[T], count: usize) -> Vec<T> {
            let (a, b) = (own.len() / count.max(1), other.len() / count.max(1));
            (0..count).flat_map(|i| own[i * a..][..a].iter().chain(&other[i * b..][..b]).copied()).collect()
        }
        self.vectors = mix(&self.vectors, &other.vectors, self.count);
        self.legal = mix(&self.legal, &other.legal, self.count);
    }

    /// Appends other rows of the same inputs.
    pub fn append(&mut self, other: &Self) {
        self.count += other.count;
        self.vectors.extend_from_slice(&other.vectors);
        self.pictures.resize(other.pictures.len(), Vec::new());
        for (own, more) in self.pictures.iter_mut().zip(&other.pictures) {
            own.extend_from_slice(more);
        }
        self.objects.extend_from_slice(&other.objects);
        self.tokens.extend_from_slice(&other.tokens);
        self.sentences.extend_from_slice(&other.sentences);
        self.legal.extend_from_slice(&other.legal);
    }
}
