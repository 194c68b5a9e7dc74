//! What then where: at which edge the digit was that had been shown before.

use heldout_core::{ConfigError, Seed, Source};
use serde::{Deserialize, Serialize};

use super::config::{WhereConfig, WhereKeys, WhereMiniConfig};
use super::desk::{EDGES, Places, Side};
use super::gallery::{BITMAP, Gallery, Glyphs};
use super::task::{Notes, Reveal, SHOWN, Scene, Stimulus, Task, Told, by_scale, unlike};
use crate::level::{Level, Stimuli};
use crate::walker::clock::LAB_RATE;

/// Digits of a level.
const CATEGORIES: u8 = 5;
/// Places that a digit can be in: the middle and the four edges.
const SLOTS: usize = 5;

const SMALL: [u32; 2] = [4, 8];
const LARGE: [u32; 2] = [32, 128];
/// The published training level mixes all of them.
const MIXED: [u32; 4] = [4, 8, 32, 128];
const INTERPOLATE: [u32; 2] = [16, 64];
/// There is no public file of this level: its delays are the paper's.
const EXTRAPOLATE: [u32; 4] = [132, 156, 200, 256];

/// What was shown, where, and after which delays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sought {
    seed: Seed,
    /// The digit to look for.
    pub(crate) what: u8,
    /// The digits at the edges, in the order of [`Side::ALL`].
    pub(crate) edges: [u8; 4],
    /// Ticks of the two delays.
    pub(crate) delays: [u32; 2],
}

#[derive(Debug)]
pub(crate) struct WhatThenWhere {
    gallery: Gallery,
    first: u8,
    delays: &'static [u32],
    unit: u32,
}

impl Task for WhatThenWhere {
    type Trial = Sought;
    type Keys = WhereKeys;
    type Config = WhereConfig;
    type Mini = WhereMiniConfig;
    const NAME: &'static str = "what_then_where";
    const DARK: bool = true;
    const REVEAL: Reveal = Reveal::Entered;
    const SECONDS: u32 = 600;
    const SIDES: &'static [Side] = &Side::ALL;
    const MINI_TRIALS: Option<u32> = Some(5);
    const TOLD: Told = Told::Asked;

    fn new(keys: &WhereKeys, level: Level, texels: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            gallery: Gallery::Digits(Glyphs::open(keys.digits, keys.mnist.as_deref(), texels)?),
            first: if level.stimuli == Stimuli::Train { 0 } else { CATEGORIES },
            delays: by_scale(level.scale, [&SMALL, &LARGE, &MIXED, &INTERPOLATE, &EXTRAPOLATE]),
            unit: if keys.delays_in_seconds { LAB_RATE } else { 1 },
        })
    }

    fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    fn sources(&self) -> Vec<Source> {
        vec![self.gallery.digits().source()]
    }

    fn places(&self) -> &Places {
        &EDGES
    }

    fn start(&self, sought: &mut Sought, seed: Seed) {
        *sought = Sought { seed, ..Sought::default() };
    }

    fn begin(&self, sought: &mut Sought, number: u32) {
        let mut rng = sought.seed.stream("stimuli").derive(number.into()).rng();
        let mut digits: [u8; CATEGORIES as usize] = std::array::from_fn(|i| self.first + i as u8);
        rng.shuffle(&mut digits);
        // Four of five are shown, the one that is sought among them.
        sought.edges.copy_from_slice(&digits[..4]);
        sought.what = *rng.pick(&sought.edges);
        sought.delays = [(); 2].map(|()| *rng.pick(self.delays) * self.unit);
    }

    fn check(&self, sought: &Sought, begun: u32) -> Result<(), String> {
        let mut own = Sought { seed: sought.seed, ..Sought::default() };
        if let Some(number) = begun.checked_sub(1) {
            self.begin(&mut own, number);
        }
        if own == *sought { Ok(()) } else { Err(unlike()) }
    }

    fn scene(&self, sought: &Sought, number: u8) -> Scene {
        match number {
            0 | 2 => Scene::Show(SHOWN),
            1 => Scene::Blank(sought.delays[0]),
            3 => Scene::Blank(sought.delays[1]),
            4 => Scene::Look,
            _ => Scene::Choose,
        }
    }

    fn stimulus(&self, sought: &Sought, number: u8) -> Stimulus {
        match number {
            0 => Stimulus::Digit(sought.what),
            2 => Stimulus::Digits(sought.edges),
            _ => Stimulus::Nothing,
        }
    }

    fn answer(&self, sought: &Sought) -> Side {
        let at = sought.edges.iter().position(|&digit| digit == sought.what);
        Side::ALL[at.unwrap_or(0)]
    }

    fn learn(&self, seen: &[f32], asked: bool, _: Option<Side>, notes: &mut Notes) {
        if std::mem::take(&mut notes.answered) {
            notes.shown.clear();
        }
        notes.answered = asked;
        if seen.iter().any(|&x| x != 0.0) {
            notes.shown.push((seen.to_vec(), None));
        }
    }

    fn recall(&self, _: &[f32], notes: &Notes) -> Option<Side> {
        let in_middle = |(row, _): &&(Vec<f32>, Option<Side>)| row[..BITMAP].iter().any(|&x| x != 0.0);
        let (what, _) = notes.shown.iter().find(in_middle)?;
        let (edges, _) = notes.shown.iter().find(|row| !in_middle(row))?;
        let at = edges[BITMAP..].chunks_exact(BITMAP).position(|digit| *digit == what[..BITMAP])?;
        Some(Side::ALL[at])
    }

    fn described(&self) -> usize {
        SLOTS * BITMAP
    }

    fn describe(&self, stimulus: Stimulus, out: &mut [f32]) {
        match stimulus {
            Stimulus::Digit(digit) => out[..BITMAP].copy_from_slice(self.gallery.digits().bitmap(digit)),
            Stimulus::Digits(digits) => {
                for (digit, out) in digits.into_iter().zip(out[BITMAP..].chunks_exact_mut(BITMAP)) {
                    out.copy_from_slice(self.gallery.digits().bitmap(digit));
                }
            }
            _ => {}
        }
    }
}
