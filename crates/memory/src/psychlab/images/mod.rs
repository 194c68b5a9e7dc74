//! Images by id: 1 to 2,400, of which even ones train and odd ones are held out.

mod compose;
#[cfg(feature = "files")]
mod files;

use std::sync::OnceLock;

use heldout_core::{ConfigError, Seed, Source, shuffled};
use heldout_render::Rgb;
use heldout_render::panel::Texel;

pub(crate) use compose::Composition;

use crate::level::Stimuli;

/// Images there are.
pub(crate) const COUNT: u16 = 2400;
/// Floats of an image's code.
pub(crate) const CODE: usize = 16;
/// Side of an image on the surface of 64 texels, and on that of 128.
const SMALL: usize = 48;
const MIDDLE: usize = 96;

/// A picture of this many pixels.
type Pixels<const AREA: usize> = [[u8; 3]; AREA];

/// Painted images, each made when it is first shown: the memory is there from the beginning, so that showing one
/// allocates nothing.
struct Bank<const AREA: usize>(OnceLock<Box<[OnceLock<Pixels<AREA>>]>>);

impl<const AREA: usize> Bank<AREA> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn reserve(&self) -> &[OnceLock<Pixels<AREA>>] {
        self.0.get_or_init(|| (0..=COUNT).map(|_| OnceLock::new()).collect())
    }

    fn get(&self, id: u16, side: usize) -> &[[u8; 3]] {
        self.reserve()[usize::from(id)].get_or_init(|| {
            let mut pixels = [[0; 3]; AREA];
            Composition::of(id).paint(side, 2, |at, colour| pixels[at] = colour);
            pixels
        })
    }
}

static SMALL_BANK: Bank<{ SMALL * SMALL }> = Bank::new();
static MIDDLE_BANK: Bank<{ MIDDLE * MIDDLE }> = Bank::new();

/// Where images come from.
#[derive(Debug)]
enum Origin {
    Builtin,
    /// Pixels of all images at the one size that is painted, in the order of the ids.
    #[cfg(feature = "files")]
    Files(Vec<[u8; 3]>),
}

/// The images of one split.
#[derive(Debug)]
pub(crate) struct Images {
    origin: Origin,
    side: usize,
    ids: Vec<u16>,
    content: String,
}

impl Images {
    /// The images of a split: our own if `origin` is `builtin`, else PNG files of that directory. `texels` is the side of
    /// the surface that they are painted on.
    pub(crate) fn open(origin: &str, stimuli: Stimuli, texels: usize) -> Result<Self, ConfigError> {
        let side = texels * 3 / 4;
        // The table is made here: showing an image allocates nothing.
        let _ = code(COUNT);
        if origin == "builtin" {
            if side == SMALL {
                SMALL_BANK.reserve();
            } else if side == MIDDLE {
                MIDDLE_BANK.reserve();
            }
            let ids = (1..=COUNT).filter(|&id| belongs(id, stimuli)).collect();
            return Ok(Self { origin: Origin::Builtin, side, ids, content: compose::VERSION.to_owned() });
        }
        Self::read(origin, stimuli, side)
    }

    #[cfg(feature = "files")]
    fn read(directory: &str, stimuli: Stimuli, side: usize) -> Result<Self, ConfigError> {
        let files::Read { ids, pixels, sha256 } = files::read(directory, stimuli, side)?;
        Ok(Self { origin: Origin::Files(pixels), side, ids, content: sha256 })
    }

    #[cfg(not(feature = "files"))]
    fn read(directory: &str, _: Stimuli, _: usize) -> Result<Self, ConfigError> {
        Err(ConfigError::value("images", directory, "`builtin`: this build cannot read files"))
    }

    /// The ids there are, in order.
    pub(crate) fn ids(&self) -> &[u16] {
        &self.ids
    }

    /// Where the images come from.
    pub(crate) fn source(&self) -> Source {
        Source { name: "images", content: self.content.clone() }
    }

    /// Writes the pixels of an image row by row, each row `stride` after the one before.
    pub(crate) fn paint(&self, id: u16, out: &mut [Texel], stride: usize) {
        let side = self.side;
        let pixels = match &self.origin {
            #[cfg(feature = "files")]
            Origin::Files(all) => {
                let at = self.ids.binary_search(&id).unwrap_or(0);
                &all[at * side * side..][..side * side]
            }
            Origin::Builtin if side == SMALL => SMALL_BANK.get(id, SMALL),
            Origin::Builtin if side == MIDDLE => MIDDLE_BANK.get(id, MIDDLE),
            Origin::Builtin => {
                let put = |at: usize, colour| out[at / side * stride + at % side] = Texel::new(Rgb(colour));
                Composition::of(id).paint(side, 1, put);
                return;
            }
        };
        for (out, row) in out.chunks_mut(stride).zip(pixels.chunks_exact(side)) {
            for (texel, &pixel) in out.iter_mut().zip(row) {
                *texel = Texel::new(Rgb(pixel));
            }
        }
    }
}

fn belongs(id: u16, stimuli: Stimuli) -> bool {
    id.is_multiple_of(2) == (stimuli == Stimuli::Train)
}

/// A fixed random unit vector that stands for an image in symbolic observations.
pub(crate) fn code(id: u16) -> &'static [f32; CODE] {
    static CODES: OnceLock<Vec<[f32; CODE]>> = OnceLock::new();
    let codes = CODES.get_or_init(|| {
        // Signs that a permutation of all of them gives, so that no two are the same; each is a quarter, so that their
        // squares sum to one.
        let seed = Seed(0).stream("memory/image codes");
        let signs = |id: u16| shuffled(seed, id.into(), 1 << CODE);
        let number = |bits: u32, i: usize| if bits >> i & 1 == 1 { 0.25 } else { -0.25 };
        (0..=COUNT).map(|id| std::array::from_fn(|i| number(signs(id), i))).collect()
    });
    &codes[usize::from(id)]
}
