//! The picture of `s2b/recall-v1`.

use super::batch;
use heldout_core::{Frame, Reset, Seed, VecEnv};
use serde_json::json;

/// In every game, on every dimension, a dot stands where the number of the meaning shown lies from -1 to 1; then the
/// dimension that is asked for is framed.
#[test]
fn the_picture_of_recall_marks_what_is_shown_and_asked() {
    let (mut env, mut buffers) = batch("s2b/recall-v1", &json!({"samples": 2, "max_games_per_shot": 4}), 1);
    let (width, height) = env.spec().frame;
    env.reset(Reset::seed(Seed(3)), buffers.output()).unwrap();
    let mut games = 0;
    let picture = |env: &dyn VecEnv| {
        let mut pixels = vec![0; width * height * 3];
        env.draw(0, 0, Frame { width, height, pixels: &mut pixels }).unwrap();
        pixels
    };
    while !buffers.status[0].ended() {
        let pixels = picture(&*env);
        for (dim, x) in buffers.rows().row(0).f32(0).iter().enumerate() {
            let at = 10 + dim * 160 + libm::roundf((x + 1.0) * 75.0) as usize;
            assert_eq!(pixels[3 * (106 * width + at)..][..3], heldout_render::Rgb::SLATE.0, "game {games}, {dim}");
        }
        env.step(&[0], buffers.output()).unwrap();
        let pixels = picture(&*env);
        for (dim, x) in buffers.rows().row(0).f32(0).iter().enumerate() {
            let corner = &pixels[3 * (46 * width + 7 + dim * 160)..][..3];
            assert_eq!(corner == heldout_render::Rgb::BRICK.0, *x == 1.0, "game {games}, {dim}");
        }
        env.step(&[0], buffers.output()).unwrap();
        games += 1;
    }
    assert_eq!(games, 2 * 4);
}
