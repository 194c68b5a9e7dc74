//! Whatever ends a run, and whoever else writes: the records are those of a run that was left alone.
//!
//! By hand, for longer: `HELDOUT_ROUNDS=200 cargo test -p heldout -- crash`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use heldout_core::{Rng, Seed};

use crate::common::{Folder, LONG, SHORT, begin, fails, heldout, lines, protocol, recorded, stdout, tree};

/// How often something is tried: as often as by hand, if that was asked for.
fn rounds(usual: u32) -> u32 {
    std::env::var("HELDOUT_ROUNDS").map_or(usual, |rounds| rounds.parse().expect("a number"))
}

#[test]
fn a_killed_run_is_resumed_to_the_records_of_a_whole_one() {
    let folder = Folder::new();
    let long = protocol(&folder, "long.toml", LONG);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let eval = |out: &str, more: &[&str]| {
        let mut arguments = vec!["eval", long.as_str(), "--policy", "random", "--out", out];
        arguments.extend_from_slice(more);
        arguments.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let words = |arguments: &[String]| arguments.iter().map(String::as_str).map(str::to_owned).collect::<Vec<_>>();
    let call = |arguments: &[String]| stdout(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    call(&eval(&whole, &["--threads", "1"]));
    let expected = tree(&whole);
    for threads in ["1", "2"] {
        let mut arguments = words(&eval(&part, &["--threads", threads]));
        let mut child = begin(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        while !recorded(&part) {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it ended before it could be killed");
        assert!(tree(&part) != expected);
        // The worst that a crash leaves behind: a line cut short.
        let cut = tree(&part).into_iter().find(|(_, bytes)| bytes.len() > 5_000).unwrap().0;
        let cut = Path::new(&part).join(cut);
        let bytes = std::fs::read(&cut).unwrap();
        std::fs::write(&cut, &bytes[..bytes.len() - 20]).unwrap();
        arguments.push("--resume".to_owned());
        call(&arguments);
        assert!(tree(&part) == expected, "{threads} threads");
        std::fs::remove_dir_all(&part).unwrap();
    }
}

/// The files below `out` are `expected`.
fn same(out: &str, expected: &BTreeMap<PathBuf, Vec<u8>>, when: &str) {
    let found = tree(out);
    let names: BTreeSet<&PathBuf> = found.keys().chain(expected.keys()).collect();
    let differ: Vec<_> = names.into_iter().filter(|name| found.get(*name) != expected.get(*name)).collect();
    assert!(differ.is_empty(), "{when}: {differ:?}");
}

/// Ends a run after a while; whether it was still running.
fn end(mut child: Child, rng: &mut Rng, most: u32) -> bool {
    std::thread::sleep(Duration::from_millis(u64::from(rng.below(most))));
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// Kills at any point, before the first record and while resuming too.
#[test]
fn runs_that_are_killed_again_and_again_come_to_the_records_of_a_whole_one() {
    let folder = Folder::new();
    let long = protocol(&folder, "long.toml", LONG);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let eval = |out| ["eval", &long, "--policy", "random", "--out", out, "--threads", "2", "--resume"];
    let clock = std::time::Instant::now();
    stdout(&eval(&whole));
    let most = clock.elapsed().as_millis() as u32;
    let expected = tree(&whole);
    let mut rng = Rng::new(Seed(15));
    let mut kills = 0;
    for round in 0..rounds(3) {
        for _ in 0..4 {
            kills += u32::from(end(begin(&eval(&part)), &mut rng, most));
        }
        stdout(&eval(&part));
        same(&part, &expected, &format!("round {round}, {kills} kills"));
        std::fs::remove_dir_all(&part).unwrap();
    }
    assert!(kills > 0, "every kill came too late");
}

/// Ends well, or says that the other writes, or has written, there.
fn ends_or_gives_way(output: &Output, other: u32, resumes: bool) -> bool {
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return true;
    }
    assert_eq!(output.status.code(), Some(2), "{errors}");
    let busy = errors.contains("is being written to by process") || errors.contains("is being written to by another");
    let there = !resumes && errors.contains("is already there: continue it with `--resume`");
    assert!(busy || there, "{errors}");
    assert!(!errors.contains("by process") || errors.contains(&format!("process {other}")), "{errors}");
    false
}

/// Of 40 pairs that were started together, 7 left records that nobody could read.
#[test]
fn of_two_that_are_started_together_one_writes_and_the_other_says_who_does() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let eval = |out| ["eval", &short, "--policy", "random", "--policy", "oracle", "--out", out, "--threads", "2"];
    stdout(&eval(&whole));
    let expected = tree(&whole);
    let mut gave_way = 0;
    for round in 0..rounds(20) {
        let resumes = round % 2 == 1;
        let arguments = [&eval(&part)[..], if resumes { &["--resume"] } else { &[] }].concat();
        let (one, two) = (begin(&arguments), begin(&arguments));
        let (first, second) = (one.id(), two.id());
        let ends = [
            ends_or_gives_way(&one.wait_with_output().unwrap(), second, resumes),
            ends_or_gives_way(&two.wait_with_output().unwrap(), first, resumes),
        ];
        assert!(ends[0] || ends[1], "round {round}: neither wrote");
        gave_way += u32::from(!ends[0] || !ends[1]);
        same(&part, &expected, &format!("round {round}"));
        std::fs::remove_dir_all(&part).unwrap();
    }
    assert!(gave_way > 0, "they never met");
}

/// The directory was free again before the report was written: who came then wrote under it.
#[cfg(unix)]
#[test]
fn a_directory_was_let_go_before_its_report_was_written() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    let eval = ["eval", &short, "--policy", "random", "--out", &out, "--threads", "1"];
    // A report whose second half somebody has yet to take.
    std::fs::create_dir(&out).unwrap();
    let pipe = Path::new(&out).join("report.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut first = begin(&eval);
    while !Path::new(&out).join("report.html").exists() {
        assert!(first.try_wait().unwrap().is_none(), "it ended without its report");
        std::thread::sleep(Duration::from_millis(10));
    }
    for more in [&[][..], &["--resume"]] {
        let second = heldout(&[&eval[..], more].concat());
        fails(&second, 2, &["is being written to by process", &first.id().to_string()]);
    }
    assert!(std::fs::read_to_string(&pipe).unwrap().starts_with("# "));
    assert!(first.wait().unwrap().success());
    std::fs::remove_file(&pipe).unwrap();
    stdout(&[&eval[..], &["--resume"]].concat());
}

/// Of 8 runs that were resumed while they were running, 2 were left with records twice.
#[test]
fn a_run_is_not_resumed_while_it_runs() {
    let folder = Folder::new();
    let long = protocol(&folder, "long.toml", LONG);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let eval = |out| ["eval", &long, "--policy", "random", "--out", out, "--threads", "1"];
    stdout(&eval(&whole));
    let first = begin(&eval(&part));
    while !recorded(&part) {
        std::thread::yield_now();
    }
    let who = format!("is being written to by process {}", first.id());
    let second = begin(&[&eval(&part)[..], &["--resume"]].concat());
    fails(&second.wait_with_output().unwrap(), 2, &[&who, "wait until it is done, or write to another directory"]);
    assert!(first.wait_with_output().unwrap().status.success());
    assert!(tree(&part) == tree(&whole));
}

/// One of two is killed at any point; the other, or the next, comes to the same records.
#[test]
fn of_two_of_which_one_is_killed_nothing_is_lost() {
    let folder = Folder::new();
    let long = protocol(&folder, "long.toml", LONG);
    let (whole, part) = (folder.path("whole"), folder.path("part"));
    let eval = |out| ["eval", &long, "--policy", "random", "--out", out, "--threads", "1", "--resume"];
    let clock = std::time::Instant::now();
    stdout(&eval(&whole));
    let most = clock.elapsed().as_millis() as u32;
    let expected = tree(&whole);
    let mut rng = Rng::new(Seed(16));
    for round in 0..rounds(3) {
        let (one, two) = (begin(&eval(&part)), begin(&eval(&part)));
        let second = one.id();
        end(one, &mut rng, most);
        ends_or_gives_way(&two.wait_with_output().unwrap(), second, true);
        stdout(&eval(&part));
        same(&part, &expected, &format!("round {round}"));
        std::fs::remove_dir_all(&part).unwrap();
    }
}

/// The lock lay in the directory that was named, the records elsewhere: of two such directories 3 of 4 pairs were damaged.
#[cfg(unix)]
#[test]
fn two_directories_whose_records_are_one_folder_were_written_to_at_once() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    std::fs::create_dir(folder.path("shared")).unwrap();
    let outs = ["one", "two"].map(|name| folder.path(name));
    for out in &outs {
        std::fs::create_dir(out).unwrap();
        std::os::unix::fs::symlink(folder.path("shared"), Path::new(out).join("records")).unwrap();
    }
    let pipe = Path::new(&outs[0]).join("report.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let eval = |out: &str| ["eval", &short, "--policy", "random", "--resume", "--out", out].map(str::to_owned);
    let words = |all: &[String]| all.iter().map(String::as_str).map(str::to_owned).collect::<Vec<_>>();
    let mut first = begin(&words(&eval(&outs[0])).iter().map(String::as_str).collect::<Vec<_>>());
    while !Path::new(&outs[0]).join("report.html").exists() {
        assert!(first.try_wait().unwrap().is_none(), "it ended without its report");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = words(&eval(&outs[1]));
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    fails(&heldout(&second), 2, &["is being written to by process", &first.id().to_string()]);
    assert!(std::fs::read_to_string(&pipe).unwrap().starts_with("# "));
    assert!(first.wait().unwrap().success());
    stdout(&second);
}

/// Whoever is started to outlive its terminal was stopped when that went.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_was_to_outlive_its_terminal_was_stopped() {
    /// The end of a terminal.
    const HANGUP: i32 = 1;
    let folder = Folder::new();
    for (trap, outlives) in [("trap '' HUP; ", true), ("", false)] {
        if !outlives && heldout_files::ignores(HANGUP) {
            // The tests themselves are to outlive theirs, and so is whatever they start.
            continue;
        }
        // Who is to be stopped has not come to the end by itself before it is told.
        let seeds = if outlives { "seeds = 3" } else { "seeds = 300" };
        let long = protocol(&folder, "long.toml", &LONG.replacen("seeds = 3", seeds, 1));
        let out = folder.path(if outlives { "nohup" } else { "plain" });
        let mut command = Command::new("sh");
        let script = format!("{trap}exec \"$0\" \"$@\"");
        command.args([
            "-c",
            &script,
            env!("CARGO_BIN_EXE_heldout"),
            "eval",
            &long,
            "--policy",
            "random",
            "--out",
            &out,
        ]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while !recorded(&out) {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was told anything");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.success(), outlives, "{}", String::from_utf8_lossy(&ended.stderr));
    }
}

/// A limit on the size of files stands for a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", &SHORT.replacen("episodes = 40", "episodes = 200", 1));
    let (out, whole) = (folder.path("out"), folder.path("whole"));
    let arguments = ["eval", &short, "--policy", "random", "--out", &out];
    stdout(&["eval", &short, "--policy", "random", "--out", &whole]);
    let expected = tree(&whole);
    let largest = expected.values().map(Vec::len).max().unwrap_or(0) as u32 / 512;
    let mut rng = Rng::new(Seed(15));
    let mut most = 0;
    for round in 0..rounds(8) {
        // In blocks of 512 bytes: from a header that does not fit to a report that does not.
        let room = if round == 0 { 20 } else { 1 + rng.below(largest - 1) };
        let script = format!("trap '' XFSZ; ulimit -f {room}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.args(["-c", &script, env!("CARGO_BIN_EXE_heldout")]).args(arguments);
        let output = limited.output().unwrap();
        fails(&output, 2, &["cannot write"]);
        let kept = tree(&out);
        let records = kept.iter().filter(|(name, _)| name.extension().is_some_and(|ending| ending == "jsonl"));
        most = most.max(records.clone().map(|(_, bytes)| lines(bytes)).sum::<usize>());
        // What was recorded before is kept, to the last line that was whole.
        for (name, bytes) in records {
            assert!(expected[name].starts_with(bytes), "{room} blocks: {}", name.display());
            assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "{room} blocks: {}", name.display());
        }
        stdout(&[&arguments[..], &["--resume"]].concat());
        same(&out, &expected, &format!("{room} blocks"));
        std::fs::remove_dir_all(&out).unwrap();
    }
    assert!(most > 10, "{most} lines");
}
