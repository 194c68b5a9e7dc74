//! Observations keep to their bounds, and every element of every row is written.

use crate::{MODES, cases, script};
use heldout_core::transcript::observation_crc;
use heldout_core::{Autoreset, Buffers, Dtype, Entry, FieldRef, Options, Reset, RowsRef, Seed, Spec, Status};

/// Fails if an element is out of bounds.
fn check_bounds(name: &str, spec: &Spec, buffers: &Buffers) {
    for (index, field) in spec.observation.iter().enumerate() {
        let inside = |x: f32| x >= field.low && x <= field.high;
        let bad = match buffers.field(index) {
            FieldRef::F32(v) => v.iter().copied().find(|&x| !inside(x)),
            FieldRef::I32(v) => v.iter().map(|&x| x as f32).find(|&x| !inside(x)),
            FieldRef::U8(v) => v.iter().map(|&x| f32::from(x)).find(|&x| !inside(x)),
        };
        assert_eq!(bad, None, "{name}: `{}` must be {} to {}", field.name, field.low, field.high);
    }
}

pub(crate) fn in_bounds_and_written(entry: &'static Entry) {
    for case in cases(entry) {
        // Two runs over memory poisoned differently write the same: an element left alone would differ.
        let (mut one, mut ones) = case.batch(4);
        let (mut two, mut twos) = case.batch(4);
        ones.poison(0x55);
        twos.poison(0xaa);
        one.reset(Reset::seed(Seed(5)), ones.output()).unwrap();
        two.reset(Reset::seed(Seed(5)), twos.output()).unwrap();
        for (step, actions) in script(one.spec(), 4, 300, 9).iter().enumerate() {
            check_bounds(&case.name, one.spec(), &ones);
            let same = (0..one.spec().observation.len()).all(|i| match (ones.field(i), twos.field(i)) {
                (FieldRef::F32(a), FieldRef::F32(b)) => {
                    a.iter().all(|x| x.is_finite()) && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
                }
                (FieldRef::I32(a), FieldRef::I32(b)) => a == b,
                (FieldRef::U8(a), FieldRef::U8(b)) => a == b,
                _ => false,
            });
            assert!(same, "{}: an element was not written before step {step}", case.name);
            assert!(ones.rewards.iter().all(|r| r.is_finite()), "{}: a reward was not written", case.name);
            ones.poison(0x55);
            twos.poison(0xaa);
            one.step(actions, ones.output()).unwrap();
            two.step(actions, twos.output()).unwrap();
        }
    }
}

/// What an agent does not have is zero: padding leaks nothing.
pub(crate) fn padding_is_zero(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(1);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for actions in script(env.spec(), 1, 100, 9) {
            env.step(&actions, buffers.output()).unwrap();
            let spec = env.spec();
            for agent in 0..spec.agents.len() {
                let rows = buffers.rows();
                let row = rows.row(agent);
                for (index, field) in spec.observation.iter().enumerate() {
                    let own = field.shape_for(agent).map_or(vec![0; field.shape.len()], <[usize]>::to_vec);
                    for i in 0..field.len() {
                        let mut rest = i;
                        let inside = field.shape.iter().zip(&own).rev().all(|(&all, &own)| {
                            let at = rest % all;
                            rest /= all;
                            at < own
                        });
                        let zero = match field.dtype {
                            Dtype::F32 => row.f32(index)[i] == 0.0,
                            Dtype::I32 => row.i32(index)[i] == 0,
                            Dtype::U8 => row.u8(index)[i] == 0,
                        };
                        assert!(inside || zero, "{}: agent {agent}, `{}`, element {i}", case.name, field.name);
                    }
                }
            }
        }
    }
}

pub(crate) fn text_is_utf8_and_zero_padded(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(2);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for actions in script(env.spec(), 2, 60, 9) {
            env.step(&actions, buffers.output()).unwrap();
            for (index, field) in env.spec().observation.iter().enumerate().filter(|(_, f)| f.text) {
                for row in 0..2 * env.spec().agents.len() {
                    let rows = buffers.rows();
                    let bytes = rows.row(row).u8(index);
                    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                    assert!(std::str::from_utf8(&bytes[..end]).is_ok(), "{}: `{}`", case.name, field.name);
                    assert!(bytes[end..].iter().all(|&b| b == 0), "{}: `{}`", case.name, field.name);
                }
            }
        }
    }
}

/// What one agent is shown, what it is paid, how the episode stands and what is told of it.
type Shown = (Vec<u32>, Vec<f32>, Status, Vec<f32>);

/// The three autoreset modes show the same episodes: the same rows, first and last ones included.
pub(crate) fn modes_show_the_same_episodes(entry: &'static Entry) {
    for case in cases(entry) {
        let run = |autoreset| {
            let mut env = case.make(1, Options { autoreset, max_steps: Some(40), ..Options::default() });
            let mut buffers = Buffers::with_last(env.spec(), 1);
            let spec = env.spec().clone();
            let seen = |rows: &RowsRef<'_>| {
                (0..spec.agents.len()).map(|a| observation_crc(&spec, a, rows.row(a))).collect::<Vec<_>>()
            };
            env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
            let mut log: Vec<Shown> = Vec::new();
            for actions in script(&spec, 1, 100, 9) {
                buffers.poison(0x55);
                env.step(&actions, buffers.output()).unwrap();
                let (rewards, status) = (buffers.rewards.clone(), buffers.status[0]);
                if !status.ended() {
                    log.push((seen(&buffers.rows()), rewards, status, Vec::new()));
                    continue;
                }
                // The last row of the episode and its metrics, then the first row of the next.
                if autoreset == Autoreset::SameStep {
                    log.push((seen(&buffers.last_rows()), rewards, status, buffers.last_metrics.clone()));
                } else {
                    log.push((seen(&buffers.rows()), rewards, status, buffers.metrics.clone()));
                }
                match autoreset {
                    Autoreset::SameStep => {}
                    Autoreset::NextStep => env.step(&vec![0; spec.action_width()], buffers.output()).unwrap(),
                    Autoreset::Disabled => {
                        env.reset(Reset { mask: Some(&[true]), ..Reset::default() }, buffers.output()).unwrap();
                    }
                }
                log.push((seen(&buffers.rows()), Vec::new(), Status::Running, Vec::new()));
            }
            assert!(log.iter().any(|shown| shown.2.ended()), "{}: no episode ended", case.name);
            (log, env.save(0).unwrap())
        };
        let [next, same, disabled] = MODES.map(run);
        assert!(next == same, "{}", case.name);
        assert!(next == disabled, "{}", case.name);
    }
}

pub(crate) fn metrics_are_finite_at_any_time(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(2);
        let mut values = vec![f32::NAN; env.spec().metrics.len()];
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        for actions in script(env.spec(), 2, 200, 9) {
            for copy in 0..2 {
                values.fill(f32::NAN);
                env.metrics(copy, &mut values).unwrap();
                assert!(values.iter().all(|v| v.is_finite()), "{}: {values:?}", case.name);
            }
            env.step(&actions, buffers.output()).unwrap();
        }
    }
}

/// The picture for people is painted whole.
pub(crate) fn drawing_fills_the_frame(entry: &'static Entry) {
    for case in cases(entry) {
        let (mut env, mut buffers) = case.batch(1);
        env.reset(Reset::seed(Seed(5)), buffers.output()).unwrap();
        let (width, height) = env.spec().frame;
        for actions in script(env.spec(), 1, 20, 9) {
            for agent in 0..env.spec().agents.len() {
                let [one, two] = [0x55, 0xaa].map(|poison| {
                    let mut pixels = vec![poison; width * height * 3];
                    env.draw(0, agent, heldout_core::Frame { width, height, pixels: &mut pixels }).unwrap();
                    pixels
                });
                assert!(one == two, "{}: a pixel was left unpainted", case.name);
                assert!(one.chunks(3).any(|p| p != &one[..3]), "{}: the picture is blank", case.name);
            }
            env.step(&actions, buffers.output()).unwrap();
        }
    }
}
