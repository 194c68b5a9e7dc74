//! `cargo +nightly fuzz run lilgym_program`: no text makes the parser or the evaluator panic, and what is printed parses
//! to the same program with the same value.

#![no_main]

use heldout_envs::lilgym::language::Program;
use heldout_envs::lilgym::{Color, Item, Scene, Shape, Size};
use libfuzzer_sys::fuzz_target;

/// A scene from a few bytes.
fn scene(bytes: &[u8]) -> Scene {
    let mut scene = Scene::default();
    for item in bytes.chunks_exact(4).take(12) {
        let pick = |byte: u8| usize::from(byte) % 3;
        scene.push(
            pick(item[0]),
            Item {
                x: i16::from(item[1]) - 20,
                y: i16::from(item[2]) - 20,
                shape: Shape::ALL[pick(item[3])],
                color: Color::ALL[pick(item[3] / 3)],
                size: Size::ALL[pick(item[3] / 9)],
            },
        );
    }
    scene
}

fuzz_target!(|data: &[u8]| {
    let at = usize::from(data.first().copied().unwrap_or(0)).min(data.len());
    let (objects, text) = data.split_at(at);
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(program) = Program::parse(text) else { return };
    let scene = scene(objects);
    let truth = program.truth(&scene);
    for wanted in [true, false] {
        let _ = program.shortfall(&scene, wanted);
    }
    let again = Program::parse(&program.to_string()).expect("what is printed is a program");
    assert!(again == program);
    assert_eq!(again.truth(&scene), truth);
});
