//! The edits of a SCATTER scene, one for all that a program cannot tell apart.
//!
//! Programs see of an object its attributes, which walls it touches, and how its bounds lie to those of the other objects
//! of its box; nothing else. Two additions to a box that agree in what a program looks at ([`Looks`]) therefore give the
//! statement the same value, and the one with the lower number stands for both. That is exact for the scene that follows;
//! a further addition may find room beside the one and not beside the other.

use std::collections::BTreeSet;

use crate::action::{Action, Numbers};
use crate::environment::LilGym;
use crate::geometry::bounds;
use crate::language::Looks;
use crate::picture::{HEIGHT, WIDTH};
use crate::rules::Change;
use crate::scene::{BOX_SIDE, Color, Item, Scene, Shape, Size};

/// Columns, and rows, of a box that are tried in a fine grid.
const MOST_LINES: usize = 8;
/// Distances, in pixels, that programs compare with: touching, and closely.
const REACH: [i32; 2] = [1, 4];
/// Heights of the second and the third block of a tower.
const STORIES: [i32; 2] = [21, 42];

/// A valid edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    /// Flat number of its action.
    pub(crate) id: u32,
    pub(crate) change: Change,
}

/// What a program sees of an object in a box.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    attributes: [u8; 3],
    walls: u8,
    /// Its height in a tower, whether it is a square, whether there is room below and above, and then how it lies to each
    /// other object.
    others: Vec<u8>,
}

impl Class {
    /// That of `item`, put into a box of `others`.
    fn of(looks: &Looks, item: &Item, others: &[Item]) -> Self {
        let walls = [0, REACH[1]].iter().fold(0, |bits, margin| {
            let sides = [item.left(), BOX_SIDE - item.right(), item.bottom(), BOX_SIDE - item.top()];
            sides.iter().fold(bits, |bits, gap| bits << 1 | u8::from(gap <= margin))
        });
        let mut lies = Vec::new();
        if looks.others {
            let story = STORIES.iter().position(|&height| height == item.bottom()).map_or(0, |i| i as u8 + 1);
            // A box may become a tower by a square alone. What goes above or below it later needs room there.
            let (square, room) = (item.shape == Shape::Square, Size::Small.pixels());
            let bits = [square, item.bottom() >= room, BOX_SIDE - item.top() >= room];
            lies.push(bits.iter().fold(story, |all, &bit| all << 1 | u8::from(bit)));
            lies.extend(others.iter().map(|other| lie(item, other)));
        }
        Self { attributes: looks.attributes(item), walls: if looks.walls { walls } else { 0 }, others: lies }
    }
}

/// All that programs compare of the bounds of two objects of a box.
fn lie(item: &Item, other: &Item) -> u8 {
    let gaps = [
        item.top() - other.bottom(),
        item.left() - other.right(),
        other.top() - item.bottom(),
        other.left() - item.right(),
    ];
    let bits = [
        item.distance(other) <= REACH[0],
        item.distance(other) <= REACH[1],
        gaps.iter().any(|gap| gap.abs() <= REACH[1]),
        item.top() <= other.bottom(),
        other.top() <= item.bottom(),
        item.top() < other.top(),
        item.top() == other.top(),
        item.right() == other.right(),
    ];
    bits.iter().fold(0, |all, &bit| all << 1 | u8::from(bit))
}

/// The edits of box `owner`, in the order of their numbers; `search`: with what a search of the cell finds.
pub(crate) fn edits(rules: &LilGym, looks: &Looks, scene: &Scene, owner: usize, search: bool) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut known = BTreeSet::new();
    let others = scene.of(owner);
    let blind = !looks.walls && !looks.others;
    for (x, y) in cells(rules.numbers, owner) {
        let mut placed: [[Option<Option<Change>>; 3]; 3] = [[None; 3]; 3];
        for shape in Shape::ALL {
            for color in Color::ALL {
                for size in Size::ALL {
                    // Where places do not count the class is known before the place.
                    let plain = Item { x: 0, y: 0, shape, color, size };
                    if blind && known.contains(&Class::of(looks, &plain, others)) {
                        continue;
                    }
                    let action = Action::Add { x, y, shape, color, size };
                    let judge = || rules.judge_as(scene, action, search).ok().flatten();
                    // Colours make no difference to where an object comes to rest.
                    let change = *placed[shape as usize][size as usize].get_or_insert_with(judge);
                    let Some(Change::Add(_, rest)) = change else { continue };
                    let item = Item { color, ..rest };
                    if known.insert(Class::of(looks, &item, others)) {
                        all.push(Edit { id: rules.numbers.id(action), change: Change::Add(owner, item) });
                    }
                }
            }
        }
    }
    let removals = scene.range(owner).filter_map(|index| {
        let action = removal(rules, scene, index)?;
        Some(Edit { id: rules.numbers.id(action), change: Change::Remove(index) })
    });
    all.extend(removals);
    all.sort_by_key(|edit| edit.id);
    all
}

/// Whether [`edits`] tries every cell of the grid.
pub(crate) fn whole(numbers: Numbers) -> bool {
    (0..crate::scene::BOXES).all(|owner| columns(numbers, owner).len() <= MOST_LINES)
        && rows(numbers).len() <= MOST_LINES
}

/// The cells of box `owner` that are tried.
fn cells(numbers: Numbers, owner: usize) -> impl Iterator<Item = (u16, u16)> {
    let rows = spread(&rows(numbers));
    spread(&columns(numbers, owner)).into_iter().flat_map(move |x| rows.clone().into_iter().map(move |y| (x, y)))
}

fn columns(numbers: Numbers, owner: usize) -> Vec<u16> {
    (0..numbers.columns as u16).filter(|&x| Numbers::owner(numbers.cell(x, 0)) == Some(owner)).collect()
}

fn rows(numbers: Numbers) -> Vec<u16> {
    (0..numbers.rows as u16).collect()
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

/// A removal that takes item `index`, if none must be cleared away first.
pub(super) fn removal(rules: &LilGym, scene: &Scene, index: usize) -> Option<Action> {
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
