//! States that the rules could not have made are refused.

use super::{Config, Item, Scene, Task, rules, start, step};
use crate::action::Action;
use crate::config::Observation;
use crate::scene::MAX_ITEMS;
use heldout_core::Environment as _;
use serde_json::{Value, json};

/// Problems, boxes and cells that are none were looked up, and objects far away overflowed the geometry.
#[test]
fn regression_forged_problems_objects_and_actions_were_believed() {
    let common: [(&str, Value, &str); 4] = [
        ("/problem", json!(1_000_000), "`problem` is `1000000`, must be below"),
        ("/steps", json!(u32::MAX), "`steps` is `4294967295`, must be 0 to 11"),
        ("/adds", json!(u32::MAX), "`edits`"),
        ("/half", json!([0]), "`half` has 1 elements, must have 0"),
    ];
    let tower = [
        ("/last/Remove/x", json!(3), "`column` is `3`, must be below 3"),
        ("/trace/hole/1", json!(7), "`hole` is `7`, must be below 3"),
        ("/trace/hole/0/y", json!(-30_000), "`y` is `-30000`, must be -32 to 132"),
    ];
    let scatter = [
        ("/scene/1/0/x", json!(30_000), "`x` is `30000`, must be -32 to 132"),
        ("/last/Add/y", json!(9), "`row` is `9`, must be below 5"),
    ];
    let config = Config { observation: Observation::Objects, ..Config::default() };
    for (task, own) in [(Task::TOWER_FLIPIT, &tower[..]), (Task::SCATTER_FLIPIT, &scatter[..])] {
        let rules = rules(&config, task);
        let wanted = |state: &crate::environment::State| match own.len() {
            3 => matches!(state.last, Some(Action::Remove { .. })),
            _ => matches!(state.last, Some(Action::Add { .. })) && state.scene.len() > 1,
        };
        let edited = (0..200).find_map(|problem| {
            (1..rules.numbers.flat()).find_map(|id| {
                let mut state = start(&rules, problem);
                let (_, status) = step(&rules, &mut state, rules.numbers.action(id));
                (!status.ended() && wanted(&state)).then_some(state)
            })
        });
        let state = edited.unwrap();
        assert_eq!(rules.check(&state), Ok(()));
        for (at, value, problem) in common.iter().chain(own) {
            let mut json = serde_json::to_value(&state).unwrap();
            *json.pointer_mut(at).unwrap_or_else(|| panic!("there is no {at}")) = value.clone();
            let told = rules.check(&serde_json::from_value(json).unwrap()).unwrap_err();
            assert!(told.contains(problem), "{at}: {told}");
        }
    }
}

/// A scene with as many objects as it has room for is read, one with more is not.
#[test]
fn a_scene_beyond_its_room_is_refused() {
    let of = |ends: [usize; 3], items: usize| {
        serde_json::from_value::<Scene>(json!([ends, vec![Item::default(); items]])).map_err(|error| error.to_string())
    };
    let most = MAX_ITEMS;
    let full = of([1, most - 1, most], most).unwrap();
    assert_eq!([0, 1, 2].map(|index| full.of(index).len()), [1, most - 2, 1]);
    for (ends, items) in [([most + 1; 3], most + 1), ([2, 1, 2], 2), ([0, 1, 1], 2), ([3; 3], 2)] {
        assert!(of(ends, items).unwrap_err().contains("the items do not fill the boxes"), "{ends:?}, {items}");
    }
}
