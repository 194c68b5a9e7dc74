//! Playing protocols: episodes spread over threads, records in the order of their numbers whatever the spread.
//!
//! The work is cut into blocks of episodes of one cell and seed. Blocks are fixed by the episodes' numbers alone, and so
//! is the batch that a block is played at, so that a policy whose arithmetic depends on its batch still gives the same
//! records with any number of threads and after any interruption.

use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heldout_core::room::{STACK, has_room_for_threads};
use heldout_core::{Seed, Status};
use heldout_files::Hold;

use crate::curves;
use crate::entrant::{Entrant, Play};
use crate::plan::{Cell, CellPlay, PROBLEMS, Planned, Planner, batch, probe};
use crate::play::{AGENT_COPIES, Actor, Deal, Episode, Event, PlayError, Table};
use crate::protocol::{MOST_EPISODES, MOST_SEEDS, Protocol};
use crate::records::{FOLDER, Failure, Kept, Record, RecordsError, SCALES, Writer, file_name};
use crate::results::PROTOCOLS;

/// Episodes of a block, and copies of the batch that scripted policies play it at: few, since a batch of one thread is
/// no faster for being large, and copies that have run out of episodes cost time.
const SCRIPTED: (u64, usize) = (32, 8);
/// The same for agents, which answer many copies at once.
const AGENT: (u64, usize) = (128, AGENT_COPIES);
/// Episodes of an evaluation at the most: what has yet to be played is held in memory.
const MOST_IN_ALL: u64 = 200_000_000;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Which protocols.
    pub protocols: Vec<Protocol>,
    /// Who takes part.
    pub entrants: Vec<Entrant>,
    /// Which tasks of the protocols, by name; all if it is empty.
    pub tasks: Vec<String>,
    /// The directory to write to.
    pub out: PathBuf,
    /// The first run seed; the others follow it.
    pub seed: u64,
    /// Number of run seeds; the protocol's unless told, or as many as an agent has policies if it has several.
    pub seeds: Option<u64>,
    /// Episodes of each condition and seed; the protocol's unless told. Of a finite set, its first problems.
    pub episodes: Option<u64>,
    /// Threads to spread over; the records do not depend on it.
    pub threads: usize,
    /// Whether to go on from the records that are there: of the same evaluation, or of one with fewer seeds or episodes.
    pub resume: bool,
    /// Whether to go on even from those of another build, which the records then say.
    pub other_build: bool,
}

/// An evaluation whose directory nobody else writes to, until this is dropped: after its report, if it is to have one.
#[derive(Debug)]
pub struct Held<'a> {
    evaluation: &'a Evaluation,
    _holds: Vec<Hold>,
}

impl Held<'_> {
    /// Plays all that is not recorded yet, until `stop` is set.
    ///
    /// # Errors
    ///
    /// If records are in the way, or they cannot be written. A task that cannot be played is no error but one of
    /// [`Outcome::failures`].
    pub fn run(&self, stop: &AtomicBool, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Outcome, EvalError> {
        self.evaluation.play(stop, progress)
    }
}

/// Where an evaluation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// Making ready what is to be played.
    Preparing(&'a str),
    /// Playing: episodes done, and all.
    Played(u64, u64),
}

/// How an evaluation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What could not be played; also in the file [`crate::records::FAILURES`].
    pub failures: Vec<Failure>,
    /// Episodes recorded, those of an earlier run included.
    pub done: u64,
    /// Episodes of all that could be played; 0 if it was told to stop before that was known.
    pub total: u64,
    /// Whether it was told to stop before the end.
    pub interrupted: bool,
}

/// An evaluation that cannot be carried out. What was recorded is kept.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A list with nothing in it.
    #[error("there is no {what} to evaluate")]
    Nothing {
        /// Of what.
        what: &'static str,
    },
    /// A number out of range.
    #[error("`{what}` is `{value}`, must be {allowed}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: u64,
        /// What is allowed.
        allowed: String,
    },
    /// A task that no protocol has.
    #[error("no protocol to evaluate has a task `{name}`; there are {}", known.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))]
    Task {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Two of a name.
    #[error("the {what} `{first}` and `{second}` would share their records: give one another name")]
    Twice {
        /// Protocols or labels.
        what: &'static str,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// Threads that the system does not give.
    #[error("`threads` is `{threads}`, more than the system gives: {error}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        error: io::Error,
    },
    /// An entrant whose curves of training cannot be read.
    #[error("the curves of training that `{label}` brings: {problem}")]
    Curves {
        /// Who.
        label: String,
        /// Why not.
        problem: String,
    },
    /// A file of the directory that is not what it should be.
    #[error("`{}`: {problem}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Records that cannot be used or written.
    #[error(transparent)]
    Records(#[from] RecordsError),
}

impl Evaluation {
    /// Checks what can be checked before anything is made.
    fn check(&self) -> Result<(), EvalError> {
        let within = |what, value: Option<u64>, most| match value {
            Some(n) if !(1..=most).contains(&n) => {
                Err(EvalError::Number { what, value: n, allowed: format!("1 to {most}") })
            }
            _ => Ok(()),
        };
        within("seeds", self.seeds, MOST_SEEDS)?;
        within("episodes", self.episodes, MOST_EPISODES)?;
        within("threads", Some(self.threads as u64), 1024)?;
        if self.seed > u64::MAX - MOST_SEEDS {
            let allowed = format!("at most {}", u64::MAX - MOST_SEEDS);
            return Err(EvalError::Number { what: "seed", value: self.seed, allowed });
        }
        let names: Vec<&str> = self.protocols.iter().map(|p| p.name.as_str()).collect();
        let labels: Vec<&str> = self.entrants.iter().map(|e| e.label.as_str()).collect();
        for (what, one, all) in [("protocols", "protocol", names), ("labels", "policy", labels)] {
            if all.is_empty() {
                return Err(EvalError::Nothing { what: one });
            }
            for (i, second) in all.iter().enumerate() {
                let same = |first: &&&str| file_name(first).eq_ignore_ascii_case(&file_name(second));
                if let Some(first) = all[..i].iter().find(same) {
                    let (first, second) = ((*first).to_owned(), (*second).to_owned());
                    return Err(EvalError::Twice { what, first, second });
                }
            }
        }
        let known = || self.protocols.iter().flat_map(|p| &p.tasks).map(|task| task.name.clone());
        if let Some(name) = self.tasks.iter().find(|name| !known().any(|task| task == **name)) {
            return Err(EvalError::Task { name: name.clone(), known: known().collect() });
        }
        Ok(())
    }

    /// Whether the task called `name` is played.
    pub(crate) fn asks(&self, name: &str) -> bool {
        self.tasks.is_empty() || self.tasks.iter().any(|task| task == name)
    }

    /// Takes the directory: nobody else writes to it for as long as what this returns lives.
    ///
    /// # Errors
    ///
    /// If the evaluation does not make sense, somebody else writes to the directory, or it cannot be written to.
    pub fn hold(&self) -> Result<Held<'_>, EvalError> {
        self.check()?;
        let take = |folder: &Path| Hold::take(folder).map_err(|error| RecordsError::held(folder, error));
        let mut holds = vec![take(&self.out)?];
        // Records that lie elsewhere may be another directory's as well.
        for name in [FOLDER, SCALES, PROTOCOLS, PROBLEMS] {
            let folder = self.out.join(name);
            if folder.is_symlink() {
                holds.push(take(&folder)?);
            }
        }
        Ok(Held { evaluation: self, _holds: holds })
    }

    /// Takes the directory, plays as [`Held::run`] does, and lets it go.
    ///
    /// # Errors
    ///
    /// As [`Evaluation::hold`] and [`Held::run`].
    pub fn run(&self, stop: &AtomicBool, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Outcome, EvalError> {
        self.hold()?.run(stop, progress)
    }

    fn play(&self, stop: &AtomicBool, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Outcome, EvalError> {
        heldout_files::sweep(&self.out, &[FOLDER, SCALES, PROTOCOLS, PROBLEMS]);
        // What cannot be added to is better known before hours of play than after.
        Failure::read_all(&self.out)?;
        let folder = self.out.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| RecordsError::Write { path: folder, error })?;
        for protocol in self.protocols.iter().filter(|protocol| !protocol.built_in) {
            self.keep(protocol)?;
        }
        curves::keep(self)?;
        let mut planned: Vec<Planned> = Vec::new();
        for protocol in &self.protocols {
            let planner = Planner { evaluation: self, protocol, stop };
            planned.extend(planner.cells(&mut |what| progress(Progress::Preparing(what)))?);
        }
        if stop.load(Ordering::Relaxed) {
            // How much there is to play is not known yet, and what was broken off is no failure.
            return Ok(Outcome { failures: Vec::new(), done: 0, total: 0, interrupted: true });
        }
        let total: u64 = planned.iter().flatten().map(|cell| cell.header.total()).sum();
        if total > MOST_IN_ALL {
            let allowed = format!("at most {MOST_IN_ALL}");
            return Err(EvalError::Number { what: "episodes of all conditions and seeds", value: total, allowed });
        }
        let floor = Floor::new(self, planned.iter().flatten().collect(), stop, progress);
        floor.open()?;
        let workers: Vec<usize> = (0..self.threads.min(floor.blocks.len().max(1))).collect();
        spread(&workers, workers.len(), |_| floor.work())?;
        if let Some(error) = floor.fatal.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let total = floor.total;
        let done = floor.written.load(Ordering::Relaxed);
        let broken: Vec<Option<Failure>> = floor
            .desks
            .into_iter()
            .map(|desk| desk.into_inner().unwrap_or_else(PoisonError::into_inner).failed)
            .collect();
        let mut broken = broken.into_iter();
        let failures: Vec<Failure> = planned
            .iter()
            .filter_map(|cell| match cell {
                Ok(_) => broken.next().flatten(),
                Err(failure) => Some(failure.clone()),
            })
            .collect();
        self.list(&failures)?;
        let interrupted = done < total && stop.load(Ordering::Relaxed);
        Ok(Outcome { failures, done, total, interrupted })
    }

    /// Keeps a user's protocol and its scales with the records: a report must know what was played, long after the file has
    /// changed.
    fn keep(&self, protocol: &Protocol) -> Result<(), EvalError> {
        let scales = protocol.scales.as_ref().map(|scales| crate::protocol::sealed(&scales.toml()));
        let files = [("toml", Some(&protocol.text)), ("scales.toml", scales.as_ref())];
        for (ending, text) in files.into_iter().filter_map(|(ending, text)| Some((ending, text?))) {
            let path = self.out.join(PROTOCOLS).join(format!("{}.{ending}", protocol.name));
            match heldout_files::text(&path, heldout_files::WRITTEN) {
                Ok(there) if there == *text => {}
                // Another text under the name would make the records speak of something else.
                Ok(_) if ending == "toml" && !self.resume => {
                    return Err(RecordsError::There { path }.into());
                }
                Ok(there) if ending == "toml" => {
                    let (theirs, ours) = (crate::protocol::hash(&there), crate::protocol::hash(text));
                    return Err(RecordsError::Other { path, key: "protocol_hash".to_owned(), theirs, ours }.into());
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(RecordsError::Read { path, error }.into());
                }
                _ => heldout_files::write_below(&path, text.as_bytes())
                    .map_err(|error| RecordsError::Write { path, error })?,
            }
        }
        Ok(())
    }

    /// Writes the list of failures; those of cells that this evaluation has no part in stay listed.
    fn list(&self, failures: &[Failure]) -> Result<(), EvalError> {
        let ours = |f: &Failure| {
            self.protocols.iter().any(|p| p.name == f.protocol)
                && self.entrants.iter().any(|e| e.label == f.agent)
                && self.asks(&f.task)
        };
        let mut all: Vec<Failure> = Failure::read_all(&self.out)?.into_iter().filter(|f| !ours(f)).collect();
        all.extend_from_slice(failures);
        Ok(Failure::write_all(&self.out, &all)?)
    }
}

/// Calls `work` with each item, on at most `threads` threads; the results are in the order of the items. Where the system
/// does not give the threads, nothing is called.
pub(crate) fn spread<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>, EvalError> {
    if threads <= 1 || items.len() <= 1 {
        return Ok(items.iter().map(work).collect());
    }
    let threads = threads.min(items.len());
    if !has_room_for_threads(threads) {
        return Err(EvalError::Threads { threads, error: io::ErrorKind::OutOfMemory.into() });
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let all_there = Mutex::new(true);
    std::thread::scope(|scope| {
        // Nobody begins before this is known.
        let mut told = locked(&all_there);
        for _ in 0..threads {
            let begun = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                if !*locked(&all_there) {
                    return;
                }
                while let Some((item, result)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    items.get(i).zip(results.get(i))
                } {
                    let done = work(item);
                    *locked(result) = Some(done);
                }
            });
            if let Err(error) = begun {
                *told = false;
                return Err(EvalError::Threads { threads, error });
            }
        }
        Ok(())
    })?;
    Ok(results.into_iter().filter_map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked ends the run anyway, when the scope ends.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Episodes of one cell and seed.
struct Block {
    cell: usize,
    /// Index of the seed.
    seed: usize,
    /// Place among the cell's blocks.
    place: usize,
    /// The episodes' numbers.
    numbers: Range<u64>,
    /// How many of them are recorded.
    kept: u64,
    /// The records of those that follow, where an earlier evaluation made them.
    spare: Vec<Record>,
}

impl Block {
    /// The first number that is to be played.
    fn first(&self) -> u64 {
        self.numbers.start + self.kept + self.spare.len() as u64
    }
}

/// Where the blocks of one cell are put in order and written.
struct Desk {
    writer: Option<Writer>,
    /// Place of the block that is written next.
    next: usize,
    /// Number of the cell's blocks.
    blocks: usize,
    /// Records that wait for their turn, and whether they are all that their block lacked.
    waiting: BTreeMap<usize, (Vec<Record>, bool)>,
    failed: Option<Failure>,
}

/// All that the workers share.
struct Floor<'a> {
    evaluation: &'a Evaluation,
    cells: Vec<&'a Cell>,
    blocks: Vec<Block>,
    desks: Vec<Mutex<Desk>>,
    next: AtomicUsize,
    /// Episodes played, and those recorded before.
    done: AtomicU64,
    /// Episodes recorded.
    written: AtomicU64,
    total: u64,
    stop: &'a AtomicBool,
    fatal: Mutex<Option<EvalError>>,
    broken: AtomicBool,
    progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

impl<'a> Floor<'a> {
    fn new(
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
    fn open(&self) -> Result<(), EvalError> {
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

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed)
    }

    /// Plays blocks until there are none left.
    fn work(&self) {
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
        let cell = self.cells[block.cell];
        {
            let mut desk = locked(&self.desks[block.cell]);
            if desk.failed.is_some() {
                return Ok(());
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
        }
        let played = match &cell.play {
            _ if block.first() == block.numbers.end => Ok(Vec::new()),
            CellPlay::Measured(measured) => {
                let seed = cell.header.seeds[block.seed];
                let numbers = block.first()..block.numbers.end;
                let records = numbers.take_while(|_| !self.stopped()).map(|number| {
                    let sample = measured[block.seed].sample(number).map_err(PlayError::Actor)?;
                    self.count();
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
        };
        let mut desk = locked(&self.desks[block.cell]);
        match played {
            Err(error) => {
                *seat = None;
                desk.failed = Some(cell.failure(&error));
                desk.waiting.clear();
            }
            Ok(played) => {
                let records: Vec<Record> = block.spare.iter().cloned().chain(played).collect();
                let whole = records.len() as u64 == block.numbers.end - block.numbers.start - block.kept;
                desk.waiting.insert(block.place, (records, whole));
                self.write(&mut desk)?;
                if desk.next == desk.blocks {
                    Kept::clear(&self.evaluation.out, &cell.header);
                }
            }
        }
        Ok(())
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

    fn count(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(Progress::Played(done, self.total));
    }

    /// The records that a block lacks, from its first on; fewer if the run is stopped.
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
                self.count();
            }
            if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let whole = episodes.into_iter().map_while(|episode| episode).zip(first..);
        Ok(whole.map(|(episode, number)| record(seed, number, table, &episode)).collect())
    }
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
struct Seat {
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
