//! HALMA's evaluation: training mazes, random mazes and the seven tests made from an experience.

use heldout_envs::halma::tests::Class;

/// One part of HALMA's evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The training mazes.
    Train,
    /// Random mazes of the test split.
    Random,
    /// A test made from an experience.
    Class(Class),
}

impl Part {
    /// The part called `name`: `T`, `RT`, `ST-1` and so on, in any case, with or without the hyphen.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
        match plain(name).as_str() {
            "t" | "train" => Some(Self::Train),
            "rt" => Some(Self::Random),
            other => Class::ALL.into_iter().find(|class| plain(class.name()) == other).map(Self::Class),
        }
    }
}

/// The names of the parts, for messages.
pub(crate) fn listed() -> String {
    let classes = Class::ALL.into_iter().map(Class::name);
    ["T", "RT"].into_iter().chain(classes).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
