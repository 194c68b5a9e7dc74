//! Claims put to records whose scores are known.

use std::fs;

use heldout_eval::claims::Verdict::{self, Agree, Disagree, Undecided};
use heldout_eval::claims::{Judged, judge};
use heldout_eval::results::Results;

use crate::common::keep_scales;
use crate::report::Folder;

const TASKS: &str = r#"
title = "Claims"
summary = "Two tasks with three conditions each."
seeds = 2
[defaults]
id = "example/grid-v1"
metric = "success"
episodes = 20
[[task]]
name = "grid"
condition = [
  { name = "train", held_out = false },
  { name = "near", held_out = true },
  { name = "far", held_out = true },
]
[[task]]
name = "signal"
id = "example/signal-v1"
metric = "return"
condition = [
  { name = "train", held_out = false },
  { name = "far", held_out = true },
]
"#;

/// The judged claims of a protocol whose claims are `claims`, put to cells of 40 episodes that score around a mean.
fn judged(name: &str, cells: &[(&str, &str, &str, f64)], claims: &str) -> Vec<Judged> {
    let folder = Folder::new(&format!("claims-{name}"));
    fs::write(folder.path().join("protocols/toy.toml"), format!("{TASKS}{claims}")).expect("it can be written");
    let places = [("grid", "train"), ("grid", "near"), ("grid", "far"), ("signal", "train"), ("signal", "far")];
    keep_scales(folder.path(), &unit_scales(&places));
    for &(task, condition, agent, mean) in cells {
        let scores: Vec<f64> = (0..40).map(|i| mean + f64::from(i * 17 % 41 - 20) / 400.0).collect();
        folder.write(task, condition, agent, &scores, vec![]);
    }
    judge(&Results::read(&[folder.path()]).expect("records").suites[0])
}

/// Scales from 0 to 1.
pub(crate) fn unit_scales(places: &[(&str, &str)]) -> String {
    let mut text = "protocol = \"toy\"\nheldout = \"0.1.0\"\nseed = 0\n".to_owned();
    for (task, condition) in places {
        let metric = if *task == "grid" { "success" } else { "return" };
        text += &format!(
            "[[scale]]\ntask = \"{task}\"\ncondition = \"{condition}\"\nmetric = \"{metric}\"\nhigher_is_better = true\n\
             random = {{ policy = \"floor\", mean = 0.0, error = 0.001, episodes = 1000 }}\n\
             oracle = {{ policy = \"ceiling\", mean = 1.0, error = 0.001, episodes = 1000 }}\n"
        );
    }
    text
}

/// One claim with one comparison.
fn claim(comparison: &str) -> String {
    format!("[[claim]]\ntext = \"{}\"\nsource = \"Table 1\"\n[[claim.comparison]]\n{comparison}\n", comparison.len())
}

/// What a single comparison comes to, with `A` at 0.9, 0.5 and 0.1 on the grid and `B` at 0.88, 0.5 and 0.5.
fn verdict_of(name: &str, comparison: &str) -> Verdict {
    let cells = [
        ("grid", "train", "A", 0.9),
        ("grid", "near", "A", 0.5),
        ("grid", "far", "A", 0.1),
        ("grid", "train", "B", 0.88),
        ("grid", "near", "B", 0.5),
        ("grid", "far", "B", 0.5),
        ("signal", "train", "A", 0.2),
        ("signal", "far", "A", 0.02),
        ("signal", "train", "B", 0.1),
        ("signal", "far", "B", 0.3),
    ];
    let judged = judged(name, &cells, &claim(comparison));
    assert_eq!(judged.len(), 1);
    assert_eq!(judged[0].comparisons.len(), 1);
    assert_eq!(judged[0].comparisons[0].problem, "");
    assert_eq!(judged[0].verdict, judged[0].comparisons[0].verdict);
    judged[0].verdict
}

#[test]
fn every_test_agrees_disagrees_and_leaves_undecided() {
    let sides = |test: &str, condition: &str, left: &str, right: &str, margin: &str| {
        format!(
            "test = \"{test}\"\ntask = \"grid\"\ncondition = \"{condition}\"\nleft.agent = \"{left}\"\nright.agent = \
             \"{right}\"\n{margin}"
        )
    };
    let over = |test: &str, agent: &str, over: &str, margin: &str| {
        format!("test = \"{test}\"\nagent = \"{agent}\"\ntask = \"grid\"\nover = {over}\n{margin}")
    };
    let fails = |task: &str, condition: &str, margin: &str| {
        format!("test = \"fails\"\nagent = \"A\"\ntask = \"{task}\"\ncondition = \"{condition}\"\n{margin}")
    };
    let all = "[\"train\", \"near\", \"far\"]";
    let cases = [
        (sides("above", "far", "B", "A", ""), Agree),
        (sides("above", "far", "A", "B", ""), Disagree),
        (sides("above", "near", "A", "B", ""), Undecided),
        (sides("near", "train", "A", "B", "margin = 0.1"), Agree),
        (sides("near", "far", "A", "B", "margin = 0.1"), Disagree),
        (sides("near", "train", "A", "B", "margin = 0.02"), Undecided),
        // One-sided: the same agrees and less agrees, only more disagrees.
        (sides("not-above", "near", "A", "B", "margin = 0.1"), Agree),
        (sides("not-above", "far", "A", "B", "margin = 0.1"), Agree),
        (sides("not-above", "far", "B", "A", "margin = 0.1"), Disagree),
        (sides("not-above", "train", "A", "B", "margin = 0.02"), Undecided),
        (over("falls", "A", all, ""), Agree),
        (over("rises", "A", all, ""), Disagree),
        (over("falls", "B", "[\"near\", \"far\"]", ""), Undecided),
        (over("not-rises", "A", all, "margin = 0.05"), Agree),
        (over("not-rises", "B", "[\"near\", \"far\"]", "margin = 0.05"), Agree),
        (over("not-rises", "A", "[\"far\", \"near\"]", "margin = 0.05"), Disagree),
        // Failing is being at the floor, whatever training came to.
        (fails("signal", "far", "margin = 0.1"), Agree),
        (fails("grid", "near", "margin = 0.1"), Disagree),
        (fails("grid", "far", "margin = 0.1"), Undecided),
        // Over tasks, and in the mean over tasks.
        ("test = \"falls\"\nagent = \"A\"\ncondition = \"train\"\nover = [\"grid\", \"signal\"]".into(), Agree),
        ("test = \"above\"\ntask = \"*\"\ncondition = \"far\"\nleft.agent = \"B\"\nright.agent = \"A\"".into(), Agree),
        ("test = \"above\"\ntask = \"*\"\ncondition = \"*\"\nleft.agent = \"A\"\nright.agent = \"B\"".into(), Disagree),
    ];
    for (i, (comparison, expected)) in cases.iter().enumerate() {
        assert_eq!(verdict_of(&format!("kinds-{i}"), comparison), *expected, "{comparison}");
    }
}

#[test]
fn a_claim_needs_all_all_that_were_tested_most_or_any_of_its_comparisons() {
    // `A` is above `B` and `C`, the same as `D`, and below `E`.
    let cells = [("A", 0.5), ("B", 0.2), ("C", 0.3), ("D", 0.5), ("E", 0.9)].map(|(a, mean)| ("grid", "far", a, mean));
    let rivals = |needs: &str, rivals: &str| {
        let text = format!(
            "[[claim]]\ntext = \"A\"\nsource = \"Table 1\"\nneeds = \"{needs}\"\n[[claim.comparison]]\ntest = \"above\"\ntask = \
             \"grid\"\ncondition = \"far\"\nleft.agent = \"A\"\nright.agent = {rivals}\n"
        );
        judged(&format!("needs-{needs}-{}", rivals.len()), &cells, &text).remove(0)
    };
    assert_eq!(rivals("all", "[\"B\", \"C\"]").verdict, Agree);
    let best = rivals("all", "[\"B\", \"C\", \"D\", \"E\"]");
    assert_eq!(best.verdict, Disagree, "who is best is above every rival");
    assert_eq!([Agree, Disagree, Undecided].map(|verdict| best.count(verdict)), [2, 1, 1]);
    assert_eq!(rivals("all", "[\"B\", \"C\", \"D\"]").verdict, Undecided);
    // Nobody has played as `F`.
    assert_eq!(rivals("all", "[\"B\", \"F\"]").verdict, Undecided);
    assert_eq!(rivals("tested", "[\"B\", \"F\"]").verdict, Agree);
    assert_eq!(rivals("tested", "[\"B\", \"D\", \"F\"]").verdict, Undecided);
    assert_eq!(rivals("tested", "[\"B\", \"E\", \"F\"]").verdict, Disagree);
    assert_eq!(rivals("tested", "[\"F\"]").verdict, Undecided, "nothing was tested");
    assert_eq!(rivals("most", "[\"B\", \"C\", \"E\"]").verdict, Agree);
    assert_eq!(rivals("most", "[\"B\", \"C\", \"D\", \"E\"]").verdict, Undecided);
    assert_eq!(rivals("most", "[\"B\", \"E\"]").verdict, Disagree, "half is not most");
    assert_eq!(rivals("any", "[\"B\", \"D\", \"E\"]").verdict, Agree);
    assert_eq!(rivals("any", "[\"D\", \"E\"]").verdict, Undecided);
    assert_eq!(rivals("any", "[\"E\"]").verdict, Disagree);
}

#[test]
fn claims_are_put_only_to_agents_that_they_are_about() {
    const PROBE: &str = "greedy";
    let cells = [("random", 0.1), (PROBE, 0.3), ("A", 0.5), ("oracle", 0.9)].map(|(a, mean)| ("grid", "far", a, mean));
    let above = |left: &str, right: &str| {
        format!(
            "[[claim]]\ntext = \"{left} above {right}\"\nsource = \"Table 1\"\n[[claim.comparison]]\ntest = \"above\"\ntask = \
             \"grid\"\ncondition = \"far\"\nleft.agent = \"{left}\"\nright.agent = \"{right}\"\n"
        )
    };
    let pairs = [
        ("A", "random"),
        ("oracle", "LSTM"),
        ("LSTM", "random"),
        ("A", "LSTM"),
        ("oracle", "random"),
        // Another policy that the environment brings, and was run.
        (PROBE, "LSTM"),
    ];
    let claims = pairs.map(|(left, right)| above(left, right)).concat();
    let judged = judged("concern", &cells, &claims);
    // That the oracle is above an LSTM says nothing about anyone who was run.
    let texts: Vec<&str> = judged.iter().map(|judged| judged.text.as_str()).collect();
    assert_eq!(texts, ["A above random", "A above LSTM", "oracle above random"]);
    assert_eq!(judged.iter().map(|judged| judged.verdict).collect::<Vec<_>>(), [Agree, Undecided, Agree]);
    assert_eq!(judged[1].absent, ["LSTM"]);
    assert_eq!(judged[1].comparisons[0].problem, "`LSTM` was not run");
    assert_eq!(judged[1].comparisons[0].p, None);
}

#[test]
fn what_cannot_be_tested_says_why_and_does_not_count() {
    let cells = [("A", 0.5), ("B", 0.48)].map(|(a, mean)| ("grid", "far", a, mean));
    let claims = r#"
[[claim]]
text = "A above B, by this and that"
source = "Table 1"
[[claim.comparison]]
test = "above"
task = "grid"
condition = ["far", "train"]
left.agent = "A"
right.agent = "B"
[[claim.comparison]]
test = "above"
task = "grid"
condition = "far"
metric = ["grace", "success"]
left.agent = "A"
right.agent = "B"
[[claim]]
text = "The same again"
source = "Table 1"
[[claim.comparison]]
test = "above"
task = "grid"
condition = "far"
left.agent = "A"
right.agent = "B"
"#;
    let judged = judged("problems", &cells, claims);
    let problems: Vec<&str> = judged[0].comparisons.iter().map(|c| c.problem.as_str()).collect();
    let none = "`A` has no records under condition `train`";
    assert_eq!(problems, ["", none, "the records have no `grace`", ""]);
    // Two different comparisons were tested; one of them stands in both claims and counts once.
    let p = |claim: usize, i: usize| judged[claim].comparisons[i].p.expect("it was tested");
    assert_eq!(p(0, 0), p(1, 0));
    assert_eq!(p(0, 0), p(0, 3));
    let alone =
        claim("test = \"above\"\ntask = \"grid\"\ncondition = \"far\"\nleft.agent = \"A\"\nright.agent = \"B\"");
    let alone = self::judged("alone", &cells, &alone)[0].comparisons[0].p.expect("it was tested");
    assert!((p(0, 0) - 2.0 * alone).abs() < 1e-12, "twice {alone}, not {}", p(0, 0));
}
