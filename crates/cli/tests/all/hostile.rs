//! Inputs and outputs that nobody means well by. Each test is named after what went wrong.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, SHORT, fails, heldout, lines, protocol, stdout, tree};

#[cfg(unix)]
fn link(to: &str, at: &str) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

/// `--csv /dev/null` turned the device into a regular file, and a link was replaced.
#[cfg(unix)]
#[test]
fn outputs_are_written_where_the_path_says() {
    use std::os::unix::fs::FileTypeExt as _;
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    stdout(&["eval", &short, "--policy", "random", "--out", &out]);
    let places = [("null", "/dev/null"), ("link", "real"), ("made", "new")].map(|(name, to)| {
        link(to, &folder.path(name));
        folder.path(name)
    });
    std::fs::write(folder.path("real"), "old").unwrap();
    for place in &places {
        stdout(&["records", &out, "--csv", place]);
        stdout(&["records", &out, "--parquet", place]);
        stdout(&["report", &out, "--markdown", place]);
        stdout(&["render", "example/grid-v1", "--out", &folder.path("x.png")]);
        stdout(&["halma", "experience", "--episodes", "1", "--out", place]);
        assert!(std::fs::symlink_metadata(place).unwrap().is_symlink(), "{place}");
    }
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert!(std::fs::read(folder.path("real")).unwrap().starts_with(b"HEX"));
    assert_eq!(std::fs::read(folder.path("real")).unwrap(), std::fs::read(folder.path("new")).unwrap());
    let printed = stdout(&["records", &out, "--csv", "/dev/stdout"]);
    assert_eq!(printed, stdout(&["records", &out, "--csv", "-"]));
}

/// A path that is not UTF-8 made `--json` panic.
#[cfg(unix)]
#[test]
fn paths_that_are_not_utf_8_are_written_to_and_shown() {
    use std::os::unix::ffi::OsStringExt as _;
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.0.join(OsString::from_vec(b"o\xffut".to_vec()));
    let mut eval = Command::new(env!("CARGO_BIN_EXE_heldout"));
    eval.args(["eval", &short, "--policy", "random", "--json", "--out"]).arg(&out);
    let output = eval.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(said["out"].as_str().unwrap().ends_with("o\u{fffd}ut"));
    assert!(out.join("report.html").is_file());
}

/// Pipes and devices were read for ever.
#[cfg(unix)]
#[test]
fn inputs_without_an_end_are_refused() {
    let folder = Folder::new();
    let pipe = folder.path("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    link("/dev/zero", &folder.path("zero.toml"));
    for input in [pipe, folder.path("zero.toml")] {
        let out = folder.path("out");
        let experience = format!("random={input}");
        let problems = format!("problems={input}");
        let calls: [&[&str]; 6] = [
            &["eval", &input, "--policy", "random", "--out", &out],
            &["eval", "smoke", "--policy", "random", "--experience", &experience, "--out", &out],
            &["halma", "tests", "--experience", &input, "--out", &out],
            &["run", "halma/symbolic-v1", "--set", &problems],
            &["parity", "lilgym", "--data", &folder.path("."), &input],
            &[
                "lilgym",
                "annotate",
                "--sentence",
                "x",
                "--examples",
                &input,
                "--program",
                "exist(filter(all_items, is_yellow))",
            ],
        ];
        for call in calls {
            let output = heldout(call);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{call:?}: {errors}");
            assert!(errors.contains("is a device or a pipe, must be a regular file"), "{call:?}: {errors}");
        }
    }
}

/// Kilobytes that unpack to gigabytes ate all memory.
#[test]
fn a_file_that_unpacks_to_too_much_is_refused() {
    let folder = Folder::new();
    let path = folder.path("bomb.jsonl.gz");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let blank = vec![b' '; 1 << 20];
    for _ in 0..513 {
        packer.write_all(&blank).unwrap();
    }
    let bytes = packer.finish().unwrap();
    assert!(bytes.len() < 1 << 20);
    std::fs::write(&path, bytes).unwrap();
    fails(&heldout(&["parity", "lilgym", "--data", "builtin", &path]), 2, &["unpacks to more than 536870912 bytes"]);
}

/// Without a rollout there was nothing to differ, and all was well.
#[test]
fn a_recording_that_holds_nothing_is_refused() {
    let folder = Folder::new();
    for text in ["", "\n\n"] {
        let path = protocol(&folder, "empty.jsonl", text);
        fails(
            &heldout(&["parity", "lilgym", "--data", "builtin", &path]),
            2,
            &["holds no rollout, must hold at least one"],
        );
    }
}

/// Numbers that TOML does not have were taken for strings.
#[test]
fn numbers_beyond_63_bits_were_strings() {
    let list = |set: &str| heldout(&["run", "halma/symbolic-v1", "--episodes", "1", "--set", set]);
    stdout(&["run", "halma/symbolic-v1", "--episodes", "1", "--set", "maze_seed=18446744073709551615"]);
    fails(&list("mazes=18446744073709551615"), 2, &["mazes", "18446744073709551615"]);
    fails(&list("mazes=18446744073709551616"), 2, &["`18446744073709551616`: number too large"]);
    fails(&list("mazes=-9223372036854775809"), 2, &["`-9223372036854775809`: "]);
    assert!(!String::from_utf8_lossy(&list("mazes=18446744073709551615").stderr).contains("string"));
}

/// Numbers of episodes that no machine can hold.
#[test]
fn episodes_are_counted_before_they_are_planned() {
    let folder = Folder::new();
    let out = folder.path("out");
    let most = u64::MAX.to_string();
    let eval = |more: &[&str]| heldout(&[&["eval", "smoke", "--policy", "random", "--out", &out], more].concat());
    fails(&eval(&["--episodes", &most]), 2, &["`episodes` is `18446744073709551615`, must be 1 to 10000000"]);
    fails(&eval(&["--seeds", &most]), 2, &["`seeds` is `18446744073709551615`, must be 1 to 1000"]);
    fails(
        &eval(&["--episodes", "10000000", "--seeds", "1000"]),
        2,
        &["`episodes of all conditions and seeds` is", "must be at most 200000000"],
    );
    fails(
        &heldout(&["run", "example/grid-v1", "--episodes", &most]),
        2,
        &["must be a number from 1 to 10000000, or `all`"],
    );
    fails(&heldout(&["scales", "smoke", "--episodes", &most, "--out", &out]), 2, &["must be 1 to 10000000"]);
    fails(&heldout(&["halma", "experience", "--episodes", &most, "--out", &out]), 2, &["`--episodes` is"]);
}

/// Names with commas and quotes made other columns.
#[test]
fn names_in_a_table_keep_to_their_column() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    stdout(&["eval", &short, "--policy", "a, \"b\"@random", "--out", &out]);
    let text = stdout(&["records", &out, "--csv", "-"]);
    assert_eq!(lines(text.as_bytes()), 81);
    let fields = |line: &str| {
        let (mut count, mut quoted) = (1, false);
        for c in line.chars() {
            quoted ^= c == '"';
            count += usize::from(c == ',' && !quoted);
        }
        count
    };
    let width = fields(text.lines().next().unwrap());
    assert!(text.lines().all(|line| fields(line) == width));
    assert!(text.contains("\"a, \"\"b\"\"\""));
}

/// Nothing is left behind by what was refused.
#[test]
fn a_refused_call_leaves_nothing_behind() {
    let folder = Folder::new();
    let out = folder.path("out");
    fails(&heldout(&["report", &folder.path("none"), "--out", &folder.path("x.html")]), 2, &["holds no records"]);
    fails(&heldout(&["report", &out, "--out", &folder.path("x.txt")]), 2, &["must end in `.html`"]);
    fails(
        &heldout(&["report", &out, "--out", &folder.path("x.html"), "--markdown", &folder.path("x.html")]),
        2,
        &["the same file"],
    );
    assert!(tree(Path::new(&folder.path(""))).is_empty());
}

/// A table or a report took the place of the records it was made from, without a word.
#[test]
fn outputs_took_the_place_of_records() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    stdout(&["eval", &short, "--policy", "random", "--out", &out]);
    let before = tree(&out);
    let record = before.keys().find(|name| name.extension().is_some_and(|ending| ending == "jsonl")).unwrap();
    let record = Path::new(&out).join(record).display().to_string();
    let new = Path::new(&out).join("records/new.csv").display().to_string();
    let kept = Path::new(&out).join("protocols/short.toml").display().to_string();
    let page = folder.path("page.html");
    for place in [&record, &new, &kept] {
        fails(&heldout(&["records", &out, "--csv", place]), 2, &[place, "lies among the records"]);
        fails(&heldout(&["records", &out, "--parquet", place]), 2, &[place, "lies among the records"]);
        fails(&heldout(&["report", &out, "--out", &page, "--markdown", place]), 2, &[place, "lies among the records"]);
    }
    let one = folder.path("one");
    fails(&heldout(&["records", &out, "--csv", &one, "--parquet", &one]), 2, &["must be two files"]);
    assert!(tree(&out) == before && !Path::new(&page).exists() && !Path::new(&one).exists());
}

/// What lies where a protocol is kept was overwritten, waited for, or passed over.
#[cfg(unix)]
#[test]
fn a_kept_protocol_that_cannot_be_read_was_no_protocol() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let out = folder.path("out");
    stdout(&["eval", &short, "--policy", "random", "--out", &out]);
    let kept = Path::new(&out).join("protocols/short.toml");
    let resume = ["eval", &short, "--policy", "oracle", "--out", &out, "--resume"];
    let report = ["report", &out, "--out", &folder.path("page.html")];
    let text = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, [&text[..], b"\xff"].concat()).unwrap();
    fails(&heldout(&resume), 2, &["cannot read", "short.toml"]);
    fails(&heldout(&report), 2, &["short.toml"]);
    std::fs::remove_file(&kept).unwrap();
    assert!(Command::new("mkfifo").arg(&kept).status().unwrap().success());
    fails(&heldout(&resume), 2, &["cannot read", "short.toml", "must be a regular file"]);
    fails(&heldout(&report), 2, &["short.toml", "must be a regular file"]);
}

/// A table that was sent to `/dev/stdout` was overwritten by what came after it.
#[cfg(unix)]
#[test]
fn what_follows_a_table_on_standard_output_overwrote_it() {
    let folder = Folder::new();
    let short = protocol(&folder, "short.toml", SHORT);
    let (out, file) = (folder.path("out"), folder.path("all.txt"));
    stdout(&["eval", &short, "--policy", "random", "--out", &out]);
    let table = stdout(&["records", &out, "--csv", "-"]);
    let script = "(echo before; \"$0\" records \"$1\" --csv /dev/stdout; echo after) > \"$2\"";
    let status = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_heldout"), &out, &file]).status();
    assert!(status.unwrap().success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("before\n{table}after\n"));
}
