//! What the paper prints stands in `published.toml`; wherever else it is said, it is the same.

use super::Task;
use crate::FAMILY;

/// What a table prints for a model, a task and a split; a mark of doubt left out.
fn printed(table: &str, model: &str, task: Task, split: &str) -> &'static str {
    let rest = FAMILY.published.split_once(&format!("[[table]]\nname = \"{table}\"\n")).unwrap().1;
    let table = rest.split("[[table]]").next().unwrap();
    let models = table.split_once("models = [").unwrap().1.split(']').next().unwrap();
    let column = models.split(", ").position(|name| name.trim_matches('"') == model).unwrap();
    let row = format!("task = \"{}\", condition = \"{split}\", printed = \"", task.name());
    let cells = table.split_once(&row).unwrap().1.split('"').next().unwrap();
    cells.split(" | ").nth(column).unwrap().trim_end_matches(" ?")
}

#[test]
fn cards_say_what_the_tables_print() {
    for (entry, task) in FAMILY.entries.iter().zip(Task::ALL) {
        let score = |model| {
            let [dev, test] = ["dev", "test"].map(|split| printed("Table 2", model, task, split));
            format!("{model} {dev} / {test}")
        };
        let scores = ["PPO C+BERT", "PPO ViLT", "PPO+SF C+BERT", "PPO+SF ViLT"].map(score).join(", ");
        let said = format!(
            "Published accuracy on the public data, dev / test in percent, without stop forcing: {scores}; mean reward of an \
             expert on 50 dev examples {}.",
            printed("Table 3", "Expert", task, "dev")
        );
        let card = entry.about.card.replace('\n', " ");
        assert!(card.contains(&said), "{}: {said}", entry.id());
    }
}

#[cfg(feature = "files")]
#[test]
fn solve_says_what_the_experts_get() {
    for task in Task::ALL {
        assert_eq!(crate::commands::expert(task).to_string(), printed("Table 3", "Expert", task, "dev"));
    }
}
