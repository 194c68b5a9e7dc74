//! Folders as lists of files, to be sent elsewhere.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{read, write_below};

/// Files of a folder: the path of each below it, with `/` between names, and its bytes.
pub type Tree = Vec<(String, Vec<u8>)>;

/// All files below a folder, in order; or the file at `path`, called by the empty name. Names that `leave` says stay out, and
/// with a folder's name all that is in it. A file that goes away meanwhile is none.
///
/// # Errors
///
/// If something cannot be read, is no regular file, or has a name that is no Unicode; or all are more than `most` bytes.
pub fn read_tree(path: &Path, leave: &dyn Fn(&str) -> bool, most: u64) -> io::Result<Tree> {
    if !path.is_dir() {
        return Ok(vec![(String::new(), read(path, most)?)]);
    }
    let mut files = Vec::new();
    let mut left = most;
    let mut folders: Vec<(PathBuf, String)> = vec![(path.to_owned(), String::new())];
    while let Some((folder, below)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !below.is_empty() => continue,
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| io::Error::other(format!("`{}` is no Unicode", path.display())))?;
            if leave(name) {
                continue;
            }
            let name = format!("{below}{name}");
            if path.is_dir() {
                folders.push((path, format!("{name}/")));
                continue;
            }
            match read(&path, left) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                bytes => {
                    let bytes = bytes?;
                    left -= bytes.len() as u64;
                    files.push((name, bytes));
                }
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the files of a tree below `folder`, each whole or not at all; a file without a name is `folder` itself.
///
/// # Errors
///
/// If a name leads out of the folder, or something cannot be written.
pub fn write_tree(folder: &Path, files: &Tree) -> io::Result<()> {
    let inside = |name: &str| Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if let Some((name, _)) = files.iter().find(|(name, _)| !inside(name)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` is no name below a folder")));
    }
    for (name, bytes) in files {
        let path = if name.is_empty() { folder.to_owned() } else { folder.join(name) };
        write_below(&path, bytes)?;
    }
    Ok(())
}
