//! Which cells of SCATTER's grid were chosen: the positional bias of the paper's Figures 6 and 7.

use heldout_core::Heat;
use serde_json::Value;

use crate::action::{Action, Numbers};
use crate::config::{Appearance, Config, Task};

/// Cells of a grid that can still be told apart on paper.
const MOST_CELLS: usize = 1_000;

/// How often each cell was chosen by the actions of episodes; `None` if there are no episodes, the id is not SCATTER's, or
/// its grid is too fine.
pub(crate) fn of(id: &str, config: &Value, episodes: &mut dyn Iterator<Item = &[i32]>) -> Option<Heat> {
    let task = Task::of(id).filter(|task| task.appearance == Appearance::Scatter)?;
    let config: Config = serde_json::from_value(config.clone()).ok()?;
    let cells = config.cells().ok()?;
    let (columns, rows) = (cells.0 as usize, cells.1 as usize);
    if columns * rows > MOST_CELLS {
        return None;
    }
    let numbers = Numbers::new(task.appearance, config.actions, cells);
    let width = numbers.space().width();
    let mut counts = vec![0; columns * rows];
    let mut any = false;
    for actions in episodes {
        any = true;
        for action in actions.chunks_exact(width).filter_map(|raw| numbers.decode(raw)) {
            if let Action::Add { x, y, .. } | Action::Remove { x, y } = action {
                counts[usize::from(x) * rows + usize::from(y)] += 1;
            }
        }
    }
    any.then_some(Heat { columns, rows, counts })
}
