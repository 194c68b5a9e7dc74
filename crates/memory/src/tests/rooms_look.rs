//! What can be told from the pictures of the rooms.

use heldout_core::Environment;
use heldout_render::Image;

use super::rooms::lab;
use super::rooms_common::start;
use crate::rooms::inference::{Inference, InferenceConfig, InferenceState};
use crate::rooms::layout::{AXIS, Room, Variant};
use crate::rooms::pattern::PERIOD;
use crate::rooms::spot::{Spot, SpotConfig, SpotState};
use crate::walker::body::Body;

const WIDTH: usize = 96;
const HEIGHT: usize = 72;
/// Two colours this far apart in CIE-Lab can be told apart: what is asked of two colours of a set.
const APART: f64 = 18.0;

type Pixels = Vec<[u8; 3]>;

fn pixels(image: &Image) -> Pixels {
    image.pixels().as_chunks::<3>().0.to_vec()
}

fn apart(a: [u8; 3], b: [u8; 3]) -> f64 {
    lab(a).iter().zip(lab(b)).map(|(p, q)| (p - q) * (p - q)).sum::<f64>().sqrt()
}

fn balls(rules: &Inference, state: &InferenceState) -> Pixels {
    let mut image = Image::new(WIDTH, HEIGHT);
    rules.picture(state, &mut image.canvas());
    pixels(&image)
}

/// Which pixels show a ball where the walker begins: those that ever differ from the empty room.
fn masks(rules: &Inference) -> [Vec<bool>; 2] {
    let mut mask = vec![false; WIDTH * HEIGHT];
    for episode in 0..20 {
        let mut state = rules.start(start(episode));
        let shown = balls(rules, &state);
        state.blank = 1;
        for (mask, (a, b)) in mask.iter_mut().zip(shown.iter().zip(&balls(rules, &state))) {
            *mask |= a != b;
        }
    }
    [0, 1].map(|side| mask.iter().enumerate().map(|(i, m)| *m && usize::from(i % WIDTH >= WIDTH / 2) == side).collect())
}

#[test]
fn amendment_46_balls_are_eleven_pixels_wide_at_the_beginning() {
    let rules = Inference::new(&InferenceConfig::default(), ()).unwrap();
    for mask in masks(&rules) {
        let across = |row: usize| (0..WIDTH).filter(|x| mask[row * WIDTH + x]).count();
        let down = |column: usize| (0..HEIGHT).filter(|row| mask[row * WIDTH + column]).count();
        let (width, height) = ((0..HEIGHT).map(across).max(), (0..WIDTH).map(down).max());
        assert!(width >= Some(11) && height >= Some(11), "{width:?} x {height:?}");
    }
}

/// All around a ball of any colour, on either floor, the next pixel has another colour.
#[test]
fn amendment_46_no_ball_has_the_colour_of_what_is_behind_it() {
    let mut seen = std::collections::BTreeSet::new();
    for level in ["train", "holdout_extrapolate"] {
        let rules =
            Inference::new(&InferenceConfig { level: level.to_owned(), ..InferenceConfig::default() }, ()).unwrap();
        let masks = masks(&rules);
        for episode in 0..60 {
            let mut state = rules.start(start(episode));
            loop {
                let (image, colours) = (balls(&rules, &state), state.chain.shown());
                for (mask, colour) in masks.iter().zip(colours) {
                    let mut edges = 0;
                    for i in (0..WIDTH * HEIGHT).filter(|&i| mask[i]) {
                        for beside in [i - 1, i + 1, i - WIDTH, i + WIDTH].into_iter().filter(|&i| !mask[i]) {
                            let distance = apart(image[i], image[beside]);
                            assert!(distance >= APART, "{colour:?}: {:?} on {:?}", image[i], image[beside]);
                            edges += 1;
                        }
                    }
                    assert!(edges > 30);
                    seen.insert((colour, state.chain.challenge()));
                }
                if state.chain.challenge() {
                    break;
                }
                state.chain.choose(state.chain.higher());
            }
        }
    }
    assert_eq!(seen.len(), 40, "twenty colours on both floors");
}

fn motion(level: &str) -> Spot {
    Spot::new(&SpotConfig { level: level.to_owned(), ..SpotConfig::default() }, Variant::Motion).unwrap()
}

fn blocks(rules: &Spot, state: &SpotState) -> Pixels {
    let mut image = Image::new(WIDTH, HEIGHT);
    rules.picture(state, &mut image.canvas());
    pixels(&image)
}

/// Which pixels show the block `i` of both: those that change when the block is out of the way.
fn mask(rules: &Spot, state: &SpotState, i: usize) -> Vec<bool> {
    let mut without = state.clone();
    without.layout.blocks[i].x = 1e3;
    blocks(rules, state).iter().zip(blocks(rules, &without)).map(|(a, b)| *a != b).collect()
}

/// From the corridor's axis, where the walker begins and enters, one block is never before the other.
#[test]
fn amendment_46_moving_blocks_never_overlap_seen_from_the_axis() {
    for level in ["train", "holdout_extrapolate"] {
        let rules = motion(level);
        for episode in 0..300 {
            let mut state = rules.start(start(episode));
            for (room, z, yaw) in [(Room::A, 6.0, 180.0), (Room::B, 14.5, 0.0)] {
                for tick in (0..PERIOD).step_by(if episode < 10 { 3 } else { 40 }) {
                    state.tick = tick;
                    let [a, b] = [0, 1].map(|i| state.layout.blocks()[i].footprint(room, tick));
                    assert!((a.x1 < AXIS) != (b.x1 < AXIS) && (a.x0 > AXIS) != (b.x0 > AXIS), "{a:?} {b:?}");
                    if episode < 10 {
                        state.body = Body::at(AXIS, z, yaw);
                        let [a, b] = [0, 1].map(|i| mask(&rules, &state, i));
                        assert!(a.iter().zip(&b).all(|(a, b)| !(*a && *b)));
                        assert!(a.contains(&true) && b.contains(&true));
                    }
                }
            }
        }
    }
}

/// From anywhere: where one block is seen right before the other, there is an edge between them.
#[test]
fn amendment_46_moving_blocks_never_merge_into_one_silhouette() {
    let rules = motion("train");
    let (mut crossed, mut pairs) = (0, 0);
    for episode in 0..40 {
        let mut state = rules.start(start(episode));
        for (x, z) in (0..24).map(|i| (0.4 + 0.31 * f64::from(i), 4.6 + 0.13 * f64::from(i))) {
            state.tick = (7 * episode as u32 + 13 * (10.0 * x) as u32) % PERIOD;
            // Facing the middle of the two.
            let middle =
                state.layout.blocks().iter().map(|b| [b.x, b.z[0]]).fold([0.0; 2], |s, p| [s[0] + p[0], s[1] + p[1]]);
            let (dx, dz) = (middle[0] / 2.0 - x, middle[1] / 2.0 - z);
            state.body = Body::at(x, z, libm::atan2(dx, dz).to_degrees());
            let image = blocks(&rules, &state);
            // A block as it is seen if the other is not there.
            let alone = [0, 1].map(|i| {
                let mut single = state.clone();
                single.layout.blocks[1 - i].x = 1e3;
                mask(&rules, &single, i)
            });
            let overlap = |i: usize| alone[0][i] && alone[1][i];
            crossed += usize::from((0..image.len()).any(overlap));
            // Whose pixel it is: the one whose absence changes it.
            let shown = [0, 1].map(|i| mask(&rules, &state, i));
            for i in 0..image.len() - WIDTH {
                for beside in [i + 1, i + WIDTH] {
                    if (shown[0][i] && shown[1][beside]) || (shown[1][i] && shown[0][beside]) {
                        pairs += 1;
                        assert!(apart(image[i], image[beside]) >= APART, "{:?} {:?}", image[i], image[beside]);
                    }
                }
            }
        }
    }
    assert!(crossed > 50 && pairs > 200, "{crossed} {pairs}");
}
