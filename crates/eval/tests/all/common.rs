//! What the tests of evaluations share.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use heldout_core::Crc;

/// A folder that goes when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldout-eval-{}-{number}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A line of a file of records: JSON, without a checksum or with any, whose last member is then the CRC-32 of all that
/// stands before it.
pub(crate) fn sealed(json: &str) -> String {
    let json = json.trim_end();
    let own = json.split_once(",\"check\":").map_or_else(|| json.strip_suffix('}').unwrap(), |(own, _)| own);
    format!("{own},\"check\":\"{:08x}\"}}\n", Crc::of(own.as_bytes()))
}

/// The bytes of every file below `folder`, by its path within.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Keeps scales with the records below `folder`, as an evaluation does: with a checksum.
pub(crate) fn keep_scales(folder: &Path, text: &str) {
    let sealed = format!("{text}# check {:08x}\n", Crc::of(text.as_bytes()));
    std::fs::write(folder.join("protocols/toy.scales.toml"), sealed).expect("it can be written");
}
