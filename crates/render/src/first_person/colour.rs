//! Colours in integers: texels, tints and light.

use crate::Rgb;

/// Full strength of a light.
pub(super) const FULL: u32 = 256;

/// A texel as one word, red in the lowest byte.
pub(super) fn pack([red, green, blue]: [u8; 3]) -> u32 {
    u32::from(red) | u32::from(green) << 8 | u32::from(blue) << 16
}

/// What a texel is multiplied by: a tint under a light, each channel from 1 to 256.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tint([u32; 3]);

impl Tint {
    /// `light` is at most [`FULL`]. Under full light white leaves a texel as it is, and a white texel gives the tint:
    /// that is what the one is for.
    pub(super) fn new(tint: Rgb, light: u32) -> Self {
        Self(tint.0.map(|channel| ((u32::from(channel) * light) >> 8) + 1))
    }

    #[inline]
    pub(super) fn apply(self, texel: u32) -> [u8; 3] {
        let [red, green, blue] = self.0;
        [
            (((texel & 255) * red) >> 8) as u8,
            (((texel >> 8 & 255) * green) >> 8) as u8,
            (((texel >> 16 & 255) * blue) >> 8) as u8,
        ]
    }
}

/// A colour under a light that may exceed [`FULL`].
pub(super) fn lit(colour: Rgb, light: u32) -> [u8; 3] {
    colour.0.map(|channel| ((u32::from(channel) * light) >> 8).min(255) as u8)
}

/// A number as a binary fraction of 32 bits, without its integer part: a place within one repetition of a texture.
pub(super) fn turns(number: f32) -> u32 {
    (f64::from(number) * 4_294_967_296.0) as i64 as u32
}
