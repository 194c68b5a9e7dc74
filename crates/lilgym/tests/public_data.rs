//! The public data and the recordings of the public implementation.
//!
//! They are read from the directory that `HELDOUT_LILGYM_DATA` names. Where it names none, every test is reported as
//! ignored, never as passed; where it names what is no directory, nothing is played and the run fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heldout_core::{Buffers, Call, CommandError, Entry, Host, MakeError, Options, Playing, Reset, Said, Seed};
use heldout_lilgym::{FAMILY, Reader};
use libtest_mimic::{Arguments, Trial};
use serde_json::{Map, Value, json};

/// A test that panics where the data are not what it says.
type Test = fn(&Path);

const TESTS: &[(&str, Test)] = &[
    ("recordings_are_reproduced", recordings_are_reproduced),
    ("programs_agree_with_labels", programs_agree_with_labels),
    ("table_1", table_1),
    ("disjoint_drops_what_is_trained", disjoint_drops_what_is_trained),
    ("recovered_training_rows_load", recovered_training_rows_load),
    ("amendment_31_known_public_miss_is_solved", amendment_31_known_public_miss_is_solved),
    ("problems_are_solved", problems_are_solved),
    ("amendment_07_blind_scores_what_was_measured", amendment_07_blind_scores_what_was_measured),
    ("amendment_07_additions_are_fitted_on_training", amendment_07_additions_are_fitted_on_training),
    ("amendment_08_noop_scores_what_was_measured", amendment_08_noop_scores_what_was_measured),
];

fn main() -> ExitCode {
    let named = std::env::var_os("HELDOUT_LILGYM_DATA").filter(|name| !name.is_empty()).map(PathBuf::from);
    if let Some(data) = named.as_ref().filter(|data| !data.is_dir()) {
        eprintln!("`HELDOUT_LILGYM_DATA` is `{}`, must be a directory", data.display());
        return ExitCode::FAILURE;
    }
    let (absent, data) = (named.is_none(), named.unwrap_or_default());
    let trials = TESTS.iter().map(|(name, test)| {
        let data = data.clone();
        let name = if absent { format!("{name} (HELDOUT_LILGYM_DATA names no directory)") } else { (*name).to_owned() };
        let trial = Trial::test(name, move || {
            test(&data);
            Ok(())
        });
        trial.with_ignored_flag(absent)
    });
    let mut arguments = Arguments::from_args();
    // Without data there is nothing to include.
    if absent && (arguments.ignored || arguments.include_ignored) {
        (arguments.ignored, arguments.include_ignored) = (false, false);
    }
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// A host without a terminal.
struct Desk;

impl Host for Desk {
    fn write(&mut self, _: &Path, _: &[u8]) -> Result<(), CommandError> {
        Err("nothing is written here".into())
    }

    fn begin(&mut self, _: u64, _: &'static str) {}

    fn tick(&mut self) {}

    fn end(&mut self) {}

    fn play(&mut self, _: &Playing<'_>) -> Result<Vec<f32>, CommandError> {
        Err("nothing is played here".into())
    }
}

fn find(id: &str) -> Result<&'static Entry, MakeError> {
    FAMILY.entry(id).ok_or_else(|| MakeError::Unknown { id: id.to_owned(), nearest: Vec::new() })
}

fn call(path: [&str; 2], given: &[(&'static str, Vec<String>)]) -> Said {
    let command = FAMILY.commands.iter().find(|command| command.path == path).unwrap();
    let mut values: BTreeMap<_, _> = given.iter().cloned().collect();
    for argument in command.arguments {
        if let Some(default) = argument.default {
            values.entry(argument.name).or_insert_with(|| vec![default.to_owned()]);
        }
    }
    (command.run)(&mut Call { values, overrides: Map::new(), find, host: &mut Desk }).unwrap()
}

fn config(data: &Path, split: &str) -> Map<String, Value> {
    let Value::Object(config) = json!({"data": data, "split": split}) else { unreachable!() };
    config
}

fn read(data: &Path, task: &str, split: &str) -> Reader {
    Reader::open(&format!("lilgym/{task}-v1"), &config(data, split)).unwrap()
}

fn recordings_are_reproduced(data: &Path) {
    let files = std::fs::read_dir(data.join("traces")).unwrap().map(|file| file.unwrap().path());
    let mut traces: Vec<_> = files.map(|path| path.to_string_lossy().into_owned()).collect();
    traces.sort();
    let said = call(["parity", "lilgym"], &[("data", vec![data.to_string_lossy().into_owned()]), ("traces", traces)]);
    assert!(!said.failed && said.json["mismatches"] == 0, "{}", said.text);
    assert!(
        said.json["rollouts"].as_u64() >= Some(2213) && said.json["steps"].as_u64() >= Some(15_349),
        "{}",
        said.text
    );
}

fn programs_agree_with_labels(data: &Path) {
    let said = call(["lilgym", "check"], &[("data", vec![data.to_string_lossy().into_owned()])]);
    assert!(!said.failed, "{}", said.text);
    assert_eq!(said.json, json!({"agree": 2963, "labels": 2963}));
}

/// The counts of the paper's Table 1 that the files at hand allow: problems and, for FLIPIT, starts.
fn table_1(data: &Path) {
    for (appearance, split, scratch, flipit) in [
        ("tower", "train", 989, None),
        ("tower", "dev", 163, Some((317, 676))),
        ("tower", "test", 324, Some((619, 1383))),
        ("scatter", "train", 1241, None),
        ("scatter", "dev", 87, Some((164, 313))),
        ("scatter", "test", 155, Some((285, 591))),
    ] {
        let statements = read(data, &format!("{appearance}-scratch"), split);
        assert_eq!(statements.problems(), scratch, "{appearance} {split}");
        if let Some(expected) = flipit {
            let starts = read(data, &format!("{appearance}-flipit"), split);
            let problems = (0..starts.problems()).map(|index| starts.problem(index).unwrap());
            let contexts: BTreeSet<_> = problems.map(|problem| (problem.statement, problem.target)).collect();
            assert_eq!((contexts.len(), starts.problems()), expected, "{appearance} {split}");
        }
    }
}

/// Statements that occur in training can be dropped from what is held out: 127 and 62 of the tests, 71 and 33 of the devs,
/// 24 more than have the same number.
fn disjoint_drops_what_is_trained(data: &Path) {
    let plain = |sentence: &str| sentence.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    for (task, split, left) in [
        ("tower-scratch", "test", 324 - 127),
        ("scatter-scratch", "test", 155 - 62),
        ("tower-scratch", "dev", 163 - 71),
        ("scatter-scratch", "dev", 87 - 33),
        ("tower-flipit", "test", 1383 - 646),
        ("scatter-flipit", "dev", 313 - 119),
    ] {
        let mut config = config(data, split);
        config.insert("disjoint".to_owned(), json!(true));
        let held_out = Reader::open(&format!("lilgym/{task}-v1"), &config).unwrap();
        assert_eq!(held_out.problems(), left, "{task} {split}");
        let train = read(data, &task.replace("flipit", "scratch"), "train").statements();
        let trained: BTreeSet<_> = train.iter().map(|statement| plain(&statement.sentence)).collect();
        assert!(held_out.statements().iter().all(|statement| !trained.contains(&plain(&statement.sentence))));
    }
}

/// Training starts recovered from the pictures stand in for the missing files.
fn recovered_training_rows_load(data: &Path) {
    let rows = ["tower-flipit", "scatter-flipit"].map(|task| read(data, task, "train").problems());
    assert_eq!(rows, [1656, 1866]);
}

/// A recovered training row that takes one edit, where a beam alone made seven.
fn amendment_31_known_public_miss_is_solved(data: &Path) {
    let rows = read(data, "scatter-flipit", "train");
    let row = (0..rows.problems()).find(|&index| rows.problem(index).unwrap().key == "1663-2-0").unwrap();
    let plan = rows.plan(row, &|| false).unwrap();
    assert_eq!((plan.actions.unwrap().len(), plan.proven), (2, true), "an edit and STOP");
}

/// An independent search found the same optima of TOWER's dev problems. All of SCATTER is solved, and all of TOWER but for
/// one statement that no scene makes true ("There is a box with the same set of items.", whose program asks that the three
/// boxes be one), which is proven.
fn problems_are_solved(data: &Path) {
    for (task, split, mean, problems, unsolvable) in [
        ("tower-scratch", "dev", Some("0.7865"), 163, None),
        ("tower-flipit", "dev", Some("0.8490"), 676, None),
        ("scatter-scratch", "dev", None, 87, None),
        ("scatter-flipit", "dev", None, 313, None),
        ("tower-scratch", "test", Some("0.7731"), 324, Some("685")),
        ("tower-flipit", "test", Some("0.8445"), 1383, Some("2735-2-0")),
        ("scatter-scratch", "test", None, 155, None),
        ("scatter-flipit", "test", None, 591, None),
    ] {
        let rows = read(data, task, split);
        let plans: Vec<_> = (0..rows.problems()).map(|index| rows.plan(index, &|| false).unwrap()).collect();
        assert_eq!(plans.len(), problems, "{task} {split}");
        let unsolved: Vec<_> = (0..problems).filter(|&index| plans[index].actions.is_none()).collect();
        let keys: Vec<_> = unsolved.iter().map(|&index| rows.problem(index).unwrap().key).collect();
        assert_eq!(keys, Vec::from_iter(unsolvable), "{task} {split}");
        assert!(unsolved.iter().all(|&index| plans[index].proven), "{task} {split}");
        let found = plans.iter().map(|plan| plan.value).sum::<f64>() / plans.len() as f64;
        println!("{task} {split}: mean return {found:.4}");
        if let Some(mean) = mean {
            assert!(plans.iter().all(|plan| plan.proven));
            assert_eq!(format!("{found:.4}"), mean, "{task} {split}");
        }
    }
}

/// Share of problems that `policy` solves, in percent: each once.
fn score(data: &Path, task: &str, split: &str, policy: &str) -> f64 {
    let entry = find(&format!("lilgym/{task}-v1")).unwrap();
    let mut env = entry.make(&config(data, split), 1, Options::default()).unwrap();
    let mut buffers = Buffers::new(env.spec(), 1);
    let (at, problems) = (env.spec().metric("success").unwrap(), env.spec().problems.unwrap());
    env.seat(0, policy, Seed(0)).unwrap();
    let mut actions = vec![0; env.spec().action_width()];
    let mut solved = 0.0;
    for problem in 0..problems {
        env.reset(Reset { problems: &[Some(problem)], ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
        while !buffers.status[0].ended() {
            env.act(&buffers.rows(), &mut actions).unwrap();
            env.step(&actions, buffers.output()).unwrap();
        }
        solved += f64::from(buffers.metrics[at]);
    }
    100.0 * solved / f64::from(problems)
}

/// Share of the test problems that can be solved without reading a sentence, in percent.
fn amendment_07_blind_scores_what_was_measured(data: &Path) {
    let tasks = ["tower-scratch", "tower-flipit", "scatter-scratch", "scatter-flipit"];
    let scores = tasks.map(|task| format!("{:.1}", score(data, task, "test", "blind")));
    assert_eq!(scores, ["40.7", "65.1", "25.2", "57.7"]);
    // Another list of additions, fitted on the same rows by other means, solved 38.3, 65.5, 20.0 and 57.2 %.
}

/// The policy's list for the public data is what their training split gives: it says so by how it plays.
fn amendment_07_additions_are_fitted_on_training(data: &Path) {
    let said = call(["lilgym", "fit-blind"], &[("data", vec![data.to_string_lossy().into_owned()])]);
    for task in ["tower-scratch", "tower-flipit", "scatter-scratch", "scatter-flipit"] {
        let fitted: Vec<i32> = serde_json::from_value(said.json[task].clone()).unwrap();
        let rows = read(data, task, "train");
        let entry = find(&format!("lilgym/{task}-v1")).unwrap();
        let mut env = entry.make(&config(data, "train"), 1, Options::default()).unwrap();
        let mut buffers = Buffers::new(env.spec(), 1);
        env.seat(0, "blind", Seed(0)).unwrap();
        let mut all = BTreeSet::new();
        for problem in (0..rows.problems()).filter(|&index| rows.problem(index).unwrap().target).take(200) {
            let problems = [Some(problem as u32)];
            env.reset(Reset { problems: &problems, ..Reset::seed(Seed(0)) }, buffers.output()).unwrap();
            let (mut rest, mut action) = (fitted.iter(), vec![0]);
            loop {
                env.act(&buffers.rows(), &mut action).unwrap();
                env.step(&action, buffers.output()).unwrap();
                if buffers.status[0].ended() {
                    break;
                }
                // Additions without room are left out, but the order stays.
                assert!(rest.any(|own| *own == action[0]), "{task}: {} is not of {fitted:?}", action[0]);
                all.insert(action[0]);
            }
        }
        assert_eq!(all, fitted.into_iter().collect(), "{task}");
    }
}

/// An immediate STOP solves what holds of empty boxes: 2.5 to 5.2 % of SCRATCH, and nothing of FLIPIT.
fn amendment_08_noop_scores_what_was_measured(data: &Path) {
    for (task, solved) in [("tower-scratch", 13.0 / 324.0), ("scatter-scratch", 4.0 / 155.0), ("tower-flipit", 0.0)] {
        assert!((score(data, task, "test", "noop") - 100.0 * solved).abs() < 1e-9, "{task}");
    }
}
