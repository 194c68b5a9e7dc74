//! All that is read from files and written to them: bounded on the way in, whole or not at all on the way out.
//!
//! Nothing else in the workspace opens a file, so that what is decided here holds everywhere: an input is a regular file of a
//! bounded size, so that nobody waits for a pipe or reads a device that never ends; an output goes where its path says, links
//! followed, and only a regular file is ever replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

mod hold;

pub use hold::{Hold, HoldError};

/// Bytes of a file that a person writes at the most: 16 MiB.
pub const WRITTEN: u64 = 16 << 20;
/// Bytes of a file of data at the most, unpacked: 512 MiB.
pub const DATA: u64 = 512 << 20;

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
///
/// If it is something else, is larger, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // It may have been replaced in the meantime.
    let metadata = file.metadata()?;
    regular(&metadata)?;
    if metadata.len() > most {
        return Err(too_large(metadata.len(), most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize)?;
    // Files below `/proc` say that they have no bytes.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(bytes.len() as u64, most)) } else { Ok(bytes) }
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
///
/// As [`read`], and if it is not UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(io::Error::other)
}

/// The text of a file's bytes, unpacked to at most `most` bytes if the name at `path` ends in `.gz`.
///
/// # Errors
///
/// If it is damaged, larger, or not UTF-8.
pub fn unpacked(path: &Path, bytes: Vec<u8>, most: u64) -> io::Result<String> {
    if path.extension().is_none_or(|ending| ending != "gz") {
        return String::from_utf8(bytes).map_err(io::Error::other);
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("unpacks to more than {most} bytes")));
    }
    Ok(text)
}

fn too_large(found: u64, most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("has {found} bytes, must have at most {most}"))
}

/// Refuses what could be read for ever.
fn regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a directory" } else { "a device or a pipe" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("is {what}, must be a regular file")))
}

/// Writes `bytes` where `path` says, links followed: a regular file is made beside its place and then takes it, so that nobody ever sees half of it; a device or a pipe is written to.
///
/// # Errors
///
/// If that is not possible; a regular file that was there is still there then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, must be a file"))
        }
        Ok(metadata) if !metadata.is_file() => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(metadata) => match followed(path)? {
            // Such as `/dev/stdout`: whoever holds the file goes on writing to it.
            None => OpenOptions::new().append(true).open(path)?.write_all(bytes),
            Some(place) => replace(&place, bytes, Some(metadata.permissions())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match followed(path)? {
            None => Err(error),
            Some(place) => replace(&place, bytes, None),
        },
        Err(error) => Err(error),
    }
}

/// As [`write()`], with the folders above `path`.
///
/// # Errors
///
/// As [`write()`], and if the folders cannot be made.
pub fn write_below(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    write(path, bytes)
}

/// Where the links at `path` lead; `None` if to a file that a process holds open.
fn followed(path: &Path) -> io::Result<Option<PathBuf>> {
    /// Links in a row at the most, as Linux has it.
    const MOST: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST {
        if place.starts_with("/proc") || place.starts_with("/dev/fd") {
            return Ok(None);
        }
        match fs::read_link(&place) {
            Ok(to) => place = place.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(Some(place)),
        }
    }
    Err(io::Error::other("leads through too many links"))
}

/// Puts a file with `bytes` at `path`.
fn replace(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file name"));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut file, beside) = loop {
        // One of a run that was ended may be there.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut beside = name.to_owned();
        beside.push(format!(".{}.{}.part", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        let beside = folder.join(beside);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => break (made?, beside),
        }
    };
    let write = || {
        file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    if let Err(error) = write() {
        // What could not be finished is not left behind; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    sync(folder);
    Ok(())
}

/// Removes what writers that were ended before they were done left in `folder` and below it. Of those beside its folders, only
/// what is of a process that is gone: a report may be under way.
///
/// Whoever calls this holds the folder ([`Hold`]).
pub fn sweep(folder: &Path) {
    let names = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders = Vec::new();
    for path in names(folder) {
        let gone = |pid: u32| pid == std::process::id() || !Path::new("/proc").join(pid.to_string()).exists();
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => folders.push(path),
            Ok(_) if part_of(&path).is_some_and(gone) => drop(fs::remove_file(&path)),
            _ => {}
        }
    }
    while let Some(folder) = folders.pop() {
        for path in names(&folder) {
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => folders.push(path),
                Ok(_) if part_of(&path).is_some() => drop(fs::remove_file(&path)),
                _ => {}
            }
        }
    }
}

/// The process that was writing a file beside its place, if it is such a one: `NAME.PROCESS.NUMBER.part`.
fn part_of(path: &Path) -> Option<u32> {
    let mut ends = path.file_name()?.to_str()?.rsplit('.');
    let (part, number, process) = (ends.next()?, ends.next()?, ends.next()?);
    let _: u64 = number.parse().ok().filter(|_| part == "part" && ends.next().is_some())?;
    process.parse().ok()
}

/// Waits until the names in a folder are on the disk, where folders can be opened at all.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests;
