//! stub
use super::config::{Appearance, Begin, Config};
use super::corpus::Corpus;
pub(super) fn corpus(_: &Config, _: Appearance, _: Begin) -> Corpus {
    Corpus::default()
}
