//! One writer a directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The file that whoever writes to a directory holds.
const NAME: &str = ".heldout-lock";
/// What stands in it before the number of the process.
const SIGNED: &str = "process ";
/// Bytes of it that are read at the most.
const MOST: u64 = 512;

/// The right to write to a directory, for as long as it lives. It ends with the process, and those it forked, however they end.
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
            if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(foreign(&path));
            }
            let open = |new: bool| OpenOptions::new().read(true).write(true).create_new(new).open(&path);
            let (mut file, made) = match open(true) {
                Ok(file) => (file, true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match open(false) {
                    Ok(file) => (file, false),
                    // Whoever had it is done.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => {
                        let problem = format!("its lock `{}` cannot be opened: {error}", path.display());
                        return Err(HoldError::Write(io::Error::new(error.kind(), problem)));
                    }
                },
                Err(error) => return Err(HoldError::Write(error)),
            };
            let signed = holder(&mut file);
            let who = || signed.clone().unwrap_or_else(|| "another process".to_owned());
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(HoldError::Held(who())),
                // A file system without locks: the file itself is the lock, and a run that was killed leaves it.
                Err(TryLockError::Error(_)) if !made => {
                    let over = format!("{}; if that run is over, remove `{}`", who(), path.display());
                    return Err(HoldError::Held(over));
                }
                Err(TryLockError::Error(_)) | Ok(()) => {}
            }
            // Whoever had it before may have removed the name between opening and locking.
            if same(&file, &path) {
                if signed.is_some_and(|text| !text.starts_with(SIGNED)) {
                    return Err(foreign(&path));
                }
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
        self.file.write_all(format!("{SIGNED}{}{host}\n", std::process::id()).as_bytes())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // While it is still locked: what a later process finds under the name is its own.
        let _ = fs::remove_file(&self.path);
    }
}

/// Something else has the lock's name.
fn foreign(path: &Path) -> HoldError {
    let problem = format!("`{}` is no lock of heldout's: move it away", path.display());
    HoldError::Write(io::Error::new(io::ErrorKind::AlreadyExists, problem))
}

/// Who signed, if anybody did.
fn holder(file: &mut File) -> Option<String> {
    let mut bytes = Vec::new();
    let _ = file.take(MOST).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
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
