//! The same digests in WebAssembly as everywhere else.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, bail};

use crate::families;
use crate::shell::{built, command, finish};

/// The target that browsers run.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Prints the id and the digest of every entry, one per line.
const SCRIPT: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
  const { entries, id, id_length, digest, memory } = instance.exports;
  for (let i = 0; i < entries(); i++) {
    const hex = (digest(i) >>> 0).toString(16).padStart(8, '0');
    console.log(Buffer.from(memory.buffer, id(i), id_length(i)).toString(), hex);
  }
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
    let digests: BTreeMap<&str, &str> = printed.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut goldens = 0;
    for family in families::all()? {
        for path in family.goldens()? {
            let golden = fs::read_to_string(&path)?;
            let id = golden.lines().next().unwrap_or_default();
            let digest = digests.get(id).with_context(|| format!("WebAssembly has no `{id}`"))?;
            if !golden.ends_with(&format!("digest {digest}\n")) {
                bail!("`{id}` gives {digest} in WebAssembly, not what its golden transcript says");
            }
            goldens += 1;
        }
    }
    if digests.len() != goldens {
        bail!("WebAssembly has {} entries, and there are {goldens} golden transcripts", digests.len());
    }
    println!("WebAssembly: {goldens} digests equal");
    Ok(())
}
