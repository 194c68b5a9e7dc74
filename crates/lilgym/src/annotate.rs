//! A user's program for a sentence, checked as the paper's annotators were (App. B.2): its syntax, a visible example, and
//! hidden examples of which only the number that passed is told.

use std::path::Path;

use heldout_core::{Call, CommandError, Said};
use serde_json::{Value, json};

use crate::config::{Begin, Config, Split, Task};
use crate::corpus::Corpus;
use crate::files::{self, normalised};
use crate::language::Program;
use crate::scene::Scene;
use crate::structured;

/// A scene and what the sentence is there.
type Example = (Scene, bool);

/// The examples in a file: a list of objects with `structured_rep` and `label`.
fn named(path: &Path) -> Result<Vec<Example>, CommandError> {
    let bad = |problem: String| format!("`{}`: {problem}", path.display());
    let text = heldout_files::text(path, heldout_files::DATA).map_err(|error| bad(error.to_string()))?;
    let rows: Vec<Value> = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let example = |(number, row): (usize, &Value)| {
        let bad = |problem: String| bad(format!("example {}: {problem}", number + 1));
        let label = match &row["label"] {
            Value::Bool(label) => *label,
            Value::String(label) if label == "true" || label == "false" => label == "true",
            other => return Err(bad(format!("`label` is `{other}`, must be `true` or `false`")).into()),
        };
        Ok((structured::scene(&row["structured_rep"]).map_err(bad)?, label))
    };
    rows.iter().enumerate().map(example).collect()
}

/// The FLIPIT rows about `sentence`, of every split that is at hand: what is there must be readable.
fn known(data: &str, sentence: &str) -> Result<Vec<Example>, CommandError> {
    let (mut all, mut absent) = (Vec::new(), Vec::new());
    let tasks: Vec<_> = Task::ALL.into_iter().filter(|task| task.begin == Begin::Flipit).collect();
    for (&task, split) in tasks.iter().flat_map(|task| Split::ALL.map(|split| (task, split))) {
        let config = Config { split, data: data.to_owned(), ..Config::default() };
        if data != "builtin" && files::is_absent(&config, task)? {
            absent.push(format!("`{}`", files::name(task, split)));
            continue;
        }
        let corpus = Corpus::load(&config, task)?;
        let rows = (0..).zip(&corpus.problems);
        let about = rows.filter(|(row, _)| normalised(&corpus.statement(*row).sentence) == normalised(sentence));
        all.extend(about.map(|(_, problem)| (problem.scene, !problem.target)));
    }
    if absent.len() == tasks.len() * Split::ALL.len() {
        return Err(format!("`--data` is `{data}`, must have one of {}", absent.join(", ")).into());
    }
    Ok(all)
}

pub(crate) fn annotate(call: &mut Call<'_>) -> Result<Said, CommandError> {
    let (sentence, program) = (call.needed("sentence")?, call.needed("program")?);
    let examples = match call.text("examples") {
        Some(path) => named(Path::new(path))?,
        None => known(call.needed("data")?, sentence)?,
    };
    let Some((visible, hidden)) = examples.split_first() else {
        let problem =
            format!("`--sentence` is `{sentence}`, of which there is no example; name a file by `--examples`");
        return Err(problem.into());
    };
    let program = match Program::parse(program.trim()) {
        Ok(program) => program,
        Err(error) => {
            let json = json!({"syntax": false, "visible": null, "hidden": null, "passed": null});
            return Ok(Said { text: format!("syntax: {error}\n"), json, failed: true });
        }
    };
    let passes = |(scene, label): &Example| program.truth(scene) == Ok(*label);
    let found =
        program.truth(&visible.0).map_or_else(|fault| format!("has no value ({fault})"), |truth| format!("is {truth}"));
    let passed = hidden.iter().filter(|example| passes(example)).count();
    let verdict = if passes(visible) { "passed" } else { "failed" };
    let text = format!(
        "syntax: passed\nvisible example: {verdict}: the sentence is {}, the program {found}\n{}\nhidden examples: {passed} of {} passed\n",
        visible.1,
        structured::value(&visible.0),
        hidden.len()
    );
    let json = json!({"syntax": true, "visible": passes(visible), "hidden": hidden.len(), "passed": passed});
    Ok(Said { text, json, failed: !passes(visible) || passed < hidden.len() })
}
