//! All that is read from files and written to them: bounded on the way in, whole or not at all on the way out.
//!
//! Nothing else in the workspace opens a file, so that what is decided here holds everywhere: an input is a regular file of a
//! bounded size, so that nobody waits for a pipe or reads a device that never ends; an output goes where its path says, links
//! followed, and only a regular file is ever replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

mod growing;
mod hold;
mod tree;

pub use growing::{Growing, read_folder, write_folder};
pub use hold::{Hold, HoldError};
pub use tree::{Tree, read_tree, write_tree};

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
    // What the system makes up as it is read may never end.
    if fs::canonicalize(path).is_ok_and(|path| ["/proc", "/sys"].iter().any(|made_up| path.starts_with(made_up))) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no file of its own, must be a regular file"));
    }
    let file = File::open(path)?;
    // It may have been replaced in the meantime.
    let metadata = file.metadata()?;
    regular(&metadata)?;
    if metadata.len() > most {
        return Err(too_large(metadata.len(), most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize)?;
    // It may grow.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(bytes.len() as u64, most)) } else { Ok(bytes) }
}

/// The last bytes of a regular file: `most` of them, or all.
///
/// # Errors
///
/// If it is something else, or cannot be read.
pub fn tail(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    regular(&fs::metadata(path)?)?;
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(len.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
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
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "is read-only"))
        }
        Ok(metadata) => match followed(path)? {
            // Such as `/dev/stdout`: whoever holds the file goes on writing to it.
            None => held_open(path, &metadata, bytes),
            Some(place) => replace(&place, bytes, Some(metadata.permissions())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match followed(path)? {
            None => Err(error),
            Some(place) => replace(&place, bytes, None),
        },
        Err(error) => Err(error),
    }
}

/// Writes to a file that this process holds open, where it has come to: one of its own that is opened again would begin anew.
fn held_open(path: &Path, metadata: &fs::Metadata, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::MetadataExt as _;
        let (out, errors) = (io::stdout(), io::stderr());
        for own in [out.as_fd(), errors.as_fd()] {
            let mut file = File::from(own.try_clone_to_owned()?);
            if file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (metadata.dev(), metadata.ino())) {
                out.lock().flush()?;
                return file.write_all(bytes);
            }
        }
    }
    let _ = metadata;
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
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
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file name"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut file, beside) = loop {
        // One of a run that was ended may be there.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!("{PART}{}-{number}", std::process::id()));
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

/// Removes what writers that were ended before they were done left in `folder` beside its files, if their process is gone (a report
/// may be under way), and anywhere below those of its folders that `within` names.
///
/// Whoever calls this holds the folder ([`Hold`]).
pub fn sweep(folder: &Path, within: &[&str]) {
    let names = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    // Where the system does not tell who runs, nobody is gone.
    let gone = |process: u32| {
        let all = Path::new("/proc");
        process == std::process::id() || (all.join("self").exists() && !all.join(process.to_string()).exists())
    };
    for path in names(folder).filter(|path| part_of(path).is_some_and(gone)) {
        let _ = fs::remove_file(path);
    }
    let mut folders: Vec<PathBuf> = within.iter().map(|name| folder.join(name)).collect();
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

/// What the name of a file that is being written begins with; the process and a number follow.
const PART: &str = ".heldout-part-";

/// The process that was writing a file beside its place, if it is such a one.
fn part_of(path: &Path) -> Option<u32> {
    let (process, number) = path.file_name()?.to_str()?.strip_prefix(PART)?.split_once('-')?;
    let _: u64 = number.parse().ok()?;
    process.parse().ok()
}

/// The folder called `name` of heldout's below the user's cache directory, for what commands obtain.
#[must_use]
pub fn cache(name: &str) -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let user = set("XDG_CACHE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| Some(set("HOME")?.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    user.join("heldout").join(name)
}

/// Whether two paths lead to one file, links followed; of files that are not there yet, to one place.
#[must_use]
pub fn same_place(one: &Path, other: &Path) -> bool {
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Whether a path leads to somewhere below a folder, links followed.
#[must_use]
pub fn is_below(path: &Path, folder: &Path) -> bool {
    place(path).zip(fs::canonicalize(folder).ok()).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// Where a file is, or would be made.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(there) = fs::canonicalize(path) {
        return Some(there);
    }
    let path = followed(path).ok()??;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Whether this process was started to ignore a signal, where the system says so.
#[must_use]
pub fn ignores(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64).contains(&signal) && mask >> (signal - 1) & 1 == 1
}

/// Waits until the names in a folder are on the disk, where folders can be opened at all.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests;
