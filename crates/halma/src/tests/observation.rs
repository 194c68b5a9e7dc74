//! HALMA: acceptance checks 11 to 13, what is seen.

use super::{ProblemFile, Symbolic, TEST_LAW, TRAIN_LAW, Visual};
use crate::config::{Pixels, SymbolicConfig, VisualConfig};
use crate::environment::Occasion;
use crate::generate::{Split, colours, maze_set};
use crate::maze::{Cell, Direction, Symmetry};
use crate::observation::{DIGITS, Entries, GOAL_X, HINT, ROWS, VALUES};
use crate::panel::{GOAL_COLOURS, Glyph, HINT_COLOUR, Layout, PANEL, WALL_COLOURS, colour};
use crate::trials::State;
use heldout_core::{Batch, Buffers, Environment, Options, Reset, Seed, Start, VecEnv};
use heldout_digits::{Digits, Hand, Source, resize};

/// The colours that are balanced are those that panels show: of each direction, digits of walls and crossings, and of the goal.
#[test]
fn halma_colours_are_counted_as_panels_show_them() {
    for maze in maze_set(&TEST_LAW, Split::Test, 50, Seed(5)) {
        let ways = maze.ways();
        let mut shown = [[0; 4]; 2];
        for cell in maze.cells() {
            let entries = Entries::of(&maze, &ways, cell);
            for row in (0..ROWS).filter(|&row| row != HINT && entries.0[row] != 0) {
                let (number, _) = colour(&entries, row);
                shown[usize::from(number / 4)][usize::from(number % 4)] += 1;
            }
        }
        assert_eq!(colours(&maze), shown);
    }
}

#[test]
fn halma_check_11_views_are_right_and_can_be_read_back() {
    for (law, split) in [(TRAIN_LAW, Split::Train), (TEST_LAW, Split::Test)] {
        for maze in maze_set(&law, split, 200, Seed(0)) {
            let ways = maze.ways();
            for cell in maze.cells() {
                let entries = Entries::of(&maze, &ways, cell);
                for d in Direction::ALL {
                    let (mut at, mut wall, mut crossing) = (cell, 0, 0);
                    while maze.is_passage(at, d) {
                        at = at.moved(d, 1).unwrap();
                        wall += 1;
                        if crossing == 0 && maze.is_crossing(at) {
                            crossing = wall;
                        }
                    }
                    assert_eq!((entries.wall(d), entries.crossing(d)), (wall, crossing));
                    // Of two digits of a colour, the crossing is not the greater.
                    assert!(entries.crossing(d) == 0 || entries.crossing(d) <= entries.wall(d));
                }
                assert_eq!(entries.goal(), (maze.goal().x() - cell.x(), maze.goal().y() - cell.y()));
                for width in [VALUES, VALUES + 10, VALUES + 11] {
                    let mut rows = vec![f32::NAN; ROWS * width];
                    entries.write_one_hot(width, &mut rows);
                    for (i, row) in rows.chunks_exact(width).enumerate() {
                        assert_eq!(row[..VALUES].iter().sum::<f32>(), 1.0);
                        let named: Vec<f32> = (VALUES..width).map(|c| f32::from(c == VALUES + i)).collect();
                        assert_eq!(row[VALUES..], named);
                    }
                    assert_eq!(Entries::read_one_hot(width, &rows), entries);
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
        assert_eq!(Symbolic::new(&config, ()).unwrap().spec().observation[0].shape, shape);
    }
}

/// The state of a visual environment in a cell of a maze.
pub(crate) fn state_at(env: &Visual, maze: u32, cell: Cell) -> State {
    let start = Start { seed: Seed(1), copy: Seed(1), episode: 0, problem: Some(maze) };
    let mut value = serde_json::to_value(env.start(start)).unwrap();
    value["at"] = cell.index().into();
    serde_json::from_value(value).unwrap()
}

/// Asserts that every panel shows the entries of its cell, in images of the digits that belong to its split.
fn check_panels(config: &VisualConfig) {
    let env = Visual::new(config, ()).unwrap();
    let again = Visual::new(config, ()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let field = &env.spec().observation[0];
    assert_eq!((field.shape.as_slice(), field.low, field.high), (&[PANEL, PANEL, 3][..], 0.0, 1.0));
    // Problems in files are tests, whatever the split.
    let trains = config.split == Split::Train && config.problems.is_none();
    let hand = if trains { Hand::Train } else { Hand::Test };
    let digits = Digits::open(config.digits, hand, None).unwrap();
    assert_eq!(env.spec().sources.last().unwrap().content, digits.content());
    for (m, maze) in env.trials.mazes.iter().enumerate() {
        for cell in maze.cells() {
            let state = state_at(&env, m as u32, cell);
            let entries = *env.trials.seen(&state);
            let layout = env.sight.layout(&env.trials, &state, cell, Occasion::Now);
            let glyphs = layout.glyphs();
            let shown = entries.0.iter().filter(|&&n| n != 0).count();
            assert_eq!(glyphs.len(), shown);
            let mut panel = vec![f32::NAN; PANEL * PANEL * 3];
            env.sight.panels.write(m as u32, cell.index(), &mut panel);
            assert!(panel.iter().all(|x| (0.0..=1.0).contains(x)));
            let mut same = vec![f32::NAN; PANEL * PANEL * 3];
            again.sight.panels.write(m as u32, cell.index(), &mut same);
            assert!(panel == same, "a panel is fixed for its maze and cell");
            env.sight.panels.write_layout(&entries, &layout, &mut same);
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
                assert_eq!(i32::from(glyph.digit), i32::from(entries.0[row]).abs());
                let (_, rgb) = colour(&entries, row);
                let expected = match row {
                    HINT => HINT_COLOUR,
                    0..GOAL_X => WALL_COLOURS[row % 4],
                    GOAL_X => GOAL_COLOURS[if entries.0[row] < 0 { 0 } else { 2 }],
                    _ => GOAL_COLOURS[if entries.0[row] > 0 { 1 } else { 3 }],
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

/// The same with MNIST: test panels use test images only.
#[cfg(feature = "files")]
#[test]
#[ignore = "needs the MNIST files, which `heldout data mnist` obtains"]
fn halma_check_12_panels_of_mnist_show_what_they_must() {
    for split in [Split::Train, Split::Test] {
        let digits = Source::Mnist;
        check_panels(&VisualConfig { split, mazes: 12, pixels: Pixels::F32, digits, ..VisualConfig::default() });
    }
}

/// Without the files it still shows which of them a split's panels would be made of.
#[cfg(feature = "files")]
#[test]
fn halma_check_12_test_panels_ask_for_the_test_images_of_mnist() {
    let nowhere = std::env::temp_dir().join(format!("heldout-halma-{}-no-mnist", std::process::id()));
    let file = ProblemFile::of("mnist", vec![super::maze((5, 5), "LLLLL", &[((2, 5), "U")])]);
    let asked = |split, problems| {
        let (digits, mnist) = (Source::Mnist, Some(nowhere.display().to_string()));
        let config = VisualConfig { split, problems, digits, mnist, ..VisualConfig::default() };
        Visual::new(&config, ()).map(|_| ()).unwrap_err().to_string()
    };
    let (train, test) = ("`train-images-idx3-ubyte`", "`t10k-images-idx3-ubyte`");
    for (split, problems, its, others) in [
        (Split::Train, None, train, test),
        (Split::Test, None, test, train),
        (Split::Train, Some(file.path()), test, train),
    ] {
        let error = asked(split, problems);
        assert!(error.contains(its) && !error.contains(others), "{error}");
    }
}

#[test]
fn problem_files_are_shown_in_the_test_handwriting() {
    let mazes = maze_set(&TEST_LAW, Split::Test, 4, Seed(0));
    let file = ProblemFile::of("handwriting", mazes);
    for split in [Split::Train, Split::Test] {
        let problems = Some(file.path());
        check_panels(&VisualConfig { split, problems, pixels: Pixels::F32, ..VisualConfig::default() });
    }
}

/// The shape of a hint by where it is inked, whoever drew it: corners, then the points of circle and diamond.
fn shape_of(inked: impl Fn(f64, f64) -> bool, side: f64) -> &'static str {
    let (near, far, middle) = (2.5, side - 2.5, side / 2.0);
    let corners = [(near, near), (far, near), (near, far), (far, far)].map(|(x, y)| inked(x, y));
    let about = |reach: f64| {
        [(-reach, -reach), (reach, -reach), (-reach, reach), (reach, reach)].map(|(x, y)| inked(middle + x, middle + y))
    };
    let radius = middle - 2.0;
    match (corners, about(radius * std::f64::consts::FRAC_1_SQRT_2), about(radius / 2.0)) {
        ([true, true, true, true], ..) => "square",
        ([true, false, true, false], ..) => "triangle to the right",
        ([false, false, false, false], [true, true, true, true], [false, ..]) => "circle",
        ([false, false, false, false], [false, ..], [true, true, true, true]) => "diamond",
        _ => "none",
    }
}

#[test]
fn hints_up_and_right_are_circle_and_triangle() {
    let env = Visual::new(&VisualConfig { mazes: 60, ..VisualConfig::default() }, ()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let mut sizes = std::collections::BTreeSet::new();
    for (number, maze) in env.trials.mazes.iter().enumerate() {
        let ways = maze.ways();
        for cell in maze.cells() {
            let state = state_at(&env, number as u32, cell);
            let layout = env.sight.layout(&env.trials, &state, cell, Occasion::Now);
            let Some(glyph) = layout.glyphs().iter().find(|g| usize::from(g.row) == HINT) else { continue };
            env.observe(&state, 0, buffers.output().rows.row(0));
            let rows = buffers.rows();
            let panel = rows.row(0).u8(0);
            let inked = |x: f64, y: f64| {
                let (x, y) = (usize::from(glyph.x) + x as usize, usize::from(glyph.y) + y as usize);
                panel[3 * (y * PANEL + x)] >= HINT_COLOUR[0] / 2
            };
            // The way to the goal, and the shape that the paper has for it.
            let way = ways[cell.index()].unwrap();
            let expected = ["square", "circle", "triangle to the right", "diamond"][way as usize];
            assert_eq!(shape_of(inked, glyph.side.into()), expected, "{way:?}, {} pixels", glyph.side);
            sizes.insert((way as usize, glyph.side));
        }
    }
    assert!(sizes.len() > 40, "the test saw {} of 48 shapes", sizes.len());
}

/// Squares are apart as soon as they are on one axis: of two, each lies left, right, above and below the other.
#[test]
fn glyphs_lie_on_any_side_of_each_other() {
    let entries = Entries([5, 0, 0, 0, 0, 0, 0, 0, -7, 0, 0]);
    let digits = Digits::strokes(Hand::Train);
    let mut sides = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let layout = Layout::scatter(&entries, &digits, &mut Seed(seed).rng());
        let &[a, b] = layout.glyphs() else { panic!("there are two glyphs") };
        let left = |a: Glyph, b: Glyph| a.x + a.side <= b.x;
        let above = |a: Glyph, b: Glyph| a.y + a.side <= b.y;
        let apart = [left(a, b), left(b, a), above(a, b), above(b, a)];
        assert!(apart.contains(&true), "{a:?} and {b:?} overlap");
        if apart.iter().filter(|&&holds| holds).count() == 1 {
            sides.insert(apart);
        }
    }
    assert_eq!(sides.len(), 4);
}

/// What cannot be scattered goes to the squares of a lattice: one glyph to a square, anywhere within it.
#[test]
fn full_panels_fall_back_to_a_lattice() {
    let entries = Entries([5, 6, 7, 8, 2, 3, 4, 5, -7, 4, 3]);
    let digits = Digits::strokes(Hand::Train);
    let (mut lattices, mut offsets) = (0, std::collections::BTreeSet::new());
    for seed in 0..200 {
        let layout = Layout::scatter(&entries, &digits, &mut Seed(seed).rng());
        let glyphs = layout.glyphs();
        assert_eq!(glyphs.len(), ROWS);
        for (i, a) in glyphs.iter().enumerate() {
            assert!([a.x, a.y].iter().all(|&at| usize::from(at) + usize::from(a.side) <= PANEL));
            let clear = |b: &Glyph| a.x.abs_diff(b.x) >= a.side.min(b.side) || a.y.abs_diff(b.y) >= a.side.min(b.side);
            assert!(glyphs[..i].iter().all(clear), "{glyphs:?}");
        }
        let within = glyphs.iter().filter(|g| [g.x, g.y].iter().all(|&at| at % 32 + g.side <= 32));
        let squares: std::collections::BTreeSet<_> = within.map(|g| (g.x / 32, g.y / 32)).collect();
        if squares.len() == ROWS {
            lattices += 1;
            offsets.extend(glyphs.iter().flat_map(|g| [g.x % 32, g.y % 32]));
        }
    }
    // The smallest glyph has twelve pixels to spare.
    assert!(lattices > 40 && offsets.into_iter().eq(0..=12), "{lattices} lattices");
}

/// Under `resample_panels` a panel is another one each time, and of the same entries.
#[test]
fn halma_panels_are_sampled_anew_when_asked() {
    let config = VisualConfig { mazes: 2, resample_panels: true, boxes: true, ..VisualConfig::default() };
    let mut env = Batch::<Visual>::new(&config, (), 1, Options::default()).unwrap();
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
                let (here, there) =
                    (Entries::of(&maze, &ways, cell), Entries::of(&image, &image_ways, symmetry.cell(cell)));
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
