//! Spot the Difference without walking: what is counted and shown.

use super::rooms_common::start;
use super::step;
use crate::mini::spot::{SpotMini, SpotMiniConfig};
use crate::rooms::Variant;
use crate::walker::config::Observation;
use heldout_core::{Environment, FieldMut, Rows};

#[test]
fn accuracy_is_the_share_of_trials_answered_rightly() {
    let env = SpotMini::new(&SpotMiniConfig::default(), Variant::Basic).unwrap();
    let mut mixed = 0;
    for number in 0..10 {
        let mut state = env.start(start(number));
        while !step(&env, &mut state, 0).1.ended() {}
        let mut values = [f32::NAN; 4];
        env.metrics(&state, &mut values);
        let [trials, correct, accuracy, _] = values;
        assert_eq!(accuracy, correct / trials);
        mixed += u32::from(0.0 < accuracy && accuracy < 1.0);
    }
    assert!(mixed > 5);
}

/// Each of two blocks moves in its half of the picture, seven pixels away from the middle at most.
#[test]
fn the_small_picture_shows_how_blocks_move() {
    const SIZE: (i32, i32) = (48, 36);
    let config = SpotMiniConfig { observation: Observation::Pixels, ..SpotMiniConfig::default() };
    let env = SpotMini::new(&config, Variant::Motion).unwrap();
    let fields = &env.spec().observation;
    let (mut most, mut shown) = ([0; 2], 0);
    for number in 0..20 {
        let mut state = env.start(start(number));
        loop {
            let mut picture = vec![0; fields[0].len()];
            env.observe(&state, 0, Rows::new(fields, [FieldMut::U8(&mut picture)]).row(0));
            let (pixels, _) = picture.as_chunks::<3>();
            for half in 0..2 {
                let here = (0..SIZE.1).flat_map(|y| (0..SIZE.0 / 2).map(move |x| (x, y)));
                let block = here.filter(|(x, y)| pixels[(y * SIZE.0 + half * SIZE.0 / 2 + x) as usize] != pixels[0]);
                let block: Vec<(i32, i32)> = block.collect();
                if let (Some(left), Some(top)) = (block.iter().map(|p| p.0).min(), block.iter().map(|p| p.1).min()) {
                    assert_eq!(block.len(), 100, "ten pixels square, and whole");
                    let away = [left + 5 - SIZE.0 / 4, top + 5 - SIZE.1 / 2].map(i32::abs);
                    most = [0, 1].map(|axis| most[axis].max(away[axis]));
                    shown += 1;
                }
            }
            if step(&env, &mut state, 0).1.ended() {
                break;
            }
        }
    }
    assert!(shown > 100);
    assert_eq!(most, [7, 7]);
}
