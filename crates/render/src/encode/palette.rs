//! At most 256 colours for a film: its own, or the best of a median cut.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::{Rgb, View};

/// The most colours of a GIF palette.
const COLOURS: usize = 256;
/// The bits of a channel that the histogram keeps.
const BITS: u32 = 5;
/// Bins of the histogram.
const BINS: usize = 1 << (3 * BITS);

/// The colours of a film, and which of them stands for each colour in it.
pub(super) struct Palette {
    colours: Vec<Rgb>,
    /// The colour of each bin of the histogram; empty if `colours` are the film's own, in order.
    nearest: Vec<u8>,
}

impl Palette {
    /// The palette of a film.
    pub(super) fn of(frames: &[View<'_>]) -> Self {
        match exact(frames) {
            Some(colours) => Self { colours: colours.into_iter().collect(), nearest: Vec::new() },
            None => Self::quantised(frames),
        }
    }

    /// The colours, as GIF stores them.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.colours.iter().flat_map(|colour| colour.0).collect()
    }

    /// Replaces `indices` by the places of a frame's pixels in the palette.
    pub(super) fn indices(&self, frame: View<'_>, indices: &mut Vec<u8>) {
        indices.clear();
        if self.nearest.is_empty() {
            // Neighbours are mostly alike, and then need no search.
            let mut last = (self.colours[0].0, 0);
            indices.extend(pixels(frame).iter().map(|&pixel| {
                if pixel != last.0 {
                    // Every pixel's colour is in the palette; it was made from them.
                    last = (pixel, self.colours.binary_search(&Rgb(pixel)).unwrap_or(0) as u8);
                }
                last.1
            }));
        } else {
            indices.extend(pixels(frame).iter().map(|&pixel| self.nearest[bin(pixel)]));
        }
    }

    /// 256 colours by median cut, and the nearest of them for each bin.
    fn quantised(frames: &[View<'_>]) -> Self {
        let mut histogram = vec![Bin::default(); BINS];
        for pixel in frames.iter().flat_map(|frame| pixels(*frame)) {
            histogram[bin(*pixel)].add(*pixel);
        }
        let mut used: Vec<(usize, [u8; 3], Bin)> = (0..BINS)
            .filter(|&index| histogram[index].count > 0)
            .map(|index| (index, histogram[index].mean(), histogram[index]))
            .collect();

        let mut boxes = vec![Cell::new(0, &used)];
        while boxes.len() < COLOURS {
            // Of equally urgent boxes the first is split, so that the order is always the same.
            let Some(place) = (0..boxes.len()).filter(|&place| boxes[place].range > 0).max_by_key(|&place| {
                let cell = &boxes[place];
                (u64::from(cell.range) * cell.count, Reverse(place))
            }) else {
                break;
            };
            let cell = &boxes[place];
            let start = cell.start;
            let (left, right) = cell.split(&mut used);
            boxes[place] = Cell::new(start, &used[start..left]);
            boxes.push(Cell::new(left, &used[left..right]));
        }

        let colours: Vec<Rgb> = boxes
            .iter()
            .map(|cell| {
                let mut sum = Bin::default();
                for (_, _, bin) in &used[cell.start..cell.end] {
                    sum.merge(bin);
                }
                Rgb(sum.mean())
            })
            .collect();
        let mut nearest = vec![0; BINS];
        for (index, mean, _) in &used {
            let place = (0..colours.len()).min_by_key(|&place| (distance(colours[place].0, *mean), place));
            nearest[*index] = place.unwrap_or(0) as u8;
        }
        Self { colours, nearest }
    }
}

/// The colours of a film if it has no more than a palette holds.
fn exact(frames: &[View<'_>]) -> Option<BTreeSet<Rgb>> {
    let mut colours = BTreeSet::new();
    let mut last = None;
    for &pixel in frames.iter().flat_map(|frame| pixels(*frame)) {
        if last != Some(pixel) {
            last = Some(pixel);
            colours.insert(Rgb(pixel));
            if colours.len() > COLOURS {
                return None;
            }
        }
    }
    Some(colours)
}

/// The pixels of one bin of the histogram, or of several.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sums: [u64; 3],
}

impl Bin {
    fn add(&mut self, pixel: [u8; 3]) {
        self.count += 1;
        for (sum, channel) in self.sums.iter_mut().zip(pixel) {
            *sum += u64::from(channel);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
    }

    /// The mean colour, to the nearest byte.
    fn mean(&self) -> [u8; 3] {
        self.sums.map(|sum| ((sum + self.count / 2) / self.count) as u8)
    }
}

/// A box of the median cut: a stretch of the used bins.
struct Cell {
    start: usize,
    end: usize,
    count: u64,
    /// The channel in which the colours differ most (the first of equals), and by how much.
    channel: usize,
    range: u8,
}

impl Cell {
    fn new(start: usize, bins: &[(usize, [u8; 3], Bin)]) -> Self {
        let mut widest = (0, 0);
        for channel in 0..3 {
            let values = || bins.iter().map(|(_, mean, _)| mean[channel]);
            let range = values().max().unwrap_or(0) - values().min().unwrap_or(0);
            if range > widest.1 {
                widest = (channel, range);
            }
        }
        let count = bins.iter().map(|(_, _, bin)| bin.count).sum();
        Self { start, end: start + bins.len(), count, channel: widest.0, range: widest.1 }
    }

    /// Sorts the box's bins along its channel and gives the place where the second half begins, and its end. Neither
    /// half is empty, since a box that is split has at least two bins.
    fn split(&self, used: &mut [(usize, [u8; 3], Bin)]) -> (usize, usize) {
        let bins = &mut used[self.start..self.end];
        bins.sort_unstable_by_key(|(index, mean, _)| (mean[self.channel], *index));
        let (mut before, mut middle) = (bins[0].2.count, 1);
        while middle + 1 < bins.len() && 2 * (before + bins[middle].2.count) <= self.count {
            before += bins[middle].2.count;
            middle += 1;
        }
        (self.start + middle, self.end)
    }
}

fn pixels(frame: View<'_>) -> &[[u8; 3]] {
    frame.pixels().as_chunks().0
}

/// The bin of a colour.
fn bin(pixel: [u8; 3]) -> usize {
    pixel.iter().fold(0, |index, &channel| index << BITS | usize::from(channel >> (8 - BITS)))
}

/// The square of the distance between two colours.
fn distance(first: [u8; 3], second: [u8; 3]) -> u32 {
    first.iter().zip(second).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}
