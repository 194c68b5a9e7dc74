use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::*;

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("heldout-files-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_replaced_whole_with_their_permissions() {
    let folder = folder("whole");
    let path = folder.join("deep").join("a.csv");
    assert_eq!(write(&path, b"none").unwrap_err().kind(), io::ErrorKind::NotFound);
    write_below(&path, b"one").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o640);
    fs::set_permissions(&path, permissions).unwrap();
    let permissions = fs::metadata(&path).unwrap().permissions();
    write(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::metadata(&path).unwrap().permissions(), permissions);
    assert_eq!(names(&folder.join("deep")), ["a.csv"]);
    assert!(write(&folder, b"three").unwrap_err().to_string().contains("is a directory"));
}

/// `--csv /dev/null` turned the device into a regular file.
#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_stays_one() {
    use std::os::unix::fs::FileTypeExt as _;
    // Through a link, so that a defect replaces the link and not the machine's device.
    let folder = folder("device");
    let link = folder.join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    write(&link, b"gone").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(names(&folder), ["null"]);
}

/// A link was replaced by a file instead of being followed.
#[cfg(unix)]
#[test]
fn links_are_followed_even_where_they_lead_to_nothing_yet() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    fs::create_dir(folder.join("real")).unwrap();
    fs::write(folder.join("real/old.txt"), "old").unwrap();
    symlink("real/old.txt", folder.join("one")).unwrap();
    symlink(folder.join("one"), folder.join("two")).unwrap();
    symlink("real/new.txt", folder.join("dangling")).unwrap();
    symlink("round", folder.join("round")).unwrap();
    write(&folder.join("two"), b"new").unwrap();
    write(&folder.join("dangling"), b"made").unwrap();
    assert_eq!(fs::read(folder.join("real/old.txt")).unwrap(), b"new");
    assert_eq!(fs::read(folder.join("real/new.txt")).unwrap(), b"made");
    assert!(write(&folder.join("round"), b"never").is_err());
    for link in ["one", "two", "dangling", "round"] {
        assert!(fs::symlink_metadata(folder.join(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(names(&folder.join("real")), ["new.txt", "old.txt"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_written_to_and_never_waited_for_as_an_input() {
    let folder = folder("pipe");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = read(&pipe, DATA).unwrap_err().to_string();
    assert_eq!(refused, "is a device or a pipe, must be a regular file");
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write(&pipe, b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert_eq!(names(&folder), ["pipe"]);
}

#[cfg(unix)]
#[test]
fn a_device_without_an_end_is_not_read() {
    let refused = read(Path::new("/dev/zero"), DATA).unwrap_err().to_string();
    assert_eq!(refused, "is a device or a pipe, must be a regular file");
    let refused = read(Path::new("/proc/self/status"), DATA).unwrap_err().to_string();
    assert_eq!(refused, "is no file of its own, must be a regular file");
    assert!(read(Path::new("/"), DATA).unwrap_err().to_string().contains("is a directory"));
}

#[test]
fn what_is_too_large_is_not_read() {
    let folder = folder("large");
    let path = folder.join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let refused = read(&path, 1000).unwrap_err().to_string();
    assert_eq!(refused, "has 1099511627776 bytes, must have at most 1000");
    // More than there is memory for is an error as well.
    assert!(read(&path, u64::MAX).is_err());
    fs::write(&path, "1234").unwrap();
    assert_eq!(read(&path, 4).unwrap(), b"1234");
    assert!(read(&path, 3).is_err());
    assert!(text(&path, 4).is_ok());
    fs::write(&path, [0xff]).unwrap();
    assert!(text(&path, 4).unwrap_err().to_string().contains("invalid utf-8"));
}

/// A few kilobytes that unpack to gigabytes ate all memory.
#[test]
fn a_packed_file_is_unpacked_no_further_than_allowed() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b' '; 1 << 20]).unwrap();
    let bytes = packer.finish().unwrap();
    assert!(bytes.len() < 4096);
    let packed = Path::new("x.json.gz");
    assert_eq!(unpacked(packed, bytes.clone(), 1 << 20).unwrap().len(), 1 << 20);
    let refused = unpacked(packed, bytes.clone(), (1 << 20) - 1).unwrap_err().to_string();
    assert_eq!(refused, "unpacks to more than 1048575 bytes");
    assert!(unpacked(packed, bytes[..bytes.len() / 2].to_vec(), 1 << 20).is_err());
    assert_eq!(unpacked(Path::new("x.json"), b"plain".to_vec(), 5).unwrap(), "plain");
}

/// Files that a killed run was writing stayed for ever; nobody else's are removed.
#[test]
fn what_a_killed_writer_left_is_swept() {
    let folder = folder("sweep");
    fs::create_dir_all(folder.join("records/p/t")).unwrap();
    fs::create_dir_all(folder.join("photos")).unwrap();
    let own = format!(".heldout-part-{}-0", std::process::id());
    let stale =
        [".heldout-part-4000000000-0", "records/p/t/.heldout-part-1-17", "records/.heldout-part-4000000000-3", &own];
    let files = [
        "backup.2024.11.part",
        "records/p/c.1.2.part",
        "records/p/t/b.jsonl",
        ".heldout-part-x",
        "photos/.heldout-part-1-0",
        // Of a process that runs.
        ".heldout-part-1-0",
    ];
    for name in files.iter().chain(&stale) {
        fs::write(folder.join(name), "x").unwrap();
    }
    sweep(&folder, &["records", "none"]);
    assert!(files.iter().all(|name| folder.join(name).exists()));
    assert!(stale.iter().all(|name| !folder.join(name).exists()));
}

#[cfg(unix)]
#[test]
fn two_paths_to_one_place_are_told() {
    let folder = folder("same");
    fs::write(folder.join("a"), "").unwrap();
    std::os::unix::fs::symlink("a", folder.join("b")).unwrap();
    std::os::unix::fs::symlink("new", folder.join("c")).unwrap();
    for (one, other, same) in
        [("a", "./a", true), ("a", "b", true), ("new", "c", true), ("./new", "new", true), ("a", "new", false)]
    {
        assert_eq!(same_place(&folder.join(one), &folder.join(other)), same, "{one} {other}");
    }
}

/// A read-only file was replaced, and a name of 250 bytes could not be written beside.
#[test]
fn what_is_read_only_is_not_replaced_and_long_names_are_written() {
    let folder = folder("readonly");
    let path = folder.join("x");
    fs::write(&path, "mine").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(write(&path, b"yours").unwrap_err().to_string().contains("is read-only"));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    write(&folder.join("n".repeat(250)), b"long").unwrap();
}

/// A lock overwrote and removed whatever had its name, links followed.
#[cfg(unix)]
#[test]
fn a_lock_that_is_somebody_else_s_is_left_alone() {
    let folder = folder("foreign");
    fs::write(folder.join("precious"), "precious").unwrap();
    let lock = folder.join(".heldout-lock");
    std::os::unix::fs::symlink("precious", &lock).unwrap();
    assert!(matches!(Hold::take(&folder), Err(HoldError::Write(_))));
    fs::remove_file(&lock).unwrap();
    fs::write(&lock, "my own").unwrap();
    assert!(matches!(Hold::take(&folder), Err(HoldError::Write(_))));
    assert_eq!(fs::read(&lock).unwrap(), b"my own");
    assert_eq!(fs::read(folder.join("precious")).unwrap(), b"precious");
}

#[test]
fn a_directory_has_one_writer_and_says_who() {
    let folder = folder("hold");
    let held = Hold::take(&folder.join("out")).unwrap();
    let Err(HoldError::Held(who)) = Hold::take(&folder.join("out")) else { panic!("two hold it") };
    assert!(who.starts_with(&format!("process {}", std::process::id())), "{who}");
    assert!(Hold::take(&folder.join("other")).is_ok());
    drop(held);
    assert_eq!(names(&folder.join("out")), [""; 0]);
    // What a run that was killed leaves behind holds nobody up.
    fs::write(folder.join("out").join(".heldout-lock"), "process 1 on elsewhere\n").unwrap();
    drop(Hold::take(&folder.join("out")).unwrap());
    assert_eq!(names(&folder.join("out")), [""; 0]);
}

/// Many take and leave a directory at once; never two have it.
#[test]
fn a_directory_that_changes_hands_has_one_writer_at_a_time() {
    let folder = folder("hands");
    let inside = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut mine = 0;
                while mine < 50 {
                    let Ok(_hold) = Hold::take(&folder) else { continue };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    mine += 1;
                    assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                }
            });
        }
    });
}

#[test]
fn a_file_that_grows_is_cut_to_where_it_stood() {
    let folder = folder("growing");
    let path = folder.join("a/log");
    let mut file = Growing::open(&path, 0).unwrap();
    file.add(b"one\n").unwrap();
    let stood = file.len();
    file.add(b"two\n").unwrap();
    drop(file);
    let mut file = Growing::open(&path, stood).unwrap();
    file.add(b"three\n").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\n");
    let error = Growing::open(&path, 1_000).unwrap_err().to_string();
    assert_eq!(error, "has 10 bytes, must have at least 1000");
    assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\n", "it is as it was");
}

#[test]
fn a_folder_is_whole_at_any_time() {
    let folder = folder("whole-folder");
    let state = folder.join("state");
    let read = || read_folder(&state, &["a", "b"], 100).unwrap();
    assert_eq!(read(), None);
    write_folder(&state, &[("a", b"1"), ("b", b"2")]).unwrap();
    assert_eq!(read(), Some(vec![b"1".to_vec(), b"2".to_vec()]));
    write_folder(&state, &[("a", b"3"), ("b", b"4")]).unwrap();
    assert_eq!(read(), Some(vec![b"3".to_vec(), b"4".to_vec()]));
    assert!(!state.with_extension("old").exists() && !state.with_extension("new").exists());
    // Killed between the two renames, and before them.
    std::fs::rename(&state, state.with_extension("old")).unwrap();
    std::fs::create_dir(state.with_extension("new")).unwrap();
    assert_eq!(read(), Some(vec![b"3".to_vec(), b"4".to_vec()]));
    write_folder(&state, &[("a", b"5"), ("b", b"6")]).unwrap();
    assert_eq!(read(), Some(vec![b"5".to_vec(), b"6".to_vec()]));
    let (path, _) = read_folder(&state, &["a", "c"], 100).unwrap_err();
    assert_eq!(path, state.join("c"));
}

#[test]
fn a_tree_is_the_same_elsewhere_and_stays_below_its_folder() {
    let folder = folder("tree");
    for (name, bytes) in
        [("a/run/b.bin", &b"one"[..]), ("a/c.txt", b"two"), ("a/state/big", b"left"), ("a/.lock", b"left")]
    {
        write_below(&folder.join(name), bytes).unwrap();
    }
    let leave = |name: &str| name == "state" || name.starts_with('.');
    let tree = read_tree(&folder.join("a"), &leave, 6).unwrap();
    let told: Vec<(&str, &[u8])> = tree.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    assert_eq!(told, [("c.txt", &b"two"[..]), ("run/b.bin", b"one")]);
    write_tree(&folder.join("b"), &tree).unwrap();
    assert_eq!(read_tree(&folder.join("b"), &|_| false, 6).unwrap(), tree);
    assert_eq!(read_tree(&folder.join("a"), &leave, 5).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    let single = read_tree(&folder.join("a/c.txt"), &leave, 9).unwrap();
    write_tree(&folder.join("d.txt"), &single).unwrap();
    assert_eq!(fs::read(folder.join("d.txt")).unwrap(), b"two");
    for name in ["../out", "/out", "x/../../out"] {
        let error = write_tree(&folder.join("b"), &vec![(name.to_owned(), Vec::new())]).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(!folder.join("out").exists());
}

#[test]
fn the_tail_of_a_file_is_its_last_bytes_or_all() {
    let folder = folder("tail");
    let path = folder.join("log");
    fs::write(&path, b"one two").unwrap();
    assert_eq!(tail(&path, 3).unwrap(), b"two");
    assert_eq!(tail(&path, 100).unwrap(), b"one two");
    assert_eq!(tail(&folder, 3).unwrap_err().kind(), io::ErrorKind::InvalidInput);
}
