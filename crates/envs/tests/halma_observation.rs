//! HALMA: acceptance checks 11 to 13, what is seen.

mod halma;

use halma::{TEST_LAW, TRAIN_LAW};
use heldout_core::{Batch, Buffers, Environment, Options, Reset, Seed, Start, VecEnv};
use heldout_envs::digits::{Digits, Hand, Source, resize};
use heldout_envs::halma::config::Pixels;
use heldout_envs::halma::generate::{Split, maze_set};
use heldout_envs::halma::maze::{Cell, Direction, Symmetry};
use heldout_envs::halma::observation::{DIGITS, GOAL_X, HINT, ROWS, VALUES, View};
use heldout_envs::halma::panel::{GOAL_COLOURS, HINT_COLOUR, PANEL, WALL_COLOURS, colour};
use heldout_envs::halma::policies::Entries;
use heldout_envs::halma::rules::State;
use heldout_envs::halma::{Symbolic, SymbolicConfig, Visual, VisualConfig};

#[test]
fn halma_check_11_views_are_right_and_can_be_read_back() {
    for (law, split) in [(TRAIN_LAW, Split::Train), (TEST_LAW, Split::Test)] {
        for maze in maze_set(&law, split, 200, Seed(0)) {
            let ways = maze.ways();
            for cell in maze.cells() {
                let view = View::of(&maze, &ways, cell);
                for d in Direction::ALL {
                    let (mut at, mut wall, mut crossing) = (cell, 0, 0);
                    while maze.is_passage(at, d) {
                        at = at.moved(d, 1).unwrap();
                        wall += 1;
                        if crossing == 0 && maze.is_crossing(at) {
                            crossing = wall;
                        }
                    }
                    assert_eq!((view.wall(d), view.crossing(d)), (wall, crossing));
                    // Of two digits of a colour, the crossing is not the greater.
                    assert!(view.crossing(d) == 0 || view.crossing(d) <= view.wall(d));
                }
                assert_eq!(view.goal(), (maze.goal().x() - cell.x(), maze.goal().y() - cell.y()));
                for width in [VALUES, VALUES + 10, VALUES + 11] {
                    let mut rows = vec![f32::NAN; ROWS * width];
                    view.write_one_hot(width, &mut rows);
                    for (i, row) in rows.chunks_exact(width).enumerate() {
                        assert_eq!(row[..VALUES].iter().sum::<f32>(), 1.0);
                        let named: Vec<f32> = (VALUES..width).map(|c| f32::from(c == VALUES + i)).collect();
                        assert_eq!(row[VALUES..], named);
                    }
                    assert_eq!(View::read_one_hot(width, &rows), view);
                }
            }
        }
    }
    for (form, index_width, shape) in [
        ("one_hot", 11, vec![11, 19]),
        ("indexed", 11, vec![11, 30]),
        ("indexed", 10, vec![11, 29]),
        ("compact", 11, vec![11]),
    ] {
        let config = serde_json::json!({"observation": form, "index_width": index_width, "mazes": 3});
        let config: SymbolicConfig = serde_json::from_value(config).unwrap();
        assert_eq!(Symbolic::new(&config).unwrap().spec().observation[0].shape, shape);
    }
}

/// The state of a visual environment in a cell of a maze.
fn state_at(env: &Visual, maze: u32, cell: Cell) -> State {
    let start = Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(maze) };
    let mut value = serde_json::to_value(env.start(start)).unwrap();
    value["at"] = cell.index().into();
    serde_json::from_value(value).unwrap()
}

/// Asserts that every panel shows the entries of its cell, in images of the digits that belong to its split.
fn check_panels(config: &VisualConfig) {
    let env = Visual::new(config).unwrap();
    let again = Visual::new(config).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let field = &env.spec().observation[0];
    assert_eq!((field.shape.as_slice(), field.low, field.high), (&[PANEL, PANEL, 3][..], 0.0, 1.0));
    let hand = if config.split == Split::Train { Hand::Train } else { Hand::Test };
    let digits = Digits::open(config.digits, hand, None).unwrap();
    assert_eq!(env.spec().sources[0].content, digits.content());
    for (m, maze) in env.rules().mazes().iter().enumerate() {
        for cell in maze.cells() {
            let state = state_at(&env, m as u32, cell);
            let view = *env.rules().seen(&state);
            let layout = env.layout(&state);
            let glyphs = layout.glyphs();
            let shown = view.0.iter().filter(|&&n| n != 0).count();
            assert_eq!(glyphs.len(), shown);
            let mut panel = vec![f32::NAN; PANEL * PANEL * 3];
            env.panels().write(m as u32, cell.index(), &mut panel);
            assert!(panel.iter().all(|x| (0.0..=1.0).contains(x)));
            let mut same = vec![f32::NAN; PANEL * PANEL * 3];
            again.panels().write(m as u32, cell.index(), &mut same);
            assert!(panel == same, "a panel is fixed for its maze and cell");
            env.panels().write_layout(&view, &layout, &mut same);
            assert!(panel == same, "patches show what glyphs say");
            env.observe(&state, 0, buffers.output().rows.row(0));
            assert!(buffers.rows().row(0).f32(0) == panel, "the panel is what is observed");
            let mut left = panel.clone();
            for (i, glyph) in glyphs.iter().enumerate() {
                let (x, y, side) = (usize::from(glyph.x), usize::from(glyph.y), usize::from(glyph.side));
                assert!((20..=31).contains(&side) && x + side <= PANEL && y + side <= PANEL);
                for b in &glyphs[..i] {
                    let (bx, by, bs) = (usize::from(b.x), usize::from(b.y), usize::from(b.side));
                    assert!(x + side <= bx || bx + bs <= x || y + side <= by || by + bs <= y, "boxes are disjoint");
                }
                let row = usize::from(glyph.row);
                assert_eq!(i32::from(glyph.digit), i32::from(view.0[row]).abs());
                let (_, rgb) = colour(&view, row);
                let expected = match row {
                    HINT => HINT_COLOUR,
                    0..GOAL_X => WALL_COLOURS[row % 4],
                    GOAL_X => GOAL_COLOURS[if view.0[row] < 0 { 0 } else { 2 }],
                    _ => GOAL_COLOURS[if view.0[row] > 0 { 1 } else { 3 }],
                };
                assert_eq!(rgb, expected);
                // Each pixel is the colour at the grey level of an image of this hand.
                let mut grey = vec![0; side * side];
                if row < DIGITS {
                    resize(digits.image(glyph.digit.into(), glyph.image), side, &mut grey);
                }
                let mut ink = 0;
                for (at, &grey) in grey.iter().enumerate() {
                    let pixel = ((y + at / side) * PANEL + x + at % side) * 3;
                    let seen = &mut left[pixel..pixel + 3];
                    let level = if row < DIGITS {
                        f32::from(grey) / 255.0
                    } else {
                        seen[0] * 255.0 / f32::from(HINT_COLOUR[0])
                    };
                    for (channel, c) in seen.iter_mut().zip(rgb) {
                        assert!((*channel - level * f32::from(c) / 255.0).abs() < 0.003, "hue of row {row}");
                        *channel = 0.0;
                    }
                    ink += usize::from(level > 0.5);
                }
                // Our own digits are legible at any size; some of MNIST's are faint.
                let least = if config.digits == Source::Strokes { 12 } else { 1 };
                assert!(ink >= least, "the glyph of row {row} is too faint: {ink} pixels");
            }
            assert!(left.iter().all(|&x| x == 0.0), "there is nothing but glyphs");
        }
    }
}

#[test]
fn halma_check_12_panels_show_what_they_must() {
    for split in [Split::Train, Split::Test] {
        check_panels(&VisualConfig { split, mazes: 12, pixels: Pixels::F32, ..VisualConfig::default() });
    }
    // The two hands share no image: what is in one is not in the other.
    let (train, test) = (Digits::strokes(Hand::Train), Digits::strokes(Hand::Test));
    for d in 1..10 {
        for i in 0..train.len(d) {
            assert!((0..test.len(d)).all(|j| train.image(d, i) != test.image(d, j)));
        }
    }
}

/// The same with MNIST, where the user has it: test panels use test images only.
#[cfg(feature = "files")]
#[test]
fn halma_check_12_panels_of_mnist_show_what_they_must() {
    if !heldout_envs::digits::directory(None).join("t10k-labels-idx1-ubyte").exists() {
        eprintln!("skipped: the MNIST files are not here; `heldout data mnist` obtains them");
        return;
    }
    for split in [Split::Train, Split::Test] {
        let digits = Source::Mnist;
        check_panels(&VisualConfig { split, mazes: 12, pixels: Pixels::F32, digits, ..VisualConfig::default() });
    }
}

/// Under `resample_panels` a panel is another one each time, and of the same entries.
#[test]
fn halma_panels_are_sampled_anew_when_asked() {
    let config = VisualConfig { mazes: 2, resample_panels: true, boxes: true, ..VisualConfig::default() };
    let mut env = Batch::<Visual>::new(&config, 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    env.reset(Reset::seed(Seed(1)), buffers.output()).unwrap();
    let look = |buffers: &Buffers| {
        let rows = buffers.rows();
        let row = rows.row(0);
        let labels: Vec<[i32; 2]> = row.i32(1).chunks(6).map(|b| [b[4], b[5]]).collect();
        (row.u8(0).to_vec(), labels)
    };
    let (first, labels) = look(&buffers);
    env.observe(buffers.output()).unwrap();
    assert!(look(&buffers).0 == first, "looking twice changes nothing");
    env.step(&[0, 0], buffers.output()).unwrap();
    let (second, same) = look(&buffers);
    assert!(first != second);
    assert_eq!(labels, same);
}

#[test]
fn halma_check_13_symmetries_move_rows() {
    for maze in maze_set(&TEST_LAW, Split::Test, 60, Seed(0)) {
        let ways = maze.ways();
        for symmetry in Symmetry::ALL {
            let image = maze.image(symmetry);
            let image_ways = image.ways();
            for cell in maze.cells() {
                let (here, there) = (View::of(&maze, &ways, cell), View::of(&image, &image_ways, symmetry.cell(cell)));
                for d in Direction::ALL {
                    let to = symmetry.direction(d);
                    assert_eq!(here.wall(d), there.wall(to));
                    assert_eq!(here.crossing(d), there.crossing(to));
                    assert_eq!(here.toward(d), there.toward(to));
                }
                assert_eq!(here.hint().map(|d| symmetry.direction(d)), there.hint());
            }
        }
    }
}
