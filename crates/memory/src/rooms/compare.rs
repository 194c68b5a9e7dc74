//! A memory of Room A that is compared with Room B: what an agent can do that sees no more than its observation.

use heldout_core::Rng;

use super::layout::{A_END, B_BEGIN, HALF, MIRROR, PASSIVE_Z, TOUCH, Variant};
use super::pattern::{CIRCUMRADIUS, PERIOD};
use super::route::{Route, STRAIGHT_ON, bearing_of, steer};
use super::spot_policies::SHY;
use super::spot_view::{Seen, parse};
use crate::walker::body::{Body, RADIUS, Rect};
use crate::walker::clock::TICKS_PER_STEP;
use crate::walker::controls::Walk;
use crate::walker::policies::swing;

/// Steps of one round of a pattern.
const ROUND: usize = (PERIOD / TICKS_PER_STEP) as usize;
/// Steps of one turn on the spot.
const FULL_TURN: u32 = 30;
/// Metres, and parts of the other scales, up to which two things are the same.
const SAME: f64 = 0.02;
/// Farther than a block moves, nearer than two blocks of one depth are.
const WITHIN_PATH: f64 = 1.65;
/// Steps in Room B after which it takes any block.
const PATIENCE: u32 = 300;
/// Steps in Room B that it watches moving blocks from one place.
const WATCH: u32 = 70;
/// Where it looks at Room B from.
const DOOR: (f64, f64) = (4.0, B_BEGIN + 0.5);
/// Where it watches moving blocks from.
const A_POSTS: [(f64, f64); 2] = [(2.0, 7.3), (6.0, 7.3)];
const B_POSTS: [(f64, f64); 3] = [(4.0, 14.8), (1.5, 15.2), (6.5, 15.2)];

/// A block as it was seen.
#[derive(Clone, Copy, Debug)]
struct Note {
    x: f64,
    z: f64,
    colour: [f32; 3],
    /// East and velocity at each step of a round, where seen.
    motion: [Option<[f64; 3]>; ROUND],
}

/// What has been seen so far.
#[derive(Debug)]
pub(super) struct Notes {
    variant: Variant,
    step: u32,
    turned: u32,
    in_b: u32,
    swing: bool,
    room_a: Vec<Note>,
    /// Blocks of Room B as they were last seen.
    others: Vec<(f64, f64)>,
    target: Option<(f64, f64)>,
    route: Option<Route>,
}

impl Notes {
    /// Nothing yet.
    pub(super) fn new(variant: Variant) -> Self {
        Self {
            variant,
            step: 0,
            turned: 0,
            in_b: 0,
            swing: false,
            room_a: Vec::new(),
            others: Vec::new(),
            target: None,
            route: None,
        }
    }

    /// Takes note of what `row` shows and acts.
    pub(super) fn act(&mut self, row: &[f32], rng: &mut Rng) -> Walk {
        let (body, seen) = parse(self.variant, row);
        for block in seen {
            if block.z < A_END {
                self.note(&block);
            } else if body.z >= A_END {
                // What is seen of Room B before all of Room A was seen could not be judged.
                self.compare(&block);
            }
        }
        let action = self.choose(&body, rng);
        self.step += 1;
        action
    }

    fn moment(&self) -> usize {
        self.step as usize % ROUND
    }

    /// Whether two sightings of one room, by east and north, are of one block.
    fn is_one(&self, a: (f64, f64), b: (f64, f64)) -> bool {
        let across = if self.variant == Variant::Motion { WITHIN_PATH } else { SAME };
        (a.1 - b.1).abs() < SAME && (a.0 - b.0).abs() < across
    }

    /// How far north a block of one room is in the other, if it is at `z` in its own.
    fn opposite(&self, z: f64) -> f64 {
        match (self.variant, z < A_END) {
            (Variant::Passive, true) => PASSIVE_Z[1],
            (Variant::Passive, false) => PASSIVE_Z[0],
            _ => MIRROR - z,
        }
    }

    /// Remembers a block of Room A.
    fn note(&mut self, block: &Seen) {
        let found =
            (0..self.room_a.len()).find(|&i| self.is_one((self.room_a[i].x, self.room_a[i].z), (block.x, block.z)));
        let index = found.unwrap_or_else(|| {
            self.room_a.push(Note { x: block.x, z: block.z, colour: block.colour, motion: [None; ROUND] });
            self.room_a.len() - 1
        });
        let moment = self.moment();
        self.room_a[index].motion[moment] = Some([block.x, block.velocity[0], block.velocity[1]]);
    }

    /// Compares a block of Room B with what is remembered.
    fn compare(&mut self, block: &Seen) {
        if !self.others.iter().any(|&place| self.is_one(place, (block.x, block.z))) {
            self.others.push((block.x, block.z));
        }
        let place = (block.x, self.opposite(block.z));
        let Some(note) = self.room_a.iter().find(|note| self.is_one((note.x, note.z), place)) else { return };
        let differs = if self.variant == Variant::Motion {
            let now = [block.x, block.velocity[0], block.velocity[1]];
            note.motion[self.moment()].is_some_and(|then| then.iter().zip(now).any(|(a, b)| (a - b).abs() > SAME))
        } else {
            note.colour != block.colour
        };
        if differs && self.target.is_none() {
            self.target = Some((block.x, block.z));
            self.route = None;
        }
    }

    fn choose(&mut self, body: &Body, rng: &mut Rng) -> Walk {
        if let Some(target) = self.target {
            return self.approach(target, body);
        }
        if body.z < B_BEGIN {
            return self.look_at_a(body).unwrap_or_else(|| self.go_to_b(body));
        }
        self.in_b += 1;
        if self.in_b > PATIENCE && !self.others.is_empty() {
            self.target = Some(*rng.pick(&self.others));
            self.route = None;
        }
        if body.z < DOOR.1 {
            return self.go_to_b(body);
        }
        if self.variant == Variant::Motion {
            let post = B_POSTS[(self.in_b / WATCH) as usize % B_POSTS.len()];
            return go_and_face(body, post, (4.0, 19.5)).unwrap_or_else(|| swing(&mut self.swing));
        }
        Walk::LookRight
    }

    /// Looks until all of Room A has been seen.
    fn look_at_a(&mut self, body: &Body) -> Option<Walk> {
        let steps = if self.variant == Variant::Motion { 2 * ROUND as u32 } else { FULL_TURN };
        if self.turned >= steps || body.z >= A_END {
            return None;
        }
        if self.variant == Variant::Motion {
            // One round from each side, because one block can hide the other.
            let west = self.turned < ROUND as u32;
            let (post, ahead) = if west { (A_POSTS[0], (4.5, 2.5)) } else { (A_POSTS[1], (3.5, 2.5)) };
            return Some(go_and_face(body, post, ahead).unwrap_or_else(|| {
                self.turned += 1;
                swing(&mut self.swing)
            }));
        }
        self.turned += 1;
        Some(Walk::LookRight)
    }

    fn reach(&self) -> f64 {
        HALF + if self.variant == Variant::Motion { 2.0 * CIRCUMRADIUS } else { 0.0 }
    }

    fn solid(&self) -> Vec<Rect> {
        let reach = self.reach();
        let rect = |note: &Note| Rect::new(note.x - reach, note.z - HALF, note.x + reach, note.z + HALF);
        self.room_a.iter().map(|note| rect(note).grown(RADIUS)).collect()
    }

    fn go_to_b(&mut self, body: &Body) -> Walk {
        let solid = self.solid();
        self.route.get_or_insert_with(|| Route::new((DOOR.0, DOOR.1 + 0.5), &solid)).follow(body)
    }

    /// Goes to the block that differs, around the others.
    fn approach(&mut self, target: (f64, f64), body: &Body) -> Walk {
        if self.route.is_none() {
            let moves = if self.variant == Variant::Motion { CIRCUMRADIUS } else { 0.0 };
            // The ends of what was seen of a path; its middle is no farther than its reach from either.
            let ends = |note: &Note| {
                let seen = note.motion.iter().flatten().map(|at| at[0]);
                seen.fold((note.x, note.x), |(low, high), x| (low.min(x), high.max(x)))
            };
            let mut goal = target;
            let mut forbidden = self.solid();
            for note in &self.room_a {
                let z = self.opposite(note.z);
                let (low, high) = ends(note);
                if self.is_one((note.x, z), target) {
                    goal = (0.5 * (low + high), z);
                } else {
                    let (west, east) = (high - 2.0 * moves - HALF, low + 2.0 * moves + HALF);
                    forbidden.push(Rect::new(west, z - HALF, east, z + HALF).grown(TOUCH + SHY));
                }
            }
            self.route = Some(Route::new(goal, &forbidden));
        }
        self.route.as_ref().map_or(Walk::Forward, |route| route.follow(body))
    }
}

/// The action that brings the walker to `post` and `ahead` before it, unless all that is so.
fn go_and_face(body: &Body, post: (f64, f64), ahead: (f64, f64)) -> Option<Walk> {
    let (dx, dz) = (post.0 - body.x, post.1 - body.z);
    if dx * dx + dz * dz > 0.25 { Some(steer(body, post)) } else { face(body, ahead) }
}

/// The turn that brings a point ahead, unless it is there.
fn face(body: &Body, point: (f64, f64)) -> Option<Walk> {
    let off = bearing_of(body, point);
    if off.abs() <= STRAIGHT_ON {
        return None;
    }
    Some(if off < 0.0 { Walk::LookLeft } else { Walk::LookRight })
}
