//! Makes every golden transcript anew (`cargo xtask golden`); with `--check` it only says which ones are stale.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use heldout_core::transcript::transcript;
use heldout_envs::{entries, family};

fn main() -> ExitCode {
    let check = env::args().any(|word| word == "--check");
    let mut stale = Vec::new();
    for entry in entries() {
        let folder = family(entry.id()).map_or("", |family| family.folder);
        let shown = format!("crates/{folder}/tests/golden/{}.txt", entry.name());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&shown);
        let text = transcript(entry);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            stale.push(shown);
            continue;
        }
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        if let Err(error) = written {
            eprintln!("cannot write {shown}: {error}");
            return ExitCode::FAILURE;
        }
        println!("wrote {shown}");
    }
    if stale.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("stale: {}; run `cargo xtask golden`", stale.join(", "));
    ExitCode::FAILURE
}
