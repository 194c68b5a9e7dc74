//! States that the rules could not have made are refused.

use super::Symbolic;
use crate::config::SymbolicConfig;
use heldout_core::{Environment, Seed, Start};
use serde_json::{Value, json};

/// A cell outside the grid, a maze that is none and clocks at their ends were indexed with and counted on.
#[test]
fn regression_forged_mazes_cells_and_clocks_were_believed() {
    let rules = Symbolic::new(&SymbolicConfig { mazes: 3, experience: true, ..SymbolicConfig::default() }, ()).unwrap();
    let state = rules.start(Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(2) });
    assert_eq!(rules.check(&state), Ok(()));
    let forged: [(&str, Value, &str); 10] = [
        ("/maze", json!(3), "`maze` is `3`, must be below 3"),
        ("/at", json!(100), "`at` is `100`, must be below 100"),
        ("/last/cell", json!(255), "`cell` is `255`"),
        ("/steps", json!(u32::MAX), "`steps` is `4294967295`, must be 0 to 500"),
        ("/trial_steps", json!(1), "`trial_steps` is `1`, must be 0 to 0"),
        ("/goals", json!(1), "`goals`"),
        ("/ratios", json!(1e300), "`ratios`"),
        ("/grasp/due/1", json!(u32::MAX), "`due`"),
        ("/last/trial", json!(u32::MAX), "`last.trial`"),
        ("/experience", json!([1, 2]), "`experience` has 2 elements"),
    ];
    for (at, value, problem) in forged {
        let mut json = serde_json::to_value(&state).unwrap();
        *json.pointer_mut(at).unwrap() = value;
        let told = rules.check(&serde_json::from_value(json).unwrap()).unwrap_err();
        assert!(told.contains(problem), "{at}: {told}");
    }
}
