//! What a report says of agents whose scores were made up for the purpose, and of records that were tampered with.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use heldout_eval::entrant::{Entrant, no_learners};
use heldout_eval::protocol::Protocol;
use heldout_eval::records::Recorded;
use heldout_eval::report;
use heldout_eval::results::{Results, Scale};
use heldout_eval::runner::Evaluation;
use heldout_eval::scales::{Scales, entrants};

use crate::claims::unit_scales;
use crate::common::{Folder as Plain, keep_scales, sealed};
use crate::report::Folder;

const PROTOCOL: &str = r#"
title = "Eight agents"
summary = "Two families, training and held out."
seeds = 5
[defaults]
episodes = 20
condition = [{ name = "train", held_out = false }, { name = "far", held_out = true }]
[[task]]
name = "grid"
id = "example/grid-v1"
metric = "success"
[[task]]
name = "walk"
id = "memory/visible-goal-with-buildings-mini-v1"
metric = "return"
[[task]]
name = "roam"
id = "memory/visible-goal-with-buildings-mini-v1"
metric = "return"
"#;

/// Five runs of twenty episodes around `mean`; runs lie `apart` from each other.
fn runs(folder: &Folder, agent: &str, task: &str, condition: &str, mean: f64, apart: f64) {
    let scores: Vec<f64> = (0..5)
        .flat_map(|run| {
            let own = mean + f64::from(run - 2) * apart * if condition == "far" && run % 2 == 0 { -1.0 } else { 1.0 };
            (0..20).map(move |i| own + f64::from(i % 2) * 0.02 - 0.01)
        })
        .collect();
    let policies = (0..5).map(|run| format!("{agent} sha256:{run}")).collect();
    folder.write(task, condition, agent, &scores, policies);
}

/// Agents that are constructed to deserve a verdict get it, in whole sentences.
#[test]
fn eight_constructed_agents_are_told_for_what_they_are() {
    let folder = Folder::new("eight");
    fs::write(folder.path().join("protocols/toy.toml"), PROTOCOL).expect("it can be written");
    let places =
        [("grid", "train"), ("grid", "far"), ("walk", "train"), ("walk", "far"), ("roam", "train"), ("roam", "far")];
    keep_scales(folder.path(), &unit_scales(&places));
    // Name, then training and held out on the grid and among buildings, and how far runs lie apart.
    let agents: [(&str, [Option<f64>; 4], f64); 8] = [
        ("memoriser", [Some(0.95), Some(0.02), Some(0.9), Some(0.0)], 0.01),
        ("generaliser", [Some(0.9), Some(0.89), Some(0.8), Some(0.79)], 0.01),
        ("shortcut taker", [Some(0.01), Some(0.0), Some(0.02), Some(0.0)], 0.01),
        ("half-broken", [Some(0.9), Some(0.9), Some(0.9), Some(0.2)], 0.01),
        ("noisy", [Some(0.7), Some(0.5), Some(0.6), Some(0.5)], 0.05),
        ("below floor", [Some(-0.5), Some(-0.5), Some(-0.4), Some(-0.4)], 0.01),
        ("above ceiling", [Some(1.5), Some(1.5), Some(1.0), Some(1.0)], 0.01),
        ("one family", [Some(0.9), Some(0.3), None, None], 0.01),
    ];
    for (agent, means, apart) in agents {
        // Among buildings twice, so that a family weighs more than the other in the plain mean.
        let [.., walk, far] = means;
        for ((task, condition), mean) in places.iter().zip(means.into_iter().chain([walk, far])) {
            if let Some(mean) = mean {
                runs(&folder, agent, task, condition, mean, apart);
            }
        }
    }
    let markdown = report::markdown(&[folder.path()]).expect("records");
    let told = |agent: &str| {
        let start = format!("- **{agent}** ");
        let line = markdown.lines().find(|line| line.starts_with(&start));
        line.unwrap_or_else(|| panic!("nothing of {agent}: {markdown}"))[start.len()..].to_owned()
    };
    for (agent, expected) in EXPECTED {
        assert_eq!(told(agent), expected, "{agent}");
    }
    let alike = "| shortcut taker | at the floor |";
    assert!(markdown.contains(alike), "{markdown}");
}

/// The whole of what is said of each.
const EXPECTED: [(&str, &str); 8] = [
    (
        "memoriser",
        "breaks: from 91.7 % in training to 0.7 % on what is held out (3 tasks), a gap of 91 points (95 % interval \
         87.5 to 94.5). All of that interval is beyond the margin of 10. Of 3 held-out conditions with a training \
         condition, it breaks in 3; most is lost in grid under far (2 % after 95 %), walk under far (0 % after 90 %), \
         roam under far (0 % after 90 %).",
    ),
    (
        "generaliser",
        "generalises: from 83.3 % in training to 82.3 % on what is held out (3 tasks), a gap of 1 point (95 % \
         interval -2.5 to 4.5). None of that interval is above the margin of 10. Of 3 held-out conditions with a \
         training condition, it generalises in 3.",
    ),
    (
        "shortcut taker",
        "is at the floor in training (1.7 %, 95 % interval -0.3 to 3.6; 3 tasks): there is nothing that could \
         generalise. Of 3 held-out conditions with a training condition, it is at the floor, or below, even in \
         training in 3.",
    ),
    (
        "half-broken",
        "breaks: from 90 % in training to 43.3 % on what is held out (3 tasks), a gap of 46.7 points (95 % interval \
         43.2 to 50.2). All of that interval is beyond the margin of 10. With families weighed alike the gap is 35 \
         points (95 % interval 31.5 to 38.5): breaks. Of 3 held-out conditions with a training condition, it \
         generalises in 1, it breaks in 2; most is lost in walk under far (20 % after 90 %), roam under far (20 % \
         after 90 %).",
    ),
    (
        "noisy",
        "is undecided: from 63.3 % in training to 50 % on what is held out (3 tasks), a gap of 13.3 points (95 % \
         interval -4.2 to 30.9). The margin of 10 lies within that interval. About 134 more training seeds would \
         tell, if the numbers stay as they are. With families weighed alike the gap is 15 points (95 % interval -2.6 \
         to 32.6): undecided. Of 3 held-out conditions with a training condition, it is undecided in 3.",
    ),
    (
        "below floor",
        "is below the floor in training (-43.3 %, 95 % interval -45.3 to -41.4; 3 tasks): it does worse than whoever \
         lacks the ability, and there is nothing that could generalise. Of 3 held-out conditions with a training \
         condition, it is at the floor, or below, even in training in 3.",
    ),
    (
        "above ceiling",
        "generalises: from 116.7 % in training to 116.7 % on what is held out (3 tasks), a gap of 0 points (95 % \
         interval -3.5 to 3.5). None of that interval is above the margin of 10. Of 3 held-out conditions with a \
         training condition, it generalises in 3. It is above the ceiling in grid under train and 1 more (150 %, 95 % \
         interval 148 to 152): the scale does not reach that far, or the score is not what it says.",
    ),
    (
        "one family",
        "breaks in example alone: from 90 % in training to 30 % on what is held out (1 task), a gap of 60 points (95 \
         % interval 56.5 to 63.5). All of that interval is beyond the margin of 10.",
    ),
];

const GRID: &str = r#"
title = "Grid"
summary = "A task whose scale is measured here."
seeds = 1
[[task]]
name = "grid"
id = "example/grid-v1"
episodes = 600
metric = "success"
condition = [
  { name = "train", held_out = false, set = { split = "train" } },
  { name = "test", held_out = true, set = { split = "heldout" } },
]
"#;

fn evaluate(protocol: &Protocol, policies: &[&str], out: &Path) {
    let evaluation = Evaluation {
        protocols: vec![protocol.clone()],
        entrants: policies.iter().map(|p| Entrant::parse(p, &no_learners).unwrap()).collect(),
        out: out.to_owned(),
        seed: 100,
        seeds: None,
        episodes: None,
        threads: 2,
        tasks: Vec::new(),
        resume: false,
        other_build: false,
    };
    assert!(evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap().failures.is_empty());
}

/// Records of random, shortcut and oracle on the grid, with a scale that was measured before.
fn honest(name: &str) -> Plain {
    let folder = Plain::new(name);
    let mut protocol = Protocol::parse("grid", "grid.toml", GRID).unwrap();
    let scale = Evaluation {
        entrants: entrants(std::slice::from_ref(&protocol)),
        protocols: vec![protocol.clone()],
        out: folder.0.join("scale"),
        seed: 0,
        seeds: None,
        episodes: Some(1000),
        threads: 2,
        tasks: Vec::new(),
        resume: false,
        other_build: false,
    };
    scale.run(&AtomicBool::new(false), &|_| ()).unwrap();
    protocol.scales = Some(Scales::of(&protocol, &Recorded::read_all(&scale.out).unwrap(), 0));
    evaluate(&protocol, &["random", "oracle"], &folder.0.join("out"));
    folder
}

fn said(folder: &Plain) -> String {
    report::markdown(&[&folder.0.join("out")]).unwrap()
}

/// Changes every line but the first of a file of records, and the first by `header`.
fn tamper(path: &Path, header: impl Fn(&str) -> String, line: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let changed = text.lines().enumerate().map(|(i, l)| sealed(&if i == 0 { header(l) } else { line(l) }));
    fs::write(path, changed.collect::<String>()).unwrap();
}

/// A line with its success times `factor`.
fn scaled(line: &str, factor: f64) -> String {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    let success = &mut value["metrics"]["success"];
    *success = (success.as_f64().unwrap() * factor).into();
    value.to_string()
}

/// Problems that are made for whoever plays them, few of them.
const MADE: &str = r#"
title = "Made"
summary = "Tests that are made from experience."
seeds = 1
[[task]]
name = "halma"
id = "halma/symbolic-v1"
kind = { name = "halma-dynamic", experience = 300 }
episodes = 200
metric = "rho_p"
set = { mazes = 20, max_steps = 100 }
condition = [
  { name = "T", held_out = false, set = { split = "train" } },
  { name = "ST-2", held_out = true },
]
"#;

#[test]
fn the_scale_of_made_problems_is_that_of_all_directories_in_any_order() {
    let folder = Plain::new("made");
    let protocol = Protocol::parse("made", "made.toml", MADE).unwrap();
    let dirs = [0, 1].map(|seed| {
        let evaluation = Evaluation {
            protocols: vec![protocol.clone()],
            entrants: vec![Entrant::parse("half", &no_learners).unwrap()],
            out: folder.0.join(format!("seed-{seed}")),
            seed,
            seeds: None,
            episodes: None,
            threads: 2,
            tasks: Vec::new(),
            resume: false,
            other_build: false,
        };
        assert!(evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap().failures.is_empty());
        evaluation.out
    });
    let means = |dirs: &[&Path]| {
        let results = Results::read(dirs).unwrap();
        assert!(results.notes.is_empty(), "{:?}", results.notes);
        let suite = &results.suites[0];
        let at = (0, 1, 0);
        let scale = &suite.own_scales[&at];
        let scores: Vec<(u64, f64)> = scale.played().map(|s| (s.episodes, s.mean)).collect();
        (scores, suite.score(at, Scale::Task).unwrap().value)
    };
    let (both, again) = (means(&[&dirs[0], &dirs[1]]), means(&[&dirs[1], &dirs[0]]));
    assert_eq!(both.0.len(), 4, "random, two shortcuts and the oracle");
    for ((episodes, mean), (same, other)) in both.0.iter().zip(&again.0) {
        assert!(episodes == same && *episodes >= 2_000 && (mean - other).abs() < 2e-6, "{both:?} {again:?}");
    }
    assert!((both.1 - again.1).abs() < 1e-4, "{both:?} {again:?}");
    let markdown = report::markdown(&[&dirs[0], &dirs[1]]).unwrap();
    assert!(!markdown.contains("interrupted") && !markdown.contains("not played to the end"), "{markdown}");
    assert_eq!(markdown.lines().filter(|line| line.starts_with("heldout eval ")).count(), 2, "{markdown}");
}

#[test]
fn amendment_20_a_scale_of_made_problems_is_played_on_those_of_its_agent() {
    let folder = Plain::new("made-own");
    let evaluation = Evaluation {
        protocols: vec![Protocol::parse("made", "made.toml", MADE).unwrap()],
        entrants: ["half", "stepper"].map(|name| Entrant::parse(name, &no_learners).unwrap()).to_vec(),
        out: folder.0.join("out"),
        seed: 0,
        seeds: None,
        episodes: None,
        threads: 2,
        tasks: Vec::new(),
        resume: false,
        other_build: false,
    };
    assert!(evaluation.run(&AtomicBool::new(false), &|_| ()).unwrap().failures.is_empty());
    let records = Recorded::read_all(&evaluation.out).unwrap();
    let content = |recorded: &Recorded| recorded.header.sources.iter().map(|s| s.content.clone()).collect::<Vec<_>>();
    let made_for = |agent: &str| {
        let own = records.iter().find(|r| r.header.agent == agent && r.header.condition == "ST-2");
        content(own.unwrap_or_else(|| panic!("{agent} has no tests")))
    };
    // Half is whom the protocol's own scales are measured with: on its tests the stepper's scale would be another's.
    assert_ne!(made_for("half"), made_for("stepper"), "each has tests from what it experienced");
    let scales = Recorded::read_scales(&evaluation.out).unwrap();
    for agent in ["half", "stepper"] {
        let own: Vec<&Recorded> = scales
            .iter()
            .filter(|r| r.header.scale_of.as_deref() == Some(agent) && r.header.condition == "ST-2")
            .collect();
        assert_eq!(own.len(), 4, "random, two shortcuts and the oracle");
        for player in own {
            assert_eq!(content(player), made_for(agent), "{} on the tests of {agent}", player.header.agent);
        }
    }
    // The second score of these tests has its floor and ceiling beside it, on the same problems.
    let markdown = report::markdown(&[&evaluation.out]).unwrap();
    let measures = &markdown[markdown.find("### Other measures").unwrap()..];
    assert!(measures.contains("(grasp)"), "{measures}");
    for player in ["random", "stepper", "ignorer", "oracle"] {
        let row = format!("| halma | ST-2 | `{player}` on its problems |");
        assert_eq!(measures.matches(&row).count(), 2, "{row}\n{measures}");
    }
}

#[test]
fn honest_records_are_left_in_peace() {
    let markdown = said(&honest("honest"));
    assert!(!markdown.contains("do not fit together"), "{markdown}");
    assert!(markdown.contains("- **oracle** generalises: from 100 % under the training conditions"), "{markdown}");
    assert!(markdown.contains("- **random** is at the floor under the training conditions"), "{markdown}");
}

#[test]
fn an_oracle_cut_to_a_twentieth_is_noticed_by_name_and_not_at_the_ceiling() {
    let folder = honest("cut");
    for condition in ["train", "test"] {
        let path = folder.0.join(format!("out/records/grid/grid/{condition}/oracle.jsonl"));
        tamper(&path, str::to_owned, |line| scaled(line, 0.05));
    }
    let markdown = said(&folder);
    assert!(markdown.contains("`oracle` in grid / grid / train: scores "), "{markdown}");
    assert!(markdown.contains("the records, or the code, are not those of the scale"), "{markdown}");
    assert!(!markdown.contains("**oracle** generalises"), "{markdown}");
}

#[test]
fn random_play_that_is_doubled_is_noticed_by_name() {
    let folder = honest("doubled");
    let path = folder.0.join("out/records/grid/grid/train/random.jsonl");
    tamper(&path, str::to_owned, |line| scaled(line, 2.0));
    assert!(said(&folder).contains("`random` in grid / grid / train: scores "), "{}", said(&folder));
}

#[test]
fn a_swapped_split_is_noticed_by_name() {
    let folder = honest("swapped");
    let of = |condition: &str| folder.0.join(format!("out/records/grid/grid/{condition}/oracle.jsonl"));
    let (train, test) = (fs::read_to_string(of("train")).unwrap(), fs::read_to_string(of("test")).unwrap());
    // As if the two files had been exchanged, with the names within them set right.
    let named = |text: &str, from: &str, to: &str| {
        let text = text.replacen(&format!("\"condition\":\"{from}\""), &format!("\"condition\":\"{to}\""), 1);
        text.lines().map(sealed).collect::<String>()
    };
    fs::write(of("train"), named(&test, "test", "train")).unwrap();
    fs::write(of("test"), named(&train, "train", "test")).unwrap();
    let markdown = said(&folder);
    assert!(
        markdown.contains("`oracle` in grid / grid / train: recorded as held out, but the protocol says training"),
        "{markdown}"
    );
    assert!(
        markdown.contains("recorded with `split` = `\"heldout\"`, where the protocol has `\"train\"`"),
        "{markdown}"
    );
}

#[test]
fn a_duplicated_file_counts_once_and_under_another_label_is_noticed_by_name() {
    let folder = honest("twice");
    let once = said(&folder);
    // The same records in a second directory are the same records.
    let both = [folder.0.join("out"), folder.0.join("again")];
    let mut folders = vec![both[0].clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let to = both[1].join(path.strip_prefix(&both[0]).unwrap());
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(&path, to).unwrap();
            }
        }
    }
    assert_eq!(report::markdown(&[&both[0], &both[1]]).unwrap(), once);
    // An agent whose records are those of another.
    for condition in ["train", "test"] {
        let of = |name: &str| folder.0.join(format!("out/records/grid/grid/{condition}/{name}.jsonl"));
        for name in ["first", "second"] {
            fs::copy(of("random"), of(name)).unwrap();
            let label = |line: &str| {
                line.replacen("\"agent\":\"random\"", &format!("\"agent\":\"{name}\""), 1).replacen(
                    "\"policy\":\"random\"",
                    "\"policy\":\"net sha256:0\"",
                    1,
                )
            };
            tamper(&of(name), label, str::to_owned);
        }
    }
    let markdown = said(&folder);
    assert!(
        markdown.contains("`first` and `second` have the same records: one policy under two labels."),
        "{markdown}"
    );
}

#[test]
fn a_foreign_build_is_noticed_by_name() {
    let folder = honest("foreign");
    let path = folder.0.join("out/records/grid/grid/train/oracle.jsonl");
    tamper(&path, |header| header.replacen("\"commit\":\"", "\"commit\":\"other-", 1), str::to_owned);
    let markdown = said(&folder);
    assert!(markdown.contains("Records of 2 builds stand side by side"), "{markdown}");
    assert!(markdown.contains("(other-"), "{markdown}");
}

#[test]
fn records_of_another_build_are_continued_only_when_told_and_say_so() {
    let folder = honest("continued");
    let out = folder.0.join("out");
    let path = out.join("records/grid/grid/train/oracle.jsonl");
    tamper(&path, |header| header.replacen("\"commit\":\"", "\"commit\":\"other-", 1), str::to_owned);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split_inclusive('\n').take(301).collect::<String>()).unwrap();
    let evaluation = Evaluation {
        protocols: vec![Protocol::find(&out.join("protocols/grid.toml").display().to_string()).unwrap()],
        entrants: vec![Entrant::parse("oracle", &no_learners).unwrap()],
        out,
        seed: 100,
        seeds: None,
        episodes: None,
        threads: 1,
        tasks: Vec::new(),
        resume: true,
        other_build: false,
    };
    let run = |evaluation: &Evaluation| evaluation.run(&AtomicBool::new(false), &|_| ());
    let error = run(&evaluation).unwrap_err().to_string();
    assert!(error.contains("was recorded by another build") && error.contains("--other-build"), "{error}");
    run(&Evaluation { other_build: true, ..evaluation.clone() }).unwrap();
    let whole = Recorded::read(&path).unwrap();
    assert!(whole.complete() && whole.header.build.commit.starts_with("other-"));
    assert_eq!(whole.header.continued_by.len(), 1);
    assert!(said(&folder).contains("Records of 2 builds stand side by side"), "{}", said(&folder));
}

#[test]
fn a_protocol_that_is_not_what_was_played_is_noticed_by_name() {
    let folder = honest("other");
    let path = folder.0.join("out/protocols/grid.toml");
    let text = fs::read_to_string(&path).unwrap().replace("episodes = 600", "episodes = 601");
    fs::write(&path, text).unwrap();
    let markdown = said(&folder);
    assert!(markdown.contains("was played under another text of the protocol"), "{markdown}");
}
