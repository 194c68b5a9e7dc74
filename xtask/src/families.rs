//! The families, as their folders tell: developer commands are built without them, so that no test waits for that.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use crate::root;

/// A family of environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// What its ids begin with.
    pub(crate) name: String,
    /// Its crate, `heldout-FOLDER`, is this folder of `crates`.
    pub(crate) folder: String,
}

impl Family {
    /// The golden transcripts of its entries, in the order of their names.
    pub(crate) fn goldens(&self) -> anyhow::Result<Vec<PathBuf>> {
        goldens(&self.folder)
    }
}

fn goldens(folder: &str) -> anyhow::Result<Vec<PathBuf>> {
    let path = root().join("crates").join(folder).join("tests/golden");
    let listed = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut all: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    all.sort();
    Ok(all)
}

/// All of them: what the one list of environments, `crates/envs`, is made of.
pub(crate) fn all() -> anyhow::Result<Vec<Family>> {
    let manifest: toml::Table = fs::read_to_string(root().join("crates/envs/Cargo.toml"))?.parse()?;
    let used = manifest.get("dependencies").and_then(toml::Value::as_table).context("crates/envs uses no crate")?;
    let folders = used.keys().filter_map(|name| name.strip_prefix("heldout-")).filter(|folder| *folder != "core");
    folders
        .map(|folder| {
            let path = goldens(folder)?.into_iter().next().with_context(|| format!("`{folder}` has no transcript"))?;
            let text = fs::read_to_string(&path)?;
            let name = text.split('/').next().unwrap_or_default();
            Ok(Family { name: name.to_owned(), folder: folder.to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_those_of_the_list() {
        let found = all().unwrap();
        let told = |family: &Family| (family.name.clone(), family.folder.clone());
        for (name, folder) in [("example", "examples"), ("halma", "halma"), ("memory", "memory")] {
            assert!(found.iter().map(told).any(|own| own == (name.to_owned(), folder.to_owned())), "{found:?}");
        }
        let list = fs::read_to_string(root().join("crates/envs/src/lib.rs")).unwrap();
        assert_eq!(found.len(), list.matches("::FAMILY").count());
        assert!(found.iter().all(|family| list.contains(&format!("heldout_{}::FAMILY", family.folder))));
    }
}
