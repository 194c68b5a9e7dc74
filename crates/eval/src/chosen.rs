//! Which cells of SCATTER's grid were chosen: the positional bias of the lilGym paper's Figures 6 and 7.

use heldout_envs::lilgym::{Actions, Config, SCATTER_FLIPIT, SCATTER_SCRATCH, chosen_cell};

use crate::records::Recorded;

/// Cells of a grid that can still be told apart on paper.
const MOST_CELLS: usize = 1_000;

/// How often each cell was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Columns of the grid.
    pub columns: usize,
    /// Rows of the grid.
    pub rows: usize,
    /// How often each was chosen, column by column.
    pub counts: Vec<u64>,
}

impl Grid {
    /// That of the actions in `recorded`; `None` if it is not of SCATTER, holds no traces, or the grid is too fine.
    #[must_use]
    pub fn of(recorded: &Recorded) -> Option<Self> {
        let header = &recorded.header;
        if !header.trace || ![SCATTER_FLIPIT.id, SCATTER_SCRATCH.id].contains(&header.id.as_str()) {
            return None;
        }
        let config: Config = serde_json::from_value(header.config.clone()).ok()?;
        let (columns, rows) = config.cells().ok().map(|(columns, rows)| (columns as usize, rows as usize))?;
        if columns * rows > MOST_CELLS {
            return None;
        }
        // STOP or an edit; or kind, column, row, shape, colour, size.
        let width = if config.actions == Actions::Flat { 1 } else { 6 };
        let mut counts = vec![0; columns * rows];
        for trace in recorded.records.iter().filter_map(|r| r.trace.as_ref()) {
            for (x, y) in trace.actions.chunks_exact(width).filter_map(|raw| chosen_cell(&config, raw)) {
                counts[usize::from(x) * rows + usize::from(y)] += 1;
            }
        }
        Some(Self { columns, rows, counts })
    }
}
