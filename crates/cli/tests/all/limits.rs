//! What the machine does not give, and Ctrl-C: a sentence and an exit code, soon.

use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use crate::common::{Folder, begin, fails, heldout, protocol};

/// Generous: a program that has not ended by then hangs.
const TIMEOUT: Duration = Duration::from_mins(2);

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

/// Problems that are made from years of training.
const PREPARED: &str = r#"
title = "Prepared"
summary = "Nobody comes to play."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 10000000 }
metric = "rho_p"
[[task.condition]]
name = "ST-1"
held_out = true
"#;

/// Problems that are long thought about.
const PLANNED: &str = r#"
title = "Planned"
summary = "An oracle that plans."
seeds = 1
[[task]]
name = "scatter"
id = "lilgym/scatter-flipit-v1"
kind = "problems"
metric = "return"
set = { grid = "native" }
[[task.condition]]
name = "train"
held_out = false
"#;

/// What the program says when it has a fifth of a gigabyte of addresses beside its own.
#[cfg(target_os = "linux")]
fn capped(arguments: &[&str]) -> Output {
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_heldout")).unwrap().len() >> 10;
    let mut shell = Command::new("sh");
    let limit = format!("ulimit -v {}; exec \"$@\"", size + 200_000);
    shell.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_heldout")]).args(arguments).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn regression_no_thread_to_be_had_was_a_panic() {
    let folder = Folder::new();
    fails(
        &capped(&["bench", "example/grid-v1", "--threads", "1024"]),
        2,
        &["`threads` is `1024`, more than the system gives"],
    );
    let (own, out) = (protocol(&folder, "own.toml", MANY), folder.path("out"));
    let eval = ["eval", &own, "--policy", "random", "--out", &out, "--threads", "1024"];
    fails(&capped(&eval), 2, &["`threads` is `1024`, more than the system gives"]);
}

#[cfg(target_os = "linux")]
#[test]
fn regression_a_million_copies_without_memory_were_an_abort() {
    for id in ["halma/symbolic-v1", "s2b/game-v1", "memory/spot-diff-v1"] {
        let output = capped(&["bench", id, "--envs", "1048576"]);
        fails(&output, 2, &["`envs` is `1048576`, which takes about", "bytes, more than the system gives"]);
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// What a program says that is interrupted as soon as it has written `sign`, but not before `least` has passed.
#[cfg(unix)]
fn interrupted(arguments: &[&str], sign: &str, least: Duration) -> Output {
    let mut child = begin(arguments);
    let begin = Instant::now();
    while begin.elapsed() < least || !Path::new(sign).exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        assert!(begin.elapsed() < TIMEOUT, "it never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    interrupt(&child);
    let told = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if told.elapsed() > TIMEOUT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn regression_ctrl_c_was_not_heard_while_problems_were_prepared() {
    let folder = Folder::new();
    let (own, out) = (protocol(&folder, "own.toml", PREPARED), folder.path("out"));
    let eval = ["eval", &own, "--policy", "half", "--out", &out];
    let output = interrupted(&eval, &out, Duration::from_secs(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("stopped before anything was played; to go on:"), "{errors}");
}

/// Every plan of a block was made before anybody heard.
#[cfg(unix)]
#[test]
fn regression_ctrl_c_waited_for_plans() {
    let folder = Folder::new();
    let own = protocol(&folder, "own.toml", PLANNED);
    let (whole, broken) = (folder.path("whole"), folder.path("broken"));
    let eval = |out| ["eval", &own, "--policy", "oracle", "--episodes", "96", "--threads", "2", "--out", out];
    let records = |out: &str| std::fs::read(Path::new(out).join("records/own/scatter/train/oracle.jsonl")).unwrap();
    let sign = folder.path("broken/records/own/scatter/train/oracle.jsonl");
    let output = interrupted(&eval(&broken), &sign, Duration::ZERO);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    // Not even the block that was under way was finished: its 32 lines and the header's.
    assert!(records(&broken).split(|&byte| byte == b'\n').count() <= 33, "it went on planning");
    assert!(heldout(&[&eval(&broken)[..], &["--resume"]].concat()).status.success());
    assert!(heldout(&eval(&whole)).status.success());
    assert_eq!(records(&broken), records(&whole));
}
