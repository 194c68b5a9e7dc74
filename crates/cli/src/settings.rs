//! Configs on the command line: `--set key=value`.

use anyhow::{Context, bail};
use heldout_eval::protocol::json;
use serde_json::{Map, Value};

/// The config of an environment.
#[derive(Debug, clap::Args)]
pub(crate) struct Settings {
    /// Sets a key of the config: a TOML value, else a string; `preset=NAME` applies first, `a.b=1` reaches into a table.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Settings {
    /// The overrides as one table; a later setting of a key replaces an earlier one.
    pub(crate) fn overrides(&self) -> anyhow::Result<Map<String, Value>> {
        overrides(&self.set)
    }
}

/// The overrides that settings of the form `KEY=VALUE` stand for.
pub(crate) fn overrides(set: &[String]) -> anyhow::Result<Map<String, Value>> {
    let mut overrides = Map::new();
    for setting in set {
        let (path, text) =
            setting.split_once('=').with_context(|| format!("`--set {setting}` must be `--set key=value`"))?;
        let mut table = &mut overrides;
        let mut keys: Vec<&str> = path.split('.').collect();
        if keys.iter().any(|k| k.is_empty()) {
            bail!("`--set {setting}`: `{path}` is not a key");
        }
        let last = keys.pop().unwrap_or(path);
        for key in keys {
            let inner = table.entry(key).or_insert_with(|| Value::Object(Map::new()));
            table = match inner {
                Value::Object(inner) => inner,
                other => bail!("`--set {setting}`: `{key}` is already `{other}`, not a table"),
            };
        }
        table.insert(last.to_owned(), value(text).with_context(|| format!("`--set {setting}`"))?);
    }
    Ok(overrides)
}

/// Reads a TOML value; what is none, and a date, is a string.
fn value(text: &str) -> anyhow::Result<Value> {
    let table = toml::from_str::<toml::Table>(&format!("value = {text}")).ok().filter(|t| t.len() == 1);
    match table.and_then(|mut t| t.remove("value")) {
        None | Some(toml::Value::Datetime(_)) => Ok(Value::String(text.to_owned())),
        Some(parsed) => json(parsed).map_err(anyhow::Error::msg).with_context(|| format!("`{text}`")),
    }
}
