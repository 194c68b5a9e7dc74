//! One writer a directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The file that whoever writes to a directory holds.
const NAME: &str = "lock";
/// Bytes of it that are read at the most.
const MOST: u64 = 512;

/// The right to write to a directory, for as long as it lives. It ends with the process, however that ends.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    file: File,
}

/// A directory that cannot be written to now.
#[derive(Debug)]
pub enum HoldError {
    /// Somebody else writes to it: who.
    Held(String),
    /// It cannot be written to at all.
    Write(io::Error),
}

impl Hold {
    /// Takes the directory `folder`, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If somebody else has it, or it cannot be written to.
    pub fn take(folder: &Path) -> Result<Self, HoldError> {
        fs::create_dir_all(folder).map_err(HoldError::Write)?;
        let path = folder.join(NAME);
        loop {
            let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = open.map_err(HoldError::Write)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(HoldError::Held(holder(&mut file))),
                // A file system without locks: the file itself is the lock, and a run that was killed leaves it.
                Err(TryLockError::Error(_)) => {
                    let there = holder(&mut file);
                    if there != UNKNOWN {
                        let over = format!("{there}; if that run is over, remove `{}`", path.display());
                        return Err(HoldError::Held(over));
                    }
                }
            }
            // Whoever had it before may have removed the name between opening and locking.
            if same(&file, &path) {
                let mut held = Self { path, file };
                held.sign().map_err(HoldError::Write)?;
                return Ok(held);
            }
        }
    }

    /// Writes down who holds it.
    fn sign(&mut self) -> io::Result<()> {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(format!("process {}{host}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // While it is still locked: what a later process finds under the name is its own.
        let _ = fs::remove_file(&self.path);
    }
}

const UNKNOWN: &str = "another process";

/// Who signed.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(MOST).read_to_string(&mut text);
    let signed = text.trim();
    if signed.is_empty() { UNKNOWN.to_owned() } else { signed.to_owned() }
}

/// Whether the file that is open is the one under the name.
fn same(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (Ok(open), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    }
    #[cfg(not(unix))]
    {
        // A file that is open cannot be removed there.
        let _ = (file, path);
        true
    }
}
