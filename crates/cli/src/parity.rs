//! `heldout parity`: recorded rollouts of another implementation, replayed.

use std::path::PathBuf;

use clap::Subcommand;
use heldout_envs::lilgym::recording::Replay;

use crate::Failed;

/// Replays recorded rollouts of another implementation and tells where they differ.
#[derive(clap::Args)]
pub(crate) struct Parity {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Rollouts of the public lilGym: reward, flags, truth and observation at every step.
    Lilgym {
        /// Directory of the public data files.
        #[arg(long, env = "HELDOUT_LILGYM_DATA")]
        data: PathBuf,
        /// Recordings: JSON lines, gzipped or not.
        #[arg(required = true)]
        traces: Vec<PathBuf>,
    },
}

impl Parity {
    pub(crate) fn execute(&self) -> anyhow::Result<()> {
        let Family::Lilgym { data, traces } = &self.family;
        let mut replay = Replay::new(data);
        for trace in traces {
            replay.file(trace)?;
        }
        let parity = replay.parity;
        let mut text = String::new();
        for line in &parity.shown {
            text += &format!("{line}\n");
        }
        if parity.mismatches > parity.shown.len() {
            text += &format!("and {} more\n", parity.mismatches - parity.shown.len());
        }
        text += &format!("rollouts {}, steps {}, mismatches {}\n", parity.rollouts, parity.steps, parity.mismatches);
        crate::print(&text)?;
        if parity.mismatches > 0 {
            return Err(Failed.into());
        }
        Ok(())
    }
}
