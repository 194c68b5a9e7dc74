//! Salts of the images that would come too near to another one without.

/// Ids and salts; every other image has the salt 0.
pub(super) const SALTS: &[(u16, u64)] = &[];
