//! Running tests one by one, against a mutant or none.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use super::Limits;

/// Limits seconds of computing, memory and seconds, in this order, of a program and what it starts, since a mutant may
/// loop, grow or wait without an end; and tells how long it computed.
const LIMITED: &str = "ulimit -c 0; ulimit -t $1; ulimit -v $2; limit=$3; shift 3
timeout --signal=KILL $limit \"$@\" >/dev/null; status=$?; times; exit $status";
/// Memory that a test may take, in KiB.
const MEMORY: &str = "6000000";

/// One test of a program.
#[derive(Debug)]
pub(crate) struct Test {
    program: PathBuf,
    pub(crate) name: String,
    /// How long it computes where there is no mutant.
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
    /// Runs it, with a variable of the environment and so many seconds to compute; also how long it did.
    fn run(&self, variable: (&str, &str), seconds: u64) -> anyhow::Result<(Verdict, Duration)> {
        let mut sh = Command::new("sh");
        sh.args(["-c", LIMITED, "sh", &seconds.to_string(), MEMORY, &(60 + 10 * seconds).to_string()]);
        sh.arg(&self.program).args(["--exact", &self.name, "--test-threads=1"]);
        // Where tests that are ended leave their files.
        let temporary = self.program.with_file_name("tmp");
        fs::create_dir_all(&temporary)?;
        sh.env("TMPDIR", temporary).env(variable.0, variable.1);
        let output = sh.stdin(Stdio::null()).stderr(Stdio::null()).output().context("cannot start `sh`")?;
        Ok((verdict(output.status), computed(&String::from_utf8_lossy(&output.stdout))))
    }

    /// Runs it against a mutant, or as it is.
    pub(crate) fn against(&self, number: u32) -> anyhow::Result<Verdict> {
        let seconds = 10 + (10.0 * self.time.as_secs_f64()) as u64;
        Ok(self.run(("HELDOUT_MUTANT", &number.to_string()), seconds)?.0)
    }
}

/// What `times` says of the programs that a shell ran: `0m1.25s 0m0.50s`, in its second line.
fn computed(times: &str) -> Duration {
    let second = times.lines().nth(1).unwrap_or_default().split_whitespace();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    Duration::from_secs_f64(second.filter_map(seconds).sum())
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

/// The tests of `program` whose names begin by `prefix`, in the order of the time they take; each must pass, and those
/// that compute for too long are left out.
pub(crate) fn survey(program: &Path, prefix: &str, limits: Limits) -> anyhow::Result<Vec<Test>> {
    let output = Command::new(program).arg("--list").output()?;
    let text = String::from_utf8(output.stdout)?;
    let names = text.lines().filter_map(|line| line.strip_suffix(": test")).filter(|name| name.starts_with(prefix));
    let names: Vec<(usize, &str)> = names.enumerate().collect();
    let tests = parallel(&names, limits.jobs, |&(i, name)| {
        let (program, name, met) = (program.to_owned(), name.to_owned(), BTreeSet::new());
        let mut test = Test { program, name, time: Duration::ZERO, met };
        let file = test.program.with_extension(format!("met-{i}"));
        let (verdict, time) = test.run(("HELDOUT_MUTANTS_MET", &file.to_string_lossy()), limits.longest)?;
        let met = fs::read(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        test.met = met.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        test.time = time;
        match verdict {
            Verdict::Passed => Ok(Some(test)),
            Verdict::Failed => bail!("{} fails before any mutant", test.name),
            Verdict::Late => {
                println!("left out as it takes long: {}", test.name);
                Ok(None)
            }
        }
    })?;
    let mut tests: Vec<Test> = tests.into_iter().flatten().collect();
    if tests.is_empty() {
        bail!("{} has no tests", program.display());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_computing_is_that_of_the_programs() {
        assert_eq!(computed("0m9.00s 0m9.00s\n1m1.25s 0m0.50s\n"), Duration::from_millis(61_750));
        assert_eq!(computed(""), Duration::ZERO);
    }

    #[test]
    fn signals_of_limits_are_told_from_others() {
        let of = |script: &str| verdict(Command::new("sh").args(["-c", script]).status().unwrap());
        assert_eq!(of("exit 0"), Verdict::Passed);
        assert_eq!(of("exit 101"), Verdict::Failed);
        assert_eq!(of("exit 134"), Verdict::Failed);
        assert_eq!(of("exit 152"), Verdict::Late);
        assert_eq!(of("kill -KILL $$"), Verdict::Late);
        assert_eq!(of("ulimit -t 1; while :; do :; done"), Verdict::Late);
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        assert_eq!(parallel(&[3, 1, 2], 2, |n| Ok(n * 2)).unwrap(), [6, 2, 4]);
        assert!(parallel(&[3, 1, 2], 2, |n| if *n == 1 { bail!("one") } else { Ok(*n) }).is_err());
    }
}
