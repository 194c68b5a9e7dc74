//! The images: far enough apart, and read from a user's files.

use crate::psychlab::images::{COUNT, Composition, code};

/// The size at which an agent sees an image at 96x72, and the least distance there.
const SIDE: usize = 44;
const LEAST: f32 = 4.0;
/// Blocks of 4 x 4 pixels.
const BLOCKS: usize = SIDE / 4;

/// An image at the agent's size: each pixel is the mean of 36 places.
fn seen(id: u16) -> Vec<u8> {
    let mut pixels = vec![0; SIDE * SIDE * 3];
    Composition::of(id).paint(SIDE, 6, |at, colour| pixels[at * 3..][..3].copy_from_slice(&colour));
    pixels
}

/// All images at the agent's size, made by two threads.
fn all_seen() -> Vec<Vec<u8>> {
    let half = COUNT / 2;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| (half + 1..=COUNT).map(seen).collect::<Vec<_>>());
        let mut images: Vec<_> = (1..=half).map(seen).collect();
        images.extend(second.join().unwrap());
        images
    })
}

/// Sums over blocks of pixels, scaled so that the distance between two of them is at most that of the images.
fn blocks(pixels: &[u8]) -> Vec<f32> {
    let mut sums = vec![0.0_f32; BLOCKS * BLOCKS * 3];
    for (at, &level) in pixels.iter().enumerate() {
        let (x, y, channel) = (at / 3 % SIDE, at / 3 / SIDE, at % 3);
        sums[(y / 4 * BLOCKS + x / 4) * 3 + channel] += f32::from(level);
    }
    // A sum over 16 differences is at most 4 times the root of their squares' sum.
    sums.iter().map(|sum| sum / (4.0 * 255.0)).collect()
}

fn square(one: &[f32], two: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (ones, twos) = (one.as_chunks::<8>(), two.as_chunks::<8>());
    for (one, two) in ones.0.iter().zip(twos.0) {
        for lane in 0..8 {
            sums[lane] += (one[lane] - two[lane]) * (one[lane] - two[lane]);
        }
    }
    let rest: f32 = ones.1.iter().zip(twos.1).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f32>() + rest
}

/// Any two of the 2,400 images are at least 4 apart at 44 x 44 pixels, as channels from 0 to 1.
#[test]
fn all_images_are_far_enough_apart() {
    let images = all_seen();
    let blocks: Vec<Vec<f32>> = images.iter().map(|pixels| blocks(pixels)).collect();
    let mut nearest = (f32::INFINITY, 0, 0);
    for one in 0..images.len() {
        for two in 0..one {
            // The distance of the block sums is a lower bound; only where it does not suffice the pixels are compared.
            let mut distance = square(&blocks[one], &blocks[two]).sqrt();
            if distance < LEAST + 2.0 {
                let exact: Vec<[f32; 2]> =
                    images[one].iter().zip(&images[two]).map(|(&a, &b)| [a, b].map(|x| f32::from(x) / 255.0)).collect();
                distance = exact.iter().map(|[a, b]| (a - b) * (a - b)).sum::<f32>().sqrt();
            }
            if distance < nearest.0 {
                nearest = (distance, one + 1, two + 1);
            }
        }
    }
    assert!(nearest.0 >= LEAST, "images {} and {} are {} apart", nearest.1, nearest.2, nearest.0);
    println!("the nearest are {} and {}: {}", nearest.1, nearest.2, nearest.0);
}

/// An image is the same whatever bank it comes from, and codes are unit vectors.
#[test]
fn codes_are_distinct_unit_vectors() {
    for id in 1..=COUNT {
        let length: f32 = code(id).iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5);
        assert_ne!(code(id), code(id % COUNT + 1));
    }
}

#[cfg(feature = "files")]
mod files {
    use std::path::PathBuf;

    use crate::level::Stimuli;
    use crate::psychlab::images::Images;
    use crate::psychlab::{PsychLab, Recognition, config};
    use heldout_core::Environment;
    use heldout_render::Rgb;
    use heldout_render::panel::Texel;

    /// A fresh directory below the one for temporary files of this package's tests.
    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("heldout-psychlab-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a picture of `pixel` everywhere.
    fn picture(file: &std::path::Path, (width, height): (u32, u32), color: png::ColorType, pixel: &[u8]) {
        let mut encoder = png::Encoder::new(std::fs::File::create(file).unwrap(), width, height);
        encoder.set_color(color);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&pixel.repeat((width * height) as usize)).unwrap();
    }

    fn write(path: &std::path::Path, ids: impl Iterator<Item = u16>, side: u32) {
        for id in ids {
            let shade = (id % 251) as u8;
            picture(&path.join(format!("{id:04}.png")), (side, side), png::ColorType::Rgb, &[shade, 255 - shade, 7]);
        }
    }

    fn refuse(path: &std::path::Path, stimuli: Stimuli) -> String {
        Images::open(path.to_str().unwrap(), stimuli, 64).unwrap_err().to_string()
    }

    #[test]
    fn a_directory_of_images_is_read_by_id() {
        let path = directory("good");
        write(&path, (2..=160).filter(|id| id % 2 == 0), 20);
        write(&path, (1..=170).filter(|id| id % 2 == 1), 64);
        let text = path.to_str().unwrap();
        let train = Images::open(text, Stimuli::Train, 64).unwrap();
        let held_out = Images::open(text, Stimuli::HeldOut, 64).unwrap();
        assert_eq!((train.ids().len(), held_out.ids().len()), (80, 85));
        assert!(train.ids().iter().all(|id| id % 2 == 0) && held_out.ids().iter().all(|id| id % 2 == 1));
        // The SHA-256 is in the record, and another file gives another.
        assert_eq!(train.source().content.len(), 64);
        assert_ne!(train.source(), held_out.source());
        let mut out = vec![Texel::default(); 48 * 48];
        train.paint(100, &mut out, 48);
        assert!(out.iter().all(|&texel| texel == Texel::new(Rgb::new(100, 155, 7))));
        let config = config::RecognitionConfig { images: text.to_owned(), ..Default::default() };
        let env = PsychLab::<Recognition>::new(&config, ()).unwrap();
        assert_eq!(env.spec().sources[0], train.source());
    }

    #[test]
    fn what_is_transparent_shows_white() {
        let path = directory("transparent");
        write(&path, (2..=160).filter(|id| id % 2 == 0), 4);
        let shown = [
            (2, png::ColorType::Rgba, vec![200, 100, 0, 128], [227, 177, 127]),
            (4, png::ColorType::Rgba, vec![200, 100, 0, 255], [200, 100, 0]),
            (6, png::ColorType::Rgba, vec![200, 100, 0, 0], [255; 3]),
            (8, png::ColorType::GrayscaleAlpha, vec![55, 51], [215; 3]),
            (10, png::ColorType::Grayscale, vec![55], [55; 3]),
        ];
        for (id, color, pixel, _) in &shown {
            picture(&path.join(format!("{id:04}.png")), (4, 4), *color, pixel);
        }
        let images = Images::open(path.to_str().unwrap(), Stimuli::Train, 64).unwrap();
        for (id, color, _, [red, green, blue]) in shown {
            let mut out = vec![Texel::default(); 48 * 48];
            images.paint(id, &mut out, 48);
            assert!(
                out.iter().all(|&texel| texel == Texel::new(Rgb::new(red, green, blue))),
                "{color:?}: {:?}",
                out[0]
            );
        }
    }

    #[test]
    fn bad_files_are_named() {
        let path = directory("bad");
        assert!(refuse(&path.join("absent"), Stimuli::Train).contains("absent"));
        write(&path, (2..=100).filter(|id| id % 2 == 0), 8);
        let message = refuse(&path, Stimuli::Train);
        assert!(message.contains("50 images with even ids") && message.contains("75"), "{message}");
        write(&path, (2..=200).filter(|id| id % 2 == 0), 8);
        std::fs::write(path.join("0044.png"), b"no picture").unwrap();
        let message = refuse(&path, Stimuli::Train);
        assert!(message.contains("`0044.png`") && message.contains("PNG"), "{message}");
        for (width, height) in [(4097, 1), (1, 4097)] {
            picture(&path.join("0044.png"), (width, height), png::ColorType::Grayscale, &[7]);
            let message = refuse(&path, Stimuli::Train);
            let told = format!("is {width}x{height}, must be 1 to 4096 pixels a side");
            assert!(message.contains("`0044.png`") && message.contains(&told), "{message}");
        }
        std::fs::write(path.join("2401.png"), b"no picture").unwrap();
        let message = refuse(&path, Stimuli::HeldOut);
        assert!(message.contains("2401") && message.contains("1 to 2400"), "{message}");
    }
}
