//! Reports and claims from records whose scores are known.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use heldout_core::Status;
use heldout_eval::entrant::{Entrant, no_learners};
use heldout_eval::protocol::Protocol;
use heldout_eval::records::{Build, Failure, Header, Machine, Record, Writer};
use heldout_eval::report::{self, Report};
use heldout_eval::results::{Results, Scale};
use heldout_eval::runner::Evaluation;
use serde_json::json;

use crate::common::keep_scales;

const PROTOCOL: &str = r#"
title = "A toy <experiment>"
paper = "Nobody 1900"
summary = "Two tasks, to see that a report says what the records say."
seeds = 2

[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 2
metric = "success"
human_scale = true
tags = ["both"]
[[task.condition]]
name = "train"
held_out = false
random = 0.5
human = 1.5
[[task.condition]]
name = "far"
held_out = true
random = 0.5
human = 1.0
human_error = 0.3

[[task]]
name = "signal"
id = "example/signal-v1"
episodes = 2
metric = "return"
tags = ["both"]
[[task.condition]]
name = "train"
held_out = false
[[task.condition]]
name = "far"
held_out = true

[[claim]]
text = "The learner falls"
source = "Table 1"
[[claim.comparison]]
test = "falls"
agent = "learner"
task = "grid"
over = ["train", "far"]

[[claim]]
text = "The learner is below the oracle and above an LSTM"
source = "Table 1"
[[claim.comparison]]
test = "above"
tag = "both"
condition = "far"
left.agent = "oracle"
right.agent = "learner"
[[claim.comparison]]
test = "above"
task = "*"
condition = "far"
left.agent = "learner"
right.agent = "LSTM"

[[claim]]
text = "About agents that nobody ran"
source = "Table 1"
[[claim.comparison]]
test = "above"
task = "grid"
condition = "far"
left.agent = ["oracle", "MLP"]
right.agent = "LSTM"
"#;

/// The scales of the toy: 0 to 2 on the grid, 10 to 30 with signals.
const SCALES: &str = r#"
protocol = "toy"
heldout = "0.1.0"
seed = 0
[[scale]]
task = "grid"
condition = "train"
metric = "success"
higher_is_better = true
random = { policy = "random", mean = 0.0, error = 0.001, episodes = 1000 }
oracle = { policy = "oracle", mean = 2.0, error = 0.001, episodes = 1000 }
[[scale]]
task = "grid"
condition = "far"
metric = "success"
higher_is_better = true
random = { policy = "random", mean = -1.0, error = 0.001, episodes = 1000 }
shortcuts = [{ policy = "shortcut", mean = 0.0, error = 0.001, episodes = 1000 }]
oracle = { policy = "oracle", mean = 2.0, error = 0.001, episodes = 1000 }
[[scale]]
task = "signal"
condition = "train"
metric = "return"
higher_is_better = true
random = { policy = "random", mean = 10.0, error = 0.001, episodes = 1000 }
oracle = { policy = "oracle", mean = 30.0, error = 0.001, episodes = 1000 }
[[scale]]
task = "signal"
condition = "far"
metric = "return"
higher_is_better = true
random = { policy = "random", mean = 10.0, error = 0.001, episodes = 1000 }
oracle = { policy = "oracle", mean = 30.0, error = 0.001, episodes = 1000 }
"#;

pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("heldout-report-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("protocols")).expect("a folder for temporary files");
        fs::write(path.join("protocols/toy.toml"), PROTOCOL).expect("it can be written");
        keep_scales(&path, SCALES);
        Self(path)
    }

    /// Records of two seeds with two episodes each, played by a policy of each, which score `scores`.
    fn record(&self, task: &str, condition: &str, agent: &str, scores: [f64; 4]) {
        let policies = [0, 1].map(|seed| format!("{agent} trained with {seed}"));
        self.write(task, condition, agent, &scores, policies.into());
    }

    /// Records of two seeds that are played by one policy, or of a seed for each of `policies`.
    pub(crate) fn write(&self, task: &str, condition: &str, agent: &str, scores: &[f64], policies: Vec<String>) {
        let metrics = |score: f64| vec![("success".to_owned(), score)];
        self.write_with(task, condition, agent, scores, policies, metrics);
    }

    /// The same, with these metrics of each score.
    fn write_with(
        &self,
        task: &str,
        condition: &str,
        agent: &str,
        scores: &[f64],
        policies: Vec<String>,
        metrics: impl Fn(f64) -> Vec<(String, f64)>,
    ) {
        let seeds = if policies.is_empty() { 2 } else { policies.len() as u64 };
        let episodes = scores.len() as u64 / seeds;
        let id = match task {
            "grid" => "example/grid-v1",
            "walk" | "roam" => "memory/visible-goal-with-buildings-mini-v1",
            "halma" => "halma/symbolic-v1",
            _ => "example/signal-v1",
        };
        let entry = heldout_envs::find(id).expect("there is one");
        let header = Header {
            format: heldout_eval::records::FORMAT,
            heldout: "0.1.0".into(),
            build: Build { commit: "0".into(), profile: "release".into(), target: "x".into(), features: vec![] },
            protocol: "toy".into(),
            protocol_hash: self.hash(),
            task: task.into(),
            condition: condition.into(),
            held_out: condition == "far",
            agent: agent.into(),
            policy: agent.into(),
            policy_asked: None,
            policies,
            trained: serde_json::Map::new(),
            id: id.into(),
            config: entry.configure(&serde_json::Map::new()).expect("the default"),
            metric: match task {
                "grid" => "success",
                "halma" => "rho_p",
                _ => "return",
            }
            .into(),
            weights: BTreeMap::new(),
            shares: vec![],
            own_problems: false,
            whole_set: false,
            episodes,
            episodes_by_seed: vec![],
            episodes_asked: None,
            seeds: (0..seeds).collect(),
            trace: false,
            sources: vec![],
            made_from: None,
            experience: None,
            scale_of: None,
            continued_by: vec![],
            machine: Machine { os: "linux".into(), arch: "x".into(), cpu: None },
        };
        let (mut writer, _) = Writer::open(&self.0, &header, false).expect("a new file");
        let of = |(i, &score): (usize, &f64)| Record {
            seed: i as u64 / episodes,
            episode: i as u64 % episodes,
            problem: (task == "halma").then_some((i as u64 % episodes) as u32),
            r#return: score,
            length: 3,
            status: Status::Terminated,
            metrics: metrics(score).into_iter().collect(),
            trace: None,
        };
        let records: Vec<Record> = scores.iter().enumerate().map(of).collect();
        writer.append(&records).expect("there is room");
    }

    /// That of the protocol as it lies there.
    fn hash(&self) -> String {
        let text = fs::read_to_string(self.0.join("protocols/toy.toml")).expect("it is there");
        Protocol::parse("toy", "toy.toml", &text).expect("it is sound").hash()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn toy(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (task, condition, agent, scores) in [
        ("grid", "train", "learner", [2.0, 1.0, 1.5, 2.5]),
        ("grid", "far", "learner", [0.5, 0.5, 1.0, 1.0]),
        ("grid", "train", "oracle", [2.0, 2.0, 2.0, 2.0]),
        ("grid", "far", "oracle", [2.0, 2.0, 2.0, 1.9]),
        ("signal", "train", "random", [10.0, 10.0, 10.0, 10.0]),
        ("signal", "train", "learner", [20.0, 20.0, 20.0, 20.0]),
        ("signal", "train", "oracle", [30.0, 30.0, 30.0, 30.0]),
        ("signal", "far", "random", [10.0, 10.0, 10.0, 10.0]),
        ("signal", "far", "learner", [10.0, 10.0, 14.0, 14.0]),
        ("signal", "far", "oracle", [30.0, 30.0, 30.0, 30.0]),
    ] {
        folder.record(task, condition, agent, scores);
    }
    folder
}

#[test]
fn scores_scales_and_gaps_are_those_computed_by_hand() {
    let folder = toy("scores");
    let results = Results::read(&[folder.path()]).expect("records");
    let suite = &results.suites[0];
    assert_eq!(suite.agents, ["random", "learner", "oracle"]);
    let value = |task, condition, scale| suite.score((task, condition, 1), scale).map(|m| m.value);
    // Runs of 1.5 and 2.0, on a scale from 0 to 2; published random play 0.5, people 1.5.
    assert_eq!(value(0, 0, Scale::Raw), Some(1.75));
    assert_eq!(value(0, 0, Scale::Task), Some(0.875));
    assert_eq!(value(0, 0, Scale::Human), Some(1.25));
    // Runs of 10 and 14 between 10 and 30; nobody has published what people do there.
    assert_eq!(value(1, 1, Scale::Task), Some(0.1));
    assert_eq!(value(1, 1, Scale::Human), None);
    // People are within noise of random play on the far grid: that never enters a mean.
    assert_eq!(value(0, 1, Scale::Human), Some(0.5));
    assert_eq!(suite.places(1, Scale::Human, |_, _| true), [(0, 0, 1)]);
    // The scale is not made of the run: the oracle falls short of it on the far grid.
    assert_eq!(suite.score((0, 1, 2), Scale::Task).map(|m| m.value), Some(0.9875));
    let gap = suite.gap(0, 1, Scale::Raw).expect("both halves");
    assert_eq!((gap.train.value, gap.held_out.value, gap.gap.value), (1.75, 0.75, 1.0));
    let interval = gap.gap.interval.expect("two runs");
    // The runs lose 1.5 - 0.5 and 2 - 1: no chance is seen in it.
    assert_eq!((interval.low, interval.high), (1.0, 1.0));
}

#[test]
fn claims_are_shown_with_their_comparisons_if_an_agent_is_concerned() {
    let folder = toy("claims");
    let report = Report::new(&[folder.path()]).expect("records");
    let (markdown, html) = (report.markdown(), report.html());
    assert!(markdown.contains("Of 2 claims about these agents, these records"), "{markdown}");
    assert!(!markdown.contains("nobody ran") && !html.contains("nobody ran"));
    // One row for the claim, and one below for each of its comparisons.
    assert!(markdown.contains("| 2 | The learner is below the oracle and above an LSTM | Table 1 | **undecided** |"));
    assert!(markdown.contains("; not run: LSTM |"), "{markdown}");
    assert!(markdown.contains("| 2 | both tasks, far: oracle above learner |"), "{markdown}");
    assert!(markdown.contains("| 2 | all tasks, far: learner above LSTM | undecided | – | – | `LSTM` was not run |"));
    assert!(html.contains("<details>\n<summary>The comparisons of each claim"), "unfolded only when asked for");
}

#[test]
fn a_report_is_one_file_that_needs_nothing_else() {
    let folder = toy("whole");
    fs::write(
        folder.path().join("curves.jsonl"),
        "{\"agent\": \"learner\", \"task\": \"grid\", \"seed\": 0, \"step\": 10, \"train\": 0.25, \"far\": 0.1}\n\
         {\"agent\": \"learner\", \"task\": \"grid\", \"seed\": 0, \"step\": 20, \"train\": 0.75, \"far\": 0.2}\n{\"st",
    )
    .expect("it can be written");
    let failure = Failure {
        protocol: "toy".into(),
        task: "grid".into(),
        condition: "train".into(),
        agent: "random".into(),
        problem: "it <broke>".into(),
    };
    Failure::write_all(folder.path(), &[failure]).expect("it can be written");
    let html = report::html(&[folder.path()]).expect("records");
    for foreign in ["<script ", "<link", "@import", "url(", "src=\"http", "href=\"http", "fetch(", "import("] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    assert_eq!(html.matches("<script>").count(), 1, "the script is inside");
    // Nothing from records or protocols is markup.
    assert!(html.contains("A toy &lt;experiment&gt;") && !html.contains("<experiment>") && !html.contains("<broke>"));
    for part in
        ["<svg", "role=\"img\"", "<caption>", "scope=\"row\"", "data:image/png;base64,", "Learning curves", "Failures"]
    {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("steps to each arrival"), "only a family that measures arrivals shows them");
    // 0.875 and 0.5 in training, 0.375 and 0.1 held out: 68.75 % to 23.75 %.
    let said = "is undecided: whether it is above the floor in training is not clear (68.8 %, 95 % interval";
    assert!(html.contains(said), "two runs are too few to tell: {html}");
    let mut level = 1;
    for heading in
        html.match_indices("<h").filter_map(|(i, _)| html.as_bytes().get(i + 2)).filter(|b| b.is_ascii_digit())
    {
        let next = heading - b'0';
        assert!(next <= level + 1, "headings are in order: h{next} after h{level}");
        level = next;
    }
}

#[test]
fn agents_are_ranked_by_what_they_score_over_all_tasks_and_squares_say_how_sure_they_are() {
    let folder = toy("ranked");
    let (markdown, html) =
        (report::markdown(&[folder.path()]).expect("records"), report::html(&[folder.path()]).expect("records"));
    assert!(markdown.contains("| agent | rank | train | far | all | tasks |\n"), "no paper ranks these: {markdown}");
    let row = |begins: &str| {
        let line =
            markdown.lines().find(|line| line.starts_with(begins)).unwrap_or_else(|| panic!("{begins}: {markdown}"));
        line.split(" | ").map(|cell| cell.split(" (").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    // Of the scale: 87.5 and 50 in training, 37.5 and 10 held out.
    assert_eq!(row("| learner | 2 |")[2..5], ["68.8", "23.8", "46.2"]);
    assert_eq!(row("| oracle | 1 |")[2..5], ["100.0", "99.4", "99.7"]);
    assert_eq!(row("| random | – |")[2..5], ["0.0", "0.0", "0.0"], "who did not play every task has no rank");
    // The grid's floor is random play in training, and the shortcut where that is better.
    assert!(html.contains("grid (0: shortcut 0.000), learner: 37.5 "), "{html}");
    assert!(html.contains("grid (0: random 0.000), learner: 87.5 -71 to 246"), "{html}");
    assert!(markdown.contains("| `shortcut` 0.000 |"), "the floor stands beside the score: {markdown}");
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let (one, two) = (toy("one"), toy("two"));
    let (first, second) = (Report::new(&[one.path()]).expect("records"), Report::new(&[two.path()]).expect("records"));
    assert_eq!(first.html(), second.html());
    assert_eq!(first.markdown(), second.markdown());
    // The same records again add nothing.
    let both = Report::new(&[one.path(), two.path()]).expect("records");
    assert_eq!(both.markdown(), first.markdown());
    // Other records of the same episodes are noticed by name.
    let other = Folder::new("other");
    other.record("grid", "far", "learner", [0.0, 0.0, 0.0, 0.0]);
    let markdown = report::markdown(&[one.path(), other.path()]).expect("records");
    let note =
        "`learner` in toy / grid / far: 4 episodes are recorded twice with other content; the first record counts.";
    assert!(markdown.contains(note), "{markdown}");
}

/// The caption and the drawing of arrivals, of whose four episodes the first gets to one arrival, the second to two and so
/// on, each faster than the one before it.
#[test]
fn arrivals_are_drawn_over_the_same_episodes_throughout() {
    let folder = Folder::new("arrivals");
    let arrivals = |reached: f64| {
        let of = |k: i32| (format!("arrival_{k}"), 100.0 / reached);
        (1..=reached as i32).map(of).collect::<Vec<_>>()
    };
    folder.write_with("walk", "near", "A", &[1.0, 2.0, 3.0, 4.0], vec![], arrivals);
    folder.write_with("walk", "far", "A", &[1.0, 1.0, 1.0, 4.0], vec![], arrivals);
    let html = report::html(&[folder.path()]).expect("a report");
    assert!(html.contains("walk, A: steps to each arrival"), "metrics called `arrival_K` are drawn");
    // Half of the episodes get to a third arrival, in 33.3 and 25 steps each time. Whoever does not is slower, and counts at
    // no arrival: otherwise the line would fall for want of them.
    assert!(html.contains("near: 3 in 2 of 4 episodes: from 29.17 to 29.17"), "{html}");
    assert!(html.contains(">near: 3 in 2 of 4 episodes</text>"), "the legend says how many");
    assert!(!html.contains(">far: "), "a single arrival makes no line");
    assert!(html.contains("Fewer than half get to a second in far."));
}

/// The dynamic tests of HALMA together are the mean over all their mazes (Fig. S14), run by run: a test with more mazes
/// weighs more, and what is no dynamic test is no part of it. A maze's number in one test is another maze in the next.
#[test]
fn amendment_24_the_merged_mean_is_over_all_mazes_of_the_dynamic_tests() {
    let folder = Folder::new("merged");
    let conditions = ["T", "RT", "ST-1", "AfT-2", "AnT"]
        .map(|name| format!("[[task.condition]]\nname = \"{name}\"\nheld_out = {}\n", name != "T"));
    let protocol = format!(
        "title = \"Tests\"\nsummary = \"Merged.\"\nseeds = 1\n[[task]]\nname = \"halma\"\nid = \"halma/symbolic-v1\"\n\
         kind = {{ name = \"halma-dynamic\", experience = 100 }}\nepisodes = 4\nmetric = \"rho_p\"\n{}",
        conditions.concat()
    );
    fs::write(folder.path().join("protocols/toy.toml"), protocol).expect("it can be written");
    fs::remove_file(folder.path().join("protocols/toy.scales.toml")).expect("it is there");
    let rho_p = |score: f64| vec![("rho_p".to_owned(), score)];
    let write = |condition: &str, agent: &str, scores: &[f64], runs: usize| {
        let policies = (0..runs).map(|run| format!("{agent} {run}")).collect();
        folder.write_with("halma", condition, agent, scores, policies, rho_p);
    };
    // Two trained policies: 3 and 1 of 6 mazes, where the means of the tests' means would be 5/8 and 1/4.
    write("T", "learner", &[1.0; 4], 2);
    write("RT", "learner", &[1.0; 4], 2);
    write("ST-1", "learner", &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 2);
    write("AnT", "learner", &[1.0, 1.0, 1.0, 0.0], 2);
    // One alone, in three tests; and one that was given a single test.
    write("ST-1", "single", &[1.0, 0.0, 0.0, 0.0], 1);
    write("AfT-2", "single", &[0.5], 1);
    write("AnT", "single", &[1.0, 1.0], 1);
    write("T", "plain", &[0.0, 1.0], 1);
    write("AnT", "plain", &[0.0, 1.0], 1);
    let results = Results::read(&[folder.path()]).expect("records");
    let suite = &results.suites[0];
    let merged = |label: &str| {
        let all = suite.merged(0, suite.agent(label).expect("it played"));
        let [(group, score)] = all[..] else { panic!("{all:?}") };
        assert_eq!(group, "ST, AfT, AnT merged");
        let interval = score.interval.expect("several");
        (score.value, interval.low, interval.high)
    };
    let near = |(value, low, high): (f64, f64, f64), expected: [f64; 3]| {
        let off = [value, low, high].into_iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{value} {low} {high}, not {expected:?}");
    };
    // Student's interval over the two runs, 1/2 and 1/6: 12.706 times 1/6.
    near(merged("learner"), [1.0 / 3.0, 1.0 / 3.0 - 2.1177, 1.0 / 3.0 + 2.1177]);
    // Over seven mazes: 0.5 plus or minus 2.447 times the root of 1.5 / (6 * 7).
    near(merged("single"), [0.5, 0.5 - 0.4624, 0.5 + 0.4624]);
    let markdown = report::markdown(&[folder.path()]).expect("records");
    for row in [
        "| halma | ST, AfT, AnT merged | learner | `rho_p` | 0.333 (",
        "| halma | ST, AfT, AnT merged | single | `rho_p` | 0.500 (",
    ] {
        assert!(markdown.contains(row), "{row}\n{markdown}");
    }
    assert!(!markdown.contains("| ST, AfT, AnT merged | plain |"), "one test alone is in the table above");
}

#[test]
fn the_overview_comes_first_and_sections_follow_in_order() {
    let folder = toy("order");
    let html = report::html(&[folder.path()]).expect("records");
    let places: Vec<usize> = [
        "<h2 id=\"summary\">",
        "example: training and held out",
        "Does it generalise beyond",
        "<h2 id=\"all-tasks-together\">",
        "<h3 id=\"aggregates\">",
        "<h2 id=\"a-toy--experiment---toy-\">",
        "<h3 id=\"scores\">",
        "<h3 id=\"claims-of-the-paper\">",
        "<h3 id=\"episodes\">",
        "<h2 id=\"how-to-read-the-numbers\">",
        "<h2 id=\"how-it-was-made\">",
    ]
    .map(|part| html.find(part).unwrap_or_else(|| panic!("{part}: {html}")))
    .into();
    assert!(places.is_sorted(), "{places:?}");
    // One family: its gaps are those of the summary.
    assert!(!html.contains("by-family"));
}

#[test]
fn no_table_is_empty_and_none_is_there_twice() {
    let folder = toy("tables");
    let markdown = report::markdown(&[folder.path()]).expect("records");
    let blocks: Vec<&str> = markdown.split("\n\n").collect();
    let tables: Vec<&str> = blocks.iter().filter(|block| block.starts_with("| ")).copied().collect();
    assert!(tables.len() > 5, "{}", tables.len());
    for (i, table) in tables.iter().enumerate() {
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(" | ").collect()).collect();
        assert!(lines.len() > 2, "{table}");
        for column in 0..lines[0].len() {
            let silent = |cell: &str| ["", "–"].contains(&cell.trim_matches(['|', ' ']));
            assert!(lines[2..].iter().any(|line| !silent(line[column])), "column {column} of {table}");
        }
        assert!(!tables[..i].contains(table), "{table}");
    }
    let headings: Vec<usize> =
        blocks.iter().enumerate().filter(|(_, b)| b.starts_with("###")).map(|(i, _)| i).collect();
    assert!(headings.windows(2).all(|pair| pair[0] + 1 < pair[1]), "a heading without anything below it");
    let aggregates = tables.iter().filter(|table| table.contains("interquartile mean")).count();
    assert_eq!(aggregates, 1, "scales stand in one table");
}

#[test]
fn every_cell_leads_to_its_episodes() {
    let folder = toy("episodes");
    let report = Report::new(&[folder.path()]).expect("records");
    let (html, markdown) = (report.html(), report.markdown());
    let links: Vec<&str> =
        html.match_indices("href=\"#episodes-of-").filter_map(|(i, _)| html[i + 7..].split('"').next()).collect();
    assert_eq!(links.len(), 10, "one from each cell: {links:?}");
    for link in links {
        assert_eq!(html.matches(&format!("<tr id=\"{link}\">")).count(), 1, "{link}");
    }
    // 2, 1, 1.5 and 2.5: two runs of two episodes.
    assert!(markdown.contains("| learner | best | 1 | 1 | 2.500 | 2.500 | 3 | terminated |"), "{markdown}");
    assert!(markdown.contains("| learner | middle | 1 | 0 | 1.500 | 1.500 | 3 | terminated |"));
    assert!(markdown.contains("| learner | worst | 0 | 1 | 1 | 1 | 3 | terminated |"));
    assert!(markdown.contains("| oracle | any: all score alike | 0 | 0 | 2 | 2 | 3 | terminated |"));
    assert!(!markdown.contains("](#"), "links lead nowhere in Markdown");
    // Nobody played like that, and the page does not say so.
    assert!(
        html.contains("The records do not say what learner did: seen here is the same episode as <code>oracle</code>")
    );
    let forged = Folder::new("forged");
    forged.write("grid", "train", "oracle", &[7.0, 7.0], vec![]);
    let html = report::html(&[forged.path()]).expect("records");
    assert!(html.contains("What was recorded does not come out again with this build"), "{html}");
}

#[test]
fn episodes_of_scripted_policies_are_seen_as_they_were_played() {
    let folder = crate::common::Folder::new("replayed");
    let evaluation = Evaluation {
        protocols: vec![Protocol::find("smoke").expect("a built-in one")],
        entrants: vec![Entrant::parse("random", &no_learners).expect("a policy")],
        out: folder.0.clone(),
        seed: 7,
        seeds: Some(1),
        episodes: Some(2),
        threads: 2,
        tasks: Vec::new(),
        resume: false,
        other_build: false,
    };
    evaluation.run(&AtomicBool::new(false), &|_| {}).expect("it plays");
    let html = report::html(&[&folder.0]).expect("records");
    assert!(!html.contains("does not come out again") && !html.contains("The records do not say what"), "{html}");
    // Moments of one episode differ.
    let films: Vec<Vec<&str>> = html
        .split("<div class=\"pictures\">")
        .skip(1)
        .map(|film| film.split("</div>").next().unwrap_or_default())
        .map(|film| film.split("base64,").skip(1).filter_map(|rest| rest.split('"').next()).collect())
        .collect();
    assert!(films.len() > 4, "{}", films.len());
    for film in films {
        let mut different = film.clone();
        different.sort_unstable();
        different.dedup();
        assert!(film.len() > 1 && different.len() == film.len(), "{} of {}", different.len(), film.len());
    }
}

#[test]
fn tables_can_be_sorted_and_scrolled_and_are_whole_on_paper() {
    let folder = toy("page");
    let html = report::html(&[folder.path()]).expect("records");
    let tables = html.matches("<table>").count();
    assert_eq!(html.matches("<div class=\"wide\" role=\"region\" tabindex=\"0\"").count(), tables);
    assert_eq!(html.matches("<thead><tr><th scope=\"col\"").count(), tables);
    for part in ["aria-sort", "createElement(\"button\")", "beforeprint", "position: sticky", "size: A4 landscape"] {
        assert!(html.contains(part), "{part}");
    }
    assert!(html.contains("<div class=\"sheet\">\n<h3 id=\"scores\">"), "a wide table takes its heading along");
    let names = ["learner", "an agent whose name is long enough to need more than a single line of the drawings"];
    let folder = Folder::new("names");
    folder.record("grid", "train", names[0], [2.0, 1.0, 1.5, 2.5]);
    folder.record("grid", "train", names[1], [2.0, 1.0, 1.5, 2.5]);
    let html = report::html(&[folder.path()]).expect("records");
    let drawn = html.split("<svg").skip(1).filter_map(|svg| svg.split("</svg>").next());
    for svg in drawn.filter(|svg| svg.contains(names[1])) {
        let texts = svg.split("<text").skip(1).filter_map(|text| text.split_once('>')?.1.split_once('<'));
        let all: String = texts.map(|(text, _)| text.replace(' ', "")).collect();
        assert!(all.contains(&names[1].replace(' ', "")) && !all.contains('…'), "{all}");
    }
}

#[test]
fn published_numbers_keep_what_was_printed() {
    let folder = Folder::new("printed");
    let entry = heldout_envs::find("halma/symbolic-v1").expect("there is one");
    let protocol = Protocol::find("halma-table1").expect("a built-in one");
    let task = &protocol.tasks[0];
    folder.write("grid", "train", "A", &[1.0, 1.0], vec![]);
    let path = folder.path().join("records/toy/grid/train/A.jsonl");
    let text = fs::read_to_string(&path).expect("it was written");
    let mut header: serde_json::Value = serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    header["protocol"] = json!("halma-table1");
    header["task"] = json!(task.name);
    header["condition"] = json!(task.conditions[0].name);
    header["id"] = json!(task.id);
    header["config"] = entry.configure(&serde_json::Map::new()).expect("the default");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let header = crate::common::sealed(&header.to_string());
    fs::write(&path, format!("{header}{}\n", lines.join("\n"))).expect("it can be written");
    let markdown = report::markdown(&[folder.path()]).expect("records");
    let printed = heldout_eval::published::find("halma").expect("there are tables");
    let tables = printed.tables.iter().filter(|t| t.protocol == "halma-table1");
    let numbers: Vec<&String> =
        tables.flat_map(|t| &t.rows).flat_map(|r| r.printed.0.iter().flatten()).map(|n| &n.text).collect();
    assert!(numbers.iter().any(|text| text.contains("± 0.00")), "{numbers:?}");
    for text in numbers {
        assert!(markdown.contains(&format!("| {text} ")), "{text}");
    }
}

#[test]
fn markdown_tables_are_even_and_no_mean_is_bare() {
    let folder = toy("markdown");
    let markdown = report::markdown(&[folder.path()]).expect("records");
    let mut width = None;
    for line in markdown.lines() {
        let bars = line.replace("\\|", "").matches('|').count();
        if bars == 0 {
            width = None;
        } else if let Some(width) = width {
            assert_eq!(bars, width, "{line}");
        } else {
            width = Some(bars);
        }
    }
    assert!(markdown.contains("| 1.750 (-1.427 to 4.927) |"), "{markdown}");
}

#[test]
fn what_cannot_be_reported_on_is_refused() {
    let folder = Folder::new("empty");
    let error = Report::new(&[folder.path()]).expect_err("there are no records").to_string();
    assert!(error.contains("holds no records"), "{error}");
    assert!(Report::new(&[]).is_err());
    let folder = toy("curves");
    fs::write(folder.path().join("curves.jsonl"), "{\"train\": 1}\n").expect("it can be written");
    let error = Report::new(&[folder.path()]).expect_err("no step").to_string();
    assert!(error.contains("line 1 has no whole number `step`"), "{error}");
    assert_eq!(json!(heldout_eval::claims::Verdict::Agree), "agree");
}

#[test]
fn a_protocol_that_is_not_at_hand_is_guessed_from_the_records() {
    let folder = toy("guessed");
    fs::remove_file(folder.path().join("protocols/toy.toml")).expect("it is there");
    let results = Results::read(&[folder.path()]).expect("records");
    let suite = &results.suites[0];
    assert!(!suite.known);
    assert_eq!(suite.protocol.tasks[0].conditions[0].name, "train", "training comes first");
    // Without the protocol there is no scale, so nobody is judged.
    assert_eq!(suite.score((1, 1, 1), Scale::Task), None);
    let told = report::markdown(&[folder.path()]).expect("records");
    assert!(told.contains("**learner** cannot be placed between floor and ceiling"), "{told}");
    assert!(report::html(&[folder.path()]).expect("records").contains("not at hand"));
}

/// Scales that lost the line with their checksum were believed.
#[test]
fn kept_scales_without_their_checksum_were_believed() {
    let folder = Folder::new("unsealed");
    folder.write("grid", "train", "one", &[0.5; 20], vec![]);
    assert!(Results::read(&[folder.path()]).is_ok());
    let path = folder.path().join("protocols/toy.scales.toml");
    let sealed = fs::read_to_string(&path).expect("it is there");
    let bare = sealed.rsplit_once("# check ").expect("it is sealed").0;
    for changed in [bare.to_owned(), sealed.replacen("mean = ", "mean = 1", 1)] {
        assert_ne!(changed, sealed);
        fs::write(&path, changed).expect("it can be written");
        let error = Results::read(&[folder.path()]).err().map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|error| error.contains("is not what was played: its checksum is")),
            "{error:?}"
        );
    }
}

/// A header named any file of the machine for its protocol, and the report showed what it held.
#[test]
fn records_named_files_to_read() {
    let folder = Folder::new("elsewhere");
    let outside = folder.path().join("secret.toml");
    fs::write(&outside, PROTOCOL.replacen("title = \"", "title = \"Secret ", 1)).expect("it can be written");
    folder.write("grid", "train", "one", &[0.5; 20], vec![]);
    let record = find(&folder.path().join("records"));
    let text = fs::read_to_string(&record).expect("it is there");
    let (header, rest) = text.split_once('\n').expect("a header");
    for name in [outside.display().to_string(), outside.with_extension("").display().to_string(), "../secret".into()] {
        let forged = header.replacen("\"protocol\":\"toy\"", &format!("\"protocol\":\"{name}\""), 1);
        assert_ne!(forged, header);
        fs::write(&record, crate::common::sealed(&forged) + rest).expect("it can be written");
        if let Ok(report) = Report::new(&[folder.path()]) {
            assert!(!report.html().contains("Secret") && !report.markdown().contains("Secret"), "{name}");
        }
    }
}

/// The first file of records below a folder.
fn find(folder: &Path) -> PathBuf {
    let entry = fs::read_dir(folder).expect("a folder").next().expect("something in it").expect("its name").path();
    if entry.is_dir() { find(&entry) } else { entry }
}
