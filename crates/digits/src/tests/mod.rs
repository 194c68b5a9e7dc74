//! Handwritten digits: legible by a simple measure, unlike between the hands, and never another file's.

#[cfg(feature = "files")]
use crate::Source;
use crate::{AREA, Digits, Hand, SIDE, resize};

/// Squared distance between two images.
fn distance(a: &[u8; AREA], b: &[u8; AREA]) -> u64 {
    a.iter().zip(b).map(|(&a, &b)| u64::from(a.abs_diff(b)).pow(2)).sum()
}

/// Share of images of `asked` whose nearest image in `known` is of the same digit, by samples of both.
fn recognised(known: &Digits, asked: &Digits) -> f64 {
    const SAMPLE: u32 = 120;
    let (mut right, mut all) = (0, 0);
    for digit in 0..10 {
        for i in (1..asked.len(digit).min(2 * SAMPLE)).step_by(6) {
            let own = asked.image(digit, i);
            let candidates =
                (0..10).flat_map(|d| (0..known.len(d)).step_by((known.len(d) / SAMPLE) as usize).map(move |j| (d, j)));
            let nearest = candidates.min_by_key(|&(d, j)| distance(own, known.image(d, j))).unwrap();
            right += u32::from(nearest.0 == digit);
            all += 1;
        }
    }
    f64::from(right) / f64::from(all)
}

/// What was learnt of one hand serves in the same hand and much less in the other: there is something to generalise.
#[test]
fn hands_are_legible_and_different() {
    let (train, test) = (Digits::strokes(Hand::Train), Digits::strokes(Hand::Test));
    let (own, other) = (recognised(&train, &train), recognised(&train, &test));
    println!("nearest neighbour: {own} in the same hand, {other} in the other");
    assert!(own > 0.95, "{own}");
    assert!(other < own - 0.05 && other > 0.5, "{other}");
    for digits in [&train, &test] {
        for digit in 0..10 {
            assert!(digits.len(digit) >= 200);
            for i in 0..digits.len(digit) {
                let image = digits.image(digit, i);
                let ink = image.iter().filter(|&&p| p > 127).count();
                assert!((25..300).contains(&ink), "image {i} of {digit} has {ink} inked pixels");
                let last = SIDE - 1;
                let inside = |i: usize| (1..last).contains(&(i % SIDE)) && (1..last).contains(&(i / SIDE));
                assert!((0..AREA).all(|i| inside(i) || image[i] == 0), "image {i} of {digit} runs off the paper");
            }
        }
    }
}

#[test]
fn resizing_keeps_the_mean_and_the_size() {
    let image = *Digits::strokes(Hand::Train).image(8, 0);
    let mut same = vec![0; AREA];
    resize(&image, SIDE, &mut same);
    assert_eq!(same, image);
    let mean = |pixels: &[u8]| pixels.iter().map(|&p| f64::from(p)).sum::<f64>() / pixels.len() as f64;
    for side in [20, 25, 31, 56] {
        let mut other = vec![0; side * side];
        resize(&image, side, &mut other);
        assert!((mean(&other) - mean(&image)).abs() < 4.0, "{side}");
    }
}

#[cfg(feature = "files")]
#[test]
fn missing_and_foreign_files_are_refused_by_name() {
    let directory = std::env::temp_dir().join(format!("heldout-mnist-{}", std::process::id()));
    let shown = directory.to_str().unwrap();
    let open = || Digits::open(Source::Mnist, Hand::Test, Some(shown)).unwrap_err().to_string();
    let error = open();
    assert!(error.contains(shown) && error.contains("t10k-images-idx3-ubyte"), "{error}");
    assert!(error.contains("`heldout data mnist`"), "{error}");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("t10k-images-idx3-ubyte"), b"not MNIST").unwrap();
    let error = open();
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(error.contains("SHA-256") && error.contains("0fa7898d"), "{error}");
}

/// Ten digits, both hands, no image in both.
#[cfg(feature = "files")]
#[test]
#[ignore = "needs the MNIST files, which `heldout data mnist` obtains"]
fn mnist_is_read_where_it_is() {
    let [train, test] = [Hand::Train, Hand::Test].map(|hand| Digits::open(Source::Mnist, hand, None).unwrap());
    let count = |digits: &Digits| (0..10).map(|d| digits.len(d)).sum::<u32>();
    assert_eq!((count(&train), count(&test)), (60_000, 10_000));
    assert_eq!((train.len(1), test.len(1)), (6_742, 1_135));
    assert!(train.content().starts_with("MNIST ba891046") && test.content().starts_with("MNIST 0fa7898d"));
    assert!(recognised(&train, &test) > 0.8);
}
