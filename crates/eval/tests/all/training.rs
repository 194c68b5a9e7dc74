//! Curves of training: how they come to an evaluation, what is scored by them, and what a report shows of both.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heldout_core::Spec;
use heldout_eval::curves::{Curve, FILE};
use heldout_eval::entrant::{Agent, Entrant, Place, no_learners};
use heldout_eval::protocol::Protocol;
use heldout_eval::report;
use heldout_eval::runner::Evaluation;
use heldout_eval::{Actor, Turn};

use crate::common::Folder;

/// Lines of an agent's training on a task of `memory-mini`: twenty points, whose scores `of` says by point and condition.
fn lines(agent: &str, task: &str, seed: u64, of: impl Fn(u32, usize) -> f64) -> String {
    let line = |point: u32| {
        let [train, interpolate, extrapolate] = [0, 1, 2].map(|condition| of(point, condition));
        format!(
            "{{\"agent\":\"{agent}\",\"protocol\":\"memory-mini\",\"task\":\"{task}\",\"seed\":{seed},\"step\":{},\"episodes\":8,\
             \"train\":{train:?},\"holdout_interpolate\":{interpolate:?},\"holdout_extrapolate\":{extrapolate:?}}}\n",
            (point + 1) * 1000
        )
    };
    (0..20).map(line).collect()
}

fn written(name: &str, text: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join(FILE), text).unwrap();
    folder
}

const MAPPING: &str = "arbitrary-visuomotor-mapping";

/// The line of a table whose first cells are these.
fn row<'a>(markdown: &'a str, cells: &[&str]) -> Vec<&'a str> {
    let begins = format!("| {} |", cells.join(" | "));
    let all: Vec<&str> = markdown.lines().filter(|line| line.starts_with(&begins)).collect();
    let [line] = all[..] else { panic!("{begins}: {all:?} in {markdown}") };
    line.trim_matches('|').split(" | ").map(str::trim).collect()
}

#[test]
fn memory_check_35_scores_are_means_over_seeds_with_standard_errors_beside_their_floor() {
    // Each seed stays where it is: 30, 35 and 40 in training. Deviations -5, 0, 5: the standard error is 5 / sqrt(3).
    let seed = |seed: u64, score: f64| lines("FF", MAPPING, seed, move |_, c| score / if c == 0 { 1.0 } else { 2.0 });
    let folder = written("errors", &[seed(0, 30.0), seed(1, 35.0), seed(2, 40.0)].concat());
    let markdown = report::markdown(&[&folder.0]).unwrap();
    let cells = row(&markdown, &[MAPPING, "train (training)", "FF"]);
    // From the best shortcut, 24.599, to the oracle's 50; ten points are the first window.
    let expected = ["35.00 ± 2.887", "40.9 ± 11.4", "`last-cue` 24.60", "3", "10000, 10000, 10000"];
    assert_eq!(cells[3..], expected);
    let cells = row(&markdown, &[MAPPING, "holdout\\_extrapolate (held out)", "FF"]);
    assert_eq!((cells[3], cells[5]), ("17.50 ± 1.443", "`last-cue` 35.96"));
    // One seed has no error, and says so.
    let folder = written("one-seed", &seed(0, 30.0));
    let markdown = report::markdown(&[&folder.0]).unwrap();
    assert_eq!(row(&markdown, &[MAPPING, "train (training)", "FF"])[3], "30.00 (one seed)");
}

#[test]
fn memory_check_35_what_is_held_out_moves_no_moment() {
    // Training is highest in the middle; what is held out has its heights elsewhere, each time.
    let train = |point: u32| if (8..12).contains(&point) { 40.0 } else { 20.0 };
    let read = |early: f64, late: f64| {
        let of = |point: u32, c: usize| {
            if c == 0 {
                train(point)
            } else if point < 5 {
                early
            } else {
                late
            }
        };
        let folder = written("moments", &lines("FF", MAPPING, 0, of));
        let markdown = report::markdown(&[&folder.0]).unwrap();
        let held_out = row(&markdown, &[MAPPING, "holdout\\_interpolate (held out)", "FF"]).join(" ");
        let trained = row(&markdown, &[MAPPING, "train (training)", "FF"]).join(" ");
        (trained, held_out)
    };
    let ((trained, low), (same, high)) = (read(30.0, 1.0), read(1.0, 30.0));
    assert_eq!(trained, same);
    assert_ne!(low, high, "it is read there");
    let at = |cells: &str| cells.rsplit(' ').next().unwrap().to_owned();
    assert_eq!((at(&low), at(&high)), (at(&trained), at(&trained)), "at the moment of training");
}

#[test]
fn models_are_ranked_by_the_mean_of_all_conditions_beside_the_papers_rank() {
    let constant = |agent: &str, task: &str, score: f64| {
        (0..2).map(|seed| lines(agent, task, seed, |_, _| score + seed as f64)).collect::<String>()
    };
    let recognition = "continuous-recognition";
    let text = [
        constant("FF", MAPPING, 38.0),
        constant("FF", recognition, 38.0),
        constant("LSTM+MEM+CPC", MAPPING, 39.0),
        constant("LSTM+MEM+CPC", recognition, 39.0),
        constant("mine", MAPPING, 60.0),
        constant("one", MAPPING, 1.0),
        constant("two", MAPPING, 2.0),
    ];
    let folder = written("ranking", &text.concat());
    let markdown = report::markdown(&[&folder.0]).unwrap();
    let head = "| agent | rank | train | holdout\\_interpolate | holdout\\_extrapolate | all | tasks | published rank (Table 3) |";
    assert!(markdown.contains(head), "{markdown}");
    let best = row(&markdown, &["LSTM+MEM+CPC", "1"]);
    // Training: 39.5 between 24.599 and 50 and between 36.883 and 50, so 58.7 and 20.0; standard errors 1.97 and 3.81.
    assert_eq!((best[2], best[6], best[7]), ("39.3 ± 2.1", "2", "1 of 9"));
    assert_eq!((row(&markdown, &["FF", "2"])[6], row(&markdown, &["FF", "2"])[7]), ("2", "9 of 9"));
    // Whoever has not all tasks is not ranked, however high it scores, and is no model of the paper.
    let other = row(&markdown, &["mine", "–"]);
    assert_eq!((other[6], other[7]), ("1", "–"));
    // The same as pictures: shares, their standard errors, and who scores 0.
    let html = report::html(&[&folder.0]).unwrap();
    assert!(
        html.contains(&format!(
            "{MAPPING} (0: last-cue 24.60, memoryless 14.75, window 19.59), LSTM+MEM+CPC: 58.7 ± 2.0"
        )),
        "{html}"
    );
    let maps = html.matches("the scores of training, tasks by agents, ").count();
    assert_eq!(maps, 2 * 3, "one per condition, each named twice");
    // The paper's longest name has room above five squares.
    assert!(html.contains(">LSTM+</text>\n") && !html.contains(">1 LSTM+MEM+CPC</text>"), "{html}");
    // A report of the curves alone says so, and has no verdicts.
    assert!(markdown.contains("there are curves of training, and no records") && !markdown.contains("## Summary"));
}

#[test]
fn curves_are_drawn_beside_the_oracle_or_people_and_short_ones_are_not_scored() {
    let text = lines("FF", MAPPING, 0, |point, c| f64::from(point) + c as f64);
    let first: String = text.split_inclusive('\n').take(4).collect();
    let folder = written("short", &first);
    let (markdown, html) = (report::markdown(&[&folder.0]).unwrap(), report::html(&[&folder.0]).unwrap());
    assert!(markdown.contains("- FF on arbitrary-visuomotor-mapping: seed 0 has 4 points."), "{markdown}");
    assert!(!markdown.contains("40.9") && markdown.contains("Dotted, in its colour: the oracle."), "{markdown}");
    // Training first, as the task has it; the oracle answers all 50, 40 and 75 trials.
    let said = "train: from 0.000 to 3.000 (dotted 50.00); holdout_interpolate: from 1.000 to 4.000 (dotted 40.00); \
                holdout_extrapolate: from 2.000 to 5.000 (dotted 75.00)";
    assert!(html.contains(said), "{html}");
    assert_eq!(html.matches("level\" stroke-dasharray=\"1 4\"").count(), 3);
    let full = written("people", &first.replace("memory-mini", "memory"));
    let markdown = report::markdown(&[&full.0]).unwrap();
    assert!(markdown.contains("Dotted, in its colour: people, as published."), "{markdown}");
}

#[test]
fn curves_of_the_full_tasks_are_ranked_against_people_too() {
    let text = lines("FF", MAPPING, 0, |_, _| 25.03) + &lines("FF", MAPPING, 1, |_, _| 25.03);
    let folder = written("human", &text.replace("memory-mini", "memory"));
    let markdown = report::markdown(&[&folder.0]).unwrap();
    assert!(markdown.contains("percent of the way from published random play to people"), "{markdown}");
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with("| FF | 1 |")).collect();
    // People have 50, random play 0.06: half of the way.
    assert!(rows.len() == 2 && rows[1].starts_with("| FF | 1 | 50.0 ± 0.0 |"), "{rows:?}");
}

/// An agent that goes nowhere and brings what it scored when it was trained.
struct Trained(&'static str);

struct Still;

impl Actor for Still {
    fn act(&mut self, turn: Turn<'_>) -> Result<(), String> {
        turn.actions.fill(0);
        Ok(())
    }
}

impl Agent for Trained {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn actor(&self, _: &Place<'_>, _: &Spec) -> Result<Box<dyn Actor>, String> {
        Ok(Box::new(Still))
    }

    fn curves(&self, place: &Place<'_>) -> Result<Curve, String> {
        match (self.0, place.task) {
            ("torn", _) => Err("line 3 is torn".to_owned()),
            (_, "spot-diff") => Ok(Curve::default()),
            (name, task) => {
                Ok(Curve::parse(&lines("other", task, name.len() as u64, |p, _| f64::from(p))).unwrap().remove(0))
            }
        }
    }
}

fn evaluation(out: &Path, agents: &[(&str, &'static str)], resume: bool) -> Evaluation {
    let agent = |(label, name): &(&str, &'static str)| Entrant::agent(label, Arc::new(Trained(name))).unwrap();
    let mut entrants: Vec<Entrant> = agents.iter().map(agent).collect();
    entrants.push(Entrant::parse("random", &no_learners).unwrap());
    Evaluation {
        protocols: vec![Protocol::find("memory-mini").unwrap()],
        entrants,
        out: out.to_owned(),
        seed: 0,
        seeds: Some(1),
        episodes: Some(2),
        threads: 1,
        tasks: ["spot-diff", MAPPING, "change-detection"].map(str::to_owned).into(),
        resume,
        other_build: false,
    }
}

#[test]
fn what_trained_agents_bring_is_kept_in_the_order_of_the_plan_and_shown() {
    let folder = Folder::new("brought");
    let run = |agents: &[(&str, &'static str)], resume| {
        evaluation(&folder.0, agents, resume).run(&AtomicBool::new(false), &|_| {}).map(|outcome| outcome.failures)
    };
    let read = || std::fs::read_to_string(folder.0.join(FILE)).unwrap();
    assert_eq!(run(&[("A", "a"), ("B", "bb")], false).unwrap(), []);
    let kept = |label: &str, task: &str, seed: u64| lines(label, task, seed, |p, _| f64::from(p));
    // Scores stand in the order of their names.
    let sorted = |text: String| Curve::parse(&text).unwrap().iter().map(Curve::text).collect::<String>();
    let all = ["arbitrary-visuomotor-mapping", "change-detection"].map(|task| kept("A", task, 1) + &kept("B", task, 2));
    assert_eq!(read(), sorted(all.concat()));
    assert!(!read().contains("other"), "they are the entrant's, by its label");
    // The same again is the same, and lines of others stay before them.
    run(&[("A", "a"), ("B", "bb")], true).unwrap();
    assert_eq!(read(), sorted(all.concat()));
    let hand = "{\"agent\":\"C\",\"step\":1,  \"train\":1}\n";
    std::fs::write(folder.0.join(FILE), read() + hand).unwrap();
    run(&[("A", "a"), ("B", "bb")], true).unwrap();
    assert_eq!(read(), hand.to_owned() + &sorted(all.concat()));
    let markdown = report::markdown(&[&folder.0]).unwrap();
    for part in ["Training of A on change-detection", "### Scores of training", "| B | "] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    // What cannot be read is known before anything is played.
    let error = run(&[("D", "torn")], true).unwrap_err().to_string();
    assert_eq!(error, "the curves of training that `D` brings: line 3 is torn");
    std::fs::write(folder.0.join(FILE), "{}\n").unwrap();
    let error = run(&[("A", "a"), ("B", "bb")], true).unwrap_err().to_string();
    assert!(error.ends_with("curves.jsonl`: line 1 has no whole number `step`"), "{error}");
    let taken = report::publish(&[&folder.0], Some(&folder.0.join("page.html")), Some(&folder.0.join(FILE)));
    assert!(taken.unwrap_err().to_string().contains("lies among the records"));
}

#[test]
fn a_directory_of_curves_goes_with_one_of_records_and_one_of_neither_is_refused() {
    let (records, curves, nothing) =
        (Folder::new("records"), written("beside", &lines("FF", MAPPING, 0, |_, _| 30.0)), Folder::new("nothing"));
    evaluation(&records.0, &[], false).run(&AtomicBool::new(false), &|_| {}).unwrap();
    let markdown = report::markdown(&[&records.0, &curves.0]).unwrap();
    assert!(markdown.contains("## Summary") && markdown.contains("30.00 (one seed)"), "{markdown}");
    let error = report::markdown(&[&records.0, &nothing.0]).unwrap_err().to_string();
    assert!(error.contains("holds no records"), "{error}");
    // Curves of a protocol that is not at hand say nothing of what they are to be measured against.
    let unknown = written("unknown", &lines("FF", MAPPING, 0, |_, _| 30.0).replace("memory-mini", "nowhere"));
    assert!(report::markdown(&[&unknown.0]).is_err());
}
