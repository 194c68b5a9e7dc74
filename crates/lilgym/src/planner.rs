//! The shortest edit that reaches the goal.
//!
//! TOWER is solved exactly: a box's contents can be reached from any other's by taking blocks away down to the part they
//! share and stacking the rest, boxes do not interact, and so all scenes can be gone through in the order of their
//! distance. SCATTER has too many scenes for that: a beam search steers by how far a program is from being satisfied
//! ([`crate::language::Program::shortfall`]), first over the attributes and places that the program speaks of, then over
//! all.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::action::{Action, Numbers, TOWER_HEIGHT};
use crate::config::{Appearance, Config};
use crate::environment::{LilGym, State};
use crate::geometry::bounds;
use crate::language::Program;
use crate::picture::{HEIGHT, WIDTH};
use crate::rules::Change;
use crate::scene::{BOXES, Color, Scene, Shape, Size};

/// Scenes that a search keeps at each depth: first, and at the second try.
const BEAMS: [usize; 2] = [8, 12];
/// Scenes that a search looks at: first, and at the second try.
const BUDGETS: [u32; 2] = [180_000, 150_000];
/// Columns, and rows, of a box that are tried in a fine grid.
const MOST_LINES: usize = 8;
/// Places that are tried where a program does not speak of places.
const ANY_PLACES: usize = 2;

/// A solution, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The edits, without the STOP that follows them; `None` if none were found.
    pub(crate) edits: Option<Arc<[Action]>>,
    /// Whether it is proven that nothing shorter, or nothing at all, reaches the goal.
    pub(crate) proven: bool,
}

impl Plan {
    /// The return of following it: what the edits cost, and 1; without a solution, that of an immediate STOP. To six
    /// decimals, so that it is written as people write it, and a zero without a sign.
    #[cfg(feature = "files")]
    pub(crate) fn value(&self, step_cost: f32) -> f64 {
        let value = |edits: &[Action]| 1.0 - f64::from(step_cost) * edits.len() as f64;
        self.edits.as_deref().map_or(-1.0, |edits| libm::round(value(edits) * 1e6) / 1e6 + 0.0)
    }
}

impl LilGym {
    /// The best that the planner finds for a problem, from its beginning.
    pub(crate) fn solve(&self, problem: u32) -> Plan {
        let plans = if self.default_physics { &self.corpus.plans } else { &self.plans };
        let find = || {
            let own = &self.corpus.problems[problem as usize];
            plan(self, &self.corpus.statement(problem).program, &own.scene, own.target)
        };
        plans[problem as usize].get_or_init(find).clone()
    }

    /// The best that the planner finds from a state on.
    pub(crate) fn plan(&self, state: &State) -> Plan {
        let program = &self.statement(state).program;
        if state.steps > 0 {
            let left = self.config.horizon.saturating_sub(1 + state.steps);
            return plan_within(self, program, &state.scene, state.target, left);
        }
        if self.config.permute_boxes {
            return plan(self, program, &state.scene, state.target);
        }
        self.solve(state.problem)
    }
}

/// The shortest edit of `scene` found under which `program` has the value `target`.
pub(crate) fn plan(rules: &LilGym, program: &Program, scene: &Scene, target: bool) -> Plan {
    // No more than under the default horizon: longer ones are not searched for, so that solutions can be shared.
    let most = rules.config.horizon.min(Config::default().horizon).saturating_sub(1);
    plan_within(rules, program, scene, target, most)
}

/// The same, within `most` edits.
fn plan_within(rules: &LilGym, program: &Program, scene: &Scene, target: bool, most: u32) -> Plan {
    if program.truth(scene).unwrap_or(false) == target {
        return Plan { edits: Some(Arc::new([])), proven: true };
    }
    match rules.task.appearance {
        Appearance::Tower => Towers::new(rules, scene).solve(program, target, most as usize),
        Appearance::Scatter => {
            let tries = [Search::spoken_of(program), Search::everything()];
            for (search, beam) in tries.into_iter().zip(BEAMS) {
                if let Some(edits) = search.solve(rules, program, scene, target, most, beam) {
                    // One edit is the least there is when none is not enough.
                    return Plan { proven: edits.len() == 1, edits: Some(edits.into()) };
                }
            }
            Plan { edits: None, proven: false }
        }
    }
}

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
struct Towers<'a> {
    rules: &'a LilGym,
    scene: &'a Scene,
    boxes: [Vec<Contents>; BOXES],
}

impl<'a> Towers<'a> {
    fn new(rules: &'a LilGym, scene: &'a Scene) -> Self {
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
        Self { rules, scene, boxes }
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

    fn solve(&self, program: &Program, target: bool, most: usize) -> Plan {
        let costing = |index: usize, cost: usize| {
            let all = &self.boxes[index];
            let from = all.partition_point(|c| c.cost() < cost);
            all[from..].iter().take_while(move |c| c.cost() == cost)
        };
        for total in 0..=most {
            for left in 0..=total {
                for middle in 0..=total - left {
                    for a in costing(0, left) {
                        for b in costing(1, middle) {
                            for c in costing(2, total - left - middle) {
                                let scene = self.scene([a, b, c]);
                                if program.truth(&scene).unwrap_or(false) == target {
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

/// Which additions are tried.
struct Search {
    colors: &'static [Color],
    shapes: &'static [Shape],
    sizes: &'static [Size],
    /// Whether every place is tried, or any that will do.
    everywhere: bool,
    /// Whether this is the second try.
    thorough: bool,
}

/// One scene of a beam.
struct Node {
    far: f32,
    /// Decides among equals, and finds repetitions.
    mark: u64,
    scene: Scene,
    edits: Vec<Action>,
}

impl Search {
    fn spoken_of(program: &Program) -> Self {
        let mentions = program.mentions();
        Self {
            colors: if mentions.color { &Color::ALL } else { &[Color::Yellow] },
            shapes: if mentions.shape { &Shape::ALL } else { &[Shape::Square] },
            sizes: if mentions.size || mentions.place { &Size::ALL } else { &[Size::Small] },
            everywhere: mentions.place,
            thorough: false,
        }
    }

    fn everything() -> Self {
        Self { colors: &Color::ALL, shapes: &Shape::ALL, sizes: &Size::ALL, everywhere: true, thorough: true }
    }

    fn solve(
        &self,
        rules: &LilGym,
        program: &Program,
        scene: &Scene,
        target: bool,
        most: u32,
        width: usize,
    ) -> Option<Vec<Action>> {
        let mut seen = BTreeSet::from([mark(scene)]);
        let mut beam = vec![Node { far: 0.0, mark: 0, scene: *scene, edits: Vec::new() }];
        let mut left = BUDGETS[usize::from(self.thorough)];
        for _ in 0..most {
            let mut children: Vec<Node> = Vec::new();
            for node in &beam {
                let mut found = None;
                self.edits(rules, &node.scene, &mut |action, change| {
                    let mut scene = node.scene;
                    change.apply(&mut scene);
                    let mark = mark(&scene);
                    if !seen.insert(mark) {
                        return false;
                    }
                    left = left.saturating_sub(1);
                    if left == 0 {
                        return true;
                    }
                    let far = program.shortfall(&scene, target).unwrap_or(f32::MAX);
                    if far == 0.0 && program.truth(&scene).unwrap_or(!target) == target {
                        found = Some(action);
                        return true;
                    }
                    // Only what may enter the beam is kept.
                    if children.len() < 4 * width || far <= children.iter().map(|c| c.far).fold(f32::MIN, f32::max) {
                        let edits = node.edits.iter().copied().chain([action]).collect();
                        children.push(Node { far, mark, scene, edits });
                    }
                    if children.len() > 8 * width {
                        cut(&mut children, 4 * width);
                    }
                    false
                });
                if left == 0 {
                    return None;
                }
                if let Some(action) = found {
                    return Some(node.edits.iter().copied().chain([action]).collect());
                }
            }
            cut(&mut children, width);
            beam = children;
        }
        None
    }

    /// Calls `visit` with every edit that is tried, until it says that it is content.
    fn edits(&self, rules: &LilGym, scene: &Scene, visit: &mut dyn FnMut(Action, Change) -> bool) {
        for index in 0..scene.len() {
            if let Some(action) = removal(rules, scene, index)
                && visit(action, Change::Remove(index))
            {
                return;
            }
        }
        for owner in 0..BOXES {
            let (columns, rows) = (lines(rules.numbers, owner), rows(rules.numbers));
            for &shape in self.shapes {
                for &color in self.colors {
                    for &size in self.sizes {
                        let mut places = 0;
                        for (&x, &y) in columns.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
                            let action = Action::Add { x, y, shape, color, size };
                            let Ok(Some(change)) =
                                rules.judge_as(scene, action, self.thorough && rules.config.cell_search)
                            else {
                                continue;
                            };
                            if visit(action, change) {
                                return;
                            }
                            places += 1;
                            if !self.everywhere && places == ANY_PLACES {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Keeps the `width` best.
fn cut(nodes: &mut Vec<Node>, width: usize) {
    nodes.sort_by(|a, b| a.far.total_cmp(&b.far).then(a.edits.len().cmp(&b.edits.len())).then(a.mark.cmp(&b.mark)));
    nodes.truncate(width);
}

/// A number that two scenes share if they hold the same objects in the same places, whatever the order.
fn mark(scene: &Scene) -> u64 {
    let mut sum = 0_u64;
    for index in 0..BOXES {
        for item in scene.of(index) {
            let word = u64::from(item.x as u16)
                | u64::from(item.y as u16) << 16
                | (item.shape as u64) << 32
                | (item.color as u64) << 36
                | (item.size as u64) << 40
                | (index as u64) << 44;
            sum = sum.wrapping_add(heldout_core::Seed(word).derive(0).0);
        }
    }
    sum
}

/// Columns of box `owner`: all, or of a fine grid the outermost and some between.
fn lines(numbers: Numbers, owner: usize) -> Vec<u16> {
    let all: Vec<u16> =
        (0..numbers.columns as u16).filter(|&x| Numbers::owner(numbers.cell(x, 0)) == Some(owner)).collect();
    spread(&all)
}

fn rows(numbers: Numbers) -> Vec<u16> {
    spread(&(0..numbers.rows as u16).collect::<Vec<_>>())
}

/// At most [`MOST_LINES`] of `all`, and, of a fine grid, those at which each size just touches the far wall.
fn spread(all: &[u16]) -> Vec<u16> {
    if all.len() <= MOST_LINES {
        return all.to_vec();
    }
    let last = all.len() - 1;
    let mut some: Vec<u16> = (0..MOST_LINES).map(|i| all[i * last / (MOST_LINES - 1)]).collect();
    for size in Size::ALL {
        some.push(all[all.len() * (100 - size.pixels() as usize) / 100]);
    }
    some.sort_unstable();
    some.dedup();
    some
}

/// A removal that takes item `index`.
fn removal(rules: &LilGym, scene: &Scene, index: usize) -> Option<Action> {
    let place = bounds(&scene.items()[index], scene.box_of(index));
    let numbers = rules.numbers;
    let near = |from: i32, to: i32, all: i32, n: u32| {
        let at = |pixel: i32| (pixel.clamp(0, all - 1) as u32 * n / all as u32).saturating_sub(1) as u16;
        let step = ((to - from) as u32 * n / all as u32 / 6).max(1) as usize;
        (at(from)..=(at(to) + 2).min(n as u16 - 1)).step_by(step)
    };
    let (width, height) = (WIDTH as i32, HEIGHT as i32);
    for x in near(place.left, place.right, width, numbers.columns) {
        for y in near(place.top, place.bottom, height, numbers.rows) {
            let action = Action::Remove { x, y };
            if rules.judge(scene, action) == Ok(Some(Change::Remove(index))) {
                return Some(action);
            }
        }
    }
    None
}
