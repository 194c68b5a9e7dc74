//! The one list of families.
//!
//! A family is a crate that owns all that only it knows ([`heldout_core::Family`]). The command line, evaluation, reports,
//! the Python package and the conformance suite loop over [`FAMILIES`]; adding a family is its crate and one line here.

#![forbid(unsafe_code)]

use heldout_core::{Entry, Family, MakeError};

/// Every family, in the order that documents show.
pub static FAMILIES: &[&Family] = &[
    &heldout_halma::FAMILY,
    &heldout_s2b::FAMILY,
    &heldout_memory::FAMILY,
    &heldout_lilgym::FAMILY,
    &heldout_examples::FAMILY,
];

/// Every environment, family by family.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.entries)
}

/// The entry called `id`.
///
/// # Errors
///
/// If there is none; the error holds the nearest ids.
pub fn find(id: &str) -> Result<&'static Entry, MakeError> {
    entries().find(|e| e.about.id == id).ok_or_else(|| {
        let mut ids: Vec<_> = entries().map(|e| e.about.id).collect();
        // A name without its family or version is as near as its own part of the id.
        let distance = |known: &str| {
            let name = known.split_once('/').map_or(known, |(_, name)| name);
            let bare = name.rsplit_once("-v").map_or(name, |(bare, _)| bare);
            [known, name, bare].map(|k| strsim::damerau_levenshtein(k, id)).into_iter().min()
        };
        ids.sort_by_key(|known| distance(known));
        ids.truncate(3);
        MakeError::Unknown { id: id.to_owned(), nearest: ids }
    })
}

/// The family of the environment called `id`.
#[must_use]
pub fn family(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.entries.iter().any(|entry| entry.id() == id)).copied()
}
