//! The colours that blocks and balls have, and which of them training never shows.

use heldout_render::Rgb;
use serde::{Deserialize, Serialize};

use crate::level::Stimuli;

macro_rules! colours {
    ($($name:ident $red:literal $green:literal $blue:literal;)*) => {
        /// A colour that can be told from every other of its set: their CIE-Lab distance is at least 18.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub(crate) enum Colour {
            $(#[doc = stringify!($name)] $name,)*
            /// What one of two moving blocks has, in both rooms.
            #[default]
            Neutral,
            /// What the other has: where one is seen before the other, there is an edge between them.
            Dark,
        }

        impl Colour {
            /// As it is drawn, unshaded.
            pub(crate) const fn rgb(self) -> Rgb {
                match self {
                    $(Self::$name => Rgb::new($red, $green, $blue),)*
                    Self::Neutral => Rgb::grey(160),
                    Self::Dark => Rgb::grey(70),
                }
            }
        }
    };
}

// The paper names the colours (Tables 2 and 16); their values are ours. No channel of one that a task holds out is
// beyond what the colours of its training span, black or white among them.
colours! {
    Red 230 25 25;
    Green 30 180 30;
    Blue 30 60 230;
    White 245 245 245;
    Slate 90 105 125;
    Yellow 245 225 25;
    Brown 125 75 35;
    Pink 245 150 190;
    Orange 245 140 20;
    Purple 130 40 170;
    Black 20 20 20;
    Grey 128 128 128;
    Tan 210 180 140;
    Lime 160 230 20;
    Magenta 230 30 200;
    Mint 160 245 200;
    Navy 20 20 110;
    Olive 115 115 20;
    Teal 10 130 130;
    Turquoise 60 215 205;
}

impl Colour {
    /// The colours of blocks in the rooms.
    pub(crate) const fn of_blocks(stimuli: Stimuli) -> [Self; 5] {
        match stimuli {
            Stimuli::Train => [Self::Red, Self::Green, Self::Blue, Self::White, Self::Slate],
            Stimuli::HeldOut => [Self::Yellow, Self::Brown, Self::Pink, Self::Orange, Self::Purple],
        }
    }

    /// The greys of two moving blocks: which of them moves otherwise in Room B has nothing to do with its grey.
    pub(crate) const MOVING: [Self; 2] = [Self::Neutral, Self::Dark];

    /// The colours of the balls of a chain.
    pub(crate) const fn of_chains(stimuli: Stimuli) -> [Self; 10] {
        match stimuli {
            Stimuli::Train => [
                Self::Red,
                Self::Green,
                Self::Blue,
                Self::White,
                Self::Black,
                Self::Pink,
                Self::Orange,
                Self::Purple,
                Self::Grey,
                Self::Tan,
            ],
            Stimuli::HeldOut => [
                Self::Slate,
                Self::Yellow,
                Self::Brown,
                Self::Lime,
                Self::Magenta,
                Self::Mint,
                Self::Navy,
                Self::Olive,
                Self::Teal,
                Self::Turquoise,
            ],
        }
    }

    /// Its name in words.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Red, green and blue from 0 to 1, as symbolic observations have them.
    pub(crate) fn unit(self) -> [f32; 3] {
        self.rgb().0.map(|level| f32::from(level) / 255.0)
    }
}
