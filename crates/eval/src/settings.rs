//! Configs as a shell tells them: `key=value`.

use serde_json::{Map, Value};

use crate::protocol::json;

/// A setting that is none.
#[derive(Debug, thiserror::Error)]
#[error("`--set {setting}`{problem}")]
pub struct SettingError {
    setting: String,
    problem: String,
}

/// The overrides that settings of the form `KEY=VALUE` stand for: a TOML value, else a string; `a.b=1` reaches into a table. A
/// later setting of a key replaces an earlier one.
///
/// # Errors
///
/// If one has another form.
pub fn overrides(set: &[String]) -> Result<Map<String, Value>, SettingError> {
    let mut overrides = Map::new();
    for setting in set {
        let bad = |problem: String| SettingError { setting: setting.clone(), problem };
        let (path, text) = setting.split_once('=').ok_or_else(|| bad(" must be `--set key=value`".to_owned()))?;
        let mut table = &mut overrides;
        let mut keys: Vec<&str> = path.split('.').collect();
        if keys.iter().any(|k| k.is_empty()) {
            return Err(bad(format!(": `{path}` is not a key")));
        }
        if keys.len() > DEEPEST {
            return Err(bad(format!(": a key has {} parts, may have {DEEPEST}", keys.len())));
        }
        let last = keys.pop().unwrap_or(path);
        for key in keys {
            let inner = table.entry(key).or_insert_with(|| Value::Object(Map::new()));
            table = match inner {
                Value::Object(inner) => inner,
                other => return Err(bad(format!(": `{key}` is already `{other}`, not a table"))),
            };
        }
        table.insert(last.to_owned(), value(text).map_err(|problem| bad(format!(": `{text}`: {problem}")))?);
    }
    Ok(overrides)
}

/// Parts of a key at the most: no config is half as deep.
const DEEPEST: usize = 16;

/// Reads a TOML value; what is none, and a date, is a string.
fn value(text: &str) -> Result<Value, String> {
    // TOML has no whole numbers of 2^63 and more; configs have.
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && text.parse::<i64>().is_err() {
        return text.parse().map(|number: u64| Value::Number(number.into())).map_err(|error| error.to_string());
    }
    let table = toml::from_str::<toml::Table>(&format!("value = {text}")).ok().filter(|t| t.len() == 1);
    match table.and_then(|mut t| t.remove("value")) {
        None | Some(toml::Value::Datetime(_)) => Ok(Value::String(text.to_owned())),
        Some(parsed) => json(parsed),
    }
}
