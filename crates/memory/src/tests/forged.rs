//! States that the rules could not have made are refused.

use super::step;
use crate::arena::rules::Config as ArenaConfig;
use crate::arena::{Arena, VISIBLE_BUILDINGS};
use crate::maze::Maze;
use crate::maze::rules::Config as MazeConfig;
use crate::mini::goal::{Config as GoalConfig, EXPLORE, GoalMini, INVISIBLE_BUILDINGS};
use crate::mini::inference::{InferenceMini, InferenceMiniConfig};
use crate::mini::panel::PanelMini;
use crate::mini::spot::{SpotMini, SpotMiniConfig};
use crate::psychlab::config::{MappingConfig, MappingMiniConfig};
use crate::psychlab::desk::Side;
use crate::psychlab::{Mapping, PsychLab};
use crate::rooms::inference::InferenceConfig;
use crate::rooms::spot::SpotConfig;
use crate::rooms::{Inference, Spot, Variant};
use crate::walker::pilot::Chart;
use heldout_core::{Environment, Seed, Start, Status};
use serde_json::{Value, json};

fn first<E: Environment>(rules: &E) -> E::State {
    rules.start(Start { seed: Seed(3), copy: Seed(3), episode: 0, problem: None })
}

/// Each value at its place must be refused with what stands beside it.
fn refuses<E: Environment>(rules: &E, state: &E::State, forged: &[(&str, Value, &str)]) {
    assert_eq!(rules.check(state), Ok(()));
    for (at, value, problem) in forged {
        let mut json = serde_json::to_value(state).unwrap();
        *json.pointer_mut(at).unwrap_or_else(|| panic!("there is no {at}")) = value.clone();
        let told = rules.check(&serde_json::from_value(json).unwrap()).unwrap_err();
        assert!(told.contains(problem), "{at}: {told}");
    }
}

/// A staircase, a scene or widgets that no trial has were looked up, or found no place on the screen.
#[test]
fn regression_forged_panels_were_looked_up() {
    let rules = PsychLab::<Mapping>::new(&MappingConfig::default(), ()).unwrap();
    refuses(
        &rules,
        &first(&rules),
        &[
            ("/trial/count", json!(200), "`count` is `200`, must be 1 to 16"),
            ("/trial/at", json!(1), "`at` is `1`, must be below 1"),
            ("/trial/order/0", json!(77), "`trial` is not what the seed"),
            ("/trial/associations/0/image", json!(60_000), "`trial` is not what the seed"),
            ("/phase", json!({"Scene": 255}), "`scene` is `255`"),
            ("/desk/widgets/0", Value::Null, "`widgets` is `[]`, must be [Trigger]"),
            ("/desk/off_screen", json!(u32::MAX), "`off_screen`"),
            ("/gaze/yaw", json!(1e300), "`yaw`"),
            ("/gaze/u", json!(0.25), "`gaze`"),
            ("/ticks", json!(u32::MAX), "`ticks` is `4294967295`, must be 0 to 18000"),
            ("/trials", json!(51), "`trials` is `51`, must be 0 to 50"),
            ("/previous/action", json!(5), "`previous action` is `5`, must be below 5"),
        ],
    );
    let rules = PanelMini::<Mapping>::new(&MappingMiniConfig::default(), ()).unwrap();
    let forged = [("/left", json!(0), "`left` is `0`"), ("/scene", json!(3), "`scene` is `3`")];
    refuses(&rules, &first(&rules), &forged);
}

/// The instant choices counted below zero, or went on for ever, in an episode that was over but told to go on.
#[test]
fn regression_instant_choices_went_on_after_the_last() {
    fn over<E: Environment>(rules: &E, action: E::Action) {
        let mut state = first(rules);
        for _ in 0..2_000 {
            if step(rules, &mut state, action).1.ended() {
                break;
            }
        }
        assert_eq!(rules.check(&state), Ok(()));
        // Its blank comes first, where there is one.
        let ends = (0..2).any(|_| step(rules, &mut state, action).1 == Status::Terminated);
        assert!(ends);
    }
    over(&PanelMini::<Mapping>::new(&MappingMiniConfig::default(), ()).unwrap(), Side::Left);
    over(&SpotMini::new(&SpotMiniConfig::default(), Variant::Basic).unwrap(), 0);
}

/// Blocks, gates and chains that no episode has were looked up, or subtracted from an earlier tick.
#[test]
fn regression_forged_rooms_were_believed() {
    let rules = Spot::new(&SpotConfig::default(), Variant::Motion).unwrap();
    refuses(
        &rules,
        &first(&rules),
        &[
            ("/layout/count", json!(200), "`count` is `200`, must be one of [2]"),
            ("/layout/changed", json!(2), "`changed` is `2`, must be below 2"),
            ("/layout/blocks/0/x", json!(1e300), "`x`"),
            ("/layout/delay", json!(7), "`delay` is `7`, must be that of the scale"),
            ("/gates/gates/0/since", json!(9), "`gates.since` is `9`, must be 0 to 0"),
            ("/touched", json!(u32::MAX), "`touched`"),
            ("/body/x", json!(-1e9), "`x` is `-1000000000`, must be 0 to 8"),
            ("/body/yaw", json!(1e300), "`yaw`"),
        ],
    );
    let chain = [
        ("/chain/items", json!(0), "`items` is `0`, must be 5 to 8"),
        ("/chain/order/0", json!(7), "`order`"),
        ("/chain/done", json!(8), "`done`"),
        ("/chain/attempt", json!(u32::MAX), "`attempt`"),
    ];
    let rules = Inference::new(&InferenceConfig::default(), ()).unwrap();
    refuses(&rules, &first(&rules), &chain);
    let rules = InferenceMini::new(&InferenceMiniConfig::default(), ()).unwrap();
    refuses(&rules, &first(&rules), &chain);
    let rules = SpotMini::new(&SpotMiniConfig::default(), Variant::Multi).unwrap();
    let forged = [("/step", json!(u32::MAX), "`step`"), ("/places/0", json!(99), "`trial`")];
    refuses(&rules, &first(&rules), &forged);
}

/// Buildings, walls and cells that no world has were looked up.
#[test]
fn regression_forged_worlds_were_looked_up() {
    let rules = Arena::new(&ArenaConfig::default(), VISIBLE_BUILDINGS).unwrap();
    refuses(
        &rules,
        &first(&rules),
        &[
            ("/layout/side", json!(255), "`side` is `255`, must be one of"),
            ("/layout/count", json!(26), "`count` is `26`"),
            ("/layout/buildings/0/texture", json!(12), "`texture` is `12`, must be below 12"),
            ("/layout/buildings/0/rect/x1", json!(1e300), "`x`"),
            ("/layout/free/0", json!(0), "`free`"),
            ("/layout/goal/x", json!(255), "`goal`"),
            ("/dead", json!(11), "`dead` is `11`, must be 0 to 10"),
            ("/trips/goals", json!(u32::MAX), "`goals`"),
        ],
    );
    let rules = Maze::new(&MazeConfig::default(), ()).unwrap();
    refuses(
        &rules,
        &first(&rules),
        &[
            ("/plan/side", json!(0), "`side` is `0`, must be one of"),
            ("/plan/tiles", json!(["Wall"]), "`tiles` has 1 elements"),
            ("/plan/tiles/0", json!("Room"), "`tiles` is `open`, must be walls all around"),
            ("/walls/0", json!(200), "`wall` is `200`, must be 1 to 9"),
            ("/goal/x", json!(0), "`goal`"),
            ("/runner/x", json!(1e300), "`place`"),
        ],
    );
    let rules = GoalMini::new(&GoalConfig::default(), INVISIBLE_BUILDINGS).unwrap();
    refuses(
        &rules,
        &first(&rules),
        &[
            ("/world/looks/0", json!(1), "`look` is `1`, must be 0 to 0"),
            ("/world/looks/12", json!(28), "`look` is `28`, must be 16 to 27"),
            ("/world/side", json!(27), "`side`"),
            ("/at/0", json!(200), "`at` is `200, "),
            ("/steps", json!(u32::MAX), "`steps`"),
        ],
    );
    let rules = GoalMini::new(&GoalConfig::default(), EXPLORE).unwrap();
    let forged = [("/world/looks/0", json!(0), "`wall`"), ("/world/side", json!(7), "`side`")];
    refuses(&rules, &first(&rules), &forged);
}

/// The oracles looked at a straight way to a place beyond all floors cell by cell.
#[test]
fn regression_oracles_hung_on_a_way_without_end() {
    let chart = Chart::new(8, 8, 0.25);
    assert!(chart.is_straight([0.1, 0.1], [1e300, 0.1]));
}
