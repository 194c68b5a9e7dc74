//! The walker of the Unity tasks and what can be asked of it.

use crate::walker::body::{Body, RADIUS, Rect, SPEED, TURN, wrap};
use crate::walker::clock::UNITY_RATE;
use crate::walker::controls::{ControlError, Controls, LabControls, RawControls, Walk, decode};
use heldout_core::Seed;

const HALL: Rect = Rect::new(0.0, 0.0, 100.0, 100.0);
const NOTHING: [Rect; 0] = [];

#[test]
fn memory_check_07_raw_actions_are_sticky() {
    let mut controls = Controls::default();
    controls.change(&[("MOVE_BACK_FORWARD", 1.0), ("LOOK_LEFT_RIGHT", -0.5)]).unwrap();
    assert_eq!(controls.values(), [0.0, 1.0, -0.5, 0.0]);
    controls.change(&[("STRAFE_LEFT_RIGHT", 0.25)]).unwrap();
    assert_eq!(controls.values(), [0.25, 1.0, -0.5, 0.0], "what is not given keeps its value");
    controls.change(&[]).unwrap();
    assert_eq!(controls.values(), [0.25, 1.0, -0.5, 0.0]);

    let mut lab = LabControls::default();
    lab.change(&[("LOOK_LEFT_RIGHT_PIXELS_PER_FRAME", -512.0), ("MOVE_BACK_FORWARD", 1.0)]).unwrap();
    lab.change(&[("STRAFE_LEFT_RIGHT", 1.0), ("JUMP", 1.0)]).unwrap();
    assert_eq!(lab.values(), [-512.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn memory_check_07_what_is_out_of_range_is_rejected_by_its_name() {
    for control in Controls::CONTROLS {
        let name = control.name;
        for bad in [-1.000_001, 1.5, f64::NAN, f64::INFINITY] {
            let before = Controls::new([0.5; 4]);
            let mut controls = before;
            let others = Controls::CONTROLS.iter().map(|c| (c.name, if c.name == name { bad } else { 0.1 }));
            let error = controls.change(&others.collect::<Vec<_>>()).unwrap_err();
            assert!(matches!(error, ControlError::Range { name: n, .. } if n == name), "{error}");
            assert_eq!(error.to_string(), format!("`{name}` is `{bad}`, must be -1 to 1"));
            assert_eq!(controls, before, "a call that fails changes nothing");
        }
    }
    let error = Controls::default().change(&[("JUMP", 1.0)]).unwrap_err().to_string();
    assert!(error.contains("`JUMP`") && error.contains("STRAFE_LEFT_RIGHT"), "{error}");
    for (i, control) in LabControls::CONTROLS.iter().enumerate() {
        let above = if i < 2 { 513.0 } else { 2.0 };
        for (bad, what) in [(above, "to"), (0.5, "whole number")] {
            let error = LabControls::default().change(&[(control.name, bad)]).unwrap_err().to_string();
            assert!(error.contains(control.name) && error.contains(what), "{error}");
        }
    }
}

#[test]
fn memory_check_07_the_eight_actions_are_their_raw_vectors() {
    let raw = [
        [0.0, 1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, -1.0, 0.0],
        [0.0, 1.0, 1.0, 0.0],
    ];
    for (i, raw) in raw.into_iter().enumerate() {
        let walk = decode(&Walk::ALL, &[i as i32]).unwrap();
        assert_eq!(walk.controls().values(), raw);
        let [strafe, advance, turn, _] = raw;
        assert_eq!(walk.lab_controls().values(), [20.0 * turn, 0.0, strafe, advance, 0.0, 0.0, 0.0]);
    }
    for none in [&[8][..], &[-1], &[], &[0, 0]] {
        assert!(decode(&Walk::ALL, none).is_none());
    }
}

#[test]
fn speed_rises_by_its_time_constant_and_diagonals_are_not_faster() {
    let mut body = Body::at(50.0, 50.0, 0.0);
    let forward = Walk::Forward.controls();
    // Three ticks are one time constant.
    for _ in 0..3 {
        body.tick(&forward, &HALL, &NOTHING);
    }
    let full = SPEED / f64::from(UNITY_RATE);
    let expected = full * (1.0 - libm::exp(-1.0));
    assert!((body.vz - expected).abs() < 1e-12, "{} after one time constant", body.vz);
    assert_eq!(body.vx, 0.0);
    for controls in [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [0.3, -0.1]] {
        let mut body = Body::at(50.0, 50.0, 33.0);
        let raw = Controls::new([controls[0], controls[1], 0.0, 0.0]);
        (0..200).for_each(|_| body.tick(&raw, &HALL, &NOTHING));
        let speed = libm::hypot(body.vx, body.vz);
        let wanted = full * libm::hypot(controls[0], controls[1]).min(1.0);
        assert!((speed - wanted).abs() < 1e-12, "{controls:?}: {speed}");
    }
}

#[test]
fn a_second_of_turning_is_ninety_degrees_and_pitch_stops_at_87() {
    let mut body = Body::at(50.0, 50.0, 350.0);
    for _ in 0..UNITY_RATE {
        body.tick(&Controls::new([0.0, 0.0, 1.0, 1.0]), &HALL, &NOTHING);
    }
    assert_eq!(body.yaw, 80.0);
    assert_eq!(body.pitch, 87.0);
    (0..100).for_each(|_| body.tick(&Controls::new([0.0, 0.0, -1.0, -1.0]), &HALL, &NOTHING));
    assert_eq!((body.yaw, body.pitch), (wrap(80.0 - 100.0 * TURN), -87.0));
    assert_eq!((body.x, body.z), (50.0, 50.0), "turning does not move");
}

#[test]
fn right_is_east_when_looking_north() {
    for (yaw, dx, dz) in [(0.0, 1.0, 0.0), (90.0, 0.0, -1.0), (180.0, -1.0, 0.0), (270.0, 0.0, 1.0)] {
        let mut body = Body::at(50.0, 50.0, yaw);
        (0..30).for_each(|_| body.tick(&Walk::StrafeRight.controls(), &HALL, &NOTHING));
        let moved = (body.x - 50.0, body.z - 50.0);
        assert!((moved.0 - dx * 1.83).abs() < 0.05 && (moved.1 - dz * 1.83).abs() < 0.05, "{yaw}: {moved:?}");
    }
}

#[test]
fn it_slides_along_a_wall_and_stops_at_it() {
    // North-east against the northern wall: eastward speed stays.
    let bounds = Rect::new(0.0, 0.0, 20.0, 4.0);
    let mut body = Body::at(2.0, 3.0, 45.0);
    (0..150).for_each(|_| body.tick(&Walk::Forward.controls(), &bounds, &NOTHING));
    assert_eq!(body.z, 4.0 - RADIUS);
    let expected = SPEED / 30.0 / libm::sqrt(2.0);
    assert!((body.vx - expected).abs() < 1e-9 && body.vz == 0.0, "{body:?}");
    // The same along the southern side of a solid.
    let solid = [Rect::new(0.0, 4.0, 20.0, 5.0)];
    let mut body = Body::at(2.0, 3.0, 45.0);
    (0..150).for_each(|_| body.tick(&Walk::Forward.controls(), &HALL, &solid));
    assert_eq!(body.z, 4.0 - RADIUS);
    assert!((body.vx - expected).abs() < 1e-9, "{body:?}");
}

#[test]
fn it_goes_round_a_corner_but_not_through_a_gap() {
    let solid = [Rect::new(4.0, 4.0, 6.0, 6.0)];
    // A little beside the middle of the corner: it is led past.
    let mut body = Body::at(3.8, 2.0, 0.0);
    (0..240).for_each(|_| body.tick(&Walk::Forward.controls(), &HALL, &solid));
    assert!(body.z > 8.0 && body.x < 4.0 - RADIUS + 1e-9, "{body:?}");
    // A gap of half a metre is too narrow for 0.6.
    let gap = [Rect::new(0.0, 4.0, 4.75, 5.0), Rect::new(5.25, 4.0, 10.0, 5.0)];
    let mut body = Body::at(5.0, 2.0, 0.0);
    (0..600).for_each(|_| body.tick(&Walk::Forward.controls(), &HALL, &gap));
    assert!(body.z < 4.0, "{body:?}");
    assert!(body.is_free(&HALL, &gap));
}

#[test]
fn a_random_walk_never_overlaps_anything() {
    let mut rng = Seed(7).rng();
    for round in 0..40 {
        let bounds = Rect::new(0.0, 0.0, 10.0, 10.0);
        // Thin walls among them, and pairs that leave narrow gaps.
        let solids: Vec<Rect> = (0..12)
            .map(|i| {
                let (x, z) = (rng.unit() * 9.0, rng.unit() * 9.0);
                let (w, d) = if i % 3 == 0 { (0.2, 2.0) } else { (0.3 + rng.unit(), 0.3 + rng.unit()) };
                Rect::new(x, z, x + w, z + d)
            })
            .collect();
        let mut body = loop {
            let body = Body::at(rng.unit() * 10.0, rng.unit() * 10.0, rng.unit() * 360.0);
            if body.is_free(&bounds, &solids) {
                break body;
            }
        };
        for tick in 0..5000 {
            let before = body;
            let raw: [f64; 4] = std::array::from_fn(|_| rng.unit() * 2.0 - 1.0);
            let controls = if tick % 50 < 40 { Controls::new([0.0, 1.0, 0.0, 0.0]) } else { Controls::new(raw) };
            body.tick(&controls, &bounds, &solids);
            assert!(body.is_free(&bounds, &solids), "round {round}, tick {tick}: {body:?}");
            let step = libm::hypot(body.x - before.x, body.z - before.z);
            assert!(step < RADIUS, "a tick never carries it as far as its own radius: {step}");
        }
    }
}

#[test]
fn degrees_wrap_exactly() {
    assert_eq!(wrap(-3.0), 357.0);
    assert_eq!(wrap(360.0), 0.0);
    assert_eq!(wrap(725.5), 5.5);
    assert_eq!(wrap(-1e-20), 0.0);
}
