//! Writing records: to one file a cell, at its end, in order.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::records::{Header, MOST, Record, Recorded, RecordsError, line, lines, parse};

/// Ending of the file beside a file of records that holds those that stand behind a gap.
const WAITING: &str = "waiting";

/// The records that an earlier run left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// How many stand at the front of the file, without a gap.
    pub front: u64,
    /// Those of an evaluation with fewer episodes that stand behind a gap, in their order.
    pub spare: Vec<Record>,
}

impl Kept {
    /// What `recorded`, found at `path`, and the records that wait beside it are under `header`.
    fn of(recorded: &Recorded, header: &Header, path: &Path) -> Result<Self, RecordsError> {
        header.extends(&recorded.header, path)?;
        let key = |record: &Record| (record.seed, record.episode);
        let front = header.order().zip(&recorded.records).take_while(|(next, record)| *next == key(record)).count();
        let mut rest: BTreeMap<(u64, u64), Record> =
            recorded.records[front..].iter().map(|record| (key(record), record.clone())).collect();
        let beside = path.with_added_extension(WAITING);
        let waiting = match heldout_files::read(&beside, MOST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(RecordsError::Read { path: beside, error }),
            Ok(bytes) => Some(parse(&beside, &bytes, true)?.0),
        };
        if let Some(waiting) = waiting {
            header.extends(&waiting.header, &beside)?;
            for record in waiting.records {
                rest.entry(key(&record)).or_insert(record);
            }
        }
        let spare = header.order().skip(front).filter_map(|next| rest.remove(&next)).collect();
        Ok(Self { front: front as u64, spare })
    }

    /// Drops what waits beside the file of `header`, whose records are all in their places.
    pub(crate) fn clear(out: &Path, header: &Header) {
        // What is left behind does no harm.
        let _ = fs::remove_file(header.path(out).with_added_extension(WAITING));
    }
}

/// A file that records are added to. Whoever has one holds the directory ([`heldout_files::Hold`]).
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    len: u64,
}

impl Writer {
    /// Opens the file of `header` below the directory `out` of an evaluation: a new one, or with `resume` one that holds
    /// records of the same evaluation, or of one with fewer seeds or episodes. Those at its front are given back. A last
    /// line that was cut short is cut off.
    ///
    /// # Errors
    ///
    /// If it is already there without `resume`, is of another evaluation, damaged, or cannot be written.
    pub fn open(out: &Path, header: &Header, resume: bool) -> Result<(Self, Vec<Record>), RecordsError> {
        let path = header.path(out);
        if !path.try_exists().map_err(|error| RecordsError::Read { path: path.clone(), error })? {
            let len = create(&path, header).map_err(|error| RecordsError::Write { path: path.clone(), error })?;
            let writer = Self::append_to(&path, len)?;
            return Ok((writer, Vec::new()));
        }
        if !resume {
            return Err(RecordsError::There { path });
        }
        let bytes =
            heldout_files::read(&path, MOST).map_err(|error| RecordsError::Read { path: path.clone(), error })?;
        let (mut recorded, whole) = parse(&path, &bytes, false)?;
        let kept = Kept::of(&recorded, header, &path)?;
        recorded.records.truncate(kept.front as usize);
        if header.difference(&recorded.header).is_some() {
            // Of an evaluation that this one extends. What stands behind a gap is put aside before it leaves the file.
            let write = |error| RecordsError::Write { path: path.clone(), error };
            if !kept.spare.is_empty() {
                let beside = path.with_added_extension(WAITING);
                heldout_files::write_below(&beside, &lines(header, &kept.spare).map_err(write)?).map_err(write)?;
            }
            let bytes = lines(header, &recorded.records).map_err(write)?;
            heldout_files::write_below(&path, &bytes).map_err(write)?;
            return Ok((Self::append_to(&path, bytes.len() as u64)?, recorded.records));
        }
        let mut writer = Self::append_to(&path, whole as u64)?;
        if whole < bytes.len() {
            writer.cut().map_err(|error| RecordsError::Write { path, error })?;
        }
        Ok((writer, recorded.records))
    }

    /// The records that [`Writer::open`] would find, without touching anything.
    ///
    /// # Errors
    ///
    /// As [`Writer::open`], but for writing.
    pub fn kept(out: &Path, header: &Header, resume: bool) -> Result<Kept, RecordsError> {
        let path = header.path(out);
        if !path.try_exists().map_err(|error| RecordsError::Read { path: path.clone(), error })? {
            return Ok(Kept::default());
        }
        if !resume {
            return Err(RecordsError::There { path });
        }
        Kept::of(&Recorded::read(&path)?, header, &path)
    }

    fn append_to(path: &Path, len: u64) -> Result<Self, RecordsError> {
        let open = OpenOptions::new().append(true).open(path);
        let file = open.map_err(|error| RecordsError::Write { path: path.to_owned(), error })?;
        Ok(Self { path: path.to_owned(), file, len })
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.len)?;
        self.file.sync_data()
    }

    /// Adds records and waits until they are on the disk.
    ///
    /// # Errors
    ///
    /// If that is not possible; none of them is there then, as far as the disk allows.
    pub fn append(&mut self, records: &[Record]) -> Result<(), RecordsError> {
        let mut bytes = Vec::new();
        let failed = |error| RecordsError::Write { path: self.path.clone(), error };
        records.iter().try_for_each(|record| line(&mut bytes, record)).map_err(failed)?;
        let done = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        if let Err(error) = done {
            // A part of a line would be cut on resume too; the first error is the one to tell.
            let _ = self.cut();
            return Err(RecordsError::Write { path: self.path.clone(), error });
        }
        self.len += bytes.len() as u64;
        Ok(())
    }
}

/// Creates a file that holds its header, whole or not at all.
fn create(path: &Path, header: &Header) -> io::Result<u64> {
    let bytes = lines(header, &[])?;
    heldout_files::write_below(path, &bytes)?;
    Ok(bytes.len() as u64)
}
