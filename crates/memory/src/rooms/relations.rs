//! What can be known of a chain's order from the pairs seen so far.

use heldout_core::Rng;

use super::chain::{MAX_ITEMS, Side};

/// A colour as symbolic observations show it.
type Shown = [f32; 3];

/// Which colour is above which.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    colours: Vec<Shown>,
    above: [[bool; MAX_ITEMS]; MAX_ITEMS],
    /// The pair that was answered last: what was chosen, then the other.
    last: Option<[usize; 2]>,
    /// The pair that is shown: left, then right.
    shown: [usize; 2],
}

impl Relations {
    /// Learns from a new pair how the last one ended, and chooses.
    pub(crate) fn choose(&mut self, pair: [Shown; 2], rng: &mut Rng) -> Side {
        self.see(pair);
        let side = self.known().unwrap_or_else(|| *rng.pick(&Side::ALL));
        self.did(side);
        side
    }

    /// Learns from a new pair how the last one ended.
    ///
    /// The same pair again means that the choice was wrong; any other, that it was right.
    pub(crate) fn see(&mut self, pair: [Shown; 2]) {
        let [left, right] = pair.map(|colour| self.number(colour));
        self.shown = [left, right];
        if let Some([chosen, other]) = self.last {
            let again = [left, right] == [chosen, other] || [left, right] == [other, chosen];
            let (higher, lower) = if again { (other, chosen) } else { (chosen, other) };
            self.above[higher][lower] = true;
        }
    }

    /// The higher item of the pair that is shown, if it can be known.
    pub(crate) fn known(&self) -> Option<Side> {
        let [left, right] = self.shown;
        match (self.is_above(left, right), self.is_above(right, left)) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        }
    }

    /// Remembers which item of the pair was chosen.
    pub(crate) fn did(&mut self, side: Side) {
        let [left, right] = self.shown;
        self.last = Some(if side == Side::Left { [left, right] } else { [right, left] });
    }

    fn number(&mut self, colour: Shown) -> usize {
        if let Some(i) = self.colours.iter().position(|known| *known == colour) {
            return i;
        }
        // No chain has more colours; a stranger takes the last place.
        if self.colours.len() < MAX_ITEMS {
            self.colours.push(colour);
        }
        self.colours.len() - 1
    }

    /// Whether a sequence of known relations leads down from `high` to `low`.
    fn is_above(&self, high: usize, low: usize) -> bool {
        let mut reached = [false; MAX_ITEMS];
        reached[high] = true;
        for _ in 0..MAX_ITEMS {
            for from in 0..MAX_ITEMS {
                for to in 0..MAX_ITEMS {
                    reached[to] |= reached[from] && self.above[from][to];
                }
            }
        }
        high != low && reached[low]
    }
}
