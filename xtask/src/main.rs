//! Developer commands: `cargo xtask NAME`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

mod docs;
mod families;
mod licences;
mod mutants;
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
        /// Also what takes long: Stable-Baselines3 with its tensors, the manual and its tutorials, the archive of the
        /// sources, the wheel for any Linux, the soak, and cargo-deny.
        #[arg(long)]
        all: bool,
        /// These parts alone, by name.
        #[arg(long, value_name = "PART", num_args = 1.., conflicts_with = "all", value_parser = PossibleValuesParser::new(test::names()))]
        only: Vec<String>,
        /// Steps of each id in the soak; a tenth where observations are pictures.
        #[arg(long, value_name = "STEPS", default_value_t = 10_000_000)]
        soak: u64,
    },
    /// Makes the golden transcripts anew.
    Golden {
        /// Only says which transcripts are stale.
        #[arg(long)]
        check: bool,
    },
    /// Builds the Python wheel into `target/wheels`.
    Wheel,
    /// Builds the manual into `target/site`.
    Docs,
    /// Compares the digests of WebAssembly with the golden ones.
    Wasm,
    /// Measures every environment, in a release build.
    Bench,
    /// Type-checks what computes on other devices; running it takes their hardware.
    Gpu,
    /// Puts defects into a family's rules, one at a time, and counts those that its tests notice.
    Mutants {
        /// A family's name.
        family: String,
        /// How many defects.
        #[arg(long, default_value_t = 150)]
        sample: usize,
        /// Which ones.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// A file that names the defects instead, one in a line: those that were missed, say.
        #[arg(long)]
        only: Option<PathBuf>,
        /// How many tests run at a time.
        #[arg(long, default_value_t = 2)]
        jobs: usize,
        /// Leaves out tests that compute for more seconds: what they alone would notice counts as missed.
        #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
        longest: u64,
        /// Leaves out the conformance suite, likewise.
        #[arg(long)]
        without_suite: bool,
        /// Goes on after the last run of the family, which may have been ended: what was caught is not tried again.
        #[arg(long)]
        resume: bool,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Test { all, only, soak } => test::parts(all, &only, soak),
        Command::Golden { check } => {
            let golden = ["run", "--quiet", "--package", "heldout-envs", "--example", "golden", "--"];
            let check: &[&str] = if check { &["--check"] } else { &[] };
            shell::run("cargo", &[golden.as_slice(), check].concat())
        }
        Command::Wheel => python::wheel(),
        Command::Docs => docs::site(),
        Command::Wasm => needs::target().and_then(|()| wasm::digests()),
        Command::Mutants { family, sample, seed, only, jobs, longest, without_suite, resume } => {
            let limits = mutants::Limits { jobs, longest, suite: !without_suite, resume };
            mutants::mutants(&family, (sample, seed), only.as_deref(), limits)
        }
        Command::Gpu => {
            // Not `cuda`, whose build fetches a compiler of its own from outside the registries.
            let devices = ["--features", "wgpu vulkan metal x86-v4"];
            shell::run("cargo", &[&["check", "--package", "heldout", "--lib"], devices.as_slice()].concat())
        }
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
