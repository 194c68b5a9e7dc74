//! Messages, and the numbers that stand for actions.

use crate::config::{Actions, Settings};

/// Most tokens of a message.
pub(crate) const MAX_LENGTH: usize = 8;
/// The token that ends a sentence. It alone is grounded: no permutation moves it.
pub(crate) const EOS: u8 = 0;

/// Tokens, [`EOS`] after the last.
pub(crate) type Message = [u8; MAX_LENGTH];

/// The message with nothing said after its first [`EOS`].
pub(crate) fn regular(mut message: Message) -> Message {
    if let Some(end) = message.iter().position(|&t| t == EOS) {
        message[end..].fill(EOS);
    }
    message
}

/// Number of regular messages of at most `length` tokens.
pub(crate) fn sentences(vocabulary: u32, length: u32) -> u64 {
    (0..length).fold(1_u64, |n, _| n.saturating_mul(u64::from(vocabulary)).saturating_add(1))
}

/// Number of `message` among the regular ones: a bijective numeral whose first token counts least.
pub(crate) fn sentence_of(message: Message, vocabulary: u32) -> u32 {
    message.iter().rev().fold(0, |id, &token| id * vocabulary + u32::from(token))
}

/// The regular message whose number is `id`.
pub(crate) fn message_of(id: u32, vocabulary: u32) -> Message {
    let mut message = [EOS; MAX_LENGTH];
    let mut rest = id;
    for token in &mut message {
        if rest == 0 {
            break;
        }
        *token = ((rest - 1) % vocabulary) as u8 + 1;
        rest = (rest - u32::from(*token)) / vocabulary;
    }
    message
}

/// What an agent does: a decision, a message, both or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Act {
    /// Which stimulus is the target's; the number of stimuli stands for none of them. `None`: no decision.
    pub(crate) decision: Option<u8>,
    /// What is said; empty: nothing.
    pub(crate) message: Message,
}

impl Act {
    /// No decision and no message.
    pub(crate) const NOTHING: Self = Self { decision: None, message: [EOS; MAX_LENGTH] };

    /// A message.
    pub(crate) fn say(message: Message) -> Self {
        Self { decision: None, message: regular(message) }
    }

    /// A decision.
    pub(crate) fn decide(decision: u8) -> Self {
        Self { decision: Some(decision), message: [EOS; MAX_LENGTH] }
    }
}

/// Who an agent is in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It knows the target and speaks.
    Speaker,
    /// It hears and decides.
    Listener,
}

/// How the actions of one role are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Codec {
    actions: Actions,
    /// Decisions beside doing nothing; zero for an agent that never decides.
    decisions: u32,
    vocabulary: u32,
    /// Tokens of a message; zero for an agent that never speaks.
    length: usize,
    sentences: u32,
}

impl Codec {
    pub(crate) fn new(settings: &Settings, role: Role) -> Self {
        let speaks = role == Role::Speaker || settings.listener_query;
        let combined = settings.actions == Actions::Combined;
        Self {
            actions: settings.actions,
            decisions: if combined || role == Role::Listener { settings.decisions() } else { 0 },
            vocabulary: settings.vocabulary,
            length: if combined || speaks { settings.message_length as usize } else { 0 },
            sentences: sentences(settings.vocabulary, settings.message_length) as u32,
        }
    }

    /// Number of choices of each integer of an action.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        let mut sizes = Vec::new();
        match self.actions {
            Actions::Combined => sizes.push(self.decisions * self.sentences + 1),
            Actions::Plain | Actions::Sentences => {
                if self.decisions > 0 {
                    sizes.push(self.decisions + 1);
                }
                if self.length > 0 && self.actions == Actions::Plain {
                    sizes.extend(std::iter::repeat_n(self.vocabulary + 1, self.length));
                } else if self.length > 0 {
                    // An agent with nothing but a message needs a number of its own for doing nothing.
                    sizes.push(self.sentences + u32::from(self.decisions == 0));
                }
            }
        }
        sizes
    }

    /// The act that `raw` stands for; `raw` is in the space.
    pub(crate) fn decode(&self, raw: &[i32]) -> Act {
        let mut act = Act::NOTHING;
        let mut rest = raw;
        if self.actions == Actions::Combined {
            let id = raw[0] as u32;
            if id < self.decisions * self.sentences {
                act.decision = Some((id / self.sentences) as u8);
                act.message = message_of(id % self.sentences, self.vocabulary);
            }
            return act;
        }
        if self.decisions > 0 {
            let (first, others) = raw.split_at(1);
            rest = others;
            act.decision = Some(first[0] as u8).filter(|&d| u32::from(d) < self.decisions);
        }
        if self.actions == Actions::Sentences {
            if let Some(&id) = rest.first().filter(|&&id| (id as u32) < self.sentences) {
                act.message = message_of(id as u32, self.vocabulary);
            }
            return act;
        }
        for (token, &raw) in act.message.iter_mut().zip(rest) {
            *token = raw as u8;
        }
        act.message = regular(act.message);
        act
    }

    /// Writes integers that stand for `act`.
    pub(crate) fn encode(&self, act: &Act, raw: &mut [i32]) {
        let sentence = || sentence_of(act.message, self.vocabulary);
        if self.actions == Actions::Combined {
            let nothing = act.decision.is_none() && act.message[0] == EOS;
            let id = u32::from(act.decision.unwrap_or(0)) * self.sentences + sentence();
            raw[0] = if nothing { self.decisions * self.sentences } else { id } as i32;
            return;
        }
        let mut rest = raw;
        if self.decisions > 0 {
            let (first, others) = rest.split_at_mut(1);
            rest = others;
            first[0] = act.decision.map_or(self.decisions as i32, i32::from);
        }
        match (self.actions, rest) {
            (_, []) => {}
            (Actions::Sentences, rest) => {
                let nothing = self.decisions == 0 && act.message[0] == EOS;
                rest[0] = if nothing { self.sentences } else { sentence() } as i32;
            }
            (_, rest) => {
                for (raw, &token) in rest.iter_mut().zip(&act.message) {
                    *raw = i32::from(token);
                }
            }
        }
    }

    /// Length of the one-hot vector of an action: a unit for each choice of each integer.
    pub(crate) fn width(&self) -> usize {
        self.sizes().iter().map(|&n| n as usize).sum()
    }

    /// Writes `act` one-hot.
    pub(crate) fn write(&self, act: &Act, out: &mut [f32]) {
        out.fill(0.0);
        let mut base = 0;
        if self.actions != Actions::Plain {
            let mut raw = [0; 2];
            let sizes = self.two_sizes();
            self.encode(act, if sizes[1] > 0 { &mut raw } else { &mut raw[..1] });
            out[raw[0] as usize] = 1.0;
            if sizes[1] > 0 {
                out[sizes[0] + raw[1] as usize] = 1.0;
            }
            return;
        }
        if self.decisions > 0 {
            out[act.decision.map_or(self.decisions as usize, usize::from)] = 1.0;
            base = self.decisions as usize + 1;
        }
        let stride = self.vocabulary as usize + 1;
        for (p, &token) in act.message[..self.length].iter().enumerate() {
            out[base + p * stride + usize::from(token)] = 1.0;
        }
    }

    /// Writes which choices are legal for an agent that may decide, may speak, or neither.
    pub(crate) fn mask(&self, decides: bool, speaks: bool, out: &mut [f32]) {
        if self.actions == Actions::Combined {
            let acts = decides || speaks;
            out.fill(f32::from(u8::from(acts)));
            out[(self.decisions * self.sentences) as usize] = f32::from(u8::from(!acts));
            return;
        }
        let mut rest = out;
        if self.decisions > 0 {
            let (own, others) = rest.split_at_mut(self.decisions as usize + 1);
            own.fill(f32::from(u8::from(decides)));
            own[self.decisions as usize] = f32::from(u8::from(!decides));
            rest = others;
        }
        if self.length == 0 {
            return;
        }
        rest.fill(f32::from(u8::from(speaks)));
        match self.actions {
            Actions::Plain => (0..self.length).for_each(|p| rest[p * (self.vocabulary as usize + 1)] = 1.0),
            _ if self.decisions > 0 => rest[0] = 1.0,
            _ => rest[self.sentences as usize] = f32::from(u8::from(!speaks)),
        }
    }

    /// The sizes of at most two integers, without allocating.
    fn two_sizes(&self) -> [usize; 2] {
        let (decisions, sentences) = (self.decisions as usize, self.sentences as usize);
        match (self.actions, decisions, self.length) {
            (Actions::Combined, ..) => [decisions * sentences + 1, 0],
            (_, 0, _) => [sentences + 1, 0],
            (_, _, 0) => [decisions + 1, 0],
            _ => [decisions + 1, sentences],
        }
    }
}
