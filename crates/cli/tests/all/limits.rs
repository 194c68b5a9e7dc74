//! What the machine does not give: a sentence and an exit code.

use std::path::PathBuf;
use std::process::{Command, Output};

/// More work than threads.
const MANY: &str = r#"
title = "Many"
summary = "More work than threads."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 40000
metric = "success"
[[task.condition]]
name = "train"
held_out = false
"#;

/// A folder with a protocol, which goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, protocol: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-cli-limits-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("own.toml"), protocol).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the program says when it has a fifth of a gigabyte of addresses beside its own.
#[cfg(target_os = "linux")]
fn capped(arguments: &[&str]) -> Output {
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_heldout")).unwrap().len() >> 10;
    let mut shell = Command::new("sh");
    let limit = format!("ulimit -v {}; exec \"$@\"", size + 200_000);
    shell.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_heldout")]).args(arguments).output().unwrap()
}

#[cfg(target_os = "linux")]
fn refused(output: &Output, parts: &[&str]) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "does not say `{part}`: {errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn regression_no_thread_to_be_had_was_a_panic() {
    let folder = Folder::new("threads", MANY);
    refused(
        &capped(&["bench", "example/grid-v1", "--threads", "1024"]),
        &["`threads` is `1024`, more than the system gives"],
    );
    let (protocol, out) = (folder.path("own.toml"), folder.path("out"));
    let eval = ["eval", &protocol, "--policy", "random", "--out", &out, "--threads", "1024"];
    refused(&capped(&eval), &["`threads` is `1024`, more than the system gives"]);
}

#[cfg(target_os = "linux")]
#[test]
fn regression_a_million_copies_without_memory_were_an_abort() {
    for id in ["halma/symbolic-v1", "s2b/game-v1", "memory/spot-diff-v1"] {
        let output = capped(&["bench", id, "--envs", "1048576"]);
        refused(&output, &["`envs` is `1048576`, which takes about", "bytes, more than the system gives"]);
    }
}
