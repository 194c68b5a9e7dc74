//! What the tests of the command line share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use heldout_agents::parts::checkpoint::{FILES, Saved};
use serde_json::Value;

pub(crate) fn heldout(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heldout")).args(arguments).output().expect("the binary runs")
}

pub(crate) fn stdout(arguments: &[&str]) -> String {
    let output = heldout(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Fails with `code` and a message that holds each of `parts`.
pub(crate) fn fails(output: &Output, code: i32, parts: &[&str]) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "does not say `{part}`: {errors}");
    }
}

/// A folder that goes when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldout-cli-eval-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The bytes of every file below `folder` that stays, by its path within.
pub(crate) fn tree(folder: impl AsRef<Path>) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.as_ref().to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                // A run that is under way puts temporary files aside as this looks.
                files.insert(path.strip_prefix(&folder).unwrap().to_owned(), bytes);
            }
        }
    }
    files
}

/// Enough work to be killed in the middle of: panels are painted at every step.
pub(crate) const LONG: &str = r#"
title = "Long"
summary = "Random play that takes a while."
seeds = 3
[[task]]
name = "visual"
id = "halma/visual-v1"
kind = "problems"
metric = "rho_g"
set = { mazes = 50 }
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "test" }
"#;

pub(crate) const SHORT: &str = r#"
title = "Short"
summary = "One task, two conditions."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 40
metric = "success"
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "test"
held_out = true
set = { split = "heldout" }
"#;

pub(crate) fn protocol(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.path(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Each of `keys` behind a `--set`.
pub(crate) fn set<'a>(keys: &[&'a str]) -> Vec<&'a str> {
    keys.iter().flat_map(|&key| ["--set", key]).collect()
}

/// What a training of seed 0 in `out` would go on from, and what the loop around its learner keeps.
pub(crate) fn state(out: &str) -> (Saved, Value) {
    let folder = Path::new(out).join("seed-0/state");
    let files = heldout_files::read_folder(&folder, &FILES, heldout_files::DATA).unwrap().unwrap();
    Saved::of_files(files.try_into().unwrap()).unwrap()
}

pub(crate) fn begin(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heldout"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

pub(crate) fn lines(bytes: &[u8]) -> usize {
    bytes.split(|&b| b == b'\n').count() - 1
}

/// Whether something is recorded below `out`.
pub(crate) fn recorded(out: &str) -> bool {
    tree(Path::new(out).join("records")).values().any(|bytes| lines(bytes) > 1)
}
