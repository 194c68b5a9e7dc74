//! Configs on the command line: `--set key=value`.

use heldout_eval::settings;
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
        Ok(settings::overrides(&self.set)?)
    }
}
