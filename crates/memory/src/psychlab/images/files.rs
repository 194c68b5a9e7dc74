//! A user's own images: PNG files named by their ids, `1.png` to `2400.png`, leading zeros allowed.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use heldout_core::ConfigError;
use heldout_render::{View, resize};
use sha2::{Digest, Sha256};

use super::{COUNT, belongs};
use crate::level::Stimuli;
use heldout_core::hexadecimal;

/// Fewest images of a user's own: the longest episodes show so many.
const FEWEST: usize = 75;

/// The largest side of a file's image.
const MOST_SIDE: u32 = 4096;

/// What a directory holds of a split.
pub(super) struct Read {
    pub(super) ids: Vec<u16>,
    pub(super) pixels: Vec<[u8; 3]>,
    pub(super) sha256: String,
}

fn wrong(directory: &str, problem: impl std::fmt::Display) -> ConfigError {
    ConfigError::new("images", format!("is `{directory}`, {problem}"))
}

/// The files of a split, by id.
fn listed(directory: &str, stimuli: Stimuli) -> Result<BTreeMap<u16, PathBuf>, ConfigError> {
    let mut files = BTreeMap::new();
    let unread = |error| wrong(directory, format!("which cannot be read: {error}; must be `builtin` or a directory"));
    for entry in std::fs::read_dir(directory).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let id = name.parse::<u16>().ok().filter(|id| (1..=COUNT).contains(id)).ok_or_else(|| {
            wrong(directory, format!("where `{name}.png` is not named by an id: must be 1 to {COUNT}"))
        })?;
        if belongs(id, stimuli)
            && let Some(other) = files.insert(id, path.clone())
        {
            let (one, two) = (other.display(), path.display());
            return Err(wrong(directory, format!("where `{one}` and `{two}` have the same id")));
        }
    }
    if files.len() < FEWEST {
        let parity = if stimuli == Stimuli::Train { "even" } else { "odd" };
        let found = files.len();
        return Err(wrong(
            directory,
            format!("which has {found} images with {parity} ids, must have at least {FEWEST}"),
        ));
    }
    Ok(files)
}

/// The images of a split, at one size.
pub(super) fn read(directory: &str, stimuli: Stimuli, side: usize) -> Result<Read, ConfigError> {
    let files = listed(directory, stimuli)?;
    let mut read =
        Read { ids: Vec::new(), pixels: Vec::with_capacity(files.len() * side * side), sha256: String::new() };
    let mut hash = Sha256::new();
    for (id, path) in files {
        let file = |problem: String| wrong(directory, format!("where `{}` {problem}", name(&path)));
        let bytes = heldout_files::read(&path, heldout_files::WRITTEN)
            .map_err(|error| file(format!("cannot be read: {error}")))?;
        hash.update(id.to_le_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
        let image = decode(&bytes).map_err(file)?;
        let image = resize(View::new(image.0, image.1, &image.2), side, side);
        read.pixels.extend_from_slice(image.pixels().as_chunks().0);
        read.ids.push(id);
    }
    read.sha256 = hexadecimal(&hash.finalize());
    Ok(read)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Width, height and RGB bytes of a PNG file; what is transparent shows white.
fn decode(bytes: &[u8]) -> Result<(usize, usize, Vec<u8>), String> {
    let unreadable = |error: png::DecodingError| format!("is not a PNG image: {error}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(unreadable)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if !(1..=MOST_SIDE).contains(&width) || !(1..=MOST_SIDE).contains(&height) {
        return Err(format!("is {width}x{height}, must be 1 to {MOST_SIDE} pixels a side"));
    }
    let size = reader.output_buffer_size().ok_or_else(|| "is too large".to_owned())?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(unreadable)?;
    let buffer = &buffer[..frame.buffer_size()];
    let over = |level: u8, alpha: u8| 255 - ((u32::from(255 - level) * u32::from(alpha) + 127) / 255) as u8;
    let pixels = match frame.color_type {
        png::ColorType::Rgb => buffer.to_vec(),
        png::ColorType::Rgba => {
            buffer.as_chunks::<4>().0.iter().flat_map(|p| [0, 1, 2].map(|i| over(p[i], p[3]))).collect()
        }
        png::ColorType::GrayscaleAlpha => {
            buffer.as_chunks::<2>().0.iter().flat_map(|p| [over(p[0], p[1]); 3]).collect()
        }
        _ => buffer.iter().flat_map(|&grey| [grey; 3]).collect(),
    };
    Ok((width as usize, height as usize, pixels))
}
