//! Files of records: whole or not at all, only added to, and never taken for what they are not.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use heldout_core::Status;
use heldout_eval::records::{
    Build, FORMAT, Failure, Header, Machine, Record, Recorded, RecordsError, Trace, Writer, file_name,
};
use serde_json::json;

use crate::common::{Folder, sealed, tree};

fn header() -> Header {
    Header {
        format: FORMAT,
        heldout: "0.1.0".to_owned(),
        build: Build::this(),
        protocol: "p".to_owned(),
        protocol_hash: "0123456789abcdef".to_owned(),
        task: "t".to_owned(),
        condition: "c".to_owned(),
        held_out: true,
        agent: "a/b c".to_owned(),
        policy: "random".to_owned(),
        policy_asked: None,
        policies: vec![],
        trained: serde_json::Map::new(),
        id: "example/grid-v1".to_owned(),
        config: json!({"levels": 3, "inner": {"x": 0.1}}),
        metric: "success".to_owned(),
        weights: BTreeMap::new(),
        shares: vec![],
        own_problems: false,
        whole_set: false,
        episodes: 2,
        episodes_by_seed: Vec::new(),
        episodes_asked: None,
        seeds: vec![7, 8],
        trace: true,
        sources: Vec::new(),
        made_from: None,
        experience: None,
        scale_of: None,
        continued_by: vec![],
        machine: Machine::this(),
    }
}

fn record(seed: u64, episode: u64) -> Record {
    let metrics = BTreeMap::from([("success".to_owned(), f64::from(0.1_f32)), ("x".to_owned(), -0.0)]);
    let trace = Some(Trace { actions: vec![2, 0, -1], last: metrics.clone() });
    let (problem, status) = (Some(3), Status::Truncated);
    Record { seed, episode, problem, r#return: 1.0 / 3.0, length: 9, status, metrics, trace }
}

fn all() -> [Record; 4] {
    [record(7, 0), record(7, 1), record(8, 0), record(8, 1)]
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("read");
    let (mut writer, kept) = Writer::open(&folder.0, &header(), false).unwrap();
    assert!(kept.is_empty());
    writer.append(&all()[..1]).unwrap();
    writer.append(&all()[1..3]).unwrap();
    drop(writer);
    let path = header().path(&folder.0);
    assert_eq!(path, folder.0.join("records/p/t/c/a_b_c.jsonl"));
    let read = Recorded::read(&path).unwrap();
    assert_eq!((&read.header, read.records.as_slice(), read.complete()), (&header(), &all()[..3], false));
    let (mut writer, kept) = Writer::open(&folder.0, &header(), true).unwrap();
    assert_eq!(kept, all()[..3]);
    writer.append(&all()[3..]).unwrap();
    drop(writer);
    let whole = Recorded::read_all(&folder.0).unwrap();
    assert_eq!(whole.len(), 1);
    assert!(whole[0].complete());
    assert_eq!(whole[0].records, all());
    // Nothing but the records lies there.
    assert_eq!(tree(&folder.0).len(), 1);
}

#[test]
fn labels_become_names_of_files() {
    for (label, name) in [
        ("LSTM+MEM", "LSTM+MEM"),
        ("speaker=posdis,listener=nearest", "speaker=posdis,listener=nearest"),
        ("../x", "_._x"),
        (".", "_"),
        ("a:b*é", "a_b__"),
    ] {
        assert_eq!(file_name(label), name);
    }
}

/// A file with the header, `lines` of records and `rest`.
fn file(name: &str, lines: &[Record], rest: &[u8]) -> (Folder, PathBuf, Vec<u8>) {
    let folder = Folder::new(name);
    let (mut writer, _) = Writer::open(&folder.0, &header(), false).unwrap();
    writer.append(lines).unwrap();
    let path = header().path(&folder.0);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(rest);
    fs::write(&path, &bytes).unwrap();
    (folder, path, bytes)
}

#[test]
fn a_line_that_was_cut_short_is_cut_off() {
    let line = sealed(&serde_json::to_string(&record(7, 1)).unwrap());
    let line = &line.as_bytes()[..line.len() - 1];
    for len in [1, line.len() / 2, line.len()] {
        let (folder, path, bytes) = file("torn", &all()[..1], &line[..len]);
        // Reading leaves the file as it is, resuming repairs it.
        assert_eq!(Recorded::read(&path).unwrap().records, all()[..1]);
        assert_eq!(Writer::kept(&folder.0, &header(), true).unwrap().front, 1);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        let (mut writer, kept) = Writer::open(&folder.0, &header(), true).unwrap();
        assert_eq!(kept, all()[..1]);
        assert_eq!(fs::read(&path).unwrap(), bytes[..bytes.len() - len]);
        writer.append(&all()[1..]).unwrap();
        assert_eq!(Recorded::read(&path).unwrap().records, all());
    }
}

#[test]
fn unusable_files_are_named_and_left_alone() {
    let damaged = |rest: &[u8]| file("damaged", &all()[..1], rest);
    let foreign = |text: &[u8]| {
        let (folder, path, _) = file("foreign", &[], b"");
        fs::write(&path, text).unwrap();
        (folder, path, text.to_vec())
    };
    let line = |record: &Record| sealed(&serde_json::to_string(record).unwrap()).into_bytes();
    let too_many = [line(&all()[1]), line(&all()[2]), line(&all()[3]), line(&all()[3])].concat();
    let format = serde_json::to_string(&Header { format: 1, ..header() }).unwrap() + "\n";
    let key = sealed(&serde_json::to_string(&header()).unwrap().replacen("\"task\"", "\"tusk\"", 1));
    let bare = serde_json::to_string(&header()).unwrap() + "\n";
    let cases = [
        (damaged(b"{\"seed\":7,\n"), "is damaged in line 3: it has no checksum"),
        (damaged(sealed("{\"seed\":7}").as_bytes()), "is damaged in line 3: missing field `episode`"),
        (damaged(&[0, 0, b'\n']), "is damaged in line 3"),
        (damaged(&line(&record(8, 0))), "line 3: it is of seed 8, episode 0, must be of seed 7, episode 1"),
        (damaged(&too_many), "line 6: there are more records than the header's 4"),
        (foreign(b""), "is empty, must begin with a header"),
        (foreign(b"a,b\n1,2\n"), "is not a file of records: its first line is not JSON"),
        (foreign(b"{\"x\":1}\n"), "is not a header: it has no `format`"),
        (foreign(format.as_bytes()), "has `format` `1`, must be 3"),
        (foreign(bare.as_bytes()), "its first line is damaged: it has no checksum"),
        (foreign(key.as_bytes()), "is not a header: `tusk`: unknown field `tusk`"),
    ];
    for ((folder, path, bytes), message) in cases {
        let errors = [
            Recorded::read(&path).unwrap_err().to_string(),
            Writer::kept(&folder.0, &header(), true).unwrap_err().to_string(),
            Writer::open(&folder.0, &header(), true).map(|_| ()).unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.contains(message) && error.contains("a_b_c.jsonl"), "{error}\n  must contain\n{message}");
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "{message}");
    }
}

#[test]
fn records_of_another_evaluation_are_not_continued() {
    let others = [
        (
            Header { policy: "oracle".to_owned(), ..header() },
            "`policy` = `\"random\"`, this evaluation has `\"oracle\"`",
        ),
        (Header { seeds: vec![7], ..header() }, "was recorded with 2 seeds, this evaluation has 1"),
        (Header { heldout: "0.2.0".to_owned(), ..header() }, "was recorded by another build (heldout 0.1.0 ("),
        (Header { episodes: 1, ..header() }, "was recorded with 2 episodes, this evaluation has 1"),
        (
            Header { config: json!({"levels": 3, "inner": {"x": 0.2}}), ..header() },
            "`config.inner.x` = `0.1`, this evaluation has `0.2`",
        ),
        (Header { episodes_by_seed: vec![1, 2], ..header() }, "was recorded with 2 episodes, this evaluation has 1"),
    ];
    let (folder, path, bytes) = file("other", &all()[..2], b"{\"se");
    for (other, message) in others {
        let error = Writer::open(&folder.0, &other, true).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\n  must contain\n{message}");
        assert!(matches!(Writer::open(&folder.0, &other, false), Err(RecordsError::There { .. })));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // The machine is told, but does not matter.
    let elsewhere = Machine { cpu: Some("another".to_owned()), ..Machine::this() };
    assert!(Writer::open(&folder.0, &Header { machine: elsewhere, ..header() }, true).is_ok());
}

/// A header of 2^64-1 episodes was walked through, or summed up beyond the largest number.
#[test]
fn a_forged_number_of_episodes_is_refused() {
    let forged = Header { episodes: u64::MAX, episodes_by_seed: Vec::new(), ..header() };
    let lines = sealed(&serde_json::to_string(&forged).unwrap()) + &sealed(&serde_json::to_string(&all()[1]).unwrap());
    let (folder, path, _) = file("forged", &all()[..1], b"");
    let message = "seeds of 18446744073709551615 episodes, must have at most 1000 and 10000000";
    // Records that wait behind a gap are read too.
    fs::write(path.with_added_extension("waiting"), &lines).unwrap();
    let error = Writer::kept(&folder.0, &header(), true).unwrap_err().to_string();
    assert!(error.contains(message) && error.contains("waiting"), "{error}");
    fs::write(&path, &lines).unwrap();
    let error = Recorded::read(&path).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

/// Flipped bits of records passed as other scores.
#[test]
fn no_flipped_bit_of_a_file_goes_unnoticed() {
    let (_folder, path, bytes) = file("flipped", &all(), b"");
    let whole = Recorded::read(&path).unwrap();
    let mut noticed = 0;
    for bit in (0..8 * bytes.len()).step_by(7) {
        let mut other = bytes.clone();
        other[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &other).unwrap();
        match Recorded::read(&path) {
            Err(_) => noticed += 1,
            // The last line without its end was cut short.
            Ok(read) => assert_eq!((bit / 8, &read.records[..]), (bytes.len() - 1, &whole.records[..3])),
        }
    }
    assert!(noticed > bytes.len());
}

#[test]
fn a_list_of_failures_that_was_changed_is_refused() {
    let folder = Folder::new("failures");
    let of = |problem: &str| Failure {
        protocol: "p".to_owned(),
        task: "t".to_owned(),
        condition: "c".to_owned(),
        agent: "a".to_owned(),
        problem: problem.to_owned(),
    };
    let all = [of("one"), of("two")];
    Failure::write_all(&folder.0, &all).unwrap();
    assert_eq!(Failure::read_all(&folder.0).unwrap(), all);
    let path = folder.0.join("failures.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("two", "too")).unwrap();
    assert!(Failure::read_all(&folder.0).unwrap_err().to_string().contains("its checksum is"));
    fs::write(&path, text.replace("\"format\": 1", "\"format\": 9")).unwrap();
    assert!(Failure::read_all(&folder.0).unwrap_err().to_string().contains("`format` is `9`, must be 1"));
    Failure::write_all(&folder.0, &[]).unwrap();
    assert_eq!(Failure::read_all(&folder.0).unwrap(), []);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = Folder::new("place");
    fs::write(folder.0.join("records"), b"a file").unwrap();
    let error = Writer::open(&folder.0, &header(), false).unwrap_err().to_string();
    assert!(error.contains("a_b_c.jsonl"), "{error}");
    assert_eq!(fs::read(folder.0.join("records")).unwrap(), b"a file");
    let none = Folder::new("none");
    let error = Recorded::read_all(&none.0).unwrap_err().to_string();
    assert!(error.contains("holds no records"), "{error}");
}

#[test]
fn failures_are_listed() {
    let folder = Folder::new("failures");
    assert!(Failure::read_all(&folder.0).unwrap().is_empty());
    let word = |text: &str| text.to_owned();
    let failure =
        Failure { protocol: word("p"), task: word("t"), condition: word("c"), agent: word("a"), problem: word("no") };
    Failure::write_all(&folder.0, std::slice::from_ref(&failure)).unwrap();
    assert_eq!(Failure::read_all(&folder.0).unwrap(), [failure]);
    Failure::write_all(&folder.0, &[]).unwrap();
    assert!(tree(&folder.0).is_empty());
}
