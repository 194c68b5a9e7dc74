//! The additions of the language-blind shortcut, fitted on a training split.

use std::collections::BTreeSet;

use crate::action::Action;
use crate::blind::placed;
use crate::config::Appearance;
use crate::environment::LilGym;
use crate::scene::Scene;

/// Cells of each of SCATTER's boxes, from its left and top, at which additions are tried.
const CELLS: [u16; 2] = [0, 2];

/// Additions to choose from.
fn candidates(rules: &LilGym) -> Vec<u32> {
    let adds = |id: &u32| match rules.numbers.action(*id) {
        Action::Add { .. } if rules.task.appearance == Appearance::Tower => true,
        Action::Add { x, y, .. } => CELLS.contains(&(x % 7)) && CELLS.contains(&y) && x % 7 == y,
        _ => false,
    };
    (1..rules.numbers.flat()).filter(adds).collect()
}

/// The list of additions under which most problems of `rules` that are to be true become so: a beam of lists, each of
/// which is given each addition in turn.
pub(crate) fn fitted(rules: &LilGym) -> Vec<u32> {
    let corpus = &rules.corpus;
    let rows: Vec<u32> = (0..corpus.problems.len() as u32).filter(|&i| corpus.problems[i as usize].target).collect();
    let width = if rules.task.appearance == Appearance::Tower { 8 } else { 1 };
    let begin: Vec<Scene> = rows.iter().map(|&row| corpus.problems[row as usize].scene).collect();
    let mut beam = vec![(Vec::<u32>::new(), begin)];
    let mut best = (0, Vec::new());
    for _ in 0..6 {
        let mut scored = Vec::new();
        for (list, scenes) in &beam {
            for id in candidates(rules) {
                let after: Vec<Scene> = scenes.iter().map(|scene| added(rules, scene, id)).collect();
                // What never has room says nothing.
                if after == *scenes {
                    continue;
                }
                let right = |(after, row): &(&Scene, &u32)| corpus.statement(**row).program.truth(after) == Ok(true);
                let score = after.iter().zip(&rows).filter(right).count();
                scored.push((score, list.iter().copied().chain([id]).collect::<Vec<_>>(), scenes));
            }
        }
        scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        // Lists that add the same in another order are one.
        let mut known = BTreeSet::new();
        scored.retain(|(_, list, _)| {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            known.insert(sorted)
        });
        scored.truncate(width);
        if scored[0].0 > best.0 {
            best = (scored[0].0, scored[0].1.clone());
        }
        let grown = scored.into_iter().map(|(_, list, scenes)| {
            let last = list[list.len() - 1];
            let scenes = scenes.iter().map(|scene| added(rules, scene, last)).collect();
            (list, scenes)
        });
        beam = grown.collect();
    }
    best.1
}

/// `scene` with an addition, if there is room that is seen in every form of the boxes: a pixel around its square.
fn added(rules: &LilGym, scene: &Scene, id: u32) -> Scene {
    let (mut after, action) = (*scene, rules.numbers.action(id));
    let has_room = placed(rules, action)
        .is_some_and(|(owner, item)| scene.of(owner).iter().all(|other| item.distance(other) >= 1));
    match rules.judge(scene, action) {
        Ok(Some(change)) if has_room => change.apply(&mut after),
        _ => {}
    }
    after
}
