//! What the steps need of the machine: looked at before anything is built, installed where that can be done.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::python::Venv;
use crate::shell::{exists, install, run};
use crate::wasm::TARGET;

/// Looks for all that `cargo xtask test` needs, and installs what is missing or says in a line what to install.
pub(crate) fn all() -> anyhow::Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if !works("cargo", &[subcommand, "--version"]) {
            rustup(&["component", "add", component])?;
        }
    }
    target()?;
    if !exists("node") {
        install("nodejs")?;
    }
    if !exists("python3") {
        install("python3")?;
    }
    // Makes it, with the packages of the system that it needs.
    Venv::new("venv").map(|_| ()).context("Python needs `venv` and `pip`")
}

/// The standard library of WebAssembly. A rustup that is told not to install what a toolchain file names leaves it out.
pub(crate) fn target() -> anyhow::Result<()> {
    let print = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = print.context("cannot start `rustc`")?.stdout;
    let folder = String::from_utf8_lossy(&folder).trim().to_owned();
    if !folder.is_empty() && Path::new(&folder).is_dir() {
        return Ok(());
    }
    rustup(&["target", "add", TARGET])
}

fn rustup(arguments: &[&str]) -> anyhow::Result<()> {
    if !exists("rustup") {
        bail!("this toolchain has no `{}`; install it with your toolchain", arguments[arguments.len() - 1]);
    }
    run("rustup", arguments)
}

fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}
