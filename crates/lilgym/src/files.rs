//! The public files, read from a directory that the user names.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use heldout_core::{ConfigError, Source};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::config::{Begin, Config, Split, Task};
use crate::corpus::{CATEGORIES, Corpus, Problem, Statement};
use crate::language::Program;
use crate::reader::words;
use crate::scene::Scene;
use crate::structured;

/// Names the directory of the public data.
const VARIABLE: &str = "HELDOUT_LILGYM_DATA";
/// FLIPIT training rows recovered from the pictures, for want of the original files.
const RECOVERED: &str = "train_flipit_partial_from_png.jsonl.gz";

/// A row and its key.
type KeyedRow = (String, Map<String, Value>);

/// One file, read whole.
struct File {
    path: PathBuf,
    text: String,
    sha256: String,
}

impl File {
    fn read(path: PathBuf) -> Result<Self, ConfigError> {
        let bad = |problem: &dyn Display| ConfigError::new("data", format!("`{}`: {problem}", path.display()));
        let bytes = heldout_files::read(&path, heldout_files::DATA).map_err(|e| bad(&e))?;
        let mut sha256 = String::new();
        for byte in Sha256::digest(&bytes) {
            sha256 += &format!("{byte:02x}");
        }
        let text = heldout_files::unpacked(&path, bytes, heldout_files::DATA).map_err(|e| bad(&e))?;
        Ok(Self { path, text, sha256 })
    }

    fn bad(&self, row: &str, problem: &dyn Display) -> ConfigError {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ConfigError::new("data", format!("`{name}`, row `{row}`: {problem}"))
    }

    /// The rows: a JSON object of them, or one per line.
    fn rows(&self) -> Result<Vec<KeyedRow>, ConfigError> {
        let object = |key: String, value: Value| match value {
            Value::Object(row) => Ok((key, row)),
            _ => Err(self.bad(&key, &"is not an object")),
        };
        if self.path.to_string_lossy().contains(".jsonl") {
            let line = |(number, line): (usize, &str)| {
                let label = format!("line {}", number + 1);
                let value: Value = serde_json::from_str(line).map_err(|e| self.bad(&label, &e))?;
                let key = value["mdp_id"].as_str().or(value["identifier"].as_str()).map_or(label, str::to_owned);
                object(key, value)
            };
            return self.text.lines().enumerate().map(line).collect();
        }
        let all: Map<String, Value> = serde_json::from_str(&self.text).map_err(|e| self.bad("", &e))?;
        all.into_iter().map(|(key, value)| object(key, value)).collect()
    }
}

/// The directory that `config` names.
fn directory(config: &Config) -> Result<PathBuf, ConfigError> {
    if config.data != "public" {
        return Ok(PathBuf::from(&config.data));
    }
    std::env::var_os(VARIABLE)
        .map(PathBuf::from)
        .ok_or_else(|| ConfigError::new("data", format!("is `public`, but `{VARIABLE}` does not name a directory")))
}

fn text<'a>(file: &File, key: &str, row: &'a Map<String, Value>, field: &str) -> Result<&'a str, ConfigError> {
    row.get(field).and_then(Value::as_str).ok_or_else(|| file.bad(key, &format!("has no text `{field}`")))
}

/// The name of the file of one task and split.
pub(crate) fn name(task: Task, split: Split) -> String {
    format!("{}_{}.json", task.name().replace('-', "_"), split.name())
}

/// The file of one task, or what stands in for it.
fn path(config: &Config, task: Task) -> Result<PathBuf, ConfigError> {
    let directory = directory(config)?;
    let (own, recovered) = (directory.join(name(task, config.split)), directory.join(RECOVERED));
    let missing = task.begin == Begin::Flipit && config.split == Split::Train && !own.exists() && recovered.exists();
    Ok(if missing { recovered } else { own })
}

/// Whether there is no file of one task: one that is there and cannot be looked at is not absent.
pub(crate) fn is_absent(config: &Config, task: Task) -> Result<bool, ConfigError> {
    Ok(matches!(path(config, task)?.try_exists(), Ok(false)))
}

/// Reads the rows of one task, whose labels must be what their programs say.
pub(crate) fn read(config: &Config, task: Task) -> Result<Corpus, ConfigError> {
    let (file, corpus) = rows(config, task)?;
    if task.begin == Begin::Flipit {
        for row in &corpus.problems {
            let label = !row.target;
            let program = &corpus.statements[row.statement as usize].program;
            match program.truth(&row.scene) {
                Ok(truth) if truth == label => {}
                Ok(truth) => {
                    return Err(file.bad(&row.key, &format!("the label is `{label}`, but its program is {truth}")));
                }
                Err(fault) => return Err(file.bad(&row.key, &format!("its program has no value: {fault}"))),
            }
        }
    }
    Ok(corpus)
}

/// The same, whatever the labels say.
pub(crate) fn unchecked(config: &Config, task: Task) -> Result<Corpus, ConfigError> {
    Ok(rows(config, task)?.1)
}

/// `sentence` as it is compared with others: its small letters and digits alone.
pub(crate) fn normalised(sentence: &str) -> String {
    words(sentence).collect()
}

fn rows(config: &Config, task: Task) -> Result<(File, Corpus), ConfigError> {
    let file = File::read(path(config, task)?)?;
    let mut trained = BTreeSet::new();
    let training = (config.disjoint && config.split != Split::Train)
        .then(|| File::read(directory(config)?.join(name(Task { begin: Begin::Scratch, ..task }, Split::Train))))
        .transpose()?;
    if let Some(training) = &training {
        for (key, row) in training.rows()? {
            trained.insert(normalised(text(training, &key, &row, "sentence")?));
        }
    }
    let labels = labels(config)?;
    let mut corpus = Corpus {
        sources: vec![Source { name: "statements", content: file.sha256.clone() }],
        categorised: labels.is_some(),
        ..Corpus::default()
    };
    if let Some(training) = training {
        corpus.sources.push(Source { name: "training statements", content: training.sha256 });
    }
    if let Some(labels) = &labels {
        corpus.sources.push(Source { name: "categories", content: labels.sha256.clone() });
    }
    fill(&mut corpus, &file, task, &trained, labels.as_ref())?;
    Ok((file, corpus))
}

/// Adds the rows of `file` that are about `task`, but for those whose sentences are `trained`.
fn fill(
    corpus: &mut Corpus,
    file: &File,
    task: Task,
    trained: &BTreeSet<String>,
    labels: Option<&Labels>,
) -> Result<(), ConfigError> {
    for (key, row) in file.rows()? {
        // The recovered rows of both appearances are in one file.
        if row.get("config").is_some_and(|of| of.as_str() != Some(task.name())) {
            continue;
        }
        let uid = match task.begin {
            Begin::Scratch => key.clone(),
            Begin::Flipit => text(file, &key, &row, "uid")?.to_owned(),
        };
        if !trained.contains(&normalised(text(file, &key, &row, "sentence")?)) {
            push(corpus, file, (&key, &row), uid, task, labels)?;
        }
    }
    Ok(())
}

/// Takes any text for a file of each task, and decides every statement about its picture. Gives whether it was a file of one.
#[doc(hidden)]
#[must_use]
pub fn fuzz_rows(text: &str) -> bool {
    let mut any = false;
    for name in ["x.json", "x.jsonl"] {
        let file = File { path: PathBuf::from(name), text: text.to_owned(), sha256: String::new() };
        for task in Task::ALL {
            let mut corpus = Corpus::default();
            if fill(&mut corpus, &file, task, &BTreeSet::new(), None).is_ok() {
                any |= !corpus.problems.is_empty();
                for row in &corpus.problems {
                    let _ = corpus.statements[row.statement as usize].program.truth(&row.scene);
                }
            }
        }
    }
    any
}

fn push(
    corpus: &mut Corpus,
    file: &File,
    (key, row): (&str, &Map<String, Value>),
    uid: String,
    task: Task,
    labels: Option<&Labels>,
) -> Result<(), ConfigError> {
    let sentence = text(file, key, row, "sentence")?;
    // Rows of one statement follow one another, so the search seldom goes far.
    let known = corpus.statements.iter().rposition(|s| s.key == uid);
    let program = Program::parse(text(file, key, row, "lf")?.trim()).map_err(|e| file.bad(key, &e))?;
    let statement = if let Some(known) = known {
        let of = &corpus.statements[known];
        if of.sentence != sentence {
            let problem = format!("the sentence of `{uid}` is `{sentence}`, and in another row `{}`", of.sentence);
            return Err(file.bad(key, &problem));
        }
        if of.program != program {
            let problem = format!("the program of `{uid}` is `{program}`, and in another row `{}`", of.program);
            return Err(file.bad(key, &problem));
        }
        known
    } else {
        if sentence.is_empty() || !sentence.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            let problem =
                format!("`sentence` is `{}`, must be ASCII text without control characters", sentence.escape_debug());
            return Err(file.bad(key, &problem));
        }
        let categories = labels.map_or(0, |labels| labels.of(&uid, sentence));
        corpus.statements.push(Statement { key: uid, sentence: sentence.to_owned(), program, categories });
        corpus.statements.len() - 1
    };
    let (scene, target) = match task.begin {
        Begin::Scratch => (Scene::default(), true),
        Begin::Flipit => {
            let image = row.get("structured_rep").ok_or_else(|| file.bad(key, &"has no `structured_rep`"))?;
            let scene = structured::scene(image).map_err(|problem| file.bad(key, &problem))?;
            structured::check(&scene, task.appearance).map_err(|problem| file.bad(key, &problem))?;
            let label = match (row.get("label").and_then(Value::as_str), row.get("truth").and_then(Value::as_bool)) {
                (Some("true"), _) | (None, Some(true)) => true,
                (Some("false"), _) | (None, Some(false)) => false,
                _ => return Err(file.bad(key, &"`label` must be `true` or `false`")),
            };
            (scene, !label)
        }
    };
    corpus.problems.push(Problem { key: key.to_owned(), statement: statement as u32, scene, target });
    Ok(())
}

/// Category names by statement.
struct Labels {
    of: Map<String, Value>,
    sha256: String,
}

impl Labels {
    /// The categories of a statement, which the file names by its number or by its sentence.
    fn of(&self, uid: &str, sentence: &str) -> u16 {
        let names = self.of.get(uid).or_else(|| self.of.get(sentence)).and_then(Value::as_array);
        let bit = |name: &Value| CATEGORIES.iter().position(|c| Some(*c) == name.as_str());
        names.into_iter().flatten().filter_map(bit).fold(0, |bits, i| bits | 1 << i)
    }
}

fn labels(config: &Config) -> Result<Option<Labels>, ConfigError> {
    if config.categories.is_empty() {
        return Ok(None);
    }
    let renamed = |e: ConfigError| ConfigError { field: "categories".to_owned(), ..e };
    let file = File::read(Path::new(&config.categories).to_owned()).map_err(renamed)?;
    let of: Map<String, Value> = serde_json::from_str(&file.text)
        .map_err(|e| ConfigError::new("categories", format!("`{}`: {e}", config.categories)))?;
    for (key, names) in &of {
        let names = names.as_array().map(Vec::as_slice).unwrap_or_default();
        let known = |name: &Value| name.as_str().is_some_and(|n| CATEGORIES.contains(&n));
        if names.is_empty() || !names.iter().all(known) {
            let problem = format!("`{}`, row `{key}`: must list names of {CATEGORIES:?}", config.categories);
            return Err(ConfigError::new("categories", problem));
        }
    }
    Ok(Some(Labels { of, sha256: file.sha256 }))
}
