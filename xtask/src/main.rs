//! Developer commands: `cargo xtask NAME`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod documents;
mod needs;
mod python;
mod shell;
mod test;
mod wasm;

/// Developer commands of heldout.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs what the tests need and runs everything.
    Test {
        /// Also what takes long to install: Stable-Baselines3 with its tensors, and cargo-deny.
        #[arg(long)]
        all: bool,
    },
    /// Makes the golden transcripts anew.
    Golden {
        /// Only says which transcripts are stale.
        #[arg(long)]
        check: bool,
    },
    /// Builds the Python wheel into `target/wheels`.
    Wheel,
    /// Compares the digests of WebAssembly with the golden ones.
    Wasm,
    /// Measures every environment, in a release build.
    Bench,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Test { all } => test::everything(all),
        Command::Golden { check } => documents::golden(check),
        Command::Wheel => python::wheel(),
        Command::Wasm => needs::target().and_then(|()| wasm::digests()),
        Command::Bench => shell::run("cargo", &["run", "--release", "--package", "heldout", "--", "bench"]),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository").to_owned()
}
