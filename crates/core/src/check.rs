//! What [`Environment::check`](crate::Environment::check) is made of: checks that name the quantity, its value and what is
//! allowed.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// Checks that `value` of `what` is within `allowed`; no number that is none is.
///
/// # Errors
///
/// If it is not: what is wrong, as a sentence.
pub fn within<T: PartialOrd + Display + Copy>(what: &str, value: T, allowed: RangeInclusive<T>) -> Result<(), String> {
    let problem = || format!("`{what}` is `{value}`, must be {} to {}", allowed.start(), allowed.end());
    if allowed.contains(&value) { Ok(()) } else { Err(problem()) }
}

/// Checks that `value` of `what` is the place of one of `count` things.
///
/// # Errors
///
/// If it is not: what is wrong, as a sentence.
pub fn below(what: &str, value: impl Into<u64>, count: usize) -> Result<(), String> {
    let value = value.into();
    that(what, value, value < count as u64, &format!("below {count}"))
}

/// Checks that there are `expected` of `what`.
///
/// # Errors
///
/// If there are not: what is wrong, as a sentence.
pub fn count(what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("`{what}` has {found} elements, must have {expected}")) }
}

/// Checks that `holds`, which is to say that `value` of `what` is as `allowed` says.
///
/// # Errors
///
/// If it does not: what is wrong, as a sentence.
pub fn that(what: &str, value: impl Display, holds: bool, allowed: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("`{what}` is `{value}`, must be {allowed}")) }
}

/// Checks that every one of `values` of `what` is within `allowed`.
///
/// # Errors
///
/// If one is not: what is wrong, as a sentence.
pub fn all_within<T: PartialOrd + Display + Copy>(
    what: &str,
    values: impl IntoIterator<Item = T>,
    allowed: &RangeInclusive<T>,
) -> Result<(), String> {
    values.into_iter().try_for_each(|value| within(what, value, allowed.clone()))
}
