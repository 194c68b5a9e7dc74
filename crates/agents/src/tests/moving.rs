//! Runs that go on elsewhere: what is taken of a directory and put into another.

use std::fs;
use std::path::{Path, PathBuf};

use crate::train::{restore, snapshot, so_far};

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-moving-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("state")).unwrap();
        for (name, text) in [
            ("run.json", "{}"),
            ("log.jsonl", "{\"step\":64,\"episodes\":2}\n{\"step\":128,\"episodes\":5}\n{\"step\":19"),
            ("state/learner.bin", "first"),
            (".lock", "mine"),
        ] {
            fs::write(path.join(name), text).unwrap();
        }
        Self(path)
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(dir: &Path) -> Vec<String> {
    snapshot(dir).unwrap().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn a_run_is_the_same_elsewhere_and_over_only_where_it_is() {
    let (from, to) = (Folder::new("from"), Folder::new("to"));
    assert_eq!(names(&from.0), ["log.jsonl", "run.json", "state/learner.bin"]);
    fs::write(from.0.join("state/learner.bin"), "second").unwrap();
    fs::write(to.0.join("done.json"), "{}").unwrap();
    restore(&to.0, snapshot(&from.0).unwrap()).unwrap();
    assert_eq!(to.text("state/learner.bin").as_deref(), Some("second"));
    assert_eq!((to.text("done.json"), to.text(".lock").as_deref()), (None, Some("mine")));
    fs::write(from.0.join("done.json"), "{}").unwrap();
    restore(&to.0, snapshot(&from.0).unwrap()).unwrap();
    assert_eq!(to.text("done.json").as_deref(), Some("{}"));
}

#[test]
fn whoever_was_ended_between_two_renames_has_the_state_that_gave_way() {
    let from = Folder::new("between");
    fs::rename(from.0.join("state"), from.0.join("state.old")).unwrap();
    assert_eq!(names(&from.0), ["log.jsonl", "run.json", "state/learner.bin"]);
}

#[test]
fn how_far_a_run_is_told_by_its_last_whole_line() {
    let run = Folder::new("far");
    assert_eq!(so_far(&run.0), (128, 5));
    fs::remove_file(run.0.join("log.jsonl")).unwrap();
    assert_eq!(so_far(&run.0), (0, 0));
}
