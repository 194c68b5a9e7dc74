//! The subcommands, called as the command line calls them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heldout_core::{Call, CommandError, Entry, Host, MakeError, Playing, Said};
use serde_json::{Value, json};

use super::{Config, Split, Task};
use crate::FAMILY;
use crate::corpus::Corpus;

/// A host without a terminal that takes note of all it is asked to do.
#[derive(Default)]
struct Desk {
    written: Vec<(PathBuf, String)>,
    /// How many things each progress bar announced and ticked.
    bars: Vec<(u64, u64)>,
    ended: usize,
    /// What the next play gives.
    metric: Vec<f32>,
    played: Vec<(&'static str, String, u64, String, Value)>,
}

impl Host for Desk {
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
        self.written.push((path.to_owned(), String::from_utf8(bytes.to_vec())?));
        Ok(())
    }

    fn begin(&mut self, total: u64, _: &'static str) {
        self.bars.push((total, 0));
    }

    fn tick(&mut self) {
        self.bars.last_mut().expect("progress has begun").1 += 1;
    }

    fn end(&mut self) {
        self.ended += 1;
    }

    fn play(&mut self, playing: &Playing<'_>) -> Result<Vec<f32>, CommandError> {
        let overrides = Value::Object(playing.overrides.clone());
        let (policy, metric) = (playing.policy.to_owned(), playing.metric.to_owned());
        self.played.push((playing.entry.id(), policy, playing.seed, metric, overrides));
        Ok(self.metric.clone())
    }
}

fn find(id: &str) -> Result<&'static Entry, MakeError> {
    FAMILY.entry(id).ok_or_else(|| MakeError::Unknown { id: id.to_owned(), nearest: Vec::new() })
}

/// Calls the command `path` as the command line does: arguments that are not given have their defaults.
fn call(desk: &mut Desk, path: [&str; 2], given: &[(&'static str, &str)], set: Value) -> Result<Said, String> {
    let command = FAMILY.commands.iter().find(|command| command.path == path).unwrap();
    let mut values = BTreeMap::<_, Vec<String>>::new();
    for (name, value) in given {
        assert!(command.arguments.iter().any(|argument| argument.name == *name), "there is no argument `{name}`");
        values.entry(*name).or_default().push((*value).to_owned());
    }
    for argument in command.arguments {
        if let Some(default) = argument.default {
            values.entry(argument.name).or_insert_with(|| vec![default.to_owned()]);
        }
    }
    let Value::Object(overrides) = set else { panic!("{set}") };
    (command.run)(&mut Call { values, overrides, find, host: desk }).map_err(|error| error.to_string())
}

fn refused(path: [&str; 2], given: &[(&'static str, &str)]) -> String {
    let mut desk = Desk::default();
    let error = call(&mut desk, path, given, json!({})).unwrap_err();
    assert!(desk.written.is_empty() && desk.played.is_empty() && desk.bars.is_empty(), "refused before any work");
    error
}

/// A directory of its own under the build's scratch space, with files in it.
pub(super) fn folder(name: &str, files: &[(&str, Value)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("heldout-lilgym-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (file, content) in files {
        std::fs::write(folder.join(file), content.to_string()).unwrap();
    }
    folder
}

/// One box of FLIPIT's files with one block, or none.
pub(super) fn row(uid: &str, label: &str, color: Option<&str>) -> Value {
    let block = color.map(|color| json!({"x_loc": 40, "y_loc": 80.0, "type": "square", "color": color, "size": 20}));
    let boxes = json!([block.into_iter().collect::<Vec<_>>(), [], []]);
    let (sentence, lf) = ("There is a black block.", "exist(filter_obj(all_items, lambda y: is_black(y)))");
    json!({"uid": uid, "sentence": sentence, "lf": lf, "label": label, "structured_rep": boxes})
}

#[test]
fn labels_are_checked() {
    let good = json!({"a": row("1", "true", Some("Black")), "b": row("1", "false", Some("Yellow"))});
    let mut fault = row("3", "true", Some("Black"));
    fault["lf"] = json!("is_black( unique(all_boxes[1]) )");
    let wrong = json!({"c": row("2", "true", None), "d": fault});
    let files = |scatter_test: &Value| {
        ["tower_flipit_dev", "tower_flipit_test", "scatter_flipit_dev", "scatter_flipit_test"].map(|name| {
            (format!("{name}.json"), if name == "scatter_flipit_test" { scatter_test } else { &good }.clone())
        })
    };
    for (last, agree, labels, failed) in [(&good, 8, 8, false), (&wrong, 6, 8, true)] {
        let files = files(last);
        let folder = folder("check", &files.each_ref().map(|(name, content)| (name.as_str(), content.clone())));
        let data = folder.to_string_lossy();
        let said = call(&mut Desk::default(), ["lilgym", "check"], &[("data", &data)], json!({})).unwrap();
        assert_eq!((said.json, said.failed), (json!({"agree": agree, "labels": labels}), failed));
        assert!(said.text.starts_with("tower-flipit dev: 2 of 2 agree\n"), "{}", said.text);
        assert!(said.text.ends_with(&format!("{agree} of {labels} agree\n")), "{}", said.text);
        let told = [
            "scatter-flipit test row c: is false\n",
            "scatter-flipit test row d: program `is_black(unique(all_boxes[1]))`: `unique` is given 0 elements, must be one\n",
        ];
        assert_eq!(said.text.contains(&told.concat()), failed, "{}", said.text);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn best_returns_are_found() {
    let mut desk = Desk::default();
    let given = [("data", "builtin"), ("task", "tower-flipit"), ("out", "plans.jsonl")];
    let said = call(&mut desk, ["lilgym", "solve"], &given, json!({})).unwrap();
    let config = Config { split: Split::Dev, ..Config::default() };
    let corpus = Corpus::load(&config, Task::TOWER_FLIPIT).unwrap();
    let n = corpus.problems.len();
    assert_eq!((&desk.bars[..], desk.ended), (&[(n as u64, n as u64)][..], 1));
    let lines = said.json.as_array().unwrap();
    assert_eq!(lines.len(), n);
    let (mut solved, mut total) = (0, 0.0);
    for (line, problem) in lines.iter().zip(&corpus.problems) {
        assert_eq!(line["row"], problem.key);
        assert_eq!(line["target"], problem.target);
        assert_eq!(line["proven"], true, "TOWER is solved exactly");
        let of = (&line["grid"], &line["task"], &line["split"]);
        assert_eq!(of, (&Value::Null, &json!("tower-flipit"), &json!("dev")));
        let edits = line["edits"].as_array();
        solved += usize::from(edits.is_some());
        total += line["return"].as_f64().unwrap();
        let best = edits.map_or(-1.0, |edits| 1.0 - 0.1 * edits.len() as f64);
        assert_eq!(line["return"].to_string(), format!("{best:.1}"));
    }
    assert_eq!(solved, n, "every start can be flipped within the horizon");
    let begin = format!(
        "tower-flipit dev: {solved} of {n} solved ({:.2} %), {n} proven optimal, mean return {:.4}, ",
        100.0 * solved as f64 / n as f64,
        total / n as f64
    );
    assert!(said.text.starts_with(&begin), "{}", said.text);
    assert!(said.text.ends_with("the paper's expert 0.83 on 50 dev examples\n"), "{}", said.text);
    let [(path, text)] = &desk.written[..] else { panic!("one file is written") };
    assert_eq!(path, Path::new("plans.jsonl"));
    let written: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(&written, lines);
    assert_eq!(
        call(&mut desk, ["lilgym", "solve"], &given[..2], json!({})).unwrap(),
        said,
        "the file is all that differs"
    );
    assert_eq!(desk.written.len(), 1);
}

#[test]
fn solve_names_what_it_refuses() {
    let solve =
        |given: &[(&'static str, &str)]| refused(["lilgym", "solve"], &[&[("data", "builtin")], given].concat());
    let tasks = "`tower-scratch`, `tower-flipit`, `scatter-scratch`, `scatter-flipit`";
    assert_eq!(solve(&[("task", "tower")]), format!("`--task` is `tower`, must be one of {tasks}"));
    assert_eq!(solve(&[("split", "all")]), "`--split` is `all`, must be one of `train`, `dev`, `test`");
    for grid in ["19", "19x", "x5", "coarse", "-1x5"] {
        assert_eq!(solve(&[("grid", grid)]), format!("`--grid` is `{grid}`, must be `19x5` or the like, or `native`"));
    }
    let error = solve(&[("grid", "0x5"), ("task", "scatter-scratch")]);
    assert!(error.contains("`[0, 5]`") && error.contains("`[380, 100]`"), "{error}");
    assert!(refused(["lilgym", "solve"], &[]).contains("`--data`"));
}

/// Success by target and category, of what the host plays under the config that is set.
#[test]
fn success_is_broken_down() {
    let corpus = Corpus::load(&Config { split: Split::Test, ..Config::default() }, Task::TOWER_FLIPIT).unwrap();
    let metric: Vec<f32> = corpus.problems.iter().map(|problem| f32::from(problem.target)).collect();
    let mut desk = Desk { metric, ..Desk::default() };
    let (id, set) = ("lilgym/tower-flipit-v1", json!({"split": "test"}));
    let said = call(&mut desk, ["lilgym", "categories"], &[("id", id), ("seed", "7")], set.clone()).unwrap();
    assert_eq!(desk.played, [(id, "oracle".to_owned(), 7, "success".to_owned(), set)]);
    let rows = said.json.as_array().unwrap();
    let (n, wanted) = (corpus.problems.len(), corpus.problems.iter().filter(|problem| problem.target).count());
    assert_eq!((&rows[0]["part"], &rows[0]["problems"]), (&json!("all"), &json!(n)));
    let (yes, no) = (
        json!({"part": "target=true", "problems": wanted, "correct_percent": 100.0}),
        json!({"part": "target=false", "problems": n - wanted, "correct_percent": 0.0}),
    );
    assert_eq!(rows[1..3], [yes, no]);
    assert_eq!(rows.len(), 3 + 12);
    let all = 100.0 * wanted as f64 / n as f64;
    let head = format!("{:24} {:>7} {:>9}\n{:24} {n:>7} {all:>9.2}\n", "", "total", "correct %", "all");
    assert!(said.text.starts_with(&head), "{}", said.text);
    assert!(said.text.contains(&format!("{:24} {wanted:>7} {:>9}\n", "target=true", "100.00")), "{}", said.text);
    assert!(!said.text.contains("left out"));
}

#[test]
fn categories_names_what_it_refuses() {
    let error = refused(["lilgym", "categories"], &[("id", "lilgym/tower-v1")]);
    assert!(error.contains("`lilgym/tower-v1`"), "{error}");
    let given = [("id", "lilgym/tower-flipit-v1"), ("seed", "-1")];
    let error = refused(["lilgym", "categories"], &given);
    assert!(error.contains("`--seed` is `-1`, must be 0 to "), "{error}");
}

#[test]
fn replays_name_what_they_refuse() {
    let folder = folder("parity", &[("no-rollout.jsonl", json!({"config": "tower-scratch"}))]);
    let rollout = json!({
        "config": "tower", "split": "dev", "row": "1", "stop_forcing": false, "target": true, "init_truth": false,
        "init_obs_crc32": "", "steps": [],
    });
    std::fs::write(folder.join("no-task.jsonl"), format!("\n{rollout}\n")).unwrap();
    let parity = |trace: &str| {
        let trace = folder.join(trace);
        let (data, trace) = (folder.to_string_lossy(), trace.to_string_lossy());
        refused(["parity", "lilgym"], &[("data", &data), ("traces", &trace)])
    };
    let error = parity("no-rollout.jsonl");
    assert!(error.contains("no-rollout.jsonl`, line 1: missing field `split`"), "{error}");
    let error = parity("no-task.jsonl");
    assert!(error.contains("line 2: `config` is `tower`, must be one of `tower-scratch`, "), "{error}");
    let error = parity("absent.jsonl");
    assert!(error.starts_with("cannot read `") && error.contains("absent.jsonl"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A recording is reproduced, and one with a wrong reward is a mismatch that is told.
#[test]
fn recordings_are_compared_step_by_step() {
    let empty = "There is a black block.";
    let statement = json!({"7": {"sentence": empty, "lf": "exist(filter_obj(all_items, lambda y: is_black(y)))"}});
    let folder = folder("replay", &[("tower_scratch_dev.json", statement)]);
    let data = folder.to_string_lossy().into_owned();
    let config = Config { split: Split::Dev, data: data.clone(), ..Config::default() };
    let rules = super::rules(&config, Task::TOWER_SCRATCH);
    let crc = |state: &super::State| format!("{:08x}", heldout_core::Crc::of(&state.half));
    let mut state = super::start(&rules, 0);
    let first = crc(&state);
    super::step(&rules, &mut state, rules.numbers.action(2));
    let second = crc(&state);
    assert_ne!(first, second);
    for (reward, mismatches) in [(1.0, 0), (-1.0, 1)] {
        let rollout = json!({
            "config": "tower-scratch", "split": "dev", "row": "7", "stop_forcing": false, "target": true,
            "init_truth": false, "init_obs_crc32": first,
            "steps": [
                {"action": 2, "reward": -0.1, "terminated": false, "truncated": false, "truth": true, "obs_crc32": second},
                {"action": 0, "reward": reward, "terminated": true, "truncated": false, "truth": true, "obs_crc32": second},
            ],
        });
        let trace = folder.join("trace.jsonl");
        std::fs::write(&trace, rollout.to_string()).unwrap();
        let given = [("data", data.as_str()), ("traces", trace.to_str().unwrap())];
        let said = call(&mut Desk::default(), ["parity", "lilgym"], &given, json!({})).unwrap();
        assert_eq!(said.json, json!({"rollouts": 1, "steps": 2, "mismatches": mismatches}));
        assert_eq!(said.failed, mismatches > 0);
        assert!(said.text.ends_with(&format!("rollouts 1, steps 2, mismatches {mismatches}\n")), "{}", said.text);
        let told = "row 7, step 1, action 0: reward 1, recorded -1\n";
        assert_eq!(said.text.contains(told), mismatches > 0, "{}", said.text);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn settings_belong_to_commands_that_play_or_solve() {
    let with: Vec<_> = FAMILY.commands.iter().filter(|command| command.settings).map(|command| command.path).collect();
    assert_eq!(with, [["lilgym", "solve"], ["lilgym", "categories"]]);
}

/// `solve` plays by the rules that are set: within one edit fewer problems have solutions, and each is proven.
#[test]
fn amendment_31_solve_takes_settings() {
    let given = [("data", "builtin"), ("task", "tower-flipit")];
    let solved = |set: Value| {
        let said = call(&mut Desk::default(), ["lilgym", "solve"], &given, set).unwrap();
        let lines = said.json.as_array().unwrap().clone();
        lines.iter().map(|line| line["edits"].as_array().map(Vec::len)).collect::<Vec<_>>()
    };
    let (own, short, long) = (solved(json!({})), solved(json!({"horizon": 2})), solved(json!({"preset": "paper"})));
    for ((own, short), long) in own.iter().zip(short).zip(long) {
        assert_eq!(short, own.filter(|&edits| edits <= 1));
        assert!(own.is_none() || long == *own, "a longer horizon has no longer solutions");
    }
    for (key, value) in [("split", json!("dev")), ("data", json!("builtin")), ("grid", json!([19, 5]))] {
        let set = json!({key: value});
        let error = call(&mut Desk::default(), ["lilgym", "solve"], &given, set).unwrap_err();
        assert_eq!(error, format!("`--set {key}` is `{value}`, must be `--{key}` here"));
    }
}

/// The check that the paper's annotators passed (App. B.2): syntax, a visible example, hidden ones.
#[test]
fn amendment_38_programs_are_checked_on_visible_and_hidden_examples() {
    let boxes = |color| row("1", "true", color)["structured_rep"].clone();
    let examples = json!([
        {"structured_rep": boxes(Some("Black")), "label": "true"},
        {"structured_rep": boxes(Some("Yellow")), "label": false},
        {"structured_rep": boxes(None), "label": "false"},
    ]);
    let folder = folder("annotate", &[("examples.json", examples)]);
    let file = folder.join("examples.json").to_string_lossy().into_owned();
    let annotate = |program: &str| {
        let given = [("sentence", "There is a black block."), ("program", program), ("examples", file.as_str())];
        let said = call(&mut Desk::default(), ["lilgym", "annotate"], &given, json!({})).unwrap();
        (said.failed, said.json, said.text)
    };
    let good = annotate("exist(filter_obj(all_items, is_black))");
    assert_eq!((good.0, &good.1), (false, &json!({"syntax": true, "visible": true, "hidden": 2, "passed": 2})));
    // Right about what is visible, and about nothing else: a spurious program.
    let spurious = annotate("exist(all_items)");
    assert_eq!((spurious.0, &spurious.1), (true, &json!({"syntax": true, "visible": true, "hidden": 2, "passed": 1})));
    assert!(!spurious.2.contains("Yellow"), "what is hidden is not shown: {}", spurious.2);
    // Right about what is hidden, and wrong about what is visible.
    let blind = annotate("exist(filter_obj(all_items, is_blue))");
    assert_eq!((blind.0, &blind.1), (true, &json!({"syntax": true, "visible": false, "hidden": 2, "passed": 2})));
    let wrong = annotate("not exist(filter_obj(all_items, is_black))");
    assert_eq!(wrong.1, json!({"syntax": true, "visible": false, "hidden": 2, "passed": 0}));
    let fault = annotate("is_black(unique(all_boxes[1]))");
    assert!(fault.0 && fault.2.contains("visible example: failed") && fault.2.contains("no value"), "{}", fault.2);
    let broken = annotate("exist(all_items");
    assert!(broken.0 && broken.1["syntax"] == json!(false) && broken.2.starts_with("syntax: "), "{}", broken.2);
    std::fs::remove_dir_all(folder).unwrap();

    let unknown = [("sentence", "There is a cow."), ("program", "exist(all_items)")];
    let error = refused(["lilgym", "annotate"], &unknown);
    assert!(error.contains("`There is a cow.`, of which there is no example"), "{error}");
    // A statement of the corpus has examples of its own.
    let corpus = Corpus::load(&Config::default(), Task::TOWER_FLIPIT).unwrap();
    let own = &corpus.statements[corpus.problems[0].statement as usize];
    let (sentence, program) = (own.sentence.to_uppercase(), own.program.to_string());
    let given = [("sentence", sentence.as_str()), ("program", program.as_str())];
    assert!(!call(&mut Desk::default(), ["lilgym", "annotate"], &given, json!({})).unwrap().failed);
}

/// What is wrong with the data is said: a file is left out only if it is not there, and some file must be.
#[test]
fn regression_annotate_hides_no_unreadable_data() {
    let given = |folder: &Path| folder.to_string_lossy().into_owned();
    let annotate = |data: &str, sentence: &str| {
        let program = "exist(filter_obj(all_items, is_black))";
        let given = [("sentence", sentence), ("program", program), ("data", data)];
        call(&mut Desk::default(), ["lilgym", "annotate"], &given, json!({}))
    };
    let error = annotate("/nowhere", "There is a black block.").unwrap_err();
    assert!(error.contains("`--data` is `/nowhere`, must have one of `tower_flipit_train.json`"), "{error}");

    // One file of four is enough.
    let mut rows = json!({"1-0": row("1", "true", Some("Black")), "2-0": row("1", "false", Some("Yellow"))});
    let sentence = rows["1-0"]["sentence"].as_str().unwrap().to_owned();
    let good = folder("annotate-data", &[("tower_flipit_dev.json", rows.clone())]);
    let said = annotate(&given(&good), &sentence).unwrap();
    assert_eq!((said.failed, &said.json["hidden"], &said.json["passed"]), (false, &json!(1), &json!(1)));
    // Beside it another with a label that its program contradicts.
    rows["2-0"]["label"] = json!("true");
    std::fs::write(good.join("tower_flipit_test.json"), rows.to_string()).unwrap();
    let error = annotate(&given(&good), &sentence).unwrap_err();
    let told = "`tower_flipit_test.json`, row `2-0`: the label is `true`, but its program is false";
    assert!(error.contains(told), "{error}");
    std::fs::write(good.join("tower_flipit_test.json"), "{").unwrap();
    assert!(annotate(&given(&good), &sentence).unwrap_err().contains("tower_flipit_test.json"));
    std::fs::remove_dir_all(good).unwrap();
}
