//! SCATTER: exact for a few edits, then a beam.

use std::collections::BTreeSet;

use heldout_core::Stop;

use super::Plan;
use super::canonical::{Edit, edits, removal, whole};
use crate::environment::LilGym;
use crate::language::{Looks, Program};
use crate::rules::Change;
use crate::scene::{BOXES, Scene};

/// Most removals that are tried alone.
const MOST_REMOVALS: usize = 4;
/// Scenes that a beam keeps at each depth and scenes that it looks at: first, and at the second try.
const BEAMS: [(usize, usize); 2] = [(16, 100_000), (64, 200_000)];

/// What is looked for, and under which rules.
pub(super) struct Search<'a> {
    rules: &'a LilGym,
    program: &'a Program,
    target: bool,
    looks: Looks,
    stop: Stop<'a>,
}

/// One scene of a beam.
struct Node {
    far: f32,
    /// Numbers of the edits that lead to it.
    ids: Vec<u32>,
    scene: Scene,
}

impl<'a> Search<'a> {
    pub(super) fn new(rules: &'a LilGym, program: &'a Program, target: bool, stop: Stop<'a>) -> Self {
        Self { rules, program, target, looks: program.looks(), stop }
    }

    /// A solution of `most` edits at the most, from a scene that is none.
    pub(super) fn solve(&self, scene: &Scene, most: usize) -> Plan {
        let whole = whole(self.rules.numbers);
        let plan = |ids: Option<Vec<u32>>, proven| {
            let edits = ids.map(|ids| ids.into_iter().map(|id| self.rules.numbers.action(id)).collect());
            Plan { edits, proven }
        };
        if most == 0 {
            return plan(None, true);
        }
        let firsts: [Vec<Edit>; BOXES] =
            std::array::from_fn(|owner| edits(self.rules, &self.looks, scene, owner, self.rules.config.cell_search));
        if let Some(id) = self.one(scene, &firsts) {
            return plan(Some(vec![id]), true);
        }
        if most == 1 {
            return plan(None, whole);
        }
        if let Some(ids) = self.two(scene, &firsts) {
            // That one is not enough was gone through.
            return plan(Some(ids), whole);
        }
        let removals = self.removals(scene, most);
        // A beam can still find fewer than four.
        let room = removals.as_ref().map_or(most, |ids| ids.len() - 1);
        let beam = || BEAMS.into_iter().find_map(|(width, budget)| self.beam(scene, room, width, budget));
        plan(if room < 3 { removals } else { beam().or(removals) }, false)
    }

    fn is_solution(&self, scene: &Scene) -> bool {
        self.program.truth(scene) == Ok(self.target)
    }

    /// The first edit that is enough.
    fn one(&self, scene: &Scene, firsts: &[Vec<Edit>; BOXES]) -> Option<u32> {
        let solves = |edit: &&Edit| self.is_solution(&after(scene, edit));
        firsts.iter().filter_map(|edits| edits.iter().find(solves)).map(|edit| edit.id).min()
    }

    /// The first two edits that are enough.
    fn two(&self, scene: &Scene, firsts: &[Vec<Edit>; BOXES]) -> Option<Vec<u32>> {
        let mut all: Vec<(usize, &Edit)> =
            firsts.iter().enumerate().flat_map(|(owner, edits)| edits.iter().map(move |edit| (owner, edit))).collect();
        all.sort_by_key(|(_, edit)| edit.id);
        for &(owner, first) in &all {
            if (self.stop)() {
                return None;
            }
            let then = after(scene, first);
            // Edits of different boxes can change places: the lower number goes first.
            let elsewhere = all.iter().filter(|(of, second)| *of != owner && second.id > first.id);
            let elsewhere = elsewhere.map(|(_, second)| Edit { change: beside(scene, first, second), ..**second });
            let own = edits(self.rules, &self.looks, &then, owner, false);
            let solves = |second: &Edit| self.is_solution(&after(&then, second));
            let found = elsewhere.into_iter().find(solves).into_iter().chain(own.into_iter().find(solves));
            if let Some(second) = found.map(|edit| edit.id).min() {
                return Some(vec![first.id, second]);
            }
        }
        None
    }

    /// The fewest removals that are enough, from three on: two were tried before.
    fn removals(&self, scene: &Scene, most: usize) -> Option<Vec<u32>> {
        (3..=MOST_REMOVALS.min(most).min(scene.len())).find_map(|count| {
            let mut chosen: Vec<usize> = (0..count).collect();
            let mut best: Option<Vec<u32>> = None;
            loop {
                if (self.stop)() {
                    return None;
                }
                let mut left = *scene;
                for &index in chosen.iter().rev() {
                    left.remove(index);
                }
                if self.is_solution(&left)
                    && let Some(ids) = self.in_order(scene, &chosen)
                    && best.as_ref().is_none_or(|best| ids < *best)
                {
                    best = Some(ids);
                }
                // The next selection: the last place that can move on does, and those after it follow.
                let Some(at) = (0..count).rev().find(|&at| chosen[at] < scene.len() - (count - at)) else { break };
                let from = chosen[at] + 1;
                for (place, index) in chosen[at..].iter_mut().zip(from..) {
                    *place = index;
                }
            }
            best
        })
    }

    /// Removals that take `chosen`, the first order that does: an item that no cell takes waits until its neighbours among
    /// them are cleared away. Taking one never hinders another.
    fn in_order(&self, scene: &Scene, chosen: &[usize]) -> Option<Vec<u32>> {
        let (mut scene, mut chosen) = (*scene, chosen.to_vec());
        let mut ids = Vec::new();
        while !chosen.is_empty() {
            let number = |index| removal(self.rules, &scene, index).map(|action| self.rules.numbers.id(action));
            let numbered = chosen.iter().filter_map(|&index| Some((number(index)?, index)));
            let (id, index) = numbered.min()?;
            ids.push(id);
            scene.remove(index);
            chosen.retain(|&other| other != index);
            for other in &mut chosen {
                *other -= usize::from(*other > index);
            }
        }
        Some(ids)
    }

    /// The first solution at the least depth at which a beam of `width` meets one.
    fn beam(&self, scene: &Scene, most: usize, width: usize, budget: usize) -> Option<Vec<u32>> {
        let mut seen = BTreeSet::from([contents(scene)]);
        let mut beam = vec![Node { far: 0.0, ids: Vec::new(), scene: *scene }];
        for _ in 0..most {
            let mut children: Vec<Node> = Vec::new();
            let mut found: Option<Vec<u32>> = None;
            for node in &beam {
                for owner in 0..BOXES {
                    if (self.stop)() {
                        return None;
                    }
                    for edit in edits(self.rules, &self.looks, &node.scene, owner, false) {
                        let scene = after(&node.scene, &edit);
                        if !seen.insert(contents(&scene)) {
                            continue;
                        }
                        let far = self.program.shortfall(&scene, self.target).unwrap_or(f32::MAX);
                        let ids: Vec<u32> = node.ids.iter().copied().chain([edit.id]).collect();
                        if far == 0.0 && self.is_solution(&scene) && found.as_ref().is_none_or(|best| ids < *best) {
                            found = Some(ids.clone());
                        }
                        children.push(Node { far, ids, scene });
                    }
                }
                if children.len() > 64 * width {
                    cut(&mut children, width);
                }
            }
            if found.is_some() {
                return found;
            }
            if seen.len() > budget {
                return None;
            }
            cut(&mut children, width);
            beam = children;
        }
        None
    }
}

/// Keeps the `width` best.
fn cut(nodes: &mut Vec<Node>, width: usize) {
    nodes.sort_by(|a, b| a.far.total_cmp(&b.far).then_with(|| a.ids.cmp(&b.ids)));
    nodes.truncate(width);
}

/// `scene` after an edit.
fn after(scene: &Scene, edit: &Edit) -> Scene {
    let mut scene = *scene;
    edit.change.apply(&mut scene);
    scene
}

/// What `second` does after `first`, an edit of another box: a removal's item may have moved on.
fn beside(scene: &Scene, first: &Edit, second: &Edit) -> Change {
    let Change::Remove(index) = second.change else { return second.change };
    Change::Remove(match first.change {
        Change::Add(owner, _) if owner < scene.box_of(index) => index + 1,
        Change::Remove(gone) if gone < index => index - 1,
        _ => index,
    })
}

/// What two scenes share if they hold the same objects in the same places, whatever the order.
fn contents(scene: &Scene) -> Vec<u64> {
    let mut words = Vec::with_capacity(scene.len());
    for owner in 0..BOXES {
        words.extend(scene.of(owner).iter().map(|item| {
            u64::from(item.x as u16)
                | u64::from(item.y as u16) << 16
                | (item.shape as u64) << 32
                | (item.color as u64) << 36
                | (item.size as u64) << 40
                | (owner as u64) << 44
        }));
    }
    words.sort_unstable();
    words
}
