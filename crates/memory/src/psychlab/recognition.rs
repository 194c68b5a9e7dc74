//! Continuous recognition: whether an image has been shown before in the episode.

use heldout_core::{ConfigError, Rng, Seed, Source, shuffled};
use serde::{Deserialize, Serialize};

use super::config::{RecognitionConfig, RecognitionKeys, RecognitionMiniConfig};
use super::desk::{EDGES, Paint, Places, Side};
use super::gallery::Gallery;
use super::images::{CODE, Images, code};
use super::task::{Notes, Reveal, Scene, Stimulus, Task, Told, unlike};
use crate::level::Level;

/// How many images have been shown, and the one that is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stream {
    seed: Seed,
    /// Images shown so far.
    pub(crate) shown: u32,
    /// Which of them it is, in the order of their first time.
    pub(crate) current: u32,
    /// Whether the image is shown for the first time.
    pub(crate) new: bool,
}

#[derive(Debug)]
pub(crate) struct Recognition {
    gallery: Gallery,
    new_side: Side,
}

impl Recognition {
    /// The id of the image that is shown.
    pub(crate) fn image(&self, stream: &Stream) -> u16 {
        let ids = self.gallery.images().ids();
        ids[shuffled(stream.seed.stream("stimuli"), stream.current, ids.len() as u32) as usize]
    }

    fn old_side(&self) -> Side {
        if self.new_side == Side::Left { Side::Right } else { Side::Left }
    }
}

impl Task for Recognition {
    type Trial = Stream;
    type Keys = RecognitionKeys;
    type Config = RecognitionConfig;
    type Mini = RecognitionMiniConfig;
    const NAME: &'static str = "continuous_recognition";
    const REVEAL: Reveal = Reveal::All;
    const GROWS: bool = true;
    const SIDES: &'static [Side] = &[Side::Left, Side::Right];
    const TOLD: Told = Told::Nothing;
    const METRIC: Option<&'static str> = Some("images");

    fn new(keys: &RecognitionKeys, level: Level, texels: usize) -> Result<Self, ConfigError> {
        let gallery = Gallery::Images(Images::open(&keys.images, level.stimuli, texels)?);
        Ok(Self { gallery, new_side: if keys.new_right { Side::Right } else { Side::Left } })
    }

    fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    fn sources(&self) -> Vec<Source> {
        vec![self.gallery.images().source()]
    }

    fn places(&self) -> &Places {
        &EDGES
    }

    fn start(&self, stream: &mut Stream, seed: Seed) {
        *stream = Stream { seed, ..Stream::default() };
    }

    fn begin(&self, stream: &mut Stream, number: u32) {
        let mut rng = stream.seed.stream("order").derive(number.into()).rng();
        stream.new = stream.shown == 0 || rng.chance(0.5);
        if stream.new {
            stream.current = stream.shown;
            stream.shown += 1;
        } else {
            stream.current = rng.below(stream.shown);
        }
    }

    fn check(&self, stream: &Stream, begun: u32) -> Result<(), String> {
        let mut own = Stream { seed: stream.seed, ..Stream::default() };
        for number in 0..begun {
            self.begin(&mut own, number);
        }
        if own == *stream { Ok(()) } else { Err(unlike()) }
    }

    fn scene(&self, _: &Stream, _: u8) -> Scene {
        Scene::Choose
    }

    fn stimulus(&self, stream: &Stream, _: u8) -> Stimulus {
        Stimulus::Image(self.image(stream))
    }

    fn answer(&self, stream: &Stream) -> Side {
        if stream.new { self.new_side } else { self.old_side() }
    }

    fn described(&self) -> usize {
        CODE
    }

    fn describe(&self, stimulus: Stimulus, out: &mut [f32]) {
        if let Stimulus::Image(id) = stimulus {
            out.copy_from_slice(code(id));
        }
    }

    fn learn(&self, seen: &[f32], _: bool, _: Option<Side>, notes: &mut Notes) {
        // The image that is shown now comes last.
        notes.shown.push((seen.to_vec(), None));
    }

    fn recall(&self, seen: &[f32], notes: &Notes) -> Option<Side> {
        let before = notes.shown.split_last().map_or(&[][..], |(_, before)| before);
        let old = before.iter().any(|(known, _)| known == seen);
        Some(if old { self.old_side() } else { self.new_side })
    }

    fn metric(&self, stream: &Stream) -> f32 {
        stream.shown as f32
    }

    fn guess(&self, _: [Option<Paint>; 4], _: &mut Rng) -> Side {
        // Without memory every image is new.
        self.new_side
    }
}
