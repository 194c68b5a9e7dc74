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
}

impl Relations {
    /// Learns from a new pair how the last one ended, and chooses.
    ///
    /// The same pair again means that the choice was wrong; any other, that it was right.
    pub(crate) fn choose(&mut self, pair: [Shown; 2], rng: &mut Rng) -> Side {
        let [left, right] = pair.map(|colour| self.number(colour));
        if let Some([chosen, other]) = self.last {
            let again = [left, right] == [chosen, other] || [left, right] == [other, chosen];
            let (higher, lower) = if again { (other, chosen) } else { (chosen, other) };
            self.above[higher][lower] = true;
        }
        let side = match (self.is_above(left, right), self.is_above(right, left)) {
            (true, false) => Side::Left,
            (false, true) => Side::Right,
            _ => *rng.pick(&Side::ALL),
        };
        self.last = Some(if side == Side::Left { [left, right] } else { [right, left] });
        side
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
