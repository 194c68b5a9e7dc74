//! `heldout list` and `heldout info`: what there is.

use anyhow::Context;
use heldout_core::{Entry, card};
use heldout_envs::{entries, family, find};
use serde_json::json;

/// Lists every environment.
#[derive(clap::Args)]
pub(crate) struct List {
    /// Prints a JSON list.
    #[arg(long)]
    json: bool,
}

/// Names of an entry's policies, each once.
fn policies(entry: &Entry) -> Vec<&'static str> {
    let mut names = Vec::new();
    for policy in entry.policies() {
        if !names.contains(&policy.name) {
            names.push(policy.name);
        }
    }
    names
}

impl List {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        if self.json {
            let rows = entries().map(|entry| {
                let about = entry.about;
                json!({
                    "id": about.id,
                    "summary": about.summary,
                    "splits": { about.split_key: about.splits },
                    "policies": policies(entry),
                    "presets": about.presets.iter().map(|p| p.name).collect::<Vec<_>>(),
                    "agents": entry.default_batch().spec().agents.iter().map(|a| a.name).collect::<Vec<_>>(),
                })
            });
            return crate::print_json(&rows.collect());
        }
        let width = entries().map(|e| e.id().len()).max().unwrap_or(0);
        let mut text = String::new();
        for entry in entries() {
            let about = entry.about;
            let indent = " ".repeat(width);
            text += &format!("{:width$}  {}\n", about.id, about.summary);
            text += &format!("{indent}  {}: {}\n", about.split_key, about.splits.join(", "));
            text += &format!("{indent}  policies: {}\n", policies(entry).join(", "));
        }
        crate::print(&text)
    }
}

/// Shows the card of an environment.
#[derive(clap::Args)]
pub(crate) struct Info {
    /// Which environment.
    id: String,
    /// Prints spec, config and policies as one JSON object.
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let entry = find(&self.id)?;
        if !self.json {
            let family = family(&self.id).context("an entry has a family")?;
            return crate::print(&card::whole(family, entry)?);
        }
        let env = entry.default_batch();
        crate::print_json(&json!({
            "id": entry.id(),
            "version": env!("CARGO_PKG_VERSION"),
            "summary": entry.about.summary,
            "config": entry.defaults(),
            "spec": env.spec(),
            "policies": env.policies(),
        }))
    }
}
