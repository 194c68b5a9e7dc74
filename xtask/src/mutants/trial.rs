//! Running tests one by one, against a mutant or none.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Limits seconds of computing, memory and seconds, in this order, of a program and what it starts: a mutant may loop,
/// grow or wait without an end.
const LIMITED: &str =
    "ulimit -c 0; ulimit -t $1; ulimit -v $2; limit=$3; shift 3; exec timeout --signal=KILL $limit \"$@\"";
/// Memory that a test may take, in KiB.
const MEMORY: &str = "6000000";

/// One test of a program.
#[derive(Debug)]
pub(crate) struct Test {
    program: PathBuf,
    pub(crate) name: String,
    /// How long it takes where there is no mutant.
    pub(crate) time: Duration,
    /// The numbers of the mutants that it comes across.
    pub(crate) met: BTreeSet<u32>,
}

/// What a test says of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
    Late,
}

impl Test {
    /// Runs it, with a variable of the environment.
    fn run(&self, variable: (&str, &str)) -> anyhow::Result<Verdict> {
        let seconds = 10 + (10.0 * self.time.as_secs_f64()) as u64;
        let mut sh = Command::new("sh");
        sh.args(["-c", LIMITED, "sh", &seconds.to_string(), MEMORY, &(60 + 10 * seconds).to_string()]);
        sh.arg(&self.program).args(["--exact", &self.name, "--test-threads=1"]);
        // Where tests that are ended leave their files.
        let temporary = self.program.with_file_name("tmp");
        fs::create_dir_all(&temporary)?;
        sh.env("TMPDIR", temporary).env(variable.0, variable.1);
        sh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(verdict(sh.status().context("cannot start `sh`")?))
    }

    /// Runs it against a mutant, or as it is.
    pub(crate) fn against(&self, number: u32) -> anyhow::Result<Verdict> {
        self.run(("HELDOUT_MUTANT", &number.to_string()))
    }
}

fn verdict(status: ExitStatus) -> Verdict {
    // A shell tells a signal by a number from 128 on.
    let signal = status.signal().or_else(|| status.code().filter(|code| *code > 128).map(|code| code - 128));
    match signal {
        // SIGKILL and SIGXCPU.
        Some(9 | 24) => Verdict::Late,
        None if status.success() => Verdict::Passed,
        _ => Verdict::Failed,
    }
}

/// The tests of `program` whose names begin by `prefix`, in the order of the time they take; each must pass.
pub(crate) fn survey(program: &Path, prefix: &str, jobs: usize) -> anyhow::Result<Vec<Test>> {
    let output = Command::new(program).arg("--list").output()?;
    let text = String::from_utf8(output.stdout)?;
    let names = text.lines().filter_map(|line| line.strip_suffix(": test")).filter(|name| name.starts_with(prefix));
    let names: Vec<(usize, &str)> = names.enumerate().collect();
    if names.is_empty() {
        bail!("{} has no tests", program.display());
    }
    let mut tests = parallel(&names, jobs, |&(i, name)| {
        let time = Duration::from_hours(1);
        let mut test = Test { program: program.to_owned(), name: name.to_owned(), time, met: BTreeSet::new() };
        let file = program.with_extension(format!("met-{i}"));
        let begin = Instant::now();
        if test.run(("HELDOUT_MUTANTS_MET", &file.to_string_lossy()))? != Verdict::Passed {
            bail!("{name} fails before any mutant");
        }
        test.time = begin.elapsed();
        let met = fs::read(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        test.met = met.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        Ok(test)
    })?;
    tests.sort_by_key(|test| test.time);
    Ok(tests)
}

/// Does something with each of `items`, `jobs` at a time; the results are in their order.
pub(crate) fn parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some((i, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
                {
                    let result = work(item);
                    let failed = result.is_err();
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((i, result));
                    if failed {
                        next.store(items.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}
