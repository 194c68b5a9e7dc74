//! Colours: three bytes, and names for those that pictures use most.

/// An opaque colour as red, green and blue bytes.
///
/// The order (`Ord`) is that of the bytes; it has no optical meaning and serves sorted containers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// Black, the colour of a new image.
    pub const BLACK: Self = Self([0, 0, 0]);
    /// White at full strength.
    pub const WHITE: Self = Self([255, 255, 255]);
    /// Pure red.
    pub const RED: Self = Self([255, 0, 0]);
    /// Pure green.
    pub const GREEN: Self = Self([0, 255, 0]);
    /// Pure blue.
    pub const BLUE: Self = Self([0, 0, 255]);
    /// Red and green at full strength.
    pub const YELLOW: Self = Self([255, 255, 0]);
    /// Green and blue at full strength.
    pub const CYAN: Self = Self([0, 255, 255]);
    /// Red and blue at full strength.
    pub const MAGENTA: Self = Self([255, 0, 255]);

    /// Nearly black, for text on [`Rgb::PAPER`].
    pub const INK: Self = Self([28, 30, 38]);
    /// Dark bluish grey, for walls and panels.
    pub const SLATE: Self = Self([66, 72, 88]);
    /// Middle grey.
    pub const GREY: Self = Self([128, 132, 140]);
    /// Light grey, for grid lines.
    pub const SILVER: Self = Self([198, 201, 207]);
    /// Warm off-white, for backgrounds.
    pub const PAPER: Self = Self([246, 243, 235]);
    /// Muted red.
    pub const BRICK: Self = Self([200, 68, 60]);
    /// Orange.
    pub const ORANGE: Self = Self([232, 134, 52]);
    /// Golden yellow.
    pub const AMBER: Self = Self([240, 192, 64]);
    /// Muted green.
    pub const LEAF: Self = Self([92, 164, 84]);
    /// Blue-green.
    pub const TEAL: Self = Self([44, 150, 148]);
    /// Light blue.
    pub const SKY: Self = Self([110, 174, 228]);
    /// Strong blue.
    pub const COBALT: Self = Self([56, 96, 184]);
    /// Violet.
    pub const VIOLET: Self = Self([132, 92, 180]);
    /// Pink.
    pub const ROSE: Self = Self([226, 128, 168]);
    /// Brown.
    pub const BARK: Self = Self([132, 88, 60]);

    /// The muted hues in an order that keeps neighbours apart, for numbering players, objects or curves.
    pub const HUES: [Self; 10] = [
        Self::COBALT,
        Self::ORANGE,
        Self::LEAF,
        Self::BRICK,
        Self::VIOLET,
        Self::AMBER,
        Self::TEAL,
        Self::ROSE,
        Self::BARK,
        Self::SKY,
    ];

    /// A colour from its three channels.
    #[must_use]
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// The grey whose three channels are `level`.
    #[must_use]
    pub const fn grey(level: u8) -> Self {
        Self([level; 3])
    }

    /// The colour darkened to `level` 255ths: each channel becomes `channel * level / 255`, rounded to the nearest
    /// integer. There are no ties, since 255 is odd. `shade(255)` is the colour itself and `shade(0)` is black.
    #[must_use]
    pub const fn shade(self, level: u8) -> Self {
        let [red, green, blue] = self.0;
        Self([product(red, level), product(green, level), product(blue, level)])
    }
}

/// `channel * level / 255` to the nearest integer.
const fn product(channel: u8, level: u8) -> u8 {
    ((channel as u16 * level as u16 + 127) / 255) as u8
}
