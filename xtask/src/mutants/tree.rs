//! A copy of the sources, in which mutants are put and built.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::schema::{Genre, Schema, schema};
use super::{Drawn, Mutant};
use crate::families::{self, Family};
use crate::root;
use crate::shell::command;

/// A file, and the bytes of it that are to blame; none: any of its match arms.
type Place = (String, Option<Range<usize>>);

/// Chooses a mutant, by an environment variable; or notes those met, each once, in the file that another one names.
/// Neither allocates once it was asked, as steps of an environment may not.
const CHOICE: &str = r#"
static MUTANTS_MET: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();

#[doc(hidden)]
#[inline]
pub fn mutant_is(number: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let chosen = *CHOSEN.get_or_init(|| match std::env::var_os("HELDOUT_MUTANTS_MET") {
        Some(file) => MUTANTS_MET.set(file.into()).map_or(0, |()| u32::MAX),
        None => std::env::var("HELDOUT_MUTANT").map_or(0, |text| text.parse().expect("a number")),
    });
    if chosen == u32::MAX {
        mutant_met(number);
    }
    chosen == number
}

#[cold]
fn mutant_met(number: u32) {
    use std::sync::atomic::{AtomicBool, Ordering};
    static MET: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
    if !MET[number as usize].swap(true, Ordering::Relaxed) {
        let file = MUTANTS_MET.get().expect("there is a file if all are noted");
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).expect("it can be opened");
        std::io::Write::write_all(&mut file, &number.to_le_bytes()).expect("it can be written");
    }
}
"#;
/// Where the conformance suite begins: it asks for a mutant before it counts what is allocated.
const BEGIN: &str = "fn main() -> ExitCode {\n";
const SUITE: &str = "crates/envs/tests/conformance/main.rs";

/// Where lints are set, and those that would make a mutant look as if it could not be.
const MANIFEST: &str = "Cargo.toml";
const LINTS: &str = "[workspace.lints.rust]\n";
const ALLOWED: [&str; 3] = ["arithmetic_overflow", "overflowing_literals", "unconditional_panic"];

/// A copy of the sources in a folder below `target`.
pub(crate) struct Tree {
    folder: PathBuf,
    package: String,
    /// The file that is given [`CHOICE`].
    library: String,
    /// What is not run need not run quickly.
    settings: Vec<String>,
}

/// What a build came to.
pub(crate) enum Built {
    /// The program of the tests.
    Tests(PathBuf),
    /// Where the errors are, and their texts.
    Errors(Vec<Place>, String),
}

impl Built {
    /// The program; errors are an error.
    pub(crate) fn tests(self) -> anyhow::Result<PathBuf> {
        match self {
            Self::Tests(program) => Ok(program),
            Self::Errors(_, text) => bail!("{text}"),
        }
    }
}

impl Tree {
    /// Copies the sources. What has not changed since the last copy is left, so that it is not built again.
    pub(crate) fn new(family: &Family) -> anyhow::Result<Self> {
        let folder = root().join("target/mutation/tree");
        let listed = command("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output()?;
        if !listed.status.success() {
            bail!("git does not list the sources: {}", String::from_utf8_lossy(&listed.stderr));
        }
        for file in String::from_utf8(listed.stdout)?.split_terminator('\0') {
            let from = root().join(file);
            if from.is_file() && file != SUITE && file != MANIFEST {
                renew(&folder.join(file), &fs::read(from)?)?;
            }
        }
        let tree = Self {
            folder,
            package: format!("heldout-{}", family.folder),
            library: format!("crates/{}/src/lib.rs", family.folder),
            settings: families::all()?
                .iter()
                .filter(|other| other.folder != family.folder)
                .map(|other| format!("--config=profile.dev.package.heldout-{}.opt-level=0", other.folder))
                .chain(["--config=profile.dev.debug=false".to_owned()])
                .collect(),
        };
        tree.restore(&tree.library)?;
        tree.insert(SUITE, BEGIN, &format!("    heldout_{}::mutant_is(0);\n", family.folder))?;
        tree.insert(MANIFEST, LINTS, &ALLOWED.map(|lint| format!("{lint} = \"allow\"\n")).concat())?;
        Ok(tree)
    }

    /// Adds `text` to a file after `mark`.
    fn insert(&self, file: &str, mark: &str, text: &str) -> anyhow::Result<()> {
        let whole = original(file)?;
        let (before, after) = whole.split_once(mark).with_context(|| format!("{file} has no {mark:?}"))?;
        self.write(file, &[before, mark, text, after].concat())
    }

    fn write(&self, file: &str, text: &str) -> anyhow::Result<()> {
        let choice = if file == self.library { CHOICE } else { "" };
        renew(&self.folder.join(file), [text, choice].concat().as_bytes())
    }

    /// Puts all of `drawn` in that compile together; the numbers of those that do not, and the program of the tests.
    pub(crate) fn instrument(&self, drawn: &[Drawn]) -> anyhow::Result<(BTreeSet<u32>, PathBuf)> {
        let mut left = BTreeSet::new();
        loop {
            let mut files: BTreeMap<&str, Vec<&Drawn>> = BTreeMap::new();
            for one in drawn {
                files.entry(&one.mutant.file).or_default().push(one);
            }
            let mut schemas: BTreeMap<&str, Schema> = BTreeMap::new();
            for (file, all) in files {
                let changes: Vec<_> =
                    all.iter().filter(|d| !left.contains(&d.number)).map(|d| (d.number, &d.mutant.change)).collect();
                let written = schema(&original(file)?, &changes).with_context(|| format!("in {file}"))?;
                left.extend(&written.left);
                self.write(file, &written.text)?;
                schemas.insert(file, written);
            }
            let (errors, text) = match self.lib()? {
                Built::Tests(program) => return Ok((left, program)),
                Built::Errors(errors, text) => (errors, text),
            };
            let before = left.len();
            for (file, bytes) in errors {
                if let Some(bytes) = bytes {
                    left.extend(schemas.get(&*file).map_or(&[][..], |schema| schema.at(&bytes)));
                } else {
                    let own = drawn.iter().filter(|d| d.mutant.file == file);
                    left.extend(own.filter(|d| d.mutant.change.genre == Genre::MatchArm).map(|d| d.number));
                }
            }
            if left.len() == before {
                bail!("no mutant is to blame for these errors:\n{text}");
            }
            println!("{} mutants do not compile beside the others", left.len());
            fs::write(self.folder.with_file_name("errors.txt"), text)?;
        }
    }

    /// Puts one mutant in, and takes all others out of its file.
    pub(crate) fn put(&self, mutant: &Mutant) -> anyhow::Result<()> {
        self.write(&mutant.file, &mutant.change.apply(&original(&mutant.file)?))
    }

    pub(crate) fn restore(&self, file: &str) -> anyhow::Result<()> {
        self.write(file, &original(file)?)
    }

    /// Builds the tests beside the rules.
    pub(crate) fn lib(&self) -> anyhow::Result<Built> {
        self.build(&["--lib", "--package", &self.package])
    }

    /// Builds the conformance suite.
    pub(crate) fn conformance(&self) -> anyhow::Result<Built> {
        self.build(&["--test=conformance", "--package=heldout-envs"])
    }

    fn build(&self, arguments: &[&str]) -> anyhow::Result<Built> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.folder).args(["test", "--no-run", "--message-format=json"]).args(arguments);
        cargo.args(&self.settings);
        // What is not copied is built already.
        cargo.env("CARGO_TARGET_DIR", root().join("target"));
        let output = cargo.output().context("cannot start cargo")?;
        let mut program = None;
        let (mut places, mut text) = (Vec::new(), String::new());
        for line in String::from_utf8(output.stdout)?.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line["profile"]["test"] == true {
                program = line["executable"].as_str().map(PathBuf::from);
            }
            let message = &line["message"];
            if message["level"] == "error" {
                text += message["rendered"].as_str().unwrap_or_default();
                spans(message, &mut places);
            }
        }
        match program {
            Some(program) if output.status.success() => Ok(Built::Tests(program)),
            _ if text.is_empty() => bail!("{cargo:?} failed: {}", String::from_utf8_lossy(&output.stderr)),
            _ => Ok(Built::Errors(places, text)),
        }
    }
}

/// Where a message of the compiler points first; nowhere if a match lacks a case, which it says of what is matched.
fn spans(message: &Value, places: &mut Vec<Place>) {
    let lacks = message["code"]["code"] == "E0004";
    for span in message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true) {
        let byte = |key: &str| span[key].as_u64().unwrap_or_default() as usize;
        let bytes = (!lacks).then(|| byte("byte_start")..byte("byte_end"));
        places.push((span["file_name"].as_str().unwrap_or_default().to_owned(), bytes));
    }
}

/// A source as it is in the repository.
fn original(file: &str) -> anyhow::Result<String> {
    read(&root().join(file))
}

pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file if it is not yet so.
fn renew(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
