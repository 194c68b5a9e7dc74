//! Files that only grow, and folders that are replaced whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::read;

/// A file that only grows.
#[derive(Debug)]
pub struct Growing {
    file: File,
    len: u64,
}

impl Growing {
    /// Opens the file at `path`, made with the folders above it if it is not there, and cuts it to `len` bytes: what was added
    /// after somebody took note of that length is forgotten.
    ///
    /// # Errors
    ///
    /// If it is no regular file, has fewer bytes, or cannot be written to.
    pub fn open(path: &Path, len: u64) -> io::Result<Self> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let found = file.metadata()?.len();
        if found < len {
            let problem = format!("has {found} bytes, must have at least {len}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        file.set_len(len)?;
        Ok(Self { file, len })
    }

    /// Adds bytes.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Bytes that it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// What a folder is called while it is written, and while it gives way.
fn beside(folder: &Path) -> [PathBuf; 2] {
    ["new", "old"].map(|ending| folder.with_extension(ending))
}

/// Replaces a folder by one of these files: it is written aside and takes the place of the other, so that at any time one of
/// them is whole.
///
/// # Errors
///
/// If that is not possible; what was there can still be read by [`read_folder`] then.
pub fn write_folder(folder: &Path, files: &[(&str, &[u8])]) -> io::Result<()> {
    let [new, old] = beside(folder);
    let gone = |path: &Path| match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    gone(&new)?;
    fs::create_dir_all(&new)?;
    for (name, bytes) in files {
        let mut file = File::create(new.join(name))?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    if folder.exists() {
        gone(&old)?;
        fs::rename(folder, &old)?;
    }
    fs::rename(&new, folder)?;
    gone(&old)
}

/// The bytes of these files of a folder that [`write_folder`] wrote, each at most `most`; `None` if none was written.
///
/// # Errors
///
/// If a file is missing or cannot be read: the path of it, and why.
pub fn read_folder(folder: &Path, names: &[&str], most: u64) -> Result<Option<Vec<Vec<u8>>>, (PathBuf, io::Error)> {
    // Between the two renames of a write, the last one is the old one.
    let [_, old] = beside(folder);
    let Some(folder) = [folder, &old].into_iter().find(|path| path.is_dir()) else { return Ok(None) };
    let bytes = |name: &&str| {
        let path = folder.join(name);
        read(&path, most).map_err(|error| (path, error))
    };
    names.iter().map(bytes).collect::<Result<_, _>>().map(Some)
}
