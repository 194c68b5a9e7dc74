//! What was played, kept to be learnt from again: rows of every copy in a ring, and sequences of them.
//!
//! A row is kept once, however many sequences it is part of; the state of a memory is kept where a sequence may begin. What a
//! memory only ever adds to is kept by row too: what it held where a sequence begins is what the rows before wrote.

use std::collections::VecDeque;
use std::ops::Range;

use heldout_core::Rng;
use serde::{Deserialize, Serialize};

use super::collect::Unroll;
use super::inputs::Rows;
use super::priority::{SumTree, importance, weight};

/// Where sequences begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// An episode of at most `length` rows is one; a longer one is cut into sequences of so many from its first row on.
    Episodes {
        /// Rows of an episode that is one sequence, and of the parts of a longer one.
        length: usize,
        /// Rows between the beginnings of two parts.
        stride: usize,
    },
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
    /// The number of the first row that it needs: where things are written down, the first of the episode that it begins in.
    episode: u64,
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
    /// Numbers that are written down at each row.
    pub slot: usize,
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
    /// What was written down at each row.
    written: Vec<f32>,
    /// States of each copy before rows at which a sequence may begin, with the numbers of these rows, the oldest first.
    states: Vec<VecDeque<(u64, Vec<f32>)>>,
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
    /// What each had written down before in the episode of its first row, row after row.
    pub written: Vec<Vec<f32>>,
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
            // One step and the row after it.
            Cut::Episodes { stride, .. } => stride.min(2),
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
            written: vec![0.0; all * sizes.slot],
            states: vec![VecDeque::new(); sizes.copies],
            slots: vec![None; slots],
            weights: vec![0.0; slots],
            there: vec![VecDeque::new(); sizes.copies],
            sequences: 0,
            highest: 1.0,
            began: vec![0; sizes.copies],
            tree: None,
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
            (
                rows,
                r.written.len(),
                [r.dead.len(), r.states.len(), r.slots.len(), r.weights.len(), r.there.len(), r.began.len()],
            )
        };
        let whole = |r: &Self| r.states.iter().flatten().all(|(_, state)| state.len() == r.sizes.state);
        let alike = self.sizes == other.sizes && self.cut == other.cut && lengths(self) == lengths(other);
        alike && whole(self) && whole(other)
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

    /// Adds the steps of an unroll; `states` are the memory's before each step, `[steps, copies, state]`, and `written` is what each
    /// wrote down, `[steps, copies, slot]`.
    ///
    /// # Panics
    ///
    /// If the sizes are others.
    pub fn add(&mut self, unroll: &Unroll, states: &[f32], written: &[f32]) {
        let Sizes { copies, width, choices, action, state, slot, .. } = self.sizes;
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
                self.written[to * slot..][..slot].copy_from_slice(&written[from * slot..][..slot]);
                if unroll.start[from] {
                    self.began[copy] = self.added;
                }
                self.sequence(copy, unroll.dead[from], &states[from * state..][..state]);
            }
            self.added += 1;
        }
    }

    /// Adds the sequences that end at the row of now, which may be `dead`, and keeps the state before it where one may begin.
    fn sequence(&mut self, copy: usize, dead: bool, state: &[f32]) {
        let row = self.added;
        match self.cut {
            Cut::Episodes { length, stride } => {
                let (length, stride) = (length as u64, stride as u64);
                let began = self.began[copy];
                let steps = row - began;
                // An episode begins without any state.
                if steps > 0 && steps.is_multiple_of(stride) && !dead {
                    self.states[copy].push_back((row, state.to_vec()));
                }
                if steps >= length && (steps - length).is_multiple_of(stride) {
                    self.push(copy, row - length, length);
                } else if dead && steps > 0 {
                    // All of a short episode, or what the parts of a longer one have left over and a little before it.
                    let first = steps.saturating_sub(length).next_multiple_of(stride);
                    self.push(copy, began + first, steps - first);
                }
            }
            Cut::Every { length, stride } => {
                if row.is_multiple_of(stride as u64) {
                    self.states[copy].push_back((row, state.to_vec()));
                }
                if let Some(first) = row.checked_sub(length as u64)
                    && first.is_multiple_of(stride as u64)
                {
                    self.push(copy, first, length as u64);
                }
            }
        }
    }

    /// Drops sequences of a copy whose first row is about to be written over.
    fn forget(&mut self, copy: usize) {
        let Some(oldest) = (self.added + 1).checked_sub(self.sizes.rows as u64) else { return };
        while let Some(&slot) = self.there[copy].front()
            && self.slots[slot as usize].is_some_and(|s| s.episode < oldest)
        {
            self.there[copy].pop_front();
            self.slots[slot as usize] = None;
            self.set_weight(slot as usize, 0.0);
        }
        while self.states[copy].front().is_some_and(|(row, _)| *row < oldest) {
            self.states[copy].pop_front();
        }
    }

    /// The first row of the episode that a row is of; `None` if it is kept no more.
    fn episode_of(&self, copy: usize, row: u64) -> Option<u64> {
        let oldest = (self.added + 1).saturating_sub(self.sizes.rows as u64);
        (oldest..=row).rev().find(|&r| self.start[self.place(copy, r)])
    }

    fn push(&mut self, copy: usize, first: u64, length: u64) {
        let episode = if self.sizes.slot > 0 { self.episode_of(copy, first) } else { Some(first) };
        // What was written down in an episode that is longer than all that is kept is not known any more.
        let Some(episode) = episode else { return };
        let slots = self.slots.len() as u64;
        let free = (0..slots).map(|i| ((self.sequences + i) % slots) as usize).find(|&s| self.slots[s].is_none());
        let slot = free.expect("there are slots for all that the rows hold");
        let number = self.sequences;
        self.slots[slot] = Some(Sequence { copy: copy as u32, first, length: length as u32, episode, number });
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
            let kept = &self.states[sequence.copy as usize];
            match kept.binary_search_by_key(&sequence.first, |(row, _)| *row) {
                Ok(at) => drawn.state.extend_from_slice(&kept[at].1),
                Err(_) => drawn.state.resize(drawn.state.len() + state, 0.0),
            }
        }
        drawn.written = all.iter().map(|s| self.written(s.copy as usize, s.episode..s.first)).collect();
        drawn.from = all.iter().map(|s| (s.copy as usize, s.first)).collect();
        drawn.places = slots.into_iter().zip(all.iter().map(|s| s.number)).collect();
        drawn
    }

    /// What was written down at rows of a copy.
    fn written(&self, copy: usize, rows: Range<u64>) -> Vec<f32> {
        let slot = self.sizes.slot;
        let of = |row| &self.written[self.place(copy, row) * slot..][..slot];
        rows.flat_map(|row| of(row).iter().copied()).collect()
    }

    /// The memory before the row `after` rows into each of the sequences that were drawn last, and what each had written down
    /// before it in its episode: as it was when it was played. `None` where one of them was not kept.
    #[must_use]
    pub fn kept(&self, drawn: &Drawn, after: usize) -> Option<(Vec<f32>, Vec<Vec<f32>>)> {
        let (mut states, mut written) = (Vec::new(), Vec::new());
        for &(copy, first) in &drawn.from {
            let row = first + after as u64;
            let at = self.states[copy].binary_search_by_key(&row, |(row, _)| *row).ok()?;
            states.extend_from_slice(&self.states[copy][at].1);
            let began = if self.sizes.slot > 0 { self.episode_of(copy, row)? } else { row };
            written.push(self.written(copy, began..row));
        }
        Some((states, written))
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
