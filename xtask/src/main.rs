//! Developer commands: `cargo xtask NAME`.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

mod documents;

/// Developer commands of heldout.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Makes the tables of the cards anew.
    Cards {
        /// Only says which cards are stale.
        #[arg(long)]
        check: bool,
    },
    /// Makes the golden transcripts anew.
    Golden {
        /// Only says which transcripts are stale.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Cards { check } => documents::cards(check),
        Command::Golden { check } => documents::golden(check),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository").to_owned()
}
