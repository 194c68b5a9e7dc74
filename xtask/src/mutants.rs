//! `cargo xtask mutants FAMILY`: how many defects, of those that cargo-mutants lists, the tests notice.
//!
//! The sample is drawn without replacement from all mutants of the family's rule files, by the generator of the rules, so
//! that a seed names it. All of it is built into one program ([`schema`]), which is told by a variable which mutant to be
//! ([`tree`]). A mutant then meets, one by one and the quickest first, the tests that come across it ([`trial`]): those
//! beside the rules and those of the family's conformance suite. What does not compile beside the others is built alone
//! and meets all tests; what does not compile then is not viable. Outcomes are written as they come, so that a run that
//! was ended goes on, and one after new tests tries only what was missed.

mod schema;
mod tree;
mod trial;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use heldout_core::{Rng, Seed};
use serde_json::Value;

use self::schema::{Change, Genre};
use self::tree::{Built, Tree, read};
use self::trial::{Test, Verdict, parallel, survey};
use crate::families::{self, Family};
use crate::root;
use crate::shell::command;

/// Sources that are no rules: tests, and what prints or draws for people.
const NO_RULES: [&str; 6] =
    ["**/tests/**", "**/commands.rs", "**/words.rs", "**/*draw.rs", "**/walker/map.rs", "**/fuzz.rs"];

/// A defect.
#[derive(Debug)]
pub(crate) struct Mutant {
    /// Below the root of the repository.
    file: String,
    change: Change,
}

/// A defect of the sample, by the number that chooses it.
#[derive(Debug)]
pub(crate) struct Drawn {
    number: u32,
    name: String,
    mutant: Mutant,
}

/// How tests are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// So many at a time.
    pub(crate) jobs: usize,
    /// Those alone that compute for at most so many seconds.
    pub(crate) longest: u64,
    /// Those of the conformance suite too.
    pub(crate) suite: bool,
    /// Takes over from the run before what was caught then, or not viable.
    pub(crate) resume: bool,
}

/// What became of a mutant.
#[derive(Debug)]
enum Outcome {
    /// This test failed.
    Caught(String),
    /// This test took far longer than it does.
    Timeout(String),
    Missed,
    Unviable,
}

impl Outcome {
    /// What [`fmt::Display`] writes, unless it is to be tried again.
    fn settled(text: &str) -> Option<Self> {
        match text.strip_prefix("caught by ") {
            Some(test) => Some(match test.strip_prefix("the time of ") {
                Some(test) => Self::Timeout(test.to_owned()),
                None => Self::Caught(test.to_owned()),
            }),
            None => (text == "unviable").then_some(Self::Unviable),
        }
    }
}

/// The outcomes of a run, kept in a file from the first on.
struct Kept {
    known: BTreeMap<String, Outcome>,
    file: Mutex<File>,
}

impl Kept {
    /// Those that `path` holds if it is to be gone on with, else none yet.
    fn open(path: &Path, resume: bool) -> anyhow::Result<Self> {
        let text = if resume && path.exists() { read(path)? } else { String::new() };
        let known = text.lines().filter_map(|line| {
            let (name, outcome) = line.split_once(SEPARATOR)?;
            Some((name.to_owned(), Outcome::settled(outcome)?))
        });
        let known: BTreeMap<String, Outcome> = known.collect();
        let mut file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        for (name, outcome) in &known {
            writeln!(file, "{name}{SEPARATOR}{outcome}")?;
        }
        Ok(Self { known, file: Mutex::new(file) })
    }

    /// Writes and prints what became of a mutant.
    fn tell(&self, one: &Drawn, outcome: &Outcome) -> anyhow::Result<()> {
        println!("{}: {outcome}", one.name);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(file, "{}{SEPARATOR}{outcome}", one.name)?;
        Ok(())
    }
}

/// Between a mutant and its outcome; no name has it.
const SEPARATOR: char = '\t';

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught(test) => write!(f, "caught by {test}"),
            Self::Timeout(test) => write!(f, "caught by the time of {test}"),
            Self::Missed => f.write_str("missed"),
            Self::Unviable => f.write_str("unviable"),
        }
    }
}

/// Draws `sample` mutants of `family` by `seed`, or takes those that `only` lists, and prints what the tests noticed.
pub(crate) fn mutants(
    family: &str,
    (sample, seed): (usize, u64),
    only: Option<&Path>,
    limits: Limits,
) -> anyhow::Result<()> {
    let families = families::all()?;
    let Some(family) = families.iter().find(|f| f.name == family) else {
        let names: Vec<&str> = families.iter().map(|f| &*f.name).collect();
        bail!("there is no family `{family}`; there are {}", names.join(", "));
    };
    if !Command::new("cargo").args(["mutants", "--version"]).output().is_ok_and(|output| output.status.success()) {
        bail!("`cargo mutants` is missing; run `cargo install cargo-mutants --locked`");
    }
    let mut all = list(family)?;
    let of = all.len();
    let names = match only {
        Some(path) => read(path)?.lines().map(str::to_owned).collect(),
        None => draw(all.keys().cloned().collect(), sample, seed),
    };
    let take = |(number, name): (u32, &String)| {
        let mutant = all.remove(name).with_context(|| format!("there is no mutant `{name}`, or it is named twice"))?;
        Ok(Drawn { number, name: name.clone(), mutant })
    };
    let drawn: Vec<Drawn> = (1..).zip(&names).map(take).collect::<anyhow::Result<_>>()?;
    let out = root().join("target/mutants.out").join(&family.name);
    fs::create_dir_all(&out)?;
    let mut kept = Kept::open(&out.join("outcomes.txt"), limits.resume)?;
    let (known, left): (Vec<Drawn>, Vec<Drawn>) = drawn.into_iter().partition(|one| kept.known.contains_key(&one.name));
    let mut outcomes = if left.is_empty() { Vec::new() } else { outcomes(family, &left, limits, &kept)? };
    outcomes.extend(known.iter().filter_map(|one| kept.known.remove(&one.name)));
    let drawn: Vec<Drawn> = left.into_iter().chain(known).collect();

    let missed = drawn.iter().zip(&outcomes).filter(|(_, outcome)| matches!(outcome, Outcome::Missed));
    let missed: Vec<&str> = missed.map(|(one, _)| &*one.name).collect();
    fs::write(out.join("missed.txt"), missed.join("\n"))?;

    let count = |which: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| which(outcome)).count();
    let viable = drawn.len() - count(|o| matches!(o, Outcome::Unviable));
    let late = count(|o| matches!(o, Outcome::Timeout(_)));
    let caught = viable - missed.len();
    let (low, high) = wilson(caught, viable);
    println!("{} of {of} mutants of {}, seed {seed}: {viable} viable", drawn.len(), family.name);
    println!("{} caught by a failed test, {late} by its time, {} missed", caught - late, missed.len());
    println!("{:.1} % caught, 95 % interval {low:.1} to {high:.1}", 100.0 * caught as f64 / viable as f64);
    for name in missed {
        println!("missed: {name}");
    }
    Ok(())
}

/// What becomes of each mutant, in their order.
fn outcomes(family: &Family, drawn: &[Drawn], limits: Limits, kept: &Kept) -> anyhow::Result<Vec<Outcome>> {
    let tree = Tree::new(family)?;
    let (alone, program) = tree.instrument(drawn)?;
    let rules = survey(&program, "", limits)?;
    let suite = if limits.suite {
        survey(&tree.conformance()?.tests()?, &format!("{}/", family.name), limits)?
    } else {
        Vec::new()
    };
    let mut tests: Vec<&Test> = rules.iter().chain(&suite).collect();
    tests.sort_by_key(|test| test.time);
    let time: f64 = tests.iter().map(|test| test.time.as_secs_f64()).sum();
    println!("{} mutants alone, the others against {} tests that take {time:.0} s", alone.len(), tests.len());

    let together: Vec<&Drawn> = drawn.iter().filter(|one| !alone.contains(&one.number)).collect();
    let met = parallel(&together, limits.jobs, |one| {
        let across = tests.iter().copied().filter(|test| test.met.contains(&one.number));
        let outcome = meet(across, one.number)?;
        kept.tell(one, &outcome)?;
        Ok((one.number, outcome))
    })?;
    let mut outcomes: BTreeMap<u32, Outcome> = met.into_iter().collect();
    for one in drawn.iter().filter(|one| alone.contains(&one.number)) {
        tree.put(&one.mutant)?;
        let mut outcome = Outcome::Unviable;
        if let Built::Tests(_) = tree.lib()? {
            outcome = meet(&rules, 0)?;
            if limits.suite && matches!(outcome, Outcome::Missed) {
                tree.conformance()?.tests()?;
                outcome = meet(&suite, 0)?;
            }
        }
        kept.tell(one, &outcome)?;
        outcomes.insert(one.number, outcome);
        tree.restore(&one.mutant.file)?;
    }
    Ok(outcomes.into_values().collect())
}

/// Runs tests until one notices the mutant of this number.
fn meet<'a>(tests: impl IntoIterator<Item = &'a Test>, number: u32) -> anyhow::Result<Outcome> {
    for test in tests {
        match test.against(number)? {
            Verdict::Passed => {}
            Verdict::Failed => return Ok(Outcome::Caught(test.name.clone())),
            Verdict::Late => return Ok(Outcome::Timeout(test.name.clone())),
        }
    }
    Ok(Outcome::Missed)
}

/// All mutants of a family's rules, by their names.
fn list(family: &Family) -> anyhow::Result<BTreeMap<String, Mutant>> {
    let mut mutants = command("cargo", &["mutants", "--list", "--json"]);
    mutants.arg(format!("--package=heldout-{}", family.folder));
    mutants.args(NO_RULES.map(|glob| format!("--exclude={glob}")));
    let output = mutants.output()?;
    if !output.status.success() {
        bail!("{mutants:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let listed: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for one in &listed {
        let text = |key: &str| one[key].as_str().with_context(|| format!("a mutant has no `{key}`: {one}"));
        let file = text("file")?;
        if !sources.contains_key(file) {
            sources.insert(file.to_owned(), read(&root().join(file))?);
        }
        let offset = |end: &str| {
            let number = |key: &str| one["span"][end][key].as_u64().map(|number| number as usize);
            offset(&sources[file], number("line")?, number("column")?)
        };
        let change = Change {
            genre: Genre::named(text("genre")?).with_context(|| format!("a mutant of an unknown kind: {one}"))?,
            span: offset("start").zip(offset("end")).map(|(start, end)| start..end).context("a mutant has no span")?,
            replacement: text("replacement")?.to_owned(),
        };
        all.insert(text("name")?.to_owned(), Mutant { file: file.to_owned(), change });
    }
    Ok(all)
}

/// Where a line and a column, counted in characters from 1, are in `source`.
fn offset(source: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let rest = &source[start..];
    Some(start + rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(column - 1)?)
}

/// The first `sample` of `all` in an order that `seed` shuffles.
fn draw(mut all: Vec<String>, sample: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(Seed(seed));
    let sample = sample.min(all.len());
    for i in 0..sample {
        let j = i + rng.below((all.len() - i) as u32) as usize;
        all.swap(i, j);
    }
    all.truncate(sample);
    all
}

/// Wilson's 95 % interval of a share, in percent.
fn wilson(hits: usize, of: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    ((centre - half) * scale, (centre + half) * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_sample_begins_a_larger_one() {
        let all: Vec<String> = (0..30).map(|i| i.to_string()).collect();
        let large = draw(all.clone(), 20, 1);
        assert_eq!(draw(all.clone(), 7, 1), large[..7]);
        assert_ne!(draw(all, 7, 2), large[..7]);
        assert_eq!(large.iter().collect::<std::collections::BTreeSet<_>>().len(), 20);
    }

    #[test]
    fn what_was_missed_is_tried_again_and_nothing_else() {
        let path = std::env::temp_dir().join(format!("heldout-mutants-{}", std::process::id()));
        let lines = ["a: 1\tcaught by x", "b\tmissed", "c\tcaught by the time of y", "d\tunviable", "half a li"];
        fs::write(&path, lines.join("\n")).unwrap();
        let told =
            |kept: &Kept| kept.known.iter().map(|(name, outcome)| format!("{name} {outcome}")).collect::<Vec<_>>();
        let expected = ["a: 1 caught by x", "c caught by the time of y", "d unviable"];
        assert_eq!(told(&Kept::open(&path, true).unwrap()), expected);
        // What was taken over is there for the next run too.
        assert_eq!(told(&Kept::open(&path, true).unwrap()), expected);
        assert!(Kept::open(&path, false).unwrap().known.is_empty());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_column_counts_characters() {
        assert_eq!(offset("a\nä b\n", 2, 1), Some(2));
        assert_eq!(offset("a\nä b\n", 2, 3), Some(5));
        assert_eq!(offset("a\nä b\n", 3, 1), Some(7));
        assert_eq!(offset("a", 1, 3), None);
    }

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = wilson(79, 82);
        assert!((low - 89.79).abs() < 0.01 && (high - 98.75).abs() < 0.01, "{low} {high}");
    }
}
