//! Many rays from one eye, by few walks over the grid.
//!
//! All level directions are counted along the sides of a square around the eye, in bins. If the rays at both ends of a bin
//! come by the same cells with something in them, and each thing is met on the same side or passed on the same side, then
//! so does every ray between them: such a cell would have to fit between the two rays, and there they are less than a cell
//! apart. What those cells are is noted once; a ray of the bin computes its own distances from the note. In a bin that
//! holds an edge each ray walks by itself.

use crate::first_person::walk::{Mark, Plan, Walk};

/// Slopes along a side of the square go from minus to plus this: most pictures need one side alone.
const STEEPEST: f32 = 2.0;

/// Bins along a side of the square, and how many are looked at together first.
const BINS: usize = 1024;
const GROUP: usize = 4;
const BINS_PER_SLOPE: f32 = BINS as f32 / (2.0 * STEEPEST);

/// The longest side of a grid: in it two rays a group apart are less than a cell apart, also along its diagonal.
const MAX_CELLS: i32 = 45;

/// Marks of all rays together, and of one ray.
const MARKS: usize = 1024;
const MARKS_OF_RAY: usize = 64;

/// What is known of a bin: nothing yet, that it holds an edge, or from here on the ray whose marks it has.
const UNKNOWN: u16 = 0;
pub(super) const EDGE: u16 = 1;
const RAYS: u16 = 2;

/// A ray at the end of a bin.
#[derive(Clone, Copy, Default)]
struct Ray {
    walked: bool,
    /// Whether all of its marks could be kept.
    whole: bool,
    /// Whether all that it meets is met from outside and as high as the eye: there are no tops to be seen.
    upright: bool,
    count: u8,
    from: u16,
    /// The first ray that was found to have these marks.
    like: u16,
}

/// What the rays of a bin meet, in order.
#[derive(Clone, Copy)]
pub(super) struct Notes<'m> {
    pub(super) marks: &'m [Mark],
    /// Whether all that is met is met from outside and as high as the eye.
    pub(super) upright: bool,
}

/// The rays of one picture, counted from the view axis.
pub(super) struct Fan<'a, 'b> {
    plan: &'b Plan<'a>,
    /// The level direction ahead: east, north.
    ahead: [f32; 2],
    eye: f32,
    bins: [u16; 4 * BINS],
    rays: [Ray; 4 * (BINS + 1)],
    marks: [Mark; MARKS],
    used: usize,
    /// The ray that has marks of its own, of those that walked the last one.
    last: usize,
    /// Walks over the grid so far.
    pub(super) walks: usize,
}

impl<'a, 'b> Fan<'a, 'b> {
    /// `None` where rays must walk by themselves: the grid is too large, or the eye is outside of it or above all walls.
    #[expect(
        clippy::large_stack_arrays,
        reason = "drawing allocates nothing: all of a picture's rays are on the stack"
    )]
    pub(super) fn new(plan: &'b Plan<'a>, ahead: [f32; 2], eye: f32) -> Option<Self> {
        let fits = plan.is_inside() && plan.longest_side() <= MAX_CELLS && eye < plan.tallest;
        fits.then(|| Self {
            plan,
            ahead,
            eye,
            bins: [UNKNOWN; 4 * BINS],
            rays: [Ray::default(); 4 * (BINS + 1)],
            marks: [Mark::default(); MARKS],
            used: 0,
            last: 0,
            walks: 0,
        })
    }

    /// The number of what rays like this one meet, [`EDGE`] if it must walk by itself. The ray goes so far to the right and
    /// ahead, and `slope` is the one by the other.
    #[inline]
    pub(super) fn find(&mut self, right: f32, ahead: f32, slope: f32) -> u16 {
        let (side, slope) = if ahead > 0.0 && slope.abs() <= STEEPEST {
            (0, slope)
        } else if right.abs() >= ahead.abs() {
            (2 + usize::from(right < 0.0), ahead / right.abs())
        } else {
            (1, right / ahead.abs())
        };
        // Straight up or down there is no slope.
        if slope.is_nan() {
            return EDGE;
        }
        let bin = (((slope + STEEPEST) * BINS_PER_SLOPE) as i32 as usize).min(BINS - 1);
        match self.bins[side * BINS + bin] {
            UNKNOWN => self.resolve(side, bin),
            known => known,
        }
    }

    /// What is met by the rays of a number that [`Fan::find`] gave.
    pub(super) fn notes(&self, known: u16) -> Notes<'_> {
        let ray = self.rays[usize::from(known - RAYS)];
        Notes { marks: self.of(ray), upright: ray.upright }
    }

    fn of(&self, ray: Ray) -> &[Mark] {
        &self.marks[usize::from(ray.from)..][..usize::from(ray.count)]
    }

    /// Finds out about a bin, and about its group if that is of one kind.
    #[cold]
    fn resolve(&mut self, side: usize, bin: usize) -> u16 {
        let first = bin / GROUP * GROUP;
        let together = self.agree(side, first, first + GROUP);
        let (low, high) = if together { (first, first + GROUP) } else { (bin, bin + 1) };
        let same = together || self.agree(side, low, high);
        let known = if same { RAYS + self.rays[side * (BINS + 1) + low].like } else { EDGE };
        self.bins[side * BINS + low..side * BINS + high].fill(known);
        known
    }

    /// Whether the rays at two ends meet and pass the same things.
    fn agree(&mut self, side: usize, low: usize, high: usize) -> bool {
        let [a, b] = [low, high].map(|end| self.ray(side, end));
        let alike = |(a, b): (&Mark, &Mark)| a.is_like(b);
        a.whole && b.whole && a.count == b.count && self.of(a).iter().zip(self.of(b)).all(alike)
    }

    /// The ray at an end of a bin.
    fn ray(&mut self, side: usize, end: usize) -> Ray {
        let place = side * (BINS + 1) + end;
        if !self.rays[place].walked {
            let slope = end as f32 / BINS_PER_SLOPE - STEEPEST;
            let [right, forward] = [[slope, 1.0], [slope, -1.0], [1.0, slope], [-1.0, slope]][side];
            let [sine, cosine] = self.ahead;
            let level = [sine * forward + cosine * right, cosine * forward - sine * right];
            let (from, mut count, room) = (self.used, 0, MARKS_OF_RAY.min(MARKS - self.used));
            let (marks, eye, mut upright) = (&mut self.marks[from..from + room], self.eye, true);
            Walk::survey(self.plan, level, self.plan.tallest, |mark| {
                upright &= mark.is_upright(eye);
                if let Some(place) = marks.get_mut(count) {
                    *place = mark;
                }
                count += 1;
            });
            let whole = count <= room;
            self.walks += 1;
            let count = if whole { count } else { 0 };
            let ray = Ray { walked: true, whole, upright, count: count as u8, from: from as u16, like: place as u16 };
            // Neighbours share their marks, so that runs of them are known by one number.
            let last = self.rays[self.last];
            let alike = |(a, b): (&Mark, &Mark)| a.is_like(b);
            let same =
                whole && last.whole && last.count == ray.count && self.of(last).iter().zip(self.of(ray)).all(alike);
            if same {
                self.rays[place] = last;
            } else {
                self.used += count;
                self.rays[place] = ray;
                self.last = place;
            }
        }
        self.rays[place]
    }
}
