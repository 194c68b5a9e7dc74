//! The binary `heldout`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(heldout_cli::main(std::env::args_os()))
}
