//! What could not be played, listed beside the records.

use std::io;
use std::path::Path;

use heldout_core::Crc;
use serde::{Deserialize, Serialize};

use crate::records::RecordsError;

/// The version of the list's format.
const FORMAT: u32 = 1;

/// Something that could not be played; the rest went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Which protocol.
    pub protocol: String,
    /// Which of its tasks.
    pub task: String,
    /// Under which condition.
    pub condition: String,
    /// Label of the policy.
    pub agent: String,
    /// What went wrong.
    pub problem: String,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    format: u32,
    /// [`checksum`] of the failures.
    check: String,
    failures: Vec<Failure>,
}

/// CRC-32 of all that the failures say.
fn checksum(failures: &[Failure]) -> String {
    let mut crc = Crc::new();
    for f in failures {
        for text in [&f.protocol, &f.task, &f.condition, &f.agent, &f.problem] {
            crc.bytes(text.as_bytes());
            crc.bytes(&[0]);
        }
    }
    format!("{:08x}", crc.value())
}

/// The file of an evaluation's directory that lists its failures.
pub const FAILURES: &str = "failures.json";

impl Failure {
    /// The failures that the evaluation in the directory `out` ended with; none where it lists none.
    ///
    /// # Errors
    ///
    /// If the list cannot be read.
    pub fn read_all(out: &Path) -> Result<Vec<Self>, RecordsError> {
        let path = out.join(FAILURES);
        let bytes = match heldout_files::read(&path, heldout_files::DATA) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(RecordsError::Read { path, error }),
            Ok(bytes) => bytes,
        };
        let corrupt = |line, problem| RecordsError::Corrupt { path: path.clone(), line, problem };
        let list: List = serde_json::from_slice(&bytes).map_err(|error| corrupt(error.line(), error.to_string()))?;
        if list.format != FORMAT {
            return Err(corrupt(1, format!("`format` is `{}`, must be {FORMAT}", list.format)));
        }
        let crc = checksum(&list.failures);
        if crc != list.check {
            return Err(corrupt(1, format!("its checksum is {crc}, must be {}", list.check)));
        }
        Ok(list.failures)
    }

    /// Lists `failures` in the directory `out`; no list stands for none.
    ///
    /// # Errors
    ///
    /// If the list cannot be written.
    pub fn write_all(out: &Path, failures: &[Self]) -> Result<(), RecordsError> {
        let path = out.join(FAILURES);
        let done = if failures.is_empty() {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        } else {
            let list = List { format: FORMAT, check: checksum(failures), failures: failures.to_vec() };
            let text = serde_json::to_vec_pretty(&list).map_err(io::Error::from);
            text.and_then(|text| heldout_files::write(&path, &text))
        };
        done.map_err(|error| RecordsError::Write { path, error })
    }
}
