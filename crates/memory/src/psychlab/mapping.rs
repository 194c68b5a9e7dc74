//! Arbitrary visuomotor mapping: which of four buttons belongs to an image.
//!
//! A block shows every association once. After a block without a mistake there is one association more; the first time that
//! an association is shown, the buttons tell it.

use heldout_core::check::{below, within};
use heldout_core::{ConfigError, Seed, Source, shuffled};
use serde::{Deserialize, Serialize};

use super::config::{MappingConfig, MappingKeys, MappingMiniConfig};
use super::desk::{EDGES, Paint, Places, Side};
use super::gallery::Gallery;
use super::images::{CODE, Images, code};
use super::task::{Notes, Reveal, Scene, Stimulus, Task, Told, unlike};
use crate::level::Level;

/// Most associations: 12 at the end of 75 faultless trials.
const MOST: usize = 16;

/// An image and its button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Association {
    /// The image's id.
    pub(crate) image: u16,
    /// The button that belongs to it.
    pub(crate) side: Side,
    /// Whether it has been shown.
    pub(crate) shown: bool,
}

/// The associations so far, and the block that is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Staircase {
    seed: Seed,
    pub(crate) associations: [Association; MOST],
    pub(crate) count: u8,
    order: [u8; MOST],
    at: u8,
    block: u32,
    faultless: bool,
    /// Whether the current association is shown for the first time.
    first: bool,
}

impl Default for Staircase {
    fn default() -> Self {
        Self {
            seed: Seed(0),
            associations: [Association { image: 0, side: Side::Top, shown: false }; MOST],
            count: 0,
            order: [0; MOST],
            at: 0,
            block: 0,
            faultless: true,
            first: false,
        }
    }
}

impl Staircase {
    /// The association that is asked for.
    pub(crate) fn current(&self) -> &Association {
        &self.associations[usize::from(self.order[usize::from(self.at)])]
    }
}

#[derive(Debug)]
pub(crate) struct Mapping {
    gallery: Gallery,
}

impl Mapping {
    fn images(&self) -> &Images {
        self.gallery.images()
    }

    /// Adds the next association; which one it is depends on how many there are.
    fn add(&self, stairs: &mut Staircase) {
        let number = u32::from(stairs.count);
        let ids = self.images().ids();
        let image = ids[shuffled(stairs.seed.stream("stimuli"), number, ids.len() as u32) as usize];
        let side = *stairs.seed.stream("layout").derive(number.into()).rng().pick(&Side::ALL);
        stairs.associations[usize::from(stairs.count)] = Association { image, side, shown: false };
        stairs.count += 1;
    }

    fn shuffle(stairs: &mut Staircase) {
        let count = usize::from(stairs.count);
        for (slot, number) in stairs.order.iter_mut().zip(0..) {
            *slot = number;
        }
        stairs.seed.stream("order").derive(stairs.block.into()).rng().shuffle(&mut stairs.order[..count]);
        (stairs.at, stairs.faultless) = (0, true);
    }
}

impl Task for Mapping {
    type Trial = Staircase;
    type Keys = MappingKeys;
    type Config = MappingConfig;
    type Mini = MappingMiniConfig;
    const NAME: &'static str = "arbitrary_visuomotor_mapping";
    const REVEAL: Reveal = Reveal::All;
    const GROWS: bool = true;
    const SIDES: &'static [Side] = &Side::ALL;
    const TOLD: Told = Told::Cue;
    const METRIC: Option<&'static str> = Some("associations");

    fn new(keys: &MappingKeys, level: Level, texels: usize) -> Result<Self, ConfigError> {
        Ok(Self { gallery: Gallery::Images(Images::open(&keys.images, level.stimuli, texels)?) })
    }

    fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    fn sources(&self) -> Vec<Source> {
        vec![self.images().source()]
    }

    fn places(&self) -> &Places {
        &EDGES
    }

    fn start(&self, stairs: &mut Staircase, seed: Seed) {
        *stairs = Staircase { seed, ..Staircase::default() };
        self.add(stairs);
        Self::shuffle(stairs);
    }

    fn begin(&self, stairs: &mut Staircase, _: u32) {
        let at = usize::from(stairs.order[usize::from(stairs.at)]);
        stairs.first = !stairs.associations[at].shown;
        stairs.associations[at].shown = true;
    }

    fn end(&self, stairs: &mut Staircase, right: bool) {
        stairs.faultless &= right;
        stairs.at += 1;
        if stairs.at == stairs.count {
            if stairs.faultless && usize::from(stairs.count) < MOST {
                self.add(stairs);
            }
            stairs.block += 1;
            Self::shuffle(stairs);
        }
        stairs.first = false;
    }

    fn check(&self, stairs: &Staircase, begun: u32) -> Result<(), String> {
        within("count", stairs.count, 1..=MOST as u8)?;
        below("at", stairs.at, stairs.count.into())?;
        within("block", stairs.block, 0..=begun)?;
        // Which trials were answered right decides how many associations there are, not which.
        let mut own = Staircase { seed: stairs.seed, ..Staircase::default() };
        for _ in 0..stairs.count {
            self.add(&mut own);
        }
        own.block = stairs.block;
        Self::shuffle(&mut own);
        let known = |stairs: &Staircase| stairs.associations.map(|known| (known.image, known.side));
        if own.order == stairs.order && known(&own) == known(stairs) { Ok(()) } else { Err(unlike()) }
    }

    fn scene(&self, _: &Staircase, _: u8) -> Scene {
        Scene::Choose
    }

    fn stimulus(&self, stairs: &Staircase, _: u8) -> Stimulus {
        Stimulus::Image(stairs.current().image)
    }

    fn answer(&self, stairs: &Staircase) -> Side {
        stairs.current().side
    }

    fn cue(&self, stairs: &Staircase, side: Side) -> Paint {
        match (stairs.first, stairs.current().side == side) {
            (false, _) => Paint::Plain,
            (true, true) => Paint::CueGreen,
            (true, false) => Paint::CueRed,
        }
    }

    fn described(&self) -> usize {
        CODE
    }

    fn describe(&self, stimulus: Stimulus, out: &mut [f32]) {
        if let Stimulus::Image(id) = stimulus {
            out.copy_from_slice(code(id));
        }
    }

    fn learn(&self, seen: &[f32], _: bool, cue: Option<Side>, notes: &mut Notes) {
        if cue.is_some() {
            notes.shown.push((seen.to_vec(), cue));
        }
    }

    fn recall(&self, seen: &[f32], notes: &Notes) -> Option<Side> {
        notes.shown.iter().find(|(known, _)| known == seen).and_then(|(_, side)| *side)
    }

    fn metric(&self, stairs: &Staircase) -> f32 {
        f32::from(stairs.count)
    }
}
