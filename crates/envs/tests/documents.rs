//! Every entry has its card and its golden transcript, and neither is stale.

mod common;

use common::golden_path;
use heldout_envs::card;
use heldout_envs::registry::{ENTRIES, find};
use heldout_envs::transcript::transcript;

#[test]
fn cards_are_whole_and_fresh() {
    for entry in ENTRIES {
        let fresh = card::refresh(entry, entry.about.card).unwrap_or_else(|e| panic!("{e}"));
        assert!(fresh == entry.about.card, "the card of `{}` is stale: run `cargo xtask cards`", entry.id());
        card::check(entry, entry.about.card).unwrap_or_else(|e| panic!("{e}"));
        assert!(entry.about.card.starts_with(&format!("# {}\n", entry.id())), "{}: title", entry.id());
    }
}

#[test]
fn transcripts_are_golden() {
    for entry in ENTRIES {
        let path = golden_path(entry.id());
        let golden = std::fs::read_to_string(&path)
            .unwrap_or_else(|e| panic!("`{}` has no golden transcript at {}: {e}", entry.id(), path.display()));
        let now = transcript(entry);
        let difference = golden.lines().zip(now.lines()).find(|(a, b)| a != b);
        assert!(
            golden == now,
            "`{}` no longer does what its transcript says: {difference:?}. If that is meant, bump its version and run \
             `cargo xtask golden`",
            entry.id()
        );
    }
}

#[test]
fn nothing_is_left_over() {
    let root = golden_path("x/y").parent().unwrap().parent().unwrap().to_owned();
    for family in std::fs::read_dir(&root).unwrap() {
        for file in std::fs::read_dir(family.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            assert!(ENTRIES.iter().any(|e| golden_path(e.id()) == path), "{} belongs to no entry", path.display());
        }
    }
}

#[test]
fn cards_without_a_heading_or_a_meaning_are_refused() {
    let entry = find("example/grid-v1").unwrap();
    let card = entry.about.card;
    let error = card::refresh(entry, &card.replace("\n## Splits\n", "\n## Splitting\n")).unwrap_err();
    assert_eq!(error.to_string(), "card of `example/grid-v1`: heading `Splits` is missing or out of order");
    let error = card::refresh(entry, &card.replace("<!-- table: config -->", "")).unwrap_err();
    assert!(error.to_string().contains("there is no table `config`"), "{error}");
    let error = card::check(entry, &card.replace("Number of levels, 1 to 65536.", "")).unwrap_err();
    assert_eq!(error.to_string(), "card of `example/grid-v1`: table `config`: say what ``levels`` means");
}

#[test]
fn a_meaning_may_hold_any_character() {
    let entry = find("example/grid-v1").unwrap();
    let card = entry.about.card.replace("Number of levels, 1 to 65536.", "Few | many | all.");
    assert!(card::refresh(entry, &card).unwrap() == card);
}

#[test]
fn the_readme_lists_every_id() {
    let readme = include_str!("../../../README.md");
    for entry in ENTRIES {
        // One sentence stands for all instant-choice variants.
        let id = entry.id().replace("-mini-v1", "-v1");
        assert!(readme.contains(&format!("| `{id}` |")), "README.md does not list `{id}`");
    }
}
