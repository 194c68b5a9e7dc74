//! Playing protocols: episodes spread over threads, records in the order of their numbers whatever the spread.
//!
//! The work is cut into blocks of episodes of one cell and seed. Blocks are fixed by the episodes' numbers alone, and so
//! is the batch that a block is played at, so that a policy whose arithmetic depends on its batch still gives the same
//! records with any number of threads and after any interruption.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use heldout_core::room::{STACK, has_room_for_threads};
use heldout_envs::find;
use heldout_files::Hold;

use crate::away::Away;
use crate::curves;
use crate::entrant::{Entrant, Place};
use crate::floor::{Floor, locked};
use crate::plan::{PROBLEMS, Planned, Planner};
use crate::protocol::{MOST_EPISODES, MOST_SEEDS, Protocol, Task};
use crate::records::{FOLDER, Failure, RecordsError, SCALES, file_name};
use crate::results::PROTOCOLS;

/// Episodes of an evaluation at the most: what has yet to be played is held in memory.
const MOST_IN_ALL: u64 = 200_000_000;

/// Why an entrant may have no part in a task.
pub const ABSENT: &str =
    "a trained agent plays what it was trained on, and in another protocol the tasks that set the same";

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
        self.evaluation.play(None, stop, progress)
    }

    /// As [`Held::run`], but others play: the records are the same, put in order here.
    ///
    /// # Errors
    ///
    /// As there, and if nobody can be asked to play.
    pub fn run_away(
        &self,
        away: &dyn Away,
        stop: &AtomicBool,
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Outcome, EvalError> {
        self.evaluation.play(Some(away), stop, progress)
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
    /// Nobody plays anything of what is asked.
    #[error("none of the tasks that are asked is for {}: {ABSENT}", labels.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", "))]
    Absent {
        /// Who.
        labels: Vec<String>,
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
    /// Nobody can be asked to play elsewhere.
    #[error("cannot play elsewhere: {0}")]
    Away(String),
    /// A part that was played of another evaluation.
    #[error(
        "a part of {place} was played with `{key}` = `{theirs}`, this evaluation has `{ours}`: all who play must have the same \
         heldout, the same data and a processor of the same features"
    )]
    OtherPart {
        /// Which cell.
        place: String,
        /// What differs.
        key: String,
        /// The value of those who played.
        theirs: String,
        /// The value here.
        ours: String,
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
        let absent = self.absent();
        if absent.len() == self.entrants.len() {
            return Err(EvalError::Absent { labels: absent.into_iter().map(str::to_owned).collect() });
        }
        Ok(())
    }

    /// The labels of entrants that have a part in no task that is asked.
    #[must_use]
    pub fn absent(&self) -> Vec<&str> {
        let all = self.protocols.iter().flat_map(|p| p.tasks.iter().map(move |task| (p, task)));
        let asked: Vec<_> = all.filter(|(_, task)| self.asks(&task.name)).collect();
        let absent = |e: &&Entrant| !asked.iter().any(|(protocol, task)| self.enters(e, protocol, task));
        self.entrants.iter().filter(absent).map(|e| e.label.as_str()).collect()
    }

    /// Whether an entrant has a part in a task.
    pub(crate) fn enters(&self, entrant: &Entrant, protocol: &Protocol, task: &Task) -> bool {
        let (set, seed) = (Some(&task.set), self.seed);
        let place = |entry| Place { entry, protocol: &protocol.name, task: &task.name, set, run: 0, seed };
        find(&task.id).map_or(true, |entry| entrant.enters(&place(entry)))
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

    fn play(
        &self,
        away: Option<&dyn Away>,
        stop: &AtomicBool,
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Outcome, EvalError> {
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
        if let Some(away) = away {
            crate::away::direct(&floor, away)?;
        } else {
            let workers: Vec<usize> = (0..self.threads.min(floor.blocks.len().max(1))).collect();
            spread(&workers, workers.len(), |_| floor.work())?;
        }
        let total = floor.total;
        let (done, broken) = floor.end()?;
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
