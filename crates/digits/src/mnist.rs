//! MNIST from the IDX files that the user has: read once, verified, never shipped.

use std::path::{Path, PathBuf};

use heldout_core::hexadecimal;
use sha2::{Digest, Sha256};

use super::{Hand, Image};

/// The variable that names the directory of the files.
const VARIABLE: &str = "HELDOUT_MNIST";

/// The files, uncompressed, and their SHA-256: training images and labels, then test images and labels.
pub const FILES: [(&str, &str); 4] = [
    ("train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
    ("train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    ("t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
    ("t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
];

/// Files that are not MNIST's.
#[derive(Debug, thiserror::Error)]
pub enum MnistError {
    /// A file cannot be read.
    #[error("is `{}`, where `{file}` cannot be read: {error}; `heldout data mnist` obtains the files", directory.display())]
    Read {
        /// Where it was looked for.
        directory: PathBuf,
        /// Which file.
        file: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file holds something else.
    #[error("is `{}`, where `{file}` has SHA-256 {found}, must have {expected}", directory.display())]
    Content {
        /// Where it is.
        directory: PathBuf,
        /// Which file.
        file: &'static str,
        /// Its checksum.
        found: String,
        /// The checksum it must have.
        expected: &'static str,
    },
}

/// Where the files are looked for: `given`, else what `HELDOUT_MNIST` names, else [`cache`].
#[must_use]
pub fn directory(given: Option<&Path>) -> PathBuf {
    let named = || std::env::var_os(VARIABLE).map(PathBuf::from);
    given.map(Path::to_owned).or_else(named).unwrap_or_else(cache)
}

/// Where `heldout data mnist` puts the files: below the user's cache directory.
#[must_use]
pub fn cache() -> PathBuf {
    heldout_files::cache("mnist")
}

/// The bytes of file `index` of [`FILES`] in `directory`.
///
/// # Errors
///
/// If it cannot be read or has another SHA-256.
pub fn checked(directory: &Path, index: usize) -> Result<Vec<u8>, MnistError> {
    let (file, expected) = FILES[index];
    let read = |error| MnistError::Read { directory: directory.to_owned(), file, error };
    let bytes = heldout_files::read(&directory.join(file), heldout_files::DATA).map_err(read)?;
    let found = hexadecimal(&Sha256::digest(&bytes));
    if found == expected {
        Ok(bytes)
    } else {
        Err(MnistError::Content { directory: directory.to_owned(), file, found, expected })
    }
}

/// Bytes before the images of their file.
const IMAGES_HEADER: usize = 16;
/// Bytes before the labels of theirs.
const LABELS_HEADER: usize = 8;

/// The training images with these numbers, which count from one, and the SHA-256 of their file.
pub(super) fn numbered(directory: &Path, numbers: &[usize]) -> Result<(Vec<Image>, String), MnistError> {
    let pixels = checked(directory, 0)?;
    let images = images(&pixels);
    Ok((numbers.iter().map(|number| images[number - 1]).collect(), format!("MNIST {}", FILES[0].1)))
}

/// The images of one hand by digit, and the SHA-256 of their file.
pub(super) fn read(directory: &Path, hand: Hand) -> Result<([Vec<Image>; 10], String), MnistError> {
    let first = 2 * hand as usize;
    let (pixels, labels) = (checked(directory, first)?, checked(directory, first + 1)?);
    Ok((sorted(&pixels, &labels), format!("MNIST {}", FILES[first].1)))
}

/// The images of a file.
fn images(bytes: &[u8]) -> &[Image] {
    bytes.get(IMAGES_HEADER..).unwrap_or_default().as_chunks().0
}

/// The images of a file by the digits that another calls them.
fn sorted(pixels: &[u8], labels: &[u8]) -> [Vec<Image>; 10] {
    let mut by_digit = [const { Vec::new() }; 10];
    for (image, &label) in images(pixels).iter().zip(labels.get(LABELS_HEADER..).unwrap_or_default()) {
        if let Some(digit) = by_digit.get_mut(usize::from(label)) {
            digit.push(*image);
        }
    }
    by_digit
}

/// Takes any bytes for a file of labels and one of images. Gives whether there was an image.
#[doc(hidden)]
#[must_use]
pub fn fuzz_mnist(bytes: &[u8]) -> bool {
    let at = usize::from(bytes.first().copied().unwrap_or(0)).min(bytes.len());
    let (labels, pixels) = bytes.split_at(at);
    sorted(pixels, labels).iter().any(|images| !images.is_empty())
}
