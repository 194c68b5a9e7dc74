//! Playing elsewhere: parts of an evaluation that other processes play, and their records put in order here.
//!
//! A [`Part`] is some blocks of one cell. Whoever plays it ([`Stage`]) plans the same cell by the same code, plays those blocks
//! and leaves their records in a file of its own, under the same header. What comes back ([`Played`]) is checked against the
//! header that was planned here, and goes the way of all records: to the desk of its cell, in the order of the plan. So the
//! directory is the same, byte for byte, wherever it was played, and a part that is played twice counts once.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use heldout_files::{Growing, Hold};
use serde::{Deserialize, Serialize};

use crate::floor::{Block, Floor};
use crate::plan::{Cell, Planned, Planner};
use crate::records::{Header, MOST, Record, RecordsError, line, lines, parse};
use crate::runner::{EvalError, Evaluation};

/// Parts for each place that one can be played at: so many that all end at about the same time.
const PARTS: usize = 8;
/// The file of a part, in a folder of its own.
const FILE: &str = "part.jsonl";

/// Blocks of one cell that are played together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Which protocol.
    pub protocol: String,
    /// Which of its tasks.
    pub task: String,
    /// Under which condition.
    pub condition: String,
    /// Label of the policy.
    pub agent: String,
    /// The label of the agent whose problems these are, where a scale is made of the records.
    pub scale_of: Option<String>,
    /// The blocks: their places in the cell, and the first number of each that is to be played.
    pub blocks: Vec<(usize, u64)>,
}

impl Part {
    fn is_of(&self, header: &Header) -> bool {
        let names = [&header.protocol, &header.task, &header.condition, &header.agent];
        names == [&self.protocol, &self.task, &self.condition, &self.agent] && header.scale_of == self.scale_of
    }

    fn of(header: &Header, blocks: &[&Block]) -> Self {
        Self {
            protocol: header.protocol.clone(),
            task: header.task.clone(),
            condition: header.condition.clone(),
            agent: header.agent.clone(),
            scale_of: header.scale_of.clone(),
            blocks: lacking(blocks).map(|block| (block.place, block.first())).collect(),
        }
    }
}

/// What came of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The bytes of its file; none where nothing could be played.
    pub file: Vec<u8>,
    /// Why its cell cannot be played further.
    pub problem: Option<String>,
}

/// The number of a part, and what came of it or why nothing did.
pub type Ended = (usize, Result<Played, String>);

/// Where parts are played.
pub trait Away {
    /// How many parts may be under way at once.
    ///
    /// # Errors
    ///
    /// If none can be, now or later: why.
    fn room(&self) -> Result<usize, String>;

    /// Has a part played, which is called by its number from now on.
    ///
    /// # Errors
    ///
    /// If that is not possible: why.
    fn begin(&self, number: usize, part: &Part) -> Result<(), String>;

    /// Waits a moment for parts under way; gives those that have ended, each with what came of it or why nothing did.
    ///
    /// # Errors
    ///
    /// If nobody can be asked: why.
    fn ended(&self) -> Result<Vec<Ended>, String>;
}

/// Has all blocks played elsewhere, in the order of the plan, until none is left or the run is stopped.
pub(crate) fn direct(floor: &Floor<'_>, away: &dyn Away) -> Result<(), EvalError> {
    let parts = cut(floor, away.room().map_err(EvalError::Away)?);
    let mut waiting = parts.iter().enumerate();
    let mut under_way = 0;
    let mut all_begun = false;
    while !floor.stopped() && (!all_begun || under_way > 0) {
        let room = away.room().map_err(EvalError::Away)?.max(1);
        while under_way < room && !all_begun {
            let Some((number, blocks)) = waiting.next() else {
                all_begun = true;
                break;
            };
            let header = &floor.cells[blocks[0].cell].header;
            if !floor.enter(blocks[0])? {
                continue;
            }
            if lacking(blocks).next().is_none() {
                merge(floor, blocks, Ok(Played::default()))?;
                continue;
            }
            away.begin(number, &Part::of(header, blocks)).map_err(EvalError::Away)?;
            under_way += 1;
        }
        if under_way > 0 {
            for (number, played) in away.ended().map_err(EvalError::Away)? {
                under_way -= 1;
                merge(floor, &parts[number], played)?;
            }
        }
    }
    Ok(())
}

/// The blocks that have something to play: what is recorded behind a gap is not played again.
fn lacking<'b>(blocks: &'b [&'b Block]) -> impl Iterator<Item = &'b Block> {
    blocks.iter().copied().filter(|block| block.first() < block.numbers.end)
}

/// The blocks of each part: of one cell, so many that every place gets some, in the order of the plan.
fn cut<'f>(floor: &'f Floor<'_>, room: usize) -> Vec<Vec<&'f Block>> {
    let most = floor.blocks.len().div_ceil(room.max(1) * PARTS).max(1);
    let mut parts: Vec<Vec<&Block>> = Vec::new();
    for block in &floor.blocks {
        match parts.last_mut() {
            Some(part) if part.len() < most && part[0].cell == block.cell => part.push(block),
            _ => parts.push(vec![block]),
        }
    }
    parts
}

/// Puts the records of a part in their places, or takes note that its cell cannot be played.
fn merge(floor: &Floor<'_>, blocks: &[&Block], played: Result<Played, String>) -> Result<(), EvalError> {
    let cell = floor.cells[blocks[0].cell];
    let Played { file, problem } =
        played.unwrap_or_else(|problem| Played { problem: Some(problem), ..Played::default() });
    let mut records = if file.is_empty() { BTreeMap::new() } else { read(cell, &file)? };
    for block in blocks {
        let seed = cell.header.seeds[block.seed];
        let own = (block.first()..block.numbers.end).map_while(|number| records.remove(&(seed, number)));
        let own: Vec<Record> = own.collect();
        let more = own.len() as u64;
        if block.first() + more < block.numbers.end {
            let problem = problem.as_deref().unwrap_or("whoever played it left out episodes");
            return floor.settle(block, Err(cell.failure(&problem)));
        }
        floor.settle(block, Ok(own))?;
        floor.count(more);
    }
    Ok(())
}

/// The records of a part's file by seed and number, if it is of this evaluation.
fn read(cell: &Cell, file: &[u8]) -> Result<BTreeMap<(u64, u64), Record>, EvalError> {
    let header = &cell.header;
    let place = format!("{} {} {} by {}", header.protocol, header.task, header.condition, header.agent);
    let (found, _) = parse(Path::new(&place), file, true)?;
    // Here it may continue the records of another build.
    let expected = Header {
        heldout: env!("CARGO_PKG_VERSION").to_owned(),
        build: cell.built.clone(),
        continued_by: Vec::new(),
        ..header.clone()
    };
    if let Some((key, ours, theirs)) = expected.difference(&found.header) {
        return Err(EvalError::OtherPart { place, key, theirs, ours });
    }
    Ok(found.records.into_iter().map(|record| ((record.seed, record.episode), record)).collect())
}

/// The cells of one task and one entrant, planned where parts of them are played.
pub struct Stage {
    evaluation: Evaluation,
    planned: Vec<Planned>,
}

impl Stage {
    /// Plans the cells that `part` is of. Problems that are made for its player are written to the folder `out`, which is the
    /// caller's alone.
    ///
    /// # Errors
    ///
    /// If nobody has the part, or its problems cannot be written.
    pub fn of(evaluation: &Evaluation, part: &Part, out: &Path, stop: &AtomicBool) -> Result<Self, EvalError> {
        let label = part.scale_of.as_ref().unwrap_or(&part.agent);
        let mut own = Evaluation { tasks: vec![part.task.clone()], out: out.to_owned(), ..evaluation.clone() };
        own.protocols.retain(|protocol| protocol.name == part.protocol);
        own.entrants.retain(|entrant| entrant.label == *label);
        (own.threads, own.resume, own.other_build) = (1, false, false);
        let mut planned = Vec::new();
        for protocol in &own.protocols {
            planned.extend(Planner { evaluation: &own, protocol, stop }.cells(&mut |_| ())?);
        }
        Ok(Self { evaluation: own, planned })
    }

    /// Plays a part of these cells. Its records are added to a file in `folder` block by block, and what such a file holds
    /// already, from whoever was ended before it was done, is not played again; in the end the folder is removed.
    ///
    /// # Errors
    ///
    /// If somebody else plays there, or the file cannot be written. What cannot be played is no error but
    /// [`Played::problem`].
    pub fn play(&self, part: &Part, folder: &Path, stop: &AtomicBool) -> Result<Played, EvalError> {
        let failed = |problem: &str| Ok(Played { problem: Some(problem.to_owned()), ..Played::default() });
        let of_part = |planned: &&Planned| match planned {
            Ok(cell) => part.is_of(&cell.header),
            Err(f) => part.scale_of.is_none() && f.condition == part.condition,
        };
        let cell = match self.planned.iter().find(of_part) {
            Some(Ok(cell)) => cell,
            Some(Err(failure)) => return failed(&failure.problem),
            None => return failed("whoever was to play it has no part in it"),
        };
        let floor = Floor::new(&self.evaluation, vec![cell], stop, &|_| ());
        let mut blocks = Vec::new();
        for &(place, first) in &part.blocks {
            let of_part = |block: &&Block| block.place == place && block.numbers.contains(&first);
            let Some(block) = floor.blocks.iter().find(of_part) else {
                // The header tells how the two plans differ.
                let write = |error| RecordsError::Write { path: folder.join(FILE), error };
                let problem = Some(format!("it has no block {place} with an episode {first}"));
                return Ok(Played { file: lines(&cell.header, &[]).map_err(write)?, problem });
            };
            let (numbers, spare) = (block.numbers.clone(), Vec::new());
            blocks.push(Block { kept: first - numbers.start, spare, numbers, ..*block });
        }
        let hold = Hold::take(folder).map_err(|error| RecordsError::held(folder, error))?;
        let (mut file, done) = PartFile::begin(folder, &cell.header, &blocks)?;
        let (mut seat, mut problem) = (None, None);
        for block in &blocks[done..] {
            match floor.played(block, &mut seat) {
                Ok(records) => file.add(&records)?,
                Err(error) => {
                    problem = Some(error.to_string());
                    break;
                }
            }
        }
        // What is left behind does no harm.
        drop(hold);
        let _ = std::fs::remove_dir_all(folder);
        Ok(Played { file: file.bytes, problem })
    }
}

/// The file of a part while it is played.
struct PartFile {
    file: Growing,
    /// All that it holds.
    bytes: Vec<u8>,
}

impl PartFile {
    /// Opens the file in `folder`, and says how many of the blocks are whole in it: what follows them is cut off. One of another
    /// header is begun anew.
    fn begin(folder: &Path, header: &Header, blocks: &[Block]) -> Result<(Self, usize), RecordsError> {
        let path = folder.join(FILE);
        let found = match heldout_files::read(&path, MOST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(RecordsError::Read { path, error }),
            Ok(bytes) => bytes,
        };
        let found = match parse(&path, &found, true) {
            Ok((found, _)) if header.difference(&found.header).is_none() => found.records,
            _ => Vec::new(),
        };
        let (mut done, mut kept) = (0, 0);
        for block in blocks {
            let wanted = (block.first()..block.numbers.end).map(|number| (header.seeds[block.seed], number));
            let there = found[kept..].iter().map(|record| (record.seed, record.episode));
            let len = (block.numbers.end - block.first()) as usize;
            if wanted.zip(there).take_while(|(wanted, there)| wanted == there).count() < len {
                break;
            }
            (done, kept) = (done + 1, kept + len);
        }
        let write = |error| RecordsError::Write { path: path.clone(), error };
        let bytes = lines(header, &found[..kept]).map_err(write)?;
        heldout_files::write(&path, &bytes).map_err(write)?;
        let file = Growing::open(&path, bytes.len() as u64).map_err(write)?;
        Ok((Self { file, bytes }, done))
    }

    fn add(&mut self, records: &[Record]) -> Result<(), RecordsError> {
        let begin = self.bytes.len();
        let added = records.iter().try_for_each(|record| line(&mut self.bytes, record));
        let added = added.and_then(|()| self.file.add(&self.bytes[begin..]));
        added.map_err(|error| RecordsError::Write { path: FILE.into(), error })
    }
}
