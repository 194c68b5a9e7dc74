//! TOWER, solved exactly: all scenes in the order of their distance.

use heldout_core::Stop;

use super::Plan;
use crate::action::{Action, TOWER_HEIGHT};
use crate::environment::LilGym;
use crate::language::Program;
use crate::scene::{BOXES, Color, Scene, Shape, Size};

/// What a box may hold, and how to get there.
struct Contents {
    colors: Vec<Color>,
    /// Blocks to take away first.
    removals: usize,
}

impl Contents {
    /// Edits that lead to it, from `kept` blocks on.
    fn cost(&self) -> usize {
        self.removals + self.colors.len()
    }
}

/// All scenes of towers, box by box in the order of their distance.
pub(super) struct Towers<'a> {
    rules: &'a LilGym,
    scene: &'a Scene,
    boxes: [Vec<Contents>; BOXES],
    stop: Stop<'a>,
}

impl<'a> Towers<'a> {
    pub(super) fn new(rules: &'a LilGym, scene: &'a Scene, stop: Stop<'a>) -> Self {
        let boxes = std::array::from_fn(|index| {
            let blocks = scene.of(index);
            let mut all = Vec::new();
            for removals in 0..=blocks.len() {
                let kept = blocks.len() - removals;
                // What comes first after a removal differs from what was removed: else it was not needed.
                let removed = (removals > 0).then(|| blocks[kept].color);
                let mut stacks = vec![Vec::new()];
                let mut next = 0;
                while next < stacks.len() {
                    let stack: Vec<Color> = stacks[next].clone();
                    next += 1;
                    if kept + stack.len() < TOWER_HEIGHT {
                        for color in Color::ALL {
                            if !(stack.is_empty() && removed == Some(color)) {
                                stacks.push(stack.iter().copied().chain([color]).collect());
                            }
                        }
                    }
                    all.push(Contents { colors: stack, removals });
                }
            }
            all.sort_by_key(Contents::cost);
            all
        });
        Self { rules, scene, boxes, stop }
    }

    fn actions(index: usize, contents: &Contents) -> impl Iterator<Item = Action> {
        let x = index as u16;
        let add = move |color: &Color| Action::Add { x, y: 0, shape: Shape::Square, color: *color, size: Size::Medium };
        let stack: Vec<Action> = contents.colors.iter().map(add).collect();
        std::iter::repeat_n(Action::Remove { x, y: 0 }, contents.removals).chain(stack)
    }

    fn scene(&self, chosen: [&Contents; BOXES]) -> Scene {
        let mut scene = Scene::default();
        for (index, contents) in chosen.into_iter().enumerate() {
            let blocks = self.scene.of(index);
            for &block in &blocks[..blocks.len() - contents.removals] {
                scene.push(index, block);
            }
            for &color in &contents.colors {
                let add = Action::Add { x: index as u16, y: 0, shape: Shape::Square, color, size: Size::Medium };
                if let Ok(Some(change)) = self.rules.judge(&scene, add) {
                    change.apply(&mut scene);
                }
            }
        }
        scene
    }

    pub(super) fn solve(&self, program: &Program, target: bool, most: usize) -> Plan {
        let costing = |index: usize, cost: usize| {
            let all = &self.boxes[index];
            let from = all.partition_point(|c| c.cost() < cost);
            all[from..].iter().take_while(move |c| c.cost() == cost)
        };
        // Nothing is farther away than the farthest of each box.
        let farthest = self.boxes.iter().filter_map(|all| all.last()).map(Contents::cost).sum();
        for total in 0..=most.min(farthest) {
            for left in 0..=total {
                for middle in 0..=total - left {
                    for a in costing(0, left) {
                        for b in costing(1, middle) {
                            if (self.stop)() {
                                return Plan { edits: None, proven: false };
                            }
                            for c in costing(2, total - left - middle) {
                                let scene = self.scene([a, b, c]);
                                if program.truth(&scene) == Ok(target) {
                                    let boxes = [a, b, c].into_iter().enumerate();
                                    let edits = boxes.flat_map(|(i, contents)| Self::actions(i, contents)).collect();
                                    return Plan { edits: Some(edits), proven: true };
                                }
                            }
                        }
                    }
                }
            }
        }
        Plan { edits: None, proven: true }
    }
}
