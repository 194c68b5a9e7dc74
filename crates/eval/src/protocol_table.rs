//! The protocols that are built in: a line a file of `crates/eval/protocols`, which a test compares.

macro_rules! protocols {
    ($($name:literal,)*) => {
        /// Name and text of every built-in protocol, in the order that lists show.
        pub static BUILT_IN: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../protocols/", $name, ".toml"))),)*];
    };
}

protocols! {
    "quick",
    "smoke",
    "halma-table1",
    "halma-ablation-mazes",
    "halma-ablation-options",
    "s2b-table1",
    "s2b-table2",
    "s2b-table3",
    "s2b-fig6",
    "s2b-recall",
    "s2b-language",
    "memory",
    "memory-jb",
    "memory-mini",
    "lilgym-table2",
    "lilgym-table3",
    "lilgym-table4",
    "lilgym-table5",
    "lilgym-table6",
}
