//! The licences of all dependencies, as `deny.toml` allows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, bail};

use crate::root;
use crate::shell::command;

/// Checks every package that the workspace is built of, for whatever platform. `Cargo.lock` names more: what libraries would use
/// under features that nobody asks for.
pub(crate) fn check() -> anyhow::Result<()> {
    let deny: toml::Table = fs::read_to_string(root().join("deny.toml"))?.parse()?;
    let allowed = Allowed::read(&deny).context("deny.toml: `licenses` lists what is allowed")?;
    let mut tree = command("cargo", &["tree", "--locked", "--workspace", "--all-features", "--target=all"]);
    tree.args(["--edges=normal,build,dev", "--prefix=none", "--format={p}\t{l}"]);
    let output = tree.output()?;
    if !output.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    let packages: BTreeSet<(&str, &str)> =
        text.lines().map(|line| line.trim_end_matches(" (*)")).filter_map(|line| line.split_once('\t')).collect();
    for (package, licence) in &packages {
        let name = package.split(' ').next().unwrap_or_default();
        if !allowed.allows(name, licence) {
            bail!("`{name}` is under `{licence}`, which deny.toml does not allow");
        }
    }
    println!("{} packages", packages.len());
    Ok(())
}

/// Licences that may be used, and those that single packages may have besides.
struct Allowed {
    all: Vec<String>,
    of: BTreeMap<String, Vec<String>>,
}

impl Allowed {
    fn read(deny: &toml::Table) -> Option<Self> {
        let texts = |value: &toml::Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
        };
        let licenses = deny.get("licenses")?.as_table()?;
        let exception =
            |value: &toml::Value| Some((value.get("crate")?.as_str()?.to_owned(), texts(value.get("allow")?)?));
        let of = licenses.get("exceptions")?.as_array()?.iter().map(exception).collect::<Option<_>>()?;
        Some(Self { all: texts(licenses.get("allow")?)?, of })
    }

    /// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be met: every part that `AND` joins has an
    /// alternative that is allowed.
    fn allows(&self, package: &str, expression: &str) -> bool {
        let own = self.of.get(package);
        let known = |licence: &str| {
            let listed = |list: &Vec<String>| list.iter().any(|known| known == licence);
            listed(&self.all) || own.is_some_and(listed)
        };
        let bare = expression.replace(['(', ')'], "").replace('/', " OR ");
        bare.split(" AND ").all(|part| part.split(" OR ").any(|licence| known(licence.trim())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_is_under_a_licence_that_is_allowed() {
        check().unwrap();
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let deny =
            "[licenses]\nallow = [\"MIT\", \"Unicode-3.0\"]\nexceptions = [{ crate = \"a\", allow = [\"CC0-1.0\"] }]";
        let allowed = Allowed::read(&deny.parse().unwrap()).unwrap();
        for (package, expression, met) in [
            ("b", "MIT", true),
            ("b", "GPL-3.0 OR MIT", true),
            ("b", "MIT/Apache-2.0", true),
            ("b", "(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("b", "MIT AND GPL-3.0", false),
            ("b", "CC0-1.0", false),
            ("a", "CC0-1.0", true),
            ("b", "", false),
        ] {
            assert_eq!(allowed.allows(package, expression), met, "{package} {expression}");
        }
    }
}
