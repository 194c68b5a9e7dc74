//! The language-blind shortcut: how far one gets without reading the sentence.

use heldout_core::{Policy, Rng, RowRef, View};

use crate::action::{Action, Numbers};
use crate::config::{Appearance, Config, Observation};
use crate::environment::{FEATURES, LilGym, TARGET, VIEW};
use crate::geometry::{Rect, bounds, inside};
use crate::picture::{GROUND, HALF_HEIGHT, HALF_WIDTH, WIDTH, spans};
use crate::rules::{TOWER_PITCH, TOWER_X};
use crate::scene::{BOX_PITCH, BOX_SIDE, BOXES, Color, Item, Shape, Size};

/// Additions, by their flat numbers, that make the most statements of a task's training split true from where its problems
/// begin, by [`crate::config::Task::ALL`]: of the built-in corpus as either [`crate::config::Holdout`] divides it, and of the public data
/// (lil-lab/lilgym, 4293653, with the FLIPIT training rows recovered from the pictures).
/// `heldout lilgym fit-blind` fits them anew.
const BUILTIN: [[&[u32]; 4]; 2] = [
    [&[3, 1, 2, 4, 3, 8], &[4, 2, 9, 3, 4, 7], &[11, 968, 1899, 1290, 325, 2218], &[1900, 7, 967, 1270, 2219, 346]],
    [&[1, 3, 2, 9, 1, 5], &[2, 6, 4, 7, 3, 8], &[951, 19, 1903, 1274, 325, 2240], &[1894, 10, 964, 341, 1294, 2215]],
];
const PUBLIC: [&[u32]; 4] =
    [&[1, 5, 5, 9, 7, 9], &[3, 5, 8, 4, 1, 3], &[4, 955, 1277, 1915, 2218], &[949, 1900, 19, 2221, 338, 1285]];

/// SHA-256 of the public files, by which data are known to be those that [`PUBLIC`] was fitted for.
const PUBLIC_FILES: [&str; 11] = [
    "522223210b6b854e288645344ae19d9ee80e611736f40c268c59419c78b57cb2",
    "d86e84fdc6ec0bcfb4ce400d656d350dda499cf52588cdf526c032d239de25cb",
    "89001bb4b4853f39b8d7c338293f9469d76ca38f21112181d2e93bd9e3244e4b",
    "7bac6bc936ccc154a920f1e27fedbd73587f1b9599b2c68435eeb5b3c6c7e066",
    "e9115b8af96d49bf49e251b5c055c1c964fc7395f3a02d42338719e254542c72",
    "c059bede06553f576c25620c1e62f337d4870bf063759f00e1d5ed73b37f114f",
    "41d2f5d8a0efc4eb46db23c0868eeca264e5a0bf48042414811895c7bd59ab3c",
    "27c2c9a341eb3c8a04b4348b7e32de654b3c67d29008151137bb283c0eae594a",
    "a85e9ba7df59c2bc9293e91a882c685d41a7317ec63ddd9f43925cd871001a68",
    "dd8374baeab22ee58a579c571f1aab53c8198e37cad94b8e912c2dbdf5f351a0",
    "84074885daf4f9ef5a6ec988e9d87c93b656552722c13685be558f832427e783",
];

/// The additions for the task and the data of `rules`; nothing for data on whose training split none were fitted.
pub(crate) fn additions(rules: &LilGym) -> Option<&'static [u32]> {
    let lists = if rules.config.data == "builtin" {
        BUILTIN[rules.config.holdout as usize]
    } else {
        let own = &rules.corpus.sources.first()?.content;
        PUBLIC_FILES.contains(&own.as_str()).then_some(PUBLIC)?
    };
    Some(lists[rules.task.number()])
}

/// Clears the boxes when the sentence is to be false; else makes a fixed list of additions, but for those without room. Data
/// for which no list was fitted are refused: another's list would be no floor.
#[derive(Debug, Default)]
pub(crate) struct Blind;

/// Additions and actions so far.
#[derive(Debug, Default)]
pub(crate) struct Done {
    additions: usize,
    actions: u32,
}

impl Policy<LilGym> for Blind {
    type Memory = Done;

    fn check(rules: &LilGym) -> Result<(), String> {
        let (own, default) = (&rules.config.grid, Config::default().grid);
        let told = |grid| serde_json::to_string(grid).unwrap_or_default();
        if *own != default {
            return Err(format!(
                "`grid` is `{}`, must be `{}` for `blind`, whose additions are cells of it",
                told(own),
                told(&default)
            ));
        }
        if additions(rules).is_none() {
            return Err(format!(
                "`data` is `{}`, must be `builtin` or the public files for `blind`, whose additions were fitted on their \
                 training splits",
                rules.config.data
            ));
        }
        Ok(())
    }

    fn remember(&self, _: &LilGym) -> Done {
        Done::default()
    }

    fn act(&self, rules: &LilGym, view: View<'_, LilGym>, done: &mut Done, _: &mut Rng) -> Action {
        let seen = Seen::of(rules, &view.row);
        done.actions += 1;
        if done.actions >= rules.config.horizon {
            return Action::Stop;
        }
        if view.row.u8(TARGET)[0] == 0 {
            return seen.fullest(rules).unwrap_or(Action::Stop);
        }
        let mut rest =
            additions(rules).unwrap_or_default().iter().skip(done.additions).map(|&id| rules.numbers.action(id));
        let next = rest.find(|&action| {
            done.additions += 1;
            seen.has_room(rules, action)
        });
        next.unwrap_or(Action::Stop)
    }
}

/// The boxes as the agent sees them.
struct Seen<'a> {
    pixels: Pixels<'a>,
    width: usize,
    /// Pixels of the whole picture to one of these.
    scale: i32,
}

/// Which pixels are objects'.
enum Pixels<'a> {
    Colours(&'a [[u8; 3]]),
    /// Where the small picture would show the objects of a list: who sees a list does what who sees a picture does.
    Marks(Box<[bool; HALF_WIDTH * HALF_HEIGHT]>),
}

impl<'a> Seen<'a> {
    fn of(rules: &LilGym, row: &RowRef<'a>) -> Self {
        let colours = |width, scale| Self { pixels: Pixels::Colours(row.u8(VIEW).as_chunks().0), width, scale };
        match rules.config.observation {
            Observation::Image => colours(HALF_WIDTH, 2),
            Observation::Full => colours(WIDTH, 1),
            Observation::Objects => {
                let mut marks = Box::new([false; HALF_WIDTH * HALF_HEIGHT]);
                for (owner, item) in items(row.i32(VIEW).as_chunks().0) {
                    let left = BOX_PITCH * owner as i32;
                    let area = Rect { left, top: 0, right: left + BOX_SIDE, bottom: BOX_SIDE };
                    spans(&item, owner, area, |y, from, to| {
                        let columns = (from / 2) as usize..((to + 1) / 2) as usize;
                        marks[(y / 2) as usize * HALF_WIDTH..][columns].fill(true);
                    });
                }
                Self { pixels: Pixels::Marks(marks), width: HALF_WIDTH, scale: 2 }
            }
        }
    }

    /// How many pixels of objects there are from `left` to before `right` in line `y`, in pixels of the whole picture.
    fn in_line(&self, y: i32, left: i32, right: i32) -> usize {
        let columns = (left / self.scale) as usize..((right + self.scale - 1) / self.scale) as usize;
        let start = (y / self.scale) as usize * self.width;
        match &self.pixels {
            Pixels::Colours(rgb) => rgb[start..][columns].iter().filter(|&&pixel| pixel != GROUND).count(),
            Pixels::Marks(marks) => marks[start..][columns].iter().filter(|&&mark| mark).count(),
        }
    }

    /// How many pixels of objects there are within `area` of a box.
    fn within(&self, area: Rect) -> usize {
        let lines = (area.top / self.scale..(area.bottom + self.scale - 1) / self.scale).map(|y| y * self.scale);
        lines.map(|y| self.in_line(y, area.left, area.right)).sum()
    }

    /// Whether nothing is seen where `item` would be in box `owner`.
    fn is_free(&self, item: &Item, owner: usize) -> bool {
        let (mut free, left) = (true, BOX_PITCH * owner as i32);
        // Outlines pass between pixels: one pixel around it must be free too.
        spans(item, owner, bounds(item, owner), |y, from, to| {
            let (from, to) = ((from - 1).max(left), (to + 1).min(left + BOX_SIDE));
            let mut lines = (y - 1).max(0)..=(y + 1).min(BOX_SIDE - 1);
            free &= lines.all(|y| self.in_line(y, from, to) == 0);
        });
        free
    }

    /// The removal where there is most to see; the first among equals.
    fn fullest(&self, rules: &LilGym) -> Option<Action> {
        let mut best: Option<(usize, Action)> = None;
        let rows = rules.numbers.rows as u16;
        for (x, y) in (0..rules.numbers.columns as u16).flat_map(|x| (0..rows).map(move |y| (x, y))) {
            let area = match rules.task.appearance {
                Appearance::Tower => {
                    let left = BOX_PITCH * i32::from(x);
                    Rect { left, top: 0, right: left + BOX_SIDE, bottom: BOX_SIDE }
                }
                Appearance::Scatter => rules.numbers.cell(x, y),
            };
            let seen = if Numbers::owner(area).is_some() { self.within(area) } else { 0 };
            if seen > best.map_or(0, |(most, _)| most) {
                best = Some((seen, Action::Remove { x, y }));
            }
        }
        best.map(|(_, action)| action)
    }

    /// Whether there is room for what `action` adds.
    fn has_room(&self, rules: &LilGym, action: Action) -> bool {
        placed(rules, action).is_some_and(|(owner, item)| inside(&item) && self.is_free(&item, owner))
    }
}

/// The box and the object that `action` adds, before it sticks; of a tower the fourth block, for which there is room as
/// long as there is any.
pub(crate) fn placed(rules: &LilGym, action: Action) -> Option<(usize, Item)> {
    let Action::Add { x, y, shape, color, size } = action else { return None };
    Some(match rules.task.appearance {
        Appearance::Tower => {
            let top = BOX_SIDE as i16 + 1 - 4 * TOWER_PITCH;
            (usize::from(x), Item { x: TOWER_X, y: top, shape: Shape::Square, color, size: Size::Medium })
        }
        Appearance::Scatter => {
            let cell = rules.numbers.cell(x, y);
            let owner = Numbers::owner(cell)?;
            let x = (cell.left - BOX_PITCH * owner as i32) as i16;
            (owner, Item { x, y: cell.top as i16, shape, color, size })
        }
    })
}

/// The objects of a list, with their boxes.
fn items(objects: &[[i32; FEATURES]]) -> impl Iterator<Item = (usize, Item)> {
    let used = objects.iter().take_while(|object| (1..=BOXES as i32).contains(&object[0]));
    used.map(|&[owner, x, y, shape, color, size]| {
        let (shape, color, size) = (Shape::ALL[shape as usize], Color::ALL[color as usize], Size::ALL[size as usize]);
        (owner as usize - 1, Item { x: x as i16, y: y as i16, shape, color, size })
    })
}
