//! The same digests in WebAssembly as everywhere else.

use std::fs;
use std::process::Command;

use anyhow::{Context, bail};
use heldout_envs::entries;

use crate::documents::golden_path;
use crate::shell::{built, command, finish};

/// The target that browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Prints the digest of every entry, one per line.
const SCRIPT: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
  for (let i = 0; i < instance.exports.entries(); i++) console.log((instance.exports.digest(i) >>> 0).toString(16).padStart(8, '0'));
});
";

/// Builds the digests of every entry for WebAssembly, runs them, and compares them with the golden transcripts.
pub(crate) fn digests() -> anyhow::Result<()> {
    let build = ["build", "-p", "heldout-envs", "--no-default-features", "--example", "digests"];
    finish(command("cargo", &build).args(["--target", TARGET]))?;
    let module = built()?.join(TARGET).join("debug/examples/digests.wasm");
    let output = Command::new("node").args(["-e", SCRIPT]).arg(&module).output().context("cannot start node")?;
    if !output.status.success() {
        bail!("{} failed in node: {}", module.display(), String::from_utf8_lossy(&output.stderr));
    }
    let printed = String::from_utf8(output.stdout)?;
    let digests: Vec<&str> = printed.lines().collect();
    let all = entries().count();
    if digests.len() != all {
        bail!("WebAssembly has {} entries, must have {all}", digests.len());
    }
    for (entry, digest) in entries().zip(digests) {
        let golden = fs::read_to_string(golden_path(entry))?;
        if !golden.ends_with(&format!("digest {digest}\n")) {
            bail!("`{}` gives {digest} in WebAssembly, not what its golden transcript says", entry.id());
        }
    }
    println!("WebAssembly: {all} digests equal");
    Ok(())
}
