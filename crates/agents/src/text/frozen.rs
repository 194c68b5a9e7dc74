//! Which encoder reads sentences, and where its files are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::bert::Bert;
use crate::parts::checkpoint::sha256;
use crate::train::TrainError;

/// How sentences are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    /// Words are learnt with the rest.
    #[default]
    Scratch,
    /// By all-MiniLM-L6-v2, which `heldout data minilm` obtains.
    Minilm,
    /// By a BERT that the user has.
    Bert,
}

impl Text {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["scratch", "minilm", "bert"][self as usize]
    }
}

/// The files of all-MiniLM-L6-v2 that are read, and their SHA-256.
pub const FILES: [(&str, &str); 3] = [
    ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
];

/// Where `heldout data minilm` puts the files.
#[must_use]
pub fn cache() -> PathBuf {
    heldout_files::cache("minilm")
}

/// The bytes of file `index` of [`FILES`] in `directory`.
///
/// # Errors
///
/// If it cannot be read or has another SHA-256.
pub fn checked(directory: &Path, index: usize) -> Result<Vec<u8>, TrainError> {
    let (file, expected) = FILES[index];
    let path = directory.join(file);
    let bytes = match heldout_files::read(&path, heldout_files::DATA) {
        Ok(bytes) => bytes,
        Err(error) => return Err(TrainError::File { path, problem: format!("cannot be read: {error}") }),
    };
    let found = sha256(&bytes);
    if found == expected {
        return Ok(bytes);
    }
    Err(TrainError::File { path, problem: format!("has SHA-256 {found}, must have {expected}") })
}

/// The encoder that was opened last: whoever plays the seeds of a run one after the other needs one.
static LAST: Mutex<Option<(Text, PathBuf, Arc<Bert>)>> = Mutex::new(None);

/// The encoder that reads sentences, where one does: from the directory `path`; if that is empty, from the one that the
/// variable `HELDOUT_MINILM` or `HELDOUT_BERT` names; else, for `MiniLM`, from [`cache`].
///
/// # Errors
///
/// If its files are not there, or are none of such an encoder.
pub fn frozen(text: Text, path: &str) -> Result<Option<Arc<Bert>>, TrainError> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let given = (!path.is_empty()).then(|| PathBuf::from(path));
    let directory = match text {
        Text::Scratch => return Ok(None),
        Text::Minilm => given.or_else(|| set("HELDOUT_MINILM")).unwrap_or_else(cache),
        Text::Bert => given.or_else(|| set("HELDOUT_BERT")).ok_or_else(|| {
            let files = "`config.json`, `vocab.txt` and `model.safetensors`";
            let how = "`text_path`, or the variable `HELDOUT_BERT`, must name the directory";
            TrainError::Config(format!("`text` is `bert`: {how} of its {files}"))
        })?,
    };
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, at, encoder)) = &*last
        && *of == text
        && *at == directory
    {
        return Ok(Some(encoder.clone()));
    }
    // Before the next one is read: two may be more than there is memory for.
    *last = None;
    let found = Bert::open(&directory).and_then(|encoder| match text {
        Text::Minilm => pinned(&directory, encoder),
        _ => Ok(encoder),
    });
    let encoder = Arc::new(found.map_err(|error| match (text, error) {
        (Text::Minilm, TrainError::File { path, problem }) => {
            let problem = format!("{problem}; `heldout data minilm` obtains the encoder");
            TrainError::File { path, problem }
        }
        (_, error) => error,
    })?);
    *last = Some((text, directory, encoder.clone()));
    Ok(Some(encoder))
}

/// The same, if its files are the ones of [`FILES`].
fn pinned(directory: &Path, encoder: Bert) -> Result<Bert, TrainError> {
    for ((file, expected), found) in FILES.iter().zip(encoder.sources()) {
        if found.content != *expected {
            let problem = format!("has SHA-256 {}, of `minilm` it must have {expected}", found.content);
            return Err(TrainError::File { path: directory.join(file), problem });
        }
    }
    Ok(encoder)
}
