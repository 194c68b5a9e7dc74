//! Random scenes, such as NLVR's.

use heldout_core::{Rng, Seed};

use crate::config::Appearance;
use crate::scene::{BOX_SIDE, BOXES, Color, Item, Scene, Shape, Size};

/// Most objects in a box of a scattered scene, as in the public files.
const MOST_OBJECTS: u32 = 7;
/// Most blocks of a tower.
const MOST_BLOCKS: u32 = 4;

/// The scene that `seed` names. No box is empty.
pub(super) fn scene(appearance: Appearance, seed: Seed) -> Scene {
    let mut rng = seed.rng();
    let mut scene = Scene::default();
    for index in 0..BOXES {
        match appearance {
            Appearance::Tower => {
                for block in 0..=rng.below(MOST_BLOCKS) as i16 {
                    let color = *rng.pick(&Color::ALL);
                    let y = 80 - 21 * block;
                    scene.push(index, Item { x: 40, y, shape: Shape::Square, color, size: Size::Medium });
                }
            }
            Appearance::Scatter => {
                for _ in 0..=rng.below(MOST_OBJECTS) {
                    scatter(&mut rng, &mut scene, index);
                }
            }
        }
    }
    scene
}

/// Puts one more object into box `index`, where there is room; after a few tries, none.
fn scatter(rng: &mut Rng, scene: &mut Scene, index: usize) {
    for _ in 0..20 {
        let (shape, color, size) = (*rng.pick(&Shape::ALL), *rng.pick(&Color::ALL), *rng.pick(&Size::ALL));
        let far = BOX_SIDE - size.pixels();
        // A third of the objects stand at a wall: programs speak of walls often.
        let (mut x, mut y) = (rng.between(0, far), rng.between(0, far));
        match rng.below(12) {
            0 => x = 0,
            1 => x = far,
            2 => y = 0,
            3 => y = far,
            4..=6 => {
                // And a quarter next to another one.
                let others = scene.of(index);
                if !others.is_empty() {
                    let other = rng.pick(others);
                    (x, y) = (other.right(), i32::from(other.y));
                }
            }
            _ => {}
        }
        let item = Item { x: x as i16, y: y as i16, shape, color, size };
        let fits = x <= far && y <= far && scene.of(index).iter().all(|other| item.distance(other) >= 0);
        if fits {
            scene.push(index, item);
            return;
        }
    }
}
