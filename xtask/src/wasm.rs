//! The same digests in WebAssembly as everywhere else.

use std::fs;
use std::process::Command;

use anyhow::{Context, bail};
use heldout_envs::registry::ENTRIES;

use crate::documents::golden_path;
use crate::root;
use crate::shell::{command, exists, finish, install};

/// Prints the digest of every entry, one a line.
const SCRIPT: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
  for (let i = 0; i < instance.exports.entries(); i++) console.log((instance.exports.digest(i) >>> 0).toString(16).padStart(8, '0'));
});
";

/// Builds the digests of every entry for WebAssembly, runs them, and compares them with the golden transcripts.
pub(crate) fn digests() -> anyhow::Result<()> {
    let target = "wasm32-unknown-unknown";
    let folder = root().join("target");
    let build = ["build", "--release", "-p", "heldout-envs", "--no-default-features", "--example", "digests"];
    finish(command("cargo", &build).args(["--target", target, "--target-dir"]).arg(&folder))?;
    if !exists("node") {
        install("nodejs")?;
    }
    let module = folder.join(target).join("release/examples/digests.wasm");
    let output = Command::new("node").args(["-e", SCRIPT]).arg(&module).output().context("cannot start node")?;
    if !output.status.success() {
        bail!("{} failed in node: {}", module.display(), String::from_utf8_lossy(&output.stderr));
    }
    let printed = String::from_utf8(output.stdout)?;
    let digests: Vec<&str> = printed.lines().collect();
    if digests.len() != ENTRIES.len() {
        bail!("WebAssembly has {} entries, must have {}", digests.len(), ENTRIES.len());
    }
    for (entry, digest) in ENTRIES.iter().zip(digests) {
        let golden = fs::read_to_string(golden_path(entry))?;
        if !golden.ends_with(&format!("digest {digest}\n")) {
            bail!("`{}` gives {digest} in WebAssembly, not what its golden transcript says", entry.id());
        }
    }
    println!("WebAssembly: {} digests equal", ENTRIES.len());
    Ok(())
}
