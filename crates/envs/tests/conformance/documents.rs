//! Every entry has its card and its golden transcript, and neither is stale.

use crate::{folder_of, golden_path};
use heldout_core::transcript::transcript;
use heldout_core::{Entry, card};
use heldout_envs::{FAMILIES, entries, family, find};

pub(crate) fn cards_are_whole(entry: &'static Entry) {
    let family = family(entry.id()).unwrap();
    let card = card::whole(family, entry).unwrap_or_else(|e| panic!("{e}"));
    assert!(card.starts_with(&format!("# {}\n", entry.id())), "{}: title", entry.id());
    assert!(!card.contains("<!--"), "{}: a marker is left over", entry.id());
}

pub(crate) fn transcripts_are_golden(entry: &'static Entry) {
    let path = golden_path(entry);
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

pub(crate) fn nothing_is_left_over() {
    for family in FAMILIES {
        for (kind, folder) in [("md", "cards"), ("txt", "tests/golden")] {
            let root = folder_of(family).join(folder);
            for file in std::fs::read_dir(&root).unwrap() {
                let path = file.unwrap().path();
                let known = |name: &str| path.file_stem().is_some_and(|stem| stem == name);
                let there = family.entries.iter().any(|e| known(e.name())) || (kind == "md" && known("family"));
                assert!(there, "{} belongs to no entry", path.display());
            }
        }
    }
}

pub(crate) fn cards_that_lack_something_are_refused() {
    let (entry, family) = (find("example/grid-v1").unwrap(), family("example/grid-v1").unwrap());
    let card = entry.about.card;
    let refused = |from: &str, to: &str| {
        assert!(card.contains(from), "{from}");
        card::fill(family, entry, &card.replace(from, to)).unwrap_err().to_string()
    };
    let error = refused("\n## Splits\n", "\n## Splitting\n");
    assert_eq!(error, "card of `example/grid-v1`: heading `Splits` is missing or out of order");
    let error = refused("<!-- table: config -->", "");
    assert!(error.contains("there must be one line `<!-- table: config -->`"), "{error}");
    let error = refused("| `levels` | Number of levels, 1 to 65536. |\n", "");
    assert_eq!(error, "card of `example/grid-v1`: table `config`: say what `levels` means");
    let error = refused("| `levels` |", "| `leveles` |");
    assert!(error.contains("`leveles` is no row of it"), "{error}");
    let error = refused("<!-- table: presets -->", "<!-- table: presets -->\n\n<!-- part: nothing -->");
    assert_eq!(error, "card of `example/grid-v1`: the family's page has no part `nothing`");
    let any = card.replace("Number of levels, 1 to 65536.", "Few | many | all.");
    assert!(card::fill(family, entry, &any).unwrap().contains("| Few | many | all. |"));
}

/// A part of a family's page that no card takes is dead.
pub(crate) fn every_part_of_a_page_is_used() {
    for family in FAMILIES {
        for part in card::parts(family.page) {
            let line = format!("<!-- part: {part} -->");
            let used = family.entries.iter().filter(|e| e.about.card.contains(&line)).count();
            assert!(used > 1, "{}: `{part}` is used {used} times", family.name);
        }
    }
}

pub(crate) fn the_readme_lists_every_id() {
    let readme = include_str!("../../../../README.md");
    for entry in entries() {
        // One sentence stands for all instant-choice variants.
        let id = entry.id().replace("-mini-v1", "-v1");
        assert!(readme.contains(&format!("| `{id}` |")), "README.md does not list `{id}`");
    }
}
