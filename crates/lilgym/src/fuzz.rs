//! What the fuzz target runs.

use crate::language::Program;
use crate::scene::{BOXES, Color, Item, Scene, Shape, Size};

/// Objects of a scene: as many as NLVR's largest image has.
const MOST_ITEMS: usize = 24;

/// Takes any bytes for a scene and the text of a program, and panics if the language breaks a promise: no text makes the
/// parser or the evaluator panic, and what is printed parses to the same program with the same value.
///
/// The first byte tells how many belong to the scene, four per object. Gives whether the text was a program.
///
/// # Panics
///
/// If a promise is broken.
#[doc(hidden)]
#[must_use]
pub fn fuzz_program(bytes: &[u8]) -> bool {
    let at = usize::from(bytes.first().copied().unwrap_or(0)).min(bytes.len());
    let (objects, text) = bytes.split_at(at);
    let Some(program) = std::str::from_utf8(text).ok().and_then(|text| Program::parse(text).ok()) else {
        return false;
    };
    let scene = scene(objects);
    let truth = program.truth(&scene);
    for wanted in [true, false] {
        let _ = program.shortfall(&scene, wanted);
    }
    let again = Program::parse(&program.to_string()).expect("what is printed is a program");
    assert!(again == program, "{program} is printed as {again}");
    assert_eq!(again.truth(&scene), truth, "{program}");
    true
}

pub(crate) fn scene(bytes: &[u8]) -> Scene {
    let mut scene = Scene::default();
    for &[owner, x, y, kind] in bytes.as_chunks::<4>().0.iter().take(MOST_ITEMS) {
        let pick = |byte: u8| usize::from(byte) % 3;
        let (shape, color, size) = (Shape::ALL[pick(kind)], Color::ALL[pick(kind / 3)], Size::ALL[pick(kind / 9)]);
        scene.push(usize::from(owner) % BOXES, Item { x: i16::from(x) - 20, y: i16::from(y) - 20, shape, color, size });
    }
    scene
}
