//! Files that the user names: what is refused, with row and reason, and what is compared.

use heldout_core::Environment as _;
use serde_json::{Value, json};

use super::commands::{folder, row};
use super::{Config, LilGym, Split, Task};
use crate::corpus::Corpus;

/// What loading `rows` as the dev file of `task` says.
fn refusal(task: Task, rows: Value) -> String {
    let file = format!("{}_dev.json", task.name().replace('-', "_"));
    // Tests run side by side: each has a folder of its own.
    let name = format!("files-{:?}", std::thread::current().id());
    let folder = folder(&name, &[(&file, rows)]);
    let config = Config { split: Split::Dev, data: folder.to_string_lossy().into_owned(), ..Config::default() };
    let error = LilGym::new(&config, task).err().map_or_else(|| "taken".to_owned(), |error| error.to_string());
    std::fs::remove_dir_all(folder).unwrap();
    error
}

/// A FLIPIT row about a black object, whose first box holds `items`.
fn holding(items: &Value) -> Value {
    let black = items.as_array().unwrap().iter().any(|item| item["color"] == "Black");
    let mut row = row("1", if black { "true" } else { "false" }, None);
    row["structured_rep"][0] = items.clone();
    row
}

fn item(x: i32, y: i32, kind: &str, size: i32) -> Value {
    json!({"x_loc": x, "y_loc": y, "type": kind, "color": "Black", "size": size})
}

#[test]
fn amendment_36_a_label_that_contradicts_its_program_is_refused() {
    let rows = |label| json!({"r7": row("1", "true", Some("Black")), "r8": row("1", label, Some("Yellow"))});
    assert_eq!(refusal(Task::TOWER_FLIPIT, rows("false")), "taken");
    let error = refusal(Task::TOWER_FLIPIT, rows("true"));
    assert!(
        error.contains("`tower_flipit_dev.json`, row `r8`: the label is `true`, but its program is false"),
        "{error}"
    );
    let mut fault = row("1", "false", Some("Black"));
    fault["lf"] = json!("is_black(unique(all_boxes[1]))");
    let error = refusal(Task::TOWER_FLIPIT, json!({ "r9": fault }));
    assert!(error.contains("row `r9`: its program has no value"), "{error}");
}

#[test]
fn amendment_36_one_uid_has_one_sentence_and_one_program() {
    let mut other = row("1", "true", Some("Black"));
    other["sentence"] = json!("There is something black.");
    let rows = json!({"a": row("1", "true", Some("Black")), "b": other});
    let error = refusal(Task::TOWER_FLIPIT, rows);
    let told =
        "row `b`: the sentence of `1` is `There is something black.`, and in another row `There is a black block.`";
    assert!(error.contains(told), "{error}");
    let mut other = row("1", "true", Some("Black"));
    other["lf"] = json!("ge(count(filter_color(all_items, Color.BLACK)), 1)");
    let rows = json!({"a": row("1", "true", Some("Black")), "b": other});
    let error = refusal(Task::TOWER_FLIPIT, rows);
    assert!(error.contains("row `b`: the program of `1` is `ge("), "{error}");
}

#[test]
fn amendment_36_coordinates_outside_are_refused() {
    for (x, y, size, good) in [
        (0, 0, 30, true),
        (70, 70, 30, true),
        (71, 0, 30, false),
        (0, 81, 20, false),
        (-1, 0, 10, false),
        (0, -1, 10, false),
    ] {
        for kind in ["circle", "square", "triangle"] {
            let said = refusal(Task::SCATTER_FLIPIT, json!({"r": holding(&json!([item(x, y, kind, size)]))}));
            if good {
                assert_eq!(said, "taken", "{kind}");
            } else {
                let told = format!("row `r`: the object at {x}, {y} of box 1 is not within its box");
                assert!(said.contains(&told), "{said}");
            }
        }
    }
}

#[test]
fn amendment_36_overlaps_are_refused() {
    // Contact is none, and the corner of a circle's bounds is free.
    for (second, good) in [
        (item(20, 0, "square", 20), true),
        (item(19, 0, "square", 20), false),
        (item(0, 20, "circle", 30), true),
        (item(5, 10, "triangle", 10), false),
    ] {
        let (x, y) = (second["x_loc"].clone(), second["y_loc"].clone());
        let said = refusal(Task::SCATTER_FLIPIT, json!({"r": holding(&json!([item(0, 0, "square", 20), second]))}));
        if good {
            assert_eq!(said, "taken");
        } else {
            assert!(
                said.contains(&format!("row `r`: the object at {x}, {y} of box 1 overlaps that at 0, 0")),
                "{said}"
            );
        }
    }
    let circles = json!([item(0, 0, "circle", 20), item(16, 16, "circle", 20)]);
    assert_eq!(
        refusal(Task::SCATTER_FLIPIT, json!({"r": holding(&circles)})),
        "taken",
        "bounds overlap, circles do not"
    );
}

#[test]
fn amendment_36_towers_are_stacked_squares() {
    let tower = |items: Value| refusal(Task::TOWER_FLIPIT, json!({"r": holding(&items)}));
    let block = |height: i32| item(40, 80 - 21 * height, "square", 20);
    assert_eq!(tower(json!([block(0), block(1), block(2), block(3)])), "taken");
    for (items, told) in [
        (json!([item(40, 80, "circle", 20)]), "the object at 40, 80 of box 1 is no block of a tower"),
        (json!([item(40, 70, "square", 30)]), "the object at 40, 70 of box 1 is no block of a tower"),
        (json!([item(41, 80, "square", 20)]), "the object at 41, 80 of box 1 is no block of a tower"),
        (json!([block(1), block(0)]), "is a square of 20 at 40, 80"),
        (json!([block(0), block(2)]), "is a square of 20 at 40, 59"),
    ] {
        let said = tower(items);
        assert!(said.contains("row `r`: ") && said.contains(told), "{said}");
    }
}

#[test]
fn amendment_36_control_characters_are_refused() {
    let program = "exist(all_items)";
    let of = |sentence: &str| refusal(Task::TOWER_SCRATCH, json!({"5": {"sentence": sentence, "lf": program}}));
    assert_eq!(of("There is a block."), "taken");
    for (sentence, told) in [
        ("a\tblock", "`a\\tblock`"),
        ("a\nblock", "`a\\nblock`"),
        ("\u{7f}", "`\\u{7f}`"),
        ("bl\u{f6}ck", "`bl\u{f6}ck`"),
        ("", "``"),
    ] {
        let said = of(sentence);
        assert!(said.contains(&format!("row `5`: `sentence` is {told}, must be ASCII text")), "{said}");
    }
}

/// Statements that differ by case, punctuation or spaces alone are one, whatever their numbers; and what the training
/// file says is part of what a saved state belongs to.
#[test]
fn amendment_36_disjoint_compares_normalised_statements() {
    let row = |sentence: &str| json!({"sentence": sentence, "lf": "exist(all_items)"});
    let dev = json!({
        "1": row("There is a block"), "2": row("there is  a BLOCK."), "3": row("There isa, block!"),
        "4": row("There is a blocks"), "9": row("A number of its own"),
    });
    let mut sources = Vec::new();
    for (number, train) in
        [json!({"9": row("There is a block.")}), json!({"7": row("There is a block .")})].into_iter().enumerate()
    {
        let files = [("tower_scratch_dev.json", dev.clone()), ("tower_scratch_train.json", train)];
        let folder = folder(&format!("disjoint-{number}"), &files);
        let config = |disjoint| Config {
            split: Split::Dev,
            data: folder.to_string_lossy().into_owned(),
            disjoint,
            ..Config::default()
        };
        let rules = LilGym::new(&config(true), Task::TOWER_SCRATCH).unwrap();
        let left: Vec<_> = rules.corpus.problems.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(left, ["4", "9"]);
        assert_eq!(
            rules.spec().sources.iter().map(|s| s.name).collect::<Vec<_>>(),
            ["statements", "training statements"]
        );
        let whole = Corpus::load(&config(false), Task::TOWER_SCRATCH).unwrap();
        assert_eq!((whole.problems.len(), whole.sources.len()), (5, 1), "who drops nothing reads no training file");
        sources.push(rules.spec().sources.clone());
        std::fs::remove_dir_all(folder).unwrap();
    }
    assert_ne!(sources[0], sources[1]);
}

/// The file of recovered rows stands in for a training file of FLIPIT that is not there, and for nothing else.
#[test]
fn recovered_rows_are_read_where_the_training_file_is_missing() {
    let rows = json!({"a": row("1", "true", Some("Black"))});
    let files = ["train", "dev"].map(|split| format!("tower_flipit_{split}.json"));
    let folder = folder("recovered", &files.each_ref().map(|file| (file.as_str(), rows.clone())));
    std::fs::write(folder.join("train_flipit_partial_from_png.jsonl.gz"), "no rows").unwrap();
    let load = |split| {
        let config = Config { split, data: folder.to_string_lossy().into_owned(), ..Config::default() };
        Corpus::load(&config, Task::TOWER_FLIPIT).map(|corpus| corpus.problems.len()).map_err(|e| e.to_string())
    };
    assert_eq!([Split::Train, Split::Dev].map(load), [Ok(1), Ok(1)]);
    for file in files {
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    let [train, dev] = [Split::Train, Split::Dev].map(|split| load(split).unwrap_err());
    assert!(train.contains("train_flipit_partial_from_png"), "{train}");
    assert!(dev.contains("tower_flipit_dev.json"), "{dev}");
    std::fs::remove_dir_all(folder).unwrap();
}
