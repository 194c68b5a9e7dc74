//! Where an evaluation is played: blocks of episodes, and desks that put their records in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heldout_core::{Seed, Status};

use crate::entrant::Play;
use crate::plan::{Cell, CellPlay, batch, probe};
use crate::play::{AGENT_COPIES, Actor, Deal, Episode, Event, PlayError, Table};
use crate::records::{Failure, Kept, Record, RecordsError, Writer};
use crate::runner::{EvalError, Evaluation, Progress};

/// Episodes of a block, and copies of the batch that scripted policies play it at: few, since a batch of one thread is
/// no faster for being large, and copies that have run out of episodes cost time.
const SCRIPTED: (u64, usize) = (32, 8);
/// The same for agents, which answer many copies at once.
const AGENT: (u64, usize) = (128, AGENT_COPIES);
/// Episodes of one cell and seed.
pub(crate) struct Block {
    /// Index of the cell.
    pub(crate) cell: usize,
    /// Index of the seed.
    pub(crate) seed: usize,
    /// Place among the cell's blocks.
    pub(crate) place: usize,
    /// The episodes' numbers.
    pub(crate) numbers: Range<u64>,
    /// How many of them are recorded.
    pub(crate) kept: u64,
    /// The records of those that follow, where an earlier evaluation made them.
    pub(crate) spare: Vec<Record>,
}

impl Block {
    /// The first number that is to be played.
    pub(crate) fn first(&self) -> u64 {
        self.numbers.start + self.kept + self.spare.len() as u64
    }
}

/// Where the blocks of one cell are put in order and written.
pub(crate) struct Desk {
    writer: Option<Writer>,
    /// Place of the block that is written next.
    next: usize,
    /// Number of the cell's blocks.
    blocks: usize,
    /// Records that wait for their turn, and whether they are all that their block lacked.
    waiting: BTreeMap<usize, (Vec<Record>, bool)>,
    /// What the cell cannot do, and the place of the block that showed it: the first, as if they were played in order.
    failed: Option<(usize, Failure)>,
}

/// All that the workers share.
pub(crate) struct Floor<'a> {
    evaluation: &'a Evaluation,
    pub(crate) cells: Vec<&'a Cell>,
    pub(crate) blocks: Vec<Block>,
    desks: Vec<Mutex<Desk>>,
    next: AtomicUsize,
    /// Episodes played, and those recorded before.
    done: AtomicU64,
    /// Episodes recorded.
    written: AtomicU64,
    pub(crate) total: u64,
    stop: &'a AtomicBool,
    fatal: Mutex<Option<EvalError>>,
    broken: AtomicBool,
    progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

impl<'a> Floor<'a> {
    pub(crate) fn new(
        evaluation: &'a Evaluation,
        cells: Vec<&'a Cell>,
        stop: &'a AtomicBool,
        progress: &'a (dyn Fn(Progress<'_>) + Sync),
    ) -> Self {
        let mut blocks = Vec::new();
        let mut desks = Vec::new();
        for (number, cell) in cells.iter().enumerate() {
            let size = cell.block();
            let (mut left, mut place, mut next) = (cell.kept.front, 0, 0);
            let spare = cell.kept.spare.iter().map(|record| ((record.seed, record.episode), record));
            let spare: BTreeMap<(u64, u64), &Record> = spare.collect();
            for seed in 0..cell.header.seeds.len() {
                let count = cell.header.episodes_of(seed);
                for start in (0..count).step_by(size as usize) {
                    let numbers = start..count.min(start + size);
                    let len = numbers.end - numbers.start;
                    let kept = left.min(len);
                    left -= kept;
                    if kept == len {
                        next = place + 1;
                    } else {
                        let of = |episode| spare.get(&(cell.header.seeds[seed], episode)).map(|&record| record.clone());
                        let spare = (numbers.start + kept..numbers.end).map_while(of).collect();
                        blocks.push(Block { cell: number, seed, place, numbers, kept, spare });
                    }
                    place += 1;
                }
            }
            let waiting = BTreeMap::new();
            desks.push(Mutex::new(Desk { writer: None, next, blocks: place, waiting, failed: None }));
        }
        let total = cells.iter().map(|cell| cell.header.total()).sum();
        let kept: u64 = cells.iter().map(|cell| cell.kept.front).sum();
        let spare: u64 = blocks.iter().map(|block| block.spare.len() as u64).sum();
        Self {
            evaluation,
            cells,
            blocks,
            desks,
            next: AtomicUsize::new(0),
            done: AtomicU64::new(kept + spare),
            written: AtomicU64::new(kept),
            total,
            stop,
            fatal: Mutex::new(None),
            broken: AtomicBool::new(false),
            progress,
        }
    }

    /// Makes the files of cells that have nothing to play, which say so by their headers.
    pub(crate) fn open(&self) -> Result<(), EvalError> {
        for cell in &self.cells {
            if cell.header.total() == 0 {
                Writer::open(&self.evaluation.out, &cell.header, true)?;
            }
            if cell.kept.front == cell.header.total() {
                Kept::clear(&self.evaluation.out, &cell.header);
            }
        }
        (self.progress)(Progress::Played(self.done.load(Ordering::Relaxed), self.total));
        Ok(())
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed)
    }

    /// Plays blocks until there are none left.
    pub(crate) fn work(&self) {
        let mut seat: Option<Seat> = None;
        while !self.stopped() {
            let Some(block) = self.blocks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            if let Err(error) = self.block(block, &mut seat) {
                *locked(&self.fatal) = Some(error);
                self.broken.store(true, Ordering::Relaxed);
            }
        }
    }

    fn block(&self, block: &Block, seat: &mut Option<Seat>) -> Result<(), EvalError> {
        if !self.enter(block)? {
            return Ok(());
        }
        let played = self.played(block, seat).map_err(|error| {
            *seat = None;
            self.cells[block.cell].failure(&error)
        });
        self.settle(block, played)
    }

    /// Makes ready the desk of a block; `false` if its cell has failed before.
    pub(crate) fn enter(&self, block: &Block) -> Result<bool, EvalError> {
        let cell = self.cells[block.cell];
        let mut desk = locked(&self.desks[block.cell]);
        if desk.failed.is_some() {
            return Ok(false);
        }
        if desk.writer.is_none() {
            // What is in the way showed before: what is there now is ours, or somebody meddles.
            let (writer, found) = Writer::open(&self.evaluation.out, &cell.header, true)?;
            let (found, known) = (found.len() as u64, cell.kept.front);
            if found != known {
                let path = cell.header.path(&self.evaluation.out);
                return Err(RecordsError::Changed { path, found, known }.into());
            }
            desk.writer = Some(writer);
        }
        Ok(true)
    }

    /// The records that a block lacks, from its first on; fewer if the run is stopped.
    pub(crate) fn played(&self, block: &Block, seat: &mut Option<Seat>) -> Result<Vec<Record>, PlayError> {
        let cell = self.cells[block.cell];
        match &cell.play {
            _ if block.first() == block.numbers.end => Ok(Vec::new()),
            CellPlay::Measured(measured) => {
                let seed = cell.header.seeds[block.seed];
                let numbers = block.first()..block.numbers.end;
                let records = numbers.take_while(|_| !self.stopped()).map(|number| {
                    let sample = measured[block.seed].sample(number).map_err(PlayError::Actor)?;
                    self.count(1);
                    Ok(Record {
                        seed,
                        episode: number,
                        problem: None,
                        r#return: 0.0,
                        length: sample.length,
                        status: Status::Terminated,
                        metrics: sample.metrics,
                        trace: None,
                    })
                });
                records.collect()
            }
            CellPlay::Episodes { .. } => self.play(cell, block, seat),
        }
    }

    /// Takes what a block that was [entered](Floor::enter) lacked, from its first on, or why its cell cannot be played.
    pub(crate) fn settle(&self, block: &Block, played: Result<Vec<Record>, Failure>) -> Result<(), EvalError> {
        let mut desk = locked(&self.desks[block.cell]);
        match played {
            Err(failure) => {
                if desk.failed.as_ref().is_none_or(|(first, _)| block.place < *first) {
                    desk.failed = Some((block.place, failure));
                }
                // Only what comes before it still has its turn.
                desk.waiting.retain(|place, _| *place < block.place);
            }
            Ok(played) => {
                let records: Vec<Record> = block.spare.iter().cloned().chain(played).collect();
                let whole = records.len() as u64 == block.numbers.end - block.numbers.start - block.kept;
                desk.waiting.insert(block.place, (records, whole));
                self.write(&mut desk)?;
                if desk.next == desk.blocks {
                    Kept::clear(&self.evaluation.out, &self.cells[block.cell].header);
                }
            }
        }
        Ok(())
    }

    /// What became of it: the episodes recorded and what each cell could not do.
    ///
    /// # Errors
    ///
    /// If something ended it.
    pub(crate) fn end(self) -> Result<(u64, Vec<Option<Failure>>), EvalError> {
        if let Some(error) = self.fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let own = |desk: Mutex<Desk>| desk.into_inner().unwrap_or_else(PoisonError::into_inner).failed;
        let failed = self.desks.into_iter().map(|desk| own(desk).map(|(_, failure)| failure));
        Ok((self.written.load(Ordering::Relaxed), failed.collect()))
    }

    /// Writes the blocks whose turn it is.
    fn write(&self, desk: &mut Desk) -> Result<(), EvalError> {
        while let Some((records, whole)) = desk.waiting.remove(&desk.next) {
            if let Some(writer) = &mut desk.writer {
                writer.append(&records)?;
                self.written.fetch_add(records.len() as u64, Ordering::Relaxed);
            }
            // A block that was broken off is the last that is written: what it lacks must come first.
            if !whole {
                desk.waiting.clear();
                break;
            }
            desk.next += 1;
        }
        if desk.next == desk.blocks {
            desk.writer = None;
        }
        Ok(())
    }

    /// Tells that so many more episodes were played.
    pub(crate) fn count(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        (self.progress)(Progress::Played(done, self.total));
    }

    fn play(&self, cell: &Cell, block: &Block, seat: &mut Option<Seat>) -> Result<Vec<Record>, PlayError> {
        let seed = cell.header.seeds[block.seed];
        let variant = cell.variant(block.seed);
        if seat.as_ref().is_none_or(|seat| (seat.cell, seat.variant) != (block.cell, variant)) {
            // The old batch goes before the new one comes.
            *seat = None;
            *seat = Some(Seat::new(cell, block.cell, variant, block.seed)?);
        }
        let Some(seat) = seat else { return Ok(Vec::new()) };
        seat.turn_to(cell, block.seed)?;
        let Seat { table, actor, .. } = seat;
        let first = block.first();
        // A scripted policy plays only what is missing; an agent's whole batch must be as it was.
        let start = if actor.is_some() { block.numbers.start } else { first };
        let problems = match cell.play {
            CellPlay::Episodes { problems: true, passes, .. } => Some(cell.header.episodes_of(block.seed) / passes),
            _ => None,
        };
        let deal = Deal { seed: Seed(seed), numbers: start..block.numbers.end, problems };
        let mut episodes: Vec<Option<Episode>> = vec![None; (block.numbers.end - first) as usize];
        let actor = actor.as_mut().map(|actor| &mut **actor as &mut dyn Actor);
        table.play(&deal, actor, &|| self.stopped(), |event| {
            if let Event::Ended(number, episode) = event
                && number >= first
            {
                episodes[(number - first) as usize] = Some(episode);
                self.count(1);
            }
            if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let whole = episodes.into_iter().map_while(|episode| episode).zip(first..);
        Ok(whole.map(|(episode, number)| record(seed, number, table, &episode)).collect())
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked ends the run anyway, when the scope ends.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The record of an ended episode.
fn record(seed: u64, episode: u64, table: &Table, ended: &Episode) -> Record {
    let mut record = Record {
        seed,
        episode,
        problem: ended.problem,
        r#return: 0.0,
        length: 0,
        status: ended.status,
        metrics: BTreeMap::new(),
        trace: ended.trace.clone(),
    };
    for (i, (name, &value)) in table.names.iter().zip(&ended.metrics).enumerate() {
        // A share of nothing, or the time of an arrival that never was, tells nothing.
        let told = value.is_finite() && table.weights[i].is_none_or(|weight| ended.metrics[weight] != 0.0);
        match name.as_str() {
            "return" => record.r#return = f64::from(value),
            "length" => record.length = value as u64,
            _ if told => {
                record.metrics.insert(name.clone(), f64::from(value));
            }
            _ => {}
        }
    }
    record
}

/// A worker's batch, kept from block to block of the same cell.
pub(crate) struct Seat {
    cell: usize,
    variant: usize,
    /// The run whose agents answer.
    run: usize,
    table: Table,
    actor: Option<Box<dyn Actor>>,
}

impl Seat {
    fn new(cell: &Cell, number: usize, variant: usize, run: usize) -> Result<Self, PlayError> {
        let CellPlay::Episodes { overrides, seating: Some(seating), .. } = &cell.play else {
            return Err(PlayError::Actor("what is measured is not played".to_owned()));
        };
        let spec = probe(cell.entry, &overrides[variant])?.spec().clone();
        let wanted = if seating.has_agents() { AGENT.1 } else { SCRIPTED.1 };
        let copies = batch(&spec, cell.header.episodes, wanted);
        let mut table = Table::new(cell.entry, &overrides[variant], copies, 1)?;
        table.trace = cell.header.trace;
        let actor = seating.sit(&mut *table.env, &cell.place(run))?;
        Ok(Self { cell: number, variant, run, table, actor })
    }

    /// Lets the agents of another run answer.
    fn turn_to(&mut self, cell: &Cell, run: usize) -> Result<(), PlayError> {
        if self.run != run
            && let CellPlay::Episodes { seating: Some(seating), .. } = &cell.play
        {
            self.actor = seating.guests(self.table.env.spec(), &cell.place(run))?;
            self.run = run;
        }
        Ok(())
    }
}

impl Cell {
    /// Episodes of a block.
    fn block(&self) -> u64 {
        match self.entrant.play {
            Play::Scripted(_) => SCRIPTED.0,
            Play::Agent(_) | Play::Mixed(_) => AGENT.0,
        }
    }

    /// Which of the overrides the `seed`th seed plays under.
    fn variant(&self, seed: usize) -> usize {
        match &self.play {
            CellPlay::Episodes { overrides, .. } => seed.min(overrides.len().saturating_sub(1)),
            CellPlay::Measured(_) => 0,
        }
    }
}
