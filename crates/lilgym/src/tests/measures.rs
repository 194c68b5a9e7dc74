//! What reports learn of the records: parts of the problem set, and chosen cells.

use heldout_core::Heat;
use serde_json::{Value, json};

use super::{Config, Task};
use crate::corpus::{CATEGORIES, Corpus};
use crate::{FAMILY, environment};

const TOWER: &str = "lilgym/tower-flipit-v1";
const SCATTER: &str = "lilgym/scatter-scratch-v1";

#[test]
fn ids_name_tasks() {
    for (entry, task) in FAMILY.entries.iter().zip(Task::ALL) {
        assert_eq!(Task::of(entry.id()), Some(task));
    }
    for id in ["lilgym/tower-scratch-v2", "lilgym/tower-scratch", "tower-scratch", "s2b/symbols-v1"] {
        assert_eq!(Task::of(id), None, "{id}");
    }
}

#[test]
fn problems_have_parts_by_target_and_category() {
    let corpus = Corpus::load(&Config::default(), Task::TOWER_FLIPIT).unwrap();
    let parts = (FAMILY.measures.parts)(TOWER, &json!({})).unwrap();
    let names = parts.names();
    assert_eq!(
        names[..3],
        [("by-target", "target=true"), ("by-target", "target=false"), ("by-category", CATEGORIES[0])]
    );
    assert_eq!(names.len(), 2 + CATEGORIES.len());
    for (problem, own) in (0..).zip(&corpus.problems) {
        assert_eq!(parts.holds("target=true", problem), Some(own.target));
        assert_eq!(parts.holds("target=false", problem), Some(!own.target));
        for (bit, category) in CATEGORIES.iter().enumerate() {
            let within = corpus.statements[own.statement as usize].categories & 1 << bit != 0;
            assert_eq!(parts.holds(category, problem), Some(within));
        }
    }
    assert_eq!(parts.holds("target=maybe", 0), None, "there is no such part");
    assert_eq!(parts.holds("target=true", corpus.problems.len() as u32), None, "there is no such problem");
}

/// Statements without labels cannot be told apart by category: that is said, and by target they still are.
#[cfg(feature = "files")]
#[test]
fn amendment_37_categories_without_labels_are_left_out() {
    let file = json!({"1": {"sentence": "There is a block.", "lf": "exist(all_items)"}});
    let labels = json!({"1": ["Existential"]});
    let folder = super::commands::folder("unlabelled", &[("tower_scratch_train.json", file), ("labels.json", labels)]);
    let of = |categories: &str| {
        (FAMILY.measures.parts)("lilgym/tower-scratch-v1", &json!({"data": folder, "categories": categories})).unwrap()
    };
    let bare = of("");
    assert_eq!(bare.left_out().iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), ["by-category"]);
    assert!(bare.left_out()[0].1.contains("`categories`") && bare.names().iter().all(|(tag, _)| *tag == "by-target"));
    let labelled = of(&folder.join("labels.json").to_string_lossy());
    assert!(labelled.left_out().is_empty() && labelled.names().len() == 2 + CATEGORIES.len());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_has_no_parts_says_so() {
    let of = FAMILY.measures.parts;
    assert!(of("halma/none-v1", &json!({})).is_none());
    assert!(of(TOWER, &json!({"no_such_key": 1})).is_none());
    assert!(of(TOWER, &json!({"data": "/no/such/place"})).is_none(), "its data are not at hand");
}

fn heat(id: &str, config: &Value, episodes: &[&[i32]]) -> Option<Heat> {
    (FAMILY.measures.heat)(id, config, &mut episodes.iter().copied())
}

/// Additions and removals count where they aim, whichever the form of the actions; STOP and what is no action do not.
#[test]
fn chosen_cells_are_counted() {
    let flat = heat(SCATTER, &json!({}), &[&[0], &[1, 27, 28, 0], &[2565, 2566, 2660, 2661, -1]]).unwrap();
    let mut expected = vec![0; 19 * 5];
    (expected[0], expected[1], expected[94]) = (3, 1, 2);
    assert_eq!(flat, Heat { columns: 19, rows: 5, counts: expected });

    let factored = json!({"actions": "factored", "grid": [4, 3]});
    let actions = [
        1, 3, 0, 2, 1, 0, /* then */ 2, 3, 0, 0, 0, 0, /* then */ 0, 1, 1, 0, 0, 0, /* then */ 1, 0, 2,
        0, 0, 0,
    ];
    let factored = heat(SCATTER, &factored, &[&actions]).unwrap();
    assert_eq!(factored, Heat { columns: 4, rows: 3, counts: vec![0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0] });
}

#[test]
fn what_has_no_cells_says_so() {
    assert_eq!(heat(TOWER, &json!({}), &[&[1]]), None, "TOWER has no grid");
    assert_eq!(heat(SCATTER, &json!({"grid": "native"}), &[&[1]]), None, "a grid that is too fine to be shown");
    assert_eq!(heat(SCATTER, &json!({"grid": [0, 5]}), &[&[1]]), None);
    assert_eq!(heat(SCATTER, &json!({}), &[]), None, "no episode was recorded");
}

/// Each way to fail is told once, by a number that the metric really takes.
#[test]
fn causes_have_names_and_numbers_of_their_own() {
    let causes = environment::CAUSES.causes;
    let told: Vec<_> = causes.iter().map(|cause| (cause.metric, cause.value)).collect();
    let ends = [("end", 3), ("end", 2), ("end", 4)];
    assert_eq!(told[..3], ends);
    assert_eq!(told[3..], [2, 1, 3, 4].map(|cause| ("invalid_cause", cause)));
    let mut names: Vec<_> = causes.iter().map(|cause| cause.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), causes.len());
}
