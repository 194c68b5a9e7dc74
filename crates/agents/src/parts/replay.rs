//! What was played, kept to be learnt from again: rows of every copy in a ring, and sequences of them.
//!
//! A row is kept once, however many sequences it is part of; the state of a memory is kept where a sequence may begin.

use std::collections::VecDeque;

use heldout_core::Rng;
use serde::{Deserialize, Serialize};

use super::collect::Unroll;
use super::inputs::Rows;
use super::priority::{SumTree, importance, weight};

/// Where sequences begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// Each episode is one.
    Episodes,
    /// So many rows, one beginning every `stride` rows.
    Every {
        /// Rows of a sequence.
        length: usize,
        /// Rows between the beginnings of two.
        stride: usize,
    },
}

/// Rows of one copy that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    copy: u32,
    /// The number of its first row.
    first: u64,
    /// Steps; the row after the last is kept too.
    length: u32,
    /// Which sequence of all it is.
    number: u64,
}

/// Sizes of what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Copies.
    pub copies: usize,
    /// Rows of each copy.
    pub rows: usize,
    /// Numbers of a row's vector.
    pub width: usize,
    /// Whether a row says which of so many choices are legal; 0: it does not.
    pub choices: usize,
    /// Integers of an action.
    pub action: usize,
    /// Numbers of a memory's state.
    pub state: usize,
}

/// The ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    sizes: Sizes,
    cut: Cut,
    exponent: f64,
    /// Rows that were added, of each copy.
    added: u64,
    vectors: Vec<f32>,
    legal: Vec<bool>,
    action: Vec<i32>,
    reward: Vec<f32>,
    cont: Vec<f32>,
    start: Vec<bool>,
    dead: Vec<bool>,
    /// States before rows whose number is a multiple of the stride.
    states: Vec<f32>,
    slots: Vec<Option<Sequence>>,
    weights: Vec<f64>,
    /// Sequences of each copy that are there, the oldest first.
    there: Vec<VecDeque<u32>>,
    sequences: u64,
    highest: f64,
    /// The first row of the episode that each copy is in.
    began: Vec<u64>,
    #[serde(skip)]
    tree: Option<SumTree>,
}

/// Sequences that were drawn, step after step and one beside the other; shorter ones are filled up with rows that do not count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Sequences.
    pub count: usize,
    /// Steps of the longest.
    pub steps: usize,
    /// Inputs, one row more than steps.
    pub rows: Rows,
    /// Which rows begin an episode, and one row more.
    pub start: Vec<bool>,
    /// Which rows are the last of an ended episode, or beyond the sequence, and one row more.
    pub dead: Vec<bool>,
    /// What was done.
    pub action: Vec<i32>,
    /// What it paid.
    pub reward: Vec<f32>,
    /// Whether what follows counts.
    pub cont: Vec<f32>,
    /// The memory before the first row of each.
    pub state: Vec<f32>,
    /// What each counts.
    pub importance: Vec<f32>,
    /// The copy and the number of the first row of each.
    pub from: Vec<(usize, u64)>,
    /// Where each lies, and which it was.
    places: Vec<(usize, u64)>,
}

impl Drawn {
    /// Whether something was done at a place that counts.
    #[must_use]
    pub fn valid(&self, at: usize) -> bool {
        !self.dead[at]
    }
}

impl Replay {
    /// An empty one. Sequences are drawn by their priorities to the power of `exponent`.
    #[must_use]
    pub fn new(sizes: Sizes, cut: Cut, exponent: f64) -> Self {
        let all = sizes.copies * sizes.rows;
        let shortest = match cut {
            Cut::Episodes => 2,
            Cut::Every { stride, .. } => stride,
        };
        let slots = all / shortest + sizes.copies;
        Self {
            sizes,
            cut,
            exponent,
            added: 0,
            vectors: vec![0.0; all * sizes.width],
            legal: vec![false; all * sizes.choices],
            action: vec![0; all * sizes.action],
            reward: vec![0.0; all],
            cont: vec![0.0; all],
            start: vec![false; all],
            dead: vec![false; all],
            states: vec![0.0; sizes.copies * Self::kept_states(sizes, cut) * sizes.state],
            slots: vec![None; slots],
            weights: vec![0.0; slots],
            there: vec![VecDeque::new(); sizes.copies],
            sequences: 0,
            highest: 1.0,
            began: vec![0; sizes.copies],
            tree: None,
        }
    }

    /// How many states are kept of each copy: an episode begins without any.
    fn kept_states(sizes: Sizes, cut: Cut) -> usize {
        match cut {
            Cut::Episodes => 0,
            Cut::Every { stride, .. } => sizes.rows / stride + 1,
        }
    }

    fn tree(&mut self) -> &mut SumTree {
        let weights = &self.weights;
        self.tree.get_or_insert_with(|| {
            let mut tree = SumTree::new(weights.len());
            weights.iter().enumerate().for_each(|(place, &w)| tree.set(place, w));
            tree
        })
    }

    fn set_weight(&mut self, slot: usize, to: f64) {
        self.weights[slot] = to;
        self.tree().set(slot, to);
    }

    /// Whether it is of the same sizes as another.
    #[must_use]
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |r: &Self| {
            let rows = [r.vectors.len(), r.legal.len(), r.action.len(), r.reward.len(), r.cont.len(), r.start.len()];
            (rows, [r.dead.len(), r.states.len(), r.slots.len(), r.weights.len(), r.there.len(), r.began.len()])
        };
        self.sizes == other.sizes && self.cut == other.cut && lengths(self) == lengths(other)
    }

    /// Sequences that can be drawn.
    #[must_use]
    pub fn len(&self) -> usize {
        self.there.iter().map(VecDeque::len).sum()
    }

    /// Whether none can.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where row number `row` of a copy is kept.
    fn place(&self, copy: usize, row: u64) -> usize {
        copy * self.sizes.rows + (row % self.sizes.rows as u64) as usize
    }

    fn state_place(&self, copy: usize, row: u64, stride: usize) -> usize {
        let kept = Self::kept_states(self.sizes, self.cut) as u64;
        (copy as u64 * kept + row / stride as u64 % kept) as usize * self.sizes.state
    }

    /// Adds the steps of an unroll; `states` are the memory's before each step, `[steps, copies, state]`.
    ///
    /// # Panics
    ///
    /// If the sizes are others.
    pub fn add(&mut self, unroll: &Unroll, states: &[f32]) {
        let Sizes { copies, width, choices, action, state, .. } = self.sizes;
        assert_eq!(unroll.copies, copies, "as many copies");
        for t in 0..unroll.steps() {
            for copy in 0..copies {
                let (from, to) = (t * copies + copy, self.place(copy, self.added));
                self.forget(copy);
                self.vectors[to * width..][..width].copy_from_slice(&unroll.rows.vectors[from * width..][..width]);
                if choices > 0 {
                    self.legal[to * choices..][..choices]
                        .copy_from_slice(&unroll.rows.legal[from * choices..][..choices]);
                }
                self.action[to * action..][..action].copy_from_slice(&unroll.action[from * action..][..action]);
                self.reward[to] = unroll.reward[from];
                self.cont[to] = unroll.cont[from];
                self.start[to] = unroll.start[from];
                self.dead[to] = unroll.dead[from];
                match self.cut {
                    Cut::Episodes => {
                        if unroll.start[from] {
                            self.began[copy] = self.added;
                        }
                        let length = self.added - self.began[copy];
                        // Of an episode that is too long to be kept whole nothing is learnt.
                        if unroll.dead[from] && length > 0 && length < self.sizes.rows as u64 {
                            self.push(copy, self.began[copy], length);
                        }
                    }
                    Cut::Every { length, stride } => {
                        if self.added.is_multiple_of(stride as u64) {
                            let at = self.state_place(copy, self.added, stride);
                            self.states[at..at + state].copy_from_slice(&states[from * state..][..state]);
                        }
                        if let Some(first) = self.added.checked_sub(length as u64)
                            && first.is_multiple_of(stride as u64)
                        {
                            self.push(copy, first, length as u64);
                        }
                    }
                }
            }
            self.added += 1;
        }
    }

    /// Drops sequences of a copy whose first row is about to be written over.
    fn forget(&mut self, copy: usize) {
        let Some(oldest) = (self.added + 1).checked_sub(self.sizes.rows as u64) else { return };
        while let Some(&slot) = self.there[copy].front()
            && self.slots[slot as usize].is_some_and(|s| s.first < oldest)
        {
            self.there[copy].pop_front();
            self.slots[slot as usize] = None;
            self.set_weight(slot as usize, 0.0);
        }
    }

    fn push(&mut self, copy: usize, first: u64, length: u64) {
        let slots = self.slots.len() as u64;
        let free = (0..slots).map(|i| ((self.sequences + i) % slots) as usize).find(|&s| self.slots[s].is_none());
        let slot = free.expect("there are slots for all that the rows hold");
        self.slots[slot] = Some(Sequence { copy: copy as u32, first, length: length as u32, number: self.sequences });
        self.sequences += 1;
        self.there[copy].push_back(slot as u32);
        let to = weight(self.highest, self.exponent);
        self.set_weight(slot, to);
    }

    /// Draws sequences; each counts the more the rarer it is drawn, to the power of `exponent`.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn draw(&mut self, count: usize, exponent: f64, rng: &mut Rng) -> Drawn {
        let stored = self.len();
        let tree = self.tree();
        let slots = tree.draw(count, rng);
        let importance = importance(tree, &slots, stored, exponent);
        let all: Vec<Sequence> = slots.iter().map(|&s| self.slots[s].expect("what has a weight is there")).collect();
        let steps = all.iter().map(|s| s.length as usize).max().unwrap_or(0);
        let Sizes { width, choices, action, state, .. } = self.sizes;
        let mut drawn = Drawn { count, steps, importance, ..Drawn::default() };
        drawn.rows.count = (steps + 1) * count;
        for t in 0..=steps {
            for sequence in &all {
                let beyond = t > sequence.length as usize;
                let row = sequence.first + t.min(sequence.length as usize) as u64;
                let at = self.place(sequence.copy as usize, row);
                drawn.rows.vectors.extend_from_slice(&self.vectors[at * width..][..width]);
                drawn.rows.legal.extend_from_slice(&self.legal[at * choices..][..choices]);
                drawn.start.push(self.start[at]);
                drawn.dead.push(beyond || self.dead[at]);
                if t < steps {
                    let last = t >= sequence.length as usize;
                    drawn.action.extend_from_slice(&self.action[at * action..][..action]);
                    drawn.reward.push(if last { 0.0 } else { self.reward[at] });
                    drawn.cont.push(if last { 0.0 } else { self.cont[at] });
                }
            }
        }
        for sequence in &all {
            match self.cut {
                Cut::Episodes => drawn.state.resize(drawn.state.len() + state, 0.0),
                Cut::Every { stride, .. } => {
                    let at = self.state_place(sequence.copy as usize, sequence.first, stride);
                    drawn.state.extend_from_slice(&self.states[at..at + state]);
                }
            }
        }
        drawn.from = all.iter().map(|s| (s.copy as usize, s.first)).collect();
        drawn.places = slots.into_iter().zip(all.iter().map(|s| s.number)).collect();
        drawn
    }

    /// Gives drawn sequences other priorities; those that are no longer there are left out.
    pub fn update(&mut self, drawn: &Drawn, priorities: &[f64]) {
        for (&(slot, number), &priority) in drawn.places.iter().zip(priorities) {
            if self.slots[slot].is_some_and(|s| s.number == number) {
                self.highest = self.highest.max(priority);
                // Never quite zero: what is learnt by now may be forgotten again.
                self.set_weight(slot, weight(priority.max(1e-6), self.exponent));
            }
        }
    }
}
