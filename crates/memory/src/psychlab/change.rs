//! Change detection: whether an array of objects is the one that was shown before a delay.

use heldout_core::{ConfigError, Rng, Seed, Source};
use serde::{Deserialize, Serialize};

use super::config::{ChangeConfig, ChangeKeys, ChangeMiniConfig};
use super::desk::{Area, BUTTON, Places, Side};
use super::gallery::Gallery;
use super::task::{MOST_OBJECTS, Notes, Object, Objects, Reveal, SHOWN, Scene, Stimulus, Task, Told, by_scale, unlike};
use crate::level::{Level, Stimuli};
use crate::walker::clock::LAB_RATE;

/// Columns and rows of the grid of objects.
pub(crate) const GRID: u8 = 5;
/// Ticks from the second array to the buttons.
pub(crate) const READY: u32 = 8;
/// Floats that describe a cell: present, E, four orientations, red, green, blue.
const CELL: usize = 9;
/// The cells of a plus in the grid: those in the middle column or the middle row.
const PLUS: [u8; 9] = [2, 7, 10, 11, 12, 13, 14, 17, 22];

/// Amethyst, Mallow, Jade, Caramel, Honeydew.
const TRAIN_COLOURS: [[u8; 3]; 5] = [[240, 163, 255], [194, 0, 136], [148, 255, 181], [153, 63, 0], [255, 204, 153]];
/// Violet, Lime, Orange, Sky, Yellow.
const HELD_OUT_COLOURS: [[u8; 3]; 5] = [[116, 10, 255], [157, 204, 0], [255, 164, 5], [94, 241, 242], [255, 255, 0]];
/// Where Orange is among them.
const ORANGE: usize = 2;
/// Pink of the same palette.
const PINK: [u8; 3] = [255, 168, 187];

const SMALL: [u32; 3] = [2, 4, 8];
const LARGE: [u32; 2] = [64, 128];
/// The published training level mixes all of them.
const MIXED: [u32; 5] = [2, 4, 8, 64, 128];
const INTERPOLATE: [u32; 2] = [16, 32];
const EXTRAPOLATE: [u32; 4] = [130, 150, 200, 250];

/// Where a button would be that a task has not.
const NOWHERE: Area = Area { left: 2.0, top: 2.0, right: 2.0, bottom: 2.0 };
/// Two buttons at the lower edge.
const PLACES: Places = [
    NOWHERE,
    NOWHERE,
    Area { left: 0.35, top: 1.0 - BUTTON, right: 0.45, bottom: 1.0 },
    Area { left: 0.55, top: 1.0 - BUTTON, right: 0.65, bottom: 1.0 },
];

/// What objects of a trial may differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    EAll,
    EColour,
    EOrientation,
    SquareColour,
    All,
}

/// What a change may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transform {
    Shape,
    Colour,
    Orientation,
    Place,
}

/// The two arrays and the delay between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arrays {
    seed: Seed,
    /// What is shown first.
    pub(crate) study: Objects,
    /// What is shown after the delay.
    pub(crate) test: Objects,
    /// Ticks of the delay.
    pub(crate) delay: u32,
    /// Whether they differ.
    pub(crate) changed: bool,
}

#[derive(Debug)]
pub(crate) struct Change {
    gallery: Gallery,
    cells: Vec<u8>,
    colours: [[u8; 3]; 5],
    delays: &'static [u32],
    unit: u32,
    different: Side,
}

impl Change {
    /// The button that says whether there is a change.
    fn button(&self, changed: bool) -> Side {
        match (changed, self.different) {
            (true, different) => different,
            (false, Side::Left) => Side::Right,
            (false, _) => Side::Left,
        }
    }

    fn study(&self, domain: Domain, rng: &mut Rng) -> Objects {
        let mut cells = [0; 25];
        let cells = &mut cells[..self.cells.len()];
        cells.copy_from_slice(&self.cells);
        rng.shuffle(cells);
        let count = 1 + rng.below(MOST_OBJECTS as u32) as usize;
        let (orientation, colour) = (rng.below(4) as u8, *rng.pick(&self.colours));
        let mut objects = [None; MOST_OBJECTS];
        for (object, &cell) in objects.iter_mut().zip(cells.iter()).take(count) {
            let (own_orientation, own_colour) = (rng.below(4) as u8, *rng.pick(&self.colours));
            let square = rng.below(2) == 0;
            let (letter, colour) = match domain {
                Domain::EAll => (Some(own_orientation), own_colour),
                Domain::EColour => (Some(orientation), own_colour),
                Domain::EOrientation => (Some(own_orientation), colour),
                Domain::SquareColour => (None, own_colour),
                Domain::All => ((!square).then_some(own_orientation), own_colour),
            };
            *object = Some(Object { cell, letter, colour });
        }
        objects
    }

    /// Changes one attribute of one object.
    fn change(&self, domain: Domain, objects: &mut Objects, rng: &mut Rng) {
        let count = objects.iter().flatten().count();
        let at = rng.below(count as u32) as usize;
        let taken = objects.map(|object| object.map(|object| object.cell));
        let Some(object) = objects[at].as_mut() else { return };
        let legal: &[Transform] = match (domain, object.letter) {
            (Domain::EAll, _) => &[Transform::Colour, Transform::Orientation, Transform::Place],
            (Domain::EColour | Domain::SquareColour, _) => &[Transform::Colour, Transform::Place],
            (Domain::EOrientation, _) => &[Transform::Orientation, Transform::Place],
            (Domain::All, Some(_)) => &[Transform::Shape, Transform::Colour, Transform::Orientation, Transform::Place],
            (Domain::All, None) => &[Transform::Shape, Transform::Colour, Transform::Place],
        };
        match rng.pick(legal) {
            Transform::Shape => {
                object.letter = if object.letter.is_some() { None } else { Some(rng.below(4) as u8) };
            }
            Transform::Colour => {
                let now = self.colours.iter().position(|&colour| colour == object.colour).unwrap_or(0);
                object.colour = self.colours[(now + 1 + rng.below(4) as usize) % 5];
            }
            Transform::Orientation => {
                object.letter = object.letter.map(|letter| (letter + 1 + rng.below(3) as u8) % 4);
            }
            Transform::Place => {
                let number = rng.below((self.cells.len() - count) as u32) as usize;
                let free = self.cells.iter().filter(|&&cell| !taken.contains(&Some(cell)));
                object.cell = *free.clone().nth(number).unwrap_or(&object.cell);
            }
        }
    }
}

impl Task for Change {
    type Trial = Arrays;
    type Keys = ChangeKeys;
    type Config = ChangeConfig;
    type Mini = ChangeMiniConfig;
    const NAME: &'static str = "change_detection";
    const REVEAL: Reveal = Reveal::Entered;
    const SIDES: &'static [Side] = &[Side::Left, Side::Right];
    const MINI_TRIALS: Option<u32> = Some(10);
    const TOLD: Told = Told::Asked;
    /// With the shortest delay of two ticks, the first array is five steps away from the second.
    const MINI_WAIT: u32 = 4;

    fn new(keys: &ChangeKeys, level: Level, _: usize) -> Result<Self, ConfigError> {
        let mut colours = if level.stimuli == Stimuli::Train { TRAIN_COLOURS } else { HELD_OUT_COLOURS };
        if keys.pink && level.stimuli == Stimuli::HeldOut {
            colours[ORANGE] = PINK;
        }
        Ok(Self {
            gallery: Gallery::Shapes,
            cells: if keys.full_grid { (0..GRID * GRID).collect() } else { PLUS.to_vec() },
            colours,
            delays: by_scale(level.scale, [&SMALL, &LARGE, &MIXED, &INTERPOLATE, &EXTRAPOLATE]),
            unit: if keys.delays_in_seconds { LAB_RATE } else { 1 },
            different: if keys.different_right { Side::Right } else { Side::Left },
        })
    }

    fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    fn sources(&self) -> Vec<Source> {
        Vec::new()
    }

    fn places(&self) -> &Places {
        &PLACES
    }

    fn start(&self, arrays: &mut Arrays, seed: Seed) {
        *arrays = Arrays { seed, ..Arrays::default() };
    }

    fn begin(&self, arrays: &mut Arrays, number: u32) {
        let mut rng = arrays.seed.stream("stimuli").derive(number.into()).rng();
        let domains = [Domain::EAll, Domain::EColour, Domain::EOrientation, Domain::SquareColour, Domain::All];
        let domain = *rng.pick(&domains);
        arrays.delay = *rng.pick(self.delays) * self.unit;
        arrays.changed = rng.chance(0.5);
        arrays.study = self.study(domain, &mut rng);
        arrays.test = arrays.study;
        if arrays.changed {
            self.change(domain, &mut arrays.test, &mut rng);
        }
    }

    fn check(&self, arrays: &Arrays, begun: u32) -> Result<(), String> {
        let mut own = Arrays { seed: arrays.seed, ..Arrays::default() };
        if let Some(number) = begun.checked_sub(1) {
            self.begin(&mut own, number);
        }
        if own == *arrays { Ok(()) } else { Err(unlike()) }
    }

    fn scene(&self, arrays: &Arrays, number: u8) -> Scene {
        match number {
            0 => Scene::Show(SHOWN),
            1 => Scene::Blank(arrays.delay),
            2 => Scene::Look,
            3 => Scene::Ready(READY),
            _ => Scene::Choose,
        }
    }

    fn stimulus(&self, arrays: &Arrays, number: u8) -> Stimulus {
        match number {
            0 => Stimulus::Objects(arrays.study),
            1 | 2 => Stimulus::Nothing,
            _ => Stimulus::Objects(arrays.test),
        }
    }

    fn answer(&self, arrays: &Arrays) -> Side {
        self.button(arrays.changed)
    }

    fn learn(&self, seen: &[f32], asked: bool, _: Option<Side>, notes: &mut Notes) {
        if std::mem::take(&mut notes.answered) {
            notes.shown.clear();
        }
        notes.answered = asked;
        if !asked && seen.iter().any(|&x| x != 0.0) {
            notes.shown.push((seen.to_vec(), None));
        }
    }

    fn recall(&self, seen: &[f32], notes: &Notes) -> Option<Side> {
        notes.shown.last().map(|(study, _)| self.button(study != seen))
    }

    fn described(&self) -> usize {
        CELL * self.cells.len()
    }

    fn describe(&self, stimulus: Stimulus, out: &mut [f32]) {
        let Stimulus::Objects(objects) = stimulus else { return };
        for object in objects.iter().flatten() {
            let Some(at) = self.cells.iter().position(|&cell| cell == object.cell) else { continue };
            let out = &mut out[at * CELL..][..CELL];
            out[0] = 1.0;
            if let Some(orientation) = object.letter {
                out[1] = 1.0;
                out[2 + usize::from(orientation)] = 1.0;
            }
            for (out, channel) in out[6..].iter_mut().zip(object.colour) {
                *out = f32::from(channel) / 255.0;
            }
        }
    }
}
