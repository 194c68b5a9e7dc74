//! Scenes as the public files write them (`structured_rep`): three lists of objects.

use serde_json::{Value, json};

use crate::action::TOWER_HEIGHT;
use crate::config::Appearance;
use crate::geometry::{inside, overlap};
use crate::rules::block;
use crate::scene::{BOXES, Color, Item, MAX_ITEMS, Scene, Shape, Size};

/// Names of the shapes and colours, in the order of their numbers.
const SHAPES: [&str; 3] = ["circle", "square", "triangle"];
const COLORS: [&str; 3] = ["Yellow", "Black", "#0099ff"];

/// The scene that `value` describes. Objects may lie anywhere near their boxes: sticking can push them out.
pub(crate) fn scene(value: &Value) -> Result<Scene, String> {
    let boxes = value.as_array().filter(|b| b.len() == BOXES).ok_or("a scene must be a list of three boxes")?;
    let mut scene = Scene::default();
    for (index, items) in boxes.iter().enumerate() {
        for value in items.as_array().ok_or("a box must be a list of objects")? {
            if !scene.push(index, item(value)?) {
                return Err(format!("a scene has {MAX_ITEMS} objects at the most"));
            }
        }
    }
    Ok(scene)
}

/// Checks that no object leaves its box or overlaps another and that, in TOWER, they are towers.
#[cfg_attr(not(feature = "files"), expect(dead_code, reason = "only files hold scenes that somebody else made"))]
pub(crate) fn check(scene: &Scene, appearance: Appearance) -> Result<(), String> {
    for index in 0..BOXES {
        let items = scene.of(index);
        for (place, item) in items.iter().enumerate() {
            let below = &items[..place];
            let name = format!("the object at {}, {} of box {}", item.x, item.y, index + 1);
            if !inside(item) {
                return Err(format!("{name} is not within its box"));
            }
            if let Some(other) = below.iter().find(|other| overlap(item, other, index)) {
                return Err(format!("{name} overlaps that at {}, {}", other.x, other.y));
            }
            if appearance == Appearance::Tower {
                let block = block(below, item.color);
                if place == TOWER_HEIGHT {
                    return Err(format!("{name} is the fifth of its tower"));
                }
                if *item != block {
                    let allowed = format!("which is a square of 20 at {}, {}", block.x, block.y);
                    return Err(format!("{name} is no block of a tower, {allowed}"));
                }
            }
        }
    }
    Ok(())
}

fn item(value: &Value) -> Result<Item, String> {
    let number = |field: &str| {
        // Some of the public numbers are written with a point.
        let number = value[field].as_f64().filter(|x| x.trunc() == *x && (-100.0..=200.0).contains(x));
        number.map(|x| x as i16).ok_or_else(|| format!("`{field}` is `{}`, must be an integer", value[field]))
    };
    let bad = |field: &str, allowed: &str| format!("`{field}` is `{}`, must be {allowed}", value[field]);
    let named = |field: &str, names: [&str; 3]| {
        let place = names.iter().position(|name| value[field].as_str() == Some(*name));
        place.ok_or_else(|| bad(field, &format!("`{}`, `{}` or `{}`", names[0], names[1], names[2])))
    };
    Ok(Item {
        x: number("x_loc")?,
        y: number("y_loc")?,
        shape: Shape::ALL[named("type", SHAPES)?],
        color: Color::ALL[named("color", COLORS)?],
        size: match number("size")? {
            10 => Size::Small,
            20 => Size::Medium,
            30 => Size::Large,
            _ => return Err(bad("size", "10, 20 or 30")),
        },
    })
}

/// What [`scene`] reads.
pub(crate) fn value(scene: &Scene) -> Value {
    let item = |item: &Item| {
        json!({
            "x_loc": item.x, "y_loc": item.y, "size": item.size.pixels(),
            "type": SHAPES[item.shape as usize], "color": COLORS[item.color as usize],
        })
    };
    (0..BOXES).map(|index| scene.of(index).iter().map(item).collect::<Value>()).collect()
}
